/* pairs.c - bursty-lab pairs and bursty-lab methods: how well samples show how
   often functions call one another, and how often each of them runs (Hybrid
   Profiling Support, section 5).

   What is counted are checks: calls and back-edges. A call's check belongs to
   the function called, a back-edge's to the function it is in, which a stack
   tells that calls and returns keep. A pair weighs as many checks as it has
   calls; a function as many as it has checks.

   A trace says for each call the number of its pair. Which functions the pair
   is made of is in the table of pairs. Without that table the functions are found so:
   if two pairs were each seen just above the same third pair, both call the same
   function, the one caller that the third pair has. */
#include "base/hash.h"
#include "base/text.h"
#include "base/tool.h"
#include "report/model/overlap.h"
#include "lab/sampler.h"
#include "lab/trace_refs.h"
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: bursty-lab pairs|methods [OPTIONS] REFS [PAIRS]\n"
    "\n"
    "  --every N          look only at bursts: N checks pass between two of them; 499\n"
    "  --burst N          checks of a burst: 1\n"
    "  --jitter PERCENT   vary --every by so much either way: 0\n"
    "  --seed N           of jitter: 1\n"
    "  --json             one JSON object\n"
    "\n"
    "  REFS may be -, standard input. PAIRS is a table of rows of caller and callee, as the\n"
    "  recorder writes it.\n";

typedef struct options {
    const char *refs, *pairs;
    uint64_t every, burst, jitter, seed;
    int json, methods;
} options;

typedef struct counts {
    uint64_t *at;
    size_t room;
    uint64_t sum;
} counts;

typedef struct stack {
    uint32_t *at;
    size_t depth, room;
} stack;

/* The trace's numbers of pairs, by ours, which have no gaps: memory follows
   from how many pairs there are, and not from the largest number that a trace
   names. */
typedef struct numbers {
    uint32_t *theirs;
    size_t count, room;
    hash_table places;
} numbers;

static int is_theirs(const void *owner, uint32_t number, const void *key) {
    return ((const numbers *)owner)->theirs[number - 1] == *(const uint32_t *)key;
}

static uint32_t our_number(numbers *n, uint32_t theirs) {
    uint32_t *place = hash_place(&n->places, hash_numbers(theirs, 0), is_theirs, n, &theirs);
    if (*place) return *place - 1;
    TOOL_ROOM(uint32_t, n->theirs, n->count, n->room);
    n->theirs[n->count++] = theirs;
    *place = (uint32_t)n->count;
    return *place - 1;
}

static void count(counts *c, uint32_t member) {
    if (member >= c->room) {
        size_t old = c->room;
        c->room = 2 * (size_t)member + 64;
        c->at = (uint64_t *)tool_grow(c->at, c->room * sizeof *c->at);
        memset(c->at + old, 0, (c->room - old) * sizeof *c->at);
    }
    c->at[member]++;
    c->sum++;
}

static void push(stack *s, uint32_t pair) {
    TOOL_ROOM(uint32_t, s->at, s->depth, s->room);
    s->at[s->depth++] = pair;
}

/* ---- which pairs call the same function: sets, joined ---- */

typedef struct sets {
    uint32_t *parent, *seen_under;
    size_t count;
} sets;

static uint32_t find(sets *s, uint32_t pair) {
    while (s->parent[pair] != pair) {
        s->parent[pair] = s->parent[s->parent[pair]];
        pair = s->parent[pair];
    }
    return pair;
}

static void make_room(sets *s, uint32_t pair) {
    size_t old = s->count, i;
    if (pair < s->count) return;
    s->count = 2 * (size_t)pair + 64;
    s->parent = (uint32_t *)tool_grow(s->parent, s->count * sizeof *s->parent);
    s->seen_under = (uint32_t *)tool_grow(s->seen_under, s->count * sizeof *s->seen_under);
    for (i = old; i < s->count; i++) {
        s->parent[i] = (uint32_t)i;
        s->seen_under[i] = UINT32_MAX;
    }
}

