/* bursty.h - v0.2.0 - samples a program's events at a percent or less - MIT, text at end of file

   example:
       #define BURSTY_IMPLEMENTATION
       #define BURSTY_STDIO
       #include "bursty.h"
       static int collide(int n) { BURST_SCOPE("collide"); return n > 0 ? collide(n - 1) + 1 : 0; }
       int main(void) {
           int frame, hits = 0;
           bursty_start(NULL);
           for (frame = 0; frame < 100000; frame++) { hits += collide(frame % 50); }
           return bursty_save("game.brst") != 0 || hits == 0;
       }
   end of example.

   STEP BY STEP
   1. In one C or C++ file define BURSTY_IMPLEMENTATION before the include. Everywhere else just
      include the header, after feature-test macros such as _GNU_SOURCE.
   2. Put one line into each function that you want to see, and one into each loop that runs long:
         BURST_SCOPE("name");   the function's entry and its return, on every way out. It gives
                                callers, calling contexts and time. It is a declaration, so it must
                                not follow a bare "if". The name is a literal.
         BURST_ENTRY();         the entry alone: cheaper, and right for small functions
         BURST_LOOP();          the first statement in a loop's body
      Leave out functions of a few instructions and loops of a few additions. Time in a function
      without a check is charged to the function that called it. In the report, the first rows of
      "functions: calls" are the sites that take most checks: where such a site says nothing new,
      delete its line, and the program gets faster. A loop that runs long without a check delays
      the start and the end of bursts.
   3. Call bursty_start(NULL) first and bursty_save("file") last, or in a
      function given to atexit if the program ends by exit. `bursty report file` then shows
      the hot functions and call pairs. Inside the program bursty_top gives the same rows.
   4. What happens: each macro of step 2 contains a check, which counts. After 990 checks on
      average the next 10 are a burst. Events are recorded in bursts and nowhere else. The report
      scales them up.
   5. Choose the rates in config.profile. To see times, set config.clock and clock_hz; use the
      cheapest clock you have, because a function shorter than one reading of it gets an inaccurate
      time. To hold the cost of sampling at a share of the run time, set config.budget_ppm and a
      clock, best the thread's CPU time.
   6. To see other things, record events of your own and receive them in an action:
         BURST_POINT(class, "name", value);   an event of a class below, mostly BURSTY_USER. The
                                value is evaluated only when the event is recorded.
         if (BURST_CHECK()) { } a check by hand: true inside a burst
      Up to BURSTY_PROFILES profiles run at once, each with its own rate, classes and action;
      bursty_set_profile adds or changes one at any time. examples/ has a program for each idea:
      hot_functions, game_loop, references, conditional, hibernate, poll, reenable, firmware.
   7. To record data references, compile code twice: a plain copy, and an instrumented copy that
      runs in bursts. Nothing of the recording is in the plain copy.
         BURST_DUAL(int, f, (int a, int b), (a, b)) { body }   a function; its entry check chooses
         BURST_DUAL(void, g, (void), ()) { body }              without result and parameters
         BURST_DUAL_LEAF(int, h, (int a), (a)) { body }        without a check: small functions
         BURST_SAME(h, (a))                                    calls h in the caller's copy
         for (...) BURST_BODY({ body })                        a loop with a check per iteration
         BURST_FOR(int, i, 0, n, { body })                     a counted loop whose checks are taken
                                                               many at a time; do not assign to i
         BURST_REF(BURSTY_LOAD, pointer);                      records a reference
         BURST_IF_RECORDING(statements);                       runs them only while recording
      BURST_BODY and BURST_FOR compile a macro argument twice. Debuggers and gcov see it as one
      line, a label in it is defined twice (an error), and a static variable in it becomes two. For
      more than a few lines call a function from it. BURST_FOR takes the checks of many iterations
      in advance, so another check inside its body happens out of turn: use BURST_BODY there.
      BURST_DUAL cannot hold setjmp or computed gotos, and it records no return: use BURST_SCOPE. A
      dual-path function chooses its copy only at a check. If it loops without one, it misses a
      burst that starts during the loop and stays in the instrumented copy after a burst ends.

   PROMISES
     - It never prints, aborts, or takes a lock on the program's path, and it allocates nothing.
       (With BURSTY_PTHREAD or as C++ it asks the C library to tell when a thread ends; that
       library may allocate a few bytes at the thread's first check.) It uses 64 KiB of static
       memory, enough for about 12 threads and 770 table rows, or memory that you pass in.
     - What does not fit is counted: bursty_stats.lost, lost_threads. Counters saturate.
     - Without bursty_start a check counts and does nothing else.
     - For one thread without a clock, the same events give the same dump, byte for byte.

   THREADS
     A thread is registered at its first check. A thread that was already running checks when
     bursty_start was called is registered within its next 65 536 checks. Before a thread ends, call
     bursty_thread_end(); with BURSTY_PTHREAD, or when the implementation is compiled as C++, that
     happens by itself. After fork call bursty_forked() in the child (BURSTY_PTHREAD does).
     Signal handlers may check on a thread that has checked before. An interrupt on bare metal needs
     a context of its own: another file with BURSTY_STATIC. Checks made inside an action are not
     counted. Exceptions run the ends of scopes (C code in their way needs -fexceptions).
     longjmp: save bursty_depth() beside setjmp and pass it to bursty_set_depth() after the jump. If
     the jump leaves an action you must do this. Elsewhere the depth corrects itself when the next
     outer scope returns. Each shared object needs a BURSTY_IMPLEMENTATION of its own and samples
     for itself; with BURSTY_PTHREAD link it with -z nodelete.

   OPTIONS in every file, best on the command line:
     BURSTY_OFF            every macro and function becomes nothing: no code, no data
     BURSTY_POLL           a check reads one shared flag instead of counting. bursty_poll(1) and (0)
                           open and close a burst, from a timer or the frame loop. check_count,
                           jitter and hibernation are not used; burst_count limits what one thread
                           records in one opening.
     BURSTY_NO_TLS         one context and no atomics, for firmware and programs in which a single
                           thread checks. Implied unless the compiler is gcc or clang (on Windows:
                           mingw or clang-cl). A freestanding build needs memcpy, memset and the
                           compiler's 64-bit division; give it BURSTY_MEMORY.
     BURSTY_TINY           24 bytes of RAM and 250 of code on a Cortex-M0: one profile, one action;
                           no table, dump, threads or stack (those take some 8 kB of code)
     BURSTY_STACK=n        how many scopes the shadow stack keeps: 64; 0 in freestanding and tiny
                           builds. Deeper scopes are counted, and their callees' caller is "(deep)".
     BURSTY_TLS_MODEL="m"  in a shared object define it as "initial-exec": the compiler's default
                           calls __tls_get_addr at every check. Executables use "local-exec".
     BURSTY_STATIC         makes everything static, for a single file
   OPTIONS where BURSTY_IMPLEMENTATION is defined:
     BURSTY_STDIO          adds bursty_save
     BURSTY_PTHREAD        uses pthread_key_create and pthread_atfork
     BURSTY_PROFILES=n     how many profiles: 8, at most 32
     BURSTY_MEMORY=bytes   the size of the static memory: 65536; 0 means none
     BURSTY_ASSERT(x)      catches misuse; memory stays safe without it
   "undefined reference to bursty_..." and "hidden symbol bursty_... is not defined" mean that no
   file of this executable or shared object defines BURSTY_IMPLEMENTATION (for bursty_save:
   BURSTY_STDIO), or that its files differ in the first group of options.

   COST
     x86-64, bench/results.md: a check is two instructions. A scope adds two stores and rules out
     tail calls; the shadow stack adds one store, and takes 8 bytes per entry and thread. */

#ifndef BURSTY_H
#define BURSTY_H
#include <stddef.h>
#include <stdint.h>

#ifdef BURSTY_TINY
#ifdef BURSTY_POLL
#error "BURSTY_TINY has no BURSTY_POLL"
#endif
#undef BURSTY_NO_TLS
#define BURSTY_NO_TLS
#undef BURSTY_STACK
#define BURSTY_STACK 0
#endif
#ifndef BURSTY_STACK
#if defined(__STDC_HOSTED__) && !__STDC_HOSTED__
#define BURSTY_STACK 0
#else
#define BURSTY_STACK 64
#endif
#endif

#if defined(__GNUC__) || defined(__clang__) /* clang-cl defines the second alone */
#define BURSTY_P_GNU
#endif
#if defined(BURSTY_P_GNU) || defined(__TINYC__)
#define BURSTY_P_UNUSED __attribute__((unused))
#else
#define BURSTY_P_UNUSED
#endif

#ifdef BURSTY_STATIC
#define BURSTY_API BURSTY_P_UNUSED static
#elif defined(BURSTY_P_GNU) && !defined(_WIN32)
#define BURSTY_API extern __attribute__((visibility("hidden")))
#else
#define BURSTY_API extern
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- types ---------------------------------------------------------------------------------- */

/* Event classes (hybrid-profiling-support, Figure 3: opcode classes). */
enum {
    BURSTY_CALL = 1, BURSTY_RETURN = 2, BURSTY_BACKEDGE = 4,
    BURSTY_LOAD = 8, BURSTY_STORE = 16, BURSTY_USER = 32,
    BURSTY_ANY = 63,                     /* all of the above                                     */
    BURSTY_BEGIN = 64, BURSTY_END = 128, /* of a burst; only for profiles whose classes name them */
    BURSTY_FRAME = 256 /* set together with CALL or RETURN when the event belongs to a scope, that
                          is, when CALL and RETURN come in pairs. So test kind with &, not == */
};

/* A place in the source. The macros make them: static const, in flash on firmware. */
typedef struct bursty_site {
    const char *name;
    const char *file;
    uint32_t line;
    uint32_t kind;             /* event class                                          */
} bursty_site;

typedef struct bursty_event {
    const bursty_site *site;   /* never NULL; named "(burst)" for BEGIN and END        */
    uintptr_t value;           /* what the point gave; the address of a reference      */
    uint64_t ticks;            /* reading of config.clock; 0 without clock_hz          */
    uint32_t kind;             /* event class                                          */
    uint32_t depth;            /* scopes around the event; a CALL and its RETURN agree */
    uint32_t burst;            /* number of this profile's burst on this thread, from 1 */
    uint32_t weight_256;       /* 256 times the number of events it stands for         */
    const bursty_site *const *stack; /* the outermost min(depth, BURSTY_STACK) scopes around it,
                                        outermost first; NULL without a stack         */
} bursty_event;

typedef void (*bursty_action)(void *user, const bursty_event *event);
typedef int (*bursty_write_fn)(void *user, const void *data, size_t size); /* returns 0: go on */

/* Conditional control (hybrid-profiling-support, Figures 3 and 4). A thread has 8 counters, each
   with a flag "zero" and a flag "overflow". While a profile is in a burst, its rules run on every
   event of the thread whose class they name. Each event goes through three steps:
     1. All conditions, of rules and of profiles, are judged on the flags as they were before it.
     2. The operations of the rules whose condition held are carried out, in order.
     3. The actions of the profiles whose condition held in step 1 are called.
   So an operation takes effect from the next event on. After UNTIL n, the n-th event that runs INC
   sets the overflow flag, and the first event that finds it set is the one after it.
   examples/conditional.c shows the counters beside each event. */
enum {
    BURSTY_INC = 1, /* adds 1; passing from the largest value to 0 sets overflow       */
    BURSTY_DEC,     /* subtracts 1; passing from 0 to the largest value sets overflow  */
    BURSTY_SET,     /* stores value and clears overflow                                */
    BURSTY_UNTIL    /* stores minus value: overflow comes with INC number value; sets it at once
                       for 0 and clears it otherwise                                   */
};
typedef struct bursty_op {
    uint8_t op, counter;
    uint32_t value;
} bursty_op;
typedef struct bursty_term {
    uint8_t zero, not_zero, overflow, not_overflow; /* bits of counters; all must hold */
} bursty_term;
typedef struct bursty_when {
    bursty_term any[3];   /* one of the terms in use must hold; true if none is in use  */
} bursty_when;
typedef struct bursty_rule {
    uint32_t classes;     /* of the events it runs on; 0: BURSTY_ANY                    */
    bursty_when when;
    bursty_op op[4];
    uint32_t op_count;
} bursty_rule;

#define BURSTY_ALWAYS UINT32_MAX  /* as check_count: one burst that never ends, the full profile */

/* What to sample, and how often. Every zero means the default. rules, action and user must stay
   valid after bursty_set_profile until every thread has made another 65 536 checks. */
typedef struct bursty_profile {
    uint32_t check_count;     /* checks between bursts, the paper's nCheck0: 990; at most 2^30  */
    uint32_t burst_count;     /* checks in a burst, the paper's nInstr0: 10; at most 2^30       */
    int32_t jitter_percent;   /* of check_count: 12; -1: none                                   */
    uint32_t awake_count;     /* hibernation: after this many bursts ...                        */
    uint32_t hibernate_count; /* ... leave out this many; 0 and 0: never                        */
    uint32_t classes;         /* of the events that the action or the table gets: BURSTY_ANY    */
    bursty_when when;         /* conditional control: a condition for the action                */
    const bursty_rule *rules; /* conditional control: run on all events of a burst              */
    uint32_t rule_count;
    bursty_action action;     /* NULL: count in the hot table; one profile for each class  */
    void *user;               /* passed to the action                                           */
    int off;                  /* 1: keep the profile, do not run it                             */
} bursty_profile;

typedef struct bursty_config {
    bursty_profile profile;         /* profile 0; all zero: hot functions and call pairs       */
    void *memory;                   /* NULL: BURSTY_MEMORY bytes of static memory              */
    size_t memory_bytes;
    uint64_t (*clock)(void *user);  /* the calling thread's time                               */
    void *clock_user;
    uint64_t clock_hz;              /* 0: the clock serves the budget alone, events have no ticks */
    uint32_t budget_ppm;            /* above 0, with a clock: the share of time bursts may cost */
    uint32_t seed;                  /* of jitter: same seed and events, same samples           */
    const char *program;            /* a name for the report; a literal                        */
} bursty_config;

typedef struct bursty_row {
    const bursty_site *site;
    const bursty_site *caller;   /* NULL unless rows are pairs                               */
    uint64_t count;              /* events recorded                                          */
    uint64_t weight;             /* divided by 256: an estimate of how often the site was passed */
    uint64_t ticks;              /* an estimate of the time spent there, without callees     */
} bursty_row;

typedef struct bursty_stats {
    uint64_t checks;         /* checks that were taken, in bursts and between them             */
    uint64_t bursts;         /* bursts begun, of all profiles                                  */
    uint64_t events;         /* events recorded: put into the table or given to an action      */
    uint64_t lost;           /* events that found the table full: enlarge BURSTY_MEMORY, or
                                config.memory_bytes                                            */
    uint32_t threads;        /* thread records in use or used before                           */
    uint32_t ended;          /* of these, threads that have ended                              */
    uint32_t lost_threads;   /* threads without a record, which are never sampled: enlarge
                                BURSTY_MEMORY, or let ended threads call bursty_thread_end     */
    uint32_t rate_ppm;       /* checks inside bursts per million checks                        */
} bursty_stats;

