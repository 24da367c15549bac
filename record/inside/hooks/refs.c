/* refs.c - records every load and store of a program, for `bursty-lab streams`,
   `pairs` and `methods`.

   Compile the program with gcc -fsanitize=thread -fsanitize-coverage=trace-pc,
   and link it without
   -fsanitize=thread but with this file. gcc then calls our functions below where it would have
   called its library's:

       gcc -g -O1 -fsanitize=thread -fsanitize-coverage=trace-pc -c *.c
       gcc -O2 -c record/inside/hooks/refs.c && gcc *.o -o prog
       BURSTY_REFS=run ./prog

   writes run.refs (events), run.table (a row of pc and address for each
   different reference), run.pairs (a row of caller and callee for each pair of
   functions), run.loops (a row of function and head for each loop) and run.base (the address at which the program was loaded; symbols
   of addr2line are at pc - base). The format is in docs/formats.md.
   BURSTY_REFS_MAX ends the recording after so many references: 2000000000.

   Atomics are performed, not only seen. The stack of calls is kept by frame
   address, so that a longjmp, an exception or a tail call leaves no stale
   frames. Several threads are recorded one call at a time, each with a stack of
   its own; their references interleave.

   A basic block that begins below the one before it, in the same call, is a
   back-edge, and the head of a loop: gcc lays loops out that way. */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HOOK __attribute__((visibility("default")))

enum { STACK = 1 << 16, BUFFER = 1 << 16 };
#define CALL UINT32_C(0x80000000)
#define BACKEDGE UINT32_C(0xC0000000)
#define RETURN UINT32_C(0xE0000000)

typedef struct pair_table {
    uint64_t *rows;
    uint32_t *slots;
    uint64_t slot_count;
    uint32_t count, room;
    FILE *file;
} pair_table;
typedef struct frame {
    uintptr_t address, function, block;
} frame;

static FILE *events;
static pair_table references, pairs, loops;
static uint32_t buffer[BUFFER], used;
static uint64_t recorded, most = 2000000000;
static int off = 1, lock;
static __thread frame *stack;
static __thread uint32_t depth;
static __thread int busy;

/* ---- tables: rows of two words, numbered as they come ---- */

static void *allocate(void *old, size_t bytes) {
    void *memory = realloc(old, bytes);
    if (!memory) {
        fputs("bursty: out of memory while recording\n", stderr);
        _Exit(1);
    }
    return memory;
}

static uint64_t place_of(const pair_table *t, uint64_t a, uint64_t b) {
    uint64_t at = (a * UINT64_C(0x9E3779B97F4A7C15) ^ b) * UINT64_C(0xD6E8FEB86659FD93);
    for (at = at >> 20 & (t->slot_count - 1); t->slots[at]; at = (at + 1) & (t->slot_count - 1)) {
        const uint64_t *row = t->rows + 2 * (size_t)(t->slots[at] - 1);
        if (row[0] == a && row[1] == b) break;
    }
    return at;
}

static void put_word(FILE *file, uint64_t value, int bytes) {
    for (; bytes > 0; bytes--, value >>= 8) putc((int)(value & 255), file);
}

static uint32_t number_of(pair_table *t, uint64_t a, uint64_t b) {
    uint64_t at;
    uint32_t i;
    if (2 * (uint64_t)t->count >= t->slot_count) {
        t->slot_count = t->slot_count ? 2 * t->slot_count : 1 << 16;
        free(t->slots);
        t->slots = (uint32_t *)allocate(NULL, t->slot_count * sizeof *t->slots);
        memset(t->slots, 0, t->slot_count * sizeof *t->slots);
        for (i = 0; i < t->count; i++)
            t->slots[place_of(t, t->rows[2 * (size_t)i], t->rows[2 * (size_t)i + 1])] = i + 1;
    }
    at = place_of(t, a, b);
    if (t->slots[at]) return t->slots[at] - 1;
    if (t->count == t->room) {
        t->room = 2 * t->room + 1024;
        t->rows = (uint64_t *)allocate(t->rows, (size_t)t->room * 2 * sizeof *t->rows);
    }
    t->rows[2 * (size_t)t->count] = a;
    t->rows[2 * (size_t)t->count + 1] = b;
    put_word(t->file, a, 8);
    put_word(t->file, b, 8);
    t->slots[at] = ++t->count;
    return t->count - 1;
}

