/* hand | calls parse 120000 emit 30000 | axes runs | status 0
   A short program with the default settings, run 200 times; the dumps are
   merged. Or 200 children of one process, which fork and save. */
#define DEFAULTS
#include "hand.h"
#include <sys/wait.h>
#include <unistd.h>
static volatile unsigned sink;
static void parse(unsigned n) {
    BURST_SCOPE("parse");
    sink += n;
    BURST_LEAVE();
}
static void emit(unsigned n) {
    BURST_SCOPE("emit");
    sink -= n;
    BURST_LEAVE();
}
static int work(const char *file) {
    unsigned i;
    for (i = 0; i < 600; i++) parse(i);
    for (i = 0; i < 150; i++) emit(i);
    return file && bursty_save(file) != 0;
}
int main(int argc, char **argv) {
    const char *file = argc > 2 ? argv[2] : NULL;
    bursty_start(NULL);
#ifdef FORKS
    int k;
    for (k = 0; k < 200; k++) {
        char name[4096];
        pid_t child = fork();
        snprintf(name, sizeof name, "%s.%d", file ? file : "", k);
        if (child == 0) _exit(work(file ? name : NULL));
        waitpid(child, NULL, 0);
    }
    puts("200 children");
    return 0;
#else
    puts("one of 200");
    return work(file);
#endif
}
