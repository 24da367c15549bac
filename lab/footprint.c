/* footprint.c - bursty-lab footprint: footprints of all windows of a block
   trace, and how two threads interleave.

   The profiles go into parts of a dump, and from there the way of all dumps:
   kinds, model, writers. */
#include "base/input.h"
#include "base/save.h"
#include "base/terminal.h"
#include "base/tool.h"
#include "footprint.h"
#include "report/model/report.h"
#include "lab/footprint_check.h"
#include "lab/sampled_windows.h"
#include "lab/trace_blocks.h"
#include "report/write/writers.h"
#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char help_head[] =
    "usage: bursty-lab footprint [OPTIONS] TRACE        TRACE may be -, standard input\n"
    "\n"
    "  TRACE has a block for each access; `bursty-lab lackey` makes it of a program:\n"
    "  valgrind --tool=lackey --trace-mem=yes PROG 2>&1 >/dev/null |\n"
    "      bursty-lab lackey - | bursty-lab footprint -\n"
    "\n"
    "  --c C              footprints within [C, 1] of the truth; 0.9. 1 is exact\n"
    "  --sample R         follow only a share R of the blocks (0.125, 1/8 or 8; powers of two).\n"
    "                     No guarantee\n"
    "  --average          average footprint only: fastest\n"
    "  --window-max N     longest window of interest; 2^32 - 1\n"
    "  --blocks-max N     room for so many blocks, then sample (--forget: then drop the oldest)\n"
    "  --from N --to N    only windows that end after access N, up to access N\n"
    "  --threads          TRACE has thread numbers; all threads together\n"
    "  --thread N         only the accesses of one of them\n"
    "  --interleave A,B   windows of A's and B's accesses, by how many of them are B's; also A's\n"
    "  --check            compare with the exact answer, by a true LRU list: at c = 1 all counts\n"
    "                     of windows in the end, else every window. Ten times slower\n"
    "  --one-in-n         the paper's sampling, one window per access, instead of all windows\n"
    "  --every N --burst N  only bursts of so many accesses, and gaps of about N between them: a\n"
    "                     sample, as bursty record takes one\n"
    "  --block-bytes N    bytes of a block, for axes: 64\n"
    "  --title TEXT       for pictures and dumps\n"
    "  --dump FILE        also write a .brst file for bursty report and merge\n"
    "  -o OUT             where to (-: standard output, the default)\n"
    "\n"
    "The result is a report like those of bursty report:\n\n";

typedef struct options {
    footprint_config config;
    const report_writer *writer;
    const char *trace, *title, *dump, *out;
    uint32_t block_log2;
    int threads, thread, average, check, one_in_n, forms, outs;
    int first, second;                            /* threads to interleave, or -1 */
    uint64_t from, to, every, burst;
} options;

enum { BATCH = 1 << 15 };

static void *allocate(void *user, size_t bytes) { (void)user; return malloc(bytes); }
static void release(void *user, void *memory) { (void)user; free(memory); }

static void help(FILE *to) {
    size_t i;
    fputs(help_head, to);
    for (i = 0; writer_list[i]; i++) {
        int room = (int)(16 - strlen(writer_list[i]->name));
        fprintf(to, "  --%s%-*s %s\n", writer_list[i]->name, room,
                writer_list[i]->wants_out ? " OUT" : "", writer_list[i]->about);
    }
}

/* ---- the replay --------------------------------------------------------------------------- */

/* sides[0] counts the second thread's accesses, sides[1] the first's. */
typedef struct pair {
    footprint_pair sides[2];
    footprint_profile before[2], profiles[2];
    void *memory[2], *before_memory[2], *profile_memory[2];
    uint64_t *times[2], count[2], room[2], wrong;          /* for --check: accesses of each */
    uint64_t turns, accesses[2], length;
    int turn;
} pair;

typedef struct replay {
    const options *o;
    trace_blocks *trace;
    footprint fp, checked;               /* one is timed, one looked at after each access */
    footprint_average averages;                       /* instead of them, for --average */
    footprint_profile profile, before;
    void *memory, *before_memory;                 /* of their tables */
    footprint_stats stats;
    footprint_check check;
    sampled_windows one_in_n;
    pair timed, slow;
    uint64_t left, gap, seed;                     /* of the burst; of the gap; for --every */
    double seconds, pair_seconds, check_seconds;
} replay;

