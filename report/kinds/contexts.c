/* contexts.c - reading, joining and writing parts of kind 2.

   Keys are numbers that a program chose; they mean the same in two parts only
   if their names say so. So each part's keys become ours while it is read: by
   name and place, and by how many equal ones came before in this part (static
   functions of a recorder that writes no places, say). A key without a name is
   called by its number.

   Joining adds up bounds. A tree that does not know a context gives 0 to its
   lower bound and the tree's base to its upper one. So nothing is evicted, and
   the order of joining does not matter.

   A part of n bytes takes some 25 n bytes of memory and time in proportion to
   n, however the parts of a file are made: joining walks each tree once. */
#include "report/kinds/contexts.h"
#include "base/tool.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- keys ------------------------------------------------------------------------------- */

static int is_key(const void *owner, uint32_t number, const void *key) {
    const contexts_key *a = &((const contexts *)owner)->keys[number - 1];
    const contexts_key *b = (const contexts_key *)key;
    return a->twin == b->twin && strcmp(a->name, b->name) == 0 && strcmp(a->place, b->place) == 0;
}

/* The key of that name, place and twin, with copies of both if it is a new one. */
static uint32_t find_key(contexts *c, const char *name, const char *at, uint32_t twin) {
    contexts_key key = { NULL, NULL, 0, 0, 0 };
    uint32_t *place;
    uint64_t hash = hash_numbers(hash_numbers(hash_string(name), hash_string(at)), twin);
    key.name = text_clean(name, strlen(name));
    key.place = text_clean(at, strlen(at));
    key.twin = twin;
    place = hash_place(&c->names, hash, is_key, c, &key);
    if (*place) {
        free(key.name);
        free(key.place);
        return *place;
    }
    TOOL_ROOM(contexts_key, c->keys, c->key_count, c->key_room);
    c->keys[c->key_count++] = key;
    return *place = (uint32_t)c->key_count;
}

/* Keys of one part may share a name and a place. Returns the key of the next one. */
static uint32_t next_key(contexts *c, const char *name, const char *place) {
    uint32_t plain = find_key(c, name, place, 0);
    contexts_key *first = &c->keys[plain - 1]; /* not before find_key, which may move keys */
    if (first->part != c->part) {
        first->part = c->part;
        first->twins = 0;
    }
    return find_key(c, name, place, first->twins++);
}

static int is_theirs(const void *owner, uint32_t number, const void *key) {
    return ((const contexts *)owner)->map[number - 1].theirs == *(const uint32_t *)key;
}

static void map_key(contexts *c, uint32_t theirs, const char *name, const char *at) {
    uint32_t *place = hash_place(&c->map_places, hash_numbers(theirs, 0), is_theirs, c, &theirs);
    if (c->map_count == c->map_room) {
        c->map_room = 2 * c->map_room + 64;
        c->map = tool_grow(c->map, c->map_room * sizeof *c->map);
    }
    c->map[c->map_count].theirs = theirs;
    c->map[c->map_count].ours = next_key(c, name, at);
    *place = (uint32_t)++c->map_count;
}

static uint32_t known_key(const contexts *c, uint32_t theirs) {
    uint32_t number = hash_find(&c->map_places, hash_numbers(theirs, 0), is_theirs, c, &theirs);
    return number ? c->map[number - 1].ours : 0;
}

/* Where the name ends in "name", or in "name<tab>file:line". */
static size_t name_end(const unsigned char *name, size_t length) {
    size_t at = length;
    while (at && name[at - 1] >= '0' && name[at - 1] <= '9') at--;
    if (at == length || !at || name[at - 1] != ':') return length;
    while (at && name[at - 1] != '\t') at--;
    return at ? at - 1 : length;
}

/* A part names a key at most once; a second name for it is left out. */
static void read_name(contexts *c, uint32_t key, const unsigned char *name, size_t length) {
    size_t end = name_end(name, length), from = end < length ? end + 1 : length;
    char *clean, *place;
    if (known_key(c, key)) return;
    clean = text_name(name, end);
    place = text_name(name + from, length - from);
    map_key(c, key, clean, place);
    free(clean);
    free(place);
}

