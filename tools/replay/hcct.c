/* hcct.c - bursty replay hcct: runs an algorithm of hcct.h over a recorded call trace, beside the full tree, and
   prints the measures of section 5.1 of the paper. The trace streams; memory is the two trees and one block of events. */
#define _POSIX_C_SOURCE 199309L         /* clock_gettime */
#define HCCT_STATIC
#define HCCT_IMPLEMENTATION
#include "hcct.h"
#include "base/tool.h"
#include "replay/trace_calls.h"
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BLOCK = 1 << 20, STEP = 1 << 15 };       /* events decoded at once; events between two looks at the room left */

static const char help[] =
    "usage: bursty replay hcct [OPTIONS] TRACE        TRACE may be -, standard input\n"
    "\n"
    "  --algo NAME     cct (full tree), lss (Space-Saving in batches; default), lazy (the paper's one by one),\n"
    "                  bss (bucket list), lc (Lossy Counting), sticky (Sticky Sampling)\n"
    "  --phi P         hot: at least P of all calls (default 0.0001); also 1/10000 or 1e-4\n"
    "  --epsilon E     error allowed (default phi / 5); ceil(1/E) contexts are counted\n"
    "  --nodes M       room for M contexts in all, counted ones and their callers (default: as many as it takes)\n"
    "  --delta D       sticky: chance to fail (default 0.01)\n"
    "  --static        look at the run in bursts only, one of --burst in every --interval\n"
    "  --adaptive R    the same, but a stack that was seen before gets only a share R of its bursts (0.1, 10%; 0: none)\n"
    "  --interval N    calls from burst to burst (default 1000)\n"
    "  --burst N       calls in a burst (default a tenth of the interval)\n"
    "  --ticks         count both in ticks of the trace instead (default 2 ms and 0.2 ms)\n"
    "  --seed N        of jitter and sampling (default 1)\n"
    "  --json          one JSON object\n"
    "  --keep-going    report what came before the place where a trace is broken\n";

static const struct { const char *name; uint32_t algorithm; } algorithms[] = {
    {"lss", HCCT_SPACE_SAVING}, {"lazy", HCCT_LAZY}, {"bss", HCCT_BUCKET}, {"lc", HCCT_LOSSY}, {"sticky", HCCT_STICKY}, {"cct", HCCT_FULL}};

typedef struct ratio { uint32_t a, b; } ratio;

typedef struct options {
    const char *trace;
    size_t algo;
    ratio phi, epsilon, delta;
    uint32_t nodes, reenable, interval, burst;
    uint64_t seed;
    int bursts, adaptive, ticks, json, keep_going;
} options;

/* A tree whose memory grows between steps, or does not (fixed). */
typedef struct plant { hcct tree; void *memory; size_t bytes; int fixed; } plant;

typedef struct shadow { uint32_t *keys; size_t depth, room; } shadow;

typedef struct schedule { uint64_t left, burst, gap, seed, bursts; int on, in_ticks, feeding; uint32_t weight; } schedule;

/* ---- options ---- */

/* "0.0001", "1e-4", "5%", "1/10000" as integers; 1 if it is none of them or not in 0 .. 1. */
static int parse_ratio(const char *text, ratio *out) {
    const char *start = text;
    uint64_t a = 0, b = 1, divisor, x, y;
    int digits = 0, point = 0;
    for (; (*text >= '0' && *text <= '9') || (*text == '.' && !point); text++) {
        if (*text == '.') { point = 1; continue; }
        if (digits < 15) { a = a * 10 + (uint64_t)(*text - '0'); if (point) b *= 10; digits += a != 0; }
        else if (!point) return 1;
        if (b > UINT64_C(1000000000000000)) return 1;
    }
    if (digits == 0 && b == 1 && a == 0 && (text == start || text[-1] != '0')) return 1;
    if (*text == 'e' || *text == 'E') {
        char *end;
        long e = strtol(text + 1, &end, 10);
        if (end == text + 1 || e > 15 || e < -15) return 1;
        for (; e > 0 && a < UINT64_MAX / 10; e--) a *= 10;
        for (; e < 0 && b < UINT64_MAX / 10; e++) b *= 10;
        text = end;
    } else if (*text == '/' && !point) {
        char *end;
        if (text[1] < '0' || text[1] > '9') return 1;
        b = strtoull(text + 1, &end, 10);
        if (b > UINT64_C(1000000000000000000)) return 1;
        text = end;
    } else if (*text == '%') { b *= 100; text++; }
    if (*text || b == 0 || a > b) return 1;
    for (x = a, y = b; x; divisor = y % x, y = x, x = divisor) {}
    a /= y;
    b /= y;
    while (b > UINT32_MAX) { a = (a + 1) / 2; b = (b + 1) / 2; }
    out->a = (uint32_t)a;
    out->b = (uint32_t)b;
    return 0;
}

