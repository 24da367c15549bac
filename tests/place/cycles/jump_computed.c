/* holds, checked: a label that is kept in a variable. */
int main(void) {
    int n = 0;
    void *p = &&forth;
back:
    n++;
    goto *p;
forth:
    n--;
    goto back;
}
