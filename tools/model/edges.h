/* edges.h - coverage as reports show it: files, their functions, lines and
   branches, with counts that do not contradict one another. What the writers of
   LCOV and Cobertura and the page's script read. */
#ifndef MODEL_EDGES_H
#define MODEL_EDGES_H
#include "kinds/edges.h"
#include "model/report.h"

typedef struct covered_branch {
    uint32_t line, block; /* ways of one block are consecutive; block is unique in its file */
    uint32_t way;
    uint64_t count;
    int is_reached; /* did the line run? */
} covered_branch;

typedef struct covered_line {
    uint32_t line;
    uint64_t count;
} covered_line;

typedef struct covered_function {
    const char *name;
    uint32_t line; /* 0: not known */
    uint64_t entries;
    size_t first_branch, branch_count;
    int is_chosen; /* while it is gathered: one of its lines is wanted */
} covered_function;

/* A function whose counts prove a fault: it is named, and none of its counts is
   shown. */
typedef struct covered_refusal {
    const char *name, *file, *reason;
    uint32_t line;
} covered_refusal;

typedef struct covered_file {
    const char *name;
    const char *source_fault; /* why its text cannot be shown; NULL: it can, or nobody wants it */
    covered_function *functions;
    size_t function_count, functions_hit;
    covered_line *lines; /* by number, each once */
    size_t line_count, lines_hit;
    covered_branch *branches;
    size_t branch_count, branches_hit;
} covered_file;

/* How much of something there is, and was hit. */
typedef struct covered_part {
    size_t hit, all;
} covered_part;

typedef struct covered_totals {
    covered_part lines, branches, functions;
} covered_totals;

typedef struct covered_all {
    covered_file *files;
    size_t count;
    struct chosen *chosen;           /* what is told of; NULL: all */
    const struct counted_all *counts; /* what it was made of */
    size_t marked_lines;             /* that markers leave out */
    size_t older;                    /* functions of other texts of sources, left out */
    size_t with_counts;              /* tables that have counts */
    covered_refusal *refused;
    size_t refused_count;
    size_t without_counts; /* functions that no program of a dump has run: their counts are 0 */
    size_t without_tables, underivable;
    size_t versions;        /* functions that several builds see differently */
    uint32_t wrapping_bits; /* counts are modulo 2^that; 0: none is below 64 bits */
    const struct decided_all *decisions; /* whose marks tell branches, too; or NULL */
    int has_marks;          /* some functions were only marked: their counts are 0 and 1 */
} covered_all;

/* Of one file, added to what *t holds. */
void covered_add(covered_totals *t, const covered_file *f);
/* Of all files. */
covered_totals covered_sum(const covered_all *made);
/* The coverage of one test alone, by its number in made->counts; of runs
   without a test with the number behind the last. To be freed with
   covered_free. */
covered_all *covered_by_test(const covered_all *made, size_t test);
void covered_free(covered_all *made);

/* For formats that have no place for it: says which functions are refused. */
void covered_say_refused(const covered_all *made);
/* The coverage in a report; NULL: there is none. */
const covered_all *covered_in(const report *r);
#endif
