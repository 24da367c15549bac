/* rewrite.h - preprocessed text in, the same text with checks or counters
   out. */
#ifndef CC_REWRITE_H
#define CC_REWRITE_H
#include "cc/put/points.h"

enum { CC_WARNS = 1, CC_WARNS_OF_FALLING = 2, CC_WARNS_OF_LOGIC = 4, CC_WARNS_NEVER = 8 };
/* Fully: some warnings come only when code is made. */
enum { CC_LOOK_NOT, CC_LOOK_QUICKLY, CC_LOOK_FULLY };

/* Whose assembly changes a counter in memory by one instruction; 0: none does. */
enum { CC_IN_PLACE_GCC = 1, CC_IN_PLACE_CLANG = 2 };

typedef struct cc_request {
    const char *file;         /* the source, as on the command line */
    /* Its name and those of other files for coverage, new strings; NULL: as
       they are. */
    char *(*where)(const void *command, const char *name);
    const void *where_of;     /* its first argument */
    cc_choice choice;
    uint64_t unit;            /* a number that no other object of a program has */
    uint64_t command, plan;   /* hashes for the records */
    int cover;                /* 0: checks. 16, 32, 64: bits of a counter; 8, 1: of a mark */
    int mcdc;                 /* marks are of runs of decisions; cover is 8 or 1 */
    int trace;                /* witnesses (trace.h); cover is 64 and means nothing */
    const struct cc_trained *trained; /* a run whose counts weigh the edges, or NULL */
    int atomic;               /* counters that threads may share */
    int in_place;             /* CC_IN_PLACE_... */
    int near;                 /* counters far from the table's beginning cost longer instructions */
    int optimizes;            /* the compiler keeps variables in registers */
    int has_sections;         /* the assembler knows sections that are not loaded */
    int exits;                /* calls that may not return are marked (exits.h) */
    int typed_pointers;       /* in clang's text, before version 15 */
    int no_early;             /* what a call did not bring back is on stay edges (ir.h) */
    int backwards;            /* the compiler works arguments out from right to left */
    unsigned warns;           /* CC_WARNS_...: what the compiler is asked for */
    /* Functions that the compiler refuses when they are rewritten: a mark for
       each number. */
    const unsigned char *spared;
    uint32_t spared_count;
    int no_section;           /* the records go into `records` alone: a file beside the object */
} cc_request;

typedef struct cc_left {      /* a function that was left alone, or has one copy for two */
    char *name;
    const char *how, *reason;
    uint32_t line;
    char *file;
} cc_left;
/* `list` grows by one, whose strings are its own then; and all of them, freed. */
void cc_left_add(cc_left **list, uint32_t *count, const cc_left *one);
void cc_left_free(cc_left *list, uint32_t count);

typedef struct cc_result {
    text out;
    text records;
    cc_left *left;
    uint32_t left_count;
    uint32_t functions, checks;
    uint32_t bodies;          /* functions of all files, system headers too */
    const char *missed;       /* why the plan says nothing of this file, or NULL */
    int look_again;           /* CC_LOOK_...: a warning may have been lost */
    const char *reason;       /* of a refusal of the whole file */
    uint32_t reason_line;
} cc_result;

/* Why a spared function is left alone. */
extern const char cc_refused_text[];
/* Returns 0, or -1 with a reason. */
int cc_rewrite(const char *source, size_t size, const cc_request *request, cc_result *result);
void cc_result_free(cc_result *result);
/* warn.c: which CC_LOOK_ it takes to see what the rewriting may hide. */
int cc_warnings_lost(const cc_unit *u, const cc_request *request);
#endif
