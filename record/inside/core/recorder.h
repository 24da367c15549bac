/* recorder.h - what the files of core/, preload/ and hooks/ share: the
   furniture of a recorder that runs inside a program. Linux, gcc or clang.

       core/     settings.c    the environment, the seed, the bodies of hcct.h
                 calls.c       open calls: finds calls that longjmp or an exception left; bursts
                 recorder_plain.h  what the hooks do with most calls
                 threads.c     a tree for each thread; threads that end, fork
                 names.c       keys of functions; names from the mapped files; dlclose
                 sampled.c     counts of functions and pairs, and of ticks
                 misses.c      misses by function and object, caches.c under it
                 missed.c      the same by calling context
                 phases.c      slices of a run, for misses.c
                 interleave.c  when threads made their accesses
                 layout.c      what orders of fields, blocks and functions could gain
                 sharing.c     lines that several threads use
                 contexts.h    sums over bursts for each context of a tree
                 timer.c       ticks of a timer
                 lines.c       the same by place in the code
                 axis.c        when ticks and slow frames were
                 dump.c        writes all trees into a file at exit
       preload/  patch.c       the library that `bursty record` preloads: events of x86/
                 room.c        what the others stand on: state, memory, bodies of products
                 keys.c        keys of functions and places
                 patch_file.c  the file and the report that it writes
                 patch_sharing.c  what --sharing asks of each burst
                 patch_streams.c  what data the references of hot streams use
                 frames.c      calls of functions that --frames names
                 quiet.c       threads that get no bursts, and how much of the time that is
                 changes.c     programs that change their own code
                 origin.c      answers what the program asks about its own stack
                 debugfile.c   symbols of data, for objects.c
                 keep.c        keeps what was recorded for the case that the program is killed
                 deaths.c      the same where a process ends itself by a signal
                 images.c      writes before a process becomes another program (exec)
                 daemon.c      the same before it becomes a daemon
                 cache.c       what x86/ found out about programs, for their next start
                 handover.c    lets a program that gave up files or system calls write all the same
       hooks/    instrument.c  hooks of -finstrument-functions
                 ticks.c       where time goes, for instrument.c; it takes sampled.c, too

   A program has instrument.c or patch.c, and settings.c, calls.c, threads.c, names.c
   and dump.c; patch.c also has sampled.c, contexts.h, timer.c, lines.c, keep.c and
   handover.c. These two provide recorder_memory, and set recorder_on. */
#ifndef RECORDER_H
#define RECORDER_H
#include "hcct.h"
#include <stddef.h>
#include <stdint.h>

#ifndef RECORDER_CONTEXTS
#define RECORDER_CONTEXTS 20000 /* contexts that a thread's tree has room for */
#endif
#ifndef RECORDER_DEPTH
#define RECORDER_DEPTH 4096 /* open calls of a thread whose frames are known */
#endif
#ifndef RECORDER_FUNCTIONS
#define RECORDER_FUNCTIONS 65536 /* functions that can be told apart, about 3/4 of it */
#endif

/* The recorder must not record itself, even if it is compiled like the
   program. */
#define RECORDER_HOOK __attribute__((no_instrument_function))
/* Around names that compiler, linker and C library have chosen. */
#if defined(__clang__)
#define RECORDER_NAMES_BEGIN \
    _Pragma("clang diagnostic push") _Pragma("clang diagnostic ignored \"-Wreserved-identifier\"")
#define RECORDER_NAMES_END _Pragma("clang diagnostic pop")
#else
#define RECORDER_NAMES_BEGIN
#define RECORDER_NAMES_END
#endif
#ifdef __cplusplus
#define RECORDER_C_BEGIN extern "C" {
#define RECORDER_C_END }
#else
#define RECORDER_C_BEGIN
#define RECORDER_C_END
#endif

#define RECORDER_ROUNDS 4 /* PTHREAD_DESTRUCTOR_ITERATIONS: so often keys are destroyed */
#define RECORDER_LIKELY(x) __builtin_expect(!!(x), 1)

/* In a hook: an address in the frame of the function that called it, or right
   below. */
