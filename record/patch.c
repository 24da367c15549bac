/* patch.c - the library that `bursty record` preloads. It patches the program with binpatch.h and
   gives the events of bursts to the rooms of this folder (recorder.h): for each thread a tree of
   calling contexts, counts of functions and of pairs, a footprint, hot streams, whatever is asked
   for. It writes them when the process ends.

   What it is to do stands in the environment, which the program does not see: BURSTY_RECORD holds
   "period burst jitter events profiles boring seed follow flags owner per-second ticks" as numbers,
   the path of the report (below; -: none) and then the path of the output;
   BURSTY_RECORD_FILTER a pattern; BURSTY_RECORD_PRELOAD what LD_PRELOAD was before. */
#define _GNU_SOURCE 1
#define X86DECODE_IMPLEMENTATION
#define X86DECODE_STATIC
#define X86FLOW_IMPLEMENTATION
#define X86FLOW_STATIC
#define X86COPY_IMPLEMENTATION
#define X86COPY_STATIC
#define BINPATCH_IMPLEMENTATION
#define BINPATCH_STATIC
#define FOOTPRINT_IMPLEMENTATION
#define FOOTPRINT_STATIC
#define HOTSTREAM_IMPLEMENTATION
#define HOTSTREAM_STATIC
#include "x86decode.h"
#include "x86flow.h"
#include "x86copy.h"
#include "binpatch.h"
#include "contexts.h"
#include "footprint.h"
#include "handover.h"
#include "hotstream.h"
#include "keep.h"
#include "recorder.h"
#include "sampled.h"
#include "timer.h"
#include <dlfcn.h>
#include <errno.h>
#include <fnmatch.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>

#define EXPORTED __attribute__((visibility("default")))
enum { BLOCKS = 1 << 16, MODULES = 256 };
enum { STREAM_NODES = 1 << 14, STREAM_ROWS = 512, THREADS = 512, EVENT_BLOCKS = 1024 };
enum {
    PROFILE_HCCT = 1,
    PROFILE_FOOTPRINT = 2,
    PROFILE_METHODS = 4,
    PROFILE_PAIRS = 8,
    PROFILE_STREAMS = 16,
    PROFILE_REFERENCES = PROFILE_FOOTPRINT | PROFILE_STREAMS,
    PROFILE_CALLS = PROFILE_HCCT | PROFILE_METHODS | PROFILE_PAIRS
};

/* sampled.c looks functions up by their keys. */
typedef char record_keys_fit[RECORDER_FUNCTIONS + 2 <= SAMPLED_KEYS ? 1 : -1];

/* What a thread has beside its tree; each is made when it is needed. */
typedef struct record_extra {
    footprint *f;
    hotstream *streams;
    sampled_table *methods, *pairs;
    contexts *sums;                /* of the tree, if bursts are samples */
    size_t block_count;
    uint64_t blocks[EVENT_BLOCKS]; /* references that the footprint has not been told of */
} record_extra;

static struct {
    binpatch_config config;
    unsigned profiles;
    pid_t owner, pid;            /* the process that bursty started; this process */
    int follow, running, done;
    uint64_t bias[MODULES];      /* what to add to a place of a module to get its address */
    pthread_key_t at_end;
    uint32_t threads_missing;
    uint64_t frames_full;
    uint32_t first_key;          /* _start: bursts do not see it on the stack, nobody calls it */
    uint64_t missed;             /* of a run that was to have every call */
    uint64_t weight_256;         /* calls that a sampled one stands for, times 256 */
    int write_error, direct;     /* direct: the output is no regular file */
    int toggles;                 /* there is a signal that switches on */
    unsigned ticks;              /* in a second; 0: none */
    int no_timer;
    int not_switched;            /* a signal was to switch on, and could not */
    int debug_file;              /* the executable has symbols in another file */
    int sandboxed;               /* the program has forbidden itself system calls */
    int keeping;                 /* what is written now is kept for the case of a kill */
    uint8_t *pool;               /* memory for after that */
    size_t pool_left;
    char path[4096], filter[1024], report[128];
} record;

static __thread uint64_t record_repeat __attribute__((tls_model("initial-exec")));

/* Events come in the middle of anything that the program does, malloc too. */
void *recorder_memory(size_t bytes) {
    int saved = errno;
    void *memory;
    if (record.sandboxed) {
        bytes = (bytes + 63) & ~(size_t)63;
        if (bytes > record.pool_left) return NULL;
        return record.pool + __atomic_sub_fetch(&record.pool_left, bytes, __ATOMIC_RELAXED);
    }
    memory = binpatch_p_map(bytes);
    errno = saved;
    return memory;
}

/* ---- events of a burst ---- */

static uint32_t record_key(uint32_t module, uint32_t place) {
    return recorder_key((void *)(uintptr_t)(record.bias[module % MODULES] + place));
}