static uint32_t our_key(contexts *c, uint32_t key) {
    char name[16] = "(deep)";
    uint32_t known = known_key(c, key);
    if (known) return known;
    if (key != UINT32_MAX) snprintf(name, sizeof name, "#%lu", (unsigned long)key);
    map_key(c, key, name, "");
    return known_key(c, key);
}

const char *contexts_name(const contexts *c, uint32_t key) {
    return key && key <= c->key_count ? c->keys[key - 1].name : "(no name)";
}

uint32_t contexts_add_key(contexts *c, const char *name) { return find_key(c, name, "", 0); }

/* ---- numbers ----------------------------------------------------------------------------- */

static uint64_t sum(uint64_t a, uint64_t b) { return a + b < a ? UINT64_MAX : a + b; }

uint64_t contexts_scale(uint64_t a, uint64_t b, uint64_t c, int up) {
    uint64_t result = 0, rest = 0; /* invariant: a * (the bits of b so far) = result * c + rest */
    int bit;
    if (c == 0) return a;
    for (bit = 63; bit >= 0; bit--) {
        uint64_t carry = rest >= c - rest;
        result = result > UINT64_MAX / 2 ? UINT64_MAX : result * 2;
        rest = carry ? rest - (c - rest) : rest * 2;
        result = sum(result, carry);
        if ((b >> bit & 1) == 0) continue;
        result = sum(result, a / c);
        carry = rest >= c - a % c;
        rest = carry ? rest - (c - a % c) : rest + a % c;
        result = sum(result, carry);
    }
    return up && rest ? sum(result, 1) : result;
}

/* ---- trees ------------------------------------------------------------------------------- */

static int is_node(const void *owner, uint32_t number, const void *key) {
    const contexts_node *a = &((const contexts_tree *)owner)->nodes[number];
    const contexts_node *b = (const contexts_node *)key;
    return a->parent == b->parent && a->key == b->key;
}

static uint32_t *place_of(contexts_tree *t, const contexts_node *n) {
    return hash_place(&t->places, hash_numbers(n->parent, n->key), is_node, t, n);
}

static void grow_tree(contexts_tree *t) {
    t->room = t->room ? 2 * t->room : 4;
    t->nodes = (contexts_node *)tool_grow(t->nodes, t->room * sizeof *t->nodes);
    if (t->count == 0) memset(&t->nodes[t->count++], 0, sizeof *t->nodes);
}

/* The node, and whether it is a new one. A tree that grows again is entered
   into its table anew. */
static uint32_t node_of(contexts_tree *t, uint32_t parent, uint32_t key, int *is_new) {
    contexts_node n;
    uint32_t *place, i;
    if (t->count == t->room) grow_tree(t);
    for (i = 1; t->places.used + 1 < t->count; i++) *place_of(t, &t->nodes[i]) = i;
    memset(&n, 0, sizeof n);
    n.key = key;
    n.parent = parent;
    place = place_of(t, &n);
    *is_new = *place == 0;
    if (!*is_new) return *place;
    *place = t->count;
    t->nodes[t->count] = n;
    if (t->nodes[parent].last) t->nodes[t->nodes[parent].last].next = t->count;
    else t->nodes[parent].first = t->count;
    t->nodes[parent].last = t->count;
    return t->count++;
}

uint32_t contexts_add_node(contexts_tree *t, uint32_t parent, uint32_t key) {
    int is_new;
    uint32_t node = node_of(t, parent, key, &is_new);
    return is_new ? node : 0;
}

contexts_tree *contexts_add_tree(contexts *c) {
    contexts_tree *t;
    TOOL_ROOM(contexts_tree, c->trees, c->count, c->room);
    t = &c->trees[c->count++];
    memset(t, 0, sizeof *t);
    grow_tree(t);
    return t;
}

