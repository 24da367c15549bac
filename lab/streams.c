/* streams.c - bursty-lab streams: hot data streams of recorded references,
   whole and sampled, and how well the one shows in the other. */
#define _POSIX_C_SOURCE 199309L /* clock_gettime */
#include "hotstream.h"
#include "base/save.h"
#include "base/tool.h"
#include "report/kinds/streams.h"
#include "report/model/overlap.h"
#include "lab/sampler.h"
#include "lab/thin.h"
#include "lab/trace_refs.h"
#include "report/model/streams.h"
#include "report/write/writers.h"
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char help[] =
    "usage: bursty-lab streams [OPTIONS] REFS [TABLE]        REFS may be -, standard input\n"
    "\n"
    "  --min N --max N    lengths of a stream: 10, 40\n"
    "  --coverage C       share of all references that the hot streams should hold: 0.9\n"
    "  --nodes N          a grammar of N nodes, digested whenever it is full; without: as many as\n"
    "                     it takes\n"
    "  --every N          look only at bursts: N checks pass between two of them\n"
    "                     (nCheck0:nInstr0); compare with the profile of all references\n"
    "  --burst N          checks of a burst: a ninth of --every\n"
    "  --jitter PERCENT   vary --every by so much either way: 0\n"
    "  --seed N           of jitter: 1\n"
    "  --thin RULES       only the checks that a set of rules leaves: all, EL, EC, EN, L4, L10, LN,\n"
    "                     EC+L4, Q and other sums (Figure 8 of Bursty Tracing). REFS is then\n"
    "                     NAME.refs, with NAME.pairs and NAME.loops beside it\n"
    "  --calls            streams of calls instead of references; TABLE then is one of call pairs\n"
    "  --lackey           REFS is what valgrind --tool=lackey --trace-mem=yes printed; it needs\n"
    "                     no TABLE\n"
    "  --names FILE       lines `hex-pc name` or `hex-pc name<tab>file:line` name the sites\n"
    "  --whole-rules      no segments of rules that are longer than --max\n"
    "  --eager            without the cursor: slower\n"
    "  --top N            streams to list: 20\n"
    "  --title WORDS      for reports and dumps: REFS\n"
    "  --dump FILE        also write a .brst file for bursty report, merge and overlap\n"
    "  --json             one JSON object\n"
    "\n"
    "  TABLE names the code and the address of each reference (docs/formats.md). Without it a\n"
    "  reference is its own site.\n";

typedef struct options {
    const char *refs, *table, *names, *title, *dump, *thin;
    uint64_t least, most, jitter, nodes, every, burst, seed, top;
    double coverage;
    int calls, lackey, whole_rules, eager, json;
} options;

/* References, bursts parted by SEPARATOR. */
enum { SEPARATOR = 0x7FFFFFFF, INPUTS = 3 };
typedef struct sequence {
    uint32_t *at;
    size_t count, room;
    uint64_t references;
} sequence;

static void add(sequence *s, uint32_t symbol) {
    TOOL_ROOM(uint32_t, s->at, s->count, s->room);
    s->at[s->count++] = symbol;
    s->references += symbol != SEPARATOR;
}

/* ---- options ---- */

static int bad(const tool_option *option) {
    return tool_error("%.*s: '%s' is not valid; bursty-lab streams --help tells more",
                      (int)option->name_size, option->name, option->value);
}

static int parse_share(const char *words, double *out) {
    char *end;
    *out = strtod(words, &end);
    if (*end == '%' && !end[1]) {
        *out /= 100;
        end++;
    }
    return end == words || *end || !(*out > 0 && *out <= 1);
}

/* An option with a number. Returns a TOOL_ status, or -1: it is none of
   these. */
