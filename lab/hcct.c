/* hcct.c - bursty-lab hcct: runs an algorithm over a recorded call trace,
   beside the full tree, and reports the hot contexts and the measures of
   section 5.1 of the paper. The trace streams; memory is that of the two trees
   and of one block of events. */
#define _POSIX_C_SOURCE 199309L /* clock_gettime */
#include "hcct.h"
#include "base/tool.h"
#include "report/model/report.h"
#include "lab/hcct_measures.h"
#include "lab/trace_calls.h"
#include "lab/yardsticks.h"
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    BLOCK = 1 << 20,
    STEP = 1 << 15
}; /* events decoded at once; events between two looks at the room left */

static const char help[] =
    "usage: bursty-lab hcct [OPTIONS] TRACE        TRACE may be -, standard input\n"
    "\n"
    "  --algo NAME     lss (Space-Saving of hcct.h; default), cct (full tree), lc (Lossy\n"
    "                  Counting), sticky (Sticky Sampling); to compare with: lazy (the paper's,\n"
    "                  which evicts one context at a time), bss (the same with the bucket list)\n"
    "  --phi P         hot: at least P of all calls (default 0.0001); also 1/10000 or 1e-4\n"
    "  --epsilon E     error allowed (default phi / 5); ceil(1/E) contexts are counted\n"
    "  --nodes M       room for M contexts, counted ones and their callers (default: as many as\n"
    "                  it takes); not with lazy and bss\n"
    "  --delta D       sticky: chance to fail (default 0.01)\n"
    "  --static        look at the run in bursts only: --burst calls, then --every calls not\n"
    "  --adaptive R    the same, but a stack that was seen before gets only a share R of its\n"
    "                  bursts (from 0 to 1, or 10%; 0: none)\n"
    "  --every N       calls between two bursts (default 900)\n"
    "  --burst N       calls in a burst (default a ninth of --every)\n"
    "  --ticks         count both in ticks of the trace instead (default 1.8 ms and 0.2 ms)\n"
    "  --seed N        of jitter and sampling (default 1)\n"
    "  --json          the report as JSON; the measures are its notes\n"
    "  --keep-going    report what came before the place where a trace is broken\n"
    "\n"
    "  A trace of a program of one thread, in the folder of bursty's sources:\n"
    "      gcc -c lab/paper/hcct_record.c\n"
    "      gcc -O1 -fno-inline -fno-omit-frame-pointer -finstrument-functions prog.c hcct_record.o\n"
    "      HCCT_RAW=prog.raw ./a.out && bursty-lab calls --raw16 -o prog.calls prog.raw\n"
    "      bursty-lab hcct prog.calls\n";

enum { OF_HCCT = -1 };

static const struct {
    const char *name;
    uint32_t algorithm;
    int yardstick; /* or OF_HCCT */
} algorithms[] = {
    {"lss", HCCT_SPACE_SAVING, OF_HCCT},
    {"lazy", HCCT_SPACE_SAVING, YARDSTICK_LAZY},
    {"bss", HCCT_SPACE_SAVING, YARDSTICK_BUCKET},
    {"lc", HCCT_LOSSY, OF_HCCT},
    {"sticky", HCCT_STICKY, OF_HCCT},
    {"cct", HCCT_FULL, OF_HCCT},
};

typedef hcct_share ratio;

typedef struct options {
    const char *trace;
    size_t algo;
    ratio phi, epsilon, delta;
    uint32_t nodes, reenable, every, burst;
    uint64_t seed;
    int bursts, adaptive, ticks, json, keep_going;
} options;

/* A tree whose memory grows between steps, unless it is fixed; or a yardstick,
   and then the tree only keeps the history of adaptive bursts. */
typedef struct subject {
    hcct tree;
    hcct_config config;
    void *memory;
    size_t bytes;
    int fixed, is_yardstick;
    yardstick yardstick;
} subject;

/* The running stack of keys. */
typedef struct call_stack {
    uint32_t *keys;
    size_t depth, room;
} call_stack;

/* When to look: `left` events until the next change; a burst is on, and the
   tree is fed unless the burst is skipped. */
typedef struct schedule {
    uint64_t left, burst, gap, seed, bursts;
    int on, in_ticks, feeding;
    uint32_t weight;
} schedule;

