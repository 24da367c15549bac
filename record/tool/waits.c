/* waits.c - when and where threads wait, by the kernel's events of switches.

       thread:   runs    | waits               | runs  | is ready | runs
       records:      out, blocked             in      out, preempted
       sample:       its stack, just before

   These events have rings of their own: if a program switches too often for them,
   waits are lost, and no look. Their records stand in the queue of events.c, and
   are taken in order with all others. Each switch costs the program some time, so
   there is a budget of them in a second; when it is used up the events pause, and
   the time of that is counted. Of the waits the longest are kept. */
#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE 1
#endif
#include "record/tool/outside.h"

#ifdef CAN_ATTACH
#include "base/tool.h"
#include <dirent.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { RING_BYTES = 1 << 19, PAGE = 4096, CPUS = 1024, PIECE = 1024,
       KEPT_MOST = 1 << 16,
       BUDGET = 30000,              /* records in a second, three of them a wait, */
       SAVED = BUDGET / 2 };        /* and so many beyond if there were fewer before */

/* Old headers have no word for these. */
enum { RECORD_SWITCH = 14, SWITCH_OUT = 1 << 13, SWITCH_OUT_PREEMPT = 1 << 14 };

typedef struct state {              /* of a thread */
    uint64_t since_ns;              /* it waits; 0: it does not */
    int is_believed;                /* it waited before the gap that ended then */
    uint64_t *sample;               /* of its latest switch; NULL: none */
    size_t count;
    uint64_t left, left_ns;         /* waits that were too short to be kept */
} state;

static struct {
    int is_paused;
    int *events;
    size_t event_count, event_room;
    struct perf_event_mmap_page *rings[CPUS];
    int ring_of[CPUS];
    state *threads;                 /* by their numbers */
    uint32_t thread_room;
    waited *kept;
    size_t kept_count;
    uint64_t floor_ns;              /* shorter ones are not kept any more */
    double budget;                  /* records that may still come */
    uint64_t counted_ns;            /* when the budget was counted */
    uint64_t last_ns;               /* of the latest record that was taken */
    uint64_t unseen_ns;
} all;

/* ---- the events ---- */

