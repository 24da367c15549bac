/* contexts.c - joined calling-context trees become columns of the model. */
#include "kinds/contexts.h"
#include "base/json.h"
#include "base/tool.h"
#include "kinds/sampled.h"
#include "model/report.h"
#include "model/sampled.h"
#include <stdlib.h>
#include <string.h>

static const char *const algorithms[] = {
    /* by hcct.h's numbers */
    "Space-Saving",
    "Space-Saving",
    "Space-Saving",
    "Lossy Counting",
    "Sticky Sampling",
    "a full tree",
};

enum { ROWS_SHOWN = 30, LEAST_PARTS = 1000 /* contexts below a thousandth are in no table */ };

/* What the tree of the report does not say about a context tree. */
typedef struct context_tree {
    const char *algorithm;
    uint64_t total, absent; /* counted in all; the most that a context not shown can have */
    uint64_t unmatched; /* leaves without an enter */
    int is_of_sample; /* counts are of sampled calls and not scaled up */
    const report_tree *tree;
} context_tree;

typedef struct report_contexts {
    context_tree *trees;
    size_t count;
} report_contexts;

static void make_tree(report *r, const contexts *c, const contexts_tree *tree, const tally *sampled,
    context_tree *to) {
    uint32_t *place =
        (uint32_t *)tool_alloc(tree->count * sizeof *place); /* of each node, in preorder */
    uint64_t total = tree->field[CONTEXTS_TOTAL], scaled = tree->field[CONTEXTS_SCALED];
    uint32_t node, depth = 0;
    report_tree *made;
    size_t i;
    if (!scaled) scaled = total;
    to->algorithm = algorithms[tree->field[CONTEXTS_ALGORITHM]];
    to->total = scaled;
    to->unmatched = tree->field[CONTEXTS_UNMATCHED];
    to->is_of_sample = total && scaled == total && sampled && report_is_part(sampled);
    to->absent = tree->base;
    if (scaled != total) to->absent = contexts_scale(tree->base, scaled, total, 1);
    if (to->absent > to->total) to->absent = to->total;
    made = report_add_tree(r, tree->count, c->key_count + 1);
    made->unit = "calls";
    made->is_whole = 1;
    for (i = 0; i < made->name_count; i++)
        made->names[i] = report_name(r, i ? contexts_name(c, (uint32_t)i) : "");
    made->count = 1;
    for (node = contexts_next(tree, 0, &depth); node; node = contexts_next(tree, node, &depth)) {
        const contexts_node *n = &tree->nodes[node];
        int scales = scaled != total;
        place[node] = (uint32_t)made->count;
        made->parent[made->count] = place[n->parent];
        made->name[made->count] = n->key;
        made->lower[made->count] = scales ? contexts_scale(n->lower, scaled, total, 0) : n->lower;
        made->upper[made->count] = scales ? contexts_scale(n->upper, scaled, total, 1) : n->upper;
        made->count++;
    }
    to->tree = made;
    free(place);
}

/* ---- the table of hot contexts ------------------------------------------------------------ */

typedef struct hot_context {
    uint64_t lower, upper;
    uint32_t node;
} hot_context;

static int compare_contexts(const void *left, const void *right) {
    const hot_context *a = (const hot_context *)left, *b = (const hot_context *)right;
    if (a->lower != b->lower) return a->lower > b->lower ? -1 : 1;
    if (a->upper != b->upper) return a->upper > b->upper ? -1 : 1;
    return a->node < b->node ? -1 : a->node > b->node;
}

static void add_key(text *out, const report_tree *tree, uint32_t node) {
    text_short(out, tree->names[tree->name[node]], 60);
}

/* Outermost first. A long path keeps its two ends: who began it and what is hot. */
static const char *path_of(report *r, const report_tree *tree, uint32_t node) {
    enum { FIRST = 2, LAST = 6 };
    uint32_t last[LAST], first[FIRST] = { 0, 0 }, at;
    size_t depth = 0, outer, i;
    text out = { NULL, 0, 0 };
    for (at = node; at != 0; at = tree->parent[at], depth++) {
        if (depth < LAST) last[depth] = at;
        first[1] = first[0];
        first[0] = at;
    }
    outer = depth > LAST ? depth - LAST : 0;
    for (i = 0; i < outer && i < FIRST; i++) {
        add_key(&out, tree, first[i]);
        text_add(&out, " > ");
    }
    if (outer > FIRST) text_format(&out, "(%lu more) > ", (unsigned long)(outer - FIRST));
    for (i = depth - outer; i--;) {
        add_key(&out, tree, last[i]);
        if (i) text_add(&out, " > ");
    }
    return report_keep_text(r, &out);
}