static double seconds_since(clock_t start) { return (double)(clock() - start) / CLOCKS_PER_SEC; }

/* Returns the memory of the tables. */
static void *snapshot(footprint *fp, footprint_profile *profile) {
    size_t bytes = footprint_snapshot_bytes(fp);
    void *memory = tool_alloc(bytes);
    footprint_snapshot(fp, profile, memory, bytes);
    return memory;
}

static void *snapshot_averages(const footprint_average *averages, footprint_profile *profile) {
    size_t bytes = footprint_average_snapshot_bytes(averages);
    void *memory = tool_alloc(bytes);
    footprint_average_snapshot(averages, profile, memory, bytes);
    return memory;
}

/* The paper's sampling gives windows by length and footprint, and nothing
   else. */
static void *take_sampled(const sampled_windows *s, footprint_profile *profile) {
    size_t bytes = footprint_profile_bytes(SAMPLED_BINS, SAMPLED_BINS, 0);
    void *memory = tool_alloc(bytes);
    uint32_t row, column;
    footprint_profile_init(profile, SAMPLED_BINS, SAMPLED_BINS, 0, memory, bytes);
    profile->accesses = s->now;
    profile->blocks = s->blocks;
    profile->flags = FOOTPRINT_FULL;                       /* an estimate */
    for (column = 0; column < SAMPLED_BINS; column++) {
        uint64_t all = 0;
        for (row = SAMPLED_BINS; row-- > 0; ) {
            all += s->cell[row * (size_t)SAMPLED_BINS + column];
            profile->at_least[row * (size_t)SAMPLED_BINS + column] = all;
        }
    }
    return memory;
}

/* What has been counted so far. */
static void *take(replay *r, footprint_profile *profile) {
    if (r->o->one_in_n) return take_sampled(&r->one_in_n, profile);
    if (r->o->average) return snapshot_averages(&r->averages, profile);
    return snapshot(&r->fp, profile);
}

/* Returns the memory of the table. */
static void *snapshot_side(const footprint_pair *side, footprint_profile *profile) {
    size_t bytes = footprint_pair_snapshot_bytes(side);
    void *memory = tool_alloc(bytes);
    footprint_pair_snapshot(side, profile, memory, bytes);
    return memory;
}

static void start_pair(pair *p, const options *o) {
    footprint_config config;
    size_t bytes;
    int i;
    memset(&config, 0, sizeof config);
    config.c = o->config.c;
    config.window_max = o->config.window_max;
    bytes = footprint_pair_bytes(&config, config.c < 1 ? 1u << 20 : 1u << 22);
    for (i = 0; i < 2; i++) {
        p->memory[i] = tool_alloc(bytes);
        footprint_pair_init(&p->sides[i], p->memory[i], bytes, &config);
    }
}

static void end_turn(pair *p) {
    footprint_pair_run(&p->sides[0], p->turn, p->length);
    footprint_pair_run(&p->sides[1], 1 - p->turn, p->length);
    p->turns += p->length > 0;
    p->length = 0;
}

static void count_turns(pair *p, const options *o, const unsigned char *thread, size_t count) {
    size_t i;
    for (i = 0; i < count; i++) {
        int turn = thread[i] != o->first;
        if (turn != p->turn) end_turn(p);
        p->turn = turn;
        p->length++;
        p->accesses[turn]++;
    }
}

/* One access at a time, and the marks of both sides are looked at after
   each. */
static void check_turns(pair *p, const options *o, const unsigned char *thread, size_t count) {
    uint64_t now;
    size_t i;
    int side, t;
    for (i = 0; i < count; i++) {
        t = thread[i] != o->first;
        p->turn = t;
        p->length = 1;
        end_turn(p);
        if (p->count[t] == p->room[t]) {
            p->room[t] = 2 * p->room[t] + 1024;
            p->times[t] = (uint64_t *)tool_grow(
                p->times[t], (size_t)p->room[t] * sizeof *p->times[t]);
        }
        now = p->count[0] + p->count[1] + 1;
        p->times[t][p->count[t]++] = now;
        for (side = 0; side < 2; side++)
            p->wrong += check_pair(&p->sides[side], o->config.c, p->times[1 - side],
                                   p->count[1 - side]);
    }
}