static record_extra *record_extra_of(recorder_thread *r) {
    if (!r->references) r->references = recorder_memory(sizeof(record_extra));
    return (record_extra *)r->references;
}

static footprint *record_footprint(record_extra *x) {
    footprint_config config = {0};
    size_t bytes;
    if (x->f) return x->f;
    bytes = footprint_bytes(&config, BLOCKS);
    x->f = (footprint *)recorder_memory(sizeof *x->f + 64 + bytes);
    if (x->f) footprint_init(x->f, x->f + 1, bytes, &config);
    return x->f;
}

static hotstream *record_streams(record_extra *x) {
    hotstream_config config = {0};
    size_t bytes;
    if (x->streams) return x->streams;
    bytes = hotstream_bytes(&config, STREAM_NODES);
    x->streams = (hotstream *)recorder_memory(sizeof *x->streams + 64 + bytes);
    if (x->streams) hotstream_init(x->streams, x->streams + 1, bytes, &config);
    return x->streams;
}

/* What a footprint has not been told yet. */
static void record_tell_blocks(record_extra *x) {
    if (x->f && x->block_count) footprint_access_many(x->f, x->blocks, x->block_count);
    x->block_count = 0;
}

/* A reference to more than one block. `times` is the count of a rep instruction. */
static void record_long_reference(record_extra *x, const binpatch_event *e, uint64_t times) {
    uint32_t bytes = BINPATCH_BYTES(e->what);
    record_tell_blocks(x);
    footprint_reference(x->f, (const void *)(uintptr_t)e->value,
                        (size_t)((bytes ? bytes : 1) * times));
}

/* References in a row, up to `end`; returns where the row ends. Most touch one block, and those are
   collected. */
static const binpatch_event *record_blocks(record_extra *x, const binpatch_event *e,
                                           const binpatch_event *end) {
    unsigned log2 = x->f->config.block_log2;
    size_t n = x->block_count;
    for (; e < end && e->what & (BINPATCH_LOAD | BINPATCH_STORE); e++) {
        uint64_t block = e->value >> log2, bytes = BINPATCH_BYTES(e->what);
        if (bytes > 1 && (e->value + bytes - 1) >> log2 != block) {
            x->block_count = n;
            record_long_reference(x, e, 1);
            n = 0;
            continue;
        }
        x->blocks[n++] = block;
        if (n < EVENT_BLOCKS) continue;
        x->block_count = n;
        record_tell_blocks(x);
        n = 0;
    }
    x->block_count = n;
    return e;
}

static void record_reference(record_extra *x, const binpatch_event *e, uint64_t times) {
    if (x->f) record_long_reference(x, e, times);
    if (x->streams) {
        uint64_t module = BINPATCH_MODULE(e->what);
        hotstream_record(x->streams, (module << 32 | e->place) + 1, e->value);
    }
}

/* A burst that never ends is no sample. */
static void record_sum_context(recorder_thread *r, record_extra *x, uint32_t key) {
    if (record.config.check_count == BINPATCH_ALWAYS) return;
    if (!x->sums) {
        x->sums = (contexts *)recorder_memory(contexts_bytes(RECORDER_CONTEXTS));
        if (!x->sums) return;
        x->sums->nodes = RECORDER_CONTEXTS;
    }
    contexts_count(x->sums, &r->tree, key);
}

/* The call that was just entered, in the tables that are asked for. */
static void record_call(recorder_thread *r, uint32_t key) {
    record_extra *x = record_extra_of(r);
    uint32_t n = r->frame_count, caller = n > 1 ? r->frames[n - 2].key : 0;
    if (!x) return;
    if (record.profiles & PROFILE_HCCT) record_sum_context(r, x, key);
    if (record.profiles & PROFILE_METHODS && !(record.profiles & PROFILE_PAIRS)) {
        if (!x->methods) x->methods = (sampled_table *)recorder_memory(sizeof *x->methods);
        if (x->methods) sampled_count(x->methods, key, 0, record.weight_256);
    }
    if (record.profiles & PROFILE_PAIRS) {
        if (!x->pairs) x->pairs = (sampled_table *)recorder_memory(sizeof *x->pairs);
        if (x->pairs) sampled_count(x->pairs, key, caller, record.weight_256);
    }
}

static void record_event(recorder_thread *r, const binpatch_event *e) {
    uintptr_t frame = (uintptr_t)e->value;
    if (e->what & (BINPATCH_ENTRY | BINPATCH_EXIT) && record.profiles & PROFILE_CALLS) {
        uint32_t key = record_key(BINPATCH_MODULE(e->what), e->place);
        if (key == record.first_key) return;
        if (e->what & BINPATCH_ENTRY) {
            recorder_enter(r, key, 1, frame, NULL, NULL);
            record_call(r, key);
        } else recorder_leave(r, key, frame);
    }
}