static void add_remark(const context_tree *t, report_table *table) {
    text remark = { NULL, 0, 0 };
    text_number(&remark, t->total);
    text_format(
        &remark, " calls counted by %s. A context that is not listed has at most ", t->algorithm);
    text_number(&remark, t->absent);
    text_add(&remark, ".");
    if (t->unmatched) {
        text_add(&remark, " ");
        text_number(&remark, t->unmatched);
        text_format(&remark, " leave%s without an enter: the tree may be wrong.",
            t->unmatched == 1 ? "" : "s");
    }
    if (t->is_of_sample) text_add(&remark, " Counts are of sampled calls, not scaled up.");
    text_bytes(&remark, "", 1);
    report_remark(table, remark.data);
    text_free(&remark);
}

static void add_table(report *r, const context_tree *t) {
    static const report_column columns[] = {
        { "share", "share", REPORT_SHARE, 0, NULL },
        { "at_least", "at-least", REPORT_COUNT, 0, NULL },
        { "at_most", "at-most", REPORT_COUNT, 0, NULL },
        { "context", "context", REPORT_NAME, 0, NULL },
    };
    const report_tree *tree = t->tree;
    hot_context *hot = (hot_context *)tool_alloc(tree->count * sizeof *hot);
    report_table *table = report_add_table(r, "contexts", "hot calling contexts", columns, 4);
    size_t i, count = 0;
    for (i = 1; i < tree->count; i++) {
        if (tree->lower[i] == 0 || tree->lower[i] < t->total / LEAST_PARTS) continue;
        hot[count].lower = tree->lower[i];
        hot[count].upper = tree->upper[i];
        hot[count++].node = (uint32_t)i;
    }
    if (count) qsort(hot, count, sizeof *hot, compare_contexts);
    for (i = 0; i < count && i < ROWS_SHOWN; i++) {
        report_cell *row = report_add_row(table);
        row[0].real = t->total ? (double)hot[i].lower / (double)t->total : 0;
        row[1].count = hot[i].lower;
        row[2].count = hot[i].upper;
        row[3].name = path_of(r, tree, hot[i].node);
    }
    table->rows_left_out = tree->count - 1 - table->rows;
    add_remark(t, table);
    free(hot);
}

static void fill(void *columns, report *r, const void *state, const input *in) {
    report_contexts *to = (report_contexts *)columns;
    const contexts *c = (const contexts *)state;
    const tally *sampled = (const tally *)input_find(in, &kind_sampled);
    size_t i;
    to->trees = (context_tree *)tool_alloc(c->count * sizeof *to->trees);
    to->count = c->count;
    for (i = 0; i < c->count; i++) {
        make_tree(r, c, &c->trees[i], sampled, &to->trees[i]);
        add_table(r, &to->trees[i]);
    }
}

/* ---- JSON --------------------------------------------------------------------------------- */

static void add_tree(text *out, const context_tree *t) {
    const report_tree *tree = t->tree;
    size_t n = 0;
    text_add(out, "{");
    json_field_string(out, &n, "algorithm", t->algorithm);
    json_field(out, &n, "total", t->total);
    json_field(out, &n, "absent", t->absent);
    json_field(out, &n, "unmatched", t->unmatched);
    text_format(out, ",\"of_sample\":%s,\n\"names\":", t->is_of_sample ? "true" : "false");
    json_list_strings(out, tree->names, tree->name_count);
    text_add(out, ",\n\"parent\":");
    json_list32(out, tree->parent, tree->count);
    text_add(out, ",\n\"name\":");
    json_list32(out, tree->name, tree->count);
    text_add(out, ",\n\"lower\":");
    json_list64(out, tree->lower, tree->count);
    text_add(out, ",\n\"upper\":");
    json_list64(out, tree->upper, tree->count);
    text_add(out, "}");
}

static void write_json(const void *columns, const report *r, text *out) {
    const report_contexts *c = (const report_contexts *)columns;
    size_t i;
    (void)r;
    text_add(out, "[");
    for (i = 0; i < c->count; i++) {
        json_comma(out, i);
        add_tree(out, &c->trees[i]);
    }
    text_add(out, "]");
}

static void free_columns(void *columns) { free(((report_contexts *)columns)->trees); }

const report_section section_contexts = {
    &kind_contexts,
    "contexts",
    sizeof(report_contexts),
    fill,
    write_json,
    free_columns,
};
