/* ticks.h - v0.2.0 - where the time goes, by a timer's ticks - MIT, text at end of file

   example:
       #ifndef _GNU_SOURCE
       #define _GNU_SOURCE
       #endif
       #define BURSTY_IMPLEMENTATION
       #define BURSTY_STDIO
       #include "bursty.h"
       #define TICKS_IMPLEMENTATION
       #define TICKS_TIMERS
       #include "ticks.h"
       static double work(int n) {
           double sum = 0;
           int i;
           BURST_SCOPE("work");
           for (i = 0; i < n; i++) { sum += 1.0 / (i + 1); }
           BURST_LEAVE();
           return sum;
       }
       int main(void) {
           ticks_start(NULL);
           return !(work(20000000) > 1) || bursty_save("work.brst") != 0;
       }
   end of example.

   bursty.h counts how often things happen. This header says how long they take, without a clock on
   any path of the program: a timer interrupts each thread now and then, and the tick is charged to
   the innermost scope (BURST_SCOPE) of that thread and to the scopes around it.

   STEP BY STEP
   1. Include bursty.h and then this header. In the file that defines BURSTY_IMPLEMENTATION define
      TICKS_IMPLEMENTATION, too: a tick looks into bursty.h's state of the thread.
   2. Call ticks_start in the place of bursty_start. Both have the same defaults.
   3. Let something tick. On Linux define TICKS_TIMERS where the implementation is: then each thread
      gets a timer of its own, which ticks after each 10 ms of the thread's CPU time. Elsewhere call
      bursty_tick(1) from a timer's signal handler, from the SysTick interrupt, or from the thread
      itself, for example once a frame.
   4. bursty_save writes the ticks, too. `bursty report` begins with them: self is the time in a
      scope without the scopes in it, total is the time with them, each with its 95 % interval.

   PROMISES
     - bursty_tick takes no lock and no memory and calls nothing; it may interrupt any instruction
       of the program and of bursty.h. It changes no row of bursty.h.
     - A tick that cannot be charged is counted: lost (a thread that bursty.h does not know yet),
       cut (the table was full: charged to the innermost scope that has a row), late (more than 100
       ticks at once, as after a blocked signal, count as 100). So is a thread without a timer.
     - Interrupted system calls go on: the timer runs with CPU time, so it does not tick while a
       thread waits, and the handler is installed with SA_RESTART. It keeps errno.

   THREADS
     Threads that bursty.h registers get a timer and lose it in bursty_thread_end. A forked child
     has no timers; bursty_forked starts one for its thread and sets the ticks to zero. exec removes
     them. A shared object calls ticks_stop before it is closed. After longjmp the depth must be set
     (bursty.h, THREADS). Else ticks go to scopes that the jump has left, until an outer one
     returns.

   OPTIONS where TICKS_IMPLEMENTATION is defined:
     TICKS_TIMERS          Linux: starts the timers. Define _GNU_SOURCE before the first include.
     TICKS_MEMORY=bytes    the size of the static memory: 32768, for some 600 paths of scopes
     TICKS_THREADS=n       the most threads that have a timer: 256. Others are counted: untimed
   OPTIONS in every file:
     TICKS_STATIC          makes everything static, for a single file
     BURSTY_OFF            everything becomes nothing, as in bursty.h

   COST
     On a path of the program: nothing. A tick takes 70 + 50 * depth instructions besides the
     interrupt itself, some 40 us in a virtual machine: about 0.3 % at the default rate
     (docs/ticks.md).
     On a Cortex-M3: 584 bytes of flash for bursty_tick, 2 kB in all; 72 bytes of RAM and
     TICKS_MEMORY, where a path takes 32 to 40.
     Time in a function without a scope is charged to the scope around it. So is the time in which
     a function begins and ends, before its scope is on the stack and after: small functions come
     out too small, and their callers too large. With TICKS_TIMERS in optimised code for x86-64 the
     tick reads the code that it interrupted, and finds the function's own scope. That takes some
     4200 instructions, a microsecond. */

#ifndef TICKS_H
#define TICKS_H
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__) || defined(__clang__) || defined(__TINYC__)
#define TICKS_P_UNUSED __attribute__((unused))
#else
#define TICKS_P_UNUSED
#endif

#if defined(BURSTY_OFF)
#define TICKS_API TICKS_P_UNUSED static inline
#define TICKS_P_OFF(...) { __VA_ARGS__; }
#elif defined(TICKS_STATIC)
#define TICKS_API TICKS_P_UNUSED static
#elif (defined(__GNUC__) || defined(__clang__)) && !defined(_WIN32)
#define TICKS_API extern __attribute__((visibility("hidden")))
#else
#define TICKS_API extern
#endif
#ifndef BURSTY_OFF
#define TICKS_P_OFF(...) ;
#endif

#ifdef __cplusplus
extern "C" {
#endif

#if defined(BURSTY_H) && (!defined(BURSTY_TINY) || defined(BURSTY_OFF))

/* ---- types ---------------------------------------------------------------------------------- */

typedef struct ticks_config {
    const bursty_config *bursty; /* for bursty_start; NULL: its defaults                        */
    void *memory;                /* NULL: TICKS_MEMORY bytes of static memory                   */
    size_t memory_bytes;
    uint32_t period_us;          /* CPU time of a thread between two ticks: 10000               */
    int signal;                  /* 0: SIGPROF, which nobody else may use                       */
    uint32_t fold;               /* n > 0 folds recursion: a scope that is the running one or
                                    one of its n - 1 nearest callers goes back there            */
} ticks_config;

typedef struct ticks_stats {
    uint64_t ticks;   /* charged to scopes                                                      */
    uint64_t slow;    /* of these, ticks inside bursty.h's recording                            */
    uint64_t lost;    /* on threads that bursty.h does not know                                 */
    uint64_t cut;     /* charged to a scope further out: enlarge TICKS_MEMORY                   */
    uint64_t late;    /* left out, of more than 100 at once                                     */
    uint64_t untimed; /* threads without a timer: more than TICKS_THREADS, or the system has no
                         more. Their time is in no tick                                         */
    uint32_t paths;   /* rows of the table in use                                               */
    uint32_t room;    /* rows of the table                                                      */
} ticks_stats;

/* ---- functions ------------------------------------------------------------------------------ */

/* Calls bursty_start and gets ready for ticks; config may be NULL. on_thread and more of
   config->bursty are called as well. A second call begins again: the ticks of before are gone. Stop
   all other threads before it.
   Returns 0; or -1 if bursty_start refuses, if memory is too small, or, with TICKS_TIMERS, if the
   signal is in use or there are no such timers. After -1 bursty.h may be running, without ticks. */
TICKS_API int ticks_start(const ticks_config *config) TICKS_P_OFF(return (void)config, 0)

/* Ends the timers of all threads and gives the signal back; nothing is charged any more. What was
   charged stays for ticks_write. Call it before dlclose takes this code away, when no other thread
   can be in the middle of a tick. */
TICKS_API void ticks_stop(void) TICKS_P_OFF((void)0)

/* Leaves out the time from now on, such as a loading screen (1), or goes on (0); the timers of all
   threads stay. What was charged before stays, too. ticks_start begins with 0. Not while another
   thread is in ticks_start or ticks_stop. */
TICKS_API void ticks_pause(int is_paused) TICKS_P_OFF((void)is_paused)

/* n ticks have passed on this thread: charges them to its innermost scope. One caller for each
   thread, such as its timer's handler. */
TICKS_API void bursty_tick(uint32_t n) TICKS_P_OFF((void)n)

/* Sums over all threads. */
TICKS_API void ticks_get_stats(ticks_stats *out)
    TICKS_P_OFF(const ticks_stats none = { 0, 0, 0, 0, 0, 0, 0, 0 }; *out = none)

/* Writes the ticks as a part of a dump (docs/formats.md); bursty_write does it.
   Returns 0, or -1 if write failed. */
TICKS_API int ticks_write(bursty_write_fn write, void *user)
    TICKS_P_OFF(return (void)write, (void)user, 0)

#endif

#ifdef __cplusplus
}
#endif
#endif /* TICKS_H */