/* ---- functions ------------------------------------------------------------------------------ */

#ifndef BURSTY_OFF

/* Adds or changes profile 0 to BURSTY_PROFILES - 1, at any time, on any thread; NULL removes it.
   It takes effect at once on the calling thread and within 65 536 checks on the others. Called from
   an action it takes effect at the thread's next look at its schedule, in a BURSTY_POLL build when
   bursty_poll opens the next burst. The changed profile starts a new interval; other profiles are
   not disturbed.
   Returns 0, or -1 if the number is out of range, a value is, or nothing was started, or if another
   profile already counts events of one of these classes in the hot table: each would add an
   estimate of all events, and rows would show twice as many as there were. */
BURSTY_API int bursty_set_profile(int profile, const bursty_profile *p);

/* Returns the profiles that are in a burst now on the calling thread, as bits. */
BURSTY_API uint32_t bursty_in_burst(void);

#ifndef BURSTY_TINY

/* Starts sampling with profile 0 and empty tables; config may be NULL. Only one thread may check
   while it is called a second time.
   Returns how many threads fit. 0 means that nothing has changed, because memory is too small, a
   budget has no clock, or a value is out of range. */
BURSTY_API uint32_t bursty_start(const bursty_config *config);

/* Stops a profile (on = 0), or starts it again (on = 1) with a new interval.
   Returns 0, or -1 if there is no such profile. */
BURSTY_API int bursty_enable(int profile, int on);

/* Fills rows[0..max) with the hottest sites, largest weight first, summed over all threads. Any
   thread may call it, as often as every frame.
   pairs = 0: one row for each site. A loop is a site of its own; site->kind tells.
   pairs = 1: one row for each pair of calls (caller, site).
   Returns how many rows were filled. */
BURSTY_API size_t bursty_top(bursty_row *rows, size_t max, int pairs);

/* Sums over all threads, ended ones too. It is exact for the calling thread. Of another thread, the
   checks since its last look at its schedule are not in it yet. */
BURSTY_API void bursty_get_stats(bursty_stats *out);

/* Writes the dump (docs/formats.md). Returns 0, or -1 if nothing was started or write failed. */
BURSTY_API int bursty_write(bursty_write_fn write, void *user);

#if defined(BURSTY_STDIO) || !defined(BURSTY_STATIC)
/* Writes the dump into a file (with BURSTY_STDIO where the implementation is).
   Returns 0, or -1 and errno: EINVAL if nothing was started (the file is left alone), or the error
   of stdio. */
BURSTY_API int bursty_save(const char *path);
#endif

/* Sets table and stats to zero, but for the numbers of threads. What other threads count at the
   same time may remain. */
BURSTY_API void bursty_clear(void);

/* Returns counter 0 to 7 of the calling thread (conditional control). */
BURSTY_API uint32_t bursty_counter(int counter);

/* The number of scopes around the call; save it beside setjmp and set it after longjmp. Do not set
   it inside an action. */
BURSTY_API uint32_t bursty_depth(void);
BURSTY_API void bursty_set_depth(uint32_t depth);

/* BURSTY_POLL builds: opens (1) and closes (0) a burst in all threads. Call it from a timer, a
   thread, an interrupt or the frame loop. */
BURSTY_API void bursty_poll(int on);

/* Names the calling thread in the report. The string must live until the last dump. */
BURSTY_API void bursty_thread_name(const char *name);

/* Says that the calling thread checks no more. Its counts stay; its record may be used again. */
BURSTY_API void bursty_thread_end(void);

/* Call it in a forked child: it draws other samples and counts from zero, so that the dumps of
   parent and child can be merged. */
BURSTY_API void bursty_forked(void);

#endif /* BURSTY_TINY */

/* ---- the check ------------------------------------------------------------------------------ */

/* One 32-bit word per thread, n. While n >= 0 the thread is not sampling, and n checks remain until
   it looks at its schedule. While n < 0 it is inside a burst, and every check goes to the slow
   path. It is bursty-tracing's Figure 3, decision for decision:

       a check       sub dword [n], 1      x86-64. Cortex-M3: ldr, ldr, subs, str, bmi
                     js cold */

#if defined(BURSTY_P_GNU)
#define BURSTY_P_UNLIKELY(x) __builtin_expect((x), 0)
#define BURSTY_P_INLINE static inline __attribute__((always_inline))
#define BURSTY_P_COLD __attribute__((cold, noinline))
#else
#define BURSTY_P_UNLIKELY(x) (x)
#define BURSTY_P_INLINE static inline
#define BURSTY_P_COLD
#endif
#ifdef __cplusplus /* -Wold-style-cast */
#define BURSTY_P_TO(type, x) type(x)
#define BURSTY_P_CAST(type, x) static_cast<type>(x)
#else
#define BURSTY_P_TO(type, x) ((type)(x))
#define BURSTY_P_CAST(type, x) ((type)(x))
#endif
#define BURSTY_P_CAT2(a, b) a##b
#define BURSTY_P_CAT(a, b) BURSTY_P_CAT2(a, b)

#if !defined(BURSTY_NO_TLS) && !defined(BURSTY_P_GNU)
#define BURSTY_NO_TLS
#endif
#if !defined(BURSTY_TLS_MODEL) && defined(__ELF__) && (!defined(__PIC__) || defined(__PIE__))
#define BURSTY_TLS_MODEL "local-exec" /* gcc would fetch the offset of an extern one from the GOT */
#endif
#if defined(BURSTY_NO_TLS)
#define BURSTY_P_TLS
#elif defined(BURSTY_TLS_MODEL)
#define BURSTY_P_TLS __attribute__((tls_model(BURSTY_TLS_MODEL))) __thread
#else
#define BURSTY_P_TLS __thread /* in C++, too: thread_local would add a call */
#endif

/* What the inline code touches. The symbol's name contains the options, so that files that differ
   in them do not link. */
typedef struct bursty_p_here_t {
    uint32_t n;
#ifdef BURSTY_TINY
    uint32_t check_count, burst_count;
    bursty_action action;
    void *user;
    uint32_t random; /* 0: no jitter */
#else
    uint32_t depth;
#if BURSTY_STACK > 0
    const bursty_site *stack[BURSTY_STACK];
#endif
#endif
} bursty_p_here_t;

#if defined(BURSTY_TINY)
#define BURSTY_P_HERE bursty_here_tiny
#elif defined(BURSTY_POLL) && defined(BURSTY_NO_TLS)
#define BURSTY_P_HERE BURSTY_P_CAT(bursty_here_poll_global_, BURSTY_STACK)
#elif defined(BURSTY_POLL)
#define BURSTY_P_HERE BURSTY_P_CAT(bursty_here_poll_tls_, BURSTY_STACK)
#elif defined(BURSTY_NO_TLS)
#define BURSTY_P_HERE BURSTY_P_CAT(bursty_here_global_, BURSTY_STACK)
#else
#define BURSTY_P_HERE BURSTY_P_CAT(bursty_here_tls_, BURSTY_STACK)
#endif
BURSTY_API BURSTY_P_TLS bursty_p_here_t BURSTY_P_HERE;

typedef struct bursty_p_scope {
    const bursty_site *site;
    uint32_t depth;
} bursty_p_scope;
typedef struct bursty_p_strip {
    uint32_t count, live;
} bursty_p_strip;

/* The slow path. hit: takes a check, sends its event if there is a site and a burst, and returns
   the profiles in a burst. event: sends an event without a check. take_slow, give_back: BURST_FOR.
   */
BURSTY_API BURSTY_P_COLD uint32_t bursty_p_hit(const bursty_site *site, uintptr_t value);
BURSTY_API BURSTY_P_COLD void bursty_p_event(const bursty_site *site, uintptr_t value,
                                             uint32_t kind);
BURSTY_API BURSTY_P_COLD bursty_p_strip bursty_p_take_slow(uint64_t left);
BURSTY_API void bursty_p_give_back(uint32_t count, uint32_t live);

/* FIRE takes a check and tells whether the slow path must look at it. LIVE takes none. */
#ifdef BURSTY_POLL
BURSTY_API uint8_t bursty_p_open;
#ifdef BURSTY_P_GNU
#define BURSTY_P_OPEN() (__atomic_load_n(&bursty_p_open, __ATOMIC_RELAXED) != 0)
#else
#define BURSTY_P_OPEN() (*(volatile uint8_t *)&bursty_p_open != 0)
#endif
#define BURSTY_P_POLLS 1
#define BURSTY_P_FIRE() BURSTY_P_UNLIKELY(BURSTY_P_OPEN())
#define BURSTY_P_LIVE() BURSTY_P_UNLIKELY(BURSTY_P_OPEN())
#else
#define BURSTY_P_POLLS 0
#define BURSTY_P_OPEN() 0
#define BURSTY_P_LIVE() BURSTY_P_UNLIKELY(BURSTY_P_TO(int32_t, BURSTY_P_HERE.n) < 0)
#if defined(__thumb2__) && defined(__GCC_ASM_FLAG_OUTPUTS__) && !defined(__clang__)
BURSTY_P_INLINE int bursty_p_fire(void) { /* gcc alone would add a cmp */
    uint32_t n = BURSTY_P_HERE.n;
    int fired;
    __asm__("subs %0, %0, #1" : "+l"(n), "=@ccmi"(fired));
    BURSTY_P_HERE.n = n;
    return fired;
}
#define BURSTY_P_FIRE() BURSTY_P_UNLIKELY(bursty_p_fire())
#else
#define BURSTY_P_FIRE() BURSTY_P_UNLIKELY(BURSTY_P_TO(int32_t, --BURSTY_P_HERE.n) < 0)
#endif
#endif

#if defined(_MSC_VER) && !defined(__clang__)
#define BURSTY_P_FUNCTION __FUNCTION__
#else
#define BURSTY_P_FUNCTION __func__
#endif

#define BURST_CHECK() (BURSTY_P_FIRE() ? bursty_p_hit(NULL, 0) != 0 : 0)
#define BURST_POINT(class_, name_, value_) \
    do { \
        static const bursty_site bursty_p_site = { name_, __FILE__, __LINE__, class_ }; \
        if (BURSTY_P_FIRE()) { bursty_p_hit(&bursty_p_site, BURSTY_P_TO(uintptr_t, value_)); } \
    } while (0)
#define BURST_ENTRY() BURST_POINT(BURSTY_CALL, BURSTY_P_FUNCTION, 0)
#define BURST_LOOP() BURST_POINT(BURSTY_BACKEDGE, BURSTY_P_FUNCTION, 0)

/* ---- scopes --------------------------------------------------------------------------------- */

/* The check comes first and the push second, so the depth of a CALL counts the scopes around it.
   Leaving restores the saved depth instead of counting down: that repairs whatever a longjmp
   skipped. */

enum {
    BURSTY_P_SCOPE_CALL = BURSTY_CALL | BURSTY_FRAME,
    BURSTY_P_SCOPE_RETURN = BURSTY_RETURN | BURSTY_FRAME
};

BURSTY_P_INLINE bursty_p_scope bursty_p_enter(const bursty_site *site) {
    bursty_p_scope scope;
    if (BURSTY_P_FIRE()) bursty_p_hit(site, 0);
    scope.site = site;
    scope.depth = 0;
#ifndef BURSTY_TINY
    scope.depth = BURSTY_P_HERE.depth;
#if BURSTY_STACK > 0
    if (scope.depth < BURSTY_STACK) BURSTY_P_HERE.stack[scope.depth] = site;
#endif
    BURSTY_P_HERE.depth = scope.depth + 1;
#endif
    return scope;
}

BURSTY_P_INLINE void bursty_p_leave(bursty_p_scope *scope) {
#ifndef BURSTY_TINY
    BURSTY_P_HERE.depth = scope->depth;
#endif
    if (BURSTY_P_LIVE()) bursty_p_event(scope->site, 0, BURSTY_P_SCOPE_RETURN);
}

#define BURSTY_P_SCOPE_SITE(name_) \
    static const bursty_site BURSTY_P_CAT(bursty_p_site_, __LINE__) = { \
        name_, __FILE__, __LINE__, BURSTY_P_SCOPE_CALL }
#if defined(BURSTY_P_GNU)
#define BURST_SCOPE(name_) \
    BURSTY_P_SCOPE_SITE(name_); \
    bursty_p_scope BURSTY_P_CAT(bursty_p_scope_, __LINE__) \
        __attribute__((cleanup(bursty_p_leave), unused)) = \
        bursty_p_enter(&BURSTY_P_CAT(bursty_p_site_, __LINE__))
#define BURST_LEAVE() do { } while (0)
#elif defined(__cplusplus)
} /* extern "C" */
struct bursty_p_scope_guard {
    bursty_p_scope scope;
    explicit bursty_p_scope_guard(const bursty_site *site) : scope(bursty_p_enter(site)) {}
    ~bursty_p_scope_guard() { bursty_p_leave(&scope); }
};
extern "C" {
#define BURST_SCOPE(name_) \
    BURSTY_P_SCOPE_SITE(name_); \
    bursty_p_scope_guard BURSTY_P_CAT(bursty_p_scope_, __LINE__)( \
        &BURSTY_P_CAT(bursty_p_site_, __LINE__))
#define BURST_LEAVE() do { } while (0)
#else /* other C compilers: write BURST_LEAVE() before each way out of a scope */
#define BURST_SCOPE(name_) \
    BURSTY_P_SCOPE_SITE(name_); \
    bursty_p_scope bursty_p_scope_here = bursty_p_enter(&BURSTY_P_CAT(bursty_p_site_, __LINE__))
#define BURST_LEAVE() bursty_p_leave(&bursty_p_scope_here)
#endif

/* ---- which copy of the code is this --------------------------------------------------------- */

/* BURST_REF, BURST_IF_RECORDING and BURST_SAME act where two things hold: this copy of the code is
   the instrumented one, and a burst is live. The first is a constant. BURST_BODY and BURST_FOR
   announce their copy by a struct tag in the block (its size is 2 in the instrumented copy, 1 in
   the plain one). BURST_DUAL and BURST_DUAL_LEAF announce it by their parameter burst_on, which
   hides the function burst_on below. In ordinary code the answer is yes. (A local variable instead
   of a tag would do the same, with a warning of -Wshadow in every nesting.) */

#if defined(__GNUC__) && !defined(__clang__) && defined(__cplusplus) /* g++: a tag shadows, too */
#define BURSTY_P_QUIET \
    _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wshadow\"")
#define BURSTY_P_LOUD _Pragma("GCC diagnostic pop")
#else
#define BURSTY_P_QUIET
#define BURSTY_P_LOUD
#endif

struct burst_copy {
    char c[3];
};
BURSTY_P_INLINE int burst_on(void) { return 1; }

#define BURSTY_P_TAG(size_) \
    BURSTY_P_QUIET struct burst_copy { char c[size_]; }; BURSTY_P_LOUD
#define BURSTY_P_OUTER_TAG() \
    BURSTY_P_QUIET struct burst_outer { char c[sizeof(struct burst_copy)]; }; BURSTY_P_LOUD