/* `pair` was called while `under` was on top: all that it is ever called under
   have one callee. */
static void join(sets *s, uint32_t pair, uint32_t under) {
    make_room(s, pair > under ? pair : under);
    if (s->seen_under[pair] == UINT32_MAX) s->seen_under[pair] = under;
    else s->parent[find(s, under)] = find(s, s->seen_under[pair]);
}

/* ---- options ---- */

static int bad(const tool_option *option) {
    return tool_error("%.*s: '%s' is not valid; bursty-lab pairs --help tells more",
                      (int)option->name_size, option->name, option->value);
}

static int parse_option(options *o, tool_option *option) {
    uint64_t *place = tool_is(option, "--", "every")    ? &o->every
                      : tool_is(option, "--", "burst")  ? &o->burst
                      : tool_is(option, "--", "jitter") ? &o->jitter
                      : tool_is(option, "--", "seed")   ? &o->seed
                                                        : NULL;
    if (tool_is(option, "--", "json")) {
        o->json = 1;
        return TOOL_OK;
    }
    if (!place) return tool_no_option(option, o->methods ? "methods" : "pairs");
    if (!tool_value(option)) return TOOL_BAD_INPUT;
    if (sampler_number(option->value, place)) return bad(option);
    if (place == &o->jitter) return *place > 100 ? bad(option) : TOOL_OK;
    return *place || place == &o->seed ? TOOL_OK : bad(option);
}

static int parse(int argc, char **argv, options *o) {
    tool_option option;
    int status = TOOL_OK;
    o->every = 499;
    o->burst = 1;
    o->seed = 1;
    tool_options_once(&option, argc, argv, "");
    while (status == TOOL_OK && tool_next(&option)) status = parse_option(o, &option);
    if (status != TOOL_OK) return status;
    if (option.files == 0)
        return tool_no_input(o->methods ? "methods" : "pairs", "REFS");
    if (option.files > 2)
        return tool_error("'%s': one trace and one table at a time", option.argv[2]);
    o->refs = option.argv[0];
    o->pairs = option.files == 2 ? option.argv[1] : NULL;
    return TOOL_OK;
}

/* ---- the trace ---- */

/* Members are pairs; a method is the set of pairs that call it, so counting by
   pair comes first. Back-edges of the function that was running when recording
   began belong to no pair: member 0; pair n is member n + 1. */
static int read_trace(const options *o, trace_refs *t, counts *all, counts *some, sets *s,
                      numbers *n) {
    sampler sampling;
    stack calls = {NULL, 0, 0};
    int kind, fresh, on, status;
    uint32_t number = 0;
    sampler_start(&sampling, o->every, o->burst, (uint32_t)o->jitter,
                  o->seed);
    for (;;) {
        status = trace_refs_next(t, &kind, &number);
        if (status != TOOL_OK || kind == TRACE_END) break;
        if (kind == TRACE_RETURN) {
            if (calls.depth) calls.depth--;
        } else if (kind == TRACE_CALL || kind == TRACE_BACKEDGE) {
            on = sampler_check(&sampling, &fresh);
            if (kind == TRACE_CALL) {
                number = our_number(n, number);
                make_room(s, number);
                if (calls.depth) join(s, number, calls.at[calls.depth - 1]);
                push(&calls, number);
            } else if (!o->methods) {
                continue;
            }
            number = calls.depth ? calls.at[calls.depth - 1] + 1 : 0;
            count(all, number);
            if (on) count(some, number);
        }
    }
    free(calls.at);
    return status;
}

static uint64_t member_key(const options *o, const trace_refs *pairs, sets *s, const numbers *n,
                           uint32_t member) {
    if (member == 0) return UINT64_MAX;
    if (!o->methods) return n->theirs[member - 1];
    if (pairs->rows && n->theirs[member - 1] < pairs->row_count)
        return pairs->rows[n->theirs[member - 1]].pc;
    return find(s, member - 1);
}

