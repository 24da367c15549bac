/* coverage_traces.c - do intervals of sampled contexts hold the truth? Takes a
   recorded call trace, samples it as `bursty record` does (hcct.h and the sums
   of record/inside/core/contexts.h), lets `bursty report` judge each sample, and
   compares each context with its true share of all calls. For
   bench/coverage_traces.sh.

     coverage_traces REPORT TRACE CALLS EVERY BURST JITTER SEEDS CONTEXTS

   A context that no burst saw is held if it has no more than the report says of
   such contexts. Prints cells of a table. */
#define _POSIX_C_SOURCE 200809L /* popen */
#define HCCT_IMPLEMENTATION
#include "hcct.h"
#include "lab/sampler.h"
#include "lab/trace_calls.h"
#include "record/inside/core/contexts.h"
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 4096 };

/* ---- the truth: every call and its context -------------------------------------------- */

typedef struct child {
    uint32_t parent, key, context;
} child;

static child *children;
static size_t child_slots;
static uint32_t context_count;
static uint32_t *parent_of, *calls_of; /* by context, from 1 */
static uint32_t *contexts_called;               /* by call */
static size_t call_count;

static void *room(size_t count, size_t size) {
    void *made = calloc(count ? count : 1, size);
    if (made) return made;
    fprintf(stderr, "coverage_traces: no memory\n");
    exit(2);
}

/* The context of that key below a parent. */
static uint32_t find(uint32_t parent, uint32_t key) {
    uint64_t at = (parent * UINT64_C(0x9E3779B97F4A7C15)) ^ (key * UINT64_C(0xD6E8FEB86659FD93));
    at = (at ^ at >> 29) * UINT64_C(0xBF58476D1CE4E5B9);
    for (at = (at >> 20) % child_slots; children[at].context; at = (at + 1) % child_slots) {
        if (children[at].parent == parent && children[at].key == key) return children[at].context;
    }
    children[at].parent = parent;
    children[at].key = key;
    children[at].context = ++context_count;
    parent_of[context_count] = parent;
    return context_count;
}

static int read_trace(const char *name, size_t most) {
    static uint32_t events[1 << 15], open[DEEPEST];
    trace_calls trace;
    uint32_t depth = 0, at = 0;
    size_t i, got;
    int odd;
    if (trace_calls_open(&trace, name, &odd)) {
        fprintf(stderr, "coverage_traces: %s: %s\n", name, trace.error);
        return -1;
    }
    child_slots = 2 * most + 1;
    children = (child *)room(child_slots, sizeof *children);
    parent_of = (uint32_t *)room(most + 1, sizeof *parent_of);
    calls_of = (uint32_t *)room(most + 1, sizeof *calls_of);
    contexts_called = (uint32_t *)room(most, sizeof *contexts_called);
    while (call_count < most && (got = trace_calls_read(&trace, events, 1 << 15)) != 0) {
        for (i = 0; i < got && call_count < most; i++) {
            if (events[i] == TRACE_TICK) continue;
            if (events[i] == TRACE_EXIT) {
                if (depth) at = open[--depth % DEEPEST];
                continue;
            }
            open[depth++ % DEEPEST] = at;
            at = find(at, events[i]);
            calls_of[at]++;
            contexts_called[call_count++] = at;
        }
    }
    trace_calls_close(&trace);
    return depth < DEEPEST && call_count ? 0 : -1;
}

/* ---- one sample ------------------------------------------------------------------------- */

static const char *name_of(void *user, uint32_t key) {
    static char name[16];
    (void)user;
    snprintf(name, sizeof name, "k%lu", (unsigned long)key);
    return name;
}

static int write_file(void *user, const void *data, size_t size) {
    return fwrite(data, 1, size, (FILE *)user) != size;
}

/* The contexts on the way to one, which are their own keys: so the last name of
   a path tells which context it is. */
static uint32_t path_to(uint32_t context, uint32_t *keys) {
    uint32_t depth = 0, i;
    for (i = context; i; i = parent_of[i]) depth++;
    for (i = depth; i; i--, context = parent_of[context]) keys[i - 1] = context;
    return depth;
}

static int sample(const char *dump, const sampler *schedule, uint32_t nodes) {
    hcct_config config;
    sampler s = *schedule;
    contexts *sums = (contexts *)room(1, contexts_bytes(nodes));
    uint32_t keys[DEEPEST];
    uint64_t skip;
    void *memory;
    size_t i, bytes;
    hcct tree;
    FILE *out = fopen(dump, "wb");
    int failed, fresh;
    memset(&config, 0, sizeof config);
    config.sums = contexts_numbers;
    config.sums_user = sums;
    sums->nodes = nodes;
    bytes = hcct_bytes(&config, nodes);
    memory = room(1, bytes);
    if (!out || hcct_init(&tree, memory, bytes, &config) == 0) exit(2);
    skip = s.seed * UINT64_C(0x9E3779B97F4A7C15) % (s.every + s.burst); /* a random phase */
    s.left = skip + 1;
    for (i = 0; i < call_count; i++) {
        uint32_t context = contexts_called[i];
        int was_on = s.on;
        if (!sampler_check(&s, &fresh)) {
            if (was_on) contexts_burst(sums);
            continue;
        }
        if (fresh && was_on) contexts_burst(sums);
        /* Each call is placed anew: the trace's returns are not needed. */
        (void)hcct_burst_begin(&tree, keys, path_to(parent_of[context], keys));
        hcct_enter(&tree, context, 1);
        contexts_count(sums, &tree, context, 1);
    }
    contexts_burst(sums);
    hcct_scale_to(&tree, call_count);
    failed = hcct_write(&tree, name_of, NULL, write_file, out);
    failed |= fclose(out);
    free(memory);
    free(sums);
    return failed;
}