/* ---- options ---- */

/* "0.0001", "1e-4", "5%", "1/10000" as integers; 1 if it is none of them or not
   in 0 .. 1. */
static int parse_ratio(const char *number, ratio *out) {
    const char *start = number;
    uint64_t a = 0, b = 1, divisor, x, y;
    int digits = 0, point = 0;
    for (; (*number >= '0' && *number <= '9') || (*number == '.' && !point); number++) {
        if (*number == '.') {
            point = 1;
            continue;
        }
        if (digits < 15) {
            a = a * 10 + (uint64_t)(*number - '0');
            if (point) b *= 10;
            digits += a != 0;
        } else if (!point) return 1;
        if (b > UINT64_C(1000000000000000)) return 1;
    }
    if (digits == 0 && b == 1 && a == 0 && (number == start || number[-1] != '0')) return 1;
    if (*number == 'e' || *number == 'E') {
        char *end;
        long e = strtol(number + 1, &end, 10);
        if (end == number + 1 || e > 15 || e < -15) return 1;
        for (; e > 0 && a < UINT64_MAX / 10; e--) a *= 10;
        for (; e < 0 && b < UINT64_MAX / 10; e++) b *= 10;
        number = end;
    } else if (*number == '/' && !point) {
        char *end;
        if (number[1] < '0' || number[1] > '9') return 1;
        b = strtoull(number + 1, &end, 10);
        if (b > UINT64_C(1000000000000000000)) return 1;
        number = end;
    } else if (*number == '%') {
        b *= 100;
        number++;
    }
    if (*number || b == 0 || a > b) return 1;
    for (x = a, y = b; x; divisor = y % x, y = x, x = divisor) {
    }
    a /= y;
    b /= y;
    while (b > UINT32_MAX) {
        a = (a + 1) / 2;
        b = (b + 1) / 2;
    }
    out->a = (uint32_t)a;
    out->b = (uint32_t)b;
    return 0;
}

static uint32_t one_over(ratio r) {
    return r.a ? (uint32_t)(((uint64_t)r.b + r.a - 1) / r.a) : UINT32_MAX;
}

static int parse_count(const char *number, uint64_t most, uint64_t *out) {
    char *end;
    unsigned long value = strtoul(number, &end, 10);
    if (*number < '0' || *number > '9' || *end || value > most) return 1;
    *out = value;
    return 0;
}

static int bad(const char *option, const char *value) {
    return tool_error("%s: '%s' is not valid; bursty-lab hcct --help tells more", option, value);
}