#if defined(__x86_64__) || defined(__i386__)
#define RECORDER_FRAME() ((uintptr_t)__builtin_dwarf_cfa())
#else
#define RECORDER_FRAME() ((uintptr_t)__builtin_frame_address(0))
#endif

/* Where a function's return address is looked for, in words from its hook's
   frame on. */
#define RECORDER_FRAME_WORDS 512u
#define RECORDER_COPY_WORDS 4096u /* so much of a stack is looked at, from its end on */
#if defined(__has_attribute)
#if __has_attribute(no_sanitize)
#define RECORDER_READS_STACK __attribute__((no_sanitize("address"), noinline))
#define RECORDER_READS_STACK_INLINE __attribute__((no_sanitize("address"))) static inline
#endif
#endif
#ifndef RECORDER_READS_STACK
#define RECORDER_READS_STACK
#define RECORDER_READS_STACK_INLINE static inline
#endif

/* instrument.c, patch.c */

/* Returns zeroed memory that is never given back, or NULL. */
void *recorder_memory(size_t bytes);
struct recorder_thread;
/* What they are called for (NULL: not); they say so before a thread can end. */
typedef struct recorder_events {
    void (*exit)(void); /* the process ends */
    /* In the child of a fork. Returns whether the child is recorded too (NULL: it is
       not). Its trees are emptied then; who keeps more in the records (by `next`)
       empties that here. */
    int (*child)(struct recorder_thread *all);
    void (*thread_end)(struct recorder_thread *r); /* while it has its record still */
} recorder_events;
extern recorder_events recorder_on;

/* An open call. */
typedef struct recorder_frame {
    void *function; /* instrument.c knows the function, */
    uint32_t key;   /* patch.c its key; the other one is 0 */
    uint32_t depth; /* calls that are open, with this one; while the record is lazy */
    uintptr_t address;
    const void *site, *from, *back;
} recorder_frame;

/* What the hooks look at. Between bursts they keep the stack of open calls
   themselves, for `left` calls: the next burst does not begin before that, and
   they surely have room. When left becomes negative they call recorder_call. In
   bursts left is 0 and top is the address of an entry of no function, at which
   they call recorder_return. Invariant: while left is above 0, top is in the
   stack. recorder_plain.h has what they do when every call is recorded. */
typedef struct recorder_now {
    int64_t left;
    recorder_frame *top; /* the innermost open call */
    struct recorder_thread *record;  /* while it is lazy: the thread's, */
    uintptr_t stack_low, stack_end;  /* and its stack; else both are 0 */
} recorder_now;
/* The program itself needs no look at a table to find it; a shared object
   does. */
#if defined(__PIC__) && !defined(__PIE__)
#define RECORDER_TLS __attribute__((tls_model("initial-exec")))
#else
#define RECORDER_TLS __attribute__((tls_model("local-exec")))
#endif
extern __thread recorder_now recorder_here RECORDER_TLS;
extern recorder_frame recorder_none;

typedef struct recorder_thread {
    hcct tree;
    struct recorder_thread *next;
    recorder_now *now;   /* of the thread that uses this record */
    size_t bytes;        /* of the tree's memory, which follows */
    int busy;            /* inside a hook: nobody else may look at the tree */
    int in_use;          /* by a thread that runs; else the next new thread takes it */
    int feeding;         /* calls go to the tree: a burst is on, or all calls are recorded */
    int lazy;            /* the hooks keep the stack, and the tree hears of returns late */
    uint64_t seen;       /* calls, recorded or not */
    uint64_t gap;        /* calls before the next burst, as far as they are not in `seen` */
    uint64_t given;      /* what `left` began with */
    uint64_t burst_left; /* calls before the end of this burst, or of the next one */
    uint32_t weight;     /* of a call of this burst; 0: the burst that was due is left out */
    uint32_t random, number, uses; /* number: of the record, from 1; uses: threads that had it */
    uint64_t clean_at;    /* not before this many calls are dead frames looked for again */
    uint64_t frames_full; /* calls beyond RECORDER_DEPTH */
    uint32_t deep;        /* those of them that are open */
    void *references;     /* patch.c: a footprint of the thread's references, or NULL */
    void *ticks;          /* ticks.c: the thread's ticks, or NULL */
    uintptr_t stack_low, stack_end; /* the thread's own stack; 0: not known */
    uintptr_t copied_from; /* a copy of the stack: its first word's address, and how many words */
    uint32_t copied_words;
    uintptr_t copied[RECORDER_COPY_WORDS];
    uint32_t keys[RECORDER_DEPTH]; /* of a stack whose burst is due, if bursts are adaptive */
    uint32_t frame_count;
    recorder_frame *frames; /* the outermost first; one that is no call stands in front of them */
    recorder_frame room[RECORDER_DEPTH + 1 + 16]; /* hooks that a handler interrupts write behind */
} recorder_thread;