/* What comes before --from is counted, too, and then taken off. */
static void start_phase(replay *r) {
    int i;
    r->before_memory = take(r, &r->before);
    if (r->o->first < 0) return;
    end_turn(&r->timed);
    for (i = 0; i < 2; i++)
        r->timed.before_memory[i] = snapshot_side(&r->timed.sides[i], &r->timed.before[i]);
}

/* Gaps are half to one and a half of --every, so that loops do not keep step. */
static void count_bursts(replay *r, const uint64_t *block, size_t count) {
    const options *o = r->o;
    while (count) {
        uint64_t *part = r->gap ? &r->gap : &r->left;
        size_t n = *part < count ? (size_t)*part : count;
        if (part == &r->left && o->average) footprint_average_access_many(&r->averages, block, n);
        else if (part == &r->left) footprint_access_many(&r->fp, block, n);
        block += n;
        count -= n;
        *part -= n;
        if (*part || part == &r->gap) continue;
        if (o->average) footprint_average_burst(&r->averages);
        else footprint_burst(&r->fp);
        r->left = o->burst;
        r->seed = r->seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        r->gap = o->every / 2 + (r->seed >> 33) % (o->every + 1);
    }
}

/* A check of a long trace takes minutes; somebody who waits sees how far it is.
   done = 0: clears the line. */
static void show_progress(const replay *r, uint64_t done) {
    static uint64_t shown;
    if (!terminal_is_watched()) return;
    if (done == 0 && shown) fprintf(stderr, "\r%40s\r", "");
    if (done == 0 || done - shown < UINT64_C(1) << 18) return;
    shown = done;
    fprintf(stderr, "\r%.1f million accesses checked, %.0f s", (double)done / 1e6,
            r->check_seconds);
    fflush(stderr);
}

static void count_batch(replay *r, const uint64_t *block, const unsigned char *thread, size_t count,
                        uint64_t now) {
    const options *o = r->o;
    clock_t start = clock();
    size_t i;
    if (o->burst) count_bursts(r, block, count);
    else if (o->one_in_n) for (i = 0; i < count; i++) sampled_access(&r->one_in_n, block[i]);
    else if (o->average) footprint_average_access_many(&r->averages, block, count);
    else footprint_access_many(&r->fp, block, count);
    r->seconds += seconds_since(start);
    start = clock();
    for (i = 0; i < count && o->check; i++) {
        footprint_access(&r->checked, block[i]);
        check_access(&r->check, &r->checked, now + i + 1, block[i]);
    }
    r->check_seconds += seconds_since(start);
    if (o->check) show_progress(r, now + count);
    if (o->first < 0) return;
    start = clock();
    count_turns(&r->timed, o, thread, count);
    r->pair_seconds += seconds_since(start);
    if (o->check) check_turns(&r->slow, o, thread, count);
}

/* Leaves only the accesses of the two threads to interleave. */
static size_t keep_pair(const options *o, uint64_t *block, unsigned char *thread, size_t count) {
    size_t i, kept = 0;
    for (i = 0; i < count; i++) {
        if (thread[i] != o->first && thread[i] != o->second) continue;
        block[kept] = block[i];
        thread[kept++] = thread[i];
    }
    return kept;
}

/* Reads and counts. Returns a TOOL_ status; what came before a fault is
   kept. */
