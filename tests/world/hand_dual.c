/* hand | calls &a[i] 4000000 &out 200000 &last 200000 | status 0
   Two copies by hand: a reference inside of a loop, one behind it, and one
   behind the call of the function with the loop. */
#include "hand.h"
static int a[20];
static int out;
static int last;
static BURST_DUAL(int, sum, (int n), (n)) {
    int s = 0;
    int i;
    for (i = 0; i < n; i++) BURST_BODY({
        BURST_REF(BURSTY_LOAD, &a[i]);
        s += a[i];
    })
    BURST_REF(BURSTY_STORE, &out);
    out = s;
    return s;
}
static BURST_DUAL(int, caller, (int n), (n)) {
    int s = sum(n);
    BURST_REF(BURSTY_STORE, &last);
    return last = s;
}
int main(int argc, char **argv) {
    bursty_profile profile;
    int i;
    int x = 0;
    memset(&profile, 0, sizeof profile);
    begin(990, 10, 7, -1);
    profile.every = 990;
    profile.burst = 10;
    profile.classes = (uint32_t)BURSTY_LOAD | (uint32_t)BURSTY_STORE;
    bursty_set_profile(0, &profile);
    for (i = 0; i < 200000; i++) x += caller(20);
    if (x == 7) puts("seven");
    return end(argc, argv);
}