/* ---- implementation ------------------------------------------------------------------------- */

#if defined(TICKS_IMPLEMENTATION) && !defined(TICKS_IMPLEMENTED)
#define TICKS_IMPLEMENTED

#if defined(BURSTY_H) && !defined(BURSTY_OFF) && !defined(BURSTY_TINY)

#if defined(CALLPATHS_IMPLEMENTED) && !defined(CALLPATHS_P_WITH_TICKS)
#error "ticks.h is included before callpaths.h: contexts by time need both"
#endif
#ifndef BURSTY_IMPLEMENTED
#error "TICKS_IMPLEMENTATION belongs into the file with BURSTY_IMPLEMENTATION, behind its include"
#endif
#if defined(__cplusplus) && defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wold-style-cast"
#endif

#ifdef TICKS_TIMERS
#ifndef __linux__
#error "TICKS_TIMERS is for Linux; elsewhere call bursty_tick yourself"
#endif
#include <errno.h>
#include <link.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#if !defined(SA_RESTART) || (defined(__GLIBC__) && !defined(__USE_MISC))
#error "TICKS_TIMERS wants _GNU_SOURCE, defined before the first include of the file"
#endif
#endif

#ifndef TICKS_MEMORY
#define TICKS_MEMORY 32768
#endif
#ifndef TICKS_THREADS
#define TICKS_THREADS 256
#endif

/* ---- pieces that the headers share ---------------------------------------------------------- */

/* [shared: sat_add] */
static uint64_t ticks_p_sat_add(uint64_t a, uint64_t b) {
    return a + b < a ? UINT64_MAX : a + b;
}
/* [end shared] */

/* [shared: crc32] CRC-32 (IEEE 802.3, reflected), four bits at a time. */
static uint32_t ticks_p_crc32(uint32_t crc, const unsigned char *data, size_t size) {
    static const uint32_t nibble[16] = {
        0x00000000, 0x1DB71064, 0x3B6E20C8, 0x26D930AC,
        0x76DC4190, 0x6B6B51F4, 0x4DB26158, 0x5005713C,
        0xEDB88320, 0xF00F9344, 0xD6D6A3E8, 0xCB61B38C,
        0x9B64C2B0, 0x86D3D2D4, 0xA00AE278, 0xBDBDF21C
    };
    crc = ~crc;
    while (size--) {
        crc = nibble[(crc ^ *data) & 15] ^ crc >> 4;
        crc = nibble[(crc ^ (uint32_t)*data++ >> 4) & 15] ^ crc >> 4;
    }
    return ~crc;
}
/* [end shared] */

/* [shared: put] Writes a part of a .brst file (docs/formats.md): header, chunks, end. */
typedef struct ticks_p_out {
    int (*write)(void *user, const void *data, size_t size);
    void *user;
    int error; /* the first result of write that was not 0; nothing is written after it */
    uint32_t crc;
    uint64_t total;
    size_t used;
    unsigned char chunk[2 + 256 + 4];
} ticks_p_out;

static void ticks_p_little(unsigned char *at, uint64_t value, int bytes) {
    for (; bytes-- > 0; value >>= 8) *at++ = (unsigned char)(value & 255);
}

/* Writes chunk[0..size) and its checksum. */
static void ticks_p_put_block(ticks_p_out *out, size_t size) {
    out->crc = ticks_p_crc32(out->crc, out->chunk, size);
    ticks_p_little(out->chunk + size, out->crc, 4);
    if (!out->error) out->error = out->write(out->user, out->chunk, size + 4);
    out->used = 0;
}

static void ticks_p_put_flush(ticks_p_out *out) {
    if (out->used == 0) return;
    out->total += out->used;
    ticks_p_little(out->chunk, out->used, 2);
    ticks_p_put_block(out, 2 + out->used);
}

static void ticks_p_put(ticks_p_out *out, const void *data, size_t size) {
    const unsigned char *byte = (const unsigned char *)data;
    while (size--) {
        out->chunk[2 + out->used++] = *byte++;
        if (out->used == 256) ticks_p_put_flush(out);
    }
}

static void ticks_p_put_varint(ticks_p_out *out, uint64_t value) {
    unsigned char byte;
    do {
        byte = (unsigned char)((value & 127) | (value > 127 ? 128 : 0));
        ticks_p_put(out, &byte, 1);
        value >>= 7;
    } while (value);
}

static void ticks_p_put_begin(ticks_p_out *out, uint32_t kind,
                               int (*write)(void *user, const void *data, size_t size),
                               void *user) {
    out->write = write;
    out->user = user;
    out->error = 0;
    out->crc = 0;
    out->total = 0;
    ticks_p_little(out->chunk, UINT32_C(0x54535242), 4); /* "BRST" */
    ticks_p_little(out->chunk + 4, 1, 2);
    ticks_p_little(out->chunk + 6, kind, 2);
    ticks_p_little(out->chunk + 8, 0, 4);
    ticks_p_put_block(out, 12);
}

static int ticks_p_put_end(ticks_p_out *out) {
    ticks_p_put_flush(out);
    ticks_p_little(out->chunk, 0, 2);
    ticks_p_little(out->chunk + 2, out->total, 8);
    ticks_p_put_block(out, 10);
    return out->error;
}
/* [end shared] */

/* ---- the tree of paths ---------------------------------------------------------------------- */

/* row 1 | main          row 2 | main > update     row 3 | main > update > collide     row 4 | ...
           parent 0              parent 1                  parent 2

   A row is one path of scopes on one thread: key (site, parent, thread). Rows are found by open
   addressing and claimed by compare-and-swap, as in bursty.h's hot table: index holds a row's
   number, or 0. Invariant: a row is written by its thread alone, its parent has a smaller number,
   and a row in the index never moves. So a handler never waits, wherever it interrupts. */