static void record_keep(void);

static void record_burst_ends(record_extra *x) {
    if (x && x->sums) contexts_burst(x->sums);
    if (x && x->streams) hotstream_burst(x->streams);
    if (x && x->methods) sampled_burst(x->methods, record.weight_256);
    if (x && x->pairs) sampled_burst(x->pairs, record.weight_256);
}

static void record_events(void *user, const binpatch_event *e, size_t count, int ended) {
    recorder_thread *r = recorder_begin();
    record_extra *x = r ? record_extra_of(r) : NULL;
    const binpatch_event *end = e + count;
    (void)user;
    if (!r) {
        if (!record.done) __atomic_fetch_add(&binpatch_p.lost, count, __ATOMIC_RELAXED);
        return;
    }
    if (x && record.profiles & PROFILE_FOOTPRINT) (void)record_footprint(x);
    if (x && record.profiles & PROFILE_STREAMS) (void)record_streams(x);
    for (; e < end; e++) {
        if (x && x->f && !x->streams && !record_repeat) e = record_blocks(x, e, end);
        if (e == end) break;
        if (e->what & BINPATCH_REPEAT) {
            record_repeat = e->value;
            continue;
        }
        if (!(e->what & (BINPATCH_LOAD | BINPATCH_STORE))) record_event(r, e);
        else if (x) record_reference(x, e, record_repeat ? record_repeat : 1);
        if (record_repeat && e->what & BINPATCH_LOAD && e + 1 < end && e[1].what & BINPATCH_STORE
            && e[1].place == e->place) {
            continue;                           /* the count holds for both */
        }
        record_repeat = 0;
    }
    if (x) record_tell_blocks(x);
    if (ended) record_burst_ends(x);
    recorder_end(r);
    record_keep();
}

/* A thread's checks are counted when it ends, and its buffer goes to another one. */
static void record_thread_begins(void *unused) {
    (void)unused;
    pthread_setspecific(record.at_end, &record);
}

/* With a filter, only the functions that it names are in contexts. */
static int record_is_wanted(const binpatch_frame *f) {
    binpatch_function about;
    uint32_t number;
    if (!record.filter[0]) return 1;
    number = binpatch_find_function(f->module, f->place);
    return number != UINT32_MAX && binpatch_get_function(number, &about) == 0
           && about.reason == BINPATCH_PATCHED;
}

/* The frames that are open when a burst begins, innermost first. Those that were open at the end of
   the last burst, too, stay open; of the outermost ones that is most. */
static void record_begin(void *user, const binpatch_frame *frames, size_t count) {
    recorder_thread *r = recorder_begin();
    uint32_t same = 0;
    (void)user;
    if (!r) return;
    for (; count && record.profiles & PROFILE_CALLS; count--) {
        const binpatch_frame *f = &frames[count - 1];
        const recorder_frame *open = &r->frames[same];
        uint32_t key = record_key(f->module, f->place);
        if (!record_is_wanted(f)) continue;
        if (same < r->frame_count && open->address == (uintptr_t)f->stack && open->key == key) {
            same++;
            continue;
        }
        if (same < r->frame_count) recorder_leave(r, open->key, open->address);
        recorder_enter(r, key, 0, (uintptr_t)f->stack, NULL, NULL);
        same = RECORDER_DEPTH;                /* all others are new */
    }
    if (same < r->frame_count) recorder_leave(r, r->frames[same].key, r->frames[same].address);
    recorder_end(r);
}

/* ---- what is written ---- */

static const recorder_thread *record_all;

/* Memory that the next one who asks gets again. */
static void *record_kept_memory(size_t bytes) {
    static void *memory;
    static size_t room;
    if (bytes > room) {
        room = 2 * bytes;
        memory = recorder_memory(room);
        if (!memory) room = 0;
    }
    return memory;
}

static int record_write_footprint(footprint *f, hcct_write_fn write, void *user) {
    size_t bytes = footprint_snapshot_bytes(f);
    void *memory = record.keeping ? record_kept_memory(bytes) : recorder_memory(bytes);
    footprint_profile profile;
    if (!memory || footprint_snapshot(f, &profile, memory, bytes) != 0) return -1;
    return footprint_write(&profile, "references in bursts", write, user);
}

/* A site of a stream: the function and how far in it the instruction stands. */
static const char *record_site_name(void *user, uint64_t site) {
    static char text[512];
    binpatch_function f;
    uint32_t module = (uint32_t)((site - 1) >> 32), place = (uint32_t)(site - 1);
    const char *name = NULL;
    (void)user;
    if (binpatch_get_function(binpatch_find_function(module, place), &f) != 0) return NULL;
    name = recorder_name(NULL, record_key(module, f.offset));
    snprintf(text, sizeof text, "%.400s+0x%x", name ? name : "?", place - f.offset);
    return text;
}