static int parse(int argc, char **argv, options *o) {
    int i;
    memset(o, 0, sizeof *o);
    o->phi.a = 1;
    o->phi.b = 10000;
    o->delta.a = 1;
    o->delta.b = 100;
    o->seed = 1;
    for (i = 1; i < argc; i++) {
        const char *name = argv[i], *value = i + 1 < argc ? argv[i + 1] : NULL;
        uint64_t number;
        ratio r;
        if (name[0] != '-' || !name[1]) {
            if (o->trace) return tool_error("one trace at a time: '%s' is a second one", name);
            o->trace = name;
            continue;
        }
        if (strcmp(name, "--static") == 0) {
            o->bursts = 1;
            continue;
        }
        if (strcmp(name, "--ticks") == 0) {
            o->ticks = 1;
            continue;
        }
        if (strcmp(name, "--json") == 0) {
            o->json = 1;
            continue;
        }
        if (strcmp(name, "--keep-going") == 0) {
            o->keep_going = 1;
            continue;
        }
        if (strcmp(name, "--algo") && strcmp(name, "--phi") && strcmp(name, "--epsilon") &&
            strcmp(name, "--delta") && strcmp(name, "--nodes") && strcmp(name, "--adaptive") &&
            strcmp(name, "--every") && strcmp(name, "--burst") && strcmp(name, "--seed")) {
            tool_option option;
            memset(&option, 0, sizeof option);
            option.name = name;
            option.name_size = strlen(name);
            return tool_no_option(&option, "hcct");
        }
        if (!value) return tool_error("%s needs a value", name);
        i++;
        if (strcmp(name, "--algo") == 0) {
            for (o->algo = 0; o->algo < sizeof algorithms / sizeof *algorithms; o->algo++)
                if (strcmp(value, algorithms[o->algo].name) == 0) break;
            if (o->algo == sizeof algorithms / sizeof *algorithms) return bad(name, value);
        } else if (strcmp(name, "--phi") == 0 || strcmp(name, "--epsilon") == 0 ||
                   strcmp(name, "--delta") == 0) {
            if (parse_ratio(value, &r) || r.a == 0) return bad(name, value);
            if (name[2] == 'p') o->phi = r;
            else if (name[2] == 'e') o->epsilon = r;
            else o->delta = r;
        } else if (strcmp(name, "--adaptive") == 0) {
            if (parse_ratio(value, &r))
                return tool_error("--adaptive: '%s' is not valid; a share from 0 to 1 is wanted",
                                  value);
            o->bursts = o->adaptive = 1;
            o->reenable = r.a ? (uint32_t)(((uint64_t)r.b + r.a / 2) / r.a) : 0;
        } else {
            uint64_t most = strcmp(name, "--seed") == 0 ? UINT64_MAX : 1u << 30;
            if (parse_count(value, most, &number) || (number == 0 && strcmp(name, "--seed") != 0))
                return bad(name, value);
            if (strcmp(name, "--nodes") == 0) o->nodes = (uint32_t)number;
            else if (strcmp(name, "--every") == 0) o->every = (uint32_t)number;
            else if (strcmp(name, "--burst") == 0) o->burst = (uint32_t)number;
            else o->seed = number;
        }
    }
    if (!o->trace) return tool_no_input("hcct", "TRACE");
    if (!o->epsilon.b) {
        uint64_t b = (uint64_t)o->phi.b * 5;
        o->epsilon = o->phi;
        if (b <= UINT32_MAX) o->epsilon.b = (uint32_t)b;
        else o->epsilon.a = o->phi.a / 5 ? o->phi.a / 5 : 1;
    }
    if (!o->bursts && (o->every || o->burst || o->ticks))
        return tool_error("--every, --burst and --ticks need --static or --adaptive");
    if (o->nodes && algorithms[o->algo].yardstick != OF_HCCT)
        return tool_error("--nodes: lazy and bss take as many contexts as they need");
    if ((uint64_t)o->epsilon.a * o->phi.b >= (uint64_t)o->phi.a * o->epsilon.b)
        return tool_error("epsilon must be smaller than phi");
    return TOOL_OK;
}

/* ---- trees ---- */

static uint32_t subject_open(subject *p, const hcct_config *config, uint32_t room, int fixed) {
    memset(p, 0, sizeof *p);
    p->config = *config;
    p->bytes = hcct_bytes(config, room);
    p->memory = tool_alloc(p->bytes);
    p->fixed = fixed;
    return hcct_init(&p->tree, p->memory, p->bytes, config);
}

static void subject_close(subject *p) {
    free(p->memory);
    if (p->is_yardstick) yardstick_close(&p->yardstick);
}

static void subject_make_room(subject *p, uint32_t more) {
    hcct_stats s;
    if (p->fixed) return;
    hcct_get_stats(&p->tree, &s);
    if (s.capacity - s.peak_nodes >= more) return;
    p->bytes = hcct_bytes(&p->config, s.capacity + s.capacity / 2 + more);
    p->memory = tool_grow(p->memory, p->bytes);
    hcct_grow(&p->tree, p->memory, p->bytes);
}

static void subject_enter(subject *p, uint32_t key, uint32_t weight) {
    if (p->is_yardstick) yardstick_enter(&p->yardstick, key, weight);
    else hcct_enter(&p->tree, key, weight);
}

static void subject_leave(subject *p) {
    if (p->is_yardstick) yardstick_leave(&p->yardstick);
    else hcct_leave(&p->tree);
}

/* Returns the weight of the burst. */
static uint32_t subject_burst_begin(subject *p, const call_stack *stack) {
    uint32_t weight = hcct_burst_begin(&p->tree, stack->keys, (uint32_t)stack->depth);
    size_t i;
    if (!p->is_yardstick || weight == 0) return weight;
    hcct_burst_end(&p->tree);
    for (i = 0; i < stack->depth; i++) yardstick_enter(&p->yardstick, stack->keys[i], 0);
    return weight;
}

