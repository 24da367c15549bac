/* holds, checked: a goto loop behind do .. while (0). */
int main(void) {
    int n = 0;
    do {
        n++;
        continue;
    } while (0);
back:
    n++;
    goto back;
}