static int run_trace(replay *r) {
    static uint64_t block[BATCH];
    static unsigned char thread[BATCH];
    const options *o = r->o;
    const char *name = r->trace->name;
    uint64_t done = 0;
    int status = TOOL_OK, in_phase = o->from == 0;
    for (;;) {
        size_t room = BATCH, got, count;
        if (!in_phase && o->from - done < room) room = (size_t)(o->from - done);
        if (o->to && o->to - done < room) room = (size_t)(o->to - done);
        if (room == 0 && in_phase) break;
        if (room == 0) {
            start_phase(r);
            in_phase = 1;
            continue;
        }
        status = trace_blocks_read(r->trace, block, thread, room, &got);
        count = o->first < 0 ? got : keep_pair(o, block, thread, got);
        count_batch(r, block, thread, count, done);
        done += count;
        if (status != TOOL_OK || got == 0) break;
    }
    if (status != TOOL_OK) return status;
    if (o->thread >= 0 && done == 0)
        return tool_error("%s: offset %llu: no access of thread %d", name,
                          (unsigned long long)r->trace->offset, o->thread);
    if (!in_phase)
        return tool_error("%s: offset %llu: the trace ends at access %llu, before --from %llu",
                          name, (unsigned long long)r->trace->offset, (unsigned long long)done,
                          (unsigned long long)o->from);
    return TOOL_OK;
}

static int end_pair(replay *r) {
    const options *o = r->o;
    int i;
    for (i = 0; i < 2; i++) {
        if (r->timed.accesses[i]) continue;
        return tool_error("%s: offset %llu: no access of thread %d", r->trace->name,
                          (unsigned long long)r->trace->offset, i ? o->second : o->first);
    }
    end_turn(&r->timed);
    for (i = 0; i < 2; i++) {
        r->timed.profile_memory[i] = snapshot_side(&r->timed.sides[i], &r->timed.profiles[i]);
        if (r->timed.before[i].at_least)
            footprint_subtract(&r->timed.profiles[i], &r->timed.before[i]);
    }
    return TOOL_OK;
}

static void get_stats(replay *r) {
    if (r->o->average) footprint_average_get_stats(&r->averages, &r->stats);
    else footprint_get_stats(&r->fp, &r->stats);
}

static int run(replay *r) {
    const options *o = r->o;
    int status;
    if ((o->average ? footprint_average_open(&r->averages, &o->config)
                    : footprint_open(&r->fp, &o->config)) == 0)
        return tool_error("out of memory");
    if (o->check && footprint_open(&r->checked, &o->config) == 0)
        return tool_error("out of memory");
    if (o->check) check_start(&r->check, o->config.c, o->config.window_max);
    if (o->one_in_n) sampled_start(&r->one_in_n, 1);
    if (o->first >= 0) start_pair(&r->timed, o);
    if (o->first >= 0 && o->check) start_pair(&r->slow, o);
    r->left = o->burst;
    status = run_trace(r);
    if (o->check) show_progress(r, 0);
    get_stats(r);
    r->memory = take(r, &r->profile);
    r->profile.block_log2 = o->block_log2;                 /* 0 is a byte here, not a default */
    if (o->check) check_end(&r->check, &r->profile);
    r->check.too_large += r->slow.wrong;
    if (o->first >= 0 && status == TOOL_OK) status = end_pair(r);
    if (r->before.at_least) footprint_subtract(&r->profile, &r->before);
    else if (o->from) r->profile.accesses = 0;             /* there is nothing to show */
    footprint_close(&r->fp);
    footprint_average_close(&r->averages);
    if (o->check) footprint_close(&r->checked);
    return status;
}

static void free_replay(replay *r) {
    int i;
    free(r->memory);
    free(r->before_memory);
    if (r->o->one_in_n) sampled_free(&r->one_in_n);
    for (i = 0; i < 2; i++) {
        free(r->timed.memory[i]);
        free(r->slow.memory[i]);
        free(r->slow.times[i]);
        free(r->timed.before_memory[i]);
        free(r->timed.profile_memory[i]);
    }
}

/* ---- the report --------------------------------------------------------------------------- */

static void write_dump(const replay *r, text *out) {
    const options *o = r->o;
    int i;
    footprint_write(&r->profile, o->title, text_write, out);
    for (i = 0; i < 2 && r->timed.profiles[i].at_least; i++) {
        text name = {NULL, 0, 0};
        int counted = i ? o->first : o->second, other = i ? o->second : o->first;
        text_add(&name, o->title);
        text_format(&name, ": accesses of thread %d beside thread %d", counted, other);
        text_bytes(&name, "", 1);
        footprint_write(&r->timed.profiles[i], name.data, text_write, out);
        text_free(&name);
    }
}

