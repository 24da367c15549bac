/* recorder_order.c - does a dump wait for a hook that has its record? For
   test_hcct_instrument.sh.

   Other processors see a store late unless it is sequentially consistent. Here
   a store that is not waits in `late`, as in a processor's store buffer. The
   dump comes at the worst moment: right after a hook has seen that recording
   goes on. The exit status is 1 if the dump goes on beside it. A plain hook has
   no such store. For it the dump lets all processors pass a barrier, which is
   when they see what is late; 5: the dump went on beside a plain hook. */
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>
static int *late, late_value, dumping, dump_now, waited;
static void store(int *p, int value, int order);
static int load(int *p);
static int exchange(int *p, int *was, int value, int order);
#define __atomic_store_n(p, value, order) store(p, value, order)
#define __atomic_load_n(p, order) load(p)
#define __atomic_compare_exchange_n(p, was, value, weak, order, failed) exchange(p, was, value, order)
#define syscall(number, command, a, b) pass(number, command)
static int pass(long number, int command);
#define sched_yield() ((void)waited++)
#define HCCT_IMPLEMENTATION
#include "record/inside/core/threads.c"
#include "record/inside/core/recorder_plain.h"

uint64_t recorder_period, recorder_burst;
uint32_t recorder_reenable = RECORDER_STATIC, recorder_seed = 1;
void *recorder_memory(size_t bytes) { return calloc(1, bytes); }
void recorder_lock_names(int on) { (void)on; }
void recorder_seed_child(void) {}
void recorder_find_stack(uintptr_t place, uintptr_t *low, uintptr_t *end) {
    (void)place;
    *low = *end = 0;
}
void recorder_sync(recorder_thread *r) { (void)r; }
void recorder_reopen(recorder_thread *r) { (void)r; }
void recorder_leave_all(recorder_thread *r) { (void)r; }
void recorder_start_gap(recorder_thread *r) { (void)r; }
uint64_t recorder_seen(const recorder_thread *r) { return r->seen; }

static void store(int *p, int value, int order) {
    if (dumping) {
        *p = value;
        return;
    }
    if (late) *late = late_value;
    late = NULL;
    if (order == __ATOMIC_SEQ_CST) {
        *p = value;
    } else {
        late = p;
        late_value = value;
    }
}

static int pass(long number, int command) {
    if (number != SYS_membarrier || (command != REGISTER && command != BARRIER)) return -1;
    if (command == BARRIER && late) *late = late_value;
    return 0;
}

static int load(int *p) {
    int value = !dumping && p == late ? late_value : *p;
    if (p == &recorder_stopped && dump_now && !dumping) {
        uint32_t without;
        dumping = 1;
        recorder_stop(&without);
        dumping = 0;
        gone = 0; /* the dump is another thread's */
    }
    return value;
}

static int exchange(int *p, int *was, int value, int order) {
    int now = !dumping && p == late ? late_value : *p;
    if (now != *was) {
        *was = now;
        return 0;
    }
    store(p, value, order);
    return 1;
}

int main(void) {
    recorder_thread *r = recorder_begin();
    if (!r) return 2;
    recorder_end(r);
    dump_now = 1;
    if (!recorder_begin()) return 3;
    if (waited == 0) return 1;
    recorder_end(self);
    dump_now = 0;
    if (recorder_begin()) return 4;

    recorder_stopped = waited = 0;
    if (late) *late = late_value;
    late = NULL;
    if (!recorder_has_barrier()) return 6;
    dump_now = 1;
    if (!recorder_take(&recorder_here, r)) return 7;
    if (waited == 0) return 5;
    recorder_give(&recorder_here, r, &recorder_none);
    dump_now = 0;
    return recorder_take(&recorder_here, r) ? 8 : 0;
}