static uint32_t one_over(ratio r) { return r.a ? (uint32_t)(((uint64_t)r.b + r.a - 1) / r.a) : UINT32_MAX; }

static int parse_count(const char *text, uint64_t most, uint64_t *out) {
    char *end;
    unsigned long value = strtoul(text, &end, 10);
    if (*text < '0' || *text > '9' || *end || value > most) return 1;
    *out = value;
    return 0;
}

static int bad(const char *option, const char *value) { return tool_error("%s: '%s' will not do; bursty replay hcct --help tells more", option, value); }

static int parse(int argc, char **argv, options *o) {
    int i;
    memset(o, 0, sizeof *o);
    o->phi.a = 1; o->phi.b = 10000;
    o->delta.a = 1; o->delta.b = 100;
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
        if (strcmp(name, "--static") == 0)     { o->bursts = 1; continue; }
        if (strcmp(name, "--ticks") == 0)      { o->ticks = 1; continue; }
        if (strcmp(name, "--json") == 0)       { o->json = 1; continue; }
        if (strcmp(name, "--keep-going") == 0) { o->keep_going = 1; continue; }
        if (strcmp(name, "--algo") && strcmp(name, "--phi") && strcmp(name, "--epsilon") && strcmp(name, "--delta") && strcmp(name, "--nodes") &&
            strcmp(name, "--adaptive") && strcmp(name, "--interval") && strcmp(name, "--burst") && strcmp(name, "--seed"))
            return tool_error("no option '%s'; bursty replay hcct --help lists them", name);
        if (!value) return tool_error("%s needs a value", name);
        i++;
        if (strcmp(name, "--algo") == 0) {
            for (o->algo = 0; o->algo < sizeof algorithms / sizeof *algorithms; o->algo++) if (strcmp(value, algorithms[o->algo].name) == 0) break;
            if (o->algo == sizeof algorithms / sizeof *algorithms) return bad(name, value);
        } else if (strcmp(name, "--phi") == 0 || strcmp(name, "--epsilon") == 0 || strcmp(name, "--delta") == 0) {
            if (parse_ratio(value, &r) || r.a == 0) return bad(name, value);
            if (name[2] == 'p') o->phi = r; else if (name[2] == 'e') o->epsilon = r; else o->delta = r;
        } else if (strcmp(name, "--adaptive") == 0) {
            char percent[40];
            if (strlen(value) < 30 && value[0] >= '1' && strspn(value, "0123456789") == strlen(value) && strcmp(value, "1") != 0) snprintf(percent, sizeof percent, "%s%%", value);
            else snprintf(percent, sizeof percent, "%.30s", value);
            if (parse_ratio(percent, &r)) return bad(name, value);
            o->bursts = o->adaptive = 1;
            o->reenable = r.a ? (uint32_t)(((uint64_t)r.b + r.a / 2) / r.a) : 0;
        } else {
            uint64_t most = strcmp(name, "--seed") == 0 ? UINT64_MAX : 1u << 30;
            if (parse_count(value, most, &number) || (number == 0 && strcmp(name, "--seed") != 0)) return bad(name, value);
            if (strcmp(name, "--nodes") == 0) o->nodes = (uint32_t)number;
            else if (strcmp(name, "--interval") == 0) o->interval = (uint32_t)number;
            else if (strcmp(name, "--burst") == 0) o->burst = (uint32_t)number;
            else o->seed = number;
        }
    }
    if (!o->trace) return tool_error("which trace? bursty replay hcct --help tells more");
    if (!o->epsilon.b) {
        uint64_t b = (uint64_t)o->phi.b * 5;
        o->epsilon = o->phi;
        if (b <= UINT32_MAX) o->epsilon.b = (uint32_t)b; else o->epsilon.a = o->phi.a / 5 ? o->phi.a / 5 : 1;
    }
    if ((uint64_t)o->epsilon.a * o->phi.b >= (uint64_t)o->phi.a * o->epsilon.b) return tool_error("epsilon must be smaller than phi");
    return TOOL_OK;
}

