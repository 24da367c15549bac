/* decisions.h - parts of kind 6: the decisions of a program that `bursty cc
   --cover=mcdc` has compiled, and which marks of its counts (kind 4) say what
   (docs/formats.md).

   A decision is a graph: each condition leads on, by true and by false, to a
   later condition or to an outcome. P(outcome) = 1 and P(i) = P(true way) +
   P(false way) is how many paths lead on from condition i. The number of a run
   is the sum over its false ways of P(true way): Ball and Larus' numbers of
   paths, 0 to P - 1, and each run has a mark of its own. */
#ifndef KINDS_DECISIONS_H
#define KINDS_DECISIONS_H
#include "base/kind.h"

/* DECISION_PATHS: a mark for each run. Behind them stand marks of ways into
   conditions that call something, so that outcomes are not lost if the call
   never returns. DECISION_OUTCOMES: the program itself finds out which
   conditions were independent: a mark for each condition that was true then,
   and one for each that was false. What comes after these is left alone, with
   the reason; its branches are marked. */
enum {
    DECISION_PATHS,
    DECISION_OUTCOMES,
    DECISION_TOO_MANY,
    DECISION_CHOICE,
    DECISION_SETJMP,
    DECISION_NO_WAY,
    DECISION_FORMS
};

enum {
    DECISION_FALSE = 0, /* ways; k >= 2 is condition i + k - 1 of the one at i */
    DECISION_TRUE = 1,
    DECISION_RUNS_MOST = 64,
    DECISION_OUTCOMES_MOST = 32,
    DECISION_MOST = 65535,
    DECISION_TEXT_MOST = 64 /* of a condition */
};

typedef struct decisions_condition {
    uint32_t text_at, text_size; /* in the text of the decision */
    uint32_t way[2];             /* [0] false, [1] true, as above */
    uint32_t slot;               /* of the true way in its function's counters; false has the next */
    uint32_t calls;              /* 1: it calls something */
} decisions_condition;

typedef struct decided {
    uint32_t line, form, count;
    char *text;
    decisions_condition *conditions;
    uint32_t runs;       /* P; 0 for more than DECISION_RUNS_MOST */
    uint32_t first_mark; /* in the marks of its function */
} decided;

typedef struct decisions_function {
    uint64_t first_slot, first_mark;
    uint32_t slots; /* of the function in kind 4 */
    uint32_t plain; /* marks that are slots: the first ones */
    uint32_t marks; /* all */
    size_t first, count; /* decisions */
} decisions_function;

/* What one object holds, found by the key of its counts. */
typedef struct decisions_unit {
    uint64_t key;
    unsigned char *bytes; /* as it was read */
    size_t size;
    decisions_function *functions;
    size_t function_count, function_room;
    decided *decisions;
    size_t count, room;
} decisions_unit;

typedef struct decisions_all { /* all zero: empty */
    decisions_unit *units;
    size_t count, room;
} decisions_all;

/* Where a way of condition i leads: `count` for false, count + 1 for true, or a
   condition. */
uint32_t decisions_target(const decided *d, uint32_t i, int way);
/* P of each condition and of both outcomes; paths has room for count + 2. What
   is more than a saturated 2^32 - 1 stays that. Returns P of the whole. */
uint32_t decisions_paths(const decided *d, uint32_t *paths);
/* How many marks the decision has. */
uint32_t decisions_marks(const decided *d);
/* The mark of a way into a condition that calls something, or UINT32_MAX: it
   has none. */
uint32_t decisions_arrival(const decided *d, uint32_t i, int way);
/* Why a decision is left alone, in words. */
const char *decisions_reason(uint32_t form);

/* The function whose counters begin at that slot, and its unit; NULL: there is
   none. */
const decisions_function *decisions_find(const decisions_all *all, uint64_t key, uint32_t first_slot,
                                     const decisions_unit **unit);

extern const part_kind kind_decisions; /* its state is a decisions_all */
#endif
