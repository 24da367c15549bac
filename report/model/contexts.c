/* contexts.c - joined calling-context trees become columns of the model. */
#include "report/kinds/contexts.h"
#include "base/json.h"
#include "base/tool.h"
#include "report/kinds/misses.h"
#include "report/kinds/sampled.h"
#include "report/model/context_rows.h"
#include "report/model/interval.h"
#include "report/model/paths.h"
#include "report/model/report.h"
#include "report/model/sampled.h"
#include "report/model/tree_json.h"
#include <math.h>
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

enum { ROWS_SHOWN = 30 };

/* How sure a share of the calls is; all but bursts are parts of all calls. */
typedef struct context_error {
    double share;   /* by lower bounds                                               */
    double unknown; /* of it, contexts without sums over bursts: they were given up  */
    double error;   /* at most this is the standard error of the rest                */
    double largest; /* the error of one context                                      */
    double root_yy, xy; /* sums of the roots of yy, and of xy                        */
    double yy;          /* sum of yy                                                 */
    double group[CONTEXTS_GROUPS]; /* calls by groups of bursts, if there are any    */
    uint64_t calls; /* recorded, by lower bounds                                     */
    size_t contexts; /* how many have calls                                          */
} context_error;

/* What the tree of the report does not say about a context tree. */
typedef struct context_tree {
    const char *algorithm;
    const char *unit; /* of what weights are, if it is not calls */
    uint64_t unknown; /* misses: accesses of which nobody knows whether they missed */
    uint64_t total, absent; /* counted in all; the most that a context not shown can have */
    uint64_t recorded;  /* calls of the bursts that stand for `total` calls; or total */
    uint64_t bursts, lost; /* bursts with calls, or 0; calls that had no place in the tree */
    uint64_t unmatched; /* leaves without an enter */
    uint64_t counts_as; /* a call in a burst of a known stack; 0: there is none */
    double xx, clump; /* yy of all calls; see interval.h */
    const contexts_sums *by_groups; /* of all calls; NULL: there are no groups */
    double unseen; /* share of a context that no burst has seen, at most, with 97.7 % */
    int is_of_sample; /* counts are of sampled calls and not scaled up */
    int has_sums; /* over bursts */
    int is_partial; /* so much is missing that no count has an interval */
    int has_counts; /* the report has a table of functions, too */
    int has_others; /* and its counts are of bursts of another profile */
    context_rows *rows; /* of that table, if its calls are those of the tree; or NULL */
    const report_tree *tree;
    uint64_t *counts; /* of each node, by lower bounds, not scaled up */
    context_error *errors; /* of each node, and of all together in that of the root; or NULL */
    double *low, *high; /* 95 % intervals of the nodes' shares, HUGE_VAL: too few bursts */
} context_tree;

typedef struct report_contexts {
    context_tree *trees;
    size_t count;
} report_contexts;

static uint64_t add_up(uint64_t a, uint64_t b) { return a + b < a ? UINT64_MAX : a + b; }

/* ---- intervals ----------------------------------------------------------------------------- */

/* Calls of one burst are not independent, but bursts are. With m bursts that
   had a call, y calls of a context and x of all contexts in each, a share is
   p = Y / X, and the variance of Y - p X is m / (m - 1) (yy - 2 p xy + p^2 xx).
   The root's yy is xx. Dumps of version 2 have no xy, so how Y and X go
   together is not known: then the error of the share is at most that of Y plus
   p times that of X. */
static double left_over(double p, double yy, double xy, double xx) {
    const double over = yy - 2 * p * xy + p * p * xx;
    return over > 1e-12 * (yy + p * p * xx) ? over : 0; /* rounding makes that much */
}

static double over_of(const contexts_tree *from, const contexts_sums *n) {
    const contexts_sums *root = contexts_sums_of(from, 0);
    double y = (double)n->calls, p = root->calls ? y / (double)root->calls : 0, over;
    if (from->has_xy) return left_over(p, (double)n->yy, (double)n->xy, (double)root->yy);
    over = (double)n->yy - y * y / (double)root->bursts;
    return over > 0 ? over : 0;
}

/* The largest share of calls that a context may have although no burst saw it. It is
   the largest share of bursts that may have a call of it, times a factor: a burst with
   many calls is more likely to have one. */
static double unseen_of(const contexts_tree *from, const context_tree *to) {
    const contexts_sums *root = contexts_sums_of(from, 0);
    double bursts = (double)root->bursts, calls = (double)root->calls, most;
    most = interval_unmet(bursts).high;
    if (calls > 0) most *= bursts * (double)root->yy / (calls * calls);
    most += to->total ? (double)to->absent / (double)to->total : 0;
    return most < 1 ? most : 1;
}

/* Has the context sums over bursts of all of its calls? */
static int is_summed(const contexts_node *node, const contexts_sums *n) {
    return n->calls == node->lower && n->yy != UINT64_MAX && n->xy != UINT64_MAX;
}

static void find_clump(const contexts_tree *from, context_tree *to) {
    double calls = 0, over = 0;
    uint32_t i;
    for (i = 1; i < from->count; i++) {
        const contexts_sums *n = contexts_sums_of(from, i);
        if (!is_summed(&from->nodes[i], n)) continue;
        calls += (double)n->calls;
        over += over_of(from, n);
    }
    to->clump = calls > 0 ? over / calls : 0;
    to->xx = from->has_xy ? (double)contexts_sums_of(from, 0)->yy : -1;
}

