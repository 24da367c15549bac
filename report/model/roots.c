/* roots.c - see roots.h.

   A build in another folder names the same sources otherwise, and would stand
   beside the first one, each line twice. Two folders are builds of one text if
   both have a file with main whose bytes are the same: then each file that both
   have below, with the same bytes, is one. A program has one main, so that equal
   files of one program, as copies of a library, stay two. */
#include "report/model/roots.h"
#include "base/text.h"
#include "base/tool.h"
#include "report/kinds/edges.h"
#include "report/kinds/sources.h"
#include "report/kinds/unmeasured.h"
#include <stdlib.h>
#include <string.h>

int roots_check(const char *map) {
    const char *equals = strchr(map, '=');
    if (equals && equals > map && equals[1]) return TOOL_OK;
    return tool_error("--map %s: OLD=NEW is wanted, two folders or files", map);
}

/* ---- each name ---- */

typedef void visit_name(char **name, void *user);

static void each_name(input *in, visit_name *visit, void *user) {
    edges_all *edges = (edges_all *)(uintptr_t)input_find(in, &kind_edges);
    sourced_all *sources = (sourced_all *)(uintptr_t)input_find(in, &kind_sources);
    unmeasured_all *left = (unmeasured_all *)(uintptr_t)input_find(in, &kind_unmeasured);
    size_t i;
    for (i = 0; edges && i < edges->function_count; i++) visit(&edges->functions[i].file, user);
    for (i = 0; sources && i < sources->count; i++) visit(&sources->list[i].file, user);
    for (i = 0; left && i < left->count; i++) visit(&left->list[i].file, user);
}

/* ---- --map ---- */

typedef struct mapping {
    const char *old, *rest;    /* rest: of the new name, which begins with `here` */
    const char *here;
    size_t old_size, rest_size, count;
} mapping;

/* How long the name is without slashes at its end. */
static size_t trimmed(const char *name, size_t size) {
    while (size > 1 && name[size - 1] == '/') size--;
    return size;
}

static void open_mapping(mapping *m, const char *map) {
    const char *equals = strchr(map, '=');
    memset(m, 0, sizeof *m);
    m->old = map;
    m->old_size = trimmed(map, (size_t)(equals - map));
    m->rest = equals + 1;
    m->rest_size = trimmed(m->rest, strlen(m->rest));
    m->here = "";
    if (*m->rest == '/') return;
    m->here = tool_here();
    while (m->rest_size > 1 && m->rest[0] == '.' && m->rest[1] == '/') {
        m->rest += 2;
        m->rest_size -= 2;
    }
    if (m->rest_size == 1 && *m->rest == '.') m->rest_size = 0;
}

static void map_name(char **name, void *user) {
    mapping *m = (mapping *)user;
    const char *seen = *m->old == '/' ? *name : tool_seen_from_here(*name);
    const char *tail = seen + m->old_size;
    text made = {NULL, 0, 0};
    if (strncmp(seen, m->old, m->old_size) != 0) return;
    if (*tail && *tail != '/' && m->old[m->old_size - 1] != '/') return;
    text_add(&made, m->here);
    if (*m->here && m->rest_size) text_add(&made, "/");
    text_bytes(&made, m->rest, m->rest_size);
    text_add(&made, tail);
    free(*name);
    *name = text_take(&made);
    m->count++;
}

/* ---- several builds ---- */

static int by_text(const void *a, const void *b) {
    const sourced *x = (const sourced *)a, *y = (const sourced *)b;
    int order = strcmp(x->file, y->file);
    return order ? order : (x->hash > y->hash) - (x->hash < y->hash);
}

static int has_text(const sourced *list, size_t count, char *file, uint64_t hash) {
    sourced wanted;
    wanted.file = file;
    wanted.hash = hash;
    return bsearch(&wanted, list, count, sizeof wanted, by_text) != NULL;
}

/* What files are called from now on. */
typedef struct renames {
    struct renamed { char *from, *to; } *list; /* sorted when it is used */
    size_t count, room;
} renames;

static int by_from(const void *a, const void *b) {
    return strcmp(((const struct renamed *)a)->from, ((const struct renamed *)b)->from);
}

static void take_name(char **name, void *user) {
    const renames *all = (const renames *)user;
    struct renamed wanted, *found;
    wanted.from = *name;
    found = (struct renamed *)bsearch(&wanted, all->list, all->count, sizeof wanted, by_from);
    if (!found) return;
    free(*name);
    *name = text_clean(found->to, strlen(found->to));
}

/* How long both names are without the longest end that they have in common,
   which is whole words. Returns 0 if they have none. */