static void weigh(const options *o, const trace_refs *pairs, sets *s, const numbers *n,
                  const counts *c, overlap_weights *w) {
    size_t i;
    for (i = 0; i < c->room; i++) {
        if (c->at[i]) overlap_add(w, member_key(o, pairs, s, n, (uint32_t)i), (double)c->at[i]);
    }
}

static int measure(int argc, char **argv, int methods) {
    options o;
    trace_refs trace, pairs;
    counts all = {NULL, 0, 0}, some = {NULL, 0, 0};
    sets s = {NULL, NULL, 0};
    numbers n = {NULL, 0, 0, {NULL, 0, 0}};
    overlap_weights p = {NULL, 0, 0}, q = {NULL, 0, 0};
    double whole, top, p_sum, q_sum;
    size_t members;
    int status;
    if (tool_wants_help(argc, argv)) {
        fputs(help, stdout);
        return TOOL_OK;
    }
    memset(&o, 0, sizeof o);
    o.methods = methods;
    status = parse(argc, argv, &o);
    if (status != TOOL_OK) return status;
    memset(&pairs, 0, sizeof pairs);
    if (o.pairs && (status = trace_refs_pairs(&pairs, o.pairs)) != TOOL_OK) return status;
    status = trace_refs_open(&trace, o.refs, NULL, 0);
    if (status != TOOL_OK) return status;
    status = read_trace(&o, &trace, &all, &some, &s, &n);
    if (status == TOOL_OK && all.sum == 0)
        status = tool_error("%s: no %s in it", o.refs, methods ? "calls or back-edges" : "calls");
    if (status == TOOL_OK) {
        weigh(&o, &pairs, &s, &n, &all, &p);
        weigh(&o, &pairs, &s, &n, &some, &q);
        p_sum = overlap_settle(&p);
        q_sum = overlap_settle(&q);
        members = p.count;
        whole = overlap_of(&p, p_sum, &q, q_sum);
        p_sum = overlap_keep(&p, .9);
        q_sum = overlap_keep(&q, .9);
        top = overlap_of(&p, p_sum, &q, q_sum);
        if (o.json) {
            printf(
                "{\"kind\":\"%s\",\"%s\":%llu,\"counted\":%llu,\"members\":%llu,"
                "\"overlap\":%.4f,\"overlap_top_90\":%.4f}\n",
                methods ? "methods" : "pairs", methods ? "checks" : "calls",
                (unsigned long long)all.sum, (unsigned long long)some.sum, (unsigned long long)members, whole, top);
        } else {
            printf(
                "%s at %llu:%llu%s\n  counted  %llu of %llu %s, of %llu %s\n"
                "  overlap  %.2f %% of all, %.2f %% of the heaviest that hold 90 %%\n",
                methods ? "methods" : "call pairs", (unsigned long long)o.every,
                (unsigned long long)o.burst, o.jitter ? ", jittered" : "",
                (unsigned long long)some.sum, (unsigned long long)all.sum,
                methods ? "checks" : "calls", (unsigned long long)members, methods ? "functions" : "pairs", whole, top);
        }
    }
    free(all.at);
    free(some.at);
    free(s.parent);
    free(s.seen_under);
    free(n.theirs);
    hash_free(&n.places);
    overlap_free(&p);
    overlap_free(&q);
    free(pairs.rows);
    trace_refs_close(&trace);
    return status;
}

static int run_pairs(int argc, char **argv) { return measure(argc, argv, 0); }
static int run_methods(int argc, char **argv) { return measure(argc, argv, 1); }

const tool_command lab_pairs = {
    "pairs", "how well samples show how often function calls function", run_pairs};
const tool_command lab_methods = {
    "methods", "how well samples show how often each function runs", run_methods};