static void find_errors(const contexts_tree *from, const uint32_t *place, context_tree *to) {
    const contexts_sums *root = contexts_sums_of(from, 0);
    double bursts = (double)root->bursts, all = (double)from->field[CONTEXTS_TOTAL];
    double calls = (double)root->calls;
    double of_all = (double)root->yy - calls * calls / bursts;
    uint32_t i, k;
    of_all = of_all > 0 && !from->has_xy ? sqrt(of_all * bursts / (bursts - 1)) / all : 0;
    find_clump(from, to);
    if (from->has_groups) to->by_groups = root;
    to->errors = (context_error *)tool_alloc(from->count * sizeof *to->errors);
    for (i = 1; i < from->count; i++) {
        const contexts_sums *n = contexts_sums_of(from, i);
        context_error *e = &to->errors[place[i]];
        double y = (double)n->calls, equal = interval_worth_of_bursts(y, (double)n->yy), over;
        e->calls = from->nodes[i].lower;
        e->share = (double)e->calls / all;
        e->contexts = e->calls != 0;
        for (k = 0; k < CONTEXTS_GROUPS; k++) e->group[k] = (double)n->group[k];
        if (is_summed(&from->nodes[i], n)) {
            over = interval_with_unseen(over_of(from, n), y, equal, to->clump);
            e->error = sqrt(over * bursts / (bursts - 1)) / all + e->share * of_all;
            e->yy = (double)n->yy;
            e->largest = e->error;
            e->root_yy = sqrt(e->yy);
            e->xy = (double)n->xy;
        } else e->unknown = e->share;
        to->errors[0].share += e->share;
        to->errors[0].error += e->error;
        to->errors[0].unknown += e->unknown;
    }
}

/* Errors of a sum are at most the sum of the errors. */
static void add_error(context_error *to, const context_error *from) {
    size_t k;
    to->share += from->share;
    to->unknown += from->unknown;
    to->error += from->error;
    to->largest = fmax(to->largest, from->largest);
    to->root_yy += from->root_yy;
    to->yy += from->yy;
    to->xy += from->xy;
    for (k = 0; k < CONTEXTS_GROUPS; k++) to->group[k] += from->group[k];
    to->calls += from->calls;
    to->contexts += from->contexts;
}

/* At most the sum of y y of contexts together, y being what all of them have in
   a burst: it is no more than if each had its calls where all others have
   theirs, and no more than the sum of x y, since y is at most x. */
static double most_yy(const context_tree *t, const context_error *e) {
    double most = e->root_yy * e->root_yy;
    return t->xx >= 0 && e->xy < most ? e->xy : most;
}

/* The variance of y - p x between bursts, for several contexts together. It is estimated
   from groups, for each burst is in one of them by chance. With g groups the estimate
   has g - 1 degrees of freedom. *equal: how many equal bursts these are worth. */
static double over_of_groups(const context_tree *t, const context_error *e, double *equal) {
    double over = 0, y = 0, x = 0, p, yy;
    size_t k;
    for (k = 0; k < CONTEXTS_GROUPS; k++) {
        y += e->group[k];
        x += (double)t->by_groups->group[k];
    }
    p = x > 0 ? y / x : 0;
    for (k = 0; k < CONTEXTS_GROUPS; k++) {
        const double left = e->group[k] - p * (double)t->by_groups->group[k];
        over += left * left;
    }
    over *= (double)CONTEXTS_GROUPS / (CONTEXTS_GROUPS - 1);
    yy = fmin(fmax(over + 2 * p * e->xy - p * p * t->xx, e->yy), most_yy(t, e));
    *equal = interval_worth_of_bursts((double)e->calls, yy);
    return over;
}

/* A share p of n calls, or of m bursts if all are alike. */
static interval range_of_error(double p, double error, double n, double m, double equal) {
    if (p == 1) n = m; /* no difference is to be seen: each burst is a sample */
    else if (error > 0 && p * (1 - p) < n * error * error) n = p * (1 - p) / (error * error);
    return interval_of_worth(p, n < 1 ? 1 : n, equal);
}

/* One context cannot be made up for by more than the others vary. */
static interval range_by_groups(const context_tree *t, const context_error *e, double p) {
    const double n = (double)t->recorded, m = (double)t->bursts;
    double equal, over = over_of_groups(t, e, &equal), error;
    over = interval_with_unseen(over, (double)e->calls, equal, t->clump) * m / (m - 1);
    error = fmax(sqrt(over) / n, 2 * e->largest - e->error);
    return range_of_error(p, error, n, m, fmin(equal, CONTEXTS_GROUPS));
}

static int is_narrower(interval a, interval b) {
    if ((a.low < 0) != (b.low < 0)) return b.low < 0;
    return a.high - a.low < b.high - b.low;
}

/* A share p and the rest, 1 - p, have the same error. So it is small for a share near
   1. What the tree gave up may belong to any context: it widens the interval
   upwards. */
static interval range_of(const context_tree *t, const context_error *e, double most_above) {
    interval range = { -1, -1 };
    double error = e->error, others = t->errors[0].error - e->error, n = (double)t->recorded;
    double given_up = 1 - t->errors[0].share, p = e->share < 1 ? e->share : 1;
    double y = (double)e->calls, m = (double)t->bursts, equal = 1, together;
    int is_known = e->root_yy > 0 && e->unknown <= p / 20;
    if (!e->calls) return range;
    if (is_known) equal = interval_worth_of_bursts(y, most_yy(t, e));
    else error += sqrt(e->unknown * n * t->clump) / n;
    if (is_known && t->xx >= 0) {
        together = interval_with_unseen(left_over(p, most_yy(t, e), e->xy, t->xx), y, equal, t->clump);
        together = sqrt(together * m / (m - 1)) / (double)t->recorded;
        if (together < error) error = together;
    }
    if (given_up + t->errors[0].unknown < .001 && others < error) error = others > 0 ? others : 0;
    range = range_of_error(p, error, n, m, equal);
    if (is_known && t->by_groups && e->contexts > 1 && p < 1) {
        const interval by_groups = range_by_groups(t, e, p);
        if (is_narrower(by_groups, range)) range = by_groups;
    }
    if (most_above > given_up) most_above = given_up;
    if (most_above > 0) range.high += most_above;
    if (range.high > 1) range.high = 1;
    return range;
}

/* The interval of a row in the tables of functions and pairs that shows the same
   calls. */
