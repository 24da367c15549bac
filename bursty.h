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
      Leave out functions of a few instructions and loops of a few additions; the report names the
      checks that run most. A loop that runs long without a check delays bursts and their ends.
   3. Call bursty_start(NULL) first and bursty_save("file") last, or in a function given to atexit
      if the program ends by exit. `bursty report file` then shows the hot functions and call pairs.
      Inside the program hottest.h gives the same rows.
   4. What happens: each macro of step 2 contains a check, which counts. After 990 checks on average
      the next 10 are a burst. Events are recorded in bursts and nowhere else; the report scales
      them up. The rates stand in config.profile. These are counts; for time see ticks.h.
   5. To see other things, record events of your own and receive them in an action:
         BURST_POINT(class, "name", value);   an event of a class below, mostly BURSTY_USER. The
                                value is evaluated only when the event is recorded.
         if (BURST_CHECK()) { } a check by hand: true inside a burst
      Up to BURSTY_PROFILES profiles run at once, each with its own rate, classes and action;
      bursty_set_profile adds or changes one at any time. docs/design.md lists the headers beside
      this one: time, budgets, data references, conditions.

   PROMISES
     - It never prints, aborts, or takes a lock on the program's path, and it allocates nothing.
       (With BURSTY_PTHREAD or as C++ it asks the C library to tell when a thread ends; that library
       may allocate a few bytes at the thread's first check.) It uses 96 KiB of static memory,
       enough for about 17 threads and 730 table rows, or memory that you pass in; and 3 KB for each
       thread, 900 bytes in a shared object, that the compiler lays out (__thread).
     - What does not fit is counted: bursty_stats.lost, lost_threads. Counters saturate.
     - Without bursty_start a check counts and does nothing else.
     - For one thread the same events give the same dump, byte for byte.

   THREADS
     A thread is registered at its first check, or, if it was checking before bursty_start, within
     65 536 checks. Before a thread ends, call bursty_thread_end(); with BURSTY_PTHREAD, or when the
     implementation is compiled as C++, that happens by itself. After fork call bursty_forked() in
     the child (BURSTY_PTHREAD does). Signal handlers may check on a thread that has checked before.
     An interrupt on bare metal needs a context of its own: another file with BURSTY_STATIC. Checks
     made inside an action are not counted. Exceptions run the ends of scopes (C code in their way
     needs -fexceptions). longjmp: save bursty_depth() beside setjmp and pass it to
     bursty_set_depth() after the jump. If it leaves an action or a signal handler you must do this.
     Elsewhere the depth corrects itself when the next outer scope returns. Each shared object needs
     a BURSTY_IMPLEMENTATION of its own and samples alone; BURSTY_PTHREAD there needs -z nodelete.

   OPTIONS in every file, best on the command line:
     BURSTY_OFF            every macro and function becomes nothing: no code, no data, no file.
                           bursty_start returns 1 and bursty_save 0.
     BURSTY_POLL           a check reads one shared flag, which bursty_poll sets, instead of
                           counting. check_count, jitter and hibernation are not used; burst_count
                           limits what one thread records in one opening.
     BURSTY_NO_TLS         one context and no atomics, for firmware and programs in which a single
                           thread checks. Implied unless the compiler is gcc or clang (on Windows:
                           mingw or clang-cl). A freestanding build needs memcpy, memset and the
                           compiler's 64-bit division; give it BURSTY_MEMORY.
     BURSTY_TINY           24 bytes of RAM, 250 of code on a Cortex-M0: bursttiny.h
     BURSTY_STACK=n        how many scopes the shadow stack keeps: 64; 0 in freestanding and tiny
                           builds. Deeper scopes are counted, and their callees' caller is "(deep)".
     BURSTY_TLS_MODEL="m"  in a shared object define it as "initial-exec": the compiler's default
                           calls __tls_get_addr at every check. Executables use "local-exec".
     BURSTY_STATIC         makes everything static, for a single file
   OPTIONS where BURSTY_IMPLEMENTATION is defined:
     BURSTY_STDIO          adds bursty_save
     BURSTY_PTHREAD        uses pthread_key_create and pthread_atfork
     BURSTY_PROFILES=n     how many profiles: 8, at most 32
     BURSTY_MEMORY=bytes   the size of the static memory: 98304; 0 means none
   "undefined reference" or "hidden symbol bursty_... is not defined": no file of this executable or
   library defines BURSTY_IMPLEMENTATION (bursty_save: BURSTY_STDIO), or files differ in options.

   COST
     A check is two instructions on x86-64; keepregs.h spares its registers (bench/results.md). A
     scope adds three stores, rules out tail calls, and takes 8 bytes of stack per entry. */

#ifndef BURSTY_H
#define BURSTY_H
#include <stddef.h>
#include <stdint.h>

#ifdef BURSTY_TINY
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
#if defined(BURSTY_OFF)
#define BURSTY_API BURSTY_P_UNUSED static inline
#define BURSTY_P_OFF(...) { __VA_ARGS__; }
#elif defined(BURSTY_STATIC)
#define BURSTY_API BURSTY_P_UNUSED static
#elif defined(BURSTY_P_GNU) && !defined(_WIN32)
#define BURSTY_API extern __attribute__((visibility("hidden")))
#else
#define BURSTY_API extern
#endif
#ifndef BURSTY_OFF
#define BURSTY_P_OFF(...) ; /* what stands behind a declaration is its body when off */
#endif

#define BURSTY_P_CAT2(a, b) a##b
#define BURSTY_P_CAT(a, b) BURSTY_P_CAT2(a, b)
#ifdef __cplusplus
#define BURSTY_P_TO(type, x) type(x) /* -Wold-style-cast */
extern "C" {
#else
#define BURSTY_P_TO(type, x) ((type)(x))
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
    uint32_t kind;             /* event class                                          */
    uint32_t depth;            /* scopes around the event; a CALL and its RETURN agree */
    uint32_t burst;            /* number of this profile's burst on this thread, from 1 */
    uint32_t weight_256;       /* 256 times the number of events it stands for         */
    const bursty_site *const *stack; /* the outermost min(depth, BURSTY_STACK) scopes around it,
                                        outermost first; NULL without a stack         */
    uint64_t *memory;          /* 4 numbers of the action's, by profile and thread     */
} bursty_event;

typedef void (*bursty_action)(void *user, const bursty_event *event);
typedef int (*bursty_write_fn)(void *user, const void *data, size_t size); /* returns 0: go on */

/* burstclock.h. Called on a thread when a phase has ended in which profiles were in a burst or none
   was. `memory` is the thread's, zeros at first. `shares` is 2^20 times the sum of burst_count /
   check_count. Returns 2^16 times the factor for all check_counts. */
typedef uint64_t (*bursty_pace_fn)(void *user, uint64_t memory[4], int was_burst, uint64_t checks,
                                   uint64_t shares);

#define BURSTY_ALWAYS UINT32_MAX  /* as check_count: one burst that never ends, the full profile */

/* What to sample, and how often. Every zero means the default. action and user must stay
   valid after bursty_set_profile until every thread has made another 65 536 checks. */
typedef struct bursty_profile {
    uint32_t check_count;     /* checks between bursts, the paper's nCheck0: 990; at most 2^30  */
    uint32_t burst_count;     /* checks in a burst, the paper's nInstr0: 10; at most 2^30       */
    int32_t jitter_percent;   /* of check_count: 12; -1: none                                   */
    uint32_t awake_count;     /* hibernation: after this many bursts ...                        */
    uint32_t hibernate_count; /* ... leave out this many; 0 and 0: never                        */
    uint32_t classes;         /* of the events that the action or the table gets: BURSTY_ANY    */
    bursty_action action;     /* NULL: count in the hot table; one profile for each class  */
    void *user;               /* passed to the action                                           */
    int off;                  /* 1: keep the profile, do not run it                             */
} bursty_profile;

typedef struct bursty_config {
    bursty_profile profile;         /* profile 0; all zero: hot functions and call pairs       */
    void *memory;                   /* NULL: BURSTY_MEMORY bytes of static memory              */
    size_t memory_bytes;
    uint64_t clock_hz;              /* of the ticks that bursty_charge gets; 0: none           */
    bursty_pace_fn pace;            /* decides how dense bursts are: burstclock.h              */
    void *pace_user;
    void (*on_thread)(int what);    /* a thread registers (1), ends (0), is a forked child (2) */
    int (*more)(bursty_write_fn write, void *user); /* bursty_write calls it last: more parts  */
    uint32_t seed;                  /* of jitter: same seed and events, same samples           */
    const char *program;            /* a name for the report; a literal                        */
} bursty_config;

typedef struct bursty_row {
    const bursty_site *site;
    const bursty_site *caller;   /* the scope around it, or NULL                             */
    uint64_t count;              /* events recorded                                          */
    uint64_t weight;             /* divided by 256: an estimate of how often the site was passed */
    uint64_t ticks;              /* what bursty_charge added                                 */
} bursty_row;
typedef void (*bursty_visit_fn)(void *user, const bursty_row *row);

typedef struct bursty_stats {
    uint64_t checks;         /* checks that were taken, in bursts and between them             */
    uint64_t bursts;         /* bursts begun, of all profiles                                  */
    uint64_t events;         /* events recorded: put into the table or given to an action      */
    uint64_t lost;           /* events that found the table full: enlarge BURSTY_MEMORY         */
    uint32_t threads;        /* thread records in use or used before                           */
    uint32_t ended;          /* of these, threads that have ended                              */
    uint32_t lost_threads;   /* threads without a record, which are never sampled: enlarge
                                BURSTY_MEMORY, or let ended threads call bursty_thread_end     */
    uint32_t rate_ppm;       /* checks inside bursts per million checks                        */
} bursty_stats;

/* ---- functions ------------------------------------------------------------------------------ */

/* Adds or changes profile 0 to BURSTY_PROFILES - 1, at any time, on any thread; NULL removes it. It
   takes effect at once on the calling thread and within 65 536 checks on the others; called from an
   action, at the thread's next look at its schedule (with BURSTY_POLL: in the next opening). The
   changed profile starts a new interval; others are not disturbed. Returns 0, or -1 if the number
   or a value is out of range, if nothing was started, or if another profile already counts one of
   these classes in the hot table: rows would show twice as many events as there were. */
BURSTY_API int bursty_set_profile(int profile, const bursty_profile *p)
    BURSTY_P_OFF(return (void)profile, (void)p, 0)

/* Returns the profiles that are in a burst now on the calling thread, as bits. */
BURSTY_API uint32_t bursty_in_burst(void) BURSTY_P_OFF(return 0)

#if !defined(BURSTY_TINY) || defined(BURSTY_OFF)

/* Starts sampling with profile 0 and empty tables; config may be NULL. Only one thread may check
   while it is called a second time. Returns how many threads fit. 0 means that nothing has changed,
   because memory is too small or a value is out of range. */
BURSTY_API uint32_t bursty_start(const bursty_config *config) BURSTY_P_OFF(return (void)config, 1)

/* Calls visit for each row of the hot table, one for each thread, caller and site: hottest.h. */
BURSTY_API void bursty_each(bursty_visit_fn visit, void *user) BURSTY_P_OFF((void)visit, (void)user)

/* Sums over all threads, ended ones too. It is exact for the calling thread. Of another thread, the
   checks since its last look at its schedule are not in it yet. */
BURSTY_API void bursty_get_stats(bursty_stats *out)
    BURSTY_P_OFF(const bursty_stats none = { 0, 0, 0, 0, 0, 0, 0, 0 }; *out = none)

/* Writes the dump (docs/formats.md). Returns 0, or -1 if nothing was started or write failed. */
BURSTY_API int bursty_write(bursty_write_fn write, void *user)
    BURSTY_P_OFF(return (void)write, (void)user, 0)

#if defined(BURSTY_STDIO) || !defined(BURSTY_STATIC) || defined(BURSTY_OFF)
/* Writes the dump into a file (with BURSTY_STDIO where the implementation is). Returns 0, or -1 and
   errno: EINVAL if nothing was started (the file is left alone), or the error of stdio. */
BURSTY_API int bursty_save(const char *path) BURSTY_P_OFF(return (void)path, 0)
#endif

/* Adds time to the calling thread's row of (site, caller); user is not used. burstclock.h. */
BURSTY_API void bursty_charge(void *user, const void *site, const void *caller, uint64_t ticks)
    BURSTY_P_OFF((void)user, (void)site, (void)caller, (void)ticks)

/* Zeroes table and stats, but not the numbers of threads. What others count now may remain. */
BURSTY_API void bursty_clear(void) BURSTY_P_OFF((void)0)

/* The number of scopes around the call; for longjmp, see above. Do not set it inside an action. */
BURSTY_API uint32_t bursty_depth(void) BURSTY_P_OFF(return 0)
BURSTY_API void bursty_set_depth(uint32_t depth) BURSTY_P_OFF((void)depth)

/* BURSTY_POLL builds: opens (1) and closes (0) a burst in all threads, say from a timer. */
BURSTY_API void bursty_poll(int on) BURSTY_P_OFF((void)on)

/* Names the calling thread in the report. The string must live until the last dump. */
BURSTY_API void bursty_thread_name(const char *name) BURSTY_P_OFF((void)name)

/* Says that the calling thread checks no more. Its counts stay; its record may be used again. */
BURSTY_API void bursty_thread_end(void) BURSTY_P_OFF((void)0)

/* Call it in a forked child: it then counts from zero, so that dumps can be merged. */
BURSTY_API void bursty_forked(void) BURSTY_P_OFF((void)0)

#endif /* BURSTY_TINY */

#ifndef BURSTY_OFF

/* ---- the check ------------------------------------------------------------------------------ */

/* One 32-bit word per thread, n. While n >= 0 the thread is not sampling, and n checks remain until
   it looks at its schedule. While n < 0 it is inside a burst, and every check takes the slow path.
   It is bursty-tracing's Figure 3, decision for decision:

       a check       sub dword [n], 1      x86-64. Cortex-M3: ldr, ldr, subs, str, bmi
                     js cold */

#ifndef KEEPREGS_H /* which has two checks in assembly, and attributes for the slow path */
#define BURST_ENTRY() BURST_POINT(BURSTY_CALL, __func__, 0)
#define BURST_LOOP() BURST_POINT(BURSTY_BACKEDGE, __func__, 0)
#define KEEPREGS_P_SLOW
#define KEEPREGS_P_ADDS(c, v) 0
#define KEEPREGS_P_PLAIN(t) 0
#define KEEPREGS_P_IN_BURSTY
#endif
#if defined(BURSTY_P_GNU)
#define BURSTY_P_UNLIKELY(x) __builtin_expect((x), 0)
#define BURSTY_P_INLINE static inline __attribute__((always_inline))
#define BURSTY_P_COLD __attribute__((cold, noinline)) KEEPREGS_P_SLOW
#else
#define BURSTY_P_UNLIKELY(x) (x)
#define BURSTY_P_INLINE static inline
#define BURSTY_P_COLD
#endif

#if !defined(BURSTY_NO_TLS) && !defined(BURSTY_P_GNU)
#define BURSTY_NO_TLS
#endif
#if !defined(BURSTY_TLS_MODEL) && defined(__ELF__) && (!defined(__PIC__) || defined(__PIE__))
#define BURSTY_TLS_MODEL "local-exec" /* gcc would fetch the offset of an extern one from the GOT */
#endif
#if defined(BURSTY_NO_TLS)
#define BURSTY_P_TLS
#define BURSTY_P_KIND BURSTY_P_CAT(global_, BURSTY_STACK)
#else
#define BURSTY_P_KIND BURSTY_P_CAT(tls_, BURSTY_STACK)
#ifdef BURSTY_TLS_MODEL
#define BURSTY_P_TLS __attribute__((tls_model(BURSTY_TLS_MODEL))) __thread
#else
#define BURSTY_P_TLS __thread /* in C++, too: thread_local would add a call */
#endif
#endif

/* What the inline code touches. Its name has the options in it: files must agree, or not link. */
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
#elif defined(BURSTY_POLL)
#define BURSTY_P_HERE BURSTY_P_CAT(bursty_here_poll_, BURSTY_P_KIND)
#else
#define BURSTY_P_HERE BURSTY_P_CAT(bursty_here_, BURSTY_P_KIND)
#endif
BURSTY_API BURSTY_P_TLS bursty_p_here_t BURSTY_P_HERE;

typedef struct bursty_p_scope {
    const bursty_site *site;
    uint32_t depth;
} bursty_p_scope;

/* The slow path. hit: takes a check, sends its event if there is a site and a burst, and returns
   the profiles in a burst. event: sends one without a check. take, give_back: for dualpath.h. */
BURSTY_API BURSTY_P_COLD uint32_t bursty_p_hit(const bursty_site *site, uintptr_t value);
BURSTY_API BURSTY_P_COLD void bursty_p_event(const bursty_site *site, uintptr_t value,
                                             uint32_t kind);
BURSTY_API BURSTY_P_COLD uint32_t bursty_p_take(uint64_t left, uint32_t *live);
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

#define BURST_CHECK() (BURSTY_P_FIRE() ? bursty_p_hit(NULL, 0) != 0 : 0)
#define BURST_POINT(class_, name_, value_) \
    do { \
        static const bursty_site bursty_p_site = { name_, __FILE__, __LINE__, class_ }; \
        if (BURSTY_P_FIRE()) { bursty_p_hit(&bursty_p_site, BURSTY_P_TO(uintptr_t, value_)); } \
    } while (0)

/* ---- scopes --------------------------------------------------------------------------------- */

/* The check comes first and the push second, so the depth of a CALL counts the scopes around it.
   Leaving restores the saved depth instead of counting down: that repairs whatever a longjmp
   skipped. The stores are volatile, the stack before the depth, for whoever interrupts: ticks.h. */

enum { BURSTY_P_SCOPE_CALL = BURSTY_CALL | BURSTY_FRAME,
       BURSTY_P_SCOPE_RETURN = BURSTY_RETURN | BURSTY_FRAME };

BURSTY_P_INLINE bursty_p_scope bursty_p_enter(const bursty_site *site) {
    bursty_p_scope scope = { site, 0 };
    volatile bursty_p_here_t *here = &BURSTY_P_HERE;
    if (BURSTY_P_FIRE()) bursty_p_hit(site, 0);
#ifdef BURSTY_TINY
    (void)here;
#else
    scope.depth = here->depth;
#if BURSTY_STACK > 0
    if (scope.depth < BURSTY_STACK) here->stack[scope.depth] = site;
#endif
    here->depth = scope.depth + 1;
#endif
    return scope;
}

BURSTY_P_INLINE void bursty_p_leave(bursty_p_scope *scope) {
#ifndef BURSTY_TINY
    volatile uint32_t *depth = &BURSTY_P_HERE.depth;
    *depth = scope->depth;
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

/* ---- off: the same lists; no symbol, no variable, no section -------------------------------- */

#else /* BURSTY_OFF */

#define BURST_CHECK() 0
#define BURST_POINT(class_, name_, value_) ((void)sizeof(BURSTY_P_TO(uintptr_t, value_)))
#define BURST_ENTRY() do { } while (0)
#define BURST_LOOP() do { } while (0)
#define BURST_SCOPE(name_) enum { BURSTY_P_CAT(bursty_p_scope_, __LINE__) }
#define BURST_LEAVE() do { } while (0)

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
#ifndef BURSTY_STATIC
BURSTY_P_TLS bursty_p_here_t BURSTY_P_HERE;
#ifdef BURSTY_POLL
uint8_t bursty_p_open;
#endif
#endif

/* The word while the slow path runs: checks of actions and handlers count it down. */
#define BURSTY_P_BUSY UINT32_C(0x40000000)

#ifndef BURSTY_TINY /* else: bursttiny.h */

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
#define BURSTY_MEMORY 98304
#endif

#define BURSTY_P_STEP BURSTY_P_INLINE KEEPREGS_P_SLOW
#define BURSTY_P_SLOW static KEEPREGS_P_SLOW
/* ---- pieces that the headers share ---------------------------------------------------------- */

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
#define BURSTY_P_FENCE() ((void)0)
#define BURSTY_P_ADD(p, v) ((*(p) += (v)) - (v))
#define BURSTY_P_MOST 1 /* thread */
BURSTY_P_STEP int bursty_p_cas(uint32_t *p, uint32_t old, uint32_t v) {
    if (*p != old) return 0;
    *p = v;
    return 1;
}
#else
#define BURSTY_P_GET(p) __atomic_load_n(p, __ATOMIC_RELAXED)
#define BURSTY_P_PUT(p, v) __atomic_store_n(p, v, __ATOMIC_RELAXED)
#define BURSTY_P_ACQUIRE(p) __atomic_load_n(p, __ATOMIC_ACQUIRE)
#define BURSTY_P_RELEASE(p, v) __atomic_store_n(p, v, __ATOMIC_RELEASE)
#define BURSTY_P_FENCE() __atomic_signal_fence(__ATOMIC_SEQ_CST)
#define BURSTY_P_ADD(p, v) __atomic_fetch_add(p, v, __ATOMIC_ACQ_REL)
#define BURSTY_P_MOST 65535
BURSTY_P_STEP int bursty_p_cas(uint32_t *p, uint32_t old, uint32_t v) {
    return __atomic_compare_exchange_n(p, &old, v, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}
#endif

/* A count has one writer, its thread, and any reader. A 32-bit machine without 64-bit atomics may
   read one that is 2^32 off, in the moment in which it passes a multiple of 2^32. */
#if !defined(BURSTY_NO_TLS) && __GCC_ATOMIC_LLONG_LOCK_FREE == 2
typedef uint64_t bursty_p_count __attribute__((aligned(8)));
#define BURSTY_P_READ(c) BURSTY_P_GET(c)
#define BURSTY_P_STORE(c, v) BURSTY_P_PUT(c, v)
#else
typedef uint64_t bursty_p_count;
#define BURSTY_P_READ(c) (*(const volatile bursty_p_count *)(c))
#define BURSTY_P_STORE(c, v) ((void)(*(volatile bursty_p_count *)(c) = (v)))
#endif

BURSTY_P_STEP void bursty_p_count_up(bursty_p_count *c, uint64_t v) {
    if (KEEPREGS_P_ADDS(c, v)) return;
    uint64_t sum = BURSTY_P_READ(c) + v;
    BURSTY_P_STORE(c, sum < v ? UINT64_MAX : sum);
}

/* ---- memory --------------------------------------------------------------------------------- */

/* | thread 0 | thread 1 | ... | row 0 | row 1 | ... | index |

   A quarter of the memory is thread records, the rest the hot table. Threads are numbered in the
   order in which they register. A later thread may take over the record of one that has ended. */
enum { BURSTY_P_FREE, BURSTY_P_USED, BURSTY_P_ENDED };
#define BURSTY_P_SPAN UINT32_C(65536)  /* the longest wait until a thread looks at new settings */
#define BURSTY_P_EVER UINT64_MAX       /* `left` of a profile whose phase never ends            */
#if defined(BURSTY_NO_TLS) || (defined(__PIC__) && !defined(__PIE__))
#define BURSTY_P_RECENT 32u  /* rows; a shared object that is loaded late has little room in TLS */
#else
#define BURSTY_P_RECENT 256u
#endif
enum { BURSTY_P_SUMS = 8, BURSTY_P_CLASSES = 7, BURSTY_P_ALL_SUMMED = 1024, BURSTY_P_ONE_OF = 8 };
typedef struct bursty_p_row {
    const bursty_site *site, *caller;
    struct bursty_p_row *touched;      /* see bursty_p_fold, and the five sums that end with xy */
    bursty_p_count sum[BURSTY_P_SUMS]; /* count, weight, ticks, bursts, first, yy, ys, xy       */
    uint32_t start;
    uint16_t thread, class_number;     /* bit of the class; 6: of several, or of none           */
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
    uint32_t weight_256, times, chosen;         /* see bursty_p_number       */
    uint64_t memory[4];       /* of the action                               */
} bursty_p_sampler;

typedef struct bursty_p_thread {
    uint32_t state, number, reuses;
    const char *name;
    bursty_p_count checks, burst_checks, lost, bursts[BURSTY_PROFILES], events[BURSTY_PROFILES];
    bursty_p_count class_sum[2 * BURSTY_P_CLASSES]; /* bursts, xx, bursts, xx, ...    */
    uint32_t random;          /* from here on zero when a thread registers   */
    uint32_t in_slow;         /* 1: delivering an event; 2: at a look        */
    uint32_t kept;            /* the word to go on with after the event      */
    uint32_t span;            /* checks from the last look to the next       */
    uint32_t live;            /* profiles in a burst                         */
    uint32_t generation;      /* of the settings that were taken over        */
    uint32_t opening;         /* of bursty_poll                              */
    uint32_t active, framed, acting; /* that run, get BEGIN or END, have an action */
    uint32_t same_settings, plain; /* keepregs.h: a look leaves new ones alone; see there */
    uint64_t phase_checks, factor, pace[4];     /* see bursty_p_pace         */
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
} bursty_p_all;

static BURSTY_P_TLS struct {
    bursty_p_thread *thread;
    uint32_t epoch, ended, summing; /* summing: profiles in a burst with sums */
    bursty_p_count *only;      /* events, if one profile is in a burst and counts all classes */
    uint32_t weight_256, room; /* of these, and checks of the burst, or 0                     */
    bursty_p_row *touched, *recent[BURSTY_P_RECENT]; /* bursty_p_fold, BURSTY_P_PLACE         */
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

BURSTY_P_SLOW uint32_t bursty_p_mix(uint32_t h, uint32_t v) {
    h = (h ^ v) * UINT32_C(0x9E3779B1);
    return h ^ h >> 15;
}

/* A random number below limit. xorshift: t->random is never 0. */
BURSTY_P_SLOW uint32_t bursty_p_below(bursty_p_thread *t, uint32_t limit) {
    t->random ^= t->random << 13;
    t->random ^= t->random >> 17;
    t->random ^= t->random << 5;
    return (uint32_t)((uint64_t)t->random * limit >> 32);
}

static void bursty_p_lock(void) { while (!bursty_p_cas(&bursty_p_all.lock, 0, 1)) { } }
static void bursty_p_unlock(void) { BURSTY_P_RELEASE(&bursty_p_all.lock, 0); }

/* The innermost of depth scopes, or NULL. */
BURSTY_P_STEP const bursty_site *bursty_p_caller(uint32_t depth) {
#if BURSTY_STACK > 0
    if (BURSTY_P_UNLIKELY(depth != 0)) {
        return depth <= BURSTY_STACK ? BURSTY_P_HERE.stack[depth - 1] : &bursty_p_deep_site;
    }
#endif
    (void)depth;
    return NULL;
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
   meanwhile is a different one, and the search goes on. Cost: one or two probes (3/4 full). */
BURSTY_P_SLOW bursty_p_row *bursty_p_claim(void) {
    uint32_t number;
    do {
        number = BURSTY_P_GET(&bursty_p_all.row_count);
        if (number >= bursty_p_all.row_room) return NULL;
    } while (!bursty_p_cas(&bursty_p_all.row_count, number, number + 1));
    return &bursty_p_all.rows[number];
}

/* Where a thread notes the row of (caller, site): it saves most searches. */
#define BURSTY_P_PLACE(s, c) \
    (&bursty_p_mine.recent[((uintptr_t)(s) + 2 * (uintptr_t)(c)) / 8 % BURSTY_P_RECENT])

BURSTY_P_STEP bursty_p_row *bursty_p_recall(const bursty_site *site, const bursty_site *caller) {
    bursty_p_row *row = *BURSTY_P_PLACE(site, caller);
    return row && row->site == site && row->caller == caller ? row : NULL;
}

/* The thread's row for (caller, site), made at first sight; NULL if the table is full. */
BURSTY_P_SLOW bursty_p_row *bursty_p_row_of(bursty_p_thread *t, const bursty_site *site,
                                            const bursty_site *caller) {
    uint32_t h = bursty_p_mix((uint32_t)((uintptr_t)site >> 3), (uint32_t)((uintptr_t)caller >> 3));
    bursty_p_row *fresh = NULL, *row = bursty_p_recall(site, caller);
    uint16_t k = 0;
    if (row) return row;
    for (h = bursty_p_mix(h, t->number);; h++) {
        uint32_t *slot = &bursty_p_all.index[h & bursty_p_all.index_mask];
        uint32_t number = BURSTY_P_ACQUIRE(slot);
        if (number == 0) {
            if (!fresh) {
                fresh = bursty_p_claim();
                if (!fresh) return NULL;
                fresh->caller = caller;
                fresh->thread = (uint16_t)t->number;
                while (k < BURSTY_P_CLASSES - 1 && (site->kind & BURSTY_ANY) != 1u << k) k++;
                fresh->class_number = k;
                BURSTY_P_RELEASE(&fresh->site, site);
            }
            (void)bursty_p_cas(slot, 0, (uint32_t)(fresh - bursty_p_all.rows) + 1);
            number = BURSTY_P_ACQUIRE(slot); /* another thread's if it came first */
        }
        row = &bursty_p_all.rows[number - 1];
        if (row->site != site || row->caller != caller || row->thread != t->number) continue;
        *BURSTY_P_PLACE(site, caller) = row;
        return row;
    }
}

BURSTY_P_STEP void bursty_p_count_in(bursty_p_row *row, uint32_t weight) {
    if (bursty_p_mine.summing && !row->touched) {
        row->touched = bursty_p_mine.touched ? bursty_p_mine.touched : row;
        row->start = (uint32_t)BURSTY_P_READ(&row->sum[0]);
        bursty_p_mine.touched = row;
    }
    bursty_p_count_up(&row->sum[0], 1);
    bursty_p_count_up(&row->sum[1], weight);
}

BURSTY_P_SLOW void bursty_p_tally(bursty_p_thread *t, const bursty_site *site, uint32_t kind,
                                  uint32_t weight_256) {
    bursty_p_row *row;
    if (kind & BURSTY_RETURN) return;
    row = bursty_p_row_of(t, site, bursty_p_caller(BURSTY_P_HERE.depth));
    if (row) bursty_p_count_in(row, weight_256);
    else bursty_p_count_up(&t->lost, 1);
}

/* ---- sums for intervals --------------------------------------------------------------------- */

/* How far a share may be off follows from how it differs between bursts (docs/formats.md). In a
   burst let y be the weight of a row, s of all rows of its site, x of all rows of its class. A row
   keeps the sums of yy, ys and xy over the bursts that have ended, how many saw it, and in how many
   it was the first row of its site; a thread has xx and a number of bursts for each class.

       touched --> row --> row --> row, which points at itself

   A row's first event in a burst puts it into this list, with its count at the start. At the end
   the list is divided into 16 by site, and goes into the sums. A thread sums its first 1024 bursts
   of a profile, and then a random one of each 8. What that adds counts 8 times, but it is one burst
   that saw the row. A burst that ends costs 140 instructions a row, and one for two of a part. */

/* Numbers the burst that begins, and says how often its sums count. A thread that takes a record
   over in the middle of 8 draws, too, so that each burst has the same chance. */
BURSTY_P_STEP void bursty_p_number(bursty_p_thread *t, bursty_p_sampler *s, uint32_t p) {
    uint64_t before = BURSTY_P_READ(&t->bursts[p]);
    uint32_t at = (uint32_t)before % BURSTY_P_ONE_OF + 1, later = before >= BURSTY_P_ALL_SUMMED;
    s->number++;
    bursty_p_count_up(&t->bursts[p], 1);
    if (later && (at == 1 || !s->chosen)) s->chosen = bursty_p_below(t, BURSTY_P_ONE_OF) + 1;
    s->times = !later ? 1 : at == s->chosen ? BURSTY_P_ONE_OF : 0;
    if (s->set.action || s->set.check_count == BURSTY_ALWAYS) s->times = 0;
    if (s->times) bursty_p_mine.summing |= 1u << p;
}

BURSTY_P_SLOW void bursty_p_add_product(bursty_p_count *sum, uint64_t a, uint64_t b) {
    bursty_p_count_up(sum, a >= UINT32_MAX || b >= UINT32_MAX ? UINT64_MAX : a * b);
}

BURSTY_P_SLOW void bursty_p_fold(bursty_p_thread *t, const bursty_p_sampler *s) {
    bursty_p_row *row = bursty_p_mine.touched, *next, *other, *volatile list[16];
    volatile uint64_t x[BURSTY_P_CLASSES]; /* volatile: no memset, for keepregs.h */
    volatile uint8_t used[16];             /* lists */
    uint32_t i, k, at, lists = 0, classes = 0, uses = 0; /* the first two as bits */
    bursty_p_mine.touched = NULL;
    for (; row; row = next) {
        next = row->touched == row ? NULL : row->touched;
        i = (uint32_t)((uintptr_t)row->site >> 3 ^ (uintptr_t)row->site >> 7) & 15;
        k = row->class_number;
        if (!(row->site->kind & s->set.classes)) { /* of another profile, whose burst goes on */
            row->touched = bursty_p_mine.touched ? bursty_p_mine.touched : row;
            bursty_p_mine.touched = row;
        } else {
            uint32_t count = (uint32_t)BURSTY_P_READ(&row->sum[0]);
            uint64_t y = count < row->start ? count : count - row->start; /* <: bursty_clear */
            y = (y * s->weight_256 + 128) >> 8;
            row->start = y < UINT32_MAX ? (uint32_t)y : UINT32_MAX; /* from here on it is y */
            row->touched = lists >> i & 1 ? list[i] : NULL;
            if (!row->touched) used[uses++] = (uint8_t)i;
            list[i] = row;
            lists |= 1u << i;
            x[k] = row->start + (classes >> k & 1 ? x[k] : 0);
            classes |= 1u << k;
        }
    }
    for (at = 0; at < uses; at++) {
        bursty_p_row *first = list[used[at]];
        for (row = first; row && s->times; row = row->touched) {
            uint64_t in_site = 0, y = (uint64_t)row->start * s->times;
            for (other = first; other; other = other->touched) {
                if (other == row && in_site == 0) bursty_p_count_up(&row->sum[4], 1);
                if (other->site == row->site) in_site += other->start;
            }
            bursty_p_count_up(&row->sum[3], 1);
            bursty_p_add_product(&row->sum[5], y, row->start);
            bursty_p_add_product(&row->sum[6], y, in_site);
            bursty_p_add_product(&row->sum[7], y, x[row->class_number]);
        }
        for (row = first; row; row = next) {
            next = row->touched;
            row->touched = NULL;
        }
    }
    for (k = 0; classes >> k && s->times; k++) {
        if (!(classes >> k & 1) || !x[k]) continue;
        bursty_p_count_up(&t->class_sum[2 * k], s->times);
        bursty_p_add_product(&t->class_sum[2 * k + 1], x[k] * s->times, x[k]);
    }
}

/* ---- events --------------------------------------------------------------------------------- */

/* Sends one event to every profile in mask whose classes take it. */
BURSTY_P_SLOW void bursty_p_send(bursty_p_thread *t, uint32_t mask, const bursty_site *site,
                                 uintptr_t value, uint32_t kind) {
    uint32_t p;
    bursty_event event = { site, value, kind, BURSTY_P_HERE.depth, 0, 0, NULL, NULL };
#if BURSTY_STACK > 0
    event.stack = BURSTY_P_HERE.stack;
#endif
    for (p = 0; p < BURSTY_PROFILES && mask >> p; p++) {
        bursty_p_sampler *s = &t->sampler[p];
        if (!(mask >> p & 1) || !(s->set.classes & kind)) continue;
        event.burst = s->number;
        event.weight_256 = s->weight_256;
        event.memory = s->memory;
        bursty_p_count_up(&t->events[p], 1);
        if (s->set.action) s->set.action(s->set.user, &event);
        else bursty_p_tally(t, site, kind, s->weight_256);
    }
}

/* Adds what the bursts of the profiles in mask have counted to the sums. */
BURSTY_P_SLOW void bursty_p_fold_all(bursty_p_thread *t, uint32_t mask) {
    uint32_t p;
    for (p = 0; p < BURSTY_PROFILES && mask >> p; p++) {
        if ((mask >> p & 1) && !t->sampler[p].set.action) bursty_p_fold(t, &t->sampler[p]);
    }
}

/* Ends the bursts of the profiles in mask. */
BURSTY_P_SLOW void bursty_p_end(bursty_p_thread *t, uint32_t mask) {
    bursty_p_mine.only = NULL;
    bursty_p_mine.room = 0;
    if (mask & t->framed) bursty_p_send(t, mask & t->framed, &bursty_p_burst_site, 0, BURSTY_END);
    if (bursty_p_mine.touched) bursty_p_fold_all(t, mask);
    t->live &= ~mask;
    bursty_p_mine.summing &= ~mask;
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
   at a random place of its period C + I, else threads shorter than C would never be sampled.

   Cost: a look is O(profiles). There are two in C + I checks. New settings wait 65 536 at most.

   With BURSTY_POLL the gap has no length: a look while bursty_p_open is 1 begins a burst of every
   profile once in an opening, and the phase after it lasts until the next one. */
BURSTY_P_SLOW uint32_t bursty_p_gap(bursty_p_thread *t, bursty_p_sampler *s) {
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

/* How many events one of this burst stands for: (C + I) / I, and more with hibernation. */
BURSTY_P_SLOW uint32_t bursty_p_weigh(const bursty_p_sampler *s) {
    const bursty_profile *set = &s->set;
    uint64_t weight, periods = (uint64_t)set->awake_count + set->hibernate_count;
    if (set->check_count == BURSTY_ALWAYS || BURSTY_P_POLLS) return 256;
    weight = ((uint64_t)s->gap + set->burst_count) * 256 / set->burst_count;
    if (weight > UINT32_MAX) return UINT32_MAX;
    if (periods >> 31) periods = INT32_MAX;
    if (set->awake_count) weight = weight * periods / set->awake_count;
    return weight > UINT32_MAX ? UINT32_MAX : (uint32_t)weight;
}

BURSTY_P_SLOW void bursty_p_begin(bursty_p_sampler *s, uint64_t left) {
    s->in_burst = 1;
    s->left = left;
    s->weight_256 = bursty_p_weigh(s);
}

BURSTY_P_SLOW void bursty_p_next_phase(bursty_p_thread *t, bursty_p_sampler *s) {
    if (!s->in_burst) {
        bursty_p_begin(s, s->set.burst_count);
        return;
    }
    s->in_burst = 0;
    s->left = BURSTY_P_POLLS ? BURSTY_P_EVER : bursty_p_gap(t, s);
    if (BURSTY_P_POLLS || s->set.awake_count == 0 || --s->awake_left) return;
    s->awake_left = s->set.awake_count;
    s->left += (uint64_t)s->set.hibernate_count * ((uint64_t)s->gap + s->set.burst_count);
}

/* A profile's first phase on a thread. */
static void bursty_p_first_phase(bursty_p_thread *t, bursty_p_sampler *s) {
    uint32_t drawn, burst = s->set.burst_count;
    s->in_burst = 0;
    s->left = BURSTY_P_EVER;
    s->awake_left = s->set.awake_count;
    if (s->set.check_count == BURSTY_ALWAYS && !BURSTY_P_POLLS) bursty_p_begin(s, BURSTY_P_EVER);
    if (s->set.check_count == BURSTY_ALWAYS || BURSTY_P_POLLS) return;
    s->left = bursty_p_gap(t, s) - 1;
    s->weight_256 = bursty_p_weigh(s);
    if (s->set.jitter_percent <= 0) return;
    drawn = bursty_p_below(t, s->gap + burst);
    s->in_burst = drawn < burst;
    s->left = drawn < burst ? burst - drawn : s->gap + burst - drawn;
}

/* Takes over what bursty_set_profile changed. Many threads may read at a time: each adds 2 to the
   lock. While one writes (1), it is left for the next look. An action that gets the END of a
   changed profile may call us, so END comes before the lock. */
static void bursty_p_take_settings(bursty_p_thread *t) {
    uint32_t generation = BURSTY_P_ACQUIRE(&bursty_p_all.generation), ended = 0, held, p;
    if (t->same_settings) return;
    for (p = 0; p < BURSTY_PROFILES; p++) {
        if (BURSTY_P_GET(&bursty_p_all.slot[p].stamp) != t->sampler[p].stamp) ended |= 1u << p;
    }
    ended &= t->live;
    if (ended) bursty_p_end(t, ended);
    do {
        held = BURSTY_P_GET(&bursty_p_all.lock);
        if (held & 1) return;
    } while (!bursty_p_cas(&bursty_p_all.lock, held, held + 2));
    for (p = 0; p < BURSTY_PROFILES; p++) {
        bursty_p_sampler *s = &t->sampler[p];
        const bursty_p_slot *slot = &bursty_p_all.slot[p];
        uint32_t bit = 1u << p;
        if (slot->stamp == s->stamp || (t->live & bit)) continue;
        s->set = slot->set;
        s->stamp = slot->stamp;
        t->active &= ~bit;
        t->framed &= ~bit;
        t->acting &= ~bit;
        if (!slot->used || s->set.off) continue;
        t->active |= bit;
        if (s->set.classes & (BURSTY_BEGIN | BURSTY_END)) t->framed |= bit;
        if (s->set.action) t->acting |= bit;
        bursty_p_zero(s->memory, sizeof s->memory);
        bursty_p_first_phase(t, s);
    }
    t->generation = generation;
    t->plain = KEEPREGS_P_PLAIN(t);
    (void)BURSTY_P_ADD(&bursty_p_all.lock, 0u - 2);
}

static void bursty_p_pace(bursty_p_thread *t, int was_burst) {
    const bursty_config *config = &bursty_p_all.config;
    uint64_t shares = 0;
    uint32_t p;
    for (p = 0; p < BURSTY_PROFILES; p++) {
        const bursty_profile *set = &t->sampler[p].set;
        if (!(t->active >> p & 1) || set->check_count == BURSTY_ALWAYS) continue;
        shares += ((uint64_t)set->burst_count << 20) / set->check_count;
    }
    t->factor = config->pace(config->pace_user, t->pace, was_burst, t->phase_checks, shares);
    t->phase_checks = 0;
}

BURSTY_P_SLOW void bursty_p_go_live(bursty_p_thread *t, uint32_t live) {
    uint32_t was = t->live, begun = live & ~was, p;
    if (was & ~live) bursty_p_end(t, was & ~live);
    if (bursty_p_all.config.pace && !was != !live) bursty_p_pace(t, was != 0);
    t->live = live;
    bursty_p_mine.only = NULL;
    for (p = 0; p < BURSTY_PROFILES && live >> p; p++) {
        bursty_p_sampler *s = &t->sampler[p];
        if (begun >> p & 1) bursty_p_number(t, s, p);
        if (live != 1u << p || s->set.action || s->set.classes != BURSTY_ANY) continue;
        bursty_p_mine.only = &t->events[p];
        bursty_p_mine.weight_256 = s->weight_256;
    }
    begun &= t->framed;
    if (begun) bursty_p_send(t, begun, &bursty_p_burst_site, 0, BURSTY_BEGIN);
}

/* An opening of bursty_poll that this thread has not seen. */
BURSTY_P_STEP int bursty_p_reopened(const bursty_p_thread *t) {
    return BURSTY_P_POLLS && BURSTY_P_OPEN() && t->opening != BURSTY_P_GET(&bursty_p_all.opening);
}

BURSTY_P_SLOW void bursty_p_begin_opening(bursty_p_thread *t) {
    uint32_t p;
    t->opening = BURSTY_P_GET(&bursty_p_all.opening);
    bursty_p_go_live(t, 0);
    for (p = 0; p < BURSTY_PROFILES; p++) {
        if (t->active >> p & 1) bursty_p_begin(&t->sampler[p], t->sampler[p].set.burst_count);
    }
}

/* A look after so many checks. Returns the word before the check that asked takes its 1. */
BURSTY_P_SLOW uint32_t bursty_p_look(bursty_p_thread *t, uint32_t passed) {
    uint32_t live = 0, p;
    uint64_t span = BURSTY_P_SPAN;
    t->in_slow = 2;
    if (passed > t->span) passed = t->span; /* a fresh record has span 0 and any word */
    bursty_p_count_up(&t->checks, passed);
    if (t->live) bursty_p_count_up(&t->burst_checks, passed);
    t->phase_checks += passed;
    for (p = 0; p < BURSTY_PROFILES && t->active >> p; p++) {
        if (t->sampler[p].left != BURSTY_P_EVER) t->sampler[p].left -= passed;
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
    if (t->generation != BURSTY_P_GET(&bursty_p_all.generation) && span > 256) {
        span = t->generation ? 256 : 1; /* 1: it has no settings yet */
    }
    if (live != t->live) bursty_p_go_live(t, live);
    t->span = (uint32_t)span;
    bursty_p_mine.room = bursty_p_mine.only && !BURSTY_P_POLLS ? t->span : 0;
    t->in_slow = 0;
    return live ? 0 : t->span;
}

/* n is the word before the next check. Returns it, after a look if one is due. */
BURSTY_P_STEP uint32_t bursty_p_advance(bursty_p_thread *t, uint32_t n) {
    uint32_t passed = t->live ? 0 - n : t->span - n;
    if (passed < t->span && !bursty_p_reopened(t)) return n;
    return bursty_p_look(t, passed);
}

/* ---- threads -------------------------------------------------------------------------------- */

static void bursty_p_seed(bursty_p_thread *t) {
    uint32_t h = bursty_p_mix(bursty_p_mix(bursty_p_all.config.seed + 1, t->number + 1), t->reuses);
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

/* The record of a thread that has ended, or a fresh one, or NULL. */
static bursty_p_thread *bursty_p_take_record(void) {
    uint32_t count = bursty_p_threads(), i;
    bursty_p_thread *t;
    for (t = bursty_p_all.threads; t < bursty_p_all.threads + count; t++) {
        if (bursty_p_cas(&t->state, BURSTY_P_ENDED, BURSTY_P_USED)) return t;
    }
    if (count >= bursty_p_all.thread_room) return NULL;
    i = BURSTY_P_ADD(&bursty_p_all.thread_count, 1);
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
    if (!t && bursty_p_mine.epoch != epoch) (void)BURSTY_P_ADD(&bursty_p_all.lost_threads, 1);
    bursty_p_zero(&bursty_p_mine, sizeof bursty_p_mine);
    bursty_p_mine.thread = t;
    BURSTY_P_FENCE(); /* for a signal handler */
    bursty_p_mine.epoch = epoch;
    if (!t) return NULL;
    BURSTY_P_RELEASE(&t->name, NULL);
    bursty_p_zero(&t->random, sizeof *t - offsetof(bursty_p_thread, random));
    bursty_p_seed(t);
    t->reuses++;
    t->opening = BURSTY_P_GET(&bursty_p_all.opening) - 1;
    bursty_p_watch();
    if (bursty_p_all.config.on_thread) bursty_p_all.config.on_thread(1);
    return t;
}

/* The calling thread's record of this start, or NULL. */
BURSTY_P_STEP bursty_p_thread *bursty_p_registered(void) {
    return bursty_p_mine.epoch == BURSTY_P_GET(&bursty_p_all.epoch) ? bursty_p_mine.thread : NULL;
}

BURSTY_P_STEP bursty_p_thread *bursty_p_me(void) {
    bursty_p_thread *t = bursty_p_registered();
    return t ? t : bursty_p_register();
}

/* ---- the slow path -------------------------------------------------------------------------- */

/* The word says whether the slow path is running on this thread:

       check fires --> n = hold()  --> look? deliver? --> word = n, or the new one
                       word = BUSY     actions

   hold() is the first act: it takes the word out and puts a large number in, in one instruction.
   From then on the thread's checks stay on the fast path and count the large number down, which is
   dropped in the end. So checks in an action, or in a signal handler that lands here, record
   nothing, are not counted, and do not re-enter. (With BURSTY_POLL they do, and get BUSY here.)

     bursty_set_profile in an action  only stores the settings, since in_slow is set; the next look
                                      takes them over. bursty_get_stats and others do not look.
     longjmp out of an action, or of  bursty_set_depth puts the word back: out of an event the word
     a handler that came in between   in `kept`; else 0 with span 0: the next check is a look with
                                      nothing passed, and a burst that goes on begins anew
     a thread without a record        no start yet, or no memory; it asks again in 65 536 checks */
#define BURSTY_P_IS_HELD() ((int32_t)BURSTY_P_HERE.n > (int32_t)BURSTY_P_SPAN)
BURSTY_P_STEP uint32_t bursty_p_hold(void) {
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

BURSTY_P_SLOW void bursty_p_deliver(bursty_p_thread *t, const bursty_site *site, uintptr_t value,
                             uint32_t kind, uint32_t kept) {
    if (bursty_p_mine.only && (kind & BURSTY_ANY)) {
        bursty_p_count_up(bursty_p_mine.only, 1);
        bursty_p_tally(t, site, kind, bursty_p_mine.weight_256);
        return;
    }
    t->in_slow = 1;
    t->kept = kept;
    bursty_p_send(t, t->live, site, value, kind);
    t->in_slow = 0;
}

/* Where bursty_p_mine.only is set, an event whose row is a recent one is counted here. n is the
   word after its check. Both return 0 if it is not counted. */
BURSTY_P_STEP int bursty_p_count_known(const bursty_site *site) {
    bursty_p_row *row = bursty_p_recall(site, bursty_p_caller(BURSTY_P_HERE.depth));
    if (!row) return 0;
    bursty_p_count_up(bursty_p_mine.only, 1);
    bursty_p_count_in(row, bursty_p_mine.weight_256);
    return 1;
}

BURSTY_P_STEP int bursty_p_count_recent(const bursty_site *site, uint32_t n) {
    if (bursty_p_mine.epoch != BURSTY_P_GET(&bursty_p_all.epoch)) return 0;
    if (~n >= bursty_p_mine.room) return 0; /* that many checks of the burst have passed */
    return bursty_p_count_known(site);
}

BURSTY_P_STEP uint32_t bursty_p_hit_of(bursty_p_thread *t, const bursty_site *site,
                                       uintptr_t value, uint32_t n) {
    if (!t) {
        BURSTY_P_HERE.n = BURSTY_P_SPAN;
        return 0;
    }
    n = bursty_p_advance(t, n) - 1; /* it was the word before this check */
    if (t->live && site) bursty_p_deliver(t, site, value, site->kind, n);
    BURSTY_P_HERE.n = n;
    return t->live;
}

static BURSTY_P_COLD uint32_t bursty_p_rest(const bursty_site *site, uintptr_t value, uint32_t n) {
    return bursty_p_hit_of(bursty_p_me(), site, value, n);
}

BURSTY_API uint32_t bursty_p_hit(const bursty_site *site, uintptr_t value) {
    uint32_t n = bursty_p_hold();
    if (BURSTY_P_POLLS && n == BURSTY_P_BUSY) return 0;
    if (!site || !bursty_p_count_recent(site, n)) {
        return bursty_p_rest(site, value, n + !BURSTY_P_POLLS);
    }
    BURSTY_P_HERE.n = n;
    return bursty_p_mine.thread->live;
}

KEEPREGS_P_IN_BURSTY

BURSTY_API void bursty_p_event(const bursty_site *site, uintptr_t value, uint32_t kind) {
    uint32_t n = bursty_p_hold();
    bursty_p_thread *t;
    if (BURSTY_P_POLLS && n == BURSTY_P_BUSY) return;
    t = bursty_p_me();
    if (t && bursty_p_mine.only && (kind & BURSTY_RETURN) && !BURSTY_P_POLLS) {
        bursty_p_count_up(bursty_p_mine.only, 1);
    } else if (t && t->live && !bursty_p_reopened(t)) {
        bursty_p_deliver(t, site, value, kind, n);
    }
    BURSTY_P_HERE.n = n;
}

BURSTY_API uint32_t bursty_p_take(uint64_t left, uint32_t *live) {
    uint32_t n = bursty_p_hold(), room = BURSTY_P_SPAN;
    bursty_p_thread *t = NULL;
    if (!BURSTY_P_POLLS || n != BURSTY_P_BUSY) {
        t = bursty_p_me();
        n = t ? bursty_p_advance(t, n) : room;
    }
    *live = t ? t->live : 0;
    if (t) room = t->live ? t->span - (0 - n) : n;
    if (left < room) room = (uint32_t)left;
    if (t || n != BURSTY_P_BUSY) BURSTY_P_HERE.n = n - room;
    return room;
}

/* Unused checks are given back unless checks in the body have begun or ended a burst since. */
BURSTY_API void bursty_p_give_back(uint32_t count, uint32_t live) {
    uint32_t n = BURSTY_P_HERE.n, back = n + count;
    bursty_p_thread *t = bursty_p_registered();
    if (!t || t->in_slow || !live != !t->live || (BURSTY_P_POLLS && !live)) return;
    if (live ? 0 - n <= t->span && 0 - back <= t->span : back <= t->span) BURSTY_P_HERE.n = back;
}

/* Looks at the schedule now, so that a change takes effect at once and counts are exact. */
static void bursty_p_look_now(void) {
    bursty_p_thread *t = bursty_p_registered();
    uint32_t n;
    if ((t && t->in_slow) || BURSTY_P_IS_HELD()) return;
    n = bursty_p_hold();
    t = bursty_p_me();
    if (t) {
        n = bursty_p_look(t, t->live ? 0 - n : t->span - n);
        if (t->generation != BURSTY_P_GET(&bursty_p_all.generation)) {
            bursty_p_lock(); /* another thread had it, and the caller was promised "at once" */
            bursty_p_unlock();
            n = bursty_p_look(t, 0);
        }
    }
    BURSTY_P_HERE.n = n;
}

/* ---- start and settings --------------------------------------------------------------------- */

#if BURSTY_MEMORY > 0
static uint64_t bursty_p_memory[(BURSTY_MEMORY + 7) / 8];
#else
#define bursty_p_memory NULL
#endif

static int bursty_p_valid(const bursty_profile *p) {
    return (p->check_count <= BURSTY_P_BUSY || p->check_count == BURSTY_ALWAYS)
           && p->burst_count <= BURSTY_P_BUSY && p->jitter_percent <= 100;
}

/* Would two profiles count the same events in the hot table? */
static int bursty_p_counted_twice(int profile, const bursty_profile *p) {
    uint32_t classes = p->classes ? p->classes : (uint32_t)BURSTY_ANY;
    int i;
    for (i = 0; i < BURSTY_PROFILES && !p->action; i++) {
        const bursty_p_slot *s = &bursty_p_all.slot[i];
        if (i != profile && s->used && !s->set.action && (s->set.classes & classes)) return 1;
    }
    return 0;
}

static void bursty_p_put_slot(int profile, const bursty_profile *p) {
    bursty_p_slot *slot = &bursty_p_all.slot[profile];
    bursty_profile *set = &slot->set;
    slot->used = p != NULL;
    if (p) *set = *p;
    if (set->check_count == 0) set->check_count = 990;
    if (set->burst_count == 0) set->burst_count = 10;
    if (set->jitter_percent == 0) set->jitter_percent = 12;
    if (set->jitter_percent < 0) set->jitter_percent = 0;
    if (set->classes == 0) set->classes = BURSTY_ANY;
    BURSTY_P_PUT(&slot->stamp, BURSTY_P_GET(&bursty_p_all.generation) + 1);
    BURSTY_P_RELEASE(&bursty_p_all.generation, slot->stamp);
}

BURSTY_API uint32_t bursty_start(const bursty_config *config) {
    static bursty_config zero;
    unsigned char *memory;
    size_t bytes, skip, threads, rows, slots = 1;
    if (!config) config = &zero;
    memory = (unsigned char *)(config->memory ? config->memory : bursty_p_memory);
    bytes = config->memory ? config->memory_bytes : BURSTY_MEMORY;
    if (!memory || !bursty_p_valid(&config->profile)) return 0;
    skip = (0 - (uintptr_t)memory) & 7;
    if (bytes < skip + sizeof(bursty_p_thread) + 16 * sizeof(bursty_p_row)) return 0;
    memory += skip;
    bytes -= skip;
    threads = bytes / 4 / sizeof(bursty_p_thread);
    if (threads == 0) threads = 1;
    if (threads > BURSTY_P_MOST) threads = BURSTY_P_MOST;
    rows = bytes - threads * sizeof(bursty_p_thread); /* bytes for rows and index */
    while (slots < rows / (sizeof(bursty_p_row) + 4) && slots < (size_t)1 << 28) slots *= 2;
    while (slots > 1 && slots * 4 > rows / 4) slots /= 2;
    rows = (rows - slots * 4) / sizeof(bursty_p_row);
    if (rows > slots - slots / 4) rows = slots - slots / 4;
    bursty_p_zero(memory, bytes);
    bursty_p_zero(bursty_p_all.slot, sizeof bursty_p_all.slot);
    bursty_p_all.config = *config;
    bursty_p_all.threads = (bursty_p_thread *)(void *)memory;
    bursty_p_all.thread_room = (uint32_t)threads;
    bursty_p_all.rows = (bursty_p_row *)(void *)(bursty_p_all.threads + threads);
    bursty_p_all.index = (uint32_t *)(void *)(bursty_p_all.rows + rows);
    bursty_p_all.row_room = (uint32_t)rows;
    bursty_p_all.index_mask = (uint32_t)slots - 1;
    bursty_p_all.thread_count = bursty_p_all.row_count = 0;
    bursty_p_all.lost_threads = bursty_p_all.generation = 0;
    bursty_p_put_slot(0, &bursty_p_all.config.profile);
    BURSTY_P_RELEASE(&bursty_p_all.epoch, bursty_p_all.epoch + 1 ? bursty_p_all.epoch + 1 : 1);
    BURSTY_P_HERE.n = 0;
    bursty_p_look_now();
    return (uint32_t)threads;
}

BURSTY_API int bursty_set_profile(int profile, const bursty_profile *p) {
    int refused;
    if (profile < 0 || profile >= BURSTY_PROFILES || bursty_p_all.epoch == 0) return -1;
    if (p && !bursty_p_valid(p)) return -1;
    bursty_p_lock();
    refused = p && bursty_p_counted_twice(profile, p);
    if (!refused) bursty_p_put_slot(profile, p);
    bursty_p_unlock();
    if (!refused) bursty_p_look_now();
    return refused ? -1 : 0;
}

BURSTY_API uint32_t bursty_in_burst(void) {
    bursty_p_thread *t = bursty_p_registered();
    if (!t || (BURSTY_P_POLLS && (!BURSTY_P_OPEN() || bursty_p_reopened(t)))) return 0;
    return t->live;
}

BURSTY_API void bursty_poll(int on) {
    (void)on;
#ifdef BURSTY_POLL
    if (on && !BURSTY_P_OPEN()) (void)BURSTY_P_ADD(&bursty_p_all.opening, 1);
    BURSTY_P_PUT(&bursty_p_open, (uint8_t)(on != 0));
#endif
}

BURSTY_API uint32_t bursty_depth(void) { return BURSTY_P_HERE.depth; }
BURSTY_API void bursty_set_depth(uint32_t depth) {
    bursty_p_thread *t = bursty_p_registered();
    uint32_t i, left = t ? t->in_slow : 0;
    BURSTY_P_HERE.depth = depth;
    if (t) t->in_slow = t->same_settings = 0;
    if (!left && !BURSTY_P_IS_HELD()) return;
    BURSTY_P_HERE.n = left == 1 ? t->kept : 0;
    if (!t || left == 1) return;
    bursty_p_fold_all(t, t->live);
    for (i = BURSTY_P_ACQUIRE(&bursty_p_all.row_count); i-- > 0;) { /* left in the middle of it? */
        if (bursty_p_all.rows[i].thread == t->number) bursty_p_all.rows[i].touched = NULL;
    }
    bursty_p_mine.only = NULL;
    bursty_p_mine.touched = NULL;
    t->live = t->span = bursty_p_mine.summing = bursty_p_mine.room = 0;
}

BURSTY_API void bursty_thread_name(const char *name) {
    bursty_p_thread *t = bursty_p_me();
    if (t) BURSTY_P_RELEASE(&t->name, name);
}

BURSTY_API void bursty_thread_end(void) {
    bursty_p_thread *t = bursty_p_registered();
    if (!t) return;
    if (bursty_p_all.config.on_thread) bursty_p_all.config.on_thread(0);
    bursty_p_look_now();
    t->in_slow = 2;
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
    for (i = BURSTY_P_ACQUIRE(&bursty_p_all.row_count); i-- > 0;) {
        bursty_p_row *row = &bursty_p_all.rows[i];
        if (!mine || row->thread != mine->number) row->touched = NULL;
    }
    bursty_p_all.lost_threads = 0;
    bursty_p_all.config.seed = bursty_p_mix(bursty_p_all.config.seed, UINT32_C(0x464F524B));
    if (!mine) return;
    mine->reuses += mine->random;
    bursty_p_seed(mine);
    if (bursty_p_all.config.on_thread) bursty_p_all.config.on_thread(2);
}

BURSTY_API void bursty_charge(void *user, const void *site, const void *caller, uint64_t ticks) {
    bursty_p_thread *t = bursty_p_me();
    const bursty_site *at = (const bursty_site *)site, *from = (const bursty_site *)caller;
    bursty_p_row *row = t ? bursty_p_row_of(t, at, from) : NULL;
    (void)user;
    if (row) bursty_p_count_up(&row->sum[2], ticks);
}

BURSTY_API void bursty_clear(void) {
    uint32_t i, p;
    if (bursty_p_all.epoch == 0) return;
    bursty_p_look_now();
    for (i = 0; i < bursty_p_threads(); i++) {
        bursty_p_thread *t = &bursty_p_all.threads[i];
        BURSTY_P_STORE(&t->checks, 0);
        BURSTY_P_STORE(&t->burst_checks, 0);
        BURSTY_P_STORE(&t->lost, 0);
        for (p = 0; p < BURSTY_PROFILES; p++) {
            BURSTY_P_STORE(&t->bursts[p], 0);
            BURSTY_P_STORE(&t->events[p], 0);
        }
        for (p = 0; p < 2 * BURSTY_P_CLASSES; p++) BURSTY_P_STORE(&t->class_sum[p], 0);
    }
    for (i = BURSTY_P_ACQUIRE(&bursty_p_all.row_count); i-- > 0;) {
        for (p = 0; p < BURSTY_P_SUMS; p++) BURSTY_P_STORE(&bursty_p_all.rows[i].sum[p], 0);
    }
}

/* ---- answers -------------------------------------------------------------------------------- */

BURSTY_P_INLINE void bursty_p_sum(uint64_t *sum, const bursty_p_count *c) {
    uint64_t more = BURSTY_P_READ(c);
    *sum = *sum + more < more ? UINT64_MAX : *sum + more;
}

BURSTY_API void bursty_get_stats(bursty_stats *out) {
    uint64_t in_bursts = 0, checks;
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
    for (checks = out->checks; checks >> 44; checks /= 2) in_bursts /= 2;
    if (checks) out->rate_ppm = (uint32_t)(in_bursts * 1000000 / checks);
}

BURSTY_API void bursty_each(bursty_visit_fn visit, void *user) {
    uint32_t i, rows = BURSTY_P_ACQUIRE(&bursty_p_all.row_count);
    for (i = 0; i < rows && bursty_p_all.epoch; i++) {
        const bursty_p_row *row = &bursty_p_all.rows[i];
        const bursty_row out = { BURSTY_P_ACQUIRE(&row->site), row->caller,
                                 BURSTY_P_READ(&row->sum[0]), BURSTY_P_READ(&row->sum[1]),
                                 BURSTY_P_READ(&row->sum[2]) };
        if (out.site && (out.count || out.ticks)) visit(user, &out);
    }
}

/* ---- the dump ------------------------------------------------------------------------------- */

/* docs/formats.md. A site is written in full unless it was among the last 64 new ones. */
#define BURSTY_P_RING 64u
typedef struct bursty_p_dump {
    bursty_p_out out;
    const bursty_site *ring[BURSTY_P_RING];
    uint32_t sites;
} bursty_p_dump;

static void bursty_p_put_all(bursty_p_dump *d, const uint64_t *values, size_t count) {
    while (count--) bursty_p_put_varint(&d->out, *values++);
}

static void bursty_p_put_string(bursty_p_dump *d, const char *string) {
    size_t length = 0;
    while (string && string[length]) length++;
    bursty_p_put_varint(&d->out, length);
    bursty_p_put(&d->out, string, length);
}

static void bursty_p_put_site(bursty_p_dump *d, const bursty_site *site) {
    uint32_t back = 0, known = d->sites < BURSTY_P_RING ? d->sites : BURSTY_P_RING;
    while (back < known && d->ring[(d->sites - 1 - back) % BURSTY_P_RING] != site) back++;
    bursty_p_put_varint(&d->out, !site ? 0 : back < known ? back + 2 : 1);
    if (!site || back < known) return;
    d->ring[d->sites++ % BURSTY_P_RING] = site;
    bursty_p_put_string(d, site->name);
    bursty_p_put_string(d, site->file);
    bursty_p_put_varint(&d->out, site->line);
    bursty_p_put_varint(&d->out, site->kind);
}

static void bursty_p_put_profile(bursty_p_dump *d, uint32_t p) {
    bursty_p_slot slot;
    uint32_t i, flags = bursty_p_all.config.pace ? 4 : 0;
    bursty_p_lock();
    slot = bursty_p_all.slot[p];
    bursty_p_unlock();
    if (!slot.used) return;
    flags |= (slot.set.off ? 1u : 0) | (slot.set.action ? 0 : 2u);
    uint64_t v[9] = { 2, p, slot.set.check_count, slot.set.burst_count,
                      (uint32_t)slot.set.jitter_percent, slot.set.classes, flags, 0, 0 };
    for (i = 0; i < bursty_p_threads(); i++) {
        bursty_p_sum(&v[7], &bursty_p_all.threads[i].bursts[p]);
        bursty_p_sum(&v[8], &bursty_p_all.threads[i].events[p]);
    }
    bursty_p_put_all(d, v, 9);
}

static void bursty_p_put_row(bursty_p_dump *d, const bursty_p_row *row) {
    const bursty_p_count *m = &bursty_p_all.threads[row->thread].class_sum[2 * row->class_number];
    uint64_t v[BURSTY_P_SUMS];
    uint32_t k, has_sums = BURSTY_P_READ(m) > BURSTY_P_ALL_SUMMED || BURSTY_P_READ(&row->sum[3]);
    for (k = 0; k < BURSTY_P_SUMS; k++) v[k] = BURSTY_P_READ(&row->sum[k]);
    if (!v[0] && !v[2]) return;
    bursty_p_put_varint(&d->out, has_sums ? 8 : 4);
    bursty_p_put_site(d, row->site);
    bursty_p_put_site(d, row->caller);
    bursty_p_put_all(d, v, has_sums ? BURSTY_P_SUMS : 3);
}

static void bursty_p_put_thread(bursty_p_dump *d, uint32_t number, uint32_t rows) {
    const bursty_p_thread *t = &bursty_p_all.threads[number];
    uint64_t v[4] = { 3, number, BURSTY_P_GET(&t->state) == BURSTY_P_ENDED, 0 };
    uint32_t i;
    bursty_p_put_all(d, v, 3);
    bursty_p_put_string(d, BURSTY_P_ACQUIRE(&t->name));
    v[0] = BURSTY_P_READ(&t->checks);
    v[1] = BURSTY_P_READ(&t->burst_checks);
    v[2] = 0;
    for (i = 0; i < BURSTY_PROFILES; i++) bursty_p_sum(&v[2], &t->events[i]);
    v[3] = BURSTY_P_READ(&t->lost);
    bursty_p_put_all(d, v, 4);
    for (i = 0; i < BURSTY_P_CLASSES - 1; i++) {
        const bursty_p_count *sum = &t->class_sum[2 * i];
        const uint64_t of[4] = { 7, 1u << i, BURSTY_P_READ(sum), BURSTY_P_READ(sum + 1) };
        if (of[2]) bursty_p_put_all(d, of, 4);
    }
    for (i = 0; i < rows; i++) {
        const bursty_p_row *row = &bursty_p_all.rows[i];
        if (BURSTY_P_ACQUIRE(&row->site) && row->thread == number) bursty_p_put_row(d, row);
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
    bursty_p_put_string(&d, bursty_p_all.config.program);
    const uint64_t totals[3] = { stats.checks, stats.events, stats.lost };
    bursty_p_put_all(&d, totals, 3);
    for (i = 0; i < BURSTY_PROFILES; i++) bursty_p_put_profile(&d, i);
    for (i = 0; i < stats.threads; i++) bursty_p_put_thread(&d, i, rows);
    if (bursty_p_put_end(&d.out)) return -1;
    return bursty_p_all.config.more ? bursty_p_all.config.more(write, user) : 0;
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
    return fclose(file) != 0 ? -1 : failed;
}
#endif

#endif /* BURSTY_TINY */

#if defined(__cplusplus) && defined(BURSTY_P_GNU)
#pragma GCC diagnostic pop
#endif
#endif /* BURSTY_IMPLEMENTATION */

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
