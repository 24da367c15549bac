/* event_cost.c - 105 000 calls of a function that holds one form of check or event: event_cost FORM
   EVERY BURST. bench/event_cost.sh counts its instructions. */
#define BURSTY_NO_TIMERS
#define BURSTY_IMPLEMENTATION
#include "bursty.h"
#include <stdlib.h>

static const bursty_site behind = { "behind", "event_cost.c", 1, BURSTY_CALL };
static int cell;
static volatile int sink;

__attribute__((noinline)) static void check(void) {
    BURST_CHECK();
    sink++;
}
__attribute__((noinline)) static void entry(void) {
    BURST_ENTRY();
    sink++;
}
__attribute__((noinline)) static void scope(void) {
    BURST_SCOPE("scope");
    sink++;
}
__attribute__((noinline)) static void point(void) {
    BURST_POINT(BURSTY_USER, "point", 1);
    sink++;
}
static BURST_DUAL(void, dual, (void), ()) { sink++; }
__attribute__((noinline)) static void reference(void) {
    BURST_CHECK();
    BURST_REF(BURSTY_LOAD, &cell);
    sink++;
}
__attribute__((noinline)) static void mark(void) {
    if (BURST_CHECK()) (void)bursty_note_mark();
    sink++;
}
__attribute__((noinline)) static void since(void) {
    if (BURST_CHECK()) bursty_note_since(&behind, 0, BURSTY_CALL, bursty_note_mark());
    sink++;
}

int main(int count, char **arguments) {
    static void (*const forms[])(void) = { check, entry, scope, point, dual, reference, mark, since };
    bursty_config config = { 0 };
    int i, form = count > 3 ? atoi(arguments[1]) : -1;
    if (form < 0 || form >= (int)(sizeof forms / sizeof forms[0])) return 2;
    config.tick_hz = -1;
    config.seed = 1;
    config.profile.every = (uint32_t)atoi(arguments[2]);
    config.profile.burst = (uint32_t)atoi(arguments[3]);
    config.profile.jitter = -1;
    if (bursty_start(&config) == 0) return 1;
    for (i = 0; i < 105000; i++) forms[form]();
    return 0;
}