/* The names of functions that were known from the start, by keys: 1 + a number of binpatch.h. */
static uint32_t record_known[RECORDER_FUNCTIONS + 1];

static void record_know_names(void) {
    binpatch_function f;
    uint32_t n, key;
    for (n = 0; binpatch_get_function(n, &f) == 0; n++) {
        key = recorder_known_key((void *)(uintptr_t)f.address);
        if (key && key <= RECORDER_FUNCTIONS) record_known[key] = n + 1;
    }
}

/* What is kept while the program runs has the names that need no search in files. */
static const char *record_name(void *user, uint32_t key) {
    static char text[512];
    const char *name = recorder_name(user, key), *base;
    binpatch_function f;
    if (name || key > RECORDER_FUNCTIONS || !record_known[key]) return name;
    if (binpatch_get_function(record_known[key] - 1, &f) != 0) return NULL;
    if (f.name && *f.name) return f.name;
    base = f.path && *f.path ? f.path : program_invocation_short_name;
    if (strrchr(base, '/')) base = strrchr(base, '/') + 1;
    snprintf(text, sizeof text, "%.400s+0x%x", base, f.offset);
    return text;
}

static void record_about(sampled_profile *p) {
    binpatch_stats stats;
    int32_t jitter = record.config.jitter_percent;
    binpatch_get_stats(&stats);
    p->program = program_invocation_short_name;
    p->check_count = record.config.check_count;
    if (p->check_count == BINPATCH_ALWAYS && (record.toggles || record.config.off))
        p->check_count = 0;                 /* always, but only while it was on */
    p->burst_count = record.config.burst_count;
    p->jitter_percent = jitter > 0 ? (uint32_t)jitter : 0;
    p->bursts = stats.bursts;
    p->checks = stats.checks;
    if (record.keeping) /* what is kept is not weighed by the checks that were counted */
        p->checks = stats.bursts * ((uint64_t)p->check_count + p->burst_count);
    if (p->check_count == BINPATCH_ALWAYS || record.config.bursts_per_second) p->checks = 0;
    p->name = record_name;
    p->name_user = NULL;
}

static int record_write_sampled(int pairs, hcct_write_fn write, void *user) {
    static const sampled_table *tables[THREADS];
    const recorder_thread *r;
    sampled_profile p;
    uint32_t count = 0;
    for (r = record_all; r && count < THREADS; r = r->next) {
        const record_extra *x = (const record_extra *)r->references;
        const sampled_table *table = !x ? NULL : pairs ? x->pairs : x->methods;
        if (table) tables[count++] = table;
    }
    if (!count) return 0;
    record_about(&p);
    return sampled_write(&p, tables, count, write, user);
}

/* What each thread has beside its tree; build/bursty joins the parts. */
static int record_write_more(hcct_write_fn write, void *user) {
    const recorder_thread *r;
    sampled_profile about;
    int failed, pairs = record.profiles & PROFILE_PAIRS;
    record_about(&about);
    failed = timer_write(&about, write, user);
    /* A reader adds up the pairs of a function, so that pairs tell everything about functions. */
    if (!failed && (pairs || record.profiles & PROFILE_METHODS))
        failed = record_write_sampled(pairs, write, user);
    for (r = record_all; r && !failed; r = r->next) {
        const record_extra *x = (const record_extra *)r->references;
        if (x && x->f) failed = record_write_footprint(x->f, write, user);
        if (x && x->streams && !failed && !record.keeping)  /* writing ends their sequences */
            failed = hotstream_write(x->streams, "references in bursts", record_site_name, NULL,
                                     write, user);
    }
    return failed;
}

/* Bursts stand for the whole run. */
static void record_scale(hcct *tree) {
    hcct_stats stats;
    if (record.weight_256 == 256) return;
    hcct_get_stats(tree, &stats);
    hcct_scale_to(tree, stats.total / 256 * record.weight_256
                            + stats.total % 256 * record.weight_256 / 256);
}

static int record_write_tree(const recorder_thread *r, hcct_write_fn write, void *user) {
    static hcct tree;                           /* the thread may go on with its own */
    const record_extra *x = (const record_extra *)r->references;
    tree = r->tree;
    record_scale(&tree);
    tree.config.sums = x && x->sums ? contexts_numbers : NULL;
    tree.config.sums_user = x ? x->sums : NULL;
    return hcct_write(&tree, record_name, NULL, write, user);
}

static int record_write_all(hcct_write_fn write, void *user) {
    const recorder_thread *r = record.profiles & PROFILE_HCCT ? record_all : NULL;
    int failed = 0;
    for (; r && !failed; r = r->next) failed = record_write_tree(r, write, user);
    return failed ? -1 : record_write_more(write, user);
}

