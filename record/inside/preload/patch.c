/* patch.c - the library that `bursty record` preloads. It patches the program
   with record/x86 and gives the events of bursts to the rooms of this folder
   (recorder.h): for each thread a tree of calling contexts, counts of functions
   and of pairs, a footprint, hot streams, whatever is asked for. patch_file.c
   writes them when the process ends.

   What it is to do stands in the environment, which the program does not see:
   options.h. */
#define _GNU_SOURCE 1
#include "../../x86/x86.h"
#include "cache.h"
#include "frames.h"
#include "handover.h"
#include "objects.h"
#include "patch.h"
#include "quiet.h"
#include "../core/timer.h"
#include "../../../base/glob.h"
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define EXPORTED __attribute__((visibility("default")))

static __thread uint64_t record_repeat __attribute__((tls_model("initial-exec")));
static __thread int record_had_events __attribute__((tls_model("initial-exec")));
/* The thread's own stack, as far as it may grow, and that of its handlers. */
static __thread struct record_stacks {
    uintptr_t low, end, handlers_low, handlers_end;
} record_stacks __attribute__((tls_model("initial-exec")));

/* ---- events of a burst ---- */

/* Memory for a table that a thread keeps. */
static void *record_table(size_t bytes) {
    void *memory = recorder_memory(bytes);
    if (!memory) __atomic_store_n(&record.without_tables, 1, __ATOMIC_RELAXED);
    return memory;
}

static record_extra *record_extra_of(recorder_thread *r) {
    if (!r->references) {
        record_extra *x = (record_extra *)record_table(sizeof *x);
        if (x) x->thread = r;
        r->references = x;
    }
    return (record_extra *)r->references;
}

static footprint *record_footprint(record_extra *x) {
    footprint_config config = {0};
    size_t bytes;
    if (x->f) return x->f;
    if (record.config.every != X86_ALWAYS) config.flags = FOOTPRINT_BURSTS;
    bytes = footprint_bytes(&config, BLOCKS);
    x->f = (footprint *)record_table(sizeof *x->f + 64 + bytes);
    if (x->f) footprint_init(x->f, x->f + 1, bytes, &config);
    return x->f;
}

static hotstream *record_streams(record_extra *x) {
    hotstream_config config = {0};
    size_t bytes;
    record_find_stack(x);
    if (x->streams) return x->streams;
    config.streams_max = record.streams;
    bytes = hotstream_bytes(&config, STREAM_NODES);
    x->streams = (hotstream *)record_table(sizeof *x->streams + 64 + bytes);
    if (x->streams) hotstream_init(x->streams, x->streams + 1, bytes, &config);
    return x->streams;
}

/* What an access belongs to: a function by its key. */
static void record_charge(void *user, uint64_t site, uint64_t address, uint64_t *function,
                          uint64_t *object) {
    const record_extra *x = (const record_extra *)user;
    uint32_t module = (uint32_t)((site - 1) >> 32), place = (uint32_t)(site - 1);
    x86_function f;
    if (x86_get_function(x86_find_function(module, place), &f) == 0)
        *function = record_key(module, f.offset);
    *object = objects_find(address, x->stack_low, x->stack_end);
}

/* Sums over bursts of a tree. A burst that never ends is no sample. */
static contexts *record_sums(const recorder_thread *r) {
    contexts *sums;
    if (record.config.every == X86_ALWAYS) return NULL;
    sums = (contexts *)record_table(contexts_bytes(RECORDER_CONTEXTS));
    if (!sums) return NULL;
    sums->nodes = RECORDER_CONTEXTS;
    sums->seed = recorder_seed + r->number * UINT32_C(0x9E3779B1);
    return sums;
}

static void record_missed(void *user, uint64_t function) {
    record_extra *x = (record_extra *)user;
    void *memory = x->missed ? NULL : record_table(missed_bytes());
    if (memory) x->missed = missed_init(memory, record_sums(x->thread));
    if (x->missed)
        missed_add(x->missed, x->thread->frames, x->thread->frame_count, (uint32_t)function);
}

