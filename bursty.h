/* bursty.h - v0.1.0 - samples bursts of a program's events from inside, at a percent or less - MIT, text at end of file

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

   Define BURSTY_IMPLEMENTATION in one C or C++ file before the include; include it plainly anywhere else, behind feature-test macros
   such as _GNU_SOURCE. Then one line per
   function. `bursty report game.brst` shows the hot functions and call pairs, `bursty_top` the same inside the program.

   THE CHECK  One 32-bit word per thread. Its sign is the mode: n >= 0, n checks are left until something happens; n < 0, a
   burst is live. A check is `sub dword [word], 1; js cold` (bursty-tracing Figure 3, decision for decision). Of every
   check_count + burst_count checks (990 + 10) the last burst_count are a burst: there, and only there, events are recorded.

   WHERE TO CHECK  At every function entry and in every loop that can run long. A dual-path function (BURST_DUAL, BURST_BODY)
   that loops without a check records nothing of a burst that starts meanwhile, and stays in its copy when one ends.

     BURST_ENTRY();                   this function was called
     BURST_SCOPE("name");             the same, and its return on every exit: gives callers, contexts and time. A declaration, so not
                                      after a bare if; names are literals
     BURST_LOOP();                    a back-edge; first thing in a loop's body
     BURST_POINT(class, "name", value);  an event of any class below, BURSTY_USER for your own; value is not evaluated on the fast path
     BURST_LEAVE();                   before each exit of a scope; needed by C compilers other than gcc and clang, nothing elsewhere
     if (BURST_CHECK()) ...           a check by hand
     BURST_DUAL(int, f, (int a, int b), (a, b)) { body }    f compiled twice; its entry check picks the copy
     BURST_DUAL(void, g, (void), ()) { body }               the same without parameters and result
     BURST_DUAL_LEAF(int, h, (int a), (a)) { body }         compiled twice, no check: for leaves (section 4.1)
     BURST_SAME(h, (a))                                     h in its caller's copy
     for (...) BURST_BODY({ body })                         a check per iteration picks the copy of the body
     BURST_FOR(int, i, 0, n, { body })                      counted loop, checks taken in strips: nothing per iteration
     BURST_REF(BURSTY_LOAD, p); BURST_IF_RECORDING(statements);     only in a burst, in the instrumented copy

   A body that is a macro argument is one line to a debugger and to gcov; labels in it clash and a static in it is two. For more
   than a few lines call a function from it. BURST_DUAL cannot hold setjmp or computed gotos and has no return event: use BURST_SCOPE.
   Checks inside BURST_FOR's body shift its order; use BURST_BODY there. Do not assign to its i.

   PROMISES   No allocation (64 KiB of static memory: some 12 threads and 770 rows; or yours), no abort, no printing, no locks on a program's path. What does
              not fit is counted in stats.lost. Counters saturate. Without bursty_start a check stays a check and nothing else.
   THREADS    A thread joins at its first check; one that checked before bursty_start up to 65536 checks later. Before it ends call
              bursty_thread_end(), or compile the implementation as C++ or with BURSTY_PTHREAD, which do. Checks in signal handlers are
              safe on a thread that has checked before; an interrupt on bare metal needs a context of its own: another file with
              BURSTY_STATIC. Checks inside an action are not counted. fork: bursty_forked() in the child (BURSTY_PTHREAD does).
              longjmp: save bursty_depth() beside setjmp, give it to bursty_set_depth() after the jump; out of an action this is
              a must, elsewhere the next return of an outer scope mends it. Exceptions run the scopes' ends (C code in their way
              needs -fexceptions). A shared object has a context of its own; with BURSTY_PTHREAD link it with -z nodelete.
   TIME       With clock_hz, events carry ticks and scopes get time. What is shorter than a reading of the clock comes out
              rough. A budget is best served by the thread's CPU time, times by the cheapest clock there is.
   COST       x86-64, see bench/results.md: a point two instructions; a scope adds two stores and rules out tail calls; the shadow
              stack (BURSTY_STACK entries of 8 bytes per thread) one store more.

   OPTIONS    define the same in every file, best on the command line
     BURSTY_OFF            everything is nothing: no code, no data
     BURSTY_POLL           the check reads one shared flag, which bursty_poll(1) and (0) flip from a timer, instead of counting;
                           check_count, jitter, hibernation do not matter, burst_count caps what a thread records per opening
     BURSTY_NO_TLS         one context, no atomics: firmware, programs in which one thread checks. Implied unless the compiler is gcc or
                           clang (on Windows: mingw or clang-cl). Freestanding it needs memcpy and the compiler's 64-bit division; set BURSTY_MEMORY
     BURSTY_TINY           24 bytes of RAM, a fixed jitter, one callback; no table, dump or threads; implies BURSTY_NO_TLS
     BURSTY_STACK=n        entries of the shadow stack: 64; 0 in freestanding or tiny builds. Deeper scopes are counted, not kept
     BURSTY_TLS_MODEL="m"  "initial-exec" in shared objects: the default there is a call per check; executables are "local-exec"
     BURSTY_STATIC         everything static, for one file
     An undefined reference to bursty_...: no file has BURSTY_IMPLEMENTATION (bursty_save: BURSTY_STDIO), or files differ in options.
   where BURSTY_IMPLEMENTATION is defined
     BURSTY_PROFILES=n     profiles at once: 8, at most 32      BURSTY_MEMORY=bytes  the static memory: 65536, or 0 for none
     BURSTY_STDIO          adds bursty_save                     BURSTY_PTHREAD       joins pthread_key_create and pthread_atfork
     BURSTY_ASSERT(x)      catches misuse; memory stays safe without                                                        */

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

/* ---- types ------------------------------------------------------------------------------------------------------------------ */

