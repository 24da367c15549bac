/* patch.c - the library that `bursty record` preloads: patches the program with binpatch.h, keeps a
   tree of calling contexts and a footprint per thread, and writes them when the process ends.

   What it is to do stands in the environment, which the program does not see: BURSTY_RECORD holds
   "period burst jitter events profiles boring seed follow" as numbers and then the path of the output;
   BURSTY_RECORD_FILTER a pattern; BURSTY_RECORD_PRELOAD what LD_PRELOAD was before. */
#define _GNU_SOURCE 1
#define X86DECODE_IMPLEMENTATION
#define X86DECODE_STATIC
#define BINPATCH_IMPLEMENTATION
#define BINPATCH_STATIC
#define HCCT_IMPLEMENTATION
#define HCCT_STATIC
#define FOOTPRINT_IMPLEMENTATION
#define FOOTPRINT_STATIC
#include "x86decode.h"
#include "binpatch.h"
#include "hcct.h"
#include "footprint.h"
#include <dlfcn.h>
#include <errno.h>
#include <fnmatch.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#define EXPORTED __attribute__((visibility("default")))
enum { THREADS = 256, FRAMES = 1024, TREE_BYTES = 1 << 20, BLOCKS = 1 << 16 };
enum { PROFILE_HCCT = 1, PROFILE_FOOTPRINT = 2 };

typedef struct record_thread {
    hcct tree;
    footprint blocks;
    hcct_frame frames[FRAMES];
    int used, in_burst;
} record_thread;

static struct {
    binpatch_config config;
    record_thread *threads;
    uint8_t *trees, *footprints;
    size_t footprint_bytes;
    uint32_t used;
    unsigned profiles;
    pid_t owner, pid;            /* the process that bursty started; this process */
    int follow, done, repeat_lost;
    char path[4096], filter[1024];
    uint64_t outside, repeats;
} record;

static __thread record_thread *record_self __attribute__((tls_model("initial-exec")));
static __thread uint64_t record_repeat __attribute__((tls_model("initial-exec")));

/* ---- events of a burst ---- */

static record_thread *record_thread_here(void) {
    uint32_t n;
    record_thread *t;
    hcct_config tree = {0};
    footprint_config blocks = {0};
    if (record_self) return record_self;
    n = __atomic_fetch_add(&record.used, 1, __ATOMIC_RELAXED);
    if (n >= THREADS) return NULL;
    t = &record.threads[n];
    tree.frames = t->frames;
    tree.frame_count = FRAMES;
    hcct_init(&t->tree, record.trees + (size_t)n * TREE_BYTES, TREE_BYTES, &tree);
    if (record.profiles & PROFILE_FOOTPRINT)
        footprint_init(&t->blocks, record.footprints + n * record.footprint_bytes,
                       record.footprint_bytes, &blocks);
    __atomic_store_n(&t->used, 1, __ATOMIC_RELEASE);
    return record_self = t;
}

static void record_reference(record_thread *t, const binpatch_event *e) {
    uint32_t bytes = BINPATCH_BYTES(e->what);
    uint64_t times = record_repeat ? record_repeat : 1;
    const void *address = (const void *)(uintptr_t)e->value;
    if (!(record.profiles & PROFILE_FOOTPRINT)) return;
    footprint_reference(&t->blocks, address, (size_t)((bytes ? bytes : 1) * times));
}

static void record_events(void *user, const binpatch_event *e, size_t count, int ended) {
    record_thread *t = record_thread_here();
    (void)user;
    if (!t) return;
    for (; count--; e++) {
        if (e->what & BINPATCH_REPEAT) { record_repeat = e->value; continue; }
        if (e->what & (BINPATCH_LOAD | BINPATCH_STORE)) record_reference(t, e);
        if (e->what & BINPATCH_LOAD && count && e[1].what & BINPATCH_STORE
            && e[1].place == e->place)
            continue;
        record_repeat = 0;
        if (e->what & (BINPATCH_ENTRY | BINPATCH_EXIT) && record.profiles & PROFILE_HCCT) {
            uint32_t key = binpatch_find_function(BINPATCH_MODULE(e->what), e->place) + 1;
            if (e->what & BINPATCH_ENTRY) hcct_enter_at(&t->tree, key, 1, (uintptr_t)e->value);
            else (void)hcct_leave_at(&t->tree, key, (uintptr_t)e->value);
        }
    }
    if (ended && record.profiles & PROFILE_HCCT) hcct_burst_end(&t->tree);
}

/* The frames that are open when a burst begins, innermost first. */
static void record_begin(void *user, const binpatch_frame *frames, size_t count) {
    record_thread *t = record_thread_here();
    size_t n;
    (void)user;
    if (!t || !(record.profiles & PROFILE_HCCT)) return;
    hcct_burst_end(&t->tree);
    for (n = count; n--;) {
        uint32_t key = binpatch_find_function(frames[n].module, frames[n].place) + 1;
        hcct_enter_at(&t->tree, key, 0, (uintptr_t)frames[n].stack);
    }
}

/* ---- what is written ---- */