static void free_tree(contexts_tree *t) {
    hash_free(&t->places);
    free(t->nodes);
    free(t->sums);
    free(t->unit);
    t->nodes = NULL;
    t->unit = NULL;
    t->sums = NULL;
}

const contexts_sums *contexts_sums_of(const contexts_tree *t, uint32_t node) {
    static const contexts_sums none = { 0, 0, 0, 0, { 0 } };
    return node < t->sums_room ? &t->sums[node] : &none;
}

/* To be filled: there is room for those of as many nodes as the tree has room
   for. */
static contexts_sums *make_sums(contexts_tree *t, uint32_t node) {
    if (node >= t->sums_room) {
        t->sums = (contexts_sums *)tool_grow(t->sums, t->room * sizeof *t->sums);
        memset(t->sums + t->sums_room, 0, (t->room - t->sums_room) * sizeof *t->sums);
        t->sums_room = t->room;
    }
    return &t->sums[node];
}

uint32_t contexts_next(const contexts_tree *t, uint32_t node, uint32_t *depth) {
    if (t->nodes[node].first) {
        ++*depth;
        return t->nodes[node].first;
    }
    while (node && !t->nodes[node].next) {
        node = t->nodes[node].parent;
        --*depth;
    }
    return node ? t->nodes[node].next : 0;
}

/* ---- reading ----------------------------------------------------------------------------- */

/* What weight a context outside the tree may have (docs/formats.md). */
static uint64_t base_of(const contexts_tree *t) {
    const uint64_t *f = t->field;
    uint64_t base;
    double miss;
    if (f[CONTEXTS_ALGORITHM] != CONTEXTS_STICKY) return sum(f[CONTEXTS_FLOOR], f[CONTEXTS_LOST]);
    miss = f[CONTEXTS_RATE] ? log((double)f[CONTEXTS_PHI] * (double)f[CONTEXTS_DELTA]) : 0;
    miss *= (double)f[CONTEXTS_PIECES] * (double)((uint64_t)1 << f[CONTEXTS_RATE]);
    base = miss >= 9e18 ? UINT64_MAX : (uint64_t)miss + (f[CONTEXTS_RATE] != 0);
    base = sum(base, f[CONTEXTS_LOST]);
    return base < f[CONTEXTS_TOTAL] ? base : f[CONTEXTS_TOTAL];
}

static const char *wrong_fields(const uint64_t *f, size_t size) {
    if (f[CONTEXTS_VERSION] - 1 > 4) return "another version of the tree format";
    if (f[CONTEXTS_ALGORITHM] > CONTEXTS_FULL || f[CONTEXTS_ALGORITHM] == 2)
        return "unknown algorithm";
    if (f[CONTEXTS_MONITORED] - 1 >= INT32_MAX || f[CONTEXTS_WIDTH] - 1 >= UINT32_MAX ||
        f[CONTEXTS_PHI] - 1 >= UINT32_MAX || f[CONTEXTS_DELTA] - 1 >= UINT32_MAX ||
        f[CONTEXTS_LIMIT] > UINT32_MAX || f[CONTEXTS_FOLD] > UINT32_MAX || f[CONTEXTS_RATE] > 62 ||
        f[CONTEXTS_PIECES] - 1 >= UINT32_MAX || f[CONTEXTS_FLAGS] > 7 ||
        f[CONTEXTS_NODES] > size / 4) {
        return "a parameter is out of range";
    }
    if (f[CONTEXTS_LOST] > f[CONTEXTS_TOTAL]) return "more weight is lost than there was";
    return NULL;
}

enum { COLD_NODE, BOUNDED_NODE, EXACT_NODE };