#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
static void note(report *out, const char *name, const char *format, ...) {
    char value[100];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(value, sizeof value, format, arguments);
    va_end(arguments);
    report_add_fact(out, REPORT_NOTE, name, value);
}

static void add_check(const footprint_check *k, double seconds, report *out) {
    uint32_t i;
    note(out, "violations", "%llu", (unsigned long long)(k->too_large + k->too_small));
    note(out, "cells_not_exact", "%llu of %llu", (unsigned long long)k->cells_wrong,
         (unsigned long long)k->cells);
    for (i = 0; i < CHECK_CURVES; i++) {
        char name[40];
        snprintf(name, sizeof name, "mean_error_of_%u%%", (unsigned)check_percents[i]);
        note(out, name, "%.6f", k->percentile_error[i]);
    }
    note(out, "mean_miss_ratio_error", "%.6f", k->miss_error);
    note(out, "check_seconds", "%.1f", seconds);
}

static void add_notes(const replay *r, report *out) {
    const footprint_stats *s = &r->stats;
    const pair *p = &r->timed;
    uint64_t all = r->o->one_in_n ? r->profile.accesses : s->accesses;
    if (r->o->one_in_n)
        note(out, "method", "one window per access is sampled, as in the paper: no guarantee");
    if (all) note(out, "ns_per_access", "%.3f", r->seconds * 1e9 / (double)all);
    if (s->blocks)
        note(out, "bytes_per_block", "%.2f", (double)s->blocks_bytes / (double)s->blocks);
    if (!r->o->one_in_n) note(out, "memory_bytes", "%lu", (unsigned long)s->memory_bytes);
    if (s->sample_log2)
        note(out, s->flags & FOOTPRINT_FULL ? "blocks did not fit" : "blocks are sampled",
             "one block in %llu is followed: no guarantee", 1ull << s->sample_log2);
    if (s->forgotten)
        note(out, "old blocks dropped", "%llu; each counts as new when it comes back",
             (unsigned long long)s->forgotten);
    if (s->lost)
        note(out, "accesses lost", "%llu came after the last that can be counted",
             (unsigned long long)s->lost);
    if (r->o->check) add_check(&r->check, r->check_seconds, out);
    if (r->o->first < 0) return;
    note(out, "turns", "%llu", (unsigned long long)p->turns);
    if (p->turns)
        note(out, "ns_per_access_of_interleaving", "%.3f",
             r->pair_seconds * 1e9 / (double)(p->accesses[0] + p->accesses[1]) / 2);
}

static int show(const replay *r) {
    const options *o = r->o;
    report out;
    input in;
    text parts = {NULL, 0, 0}, form = {NULL, 0, 0};
    int status;
    memset(&out, 0, sizeof out);
    memset(&in, 0, sizeof in);
    write_dump(r, &parts);
    status = input_take(&in, o->title, &parts);
    if (status == TOOL_OK) {
        input_settle(&in);
        add_notes(r, &out);
        report_make(&out, &in);
        out.title = text_clean(o->title, strlen(o->title));
        status = report_check(&out, o->writer, r->trace->name);
    }
    if (status == TOOL_OK) {
        o->writer->write(&out, &form);
        status = text_save(&form, o->out, &o->trace, 1, 0);
    }
    if (status == TOOL_OK && o->dump) status = text_save(&parts, o->dump, &o->trace, 1, 1);
    text_free(&form);
    text_free(&parts);
    report_free(&out);
    input_free(&in);
    return status;
}

/* ---- options ------------------------------------------------------------------------------ */

static int whole(const char *words, uint64_t most, uint64_t *value) {
    char *end;
    if (!isdigit((unsigned char)*words)) return 0;
    *value = strtoull(words, &end, 10);
    return *end == 0 && *value <= most;
}

