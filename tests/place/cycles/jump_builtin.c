/* but, unchecked: the same by builtins. */
static void *place[5];
static volatile int n;
static void __attribute__((noinline)) back(void) { __builtin_longjmp(place, 1); }
int main(void) {
    if (__builtin_setjmp(place)) n++;
    back();
    return 0;
}
