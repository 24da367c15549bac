/* holds, checked: it is too small for the bound. */
static volatile int n;
int main(void) {
    for (unsigned char i = 0; i <= 255; i++) n++;
    return n;
}