static void subject_burst_end(subject *p) {
    if (p->is_yardstick) yardstick_return_to_root(&p->yardstick);
    else hcct_burst_end(&p->tree);
}

static void build(subject *p, const uint32_t *events, size_t count) {
    hcct *t = &p->tree;
    size_t i;
    for (i = 0; i < count && p->is_yardstick; i++) {
        if (events[i] == TRACE_EXIT) yardstick_leave(&p->yardstick);
        else if (events[i] != TRACE_TICK) yardstick_enter(&p->yardstick, events[i], 1);
    }
    for (; i < count; i++) {
        if (events[i] == TRACE_EXIT) hcct_leave(t);
        else if (events[i] != TRACE_TICK) hcct_enter(t, events[i], 1);
    }
}

/* Nodes of a yardstick stand in any order: the path above each is added
   first. */
static void add_yardstick(contexts *c, const yardstick *y) {
    contexts_tree *to = contexts_add_tree(c);
    uint32_t *place = (uint32_t *)tool_alloc(y->used * sizeof *place);
    uint32_t *path = (uint32_t *)tool_alloc(y->used * sizeof *path), i, k, n;
    to->base = y->base;
    to->field[CONTEXTS_TOTAL] = y->total;
    for (i = 1; i < y->used; i++) {
        if (yardstick_is_free(y, i)) continue;
        for (n = 0, k = i; k && !place[k]; k = y->nodes[k].parent) path[n++] = k;
        while (n) {
            const yardstick_node *from = &y->nodes[path[--n]];
            contexts_node *node;
            k = contexts_add_node(to, place[from->parent], from->key);
            place[path[n]] = k;
            node = &to->nodes[k];
            node->cold = from->count == UINT64_MAX;
            node->upper = node->cold ? y->base : from->count;
            node->lower = node->cold ? from->error : from->count - from->error;
        }
    }
    free(place);
    free(path);
}

static void subject_get_stats(const subject *p, hcct_stats *s) {
    const yardstick *y = &p->yardstick;
    hcct_get_stats(&p->tree, s);
    if (!p->is_yardstick) return;
    s->total = y->total;
    s->bound_of_absent = y->base;
    s->monitored = y->monitored;
    s->peak_nodes = y->used - 1;
    s->node_bytes = (uint32_t)sizeof *y->nodes;
    s->bytes =
        y->used * (sizeof *y->nodes + sizeof *y->heads) + y->bucket_used * sizeof *y->buckets;
    s->visits = y->visits;
}

/* ---- bursts ---- */

static uint64_t next_random(uint64_t *seed) {
    uint64_t z = (*seed += UINT64_C(0x9E3779B97F4A7C15));
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

/* The gap before the next burst: the first is anywhere in a gap, later ones
   vary by an eighth. */
static uint64_t gap_of(schedule *s, int first) {
    uint64_t vary = s->gap / 8;
    return first ? next_random(&s->seed) % (s->gap + 1)
                 : s->gap - vary + next_random(&s->seed) % (2 * vary + 1);
}

static void change_sides(schedule *s, subject *p, const call_stack *stack) {
    s->on = !s->on;
    if (s->on) {
        s->left = s->burst;
        s->weight = subject_burst_begin(p, stack);
        s->feeding = s->weight != 0;
        s->bursts += s->weight != 0;
    } else {
        s->left = gap_of(s, 0);
        if (s->feeding) subject_burst_end(p);
        s->feeding = 0;
        if (s->left == 0) {
            s->on = 0;
            s->left = 1;
        }
    }
}

static void build_in_bursts(subject *p, const uint32_t *events, size_t count, schedule *s,
                            call_stack *stack) {
    size_t i;
    if (stack->depth + count > stack->room) {
        stack->room = 2 * (stack->depth + count);
        stack->keys = (uint32_t *)tool_grow(stack->keys, stack->room * sizeof *stack->keys);
    }
    for (i = 0; i < count; i++) {
        uint32_t event = events[i];
        if (event == TRACE_EXIT) {
            stack->depth--;
            if (s->feeding) subject_leave(p);
            continue;
        }
        if ((event == TRACE_TICK) == s->in_ticks && s->left-- == 0) {
            change_sides(s, p, stack);
            s->left--;
        }
        if (event == TRACE_TICK) continue;
        stack->keys[stack->depth++] = event;
        if (s->feeding) subject_enter(p, event, s->weight);
    }
}

/* ---- time ---- */

static double seconds(void) {
#if defined(CLOCK_PROCESS_CPUTIME_ID)
    struct timespec now;
    if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now) == 0)
        return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