/* ---- what the report says ----------------------------------------------------------------- */

/* Contexts by how many calls of theirs a sample has on average, and all of those
   that have an interval of two sides. */
enum { CLASSES = 5, SEEN = CLASSES, WIDE, ALL_CLASSES };
static unsigned long rows[ALL_CLASSES], held[ALL_CLASSES];

static void judge(int class, double low, double high, double truth) {
    rows[class]++;
    held[class] += low <= truth && truth <= high;
}

static int class_of(double expected) {
    return expected < .2 ? 0 : expected < 1 ? 1 : expected < 5 ? 2 : expected < 50 ? 3 : 4;
}

/* A field of a line of CSV; "" at its end. */
static char *next_field(char **line) {
    char *start = *line, *end = start + strcspn(start, ",\n");
    *line = end + (*end != 0);
    *end = 0;
    return start;
}

static uint32_t context_of(const char *path) {
    const char *last = strrchr(path, 'k');
    unsigned long context = last ? strtoul(last + 1, NULL, 10) : 0;
    return context <= context_count ? (uint32_t)context : 0;
}

/* The share of a context that no burst saw, at most. */
static double read_unseen(const char *report, const char *dump) {
    char command[1024], line[64] = "";
    FILE *in;
    snprintf(command, sizeof command, "%s report --json %s | tr ',' '\\n' | grep unseen_share",
             report, dump);
    in = popen(command, "r");
    if (!in || !fgets(line, sizeof line, in) || pclose(in) || !strchr(line, ':')) {
        fprintf(stderr, "coverage_traces: the report says nothing of contexts that were not seen\n");
        exit(2);
    }
    return atof(strchr(line, ':') + 1);
}

/* Reads the table of contexts; rows with `from` few have none. */
static void read_report(const char *command, double sampled, double unseen) {
    static char line[1 << 16];
    FILE *in = popen(command, "r");
    char *is_seen = (char *)room(context_count + 1, 1), *at;
    int is_table = 0;
    uint32_t i;
    if (!in) exit(2);
    while (fgets(line, sizeof line, in)) {
        char *share, *low, *high;
        double truth;
        if (*line == '#') {
            is_table = strncmp(line, "# contexts:", 11) == 0;
            if (is_table && !fgets(line, sizeof line, in)) break;
            continue;
        }
        if (!is_table) continue;
        at = line;
        share = next_field(&at);
        low = next_field(&at);
        high = next_field(&at);
        (void)next_field(&at);
        (void)next_field(&at);
        i = context_of(next_field(&at));
        if (!i) continue;
        is_seen[i] = 1;
        truth = (double)calls_of[i] / (double)call_count;
        if (!*high || !*share) continue;
        judge(class_of(truth * sampled), atof(low), atof(high), truth);
        if (*low) judge(truth >= .01 ? WIDE : SEEN, atof(low), atof(high), truth);
    }
    pclose(in);
    for (i = 1; i <= context_count; i++) {
        double truth = (double)calls_of[i] / (double)call_count;
        if (!is_seen[i]) judge(class_of(truth * sampled), 0, unseen, truth);
    }
    free(is_seen);
}

int main(int argc, char **argv) {
    char command[1024];
    const char *dump = getenv("COVERAGE_DUMP");
    unsigned long seed, seeds;
    sampler s;
    int i;
    if (argc != 9 || !dump || read_trace(argv[2], (size_t)strtoul(argv[3], NULL, 10))) return 2;
    seeds = strtoul(argv[7], NULL, 10);
    snprintf(command, sizeof command, "%s report --csv --min 0 %s", argv[1], dump);
    for (seed = 1; seed <= seeds; seed++) {
        sampler_start(&s, strtoul(argv[4], NULL, 10), strtoul(argv[5], NULL, 10),
                      (uint32_t)strtoul(argv[6], NULL, 10), seed * 7919);
        if (sample(dump, &s, (uint32_t)strtoul(argv[8], NULL, 10))) return 2;
        read_report(command, (double)call_count * (double)s.burst / (double)(s.every + s.burst),
                    read_unseen(argv[1], dump));
    }
    for (i = 0; i < ALL_CLASSES; i++) {
        if (rows[i]) printf(" %.1f %% of %lu |", 100. * (double)held[i] / (double)rows[i], rows[i]);
        else printf(" |");
    }
    printf("\n");
    return 0;
}