static int parse_number(options *o, tool_option *option) {
    static const struct {
        const char *name;
        uint64_t least, most;
        size_t place;
    } known[] = {
        {"min", 1, 1024, offsetof(options, least)},
        {"max", 1, 1024, offsetof(options, most)},
        {"nodes", 12, 1 << 27, offsetof(options, nodes)},
        {"every", 1, UINT64_MAX, offsetof(options, every)},
        {"burst", 1, UINT64_MAX, offsetof(options, burst)},
        {"jitter", 0, 100, offsetof(options, jitter)},
        {"seed", 0, UINT64_MAX, offsetof(options, seed)},
        {"top", 0, UINT64_MAX, offsetof(options, top)}};
    uint64_t number;
    size_t i;
    for (i = 0; i < sizeof known / sizeof *known; i++) {
        if (!tool_is(option, "--", known[i].name)) continue;
        if (!tool_value(option)) return TOOL_BAD_INPUT;
        if (sampler_number(option->value, &number) || number < known[i].least ||
            number > known[i].most)
            return bad(option);
        *(uint64_t *)(void *)((char *)o + known[i].place) = number;
        return TOOL_OK;
    }
    return -1;
}

/* An option with words. Returns a TOOL_ status, or -1: it is none of these. */
static int parse_words(options *o, tool_option *option) {
    const char **place = tool_is(option, "--", "names")   ? &o->names
                         : tool_is(option, "--", "title") ? &o->title
                         : tool_is(option, "--", "dump")  ? &o->dump
                         : tool_is(option, "--", "thin")  ? &o->thin
                                                          : NULL;
    if (place) {
        *place = tool_value(option);
        return *place ? TOOL_OK : TOOL_BAD_INPUT;
    }
    if (tool_is(option, "--", "coverage")) {
        if (!tool_value(option)) return TOOL_BAD_INPUT;
        return parse_share(option->value, &o->coverage) ? bad(option) : TOOL_OK;
    }
    return -1;
}

static int parse_option(options *o, tool_option *option) {
    int status = parse_number(o, option);
    if (status < 0) status = parse_words(o, option);
    if (status >= 0) return status;
    if (tool_is(option, "--", "calls")) o->calls = 1;
    else if (tool_is(option, "--", "lackey")) o->lackey = 1;
    else if (tool_is(option, "--", "whole-rules")) o->whole_rules = 1;
    else if (tool_is(option, "--", "eager")) o->eager = 1;
    else if (tool_is(option, "--", "json")) o->json = 1;
    else return tool_no_option(option, "streams");
    return TOOL_OK;
}

static int parse(int argc, char **argv, options *o) {
    tool_option option;
    int status = TOOL_OK;
    memset(o, 0, sizeof *o);
    o->least = 10;
    o->most = 40;
    o->coverage = .9;
    o->seed = 1;
    o->top = 20;
    tool_options_once(&option, argc, argv, "");
    while (status == TOOL_OK && tool_next(&option)) status = parse_option(o, &option);
    if (status != TOOL_OK) return status;
    if (option.files == 0) return tool_no_input("streams", "REFS");
    if (option.files > 2)
        return tool_error("'%s': one trace and one table at a time", option.argv[2]);
    o->refs = option.argv[0];
    o->table = option.files == 2 ? option.argv[1] : NULL;
    if (!o->title) o->title = strcmp(o->refs, "-") == 0 ? "standard input" : o->refs;
    if (o->least > o->most)
        return tool_error("--min %u is above --max %u", (unsigned)o->least, (unsigned)o->most);
    if (o->lackey && (o->table || o->calls))
        return tool_error("lackey's output has neither a table nor calls");
    if (!o->every && (o->burst || o->jitter))
        return tool_error("--%s needs --every", o->burst ? "burst" : "jitter");
    if (o->thin && !o->every) return tool_error("--thin needs --every");
    if (o->thin && (!o->table || o->calls))
        return tool_error("--thin wants references, and their TABLE");
    if (!o->burst) o->burst = o->every < 18 ? 1 : o->every / 9;
    return TOOL_OK;
}

/* ---- names ---- */

typedef struct site_name {
    uint64_t pc;
    char *name;
} site_name;
typedef struct names {
    site_name *at;
    size_t count, room;
    unsigned char *data;
} names;

static int by_pc(const void *left, const void *right) {
    const site_name *a = (const site_name *)left, *b = (const site_name *)right;
    return a->pc < b->pc ? -1 : a->pc > b->pc;
}

