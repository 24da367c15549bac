/* trace.c - bursty report of a trace: what ran last, hot paths, all of it. */
#include "trace.h"
#include "base/glob.h"
#include "base/json.h"
#include "base/pager.h"
#include "base/save.h"
#include "base/tool.h"
#include "report/model/history.h"
#include <stdlib.h>
#include <string.h>

typedef struct options {
    const char *const *paths;
    const char *out, *function;
    size_t last, top;
    int count, replay, json, has_last, has_top;
} options;

typedef struct view {
    options o;
    const char *path;               /* the one that is shown now */
    replay_file file;
    history h;
    text out;
    save to;
} view;

/* ---- what is said first ---- */

static void add_loss(text *t, int json, size_t *count, const text *words) {
    if (json) {
        text one = {NULL, 0, 0};
        text_bytes(&one, words->data, words->size);
        text_bytes(&one, "", 1);
        text_add(t, (*count)++ ? "," : "");
        text_json(t, one.data);
        text_free(&one);
    } else {
        text_add(t, "  ! ");
        text_bytes(t, words->data, words->size);
        text_add(t, "\n");
    }
}

#define LOSS(...) \
    do { \
        words.size = 0; \
        text_format(&words, __VA_ARGS__); \
        add_loss(t, json, &count, &words); \
    } while (0)

static void put_losses(const view *v, text *t, int json) {
    const replay_totals *n = &v->h.totals;
    const replay_file *f = &v->file;
    text words = {NULL, 0, 0};
    size_t count = 0, i;
    if (n->lost_segments)
        LOSS("%llu of %llu segments of %lu bytes are missing: the file had reached its limit, and "
             "the last part of each thread is kept (BURSTY_TRACE_LIMIT=BYTES)",
             (unsigned long long)n->lost_segments,
             (unsigned long long)(n->lost_segments + f->segment_count),
             (unsigned long)f->segment_bytes);
    if (n->skipped)
        LOSS("%llu witnesses are of calls that were open where the trace begins; they are left out",
             (unsigned long long)n->skipped);
    if (f->damaged) LOSS("%lu segments are damaged and left out", (unsigned long)f->damaged);
    if (n->misfits)
        LOSS("%llu times the trace did not fit the graphs (first: %s); what was open there is lost",
             (unsigned long long)n->misfits, n->misfit);
    if (f->streams_lost)
        LOSS("%lu threads or handlers have no trace: the file had no room for them "
             "(BURSTY_TRACE_LIMIT=BYTES)", (unsigned long)f->streams_lost);
    if (f->fault)
        LOSS("the trace stopped before the program did: %s", strerror((int)f->fault));
    if (!f->is_ended)
        LOSS("the program did not come to its end: it crashed, was killed, called exec or _exit, or "
             "still runs");
    for (i = 0; i < v->h.stream_count; i++) {
        const history_stream *s = &v->h.streams[i];
        if (!s->totals.is_cut || !f->is_ended || s->level) continue;
        LOSS("thread %lu still ran at the end", (unsigned long)s->number);
    }
    text_free(&words);
}

/* ---- text ---- */

static void put_name(text *t, const history_stream *s) {
    if (s->level) text_format(t, "signal handlers of thread %lu (%lu deep)", (unsigned long)s->thread,
                              (unsigned long)s->level);
    else text_format(t, "thread %lu (id %lu)", (unsigned long)s->number, (unsigned long)s->thread);
}

static void put_line(const view *v, text *t, const history_line *l, uint32_t least) {
    uint32_t indent = l->depth > least ? l->depth - least : 0, i;
    size_t from = t->size;
    if (indent > 20) indent = 20;
    for (i = 0; i < indent; i++) text_add(t, " ");
    text_plain(t, history_name(&v->h, l->function));
    text_pad(t, from, 32, 0);
    text_add(t, " ");
    text_plain(t, tool_seen_from_here(l->file));
    text_format(t, ":%lu", (unsigned long)l->line);
    if (l->times > 1) text_format(t, "  x %lu", (unsigned long)l->times);
    if (l->is_back) text_add(t, "  by longjmp");
    if (!l->is_certain) text_add(t, "  perhaps");
    text_add(t, "\n");
}