/* Bounds from a node's kind and numbers. Returns what is wrong with them. */
static const char *read_bounds(dump_reader *r, const contexts_tree *t, contexts_node *n) {
    uint32_t kind = dump_get32(r), algorithm = (uint32_t)t->field[CONTEXTS_ALGORITHM];
    uint64_t count = dump_get(r), error = kind == BOUNDED_NODE ? dump_get(r) : 0;
    int saving = algorithm == CONTEXTS_SAVING, impossible = count == UINT64_MAX;
    if (r->reason) return r->reason;
    if (kind > EXACT_NODE) return "a number is out of range";
    n->cold = kind == COLD_NODE;
    if (kind == COLD_NODE) impossible |= !saving || count > t->field[CONTEXTS_TOTAL];
    else if (saving) impossible |= count == 0 || error > count;
    if (algorithm == CONTEXTS_FULL || algorithm == CONTEXTS_STICKY)
        impossible |= kind != EXACT_NODE;
    if (impossible) return "a node's counts are impossible";
    n->lower = saving ? count - error : count;
    n->upper = saving ? count : sum(count, error);
    if (n->cold) {
        n->lower = count < t->base ? count : t->base;
        n->upper = t->base;
    }
    if (algorithm == CONTEXTS_STICKY || algorithm == CONTEXTS_FULL) n->upper = sum(count, t->base);
    if (algorithm == CONTEXTS_FULL && count >= UINT32_MAX) n->upper = t->field[CONTEXTS_TOTAL];
    if (n->upper < n->lower) n->upper = n->lower;
    return NULL;
}

static const char *read_nodes(contexts *c, contexts_tree *t, dump_reader *r, size_t *at) {
    uint32_t depth = 0, parent = 0, last = 0, i;
    uint64_t left = t->field[CONTEXTS_NODES], counted = 0;
    for (; left; left--) {
        uint32_t climb, key;
        contexts_node bounds;
        const char *reason;
        *at = r->at;
        climb = dump_get32(r);
        key = dump_get32(r);
        reason = read_bounds(r, t, &bounds);
        if (reason) return reason;
        if (climb > depth) return "a node climbs above the root";
        if (key == 0) return "a node without a key";
        counted += !bounds.cold;
        if (t->field[CONTEXTS_ALGORITHM] == CONTEXTS_SAVING &&
            counted > t->field[CONTEXTS_MONITORED]) {
            return "more contexts are counted than may be";
        }
        depth = depth + 1 - climb;
        for (parent = last; climb; climb--) parent = t->nodes[parent].parent;
        i = contexts_add_node(t, parent, our_key(c, key));
        if (i == 0) return "two siblings with one key";
        t->nodes[i].cold = bounds.cold;
        t->nodes[i].lower = bounds.lower;
        t->nodes[i].upper = bounds.upper;
        t->nodes[i].covered = t->base;
        last = i;
    }
    *at = r->at;
    return NULL;
}

/* Nodes are numbered as they stand in the file. */
static const char *read_sums(contexts_tree *t, dump_reader *r, size_t *at) {
    uint32_t i, k;
    for (i = 0; t->has_sums && i < t->count && !r->reason; i++) {
        contexts_sums *sums = make_sums(t, i);
        *at = r->at;
        sums->calls = dump_get(r);
        sums->bursts = dump_get(r);
        sums->yy = dump_get(r);
        if (t->has_xy) sums->xy = dump_get(r);
        for (k = 0; t->has_groups && k < CONTEXTS_GROUPS; k++) sums->group[k] = dump_get(r);
    }
    if (r->reason) return r->reason;
    *at = r->at;
    return r->at < r->size ? "the payload is too long" : NULL;
}

/* From version 4 on: what weights are, whether sums follow, and which bursts there were. */
static const char *read_unit(contexts_tree *t, dump_reader *r) {
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
    size_t length = 0, i;
    const unsigned char *unit = dump_get_string(r, &length);
    uint64_t has_sums = dump_get(r);
    t->points = dump_get(r);
    t->skipped = dump_get(r);
    t->reenable = dump_get(r);
    if (r->reason) return r->reason;
    if (length > CONTEXTS_UNIT || has_sums > 1 || t->skipped > t->points || t->reenable > UINT32_MAX)
        return "a number is out of range";
    for (i = 0; i < length; i++)
        if (!unit[i] || !strchr(letters, unit[i])) return "a unit that is no word";
    if (length) t->unit = text_clean((const char *)unit, length);
    t->has_sums = t->has_xy = has_sums != 0;
    t->has_groups = has_sums && t->field[CONTEXTS_VERSION] == 5;
    return NULL;
}