/* ---- for the case that the process is killed: keep.c ---- */

static int record_write_kept(keep_write_fn write, void *user) {
    recorder_thread *all = recorder_hold();
    int failed;
    if (!all) return -1;
    record.keeping = 1;
    record_all = all;
    record_know_names();
    failed = record_write_all(write, user);
    record.keeping = 0;
    recorder_release(all);
    return failed;
}

/* The first process alone: the file is its own. */
static void record_keep(void) {
    if (!keep_is_due() || record.sandboxed || record.done || record.pid != record.owner) return;
    if (getpid() == record.pid) keep(record_write_kept);
}

/* Functions whose instructions are in hot streams need a key to get a name. */
static void record_note_sites(const recorder_thread *r) {
    static hotstream_stream rows[STREAM_ROWS];
    const record_extra *x = (const record_extra *)r->references;
    size_t n, count;
    uint32_t k;
    if (!x || !x->streams) return;
    count = hotstream_top(x->streams, rows, STREAM_ROWS);
    for (n = 0; n < count && n < STREAM_ROWS; n++) {
        for (k = 0; k < rows[n].length; k++) {
            uint64_t site = rows[n].items[k].site - 1;
            uint32_t module = (uint32_t)(site >> 32);
            binpatch_function f;
            if (binpatch_get_function(binpatch_find_function(module, (uint32_t)site), &f) == 0)
                (void)record_key(module, f.offset);
        }
    }
}

/* Do most functions of the executable have a name? */
static int record_has_symbols(void) {
    binpatch_function f;
    uint32_t n, named = 0, count = 0;
    for (n = 0; binpatch_get_function(n, &f) == 0 && f.module == 0; n++) {
        if (f.reason == BINPATCH_STARTUP || f.reason == BINPATCH_FRAGMENT) continue;
        count++;
        named += f.name && *f.name;
    }
    return record.debug_file || named * 4 >= count;
}

/* What everybody is to know. */
static void record_write_hints(void) {
    char line[8192];
    binpatch_module m;
    binpatch_stats stats;
    const char *refusal = binpatch_get_module(0, &m) == 0 ? m.refusal : NULL;
    if (!record.running) {
        if (record.filter[0])
            snprintf(line, sizeof line,
                     "!nothing was recorded: no function has a name that matches %s%s\n",
                     record.filter, record_has_symbols() ? "" : " (the program has no symbols)");
        else
            snprintf(line, sizeof line, "!nothing was recorded: %s\n",
                     refusal ? refusal : binpatch_reason());
        handover_line(line);
    } else if (refusal) {
        snprintf(line, sizeof line, "!only libraries were recorded: the program has %s\n", refusal);
        handover_line(line);
    } else if (!record_has_symbols()) {
        snprintf(line, sizeof line,
                 "?%s has no symbols: its functions show as numbers. Its debug symbols, or a build "
                 "without strip, would name them\n",
                 program_invocation_short_name);
        handover_line(line);
    }
    binpatch_get_stats(&stats);
    if (stats.lost_threads) {
        snprintf(line, sizeof line, "?%u threads were not sampled, for %d ran beside them\n",
                 stats.lost_threads, BINPATCH_P_THREADS);
        handover_line(line);
    }
    if (record.threads_missing) {
        snprintf(line, sizeof line, "?%u threads were not recorded: there is no memory\n",
                 record.threads_missing);
        handover_line(line);
    }
    if (binpatch_p.shadow_stack)
        handover_line("?the processor checks returns (shadow stack): short bursts miss calls that "
                      "stand behind another call\n");
    if (record.missed) {
        snprintf(line, sizeof line,
                 "!%llu calls are missing: signal handlers made them in the middle of the "
                 "recorder\n", (unsigned long long)record.missed);
        handover_line(line);
    }
    if (record.no_timer) handover_line("!there are no ticks: the system has no timer for it\n");
    if (record.not_switched)
        handover_line("!a signal could not switch sampling on: threads run that were started "
                      "without pthread_create, or on another stack\n");
    if (record.sandboxed && record.ticks)
        handover_line("?the ticks end where the program limited its system calls (seccomp)\n");
    if (record.write_error) {
        snprintf(line, sizeof line, "!cannot write %s: %s\n", record.path,
                 strerrordesc_np(record.write_error));
        handover_line(line);
    }
}

/* The report for the tool: faults, which begin with !, hints, which begin with ?, and for
   `bursty record --stats` lines about each module. */
