/* attach.c - time of a process that runs already, from outside: the kernel's
   task clock (perf_event_open) interrupts each of its threads so often in a
   second of CPU time, and notes where it was. Nothing of the process is
   changed or stopped; who stops us stops the looks.

       each CPU:  | ring | <- events of all threads and of those that they start

   A tick is one place in the code, and whether the kernel was at work for it.
   The ring gives only places; names are looked up when all is over, from the
   process's mappings (asked for each second, so that they are there when the
   process has ended), the symbols of their files, and where these have none,
   from where .eh_frame_hdr says that functions start. Code of no file has its
   names in /tmp/perf-PID.map, which a JIT compiler writes if it is asked to.

   Callers are not shown: most code has no frame pointers. Only the function
   that went into the kernel is known as the caller of "(kernel)". */
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
#include "../record/core/sampled.c" /* the writer of ticks, which the recorder has, too */
#include "base/elf.h"
#include "base/save.h"
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
#include <time.h>
#include <unistd.h>

enum { RING_PAGES = 32, PAGE = 4096, MOST_TICKS = 1 << 22, NAMES = SAMPLED_PATHS };

typedef struct look {               /* one tick */
    uint64_t pc;                    /* of the program; 0: not known */
    int in_kernel;
} look;

typedef struct function {
    uint64_t start, end;            /* as the file counts addresses; end 0: not known */
    const char *name;               /* NULL: none */
    uint32_t key;
} function;

typedef struct image {              /* a file, or the code of none */
    char path[4096];
    function *functions;
    size_t count;
    uint64_t loads[16][3];          /* offset, size, address */
    unsigned load_count;
    uint32_t rest;                  /* the key of what no function holds */
} image;

typedef struct mapping {
    uint64_t lo, hi, offset;
    image *file;
} mapping;

static struct {
    long pid;
    uid_t owner;
    int events[1 << 14];
    unsigned event_count;
    struct perf_event_mmap_page *rings[1024];
    int ring_of[1024];
    unsigned ring_count;
    look *looks;
    size_t look_count, look_room;
    uint64_t lost, unwanted;
    mapping *mappings;
    size_t mapping_count, mapping_room;
    image **images;
    size_t image_count;
    char **names;                   /* by key - 1 */
    uint32_t name_count;
    int no_kernel;
} at;

static volatile sig_atomic_t stopped;

static void stop(int number) {
    (void)number;
    stopped = 1;
}

/* ---- ticks ---- */

static int open_event(pid_t thread, int cpu, unsigned ticks) {
    struct perf_event_attr a;
    memset(&a, 0, sizeof a);
    a.type = PERF_TYPE_SOFTWARE;
    a.size = sizeof a;
    a.config = PERF_COUNT_SW_TASK_CLOCK;
    a.sample_period = 1000000000 / ticks;
    a.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_CALLCHAIN;
    a.sample_max_stack = 1;
    a.inherit = 1;
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
        return tool_error("process %ld may not be looked at: it belongs to somebody else, or "
                          "kernel.perf_event_paranoid is too high (%s, 2 or less lets you see your "
                          "own); root may always",
                          pid, *setting ? setting : "not known");
    }
    if (why == ENOSYS || why == ENOENT || why == EOPNOTSUPP)
        return tool_error("this system has no perf_event_open, which -p needs; bursty record "
                          "PROGRAM works without it");
    return tool_error("process %ld: %s", pid, strerror(why));
}

/* The events of one thread, one a CPU. Returns 0 or errno. */
static int open_thread(pid_t thread, unsigned ticks) {
    long cpus = sysconf(_SC_NPROCESSORS_CONF);
    int cpu, any = 0, why = ESRCH;
    for (cpu = 0; cpu < cpus && cpu < 1024; cpu++) {
        int event = open_event(thread, cpu, ticks);
        if (event < 0 && (errno == EACCES || errno == EPERM) && !at.no_kernel) {
            at.no_kernel = 1;
            event = open_event(thread, cpu, ticks);
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
            void *ring = mmap(NULL, (RING_PAGES + 1) * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED,
                              event, 0);
            if (ring == MAP_FAILED) return errno;
            at.rings[cpu] = (struct perf_event_mmap_page *)ring;
            at.ring_of[cpu] = event;
            if ((unsigned)cpu + 1 > at.ring_count) at.ring_count = (unsigned)cpu + 1;
        }
        any = 1;
    }
    return any ? 0 : why;
}