/* ---- trees ---- */

static uint32_t plant_open(plant *p, const hcct_config *config, uint32_t contexts, int fixed) {
    p->bytes = hcct_bytes(config, contexts);
    p->memory = tool_alloc(p->bytes);
    p->fixed = fixed;
    return hcct_init(&p->tree, p->memory, p->bytes, config);
}

static void plant_make_room(plant *p, uint32_t contexts) {
    if (p->fixed || p->tree.capacity - (p->tree.used - 1) >= contexts) return;
    p->bytes = hcct_bytes(&p->tree.config, p->tree.capacity + p->tree.capacity / 2 + contexts);
    p->memory = tool_grow(p->memory, p->bytes);
    hcct_grow(&p->tree, p->memory, p->bytes);
}

static void build(plant *p, const uint32_t *events, size_t count) {
    hcct *t = &p->tree;
    size_t i;
    for (i = 0; i < count; i++) {
        if (events[i] == TRACE_EXIT) hcct_leave(t);
        else if (events[i] != TRACE_TICK) hcct_enter(t, events[i], 1);
    }
}

/* ---- bursts ---- */

static uint64_t next_random(uint64_t *seed) {
    uint64_t z = (*seed += UINT64_C(0x9E3779B97F4A7C15));
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

/* The gap before the next burst: the first is anywhere in an interval, later ones vary by an eighth. */
static uint64_t gap_of(schedule *s, int first) {
    uint64_t vary = s->gap / 8;
    return first ? next_random(&s->seed) % (s->gap + 1) : s->gap - vary + next_random(&s->seed) % (2 * vary + 1);
}

static void change_sides(schedule *s, hcct *t, const shadow *stack) {
    s->on = !s->on;
    if (s->on) {
        s->left = s->burst;
        s->weight = hcct_burst_begin(t, stack->keys, (uint32_t)stack->depth);
        s->feeding = s->weight != 0;
        s->bursts += s->weight != 0;
    } else {
        s->left = gap_of(s, 0);
        if (s->feeding) hcct_burst_end(t);
        s->feeding = 0;
        if (s->left == 0) { s->on = 0; s->left = 1; }
    }
}

static void build_in_bursts(plant *p, const uint32_t *events, size_t count, schedule *s, shadow *stack) {
    hcct *t = &p->tree;
    size_t i;
    if (stack->depth + count > stack->room) {
        stack->room = 2 * (stack->depth + count);
        stack->keys = (uint32_t *)tool_grow(stack->keys, stack->room * sizeof *stack->keys);
    }
    for (i = 0; i < count; i++) {
        uint32_t event = events[i];
        if (event == TRACE_EXIT) {
            stack->depth--;
            if (s->feeding) hcct_leave(t);
            continue;
        }
        if ((event == TRACE_TICK) == s->in_ticks && s->left-- == 0) { change_sides(s, t, stack); s->left--; }
        if (event == TRACE_TICK) continue;
        stack->keys[stack->depth++] = event;
        if (s->feeding) hcct_enter(t, event, s->weight);
    }
}

/* ---- time ---- */

static double seconds(void) {
#if defined(CLOCK_PROCESS_CPUTIME_ID)
    struct timespec now;
    if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now) == 0) return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
#endif
    return (double)clock() / CLOCKS_PER_SEC;
}

/* The loop around the tree calls without them: what it takes is not the tree's. */
static void empty_loop(const uint32_t *events, size_t count, volatile uint32_t *sink) {
    size_t i;
    for (i = 0; i < count; i++) {
        if (events[i] == TRACE_EXIT) *sink = 1;
        else if (events[i] != TRACE_TICK) *sink = events[i];
    }
}

/* ---- the report ---- */

typedef struct line { const char *key, *unit; double value; int whole; } line;

