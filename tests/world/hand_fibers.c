/* hand | time leaf_a 3 leaf_b 1 | calls leaf_a 24000 leaf_b 24000 | pairs a>leaf_a 24000 b>leaf_b 24000 | also a b main | status 0
   Two fibers on one thread. Each yields inside of its scope, and neither ever
   calls the other. */
#include "hand.h"
#include <ucontext.h>
static ucontext_t context_main;
static ucontext_t context_a;
static ucontext_t context_b;
static char stack_a[65536];
static char stack_b[65536];
static bursty_fiber fiber_a;
static bursty_fiber fiber_b;
static volatile unsigned sink;

static void leaf_a(void) {
    unsigned x = start;
    BURST_SCOPE("leaf_a");
    ROUNDS(x, 3 * unit, 1);
    sink += x;
    BURST_LEAVE();
}
static void leaf_b(void) {
    unsigned x = start;
    BURST_SCOPE("leaf_b");
    ROUNDS(x, unit, 2);
    sink += x;
    BURST_LEAVE();
}
static void a(void) {
    BURST_SCOPE("a");
    for (;;) {
        leaf_a();
        (void)bursty_fiber_switch(&fiber_b);
        swapcontext(&context_a, &context_b);
    }
}
static void b(void) {
    unsigned i;
    BURST_SCOPE("b");
    for (i = 0; i < 24000; i++) {
        leaf_b();
        if (i == 23999) break;
        (void)bursty_fiber_switch(&fiber_a);
        swapcontext(&context_b, &context_a);
    }
    (void)bursty_fiber_switch(NULL);
    setcontext(&context_main);
}
static void prepare(ucontext_t *context, char *stack, void (*run)(void)) {
    getcontext(context);
    context->uc_stack.ss_sp = stack;
    context->uc_stack.ss_size = 65536;
    makecontext(context, run, 0);
}
int main(int argc, char **argv) {
    if (argc > 1) unit = (unsigned)atoi(argv[1]);
    begin(100, 10, 7, 0);
    prepare(&context_a, stack_a, a);
    prepare(&context_b, stack_b, b);
    (void)bursty_fiber_switch(&fiber_a);
    swapcontext(&context_main, &context_a);
    return end(argc, argv);
}