static int read_names(names *n, const char *path) {
    size_t size, at = 0, line = 0;
    unsigned char *data = tool_read_file(path, NULL, &size);
    if (!data) return TOOL_BAD_INPUT;
    n->data = (unsigned char *)tool_alloc(size + 1);
    memcpy(n->data, data, size);
    n->data[size] = 0;
    free(data);
    while (at < size) {
        char *start = (char *)n->data + at, *end = (char *)memchr(start, '\n', size - at), *rest;
        line++;
        if (!end) end = start + (size - at);
        *end = 0;
        at = (size_t)(end - (char *)n->data) + 1;
        if (end > start && end[-1] == '\r') end[-1] = 0;
        if (!*start) continue;
        TOOL_ROOM(site_name, n->at, n->count, n->room);
        n->at[n->count].pc = strtoull(start, &rest, 16);
        if (rest == start || (*rest != ' ' && *rest != '\t'))
            return tool_error("%s: line %llu: no pc and name", path, (unsigned long long)line);
        n->at[n->count++].name = rest + 1;
    }
    if (n->count) qsort(n->at, n->count, sizeof *n->at, by_pc);
    return TOOL_OK;
}

static const char *name_of(const names *n, uint64_t pc) {
    site_name wanted, *found;
    wanted.pc = pc;
    wanted.name = NULL;
    found = n->count ? (site_name *)bsearch(&wanted, n->at, n->count, sizeof *n->at, by_pc) : NULL;
    return found ? found->name : NULL;
}

/* ---- the trace ---- */

/* Checks that ran, all of them and those that are left. */
typedef struct checks {
    uint64_t all, left;
    thin_plan plan;
} checks;

/* Is there a check here? number is a pair's or a loop's. */
static int is_left(const options *o, const checks *c, int kind, uint32_t number) {
    if (!o->thin) return 1;
    if (kind == TRACE_BACKEDGE) return c->plan.loops[number].has_check;
    return c->plan.functions[c->plan.callee[number]].has_check;
}

static int read_trace(const options *o, trace_refs *t, checks *c, sequence *all,
                      sequence *some) {
    sampler s;
    int kind, on = 0, fresh = 0, begins = 0, status;
    uint32_t number = 0;
    sampler_start(&s, o->every, o->burst, (uint32_t)o->jitter, o->seed);
    for (;;) {
        status = trace_refs_next(t, &kind, &number);
        if (status != TOOL_OK || kind == TRACE_END) return status;
        if (kind == TRACE_CALL || kind == TRACE_BACKEDGE) {
            c->all++;
            if (is_left(o, c, kind, number)) {
                c->left++;
                on = sampler_check(&s, &fresh);
                if (fresh) begins = 1;
            }
        }
        if (kind != (o->calls ? TRACE_CALL : TRACE_REFERENCE)) continue;
        add(all, number);
        if (!o->every || !on || (o->thin && c->plan.left_out[number])) continue;
        if (begins && some->count) add(some, SEPARATOR);
        begins = 0;
        add(some, number);
    }
}

/* ---- one profile ---- */

typedef struct profile {
    uint64_t symbols, violations, covered, covered_whole, threshold, digests;
    uint32_t rules, nodes;
    double seconds;
    streams_part part;
    overlap_weights whole, windows; /* of whole rules; of streams with segments */
    /* what the callbacks need */
    const trace_refs *trace;
    const names *names;
    const options *o;
} profile;

static hotstream_item item_of(void *user, uint32_t symbol) {
    const profile *p = (const profile *)user;
    hotstream_item item = {0, 0};
    item.site = symbol;
    if (p->trace->rows && symbol < p->trace->row_count) {
        item.site = p->trace->rows[symbol].pc;
        item.address = p->trace->rows[symbol].address;
    }
    return item;
}

static void found_stream(void *user, const hotstream_stream *s) {
    profile *p = (profile *)user;
    streams_item items[1024];
    uint32_t i;
    for (i = 0; i < s->length; i++) {
        items[i].site =
            streams_site_number(&p->part, s->items[i].site, name_of(p->names, s->items[i].site));
        items[i].address = s->items[i].address;
    }
    streams_add(&p->part, items, s->length, s->frequency);
}

static void found_weight(profile *p, overlap_weights *w, const hotstream_stream *s, int windows) {
    uint64_t sites[1024];
    uint32_t i;
    for (i = 0; i < s->length; i++) sites[i] = s->items[i].site;
    if (windows) overlap_add_windows(w, sites, s->length, (double)s->heat,
                                     (uint32_t)p->o->least);
    else overlap_add_stream(w, sites, s->length, (double)s->heat);
}