#define BURSTY_P_IN_COPY() \
    (sizeof(struct burst_copy) == 2 \
     || (sizeof(struct burst_copy) == 3 && BURSTY_P_TO(uintptr_t, burst_on) != 0))
#define BURSTY_P_RECORDING() (BURSTY_P_IN_COPY() && BURSTY_P_LIVE())

#define BURST_IF_RECORDING(...) do { if (BURSTY_P_RECORDING()) { __VA_ARGS__; } } while (0)
#define BURST_REF(class_, p_) \
    do { \
        static const bursty_site bursty_p_site = { #p_, __FILE__, __LINE__, class_ }; \
        if (BURSTY_P_RECORDING()) { \
            bursty_p_event(&bursty_p_site, BURSTY_P_TO(uintptr_t, p_), bursty_p_site.kind); \
        } \
    } while (0)

/* ---- dual-path functions (bursty-tracing Figure 2) ------------------------------------------ */

/* The body stands once in the source and twice in the code. The user's braces follow the header of
   an always-inline function with one more parameter, burst_on, a constant in each of its two uses:

       f(a)        a check; plain: body(0, a)   fires: cold_f(a), a jump
       cold_f(a)   in a burst: body(1, a)   otherwise: gives its check back and calls f, whose own
                                            check takes it again (no third copy of the body) */

/* MORE(args, list): ", a, b" for the list (a, b), or nothing if args is (). Whether a function has
   parameters is read from its arguments, because a macro cannot tell (void) from (void *p). */
#define BURSTY_P_MORE(args_, list_) \
    BURSTY_P_SECOND(BURSTY_P_HEAD args_, BURSTY_P_SOME_MORE, 0)(list_)
#define BURSTY_P_HEAD(...) BURSTY_P_HEAD_OF(__VA_ARGS__, 0)
#define BURSTY_P_HEAD_OF(head_, ...) BURSTY_P_EMPTY_##head_
#define BURSTY_P_EMPTY_ 0, BURSTY_P_NO_MORE
#define BURSTY_P_SECOND(...) BURSTY_P_SECOND_OF(__VA_ARGS__)
#define BURSTY_P_SECOND_OF(first_, second_, ...) second_
#define BURSTY_P_NO_MORE(list_)
#define BURSTY_P_SOME_MORE(list_) , BURSTY_P_STRIP list_
#define BURSTY_P_STRIP(...) __VA_ARGS__

#if defined(BURSTY_P_GNU) && !defined(__cplusplus) /* "return f();" where f returns void */
#define BURSTY_P_VOID \
    _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wpedantic\"")
#define BURSTY_P_VOID_END _Pragma("GCC diagnostic pop")
#else
#define BURSTY_P_VOID
#define BURSTY_P_VOID_END
#endif

#ifdef BURSTY_POLL
#define BURSTY_P_PLAIN(name_, args_) return bursty_p_body_##name_(0 BURSTY_P_MORE(args_, args_))
#else
#define BURSTY_P_PLAIN(name_, args_) BURSTY_P_HERE.n++; return name_ args_
#endif

#define BURSTY_P_HEADER(ret_, name_, params_, args_) \
    BURSTY_P_INLINE ret_ bursty_p_body_##name_( \
        const int burst_on BURSTY_P_UNUSED BURSTY_P_MORE(args_, params_))
#define BURST_DUAL(ret_, name_, params_, args_) \
    ret_ name_ params_; \
    BURSTY_P_HEADER(ret_, name_, params_, args_); \
    BURSTY_P_VOID \
    static BURSTY_P_COLD ret_ bursty_p_cold_##name_ params_ { \
        static const bursty_site bursty_p_site = { #name_, __FILE__, __LINE__, BURSTY_CALL }; \
        if (bursty_p_hit(&bursty_p_site, 0)) { \
            return bursty_p_body_##name_(1 BURSTY_P_MORE(args_, args_)); \
        } else { \
            BURSTY_P_PLAIN(name_, args_); \
        } \
    } \
    ret_ name_ params_ { \
        if (BURSTY_P_FIRE()) { \
            return bursty_p_cold_##name_ args_; \
        } else { \
            return bursty_p_body_##name_(0 BURSTY_P_MORE(args_, args_)); \
        } \
    } \
    BURSTY_P_VOID_END \
    BURSTY_P_HEADER(ret_, name_, params_, args_)
#define BURST_DUAL_LEAF(ret_, name_, params_, args_) \
    ret_ name_ params_; \
    BURSTY_P_HEADER(ret_, name_, params_, args_); \
    BURSTY_P_VOID \
    BURSTY_P_UNUSED static BURSTY_P_COLD ret_ bursty_p_on_##name_ params_ { \
        return bursty_p_body_##name_(1 BURSTY_P_MORE(args_, args_)); \
    } \
    ret_ name_ params_ { \
        return bursty_p_body_##name_(0 BURSTY_P_MORE(args_, args_)); \
    } \
    BURSTY_P_VOID_END \
    BURSTY_P_HEADER(ret_, name_, params_, args_)
#define BURST_SAME(name_, args_) (BURSTY_P_RECORDING() ? bursty_p_on_##name_ args_ : name_ args_)

/* ---- dual-path loops ------------------------------------------------------------------------ */

#define BURST_BODY(...) \
    { \
        BURSTY_P_OUTER_TAG() \
        if (BURSTY_P_FIRE() && bursty_p_hit(NULL, 0) && sizeof(struct burst_outer) != 2) { \
            BURSTY_P_TAG(2) __VA_ARGS__ \
        } else { \
            BURSTY_P_TAG(sizeof(struct burst_outer) == 2 ? 2 : 1) __VA_ARGS__ \
        } \
    }

/* BURST_FOR runs a counted loop in strips: the iterations of a strip get the same answer, and their
   checks are taken at once, so that nothing is left per iteration. If the body leaves by break,
   return, goto or an exception, the guard gives back the checks of the iterations that did not run.
   It reads i through a pointer to a type that may alias any other. */
#ifdef BURSTY_P_GNU
#define BURSTY_P_ALIAS __attribute__((may_alias))
#else
#define BURSTY_P_ALIAS
#endif
typedef uint8_t BURSTY_P_ALIAS bursty_p_any8;
typedef uint16_t BURSTY_P_ALIAS bursty_p_any16;
typedef uint32_t BURSTY_P_ALIAS bursty_p_any32;
typedef uint64_t BURSTY_P_ALIAS bursty_p_any64;

typedef struct bursty_p_guard {
    const void *i; /* NULL: the strip was run to its end */
    uint64_t stop;
    uint32_t size, live;
} bursty_p_guard;

BURSTY_P_INLINE bursty_p_strip bursty_p_take(uint64_t left) {
    uint32_t room = BURSTY_P_POLLS ? 4096 : BURSTY_P_HERE.n;
    bursty_p_strip strip;
    if (BURSTY_P_POLLS ? BURSTY_P_OPEN() : BURSTY_P_TO(int32_t, room) <= 0) {
        return bursty_p_take_slow(left);
    }
    strip.count = left < room ? BURSTY_P_TO(uint32_t, left) : room;
    strip.live = 0;
    if (!BURSTY_P_POLLS) BURSTY_P_HERE.n -= strip.count;
    return strip;
}

BURSTY_P_INLINE void bursty_p_unguard(bursty_p_guard *guard) {
    uint64_t i = 0, mask = UINT64_MAX;
    if (!guard->i) return;
    if (guard->size == 1) i = *BURSTY_P_CAST(const bursty_p_any8 *, guard->i);
    if (guard->size == 2) i = *BURSTY_P_CAST(const bursty_p_any16 *, guard->i);
    if (guard->size == 4) i = *BURSTY_P_CAST(const bursty_p_any32 *, guard->i);
    if (guard->size == 8) i = *BURSTY_P_CAST(const bursty_p_any64 *, guard->i);
    mask >>= 64 - 8 * guard->size;
    bursty_p_give_back(BURSTY_P_TO(uint32_t, (guard->stop - i - 1) & mask), guard->live);
}

