/* ends.c - stands in for the runtime of checks: every check comes here, and the
   hundredth ends the program with status 42. A program without a check dies by
   a timer, or of its stack. */
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

extern __thread unsigned bursty_here_tls_64;
__thread unsigned bursty_here_tls_64;

unsigned bursty_hit(const void *site, unsigned long value);
void bursty_note(const void *site, unsigned long value, unsigned kind);

unsigned bursty_hit(const void *site, unsigned long value) {
    static int count;
    (void)site;
    (void)value;
    bursty_here_tls_64 = 0;
    if (++count == 100) _exit(42);
    return 0;
}

void bursty_note(const void *site, unsigned long value, unsigned kind) {
    (void)site;
    (void)value;
    (void)kind;
}

/* An endless program has used .1 s of the processor soon, whatever else the
   machine does. */
static void __attribute__((constructor)) begin(void) {
    struct itimerval limit = {{0, 0}, {0, 100000}};
    setitimer(ITIMER_PROF, &limit, NULL);
    alarm(300);
}