/* Threads that these start are seen, too, for events are inherited. */
static int open_threads(long pid, unsigned ticks) {
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
        why = open_thread((pid_t)atol(e->d_name), ticks);
        if (why == 0) any = 1;
        else if (why != ESRCH) break;             /* one that has just ended is none */
    }
    if (folder) closedir(folder);
    return any && (why == 0 || why == ESRCH) ? 0 : why;
}

static void take_tick(uint64_t pc, int in_kernel) {
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
    at.looks[at.look_count++].in_kernel = in_kernel;
}

/* A record of a ring, put together where it goes round the end. */
static void take_record(const uint64_t *words, size_t count) {
    struct perf_event_header head;
    size_t n, chain;
    uint64_t pc = 0;
    int in_kernel;
    memcpy(&head, words, sizeof head);
    if (head.type == PERF_RECORD_LOST && count >= 3) at.lost += words[2];
    if (head.type != PERF_RECORD_SAMPLE || count < 4) return;
    in_kernel = (head.misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL;
    if ((uint32_t)words[2] != (uint32_t)at.pid) { /* a child of its own */
        at.unwanted++;
        return;
    }
    chain = words[3] < count - 4 ? (size_t)words[3] : count - 4;
    for (n = 0; n < chain && in_kernel; n++) {
        if (words[4 + n] < (uint64_t)-4095) pc = words[4 + n];
        if (pc) break;
    }
    if (!in_kernel) pc = words[1];
    take_tick(pc, in_kernel);
}

static void read_ring(struct perf_event_mmap_page *ring) {
    static uint64_t words[8192];
    const char *data = (const char *)ring + PAGE;
    uint64_t head = __atomic_load_n(&ring->data_head, __ATOMIC_ACQUIRE), tail = ring->data_tail;
    while (tail < head) {
        const size_t all = RING_PAGES * PAGE;
        struct perf_event_header h;
        size_t n;
        memcpy(&h, data + tail % all, sizeof h);  /* 8 bytes, aligned: never cut */
        if (h.size < sizeof h) break;
        for (n = 0; n < h.size / 8; n++) memcpy(&words[n], data + (tail + 8 * n) % all, 8);
        take_record(words, h.size / 8);
        tail += h.size;
    }
    __atomic_store_n(&ring->data_tail, tail, __ATOMIC_RELEASE);
}

static void read_rings(void) {
    unsigned n;
    for (n = 0; n < at.ring_count; n++) {
        if (at.rings[n]) read_ring(at.rings[n]);
    }
}

/* ---- files ---- */

static void add_function(image *m, size_t *room, uint64_t start, uint64_t end, const char *name) {
    function *f;
    if (m->count == *room) {
        *room = *room ? 2 * *room : 256;
        m->functions = (function *)tool_grow(m->functions, *room * sizeof *m->functions);
    }
    f = &m->functions[m->count++];
    f->start = start;
    f->end = end;
    f->name = name;
    f->key = 0;
}

static void add_symbols(image *m, size_t *room, elf_file *e, uint64_t type) {
    dump_fault fault;
    elf_section s, names;
    uint64_t n, k;
    for (n = 0; n < e->section_count; n++) {
        if (elf_get_section(e, n, &s, &fault) != 0 || s.type != type) continue;
        if (elf_get_section(e, s.link, &names, &fault) != 0 || !names.size) continue;
        if (elf_take(e, &s, &fault) != 0 || elf_take(e, &names, &fault) != 0) return;
        if (e->data[names.offset + names.size - 1]) continue;
        for (k = 0; k + 24 <= s.size; k += 24) {
            size_t where = (size_t)(s.offset + k);
            uint64_t name = elf_number(e, where, 4), info = elf_number(e, where + 4, 1);
            uint64_t start = elf_number(e, where + 8, 8), size = elf_number(e, where + 16, 8);
            if (((info & 15) != 2 && (info & 15) != 10) || !elf_number(e, where + 6, 2)) continue;
            if (name >= names.size) continue;
            add_function(m, room, start, start + size,
                         (const char *)e->data + names.offset + name);
        }
    }
}

/* The sorted table of .eh_frame_hdr says where functions start. */
static void add_starts(image *m, size_t *room, const elf_file *e) {
    uint64_t n, k, header, place, size, count;
    for (n = 0; n < e->segment_count; n++) {
        header = e->segments + n * e->segment_bytes;
        if (!elf_holds(e, header, 56) || elf_number(e, (size_t)header, 4) != 0x6474E550) continue;
        place = elf_number(e, (size_t)header + 8, 8);
        size = elf_number(e, (size_t)header + 32, 8);
        if (size < 12 || !elf_holds(e, place, size)) return;
        if (elf_number(e, (size_t)place, 4) != 0x3B031B01) return; /* the form that all have */
        count = elf_number(e, (size_t)place + 8, 4);
        for (k = 0; k < count && 12 + 8 * k + 8 <= size; k++) {
            int32_t far = (int32_t)elf_number(e, (size_t)(place + 12 + 8 * k), 4);
            uint64_t header_at = elf_number(e, (size_t)header + 16, 8);
            add_function(m, room, header_at + (uint64_t)(int64_t)far, 0, NULL);
        }
    }
}

static int by_start(const void *a, const void *b) {
    const function *x = (const function *)a, *y = (const function *)b;
    if (x->start != y->start) return x->start < y->start ? -1 : 1;
    if (!x->name != !y->name) return x->name ? 1 : -1;     /* a name comes last */
    return x->name ? strcmp(x->name, y->name) : 0;
}

/* A file stays mapped: names point into it. */
static const unsigned char *map_file(const char *path, size_t *size) {
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat s;
    void *data = MAP_FAILED;
    if (file < 0) return NULL;
    if (fstat(file, &s) == 0 && S_ISREG(s.st_mode) && s.st_size > 0) {
        *size = (size_t)s.st_size;
        data = mmap(NULL, *size, PROT_READ, MAP_PRIVATE, file, 0);
    }
    close(file);
    return data == MAP_FAILED ? NULL : (const unsigned char *)data;
}

static void read_image(image *m) {
    char path[4200];
    const unsigned char *data;
    size_t size = 0, room = 0;
    elf_file e;
    dump_fault fault;
    uint64_t n;
    /* As the process sees it: it may have another root. */
    snprintf(path, sizeof path, "/proc/%ld/root%s", at.pid, m->path);
    data = map_file(path, &size);
    if (!data) data = map_file(m->path, &size);
    if (!data || !elf_is(data, size) || elf_begin(&e, data, size, &fault) != 0 || !e.is_64) return;
    for (n = 0; n < e.segment_count && m->load_count < 16; n++) {
        size_t header = (size_t)(e.segments + n * e.segment_bytes);
        if (!elf_holds(&e, header, 56) || elf_number(&e, header, 4) != ELF_LOAD) continue;
        m->loads[m->load_count][0] = elf_number(&e, header + 8, 8);
        m->loads[m->load_count][1] = elf_number(&e, header + 32, 8);
        m->loads[m->load_count++][2] = elf_number(&e, header + 16, 8);
    }
    add_starts(m, &room, &e);
    if (elf_find_sections(&e, &fault) == 0) {
        add_symbols(m, &room, &e, ELF_SYMBOLS);
        add_symbols(m, &room, &e, ELF_DYNAMIC_SYMBOLS);
    }
    if (m->count) qsort(m->functions, m->count, sizeof *m->functions, by_start);
}

/* Anybody may put a file of that name into /tmp, a pipe without a writer as
   well: it counts if it belongs to who owns the process, to us or to root. */
static FILE *open_perf_map(const char *path, uid_t owner) {
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY);
    struct stat s;
    FILE *f = NULL;
    if (file < 0) return NULL;
    if (fstat(file, &s) == 0 && S_ISREG(s.st_mode) &&
        (s.st_uid == owner || s.st_uid == geteuid() || s.st_uid == 0))
        f = fdopen(file, "r");
    if (!f) close(file);
    return f;
}