static void put_last(const view *v, text *t, const history_stream *s) {
    uint32_t least = UINT32_MAX;
    size_t i;
    for (i = 0; i < s->last_count; i++)
        if (s->last[i].depth < least) least = s->last[i].depth;
    text_add(t, "\n");
    put_name(t, s);
    text_add(t, ": last lines, the newest last\n");
    if (s->totals.begins_late && !s->last_count) text_add(t, "  none is known\n");
    for (i = 0; i < s->last_count; i++) {
        text_add(t, "  ");
        put_line(v, t, &s->last[i], least);
    }
}

/* The lines of a path, each once in a row: 12 13 15-17. */
static void put_path_lines(const view *v, text *t, const history_path *p) {
    const edges_function *g = v->file.functions[p->function].graph;
    uint32_t i, k, first = 0, last = 0;
    for (i = 0; i <= p->count_of; i++) {
        uint32_t vertex = i < p->count_of ? v->h.vertices[p->at + i] : 0;
        uint32_t from = i < p->count_of ? g->line_at[vertex] : 0;
        uint32_t to = i < p->count_of ? g->line_at[vertex + 1] : 1;
        for (k = from; k < to; k++) {
            uint32_t line = i < p->count_of ? g->line[k] : 0;
            if (line && (line == last || line == last + 1)) {
                last = line;
                continue;
            }
            if (last) {
                text_format(t, " %lu", (unsigned long)first);
                if (last != first) text_format(t, "-%lu", (unsigned long)last);
            }
            first = last = line;
        }
    }
}

static int is_match(const char *pattern, const char *name) {
    return glob_matches(pattern, name, strlen(name));
}

static int is_shown(const view *v, const history_path *p) {
    const char *name = history_name(&v->h, p->function);
    return !v->o.function || is_match(v->o.function, name);
}
static void put_paths(const view *v, text *t) {
    size_t i, shown = 0;
    uint64_t blocks = 0;
    text_format(t, "\nacyclic paths: %llu; the most frequent first\n",
                (unsigned long long)v->h.path_count);
    text_add(t, "       times  of blocks  function and lines\n");
    for (i = 0; i < v->h.path_count && (v->o.top == 0 || shown < v->o.top); i++) {
        const history_path *p = &v->h.paths[i];
        size_t from = t->size;
        if (!is_shown(v, p)) continue;
        shown++;
        blocks = p->count * p->count_of;
        text_count(t, p->count);
        text_pad(t, from, 12, 1);
        text_format(t, "  %7.1f %%  ", v->h.totals.blocks
                        ? 100.0 * (double)blocks / (double)v->h.totals.blocks : 0.0);
        text_plain(t, history_name(&v->h, p->function));
        text_add(t, ":");
        put_path_lines(v, t, p);
        if (p->is_cut) text_add(t, " (left there)");
        text_add(t, "\n");
    }
}

static void put_head(const view *v, text *t) {
    const replay_totals *n = &v->h.totals;
    double blocks = n->blocks ? (double)n->blocks : 1, tokens = n->tokens ? (double)n->tokens : 1;
    text_plain(t, v->path);
    text_format(t, ": the path of process %lu", (unsigned long)v->file.process);
    if (v->file.parent) text_format(t, ", a child of %lu", (unsigned long)v->file.parent);
    text_add(t, "\n");
    put_losses(v, t, 0);
    text_add(t, "  ");
    text_counted(t, n->blocks, "block");
    text_add(t, " in ");
    text_counted(t, v->h.functions_run, "function");
    text_add(t, ", ");
    text_counted(t, n->tokens, "event");
    text_format(t, " (%llu witnesses, %llu calls), ", (unsigned long long)n->witnesses,
                (unsigned long long)n->enters);
    text_counted(t, n->bytes, "byte");
    text_format(t, "\n  %.2f bytes an event, %.2f bits a block, %.3f witnesses a block; "
                "%llu of %llu edges have a witness (%.1f %%)\n",
                (double)n->bytes / tokens, 8 * (double)n->bytes / blocks,
                (double)n->witnesses / blocks, (unsigned long long)v->h.witnesses,
                (unsigned long long)v->h.edges,
                v->h.edges ? 100 * (double)v->h.witnesses / (double)v->h.edges : 0.0);
    text_format(t, "  bit tracing would write %.2f bits a block, at %.3f branches a block\n",
                (double)v->h.bits / blocks, (double)v->h.branches / blocks);
}

