/* contexts.c - reading, joining and writing parts of kind 2.

   Keys are numbers that a program chose; they mean the same in two parts only if their names say so. So each part's keys
   become ours while hcct_load reads it: by name, and by how many equal names (static functions, say) came before in this
   part. A key without a name is called by its number.

   Joining must not depend on grouping, so nothing may be evicted in it: the joined tree has room for all contexts and
   counts as many as its parts together. Bounds then just add up. */
#define HCCT_STATIC
#define HCCT_IMPLEMENTATION
#include "kinds/contexts.h"
#include "base/tool.h"
#include <stdlib.h>
#include <string.h>

enum { ROOM_MAX = 1 << 20 };      /* contexts made room for on the word of a file; beyond, only for those it has */

/* ---- keys ------------------------------------------------------------------------------- */

static uint32_t hash_of(const char *name, uint32_t twin) {
    uint32_t hash = 2166136261u ^ twin;
    for (; *name; name++) hash = (hash ^ (unsigned char)*name) * 16777619u;
    return hash ^ hash >> 15;
}

static void grow_slots(contexts *c) {
    size_t i;
    c->slot_count = c->slot_count ? 2 * c->slot_count : 256;
    free(c->slots);
    c->slots = (uint32_t *)tool_alloc(c->slot_count * sizeof *c->slots);
    for (i = 0; i < c->key_count; i++) {
        size_t at = hash_of(c->keys[i].name, c->keys[i].twin) & (c->slot_count - 1);
        while (c->slots[at]) at = (at + 1) & (c->slot_count - 1);
        c->slots[at] = (uint32_t)i + 1;
    }
}

/* The key of that name and twin, with a copy of the name if it is a new one. */
static uint32_t find_key(contexts *c, const char *name, uint32_t twin) {
    size_t at;
    contexts_key *key;
    if (2 * c->key_count >= c->slot_count) grow_slots(c);
    at = hash_of(name, twin) & (c->slot_count - 1);
    for (; c->slots[at]; at = (at + 1) & (c->slot_count - 1)) {
        key = &c->keys[c->slots[at] - 1];
        if (key->twin == twin && strcmp(key->name, name) == 0) return c->slots[at];
    }
    if (c->key_count == c->key_room)
        c->keys = (contexts_key *)tool_grow(c->keys, (c->key_room = 2 * c->key_room + 64) * sizeof *c->keys);
    key = &c->keys[c->key_count++];
    key->name = text_clean(name, strlen(name));
    key->twin = twin;
    key->part = key->twins = 0;
    return c->slots[at] = (uint32_t)c->key_count;
}

/* The key of the next twin of that name in this part. */
static uint32_t next_key(contexts *c, const char *name) {
    uint32_t plain = find_key(c, name, 0);
    contexts_key *first = &c->keys[plain - 1];                 /* not before find_key, which may move keys */
    if (first->part != c->part) { first->part = c->part; first->twins = 0; }
    return find_key(c, name, first->twins++);
}

/* Where this part's key stands in the map, or would. */
static size_t map_place(const contexts *c, uint32_t theirs) {
    size_t at = (theirs * 2654435761u >> 7) & (c->map_count - 1);
    while (c->map[at].ours && c->map[at].theirs != theirs) at = (at + 1) & (c->map_count - 1);
    return at;
}

static void grow_map(contexts *c) {
    contexts old = *c;
    size_t i;
    c->map_count = old.map_count ? 2 * old.map_count : 256;
    c->map = tool_alloc(c->map_count * sizeof *c->map);
    for (i = 0; i < old.map_count; i++) if (old.map[i].ours) c->map[map_place(c, old.map[i].theirs)] = old.map[i];
    free(old.map);
}

static void map_key(contexts *c, uint32_t theirs, const char *name) {
    size_t at;
    if (2 * c->map_used >= c->map_count) grow_map(c);
    at = map_place(c, theirs);
    c->map[at].theirs = theirs;
    c->map[at].ours = next_key(c, name);
    c->map_used++;
}

static uint32_t known_key(const contexts *c, uint32_t theirs) { return c->map_count ? c->map[map_place(c, theirs)].ours : 0; }

/* hcct_load calls these two. */
static void on_name(void *user, uint32_t key, const char *name, size_t length) {
    contexts *c = (contexts *)user;
    char *clean = text_clean(name, length);
    if (!known_key(c, key)) map_key(c, key, clean);
    free(clean);
}

