/* bursty.h - v0.2.0 - where the time goes, who calls whom, in what you ship - MIT, text at end of file

   example:
       #define BURSTY_IMPLEMENTATION
       #include "bursty.h"

       static int collide(int n) { BURST_SCOPE("collide"); return n > 0 ? collide(n - 1) + 1 : 0; }
       static int draw(int n) { BURST_SCOPE("draw"); while (n % 100) { n++; } return n > 0; }

       int main(void) {
           int frame, hits = 0;
           bursty_start(NULL);
           for (frame = 0; frame < 5000000; frame++) { hits += collide(frame % 50) + draw(frame); }
           return bursty_save("game.brst") != 0 || hits == 0;
       }
   end of example.

   The same with checks by hand and code in two copies, as in "Bursty Tracing". In
   the second copy events are recorded, and a check chooses the copy:

   example:
       #define BURSTY_IMPLEMENTATION
       #include "bursty.h"

       static int a[30], out;
       static BURST_DUAL(int, sum, (int n), (n)) {
           int s = 0, i;
           for (i = 0; i < n; i++) BURST_BODY({ BURST_REF(BURSTY_LOAD, &a[i]); s += a[i]; })
           BURST_REF(BURSTY_STORE, &out);
           return out = s;
       }
       int main(void) {
           int i, bursts = 0;
           bursty_start(NULL);
           for (i = 0; i < 1000000; i++) { bursts += BURST_CHECK(); a[i % 30] = sum(30); }
           return bursty_save("copies.brst") != 0 || bursts < 0;
       }
   end of example.

   STEP BY STEP
   1. In one C or C++ file define BURSTY_IMPLEMENTATION before the include, and put
      it in front of the program's own headers, whose macros may have its names.
      Everywhere else include the header plainly. No feature macro is needed.
   2. Put one line into each function that you want to see, and one into each
      loop that runs long:
         BURST_SCOPE("name");   The function's entry and its return, on every way
                                out. It gives time, callers and calling contexts.
                                It is a declaration, so it must not follow a bare
                                "if". The name is a literal.
         BURST_LEAVE();         Before each return out of a scope, for C compilers
                                other than gcc and clang alone. Elsewhere it is
                                nothing.
         BURST_ENTRY();         The entry alone: cheaper, and right for small
                                functions.
         BURST_LOOP();          One iteration: the first statement in a loop.
      Leave out functions of a few instructions and loops of a few additions.
      Their time is charged to the function that calls them.
   3. Call bursty_start(NULL) first and bursty_save("file") last, or in a function
      given to atexit if the program ends by exit. `bursty report file` then shows
      where the time goes, self and total, who calls whom how often, each with its
      95 % interval, and what was lost.
   4. Whole calling contexts? Include hcct.h behind this header, in the file with
      the implementation, with HCCT_IMPLEMENTATION. Nothing else changes.
   5. An overlay in the program? bursty_top fills rows with functions, their share
      of the time and their calls, with intervals. bursty_pause(1) leaves out a
      loading screen.
   6. A hitch, or slow requests? Call bursty_frame("frame") at the top of the main
      loop, or bursty_frame("request") when a request comes and bursty_frame(NULL)
      when it is done. The report then says how long frames take, and what slow
      ones do that others do not. config.frame_slow_ns is the budget. With
      config.timeline = 8192 it says when: what ran, who waited, which frames were
      slow.

   7. Fibers, coroutines, tasks of an RTOS? Each gets a zeroed bursty_fiber with a
      name, and bursty_fiber_switch(&fiber) stands in front of each switch of
      stacks; NULL is the thread itself. Contexts of hcct.h follow by themselves.
      Without it a fiber inherits the scopes of the one before it. Timers with
      glibc notice that, and the report says so first and gives no intervals; a
      watcher and a bare build cannot: there it is not noticed. A fiber may go on on
      another thread where scopes are assembly (x86-64, gcc or clang, without
      BURSTY_PORTABLE); elsewhere a compiler may keep the old thread's address. Two
      threads in one fiber, and a switch in an action, are counted and said first.
      In C++20 wrap what a coroutine awaits (promise.await_transform,
      initial_suspend and final_suspend), with one bursty_fiber in its promise:
         template <class A> struct on_fiber {
             A inner;
             bursty_fiber *fiber;
             bursty_fiber *&caller;
             bool await_ready() noexcept { return inner.await_ready(); }
             template <class H> auto await_suspend(H h) noexcept {
                 bursty_fiber_switch(caller);
                 return inner.await_suspend(h);
             }
             decltype(auto) await_resume() noexcept {
                 bursty_fiber *was = bursty_fiber_switch(fiber);
                 if (was != fiber) caller = was;
                 return inner.await_resume();
             }
         };
      Is a coroutine destroyed while it is suspended inside of a scope? Its scopes
      end on the thread that destroys it, which has to keep its depth:
         uint32_t depth = bursty_depth(); handle.destroy(); bursty_set_depth(depth);
   8. Only some events, such as those from a request's third attempt on? A rule of
      bursty_control_init is a production of "Hybrid Profiling Support": a pattern
      (classes, a site's name, a function, a line), a condition on 8 counters,
      operations on them, and an action of its own. bursty_control_step is the
      action of the profile. docs/productions.md, examples/conditional.c.

   WHAT HAPPENS
   Time: on Linux (gcc or clang) each thread gets a timer, which interrupts it once
   in each 10 ms of its CPU time, at a random moment of them. Such a tick is charged
   to the innermost scope and to the scopes around it. The kernel looks at timers
   when its clock ticks, so they may keep step with a program that wakes by that
   clock; then the report says so, and with config.watch = 2 a thread of this header
   sends ticks at random moments instead. On Windows and macOS this thread, the
   watcher, looks at the scopes of all threads, and sees who waits, too; on Linux
   config.watch = 1 asks for it. In a shared object of Linux set config.tick_hz or
   watch; bursty_stats.no_time says why nothing ticks.
   Counts: each line of step 2 contains a check, which counts down. After 990
   checks on average the next 10 are a burst. Events are recorded in bursts and
   nowhere else, and the report scales them up. config.profile has the rates.

   TO SEE MORE
   Record events of your own and receive them in an action:
      BURST_POINT(class, "name", value);   An event of a class below, mostly
                             BURSTY_USER. The value is evaluated only when the
                             event is recorded.
      if (BURST_CHECK()) { } A check by hand: true inside a burst. BURST_CHECK(); is
                             one, too. It records nothing by itself.
   Up to BURSTY_PROFILES profiles run at once, each with its own rate, classes and
   action; bursty_set_profile adds or changes one at any time. Is the order of
   events in a burst what you want? Name BURSTY_BEGIN, BURSTY_END and BURSTY_GAP
   among the classes: what comes after one of them does not follow what came
   before. `every` and `burst` are the paper's nCheck0 and nInstr0; jitter -1 makes
   its Figure 3.

   CODE IN TWO COPIES
   These forms compile a function or a loop twice: the plain copy, and one for
   bursts. docs/by-hand.md has more.
      BURST_DUAL(int, f, (int a, int b), (a, b)) { body }   a function with a check
      BURST_DUAL(void, g, (void), ()) { body }     without result and parameters
      for (...) BURST_BODY({ body })     a loop with a check in each iteration
      BURST_FOR(int, i, 0, n, { body })  the same, counted; do not assign to i
      BURST_REF(BURSTY_LOAD, pointer);   an event: a reference to this address
      BURST_IF_RECORDING(statements);    runs them only in bursts
   An event is recorded if and only if a burst is live, wherever it stands: behind
   a loop or a call that began the burst, too. Directly behind a check the plain
   copy has nothing of it; elsewhere it is a test of two instructions. Two forms
   without a check of their own are cheaper, and hold no check:
      BURST_DUAL_LEAF(int, h, (int a), (a)) { body }   a small function
      BURST_SAME(h, (a))                 calls it in the copy of its caller
      BURST_FOR_LEAF(int, i, 0, n, { body })   a counted loop whose checks are taken
                                         many at a time, so that it can be vectorized
   A check inside of BURST_FOR_LEAF does not compile; one in a function that it calls
   comes after those of up to 65 536 iterations.
   BURST_BODY, BURST_FOR and BURST_FOR_LEAF compile a macro argument twice. A
   debugger sees it as one line. A label in it is defined twice, which is an error;
   a static variable becomes two variables. return, break, continue and goto leave
   it as they leave any loop. BURST_DUAL cannot have "..." among its parameters, is
   no method or template, and for gcc holds no setjmp and no computed goto.

   PROMISES
     - It never prints, aborts, or takes a lock, and it allocates nothing. (It asks
       the C library to tell when a thread ends; that library may allocate a few
       bytes at the thread's first check. With a config.watch of 1 or 2, and on Windows
       and macOS unless it is -1, bursty_start makes a thread, for which the system
       allocates a stack; then the end of a thread waits while it is looked at, some
       microseconds.) It uses 1 MiB of static memory,
       whose pages are touched when they are needed: enough for 180 threads, 6000
       table rows and 2000 paths; or memory that you pass in. The compiler lays out
       3 KB for each thread, 900 bytes in a shared object. Frames have 860 KiB of
       their own, touched by the first bursty_frame.
     - What does not fit is counted, and the report says it first: events, threads,
       ticks, and CPU time of the process that no tick saw. Counters saturate.
     - Ticks are sent as SIGURG, which is ignored by default, if the program has no
       handler for it; else there are timers. A timer's signal is a real-time signal
       that the program does not use. Waits are not interrupted, since ticks come to
       threads that run. Without a free signal nothing ticks, and the report says so.
     - A check or scope keeps all registers: on x86-64 with gcc and clang it is
       assembly that changes nothing but the flags and registers that are free.
       Counts, events and dumps are the same with BURSTY_PORTABLE.
     - Without bursty_start a check counts and does nothing else.
     - For one thread the same events give the same counts, byte for byte, if
       config.seed is the same. Without a seed each process draws one, and a bare
       build has none: pass a number that differs between devices and starts.

   THREADS, SIGNALS, JUMPS
     A thread is registered at its first check, or, if it was checking before
     bursty_start, within 1000 checks. Its end is noticed (in a bare build call
     bursty_thread_end), and so is fork (elsewhere: bursty_forked in the child).
     Signal handlers may do anything that is declared here, at any instruction, on
     a thread that has checked before. An interrupt on bare metal needs a context
     of its own: another file with BURSTY_STATIC. Checks made inside an action are
     not counted. Each shared object has a BURSTY_IMPLEMENTATION of its own and
     samples alone, unless BURSTY_MODULES joins them.
     Exceptions: an exception that the program throws ends each scope that it
     leaves. C code between throw and catch needs -fexceptions. An action must
     not throw (see BURSTY_PORTABLE).
     longjmp: save bursty_depth() beside setjmp and pass it to bursty_set_depth()
     after the jump. If it leaves an action or a signal handler you must do this.
     Elsewhere the depth corrects itself when the next outer scope returns; until
     then ticks go to scopes that the jump has left.

   OPTIONS in every file, best on the command line:
     BURSTY_OFF            Every macro and function becomes nothing: no code, no
                           data, no file. bursty_start returns 1, bursty_save 0.
     BURSTY_PORTABLE       Checks and scopes in C. Needed if an action throws a C++
                           exception (the program itself may), or if it leaves by
                           longjmp into the very function that checks.
     BURSTY_POLL           A check reads one shared flag instead of counting.
                           bursty_poll sets the flag and clears it. `every`, jitter
                           and hibernation are not used; `burst` is the most that a
                           thread records while the flag is set once.
     BURSTY_BARE           No C library, no threads' ends, no timers, no files: what
                           a freestanding build gets by itself. It needs memcpy,
                           memset and the compiler's 64-bit division, and has 96 KiB
                           of static memory; set BURSTY_MEMORY.
     BURSTY_NO_TLS         One context and no atomics, for firmware and programs in
                           which a single thread checks. Implied unless the compiler
                           is gcc, clang or Microsoft's.
     BURSTY_TINY           24 bytes of RAM, 250 of code on a Cortex-M0: one profile
                           with an action, set by bursty_set_profile, and no more.
     BURSTY_STACK=n        How many scopes the shadow stack keeps: 64; 0 in
                           freestanding and tiny builds. Deeper scopes are counted.
                           A function that one of them calls has the caller
                           "(deep)". Where scopes are assembly, the RETURN of a
                           deeper scope has the site "(deep)", too.
     BURSTY_TLS_MODEL="m"  In a shared object define it as "initial-exec": the
                           compiler's default calls __tls_get_addr at every check.
     BURSTY_MODULES        One state for an executable and its shared objects: one
                           start, one table of threads and stacks through all of
                           them, one dump. All files define it; one module, which
                           the others are linked with, has the implementation. Link
                           objects that dlclose takes away with -Wl,-z,nodelete. ELF;
                           BURSTY_PORTABLE and "initial-exec" are implied.
                           docs/by-hand.md, examples/engine.
     BURSTY_STATIC         Everything is static, for a single file.
   OPTIONS where BURSTY_IMPLEMENTATION is defined:
     BURSTY_PROFILES=n     How many profiles: 8, at most 32, in a bare build 31.
     BURSTY_MEMORY=bytes   The size of the static memory; 0 means none.
     BURSTY_NO_TIMERS      bursty_start sets no timers, and n > 0 as config.tick_hz says
                           that you call bursty_tick n times a second. The CPU time
                           of children is not asked for either.
     BURSTY_TICKS          In a bare build: bursty_tick charges ticks. 2 kB of flash.
     BURSTY_TIMELINE       In a bare build: config.timeline. Needs BURSTY_TICKS.
     BURSTY_FRAME_BLOCKS=n How many functions, of all threads and kinds of frames, have
                           an interval in slow frames: 1024, 536 bytes each.
     BURSTY_FRAMES=n       How many kinds of frames: 8, at most 64. In a bare build 0,
                           which leaves frames out. There it needs BURSTY_TICKS, 4 kB
                           of flash, 6.5 kB of RAM for the first kind and 3 kB for
                           each other one, and config.frame_clock.
   "undefined reference" or "hidden symbol bursty_... is not defined": no file of
   this executable or library defines BURSTY_IMPLEMENTATION, or files differ in
   options.

   COST
     A check is two instructions on x86-64, a scope 11 (10 at a fixed address). Ticks
     take .1 to .3 % of a processor, and up to a quarter of one in the first tenth of
     a second (docs/ticks.md). An event in a burst takes 40 to 130 instructions; a
     frame takes 400, and two readings of a clock. If a tiny function mostly
     returns in its first lines, put the check behind that return: it costs
     nothing then.

   CONTENTS
     language
     options
     types
     functions
     productions: counters and conditions choose events
     checks that keep registers: where
     the check
     checks and scopes that keep registers
     scopes
     code in two copies, the second records
     off: the same lists; no symbol, no variable, no section
     basics
     clocks
     counters that saturate
     writing a .brst part
     chance
     a seed for this process
     which sample this is
     what threads share
     memory
     settings
     the hot table
     sums for intervals
     events
     the budget
     the schedule
     threads
     the slow path
     events behind a check
     checks that keep registers: the way to the slow path
     frames: the state, and a tick in one
     the tree of paths
     moments of ticks, in bounded room
     ticks in time
     ticks: the scope of an interrupted instruction
     a timer of a thread's CPU time
     ticks in step
     stacks that nobody has told of
     timers
     the watcher: what it asks of the system
     the watcher
     the dump
     switches of fibers that nobody can follow
     time: start, pause, end
     children, and other programs
     frames
     the axis of time in a dump
     start
     changes
     fibers
     answers
     the hottest functions
     bursty_write
     bursty_save
     the tiny build
     productions
*/

#ifndef BURSTY_H
#define BURSTY_H
#include <stddef.h>
#include <stdint.h>

/* ---- language ---------------------------------------- src/language.h ---- */

/* Microsoft's compiler and -std=gnu90 say less about themselves, and take
   it. */
#if defined(__STRICT_ANSI__) && !defined(__cplusplus) \
    && (!defined(__STDC_VERSION__) || __STDC_VERSION__ < 199901L)
#error "this header is C99 and C++11: compile with -std=c99 or newer in place of -ansi"
#endif

/* ---- options ----------------------------------- src/bursty/options.h ---- */

#ifdef HCCT_H
#error "include bursty.h before hcct.h, which then keeps the calling contexts of the program"
#endif

#ifdef BURSTY_TINY
#undef BURSTY_BARE
#define BURSTY_BARE
#undef BURSTY_NO_TLS
#define BURSTY_NO_TLS
#undef BURSTY_STACK
#define BURSTY_STACK 0
#endif
#if defined(__STDC_HOSTED__) && !__STDC_HOSTED__
#undef BURSTY_BARE
#define BURSTY_BARE
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
#elif defined(_MSC_VER) && (defined(_M_X64) || defined(_M_IX86)) /* its atomics are x86's */
#define BURSTY_P_MSVC
#endif
#if defined(BURSTY_P_GNU) || defined(__TINYC__)
#define BURSTY_P_UNUSED __attribute__((unused))
#else
#define BURSTY_P_UNUSED
#endif
#if defined(BURSTY_MODULES) && !defined(BURSTY_OFF)
#if !defined(__ELF__) || defined(BURSTY_STATIC) || defined(BURSTY_NO_TLS)
#error "BURSTY_MODULES: for ELF systems, and not with BURSTY_STATIC or BURSTY_NO_TLS"
#endif
#undef BURSTY_PORTABLE /* the thunks of checks in assembly are those of one module */
#define BURSTY_PORTABLE
#undef BURSTY_TLS_MODEL
#define BURSTY_TLS_MODEL "initial-exec"
#endif
#if defined(BURSTY_OFF)
#define BURSTY_API BURSTY_P_UNUSED static inline
#define BURSTY_P_OFF(...) { __VA_ARGS__; }
#elif defined(BURSTY_STATIC)
#define BURSTY_API BURSTY_P_UNUSED static
#elif defined(BURSTY_MODULES)
#define BURSTY_API extern __attribute__((visibility("default")))
#elif defined(BURSTY_P_GNU) && !defined(_WIN32)
#define BURSTY_API extern __attribute__((visibility("hidden")))
#else
#define BURSTY_API extern
#endif
#ifndef BURSTY_OFF
#define BURSTY_P_OFF(...) ; /* what follows a declaration is its body when off */
#endif
#if defined(__PIC__) && !defined(__PIE__)
#define BURSTY_P_SHARED /* code for a shared object */
#ifndef BURSTY_MODULES
#define BURSTY_P_APART  /* of which the program need not know */
#endif
#endif

#define BURSTY_P_CAT2(a, b) a##b
#define BURSTY_P_CAT(a, b) BURSTY_P_CAT2(a, b)
#ifdef __cplusplus
#define BURSTY_P_TO(type, x) type(x) /* -Wold-style-cast */
#define BURSTY_P_CAST(type, x) static_cast<type>(x)
#else
#define BURSTY_P_TO(type, x) ((type)(x))
#define BURSTY_P_CAST(type, x) ((type)(x))
#endif
#ifdef __COUNTER__
#define BURSTY_P_UNIQUE __COUNTER__ /* two scopes may stand on one line */
#else
#define BURSTY_P_UNIQUE __LINE__
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- types --------------------------------------- src/bursty/types.h ---- */

/* Event classes (hybrid-profiling-support, Figure 3: opcode classes). */
enum {
    BURSTY_CALL = 1, BURSTY_RETURN = 2, BURSTY_BACKEDGE = 4,
    BURSTY_LOAD = 8, BURSTY_STORE = 16, BURSTY_USER = 32,
    BURSTY_ANY = 63,                     /* all of the above                  */
    BURSTY_BEGIN = 64, BURSTY_END = 128, /* of a burst; only for profiles
                                            whose classes name them           */
    BURSTY_GAP = 512,  /* events of this burst are missing in front of the next
                          one; only for profiles with an action whose classes
                          name it. The site is "(burst)"                      */
    BURSTY_FRAME = 256 /* set together with CALL or RETURN when the event
                          belongs to a scope, that is, when CALL and RETURN
                          come in pairs. So test kind with &, not ==          */
};

/* A place in the source. The macros make them: static const, in flash on
   firmware. */
typedef struct bursty_site {
    const char *name;
    const char *file;
    uint32_t line;
    uint32_t kind;             /* event class                                 */
} bursty_site;

typedef struct bursty_event {
    const bursty_site *site;   /* never NULL; named "(burst)" for BEGIN and END */
    uintptr_t value;           /* what the point gave; a reference's address  */
    uint32_t kind;             /* event class                                 */
    uint32_t depth;            /* scopes around the event; a CALL and its
                                  RETURN agree                                */
    uint32_t burst;            /* number of this profile's burst on this
                                  thread, from 1                              */
    uint32_t thread;           /* number of the thread, from 0 in the order in
                                  which threads register                      */
    uint32_t weight_256;       /* 256 times the number of events it stands for */
    const bursty_site *const *stack; /* the outermost min(depth, BURSTY_STACK)
                                  scopes around it, outermost first; NULL
                                  without a stack                             */
    uint64_t *memory;          /* 4 numbers of the action's, by profile and
                                  thread                                      */
} bursty_event;

typedef void (*bursty_action)(void *user, const bursty_event *event);
typedef int (*bursty_write_fn)(void *user, const void *data,
                               size_t size); /* returns 0: go on */
typedef uint64_t (*bursty_clock)(void *user);

/* A stack of the program's own: a fiber, a coroutine, a task of an RTOS. Zeroed
   memory of the caller with a name, a literal; it must not move, nor go while it
   runs. */
typedef struct bursty_fiber {
    const char *name;          /* the outermost scope in the report; NULL: none */
    uint32_t depth;            /* its open scopes, while it does not run      */
#if BURSTY_STACK > 0
    const bursty_site *stack[BURSTY_STACK];
#endif
} bursty_fiber;

#define BURSTY_ALWAYS UINT32_MAX  /* as `every`: one burst that never ends, the full profile */

/* What to sample, and how often. Every zero means the default. action and user
   must stay valid after bursty_set_profile until every thread has made another
   65 536 checks. */
typedef struct bursty_profile {
    uint32_t every;           /* checks between bursts, the paper's nCheck0:
                                 990; at most 2^30                            */
    uint32_t burst;           /* checks in a burst, the paper's nInstr0: 10; at
                                 most 2^30                                    */
    int32_t jitter;           /* percent of `every` by which gaps differ, up
                                 and down: 80; -1: none. A thread then begins
                                 with a whole gap, and one that makes fewer
                                 checks is never in a burst                   */
    uint32_t awake_count;     /* hibernation: after this many bursts ...      */
    uint32_t hibernate_count; /* ... leave out this many; 0 and 0: never      */
    uint32_t classes;         /* of the events that the action or the table
                                 gets: BURSTY_ANY                             */
    bursty_action action;     /* NULL: count in the hot table; one profile for
                                 each class                                   */
    void *user;               /* passed to the action                         */
    int off;                  /* 1: keep the profile, do not run it           */
} bursty_profile;

typedef struct bursty_config {
    bursty_profile profile;   /* profile 0; all zero: hot functions and pairs */
    void *memory;             /* NULL: BURSTY_MEMORY bytes of static memory   */
    size_t memory_bytes;
    int32_t tick_hz;          /* looks at each thread in a second of its CPU
                                 time. 0: as many as .1 % of a processor pays
                                 for, at most 100, and on Linux with 64 bits up
                                 to 10 000 in the beginning; 100 with timers;
                                 none where there is no thread and no timer.
                                 -1: none.
                                 Without both, or with BURSTY_BARE, n > 0 says
                                 that you call bursty_tick n times a second   */
    int32_t watch;            /* 1: a thread of this header, the watcher, looks
                                 at the scopes of the others. No signals, and
                                 it sees who waits. 0: so on Windows and macOS;
                                 on Linux timers, which may keep step with the
                                 program, and then the report says so. 2: on
                                 Linux it sends ticks (SIGURG) at random moments
                                 to threads that run, and sees nobody wait.
                                 -1: no such thread anywhere                  */
    uint32_t fold;            /* n > 0 folds recursion: a scope that is the
                                 running one or one of its n - 1 nearest
                                 callers goes back there, in time and contexts */
    uint32_t budget_ppm;      /* n > 0: bursts may take n millionths of the run
                                 time; `every` becomes longer or shorter      */
    bursty_clock clock;       /* for the budget; NULL: the thread's CPU time, on
                                 POSIX systems. Elsewhere a budget needs one  */
    void *clock_user;
    uint32_t seed;            /* of jitter: same seed and events, same samples.
                                 0 draws one for this process, which stands in
                                 the dump. A bare build cannot: pass a number
                                 that differs between devices and starts, of
                                 the chip, a counter in flash or a noise source */
    const char *program;      /* a name for the report; a literal             */
    uint64_t frame_slow_ns;   /* frames that take longer are slow; 0: those above
                                 the 95th percentile of their kind so far     */
    bursty_clock frame_clock; /* for frames, in ns; NULL: the time of day that
                                 goes by, on POSIX systems and Windows. A bare
                                 build needs one                              */
    bursty_clock frame_cpu_clock; /* the CPU time of the calling thread in ns: the
                                 rest of a frame is waiting. NULL: POSIX systems
                                 have one, if frame_clock is NULL, too        */
    uint32_t timeline;        /* n > 0: ticks have their moments, at most n of them
                                 (a power of 2; of more, one of 2, 4, ...), and so
                                 have waits that the watcher sees and slow frames.
                                 22 bytes each, of at most a quarter of the memory:
                                 8192 in 1 MiB, 65 536 in 8 MiB. Ticks, which come
                                 in signal handlers, ask frame_clock then. A bare
                                 build needs BURSTY_TIMELINE; without frame_clock
                                 its ticks are the clock. 0: no moments         */
} bursty_config;

/* One row of the hot table. */
typedef struct bursty_row {
    const bursty_site *site;
    const bursty_site *caller;   /* the scope around it, or NULL              */
    uint64_t count;              /* events recorded                           */
    uint64_t weight;             /* divided by 256: an estimate of how often
                                    the site was passed                       */
} bursty_row;
typedef void (*bursty_visit_fn)(void *user, const bursty_row *row);

/* An estimate and its 95 % interval. */
typedef struct bursty_range {
    uint64_t low, value, high;
} bursty_range;

/* A function as bursty_top shows it. */
typedef struct bursty_top_row {
    const bursty_site *site;
    bursty_range calls;        /* how often it was passed; high is UINT64_MAX if
                                  one burst alone saw it                      */
    bursty_range self_ppm;     /* its share of all time, without the scopes in
                                  it; all 0 without ticks                     */
    bursty_range total_ppm;    /* its share of all time with them             */
    uint64_t ticks;            /* behind self_ppm                             */
} bursty_top_row;

typedef struct bursty_stats {
    uint64_t checks;         /* checks that were taken, in bursts and between */
    uint64_t bursts;         /* bursts begun, of all profiles                 */
    uint64_t events;         /* events recorded: put into the table or given
                                to an action                                  */
    uint64_t lost;           /* events that found the table full: enlarge
                                BURSTY_MEMORY                                 */
    uint32_t threads;        /* thread records in use or used before          */
    uint32_t ended;          /* of these, threads that have ended             */
    uint32_t lost_threads;   /* threads without a record, of which nothing is
                                known: enlarge BURSTY_MEMORY                  */
    uint32_t rate_ppm;       /* checks inside bursts per million checks       */
    uint64_t ticks;          /* charged to scopes. One is 1 / tick_hz of CPU
                                time, with a tick_hz of 0 10 ms, or .1 ms on
                                Linux with 64 bits and a watch of 2           */
    uint64_t ticks_slow;     /* of these, ticks inside this header's recording */
    uint64_t ticks_lost;     /* on threads without a record                   */
    uint64_t ticks_cut;      /* charged to a scope further out: the table of
                                paths was full; enlarge BURSTY_MEMORY         */
    uint64_t ticks_late;     /* left out: more than 100 looks at once, or the
                                thread had ended                              */
    uint64_t untimed;        /* threads without a timer: the system has no more */
    uint64_t cpu_us;         /* CPU time of the process since bursty_start, less
                                pauses; 0 without timers                      */
    int32_t no_time;         /* why nothing ticks: BURSTY_NO_TIME_...; 0: it does */
    uint32_t paths;          /* rows of the table of paths in use             */
    uint64_t waiting;        /* looks of the watcher that found a thread waiting;
                                those that found one running are ticks        */
    uint64_t looks_late;     /* looks left out because the watcher woke late; with a
                                watch of 2 ticks that came late for that      */
    uint64_t looks_cut;      /* charged to a scope further out, since the inner
                                ones changed while the watcher looked         */
    uint32_t unwatched;      /* threads that never checked, the most at once;
                                known on Linux                                */
    uint32_t timeline;       /* so many ticks may have their moments          */
} bursty_stats;

enum { /* reasons for stats.no_time */
    BURSTY_TIME_IS_ON = 0,
    BURSTY_NO_TIME_ASKED = 1,    /* config.tick_hz is -1, or 0 with BURSTY_BARE */
    BURSTY_NO_TIME_SYSTEM = 2,   /* no timers and no watcher here: a system or a
                                    compiler without threads, or watch is -1  */
    BURSTY_NO_TIME_STRICT = 3,   /* -std=c99 hides them: compile the file with
                                    the implementation with -std=gnu99, or
                                    define _GNU_SOURCE at its top             */
    BURSTY_NO_TIME_SHARED = 4,   /* in a shared object nothing ticks unless
                                    config.tick_hz asks for it                */
    BURSTY_NO_TIME_SIGNALS = 5,  /* the program uses all real-time signals    */
    BURSTY_NO_TIME_REFUSED = 6,  /* the system refused the first timer        */
    BURSTY_NO_TIME_MEMORY = 7,   /* config.memory_bytes is too small          */
    BURSTY_NO_TIME_THREAD = 8    /* the system refused the watcher's thread   */
};

/* ---- functions ------------------------------- src/bursty/functions.h ---- */

/* Adds or changes profile 0 to BURSTY_PROFILES - 1, at any time, on any thread,
   in a signal handler, too; NULL removes it. It takes effect at once on the
   calling thread and within 65 536 checks on the others; called from an action
   or a handler, at the thread's next look at its schedule (with BURSTY_POLL: in
   the next opening). The changed profile starts a new interval; others are not
   disturbed. Returns 0, or -1 if the number or a value is out of range, if
   nothing was started, or if another profile already counts one of these
   classes in the hot table: rows would show twice as many events as there were.
   (hybrid-profiling-support, section 2: several profiles at once.) */
BURSTY_API int bursty_set_profile(int profile, const bursty_profile *p)
    BURSTY_P_OFF(return (void)profile, (void)p, 0)

/* Returns the profiles that are in a burst now on the calling thread, as
   bits. */
BURSTY_API uint32_t bursty_in_burst(void) BURSTY_P_OFF(return 0)

#if !defined(BURSTY_TINY) || defined(BURSTY_OFF)

/* Starts sampling with profile 0, empty tables and, where there are timers,
   ticks; config may be NULL. Only one thread may check while it is called a
   second time. Returns how many threads fit. 0 means that nothing has changed,
   because memory is too small or a value is out of range. */
BURSTY_API uint32_t bursty_start(const bursty_config *config) BURSTY_P_OFF(return (void)config, 1)

/* Ends all timers or the watcher, gives the signal back and ends all profiles.
   What was counted stays for bursty_write. Call it before dlclose takes this
   code away, when no other thread can be in the middle of a check. */
BURSTY_API void bursty_stop(void) BURSTY_P_OFF((void)0)

/* Leaves out what comes now, such as a loading screen (1), or goes on (0): no
   events, no contexts, no ticks. Threads follow within 65 536 checks, their
   ticks at once. What was counted before stays. bursty_start begins with 0. */
BURSTY_API void bursty_pause(int is_paused) BURSTY_P_OFF((void)is_paused)

/* Calls visit for each row of the hot table, one for each thread, caller and
   site. bursty_top adds them up. */
BURSTY_API void bursty_each(bursty_visit_fn visit, void *user) BURSTY_P_OFF((void)visit, (void)user)

#if !defined(BURSTY_BARE) || defined(BURSTY_OFF)
/* Fills rows[0..max) with the hottest functions, for an overlay as often as
   every frame: by time, or, where nothing ticks, by calls. Time outside of all
   scopes is the row "(outside)"; time that no tick saw is in no row, and cpu_us
   of bursty_get_stats tells how much that is. Loops and points have no row.
   Sums over all threads since bursty_start or bursty_clear. Returns how many
   rows were filled. */
BURSTY_API size_t bursty_top(bursty_top_row *rows, size_t max)
    BURSTY_P_OFF(return (void)rows, (void)max, 0)
#endif

/* Ends the frame that this thread is in, if there is one, and begins the next.
   A frame is what the program does again and again: a frame of a game, a
   request, a period of a control loop. The name, a literal, says which; several
   kinds may take turns. NULL only ends one: what follows belongs to no frame.
   The report says how long frames take, and what slow ones do that others do
   not. A frame belongs to its thread; one that is running when the thread ends,
   or in which there is a pause, is counted apart. */
BURSTY_API void bursty_frame(const char *name) BURSTY_P_OFF((void)name)

/* The durations of the last frames of that kind in us, the newest last, for an
   overlay: fills us[0..max), at most 256. Returns how many were filled. */
BURSTY_API size_t bursty_frames(const char *name, uint32_t *us, size_t max)
    BURSTY_P_OFF(return (void)name, (void)us, (void)max, 0)

/* Sums over all threads, ended ones too. It is exact for the calling thread. Of
   another thread, the checks since its last look at its schedule are not in it
   yet. */
BURSTY_API void bursty_get_stats(bursty_stats *out)
    BURSTY_P_OFF(const bursty_stats none = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
                                         0, 0, 0, 0, 0 };
                 *out = none)

/* The seed of this process: config.seed, or what was drawn for it. Given as
   config.seed it makes the same sample again. */
BURSTY_API uint32_t bursty_seed(void) BURSTY_P_OFF(return 0)

/* Writes the dump (docs/formats.md), at any instruction, in a signal handler,
   too, if `write` may be called there. Returns 0, or -1 if nothing was started
   or write failed. */
BURSTY_API int bursty_write(bursty_write_fn write, void *user)
    BURSTY_P_OFF(return (void)write, (void)user, 0)

#if !defined(BURSTY_BARE) || defined(BURSTY_OFF)
/* Writes the dump into the file path: into path.new first, which then takes its
   place, so an older file stays until the new one is whole. Returns 0, or -1
   and errno: EINVAL if nothing was started, or the error of the C library. */
BURSTY_API int bursty_save(const char *path) BURSTY_P_OFF(return (void)path, 0)
#endif

/* n ticks have passed on this thread: charges them to its innermost scope. A
   timer of bursty_start does it, where there is one; else call it from a
   timer's signal handler, from the SysTick interrupt, or once a frame, with
   config.tick_hz set. One caller for each thread. While a watcher looks, it
   does nothing: set config.watch to -1. */
BURSTY_API void bursty_tick(uint32_t n) BURSTY_P_OFF((void)n)
#ifndef BURSTY_BARE
/* The same for a stack that somebody else knows, an interpreter or a walk over
   frames: `depth` sites, the outermost first, of which BURSTY_STACK are looked
   at. The sites stay where they are, and have the kind BURSTY_CALL |
   BURSTY_FRAME. The thread's own scopes are left aside. */
BURSTY_API void bursty_tick_at(const bursty_site *const *stack, uint32_t depth, uint32_t n)
    BURSTY_P_OFF((void)stack, (void)depth, (void)n)
#endif

/* Zeroes table, ticks and stats, but not the numbers of threads. What others
   count now may remain. */
BURSTY_API void bursty_clear(void) BURSTY_P_OFF((void)0)

/* The number of scopes around the call; for longjmp, see THREADS. Do not set it
   inside an action. */
BURSTY_API uint32_t bursty_depth(void) BURSTY_P_OFF(return 0)
BURSTY_API void bursty_set_depth(uint32_t depth) BURSTY_P_OFF((void)depth)

/* Before the calling thread switches to another stack: what runs from here on
   belongs to that fiber, NULL: to the thread itself. Returns the fiber that ran,
   or NULL. A fiber may go on on another thread, where scopes are assembly. Only
   one thread may run it at a time: it is left before another one enters it, and
   before its thread ends. Not in an action. It may be called in the switch of an RTOS (docs/firmware.md). */
BURSTY_API bursty_fiber *bursty_fiber_switch(bursty_fiber *fiber)
    BURSTY_P_OFF(return (void)fiber, BURSTY_P_CAST(bursty_fiber *, NULL))

/* BURSTY_POLL builds: opens (1) and closes (0) a burst in all threads, say from
   a timer. */
BURSTY_API void bursty_poll(int on) BURSTY_P_OFF((void)on)

/* Names the calling thread in the report; the first 31 bytes are kept. */
BURSTY_API void bursty_thread_name(const char *name) BURSTY_P_OFF((void)name)

/* Says that the calling thread checks no more. Its counts stay; its record may
   be used again. */
BURSTY_API void bursty_thread_end(void) BURSTY_P_OFF((void)0)

/* Call it in a forked child: it then counts from zero, so that dumps can be
   merged. */
BURSTY_API void bursty_forked(void) BURSTY_P_OFF((void)0)

/* A companion records more of the same program, as hcct.h does with calling
   contexts. It is joined before bursty_start; hcct.h joins itself. */
enum { BURSTY_THREAD_ENDS = 0, BURSTY_THREAD_BEGINS = 1, BURSTY_THREAD_FORKED = 2,
       BURSTY_THREAD_JUMPED = 3,  /* a longjmp has left an action: bursty_set_depth */
       BURSTY_THREAD_SWITCHED = 4 /* in a burst another fiber goes on: bursty_fiber_switch */ };
typedef struct bursty_companion {
    int (*start)(const bursty_config *config);     /* in bursty_start; not 0: it has no memory */
    void (*on_thread)(int what, uint32_t thread);  /* on that thread; NULL: not wanted         */
    int (*write)(bursty_write_fn write, void *user); /* its part of a dump; 0, or write failed */
    bursty_profile profile; /* the last of BURSTY_PROFILES, at profile 0's rate if every is 0  */
} bursty_companion;
BURSTY_API void bursty_join(const bursty_companion *companion) BURSTY_P_OFF((void)companion)
#if defined(BURSTY_BARE) && defined(__ELF__) && !defined(BURSTY_STATIC)
/* A bare build may run no constructor. So bursty_start calls this function, if
   a companion has defined it, and it joins. hcct.h does. */
void bursty_joins(void) __attribute__((weak));
#endif

#endif /* BURSTY_TINY */

/* ---- productions: counters and conditions choose events  src/bursty/control.h ---- */

/* The productions of hybrid-profiling-support, Figures 3 and 4: "show me what a
   request does, but only from its third attempt on" without a line in the code
   that is watched. A control has 8 counters, each with a flag "zero" and a flag
   "overflow". A rule is a production: a pattern of events, a condition on the
   flags, operations that change counters, and an action of its own.

   bursty_control_step is the action of a profile, and the control its user. For
   each event it finds the rules whose pattern fits and whose condition holds.
   It judges all of them on the flags as they were before the event. Then it
   carries them out in the order of rules[]: the action of a rule first, then
   its operations. With BURSTY_BEGIN among the profile's classes a rule can set
   counters when a burst begins. docs/productions.md explains it, and
   examples/conditional.c shows it. One control belongs to one thread. A step
   takes some ten instructions for each rule, and reads the names of patterns
   whose class fits. */

enum {
    BURSTY_CONTROL_INC = 1, /* adds 1; passing from the largest value to 0 sets overflow         */
    BURSTY_CONTROL_DEC,     /* subtracts 1; passing from 0 to the largest value sets overflow    */
    BURSTY_CONTROL_SET,     /* stores value and clears overflow                                  */
    BURSTY_CONTROL_UNTIL    /* stores minus value: overflow comes with INC number value; sets it */
                     /* at once for 0 and clears it otherwise */
};
typedef struct bursty_control_op {
    uint8_t op, counter; /* counter: 0 to 7 */
    uint32_t value;
} bursty_control_op;
typedef struct bursty_control_term {
    uint8_t zero, not_zero, overflow, not_overflow; /* bits of counters; all must hold  */
} bursty_control_term;
typedef struct bursty_control_rule { /* a zero in the pattern fits each event               */
    uint32_t kinds;          /* pattern: event classes, as bits                             */
    const char *name;        /* pattern: the name of the event's site                       */
    const char *function;    /* pattern: the function that a CALL, RETURN or BACKEDGE names;
                                of other events the innermost scope around them             */
    const char *file;        /* pattern: the end of the path of the site's file             */
    uint32_t line;           /* pattern: the site's line                                    */
    const bursty_control_term *any; /* condition: one of any[0..any_count) must hold        */
    uint32_t any_count;      /* 0: there is no condition                                    */
    bursty_control_op op[4];
    uint32_t op_count;       /* the first so many of op[]                                   */
    bursty_action action;    /* gets the event, with `user`; or NULL                        */
    void *user;
} bursty_control_rule;
typedef struct bursty_control_state {
    const bursty_control_rule *rules;
    uint32_t rule_count;
    uint32_t counter[8];     /* read them as you like */
    uint8_t zero, overflow;  /* one bit for each counter */
} bursty_control_state;

/* Makes all counters 0. rules[0..count) and what they point at must stay valid.
   Returns 0, or -1 if a rule has more than 4 operations, an unknown one, a
   counter above 7, or a count of terms and no terms. */
BURSTY_API int bursty_control_init(bursty_control_state *c, const bursty_control_rule *rules,
                                   uint32_t count)
    BURSTY_P_OFF(return (void)c, (void)rules, (void)count, 0)

/* One event. The action of a profile whose user is a bursty_control_state. */
BURSTY_API void bursty_control_step(void *control, const bursty_event *event)
    BURSTY_P_OFF((void)control, (void)event)

#ifdef __cplusplus
}
#endif

#ifndef BURSTY_OFF

/* ---- checks that keep registers: where ------ src/bursty/keep_where.h ---- */

#if defined(__has_feature)
#define BURSTY_P_KEEP_HAS(sanitizer) __has_feature(sanitizer)
#else
#define BURSTY_P_KEEP_HAS(sanitizer) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || \
    defined(__SANITIZE_HWADDRESS__) || BURSTY_P_KEEP_HAS(address_sanitizer) || \
    BURSTY_P_KEEP_HAS(thread_sanitizer) || BURSTY_P_KEEP_HAS(memory_sanitizer) || \
    BURSTY_P_KEEP_HAS(hwaddress_sanitizer) || BURSTY_P_KEEP_HAS(dataflow_sanitizer)
#define BURSTY_P_KEEP_SANITIZED
#endif
#if defined(BURSTY_P_SHARED) && !defined(BURSTY_NO_TLS) && !defined(BURSTY_TLS_MODEL)
#define BURSTY_P_KEEP_CALL_FOR_TLS /* the compiler finds the thread's word by a call */
#endif

/* Files whose checks are in C may be linked with others, so the implementation
   of bursty.h has the way in for assembly (IN_BURSTY) in more cases than a file
   has such checks (CHECKS). */
#if defined(__x86_64__) && defined(__LP64__) && defined(__ELF__) && !defined(BURSTY_PORTABLE) && \
    !defined(BURSTY_OFF) && !defined(BURSTY_POLL) && !defined(BURSTY_TINY) && \
    !defined(BURSTY_STATIC) && !defined(__INTEL_COMPILER) && !defined(__NVCOMPILER)
#if defined(__clang__) && __clang_major__ >= 14
#define BURSTY_P_KEEP_ASM __asm__ __volatile__
#define BURSTY_P_KEEP_ORDER(...)
#define BURSTY_P_KEEP_SIZE(name) name " PTR " /* of an operand in Intel's syntax: gcc writes it */
#define BURSTY_P_KEEP_USED used
#define BURSTY_P_KEEP_UNSEEN xray_never_instrument, no_sanitize("coverage")
#if __clang_major__ >= 15
#define BURSTY_P_KEEP_SAVES __attribute__((no_caller_saved_registers, zero_call_used_regs("skip")))
#else
#define BURSTY_P_KEEP_SAVES __attribute__((no_caller_saved_registers))
#endif
#elif defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 12
#define BURSTY_P_KEEP_ASM __asm__ __inline /* one instruction to gcc, when it inlines */
#define BURSTY_P_KEEP_ORDER(...) __VA_ARGS__
#define BURSTY_P_KEEP_SIZE(name)
#define BURSTY_P_KEEP_USED used, externally_visible
#define BURSTY_P_KEEP_UNSEEN no_sanitize_coverage
/* tune and stringops, which change nothing here: a target of its own. gcc 12
   keeps its table of saved registers by target, and behind a function without
   caller-saved ones it does not always set it back: functions of the same
   target that come next then push what no caller expects, and clobber what
   theirs believe to be kept. */
#define BURSTY_P_KEEP_SAVES \
    __attribute__((no_caller_saved_registers, zero_call_used_regs("skip"), \
                   target("general-regs-only,inline-all-stringops,tune=k8")))
#endif
#endif
#if defined(BURSTY_P_KEEP_ASM) && !defined(BURSTY_P_KEEP_SANITIZED) && \
    !defined(BURSTY_P_KEEP_CALL_FOR_TLS) && !defined(__code_model_large__) && \
    !defined(__AMX_TILE__) && !defined(__APX_F__) && \
    !(defined(__cplusplus) && defined(BURSTY_P_SHARED))
#define BURSTY_CHECKS_ARE_ASSEMBLY
#endif
#if defined(BURSTY_P_KEEP_ASM) && !defined(BURSTY_NO_TLS) && BURSTY_STACK > 0
#define BURSTY_P_KEEP_LEAVES /* scopes, too: the same two cases */
#ifdef BURSTY_CHECKS_ARE_ASSEMBLY
#define BURSTY_P_KEEP_SCOPES
#endif
#endif

#ifdef BURSTY_P_KEEP_ASM
/* For all functions between the thunk and an action. They use general registers
   alone, and the compiler puts no call into them that might use others, such as
   a hook of -finstrument-functions. So while nothing outside bursty.h is
   called, the thunk's registers are all that must be kept. */
#define BURSTY_P_KEEP_SLOW \
    __attribute__((target("general-regs-only"), no_instrument_function, \
                   no_profile_instrument_function, BURSTY_P_KEEP_UNSEEN))
#define BURSTY_P_KEEP_INLINE static inline __attribute__((always_inline)) BURSTY_P_KEEP_SLOW
#define BURSTY_P_KEEP_NOINLINE static __attribute__((noinline)) BURSTY_P_KEEP_SLOW

/* Adds to a counter that saturates. Compilers would take 4 instructions. */
#define BURSTY_P_KEEP_ADDS(c, v) bursty_p_keep_add((c), (v))
BURSTY_P_KEEP_INLINE int bursty_p_keep_add(uint64_t *count, uint64_t more) {
    int over;
    __asm__("{addq\t%2, %0|add\t" BURSTY_P_KEEP_SIZE("QWORD") "%0, %2}"
            : "+m"(*count), "=@ccc"(over) : "er"(more));
    if (__builtin_expect(over, 0)) __atomic_store_n(count, UINT64_MAX, __ATOMIC_RELAXED);
    return 1;
}

/* Does the thread run profile 0 alone, which does no more than count? Then
   bursty_p_kept_hit looks at the schedule by itself: as bursty_p_look, in a
   quarter of the instructions. */
#define BURSTY_P_KEEP_PLAIN(t) \
    ((t)->active == 1 && !((t)->framed | (t)->acting) && !bursty_p_all.budget \
     && (t)->sampler[0].set.classes == BURSTY_ANY && !(t)->sampler[0].set.awake_count \
     && (t)->sampler[0].set.every != BURSTY_ALWAYS)

#if defined(BURSTY_P_KEEP_SANITIZED) || defined(BURSTY_P_KEEP_CALL_FOR_TLS)
#define BURSTY_P_KEEP_ALWAYS 1 /* the compiler's own calls are outside */
#else
#define BURSTY_P_KEEP_ALWAYS 0
#endif

#else
#define BURSTY_P_KEEP_SLOW
#define BURSTY_P_KEEP_ADDS(c, v) 0
#define BURSTY_P_KEEP_PLAIN(t) 0
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- the check ----------------------------------- src/bursty/check.h ---- */

/* One 32-bit word per thread, n. While n >= 0 the thread is not sampling, and n
   checks remain until it looks at its schedule. While n < 0 it is inside a
   burst, and every check takes the slow path. It is bursty-tracing's Figure 3,
   decision for decision:

       a check       sub dword [n], 1      x86-64. Cortex-M3: ldr, ldr, subs, str, bmi
                     js cold */

#if defined(BURSTY_P_GNU)
#define BURSTY_P_UNLIKELY(x) __builtin_expect((x), 0)
#define BURSTY_P_INLINE static inline __attribute__((always_inline))
#define BURSTY_P_COLD __attribute__((cold, noinline)) BURSTY_P_KEEP_SLOW
#else
#define BURSTY_P_UNLIKELY(x) (x)
#define BURSTY_P_INLINE static inline
#define BURSTY_P_COLD
#endif

#if !defined(BURSTY_NO_TLS) && !defined(BURSTY_P_GNU) && !defined(BURSTY_P_MSVC)
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
#if defined(BURSTY_P_MSVC)
#define BURSTY_P_TLS __declspec(thread)
#elif defined(BURSTY_TLS_MODEL)
#define BURSTY_P_TLS __attribute__((tls_model(BURSTY_TLS_MODEL))) __thread
#else
#define BURSTY_P_TLS __thread /* in C++, too: thread_local would add a call */
#endif
#endif

/* What the inline code touches. Its name has the options in it: files must
   agree, or not link. */
typedef struct bursty_here {
    uint32_t n;
#ifdef BURSTY_TINY
    uint32_t every, burst;
    bursty_action action;
    void *user;
    uint32_t random; /* 0: no jitter */
#else
    uint32_t depth;
#if BURSTY_STACK > 0
    const bursty_site *stack[BURSTY_STACK];
#endif
#endif
} bursty_here;

#if defined(BURSTY_TINY)
#define BURSTY_P_HERE bursty_here_tiny
#elif defined(BURSTY_POLL)
#define BURSTY_P_HERE BURSTY_P_CAT(bursty_here_poll_, BURSTY_P_KIND)
#else
#define BURSTY_P_HERE BURSTY_P_CAT(bursty_here_, BURSTY_P_KIND)
#endif
BURSTY_API BURSTY_P_TLS bursty_here BURSTY_P_HERE;

typedef struct bursty_p_scope {
    const bursty_site *site;
    uint32_t depth;
} bursty_p_scope;

/* The slow path. A compiler that puts checks in (`bursty cc`) may write calls
   of the first two, and decrement bursty_here.n itself; nobody else needs them.
   bursty_hit takes a check, sends its event if there is a site and a burst, and
   returns the profiles in a burst. bursty_note sends one without a check. take,
   give_back: for code in two copies; mark, since: for its events without a
   check. */
BURSTY_API BURSTY_P_COLD uint32_t bursty_hit(const bursty_site *site, uintptr_t value);
BURSTY_API BURSTY_P_COLD void bursty_note(const bursty_site *site, uintptr_t value,
                                          uint32_t kind);
BURSTY_API BURSTY_P_COLD uint32_t bursty_p_take(uint64_t left, uint32_t *live);
BURSTY_API void bursty_p_give_back(uint32_t count, uint32_t live);
#ifndef BURSTY_TINY
BURSTY_API BURSTY_P_COLD uint32_t bursty_note_mark(void);
BURSTY_API BURSTY_P_COLD void bursty_note_since(const bursty_site *site, uintptr_t value,
                                             uint32_t kind, uint32_t mark);
#endif

/* FIRE takes a check and tells whether the slow path must look at it. LIVE
   takes none. */
#ifdef BURSTY_POLL
BURSTY_API uint8_t bursty_p_open;
BURSTY_API BURSTY_P_COLD uint32_t bursty_p_is_live(void); /* its burst may have ended before */
#ifdef BURSTY_P_GNU
#define BURSTY_P_OPEN() (__atomic_load_n(&bursty_p_open, __ATOMIC_RELAXED) != 0)
#else
#define BURSTY_P_OPEN() (*(volatile uint8_t *)&bursty_p_open != 0)
#endif
#define BURSTY_P_POLLS 1
#define BURSTY_P_FIRE() BURSTY_P_UNLIKELY(BURSTY_P_OPEN())
#define BURSTY_P_LIVE() (BURSTY_P_UNLIKELY(BURSTY_P_OPEN()) && bursty_p_is_live())
#else
#define BURSTY_P_POLLS 0
#define BURSTY_P_OPEN() 0
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(BURSTY_TINY)
/* gcc compares with zero in three instructions and with any other number in two.
   No gap and no hold is within 15 of 2^31. */
#define BURSTY_P_TOP UINT32_C(0x7FFFFFF0)
#define BURSTY_P_LIVE() BURSTY_P_UNLIKELY(BURSTY_P_HERE.n > BURSTY_P_TOP)
#else
#define BURSTY_P_LIVE() BURSTY_P_UNLIKELY(BURSTY_P_TO(int32_t, BURSTY_P_HERE.n) < 0)
#endif
#if defined(__thumb2__) && defined(__GCC_ASM_FLAG_OUTPUTS__) && !defined(__clang__)
BURSTY_P_INLINE int bursty_p_fire(void) { /* gcc alone would add a cmp */
    uint32_t n = BURSTY_P_HERE.n;
    int fired;
    __asm__("subs %0, %0, #1" : "+l"(n), "=@ccmi"(fired));
    BURSTY_P_HERE.n = n;
    return fired;
}
#define BURSTY_P_FIRE() BURSTY_P_UNLIKELY(bursty_p_fire())
#elif defined(BURSTY_P_TOP)
BURSTY_P_INLINE int bursty_p_fire(void) { /* what LIVE asks gcc then knows */
    if (BURSTY_P_TO(int32_t, --BURSTY_P_HERE.n) < 0) return 1;
    if (BURSTY_P_HERE.n > BURSTY_P_TOP) __builtin_unreachable();
    return 0;
}
#define BURSTY_P_FIRE() BURSTY_P_UNLIKELY(bursty_p_fire())
#else
#define BURSTY_P_FIRE() BURSTY_P_UNLIKELY(BURSTY_P_TO(int32_t, --BURSTY_P_HERE.n) < 0)
#endif
#endif

/* A member of a struct: an error where a BURST_FOR_LEAF is around it (dual.h). */
#ifdef __cplusplus
#define BURSTY_P_NOT_IN_LEAF \
    static_assert(sizeof(struct burst_copy) != 3, "a check in BURST_FOR_LEAF: take BURST_FOR")
#define BURSTY_P_SIZE_IN_LEAF sizeof(char[sizeof(struct burst_copy) == 3 ? -1 : 1])
#else
#define BURSTY_P_NOT_IN_LEAF \
    char bursty_no_check_in_BURST_FOR_LEAF[sizeof(struct burst_copy) == 3 ? -1 : 1]
#define BURSTY_P_SIZE_IN_LEAF sizeof(struct { BURSTY_P_NOT_IN_LEAF; })
#endif

#define BURST_POINT(class_, name_, value_) \
    do { \
        struct bursty_p_here { BURSTY_P_NOT_IN_LEAF; }; \
        static const bursty_site bursty_p_site = { name_, __FILE__, __LINE__, class_ }; \
        if (BURSTY_P_FIRE()) { BURSTY_P_HIT(bursty_p_site, BURSTY_P_TO(uintptr_t, value_)); } \
    } while (0)
#define BURST_CHECK() ((void)BURSTY_P_SIZE_IN_LEAF, bursty_p_check())

/* ---- checks and scopes that keep registers -- src/bursty/keep_check.h ---- */

/* A call makes a compiler save and move what stands in registers, although it
   hardly ever happens. So where the compiler and the target are known
   (keep_where.h), the rare way is assembly that changes no register. It stands
   in a stub behind the code of its own section, and goes where a COMDAT or a
   section that is dropped goes:

             decl word                     771: add  $-128, %rsp        over the red zone
             js   771f                          call bursty_thunk     returns with `ret $128`
       772:  ...                                jmp  772b               in its long form
                                                .long site - .

   The thunk finds the site behind its return address. Returning there and not
   to 772 keeps the processor's prediction of returns, and a shadow stack,
   right.

   A scope goes on at 772. %d and %s are registers of the compiler's choice. %d
   is kept until the scope ends, which repairs the depth if a longjmp has
   skipped scopes in it:

       772:  movl %fs:depth, %d                 movl %d, %fs:depth
             cmpl $64, %d                       cmpl $0, %fs:word
             jae  774f                          js   775f               775: as 771, without a site,
             leaq site(%rip), %s          776:                               to bursty_leave_thunk
             movq %s, %fs:stack(,%d,8)
       774:  incl %fs:depth                These are 11 instructions, and 10 at a fixed address,
                                           where one movq stores the site. In C they were 27 to 33.

   The end does not name its site. The thunk takes it from the slot that was
   just left. Ticks know these sequences, so each is of one piece and always the
   same: keep_ticks.c.

   Invariant: the site is in its slot before the depth counts it. It is
   suspended for whoever is interrupted between the two and opens scopes in a
   signal handler: the slot then has a wrong name until the scope ends. The
   depth is never wrong.

   In an executable the word's address is a constant. It is written out, since
   gcc would keep the base of an operand in a register. To gcc the assembly is
   not volatile, for around volatile ones gcc copies arguments out of their
   registers. Instead it says that it changes bursty_p_order, a variable that is
   nowhere: so it is neither moved out of a loop nor dropped. */
#ifdef BURSTY_CHECKS_ARE_ASSEMBLY
#define BURSTY_P_KEEP_TEXT2(x) #x
#define BURSTY_P_KEEP_TEXT(x) BURSTY_P_KEEP_TEXT2(x)
#define BURSTY_P_KEEP_NAME BURSTY_P_KEEP_TEXT(BURSTY_P_HERE)
extern __attribute__((visibility("hidden"))) uint32_t bursty_p_order;
#define BURSTY_P_KEEP_ORDERED BURSTY_P_KEEP_ORDER([order] "+m"(bursty_p_order))
#if defined(BURSTY_NO_TLS) || defined(BURSTY_P_SHARED)
#define BURSTY_P_KEEP_WORD "{|" BURSTY_P_KEEP_SIZE("DWORD") "}%[word]"
#define BURSTY_P_KEEP_OPERANDS [word] "+m"(BURSTY_P_HERE.n) BURSTY_P_KEEP_ORDER(, BURSTY_P_KEEP_ORDERED)
#else
#define BURSTY_P_KEEP_WORD \
    "{%%fs:" BURSTY_P_KEEP_NAME "@tpoff|DWORD PTR fs:" BURSTY_P_KEEP_NAME "@tpoff}"
#define BURSTY_P_KEEP_OPERANDS BURSTY_P_KEEP_ORDERED
#endif
#define BURSTY_P_KEEP_STUB(thunk_, back_) \
    ".byte 0x48, 0x83, 0xc4, 0x80\n\tcall\t" thunk_ "\n\t.byte 0xe9\n\t.long " back_ " - . - 4\n\t"
#define BURSTY_P_KEEP_RARE \
    ".subsection 1\n771:\t" BURSTY_P_KEEP_STUB("bursty_thunk", "772b") \
    ".long %c[site] - .\n\t.previous"
#define BURSTY_P_KEEP_CHECK(class_, name_) \
    do { \
        struct bursty_p_here { BURSTY_P_NOT_IN_LEAF; }; \
        static const bursty_site bursty_p_site = { name_, __FILE__, __LINE__, class_ }; \
        BURSTY_P_KEEP_ASM("{decl|dec}\t" BURSTY_P_KEEP_WORD "\n\tjs\t771f\n772:\t" \
                          BURSTY_P_KEEP_RARE \
                          : BURSTY_P_KEEP_OPERANDS \
                          : [site] "i"(&bursty_p_site) \
                          : "cc", "memory"); \
    } while (0)
#define BURST_ENTRY() BURSTY_P_KEEP_CHECK(BURSTY_CALL, __func__)
#define BURST_LOOP() BURSTY_P_KEEP_CHECK(BURSTY_BACKEDGE, __func__)

/* Checks by hand and events test the word in C, so that a compiler which knows
   the answer tests nothing. The rare way alone is assembly, in a cold block: a
   stub as above, and the value in rax. */
#define BURSTY_P_KEEP_CALL(thunk_, site_, ...) \
    __asm__ __volatile__(BURSTY_P_KEEP_STUB(thunk_, "772f") site_ "772:" : : __VA_ARGS__ : "cc", "memory")
#define BURSTY_P_KEEP_EVENT(thunk_, site_, value_) \
    BURSTY_P_KEEP_CALL(thunk_, ".long\t%c[site] - .\n", [site] "i"(&site_), "a"(value_))
#define BURSTY_P_HIT(site_, value_) BURSTY_P_KEEP_EVENT("bursty_point_thunk", site_, value_)
#define BURSTY_P_NOTE(site_, value_) BURSTY_P_KEEP_EVENT("bursty_event_thunk", site_, value_)
BURSTY_P_INLINE int bursty_p_check(void) {
#ifdef __clang__ /* in a loop it would keep the word in a register, too */
    __asm__("" : "+m"(BURSTY_P_HERE.n));
#endif
    if (!BURSTY_P_FIRE()) return 0;
    BURSTY_P_KEEP_CALL("bursty_check_thunk", "", "m"(BURSTY_P_HERE.n));
    return BURSTY_P_TO(int32_t, BURSTY_P_HERE.n) < 0;
}
#else
#define BURST_ENTRY() BURST_POINT(BURSTY_CALL, __func__, 0)
#define BURST_LOOP() BURST_POINT(BURSTY_BACKEDGE, __func__, 0)
#define BURSTY_P_HIT(site_, value_) bursty_hit(&site_, value_)
#define BURSTY_P_NOTE(site_, value_) bursty_note(&site_, value_, site_.kind)
BURSTY_P_INLINE int bursty_p_check(void) {
    return BURSTY_P_FIRE() ? bursty_hit(NULL, 0) != 0 : 0;
}
#endif

/* ---- scopes -------------------------------------- src/bursty/scope.h ---- */

/* The check comes first and the push second, so the depth of a CALL counts the
   scopes around it. Leaving restores the saved depth instead of counting down:
   that repairs whatever a longjmp skipped. The stores are volatile, the stack
   before the depth, for a tick that interrupts. */

enum { BURSTY_P_SCOPE_CALL = BURSTY_CALL | BURSTY_FRAME,
       BURSTY_P_SCOPE_RETURN = BURSTY_RETURN | BURSTY_FRAME };

/* A watcher may read them meanwhile. */
#if defined(BURSTY_P_GNU) && !defined(BURSTY_NO_TLS)
#define BURSTY_P_SHOW(place, v) __atomic_store_n(place, v, __ATOMIC_RELAXED)
#else
#define BURSTY_P_SHOW(place, v) ((void)(*(place) = (v)))
#endif

BURSTY_P_INLINE bursty_p_scope bursty_p_enter(const bursty_site *site) {
    bursty_p_scope scope = { site, 0 };
    volatile bursty_here *here = &BURSTY_P_HERE;
    if (BURSTY_P_FIRE()) bursty_hit(site, 0);
#ifdef BURSTY_TINY
    (void)here;
#else
    scope.depth = here->depth;
#if BURSTY_STACK > 0
    if (scope.depth < BURSTY_STACK) BURSTY_P_SHOW(&here->stack[scope.depth], site);
#endif
    BURSTY_P_SHOW(&here->depth, scope.depth + 1);
#endif
    return scope;
}

BURSTY_P_INLINE void bursty_p_leave(bursty_p_scope *scope) {
#ifndef BURSTY_TINY
    volatile uint32_t *depth = &BURSTY_P_HERE.depth;
    BURSTY_P_SHOW(depth, scope->depth);
#endif
    if (BURSTY_P_LIVE()) bursty_note(scope->site, 0, BURSTY_P_SCOPE_RETURN);
}

/* "" before the name: a name that is no literal is an error, in C++, too, where
   it would be gone when the report is made. */
#define BURSTY_P_SCOPE_SITE(name_, id_) \
    struct BURSTY_P_CAT(bursty_p_here_, id_) { BURSTY_P_NOT_IN_LEAF; }; \
    static const bursty_site BURSTY_P_CAT(bursty_p_site_, id_) = { \
        "" name_, __FILE__, __LINE__, BURSTY_P_SCOPE_CALL }
#define BURST_SCOPE(name_) BURSTY_P_SCOPE(name_, BURSTY_P_UNIQUE)

#if defined(BURSTY_P_KEEP_SCOPES) /* the sequences are explained above, with the check */
#if defined(BURSTY_P_SHARED) /* the offset of the thread's word comes from a table */
#define BURSTY_P_SCOPE_BASE \
    "{movq\t" BURSTY_P_KEEP_NAME "@gottpoff(%%rip), %[base]" \
    "|mov\t%[base], QWORD PTR " BURSTY_P_KEEP_NAME "@gottpoff[rip]}\n\t"
#define BURSTY_P_SCOPE_HAS_BASE uint64_t bursty_p_base;
#define BURSTY_P_SCOPE_BASED , [base] "=&r"(bursty_p_base)
#define BURSTY_P_SCOPE_LEFT [base] "=&r"(bursty_p_base) BURSTY_P_KEEP_ORDER(, BURSTY_P_KEEP_ORDERED)
#define BURSTY_P_SCOPE_ATT(at_) "%%fs:" at_ "(%[base])"
#define BURSTY_P_SCOPE_INTEL(at_) "DWORD PTR fs:" at_ "[%[base]]"
#define BURSTY_P_SCOPE_SLOT_ATT "%%fs:8(%[base],%q[depth],8)"
#define BURSTY_P_SCOPE_SLOT_INTEL "QWORD PTR fs:8[%[base]+%q[depth]*8]"
#else
#define BURSTY_P_SCOPE_BASE ""
#define BURSTY_P_SCOPE_HAS_BASE
#define BURSTY_P_SCOPE_BASED
#define BURSTY_P_SCOPE_LEFT BURSTY_P_KEEP_ORDERED
#define BURSTY_P_SCOPE_ATT(at_) "%%fs:" BURSTY_P_KEEP_NAME "@tpoff+" at_
#define BURSTY_P_SCOPE_INTEL(at_) "DWORD PTR fs:" BURSTY_P_KEEP_NAME "@tpoff+" at_
#define BURSTY_P_SCOPE_SLOT_ATT "%%fs:" BURSTY_P_KEEP_NAME "@tpoff+8(,%q[depth],8)"
#define BURSTY_P_SCOPE_SLOT_INTEL "QWORD PTR fs:" BURSTY_P_KEEP_NAME "@tpoff+8[0+%q[depth]*8]"
#endif
#if defined(__PIC__) || defined(__PIE__)
#define BURSTY_P_SCOPE_HAS_SITE uint64_t bursty_p_at;
#define BURSTY_P_SCOPE_SITED , [at] "=&r"(bursty_p_at)
#define BURSTY_P_SCOPE_PUSH \
    "{leaq\t%c[site](%%rip), %[at]|lea\t%[at], %c[site][rip]}\n\t" \
    "{movq\t%[at], " BURSTY_P_SCOPE_SLOT_ATT "|mov\t" BURSTY_P_SCOPE_SLOT_INTEL ", %[at]}\n"
#else
#define BURSTY_P_SCOPE_HAS_SITE
#define BURSTY_P_SCOPE_SITED
#define BURSTY_P_SCOPE_PUSH \
    "{movq\t$%c[site], " BURSTY_P_SCOPE_SLOT_ATT \
    "|mov\t" BURSTY_P_SCOPE_SLOT_INTEL ", OFFSET %c[site]}\n"
#endif

#define BURSTY_P_SCOPE_ENTER(depth_, site_) \
    BURSTY_P_KEEP_ASM(BURSTY_P_SCOPE_BASE \
                      "{decl\t" BURSTY_P_SCOPE_ATT("0") "|dec\t" BURSTY_P_SCOPE_INTEL("0") "}" \
                      "\n\tjs\t771f\n772:\t" \
                      "{movl\t" BURSTY_P_SCOPE_ATT("4") ", %k[depth]" \
                      "|mov\t%k[depth], " BURSTY_P_SCOPE_INTEL("4") "}\n\t" \
                      "{cmpl\t%[room], %k[depth]|cmp\t%k[depth], %[room]}\n\tjae\t774f\n\t" \
                      BURSTY_P_SCOPE_PUSH \
                      "774:\t{incl\t" BURSTY_P_SCOPE_ATT("4") "|inc\t" BURSTY_P_SCOPE_INTEL("4") "}" \
                      "\n\t" BURSTY_P_KEEP_RARE \
                      : [depth] "=&r"(depth_) BURSTY_P_SCOPE_SITED BURSTY_P_SCOPE_BASED \
                        BURSTY_P_KEEP_ORDER(, BURSTY_P_KEEP_ORDERED) \
                      : [site] "i"(site_), [room] "i"(BURSTY_STACK) \
                      : "cc", "memory")

BURSTY_P_INLINE void bursty_p_end_scope(const uint32_t *depth) {
    BURSTY_P_SCOPE_HAS_BASE
    BURSTY_P_KEEP_ASM(BURSTY_P_SCOPE_BASE
                      "{movl\t%k[depth], " BURSTY_P_SCOPE_ATT("4")
                      "|mov\t" BURSTY_P_SCOPE_INTEL("4") ", %k[depth]}\n\t"
                      "{cmpl\t$0, " BURSTY_P_SCOPE_ATT("0")
                      "|cmp\t" BURSTY_P_SCOPE_INTEL("0") ", 0}\n\t"
                      "js\t775f\n776:\t.subsection 1\n775:\t"
                      BURSTY_P_KEEP_STUB("bursty_leave_thunk", "776b") ".previous"
                      : BURSTY_P_SCOPE_LEFT
                      : [depth] "r"(*depth)
                      : "cc", "memory");
}

#define BURSTY_P_SCOPE(name_, id_) \
    BURSTY_P_SCOPE_SITE(name_, id_); \
    uint32_t BURSTY_P_CAT(bursty_p_scope_, id_) \
        __attribute__((cleanup(bursty_p_end_scope), unused)) = __extension__({ \
            uint32_t bursty_p_depth_; \
            BURSTY_P_SCOPE_HAS_SITE BURSTY_P_SCOPE_HAS_BASE \
            BURSTY_P_SCOPE_ENTER(bursty_p_depth_, &BURSTY_P_CAT(bursty_p_site_, id_)); \
            bursty_p_depth_; \
        })
#define BURST_LEAVE() do { } while (0)
#elif defined(BURSTY_P_GNU)
#define BURSTY_P_SCOPE(name_, id_) \
    BURSTY_P_SCOPE_SITE(name_, id_); \
    bursty_p_scope BURSTY_P_CAT(bursty_p_scope_, id_) \
        __attribute__((cleanup(bursty_p_leave), unused)) = \
        bursty_p_enter(&BURSTY_P_CAT(bursty_p_site_, id_))
#define BURST_LEAVE() do { } while (0)
#elif defined(__cplusplus)
struct bursty_p_scope_guard {
    bursty_p_scope scope;
    explicit bursty_p_scope_guard(const bursty_site *site) : scope(bursty_p_enter(site)) {}
    ~bursty_p_scope_guard() { bursty_p_leave(&scope); }
};
#define BURSTY_P_SCOPE(name_, id_) \
    BURSTY_P_SCOPE_SITE(name_, id_); \
    bursty_p_scope_guard BURSTY_P_CAT(bursty_p_scope_, id_)(&BURSTY_P_CAT(bursty_p_site_, id_))
#define BURST_LEAVE() do { } while (0)
#else /* other C compilers: write BURST_LEAVE() before each way out of a scope */
#define BURSTY_P_SCOPE(name_, id_) \
    BURSTY_P_SCOPE_SITE(name_, id_); \
    bursty_p_scope bursty_p_scope_here = bursty_p_enter(&BURSTY_P_CAT(bursty_p_site_, id_))
#define BURST_LEAVE() bursty_p_leave(&bursty_p_scope_here)
#endif

/* ---- code in two copies, the second records ------- src/bursty/dual.h ---- */

#if defined(BURSTY_P_GNU)
#define BURSTY_P_DUAL_COLD __attribute__((cold, noinline))
#else
#define BURSTY_P_DUAL_COLD
#endif

/* FIRE takes a check and says whether bursty_hit must look closer, which says
   whether a burst is live; if it is not, PLAIN undoes the check. LIVE takes no
   check. */
#define BURSTY_P_DUAL_SITE(name_) \
    static const bursty_site bursty_p_dual_site = { name_, __FILE__, __LINE__, BURSTY_CALL }

/* Takes up to `left` checks that have the same answer, which goes to *live. */
BURSTY_P_INLINE uint32_t bursty_p_dual_take(uint64_t left, uint32_t *live) {
    uint32_t room = BURSTY_P_POLLS ? 4096 : BURSTY_P_HERE.n;
    if (BURSTY_P_POLLS ? BURSTY_P_OPEN() : BURSTY_P_TO(int32_t, room) <= 0) {
        return bursty_p_take(left, live);
    }
    if (left < room) room = BURSTY_P_TO(uint32_t, left);
    if (!BURSTY_P_POLLS) BURSTY_P_HERE.n -= room;
    *live = 0;
    return room;
}

/* ---- events without a check ---- */

/* Control moves between the two copies at checks, and an event is recorded if
   and only if a burst is live, wherever it stands: behind a loop or a call that
   has begun a burst, too. So an event tests the word, in two instructions.
   In the plain copy, directly after a check, the compiler knows the answer and
   leaves the test out. It knows the answer until a call, or until a store that might
   change the word. */
#define BURST_IF_RECORDING(...) do { if (BURSTY_P_LIVE()) { __VA_ARGS__; } } while (0)
#define BURST_REF(class_, p_) \
    do { \
        static const bursty_site bursty_p_dual_site = { #p_, __FILE__, __LINE__, class_ }; \
        if (BURSTY_P_LIVE()) { BURSTY_P_NOTE(bursty_p_dual_site, BURSTY_P_TO(uintptr_t, p_)); } \
    } while (0)

/* ---- dual-path functions (bursty-tracing Figure 2) ---- */

/* The body stands once in the source and twice in the code. The user's braces
   follow the header of an always-inline function with two uses:

       f(a)        a check; plain: body(a)      fires: cold_f(a), a jump
       cold_f(a)   in a burst: body(a)          otherwise: gives its check back and calls f, whose
                                                own check takes it again (no third copy of the body)
*/
#if defined(__clang__)
#define BURSTY_P_DUAL_VOID \
    _Pragma("clang diagnostic push") _Pragma("clang diagnostic ignored \"-Wpedantic\"") \
    _Pragma("clang diagnostic ignored \"-Wgcc-compat\"")
#define BURSTY_P_DUAL_VOID_END _Pragma("clang diagnostic pop")
#elif defined(BURSTY_P_GNU) && !defined(__cplusplus) /* "return f();" where f returns void */
#define BURSTY_P_DUAL_VOID \
    _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wpedantic\"")
#define BURSTY_P_DUAL_VOID_END _Pragma("GCC diagnostic pop")
#else
#define BURSTY_P_DUAL_VOID
#define BURSTY_P_DUAL_VOID_END
#endif
#ifdef __clang__ /* gcc refuses va_start in the body; clang would call it without the arguments */
#define BURSTY_P_DUAL_NO_DOTS(params_) \
    __attribute__((diagnose_if((params_)[sizeof(params_) - 3] == '.', \
        "BURST_DUAL cannot have '...': let it call a function that takes a va_list", "error")))
#else
#define BURSTY_P_DUAL_NO_DOTS(params_)
#endif

#if defined(BURSTY_POLL)
#define BURSTY_P_DUAL_PLAIN(name_, args_) return bursty_p_dual_body_##name_ args_
#else
#define BURSTY_P_DUAL_PLAIN(name_, args_) BURSTY_P_HERE.n++; return name_ args_
#endif

#define BURST_DUAL(ret_, name_, params_, args_) \
    ret_ name_ params_; \
    BURSTY_P_DUAL_VOID \
    BURSTY_P_INLINE BURSTY_P_DUAL_NO_DOTS(#params_) \
    ret_ bursty_p_dual_body_##name_ params_; \
    static BURSTY_P_DUAL_COLD ret_ bursty_p_dual_cold_##name_ params_ { \
        BURSTY_P_DUAL_SITE(#name_); \
        if (bursty_hit(&bursty_p_dual_site, 0)) { \
            return bursty_p_dual_body_##name_ args_; \
        } else { \
            BURSTY_P_DUAL_PLAIN(name_, args_); \
        } \
    } \
    ret_ name_ params_ { \
        if (BURSTY_P_FIRE()) { \
            return bursty_p_dual_cold_##name_ args_; \
        } else { \
            return bursty_p_dual_body_##name_ args_; \
        } \
    } \
    BURSTY_P_DUAL_VOID_END \
    BURSTY_P_INLINE ret_ bursty_p_dual_body_##name_ params_

/* A function without a check. Called by its name it tests at its events. Where
   BURST_SAME knows or finds that no burst is live, it calls a copy that begins
   with this knowledge. */
#if defined(BURSTY_P_GNU) && !defined(BURSTY_POLL)
#define BURSTY_P_DUAL_KNOWN_PLAIN() if (BURSTY_P_LIVE()) __builtin_unreachable()
#else
#define BURSTY_P_DUAL_KNOWN_PLAIN() (void)0
#endif
#define BURST_DUAL_LEAF(ret_, name_, params_, args_) \
    ret_ name_ params_; \
    BURSTY_P_DUAL_VOID \
    BURSTY_P_INLINE BURSTY_P_DUAL_NO_DOTS(#params_) \
    ret_ bursty_p_dual_body_##name_ params_; \
    BURSTY_P_UNUSED static ret_ bursty_p_same_wants_DUAL_LEAF_##name_ params_ { \
        BURSTY_P_DUAL_KNOWN_PLAIN(); \
        return bursty_p_dual_body_##name_ args_; \
    } \
    ret_ name_ params_ { \
        return bursty_p_dual_body_##name_ args_; \
    } \
    BURSTY_P_DUAL_VOID_END \
    BURSTY_P_INLINE ret_ bursty_p_dual_body_##name_ params_
#define BURST_SAME(name_, args_) \
    (BURSTY_P_LIVE() ? name_ args_ : bursty_p_same_wants_DUAL_LEAF_##name_ args_)

/* ---- dual-path loops ---- */

/* In the second copy a loop within the loop stands once: else n nested loops
   were 2^n copies. A struct tag says which copy a block is in; its size is 2 in
   the second, and 3 in a BURST_FOR_LEAF, where no check may stand. (A local variable would do the same, with a warning of -Wshadow in
   every nesting.) */
#if defined(__GNUC__) && !defined(__clang__) && defined(__cplusplus) /* g++: a tag shadows, too */
#define BURSTY_P_DUAL_QUIET \
    _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wshadow\"")
#define BURSTY_P_DUAL_LOUD _Pragma("GCC diagnostic pop")
#else
#define BURSTY_P_DUAL_QUIET
#define BURSTY_P_DUAL_LOUD
#endif

struct burst_copy {
    char c[1];
};
#define BURSTY_P_DUAL_TAG(size_) \
    BURSTY_P_DUAL_QUIET struct burst_copy { char c[size_]; }; BURSTY_P_DUAL_LOUD
#define BURSTY_P_DUAL_OUTER_TAG() \
    BURSTY_P_DUAL_QUIET struct burst_outer { \
        char c[sizeof(struct burst_copy)]; \
        BURSTY_P_NOT_IN_LEAF; \
    }; BURSTY_P_DUAL_LOUD
#ifdef __cplusplus
#define BURSTY_P_DUAL_OUTER sizeof(burst_outer::c)
#else
#define BURSTY_P_DUAL_OUTER sizeof(((struct burst_outer *)0)->c)
#endif

#define BURST_BODY(...) \
    { \
        BURSTY_P_DUAL_OUTER_TAG() \
        if (bursty_p_check() && sizeof(struct burst_copy) != 2) { \
            BURSTY_P_DUAL_TAG(2) __VA_ARGS__ \
        } else { \
            BURSTY_P_DUAL_TAG(BURSTY_P_DUAL_OUTER) __VA_ARGS__ \
        } \
    }
#define BURST_FOR(T_, i_, lo_, hi_, ...) \
    { \
        T_ i_ = (lo_); \
        const T_ bursty_p_dual_hi_##i_ = (hi_); \
        for (; i_ < bursty_p_dual_hi_##i_; i_++) BURST_BODY(__VA_ARGS__) \
    }

/* BURST_FOR_LEAF runs a counted loop in strips: the iterations of a strip get
   the same answer, and their checks are taken at once, so that nothing is left
   per iteration. A check in its body would come after those of the strip. If the
   body leaves by break, return, goto or an exception, the guard gives back the
   checks of the iterations that did not run. It reads i through a pointer to a
   type that may alias any other. */
#ifdef BURSTY_P_GNU
#define BURSTY_P_DUAL_ALIAS __attribute__((may_alias))
#else
#define BURSTY_P_DUAL_ALIAS
#endif
typedef uint8_t BURSTY_P_DUAL_ALIAS bursty_p_dual_any8;
typedef uint16_t BURSTY_P_DUAL_ALIAS bursty_p_dual_any16;
typedef uint32_t BURSTY_P_DUAL_ALIAS bursty_p_dual_any32;
typedef uint64_t BURSTY_P_DUAL_ALIAS bursty_p_dual_any64;

typedef struct bursty_p_dual_guard {
    const void *i; /* NULL: the strip was run to its end */
    uint64_t stop;
    uint32_t size, live;
    void (*give_back)(uint32_t count, uint32_t live);
} bursty_p_dual_guard;

BURSTY_P_INLINE void bursty_p_dual_unguard(bursty_p_dual_guard *guard) {
    uint64_t i = 0, mask = UINT64_MAX;
    if (!guard->i) return;
    if (guard->size == 1) i = *BURSTY_P_CAST(const bursty_p_dual_any8 *, guard->i);
    if (guard->size == 2) i = *BURSTY_P_CAST(const bursty_p_dual_any16 *, guard->i);
    if (guard->size == 4) i = *BURSTY_P_CAST(const bursty_p_dual_any32 *, guard->i);
    if (guard->size == 8) i = *BURSTY_P_CAST(const bursty_p_dual_any64 *, guard->i);
    mask >>= 64 - 8 * guard->size;
    guard->give_back(BURSTY_P_TO(uint32_t, (guard->stop - i - 1) & mask), guard->live);
}

#if defined(BURSTY_P_GNU)
#define BURSTY_P_DUAL_GUARD(guard_) \
    bursty_p_dual_guard guard_ __attribute__((cleanup(bursty_p_dual_unguard)))
#define BURSTY_P_DUAL_BROKE(guard_) break
#elif defined(__cplusplus)
} /* extern "C" */
struct bursty_p_dual_guarded : bursty_p_dual_guard {
    ~bursty_p_dual_guarded() { bursty_p_dual_unguard(this); }
};
extern "C" {
#define BURSTY_P_DUAL_GUARD(guard_) bursty_p_dual_guarded guard_
#define BURSTY_P_DUAL_BROKE(guard_) break
#else
#define BURSTY_P_DUAL_GUARD(guard_) bursty_p_dual_guard guard_
#define BURSTY_P_DUAL_BROKE(guard_) bursty_p_dual_unguard(&guard_); break
#endif

#define BURST_FOR_LEAF(T_, i_, lo_, hi_, ...) \
    { \
        T_ i_ = (lo_); \
        const T_ bursty_p_dual_hi_##i_ = (hi_); \
        BURSTY_P_DUAL_OUTER_TAG() \
        while (i_ < bursty_p_dual_hi_##i_) { \
            const uint64_t bursty_p_dual_at_##i_ = BURSTY_P_TO(uint64_t, i_); \
            uint32_t bursty_p_dual_live_##i_; \
            const uint32_t bursty_p_dual_count_##i_ = bursty_p_dual_take( \
                BURSTY_P_TO(uint64_t, bursty_p_dual_hi_##i_) - bursty_p_dual_at_##i_, \
                &bursty_p_dual_live_##i_); \
            const T_ bursty_p_dual_stop_##i_ = \
                BURSTY_P_CAST(T_, bursty_p_dual_at_##i_ + bursty_p_dual_count_##i_); \
            BURSTY_P_DUAL_GUARD(bursty_p_dual_guard_##i_); \
            bursty_p_dual_guard_##i_.i = &i_; \
            bursty_p_dual_guard_##i_.size = BURSTY_P_TO(uint32_t, sizeof i_); \
            bursty_p_dual_guard_##i_.stop = BURSTY_P_TO(uint64_t, bursty_p_dual_stop_##i_); \
            bursty_p_dual_guard_##i_.live = bursty_p_dual_live_##i_; \
            bursty_p_dual_guard_##i_.give_back = bursty_p_give_back; \
            if (bursty_p_dual_live_##i_ && sizeof(struct burst_copy) != 2) { \
                BURSTY_P_DUAL_TAG(3) \
                for (; i_ < bursty_p_dual_stop_##i_; i_++) { __VA_ARGS__ } \
            } else { \
                BURSTY_P_DUAL_TAG(3) \
                for (; i_ < bursty_p_dual_stop_##i_; i_++) { __VA_ARGS__ } \
            } \
            if (i_ < bursty_p_dual_stop_##i_) { BURSTY_P_DUAL_BROKE(bursty_p_dual_guard_##i_); } \
            bursty_p_dual_guard_##i_.i = NULL; \
        } \
    }

#ifdef __cplusplus
}
#endif

#else /* BURSTY_OFF */

/* ---- off: the same lists; no symbol, no variable, no section  src/bursty/off.h ---- */

#define BURSTY_P_UNSEEN(value_) ((void)sizeof(BURSTY_P_TO(uintptr_t, value_)))
/* As a statement it warns nowhere; clang must not see that it is always 0. */
#if defined(BURSTY_P_GNU) && !defined(__cplusplus) && !defined(__clang__)
#define BURST_CHECK() __extension__({ 0; })
#else
BURSTY_API int bursty_p_unchecked(void) { return 0; }
#define BURST_CHECK() bursty_p_unchecked()
#endif
#define BURST_POINT(class_, name_, value_) BURSTY_P_UNSEEN(value_)
#define BURST_ENTRY() do { } while (0)
#define BURST_LOOP() do { } while (0)
#define BURST_SCOPE(name_) enum { BURSTY_P_CAT(bursty_p_scope_, BURSTY_P_UNIQUE) }
#define BURST_LEAVE() do { } while (0)
#define BURST_DUAL(ret_, name_, params_, args_) ret_ name_ params_; ret_ name_ params_
#define BURST_DUAL_LEAF(ret_, name_, params_, args_) ret_ name_ params_; ret_ name_ params_
#define BURST_SAME(name_, args_) (name_ args_)
#define BURST_BODY(...) { __VA_ARGS__ }
#define BURST_FOR(T_, i_, lo_, hi_, ...) \
    { \
        T_ i_ = (lo_); \
        const T_ bursty_p_dual_hi_##i_ = (hi_); \
        for (; i_ < bursty_p_dual_hi_##i_; i_++) { __VA_ARGS__ } \
    }
#define BURST_FOR_LEAF(T_, i_, lo_, hi_, ...) BURST_FOR(T_, i_, lo_, hi_, __VA_ARGS__)
#define BURST_REF(class_, p_) do { BURSTY_P_UNSEEN(p_); } while (0)
#define BURST_IF_RECORDING(...) do { if (0) { __VA_ARGS__; } } while (0)

#endif /* BURSTY_OFF */
#endif /* BURSTY_H */

#if defined(BURSTY_IMPLEMENTATION) && !defined(BURSTY_OFF) && !defined(BURSTY_IMPLEMENTED)
#define BURSTY_IMPLEMENTED
#if defined(__cplusplus) && defined(BURSTY_P_GNU)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wold-style-cast"
#endif
#ifdef __cplusplus
extern "C" {
#endif

/* ---- basics ------------------------------------- src/bursty/basics.c ---- */

#ifndef BURSTY_STATIC
BURSTY_P_TLS bursty_here BURSTY_P_HERE;
#ifdef BURSTY_POLL
uint8_t bursty_p_open;
#endif
#endif

/* The word while the slow path runs: checks of actions and handlers count it
   down. */
#define BURSTY_P_BUSY UINT32_C(0x40000000)

#ifndef BURSTY_TINY

#ifndef BURSTY_PROFILES
#define BURSTY_PROFILES 8
#endif
#if BURSTY_PROFILES < 1 || BURSTY_PROFILES > 32
#error "BURSTY_PROFILES is a number from 1 to 32"
#endif
#ifndef BURSTY_MEMORY
#ifdef BURSTY_BARE
#define BURSTY_MEMORY 98304
#else
#define BURSTY_MEMORY 1048576
#endif
#endif

#ifndef BURSTY_BARE
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#if defined(__unix__) || defined(__APPLE__)
#include <sys/stat.h>
#include <unistd.h>
#endif
#define BURSTY_P_DRAWS_SEED
#if (defined(__unix__) || defined(__APPLE__)) && !defined(BURSTY_NO_TLS)
#define BURSTY_P_POSIX
#include <pthread.h>
#ifdef __APPLE__
#include <mach/mach.h>
#include <signal.h>
#endif
#endif
#if defined(__linux__) && defined(BURSTY_P_POSIX)
#include <signal.h>
#include <sys/syscall.h>
#if defined(SYS_clock_gettime)
#define BURSTY_P_CLOCK
#endif
#if defined(SA_RESTART) && defined(SA_SIGINFO) && defined(SIGRTMAX) && \
    defined(SYS_timer_settime) && defined(BURSTY_P_CLOCK) && BURSTY_STACK > 0 && \
    !defined(BURSTY_NO_TIMERS)
#define BURSTY_P_TIMERS
#endif
#endif
#endif

/* In a bare build ticks are opt-in: they take 2 kB of flash. */
#if !defined(BURSTY_BARE) || defined(BURSTY_TICKS)
#define BURSTY_P_TICKS 1
#else
#define BURSTY_P_TICKS 0
#endif

/* And so are their moments. */
#if BURSTY_P_TICKS && (!defined(BURSTY_BARE) || defined(BURSTY_TIMELINE))
#define BURSTY_P_AXIS
#endif

#ifndef BURSTY_FRAMES
#ifdef BURSTY_BARE
#define BURSTY_FRAMES 0
#else
#define BURSTY_FRAMES 8
#endif
#endif
#if BURSTY_FRAMES < 0 || BURSTY_FRAMES > 64
#error "BURSTY_FRAMES is a number from 0 to 64"
#endif
#if BURSTY_FRAMES > 0 && !BURSTY_P_TICKS
#error "in a bare build BURSTY_FRAMES needs BURSTY_TICKS"
#endif

/* Where a thread of this header can look at the others. */
#if BURSTY_STACK > 0 && !defined(BURSTY_NO_TLS) && !defined(BURSTY_BARE)
#if defined(_WIN32)
#define BURSTY_P_WATCHER
#elif defined(BURSTY_P_POSIX) && defined(SIG_SETMASK) && \
    (defined(__APPLE__) || (defined(__linux__) && defined(BURSTY_P_CLOCK) && defined(SYS_futex)))
#define BURSTY_P_WATCHER
#endif
#endif
/* Where such a thread can send the others a tick. */
#if defined(BURSTY_P_WATCHER) && defined(BURSTY_P_TIMERS) && defined(SYS_tgkill) && defined(SIGURG)
#define BURSTY_P_TICKER
#endif

#if defined(BURSTY_BARE) && defined(__OPTIMIZE_SIZE__)
#define BURSTY_P_STEP static inline BURSTY_P_KEEP_SLOW /* the compiler knows where it saves bytes */
#else
#define BURSTY_P_STEP BURSTY_P_INLINE BURSTY_P_KEEP_SLOW
#endif
#define BURSTY_P_SLOW static BURSTY_P_KEEP_SLOW

/* ---- clocks -------------------------------------- src/bursty/clock.c ---- */

/* CPU time of the process and of the calling thread, 0 where there is none. On
   Linux the system call is made directly: strict modes of the C library hide
   clock_gettime, and a signal handler may call this. */
#ifdef BURSTY_P_CLOCK
#include <sys/auxv.h>
#define BURSTY_P_ASKS_LINUX
extern long syscall(long number, ...);
static uint64_t bursty_p_read_ns(int clock) {
    struct { long s, ns; } now = { 0, 0 };
    if (syscall(SYS_clock_gettime, (long)clock, &now) != 0) return 0;
    return (uint64_t)now.s * 1000000000 + (uint64_t)now.ns;
}
enum { BURSTY_P_PROCESS_CPU = 2, BURSTY_P_THREAD_CPU = 3 }; /* the kernel's numbers */
#elif defined(BURSTY_P_POSIX) && defined(CLOCK_THREAD_CPUTIME_ID)
#define BURSTY_P_CLOCK
static uint64_t bursty_p_read_ns(clockid_t clock) {
    struct timespec now;
    if (clock_gettime(clock, &now) != 0) return 0;
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}
#define BURSTY_P_PROCESS_CPU CLOCK_PROCESS_CPUTIME_ID
#define BURSTY_P_THREAD_CPU CLOCK_THREAD_CPUTIME_ID
#endif

static uint64_t bursty_p_thread_ns(void *user) {
    (void)user;
#ifdef BURSTY_P_CLOCK
    return bursty_p_read_ns(BURSTY_P_THREAD_CPU);
#else
    return 0;
#endif
}

#if defined(_WIN32) && defined(BURSTY_P_WATCHER)
static uint64_t bursty_p_cpu_us(void); /* watcher_system.c */
#elif defined(BURSTY_P_TIMERS) || (defined(BURSTY_P_WATCHER) && defined(BURSTY_P_CLOCK))
static uint64_t bursty_p_cpu_us(void) { return bursty_p_read_ns(BURSTY_P_PROCESS_CPU) / 1000; }
#elif !defined(BURSTY_BARE) || defined(BURSTY_TICKS)
static uint64_t bursty_p_cpu_us(void) { return 0; }
#endif

#if BURSTY_P_TICKS

/* ---- counters that saturate -------------------------- src/saturate.c ---- */

static uint64_t bursty_p_sat_add(uint64_t a, uint64_t b) {
    return a + b < a ? UINT64_MAX : a + b;
}

#endif

/* ---- writing a .brst part -------------------------------- src/part.c ---- */

/* CRC-32 (IEEE 802.3, reflected), four bits at a time. */
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

/* Writes a part of a .brst file (docs/formats.md): header, chunks, end. */
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

/* ---- chance -------------------------------------------- src/chance.c ---- */

BURSTY_P_SLOW uint32_t bursty_p_mix(uint32_t h, uint32_t v) {
    h = (h ^ v) * UINT32_C(0x9E3779B1);
    return h ^ h >> 15;
}

/* The state for thread `number` of a process with this seed. A number is given
   again when a thread has ended: `again` says how often it was. */
BURSTY_P_SLOW uint32_t bursty_p_state_of(uint32_t seed, uint32_t number, uint32_t again) {
    uint32_t h = bursty_p_mix(bursty_p_mix(seed + 1, number + 1), again);
    return h ? h : 1;
}

/* A random number below limit. xorshift: *state is never 0. */
BURSTY_P_SLOW uint32_t bursty_p_below(uint32_t *state, uint32_t limit) {
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return (uint32_t)((uint64_t)*state * limit >> 32);
}

BURSTY_P_SLOW uint32_t bursty_p_spread(uint32_t gap, uint32_t percent) {
    uint32_t spread = (uint32_t)((uint64_t)gap * percent / 100);
    return spread < gap ? spread : gap - 1; /* no gap is 0 */
}

/* The checks to the next burst, drawn evenly from gap - j to gap + j, where j
   is so many percent of gap. */
BURSTY_P_SLOW uint32_t bursty_p_draw_gap(uint32_t *state, uint32_t gap, uint32_t percent) {
    uint32_t spread = bursty_p_spread(gap, percent);
    return spread ? gap - spread + bursty_p_below(state, 2 * spread + 1) : gap;
}

/* Where a sample begins. Every check must have the same chance to lie in a
   burst, that is I / (C + I), be it the first one of a thread or the last. So a
   thread begins as if it had been running for ever, at an even place v of a
   period, and the longer a period is the likelier it is met:

       | burst, I |     gap, drawn as above    |             longest |
       | . . . . . . . . . v                   |                     |
                           <------ left ------>        v here: draw both again

   Returns the checks that are left of the burst or of the gap. All three are at
   most 2^30. */
BURSTY_P_SLOW uint32_t bursty_p_begin(uint32_t *state, uint32_t gap, uint32_t percent, uint32_t burst,
                                  uint32_t *in_burst) {
    uint32_t longest = burst + gap + bursty_p_spread(gap, percent), period, place;
    do {
        period = burst + bursty_p_draw_gap(state, gap, percent);
        place = bursty_p_below(state, longest);
    } while (place >= period);
    *in_burst = place < burst;
    return *in_burst ? burst - place : period - place;
}

/* ---- a seed for this process ----------------------------- src/seed.c ---- */

/* Seed 0 draws one for the process, for runs that have one seed are one sample,
   however many they are. It is written into the dump (docs/formats.md, kind
   24): given as a seed it makes the same sample again. Where there is no
   operating system nothing is drawn, and the dump says that none was given. */
enum { BURSTY_P_NO_SEED, BURSTY_P_SEED_GIVEN, BURSTY_P_SEED_DRAWN };

#ifdef BURSTY_P_DRAWS_SEED
#ifdef _WIN32
__declspec(dllimport) unsigned long __stdcall GetCurrentProcessId(void);
#endif
BURSTY_P_SLOW uint32_t bursty_p_process(void) {
#if defined(_WIN32)
    return (uint32_t)GetCurrentProcessId();
#elif defined(__unix__) || defined(__APPLE__)
    return (uint32_t)getpid();
#else
    return 0;
#endif
}

BURSTY_P_SLOW uint32_t bursty_p_draw_seed(void) {
    uint32_t seed = 0;
    uintptr_t place = (uintptr_t)&seed; /* where the system puts a stack */
#ifdef BURSTY_P_ASKS_LINUX
    struct { long s, ns; } now = { 0, 0 };
    const unsigned char *random = (const unsigned char *)(uintptr_t)getauxval(AT_RANDOM);
    int i;
    for (i = 0; random && i < 16; i++) seed = bursty_p_mix(seed, random[i]);
    (void)syscall(SYS_clock_gettime, 0L, &now);
    seed = bursty_p_mix(bursty_p_mix(seed, (uint32_t)now.s), (uint32_t)now.ns);
#else
    seed = bursty_p_mix(bursty_p_mix(seed, (uint32_t)time(NULL)), (uint32_t)clock());
#endif
    seed = bursty_p_mix(bursty_p_mix(seed, bursty_p_process()), (uint32_t)place);
    return seed ? seed : 1;
}
#endif

/* ---- which sample this is ------------------------------ src/sample.c ---- */

/* What tells this build from others: of an ELF image the checksum of its first
   bytes, where headers and the build-id are; else 0. */
BURSTY_P_SLOW uint32_t bursty_p_build_of(const unsigned char *image) {
    static const unsigned char magic[4] = { 0x7f, 'E', 'L', 'F' };
    uint32_t i;
    for (i = 0; image && i < 4; i++) {
        if (image[i] != magic[i]) return 0;
    }
    return image ? bursty_p_crc32(0, image, 1024) : 0; /* a page of it is there */
}

/* again: how often the process has begun to count anew. */
BURSTY_P_SLOW int bursty_p_write_sample(const uint32_t *seed_how_again, uint32_t build, const char *program,
                               int (*write)(void *user, const void *data, size_t size),
                               void *user) {
    bursty_p_out out;
    size_t length = 0;
    uint32_t i;
    while (program && program[length]) length++;
    bursty_p_put_begin(&out, 24, write, user);
    bursty_p_put_varint(&out, 1);
    for (i = 0; i < 3; i++) bursty_p_put_varint(&out, seed_how_again[i]);
    bursty_p_put_varint(&out, build);
    bursty_p_put_varint(&out, length);
    bursty_p_put(&out, program, length);
    return bursty_p_put_end(&out);
}

/* ---- what threads share ------------------------- src/bursty/shared.c ---- */

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
#elif defined(BURSTY_P_MSVC) /* x86: plain loads acquire and plain stores release */
#include <intrin.h>
#define BURSTY_P_GET(p) (_ReadWriteBarrier(), *(p))
#define BURSTY_P_PUT(p, v) ((void)(*(p) = (v)), _ReadWriteBarrier())
#define BURSTY_P_ACQUIRE(p) BURSTY_P_GET(p)
#define BURSTY_P_RELEASE(p, v) (_ReadWriteBarrier(), BURSTY_P_PUT(p, v))
#define BURSTY_P_FENCE() _ReadWriteBarrier()
#define BURSTY_P_ADD(p, v) ((uint32_t)_InterlockedExchangeAdd((volatile long *)(p), (long)(v)))
#define BURSTY_P_MOST 65535
BURSTY_P_STEP int bursty_p_cas(uint32_t *p, uint32_t old, uint32_t v) {
    return (uint32_t)_InterlockedCompareExchange((volatile long *)p, (long)v, (long)old) == old;
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

/* A count has one writer, its thread, and any reader. A 32-bit machine without
   64-bit atomics may read one that is 2^32 off, in the moment in which it
   passes a multiple of 2^32. */
#if !defined(BURSTY_NO_TLS) && defined(BURSTY_P_GNU) && __GCC_ATOMIC_LLONG_LOCK_FREE == 2
typedef uint64_t bursty_p_count __attribute__((aligned(8)));
#define BURSTY_P_READ(c) BURSTY_P_GET(c)
#define BURSTY_P_STORE(c, v) BURSTY_P_PUT(c, v)
#else
typedef uint64_t bursty_p_count;
#define BURSTY_P_READ(c) (*(const volatile bursty_p_count *)(c))
#define BURSTY_P_STORE(c, v) ((void)(*(volatile bursty_p_count *)(c) = (v)))
#endif

BURSTY_P_STEP void bursty_p_count_up(bursty_p_count *c, uint64_t v) {
    if (BURSTY_P_KEEP_ADDS(c, v)) return;
    uint64_t sum = BURSTY_P_READ(c) + v;
    BURSTY_P_STORE(c, sum < v ? UINT64_MAX : sum);
}

BURSTY_P_INLINE void bursty_p_sum(uint64_t *sum, const bursty_p_count *c) {
    uint64_t more = BURSTY_P_READ(c);
    *sum = *sum + more < more ? UINT64_MAX : *sum + more;
}

/* ---- memory ------------------------------------- src/bursty/memory.c ---- */

/* | thread 0 | thread 1 | ... | path 0 | ... | its index | row 0 | row 1 | ... | index |

   A quarter of the memory is thread records; an eighth, if something ticks, the
   table of paths; at most a quarter, if config.timeline asks for it, the axis of
   time (axis.c); the rest is the hot table. Threads are numbered in the order
   in which they register. A later thread may take over the record of one that
   has ended. Static memory begins as zeros and is zeroed again only as far as
   it was used, so pages that nobody needs are never touched. */
enum { BURSTY_P_FREE, BURSTY_P_USED, BURSTY_P_ENDED };
#define BURSTY_P_UNSTARTED 1000u       /* checks until a thread asks again if there was a start  */
#define BURSTY_P_SPAN UINT32_C(65536)  /* the longest wait until a thread looks at new settings */
#define BURSTY_P_EVER UINT64_MAX       /* `left` of a profile whose phase never ends            */
#if defined(BURSTY_NO_TLS) || defined(BURSTY_P_SHARED)
#define BURSTY_P_RECENT 32u  /* rows; a shared object that is loaded late has little room in TLS */
#else
#define BURSTY_P_RECENT 256u
#endif
enum { BURSTY_P_SUMS = 8, BURSTY_P_CLASSES = 7, BURSTY_P_ALL_SUMMED = 1024, BURSTY_P_ONE_OF = 8 };
typedef struct bursty_p_row {
    const bursty_site *site, *caller;
    struct bursty_p_row *touched;      /* see bursty_p_fold, and the five sums that end with xy */
    bursty_p_count sum[BURSTY_P_SUMS]; /* count, weight, ticks, bursts, first, yy, ys, xy       */
    uint32_t start;                    /* with start_high: of the weight, modulo 2^40           */
    uint16_t thread;
    uint8_t start_high, class_number;  /* bit of the class; 6: of several, or of none           */
} bursty_p_row;

/* One profile on one thread. Its phases are gap, burst, gap, burst, ... */
typedef struct bursty_p_sampler {
    bursty_profile set;
    uint64_t left;            /* checks until the phase ends                 */
    uint32_t stamp;           /* of the settings in `set`                    */
    uint32_t in_burst;
    uint32_t number;          /* of the burst                                */
    uint32_t awake_left;      /* bursts until hibernation                    */
    uint32_t gap;             /* the mean length of gaps                     */
    uint32_t weight_256, times, chosen;         /* see bursty_p_number       */
    uint32_t began;           /* checks of the thread before the burst       */
    uint64_t memory[4];       /* of the action                               */
} bursty_p_sampler;

#ifdef BURSTY_BARE
#define BURSTY_P_NAME 16
#else
#define BURSTY_P_NAME 32
#endif
typedef struct bursty_p_thread {
    uint32_t state, number, reuses, paths; /* paths: rows of the table of paths */
    uint32_t timer;           /* 1 + its id, or 0 */
#ifdef BURSTY_P_WATCHER
    uint32_t watched, system; /* see watcher.c: may it look; what the system calls the thread */
    uint32_t pending;         /* the row of a look that is not charged yet, or 0 */
    uint32_t found;           /* what that look found: running, waiting, ready or unknown */
    uint32_t asks;            /* what the system calls a thread that it is to be asked about, or 0 */
    uint32_t seen;            /* the row of the last look, or 0 */
    const bursty_here *here;
    const volatile uint32_t *processor; /* where it ran last; NULL: not known */
    int64_t unpaid_ns;        /* its CPU time less what looks have paid for; see watcher.c */
    uint64_t ran_ns;          /* the thread's CPU time at the last look, or as far as it is paid */
    uint32_t waits_in;        /* axis.c: the row that it waits in, or 0 */
    uint32_t woke;            /* its CPU time has moved since the look before */
    bursty_p_count waits_from, looked_at; /* us; looked_at 0: not yet */
#endif
#ifdef BURSTY_P_TICKER
    uint32_t owed;            /* ticks whose signal is on its way; see watcher.c */
    uint32_t carried;         /* ticks that go with the next signal */
#endif
    char name[BURSTY_P_NAME];
    bursty_p_count checks, burst_checks, lost, bursts[BURSTY_PROFILES], events[BURSTY_PROFILES];
    bursty_p_count class_sum[2 * BURSTY_P_CLASSES]; /* bursts, xx, bursts, xx, ...    */
    bursty_p_count begins[BURSTY_PROFILES];         /* how often the profile began anew */
    uint32_t random;          /* from here on zero when a thread registers   */
    uint32_t in_slow;         /* 1: delivering an event; 2: at a look        */
    uint32_t kept;            /* the word to go on with after the event      */
    uint32_t span;            /* checks from the last look to the next       */
    uint32_t counted;         /* of those that have passed: in `checks` before */
    uint32_t live;            /* profiles in a burst                         */
    uint32_t generation;      /* of the settings that were taken over        */
    uint32_t until_new;       /* checks until it asks for new ones           */
    uint32_t opening;         /* of bursty_poll                              */
    uint32_t active, framed, acting; /* that run, get BEGIN or END, have an action */
    uint32_t same_settings, plain; /* keep.c: a look leaves new ones alone; see there */
    uint64_t phase_checks, factor, factor_used, pace[4]; /* see bursty_p_pace */
    uint32_t gap; /* profiles whose burst misses events since its last one */
    bursty_p_sampler sampler[BURSTY_PROFILES];
} bursty_p_thread;

static struct {
    bursty_config config;
    uint32_t epoch, opening, lost_threads;
    uint32_t seed_is, cleared;   /* BURSTY_P_SEED_...; how often it was cleared since the start */
    uint32_t forks, forks_known; /* of this process, counted before and behind each */
    uint32_t generation; /* of the published settings, see there */
    uint32_t budget;     /* config.budget_ppm, if there is a clock */
    int32_t no_time;     /* BURSTY_NO_TIME_... */
    bursty_companion companion;
    bursty_p_thread *threads;
    uint32_t thread_room, thread_count;
    bursty_p_row *rows;
    uint32_t *index;
    uint32_t row_room, row_count, index_mask;
} bursty_p_all;

static BURSTY_P_TLS struct {
    bursty_p_thread *thread;
    uint32_t epoch, ended, summing; /* summing: profiles in a burst with sums */
    uint32_t marked; /* the last burst gave a mark, and its sums wait for what follows (since.c) */
    bursty_p_count *only;      /* events, if one profile is in a burst and counts all classes */
    uint32_t weight_256, room; /* of these, and checks of the burst, or 0                     */
    bursty_p_row *touched, *recent[BURSTY_P_RECENT]; /* bursty_p_fold, BURSTY_P_PLACE         */
#if BURSTY_FRAMES > 0
    struct bursty_p_framed *framed; /* its frames, from its first one on */
#endif
} bursty_p_mine;

static const bursty_site bursty_p_burst_site = { "(burst)", "", 0, BURSTY_BEGIN };
#if BURSTY_STACK > 0 || BURSTY_P_TICKS
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

/* How many slots an index needs for rows of so many bytes that share `bytes`
   with it: a power of 2, at most a quarter of the memory. *rows becomes the
   number of rows: at most 3/4 of the slots. So a search always ends, at an
   empty slot. */
static size_t bursty_p_divide(size_t bytes, size_t row_bytes, size_t *rows) {
    size_t slots = 1;
    while (slots < bytes / (row_bytes + 4) && slots < (size_t)1 << 28) slots *= 2;
    while (slots > 1 && slots * 4 > bytes / 4) slots /= 2;
    *rows = (bytes - slots * 4) / row_bytes;
    if (*rows > slots - slots / 4) *rows = slots - slots / 4;
    return slots;
}

/* ---- settings --------------------------------- src/bursty/settings.c ---- */

/*  generation ---> | version | buffer |
                                |
    buffer 0   buffer 1   buffer 2   ...      each: a stamp, and all profiles
    (free)     (written)  (published)

   All settings are one value, which is never changed where it stands. A writer
   copies the published buffer, changes its copy, puts it into a free buffer and
   publishes that one by a compare-and-swap of `generation`. If somebody else has
   published in between, it begins again. So bursty_set_profile may be called by
   a signal handler that interrupts bursty_set_profile, or a reader, at any
   instruction: nobody waits for anybody.

   A reader copies a buffer and then looks at its stamp, which is the generation
   under which the buffer was published, or 0 while somebody writes it. If the
   stamp is another one, the buffer was used again, so something newer has been
   published: it reads that. Each word is released and acquired: whoever has read
   a word of a later writer also reads what that writer made of the stamp before.
   (Fences would do too, but ThreadSanitizer does not know them.)

   Invariant: the published buffer is whole; `busy` belongs to one writer, who
   checks after taking it that the buffer is not the published one. Versions
   never come back within 2^29 changes. Cost: 500 bytes are copied for a change,
   and by each thread when it takes it over. */
typedef struct bursty_p_slot {
    bursty_profile set;
    uint32_t stamp, used;
} bursty_p_slot;

typedef struct bursty_p_settings {
    bursty_p_slot slot[BURSTY_PROFILES];
    uint32_t paused;
} bursty_p_settings;

enum { BURSTY_P_WORDS = (sizeof(bursty_p_settings) + 3) / 4 };
#ifdef BURSTY_NO_TLS
enum { BURSTY_P_BUFFERS = 1 }; /* one context: changed where it stands */
#else
enum { BURSTY_P_BUFFERS = 8 };
#endif

static struct {
    uint32_t stamp, busy, word[BURSTY_P_WORDS];
} bursty_p_buffer[BURSTY_P_BUFFERS];

/* Copies the published settings. Returns their generation. */
static uint32_t bursty_p_read_settings(bursty_p_settings *out) {
    uint32_t word[BURSTY_P_WORDS], generation, at, i;
    unsigned char *to = (unsigned char *)out;
    const unsigned char *from = (const unsigned char *)word;
    do {
        generation = BURSTY_P_ACQUIRE(&bursty_p_all.generation);
        at = generation % BURSTY_P_BUFFERS;
        for (i = 0; i < BURSTY_P_WORDS; i++) word[i] = BURSTY_P_ACQUIRE(&bursty_p_buffer[at].word[i]);
    } while (BURSTY_P_GET(&bursty_p_buffer[at].stamp) != generation);
    for (i = 0; i < sizeof *out; i++) to[i] = from[i];
    return generation;
}

/* The settings of this stamp go into a buffer that this caller holds. */
static void bursty_p_fill(uint32_t at, const bursty_p_settings *settings, uint32_t stamp) {
    uint32_t word[BURSTY_P_WORDS], i;
    unsigned char *to = (unsigned char *)word;
    const unsigned char *from = (const unsigned char *)settings;
    word[BURSTY_P_WORDS - 1] = 0;
    for (i = 0; i < sizeof *settings; i++) to[i] = from[i];
    BURSTY_P_PUT(&bursty_p_buffer[at].stamp, 0);
    for (i = 0; i < BURSTY_P_WORDS; i++) BURSTY_P_RELEASE(&bursty_p_buffer[at].word[i], word[i]);
    BURSTY_P_RELEASE(&bursty_p_buffer[at].stamp, stamp);
}

/* Publishes settings that were made of those of generation `old`. Returns 0 if
   others have come in between, or if all buffers are busy for the moment. */
static int bursty_p_publish(const bursty_p_settings *settings, uint32_t old) {
#ifdef BURSTY_NO_TLS
    uint32_t next = old + 1 ? old + 1 : 1;
    bursty_p_fill(0, settings, next);
    bursty_p_all.generation = next;
    return 1;
#else
    uint32_t at = old % BURSTY_P_BUFFERS, next, tries;
    int done;
    for (tries = 1; tries < BURSTY_P_BUFFERS; tries++) {
        at = (at + 1) % BURSTY_P_BUFFERS;
        if (!bursty_p_cas(&bursty_p_buffer[at].busy, 0, 1)) continue;
        if (BURSTY_P_ACQUIRE(&bursty_p_all.generation) == old) break;
        BURSTY_P_RELEASE(&bursty_p_buffer[at].busy, 0);
        return 0;
    }
    if (tries == BURSTY_P_BUFFERS) return 0;
    next = (old / BURSTY_P_BUFFERS + 1) * BURSTY_P_BUFFERS;
    if (next == 0) next = BURSTY_P_BUFFERS; /* 0 is no generation */
    next += at;
    bursty_p_fill(at, settings, next);
    done = bursty_p_cas(&bursty_p_all.generation, old, next);
    BURSTY_P_RELEASE(&bursty_p_buffer[at].busy, 0);
    return done;
#endif
}

/* ---- the hot table ------------------------------- src/bursty/table.c ---- */

/* index   | 0 | 3 | 0 | 1 | 2 | 0 | ...       open addressing; holds a row's number + 1, or 0
                 |       |   |
   rows    | (main, a, thread 0) | (a, b, thread 0) | (main, a, thread 1) | free ...

   A row is the count of one pair (caller, site) of one thread. Rows are claimed
   in the order of first sight, so that a dump does not depend on addresses.
   Claiming is a compare-and-swap that raises row_count by 1, up to row_room;
   publishing is a compare-and-swap of the slot. Invariant: a row is written by
   its thread alone, a slot changes once, and a row in the index never moves. So
   nobody waits, and a search needs no lock: a row that another thread has put
   into the slot meanwhile is a different one, and the search goes on. Cost: one
   or two probes (3/4 full). */
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

/* The thread's row for (caller, site), made at first sight; NULL if the table
   is full. */
BURSTY_P_SLOW bursty_p_row *bursty_p_row_of(bursty_p_thread *t, const bursty_site *site,
                                            const bursty_site *caller) {
    uint32_t h = bursty_p_mix((uint32_t)((uintptr_t)site >> 3), (uint32_t)((uintptr_t)caller >> 3));
    bursty_p_row *fresh = NULL, *row = bursty_p_recall(site, caller);
    uint8_t k = 0;
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
        uint64_t start = BURSTY_P_READ(&row->sum[1]);
        row->start = (uint32_t)start;
        row->start_high = (uint8_t)(start >> 32);
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

/* ---- sums for intervals --------------------------- src/bursty/sums.c ---- */

/* How far a share may be off follows from how it differs between bursts
   (docs/formats.md). In a burst let y be the weight of a row, s of all rows of
   its site, x of all rows of its class. A row keeps the sums of yy, ys and xy
   over the bursts that have ended, how many saw it, and in how many it was the
   first row of its site; a thread has xx and a number of bursts for each class.

       touched --> row --> row --> row, which points at itself

   A row's first event in a burst puts it into this list, with its weight at the
   start. At the end the list is divided into 16 by site, and goes into the
   sums. A thread sums its first 1024 bursts of a profile, and then a random one
   of each 8. What that adds counts 8 times, but it is one burst that saw the
   row. A burst that ends costs 140 instructions a row, and one for two of a
   part. */

/* Numbers the burst that begins, and says how often its sums count. A thread
   that takes a record over in the middle of 8 draws, too, so that each burst
   has the same chance. */
BURSTY_P_STEP void bursty_p_number(bursty_p_thread *t, bursty_p_sampler *s, uint32_t p) {
    uint64_t before = BURSTY_P_READ(&t->bursts[p]);
    uint32_t at = (uint32_t)before % BURSTY_P_ONE_OF + 1, later = before >= BURSTY_P_ALL_SUMMED;
    s->number++;
    s->began = (uint32_t)BURSTY_P_READ(&t->checks);
    bursty_p_count_up(&t->bursts[p], 1);
    if (later && (at == 1 || !s->chosen)) s->chosen = bursty_p_below(&t->random, BURSTY_P_ONE_OF) + 1;
    s->times = !later ? 1 : at == s->chosen ? BURSTY_P_ONE_OF : 0;
    if (s->set.action || s->set.every == BURSTY_ALWAYS) s->times = 0;
    if (s->times) bursty_p_mine.summing |= 1u << p;
}

BURSTY_P_SLOW void bursty_p_add_product(bursty_p_count *sum, uint64_t a, uint64_t b) {
    bursty_p_count_up(sum, a >= UINT32_MAX || b >= UINT32_MAX ? UINT64_MAX : a * b);
}

BURSTY_P_SLOW void bursty_p_fold(bursty_p_thread *t, const bursty_p_sampler *s) {
    bursty_p_row *row = bursty_p_mine.touched, *next, *other, *volatile list[16];
    volatile uint64_t x[BURSTY_P_CLASSES]; /* volatile: no call of memset */
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
            uint64_t y = BURSTY_P_READ(&row->sum[1]) & ((UINT64_C(1) << 40) - 1);
            uint64_t start = (uint64_t)row->start_high << 32 | row->start;
            y = ((y < start ? y : y - start) + 128) >> 8; /* <: bursty_clear */
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

/* ---- events ------------------------------------- src/bursty/events.c ---- */

/* The weight of an event that N - behind of the N places of a burst record
   (since.c). */
BURSTY_P_SLOW uint32_t bursty_p_weigh_behind(const bursty_p_sampler *s, uint32_t behind) {
    uint64_t left, weight;
    if (s->set.every == BURSTY_ALWAYS || behind >= s->set.burst) return s->weight_256;
    left = s->set.burst - behind;
    weight = ((uint64_t)s->weight_256 * s->set.burst + left / 2) / left;
    return weight > UINT32_MAX ? UINT32_MAX : (uint32_t)weight;
}

/* BURSTY_GAP, to those of the profiles in mask that ask for it. A handler that
   interrupts may set bits meanwhile. */
BURSTY_P_SLOW void bursty_p_tell_gap(bursty_p_thread *t, uint32_t mask, const bursty_event *next) {
    uint32_t p;
    bursty_event event = *next;
    event.site = &bursty_p_burst_site;
    event.kind = BURSTY_GAP;
    event.value = 0;
    t->gap &= ~mask;
    for (p = 0; p < BURSTY_PROFILES && mask >> p; p++) {
        bursty_p_sampler *s = &t->sampler[p];
        if (!(mask >> p & 1) || !(s->set.classes & BURSTY_GAP) || !s->set.action) continue;
        event.burst = s->number;
        event.weight_256 = s->weight_256;
        event.memory = s->memory;
        s->set.action(s->set.user, &event);
    }
}

/* Sends one event to every profile in mask whose classes take it. behind: see
   since.c; for others 0. */
BURSTY_P_SLOW void bursty_p_send_behind(bursty_p_thread *t, uint32_t mask, const bursty_site *site,
                                        uintptr_t value, uint32_t kind, uint32_t behind) {
    uint32_t p;
    bursty_event event = { site, value, kind, BURSTY_P_HERE.depth, 0, 0, 0, NULL, NULL };
    event.thread = t->number;
#if BURSTY_STACK > 0
    event.stack = BURSTY_P_HERE.stack;
#endif
    if (t->gap & mask) bursty_p_tell_gap(t, t->gap & mask, &event);
    for (p = 0; p < BURSTY_PROFILES && mask >> p; p++) {
        bursty_p_sampler *s = &t->sampler[p];
        if (!(mask >> p & 1) || !(s->set.classes & kind)) continue;
        event.burst = s->number;
        event.weight_256 = behind ? bursty_p_weigh_behind(s, behind) : s->weight_256;
        event.memory = s->memory;
        bursty_p_count_up(&t->events[p], 1);
        if (s->set.action) s->set.action(s->set.user, &event);
        else bursty_p_tally(t, site, kind, event.weight_256);
    }
}

BURSTY_P_SLOW void bursty_p_send(bursty_p_thread *t, uint32_t mask, const bursty_site *site,
                                 uintptr_t value, uint32_t kind) {
    bursty_p_send_behind(t, mask, site, value, kind, 0);
}

/* Adds what the bursts of the profiles in mask have counted to the sums. */
BURSTY_P_SLOW void bursty_p_fold_all(bursty_p_thread *t, uint32_t mask) {
    uint32_t p;
    for (p = 0; p < BURSTY_PROFILES && mask >> p; p++) {
        if ((mask >> p & 1) && !t->sampler[p].set.action) bursty_p_fold(t, &t->sampler[p]);
    }
}

/* Ends the bursts of the profiles in mask. The sums of one that gave a mark wait
   for bursty_p_settle. */
BURSTY_P_SLOW void bursty_p_end(bursty_p_thread *t, uint32_t mask) {
    bursty_p_mine.only = NULL;
    bursty_p_mine.room = 0;
    if (mask & t->framed) bursty_p_send(t, mask & t->framed, &bursty_p_burst_site, 0, BURSTY_END);
    t->live &= ~mask;
    if (bursty_p_mine.marked) return;
    if (bursty_p_mine.touched) bursty_p_fold_all(t, mask);
    bursty_p_mine.summing &= ~mask;
}

/* Before the next burst begins, or somebody reads: what the second copies have
   counted behind the last burst belongs to it. */
BURSTY_P_SLOW void bursty_p_settle(bursty_p_thread *t) {
    if (!bursty_p_mine.marked || t->live) return;
    bursty_p_mine.marked = 0;
    if (bursty_p_mine.touched) bursty_p_fold_all(t, t->active);
    bursty_p_mine.summing = 0;
}

/* ---- the budget --------------------------------- src/bursty/budget.c ---- */

/*      gap (C checks)          burst (I checks)           gap
   | plain: u per check | u + x per check, 2 clocks |  plain ...
   ^ since              ^ u is updated              ^ x is updated, then C

   u is the time per check between bursts, x what a check costs more in a burst, both as
   bursty_p_mean. One profile alone spends I x beside C u. Its share is the budget b
   when C = I (x / (b u) - 1). Several profiles share one factor f: each uses C f.
       f = (x / (b u) - 1) * sum of I / C        b = budget_ppm / 1 000 000
   In the code: memory is { 2^16 f, 256 u, 256 x, since }, most = 16 x / (b u), and shares = 2^20
   times the sum. The factor changes at most by 2 in one step. A phase in which the clock went back
   or jumped (by 2^48) is left out. */

static uint64_t bursty_p_clock_cost; /* of one reading */

/* A mean that moves by an eighth of the difference. A value above 4 times the
   mean counts as 4 times the mean, so that a preemption does little harm. */
static uint64_t bursty_p_mean(uint64_t mean, uint64_t value) {
    if (mean == 0) return value;
    if (value > 4 * mean) value = 4 * mean;
    return value > mean ? mean + (value - mean + 7) / 8 : mean - (mean - value) / 8;
}

static uint64_t bursty_p_clip(uint64_t value, uint64_t least, uint64_t most) {
    return value < least ? least : value > most ? most : value;
}

static int bursty_p_has_clock(const bursty_config *config) {
#ifdef BURSTY_P_CLOCK
    (void)config;
    return 1;
#else
    return config->clock != NULL;
#endif
}

static void bursty_p_begin_budget(const bursty_config *config) {
    bursty_config *own = &bursty_p_all.config;
    uint64_t a, b;
    int i;
    bursty_p_all.budget = config->budget_ppm;
    if (!config->clock) own->clock = bursty_p_thread_ns;
    bursty_p_clock_cost = UINT64_MAX;
    for (i = 0; i < 64 && bursty_p_all.budget; i++) { /* the least of 64 tries */
        a = own->clock(own->clock_user);
        b = own->clock(own->clock_user);
        if (b >= a && b - a < bursty_p_clock_cost) bursty_p_clock_cost = b - a;
    }
    if (bursty_p_clock_cost == UINT64_MAX) bursty_p_clock_cost = 0;
}

/* A phase of `checks` checks has ended, in which profiles were in a burst or
   none was; shares is 2^20 times the sum of I / C. Returns 2^16 times the
   factor for the gaps. */
static uint64_t bursty_p_budget(uint64_t memory[4], int was_burst, uint64_t checks,
                                uint64_t shares) {
    const bursty_config *config = &bursty_p_all.config;
    uint64_t now = config->clock(config->clock_user), elapsed = now - memory[3], goal, most;
    int first = memory[0] == 0;
    if (first) memory[0] = 65536;
    memory[3] = now;
    if (first || checks == 0 || elapsed >> 48) return memory[0];
    if (!was_burst) {
        memory[1] = bursty_p_mean(memory[1], elapsed * 256 / checks);
        return memory[0];
    }
    elapsed = elapsed * 256 + 512 * bursty_p_clock_cost;
    goal = checks * memory[1];
    memory[2] = bursty_p_mean(memory[2], elapsed > goal ? (elapsed - goal) / checks : 0);
    if (memory[1] == 0) return memory[0];
    most = UINT64_C(1) << 40;
    if (memory[2] < most) most = memory[2] * 1000000 / bursty_p_all.budget;
    most = bursty_p_clip(most * 16 / memory[1], 0, UINT64_C(1) << 32);
    shares = bursty_p_clip(shares, 0, UINT64_C(1) << 34);
    most -= most > 16 ? 16 : most; /* from here on 16 (x / (b u) - 1) */
    goal = (most >> 8) * shares + ((most & 255) * shares >> 8);
    goal = bursty_p_clip(goal, memory[0] / 2, 2 * memory[0]);
    return memory[0] = bursty_p_clip(goal, 16, UINT64_C(1) << 46);
}

/* ---- the schedule ----------------------------- src/bursty/schedule.c ---- */

/* word    4 | 3  2  1  0 | -1 -2 -3 | 4  3  2  1  0 | -1 ...     every C = 5, burst
               gap          burst      gap             burst      I = 3
           ^ look         ^ look     ^ look          ^ look
           in bursty_start, before the first check

   A thread looks at its schedule at the first check after a phase of any
   profile has ended. The look computes live (who is in a burst) and span: this
   check and the span - 1 checks after it get the same answer. It sets n = live
   ? 0 : span, and then this check takes its 1. Invariant: at the next look
   exactly span checks have passed, whether n came down from span or from 0. It
   is suspended while the slow path runs (the word is then some large number),
   and a look may come early, from bursty_set_profile for example; then fewer
   have passed: live ? -n : span - n.

   Every profile keeps the sequence that it would have alone: I checks in a
   burst, then a gap, and so on; span is the nearest end of a phase. The length
   of a gap is drawn evenly from C - j to C + j, where j is `jitter` percent of
   C, and is at least 1. A budget multiplies C by the thread's factor first.
   After every awake_count bursts, hibernate_count periods of C + I are added.
   Without jitter the first gap is C - 1, as in bursty-tracing Figure 3. With
   jitter a profile begins anywhere in its period (bursty_p_begin_anywhere), on a
   new thread and after each change.

   New settings are taken over when the caller asks (bursty_p_look_now), and on
   other threads at each 4096th check; so is what a budget has found out. Had they waited for a phase to end,
   profiles would begin anew only where bursts end or are due, and these would
   be missed.

   Cost: a look is O(profiles). There are two in C + I checks.

   With BURSTY_POLL the gap has no length: a look while bursty_p_open is 1
   begins a burst of every profile once in an opening, and the phase after it
   lasts until the next one. */
enum { BURSTY_P_ASKS = 4096 };
#if defined(BURSTY_NO_TLS) || defined(BURSTY_POLL) /* nobody else's settings, or no phases */
enum { BURSTY_P_ALONE = 1 };
#else
enum { BURSTY_P_ALONE = 0 };
#endif

BURSTY_P_SLOW uint32_t bursty_p_mean_gap(const bursty_p_thread *t, const bursty_p_sampler *s) {
    const uint64_t factor = t->factor_used;
    uint64_t gap = s->set.every;
    if (factor) {
        gap = gap >> 20 ? (gap * (factor >> 8)) >> 8 : gap * factor >> 16;
        if (gap < 100) gap = s->set.every < 100 ? s->set.every : 100;
        if (gap > BURSTY_P_BUSY) gap = BURSTY_P_BUSY;
    }
    return (uint32_t)gap;
}

BURSTY_P_SLOW uint32_t bursty_p_gap(bursty_p_thread *t, const bursty_p_sampler *s) {
    if (s->set.jitter <= 0) return s->gap;
    return bursty_p_draw_gap(&t->random, s->gap, (uint32_t)s->set.jitter);
}

/* How many events one of this burst stands for: (C + I) / I, and more with
   hibernation. */
BURSTY_P_SLOW uint32_t bursty_p_weigh(const bursty_p_sampler *s) {
    const bursty_profile *set = &s->set;
    uint64_t weight, periods = (uint64_t)set->awake_count + set->hibernate_count;
    if (set->every == BURSTY_ALWAYS || BURSTY_P_POLLS) return 256;
    weight = ((uint64_t)s->gap + set->burst) * 256 / set->burst;
    if (weight > UINT32_MAX) return UINT32_MAX;
    if (periods >> 31) periods = INT32_MAX;
    if (set->awake_count) weight = weight * periods / set->awake_count;
    return weight > UINT32_MAX ? UINT32_MAX : (uint32_t)weight;
}

BURSTY_P_SLOW void bursty_p_open_burst(bursty_p_sampler *s, uint64_t left) {
    s->in_burst = 1;
    s->left = left;
    s->weight_256 = bursty_p_weigh(s);
}

/* The gap that has begun is the last one before a hibernation. */
BURSTY_P_SLOW void bursty_p_hibernate(bursty_p_sampler *s) {
    s->awake_left = s->set.awake_count;
    s->left += (uint64_t)s->set.hibernate_count * ((uint64_t)s->gap + s->set.burst);
}

BURSTY_P_SLOW void bursty_p_next_phase(bursty_p_thread *t, bursty_p_sampler *s) {
    if (!s->in_burst) {
        bursty_p_open_burst(s, s->set.burst);
        return;
    }
    s->in_burst = 0;
    s->left = BURSTY_P_EVER;
    if (BURSTY_P_POLLS) return;
    s->left = bursty_p_gap(t, s);
    if (s->set.awake_count && --s->awake_left == 0) bursty_p_hibernate(s);
}

/* The first phase of a profile with jitter. Where it hibernates, the place is
   even in the whole cycle: awake_count bursts with their gaps, then the long
   gap. */
static void bursty_p_begin_anywhere(bursty_p_thread *t, bursty_p_sampler *s) {
    uint32_t awake = s->set.awake_count, asleep = awake ? s->set.hibernate_count : 0, period = 0;
    uint64_t mean = (uint64_t)s->gap + s->set.burst;
    if (asleep > UINT32_MAX - awake) asleep = UINT32_MAX - awake;
    if (awake) period = bursty_p_below(&t->random, awake + asleep);
    if (awake && period >= awake) {
        s->left = (period - awake) * mean + bursty_p_below(&t->random, (uint32_t)mean) + 1;
        return;
    }
    s->left = bursty_p_begin(&t->random, s->gap, (uint32_t)s->set.jitter, s->set.burst, &s->in_burst);
    s->awake_left = awake - period;
    if (awake && !s->in_burst && --s->awake_left == 0) bursty_p_hibernate(s);
}

/* A profile's first phase on a thread. */
static void bursty_p_first_phase(bursty_p_thread *t, bursty_p_sampler *s) {
    s->in_burst = 0;
    s->left = BURSTY_P_EVER;
    s->awake_left = s->set.awake_count;
    if (s->set.every == BURSTY_ALWAYS && !BURSTY_P_POLLS) bursty_p_open_burst(s, BURSTY_P_EVER);
    if (s->set.every == BURSTY_ALWAYS || BURSTY_P_POLLS) return;
    bursty_p_count_up(&t->begins[s - t->sampler], 1);
    s->gap = bursty_p_mean_gap(t, s);
    s->weight_256 = bursty_p_weigh(s);
    s->left = s->gap - 1;
    if (s->set.jitter > 0) bursty_p_begin_anywhere(t, s);
}

/* Takes over what bursty_set_profile changed. An action that gets the END of a
   changed profile may change another one, so the settings are read again behind
   it. */
static void bursty_p_take_settings(bursty_p_thread *t) {
    bursty_p_settings now;
    uint32_t ended = 0, p;
    if (t->same_settings) return;
    (void)bursty_p_read_settings(&now);
    for (p = 0; p < BURSTY_PROFILES; p++) {
        if (now.slot[p].stamp != t->sampler[p].stamp) ended |= 1u << p;
    }
    ended &= t->live;
    if (ended) bursty_p_end(t, ended);
    bursty_p_settle(t);
    t->generation = bursty_p_read_settings(&now);
    for (p = 0; p < BURSTY_PROFILES; p++) {
        bursty_p_sampler *s = &t->sampler[p];
        const bursty_p_slot *slot = &now.slot[p];
        uint32_t bit = 1u << p;
        if (slot->stamp == s->stamp) continue;
        if (t->live & bit) { /* changed again in between: at the next look */
            t->generation = 0;
            continue;
        }
        s->set = slot->set;
        s->stamp = slot->stamp;
        BURSTY_P_PUT(&t->active, t->active & ~bit); /* bursty_clear reads it */
        t->framed &= ~bit;
        t->acting &= ~bit;
        if (!slot->used || s->set.off || now.paused) continue;
        BURSTY_P_PUT(&t->active, t->active | bit);
        if (s->set.classes & (BURSTY_BEGIN | BURSTY_END)) t->framed |= bit;
        if (s->set.action) t->acting |= bit;
        bursty_p_zero(s->memory, sizeof s->memory);
        bursty_p_first_phase(t, s);
    }
    t->plain = BURSTY_P_KEEP_PLAIN(t);
}

/* A budget's new gaps begin as new settings do, at a check that has nothing to
   do with bursts. The factor never stands still, so a small change waits. */
static void bursty_p_take_factor(bursty_p_thread *t) {
    uint64_t used = t->factor_used ? t->factor_used : 65536;
    uint32_t paced = 0, p;
    if (t->factor > used - used / 8 && t->factor < used + used / 8) return;
    t->factor_used = t->factor;
    for (p = 0; p < BURSTY_PROFILES && t->active >> p; p++) {
        if (t->sampler[p].set.every != BURSTY_ALWAYS) paced |= t->active & 1u << p;
    }
    if (t->live & paced) bursty_p_end(t, t->live & paced);
    bursty_p_settle(t);
    for (p = 0; p < BURSTY_PROFILES && paced >> p; p++) {
        if (paced >> p & 1) bursty_p_first_phase(t, &t->sampler[p]);
    }
}

static void bursty_p_pace(bursty_p_thread *t, int was_burst) {
    uint64_t shares = 0;
    uint32_t p;
    for (p = 0; p < BURSTY_PROFILES; p++) {
        const bursty_profile *set = &t->sampler[p].set;
        if (!(t->active >> p & 1) || set->every == BURSTY_ALWAYS) continue;
        shares += ((uint64_t)set->burst << 20) / set->every;
    }
    t->factor = bursty_p_budget(t->pace, was_burst, t->phase_checks, shares);
    t->phase_checks = 0;
}

BURSTY_P_SLOW void bursty_p_go_live(bursty_p_thread *t, uint32_t live) {
    uint32_t was = t->live, begun = live & ~was, p;
    if (was & ~live) bursty_p_end(t, was & ~live);
    else bursty_p_settle(t);
    if (bursty_p_all.budget && !was != !live) bursty_p_pace(t, was != 0);
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
        if (t->active >> p & 1) bursty_p_open_burst(&t->sampler[p], t->sampler[p].set.burst);
    }
}

/* Looks at the schedule after so many checks. Returns the value of the word from which
   the check that asked will subtract 1. With `stays` no check has asked: while a
   burst is live no phase ends before the next check, and the look returns -1. */
BURSTY_P_SLOW uint32_t bursty_p_look(bursty_p_thread *t, uint32_t passed, int stays) {
    uint32_t live = 0, p;
    uint64_t span = BURSTY_P_SPAN;
    int is_asked, is_due;
    uint32_t more;
    t->in_slow = 2;
    if (passed > t->span) passed = t->span; /* a fresh record has span 0 and any word */
    more = passed > t->counted ? passed - t->counted : 0;
    t->counted = 0;
    bursty_p_count_up(&t->checks, more);
    if (t->live) bursty_p_count_up(&t->burst_checks, more);
    t->phase_checks += more;
    for (p = 0; p < BURSTY_PROFILES && t->active >> p; p++) {
        if (t->sampler[p].left != BURSTY_P_EVER) t->sampler[p].left -= passed;
    }
    t->until_new = passed < t->until_new ? t->until_new - passed : 0;
    is_asked = t->until_new == 0;
    if (is_asked) t->until_new = BURSTY_P_ASKS;
    is_due = BURSTY_P_ALONE || is_asked || t->generation == 0;
    if (is_due && t->generation != BURSTY_P_GET(&bursty_p_all.generation)) bursty_p_take_settings(t);
    if (is_asked && t->factor) bursty_p_take_factor(t);
    if (bursty_p_reopened(t)) bursty_p_begin_opening(t);
    stays = stays && t->live;
    for (p = 0; p < BURSTY_PROFILES && t->active >> p; p++) {
        bursty_p_sampler *s = &t->sampler[p];
        if (!(t->active >> p & 1)) continue;
        while (s->left == 0 && !stays) bursty_p_next_phase(t, s);
        if (s->in_burst) live |= 1u << p;
        if (s->left < span) span = s->left;
    }
    if (is_due && t->generation != BURSTY_P_GET(&bursty_p_all.generation)) {
        t->until_new = t->generation ? 256 : 1; /* 1: it has no settings yet */
    }
    span = t->until_new < span ? t->until_new : span;
    if (live != t->live) bursty_p_go_live(t, live);
    t->span = (uint32_t)span;
    bursty_p_mine.room = bursty_p_mine.only && !BURSTY_P_POLLS ? t->span : 0;
    t->in_slow = 0;
    if (stays) return (uint32_t)-1;
    return live ? 0 : t->span;
}

/* n is the word before the next check. Returns it, after a look if one is
   due. */
BURSTY_P_STEP uint32_t bursty_p_advance(bursty_p_thread *t, uint32_t n) {
    uint32_t passed = t->live ? 0 - n : t->span - n;
    if (passed < t->span && !bursty_p_reopened(t)) return n;
    return bursty_p_look(t, passed, 0);
}

/* ---- threads ----------------------------------- src/bursty/threads.c ---- */

static void bursty_p_seed(bursty_p_thread *t) {
    t->random = bursty_p_state_of(bursty_p_all.config.seed, t->number, t->reuses);
}

/* bursty_p_notice_end arranges that bursty_thread_end is called when the
   calling thread ends, and returns whether it will be. In a shared object the
   key goes when the object is closed, for the C library would call code that is
   gone. */
#if defined(BURSTY_P_POSIX)
static pthread_key_t bursty_p_key;
static pthread_once_t bursty_p_once = PTHREAD_ONCE_INIT;
static uint32_t bursty_p_has_key;
static void bursty_p_ended(void *value) {
    (void)value;
    bursty_thread_end();
}
static void bursty_p_before_fork(void) { (void)BURSTY_P_ADD(&bursty_p_all.forks, 1); }
static void bursty_p_behind_fork(void) { BURSTY_P_PUT(&bursty_p_all.forks_known, BURSTY_P_GET(&bursty_p_all.forks)); }
static void bursty_p_make_key(void) {
    if (pthread_key_create(&bursty_p_key, bursty_p_ended) != 0) return;
    bursty_p_has_key = 1;
    (void)pthread_atfork(bursty_p_before_fork, bursty_p_behind_fork, bursty_forked);
}
static int bursty_p_notice_end(void) {
    (void)pthread_once(&bursty_p_once, bursty_p_make_key);
    return bursty_p_has_key && pthread_setspecific(bursty_p_key, &bursty_p_mine) == 0;
}
#ifdef BURSTY_P_SHARED
__attribute__((destructor)) static void bursty_p_closed(void) {
    bursty_stop();
    if (bursty_p_has_key) (void)pthread_key_delete(bursty_p_key);
    bursty_p_has_key = 0;
}
#endif
#elif defined(__cplusplus) && !defined(BURSTY_NO_TLS) && !defined(BURSTY_BARE)
struct bursty_p_at_end {
    int registered;
    ~bursty_p_at_end() { if (registered) bursty_thread_end(); }
};
static int bursty_p_notice_end(void) {
    static thread_local bursty_p_at_end end;
    return end.registered = 1;
}
#elif defined(_WIN32) && !defined(BURSTY_NO_TLS) && !defined(BURSTY_BARE)
/* A fiber-local value has a callback at a thread's end, in C, too. Windows.h is
   not included: it defines min, max and more in the file of the user. */
__declspec(dllimport) unsigned long __stdcall FlsAlloc(void(__stdcall *callback)(void *));
__declspec(dllimport) int __stdcall FlsSetValue(unsigned long index, void *value);
static uint32_t bursty_p_fls; /* 1 + the index */
static void __stdcall bursty_p_ended(void *value) {
    if (value) bursty_thread_end();
}
static int bursty_p_notice_end(void) {
    if (BURSTY_P_ACQUIRE(&bursty_p_fls) == 0) {
        uint32_t made = (uint32_t)FlsAlloc(bursty_p_ended) + 1; /* one too many in a race is kept */
        (void)bursty_p_cas(&bursty_p_fls, 0, made);
    }
    return BURSTY_P_ACQUIRE(&bursty_p_fls)
           && FlsSetValue(BURSTY_P_ACQUIRE(&bursty_p_fls) - 1, &bursty_p_mine);
}
#else
static int bursty_p_notice_end(void) { return 0; }
#endif

/* time.c; is_noticed: on BURSTY_THREAD_BEGINS, whether its end will be told */
static void bursty_p_time_on_thread(int what, bursty_p_thread *t, int is_noticed);

static void bursty_p_tell(int what, bursty_p_thread *t, int is_noticed) {
    bursty_p_time_on_thread(what, t, is_noticed);
    if (bursty_p_all.companion.on_thread) bursty_p_all.companion.on_thread(what, t->number);
}

/* Names are copied byte by byte, since a dump may read one while it is
   written. */
static void bursty_p_put_name(bursty_p_thread *t, const char *name) {
    uint32_t i;
    for (i = 0; i + 1 < BURSTY_P_NAME && name && name[i]; i++) BURSTY_P_PUT(&t->name[i], name[i]);
    for (; i < BURSTY_P_NAME; i++) BURSTY_P_PUT(&t->name[i], (char)0);
}

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
    bursty_p_put_name(t, NULL);
    bursty_p_zero(&t->random, sizeof *t - offsetof(bursty_p_thread, random));
    bursty_p_seed(t);
    t->reuses++;
    t->opening = BURSTY_P_GET(&bursty_p_all.opening) - 1;
    bursty_p_tell(BURSTY_THREAD_BEGINS, t, bursty_p_notice_end());
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

/* ---- the slow path -------------------------------- src/bursty/slow.c ---- */

/* The word says whether the slow path is running on this thread:

       check fires --> n = hold()  --> look? deliver? --> word = n, or the new one
                       word = BUSY     actions

   hold() is the first act: it takes the word out and puts a large number in, in
   one instruction. From then on the thread's checks stay on the fast path and
   count the large number down, which is dropped in the end. So checks in an
   action, or in a signal handler that lands here, record nothing, are not
   counted, and do not re-enter. (With BURSTY_POLL they do, and get BUSY here.)

     bursty_set_profile in an action  only stores the settings, since in_slow is set; the next look
                                      takes them over. bursty_get_stats and others do not look.
     longjmp out of an action, or of  bursty_set_depth puts the word back: out of an event the word
     a handler that came in between   in `kept`; else 0 with span 0: the next check is a look with
                                      nothing passed, and a burst that goes on begins anew
     a thread without a record        no start yet, or no memory; it asks again in 65 536
                                      checks

   release() gives the word back. If somebody has counted it down meanwhile, checks
   of a handler are missing in the burst; an action's own are taken for such. The
   profiles in a burst get BURSTY_GAP before their next event, which is early
   enough: what is missing lies between two events. */
#if (defined(__x86_64__) || defined(__i386__)) && !defined(BURSTY_NO_TLS) \
    && !defined(BURSTY_P_MSVC) && !defined(BURSTY_POLL) /* xchg locks: 7 ns */
#define BURSTY_P_HOLDS_BY_ADDING
#define BURSTY_P_HELD(n_) ((n_) + BURSTY_P_BUSY) /* the word, where hold() gave n_ */
#else
#define BURSTY_P_HELD(n_) BURSTY_P_BUSY
#endif
#define BURSTY_P_IS_HELD() ((int32_t)BURSTY_P_HERE.n > (int32_t)BURSTY_P_SPAN)
BURSTY_P_STEP uint32_t bursty_p_hold(void) {
    uint32_t n = BURSTY_P_BUSY;
#if defined(BURSTY_NO_TLS)
    n = BURSTY_P_HERE.n;
    BURSTY_P_HERE.n = BURSTY_P_BUSY;
#elif defined(BURSTY_P_MSVC)
    n = (uint32_t)_InterlockedExchange((volatile long *)&BURSTY_P_HERE.n, (long)n);
#elif defined(BURSTY_P_HOLDS_BY_ADDING)
    __asm__ __volatile__("{xaddl %0, %1|xadd %1, %0}" : "+r"(n), "+m"(BURSTY_P_HERE.n) : : "cc", "memory");
#else
    n = __atomic_exchange_n(&BURSTY_P_HERE.n, n, __ATOMIC_RELAXED);
#endif
    return n;
}

/* Events of the profiles in a burst are missing here. */
BURSTY_P_STEP void bursty_p_miss(bursty_p_thread *t) {
    if (t) t->gap |= t->live;
}

BURSTY_P_STEP void bursty_p_release(bursty_p_thread *t, uint32_t held, uint32_t n) {
    if (t && t->live && *(volatile uint32_t *)&BURSTY_P_HERE.n != held) bursty_p_miss(t);
    BURSTY_P_HERE.n = n;
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

/* Where bursty_p_mine.only is set, an event whose row is a recent one is
   counted here. n is the word after its check. Both return 0 if it is not
   counted. */
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

/* Checks of a thread without a record until it asks for one again: before
   bursty_start soon, and where there is no room, hardly ever. */
BURSTY_P_STEP uint32_t bursty_p_until_start(void) {
#ifdef BURSTY_NO_TLS /* bursty_start sets the word of all */
    return BURSTY_P_SPAN;
#else
    return BURSTY_P_GET(&bursty_p_all.epoch) ? BURSTY_P_SPAN : BURSTY_P_UNSTARTED;
#endif
}

BURSTY_P_STEP uint32_t bursty_p_hit_of(bursty_p_thread *t, const bursty_site *site,
                                       uintptr_t value, uint32_t n) {
    uint32_t held = BURSTY_P_HELD(n - !BURSTY_P_POLLS); /* n was the word before this check */
    if (!t) {
        BURSTY_P_HERE.n = bursty_p_until_start() - 1;
        return 0;
    }
    n = bursty_p_advance(t, n) - 1;
    if (t->live && site) bursty_p_deliver(t, site, value, site->kind, n);
    bursty_p_release(t, held, n);
    return t->live;
}

static BURSTY_P_COLD uint32_t bursty_p_rest(const bursty_site *site, uintptr_t value, uint32_t n) {
    return bursty_p_hit_of(bursty_p_me(), site, value, n);
}

BURSTY_API uint32_t bursty_hit(const bursty_site *site, uintptr_t value) {
    uint32_t n = bursty_p_hold();
    if (BURSTY_P_POLLS && n == BURSTY_P_BUSY) {
        bursty_p_miss(bursty_p_registered());
        return 0;
    }
    if (!site || !bursty_p_count_recent(site, n)) {
        return bursty_p_rest(site, value, n + !BURSTY_P_POLLS);
    }
    BURSTY_P_HERE.n = n;
    return bursty_p_mine.thread->live;
}

/* A RETURN that the hot table alone would get is counted, and goes no
   further. */
BURSTY_P_STEP int bursty_p_count_return(void) {
    if (!bursty_p_mine.only || bursty_p_mine.epoch != BURSTY_P_GET(&bursty_p_all.epoch)) return 0;
    bursty_p_count_up(bursty_p_mine.only, 1);
    return 1;
}

/* n is the word, which was taken out. */
BURSTY_P_STEP void bursty_p_event_of(bursty_p_thread *t, const bursty_site *site, uintptr_t value,
                                     uint32_t kind, uint32_t n) {
    if (t && t->live && !bursty_p_reopened(t)) bursty_p_deliver(t, site, value, kind, n);
    bursty_p_release(t, BURSTY_P_HELD(n), n);
}

BURSTY_API void bursty_note(const bursty_site *site, uintptr_t value, uint32_t kind) {
    uint32_t n = bursty_p_hold();
    if (BURSTY_P_POLLS && n == BURSTY_P_BUSY) {
        bursty_p_miss(bursty_p_registered());
        return;
    }
    if ((kind & BURSTY_RETURN) && !BURSTY_P_POLLS && bursty_p_count_return()) {
        BURSTY_P_HERE.n = n;
        return;
    }
    bursty_p_event_of(bursty_p_me(), site, value, kind, n);
}

#ifdef BURSTY_POLL
BURSTY_API uint32_t bursty_p_is_live(void) {
    bursty_p_thread *t = bursty_p_registered();
    if (t && t->in_slow) bursty_p_miss(t);
    return t && t->live && !t->in_slow && !bursty_p_reopened(t);
}
#endif

BURSTY_API uint32_t bursty_p_take(uint64_t left, uint32_t *live) {
    uint32_t n = bursty_p_hold(), held = BURSTY_P_HELD(n), room = BURSTY_P_SPAN;
    bursty_p_thread *t = NULL;
    if (!BURSTY_P_POLLS || n != BURSTY_P_BUSY) {
        t = bursty_p_me();
        n = room = t ? bursty_p_advance(t, n) : bursty_p_until_start();
    }
    *live = t ? t->live : 0;
    if (*live) room = t->span - (0 - n);
    if (left < room) room = (uint32_t)left;
    if (t || n != BURSTY_P_BUSY) bursty_p_release(t, held, n - room);
    return room;
}

/* Unused checks are given back unless checks in the body have begun or ended a
   burst since. */
BURSTY_API void bursty_p_give_back(uint32_t count, uint32_t live) {
    uint32_t n = BURSTY_P_HERE.n, back = n + count;
    bursty_p_thread *t = bursty_p_registered();
    if (!t || t->in_slow || !live != !t->live || (BURSTY_P_POLLS && !live)) return;
    if (live ? 0 - n <= t->span && 0 - back <= t->span : back <= t->span) BURSTY_P_HERE.n = back;
}

/* After a look in the middle of a burst the word would be 0 until the next
   check, and events before it would be lost. So it becomes -1: the last check
   comes again, without being counted again, and the next one looks. */
static uint32_t bursty_p_step_back(bursty_p_thread *t) {
    uint32_t p;
    for (p = 0; p < BURSTY_PROFILES && t->active >> p; p++) {
        if (t->sampler[p].left != BURSTY_P_EVER) t->sampler[p].left++;
    }
    t->counted = t->span = 1;
    bursty_p_mine.room = 0;
    return (uint32_t)-1;
}

/* Looks at the schedule now, so that a change takes effect at once and counts
   are exact. */
static void bursty_p_look_now(void) {
    bursty_p_thread *t = bursty_p_registered();
    uint32_t n, was;
    if (t) t->until_new = 0;
    if ((t && t->in_slow) || BURSTY_P_IS_HELD()) return;
    was = n = bursty_p_hold();
    t = bursty_p_me();
    if (t) {
        t->until_new = 0;
        n = bursty_p_look(t, t->live ? 0 - n : t->span - n, (int32_t)was < 0 && !BURSTY_P_POLLS);
        if (t->generation != BURSTY_P_GET(&bursty_p_all.generation)) {
            n = bursty_p_look(t, 0, (int32_t)n < 0);
        }
        if ((int32_t)n < 0) n = bursty_p_step_back(t);
        bursty_p_settle(t);
    }
    BURSTY_P_HERE.n = n;
}

/* ---- events behind a check ----------------------- src/bursty/since.c ---- */

/* In code of two copies a burst of N checks enters the second copy at a check,
   number s of the thread. An event there that has no check of its own, and
   before which check number t was the last one, is recorded by bursts that
   began at s or earlier, and that still run behind t:

       checks     ... | s |   |   | t | ...         k = t - s: those that stand between
       bursts     |<---- N ---->|                    ends too early
                     |<---- N ---->|                 records the event
                      |<---- N ---->|                the last one that does
                          |<---- N ---->|            began behind s: this run is in the first copy

   These are N - k of the N places at which an event with a check of its own is
   recorded. So it stands for N / (N - k) times as many (Horvitz and Thompson).
   A run that a former burst has led into the second copy is there by another
   chance, and its event is left out.

   After N checks or more no burst that began at s is left. But N bursts have begun
   early enough to lead the run into the second copy, where it still is. So each of
   them records such an event, with the weight of other events. It
   belongs to the burst that gave the mark: the sums of that burst wait for it
   until the next one begins. With several profiles nobody knows whose burst
   gave the mark, and it is left out.

   mark() gives s, to be called behind the check; it is 0 where no burst is
   live, which no burst began before. Numbers are of 32 bits and wrap.

   An event that a burst leaves out is a gap in it, of which BURSTY_GAP tells.

   Cost: what the event alone costs and 20 instructions, in second copies. */
BURSTY_API uint32_t bursty_note_mark(void) {
    bursty_p_thread *t = bursty_p_registered();
    uint32_t n = BURSTY_P_HERE.n;
    if (!t || !t->live || (int32_t)n > 0) return 0;
    if (t->live == t->active && !(t->live & (t->live - 1))) bursty_p_mine.marked = 1;
    return (uint32_t)BURSTY_P_READ(&t->checks) - t->counted - n;
}

/* The profiles that record an event now, `behind` checks behind the mark. now:
   checks of the thread. */
BURSTY_P_SLOW uint32_t bursty_p_who_sees(const bursty_p_thread *t, uint32_t now, uint32_t behind) {
    uint32_t p, seen = 0;
    for (p = 0; p < BURSTY_PROFILES && t->active >> p; p++) {
        const bursty_p_sampler *s = &t->sampler[p];
        uint32_t bit = 1u << p;
        if (!(t->active & bit)) continue;
        if (s->set.every == BURSTY_ALWAYS) seen |= t->live & bit;
        else if (behind >= s->set.burst) seen |= t->active == bit ? bit : 0;
        else if (t->live & bit && behind < now - s->began) seen |= bit;
    }
    return seen;
}

BURSTY_API void bursty_note_since(const bursty_site *site, uintptr_t value, uint32_t kind,
                               uint32_t mark) {
    uint32_t n, now, seen;
    bursty_p_thread *t;
    if (BURSTY_P_POLLS) {
        bursty_note(site, value, kind);
        return;
    }
    n = bursty_p_hold();
    t = bursty_p_me();
    if (t && mark && (int32_t)n <= (int32_t)BURSTY_P_SPAN) { /* it was not held */
        now = (uint32_t)BURSTY_P_READ(&t->checks) - t->counted + (t->live ? 0 : t->span) - n;
        seen = bursty_p_who_sees(t, now, now - mark);
        t->in_slow = 1;
        t->kept = n;
        if (seen) bursty_p_send_behind(t, seen, site, value, kind, now - mark);
        t->in_slow = 0;
        t->gap |= t->live & ~seen;
    } else {
        bursty_p_miss(t); /* nobody knows by which check this run came here */
    }
    bursty_p_release(t, BURSTY_P_HELD(n), n);
}

/* ---- checks that keep registers: the way to the slow path  src/bursty/keep.c ---- */

#ifdef BURSTY_P_KEEP_ASM

/* Vector, mask and x87 registers: xsave's components 0, 1, 2, 5, 6 and 7, in 64
   + 2688 bytes. No processor's layout of them is larger. */
#define BURSTY_P_KEEP_PARTS 0xe7
#define BURSTY_P_KEEP_ROOM (2752 / 8)

/* 0: not asked yet; 1: fxsave does it; 2: xsave does. */
BURSTY_P_KEEP_INLINE uint32_t bursty_p_keep_ask(uint32_t *known) {
    uint32_t has = __atomic_load_n(known, __ATOMIC_RELAXED), a = 1, b, c = 0, d;
    if (has != 0) return has;
    __asm__ __volatile__("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
    has = 1 + (c >> 27 & 1);
    __atomic_store_n(known, has, __ATOMIC_RELAXED);
    return has;
}

/* Afterwards the x87 registers are free; x87's and SSE's control words stay. */
BURSTY_P_KEEP_INLINE uint64_t *bursty_p_keep_save(uint64_t *room, uint32_t has) {
    uint64_t *area = room + ((0 - (uintptr_t)room) & 63) / 8;
    uint32_t i;
    for (i = 64; i < 72; i++) *(volatile uint64_t *)&area[i] = 0; /* xrstor wants zeros there */
    if (has == 1) {
        __asm__ __volatile__("fxsave64 {(%0)|[%0]}" : : "r"(area) : "memory");
    } else {
        __asm__ __volatile__("xsave64 {(%0)|[%0]}"
                             : : "r"(area), "a"(BURSTY_P_KEEP_PARTS), "d"(0) : "memory");
    }
    __asm__ __volatile__("emms" : : : "memory");
    return area;
}

BURSTY_P_KEEP_INLINE void bursty_p_keep_restore(const uint64_t *area, uint32_t has) {
    if (has == 1) {
        __asm__ __volatile__("fxrstor64 {(%0)|[%0]}" : : "r"(area) : "memory");
    } else {
        __asm__ __volatile__("xrstor64 {(%0)|[%0]}"
                             : : "r"(area), "a"(BURSTY_P_KEEP_PARTS), "d"(0) : "memory");
    }
}

/* The thunk of a check finds the site and calls bursty_p_kept_count, which
   keeps all registers but rax and rdi. If the event is an unusual one, the
   thunk keeps the other general registers and calls bursty_p_kept_hit. It
   returns over the red zone. The thunk of a scope's end does the same with
   bursty_p_kept_return and bursty_p_kept_leave.

   To an unwinder it looks as if the function that checks had called it right
   behind the js: the stack pointer there is 136 above the one at the thunk's
   entry, and the return address is the target of the stub's jmp: p + 5 +
   *(int32_t *)(p + 1), where p = *(CFA - 136).

   The text is in AT&T's syntax, but the file may be compiled with -masm=intel,
   which no macro tells of. `push 5` tells: it pushes a constant in Intel's
   syntax, in 2 bytes, and what is at address 5 in AT&T's, in more. It never
   runs. clang is told AT&T's; file-scope assembly behind it in the same file
   would have to say so, too. */
#if defined(__clang__) /* which reads it before it knows a length, with -flto */
#define BURSTY_P_KEEP_SYNTAX_BEGIN "\t.att_syntax prefix\n"
#define BURSTY_P_KEEP_SYNTAX_END ""
#else
#define BURSTY_P_KEEP_SYNTAX_BEGIN "771:\tpush\t5\n772:\n\t.att_syntax prefix\n"
#define BURSTY_P_KEEP_SYNTAX_END \
    "\t.if 772b - 771b == 2\n\t.intel_syntax noprefix\n\t.endif\n"
#endif
#define BURSTY_P_KEEP_SITE(at) \
    "\tmov\t" at ", %rdi\n\tmovslq\t5(%rdi), %rax\n\tlea\t5(%rdi,%rax), %rdi\n"
#ifdef __clang__ /* which, at -O0, makes a function that keeps all registers keep rax, too */
#define BURSTY_P_KEEP_ASK(function) \
    "\tpush\t%rdi\n\tmov\t%rsp, %rdi\n\tcall\t" function "\n\tpop\t%rax\n"
#define BURSTY_P_KEEP_ANSWER(function, answer) \
    BURSTY_P_KEEP_ENTRY BURSTY_P_KEEP_SAVES void function(uint64_t *place); \
    void function(uint64_t *place) { \
        *place = answer((const bursty_site *)(uintptr_t)*place); \
    }
#else
#define BURSTY_P_KEEP_ASK(function) "\tcall\t" function "\n"
#define BURSTY_P_KEEP_ANSWER(function, answer) \
    BURSTY_P_KEEP_ENTRY BURSTY_P_KEEP_SAVES uint64_t function(const bursty_site *site); \
    uint64_t function(const bursty_site *site) { return answer(site); }
#endif
#if BURSTY_P_KEEP_ALWAYS
#define BURSTY_P_KEEP_TRY(site, function) ""
#else
#define BURSTY_P_KEEP_TRY(site, function) \
    site BURSTY_P_KEEP_ASK(function) "\ttest\t%rax, %rax\n\tje\t1f\n"
#endif
#define BURSTY_P_KEEP_FIRST_PUSH(r, at) \
    "\tpush\t%" r "\n\t.cfi_adjust_cfa_offset 8\n\t.cfi_offset " r ", -" at "\n"
#define BURSTY_P_KEEP_PUSH(r, at) "\tpush\t%" r "\n\t.cfi_offset " r ", -" at "\n"
#define BURSTY_P_KEEP_THUNK(name, try_, arguments, function) \
    ".pushsection .text." name ", \"ax\", @progbits\n" \
    "\t.globl\t" name "\n\t.hidden\t" name "\n" \
    BURSTY_P_KEEP_SYNTAX_BEGIN \
    "\t.type\t" name ", @function\n\t.p2align 4\n" name ":\n" \
    "\t.cfi_startproc\n\t.cfi_def_cfa rsp, 136\n" \
    "\t.cfi_escape 0x16, 0x10, 25, 0x0b, 0x78, 0xff, 0x22, 0x06, 0x23, 1, 0x12, 0x94, 4, " \
    "0x0c, 0, 0, 0, 0x80, 0x27, 0x0c, 0, 0, 0, 0x80, 0x1c, 0x22, 0x23, 4\n" \
    BURSTY_P_KEEP_FIRST_PUSH("rax", "144") BURSTY_P_KEEP_FIRST_PUSH("rdi", "152") \
    try_ "\t.cfi_remember_state\n" \
    BURSTY_P_KEEP_FIRST_PUSH("rbp", "160") \
    "\tmov\t%rsp, %rbp\n\t.cfi_def_cfa_register rbp\n" \
    BURSTY_P_KEEP_PUSH("rcx", "168") BURSTY_P_KEEP_PUSH("rdx", "176") BURSTY_P_KEEP_PUSH("rsi", "184") \
    BURSTY_P_KEEP_PUSH("r8", "192") BURSTY_P_KEEP_PUSH("r9", "200") BURSTY_P_KEEP_PUSH("r10", "208") \
    BURSTY_P_KEEP_PUSH("r11", "216") arguments \
    "\tand\t$-16, %rsp\n\tcall\t" function "\n\tlea\t-56(%rbp), %rsp\n" \
    "\tpop\t%r11\n\tpop\t%r10\n\tpop\t%r9\n\tpop\t%r8\n" \
    "\tpop\t%rsi\n\tpop\t%rdx\n\tpop\t%rcx\n\tpop\t%rbp\n\t.cfi_restore_state\n" \
    "1:\tpop\t%rdi\n\t.cfi_adjust_cfa_offset -8\n\t.cfi_restore rdi\n" \
    "\tpop\t%rax\n\t.cfi_adjust_cfa_offset -8\n\t.cfi_restore rax\n\tret\t$128\n" \
    "\t.cfi_endproc\n\t.size\t" name ", . - " name "\n" \
    BURSTY_P_KEEP_SYNTAX_END "\t.popsection\n"
__asm__(BURSTY_P_KEEP_THUNK(
    "bursty_thunk", BURSTY_P_KEEP_TRY(BURSTY_P_KEEP_SITE("16(%rsp)"), "bursty_p_kept_count"),
    "\tmov\t%eax, %esi\n" BURSTY_P_KEEP_SITE("24(%rbp)"), "bursty_p_kept_hit"));
#ifdef BURSTY_P_KEEP_LEAVES
__asm__(BURSTY_P_KEEP_THUNK("bursty_leave_thunk", BURSTY_P_KEEP_TRY("", "bursty_p_kept_return"),
                            "\tmov\t%eax, %edi\n", "bursty_p_kept_leave"));
#endif
__asm__(BURSTY_P_KEEP_THUNK("bursty_check_thunk", "", "", "bursty_p_kept_check"));
__asm__(BURSTY_P_KEEP_THUNK("bursty_point_thunk", "",
                            "\tmov\t%rax, %rsi\n" BURSTY_P_KEEP_SITE("24(%rbp)"), "bursty_p_kept_point"));
__asm__(BURSTY_P_KEEP_THUNK("bursty_event_thunk", "",
                            "\tmov\t%rax, %rsi\n" BURSTY_P_KEEP_SITE("24(%rbp)"), "bursty_p_kept_event"));

/* bursty_p_kept_count takes the word out and counts the usual event, without a
   call. Its answer is 0; or, if it does not count, 2^32 plus the word, and
   bursty_p_kept_hit goes on from there. In a plain thread without new settings
   it takes the short look. Else it is bursty_p_keep_hit_any, which calls
   nothing outside bursty.h if no profile has an action, there is no budget, and
   a look leaves new settings to the next check (same_settings). In a burst that
   was another profile's, too, `only` may still be NULL. bursty_p_kept_return
   and bursty_p_kept_leave divide the end of a scope in the same way. The scope
   has left the stack, but its slot still holds its site; below the stack it is
   "(deep)". */
#ifdef __cplusplus
#define BURSTY_P_KEEP_ENTRY \
    extern "C" __attribute__((BURSTY_P_KEEP_USED, visibility("hidden"))) BURSTY_P_KEEP_SLOW
#else
#define BURSTY_P_KEEP_ENTRY __attribute__((BURSTY_P_KEEP_USED, visibility("hidden"))) BURSTY_P_KEEP_SLOW
#endif
#define BURSTY_P_KEEP_QUIET
#define BURSTY_P_KEEP_LOUD
#if defined(__has_warning)
#if __has_warning("-Wexcessive-regsave") /* it takes what is inlined there for calls */
#undef BURSTY_P_KEEP_QUIET
#undef BURSTY_P_KEEP_LOUD
#define BURSTY_P_KEEP_QUIET \
    _Pragma("clang diagnostic push") _Pragma("clang diagnostic ignored \"-Wexcessive-regsave\"")
#define BURSTY_P_KEEP_LOUD _Pragma("clang diagnostic pop")
#endif
#endif
#ifdef BURSTY_P_KEEP_LEAVES
BURSTY_P_KEEP_INLINE const bursty_site *bursty_p_keep_left(void) {
    uint32_t depth = BURSTY_P_HERE.depth;
    return depth < BURSTY_STACK ? BURSTY_P_HERE.stack[depth] : &bursty_p_deep_site;
}
#endif

#if BURSTY_P_KEEP_ALWAYS
BURSTY_P_KEEP_NOINLINE void bursty_p_keep_hit_outside(const bursty_site *site, uintptr_t value) {
    static uint32_t has_xsave;
    uint64_t room[BURSTY_P_KEEP_ROOM], *area;
    uint32_t has = bursty_p_keep_ask(&has_xsave);
    area = bursty_p_keep_save(room, has);
    (void)bursty_hit(site, value);
    bursty_p_keep_restore(area, has);
}
BURSTY_P_KEEP_NOINLINE void bursty_p_keep_note_outside(const bursty_site *site, uintptr_t value,
                                                       uint32_t kind) {
    static uint32_t has_xsave;
    uint64_t room[BURSTY_P_KEEP_ROOM], *area;
    uint32_t has = bursty_p_keep_ask(&has_xsave);
    area = bursty_p_keep_save(room, has);
    bursty_note(site, value, kind);
    bursty_p_keep_restore(area, has);
}

BURSTY_P_KEEP_ENTRY void bursty_p_kept_hit(const bursty_site *site);
void bursty_p_kept_hit(const bursty_site *site) { bursty_p_keep_hit_outside(site, 0); }

BURSTY_P_KEEP_ENTRY void bursty_p_kept_check(void);
void bursty_p_kept_check(void) { bursty_p_keep_hit_outside(NULL, 0); }

BURSTY_P_KEEP_ENTRY void bursty_p_kept_point(const bursty_site *site, uintptr_t value);
void bursty_p_kept_point(const bursty_site *site, uintptr_t value) {
    bursty_p_keep_hit_outside(site, value);
}

BURSTY_P_KEEP_ENTRY void bursty_p_kept_event(const bursty_site *site, uintptr_t value);
void bursty_p_kept_event(const bursty_site *site, uintptr_t value) {
    bursty_p_keep_note_outside(site, value, site->kind);
}

#ifdef BURSTY_P_KEEP_LEAVES
BURSTY_P_KEEP_ENTRY void bursty_p_kept_leave(void);
void bursty_p_kept_leave(void) {
    bursty_p_keep_note_outside(bursty_p_keep_left(), 0, BURSTY_P_SCOPE_RETURN);
}
#endif

#else /* not BURSTY_P_KEEP_ALWAYS */

BURSTY_P_KEEP_QUIET
BURSTY_P_KEEP_INLINE uint64_t bursty_p_keep_count(const bursty_site *site) {
    uint32_t n = bursty_p_hold();
    if (BURSTY_P_UNLIKELY(!bursty_p_count_recent(site, n))) return (uint64_t)1 << 32 | n;
    BURSTY_P_HERE.n = n;
    return 0;
}
BURSTY_P_KEEP_ANSWER(bursty_p_kept_count, bursty_p_keep_count)
BURSTY_P_KEEP_LOUD
BURSTY_P_COLD static void bursty_p_keep_hit_outside(const bursty_site *site, uintptr_t value,
                                                           uint32_t n) {
    static uint32_t has_xsave;
    uint64_t room[BURSTY_P_KEEP_ROOM], *area;
    uint32_t has = bursty_p_keep_ask(&has_xsave);
    area = bursty_p_keep_save(room, has);
    (void)bursty_p_rest(site, value, n + 1);
    bursty_p_keep_restore(area, has);
}
BURSTY_P_KEEP_NOINLINE void bursty_p_keep_hit_any(const bursty_site *site, uintptr_t value,
                                                  uint32_t n) {
    bursty_p_thread *t = bursty_p_registered();
    uint32_t outer = t ? t->same_settings : 0;
    if (t) t->same_settings = 1;
    BURSTY_P_FENCE(); /* a signal handler may set a profile from here on */
    if (t && !t->acting && !bursty_p_all.budget
        && t->generation == BURSTY_P_GET(&bursty_p_all.generation)) {
        (void)bursty_p_hit_of(t, site, value, n + 1);
        t->same_settings = outer;
        return;
    }
    if (t) t->same_settings = outer;
    bursty_p_keep_hit_outside(site, value, n);
}
BURSTY_P_KEEP_INLINE uint32_t bursty_p_keep_look(bursty_p_thread *t) {
    bursty_p_sampler *s = t->sampler;
    uint32_t span = t->span, live = s->in_burst;
    uint64_t left = s->left - span;
    bursty_p_count_up(&t->checks, span - t->counted);
    if (t->live) bursty_p_count_up(&t->burst_checks, span - t->counted);
    t->counted = 0;
    if (left == 0) {
        s->in_burst = live = !live;
        left = live ? s->set.burst : bursty_p_gap(t, s);
    }
    s->left = left;
    t->until_new -= span;
    if (t->until_new == 0) t->until_new = BURSTY_P_ASKS;
    if (t->live != live) {
        if (live || !bursty_p_mine.marked) {
            if (bursty_p_mine.touched) bursty_p_fold(t, s);
            bursty_p_mine.summing = bursty_p_mine.marked = 0;
        }
        t->live = live;
        bursty_p_mine.only = live ? t->events : NULL;
        bursty_p_mine.weight_256 = s->weight_256;
        if (live) bursty_p_number(t, s, 0);
    }
    t->span = span = left < t->until_new ? (uint32_t)left : t->until_new;
    bursty_p_mine.room = bursty_p_mine.only ? span : 0;
    return live ? 0 : span;
}
BURSTY_P_KEEP_ENTRY void bursty_p_kept_hit(const bursty_site *site, uint32_t n);
void bursty_p_kept_hit(const bursty_site *site, uint32_t n) {
    bursty_p_thread *t = bursty_p_registered();
    uint32_t passed = t ? (t->live ? 0 : t->span) - (n + 1) : 0;
    if (!t || !t->plain || t->generation != BURSTY_P_GET(&bursty_p_all.generation)) {
        bursty_p_keep_hit_any(site, 0, n);
        return;
    }
    if (passed >= t->span) n = bursty_p_keep_look(t) - 1;
    if (t->live && !(bursty_p_mine.only && bursty_p_count_known(site))) {
        bursty_p_deliver(t, site, 0, site->kind, n);
    }
    BURSTY_P_HERE.n = n;
}

BURSTY_P_KEEP_ENTRY void bursty_p_kept_check(void);
void bursty_p_kept_check(void) { bursty_p_keep_hit_any(NULL, 0, bursty_p_hold()); }

BURSTY_P_KEEP_ENTRY void bursty_p_kept_point(const bursty_site *site, uintptr_t value);
void bursty_p_kept_point(const bursty_site *site, uintptr_t value) {
    uint32_t n = bursty_p_hold();
    if (bursty_p_count_recent(site, n)) BURSTY_P_HERE.n = n;
    else bursty_p_keep_hit_any(site, value, n);
}

BURSTY_P_COLD static void bursty_p_keep_note_outside(const bursty_site *site, uintptr_t value,
                                                     uint32_t kind, uint32_t n) {
    static uint32_t has_xsave;
    uint64_t room[BURSTY_P_KEEP_ROOM], *area;
    uint32_t has = bursty_p_keep_ask(&has_xsave);
    area = bursty_p_keep_save(room, has);
    bursty_p_event_of(bursty_p_me(), site, value, kind, n);
    bursty_p_keep_restore(area, has);
}
BURSTY_P_KEEP_NOINLINE void bursty_p_keep_note(const bursty_site *site, uintptr_t value,
                                               uint32_t kind, uint32_t n) {
    bursty_p_thread *t = bursty_p_registered();
    if (t && !t->acting) bursty_p_event_of(t, site, value, kind, n);
    else bursty_p_keep_note_outside(site, value, kind, n);
}
BURSTY_P_KEEP_ENTRY void bursty_p_kept_event(const bursty_site *site, uintptr_t value);
void bursty_p_kept_event(const bursty_site *site, uintptr_t value) {
    bursty_p_keep_note(site, value, site->kind, bursty_p_hold());
}

#ifdef BURSTY_P_KEEP_LEAVES
BURSTY_P_KEEP_QUIET
BURSTY_P_KEEP_INLINE uint64_t bursty_p_keep_return(const bursty_site *site) {
    uint32_t n = bursty_p_hold();
    (void)site;
    if (BURSTY_P_UNLIKELY(!bursty_p_count_return())) return (uint64_t)1 << 32 | n;
    BURSTY_P_HERE.n = n;
    return 0;
}
BURSTY_P_KEEP_ANSWER(bursty_p_kept_return, bursty_p_keep_return)
BURSTY_P_KEEP_LOUD

BURSTY_P_KEEP_ENTRY void bursty_p_kept_leave(uint32_t n);
void bursty_p_kept_leave(uint32_t n) {
    bursty_p_keep_note(bursty_p_keep_left(), 0, BURSTY_P_SCOPE_RETURN, n);
}
#endif

#endif /* BURSTY_P_KEEP_ALWAYS */

#endif /* BURSTY_P_KEEP_ASM */

/* ---- frames: the state, and a tick in one ------- src/bursty/frames.h ---- */

#if BURSTY_FRAMES > 0

/* What one thread knows of the frame that it is in:

       list 0   | update 2 | draw 1 |        paths ticked in this frame, and how often
       list 1   | (empty)                    of the next one: ticks go to list `active`

   A frame ends by changing `active`, in one store. Ticks that interrupt the
   work behind it are in the next frame, which has begun, and nothing is counted
   twice or lost. Invariant: the list that is not active is empty, but while a
   frame ends.

   Whoever charges ticks from another thread posts them: a ring that one thread
   fills, and that the frame's thread empties when the frame ends. A full one is
   counted. */
enum { BURSTY_P_FRAME_PATHS = 64, BURSTY_P_FRAME_POSTS = 32 };
typedef struct bursty_p_frame_list {
    volatile uint32_t count;
    uint32_t more;            /* ticks of further paths                          */
    uint32_t events;          /* how often ticks came                            */
    struct { uint32_t row, ticks; } path[BURSTY_P_FRAME_PATHS];
} bursty_p_frame_list;

enum { BURSTY_P_SLOW_FRAME, BURSTY_P_OTHER_FRAME, BURSTY_P_FRAME_CLASSES,
       /* of each class: */
       BURSTY_P_FRAME_COUNT = 0, BURSTY_P_FRAME_US, BURSTY_P_FRAME_US2, BURSTY_P_FRAME_WAIT,
       BURSTY_P_FRAME_WAIT2, BURSTY_P_FRAME_SUMS };

typedef struct bursty_p_framed {
    uint32_t used;            /* by a thread                                     */
    volatile uint32_t running; /* 1 + the kind of its frame, or 0                */
    volatile uint32_t active; /* list                                            */
    volatile uint32_t busy;   /* in bursty_frame: a signal handler finds it so   */
    uint32_t breaks;          /* pauses and clears when the frame began          */
    uint32_t serial;          /* of the path that is being folded                */
    uint32_t thread;          /* 1 + the number of its record, or 0              */
    uint32_t posted, fetched; /* how many, ever                                  */
    uint32_t post[BURSTY_P_FRAME_POSTS]; /* rows, each with one tick             */
    uint32_t blocks[BURSTY_FRAMES];      /* 1 + the number of its blocks, or 0   */
    uint64_t began_ns, began_cpu_ns;
    bursty_p_frame_list list[2];
    bursty_p_count sum[BURSTY_FRAMES][BURSTY_P_FRAME_CLASSES * BURSTY_P_FRAME_SUMS];
} bursty_p_framed;

/* n ticks of a path, in the frame of this thread. An interrupt may come here at
   any instruction of bursty_frame. */
static void bursty_p_frame_tick(bursty_p_framed *f, uint32_t row, uint32_t n) {
    bursty_p_frame_list *list;
    uint32_t i;
    if (!f || !BURSTY_P_GET(&f->running)) return;
    list = &f->list[f->active & 1];
    list->events++;
    for (i = 0; i < list->count && list->path[i].row != row; i++) { }
    if (i == BURSTY_P_FRAME_PATHS) {
        list->more = list->more + n < n ? UINT32_MAX : list->more + n;
        return;
    }
    if (i == list->count) {
        list->path[i].row = row;
        list->path[i].ticks = 0;
        list->count = i + 1;
    }
    n += list->path[i].ticks;
    list->path[i].ticks = n < list->path[i].ticks ? UINT32_MAX : n;
}

#endif /* BURSTY_FRAMES > 0 */

/* ---- the tree of paths --------------------------- src/bursty/paths.c ---- */

#if BURSTY_P_TICKS

/* row 1 | main          row 2 | main > update     row 3 | main > update > collide     row 4 | ...
           parent 0              parent 1                  parent 2

   A row is one path of scopes on one thread: key (site, parent, thread). Rows
   are found by open addressing and claimed by compare-and-swap, as in
   bursty.h's hot table: index holds a row's number, or 0. Invariant: a row is
   written by its thread alone, or by the watcher alone, its parent has a
   smaller number, and a row in the index never moves. So a handler never waits,
   wherever it interrupts. */

/* Counts are 64-bit where such a load is atomic. Elsewhere they are 32-bit, and
   saturate: that is more than a year of ticks. */
#if UINTPTR_MAX > UINT32_MAX
typedef uint64_t bursty_p_tick_count;
#define BURSTY_P_TICK_MOST UINT64_MAX
#else
typedef uint32_t bursty_p_tick_count;
#define BURSTY_P_TICK_MOST UINT32_MAX
#endif

enum { BURSTY_P_TICK_COUNT, BURSTY_P_TICK_SLOW, BURSTY_P_TICK_SQUARES, BURSTY_P_TICK_WRITTEN,
#ifdef BURSTY_P_WATCHER
       BURSTY_P_TICK_WAITING = BURSTY_P_TICK_WRITTEN, BURSTY_P_TICK_SUMS
#else
       BURSTY_P_TICK_SUMS = BURSTY_P_TICK_WRITTEN
#endif
};

typedef struct bursty_p_tick_row {
    const bursty_site *site;
    /* count, of these in the slow path, sum of squares of n; looks that found
       it waiting */
    bursty_p_tick_count sum[BURSTY_P_TICK_SUMS];
    uint32_t parent, thread;         /* parent: a row's number, or 0                          */
    uint32_t order;                  /* among the rows of its thread, from 0                  */
} bursty_p_tick_row;

static const bursty_site bursty_p_outside = { "(outside)", "", 0, BURSTY_CALL | BURSTY_FRAME };
static struct {
    uint32_t on; /* 0: no tick is charged; 1: it is; 2: paused */
    bursty_p_tick_row *rows;
    uint32_t *index;
    uint32_t row_room, row_count, index_mask, period_us;
    bursty_p_tick_count lost, cut, late, untimed, astray;
    uint32_t fold;
    uint32_t usual; /* what a look counts for that nothing has made rarer or more frequent */
#ifdef BURSTY_P_WATCHER
    uint32_t is_watched;
#endif
#ifdef BURSTY_P_TICKER
    uint32_t is_sent; /* the watcher's thread sends ticks */
#endif
} bursty_p_ticks;

/* Does the watcher look, and nobody else charge? */
#ifdef BURSTY_P_WATCHER
#define BURSTY_P_IS_WATCHED bursty_p_ticks.is_watched
#else
#define BURSTY_P_IS_WATCHED 0u
#endif

/* Does it send ticks? */
#ifdef BURSTY_P_TICKER
#define BURSTY_P_IS_SENT bursty_p_ticks.is_sent
#else
#define BURSTY_P_IS_SENT 0u
#endif

/* Takes `bytes` of memory for rows and index. Returns how many it needs: all,
   or 0 if that is too little for 4 rows. */
static size_t bursty_p_lay_out_paths(unsigned char *memory, size_t bytes) {
    size_t rows, slots = bursty_p_divide(bytes, sizeof(bursty_p_tick_row), &rows);
    bursty_p_ticks.row_room = bursty_p_ticks.row_count = 0;
    if (rows < 4) return 0;
    bursty_p_ticks.rows = (bursty_p_tick_row *)(void *)memory;
    bursty_p_ticks.index = (uint32_t *)(void *)(bursty_p_ticks.rows + rows);
    bursty_p_ticks.row_room = (uint32_t)rows;
    bursty_p_ticks.index_mask = (uint32_t)slots - 1;
    return bytes;
}

static void bursty_p_zero_paths(void) {
    const size_t slots = (size_t)bursty_p_ticks.index_mask + 1;
    if (!bursty_p_ticks.rows) return;
    bursty_p_zero(bursty_p_ticks.rows, bursty_p_ticks.row_count * sizeof(bursty_p_tick_row));
    bursty_p_zero(bursty_p_ticks.index, slots * 4);
    bursty_p_ticks.rows = NULL;
    bursty_p_ticks.row_count = bursty_p_ticks.row_room = 0;
}

/* For a count with one writer. */
static void bursty_p_tick_add(bursty_p_tick_count *c, bursty_p_tick_count v) {
    bursty_p_tick_count sum = BURSTY_P_ACQUIRE(c) + v;
    BURSTY_P_RELEASE(c, sum < v ? BURSTY_P_TICK_MOST : sum);
}

static bursty_p_tick_count bursty_p_tick_square(uint32_t n) {
#if UINTPTR_MAX > UINT32_MAX
    return (uint64_t)n * n;
#else
    return n > UINT16_MAX ? BURSTY_P_TICK_MOST : n * n;
#endif
}

/* For a count with several. Returns what it was. */
static bursty_p_tick_count bursty_p_tick_add_shared(bursty_p_tick_count *c, uint32_t v) {
#if defined(BURSTY_NO_TLS)
    const bursty_p_tick_count before = *c;
    bursty_p_tick_add(c, v);
    return before;
#elif defined(BURSTY_P_MSVC) && UINTPTR_MAX > UINT32_MAX
    return (bursty_p_tick_count)_InterlockedExchangeAdd64((volatile long long *)c, (long long)v);
#elif defined(BURSTY_P_MSVC)
    return (bursty_p_tick_count)_InterlockedExchangeAdd((volatile long *)c, (long)v);
#else
    return __atomic_fetch_add(c, v, __ATOMIC_RELAXED);
#endif
}

static uint32_t bursty_p_tick_claim(void) {
    uint32_t count;
    do {
        count = BURSTY_P_ACQUIRE(&bursty_p_ticks.row_count);
        if (count >= bursty_p_ticks.row_room) return 0;
    } while (!bursty_p_cas(&bursty_p_ticks.row_count, count, count + 1));
    return count + 1;
}

/* The number of the row (site, parent, thread), made at first sight; 0 if the
   table is full. */
static uint32_t bursty_p_tick_child(const bursty_site *site, uint32_t parent, uint32_t thread) {
    uint32_t h = (uint32_t)((uintptr_t)site >> 3) * UINT32_C(0x9E3779B1), fresh = 0, number;
    h = (h ^ h >> 15 ^ parent) * UINT32_C(0x85EBCA6B);
    h = (h ^ h >> 13 ^ thread) * UINT32_C(0xC2B2AE35);
    for (h ^= h >> 16;; h++) {
        uint32_t *slot = &bursty_p_ticks.index[h & bursty_p_ticks.index_mask];
        const bursty_p_tick_row *row;
        number = BURSTY_P_ACQUIRE(slot);
        if (number == 0) {
            if (!fresh) {
                bursty_p_tick_row *made;
                fresh = bursty_p_tick_claim();
                if (!fresh) return 0;
                made = &bursty_p_ticks.rows[fresh - 1];
                made->parent = parent;
                made->order = BURSTY_P_MOST == 1 ? fresh - 1 : bursty_p_all.threads[thread - 1].paths++;
                made->thread = thread;
                BURSTY_P_RELEASE(&made->site, site);
            }
            if (bursty_p_cas(slot, 0, fresh)) return fresh;
            number = BURSTY_P_ACQUIRE(slot);
        }
        row = &bursty_p_ticks.rows[number - 1];
        if (row->site == site && row->parent == parent && row->thread == thread) return number;
    }
}

#if BURSTY_STACK > 0
/* The row that a scope below row goes back to, as recursion is folded; 0:
   none. */
static uint32_t bursty_p_tick_folds(const bursty_site *site, uint32_t row) {
    uint32_t k;
    for (k = 0; k < bursty_p_ticks.fold && row; k++) {
        if (bursty_p_ticks.rows[row - 1].site == site) return row;
        row = bursty_p_ticks.rows[row - 1].parent;
    }
    return 0;
}
#endif

/* The row of a thread's path: of depth scopes, the first of which stand in
   stack, and of `inner` if that is not NULL. n ticks are to be charged to it:
   where the table is full it is a scope further out, or 0, and they are
   counted. */
static uint32_t bursty_p_tick_place(uint32_t thread, uint32_t depth,
                                    const bursty_site *const volatile *stack,
                                    const bursty_site *inner, uint32_t n) {
    uint32_t row = 0, next = 0;
#if BURSTY_STACK > 0
    uint32_t i;
#endif
    if (depth == 0) row = next = bursty_p_tick_child(&bursty_p_outside, 0, thread);
#if BURSTY_STACK > 0
    for (i = 0; i < depth && i < BURSTY_STACK; i++) {
        const bursty_site *site = stack[i];
        next = bursty_p_tick_folds(site, row);
        if (!next) next = bursty_p_tick_child(site, row, thread);
        if (!next) break;
        row = next;
    }
    if (inner && depth < BURSTY_STACK && next) {
        uint32_t outer = depth ? row : 0;
        next = bursty_p_tick_folds(inner, outer);
        if (!next) next = bursty_p_tick_child(inner, outer, thread);
        if (next) row = next;
    }
    depth = depth > BURSTY_STACK && next;
#else
    (void)stack;
    (void)inner;
#endif
    if (depth && next == row) next = bursty_p_tick_child(&bursty_p_deep_site, row, thread);
    if (next) row = next;
    if (!next) bursty_p_tick_add_shared(row ? &bursty_p_ticks.cut : &bursty_p_ticks.lost, n);
    return row;
}

#ifdef BURSTY_P_AXIS
static void bursty_p_axis_tick(uint32_t row, uint32_t n);
#endif
static void bursty_p_tick_charge_row(uint32_t row, uint32_t n, int is_slow) {
    bursty_p_tick_count *sum = bursty_p_ticks.rows[row - 1].sum;
    bursty_p_tick_add(&sum[BURSTY_P_TICK_COUNT], n);
    bursty_p_tick_add(&sum[BURSTY_P_TICK_SQUARES], bursty_p_tick_square(n));
    if (is_slow) bursty_p_tick_add(&sum[BURSTY_P_TICK_SLOW], n);
#ifdef BURSTY_P_AXIS
    bursty_p_axis_tick(row, n);
#endif
}

/* The slow path of bursty.h runs while the word is a large number (its
   BUSY). */
BURSTY_P_STEP int bursty_p_is_busy(uint32_t word) { return (int32_t)word >= 0 && word >> 29 != 0; }

static void bursty_p_tick_charge_at(uint32_t n, uint32_t depth,
                                    const bursty_site *const volatile *stack,
                                    const bursty_site *inner, uint32_t busy) {
    uint32_t thread, row;
    const bursty_p_thread *record;
    if (BURSTY_P_ACQUIRE(&bursty_p_ticks.on) != 1) return; /* nobody asked, or a pause */
    if (BURSTY_P_IS_WATCHED) return;
    record = bursty_p_registered();
    thread = !record ? 0 : BURSTY_P_MOST == 1 ? 1 : record->number + 1;
    if (thread == 0 || n == 0) {
        bursty_p_tick_add_shared(&bursty_p_ticks.lost, n);
        return;
    }
    row = bursty_p_tick_place(thread, depth, stack, inner, n);
    if (!row) return;
    bursty_p_tick_charge_row(row, n, bursty_p_is_busy(busy));
#if BURSTY_FRAMES > 0
    bursty_p_frame_tick(bursty_p_mine.framed, row, n);
#endif
}

/* The program may be in the middle of changing its stack of scopes; it writes
   the stack before the depth. `inner`, if it is not NULL, is a scope whose
   function is running, but which is not on the stack. */
static void bursty_p_tick_charge(uint32_t n, const bursty_site *inner) {
    volatile uint32_t *word = &BURSTY_P_HERE.n, *place = &BURSTY_P_HERE.depth;
    const bursty_site *const volatile *stack = NULL;
    uint32_t busy = *word, depth = *place;
#if BURSTY_STACK > 0
    stack = BURSTY_P_HERE.stack;
#endif
    bursty_p_tick_charge_at(n, depth, stack, inner, busy);
}

#endif /* BURSTY_P_TICKS */

#ifdef BURSTY_P_AXIS

/* ---- moments of ticks, in bounded room ---------------- src/moments.c ---- */

/* 2^bits ticks at most have their moment. When there are more, every second one
   gives way, and those that stay stand for twice as many:

       tick        0   1   2   3   4   5   6   7   8 ...        room for 4
       level 0     x   x   x   x
       level 1       x       x       x   x                      one of each 2
       level 2               x                   x ...          one of each 4

   Nothing is moved and nobody waits, so that ticks of many threads may come at
   once, in handlers of signals. All follows from the number of the tick, which
   an atomic addition gives. A group of 2^level ticks has one that stays: the
   winner of its two halves, by a bit that is as random as a hash of level and
   group, so that threads which come in turn, or a program that keeps step, are
   met alike. The winner of two groups keeps its place; the loser's is taken by
   a group that comes later:

       level 1, group 2 and on    take the places of the losers of 0 and 1, 2 and 3, ...

   A place says which tick it has, so that a reader notices what is being
   written, and what has not come.

   Cost: one hash for half of the ticks, two for a quarter, and so on; for one
   that stays, as many as there are levels. */
#if UINTPTR_MAX > UINT32_MAX
typedef uint64_t bursty_p_serial;
#else
typedef uint32_t bursty_p_serial;
#endif

typedef struct bursty_p_moment {
    uint32_t serial, what;    /* serial: 1 + its low bits; 0 while it is written */
    uint32_t low, high;       /* us */
} bursty_p_moment;

/* Which of the groups 2 g and 2 g + 1 of a level stays, 0 or 1. */
static uint32_t bursty_p_winner(uint32_t level, bursty_p_serial g) {
    uint32_t h = (uint32_t)g * UINT32_C(0x9E3779B1) + level;
    h = (h ^ h >> 15) * UINT32_C(0x85EBCA6B);
    h = (h ^ h >> 13) * UINT32_C(0xC2B2AE35);
    return h >> 31;
}

/* The level at which the tick of that number comes. */
static uint32_t bursty_p_level(uint32_t bits, bursty_p_serial serial) {
    uint32_t level = 0;
    for (serial >>= bits; serial; serial >>= 1) level++;
    return level;
}

/* The place of a group. */
static uint32_t bursty_p_place(uint32_t bits, uint32_t level, bursty_p_serial group) {
    const bursty_p_serial half = (bursty_p_serial)1 << (bits - 1);
    while (level--) {
        const uint32_t is_late = group >= half;
        if (is_late) group -= half;
        group = 2 * group + (bursty_p_winner(level, group) ^ is_late);
    }
    return (uint32_t)group;
}

/* The tick of that number, if it stays. */
static void bursty_p_put_moment(bursty_p_moment *at, uint32_t bits, bursty_p_serial serial,
                              uint32_t what, uint64_t us) {
    const uint32_t level = bursty_p_level(bits, serial);
    bursty_p_serial group = serial;
    uint32_t k;
    for (k = 0; k < level; k++, group >>= 1)
        if ((group & 1) != bursty_p_winner(k, group >> 1)) return;
    at += bursty_p_place(bits, level, group);
    BURSTY_P_RELEASE(&at->serial, 0);
    BURSTY_P_RELEASE(&at->what, what);
    BURSTY_P_RELEASE(&at->low, (uint32_t)us);
    BURSTY_P_RELEASE(&at->high, (uint32_t)(us >> 32));
    BURSTY_P_RELEASE(&at->serial, (uint32_t)serial + 1);
}

/* How many groups the first `drawn` ticks have. */
static uint32_t bursty_p_groups(uint32_t bits, bursty_p_serial drawn) {
    return drawn ? (uint32_t)((drawn - 1) >> bursty_p_level(bits, drawn - 1)) + 1 : 0;
}

/* The one that stays of a group. Returns 0 if it is not there. */
static int bursty_p_get_moment(const bursty_p_moment *at, uint32_t bits, bursty_p_serial drawn,
                             uint32_t group, uint32_t *what, uint64_t *us) {
    const uint32_t level = bursty_p_level(bits, drawn - 1);
    bursty_p_serial serial = group;
    uint32_t k = level, number;
    while (k--) serial = 2 * serial + bursty_p_winner(k, serial);
    at += bursty_p_place(bits, level, group);
    number = BURSTY_P_ACQUIRE(&at->serial);
    *what = BURSTY_P_ACQUIRE(&at->what);
    *us = BURSTY_P_ACQUIRE(&at->low);
    *us |= (uint64_t)BURSTY_P_ACQUIRE(&at->high) << 32;
    return number && number == (uint32_t)serial + 1
           && number == BURSTY_P_ACQUIRE(&at->serial);
}

/* ---- stretches of time, the longest of them ---- */

/* Waits, or slow frames. When there is no room, the shorter half goes, and is
   counted. Nobody waits: one that finds another at work is counted, too. */
typedef struct bursty_p_span {
    uint64_t from_us, us;
    uint32_t what, thread;
} bursty_p_span;

typedef struct bursty_p_spans {
    bursty_p_span *at;
    uint32_t room, count, busy;
    uint32_t missed;                   /* others were at work */
    uint64_t least_us;                 /* shorter ones are left out */
    uint64_t left, left_us;            /* how many were, and their sum */
} bursty_p_spans;

/* Brings the `kept` longest to the front. */
static void bursty_p_select(bursty_p_span *at, uint32_t count, uint32_t kept) {
    uint32_t low = 0, high = count;
    while (high - low > 1) {
        const uint64_t middle = at[low + (high - low) / 2].us;
        uint32_t i = low, first = low, last = high;
        while (i < last) {                   /* longer | as long | not seen | shorter */
            const bursty_p_span s = at[i];
            if (s.us > middle) {
                at[i++] = at[first];
                at[first++] = s;
            } else if (s.us < middle) {
                at[i] = at[--last];
                at[last] = s;
            } else i++;
        }
        if (kept <= first) high = first;
        else if (kept >= last) low = last;
        else return;
    }
}

/* The shorter half goes. */
static void bursty_p_drop_spans(bursty_p_spans *s) {
    const uint32_t kept = s->room / 2;
    uint64_t least = UINT64_MAX;
    uint32_t i;
    bursty_p_select(s->at, s->count, kept);
    for (i = 0; i < s->count; i++) {
        if (i < kept && s->at[i].us < least) least = s->at[i].us;
        if (i >= kept) s->left_us += s->at[i].us;
    }
    s->left += s->count - kept;
    s->least_us = least;
    s->count = kept;
}

BURSTY_P_UNUSED static void bursty_p_add_span(bursty_p_spans *s, uint32_t what, uint32_t thread,
                                          uint64_t from_us, uint64_t us) {
    bursty_p_span *to;
    if (s->room < 2) return;
    if (!bursty_p_cas(&s->busy, 0, 1)) {
        (void)BURSTY_P_ADD(&s->missed, 1);
        return;
    }
    if (s->count == s->room) bursty_p_drop_spans(s);
    if (us < s->least_us) {
        s->left++;
        s->left_us += us;
    } else {
        to = &s->at[s->count++];
        to->from_us = from_us;
        to->us = us;
        to->what = what;
        to->thread = thread;
    }
    BURSTY_P_RELEASE(&s->busy, 0);
}

/* Nothing of before counts any more. */
BURSTY_P_UNUSED static void bursty_p_clear_spans(bursty_p_spans *s) {
    uint32_t tries = 1000;
    while (tries && !bursty_p_cas(&s->busy, 0, 1)) tries--;
    if (!tries) return;
    s->count = 0;
    s->least_us = s->left = s->left_us = 0;
    BURSTY_P_RELEASE(&s->missed, 0);
    BURSTY_P_RELEASE(&s->busy, 0);
}

#endif

/* ---- ticks in time -------------------------------- src/bursty/axis.c ---- */

#if BURSTY_FRAMES > 0 || defined(BURSTY_P_AXIS)

#if defined(_WIN32) && !defined(BURSTY_BARE)
#define BURSTY_P_COUNTER
union _LARGE_INTEGER;
__declspec(dllimport) int __stdcall QueryPerformanceCounter(union _LARGE_INTEGER *count);
__declspec(dllimport) int __stdcall QueryPerformanceFrequency(union _LARGE_INTEGER *hertz);
#endif

static uint64_t bursty_p_frame_ns(void) {
    const bursty_config *config = &bursty_p_all.config;
    if (config->frame_clock) return config->frame_clock(config->clock_user);
#if defined(BURSTY_P_POSIX) && defined(CLOCK_MONOTONIC)
    {
        struct timespec now;
        if (clock_gettime(CLOCK_MONOTONIC, &now) != 0) return 0;
        return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
    }
#elif defined(BURSTY_P_CLOCK)
    return bursty_p_read_ns(1);
#elif defined(BURSTY_P_COUNTER)
    {
        uint64_t now = 0, hertz = 0;
        (void)QueryPerformanceCounter((union _LARGE_INTEGER *)(void *)&now);
        (void)QueryPerformanceFrequency((union _LARGE_INTEGER *)(void *)&hertz);
        if (hertz == 0) return 0;
        return now / hertz * 1000000000 + now % hertz * 1000000000 / hertz;
    }
#else
    return 0;
#endif
}

/* Without a clock there are no frames. */
BURSTY_P_UNUSED static int bursty_p_has_frame_clock(void) {
#if (defined(BURSTY_P_POSIX) && defined(CLOCK_MONOTONIC)) || defined(BURSTY_P_CLOCK) || \
    defined(BURSTY_P_COUNTER)
    return 1;
#else
    return bursty_p_all.config.frame_clock != NULL;
#endif
}

#endif

#ifdef BURSTY_P_AXIS

/* With config.timeline = n the ticks have their moments: n of them, thinned out
   (moments.c), the waits that the watcher sees, and slow frames. The zero of
   the axis is bursty_start.

       ticks, n places     moment, and the row of the path, which has the thread
       waits, n / 8        from when to when, and the row
       frames, n / 8       the same, and the kind and the thread

   A wait is what looks at one thread have found without a break: in one path,
   and its CPU time did not move. It begins and ends halfway between two
   looks. */
enum { BURSTY_P_AXIS_LEAST = 4, BURSTY_P_AXIS_MOST = 24 }; /* places: powers of 2 */
static struct {
    bursty_p_moment *ticks;
    uint32_t bits;                       /* 2^bits places; 0: nobody asked            */
    bursty_p_tick_count drawn;           /* ticks so far: n of one call are n         */
    uint64_t began_ns;
    bursty_p_spans waits, frames;
} bursty_p_axis;

static size_t bursty_p_axis_bytes(uint32_t bits) {
    return ((size_t)1 << bits) * (sizeof(bursty_p_moment) + sizeof(bursty_p_span) / 4);
}

/* Takes at most `bytes` of memory. Returns how many. */
static size_t bursty_p_lay_out_axis(unsigned char *memory, size_t bytes,
                                    uint32_t wanted) {
    uint32_t bits = BURSTY_P_AXIS_MOST;
    bursty_p_span *spans;
    bursty_p_zero(&bursty_p_axis, sizeof bursty_p_axis);
    while (bits >= BURSTY_P_AXIS_LEAST
           && (wanted < UINT32_C(1) << bits || bytes < bursty_p_axis_bytes(bits))) bits--;
    if (bits < BURSTY_P_AXIS_LEAST) return 0;
#ifndef BURSTY_BARE
    if (!bursty_p_has_frame_clock()) return 0;
#endif
    spans = (bursty_p_span *)(void *)memory;
    bursty_p_axis.waits.room = bursty_p_axis.frames.room = UINT32_C(1) << (bits - 3);
    bursty_p_axis.waits.at = spans;
    bursty_p_axis.frames.at = spans + bursty_p_axis.waits.room;
    spans += (size_t)2 * bursty_p_axis.waits.room;
    bursty_p_axis.ticks = (bursty_p_moment *)(void *)spans;
    bursty_p_axis.bits = bits;
    return bursty_p_axis_bytes(bits);
}

static void bursty_p_zero_axis(void) {
    if (bursty_p_axis.bits)
        bursty_p_zero(bursty_p_axis.waits.at, bursty_p_axis_bytes(bursty_p_axis.bits));
    bursty_p_zero(&bursty_p_axis, sizeof bursty_p_axis);
}

/* For how many ticks there is room to note their moments. */
static uint32_t bursty_p_axis_room(void) {
    return bursty_p_axis.bits ? UINT32_C(1) << bursty_p_axis.bits : 0;
}

/* Since bursty_start. Without a clock of its own a board counts its ticks. */
static uint64_t bursty_p_axis_us(void) {
#ifdef BURSTY_BARE
    if (!bursty_p_all.config.frame_clock)
        return (uint64_t)BURSTY_P_ACQUIRE(&bursty_p_axis.drawn) * bursty_p_ticks.period_us;
#endif
    const uint64_t now = bursty_p_frame_ns();
    return now > bursty_p_axis.began_ns ? (now - bursty_p_axis.began_ns) / 1000 : 0;
}

/* n ticks of a row, on any thread. Of more than 100 at once 100 have moments. */
static void bursty_p_axis_tick(uint32_t row, uint32_t n) {
    const uint32_t usual = bursty_p_ticks.usual;
    bursty_p_tick_count before, at, end;
    uint64_t us;
    if (!bursty_p_axis.bits) return;
    if (BURSTY_P_ACQUIRE(&bursty_p_axis.drawn) > BURSTY_P_TICK_MOST / 2) return;
    before = bursty_p_tick_add_shared(&bursty_p_axis.drawn, n);
    at = before / usual;
    end = (before + n) / usual;
    if (at == end) return;
    if (end - at > 100) at = end - 100;
    for (us = bursty_p_axis_us(); at < end; at++)
        bursty_p_put_moment(bursty_p_axis.ticks, bursty_p_axis.bits, at, row, us);
}

#if BURSTY_FRAMES > 0
/* A slow frame. */
static void bursty_p_axis_frame(uint32_t kind, uint32_t thread, uint64_t began_ns,
                                uint64_t ns) {
    const uint64_t zero_ns = bursty_p_axis.began_ns;
    if (!bursty_p_axis.bits) return;
    bursty_p_add_span(&bursty_p_axis.frames, kind, thread,
                      began_ns > zero_ns ? (began_ns - zero_ns) / 1000 : 0, ns / 1000);
}
#endif

#ifdef BURSTY_P_WATCHER
/* The wait of a thread is over at `us`, if there is one. */
static void bursty_p_axis_end_wait(bursty_p_thread *t, uint64_t us) {
    const uint64_t from_us = BURSTY_P_READ(&t->waits_from);
    const uint32_t row = BURSTY_P_GET(&t->waits_in);
    if (!row) return;
    BURSTY_P_PUT(&t->waits_in, 0);
    bursty_p_add_span(&bursty_p_axis.waits, row, t->number, from_us,
                      us > from_us ? us - from_us : 0);
}

/* A look at a thread: it waits in that row, or 0. woke: its CPU time has moved
   since the last one. On the watcher's thread. */
static void bursty_p_axis_look(bursty_p_thread *t, uint32_t row, int woke) {
    const uint64_t before = BURSTY_P_READ(&t->looked_at);
    uint64_t now, middle;
    if (!bursty_p_axis.bits) return;
    now = bursty_p_axis_us();
    middle = before && before < now ? before + (now - before) / 2 : now;
    if (!row || woke || BURSTY_P_GET(&t->waits_in) != row) {
        bursty_p_axis_end_wait(t, middle);
        BURSTY_P_STORE(&t->waits_from, middle);
        BURSTY_P_PUT(&t->waits_in, row);
    }
    BURSTY_P_STORE(&t->looked_at, now);
}

/* The record of a thread that has ended, or begins. */
static void bursty_p_axis_forget(bursty_p_thread *t) {
    bursty_p_axis_end_wait(t, BURSTY_P_READ(&t->looked_at));
    BURSTY_P_STORE(&t->looked_at, 0);
}
#endif

/* Ticks may come meanwhile. */
static void bursty_p_clear_axis(void) {
    const size_t count = bursty_p_axis.bits ? (size_t)1 << bursty_p_axis.bits : 0;
    size_t i;
    for (i = 0; i < count; i++) BURSTY_P_RELEASE(&bursty_p_axis.ticks[i].serial, 0);
    BURSTY_P_RELEASE(&bursty_p_axis.drawn, 0);
    bursty_p_clear_spans(&bursty_p_axis.waits);
    bursty_p_clear_spans(&bursty_p_axis.frames);
#ifdef BURSTY_P_WATCHER
    for (i = 0; count && i < bursty_p_threads(); i++)
        BURSTY_P_PUT(&bursty_p_all.threads[i].waits_in, 0);
#endif
}

/* In a child of fork, before it is cleared: whoever was at work is gone. */
static void bursty_p_fork_axis(void) {
    bursty_p_axis.waits.busy = bursty_p_axis.frames.busy = 0;
}

#else
static void bursty_p_zero_axis(void) { }
BURSTY_P_UNUSED static void bursty_p_clear_axis(void) { }
static void bursty_p_fork_axis(void) { }
#endif

/* ---- ticks: the scope of an interrupted instruction  src/bursty/keep_ticks.c ---- */

#if defined(BURSTY_P_TIMERS) && defined(BURSTY_P_KEEP_LEAVES)
#define BURSTY_P_READS_CODE

/*     push %rbx ...                   the function begins                  \
       decl %fs:word                                                          } nobody pushed the
       js   ...                                                             } scope yet
       movl, cmpl, jae, leaq, movq     the scope's site is in the leaq      /
       incl %fs:depth
       ...                             the scope is on the stack
       movl %d, %fs:depth
       cmpl $0, %fs:word                                                    \  nobody has it any
       js   ...                                                             }  more
       pop  %rbx ... ret               the function ends                    /

   A tick in the first or the last of these instructions finds the scope around the function on the
   stack, and yet the function is running. A function of 3 ns would lose half of its ticks to its
   caller. But a scope's two sequences are contiguous and always the same (keep_check.h), so they
   are their own signature, and the handler reads the code that it has interrupted:

   1. It looks back 64 bytes for `decl %fs:word`. Inside the sequence that begins there the scope is
      the one whose site the sequence names. Inside the second sequence, behind its store, it is the
      one whose slot was just left. This is right in inlined functions, too.
   2. It goes on from the beginning of the function, which the sorted table of unwinding has
      (.eh_frame_hdr), to the first branch, over at most 48 instructions. If it meets a first
      sequence, what stands in front belongs to that scope.
   3. Behind a second sequence on a straight way to `ret`, the scope is the one just left, if rule 2
      finds the same one at the function's beginning.

   An instruction of the stub behind a check (keep_check.h) counts as the one
   that the stub goes back to. In all other cases the tick goes to the scope on the stack. Nothing but lengths of instructions
   is needed, no value of a register. If something has rewritten the code (a linker, BOLT), nothing
   matches, and scopes on the stack get all ticks.

   Cost: some 500 instructions a tick. Limit: a function without a scope of its own that runs
   straight into one of an inlined function is charged to that one. */
enum { BURSTY_P_CODE_BACK = 64, BURSTY_P_CODE_WAY = 48, BURSTY_P_CODE_END = 24,
       BURSTY_P_CODE_MOST = 24 /* an instruction's bytes, and some; the stubs behind each scope have 30 */ };

/* One instruction. reg, base, index: registers; 16 is none, 17 is rip. */
typedef struct bursty_p_code {
    const unsigned char *next;
    uint32_t op;              /* with 0x100 for 0F, 0x1000 for VEX and the like  */
    uint32_t reg, base, index, scale;
    uint32_t disp, value;     /* value: the constant behind it, at most 32 bits   */
    int has_place, is_fs, is_wide; /* it uses memory; in the thread's; 64 bits   */
} bursty_p_code;

static struct {
    uintptr_t low, high;        /* the code of this program or shared object     */
    uintptr_t image, image_end;
    uintptr_t start;            /* of the table: count pairs of 32-bit numbers   */
    uint32_t count;             /* 0: no table                                   */
    uint32_t word;              /* from %fs:0 to the thread's word               */
} bursty_p_text;

/* The image begins with an ELF header. The linker makes the symbol if that is
   loaded. */
extern const unsigned char bursty_p_image[] __asm__("__ehdr_start")
    __attribute__((weak, visibility("hidden")));

static uint32_t bursty_p_word_at(const unsigned char *at) {
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}
static uint64_t bursty_p_long_at(const unsigned char *at) {
    return bursty_p_word_at(at) | (uint64_t)bursty_p_word_at(at + 4) << 32;
}
static uintptr_t bursty_p_extend(uint32_t word) { return (uintptr_t)(intptr_t)(int32_t)word; }

/* Where the code is, and the table. Every number is checked: a tick reads
   nothing outside. */
static void bursty_p_find_code(void) {
    enum { LOAD = 1, TABLE = 0x6474e550, RUNS = 1 };
    const unsigned char *head = bursty_p_image, *table;
    const uintptr_t here = (uintptr_t)&bursty_p_find_code;
    uintptr_t base = 0, at, bytes, fs, table_at = 0, table_bytes = 0;
    uint32_t i, count;
    bursty_p_zero(&bursty_p_text, sizeof bursty_p_text);
    if (!head || head[0] != 0x7f || head[1] != 'E' || head[2] != 'L' || head[3] != 'F') return;
    if (head[4] != 2 || bursty_p_long_at(head + 32) != 64 || head[54] != 56) return;
    count = (uint32_t)head[56] | (uint32_t)head[57] << 8;
    /* The header is at the beginning of the file. So is, by its words, a
       segment without a byte of the file, such as one of zeros with an
       alignment of its own. */
    for (i = 0; i < count && i < 32; i++) {
        const unsigned char *p = head + 64 + i * 56;
        if (bursty_p_word_at(p) == LOAD && bursty_p_long_at(p + 8) == 0 && bursty_p_long_at(p + 32))
            base = (uintptr_t)head - (uintptr_t)bursty_p_long_at(p + 16);
    }
    for (i = 0; i < count && i < 32; i++) {
        const unsigned char *p = head + 64 + i * 56;
        at = base + (uintptr_t)bursty_p_long_at(p + 16);
        bytes = (uintptr_t)bursty_p_long_at(p + 40);
        if (bursty_p_word_at(p) == TABLE) {
            table_at = at;
            table_bytes = bytes;
        }
        if (bursty_p_word_at(p) != LOAD) continue;
        if (!bursty_p_text.image || at < bursty_p_text.image) bursty_p_text.image = at;
        if (at + bytes > bursty_p_text.image_end) bursty_p_text.image_end = at + bytes;
        if (!(bursty_p_word_at(p + 4) & RUNS) || here < at || here - at >= bytes) continue;
        bursty_p_text.low = at & ~(uintptr_t)4095; /* whole pages are there */
        bursty_p_text.high = (at + bytes + 4095) & ~(uintptr_t)4095;
    }
    __asm__("{movq\t%%fs:0, %0|mov\t%0, QWORD PTR fs:0}" : "=r"(fs));
    bursty_p_text.word = (uint32_t)((uintptr_t)&BURSTY_P_HERE.n - fs);
    if (table_bytes < 12 || table_at < bursty_p_text.image) return;
    if (table_at + table_bytes > bursty_p_text.image_end) return;
    table = (const unsigned char *)table_at;
    if (table[0] != 1 || table[2] != 3 || table[3] != 0x3B) return;
    count = bursty_p_word_at(table + 8);
    if (count > (table_bytes - 12) / 8) return;
    bursty_p_text.start = table_at;
    bursty_p_text.count = count;
}

/* The beginning of the function that pc is in, or NULL. */
static const unsigned char *bursty_p_function_of(const unsigned char *pc) {
    const unsigned char *table = (const unsigned char *)bursty_p_text.start + 12, *about;
    uint32_t first = 0, behind = bursty_p_text.count;
    uintptr_t begin, at;
    if (behind == 0) return NULL;
    while (behind - first > 1) {
        uint32_t middle = first + (behind - first) / 2;
        at = bursty_p_text.start + bursty_p_extend(bursty_p_word_at(table + (size_t)middle * 8));
        if (at <= (uintptr_t)pc) first = middle;
        else behind = middle;
    }
    table += (size_t)first * 8;
    begin = bursty_p_text.start + bursty_p_extend(bursty_p_word_at(table));
    at = bursty_p_text.start + bursty_p_extend(bursty_p_word_at(table + 4));
    if (at < bursty_p_text.image || at + 16 > bursty_p_text.image_end) return NULL;
    about = (const unsigned char *)at; /* length, -, begin from here, bytes */
    if (at + 8 + bursty_p_extend(bursty_p_word_at(about + 8)) != begin) return NULL;
    if ((uintptr_t)pc - begin >= bursty_p_word_at(about + 12)) return NULL;
    return begin >= bursty_p_text.low ? (const unsigned char *)begin : NULL;
}

/* How many bytes of constants follow an opcode; BURSTY_P_CODE_STOP for
   one that is not known or does not go on to the next instruction. *has_place:
   does it have a ModRM byte? */
enum { BURSTY_P_CODE_STOP = 16 };
static uint32_t bursty_p_constants_0f(uint32_t op, int *has_place) {
    if ((op >= 0x80 && op <= 0x8f) || op == 0x05 || op == 0x0b || op == 0x34 || op == 0x35)
        return BURSTY_P_CODE_STOP;
    if (op == 0x06 || op == 0x08 || op == 0x09 || (op >= 0x30 && op <= 0x33) || op == 0x77
        || (op >= 0xa0 && op <= 0xa2) || (op >= 0xc8 && op <= 0xcf)) {
        *has_place = 0;
    }
    return (op >= 0x70 && op <= 0x73) || op == 0xa4 || op == 0xac || op == 0xba || op == 0xc2
           || (op >= 0xc4 && op <= 0xc6);
}
static uint32_t bursty_p_constants(uint32_t op, uint32_t reg, uint32_t wide, int is_wide,
                                   int *has_place) {
    if (op < 0x40) {
        if ((op & 7) > 5) return BURSTY_P_CODE_STOP;
        if ((op & 7) < 4) return 0;
        *has_place = 0;
        return (op & 7) == 4 ? 1 : wide;
    }
    if ((op >= 0x50 && op <= 0x5f) || (op >= 0x90 && op <= 0x99) || op == 0xc9) {
        *has_place = 0;
        return 0;
    }
    if (op == 0x68 || op == 0xa9 || op == 0x6a || op == 0xa8 || (op >= 0xb0 && op <= 0xbf)) {
        *has_place = 0;
        if (op >= 0xb8) return is_wide ? 8 : wide;
        return op == 0x68 || op == 0xa9 ? wide : 1;
    }
    switch (op) {
    case 0x6b: case 0x80: case 0x83: case 0xc0: case 0xc1: case 0xc6:
        return 1;
    case 0x69: case 0x81: case 0xc7:
        return wide;
    case 0xf6: return reg > 1 ? 0 : 1;
    case 0xf7: return reg > 1 ? 0 : wide;
    case 0xff: return reg >= 2 && reg <= 5 ? BURSTY_P_CODE_STOP : 0;
    default: break;
    }
    if (op == 0x63 || op == 0xfe || (op >= 0x84 && op <= 0x8f) || (op >= 0xd0 && op <= 0xd3)
        || (op >= 0xd8 && op <= 0xdf)) {
        return 0;
    }
    return BURSTY_P_CODE_STOP;
}

/* Reads the instruction at p. Returns 0 if it is unknown, or a branch, a call
   or a return. */
static int bursty_p_read(bursty_p_code *c, const unsigned char *p) {
    uint32_t rex = 0, is_short = 0, constants, mod, reg;
    int has_place = 1;
    bursty_p_zero(c, sizeof *c);
    c->base = c->index = 16;
    for (;; p++) {
        if (*p == 0x66) is_short = 1;
        else if (*p == 0x64) c->is_fs = 1;
        else if (*p != 0xf2 && *p != 0xf3 && *p != 0x2e && *p != 0x3e) break;
    }
    if ((*p & 0xf0) == 0x40) rex = *p++;
    c->is_wide = rex >> 3 & 1;
    c->op = *p++;
    if (c->op == 0xc4 || c->op == 0xc5) { /* VEX */
        uint32_t map = c->op == 0xc5 ? 1 : *p & 31u;
        p += c->op == 0xc5 ? 1 : 2;
        c->op = 0x1000u | *p++;
        if (map < 1 || map > 3) return 0;
        has_place = c->op != 0x1077 || map != 1;
        constants = map == 1 ? bursty_p_constants_0f(c->op & 0xff, &has_place) : map == 3;
        if (map == 1 && c->op != 0x1077) has_place = 1;
    } else if (c->op == 0x0f) {
        c->op = 0x100u | *p++;
        if (c->op == 0x138 || c->op == 0x13a) {
            constants = c->op == 0x13a;
            p++;
        } else {
            constants = bursty_p_constants_0f(c->op & 0xff, &has_place);
        }
    } else {
        reg = *p >> 3 & 7u;
        constants = bursty_p_constants(c->op, reg, is_short ? 2 : 4, c->is_wide, &has_place);
    }
    if (constants == BURSTY_P_CODE_STOP) return 0;
    if (has_place) {
        mod = *p >> 6;
        c->reg = (*p >> 3 & 7u) | (rex & 4) << 1;
        c->base = *p++ & 7u;
        c->has_place = mod != 3;
        if (mod != 3 && c->base == 4) {
            c->index = (*p >> 3 & 7u) | (rex & 2) << 2;
            if (c->index == 4) c->index = 16;
            c->scale = *p >> 6;
            c->base = *p++ & 7u;
            if (mod == 0 && c->base == 5) mod = 4;
        } else if (mod == 0 && c->base == 5) {
            mod = 5;
        }
        c->base |= (rex & 1) << 3;
        if (mod >= 4) c->base = mod == 4 ? 16 : 17;
        if (mod == 1) c->disp = (uint32_t)(int32_t)(int8_t)*p++;
        if (mod == 2 || mod >= 4) {
            c->disp = bursty_p_word_at(p);
            p += 4;
        }
    }
    if (constants == 1) c->value = (uint32_t)(int32_t)(int8_t)*p;
    if (constants == 4) c->value = bursty_p_word_at(p);
    c->next = p + constants;
    return 1;
}

/* Does c use what is `offset` bytes behind the thread's word? In an executable
   the place is written out; in a shared object a register has it, which the
   instruction in front has set. */
static int bursty_p_is_place(const bursty_p_code *c, uint32_t base, uint32_t offset) {
    if (!c->has_place || !c->is_fs || c->base != base) return 0;
    return c->disp == (base == 16 ? bursty_p_text.word + offset : offset);
}

/* Behind a jump on a negative result, or NULL. */
static const unsigned char *bursty_p_behind_js(const unsigned char *p) {
    return p[0] == 0x78 ? p + 2 : p[0] == 0x0f && p[1] == 0x88 ? p + 6 : NULL;
}

/* The register that the instruction at p sets to the offset of the word, as a
   shared object does;
   16 if it does not: the place is written out. The linker may have replaced the
   load. */
static uint32_t bursty_p_base_of(const unsigned char *p) {
    bursty_p_code c;
    uintptr_t at;
    if ((p[0] & 0xf8) != 0x48 || !bursty_p_read(&c, p) || c.next != p + 7) return 16;
    if (c.op == 0xc7 && !c.has_place && c.value == bursty_p_text.word) return c.base;
    if (c.op == 0x8d && c.value == 0 && c.disp == bursty_p_text.word) return c.reg;
    if (c.op != 0x8b || !c.has_place || c.base != 17) return 16;
    at = (uintptr_t)c.next + bursty_p_extend(c.disp);
    if (at < bursty_p_text.image || at + 8 > bursty_p_text.image_end) return 16;
    return *(const uint64_t *)at == (uint64_t)bursty_p_extend(bursty_p_text.word) ? c.reg : 16;
}

/* If a scope's first sequence has its `decl` at p: its end. *begin: with the
   load in front. */
static const unsigned char *bursty_p_is_enter(const unsigned char *p, const unsigned char **begin,
                                              uintptr_t *site) {
    bursty_p_code c;
    uint32_t base, depth;
    if (p[0] != 0x64 || !bursty_p_read(&c, p) || c.op != 0xff || (c.reg & 7) != 1) return NULL;
    base = c.base;
    if (!bursty_p_is_place(&c, base, 0) || c.index != 16) return NULL;
    *begin = p;
    if (base != 16) {
        *begin = p - 7;
        if (bursty_p_base_of(p - 7) != base) return NULL;
    }
    p = bursty_p_behind_js(c.next);
    if (!p || !bursty_p_read(&c, p) || c.op != 0x8b || !bursty_p_is_place(&c, base, 4)) return NULL;
    depth = c.reg;
    if (!bursty_p_read(&c, c.next) || c.value != (uint32_t)BURSTY_STACK) return NULL;
    if (c.op != 0x83 && c.op != 0x81 && c.op != 0x3d) return NULL;
    p = c.next[0] == 0x73 ? c.next + 2 : c.next[0] == 0x0f && c.next[1] == 0x83 ? c.next + 6 : NULL;
    if (!p || !bursty_p_read(&c, p)) return NULL; /* behind jae */
    if (c.op == 0x8d && c.base == 17) {
        *site = (uintptr_t)c.next + bursty_p_extend(c.disp);
        if (!bursty_p_read(&c, c.next) || c.op != 0x89) return NULL;
    } else {
        if (c.op != 0xc7) return NULL;
        *site = bursty_p_extend(c.value);
    }
    if (c.index != depth || c.scale != 3 || !bursty_p_is_place(&c, base, 8)) return NULL;
    if (!bursty_p_read(&c, c.next) || c.op != 0xff || (c.reg & 7) != 0) return NULL;
    if (!bursty_p_is_place(&c, base, 4) || *site < bursty_p_text.image) return NULL;
    return *site <= bursty_p_text.image_end - sizeof(bursty_site) ? c.next : NULL;
}

/* If a scope's second sequence has its `cmpl` at p: its end. */
static const unsigned char *bursty_p_is_leave(const unsigned char *p) {
    const unsigned char *store;
    bursty_p_code c;
    uint32_t base;
    if (p[0] != 0x64 || !bursty_p_read(&c, p) || c.op != 0x83 || (c.reg & 7) != 7) return NULL;
    base = c.base;
    if (c.value != 0 || !bursty_p_is_place(&c, base, 0)) return NULL;
    for (store = p - 4; store >= p - 9; store--) { /* movl %d, %fs:depth */
        bursty_p_code s;
        if (store[0] != 0x64 || !bursty_p_read(&s, store) || s.next != p) continue;
        if (s.op == 0x89 && bursty_p_is_place(&s, base, 4)) return bursty_p_behind_js(c.next);
    }
    return NULL;
}

/* Goes straight from p to `ret`. Is pc on the way? A jump to elsewhere is
   followed; the test of a stack protector is passed. */
static int bursty_p_is_last(const unsigned char *p, const unsigned char *pc) {
    int i, is_met = 0;
    for (i = 0; i < BURSTY_P_CODE_END; i++) {
        bursty_p_code c;
        is_met |= p == pc;
        if ((uintptr_t)p < bursty_p_text.low || (uintptr_t)p + BURSTY_P_CODE_MOST > bursty_p_text.high) return 0;
        if (*p == 0xc3) return is_met;
        if (*p == 0xf3 && p[1] == 0xc3) return is_met;
        if (*p == 0xeb) p += 2 + (int8_t)p[1];
        else if (*p == 0xe9) p += 5 + (int32_t)bursty_p_word_at(p + 1);
        else if (*p == 0x74 && p[1] == 5 && p[2] == 0xe8) p += 7;
        else if (*p == 0x75 && p[1] < 0x80) p += 2;
        else if (*p == 0x0f && p[1] == 0x85 && p[5] < 0x80) p += 6;
        else if (bursty_p_read(&c, p)) p = c.next;
        else return 0;
    }
    return 0;
}

/* pc, or in a stub the instruction that it goes back to. The stub:
   addq $-128, %rsp; call; jmp. */
static const unsigned char *bursty_p_behind_stub(const unsigned char *pc) {
    static const uint8_t begins[3] = { 0, 4, 9 };
    uint32_t i;
    for (i = 0; i < 3; i++) {
        const unsigned char *p = pc - begins[i];
        if (bursty_p_word_at(p) == 0x80c48348 && p[4] == 0xe8 && p[9] == 0xe9)
            return p + 14 + (int32_t)bursty_p_word_at(p + 10);
    }
    return pc;
}

static int bursty_p_has_room(const unsigned char *pc) {
    return (uintptr_t)pc >= bursty_p_text.low + 2 * BURSTY_P_CODE_BACK
           && (uintptr_t)pc + BURSTY_P_CODE_MOST <= bursty_p_text.high;
}

/* The scope of the function whose first or last instructions pc is in, or
   NULL. */
static const bursty_site *bursty_p_running(const unsigned char *pc) {
    const unsigned char *p, *end, *begin = NULL;
    const uint32_t depth = BURSTY_P_HERE.depth;
    const bursty_site *left = depth < BURSTY_STACK ? BURSTY_P_HERE.stack[depth] : NULL;
    uintptr_t site = 0;
    int i, is_on_way = 0;
    if (!bursty_p_has_room(pc)) return NULL;
    pc = bursty_p_behind_stub(pc);
    if (!bursty_p_has_room(pc)) return NULL;
    for (p = pc + 7; p > pc - BURSTY_P_CODE_BACK; p--) {
        if (*p != 0x64) continue;
        end = bursty_p_is_enter(p, &begin, &site);
        if (end && pc >= begin && pc < end) return (const bursty_site *)site;
        end = p <= pc ? bursty_p_is_leave(p) : NULL;
        if (end && pc < end) return left;
    }
    site = 0;
    p = bursty_p_function_of(pc);
    for (i = 0; p && i < BURSTY_P_CODE_WAY; i++) {
        bursty_p_code c;
        if ((uintptr_t)p + BURSTY_P_CODE_MOST > bursty_p_text.high) return NULL;
        if (*p == 0x64 && bursty_p_is_enter(p, &begin, &site)) break;
        is_on_way |= p == pc;
        site = 0;
        if (!bursty_p_read(&c, p)) return NULL;
        p = c.next;
    }
    if (!site) return NULL;
    if (is_on_way) return (const bursty_site *)site;
    if ((const bursty_site *)site != left) return NULL;
    for (p = pc; p > pc - 3 * BURSTY_P_CODE_BACK / 2; p--) {
        end = *p == 0x64 ? bursty_p_is_leave(p) : NULL;
        if (end) return bursty_p_is_last(end, pc) ? left : NULL;
    }
    return NULL;
}

/* The same for a signal handler's context: rip is the 17th word of the
   machine's part, behind 40 bytes. ucontext_t itself is hidden under some
   standards. */
static const bursty_site *bursty_p_interrupted(const void *context) {
    uintptr_t pc = ((const uintptr_t *)context)[5 + 16];
    return bursty_p_text.high ? bursty_p_running((const unsigned char *)pc) : NULL;
}

#else
#define bursty_p_find_code() ((void)0)
#define bursty_p_interrupted(context) ((void)(context), BURSTY_P_CAST(const bursty_site *, NULL))
#endif

#ifdef BURSTY_P_TIMERS

/* ---- a timer of a thread's CPU time ----------------- src/cpu_timer.c ---- */

/* CLOCK_THREAD_CPUTIME_ID with SIGEV_THREAD_ID: it runs while the thread runs,
   and interrupts that thread and no other. The system calls are made directly,
   since C libraries hide the field of the thread's id. */
typedef struct bursty_p_timer_event {
    void *value;
    int signal, notify, thread;
    char rest[64 - sizeof(void *) - 3 * sizeof(int)];
} bursty_p_timer_event;
typedef struct bursty_p_timer_times {
    long interval_s, interval_ns, value_s, value_ns;
} bursty_p_timer_times;

/* Returns the number of a timer of the calling thread, or -1: the system has
   none. Its signals carry `value`. */
static int bursty_p_timer_create(int signal, void *value) {
    enum { THREAD_CPU = 3, THREAD_ID = 4 }; /* the kernel's numbers */
    bursty_p_timer_event event;
    int timer;
    memset(&event, 0, sizeof event);
    event.value = value;
    event.signal = signal;
    event.notify = THREAD_ID;
    event.thread = (int)syscall(SYS_gettid);
    return syscall(SYS_timer_create, (long)THREAD_CPU, &event, &timer) == 0 ? timer : -1;
}

/* It ticks when the thread's CPU time is at_ns, or has grown by that unless
   is_absolute, and then each each_ns of it; 0: once. Returns 0, or -1. */
static int bursty_p_timer_set(int timer, int is_absolute, uint64_t at_ns, uint64_t each_ns) {
    bursty_p_timer_times times;
    times.interval_s = (long)(each_ns / 1000000000);
    times.interval_ns = (long)(each_ns % 1000000000);
    times.value_s = (long)(at_ns / 1000000000);
    times.value_ns = (long)(at_ns % 1000000000);
    return (int)syscall(SYS_timer_settime, (long)timer, (long)is_absolute, &times, (void *)0);
}

static void bursty_p_timer_delete(int timer) {
    (void)syscall(SYS_timer_delete, (long)timer);
}

/* ---- ticks in step ------------------------------------ src/in_step.c ---- */

/* The kernel looks at timers of CPU time when its clock ticks, every 4 ms. A
   program that wakes at moments of the same clock meets these ticks at the same
   place of its work, each time, and whatever stands there gets all of them:

       clock     |       |       |       |       |       |       |       |
       wakes       uuudddd                                 uuudddd
       a tick              ^                                       ^

   So the numbers of the clock's ticks that interrupted it leave the same
   remainder by some r: here by 5. Each signal is counted by its remainder for
   all r. Signals that no sleep came before are left out: a thread that runs on is
   interrupted in a regular way, too, and loses nothing by it.

   Cost: the coarse clock, which needs no system call, and 24 divisions. */
enum { BURSTY_P_STEPS = 25 };
typedef struct bursty_p_steps {
    uint64_t clock_ns, from_ns; /* between two ticks of the clock; 0: not known */
    uint32_t count;
    uint32_t at[BURSTY_P_STEPS * (BURSTY_P_STEPS + 1) / 2]; /* of r from r (r - 1) / 2 on */
} bursty_p_steps;

static uint64_t bursty_p_coarse_ns(int is_length) {
    enum { MONOTONIC_COARSE = 6 }; /* the kernel's number */
    struct timespec t;
    if ((is_length ? clock_getres(MONOTONIC_COARSE, &t) : clock_gettime(MONOTONIC_COARSE, &t)) != 0) return 0;
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* Ticks may come meanwhile, but not at the first time. */
static void bursty_p_begin_steps(bursty_p_steps *s) {
    uint32_t i;
    for (i = 0; i < sizeof s->at / sizeof *s->at; i++) __atomic_store_n(&s->at[i], 0, __ATOMIC_RELAXED);
    __atomic_store_n(&s->count, 0, __ATOMIC_RELAXED);
    if (s->clock_ns) return;
    s->from_ns = bursty_p_coarse_ns(0);
    s->clock_ns = bursty_p_coarse_ns(1);
}

/* A signal that stands for so much CPU time. last_ns: of the thread, 0 at
   first. */
static void bursty_p_step(bursty_p_steps *s, uint64_t *last_ns, uint64_t ran_us) {
    const uint64_t now = bursty_p_coarse_ns(0), went = now - *last_ns;
    const int is_first = *last_ns == 0;
    uint64_t tick;
    uint32_t r;
    *last_ns = now;
    if (is_first || s->clock_ns == 0 || now < s->from_ns) return;
    if (went <= 1500 * ran_us + s->clock_ns) return; /* it ran on */
    tick = (now - s->from_ns + s->clock_ns / 2) / s->clock_ns;
    for (r = 2; r <= BURSTY_P_STEPS; r++)
        (void)__atomic_fetch_add(&s->at[r * (r - 1) / 2 + (uint32_t)(tick % r)], 1, __ATOMIC_RELAXED);
    (void)__atomic_fetch_add(&s->count, 1, __ATOMIC_RELAXED);
}

/* Finds the r that stands out most. Returns how many of `count` left its most frequent
   remainder. More than 1 / r + 1 / 4 of them and 45 % stand out. */
static uint32_t bursty_p_worst_step(const bursty_p_steps *s, uint32_t *worst) {
    const int64_t count = (int64_t)__atomic_load_n(&s->count, __ATOMIC_RELAXED);
    int64_t most = INT64_MIN;
    uint32_t r, k, found = 0;
    *worst = 2;
    for (r = 2; r <= BURSTY_P_STEPS; r++) {
        const int64_t expected = r < 5 ? 100 / (int64_t)r + 25 : 45;
        uint32_t top = 0;
        for (k = 0; k < r; k++) {
            const uint32_t n = __atomic_load_n(&s->at[r * (r - 1) / 2 + k], __ATOMIC_RELAXED);
            if (n > top) top = n;
        }
        if (100 * (int64_t)top - expected * count <= most) continue;
        most = 100 * (int64_t)top - expected * count;
        found = top;
        *worst = r;
    }
    return found;
}

#endif

/* ---- stacks that nobody has told of ------------- src/bursty/stacks.c ---- */

/* A program may switch stacks without bursty_fiber_switch. The thread's open
   scopes are then those of whoever opened them last, on any stack, and a tick
   is charged to them. No depth shows it: every scope may end where it began.
   But a tick knows its stack pointer, and on which stack it should be:

       main's stack    ends at __libc_stack_end, and grows down as far as a limit
       other threads'  glibc has pthread_self() at the top of the mapping
       sigaltstack     a signal handler's, on which the thread is for the moment

   A tick elsewhere, while scopes are open, is *astray*. A thread that has called
   bursty_fiber_switch is not asked: between that call and the switch itself it
   stands on the other stack. What cannot be told is not astray: other C
   libraries, and a stack less than 64 KB below pthread_self().

   Cost: nothing on checks and scopes, some instructions for a tick; a system
   call if the tick seems astray, and once for a thread a look at its mappings. */
#if defined(BURSTY_P_TIMERS) && defined(__GLIBC__) && defined(SS_ONSTACK) && \
    defined(SYS_prlimit64) && defined(SYS_openat) && defined(BURSTY_P_GNU)
#define BURSTY_P_KNOWS_STACKS
extern void *bursty_p_stack_end __asm__("__libc_stack_end") __attribute__((weak));

/* Its own without a look. */
enum { BURSTY_P_MAIN_LEAST = 8 << 20, BURSTY_P_THREAD_LEAST = 1 << 16 };
enum { BURSTY_P_NOT_ASKED, BURSTY_P_MAIN, BURSTY_P_NOT_MAIN };
static BURSTY_P_TLS struct {
    uint32_t is;       /* BURSTY_P_MAIN, ... */
    uint32_t told;     /* it has called bursty_fiber_switch */
    uintptr_t low;     /* of its stack; 0: not asked */
} bursty_p_own_stack;

/* On a thread that gets a timer. */
static void bursty_p_ask_stack(void) {
    if (bursty_p_own_stack.is != BURSTY_P_NOT_ASKED) return; /* a forked child's thread, too */
    bursty_p_own_stack.is = BURSTY_P_NOT_MAIN;
    if (syscall(SYS_gettid) == (long)getpid()) bursty_p_own_stack.is = BURSTY_P_MAIN;
}

static int bursty_p_is_on_main_stack(uintptr_t at) {
    uint64_t limit[2] = { 0, 0 };
    const uintptr_t end = &bursty_p_stack_end ? (uintptr_t)bursty_p_stack_end : UINTPTR_MAX;
    if (at > end) return 0;
    if (end == UINTPTR_MAX || end - at < BURSTY_P_MAIN_LEAST) return 1;
    return syscall(SYS_prlimit64, 0L, 3L, (void *)0, limit) != 0 || end - at < limit[0];
}

/* Where the readable memory begins that has `at` in it: mappings in a row, as
   mlock makes several of one stack, up to a guard page. 1: not known, so all may
   be its own. Without the C library's files, since it may be in the middle of
   anything. */
static uintptr_t bursty_p_memory_of(uintptr_t at) {
    char bytes[512];
    uintptr_t low = 0, high = 0, begin = 0, end = 0, found = 1;
    int part = 0; /* of a line: 0 low, 1 high, 2 may it be read, 3 the rest */
    long got, i, file = syscall(SYS_openat, -100L, "/proc/self/maps", 0L);
    if (file < 0) return found;
    while (found == 1 && (got = syscall(SYS_read, file, bytes, sizeof bytes)) > 0) {
        for (i = 0; i < got && found == 1; i++) {
            const char c = bytes[i];
            const uintptr_t digit = (uintptr_t)(c <= '9' ? c - '0' : c - 'a' + 10);
            if (c == '\n') {
                low = high = 0;
                part = 0;
            } else if (part < 2 && (c == '-' || c == ' ')) {
                part++;
            } else if (part == 0) {
                low = low << 4 | digit;
            } else if (part == 1) {
                high = high << 4 | digit;
            } else if (part == 2) {
                if (low != end) begin = low;
                end = c == 'r' ? high : 0;
                if (end && low <= at && at < high) found = begin;
                part = 3;
            }
        }
    }
    (void)syscall(SYS_close, file);
    return found;
}

static int bursty_p_is_on_thread_stack(uintptr_t at) {
    const uintptr_t top = (uintptr_t)pthread_self();
    if (at > top) return 0;
    if (top - at < BURSTY_P_THREAD_LEAST) return 1;
    if (!bursty_p_own_stack.low) bursty_p_own_stack.low = bursty_p_memory_of(top);
    return at >= bursty_p_own_stack.low;
}

static int bursty_p_is_astray(const void *frame) {
    const uintptr_t at = (uintptr_t)frame;
    stack_t handlers;
    if (BURSTY_P_HERE.depth == 0 || bursty_p_own_stack.told) return 0;
    if (bursty_p_own_stack.is == BURSTY_P_NOT_ASKED) return 0;
    if (bursty_p_own_stack.is == BURSTY_P_MAIN ? bursty_p_is_on_main_stack(at)
                                               : bursty_p_is_on_thread_stack(at)) return 0;
    return sigaltstack(NULL, &handlers) == 0 && !(handlers.ss_flags & SS_ONSTACK);
}
#endif

/* ---- timers ------------------------------------- src/bursty/timers.c ---- */

/* A thread's CPU time is divided into periods, and a tick is due at a random moment
   of each:

       CPU time:   |  x      |      x  |x        |    x    |

   Ticks one period apart would be in step with a loop whose rounds take that much:
   of a game with 10 ms of work in each frame one function had 60 to 73 % for 50. The
   first period has begun at a random moment before the thread; a tick that was due
   before is left out. Cost: two system calls a tick. */
#ifdef BURSTY_P_TIMERS
enum { BURSTY_P_TICK_CAP = 100 };

static int bursty_p_tick_signal; /* 0: no timer is started any more */
static bursty_p_steps bursty_p_stepping;
static BURSTY_P_TLS struct {
    uint64_t last_ns;    /* when it ticked last, by the coarse clock */
    int64_t period_at;   /* the CPU time at which the period of the next tick begins */
    uint32_t random;     /* never 0 */
} bursty_p_timed;

static int64_t bursty_p_timer_period(void) {
    return (int64_t)bursty_p_ticks.period_us * bursty_p_ticks.usual * 1000;
}

/* A random moment of that many ns. */
static int64_t bursty_p_any_moment(int64_t ns) {
    return ns * (int64_t)bursty_p_below(&bursty_p_timed.random, 1 << 16) / (1 << 16);
}

/* Plans the next tick. Returns how many periods had theirs up to now, or -1: the
   system refuses. */
static int bursty_p_timer_next(int timer) {
    const int64_t period = bursty_p_timer_period(), now = (int64_t)bursty_p_thread_ns(NULL);
    const int64_t most = 1 << 24;
    int64_t passed = 0, due;
    if (now > bursty_p_timed.period_at + 2 * period) { /* its signal was blocked */
        passed = (now - bursty_p_timed.period_at) / period - 1;
        bursty_p_timed.period_at += passed * period;
    }
    do {
        bursty_p_timed.period_at += period;
        passed++;
        due = bursty_p_timed.period_at + bursty_p_any_moment(period);
    } while (due <= now);
    /* The timer repeats: if the program has taken the signal, nothing plans the next
       one, and it comes all the same. */
    if (bursty_p_timer_set(timer, 1, (uint64_t)due, 2 * (uint64_t)period) != 0) return -1;
    return (int)(passed < most ? passed : most);
}

static int bursty_p_timer_begin(int timer, uint32_t random) {
    const int64_t period = bursty_p_timer_period();
    bursty_p_timed.random = random ? random : 1;
    /* One period more, as if the last one's tick had been now. */
    bursty_p_timed.period_at =
        (int64_t)bursty_p_thread_ns(NULL) - bursty_p_any_moment(period) - period;
    return bursty_p_timer_next(timer) < 0 ? -1 : 0;
}

/* How many ticks this signal is. One of the watcher's thread has left their
   number in the record. */
static uint32_t bursty_p_tick_number(const siginfo_t *info) {
#ifdef BURSTY_P_TICKER
    if (bursty_p_ticks.is_sent) {
        bursty_p_thread *t = bursty_p_registered();
        return t ? __atomic_exchange_n(&t->owed, 0, __ATOMIC_SEQ_CST) : 0;
    }
#endif
    if (info->si_code == SI_TIMER) {
        const bursty_p_thread *t = bursty_p_registered();
        const uint32_t timer = t ? __atomic_load_n(&t->timer, __ATOMIC_SEQ_CST) : 0;
        const int passed = timer ? bursty_p_timer_next((int)timer - 1) : 1;
        return bursty_p_ticks.usual * (passed > 0 ? (uint32_t)passed : 1);
    }
    return bursty_p_ticks.usual;
}

static void bursty_p_tick_handle(int number, siginfo_t *info, void *context) {
    int error = errno;
    const uint32_t most = BURSTY_P_TICK_CAP * bursty_p_ticks.usual;
    uint32_t n = bursty_p_tick_number(info);
    if (n == 0 || number != bursty_p_tick_signal) return; /* nobody of ours sent it */
    if (!BURSTY_P_IS_SENT)
        bursty_p_step(&bursty_p_stepping, &bursty_p_timed.last_ns,
                      (uint64_t)n * bursty_p_ticks.period_us);
    if (n > most) {
        bursty_p_tick_add_shared(&bursty_p_ticks.late, n - most);
        n = most;
    }
#ifdef BURSTY_P_KNOWS_STACKS
    if (BURSTY_P_ACQUIRE(&bursty_p_ticks.on) == 1
        && bursty_p_is_astray(__builtin_frame_address(0)))
        bursty_p_tick_add_shared(&bursty_p_ticks.astray, n);
#endif
    bursty_p_tick_charge(n, bursty_p_interrupted(context));
    errno = error;
}

/* Whoever takes the timer out of the record deletes it. */
static void bursty_p_disarm(bursty_p_thread *t) {
    uint32_t timer = __atomic_exchange_n(&t->timer, 0, __ATOMIC_SEQ_CST);
    if (timer) bursty_p_timer_delete((int)timer - 1);
}

/* bursty_p_uninstall on another thread forgets the signal first and then
   empties the records; here the timer gets into the record first. So one of the
   two deletes it before it can tick. Returns 0 if the system has no timer. */
static int bursty_p_arm(bursty_p_thread *t) {
    int signal = __atomic_load_n(&bursty_p_tick_signal, __ATOMIC_SEQ_CST), timer;
    uint32_t place = (uint32_t)(uintptr_t)&timer >> 4;
    uint32_t random = ((uint32_t)syscall(SYS_gettid) ^ place) * UINT32_C(0x9E3779B1);
    bursty_p_disarm(t);
    if (!signal) return 1;
#ifdef BURSTY_P_KNOWS_STACKS
    bursty_p_ask_stack();
#endif
    timer = bursty_p_timer_create(signal, NULL);
    if (timer < 0) return 0;
    __atomic_store_n(&t->timer, (uint32_t)timer + 1, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&bursty_p_tick_signal, __ATOMIC_SEQ_CST) != signal) {
        bursty_p_disarm(t);
        return 1;
    }
    if (bursty_p_timer_begin(timer, random) == 0) return 1;
    return __atomic_load_n(&bursty_p_tick_signal, __ATOMIC_SEQ_CST) != signal;
}

static int bursty_p_is_free(int number) {
    struct sigaction old;
    return sigaction(number, NULL, &old) == 0 && !(old.sa_flags & SA_SIGINFO)
           && old.sa_handler == SIG_DFL;
}

/* For timers: the highest real-time signal that has no handler. The highest four
   are left to others: debuggers, valgrind and `bursty record` use them. A tick
   that is sent may arrive while another program takes this one's place, which
   has no handler: SIGURG is ignored there. (A timer's signal is dropped.)
   Returns 0 if there is none. */
static int bursty_p_install(void) {
    struct sigaction action;
    int number = BURSTY_P_IS_SENT ? SIGURG : SIGRTMAX - 4;
    while (number > SIGRTMIN && !bursty_p_is_free(number)) number--;
    if (number == SIGRTMIN || !bursty_p_is_free(number)) return 0;
    bursty_p_find_code();
    memset(&action, 0, sizeof action);
    action.sa_sigaction = bursty_p_tick_handle;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    if (sigaction(number, &action, NULL) != 0) return 0;
    __atomic_store_n(&bursty_p_tick_signal, number, __ATOMIC_SEQ_CST);
    return 1;
}

/* Without timers no signal follows; one that is ignored is not pending any
   more. Timers go first: Linux from 6.13 keeps the signal of a timer that is
   ignored, and sends it when it is not. */
static void bursty_p_uninstall(void) {
    struct sigaction action, old;
    uint32_t i;
    int number = __atomic_exchange_n(&bursty_p_tick_signal, 0, __ATOMIC_SEQ_CST);
    if (!number || sigaction(number, NULL, &old) != 0) return;
    if (!(old.sa_flags & SA_SIGINFO) || old.sa_sigaction != bursty_p_tick_handle) number = 0;
    for (i = 0; i < bursty_p_threads(); i++) bursty_p_disarm(&bursty_p_all.threads[i]);
    memset(&action, 0, sizeof action);
    action.sa_handler = SIG_IGN;
    if (number) (void)sigaction(number, &action, NULL);
    action.sa_handler = SIG_DFL;
    if (number) (void)sigaction(number, &action, NULL);
}

#ifdef BURSTY_P_TICKER
/* To a thread that has not ended; on the watcher's thread. One signal waits at
   most, whatever the thread blocks: the number of its ticks goes on. It is sent
   again if it seems to be lost. */
static void bursty_p_send_ticks(bursty_p_thread *t, uint32_t thread, uint32_t n) {
    const uint32_t most = BURSTY_P_TICK_CAP * bursty_p_ticks.usual;
    const int number = __atomic_load_n(&bursty_p_tick_signal, __ATOMIC_SEQ_CST);
    struct sigaction now;
    uint32_t before;
    if (!number || sigaction(number, NULL, &now) != 0 || !(now.sa_flags & SA_SIGINFO)
        || now.sa_sigaction != bursty_p_tick_handle) return; /* the program has taken it */
    before = __atomic_fetch_add(&t->owed, n, __ATOMIC_SEQ_CST);
    if (before > UINT32_MAX / 2) (void)__atomic_fetch_sub(&t->owed, n, __ATOMIC_SEQ_CST);
    if (before == 0 || before > most)
        (void)syscall(SYS_tgkill, (long)getpid(), (long)thread, (long)number);
}
#endif
#endif /* BURSTY_P_TIMERS */

/* ---- the watcher: what it asks of the system  src/bursty/watcher_system.c ---- */

#ifdef BURSTY_P_WATCHER

/* Each system gives the same few answers:

     wall_ns      a clock that never goes back
     me           a number by which the watcher can ask about the calling thread; 0: none
     forget       gives that number back
     ask          what the thread does, and its CPU time so far
     state        is it blocked (WAITS), or does it run or wait for a processor (READY)?
     processor    where the calling thread finds the number of the processor that it runs on, or NULL
     nap          some 50 us
     slack_ns     how late the timers themselves may be
     sleep        until a moment, or until the watcher's word is not `seen` any more
     begin, end   of the thread that watches; end returns when it has ended

   ANSWERS says how good `ask` is. EXACT: the CPU time moves while the thread
   runs, by nanoseconds. STATE: the system says whether the thread runs. COARSE:
   its CPU time moves by the interrupts of the system's clock, 10 or 16 ms
   apart. */
#define BURSTY_P_COARSE 1
#define BURSTY_P_EXACT 2
#define BURSTY_P_STATE 3
enum { BURSTY_P_WAITS, BURSTY_P_RUNS, BURSTY_P_UNKNOWN, BURSTY_P_READY };

static struct {
    uint32_t word;   /* another one after each new order */
    uint32_t ends;   /* the order to end */
    uint32_t exists; /* there is a thread that somebody must wait for */
    uint32_t rounds; /* that have charged something */
    uint32_t random;
    uint32_t unwatched, unwatched_before;
    uint32_t has_own_files; /* see bursty_p_system_be_prompt */
    uint64_t cost_ns; /* of a round, as a mean of some 64 */
    uint32_t costs;   /* how many of them there are */
    uint32_t own_us;  /* CPU time of its thread, and of those before it */
    bursty_p_tick_count looks, squares, late, cut; /* see watcher.c */
#if defined(_WIN32)
    void *thread, *timer, *event, *library;
    int timer_is_plain;
#else
    pthread_t thread;
#endif
} bursty_p_watcher;

static void bursty_p_watcher_run(void); /* watcher.c */

#if defined(_WIN32)

/* Windows.h is not included: it defines min, max and more in the file of the
   user. These are its declarations, should the user include it. */
#ifdef _WIN64
typedef unsigned long long bursty_p_size;
#else
typedef unsigned long bursty_p_size;
#endif
struct _FILETIME;
struct _SECURITY_ATTRIBUTES;
union _LARGE_INTEGER;
struct HINSTANCE__;
#define BURSTY_P_IMPORT __declspec(dllimport)
BURSTY_P_IMPORT void *__stdcall CreateThread(struct _SECURITY_ATTRIBUTES *security, bursty_p_size stack,
                                             unsigned long(__stdcall *run)(void *), void *user,
                                             unsigned long flags, unsigned long *id);
BURSTY_P_IMPORT void *__stdcall OpenThread(unsigned long access, int inherit, unsigned long id);
BURSTY_P_IMPORT unsigned long __stdcall GetCurrentThreadId(void);
BURSTY_P_IMPORT void *__stdcall GetCurrentProcess(void);
BURSTY_P_IMPORT int __stdcall CloseHandle(void *handle);
BURSTY_P_IMPORT int __stdcall GetThreadTimes(void *thread, struct _FILETIME *began,
                                             struct _FILETIME *ended, struct _FILETIME *kernel,
                                             struct _FILETIME *user);
BURSTY_P_IMPORT int __stdcall GetProcessTimes(void *process, struct _FILETIME *began,
                                              struct _FILETIME *ended, struct _FILETIME *kernel,
                                              struct _FILETIME *user);
BURSTY_P_IMPORT int __stdcall QueryPerformanceCounter(union _LARGE_INTEGER *count);
BURSTY_P_IMPORT int __stdcall QueryPerformanceFrequency(union _LARGE_INTEGER *count);
BURSTY_P_IMPORT void *__stdcall CreateEventW(struct _SECURITY_ATTRIBUTES *security, int manual,
                                             int is_set, const wchar_t *name);
BURSTY_P_IMPORT int __stdcall SetEvent(void *event);
BURSTY_P_IMPORT void *__stdcall CreateWaitableTimerExW(struct _SECURITY_ATTRIBUTES *security,
                                                       const wchar_t *name, unsigned long flags,
                                                       unsigned long access);
BURSTY_P_IMPORT int __stdcall SetWaitableTimer(void *timer, const union _LARGE_INTEGER *due, long period,
                                               void(__stdcall *done)(void *, unsigned long, unsigned long),
                                               void *user, int resume);
BURSTY_P_IMPORT unsigned long __stdcall WaitForMultipleObjects(unsigned long count, void *const *handles,
                                                               int all, unsigned long ms);
BURSTY_P_IMPORT unsigned long __stdcall WaitForSingleObject(void *handle, unsigned long ms);
BURSTY_P_IMPORT void __stdcall Sleep(unsigned long ms);
BURSTY_P_IMPORT int __stdcall GetModuleHandleExW(unsigned long flags, const wchar_t *name,
                                                 struct HINSTANCE__ **module);
BURSTY_P_IMPORT int __stdcall FreeLibrary(struct HINSTANCE__ *module);

#define BURSTY_P_ANSWERS BURSTY_P_COARSE

static uint64_t bursty_p_wall_ns(void) {
    static uint64_t hz;
    uint64_t now = 0;
    if (hz == 0) (void)QueryPerformanceFrequency((union _LARGE_INTEGER *)(void *)&hz);
    (void)QueryPerformanceCounter((union _LARGE_INTEGER *)(void *)&now);
    return hz ? now / hz * 1000000000 + now % hz * 1000000000 / hz : 0;
}

/* Kernel and user time, in units of 100 ns. */
static uint64_t bursty_p_cpu_us(void) {
    uint64_t t[4] = { 0, 0, 0, 0 };
    struct _FILETIME *at[4];
    int i;
    for (i = 0; i < 4; i++) at[i] = (struct _FILETIME *)(void *)&t[i];
    if (!GetProcessTimes(GetCurrentProcess(), at[0], at[1], at[2], at[3])) return 0;
    return (t[2] + t[3]) / 10;
}

/* Handles have 32 bits that count. The access is
   THREAD_QUERY_LIMITED_INFORMATION. */
static uint32_t bursty_p_system_me(void) {
    return (uint32_t)(uintptr_t)OpenThread(0x0800, 0, GetCurrentThreadId());
}
static void *bursty_p_system_handle(uint32_t number) {
    return (void *)(uintptr_t)number;
}
static void bursty_p_system_forget(uint32_t number) {
    (void)CloseHandle(bursty_p_system_handle(number));
}

static int bursty_p_system_ask(uint32_t number, uint64_t *ran_ns) {
    uint64_t t[4] = { 0, 0, 0, 0 };
    struct _FILETIME *at[4];
    int i;
    for (i = 0; i < 4; i++) at[i] = (struct _FILETIME *)(void *)&t[i];
    if (!GetThreadTimes(bursty_p_system_handle(number), at[0], at[1], at[2], at[3])) return BURSTY_P_WAITS;
    *ran_ns = (t[2] + t[3]) * 100;
    return BURSTY_P_UNKNOWN;
}

static int bursty_p_system_state(uint32_t number) {
    (void)number;
    return BURSTY_P_UNKNOWN;
}
static const volatile uint32_t *bursty_p_system_processor(void) { return NULL; }
static void bursty_p_system_nap(void) { Sleep(1); }
static uint64_t bursty_p_system_slack_ns(void) { return bursty_p_watcher.timer_is_plain ? 16000000 : 0; }

static void bursty_p_system_sleep(uint32_t seen, uint64_t until) {
    void *const both[2] = { bursty_p_watcher.event, bursty_p_watcher.timer };
    uint64_t now = bursty_p_wall_ns();
    int64_t due = until > now ? -(int64_t)((until - now + 99) / 100) : 0;
    (void)seen; /* the event stays set until somebody has waited for it */
    if (until && until <= now) return;
    if (until && !SetWaitableTimer(both[1], (const union _LARGE_INTEGER *)(const void *)&due, 0, NULL, NULL, 0))
        Sleep(1);
    else (void)WaitForMultipleObjects(until ? 2 : 1, both, 0, 0xFFFFFFFFul);
}
static void bursty_p_system_wake(void) { (void)SetEvent(bursty_p_watcher.event); }

static uint32_t bursty_p_system_threads(void) { return 0; }

static unsigned long __stdcall bursty_p_watcher_thread(void *nothing) {
    (void)nothing;
    bursty_p_watcher_run();
    return 0;
}

/* Flag 2 of the timer: below a millisecond; older systems refuse it. The
   library with this code stays loaded until bursty_stop. */
static int bursty_p_system_begin(void) {
    struct HINSTANCE__ *library = NULL;
    union { unsigned long(__stdcall *run)(void *); const wchar_t *address; } here;
    unsigned long id;
    here.run = bursty_p_watcher_thread;
    if (!bursty_p_watcher.event) bursty_p_watcher.event = CreateEventW(NULL, 0, 0, NULL);
    if (!bursty_p_watcher.timer)
        bursty_p_watcher.timer = CreateWaitableTimerExW(NULL, NULL, 2, 0x1F0003);
    if (!bursty_p_watcher.timer) {
        bursty_p_watcher.timer = CreateWaitableTimerExW(NULL, NULL, 0, 0x1F0003);
        bursty_p_watcher.timer_is_plain = 1;
    }
    if (!bursty_p_watcher.event || !bursty_p_watcher.timer) return 0;
    (void)GetModuleHandleExW(4, here.address, &library);
    bursty_p_watcher.library = library;
    bursty_p_watcher.thread = CreateThread(NULL, 0, bursty_p_watcher_thread, NULL, 0, &id);
    if (bursty_p_watcher.thread) return 1;
    if (library) (void)FreeLibrary(library);
    return 0;
}
/* Where a process exits, Windows ends all other threads wherever they are, and
   only then says so to this one. 258: it still runs. */
static int bursty_p_system_is_gone(void) { return WaitForSingleObject(bursty_p_watcher.thread, 0) != 258; }
static void bursty_p_system_end(void) {
    (void)WaitForSingleObject(bursty_p_watcher.thread, 0xFFFFFFFFul);
    (void)CloseHandle(bursty_p_watcher.thread);
    if (bursty_p_watcher.library) (void)FreeLibrary((struct HINSTANCE__ *)bursty_p_watcher.library);
}

#else /* POSIX */

/* The watcher must wake when it wants to, and not when the thread that has its
   processor goes to sleep: it would see nobody run. So it asks Linux for exact
   timers and, by the one value that needs no rights, for turns of 0.1 ms: from
   6.12 on who has short turns is let in at once. Kernels that do not know this
   ignore it. The name is for ps and debuggers. From 5.9 on (CLOSE_RANGE_UNSHARE)
   the thread has an empty table of files of its own. So what it opens takes no
   number from the program, and it does not keep open what the program closes. Sanitizers
   write what they find where it happens: there the first three files stay. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define BURSTY_P_FIRST_FILE 3L
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define BURSTY_P_FIRST_FILE 3L
#endif
#endif
#ifndef BURSTY_P_FIRST_FILE
#define BURSTY_P_FIRST_FILE 0L
#endif
static void bursty_p_system_be_prompt(void) {
#if defined(__linux__)
    (void)syscall(SYS_prctl, 29L, 1L, 0L, 0L, 0L);
    (void)syscall(SYS_prctl, 15L, "bursty watcher", 0L, 0L, 0L);
#ifdef SYS_close_range
    BURSTY_P_RELEASE(&bursty_p_watcher.has_own_files,
                     syscall(SYS_close_range, BURSTY_P_FIRST_FILE, 0xFFFFFFFFL, 2L) == 0);
#endif
#if defined(SYS_sched_getattr) && defined(SYS_sched_setattr)
    struct { uint32_t size, policy; uint64_t flags; uint32_t nice, priority; uint64_t turn, deadline, period; } how;
    memset(&how, 0, sizeof how);
    if (syscall(SYS_sched_getattr, 0L, &how, (long)sizeof how, 0L) != 0 || how.policy != 0) return;
    how.size = (uint32_t)sizeof how;
    how.turn = 100000;
    (void)syscall(SYS_sched_setattr, 0L, &how, 0L);
#endif
#endif
}

static uint64_t bursty_p_system_slack_ns(void) { return 0; }

static void *bursty_p_watcher_thread(void *nothing) {
    bursty_p_system_be_prompt();
    bursty_p_watcher_run();
    return nothing;
}

/* The program's signals are not for this thread. (The C library keeps its own
   out of the set.) */
static int bursty_p_system_begin(void) {
    sigset_t all, old;
    int error;
    (void)sigfillset(&all);
    if (pthread_sigmask(SIG_SETMASK, &all, &old) != 0) return 0;
    error = pthread_create(&bursty_p_watcher.thread, NULL, bursty_p_watcher_thread, NULL);
    (void)pthread_sigmask(SIG_SETMASK, &old, NULL);
    return error == 0;
}
static int bursty_p_system_is_gone(void) { return 0; }
static void bursty_p_system_end(void) { (void)pthread_join(bursty_p_watcher.thread, NULL); }

#if defined(__linux__)

#define BURSTY_P_ANSWERS BURSTY_P_EXACT
enum { BURSTY_P_MONOTONIC = 1 }; /* the kernel's number */
static uint64_t bursty_p_wall_ns(void) { return bursty_p_read_ns(BURSTY_P_MONOTONIC); }

static uint32_t bursty_p_system_me(void) { return (uint32_t)syscall(SYS_gettid); }
static void bursty_p_system_forget(uint32_t number) { (void)number; }

/* Linux writes the number into each thread's struct rseq, which the GNU C
   library from 2.35 on keeps at a fixed distance from the thread pointer. */
#if defined(__has_builtin) && defined(__GLIBC__) && !defined(__TINYC__)
#if __has_builtin(__builtin_thread_pointer)
#define BURSTY_P_RSEQ
extern const ptrdiff_t bursty_p_rseq_offset __asm__("__rseq_offset") __attribute__((weak));
extern const unsigned bursty_p_rseq_size __asm__("__rseq_size") __attribute__((weak));
#endif
#endif
static const volatile uint32_t *bursty_p_system_processor(void) {
#ifdef BURSTY_P_RSEQ
    if (&bursty_p_rseq_offset && &bursty_p_rseq_size && bursty_p_rseq_size)
        return (const volatile uint32_t *)(const void *)((const char *)__builtin_thread_pointer()
                                                         + bursty_p_rseq_offset + 4);
#endif
    return NULL;
}

/* The kernel makes the number of a thread's CPU clock like this, and so does
   the C library. */
static int bursty_p_system_ask(uint32_t number, uint64_t *ran_ns) {
    *ran_ns = bursty_p_read_ns((int)(~number << 3 | 6u));
    return BURSTY_P_UNKNOWN;
}

/* "12 (name) R 1 ...": the name may have any character, but behind it are
   numbers. */
static int bursty_p_system_state(uint32_t number) {
    char path[40] = "/proc/self/task/", line[64] = "";
    uint32_t unit = 1000000000, at = 16;
    long file, end;
    if (!BURSTY_P_ACQUIRE(&bursty_p_watcher.has_own_files)) return BURSTY_P_UNKNOWN;
    for (; unit; unit /= 10) {
        if (number >= unit) path[at++] = (char)('0' + number / unit % 10);
    }
    memcpy(path + at, "/stat", 6);
    file = syscall(SYS_openat, -100L, path, 0L, 0L); /* AT_FDCWD, which the path has no use for */
    if (file < 0) return BURSTY_P_UNKNOWN;
    end = syscall(SYS_read, file, line, sizeof line) - 3;
    (void)syscall(SYS_close, file);
    while (end > 0 && line[end] != ')') end--;
    if (end <= 0) return BURSTY_P_UNKNOWN;
    return line[end + 2] == 'R' ? BURSTY_P_READY : BURSTY_P_WAITS;
}

static void bursty_p_system_sleep(uint32_t seen, uint64_t until) {
    struct { long s, ns; } at = { (long)(until / 1000000000), (long)(until % 1000000000) };
    (void)syscall(SYS_futex, &bursty_p_watcher.word, 9L | 128, (long)seen, until ? (void *)&at : NULL,
                  NULL, 0xFFFFFFFFl); /* FUTEX_WAIT_BITSET, private: until a moment of the clock */
}
static void bursty_p_system_wake(void) {
    (void)syscall(SYS_futex, &bursty_p_watcher.word, 1L | 128, 1L, NULL, NULL, 0L);
}
static void bursty_p_system_nap(void) {
    struct { long s, ns; } some = { 0, 50000 };
    (void)syscall(SYS_nanosleep, &some, NULL);
}

/* How many threads the process has; 0: not known. */
static uint32_t bursty_p_system_threads(void) {
    struct stat tasks;
    if (stat("/proc/self/task", &tasks) != 0 || tasks.st_nlink < 3) return 0;
    return (uint32_t)tasks.st_nlink - 2;
}

#else /* macOS */

#define BURSTY_P_ANSWERS BURSTY_P_STATE
static uint64_t bursty_p_wall_ns(void) { return bursty_p_read_ns(CLOCK_MONOTONIC); }
static uint32_t bursty_p_system_me(void) { return (uint32_t)pthread_mach_thread_np(pthread_self()); }
static void bursty_p_system_forget(uint32_t number) { (void)number; }
static int bursty_p_system_ask(uint32_t number, uint64_t *ran_ns) {
    struct thread_basic_info info;
    mach_msg_type_number_t count = THREAD_BASIC_INFO_COUNT;
    (void)ran_ns;
    if (thread_info((thread_act_t)number, THREAD_BASIC_INFO, (thread_info_t)&info, &count) != 0)
        return BURSTY_P_WAITS;
    return info.run_state == TH_STATE_RUNNING ? BURSTY_P_RUNS : BURSTY_P_WAITS;
}
static int bursty_p_system_state(uint32_t number) {
    (void)number;
    return BURSTY_P_UNKNOWN;
}
static const volatile uint32_t *bursty_p_system_processor(void) { return NULL; }
static void bursty_p_system_nap(void) {
    struct timespec some = { 0, 50000 };
    (void)nanosleep(&some, NULL);
}
/* In pieces of at most 10 ms, since nobody can wake it. */
static void bursty_p_system_sleep(uint32_t seen, uint64_t until) {
    while (BURSTY_P_ACQUIRE(&bursty_p_watcher.word) == seen) {
        uint64_t now = bursty_p_wall_ns(), ns = 10000000;
        struct timespec some = { 0, 0 };
        if (until && now >= until) return;
        if (until && until - now < ns) ns = until - now;
        some.tv_nsec = (long)ns;
        (void)nanosleep(&some, NULL);
    }
}
static void bursty_p_system_wake(void) { }
static uint32_t bursty_p_system_threads(void) { return 0; }

#endif
#endif
#endif /* BURSTY_P_WATCHER */

/* ---- the watcher ------------------------------- src/bursty/watcher.c ---- */

#ifdef BURSTY_P_WATCHER

/* One thread looks at the shadow stacks of all others. It stops nobody and
   sends no signal.

       gap          gap      gap            gap           exponential: whatever the program does,
   |----------*---------*---------*------------------*    it cannot know when, nor keep step
              |
              a round:  1. each thread: its CPU time, and a copy of its stack
                        2. each thread that has run since the last round: its CPU time again
                        3. 50 us later: those whose CPU time did not move in between, and that
                           are not known to be blocked

   A look is charged to *running* or *waiting*. A thread runs at the moment of
   the look if its CPU time moves from 1 to 2. If it does not, the thread may be
   blocked; or the watcher has just taken its processor. So the watcher naps,
   and a thread that had nothing but the watcher in its way runs on: its CPU
   time moves by half of the nap or more. (Half: threads that go to sleep in the
   nap and threads that wake in it are mistaken equally often.) A thread that
   ran last on another processor had the watcher not in its way, and needs no
   nap.

   On a busy machine the watcher's turn may end that of the thread, and then
   somebody else runs in the nap: such looks would find half of the running. So
   each look that finds a thread running pays for its part of the thread's CPU
   time. Of a thread that has run since the last round, and that has more unpaid
   than half of what this look counts for, the watcher asks before the nap
   whether it is blocked (Linux, where it gives the watcher files of its own). If
   it is not, but was ready, it ran, also if it gets no turn in the nap. No more
   than 4 gaps are kept, or owed, and none of the time of a late round.

   Where CPU time moves in steps of 10 ms and more (COARSE), a look is running
   as long as CPU time is left that no look has been charged for: the sums are
   right, and scopes shorter than such a step share theirs.

   A round that begins late is not charged. A watcher that gets no processor
   wakes up when others have gone to sleep; or, on a machine with too much to
   do, when its whole process gets its turn, and then sees all of it run. A round
   is late after half a period, or after .5 ms if timers are exact and that is less,
   but not before .25 ms. All looks of the time that has passed count as late.

   When may it read a thread's stack?

       bursty_thread_end ------> CLOSED <------ bursty_stop has waited for the watcher
                                  |   ^
           the thread registers   |   | its end: waits while the watcher looks
                                  v   |
                                  OPEN <----> LOOKING (some hundred nanoseconds)

   Invariant: memory of a thread is read while its record is LOOKING, and then
   the thread has not ended. A thread whose end nobody would notice is never
   opened.

   What is read? A scope takes a check, writes its slot, and then the depth. The
   watcher reads word, slots, depth, slots, word. If the word is the same, no
   scope was entered in between, and the copy was true at one moment. If the
   scopes around the innermost one are the same twice, they stood still while
   the depth was read, and what stands below them was entered under them.
   Otherwise, as in scopes of a few nanoseconds, it looks again, at most 8
   times, and then takes what stood still (`cut`). Where even outer scopes come
   back within some nanoseconds, a few paths in a thousand may have an inner
   scope of another outer one.

   Threads in lockstep are seen in the same scope at the same moment, and such
   looks say less than independent ones. `squares` sums up the squares of how
   many looks of one round met one scope, running or waiting: docs/ticks.md
   makes a factor of it.

   Gaps may be longer, at most .1 s, and for two reasons. If no thread has run
   for half a second, they are 8 times longer until one has run. And if
   config.tick_hz is 0 the watcher may take .1 % of a processor: a mean of its
   own CPU time for a round, over some 64 rounds, says how long gaps have to be,
   from 1 to 8 times.

   A look counts for the mean length of the gap before it, which was chosen
   before anybody knew what the look would find. With exponential gaps that is
   without bias, however the choice depends on what was seen: sum over looks of
   what they found, times the mean gap, is on average the integral over time.

   A thread that has not run since the last look is where it was: its stack is
   not read again.

   With config.watch = 2 nobody asks who waits. Then the thread sends a tick to
   each one that it finds running: SIGURG, whose handler charges it as one of a timer (timers.c), for it
   knows the instruction. Timers keep step with a program that wakes at moments
   of the kernel's clock: they meet each of its frames at the same place.
   Nothing is read of a stack, and a thread that waits is left alone.

       looks of the first second: 256 that count for 1 period of .1 ms, 128 that
       count for 2, 128 for 4, 8, ... up to what the thread may cost (100, or 1 %
       of it)

   Whom the thread displaced when it woke is ready, and gets its tick where it
   was displaced. On a busy machine it may have waited for others: so it is not
   believed if its ticks are ahead of its CPU time by more than one look.

   A round that begins late sends as many ticks as the thread's CPU time since
   the last round is worth: now, if it runs or is ready, else with its next
   tick. So the sum of ticks is the CPU time, however busy the machine is. Such
   ticks are counted: a watcher that gets a processor when a thread gives one up
   finds it there.

   Cost: a wake, which is most of it; a clock reading for each thread, another
   one for those that have run, the path's rows, and at times a second wake. */
enum { BURSTY_P_CLOSED, BURSTY_P_OPEN_TO_LOOKS, BURSTY_P_LOOKING };

static uint32_t bursty_p_watcher_random(void) {
    uint32_t r = bursty_p_watcher.random;
    r ^= r << 13;
    r ^= r >> 17;
    r ^= r << 5;
    return bursty_p_watcher.random = r;
}

typedef struct bursty_p_peek {
    uint32_t depth;
    int is_cut, is_slow;
    const bursty_site *stack[BURSTY_STACK];
} bursty_p_peek;

/* The word belongs to its thread, which counts it down without any atomics. */
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define BURSTY_P_PEEK_ATTRIBUTE __attribute__((noinline, no_sanitize("thread")))
#endif
#elif defined(__SANITIZE_THREAD__)
#define BURSTY_P_PEEK_ATTRIBUTE __attribute__((noinline, no_sanitize_thread))
#endif
#ifndef BURSTY_P_PEEK_ATTRIBUTE
#define BURSTY_P_PEEK_ATTRIBUTE
#endif
BURSTY_P_PEEK_ATTRIBUTE static uint32_t bursty_p_peek_word(const bursty_here *here) {
    return *(const volatile uint32_t *)&here->n;
}

/* The slots, the depth, the slots again. Returns how good the copy is: 3, true
   at one moment; 2, the path of a moment in between, since the scopes around
   the innermost one stood still; 1, that, if they did not come back meanwhile;
   0, they have changed from `stood_still` on. */
static int bursty_p_peek_once(bursty_p_peek *out, const bursty_here *here, uint32_t *stood_still) {
    const bursty_site *before[BURSTY_STACK];
    uint32_t word = bursty_p_peek_word(here), i, kept, checks;
    uint32_t known = BURSTY_P_ACQUIRE(&here->depth) + 2;
    if (known > BURSTY_STACK) known = BURSTY_STACK;
    for (i = 0; i < known; i++) before[i] = BURSTY_P_ACQUIRE(&here->stack[i]);
    out->depth = BURSTY_P_ACQUIRE(&here->depth);
    out->is_slow = bursty_p_is_busy(word);
    kept = out->depth < BURSTY_STACK ? out->depth : BURSTY_STACK;
    for (i = 0; i < kept; i++) out->stack[i] = BURSTY_P_ACQUIRE(&here->stack[i]);
    checks = word - bursty_p_peek_word(here);
    for (i = 0; i < kept && out->stack[i]; i++) { }
    if (i < kept) out->depth = kept = i; /* bursty_set_depth of a depth that never was */
    for (i = 0; i < kept && i < known && before[i] == out->stack[i]; i++) { }
    *stood_still = i;
    if (checks == 0 && !BURSTY_P_POLLS) return 3;
    if (i + 1 < kept) return 0;
    return i >= kept || (checks == 1 && !BURSTY_P_POLLS) ? 2 : 1;
}

static void bursty_p_peek_at(bursty_p_peek *out, const bursty_here *here) {
    uint32_t tries, stood_still = 0;
    int is_good = 0;
    for (tries = 0; tries < 8 && is_good < 2; tries++) is_good = bursty_p_peek_once(out, here, &stood_still);
    out->is_cut = is_good == 0;
    if (out->is_cut) out->depth = stood_still;
}

/* How many looks of this round have met a scope, running or waiting: one of
   weight w adds (2 n + w) w to the sum of squares when it makes n to n + w. Of a round with more
   scopes than there is room for, the rest counts as met once. */
enum { BURSTY_P_MET = 256 };
typedef struct bursty_p_met {
    const bursty_site *site;
    uint32_t round, what, count;
} bursty_p_met;

typedef struct bursty_p_round {
    uint32_t number, looks;
    uint32_t gap;                       /* before this round, in periods: what its looks count for */
    uint32_t pace, left;                /* gaps may be so long; rounds until it is twice as much */
    uint32_t is_late;
    uint32_t has_run;                   /* some thread has, since the last round */
    uint64_t idle_ns;                   /* for so long no thread has */
    bursty_p_tick_count squares;
    bursty_p_met met[BURSTY_P_MET];
} bursty_p_round;

#if BURSTY_FRAMES > 0
static void bursty_p_post_frame_tick(uint32_t record, uint32_t row);
#endif
static void bursty_p_watcher_charge(bursty_p_round *round, bursty_p_thread *t, int what) {
    const uint32_t pending = t->pending, row = pending >> 1;
    const bursty_site *site = bursty_p_ticks.rows[row - 1].site;
    uint32_t h = bursty_p_mix((uint32_t)((uintptr_t)site >> 3), (uint32_t)what), i;
    if (what == BURSTY_P_RUNS) {
        bursty_p_tick_charge_row(row, round->gap, pending & 1);
#if BURSTY_FRAMES > 0
        for (i = 0; i < round->gap; i++)
            bursty_p_post_frame_tick(bursty_p_ticks.rows[row - 1].thread - 1, row);
#endif
    } else bursty_p_tick_add(&bursty_p_ticks.rows[row - 1].sum[BURSTY_P_TICK_WAITING], round->gap);
    bursty_p_axis_look(t, what == BURSTY_P_RUNS ? 0 : row, (int)t->woke);
    round->looks += round->gap;
    for (i = 0; i < 16; i++, h++) {
        bursty_p_met *met = &round->met[h % BURSTY_P_MET];
        if (met->round != round->number) {
            met->round = round->number;
            met->site = site;
            met->what = (uint32_t)what;
            met->count = 0;
        } else if (met->site != site || met->what != (uint32_t)what) {
            continue;
        }
        round->squares += (2 * met->count + round->gap) * round->gap;
        met->count += round->gap;
        return;
    }
    round->squares += round->gap * round->gap;
}

/* Runs and waits by CPU time that moves in large steps: gap_ns of it are paid
   for a look. */
static int bursty_p_watcher_pay(bursty_p_thread *t, uint64_t ran_ns, uint64_t gap_ns) {
    const uint64_t most = 2 * gap_ns + 32000000;
    if (ran_ns > t->ran_ns + most) t->ran_ns = ran_ns - most; /* it ran before it was watched */
    if (ran_ns < t->ran_ns + gap_ns / 2) return BURSTY_P_WAITS;
    t->ran_ns += gap_ns;
    return BURSTY_P_RUNS;
}

/* In ns. */
static int64_t bursty_p_watcher_periods(uint32_t count) {
    return (int64_t)bursty_p_ticks.period_us * 1000 * count;
}

/* CPU time that the thread has got, or that a look has paid for; gap in
   periods. */
static void bursty_p_watcher_earn(bursty_p_thread *t, int64_t ns, uint32_t gap) {
    const int64_t most = bursty_p_watcher_periods(BURSTY_P_IS_SENT ? 64 * bursty_p_ticks.usual : 4 * gap);
    t->unpaid_ns += ns;
    if (t->unpaid_ns > most) t->unpaid_ns = most;
    if (t->unpaid_ns < -most) t->unpaid_ns = -most;
}

/* The first look of a round at a thread. It is pending until it is known how
   much it counts. */
static void bursty_p_watcher_look(bursty_p_round *round, bursty_p_thread *t, uint64_t gap_ns) {
    bursty_p_peek peek;
    uint64_t ran_ns = 0, before;
    uint32_t row;
    int what, is_same = 0;
    t->pending = 0;
    if (!bursty_p_cas(&t->watched, BURSTY_P_OPEN_TO_LOOKS, BURSTY_P_LOOKING)) return;
    what = bursty_p_system_ask(t->system, &ran_ns);
    before = t->ran_ns;
    t->woke = BURSTY_P_ANSWERS != BURSTY_P_STATE && ran_ns != before;
    if (before == 0) bursty_p_axis_forget(t); /* another thread may have been here */
    if (BURSTY_P_ANSWERS == BURSTY_P_EXACT) {
        what = ran_ns == before ? BURSTY_P_WAITS : BURSTY_P_UNKNOWN;
        t->ran_ns = ran_ns;
        is_same = before && ran_ns == before && t->seen; /* before: no other thread was here */
        if (before && ran_ns > before) { /* no more than has passed: there may have been a pause */
            const uint64_t got = ran_ns - before;
            bursty_p_watcher_earn(t, (int64_t)(got < gap_ns ? got : gap_ns), round->gap);
        }
        round->has_run |= ran_ns != before;
    } else if (BURSTY_P_ANSWERS == BURSTY_P_COARSE) {
        what = bursty_p_watcher_pay(t, ran_ns, gap_ns);
    }
    if (!is_same) bursty_p_peek_at(&peek, t->here);
    BURSTY_P_RELEASE(&t->watched, BURSTY_P_OPEN_TO_LOOKS);
    t->found = (uint32_t)what;
    if (is_same) {
        t->pending = t->seen;
        return;
    }
    if (peek.is_cut) bursty_p_tick_add(&bursty_p_watcher.cut, 1);
    row = bursty_p_tick_place(t->number + 1, peek.depth, peek.stack, NULL, round->gap);
    t->seen = 0;
    if (!row) return;
    row = row << 1 | (peek.is_slow ? 1 : 0);
    t->seen = peek.is_cut ? 0 : row;
    t->pending = row;
}

#ifdef BURSTY_P_TICKER
/* ns of CPU time in ticks, rounded at random. */
static uint32_t bursty_p_ticks_of(uint64_t ns) {
    const uint64_t one = (uint64_t)bursty_p_ticks.period_us * 1000;
    return (uint32_t)((ns + (one * (bursty_p_watcher_random() >> 8) >> 24)) / one);
}

/* The same, if ticks are sent. pending: how many. */
static void bursty_p_watcher_look_to_send(bursty_p_round *round, bursty_p_thread *t, uint64_t gap_ns) {
    uint64_t ran_ns = 0, got;
    t->pending = 0;
    if (!bursty_p_cas(&t->watched, BURSTY_P_OPEN_TO_LOOKS, BURSTY_P_LOOKING)) return;
    (void)bursty_p_system_ask(t->system, &ran_ns);
    got = ran_ns - t->ran_ns < gap_ns ? ran_ns - t->ran_ns : gap_ns;
    if (got) {
        t->found = BURSTY_P_UNKNOWN;
        t->pending = round->is_late ? bursty_p_ticks_of(got) : round->gap;
        if (round->is_late) bursty_p_tick_add(&bursty_p_watcher.late, t->pending);
        if (!round->is_late && t->ran_ns) bursty_p_watcher_earn(t, (int64_t)got, round->gap);
        round->has_run = 1;
    }
    t->ran_ns = ran_ns;
    BURSTY_P_RELEASE(&t->watched, BURSTY_P_OPEN_TO_LOOKS);
}
#endif

/* Late looks are not charged. CPU time up to it is paid all the same, or is not
   earned. */
static void bursty_p_watcher_leave_out(bursty_p_round *round, bursty_p_thread *t, uint64_t gap_ns,
                                       uint32_t looks) {
    uint64_t ran_ns = 0;
    bursty_p_tick_add(&bursty_p_watcher.late, looks);
    t->pending = 0;
    if (BURSTY_P_ANSWERS == BURSTY_P_STATE) {
        bursty_p_axis_forget(t);
        return;
    }
    if (!bursty_p_cas(&t->watched, BURSTY_P_OPEN_TO_LOOKS, BURSTY_P_LOOKING)) return;
    (void)bursty_p_system_ask(t->system, &ran_ns);
    if (BURSTY_P_ANSWERS == BURSTY_P_COARSE || ran_ns != t->ran_ns) bursty_p_axis_forget(t);
    if (BURSTY_P_ANSWERS == BURSTY_P_COARSE) {
        (void)bursty_p_watcher_pay(t, ran_ns, gap_ns);
    } else if (ran_ns != t->ran_ns) {
        t->ran_ns = ran_ns;
        t->seen = 0;
        round->has_run = 1;
    }
    BURSTY_P_RELEASE(&t->watched, BURSTY_P_OPEN_TO_LOOKS);
}

/* Does the watcher run on the processor that the thread ran on last, or may it? */
static int bursty_p_watcher_is_in_the_way(const bursty_p_thread *t) {
    const volatile uint32_t *own = bursty_p_system_processor();
    return !own || !t->processor || (int32_t)*own < 0 || (int32_t)*t->processor < 0
           || *own == *t->processor;
}

/* Judges a thread whose CPU time has not moved. */
static int bursty_p_watcher_judge(const bursty_p_round *round, bursty_p_thread *t, int is_last) {
    if (is_last) return t->found == BURSTY_P_READY ? BURSTY_P_RUNS : BURSTY_P_WAITS;
    t->asks = t->system;
    if (round->is_late) return BURSTY_P_UNKNOWN;
    if (!bursty_p_watcher_is_in_the_way(t)) return BURSTY_P_WAITS;
    if (BURSTY_P_IS_SENT) return BURSTY_P_UNKNOWN;
    t->asks = 2 * t->unpaid_ns > bursty_p_watcher_periods(round->gap) ? t->system : 0;
    return BURSTY_P_UNKNOWN;
}

/* It is known what a pending thread does. Ticks that were sent are not pending
   any more. */
static void bursty_p_watcher_settle(bursty_p_round *round, bursty_p_thread *t, int what) {
#ifdef BURSTY_P_TICKER
    if (BURSTY_P_IS_SENT) {
        if (what == BURSTY_P_RUNS) bursty_p_tick_add_shared(&bursty_p_ticks.late, t->pending); /* it has ended */
        else if (round->is_late && t->carried < UINT32_MAX / 2) t->carried += t->pending;
        t->pending = 0;
        return;
    }
#endif
    bursty_p_watcher_charge(round, t, what);
    t->pending = 0;
}

/* Looks at a pending thread again, least_ns after the time that ran_ns tells.
   Returns whether it is pending still. A thread that has ended meanwhile was
   running. */
static int bursty_p_watcher_look_again(bursty_p_round *round, bursty_p_thread *t, uint64_t least_ns,
                                       int is_last) {
    uint64_t ran_ns = UINT64_MAX;
    int what = BURSTY_P_RUNS;
    if (!t->pending) return 0;
    if (t->found == BURSTY_P_RUNS || t->found == BURSTY_P_WAITS) what = (int)t->found;
    else if (bursty_p_cas(&t->watched, BURSTY_P_OPEN_TO_LOOKS, BURSTY_P_LOOKING)) {
        (void)bursty_p_system_ask(t->system, &ran_ns);
        if (ran_ns - t->ran_ns < least_ns) what = bursty_p_watcher_judge(round, t, is_last);
        if (what == BURSTY_P_RUNS && !round->is_late)
            bursty_p_watcher_earn(t, -bursty_p_watcher_periods(round->gap), round->gap);
#ifdef BURSTY_P_TICKER
        if (what == BURSTY_P_RUNS && BURSTY_P_IS_SENT) {
            bursty_p_send_ticks(t, t->system, t->pending + t->carried);
            t->pending = t->carried = 0;
        }
#endif
        BURSTY_P_RELEASE(&t->watched, BURSTY_P_OPEN_TO_LOOKS);
    }
    if (what == BURSTY_P_UNKNOWN) return 1;
    bursty_p_watcher_settle(round, t, what);
    return 0;
}

/* Asks about a pending thread with unpaid time. Returns whether it is pending still.
   Nobody waits for this, so the thread may end meanwhile, and its record be that
   of another: nothing is read here but what the watcher alone writes. If another
   has its number, one look is mistaken. */
static int bursty_p_watcher_ask(bursty_p_round *round, bursty_p_thread *t) {
    if (!t->pending) return 0;
    if (!t->asks) return 1;
    t->found = (uint32_t)bursty_p_system_state(t->asks);
    if (BURSTY_P_IS_SENT && t->found == BURSTY_P_READY && !round->is_late
        && t->unpaid_ns < -bursty_p_watcher_periods(round->gap)) t->found = BURSTY_P_WAITS;
    if (t->found != BURSTY_P_WAITS) return 1;
    bursty_p_watcher_settle(round, t, BURSTY_P_WAITS);
    return 0;
}

/* Threads that never checked, the most that two counts in a row have met. */
static void bursty_p_watcher_count_threads(uint32_t watched) {
    uint32_t all = bursty_p_system_threads(), now = all > watched + 1 ? all - watched - 1 : 0;
    uint32_t both = now < bursty_p_watcher.unwatched_before ? now : bursty_p_watcher.unwatched_before;
    bursty_p_watcher.unwatched_before = now;
    if (both > BURSTY_P_GET(&bursty_p_watcher.unwatched)) BURSTY_P_PUT(&bursty_p_watcher.unwatched, both);
}

/* The time to the next look, from an exponential distribution: how long the thread
   has waited already says nothing about it. It is -ln of a random number below 1 of 32
   bits. In place of log2(1 + f) stands f + f (1 - f) (.4427 - .1977 f), which has the
   same mean and differs from it by at most .0026. */
static uint64_t bursty_p_watcher_gap(uint32_t periods) {
    uint32_t r = bursty_p_watcher_random(), whole = 1, f;
    uint64_t e; /* in 1/65536 */
    for (; r >> 31 == 0; r <<= 1) whole++;
    f = r >> 15 & 0xffff;
    f += (uint32_t)((uint64_t)f * (65536 - f) * (29013 - (12957 * f >> 16)) >> 32);
    e = (((uint64_t)whole << 16) - f) * 45426 >> 16;
    return (uint64_t)bursty_p_ticks.period_us * 1000 * periods * e >> 16;
}

/* ---- how long gaps are ---- */

#define BURSTY_P_WATCHER_PPM 1000u
#define BURSTY_P_LONGEST 8u /* usual gaps */
#define BURSTY_P_FIRST 256u /* looks at the first pace; half as many at each pace behind it */

/* In periods. Who sends ticks may take gaps twice as long for what they cost. */
static uint32_t bursty_p_watcher_longest(uint32_t times) {
    const uint32_t usual = bursty_p_ticks.usual, most = times * 12500 / (bursty_p_ticks.period_us * usual);
    return most < 2 ? usual : most < times ? most * usual : times * usual;
}
static uint32_t bursty_p_watcher_most(void) {
    return bursty_p_watcher_longest(BURSTY_P_IS_SENT ? 2 * BURSTY_P_LONGEST : BURSTY_P_LONGEST);
}

/* Returns how many periods the next gap is to be, on average: such that a round
   costs its share of it. A mean of 2.3 is 2 in seven of ten cases, else 3. */
static uint32_t bursty_p_watcher_affords(uint64_t cost_ns) {
    const uint64_t one = (uint64_t)bursty_p_ticks.period_us * BURSTY_P_WATCHER_PPM / 1000;
    const uint32_t usual = bursty_p_ticks.usual;
    uint64_t gap_256 = 256 * cost_ns;
    gap_256 = one ? gap_256 / one : 10 * gap_256;
    if (bursty_p_all.config.tick_hz > 0 || gap_256 < 256 * usual) return usual;
    gap_256 += bursty_p_watcher_random() >> 24;
    gap_256 >>= 8;
    return gap_256 < bursty_p_watcher_most() ? (uint32_t)gap_256 : bursty_p_watcher_most();
}

/* Once it is known who has run. */
static uint32_t bursty_p_watcher_next_gap(bursty_p_round *round, uint64_t gap_ns) {
    const uint64_t quarter = 4 * bursty_p_watcher.cost_ns / ((uint64_t)bursty_p_ticks.period_us * 1000);
    uint32_t next = bursty_p_watcher_affords(bursty_p_watcher.cost_ns), pace;
    if (round->pace < bursty_p_watcher_most() && --round->left == 0) {
        round->pace *= 2;
        round->left = BURSTY_P_FIRST / 2;
    }
    pace = round->pace;
    round->idle_ns = round->has_run ? 0 : round->idle_ns + gap_ns;
    if (BURSTY_P_ANSWERS == BURSTY_P_EXACT && round->idle_ns >= 500000000) {
        next = bursty_p_watcher_longest(BURSTY_P_LONGEST);
        pace *= BURSTY_P_LONGEST;
    }
    /* The first looks may take a quarter of a processor. */
    if (pace < quarter) pace = quarter < next ? (uint32_t)quarter : next;
    return next < pace ? next : pace;
}

/* A mean over some 64 rounds; of the first 64, of all so far. */
static void bursty_p_watcher_count_cost(uint64_t *before) {
    const uint64_t now = bursty_p_thread_ns(NULL), mean = bursty_p_watcher.cost_ns;
    uint32_t costs = BURSTY_P_GET(&bursty_p_watcher.costs);
    if (*before && now > *before) {
        if (costs < 64) BURSTY_P_PUT(&bursty_p_watcher.costs, ++costs);
        bursty_p_watcher.cost_ns = mean - mean / costs + (now - *before) / costs;
        BURSTY_P_PUT(&bursty_p_watcher.own_us, BURSTY_P_GET(&bursty_p_watcher.own_us)
                                               + (uint32_t)(now / 1000 - *before / 1000));
    }
    *before = now;
}

/* A round's first look at a thread. Returns whether it is pending. */
static int bursty_p_watcher_look_first(bursty_p_round *round, bursty_p_thread *t, uint64_t gap_ns,
                                       uint32_t late) {
#ifdef BURSTY_P_TICKER
    if (BURSTY_P_IS_SENT) {
        bursty_p_watcher_look_to_send(round, t, gap_ns);
        return t->pending != 0;
    }
#endif
    if (late) bursty_p_watcher_leave_out(round, t, gap_ns, late);
    else bursty_p_watcher_look(round, t, gap_ns);
    return t->pending != 0;
}

/* late: how many rounds, up to this one, came too late. */
static void bursty_p_watcher_round(bursty_p_round *round, uint64_t gap_ns, uint32_t late, int counts) {
    bursty_p_thread *first = bursty_p_all.threads, *end = first + bursty_p_threads(), *t;
    uint32_t watched = 0;
    uint64_t began = 0;
    int is_pending = 0, naps = 0;
    round->number++;
    round->is_late = late != 0;
    round->looks = round->has_run = 0;
    round->squares = 0;
    for (t = first; t < end; t++) {
        if (BURSTY_P_ACQUIRE(&t->watched) == BURSTY_P_CLOSED) {
            bursty_p_axis_forget(t);
            continue;
        }
        watched++;
        is_pending |= bursty_p_watcher_look_first(round, t, gap_ns, late);
    }
    if (is_pending) {
        is_pending = 0;
        for (t = first; t < end; t++) is_pending |= bursty_p_watcher_look_again(round, t, 1, 0);
    }
    if (is_pending) {
        is_pending = 0;
        for (t = first; t < end; t++) {
            is_pending |= bursty_p_watcher_ask(round, t);
            naps |= t->pending && t->found != BURSTY_P_READY;
        }
    }
    if (is_pending) {
        began = bursty_p_wall_ns();
        if (naps) bursty_p_system_nap();
        began = naps ? bursty_p_wall_ns() - began : 0;
        for (t = first; t < end; t++) (void)bursty_p_watcher_look_again(round, t, began / 2, 1);
    }
    if (counts) bursty_p_watcher_count_threads(watched);
    if (!round->looks) return;
    bursty_p_tick_add(&bursty_p_watcher.looks, round->looks);
    bursty_p_tick_add(&bursty_p_watcher.squares, round->squares);
    BURSTY_P_PUT(&bursty_p_watcher.rounds, BURSTY_P_GET(&bursty_p_watcher.rounds) + 1);
}

static uint64_t bursty_p_watcher_late_ns(void) {
    uint64_t ns = (uint64_t)bursty_p_ticks.period_us * bursty_p_ticks.usual * 500;
    if (BURSTY_P_ANSWERS == BURSTY_P_EXACT && ns > 500000) ns = 500000;
    if (ns < 250000) ns = 250000;
    return ns + bursty_p_system_slack_ns();
}

/* The thread. */
static void bursty_p_watcher_run(void) {
    static bursty_p_round round;
    const uint64_t late_ns = bursty_p_watcher_late_ns();
    uint64_t now = bursty_p_wall_ns(), due = now, last = now, counted = 0, own_ns = 0, missed;
    bursty_p_mine.epoch = BURSTY_P_GET(&bursty_p_all.epoch);
    bursty_p_mine.ended = 1; /* should anything here be instrumented, it is no thread of the program */
    bursty_p_zero(&round, sizeof round);
    round.pace = bursty_p_ticks.usual > 1 ? 1 : BURSTY_P_LONGEST;
    round.left = BURSTY_P_FIRST;
    round.gap = bursty_p_ticks.usual > 1 ? 1 : bursty_p_ticks.usual;
    for (;;) {
        const uint32_t word = BURSTY_P_ACQUIRE(&bursty_p_watcher.word);
        if (BURSTY_P_ACQUIRE(&bursty_p_watcher.ends)) return;
        if (BURSTY_P_ACQUIRE(&bursty_p_ticks.on) != 1) {
            bursty_p_system_sleep(word, 0);
            last = due = bursty_p_wall_ns();
            round.idle_ns = 0;
            continue;
        }
        due += bursty_p_watcher_gap(round.gap);
        do {
            bursty_p_system_sleep(word, due);
            now = bursty_p_wall_ns();
        } while (now < due && BURSTY_P_ACQUIRE(&bursty_p_watcher.word) == word);
        if (BURSTY_P_ACQUIRE(&bursty_p_watcher.word) != word) continue;
        missed = 0;
        if (now - due > late_ns) {
            missed = round.gap + (now - due) / ((uint64_t)bursty_p_ticks.period_us * 1000);
            due = now;
        }
        bursty_p_watcher_round(&round, now - last, missed < 1000000 ? (uint32_t)missed : 1000000,
                               now - counted >= 500000000);
        if (now - counted >= 500000000) counted = now;
        bursty_p_watcher_count_cost(&own_ns);
        round.gap = bursty_p_watcher_next_gap(&round, missed ? 0 : now - last);
        last = now;
    }
}

/* ---- its orders ---- */

static void bursty_p_watcher_order(void) {
    (void)BURSTY_P_ADD(&bursty_p_watcher.word, 1);
    bursty_p_system_wake();
}

static void bursty_p_watcher_forget_counts(void) {
    BURSTY_P_PUT(&bursty_p_watcher.rounds, 0);
    BURSTY_P_PUT(&bursty_p_watcher.unwatched, 0);
    BURSTY_P_RELEASE(&bursty_p_watcher.looks, 0);
    BURSTY_P_RELEASE(&bursty_p_watcher.squares, 0);
    BURSTY_P_RELEASE(&bursty_p_watcher.late, 0);
    BURSTY_P_RELEASE(&bursty_p_watcher.cut, 0);
}

/* Returns 0 if the system gives no thread. */
static int bursty_p_watcher_begin(void) {
    uint32_t seed = bursty_p_mix((uint32_t)bursty_p_wall_ns(), bursty_p_all.config.seed + 1);
    bursty_p_watcher.random = seed ? seed : 1;
    bursty_p_watcher.ends = bursty_p_watcher.has_own_files = 0;
    if (!bursty_p_system_begin()) return 0;
    BURSTY_P_RELEASE(&bursty_p_watcher.exists, 1);
    return 1;
}

static void bursty_p_watcher_end(void) {
    uint32_t i;
    if (!bursty_p_cas(&bursty_p_watcher.exists, 1, 0)) return;
    BURSTY_P_RELEASE(&bursty_p_watcher.ends, 1);
    bursty_p_watcher_order();
    bursty_p_system_end();
    for (i = 0; i < bursty_p_threads(); i++) { /* a thread that ends meanwhile does the same */
        bursty_p_thread *t = &bursty_p_all.threads[i];
        if (bursty_p_cas(&t->watched, BURSTY_P_OPEN_TO_LOOKS, BURSTY_P_CLOSED)
            || bursty_p_cas(&t->watched, BURSTY_P_LOOKING, BURSTY_P_CLOSED)) /* the system ended it there */
            bursty_p_system_forget(t->system);
    }
}

/* ---- threads that it may look at ---- */

static void bursty_p_watcher_open(bursty_p_thread *t) {
#ifdef BURSTY_P_TICKER
    t->owed = t->carried = 0;
#endif
#ifdef BURSTY_P_KNOWS_STACKS
    bursty_p_ask_stack();
#endif
    t->here = &BURSTY_P_HERE;
    t->ran_ns = 0;
    t->unpaid_ns = 0;
    t->processor = bursty_p_system_processor();
    t->system = bursty_p_system_me();
    if (t->system) BURSTY_P_RELEASE(&t->watched, BURSTY_P_OPEN_TO_LOOKS);
}

static void bursty_p_watcher_close(bursty_p_thread *t) {
    uint32_t tries = 0;
    while (BURSTY_P_ACQUIRE(&t->watched) != BURSTY_P_CLOSED) {
        if (bursty_p_cas(&t->watched, BURSTY_P_OPEN_TO_LOOKS, BURSTY_P_CLOSED)) {
            bursty_p_system_forget(t->system);
#ifdef BURSTY_P_TICKER
            bursty_p_tick_add_shared(&bursty_p_ticks.late, t->carried);
#endif
            return;
        }
        if (++tries <= 100) continue;
        if (bursty_p_system_is_gone()) (void)bursty_p_cas(&t->watched, BURSTY_P_LOOKING, BURSTY_P_OPEN_TO_LOOKS);
        else bursty_p_system_nap();
    }
}

/* In a child of fork, which has one thread. */
static void bursty_p_watcher_forked(void) {
    uint32_t i;
    for (i = 0; i < bursty_p_threads(); i++) bursty_p_all.threads[i].watched = BURSTY_P_CLOSED;
    bursty_p_watcher.exists = bursty_p_watcher.own_us = 0;
    if (BURSTY_P_IS_WATCHED && bursty_p_ticks.on && !bursty_p_watcher_begin()) bursty_p_all.no_time = BURSTY_NO_TIME_THREAD;
}

#endif /* BURSTY_P_WATCHER */

/* ---- the dump ------------------------------------- src/bursty/dump.c ---- */

/* docs/formats.md. A site is written in full unless it was among the last 64
   new ones. */
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

static void bursty_p_put_name_of(bursty_p_dump *d, const bursty_p_thread *t) {
    char name[BURSTY_P_NAME];
    uint32_t i;
    for (i = 0; i < BURSTY_P_NAME; i++) name[i] = BURSTY_P_GET(&t->name[i]);
    name[BURSTY_P_NAME - 1] = 0;
    bursty_p_put_string(d, name);
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
    bursty_p_settings now;
    bursty_p_slot slot;
    uint32_t i, flags = bursty_p_all.budget ? 4 : 0;
    (void)bursty_p_read_settings(&now);
    slot = now.slot[p];
    if (!slot.used) return;
    flags |= (slot.set.off ? 1u : 0) | (slot.set.action ? 0 : 2u);
    uint64_t v[9] = { 2, p, slot.set.every, slot.set.burst,
                      (uint32_t)slot.set.jitter, slot.set.classes, flags, 0, 0 };
    for (i = 0; i < bursty_p_threads(); i++) {
        bursty_p_sum(&v[7], &bursty_p_all.threads[i].bursts[p]);
        bursty_p_sum(&v[8], &bursty_p_all.threads[i].events[p]);
    }
    bursty_p_put_all(d, v, 9);
    uint64_t begins[2] = { 16, 0 };
    for (i = 0; i < bursty_p_threads(); i++) bursty_p_sum(&begins[1], &bursty_p_all.threads[i].begins[p]);
    if (begins[1]) bursty_p_put_all(d, begins, 2);
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
    bursty_p_put_name_of(d, t);
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

/* ---- switches of fibers that nobody can follow  src/bursty/switches.c ---- */

/* The dump says how many there were, of all (kind 7): switches to a fiber that
   another thread runs, and those in the middle of an event, from an action or a
   signal handler. Until the thread comes back to that event, it records no other.
   A thread adds its switches to the total from time to time, and always before it
   counts a wrong one. So the total is a little too small, but never smaller than the
   number of wrong ones.
   On bare metal nothing is counted. */
#ifdef BURSTY_BARE
#define bursty_p_count_switch(twice, n) ((void)(twice))
#define bursty_p_begin_fibers() ((void)0)
#define bursty_p_write_fibers(d, write, user) 0
#else
enum { BURSTY_P_ALL_SWITCHES, BURSTY_P_TWICE, BURSTY_P_INSIDE, BURSTY_P_SWITCHES };
enum { BURSTY_P_SWITCHES_GIVEN = 1023 };
static uint32_t bursty_p_switches[BURSTY_P_SWITCHES];
/* How many switches the thread may count before it adds them to those of all, and how
   many it was given at first. */
static BURSTY_P_TLS struct { int32_t left, given; } bursty_p_uncounted;

static void bursty_p_begin_fibers(void) {
    uint32_t i;
    for (i = 0; i < BURSTY_P_SWITCHES; i++) BURSTY_P_RELEASE(&bursty_p_switches[i], 0);
    bursty_p_uncounted.left = bursty_p_uncounted.given = 0;
}

/* Stops at its greatest value: the sum of a thread is small. */
BURSTY_P_COLD static void bursty_p_add_switches(uint32_t *count, uint32_t n) {
    if (BURSTY_P_ACQUIRE(count) < UINT32_MAX / 2) (void)BURSTY_P_ADD(count, n);
}

static void bursty_p_add_uncounted(void) {
    const int32_t n = bursty_p_uncounted.given - bursty_p_uncounted.left;
    bursty_p_add_switches(&bursty_p_switches[BURSTY_P_ALL_SWITCHES], (uint32_t)n);
    bursty_p_uncounted.left = bursty_p_uncounted.given = BURSTY_P_SWITCHES_GIVEN;
}

BURSTY_P_COLD static void bursty_p_count_switches(int is_twice) {
    const bursty_p_thread *t = bursty_p_registered();
    bursty_p_add_uncounted();
    if (is_twice) bursty_p_add_switches(&bursty_p_switches[BURSTY_P_TWICE], 1);
    if (t && t->in_slow) bursty_p_add_switches(&bursty_p_switches[BURSTY_P_INSIDE], 1);
}

/* n: the thread's word; it is usual outside of bursts and events. */
BURSTY_P_INLINE void bursty_p_count_switch(int is_twice, uint32_t n) {
    if (BURSTY_P_UNLIKELY(--bursty_p_uncounted.left < 0)
        || BURSTY_P_UNLIKELY(BURSTY_P_POLLS || n > BURSTY_P_SPAN) || BURSTY_P_UNLIKELY(is_twice))
        bursty_p_count_switches(is_twice);
}

/* Parts of kind 7. */
static int bursty_p_write_fibers(bursty_p_dump *d, bursty_write_fn write, void *user) {
    uint32_t what;
    bursty_p_add_uncounted();
    for (what = BURSTY_P_TWICE; what < BURSTY_P_SWITCHES; what++) {
        const uint64_t says[4] = { 2, what + 19, BURSTY_P_ACQUIRE(&bursty_p_switches[what]),
                                   BURSTY_P_ACQUIRE(&bursty_p_switches[BURSTY_P_ALL_SWITCHES]) };
        if (!says[2]) continue;
        bursty_p_put_begin(&d->out, 7, write, user);
        bursty_p_put_all(d, says, 4);
        bursty_p_put_string(d, bursty_p_all.config.program);
        if (bursty_p_put_end(&d->out)) return -1;
    }
    return 0;
}
#endif

/* ---- time: start, pause, end ---------------------- src/bursty/time.c ---- */

#if BURSTY_P_TICKS

/* bursty_start asks what can tick here (plan), lays out a table of paths if
   something does, and then begins. Where there are timers, each thread arms its
   own when it registers, and gives it back when it ends. A child of fork has
   none of them: it begins with its one thread. Where there are none, or if
   config.watch asks for it, the watcher looks at all threads (watcher.c).

   The CPU time of the process stands beside the ticks: ticks times period falls
   short of it if a thread made no check, or had no record or timer, if the
   signal was blocked, or if the program took it over. The report says so. */

/* CPU time that was to be seen: of the phases that have ended, and when the
   running one began. */
static struct {
    uint64_t before, since;
} bursty_p_cpu;

/* Without that of the watcher's thread. */
static uint64_t bursty_p_cpu_now(void) {
#ifdef BURSTY_P_WATCHER
    const uint64_t own_us = BURSTY_P_GET(&bursty_p_watcher.own_us), now = bursty_p_cpu_us();
    return now > own_us ? now - own_us : 0;
#else
    return bursty_p_cpu_us();
#endif
}

static uint64_t bursty_p_cpu_seen(void) {
    uint64_t now;
    if (BURSTY_P_ACQUIRE(&bursty_p_ticks.on) != 1) return bursty_p_cpu.before; /* no system call */
    now = bursty_p_cpu_now();
    if (now < bursty_p_cpu.since) return bursty_p_cpu.before;
    return bursty_p_cpu.before + now - bursty_p_cpu.since;
}

#ifdef BURSTY_P_WATCHER
/* Is the watcher's thread there, or to be there? */
static int bursty_p_has_thread(void) { return BURSTY_P_IS_WATCHED || BURSTY_P_IS_SENT; }

static uint32_t bursty_p_wants_watcher(const bursty_config *config) {
#if defined(BURSTY_P_TIMERS) || defined(__linux__)
    return config->tick_hz >= 0 && config->watch == 1;
#else
    return config->tick_hz >= 0 && config->watch >= 0;
#endif
}
#endif

/* Forgets what an earlier start has counted, sets no_time and the period.
   Returns whether a table of paths is needed. */
static int bursty_p_plan_time(const bursty_config *config) {
    int32_t hz = config->tick_hz;
#ifdef BURSTY_P_WATCHER
    bursty_p_ticks.is_watched = bursty_p_wants_watcher(config);
    bursty_p_watcher_forget_counts();
#endif
    bursty_p_ticks.usual = 1;
#ifdef BURSTY_P_TICKER
    bursty_p_ticks.is_sent = hz >= 0 && config->watch == 2;
#endif
    bursty_p_ticks.lost = bursty_p_ticks.cut = bursty_p_ticks.late = bursty_p_ticks.untimed = bursty_p_ticks.astray = 0;
    bursty_p_cpu.before = 0;
    bursty_p_ticks.fold = config->fold;
    bursty_p_ticks.period_us = hz > 0 ? 1000000u / (uint32_t)hz : 10000;
    bursty_p_all.no_time = BURSTY_TIME_IS_ON;
    if (hz < 0) bursty_p_all.no_time = BURSTY_NO_TIME_ASKED;
    if (hz != 0) return hz > 0;
    if (BURSTY_P_IS_WATCHED) return 1;
#if defined(BURSTY_P_TICKER) && !defined(BURSTY_P_APART) && UINTPTR_MAX > UINT32_MAX
    bursty_p_ticks.period_us = BURSTY_P_IS_SENT ? 100 : 10000; /* many looks at the beginning */
    bursty_p_ticks.usual = 10000 / bursty_p_ticks.period_us;
#endif
#if defined(BURSTY_P_TIMERS) && defined(BURSTY_P_APART)
    bursty_p_all.no_time = BURSTY_NO_TIME_SHARED;
#elif defined(BURSTY_BARE)
    bursty_p_all.no_time = BURSTY_NO_TIME_ASKED;
#elif defined(BURSTY_P_POSIX) && defined(__linux__) && !defined(BURSTY_P_TIMERS) && BURSTY_STACK > 0
    bursty_p_all.no_time = BURSTY_NO_TIME_STRICT;
#elif !defined(BURSTY_P_TIMERS)
    bursty_p_all.no_time = BURSTY_NO_TIME_SYSTEM;
#endif
    return bursty_p_all.no_time == BURSTY_TIME_IS_ON;
}

#ifdef BURSTY_P_TICKER
/* There is no thread that sends ticks: the system refused it, or this is a
   forked child, which may be in the middle of an allocation. Returns 0 if no
   signal is free. */
static int bursty_p_tick_by_timers(void) {
    bursty_p_uninstall();
    bursty_p_ticks.is_sent = 0;
    return bursty_p_install();
}
#endif

static void bursty_p_begin_time(void) {
    if (bursty_p_ticks.row_room == 0) {
        bursty_p_all.no_time = BURSTY_NO_TIME_MEMORY;
        return;
    }
#ifdef BURSTY_P_TICKER
    if (BURSTY_P_IS_SENT && !bursty_p_install()) bursty_p_ticks.is_sent = 0;
#endif
#ifdef BURSTY_P_TIMERS
    if (!BURSTY_P_IS_WATCHED && !BURSTY_P_IS_SENT && !bursty_p_install()) {
        bursty_p_all.no_time = BURSTY_NO_TIME_SIGNALS;
        return;
    }
#endif
#ifdef BURSTY_P_TIMERS
    bursty_p_begin_steps(&bursty_p_stepping);
#endif
    bursty_p_cpu.since = bursty_p_cpu_now();
#ifdef BURSTY_P_AXIS
    bursty_p_axis.began_ns = bursty_p_frame_ns();
#endif
    BURSTY_P_FENCE();
    BURSTY_P_RELEASE(&bursty_p_ticks.on, 1);
#ifdef BURSTY_P_WATCHER
    if (!bursty_p_has_thread() || bursty_p_watcher_begin()) return;
#ifdef BURSTY_P_TICKER
    if (BURSTY_P_IS_SENT && bursty_p_tick_by_timers()) return;
#endif
    BURSTY_P_RELEASE(&bursty_p_ticks.on, 0);
    bursty_p_all.no_time = BURSTY_NO_TIME_THREAD;
#endif
}

static void bursty_p_end_time(void) {
    bursty_p_cpu.before = bursty_p_cpu_seen();
    BURSTY_P_RELEASE(&bursty_p_ticks.on, 0);
#ifdef BURSTY_P_WATCHER
    bursty_p_watcher_end();
#endif
#ifdef BURSTY_P_TIMERS
    bursty_p_uninstall();
#endif
}

static void bursty_p_pause_time(int is_paused) {
    if (BURSTY_P_ACQUIRE(&bursty_p_ticks.on) == 0) return;
    bursty_p_cpu.before = bursty_p_cpu_seen();
    bursty_p_cpu.since = bursty_p_cpu_now();
    BURSTY_P_RELEASE(&bursty_p_ticks.on, is_paused ? 2 : 1);
#ifdef BURSTY_P_WATCHER
    if (bursty_p_has_thread()) bursty_p_watcher_order();
#endif
}

static void bursty_p_clear_time(void) {
    uint32_t i, k, rows = BURSTY_P_ACQUIRE(&bursty_p_ticks.row_count); /* ticks go on */
    for (i = 0; i < rows; i++) {
        for (k = 0; k < BURSTY_P_TICK_SUMS; k++)
            BURSTY_P_RELEASE(&bursty_p_ticks.rows[i].sum[k], 0);
    }
    BURSTY_P_RELEASE(&bursty_p_ticks.lost, 0);
    BURSTY_P_RELEASE(&bursty_p_ticks.cut, 0);
    BURSTY_P_RELEASE(&bursty_p_ticks.late, 0);
    BURSTY_P_RELEASE(&bursty_p_ticks.astray, 0);
    bursty_p_clear_axis();
#ifdef BURSTY_P_TIMERS
    bursty_p_begin_steps(&bursty_p_stepping);
#endif
#ifdef BURSTY_P_WATCHER
    bursty_p_watcher_forget_counts();
#endif
    bursty_p_cpu.before = 0;
    bursty_p_cpu.since = bursty_p_cpu_now();
}

/* On a thread that registers, that ends, or that is a forked child. A thread
   whose end will not be noticed cannot be watched: its stack would be gone. */
#ifdef BURSTY_P_WATCHER
static void bursty_p_watch_on_thread(int what, bursty_p_thread *t, int is_noticed) {
    if (what == BURSTY_THREAD_FORKED) {
        bursty_p_ticks.untimed = 0;
        bursty_p_watcher_forked();
    }
    if (what == BURSTY_THREAD_ENDS) bursty_p_watcher_close(t);
    if (what != BURSTY_THREAD_BEGINS && what != BURSTY_THREAD_FORKED) return;
    if (!BURSTY_P_ACQUIRE(&bursty_p_ticks.on)) return;
    if (is_noticed) bursty_p_watcher_open(t);
    if (BURSTY_P_ACQUIRE(&t->watched) == BURSTY_P_CLOSED)
        bursty_p_tick_add_shared(&bursty_p_ticks.untimed, 1);
}
#endif
#ifdef BURSTY_P_TIMERS
static void bursty_p_timer_on_thread(int what, bursty_p_thread *t) {
    uint32_t i;
    if (what == BURSTY_THREAD_FORKED) { /* a child inherits no timer */
        for (i = 0; i < bursty_p_threads(); i++) bursty_p_all.threads[i].timer = 0;
        bursty_p_ticks.untimed = 0;
    }
    if (what == BURSTY_THREAD_ENDS) bursty_p_disarm(t);
    if (what != BURSTY_THREAD_BEGINS && what != BURSTY_THREAD_FORKED) return;
    if (BURSTY_P_ACQUIRE(&bursty_p_ticks.on) && !bursty_p_arm(t))
        bursty_p_tick_add_shared(&bursty_p_ticks.untimed, 1);
}
#endif
static void bursty_p_time_on_thread(int what, bursty_p_thread *t, int is_noticed) {
    (void)what;
    (void)t;
    (void)is_noticed;
#ifdef BURSTY_P_TICKER
    if (BURSTY_P_IS_SENT && what == BURSTY_THREAD_FORKED) {
        bursty_p_watcher_forked();
        if (!bursty_p_tick_by_timers()) bursty_p_all.no_time = BURSTY_NO_TIME_SIGNALS;
    }
#endif
#ifdef BURSTY_P_WATCHER
    if (bursty_p_has_thread()) {
        bursty_p_watch_on_thread(what, t, is_noticed);
        return;
    }
#endif
#ifdef BURSTY_P_TIMERS
    bursty_p_timer_on_thread(what, t);
#endif
}

BURSTY_API void bursty_tick(uint32_t n) { bursty_p_tick_charge(n, NULL); }
#ifndef BURSTY_BARE
BURSTY_API void bursty_tick_at(const bursty_site *const *stack, uint32_t depth, uint32_t n) {
    bursty_p_tick_charge_at(n, depth, stack, NULL, 0);
}
#endif

static void bursty_p_time_stats(bursty_stats *out) {
    uint32_t i, count = BURSTY_P_ACQUIRE(&bursty_p_ticks.row_count);
    out->ticks_lost = BURSTY_P_ACQUIRE(&bursty_p_ticks.lost);
    out->ticks_cut = BURSTY_P_ACQUIRE(&bursty_p_ticks.cut);
    out->ticks_late = BURSTY_P_ACQUIRE(&bursty_p_ticks.late);
    out->untimed = BURSTY_P_ACQUIRE(&bursty_p_ticks.untimed);
    out->cpu_us = bursty_p_cpu_seen();
    out->paths = count;
#ifdef BURSTY_P_AXIS
    out->timeline = bursty_p_axis_room();
#endif
#ifdef BURSTY_P_WATCHER
    out->looks_late = BURSTY_P_ACQUIRE(&bursty_p_watcher.late);
    out->looks_cut = BURSTY_P_ACQUIRE(&bursty_p_watcher.cut);
    out->unwatched = BURSTY_P_GET(&bursty_p_watcher.unwatched);
#endif
    for (i = 0; i < count; i++) {
        const bursty_p_tick_row *row = &bursty_p_ticks.rows[i];
#ifdef BURSTY_P_WATCHER
        out->waiting = bursty_p_sat_add(out->waiting, BURSTY_P_ACQUIRE(&row->sum[BURSTY_P_TICK_WAITING]));
#endif
        out->ticks = bursty_p_sat_add(out->ticks, BURSTY_P_ACQUIRE(&row->sum[0]));
        out->ticks_slow = bursty_p_sat_add(out->ticks_slow, BURSTY_P_ACQUIRE(&row->sum[1]));
    }
}

/* The part of a dump: rows of one thread. Each says how many rows before it its parent
   stands. (`thread` is the index of a record, which may be so new that
   it has no number yet.) */
static void bursty_p_put_paths(bursty_p_dump *d, uint32_t thread, uint32_t count) {
    uint32_t i, k, back, some = 0;
    for (i = 0; i < count; i++) {
        const bursty_p_tick_row *row = &bursty_p_ticks.rows[i];
        const bursty_site *site = BURSTY_P_ACQUIRE(&row->site);
        if (!site || row->thread != thread + 1) continue;
        if (!some) { /* its record adds nothing to that of the other part */
            const uint64_t v[3] = { 3, thread, 1 };
            bursty_p_put_all(d, v, 3);
            bursty_p_put_name_of(d, &bursty_p_all.threads[thread]);
            for (k = 0; k < 4; k++) bursty_p_put_varint(&d->out, 0);
            some = 1;
        }
        bursty_p_put_varint(&d->out, 6);
        d->sites = 0; /* each site in full, as version 0.1.0 wants it */
        bursty_p_put_site(d, site);
        back = row->parent ? row->order - bursty_p_ticks.rows[row->parent - 1].order : 0;
        bursty_p_put_varint(&d->out, back);
        for (k = 0; k < BURSTY_P_TICK_WRITTEN; k++)
            bursty_p_put_varint(&d->out, BURSTY_P_ACQUIRE(&row->sum[k]));
#ifdef BURSTY_P_WATCHER
        const uint64_t waiting[2] = { 13, BURSTY_P_ACQUIRE(&row->sum[BURSTY_P_TICK_WAITING]) };
        if (waiting[1]) bursty_p_put_all(d, waiting, 2);
#endif
    }
}

static int bursty_p_write_time(bursty_p_dump *d, bursty_write_fn write, void *user) {
    const uint64_t info[2] = { 1, 0 }, none[3] = { 0, 0, 0 };
    const uint64_t ticks[5] = { 5, bursty_p_ticks.period_us, BURSTY_P_ACQUIRE(&bursty_p_ticks.lost),
                                BURSTY_P_ACQUIRE(&bursty_p_ticks.cut),
                                BURSTY_P_ACQUIRE(&bursty_p_ticks.late) };
    const uint64_t untimed[2] = { 9, BURSTY_P_ACQUIRE(&bursty_p_ticks.untimed) };
    const uint64_t cpu[2] = { 11, bursty_p_cpu_seen() };
    const uint64_t random[2] = { 15, 8 };
    const uint64_t astray[2] = { 17, BURSTY_P_ACQUIRE(&bursty_p_ticks.astray) };
    uint32_t i, count = BURSTY_P_ACQUIRE(&bursty_p_ticks.row_count);
    bursty_p_put_begin(&d->out, 1, write, user);
    bursty_p_put_all(d, info, 2);
    bursty_p_put_string(d, bursty_p_all.config.program);
    bursty_p_put_all(d, none, 3);
    bursty_p_put_all(d, ticks, 5);
    if (untimed[1]) bursty_p_put_all(d, untimed, 2);
    if (cpu[1]) bursty_p_put_all(d, cpu, 2);
    if (astray[1]) bursty_p_put_all(d, astray, 2);
    if (BURSTY_P_IS_SENT) bursty_p_put_all(d, random, 2);
#ifdef BURSTY_P_TICKER
    if (BURSTY_P_IS_SENT && BURSTY_P_ACQUIRE(&bursty_p_watcher.late)) {
        const uint64_t behind[2] = { 21, BURSTY_P_ACQUIRE(&bursty_p_watcher.late) };
        bursty_p_put_all(d, behind, 2);
    }
#endif
#ifdef BURSTY_P_TIMERS
    if (BURSTY_P_GET(&bursty_p_stepping.count)) {
        uint32_t step, same = bursty_p_worst_step(&bursty_p_stepping, &step);
        const uint64_t steps[4] = { 19, step, BURSTY_P_GET(&bursty_p_stepping.count), same };
        bursty_p_put_all(d, steps, 4);
    }
#endif
#ifdef BURSTY_P_WATCHER
    if (bursty_p_ticks.is_watched) {
        const uint64_t watch[9] = { 12, 1, BURSTY_P_ANSWERS, BURSTY_P_GET(&bursty_p_watcher.rounds),
                                    BURSTY_P_ACQUIRE(&bursty_p_watcher.looks),
                                    BURSTY_P_ACQUIRE(&bursty_p_watcher.squares),
                                    BURSTY_P_ACQUIRE(&bursty_p_watcher.late),
                                    BURSTY_P_ACQUIRE(&bursty_p_watcher.cut),
                                    BURSTY_P_GET(&bursty_p_watcher.unwatched) };
        bursty_p_put_all(d, watch, 9);
    }
#endif
    for (i = 0; i < bursty_p_threads(); i++) bursty_p_put_paths(d, i, count);
    return bursty_p_put_end(&d->out);
}

#else /* nothing ticks in this build */

static int bursty_p_plan_time(const bursty_config *config) {
    (void)config;
    bursty_p_all.no_time = BURSTY_NO_TIME_ASKED;
    return 0;
}
static void bursty_p_begin_time(void) { }
static void bursty_p_end_time(void) { }
static void bursty_p_clear_time(void) { }
static void bursty_p_pause_time(int is_paused) { (void)is_paused; }
static void bursty_p_zero_paths(void) { }
static size_t bursty_p_lay_out_paths(unsigned char *memory, size_t bytes) {
    return (void)memory, (void)bytes, 0;
}
static void bursty_p_time_on_thread(int what, bursty_p_thread *t, int is_noticed) {
    (void)what, (void)t, (void)is_noticed;
}
BURSTY_API void bursty_tick(uint32_t n) { (void)n; }

#endif

/* ---- children, and other programs ------------- src/bursty/children.c ---- */

/* No number here contains what the children of this process did. If that is a real
   share of the CPU time, the dump says how much (kind 7). The system
   tells it of children that have ended and were waited for; how many there were
   it does not tell. Without timers it is not asked: the program may have forbidden
   itself the call, as under `bursty record --frames`.

   A timer of CPU time looks at ticks of the kernel's clock alone. Where other
   programs want the processor, too, turns on it begin and end there. So the dump
   says how many turns were cut off, if they are worth a word, and whether the
   program slept, too: then these ticks may meet one place of its work. */
#if defined(BURSTY_P_POSIX) && !defined(BURSTY_NO_TIMERS)
#include <sys/resource.h>
static uint64_t bursty_p_children_before_us, bursty_p_turns_before, bursty_p_sleeps_before;

static uint64_t bursty_p_used_us(int is_children) {
    struct rusage used;
    if (getrusage(is_children ? RUSAGE_CHILDREN : RUSAGE_SELF, &used) != 0) return 0;
    return (uint64_t)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1000000
           + (uint64_t)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

/* How many turns ended because the program slept, or because others wanted the
   processor. */
static uint64_t bursty_p_turns(int slept) {
    struct rusage used;
    if (getrusage(RUSAGE_SELF, &used) != 0) return 0;
    return (uint64_t)(slept ? used.ru_nvcsw : used.ru_nivcsw);
}

/* From here on they count: a program that exec has put in another one's place
   has its children. */
static void bursty_p_begin_children(void) {
    bursty_p_children_before_us = bursty_p_used_us(1);
    bursty_p_turns_before = bursty_p_turns(0);
    bursty_p_sleeps_before = bursty_p_turns(1);
}

static int bursty_p_write_children(bursty_p_dump *d, bursty_write_fn write, void *user) {
    const uint64_t own = bursty_p_used_us(0) / 1000, now = bursty_p_used_us(1);
    const uint64_t theirs = now > bursty_p_children_before_us
                                ? (now - bursty_p_children_before_us) / 1000 : 0;
    const uint64_t says[4] = { 2, 18, theirs, theirs + own }; /* version, why */
    if (theirs < 10 || theirs * 20 < theirs + own) return 0;
    bursty_p_put_begin(&d->out, 7, write, user);
    bursty_p_put_all(d, says, 4);
    bursty_p_put_string(d, bursty_p_all.config.program);
    return bursty_p_put_end(&d->out);
}

#if BURSTY_P_TICKS && defined(BURSTY_P_TIMERS)
static int bursty_p_write_turns(bursty_p_dump *d, bursty_write_fn write, void *user) {
    enum { FEW = 50, PART = 4, CUT = 6, SLEPT = 27 };
    const uint64_t period_us = bursty_p_ticks.usual * bursty_p_ticks.period_us;
    const uint64_t now = bursty_p_turns(0), sleeps = bursty_p_turns(1) - bursty_p_sleeps_before;
    const uint64_t turns = now > bursty_p_turns_before ? now - bursty_p_turns_before : 0;
    const uint64_t ticks = period_us ? bursty_p_cpu_seen() / period_us : 0;
    const uint64_t says[4] = { 2, sleeps < ticks / PART ? CUT : SLEPT,
                               turns < ticks ? turns : ticks, ticks };
    if (BURSTY_P_IS_SENT || BURSTY_P_IS_WATCHED || ticks < FEW || turns < ticks / PART) return 0;
    bursty_p_put_begin(&d->out, 7, write, user);
    bursty_p_put_all(d, says, 4);
    bursty_p_put_string(d, bursty_p_all.config.program);
    return bursty_p_put_end(&d->out);
}
#else
#define bursty_p_write_turns(d, write, user) 0
#endif
#else
static void bursty_p_begin_children(void) { }
#define bursty_p_write_children(d, write, user) 0
#define bursty_p_write_turns(d, write, user) 0
#endif

/* ---- frames ------------------------------------- src/bursty/frames.c ---- */

#if BURSTY_FRAMES > 0

/* bursty_frame ends the frame of this thread and begins the next. A frame that
   ends is slow or not: it is longer than config.frame_slow_ns, or, if that is
   0, it lies in a bucket above the one with the 95th percentile of the frames
   of its kind so far. The first 64 are neither, then.

       buckets  | 0 | 1 | ... | 31 | 32 .. 47 | 48 .. 63 | ... | 527 |
                  64 ns each         128 ns     256 ns           open at 73 min

   There are 16 to an octave, so they are at most 6 % wide.

   Then the ticks of its paths are folded into functions: a function has the
   ticks of all paths that end in it (self) and of all that lead through it
   (total), first within the frame and then as a sum and a sum of squares over
   the frames of its class. A frame without a tick of a function adds zeros, and
   how many frames there were is known. So mean and variance between frames
   follow, and frames are what is independent.

   A tick does not meet all frames alike. Linux looks at timers of CPU time when
   it may take the processor from the thread. So a short frame that is slow for
   that reason has ticks of several ms, and one that is slow because it works
   has one now and then. Frames of a class that had about the same CPU time have
   about the same chance of a tick. They are a stratum: buckets of CPU time, 8
   to a stratum, two to an octave. Sums are kept for each stratum, and beside
   them the CPU time and the ticks of its frames. So a reader knows what a tick
   of that stratum stands for. Without a clock of CPU time, and in bare builds,
   all is one stratum.

   Frames that follow one another are alike, in what they do and in whether they
   are slow. So what they have is also kept in blocks of frames, at most 16:

       frame   1 .. 64 | 65 .. 128 | ... | 961 .. 1024      blocks of 64
       then    1 .. 128      | ...       | 961 .. 1088      of 128

   A block is as long as a power of two, and when 16 are full each two become
   one. So 8 to 16 blocks hold all frames, and are longer than what frames
   remember. What differs between blocks tells a reader how sure a difference
   is. The length follows from the number of a frame alone: threads need not
   agree, and each one brings its own blocks up to date.

   Buckets, the last durations and the slowest frames of a kind are shared by
   all threads: buckets by atomic additions, the slowest by a flag that nobody
   waits for. What threads add up belongs to one bursty_p_framed each; and so
   does a row (function, kind) of the table of functions. So a frame never
   waits. Cost: docs/frames.md. */
enum { BURSTY_P_BUCKETS = 528, BURSTY_P_FIRST_FRAMES = 64, BURSTY_P_FRAME_NAME = 32 };
#ifdef BURSTY_NO_TLS
enum { BURSTY_P_FRAMED = 1 }; /* threads that are in a frame at once */
#else
enum { BURSTY_P_FRAMED = 64 };
#endif
#ifdef BURSTY_BARE
enum { BURSTY_P_LAST_FRAMES = 64, BURSTY_P_SLOWEST = 4, BURSTY_P_SLOWEST_PATHS = 8,
       BURSTY_P_FRAME_ROWS = 24, BURSTY_P_FRAME_INDEX = 32 };
#else
enum { BURSTY_P_LAST_FRAMES = 256, BURSTY_P_SLOWEST = 16, BURSTY_P_SLOWEST_PATHS = 16,
       BURSTY_P_FRAME_ROWS = 6144, BURSTY_P_FRAME_INDEX = 8192 };
#endif
#ifndef BURSTY_BARE /* there nobody preempts, and there is little room: a stratum is all */
#define BURSTY_P_STRATA
enum { BURSTY_P_STRATUM = 8, BURSTY_P_STRATUM_COUNT = 66 }; /* buckets in one; how many */
#ifndef BURSTY_FRAME_BLOCKS
#define BURSTY_FRAME_BLOCKS 1024
#endif
#if BURSTY_FRAME_BLOCKS < 1 || BURSTY_FRAME_BLOCKS > 65536
#error "BURSTY_FRAME_BLOCKS is a number from 1 to 65536"
#endif
enum { BURSTY_P_BLOCKS = 16, BURSTY_P_BLOCKED = BURSTY_FRAME_BLOCKS }; /* of frames; who has them */
enum { BURSTY_P_FRAMES_VERSION = 3 };
#define BURSTY_P_STRATUM_OF(row) (row)->stratum

/* What the ticks of a stratum stand for. */
typedef struct bursty_p_frame_stratum {
    bursty_p_tick_count cpu_us, ticks, events; /* events: ticks that come together are one */
} bursty_p_frame_stratum;

/* What the frames of each block have. With a site: the function's ticks, self and
   total. Without one: how many frames there are, and how long they waited. Only the
   thread of `framed` writes it. */
typedef struct bursty_p_frame_blocks {
    const bursty_site *site;
    uint32_t kind, framed;              /* framed: 1 + its number, or 0 while it is made */
    uint32_t maker;                     /* 1 + the row that stands for it in a dump    */
    uint32_t shift;                     /* a block has 2^shift frames                  */
    bursty_p_count sum[BURSTY_P_FRAME_CLASSES][2][BURSTY_P_BLOCKS];
} bursty_p_frame_blocks;
#else
enum { BURSTY_P_STRATUM = 0, BURSTY_P_FRAMES_VERSION = 2 };
#define BURSTY_P_STRATUM_OF(row) 0u
#endif

typedef struct bursty_p_slowest {
    uint64_t ns, wait_ns, began_ns; /* began: since bursty_start                        */
    uint32_t number;                /* of the frame among those of its kind, from 1     */
    uint32_t paths, more;           /* more: ticks of further paths                     */
    struct { uint32_t row, ticks; } path[BURSTY_P_SLOWEST_PATHS];
} bursty_p_slowest;

typedef struct bursty_p_frame_kind {
    const char *literal;            /* by which it was named first; what dlopen loads
                                       later may have another name at that address      */
    char name[BURSTY_P_FRAME_NAME];
    uint32_t state;                 /* 0 free, 1 being made, 2 there                    */
    uint32_t count, next, limit;    /* frames; when to look for the limit again; 1 + the
                                       last bucket that is not slow, or 0               */
    uint32_t slowest_busy, slowest_count;
    bursty_p_count slowest_least;   /* once slowest[] is full: its shortest             */
    bursty_p_tick_count unended, left_out, missed; /* missed: not among the slowest     */
    bursty_p_tick_count crowded, unplaced;         /* ticks: see bursty_write           */
    bursty_p_tick_count bucket[BURSTY_P_BUCKETS];
#ifdef BURSTY_P_STRATA
    bursty_p_frame_stratum stratum[BURSTY_P_FRAME_CLASSES][BURSTY_P_STRATUM_COUNT];
#endif
    uint32_t last_us[BURSTY_P_LAST_FRAMES];
    bursty_p_slowest slowest[BURSTY_P_SLOWEST];
} bursty_p_frame_kind;

/* A function in the frames of a kind and a stratum, on the threads of one
   bursty_p_framed. */
enum { BURSTY_P_SELF, BURSTY_P_TOTAL };
typedef struct bursty_p_frame_row {
    const bursty_site *site;
    struct bursty_p_frame_row *touched; /* in this frame: the next one, or itself      */
    uint16_t kind, framed;
#ifdef BURSTY_P_STRATA
    uint32_t stratum;
    uint32_t blocks;                    /* 1 + the number of its blocks, or 0          */
#endif
    uint32_t serial;                    /* the path that was added last                */
    uint32_t now[2];                    /* ticks of this frame: self, total            */
    bursty_p_count sum[BURSTY_P_FRAME_CLASSES][2], squares[BURSTY_P_FRAME_CLASSES][2];
} bursty_p_frame_row;

static struct {
    uint64_t began_ns;
    uint32_t breaks, paused, used;      /* used: something here is not zero            */
    uint32_t row_count;
    bursty_p_tick_count lost, idle_ends, nested; /* calls of bursty_frame; see bursty_write */
    uint32_t index[BURSTY_P_FRAME_INDEX];        /* a row's number + 1, or 0               */
    bursty_p_frame_row rows[BURSTY_P_FRAME_ROWS];
    bursty_p_frame_kind kind[BURSTY_FRAMES];
    bursty_p_framed framed[BURSTY_P_FRAMED];
#ifdef BURSTY_P_STRATA
    uint32_t blocks_count;
    bursty_p_frame_blocks blocks[BURSTY_P_BLOCKED];
#endif
} bursty_p_frames;

/* ---- clocks ---- */

static uint64_t bursty_p_frame_cpu_ns(void) {
    const bursty_config *config = &bursty_p_all.config;
    if (config->frame_cpu_clock) return config->frame_cpu_clock(config->clock_user);
    return config->frame_clock ? 0 : bursty_p_thread_ns(NULL);
}

/* Is there a clock of CPU time beside that of the frames? */
static uint32_t bursty_p_knows_waiting(void) {
    if (bursty_p_all.config.frame_cpu_clock) return 1;
    if (bursty_p_all.config.frame_clock) return 0;
#ifdef BURSTY_P_CLOCK
    return 1;
#else
    return 0;
#endif
}

/* ---- kinds and durations ---- */

static uint32_t bursty_p_bucket(uint64_t ns) {
    uint32_t shift = 0;
    for (ns >>= 6; ns >= 32; ns >>= 1) shift++;
    if (shift > BURSTY_P_BUCKETS / 16 - 2) return BURSTY_P_BUCKETS - 1;
    return 16 * shift + (uint32_t)ns;
}

/* Where the bucket begins, in ns. */
static uint64_t bursty_p_bucket_ns(uint32_t bucket) {
    if (bucket < 32) return (uint64_t)bucket << 6;
    return (uint64_t)(16 + bucket % 16) << (bucket / 16 - 1 + 6);
}

/* Names are cut: what follows 31 bytes makes no other kind. */
static int bursty_p_is_named(const bursty_p_frame_kind *kind, const char *name) {
    uint32_t i;
    for (i = 0; i + 1 < BURSTY_P_FRAME_NAME && name[i]; i++) {
        if (kind->name[i] != name[i]) return 0;
    }
    return kind->name[i] == 0;
}

/* The number of a kind; made at first sight, if make is set; BURSTY_FRAMES:
   there is none. */
static uint32_t bursty_p_kind_of(const char *name, int make) {
    uint32_t k, i;
    for (k = 0; k < BURSTY_FRAMES; k++) {
        bursty_p_frame_kind *kind = &bursty_p_frames.kind[k];
        if (BURSTY_P_ACQUIRE(&kind->state) == 2 && kind->literal == name
            && bursty_p_is_named(kind, name)) {
            return k;
        }
    }
    for (k = 0; k < BURSTY_FRAMES; k++) {
        bursty_p_frame_kind *kind = &bursty_p_frames.kind[k];
        uint32_t state = BURSTY_P_ACQUIRE(&kind->state);
        if (state == 2 && bursty_p_is_named(kind, name)) return k;
        if (state != 0 || !make) continue;
        if (!bursty_p_cas(&kind->state, 0, 1)) continue; /* readers add up two of one name */
        for (i = 0; i + 1 < BURSTY_P_FRAME_NAME && name[i]; i++) kind->name[i] = name[i];
        kind->literal = name;
        kind->next = BURSTY_P_FIRST_FRAMES;
        BURSTY_P_RELEASE(&kind->state, 2);
        return k;
    }
    return BURSTY_FRAMES;
}

/* The 95th percentile so far, looked for after 64 frames and then 32 times
   while they double. Who moves `next` does it. */
static void bursty_p_find_limit(bursty_p_frame_kind *kind, uint32_t count) {
    uint32_t next = BURSTY_P_ACQUIRE(&kind->next), step = count / 32, i;
    uint64_t all = 0, below = 0;
    if ((int32_t)(count - next) < 0) return;
    if (step < 16) step = 16;
    if (step > 4096) step = 4096;
    if (!bursty_p_cas(&kind->next, next, count + step)) return;
    for (i = 0; i < BURSTY_P_BUCKETS; i++) all += BURSTY_P_ACQUIRE(&kind->bucket[i]);
    for (i = 0; i + 1 < BURSTY_P_BUCKETS; i++) {
        below += BURSTY_P_ACQUIRE(&kind->bucket[i]);
        if (below >= all - all / 20) break;
    }
    BURSTY_P_PUT(&kind->limit, i + 1);
}

/* BURSTY_P_FRAME_CLASSES: it cannot be told yet. */
static uint32_t bursty_p_class_of(const bursty_p_frame_kind *kind, uint64_t ns) {
    uint64_t budget = bursty_p_all.config.frame_slow_ns;
    uint32_t limit = BURSTY_P_GET(&kind->limit);
    if (budget) return ns > budget ? BURSTY_P_SLOW_FRAME : BURSTY_P_OTHER_FRAME;
    if (limit == 0) return BURSTY_P_FRAME_CLASSES;
    return bursty_p_bucket(ns) >= limit ? BURSTY_P_SLOW_FRAME : BURSTY_P_OTHER_FRAME;
}

/* ---- functions in frames ---- */

static bursty_p_frame_row *bursty_p_claim_frame_row(void) {
    uint32_t number;
    do {
        number = BURSTY_P_GET(&bursty_p_frames.row_count);
        if (number >= BURSTY_P_FRAME_ROWS) return NULL;
    } while (!bursty_p_cas(&bursty_p_frames.row_count, number, number + 1));
    return &bursty_p_frames.rows[number];
}

/* The row of a function, made at first sight; NULL if the table is full. As
   bursty_p_tick_child: only the thread of `framed` writes its rows, and a slot
   changes once. */
static bursty_p_frame_row *bursty_p_frame_row_of(const bursty_site *site, uint32_t kind,
                                                 uint32_t framed, uint32_t stratum) {
    uint32_t h = bursty_p_mix(bursty_p_mix((uint32_t)((uintptr_t)site >> 3), kind),
                              framed | stratum << 16);
    bursty_p_frame_row *fresh = NULL, *row;
    for (;; h++) {
        uint32_t *slot = &bursty_p_frames.index[h % BURSTY_P_FRAME_INDEX];
        uint32_t number = BURSTY_P_ACQUIRE(slot);
        if (number == 0) {
            if (!fresh) {
                fresh = bursty_p_claim_frame_row();
                if (!fresh) return NULL;
                fresh->kind = (uint16_t)kind;
                fresh->framed = (uint16_t)framed;
#ifdef BURSTY_P_STRATA
                fresh->stratum = stratum;
#endif
                BURSTY_P_RELEASE(&fresh->site, site);
            }
            number = (uint32_t)(fresh - bursty_p_frames.rows) + 1;
            if (bursty_p_cas(slot, 0, number)) return fresh;
            number = BURSTY_P_ACQUIRE(slot);
        }
        row = &bursty_p_frames.rows[number - 1];
        if (row->site == site && row->kind == kind && row->framed == framed
            && BURSTY_P_STRATUM_OF(row) == stratum)
            return row;
    }
}

/* Adds a path's ticks to its functions, each of them once; those that it meets
   first in this frame get into the list. */
static bursty_p_frame_row *bursty_p_fold_path(bursty_p_framed *f, uint32_t kind, uint32_t stratum,
                                              uint32_t path, uint32_t n,
                                              bursty_p_frame_row *touched) {
    uint32_t framed = (uint32_t)(f - bursty_p_frames.framed), at, which = BURSTY_P_SELF;
    if (++f->serial == 0) f->serial = 1;
    for (at = path; at; at = bursty_p_ticks.rows[at - 1].parent) {
        const bursty_site *site = bursty_p_ticks.rows[at - 1].site;
        bursty_p_frame_row *row = bursty_p_frame_row_of(site, kind, framed, stratum);
        if (!row) {
            if (at == path)
                bursty_p_tick_add_shared(&bursty_p_frames.kind[kind].unplaced, n);
        } else {
            if (!row->touched) {
                row->touched = touched ? touched : row;
                row->now[BURSTY_P_SELF] = row->now[BURSTY_P_TOTAL] = row->serial = 0;
                touched = row;
            }
            for (; which <= BURSTY_P_TOTAL && row->serial != f->serial; which++)
                row->now[which] = row->now[which] + n < n ? UINT32_MAX : row->now[which] + n;
            row->serial = f->serial;
        }
        which = BURSTY_P_TOTAL;
    }
    return touched;
}

#ifdef BURSTY_P_STRATA
/* Sums that are nearly full stay as they are, all of them: it is their quotients
   that count. */
static void bursty_p_count_stratum(bursty_p_frame_stratum *sum, uint64_t cpu_us,
                                   const bursty_p_frame_list *list) {
    const bursty_p_tick_count most = BURSTY_P_TICK_MOST / 2;
    uint64_t ticks = list->more;
    uint32_t i;
    for (i = 0; i < list->count; i++) ticks += list->path[i].ticks;
    if (ticks > UINT32_MAX || cpu_us > UINT32_MAX || cpu_us > most || ticks > most
        || BURSTY_P_ACQUIRE(&sum->cpu_us) > most || BURSTY_P_ACQUIRE(&sum->ticks) > most) return;
    bursty_p_tick_add_shared(&sum->cpu_us, (uint32_t)cpu_us);
    if (!ticks) return;
    bursty_p_tick_add_shared(&sum->ticks, (uint32_t)ticks);
    bursty_p_tick_add_shared(&sum->events, list->events);
}
#endif

#ifdef BURSTY_P_STRATA
/* 1 + the number of the blocks of a function, or of all frames, made at first
   sight. 0: no room. */
static uint32_t bursty_p_blocks_of(const bursty_site *site, uint32_t kind, uint32_t framed,
                                   uint32_t maker) {
    uint32_t i, n;
    bursty_p_frame_blocks *b;
    do {
        n = BURSTY_P_ACQUIRE(&bursty_p_frames.blocks_count);
        for (i = 0; i < n; i++) {
            b = &bursty_p_frames.blocks[i];
            if (BURSTY_P_ACQUIRE(&b->framed) == framed + 1 && b->kind == kind && b->site == site) return i + 1;
        }
        if (n == BURSTY_P_BLOCKED) return 0;
    } while (!bursty_p_cas(&bursty_p_frames.blocks_count, n, n + 1));
    b = &bursty_p_frames.blocks[n];
    b->site = site;
    b->kind = kind;
    b->maker = maker;
    BURSTY_P_RELEASE(&b->framed, framed + 1);
    return n + 1;
}

static uint32_t bursty_p_block_shift(uint32_t number) {
    uint32_t shift = 0;
    while ((number - 1) >> shift >= BURSTY_P_BLOCKS) shift++;
    return shift;
}

/* Each two blocks become one until there is one for that number. */
static void bursty_p_join_blocks(bursty_p_frame_blocks *b, uint32_t number) {
    uint32_t i, k;
    for (; (number - 1) >> b->shift >= BURSTY_P_BLOCKS; BURSTY_P_PUT(&b->shift, b->shift + 1)) {
        for (k = 0; k < 4; k++) {
            bursty_p_count *sum = b->sum[k / 2][k % 2];
            for (i = 0; i < BURSTY_P_BLOCKS; i++) {
                uint64_t two = 0;
                if (i < BURSTY_P_BLOCKS / 2) {
                    bursty_p_sum(&two, &sum[2 * i]);
                    bursty_p_sum(&two, &sum[2 * i + 1]);
                }
                BURSTY_P_STORE(&sum[i], two);
            }
        }
    }
}

/* What the frame of that number, from 1, has of each of two things. */
static void bursty_p_add_to_block(uint32_t blocks, uint32_t number, uint32_t class_number,
                                  uint64_t first, uint64_t second) {
    bursty_p_frame_blocks *b = &bursty_p_frames.blocks[blocks - 1];
    bursty_p_count *sum;
    if (BURSTY_P_UNLIKELY((number - 1) >> b->shift >= BURSTY_P_BLOCKS)) bursty_p_join_blocks(b, number);
    sum = &b->sum[class_number][0][(number - 1) >> b->shift];
    bursty_p_count_up(sum, first);
    bursty_p_count_up(sum + BURSTY_P_BLOCKS, second);
}
#endif

static void bursty_p_fold_frame(bursty_p_framed *f, uint32_t kind, uint32_t class_number,
                                uint32_t stratum, uint32_t number,
                                const bursty_p_frame_list *list) {
    bursty_p_frame_row *row = NULL, *next;
    uint32_t i, k;
    for (i = 0; i < list->count; i++)
        row = bursty_p_fold_path(f, kind, stratum, list->path[i].row, list->path[i].ticks, row);
    for (; row; row = next) {
        next = row->touched == row ? NULL : row->touched;
        row->touched = NULL;
        for (k = 0; k <= BURSTY_P_TOTAL; k++) {
            bursty_p_count_up(&row->sum[class_number][k], row->now[k]);
            bursty_p_add_product(&row->squares[class_number][k], row->now[k], row->now[k]);
        }
#ifdef BURSTY_P_STRATA
        if (!row->blocks)
            row->blocks = bursty_p_blocks_of(row->site, kind, row->framed,
                                             (uint32_t)(row - bursty_p_frames.rows) + 1);
        if (row->blocks)
            bursty_p_add_to_block(row->blocks, number, class_number, row->now[BURSTY_P_SELF],
                                  row->now[BURSTY_P_TOTAL]);
#endif
    }
    (void)number;
}

/* ---- the slowest frames, as they were ---- */

/* Keeps the paths with the most ticks. */
static void bursty_p_keep_paths(bursty_p_slowest *kept, const bursty_p_frame_list *list) {
    uint64_t taken = 0, rest = list->more; /* taken: a bit for each path of the list */
    uint32_t i, best;
    kept->paths = 0;
    while (kept->paths < BURSTY_P_SLOWEST_PATHS) {
        best = BURSTY_P_FRAME_PATHS;
        for (i = 0; i < list->count; i++) {
            if (taken >> i & 1) continue;
            if (best == BURSTY_P_FRAME_PATHS || list->path[i].ticks > list->path[best].ticks)
                best = i;
        }
        if (best == BURSTY_P_FRAME_PATHS) break;
        taken |= (uint64_t)1 << best;
        kept->path[kept->paths].row = list->path[best].row;
        kept->path[kept->paths++].ticks = list->path[best].ticks;
    }
    for (i = 0; i < list->count; i++) {
        if (!(taken >> i & 1)) rest += list->path[i].ticks;
    }
    kept->more = rest > UINT32_MAX ? UINT32_MAX : (uint32_t)rest;
}

static void bursty_p_keep_slowest(bursty_p_frame_kind *kind, uint32_t number, uint64_t ns,
                                  uint64_t wait_ns, uint64_t began_ns,
                                  const bursty_p_frame_list *list) {
    uint32_t have = BURSTY_P_GET(&kind->slowest_count), i, at = 0;
    uint64_t least;
    if (have == BURSTY_P_SLOWEST && ns <= BURSTY_P_READ(&kind->slowest_least)) return;
    if (!bursty_p_cas(&kind->slowest_busy, 0, 1)) {
        bursty_p_tick_add_shared(&kind->missed, 1);
        return;
    }
    have = BURSTY_P_GET(&kind->slowest_count);
    for (i = 1; i < have; i++) {
        if (kind->slowest[i].ns < kind->slowest[at].ns) at = i;
    }
    if (have < BURSTY_P_SLOWEST) at = have++;
    else if (ns <= kind->slowest[at].ns) at = BURSTY_P_SLOWEST; /* others have come in between */
    if (at < BURSTY_P_SLOWEST) {
        bursty_p_slowest *kept = &kind->slowest[at];
        kept->ns = ns;
        kept->wait_ns = wait_ns;
        kept->began_ns = began_ns;
        kept->number = number;
        bursty_p_keep_paths(kept, list);
        for (least = ns, i = 0; i < have; i++) {
            if (kind->slowest[i].ns < least) least = kind->slowest[i].ns;
        }
        BURSTY_P_STORE(&kind->slowest_least, least);
        BURSTY_P_PUT(&kind->slowest_count, have);
    }
    BURSTY_P_RELEASE(&kind->slowest_busy, 0);
}

/* ---- ticks from another thread ---- */

/* A tick of a path of the thread with that record. One thread alone may call
   it, such as one that watches the others. Without a frame there is nowhere to
   put the tick. */
BURSTY_P_UNUSED static void bursty_p_post_frame_tick(uint32_t record, uint32_t row) {
    uint32_t i, running, posted;
    if (!BURSTY_P_GET(&bursty_p_frames.used)) return;
    for (i = 0; i < BURSTY_P_FRAMED; i++) {
        bursty_p_framed *f = &bursty_p_frames.framed[i];
        if (BURSTY_P_ACQUIRE(&f->thread) != record + 1) continue;
        running = BURSTY_P_GET(&f->running);
        if (!running) return;
        posted = BURSTY_P_GET(&f->posted);
        if (posted - BURSTY_P_ACQUIRE(&f->fetched) == BURSTY_P_FRAME_POSTS) {
            bursty_p_tick_add_shared(&bursty_p_frames.kind[running - 1].crowded, 1);
            return;
        }
        BURSTY_P_PUT(&f->post[posted % BURSTY_P_FRAME_POSTS], row);
        BURSTY_P_RELEASE(&f->posted, posted + 1);
        return;
    }
}

/* Into the frame that runs. Without one they came too late for it: dropped. */
static void bursty_p_fetch_frame_ticks(bursty_p_framed *f) {
    uint32_t posted = BURSTY_P_ACQUIRE(&f->posted), fetched = f->fetched;
    if (fetched == posted) return;
    for (; fetched != posted; fetched++)
        bursty_p_frame_tick(f, BURSTY_P_GET(&f->post[fetched % BURSTY_P_FRAME_POSTS]), 1);
    BURSTY_P_RELEASE(&f->fetched, fetched);
}

/* ---- the end of a frame, and the next ---- */

static void bursty_p_end_frame(bursty_p_framed *f, uint32_t k, uint64_t ns, uint64_t cpu_ns,
                               uint64_t began_ns, const bursty_p_frame_list *list) {
    bursty_p_frame_kind *kind = &bursty_p_frames.kind[k];
    uint64_t wait_ns = ns > cpu_ns && bursty_p_knows_waiting() ? ns - cpu_ns : 0;
    uint32_t class_number = bursty_p_class_of(kind, ns);
    uint32_t number = BURSTY_P_ADD(&kind->count, 1) + 1;
    uint64_t us = ns / 1000;
    uint32_t stratum = 0;
    bursty_p_tick_add_shared(&kind->bucket[bursty_p_bucket(ns)], 1);
    BURSTY_P_PUT(&kind->last_us[(number - 1) % BURSTY_P_LAST_FRAMES],
                 us > UINT32_MAX ? UINT32_MAX : (uint32_t)us);
    bursty_p_find_limit(kind, number);
    if (list->more) bursty_p_tick_add_shared(&kind->crowded, list->more);
    bursty_p_keep_slowest(kind, number, ns, wait_ns, began_ns, list);
#ifdef BURSTY_P_AXIS
    if (class_number == BURSTY_P_SLOW_FRAME)
        bursty_p_axis_frame(k, f->thread - 1, bursty_p_frames.began_ns + began_ns, ns);
#endif
    if (class_number == BURSTY_P_FRAME_CLASSES) return;
    {
        bursty_p_count *sum = &f->sum[k][class_number * BURSTY_P_FRAME_SUMS];
        bursty_p_count_up(&sum[BURSTY_P_FRAME_COUNT], 1);
        bursty_p_count_up(&sum[BURSTY_P_FRAME_US], us);
        bursty_p_add_product(&sum[BURSTY_P_FRAME_US2], us, us);
        bursty_p_count_up(&sum[BURSTY_P_FRAME_WAIT], wait_ns / 1000);
        bursty_p_add_product(&sum[BURSTY_P_FRAME_WAIT2], wait_ns / 1000, wait_ns / 1000);
    }
#ifdef BURSTY_P_STRATA
    {
        if (!f->blocks[k])
            f->blocks[k] = bursty_p_blocks_of(NULL, k, (uint32_t)(f - bursty_p_frames.framed), 0);
        if (f->blocks[k])
            bursty_p_add_to_block(f->blocks[k], number, class_number, 1, wait_ns / 1000);
    }
    if (bursty_p_knows_waiting()) {
        stratum = bursty_p_bucket(cpu_ns) / BURSTY_P_STRATUM;
        bursty_p_count_stratum(&kind->stratum[class_number][stratum], cpu_ns / 1000, list);
    }
#endif
    bursty_p_fold_frame(f, k, class_number, stratum, number, list);
}

/* A place for a thread that begins its first frame; NULL if all are in use. */
static bursty_p_framed *bursty_p_take_framed(uint32_t record) {
    uint32_t i;
    for (i = 0; i < BURSTY_P_FRAMED; i++) {
        bursty_p_framed *f = &bursty_p_frames.framed[i];
        if (!bursty_p_cas(&f->used, 0, 1)) continue;
        bursty_p_fetch_frame_ticks(f); /* of a thread that has ended */
        BURSTY_P_RELEASE(&f->thread, record + 1);
        return f;
    }
    return NULL;
}

BURSTY_API void bursty_frame(const char *name) {
    bursty_p_thread *t = bursty_p_me();
    bursty_p_framed *f = t ? bursty_p_mine.framed : NULL;
    bursty_p_frame_list *list;
    uint64_t now_ns, now_cpu_ns, began_ns, began_cpu_ns;
    uint32_t k = BURSTY_FRAMES, ended, breaks;
    if (BURSTY_P_ACQUIRE(&bursty_p_all.epoch) == 0) return;
    BURSTY_P_PUT(&bursty_p_frames.used, 1);
    if (!f && name && t && bursty_p_has_frame_clock())
        f = bursty_p_mine.framed = bursty_p_take_framed(t->number);
    if (!f) {
        bursty_p_tick_add_shared(name ? &bursty_p_frames.lost : &bursty_p_frames.idle_ends, 1);
        return;
    }
    if (f->busy) { /* a signal handler, in the middle of what follows */
        bursty_p_tick_add_shared(&bursty_p_frames.nested, 1);
        return;
    }
    f->busy = 1;
    BURSTY_P_FENCE();
    if (name) {
        k = bursty_p_kind_of(name, 1);
        if (k == BURSTY_FRAMES) bursty_p_tick_add_shared(&bursty_p_frames.lost, 1);
    }
    bursty_p_fetch_frame_ticks(f);
    ended = f->running;
    breaks = f->breaks;
    began_ns = f->began_ns;
    began_cpu_ns = f->began_cpu_ns;
    now_ns = bursty_p_frame_ns();
    now_cpu_ns = bursty_p_frame_cpu_ns();
    f->began_ns = now_ns;
    f->began_cpu_ns = now_cpu_ns;
    f->breaks = BURSTY_P_GET(&bursty_p_frames.breaks);
    list = &f->list[f->active & 1];
    BURSTY_P_FENCE();
    f->active = !f->active;
    BURSTY_P_PUT(&f->running, k < BURSTY_FRAMES ? k + 1 : 0);
    BURSTY_P_FENCE();
    if (!ended && !name) bursty_p_tick_add_shared(&bursty_p_frames.idle_ends, 1);
    if (ended && (breaks != f->breaks || BURSTY_P_GET(&bursty_p_frames.paused)))
        bursty_p_tick_add_shared(&bursty_p_frames.kind[ended - 1].left_out, 1);
    else if (ended) /* a clock that goes back gives a frame of 0 ns */
        bursty_p_end_frame(f, ended - 1, now_ns > began_ns ? now_ns - began_ns : 0,
                           now_cpu_ns > began_cpu_ns ? now_cpu_ns - began_cpu_ns : 0,
                           began_ns - bursty_p_frames.began_ns, list);
    list->count = list->more = list->events = 0;
    BURSTY_P_FENCE();
    f->busy = 0;
}

BURSTY_API size_t bursty_frames(const char *name, uint32_t *us, size_t max) {
    const bursty_p_frame_kind *kind;
    uint32_t k, count, i;
    if (!name || bursty_p_all.epoch == 0) return 0;
    k = bursty_p_kind_of(name, 0);
    if (k == BURSTY_FRAMES) return 0;
    kind = &bursty_p_frames.kind[k];
    count = BURSTY_P_ACQUIRE(&kind->count);
    if (max > BURSTY_P_LAST_FRAMES) max = BURSTY_P_LAST_FRAMES;
    if (max > count) max = count;
    for (i = 0; i < max; i++)
        us[i] = BURSTY_P_GET(&kind->last_us[(count - max + i) % BURSTY_P_LAST_FRAMES]);
    return max;
}

/* ---- start, pause, threads ---- */

static void bursty_p_begin_frames(void) {
    if (bursty_p_frames.used) bursty_p_zero(&bursty_p_frames, sizeof bursty_p_frames);
    bursty_p_frames.paused = 0;
    bursty_p_frames.began_ns = bursty_p_frame_ns();
}

/* A frame with a pause in it is left out. */
static void bursty_p_pause_frames(int is_paused) {
    (void)BURSTY_P_ADD(&bursty_p_frames.breaks, 1);
    BURSTY_P_PUT(&bursty_p_frames.paused, is_paused != 0);
}

/* The thread ends, and its frame with it. */
static void bursty_p_leave_frames(void) {
    bursty_p_framed *f = bursty_p_mine.framed;
    bursty_p_mine.framed = NULL;
    BURSTY_P_FENCE();
    if (!f) return;
    if (f->running) bursty_p_tick_add_shared(&bursty_p_frames.kind[f->running - 1].unended, 1);
    BURSTY_P_RELEASE(&f->thread, 0);
    BURSTY_P_PUT(&f->running, 0);
    f->busy = 0;
    f->list[0].count = 0;
    f->list[1].count = 0;
    f->list[0].more = f->list[1].more = 0;
    f->list[0].events = f->list[1].events = 0;
    BURSTY_P_RELEASE(&f->used, 0);
}

/* Rows and kinds stay. A running frame is left out when it ends. */
static void bursty_p_clear_frames(void) {
    uint32_t k, i, c, n;
    if (!BURSTY_P_GET(&bursty_p_frames.used)) return;
    (void)BURSTY_P_ADD(&bursty_p_frames.breaks, 1);
    BURSTY_P_RELEASE(&bursty_p_frames.lost, 0);
    BURSTY_P_RELEASE(&bursty_p_frames.idle_ends, 0);
    BURSTY_P_RELEASE(&bursty_p_frames.nested, 0);
    for (k = 0; k < BURSTY_FRAMES; k++) {
        bursty_p_frame_kind *kind = &bursty_p_frames.kind[k];
        BURSTY_P_RELEASE(&kind->unended, 0);
        BURSTY_P_RELEASE(&kind->left_out, 0);
        BURSTY_P_RELEASE(&kind->missed, 0);
        BURSTY_P_RELEASE(&kind->crowded, 0);
        BURSTY_P_RELEASE(&kind->unplaced, 0);
        for (i = 0; i < BURSTY_P_BUCKETS; i++) BURSTY_P_RELEASE(&kind->bucket[i], 0);
#ifdef BURSTY_P_STRATA
        for (i = 0; i < BURSTY_P_STRATUM_COUNT; i++) {
            for (c = 0; c < BURSTY_P_FRAME_CLASSES; c++) {
                BURSTY_P_RELEASE(&kind->stratum[c][i].cpu_us, 0);
                BURSTY_P_RELEASE(&kind->stratum[c][i].ticks, 0);
                BURSTY_P_RELEASE(&kind->stratum[c][i].events, 0);
            }
        }
#endif
        BURSTY_P_PUT(&kind->slowest_count, 0);
        BURSTY_P_PUT(&kind->limit, 0);
        BURSTY_P_PUT(&kind->next, BURSTY_P_FIRST_FRAMES);
        BURSTY_P_RELEASE(&kind->count, 0);
    }
    for (i = 0; i < BURSTY_P_FRAMED; i++) {
        for (k = 0; k < BURSTY_FRAMES; k++) {
            for (n = 0; n < BURSTY_P_FRAME_CLASSES * BURSTY_P_FRAME_SUMS; n++)
                BURSTY_P_STORE(&bursty_p_frames.framed[i].sum[k][n], 0);
        }
    }
    for (i = 0; i < BURSTY_P_GET(&bursty_p_frames.row_count); i++) {
        for (c = 0; c < BURSTY_P_FRAME_CLASSES; c++) {
            for (n = 0; n < 2; n++) {
                BURSTY_P_STORE(&bursty_p_frames.rows[i].sum[c][n], 0);
                BURSTY_P_STORE(&bursty_p_frames.rows[i].squares[c][n], 0);
            }
        }
    }
#ifdef BURSTY_P_STRATA
    for (i = 0; i < BURSTY_P_ACQUIRE(&bursty_p_frames.blocks_count); i++) {
        for (n = 0; n < 4 * BURSTY_P_BLOCKS; n++)
            BURSTY_P_STORE(&bursty_p_frames.blocks[i]
                                .sum[n / (2 * BURSTY_P_BLOCKS)][n / BURSTY_P_BLOCKS % 2]
                                    [n % BURSTY_P_BLOCKS], 0);
        BURSTY_P_PUT(&bursty_p_frames.blocks[i].shift, 0);
    }
#endif
}

/* A child of fork has one thread, and whoever held a flag is gone. */
static void bursty_p_fork_frames(void) {
    uint32_t i;
    for (i = 0; i < BURSTY_FRAMES; i++) {
        if (bursty_p_frames.kind[i].state == 1) bursty_p_frames.kind[i].state = 0;
        bursty_p_frames.kind[i].slowest_busy = 0;
    }
    for (i = 0; i < BURSTY_P_FRAMED; i++) {
        bursty_p_framed *f = &bursty_p_frames.framed[i];
        if (f == bursty_p_mine.framed) continue;
        f->used = f->thread = 0;
        f->running = 0;
        f->busy = 0;
        f->list[0].count = 0;
        f->list[1].count = 0;
        f->list[0].more = f->list[1].more = 0;
        f->list[0].events = f->list[1].events = 0;
    }
}

/* ---- the part of a dump ---- */

static void bursty_p_put_slowest(bursty_p_dump *d, bursty_p_frame_kind *kind) {
    uint32_t i, k, at, depth, tries = 1000;
    while (tries && !bursty_p_cas(&kind->slowest_busy, 0, 1)) tries--;
    bursty_p_put_varint(&d->out, tries ? kind->slowest_count : 0); /* 0: a handler, in between */
    for (i = 0; tries && i < kind->slowest_count; i++) {
        const bursty_p_slowest *kept = &kind->slowest[i];
        const uint64_t v[6] = { kept->number, kept->began_ns / 1000, kept->ns, kept->wait_ns,
                                kept->more, kept->paths };
        bursty_p_put_all(d, v, 6);
        for (k = 0; k < kept->paths; k++) {
            depth = 0;
            for (at = kept->path[k].row; at; at = bursty_p_ticks.rows[at - 1].parent) depth++;
            bursty_p_put_varint(&d->out, kept->path[k].ticks);
            bursty_p_put_varint(&d->out, depth);
            for (at = kept->path[k].row; at; at = bursty_p_ticks.rows[at - 1].parent)
                bursty_p_put_site(d, bursty_p_ticks.rows[at - 1].site);
        }
    }
    if (tries) BURSTY_P_RELEASE(&kind->slowest_busy, 0);
}

static void bursty_p_put_strata(bursty_p_dump *d, const bursty_p_frame_kind *kind) {
#ifdef BURSTY_P_STRATA
    uint32_t i, c;
    for (i = 0; i < BURSTY_P_STRATUM_COUNT; i++) {
        uint64_t v[1 + 3 * BURSTY_P_FRAME_CLASSES], all = 0;
        for (c = 0; c < BURSTY_P_FRAME_CLASSES; c++) {
            v[3 * c + 1] = BURSTY_P_ACQUIRE(&kind->stratum[c][i].cpu_us);
            v[3 * c + 2] = BURSTY_P_ACQUIRE(&kind->stratum[c][i].ticks);
            v[3 * c + 3] = BURSTY_P_ACQUIRE(&kind->stratum[c][i].events);
            all |= v[3 * c + 1] | v[3 * c + 2];
        }
        v[0] = i * BURSTY_P_STRATUM + 1;
        if (all) bursty_p_put_all(d, v, 1 + 3 * BURSTY_P_FRAME_CLASSES);
    }
#endif
    (void)kind;
    bursty_p_put_varint(&d->out, 0);
}

#ifdef BURSTY_P_STRATA
/* The blocks of all threads, of 2^shift frames; to[class][self or total]. */
static void bursty_p_sum_blocks(const bursty_site *site, uint32_t k, uint32_t shift,
                                uint64_t to[2][2][BURSTY_P_BLOCKS]) {
    uint32_t i, n, at;
    for (n = 0; n < 4; n++) {
        for (at = 0; at < BURSTY_P_BLOCKS; at++) to[n / 2][n % 2][at] = 0;
    }
    for (i = 0; i < BURSTY_P_ACQUIRE(&bursty_p_frames.blocks_count); i++) {
        const bursty_p_frame_blocks *b = &bursty_p_frames.blocks[i];
        uint32_t own = BURSTY_P_GET(&b->shift);
        if (!BURSTY_P_ACQUIRE(&b->framed) || b->site != site || b->kind != k) continue;
        for (n = 0; n < 4; n++) {
            for (at = 0; at < BURSTY_P_BLOCKS; at++)
                bursty_p_sum(&to[n / 2][n % 2][own < shift ? at >> (shift - own) : at],
                             &b->sum[n / 2][n % 2][at]);
        }
    }
}

/* One of the rows of a function has the blocks of all of them: the maker of the
   first. */
static int bursty_p_stands_for_blocks(uint32_t row, const bursty_site *site, uint32_t k) {
    uint32_t i;
    for (i = 0; i < BURSTY_P_ACQUIRE(&bursty_p_frames.blocks_count); i++) {
        const bursty_p_frame_blocks *b = &bursty_p_frames.blocks[i];
        if (BURSTY_P_ACQUIRE(&b->framed) && b->site == site && b->kind == k)
            return b->maker == row + 1;
    }
    return 0;
}

static uint64_t bursty_p_sum_of_products(const uint64_t *a, const uint64_t *b) {
    uint64_t sum = 0;
    uint32_t i;
    for (i = 0; i < BURSTY_P_BLOCKS; i++) {
        const uint64_t more = a[i] > UINT32_MAX || b[i] > UINT32_MAX ? UINT64_MAX : a[i] * b[i];
        sum = bursty_p_sat_add(sum, more);
    }
    return sum;
}

/* Something has x in slow frames and y in others; blocks have n and m such frames.
   Writes the sums over blocks of xx, yy, xy, xn, xm, yn, ym. */
static void bursty_p_put_moments(bursty_p_dump *d, const uint64_t *x, const uint64_t *y,
                                 const uint64_t *n, const uint64_t *m) {
    const uint64_t v[7] = { bursty_p_sum_of_products(x, x), bursty_p_sum_of_products(y, y),
                            bursty_p_sum_of_products(x, y), bursty_p_sum_of_products(x, n),
                            bursty_p_sum_of_products(x, m), bursty_p_sum_of_products(y, n),
                            bursty_p_sum_of_products(y, m) };
    bursty_p_put_all(d, v, 7);
}
#endif

static void bursty_p_put_kind(bursty_p_dump *d, uint32_t k) {
    bursty_p_frame_kind *kind = &bursty_p_frames.kind[k];
    const uint32_t limit = BURSTY_P_GET(&kind->limit);
    const uint64_t budget = bursty_p_all.config.frame_slow_ns;
    uint64_t running = 0, v[10], sums[2 * BURSTY_P_FRAME_SUMS];
    uint32_t i, c, s, gap = 0, rows = BURSTY_P_ACQUIRE(&bursty_p_frames.row_count);
    for (i = 0; i < 2 * BURSTY_P_FRAME_SUMS; i++) sums[i] = 0;
    for (i = 0; i < BURSTY_P_FRAMED; i++) {
        const bursty_p_framed *f = &bursty_p_frames.framed[i];
        running += BURSTY_P_GET(&f->running) == k + 1;
        for (s = 0; s < 2 * BURSTY_P_FRAME_SUMS; s++) bursty_p_sum(&sums[s], &f->sum[k][s]);
    }
    v[0] = budget;
    v[1] = budget ? budget : limit ? bursty_p_bucket_ns(limit) : 0;
    v[2] = v[1]; /* the least and the largest, where dumps are added up */
    v[3] = running;
    v[4] = BURSTY_P_ACQUIRE(&kind->unended);
    v[5] = BURSTY_P_ACQUIRE(&kind->left_out);
    v[6] = BURSTY_P_ACQUIRE(&kind->crowded);
    v[7] = BURSTY_P_ACQUIRE(&kind->unplaced);
    v[8] = BURSTY_P_ACQUIRE(&kind->missed);
    v[9] = bursty_p_knows_waiting();
    bursty_p_put_string(d, kind->name);
    bursty_p_put_all(d, v, 10);
    bursty_p_put_all(d, sums, 2 * BURSTY_P_FRAME_SUMS);
#ifdef BURSTY_P_STRATA
    uint64_t blocks[2][2][BURSTY_P_BLOCKS], own[2][2][BURSTY_P_BLOCKS], all[2] = { 0, 0 };
    const uint32_t ended = BURSTY_P_ACQUIRE(&kind->count), shift = bursty_p_block_shift(ended + !ended);
    bursty_p_sum_blocks(NULL, k, shift, blocks);
    for (i = 0; i < BURSTY_P_BLOCKS; i++) {
        all[0] += blocks[0][0][i];
        all[1] += blocks[1][0][i];
    }
    bursty_p_put_all(d, all, 2);
    bursty_p_put_varint(&d->out, bursty_p_sum_of_products(blocks[0][0], blocks[0][0]));
    bursty_p_put_varint(&d->out, bursty_p_sum_of_products(blocks[1][0], blocks[1][0]));
    bursty_p_put_varint(&d->out, bursty_p_sum_of_products(blocks[0][0], blocks[1][0]));
    bursty_p_put_moments(d, blocks[0][1], blocks[1][1], blocks[0][0], blocks[1][0]);
#endif
    bursty_p_put_strata(d, kind);
    for (i = 0; i < BURSTY_P_BUCKETS; i++) { /* count, gap, count, gap, ..., 0 */
        const uint64_t count = BURSTY_P_ACQUIRE(&kind->bucket[i]);
        if (count) {
            bursty_p_put_varint(&d->out, count);
            bursty_p_put_varint(&d->out, gap);
            gap = 0;
        } else gap++;
    }
    bursty_p_put_varint(&d->out, 0);
    bursty_p_put_slowest(d, kind);
    for (i = 0; i < rows; i++) {
        const bursty_p_frame_row *row = &bursty_p_frames.rows[i];
        const bursty_site *site = BURSTY_P_ACQUIRE(&row->site);
        if (!site || row->kind != k) continue;
        bursty_p_put_site(d, site);
        bursty_p_put_varint(&d->out, BURSTY_P_STRATUM_OF(row) * (uint32_t)BURSTY_P_STRATUM);
        for (s = 0; s < 2; s++) {
            for (c = 0; c < BURSTY_P_FRAME_CLASSES; c++) {
                bursty_p_put_varint(&d->out, BURSTY_P_READ(&row->sum[c][s]));
                bursty_p_put_varint(&d->out, BURSTY_P_READ(&row->squares[c][s]));
            }
        }
#ifdef BURSTY_P_STRATA
        if (bursty_p_stands_for_blocks(i, site, k)) {
            bursty_p_sum_blocks(site, k, shift, own);
            bursty_p_put_varint(&d->out, 1);
            for (s = 0; s < 2; s++)
                bursty_p_put_moments(d, own[0][s], own[1][s], blocks[0][0], blocks[1][0]);
        } else bursty_p_put_varint(&d->out, 0);
#endif
    }
    bursty_p_put_site(d, NULL);
}

static int bursty_p_write_frames(bursty_p_dump *d, bursty_write_fn write, void *user) {
    uint32_t k, kinds = 0;
    if (!BURSTY_P_GET(&bursty_p_frames.used)) return 0;
    for (k = 0; k < BURSTY_FRAMES; k++)
        kinds += BURSTY_P_ACQUIRE(&bursty_p_frames.kind[k].state) == 2;
    d->sites = 0;
    bursty_p_put_begin(&d->out, 8, write, user);
    bursty_p_put_varint(&d->out, BURSTY_P_FRAMES_VERSION);
    bursty_p_put_string(d, bursty_p_all.config.program);
    const uint64_t info[5] = { bursty_p_ticks.row_room ? bursty_p_ticks.period_us : 0,
                               BURSTY_P_ACQUIRE(&bursty_p_frames.lost),
                               BURSTY_P_ACQUIRE(&bursty_p_frames.idle_ends),
                               BURSTY_P_ACQUIRE(&bursty_p_frames.nested), kinds };
    bursty_p_put_all(d, info, 5);
    for (k = 0; k < BURSTY_FRAMES && kinds; k++) {
        if (BURSTY_P_ACQUIRE(&bursty_p_frames.kind[k].state) != 2) continue;
        bursty_p_put_kind(d, k);
        kinds--;
    }
    return bursty_p_put_end(&d->out);
}

#else /* no frames in this build */

static void bursty_p_begin_frames(void) { }
static void bursty_p_pause_frames(int is_paused) { (void)is_paused; }
static void bursty_p_leave_frames(void) { }
static void bursty_p_clear_frames(void) { }
static void bursty_p_fork_frames(void) { }
BURSTY_API void bursty_frame(const char *name) { (void)name; }
BURSTY_API size_t bursty_frames(const char *name, uint32_t *us, size_t max) {
    return (void)name, (void)us, (void)max, 0;
}

#endif

/* ---- the axis of time in a dump -------------- src/bursty/axis_dump.c ---- */

#ifdef BURSTY_P_AXIS

typedef struct bursty_p_axis_end {
    uint64_t span_us;                 /* nothing is behind it */
    uint32_t threads, rows;           /* that the part has    */
} bursty_p_axis_end;

static void bursty_p_put_span(bursty_p_dump *d, const bursty_p_axis_end *end,
                              uint32_t thread, uint64_t from_us, uint64_t us,
                              uint32_t what) {
    const uint64_t from = from_us < end->span_us ? from_us : end->span_us;
    const uint64_t v[4] = { thread + (uint64_t)1, from,
                            us < end->span_us - from ? us : end->span_us - from, what };
    if (thread < end->threads) bursty_p_put_all(d, v, 4);
}

/* How many were left out, and their sum; then each. `rows`: what is a row. */
static void bursty_p_put_spans(bursty_p_dump *d, bursty_p_spans *s,
                               const bursty_p_axis_end *end, uint32_t rows) {
    uint32_t i, tries = 1000;
    while (tries && !bursty_p_cas(&s->busy, 0, 1)) tries--;
    bursty_p_put_varint(&d->out, s->left + BURSTY_P_GET(&s->missed));
    bursty_p_put_varint(&d->out, s->left_us);
    for (i = 0; tries && i < s->count; i++) {
        const bursty_p_span *one = &s->at[i];
        if (rows && one->what > rows) continue;
        bursty_p_put_span(d, end, one->thread, one->from_us, one->us, one->what);
    }
    if (tries) BURSTY_P_RELEASE(&s->busy, 0);
}

static void bursty_p_put_waits(bursty_p_dump *d, const bursty_p_axis_end *end) {
#ifdef BURSTY_P_WATCHER
    uint32_t i;
    bursty_p_put_varint(&d->out, (uint64_t)bursty_p_ticks.period_us * bursty_p_ticks.usual);
    bursty_p_put_spans(d, &bursty_p_axis.waits, end, end->rows);
    for (i = 0; i < end->threads; i++) { /* those that go on */
        const bursty_p_thread *t = &bursty_p_all.threads[i];
        const uint32_t row = BURSTY_P_GET(&t->waits_in);
        const uint64_t from = BURSTY_P_READ(&t->waits_from);
        const uint64_t to = BURSTY_P_READ(&t->looked_at);
        if (row && row <= end->rows && to > from)
            bursty_p_put_span(d, end, i, from, to - from, row);
    }
#else
    bursty_p_put_varint(&d->out, 0);
    bursty_p_put_spans(d, &bursty_p_axis.waits, end, end->rows);
#endif
    bursty_p_put_varint(&d->out, 0);
}

static void bursty_p_put_late_frames(bursty_p_dump *d, const bursty_p_axis_end *end) {
#if BURSTY_FRAMES > 0
    uint32_t k, kinds = 0;
    while (kinds < BURSTY_FRAMES
           && BURSTY_P_ACQUIRE(&bursty_p_frames.kind[kinds].state) == 2) kinds++;
    bursty_p_put_varint(&d->out, kinds);
    for (k = 0; k < kinds; k++) {
        const bursty_p_frame_kind *kind = &bursty_p_frames.kind[k];
        const uint32_t limit = BURSTY_P_GET(&kind->limit);
        uint64_t slow_ns = bursty_p_all.config.frame_slow_ns;
        if (!slow_ns && limit) slow_ns = bursty_p_bucket_ns(limit);
        bursty_p_put_string(d, kind->name);
        bursty_p_put_varint(&d->out, slow_ns / 1000);
    }
#else
    bursty_p_put_varint(&d->out, 0);
#endif
    bursty_p_put_spans(d, &bursty_p_axis.frames, end, 0);
    bursty_p_put_varint(&d->out, 0);
}

/* Each path has a function of its own; a reader knows equal ones. A row that is
   being made has no ticks yet. */
static void bursty_p_put_axis_paths(bursty_p_dump *d, uint32_t rows) {
    uint32_t i, pass;
    for (pass = 0; pass < 2; pass++) {
        bursty_p_put_varint(&d->out, rows);
        for (i = 0; i < rows; i++) {
            const bursty_p_tick_row *row = &bursty_p_ticks.rows[i];
            const bursty_site *site = BURSTY_P_ACQUIRE(&row->site);
            const uint32_t parent = site ? row->parent : 0;
            if (!site) site = &bursty_p_outside;
            if (pass) {
                bursty_p_put_varint(&d->out, i);
                bursty_p_put_varint(&d->out, parent ? i + 1 - parent : 0);
                continue;
            }
            bursty_p_put_string(d, site->name);
            bursty_p_put_string(d, site->file);
            bursty_p_put_varint(&d->out, site->line);
        }
    }
}

static void bursty_p_put_moments_of(bursty_p_dump *d, const bursty_p_axis_end *end,
                                    bursty_p_serial drawn) {
    const uint32_t groups = bursty_p_groups(bursty_p_axis.bits, drawn);
    uint64_t us, before = 0;
    uint32_t i, row;
    for (i = 0; i < groups; i++) {
        const bursty_p_tick_row *at;
        if (!bursty_p_get_moment(bursty_p_axis.ticks, bursty_p_axis.bits, drawn, i, &row,
                                 &us)) continue;
        if (row == 0 || row > end->rows) continue;
        at = &bursty_p_ticks.rows[row - 1];
        if (at->thread == 0 || at->thread > end->threads) continue;
        if (us > end->span_us) us = end->span_us;
        if (us < before) us = before; /* of threads at once */
        bursty_p_put_varint(&d->out, us - before);
        bursty_p_put_varint(&d->out, 2 * (uint64_t)(at->thread - 1) + 1);
        bursty_p_put_varint(&d->out, row - 1);
        before = us;
    }
}

/* Since 1970 in us, of the axis's zero; 0: not known. */
static uint64_t bursty_p_axis_began(uint64_t now_us) {
#if defined(BURSTY_P_CLOCK) && defined(CLOCK_REALTIME)
    if (!bursty_p_all.config.frame_clock)
        return bursty_p_read_ns(CLOCK_REALTIME) / 1000 - now_us;
#endif
    (void)now_us;
    return 0;
}

static int bursty_p_write_axis(bursty_p_dump *d, bursty_write_fn write, void *user) {
    const bursty_p_serial drawn =
        BURSTY_P_ACQUIRE(&bursty_p_axis.drawn) / bursty_p_ticks.usual;
    const uint32_t level = drawn ? bursty_p_level(bursty_p_axis.bits, drawn - 1) : 0;
    bursty_p_axis_end end;
    uint32_t i;
    if (!bursty_p_axis.bits) return 0;
    end.span_us = bursty_p_axis_us();
    end.threads = bursty_p_threads();
    end.rows = BURSTY_P_ACQUIRE(&bursty_p_ticks.row_count);
    const uint64_t info[6] = { 0, bursty_p_axis_began(end.span_us), end.span_us,
                               (uint64_t)bursty_p_ticks.period_us * bursty_p_ticks.usual,
                               (uint64_t)1 << level, 0 };
    bursty_p_put_begin(&d->out, 26, write, user);
    bursty_p_put_varint(&d->out, 2);
    bursty_p_put_string(d, bursty_p_all.config.program);
    bursty_p_put_all(d, info, 6);
    bursty_p_put_varint(&d->out, end.threads);
    for (i = 0; i < end.threads; i++) {
        bursty_p_put_varint(&d->out, i);
        bursty_p_put_name_of(d, &bursty_p_all.threads[i]);
    }
    bursty_p_put_axis_paths(d, end.rows);
    bursty_p_put_waits(d, &end);
    bursty_p_put_late_frames(d, &end);
    bursty_p_put_moments_of(d, &end, drawn);
    return bursty_p_put_end(&d->out);
}

#endif

/* ---- start --------------------------------------- src/bursty/start.c ---- */

#if BURSTY_MEMORY > 0
static uint64_t bursty_p_memory[(BURSTY_MEMORY + 7) / 8];
#else
#define bursty_p_memory NULL
#endif

/* Zeroes what the last start has used. */
static void bursty_p_zero_used(void) {
    const size_t slots = (size_t)bursty_p_all.index_mask + 1;
    if (!bursty_p_all.threads) return;
    bursty_p_zero(bursty_p_all.threads, bursty_p_threads() * sizeof(bursty_p_thread));
    bursty_p_zero(bursty_p_all.rows, bursty_p_all.row_count * sizeof(bursty_p_row));
    bursty_p_zero(bursty_p_all.index, slots * 4);
    bursty_p_zero_paths();
    bursty_p_zero_axis();
}

/* Lays everything out in memory; wanted: config.timeline. */
static void bursty_p_lay_out(unsigned char *memory, size_t bytes, int ticks, uint32_t wanted) {
    const size_t all = bytes;
    size_t threads = bytes / 4 / sizeof(bursty_p_thread), rows, slots, paths;
    if (threads == 0) threads = 1;
    if (threads > BURSTY_P_MOST) threads = BURSTY_P_MOST;
    bursty_p_all.threads = (bursty_p_thread *)(void *)memory;
    bursty_p_all.thread_room = (uint32_t)threads;
    memory += threads * sizeof(bursty_p_thread);
    paths = bursty_p_lay_out_paths(memory, ticks ? bytes / 8 & ~(size_t)7 : 0);
    memory += paths;
    bytes -= threads * sizeof(bursty_p_thread) + paths;
#ifdef BURSTY_P_AXIS
    paths = bursty_p_lay_out_axis(memory, ticks ? all / 4 : 0, wanted);
    memory += paths;
    bytes -= paths;
#endif
    (void)wanted;
    (void)all;
    slots = bursty_p_divide(bytes,
                            sizeof(bursty_p_row), &rows);
    bursty_p_all.rows = (bursty_p_row *)(void *)memory;
    bursty_p_all.index = (uint32_t *)(void *)(bursty_p_all.rows + rows);
    bursty_p_all.row_room = (uint32_t)rows;
    bursty_p_all.index_mask = (uint32_t)slots - 1;
    bursty_p_all.thread_count = bursty_p_all.row_count = 0;
}

static int bursty_p_valid(const bursty_profile *p) {
    return (p->every <= BURSTY_P_BUSY || p->every == BURSTY_ALWAYS)
           && p->burst <= BURSTY_P_BUSY && p->jitter <= 100;
}

/* Would two profiles count the same events in the hot table? */
static int bursty_p_counted_twice(const bursty_p_settings *now, int profile,
                                  const bursty_profile *p) {
    uint32_t classes = p->classes ? p->classes : (uint32_t)BURSTY_ANY;
    int i;
    for (i = 0; i < BURSTY_PROFILES && !p->action; i++) {
        const bursty_p_slot *s = &now->slot[i];
        if (i != profile && s->used && !s->set.action && (s->set.classes & classes)) return 1;
    }
    return 0;
}

/* `stamp` differs from the one before, so that threads see the change. */
static void bursty_p_put_slot(bursty_p_slot *slot, const bursty_profile *p, uint32_t stamp) {
    bursty_profile *set = &slot->set;
    slot->used = p != NULL;
    slot->stamp = stamp;
    if (p) *set = *p;
    if (set->every == 0) set->every = 990;
    if (set->burst == 0) set->burst = 10;
    if (set->jitter == 0) set->jitter = 80;
    if (set->jitter < 0) set->jitter = 0;
    if (set->classes == 0) set->classes = BURSTY_ANY;
}

/* The first settings: profile 0, and the companion's. */
static void bursty_p_first_settings(const bursty_config *config) {
    bursty_p_settings first;
    bursty_profile *own = &bursty_p_all.companion.profile, profile;
    const uint32_t next = (bursty_p_all.generation / BURSTY_P_BUFFERS + 1) * BURSTY_P_BUFFERS;
    uint32_t i;
    bursty_p_zero(&first, sizeof first);
    bursty_p_put_slot(&first.slot[0], &config->profile, next);
    if (bursty_p_all.companion.start && BURSTY_PROFILES > 1) {
        profile = *own;
        if (profile.every == 0) {
            profile.every = config->profile.every;
            profile.burst = config->profile.burst;
            profile.jitter = config->profile.jitter;
        }
        if (bursty_p_all.companion.start(config) == 0)
            bursty_p_put_slot(&first.slot[BURSTY_PROFILES - 1], &profile, next);
    }
    for (i = 0; i < BURSTY_P_BUFFERS; i++) bursty_p_buffer[i].busy = 0;
    bursty_p_fill(0, &first, next ? next : (uint32_t)BURSTY_P_BUFFERS);
    BURSTY_P_RELEASE(&bursty_p_all.generation, next ? next : (uint32_t)BURSTY_P_BUFFERS);
}

BURSTY_API void bursty_join(const bursty_companion *companion) {
    bursty_p_all.companion = *companion;
}

BURSTY_API uint32_t bursty_start(const bursty_config *config) {
    static bursty_config zero;
    static int is_zero = 1; /* the static memory */
    unsigned char *memory;
    size_t bytes, skip;
    int ticks;
#if defined(BURSTY_BARE) && defined(__ELF__) && !defined(BURSTY_STATIC)
    if (bursty_joins) bursty_joins();
#endif
    if (!config) config = &zero;
    memory = (unsigned char *)(config->memory ? config->memory : bursty_p_memory);
    bytes = config->memory ? config->memory_bytes : BURSTY_MEMORY;
    if (!memory || !bursty_p_valid(&config->profile)) return 0;
    if (!bursty_p_valid(&bursty_p_all.companion.profile)) return 0;
    if (config->tick_hz < -1 || config->tick_hz > 100000) return 0;
    if (config->watch < -1 || config->watch > 2) return 0;
    if (config->budget_ppm && !bursty_p_has_clock(config)) return 0;
    skip = (0 - (uintptr_t)memory) & 7;
    if (bytes < skip + sizeof(bursty_p_thread) + 16 * sizeof(bursty_p_row)) return 0;
    memory += skip;
    bytes -= skip;
    bursty_p_end_time();
    if (!is_zero) bursty_p_zero_used();
    is_zero = config->memory != NULL; /* static memory stays clean for the next start */
    if (config->memory) bursty_p_zero(memory, bytes);
    ticks = bursty_p_plan_time(config);
    bursty_p_all.config = *config;
    bursty_p_lay_out(memory, bytes, ticks, config->timeline);
    bursty_p_all.lost_threads = bursty_p_all.cleared = 0;
    bursty_p_all.seed_is = config->seed ? BURSTY_P_SEED_GIVEN : BURSTY_P_NO_SEED;
#ifdef BURSTY_P_DRAWS_SEED
    if (!config->seed) {
        bursty_p_all.config.seed = bursty_p_draw_seed();
        bursty_p_all.seed_is = BURSTY_P_SEED_DRAWN;
    }
#endif
    bursty_p_begin_children();
    bursty_p_begin_fibers();
    bursty_p_begin_frames();
    bursty_p_begin_budget(config);
    bursty_p_first_settings(config);
    if (ticks) bursty_p_begin_time();
    BURSTY_P_RELEASE(&bursty_p_all.epoch, bursty_p_all.epoch + 1 ? bursty_p_all.epoch + 1 : 1);
    BURSTY_P_HERE.n = 0;
    bursty_p_look_now();
    return bursty_p_all.thread_room;
}

/* ---- changes ----------------------------------- src/bursty/changes.c ---- */

/* Changes settings until nobody else has come in between. */
BURSTY_API int bursty_set_profile(int profile, const bursty_profile *p) {
    bursty_p_settings now;
    uint32_t old;
    if (profile < 0 || profile >= BURSTY_PROFILES || bursty_p_all.epoch == 0) return -1;
    if (p && !bursty_p_valid(p)) return -1;
    do {
        old = bursty_p_read_settings(&now);
        if (p && bursty_p_counted_twice(&now, profile, p)) return -1;
        bursty_p_put_slot(&now.slot[profile], p, old + 1);
    } while (!bursty_p_publish(&now, old));
    bursty_p_look_now();
    return 0;
}

BURSTY_API void bursty_pause(int is_paused) {
    bursty_p_settings now;
    uint32_t old, i;
    if (bursty_p_all.epoch == 0) return;
    do {
        old = bursty_p_read_settings(&now);
        now.paused = is_paused != 0;
        for (i = 0; i < BURSTY_PROFILES; i++) now.slot[i].stamp = old + 1;
    } while (!bursty_p_publish(&now, old));
    bursty_p_pause_time(is_paused);
    bursty_p_pause_frames(is_paused);
    bursty_p_look_now();
}

BURSTY_API void bursty_stop(void) {
    bursty_pause(1);
    bursty_p_end_time();
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
    BURSTY_P_PUT(&BURSTY_P_HERE.depth, depth);
    if (t) t->in_slow = t->same_settings = 0;
    if (left == 1) bursty_p_tell(BURSTY_THREAD_JUMPED, t, 1);
    if (!left && !BURSTY_P_IS_HELD()) return;
    BURSTY_P_HERE.n = left == 1 ? t->kept : 0;
    if (t && left == 1) bursty_p_miss(t);
    if (!t || left == 1) return;
    bursty_p_fold_all(t, t->live);
    for (i = BURSTY_P_ACQUIRE(&bursty_p_all.row_count); i-- > 0;) { /* left in the middle of it? */
        if (bursty_p_all.rows[i].thread == t->number) bursty_p_all.rows[i].touched = NULL;
    }
    bursty_p_mine.only = NULL;
    bursty_p_mine.touched = NULL;
    t->live = t->span = bursty_p_mine.summing = bursty_p_mine.marked = bursty_p_mine.room = 0;
}

BURSTY_API void bursty_thread_name(const char *name) {
    bursty_p_thread *t = bursty_p_me();
    if (t) bursty_p_put_name(t, name);
}

BURSTY_API void bursty_thread_end(void) {
    bursty_p_thread *t = bursty_p_registered();
    if (!t) return;
    bursty_p_tell(BURSTY_THREAD_ENDS, t, 1);
    bursty_p_look_now();
    bursty_p_leave_frames();
    t->in_slow = 2;
    bursty_p_go_live(t, 0);
    bursty_p_mine.thread = NULL;
    bursty_p_mine.ended = 1;
    BURSTY_P_HERE.n = BURSTY_P_SPAN;
    BURSTY_P_RELEASE(&t->state, BURSTY_P_ENDED);
}

/* A child's seed is made of its parent's and of the fork's number. Where the
   parent's was drawn, or nobody has counted the fork, its process number is
   mixed in, too; children of a seed that was given are the same in each run. */
static void bursty_p_seed_child(void) {
    uint32_t seed = bursty_p_mix(bursty_p_all.config.seed, bursty_p_all.forks + 1);
#ifdef BURSTY_P_DRAWS_SEED
    if (bursty_p_all.seed_is == BURSTY_P_SEED_DRAWN || bursty_p_all.forks == bursty_p_all.forks_known)
        seed = bursty_p_mix(seed, bursty_p_process());
#endif
    bursty_p_all.forks_known = bursty_p_all.forks;
    bursty_p_all.config.seed = seed;
}

BURSTY_API void bursty_forked(void) {
    bursty_p_thread *mine = bursty_p_registered();
    uint32_t i;
    if (bursty_p_all.epoch == 0) return;
    for (i = 0; i < BURSTY_P_BUFFERS; i++) bursty_p_buffer[i].busy = 0; /* of threads that are gone */
    bursty_p_seed_child();
    if (mine) { /* its profiles begin anew: the parent goes on where it was */
        mine->reuses += mine->random;
        bursty_p_seed(mine);
        mine->generation = 0;
        for (i = 0; i < BURSTY_PROFILES; i++) mine->sampler[i].stamp = 0;
    }
    bursty_p_fork_axis();
    bursty_clear();
    bursty_p_fork_frames();
    for (i = 0; i < bursty_p_threads(); i++) {
        if (&bursty_p_all.threads[i] != mine) bursty_p_all.threads[i].state = BURSTY_P_ENDED;
    }
    for (i = BURSTY_P_ACQUIRE(&bursty_p_all.row_count); i-- > 0;) {
        bursty_p_row *row = &bursty_p_all.rows[i];
        if (!mine || row->thread != mine->number) row->touched = NULL;
    }
    bursty_p_all.lost_threads = bursty_p_all.cleared = 0;
    if (mine) bursty_p_tell(BURSTY_THREAD_FORKED, mine, 1);
}

BURSTY_API void bursty_clear(void) {
    uint32_t i, p;
    if (bursty_p_all.epoch == 0) return;
    bursty_p_all.cleared++;
    bursty_p_look_now();
    for (i = 0; i < bursty_p_threads(); i++) {
        bursty_p_thread *t = &bursty_p_all.threads[i];
        BURSTY_P_STORE(&t->checks, 0);
        BURSTY_P_STORE(&t->burst_checks, 0);
        BURSTY_P_STORE(&t->lost, 0);
        for (p = 0; p < BURSTY_PROFILES; p++) {
            BURSTY_P_STORE(&t->bursts[p], 0);
            BURSTY_P_STORE(&t->events[p], 0);
            BURSTY_P_STORE(&t->begins[p], BURSTY_P_GET(&t->active) >> p & 1);
        }
        for (p = 0; p < 2 * BURSTY_P_CLASSES; p++) BURSTY_P_STORE(&t->class_sum[p], 0);
    }
    for (i = BURSTY_P_ACQUIRE(&bursty_p_all.row_count); i-- > 0;) {
        for (p = 0; p < BURSTY_P_SUMS; p++) BURSTY_P_STORE(&bursty_p_all.rows[i].sum[p], 0);
    }
    bursty_p_begin_children();
    bursty_p_begin_fibers();
    bursty_p_clear_time();
    bursty_p_clear_frames();
}

/* ---- fibers ------------------------------------- src/bursty/fibers.c ---- */

/* The inline code has its scopes at a fixed place of the thread. So a switch
   moves them: what is open on the stack that is left goes into its fiber, and
   what is open on the other one comes out of it.

       thread's place    [ a | leaf_a ]           [ b ]
                            |      switch(&B)       ^
                            v                       |
       fiber A           [ a | leaf_a ]         fiber B [ b ]

   Invariant: depth is 0 while scopes move, so that a tick, a watcher or an
   interrupt finds a whole stack or none. A burst goes on: its events have the
   scopes of the fiber that runs. Who follows the stack from event to event (a
   companion) is told. Cost: two copies of the open scopes, without a lock.

   While a fiber runs its depth is BURSTY_P_RUNS. Who enters it then, on another
   thread, and who leaves one that another thread has left meanwhile, is counted
   (switches.c): of two threads that are in a fiber at once one notices at least.
   The second one begins with no scope. */

#define BURSTY_P_RUNS UINT32_MAX

#if BURSTY_STACK > 0
#ifdef BURSTY_BARE
enum { BURSTY_P_FIBERS = 8 };
#else
enum { BURSTY_P_FIBERS = 64 };
#endif

/* The names of fibers, each once: a fiber's memory may be gone when a dump is
   written. A place that two threads take for one name at once is harmless. */
static struct {
    bursty_site site[BURSTY_P_FIBERS];
    uint32_t count;
} bursty_p_fibers;

static int bursty_p_is_equal(const char *a, const char *b) {
    while (*a && *a == *b) {
        a++;
        b++;
    }
    return *a == *b;
}

BURSTY_P_COLD static const bursty_site *bursty_p_fiber_site(const char *name) {
    static const bursty_site other = { "(other fibers)", "", 0, BURSTY_P_SCOPE_CALL };
    uint32_t i, count = BURSTY_P_ACQUIRE(&bursty_p_fibers.count);
    for (i = 0; i < count && i < BURSTY_P_FIBERS; i++) {
        const char *known = BURSTY_P_ACQUIRE(&bursty_p_fibers.site[i].name);
        if (known && bursty_p_is_equal(known, name)) return &bursty_p_fibers.site[i];
    }
    if (count >= BURSTY_P_FIBERS) return &other;
    i = BURSTY_P_ADD(&bursty_p_fibers.count, 1);
    if (i >= BURSTY_P_FIBERS) {
        BURSTY_P_RELEASE(&bursty_p_fibers.count, (uint32_t)BURSTY_P_FIBERS);
        return &other;
    }
    bursty_p_fibers.site[i].file = "";
    bursty_p_fibers.site[i].kind = BURSTY_P_SCOPE_CALL;
    BURSTY_P_RELEASE(&bursty_p_fibers.site[i].name, name);
    return &bursty_p_fibers.site[i];
}
#endif

static BURSTY_P_TLS struct {
    bursty_fiber *runs; /* NULL: the thread itself */
    bursty_fiber own;   /* its scopes meanwhile */
} bursty_p_fiber;

#ifdef BURSTY_BARE
/* An RTOS switches tasks at any instruction. One that is left in the slow path has
   the word, and what others record could come into the middle of what it records. So
   until it goes on, the others have a large word, which counts their checks, and the
   record says that a burst of no profile is live, which does not end. A check of
   theirs may have been left with an old word, and come to the slow path: it
   records nothing there, and does not look. The dump says how many checks met no burst
   for that (kind 7).

   Such a check may also put its old word back later. If the schedule cannot have that
   word, the next switch notices it: a burst goes on in its middle, and a gap begins anew.

   A task that is deleted in the slow path never goes on. The program says so by the
   depth of its fiber, which it sets to 0. The slow path is left then as by a longjmp.

   All of this is in functions that only a switch calls: a linker that collects
   garbage leaves nothing of it in a program without tasks. */
#define BURSTY_P_AWAY UINT32_C(0x1FFFFFFF) /* ticks do not take it for the slow path */
#define BURSTY_P_NOBODY (UINT32_C(1) << 31) /* as a set of profiles */
#if BURSTY_PROFILES > 31
#error "BURSTY_PROFILES: in a bare build at most 31"
#endif
static struct {
    const bursty_fiber *task; /* the one that was left in the slow path, or NULL */
    uint32_t depth, word, live, span, in_slow, kept, room; /* as it had them */
    bursty_p_count *only;
    uint32_t epoch, cleared; /* the start, and the clear since, to which checks belong */
    uint64_t checks;
    int (*write)(bursty_write_fn write, void *user); /* the companion's own */
} bursty_p_away;

static int bursty_p_is_away_of_now(void) {
    return bursty_p_away.epoch == bursty_p_all.epoch && bursty_p_away.cleared == bursty_p_all.cleared;
}

/* In front of the companion's part. */
static int bursty_p_write_away(bursty_write_fn write, void *user) {
    bursty_p_out out;
    uint64_t checks = 0;
    const char *program = bursty_p_all.config.program;
    uint32_t i, length = 0;
    if (bursty_p_is_away_of_now() && bursty_p_away.checks) {
        for (i = 0; i < bursty_p_threads(); i++) bursty_p_sum(&checks, &bursty_p_all.threads[i].checks);
        while (program && program[length]) length++;
        bursty_p_put_begin(&out, 7, write, user);
        bursty_p_put_varint(&out, 2);
        bursty_p_put_varint(&out, 25);
        bursty_p_put_varint(&out, bursty_p_away.checks);
        bursty_p_put_varint(&out, checks);
        bursty_p_put_varint(&out, length);
        bursty_p_put(&out, program, length);
        if (bursty_p_put_end(&out)) return -1;
    }
    return bursty_p_away.write ? bursty_p_away.write(write, user) : 0;
}

BURSTY_P_COLD static void bursty_p_leave_slow(bursty_p_thread *t, const bursty_fiber *task) {
    if (!bursty_p_is_away_of_now()) bursty_p_away.checks = 0;
    bursty_p_away.epoch = bursty_p_all.epoch;
    bursty_p_away.cleared = bursty_p_all.cleared;
    if (bursty_p_all.companion.write != bursty_p_write_away) {
        bursty_p_away.write = bursty_p_all.companion.write;
        bursty_p_all.companion.write = bursty_p_write_away;
    }
    bursty_p_away.task = task;
    bursty_p_away.depth = BURSTY_P_HERE.depth;
    bursty_p_away.word = BURSTY_P_HERE.n;
    bursty_p_away.live = t->live;
    bursty_p_away.span = t->span;
    bursty_p_away.in_slow = t->in_slow;
    bursty_p_away.kept = t->kept;
    bursty_p_away.only = bursty_p_mine.only;
    bursty_p_away.room = bursty_p_mine.room;
    t->live = BURSTY_P_NOBODY;
    t->span = UINT32_MAX;
    bursty_p_mine.only = NULL;
    bursty_p_mine.room = 0;
    BURSTY_P_HERE.n = BURSTY_P_AWAY;
}

BURSTY_P_COLD static void bursty_p_go_on(bursty_p_thread *t) {
    BURSTY_P_HERE.n = bursty_p_away.word;
    t->live = bursty_p_away.live;
    t->span = bursty_p_away.span;
    t->in_slow = bursty_p_away.in_slow;
    t->kept = bursty_p_away.kept;
    bursty_p_mine.only = bursty_p_away.only;
    bursty_p_mine.room = bursty_p_away.room;
    bursty_p_away.task = NULL;
}

BURSTY_P_COLD static void bursty_p_switch_word(const bursty_fiber *from, const bursty_fiber *to) {
    bursty_p_thread *t = bursty_p_registered();
    const uint32_t n = BURSTY_P_HERE.n;
    int is_deleted;
    if (bursty_p_away.epoch != bursty_p_all.epoch) bursty_p_away.task = NULL;
    if (!t) return;
    if (bursty_p_away.task) {
        is_deleted = bursty_p_away.task->depth != bursty_p_away.depth;
        if (n <= BURSTY_P_AWAY && n > BURSTY_P_SPAN) {
            bursty_p_count_up(&t->checks, BURSTY_P_AWAY - n);
            bursty_p_away.checks += BURSTY_P_AWAY - n;
        }
        BURSTY_P_HERE.n = BURSTY_P_AWAY;
        if (is_deleted || bursty_p_away.task == to) bursty_p_go_on(t);
        if (is_deleted) bursty_set_depth(BURSTY_P_HERE.depth);
    } else if (n <= BURSTY_P_BUSY && n > BURSTY_P_BUSY / 2) {
        bursty_p_leave_slow(t, from);
    } else if ((t->live ? 0 - n : n) > t->span) {
        BURSTY_P_HERE.n = t->live ? 0 - t->span / 2 : t->span;
    }
}
#else
#define bursty_p_switch_word(from, to) ((void)0)
#endif

BURSTY_P_INLINE void bursty_p_move_scopes(bursty_fiber *from, const bursty_fiber *to) {
    volatile bursty_here *here = &BURSTY_P_HERE;
    const uint32_t was = here->depth, now = to->depth;
    BURSTY_P_SHOW(&here->depth, 0);
#if BURSTY_STACK > 0
    {
        int32_t i = (int32_t)(was < BURSTY_STACK ? was : BURSTY_STACK);
        while (--i >= 0) from->stack[i] = here->stack[i];
        i = (int32_t)(now < BURSTY_STACK ? now : BURSTY_STACK);
        while (--i >= 0) BURSTY_P_SHOW(&here->stack[i], to->stack[i]);
    }
#endif
    BURSTY_P_SHOW(&from->depth, was); /* last: whoever enters it too early finds whole scopes */
    BURSTY_P_SHOW(&here->depth, now);
}

BURSTY_P_COLD static void bursty_p_tell_switch(void) {
    bursty_p_thread *t = bursty_p_registered();
    if (t && bursty_p_all.companion.on_thread)
        bursty_p_all.companion.on_thread(BURSTY_THREAD_SWITCHED, t->number);
}

BURSTY_API bursty_fiber *bursty_fiber_switch(bursty_fiber *fiber) {
    bursty_fiber *was = bursty_p_fiber.runs;
    bursty_fiber *to = fiber ? fiber : &bursty_p_fiber.own;
    uint32_t n = BURSTY_P_HERE.n;
    int is_twice;
    if (fiber == was) return was;
    bursty_p_switch_word(was ? was : &bursty_p_fiber.own, to);
    is_twice = was && was->depth != BURSTY_P_RUNS;
    if (fiber && BURSTY_P_UNLIKELY(fiber->depth == BURSTY_P_RUNS)) {
        is_twice = 1;
        fiber->depth = 0;
    }
    bursty_p_count_switch(is_twice, n);
#ifdef BURSTY_P_KNOWS_STACKS
    bursty_p_own_stack.told = 1;
#endif
#if BURSTY_STACK > 0
    if (fiber && BURSTY_P_UNLIKELY(fiber->depth == 0) && fiber->name) { /* its name is its outermost scope */
        fiber->stack[0] = bursty_p_fiber_site(fiber->name);
        fiber->depth = 1;
    }
#endif
    bursty_p_move_scopes(was ? was : &bursty_p_fiber.own, to);
    if (fiber) BURSTY_P_SHOW(&fiber->depth, BURSTY_P_RUNS);
    bursty_p_fiber.runs = fiber;
    if (BURSTY_P_UNLIKELY(BURSTY_P_POLLS || n > BURSTY_P_SPAN)) bursty_p_tell_switch(); /* in a burst */
    return was;
}

/* ---- answers ----------------------------------- src/bursty/answers.c ---- */

BURSTY_API uint32_t bursty_seed(void) { return bursty_p_all.config.seed; }

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
    out->no_time = bursty_p_all.no_time;
#if BURSTY_P_TICKS
    bursty_p_time_stats(out);
#endif
    for (checks = out->checks; checks >> 44; checks /= 2) in_bursts /= 2;
    if (checks) out->rate_ppm = (uint32_t)(in_bursts * 1000000 / checks);
}

BURSTY_API void bursty_each(bursty_visit_fn visit, void *user) {
    uint32_t i, rows = BURSTY_P_ACQUIRE(&bursty_p_all.row_count);
    for (i = 0; i < rows && bursty_p_all.epoch; i++) {
        const bursty_p_row *row = &bursty_p_all.rows[i];
        const bursty_row out = { BURSTY_P_ACQUIRE(&row->site), row->caller,
                                 BURSTY_P_READ(&row->sum[0]), BURSTY_P_READ(&row->sum[1]) };
        if (out.site && out.count) visit(user, &out);
    }
}

/* ---- the hottest functions ------------------------- src/bursty/top.c ---- */

#ifndef BURSTY_BARE

/* One site has several rows: one for each thread and caller, and one for each
   path. They are summed up in batches of sites, in the order of their
   addresses, with no more memory than a batch:

       sites    a < b < c < d < e < f < g      a batch of 3: walk 1 sums a b c, walk 2 d e f, ...
       walk 2   after = c   [d] [f] [g]        e comes: [d] [e] [f], and g waits for walk 3

   Invariant: a batch holds the smallest sites above `after` that the walk has
   met. Cost: for r rows and g sites, r * (g / 64 + 1) steps of some 20
   instructions, and for each path its depth.

   calls: the sum of weights W and, over the bursts that were summed up, the sum
   of squares Q of what a burst saw of the site (the table's fifth sum, ys).
   Bursts are independent, so the variance of W is Q - W * W / B for B bursts;
   and gaps are drawn, so that as many bursts stand for more or fewer checks
   (report/model/sampled_ranges.c has the formula). time: k of n ticks are a
   binomial share, whose interval is Wilson's; ticks that came several at once
   count as n * n / (sum of squares). Both at z = 2. */

enum { BURSTY_P_BATCH = 64 };

typedef struct bursty_p_top_sums {
    const bursty_site *site;
    uint64_t count, weight, squares, bursts, self, total;
    double self_squares, total_squares; /* of what looks counted */
} bursty_p_top_sums;

typedef struct bursty_p_batch {
    bursty_p_top_sums sums[BURSTY_P_BATCH];
    const bursty_site *after; /* NULL: the first walk */
    size_t used;
} bursty_p_batch;

/* The place of the site in the batch; if it has none, where it would stand. */
static size_t bursty_p_batch_place(const bursty_p_batch *batch, const bursty_site *site) {
    size_t low = 0, high = batch->used;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if ((uintptr_t)batch->sums[middle].site < (uintptr_t)site) low = middle + 1;
        else high = middle;
    }
    return low;
}

static void bursty_p_batch_add(bursty_p_batch *batch, const bursty_site *site) {
    size_t at = bursty_p_batch_place(batch, site), k;
    if ((uintptr_t)site <= (uintptr_t)batch->after || !(site->kind & BURSTY_CALL)) return;
    if (at < batch->used && batch->sums[at].site == site) return;
    if (at == BURSTY_P_BATCH) return;
    if (batch->used < BURSTY_P_BATCH) batch->used++;
    for (k = batch->used - 1; k > at; k--) batch->sums[k] = batch->sums[k - 1];
    memset(&batch->sums[at], 0, sizeof batch->sums[at]);
    batch->sums[at].site = site;
}

/* The sums of a site, if it belongs to this batch. */
static bursty_p_top_sums *bursty_p_batch_find(bursty_p_batch *batch, const bursty_site *site) {
    size_t at = bursty_p_batch_place(batch, site);
    return at < batch->used && batch->sums[at].site == site ? &batch->sums[at] : NULL;
}

static void bursty_p_top_row(bursty_p_batch *batch, const bursty_p_row *row) {
    bursty_p_top_sums *s = bursty_p_batch_find(batch, BURSTY_P_ACQUIRE(&row->site));
    if (!s) return;
    bursty_p_sum(&s->count, &row->sum[0]);
    bursty_p_sum(&s->weight, &row->sum[1]);
    bursty_p_sum(&s->bursts, &row->sum[4]);
    bursty_p_sum(&s->squares, &row->sum[6]);
}

/* A tick belongs to each site of its path once, however often it stands
   there. */
static void bursty_p_top_path(bursty_p_batch *batch, const bursty_p_tick_row *row) {
    uint64_t ticks = BURSTY_P_ACQUIRE(&row->sum[BURSTY_P_TICK_COUNT]);
    const double squares = (double)BURSTY_P_ACQUIRE(&row->sum[BURSTY_P_TICK_SQUARES]);
    const bursty_p_tick_row *at = row, *below;
    bursty_p_top_sums *s = bursty_p_batch_find(batch, row->site);
    if (ticks == 0) return;
    if (s) s->self = bursty_p_sat_add(s->self, ticks);
    if (s) s->self_squares += squares;
    for (;; at = &bursty_p_ticks.rows[at->parent - 1]) {
        s = bursty_p_batch_find(batch, at->site);
        for (below = row; s && below != at; below = &bursty_p_ticks.rows[below->parent - 1]) {
            if (below->site == at->site) s = NULL;
        }
        if (s) s->total = bursty_p_sat_add(s->total, ticks);
        if (s) s->total_squares += squares;
        if (at->parent == 0) return;
    }
}

static double bursty_p_root(double x) {
    double root = x > 1 ? x : 1;
    int i;
    if (!(x > 0)) return 0;
    for (i = 0; i < 600 && root * root > x * (1 + 1e-9); i++) root = (root + x / root) / 2;
    return root;
}

/* A row whose looks count more than others is less sure: its variance is that of
   its own looks and of the others. squares: of the row; all_squares: of all. */
static bursty_range bursty_p_share(uint64_t part, uint64_t all, double squares, double all_squares) {
    bursty_range range = { 0, 0, 0 };
    double p, n, variance, middle, half;
    if (all == 0 || !(all_squares > 0)) return range;
    p = (double)part / (double)all;
    n = (double)all * (double)all / all_squares;
    variance = squares * (1 - p) * (1 - p) + (all_squares - squares) * p * p;
    if (p > 0 && p < 1 && variance > p * (1 - p) * all_squares) n *= p * (1 - p) * all_squares / variance;
    middle = (p + 2 / n) / (1 + 4 / n);
    half = 2 * bursty_p_root(p * (1 - p) / n + 1 / (n * n)) / (1 + 4 / n);
    range.low = middle > half ? (uint64_t)(1e6 * (middle - half)) : 0;
    range.value = (uint64_t)(1e6 * p + .5);
    range.high = middle + half < 1 ? (uint64_t)(1e6 * (middle + half) + 1) : 1000000;
    if (part == 0) range.low = 0;
    return range;
}

/* bursts: all that were summed up, of all threads. */
static bursty_range bursty_p_calls(const bursty_p_top_sums *s, double bursts,
                                   const bursty_profile *set) {
    bursty_range range;
    double value = (double)s->weight / 256, half, gap = (double)set->every;
    range.low = range.high = range.value = s->weight / 256;
    if (set->every == BURSTY_ALWAYS || s->count == 0) return range;
    range.low = s->count;
    range.high = UINT64_MAX;
    if (s->bursts < 5 || s->squares == UINT64_MAX || bursts < 2) return range;
    half = (double)s->squares - value * value / bursts;
    gap *= (double)set->jitter / 100 / (gap + (double)set->burst);
    half = (half > 0 ? half : 0) + value * value * gap * gap / (3 * bursts);
    half = 2 * bursty_p_root(half);
    if (value - half > (double)s->count) range.low = (uint64_t)(value - half);
    if (value + half < 1.8e19) range.high = (uint64_t)(value + half) + 1;
    return range;
}

/* Puts row into best[0..filled), hottest first. Returns the new number of rows,
   at most max. */
static size_t bursty_p_top_keep(bursty_top_row *best, size_t filled, size_t max,
                                const bursty_top_row *row) {
    size_t k = filled;
    for (; k > 0; k--) {
        const bursty_top_row *above = &best[k - 1];
        if (row->ticks < above->ticks) break;
        if (row->ticks == above->ticks && row->calls.value <= above->calls.value) break;
        if (k < max) best[k] = *above;
    }
    if (k < max) best[k] = *row;
    return filled < max ? filled + 1 : max;
}

BURSTY_API size_t bursty_top(bursty_top_row *rows, size_t max) {
    uint32_t i, row_count, path_count;
    size_t filled = 0, k;
    double bursts = 0, squares = 0;
    uint64_t ticks = 0;
    bursty_p_batch batch;
    bursty_p_settings now;
    if (bursty_p_all.epoch == 0) return 0;
    bursty_p_look_now();
    (void)bursty_p_read_settings(&now);
    row_count = BURSTY_P_ACQUIRE(&bursty_p_all.row_count);
    path_count = BURSTY_P_ACQUIRE(&bursty_p_ticks.row_count);
    for (i = 0; i < bursty_p_threads(); i++)
        bursts += (double)BURSTY_P_READ(&bursty_p_all.threads[i].bursts[0]);
    for (i = 0; i < path_count; i++) {
        const bursty_p_tick_row *row = &bursty_p_ticks.rows[i];
        ticks = bursty_p_sat_add(ticks, BURSTY_P_ACQUIRE(&row->sum[BURSTY_P_TICK_COUNT]));
        squares += (double)BURSTY_P_ACQUIRE(&row->sum[BURSTY_P_TICK_SQUARES]);
    }
    batch.after = NULL;
    do {
        batch.used = 0;
        for (i = 0; i < row_count; i++)
            bursty_p_batch_add(&batch, BURSTY_P_ACQUIRE(&bursty_p_all.rows[i].site));
        for (i = 0; i < path_count; i++)
            bursty_p_batch_add(&batch, BURSTY_P_ACQUIRE(&bursty_p_ticks.rows[i].site));
        for (i = 0; i < row_count; i++) bursty_p_top_row(&batch, &bursty_p_all.rows[i]);
        for (i = 0; i < path_count; i++) {
            if (BURSTY_P_ACQUIRE(&bursty_p_ticks.rows[i].site))
                bursty_p_top_path(&batch, &bursty_p_ticks.rows[i]);
        }
        for (k = 0; k < batch.used; k++) {
            const bursty_p_top_sums *s = &batch.sums[k];
            bursty_top_row row;
            row.site = s->site;
            row.calls = bursty_p_calls(s, bursts, &now.slot[0].set);
            row.self_ppm = bursty_p_share(s->self, ticks, s->self_squares, squares);
            row.total_ppm = bursty_p_share(s->total, ticks, s->total_squares, squares);
            row.ticks = s->self;
            if (s->count || s->total) filled = bursty_p_top_keep(rows, filled, max, &row);
        }
        if (batch.used) batch.after = batch.sums[batch.used - 1].site;
    } while (batch.used == BURSTY_P_BATCH);
    return filled;
}
#endif

/* ---- bursty_write -------------------------------- src/bursty/write.c ---- */

/* The image begins with an ELF header, and the linker names it. */
#if defined(__ELF__) && defined(BURSTY_P_GNU) && !defined(BURSTY_BARE)
extern const unsigned char bursty_p_head[] __asm__("__ehdr_start")
    __attribute__((weak, visibility("hidden")));
#define BURSTY_P_BUILD bursty_p_build_of(bursty_p_head)
#else
#define BURSTY_P_BUILD bursty_p_build_of(NULL)
#endif

/* Writes all parts: the counts, the ticks, the frames, the axis, the children,
   turns that were cut off, the companion's, the seed. */
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
    bursty_p_put_varint(&d.out, 0);
    bursty_p_put_string(&d, bursty_p_all.config.program);
    const uint64_t totals[3] = { stats.checks, stats.events, stats.lost };
    bursty_p_put_all(&d, totals, 3);
    if (stats.lost_threads || stats.no_time > BURSTY_NO_TIME_ASKED) {
        const uint64_t missing[3] = { 10, stats.lost_threads, (uint32_t)stats.no_time };
        bursty_p_put_all(&d, missing, 3);
    }
    for (i = 0; i < BURSTY_PROFILES; i++) bursty_p_put_profile(&d, i);
    for (i = 0; i < stats.threads; i++) bursty_p_put_thread(&d, i, rows);
    if (bursty_p_put_end(&d.out)) return -1;
#if BURSTY_P_TICKS
    if (bursty_p_ticks.row_room && bursty_p_write_time(&d, write, user)) return -1;
#if BURSTY_FRAMES > 0
    if (bursty_p_write_frames(&d, write, user)) return -1;
#endif
#ifdef BURSTY_P_AXIS
    if (bursty_p_write_axis(&d, write, user)) return -1;
#endif
#endif
    if (bursty_p_write_children(&d, write, user)) return -1;
    if (bursty_p_write_turns(&d, write, user)) return -1;
    if (bursty_p_write_fibers(&d, write, user)) return -1;
    const uint32_t sample[3] = { bursty_p_all.config.seed, bursty_p_all.seed_is, bursty_p_all.cleared };
    if (bursty_p_all.companion.write && bursty_p_all.companion.write(write, user)) return -1;
    if (!bursty_p_write_sample(sample, BURSTY_P_BUILD, bursty_p_all.config.program, write, user)) return 0;
    return -1;
}

/* ---- bursty_save ---------------------------------- src/bursty/save.c ---- */

#ifndef BURSTY_BARE
static int bursty_p_to_file(void *user, const void *data, size_t size) {
    return fwrite(data, 1, size, (FILE *)user) != size;
}

/* Whether a file may take the place of what stands there: a device or a pipe
   must stay. */
static int bursty_p_is_replaceable(const char *path) {
#if defined(__unix__) || defined(__APPLE__)
    struct stat there;
    return stat(path, &there) != 0 || S_ISREG(there.st_mode);
#else
    return path != NULL;
#endif
}

static int bursty_p_failed(FILE *file, const char *path, int error) {
    if (file) (void)fclose(file);
    if (path) (void)remove(path);
    errno = error;
    return -1;
}

/* A name that is too long for its .new, and what is no regular file, such as a
   device, are written directly. The file gets its buffer from here: for one of
   malloc glibc puts all small blocks together that the program has freed, which
   at the end of Lua took ten times what the dump took. */
BURSTY_API int bursty_save(const char *path) {
    char fresh[4096], buffer[4096];
    size_t length = strlen(path);
    FILE *file = NULL;
    int is_new = 0;
    if (bursty_p_all.epoch == 0) return bursty_p_failed(NULL, NULL, EINVAL);
    if (length + 5 <= sizeof fresh && bursty_p_is_replaceable(path)) {
        memcpy(fresh, path, length);
        memcpy(fresh + length, ".new", 5);
        file = fopen(fresh, "wb");
        is_new = file != NULL;
    }
    if (!file) file = fopen(path, "wb");
    if (!file) return -1;
    (void)setvbuf(file, buffer, _IOFBF, sizeof buffer);
    errno = 0;
    if (bursty_write(bursty_p_to_file, file) != 0 || fflush(file) != 0)
        return bursty_p_failed(file, is_new ? fresh : NULL, errno ? errno : EIO);
    if (fclose(file) != 0) return bursty_p_failed(NULL, is_new ? fresh : NULL, errno);
    if (!is_new) return 0;
#ifdef _WIN32
    (void)remove(path); /* rename does not replace there */
#endif
    if (rename(fresh, path) == 0) return 0;
    return bursty_p_failed(NULL, fresh, errno);
}
#endif

#else /* BURSTY_TINY */

/* ---- the tiny build ------------------------------- src/bursty/tiny.c ---- */

/* The word tells everything; d is the length of a gap, I of a burst:

       gap     d - 1, ..., 1, 0    the check that takes 0 to -1 is the first of a burst
       burst   -1, -2, ..., -I     the check that takes -I to -I - 1 is the first of a gap
       action  2^31 - 2^24, ...    its checks count down; no gap that can be set is above 3 * 2^29

   Without settings I is 0: no burst ever begins. The jitter is fixed: a gap is
   C - mask / 2 plus a random number from 0 to mask, where mask is the smallest
   2^k - 1 that is at least C / 8. A division would cost 100 bytes. Flash and
   RAM: tests/firmware/run.sh. */

/* The word at the start of a gap: its length less one, 2^31 - 1 before the
   first settings. */
static uint32_t bursty_p_gap(void) {
    uint32_t n = BURSTY_P_HERE.every, r = BURSTY_P_HERE.random, mask = 1;
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
    const bursty_event event = { site, value, kind, 0, 0, 0, 0, NULL, NULL };
    BURSTY_P_HERE.n = 0x7F000000; /* instructions can hold it */
    BURSTY_P_HERE.action(BURSTY_P_HERE.user, &event);
    if (BURSTY_P_HERE.n >> 29 == 3) BURSTY_P_HERE.n = keep; /* else the action has set a profile */
}

BURSTY_API void bursty_note(const bursty_site *site, uintptr_t value, uint32_t kind) {
    bursty_p_send(site, value, kind);
}

BURSTY_API uint32_t bursty_hit(const bursty_site *site, uintptr_t value) {
    if (0 - BURSTY_P_HERE.n > BURSTY_P_HERE.burst) {
        BURSTY_P_HERE.n = bursty_p_gap();
        return 0;
    }
    if (site) bursty_p_send(site, value, site->kind);
    return 1;
}

BURSTY_API uint32_t bursty_p_take(uint64_t left, uint32_t *live) {
    (void)left;
    BURSTY_P_HERE.n--;
    *live = bursty_hit(NULL, 0);
    return 1;
}

BURSTY_API void bursty_p_give_back(uint32_t count, uint32_t live) {
    if (!live && (int32_t)BURSTY_P_HERE.n >= 0) BURSTY_P_HERE.n += count;
}

BURSTY_API int bursty_set_profile(int profile, const bursty_profile *p) {
    BURSTY_P_HERE.burst = BURSTY_P_HERE.n = 0;
    if (profile != 0) return -1;
    if (p && (!p->action || p->every > BURSTY_P_BUSY)) return -1;
    if (p && (int32_t)p->burst < 0) return -1;
    if (!p || p->off) return 0;
    BURSTY_P_HERE.every = p->every ? p->every : 990;
    BURSTY_P_HERE.action = p->action;
    BURSTY_P_HERE.user = p->user;
    BURSTY_P_HERE.random = p->jitter >= 0;
    BURSTY_P_HERE.n = bursty_p_gap();
    BURSTY_P_HERE.burst = p->burst ? p->burst : 10;
    return 0;
}

BURSTY_API uint32_t bursty_in_burst(void) { return (int32_t)BURSTY_P_HERE.n < 0; }

#endif /* BURSTY_TINY */

/* ---- productions ------------------------------- src/bursty/control.c ---- */

/* The paper's hardware matches all productions of an instruction in parallel,
   hence conditions before operations. For Figure 4's two counters, with nCheck0
   4, nInstr0 2 and one INC per event (c1 UNTIL 3 while not sampling, c2 UNTIL 2
   while sampling):

       event           1    2    3    4    5    6    7
       c1 before it   -3   -2   -1    0    0    0   -3       0: overflow_1 is set
       c2 before it   -2   -2   -2   -2   -1    0   -2
       condition       .    .    .    x    x    .    .       overflow_1 and not overflow_2
       operation     inc1 inc1 inc1 inc2 inc2 reset inc1 */

BURSTY_API int bursty_control_init(bursty_control_state *c, const bursty_control_rule *rules,
                                   uint32_t count) {
    uint32_t i, j;
    for (i = 0; i < count; i++) {
        if (rules[i].op_count > 4 || (rules[i].any_count && !rules[i].any)) return -1;
        for (j = 0; j < rules[i].op_count; j++) {
            const bursty_control_op *op = &rules[i].op[j];
            if (op->counter > 7 || op->op < BURSTY_CONTROL_INC) return -1;
            if (op->op > BURSTY_CONTROL_UNTIL) return -1;
        }
    }
    c->rules = rules;
    c->rule_count = count;
    for (i = 0; i < 8; i++) c->counter[i] = 0;
    c->zero = 255;
    c->overflow = 0;
    return 0;
}

static int bursty_p_control_same(const char *a, const char *b) {
    while (*a && *a == *b) {
        a++;
        b++;
    }
    return *a == *b;
}

/* Returns whether path is end, or ends with "/end". */
static int bursty_p_control_ends(const char *path, const char *end) {
    const char *at;
    if (bursty_p_control_same(path, end)) return 1;
    for (at = path; *at; at++) {
        int is_name = *at == '/' || *at == '\\';
        if (is_name && bursty_p_control_same(at + 1, end)) return 1;
    }
    return 0;
}

static int bursty_p_control_is_in(const bursty_event *e, const char *function) {
    const uint32_t names = BURSTY_CALL | BURSTY_RETURN | BURSTY_BACKEDGE;
    if (e->kind & names) return bursty_p_control_same(e->site->name, function);
    if (!e->stack || e->depth == 0 || e->depth > BURSTY_STACK) return 0;
    return bursty_p_control_same(e->stack[e->depth - 1]->name, function);
}

static int bursty_p_control_fits(const bursty_control_rule *rule, const bursty_event *e) {
    if (rule->kinds && !(rule->kinds & e->kind)) return 0;
    if (rule->line && rule->line != e->site->line) return 0;
    if (rule->name && !bursty_p_control_same(e->site->name, rule->name)) return 0;
    if (rule->function && !bursty_p_control_is_in(e, rule->function)) return 0;
    return !rule->file || bursty_p_control_ends(e->site->file, rule->file);
}

static int bursty_p_control_holds(const bursty_control_rule *rule, uint32_t zero,
                                  uint32_t overflow) {
    uint32_t i;
    for (i = 0; i < rule->any_count; i++) {
        const bursty_control_term *term = &rule->any[i];
        int wrong_zero = (term->zero & ~zero) || (term->not_zero & zero);
        int wrong_overflow = (term->overflow & ~overflow) || (term->not_overflow & overflow);
        if (!wrong_zero && !wrong_overflow) return 1;
    }
    return !rule->any_count;
}

static void bursty_p_control_operate(bursty_control_state *c, const bursty_control_op *op) {
    uint32_t i = op->counter & 7u, bit = 1u << i, v = c->counter[i];
    uint32_t overflow = c->overflow & bit;
    switch (op->op) {
    case BURSTY_CONTROL_INC:
        if (++v == 0) overflow = bit;
        break;
    case BURSTY_CONTROL_DEC:
        if (v-- == 0) overflow = bit;
        break;
    case BURSTY_CONTROL_SET:
        v = op->value;
        overflow = 0;
        break;
    default:
        v = 0 - op->value;
        overflow = v == 0 ? bit : 0;
        break;
    }
    c->counter[i] = v;
    c->overflow = (uint8_t)((c->overflow & ~bit) | overflow);
    c->zero = (uint8_t)((c->zero & ~bit) | (v == 0 ? bit : 0));
}

BURSTY_API void bursty_control_step(void *control, const bursty_event *event) {
    bursty_control_state *c = (bursty_control_state *)control;
    uint32_t zero = c->zero, overflow = c->overflow, i, j;
    for (i = 0; i < c->rule_count; i++) {
        const bursty_control_rule *rule = &c->rules[i];
        if (!bursty_p_control_holds(rule, zero, overflow)) continue;
        if (!bursty_p_control_fits(rule, event)) continue;
        if (rule->action) rule->action(rule->user, event);
        for (j = 0; j < rule->op_count; j++) bursty_p_control_operate(c, &rule->op[j]);
    }
}

#ifdef __cplusplus
}
#endif
#if defined(__cplusplus) && defined(BURSTY_P_GNU)
#pragma GCC diagnostic pop
#endif
#endif /* BURSTY_IMPLEMENTATION */

/* MIT License

   Copyright (c) 2026 the bursty authors

   Permission is hereby granted, free of charge, to any person obtaining a
   copy of this software and associated documentation files (the "Software"),
   to deal in the Software without restriction, including without limitation
   the rights to use, copy, modify, merge, publish, distribute, sublicense,
   and/or sell copies of the Software, and to permit persons to whom the
   Software is furnished to do so, subject to the following conditions:

   The above copyright notice and this permission notice shall be included in
   all copies or substantial portions of the Software.

   THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
   IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
   FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL
   THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
   LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING
   FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER
   DEALINGS IN THE SOFTWARE. */
