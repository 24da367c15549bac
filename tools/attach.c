/* attach.c - time of a process that runs already, from outside: the kernel's
   task clock (perf_event_open) interrupts each of its threads so often in a
   second of CPU time, and notes where it was. Nothing of the process is
   changed or stopped; who stops us stops the looks.

       each CPU:  | ring | <- events of all threads and of those that they start

   A tick is one place in the code, and whether the kernel was at work for it.
   The ring gives only places; names are looked up when all is over, from the
   process's mappings (asked for each second, so that they are there when the
   process has ended), the symbols of their files or of debug files, and where
   these have none, from where .eh_frame_hdr says that functions start. Code of no file has its
   names in /tmp/perf-PID.map, which a JIT compiler writes if it is asked to.

   For callers the kernel copies a piece of the thread's stack with each tick.
   .eh_frame of the files says how to go through it, so that frame pointers are
   not needed. A stack is kept as the number of its innermost caller:

       callers: | 1: main, 0 | 2: run, 1 | 3: step, 2 | ...      each with the one around it

   Where the stack is deeper than the piece, or a place has no such rule (code
   made at run time, some assembler), the outer callers are missing. Their
   number is said.

   A program that is started to be looked at has all its threads seen from their
   first instruction on. The kernel looks at the end of each period of a thread,
   so that what is left of one at the thread's end is in no look. But it says how
   much CPU time each thread had. So there are more looks than ticks, and ticks
   are drawn from them when all is over, at random places of the CPU time:

       CPU time:   | thread 1              | 2    | 3  | 4      |
       ticks:        x    x   x   x     x    x    x   x    x   x     one in each cell
       looks:      . . . . . . . . . . . . .  . .  . .    . . .

   Each takes the look of its thread that is as far from the beginning. What
   short threads had is as likely to be met as all else, and no program can keep
   step. */
#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE 1
#endif
#include "attach.h"
#include "base/tool.h"

/* The kernel's headers need not be there beside another C library's. */
#if defined(__linux__) && defined(__x86_64__) && defined(__GNUC__) && !defined(__TINYC__)
#if !defined(__has_include)
#define CAN_ATTACH
#elif __has_include(<linux/perf_event.h>)
#define CAN_ATTACH
#endif
#endif

#ifdef CAN_ATTACH
#define SAMPLED_PATHS_BITS 15
#include "../record/core/sampled.c" /* the writer of ticks, which the recorder has, too */
#include "base/debugfile.h"
#include "base/hash.h"
#include "base/save.h"
#include "base/symbols.h"
#include "base/unwind.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { RING_PAGES = 128, RING_PAGES_MOST = 512, PAGE = 4096, STACK_MOST = 16384, STACK_LEAST = 512,
       MOST_CALLERS = 1 << 21, MOST_TICKS = 1 << 22, NAMES = 1 << 15, MAPPINGS = 1 << 12 };

typedef struct look {               /* one tick */
    uint64_t pc;                    /* of the program; 0: not known */
    uint32_t callers;               /* the number of the innermost one; 0: none is known */
    uint32_t thread;                /* the number of its thread_time; 0: nobody asks */
    int in_kernel;
} look;

typedef struct thread_time {        /* of a program that was started */
    uint32_t thread;
    unsigned ends;                  /* CPUs whose event has said that the thread is over */
    int is_ours;                    /* and no child's */
    uint64_t looks, ns;             /* ns: what these events said */
} thread_time;

typedef struct caller {
    uint64_t pc;                    /* in the instruction that called */
    uint32_t around, key;
} caller;

typedef struct image {              /* a file, or the code of none */
    elf_file elf;
    int has_file;                   /* and its names have not been read */
    unwind_file unwind;
    char path[4096];
    symbols names;
    uint64_t loads[16][3];          /* offset, size, address */
    unsigned load_count;
    uint32_t rest;                  /* the key of what no function holds */
} image;

typedef struct mapping {
    uint64_t lo, hi, offset;
    image *file;
} mapping;

static const char VDSO[] = "[vdso]";

static struct {
    long pid;
    char program[64];
    uid_t owner;
    int events[1 << 14];
    unsigned event_count;
    struct perf_event_mmap_page *rings[1024];
    int ring_of[1024];
    size_t ring_bytes[1024];        /* without the page in front */
    unsigned ring_count;
    look *looks;
    size_t look_count, look_room;
    uint64_t lost, unwanted;
    unsigned stack_bytes;           /* that come with a tick; 0: no callers are wanted, or had */
    caller *callers;                /* by number - 1 */
    uint32_t caller_count, caller_room;
    hash_table caller_index;
    uint64_t cut;                   /* ticks of which outer callers are missing */
    int is_read;                    /* the mappings, since the rings were looked at */
    mapping *mappings;
    size_t mapping_count, mapping_room;
    image **images;
    size_t image_count;
    image *made;                    /* code of no file */
    char **names;                   /* by key - 1 */
    char **places;                  /* the same: a file, a tab, an address; or NULL */
    uint32_t name_count;
    int no_kernel;
    int is_started;                 /* by us, and the events begin with its exec */
    uint64_t period;                /* ns between two looks */
    uint64_t random;
    uint32_t one_of, skipped;       /* of so many looks one is kept, for there is no more room */
    thread_time *threads;
    uint32_t thread_count, thread_room;
    hash_table thread_index;        /* the latest one of each number */
    uint64_t ended_ns;              /* all that threads and children said when they ended */
} at;