static uint32_t on_key(void *user, uint32_t key) {
    contexts *c = (contexts *)user;
    if (!known_key(c, key)) {
        char name[16] = "(deep)";
        if (key != HCCT_KEY_DEEP) snprintf(name, sizeof name, "#%lu", (unsigned long)key);
        map_key(c, key, name);
    }
    return known_key(c, key);
}

const char *contexts_name(const contexts *c, uint32_t key) {
    return key && key <= c->key_count ? c->keys[key - 1].name : "(no name)";
}

/* ---- trees ------------------------------------------------------------------------------ */

static void free_tree(contexts_tree *t) {
    free(t->memory);
    free(t);
}

static int read(void *state, const dump *d, const dump_part *part, dump_fault *fault) {
    contexts *c = (contexts *)state;
    hcct_reader reader;
    contexts_tree *t = (contexts_tree *)tool_alloc(sizeof *t);
    size_t used = 0;
    const char *reason;
    reader.name = on_name;
    reader.key = on_key;
    reader.user = c;
    c->part++;
    c->map_used = 0;
    if (c->map_count) memset(c->map, 0, c->map_count * sizeof *c->map);
    t->bytes = hcct_load_bytes(d->data + part->offset, part->bytes);
    t->memory = tool_alloc(t->bytes);
    reason = hcct_load(&t->tree, t->memory, t->bytes, d->data + part->offset, part->bytes, &reader, &used);
    if (reason) { free_tree(t); return dump_refuse(fault, part->offset + used, "%s", reason); }
    c->trees = (contexts_tree **)tool_grow(c->trees, (c->count + 1) * sizeof *c->trees);
    c->trees[c->count++] = t;
    return 0;
}

static int is_saving(const hcct *t) { return t->algorithm <= HCCT_BUCKET; }
static int joinable(const hcct *a, const hcct *b) { return a->algorithm == b->algorithm || (is_saving(a) && is_saving(b)); }

/* Makes room for what others bring, in contexts and in how many of them are counted. */
static void widen(contexts_tree *t, uint64_t nodes, uint64_t monitored) {
    uint64_t room = monitored < ROOM_MAX ? monitored : ROOM_MAX;
    if (room < nodes) room = nodes;
    t->tree.config.monitored = (uint32_t)(monitored < UINT32_MAX ? monitored : UINT32_MAX);
    t->bytes = hcct_bytes(&t->tree.config, (uint32_t)room + 1);
    t->memory = tool_grow(t->memory, t->bytes);
    if (hcct_grow(&t->tree, t->memory, t->bytes) == 0) { tool_error("a calling context tree cannot grow"); exit(TOOL_FAILED); }
}

static void settle(void *state) {
    contexts *c = (contexts *)state;
    size_t i, k, kept = 0;
    for (i = 0; i < c->count; i++) {
        uint64_t nodes = 0, monitored = 0;
        contexts_tree *first = c->trees[i];
        if (!first) continue;
        for (k = i; k < c->count; k++) {
            if (!c->trees[k] || !joinable(&first->tree, &c->trees[k]->tree)) continue;
            nodes += c->trees[k]->tree.capacity;
            monitored += c->trees[k]->tree.config.monitored;
        }
        widen(first, nodes, monitored);
        for (k = i + 1; k < c->count; k++) {
            if (!c->trees[k] || hcct_merge(&first->tree, &c->trees[k]->tree) != 0) continue;
            free_tree(c->trees[k]);
            c->trees[k] = NULL;
        }
        c->trees[kept++] = first;
    }
    c->count = kept;
}

/* ---- writing ---------------------------------------------------------------------------- */

static const char *name_of(void *user, uint32_t key) { return contexts_name((const contexts *)user, key); }

static void write(void *state, text *out) {
    contexts *c = (contexts *)state;
    size_t i;
    for (i = 0; i < c->count; i++) hcct_write(&c->trees[i]->tree, name_of, c, text_write, out);
}

static void free_state(void *state) {
    contexts *c = (contexts *)state;
    size_t i;
    for (i = 0; i < c->count; i++) if (c->trees[i]) free_tree(c->trees[i]);
    for (i = 0; i < c->key_count; i++) free(c->keys[i].name);
    free(c->trees);
    free(c->keys);
    free(c->slots);
    free(c->map);
    memset(c, 0, sizeof *c);
}

const part_kind kind_contexts = {
    DUMP_CONTEXTS, "contexts", sizeof(contexts), read, settle, write, free_state,
};
