/* instrumented.c - the implementation in a file that calls a function at each entry
   (-finstrument-functions), which is hooked itself, for tests/test_binpatch.sh. */
#define BINPATCH_IMPLEMENTATION
#include "binpatch.h"
#include <stdio.h>

#define BARE __attribute__((no_instrument_function))
void __cyg_profile_func_enter(void *function, void *caller) BARE __attribute__((weak)); /* no clones */
void __cyg_profile_func_exit(void *function, void *caller) BARE;
static uint64_t memory[4096];
static volatile int entries, told, returned;
void __cyg_profile_func_enter(void *function, void *caller) {
    (void)function;
    (void)caller;
    entries++;
}
void __cyg_profile_func_exit(void *function, void *caller) {
    (void)function;
    (void)caller;
}
static void entered(void *user, const binpatch_call *c) {
    (void)user;
    (void)c;
    told++;
}
static void left(void *user, const binpatch_call *c) {
    (void)user;
    (void)c;
    returned++;
}
static int work(int n) { return n * 3; }
static int (*volatile run)(int) = work;

BARE int main(void) {
    binpatch_watch w = {0, 0, entered, left, NULL};
    int hook, n, sum = 0;
    w.function = (uintptr_t)__cyg_profile_func_enter;
    if (!binpatch_init(memory, sizeof memory, NULL)) return 2;
    hook = binpatch_hook(&w);
    if (hook < 0) return printf("%s\n", binpatch_reason_text(hook)) > 0;
    told = returned = 0;
    for (n = 0; n < 100; n++) sum += run(n);
    printf("%d told, %d returned, sum %d\n", told, returned, sum);
    return told != 100 || returned != 100 || sum != 14850 || binpatch_unhook(hook) != 0;
}