static const char *read_tree(contexts *c, dump_reader *r, size_t *at) {
    contexts_tree *t = contexts_add_tree(c);
    uint64_t *f = t->field;
    const char *reason;
    int i;
    for (i = 0; i < CONTEXTS_FIELDS; i++) f[i] = dump_get(r);
    *at = r->at;
    if (r->reason) return r->reason;
    reason = wrong_fields(f, r->size);
    if (reason) return reason;
    if (f[CONTEXTS_ALGORITHM] == CONTEXTS_LAZY) f[CONTEXTS_ALGORITHM] = CONTEXTS_SAVING;
    t->base = base_of(t);
    t->has_xy = f[CONTEXTS_VERSION] == 3;
    t->has_sums = t->has_xy || f[CONTEXTS_VERSION] == 2;
    if (f[CONTEXTS_VERSION] >= 4) reason = read_unit(t, r);
    if (reason) return reason;
    for (;;) {
        uint32_t key;
        size_t length;
        const unsigned char *name;
        *at = r->at;
        key = dump_get32(r);
        if (key == 0) break;
        name = dump_get_string(r, &length);
        if (r->reason) break;
        read_name(c, key, name, length);
    }
    if (r->reason) return r->reason;
    reason = read_nodes(c, t, r, at);
    return reason ? reason : read_sums(t, r, at);
}

int contexts_read(contexts *c, const dump *d, const dump_part *part, dump_fault *fault) {
    dump_reader r = dump_fields(d, part);
    size_t at = 0;
    const char *reason;
    c->part++;
    c->map_count = 0;
    hash_empty(&c->map_places);
    reason = read_tree(c, &r, &at);
    hash_free(&c->trees[c->count - 1].places);
    return reason ? dump_refuse(fault, dump_place(d, part, at), "%s", reason) : 0;
}

/* ---- joining ----------------------------------------------------------------------------- */

static void join_fields(contexts_tree *x, const contexts_tree *y) {
    static const unsigned char adds[] = { CONTEXTS_TOTAL, CONTEXTS_FLOOR, CONTEXTS_LOST,
        CONTEXTS_CUT, CONTEXTS_OUTSIDE, CONTEXTS_UNMATCHED, CONTEXTS_REPAIRED, CONTEXTS_SWEEPS,
        CONTEXTS_EVICTIONS, CONTEXTS_FORCED };
    uint64_t *a = x->field;
    const uint64_t *b = y->field;
    size_t i;
    if (a[CONTEXTS_SCALED] || b[CONTEXTS_SCALED]) {
        uint64_t scaled = a[CONTEXTS_SCALED] ? a[CONTEXTS_SCALED] : a[CONTEXTS_TOTAL];
        a[CONTEXTS_SCALED] =
            sum(scaled, b[CONTEXTS_SCALED] ? b[CONTEXTS_SCALED] : b[CONTEXTS_TOTAL]);
    }
    for (i = 0; i < sizeof adds; i++) a[adds[i]] = sum(a[adds[i]], b[adds[i]]);
    /* If the rates of re-enablement differ, the lowest stays: the largest number, or 0,
       which means never. */
    if (!x->points || (y->points && x->reenable - 1 < y->reenable - 1)) x->reenable = y->reenable;
    x->points = sum(x->points, y->points);
    x->skipped = sum(x->skipped, y->skipped);
    a[CONTEXTS_MONITORED] += b[CONTEXTS_MONITORED];
    if (a[CONTEXTS_MONITORED] > INT32_MAX) a[CONTEXTS_MONITORED] = INT32_MAX;
    a[CONTEXTS_PIECES] += b[CONTEXTS_PIECES];
    if (a[CONTEXTS_PIECES] > UINT32_MAX) a[CONTEXTS_PIECES] = UINT32_MAX;
    if (a[CONTEXTS_RATE] < b[CONTEXTS_RATE]) a[CONTEXTS_RATE] = b[CONTEXTS_RATE];
    a[CONTEXTS_FLAGS] |= b[CONTEXTS_FLAGS];
    /* What differs stands as the larger: not as that of whichever tree came
       first. Limits of 0 are none, and so the largest. */
    for (i = CONTEXTS_WIDTH; i <= CONTEXTS_DELTA; i++) {
        if (a[i] < b[i]) a[i] = b[i];
    }
    for (i = CONTEXTS_LIMIT; i <= CONTEXTS_FOLD; i++) {
        if (a[i] - 1 < b[i] - 1) a[i] = b[i];
    }
}