/* What a JIT compiler says: "START SIZE NAME" in each line, the last one about
   a place is the one that counts. */
static void read_perf_map(image *m) {
    char path[4200], line[2048], name[1024];
    uint64_t start, size;
    size_t room = 0, n, kept = 0;
    FILE *file;
    snprintf(path, sizeof path, "/proc/%ld/root/tmp/perf-%ld.map", at.pid, at.pid);
    file = open_perf_map(path, at.owner);
    if (!file) {
        snprintf(path, sizeof path, "/tmp/perf-%ld.map", at.pid);
        file = open_perf_map(path, at.owner);
    }
    if (!file) return;
    while (fgets(line, sizeof line, file)) {
        unsigned long long a, b;
        if (sscanf(line, "%llx %llx %1023[^\n]", &a, &b, name) != 3) continue;
        start = a;
        size = b;
        if (!size || start + size < start) continue;
        add_function(m, &room, start, start + size, strdup(name));
        m->functions[m->count - 1].key = (uint32_t)m->count;   /* the order, for now */
    }
    fclose(file);
    if (!m->count) return;
    qsort(m->functions, m->count, sizeof *m->functions, by_start);
    for (n = 0; n < m->count; n++) {
        if (kept && m->functions[kept - 1].start == m->functions[n].start) {
            if (m->functions[n].key > m->functions[kept - 1].key)
                m->functions[kept - 1] = m->functions[n];
        } else m->functions[kept++] = m->functions[n];
    }
    m->count = kept;
    for (n = 0; n < kept; n++) m->functions[n].key = 0;
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
    if (path[0] == '/') read_image(m);
    return m;
}