static interval range_in_rows(const context_tree *t, const context_error *e, uint32_t caller,
                              uint32_t callee, double most_above) {
    interval range = context_rows_find(t->rows, 0, callee, e->calls);
    if (range.high < 0 && caller) range = context_rows_find(t->rows, caller, callee, e->calls);
    if (range.high < 0 || e->share < range.low || e->share > range.high)
        return range_of(t, e, most_above);
    return range;
}

static void find_ranges(context_tree *t) {
    const report_tree *tree = t->tree;
    size_t i;
    t->low = (double *)tool_alloc(tree->count * sizeof *t->low);
    t->high = (double *)tool_alloc(tree->count * sizeof *t->high);
    for (i = 0; i < tree->count; i++) {
        double above = ((double)tree->upper[i] - (double)tree->lower[i]) / (double)t->total;
        uint32_t parent = tree->parent[i], caller = parent ? tree->name[parent] : 0;
        interval range = { -1, -1 };
        if (i) range = range_in_rows(t, &t->errors[i], caller, tree->name[i], above);
        t->low[i] = range.low < 0 ? HUGE_VAL : range.low;
        t->high[i] = range.high < 0 ? HUGE_VAL : range.high;
    }
}

static double or_none(double bound) { return bound > 1 ? REPORT_NONE : bound; }

/* Two cells of a table. */
static void put_range(report_cell *cells, interval range) {
    cells[0].real = range.low < 0 ? REPORT_NONE : range.low;
    cells[1].real = range.high < 0 ? REPORT_NONE : range.high;
}

/* Has it a profile whose bursts do not fill the tables of functions and
   pairs? */
static int has_others(const tally *s) {
    ranges known;
    size_t i;
    ranges_make(&known, s);
    for (i = 0; i < s->profiles.count; i++) {
        if (!ranges_fills_table(&known, &s->profiles.at[i])) return 1;
    }
    return 0;
}

static const contexts *named; /* qsort hands nothing through */

static int by_name(const void *left, const void *right) {
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    int order = strcmp(named->keys[a - 1].name, named->keys[b - 1].name);
    if (!order) order = strcmp(named->keys[a - 1].place, named->keys[b - 1].place);
    return order ? order : a < b ? -1 : a > b;
}

/* "file:line", in two. */
static void set_place(report *r, report_tree *made, uint32_t name, const char *place) {
    const char *line = strrchr(place, ':');
    size_t i;
    if (!line) return;
    if (!made->file) {
        made->file = (const char **)tool_alloc(made->name_count * sizeof *made->file);
        made->line = (uint32_t *)tool_alloc(made->name_count * sizeof *made->line);
        for (i = 0; i < made->name_count; i++) made->file[i] = "";
    }
    made->file[name] = report_keep(r, text_clean(place, (size_t)(line - place)));
    made->line[name] = (uint32_t)strtoul(line + 1, NULL, 10);
}

/* Functions of one name have their place beside it, and a number if they have no
   place. Those of one name and place are one: a function of a header is in each
   library that includes it. Returns which one stands for each key; to be freed by
   the caller. */
static uint32_t *name_twins(report *r, const contexts *c, report_tree *made) {
    uint32_t *sorted = (uint32_t *)tool_alloc((c->key_count + 1) * sizeof *sorted), i, last = 0;
    uint32_t *one_of = (uint32_t *)tool_alloc((c->key_count + 1) * sizeof *one_of);
    made->twin = (uint32_t *)tool_alloc(made->name_count * sizeof *made->twin);
    for (i = 0; i < c->key_count; i++) sorted[i] = i + 1;
    named = c;
    if (c->key_count) qsort(sorted, c->key_count, sizeof *sorted, by_name);
    for (i = 0; i < c->key_count; i++) {
        const uint32_t name = sorted[i];
        const contexts_key *key = &c->keys[name - 1], *before = last ? &c->keys[last - 1] : NULL;
        const int is_twin = before && strcmp(key->name, before->name) == 0;
        if (is_twin && *key->place && strcmp(key->place, before->place) == 0) {
            one_of[name] = last;
            continue;
        }
        if (is_twin) {
            if (!made->twin[last]) made->twin[last] = 1;
            made->twin[name] = key->twin + 1;
        }
        set_place(r, made, name, key->place);
        one_of[name] = last = name;
    }
    free(sorted);
    return one_of;
}

/* Has all been counted? Then a burst of each thread never ends, and there is nothing
   between bursts that could vary. */
static int is_whole(const contexts_tree *tree, const tally *s) {
    const uint64_t total = tree->field[CONTEXTS_TOTAL], scaled = tree->field[CONTEXTS_SCALED];
    size_t i;
    for (i = 0; s && (!scaled || scaled == total) && i < s->profiles.count; i++) {
        const sampled_profile *p = &s->profiles.at[i];
        if (p->events && report_rate(p) >= 1) return 1;
    }
    return 0;
}

/* If each context were scaled up by itself it would be rounded down, and a thousand
   of them would lose a thousand. So the sum of all nodes up to this one, in preorder,
   is scaled up and rounded down, and the node has the difference to the sum before it.
   Then each count is less than 1 off, and so is that of each subtree, whose nodes
   follow one another, and of all. */
static uint64_t scaled_next(uint64_t *sum, uint64_t count, uint64_t scaled, uint64_t total) {
    uint64_t before = contexts_scale(*sum, scaled, total, 0), now;
    *sum = add_up(*sum, count);
    now = contexts_scale(*sum, scaled, total, 0);
    return now > before ? now - before : 0;
}