static misses *record_misses(record_extra *x) {
    uint32_t flags = record.config.every == X86_ALWAYS ? MISSES_WHOLE : 0;
    size_t bytes;
    void *memory;
    record_find_stack(x);
    if (x->misses) return x->misses;
    bytes = misses_bytes(record.caches, record.cache_count);
    memory = bytes ? record_table(bytes) : NULL;
    if (!memory) return NULL;
    x->misses = misses_init(memory, record.caches, record.cache_count, flags, record_charge, x);
    if (record.profiles & PROFILE_HCCT) x->misses->missed = record_missed;
    return x->misses;
}

static interleave_log *record_interleave(record_extra *x) {
    if (!x->interleave) {
        x->interleave = (interleave_log *)record_table(sizeof *x->interleave);
        if (!x->turn_from_ns) {
            x->turn_from_ns = record.began_ns;
            x->turn_switches = UINT64_MAX;
        }
    }
    return x->interleave;
}

/* How long the thread ran, and how often it did not go on. Unknown where the
   program has forbidden itself system calls: it may have waited anywhere. */
static void record_thread_ran(uint64_t *cpu_ns, uint64_t *switches) {
    struct timespec t;
    struct rusage usage;
    *cpu_ns = 0;
    *switches = UINT64_MAX;
    if (record.sandboxed || getrusage(RUSAGE_THREAD, &usage) != 0
        || clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t) != 0)
        return;
    *cpu_ns = (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
    *switches = (uint64_t)usage.ru_nvcsw + (uint64_t)usage.ru_nivcsw;
}

/* What comes now belongs to a new row. The time is taken last here and first
   below, so that no switch is overlooked. */
static void record_turn_begins(record_extra *x) {
    record_thread_ran(&x->turn_cpu_ns, &x->turn_switches);
    x->turn_from_ns = record_now_ns();
}

static void record_turn_ends(record_extra *x, uint64_t now_ns) {
    uint64_t cpu_ns, switches, edge_ns = 0, ran;
    if (!record_interleave(x)) return;
    record_thread_ran(&cpu_ns, &switches);
    ran = cpu_ns - x->turn_cpu_ns;
    if (x->turn_switches != UINT64_MAX && switches == x->turn_switches + 1 && ran < UINT64_MAX / 2)
        edge_ns = ran + ran / 1000 + 2000; /* the two clocks need not go alike */
    interleave_add(x->interleave, x->turn_from_ns, now_ns, x->turn_accesses, edge_ns);
    x->turn_accesses = 0;
}

/* What a footprint has not been told yet. */
static void record_tell_blocks(record_extra *x) {
    if (x->f && x->block_count) footprint_access_many(x->f, x->blocks, x->block_count);
    x->block_count = 0;
}

/* A reference to more than one block. `times` is the count of a rep
   instruction. */
static void record_long_reference(record_extra *x, const x86_event *e, uint64_t times) {
    uint32_t bytes = X86_BYTES(e->what);
    record_tell_blocks(x);
    footprint_reference(x->f, (const void *)(uintptr_t)e->value,
                        (size_t)((bytes ? bytes : 1) * times));
}

/* References in a row, up to `end`; returns where the row ends. Most touch one
   block, and those are collected. */
