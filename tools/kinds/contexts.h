/* contexts.h - the calling-context trees of parts of kind 2 (hcct.h), joined over parts, files, threads and machines. */
#ifndef CONTEXTS_H
#define CONTEXTS_H
#include "hcct.h"
#include "base/kind.h"

/* One key for one name in all parts; if a part has a name for several keys, its second is the name's twin 1, and so on.
   The first of a name counts how many keys `part` has for it. */
typedef struct contexts_key { char *name; uint32_t twin, part, twins; } contexts_key;

typedef struct contexts_tree { hcct tree; void *memory; size_t bytes; } contexts_tree;

typedef struct contexts {                         /* all zero: empty */
    contexts_tree **trees; size_t count;
    contexts_key *keys;    size_t key_count, key_room;            /* key k of a tree is keys[k - 1] */
    uint32_t *slots;       size_t slot_count;                     /* hash of name and twin; 0: free */
    uint32_t part;                                /* the one being read, and how its keys are called here: */
    struct { uint32_t theirs, ours; } *map; size_t map_count, map_used;
} contexts;

extern const part_kind kind_contexts;             /* its state is a contexts */

/* The name of a tree's key. */
const char *contexts_name(const contexts *c, uint32_t key);
#endif