#endif
    return (double)clock() / CLOCKS_PER_SEC;
}

/* The loop around the tree calls without them: what it takes is not the
   tree's. */
static void empty_loop(const uint32_t *events, size_t count, volatile uint32_t *sink) {
    size_t i;
    for (i = 0; i < count; i++) {
        if (events[i] == TRACE_EXIT) *sink = 1;
        else if (events[i] != TRACE_TICK) *sink = events[i];
    }
}

/* ---- the report ---- */

typedef struct line {
    const char *key, *unit;
    double value;
} line;

/* Names for the keys of a trace, which are numbered from 1: routine and call
   site. */
static void name_keys(contexts *c, const trace_calls *trace) {
    uint64_t *ids = (uint64_t *)tool_alloc(((size_t)trace->key_count + 1) * sizeof *ids);
    uint32_t i;
    for (i = 0; i < trace->slot_count; i++) ids[trace->slots[i].key] = trace->slots[i].id - 1;
    for (i = 1; i <= trace->key_count; i++) {
        char name[40];
        unsigned long routine = (unsigned long)(ids[i] >> 16),
                      site = (unsigned long)(ids[i] & 0xFFFF);
        snprintf(name, sizeof name, "0x%lx from 0x%lx", routine, site);
        contexts_add_key(c, name);
    }
    free(ids);
}

/* Hot contexts and their callers go into the report. */
static void keep_hot(contexts *c, const unsigned char *in_tree) {
    contexts_tree all = c->trees[0], *hot;
    uint32_t *place = (uint32_t *)tool_alloc(all.count * sizeof *place), i, k, depth = 0;
    c->count = 0;
    hot = contexts_add_tree(c);
    memcpy(hot->field, all.field, sizeof all.field);
    hot->field[CONTEXTS_VERSION] = 1;
    hot->field[CONTEXTS_MONITORED] = INT32_MAX;
    hot->field[CONTEXTS_WIDTH] = hot->field[CONTEXTS_PHI] = hot->field[CONTEXTS_DELTA] = 1;
    hot->field[CONTEXTS_PIECES] = 1;
    hot->field[CONTEXTS_FLOOR] = all.base;
    hot->base = all.base;
    for (i = contexts_next(&all, 0, &depth); i; i = contexts_next(&all, i, &depth)) {
        if (!in_tree[i]) continue;
        k = place[i] = contexts_add_node(hot, place[all.nodes[i].parent], all.nodes[i].key);
        hot->nodes[k].cold = all.nodes[i].cold;
        hot->nodes[k].lower = all.nodes[i].lower;
        hot->nodes[k].upper = all.nodes[i].upper;
    }
    free(all.nodes);
    hash_free(&all.places);
    free(place);
}

