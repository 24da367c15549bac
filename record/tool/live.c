/* live.c - looks at running processes as they come.

   The processes of a name are found in /proc, once a second. One that a process
   starts which is looked at needs no events of its own, for it has inherited some:
   the kernel's record of the fork says so, but that may be read after the process
   was found. So what is found late gets events a second later, if no record has
   told of it by then. */
#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE 1
#endif
#include "live.h"
#include "base/tool.h"
#include "record/tool/outside.h"

#ifdef CAN_ATTACH
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NOT_ASKED, WANTED, NOT_WANTED };

static struct {
    const char *name;               /* that is wanted; NULL: the processes that were given */
    uint8_t *wanted;                /* of each process, by number - 1 */
    uint32_t wanted_room;
    uint32_t *found;                /* pids without events in the last search */
    size_t found_count;
    size_t refused;
    int why_refused;                /* errno of the latest one */
    double others_ns;               /* CPU time of those that are not wanted */
    uint32_t last_alive;            /* a number */
} live;

/* Asked for once: a copy of a process is one more, and becomes another one with
   the program that it then runs. */
static int is_wanted(uint32_t number) {
    if (number > live.wanted_room) {
        uint32_t room = 2 * number + 16;
        live.wanted = (uint8_t *)tool_grow(live.wanted, room);
        memset(live.wanted + live.wanted_room, NOT_ASKED, room - live.wanted_room);
        live.wanted_room = room;
    }
    if (live.wanted[number - 1] == NOT_ASKED) {
        const process *p = process_at(number);
        int is = live.name && process_of(p->pid) == number && process_is_called(p->pid, live.name);
        if (live.name && !is) is = strcmp(p->program, live.name) == 0;
        live.wanted[number - 1] = is ? WANTED : NOT_WANTED;
    }
    return live.wanted[number - 1] == WANTED;
}

/* ---- processes ---- */

static int is_there(uint32_t number) {
    const process *p = process_at(number);
    return !p->is_over && process_of(p->pid) == number && is_wanted(number)
           && attach_is_alive(number);
}

static void read_again(void) {
    uint32_t n;
    for (n = 1; n <= process_count(); n++) {
        if (!is_there(n)) continue;
        (void)process_read(n);
        process_read_mappings(n);
    }
}

/* Returns 0 or errno. */
static int open_one(uint32_t pid, unsigned ticks) {
    uint32_t number = process_add(pid);
    int why = process_read(number) ? 0 : ESRCH;
    (void)is_wanted(number);
    if (!why) why = events.count ? events_open_more(pid) : events_open(pid, ticks, 0);
    live.wanted[number - 1] = why ? NOT_WANTED : WANTED;
    if (!why) process_read_mappings(number);
    else if (why != ESRCH) {
        live.refused++;
        live.why_refused = why;
    }
    return why;
}

static int was_found(uint32_t pid) {
    size_t n;
    for (n = 0; n < live.found_count && live.found[n] != pid; n++) { }
    return n < live.found_count;
}

/* Opens what is there at the beginning (ticks: so often), or was found in the
   last search, too. *refused: one that may not be looked at, if there is one, and
   why. */
static void search(unsigned ticks, uint32_t *refused, int *why) {
    DIR *folder = opendir("/proc");
    struct dirent *e;
    uint32_t *found = NULL;
    size_t found_count = 0, room = 0;
    while (folder && (e = readdir(folder)) != NULL) {
        uint32_t pid = (uint32_t)strtoul(e->d_name, NULL, 10), number = pid ? process_of(pid) : 0;
        int failed;
        if (!pid || pid == (uint32_t)getpid() || (number && !process_at(number)->is_over)
            || !process_is_called(pid, live.name))
            continue;
        if (!ticks && !was_found(pid)) {
            TOOL_ROOM(uint32_t, found, found_count, room);
            found[found_count++] = pid;
            continue;
        }
        failed = open_one(pid, ticks);
        if (failed && failed != ESRCH) *refused = pid;
        if (failed && failed != ESRCH) *why = failed;
    }
    if (folder) closedir(folder);
    free(live.found);
    live.found = found;
    live.found_count = found_count;
}