/* 0.125, 1/8 or 8 -> 3 */
static int sampling(const char *words, uint32_t *log2) {
    char *end;
    double share = strtod(words, &end), rest;
    if (*end == '/') {
        rest = strtod(end + 1, &end);
        share = rest > 0 ? share / rest : 0;
    }
    if (*end || !(share > 0)) return 0;
    if (share > 1) share = 1 / share;
    for (*log2 = 0; *log2 < 24 && share < 1 && share * 1.4142135 < 1; (*log2)++) share *= 2;
    return 1;
}

static int two_threads(const char *words, int *first, int *second) {
    char *end;
    long a = strtol(words, &end, 10), b;
    if (end == words || *end != ',') return 0;
    words = end + 1;
    b = strtol(words, &end, 10);
    *first = (int)a;
    *second = (int)b;
    return end != words && *end == 0 && a >= 0 && a < 256 && b >= 0 && b < 256 && a != b;
}

static int precision(const char *words, double *c) {
    char *end;
    *c = strtod(words, &end);
    return *words && *end == 0 && *c >= .01 && *c <= 1;
}

static int block_bytes(const char *words, uint32_t *log2) {
    uint64_t n;
    if (!whole(words, 1u << 30, &n) || n == 0 || (n & (n - 1)) != 0) return 0;
    for (*log2 = 0; n > 1; n /= 2) ++*log2;
    return 1;
}

/* Options that take no value. Returns 0 if it is none of them. */
static int set_flag(options *o, const tool_option *option) {
    if (tool_is(option, "--", "average"))       o->average = 1;
    else if (tool_is(option, "--", "forget"))   o->config.flags |= FOOTPRINT_FORGET;
    else if (tool_is(option, "--", "threads"))  o->threads = 1;
    else if (tool_is(option, "--", "check"))    o->check = 1;
    else if (tool_is(option, "--", "one-in-n")) o->one_in_n = 1;
    else return 0;
    return 1;
}

static int set_form(options *o, tool_option *option) {
    size_t i;
    for (i = 0; writer_list[i]; i++) {
        if (!tool_is(option, "--", writer_list[i]->name)) continue;
        o->writer = writer_list[i];
        o->forms++;
        if (o->writer->wants_out && !tool_value(option)) return -1;
        if (option->value) {
            o->out = option->value;
            o->outs++;
        }
        option->is_taken = 1;
        return 1;
    }
    return 0;
}

/* Takes the value of an option. Returns 0 if it is not valid. */
static int set_value(options *o, const tool_option *option, const char *value) {
    uint64_t n = 0;
    int good = 1;
    if (tool_is(option, "--", "c")) return precision(value, &o->config.c);
    if (tool_is(option, "--", "sample")) return sampling(value, &o->config.sample_log2);
    if (tool_is(option, "--", "window-max"))
        return whole(value, UINT64_C(1) << 40, &o->config.window_max) && o->config.window_max > 0;
    if (tool_is(option, "--", "from")) return whole(value, UINT64_MAX, &o->from);
    if (tool_is(option, "--", "to")) return whole(value, UINT64_MAX, &o->to) && o->to > 0;
    if (tool_is(option, "--", "every"))
        return whole(value, UINT64_C(1) << 40, &o->every) && o->every > 0;
    if (tool_is(option, "--", "burst"))
        return whole(value, UINT64_C(1) << 40, &o->burst) && o->burst > 0;
    if (tool_is(option, "--", "block-bytes")) return block_bytes(value, &o->block_log2);
    if (tool_is(option, "--", "title")) o->title = value;
    else if (tool_is(option, "--", "dump")) o->dump = value;
    else if (tool_is(option, "", "-o")) {
        o->out = value;
        o->outs++;
    } else if (tool_is(option, "--", "blocks-max")) {
        good = whole(value, UINT32_C(1) << 30, &n) && n > 0;
        o->config.blocks_max = (uint32_t)n;
    } else if (tool_is(option, "--", "thread")) {
        good = whole(value, 255, &n);
        o->thread = (int)n;
        o->threads = 1;
    } else {
        good = two_threads(value, &o->first, &o->second);
        o->threads = 1;
    }
    return good;
}