/* ---- JSON ---- */

static void json_line(const view *v, text *t, const history_line *l) {
    size_t fields = 0;
    text_add(t, "{");
    json_field_string(t, &fields, "function", history_name(&v->h, l->function));
    json_field_string(t, &fields, "file", l->file);
    json_field(t, &fields, "line", l->line);
    json_field(t, &fields, "depth", l->depth);
    json_field(t, &fields, "times", l->times);
    json_field(t, &fields, "certain", l->is_certain);
    json_field(t, &fields, "longjmp", l->is_back);
    text_add(t, "}");
}

static void json_paths(const view *v, text *t) {
    size_t i, shown = 0, fields;
    uint32_t k;
    for (i = 0; i < v->h.path_count && (v->o.top == 0 || shown < v->o.top); i++) {
        const history_path *p = &v->h.paths[i];
        const edges_function *g = v->file.functions[p->function].graph;
        uint32_t n, at = 0;
        if (!is_shown(v, p)) continue;
        json_comma(t, shown++);
        fields = 0;
        text_add(t, "{");
        json_field_string(t, &fields, "function", g->name);
        json_field_string(t, &fields, "file", g->file);
        json_field(t, &fields, "count", p->count);
        json_field(t, &fields, "blocks", p->count_of);
        json_field(t, &fields, "left", (uint64_t)p->is_cut);
        json_name(t, &fields, "lines");
        text_add(t, "[");
        for (k = 0; k < p->count_of; k++) {
            uint32_t vertex = v->h.vertices[p->at + k];
            for (n = g->line_at[vertex]; n < g->line_at[vertex + 1]; n++)
                text_format(t, "%s%lu", at++ ? "," : "", (unsigned long)g->line[n]);
        }
        text_add(t, "]}");
    }
}

static void json_all(const view *v, text *t) {
    const replay_totals *n = &v->h.totals;
    size_t fields = 0, i, k;
    text_add(t, "{");
    json_name(t, &fields, "trace");
    text_add(t, "1");
    json_field(t, &fields, "process", v->file.process);
    json_field(t, &fields, "parent", v->file.parent);
    json_field(t, &fields, "ended", (uint64_t)v->file.is_ended);
    json_name(t, &fields, "losses");
    text_add(t, "[");
    put_losses(v, t, 1);
    text_add(t, "]");
    json_field(t, &fields, "blocks", n->blocks);
    json_field(t, &fields, "events", n->tokens);
    json_field(t, &fields, "witnesses", n->witnesses);
    json_field(t, &fields, "calls", n->enters);
    json_field(t, &fields, "bytes", n->bytes);
    json_field(t, &fields, "edges", v->h.edges);
    json_field(t, &fields, "edges_with_witness", v->h.witnesses);
    json_field(t, &fields, "branches", v->h.branches);
    json_field(t, &fields, "bits_of_bit_tracing", v->h.bits);
    json_name(t, &fields, "threads");
    text_add(t, "[");
    for (i = 0; i < v->h.stream_count; i++) {
        const history_stream *s = &v->h.streams[i];
        size_t own = 0;
        json_comma(t, i);
        text_add(t, "{");
        json_field(t, &own, "number", s->number);
        json_field(t, &own, "id", s->thread);
        json_field(t, &own, "signals", s->level);
        json_field(t, &own, "blocks", s->totals.blocks);
        json_field(t, &own, "events", s->totals.tokens);
        json_field(t, &own, "cut", (uint64_t)s->totals.is_cut);
        json_name(t, &own, "last");
        text_add(t, "[");
        for (k = 0; k < s->last_count; k++) {
            json_comma(t, k);
            json_line(v, t, &s->last[k]);
        }
        text_add(t, "]}");
    }
    text_add(t, "]");
    json_name(t, &fields, "paths");
    text_add(t, "[");
    json_paths(v, t);
    text_add(t, "]}\n");
}