static volatile sig_atomic_t stopped;

static void stop(int number) {
    (void)number;
    stopped = 1;
}

/* ---- ticks ---- */

/* Numbers of the kernel's asm/perf_regs.h. In a record they stand in this order. */
enum { REGISTER_BP = 6, REGISTER_SP = 7, REGISTER_IP = 8 };

static int open_event(pid_t thread, int cpu) {
    struct perf_event_attr a;
    memset(&a, 0, sizeof a);
    a.type = PERF_TYPE_SOFTWARE;
    a.size = sizeof a;
    a.config = PERF_COUNT_SW_TASK_CLOCK;
    a.sample_period = at.period;
    a.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID;
    if (at.stack_bytes) {
        a.sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
        a.sample_regs_user = 1 << REGISTER_BP | 1 << REGISTER_SP | 1 << REGISTER_IP;
        a.sample_stack_user = at.stack_bytes;
    } else {
        a.sample_type |= PERF_SAMPLE_CALLCHAIN;
        a.sample_max_stack = 1;
    }
    a.inherit = 1;
    if (at.is_started) a.disabled = a.enable_on_exec = a.mmap = a.inherit_stat = 1;
    a.exclude_callchain_kernel = 1;
    a.exclude_kernel = at.no_kernel != 0;
    a.exclude_hv = 1;
    a.watermark = 0;
    a.wakeup_events = 32;
    return (int)syscall(SYS_perf_event_open, &a, thread, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

static int refuse(long pid, int why) {
    char setting[64] = "";
    FILE *file;
    if (why == ESRCH) return tool_error("there is no process %ld", pid);
    if (why == EACCES || why == EPERM) {
        file = fopen("/proc/sys/kernel/perf_event_paranoid", "r");
        if (file && !fgets(setting, sizeof setting, file)) setting[0] = 0;
        if (file) fclose(file);
        setting[strcspn(setting, "\n")] = 0;
        if (at.is_started)
            return tool_error("a program may not be looked at from outside, for "
                              "kernel.perf_event_paranoid is too high (%s); without --outside a "
                              "recorder is preloaded", *setting ? setting : "not known");
        return tool_error("process %ld may not be looked at: it belongs to somebody else, or "
                          "kernel.perf_event_paranoid is too high (%s, 2 or less lets you see your "
                          "own); root may always",
                          pid, *setting ? setting : "not known");
    }
    if (at.is_started)
        return tool_error("a program cannot be looked at from outside: %s; without --outside a "
                          "recorder is preloaded", strerror(why));
    if (why == ENOSYS || why == ENOENT || why == EOPNOTSUPP)
        return tool_error("this system has no perf_event_open, which -p needs; bursty record "
                          "PROGRAM works without it");
    return tool_error("process %ld: %s", pid, strerror(why));
}

/* The system may not hand out so much memory. Returns 0 or errno. */
static int open_ring(int cpu, int event) {
    size_t pages = at.stack_bytes ? RING_PAGES_MOST : RING_PAGES;
    void *ring = MAP_FAILED;
    for (; pages >= RING_PAGES && ring == MAP_FAILED; pages /= 2) {
        ring = mmap(NULL, (pages + 1) * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, event, 0);
        if (ring != MAP_FAILED) at.ring_bytes[cpu] = pages * PAGE;
    }
    if (ring == MAP_FAILED) return errno;
    at.rings[cpu] = (struct perf_event_mmap_page *)ring;
    return 0;
}

/* The events of one thread, one a CPU. Returns 0 or errno. */
static int open_thread(pid_t thread) {
    long cpus = sysconf(_SC_NPROCESSORS_CONF);
    int cpu, any = 0, why = ESRCH;
    for (cpu = 0; cpu < cpus && cpu < 1024; cpu++) {
        int event = open_event(thread, cpu);
        if (event < 0 && (errno == EACCES || errno == EPERM) && !at.no_kernel) {
            at.no_kernel = 1;
            event = open_event(thread, cpu);
        }
        if (event < 0) {
            why = errno;
            if (why == ENODEV) continue;          /* this CPU is not there */
            return why;
        }
        if (at.event_count == sizeof at.events / sizeof *at.events) {
            close(event);
            return EMFILE;
        }
        at.events[at.event_count++] = event;
        if (at.rings[cpu]) {
            if (ioctl(event, PERF_EVENT_IOC_SET_OUTPUT, at.ring_of[cpu]) != 0) return errno;
        } else {
            int failed = open_ring(cpu, event);
            if (failed) return failed;
            at.ring_of[cpu] = event;
            if ((unsigned)cpu + 1 > at.ring_count) at.ring_count = (unsigned)cpu + 1;
        }
        any = 1;
    }
    return any ? 0 : why;
}

/* Threads that these start are seen, too, for events are inherited. */
static int open_threads(long pid) {
    char path[64];
    struct dirent *e;
    struct rlimit files;
    DIR *folder;
    int why = ESRCH, any = 0;
    if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
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

static void close_threads(void) {
    unsigned n;
    for (n = 0; n < at.ring_count; n++) {
        if (at.rings[n]) munmap(at.rings[n], at.ring_bytes[n] + PAGE);
        at.rings[n] = NULL;
    }
    for (n = 0; n < at.event_count; n++) close(at.events[n]);
    at.event_count = at.ring_count = 0;
}

/* A quarter of a second fits into a ring, for rings are read more often; those
   of a program that was started so often that 20 ms do. A system that hands out
   no stacks, or not so much memory, gives ticks without callers. */
static int open_all(long pid, unsigned ticks, int with_callers) {
    unsigned bytes = with_callers ? STACK_MOST : 0, kept = ticks / 8 + 1;
    int why;
    at.period = 1000000000 / ticks;
    if (at.is_started) kept = ticks / 50 + 1;
    while (bytes > STACK_LEAST && bytes > (RING_PAGES * PAGE) / kept) bytes /= 2;
    at.stack_bytes = bytes;
    why = open_threads(pid);
    if (!why || !bytes || why == ESRCH || why == EACCES) return why;
    close_threads();
    at.stack_bytes = 0;
    return open_threads(pid);
}

/* Which looks stay has nothing to do with where they were. */
static void drop_half(void) {
    size_t n;
    for (n = 0; 2 * n + 1 < at.look_count; n++) at.looks[n] = at.looks[2 * n + 1];
    at.look_count = n;
    at.one_of *= 2;
}

static void take_tick(uint64_t pc, uint32_t callers, uint32_t thread, int in_kernel) {
    if (at.is_started) {
        if (++at.skipped < at.one_of) return;
        at.skipped = 0;
        if (at.look_count >= MOST_TICKS) drop_half();
    }
    if (at.look_count == at.look_room) {
        size_t room = at.look_room ? 2 * at.look_room : 4096;
        if (at.look_count >= MOST_TICKS) {
            at.lost++;
            return;
        }
        at.looks = (look *)tool_grow(at.looks, room * sizeof *at.looks);
        at.look_room = room;
    }
    at.looks[at.look_count].pc = pc;
    at.looks[at.look_count].callers = callers;
    at.looks[at.look_count].thread = thread;
    at.looks[at.look_count++].in_kernel = in_kernel;
}

/* ---- callers ---- */

static const mapping *mapping_at(uint64_t pc) {
    size_t n;
    for (n = at.mapping_count; n > 0; n--) {
        const mapping *m = &at.mappings[n - 1];
        if (pc >= m->lo && pc < m->hi) return m;
    }
    return NULL;
}

/* The address of a place as its file counts. Returns 0, or -1. */
static int address_in(const mapping *m, uint64_t pc, uint64_t *address) {
    uint64_t offset = pc - m->lo + m->offset;
    unsigned k;
    for (k = 0; k < m->file->load_count; k++) {
        const uint64_t *load = m->file->loads[k];
        if (offset - load[0] >= load[1]) continue;
        *address = offset - load[0] + load[2];
        return 0;
    }
    return -1;
}

static int is_caller(const void *owner, uint32_t number, const void *key) {
    const caller *a = &((const caller *)owner)[number - 1], *b = (const caller *)key;
    return a->pc == b->pc && a->around == b->around;
}

/* The number of a caller, made at first sight; 0: there is no room. */
static uint32_t number_of(uint64_t pc, uint32_t around) {
    caller c = {pc, around, 0};
    uint32_t *place;
    if (at.caller_count == MOST_CALLERS) return 0;
    if (at.caller_count == at.caller_room) {
        at.caller_room = at.caller_room ? 2 * at.caller_room : 1024;
        at.callers = (caller *)tool_grow(at.callers, at.caller_room * sizeof *at.callers);
    }
    place = hash_place(&at.caller_index, hash_numbers(pc, around), is_caller, at.callers, &c);
    if (!*place) {
        at.callers[at.caller_count] = c;
        *place = ++at.caller_count;
    }
    return *place;
}

static void read_mappings(void);

/* Stands for the callers that a stack did not show: no code is there. */
enum { BEYOND = 1 };

static uint32_t not_known(void) {
    at.cut++;
    return number_of(BEYOND, 0);
}

/* The callers of a place. stack: the piece of the stack from sp on. */
static uint32_t callers_of(uint64_t pc, uint64_t sp, uint64_t bp, const uint64_t *stack,
                           uint64_t bytes) {
    uint64_t pcs[SAMPLED_DEEP - 2], base = sp, address;
    uint32_t count = 0, number = 0;
    int status = UNWIND_UNKNOWN;
    while (count < sizeof pcs / sizeof *pcs) {
        const mapping *m = mapping_at(pc);
        unwind_rule rule;
        uint64_t cfa, saved;
        if (!m && !at.is_read) {                  /* a library that has just been loaded */
            at.is_read = 1;
            read_mappings();
            m = mapping_at(pc);
        }
        if (!m || address_in(m, pc, &address) != 0) break;
        status = unwind_find(&m->file->unwind, address, &rule);
        if (status != UNWIND_FOUND) break;
        status = UNWIND_UNKNOWN;
        cfa = (rule.reg == 6 ? bp : sp) + (uint64_t)(int64_t)rule.offset;
        saved = cfa + (uint64_t)(int64_t)rule.rbp;
        if (cfa & 7 || cfa <= sp || cfa - base < 8 || cfa - base > bytes) break;
        if (rule.rbp_saved
            && (saved & 7 || saved - base > bytes || bytes - (saved - base) < 8))
            break;
        pc = stack[(cfa - 8 - base) / 8] - 1;     /* in the call */
        if (rule.rbp_saved) bp = stack[(saved - base) / 8];
        sp = cfa;
        if (!mapping_at(pc)) break;
        pcs[count++] = pc;
    }
    if (status != UNWIND_OUTERMOST) number = not_known();
    while (count) {
        uint32_t inner = number_of(pcs[--count], number);
        if (!inner) break;
        number = inner;
    }
    return number;
}

/* ---- rings ---- */

static int is_thread(const void *owner, uint32_t number, const void *key) {
    return ((const thread_time *)owner)[number - 1].thread == *(const uint32_t *)key;
}

/* The number of a thread that has not ended. Numbers of ended ones come back. */
static uint32_t thread_of(uint32_t pid, uint32_t thread) {
    uint32_t *place = hash_place(&at.thread_index, hash_numbers(thread, 0), is_thread, at.threads,
                                 &thread);
    thread_time *t;
    if (*place && at.threads[*place - 1].ends < at.event_count) return *place;
    if (at.thread_count == at.thread_room) {
        at.thread_room = at.thread_room ? 2 * at.thread_room : 256;
        at.threads = (thread_time *)tool_grow(at.threads, at.thread_room * sizeof *at.threads);
    }
    t = &at.threads[at.thread_count++];
    memset(t, 0, sizeof *t);
    t->thread = thread;
    t->is_ours = pid == (uint32_t)at.pid;
    return *place = at.thread_count;
}

/* A thread's event on one CPU is over: so long it had run there. */
static void take_end(const uint64_t *words) {
    uint32_t number = thread_of((uint32_t)words[1], (uint32_t)(words[1] >> 32));
    at.threads[number - 1].ends++;
    at.threads[number - 1].ns += words[2];
    at.ended_ns += words[2];
}

static void add_mapping(uint64_t lo, uint64_t hi, uint64_t offset, const char *path);

/* Code that the program maps. It may have ended before somebody can ask. */
static void take_mapping(const uint64_t *words, size_t count) {
    const char *path = (const char *)(words + 5);
    if (count < 6 || (uint32_t)words[1] != (uint32_t)at.pid) return;
    if (memchr(path, 0, 8 * (count - 5)))
        add_mapping(words[2], words[2] + words[3], words[4], path);
}

/* A record of a ring, put together where it goes round the end. */
static void take_record(const uint64_t *words, size_t count) {
    struct perf_event_header head;
    size_t n, chain;
    uint64_t pc = 0, bytes;
    uint32_t callers = 0, thread = 0;
    int in_kernel;
    memcpy(&head, words, sizeof head);
    if (head.type == PERF_RECORD_LOST && count >= 3) at.lost += words[2];
    if (head.type == PERF_RECORD_READ && count >= 3 && at.is_started) take_end(words);
    if (head.type != PERF_RECORD_SAMPLE || count < 4) return;
    if (at.is_started) {
        thread = thread_of((uint32_t)words[2], (uint32_t)(words[2] >> 32));
        at.threads[thread - 1].looks++;
    }
    in_kernel = (head.misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL;
    if ((uint32_t)words[2] != (uint32_t)at.pid) { /* a child of its own */
        at.unwanted++;
        return;
    }
    if (!at.stack_bytes) {
        chain = words[3] < count - 4 ? (size_t)words[3] : count - 4;
        for (n = 0; n < chain && in_kernel; n++) {
            if (words[4 + n] < (uint64_t)-4095) pc = words[4 + n];
            if (pc) break;
        }
        if (!in_kernel) pc = words[1];
    } else if (words[3] && count >= 8) {          /* bp, sp, ip, size of the piece, the piece */
        pc = words[6];
        bytes = words[7];
        if (bytes && count >= 9 && bytes / 8 <= count - 9) {
            if (words[8 + bytes / 8] < bytes) bytes = words[8 + bytes / 8]; /* so many are true */
        } else bytes = 0;
        if (words[3] == 2) callers = callers_of(pc, words[5], words[4], words + 8, bytes & ~7ull);
        else callers = not_known();
    } else callers = not_known();
    take_tick(pc, callers, thread, in_kernel);
}

/* Mappings are taken from all rings first: a thread on another CPU may be in
   their code already. */
static void read_ring(struct perf_event_mmap_page *ring, size_t all, int mappings) {
    static uint64_t words[8192];
    const char *data = (const char *)ring + PAGE;
    uint64_t head = __atomic_load_n(&ring->data_head, __ATOMIC_ACQUIRE), tail = ring->data_tail;
    while (tail < head) {
        struct perf_event_header h;
        size_t n;
        memcpy(&h, data + tail % all, sizeof h);  /* 8 bytes, aligned: never cut */
        if (h.size < sizeof h) break;
        for (n = 0; n < h.size / 8 && (!mappings || h.type == PERF_RECORD_MMAP); n++)
            memcpy(&words[n], data + (tail + 8 * n) % all, 8);
        if (!mappings) take_record(words, h.size / 8);
        else if (h.type == PERF_RECORD_MMAP) take_mapping(words, h.size / 8);
        tail += h.size;
    }
    if (mappings) return;
    __atomic_store_n(&ring->data_tail, tail, __ATOMIC_RELEASE);
}

static void read_rings(void) {
    unsigned n;
    at.is_read = 0;
    for (n = 0; n < at.ring_count && at.is_started; n++) {
        if (at.rings[n]) read_ring(at.rings[n], at.ring_bytes[n], 1);
    }
    for (n = 0; n < at.ring_count; n++) {
        if (at.rings[n]) read_ring(at.rings[n], at.ring_bytes[n], 0);
    }
}

/* ---- files ---- */

/* The kernel's own code for programs is the same in all processes of 64 bits. */
static const unsigned char *map_vdso(size_t *size) {
    char line[5000];
    unsigned long long lo, hi;
    const unsigned char *data = NULL;
    FILE *file = fopen("/proc/self/maps", "r");
    while (file && !data && fgets(line, sizeof line, file)) {
        if (!strstr(line, "[vdso]") || sscanf(line, "%llx-%llx", &lo, &hi) != 2) continue;
        data = (const unsigned char *)(uintptr_t)lo;
        *size = (size_t)(hi - lo);
    }
    if (file) fclose(file);
    return data;
}

/* The file stays mapped: names point into it. */
static void open_image(image *m) {
    char path[4200];
    const unsigned char *data;
    size_t size = 0;
    dump_fault fault;
    uint64_t n;
    /* As the process sees it: it may have another root. */
    snprintf(path, sizeof path, "/proc/%ld/root%s", at.pid, m->path);
    data = m->path[0] == '[' ? map_vdso(&size) : debugfile_map(path, &size);
    if (!data) data = debugfile_map(m->path, &size);
    if (!data || !elf_is(data, size) || elf_begin(&m->elf, data, size, &fault) != 0
        || !m->elf.is_64)
        return;
    for (n = 0; n < m->elf.segment_count && m->load_count < 16; n++) {
        size_t header = (size_t)(m->elf.segments + n * m->elf.segment_bytes);
        if (!elf_holds(&m->elf, header, 56) || elf_number(&m->elf, header, 4) != ELF_LOAD) continue;
        m->loads[m->load_count][0] = elf_number(&m->elf, header + 8, 8);
        m->loads[m->load_count][1] = elf_number(&m->elf, header + 32, 8);
        m->loads[m->load_count++][2] = elf_number(&m->elf, header + 16, 8);
    }
    unwind_begin(&m->unwind, &m->elf);
    unwind_index(&m->unwind, &m->elf);
    m->has_file = 1;
}

/* Only when a name is asked for: large debug files take their time, and in it
   rings would run over. */
static void read_names(image *m) {
    char root[64];
    if (!m->has_file) return;
    m->has_file = 0;
    snprintf(root, sizeof root, "/proc/%ld/root", at.pid);
    symbols_read(&m->names, &m->elf, m->path, root);
}

static image *image_of(const char *path) {
    image *m;
    size_t n;
    for (n = 0; n < at.image_count; n++) {
        if (!strcmp(at.images[n]->path, path)) return at.images[n];
    }
    m = (image *)tool_alloc(sizeof *m);
    memset(m, 0, sizeof *m);
    snprintf(m->path, sizeof m->path, "%s", path);
    at.images = (image **)tool_grow(at.images, (at.image_count + 1) * sizeof *at.images);
    at.images[at.image_count++] = m;
    if (path[0] == '/' || !strcmp(path, VDSO)) open_image(m);
    return m;
}

/* The name that the process has now: it may have become another program. One
   that has ended keeps its last one. Returns 0 if there is no process. */
static int read_program(void) {
    char path[64], name[64];
    struct stat owner;
    FILE *file;
    snprintf(path, sizeof path, "/proc/%ld/comm", at.pid);
    file = fopen(path, "r");
    if (!file) return 0;
    if (fgets(name, sizeof name, file) && name[strcspn(name, "\n")]) {
        name[strcspn(name, "\n")] = 0;
        if (*name) snprintf(at.program, sizeof at.program, "%s", name);
    }
    at.owner = fstat(fileno(file), &owner) == 0 ? owner.st_uid : geteuid();
    fclose(file);
    return 1;
}

/* What was there before stays known: a later mapping of the same place comes
   behind and wins. */
static void add_mapping(uint64_t lo, uint64_t hi, uint64_t offset, const char *path) {
    const mapping *known;
    mapping *m;
    if (!strcmp(path, VDSO) && hi >> 32 == 0) path = "[vdso of 32 bits]";
    if (path[0] != '/' ? path[0] != '[' || strncmp(path + 1, VDSO + 1, 4) != 0
                       : !strncmp(path, "/memfd:", 7) || !strncmp(path, "//", 2))
        path = "";                                /* code of no file, whatever it is called */
    known = mapping_at(lo);
    if (known && known->lo == lo && known->hi == hi && known->offset == offset
        && !strcmp(known->file->path, path))
        return;
    if (at.mapping_count == at.mapping_room) {
        at.mapping_room = at.mapping_room ? 2 * at.mapping_room : 64;
        at.mappings = (mapping *)tool_grow(at.mappings, at.mapping_room * sizeof *at.mappings);
    }
    m = &at.mappings[at.mapping_count++];
    m->lo = lo;
    m->hi = hi;
    m->offset = offset;
    m->file = image_of(path);
}

/* The code that the process has mapped. */
static void read_mappings(void) {
    char path[64], line[5000];
    FILE *file;
    snprintf(path, sizeof path, "/proc/%ld/maps", at.pid);
    file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file)) {
        unsigned long long lo, hi, offset;
        char rights[8];
        int from = 0;
        if (sscanf(line, "%llx-%llx %7s %llx %*s %*s %n", &lo, &hi, rights, &offset, &from) != 4)
            continue;
        if (!from || rights[2] != 'x') continue;
        line[strcspn(line, "\n")] = 0;
        add_mapping(lo, hi, offset, line + from);
    }
    if (file) fclose(file);
}

/* ---- names ---- */

static uint32_t new_key(const char *name) {
    uint32_t n;
    if (at.name_count >= NAMES) name = "(more functions)";
    for (n = 0; n < at.name_count; n++) {
        if (!strcmp(at.names[n], name)) return n + 1;
    }
    at.names = (char **)tool_grow(at.names, (at.name_count + 1) * sizeof *at.names);
    at.names[at.name_count] = strdup(name);
    at.places = (char **)tool_grow(at.places, (at.name_count + 1) * sizeof *at.places);
    at.places[at.name_count] = NULL;
    return ++at.name_count;
}

static const char *name_of(void *user, uint32_t key) {
    (void)user;
    return key && key <= at.name_count ? at.names[key - 1] : NULL;
}

static const char *place_of(void *user, uint32_t key) {
    (void)user;
    return key && key <= at.name_count ? at.places[key - 1] : NULL;
}

static const char *short_path(const char *path) {
    return strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
}

static int is_made(const image *m) { return m->path[0] != '/' && m->path[0] != '['; }

static uint32_t key_at(image *m, uint64_t address) {
    char name[4200];
    symbol *f;
    read_names(m);
    f = symbols_at(&m->names, address);
    if (!f) {
        if (is_made(m)) snprintf(name, sizeof name, "(code made at run time)");
        else snprintf(name, sizeof name, "(%s)", short_path(m->path));
        if (!m->rest) m->rest = new_key(name);
        return m->rest;
    }
    if (f->user) return f->user;
    if (f->name) {
        size_t size = symbols_length(&m->names, f);
        snprintf(name, sizeof name, "%.*s", (int)(size < 4000 ? size : 4000), f->name);
    } else
        snprintf(name, sizeof name, "%.4000s+0x%llx", short_path(m->path),
                 (unsigned long long)f->start);
    f->user = new_key(name);
    if (m->path[0] == '/' && !at.places[f->user - 1]) {
        snprintf(name, sizeof name, "%.4096s\t%llx", m->path, (unsigned long long)f->start);
        at.places[f->user - 1] = strdup(name);
    }
    return f->user;
}

/* 0: the place is in no code that is known. */
static uint32_t key_of(uint64_t pc) {
    const mapping *m = mapping_at(pc);
    uint64_t address = 0;
    if (!m) return 0;
    if (is_made(m->file)) return key_at(m->file, pc);
    (void)address_in(m, pc, &address);
    return key_at(m->file, address);
}

/* ---- all of it ---- */

static int add_bytes(void *user, const void *data, size_t size) {
    text_bytes((text *)user, data, size);
    return 0;
}

static sampled_ticks written;

static void write_tick(const look *l) {
    static uint32_t kernel;
    uint32_t keys[SAMPLED_DEEP], count = 0, key = l->pc ? key_of(l->pc) : 0, number = l->callers;
    if (l->in_kernel && !kernel) kernel = new_key("(kernel)");
    if (l->in_kernel) keys[count++] = kernel;
    if (key) keys[count++] = key;
    for (; number && count < SAMPLED_DEEP; number = at.callers[number - 1].around) {
        caller *c = &at.callers[number - 1];
        if (!c->key) c->key = c->pc == BEYOND ? (uint32_t)SAMPLED_BEYOND : key_of(c->pc);
        if (c->key) keys[count++] = c->key;
    }
    sampled_tick(&written, keys, count, 1, 0);
}

static int write_file(const attach_options *o, const char *program) {
    const sampled_ticks *all = &written;
    sampled_profile about;
    text t = {NULL, 0, 0};
    save s;
    int status;
    memset(&about, 0, sizeof about);
    about.program = program;
    about.name = name_of;
    about.from_outside = 1;
    about.place = at.is_started ? place_of : NULL;
    (void)sampled_write_ticks(&about, 1000000 / o->ticks, &all, 1, at.lost, add_bytes, &t);
    status = save_open(&s, o->out, NULL, 0, 1);
    if (status == TOOL_OK) status = save_close(&s, &t);
    text_free(&t);
    return status;
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* A process that has ended may stay a zombie until somebody asks for its status.
   One whose first thread alone has ended goes on. */
static int is_alive(void) {
    char path[64], line[1024];
    const char *behind;
    char state = 'Z';
    long threads = 1;
    FILE *file;
    snprintf(path, sizeof path, "/proc/%ld/stat", at.pid);
    file = fopen(path, "r");
    if (!file) return 0;
    if (fgets(line, sizeof line, file) && (behind = strrchr(line, ')')) != NULL)
        (void)sscanf(behind + 1, " %c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s "
                                 "%*s %ld", &state, &threads);
    fclose(file);
    return (state != 'Z' && state != 'X') || threads > 1;
}

/* Until the time is over, the process ends or somebody stops us. */
static void watch(unsigned seconds) {
    double end = now() + seconds, next = 0;
    while (!stopped && now() < end) {
        struct timespec pause = {0, 50000000};
        if (now() >= next) {
            (void)read_program();
            read_mappings();
            next = now() + 1;
        }
        nanosleep(&pause, NULL);
        read_rings();
        if (!is_alive()) break;
    }
}

static int made_at_run_time(void) {
    size_t n;
    for (n = 0; n < at.look_count; n++) {
        const mapping *m = mapping_at(at.looks[n].pc);
        if (m && is_made(m->file)) return 1;
    }
    return 0;
}

static int begin_looking(long pid, unsigned ticks, int with_callers) {
    struct sigaction action;
    int why;
    at.pid = pid;
    if (!read_program()) return refuse(pid, ESRCH);
    memset(&action, 0, sizeof action);
    action.sa_handler = stop;
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    why = open_all(pid, ticks, with_callers);
    if (why) return refuse(pid, why);
    at.made = image_of("");
    return TOOL_OK;
}

int attach_open(long pid, unsigned ticks) { return begin_looking(pid, ticks, 0); }

int attach_poll(void) {
    read_rings();
    return !stopped && is_alive();
}

int attach_is_stopped(void) { return stopped != 0; }

void attach_take(void (*each)(void *user, uint32_t key), void *user) {
    size_t n;
    int tries = 0;
    (void)read_program();
    if (at.mapping_count > MAPPINGS) at.mapping_count = 0;   /* those of long ago */
    read_mappings();
    for (n = 0; n < at.look_count; n++) {
        const look *l = &at.looks[n];
        uint32_t key = l->in_kernel ? new_key("(kernel)") : l->pc ? key_of(l->pc) : 0;
        if (key && key == at.made->rest && !tries++) {       /* may be named by now */
            symbols_free(&at.made->names);
            (void)symbols_read_map(&at.made->names, at.pid, at.owner, 0);
            key = key_of(l->pc);
        }
        each(user, key ? key : new_key("(outside)"));
    }
    at.look_count = 0;
}

const char *attach_name(uint32_t key) { return name_of(NULL, key); }

void attach_about(attach_state *s) {
    s->program = at.program;
    s->lost = at.lost;
    s->of_children = at.unwanted;
    s->has_kernel = !at.no_kernel;
}

static void say_what_is_missing(const attach_options *o) {
    enum { CUT_WORTH = 5 };         /* percent */
    uint64_t looks = at.look_count * (uint64_t)(at.one_of ? at.one_of : 1);
    if (o->quiet) return;
    if (made_at_run_time() && !at.made->names.functions.count)
        tool_error("the process runs code that it made itself, and no /tmp/perf-%ld.map names it: "
                   "node --perf-basic-prof, or an agent of java's, writes one", o->pid);
    if (at.cut * 100 > looks * CUT_WORTH)
        tool_error("%.0f %% of the ticks have only their inner callers: the stack was deeper than "
                   "%u bytes, or code has no unwind information",
                   100 * (double)at.cut / (double)looks, at.stack_bytes);
    if (!at.stack_bytes) tool_error("callers are not known: the system hands out no stacks");
    if (at.no_kernel)
        tool_error("time in the kernel is not seen: kernel.perf_event_paranoid is above 1");
}

int attach_run(const attach_options *o) {
    unsigned n;
    size_t k;
    int status = begin_looking(o->pid, o->ticks, 1);
    if (status != TOOL_OK) return status;
    watch(o->seconds);
    for (n = 0; n < at.event_count; n++) (void)ioctl(at.events[n], PERF_EVENT_IOC_DISABLE, 0);
    read_rings();
    (void)read_program();
    read_mappings();
    (void)symbols_read_map(&at.made->names, at.pid, at.owner, 0);
    if (!at.look_count)
        return tool_error("process %ld used no CPU time in that time, so that nothing is written",
                          o->pid);
    say_what_is_missing(o);
    for (k = 0; k < at.look_count; k++) write_tick(&at.looks[k]);
    return write_file(o, at.program);
}

/* ---- a program that is started ---- */

enum { LOOKS_LEAST = 2000 };        /* in a second; and two for each tick */

/* From 0 up to 1. */
static double draw(void) {
    at.random ^= at.random << 13;
    at.random ^= at.random >> 7;
    at.random ^= at.random << 17;
    return (double)(at.random >> 11) / 9007199254740992.0;
}

/* A length that no program can know, within a twentieth of the one that is
   wanted: what keeps step with it for a second does not in the next. */
static uint64_t draw_period(uint64_t wanted) {
    return (uint64_t)((double)wanted * (.95 + .1 * draw()));
}

int attach_begin(const attach_options *o) {
    unsigned looks = o->ticks * 2 > LOOKS_LEAST ? o->ticks * 2 : LOOKS_LEAST;
    struct timespec t;
    int why;
    at.pid = o->pid;
    at.owner = geteuid();
    at.is_started = 1;
    at.one_of = 1;
    clock_gettime(CLOCK_REALTIME, &t);
    at.random = ((uint64_t)t.tv_sec << 30 ^ (uint64_t)t.tv_nsec ^ (uint64_t)o->pid << 40) | 1;
    for (why = 0; why < 16; why++) (void)draw();
    why = open_all(o->pid, looks, 1);
    if (why) return refuse(o->pid, why);
    at.made = image_of("");
    (void)thread_of((uint32_t)o->pid, (uint32_t)o->pid);
    return TOOL_OK;
}

/* Which file the program is now: a script is its interpreter, and a program that
   becomes another one has that one's name. */
static void read_file_name(void) {
    char link[64], path[4200];
    const char *name;
    ssize_t size;
    snprintf(link, sizeof link, "/proc/%ld/exe", at.pid);
    size = readlink(link, path, sizeof path - 1);
    if (size <= 0) return;
    path[size] = 0;
    name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    snprintf(at.program, sizeof at.program, "%.63s", name);
}

int attach_wait(const attach_options *o) {
    double next = now(), renewed = now() + 1;
    uint64_t wanted = at.period;
    int status = 0;
    pid_t ended;
    while ((ended = waitpid((pid_t)o->pid, &status, WNOHANG)) != (pid_t)o->pid) {
        struct timespec pause = {0, 10000000};
        if (ended < 0 && errno != EINTR) break;
        if (now() >= next) {
            read_mappings();
            next = now() + 1;
        }
        if (now() >= renewed) {
            unsigned n;
            at.period = draw_period(wanted);
            for (n = 0; n < at.event_count; n++)
                (void)ioctl(at.events[n], PERF_EVENT_IOC_PERIOD, &at.period);
            renewed = now() + .7 + .6 * draw();
        }
        read_file_name();
        nanosleep(&pause, NULL);
        read_rings();
    }
    read_rings();
    return status;
}

/* Who has not said how long it ran has the rest of the time by its looks: the
   first thread, and children that go on. */
static void share_rest(void) {
    uint64_t all = 0, value, looks = 0, left;
    uint32_t n;
    for (n = 0; n < at.event_count; n++) {
        if (read(at.events[n], &value, sizeof value) == (ssize_t)sizeof value) all += value;
    }
    left = all > at.ended_ns ? all - at.ended_ns : 0;
    for (n = 0; n < at.thread_count; n++) looks += at.threads[n].ends ? 0 : at.threads[n].looks;
    for (n = 0; n < at.thread_count; n++) {
        thread_time *t = &at.threads[n];
        if (!t->ends && looks)
            t->ns = (uint64_t)((double)left * (double)t->looks / (double)looks);
    }
    if (!looks) at.threads[0].ns += left;
}

static void draw_ticks(double cell) {
    const uint32_t none = new_key("(threads that ended before a look)");
    size_t *first = (size_t *)tool_alloc((at.thread_count + 2) * sizeof *first);
    size_t *order = (size_t *)tool_alloc((at.look_count + 1) * sizeof *order), n;
    double begin = 0, cells = 0, next = cell * draw();
    memset(first, 0, (at.thread_count + 2) * sizeof *first);
    for (n = 0; n < at.look_count; n++) first[at.looks[n].thread + 1]++;
    for (n = 1; n < at.thread_count + 2; n++) first[n] += first[n - 1];
    for (n = 0; n < at.look_count; n++) order[first[at.looks[n].thread]++] = n;
    /* first[n] is now where the looks of thread n end, and those of n + 1 begin */
    for (n = 0; n < at.thread_count; n++) {
        const thread_time *t = &at.threads[n];
        size_t count = first[n + 1] - first[n];
        double ns = (double)t->ns;
        if (!t->is_ours) continue;
        for (; next < begin + ns; next = cell * (cells + draw())) {
            size_t k = count ? (size_t)((next - begin) / ns * (double)count) : 0;
            if (count) write_tick(&at.looks[order[first[n] + (k < count ? k : count - 1)]]);
            else sampled_tick(&written, &none, 1, 1, 0);
            cells++;
        }
        begin += ns;
    }
    free(first);
    free(order);
}

/* Where time in the kernel has no looks, a thread is as long as those in the
   program say, and what is left of a period. */
static void leave_out_kernel(void) {
    uint32_t n;
    for (n = 0; n < at.thread_count && at.no_kernel; n++) {
        thread_time *t = &at.threads[n];
        uint64_t most = (t->looks + 1) * at.period;
        if (t->ns > most) t->ns = most;
    }
}

/* CPU time of children, which nobody drew from. */
static double of_children(void) {
    double ns = 0;
    uint32_t n;
    for (n = 0; n < at.thread_count; n++) {
        if (!at.threads[n].is_ours) ns += (double)at.threads[n].ns;
    }
    return ns / 1e9;
}

int attach_end(const attach_options *o, const char *program) {
    const double children_worth = 10;   /* ms */
    share_rest();
    leave_out_kernel();
    (void)symbols_read_map(&at.made->names, at.pid, at.owner, 0);
    draw_ticks(1e9 / o->ticks);
    at.lost = 0;                    /* looks: the thread's others stand for them */
    say_what_is_missing(o);
    if (!o->quiet && of_children() * 1000 > children_worth)
        tool_error("its children had %.2f s of CPU time, which are not in this: leave out --outside "
                   "and take --follow", of_children());
    return write_file(o, *at.program ? at.program : program);
}
#else
int attach_open(long pid, unsigned ticks) {
    (void)pid, (void)ticks;
    return tool_error("what looks at a running process needs Linux on x86-64");
}

int attach_poll(void) { return 0; }

int attach_is_stopped(void) { return 1; }

void attach_take(void (*each)(void *user, uint32_t key), void *user) { (void)each, (void)user; }

const char *attach_name(uint32_t key) {
    (void)key;
    return "";
}

void attach_about(attach_state *s) {
    static const attach_state none = {"", 0, 0, 0};
    *s = none;
}

int attach_run(const attach_options *o) {
    (void)o;
    return tool_error("bursty record -p runs on Linux on x86-64 only");
}

int attach_begin(const attach_options *o) { return attach_run(o); }

int attach_wait(const attach_options *o) {
    (void)o;
    return 0;
}

int attach_end(const attach_options *o, const char *program) {
    (void)program;
    return attach_run(o);
}
#endif
