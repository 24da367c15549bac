/* ---- basics ---- */

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
