/* averages.c - bursty-lab averages: the average footprint of windows as the
   related work of "All-Window Profiling" (section 4) approximates it, beside the
   exact one.

   M(f) is the share of accesses that miss in an LRU cache of f blocks, first
   accesses too: what the reuse distances say. Then

       Chandra et al.   E(t + 1) = E(t) (1 - M(E(t))) + (E(t) + 1) M(E(t)), bottom up
       Suh et al.       dE/dt = M(E), E(0) = 0; with M linear between two sizes this
                        is solved piece by piece, by an exponential
       reuse times      E(t) = N P(t), P(t) = sum over u = 1 ... t of Q(u) / (N - 1),
                        N blocks, Q(u) the share of reuses whose time is above u

   The third is in the manner of Shen et al., of whose statistics the paper says
   only that they take nothing but reuse times. It is derived here and need not be
   theirs. P(t) is the chance that a block is in the t accesses before an access to
   another block. It is, if for one u of 1 to t its last access comes u before that
   one. Such an access has a time to the next one above u, which the share Q(u) of
   all have; and each of N - 1 blocks is as likely to be the one. No two u are true
   at once, so chances add up.

   The exact average is that of footprint.h. Reuse distances come from a tree of
   sums over time (Bennett and Kruskal): the marks are last accesses. An access
   costs the logarithm of their number, and 12 bytes. */
#include "base/hash.h"
#include "base/save.h"
#include "base/text.h"
#include "base/tool.h"
#include "footprint.h"
#include "lab/trace_blocks.h"
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: bursty-lab averages [OPTIONS] TRACE        TRACE may be -, standard input\n"
    "\n"
    "  --to N             the first N accesses: 10000000; 12 bytes of memory each\n"
    "  --threads          TRACE has thread numbers; all threads together\n"
    "  --thread N         only the accesses of one of them\n"
    "  --json             one JSON object\n"
    "\n"
    "  TRACE as for bursty-lab footprint: bursty-lab lackey makes one.\n"
    "\n"
    "  The average footprint of windows by three formulas of related work, and the exact one.\n"
    "  Errors are of the windows up to half of the trace, eight lengths to a doubling.\n";

typedef struct options {
    const char *trace;
    uint64_t to;
    int threads, thread, json;
} options;

enum { WAYS = 3 };
static const char *const way_names[WAYS] = {"chandra", "suh", "shen"};

/* last[b]: when block b was accessed last, from 1. tree: a Fenwick tree of the
   times that are the last of some block. */
typedef struct reuse {
    hash_table places;
    uint64_t *block, *distance; /* distance[d]: accesses at that distance */
    uint32_t *last, *tree, *time; /* time[t]: accesses that come t after the last one */
    size_t blocks, block_room;
    uint32_t now, room;
} reuse;

static int is_block(const void *owner, uint32_t number, const void *key) {
    return ((const reuse *)owner)->block[number - 1] == *(const uint64_t *)key;
}

static void mark(reuse *r, uint32_t at, uint32_t by) {
    for (; at <= r->room; at += at & (0u - at)) r->tree[at] += by;
}

static uint32_t marks_up_to(const reuse *r, uint32_t at) {
    uint32_t sum = 0;
    for (; at; at &= at - 1) sum += r->tree[at];
    return sum;
}

static void access_block(reuse *r, uint64_t block) {
    uint32_t *place = hash_place(&r->places, hash_numbers(block, 0), is_block, r, &block), i;
    r->now++;
    if (!*place) {
        if (r->blocks == r->block_room) {
            r->block_room = 2 * r->block_room + 1024;
            r->block = (uint64_t *)tool_grow(r->block, r->block_room * sizeof *r->block);
            r->last = (uint32_t *)tool_grow(r->last, r->block_room * sizeof *r->last);
            r->distance = (uint64_t *)tool_grow(r->distance,
                                                (r->block_room + 1) * sizeof *r->distance);
        }
        r->block[r->blocks] = block;
        *place = (uint32_t)++r->blocks;
        if (r->blocks == 1) r->distance[0] = 0;
        r->distance[r->blocks] = 0;
    } else {
        i = r->last[*place - 1];
        r->distance[r->blocks - marks_up_to(r, i) + 1]++;
        r->time[r->now - i]++;
        mark(r, i, UINT32_MAX); /* takes one away */
    }
    r->last[*place - 1] = r->now;
    mark(r, r->now, 1);
}

/* ---- the three formulas ---- */

typedef struct curves {
    double *miss; /* miss[i]: share of misses with i blocks */
    size_t blocks;
    double chandra, suh, suh_time, shen, tail, reuses; /* where the walks are */
    uint64_t chandra_at, shen_at;
    size_t suh_size;
} curves;

static double miss_at(const curves *c, double size) {
    size_t low = (size_t)size;
    if (low >= c->blocks) return c->miss[c->blocks];
    return c->miss[low] + (size - (double)low) * (c->miss[low + 1] - c->miss[low]);
}

