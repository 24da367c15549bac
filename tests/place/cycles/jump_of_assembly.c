/* open, unchecked: asm goto leads back. */
int main(void) {
    int n = 0;
back:
    n++;
    __asm__ goto("jmp %l0" : : : : back);
    return n;
}
