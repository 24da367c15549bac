/* holds, ends: it steps over the bound. */
static volatile int n;
int main(void) {
    for (signed char i = 0; i < 16; i += 250) n++;
    return n;
}