/* ---- events ---- */

static void flush(void) {
    uint32_t i;
    for (i = 0; i < used; i++) put_word(events, buffer[i], 4);
    used = 0;
}

static void put(uint32_t event) {
    if (used == BUFFER) flush();
    buffer[used++] = event;
}

/* One thread at a time, and not from within ourselves. Returns 0 if nothing is
   to be recorded. */
static int begin(void) {
    if (off || busy) return 0;
    busy = 1;
    while (__atomic_exchange_n(&lock, 1, __ATOMIC_ACQUIRE)) {
    }
    if (off) { /* another thread made the last reference meanwhile */
        __atomic_store_n(&lock, 0, __ATOMIC_RELEASE);
        busy = 0;
        return 0;
    }
    if (!stack) stack = (frame *)allocate(NULL, STACK * sizeof *stack);
    return 1;
}

static void end(void) {
    __atomic_store_n(&lock, 0, __ATOMIC_RELEASE);
    busy = 0;
}

/* Frames below this address are gone: by a return, a longjmp or an exception.
   The stack grows down. */
static void unwind(uintptr_t address) {
    while (depth && stack[depth - 1].address < address) {
        depth--;
        put(RETURN);
    }
}

static void reference(const void *address, uintptr_t pc) {
    if (!begin()) return;
    put(number_of(&references, pc, (uintptr_t)address));
    if (++recorded == most) off = 1;
    end();
}

static void enter(uintptr_t function, uintptr_t address) {
    if (!begin()) return;
    unwind(address + 1); /* the same frame again: a tail call */
    put(CALL | number_of(&pairs, depth ? stack[depth - 1].function : 0, function));
    if (depth < STACK) {
        stack[depth].address = address;
        stack[depth].function = function;
        stack[depth++].block = 0;
    }
    end();
}

static void leave(uintptr_t address) {
    if (!begin()) return;
    unwind(address + 1);
    end();
}

/* ---- start and end ---- */

static FILE *open_part(const char *path, const char *part) {
    char name[4096];
    FILE *file;
    snprintf(name, sizeof name, "%s.%s", path, part);
    file = fopen(name, "wb");
    if (!file) {
        perror(name);
        _Exit(1);
    }
    return file;
}

static void close_all(void) {
    int failed;
    off = 1;
    flush();
    failed = fclose(events) | fclose(references.file) | fclose(pairs.file) | fclose(loops.file);
    if (failed) fputs("bursty: the recording could not be written\n", stderr);
}

extern char __executable_start[];

HOOK void __tsan_init(void) {
    static int done;
    const char *path = getenv("BURSTY_REFS"), *limit = getenv("BURSTY_REFS_MAX");
    FILE *base;
    if (done) return;
    done = 1;
    if (!path) return;
    if (limit) most = strtoull(limit, NULL, 10);
    events = open_part(path, "refs");
    references.file = open_part(path, "table");
    pairs.file = open_part(path, "pairs");
    loops.file = open_part(path, "loops");
    base = open_part(path, "base");
    fprintf(base, "%llx\n", (unsigned long long)(uintptr_t)__executable_start);
    fclose(base);
    atexit(close_all);
    off = most == 0;
}

/* ---- what gcc calls ---- */

#define PC() ((uintptr_t)__builtin_return_address(0))
#define FRAME() ((uintptr_t)__builtin_frame_address(0))

/* The caller's frame: where ours ends. A function has one frame address for all
   its hooks as long as it keeps a frame pointer or calls us from one depth,
   which gcc does. */
HOOK void __tsan_func_entry(void *caller) {
    (void)caller;
    enter(PC(), FRAME());
}
HOOK void __tsan_func_exit(void) { leave(FRAME()); }

