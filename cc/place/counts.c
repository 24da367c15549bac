/* counts.c - what a training run tells: --counts RUN.brst.

   The dump of a build with checks says how often its functions were entered and
   its loops ran round. A function with 1 % of the calls or ticks of that run,
   or what --least says, keeps its entry check, so that it stays in the profile.
   For all others is said what the profile will lose. And of the checks that are
   left follows what they will cost:

       checks         the sum of the counts of what has one; of a strip the count times weight / budget
       basic cost     2 instructions for each
       at a rate      and, in bursts of 10 checks out of 1000 or as --rate says, the slow path:

           KNOWN     each check in a burst, its stub and thunk too
           LOOK      begin, end and length of each burst
           SUM       the sums for intervals, in each of the first 1024 bursts of
           ROW       a thread and each eighth after them (src/bursty/sums.c);
                     and for each site that the burst saw
           SAVE      the dump, at the end, for each site

   How many sites a burst sees is known of the training run's bursts, which had
   other checks. If each check were drawn by itself, it would follow from the
   shares of the sites; calls and loops come in runs, and it is less. So what
   the chosen checks would see if drawn is taken times what the training run's
   bursts saw over what theirs would have.

   The compiler inlines and schedules otherwise around checks. That is not in
   it: `sh bench/place_predict.sh` measures by how much the cost misses. */
#include "cc/place/place.h"
#include "base/demangle.h"
#include "base/input.h"
#include "base/tool.h"
#include "report/kinds/sampled.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Instructions of the runtime as gcc 12 compiles it at -O2: callgrind's, of Lua
   and lz4 with the checks of EC+L4 (docs/place.md). */
static const double FAST = 2, KNOWN = 63, LOOK = 325, SUM = 58, ROW = 128, SAVE = 2800;
static const double ALL_SUMMED = 1024, ONE_OF = 8;
enum { NAMES_SHOWN = 8 };

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
    double crowding;                            /* sites that its bursts saw, over those drawn */
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

/* How many of the bursts have their sites in the sums. */
static double summed(double bursts) {
    return bursts < ALL_SUMMED ? bursts : ALL_SUMMED + (bursts - ALL_SUMMED) / ONE_OF;
}

/* How many sites a burst would see on the average, if each of its checks were
   drawn by itself. */
static double drawn(const double *events, size_t count, double burst) {
    double all = 0, seen = 0;
    size_t i;
    for (i = 0; i < count; i++) all += events[i];
    for (i = 0; i < count && all > 0; i++) {
        seen += 1 - pow(1 - events[i] / all, burst);
    }
    return seen;
}

/* 1 if the run had no bursts whose sites were summed up. */
static double crowding_of(const tally *s, const double *events) {
    double seen = 0, bursts = 0, apart;
    size_t i;
    for (i = 0; i < s->rows.count; i++)
        seen += s->rows.at[i].sums ? (double)s->rows.at[i].sums->bursts : 0;
    for (i = 0; i < s->profiles.count; i++) bursts += (double)s->profiles.at[i].bursts;
    if (s->profiles.count == 0 || bursts < 1 || seen < 1) return 1;
    apart = drawn(events, s->sites.count, s->profiles.at[0].burst_count);
    return apart > 0 && seen < apart * summed(bursts) ? seen / summed(bursts) / apart : 1;
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
    c->crowding = crowding_of(s, events);
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

/* The share of a function. The profile may show functions of several files as one. */
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

static int by_events(const void *a, const void *b) {
    const place_count *x = *(const place_count *const *)a, *y = *(const place_count *const *)b;
    if (x->events > y->events || x->events < y->events) return x->events > y->events ? -1 : 1;
    return (x > y) - (x < y);                   /* as they stand in the list */
}

/* Functions of the run that have no code of their own here: the compiler has
   inlined them, if checks are put in after its optimizer. No plan can keep them. */
static void say_gone(const place_counts *c, text *out) {
    const place_count **list =
        (const place_count **)tool_alloc((c->size + 1) * sizeof *list);
    size_t size = 0, i;
    double calls = 0;
    for (i = 0; i < c->size; i++) {
        if (c->list[i].is_loop || c->list[i].takers || c->list[i].events <= 0) continue;
        calls += c->list[i].events;
        list[size++] = &c->list[i];
    }
    qsort((void *)list, size, sizeof *list, by_events);
    if (size) {
        text_add(out, "no function of this program, so never seen: ");
        text_counted(out, size, "function");
        text_format(out, " with %.1f %% of the calls of %s (inlined? --no-late keeps checks in "
                    "source)", c->calls > 0 ? 100 * calls / c->calls : 0.0, c->path);
        for (i = 0; i < size && i < NAMES_SHOWN; i++) {
            text_add(out, i ? ", " : ": ");
            text_plain(out, list[i]->name);
            text_format(out, " %.1f %%", 100 * list[i]->events / c->calls);
        }
        text_add(out, size > NAMES_SHOWN ? " ...\n" : "\n");
    }
    free((void *)list);
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
    say_gone(c, out);
    free(list);
}

typedef struct forecast {
    double checks, *events;                     /* events: of each check that ran */
    size_t ran, unknown;
} forecast;

static void foresee(forecast *f, double events) {
    if (events < 0) {
        f->unknown++;
        return;
    }
    if (events > 0) f->events[f->ran++] = events;
    f->checks += events;
}

static forecast forecast_of(const place_counts *c, const graph *g, const placement *p) {
    forecast f = {0, NULL, 0, 0};
    size_t i;
    uint32_t v;
    f.events = (double *)tool_alloc(((size_t)g->node_count + g->loop_count + 1) * sizeof *f.events);
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

/* What the slow path executes at a rate. */
static double slow_path(const place_counts *c, const forecast *f, const place_rate *rate) {
    double bursts = f->checks / (rate->every + rate->burst);
    double sites = drawn(f->events, f->ran, rate->burst) * c->crowding;
    if (sites < 1) sites = 1;
    return bursts * (rate->burst * KNOWN + LOOK) + summed(bursts) * (SUM + sites * ROW)
           + (double)f->ran * SAVE;
}

void place_counts_show(const place_counts *c, const graph *g, const placement *p,
                       double instructions, const place_rate *rate, text *out) {
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
    if (instructions > 0 && f.checks >= rate->every + rate->burst) {
        double basic = 100 * FAST * f.checks / instructions, slow = slow_path(c, &f, rate);
        double in_bursts = f.checks * rate->burst / (rate->every + rate->burst);
        text_format(out, "  basic cost %.2f %% of instructions: 2 for each check; at %.0f:%.0f, "
                         "%.3g %% of the checks: %.2f %%, with %.0f for each check in a burst\n",
                    basic, rate->every, rate->burst, 100 * in_bursts / f.checks,
                    basic + 100 * slow / instructions, slow / in_bursts);
    }
    free(f.events);
}