#ifdef BURSTY_NO_TLS
#define TICKS_P_GET(p) (*(p))
#define TICKS_P_PUT(p, v) ((void)(*(p) = (v)))
#define TICKS_P_FENCE() ((void)0)
static int ticks_p_cas(uint32_t *p, uint32_t old, uint32_t v) {
    if (*p != old) return 0;
    *p = v;
    return 1;
}
#else
#define TICKS_P_GET(p) __atomic_load_n(p, __ATOMIC_ACQUIRE)
#define TICKS_P_PUT(p, v) __atomic_store_n(p, v, __ATOMIC_RELEASE)
#define TICKS_P_FENCE() __atomic_signal_fence(__ATOMIC_SEQ_CST)
static int ticks_p_cas(uint32_t *p, uint32_t old, uint32_t v) {
    return __atomic_compare_exchange_n(p, &old, v, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}
#endif

/* Counts are 64-bit where such a load is atomic. Elsewhere they are 32-bit, and saturate: that is
   more than a year of ticks. */
#if UINTPTR_MAX > UINT32_MAX
typedef uint64_t ticks_p_count;
#define TICKS_P_MOST UINT64_MAX
#else
typedef uint32_t ticks_p_count;
#define TICKS_P_MOST UINT32_MAX
#endif

enum { TICKS_P_COUNT, TICKS_P_SLOW, TICKS_P_SQUARES, TICKS_P_SUMS };

typedef struct ticks_p_row {
    const bursty_site *site;
    ticks_p_count sum[TICKS_P_SUMS]; /* count, of these in the slow path, sum of squares of n */
    uint32_t parent, thread;         /* parent: a row's number, or 0                          */
    uint32_t order;                  /* scratch of ticks_write                                */
} ticks_p_row;

static const bursty_site ticks_p_outside = { "(outside)", "", 0, BURSTY_CALL | BURSTY_FRAME };
static const bursty_site ticks_p_deep = { "(deep)", "", 0, BURSTY_CALL | BURSTY_FRAME };

static struct {
    uint32_t on; /* 0: no tick is charged */
    ticks_p_row *rows;
    uint32_t *index;
    uint32_t row_room, row_count, index_mask, threads, period_us;
    ticks_p_count lost, cut, late, untimed;
    uint32_t fold;
    const char *program;
    uint64_t clock_hz;
    void (*on_thread)(int what); /* the user's */
    int (*more)(bursty_write_fn write, void *user);
} ticks_p_all;

#if TICKS_MEMORY > 0
static uint64_t ticks_p_memory[(TICKS_MEMORY + 7) / 8];
#endif

/* For a count with one writer. */
static void ticks_p_add(ticks_p_count *c, uint64_t v) {
    uint64_t sum = ticks_p_sat_add(TICKS_P_GET(c), v);
    TICKS_P_PUT(c, (ticks_p_count)(sum > TICKS_P_MOST ? TICKS_P_MOST : sum));
}

/* For a count with several. */
static void ticks_p_add_shared(ticks_p_count *c, uint32_t v) {
#ifdef BURSTY_NO_TLS
    ticks_p_add(c, v);
#else
    (void)__atomic_fetch_add(c, v, __ATOMIC_RELAXED);
#endif
}

static uint32_t ticks_p_claim(void) {
    uint32_t count;
    do {
        count = TICKS_P_GET(&ticks_p_all.row_count);
        if (count >= ticks_p_all.row_room) return 0;
    } while (!ticks_p_cas(&ticks_p_all.row_count, count, count + 1));
    return count + 1;
}

/* The number of the row (site, parent, thread), made at first sight; 0 if the table is full. */
static uint32_t ticks_p_child(const bursty_site *site, uint32_t parent, uint32_t thread) {
    uint32_t h = (uint32_t)((uintptr_t)site >> 3) * UINT32_C(0x9E3779B1), fresh = 0, number;
    h = (h ^ h >> 15 ^ parent) * UINT32_C(0x85EBCA6B);
    h = (h ^ h >> 13 ^ thread) * UINT32_C(0xC2B2AE35);
    for (h ^= h >> 16;; h++) {
        uint32_t *slot = &ticks_p_all.index[h & ticks_p_all.index_mask];
        const ticks_p_row *row;
        number = TICKS_P_GET(slot);
        if (number == 0) {
            if (!fresh) {
                ticks_p_row *made;
                fresh = ticks_p_claim();
                if (!fresh) return 0;
                made = &ticks_p_all.rows[fresh - 1];
                made->parent = parent;
                made->thread = thread;
                TICKS_P_PUT(&made->site, site);
            }
            if (ticks_p_cas(slot, 0, fresh)) return fresh;
            number = TICKS_P_GET(slot);
        }
        row = &ticks_p_all.rows[number - 1];
        if (row->site == site && row->parent == parent && row->thread == thread) return number;
    }
}

#if BURSTY_STACK > 0
/* The row that a scope below row goes back to, as recursion is folded; 0: none. */
static uint32_t ticks_p_folds(const bursty_site *site, uint32_t row) {
    uint32_t k;
    for (k = 0; k < ticks_p_all.fold && row; k++) {
        if (ticks_p_all.rows[row - 1].site == site) return row;
        row = ticks_p_all.rows[row - 1].parent;
    }
    return 0;
}
#endif

/* The program may be in the middle of changing its stack of scopes; it writes the stack before the
   depth. The slow path of bursty.h runs while the word is a large number (its BUSY). `inner`, if it
   is not NULL, is a scope whose function is running, but which is not on the stack. */
static void ticks_p_charge(uint32_t n, const bursty_site *inner) {
    volatile uint32_t *word = &BURSTY_P_HERE.n, *place = &BURSTY_P_HERE.depth;
    uint32_t busy = *word, depth = *place, thread, row = 0, next = 0;
#if BURSTY_STACK > 0
    uint32_t i;
#endif
    const bursty_p_thread *record;
    if (TICKS_P_GET(&ticks_p_all.on) != 1) return;
    record = bursty_p_registered();
    thread = record ? record->number + 1 : 0;
    if (thread == 0 || n == 0) {
        ticks_p_add_shared(&ticks_p_all.lost, n);
        return;
    }
    if (depth == 0) row = next = ticks_p_child(&ticks_p_outside, 0, thread);
#if BURSTY_STACK > 0
    for (i = 0; i < depth && i < BURSTY_STACK; i++) {
        const bursty_site *volatile *at = &BURSTY_P_HERE.stack[i];
        const bursty_site *site = *at;
        next = ticks_p_folds(site, row);
        if (!next) next = ticks_p_child(site, row, thread);
        if (!next) break;
        row = next;
    }
    if (inner && depth < BURSTY_STACK && next) {
        uint32_t outer = depth ? row : 0;
        next = ticks_p_folds(inner, outer);
        if (!next) next = ticks_p_child(inner, outer, thread);
        if (next) row = next;
    }
    depth = depth > BURSTY_STACK && next;
#else
    (void)inner;
#endif
    if (depth && next == row) next = ticks_p_child(&ticks_p_deep, row, thread);
    if (next) row = next;
    if (!next) ticks_p_add_shared(row ? &ticks_p_all.cut : &ticks_p_all.lost, n);
    if (!row) return;
    ticks_p_add(&ticks_p_all.rows[row - 1].sum[TICKS_P_COUNT], n);
    ticks_p_add(&ticks_p_all.rows[row - 1].sum[TICKS_P_SQUARES], (uint64_t)n * n);
    if ((int32_t)busy < 0 || busy >> 29 == 0) return;
    ticks_p_add(&ticks_p_all.rows[row - 1].sum[TICKS_P_SLOW], n);
}

TICKS_API void bursty_tick(uint32_t n) {
    ticks_p_charge(n, NULL);
}

TICKS_API void ticks_pause(int is_paused) {
    if (TICKS_P_GET(&ticks_p_all.on)) TICKS_P_PUT(&ticks_p_all.on, is_paused ? 2 : 1);
}

/* ---- a scope's first and last instructions -------------------------------------------------- */

#if defined(TICKS_TIMERS) && defined(__x86_64__) && !defined(__ILP32__) && defined(_GNU_SOURCE) && \
    !defined(BURSTY_NO_TLS) && BURSTY_STACK > 0
#define TICKS_P_READS_CODE
#endif
#ifdef TICKS_P_READS_CODE
/* find_name:  push %rbp ...                          the function begins
               subl $1,%fs:n        js slow           the check
               lea  site(%rip),%rdi
               mov  %rdi,%fs:stack(,%rax,8)
               mov  %eax,%fs:depth                    from here on the scope is on the stack
               ...
               mov  %r14d,%fs:depth                   until here
               pop  %rbp ... ret                      the function ends

   Position-independent code has the address of n in a register: from %fs:0, from the table of
   offsets, or, in a shared object, from a call of __tls_get_addr, which the handler knows by its
   argument. So it keeps account of registers whose value is known.

   A tick in the first or the last of these instructions finds the scope around find_name on the
   stack, and yet find_name is running. So the handler reads the code. It knows where the function
   begins from the sorted table that unwinding has in each executable and shared object
   (.eh_frame_hdr). It follows the instructions from there to the store of the depth. On the way it
   takes no branch to the slow path and stops at each instruction that it does not know: a loop, a
   call, a condition. If it arrives, then every call of this function pushes the site that was
   stored. The tick is charged to it if the interrupted instruction was on the way, or if only known
   instructions stand between it and the function's return. In all other cases the tick goes to the
   scope on the stack. */
typedef struct ticks_p_walk {
    const unsigned char *at;  /* the next instruction                        */
    uintptr_t value[16];      /* of registers, where it is known, or 0       */
    uintptr_t site;           /* what was put on the stack of scopes         */
    int is_pushed, has_ended; /* the depth was stored; the function returned */
    uint32_t word, depth;     /* the registers that have it: bits            */
    int flags;                /* what they tell of                           */
    uintptr_t from;           /* where the function begins, on the way out   */
    int is_indirect;          /* a register addresses the depth              */
} ticks_p_walk;
enum { TICKS_P_NOTHING, TICKS_P_OF_WORD, TICKS_P_OF_DEPTH };

static struct {
    uintptr_t low, high;        /* this program, or shared object                       */
    uintptr_t start;            /* of the table                                         */
    const unsigned char *table; /* count pairs of 32-bit numbers: a function, something */
    uint32_t count;             /* 0: no table, nothing is known                        */
    uintptr_t module, offset;   /* where n is, for __tls_get_addr; 0: not known         */
} ticks_p_code;

static uint32_t ticks_p_word(const unsigned char *at) {
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static uintptr_t ticks_p_signed(uint32_t word) { return (uintptr_t)(intptr_t)(int32_t)word; }

/* What %fs: adds to an address. */
static uintptr_t ticks_p_fs(void) {
    uintptr_t base;
    __asm__("movq %%fs:0, %0" : "=r"(base));
    return base;
}

static int ticks_p_is_mine(uintptr_t at, size_t bytes) {
    return at >= ticks_p_code.low && at <= ticks_p_code.high - bytes;
}

/* A pointer in this object's data, as the table of offsets has them. */
static uintptr_t ticks_p_load(uintptr_t at) {
    uintptr_t value = 0;
    if (ticks_p_is_mine(at, sizeof value)) memcpy(&value, (const void *)at, sizeof value);
    return value;
}

/* Where a variable of the thread is. */
static uintptr_t ticks_p_address(const volatile void *variable) { return (uintptr_t)variable; }

/* How an instruction with a ModRM byte uses its operands. */
enum { TICKS_P_READS, TICKS_P_TO_REG, TICKS_P_TO_RM, TICKS_P_UNKNOWN };
static int ticks_p_kind(uint32_t code) {
    switch (code) {
    case 0x84: case 0x85: case 0x38: case 0x39: case 0x3A: case 0x3B: case 0x11E: case 0x11F:
    case 0x110: case 0x111: case 0x128: case 0x129: case 0x16E: case 0x16F: case 0x17F: case 0x157:
    case 0x1D6: case 0x1EF:
        return TICKS_P_READS;
    case 0x03: case 0x0B: case 0x23: case 0x2B: case 0x33: case 0x63: case 0x8B: case 0x8D:
    case 0x1B6: case 0x1B7: case 0x1BE: case 0x1BF:
        return TICKS_P_TO_REG;
    case 0x01: case 0x09: case 0x21: case 0x29: case 0x31: case 0x80: case 0x81: case 0x83:
    case 0x88: case 0x89: case 0xC1: case 0xC6: case 0xC7: case 0xFF: case 0x17E:
        return TICKS_P_TO_RM;
    default:
        return TICKS_P_UNKNOWN;
    }
}

/* Which registers and flags tell of n and of the depth, behind this instruction. place: where the
   variable is that it uses, or 0. */
static void ticks_p_look(ticks_p_walk *w, uint32_t code, uint32_t reg, uint32_t rm, int in_register,
                         uintptr_t place) {
    int is_n = place == ticks_p_address(&BURSTY_P_HERE.n), kind = ticks_p_kind(code);
    int is_compare = (code == 0x81 || code == 0x83) && (reg & 7) == 7;
    uint32_t with = code == 0x83 ? w->at[-1] : code == 0x81 ? ticks_p_word(w->at - 4) : 0;
    uint32_t from = (uint32_t)in_register << (code == 0x89 ? reg : rm), to, word, depth;
    if (code == 0x89 || code == 0x8B || code == 0x8D || code == 0xC7 || code == 0x11F) {
        /* flags stay */
    } else if (is_compare && (w->depth & from) && with + 1 == (uint32_t)BURSTY_STACK) {
        w->flags = TICKS_P_OF_DEPTH;
    } else if ((w->word & from) && (code == 0x83 || (code == 0x85 && reg == rm))) {
        w->flags = TICKS_P_OF_WORD;
        return;
    } else if (kind == TICKS_P_TO_RM && is_n) {
        w->flags = TICKS_P_OF_WORD;
        return;
    } else {
        w->flags = TICKS_P_NOTHING;
    }
    if (is_compare || (kind != TICKS_P_TO_REG && (kind != TICKS_P_TO_RM || !in_register))) return;
    to = (uint32_t)1 << (kind == TICKS_P_TO_RM ? rm : reg);
    word = depth = 0;
    if (in_register && (code == 0x89 || code == 0x8B)) {
        word = w->word & from;
        depth = w->depth & from;
    } else if (code == 0x8D && !place && (rm & 7) != 4) {
        word = w->word >> rm & 1; /* n - 1 */
    } else if (code == 0x8B) {
        word = (uint32_t)is_n;
        depth = place == ticks_p_address(&BURSTY_P_HERE.depth);
    }
    w->word = (w->word & ~to) | (word ? to : 0);
    w->depth = (w->depth & ~to) | (depth ? to : 0);
}

/* What a register is set to, if that is known. place: of the memory that is used. */
static uintptr_t ticks_p_known(const ticks_p_walk *w, uint32_t code, uint32_t reg, int in_register,
                               uint32_t rm, uintptr_t place, int is_plain) {
    if (in_register) return code == 0x8B ? w->value[rm] : 0;
    if (!place || !is_plain) return 0;
    if (code == 0x8D) return place;
    if (code != 0x8B && code != 0x03) return 0;
    place = place == ticks_p_fs() ? place : ticks_p_load(place); /* there is its own address */
    if (!place || code == 0x8B) return place;
    return w->value[reg] ? w->value[reg] + place : 0;
}

/* What an instruction with its bytes behind it makes of a register, if that is known. */
static uintptr_t ticks_p_changed(const ticks_p_walk *w, uint32_t code, uint32_t reg, uint32_t rm) {
    uintptr_t by = ticks_p_signed(ticks_p_word(w->at - 4));
    if (code == 0x89) return w->value[reg];
    if ((code != 0x81 && code != 0x83) || !w->value[rm]) return 0;
    if (code == 0x83) by = (uintptr_t)(intptr_t)(int8_t)w->at[-1];
    return (reg & 7) == 7 ? w->value[rm] : (reg & 7) == 0 ? w->value[rm] + by : 0;
}

/* The rest of an instruction with a ModRM byte. */
static int ticks_p_modrm(ticks_p_walk *w, uint32_t code, uint32_t rex, int is_fs) {
    const unsigned char *at = w->at;
    uint32_t mod = *at >> 6, reg = (*at >> 3 & 7) | (rex & 4) << 1, rm = *at & 7;
    uint32_t index = 4, base = rm, disp = 0;
    uintptr_t place = 0, known;
    int kind = ticks_p_kind(code), wide = rex >> 3 & 1, has_base;
    if (kind == TICKS_P_UNKNOWN || (code == 0xFF && (reg & 7) > 1)) return 0;
    at++;
    if (mod != 3 && rm == 4) {
        index = (*at >> 3 & 7) | (rex & 2) << 2;
        base = *at++ & 7;
    }
    has_base = mod != 0 || base != 5;
    if (mod == 1) disp = (uint32_t)(int32_t)(int8_t)*at++;
    if (mod == 2 || !has_base) {
        disp = ticks_p_word(at);
        at += 4;
    }
    if (code == 0x80 || code == 0x83 || code == 0xC1 || code == 0xC6) at++;
    if (code == 0x81 || code == 0xC7) at += 4;
    w->at = at;
    known = has_base ? w->value[base | (rex & 1) << 3] : rm == 5 ? (uintptr_t)at : 0;
    if (known || !has_base) place = known + ticks_p_signed(disp) + (is_fs ? ticks_p_fs() : 0);
    if (mod == 3) place = 0;
    rm |= (rex & 1) << 3;
    ticks_p_look(w, code, reg, rm, mod == 3, index == 4 ? place : 0);
    known = wide ? ticks_p_known(w, code, reg, mod == 3, rm, place, index == 4) : 0;
    if (kind == TICKS_P_TO_REG) w->value[reg] = known;
    if (kind == TICKS_P_TO_RM && mod == 3)
        w->value[rm] = wide ? ticks_p_changed(w, code, reg, rm) : 0;
    if (mod == 3 || (code != 0x89 && code != 0xC7)) return 1;
    if (!place) return !w->is_indirect || wide; /* on the way out: perhaps the depth */
    if (index == 4 && place == ticks_p_address(&BURSTY_P_HERE.depth)) {
        w->is_pushed = 1;
        w->is_indirect = has_base;
    }
    if (index != 4 && wide && place == ticks_p_address(BURSTY_P_HERE.stack))
        w->site = code == 0x89 ? w->value[reg] : ticks_p_signed(ticks_p_word(at - 4));
    return 1;
}

/* A call of __tls_get_addr, of which n is behind code that is not known: the argument is a pair of
   words, the object's number and a place among its variables of a thread. Returns 0 at any other
   call. Calls with prefixes are such; without, the second word is 0. */
static int ticks_p_call(ticks_p_walk *w, int has_prefixes) {
    uintptr_t pair = w->value[7], place = ticks_p_load(pair + sizeof pair);
    uint32_t k;
    if (!ticks_p_is_mine(pair, 2 * sizeof pair) || !ticks_p_code.module) return 0;
    if (ticks_p_load(pair) != ticks_p_code.module || (place && !has_prefixes)) return 0;
    for (k = 0; k < 12; k++) {
        if (k >= 3 && k <= 5) continue; /* rbx, rsp, rbp */
        w->value[k] = 0;
        w->word &= ~((uint32_t)1 << k);
        w->depth &= ~((uint32_t)1 << k);
    }
    w->flags = TICKS_P_NOTHING;
    w->value[0] = ticks_p_address(&BURSTY_P_HERE.n) - ticks_p_code.offset + place;
    return 1;
}

/* Which way a conditional jump goes is known behind a comparison of the depth (above, below) and
   behind a look at n (the sign). On the way out that look may be behind us: a sign will do, if the
   jump is not one of a loop. */
static int ticks_p_may_jump(const ticks_p_walk *w, uint32_t code, uintptr_t to) {
    if (code < 0x78) return w->flags == TICKS_P_OF_DEPTH;
    if (w->flags == TICKS_P_OF_WORD) return 1;
    return w->from && (to > (uintptr_t)w->at || (code == 0x78 && to < w->from));
}

/* Goes on by one instruction. Returns 0 at one that it does not know. */
static int ticks_p_step(ticks_p_walk *w) {
    uint32_t rex = 0, code, is_short = 0;
    int is_fs = 0;
    for (; *w->at == 0x64 || *w->at == 0x66 || *w->at == 0xF2 || *w->at == 0xF3; w->at++) {
        is_fs |= *w->at == 0x64;
        is_short |= *w->at == 0x66;
    }
    if ((*w->at & 0xF0) == 0x40) rex = *w->at++;
    code = *w->at++;
    if (code == 0x0F) code = 0x100u | *w->at++;
    if (code >= 0x50 && code <= 0x5F) { /* push, pop */
        if (code >= 0x58) w->value[(code & 7) | (rex & 1) << 3] = 0;
    } else if (code >= 0xB8 && code <= 0xBF) { /* mov $, register */
        if (is_short || rex >> 3 & 1) return 0;
        w->value[(code & 7) | (rex & 1) << 3] = ticks_p_word(w->at);
        w->at += 4;
    } else if ((code >= 0x76 && code <= 0x79) || code == 0xEB) { /* be, a, s, ns; jmp */
        int8_t by = (int8_t)*w->at++;
        if (code != 0xEB && !ticks_p_may_jump(w, code, (uintptr_t)(w->at + by))) return 0;
        if (code == 0x76 || code == 0x79 || code == 0xEB) w->at += by;
    } else if ((code >= 0x186 && code <= 0x189) || code == 0xE9) {
        uintptr_t by = ticks_p_signed(ticks_p_word(w->at));
        if (code != 0xE9 && !ticks_p_may_jump(w, code - 0x110, (uintptr_t)w->at + 4 + by)) return 0;
        w->at += 4;
        if (code == 0x186 || code == 0x189 || code == 0xE9) w->at += (intptr_t)by;
    } else if (code == 0xE8 || (code == 0xFF && *w->at == 0x15)) {
        w->at += code == 0xE8 ? 4 : 5;
        return ticks_p_call(w, is_short && rex >> 3 & 1);
    } else if (code == 0xC3) {
        w->has_ended = 1;
    } else if (code == 0x05 && rex == 0x48) { /* add $, %rax */
        if (w->value[0]) w->value[0] += ticks_p_signed(ticks_p_word(w->at));
        w->at += 4;
        w->word &= ~UINT32_C(1);
        w->depth &= ~UINT32_C(1);
        w->flags = TICKS_P_NOTHING;
    } else if (code == 0x98) {
        w->value[0] = 0;
    } else if (code != 0xC9) { /* leave */
        if (is_short && (code == 0x81 || code == 0xC7)) return 0;
        return ticks_p_modrm(w, code, rex, is_fs);
    }
    return 1;
}

/* The beginning of the function that pc is in, or NULL. */
static const unsigned char *ticks_p_function(const unsigned char *pc) {
    uint32_t first = 0, behind = ticks_p_code.count;
    const unsigned char *entry;
    uintptr_t begin, about;
    while (behind - first > 1) {
        uint32_t middle = first + (behind - first) / 2;
        uintptr_t at = ticks_p_code.start + ticks_p_signed(ticks_p_word(
                                                ticks_p_code.table + (size_t)middle * 8));
        if (at <= (uintptr_t)pc) first = middle;
        else behind = middle;
    }
    entry = ticks_p_code.table + (size_t)first * 8;
    begin = ticks_p_code.start + ticks_p_signed(ticks_p_word(entry));
    about = ticks_p_code.start + ticks_p_signed(ticks_p_word(entry + 4));
    if (about < ticks_p_code.low || about > ticks_p_code.high - 16) return NULL;
    entry = (const unsigned char *)about; /* length, -, begin from here, bytes */
    if (about + 8 + ticks_p_signed(ticks_p_word(entry + 8)) != begin) return NULL;
    if ((uintptr_t)pc - begin >= ticks_p_word(entry + 12)) return NULL; /* code without an entry */
    return (const unsigned char *)begin;
}

static int ticks_p_is_code(const unsigned char *at) {
    return (uintptr_t)at >= ticks_p_code.low && (uintptr_t)at + 32 < ticks_p_code.high;
}

/* The scope of the function whose first or last instructions pc is in, or NULL. */
static const bursty_site *ticks_p_running(const unsigned char *pc) {
    enum { FIRST = 64, LAST = 24 };
    const bursty_site *site;
    ticks_p_walk begin, end;
    int i, is_first = 0;
    if (ticks_p_code.count == 0 || !ticks_p_is_code(pc)) return NULL;
    memset(&begin, 0, sizeof begin);
    begin.at = ticks_p_function(pc);
    if (!begin.at) return NULL;
    for (i = 0; !begin.is_pushed; i++) {
        if (i == FIRST || begin.has_ended || !ticks_p_is_code(begin.at)) return NULL;
        is_first |= begin.at == pc;
        if (!ticks_p_step(&begin)) return NULL;
    }
    site = (const bursty_site *)begin.site;
    if (begin.site < ticks_p_code.low || begin.site > ticks_p_code.high - sizeof *site) return NULL;
    if (is_first) return site;
    memset(&end, 0, sizeof end);
    end.at = pc;
    end.from = (uintptr_t)(const void *)ticks_p_function(pc);
    end.is_indirect = begin.is_indirect;
    for (i = 0; !end.has_ended; i++) {
        if (i == LAST || end.is_pushed || !ticks_p_is_code(end.at) || !ticks_p_step(&end))
            return NULL;
    }
    return site;
}

/* Finds the object that this code is in, and its table, if it has the usual form. */
static int ticks_p_find_code(struct dl_phdr_info *info, size_t size, void *user) {
    uintptr_t here = (uintptr_t)&ticks_p_code, low = UINTPTR_MAX, high = 0;
    const unsigned char *head = NULL;
    size_t head_bytes = 0;
    int i;
    (void)user;
    for (i = 0; i < (int)info->dlpi_phnum; i++) {
        uintptr_t at = (uintptr_t)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
        if (info->dlpi_phdr[i].p_type == PT_GNU_EH_FRAME) {
            head = (const unsigned char *)at;
            head_bytes = (size_t)info->dlpi_phdr[i].p_memsz;
        }
        if (info->dlpi_phdr[i].p_type != PT_LOAD) continue;
        if (at < low) low = at;
        if (at + info->dlpi_phdr[i].p_memsz > high) high = at + info->dlpi_phdr[i].p_memsz;
    }
    if (here < low || here >= high) return 0;
    if (!head || (uintptr_t)head < low || (uintptr_t)head > high) return 1;
    if (head_bytes < 12 || head_bytes > high - (uintptr_t)head) return 1;
    if (head[0] != 1 || head[2] != 3 || head[3] != 0x3B) return 1;
    if (ticks_p_word(head + 8) > (head_bytes - 12) / 8) return 1;
    ticks_p_code.low = low;
    ticks_p_code.high = high;
    ticks_p_code.start = (uintptr_t)head;
    ticks_p_code.table = head + 12;
    ticks_p_code.count = ticks_p_word(head + 8);
    ticks_p_code.module = 0;
    if (size < offsetof(struct dl_phdr_info, dlpi_tls_data) + sizeof(void *)) return 1;
    if (!info->dlpi_tls_data) return 1;
    ticks_p_code.module = info->dlpi_tls_modid;
    ticks_p_code.offset =
        ticks_p_address(&BURSTY_P_HERE.n) - (uintptr_t)info->dlpi_tls_data;
    return 1;
}
#endif

/* ---- timers --------------------------------------------------------------------------------- */

static void ticks_p_clear(void) {
    uint32_t i, k;
    for (i = 0; i < ticks_p_all.row_count; i++) {
        for (k = 0; k < TICKS_P_SUMS; k++) TICKS_P_PUT(&ticks_p_all.rows[i].sum[k], 0);
    }
    ticks_p_all.lost = ticks_p_all.cut = ticks_p_all.late = ticks_p_all.untimed = 0;
}

#ifdef TICKS_TIMERS
/* One timer for each thread, CLOCK_THREAD_CPUTIME_ID with SIGEV_THREAD_ID: it runs while the thread
   runs and interrupts that thread and no other. The system calls are made directly, since C
   libraries hide the field of the thread's id. */
typedef struct ticks_p_event {
    void *value;
    int signal, notify, thread;
    char rest[64 - sizeof(void *) - 3 * sizeof(int)];
} ticks_p_event;
typedef struct ticks_p_times {
    long interval_s, interval_ns, value_s, value_ns;
} ticks_p_times;
enum { TICKS_P_CPU = 3, TICKS_P_THREAD_ID = 4, TICKS_P_CAP = 100 };

static int ticks_p_signal; /* 0: no timer is started any more */
static int ticks_p_timers[TICKS_THREADS]; /* by number of the thread: 1 + the timer's id, or 0 */

static void ticks_p_handle(int number, siginfo_t *info, void *context) {
    int error = errno;
    uint32_t n = 1 + (uint32_t)(info->si_code == SI_TIMER ? info->si_overrun : 0);
    const bursty_site *inner = NULL;
    (void)number;
#ifdef TICKS_P_READS_CODE
    inner = ticks_p_running(
        (const unsigned char *)((const ucontext_t *)context)->uc_mcontext.gregs[REG_RIP]);
#else
    (void)context;
#endif
    if (n > TICKS_P_CAP) {
        ticks_p_add_shared(&ticks_p_all.late, n - TICKS_P_CAP);
        n = TICKS_P_CAP;
    }
    ticks_p_charge(n, inner);
    errno = error;
}

/* Whoever takes an entry out of the list deletes that timer. */
static void ticks_p_disarm(uint32_t number) {
    int timer = 0;
    if (number < TICKS_THREADS)
        timer = __atomic_exchange_n(&ticks_p_timers[number], 0, __ATOMIC_SEQ_CST);
    if (timer) (void)syscall(SYS_timer_delete, timer - 1);
}

/* The first tick comes at a random moment, so that threads and runs do not beat in step. ticks_stop
   on another thread forgets the signal first and then empties the list; here the timer gets into
   the list first. So one of the two deletes it before it can tick. */
static int ticks_p_arm(uint32_t number, int signal) {
    ticks_p_event event;
    ticks_p_times times;
    uint32_t thread = (uint32_t)syscall(SYS_gettid);
    uint32_t random = (thread ^ (uint32_t)(uintptr_t)&event >> 4) * UINT32_C(0x9E3779B1), first;
    int timer;
    ticks_p_disarm(number);
    if (number >= TICKS_THREADS) return -1;
    memset(&event, 0, sizeof event);
    event.signal = signal;
    event.notify = TICKS_P_THREAD_ID;
    event.thread = (int)thread;
    if (syscall(SYS_timer_create, TICKS_P_CPU, &event, &timer) != 0) return -1;
    __atomic_store_n(&ticks_p_timers[number], timer + 1, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&ticks_p_signal, __ATOMIC_SEQ_CST) != signal) {
        ticks_p_disarm(number);
        return 0;
    }
    first = 1 + (uint32_t)((uint64_t)random * ticks_p_all.period_us >> 32);
    times.interval_s = (long)(ticks_p_all.period_us / 1000000);
    times.interval_ns = (long)(ticks_p_all.period_us % 1000000 * 1000);
    times.value_s = (long)(first / 1000000);
    times.value_ns = (long)(first % 1000000 * 1000);
    if (syscall(SYS_timer_settime, timer, 0, &times, (void *)0) == 0) return 0;
    return __atomic_load_n(&ticks_p_signal, __ATOMIC_SEQ_CST) == signal ? -1 : 0;
}

static int ticks_p_install(int number) {
    struct sigaction action, old;
    if (number == 0) number = SIGPROF;
    if (sigaction(number, NULL, &old) != 0) return -1;
    if (!(old.sa_flags & SA_SIGINFO) || old.sa_sigaction != ticks_p_handle) {
        if ((old.sa_flags & SA_SIGINFO) || old.sa_handler != SIG_DFL) return -1;
        memset(&action, 0, sizeof action);
        action.sa_sigaction = ticks_p_handle;
        action.sa_flags = SA_SIGINFO | SA_RESTART;
        if (sigaction(number, &action, NULL) != 0) return -1;
    }
    __atomic_store_n(&ticks_p_signal, number, __ATOMIC_SEQ_CST);
    return 0;
}
#endif

/* bursty.h calls it on a thread that registers (1), that ends (0) or that is a forked child (2). */
static void ticks_p_on_thread(int what) {
#ifdef TICKS_TIMERS
    const bursty_p_thread *record = bursty_p_registered();
    uint32_t number = record ? record->number : TICKS_THREADS;
    int signal = __atomic_load_n(&ticks_p_signal, __ATOMIC_SEQ_CST);
#endif
    if (ticks_p_all.on_thread) ticks_p_all.on_thread(what);
    if (what == 2) ticks_p_clear();
#ifdef TICKS_TIMERS
    if (what == 2) memset(ticks_p_timers, 0, sizeof ticks_p_timers); /* a child inherits none */
    if (what == 0) ticks_p_disarm(number);
    if (what != 0 && signal && ticks_p_arm(number, signal) != 0)
        ticks_p_add_shared(&ticks_p_all.untimed, 1);
#endif
}

/* ---- start and answers ---------------------------------------------------------------------- */

/* A signal that is ignored is not pending any more; without timers no other follows. */
TICKS_API void ticks_stop(void) {
#ifdef TICKS_TIMERS
    struct sigaction action, old;
    uint32_t i;
    int number = __atomic_exchange_n(&ticks_p_signal, 0, __ATOMIC_SEQ_CST);
#endif
    TICKS_P_PUT(&ticks_p_all.on, 0);
#ifdef TICKS_TIMERS
    if (!number || sigaction(number, NULL, &old) != 0) return;
    if (!(old.sa_flags & SA_SIGINFO) || old.sa_sigaction != ticks_p_handle) number = 0;
    memset(&action, 0, sizeof action);
    action.sa_handler = SIG_IGN;
    if (number) (void)sigaction(number, &action, NULL);
    for (i = 0; i < TICKS_THREADS; i++) ticks_p_disarm(i);
    action.sa_handler = SIG_DFL;
    if (number) (void)sigaction(number, &action, NULL);
#endif
}

TICKS_API int ticks_start(const ticks_config *config) {
    static const ticks_config defaults = { NULL, NULL, 0, 0, 0, 0 };
    bursty_config bursty;
    unsigned char *memory, *byte = (unsigned char *)&bursty;
    size_t bytes, skip, rows, slots = 1, i;
    int failed = 0;
    if (!config) config = &defaults;
    for (i = 0; i < sizeof bursty; i++) byte[i] = 0;
    if (config->bursty) bursty = *config->bursty;
    ticks_stop();
    TICKS_P_FENCE();
    memory = (unsigned char *)config->memory;
    bytes = config->memory_bytes;
#if TICKS_MEMORY > 0
    if (!memory) {
        memory = (unsigned char *)ticks_p_memory;
        bytes = sizeof ticks_p_memory;
    }
#endif
    skip = memory ? (0 - (uintptr_t)memory) & 7 : 0;
    if (!memory || bytes < skip + 4 * (sizeof(ticks_p_row) + 8)) {
        (void)bursty_start(&bursty);
        return -1;
    }
    memory += skip;
    bytes -= skip;
    while (slots * 2 * 4 <= bytes / 4 && slots < (size_t)1 << 28) slots *= 2;
    while (slots / 2 * 3 / 4 >= (bytes - slots * 4) / sizeof(ticks_p_row)) slots /= 2;
    for (i = 0; i < bytes; i++) memory[i] = 0;
    rows = (bytes - slots * 4) / sizeof(ticks_p_row);
    if (rows > slots - slots / 4) rows = slots - slots / 4;
    ticks_p_all.row_room = (uint32_t)rows;
    ticks_p_all.rows = (ticks_p_row *)(void *)memory;
    ticks_p_all.index = (uint32_t *)(void *)(ticks_p_all.rows + ticks_p_all.row_room);
    ticks_p_all.index_mask = (uint32_t)slots - 1;
    ticks_p_all.row_count = 0;
    ticks_p_clear();
    ticks_p_all.period_us = config->period_us;
    ticks_p_all.program = bursty.program;
    ticks_p_all.clock_hz = bursty.clock_hz;
    ticks_p_all.fold = config->fold;
    ticks_p_all.on_thread = bursty.on_thread;
    ticks_p_all.more = bursty.more;
#ifdef TICKS_TIMERS
    if (ticks_p_all.period_us == 0) ticks_p_all.period_us = 10000;
#ifdef TICKS_P_READS_CODE
    ticks_p_code.count = 0;
    (void)dl_iterate_phdr(ticks_p_find_code, NULL);
#endif
    failed = ticks_p_install(config->signal);
#endif
    bursty.on_thread = ticks_p_on_thread;
    bursty.more = ticks_write;
    TICKS_P_FENCE();
    TICKS_P_PUT(&ticks_p_all.on, 1);
    ticks_p_all.threads = bursty_start(&bursty);
    if (ticks_p_all.threads == 0) failed = -1;
    if (TICKS_P_GET(&ticks_p_all.untimed)) failed = -1;
    return failed ? -1 : 0;
}

TICKS_API void ticks_get_stats(ticks_stats *out) {
    uint32_t i, count = TICKS_P_GET(&ticks_p_all.row_count);
    out->ticks = out->slow = 0;
    out->lost = TICKS_P_GET(&ticks_p_all.lost);
    out->cut = TICKS_P_GET(&ticks_p_all.cut);
    out->late = TICKS_P_GET(&ticks_p_all.late);
    out->untimed = TICKS_P_GET(&ticks_p_all.untimed);
    out->paths = count;
    out->room = ticks_p_all.row_room;
    for (i = 0; i < count; i++) {
        ticks_p_row *row = &ticks_p_all.rows[i];
        out->ticks = ticks_p_sat_add(out->ticks, TICKS_P_GET(&row->sum[TICKS_P_COUNT]));
        out->slow = ticks_p_sat_add(out->slow, TICKS_P_GET(&row->sum[TICKS_P_SLOW]));
    }
}

static void ticks_p_put_string(ticks_p_out *out, const char *string) {
    size_t length = 0;
    while (string && string[length]) length++;
    ticks_p_put_varint(out, length);
    ticks_p_put(out, string, length);
}

/* The rows of one thread, each with how many rows before it its parent stands. */
static void ticks_p_put_thread(ticks_p_out *out, uint32_t thread, uint32_t count) {
    uint32_t i, k, back, order = 0;
    for (i = 0; i < count; i++) {
        ticks_p_row *row = &ticks_p_all.rows[i];
        const bursty_site *site = TICKS_P_GET(&row->site);
        if (!site || row->thread != thread) continue;
        if (order == 0) { /* a thread of bursty.h, whose record adds nothing to the other one's */
            ticks_p_put_varint(out, 3);
            ticks_p_put_varint(out, thread - 1);
            ticks_p_put_varint(out, 1);
            ticks_p_put_string(out, BURSTY_P_ACQUIRE(&bursty_p_all.threads[thread - 1].name));
            for (k = 0; k < 4; k++) ticks_p_put_varint(out, 0);
        }
        row->order = order++;
        ticks_p_put_varint(out, 6);
        ticks_p_put_varint(out, 1);
        ticks_p_put_string(out, site->name);
        ticks_p_put_string(out, site->file);
        ticks_p_put_varint(out, site->line);
        ticks_p_put_varint(out, site->kind);
        back = row->parent ? row->order - ticks_p_all.rows[row->parent - 1].order : 0;
        ticks_p_put_varint(out, back);
        for (k = 0; k < TICKS_P_SUMS; k++) ticks_p_put_varint(out, TICKS_P_GET(&row->sum[k]));
    }
}

TICKS_API int ticks_write(bursty_write_fn write, void *user) {
    ticks_p_out out;
    uint32_t i, count = TICKS_P_GET(&ticks_p_all.row_count);
    ticks_p_put_begin(&out, 1, write, user);
    ticks_p_put_varint(&out, 1);
    ticks_p_put_varint(&out, ticks_p_all.clock_hz);
    ticks_p_put_string(&out, ticks_p_all.program);
    for (i = 0; i < 3; i++) ticks_p_put_varint(&out, 0);
    ticks_p_put_varint(&out, 5);
    ticks_p_put_varint(&out, ticks_p_all.period_us);
    ticks_p_put_varint(&out, TICKS_P_GET(&ticks_p_all.lost));
    ticks_p_put_varint(&out, TICKS_P_GET(&ticks_p_all.cut));
    ticks_p_put_varint(&out, TICKS_P_GET(&ticks_p_all.late));
    if (TICKS_P_GET(&ticks_p_all.untimed)) {
        ticks_p_put_varint(&out, 9);
        ticks_p_put_varint(&out, TICKS_P_GET(&ticks_p_all.untimed));
    }
    for (i = 1; i <= ticks_p_all.threads; i++) ticks_p_put_thread(&out, i, count);
    if (ticks_p_put_end(&out)) return -1;
    return ticks_p_all.more ? ticks_p_all.more(write, user) : 0;
}

#if defined(__cplusplus) && defined(__GNUC__)
#pragma GCC diagnostic pop
#endif
#endif
#endif /* TICKS_IMPLEMENTATION */

/* MIT License

   Copyright (c) 2026 the bursty authors

   Permission is hereby granted, free of charge, to any person obtaining a copy of this software and
   associated documentation files (the "Software"), to deal in the Software without restriction,
   including without limitation the rights to use, copy, modify, merge, publish, distribute,
   sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is
   furnished to do so, subject to the following conditions:

   The above copyright notice and this permission notice shall be included in all copies or
   substantial portions of the Software.

   THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT
   NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND
   NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM,
   DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
   OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE. */
