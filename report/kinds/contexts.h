/* contexts.h - the calling-context trees of parts of kind 2 (hcct.h), joined
   over parts, files, threads and machines. */
#ifndef KINDS_CONTEXTS_H
#define KINDS_CONTEXTS_H
#include "base/hash.h"
#include "base/kind.h"

/* One key for one name in all parts; if a part has a name for several keys, its
   second is the name's twin 1, and so on. The first of a name counts how many
   keys `part` has for it. */
typedef struct contexts_key {
    char *name;
    char *place; /* "file:line", or nothing */
    uint32_t twin, part, twins;
} contexts_key;

/* Node 0 is the root. A child list is linked by `next`, in the order of the
   file; 0 ends it. */
typedef struct contexts_node {
    uint32_t key, parent, first, last, next;
    int cold; /* only known as a caller of others */
    uint64_t lower, upper; /* lower <= true weight <= upper */
    uint64_t covered; /* the bases of the joined trees that know this node */
} contexts_node;

enum { CONTEXTS_GROUPS = 8 };
/* The sums of a node over bursts (docs/formats.md). Node 0 has those of all calls. */
typedef struct contexts_sums {
    uint64_t calls, bursts, yy, xy; /* xy: if has_xy */
    uint64_t group[CONTEXTS_GROUPS]; /* the calls of groups of bursts, if has_groups */
} contexts_sums;

/* The numbers in front of the nodes, in the order of the file. */
enum {
    CONTEXTS_VERSION,
    CONTEXTS_ALGORITHM,
    CONTEXTS_MONITORED,
    CONTEXTS_WIDTH,
    CONTEXTS_PHI,
    CONTEXTS_DELTA,
    CONTEXTS_LIMIT,
    CONTEXTS_FOLD,
    CONTEXTS_TOTAL,
    CONTEXTS_FLOOR,
    CONTEXTS_LOST,
    CONTEXTS_CUT,
    CONTEXTS_OUTSIDE,
    CONTEXTS_SCALED,
    CONTEXTS_RATE,
    CONTEXTS_PIECES,
    CONTEXTS_FLAGS,
    CONTEXTS_UNMATCHED,
    CONTEXTS_REPAIRED,
    CONTEXTS_SWEEPS,
    CONTEXTS_EVICTIONS,
    CONTEXTS_FORCED,
    CONTEXTS_NODES,
    CONTEXTS_FIELDS
};
enum { CONTEXTS_UNIT = 31 }; /* the most letters of a unit */
enum {
    CONTEXTS_SAVING = 0,
    CONTEXTS_LAZY = 1,
    CONTEXTS_LOSSY = 3,
    CONTEXTS_STICKY = 4,
    CONTEXTS_FULL = 5
};

typedef struct contexts_tree {
    uint64_t field[CONTEXTS_FIELDS];
    uint64_t base; /* no context outside the tree weighs more */
    int has_sums, has_xy; /* xy: from version 3 on */
    int has_groups;       /* version 5 */
    char *unit;           /* what weights are: "misses"; NULL: calls */
    uint64_t points, skipped; /* adaptive bursts: how many were due, and were left out */
    uint64_t reenable;    /* a stack that had one has one in so many; 0: none, if points */
    contexts_node *nodes;
    uint32_t count, room;
    contexts_sums *sums; /* of the first sums_room nodes; others have none */
    uint32_t sums_room;
    hash_table places; /* of nodes by parent and key, while the tree grows */
} contexts_tree;

typedef struct contexts { /* all zero: empty */
    contexts_tree *trees;
    size_t count, room;
    contexts_key *keys; /* key k of a tree is keys[k - 1] */
    size_t key_count, key_room;
    hash_table names; /* of keys by name and twin */
    uint32_t part;    /* the one being read, and how its keys are called here: */
    struct {
        uint32_t theirs, ours;
    } * map;
    size_t map_count, map_room;
    hash_table map_places; /* by theirs */
} contexts;

extern const part_kind kind_contexts; /* its state is a contexts */

/* Adds a part of kind 2. 0, or -1 with *fault filled: then c is only fit to be
   freed. */
int contexts_read(contexts *c, const dump *d, const dump_part *part, dump_fault *fault);
/* Joins all trees of one unit that were made by one kind of algorithm: call it
   after the last contexts_read. */
void contexts_settle(contexts *c);
/* Writes what has been settled, a part for each tree. */
void contexts_write(contexts *c, text *out);
/* The name of a tree's key. */
const char *contexts_name(const contexts *c, uint32_t key);
void contexts_free(contexts *c);

/* All zero if the node has none. */
const contexts_sums *contexts_sums_of(const contexts_tree *t, uint32_t node);

/* For who makes trees otherwise: an empty tree; a node, 0 if it is there
   already; a key for a name. */
contexts_tree *contexts_add_tree(contexts *c);
uint32_t contexts_add_node(contexts_tree *t, uint32_t parent, uint32_t key);
uint32_t contexts_add_key(contexts *c, const char *name);
/* The node after `node` in preorder; 0 begins and ends. *depth must be 0 at the
   start. */
uint32_t contexts_next(const contexts_tree *t, uint32_t node, uint32_t *depth);
/* a * b / c, rounded down or up, if a <= c or the result fits. */
uint64_t contexts_scale(uint64_t a, uint64_t b, uint64_t c, int up);
#endif