/* settings.c */

/* For instrument.c. Bursts of recorder_burst calls, one begins every
   recorder_period calls. A period of 0: all calls are recorded; RECORDER_NEVER:
   none is, the hooks only keep the stack of open calls. */
#define RECORDER_NEVER ((uint64_t)INT64_MAX)
extern uint64_t recorder_period, recorder_burst;
/* Adaptive bursts: a stack that had one has one in so many, whose calls count as
   many times as much; 0: no other one. RECORDER_STATIC: all bursts that are
   due. */
#define RECORDER_STATIC UINT32_MAX
extern uint32_t recorder_reenable;
/* The seed of this process (src/seed.c): 0 draws one. A child of fork has one of
   its own. */
extern uint32_t recorder_seed;
void recorder_take_seed(uint32_t seed);
void recorder_seed_child(void);
/* Reads the numbers above from the environment. */
void recorder_options(void);
extern uint32_t recorder_ticks; /* in a second of a thread's CPU time; 0: none */
int recorder_write_sample(hcct_write_fn write, void *user);

/* calls.c */

/* weight: 1 counts the call; 0 only goes there, for a call that was open before
   recording began. */
void recorder_enter(recorder_thread *r, uint32_t key, uint64_t weight, uintptr_t frame,
                    const void *site, const void *from);
void recorder_leave(recorder_thread *r, uint32_t key, uintptr_t frame);
/* Copies the stack from this address on, for recorder_frame_end; between two
   hooks. Memory that is not there does no harm. */
void recorder_copy_stack(recorder_thread *r, uintptr_t from);
/* The upper end of a call's frame, if the copy shows it; or 0. */
uintptr_t recorder_frame_end(const recorder_thread *r, const recorder_frame *f);
/* Whether f stands below that end of `inner`'s frame and `inner` was not
   inlined into it. */
int recorder_is_dead(const recorder_frame *f, const recorder_frame *inner, uintptr_t end);
/* Closes all calls. */
void recorder_leave_all(recorder_thread *r);
void recorder_call(void *function, uintptr_t frame, const void *site, const void *from);
void recorder_return(void *function, uintptr_t frame);
/* The first call of a thread comes: it is anywhere in a burst or in a gap. */
void recorder_start_gap(recorder_thread *r);
/* All calls so far, without disturbing the thread. */
uint64_t recorder_seen(const recorder_thread *r);
/* Brings frame_count and gap up to date, between two hooks of the thread. */
void recorder_sync(recorder_thread *r);
/* The tree was emptied: the open calls are in it again, without weight. */
void recorder_reopen(recorder_thread *r);

/* threads.c */

/* Returns the calling thread's record, or NULL: do nothing. recorder_end must
   follow, soon. */
recorder_thread *recorder_begin(void);
void recorder_end(recorder_thread *r);
/* The calling thread was taken out of a hook by siglongjmp, and nothing of the
   hook goes on. If its record was in use, that is emptied, and `references` is
   NULL. Returns how many calls were in it, or 0. */
uint64_t recorder_repair(void);
/* Whether a hook may take its record by plain stores: then recorder_stop can wait
   until all threads have seen its own. */