int live_open(const long *pids, size_t count, const char *name, unsigned ticks) {
    uint32_t refused = 0;
    int why = 0;
    size_t n;
    events.is_shown = 1;
    attach_catch_signals();
    for (n = 0; n < count; n++) {
        if (process_of((uint32_t)pids[n])) continue;
        why = open_one((uint32_t)pids[n], ticks);
        if (why) return attach_refuse(pids[n], why);
    }
    live.name = name;
    events.follows = name != NULL;
    if (name) search(ticks, &refused, &why);
    if (events.count) {
        events_renew_periods(1);
        return TOOL_OK;
    }
    return refused ? attach_refuse((long)refused, why)
                   : tool_error("no process is called '%s'; -p PID says which one, and "
                                "bursty record runs a program", name);
}

int live_poll(void) {
    uint32_t n;
    attach_look();
    if (attach_is_stopped()) return 0;
    if (live.last_alive && is_there(live.last_alive)) return 1;
    for (n = process_count(); n && !is_there(n); n--) { }
    live.last_alive = n;
    return n != 0 || live.found_count != 0;
}

/* ---- looks ---- */

/* Threads that began with one drawn period are seen at the same ages: one look. */
static int by_period(const void *a, const void *b) {
    const look *x = (const look *)a, *y = (const look *)b;
    return x->period < y->period ? -1 : x->period > y->period;
}

static double sum_of_squares(void) {
    double squares = 0, sum = 0;
    size_t n;
    qsort(looks_taken.at, looks_taken.count, sizeof *looks_taken.at, by_period);
    for (n = 0; n < looks_taken.count; n++) {
        const look *l = &looks_taken.at[n];
        sum += l->worth;
        if (periods_are_of_short(l->period) && n + 1 < looks_taken.count
            && l[1].period == l->period)
            continue;
        squares += sum * sum;
        sum = 0;
    }
    return squares;
}

double live_take(void (*each)(void *user, uint32_t key, double ns), void *user) {
    size_t n, wanted = 0;
    uint32_t refused, *tried;
    double squares;
    int why;
    read_again();
    tried = (uint32_t *)tool_alloc((process_count() + 1) * sizeof *tried);
    for (n = 0; n < looks_taken.count; n++) {
        const look *l = &looks_taken.at[n];
        uint32_t key, number = thread_get(l->thread)->process;
        if (!is_wanted(number)) {
            live.others_ns += l->worth;
            continue;
        }
        key = l->kernel ? name_key("(kernel)") : name_of_place(l->place);
        if (key && !l->kernel && key == process_at(number)->made->rest && !tried[number]++) {
            name_read_perf_map(number);           /* it may be named by now */
            place_set_key(l->place, 0);
            key = name_of_place(l->place);
        }
        each(user, key ? key : name_key("(outside)"), l->worth);
        looks_taken.at[wanted++] = *l;
    }
    looks_taken.count = wanted;
    for (n = 0; n < looks_taken.count; n++) {
        const look *l = &looks_taken.at[n];
        if (!l->kernel && place_is_made(l->place)) place_set_key(l->place, 0);
    }
    squares = sum_of_squares();
    looks_taken.count = 0;
    free(tried);
    if (live.name) search(0, &refused, &why);
    return squares;
}

const char *live_name(uint32_t key) { return name_get(key); }

void live_about(live_state *s) {
    uint32_t n;
    s->program = live.name ? live.name : process_at(1)->program;
    s->processes = 0;
    for (n = 1; n <= process_count(); n++) s->processes += (size_t)(is_there(n) != 0);
    s->refused = live.refused;
    s->why_refused = live.why_refused;
    s->lost = looks_taken.lost;
    s->children_ns = looks_taken.children_ns + live.others_ns;
    s->has_kernel = !events.no_kernel;
}
#else
int live_open(const long *pids, size_t count, const char *name, unsigned ticks) {
    (void)pids, (void)count, (void)name, (void)ticks;
    return tool_error("what looks at a running process needs Linux on x86-64");
}

int live_poll(void) { return 0; }

double live_take(void (*each)(void *user, uint32_t key, double ns), void *user) {
    (void)each, (void)user;
    return 0;
}

const char *live_name(uint32_t key) {
    (void)key;
    return "";
}

void live_about(live_state *s) {
    static const live_state none = {"", 0, 0, 0, 0, 0, 0};
    *s = none;
}
#endif