static const char *record_name(void *user, uint32_t key) {
    static char text[4200];
    binpatch_function f;
    const char *base;
    (void)user;
    if (!key || binpatch_get_function(key - 1, &f) != 0) return "(unknown)";
    if (f.name && *f.name) return f.name;
    base = strrchr(f.path, '/') ? strrchr(f.path, '/') + 1 : f.path;
    snprintf(text, sizeof text, "%s+0x%x", *base ? base : program_invocation_short_name, f.offset);
    return text;
}

static int record_put(void *user, const void *data, size_t size) {
    const char *p = (const char *)data;
    int file = *(const int *)user;
    while (size) {
        ssize_t put = write(file, p, size);
        if (put < 0 && errno == EINTR) continue;
        if (put <= 0) return 1;
        p += put;
        size -= (size_t)put;
    }
    return 0;
}

static int record_write_footprints(int file) {
    footprint_profile sum, one;
    size_t sum_bytes = 0, one_bytes = 0;
    void *sum_memory = NULL, *one_memory;
    uint32_t n;
    int failed = 0;
    for (n = 0; n < record.used && n < THREADS; n++) {
        size_t bytes = footprint_snapshot_bytes(&record.threads[n].blocks);
        if (record.threads[n].used && bytes > one_bytes) one_bytes = bytes;
    }
    if (!one_bytes) return 0;
    one_memory = binpatch_p_map(one_bytes);
    for (n = 0; n < record.used && n < THREADS; n++) {
        if (!record.threads[n].used || !one_memory) continue;
        if (footprint_snapshot(&record.threads[n].blocks, &one, one_memory, one_bytes) != 0)
            continue;
        if (!sum_memory) {
            sum_bytes = footprint_profile_bytes(one.rows, one.columns);
            sum_memory = binpatch_p_map(sum_bytes);
            if (!sum_memory
                || footprint_profile_init(&sum, one.rows, one.columns, sum_memory, sum_bytes) != 0)
                return 1;
        }
        failed |= footprint_add(&sum, &one);
    }
    if (sum_memory) failed |= footprint_write(&sum, "references in bursts", record_put, &file);
    return failed;
}

/* One line per module for `bursty record --stats`: numbers, tabs between them, and the path. */
static void record_write_stats(void) {
    char path[4200], line[8192];
    int file;
    uint32_t n, r;
    binpatch_module m;
    binpatch_stats s;
    snprintf(path, sizeof path, "%s.stats", record.path);
    file = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);  /* the host made it, if it wants one */
    if (file < 0) return;
    binpatch_get_stats(&s);
    snprintf(line, sizeof line,
             "bursts %llu, events %llu, events lost %llu, threads %u, without a buffer %u\n",
             (unsigned long long)s.bursts, (unsigned long long)s.events, (unsigned long long)s.lost,
             s.threads, s.lost_threads);
    (void)record_put(&file, line, strlen(line));
    for (n = 0; binpatch_get_module(n, &m) == 0; n++) {
        size_t used;
        snprintf(line, sizeof line,
                 "%s: %s%s%llu KiB of text, %u functions copied (%llu KiB), %u instrumented (%llu "
                 "KiB)\n",
                 *m.path ? m.path : program_invocation_name, m.refusal ? "not patched: " : "",
                 m.refusal ? m.refusal : "", (unsigned long long)m.text_bytes / 1024,
                 m.checking_count, (unsigned long long)m.checking_bytes / 1024,
                 m.instrumented_count, (unsigned long long)m.instrumented_bytes / 1024);
        (void)record_put(&file, line, strlen(line));
        for (r = 0; r < BINPATCH_REASONS; r++) {
            if (!m.functions[r]) continue;
            snprintf(line, sizeof line, "%10u %s\n", m.functions[r], binpatch_reason_text((int)r));
            used = strlen(line);
            (void)record_put(&file, line, used);
        }
    }
    close(file);
}

static void record_save(void) {
    char path[4200];
    uint32_t n, failed = 0;
    int file, saved = errno;
    hcct *first = NULL;
    if (__atomic_exchange_n(&record.done, 1, __ATOMIC_ACQ_REL)) return;
    if (!record.threads || (record.pid != record.owner && !record.follow)) return;
    binpatch_flush();
    binpatch_toggle(0);
    if (record.pid == record.owner) snprintf(path, sizeof path, "%s", record.path);
    else snprintf(path, sizeof path, "%s.%ld", record.path, (long)record.pid);
    file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file < 0) { errno = saved; return; }
    if (record.profiles & PROFILE_HCCT) {
        for (n = 0; n < record.used && n < THREADS; n++) {
            if (!record.threads[n].used) continue;
            if (!first) first = &record.threads[n].tree;
            else failed |= (uint32_t)hcct_merge(first, &record.threads[n].tree);
        }
        if (first) failed |= (uint32_t)hcct_write(first, record_name, NULL, record_put, &file);
    }
    if (record.profiles & PROFILE_FOOTPRINT) failed |= (uint32_t)record_write_footprints(file);
    close(file);
    if (record.pid == record.owner) record_write_stats();
    (void)failed;
    errno = saved;
}

/* ---- the process ---- */

