/* counts.c - what a training run tells: --counts RUN.brst.

   The dump of a build with checks says how often its functions were entered and
   its loops ran round. A function with 1 % of the calls or ticks of that run,
   or what --least says, keeps its entry check, so that it stays in the profile.
   For all others is said what the profile will lose. And of the checks that are
   left follows what they will cost:

       checks         the sum of the counts of what has one; of a strip the count times weight / budget
       basic cost     2 instructions for each
       at rate r      and SLOW more for each check in a burst, of which there are r

   The compiler inlines and schedules otherwise around checks. That is not in
   it: `sh bench/place_predict.sh` measures by how much the cost misses. */
#include "place/place.h"
#include "base/demangle.h"
#include "base/input.h"
#include "base/tool.h"
#include "kinds/sampled.h"
#include <stdlib.h>
#include <string.h>

/* SLOW: instructions that a check in a burst takes beside its two, as most
   programs of bench/place_predict.sh have it (docs/place.md). */
enum { FAST = 2, SLOW = 100, NAMES_SHOWN = 8 };

typedef struct place_count {
    const char *name, *file;
    uint32_t line;                              /* of a loop */
    int is_loop;
    uint32_t takers;                            /* nodes, or loops, that it stands for */
    double events, ticks;
} place_count;

struct place_counts {
    input in;
    place_count *list;                                /* sorted */
    size_t size;
    double *entries, *loops;                    /* of nodes, and of g->loops; -1: not known */
    place_count **sites;                        /* of nodes, or NULL */
    double calls, all_ticks, checks, events;
    const char *path;
};

static int by_place(const void *a, const void *b) {
    const place_count *x = (const place_count *)a, *y = (const place_count *)b;
    int order = strcmp(x->name, y->name);
    if (order == 0) order = strcmp(x->file, y->file);
    if (order == 0) order = x->is_loop - y->is_loop;
    return order ? order : (x->line > y->line) - (x->line < y->line);
}

/* What reports call a function: names of C++ as the source has them. A copy that
   the compiler made has the name of its function; a part that it split off is
   "f [part]". */
static void reported_name(const graph *g, const graph_function *f, text *out) {
    const char *symbol = g->names[f->name];
    char *readable = g->units[f->unit].by_plugin ? demangle(symbol) : NULL, *clone;
    size_t size;
    clone = readable ? strstr(readable, " [clone ") : NULL;
    size = readable ? clone ? (size_t)(clone - readable) : strlen(readable)
           : g->units[f->unit].by_plugin ? strcspn(symbol, ".") : strlen(symbol);
    text_bytes(out, readable ? readable : symbol, size);
    if (g->units[f->unit].by_plugin && (strstr(symbol, ".part.") || strstr(symbol, ".cold.")))
        text_add(out, " [part]");
    text_bytes(out, "", 1);
    free(readable);
}

/* The site that a function of the graph, or a loop of it, has in the run. */
static place_count *find(const place_counts *c, const graph *g, const graph_function *f,
                         int is_loop, uint32_t line) {
    text name = {NULL, 0, 0};
    place_count key, *found = NULL;
    size_t low = 0, high = c->size;
    memset(&key, 0, sizeof key);
    reported_name(g, f, &name);
    key.name = name.data;
    key.file = g->names[f->file];
    key.is_loop = is_loop;
    key.line = is_loop ? line : 0;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = by_place(&c->list[middle], &key);
        if (order == 0) found = &c->list[middle];
        if (order < 0) low = middle + 1;
        else high = middle;
    }
    text_free(&name);
    return found;
}