static void start(curves *c, const reuse *r) {
    uint64_t left = r->now;
    size_t i;
    memset(c, 0, sizeof *c);
    c->blocks = r->blocks;
    c->miss = (double *)tool_alloc((r->blocks + 1) * sizeof *c->miss);
    for (i = 0; i <= r->blocks; i++) {
        left -= r->distance[i];
        c->miss[i] = (double)left / r->now;
    }
    c->reuses = c->tail = (double)(r->now - r->blocks);
}

static double chandra(curves *c, uint64_t window) {
    for (; c->chandra_at < window; c->chandra_at++) c->chandra += miss_at(c, c->chandra);
    return c->chandra;
}

/* Between one size and the next, M goes from m to m + b. A time t after the first
   size, E is larger by (m (e^(b t) - 1)) / b. The next size is reached after a time
   of ln((m + b) / m) / b. */
static double suh(curves *c, double window) {
    for (;;) {
        double m = c->miss[c->suh_size], b, takes, behind = window - c->suh_time;
        if (c->suh_size == c->blocks) return (double)c->blocks + m * behind;
        b = c->miss[c->suh_size + 1] - m;
        takes = b < 0 ? log((m + b) / m) / b : 1 / m;
        if (takes >= behind)
            return (double)c->suh_size + (b < 0 ? m * (exp(b * behind) - 1) / b : m * behind);
        c->suh_time += takes;
        c->suh_size++;
    }
}

static double shen(curves *c, const reuse *r, uint64_t window) {
    if (c->blocks < 2 || c->reuses == 0) return window ? 1 : 0;
    for (; c->shen_at < window; c->shen_at++) {
        c->tail -= r->time[c->shen_at + 1];
        c->shen += c->tail / c->reuses;
    }
    return (double)c->blocks * c->shen / (double)(c->blocks - 1);
}

/* ---- output ---- */

typedef struct errors {
    double sum[WAYS], most[WAYS];
    uint64_t where[WAYS];
    int windows;
} errors;

/* The next longer window that ends a bin of footprint.h, eight to a doubling:
   there its average is exact. */
static uint64_t next_window(uint64_t window) {
    uint64_t octave = 8;
    while (octave <= (window + 1) / 2) octave *= 2;
    return window + octave / 8;
}

static void show(const options *o, const reuse *r, const footprint_profile *exact) {
    curves c;
    errors e;
    text out = {NULL, 0, 0};
    uint64_t window;
    int i, rows = 0;
    memset(&e, 0, sizeof e);
    start(&c, r);
    if (o->json) text_format(&out, "{\"accesses\":%u,\"blocks\":%u,\"windows\":[", r->now,
                             (unsigned)r->blocks);
    else {
        text_counted(&out, r->now, "access");
        text_add(&out, " to ");
        text_counted(&out, r->blocks, "block");
        text_add(&out, "\n\n      window         exact       Chandra           Suh          Shen\n");
    }
    for (window = 1; window <= r->now / 2; window = next_window(window)) {
        double value[WAYS], truth = footprint_average_of(exact, (double)window);
        value[0] = chandra(&c, window);
        value[1] = suh(&c, (double)window);
        value[2] = shen(&c, r, window);
        e.windows++;
        for (i = 0; i < WAYS; i++) {
            double off = fabs(value[i] / truth - 1);
            e.sum[i] += off;
            if (off <= e.most[i]) continue;
            e.most[i] = off;
            e.where[i] = window;
        }
        if (window & (window + 1)) continue;
        if (o->json)
            text_format(&out, "%s{\"window\":%llu,\"exact\":%.9g,\"chandra\":%.9g,"
                              "\"suh\":%.9g,\"shen\":%.9g}",
                        rows ? "," : "", (unsigned long long)window, truth, value[0], value[1],
                        value[2]);
        else
            text_format(&out, "%12llu  %12.3f  %12.3f  %12.3f  %12.3f\n",
                        (unsigned long long)window, truth, value[0], value[1], value[2]);
        rows++;
    }
    if (o->json) text_add(&out, "],\"errors\":{");
    for (i = 0; i < WAYS && e.windows; i++) {
        double mean = 100 * e.sum[i] / e.windows, most = 100 * e.most[i];
        if (o->json)
            text_format(&out, "%s\"%s\":{\"mean\":%.4f,\"most\":%.4f,\"at\":%llu}",
                        i ? "," : "", way_names[i], mean, most, (unsigned long long)e.where[i]);
        else
            text_format(&out, "%s%-8s off by %.2f %% in the mean, by %.2f %% at most, at %llu\n",
                        i ? "" : "\n", way_names[i], mean, most, (unsigned long long)e.where[i]);
    }
    if (o->json) text_add(&out, "}}\n");
    text_save(&out, NULL, NULL, 0, 0);
    text_free(&out);
    free(c.miss);
}

/* ---- the run ---- */