HOOK void __sanitizer_cov_trace_pc(void) {
    uintptr_t pc = PC();
    if (off || busy || !stack || !depth) return;
    if (pc <= stack[depth - 1].block && begin()) {
        put(BACKEDGE | number_of(&loops, stack[depth - 1].function, pc));
        end();
    }
    stack[depth - 1].block = pc;
}

#define ACCESS(name_) \
    HOOK void name_(void *address) { reference(address, PC()); }
#define ACCESSES(size_) \
    ACCESS(__tsan_read##size_) \
    ACCESS(__tsan_write##size_) \
    ACCESS(__tsan_unaligned_read##size_) \
    ACCESS(__tsan_unaligned_write##size_) \
    ACCESS(__tsan_volatile_read##size_) \
    ACCESS(__tsan_volatile_write##size_) \
    ACCESS(__tsan_unaligned_volatile_read##size_) \
    ACCESS(__tsan_unaligned_volatile_write##size_)
ACCESSES(1)
ACCESSES(2)
ACCESSES(4)
ACCESSES(8)
ACCESSES(16)

HOOK void __tsan_vptr_update(void **object, void *value) {
    (void)value;
    reference(object, PC());
}
HOOK void __tsan_vptr_read(void **object) { reference(object, PC()); }
HOOK void __tsan_read_range(void *address, unsigned long size) {
    if (size) {
        reference(address, PC());
    }
}
HOOK void __tsan_write_range(void *address, unsigned long size) {
    if (size) {
        reference(address, PC());
    }
}

/* ---- atomics: performed, in the strongest order, which any program allows ---- */

#define SEQ __ATOMIC_SEQ_CST
#define ATOMICS(bits_, type_) \
    HOOK type_ __tsan_atomic##bits_##_load(const volatile type_ *a, int order) { \
        (void)order; \
        reference((const void *)(uintptr_t)a, PC()); \
        return __atomic_load_n(a, SEQ); \
    } \
    HOOK void __tsan_atomic##bits_##_store(volatile type_ *a, type_ v, int order) { \
        (void)order; \
        reference((const void *)(uintptr_t)a, PC()); \
        __atomic_store_n(a, v, SEQ); \
    } \
    HOOK int __tsan_atomic##bits_##_compare_exchange_strong(volatile type_ *a, type_ *c, type_ v, \
                                                            int order, int fail) { \
        (void)order; \
        (void)fail; \
        reference((const void *)(uintptr_t)a, PC()); \
        return __atomic_compare_exchange_n(a, c, v, 0, SEQ, SEQ); \
    } \
    HOOK int __tsan_atomic##bits_##_compare_exchange_weak(volatile type_ *a, type_ *c, type_ v, \
                                                          int order, int fail) { \
        (void)order; \
        (void)fail; \
        reference((const void *)(uintptr_t)a, PC()); \
        return __atomic_compare_exchange_n(a, c, v, 1, SEQ, SEQ); \
    } \
    CHANGE(bits_, type_, exchange, __atomic_exchange_n) \
    CHANGE(bits_, type_, fetch_add, __atomic_fetch_add) \
    CHANGE(bits_, type_, fetch_sub, __atomic_fetch_sub) \
    CHANGE(bits_, type_, fetch_and, __atomic_fetch_and) \
    CHANGE(bits_, type_, fetch_or, __atomic_fetch_or) \
    CHANGE(bits_, type_, fetch_xor, __atomic_fetch_xor) \
    CHANGE(bits_, type_, fetch_nand, __atomic_fetch_nand)
#define CHANGE(bits_, type_, name_, perform_) \
    HOOK type_ __tsan_atomic##bits_##_##name_(volatile type_ *a, type_ v, int order) { \
        (void)order; \
        reference((const void *)(uintptr_t)a, PC()); \
        return perform_(a, v, SEQ); \
    }
ATOMICS(8, uint8_t)
ATOMICS(16, uint16_t)
ATOMICS(32, uint32_t)
ATOMICS(64, uint64_t)
HOOK void __tsan_atomic_thread_fence(int order) {
    (void)order;
    __atomic_thread_fence(SEQ);
}
HOOK void __tsan_atomic_signal_fence(int order) {
    (void)order;
    __atomic_signal_fence(SEQ);
}