static void make_tree(report *r, const contexts *c, const contexts_tree *tree, const tally *sampled,
    context_tree *to) {
    uint32_t *place =
        (uint32_t *)tool_alloc(tree->count * sizeof *place); /* of each node, in preorder */
    uint64_t total = tree->field[CONTEXTS_TOTAL], scaled = tree->field[CONTEXTS_SCALED];
    uint64_t sum = 0;
    uint32_t node, depth = 0, *one_of;
    const int has_sums = tree->has_sums && !is_whole(tree, sampled);
    report_tree *made;
    size_t i;
    if (!scaled) scaled = total;
    if (tree->unit) to->unit = report_keep(r, text_clean(tree->unit, strlen(tree->unit)));
    if (to->unit) sampled = NULL; /* which knows calls alone */
    to->algorithm = algorithms[tree->field[CONTEXTS_ALGORITHM]];
    to->total = scaled;
    to->recorded = total;
    to->bursts = has_sums ? contexts_sums_of(tree, 0)->bursts : 0;
    to->lost = tree->field[CONTEXTS_LOST];
    to->unmatched = tree->field[CONTEXTS_UNMATCHED];
    to->counts_as = tree->skipped ? tree->reenable : 0;
    to->has_counts = sampled && sampled->rows.count && report_is_part(sampled);
    to->has_others = to->has_counts && has_others(sampled);
    to->is_of_sample = total && scaled == total && sampled && report_is_part(sampled);
    to->absent = tree->base;
    if (scaled != total) to->absent = contexts_scale(tree->base, scaled, total, 1);
    if (to->absent > to->total) to->absent = to->total;
    to->counts = (uint64_t *)tool_alloc(tree->count * sizeof *to->counts);
    made = report_add_tree(r, tree->count, c->key_count + 1);
    made->unit = to->unit ? to->unit : "calls";
    made->is_whole = 1;
    for (i = 0; i < made->name_count; i++)
        made->names[i] = report_name(r, i ? contexts_name(c, (uint32_t)i) : "");
    one_of = name_twins(r, c, made);
    made->count = 1;
    for (node = contexts_next(tree, 0, &depth); node; node = contexts_next(tree, node, &depth)) {
        const contexts_node *n = &tree->nodes[node];
        int scales = scaled != total;
        place[node] = (uint32_t)made->count;
        made->parent[made->count] = place[n->parent];
        made->name[made->count] = one_of[n->key];
        to->counts[made->count] = n->lower;
        made->lower[made->count] = scales ? scaled_next(&sum, n->lower, scaled, total) : n->lower;
        made->upper[made->count] = scales ? contexts_scale(n->upper, scaled, total, 1) : n->upper;
        if (n->lower == n->upper) made->upper[made->count] = made->lower[made->count];
        made->count++;
    }
    to->tree = made;
    to->has_sums = has_sums;
    to->is_partial = report_misses(r, REPORT_OF_COUNTS);
    if (has_sums && !to->is_partial && contexts_sums_of(tree, 0)->bursts > 1 && total) {
        if (sampled) to->rows = context_rows_make(c, tree, sampled);
        find_errors(tree, place, to);
        to->unseen = unseen_of(tree, to);
        find_ranges(to);
    }
    free(one_of);
    free(place);
}

/* ---- the table of hot contexts ------------------------------------------------------------ */

/* Is it less than --min asks for? */
static int is_cold(const report *r, const context_tree *t, uint64_t calls) {
    return (double)calls < r->options.least_share * (double)t->total;
}

static const report_tree *compared; /* qsort hands nothing through */

static int compare_contexts(const void *left, const void *right) {
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    const uint64_t *lower = compared->lower, *upper = compared->upper;
    if (lower[a] != lower[b]) return lower[a] > lower[b] ? -1 : 1;
    if (upper[a] != upper[b]) return upper[a] > upper[b] ? -1 : 1;
    return a < b ? -1 : a > b;
}

static void add_remark(const context_tree *t, report_table *table) {
    text remark = { NULL, 0, 0 };
    int is_estimate = t->recorded != t->total;
    text_counted(&remark, t->total, "call");
    if (!is_estimate) {
        text_format(&remark, " counted by %s.", t->algorithm);
    } else {
        text_add(&remark, ". Counts are estimates: ");
        text_counted(&remark, t->recorded, "call");
        text_format(&remark, ", in bursts, %s counted by %s and scaled up.",
                    t->recorded == 1 ? "was" : "were", t->algorithm);
        if (t->counts_as > 1)
            text_format(&remark, " Calls in bursts of known stacks are %llu of these each.",
                        (unsigned long long)t->counts_as);
    }
    text_add(&remark, is_estimate ? " A context that is not listed had at most "
                                  : " A context that is not listed has at most ");
    text_number(&remark, t->absent);
    if (!is_estimate) text_add(&remark, ".");
    else if (!t->errors) text_add(&remark, " by this estimate; bursts may have missed it.");
    else
        text_format(&remark,
                    " by this estimate. Bursts may have missed it: with 97.7 %% it has at most %.2g %% "
                    "of the calls.",
                    100 * t->unseen);
    if (t->unmatched) {
        text_add(&remark, " ");
        text_counted(&remark, t->unmatched, "leave");
        text_add(&remark, " without an enter: the tree may be wrong.");
    }
    if (t->is_of_sample) text_add(&remark, " Counts are of sampled calls, not scaled up.");
    if (t->errors) {
        text_add(&remark, " from and to are the 95 % interval of the share, from how a context's "
                          "calls differ between bursts. from is \"few\" below 5 bursts, where one "
                          "burst has more than a fifth, and if the tree gave the context up and it "
                          "came back. at-least and at-most bound what was recorded");
        text_add(&remark, is_estimate ? ", scaled up as the counts are." : ".");
    } else if (t->is_of_sample || is_estimate)
        text_format(&remark,
                    " at-least and at-most bound what was recorded. There is no interval for what "
                    "bursts missed, because %s.%s",
                    t->is_partial ? "more than a hundredth is missing, or nobody knows how much"
                    : t->has_sums ? "fewer than two bursts had calls"
                                  : "the dump has no sums over bursts",
                    t->has_counts ? " The intervals of functions say how far shares may be off."
                                  : "");
    text_bytes(&remark, "", 1);
    report_remark(table, remark.data);
    text_free(&remark);
}

