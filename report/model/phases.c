/* phases.c - slices of a run become phases, named by the functions that miss in
   them.

   At first each slice is a phase. Two neighbours have a distance: the part of
   their misses that different functions make (0 to 1), and how far their miss
   ratios are apart, against the larger one. The nearest neighbours become one
   phase, until all neighbours are further apart than a third, no phase is shorter
   than a twentieth of the run, and there are no more than 12. */
#include "base/demangle.h"
#include "base/tool.h"
#include "report/kinds/phases.h"
#include "report/model/report.h"
#include <stdlib.h>
#include <string.h>

enum { NAMED = 3, PHASES_MOST = 12 };
static const double apart = 1. / 3, shortest = 1. / 20, least_misses = .001; /* of all accesses: below that, noise */

typedef struct phase {
    double accesses, misses;
    double *of;                                   /* misses by function */
} phase;

typedef struct names {
    const char **at;
    size_t count;
} names;

static size_t number_of(names *n, const char *name) {
    size_t i;
    for (i = 0; i < n->count; i++) {
        if (strcmp(n->at[i], name) == 0) return i;
    }
    n->at[n->count] = name;
    return n->count++;
}

static double distance(const phase *a, const phase *b, size_t functions) {
    double differ = 0, x = a->accesses > 0 ? a->misses / a->accesses : 0,
           y = b->accesses > 0 ? b->misses / b->accesses : 0, larger = x > y ? x : y;
    size_t i;
    if (larger < least_misses) return 0;          /* neither misses: one calm phase */
    for (i = 0; i < functions && a->misses > 0 && b->misses > 0; i++) {
        double d = a->of[i] / a->misses - b->of[i] / b->misses;
        differ += d < 0 ? -d / 2 : d / 2;
    }
    larger = (x > y ? x - y : y - x) / larger;
    return larger > differ ? larger : differ;
}

static int may_join(const phase *a, const phase *b, double d, size_t count, double all) {
    double shorter = a->accesses < b->accesses ? a->accesses : b->accesses;
    return d <= apart || count > PHASES_MOST || shorter < all * shortest;
}

static size_t join_near(phase *list, size_t count, size_t functions, double all) {
    while (count > 1) {
        size_t i, best = count;
        double least = 2;
        for (i = 0; i + 1 < count; i++) {
            double d = distance(&list[i], &list[i + 1], functions);
            if (d >= least || !may_join(&list[i], &list[i + 1], d, count, all)) continue;
            least = d;
            best = i;
        }
        if (best == count) break;
        list[best].accesses += list[best + 1].accesses;
        list[best].misses += list[best + 1].misses;
        for (i = 0; i < functions; i++) list[best].of[i] += list[best + 1].of[i];
        free(list[best + 1].of);
        memmove(list + best + 1, list + best + 2, (count - best - 2) * sizeof *list);
        count--;
    }
    return count;
}

/* "deflate_slow 62 %, longest_match 20 %" */
static const char *functions_of(report *r, const phase *p, const names *n) {
    text t = {NULL, 0, 0};
    unsigned char *told = (unsigned char *)tool_alloc(n->count + 1);
    size_t i, k;
    memset(told, 0, n->count + 1);
    for (k = 0; k < NAMED && p->misses > 0; k++) {
        size_t best = n->count;
        char *readable;
        for (i = 0; i < n->count; i++) {
            if (!told[i] && p->of[i] > 0 && (best == n->count || p->of[i] > p->of[best])) best = i;
        }
        if (best == n->count || p->of[best] < p->misses / 20) break;
        told[best] = 1;
        readable = r->options.keeps_mangled ? NULL : demangle(n->at[best]);
        text_add(&t, k ? ", " : "");
        text_add(&t, readable ? readable : *n->at[best] ? n->at[best] : "?");
        text_format(&t, " %.0f %%", 100 * p->of[best] / p->misses);
        free(readable);
    }
    free(told);
    text_add(&t, k ? "" : p->misses > 0 ? "(many)" : "(nothing misses)");
    return report_keep_text(r, &t);
}

static void add_part(report *r, const sliced_part *p) {
    static const report_column columns[] = {
        {"begin", "from", REPORT_SHARE, 0, NULL},
        {"end", "to", REPORT_SHARE, 0, NULL},
        {"accesses", "accesses", REPORT_COUNT, REPORT_OPTIONAL, NULL},
        {"miss_ratio", "missing", REPORT_SHARE, 0, "-"},
        {"of_misses", "of-misses", REPORT_SHARE, 0, "-"},
        {"functions", "functions", REPORT_NAME, 0, NULL},
    };
    phase *list = (phase *)tool_alloc((p->count + 1) * sizeof *list);
    double all = 0, misses = 0, before = 0;
    report_table *table;
    names n = {NULL, 0};
    size_t i, k, count = 0, room = 1;
    for (i = 0; i < p->count; i++) room += p->slices[i].count;
    n.at = (const char **)tool_alloc(room * sizeof *n.at);
    for (i = 0; i < p->count; i++) {
        const sliced *s = &p->slices[i];
        phase *one = &list[count];
        if (!s->accesses) continue;
        one->of = (double *)tool_alloc(room * sizeof *one->of);
        for (k = 0; k < room; k++) one->of[k] = 0;
        for (k = 0; k < s->count; k++)
            one->of[number_of(&n, s->of[k].name)] += (double)s->of[k].misses;
        one->accesses = (double)s->accesses;
        one->misses = (double)s->misses;
        all += one->accesses;
        misses += one->misses;
        count++;
    }
    if (count > 1 && misses > 0) {
        count = join_near(list, count, n.count, all);
        table = report_add_table(r, "miss_phases", "phases, and which functions miss in them", columns,
                                 sizeof columns / sizeof *columns);
        report_remark(table, "from and to: of what was seen of the thread with the most accesses, in "
                             "its order. missing: of the phase's accesses, in the smallest cache. "
                             "functions: of the phase's misses.");
        for (i = 0; i < count; i++) {
            report_cell *row = report_add_row(table);
            row[0].real = before / all;
            before += list[i].accesses;
            row[1].real = before / all;
            row[2].count = (uint64_t)list[i].accesses;
            row[3].real = list[i].misses / list[i].accesses;
            row[4].real = list[i].misses / misses;
            row[5].name = functions_of(r, &list[i], &n);
        }
    }
    for (i = 0; i < count; i++) free(list[i].of);
    free(list);
    free(n.at);
}

static void fill(void *columns, report *r, const void *state, const input *in) {
    const sliced_parts *s = (const sliced_parts *)state;
    size_t i;
    (void)columns;
    (void)in;
    for (i = 0; i < s->count; i++) add_part(r, &s->parts[i]);
}

const report_section section_phases = {&kind_phases, "phases", 0, fill, NULL, NULL};
