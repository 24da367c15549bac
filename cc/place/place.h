/* place.h - which functions and loops of a program get a check.

   Papers: bursty-tracing, section 4. A placement says yes or no, and why, for
   each node of the graph (the entry) and for each loop of each function. */
#ifndef PLACE_H
#define PLACE_H
#include "cc/place/graph.h"

enum { ENTRIES_ALL, ENTRIES_EL, ENTRIES_EC, ENTRIES_EN };
enum { LOOPS_NONE = -2, LOOPS_ALL = -1 };       /* else k of the k-boring loops that get none */

/* Repairs of equation 3, as bits. Tests leave one out. */
enum { REPAIR_CALLS = 1, REPAIR_WIDE = 2, REPAIR_ALL = 3 };

typedef struct place_rules {
    int entries, loops;
    int bounded, always;                        /* such loops get none, either */
    int quiet;                                  /* rule Q */
    int inside;                                 /* and checks in loops stand for entries */
    int repairs;
    const struct place_counts *counts;          /* of a training run, or NULL */
    double least;                               /* share of its calls that keeps an entry */
    uint32_t within;                            /* if not 0: so many instructions between checks */
    const char *const *without;                 /* names of functions that get none, with * */
    int without_count;
} place_rules;

/* Why. Each has a word, which the plan says, and a sentence for the reader. */
enum {
    WHY_EVERY, WHY_CALLS, WHY_ROOT, WHY_TAKEN, WHY_BELOW, WHY_REPAIR, WHY_REPAIR_CALLS, WHY_BUILT,
    WHY_LATE, WHY_UNTYPED, WHY_SEEN, WHY_WITHIN, WHY_STRIP,
    WHY_LEAF, WHY_UNCALLED, WHY_COVERED, WHY_ASKED, WHY_QUIET_ENTRY, WHY_INSIDE, WHY_WITHOUT, WHY_LEFT_ALONE,
    WHY_LATE_NOT, WHY_OTHER_NAME, WHY_LOOP, WHY_AROUND, WHY_BORING, WHY_BOUNDED, WHY_ALWAYS, WHY_QUIET,
    WHY_NOT_BUILT, WHY_COUNT
};

enum { FIXED_NOT, FIXED_LEFT_ALONE, FIXED_WITHOUT, FIXED_LATE, FIXED_OTHER_NAME };

typedef struct placement {
    uint8_t *entry, *entry_why;                 /* of each node */
    uint8_t *fixed;                             /* FIXED_...: nodes of which no plan speaks */
    uint8_t *loop, *loop_why;                   /* of each loop of graph.loops */
    uint32_t *weight;                           /* of each loop: if not 0, its checks stand for
                                                   rounds that use up the budget together */
    uint32_t budget;
    size_t beyond, sizeless;                    /* functions that cost more than --within asks; of
                                                   objects that tell no sizes */
    uint32_t *distance, *component;             /* of each node, by direct calls */
    uint32_t *component_size, components;
    int gave_up;                                /* rule Q stopped, for the graph was too large */
} placement;

/* "EC+L4", "all", "Q": fills the rules. 0, or -1 if it is not a set. */
int  place_set(place_rules *rules, const char *set);
void place_choose(placement *p, const graph *g, const place_rules *rules);
void place_free(placement *p);
const char *place_word(int why);
const char *place_sentence(int why);

/* ---- pieces of it ---- */

/* Entries that can go while every cycle of calls keeps a check, then quiet
   loops. */
void place_quiet(placement *p, const graph *g);
/* g->wide, where each pointer may lead to each function whose address is
   taken. */
void place_forget_types(const graph *g, graph_links *out);
/* Drops entries for which checks in loops can stand. */
void place_inside(placement *p, const graph *g);
/* For each node: is an entry check passed on every way through it, from its
   entry to its exit? */
uint8_t *place_sure(const graph *g, const placement *p);
/* Drops the checks of loops that pass another check in each iteration: of all
   functions, or of those whose loops the optimizer has made. Of one loop of the
   source it may make several, one behind the other. */
void place_always(placement *p, const graph *g, int of_all);
/* Gives loops their checks back that call something and run with no check around
   them. */
void place_around(placement *p, const graph *g);
/* within.c: adds checks, so that no more than rules->within instructions run
   between two, as far as their number can be told from the source. */
void place_within(placement *p, const graph *g, const place_rules *rules);

/* ---- the checker: shares nothing with the above but the graph ---- */

/* What a function does beside the graph that was read. */
enum { UNREAD_ASSEMBLY = 1, UNREAD_RETURNS = 2 };

typedef struct place_proof {
    uint8_t *unread;                            /* of each node: bits of the above */
    size_t assemblies, returning;
    uint8_t *open_node, *open_loop;             /* on a cycle without a check */
    uint8_t *open_goto;                         /* functions with a cycle of gotos alone */
    size_t open_nodes, open_loops, open_gotos;
    size_t boring, bounded, quiet, always;      /* loops without a check, by what excuses them */
    size_t small_loops;                         /* open, but they call nothing */
    uint32_t small_events;                      /* the most back-edges in one of these */
    size_t left_alone, left_alone_loops, left_alone_cycles, without_skeleton;
    size_t late, late_checked;                  /* functions behind the optimizer */
    size_t pointer_calls, typed_calls, outside_calls, weak;
} place_proof;

/* rules: which loops may go without. Only loops and quiet of it are looked
   at. */
void place_check(place_proof *proof, const graph *g, const uint8_t *entry, const uint8_t *loop,
                 const place_rules *rules);
void place_proof_free(place_proof *proof);

/* ---- a training run: counts.c ---- */

typedef struct place_counts place_counts;
/* path must stay. NULL after a message. */
place_counts *place_counts_open(const char *path, const graph *g);
void place_counts_free(place_counts *c);
/* Gives functions with that share of calls or ticks their check back. */
void place_counts_keep(const place_counts *c, placement *p, const graph *g, double least);
typedef struct place_rate { /* checks between bursts, and those of a burst */
    double every, burst;
} place_rate;
/* What is no longer seen, and what the checks will cost; instructions: of that
   run without checks, or 0. */
void place_counts_show(const place_counts *c, const graph *g, const placement *p,
                       double instructions, const place_rate *rate, text *out);

/* ---- plans ---- */

/* All lines, sorted. */
void plan_write(const graph *g, const placement *p, text *out);
/* Refuses a path where something else than a plan stands. TOOL_ status, after a
   message. */
int  plan_check(const char *path);
/* To a temporary file beside path, then renamed. TOOL_ status, after a
   message. */
int  plan_save(const text *plan, const char *path);
/* What differs from the plan at path, for the reader. TOOL_ status, after a
   message. */
int  plan_compare(const graph *g, const placement *p, const char *path, text *out);

/* ---- what is printed ---- */

/* is_built: the checks are those of the files, and there are no reasons for
   them. */
void show_summary(const graph *g, const placement *p, const place_proof *proof, int is_built,
                  text *out);
void show_list(const graph *g, const placement *p, text *out);
/* 0 if there is no function of that name. */
int  show_why(const graph *g, const placement *p, const char *name, text *out);
void show_json(const graph *g, const placement *p, const place_proof *proof, text *out);
void show_dot(const graph *g, const placement *p, text *out);
#endif