static void add_table(report *r, const context_tree *t) {
    static const report_column columns[] = {
        { "share", "share", REPORT_SHARE, 0, NULL },
        { "at_least", "at-least", REPORT_COUNT, 0, NULL },
        { "at_most", "at-most", REPORT_COUNT, 0, NULL },
        { "context", "context", REPORT_PATH, 0, NULL },
    };
    static const report_column with_ranges[] = {
        { "share", "share", REPORT_SHARE, 0, NULL },
        { "share_low", "from", REPORT_SHARE, 0, "few" },
        { "share_high", "to", REPORT_SHARE, 0, "few" },
        { "recorded_least", "at-least", REPORT_COUNT, 0, NULL },
        { "recorded_most", "at-most", REPORT_COUNT, 0, NULL },
        { "context", "context", REPORT_PATH, 0, NULL },
    };
    const report_tree *tree = t->tree;
    uint32_t *hot = (uint32_t *)tool_alloc(tree->count * sizeof *hot), i;
    report_table *table = report_add_table(r, "contexts", "hot calling contexts",
                                           t->errors ? with_ranges : columns, t->errors ? 6 : 4);
    size_t count = 0;
    for (i = 1; i < tree->count; i++) {
        if (tree->lower[i] == 0) continue; /* only on the way to others */
        if (is_cold(r, t, tree->lower[i])) {
            table->rows_left_out++;
            continue;
        }
        hot[count++] = i;
    }
    compared = tree;
    if (count) qsort(hot, count, sizeof *hot, compare_contexts);
    for (i = 0; i < count && (i < ROWS_SHOWN || r->options.wants_all_rows); i++) {
        report_cell *row = report_add_row(table);
        row++->real = t->total ? (double)tree->lower[hot[i]] / (double)t->total : 0;
        if (t->errors) {
            row++->real = or_none(t->low[hot[i]]);
            row++->real = or_none(t->high[hot[i]]);
        }
        row++->count = tree->lower[hot[i]];
        row++->count = tree->upper[hot[i]];
        row->node = hot[i];
    }
    table->rows_shown = ROWS_SHOWN;
    table->rows_more = count - table->rows;
    add_remark(t, table);
    table->paths = report_paths_make(tree, hot, table->rows);
    free(hot);
}

/* ---- other weights than calls ---------------------------------------------------------------- */

/* Scales the sum of several contexts up. */
static uint64_t scaled_up(const context_tree *t, uint64_t count) {
    return t->recorded == t->total ? count : contexts_scale(count, t->total, t->recorded, 0);
}

/* An access of which nobody knows whether it missed may be a miss of any context. */
static void widen(context_tree *t) {
    double known = (double)t->total / ((double)t->total + (double)t->unknown);
    size_t i;
    for (i = 0; t->errors && t->unknown && i < t->tree->count; i++) {
        if (t->low[i] > 1) continue; /* too few bursts */
        t->low[i] *= known;
        t->high[i] = t->high[i] * known + 1 - known;
    }
}

static void add_weighted(report *r, const context_tree *t) {
    static const report_column columns[] = {
        { "share", "share", REPORT_SHARE, 0, NULL },
        { "share_low", "from", REPORT_SHARE, 0, "few" },
        { "share_high", "to", REPORT_SHARE, 0, "few" },
        { "total_share", "total", REPORT_SHARE, 0, NULL },
        { "at_least", "at-least", REPORT_COUNT, REPORT_OPTIONAL, NULL },
        { "at_most", "at-most", REPORT_COUNT, REPORT_OPTIONAL, NULL },
        { "context", "context", REPORT_PATH, 0, NULL },
    };
    const report_tree *tree = t->tree;
    uint64_t *below = (uint64_t *)tool_alloc(tree->count * sizeof *below);
    uint32_t *hot = (uint32_t *)tool_alloc(tree->count * sizeof *hot), i, k;
    text key = {NULL, 0, 0}, words = {NULL, 0, 0};
    size_t count = 0;
    report_table *table;
    text_format(&key, "contexts_by_%s", t->unit);
    for (i = 0; i < key.size; i++)
        if (key.data[i] == '-') key.data[i] = '_';
    text_format(&words, "hot calling contexts, by %s", t->unit);
    text_bytes(&words, "", 1);
    table = report_add_table(r, report_keep_text(r, &key), words.data, columns,
                             sizeof columns / sizeof *columns);
    for (i = (uint32_t)tree->count - 1; i; i--) {
        below[i] = add_up(below[i], t->counts[i]);
        below[tree->parent[i]] = add_up(below[tree->parent[i]], below[i]);
        if (!tree->lower[i]) continue;
        if (is_cold(r, t, tree->lower[i])) table->rows_left_out++;
        else hot[count++] = i;
    }
    compared = tree;
    if (count) qsort(hot, count, sizeof *hot, compare_contexts);
    for (k = 0; k < count && (k < ROWS_SHOWN || r->options.wants_all_rows); k++) {
        report_cell *row = report_add_row(table);
        double share = (double)tree->lower[hot[k]] / (double)t->total;
        row[0].real = share;
        row[1].real = t->errors ? or_none(t->low[hot[k]]) : t->bursts ? REPORT_NONE : share;
        row[2].real = t->errors ? or_none(t->high[hot[k]]) : t->bursts ? REPORT_NONE : share;
        row[3].real = (double)scaled_up(t, below[hot[k]]) / (double)t->total;
        row[4].count = tree->lower[hot[k]];
        row[5].count = tree->upper[hot[k]];
        row[6].node = hot[k];
    }
    table->rows_shown = ROWS_SHOWN;
    table->rows_more = count - table->rows;
    words.size = 0;
    text_number(&words, t->total);
    text_format(&words, " %s, counted by %s; a context that is not listed has at most ", t->unit,
                t->algorithm);
    text_number(&words, t->absent);
    text_format(&words, ". total has what is below the context, too.");
    if (t->unknown) {
        text_add(&words, " Of ");
        text_counted(&words, t->unknown, "access");
        text_add(&words, " nobody knows whether they missed; from and to leave them to any context.");
    }
    text_bytes(&words, "", 1);
    report_remark(table, words.data);
    table->paths = report_paths_make(tree, hot, table->rows);
    text_free(&words);
    free(below);
    free(hot);
}

