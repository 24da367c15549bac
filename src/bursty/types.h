/* ---- types ---- */

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