static void record_write_report(void) {
    char line[8192];
    uint32_t n, r;
    binpatch_module m;
    binpatch_stats s;
    record_write_hints();
    binpatch_get_stats(&s);
    snprintf(line, sizeof line,
             "bursts %llu, checks %llu, in bursts %llu, missed %llu, "
             "events %llu, events lost %llu, threads %u, without a buffer %u\n",
             (unsigned long long)s.bursts, (unsigned long long)s.checks,
             (unsigned long long)s.burst_checks, (unsigned long long)s.missed,
             (unsigned long long)s.events, (unsigned long long)s.lost, s.threads, s.lost_threads);
    handover_line(line);
    snprintf(line, sizeof line, "threads without memory %u, calls too deep to follow %llu\n",
             record.threads_missing, (unsigned long long)record.frames_full);
    handover_line(line);
    for (n = 0; binpatch_get_module(n, &m) == 0; n++) {
        snprintf(line, sizeof line,
                 "%s: %s%s%llu KiB of text, %u functions copied (%llu KiB), %u instrumented (%llu "
                 "KiB)\n",
                 *m.path ? m.path : program_invocation_name, m.refusal ? "not patched: " : "",
                 m.refusal ? m.refusal : "", (unsigned long long)m.text_bytes / 1024,
                 m.checking_count, (unsigned long long)m.checking_bytes / 1024,
                 m.instrumented_count, (unsigned long long)m.instrumented_bytes / 1024);
        handover_line(line);
        for (r = 0; r < BINPATCH_REASONS; r++) {
            if (!m.functions[r]) continue;
            snprintf(line, sizeof line, "%10u %s\n", m.functions[r], binpatch_reason_text((int)r));
            handover_line(line);
        }
    }
}

/* A call in a burst stands for as many calls as there are checks for each check in bursts. Both are
   counted. Returns by how much this is more than what tables took it for. */
static double record_weigh(void) {
    binpatch_stats stats;
    uint64_t taken_256 = record.weight_256;
    binpatch_get_stats(&stats);
    if (record.config.check_count == BINPATCH_ALWAYS) record.missed = stats.missed;
    if (taken_256 == 256 || !stats.burst_checks) return 1;
    record.weight_256 = (uint64_t)((double)stats.checks * 256 / (double)stats.burst_checks + .5);
    return (double)stats.checks / (double)stats.burst_checks * 256 / (double)taken_256;
}

static void record_multiply(uint64_t *sum, double by) {
    double product = (double)*sum * by + .5;
    *sum = *sum == UINT64_MAX || product >= 1.8e19 ? UINT64_MAX : (uint64_t)product;
}

static void record_scale_table(sampled_table *t, double by) {
    uint32_t n;
    for (n = 0; t && n < SAMPLED_ROWS; n++) {
        record_multiply(&t->rows[n].weight_256, by);
        record_multiply(&t->rows[n].yy, by * by);
        record_multiply(&t->rows[n].ys, by * by);
        record_multiply(&t->rows[n].xy, by * by);
    }
    if (t) record_multiply(&t->xx, by * by);
}

/* Into memory that the tool sees: handover.c. Returns 0, or -1. */
static int record_hand_over(void) {
    if (record_write_all(handover_write, NULL) != 0) return -1;
    handover_whole();
    return 0;
}

/* The file gets its name when it is whole. The first process has the tool to do that for it. */
static void record_write_file(void) {
    char path[4200], whole[4200];
    int is_first = record.pid == record.owner && !record.direct, error = 0;
    struct stat s;
    if (record.pid == record.owner) snprintf(path, sizeof path, "%s", record.path);
    else snprintf(path, sizeof path, "%s.%ld", record.path, (long)record.pid);
    snprintf(whole, sizeof whole, "%.4100s%s", path, record.direct ? "" : ".new");
    if (record.sandboxed) error = EPERM;
    else if (recorder_write(NULL, whole, record_write_all) != 0) error = errno;
    else if (record.direct || rename(whole, path) == 0) return;
    else if (is_first && stat(whole, &s) == 0) {
        handover_name((size_t)s.st_size);
        return;
    } else error = errno;
    if (is_first && (error == EPERM || error == EACCES || error == ENOENT)
        && record_hand_over() == 0)
        return;
    record.write_error = error;
    if (!record.direct && !record.sandboxed) unlink(whole);
}

static void record_save(void) {
    const recorder_thread *r;
    int saved = errno;
    uint64_t missed;
    double by;
    if (__atomic_exchange_n(&record.done, 1, __ATOMIC_ACQ_REL)) return;
    keep_stop();
    if (!record.path[0] || (record.pid != record.owner && !record.follow)) return;
    if (record.running) {
        binpatch_flush();
        timer_stop(0);
        (void)binpatch_toggle(0);
        record_all = recorder_stop(&record.threads_missing);
        by = record_weigh();
        missed = record.missed;
        for (r = record_all; r; r = r->next) {
            record_extra *x = (record_extra *)r->references;
            record.frames_full += r->frames_full;
            record_burst_ends(x);
            if (x) record_scale_table(x->methods, by);
            if (x) record_scale_table(x->pairs, by);
            if (x && x->methods) x->methods->lost += missed;
            if (x && x->pairs) x->pairs->lost += missed;
            if (x && (x->methods || x->pairs)) missed = 0;
            record_note_sites(r);
        }
        if (!record.sandboxed) (void)recorder_find_names();
        record_write_file();
    }
    if (record.pid == record.owner) record_write_report();
    errno = saved;
}