static void add_sites(place_counts *c, const tally *s) {
    double *events = (double *)tool_alloc((2 * s->sites.count + 1) * sizeof *events);
    double *ticks = events + s->sites.count;
    size_t i, n = 0;
    for (i = 0; i < 2 * s->sites.count; i++) events[i] = 0;
    for (i = 0; i < s->rows.count; i++)
        events[s->rows.at[i].site] += (double)s->rows.at[i].weight_256 / 256;
    for (i = 0; i < s->paths.count; i++) {
        if (s->paths.at[i].site >= s->sites.count) continue;
        ticks[s->paths.at[i].site] += (double)s->paths.at[i].ticks;
        c->all_ticks += (double)s->paths.at[i].ticks;
    }
    c->list = (place_count *)tool_alloc((s->sites.count + 1) * sizeof *c->list);
    for (i = 0; i < s->sites.count; i++) {
        const sampled_site *site = &s->sites.at[i];
        place_count *to = &c->list[c->size];
        if (!(site->kind & (SITE_CALL | SITE_BACKEDGE))) continue;
        to->name = site->name;
        to->file = site->file;
        to->is_loop = (site->kind & SITE_BACKEDGE) != 0;
        to->line = to->is_loop ? site->line : 0;
        to->takers = 0;
        to->events = events[i];
        to->ticks = ticks[i];
        if (!to->is_loop) c->calls += to->events;
        c->events += to->events;
        c->size++;
    }
    qsort(c->list, c->size, sizeof *c->list, by_place);
    for (i = 0; i < c->size; i++) {             /* a name may have several sites */
        if (n && by_place(&c->list[n - 1], &c->list[i]) == 0) {
            c->list[n - 1].events += c->list[i].events;
            c->list[n - 1].ticks += c->list[i].ticks;
        } else c->list[n++] = c->list[i];
    }
    c->size = n;
    free(events);
}

/* A file that several others include is there several times, and its sites are
   one in the run: they share what was counted. */
static void match(place_counts *c, const graph *g, int is_taken) {
    size_t i;
    uint32_t n;
    for (i = 0; i < g->function_count; i++) {
        const graph_function *f = &g->functions[i];
        place_count *found = find(c, g, f, 0, 0);
        if (found && g->nodes[f->node].first_copy == i) {
            if (!is_taken) found->takers++;
            else c->entries[f->node] = found->events / found->takers;
            c->sites[f->node] = found;
        }
        if (!found && f->flags & GRAPH_HAS_CHECK) c->entries[f->node] = 0;
        for (n = 0; n < f->loops; n++) {
            const graph_loop *loop = &g->loops[f->first_loop + n];
            found = find(c, g, f, 1, loop->line);
            if (found && !is_taken) found->takers++;
            else if (found) c->loops[f->first_loop + n] = found->events / found->takers;
            /* The plugin's loops have the name of the function that was inlined. */
            else if (loop->has_check && !g->units[f->unit].by_plugin) c->loops[f->first_loop + n] = 0;
        }
    }
}

static void match_all(place_counts *c, const graph *g) {
    size_t i, all = (size_t)g->node_count + g->loop_count;
    c->entries = (double *)tool_alloc((all + 1) * sizeof *c->entries);
    c->loops = c->entries + g->node_count;
    c->sites = (place_count **)tool_alloc(((size_t)g->node_count + 1) * sizeof *c->sites);
    for (i = 0; i < all; i++) c->entries[i] = -1;
    for (i = 0; i < g->node_count; i++) c->sites[i] = NULL;
    match(c, g, 0);
    match(c, g, 1);
}

place_counts *place_counts_open(const char *path, const graph *g) {
    place_counts *c = (place_counts *)tool_alloc(sizeof *c);
    const tally *s;
    size_t i;
    memset(c, 0, sizeof *c);
    c->path = path;
    if (input_open(&c->in, path) != TOOL_OK) {
        place_counts_free(c);
        return NULL;
    }
    input_settle(&c->in);
    s = (const tally *)input_find(&c->in, &kind_sampled);
    if (s) {
        add_sites(c, s);
        for (i = 0; i < s->programs.count; i++) c->checks += (double)s->programs.at[i].checks;
    }
    if (!s || c->events <= 0) {
        tool_error("%s: no event of a check is counted in it: run longer, or with BURSTY_EVERY=90",
                   path);
        place_counts_free(c);
        return NULL;
    }
    match_all(c, g);
    return c;
}

void place_counts_free(place_counts *c) {
    free(c->list);
    free(c->entries);
    free((void *)c->sites);
    input_free(&c->in);
    free(c);
}

/* Of what the profile shows as one function, in however many files it is. */
static double share(const place_counts *c, uint32_t node) {
    const place_count *site = c->sites[node];
    double calls = site && c->calls > 0 ? site->events / c->calls : 0;
    double ticks = site && c->all_ticks > 0 ? site->ticks / c->all_ticks : 0;
    return calls > ticks ? calls : ticks;
}

