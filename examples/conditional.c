/* conditional.c - "show me what a request does, but only from its third attempt on". Counters
   decide which events reach the action; nothing of it stands in the code that is watched.

   Each rule is a production: a pattern, a condition, operations, an action. Counter 0 is set to
   "overflow after three" when a request begins, and every attempt (a back-edge) adds 1. While the
   overflow flag is set, the events of the place "send" are reported. docs/productions.md goes
   through it, and the comment at the end of this file shows the trace. */
#define BURSTY_IMPLEMENTATION
#include "bursty.h"
#include <stdio.h>
#include <string.h>

static bursty_control_state counters;
static int printed;

static void print_counter(const char *what, const bursty_event *e) {
    printf("    %-8s %-10s counter 0: %2d\n", what, e->site->name,
           (int)(int32_t)counters.counter[0]);
}

static void on_report(void *user, const bursty_event *e) {
    ++*(int *)user;
    print_counter("reported", e);
}

static void on_event(void *user, const bursty_event *e) {
    (void)user;
    print_counter("event", e);
}

static const bursty_control_term late = { 0, 0, 1, 0 }; /* overflow, bit 0: counter 0 */
static const bursty_control_rule rules[4] = {
    /* a request begins: overflow comes with the third attempt */
    { BURSTY_CALL, NULL, "request", NULL, 0,
      NULL, 0, { { BURSTY_CONTROL_UNTIL, 0, 3 } }, 1, NULL, NULL },
    /* an attempt */
    { BURSTY_BACKEDGE, NULL, "request", NULL, 0,
      NULL, 0, { { BURSTY_CONTROL_INC, 0, 0 } }, 1, NULL, NULL },
    /* what is asked for: the place "send", if the condition holds */
    { 0, "send", NULL, NULL, 0, &late, 1, { { 0, 0, 0 } }, 0, on_report, &printed },
    /* each event, for this demonstration; behind the others, it sees what they have changed */
    { 0, NULL, NULL, NULL, 0, NULL, 0, { { 0, 0, 0 } }, 0, on_event, NULL }
};

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
    bursty_config config;
    int good;
    memset(&config, 0, sizeof config);
    config.profile.every = BURSTY_ALWAYS; /* conditions work in bursts as well */
    config.profile.action = bursty_control_step;
    config.profile.user = &counters;
    if (bursty_control_init(&counters, rules, 4) != 0 || bursty_start(&config) == 0) return 1;
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
     request (attempt 1)    -3        -2                  -        -           another place
     send                   -2        -2                  -        -           no
     request (attempt 2)    -2        -1                  -        -
     send                   -1        -1                  -        -           no
     request (attempt 3)    -1         0                  -       set
     send                    0         0                 set      set          yes
     request (attempt 4)     0         1                 set      set          no (1)
     send                    1         1                 set      set          yes

   (1) It is another place. The flag stays set until an UNTIL or a SET clears it. */