/* The unknown misses of the smallest cache, whose misses have contexts. */
static uint64_t unknown_misses(const input *in) {
    const missed_parts *p = (const missed_parts *)input_find(in, &kind_misses);
    uint64_t unknown = 0;
    size_t i;
    for (i = 0; p && i < p->count; i++)
        if (p->parts[i].size_count) unknown += p->parts[i].sizes[0].unknown;
    return unknown;
}

/* ---- functions ------------------------------------------------------------------------------ */

/* A function, or a caller and a callee. */
typedef struct call_sum {
    uint32_t caller, callee;      /* places in tree->names; caller 0: it is the outermost */
    uint64_t calls, with_callees; /* lower bounds */
    uint32_t at; /* its errors' place in call_errors, if the tree has errors */
} call_sum;

typedef struct call_errors {
    context_error own, all; /* of calls, and with callees */
} call_errors;

static int compare_pairs(const void *left, const void *right) {
    const call_sum *a = (const call_sum *)left, *b = (const call_sum *)right;
    if (a->callee != b->callee) return a->callee < b->callee ? -1 : 1;
    return a->caller < b->caller ? -1 : a->caller > b->caller;
}

/* For a table without calls of the functions alone. */
static int compare_with_callees(const void *left, const void *right) {
    const call_sum *a = (const call_sum *)left, *b = (const call_sum *)right;
    if (a->with_callees != b->with_callees) return a->with_callees > b->with_callees ? -1 : 1;
    if (a->calls != b->calls) return a->calls > b->calls ? -1 : 1;
    return compare_pairs(left, right);
}

static int compare_sums(const void *left, const void *right) {
    const call_sum *a = (const call_sum *)left, *b = (const call_sum *)right;
    if (a->calls != b->calls) return a->calls > b->calls ? -1 : 1;
    if (a->with_callees != b->with_callees) return a->with_callees > b->with_callees ? -1 : 1;
    return compare_pairs(left, right);
}

/* Adds up, for each function, its calls, and the calls in it and below it. A
   call below two calls of one function is counted once: only the outermost open
   call of a function takes its callees. */
static void sum_functions(const context_tree *t, call_sum *sums, call_errors *of) {
    const report_tree *tree = t->tree;
    uint64_t *below = (uint64_t *)tool_alloc(tree->count * sizeof *below);
    context_error *errors = NULL;
    uint32_t *open = (uint32_t *)tool_alloc(tree->name_count * sizeof *open), at = 0, i;
    if (t->errors) errors = (context_error *)tool_alloc(tree->count * sizeof *errors);
    for (i = (uint32_t)tree->count - 1; i; i--) {
        below[i] = add_up(below[i], t->counts[i]);
        below[tree->parent[i]] = add_up(below[tree->parent[i]], below[i]);
        if (!t->errors) continue;
        add_error(&errors[i], &t->errors[i]);
        add_error(&errors[tree->parent[i]], &errors[i]);
    }
    for (i = 1; i < tree->count; at = i++) {
        call_sum *sum = &sums[tree->name[i]];
        for (; at != tree->parent[i]; at = tree->parent[at]) open[tree->name[at]]--;
        sum->callee = sum->at = tree->name[i];
        sum->calls = add_up(sum->calls, t->counts[i]);
        if (t->errors) add_error(&of[sum->at].own, &t->errors[i]);
        if (open[tree->name[i]]++) continue;
        sum->with_callees = add_up(sum->with_callees, below[i]);
        if (t->errors) add_error(&of[sum->at].all, &errors[i]);
    }
    for (i = 0; i < tree->name_count; i++) {
        sums[i].calls = scaled_up(t, sums[i].calls);
        sums[i].with_callees = scaled_up(t, sums[i].with_callees);
    }
    free(below);
    free(errors);
    free(open);
}

static uint32_t caller_of(const report_tree *tree, uint32_t node) {
    return tree->parent[node] ? tree->name[tree->parent[node]] : 0;
}

/* Nodes but the root by callee and then by caller, in as many steps as there
   are nodes: they are dealt to their callers, and these heaps to their
   callees. */
static uint32_t *by_pairs(const report_tree *tree) {
    uint32_t *order = (uint32_t *)tool_alloc(tree->count * sizeof *order);
    uint32_t *dealt = (uint32_t *)tool_alloc(tree->count * sizeof *dealt);
    size_t pass, i, count = tree->count - 1;
    for (i = 0; i < count; i++) order[i] = (uint32_t)i + 1;
    for (pass = 0; pass < 2; pass++) {
        uint32_t *first = (uint32_t *)tool_alloc((tree->name_count + 1) * sizeof *first), *from = order;
        for (i = 0; i < count; i++) first[(pass ? tree->name[from[i]] : caller_of(tree, from[i])) + 1]++;
        for (i = 0; i < tree->name_count; i++) first[i + 1] += first[i];
        for (i = 0; i < count; i++)
            dealt[first[pass ? tree->name[from[i]] : caller_of(tree, from[i])]++] = from[i];
        order = dealt;
        dealt = from;
        free(first);
    }
    free(dealt);
    return order;
}

/* One sum for each pair of caller and callee that has a call. *of: their errors,
   if the tree has any. */
static call_sum *sum_pairs(const context_tree *t, size_t *count, call_errors **of) {
    const report_tree *tree = t->tree;
    uint32_t *order = by_pairs(tree);
    call_sum *sums = NULL, one;
    size_t i, end, room = 0;
    *count = 0;
    *of = NULL;
    memset(&one, 0, sizeof one);
    for (i = 0; i + 1 < tree->count; i = end) {
        call_errors errors;
        memset(&errors, 0, sizeof errors);
        one.caller = caller_of(tree, order[i]);
        one.callee = tree->name[order[i]];
        one.calls = 0;
        for (end = i; end + 1 < tree->count && tree->name[order[end]] == one.callee &&
                      caller_of(tree, order[end]) == one.caller; end++) {
            one.calls = add_up(one.calls, t->counts[order[end]]);
            if (t->errors) add_error(&errors.own, &t->errors[order[end]]);
        }
        if (!one.calls) continue;
        one.calls = scaled_up(t, one.calls);
        if (*count == room) {
            room = 2 * room + 64;
            sums = (call_sum *)tool_grow(sums, room * sizeof *sums);
            if (t->errors) *of = (call_errors *)tool_grow(*of, room * sizeof **of);
        }
        one.at = (uint32_t)*count;
        if (t->errors) (*of)[*count] = errors;
        sums[(*count)++] = one;
    }
    free(order);
    return sums;
}