void recorder_at_exit(void) { record_save(); }

/* Events of a thread's last burst. This key is older than that of threads.c, so it comes first. */
static void record_thread_ends(void *unused) {
    recorder_thread *r;
    (void)unused;
    binpatch_leave();
    r = binpatch_p_tls.bursts ? recorder_begin() : NULL;
    if (!r) return;
    record_burst_ends((record_extra *)r->references);
    recorder_end(r);
}

/* Names of all functions that may still be called: later their files will be out of sight. */
static void record_name_all(void) {
    enum { NAMES = 1 << 15 };
    binpatch_function f;
    uint32_t n;
    if (!record.running || record.done || getpid() != record.pid) return;   /* a vfork child */
    for (n = 0; n < NAMES && binpatch_get_function(n, &f) == 0; n++) {
        if (f.reason == BINPATCH_PATCHED) (void)record_key(f.module, f.offset);
    }
    (void)recorder_find_names();
}

/* The program is about to forbid itself system calls. What needs any is done now: names, memory,
   and no more ticks, for they need a return from a handler. */
static void record_sandbox(void) {
    enum { POOL = 1 << 24 };
    if (!record.running || record.done) return;
    keep_stop();
    timer_stop(1);
    if (record.pid != record.owner) {           /* a child could not write its file */
        (void)binpatch_toggle(0);
        __atomic_store_n(&record.done, 1, __ATOMIC_RELEASE);
    } else {
        handover_prepare();
        record_name_all();
        record.pool = (uint8_t *)recorder_memory(POOL);
        record.pool_left = record.pool ? POOL : 0;
    }
    record.sandboxed = 1;
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
    if (record.sandboxed || getpid() == record.pid) record_save(); /* a vfork child is not us */
    for (;;) syscall(SYS_exit_group, status);
}
EXPORTED void _Exit(int status) { _exit(status); }

/* Later it would be too late to patch the entries. */
EXPORTED int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                            void *(*start)(void *), void *argument) {
    static timer_create_fn create;
    if (!create) {
        void *real = dlsym(RTLD_NEXT, "pthread_create");
        memcpy(&create, &real, sizeof real);
    }
    if (record.running && record.toggles && !record.done && !record.sandboxed)
        (void)binpatch_arm();
    if (!create) return EAGAIN;
    return timer_create_thread(create, thread, attributes, start, argument);
}

/* A thread that may be cancelled at any instruction gets no bursts: the unwind information of
   copies does not say how deep the stack is inside an event. */
static void record_quiet(int is_quiet) {
    binpatch_p_thread *t = &binpatch_p_tls;
    if (is_quiet) binpatch_leave();
    else if (t->known == BINPATCH_P_QUIET) {
        t->known = BINPATCH_P_NEW;
        t->n = 0;
    }
}

EXPORTED int pthread_setcanceltype(int type, int *old) {
    static int (*real)(int, int *);
    int status;
    if (!real) {
        void *symbol = dlsym(RTLD_NEXT, "pthread_setcanceltype");
        memcpy(&real, &symbol, sizeof real);
    }
    if (!real) return EINVAL;
    if (record.running && type == PTHREAD_CANCEL_ASYNCHRONOUS) record_quiet(1);
    status = real(type, old);
    if (record.running && type == PTHREAD_CANCEL_DEFERRED) record_quiet(0);
    return status;
}

/* A child counts from the start: what its threads had beside their trees belongs to the parent. */
int recorder_wants_child(recorder_thread *all) {
    record.pid = getpid();
    if (!record.follow || record.sandboxed) {
        timer_stop(0);
        (void)binpatch_toggle(0);
        __atomic_store_n(&record.done, 1, __ATOMIC_RELEASE);
        return 0;
    }
    timer_in_child();
    for (; all; all = all->next) all->references = NULL;
    binpatch_p.bursts = binpatch_p.checks = binpatch_p.burst_checks = 0;
    __atomic_store_n(&record.done, 0, __ATOMIC_RELEASE);
    return 1;
}

static int record_want(void *user, const char *module, const char *function) {
    const char *base = strrchr(module, '/') ? strrchr(module, '/') + 1 : module;
    (void)user;
    if (!strncmp(base, "libc.so", 7) || !strncmp(base, "libgcc_s.", 9)) return 0;
    if (function && record.filter[0]) return fnmatch(record.filter, function, 0) == 0;
    return 1;
}

