/* hand | streams wrong 0 | status 0
   In each round 30 loads of an array are followed by a store to `out`: no
   stream may have `last` behind such a load. */
#include "hand.h"
#include "hotstream.h"
static int a[30];
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
    int s;
    BURST_REF(BURSTY_LOAD, &last);
    s = sum(n) + last;
    BURST_REF(BURSTY_STORE, &last);
    return last = s;
}
static int is(const hotstream_stream *stream, size_t k, const char *wanted) {
    static char name[HOTSTREAM_NAME_BYTES];
    hotstream_site_name(name, stream->items[k].site);
    return strncmp(name, wanted, strlen(wanted)) == 0;
}
int main(int argc, char **argv) {
    static uint64_t memory[1 << 17];
    static hotstream streams;
    hotstream_stream top[50];
    bursty_profile profile;
    unsigned long heat = 0, wrong = 0;
    size_t n, i, k;
    int x = 0;
    memset(&profile, 0, sizeof profile);
    profile.every = 1000;
    profile.burst = 30;
    hotstream_init(&streams, memory, sizeof memory, NULL);
    hotstream_attach(&streams, &profile);
    begin(1000, 30, 7, -1);
    bursty_set_profile(0, &profile);
    for (i = 0; i < 100000; i++) x += caller(30);
    n = hotstream_top(&streams, top, 50);
    for (i = 0; i < n; i++) {
        heat += top[i].heat;
        for (k = 0; k + 1 < top[i].length; k++)
            if (is(&top[i], k, "&a[i]") && is(&top[i], k + 1, "&last")) break;
        if (k + 1 < top[i].length) wrong += top[i].heat;
    }
    if (argc > 2) fprintf(stderr, "streams: heat %lu, wrong %lu\n", heat, wrong);
    return (x == 7) + end(argc, argv);
}
