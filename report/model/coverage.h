/* coverage.h - coverage as reports show it: files, their functions, lines and
   branches, with counts that do not contradict one another. What the writers of
   LCOV and Cobertura and the page's script read. */
#ifndef MODEL_COVERAGE_H
#define MODEL_COVERAGE_H
#include "report/kinds/edges.h"
#include "report/model/report.h"

typedef struct coverage_branch {
    uint32_t line, block; /* ways of one block are consecutive; block is unique in its file */
    uint32_t way;
    uint64_t count;
    int is_reached; /* did the line run? */
} coverage_branch;

typedef struct coverage_line {
    uint32_t line;
    uint32_t is_unmeasured; /* of a function without counters; if count is not 0, another ran it */
    uint64_t count;
} coverage_line;

typedef struct coverage_function {
    const char *name;
    uint32_t line; /* 0: not known */
    uint64_t entries;
    size_t first_branch, branch_count;
    int is_chosen; /* while it is gathered: one of its lines is wanted */
    int is_unmeasured; /* it has no counters: what it ran is not known */
} coverage_function;

/* A function whose counts prove a fault: it is named, and none of its counts is
   shown. Or one without counters, which `bursty cc` left alone: it is named, and
   its lines stand with 0, so that no share is higher than what was measured. */
typedef struct coverage_refusal {
    const char *name, *file, *reason;
    uint32_t line;
    int is_unmeasured;
} coverage_refusal;

typedef struct coverage_file {
    const char *name;
    const char *source_fault; /* why its text cannot be shown; NULL: it can, or nobody wants it */
    coverage_function *functions;
    size_t function_count, functions_hit;
    coverage_line *lines; /* by number, each once */
    size_t line_count, lines_hit, unmeasured_lines;
    coverage_branch *branches;
    size_t branch_count, branches_hit;
} coverage_file;

/* What failing tests ran, as failing.c ranks it: those first that tell most. */
typedef struct coverage_suspect {
    const coverage_file *file;
    const char *what, *name;   /* "line", "branch" or "function"; name: of a function */
    uint32_t line, last;       /* last: of a range of lines */
    uint32_t failing, passing; /* how many tests ran it */
    uint64_t tests;            /* a hash of which ones */
    double ochiai, chance;
    int is_sure;
} coverage_suspect;

/* How much of something there is, and was hit. */
typedef struct coverage_part {
    size_t hit, all;
} coverage_part;

typedef struct coverage_totals {
    coverage_part lines, branches, functions;
} coverage_totals;

typedef struct coverage_all {
    coverage_file *files;
    size_t count;
    struct chosen *chosen;           /* what is told of; NULL: all */
    const struct edges_all *counts; /* what it was made of */
    size_t marked_lines;             /* that markers leave out */
    size_t older;                    /* functions of other texts of sources, left out */
    size_t with_counts;              /* tables that have counts */
    const struct unmeasured_all *unmeasured; /* functions without counters; NULL: none, or
                                                nobody wants to hear of them */
    coverage_refusal *refused;
    size_t refused_count, unmeasured_count; /* unmeasured_count: how many of them are */
    size_t unmeasured_files;                /* how many of these are whole files */
    coverage_totals unknown; /* what is wanted of functions without counts that can be shown */
    size_t without_counts; /* functions that no program of a dump has run: their counts are 0 */
    size_t without_tables, underivable;
    size_t versions;        /* functions that several builds see differently */
    uint32_t wrapping_bits; /* counts are modulo 2^that; 0: none is below 64 bits */
    const struct decisions_all *decisions; /* whose marks tell branches, too; or NULL */
    int has_marks;          /* some functions were only marked: their counts are 0 and 1 */
    coverage_suspect *suspects; /* with --failing */
    size_t suspect_count;
    uint32_t tests_failed, tests_passed;
} coverage_all;

/* Fills in the files, and what is refused. The options in *made must be set before. */
void coverage_gather(coverage_all *made, const struct edges_all *all);
void coverage_free_columns(void *made);
/* Adds the totals of one file to *t. */
void coverage_add(coverage_totals *t, const coverage_file *f);
/* The totals of all files. */
coverage_totals coverage_sum(const coverage_all *made);
/* The coverage of one test alone, by its number in made->counts; of runs
   without a test with the number behind the last. To be freed with
   coverage_free. */
coverage_all *coverage_by_test(const coverage_all *made, size_t test);
void coverage_free(coverage_all *made);

/* Sources that a diff changes and the program does not have: "x.c", "x.c and 2
   more". To be freed, or NULL. */
char *coverage_uncovered(const coverage_all *made);
/* Those that it may have under another name: "src/x.c (as /old/x.c?)". */
char *coverage_unmatched(const coverage_all *made);

/* For formats that have no place for it: says which functions are refused. */
void coverage_say_refused(const coverage_all *made);
/* The coverage in a report; NULL: there is none. */
const coverage_all *coverage_in(const report *r);
int coverage_is_there(const report *r);
#endif