static void print(const options *o, const line *lines, size_t count) {
    size_t i;
    if (o->json) {
        printf("{\"trace\": \"");
        for (i = 0; o->trace[i]; i++) {
            unsigned char c = (unsigned char)o->trace[i];
            if (c == '"' || c == '\\') putchar('\\');
            if (c < ' ') printf("\\u%04x", c); else putchar(c);
        }
        printf("\", \"algo\": \"%s\", \"phi\": %.12g, \"epsilon\": %.12g", algorithms[o->algo].name, (double)o->phi.a / o->phi.b, (double)o->epsilon.a / o->epsilon.b);
    } else
        printf("%s, %s, phi %.6g, epsilon %.6g%s\n", o->trace, algorithms[o->algo].name, (double)o->phi.a / o->phi.b, (double)o->epsilon.a / o->epsilon.b,
               o->adaptive ? ", adaptive bursts" : o->bursts ? ", bursts" : "");
    for (i = 0; i < count; i++) {
        if (o->json) printf(lines[i].whole ? ", \"%s\": %.0f" : ", \"%s\": %.12g", lines[i].key, lines[i].value);
        else         printf(lines[i].whole ? "  %-28s %14.0f %s\n" : "  %-28s %14.6g %s\n", lines[i].key, lines[i].value, lines[i].unit);
    }
    if (o->json) printf("}\n");
}

static void report(const options *o, plant *full, plant *p, const trace_calls *trace, const schedule *s, double taken) {
    hcct_measures m;
    hcct_stats st;
    uint32_t *scratch = (uint32_t *)tool_alloc(hcct_compare_words(&full->tree, &p->tree) * sizeof *scratch);
    if (o->bursts) hcct_set_total(&p->tree, trace->seen_enters);
    hcct_compare(&full->tree, &p->tree, o->phi.a, o->phi.b, o->epsilon.a, o->epsilon.b, scratch, &m);
    hcct_get_stats(&p->tree, &st);
    free(scratch);
    {
        const line lines[] = {
            {"enters", "", (double)trace->seen_enters, 1},
            {"routines", "", (double)trace->routine_count, 1},
            {"call_sites", "", (double)trace->key_count, 1},
            {"contexts", "", (double)m.contexts, 1},
            {"hot_true", "", (double)m.hot_true, 1},
            {"hot_found", "", (double)m.hot_found, 1},
            {"false_positives_possible", "", (double)m.false_positives, 1},
            {"false_positives_certain", "", (double)m.certain_wrong, 1},
            {"false_negatives", "", (double)m.false_negatives, 1},
            {"underestimates", "", (double)m.underestimates, 1},
            {"overestimates", "", (double)m.overestimates, 1},
            {"possible", "", (double)m.possible, 1},
            {"certain", "", (double)m.certain, 1},
            {"certain_recall", "%", m.hot_true ? 100.0 * (double)m.certain_right / (double)m.hot_true : 100, 0},
            {"below_phi_minus_epsilon", "", (double)m.bad, 1},
            {"tree_nodes", "", (double)m.tree, 1},
            {"tree_nodes_cold", "", (double)m.cold, 1},
            {"overlap", "%", m.overlap, 0},
            {"hot_edge_coverage", "% (tau 0.05)", m.cover[1], 0},
            {"hot_edge_coverage_tau_0.1", "%", m.cover[0], 0},
            {"hot_edge_coverage_tau_0.01", "%", m.cover[2], 0},
            {"max_uncovered", "%", m.max_uncovered, 0},
            {"avg_uncovered", "%", m.avg_uncovered, 0},
            {"max_error", "% (of the upper bound)", m.max_error, 0},
            {"avg_error", "%", m.avg_error, 0},
            {"max_error_adjusted", "% (of the lower bound)", m.max_error_lower, 0},
            {"avg_error_adjusted", "%", m.avg_error_lower, 0},
            {"monitored", "", (double)st.monitored, 1},
            {"peak_nodes", "", (double)st.peak_nodes, 1},
            {"node_bytes", "", (double)st.node_bytes, 1},
            {"total_bytes", "", (double)st.bytes, 1},
            {"ns_per_call", "", trace->seen_enters ? 1e9 * taken / (double)trace->seen_enters : 0, 0},
            {"effective_epsilon", "", st.total ? (double)st.base / (double)st.total : 0, 0},
            {"sampled_enters", "", (double)st.total, 1},
            {"lost", "", (double)st.lost, 1},
            {"sweeps", "", (double)st.sweeps, 1},
            {"forced", "", (double)st.forced, 1},
            {"visits_per_call", "", st.total ? (double)st.visits / (double)st.total : 0, 0},
            {"bursts", "", (double)s->bursts, 1},
            {"bursts_skipped", "", (double)st.burst_skipped, 1},
        };
        print(o, lines, sizeof lines / sizeof *lines);
    }
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
    if (!o->nodes && c->algorithm < HCCT_LOSSY && c->monitored < 1u << 28) c->hash_slots = 2 * c->monitored + 64;
    if (o->adaptive) { c->history = 1 << 16; c->reenable = o->reenable; }
}

