/* patch_file.c - what patch.c writes: its file, with the parts of all threads,
   and its report for the tool. The same file is made while the program runs,
   for the case that it is killed. */
#define _GNU_SOURCE 1
#include "frames.h"
#include "handover.h"
#include "objects.h"
#include "patch.h"
#include "quiet.h"
#include "../core/timer.h"
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

const recorder_thread *record_all;

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

/* The same for a list, which is used while there is other such memory. */
static void *record_list(size_t bytes) {
    static void *memory;
    static size_t room;
    if (bytes > room || !memory) {
        room = 2 * bytes + 4096;
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
    return footprint_write(
        &profile, profile.flags & FOOTPRINT_BURSTS ? "references in bursts" : "references", write,
        user);
}

/* A site of a stream: the function and how far in it the instruction stands. */
static const char *record_site_name(void *user, uint64_t site) {
    static char text[512];
    x86_function f;
    uint32_t module = (uint32_t)((site - 1) >> 32), place = (uint32_t)(site - 1);
    const char *name;
    (void)user;
    if (x86_get_function(x86_find_function(module, place), &f) != 0) return NULL;
    name = recorder_name_of(f.address);
    snprintf(text, sizeof text, "%.400s+0x%x", name ? name : "?", place - f.offset);
    return text;
}

static void record_about(sampled_profile *p) {
    x86_stats stats;
    int32_t jitter = record.config.jitter;
    x86_get_stats(&stats);
    memset(p, 0, sizeof *p);
    p->program = recorder_program();
    p->every = record.config.every;
    if (p->every == X86_ALWAYS
        && (record.toggles || record.config.off || stats.lost_threads))
        p->every = 0; /* always, but only while it was on, or not in all threads */
    p->burst = record.config.burst;
    p->jitter = jitter > 0 ? (uint32_t)jitter : 0;
    p->bursts = stats.bursts;
    p->checks = stats.checks;
    if (record.keeping) /* what is kept is not weighed by the checks that were counted */
        p->checks = stats.bursts * ((uint64_t)p->every + p->burst);
    if (p->every == X86_ALWAYS || record.config.bursts_per_second) p->checks = 0;
    p->has_checks = record.running && !record.looks
                    && (!record.config.off || stats.checks || stats.bursts);
    p->name = recorder_name;
    /* Counts know functions by their names alone, and the report joins both. */
    p->place = record.profiles & (PROFILE_PAIRS | PROFILE_METHODS) ? NULL : recorder_place;
    p->name_user = NULL;
}

static int record_write_sampled(int pairs, hcct_write_fn write, void *user) {
    const sampled_table **tables;
    const recorder_thread *r;
    sampled_profile p;
    uint32_t count = 0;
    for (r = record_all; r; r = r->next) count++;
    tables = (const sampled_table **)record_list(count * sizeof *tables);
    if (!tables) return -1;
    count = 0;
    for (r = record_all; r; r = r->next) {
        const record_extra *x = (const record_extra *)r->references;
        const sampled_table *table = !x ? NULL : pairs ? x->pairs : x->methods;
        if (table) tables[count++] = table;
    }
    record_about(&p);
    return sampled_write(&p, tables, count, write, user);
}

/* What was written, and what the report says. */
static quiet_time record_quiet;

/* In the file stands what is not covered, if it is worth a word: one percent of
   the time. */
static int record_write_quiet(const sampled_profile *about, hcct_write_fn write, void *user) {
    enum { END_QUIET = 3 };
    quiet_get(&record_quiet);
    if (record.looks) return 0;
    if (!record_quiet.all_ns || record_quiet.ns < record_quiet.all_ns / 100) return 0;
    return sampled_write_missing(about, END_QUIET, (record_quiet.ns + 500000) / 1000000,
                                 (record_quiet.all_ns + 500000) / 1000000, write, user);
}

/* How many functions are not patched, so that nobody sees their calls. Parts of other
   functions, start-up code, and what --only and --not leave out do not count. */
static uint32_t record_uncounted(uint32_t *of) {
    x86_module m;
    uint32_t n, r, count = 0;
    *of = 0;
    for (n = 0; n < record.modules && x86_get_module(n, &m) == 0; n++) {
        if (!m.refusal) *of += m.functions[X86_PATCHED];
        else count += m.functions[X86_PATCHED];
        for (r = X86_PATCHED + 1; r < X86_REASONS; r++) {
            if (r == X86_STARTUP || r == X86_FILTERED || r == X86_FRAGMENT
                || r == X86_OWN || r == X86_PART)
                continue;
            count += m.functions[r];
        }
    }
    *of += count;
    return count;
}

/* The one door for what is lost: what stands in this list is in the file, as a
   part of kind 7 (docs/formats.md), and is said on the terminal. */
typedef struct record_losses {
    uint32_t count;
    struct record_loss {
        unsigned why;
        uint64_t missing, of;           /* of as many: nobody knows of how many */
        char     words[400];            /* with ! or ? before them */
    } at[16];
} record_losses;

__attribute__((format(printf, 5, 6))) static void record_lose(record_losses *l, unsigned why,
                                                              uint64_t missing, uint64_t of,
                                                              const char *words, ...) {
    struct record_loss *one = &l->at[l->count];
    va_list rest;
    if (!missing || l->count == sizeof l->at / sizeof *l->at) return;
    one->why = why;
    one->missing = missing;
    one->of = of > missing ? of : missing;
    va_start(rest, words);
    vsnprintf(one->words, sizeof one->words, words, rest);
    va_end(rest);
    l->count++;
}

static const record_losses *record_find_losses(void) {
    enum { END_THREADS = 7, END_EVENTS, END_CALLS, END_MEMORY, END_CHANGED, END_MODULES,
           END_BLOCKS, END_PLACES, END_DEEP, END_TIMER, END_SWITCH, END_ASTRAY = 22,
           END_BROKEN, END_UNHOOKED };
    static record_losses l;
    unsigned long long lost, all, missed = record.missed, blocks = objects_lost(),
                       placeless = record_stream_placeless(), deep = record.frames_full;
    uint32_t unrecorded = record.threads_missing, named, unhooked = frames_left_out(&named);
    x86_stats s;
    x86_get_stats(&s);
    l.count = 0;
    lost = s.lost + record.lost;
    all = s.events + lost;
    record_lose(&l, END_CHANGED, s.changed, 0, "?%u functions were not sampled from some moment "
                "on: the program made their code writable", s.changed);
    record_lose(&l, END_MODULES, s.modules_left, 0,
                "?%u libraries were not recorded: there is room for 256 modules", s.modules_left);
    record_lose(&l, END_THREADS, s.lost_threads, s.threads, "?%u threads were not sampled all the "
                "time, for %u ran beside them", s.lost_threads, s.buffers);
    if (record.without_tables)
        record_lose(&l, END_MEMORY, unrecorded ? unrecorded : 1, s.threads, "!what threads did is "
                    "missing: there was no memory for the tables of what is recorded");
    else record_lose(&l, END_MEMORY, unrecorded, s.threads,
                     "?%u threads were not recorded: there is no memory", unrecorded);
    if (record.config.every != X86_ALWAYS)
        record_lose(&l, END_CALLS, s.missed, s.checks + s.missed, "?%llu calls are in no burst: they "
                    "were made in the middle of the recorder, or while a copy was made",
                    (unsigned long long)s.missed);
    record_lose(&l, END_CALLS, missed, all + missed, "!%llu calls are missing: they were made in "
                "the middle of the recorder, or while a copy was made", missed);
    record_lose(&l, END_EVENTS, lost, all, "%c%llu events or more are lost: the buffer ran over in "
                "code without checks (cure: --all-checks, or --not for a long function without calls "
                "and loops), a thread was at its end or still there when the program ended, or its "
                "stack was full and it went on, or a signal handler left by siglongjmp",
                record.config.every == X86_ALWAYS && lost > all / 1000 ? '!' : '?', lost);
    record_lose(&l, END_BLOCKS, blocks, 0, "?%llu blocks of the heap are not known by who allocated "
                "them: there is room for a million at a time", blocks);
    record_lose(&l, END_PLACES, placeless, 0, "?%llu references in hot streams are known by their "
                "address, not by what data it is: each thread has room for %u pairs of an "
                "instruction and an object", placeless, (unsigned)STREAM_PLACES * 3 / 4);
    record_lose(&l, END_DEEP, deep, all, "?%llu calls were too deep to follow", deep);
    record_lose(&l, END_ASTRAY, record.calls.astray, record.calls.all,
                "?%llu of %llu calls were made on stacks that the program switches to by itself "
                "(fibers, coroutines): their callers may be false",
                (unsigned long long)record.calls.astray, (unsigned long long)record.calls.all);
    /* Few are like longer gaps, and the recorder's own ticks end some. */
    record_lose(&l, END_BROKEN, s.broken > s.bursts / 20 ? s.broken : 0, s.bursts,
                "?%llu of %llu bursts ended where they began: a signal came while the recorder "
                "prepared them",
                (unsigned long long)s.broken, (unsigned long long)s.bursts);
    record_lose(&l, END_UNHOOKED, unhooked, named,
                "?%u of %u functions of --frames begin no frame: they cannot be hooked", unhooked,
                named);
    record_lose(&l, END_TIMER, record.no_timer != 0, 0,
                "!there are no ticks: the system has no timer for it");
    record_lose(&l, END_TIMER, record.sandboxed && record.ticks, 0,
                "?the ticks end where the program limited its system calls (seccomp)");
    record_lose(&l, END_SWITCH, record.not_switched != 0, 0, "!a signal could not switch sampling "
                "on: threads run that were started without pthread_create, or on another stack");
    return &l;
}

static int record_write_losses(const sampled_profile *about, hcct_write_fn write, void *user) {
    const record_losses *l = record_find_losses();
    int failed = 0;
    uint32_t n;
    for (n = 0; n < l->count && !failed; n++)
        failed = sampled_write_missing(about, l->at[n].why, l->at[n].missing, l->at[n].of, write, user);
    return failed;
}

static void record_say_losses(void) {
    const record_losses *l = record_find_losses();
    char line[sizeof l->at->words + 1];
    uint32_t n;
    for (n = 0; n < l->count; n++) {
        snprintf(line, sizeof line, "%s\n", l->at[n].words);
        handover_line(line);
    }
}

/* The next library that came by dlopen: its functions are not patched, which
   nobody is to find out by himself. Some are never patched, and not missed. */
static const char *record_later(uint32_t *at) {
    const char *path, *base;
    while ((path = recorder_later(at)) != NULL) {
        base = strrchr(path, '/') + 1;
        if (strncmp(path, "/memfd:", 7) && strncmp(base, "libc.so", 7)
            && strncmp(base, "libgcc_s.", 9) && strncmp(base, "ld-linux", 8))
            return path;
    }
    return NULL;
}

/* The functions and libraries of which the tables of calls and references know
   nothing. */
static int record_write_unseen(const sampled_profile *about, hcct_write_fn write, void *user) {
    enum { END_UNCOUNTED = 4, END_LATER = 5 };
    uint32_t of, count, n;
    const char *path;
    int failed = 0;
    if (record.looks || !record.running || record.without_tables) return 0;
    count = record_uncounted(&of);
    if (count) failed = sampled_write_missing(about, END_UNCOUNTED, count, of, write, user);
    for (n = 0; !failed && (path = record_later(&n)) != NULL;) {
        sampled_profile library = *about;
        library.program = path;
        failed = sampled_write_missing(&library, END_LATER, 1, 1, write, user);
    }
    return failed;
}

static void record_count_ticks(void *user, uint32_t key, uint64_t ticks) {
    (void)key;
    *(uint64_t *)user += ticks;
}

/* A timer of CPU time looks at the kernel's clock ticks alone, and where others
   want the processor, too, turns end there: no tick comes right behind the
   beginning of a turn, where the caches are cold. So how many turns were cut off
   is in the file, if they are worth a word. A program that sleeps begins its turns
   there, too, and is met at one place of its work. */
static int record_write_turns(const sampled_profile *about, hcct_write_fn write, void *user) {
    enum { END_TURNS = 6, END_WOKEN = 27, FEW = 50, PART = 4 };
    struct rusage usage;
    uint64_t ticks = 0, turns;
    uint32_t why;
    if (!record.ticks || record.sandboxed) return 0;
    timer_each(record_count_ticks, &ticks);
    if (ticks < FEW || getrusage(RUSAGE_SELF, &usage) != 0) return 0;
    turns = (uint64_t)usage.ru_nivcsw;
    if (turns < ticks / PART) return 0;
    why = (uint64_t)usage.ru_nvcsw < ticks / PART ? END_TURNS : END_WOKEN;
    return sampled_write_missing(about, why, turns < ticks ? turns : ticks, ticks, write, user);
}

/* Milliseconds of CPU time of those that it started and waited for; 0: too few
   for a word, or they are recorded, too. */
static uint64_t record_children(uint64_t *own_ms) {
    enum { LITTLE_MS = 20 };
    struct rusage own, theirs;
    uint64_t their_ms;
    *own_ms = 0;
    if (record.follow || record.sandboxed || getrusage(RUSAGE_SELF, &own) != 0
        || getrusage(RUSAGE_CHILDREN, &theirs) != 0)
        return 0;
    *own_ms = (uint64_t)(own.ru_utime.tv_sec + own.ru_stime.tv_sec) * 1000
            + (uint64_t)(own.ru_utime.tv_usec + own.ru_stime.tv_usec) / 1000;
    their_ms = (uint64_t)(theirs.ru_utime.tv_sec + theirs.ru_stime.tv_sec) * 1000
             + (uint64_t)(theirs.ru_utime.tv_usec + theirs.ru_stime.tv_usec) / 1000;
    return their_ms < LITTLE_MS ? 0 : their_ms;
}

/* If it is a real share. */
static int record_write_children(const sampled_profile *about, hcct_write_fn write, void *user) {
    enum { END_CHILDREN = 18, SHARE = 20 };
    uint64_t own_ms, their_ms = record_children(&own_ms);
    if (!their_ms || their_ms * SHARE < their_ms + own_ms) return 0;
    return sampled_write_missing(about, END_CHILDREN, their_ms, their_ms + own_ms, write, user);
}

/* A function by its key, an object, or an instruction. */
static const char *record_miss_name(void *user, uint32_t what, uint64_t number) {
    if (what == MISSES_OBJECT) return objects_name(number, recorder_name);
    if (what == MISSES_SITE) return record_site_name(user, number);
    return number ? recorder_name(user, (uint32_t)number) : NULL;
}

static const char *record_miss_place(void *user, uint64_t site) {
    uint32_t module = (uint32_t)((site - 1) >> 32), place = (uint32_t)(site - 1);
    x86_module m;
    (void)user;
    return x86_get_module(module, &m) == 0 ? recorder_place_of(m.bias + place) : NULL;
}

/* The name of a stream's instruction: its function and its place with a tab between
   them and, after a tab and @, the object that it uses. */
static const char *record_stream_name(void *user, uint64_t site) {
    static char text[512 + 4200 + 600];
    uint64_t object, instruction = record_stream_site((const record_extra *)user, site, &object);
    const char *name = record_site_name(NULL, instruction), *place;
    int size;
    if (!name && !object) return NULL;
    place = record_miss_place(NULL, instruction);
    if (name) size = snprintf(text, sizeof text, "%.511s", name);
    else size = snprintf(text, sizeof text, "0x%llx", (unsigned long long)(instruction - 1));
    if (place)
        size += snprintf(text + size, sizeof text - (size_t)size, "\t%.4199s", place);
    if (object)
        snprintf(text + size, sizeof text - (size_t)size, "\t@%.511s",
                 objects_name(object - 1, recorder_name));
    return text;
}

static int record_write_misses(const misses *m, hcct_write_fn write, void *user) {
    misses_about about;
    uint32_t n;
    memset(&about, 0, sizeof about);
    about.program = recorder_program();
    if (record.config.every != X86_ALWAYS) {
        about.every = record.config.every;
        about.burst = record.config.burst;
    }
    for (n = 0; n < record.cache_count; n++) about.labels[n] = record.cache_labels[n];
    about.name = record_miss_name;
    about.place = record_miss_place;
    if (misses_write(m, &about, write, user) != 0) return -1;
    return misses_write_phases(m, &about, write, user);
}

/* The program's name, where no other part has it; and where no burst came, for
   how much it ran and when one would have come. */
static int record_write_program(const sampled_profile *about, hcct_write_fn write, void *user) {
    int has_calls = (record.profiles & (PROFILE_PAIRS | PROFILE_METHODS)) != 0;
    if (record.looks) return 0;
    if (about->every != X86_ALWAYS && !about->bursts && !has_calls)
        return sampled_write(about, NULL, 0, write, user);
    if (record.ticks || has_calls || record.profiles & PROFILE_MISSES) return 0;
    return sampled_write_program(about->program, write, user);
}

static const char *record_line_place(void *user, uint32_t key, uint64_t pc) {
    (void)user;
    return recorder_place_at(key, pc);
}

static const char *record_sharing_name(void *user, int what, uint64_t number) {
    if (what == SHARING_OBJECT) return objects_name(number, recorder_name);
    return number ? recorder_name(user, (uint32_t)number) : NULL;
}

static int record_write_sharing(hcct_write_fn write, void *user) {
    const sharing *s = record_shared();
    sharing_about about;
    if (!s || !s->bursts) return 0;
    memset(&about, 0, sizeof about);
    about.program = recorder_program();
    if (record.config.every != X86_ALWAYS) {
        about.every = record.config.every;
        about.burst = record.config.burst;
    }
    about.name = record_sharing_name;
    about.place = record_miss_place;
    return sharing_write(s, &about, write, user);
}

/* Writes one part for all threads, in the order in which they began. */
static int record_write_interleave(hcct_write_fn write, void *user) {
    const recorder_thread *r;
    const interleave_log **threads;
    uint32_t count = 0, at;
    for (r = record_all; r; r = r->next) count += r->references && ((record_extra *)r->references)->interleave;
    threads = count ? (const interleave_log **)record_list(count * sizeof *threads) : NULL;
    if (!threads) return 0;
    for (r = record_all, at = count; r && at; r = r->next) { /* the newest stands first */
        const record_extra *x = (const record_extra *)r->references;
        if (x && x->interleave) threads[--at] = x->interleave;
    }
    return interleave_write(threads, count, recorder_program(), write, user);
}

static const char *record_object_name(void *user, uint64_t object) {
    (void)user;
    return objects_name(object, recorder_name);
}

/* What each thread has beside its tree; build/bursty joins the parts. */
static int record_write_more(hcct_write_fn write, void *user) {
    const recorder_thread *r;
    sampled_profile about;
    int failed, pairs = record.profiles & PROFILE_PAIRS;
    record_about(&about);
    axis_kind kinds[FRAMES_KINDS];
    uint32_t kind_count = frames_kinds(kinds);
    failed = record_write_program(&about, write, user);
    if (!failed) failed = timer_write(&about, write, user);
    if (!failed) failed = timer_write_axis(&about, kinds, kind_count, write, user);
    if (!failed) failed = timer_write_lines(&about, record_line_place, write, user);
    if (!failed) failed = frames_write(recorder_name, write, user);
    if (!failed) failed = record_write_quiet(&about, write, user);
    if (!failed) failed = record_write_losses(&about, write, user);
    if (!failed) failed = record_write_unseen(&about, write, user);
    if (!failed) failed = record_write_turns(&about, write, user);
    if (!failed) failed = record_write_children(&about, write, user);
    if (!failed) failed = record_write_sharing(write, user);
    if (!failed && record.profiles & PROFILE_INTERLEAVE) failed = record_write_interleave(write, user);
    /* A reader adds up the pairs of a function, so that pairs tell everything
       about functions. */
    if (!failed && (pairs || record.profiles & PROFILE_METHODS))
        failed = record_write_sampled(pairs, write, user);
    for (r = record_all; r && !failed; r = r->next) {
        const record_extra *x = (const record_extra *)r->references;
        if (x && x->f) failed = record_write_footprint(x->f, write, user);
        if (x && x->misses && !failed) failed = record_write_misses(x->misses, write, user);
        if (x && x->missed && !failed) failed = missed_write(x->missed, write, user);
        if (record_layout(x) && !failed)
            failed = layout_write(record_layout(x), recorder_program(),
                                  record_object_name, NULL, write, user);
        /* Writing ends their sequences. */
        if (x && x->streams && !failed && (!record.keeping || record.in_exec))
            failed = hotstream_write(x->streams, "references in bursts", record_stream_name,
                                     (void *)(uintptr_t)x, write, user);
    }
    return failed ? failed : recorder_write_sample(write, user);
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
    return hcct_write(&tree, recorder_name, NULL, write, user);
}

static int record_write_all(hcct_write_fn write, void *user) {
    const recorder_thread *r = record.profiles & PROFILE_HCCT ? record_all : NULL;
    int failed = 0;
    for (; r && !failed; r = r->next) failed = record_write_tree(r, write, user);
    return failed ? -1 : record_write_more(write, user);
}

/* ---- for the case that the process is killed: keep.c ---- */

int record_write_kept(keep_write_fn write, void *user) {
    recorder_thread *all = recorder_hold();
    int failed;
    if (!all) return -1;
    record.keeping = 1;
    record_all = all;
    failed = record_write_all(write, user) || recorder_write_modules(write, user);
    record.keeping = 0;
    recorder_release(all);
    return failed;
}

int record_write_image(const char *path) {
    recorder_thread *all = recorder_hold();
    int failed;
    if (!all) return -1;
    record.keeping = record.in_exec = 1;
    record_all = all;
    (void)recorder_find_places();
    failed = recorder_write(NULL, path, record_write_all);
    record.keeping = record.in_exec = 0;
    recorder_release(all);
    return failed;
}

/* Do most functions of the executable have a name? *seen: the bytes of code of
   all that it has. */
static int record_has_symbols(uint64_t *seen) {
    x86_function f;
    uint32_t n, named = 0, count = 0;
    *seen = 0;
    for (n = 0; x86_get_function(n, &f) == 0 && f.module == 0; n++) {
        *seen += f.size;
        if (f.reason == X86_STARTUP || f.reason == X86_FRAGMENT) continue;
        count++;
        named += f.name && *f.name;
    }
    return named * 4 >= count;
}

/* A shell script is the run of a shell, and the work is done by what it starts. */
static void record_say_children(void) {
    uint64_t own_ms, their_ms = record_children(&own_ms);
    char line[300];
    if (their_ms <= own_ms) return;
    snprintf(line, sizeof line,
             "?the programs that it started used %llu ms of CPU time, and it used %llu itself: "
             "--follow records them, too\n",
             (unsigned long long)their_ms, (unsigned long long)own_ms);
    handover_line(line);
}

/* What everybody is to know. */
static void record_write_hints(void) {
    char line[8192];
    x86_module m;
    const char *refusal = x86_get_module(0, &m) == 0 ? m.refusal : NULL;
    uint64_t seen, text = recorder_code_bytes();
    uint32_t n, looked_up = 0;
    quiet_time quiet;
    int has_symbols = record_has_symbols(&seen);
    if (!record.running) {
        if (record.only.list[0] || record.not_these.list[0])
            snprintf(line, sizeof line,
                     "!nothing was recorded: --only and --not leave no function of it%s\n",
                     has_symbols ? ": they go by the names that the report shows, or those of `nm`"
                                 : " (the program has no symbols)");
        else
            snprintf(line, sizeof line, "!nothing was recorded: %s\n",
                     refusal ? refusal : x86_reason());
        handover_line(line);
    } else if (refusal) {
        snprintf(line, sizeof line, "!only libraries were recorded: the program has %s\n", refusal);
        handover_line(line);
    }
    if (record.running && !refusal && text > seen + 4096 && seen < text / 2) {
        snprintf(line, sizeof line,
                 "?%s was built without unwind tables: .eh_frame names functions in %llu %% of its "
                 "code, and the rest cannot be seen\n",
                 recorder_program(),
                 (unsigned long long)(seen * 100 / text));
        handover_line(line);
    }
    for (n = 0; record.running && x86_get_module(n, &m) == 0; n++)
        looked_up += m.functions[X86_LOOKED_UP];
    if (looked_up) {
        snprintf(line, sizeof line,
                 "?%u functions were left as they are: the program looks return addresses up in a "
                 "table, as native OCaml does. --ticks shows their time\n",
                 looked_up);
        handover_line(line);
    }
    record_say_losses();
    if (!record_quiet.all_ns) quiet_get(&record_quiet);
    quiet = record_quiet;
    if (!record.looks && quiet.threads && (!quiet.all_ns || quiet.ns >= quiet.all_ns / 100 || quiet.unknown)) {
        unsigned long long percent
            = quiet.all_ns ? (unsigned long long)(quiet.ns * 100 / quiet.all_ns) : 0;
        char share[64];
        if (quiet.all_ns && !quiet.unknown) snprintf(share, sizeof share, "%llu %%", percent);
        else snprintf(share, sizeof share, "a part");
        snprintf(line, sizeof line,
                 "?calls were not sampled in %s of the CPU time: %u threads asked to be cancelled "
                 "at any instruction, and from there on they are left alone%s\n",
                 share, quiet.threads, record.ticks ? "" : "; --ticks shows where that time goes");
        handover_line(line);
    }
    if (quiet_has_child())
        handover_line("?a child of the program goes on, and it is not recorded: --follow records "
                      "children, too\n");
    record_say_children();
    frames_say();
    if (record.shadow_stack)
        handover_line("?the processor checks returns (shadow stack): short bursts miss calls that "
                      "stand behind another call\n");
    if (record.write_error) {
        snprintf(line, sizeof line, "!cannot write %s: %s\n", record.path,
                 strerrordesc_np(record.write_error));
        handover_line(line);
    }
}

/* The report for the tool: faults, which begin with !, hints, which begin with
   ?, and for `bursty record --stats` lines about each module. */
void record_write_report(void) {
    char line[8192];
    uint32_t n, r;
    x86_module m;
    x86_stats s;
    record_write_hints();
    x86_get_stats(&s);
    s.lost += record.lost;
    snprintf(line, sizeof line,
             "bursts %llu, checks %llu, in bursts %llu, missed %llu, "
             "events %llu, events lost %llu, threads %u, without a buffer %u\n",
             (unsigned long long)s.bursts, (unsigned long long)s.checks,
             (unsigned long long)s.burst_checks, (unsigned long long)s.missed,
             (unsigned long long)s.events, (unsigned long long)s.lost, s.threads, s.lost_threads);
    handover_line(line);
    snprintf(line, sizeof line,
             "threads without memory %u, calls too deep to follow %llu, modules known from an "
             "earlier run %u of %u\n",
             record.threads_missing, (unsigned long long)record.frames_full, s.recalled,
             s.modules);
    handover_line(line);
    for (n = 0; x86_get_module(n, &m) == 0; n++) {
        snprintf(line, sizeof line,
                 "%s: %s%s%llu KiB of text, %u functions copied (%llu KiB), %u instrumented (%llu "
                 "KiB)\n",
                 *m.path ? m.path : recorder_program(), m.refusal ? "not patched: " : "",
                 m.refusal ? m.refusal : "", (unsigned long long)m.text_bytes / 1024,
                 m.checking_count, (unsigned long long)m.checking_bytes / 1024,
                 m.instrumented_count, (unsigned long long)m.instrumented_bytes / 1024);
        handover_line(line);
        for (r = 0; r < X86_REASONS; r++) {
            if (!m.functions[r]) continue;
            snprintf(line, sizeof line, "%10u %s\n", m.functions[r],
                     record.looks && !r ? "not patched: time alone is recorded"
                                        : x86_reason_text((int)r));
            handover_line(line);
        }
    }
}

/* A call in a burst stands for as many calls as there are checks for each check
   in bursts. Both are counted. Returns this number divided by the one that the
   tables assumed. */
double record_weigh(void) {
    x86_stats stats;
    uint64_t taken_256 = record.weight_256;
    x86_get_stats(&stats);
    if (record.config.every == X86_ALWAYS) record.missed = stats.missed;
    if (taken_256 == 256 || !stats.burst_checks) return 1;
    record.weight_256 = (uint64_t)((double)stats.checks * 256 / (double)stats.burst_checks + .5);
    return (double)stats.checks / (double)stats.burst_checks * 256 / (double)taken_256;
}

static void record_multiply(uint64_t *sum, double by) {
    double product = (double)*sum * by + .5;
    *sum = *sum == UINT64_MAX || product >= 1.8e19 ? UINT64_MAX : (uint64_t)product;
}

void record_scale_table(sampled_table *t, double by) {
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
    if (recorder_write_modules(handover_write, NULL) != 0) return -1;
    handover_whole();
    return 0;
}

/* The file gets its name when it is whole. The first process has the tool to do
   that for it. */
void record_write_file(void) {
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
