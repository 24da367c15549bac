/* test_bursty_signals.c - a signal handler may check, set profiles and write a
   dump at any instruction of the program and of bursty.h: nobody waits, nothing
   is torn, no setting is lost. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "bursty.inc"

#if !defined(BURSTY_P_POSIX)
TEST(signals) { SKIP("no threads or no signals with this compiler"); }
#else
#include <pthread.h>
#include <signal.h>
#include <sys/time.h>

static volatile uint64_t handled;
static uint64_t written;

static int to_nowhere(void *user, const void *data, size_t size) {
    (void)user;
    (void)data;
    written += size;
    return 0;
}

static void leaf(void) {
    BURST_SCOPE("leaf");
    BURST_LEAVE();
}

/* Profile 2 is the handler's: what it says last must hold in the end. */
static void change_and_write(void) {
    bursty_profile p = plain_profile(50 + (uint32_t)(handled % 50), 3);
    p.classes = BURSTY_LOAD;
    if (bursty_set_profile(2, &p) != 0) abort();
    if (handled % 4 == 0) (void)bursty_write(to_nowhere, NULL);
    leaf();
    handled++;
}

static uint32_t setting_of(int profile) {
    bursty_p_settings now;
    (void)bursty_p_read_settings(&now);
    return now.slot[profile].used ? now.slot[profile].set.every : 0;
}

/* What the program does, which a handler interrupts. */
static void turn(uint32_t i) {
    bursty_profile p = plain_profile(20 + i % 7, 2);
    p.classes = BURSTY_STORE;
    CHECK_EQ(bursty_set_profile(1, &p), 0);
    leaf();
    if (i % 3 == 0) CHECK_EQ(bursty_set_profile(1, NULL), 0);
    if (i % 5 == 0) CHECK_EQ(bursty_write(to_nowhere, NULL), 0);
    leaf();
}

/* ThreadSanitizer keeps signals back until the program calls the C library. */
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define KEEPS_SIGNALS_BACK
#endif
#elif defined(__SANITIZE_THREAD__)
#define KEEPS_SIGNALS_BACK
#endif

#ifdef KEEPS_SIGNALS_BACK
TEST(signals) { (void)change_and_write; (void)turn; SKIP("ThreadSanitizer keeps signals back"); }
#else
/* An earlier version hung here within seconds: a lock, and a count of readers
   on the path. */
static void on_alarm(int number) {
    (void)number;
    change_and_write();
}

TEST(a_storm_of_signals) {
    struct sigaction action, old;
    struct itimerval often = { { 0, 150 }, { 0, 150 } }, never = { { 0, 0 }, { 0, 0 } };
    bursty_profile p = plain_profile(10, 3);
    uint32_t i;
    start_with(&p, 3);
    p = plain_profile(10, 3);
    p.classes = BURSTY_CALL | BURSTY_RETURN;
    CHECK_EQ(bursty_set_profile(0, &p), 0);
    memset(&action, 0, sizeof action);
    action.sa_handler = on_alarm;
    action.sa_flags = SA_RESTART;
    sigaction(SIGALRM, &action, &old);
    handled = 0;
    CHECK_EQ(setitimer(ITIMER_REAL, &often, NULL), 0);
    for (i = 0; handled < 1000 / TEST_SCALE; i++) turn(i);
    setitimer(ITIMER_REAL, &never, NULL);
    sigaction(SIGALRM, &old, NULL);
    CHECK_EQ(setting_of(2), 50 + (handled - 1) % 50);
    CHECK(written > 0);
}

#if defined(__x86_64__) && defined(__linux__)
#include <ucontext.h>
static volatile int stepping;
static volatile uint64_t trapped, act_at;

static void trap(int number, siginfo_t *info, void *context) {
    ucontext_t *c = (ucontext_t *)context;
    (void)number;
    (void)info;
    if (++trapped == act_at) {
        change_and_write();
        stepping = 0;
    }
    if (!stepping) c->uc_mcontext.gregs[REG_EFL] &= ~INT64_C(0x100);
}

/* The processor traps behind each instruction while its flag TF is set. */
static void step_through_a_turn(uint32_t i) {
    trapped = 0;
    stepping = 1;
    __asm__ __volatile__("leaq -128(%%rsp), %%rsp\n pushfq\n orq $0x100, (%%rsp)\n popfq\n"
                         "leaq 128(%%rsp), %%rsp" : : : "cc", "memory");
    turn(i);
    stepping = 0;
    __asm__ __volatile__("nop");
}

/* The handler acts behind one instruction of a turn, at places from its first
   to its last: as many as
   120000 traps pay for, since a turn may have 4000 instructions or, built to be checked,
   200000. */
TEST(at_any_instruction) {
    struct sigaction action, old;
    bursty_profile p = plain_profile(4, 3);
    uint64_t n, all, places;
    start_with(&p, 3);
    p.classes = BURSTY_CALL | BURSTY_RETURN;
    CHECK_EQ(bursty_set_profile(0, &p), 0);
    turn(0); /* links what is linked at the first call */
    memset(&action, 0, sizeof action);
    action.sa_sigaction = trap;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGTRAP, &action, &old);
    handled = 0;
    act_at = 0;
    step_through_a_turn(1);
    all = trapped;
    places = 240000 / all;
    places = places < 10 ? 10 : places;
    for (n = 1; n < all; n += all / places) { /* a turn with a burst is longer than one without */
        act_at = n;
        step_through_a_turn(1); /* sets profile 1 and makes two calls */
        CHECK_EQ(setting_of(1), 21);
        if (handled) CHECK_EQ(setting_of(2), 50 + (handled - 1) % 50);
    }
    sigaction(SIGTRAP, &old, NULL);
    CHECK(handled > 5);
}
#endif
#endif

/* Threads and a handler at once: each slot ends as its owner left it. */
static void *sets_its_own(void *argument) {
    int profile = *(int *)argument;
    uint32_t i;
    for (i = 1; i <= 2000; i++) {
        bursty_profile p = plain_profile(i, 1);
        p.action = count_event;
        p.user = &written;
        p.off = 1;
        while (bursty_set_profile(profile, &p) != 0) { }
    }
    return NULL;
}

TEST(no_setting_of_many_threads_is_lost) {
    static int numbers[4] = { 3, 4, 5, 6 };
    pthread_t thread[4];
    int i;
    start_with(NULL, 3);
    for (i = 0; i < 4; i++)
        CHECK_EQ(pthread_create(&thread[i], NULL, sets_its_own, &numbers[i]), 0);
    for (i = 0; i < 4; i++) CHECK_EQ(pthread_join(thread[i], NULL), 0);
    for (i = 3; i < 7; i++) CHECK_EQ(setting_of(i), 2000);
}
#endif