static int number(tool_option *option, uint64_t most, uint64_t *value) {
    char *end;
    if (!tool_value(option)) return TOOL_BAD_INPUT;
    *value = strtoull(option->value, &end, 10);
    if (isdigit((unsigned char)*option->value) && *end == 0 && *value <= most) return TOOL_OK;
    return tool_error("averages: %.*s: '%s' is not valid; --help says what it takes",
                      (int)option->name_size, option->name, option->value);
}

static int parse(options *o, int argc, char **argv) {
    tool_option option;
    uint64_t value = 0;
    int status = TOOL_OK;
    memset(o, 0, sizeof *o);
    o->to = 10000000;
    o->thread = TRACE_BLOCKS_EVERY;
    tool_options_once(&option, argc, argv, "");
    while (status == TOOL_OK && tool_next(&option)) {
        if (tool_is(&option, "--", "threads")) o->threads = 1;
        else if (tool_is(&option, "--", "json")) o->json = 1;
        else if (tool_is(&option, "--", "to")) {
            status = number(&option, UINT32_C(1) << 30, &o->to);
            if (status == TOOL_OK && o->to == 0)
                status = tool_error("averages: --to 0 is nothing");
        } else if (tool_is(&option, "--", "thread")) {
            status = number(&option, 255, &value);
            o->thread = (int)value;
            o->threads = 1;
        } else status = tool_no_option(&option, "averages");
    }
    if (status != TOOL_OK) return status;
    if (option.files > 1)
        return tool_error("averages: one trace, not both %s and %s", argv[0], argv[1]);
    if (option.files == 0) return tool_no_input("averages", "TRACE");
    o->trace = argv[0];
    return TOOL_OK;
}

static void *allocate(void *user, size_t bytes) { (void)user; return malloc(bytes); }
static void release(void *user, void *memory) { (void)user; free(memory); }

/* Times are known only as they come: the tree is made anew, twice as large. */
static void make_room(reuse *r, size_t more) {
    size_t i, old = r->room;
    if (r->now + more <= r->room) return;
    r->room = 2 * r->room + (uint32_t)more;
    r->tree = (uint32_t *)tool_grow(r->tree, ((size_t)r->room + 1) * sizeof *r->tree);
    r->time = (uint32_t *)tool_grow(r->time, ((size_t)r->room + 1) * sizeof *r->time);
    memset(r->tree, 0, ((size_t)r->room + 1) * sizeof *r->tree);
    memset(r->time + old + (old > 0), 0, ((size_t)r->room + 1 - old - (old > 0)) * sizeof *r->time);
    for (i = 0; i < r->blocks; i++) mark(r, r->last[i], 1);
}

static int replay(const options *o, trace_blocks *trace, reuse *r, footprint_average *exact) {
    enum { BATCH = 1 << 14 };
    static uint64_t block[BATCH];
    for (;;) {
        size_t room = o->to - r->now < BATCH ? (size_t)(o->to - r->now) : BATCH, got = 0, i;
        int status = room ? trace_blocks_read(trace, block, NULL, room, &got) : TOOL_OK;
        make_room(r, got);
        for (i = 0; i < got; i++) access_block(r, block[i]);
        footprint_average_access_many(exact, block, got);
        if (status != TOOL_OK || got == 0) return status;
    }
}

static int run(int argc, char **argv) {
    options o;
    trace_blocks *trace;
    reuse r;
    footprint_average exact;
    footprint_config config;
    footprint_profile profile;
    void *memory;
    size_t bytes;
    int status;
    if (tool_wants_help(argc, argv)) {
        fputs(help, stdout);
        return TOOL_OK;
    }
    status = parse(&o, argc, argv);
    if (status != TOOL_OK) return status;
    memset(&r, 0, sizeof r);
    memset(&config, 0, sizeof config);
    config.c = 1;
    config.alloc = allocate;
    config.release = release;
    if (footprint_average_open(&exact, &config) == 0) return tool_error("out of memory");
    trace = (trace_blocks *)tool_alloc(sizeof *trace);
    status = trace_blocks_open(trace, o.trace, o.threads, o.thread);
    if (status == TOOL_OK) {
        status = replay(&o, trace, &r, &exact);
        if (status == TOOL_OK && r.now == 0)
            status = tool_error("%s: no accesses in it", o.trace);
        trace_blocks_close(trace);
    }
    if (status == TOOL_OK) {
        bytes = footprint_average_snapshot_bytes(&exact);
        memory = tool_alloc(bytes);
        footprint_average_snapshot(&exact, &profile, memory, bytes);
        show(&o, &r, &profile);
        free(memory);
    }
    footprint_average_close(&exact);
    hash_free(&r.places);
    free(r.block);
    free(r.distance);
    free(r.last);
    free(r.tree);
    free(r.time);
    free(trace);
    return status;
}

const tool_command lab_averages = {
    "averages", "average footprints by the formulas of related work, beside exact ones", run};