/* Who may not see the kernel gets no samples, and so waits have no places. */
static int open_event(pid_t thread, int cpu) {
    struct perf_event_attr a;
    memset(&a, 0, sizeof a);
    a.type = PERF_TYPE_SOFTWARE;
    a.size = sizeof a;
    a.config = events.no_kernel ? PERF_COUNT_SW_DUMMY : PERF_COUNT_SW_CONTEXT_SWITCHES;
    a.sample_period = 1;
    events_fill_sample(&a, events.stack_bytes < PIECE ? events.stack_bytes : PIECE);
    a.inherit = a.sample_id_all = a.context_switch = 1;
    if (events.is_started) a.disabled = a.enable_on_exec = 1;
    a.exclude_kernel = events.no_kernel != 0;
    a.use_clockid = 1;
    a.clockid = CLOCK_MONOTONIC;
    return (int)syscall(SYS_perf_event_open, &a, thread, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

static struct perf_event_mmap_page *map_ring(int event) {
    void *ring =
        mmap(NULL, RING_BYTES + PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, event, 0);
    return ring == MAP_FAILED ? NULL : (struct perf_event_mmap_page *)ring;
}

/* Returns 0, or -1. */
static int add_event(int cpu, int event) {
    TOOL_ROOM(int, all.events, all.event_count, all.event_room);
    all.events[all.event_count++] = event;
    if (all.rings[cpu]) return ioctl(event, PERF_EVENT_IOC_SET_OUTPUT, all.ring_of[cpu]);
    all.ring_of[cpu] = event;
    all.rings[cpu] = map_ring(event);
    return all.rings[cpu] ? 0 : -1;
}

/* Returns 0, also of a thread that has just ended, or -1. */
static int open_thread(pid_t thread) {
    long cpus = sysconf(_SC_NPROCESSORS_CONF);
    int cpu;
    for (cpu = 0; cpu < cpus && cpu < CPUS; cpu++) {
        int event = open_event(thread, cpu);
        if (event < 0 && errno == ESRCH) return 0;
        if (event < 0 && errno == ENODEV) continue;
        if (event < 0 || add_event(cpu, event) != 0) return -1;
    }
    return 0;
}

static state *state_of(uint32_t thread) {
    if (thread >= all.thread_room) {
        uint32_t room = 2 * thread + 64;
        all.threads = (state *)tool_grow(all.threads, room * sizeof *all.threads);
        memset(all.threads + all.thread_room, 0,
               (room - all.thread_room) * sizeof *all.threads);
        all.thread_room = room;
    }
    return &all.threads[thread];
}

/* One that sleeps when we come has waited since then, nobody knows where. */
static void look_at(long pid, long thread) {
    char path[64], line[512], *behind;
    FILE *file;
    snprintf(path, sizeof path, "/proc/%ld/task/%ld/stat", pid, thread);
    file = fopen(path, "r");
    if (!file) return;
    behind = fgets(line, sizeof line, file) ? strrchr(line, ')') : NULL;
    if (behind && behind[1] && (behind[2] == 'S' || behind[2] == 'D'))
        state_of(thread_of((uint32_t)pid, (uint32_t)thread))->since_ns = events.zero_ns;
    fclose(file);
}

static void close_all(void) {
    size_t n;
    for (n = 0; n < CPUS; n++) {
        if (all.rings[n]) munmap(all.rings[n], RING_BYTES + PAGE);
        all.rings[n] = NULL;
    }
    for (n = 0; n < all.event_count; n++) close(all.events[n]);
    all.event_count = 0;
}

static int join(void) {
    size_t n;
    for (n = 0; n < CPUS; n++) {
        if (all.rings[n] && (all.rings[n] = map_ring(all.ring_of[n])) == NULL) return -1;
    }
    return 0;
}

static void set_events(unsigned long request) {
    size_t n;
    for (n = 0; n < all.event_count; n++) (void)ioctl(all.events[n], request, 0);
}

/* ---- waits ---- */

static int by_length(const void *left, const void *right) {
    const waited *a = (const waited *)left, *b = (const waited *)right;
    if (a->ns != b->ns) return a->ns > b->ns ? -1 : 1;
    if (a->from_ns != b->from_ns) return a->from_ns < b->from_ns ? -1 : 1;
    return a->thread < b->thread ? -1 : a->thread > b->thread;
}

static void leave(uint32_t thread, uint64_t ns) {
    state *s = state_of(thread);
    s->left++;
    s->left_ns += ns;
}

static void keep_longer_half(void) {
    size_t n;
    qsort(all.kept, all.kept_count, sizeof *all.kept, by_length);
    for (n = all.kept_count / 2; n < all.kept_count; n++)
        leave(all.kept[n].thread, all.kept[n].ns);
    all.kept_count /= 2;
    all.floor_ns = all.kept[all.kept_count - 1].ns;
}

/* Nobody saw it run since then? A look at it is the latest that was heard of it. */
static int has_waited(uint32_t thread, const state *s) {
    return s->since_ns && !(s->is_believed && thread_get(thread)->last_ns > s->since_ns);
}

static void end_wait(uint32_t thread, uint64_t now_ns) {
    state *s = state_of(thread);
    uint64_t from = s->since_ns, ns = now_ns > from ? now_ns - from : 0;
    const uint32_t number = thread_get(thread)->process;
    const int is_wait = has_waited(thread, s);
    stack where = {0, 0, 0};
    waited *w;
    s->since_ns = 0;
    if (!is_wait || !number || !ns) return;
    if (ns < all.floor_ns) {
        leave(thread, ns);
        return;
    }
    if (all.kept_count == KEPT_MOST) keep_longer_half();
    if (!all.kept) all.kept = (waited *)tool_alloc(KEPT_MOST * sizeof *all.kept);
    if (s->count) where = events_walk(s->sample, s->count, number);
    w = &all.kept[all.kept_count++];
    w->from_ns = from;
    w->ns = ns;
    w->thread = thread;
    w->place = where.place;
    w->callers = where.callers;
}

static void end_waits(uint64_t now_ns) {
    uint32_t n;
    for (n = 1; n < all.thread_room && n <= thread_count(); n++) end_wait(n, now_ns);
}

/* Nobody saw who came and went since the latest record. Who waited before waits behind
   it, too, and in the same place, unless the next that is heard of it says that it
   runs: most threads of a program that switches often are idle.

       thread:   waits          |  gap  |  waits              | in           a wait each side
                 waits          |  gap  |  is met by a look, or goes out     one, before it   */
static void take_gap(uint64_t end_ns) {
    uint32_t n;
    for (n = 1; n < all.thread_room && n <= thread_count(); n++) {
        state *s = &all.threads[n];
        const int goes_on = has_waited(n, s) && thread_get(n)->last_ns <= all.last_ns;
        end_wait(n, all.last_ns);
        s->since_ns = goes_on ? end_ns : 0;
        s->is_believed = goes_on;
        if (!goes_on) s->count = 0;
    }
    if (end_ns > all.last_ns) all.unseen_ns += end_ns - all.last_ns;
    all.last_ns = end_ns;
}

static void take_record(const uint64_t *words, size_t count) {
    struct perf_event_header head;
    const uint64_t *who;
    uint32_t thread;
    state *s;
    memcpy(&head, words, sizeof head);
    if (head.type == PERF_RECORD_LOST && count >= 4) {
        all.budget -= (double)words[2];
        take_gap(words[count - 1]);
        return;
    }
    if (count < 3 || (head.type != RECORD_SWITCH && head.type != PERF_RECORD_SAMPLE)) return;
    who = head.type == PERF_RECORD_SAMPLE ? words + 2 : words + 1;
    if (!(uint32_t)*who || (uint32_t)*who == UINT32_MAX) return; /* it has just ended */
    thread = thread_of((uint32_t)*who, (uint32_t)(*who >> 32));
    s = state_of(thread);
    all.last_ns = who[1];
    if (head.type == PERF_RECORD_SAMPLE) {
        s->sample = (uint64_t *)tool_grow(s->sample, count * sizeof *s->sample);
        memcpy(s->sample, words, count * sizeof *s->sample);
        s->count = count;
        return;
    }
    if (!(head.misc & SWITCH_OUT)) {
        end_wait(thread, words[2]);
        s->count = 0;
    } else {
        s->since_ns = head.misc & SWITCH_OUT_PREEMPT ? 0 : words[2];
        s->is_believed = 0;
    }
    if (thread_get(thread)->last_ns < words[2]) thread_get(thread)->last_ns = words[2];
}

/* ---- reading ---- */

static void begin_pause(void) {
    set_events(PERF_EVENT_IOC_DISABLE);
    all.is_paused = 1;
}

/* A record of our own says that there is a gap before it. */
static void end_pause(uint64_t now_ns) {
    struct perf_event_header head;
    uint64_t words[5] = {0, 0, 0, 0, 0}; /* it ends with the time and the timer */
    memset(&head, 0, sizeof head);
    head.type = PERF_RECORD_LOST;
    head.size = sizeof words;
    memcpy(words, &head, sizeof head);
    words[3] = now_ns;
    events_add_record(words, 5, 1);
    set_events(PERF_EVENT_IOC_ENABLE);
    all.is_paused = 0;
}

static void read_rings(void) {
    uint64_t now;
    size_t n;
    for (n = 0; n < CPUS; n++) {
        if (all.rings[n]) all.budget -= (double)events_read_ring(all.rings[n], RING_BYTES, 1);
    }
    now = events_now_ns();
    all.budget += (double)(now - all.counted_ns) / 1e9 * (double)BUDGET;
    if (all.budget > (double)SAVED) all.budget = SAVED;
    all.counted_ns = now;
    if (!all.is_paused && all.budget < 0) begin_pause();
    else if (all.is_paused && all.budget > 0) end_pause(now);
}

static void stop(void) { set_events(PERF_EVENT_IOC_DISABLE); }

void waits_open(long pid) {
    static const events_beside ours = {read_rings, take_record, join, stop};
    char path[64];
    struct dirent *e;
    DIR *folder;
    int failed = 0;
    if (!events.has_clock) return;
    snprintf(path, sizeof path, "/proc/%ld/task", pid);
    folder = opendir(path);
    while (folder && !failed && (e = readdir(folder)) != NULL) {
        if (e->d_name[0] == '.') continue;
        failed = open_thread((pid_t)atol(e->d_name));
        if (!failed && !events.is_started) look_at(pid, atol(e->d_name));
    }
    if (folder) closedir(folder);
    if (failed || !all.event_count) {
        close_all();
        return;
    }
    events.beside = &ours;
    all.budget = SAVED;
    all.counted_ns = events_now_ns();
}

/* ---- answers ---- */

/* All is over. */
static void finish(void) {
    if (all.is_paused) take_gap(events.last_ns);
    all.is_paused = 0;
    end_waits(events.last_ns);
}

size_t waits_of(uint32_t number, waited *to, size_t most, uint64_t *left, uint64_t *left_ns) {
    size_t n, count = 0;
    uint32_t thread;
    finish();
    *left = *left_ns = 0;
    if (all.kept_count) qsort(all.kept, all.kept_count, sizeof *all.kept, by_length);
    for (n = 0; n < all.kept_count; n++) {
        const waited *w = &all.kept[n];
        if (thread_get(w->thread)->process != number) continue;
        if (count < most) to[count++] = *w;
        else {
            ++*left;
            *left_ns += w->ns;
        }
    }
    for (thread = 1; thread < all.thread_room && thread <= thread_count(); thread++) {
        if (thread_get(thread)->process != number) continue;
        *left += all.threads[thread].left;
        *left_ns += all.threads[thread].left_ns;
    }
    return count;
}

uint64_t waits_unseen_ns(void) {
    if (!events.beside)
        return events.last_ns > events.zero_ns ? events.last_ns - events.zero_ns : 0;
    finish();
    return all.unseen_ns;
}
#endif
