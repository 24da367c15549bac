/* traced.h - parts of kind 20: what `bursty cc --trace` puts into an object
   beside the graphs of its functions (kind 4), whose plan says which edges have
   a witness: the vertices of each function that call something. */
#ifndef KINDS_TRACED_H
#define KINDS_TRACED_H
#include "base/kind.h"

enum {
    TRACED_KIND = 20,
    TRACED_VERSION = 1,
    /* Tokens of a trace (docs/formats.md). */
    TRACED_SHORT = 127,  /* so many witnesses of a function have one byte, 1 .. 127 */
    TRACED_LONG = 128,   /* 128 .. 143 and a byte: the others */
    TRACED_ENTER = 144,  /* 144 .. 247 and a byte: a function is entered */
    TRACED_LANDING = 248, /* and a byte: setjmp with that number is called */
    TRACED_RESUME = 249, /* and a byte: longjmp leads back there */
    TRACED_SURE = 250,   /* what leads up to here has run */
    TRACED_LOST = 251,   /* nobody knows what runs now: another stack */
    TRACED_LEFT = 252    /* a signal's handler was left by longjmp */
};

typedef struct traced_unit {
    uint64_t key;
    uint32_t functions;
    uint32_t *call_at, *call; /* of function i: call[call_at[i]] .. call[call_at[i + 1] - 1] */
} traced_unit;

typedef struct traced_all { /* all zero: empty */
    traced_unit *list;      /* by key, each once, when it is settled */
    size_t count, room;
} traced_all;

/* The unit of that key, or NULL. */
const traced_unit *traced_find(const traced_all *all, uint64_t key);
/* What a unit begins with, behind the version; then for each function the
   number of its vertices and these. */
void traced_put_unit(dump_writer *w, uint64_t key, uint32_t functions);

extern const part_kind kind_traced; /* its state is a traced_all */
#endif