/* While it is off and one thread runs, the program's code is as it was. */
static void record_toggle(int signal_number) {
    int saved = errno;
    (void)signal_number;
    if (binpatch_p.on) (void)(record.sandboxed ? binpatch_toggle(0) : binpatch_uninstall());
    else if ((record.sandboxed && !binpatch_p.armed) || binpatch_toggle(1) != 0)
        record.not_switched = 1;
    errno = saved;
}

static int record_find_debug_file(const char *path, const char *file, size_t size, int number,
                                  const char **bytes_out, size_t *size_out) {
    int found = recorder_find_debug_file(path, file, size, number, bytes_out, size_out);
    char own[4096];
    ssize_t n = readlink("/proc/self/exe", own, sizeof own - 1);
    if (n > 0) own[n] = 0;
    if (found && n > 0 && !strcmp(own, path)) record.debug_file = 1;
    return found;
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

/* What every process needs before its first event: keys of threads, handlers of fork and exit. */
static void record_prepare(void) {
    recorder_thread *r;
    pthread_key_create(&record.at_end, record_thread_ends);
    r = recorder_begin();
    if (r) recorder_end(r);
}

typedef char record_frames_fit[sizeof(binpatch_frame) * SAMPLED_DEEP <= TIMER_ROOM ? 1 : -1];

static uint32_t record_stack(uint64_t pc, uint64_t rsp, uint64_t rbp, uint64_t stack_end,
                             uint32_t *keys, void *room) {
    binpatch_frame *frames = (binpatch_frame *)room;
    binpatch_p_thread *t = &binpatch_p_tls;
    uint32_t n, count, wanted = 0;
    /* With a buffer a thread also has a memory for what it learns of return addresses. */
    if (t->known == BINPATCH_P_KNOWN && !t->buffer && !t->busy) (void)binpatch_p_take_buffer(t);
    count = binpatch_stack(pc, rsp, rbp, stack_end, frames, SAMPLED_DEEP);
    for (n = 0; n < count && count != UINT32_MAX; n++) {
        if (record_is_wanted(&frames[n]))
            keys[wanted++] = record_key(frames[n].module, frames[n].place);
    }
    record_keep();
    return count == UINT32_MAX ? count : wanted;
}

static void record_installed(int toggle_signal) {
    struct sigaction action;
    binpatch_module m;
    uint32_t n;
    for (n = 0; n < MODULES && binpatch_get_module(n, &m) == 0; n++) record.bias[n] = m.bias;
    record.first_key = recorder_key((void *)(uintptr_t)getauxval(AT_ENTRY));
    record.running = 1;
    handover_sandbox = record_sandbox;
    handover_names = record_name_all;
    if (record.ticks && timer_begin(record.ticks, record_stack) != 0) record.no_timer = 1;
    if (!toggle_signal) return;
    record.toggles = 1;
    memset(&action, 0, sizeof action);
    action.sa_handler = record_toggle;
    action.sa_flags = SA_RESTART;
    sigaction(toggle_signal, &action, NULL);
}

__attribute__((constructor)) static void record_start(void) {
    const char *wanted = getenv("BURSTY_RECORD"), *filter = getenv("BURSTY_RECORD_FILTER");
    unsigned number[12];
    int path_at = 0, saved = errno;
    void *real = dlsym(RTLD_NEXT, "_dl_find_object");
    memcpy(&record_find_object, &real, sizeof real);
    if (!wanted
        || sscanf(wanted, "%u %u %u %u %u %u %u %u %u %u %u %u %127s %n", &number[0], &number[1],
                  &number[2], &number[3], &number[4], &number[5], &number[6], &number[7],
                  &number[8], &number[9], &number[10], &number[11], record.report, &path_at)
               < 13
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
    record.direct = number[8] >> 10 & 1;
    snprintf(record.path, sizeof record.path, "%s", wanted + path_at);
    if (filter) snprintf(record.filter, sizeof record.filter, "%s", filter);
    record.pid = getpid();
    record.owner = (pid_t)number[9];
    if (record.pid == record.owner) {
        char whole[4200];
        snprintf(whole, sizeof whole, "%.4100s.new", record.path);
        handover_open(record.report, record.direct ? NULL : whole);
        if (!record.direct && !(number[8] >> 11 & 1)) keep_open(record.report);
    }
    record.config.bursts_per_second = number[10];
    record.ticks = number[11];
    record.weight_256 = 256;
    if (number[0] != BINPATCH_ALWAYS && !number[10])
        record.weight_256 = (uint64_t)(number[0] + number[1]) * 256 / number[1];
    record_restore_environment();
    recorder_debug_file = record_find_debug_file;
    record.config.want = record_want;
    record.config.action = record_events;
    record.config.begin = record_begin;
    record.config.thread = record_thread_begins;
    record_prepare();
    if (binpatch_install(&record.config)) record_installed((int)(number[8] & 255));
    errno = saved;
}