static void found_whole(void *user, const hotstream_stream *s) {
    found_weight((profile *)user, &((profile *)user)->whole, s, 0);
}
static void found_windows(void *user, const hotstream_stream *s) {
    found_weight((profile *)user, &((profile *)user)->windows, s, 1);
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Returns 0, or -1: without --nodes, and the grammar is full. */
static int feed(profile *p, hotstream *h, const sequence *from) {
    size_t i;
    double start = now();
    for (i = 0; i < from->count; i++) {
        if (from->at[i] == SEPARATOR) {
            hotstream_burst(h);
            continue;
        }
        while (hotstream_feed(h, from->at[i]) != 0) {
            if (!p->o->nodes) return -1;
            p->violations += hotstream_check(h);
            hotstream_digest(h);
        }
    }
    p->seconds = now() - start;
    return 0;
}

static void whole_answers(profile *p, hotstream *h) {
    const options *o = p->o;
    p->violations = hotstream_check(h);
    p->threshold = hotstream_threshold(h, o->coverage, !o->whole_rules);
    p->covered = hotstream_analyse(h, p->threshold, !o->whole_rules, found_stream, p);
    p->covered_whole =
        hotstream_analyse(h, hotstream_threshold(h, o->coverage, 0), 0, found_whole, p);
    hotstream_analyse(h, hotstream_threshold(h, o->coverage, 1), 1, found_windows, p);
}

/* Bounded: the profile of all digests is the answer to everything. */
static void digested_answers(profile *p, hotstream *h) {
    hotstream_stats stats;
    hotstream_stream *rows;
    size_t count, i;
    p->violations += hotstream_check(h);
    hotstream_digest(h);
    hotstream_get_stats(h, &stats);
    rows = (hotstream_stream *)tool_alloc(((size_t)stats.streams + 1) * sizeof *rows);
    count = hotstream_top(h, rows, stats.streams);
    for (i = 0; i < count; i++) {
        found_stream(p, &rows[i]);
        found_whole(p, &rows[i]);
        found_windows(p, &rows[i]);
        p->covered += rows[i].heat;
    }
    p->covered_whole = p->covered;
    p->part.heat_lost = stats.heat_lost;
    free(rows);
}

/* A quarter of the references: enough for most traces; when it is not, the next
   try has twice as many. */
static uint32_t nodes_to_try(size_t count) {
    if (count / 4 < 1 << 16) return 1 << 16;
    return count / 4 < 1 << 26 ? (uint32_t)(count / 4) : 1 << 26;
}

static void make_profile(profile *p, const sequence *from) {
    static hotstream h;
    const options *o = p->o;
    hotstream_config config;
    hotstream_stats stats;
    uint32_t nodes = o->nodes ? (uint32_t)o->nodes : nodes_to_try(from->count);
    void *memory;
    memset(&config, 0, sizeof config);
    config.min_length = (uint32_t)o->least;
    config.max_length = (uint32_t)o->most;
    config.coverage = o->coverage;
    config.symbols = 1;
    config.eager = o->eager;
    config.whole_rules = o->whole_rules;
    config.item = item_of;
    config.user = p;
    if (!o->nodes) config.streams_max = 16;
    for (;; nodes *= 2) { /* from the start again, until the grammar fits */
        size_t bytes = hotstream_bytes(&config, nodes);
        memory = tool_alloc(bytes);
        hotstream_init(&h, memory, bytes, &config);
        if (feed(p, &h, from) == 0) break;
        free(memory);
    }
    hotstream_check(&h); /* ends the cursor's walk: sizes are of all that was fed */
    hotstream_get_stats(&h, &stats);
    p->symbols = from->references;
    p->rules = stats.rules;
    p->nodes = stats.nodes_peak;
    p->part.title = text_clean(o->title, strlen(o->title));
    p->part.flags = !p->trace->rows;
    p->part.min_length = (uint32_t)o->least;
    p->part.max_length = (uint32_t)o->most;
    p->part.coverage_ppm = (uint32_t)(o->coverage * 1e6 + .5);
    p->part.references = from->references;
    p->part.bursts = stats.bursts;
    p->part.dropped = stats.dropped;
    if (o->nodes) digested_answers(p, &h);
    else whole_answers(p, &h);
    hotstream_get_stats(&h, &stats);
    p->digests = stats.digests;
    p->part.digests = stats.digests ? stats.digests : 1;
    streams_part_sort(&p->part);
    free(memory);
}

/* ---- output ---- */

typedef struct result {
    double exact, shares, windows;
} result;

static void compare(profile *p, profile *q, result *r) {
    double p_whole = overlap_settle(&p->whole), q_whole = overlap_settle(&q->whole);
    double p_windows = overlap_settle(&p->windows), q_windows = overlap_settle(&q->windows);
    r->exact = overlap_of(&p->whole, (double)p->symbols, &q->whole, (double)q->symbols);
    r->shares = overlap_of(&p->whole, p_whole, &q->whole, q_whole);
    r->windows = overlap_of(&p->windows, p_windows, &q->windows, q_windows);
}

static double each(double sum, uint64_t count) { return count ? sum / (double)count : 0; }

static void write_json(const profile *p, const profile *full, const result *r, const checks *c,
                       text *out) {
    text_add(out, "{\"symbols\":");
    text_number(out, p->symbols);
    text_format(out, ",\"rules\":%u,\"nodes\":%u,\"violations\":", (unsigned)p->rules,
                (unsigned)p->nodes);
    text_number(out, p->violations);
    text_add(out, ",\"digests\":");
    text_number(out, p->digests);
    text_add(out, ",\"streams\":");
    text_number(out, p->part.stream_count);
    text_add(out, ",\"covered\":");
    text_number(out, p->covered);
    text_format(
        out,
        ",\"coverage\":%.6g,\"coverage_whole_rules\":%.6g,\"ns_per_symbol\":%.2f,"
        "\"bytes_per_symbol\":%.4f",
        each((double)p->covered, p->symbols), each((double)p->covered_whole, p->symbols),
        1e9 * each(p->seconds, p->symbols), each(24.0 * p->nodes, p->symbols));
    if (full) {
        text_add(out, ",\"symbols_full\":");
        text_number(out, full->symbols);
        text_format(out, ",\"overlap_exact\":%.4f,\"overlap_shares\":%.4f,\"overlap_windows\":%.4f",
                    r->exact, r->shares, r->windows);
    } else {
        text_add(out, ",\"overlap_exact\":null,\"overlap_shares\":null,\"overlap_windows\":null");
    }
    if (p->o->thin) {
        text_add(out, ",\"checks\":");
        text_number(out, c->left);
        text_add(out, ",\"checks_all\":");
        text_number(out, c->all);
        text_format(out, ",\"entries\":%u,\"loops\":%u,\"boring\":%u",
                    (unsigned)c->plan.entries_left, (unsigned)c->plan.loops_left,
                    (unsigned)c->plan.boring);
    }
    text_add(out, ",\"profile\":");
    streams_json(&p->part, p->o->top < SIZE_MAX ? (size_t)p->o->top : SIZE_MAX, 0, out);
    text_add(out, "}\n");
}

/* The report of the profile, and what only a replay knows. */
static int write_text(const profile *p, const profile *full, const result *r, const checks *c,
                      text *out) {
    text part = {NULL, 0, 0};
    input in;
    report told;
    size_t i, k;
    int status;
    memset(&in, 0, sizeof in);
    memset(&told, 0, sizeof told);
    streams_part_write(&p->part, &part);
    status = input_take(&in, "the profile", &part);
    text_free(&part);
    if (status != TOOL_OK) return status;
    input_settle(&in);
    told.title = text_clean(p->o->title, strlen(p->o->title));
    report_make(&told, &in);
    for (i = 0; i < told.part_count; i++) {
        for (k = 0; k < told.parts[i].table_count; k++)
            told.parts[i].tables[k]->rows_shown = p->o->top ? (size_t)p->o->top : 1;
    }
    writer_text.write(&told, out);
    report_free(&told);
    input_free(&in);
    text_add(out, "\ngrammar    ");
    text_counted(out, p->nodes, "node");
    if (p->o->nodes) {
        text_add(out, " at most in each, ");
        text_counted(out, p->digests, "digest");
    } else {
        text_add(out, " in ");
        text_counted(out, p->rules, "rule");
    }
    text_add(out, ", ");
    text_counted(out, p->violations, "violation");
    text_format(out, "\ncost       %.1f ns and %.3f bytes a reference\n",
                1e9 * each(p->seconds, p->symbols), each(24.0 * p->nodes, p->symbols));
    if (p->o->thin) {
        text_add(out, "checks     ");
        text_number(out, c->left);
        text_add(out, " of ");
        text_number(out, c->all);
        text_format(out, ": of %u functions and %u loops; %u loops are boring\n",
                    (unsigned)c->plan.entries_left, (unsigned)c->plan.loops_left,
                    (unsigned)c->plan.boring);
    }
    if (full) {
        text_add(out, "sampled    ");
        text_number(out, p->symbols);
        text_add(out, " of ");
        text_counted(out, full->symbols, "reference");
        text_format(
            out,
            "\noverlap    %.1f %% exact, %.1f %% by shares, %.1f %% by windows of %u\n",
            r->exact, r->shares, r->windows, (unsigned)p->o->least);
    }
    return TOOL_OK;
}

static void free_profile(profile *p) {
    streams_part_free(&p->part);
    overlap_free(&p->whole);
    overlap_free(&p->windows);
}

static int run(int argc, char **argv) {
    options o;
    trace_refs trace;
    names known = {NULL, 0, 0, NULL};
    sequence all = {NULL, 0, 0, 0}, some = {NULL, 0, 0, 0};
    static profile full, sampled;
    profile *shown = &full;
    result r = {0, 0, 0};
    checks ran;
    text out = {NULL, 0, 0};
    const char *inputs[INPUTS];
    int status;
    if (tool_wants_help(argc, argv)) {
        fputs(help, stdout);
        return TOOL_OK;
    }
    status = parse(argc, argv, &o);
    if (status != TOOL_OK) return status;
    inputs[0] = o.refs;
    inputs[1] = o.table;
    inputs[2] = o.names;
    status = save_check(NULL, o.dump, inputs, INPUTS);
    if (status != TOOL_OK) return status;
    if (o.names && (status = read_names(&known, o.names)) != TOOL_OK) return status;
    status = trace_refs_open(&trace, o.refs, o.calls ? NULL : o.table, o.lackey);
    if (status != TOOL_OK) return status;
    memset(&ran, 0, sizeof ran);
    if (o.thin) {
        status = thin_read(&ran.plan, o.refs, trace.rows, trace.row_count);
        if (status == TOOL_OK)
            status = thin_choose(&ran.plan, o.thin, trace.rows, trace.row_count);
    }
    if (status == TOOL_OK) status = read_trace(&o, &trace, &ran, &all, &some);
    if (status != TOOL_OK) {
        thin_free(&ran.plan);
        trace_refs_close(&trace);
        return status;
    }
    if (all.count == 0) {
        trace_refs_close(&trace);
        return tool_error("%s: no %s in it", o.refs, o.calls ? "calls" : "references");
    }
    if (o.calls) { /* rows of pairs: caller, callee */
        status = o.table ? trace_refs_pairs(&trace, o.table) : TOOL_OK;
        if (status != TOOL_OK) {
            trace_refs_close(&trace);
            return status;
        }
    }
    full.trace = sampled.trace = &trace;
    full.names = sampled.names = &known;
    full.o = sampled.o = &o;
    make_profile(&full, &all);
    if (o.every) {
        make_profile(&sampled, &some);
        compare(&full, &sampled, &r);
        shown = &sampled;
    }
    if (o.json) write_json(shown, o.every ? &full : NULL, &r, &ran, &out);
    else status = write_text(shown, o.every ? &full : NULL, &r, &ran, &out);
    if (status == TOOL_OK) status = text_save(&out, NULL, NULL, 0, 0);
    text_free(&out);
    if (status == TOOL_OK && o.dump) {
        streams_part_write(&shown->part, &out);
        status = text_save(&out, o.dump, inputs, INPUTS, 1);
        text_free(&out);
    }
    free_profile(&full);
    free_profile(&sampled);
    thin_free(&ran.plan);
    free(all.at);
    free(some.at);
    free(known.at);
    free(known.data);
    trace_refs_close(&trace);
    return status;
}

const tool_command lab_streams = {
    "streams", "hot data streams of recorded references, whole or sampled", run};