static int roots_of(const char *a, const char *b, size_t *a_size, size_t *b_size) {
    size_t i = strlen(a), k = strlen(b);
    *a_size = *b_size = 0;
    while (i > 0 && k > 0 && a[i - 1] == b[k - 1]) {
        i--;
        k--;
        if (a[i] != '/') continue;
        *a_size = i;
        *b_size = k;
    }
    return *a_size > 0 && *b_size > 0;
}

/* Files below the root of b become those below the root of a. */
static void join_roots(renames *all, const sourced *list, size_t count, const char *a,
                       const char *b) {
    size_t a_size, b_size, i;
    if (!roots_of(a, b, &a_size, &b_size)) return;
    for (i = 0; i < count; i++) {
        text to = {NULL, 0, 0};
        char *name;
        if (strncmp(list[i].file, b, b_size) != 0 || list[i].file[b_size] != '/') continue;
        text_bytes(&to, a, a_size);
        text_add(&to, list[i].file + b_size);
        name = text_take(&to);
        if (!has_text(list, count, name, list[i].hash)) {
            free(name);
            continue;
        }
        TOOL_ROOM(struct renamed, all->list, all->count, all->room);
        all->list[all->count].from = list[i].file;
        all->list[all->count++].to = name;
    }
}

/* The files with main, in order; to be freed. */
static const char **files_of_main(const edges_all *edges, size_t *count) {
    const char **list = (const char **)tool_alloc((edges->function_count + 1) * sizeof *list);
    size_t i, kept = 0;
    *count = 0;
    for (i = 0; i < edges->function_count; i++) {
        const edges_function *f = &edges->functions[i];
        if (strcmp(f->name, "main") == 0) list[(*count)++] = f->file;
    }
    if (*count) qsort((void *)list, *count, sizeof *list, tool_by_string);
    for (i = 0; i < *count; i++)
        if (!kept || strcmp(list[kept - 1], list[i]) != 0) list[kept++] = list[i];
    *count = kept;
    return list;
}

static int have_one_text(const sourced *list, size_t count, const char *a, const char *b) {
    size_t i;
    for (i = 0; i < count; i++) {
        if (strcmp(list[i].file, a) != 0) continue;
        if (has_text(list, count, (char *)(uintptr_t)b, list[i].hash)) return 1;
    }
    return 0;
}

enum { MOST_MAINS = 64 };

/* The first of several files with main that have one text is where the others
   are, too. */
static void find_builds(renames *all, const sourced *list, size_t count, const char **mains,
                        size_t main_count) {
    uint8_t is_joined[MOST_MAINS] = {0};
    size_t i, k;
    for (i = 0; i < main_count; i++) {
        for (k = i + 1; k < main_count && !is_joined[i]; k++) {
            if (is_joined[k] || !have_one_text(list, count, mains[i], mains[k])) continue;
            is_joined[k] = 1;
            join_roots(all, list, count, mains[i], mains[k]);
        }
    }
}

/* Names are copied, for those in the lists go as they are changed. */
static void join_builds(input *in) {
    const edges_all *edges = (const edges_all *)input_find(in, &kind_edges);
    const sourced_all *sources = (const sourced_all *)input_find(in, &kind_sources);
    renames all = {NULL, 0, 0};
    const char **mains;
    sourced *list;
    size_t count, source_count, i;
    if (!edges || !sources) return;
    mains = files_of_main(edges, &count);
    source_count = sources->count;
    list = (sourced *)tool_alloc((source_count + 1) * sizeof *list);
    for (i = 0; i < source_count && count > 1; i++) {
        list[i] = sources->list[i];
        list[i].file = text_clean(list[i].file, strlen(list[i].file));
    }
    if (count > 1 && count <= MOST_MAINS) {
        if (source_count) qsort(list, source_count, sizeof *list, by_text);
        find_builds(&all, list, source_count, mains, count);
        if (all.count) qsort(all.list, all.count, sizeof *all.list, by_from);
        if (all.count) each_name(in, take_name, &all);
    }
    for (i = 0; i < source_count && count > 1; i++) free(list[i].file);
    for (i = 0; i < all.count; i++) free(all.list[i].to);
    free(all.list);
    free(list);
    free((void *)mains);
}

void roots_rename(input *in, const char *const *maps) {
    mapping m;
    for (; maps && *maps; maps++) {
        open_mapping(&m, *maps);
        each_name(in, map_name, &m);
        if (!m.count)
            tool_error("note: --map %s: no source begins with %.*s", *maps, (int)m.old_size, m.old);
    }
    join_builds(in);
}
