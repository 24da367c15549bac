/* attach.c - time of processes, from outside: of one that runs already, and of one
   that is started. The kernel interrupts each of its threads so often in a second
   of CPU time, and notes where it was (outside/). Nothing of the process is
   changed or stopped; who stops us stops the looks. */
#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE 1
#endif
#include "attach.h"
#include "base/tool.h"
#include "record/tool/outside.h"

#ifdef CAN_ATTACH
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t stopped;

static void stop(int number) {
    (void)number;
    stopped = 1;
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static const char *paranoid(void) {
    static char setting[64];
    FILE *file = fopen("/proc/sys/kernel/perf_event_paranoid", "r");
    setting[0] = 0;
    if (file && !fgets(setting, sizeof setting, file)) setting[0] = 0;
    if (file) fclose(file);
    setting[strcspn(setting, "\n")] = 0;
    return *setting ? setting : "not known";
}

/* ---- a process that runs already ---- */

int attach_refuse(long pid, int why) {
    if (why == ESRCH) return tool_error("there is no process %ld", pid);
    if (why == EACCES || why == EPERM)
        return tool_error("process %ld may not be looked at: it belongs to somebody else, or "
                          "kernel.perf_event_paranoid is too high (%s, 2 or less lets you see your "
                          "own); root may always",
                          pid, paranoid());
    if (why == ENOSYS || why == ENOENT || why == EOPNOTSUPP)
        return tool_error("this system has no perf_event_open, which -p needs; bursty record "
                          "PROGRAM works without it");
    return tool_error("process %ld: %s", pid, strerror(why));
}

/* A process that has ended may stay a zombie until somebody asks for its status.
   One whose first thread alone has ended goes on. */
int attach_is_alive(uint32_t number) {
    char path[64], line[1024];
    const char *behind;
    char state = 'Z';
    long threads = 1;
    FILE *file;
    snprintf(path, sizeof path, "/proc/%u/stat", (unsigned)process_at(number)->pid);
    file = fopen(path, "r");
    if (!file) return 0;
    if (fgets(line, sizeof line, file) && (behind = strrchr(line, ')')) != NULL)
        (void)sscanf(behind + 1, " %c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s "
                                 "%*s %ld", &state, &threads);
    fclose(file);
    return (state != 'Z' && state != 'X') || threads > 1;
}

/* Reads once. Now and then the period becomes another one, at moments that no
   program can keep step with; each time, where threads are short. */
static void look_on(double *renewed, long pause_ns) {
    const double often_ns = 300000, more_ns = 500000;
    struct timespec pause = {0, pause_ns};
    if (periods_are_drawn()) pause.tv_nsec = (long)(often_ns + more_ns * events_draw());
    if (periods_are_drawn() || now() >= *renewed) {
        events_renew_periods(0);
        *renewed = now() + .02 + .06 * events_draw();
    }
    nanosleep(&pause, NULL);
    events_read(0);
    if (periods_change()) {
        events_set_apart();
        events_renew_periods(1);
    }
}

/* For a twentieth of a second; at first more often, to find out about short threads. */
void attach_look(void) {
    static double renewed;
    static unsigned soon = 50;
    const double end = now() + .05;
    do {
        look_on(&renewed, soon ? 2000000 : 50000000);
        if (soon) soon--;
    } while (!stopped && now() < end);
}

/* Until the time is over, the process ends or somebody stops us. */
static void watch(unsigned seconds) {
    double end = now() + seconds, next = 0;
    do {
        attach_look();
        if (now() >= next) {
            (void)process_read(1);
            process_read_mappings(1);
            next = now() + 1;
        }
    } while (!stopped && attach_is_alive(1) && now() < end);
}

void attach_catch_signals(void) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = stop;
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

static int begin_looking(long pid, unsigned ticks) {
    int why;
    (void)process_add((uint32_t)pid);
    if (!process_read(1)) return attach_refuse(pid, ESRCH);
    attach_catch_signals();
    why = events_open(pid, ticks, 1);
    if (why) return attach_refuse(pid, why);
    events_renew_periods(1);
    process_read_mappings(1);
    return TOOL_OK;
}

int attach_is_stopped(void) { return stopped; }

static int made_at_run_time(void) {
    size_t n;
    for (n = 0; n < looks_taken.count; n++) {
        if (place_is_made(looks_taken.at[n].place)) return 1;
    }
    return 0;
}

static int has_names_of_made(void) {
    uint32_t n;
    for (n = 1; n <= process_count(); n++) {
        if (process_at(n)->made->names.functions.count) return 1;
    }
    return 0;
}

static void say_what_is_missing(const attach_options *o) {
    enum { CUT_WORTH = 5, NAMES_WORTH = 5, FEW = 20 }; /* percent, looks */
    uint64_t count = looks_taken.count * (uint64_t)(looks_taken.one_of ? looks_taken.one_of : 1);
    if (o->quiet) return;
    if (made_at_run_time() && !has_names_of_made())
        tool_error("the process runs code that it made itself, and no /tmp/perf-%ld.map names it: "
                   "node --perf-basic-prof, or an agent of java's, writes one", o->pid);
    if (looks_taken.cut * 100 > count * CUT_WORTH && events.stack_bytes)
        tool_error("%.0f %% of the ticks have only their inner callers: the stack was too deep, or "
                   "code has no unwind information",
                   100 * (double)looks_taken.cut / (double)count);
    ticks_find_nameless();
    if (looks_taken.count >= FEW && looks_taken.nameless * 100 >= looks_taken.count * NAMES_WORTH)
        tool_error("%s has no symbols for functions that have %.0f %% of the CPU time: they show as "
                   "numbers. Its debug symbols, or a build without strip, would name them",
                   strrchr(looks_taken.nameless_in->path, '/') + 1,
                   100 * (double)looks_taken.nameless / (double)looks_taken.count);
    if (!events.stack_bytes) tool_error("callers are not known: the system hands out no stacks");
    if (events.no_kernel)
        tool_error("time in the kernel is one row, and who called there is not known: "
                   "kernel.perf_event_paranoid is above 1");
}

int attach_run(const attach_options *o) {
    int status = begin_looking(o->pid, o->ticks);
    if (status != TOOL_OK) return status;
    if (o->timeline) waits_open(o->pid);
    watch(o->seconds);
    events_stop();
    events_read(1);
    (void)process_read(1);
    name_read_perf_map(1);
    if (!looks_taken.count)
        return tool_error("process %ld used no CPU time in that time, so that nothing is written",
                          o->pid);
    say_what_is_missing(o);
    return ticks_write_drawn(o, "", TICKS_OF_ALL);
}

/* ---- a program that is started ---- */

enum { LOOKS_LEAST = 2000 };        /* in a second; and two for each tick */

const char *attach_begin(const attach_options *o) {
    static char words[160];
    unsigned looks_wanted = o->ticks * 2 > LOOKS_LEAST ? o->ticks * 2 : LOOKS_LEAST;
    int why;
    events.is_started = 1;
    events.follows = o->follow;
    why = events_open(o->pid, looks_wanted, 1);
    if (!why) {
        events_renew_periods(1);
        (void)process_add((uint32_t)o->pid);
        (void)thread_of((uint32_t)o->pid, (uint32_t)o->pid);
        if (o->timeline) waits_open(o->pid);
        return NULL;
    }
    if (why == EACCES || why == EPERM)
        snprintf(words, sizeof words, "kernel.perf_event_paranoid is too high (%s)", paranoid());
    else if (why == ENOSYS || why == ENOENT || why == EOPNOTSUPP)
        snprintf(words, sizeof words, "this system has no perf_event_open");
    else snprintf(words, sizeof words, "perf_event_open says: %s", strerror(why));
    return words;
}

int attach_wait(const attach_options *o) {
    const double soon = .1;
    double began = now(), renewed = began;
    int status = 0;
    pid_t ended;
    while ((ended = waitpid((pid_t)o->pid, &status, WNOHANG)) != (pid_t)o->pid) {
        if (ended < 0 && errno != EINTR) break;
        look_on(&renewed, now() < began + soon ? 2000000 : 10000000);
    }
    events_read(1);
    return status;
}

/* ---- children that go on when the program has ended ---- */

static void mark_ours(void) {
    uint32_t n;
    for (n = 1; n <= process_count(); n++) {
        process *p = process_at(n);
        p->is_ours = process_at(process_of(p->pid))->is_over;
    }
}

/* Until the last of them has ended, or somebody asks for what there is. Nobody
   waits for us: we hold no file and no terminal. */
static void go_on(const attach_options *o, const char *program, int ready) {
    const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    double renewed = now();
    size_t looks_before;
    long pause_ns = 10000000;
    int n;
    (void)setsid();
    for (n = 0; n <= 2; n++) (void)dup2(nothing, n);
    attach_catch_signals();
    signal(SIGHUP, SIG_IGN);
    if (events_join() != 0 || write(ready, "", 1) != 1) _exit(1);
    close(ready);
    while (!stopped && !events_are_over()) {
        looks_before = looks_taken.count;
        look_on(&renewed, pause_ns);
        if (looks_before != looks_taken.count) pause_ns = 10000000;
        else if (pause_ns < 40000000) pause_ns *= 2;
    }
    events_stop();
    events_read(1);
    _exit(ticks_write_drawn(o, program, TICKS_OF_OTHERS));
}

/* The program has ended, and so do we; another process of ours goes on. Returns
   its number, or 0: that cannot be. */
static pid_t hand_over(const attach_options *o, const char *program) {
    int ready[2];
    char word;
    pid_t other;
    if (pipe2(ready, O_CLOEXEC) != 0) return 0;
    mark_ours();
    fflush(NULL);
    other = fork();
    if (other == 0) {
        close(ready[0]);
        go_on(o, program, ready[1]);
    }
    close(ready[1]);
    if (other > 0 && read(ready[0], &word, 1) != 1) other = 0;
    close(ready[0]);
    return other > 0 ? other : 0;
}

/* A shell script is the run of a shell, and the work is done by what it starts. */
static void say_children(const attach_options *o, pid_t other) {
    const double little_ms = 20;
    double theirs_ms, own_ms;
    ticks_children(&theirs_ms, &own_ms);
    if (other)
        tool_error("a child of the program goes on, and process %ld of bursty records it up "
                   "to its end, into %s.PID; `kill %ld` ends that sooner",
                   (long)other, o->out, (long)other);
    else if (events.begun > events.ended)
        tool_error(o->follow ? "a child of the program goes on; what it does from here on is not "
                               "recorded"
                             : "a child of the program goes on, and it is not recorded: --follow "
                               "records children, too");
    if (theirs_ms >= little_ms && theirs_ms > own_ms)
        tool_error("the programs that it started used %.0f ms of CPU time, and it used %.0f itself: "
                   "--follow records them, too", theirs_ms, own_ms);
}

int attach_end(const attach_options *o, const char *program) {
    pid_t other = o->follow && events.begun > events.ended ? hand_over(o, program) : 0;
    int status = ticks_write_drawn(o, program, other ? TICKS_OF_OURS : TICKS_OF_ALL);
    say_what_is_missing(o);
    if (!o->quiet) say_children(o, other);
    return status;
}
#else
int attach_run(const attach_options *o) {
    (void)o;
    return tool_error("bursty record -p runs on Linux on x86-64 only");
}

const char *attach_begin(const attach_options *o) {
    (void)o;
    return "that needs Linux on x86-64 with the kernel's headers";
}

int attach_wait(const attach_options *o) {
    (void)o;
    return 0;
}

int attach_end(const attach_options *o, const char *program) {
    (void)program;
    return attach_run(o);
}
#endif