static const char *name_of(report *r, const report_tree *tree, uint32_t name) {
    text out = {NULL, 0, 0};
    if (!tree->twin[name]) return tree->names[name];
    report_path_name(tree, name, &out);
    return report_keep_text(r, &out);
}

static double share_of(uint64_t part, uint64_t whole) {
    return whole ? (double)part / (double)whole : 0;
}

/* Where the table of functions stands beside it, it has the calls of the
   functions alone. */
static const report_column *without_calls(report *r, const report_column *columns, size_t count) {
    report_column *made = (report_column *)tool_alloc(count * sizeof *made);
    size_t i;
    memcpy(made, columns, count * sizeof *made);
    for (i = 0; strcmp(made[i].key, "total_share") != 0; i++) made[i].flags = REPORT_HIDDEN;
    report_keep(r, (char *)made);
    return made;
}

static void add_functions(report *r, const context_tree *t) {
    static const report_column columns[] = {
        { "share", "share", REPORT_SHARE, 0, NULL },
        { "calls", "calls", REPORT_COUNT, 0, NULL },
        { "total_share", "total", REPORT_SHARE, 0, NULL },
        { "calls_total", "calls-total", REPORT_COUNT, 0, NULL },
        { "function", "function", REPORT_NAME, 0, NULL },
    };
    static const report_column with_ranges[] = {
        { "share", "share", REPORT_SHARE, 0, NULL },
        { "share_low", "from", REPORT_SHARE, 0, "few" },
        { "share_high", "to", REPORT_SHARE, 0, "few" },
        { "calls", "calls", REPORT_COUNT, 0, NULL },
        { "total_share", "total", REPORT_SHARE, 0, NULL },
        { "total_low", "from", REPORT_SHARE, REPORT_OPTIONAL, "few" },
        { "total_high", "to", REPORT_SHARE, REPORT_OPTIONAL, "few" },
        { "calls_total", "calls-total", REPORT_COUNT, REPORT_OPTIONAL, NULL },
        { "function", "function", REPORT_NAME, 0, NULL },
    };
    const report_tree *tree = t->tree;
    call_sum *sums = (call_sum *)tool_alloc(tree->name_count * sizeof *sums);
    report_table *table = report_add_table(
        r, "context_functions",
        t->has_counts ? "contexts, by function: calls with callees"
                      : "contexts, by function: calls, and with callees",
        t->has_counts ? without_calls(r, t->errors ? with_ranges : columns, t->errors ? 9 : 5)
        : t->errors   ? with_ranges
                      : columns,
        t->errors ? 9 : 5);
    uint64_t known = 0;
    text remark = { NULL, 0, 0 };
    call_errors *of = NULL;
    size_t i, count = 0;
    if (t->errors) of = (call_errors *)tool_alloc(tree->name_count * sizeof *of);
    sum_functions(t, sums, of);
    for (i = 0; i < tree->name_count; i++) {
        known = add_up(known, sums[i].calls);
        /* Who was only on the stack when a recording began is listed for what
           is below it. */
        if (!sums[i].calls && !sums[i].with_callees) continue;
        if (is_cold(r, t, sums[i].with_callees)) table->rows_left_out++;
        else sums[count++] = sums[i];
    }
    if (count) qsort(sums, count, sizeof *sums, t->has_counts ? compare_with_callees : compare_sums);
    for (i = 0; i < count; i++) {
        report_cell *row = report_add_row(table);
        row++->real = share_of(sums[i].calls, t->total);
        if (t->errors) put_range(row, range_in_rows(t, &of[sums[i].at].own, 0, sums[i].callee, 1));
        if (t->errors) row += 2;
        row++->count = sums[i].calls;
        row++->real = share_of(sums[i].with_callees, t->total);
        if (t->errors) put_range(row, range_in_rows(t, &of[sums[i].at].all, 0, sums[i].callee, 1));
        if (t->errors) row += 2;
        row++->count = sums[i].with_callees;
        row->name = name_of(r, tree, sums[i].callee);
    }
    table->rows_shown = ROWS_SHOWN;
    text_add(&remark, "calls-total are the calls in the function and below it.");
    if (t->rows)
        text_format(&remark, " These are the calls of the table of functions, and where a row has the "
                          "same calls as one there, its interval is the same. Others come from how "
                          "their calls differ between %d groups of bursts.", CONTEXTS_GROUPS);
    else if (t->has_others)
        text_add(&remark, " These are the calls that the tree of contexts has; the table of "
                          "functions has counts of its own, from other bursts. The two differ by "
                          "chance.");
    else if (t->has_counts)
        text_add(&remark, " These are the calls that the tree of contexts has; the table of "
                          "functions has counts of its own.");
    if (t->total > known && t->total - known > tree->name_count) { /* less is due to rounding */
        text_add(&remark, " ");
        text_counted(&remark, t->total - known, "call");
        text_format(&remark, " %s in no row, because the tree gave their contexts up.",
                    t->total - known == 1 ? "is" : "are");
    }
    text_bytes(&remark, "", 1);
    report_remark(table, remark.data);
    text_free(&remark);
    free(of);
    free(sums);
}

