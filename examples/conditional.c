/* conditional.c - "show me what a request does, but only from its third attempt on". Counters
   decide which events reach the action; nothing of it stands in the code that is watched.

   Counter 0 is set to "overflow after three" when a request begins, and every attempt (a back-edge)
   adds 1. The action gets user events while the overflow flag is set. It prints the trace that the
   comment at the end of this file explains. */
#define BURSTY_IMPLEMENTATION
#include "bursty.h"
#include <stdio.h>
#include <string.h>

static int printed;

static void print_counter(const char *what, const char *name) {
    printf("    %-8s %-10s counter 0: %2d\n", what, name, (int)(int32_t)bursty_counter(0));
}

static void on_event(void *user, const bursty_event *e) {
    (void)user;
    printed++;
    print_counter("reported", e->site->name);
}

/* A second profile, without a condition, shows every event. It stands after the first, so that the
   counter that it prints is the one after the event. */
static void on_any_event(void *user, const bursty_event *e) {
    (void)user;
    print_counter("event", e->site->name);
}

static int send_packet(int attempt, int good_at) {
    BURST_POINT(BURSTY_USER, "send", attempt);
    return attempt == good_at;
}

static int request(int good_at) {
    int attempt;
    BURST_ENTRY();
    for (attempt = 1; attempt <= 5; attempt++) {
        BURST_LOOP();
        if (send_packet(attempt, good_at)) return 1;
    }
    return 0;
}

int main(void) {
    bursty_profile late, all;
    bursty_rule rules[2];
    int good;
    memset(&late, 0, sizeof late);
    memset(&all, 0, sizeof all);
    memset(rules, 0, sizeof rules);
    rules[0].classes = BURSTY_CALL; /* a request begins: overflow comes with the third attempt */
    rules[0].op[0].op = BURSTY_UNTIL;
    rules[0].op[0].value = 3;
    rules[0].op_count = 1;
    rules[1].classes = BURSTY_BACKEDGE; /* an attempt */
    rules[1].op[0].op = BURSTY_INC;
    rules[1].op_count = 1;
    late.check_count =
        BURSTY_ALWAYS; /* conditions replace sampling here; they work in bursts as well */
    late.classes = BURSTY_USER;
    late.rules = rules;
    late.rule_count = 2;
    late.when.any[0].overflow = 1; /* bit 0: counter 0 */
    late.action = on_event;
    all.check_count = BURSTY_ALWAYS;
    all.action = on_any_event;
    if (bursty_start(NULL) == 0) return 1;
    bursty_set_profile(0, &late);
    bursty_set_profile(1, &all);
    printf("a request that succeeds at once:\n");
    good = request(1);
    printf("a request that succeeds at the fourth attempt:\n");
    good += request(4);
#ifdef BURSTY_OFF
    return good != 2 || printed != 0;
#else
    return good != 2 || printed != 2;
#endif
}

/* The trace of the second request. A condition is judged on the flags as they were before the
   event, an operation takes effect after it. So the third "request" (the loop's back-edge carries
   the function's name) sets the flag, and the first event that finds it set is the "send" behind
   it.

     event                counter 0 before, after    overflow before, after    reported?
     request (call)          .        -3                  .        -
     request (attempt 1)    -3        -2                  -        -           not a user event
     send                   -2        -2                  -        -           no
     request (attempt 2)    -2        -1                  -        -
     send                   -1        -1                  -        -           no
     request (attempt 3)    -1         0                  -       set
     send                    0         0                 set      set          yes
     request (attempt 4)     0         1                 set      set          the flag stays until UNTIL or SET
     send                    1         1                 set      set          yes */
