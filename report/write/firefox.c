/* firefox.c - ticks in time as the Firefox profiler's processed profile, a JSON that
   profiler.firefox.com opens (its code runs in the browser; nothing is sent). There
   is a thread for each thread, with tables of its own.

   A sample there holds from its moment to the next one, and a tick stands for the
   time up to it. So a tick's stack stands where its time begins, and where a gap
   begins stands a sample without a stack:

       ticks              a      b                 c
       samples      a     b      none          c   none

   Waits of a thread and its slow frames are its markers. */
#include "base/json.h"
#include "base/tool.h"
#include "report/write/slices.h"
#include "report/write/stacks.h"
#include <stdlib.h>
#include <string.h>

enum { MOST = 1 << 20, VERSION = 54, GECKO_VERSION = 24 };

typedef struct writing {
    const report *r;
    const report_axis *a;
    text *out;
    char **names;
    uint32_t *node, *name; /* of each: 1 + its place in the thread's tables, or 0 */
    uint32_t *nodes, *used;         /* nodes and names of the thread, in that order */
    size_t node_count, name_count, string_count;
    uint32_t *waits, *late;         /* by thread, from first_wait[n] and first_late[n] on */
    size_t *first_wait, *first_late;
} writing;

static int ascending(const void *a, const void *b) {
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

/* Which nodes and names the thread needs. Parents have smaller numbers. */
static void collect(writing *w, const uint32_t *order, size_t begin, size_t end) {
    size_t i;
    for (i = 0; i < w->node_count; i++) w->node[w->nodes[i]] = 0;
    for (i = 0; i < w->name_count; i++) w->name[w->used[i]] = 0;
    w->node_count = w->name_count = 0;
    for (i = begin; i < end; i++) {
        uint32_t at = w->a->moments[order[i]].node;
        for (; at && !w->node[at]; at = w->a->tree->parent[at]) {
            w->node[at] = 1;
            w->nodes[w->node_count++] = at;
        }
    }
    if (w->node_count) qsort(w->nodes, w->node_count, sizeof *w->nodes, ascending);
    for (i = 0; i < w->node_count; i++) {
        uint32_t name = w->a->tree->name[w->nodes[i]];
        w->node[w->nodes[i]] = (uint32_t)i + 1;
        if (w->name[name]) continue;
        w->used[w->name_count++] = name;
        w->name[name] = (uint32_t)w->name_count;
    }
}

/* "key":[value,value,...] of so many; a comma before it. */
static void add_same(text *out, const char *key, const char *value, size_t count) {
    size_t i;
    text_format(out, ",\"%s\":[", key);
    for (i = 0; i < count; i++) {
        if (i) text_add(out, ",");
        text_add(out, value);
    }
    text_add(out, "]");
}

static void add_length(text *out, const char *table, size_t count) {
    text_format(out, ",\n\"%s\":{\"length\":%lu", table, (unsigned long)count);
}

static void add_count(text *out, const char *key, size_t count) {
    size_t i;
    text_format(out, ",\"%s\":[", key);
    for (i = 0; i < count; i++) text_format(out, i ? ",%lu" : "%lu", (unsigned long)i);
    text_add(out, "]");
}

/* Strings are the names, and behind them the files of those that have one. */
static void add_functions(writing *w) {
    text *out = w->out;
    const report_tree *tree = w->a->tree;
    size_t count = w->name_count, i, files = 0;
    add_length(out, "funcTable", count);
    add_count(out, "name", count);
    add_same(out, "isJS", "false", count);
    add_same(out, "relevantForJS", "false", count);
    add_same(out, "resource", "-1", count);
    text_add(out, ",\"fileName\":[");
    for (i = 0; i < count; i++) {
        if (i) text_add(out, ",");
        if (*tree->file[w->used[i]]) text_number(out, count + files++);
        else text_add(out, "null");
    }
    text_add(out, "],\"lineNumber\":[");
    for (i = 0; i < count; i++) {
        if (i) text_add(out, ",");
        if (*tree->file[w->used[i]]) text_number(out, tree->line[w->used[i]]);
        else text_add(out, "null");
    }
    text_add(out, "]");
    add_same(out, "columnNumber", "null", count);
    text_add(out, "},\n\"stringArray\":[");
    for (i = 0; i < count; i++) {
        if (i) text_add(out, ",");
        json_plain(out, *w->names[w->used[i]] ? w->names[w->used[i]] : "(no name)");
    }
    for (i = 0; i < count; i++) {
        if (!*tree->file[w->used[i]]) continue;
        text_add(out, ",");
        json_plain(out, tree->file[w->used[i]]);
    }
    w->string_count = count + files;
    text_add(out, w->string_count ? ",\"waits\"" : "\"waits\"");
    for (i = 0; i < w->a->frame_count; i++) {
        text name = {NULL, 0, 0};
        text_format(&name, "slow frame: %s", w->a->frames[i].name);
        text_bytes(&name, "", 1);
        text_add(out, ",");
        json_plain(out, name.data);
        text_free(&name);
    }
    text_add(out, "]");
}

/* ---- markers ---- */

/* The function that waited, and those around it: "wait < pop < work". */
static void add_where(writing *w, uint32_t node) {
    enum { FRAMES = 4 };
    text where = {NULL, 0, 0};
    int n = 0;
    for (; node && n < FRAMES; node = w->a->tree->parent[node])
        text_format(&where, n++ ? " < %s" : "%s", w->names[w->a->tree->name[node]]);
    text_bytes(&where, "", 1);
    json_plain(w->out, where.data);
    text_free(&where);
}

static void add_column(writing *w, uint32_t thread, const char *key,
                       void (*cell)(writing *w, const report_stretch *s, int is_late)) {
    size_t i, n = 0;
    text_format(w->out, ",\"%s\":[", key);
    for (i = w->first_wait[thread]; i < w->first_wait[thread + 1]; i++) {
        if (n++) text_add(w->out, ",");
        cell(w, &w->a->waits[w->waits[i]], 0);
    }
    for (i = w->first_late[thread]; i < w->first_late[thread + 1]; i++) {
        if (n++) text_add(w->out, ",");
        cell(w, &w->a->late[w->late[i]], 1);
    }
    text_add(w->out, "]");
    save_some(w->r->out, w->out);
}

static void category_cell(writing *w, const report_stretch *s, int is_late) {
    (void)s;
    text_add(w->out, is_late ? "2" : "1");
}
static void data_cell(writing *w, const report_stretch *s, int is_late) {
    text_add(w->out, "{\"type\":\"Text\",\"name\":");
    if (is_late) json_plain(w->out, w->a->frames[s->what].name);
    else add_where(w, s->what);
    text_add(w->out, "}");
}
static void from_cell(writing *w, const report_stretch *s, int is_late) {
    (void)is_late;
    json_real(w->out, (double)s->from_us / 1000);
}
static void to_cell(writing *w, const report_stretch *s, int is_late) {
    (void)is_late;
    json_real(w->out, (double)s->to_us / 1000);
}
static void name_cell(writing *w, const report_stretch *s, int is_late) {
    text_number(w->out, w->string_count + (is_late ? 1 + s->what : 0));
}
static void phase_cell(writing *w, const report_stretch *s, int is_late) {
    (void)s, (void)is_late;
    text_add(w->out, "1"); /* it has a begin and an end */
}

static void add_markers(writing *w, uint32_t thread) {
    add_length(w->out, "markers",
               w->first_wait[thread + 1] - w->first_wait[thread] + w->first_late[thread + 1]
                   - w->first_late[thread]);
    add_column(w, thread, "category", category_cell);
    add_column(w, thread, "data", data_cell);
    add_column(w, thread, "startTime", from_cell);
    add_column(w, thread, "endTime", to_cell);
    add_column(w, thread, "name", name_cell);
    add_column(w, thread, "phase", phase_cell);
    text_add(w->out, "}");
}

/* ---- tables ---- */

/* A frame is a function: its lines are not told apart. */
static void add_tables(writing *w) {
    text *out = w->out;
    const report_tree *tree = w->a->tree;
    size_t i, count = w->name_count;
    add_functions(w);
    add_length(out, "frameTable", count);
    add_same(out, "address", "-1", count);
    add_same(out, "inlineDepth", "0", count);
    add_same(out, "category", "0", count);
    add_same(out, "subcategory", "0", count);
    add_count(out, "func", count);
    add_same(out, "nativeSymbol", "null", count);
    add_same(out, "innerWindowID", "null", count);
    add_same(out, "line", "null", count);
    add_same(out, "column", "null", count);
    text_add(out, "}");
    add_length(out, "stackTable", w->node_count);
    text_add(out, ",\"prefix\":[");
    for (i = 0; i < w->node_count; i++) {
        uint32_t parent = tree->parent[w->nodes[i]];
        if (i) text_add(out, ",");
        if (parent) text_number(out, w->node[parent] - 1);
        else text_add(out, "null");
    }
    text_add(out, "],\"frame\":[");
    for (i = 0; i < w->node_count; i++) {
        if (i) text_add(out, ",");
        text_number(out, w->name[tree->name[w->nodes[i]]] - 1);
    }
    text_add(out, "]}");
    save_some(w->r->out, out);
}

typedef struct sample_columns {
    text stacks, steps, cpu;
    uint64_t last;
    size_t count;
} sample_columns;

/* node 0: nothing ran from here on. */
static void add_sample(writing *w, sample_columns *c, uint64_t us, uint32_t node,
                       uint64_t cpu_us) {
    const char *comma = c->count++ ? "," : "";
    text_add(&c->stacks, comma);
    if (node) text_number(&c->stacks, w->node[node] - 1);
    else text_add(&c->stacks, "null");
    text_add(&c->steps, comma);
    json_real(&c->steps, (double)(us - c->last) / 1000);
    text_add(&c->cpu, comma);
    text_number(&c->cpu, cpu_us);
    c->last = us;
}

static void add_samples(writing *w, const uint32_t *order, size_t begin, size_t end) {
    sample_columns c;
    const report_moment *before = NULL;
    uint64_t cpu_us = 0;
    size_t i;
    memset(&c, 0, sizeof c);
    for (i = begin; i < end; i++) {
        const report_moment *tick = &w->a->moments[order[i]];
        uint64_t from = slices_begin(w->a, before, tick);
        if (before && from > before->us) {
            add_sample(w, &c, before->us, 0, cpu_us);
            cpu_us = 0;
        }
        add_sample(w, &c, from, tick->node, cpu_us);
        cpu_us = w->a->tick_us;
        before = tick;
    }
    if (before) add_sample(w, &c, before->us, 0, cpu_us);
    add_length(w->out, "samples", c.count);
    text_add(w->out, ",\"weightType\":\"samples\",\"weight\":null,\"stack\":[");
    text_bytes(w->out, c.stacks.data, c.stacks.size);
    text_add(w->out, "],\n\"timeDeltas\":[");
    text_bytes(w->out, c.steps.data, c.steps.size);
    text_add(w->out, "],\n\"threadCPUDelta\":[");
    text_bytes(w->out, c.cpu.data, c.cpu.size);
    text_add(w->out, "]}");
    text_free(&c.stacks);
    text_free(&c.steps);
    text_free(&c.cpu);
}

static void add_thread(writing *w, uint32_t thread, const uint32_t *order, size_t begin,
                       size_t end) {
    text *out = w->out;
    const report_axis *a = w->a;
    collect(w, order, begin, end);
    text_add(out, "{\"name\":");
    json_plain(out, a->threads[thread]);
    text_format(out,
                ",\"isMainThread\":%s,\"pid\":\"%lu\",\"tid\":\"%lu\",\"processName\":",
                a->numbers[thread] == a->process ? "true" : "false",
                (unsigned long)a->process, (unsigned long)a->numbers[thread]);
    json_plain(out, a->program);
    text_add(out,
             ",\"processType\":\"default\",\"processStartupTime\":0,"
             "\"processShutdownTime\":null,\"registerTime\":0,\"unregisterTime\":null,"
             "\"pausedRanges\":[],\"showMarkersInTimeline\":true,\n"
             "\"nativeSymbols\":{\"length\":0,\"address\":[],\"functionSize\":[],"
             "\"libIndex\":[],\"name\":[]},\n"
             "\"resourceTable\":{\"length\":0,\"lib\":[],\"name\":[],\"host\":[],"
             "\"type\":[]}");
    add_tables(w);
    add_markers(w, thread);
    add_samples(w, order, begin, end);
    text_add(out, "}");
    save_some(w->r->out, out);
}

static void add_meta(const report *r, text *out) {
    const report_axis *a = r->axis;
    text_add(out, "{\"meta\":{\"product\":");
    json_plain(out, r->title);
    text_format(out,
                ",\"version\":%d,\"preprocessedProfileVersion\":%d,\"processType\":0,"
                "\"debug\":false,\"symbolicated\":true,\"interval\":",
                GECKO_VERSION, VERSION);
    json_real(out, (double)a->tick_us / 1000);
    text_add(out, ",\"startTime\":");
    json_real(out, (double)a->began_us / 1000);
    text_add(out, ",\n\"categories\":[{\"name\":\"Other\",\"color\":\"grey\","
                  "\"subcategories\":[\"Other\"]},"
                  "{\"name\":\"Waiting\",\"color\":\"yellow\","
                  "\"subcategories\":[\"Other\"]},"
                  "{\"name\":\"Slow frame\",\"color\":\"red\","
                  "\"subcategories\":[\"Other\"]}],\n"
                  "\"extensions\":{\"length\":0,\"baseURL\":[],\"id\":[],\"name\":[]},\n"
                  "\"sampleUnits\":{\"time\":\"ms\",\"eventDelay\":\"ms\","
                  "\"threadCPUDelta\":\"\xC2\xB5s\"},\n"
                  "\"pausedRanges\":[],\"usesOnlyOneStackType\":true,"
                  "\"sourceCodeIsNotOnSearchfox\":true,\n\"markerSchema\":[{\"name\":\"Text\","
                  "\"tableLabel\":\"{marker.name}: {marker.data.name}\","
                  "\"chartLabel\":\"{marker.data.name}\",\"display\":[\"marker-chart\","
                  "\"marker-table\",\"timeline-overview\"],\"data\":[{\"key\":\"name\","
                  "\"label\":\"where\",\"format\":\"string\",\"searchable\":true}]}]},\n"
                  "\"libs\":[],\"pages\":[],\"profilerOverhead\":[],\"counters\":[],\n"
                  "\"threads\":[");
}

static void write_firefox(const report *r, text *out) {
    const report_axis *a = r->axis;
    writing w;
    size_t *first, i, made = 0;
    uint32_t *order;
    if (!a) return;
    order = slices_order(a, &first);
    memset(&w, 0, sizeof w);
    w.r = r;
    w.a = a;
    w.out = out;
    w.names = stacks_names(a->tree);
    w.waits = slices_by_thread(a, a->waits, a->wait_count, &w.first_wait);
    w.late = slices_by_thread(a, a->late, a->late_count, &w.first_late);
    w.node = (uint32_t *)tool_alloc(a->tree->count * sizeof *w.node);
    w.nodes = (uint32_t *)tool_alloc(a->tree->count * sizeof *w.nodes);
    w.name = (uint32_t *)tool_alloc((a->tree->name_count + 1) * sizeof *w.name);
    w.used = (uint32_t *)tool_alloc((a->tree->name_count + 1) * sizeof *w.used);
    add_meta(r, out);
    for (i = 0; i < a->thread_count; i++) {
        if (first[i] == first[i + 1] && w.first_wait[i] == w.first_wait[i + 1]
            && w.first_late[i] == w.first_late[i + 1])
            continue;
        json_comma(out, made++);
        add_thread(&w, (uint32_t)i, order, first[i], first[i + 1]);
    }
    text_add(out, "]}\n");
    stacks_free_names(a->tree, w.names);
    free(w.waits);
    free(w.late);
    free(w.first_wait);
    free(w.first_late);
    free(w.node);
    free(w.nodes);
    free(w.name);
    free(w.used);
    free(order);
    free(first);
}

/* Each thread has a row for each of its stacks. */
static int refuse(const report *r) {
    const report_axis *a = r->axis;
    size_t *first, i, k, rows = 0;
    uint32_t *order, *seen;
    if (!a || r->options.wants_whole_stacks) return TOOL_OK;
    order = slices_order(a, &first);
    seen = (uint32_t *)tool_alloc(a->tree->count * sizeof *seen);
    for (i = 0; i < a->thread_count && rows <= MOST; i++) {
        for (k = first[i]; k < first[i + 1] && rows <= MOST; k++) {
            uint32_t at = a->moments[order[k]].node;
            for (; at && seen[at] != i + 1; at = a->tree->parent[at], rows++)
                seen[at] = (uint32_t)i + 1;
        }
    }
    free(seen);
    free(order);
    free(first);
    if (rows <= MOST) return TOOL_OK;
    return tool_error(
        "--firefox: there are more than %d stacks of threads; --from and --to take a "
        "part of the time, --whole-stacks writes all of them",
        MOST);
}

const report_writer writer_firefox = {
    "firefox",
    "what ran when, for the Firefox profiler (profiler.firefox.com)",
    REPORT_USES_TITLE | REPORT_USES_NAMES | REPORT_USES_WHOLE,
    0,
    write_firefox,
    slices_are_there,
    refuse,
};