static const x86_event *record_blocks(record_extra *x, const x86_event *e,
                                           const x86_event *end) {
    unsigned log2 = x->f->config.block_log2;
    size_t n = x->block_count;
    for (; e < end && e->what & (X86_LOAD | X86_STORE); e++) {
        uint64_t block = e->value >> log2, bytes = X86_BYTES(e->what);
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

static void record_reference(record_extra *x, const x86_event *e, uint64_t times) {
    x->turn_accesses += times;
    if (x->f) record_long_reference(x, e, times);
    if (x->streams) record_stream_reference(x, e, times);
    if (x->sharing) {
        uint64_t module = X86_MODULE(e->what);
        int what = (e->what & X86_LOAD ? SHARING_LOAD : 0)
                   | (e->what & X86_STORE ? SHARING_STORE : 0);
        sharing_access(x->sharing, (module << 32 | e->place) + 1, e->value,
                       X86_BYTES(e->what) * times, what);
    }
    if (x->misses) {
        uint64_t module = X86_MODULE(e->what);
        misses_access(x->misses, (module << 32 | e->place) + 1, e->value,
                      X86_BYTES(e->what) * times);
    }
}

/* As how many a call of this burst counts. */
static uint32_t record_weight(const recorder_thread *r) {
    return recorder_reenable == RECORDER_STATIC ? 1 : r->weight;
}

static void record_sum_context(recorder_thread *r, record_extra *x, uint32_t key) {
    if (!x->sums) x->sums = record_sums(r);
    if (x->sums) contexts_count(x->sums, &r->tree, key, record_weight(r));
}

/* The call that was just entered, in the tables that are asked for. */
static void record_call(recorder_thread *r, uint32_t key) {
    record_extra *x = record_extra_of(r);
    uint32_t n = r->frame_count, caller = n > 1 ? r->frames[n - 2].key : 0;
    if (!x) return;
    if (record.profiles & PROFILE_HCCT) record_sum_context(r, x, key);
    if (record.profiles & PROFILE_METHODS && !(record.profiles & PROFILE_PAIRS)) {
        if (!x->methods) x->methods = (sampled_table *)record_table(sizeof *x->methods);
        if (x->methods) sampled_count(x->methods, key, 0, record.weight_256);
    }
    if (record.profiles & PROFILE_PAIRS) {
        if (!x->pairs) x->pairs = (sampled_table *)record_table(sizeof *x->pairs);
        if (x->pairs) sampled_count(x->pairs, key, caller, record.weight_256);
    }
}

/* The first thread's stack grows, and the kernel keeps room for it. */
static void record_find_own_stack(void) {
    enum { LEAST = 127 << 20 };
    const uintptr_t most = (uintptr_t)1 << 40, here = (uintptr_t)__builtin_frame_address(0);
    uintptr_t end = (uintptr_t)getauxval(AT_RANDOM), reach = most;
    struct rlimit limit;
    if (record.sandboxed) return;
    if (getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur < most)
        reach = (uintptr_t)limit.rlim_cur;
    if (reach < LEAST) reach = LEAST;
    if (here < end && end - here < reach) {
        record_stacks.low = end - reach;
        record_stacks.end = end;
    } else recorder_find_stack((uintptr_t)pthread_self(), &record_stacks.low, &record_stacks.end);
}

/* Is this frame on a stack that the program switched to by itself? Then functions that
   are open on the other stack are taken for its callers. */
static int record_is_astray(uintptr_t frame) {
    const struct record_stacks *s = &record_stacks;
    return s->end && frame - s->low >= s->end - s->low
           && frame - s->handlers_low >= s->handlers_end - s->handlers_low;
}

static void record_event(recorder_thread *r, const x86_event *e, record_calls *calls) {
    uintptr_t frame = (uintptr_t)e->value;
    if (e->what & (X86_ENTRY | X86_EXIT) && record.profiles & PROFILE_CALLS) {
        uint32_t key = record_key(X86_MODULE(e->what), e->place);
        if (key == record.first_key) return;
        if (e->what & X86_ENTRY) {
            recorder_enter(r, key, record_weight(r), frame, NULL, NULL);
            record_call(r, key);
            calls->all++;
            calls->astray += (uint64_t)record_is_astray(frame);
        } else recorder_leave(r, key, frame);
    }
}

/* The first process alone: the file is its own. */
static void record_keep(void) {
    if (!keep_is_due() || record.sandboxed || record.done || record.pid != record.owner) return;
    if (getpid() == record.pid) keep(record_write_kept);
}

static void record_burst_ends(record_extra *x) {
    if (x && x->sums) contexts_burst(x->sums);
    if (x && x->missed && x->missed->sums) contexts_burst(x->missed->sums);
    if (x && x->f && record.config.every != X86_ALWAYS) footprint_burst(x->f);
    if (x && x->streams) hotstream_burst(x->streams);
    if (record_layout(x)) layout_burst(record_layout(x));
    if (x && x->misses) misses_burst(x->misses);
    if (x && x->sharing) record_sharing_burst(x);
    if (x && x->methods) sampled_burst(x->methods, record.weight_256);
    if (x && x->pairs) sampled_burst(x->pairs, record.weight_256);
}

static void record_events(void *user, const x86_event *e, size_t count, int ended) {
    recorder_thread *r = recorder_begin();
    record_extra *x = r ? record_extra_of(r) : NULL;
    record_calls calls = {0, 0};
    const x86_event *end = e + count;
    const int has_interleave = (record.profiles & PROFILE_INTERLEAVE) != 0;
    const uint64_t now_ns = has_interleave ? record_now_ns() : 0;
    (void)user;
    record_had_events = 1;
    if (!r) {
        if (!record.done) __atomic_fetch_add(&record.lost, count, __ATOMIC_RELAXED);
        return;
    }
    if (x && record.profiles & PROFILE_FOOTPRINT) (void)record_footprint(x);
    if (x && record.profiles & PROFILE_STREAMS) (void)record_streams(x);
    if (x && record.profiles & PROFILE_MISSES) (void)record_misses(x);
    if (x && record.profiles & PROFILE_SHARING) (void)record_sharing(x);
    for (; e < end; e++) {
        if (x && x->f && !x->streams && !x->misses && !x->sharing && !has_interleave && !record_repeat)
            e = record_blocks(x, e, end);
        if (e == end) break;
        if (e->what & X86_REPEAT) {
            record_repeat = e->value;
            continue;
        }
        if (!(e->what & (X86_LOAD | X86_STORE))) record_event(r, e, &calls);
        else if (x) record_reference(x, e, record_repeat ? record_repeat : 1);
        if (record_repeat && e->what & X86_LOAD && e + 1 < end && e[1].what & X86_STORE
            && e[1].place == e->place) {
            continue;                           /* the count holds for both */
        }
        record_repeat = 0;
    }
    if (x) record_tell_blocks(x);
    __atomic_fetch_add(&record.calls.all, calls.all, __ATOMIC_RELAXED);
    __atomic_fetch_add(&record.calls.astray, calls.astray, __ATOMIC_RELAXED);
    if (has_interleave && x) {
        record_turn_ends(x, now_ns);
        record_turn_begins(x);
    }
    if (ended == X86_MIDDLE) {
        if (x && x->misses) misses_middle(x->misses);
    } else if (ended) record_burst_ends(x);
    else if (x && x->sharing && record.config.every == X86_ALWAYS) record_sharing_burst(x);
    recorder_end(r);
    record_keep();
}

/* A thread's checks are counted when it ends, and its buffer goes to another
   one. */
static void record_thread_begins(void *unused) {
    (void)unused;
    if (record.profiles & PROFILE_CALLERS) record_find_own_stack();
    pthread_setspecific(record.at_end, &record);
}

/* The stack of a thread was full while it was in here, and the program goes on.
   What is half written is given up, with all that it knew, and counted. */
static void record_abandoned(void *unused) {
    enum { OFTEN = 32 };
    static uint32_t times;
    uint64_t lost = 0;
    (void)unused;
    if (__atomic_fetch_add(&times, 1, __ATOMIC_RELAXED) < OFTEN) lost = recorder_repair();
    __atomic_fetch_add(&record.lost, lost, __ATOMIC_RELAXED);
    record_repeat = 0;
}

/* With --only or --not, only the functions that they leave are in contexts. */
static int record_is_wanted(const x86_frame *f) {
    x86_function about;
    uint32_t number;
    if (!record.only.list[0] && !record.not_these.list[0]) return 1;
    number = x86_find_function(f->module, f->place);
    return number != UINT32_MAX && x86_get_function(number, &about) == 0
           && about.reason != X86_FILTERED && about.reason != X86_STARTUP
           && about.reason != X86_FRAGMENT && about.reason != X86_OWN;
}

/* There are more callers than were listed: one call above all stands for them.
   Returns how many of the thread's calls stay open. */
static uint32_t record_open_beyond(recorder_thread *r) {
    const uintptr_t above = UINTPTR_MAX - 4095;
    if (r->frame_count && r->frames[0].key == RECORDER_BEYOND) return 1;
    if (r->frame_count) recorder_leave(r, r->frames[0].key, r->frames[0].address);
    recorder_enter(r, RECORDER_BEYOND, 0, above, NULL, NULL);
    return RECORDER_DEPTH;
}

/* Adaptive bursts (Mining Hot Calling Contexts, section 5.5): as how many each
   call of the burst counts, or 0 if its stack had one. The tree asks its history,
   and is left where it was. */
static uint32_t record_weigh_burst(recorder_thread *r, const x86_frame *frames, size_t count) {
    uint32_t depth = 0;
    if (recorder_reenable == RECORDER_STATIC) return 1;
    for (; count && depth < RECORDER_DEPTH; count--) {
        const x86_frame *f = &frames[count - 1];
        if (record_is_wanted(f)) r->keys[depth++] = record_key(f->module, f->place);
    }
    r->weight = hcct_burst_begin(&r->tree, r->keys, depth);
    if (!r->weight) return 0;
    hcct_burst_end(&r->tree);
    recorder_reopen(r);
    return r->weight;
}

/* The frames that are open when a burst begins, innermost first. Those that
   were open at the end of the last burst, too, stay open; of the outermost ones
   that is most. */
static uint32_t record_begin(void *user, const x86_frame *frames, size_t count) {
    recorder_thread *r = recorder_begin();
    record_extra *x = r ? record_extra_of(r) : NULL;
    uint32_t same = 0, weight = r ? record_weigh_burst(r, frames, count) : 1;
    (void)user;
    if (r && !weight) recorder_end(r);
    if (!r || !weight) return weight;
    if (x && record.profiles & PROFILE_SHARING) record_sharing_begins(x);
    if (count == X86_FRAMES && record.profiles & PROFILE_CALLS) same = record_open_beyond(r);
    for (; count && record.profiles & PROFILE_CALLS; count--) {
        const x86_frame *f = &frames[count - 1];
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
    if (x && record.profiles & PROFILE_INTERLEAVE) record_turn_begins(x);
    recorder_end(r);
    return weight;
}

/* ---- the end ---- */

static void record_save_all(void) {
    const recorder_thread *r;
    int saved = errno;
    uint64_t missed;
    double by;
    if (record.pid == record.owner) keep_stop();
    if (!record.path[0] || (record.pid != record.owner && !record.follow)) return;
    if (record.running) {
        x86_flush();
        timer_stop(0);
        (void)x86_toggle(0);
        if (record.config.every == X86_ALWAYS) /* of bursts that did not end nothing is counted */
            __atomic_fetch_add(&record.lost, x86_unread(), __ATOMIC_RELAXED);
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
        }
        if (!record.sandboxed) (void)recorder_find_places();
        record_write_file();
    }
    if (record.pid == record.owner) record_write_report();
    else if (record.write_error) handover_failed();
    errno = saved;
}

/* Whoever ends the process may be asked to be cancelled: not while we write. */
static void record_save(void) {
    int state;
    if (__atomic_exchange_n(&record.done, 1, __ATOMIC_ACQ_REL)) return;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
    record_save_all();
    pthread_setcancelstate(state, &state);
}

/* Events of a thread's last burst. This key is older than that of threads.c, so
   it comes first. */
static void record_thread_ends(void *unused) {
    static __thread int round __attribute__((tls_model("initial-exec")));
    recorder_thread *r;
    int is_late;
    (void)unused;
    if (++round < RECORDER_ROUNDS) {        /* the program's own destructors are still to come */
        pthread_setspecific(record.at_end, &record);
        return;
    }
    quiet_ends();
    is_late = !recorder_self();             /* its first events come now: no destructor follows */
    x86_leave();
    r = record_had_events ? recorder_begin() : NULL;
    if (!r) return;
    record_burst_ends((record_extra *)r->references);
    record_sharing_ends((record_extra *)r->references);
    recorder_end(r);
    if (is_late) recorder_end_thread();
}

/* Where all is that is loaded: later the files will be out of sight. */
static void record_look(void) {
    if (!record.running || record.done || getpid() != record.pid) return;   /* a vfork child */
    (void)recorder_find_places();
}

/* The program is about to forbid itself system calls. What needs any is done
   now: names, memory, and no more ticks, for they need a return from a
   handler. */
static void record_sandbox(void) {
    enum { POOL = 1 << 24 };
    if (!record.running || record.done) return;
    x86_forbid_calls();
    keep_stop();
    timer_stop(1);
    frames_sandbox();
    if (record.pid != record.owner) {           /* a child could not write its file */
        (void)x86_toggle(0);
        __atomic_store_n(&record.done, 1, __ATOMIC_RELEASE);
    } else {
        handover_prepare();
        record_look();
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
    const void *start, *end, *header = x86_find_frame(pc, &start, &end);
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
static void record_quick_exit(void) {
    if (record.sandboxed || getpid() == record.pid) record_save();
}

/* What was seen in a library that goes is noted before: another one may come in
   its place. */
EXPORTED int dlclose(void *handle) {
    static int (*real)(void *);
    int status;
    if (!real) {
        void *found = dlsym(RTLD_NEXT, "dlclose");
        memcpy(&real, &found, sizeof real);
    }
    if (!record.running || record.done || record.sandboxed || getpid() != record.pid)
        return real ? real(handle) : -1;
    (void)recorder_find_places();
    status = real ? real(handle) : -1;
    recorder_forget_unmapped();
    return status;
}

/* A stack that the program gives up stays known: events of calls on it may be handed
   over later. */
EXPORTED int sigaltstack(const stack_t *stack, stack_t *old) {
    int status = (int)syscall(SYS_sigaltstack, stack, old);
    if (status == 0 && stack && !(stack->ss_flags & SS_DISABLE)) {
        record_stacks.handlers_low = (uintptr_t)stack->ss_sp;
        record_stacks.handlers_end = record_stacks.handlers_low + stack->ss_size;
    }
    return status;
}

/* Later it would be too late to patch the entries. */
EXPORTED int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                            void *(*start)(void *), void *argument) {
    static timer_create_fn create;
    if (!create) {
        void *real = dlsym(RTLD_NEXT, "pthread_create");
        memcpy(&create, &real, sizeof real);
    }
    if (record.running && record.toggles && !record.done && !record.sandboxed)
        (void)x86_arm();
    if (!create) return EAGAIN;
    return timer_create_thread(create, thread, attributes, start, argument);
}

/* A child counts from the start: what its threads had beside their trees
   belongs to the parent. */
static int record_in_child(recorder_thread *all) {
    record.pid = getpid();
    if (!record.follow || record.sandboxed) {
        timer_stop(0);
        (void)x86_toggle(0);
        objects_end();
        __atomic_store_n(&record.done, 1, __ATOMIC_RELEASE);
        return 0;
    }
    record.is_child = 1;
    timer_in_child();
    quiet_in_child();
    record_sharing_in_child();
    frames_in_child();
    for (; all; all = all->next) all->references = NULL;
    record.lost = record.frames_full = record.calls.all = record.calls.astray = 0;
    x86_forked(recorder_seed);
    __atomic_store_n(&record.done, 0, __ATOMIC_RELEASE);
    return 1;
}

static int record_want(void *user, const char *module, const char *function) {
    const char *base = strrchr(module, '/') ? strrchr(module, '/') + 1 : module;
    (void)user;
    if (record.looks && !function) return 1;
    if (!record.looks && (!strncmp(base, "libc.so", 7) || !strncmp(base, "libgcc_s.", 9)
                          || !strcmp(base, "bursty-heap.so")))
        return 0;
    return !function
           || glob_wants(record.only.list, record.not_these.list, function, strlen(function));
}

/* While it is off and one thread runs, the program's code is as it was. */
static void record_toggle(int signal_number) {
    int saved = errno;
    x86_stats now;
    (void)signal_number;
    x86_get_stats(&now);
    if (now.on) (void)(record.sandboxed ? x86_toggle(0) : x86_uninstall());
    else if ((record.sandboxed && !now.armed) || x86_toggle(1) != 0)
        record.not_switched = 1;
    errno = saved;
}

/* The program's environment is what it would be without us. */
static void record_restore_environment(const record_wishes *w) {
    if (w->follow) return;
    if (*w->preload) setenv("LD_PRELOAD", w->preload, 1);
    else unsetenv("LD_PRELOAD");
    if (*w->tunables == '=') setenv("GLIBC_TUNABLES", w->tunables + 1, 1);
    else if (*w->tunables) unsetenv("GLIBC_TUNABLES");
    unsetenv(OPTIONS_VARIABLE);
}

/* What every process needs before its first event: keys of threads, handlers of
   fork and exit. */
static void record_prepare(void) {
    recorder_thread *r;
    pthread_key_create(&record.at_end, record_thread_ends);
    at_quick_exit(record_quick_exit);       /* the program's own come before it */
    r = recorder_begin();
    if (r) recorder_end(r);
}

typedef char record_frames_fit[sizeof(x86_frame) * SAMPLED_DEEP <= TIMER_ROOM ? 1 : -1];

/* Is a place in code of no file, that the program made itself? Where copies of
   all functions are made, nobody can tell; of a hooked function there is one,
   too. */
static int record_is_made(uint64_t pc) {
    struct dl_find_object found;
    const void *start, *end, *place = (const void *)(uintptr_t)pc;
    return record.looks && !record.only.list[0] && record_find_object
           && record_find_object((void *)(uintptr_t)pc, &found) != 0
           && !x86_find_copy(place, &start, &end);
}

static uint32_t record_stack(uint64_t pc, uint64_t rsp, uint64_t rbp, uint64_t stack_end,
                             uint32_t *keys, void *room) {
    x86_frame *frames = (x86_frame *)room;
    x86_seen seen = {0, 0};
    uint32_t n = 0, count = UINT32_MAX, wanted = 0;
    if (!x86_is_own(pc) || handover_is_call(pc))
        count = x86_stack_folded(pc, rsp, rbp, stack_end, frames, SAMPLED_DEEP, &seen);
    if (count && count != UINT32_MAX && seen.is_bare) {
        keys[wanted++] = recorder_bare_key((void *)(uintptr_t)pc);
        n = 1;
    }
    if (count != UINT32_MAX && record_is_made(pc)) {
        enum { NEAR = 32 };                     /* JIT compilers align what they make */
        keys[wanted++] = recorder_made_key((void *)(uintptr_t)(pc & ~(uint64_t)(NEAR - 1)));
    }
    for (; n < count && count != UINT32_MAX && wanted < SAMPLED_DEEP - 1; n++) {
        if (record_is_wanted(&frames[n]))
            keys[wanted++] = record_key(frames[n].module, frames[n].place);
    }
    if (seen.is_cut && count != UINT32_MAX) keys[wanted++] = SAMPLED_BEYOND;
    record_keep();
    return count == UINT32_MAX ? count : wanted;
}

static void record_installed(int toggle_signal) {
    struct sigaction action;
    x86_module m;
    x86_stats stats;
    uint32_t n;
    x86_get_stats(&stats);
    for (n = 0; n < MODULES && x86_get_module(n, &m) == 0; n++) {
        record.bias[n] = m.bias;
    }
    record.modules = n;
    recorder_start_places();
    record.first_key = recorder_key((void *)(uintptr_t)getauxval(AT_ENTRY));
    record.shadow_stack = stats.shadow_stack;
    record.running = 1;
    if (frames_begin(record.ticks) != 0 && record.pid == record.owner && !record.follow)
        syscall(SYS_exit_group, 2);
    handover_sandbox = record_sandbox;
    handover_names = record_look;
    timer_ticked = frames_tick;
    if (record.lines) timer_want_lines();
    if (record.ticks && record.timeline) axis_begin(record.timeline);
    if (record.ticks && timer_begin(record.ticks, record_stack) != 0) record.no_timer = 1;
    if (stats.filters) {        /* when it forbids them we are not asked: it is as if it had */
        handover_line("?the program can forbid system calls by an instruction of its own: the "
                      "recorder made none, and there are no ticks\n");
        record_sandbox();
    }
    if (!toggle_signal) return;
    record.toggles = 1;
    memset(&action, 0, sizeof action);
    sigfillset(&action.sa_mask);                /* nobody may jump out of it */
    action.sa_handler = record_toggle;
    action.sa_flags = SA_RESTART;
    sigaction(toggle_signal, &action, NULL);
}

static void record_take_patterns(record_patterns *p, const char *lines) {
    size_t count = 0, most = sizeof p->list / sizeof *p->list - 1;
    char *at = p->words;
    snprintf(p->words, sizeof p->words, "%s", lines);
    while (*at && count < most) {
        p->list[count++] = at;
        at += strcspn(at, "\n");
        if (*at) *at++ = 0;
    }
    p->list[count] = NULL;
}

/* BYTES=LABEL and a space, again and again. */
static void record_take_caches(const char *words) {
    while (record.cache_count < CACHES_SIZES) {
        uint64_t bytes = 0;
        size_t size;
        char *label = record.cache_labels[record.cache_count];
        for (; *words >= '0' && *words <= '9'; words++)
            bytes = bytes * 10 + (uint64_t)(*words - '0');
        if (!bytes || *words++ != '=') break;
        size = strcspn(words, " ");
        snprintf(label, sizeof record.cache_labels[0], "%.*s", (int)size, words);
        if (!strcmp(label, "-")) label[0] = 0;
        record.caches[record.cache_count++] = bytes;
        words += size;
        words += *words == ' ';
    }
    if (!record.cache_count) record.profiles &= ~(unsigned)PROFILE_MISSES;
}

/* Runs with patterns of functions are not remembered: each may patch others. */
static void record_remember(const char *folder) {
    const x86_config *c = &record.config;
    if (!*folder || record.looks || record.only.list[0] || record.not_these.list[0]) return;
    cache_open(folder, (uint64_t)(uint32_t)c->k_boring << 1 | (c->all_checks != 0));
    record.config.recall = cache_recall;
    record.config.keep = cache_keep;
}

/* What stands in the options, and what follows from it alone. */
static void record_take(const record_wishes *w) {
    x86_config *c = &record.config;
    c->every = w->every;
    c->burst = w->burst;
    c->jitter = w->jitter ? (int32_t)w->jitter : -1;
    c->events = w->events;
    c->k_boring = w->boring ? (int32_t)w->boring : -1;
    c->off = w->off != 0;
    c->all_checks = w->all_checks != 0;
    c->no_patches = w->looks != 0;
    c->bursts_per_second = w->per_second;
    record.profiles = w->profiles;
    record.follow = w->follow != 0;
    record.direct = w->direct != 0;
    record.looks = w->looks != 0;
    record.lines = w->looks && w->lines;
    record.timeline = w->timeline;
    record.ticks = w->ticks;
    record.streams = w->streams ? w->streams : STREAMS;
    record.weight_256 = 256;
    if (w->every != X86_ALWAYS && !w->per_second)
        record.weight_256 = ((uint64_t)w->every + w->burst) * 256 / w->burst;
    snprintf(record.path, sizeof record.path, "%s", w->output);
    snprintf(record.report, sizeof record.report, "%s", w->report);
    if (w->profiles & PROFILE_REFERENCES) c->threads = REFERENCE_THREADS;
    if (w->profiles & PROFILE_MISSES) record_take_caches(w->caches);
    c->halves = (w->profiles & PROFILE_MISSES) != 0;
    record_take_patterns(&record.only, w->only);
    record_take_patterns(&record.not_these, w->not_these);
    frames_take(w->slow_us, w->frames, w->symbols);
}

static void record_open_report(const record_wishes *w) {
    char whole[4200];
    record.pid = getpid();
    record.owner = (pid_t)w->owner;
    if (record.pid != record.owner) {
        handover_join(record.report);
        return;
    }
    snprintf(whole, sizeof whole, "%.4100s.new", record.path);
    handover_open(record.report, record.direct ? NULL : whole);
    if (!record.direct && !w->no_keep) keep_open(record.report);
}

__attribute__((constructor)) static void record_start(void) {
    static record_wishes wishes;
    const char *wanted = getenv(OPTIONS_VARIABLE);
    int saved = errno;
    void *real = dlsym(RTLD_NEXT, "_dl_find_object");
    memcpy(&record_find_object, &real, sizeof real);
    if (!wanted) return;
    if (options_read(&wishes, wanted) != 0 || !wishes.burst) {
        static const char words[] = "bursty: the recorder and the tool are not of one version\n";
        (void)!write(2, words, sizeof words - 1);
        return;
    }
    (void)recorder_program();               /* later the program may forbid that */
    record_take(&wishes);
    record_open_report(&wishes);
    recorder_take_seed(wishes.seed);
    if (wishes.reenable) recorder_reenable = wishes.reenable - 1;
    if (record.pid != record.owner && wishes.seed) recorder_seed_child(); /* --follow */
    record.config.seed = recorder_seed;
    record.config.want = record_want;
    record.config.action = record_events;
    record.config.begin = record_begin;
    record.config.thread = record_thread_begins;
    record.config.abandoned = record_abandoned;
    recorder_on.exit = record_save;
    recorder_on.child = record_in_child;
    record_remember(wishes.cache);
    record_restore_environment(&wishes);
    record_prepare();
    if (record.profiles & PROFILE_INTERLEAVE) record.began_ns = record_now_ns();
    if (record.profiles & PROFILE_SHARING) record_sharing_start();
    else if (record.profiles & (PROFILE_MISSES | PROFILE_STREAMS)) objects_start();
    if (x86_install(&record.config)) record_installed((int)wishes.signal);
    else objects_free();
    cache_close();
    errno = saved;
}
