/* events.c - the kernel's task clock interrupts each thread so often in a second
   of its CPU time, and notes where it was.

       each CPU:  | ring | <- events of all threads and of those that they start
                     |
       queue:     | record | record | ...   sorted by time, and taken in that order

   Beside looks the rings have what changes their meaning: code that is mapped,
   forks, programs that become others, ends of threads. A record of one CPU may be
   read before an older one of another CPU. So what a round of reading brings
   waits in the queue until the next round, and is taken up to the latest time of
   the round before: nothing older can still come.

   How long a thread ran is said when it ends, by counters beside these events, in
   rings of their own: the kernel writes there of all CPUs at once from the one on
   which the thread ends, and no ring may be written to by two CPUs. The kernel then
   stops to hand out the ring's records, or two are written over each other. So from
   these rings nothing is taken but what can be true, and the first record that
   cannot ends the ring. Who has not said how long it ran has its time by its looks
   (share_rest in ticks.c). */
#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE 1
#endif
#include "record/tool/outside.h"

#ifdef CAN_ATTACH
#include "base/tool.h"
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { RING_PAGES = 128, RING_PAGES_MOST = 512, ENDS_PAGES = 16, PAGE = 4096, STACK_MOST = 16384,
       STACK_LEAST = 512, CPUS = 1024 };

typedef struct record {             /* one that waits */
    uint64_t time;
    size_t at, order;               /* its first word in `words` */
    uint32_t count;
    int is_beside;                  /* for events.beside */
} record;

typedef struct event_set {
    int events[1 << 14];
    uint64_t ids[1 << 14];          /* of their timers, as looks name them */
    struct perf_event_mmap_page *rings[CPUS];
    int ring_of[CPUS];
    size_t ring_bytes[CPUS];        /* without the page in front */
    unsigned ring_count;
    int ends[1 << 14];              /* the counter beside each event; -1: none */
    struct perf_event_mmap_page *ends_rings[CPUS];
    int ends_ring_of[CPUS];
} event_set;

static struct {
    event_set set;
    int is_apart;                   /* see events_set_apart */
    int no_counters;                /* they would be too many open files */
    uint64_t closed_ns;             /* what events had counted that are closed */
    uint64_t *words;                /* of the records that wait */
    size_t word_count, word_room;
    record *records;
    size_t record_count, record_room;
    uint64_t latest;                /* of the round before */
    uint64_t began_ns;
} all;

static void read_rings(event_set *s);

/* Of what a thread says that ends: a header, the thread, how long, and of the
   record itself the thread, the time and the timer. */
enum { ENDS_WORDS = 6 };

/* Numbers of the kernel's asm/perf_regs.h. In a record they stand in this order. */
enum { REGISTER_CX = 2, REGISTER_BP = 6, REGISTER_SP = 7, REGISTER_IP = 8 };

/* Old headers have no word for it. */
enum { COMM_EXEC = 1 << 13 };

void events_fill_sample(struct perf_event_attr *a, unsigned stack_bytes) {
    a->sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_STREAM_ID
                     | PERF_SAMPLE_PERIOD | PERF_SAMPLE_REGS_USER;
    a->sample_regs_user =
        1 << REGISTER_CX | 1 << REGISTER_BP | 1 << REGISTER_SP | 1 << REGISTER_IP;
    if (!stack_bytes) return;
    a->sample_type |= PERF_SAMPLE_STACK_USER;
    a->sample_stack_user = stack_bytes;
}