static void join_sums(contexts_tree *x, uint32_t node, const contexts_tree *y, uint32_t with) {
    const contexts_sums *from = contexts_sums_of(y, with);
    contexts_sums *to;
    uint32_t k;
    if (!y->has_sums) return;
    to = make_sums(x, node);
    to->calls = sum(to->calls, from->calls);
    to->bursts = sum(to->bursts, from->bursts);
    to->yy = sum(to->yy, from->yy);
    to->xy = sum(to->xy, from->xy);
    for (k = 0; k < CONTEXTS_GROUPS; k++) to->group[k] = sum(to->group[k], from->group[k]);
}

/* Adds what y knows. Afterwards a node's bounds are those of the trees that
   know it. */
static void join_nodes(contexts_tree *x, const contexts_tree *y) {
    uint32_t *place = (uint32_t *)tool_alloc(y->count * sizeof *place), i;
    if (y->has_sums) x->has_xy = y->has_xy && (x->has_xy || !x->has_sums);
    if (y->has_sums) x->has_groups = y->has_groups && (x->has_groups || !x->has_sums);
    x->has_sums |= y->has_sums;
    join_sums(x, 0, y, 0);
    for (i = 1; i < y->count; i++) { /* callers stand before what they call */
        const contexts_node *from = &y->nodes[i];
        int is_new;
        contexts_node *to;
        place[i] = node_of(x, place[from->parent], from->key, &is_new);
        to = &x->nodes[place[i]];
        to->cold = from->cold && (is_new || to->cold);
        to->lower = sum(to->lower, from->lower);
        to->upper = sum(to->upper, from->upper);
        to->covered = sum(to->covered, from->covered);
        join_sums(x, place[i], y, i);
    }
    free(place);
}

/* Now the trees that do not know a node add their bases. */
static void finish(contexts_tree *t, uint64_t bases) {
    uint32_t i, algorithm = (uint32_t)t->field[CONTEXTS_ALGORITHM];
    t->base = base_of(t);
    for (i = 1; i < t->count; i++) {
        contexts_node *n = &t->nodes[i];
        if (bases > n->covered) n->upper = sum(n->upper, bases - n->covered);
        if (algorithm == CONTEXTS_STICKY) n->upper = sum(n->lower, t->base);
        if (algorithm == CONTEXTS_SAVING && n->upper == UINT64_MAX) n->upper--;
        if (n->upper < n->lower) n->lower = n->upper;
        n->covered = bases;
    }
}

static int by_kind(const void *left, const void *right) {
    const contexts_tree *x = (const contexts_tree *)left, *y = (const contexts_tree *)right;
    uint64_t a = x->field[CONTEXTS_ALGORITHM], b = y->field[CONTEXTS_ALGORITHM];
    if (!x->unit || !y->unit) {
        if (x->unit || y->unit) return x->unit ? 1 : -1;
    } else if (strcmp(x->unit, y->unit) != 0) return strcmp(x->unit, y->unit);
    return a < b ? -1 : a > b;
}

