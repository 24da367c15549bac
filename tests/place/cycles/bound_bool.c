/* holds, checked: it cannot reach the bound. */
static volatile int n;
int main(void) {
    for (_Bool i = 0; i < 2; i++) n++;
    return n;
}