#if defined(BURSTY_P_GNU)
#define BURSTY_P_GUARD(guard_) bursty_p_guard guard_ __attribute__((cleanup(bursty_p_unguard)))
#define BURSTY_P_BROKE(guard_) break
#elif defined(__cplusplus)
} /* extern "C" */
struct bursty_p_guarded : bursty_p_guard {
    ~bursty_p_guarded() { bursty_p_unguard(this); }
};
extern "C" {
#define BURSTY_P_GUARD(guard_) bursty_p_guarded guard_
#define BURSTY_P_BROKE(guard_) break
#else
#define BURSTY_P_GUARD(guard_) bursty_p_guard guard_
#define BURSTY_P_BROKE(guard_) bursty_p_unguard(&guard_); break
#endif

#define BURST_FOR(T_, i_, lo_, hi_, ...) \
    { \
        T_ i_ = (lo_); \
        const T_ bursty_p_hi_##i_ = (hi_); \
        BURSTY_P_OUTER_TAG() \
        while (i_ < bursty_p_hi_##i_) { \
            const bursty_p_strip bursty_p_strip_##i_ = bursty_p_take( \
                BURSTY_P_TO(uint64_t, bursty_p_hi_##i_) - BURSTY_P_TO(uint64_t, i_)); \
            const T_ bursty_p_stop_##i_ = BURSTY_P_CAST( \
                T_, BURSTY_P_TO(uint64_t, i_) + bursty_p_strip_##i_.count); \
            BURSTY_P_GUARD(bursty_p_guard_##i_); \
            bursty_p_guard_##i_.i = &i_; \
            bursty_p_guard_##i_.size = BURSTY_P_TO(uint32_t, sizeof i_); \
            bursty_p_guard_##i_.stop = BURSTY_P_TO(uint64_t, bursty_p_stop_##i_); \
            bursty_p_guard_##i_.live = bursty_p_strip_##i_.live; \
            if (bursty_p_strip_##i_.live && sizeof(struct burst_outer) != 2) { \
                BURSTY_P_TAG(2) \
                for (; i_ < bursty_p_stop_##i_; i_++) { __VA_ARGS__ } \
            } else { \
                BURSTY_P_TAG(sizeof(struct burst_outer) == 2 ? 2 : 1) \
                for (; i_ < bursty_p_stop_##i_; i_++) { __VA_ARGS__ } \
            } \
            if (i_ < bursty_p_stop_##i_) { BURSTY_P_BROKE(bursty_p_guard_##i_); } \
            bursty_p_guard_##i_.i = NULL; \
        } \
    }

/* ---- off: the same lists; no symbol, no variable, no section -------------------------------- */

#else /* BURSTY_OFF */

#define BURSTY_P_NIL(type) BURSTY_P_UNUSED static inline type
BURSTY_P_NIL(int) bursty_set_profile(int profile, const bursty_profile *p) {
    return (void)profile, (void)p, 0;
}
BURSTY_P_NIL(uint32_t) bursty_in_burst(void) { return 0; }
BURSTY_P_NIL(uint32_t) bursty_start(const bursty_config *config) { return (void)config, 1; }
BURSTY_P_NIL(int) bursty_enable(int profile, int on) { return (void)profile, (void)on, 0; }
BURSTY_P_NIL(size_t) bursty_top(bursty_row *rows, size_t max, int pairs) {
    return (void)rows, (void)max, (void)pairs, 0;
}
BURSTY_P_NIL(void) bursty_get_stats(bursty_stats *out) {
    const bursty_stats none = { 0, 0, 0, 0, 0, 0, 0, 0 };
    *out = none;
}
BURSTY_P_NIL(int) bursty_write(bursty_write_fn write, void *user) {
    return (void)write, (void)user, 0;
}
BURSTY_P_NIL(int) bursty_save(const char *path) { return (void)path, 0; }
BURSTY_P_NIL(void) bursty_clear(void) { }
BURSTY_P_NIL(uint32_t) bursty_counter(int counter) { return (void)counter, 0; }
BURSTY_P_NIL(uint32_t) bursty_depth(void) { return 0; }
BURSTY_P_NIL(void) bursty_set_depth(uint32_t depth) { (void)depth; }
BURSTY_P_NIL(void) bursty_poll(int on) { (void)on; }
BURSTY_P_NIL(void) bursty_thread_name(const char *name) { (void)name; }
BURSTY_P_NIL(void) bursty_thread_end(void) { }
BURSTY_P_NIL(void) bursty_forked(void) { }

#ifdef __cplusplus
#define BURSTY_P_UNSEEN(value_) ((void)sizeof(uintptr_t(value_)))
#else
#define BURSTY_P_UNSEEN(value_) ((void)sizeof((uintptr_t)(value_)))
#endif
#define BURSTY_P_CAT2(a, b) a##b
#define BURSTY_P_CAT(a, b) BURSTY_P_CAT2(a, b)
#define BURST_CHECK() 0
#define BURST_POINT(class_, name_, value_) do { BURSTY_P_UNSEEN(value_); } while (0)
#define BURST_ENTRY() do { } while (0)
#define BURST_LOOP() do { } while (0)
#define BURST_SCOPE(name_) enum { BURSTY_P_CAT(bursty_p_scope_, __LINE__) }
#define BURST_LEAVE() do { } while (0)
#define BURST_DUAL(ret_, name_, params_, args_) ret_ name_ params_; ret_ name_ params_
#define BURST_DUAL_LEAF(ret_, name_, params_, args_) ret_ name_ params_; ret_ name_ params_
#define BURST_SAME(name_, args_) (name_ args_)
#define BURST_BODY(...) { __VA_ARGS__ }
#define BURST_FOR(T_, i_, lo_, hi_, ...) \
    { \
        T_ i_ = (lo_); \
        const T_ bursty_p_hi_##i_ = (hi_); \
        for (; i_ < bursty_p_hi_##i_; i_++) { __VA_ARGS__ } \
    }
#define BURST_REF(class_, p_) do { BURSTY_P_UNSEEN(p_); } while (0)
#define BURST_IF_RECORDING(...) do { if (0) { __VA_ARGS__; } } while (0)

#endif /* BURSTY_OFF */

#ifdef __cplusplus
}
#endif
#endif /* BURSTY_H */

/* ---- implementation ------------------------------------------------------------------------- */

#if defined(BURSTY_IMPLEMENTATION) && !defined(BURSTY_OFF) && !defined(BURSTY_IMPLEMENTED)
#define BURSTY_IMPLEMENTED

#if defined(__cplusplus) && defined(BURSTY_P_GNU)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wold-style-cast"
#endif

#ifndef BURSTY_ASSERT
#define BURSTY_ASSERT(condition) ((void)0)
#endif

#ifndef BURSTY_STATIC
BURSTY_P_TLS bursty_p_here_t BURSTY_P_HERE;
#ifdef BURSTY_POLL
uint8_t bursty_p_open;
#endif
#endif

/* The word while the slow path runs: checks of actions and handlers count it down on the fast path.
   */
#define BURSTY_P_BUSY UINT32_C(0x40000000)

#ifdef BURSTY_TINY

/* ---- the tiny build ------------------------------------------------------------------------- */

/* This block is the whole implementation of the tiny build. It shares only the macros above with
   the full one. The word tells everything; d is the length of a gap, I of a burst:

       gap     d - 1, ..., 1, 0    the check that takes 0 to -1 is the first of a burst
       burst   -1, -2, ..., -I     the check that takes -I to -I - 1 is the first of a gap

   So -1 on entry of the slow path means "a burst begins", and below -I it ends. Without settings I
   is 0: no burst ever begins. The jitter is fixed: a gap is C - mask / 2 plus a random number
   from 0 to mask, where mask is the smallest 2^k - 1 that is at least C / 8. A division would
   cost 100 bytes. Flash and RAM: tests/firmware/run.sh. */

/* The word at the start of a gap: its length less one; 2^31 - 1 without settings. */
static uint32_t bursty_p_gap(void) {
    uint32_t n = BURSTY_P_HERE.check_count, r = BURSTY_P_HERE.random, mask = 1;
    if (r != 0) {
        r ^= r << 13;
        r ^= r >> 17;
        r ^= r << 5;
        BURSTY_P_HERE.random = r;
        while (mask < n / 8) mask += mask + 1; /* 2^k - 1 < C / 4: C - mask / 2 + [0, mask] */
        n += (r & mask) - mask / 2;
    }
    return (n - 1) & INT32_MAX;
}

BURSTY_P_INLINE void bursty_p_send(const bursty_site *site, uintptr_t value, uint32_t kind) {
    uint32_t keep = BURSTY_P_HERE.n;
    const bursty_event event = { site, value, 0, kind, 0, 0, 0, NULL };
    BURSTY_P_HERE.n = BURSTY_P_BUSY;
    BURSTY_P_HERE.action(BURSTY_P_HERE.user, &event);
    BURSTY_P_HERE.n = keep;
}

BURSTY_API void bursty_p_event(const bursty_site *site, uintptr_t value, uint32_t kind) {
    bursty_p_send(site, value, kind);
}

BURSTY_API uint32_t bursty_p_hit(const bursty_site *site, uintptr_t value) {
    if (0 - BURSTY_P_HERE.n > BURSTY_P_HERE.burst_count) {
        BURSTY_P_HERE.n = bursty_p_gap();
        return 0;
    }
    if (site) bursty_p_send(site, value, site->kind);
    return 1;
}

BURSTY_API bursty_p_strip bursty_p_take_slow(uint64_t left) {
    bursty_p_strip strip;
    uint32_t room;
    BURSTY_P_HERE.n--;
    strip.live = bursty_p_hit(NULL, 0);
    room = strip.live ? BURSTY_P_HERE.burst_count - (0 - BURSTY_P_HERE.n) : BURSTY_P_HERE.n;
    strip.count = left - 1 < room ? (uint32_t)left - 1 : room;
    BURSTY_P_HERE.n -= strip.count++;
    return strip;
}

BURSTY_API void bursty_p_give_back(uint32_t count, uint32_t live) {
    uint32_t n = BURSTY_P_HERE.n + count;
    if (live ? (int32_t)n < 0 : (int32_t)BURSTY_P_HERE.n >= 0) BURSTY_P_HERE.n = n;
}

BURSTY_API int bursty_set_profile(int profile, const bursty_profile *p) {
    BURSTY_P_HERE.burst_count = BURSTY_P_HERE.check_count = BURSTY_P_HERE.n = 0;
    if (profile != 0) return -1;
    if (p && (!p->action || (int32_t)(p->check_count | p->burst_count) < 0)) return -1;
    if (!p || p->off) return 0;
    BURSTY_P_HERE.check_count = p->check_count ? p->check_count : 990;
    BURSTY_P_HERE.action = p->action;
    BURSTY_P_HERE.user = p->user;
    BURSTY_P_HERE.random = p->jitter_percent >= 0;
    BURSTY_P_HERE.n = bursty_p_gap();
    BURSTY_P_HERE.burst_count = p->burst_count ? p->burst_count : 10;
    return 0;
}

BURSTY_API uint32_t bursty_in_burst(void) { return (int32_t)BURSTY_P_HERE.n < 0; }

#else /* the whole; from here on BURSTY_TINY is not defined */

#ifdef BURSTY_STDIO
#include <errno.h>
#include <stdio.h>
#endif
#ifdef BURSTY_PTHREAD
#include <pthread.h>
#endif

#ifndef BURSTY_PROFILES
#define BURSTY_PROFILES 8
#endif
#if BURSTY_PROFILES < 1 || BURSTY_PROFILES > 32
#error "BURSTY_PROFILES is a number from 1 to 32"
#endif
#ifndef BURSTY_MEMORY
#define BURSTY_MEMORY 65536
#endif

/* ---- pieces that the headers share ---------------------------------------------------------- */

/* [shared: sat_add] */
static uint64_t bursty_p_sat_add(uint64_t a, uint64_t b) {
    return a + b < a ? UINT64_MAX : a + b;
}
/* [end shared] */

/* [shared: crc32] CRC-32 (IEEE 802.3, reflected), four bits at a time. */
static uint32_t bursty_p_crc32(uint32_t crc, const unsigned char *data, size_t size) {
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
typedef struct bursty_p_out {
    int (*write)(void *user, const void *data, size_t size);
    void *user;
    int error; /* the first result of write that was not 0; nothing is written after it */
    uint32_t crc;
    uint64_t total;
    size_t used;
    unsigned char chunk[2 + 256 + 4];
} bursty_p_out;

static void bursty_p_little(unsigned char *at, uint64_t value, int bytes) {
    for (; bytes-- > 0; value >>= 8) *at++ = (unsigned char)(value & 255);
}

/* Writes chunk[0..size) and its checksum. */
static void bursty_p_put_block(bursty_p_out *out, size_t size) {
    out->crc = bursty_p_crc32(out->crc, out->chunk, size);
    bursty_p_little(out->chunk + size, out->crc, 4);
    if (!out->error) out->error = out->write(out->user, out->chunk, size + 4);
    out->used = 0;
}

static void bursty_p_put_flush(bursty_p_out *out) {
    if (out->used == 0) return;
    out->total += out->used;
    bursty_p_little(out->chunk, out->used, 2);
    bursty_p_put_block(out, 2 + out->used);
}

static void bursty_p_put(bursty_p_out *out, const void *data, size_t size) {
    const unsigned char *byte = (const unsigned char *)data;
    while (size--) {
        out->chunk[2 + out->used++] = *byte++;
        if (out->used == 256) bursty_p_put_flush(out);
    }
}

static void bursty_p_put_varint(bursty_p_out *out, uint64_t value) {
    unsigned char byte;
    do {
        byte = (unsigned char)((value & 127) | (value > 127 ? 128 : 0));
        bursty_p_put(out, &byte, 1);
        value >>= 7;
    } while (value);
}

static void bursty_p_put_begin(bursty_p_out *out, uint32_t kind,
                               int (*write)(void *user, const void *data, size_t size),
                               void *user) {
    out->write = write;
    out->user = user;
    out->error = 0;
    out->crc = 0;
    out->total = 0;
    bursty_p_little(out->chunk, UINT32_C(0x54535242), 4); /* "BRST" */
    bursty_p_little(out->chunk + 4, 1, 2);
    bursty_p_little(out->chunk + 6, kind, 2);
    bursty_p_little(out->chunk + 8, 0, 4);
    bursty_p_put_block(out, 12);
}

static int bursty_p_put_end(bursty_p_out *out) {
    bursty_p_put_flush(out);
    bursty_p_little(out->chunk, 0, 2);
    bursty_p_little(out->chunk + 2, out->total, 8);
    bursty_p_put_block(out, 10);
    return out->error;
}
/* [end shared] */

/* ---- what threads share --------------------------------------------------------------------- */

#ifdef BURSTY_NO_TLS
#define BURSTY_P_GET(p) (*(p))
#define BURSTY_P_PUT(p, v) ((void)(*(p) = (v)))
#define BURSTY_P_ACQUIRE(p) (*(p))
#define BURSTY_P_RELEASE(p, v) ((void)(*(p) = (v)))
BURSTY_P_INLINE uint32_t bursty_p_add(uint32_t *p, uint32_t v) {
    uint32_t old = *p;
    *p += v;
    return old;
}
BURSTY_P_INLINE int bursty_p_cas(uint32_t *p, uint32_t old, uint32_t v) {
    if (*p != old) return 0;
    *p = v;
    return 1;
}
#else
#define BURSTY_P_GET(p) __atomic_load_n(p, __ATOMIC_RELAXED)
#define BURSTY_P_PUT(p, v) __atomic_store_n(p, v, __ATOMIC_RELAXED)
#define BURSTY_P_ACQUIRE(p) __atomic_load_n(p, __ATOMIC_ACQUIRE)
#define BURSTY_P_RELEASE(p, v) __atomic_store_n(p, v, __ATOMIC_RELEASE)
BURSTY_P_INLINE uint32_t bursty_p_add(uint32_t *p, uint32_t v) {
    return __atomic_fetch_add(p, v, __ATOMIC_RELAXED);
}
BURSTY_P_INLINE int bursty_p_cas(uint32_t *p, uint32_t old, uint32_t v) {
    return __atomic_compare_exchange_n(p, &old, v, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}
#endif

/* A 64-bit count has one writer, its thread, and any reader. 64-bit stores are not atomic on every
   machine, so it is two halves. Adding changes the low half alone, as long as that does not
   overflow. When it does, the writer first sets the high half to all ones, which means "being
   written", then the low half, then the high half. A reader tries again while it sees all ones, or
   a high half that changed around its reading of the low one. A sum whose high half would be all
   ones is stored as
   2^64 - 1, where the count stays. */
typedef struct bursty_p_count {
    uint32_t half[2]; /* low, high */
} bursty_p_count;

BURSTY_P_INLINE uint64_t bursty_p_read(const bursty_p_count *c) {
    uint32_t low, high;
    do {
        high = BURSTY_P_ACQUIRE(&c->half[1]);
        low = BURSTY_P_ACQUIRE(&c->half[0]);
    } while (high != BURSTY_P_ACQUIRE(&c->half[1]) || (high == UINT32_MAX && low != UINT32_MAX));
    return (uint64_t)high << 32 | low;
}

static BURSTY_P_COLD void bursty_p_carry(bursty_p_count *c, uint64_t v) {
    uint64_t old = (uint64_t)BURSTY_P_GET(&c->half[1]) << 32 | BURSTY_P_GET(&c->half[0]);
    uint64_t sum = bursty_p_sat_add(old, v);
    if (sum >> 32 == UINT32_MAX) sum = UINT64_MAX;
    BURSTY_P_RELEASE(&c->half[1], UINT32_MAX);
    BURSTY_P_RELEASE(&c->half[0], (uint32_t)sum);
    BURSTY_P_RELEASE(&c->half[1], (uint32_t)(sum >> 32));
}

BURSTY_P_INLINE void bursty_p_count_up(bursty_p_count *c, uint64_t v) {
    uint32_t low = BURSTY_P_GET(&c->half[0]);
    if (v <= UINT32_MAX - low) BURSTY_P_PUT(&c->half[0], low + (uint32_t)v);
    else bursty_p_carry(c, v);
}

static void bursty_p_reset(bursty_p_count *c) {
    BURSTY_P_PUT(&c->half[0], 0);
    BURSTY_P_PUT(&c->half[1], 0);
}

/* ---- memory --------------------------------------------------------------------------------- */

/* | thread 0 | thread 1 | ... | row 0 | row 1 | ... | index |

   A quarter of the memory is thread records, the rest is the hot table. Threads are numbered in the
   order in which they register. A record is never given back, but a later thread may take over that
   of a thread that has ended. */

enum { BURSTY_P_FREE, BURSTY_P_USED, BURSTY_P_ENDED };
#define BURSTY_P_SPAN UINT32_C(65536)  /* the longest wait until a thread looks at new settings */
#define BURSTY_P_EVER UINT64_MAX       /* `left` of a profile whose phase never ends            */

typedef struct bursty_p_row {
    const bursty_site *site, *caller;
    bursty_p_count count, weight, ticks;
    uint32_t thread, order; /* order: scratch of bursty_top */
} bursty_p_row;

/* One profile on one thread. Its phases are gap, burst, gap, burst, ... */
typedef struct bursty_p_sampler {
    bursty_profile set;
    uint64_t left;            /* checks until the phase ends                 */
    uint32_t stamp;           /* of the settings in `set`                    */
    uint32_t in_burst;
    uint32_t number;          /* of the burst                                */
    uint32_t awake_left;      /* bursts until hibernation                    */
    uint32_t gap;             /* the mean length of gaps that was last used  */
    uint32_t weight_256;
} bursty_p_sampler;

typedef struct bursty_p_thread {
    uint32_t state, number, reuses;
    const char *name;
    bursty_p_count checks, burst_checks, lost;
    bursty_p_count bursts[BURSTY_PROFILES], events[BURSTY_PROFILES];
    uint32_t random;          /* from here on zero when a thread registers   */
    uint32_t in_slow;         /* 1: delivering an event; 2: at a look        */
    uint32_t kept;            /* the word to go on with after the event      */
    uint32_t span;            /* checks from the last look to the next       */
    uint32_t live;            /* profiles in a burst, as bits                */
    uint32_t generation;      /* of the settings that were taken over        */
    uint32_t opening;         /* of bursty_poll                              */
    uint32_t active;          /* profiles that run, as bits                  */
    uint32_t conditional;     /* profiles with a condition or with rules     */
    uint32_t framed;          /* profiles that get BEGIN or END              */
    uint32_t counter[8];      /* conditional control                         */
    uint8_t zero, overflow;
    bursty_p_count *only;     /* see bursty_p_note_only                      */
    uint32_t only_weight_256;
    bursty_p_row *recent[16]; /* see bursty_p_recent                         */
    const bursty_site *last_site, *last_caller; /* whose time is running     */
    uint64_t last_ticks;      /* since when                                  */
    uint64_t phase_checks, phase_ticks;         /* budget                    */
    uint64_t plain_256, extra_256, factor;
    bursty_p_sampler sampler[BURSTY_PROFILES];
} bursty_p_thread;

typedef struct bursty_p_slot {
    bursty_profile set;
    uint32_t stamp, used;
} bursty_p_slot;

static struct {
    bursty_config config;
    bursty_p_slot slot[BURSTY_PROFILES];
    uint32_t lock, epoch, generation, opening, lost_threads;
    bursty_p_thread *threads;
    uint32_t thread_room, thread_count;
    bursty_p_row *rows;
    uint32_t *index;
    uint32_t row_room, row_count, index_mask;
    uint64_t clock_cost;
} bursty_p_all;

static BURSTY_P_TLS struct {
    bursty_p_thread *thread;
    uint32_t epoch, ended;
} bursty_p_mine;

static const bursty_site bursty_p_burst_site = { "(burst)", "", 0, BURSTY_BEGIN };
#if BURSTY_STACK > 0
static const bursty_site bursty_p_deep_site = { "(deep)", "", 0, BURSTY_P_SCOPE_CALL };
#endif

static uint32_t bursty_p_threads(void) {
    uint32_t count = BURSTY_P_ACQUIRE(&bursty_p_all.thread_count);
    return count < bursty_p_all.thread_room ? count : bursty_p_all.thread_room;
}

static void bursty_p_zero(void *memory, size_t bytes) {
    unsigned char *byte = (unsigned char *)memory;
    while (bytes--) *byte++ = 0;
}

static uint32_t bursty_p_mix(uint32_t h, uint32_t v) {
    h = (h ^ v) * UINT32_C(0x9E3779B1);
    return h ^ h >> 15;
}

/* xorshift, never 0 */
static uint32_t bursty_p_random(bursty_p_thread *t) {
    uint32_t r = t->random;
    r ^= r << 13;
    r ^= r >> 17;
    r ^= r << 5;
    return t->random = r;
}

static uint32_t bursty_p_below(bursty_p_thread *t, uint32_t limit) {
    return (uint32_t)((uint64_t)bursty_p_random(t) * limit >> 32);
}

static uint64_t bursty_p_clock(void) {
    const bursty_config *config = &bursty_p_all.config;
    return config->clock ? config->clock(config->clock_user) : 0;
}

static void bursty_p_lock(void) {
    while (!bursty_p_cas(&bursty_p_all.lock, 0, 1)) { }
}

static void bursty_p_unlock(void) { BURSTY_P_RELEASE(&bursty_p_all.lock, 0); }

/* The innermost of depth scopes, or NULL. */
static const bursty_site *bursty_p_caller(uint32_t depth) {
#if BURSTY_STACK > 0
    if (depth == 0) return NULL;
    return depth <= BURSTY_STACK ? BURSTY_P_HERE.stack[depth - 1] : &bursty_p_deep_site;
#else
    (void)depth;
    return NULL;
#endif
}

/* ---- the hot table -------------------------------------------------------------------------- */

/* index   | 0 | 3 | 0 | 1 | 2 | 0 | ...       open addressing; holds a row's number + 1, or 0
                 |       |   |
   rows    | (main, a, thread 0) | (a, b, thread 0) | (main, a, thread 1) | free ...

   A row is the count of one pair (caller, site) of one thread. Rows are claimed in the order of
   first sight, so that a dump does not depend on addresses. Claiming is a compare-and-swap that
   raises row_count by 1, up to row_room; publishing is a compare-and-swap of the slot. Invariant:
   a row is written by its thread alone, a slot changes once, and a row in the index never moves.
   So nobody waits, and a search needs no lock: a row that another thread has put into the slot
   meanwhile is a different one, and the search goes on. Cost: one or two probes, as the index is
   at most 3/4 full. */

static bursty_p_row *bursty_p_claim(void) {
    uint32_t number;
    do {
        number = BURSTY_P_GET(&bursty_p_all.row_count);
        if (number >= bursty_p_all.row_room) return NULL;
    } while (!bursty_p_cas(&bursty_p_all.row_count, number, number + 1));
    return &bursty_p_all.rows[number];
}

/* The thread's row for (caller, site), made at first sight; NULL if the table is full. */
static bursty_p_row *bursty_p_row_of(const bursty_p_thread *t, const bursty_site *site,
                                     const bursty_site *caller) {
    uint32_t h = bursty_p_mix((uint32_t)((uintptr_t)site >> 3), (uint32_t)((uintptr_t)caller >> 3));
    bursty_p_row *fresh = NULL;
    for (h = bursty_p_mix(h, t->number);; h++) {
        uint32_t *slot = &bursty_p_all.index[h & bursty_p_all.index_mask];
        uint32_t number = BURSTY_P_ACQUIRE(slot);
        bursty_p_row *row;
        if (number == 0) {
            if (!fresh) {
                fresh = bursty_p_claim();
                if (!fresh) return NULL;
                fresh->caller = caller;
                fresh->thread = t->number;
                BURSTY_P_RELEASE(&fresh->site, site);
            }
            if (bursty_p_cas(slot, 0, (uint32_t)(fresh - bursty_p_all.rows) + 1)) return fresh;
            number = BURSTY_P_ACQUIRE(slot);
        }
        row = &bursty_p_all.rows[number - 1];
        if (row->site == site && row->caller == caller && row->thread == t->number) return row;
    }
}

/* Where the row of the last event of (caller, site) is noted, in the plain case t->only. Events
   come from few sites, so that these 16 places save most searches. */
BURSTY_P_INLINE bursty_p_row **bursty_p_recent(bursty_p_thread *t, const bursty_site *site,
                                               const bursty_site *caller) {
    uintptr_t s = (uintptr_t)site, c = (uintptr_t)caller;
    return &t->recent[(s >> 3 ^ s >> 7 ^ c >> 4) & 15];
}

static void bursty_p_tally(bursty_p_thread *t, const bursty_site *site, uint32_t kind,
                           uint32_t depth, uint32_t weight_256) {
    bursty_p_row *row;
    if (kind & BURSTY_RETURN) return;
    row = bursty_p_row_of(t, site, bursty_p_caller(depth));
    if (!row) {
        bursty_p_count_up(&t->lost, 1);
        return;
    }
    if (t->only) *bursty_p_recent(t, site, row->caller) = row;
    bursty_p_count_up(&row->count, 1);
    bursty_p_count_up(&row->weight, weight_256);
}

/* ---- whose time is running ------------------------------------------------------------------ */

/* With clock_hz, the time between two events of one burst belongs to a row: last_site, last_caller.
   Each event first charges the time since the event before it to that row, and then says which
   row's time is running from now on:

       main {   a {    loop   point  }      p   }
       BEGIN   CALL a  BACK.  USER  RETURN a  USER  END
       |  main |   a   |  a   |  a  |  main  | main |        the innermost scope around the moment
       outside of all scopes the time belongs to the point that was seen last

     an event outside of all scopes, or the entry of a scope   the event's own site
     the return of a scope, or a point inside a scope          the innermost scope around it

   Between BEGIN and the first event it is the innermost scope of the moment. In a gap no time runs:
   last_site is NULL. The time is multiplied by the burst's weight. (The call itself may lie in an
   earlier, unsampled interval.) The cost of recording is left out: the clock is read when an event
   comes and again when it is done, and the cost of one reading is taken off. */

static void bursty_p_charge(bursty_p_thread *t, uint64_t ticks, uint32_t weight_256) {
    uint64_t elapsed = ticks - t->last_ticks;
    bursty_p_row *row;
    if (!t->last_site || ticks <= t->last_ticks || elapsed <= bursty_p_all.clock_cost) return;
    elapsed -= bursty_p_all.clock_cost;
    if (elapsed >> 39) elapsed = (UINT64_C(1) << 39) - 1;
    row = bursty_p_row_of(t, t->last_site, t->last_caller);
    if (!row) return;
    elapsed = elapsed >> 32 ? (elapsed >> 8) * weight_256 : elapsed * weight_256 >> 8;
    bursty_p_count_up(&row->ticks, elapsed);
}

static void bursty_p_time_runs_for(bursty_p_thread *t, const bursty_site *site, uint32_t depth) {
    t->last_site = site;
    t->last_caller = bursty_p_caller(depth);
}

static void bursty_p_spend(bursty_p_thread *t, const bursty_event *e) {
    const bursty_site *scope = bursty_p_caller(e->depth);
    int entry = (e->kind & BURSTY_FRAME) && !(e->kind & BURSTY_RETURN);
    bursty_p_charge(t, e->ticks, e->weight_256);
    if (!scope || entry) bursty_p_time_runs_for(t, e->site, e->depth);
    else bursty_p_time_runs_for(t, scope, e->depth - 1);
}

/* ---- conditional control -------------------------------------------------------------------- */

/* hybrid-profiling-support, Figures 3 and 4; the hardware matches all productions of an instruction
   in parallel, hence conditions before operations. For Figure 4's two counters, with check_count 4,
   burst_count 2 and one INC per event (c1 UNTIL 3 while not sampling, c2 UNTIL 2 while sampling):

       event           1    2    3    4    5    6    7
       c1 before it   -3   -2   -1    0    0    0   -3       0: overflow_1 is set
       c2 before it   -2   -2   -2   -2   -1    0   -2
       condition       .    .    .    x    x    .    .       overflow_1 and not overflow_2
       operation     inc1 inc1 inc1 inc2 inc2 reset inc1 */

static int bursty_p_used(const bursty_term *term) {
    return (term->zero | term->not_zero | term->overflow | term->not_overflow) != 0;
}

static int bursty_p_has_terms(const bursty_when *when) {
    const bursty_term *any = when->any;
    return bursty_p_used(&any[0]) || bursty_p_used(&any[1]) || bursty_p_used(&any[2]);
}

static int bursty_p_holds(const bursty_when *when, uint32_t zero, uint32_t overflow) {
    int i;
    for (i = 0; i < 3; i++) {
        const bursty_term *term = &when->any[i];
        int wrong_zero = (term->zero & ~zero) || (term->not_zero & zero);
        int wrong_overflow = (term->overflow & ~overflow) || (term->not_overflow & overflow);
        if (bursty_p_used(term) && !wrong_zero && !wrong_overflow) return 1;
    }
    return !bursty_p_has_terms(when);
}

static void bursty_p_operate(bursty_p_thread *t, const bursty_op *op) {
    uint32_t i = op->counter & 7u, bit = 1u << i, v = t->counter[i];
    uint32_t overflow = t->overflow & bit;
    switch (op->op) {
    case BURSTY_INC:
        if (++v == 0) overflow = bit;
        break;
    case BURSTY_DEC:
        if (v-- == 0) overflow = bit;
        break;
    case BURSTY_SET:
        v = op->value;
        overflow = 0;
        break;
    default:
        v = 0 - op->value;
        overflow = v == 0 ? bit : 0;
        break;
    }
    t->counter[i] = v;
    t->overflow = (uint8_t)((t->overflow & ~bit) | overflow);
    t->zero = (uint8_t)((t->zero & ~bit) | (v == 0 ? bit : 0));
}

/* Returns the profiles of mask whose condition holds for this event; then runs their rules. */
static uint32_t bursty_p_control(bursty_p_thread *t, uint32_t mask, uint32_t kind) {
    uint32_t zero = t->zero, overflow = t->overflow, hits = mask, p, i, j;
    for (p = 0; p < BURSTY_PROFILES; p++) {
        const bursty_profile *set = &t->sampler[p].set;
        if (!(mask >> p & 1)) continue;
        if (!bursty_p_holds(&set->when, zero, overflow)) hits &= ~(1u << p);
        for (i = 0; i < set->rule_count; i++) {
            const bursty_rule *rule = &set->rules[i];
            if (!((rule->classes ? rule->classes : (uint32_t)BURSTY_ANY) & kind)) continue;
            if (!bursty_p_holds(&rule->when, zero, overflow)) continue;
            for (j = 0; j < rule->op_count; j++) bursty_p_operate(t, &rule->op[j]);
        }
    }
    return hits;
}

/* ---- events --------------------------------------------------------------------------------- */

/* Sends one event to every profile in mask whose classes and condition take it. In the plain case,
   t->only, no event is made at all. */
static void bursty_p_send(bursty_p_thread *t, uint32_t mask, const bursty_site *site,
                          uintptr_t value, uint32_t kind, uint32_t depth) {
    uint32_t p, spent = 0;
    bursty_event event;
    if (t->only && (kind & BURSTY_ANY)) {
        bursty_p_count_up(t->only, 1);
        bursty_p_tally(t, site, kind, depth, t->only_weight_256);
        return;
    }
    if (mask & t->conditional) mask = bursty_p_control(t, mask, kind);
    event.site = site;
    event.value = value;
    event.ticks = mask && bursty_p_all.config.clock_hz ? bursty_p_clock() : 0;
    event.kind = kind;
    event.depth = depth;
    event.stack = NULL;
#if BURSTY_STACK > 0
    event.stack = BURSTY_P_HERE.stack;
#endif
    for (p = 0; p < BURSTY_PROFILES && mask >> p; p++) {
        bursty_p_sampler *s = &t->sampler[p];
        if (!(mask >> p & 1) || !(s->set.classes & kind)) continue;
        event.burst = s->number;
        event.weight_256 = s->weight_256;
        bursty_p_count_up(&t->events[p], 1);
        if (s->set.action) {
            s->set.action(s->set.user, &event);
            continue;
        }
        bursty_p_tally(t, site, kind, depth, s->weight_256);
        if (!bursty_p_all.config.clock_hz) continue;
        bursty_p_spend(t, &event);
        spent = 1;
    }
    if (spent) t->last_ticks = bursty_p_clock();
}

/* Sends END to the profiles in ended and BEGIN to those in begun. The time of the hot table stops
   and starts with them. */
static void bursty_p_bounds(bursty_p_thread *t, uint32_t ended, uint32_t begun) {
    uint32_t depth = BURSTY_P_HERE.depth, p, bit;
    const bursty_site *inner = bursty_p_caller(depth);
    if (ended & t->framed) {
        bursty_p_send(t, ended & t->framed, &bursty_p_burst_site, 0, BURSTY_END, depth);
    }
    for (p = 0; p < BURSTY_PROFILES && bursty_p_all.config.clock_hz; p++) {
        bit = 1u << p;
        if (!((ended | begun) & bit) || t->sampler[p].set.action) continue;
        if (ended & bit) bursty_p_charge(t, bursty_p_clock(), t->sampler[p].weight_256);
        t->last_site = NULL;
        if ((begun & bit) && inner) bursty_p_time_runs_for(t, inner, depth - 1);
        t->last_ticks = bursty_p_clock();
    }
    if (begun & t->framed) {
        bursty_p_send(t, begun & t->framed, &bursty_p_burst_site, 0, BURSTY_BEGIN, depth);
    }
}

/* ---- the budget ----------------------------------------------------------------------------- */

/*      gap (C checks)          burst (I checks)           gap
   | plain: u per check | u + x per check, 2 clocks |  plain ...
   ^ phase_ticks        ^ look: u is updated        ^ look: x is updated, then C

   u is the time per check between bursts, x what a check costs more in a burst. Both are means that
   move by an eighth of the difference, and a value above 4 times the mean counts as 4 times the
   mean, so that a preemption does little harm. A profile alone spends I x on C u of time. Its share
   is the budget b when C = I (x / (b u) - 1). Several profiles share one factor f: each uses C f.
       f = (x / (b u) - 1) * sum of I / C        b = budget_ppm / 1 000 000
   In the code: plain_256 = 256 u, extra_256 = 256 x, most = 16 x / (b u), factor = 2^16 f, and
   shares = 2^20 times the sum. The factor changes at most by 2 in one step. Cost: two clock
   readings per burst. A phase in which the clock went back or jumped (by 2^48) is left out. */

static uint64_t bursty_p_mean(uint64_t mean, uint64_t value) {
    if (mean == 0) return value;
    if (value > 4 * mean) value = 4 * mean;
    return value > mean ? mean + (value - mean + 7) / 8 : mean - (mean - value) / 8;
}

static uint64_t bursty_p_clip(uint64_t value, uint64_t least, uint64_t most) {
    return value < least ? least : value > most ? most : value;
}

/* A phase of the thread, in which profiles were in a burst or none was, has ended. */
static void bursty_p_budget(bursty_p_thread *t, int was_burst) {
    uint64_t now = bursty_p_clock(), elapsed = now - t->phase_ticks, checks = t->phase_checks;
    uint64_t shares = 0, goal, most;
    uint32_t p;
    t->phase_ticks = now;
    t->phase_checks = 0;
    if (checks == 0 || elapsed >> 48) return;
    if (!was_burst) {
        t->plain_256 = bursty_p_mean(t->plain_256, elapsed * 256 / checks);
        return;
    }
    elapsed = elapsed * 256 + 512 * bursty_p_all.clock_cost;
    goal = checks * t->plain_256;
    t->extra_256 = bursty_p_mean(t->extra_256, elapsed > goal ? (elapsed - goal) / checks : 0);
    if (t->plain_256 == 0) return;
    for (p = 0; p < BURSTY_PROFILES; p++) {
        const bursty_profile *set = &t->sampler[p].set;
        if (!(t->active >> p & 1) || set->check_count == BURSTY_ALWAYS) continue;
        shares += ((uint64_t)set->burst_count << 20) / set->check_count;
    }
    most = UINT64_C(1) << 40;
    if (t->extra_256 < most) most = t->extra_256 * 1000000 / bursty_p_all.config.budget_ppm;
    most = bursty_p_clip(most * 16 / t->plain_256, 0, UINT64_C(1) << 32);
    shares = bursty_p_clip(shares, 0, UINT64_C(1) << 34);
    goal = most > 16 ? (most - 16) * (shares >> 4) / 16 : 0;
    if (goal > 2 * t->factor) goal = 2 * t->factor;
    if (goal < t->factor / 2) goal = t->factor / 2;
    t->factor = bursty_p_clip(goal, 16, UINT64_C(1) << 46);
}

/* ---- the schedule --------------------------------------------------------------------------- */

/* word    4 | 3  2  1  0 | -1 -2 -3 | 4  3  2  1  0 | -1 ...     check_count C = 5, burst_count
               gap          burst      gap             burst      I = 3
           ^ look         ^ look     ^ look          ^ look
           in bursty_start, before the first check

   A thread looks at its schedule at the first check after a phase of any profile has ended. The
   look computes live (who is in a burst) and span: this check and the span - 1 checks after it get
   the same answer. It sets n = live ? 0 : span, and then this check takes its 1. Invariant: at the
   next look exactly span checks have passed, whether n came down from span or from 0. It is
   suspended while the slow path runs (the word is then some large number), and a look may come
   early, from bursty_set_profile for example; then fewer have passed: live ? -n : span - n.

   Every profile keeps the sequence that it would have alone: I checks in a burst, then a gap, and
   so on; span is the nearest end of a phase. The length of a gap is drawn evenly from C - j to
   C + j, where j is jitter_percent of C, and is at least 1. A budget multiplies C by the thread's
   factor first. After every awake_count bursts, hibernate_count periods of C + I are added.
   Without jitter the first gap is C - 1, as in bursty-tracing Figure 3. With jitter a thread starts
   at a random place of its period C + I, which may be inside a burst. With a fixed start, threads
   shorter than C would never be sampled.

   Cost: a look is O(profiles). There are two in a period of C + I checks, and one in 65 536 checks
   at least, which is also how long new settings wait. Checks inside a burst each take the slow
   path.

   With BURSTY_POLL the gap has no length: a look while bursty_p_open is 1 begins a burst of every
   profile once in an opening, and the phase after it lasts until the next opening. The word is then
   counted by the slow path alone. */

static uint32_t bursty_p_gap(bursty_p_thread *t, bursty_p_sampler *s) {
    uint64_t gap = s->set.check_count;
    uint32_t spread;
    if (t->factor) {
        gap = gap >> 20 ? (gap * (t->factor >> 8)) >> 8 : gap * t->factor >> 16;
        if (gap < 100) gap = s->set.check_count < 100 ? s->set.check_count : 100;
        if (gap > BURSTY_P_BUSY) gap = BURSTY_P_BUSY;
    }
    s->gap = (uint32_t)gap;
    if (s->set.jitter_percent <= 0) return s->gap;
    spread = (uint32_t)(gap * (uint32_t)s->set.jitter_percent / 100);
    gap = gap - spread + bursty_p_below(t, 2 * spread + 1);
    return gap ? (uint32_t)gap : 1;
}

/* How many events one of this burst stands for: (C + I) / I of the gap before it, times the share
   that hibernation leaves. */
static uint32_t bursty_p_weigh(const bursty_p_sampler *s) {
    const bursty_profile *set = &s->set;
    uint64_t weight = 256, periods = (uint64_t)set->awake_count + set->hibernate_count;
    if (set->check_count == BURSTY_ALWAYS || BURSTY_P_POLLS) return 256;
    weight = bursty_p_clip(((uint64_t)s->gap + set->burst_count) * 256 / set->burst_count, 0,
                           UINT32_MAX);
    if (set->awake_count && weight < UINT32_MAX) {
        weight = weight * bursty_p_clip(periods, 0, UINT32_MAX) / set->awake_count;
    }
    return (uint32_t)bursty_p_clip(weight, 0, UINT32_MAX);
}

static void bursty_p_begin(bursty_p_sampler *s, uint64_t left) {
    s->in_burst = 1;
    s->left = left;
    s->weight_256 = bursty_p_weigh(s);
}

static void bursty_p_next_phase(bursty_p_thread *t, bursty_p_sampler *s) {
    if (!s->in_burst) {
        bursty_p_begin(s, s->set.burst_count);
        return;
    }
    s->in_burst = 0;
    s->left = BURSTY_P_EVER;
    if (BURSTY_P_POLLS) return;
    s->left = bursty_p_gap(t, s);
    if (s->set.awake_count && --s->awake_left == 0) {
        s->awake_left = s->set.awake_count;
        s->left += (uint64_t)s->set.hibernate_count * ((uint64_t)s->gap + s->set.burst_count);
    }
}

/* A profile's first phase on a thread. */
static void bursty_p_first_phase(bursty_p_thread *t, bursty_p_sampler *s) {
    uint32_t drawn, gap, burst = s->set.burst_count;
    s->in_burst = 0;
    s->left = BURSTY_P_EVER;
    s->awake_left = s->set.awake_count;
    if (BURSTY_P_POLLS) return;
    if (s->set.check_count == BURSTY_ALWAYS) {
        bursty_p_begin(s, BURSTY_P_EVER);
        return;
    }
    gap = bursty_p_gap(t, s);
    s->weight_256 = bursty_p_weigh(s);
    s->left = gap - 1;
    if (s->set.jitter_percent <= 0) return;
    drawn = bursty_p_below(t, s->gap + burst);
    s->in_burst = drawn < burst;
    s->left = drawn < burst ? burst - drawn : s->gap + burst - drawn;
}

/* Takes over what bursty_set_profile changed. If another thread has the lock, it is left for the
   next look. An action that gets the END of a changed profile may call us; so the lock is not held
   then, and what changes meanwhile is taken over at the next look. */
static void bursty_p_take_settings(bursty_p_thread *t) {
    uint32_t changed = 0, generation, ended, p;
    if (!bursty_p_cas(&bursty_p_all.lock, 0, 1)) return;
    generation = BURSTY_P_GET(&bursty_p_all.generation);
    for (p = 0; p < BURSTY_PROFILES; p++) {
        if (bursty_p_all.slot[p].stamp != t->sampler[p].stamp) changed |= 1u << p;
    }
    ended = changed & t->live;
    if (ended) {
        bursty_p_unlock();
        bursty_p_bounds(t, ended, 0);
        t->live &= ~ended;
        t->only = NULL;
        if (!bursty_p_cas(&bursty_p_all.lock, 0, 1)) return;
    }
    for (p = 0; p < BURSTY_PROFILES; p++) {
        bursty_p_sampler *s = &t->sampler[p];
        const bursty_p_slot *slot = &bursty_p_all.slot[p];
        uint32_t bit = 1u << p;
        if (!(changed & bit)) continue;
        s->set = slot->set;
        s->stamp = slot->stamp;
        t->active &= ~bit;
        t->conditional &= ~bit;
        t->framed &= ~bit;
        if (!slot->used || s->set.off) continue;
        t->active |= bit;
        if (s->set.rule_count || bursty_p_has_terms(&s->set.when)) t->conditional |= bit;
        if (s->set.rule_count || (s->set.classes & (BURSTY_BEGIN | BURSTY_END))) t->framed |= bit;
        bursty_p_first_phase(t, s);
    }
    t->generation = generation;
    bursty_p_unlock();
}

/* If the one profile in a burst only counts (hot table, all classes, no condition, no time), notes
   where its events are counted and what they weigh, so that bursty_p_send needs no event. */
static void bursty_p_note_only(bursty_p_thread *t) {
    uint32_t live = t->live, p = 0;
    t->only = NULL;
    if (live == 0 || (live & (live - 1)) || (live & t->conditional)) return;
    if (bursty_p_all.config.clock_hz) return;
    while (!(live >> p & 1)) p++;
    if (t->sampler[p].set.action || t->sampler[p].set.classes != BURSTY_ANY) return;
    t->only = &t->events[p];
    t->only_weight_256 = t->sampler[p].weight_256;
}

static void bursty_p_go_live(bursty_p_thread *t, uint32_t live) {
    uint32_t was = t->live, begun = live & ~was, p;
    t->only = NULL;
    if (was & ~live) bursty_p_bounds(t, was & ~live, 0);
    if (t->factor && !was != !live) bursty_p_budget(t, was != 0);
    t->live = live;
    for (p = 0; p < BURSTY_PROFILES && begun >> p; p++) {
        if (!(begun >> p & 1)) continue;
        t->sampler[p].number++;
        bursty_p_count_up(&t->bursts[p], 1);
    }
    if (begun) bursty_p_bounds(t, 0, begun);
    bursty_p_note_only(t);
}

/* An opening of bursty_poll that this thread has not seen. */
BURSTY_P_INLINE int bursty_p_reopened(const bursty_p_thread *t) {
    return BURSTY_P_POLLS && BURSTY_P_OPEN() && t->opening != BURSTY_P_GET(&bursty_p_all.opening);
}

static void bursty_p_begin_opening(bursty_p_thread *t) {
    uint32_t p;
    t->opening = BURSTY_P_GET(&bursty_p_all.opening);
    bursty_p_go_live(t, 0);
    for (p = 0; p < BURSTY_PROFILES; p++) {
        if (t->active >> p & 1) bursty_p_begin(&t->sampler[p], t->sampler[p].set.burst_count);
    }
}

/* A look: `passed` checks have passed since the last one. Returns the word, before the check that
   asked (if there is one) takes its 1. */
static uint32_t bursty_p_look(bursty_p_thread *t, uint32_t passed) {
    uint32_t live = 0, p;
    uint64_t span = BURSTY_P_SPAN;
    if (passed > t->span) passed = t->span; /* a fresh record has span 0 and any word */
    bursty_p_count_up(&t->checks, passed);
    if (t->live) bursty_p_count_up(&t->burst_checks, passed);
    t->phase_checks += passed;
    for (p = 0; p < BURSTY_PROFILES && t->active >> p; p++) {
        bursty_p_sampler *s = &t->sampler[p];
        if ((t->active >> p & 1) && s->left != BURSTY_P_EVER) s->left -= passed;
    }
    if (t->generation != BURSTY_P_GET(&bursty_p_all.generation)) bursty_p_take_settings(t);
    if (bursty_p_reopened(t)) bursty_p_begin_opening(t);
    for (p = 0; p < BURSTY_PROFILES && t->active >> p; p++) {
        bursty_p_sampler *s = &t->sampler[p];
        if (!(t->active >> p & 1)) continue;
        while (s->left == 0) bursty_p_next_phase(t, s);
        if (s->in_burst) live |= 1u << p;
        if (s->left < span) span = s->left;
    }
    if (t->generation != BURSTY_P_GET(&bursty_p_all.generation) && span > 256) span = 256;
    if (live != t->live) bursty_p_go_live(t, live);
    t->span = (uint32_t)span;
    return live ? 0 : t->span;
}

/* n is the word before the next check. Returns it, after a look if one is due. */
BURSTY_P_INLINE uint32_t bursty_p_advance(bursty_p_thread *t, uint32_t n) {
    uint32_t passed = t->live ? 0 - n : t->span - n;
    if (passed < t->span && !bursty_p_reopened(t)) return n;
    t->in_slow = 2;
    n = bursty_p_look(t, passed);
    t->in_slow = 0;
    return n;
}

/* ---- threads -------------------------------------------------------------------------------- */

static void bursty_p_seed(bursty_p_thread *t) {
    uint32_t h = bursty_p_mix(bursty_p_all.config.seed + 1, t->number + 1);
    h = bursty_p_mix(h, t->reuses);
    t->random = h ? h : 1;
}

/* bursty_p_watch arranges that bursty_thread_end is called when the calling thread ends. */
#if defined(BURSTY_PTHREAD)
static pthread_key_t bursty_p_key;
static pthread_once_t bursty_p_once = PTHREAD_ONCE_INIT;
static void bursty_p_ended(void *value) {
    (void)value;
    bursty_thread_end();
}
static void bursty_p_make_key(void) {
    if (pthread_key_create(&bursty_p_key, bursty_p_ended) != 0) return;
    (void)pthread_atfork(NULL, NULL, bursty_forked);
}
static void bursty_p_watch(void) {
    (void)pthread_once(&bursty_p_once, bursty_p_make_key);
    (void)pthread_setspecific(bursty_p_key, &bursty_p_mine);
}
#elif defined(__cplusplus) && !defined(BURSTY_NO_TLS)
struct bursty_p_at_end {
    int registered;
    ~bursty_p_at_end() { if (registered) bursty_thread_end(); }
};
static void bursty_p_watch(void) {
    static thread_local bursty_p_at_end end;
    end.registered = 1;
}
#else
static void bursty_p_watch(void) { }
#endif

/* A record for the calling thread: that of a thread that has ended, or a fresh one, or NULL. */
static bursty_p_thread *bursty_p_take_record(void) {
    uint32_t count = bursty_p_threads(), i;
    bursty_p_thread *t;
    for (i = 0; i < count; i++) {
        t = &bursty_p_all.threads[i];
        if (bursty_p_cas(&t->state, BURSTY_P_ENDED, BURSTY_P_USED)) return t;
    }
    if (count >= bursty_p_all.thread_room) return NULL;
    i = bursty_p_add(&bursty_p_all.thread_count, 1);
    if (i >= bursty_p_all.thread_room) return NULL;
    t = &bursty_p_all.threads[i];
    t->number = i;
    BURSTY_P_RELEASE(&t->state, BURSTY_P_USED);
    return t;
}

static bursty_p_thread *bursty_p_register(void) {
    uint32_t epoch = BURSTY_P_ACQUIRE(&bursty_p_all.epoch);
    bursty_p_thread *t;
    if (epoch == 0 || (bursty_p_mine.epoch == epoch && bursty_p_mine.ended)) return NULL;
    t = bursty_p_take_record();
    if (!t && bursty_p_mine.epoch != epoch) (void)bursty_p_add(&bursty_p_all.lost_threads, 1);
    bursty_p_mine.epoch = epoch;
    bursty_p_mine.ended = 0;
    bursty_p_mine.thread = t;
    if (!t) return NULL;
    t->name = NULL;
    bursty_p_zero(&t->random, sizeof *t - offsetof(bursty_p_thread, random));
    bursty_p_seed(t);
    t->reuses++;
    t->opening = BURSTY_P_GET(&bursty_p_all.opening) - 1;
    t->zero = 255;
    t->factor = bursty_p_all.config.budget_ppm ? 65536 : 0;
    t->phase_ticks = t->factor ? bursty_p_clock() : 0;
    bursty_p_watch();
    return t;
}

/* The calling thread's record of this start, or NULL. */
BURSTY_P_INLINE bursty_p_thread *bursty_p_registered(void) {
    return bursty_p_mine.epoch == BURSTY_P_GET(&bursty_p_all.epoch) ? bursty_p_mine.thread : NULL;
}

BURSTY_P_INLINE bursty_p_thread *bursty_p_me(void) {
    bursty_p_thread *t = bursty_p_registered();
    return t ? t : bursty_p_register();
}

/* ---- the slow path -------------------------------------------------------------------------- */

/* The word says whether the slow path is running on this thread:

       check fires --> n = hold()  --> look? deliver? --> word = n, or the new one
                       word = BUSY     actions, clock

   hold() is the first act: it takes the word out and puts a large number in, in one instruction.
   From then on the thread's checks stay on the fast path and count the large number down, which is
   dropped in the end. So checks in an action, or in a signal handler that lands here, record
   nothing, are not counted, and do not re-enter. (With BURSTY_POLL they do fire. Then hold()
   returns BUSY, and that is the end of it.) A flag instead would not do: a BURST_DUAL called by an
   action would fire, be told 0, give its check back, fire again, for ever.

     a handler before hold()           may have done the look: not live and n >= 0 is a plain answer
     a handler after the last store    is like any other code
     bursty_set_profile in an action   only stores the settings, since in_slow is set; the next look
                                       takes them over. bursty_get_stats and so on leave out the
                                       look.
     longjmp out of an action          bursty_set_depth puts the word back: out of an event the word
                                       in `kept`; out of BEGIN or END 0 with span 0, so that the
                                       next check is a look with nothing passed
     BURST_FOR's guard in an action    gives nothing back while in_slow is set
     a thread without a record         no start yet, or no memory; it asks again in 65 536 checks */

BURSTY_P_INLINE uint32_t bursty_p_hold(void) {
    uint32_t n = BURSTY_P_BUSY;
#if defined(BURSTY_NO_TLS)
    n = BURSTY_P_HERE.n;
    BURSTY_P_HERE.n = BURSTY_P_BUSY;
#elif (defined(__x86_64__) || defined(__i386__)) && !defined(BURSTY_POLL) /* xchg locks: 7 ns */
    __asm__ __volatile__("xaddl %0, %1" : "+r"(n), "+m"(BURSTY_P_HERE.n) : : "cc", "memory");
#else
    n = __atomic_exchange_n(&BURSTY_P_HERE.n, n, __ATOMIC_RELAXED);
#endif
    return n;
}

static void bursty_p_deliver(bursty_p_thread *t, const bursty_site *site, uintptr_t value,
                             uint32_t kind, uint32_t kept) {
    t->in_slow = 1;
    t->kept = kept;
    bursty_p_send(t, t->live, site, value, kind, BURSTY_P_HERE.depth);
    t->in_slow = 0;
}

/* Inside a burst, in the plain case t->only, if the event's row is a recent one: counts it and
   returns 1. Else it leaves everything as it was and returns 0. */
BURSTY_P_INLINE int bursty_p_counted(const bursty_site *site) {
    uint32_t n = bursty_p_hold();
    bursty_p_thread *t = bursty_p_registered();
    int counted = 0;
    if (t && t->only && site && ~n < t->span) { /* 0 - (n + 1) checks have passed */
        const bursty_site *caller = bursty_p_caller(BURSTY_P_HERE.depth);
        bursty_p_row *row = *bursty_p_recent(t, site, caller);
        counted = row && row->site == site && row->caller == caller;
        if (counted) {
            bursty_p_count_up(t->only, 1);
            bursty_p_count_up(&row->count, 1);
            bursty_p_count_up(&row->weight, t->only_weight_256);
        }
    }
    BURSTY_P_HERE.n = n;
    return counted;
}

static BURSTY_P_COLD uint32_t bursty_p_hit_rest(const bursty_site *site, uintptr_t value) {
    uint32_t n = bursty_p_hold() + !BURSTY_P_POLLS; /* the word before this check */
    bursty_p_thread *t;
    if (BURSTY_P_POLLS && n == BURSTY_P_BUSY) return 0;
    t = bursty_p_me();
    if (!t) {
        BURSTY_P_HERE.n = BURSTY_P_SPAN;
        return 0;
    }
    n = bursty_p_advance(t, n) - 1;
    if (t->live && site) bursty_p_deliver(t, site, value, site->kind, n);
    BURSTY_P_HERE.n = n;
    return t->live;
}

BURSTY_API uint32_t bursty_p_hit(const bursty_site *site, uintptr_t value) {
    if (!BURSTY_P_POLLS && bursty_p_counted(site)) return bursty_p_mine.thread->live;
    return bursty_p_hit_rest(site, value);
}

BURSTY_API void bursty_p_event(const bursty_site *site, uintptr_t value, uint32_t kind) {
    uint32_t n = bursty_p_hold();
    bursty_p_thread *t;
    if (BURSTY_P_POLLS && n == BURSTY_P_BUSY) return;
    t = bursty_p_me();
    if (t && t->only && (kind & BURSTY_RETURN) && !BURSTY_P_POLLS) bursty_p_count_up(t->only, 1);
    else if (t && t->live && !bursty_p_reopened(t)) bursty_p_deliver(t, site, value, kind, n);
    BURSTY_P_HERE.n = n;
}

BURSTY_API bursty_p_strip bursty_p_take_slow(uint64_t left) {
    uint32_t n = bursty_p_hold(), room = BURSTY_P_SPAN;
    bursty_p_strip strip = { 0, 0 };
    bursty_p_thread *t = NULL;
    if (!BURSTY_P_POLLS || n != BURSTY_P_BUSY) {
        t = bursty_p_me();
        n = t ? bursty_p_advance(t, n) : room;
    }
    if (t) {
        room = t->live ? t->span - (0 - n) : n;
        strip.live = t->live;
    }
    strip.count = left < room ? (uint32_t)left : room;
    if (t || n != BURSTY_P_BUSY) BURSTY_P_HERE.n = n - strip.count;
    return strip;
}

/* Unused checks are given back only if no burst has begun or ended since. If checks in the body
   have caused a look, the schedule has already moved on. */
BURSTY_API void bursty_p_give_back(uint32_t count, uint32_t live) {
    uint32_t n = BURSTY_P_HERE.n, back = n + count;
    bursty_p_thread *t = bursty_p_registered();
    if (!t || t->in_slow || !live != !t->live || (BURSTY_P_POLLS && !live)) return;
    if (live ? 0 - n <= t->span && 0 - back <= t->span : back <= t->span) BURSTY_P_HERE.n = back;
}

/* Looks at the schedule now, so that a change takes effect before the thread's next check and its
   counts are exact. */
static void bursty_p_look_now(void) {
    bursty_p_thread *t = bursty_p_registered();
    uint32_t n;
    if (t && t->in_slow) return;
    n = bursty_p_hold();
    t = bursty_p_me();
    if (t) {
        t->in_slow = 2;
        n = bursty_p_look(t, t->live ? 0 - n : t->span - n);
        if (t->generation != BURSTY_P_GET(&bursty_p_all.generation)) {
            bursty_p_lock(); /* another thread had it, and the caller was promised "at once" */
            bursty_p_unlock();
            n = bursty_p_look(t, 0);
        }
        t->in_slow = 0;
    }
    BURSTY_P_HERE.n = n;
}

/* ---- start and settings --------------------------------------------------------------------- */

#if BURSTY_MEMORY > 0
static uint64_t bursty_p_memory[(BURSTY_MEMORY + 7) / 8];
#endif

static void bursty_p_defaults(bursty_profile *p) {
    if (p->check_count == 0) p->check_count = 990;
    if (p->burst_count == 0) p->burst_count = 10;
    if (p->jitter_percent == 0) p->jitter_percent = 12;
    if (p->jitter_percent < 0) p->jitter_percent = 0;
    if (p->classes == 0) p->classes = BURSTY_ANY;
}

static int bursty_p_valid(const bursty_profile *p) {
    uint32_t i, j;
    if (p->check_count > BURSTY_P_BUSY && p->check_count != BURSTY_ALWAYS) return 0;
    if (p->burst_count > BURSTY_P_BUSY || p->jitter_percent > 100) return 0;
    if (p->rule_count && !p->rules) return 0;
    for (i = 0; i < p->rule_count; i++) {
        if (p->rules[i].op_count > 4) return 0;
        for (j = 0; j < p->rules[i].op_count; j++) {
            const bursty_op *op = &p->rules[i].op[j];
            if (op->counter > 7 || op->op < BURSTY_INC || op->op > BURSTY_UNTIL) return 0;
        }
    }
    return 1;
}

static void bursty_p_put_slot(int profile, const bursty_profile *p) {
    bursty_p_slot *slot = &bursty_p_all.slot[profile];
    bursty_p_lock();
    slot->used = p != NULL;
    if (p) {
        slot->set = *p;
        bursty_p_defaults(&slot->set);
    }
    slot->stamp = BURSTY_P_GET(&bursty_p_all.generation) + 1;
    BURSTY_P_RELEASE(&bursty_p_all.generation, slot->stamp);
    bursty_p_unlock();
}

/* What one reading of the clock costs: the least of 64 tries. */
static uint64_t bursty_p_measure_clock(void) {
    uint64_t a, b, least = UINT64_MAX;
    int i;
    if (!bursty_p_all.config.clock) return 0;
    for (i = 0; i < 64; i++) {
        a = bursty_p_clock();
        b = bursty_p_clock();
        if (b >= a && b - a < least) least = b - a;
    }
    return least == UINT64_MAX ? 0 : least;
}

BURSTY_API uint32_t bursty_start(const bursty_config *config) {
    bursty_config zero;
    unsigned char *memory;
    size_t bytes, skip, threads, rows, slots = 1;
    int i;
    bursty_p_zero(&zero, sizeof zero);
    if (!config) config = &zero;
    memory = (unsigned char *)config->memory;
    bytes = config->memory_bytes;
#if BURSTY_MEMORY > 0
    if (!memory) {
        memory = (unsigned char *)bursty_p_memory;
        bytes = sizeof bursty_p_memory;
    }
#endif
    if (!memory || !bursty_p_valid(&config->profile)) return 0;
    if (config->budget_ppm && !config->clock) return 0;
    skip = (0 - (uintptr_t)memory) & 7;
    if (bytes < skip + sizeof(bursty_p_thread) + 16 * sizeof(bursty_p_row)) return 0;
    memory += skip;
    bytes -= skip;
    threads = bytes / 4 / sizeof(bursty_p_thread);
#ifdef BURSTY_NO_TLS
    threads = 1;
#endif
    if (threads == 0) threads = 1;
    if (threads > 65535) threads = 65535;
    rows = bytes - threads * sizeof(bursty_p_thread); /* bytes for rows and index */
    while (slots < rows / (sizeof(bursty_p_row) + 4) && slots < (size_t)1 << 28) slots *= 2;
    while (slots > 1 && slots * 4 > rows / 4) slots /= 2;
    rows = (rows - slots * 4) / sizeof(bursty_p_row);
    if (rows > slots - slots / 4) rows = slots - slots / 4;
    bursty_p_zero(memory, bytes);
    bursty_p_all.config = *config;
    bursty_p_all.threads = (bursty_p_thread *)(void *)memory;
    bursty_p_all.thread_room = (uint32_t)threads;
    bursty_p_all.rows = (bursty_p_row *)(void *)(bursty_p_all.threads + threads);
    bursty_p_all.index = (uint32_t *)(void *)(bursty_p_all.rows + rows);
    bursty_p_all.row_room = (uint32_t)rows;
    bursty_p_all.index_mask = (uint32_t)slots - 1;
    bursty_p_all.thread_count = bursty_p_all.row_count = bursty_p_all.lost_threads = 0;
    bursty_p_all.clock_cost = bursty_p_measure_clock();
    for (i = 0; i < BURSTY_PROFILES; i++) {
        bursty_p_all.slot[i].used = 0;
        bursty_p_all.slot[i].stamp = 0;
    }
    bursty_p_all.generation = 0;
    bursty_p_put_slot(0, &bursty_p_all.config.profile);
    BURSTY_P_RELEASE(&bursty_p_all.epoch, bursty_p_all.epoch + 1 ? bursty_p_all.epoch + 1 : 1);
    BURSTY_P_HERE.n = 0;
    bursty_p_look_now();
    return (uint32_t)threads;
}

static int bursty_p_no_profile(int profile) {
    return profile < 0 || profile >= BURSTY_PROFILES || bursty_p_all.epoch == 0;
}

/* Would two profiles count the same events in the hot table? */
static int bursty_p_counted_twice(int profile, const bursty_profile *p) {
    uint32_t classes = p->classes ? p->classes : (uint32_t)BURSTY_ANY;
    int i;
    for (i = 0; i < BURSTY_PROFILES && !p->action; i++) {
        const bursty_p_slot *slot = &bursty_p_all.slot[i];
        if (i == profile || !slot->used || slot->set.action) continue;
        if (slot->set.classes & classes) return 1;
    }
    return 0;
}

BURSTY_API int bursty_set_profile(int profile, const bursty_profile *p) {
    BURSTY_ASSERT(profile >= 0 && profile < BURSTY_PROFILES);
    if (bursty_p_no_profile(profile) || (p && !bursty_p_valid(p))) return -1;
    if (p && bursty_p_counted_twice(profile, p)) return -1;
    bursty_p_put_slot(profile, p);
    bursty_p_look_now();
    return 0;
}

BURSTY_API int bursty_enable(int profile, int on) {
    bursty_p_slot slot;
    if (bursty_p_no_profile(profile)) return -1;
    bursty_p_lock();
    slot = bursty_p_all.slot[profile];
    bursty_p_unlock();
    if (!slot.used) return -1;
    if (!slot.set.off == !!on) return 0;
    slot.set.off = !on;
    if (slot.set.jitter_percent == 0) slot.set.jitter_percent = -1;
    return bursty_set_profile(profile, &slot.set);
}

BURSTY_API uint32_t bursty_in_burst(void) {
    bursty_p_thread *t = bursty_p_registered();
    if (!t || (BURSTY_P_POLLS && (!BURSTY_P_OPEN() || bursty_p_reopened(t)))) return 0;
    return t->live;
}

BURSTY_API void bursty_poll(int on) {
#ifdef BURSTY_POLL
    if (on && !BURSTY_P_OPEN()) (void)bursty_p_add(&bursty_p_all.opening, 1);
    BURSTY_P_PUT(&bursty_p_open, (uint8_t)(on != 0));
#else
    (void)on;
    BURSTY_ASSERT(!"bursty_poll without BURSTY_POLL");
#endif
}

BURSTY_API uint32_t bursty_counter(int counter) {
    bursty_p_thread *t = bursty_p_registered();
    return t ? t->counter[counter & 7] : 0;
}

BURSTY_API uint32_t bursty_depth(void) { return BURSTY_P_HERE.depth; }

BURSTY_API void bursty_set_depth(uint32_t depth) {
    bursty_p_thread *t = bursty_p_registered();
    BURSTY_P_HERE.depth = depth;
    if (!t || !t->in_slow) return;
    BURSTY_P_HERE.n = t->in_slow == 1 ? t->kept : 0;
    if (t->in_slow == 2) t->live = t->span = 0;
    t->in_slow = 0;
}

BURSTY_API void bursty_thread_name(const char *name) {
    bursty_p_thread *t = bursty_p_me();
    if (t) BURSTY_P_RELEASE(&t->name, name);
}

BURSTY_API void bursty_thread_end(void) {
    bursty_p_thread *t = bursty_p_registered();
    if (!t) return;
    bursty_p_look_now();
    t->in_slow = 1;
    bursty_p_go_live(t, 0);
    bursty_p_mine.thread = NULL;
    bursty_p_mine.ended = 1;
    BURSTY_P_HERE.n = BURSTY_P_SPAN;
    BURSTY_P_RELEASE(&t->state, BURSTY_P_ENDED);
}

BURSTY_API void bursty_forked(void) {
    bursty_p_thread *mine = bursty_p_registered();
    uint32_t i;
    if (bursty_p_all.epoch == 0) return;
    bursty_p_all.lock = 0;
    bursty_clear();
    for (i = 0; i < bursty_p_threads(); i++) {
        if (&bursty_p_all.threads[i] != mine) bursty_p_all.threads[i].state = BURSTY_P_ENDED;
    }
    bursty_p_all.lost_threads = 0;
    bursty_p_all.config.seed = bursty_p_mix(bursty_p_all.config.seed, UINT32_C(0x464F524B));
    if (!mine) return;
    mine->reuses += mine->random;
    bursty_p_seed(mine);
}

BURSTY_API void bursty_clear(void) {
    uint32_t i, p, rows;
    if (bursty_p_all.epoch == 0) return;
    bursty_p_look_now();
    rows = BURSTY_P_ACQUIRE(&bursty_p_all.row_count);
    for (i = 0; i < bursty_p_threads(); i++) {
        bursty_p_thread *t = &bursty_p_all.threads[i];
        bursty_p_reset(&t->checks);
        bursty_p_reset(&t->burst_checks);
        bursty_p_reset(&t->lost);
        for (p = 0; p < BURSTY_PROFILES; p++) {
            bursty_p_reset(&t->bursts[p]);
            bursty_p_reset(&t->events[p]);
        }
    }
    for (i = 0; i < rows; i++) {
        bursty_p_reset(&bursty_p_all.rows[i].count);
        bursty_p_reset(&bursty_p_all.rows[i].weight);
        bursty_p_reset(&bursty_p_all.rows[i].ticks);
    }
}

/* ---- answers -------------------------------------------------------------------------------- */

BURSTY_P_INLINE void bursty_p_sum(uint64_t *sum, const bursty_p_count *c) {
    *sum = bursty_p_sat_add(*sum, bursty_p_read(c));
}

BURSTY_API void bursty_get_stats(bursty_stats *out) {
    uint64_t in_bursts = 0;
    uint32_t i, p;
    bursty_p_zero(out, sizeof *out);
    if (bursty_p_all.epoch == 0) return;
    bursty_p_look_now();
    out->threads = bursty_p_threads();
    out->lost_threads = BURSTY_P_GET(&bursty_p_all.lost_threads);
    for (i = 0; i < out->threads; i++) {
        const bursty_p_thread *t = &bursty_p_all.threads[i];
        bursty_p_sum(&out->checks, &t->checks);
        bursty_p_sum(&out->lost, &t->lost);
        bursty_p_sum(&in_bursts, &t->burst_checks);
        for (p = 0; p < BURSTY_PROFILES; p++) {
            bursty_p_sum(&out->bursts, &t->bursts[p]);
            bursty_p_sum(&out->events, &t->events[p]);
        }
        if (BURSTY_P_GET(&t->state) == BURSTY_P_ENDED) out->ended++;
    }
    if (out->checks == 0) return;
    in_bursts = in_bursts >> 44 ? in_bursts / (out->checks / 1000000)
                                : in_bursts * 1000000 / out->checks;
    out->rate_ppm = (uint32_t)in_bursts;
}

/* Any order that puts equal sites, or equal pairs, together. */
static int bursty_p_less(const bursty_p_row *a, const bursty_p_row *b, int pairs) {
    if (a->site != b->site) return (uintptr_t)a->site < (uintptr_t)b->site;
    return pairs && (uintptr_t)a->caller < (uintptr_t)b->caller;
}

static int bursty_p_compare_sites(const bursty_site *a, const bursty_site *b) {
    const char *x = a ? a->name : "", *y = b ? b->name : "";
    while (*x && *x == *y) {
        x++;
        y++;
    }
    if (*x != *y) return (unsigned char)*x < (unsigned char)*y ? -1 : 1;
    return a && b ? (a->line > b->line) - (a->line < b->line) : 0;
}

static int bursty_p_hotter(const bursty_row *a, const bursty_row *b) {
    int order;
    if (a->weight != b->weight) return a->weight > b->weight;
    if (a->ticks != b->ticks) return a->ticks > b->ticks;
    order = bursty_p_compare_sites(a->site, b->site);
    return (order ? order : bursty_p_compare_sites(a->caller, b->caller)) < 0;
}

/* Shell's sort of row numbers, which stand in the rows' field `order`. */
static void bursty_p_sort(bursty_p_row *all, uint32_t n, int pairs) {
    uint32_t step, i, j, row;
    for (step = n / 2; step > 0; step = step == 2 ? 1 : (uint32_t)((uint64_t)step * 5 / 11)) {
        for (i = step; i < n; i++) {
            row = all[i].order;
            for (j = i; j >= step; j -= step) {
                if (!bursty_p_less(&all[row], &all[all[j - step].order], pairs)) break;
                all[j].order = all[j - step].order;
            }
            all[j].order = row;
        }
    }
}

/* Puts row into best[0..filled), hottest first. Returns the new number of rows, at most max. */
static size_t bursty_p_keep(bursty_row *best, size_t filled, size_t max, const bursty_row *row) {
    size_t k = filled;
    if (filled == max && !bursty_p_hotter(row, &best[max - 1])) return max;
    if (filled == max) k--;
    else filled++;
    for (; k > 0 && bursty_p_hotter(row, &best[k - 1]); k--) best[k] = best[k - 1];
    best[k] = *row;
    return filled;
}

/* Sorting brings the rows of a site, of all its threads and callers, together; then each group is
   summed up. */
BURSTY_API size_t bursty_top(bursty_row *rows, size_t max, int pairs) {
    bursty_p_row *all = bursty_p_all.rows;
    uint32_t count, n = 0, i, j;
    size_t filled = 0;
    if (bursty_p_all.epoch == 0 || max == 0) return 0;
    bursty_p_lock();
    count = BURSTY_P_ACQUIRE(&bursty_p_all.row_count);
    for (i = 0; i < count; i++) {
        if (!BURSTY_P_ACQUIRE(&all[i].site)) continue;
        if (pairs && !(all[i].caller && (all[i].site->kind & BURSTY_CALL))) continue;
        all[n++].order = i;
    }
    bursty_p_sort(all, n, pairs);
    for (i = 0; i < n; i = j) {
        const bursty_p_row *first = &all[all[i].order];
        bursty_row sum = { NULL, NULL, 0, 0, 0 };
        sum.site = first->site;
        sum.caller = pairs ? first->caller : NULL;
        for (j = i; j < n && !bursty_p_less(first, &all[all[j].order], pairs); j++) {
            const bursty_p_row *row = &all[all[j].order];
            bursty_p_sum(&sum.count, &row->count);
            bursty_p_sum(&sum.weight, &row->weight);
            bursty_p_sum(&sum.ticks, &row->ticks);
        }
        if (sum.count || sum.ticks) filled = bursty_p_keep(rows, filled, max, &sum);
    }
    bursty_p_unlock();
    return filled;
}

/* ---- the dump ------------------------------------------------------------------------------- */

/* docs/formats.md. A site is written in full once; later mentions say how many new sites ago it
   was, if that is among the last 64. */

enum { BURSTY_P_RING = 64 };
typedef struct bursty_p_dump {
    bursty_p_out out;
    const bursty_site *ring[BURSTY_P_RING];
    uint32_t sites;
} bursty_p_dump;

static void bursty_p_put_string(bursty_p_out *out, const char *text) {
    size_t length = 0;
    while (text && text[length]) length++;
    bursty_p_put_varint(out, length);
    bursty_p_put(out, text, length);
}

static void bursty_p_put_site(bursty_p_dump *d, const bursty_site *site) {
    uint32_t back;
    if (!site) {
        bursty_p_put_varint(&d->out, 0);
        return;
    }
    for (back = 0; back < BURSTY_P_RING && back < d->sites; back++) {
        if (d->ring[(d->sites - 1 - back) % BURSTY_P_RING] != site) continue;
        bursty_p_put_varint(&d->out, back + 2);
        return;
    }
    d->ring[d->sites++ % BURSTY_P_RING] = site;
    bursty_p_put_varint(&d->out, 1);
    bursty_p_put_string(&d->out, site->name);
    bursty_p_put_string(&d->out, site->file);
    bursty_p_put_varint(&d->out, site->line);
    bursty_p_put_varint(&d->out, site->kind);
}

static void bursty_p_put_profile(bursty_p_out *out, uint32_t p, const bursty_profile *set) {
    uint64_t bursts = 0, events = 0;
    uint32_t i, flags = (set->off ? 1u : 0) | (set->action ? 0 : 2u);
    if (bursty_p_all.config.budget_ppm) flags |= 4;
    for (i = 0; i < bursty_p_threads(); i++) {
        bursty_p_sum(&bursts, &bursty_p_all.threads[i].bursts[p]);
        bursty_p_sum(&events, &bursty_p_all.threads[i].events[p]);
    }
    bursty_p_put_varint(out, 2);
    bursty_p_put_varint(out, p);
    bursty_p_put_varint(out, set->check_count);
    bursty_p_put_varint(out, set->burst_count);
    bursty_p_put_varint(out, (uint32_t)set->jitter_percent);
    bursty_p_put_varint(out, set->classes);
    bursty_p_put_varint(out, flags);
    bursty_p_put_varint(out, bursts);
    bursty_p_put_varint(out, events);
}

static void bursty_p_put_thread(bursty_p_dump *d, uint32_t number, uint32_t rows) {
    const bursty_p_thread *t = &bursty_p_all.threads[number];
    bursty_p_out *out = &d->out;
    uint64_t events = 0;
    uint32_t i;
    for (i = 0; i < BURSTY_PROFILES; i++) bursty_p_sum(&events, &t->events[i]);
    bursty_p_put_varint(out, 3);
    bursty_p_put_varint(out, number);
    bursty_p_put_varint(out, BURSTY_P_GET(&t->state) == BURSTY_P_ENDED);
    bursty_p_put_string(out, BURSTY_P_ACQUIRE(&t->name));
    bursty_p_put_varint(out, bursty_p_read(&t->checks));
    bursty_p_put_varint(out, bursty_p_read(&t->burst_checks));
    bursty_p_put_varint(out, events);
    bursty_p_put_varint(out, bursty_p_read(&t->lost));
    for (i = 0; i < rows; i++) {
        const bursty_p_row *row = &bursty_p_all.rows[i];
        uint64_t count = bursty_p_read(&row->count), ticks = bursty_p_read(&row->ticks);
        if (!BURSTY_P_ACQUIRE(&row->site) || row->thread != number || !(count || ticks)) continue;
        bursty_p_put_varint(out, 4);
        bursty_p_put_site(d, row->site);
        bursty_p_put_site(d, row->caller);
        bursty_p_put_varint(out, count);
        bursty_p_put_varint(out, bursty_p_read(&row->weight));
        bursty_p_put_varint(out, ticks);
    }
}

BURSTY_API int bursty_write(bursty_write_fn write, void *user) {
    bursty_p_dump d;
    bursty_stats stats;
    uint32_t rows, i;
    if (bursty_p_all.epoch == 0) return -1;
    bursty_get_stats(&stats);
    rows = BURSTY_P_ACQUIRE(&bursty_p_all.row_count);
    d.sites = 0;
    bursty_p_put_begin(&d.out, 1, write, user);
    bursty_p_put_varint(&d.out, 1);
    bursty_p_put_varint(&d.out, bursty_p_all.config.clock_hz);
    bursty_p_put_string(&d.out, bursty_p_all.config.program);
    bursty_p_put_varint(&d.out, stats.checks);
    bursty_p_put_varint(&d.out, stats.events);
    bursty_p_put_varint(&d.out, stats.lost);
    for (i = 0; i < BURSTY_PROFILES; i++) {
        bursty_p_slot slot;
        bursty_p_lock();
        slot = bursty_p_all.slot[i];
        bursty_p_unlock();
        if (slot.used) bursty_p_put_profile(&d.out, i, &slot.set);
    }
    for (i = 0; i < stats.threads; i++) bursty_p_put_thread(&d, i, rows);
    return bursty_p_put_end(&d.out) ? -1 : 0;
}

#ifdef BURSTY_STDIO
static int bursty_p_to_file(void *user, const void *data, size_t size) {
    return fwrite(data, 1, size, (FILE *)user) != size;
}

BURSTY_API int bursty_save(const char *path) {
    FILE *file;
    int failed;
    if (bursty_p_all.epoch == 0) {
        errno = EINVAL;
        return -1;
    }
    file = fopen(path, "wb");
    if (!file) return -1;
    failed = bursty_write(bursty_p_to_file, file);
    if (fclose(file) != 0) failed = -1;
    return failed;
}
#endif

#endif /* BURSTY_TINY */

#if defined(__cplusplus) && defined(BURSTY_P_GNU)
#pragma GCC diagnostic pop
#endif
#endif /* BURSTY_IMPLEMENTATION */

/* MIT License

   Copyright (c) 2026 the bursty authors

   Permission is hereby granted, free of charge, to any person obtaining a copy
   of this software and associated documentation files (the "Software"), to deal
   in the Software without restriction, including without limitation the rights
   to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
   copies of the Software, and to permit persons to whom the Software is
   furnished to do so, subject to the following conditions:

   The above copyright notice and this permission notice shall be included in all
   copies or substantial portions of the Software.

   THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
   IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
   FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
   AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
   LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
   OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
   SOFTWARE.
*/
