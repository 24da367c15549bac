/* patch_sharing.c - bursts of references become lines that threads share. */
#define _GNU_SOURCE 1
#include "objects.h"
#include "patch.h"
#include <sched.h>
#include <string.h>
#include <time.h>

enum { STACKS = 256, PATIENCE = 100000 };

typedef struct stack { uint64_t low, end; } stack;

static sharing *table;
static int table_lock;
static uint32_t threads_seen;           /* each has a number */
static stack stacks[STACKS];            /* the first thread's is the first one */
static uint32_t stack_count;

/* Stacks of threads that ended are those of later ones. */
static void add_stack(uint64_t low, uint64_t end) {
    uint32_t n;
    for (n = 0; n < STACKS && n < stack_count; n++) {
        if (__atomic_load_n(&stacks[n].end, __ATOMIC_ACQUIRE) == end && stacks[n].low == low) return;
    }
    if (low >= end || (n = __atomic_fetch_add(&stack_count, 1, __ATOMIC_RELAXED)) >= STACKS) return;
    stacks[n].low = low;
    __atomic_store_n(&stacks[n].end, end, __ATOMIC_RELEASE);
}

/* Where the program has forbidden system calls, the processor's counter goes on
   from the last time that was asked for. Reads and writes of the four numbers
   need not belong together: a millisecond is nothing here. */
uint64_t record_now_ns(void) {
    static uint64_t first_ns, first_ticks, last_ns, last_ticks;
    uint64_t ticks = __builtin_ia32_rdtsc(), ns = __atomic_load_n(&last_ns, __ATOMIC_RELAXED);
    uint64_t since = __atomic_load_n(&last_ticks, __ATOMIC_RELAXED);
    struct timespec t;
    if (!record.sandboxed && clock_gettime(CLOCK_MONOTONIC, &t) == 0) {
        ns = (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
        if (!first_ns) {                /* at the start, in the first thread */
            first_ns = ns;
            first_ticks = ticks;
        }
        __atomic_store_n(&last_ns, ns, __ATOMIC_RELAXED);
        __atomic_store_n(&last_ticks, ticks, __ATOMIC_RELAXED);
    } else if (ticks > since) {
        double by = since > first_ticks ? (double)(ns - first_ns) / (double)(since - first_ticks) : .4;
        ns += (uint64_t)((double)(ticks - since) * by);
    }
    return ns;
}

static void make_table(void) {
    table = (sharing *)recorder_memory(sizeof *table);
    if (!table) return;
    table->flags = SHARING_KNOWS_ENDS;
    if (record.config.every == X86_ALWAYS) table->flags |= SHARING_WHOLE;
}

void record_find_stack(record_extra *x) {
    static __thread uintptr_t low __attribute__((tls_model("initial-exec")));
    static __thread uintptr_t end __attribute__((tls_model("initial-exec")));
    if (!end && !record.sandboxed) {
        recorder_find_stack((uintptr_t)__builtin_frame_address(0), &low, &end);
        if (!end) end = 1;
    }
    x->stack_low = low;
    x->stack_end = end;
}

/* The first thread's stack may grow downwards. */
void record_sharing_start(void) {
    enum { GROWS = 64 << 20 };
    uintptr_t low = 0, end = 0;
    objects_start();
    recorder_find_stack((uintptr_t)&low, &low, &end);
    add_stack(end > GROWS ? end - GROWS : 0, end);
    (void)record_now_ns();
    make_table();
}

void record_sharing_in_child(void) {
    if (table) make_table();
    table_lock = 0;
}

/* What a thread had goes to a later one, which gets a number of its own. */
sharing_thread *record_sharing(record_extra *x) {
    if (!table || x->is_sharing) return x->sharing;
    if (!x->sharing) x->sharing = (sharing_thread *)recorder_memory(sizeof *x->sharing);
    if (!x->sharing) return NULL;
    x->sharing->number = __atomic_fetch_add(&threads_seen, 1, __ATOMIC_RELAXED);
    x->is_sharing = 1;
    record_find_stack(x);
    add_stack(x->stack_low, x->stack_end);
    return x->sharing;
}

const sharing *record_shared(void) { return table; }

static void charge(void *user, uint64_t site, uint64_t address, sharing_place *out) {
    const record_extra *x = (const record_extra *)user;
    uint32_t module = (uint32_t)((site - 1) >> 32), place = (uint32_t)(site - 1), n;
    objects_span span;
    x86_function f;
    if (x86_get_function(x86_find_function(module, place), &f) == 0)
        out->function = record_key(module, f.offset);
    out->object = objects_find_span(address, x->stack_low, x->stack_end, &span);
    for (n = 0; objects_is_other(out->object) && n < STACKS && n < stack_count; n++) {
        uint64_t end = __atomic_load_n(&stacks[n].end, __ATOMIC_ACQUIRE);
        if (address < end && address >= stacks[n].low)
            out->object = objects_find_span(address, stacks[n].low, end, &span);
    }
    out->low = span.low;
    out->bytes = span.bytes;
    out->life = span.life;
}

void record_sharing_begins(record_extra *x) { x->sharing_began_ns = record_now_ns(); }

static int lock_table(void) {
    int wait;
    for (wait = 0; __atomic_exchange_n(&table_lock, 1, __ATOMIC_ACQUIRE); wait++) {
        if (wait == PATIENCE) return 0;
        if (!record.sandboxed) sched_yield();
    }
    return 1;
}

void record_sharing_burst(record_extra *x) {
    uint64_t now;
    if (!x->sharing || !table || !x->sharing->used) return;
    if (!lock_table()) return;          /* it comes with the next burst, or not at all */
    now = record_now_ns();
    sharing_burst(table, x->sharing, x->sharing_began_ns ? x->sharing_began_ns : now, now, charge,
                  x);
    x->sharing_began_ns = now;          /* of a run that is seen whole, the next piece begins */
    __atomic_store_n(&table_lock, 0, __ATOMIC_RELEASE);
}

void record_sharing_ends(record_extra *x) {
    if (!x || !x->is_sharing || !table) return;
    x->is_sharing = 0;
    if (!lock_table()) return;
    sharing_ended(table, x->sharing->number, record_now_ns());
    __atomic_store_n(&table_lock, 0, __ATOMIC_RELEASE);
}