#ifdef __cplusplus
extern "C" {
#endif

/* Event classes (the opcode classes of hybrid-profiling-support, Figure 3). */
enum {
    BURSTY_CALL = 1, BURSTY_RETURN = 2, BURSTY_BACKEDGE = 4, BURSTY_LOAD = 8, BURSTY_STORE = 16, BURSTY_USER = 32,
    BURSTY_ANY = 63, BURSTY_BEGIN = 64, BURSTY_END = 128,  /* of a burst; not in BURSTY_ANY          */
    BURSTY_FRAME = 256    /* beside CALL and RETURN of a scope, so test kind with &: a RETURN will follow, or follows a CALL */
};

typedef struct bursty_site { const char *name, *file; uint32_t line, kind; } bursty_site;   /* static const, in flash */

typedef struct bursty_event {
    const bursty_site *site;                  /* never NULL; "(burst)" in BEGIN and END                        */
    uintptr_t          value;                 /* what the point gave; an address for references                */
    uint64_t           ticks;                 /* config.clock, 0 without                                       */
    uint32_t           kind, depth;           /* depth: scopes around the event; CALL and its RETURN have the same */
    uint32_t           burst;                 /* number of this profile's burst on this thread, from 1         */
    uint32_t           weight_256;            /* 256 times the number of events that this one stands for       */
    const bursty_site *const *stack;          /* the outermost min(depth, BURSTY_STACK) scopes around it; NULL without a stack */
} bursty_event;

typedef void (*bursty_action)(void *user, const bursty_event *event);
typedef int  (*bursty_write_fn)(void *user, const void *data, size_t size);                  /* 0: go on      */

/* Conditional control (hybrid-profiling-support, Figures 3 and 4): 8 counters per thread, each with a zero and an overflow flag.
   All conditions of one event are judged on the flags before it, then all operations run, then the actions. */
enum { BURSTY_INC = 1, BURSTY_DEC, BURSTY_SET, BURSTY_UNTIL };           /* UNTIL n: overflow after n INCs; at once for 0 */
typedef struct bursty_op   { uint8_t op, counter; uint32_t value; } bursty_op;
typedef struct bursty_term { uint8_t zero, not_zero, overflow, not_overflow; } bursty_term; /* masks of counters, all must hold */
typedef struct bursty_when { bursty_term any[3]; } bursty_when;          /* one used term must hold; none used: always    */
typedef struct bursty_rule { uint32_t classes; bursty_when when; bursty_op op[4]; uint32_t op_count; } bursty_rule;

#define BURSTY_ALWAYS UINT32_MAX                       /* as check_count: one burst that never ends; the full profile */

typedef struct bursty_profile {                        /* every zero is a default                                 */
    uint32_t check_count, burst_count;                 /* nCheck0, nInstr0: 990, 10; at most 2^30                 */
    int32_t  jitter_percent;                           /* of check_count: 12; -1: none                            */
    uint32_t awake_count, hibernate_count;             /* in burst periods; 0: always awake                       */
    uint32_t classes;                                  /* BURSTY_ANY                                              */
    bursty_when when;                                  /* condition for the action                                */
    const bursty_rule *rules; uint32_t rule_count;     /* run on events of a live burst                           */
    bursty_action action; void *user;                  /* NULL: count into the hot table. All three may be in use */
                                                       /* by other threads until their next edge after bursty_set_profile */
    int off;                                           /* 1: keep it, do not run it                               */
} bursty_profile;

typedef struct bursty_config {                         /* every zero is a default                                 */
    bursty_profile profile;                            /* profile 0: hot functions and call pairs                 */
    void *memory; size_t memory_bytes;                 /* NULL: BURSTY_MEMORY bytes of its own                    */
    uint64_t (*clock)(void *user); void *clock_user;   /* the calling thread's time; its CPU time serves a budget best */
    uint64_t clock_hz;                                 /* 0: the clock serves the budget alone, events carry no ticks */
    uint32_t budget_ppm;                               /* > 0, needs clock: keep the cost of bursts at this share of time */
    uint32_t reenable_percent;                         /* 1 to 100: how often a burst at a known point and stack goes ahead;
                                                          BURST_CHECK, BODY and FOR count as one point            */
    uint32_t seed;                                     /* of jitter: same seed, same events, same samples         */
    const char *program;                               /* a name for the report, a literal                        */
} bursty_config;

typedef struct bursty_row   { const bursty_site *site, *caller; uint64_t count, weight, ticks; } bursty_row; /* weight in 1/256 */
typedef struct bursty_stats { uint64_t checks, bursts, events, lost; uint32_t threads, ended, lost_threads, rate_ppm; } bursty_stats;

/* ---- functions -------------------------------------------------------------------------------------------------------------- */

#if defined(__GNUC__) || defined(__clang__)             /* clang-cl defines the second alone */
#define BURSTY_P_GNU
#endif
#if defined(BURSTY_P_GNU) || defined(__TINYC__)
#define BURSTY_P_UNUSED __attribute__((unused))
#else
#define BURSTY_P_UNUSED
#endif

#ifndef BURSTY_OFF

#if defined(BURSTY_STATIC)
#define BURSTY_API BURSTY_P_UNUSED static
#elif defined(BURSTY_P_GNU) && !defined(_WIN32)
#define BURSTY_API extern __attribute__((visibility("hidden")))       /* clang PIE would go through the GOT otherwise */
#else
#define BURSTY_API extern
#endif

/* Adds or changes a profile, any time, on any thread. The calling thread goes by it at once, others at their next edge (at most
   65536 checks away), with a new first gap; other profiles keep their place. Inside an action it takes effect with the next edge, in
   poll mode with the next opening. NULL removes. Returns 0, or -1: no such profile, not started, or a value out of range. */
BURSTY_API int      bursty_set_profile(int profile, const bursty_profile *p);
/* Profiles live on this thread now, as bits. */
BURSTY_API uint32_t bursty_in_burst(void);

#ifndef BURSTY_TINY
/* Starts sampling with profile 0, from zero. Returns how many threads fit; 0: memory too small, a budget without a clock, or a setting
   out of range; nothing has changed then. Call it again only while no other thread checks. */
BURSTY_API uint32_t bursty_start(const bursty_config *config);
/* Stops a profile (0), or starts it again (1) with a new first gap. Returns 0, or -1: no such profile. */
BURSTY_API int      bursty_enable(int profile, int on);
/* Fills rows[0..max) from the hot table, largest weight first, all threads together: sites (a function's loop is a site of its own: see
   site->kind), or (caller, site) pairs of calls when pairs is 1.
   weight / 256 estimates how often it ran, ticks how long in all (clock_hz > 0), callees left out. Any thread, every frame if liked. Returns the rows filled. */
BURSTY_API size_t   bursty_top(bursty_row *rows, size_t max, int pairs);
/* Sums over all threads, ended ones too. Exact for the calling thread; another's checks since its last edge are not in it yet. */
BURSTY_API void     bursty_get_stats(bursty_stats *out);
/* Writes the dump (docs/formats.md). Returns 0, or what write returned when it was not 0, or -1: not started. */
BURSTY_API int      bursty_write(bursty_write_fn write, void *user);
#if defined(BURSTY_STDIO) || !defined(BURSTY_STATIC)
/* The same into a file (BURSTY_STDIO where the implementation is). Returns 0, or -1: not started (the file is untouched) or an error of
   stdio, errno says which. */
BURSTY_API int      bursty_save(const char *path);
#endif
/* Zeroes table and stats. What other threads count meanwhile may stay. */
BURSTY_API void     bursty_clear(void);
/* Conditional control: a counter of the calling thread, 0 to 7. */
BURSTY_API uint32_t bursty_counter(int counter);
/* Scopes around here, to be saved beside a setjmp and given back after the longjmp; not to be set inside an action. */
BURSTY_API uint32_t bursty_depth(void);
BURSTY_API void     bursty_set_depth(uint32_t depth);
/* Opens (1) and closes (0) a burst in all threads; from a timer, a thread or an interrupt. BURSTY_POLL builds only. */
BURSTY_API void     bursty_poll(int on);
/* Names the calling thread in the report. The string must live until the last dump: a literal. */
BURSTY_API void     bursty_thread_name(const char *name);
/* The calling thread checks no more: its counts stay, its place is free for another thread. */
BURSTY_API void     bursty_thread_end(void);
/* In a forked child: a seed of its own, counts from zero, so that its dump and the parent's can be merged. */
BURSTY_API void     bursty_forked(void);
#endif

#else /* BURSTY_OFF: the same list; no symbol, no variable, no section */

static inline int      bursty_set_profile(int profile, const bursty_profile *p) { (void)profile; (void)p; return 0; }
static inline uint32_t bursty_in_burst(void) { return 0; }
static inline uint32_t bursty_start(const bursty_config *config) { (void)config; return 1; }
static inline int      bursty_enable(int profile, int on) { (void)profile; (void)on; return 0; }
static inline size_t   bursty_top(bursty_row *rows, size_t max, int pairs) { (void)rows; (void)max; (void)pairs; return 0; }
static inline void     bursty_get_stats(bursty_stats *out) { const bursty_stats none = { 0, 0, 0, 0, 0, 0, 0, 0 }; *out = none; }
static inline int      bursty_write(bursty_write_fn write, void *user) { (void)write; (void)user; return 0; }
static inline int      bursty_save(const char *path) { (void)path; return 0; }
static inline void     bursty_clear(void) { }
static inline uint32_t bursty_counter(int counter) { (void)counter; return 0; }
static inline uint32_t bursty_depth(void) { return 0; }
static inline void     bursty_set_depth(uint32_t depth) { (void)depth; }
static inline void     bursty_poll(int on) { (void)on; }
static inline void     bursty_thread_name(const char *name) { (void)name; }
static inline void     bursty_thread_end(void) { }
static inline void     bursty_forked(void) { }

#endif

/* ---- the check -------------------------------------------------------------------------------------------------------------- */

#define BURSTY_P_CAT2(a, b) a##b
#define BURSTY_P_CAT(a, b) BURSTY_P_CAT2(a, b)
#define BURSTY_P_STRIP(...) __VA_ARGS__
#if defined(BURSTY_P_GNU)
#define BURSTY_P_UNLIKELY(x) __builtin_expect((x), 0)
#define BURSTY_P_INLINE static inline __attribute__((always_inline))
#define BURSTY_P_COLD __attribute__((cold, noinline))
#else
#define BURSTY_P_UNLIKELY(x) (x)
#define BURSTY_P_INLINE static inline
#define BURSTY_P_COLD
#endif
#if defined(__GNUC__) && !defined(__clang__) && defined(__cplusplus)   /* g++ alone thinks that a struct tag shadows */
#define BURSTY_P_QUIET _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wshadow\"")
#define BURSTY_P_LOUD _Pragma("GCC diagnostic pop")
#else
#define BURSTY_P_QUIET
#define BURSTY_P_LOUD
#endif
#if defined(BURSTY_P_GNU) && !defined(__cplusplus)         /* C alone objects to "return f();" in a function without a result */
#define BURSTY_P_VOID_RETURN _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wpedantic\"")
#define BURSTY_P_VOID_RETURN_END _Pragma("GCC diagnostic pop")
#else
#define BURSTY_P_VOID_RETURN
#define BURSTY_P_VOID_RETURN_END
#endif

#ifndef BURSTY_OFF

#if !defined(BURSTY_NO_TLS) && !defined(BURSTY_P_GNU)
#define BURSTY_NO_TLS
#endif
#if !defined(BURSTY_TLS_MODEL) && defined(__ELF__) && (!defined(__PIC__) || defined(__PIE__))
#define BURSTY_TLS_MODEL "local-exec"    /* an executable's own: gcc would fetch the offset from the GOT for an extern one */
#endif
#if defined(BURSTY_NO_TLS)
#define BURSTY_P_TLS
#elif defined(BURSTY_TLS_MODEL)
#define BURSTY_P_TLS __attribute__((tls_model(BURSTY_TLS_MODEL))) __thread
#else
#define BURSTY_P_TLS __thread            /* also in C++: thread_local would add a wrapper call */
#endif

/* The state that the inline code touches. Its symbol's name holds the options, so that files which differ in them do not link. */
typedef struct bursty_p_here_t {
    uint32_t n;                            /* the word */
#ifdef BURSTY_TINY
    uint32_t check_count, burst_count;
    bursty_action action;
    void *user;
    uint32_t random;                       /* 0: no jitter */
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
#ifdef BURSTY_STATIC
static BURSTY_P_TLS bursty_p_here_t BURSTY_P_HERE;
#ifdef BURSTY_POLL
static uint8_t bursty_p_open;
#endif
#else
BURSTY_API BURSTY_P_TLS bursty_p_here_t BURSTY_P_HERE;
#ifdef BURSTY_POLL
BURSTY_API uint8_t bursty_p_open;
#endif
#endif

typedef struct bursty_p_scope { const bursty_site *site; uint32_t depth; } bursty_p_scope;
typedef struct bursty_p_strip { uint32_t count, live; } bursty_p_strip;

/* The slow path: takes a check, sends its event if a burst is live (site not NULL), returns the live profiles. */
BURSTY_API BURSTY_P_COLD uint32_t bursty_p_hit(const bursty_site *site, uintptr_t value);
BURSTY_API BURSTY_P_COLD void bursty_p_event(const bursty_site *site, uintptr_t value, uint32_t kind);      /* takes none */
BURSTY_API BURSTY_P_COLD bursty_p_strip bursty_p_take_slow(uint64_t left);
BURSTY_API void bursty_p_give_back(uint32_t count, uint32_t live);

#ifdef BURSTY_POLL
#ifdef BURSTY_P_GNU
#define BURSTY_P_OPEN() __atomic_load_n(&bursty_p_open, __ATOMIC_RELAXED)    /* clang: cmp byte [flag], 0; jne. gcc: 3 instructions */
#else
#define BURSTY_P_OPEN() (*(volatile uint8_t *)&bursty_p_open)
#endif
#define BURSTY_P_FIRE() BURSTY_P_UNLIKELY(BURSTY_P_OPEN() != 0)
#define BURSTY_P_LIVE() BURSTY_P_UNLIKELY(BURSTY_P_OPEN() != 0)
#else
#if defined(__thumb2__) && defined(__GCC_ASM_FLAG_OUTPUTS__) && !defined(__clang__)
BURSTY_P_INLINE int bursty_p_fire(void) {                   /* ldr; ldr; subs; str; bmi: gcc alone would add a cmp */
    uint32_t n = BURSTY_P_HERE.n;
    int fired;
    __asm__("subs %0, %0, #1" : "+l"(n), "=@ccmi"(fired));
    BURSTY_P_HERE.n = n;
    return fired;
}
#define BURSTY_P_FIRE() BURSTY_P_UNLIKELY(bursty_p_fire())
#else
#define BURSTY_P_FIRE() BURSTY_P_UNLIKELY((int32_t)--BURSTY_P_HERE.n < 0)       /* sub dword [word], 1; js cold */
#endif
#define BURSTY_P_LIVE() BURSTY_P_UNLIKELY((int32_t)BURSTY_P_HERE.n < 0)
#endif

#define BURST_CHECK() (BURSTY_P_FIRE() ? bursty_p_hit(NULL, 0) != 0 : 0)
#define BURST_POINT(class_, name_, value_) do { \
        static const bursty_site bursty_p_site = { name_, __FILE__, __LINE__, class_ }; \
        if (BURSTY_P_FIRE()) { bursty_p_hit(&bursty_p_site, (uintptr_t)(value_)); } \
    } while (0)
#define BURST_ENTRY() BURST_POINT(BURSTY_CALL, BURSTY_P_FUNCTION, 0)
#define BURST_LOOP() BURST_POINT(BURSTY_BACKEDGE, BURSTY_P_FUNCTION, 0)
#if defined(_MSC_VER) && !defined(__clang__)
#define BURSTY_P_FUNCTION __FUNCTION__
#else
#define BURSTY_P_FUNCTION __func__
#endif

#else  /* BURSTY_OFF */

#define BURST_CHECK() 0
#define BURST_POINT(class_, name_, value_) do { (void)sizeof((uintptr_t)(value_)); } while (0)
#define BURST_ENTRY() BURST_POINT(BURSTY_CALL, "", 0)
#define BURST_LOOP() BURST_POINT(BURSTY_BACKEDGE, "", 0)

#endif

/* ---- scopes: the check first, then the push, so a call's depth counts the scopes around it ---------------------------------- */

#ifndef BURSTY_OFF

BURSTY_P_INLINE bursty_p_scope bursty_p_enter(const bursty_site *site) {
    bursty_p_scope scope;
    if (BURSTY_P_FIRE()) { bursty_p_hit(site, 0); }
    scope.site = site;
    scope.depth = 0;
#ifndef BURSTY_TINY
    scope.depth = BURSTY_P_HERE.depth;
#if BURSTY_STACK > 0
    if (scope.depth < BURSTY_STACK) { BURSTY_P_HERE.stack[scope.depth] = site; }
#endif
    BURSTY_P_HERE.depth = scope.depth + 1;
#endif
    return scope;
}

/* Restores the saved depth rather than counting down: whatever a longjmp skipped below is mended here. */
BURSTY_P_INLINE void bursty_p_leave(bursty_p_scope *scope) {
#ifndef BURSTY_TINY
    BURSTY_P_HERE.depth = scope->depth;
#endif
    if (BURSTY_P_LIVE()) { bursty_p_event(scope->site, 0, (uint32_t)BURSTY_RETURN | (uint32_t)BURSTY_FRAME); }
}

#define BURSTY_P_SCOPE_SITE(name_) static const bursty_site BURSTY_P_CAT(bursty_p_site_, __LINE__) = \
        { name_, __FILE__, __LINE__, (uint32_t)BURSTY_CALL | (uint32_t)BURSTY_FRAME }
#if defined(BURSTY_P_GNU)
#define BURST_SCOPE(name_) BURSTY_P_SCOPE_SITE(name_); \
        bursty_p_scope BURSTY_P_CAT(bursty_p_scope_, __LINE__) __attribute__((cleanup(bursty_p_leave), unused)) = \
        bursty_p_enter(&BURSTY_P_CAT(bursty_p_site_, __LINE__))
#define BURST_LEAVE() do { } while (0)                  /* before each exit, where neither attribute nor destructor exists */
#elif defined(__cplusplus)
} /* extern "C" */
struct bursty_p_scope_guard {
    bursty_p_scope scope;
    explicit bursty_p_scope_guard(const bursty_site *site) : scope(bursty_p_enter(site)) {}
    ~bursty_p_scope_guard() { bursty_p_leave(&scope); }
};
extern "C" {
#define BURST_SCOPE(name_) BURSTY_P_SCOPE_SITE(name_); \
        bursty_p_scope_guard BURSTY_P_CAT(bursty_p_scope_, __LINE__)(&BURSTY_P_CAT(bursty_p_site_, __LINE__))
#define BURST_LEAVE() do { } while (0)
#else
#define BURST_SCOPE(name_) BURSTY_P_SCOPE_SITE(name_); \
        bursty_p_scope bursty_p_scope_here = bursty_p_enter(&BURSTY_P_CAT(bursty_p_site_, __LINE__))
#define BURST_LEAVE() bursty_p_leave(&bursty_p_scope_here)
#endif

#else

#define BURST_SCOPE(name_) enum { BURSTY_P_CAT(bursty_p_scope_, __LINE__) }
#define BURST_LEAVE() do { } while (0)

#endif

/* ---- which copy am I in ------------------------------------------------------------------------------------------------------
   BURST_IF_RECORDING, BURST_REF and BURST_SAME act when this copy of the code is the instrumented one and a burst is live. The first half
   is a constant: BURST_BODY and BURST_FOR announce their copy by a block-scope struct tag (size 2 instrumented, 1 plain), BURST_DUAL
   and BURST_DUAL_LEAF by the parameter burst_on, which hides the function below. In an ordinary function it is "yes". A local variable would do the
   same, and warn in every nesting. */

#ifndef BURSTY_OFF
struct burst_copy { char c[3]; };
BURSTY_P_INLINE int burst_on(void) { return 1; }

#define BURSTY_P_TAG(size_) BURSTY_P_QUIET struct burst_copy { char c[size_]; }; BURSTY_P_LOUD
#define BURSTY_P_IN_COPY() (sizeof(struct burst_copy) == 2 || (sizeof(struct burst_copy) == 3 && (uintptr_t)burst_on != 0))

#define BURSTY_P_RECORDING() (BURSTY_P_IN_COPY() && BURSTY_P_LIVE())
#define BURST_IF_RECORDING(...) do { if (BURSTY_P_RECORDING()) { __VA_ARGS__; } } while (0)
#define BURST_REF(class_, p_) do { \
        static const bursty_site bursty_p_site = { #p_, __FILE__, __LINE__, class_ }; \
        if (BURSTY_P_RECORDING()) { bursty_p_event(&bursty_p_site, (uintptr_t)(p_), bursty_p_site.kind); } \
    } while (0)
#else
#define BURST_IF_RECORDING(...) do { if (0) { __VA_ARGS__; } } while (0)
#define BURST_REF(class_, p_) do { (void)sizeof((uintptr_t)(p_)); } while (0)
#endif

/* ---- dual-path functions (bursty-tracing Figure 2): body once in the source, twice in the code -------------------------------
   The user's braces follow the header of an always-inline body. The check's cold side runs body(1, ...) in a burst. Otherwise it gives
   its check back and calls the function again, whose own check then takes it and goes the plain way: no third copy. */

#ifndef BURSTY_OFF

/* ", a, b" for the list (a, b), nothing for (): whether there are parameters is read off the arguments, because (void) cannot be
   told from (void *p) by a macro. */
#define BURSTY_P_MORE(args_, list_) BURSTY_P_SECOND(BURSTY_P_HEAD args_, BURSTY_P_SOME_MORE, 0)(list_)
#define BURSTY_P_HEAD(...) BURSTY_P_HEAD_OF(__VA_ARGS__, 0)
#define BURSTY_P_HEAD_OF(head_, ...) BURSTY_P_EMPTY_##head_
#define BURSTY_P_EMPTY_ 0, BURSTY_P_NO_MORE
#define BURSTY_P_SECOND(...) BURSTY_P_SECOND_OF(__VA_ARGS__)
#define BURSTY_P_SECOND_OF(first_, second_, ...) second_
#define BURSTY_P_NO_MORE(list_)
#define BURSTY_P_SOME_MORE(list_) , BURSTY_P_STRIP list_

#ifdef BURSTY_POLL
#define BURSTY_P_PLAIN(name_, args_) return bursty_p_body_##name_(0 BURSTY_P_MORE(args_, args_))
#else
#define BURSTY_P_PLAIN(name_, args_) BURSTY_P_HERE.n++; return name_ args_
#endif
#define BURSTY_P_HEADER(ret_, name_, params_, args_) \
    BURSTY_P_INLINE ret_ bursty_p_body_##name_(const int burst_on BURSTY_P_UNUSED BURSTY_P_MORE(args_, params_))
#define BURST_DUAL(ret_, name_, params_, args_) \
    ret_ name_ params_; \
    BURSTY_P_HEADER(ret_, name_, params_, args_); \
    BURSTY_P_VOID_RETURN \
    static BURSTY_P_COLD ret_ bursty_p_cold_##name_ params_ { \
        static const bursty_site bursty_p_site = { #name_, __FILE__, __LINE__, BURSTY_CALL }; \
        if (bursty_p_hit(&bursty_p_site, 0)) { return bursty_p_body_##name_(1 BURSTY_P_MORE(args_, args_)); } \
        else { BURSTY_P_PLAIN(name_, args_); } \
    } \
    ret_ name_ params_ { \
        if (BURSTY_P_FIRE()) { return bursty_p_cold_##name_ args_; } \
        else { return bursty_p_body_##name_(0 BURSTY_P_MORE(args_, args_)); } \
    } \
    BURSTY_P_VOID_RETURN_END \
    BURSTY_P_HEADER(ret_, name_, params_, args_)
#define BURST_DUAL_LEAF(ret_, name_, params_, args_) \
    ret_ name_ params_; \
    BURSTY_P_HEADER(ret_, name_, params_, args_); \
    BURSTY_P_VOID_RETURN \
    BURSTY_P_UNUSED static BURSTY_P_COLD ret_ bursty_p_on_##name_ params_ { return bursty_p_body_##name_(1 BURSTY_P_MORE(args_, args_)); } \
    ret_ name_ params_ { return bursty_p_body_##name_(0 BURSTY_P_MORE(args_, args_)); } \
    BURSTY_P_VOID_RETURN_END \
    BURSTY_P_HEADER(ret_, name_, params_, args_)
#define BURST_SAME(name_, args_) (BURSTY_P_RECORDING() ? bursty_p_on_##name_ args_ : name_ args_)

#else

#define BURST_DUAL(ret_, name_, params_, args_) ret_ name_ params_; ret_ name_ params_
#define BURST_DUAL_LEAF(ret_, name_, params_, args_) ret_ name_ params_; ret_ name_ params_
#define BURST_SAME(name_, args_) (name_ args_)

#endif

/* ---- dual-path loops --------------------------------------------------------------------------------------------------------- */

#ifndef BURSTY_OFF

#define BURST_BODY(...) { \
        BURSTY_P_QUIET struct burst_outer { char c[sizeof(struct burst_copy)]; }; BURSTY_P_LOUD \
        if (BURSTY_P_FIRE() && bursty_p_hit(NULL, 0) && sizeof(struct burst_outer) != 2) { \
            BURSTY_P_TAG(2) __VA_ARGS__ \
        } else { \
            BURSTY_P_TAG(sizeof(struct burst_outer) == 2 ? 2 : 1) __VA_ARGS__ \
        } \
    }

/* One strip of a counted loop: count iterations get the same answer, their checks are taken at once. The guard gives back those of
   iterations that break, return, goto or an exception left out; i is read through a pointer of its own size. */
typedef struct bursty_p_guard { const void *i; uint64_t stop; uint32_t size, live; } bursty_p_guard;

BURSTY_P_INLINE bursty_p_strip bursty_p_take(uint64_t left) {
    bursty_p_strip strip;
#ifdef BURSTY_POLL
    if (BURSTY_P_FIRE()) { return bursty_p_take_slow(left); }
    strip.count = left < 4096 ? (uint32_t)left : 4096;
    strip.live = 0;
#else
    if ((int32_t)BURSTY_P_HERE.n <= 0) { return bursty_p_take_slow(left); }
    strip.count = left < BURSTY_P_HERE.n ? (uint32_t)left : BURSTY_P_HERE.n;
    strip.live = 0;
    BURSTY_P_HERE.n -= strip.count;
#endif
    return strip;
}

BURSTY_P_INLINE void bursty_p_unguard(bursty_p_guard *guard) {
    if (guard->i) {
        uint64_t i = guard->size == 1 ? *(const uint8_t *)guard->i : guard->size == 2 ? *(const uint16_t *)guard->i
                   : guard->size == 4 ? *(const uint32_t *)guard->i : *(const uint64_t *)guard->i;
        uint64_t mask = UINT64_MAX >> (64 - 8 * guard->size);
        bursty_p_give_back((uint32_t)((guard->stop - i - 1) & mask), guard->live);
    }
}

#if defined(BURSTY_P_GNU)
#define BURSTY_P_GUARD(guard_) bursty_p_guard guard_ __attribute__((cleanup(bursty_p_unguard)))
#define BURSTY_P_BROKE(guard_) break
#elif defined(__cplusplus)
} /* extern "C" */
struct bursty_p_guarded : bursty_p_guard { ~bursty_p_guarded() { bursty_p_unguard(this); } };
extern "C" {
#define BURSTY_P_GUARD(guard_) bursty_p_guarded guard_
#define BURSTY_P_BROKE(guard_) break
#else
#define BURSTY_P_GUARD(guard_) bursty_p_guard guard_
#define BURSTY_P_BROKE(guard_) bursty_p_unguard(&guard_); break
#endif

#define BURST_FOR(T_, i_, lo_, hi_, ...) { \
        T_ i_ = (lo_); \
        const T_ bursty_p_hi_##i_ = (hi_); \
        BURSTY_P_QUIET struct burst_outer { char c[sizeof(struct burst_copy)]; }; BURSTY_P_LOUD \
        while (i_ < bursty_p_hi_##i_) { \
            const bursty_p_strip bursty_p_strip_##i_ = bursty_p_take((uint64_t)bursty_p_hi_##i_ - (uint64_t)i_); \
            const T_ bursty_p_stop_##i_ = (T_)((uint64_t)i_ + bursty_p_strip_##i_.count); \
            BURSTY_P_GUARD(bursty_p_guard_##i_); \
            bursty_p_guard_##i_.i = &i_; \
            bursty_p_guard_##i_.size = (uint32_t)sizeof i_; \
            bursty_p_guard_##i_.stop = (uint64_t)bursty_p_stop_##i_; \
            bursty_p_guard_##i_.live = bursty_p_strip_##i_.live; \
            if (bursty_p_strip_##i_.live && sizeof(struct burst_outer) != 2) { \
                BURSTY_P_TAG(2) for (; i_ < bursty_p_stop_##i_; i_++) { __VA_ARGS__ } \
            } else { \
                BURSTY_P_TAG(sizeof(struct burst_outer) == 2 ? 2 : 1) for (; i_ < bursty_p_stop_##i_; i_++) { __VA_ARGS__ } \
            } \
            if (i_ < bursty_p_stop_##i_) { BURSTY_P_BROKE(bursty_p_guard_##i_); } \
            bursty_p_guard_##i_.i = NULL; \
        } \
    }

#else

#define BURST_BODY(...) { __VA_ARGS__ }
#define BURST_FOR(T_, i_, lo_, hi_, ...) { \
        T_ i_ = (lo_); \
        const T_ bursty_p_hi_##i_ = (hi_); \
        for (; i_ < bursty_p_hi_##i_; i_++) { __VA_ARGS__ } \
    }

#endif

#ifdef __cplusplus
}
#endif
#endif /* BURSTY_H */

/* ---- implementation --------------------------------------------------------------------------------------------------------- */
#if defined(BURSTY_IMPLEMENTATION) && !defined(BURSTY_OFF) && !defined(BURSTY_IMPLEMENTED)
#define BURSTY_IMPLEMENTED

#ifndef BURSTY_ASSERT
#define BURSTY_ASSERT(condition) ((void)0)
#endif

#ifndef BURSTY_STATIC
BURSTY_P_TLS bursty_p_here_t BURSTY_P_HERE;
#ifdef BURSTY_POLL
uint8_t bursty_p_open;
#endif
#endif

#ifdef BURSTY_TINY

/* ---- tiny: the word alone tells all -------------------------------------------------------------------------------------------
   gap    d - 1, ..., 1, 0     the check that takes 0 to -1 is the first of a burst
   burst  -1, -2, ..., -I      the check that takes -I to -I - 1 is the first of a gap
   so -1 on entry of the slow path means "begin", anything below -I "end". No settings (I = 0): never live. */

#define BURSTY_P_BUSY UINT32_C(0x40000000)       /* an action's own checks stay on the fast path */

/* The word at the start of a gap: its length less one. Without settings it is 2^31 - 1. */
static uint32_t bursty_p_gap(void) {
    uint32_t n = BURSTY_P_HERE.check_count, r = BURSTY_P_HERE.random, mask = 1;
    if (r != 0) {
        r ^= r << 13; r ^= r >> 17; r ^= r << 5;
        BURSTY_P_HERE.random = r;
        while (mask < n / 8) { mask += mask + 1; }       /* 2^k - 1 < C / 4: C - mask / 2 + [0, mask] */
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

BURSTY_API void bursty_p_event(const bursty_site *site, uintptr_t value, uint32_t kind) { bursty_p_send(site, value, kind); }

BURSTY_API uint32_t bursty_p_hit(const bursty_site *site, uintptr_t value) {
    if (0 - BURSTY_P_HERE.n > BURSTY_P_HERE.burst_count) {
        BURSTY_P_HERE.n = bursty_p_gap();
        return 0;
    }
    if (site) { bursty_p_send(site, value, site->kind); }
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
    if (live ? (int32_t)n < 0 : (int32_t)BURSTY_P_HERE.n >= 0) { BURSTY_P_HERE.n = n; }
}

BURSTY_API int bursty_set_profile(int profile, const bursty_profile *p) {
    BURSTY_P_HERE.burst_count = BURSTY_P_HERE.check_count = BURSTY_P_HERE.n = 0;
    if (profile != 0 || (p && (!p->action || (int32_t)(p->check_count | p->burst_count) < 0))) return -1;
    if (p && !p->off) {
        BURSTY_P_HERE.check_count = p->check_count ? p->check_count : 990;
        BURSTY_P_HERE.action = p->action;
        BURSTY_P_HERE.user = p->user;
        BURSTY_P_HERE.random = p->jitter_percent >= 0;
        BURSTY_P_HERE.n = bursty_p_gap();
        BURSTY_P_HERE.burst_count = p->burst_count ? p->burst_count : 10;
    }
    return 0;
}

BURSTY_API uint32_t bursty_in_burst(void) { return (int32_t)BURSTY_P_HERE.n < 0; }

#else /* the whole */

#ifdef BURSTY_STDIO
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

/* ---- what threads share, and how ----------------------------------------------------------------------------------------------
   A 64-bit count has one writer, its thread; anybody reads it. Where 64-bit stores are not atomic the high half is all ones while the
   low one changes, and readers try again. */

#ifdef BURSTY_NO_TLS
#define BURSTY_P_GET(p) (*(p))
#define BURSTY_P_PUT(p, v) ((void)(*(p) = (v)))
#define BURSTY_P_ACQUIRE(p) (*(p))
#define BURSTY_P_RELEASE(p, v) ((void)(*(p) = (v)))
BURSTY_P_INLINE uint32_t bursty_p_add(uint32_t *p, uint32_t v) { uint32_t old = *p; *p += v; return old; }
BURSTY_P_INLINE int bursty_p_cas(uint32_t *p, uint32_t old, uint32_t v) { if (*p != old) return 0; *p = v; return 1; }
#else
#define BURSTY_P_GET(p) __atomic_load_n(p, __ATOMIC_RELAXED)
#define BURSTY_P_PUT(p, v) __atomic_store_n(p, v, __ATOMIC_RELAXED)
#define BURSTY_P_ACQUIRE(p) __atomic_load_n(p, __ATOMIC_ACQUIRE)
#define BURSTY_P_RELEASE(p, v) __atomic_store_n(p, v, __ATOMIC_RELEASE)
BURSTY_P_INLINE uint32_t bursty_p_add(uint32_t *p, uint32_t v) { return __atomic_fetch_add(p, v, __ATOMIC_RELAXED); }
BURSTY_P_INLINE int bursty_p_cas(uint32_t *p, uint32_t old, uint32_t v) {
    return __atomic_compare_exchange_n(p, &old, v, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}
#endif

/* [shared: sat_add] */
static uint64_t bursty_p_sat_add(uint64_t a, uint64_t b) {
    return a + b < a ? UINT64_MAX : a + b;
}
/* [end shared] */

typedef struct bursty_p_count { uint32_t half[2]; } bursty_p_count;             /* low, high; high all ones: being written, or saturated */

BURSTY_P_INLINE uint64_t bursty_p_read(const bursty_p_count *c) {
    uint32_t low, high;
    do {
        high = BURSTY_P_ACQUIRE(&c->half[1]);
        low = BURSTY_P_ACQUIRE(&c->half[0]);
    } while (high != BURSTY_P_ACQUIRE(&c->half[1]) || (high == UINT32_MAX && low != UINT32_MAX));
    return (uint64_t)high << 32 | low;
}

static BURSTY_P_COLD void bursty_p_carry(bursty_p_count *c, uint64_t v) {
    uint64_t sum = bursty_p_sat_add((uint64_t)BURSTY_P_GET(&c->half[1]) << 32 | BURSTY_P_GET(&c->half[0]), v);
    if (sum >> 32 == UINT32_MAX) sum = UINT64_MAX;                               /* a high half of all ones means something else */
    BURSTY_P_RELEASE(&c->half[1], UINT32_MAX);
    BURSTY_P_RELEASE(&c->half[0], (uint32_t)sum);
    BURSTY_P_RELEASE(&c->half[1], (uint32_t)(sum >> 32));
}

BURSTY_P_INLINE void bursty_p_count_up(bursty_p_count *c, uint64_t v) {          /* saturates at 2^64 - 1 */
    uint32_t low = BURSTY_P_GET(&c->half[0]);
    if (v <= UINT32_MAX - low) { BURSTY_P_PUT(&c->half[0], low + (uint32_t)v); } else { bursty_p_carry(c, v); }
}

/* ---- state --------------------------------------------------------------------------------------------------------------------
   memory   | thread 0 | thread 1 | ... | row 0 | row 1 | ... | index |      a quarter for threads, the rest for the hot table
   Threads are taken in order and never given back, only reused. Rows are claimed in order of first sight (so that the dump does not
   depend on addresses), found through the open-addressed index of row numbers + 1, and written by one thread each. */

enum { BURSTY_P_FREE, BURSTY_P_USED, BURSTY_P_ENDED };
#define BURSTY_P_BUSY UINT32_C(0x40000000)     /* the word inside the slow path: checks of actions and handlers stay fast */
#define BURSTY_P_SPAN UINT32_C(65536)          /* longest wait until a thread looks at new settings                     */
#define BURSTY_P_HISTORY 4096                  /* bytes of known sites and stacks, for re-enablement                    */
#define BURSTY_P_EVER UINT64_MAX                 /* left, of a profile that never changes sides: not counted down  */

typedef struct bursty_p_row {
    const bursty_site *site, *caller;
    bursty_p_count count, weight, ticks;
    uint32_t thread, order;                    /* order: scratch of bursty_top */
} bursty_p_row;

typedef struct bursty_p_run {                  /* one profile on one thread */
    bursty_profile set;
    uint64_t left;                             /* checks until it changes sides */
    bursty_p_count bursts, events;
    uint32_t stamp, in_burst, muted, number, awake_left, gap, weight_256;    /* number: of the burst */
} bursty_p_run;

typedef struct bursty_p_thread {
    uint32_t state, number, reuses, random, in_slow, kept;           /* in_slow: 1 in an event, 2 at an edge; kept: the word then */
    uint32_t span, live, generation, opening;
    uint32_t active, conditional, framed;      /* profiles, as bits: that run; with a condition or rules; that hear BEGIN or END */
    const char *name;
    bursty_p_count checks, burst_checks, lost;
    uint32_t counter[8];
    uint8_t zero, overflow;
    struct bursty_p_run *only;                           /* see bursty_p_only */
    const bursty_site *last_site, *last_caller;          /* whose time is running, and since when */
    uint64_t last_ticks;
    uint64_t phase_checks, phase_ticks, plain_256, extra_256, factor;     /* budget */
    bursty_p_run run[BURSTY_PROFILES];
} bursty_p_thread;

typedef struct bursty_p_slot { bursty_profile set; uint32_t stamp, used; } bursty_p_slot;

static struct {
    bursty_config config;
    bursty_p_slot slot[BURSTY_PROFILES];
    uint32_t lock, epoch, generation, opening, lost_threads;
    unsigned char *threads;
    size_t stride;
    uint32_t thread_room, thread_count;
    bursty_p_row *rows;
    uint32_t *index;
    uint32_t row_room, row_count, index_mask;
    uint64_t clock_cost;
} bursty_p_all;

static BURSTY_P_TLS struct { bursty_p_thread *thread; uint32_t epoch, ended; } bursty_p_mine;

static const bursty_site bursty_p_burst_site = { "(burst)", "", 0, BURSTY_BEGIN };
#if BURSTY_STACK > 0
static const bursty_site bursty_p_deep_site = { "(deep)", "", 0, (uint32_t)BURSTY_CALL | (uint32_t)BURSTY_FRAME };
#endif

static bursty_p_thread *bursty_p_thread_at(uint32_t number) {
    return (bursty_p_thread *)(void *)(bursty_p_all.threads + bursty_p_all.stride * number);
}

static uint32_t bursty_p_threads(void) {
    uint32_t count = BURSTY_P_ACQUIRE(&bursty_p_all.thread_count);
    return count < bursty_p_all.thread_room ? count : bursty_p_all.thread_room;
}

/* The slow path's first act: the word out and a large number in, in one instruction, so that a handler's check is not lost in between. */
BURSTY_P_INLINE uint32_t bursty_p_hold(void) {
    uint32_t n = BURSTY_P_BUSY;
#if defined(BURSTY_NO_TLS)
    n = BURSTY_P_HERE.n;
    BURSTY_P_HERE.n = BURSTY_P_BUSY;
#elif (defined(__x86_64__) || defined(__i386__)) && !defined(BURSTY_POLL)      /* an exchange would lock out other cores: 7 ns */
    __asm__ __volatile__("xaddl %0, %1" : "+r"(n), "+m"(BURSTY_P_HERE.n) : : "cc", "memory");
#else
    n = __atomic_exchange_n(&BURSTY_P_HERE.n, n, __ATOMIC_RELAXED);
#endif
    return n;
}

static uint32_t bursty_p_mix(uint32_t h, uint32_t v) {
    h = (h ^ v) * UINT32_C(0x9E3779B1);
    return h ^ h >> 15;
}

static uint32_t bursty_p_random(bursty_p_thread *t) {                                   /* xorshift, never 0 */
    uint32_t r = t->random;
    r ^= r << 13; r ^= r >> 17; r ^= r << 5;
    return t->random = r;
}

static uint32_t bursty_p_below(bursty_p_thread *t, uint32_t limit) {
    return (uint32_t)((uint64_t)bursty_p_random(t) * limit >> 32);
}

static uint64_t bursty_p_clock(void) {
    return bursty_p_all.config.clock ? bursty_p_all.config.clock(bursty_p_all.config.clock_user) : 0;
}

static void bursty_p_lock(void) { while (!bursty_p_cas(&bursty_p_all.lock, 0, 1)) { } }
static void bursty_p_unlock(void) { BURSTY_P_RELEASE(&bursty_p_all.lock, 0); }

static const bursty_site *bursty_p_caller(uint32_t depth) {                             /* the innermost of depth scopes */
#if BURSTY_STACK > 0
    if (depth == 0) return NULL;
    return depth <= BURSTY_STACK ? BURSTY_P_HERE.stack[depth - 1] : &bursty_p_deep_site;
#else
    (void)depth;
    return NULL;
#endif
}

/* ---- hot table ----------------------------------------------------------------------------------------------------------------- */

static bursty_p_row *bursty_p_claim(void) {
    uint32_t number;
    do {
        number = BURSTY_P_GET(&bursty_p_all.row_count);
        if (number >= bursty_p_all.row_room) return NULL;
    } while (!bursty_p_cas(&bursty_p_all.row_count, number, number + 1));
    return &bursty_p_all.rows[number];
}

/* The thread's row for (caller, site), made at first sight. Only this thread makes rows with its number, so a row that another thread
   put into the slot meanwhile is a different one, and the search goes on. NULL: full. */
static bursty_p_row *bursty_p_row_of(const bursty_p_thread *t, const bursty_site *site, const bursty_site *caller) {
    uint32_t h = bursty_p_mix(bursty_p_mix((uint32_t)((uintptr_t)site >> 3), (uint32_t)((uintptr_t)caller >> 3)), t->number);
    bursty_p_row *fresh = NULL;
    for (;; h++) {
        uint32_t *slot = &bursty_p_all.index[h & bursty_p_all.index_mask], row = BURSTY_P_ACQUIRE(slot);
        if (row == 0) {
            if (!fresh) {
                fresh = bursty_p_claim();
                if (!fresh) return NULL;
                fresh->caller = caller;
                fresh->thread = t->number;
                BURSTY_P_RELEASE(&fresh->site, site);
            }
            if (bursty_p_cas(slot, 0, (uint32_t)(fresh - bursty_p_all.rows) + 1)) return fresh;
            row = BURSTY_P_ACQUIRE(slot);
        }
        if (bursty_p_all.rows[row - 1].site == site && bursty_p_all.rows[row - 1].caller == caller
            && bursty_p_all.rows[row - 1].thread == t->number) return &bursty_p_all.rows[row - 1];
    }
}

/* The time since the last event of this burst was recorded goes to the innermost scope there was, or to the last point seen outside of
   any: times the weight, for a scope's time may be seen in bursts in which it was not called. Recording itself is left out: the clock is
   read when an event comes and again when it is done, and what a reading costs is taken off. */
static void bursty_p_charge(bursty_p_thread *t, uint64_t ticks, uint32_t weight_256) {
    uint64_t elapsed = ticks - t->last_ticks;
    bursty_p_row *row;
    if (!t->last_site || ticks <= t->last_ticks || elapsed <= bursty_p_all.clock_cost) return;
    elapsed -= bursty_p_all.clock_cost;
    if (elapsed >> 39) elapsed = (UINT64_C(1) << 39) - 1;
    row = bursty_p_row_of(t, t->last_site, t->last_caller);
    if (row) bursty_p_count_up(&row->ticks, elapsed >> 32 ? (elapsed >> 8) * weight_256 : elapsed * weight_256 >> 8);
}

static void bursty_p_running(bursty_p_thread *t, const bursty_site *site, uint32_t depth) {
    t->last_site = site;
    t->last_caller = bursty_p_caller(depth);
}

static void bursty_p_tally(bursty_p_thread *t, const bursty_site *site, uint32_t kind, uint32_t depth, uint32_t weight_256) {
    bursty_p_row *row;
    if (kind & BURSTY_RETURN) return;
    row = bursty_p_row_of(t, site, bursty_p_caller(depth));
    if (!row) { bursty_p_count_up(&t->lost, 1); return; }
    bursty_p_count_up(&row->count, 1);
    bursty_p_count_up(&row->weight, weight_256);
}

static void bursty_p_spend(bursty_p_thread *t, const bursty_event *e) {
    const bursty_site *caller = bursty_p_caller(e->depth);
    bursty_p_charge(t, e->ticks, e->weight_256);
    if ((e->kind & BURSTY_FRAME) || !caller) bursty_p_running(t, e->site, e->depth);
    if (((e->kind & BURSTY_RETURN) || !(e->kind & BURSTY_FRAME)) && caller) bursty_p_running(t, caller, e->depth - 1);
}

/* ---- events -------------------------------------------------------------------------------------------------------------------- */

static int bursty_p_used(const bursty_term *term) { return (term->zero | term->not_zero | term->overflow | term->not_overflow) != 0; }
static int bursty_p_terms(const bursty_when *w) { return bursty_p_used(&w->any[0]) || bursty_p_used(&w->any[1]) || bursty_p_used(&w->any[2]); }

static int bursty_p_holds(const bursty_when *when, uint32_t zero, uint32_t overflow) {
    int i;
    for (i = 0; i < 3; i++) {
        const bursty_term *term = &when->any[i];
        if (bursty_p_used(term) && (term->zero & ~zero) == 0 && (term->not_zero & zero) == 0
            && (term->overflow & ~overflow) == 0 && (term->not_overflow & overflow) == 0) return 1;
    }
    return !bursty_p_terms(when);
}

static void bursty_p_operate(bursty_p_thread *t, const bursty_op *op) {
    uint32_t i = op->counter & 7u, bit = 1u << i, overflow = t->overflow & ~bit, v = t->counter[i];
    switch (op->op) {
    case BURSTY_INC:   v++; if (v == 0 || (t->overflow & bit)) overflow |= bit; break;
    case BURSTY_DEC:   v--; if (v == UINT32_MAX || (t->overflow & bit)) overflow |= bit; break;
    case BURSTY_SET:   v = op->value; break;
    default:           v = 0 - op->value; if (v == 0) overflow |= bit; break;
    }
    t->counter[i] = v;
    t->overflow = (uint8_t)overflow;
    t->zero = (uint8_t)((t->zero & ~bit) | (v == 0 ? bit : 0));
}

/* Conditions first, on the flags as they were, then the rules' operations. Returns the profiles whose condition holds. */
static uint32_t bursty_p_control(bursty_p_thread *t, uint32_t mask, uint32_t kind) {
    uint32_t zero = t->zero, overflow = t->overflow, hits = mask, p, i, j;
    for (p = 0; p < BURSTY_PROFILES; p++)
        if ((mask >> p & 1) && !bursty_p_holds(&t->run[p].set.when, zero, overflow)) hits &= ~(1u << p);
    for (p = 0; p < BURSTY_PROFILES; p++) {
        if (!(mask >> p & 1)) continue;
        for (i = 0; i < t->run[p].set.rule_count; i++) {
            const bursty_rule *rule = &t->run[p].set.rules[i];
            if (!((rule->classes ? rule->classes : (uint32_t)BURSTY_ANY) & kind)) continue;
            if (!bursty_p_holds(&rule->when, zero, overflow)) continue;
            for (j = 0; j < rule->op_count; j++) bursty_p_operate(t, &rule->op[j]);
        }
    }
    return hits;
}

/* One event to every profile in mask whose classes and condition take it. In the plain case, t->only, no event is made at all. */
static void bursty_p_send(bursty_p_thread *t, uint32_t mask, const bursty_site *site, uintptr_t value, uint32_t kind, uint32_t depth) {
    uint32_t p, spent = 0;
    bursty_event event;
    if (t->only && (kind & BURSTY_ANY)) {
        bursty_p_count_up(&t->only->events, 1);
        bursty_p_tally(t, site, kind, depth, t->only->weight_256);
        return;
    }
    if (mask & t->conditional) mask = bursty_p_control(t, mask, kind);
    event.site = site;
    event.value = value;
    event.ticks = mask && bursty_p_all.config.clock_hz ? bursty_p_clock() : 0;
    event.kind = kind;
    event.depth = depth;
#if BURSTY_STACK > 0
    event.stack = BURSTY_P_HERE.stack;
#else
    event.stack = NULL;
#endif
    for (p = 0; p < BURSTY_PROFILES && mask >> p; p++) {
        bursty_p_run *r = &t->run[p];
        if (!(mask >> p & 1) || !(r->set.classes & kind)) continue;
        event.burst = r->number;
        event.weight_256 = r->weight_256;
        bursty_p_count_up(&r->events, 1);
        if (r->set.action) { r->set.action(r->set.user, &event); continue; }
        bursty_p_tally(t, site, kind, depth, r->weight_256);
        if (bursty_p_all.config.clock_hz) { bursty_p_spend(t, &event); spent = 1; }
    }
    if (spent) t->last_ticks = bursty_p_clock();
}

/* END to the profiles of one mask, BEGIN to those of another; the table's time starts and stops with them. */
static void bursty_p_bounds(bursty_p_thread *t, uint32_t ended, uint32_t begun) {
    uint32_t depth = BURSTY_P_HERE.depth, p;
    if (ended & t->framed) bursty_p_send(t, ended & t->framed, &bursty_p_burst_site, 0, BURSTY_END, depth);
    for (p = 0; bursty_p_all.config.clock_hz && (ended | begun) >> p; p++) {
        const bursty_site *inner = bursty_p_caller(depth);
        if (!((ended | begun) >> p & 1) || t->run[p].set.action) continue;
        if (ended >> p & 1) bursty_p_charge(t, bursty_p_clock(), t->run[p].weight_256);
        t->last_site = NULL;
        if ((begun >> p & 1) && inner) bursty_p_running(t, inner, depth - 1);
        t->last_ticks = bursty_p_clock();
    }
    if (begun & t->framed) bursty_p_send(t, begun & t->framed, &bursty_p_burst_site, 0, BURSTY_BEGIN, depth);
}

/* One event to all live profiles, and a way out for actions that jump (bursty_set_depth): kept is the word to go on with. */
static void bursty_p_deliver(bursty_p_thread *t, const bursty_site *site, uintptr_t value, uint32_t kind, uint32_t kept) {
    t->in_slow = 1;
    t->kept = kept;
    bursty_p_send(t, t->live, site, value, kind, BURSTY_P_HERE.depth);
    t->in_slow = 0;
}

/* ---- budget ---------------------------------------------------------------------------------------------------------------------
   u = time per check outside bursts, x = what a check in a burst costs more; both are means that move by an eighth, of values clipped
   at 4 times the mean. A profile alone costs I x of C u, so C = I (x / (budget u) - 1); several share one factor on their C. */

static uint64_t bursty_p_mean(uint64_t mean, uint64_t value) {
    if (mean == 0) return value;
    if (value > 4 * mean) value = 4 * mean;
    return value > mean ? mean + (value - mean + 7) / 8 : mean - (mean - value) / 8;
}

static void bursty_p_budget(bursty_p_thread *t, int ended) {
    uint64_t now = bursty_p_clock(), elapsed = now - t->phase_ticks, checks = t->phase_checks, shares = 0, goal, most;
    uint32_t p;
    t->phase_ticks = now;
    t->phase_checks = 0;
    if (checks == 0 || elapsed >> 48) return;                          /* the clock went back, or jumped */
    if (!ended) {
        t->plain_256 = bursty_p_mean(t->plain_256, elapsed * 256 / checks);
        return;
    }
    elapsed = elapsed * 256 + 512 * bursty_p_all.clock_cost;
    goal = checks * t->plain_256;
    t->extra_256 = bursty_p_mean(t->extra_256, elapsed > goal ? (elapsed - goal) / checks : 0);
    if (t->plain_256 == 0) return;
    for (p = 0; p < BURSTY_PROFILES; p++)
        if ((t->active >> p & 1) && t->run[p].set.check_count != BURSTY_ALWAYS)
            shares += ((uint64_t)t->run[p].set.burst_count << 20) / t->run[p].set.check_count;
    most = t->extra_256 < UINT64_C(1) << 40 ? t->extra_256 * 1000000 / bursty_p_all.config.budget_ppm : UINT64_C(1) << 40;
    most = most * 16 / t->plain_256;                                   /* x / (budget u), times 16 */
    if (most > UINT64_C(1) << 32) most = UINT64_C(1) << 32;
    if (shares > UINT64_C(1) << 34) shares = UINT64_C(1) << 34;
    goal = most > 16 ? (most - 16) * (shares >> 4) / 16 : 0;           /* times 2^16 */
    if (goal > 2 * t->factor) goal = 2 * t->factor;
    if (goal < t->factor / 2) goal = t->factor / 2;
    t->factor = goal < 16 ? 16 : goal > UINT64_C(1) << 46 ? UINT64_C(1) << 46 : goal;
}

/* ---- edges: the schedule ---------------------------------------------------------------------------------------------------------
   word      ... 2 1 0 | -1 -2 ... -span |  an edge computes live and span, this check and the span - 1 after it get the same answer
                 gap        burst           n = live ? 0 : span, then this check takes its 1
   At the next edge exactly span checks have passed. Each profile keeps the sequence that it would have alone: the merged word stops at
   the nearest change of any. For one profile this is bursty-tracing Figure 3: first gap C - 1, then I in, C out. */

static uint32_t bursty_p_gap(bursty_p_thread *t, bursty_p_run *r) {
    uint64_t gap = r->set.check_count;
    uint32_t spread;
    if (t->factor) {
        gap = (gap >> 20 ? (gap * (t->factor >> 8)) >> 8 : gap * t->factor >> 16);
        if (gap < 100) gap = r->set.check_count < 100 ? r->set.check_count : 100;
        if (gap > BURSTY_P_BUSY) gap = BURSTY_P_BUSY;
    }
    r->gap = (uint32_t)gap;
    if (r->set.jitter_percent <= 0) return r->gap;
    spread = (uint32_t)(gap * (uint32_t)r->set.jitter_percent / 100);
    gap = gap - spread + bursty_p_below(t, 2 * spread + 1);
    return gap ? (uint32_t)gap : 1;
}

/* How many events one of this burst stands for: (C + I) / I of the gap before it, and the hibernation's share. */
static uint32_t bursty_p_weigh(const bursty_p_run *r) {
    uint64_t weight = 256;
    if (r->set.check_count != BURSTY_ALWAYS) weight = ((uint64_t)r->gap + r->set.burst_count) * 256 / r->set.burst_count;
    if (weight > UINT32_MAX) return UINT32_MAX;
    if (r->set.awake_count) {
        uint64_t periods = (uint64_t)r->set.awake_count + r->set.hibernate_count;
        if (periods > UINT32_MAX) periods = UINT32_MAX;
        weight = weight * periods / r->set.awake_count;
    }
    return weight > UINT32_MAX ? UINT32_MAX : (uint32_t)weight;
}

#ifndef BURSTY_POLL
/* Zhuang et al., hot-calling-contexts section 5: a site and stack seen before gets its burst with probability r and weight 1 / r. */
static int bursty_p_reenable(bursty_p_thread *t, bursty_p_run *r, const bursty_site *site) {
    uint32_t h = bursty_p_mix((uint32_t)(r - t->run) + 1, (uint32_t)((uintptr_t)site >> 3)), percent = bursty_p_all.config.reenable_percent;
    uint8_t *byte, bit;
#if BURSTY_STACK > 0
    uint32_t depth = BURSTY_P_HERE.depth, i;
    for (i = 0; i < 4 && i < depth; i++) {
        const bursty_site *frame = bursty_p_caller(depth - i);
        h = bursty_p_mix(h, (uint32_t)((uintptr_t)frame >> 3));
    }
#endif
    h = bursty_p_mix(h, h >> 16) % (BURSTY_P_HISTORY * 8);
    byte = (uint8_t *)(t + 1) + h / 8;
    bit = (uint8_t)(1u << h % 8);
    if (!(*byte & bit)) { *byte = (uint8_t)(*byte | bit); return 1; }
    if (bursty_p_below(t, 100) >= percent) return 0;
    r->weight_256 = r->weight_256 > UINT32_MAX / 100 ? UINT32_MAX : r->weight_256 * 100 / percent;
    return 1;
}

static void bursty_p_turn(bursty_p_thread *t, bursty_p_run *r, const bursty_site *site) {
    if (r->in_burst) {
        r->in_burst = 0;
        r->left = bursty_p_gap(t, r);
        if (r->set.awake_count && --r->awake_left == 0) {
            r->awake_left = r->set.awake_count;
            r->left += (uint64_t)r->set.hibernate_count * ((uint64_t)r->gap + r->set.burst_count);
        }
    } else {
        r->in_burst = 1;
        r->left = r->set.burst_count;
        r->weight_256 = bursty_p_weigh(r);
        r->muted = bursty_p_all.config.reenable_percent && !bursty_p_reenable(t, r, site);
    }
}

#endif

/* A profile's first gap on a thread. Jittered, it starts anywhere in the period: a fixed start would never sample short threads. */
static void bursty_p_first(bursty_p_thread *t, bursty_p_run *r) {
    uint32_t drawn, gap, burst = r->set.burst_count;
    r->in_burst = r->muted = 0;
    r->awake_left = r->set.awake_count;
    if (r->set.check_count == BURSTY_ALWAYS) {
        r->in_burst = 1;
        r->left = BURSTY_P_EVER;
        r->weight_256 = 256;
        return;
    }
    gap = bursty_p_gap(t, r);
    r->weight_256 = bursty_p_weigh(r);
    if (r->set.jitter_percent <= 0) { r->left = gap - 1; return; }
    drawn = bursty_p_below(t, r->gap + burst);
    r->in_burst = drawn < burst;
    r->left = drawn < burst ? burst - drawn : r->gap + burst - drawn;
}

/* Takes over what bursty_set_profile changed since; a busy lock leaves it for the next edge. */
static void bursty_p_renew(bursty_p_thread *t) {
    uint32_t changed = 0, generation, ended, p;
    if (!bursty_p_cas(&bursty_p_all.lock, 0, 1)) return;
    generation = BURSTY_P_GET(&bursty_p_all.generation);
    for (p = 0; p < BURSTY_PROFILES; p++) if (bursty_p_all.slot[p].stamp != t->run[p].stamp) changed |= 1u << p;
    ended = changed & t->live;
    if (ended) {
        bursty_p_unlock();                               /* an action may call us; what changes meanwhile is renewed at the next edge */
        bursty_p_bounds(t, ended, 0);
        t->live &= ~ended;
        t->only = NULL;
        if (!bursty_p_cas(&bursty_p_all.lock, 0, 1)) return;
    }
    for (p = 0; p < BURSTY_PROFILES; p++) {
        bursty_p_run *r = &t->run[p];
        uint32_t bit = 1u << p;
        if (!(changed & bit)) continue;
        r->set = bursty_p_all.slot[p].set;
        r->stamp = bursty_p_all.slot[p].stamp;
        t->active &= ~bit;
        t->conditional &= ~bit;
        t->framed &= ~bit;
        if (!bursty_p_all.slot[p].used || r->set.off) continue;
        t->active |= bit;
        if (r->set.rule_count || bursty_p_terms(&r->set.when)) t->conditional |= bit;
        if (r->set.rule_count || (r->set.classes & ((uint32_t)BURSTY_BEGIN | (uint32_t)BURSTY_END))) t->framed |= bit;
        bursty_p_first(t, r);
    }
    t->generation = generation;
    bursty_p_unlock();
}

/* The one live profile if it only counts: hot table, all classes, no condition, no rules, no time. */
static bursty_p_run *bursty_p_only(bursty_p_thread *t, uint32_t live) {
    uint32_t p = 0;
    if (live == 0 || (live & (live - 1)) || (live & t->conditional) || bursty_p_all.config.clock_hz) return NULL;
    while (!(live >> p & 1)) p++;
    return t->run[p].set.action || t->run[p].set.classes != BURSTY_ANY ? NULL : &t->run[p];
}

static void bursty_p_go_live(bursty_p_thread *t, uint32_t live) {
    uint32_t was = t->live, begun = live & ~was, p;
    t->only = NULL;
    if (was & ~live) bursty_p_bounds(t, was & ~live, 0);
    if (t->factor && !was != !live) bursty_p_budget(t, was != 0);
    t->live = live;
    if (!begun) { t->only = bursty_p_only(t, live); return; }
    for (p = 0; p < BURSTY_PROFILES; p++) if (begun >> p & 1) {
        t->run[p].number++;
        bursty_p_count_up(&t->run[p].bursts, 1);
    }
    bursty_p_bounds(t, 0, begun);
    t->only = bursty_p_only(t, live);
}

static void bursty_p_passed(bursty_p_thread *t, uint32_t checks) {
    bursty_p_count_up(&t->checks, checks);
    if (t->live) bursty_p_count_up(&t->burst_checks, checks);
    t->phase_checks += checks;
}

#ifndef BURSTY_POLL
/* Settles the checks that have passed since the last edge. Returns the word, before the check that asked (if any) takes its 1. */
static uint32_t bursty_p_edge(bursty_p_thread *t, uint32_t passed, const bursty_site *site) {
    uint32_t live = 0, p;
    uint64_t span = BURSTY_P_SPAN;
    bursty_p_passed(t, passed);
    for (p = 0; t->active >> p; p++)
        if ((t->active >> p & 1) && t->run[p].left != BURSTY_P_EVER) t->run[p].left -= passed;
    if (t->generation != BURSTY_P_GET(&bursty_p_all.generation)) bursty_p_renew(t);
    for (p = 0; t->active >> p; p++) {
        bursty_p_run *r = &t->run[p];
        if (!(t->active >> p & 1)) continue;
        while (r->left == 0) bursty_p_turn(t, r, site);
        if (r->in_burst && !r->muted) live |= 1u << p;
        if (r->left < span) span = r->left;
    }
    if (t->generation != BURSTY_P_GET(&bursty_p_all.generation) && span > 256) span = 256;      /* the lock was busy: soon again */
    if (live != t->live) bursty_p_go_live(t, live);
    t->span = (uint32_t)span;
    return live ? 0 : t->span;
}
#endif

/* ---- threads ------------------------------------------------------------------------------------------------------------------- */

static void bursty_p_seed(bursty_p_thread *t) {
    uint32_t h = bursty_p_mix(bursty_p_mix(bursty_p_all.config.seed + 1, t->number + 1), t->reuses);
    t->random = h ? h : 1;
}

#if defined(BURSTY_PTHREAD)
static pthread_key_t bursty_p_key;
static pthread_once_t bursty_p_once = PTHREAD_ONCE_INIT;
static void bursty_p_ended(void *value) { (void)value; bursty_thread_end(); }
static void bursty_p_make_key(void) {
    if (pthread_key_create(&bursty_p_key, bursty_p_ended) == 0) (void)pthread_atfork(NULL, NULL, bursty_forked);
}
static void bursty_p_watch(void) {
    (void)pthread_once(&bursty_p_once, bursty_p_make_key);
    (void)pthread_setspecific(bursty_p_key, &bursty_p_mine);
}
#elif defined(__cplusplus) && !defined(BURSTY_NO_TLS)           /* clang -Weverything: an exit-time destructor is what we want */
struct bursty_p_at_end { int joined; ~bursty_p_at_end() { if (joined) bursty_thread_end(); } };
static void bursty_p_watch(void) { static thread_local bursty_p_at_end end; end.joined = 1; }
#else
static void bursty_p_watch(void) { }
#endif

static bursty_p_thread *bursty_p_join(void) {
    uint32_t epoch = BURSTY_P_ACQUIRE(&bursty_p_all.epoch), count, i;
    bursty_p_thread *t = NULL;
    if (epoch == 0 || (bursty_p_mine.epoch == epoch && bursty_p_mine.ended)) return NULL;
    count = bursty_p_threads();
    for (i = 0; i < count && !t; i++)
        if (bursty_p_cas(&bursty_p_thread_at(i)->state, BURSTY_P_ENDED, BURSTY_P_USED)) t = bursty_p_thread_at(i);
    if (!t && count < bursty_p_all.thread_room) {
        i = bursty_p_add(&bursty_p_all.thread_count, 1);
        if (i < bursty_p_all.thread_room) {
            t = bursty_p_thread_at(i);
            t->number = i;
            BURSTY_P_RELEASE(&t->state, BURSTY_P_USED);
        }
    }
    if (bursty_p_mine.epoch != epoch && !t) (void)bursty_p_add(&bursty_p_all.lost_threads, 1);       /* once a thread */
    bursty_p_mine.epoch = epoch;
    bursty_p_mine.ended = 0;
    bursty_p_mine.thread = t;
    if (!t) return NULL;
    t->name = NULL;
    bursty_p_seed(t);
    t->reuses++;
    t->span = t->live = t->generation = t->in_slow = t->active = t->conditional = t->framed = 0;
    t->opening = BURSTY_P_GET(&bursty_p_all.opening) - 1;
    t->overflow = 0;
    t->zero = 255;
    for (i = 0; i < 8; i++) t->counter[i] = 0;
    for (i = 0; i < BURSTY_PROFILES; i++) t->run[i].stamp = t->run[i].number = 0;
    t->only = NULL;
    t->last_site = NULL;
    t->phase_checks = 0;
    t->factor = bursty_p_all.config.budget_ppm ? 65536 : 0;
    t->phase_ticks = t->factor ? bursty_p_clock() : 0;
    bursty_p_watch();
    return t;
}

/* This thread's record of this start, or NULL. */
BURSTY_P_INLINE bursty_p_thread *bursty_p_record(void) {
    return bursty_p_mine.epoch == BURSTY_P_GET(&bursty_p_all.epoch) ? bursty_p_mine.thread : NULL;
}

BURSTY_P_INLINE bursty_p_thread *bursty_p_me(void) {
    bursty_p_thread *t = bursty_p_record();
    return t ? t : bursty_p_join();
}

/* ---- the slow path --------------------------------------------------------------------------------------------------------------
   Its first act swaps the word for a large one, its last puts the kept or the new one back: checks of an action, or of a signal handler
   that lands in between, stay on the fast path and are not counted. A handler that landed just before may have run the edge already. */

#ifndef BURSTY_POLL

BURSTY_API uint32_t bursty_p_hit(const bursty_site *site, uintptr_t value) {
    uint32_t n = bursty_p_hold();
    bursty_p_thread *t = bursty_p_me();
    if (!t) { BURSTY_P_HERE.n = BURSTY_P_SPAN; return 0; }
    if (!t->live && (int32_t)n >= 0) { BURSTY_P_HERE.n = n; return 0; }
    t->in_slow = 2;
    if (!t->live || 0 - n > t->span) n = bursty_p_edge(t, t->span, site) - 1;
    t->in_slow = 0;
    if (t->live && site) bursty_p_deliver(t, site, value, site->kind, n);
    BURSTY_P_HERE.n = n;
    return t->live;
}

BURSTY_API void bursty_p_event(const bursty_site *site, uintptr_t value, uint32_t kind) {
    uint32_t n = bursty_p_hold();
    bursty_p_thread *t = bursty_p_me();
    if (t && t->live) bursty_p_deliver(t, site, value, kind, n);
    BURSTY_P_HERE.n = n;
}

BURSTY_API bursty_p_strip bursty_p_take_slow(uint64_t left) {
    uint32_t n = bursty_p_hold(), room;
    bursty_p_thread *t = bursty_p_me();
    bursty_p_strip strip;
    if (!t) {
        n = room = BURSTY_P_SPAN;
    } else {
        t->in_slow = 2;
        if (t->live ? 0 - n >= t->span : (int32_t)n <= 0) n = bursty_p_edge(t, t->span, NULL);
        t->in_slow = 0;
        room = t->live ? t->span - (0 - n) : n;
    }
    strip.live = t ? t->live : 0;
    strip.count = left < room ? (uint32_t)left : room;
    BURSTY_P_HERE.n = n - strip.count;
    return strip;
}

/* Only where the mode stays as it is: calls in the body may have passed an edge, and then the checks are gone. */
BURSTY_API void bursty_p_give_back(uint32_t count, uint32_t live) {
    uint32_t n = BURSTY_P_HERE.n, back = n + count;
    bursty_p_thread *t = bursty_p_record();
    if (!t || t->in_slow || !live != !t->live) return;
    if (live ? 0 - n <= t->span && 0 - back <= t->span : back <= t->span) BURSTY_P_HERE.n = back;
}

#else /* BURSTY_POLL: a burst in all threads while bursty_p_open is 1; here n only keeps actions from re-entering */

static bursty_p_thread *bursty_p_poll_take(uint64_t want, uint32_t *count) {
    bursty_p_thread *t = BURSTY_P_OPEN() ? bursty_p_me() : NULL;
    uint32_t p, live = 0, least = want < 4096 ? (uint32_t)want : 4096;
    *count = least;
    if (!t) return NULL;
    t->in_slow = 2;
    if (t->opening != BURSTY_P_GET(&bursty_p_all.opening)) {
        t->opening = BURSTY_P_GET(&bursty_p_all.opening);
        bursty_p_go_live(t, 0);
        if (t->generation != BURSTY_P_GET(&bursty_p_all.generation)) bursty_p_renew(t);
        for (p = 0; p < BURSTY_PROFILES; p++) {
            t->run[p].left = t->active >> p & 1 ? t->run[p].set.burst_count : 0;
            t->run[p].weight_256 = 256;
            if (t->run[p].left) live |= 1u << p;
        }
    } else {
        for (p = 0; p < BURSTY_PROFILES; p++) if ((t->live >> p & 1) && t->run[p].left) live |= 1u << p;
    }
    if (live != t->live) bursty_p_go_live(t, live);
    for (p = 0; p < BURSTY_PROFILES; p++) if ((live >> p & 1) && t->run[p].left < least) least = (uint32_t)t->run[p].left;
    for (p = 0; p < BURSTY_PROFILES; p++) if (live >> p & 1) t->run[p].left -= least;
    bursty_p_passed(t, least);
    t->in_slow = 0;
    *count = least;
    return t;
}

BURSTY_API uint32_t bursty_p_hit(const bursty_site *site, uintptr_t value) {
    uint32_t count;
    bursty_p_thread *t;
    if (bursty_p_hold()) return 0;
    t = bursty_p_poll_take(1, &count);
    if (t && t->live && site) bursty_p_deliver(t, site, value, site->kind, 0);
    BURSTY_P_HERE.n = 0;
    return t ? t->live : 0;
}

BURSTY_API void bursty_p_event(const bursty_site *site, uintptr_t value, uint32_t kind) {
    bursty_p_thread *t;
    if (bursty_p_hold()) return;
    t = bursty_p_me();
    if (t && t->live && t->opening == BURSTY_P_GET(&bursty_p_all.opening)) bursty_p_deliver(t, site, value, kind, 0);
    BURSTY_P_HERE.n = 0;
}

BURSTY_API bursty_p_strip bursty_p_take_slow(uint64_t left) {
    bursty_p_strip strip;
    bursty_p_thread *t = NULL;
    strip.count = left < 4096 ? (uint32_t)left : 4096;
    if (!bursty_p_hold()) {
        t = bursty_p_poll_take(left, &strip.count);
        BURSTY_P_HERE.n = 0;
    }
    strip.live = t ? t->live : 0;
    return strip;
}

BURSTY_API void bursty_p_give_back(uint32_t count, uint32_t live) {
    bursty_p_thread *t = bursty_p_record();
    uint32_t p;
    if (!t || !live || live != t->live || t->in_slow) return;
    for (p = 0; p < BURSTY_PROFILES; p++) if (live >> p & 1) t->run[p].left += count;
}

#endif

/* ---- setting up ---------------------------------------------------------------------------------------------------------------- */

#if BURSTY_MEMORY > 0
static uint64_t bursty_p_memory[(BURSTY_MEMORY + 7) / 8];
#endif

static void bursty_p_zero(void *memory, size_t bytes) {
    unsigned char *byte = (unsigned char *)memory;
    while (bytes--) *byte++ = 0;
}

static void bursty_p_defaults(bursty_profile *p) {
    if (p->check_count == 0) p->check_count = 990;
    if (p->burst_count == 0) p->burst_count = 10;
    if (p->jitter_percent == 0) p->jitter_percent = 12;
    if (p->jitter_percent < 0) p->jitter_percent = 0;
    if (p->classes == 0) p->classes = BURSTY_ANY;
}

static int bursty_p_valid(const bursty_profile *p) {
    uint32_t i, j;
    if ((p->check_count > BURSTY_P_BUSY && p->check_count != BURSTY_ALWAYS) || p->burst_count > BURSTY_P_BUSY) return 0;
    if (p->jitter_percent > 100 || (p->rule_count && !p->rules)) return 0;
    for (i = 0; i < p->rule_count; i++) {
        if (p->rules[i].op_count > 4) return 0;
        for (j = 0; j < p->rules[i].op_count; j++)
            if (p->rules[i].op[j].counter > 7 || p->rules[i].op[j].op < BURSTY_INC || p->rules[i].op[j].op > BURSTY_UNTIL) return 0;
    }
    return 1;
}

static void bursty_p_put_slot(int profile, const bursty_profile *p) {
    bursty_p_slot *slot = &bursty_p_all.slot[profile];
    bursty_p_lock();
    slot->used = p != NULL;
    if (p) { slot->set = *p; bursty_p_defaults(&slot->set); }
    slot->stamp = BURSTY_P_GET(&bursty_p_all.generation) + 1;
    BURSTY_P_RELEASE(&bursty_p_all.generation, slot->stamp);
    bursty_p_unlock();
}

/* Settles what has passed on this thread, so that a change takes effect before its next check. */
static void bursty_p_settle(void) {
#ifndef BURSTY_POLL
    bursty_p_thread *t = bursty_p_record();
    uint32_t n, passed;
    if (t && t->in_slow) return;
    n = bursty_p_hold();
    t = bursty_p_me();
    if (!t) { BURSTY_P_HERE.n = n; return; }
    t->in_slow = 2;
    passed = t->live ? 0 - n : t->span - n;              /* a fresh record has span 0; a handler may have taken some of ours */
    n = bursty_p_edge(t, passed < t->span ? passed : t->span, NULL);
    if (t->generation != BURSTY_P_GET(&bursty_p_all.generation)) {
        bursty_p_lock();                                 /* another thread had it: the caller was promised "at once" */
        bursty_p_unlock();
        n = bursty_p_edge(t, 0, NULL);
    }
    t->in_slow = 0;
    BURSTY_P_HERE.n = n;
#endif
}

BURSTY_API uint32_t bursty_start(const bursty_config *config) {
    bursty_config zero;
    unsigned char *memory;
    size_t bytes, skip, threads, rows, stride, slots = 1;
    uint64_t a, b, i;
    bursty_p_zero(&zero, sizeof zero);
    if (!config) config = &zero;
    memory = (unsigned char *)config->memory;
    bytes = config->memory_bytes;
#if BURSTY_MEMORY > 0
    if (!memory) { memory = (unsigned char *)bursty_p_memory; bytes = sizeof bursty_p_memory; }
#endif
    skip = memory ? (0 - (uintptr_t)memory) & 7 : 0;
    stride = (sizeof(bursty_p_thread) + (config->reenable_percent ? BURSTY_P_HISTORY : 0) + 7) & ~(size_t)7;
    if (!memory || bytes < skip + stride + 16 * sizeof(bursty_p_row) || !bursty_p_valid(&config->profile)) return 0;
    if ((config->budget_ppm && !config->clock) || config->reenable_percent > 100) return 0;
    memory += skip;
    bytes -= skip;
#ifdef BURSTY_NO_TLS
    threads = 1;
#else
    threads = bytes / 4 / stride;
    if (threads == 0) threads = 1;
#endif
    if (threads > 65535) threads = 65535;
    rows = bytes - threads * stride;                  /* bytes for rows and index, at most 3/4 of it full */
    while (slots < rows / (sizeof(bursty_p_row) + 4) && slots < (size_t)1 << 28) slots *= 2;
    while (slots > 1 && slots * 4 > rows / 4) slots /= 2;
    rows = (rows - slots * 4) / sizeof(bursty_p_row);
    if (rows > slots - slots / 4) rows = slots - slots / 4;
    bursty_p_zero(memory, bytes);
    bursty_p_all.config = *config;
    bursty_p_all.stride = stride;
    bursty_p_all.threads = memory;
    bursty_p_all.thread_room = (uint32_t)threads;
    bursty_p_all.rows = (bursty_p_row *)(void *)(memory + threads * stride);
    bursty_p_all.index = (uint32_t *)(void *)(bursty_p_all.rows + rows);
    bursty_p_all.row_room = (uint32_t)rows;
    bursty_p_all.index_mask = (uint32_t)slots - 1;
    bursty_p_all.thread_count = bursty_p_all.row_count = bursty_p_all.lost_threads = 0;
    bursty_p_all.clock_cost = UINT64_MAX;
    for (i = 0; i < 64 && config->clock; i++) {
        a = bursty_p_clock();
        b = bursty_p_clock();
        if (b >= a && b - a < bursty_p_all.clock_cost) bursty_p_all.clock_cost = b - a;
    }
    if (bursty_p_all.clock_cost == UINT64_MAX) bursty_p_all.clock_cost = 0;
    for (i = 0; i < BURSTY_PROFILES; i++) { bursty_p_all.slot[i].used = 0; bursty_p_all.slot[i].stamp = 0; }
    bursty_p_all.generation = 0;
    bursty_p_put_slot(0, &bursty_p_all.config.profile);
    BURSTY_P_RELEASE(&bursty_p_all.epoch, bursty_p_all.epoch + 1 ? bursty_p_all.epoch + 1 : 1);
    BURSTY_P_HERE.n = 0;
    bursty_p_settle();
    return (uint32_t)threads;
}

BURSTY_API int bursty_set_profile(int profile, const bursty_profile *p) {
    BURSTY_ASSERT(profile >= 0 && profile < BURSTY_PROFILES);
    if (profile < 0 || profile >= BURSTY_PROFILES || bursty_p_all.epoch == 0 || (p && !bursty_p_valid(p))) return -1;
    bursty_p_put_slot(profile, p);
    bursty_p_settle();
    return 0;
}

BURSTY_API int bursty_enable(int profile, int on) {
    bursty_profile p;
    if (profile < 0 || profile >= BURSTY_PROFILES || bursty_p_all.epoch == 0) return -1;
    bursty_p_lock();
    p = bursty_p_all.slot[profile].set;
    if (!bursty_p_all.slot[profile].used) { bursty_p_unlock(); return -1; }
    bursty_p_unlock();
    if (!p.off == !!on) return 0;
    p.off = !on;
    if (p.jitter_percent == 0) p.jitter_percent = -1;
    return bursty_set_profile(profile, &p);
}

BURSTY_API uint32_t bursty_in_burst(void) {
    bursty_p_thread *t = bursty_p_record();
#ifdef BURSTY_POLL
    return t && BURSTY_P_OPEN() && t->opening == BURSTY_P_GET(&bursty_p_all.opening) ? t->live : 0;
#else
    return t ? t->live : 0;
#endif
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
    bursty_p_thread *t = bursty_p_record();
    return t ? t->counter[counter & 7] : 0;
}

BURSTY_API uint32_t bursty_depth(void) { return BURSTY_P_HERE.depth; }
/* A jump may have come out of an action, and the slow path was left half way. Out of an event: the word is put back. Out of a BEGIN or
   END: the next check is an edge with nothing passed. */
BURSTY_API void bursty_set_depth(uint32_t depth) {
    bursty_p_thread *t = bursty_p_record();
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
    bursty_p_thread *t = bursty_p_record();
    if (!t) return;
    bursty_p_settle();
    t->in_slow = 1;
    bursty_p_go_live(t, 0);
    bursty_p_mine.thread = NULL;
    bursty_p_mine.ended = 1;
#ifndef BURSTY_POLL
    BURSTY_P_HERE.n = BURSTY_P_SPAN;
#endif
    BURSTY_P_RELEASE(&t->state, BURSTY_P_ENDED);
}

static void bursty_p_reset(bursty_p_count *c) { BURSTY_P_PUT(&c->half[0], 0); BURSTY_P_PUT(&c->half[1], 0); }

static void bursty_p_forget(bursty_p_thread *t) {
    uint32_t p;
    bursty_p_reset(&t->checks);
    bursty_p_reset(&t->burst_checks);
    bursty_p_reset(&t->lost);
    for (p = 0; p < BURSTY_PROFILES; p++) {
        bursty_p_reset(&t->run[p].bursts);
        bursty_p_reset(&t->run[p].events);
    }
}

BURSTY_API void bursty_forked(void) {
    bursty_p_thread *mine = bursty_p_record();
    uint32_t i;
    if (bursty_p_all.epoch == 0) return;
    bursty_p_all.lock = 0;
    bursty_clear();
    for (i = 0; i < bursty_p_threads(); i++)
        if (bursty_p_thread_at(i) != mine) bursty_p_thread_at(i)->state = BURSTY_P_ENDED;
    bursty_p_all.lost_threads = 0;
    bursty_p_all.config.seed = bursty_p_mix(bursty_p_all.config.seed, UINT32_C(0x464F524B));
    if (mine) { mine->reuses += mine->random; bursty_p_seed(mine); }
}

BURSTY_API void bursty_clear(void) {
    uint32_t i, rows;
    if (bursty_p_all.epoch == 0) return;
    bursty_p_settle();
    rows = BURSTY_P_ACQUIRE(&bursty_p_all.row_count);
    for (i = 0; i < bursty_p_threads(); i++) bursty_p_forget(bursty_p_thread_at(i));
    for (i = 0; i < rows; i++) {
        bursty_p_reset(&bursty_p_all.rows[i].count);
        bursty_p_reset(&bursty_p_all.rows[i].weight);
        bursty_p_reset(&bursty_p_all.rows[i].ticks);
    }
}

/* ---- reading out --------------------------------------------------------------------------------------------------------------- */

BURSTY_API void bursty_get_stats(bursty_stats *out) {
    uint64_t in_bursts = 0;
    uint32_t i, p;
    bursty_p_zero(out, sizeof *out);
    if (bursty_p_all.epoch == 0) return;
    bursty_p_settle();
    out->threads = bursty_p_threads();
    out->lost_threads = BURSTY_P_GET(&bursty_p_all.lost_threads);
    for (i = 0; i < out->threads; i++) {
        bursty_p_thread *t = bursty_p_thread_at(i);
        out->checks = bursty_p_sat_add(out->checks, bursty_p_read(&t->checks));
        for (p = 0; p < BURSTY_PROFILES; p++) {
            out->bursts = bursty_p_sat_add(out->bursts, bursty_p_read(&t->run[p].bursts));
            out->events = bursty_p_sat_add(out->events, bursty_p_read(&t->run[p].events));
        }
        out->lost = bursty_p_sat_add(out->lost, bursty_p_read(&t->lost));
        in_bursts = bursty_p_sat_add(in_bursts, bursty_p_read(&t->burst_checks));
        if (BURSTY_P_GET(&t->state) == BURSTY_P_ENDED) out->ended++;
    }
    if (out->checks) out->rate_ppm = (uint32_t)(in_bursts <= UINT64_MAX / 1000000 ? in_bursts * 1000000 / out->checks
                                                                                  : in_bursts / (out->checks / 1000000));
}

static int bursty_p_less(const bursty_p_row *a, const bursty_p_row *b, int pairs) {     /* any order that puts equals together */
    if (a->site != b->site) return (uintptr_t)a->site < (uintptr_t)b->site;
    return pairs && (uintptr_t)a->caller < (uintptr_t)b->caller;
}

static int bursty_p_compare_names(const bursty_site *a, const bursty_site *b) {
    const char *x = a ? a->name : "", *y = b ? b->name : "";
    while (*x && *x == *y) { x++; y++; }
    return *x != *y ? ((unsigned char)*x < (unsigned char)*y ? -1 : 1) : a && b ? (a->line > b->line) - (a->line < b->line) : 0;
}

static int bursty_p_hotter(const bursty_row *a, const bursty_row *b) {
    int order;
    if (a->weight != b->weight) return a->weight > b->weight;
    if (a->ticks != b->ticks) return a->ticks > b->ticks;
    order = bursty_p_compare_names(a->site, b->site);
    return (order ? order : bursty_p_compare_names(a->caller, b->caller)) < 0;
}

/* Sorts row numbers in the rows' scratch field, so that a site's rows of all threads and callers stand together, and keeps the best. */
BURSTY_API size_t bursty_top(bursty_row *rows, size_t max, int pairs) {
    bursty_p_row *all = bursty_p_all.rows;
    uint32_t count, n = 0, i, j, step;
    size_t filled = 0, k;
    if (bursty_p_all.epoch == 0 || max == 0) return 0;
    bursty_p_lock();
    count = BURSTY_P_ACQUIRE(&bursty_p_all.row_count);
    for (i = 0; i < count; i++)
        if (BURSTY_P_ACQUIRE(&all[i].site) && (!pairs || (all[i].caller && (all[i].site->kind & BURSTY_CALL)))) all[n++].order = i;
    for (step = n / 2; step > 0; step = step == 2 ? 1 : (uint32_t)((uint64_t)step * 5 / 11))                     /* Shell's */
        for (i = step; i < n; i++) {
            uint32_t row = all[i].order;
            for (j = i; j >= step && bursty_p_less(&all[row], &all[all[j - step].order], pairs); j -= step) all[j].order = all[j - step].order;
            all[j].order = row;
        }
    for (i = 0; i < n; i = j) {
        const bursty_p_row *first = &all[all[i].order];
        bursty_row sum;
        bursty_p_zero(&sum, sizeof sum);
        sum.site = first->site;
        sum.caller = pairs ? first->caller : NULL;
        for (j = i; j < n && !bursty_p_less(first, &all[all[j].order], pairs); j++) {
            sum.count = bursty_p_sat_add(sum.count, bursty_p_read(&all[all[j].order].count));
            sum.weight = bursty_p_sat_add(sum.weight, bursty_p_read(&all[all[j].order].weight));
            sum.ticks = bursty_p_sat_add(sum.ticks, bursty_p_read(&all[all[j].order].ticks));
        }
        if (sum.count == 0 && sum.ticks == 0) continue;
        if (filled == max && !bursty_p_hotter(&sum, &rows[max - 1])) continue;
        k = filled < max ? filled++ : max - 1;
        for (; k > 0 && bursty_p_hotter(&sum, &rows[k - 1]); k--) rows[k] = rows[k - 1];
        rows[k] = sum;
    }
    bursty_p_unlock();
    return filled;
}

/* ---- the dump ------------------------------------------------------------------------------------------------------------------ */
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

enum { BURSTY_P_RING = 64 };
typedef struct bursty_p_dump { bursty_p_out out; const bursty_site *ring[BURSTY_P_RING]; uint32_t sites; } bursty_p_dump;

static void bursty_p_put_string(bursty_p_out *out, const char *text) {
    size_t length = 0;
    while (text && text[length]) length++;
    bursty_p_put_varint(out, length);
    bursty_p_put(out, text, length);
}

static void bursty_p_put_site(bursty_p_dump *d, const bursty_site *site) {
    uint32_t back;
    if (!site) { bursty_p_put_varint(&d->out, 0); return; }
    for (back = 0; back < BURSTY_P_RING && back < d->sites; back++)
        if (d->ring[(d->sites - 1 - back) % BURSTY_P_RING] == site) { bursty_p_put_varint(&d->out, back + 2); return; }
    d->ring[d->sites++ % BURSTY_P_RING] = site;
    bursty_p_put_varint(&d->out, 1);
    bursty_p_put_string(&d->out, site->name);
    bursty_p_put_string(&d->out, site->file);
    bursty_p_put_varint(&d->out, site->line);
    bursty_p_put_varint(&d->out, site->kind);
}

static void bursty_p_put_profile(bursty_p_out *out, uint32_t p, const bursty_profile *set) {
    const bursty_config *config = &bursty_p_all.config;
    uint64_t bursts = 0, events = 0;
    uint32_t i;
    for (i = 0; i < bursty_p_threads(); i++) {
        bursts = bursty_p_sat_add(bursts, bursty_p_read(&bursty_p_thread_at(i)->run[p].bursts));
        events = bursty_p_sat_add(events, bursty_p_read(&bursty_p_thread_at(i)->run[p].events));
    }
    bursty_p_put_varint(out, 2);
    bursty_p_put_varint(out, p);
    bursty_p_put_varint(out, set->check_count);
    bursty_p_put_varint(out, set->burst_count);
    bursty_p_put_varint(out, (uint32_t)set->jitter_percent);
    bursty_p_put_varint(out, set->classes);
    bursty_p_put_varint(out, (set->off ? 1u : 0) | (set->action ? 0 : 2u) | (config->budget_ppm ? 4u : 0) | (config->reenable_percent ? 8u : 0));
    bursty_p_put_varint(out, bursts);
    bursty_p_put_varint(out, events);
}

static void bursty_p_put_thread(bursty_p_dump *d, uint32_t number, uint32_t rows) {
    bursty_p_thread *t = bursty_p_thread_at(number);
    bursty_p_out *out = &d->out;
    uint64_t events = 0;
    uint32_t i;
    for (i = 0; i < BURSTY_PROFILES; i++) events = bursty_p_sat_add(events, bursty_p_read(&t->run[i].events));
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
    return bursty_p_put_end(&d.out);
}

#ifdef BURSTY_STDIO
static int bursty_p_to_file(void *user, const void *data, size_t size) { return fwrite(data, 1, size, (FILE *)user) != size; }

BURSTY_API int bursty_save(const char *path) {
    FILE *file = bursty_p_all.epoch ? fopen(path, "wb") : NULL;
    int failed;
    if (!file) return -1;
    failed = bursty_write(bursty_p_to_file, file) != 0;
    if (fclose(file) != 0) failed = 1;
    return failed ? -1 : 0;
}
#endif

#endif /* BURSTY_TINY */
#endif /* implementation */

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