/* The code that the process has mapped. What it had a second ago stays known:
   a later mapping of the same place comes behind and wins. */
static void read_mappings(void) {
    char path[64], line[5000];
    FILE *file;
    snprintf(path, sizeof path, "/proc/%ld/maps", at.pid);
    file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file)) {
        unsigned long long lo, hi, offset;
        char rights[8];
        const char *path_of;
        int from = 0;
        size_t n;
        mapping *m;
        if (sscanf(line, "%llx-%llx %7s %llx %*s %*s %n", &lo, &hi, rights, &offset, &from) != 4)
            continue;
        if (!from || rights[2] != 'x') continue;
        line[strcspn(line, "\n")] = 0;
        for (n = at.mapping_count; n > 0; n--) {
            m = &at.mappings[n - 1];
            if (m->lo == lo && m->hi == hi && m->offset == offset) break;
        }
        path_of = line + from;
        if (path_of[0] != '/' ? strcmp(path_of, "[vdso]") != 0
                              : !strncmp(path_of, "/memfd:", 7) || !strncmp(path_of, "//", 2))
            path_of = "";                         /* code of no file, whatever it is called */
        if (n && !strcmp(at.mappings[n - 1].file->path, path_of)) continue;
        if (at.mapping_count == at.mapping_room) {
            at.mapping_room = at.mapping_room ? 2 * at.mapping_room : 64;
            at.mappings = (mapping *)tool_grow(at.mappings, at.mapping_room * sizeof *at.mappings);
        }
        m = &at.mappings[at.mapping_count++];
        m->lo = lo;
        m->hi = hi;
        m->offset = offset;
        m->file = image_of(path_of);
    }
    if (file) fclose(file);
}

/* ---- names ---- */

static uint32_t new_key(const char *name) {
    uint32_t n;
    for (n = 0; n < at.name_count; n++) {
        if (!strcmp(at.names[n], name)) return n + 1;
    }
    at.names = (char **)tool_grow(at.names, (at.name_count + 1) * sizeof *at.names);
    at.names[at.name_count] = strdup(name);
    return ++at.name_count;
}

static const char *name_of(void *user, uint32_t key) {
    (void)user;
    return key && key <= at.name_count ? at.names[key - 1] : NULL;
}

static const char *short_path(const char *path) {
    return strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
}

static int is_made(const image *m) { return m->path[0] != '/' && m->path[0] != '['; }

static uint32_t key_at(image *m, uint64_t address) {
    char name[4200];
    size_t lo = 0, hi = m->count;
    function *f;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (m->functions[mid].start <= address) lo = mid + 1;
        else hi = mid;
    }
    f = lo ? &m->functions[lo - 1] : NULL;
    if (f && f->name && f->end > f->start && address >= f->end) f = NULL;
    if (!f) {
        if (is_made(m)) snprintf(name, sizeof name, "(code made at run time)");
        else snprintf(name, sizeof name, "(%s)", short_path(m->path));
        if (!m->rest) m->rest = new_key(name);
        return m->rest;
    }
    if (f->key) return f->key;
    if (f->name) snprintf(name, sizeof name, "%.4000s", f->name);
    else
        snprintf(name, sizeof name, "%.4000s+0x%llx", short_path(m->path),
                 (unsigned long long)f->start);
    return f->key = new_key(name);
}