static int run(int argc, char **argv) {
    options o;
    trace_calls trace;
    schedule s;
    shadow stack = {NULL, 0, 0};
    plant full, own, *p;
    hcct_config config;
    uint32_t *events, first;
    volatile uint32_t sink;
    double taken = 0, empty;
    size_t count, i;
    int code, odd;
    if (argc > 1 && strcmp(argv[1], "--help") == 0) { fputs(help, stdout); return TOOL_OK; }
    if ((code = parse(argc, argv, &o)) != TOOL_OK) return code;
    if (trace_calls_open(&trace, o.trace, &odd) != 0 || (odd && !o.keep_going)) {
        code = tool_error("%s: %s", trace.name, trace.error);
        trace_calls_close(&trace);
        return code;
    }
    if (odd) { tool_error("%s: %s", trace.name, trace.error); trace.error[0] = 0; trace.enters = trace.exits = UINT64_MAX; }

    memset(&config, 0, sizeof config);
    config.algorithm = HCCT_FULL;
    plant_open(&full, &config, 1 << 16, 0);
    configure(&config, &o);
    p = &own;
    /* Without bursts and a bound the full tree is also the exact one: no need to build it twice. */
    if (config.algorithm == HCCT_FULL && !o.bursts && !o.nodes) p = &full;
    else {
        first = o.nodes ? o.nodes : config.algorithm == HCCT_FULL || config.monitored > 1u << 20 ? 2 * STEP : 2 * config.monitored + STEP;
        if (plant_open(&own, &config, first, o.nodes != 0) == 0) return tool_error("--nodes: too few");
    }
    memset(&s, 0, sizeof s);
    s.in_ticks = o.ticks;
    s.gap = o.interval ? o.interval : !o.ticks ? 1000 : trace.tick_us && trace.tick_us < 2000 ? 2000 / trace.tick_us : 10;
    s.burst = o.burst ? o.burst : s.gap / 10 ? s.gap / 10 : 1;
    s.gap = s.gap > s.burst ? s.gap - s.burst : 1;
    s.seed = o.seed;
    s.left = gap_of(&s, 1);

    events = (uint32_t *)tool_alloc(BLOCK * sizeof *events);
    while ((count = trace_calls_read(&trace, events, BLOCK)) != 0) {
        if (p != &full) for (i = 0; i < count; i += STEP) {
            plant_make_room(&full, STEP);
            build(&full, events + i, count - i < STEP ? count - i : STEP);
        }
        empty = seconds();
        empty_loop(events, count, &sink);
        empty = seconds() - empty;
        for (i = 0; i < count; i += STEP) {
            size_t n = count - i < STEP ? count - i : STEP;
            double start;
            plant_make_room(p, (uint32_t)(stack.depth < 1u << 30 ? stack.depth : 0) + STEP);
            start = seconds();
            if (o.bursts) build_in_bursts(p, events + i, n, &s, &stack);
            else          build(p, events + i, n);
            taken += seconds() - start;
        }
        taken -= empty;
    }
    code = TOOL_OK;
    if (trace.error[0]) {
        code = tool_error("%s: %s", trace.name, trace.error);
        if (o.keep_going) code = TOOL_OK;
    }
    if (code == TOOL_OK) report(&o, &full, p, &trace, &s, taken > 0 ? taken : 0);
    trace_calls_close(&trace);
    free(events);
    free(stack.keys);
    free(full.memory);
    if (p != &full) free(own.memory);
    return code;
}

const tool_command replay_hcct = {"hcct", "hot calling contexts of a call trace, against the full tree", run};
