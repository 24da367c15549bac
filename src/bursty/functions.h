/* ---- functions ---- */

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