/* ---- the whole sequence ---- */

static void replay_line(void *user, const history_stream *s, const history_line *l) {
    view *v = (view *)user;
    text_format(&v->out, "%lu ", (unsigned long)s->number);
    put_line(v, &v->out, l, 1);
    save_some(&v->to, &v->out);
}

static void put_replay(view *v) {
    size_t i, k;
    for (i = 0; i < v->h.stream_count; i++)
        for (k = 0; k < v->h.streams[i].last_count; k++)
            replay_line(v, &v->h.streams[i], &v->h.streams[i].last[k]);
}

/* ---- options ---- */

static int set_number(tool_option *option, const char *name, size_t *to) {
    const char *value = tool_value(option);
    char *end;
    unsigned long number;
    if (!value) return TOOL_BAD_INPUT;
    number = strtoul(value, &end, 10);
    if (*value < '0' || *value > '9' || *end || number > 1000000000)
        return tool_error("--%s %s: a number is wanted", name, value);
    *to = number;
    return TOOL_OK;
}

static int set_option(options *o, tool_option *option) {
    if (tool_is(option, "--", "text")) return TOOL_OK;
    if (tool_is(option, "--", "json")) {
        o->json = 1;
        if (option->value) {
            option->is_taken = 1;
            o->out = option->value;
        }
        return TOOL_OK;
    }
    if (tool_is(option, "--", "replay")) {
        o->replay = 1;
        return TOOL_OK;
    }
    if (tool_is(option, "--", "last")) {
        o->has_last = 1;
        return set_number(option, "last", &o->last);
    }
    if (tool_is(option, "--", "top")) {
        o->has_top = 1;
        return set_number(option, "top", &o->top);
    }
    if (tool_is(option, "--", "function")) {
        o->function = tool_value(option);
        return o->function ? TOOL_OK : TOOL_BAD_INPUT;
    }
    if (tool_is(option, "", "-o")) {
        o->out = tool_value(option);
        return o->out ? TOOL_OK : TOOL_BAD_INPUT;
    }
    return tool_error("%.*s: is not for a trace; --text, --json, --replay, --last, --function, "
                      "--top and -o are, and the forms of coverage",
                      (int)option->name_size, option->name);
}

static int read_options(options *o, int argc, char **argv) {
    tool_option option;
    int status = TOOL_OK;
    memset(o, 0, sizeof *o);
    o->last = 20;
    o->top = 10;
    tool_options_once(&option, argc, argv, "");
    while (status == TOOL_OK && tool_next(&option)) status = set_option(o, &option);
    if (status != TOOL_OK) return status;
    o->count = option.files;
    if (o->replay && o->json) return tool_error("--replay has no form --json");
    if (o->replay && o->has_top) return tool_error("--top changes nothing with --replay");
    o->paths = (const char *const *)argv;
    if (o->replay && !o->has_last) o->last = SIZE_MAX;
    return TOOL_OK;
}

/* Forms that are made of counts are those of coverage. */
int trace_is_wanted(int argc, char **argv) {
    static const char *const forms[] = {"--lcov", "--cobertura", "--html", "--csv", "--sums",
                                        "--gcovr", "--pprof", "--svg", "--base", NULL};
    int i, found = 0;
    size_t k;
    for (i = 1; i < argc; i++) {
        for (k = 0; forms[k]; k++)
            if (strncmp(argv[i], forms[k], strlen(forms[k])) == 0) return 0;
        if (argv[i][0] != '-') found |= replay_is(argv[i]);
    }
    return found;
}