void place_counts_keep(const place_counts *c, placement *p, const graph *g, double least) {
    uint32_t v;
    for (v = 0; v < g->node_count; v++) {
        if (p->entry[v] || p->fixed[v] || share(c, v) < least) continue;
        p->entry[v] = 1;
        p->entry_why[v] = WHY_SEEN;
    }
}

/* ---- what is said ---- */

typedef struct lost { uint32_t node; double share; const place_count *site; } lost;

static int by_share(const void *a, const void *b) {
    const lost *x = (const lost *)a, *y = (const lost *)b;
    if (x->share > y->share || x->share < y->share) return x->share > y->share ? -1 : 1;
    if (x->site != y->site) return x->site > y->site ? 1 : -1;
    return (x->node > y->node) - (x->node < y->node);
}

static void say_lost(const place_counts *c, const graph *g, const placement *p, text *out) {
    lost *list = (lost *)tool_alloc(((size_t)g->node_count + 1) * sizeof *list);
    size_t size = 0, kept = 0, i;
    double calls = 0;
    uint32_t v;
    for (v = 0; v < g->node_count; v++) {
        if (p->entry[v] || share(c, v) <= 0) continue;
        list[size].node = v;
        list[size].site = c->sites[v];
        list[size++].share = share(c, v);
        if (c->entries[v] > 0) calls += c->entries[v];
    }
    qsort(list, size, sizeof *list, by_share);
    for (i = 0; i < size; i++) {                /* one site stands for several nodes */
        if (kept == 0 || list[kept - 1].site != list[i].site) list[kept++] = list[i];
    }
    size = kept;
    text_add(out, "no longer seen by points: ");
    text_counted(out, size, "function");
    text_format(out, " with %.1f %% of the calls of %s", c->calls > 0 ? 100 * calls / c->calls : 0.0,
                c->path);
    for (i = 0; i < size && i < NAMES_SHOWN; i++) {
        text_add(out, i ? ", " : ": ");
        graph_show_name(g, g->nodes[list[i].node].name, out);
        text_format(out, " %.1f %%", 100 * list[i].share);
    }
    text_add(out, size > NAMES_SHOWN ? " ...\n" : "\n");
    free(list);
}

typedef struct forecast { double checks; size_t known, unknown; } forecast;

static void foresee(forecast *f, double events) {
    if (events < 0) {
        f->unknown++;
        return;
    }
    f->known++;
    f->checks += events;
}

static forecast forecast_of(const place_counts *c, const graph *g, const placement *p) {
    forecast f = {0, 0, 0};
    size_t i;
    uint32_t v;
    for (v = 0; v < g->node_count; v++) {
        if (p->entry[v]) foresee(&f, c->entries[v]);
    }
    for (i = 0; i < g->loop_count; i++) {
        double events = c->loops[i];
        if (!p->loop[i]) continue;
        if (p->weight[i] && events > 0) events = events * p->weight[i] / p->budget;
        foresee(&f, events);
    }
    return f;
}

void place_counts_show(const place_counts *c, const graph *g, const placement *p,
                       double instructions, text *out) {
    forecast f = forecast_of(c, g, p);
    say_lost(c, g, p, out);
    text_add(out, "predicted for that run: ");
    text_count(out, (uint64_t)(f.checks + .5));
    text_add(out, " checks of its ");
    text_count(out, (uint64_t)c->checks);
    text_add(out, "\n");
    if (f.unknown) {
        text_add(out, "  ");
        text_count(out, f.unknown);
        text_add(out, f.unknown == 1 ? " check stands" : " checks stand");
        text_add(out, " where the run has none: not counted. "
                      "Train with --entries=all --loops=all\n");
    }
    if (instructions > 0) {
        double basic = 100 * FAST * f.checks / instructions;
        text_format(out, "  basic cost %.2f %% of instructions: 2 for each check; at a rate of 1 %%: %.2f %%, with %d for each check in a burst\n",
                    basic, basic + 100 * SLOW * .01 * f.checks / instructions, SLOW);
    }
}