static void add_measures(report *r, const options *o, const hcct_measures *found,
                         const hcct_stats *stats, const trace_calls *trace, const schedule *s,
                         double taken) {
    const hcct_measures m = *found;
    const hcct_stats st = *stats;
    const line lines[] = {
        {"phi", "", (double)o->phi.a / o->phi.b},
        {"epsilon", "", (double)o->epsilon.a / o->epsilon.b},
        {"enters", "", (double)trace->seen_enters},
        {"routines", "", (double)trace->routine_count},
        {"call_sites", "", (double)trace->key_count},
        {"contexts", "", (double)m.contexts},
        {"hot_true", "", (double)m.hot_true},
        {"hot_found", "", (double)m.hot_found},
        {"false_positives_possible", "", (double)m.false_positives},
        {"false_positives_certain", "", (double)m.certain_wrong},
        {"false_negatives", "", (double)m.false_negatives},
        {"underestimates", "", (double)m.underestimates},
        {"overestimates", "", (double)m.overestimates},
        {"possible", "", (double)m.possible},
        {"certain", "", (double)m.certain},
        {"certain_recall", " %",
         m.hot_true ? 100.0 * (double)m.certain_right / (double)m.hot_true : 100},
        {"below_phi_minus_epsilon", "", (double)m.bad},
        {"tree_nodes", "", (double)m.tree},
        {"tree_nodes_cold", "", (double)m.cold},
        {"overlap", " %", m.overlap},
        {"hot_edge_coverage", " %", m.cover[1]},
        {"hot_edge_coverage_tau_0.1", " %", m.cover[0]},
        {"hot_edge_coverage_tau_0.01", " %", m.cover[2]},
        {"max_uncovered", " %", m.max_uncovered},
        {"avg_uncovered", " %", m.avg_uncovered},
        {"max_error", " %", m.max_error},
        {"avg_error", " %", m.avg_error},
        {"max_error_adjusted", " %", m.max_error_lower},
        {"avg_error_adjusted", " %", m.avg_error_lower},
        {"monitored", "", (double)st.monitored},
        {"peak_nodes", "", (double)st.peak_nodes},
        {"node_bytes", "", (double)st.node_bytes},
        {"total_bytes", "", (double)st.bytes},
        {"ns_per_call", "", trace->seen_enters ? 1e9 * taken / (double)trace->seen_enters : 0},
        {"effective_epsilon", "", st.total ? (double)st.bound_of_absent / (double)st.total : 0},
        {"sampled_enters", "", (double)st.total},
        {"lost", "", (double)st.lost},
        {"sweeps", "", (double)st.sweeps},
        {"forced", "", (double)st.evicted_for_space},
        {"visits_per_call", "", st.total ? (double)st.visits / (double)st.total : 0},
        {"bursts", "", (double)s->bursts},
        {"bursts_skipped", "", (double)st.burst_skipped},
    };
    size_t i;
    report_add_fact(r, REPORT_NOTE, "algo", algorithms[o->algo].name);
    for (i = 0; i < sizeof lines / sizeof *lines; i++) {
        char value[64];
        snprintf(value, sizeof value, "%.12g%s", lines[i].value, lines[i].unit);
        report_add_fact(r, REPORT_NOTE, lines[i].key, value);
    }
}

/* The hot tree goes the way of a dump: it is written, read, made into a report
   and shown. */
static int write_report(const options *o, subject *full, subject *p, const trace_calls *trace,
                        const schedule *s, double taken) {
    hcct_measures m;
    hcct_stats st;
    contexts c;
    input in;
    report r;
    text part = {NULL, 0, 0}, out = {NULL, 0, 0};
    unsigned char *in_tree;
    const report_writer *const *w = writer_list;
    int status;
    memset(&c, 0, sizeof c);
    memset(&in, 0, sizeof in);
    memset(&r, 0, sizeof r);
    name_keys(&c, trace);
    if (p->is_yardstick) add_yardstick(&c, &p->yardstick);
    else hcct_to_contexts(&c, &p->tree);
    c.trees[0].field[CONTEXTS_ALGORITHM] = algorithms[o->algo].algorithm;
    if (o->bursts) c.trees[0].field[CONTEXTS_SCALED] = trace->seen_enters;
    in_tree = (unsigned char *)tool_alloc(c.trees[0].count);
    hcct_measure(&full->tree, &c.trees[0], o->phi, o->epsilon, in_tree, &m);
    subject_get_stats(p, &st);
    keep_hot(&c, in_tree);
    contexts_write(&c, &part);
    status = input_take(&in, trace->name, &part);
    if (status == TOOL_OK) {
        input_settle(&in);
        r.title = text_clean(trace->name, strlen(trace->name));
        add_measures(&r, o, &m, &st, trace, s, taken);
        report_make(&r, &in);
        while (strcmp((*w)->name, o->json ? "json" : "text") != 0) w++;
        (*w)->write(&r, &out);
        status = text_save(&out, NULL, NULL, 0, 0);
    }
    text_free(&part);
    text_free(&out);
    free(in_tree);
    contexts_free(&c);
    report_free(&r);
    input_free(&in);
    return status;
}

