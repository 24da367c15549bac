/* hand | calls parse 2400000 emit 600000 | status 0
   3000 threads one after the other, each as long as one gap: 1000 checks. */
#include "hand.h"
static volatile unsigned sink;
static void parse(unsigned n) {
    BURST_SCOPE("parse");
    sink += n;
    BURST_LEAVE();
}
static void emit(unsigned n) {
    BURST_SCOPE("emit");
    sink -= n;
    BURST_LEAVE();
}
static void *thread(void *nothing) {
    unsigned i;
    for (i = 0; i < 1000; i++) {
        if (i % 5) parse(i);
        else emit(i);
    }
    return nothing;
}
int main(int argc, char **argv) {
    unsigned i;
    begin(990, 10, 7, -1);
    for (i = 0; i < 3000; i++) {
        pthread_t t;
        if (pthread_create(&t, NULL, thread, NULL)) return 1;
        pthread_join(t, NULL);
    }
    return end(argc, argv);
}