/* What an event and the counter beside it have in common. */
static struct perf_event_attr clock_of_thread(void) {
    struct perf_event_attr a;
    memset(&a, 0, sizeof a);
    a.type = PERF_TYPE_SOFTWARE;
    a.size = sizeof a;
    a.config = PERF_COUNT_SW_TASK_CLOCK;
    a.inherit = a.sample_id_all = 1;
    a.disabled = events.is_started || all.is_apart;
    a.enable_on_exec = a.disabled && !all.is_apart;
    /* When a thread gives way to one that it started, the kernel swaps their counts
       by pairs of events in order. A child's events are in the order in which they
       were opened only if those that were opened first are pinned (waits.c). */
    a.pinned = 1;
    a.exclude_kernel = events.no_kernel != 0;
    a.exclude_hv = 1;
    a.use_clockid = events.has_clock != 0;
    a.clockid = events.has_clock ? CLOCK_MONOTONIC : 0;
    return a;
}

static int open_event(pid_t thread, int cpu) {
    struct perf_event_attr a = clock_of_thread();
    a.sample_period = all.is_apart ? periods_next(events.count) : events.period;
    events_fill_sample(&a, events.stack_bytes);
    a.mmap = a.mmap2 = a.comm = a.comm_exec = a.task = 1;
    a.exclude_callchain_kernel = 1;
    a.wakeup_events = 32;
    return (int)syscall(SYS_perf_event_open, &a, thread, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

static struct perf_event_mmap_page *map_ends(int counter) {
    void *ring =
        mmap(NULL, (ENDS_PAGES + 1) * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, counter, 0);
    return ring == MAP_FAILED ? NULL : (struct perf_event_mmap_page *)ring;
}

/* Returns the counter beside an event, or -1. */
static int open_counter(pid_t thread, int cpu) {
    struct perf_event_attr a = clock_of_thread();
    int counter;
    if (all.no_counters) return -1;
    a.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_STREAM_ID;
    a.inherit_stat = 1;
    counter = (int)syscall(SYS_perf_event_open, &a, thread, cpu, -1, PERF_FLAG_FD_CLOEXEC);
    if (counter < 0) return -1;
    if (all.set.ends_rings[cpu]) {
        if (ioctl(counter, PERF_EVENT_IOC_SET_OUTPUT, all.set.ends_ring_of[cpu]) == 0)
            return counter;
    } else if ((all.set.ends_rings[cpu] = map_ends(counter)) != NULL) {
        all.set.ends_ring_of[cpu] = counter;
        return counter;
    }
    close(counter);
    return -1;
}

/* An event that is not inherited makes a thread's events unlike those of the
   threads that it starts. It stays open for as long as we do. */
static void open_pin(pid_t thread) {
    struct perf_event_attr a;
    memset(&a, 0, sizeof a);
    a.type = PERF_TYPE_SOFTWARE;
    a.size = sizeof a;
    a.config = PERF_COUNT_SW_DUMMY;
    a.exclude_kernel = a.exclude_hv = 1;
    (void)syscall(SYS_perf_event_open, &a, thread, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

/* The system may not hand out so much memory. Returns 0 or errno. */
static int open_ring(int cpu, int event) {
    size_t pages = events.stack_bytes ? RING_PAGES_MOST : RING_PAGES;
    void *ring = MAP_FAILED;
    for (; pages >= RING_PAGES && ring == MAP_FAILED; pages /= 2) {
        ring = mmap(NULL, (pages + 1) * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, event, 0);
        if (ring != MAP_FAILED) all.set.ring_bytes[cpu] = pages * PAGE;
    }
    if (ring == MAP_FAILED) return errno;
    all.set.rings[cpu] = (struct perf_event_mmap_page *)ring;
    return 0;
}

static void unmap_ends(event_set *s, unsigned cpu) {
    if (s->ends_rings[cpu]) munmap(s->ends_rings[cpu], (ENDS_PAGES + 1) * PAGE);
    s->ends_rings[cpu] = NULL;
}

/* Looks need the files, and who shows them asks for no threads. Returns 0 if that
   does not help. */
static int do_without_counters(void) {
    unsigned n;
    if (all.no_counters || !events.is_shown) return 0;
    for (n = 0; n < CPUS; n++) unmap_ends(&all.set, n);
    for (n = 0; n < events.count; n++) {
        if (all.set.ends[n] >= 0) close(all.set.ends[n]);
        all.set.ends[n] = -1;
    }
    return all.no_counters = 1;
}

/* The events of one thread, one a CPU. Returns 0 or errno. */
static int open_thread(pid_t thread) {
    long cpus = sysconf(_SC_NPROCESSORS_CONF);
    int cpu, why = ESRCH;
    unsigned any = 0;
    if (all.is_apart) open_pin(thread);
    for (cpu = 0; cpu < cpus && cpu < CPUS; cpu++) {
        int event = open_event(thread, cpu);
        if (event < 0 && (errno == EACCES || errno == EPERM) && !events.no_kernel) {
            events.no_kernel = 1;
            event = open_event(thread, cpu);
        }
        if (event < 0 && errno == EMFILE && do_without_counters()) event = open_event(thread, cpu);
        if (event < 0) {
            why = errno;
            if (why == ENODEV) continue;          /* this CPU is not there */
            return why;
        }
        if (events.count == sizeof all.set.events / sizeof *all.set.events) {
            close(event);
            return EMFILE;
        }
        all.set.ids[events.count] = 0;
        (void)ioctl(event, PERF_EVENT_IOC_ID, &all.set.ids[events.count]);
        all.set.ends[events.count] = open_counter(thread, cpu);
        all.set.events[events.count++] = event;
        if (all.set.rings[cpu]) {
            if (ioctl(event, PERF_EVENT_IOC_SET_OUTPUT, all.set.ring_of[cpu]) != 0) return errno;
        } else {
            int failed = open_ring(cpu, event);
            if (failed) return failed;
            all.set.ring_of[cpu] = event;
            if ((unsigned)cpu + 1 > all.set.ring_count) all.set.ring_count = (unsigned)cpu + 1;
        }
        any++;
    }
    if (any) events.of_thread = any;
    return any ? 0 : why;
}

/* Threads that these start are seen, too, for events are inherited. */
static int open_threads(long pid) {
    char path[64];
    struct dirent *e;
    struct rlimit files;
    DIR *folder;
    int why = ESRCH, any = 0;
    if (getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur < files.rlim_max) {
        files.rlim_cur = files.rlim_max;
        (void)setrlimit(RLIMIT_NOFILE, &files);
    }
    snprintf(path, sizeof path, "/proc/%ld/task", pid);
    folder = opendir(path);
    while (folder && (e = readdir(folder)) != NULL) {
        if (e->d_name[0] == '.') continue;
        why = open_thread((pid_t)atol(e->d_name));
        if (why == 0) any = 1;
        else if (why != ESRCH) break;             /* one that has just ended is none */
    }
    if (folder) closedir(folder);
    return any && (why == 0 || why == ESRCH) ? 0 : why;
}

/* A child of ours has the events, and maps their rings anew. */
int events_join(void) {
    unsigned n;
    for (n = 0; n < all.set.ring_count; n++) {
        void *ring;
        if (!all.set.rings[n]) continue;
        ring = mmap(NULL, all.set.ring_bytes[n] + PAGE, PROT_READ | PROT_WRITE, MAP_SHARED,
                    all.set.ring_of[n], 0);
        if (ring == MAP_FAILED) return -1;
        all.set.rings[n] = (struct perf_event_mmap_page *)ring;
        if (all.set.ends_rings[n]) all.set.ends_rings[n] = map_ends(all.set.ends_ring_of[n]);
    }
    return events.beside ? events.beside->join() : 0;
}

/* The kernel says so of an event that nobody has inherited, or whose heirs are
   gone. */
int events_are_over(void) {
    unsigned n;
    for (n = 0; n < events.count; n++) {
        struct pollfd p = {all.set.events[n], 0, 0};
        if (poll(&p, 1, 0) != 1 || !(p.revents & POLLHUP)) return 0;
    }
    return 1;
}

static void close_one(const event_set *s, unsigned n) {
    close(s->events[n]);
    if (s->ends[n] >= 0) close(s->ends[n]);
}

static void unmap_rings(event_set *s) {
    unsigned n;
    for (n = 0; n < s->ring_count; n++) {
        if (s->rings[n]) munmap(s->rings[n], s->ring_bytes[n] + PAGE);
        s->rings[n] = NULL;
        unmap_ends(s, n);
    }
}

static void close_threads(void) {
    unsigned n;
    unmap_rings(&all.set);
    for (n = 0; n < events.count; n++) close_one(&all.set, n);
    events.count = all.set.ring_count = 0;
}

/* A ring holds the looks of an eighth of a second, for rings are read more often. Those
   of a program that was started are read so often that 20 ms do. Where threads are
   short, rings of any program are read as often, and there are 2000 looks in a second.
   A system that hands out no stacks, or not so much memory, gives looks without
   callers. */
int events_open(long pid, unsigned wanted, int with_callers) {
    const unsigned of_short = 2000 / 50 + 1;
    unsigned bytes = with_callers ? STACK_MOST : 0, kept = wanted / 8 + 1;
    int why;
    events.period = 1000000000 / wanted;
    events.has_clock = 1;
    all.began_ns = events_now_ns();
    if (events.is_started) kept = wanted / 50 + 1;
    if (kept < of_short) kept = of_short;
    while (bytes > STACK_LEAST && bytes > (RING_PAGES * PAGE) / kept) bytes /= 2;
    events.stack_bytes = bytes;
    why = open_threads(pid);
    if (why) close_threads();
    if (why == EINVAL) {                          /* kernels before 4.1 know one clock */
        events.has_clock = 0;
        why = open_threads(pid);
        if (why) close_threads();
    }
    if (!events.is_started) events.zero_ns = events_now_ns();
    if (!why || !bytes || why == ESRCH || why == EACCES || why == EPERM) return why;
    events.stack_bytes = 0;
    why = open_threads(pid);
    if (why) close_threads();
    return why;
}

static int has_ring(int event) {
    unsigned n;
    for (n = 0; n < all.set.ring_count; n++) {
        if (all.set.rings[n] && all.set.ring_of[n] == event) return 1;
        if (all.set.ends_rings[n] && all.set.ends_ring_of[n] == event) return 1;
    }
    return 0;
}

/* Threads that are gone, and so are those that they started, need no events; but
   one that has a ring has it for the others, too. */
static void close_those_over(void) {
    unsigned n = 0;
    while (n < events.count) {
        struct pollfd p = {all.set.events[n], 0, 0};
        if (has_ring(p.fd) || has_ring(all.set.ends[n]) || poll(&p, 1, 0) != 1
            || !(p.revents & POLLHUP)) {
            n++;
            continue;
        }
        close_one(&all.set, n);
        all.set.events[n] = all.set.events[--events.count];
        all.set.ends[n] = all.set.ends[events.count];
        all.set.ids[n] = all.set.ids[events.count];
        periods_move(events.count, n);
    }
}

static void set_from(unsigned first, unsigned long request) {
    unsigned n;
    for (n = first; n < events.count; n++) {
        (void)ioctl(all.set.events[n], request, 0);
        if (all.set.ends[n] >= 0) (void)ioctl(all.set.ends[n], request, 0);
    }
}

/* Those of a process that cannot be looked at as a whole are closed. */
int events_open_more(long pid) {
    unsigned before;
    int why;
    close_those_over();
    before = events.count;
    why = open_threads(pid);
    while (why && events.count > before && !has_ring(all.set.events[events.count - 1])
           && !has_ring(all.set.ends[events.count - 1])) {
        close_one(&all.set, --events.count);
        periods_move(events.count, events.count);
    }
    if (all.is_apart) set_from(before, PERF_EVENT_IOC_ENABLE);
    return why;
}

void events_stop(void) {
    events.last_ns = events_now_ns();
    set_from(0, PERF_EVENT_IOC_DISABLE);
    if (events.beside) events.beside->stop();
}

/* Each costs an interrupt of the first thread, if that is running. */
void events_renew_periods(int of_all) {
    enum { AT_ONCE = 8 };
    static unsigned next;
    unsigned n, count = of_all || events.count < AT_ONCE ? events.count : AT_ONCE;
    for (n = 0; n < count; n++, next++) {
        uint64_t period = periods_next(next % events.count);
        (void)ioctl(all.set.events[next % events.count], PERF_EVENT_IOC_PERIOD, &period);
    }
}

/* A process, and `deep` levels of its children but those that have a number: these
   get events of their own. */
static int open_family(long pid, int deep) {
    char path[64];
    long child;
    FILE *file;
    int why = open_threads(pid);
    snprintf(path, sizeof path, "/proc/%ld/task/%ld/children", pid, pid);
    file = why == 0 && deep && !events.follows ? fopen(path, "r") : NULL;
    while (file && fscanf(file, "%ld", &child) == 1) {
        int failed = process_of((uint32_t)child) ? 0 : open_family(child, deep - 1);
        if (failed && failed != ESRCH) why = failed;
    }
    if (file) fclose(file);
    return why;
}

static int open_all_again(void) {
    enum { DEEP = 16 };
    uint32_t n, count = events.follows || events.is_shown ? process_count() : 1;
    int why = ESRCH, failed;
    for (n = 1; n <= count; n++) {
        if (process_at(n)->is_over) continue;
        failed = open_family(process_at(n)->pid, DEEP);
        if (failed && failed != ESRCH) return failed;
        if (!failed) why = 0;
    }
    return why;
}

static void close_set(event_set *s, unsigned count) {
    uint64_t value;
    unsigned n;
    for (n = 0; n < count; n++) {
        if (read(s->events[n], &value, sizeof value) == (ssize_t)sizeof value)
            all.closed_ns += value;
        close_one(s, n);
    }
    read_rings(s);
    unmap_rings(s);
}

/* When one thread gives its CPU to another that began with equal events, the kernel
   lets them change their timers instead of stopping and starting them. That makes
   switches of threads cheap, but the timers of which we set the period go to some
   short thread and end with it, and those that begin have the period for ever. So
   where threads are short each thread gets new events, of which we have the
   periods and that no other thread is given. */
void events_set_apart(void) {
    const unsigned count = events.count;
    event_set *before;
    if (all.is_apart) return;
    before = (event_set *)tool_alloc(sizeof *before);
    *before = all.set;
    memset(&all.set, 0, sizeof all.set);
    events.count = 0;
    all.is_apart = 1;
    if (open_all_again() != 0) {
        close_threads();
        all.set = *before;
        events.count = count;
        free(before);
        return;
    }
    set_from(0, PERF_EVENT_IOC_ENABLE);
    close_set(before, count);
    free(before);
}

uint64_t events_ns(void) {
    uint64_t sum = all.closed_ns, value;
    unsigned n;
    for (n = 0; n < events.count; n++) {
        if (read(all.set.events[n], &value, sizeof value) == (ssize_t)sizeof value) sum += value;
    }
    return sum;
}

/* ---- records ---- */

/* The words of a look: */
enum { LOOK_IP = 1, LOOK_THREAD, LOOK_TIME, LOOK_TIMER, LOOK_PERIOD,
       LOOK_ABI,                    /* of the registers: 2 for code of 64 bits, 0: there are none */
       LOOK_CX, LOOK_BP, LOOK_SP, LOOK_USER_IP,
       LOOK_BYTES,                  /* of the stack; behind these, how many of them are true */
       LOOK_PIECE };

static int has_registers(const uint64_t *words, size_t count) {
    return count >= LOOK_BYTES && words[LOOK_ABI];
}

/* Returns how many bytes of the stack the look has. room: with those that are not
   true. */
static uint64_t piece_of(const uint64_t *words, size_t count, uint64_t *room) {
    *room = 0;
    if (!events.stack_bytes || count <= LOOK_PIECE || words[LOOK_BYTES] / 8 >= count - LOOK_PIECE)
        return 0;
    *room = words[LOOK_BYTES];
    if (!*room || words[LOOK_PIECE + *room / 8] > *room) return *room;
    return words[LOOK_PIECE + *room / 8];
}

stack events_walk(const uint64_t *words, size_t count, uint32_t number) {
    registers at;
    uint64_t room, bytes = piece_of(words, count, &room);
    if (!has_registers(words, count)) return stack_unknown(number, 0);
    at.ip = words[LOOK_USER_IP];
    at.sp = words[LOOK_SP];
    at.bp = words[LOOK_BP];
    if (words[LOOK_ABI] != 2 || !events.stack_bytes) return stack_unknown(number, at.ip);
    return stack_walk(number, (uint32_t)(words[LOOK_THREAD] >> 32), &at, words + LOOK_PIECE,
                      bytes & ~7ull);
}

/* The number of the event whose timer it is; UINT_MAX: of none of ours. */
static unsigned own_event(uint64_t timer) {
    unsigned n;
    for (n = 0; n < events.count; n++) {
        if (all.set.ids[n] == timer) return n;
    }
    return UINT_MAX;
}

static void take_look(const uint64_t *words, size_t count, uint32_t misc) {
    uint32_t pid = (uint32_t)words[LOOK_THREAD], thread = (uint32_t)(words[LOOK_THREAD] >> 32);
    uint32_t number;
    unsigned own;
    stack s = {0, 0, 0};
    look l = {0, 0, 0, 0, 0, 1, 0};
    thread_time *t;
    int in_kernel = (misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL;
    l.thread = thread_of(pid, thread);
    t = thread_get(l.thread);
    l.ns = t->last_ns = words[LOOK_TIME];
    own = own_event(words[LOOK_TIMER]);
    l.worth = (float)periods_worth(words[LOOK_TIMER], own, words[LOOK_PERIOD], l.ns);
    l.period = own == UINT_MAX ? (uint32_t)words[LOOK_PERIOD] : 0;
    t->seen_ns += l.worth;
    number = t->process;
    if (!number) {
        looks_taken.children_ns += l.worth;
        return;
    }
    if (in_kernel) l.kernel = place_of(words[LOOK_IP], KERNEL_MAPPING);
    if (has_registers(words, count)) {
        if (!in_kernel && stack_is_back(number, words[LOOK_USER_IP], words[LOOK_CX]))
            l.kernel = place_of(KERNEL_LEAVES, KERNEL_MAPPING);
        s = events_walk(words, count, number);
    } else s = stack_unknown(number, in_kernel ? 0 : words[LOOK_IP]);
    l.place = s.place;
    l.callers = s.callers;
    looks_taken.cut += events.stack_bytes && s.is_cut;
    looks_add(&l);
}

/* A thread's counter on one CPU is over: so long it had run there. */
static void take_end(const uint64_t *words, size_t count) {
    thread_time *t;
    if (words[2]) periods_ended(words[2]);
    if (events.is_shown) return;
    t = thread_get(thread_of((uint32_t)words[1], (uint32_t)(words[1] >> 32)));
    t->ends++;
    t->last_ns = words[count - 1];
    t->ns += words[2];
}

static void take_record(const uint64_t *words, size_t count) {
    struct perf_event_header head;
    const char *name;
    memcpy(&head, words, sizeof head);
    switch (head.type) {
    case PERF_RECORD_LOST:
        if (count >= 3) looks_taken.lost += words[2];
        break;
    case PERF_RECORD_READ:
        if (count >= 5) take_end(words, count);
        break;
    case PERF_RECORD_MMAP2:                       /* it ends with who did it, and the time */
        name = (const char *)(words + 9);
        if (count >= 12 && memchr(name, 0, 8 * (count - 11)))
            process_maps((uint32_t)words[1], words[2], words[3], words[4], words[6], name);
        break;
    case PERF_RECORD_COMM:
        name = (const char *)(words + 2);
        if (count < 5 || !memchr(name, 0, 8 * (count - 4))) break;
        if (!(head.misc & COMM_EXEC)) {
            uint32_t thread = (uint32_t)(words[1] >> 32);
            thread_time *t = thread_get(thread_of((uint32_t)words[1], thread));
            snprintf(t->name, sizeof t->name, "%.15s", name);
            break;
        }
        if (events.is_started && !events.zero_ns) events.zero_ns = words[count - 1];
        process_becomes((uint32_t)words[1], name);
        break;
    case PERF_RECORD_FORK:
        if (count < 6) break;
        if ((uint32_t)words[1] != (uint32_t)(words[1] >> 32)) {
            events.begun++;
            process_forks((uint32_t)(words[1] >> 32), (uint32_t)words[1]);
        }
        if (!events.is_shown)
            thread_begins((uint32_t)words[1], (uint32_t)words[2], words[count - 1]);
        break;
    case PERF_RECORD_EXIT:
        if (count < 6 || (uint32_t)words[1] != (uint32_t)words[2]) break;
        events.ended += (uint32_t)words[1] != process_at(1)->pid;
        process_ends((uint32_t)words[1]);
        break;
    case PERF_RECORD_SAMPLE:
        if (count > LOOK_ABI) take_look(words, count, head.misc);
        break;
    default: break;
    }
}

/* ---- the queue ---- */

/* A look whose piece of the stack is full: what is beyond is read soon. */
static void look_beyond(const uint64_t *words, size_t count) {
    uint32_t number;
    uint64_t room, bytes = piece_of(words, count, &room);
    if (!bytes || bytes != room || words[LOOK_ABI] != 2) return;
    number = process_of((uint32_t)words[LOOK_THREAD]);
    if (number) stack_expect(number, (words[LOOK_SP] + bytes) & ~(uint64_t)7);
}

static uint64_t *room_for(size_t count) {
    if (all.word_count + count > all.word_room) {
        all.word_room = 2 * all.word_room + count + (1 << 16);
        all.words = (uint64_t *)tool_grow(all.words, all.word_room * sizeof *all.words);
    }
    return all.words + all.word_count;
}

/* One whose words are at room_for(count). */
static void add_record(const uint64_t *from, size_t count, int is_beside) {
    struct perf_event_header head;
    record *r;
    memcpy(&head, from, sizeof head);
    TOOL_ROOM(record, all.records, all.record_count, all.record_room);
    r = &all.records[all.record_count];
    r->at = all.word_count;
    r->order = all.record_count++;
    r->count = (uint32_t)count;
    r->is_beside = is_beside;
    r->time = 0;
    if (head.type == PERF_RECORD_SAMPLE && count > 3) {
        r->time = from[LOOK_TIME];
        look_beyond(from, count);
    }
    if (head.type == PERF_RECORD_MMAP2 && count >= 12 && memchr(from + 9, 0, 8 * (count - 11)))
        image_expect((uint32_t)from[1], from[2], from[3], from[6], (const char *)(from + 9));
    if (head.type != PERF_RECORD_SAMPLE && count > 3) { /* they end with the time and the timer */
        r->count--;
        r->time = from[r->count - 1];
    }
    all.word_count += count;
}

void events_add_record(const uint64_t *words, size_t count, int is_beside) {
    add_record((const uint64_t *)memcpy(room_for(count), words, count * sizeof *words), count,
               is_beside);
}

size_t events_read_ring(struct perf_event_mmap_page *ring, size_t bytes, int is_beside) {
    const char *data = (const char *)ring + PAGE;
    uint64_t head = __atomic_load_n(&ring->data_head, __ATOMIC_ACQUIRE), tail = ring->data_tail;
    size_t records = 0;
    while (tail < head) {
        struct perf_event_header h;
        size_t n;
        uint64_t *to;
        memcpy(&h, data + tail % bytes, sizeof h); /* 8 bytes, aligned: never cut */
        if (h.size < sizeof h) break;
        to = room_for(h.size / 8);
        for (n = 0; n < h.size / 8; n++) memcpy(&to[n], data + (tail + 8 * n) % bytes, 8);
        add_record(to, h.size / 8, is_beside);
        tail += h.size;
        records++;
    }
    __atomic_store_n(&ring->data_tail, tail, __ATOMIC_RELEASE);
    return records;
}

/* Can this be what the kernel says of a thread that ends? */
static int is_end(const uint64_t words[ENDS_WORDS]) {
    const uint64_t time = words[ENDS_WORDS - 2];
    const uint64_t passed = events_now_ns() - all.began_ns;
    return words[1] && words[1] == words[3] && words[2] <= passed
           && (!events.has_clock || time - all.began_ns <= passed);
}

/* Returns 0, or -1 where two CPUs have written at once. */
static int read_ends(struct perf_event_mmap_page *ring) {
    const char *data = (const char *)ring + PAGE;
    uint64_t head = __atomic_load_n(&ring->data_head, __ATOMIC_ACQUIRE), tail = ring->data_tail;
    uint64_t words[ENDS_WORDS];
    size_t n;
    for (; tail < head; tail += sizeof words) {
        struct perf_event_header h;
        for (n = 0; n < ENDS_WORDS; n++)
            memcpy(&words[n], data + (tail + 8 * n) % (ENDS_PAGES * PAGE), 8);
        memcpy(&h, words, sizeof h);
        if (h.size != sizeof words || head - tail < sizeof words) return -1;
        if (h.type == PERF_RECORD_LOST) continue;
        if (h.type != PERF_RECORD_READ || !is_end(words)) return -1;
        events_add_record(words, ENDS_WORDS, 0);
    }
    __atomic_store_n(&ring->data_tail, tail, __ATOMIC_RELEASE);
    return 0;
}

static void read_rings(event_set *s) {
    unsigned n;
    for (n = 0; n < s->ring_count; n++) {
        if (s->rings[n]) (void)events_read_ring(s->rings[n], s->ring_bytes[n], 0);
        if (s->ends_rings[n] && read_ends(s->ends_rings[n]) != 0) unmap_ends(s, n);
    }
}

static int by_time(const void *a, const void *b) {
    const record *x = (const record *)a, *y = (const record *)b;
    if (x->time != y->time) return x->time < y->time ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

/* What stays moves to the front. */
static void keep_from(size_t first) {
    size_t n, at = 0;
    uint64_t *words = NULL;
    for (n = first; n < all.record_count; n++) at += all.records[n].count;
    all.word_room = at + (1 << 16);
    words = (uint64_t *)tool_alloc(all.word_room * sizeof *words);
    for (n = first, at = 0; n < all.record_count; n++) {
        record *r = &all.records[n];
        memcpy(words + at, all.words + r->at, r->count * sizeof *words);
        r->at = at;
        at += r->count;
        r->order = n - first;
        all.records[n - first] = *r;
    }
    free(all.words);
    all.words = words;
    all.word_count = at;
    all.record_count -= first;
}

void events_read(int is_last) {
    uint64_t limit = is_last ? UINT64_MAX : all.latest;
    size_t n;
    stack_renew();
    read_rings(&all.set);
    if (events.beside) events.beside->read();
    if (!all.record_count) return;
    qsort(all.records, all.record_count, sizeof *all.records, by_time);
    all.latest = all.records[all.record_count - 1].time;
    if (all.latest > events.last_ns) events.last_ns = all.latest;
    for (n = 0; n < all.record_count && all.records[n].time <= limit; n++) {
        const record *r = &all.records[n];
        if (r->is_beside) events.beside->take(all.words + r->at, r->count);
        else take_record(all.words + r->at, r->count);
    }
    keep_from(n);
}
#endif
