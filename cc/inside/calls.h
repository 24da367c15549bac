/* calls.h - the map that `bursty cc` leaves in the section bursty_calls: for
   each vertex of a control flow graph that calls something, the place where its
   code begins and the number that belongs to it. */
#ifndef BURSTY_RECORD_CALLS_H
#define BURSTY_RECORD_CALLS_H
#include <stddef.h>
#include <stdint.h>
#include <sys/auxv.h>
#include <sys/mman.h>

#define HIDDEN __attribute__((visibility("hidden")))
/* What the linker leads here by --wrap, and what of that does not return. */
#define WRAP(type, name, parameters) \
    extern type __real_##name parameters; \
    HIDDEN type __wrap_##name parameters; \
    HIDDEN type __wrap_##name parameters
#define LEAVES(name, parameters) \
    extern void __real_##name parameters __attribute__((noreturn)); \
    HIDDEN void __wrap_##name parameters; \
    HIDDEN void __wrap_##name parameters

/* Both are distances from themselves, so that nothing is relocated. */
typedef struct call {
    int32_t code, early;
} call;

extern const call __start_bursty_calls[] __attribute__((weak)) HIDDEN;
extern const call __stop_bursty_calls[] __attribute__((weak)) HIDDEN;

/* A shared library may be closed while threads go on. */
static int is_program(void) {
    extern const char __ehdr_start[] __attribute__((weak)) HIDDEN;
    uintptr_t header = (uintptr_t)__ehdr_start, table = (uintptr_t)getauxval(AT_PHDR);
    return header && table >= header && table - header < 4096;
}

static uintptr_t code_of(const call *c) { return (uintptr_t)&c->code + (uintptr_t)(intptr_t)c->code; }
static uint32_t *early_of(const call *c) {
    return (uint32_t *)((uintptr_t)&c->early + (uintptr_t)(intptr_t)c->early);
}

/* The map in the order of its code. Mostly it is in order as it stands;
   sections for cold code and for each function may change that. order[] is made
   once, and NULL if it is not needed. */
static uint32_t *order;
static int is_known; /* 1: order is right */

static const call *entry(uint32_t *by, size_t i) {
    return &__start_bursty_calls[by ? by[i] : i];
}

/* If two entries have one place, the second one counts. It belongs to a function that
   was inlined after the first one, and the table keeps that order. */
static int is_below(uint32_t a, uint32_t b) {
    uintptr_t x = code_of(entry(NULL, a)), y = code_of(entry(NULL, b));
    return x != y ? x < y : a < b;
}

static void sink(uint32_t *by, size_t at, size_t count) {
    size_t kid;
    while ((kid = 2 * at + 1) < count) {
        uint32_t swap = by[at];
        if (kid + 1 < count && is_below(by[kid], by[kid + 1])) kid++;
        if (is_below(by[kid], by[at])) return;
        by[at] = by[kid];
        by[kid] = swap;
        at = kid;
    }
}

/* Heap sort: it needs no more memory and no recursion. Two threads may both
   sort; one result is kept. Without memory there is no map, and all is as if no
   call had a marker. */
static size_t calls_in_order(uint32_t **by) {
    size_t count = (size_t)(__stop_bursty_calls - __start_bursty_calls), i;
    uint32_t *mine, *none = NULL;
    if (!__atomic_load_n(&is_known, __ATOMIC_ACQUIRE)) {
        for (i = 1; i < count; i++)
            if (code_of(entry(NULL, i - 1)) > code_of(entry(NULL, i))) break;
        if (i < count) {
            mine = (uint32_t *)mmap(NULL, count * sizeof *mine, PROT_READ | PROT_WRITE,
                                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
            if (mine == MAP_FAILED) return 0;
            for (i = 0; i < count; i++) mine[i] = (uint32_t)i;
            for (i = count / 2; i > 0; i--) sink(mine, i - 1, count);
            for (i = count - 1; i > 0; i--) {
                uint32_t top = mine[0];
                mine[0] = mine[i];
                mine[i] = top;
                sink(mine, 0, i);
            }
            if (!__atomic_compare_exchange_n(&order, &none, mine, 0, __ATOMIC_ACQ_REL,
                                             __ATOMIC_ACQUIRE)) munmap(mine, count * sizeof *mine);
        }
        __atomic_store_n(&is_known, 1, __ATOMIC_RELEASE);
    }
    *by = __atomic_load_n(&order, __ATOMIC_ACQUIRE);
    return count;
}

/* The last entry at or before `at`, if it is of the function that begins at
   `start`; or NULL. */
static const call *find(uintptr_t at, uintptr_t start) {
    uint32_t *by = NULL;
    size_t low = 0, high = calls_in_order(&by);
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (code_of(entry(by, middle)) <= at) low = middle + 1;
        else high = middle;
    }
    if (low == 0 || code_of(entry(by, low - 1)) < start) return NULL;
    return entry(by, low - 1);
}

#endif
