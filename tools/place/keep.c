/* keep.c - a training run tells which functions a report needs.

   A plan that drops the check of a function drops the function from the profile:
   what it does is then its caller's. So a function keeps its check if it has 1 %
   or more of the calls, or of the ticks, that a dump of an earlier build has
   seen. The dump knows functions by name, file and line, as reports show them.
   What had no check in that build is in no dump: to look at leaves too, train a
   build with --entries=all. */
#include "place/place.h"
#include "base/input.h"
#include "base/tool.h"
#include "kinds/sampled.h"
#include <stdlib.h>
#include <string.h>

static const char *last_part(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static char *copy_of(const char *name) {
    size_t size = strlen(name) + 1;
    char *copy = (char *)tool_alloc(size);
    memcpy(copy, name, size);
    return copy;
}

static place_seen *seen_at(place_training *t, const sampled_site *site) {
    place_seen *s;
    size_t i;
    for (i = 0; i < t->count; i++) {
        s = &t->list[i];
        if (s->line == site->line && strcmp(s->name, site->name) == 0 &&
            strcmp(s->file, last_part(site->file)) == 0) return s;
    }
    t->list = (place_seen *)graph_room(t->list, t->count, &t->room, sizeof *t->list);
    s = &t->list[t->count++];
    memset(s, 0, sizeof *s);
    s->name = copy_of(site->name);
    s->file = copy_of(last_part(site->file));
    s->line = site->line;
    return s;
}

/* A scope of a loop or of the user's is no function. */
static int is_entry(const sampled_site *site) { return (site->kind & SITE_CALL) != 0; }

static void add_up(place_training *t, const tally *from) {
    size_t i;
    for (i = 0; i < from->rows.count; i++) {
        const sampled_record *row = &from->rows.at[i];
        const sampled_site *site = &from->sites.at[row->site];
        if (!is_entry(site)) continue;
        seen_at(t, site)->calls += (double)row->weight_256;
        t->calls += (double)row->weight_256;
    }
    for (i = 0; i < from->paths.count; i++) {
        const sampled_path *path = &from->paths.at[i];
        t->ticks += (double)path->ticks;
        if (path->site != TALLY_NO_SITE && is_entry(&from->sites.at[path->site]))
            seen_at(t, &from->sites.at[path->site])->ticks += (double)path->ticks;
    }
}

int place_train(place_training *t, const char *path) {
    input in;
    const tally *found;
    int status;
    memset(&in, 0, sizeof in);
    status = input_open(&in, path);
    if (status == TOOL_OK) {
        input_settle(&in);
        found = (const tally *)input_find(&in, &kind_sampled);
        if (found) add_up(t, found);
        if (t->calls + t->ticks == 0)
            status = tool_error("%s: has no calls and no ticks of functions", path);
    }
    input_free(&in);
    return status;
}

/* The compiler's copies of a function have its name in reports; a part that was
   split off is "f [part]". */
static void shown_name(const graph *g, uint32_t name, text *out) {
    const char *symbol = g->names[name], *dot = strchr(symbol, '.');
    text whole = {NULL, 0, 0};
    char *clone;
    graph_show_name(g, name, &whole);
    text_bytes(&whole, "", 1);
    clone = strstr(whole.data, " [clone ");
    if (!clone && dot && strncmp(symbol, "_Z", 2) != 0) clone = strchr(whole.data, '.');
    if (clone) *clone = 0;
    text_add(out, whole.data);
    if (strstr(symbol, ".part.") || strstr(symbol, ".cold.")) text_add(out, " [part]");
    text_bytes(out, "", 1);
    text_free(&whole);
}

static place_seen *seen_of(place_training *t, const graph *g, const graph_function *f) {
    text name = {NULL, 0, 0};
    const char *file = last_part(g->names[f->file]);
    place_seen *found = NULL;
    size_t i;
    for (i = 0; i < t->count && !found; i++) {
        place_seen *s = &t->list[i];
        if (s->line != f->line || strcmp(s->file, file) != 0) continue;
        if (!name.size) shown_name(g, f->name, &name);
        if (strcmp(s->name, name.data) == 0) found = s;
    }
    text_free(&name);
    return found;
}

static double share(double part, double all) { return all > 0 ? part / all : 0; }

void place_find_kept(place_training *t, const graph *g, double least) {
    size_t i;
    t->kept = (uint8_t *)tool_alloc((size_t)g->node_count + 1);
    memset(t->kept, 0, (size_t)g->node_count + 1);
    for (i = 0; i < g->function_count; i++) {
        const graph_function *f = &g->functions[i];
        const place_seen *s = seen_of(t, g, f);
        if (s && (share(s->calls, t->calls) >= least || share(s->ticks, t->ticks) >= least))
            t->kept[f->node] = 1;
    }
}

static int by_size(const void *a, const void *b) {
    const place_seen *x = (const place_seen *)a, *y = (const place_seen *)b;
    double i = x->calls_share + x->ticks_share, j = y->calls_share + y->ticks_share;
    if (i != j) return i < j ? 1 : -1;
    return strcmp(x->name, y->name);
}

enum { NAMES_SHOWN = 6 };

/* What the run has seen, and a program of this plan no longer shows. */
void place_show_lost(place_training *t, const graph *g, const placement *p, text *out) {
    double calls = 0, ticks = 0;
    size_t i, lost = 0;
    for (i = 0; i < g->function_count; i++) {
        place_seen *s = p->entry[g->functions[i].node] ? seen_of(t, g, &g->functions[i]) : NULL;
        if (s) s->stays = 1;
    }
    for (i = 0; i < t->count; i++) {
        place_seen *s = &t->list[i];
        s->calls_share = share(s->calls, t->calls);
        s->ticks_share = share(s->ticks, t->ticks);
        if (s->stays) continue;
        lost++;
        calls += s->calls_share;
        ticks += s->ticks_share;
    }
    if (t->count > 1) qsort(t->list, t->count, sizeof *t->list, by_size);
    text_count(out, lost);
    text_add(out, lost == 1 ? " function" : " functions");
    text_add(out, " of the training run no longer seen");
    if (lost && t->calls > 0) text_format(out, ", with %.2f %% of its calls", 100 * calls);
    if (lost && t->ticks > 0)
        text_format(out, "%s %.2f %% of its ticks", t->calls > 0 ? " and" : ", with", 100 * ticks);
    for (i = lost = 0; i < t->count; i++) {
        if (t->list[i].stays) continue;
        if (lost == NAMES_SHOWN) text_add(out, " ...");
        if (lost++ >= NAMES_SHOWN) break;
        text_add(out, lost == 1 ? ": " : ", ");
        text_plain(out, t->list[i].name);
    }
    text_add(out, "\n");
}

void place_training_free(place_training *t) {
    size_t i;
    for (i = 0; i < t->count; i++) {
        free(t->list[i].name);
        free(t->list[i].file);
    }
    free(t->list);
    free(t->kept);
    memset(t, 0, sizeof *t);
}