static void configure(hcct_config *c, const options *o) {
    memset(c, 0, sizeof *c);
    c->algorithm = algorithms[o->algo].algorithm;
    c->monitored = one_over(o->epsilon);
    if (o->nodes && c->monitored > o->nodes) c->monitored = o->nodes;
    c->one_over_epsilon = one_over(o->epsilon);
    c->one_over_phi = one_over(o->phi);
    c->one_over_delta = one_over(o->delta);
    c->seed = o->seed;
    if (o->adaptive) {
        c->history = 1 << 16;
        c->reenable = o->reenable;
    }
}

static int run(int argc, char **argv) {
    options o;
    trace_calls trace;
    schedule s;
    call_stack stack = {NULL, 0, 0};
    subject full, own, *p;
    hcct_config config;
    uint32_t *events, first;
    volatile uint32_t sink;
    double taken = 0, empty;
    size_t count, i;
    int code, odd;
    if (tool_wants_help(argc, argv)) {
        fputs(help, stdout);
        return TOOL_OK;
    }
    if ((code = parse(argc, argv, &o)) != TOOL_OK) return code;
    if (trace_calls_open(&trace, o.trace, &odd) != 0 || (odd && !o.keep_going)) {
        code = tool_error("%s: %s", trace.name, trace.error);
        trace_calls_close(&trace);
        return code;
    }
    if (odd) {
        tool_error("%s: %s", trace.name, trace.error);
        trace.error[0] = 0;
        trace.enters = trace.exits = UINT64_MAX;
    }

    memset(&config, 0, sizeof config);
    config.algorithm = HCCT_FULL;
    subject_open(&full, &config, 1 << 16, 0);
    configure(&config, &o);
    p = &own;
    /* Without bursts and a bound the full tree is also the exact one: no need
       to build it twice. */
    if (config.algorithm == HCCT_FULL && !o.bursts && !o.nodes) p = &full;
    else {
        first = o.nodes ? o.nodes
                : config.algorithm == HCCT_FULL || config.monitored > 1u << 20
                    ? 2 * STEP
                    : 2 * config.monitored + STEP;
        if (subject_open(&own, &config, first, o.nodes != 0) == 0)
            return tool_error("--nodes: too few");
        if (algorithms[o.algo].yardstick != OF_HCCT) {
            own.is_yardstick = 1;
            yardstick_open(&own.yardstick, algorithms[o.algo].yardstick, config.monitored);
        }
    }
    memset(&s, 0, sizeof s);
    s.in_ticks = o.ticks;
    s.gap = o.every                                 ? o.every
            : !o.ticks                              ? 900
            : trace.tick_us && trace.tick_us < 1800 ? 1800 / trace.tick_us
                                                    : 9;
    s.burst = o.burst ? o.burst : s.gap / 9 ? s.gap / 9 : 1;
    s.seed = o.seed;
    s.left = gap_of(&s, 1);

    events = (uint32_t *)tool_alloc(BLOCK * sizeof *events);
    while ((count = trace_calls_read(&trace, events, BLOCK)) != 0) {
        if (p != &full)
            for (i = 0; i < count; i += STEP) {
                subject_make_room(&full, STEP);
                build(&full, events + i, count - i < STEP ? count - i : STEP);
            }
        empty = seconds();
        empty_loop(events, count, &sink);
        empty = seconds() - empty;
        for (i = 0; i < count; i += STEP) {
            size_t n = count - i < STEP ? count - i : STEP;
            double start;
            subject_make_room(p, (uint32_t)(stack.depth < 1u << 30 ? stack.depth : 0) + STEP);
            start = seconds();
            if (o.bursts) build_in_bursts(p, events + i, n, &s, &stack);
            else build(p, events + i, n);
            taken += seconds() - start;
        }
        taken -= empty;
    }
    code = TOOL_OK;
    if (trace.error[0]) {
        code = tool_error("%s: %s", trace.name, trace.error);
        if (o.keep_going) code = TOOL_OK;
    }
    if (code == TOOL_OK) code = write_report(&o, &full, p, &trace, &s, taken > 0 ? taken : 0);
    trace_calls_close(&trace);
    free(events);
    free(stack.keys);
    subject_close(&full);
    if (p != &full) subject_close(&own);
    return code;
}

const tool_command lab_hcct = {
    "hcct", "hot calling contexts of a call trace, against the full tree", run};