static int set_option(options *o, tool_option *option) {
    static const char *const names[] = {"c", "sample", "every", "burst", "window-max", "from", "to", "block-bytes",
                                        "title", "dump",
                                        "blocks-max", "thread", "interleave"};
    size_t i;
    int form = set_form(o, option), known = tool_is(option, "", "-o");
    if (form) return form < 0 ? TOOL_BAD_INPUT : TOOL_OK;
    if (set_flag(o, option)) return TOOL_OK;
    for (i = 0; i < sizeof names / sizeof *names; i++) known |= tool_is(option, "--", names[i]);
    if (!known) return tool_no_option(option, "footprint");
    if (!tool_value(option)) return TOOL_BAD_INPUT;
    if (set_value(o, option, option->value)) return TOOL_OK;
    return tool_error("footprint: %.*s: '%s' is not valid; --help says what it takes",
                      (int)option->name_size,
                      option->name, option->value);
}

static int consistent(const options *o) {
    if (!o->every != !o->burst)
        return tool_error("footprint: --every and --burst go together");
    if (o->burst && (o->check || o->one_in_n || o->from || o->first >= 0))
        return tool_error("footprint: --every and --burst take samples; not with --check, "
                          "--one-in-n, --from or --interleave");
    if (o->forms > 1) return tool_error("one form at a time: --text, --html, --csv, --json, ...");
    if (o->outs > 1) return tool_error("one place to write to: --html OUT or -o OUT");
    if (o->to && o->to <= o->from)
        return tool_error("footprint: --to must be greater than --from");
    if (o->check && (o->one_in_n || o->average || o->from))
        return tool_error("footprint: --check compares all windows; not with --one-in-n, "
                          "--average or --from");
    if (o->one_in_n && (o->from || o->first >= 0))
        return tool_error("footprint: --one-in-n has no phases and no pairs");
    if (o->first >= 0 && o->average)
        return tool_error("footprint: --average counts no windows, so there is no "
                          "--interleave");
    if (o->thread >= 0 && o->first >= 0)
        return tool_error("footprint: --thread or --interleave, not both");
    return TOOL_OK;
}

static int parse(options *o, int argc, char **argv) {
    tool_option option;
    int status = TOOL_OK;
    memset(o, 0, sizeof *o);
    o->first = o->second = o->thread = -1;
    o->writer = &writer_text;
    o->config.c = .9;
    o->block_log2 = 6;
    o->config.alloc = allocate;
    o->config.release = release;
    tool_options_once(&option, argc, argv, "");
    while (status == TOOL_OK && tool_next(&option)) status = set_option(o, &option);
    if (status != TOOL_OK) return status;
    if (option.files > 1)
        return tool_error("footprint: one trace, not both %s and %s", argv[0], argv[1]);
    if (option.files == 0) return tool_no_input("footprint", "TRACE");
    o->trace = argv[0];
    if (!o->title) o->title = strcmp(o->trace, "-") == 0 ? "standard input" : o->trace;
    if (o->burst) o->config.flags |= FOOTPRINT_BURSTS;
    return consistent(o);
}

static int footprint_main(int argc, char **argv) {
    options o;
    replay *r;
    int status, shown;
    if (tool_wants_help(argc, argv)) {
        help(stdout);
        return TOOL_OK;
    }
    status = parse(&o, argc, argv);
    if (status == TOOL_OK) status = save_check(o.out, o.dump, &o.trace, 1);
    if (status != TOOL_OK) return status;
    r = (replay *)tool_alloc(sizeof *r);
    r->o = &o;
    r->trace = (trace_blocks *)tool_alloc(sizeof *r->trace);
    status = trace_blocks_open(r->trace, o.trace, o.threads,
                               o.thread >= 0 ? o.thread : TRACE_BLOCKS_EVERY);
    if (status == TOOL_OK) {
        status = run(r);
        trace_blocks_close(r->trace);
        if (r->profile.accesses || status == TOOL_OK) {
            shown = show(r);
            if (status == TOOL_OK) status = shown;
        }
        if (check_failed(&r->check) && status == TOOL_OK) status = TOOL_FAILED;
        free_replay(r);
    }
    free(r->trace);
    free(r);
    return status;
}

const tool_command lab_footprint = {
    "footprint", "footprints of all windows of a block trace", footprint_main,
};