/* 0: the place is in no code that is known. */
static uint32_t key_of(uint64_t pc) {
    size_t n;
    unsigned k;
    for (n = at.mapping_count; n > 0; n--) {
        const mapping *m = &at.mappings[n - 1];
        uint64_t offset;
        if (pc < m->lo || pc >= m->hi) continue;
        if (is_made(m->file)) return key_at(m->file, pc);
        offset = pc - m->lo + m->offset;
        for (k = 0; k < m->file->load_count; k++) {
            const uint64_t *load = m->file->loads[k];
            if (offset - load[0] < load[1]) return key_at(m->file, offset - load[0] + load[2]);
        }
        return key_at(m->file, 0);
    }
    return 0;
}

/* ---- all of it ---- */

static int add_bytes(void *user, const void *data, size_t size) {
    text_bytes((text *)user, data, size);
    return 0;
}

static int write_file(const attach_options *o, const char *program) {
    static sampled_ticks ticks;
    const sampled_ticks *all = &ticks;
    sampled_profile about;
    text t = {NULL, 0, 0};
    save s;
    size_t n;
    uint32_t kernel = 0;
    int status;
    for (n = 0; n < at.look_count; n++) {
        uint32_t keys[2], count = 0, key = at.looks[n].pc ? key_of(at.looks[n].pc) : 0;
        if (at.looks[n].in_kernel && !kernel) kernel = new_key("(kernel)");
        if (at.looks[n].in_kernel) keys[count++] = kernel;
        if (key) keys[count++] = key;
        sampled_tick(&ticks, keys, count, 1, 0);
    }
    memset(&about, 0, sizeof about);
    about.program = program;
    about.name = name_of;
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

/* Until the time is over, the process ends or somebody stops us. */
static void watch(unsigned seconds) {
    double end = now() + seconds, next = 0;
    char path[64];
    snprintf(path, sizeof path, "/proc/%ld/maps", at.pid);
    while (!stopped && now() < end) {
        struct timespec pause = {0, 50000000};
        if (now() >= next) {
            read_mappings();
            next = now() + 1;
        }
        nanosleep(&pause, NULL);
        read_rings();
        if (kill((pid_t)at.pid, 0) != 0 && errno == ESRCH) break;
    }
}

static int made_at_run_time(void) {
    size_t n, k;
    for (n = 0; n < at.look_count; n++) {
        for (k = at.mapping_count; k > 0; k--) {
            const mapping *m = &at.mappings[k - 1];
            if (at.looks[n].pc >= m->lo && at.looks[n].pc < m->hi) break;
        }
        if (k && is_made(at.mappings[k - 1].file)) return 1;
    }
    return 0;
}

int attach_run(const attach_options *o) {
    char path[64], program[64] = "";
    struct sigaction action;
    struct stat owner;
    image *made;
    FILE *file;
    unsigned n;
    int why;
    at.pid = o->pid;
    snprintf(path, sizeof path, "/proc/%ld/comm", o->pid);
    file = fopen(path, "r");
    if (file && !fgets(program, sizeof program, file)) program[0] = 0;
    at.owner = file && fstat(fileno(file), &owner) == 0 ? owner.st_uid : geteuid();
    if (file) fclose(file);
    program[strcspn(program, "\n")] = 0;
    if (!file) return refuse(o->pid, ESRCH);
    memset(&action, 0, sizeof action);
    action.sa_handler = stop;
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    why = open_threads(o->pid, o->ticks);
    if (why) return refuse(o->pid, why);
    made = image_of("");
    watch(o->seconds);
    for (n = 0; n < at.event_count; n++) (void)ioctl(at.events[n], PERF_EVENT_IOC_DISABLE, 0);
    read_rings();
    read_mappings();
    read_perf_map(made);
    if (!at.look_count)
        return tool_error("process %ld used no CPU time in that time, so that nothing is written",
                          o->pid);
    if (!o->quiet && made_at_run_time() && !made->count)
        tool_error("the process runs code that it made itself, and no /tmp/perf-%ld.map names it: "
                   "node --perf-basic-prof, or an agent of java's, writes one", o->pid);
    if (!o->quiet && at.no_kernel)
        tool_error("time in the kernel is not seen: kernel.perf_event_paranoid is above 1");
    return write_file(o, program);
}
#else
int attach_run(const attach_options *o) {
    (void)o;
    return tool_error("bursty record -p runs on Linux on x86-64 only");
}
#endif