/* Answers for copies; everything else is the C library's. */
EXPORTED int _dl_find_object(void *pc, struct dl_find_object *result);
static int (*record_find_object)(void *, struct dl_find_object *);
EXPORTED int _dl_find_object(void *pc, struct dl_find_object *result) {
    const void *start, *end, *header = binpatch_find_copy(pc, &start, &end);
    if (!header) return record_find_object ? record_find_object(pc, result) : -1;
    memset(result, 0, sizeof *result);
    result->dlfo_map_start = (void *)(uintptr_t)start;
    result->dlfo_map_end = (void *)(uintptr_t)end;
    result->dlfo_eh_frame = (void *)(uintptr_t)header;
    return 0;
}

/* A process that leaves without its exit handlers. */
EXPORTED void _exit(int status) {
    if (getpid() == record.pid) record_save();                  /* a vfork child is not us */
    for (;;) syscall(SYS_exit_group, status);
}
EXPORTED void _Exit(int status) { _exit(status); }

static void record_forked(void) {
    record.pid = getpid();
    if (record.follow) {
        uint32_t n;
        for (n = 0; n < record.used && n < THREADS; n++) record.threads[n].used = 0;
        record.used = 0;
        record_self = NULL;
        __atomic_store_n(&record.done, 0, __ATOMIC_RELEASE);
    } else {
        binpatch_toggle(0);
    }
}

static int record_want(void *user, const char *module, const char *function) {
    const char *base = strrchr(module, '/') ? strrchr(module, '/') + 1 : module;
    (void)user;
    if (!strncmp(base, "libc.so", 7) || !strncmp(base, "libgcc_s.", 9)) return 0;
    if (function && record.filter[0]) return fnmatch(record.filter, function, 0) == 0;
    return 1;
}

static void record_toggle(int signal_number) {
    (void)signal_number;
    binpatch_toggle(!binpatch_p.on);
}

/* The program's environment is what it would be without us. */
static void record_restore_environment(void) {
    const char *before = getenv("BURSTY_RECORD_PRELOAD");
    if (!record.follow) {
        if (before && *before) setenv("LD_PRELOAD", before, 1);
        else unsetenv("LD_PRELOAD");
        unsetenv("BURSTY_RECORD_PRELOAD");
        unsetenv("BURSTY_RECORD_FILTER");
        unsetenv("BURSTY_RECORD");
    }
}

static int record_room(void) {
    footprint_config blocks = {0};
    record.footprint_bytes = (footprint_bytes(&blocks, BLOCKS) + 63) & ~(size_t)63;
    record.threads = (record_thread *)binpatch_p_map(THREADS * sizeof *record.threads);
    record.trees = (uint8_t *)binpatch_p_map((size_t)THREADS * TREE_BYTES);
    if (record.profiles & PROFILE_FOOTPRINT)
        record.footprints = (uint8_t *)binpatch_p_map(THREADS * record.footprint_bytes);
    return record.threads && record.trees
                   && (record.footprints || !(record.profiles & PROFILE_FOOTPRINT))
               ? 0
               : -1;
}

__attribute__((constructor)) static void record_start(void) {
    const char *wanted = getenv("BURSTY_RECORD"), *filter = getenv("BURSTY_RECORD_FILTER");
    unsigned number[10];
    int path_at = 0, n, saved = errno;
    struct sigaction action;
    void *real = dlsym(RTLD_NEXT, "_dl_find_object");
    memcpy(&record_find_object, &real, sizeof real);
    if (!wanted
        || sscanf(wanted, "%u %u %u %u %u %u %u %u %u %u %n", &number[0], &number[1], &number[2],
                  &number[3], &number[4], &number[5], &number[6], &number[7], &number[8],
                  &number[9], &path_at)
               < 10
        || !path_at)
        return;
    record.config.check_count = number[0];
    record.config.burst_count = number[1];
    record.config.jitter_percent = number[2] ? (int32_t)number[2] : -1;
    record.config.events = number[3];
    record.profiles = number[4];
    record.config.k_boring = number[5] ? (int32_t)number[5] : -1;
    record.config.seed = number[6];
    record.follow = (int)number[7];
    record.config.off = number[8] >> 8 & 1;
    record.config.all_checks = number[8] >> 9 & 1;
    snprintf(record.path, sizeof record.path, "%s", wanted + path_at);
    if (filter) snprintf(record.filter, sizeof record.filter, "%s", filter);
    record.pid = getpid();
    record.owner = (pid_t)number[9];
    record_restore_environment();
    record.config.want = record_want;
    record.config.action = record_events;
    record.config.begin = record_begin;
    if (record_room() != 0 || !binpatch_install(&record.config)) {
        record.threads = NULL;
    } else {
        n = (int)(number[8] & 255);
        if (n) {
            memset(&action, 0, sizeof action);
            action.sa_handler = record_toggle;
            action.sa_flags = SA_RESTART;
            sigaction(n, &action, NULL);
        }
        pthread_atfork(NULL, NULL, record_forked);
    }
    errno = saved;
}

__attribute__((destructor)) static void record_end(void) {
    record_save();
}
