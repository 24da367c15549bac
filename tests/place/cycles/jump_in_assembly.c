/* but, unchecked: a loop in assembly. */
int main(void) {
    __asm__ volatile("7:\n\tjmp\t7b");
    return 0;
}