void contexts_settle(contexts *c) {
    size_t i, k, kept = 0;
    for (i = 0; i < c->count; i++) {
        contexts_tree *x = &c->trees[i];
        uint64_t bases = x->base;
        int joined = 0;
        if (!x->nodes) continue;
        for (k = i + 1; k < c->count; k++) {
            contexts_tree *y = &c->trees[k];
            if (!y->nodes || by_kind(x, y) != 0) continue;
            join_fields(x, y);
            join_nodes(x, y);
            bases = sum(bases, y->base);
            free_tree(y);
            joined = 1;
        }
        if (joined) finish(x, bases);
        hash_free(&x->places);
        c->trees[kept++] = *x;
    }
    c->count = kept;
}

/* ---- writing ----------------------------------------------------------------------------- */

static void write_node(dump_writer *w, const contexts_tree *t, const contexts_node *n) {
    uint64_t algorithm = t->field[CONTEXTS_ALGORITHM];
    int saving = algorithm == CONTEXTS_SAVING;
    uint64_t count = saving && !n->cold ? n->upper : n->lower, error = n->upper - n->lower;
    if (algorithm == CONTEXTS_FULL || algorithm == CONTEXTS_STICKY) error = 0;
    if (saving && n->cold) {
        dump_put(w, COLD_NODE);
        dump_put(w, count);
        return;
    }
    dump_put(w, error ? BOUNDED_NODE : EXACT_NODE);
    dump_put(w, count);
    if (error) dump_put(w, error);
}

static void write_sums(dump_writer *w, const contexts_tree *t, uint32_t node) {
    const contexts_sums *n = contexts_sums_of(t, node);
    uint32_t k;
    dump_put(w, n->calls);
    dump_put(w, n->bursts);
    dump_put(w, n->yy);
    if (t->has_xy) dump_put(w, n->xy);
    for (k = 0; t->has_groups && k < CONTEXTS_GROUPS; k++) dump_put(w, n->group[k]);
}

/* What is written does not tell which file came first: names, and children of a
   node, stand in the order of their names. ranks[k] is the place of key k in
   it. */
static const contexts *ordered; /* qsort hands nothing through */
static const uint32_t *ranks;
static const contexts_tree *ordered_tree;

static int by_name(const void *left, const void *right) {
    const contexts_key *a = &ordered->keys[*(const uint32_t *)left - 1];
    const contexts_key *b = &ordered->keys[*(const uint32_t *)right - 1];
    int order = strcmp(a->name, b->name);
    if (!order) order = strcmp(a->place, b->place);
    return order ? order : a->twin < b->twin ? -1 : a->twin > b->twin;
}

static int by_rank(const void *left, const void *right) {
    uint32_t a = ranks[ordered_tree->nodes[*(const uint32_t *)left].key];
    uint32_t b = ranks[ordered_tree->nodes[*(const uint32_t *)right].key];
    return a < b ? -1 : a > b;
}

static void sort_children(contexts_tree *t, uint32_t *list) {
    uint32_t i, child, count, k;
    ordered_tree = t;
    for (i = 0; i < t->count; i++) {
        contexts_node *n = &t->nodes[i];
        for (count = 0, child = n->first; child; child = t->nodes[child].next)
            list[count++] = child;
        if (count < 2) continue;
        qsort(list, count, sizeof *list, by_rank);
        n->first = list[0];
        n->last = list[count - 1];
        for (k = 0; k < count; k++) t->nodes[list[k]].next = k + 1 < count ? list[k + 1] : 0;
    }
}

/* Keys are numbered anew in each part, in the order of their names. A twin
   needs those before it: by how many there are it is known again. */