int recorder_has_barrier(void);
extern int recorder_stopped;
/* For a signal handler: the calling thread's record, or NULL if it has none. It
   may be busy. */
recorder_thread *recorder_self(void);
/* Holds the records of all threads, by `next`; a thread that wants its own
   waits. NULL: one of them is at work, or it has stopped. recorder_release must
   follow, soon. */
recorder_thread *recorder_hold(void);
void recorder_release(recorder_thread *all);
/* Stops recording for good and waits for threads that are inside a hook.
   Returns the records, by `next`, and how many threads had none for lack of
   memory. */
recorder_thread *recorder_stop(uint32_t *without_memory);
/* For who comes after all destructors of the thread: it leaves its record now. */
void recorder_end_thread(void);
/* Whether this process is a fork of one that recorded. */
int recorder_is_child(void);

/* names.c */

/* Stands for callers beyond where a stack was cut. */
#define RECORDER_BEYOND (RECORDER_FUNCTIONS + 8)
/* The functions by their keys. Entry 0 is none. */
extern void *recorder_functions[RECORDER_FUNCTIONS + 1];
/* The key of a function. RECORDER_FUNCTIONS + 1 stands for all that the table
   has no room for. */
uint32_t recorder_key(void *function);
/* The same for a place in code that the program made itself. */
uint32_t recorder_made_key(void *place);
/* The same for a place in a file's code of which .eh_frame says nothing, as
   assembly has it: its name is that of the symbol that it is in. */
uint32_t recorder_bare_key(void *place);
/* The same as recorder_key, or 0 if no key was asked for yet. */
uint32_t recorder_known_key(void *function);
/* What is loaded when all begins: the rest comes later. */
void recorder_start_places(void);
/* Finds the modules of all functions. To be called before dlclose, and before
   the dump is written. Returns how many names had no memory. */
uint32_t recorder_find_places(void);
/* The size of the program's code. */
uint64_t recorder_code_bytes(void);
/* Libraries that came later, one by one: *at is 0 at first. NULL: no more. */
const char *recorder_later(uint32_t *at);
/* The mapping that this address is in; both 0: not known. */
void recorder_find_stack(uintptr_t place, uintptr_t *low, uintptr_t *end);
/* What stands in the dump for a name: a place, as places.h has it, or words.
   NULL: not known. */
const char *recorder_name(void *user, uint32_t key);
/* The name of the program's file, which is read once. argv[0] is no name of it:
   the program may write there what it likes. */
const char *recorder_program(void);
/* The same of the function that begins there, which need have no key. */
const char *recorder_name_of(uint64_t function);
/* The place where a function begins, of any other place in its file, and of one in
   a file that is mapped now; NULL: not known. */
const char *recorder_place(void *user, uint32_t key);
const char *recorder_place_at(uint32_t key, uint64_t pc);
const char *recorder_place_of(uint64_t pc);
/* The list of modules, behind all parts with names. Returns 0, or -1. */
int recorder_write_modules(hcct_write_fn write, void *user);
/* Functions in libraries that are closed get new keys if they are seen again. To
   be called behind dlclose, and recorder_find_places before it. */
void recorder_forget_unmapped(void);
void recorder_lock_names(int on); /* around fork */

/* dump.c */

/* Writes the trees as parts into a new file, and then whatever `more` writes
   (NULL: nothing). Returns 0, or -1 with errno. */
int recorder_write(const recorder_thread *all, const char *path,
                   int (*more)(hcct_write_fn write, void *user));
/* Stops, and writes into the file that the environment names: the trees if
   calls were counted, and then what `more` writes (NULL: nothing). */
void recorder_dump(int (*more)(hcct_write_fn write, void *user));

/* ticks.c */

/* The calling thread, which has a record, gets a timer. */
void recorder_start_ticks(void);
void recorder_stop_ticks(void);
void recorder_ticks_in_child(void);
/* Whether there was a timer; if not, says why. */
int recorder_has_ticks(void);
/* Writes the ticks of all threads as a part. Returns 0, or -1. */
int recorder_write_ticks(hcct_write_fn write, void *user);
#endif
