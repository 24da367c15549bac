/* match.c - see match.h.

   A diff names files from the folder in which it was made, and a program those
   that its compiler was given, maybe on another machine. From the best reason to
   the weakest:

       PATH   both are one file here, behind all links
       NAME   they have one name, and not both are here
       TEXT   both are here, and the program was compiled from the change's text
       END    one is not here, and the file's name ends in the change's whole name
       TAIL   one is not here, and their names end alike, in two words or more

   A file that is not here is looked for by the ends of its name, the longest
   first, in the folder of sources: that is what PATH says of it then. A file
   takes the change with the best reason. If a change belongs to a file by PATH or
   TEXT, it belongs to no other file by a weaker reason. */
#include "report/model/match.h"
#include "base/hash.h"
#include "base/tool.h"
#include "report/kinds/sources.h"
#include <stdlib.h>
#include <string.h>

enum { NOTHING, TAIL, END, TEXT, NAME, PATH };

typedef struct place {
    const char *name, *base;
    char *real;                /* behind all links, or NULL */
    uint64_t hash;             /* of a change: of its text, if has_hash */
    int has_hash;
} place;

static uint64_t hash_of(const sources *door, const char *name, int *has_hash) {
    FILE *file = sources_open(door, name);
    uint64_t hash;
    size_t left = SOURCE_MOST, got;
    char buffer[4096];
    *has_hash = file != NULL;
    if (!file) return 0;
    hash = hash_fnv("", 0, 0);
    while ((got = fread(buffer, 1, left < sizeof buffer ? left : sizeof buffer, file)) > 0) {
        hash = hash_fnv(buffer, got, hash);
        left -= got;
    }
    fclose(file);
    return hash;
}

/* A file of the program, where it is here. */
static char *find_file(const sources *door, const char *name) {
    char *real = sources_path(door, name);
    const char *at = name;
    while (!real && (at = strchr(at, '/')) != NULL) {
        while (*at == '/') at++;
        if (*at) real = sources_path(door, at);
    }
    return real;
}

/* How many words both names end in. *is_whole: they are all of b. */
static size_t common_tail(const char *a, const char *b, int *is_whole) {
    size_t i = strlen(a), k = strlen(b), words = 0;
    while (i > 0 && k > 0 && a[i - 1] == b[k - 1]) {
        i--;
        k--;
        words += b[k] == '/';
    }
    *is_whole = k == 0 && (i == 0 || a[i - 1] == '/');
    return words + (size_t)*is_whole;
}

static int reason_of(const chosen *c, const place *file, const place *change, size_t *tail) {
    const char *seen = tool_seen_from_here(file->name);
    int are_here = file->real && change->real, is_whole;
    *tail = 0;
    if (are_here && strcmp(file->real, change->real) == 0) return PATH;
    if (strcmp(file->base, change->base) != 0) return NOTHING;
    *tail = common_tail(file->name, change->name, &is_whole);
    if (are_here) {
        if (!change->has_hash || !sourced_has(c->compiled, file->name, change->hash))
            return NOTHING;
        return TEXT;
    }
    if (strcmp(change->name, seen) == 0 || strcmp(change->name, file->name) == 0) return NAME;
    return is_whole ? END : *tail >= 2 ? TAIL : NOTHING;
}

typedef struct pair {
    size_t change, tail;
    int reason;
} pair;

/* The best reason that each change has, and the longest tail of it. */
static void note_best(pair *best, const pair *p) {
    if (p->reason < best->reason || (p->reason == best->reason && p->tail <= best->tail)) return;
    *best = *p;
}

static int is_kept(const pair *p, const pair *best) {
    if (p->reason == NOTHING || p->reason == best->reason) {
        return p->reason != NOTHING && (p->reason != TAIL || p->tail == best->tail);
    }
    return p->reason >= END && best->reason != PATH && best->reason != TEXT;
}

static pair best_of(const chosen *c, const place *file, const place *changes,
                    pair *best_of_change) {
    pair best = {0, 0, NOTHING};
    size_t i;
    for (i = 0; i < c->change_count; i++) {
        pair p;
        p.change = i;
        p.reason = reason_of(c, file, &changes[i], &p.tail);
        if (p.reason == NOTHING) continue;
        note_best(&best_of_change[i], &p);
        note_best(&best, &p);
    }
    return best;
}

/* A change that has no file may still be one of the program that is there under
   another name: nobody can tell. */
static void suspect(chosen *c, const place *files, size_t count, const place *changes) {
    size_t i, k;
    for (i = 0; i < c->change_count; i++) {
        chosen_change *change = &c->changes[i];
        for (k = 0; k < count && !change->is_found && !change->may_be; k++) {
            int is_whole, is_long;
            if (strcmp(files[k].base, changes[i].base) != 0) continue;
            is_long = common_tail(files[k].name, change->name, &is_whole) >= 2;
            if (!files[k].real || !changes[i].real || (is_whole && is_long))
                change->may_be = files[k].name;
        }
    }
}

void match_changes(chosen *c, const char *const *files, size_t count) {
    place *of_file, *of_change;
    pair *best, *best_of_change;
    size_t i;
    if (!c->diff) return;
    of_file = (place *)tool_alloc((count + 1) * sizeof *of_file);
    of_change = (place *)tool_alloc((c->change_count + 1) * sizeof *of_change);
    best = (pair *)tool_alloc((count + 1) * sizeof *best);
    best_of_change = (pair *)tool_alloc((c->change_count + 1) * sizeof *best_of_change);
    memset(best_of_change, 0, (c->change_count + 1) * sizeof *best_of_change);
    for (i = 0; i < c->change_count; i++) {
        of_change[i].name = c->changes[i].name;
        of_change[i].base = tool_last_part(of_change[i].name);
        of_change[i].real = sources_path(&c->door, of_change[i].name);
        of_change[i].hash = hash_of(&c->door, of_change[i].name, &of_change[i].has_hash);
    }
    for (i = 0; i < count; i++) {
        of_file[i].name = files[i];
        of_file[i].base = tool_last_part(files[i]);
        of_file[i].real = find_file(&c->door, files[i]);
        best[i] = best_of(c, &of_file[i], of_change, best_of_change);
    }
    c->matched = (chosen_match *)tool_alloc((count + 1) * sizeof *c->matched);
    for (i = 0; i < count; i++) {
        int is_its_own = is_kept(&best[i], &best_of_change[best[i].change]);
        c->matched[i].file = files[i];
        c->matched[i].change = is_its_own ? &c->changes[best[i].change] : NULL;
        if (is_its_own) c->matched[i].change->is_found = 1;
    }
    c->matched_count = count;
    suspect(c, of_file, count, of_change);
    for (i = 0; i < count; i++) free(of_file[i].real);
    for (i = 0; i < c->change_count; i++) free(of_change[i].real);
    free(of_file);
    free(of_change);
    free(best);
    free(best_of_change);
}

static int by_file(const void *a, const void *b) {
    return strcmp((const char *)a, ((const chosen_match *)b)->file);
}

chosen_change *match_of(const chosen *c, const char *file) {
    const chosen_match *m = NULL;
    if (c->matched_count)
        m = (const chosen_match *)bsearch(file, c->matched, c->matched_count, sizeof *m, by_file);
    return m ? m->change : NULL;
}