/* Is the function in the trace that is shown now? */
static int has_function(const view *v) {
    uint32_t i;
    for (i = 0; i < v->file.function_count; i++)
        if (is_match(v->o.function, v->file.functions[i].graph->name)) return 1;
    return 0;
}

/* It must be in one of them. */
static int function_is_there(view *v) {
    int i, status = TOOL_OK, found = 0;
    for (i = 0; v->o.function && i < v->o.count && !found && status == TOOL_OK; i++) {
        status = replay_open(&v->file, v->o.paths[i]);
        if (status == TOOL_OK) found = has_function(v);
        replay_free(&v->file);
    }
    if (!v->o.function || found || status != TOOL_OK) return status;
    return tool_error("--function %s: no function has that name; * stands for any characters",
                      v->o.function);
}

static void put_text(const view *v, text *t) {
    size_t i;
    put_head(v, t);
    for (i = 0; i < v->h.stream_count && v->o.last; i++) put_last(v, t, &v->h.streams[i]);
    put_paths(v, t);
}

static int put_trace(view *v, const char *path) {
    history_wanted wanted;
    int status = replay_open(&v->file, path);
    memset(&wanted, 0, sizeof wanted);
    v->path = path;
    if (status == TOOL_OK) {
        wanted.last = v->o.last;
        wanted.function = v->o.function;
        wanted.wants_paths = !v->o.replay;
        wanted.user = v;
        if (v->o.replay && v->o.last == SIZE_MAX) wanted.line = replay_line;
        history_make(&v->h, &v->file, &wanted);
        if (v->o.json) json_all(v, &v->out);
        else if (!v->o.replay) put_text(v, &v->out);
        else if (!wanted.line) put_replay(v);
        history_free(&v->h);
    }
    replay_free(&v->file);
    return status;
}

/* Reports one trace after the other, as those of a program and its plugins. */
int trace_report(int argc, char **argv) {
    view *v = (view *)tool_alloc(sizeof *v);
    int i, status;
    memset(v, 0, sizeof *v);
    status = read_options(&v->o, argc, argv);
    if (status == TOOL_OK) status = function_is_there(v);
    if (status == TOOL_OK) status = save_open(&v->to, v->o.out, v->o.paths, v->o.count, 0);
    if (status == TOOL_OK) {
        const int is_list = v->o.json && v->o.count > 1;
        if (!v->o.json) pager_begin(v->o.out);
        for (i = 0; i < v->o.count && status == TOOL_OK; i++) {
            if (is_list) text_add(&v->out, i ? "," : "[");
            else if (i && !v->o.replay) text_add(&v->out, "\n");
            status = put_trace(v, v->o.paths[i]);
        }
        if (is_list) text_add(&v->out, "]\n");
        if (status == TOOL_OK) status = save_close(&v->to, &v->out);
        else save_drop(&v->to);
        pager_end();
    }
    text_free(&v->out);
    free(v);
    return status;
}

int trace_counts(input *in, const char *path) {
    replay_file file;
    history h;
    history_wanted wanted;
    text part = {NULL, 0, 0};
    int status = replay_open(&file, path);
    memset(&wanted, 0, sizeof wanted);
    memset(&h, 0, sizeof h);
    if (status == TOOL_OK) {
        history_make(&h, &file, &wanted);
        if (h.totals.lost_segments || h.totals.skipped || h.totals.misfits || file.damaged ||
            file.fault || file.streams_lost)
            status = tool_error("%s: a part of the path is missing, so it has no counts", path);
        else {
            history_coverage(&h, &part);
            status = input_take(in, path, &part);
        }
    }
    text_free(&part);
    history_free(&h);
    replay_free(&file);
    return status;
}