static void add_pairs(report *r, const context_tree *t) {
    static const report_column columns[] = {
        { "share", "share", REPORT_SHARE, 0, NULL },
        { "calls", "calls", REPORT_COUNT, 0, NULL },
        { "caller", "caller", REPORT_NAME, 0, NULL },
        { "callee", "callee", REPORT_NAME, 0, NULL },
    };
    static const report_column with_ranges[] = {
        { "share", "share", REPORT_SHARE, 0, NULL },
        { "share_low", "from", REPORT_SHARE, 0, "few" },
        { "share_high", "to", REPORT_SHARE, 0, "few" },
        { "calls", "calls", REPORT_COUNT, 0, NULL },
        { "caller", "caller", REPORT_NAME, 0, NULL },
        { "callee", "callee", REPORT_NAME, 0, NULL },
    };
    const report_tree *tree = t->tree;
    size_t i, count, kept = 0;
    call_errors *of;
    call_sum *sums = sum_pairs(t, &count, &of);
    report_table *table =
        report_add_table(r, "context_pairs", "contexts, by caller and callee: calls",
                         t->errors ? with_ranges : columns, t->errors ? 6 : 4);
    table->is_for_programs = t->has_counts; /* the table of callers and callees has them */
    for (i = 0; i < count; i++) {
        if (is_cold(r, t, sums[i].calls)) table->rows_left_out++;
        else sums[kept++] = sums[i];
    }
    if (kept) qsort(sums, kept, sizeof *sums, compare_sums);
    for (i = 0; i < kept; i++) {
        report_cell *row = report_add_row(table);
        row++->real = share_of(sums[i].calls, t->total);
        if (t->errors)
            put_range(row, range_in_rows(t, &of[sums[i].at].own, sums[i].caller, sums[i].callee, 1));
        if (t->errors) row += 2;
        row++->count = sums[i].calls;
        row[0].name = sums[i].caller ? name_of(r, tree, sums[i].caller) : "(none)";
        row[1].name = name_of(r, tree, sums[i].callee);
    }
    table->rows_shown = ROWS_SHOWN;
    free(of);
    free(sums);
}

/* ---- facts ---------------------------------------------------------------------------------- */

/* What was counted and how, for dumps that have no profiles of bursty.h to tell
   it. */
static void add_facts(report *r, const context_tree *t, const contexts_tree *from) {
    text value = {NULL, 0, 0};
    int is_part = t->recorded != t->total;
    text_count(&value, t->total);
    report_add_words(r, REPORT_PLAIN, is_part ? "calls (estimated)" : "calls", &value);
    if ((is_part || t->bursts) && t->counts_as < 2) {
        text_count(&value, t->recorded);
        if (t->bursts) {
            text_add(&value, " in ");
            text_count(&value, t->bursts);
            text_add(&value, t->bursts == 1 ? " burst" : " bursts");
        }
        if (is_part)
            text_format(&value, ", %.3g %% of them", 100 * share_of(t->recorded, t->total));
        report_add_words(r, REPORT_PLAIN, "recorded", &value);
    }
    if (from->skipped) {
        text_format(&value, "%llu of %llu were left out, for their stacks had one before",
                    (unsigned long long)from->skipped, (unsigned long long)from->points);
        if (from->reenable)
            text_format(&value, "; one in %llu of those that had one was not, and counts as %llu",
                        (unsigned long long)from->reenable, (unsigned long long)from->reenable);
        report_add_words(r, REPORT_PLAIN, "adaptive bursts", &value);
    }
    text_count(&value, from->count - 1);
    report_add_words(r, REPORT_PLAIN, "contexts", &value);
    if (!t->lost && !r->loss_count)
        report_add_fact(r, REPORT_PLAIN, "calls lost", "0");
    text_free(&value);
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
        if (to->trees[i].unit) {
            if (strcmp(to->trees[i].unit, "misses") == 0) to->trees[i].unknown = unknown_misses(in);
            widen(&to->trees[i]);
            if (to->trees[i].total) add_weighted(r, &to->trees[i]);
            continue;
        }
        if (!sampled || !sampled->profiles.count) add_facts(r, &to->trees[i], &c->trees[i]);
        add_functions(r, &to->trees[i]);
        add_pairs(r, &to->trees[i]);
        add_table(r, &to->trees[i]);
    }
}

/* ---- JSON --------------------------------------------------------------------------------- */

static void add_tree(const report *r, text *out, const context_tree *t) {
    const report_tree *tree = t->tree;
    size_t n = 0;
    text_add(out, "{");
    json_field_string(out, &n, "algorithm", t->algorithm);
    if (t->unit) json_field_string(out, &n, "unit", t->unit);
    if (t->unknown) json_field(out, &n, "unknown", t->unknown);
    json_field(out, &n, "total", t->total);
    json_field(out, &n, "recorded", t->recorded);
    json_field(out, &n, "bursts", t->bursts);
    json_field(out, &n, "lost", t->lost);
    json_field(out, &n, "absent", t->absent);
    if (t->errors) json_field_real(out, &n, "unseen_share", t->unseen);
    json_field(out, &n, "unmatched", t->unmatched);
    text_format(out, ",\"of_sample\":%s,\n\"names\":", t->is_of_sample ? "true" : "false");
    json_list_strings(out, tree->names, tree->name_count);
    text_add(out, ",\n");
    report_tree_places(tree, out);
    report_tree_json(r, tree, t->errors ? t->low : NULL, t->high, out);
    text_add(out, "}");
}

static void write_json(const void *columns, const report *r, text *out) {
    const report_contexts *c = (const report_contexts *)columns;
    size_t i;
    text_add(out, "[");
    for (i = 0; i < c->count; i++) {
        json_comma(out, i);
        add_tree(r, out, &c->trees[i]);
    }
    text_add(out, "]");
}

static void free_columns(void *columns) {
    report_contexts *c = (report_contexts *)columns;
    size_t i;
    for (i = 0; i < c->count; i++) {
        free(c->trees[i].counts);
        free(c->trees[i].errors);
        context_rows_free(c->trees[i].rows);
        free(c->trees[i].low);
        free(c->trees[i].high);
    }
    free(c->trees);
}

const report_section section_contexts = {
    &kind_contexts,
    "contexts",
    sizeof(report_contexts),
    fill,
    write_json,
    free_columns,
};