static void write_tree(const contexts *c, const contexts_tree *t, const uint32_t *sorted, text *out) {
    uint32_t *number = (uint32_t *)tool_alloc((c->key_count + 1) * sizeof *number);
    uint32_t i, depth = 0, before = 0, next = 0;
    const int is_fourth = t->unit || t->points || t->has_groups;
    const int has_sums = t->has_sums && (t->has_xy || !is_fourth); /* a fourth has xy with them */
    text name = {NULL, 0, 0};
    dump_writer w;
    for (i = 1; i < t->count; i++) number[t->nodes[i].key] = 1;
    for (i = (uint32_t)c->key_count; i > 1; i--) {
        const contexts_key *key = &c->keys[sorted[i - 1] - 1];
        if (key->twin && number[sorted[i - 1]]) number[sorted[i - 2]] = 1;
    }
    dump_begin(&w, out, DUMP_CONTEXTS);
    dump_put(&w, t->has_groups ? 5 : is_fourth ? 4 : t->has_xy ? 3 : t->has_sums ? 2 : 1);
    for (i = 1; i < CONTEXTS_NODES; i++) dump_put(&w, t->field[i]);
    dump_put(&w, t->count - 1);
    if (is_fourth) {
        dump_put_string(&w, t->unit ? t->unit : "");
        dump_put(&w, has_sums != 0);
        dump_put(&w, t->points);
        dump_put(&w, t->skipped);
        dump_put(&w, t->reenable);
    }
    for (i = 0; i < c->key_count; i++) {
        if (!number[sorted[i]]) continue;
        number[sorted[i]] = ++next;
        dump_put(&w, next);
        name.size = 0;
        text_add(&name, contexts_name(c, sorted[i]));
        if (*c->keys[sorted[i] - 1].place) text_format(&name, "\t%s", c->keys[sorted[i] - 1].place);
        text_bytes(&name, "", 1);
        dump_put_string(&w, name.data);
    }
    dump_put(&w, 0);
    for (i = contexts_next(t, 0, &depth); i; i = contexts_next(t, i, &depth)) {
        dump_put(&w, before + 1 - depth);
        dump_put(&w, number[t->nodes[i].key]);
        write_node(&w, t, &t->nodes[i]);
        before = depth;
    }
    if (has_sums) write_sums(&w, t, 0);
    for (i = contexts_next(t, 0, &depth); i && has_sums; i = contexts_next(t, i, &depth))
        write_sums(&w, t, i);
    dump_end(&w);
    text_free(&name);
    free(number);
}

void contexts_write(contexts *c, text *out) {
    uint32_t *keys = (uint32_t *)tool_alloc((c->key_count + 1) * sizeof *keys);
    uint32_t *rank = (uint32_t *)tool_alloc((c->key_count + 1) * sizeof *rank), *children, k;
    size_t i;
    for (k = 0; k < c->key_count; k++) keys[k] = k + 1;
    ordered = c;
    ranks = rank;
    if (c->key_count) qsort(keys, c->key_count, sizeof *keys, by_name);
    for (k = 0; k < c->key_count; k++) rank[keys[k]] = k;
    if (c->count) qsort(c->trees, c->count, sizeof *c->trees, by_kind);
    for (i = 0; i < c->count; i++) {
        children = (uint32_t *)tool_alloc(c->trees[i].count * sizeof *children);
        sort_children(&c->trees[i], children);
        free(children);
        write_tree(c, &c->trees[i], keys, out);
    }
    free(rank);
    free(keys);
}

void contexts_free(contexts *c) {
    size_t i;
    for (i = 0; i < c->count; i++) free_tree(&c->trees[i]);
    for (i = 0; i < c->key_count; i++) {
        free(c->keys[i].name);
        free(c->keys[i].place);
    }
    free(c->trees);
    free(c->keys);
    free(c->map);
    hash_free(&c->names);
    hash_free(&c->map_places);
    memset(c, 0, sizeof *c);
}

/* ---- as the rest of the tool sees it ------------------------------------------------------ */

static int read_any(void *state, const dump *d, const dump_part *part, dump_fault *fault) {
    return contexts_read((contexts *)state, d, part, fault);
}
static void settle_any(void *state) { contexts_settle((contexts *)state); }
static void write_any(void *state, text *out) { contexts_write((contexts *)state, out); }
static void free_any(void *state) { contexts_free((contexts *)state); }

const part_kind kind_contexts = {
    DUMP_CONTEXTS,
    "contexts",
    sizeof(contexts),
    read_any,
    settle_any,
    write_any,
    free_any,
    NULL,
};
