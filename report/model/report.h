/* report.h - what a report says, in terms that know no kind of part: facts,
   tables, trees, and the sections they stand in. Models (model/NAME.c) fill it;
   writers (write/NAME.c) show it. Neither knows the other's names. */
#ifndef MODEL_REPORT_H
#define MODEL_REPORT_H
#include "base/input.h"
#include "base/save.h"
#include "base/source.h"

/* ---- tables ---- */

typedef enum report_type {
    REPORT_COUNT,
    REPORT_REAL,
    REPORT_SHARE,
    REPORT_NAME,
    REPORT_PATH /* a stack, whose text is made when it is wanted */
} report_type;

enum {
    REPORT_OPTIONAL = 1, /* text and page leave it out where there is little room */
    REPORT_HIDDEN = 2,   /* for programs (CSV, JSON) only */
    REPORT_WHOLE = 4,    /* a REAL that is a whole number, or none */
    REPORT_FINE = 8,     /* a REAL that may be small: shown with four digits */
    REPORT_SIGNED = 16   /* a REAL that is a change: it has a + or a - */
};

typedef struct report_column {
    const char *key;   /* for programs: one word, with its unit: "time_ns" */
    const char *label; /* for people; one word too, so that awk can count columns */
    report_type type;
    unsigned flags;
    const char *none; /* one word where a REAL or SHARE is REPORT_NONE */
} report_column;

typedef union report_cell {
    uint64_t count;                               /* COUNT: of events, bytes, ... */
    double real;      /* REAL; SHARE: 0 to 1; REPORT_NONE: there is none */
    const char *name; /* NAME: clean UTF-8, outlives the report; report_keep helps */
    uint32_t node;    /* PATH: of the tree that the table's paths are made of */
} report_cell;

#define REPORT_NONE ((double)NAN)                 /* wants math.h */

/* What a table's rows are. In a curve the first column is x, and all others are
   y over it. */
typedef enum report_shape { REPORT_ROWS, REPORT_CURVE, REPORT_CURVE_LOG_Y } report_shape;

typedef struct report_paths report_paths; /* model/paths.h */

typedef struct report_table {
    const char *key;                              /* for programs: one word */
    char *title;                                  /* for people */
    char *remark;                                 /* a sentence below the title, or NULL */
    const report_column *columns;
    size_t column_count;
    report_cell *cells;                           /* row by row */
    size_t rows, room;
    size_t rows_shown; /* text and plain HTML show no more than that; 0: all */
    size_t rows_left_out;                         /* by the least share */
    size_t rows_unmatched;                        /* left out by report_match */
    size_t rows_more; /* not made, because the form shows no more than rows_shown */
    report_shape shape;
    int is_for_programs; /* CSV and JSON only: a person finds it in another table */
    report_paths *paths; /* of its columns of stacks, freed with it; or NULL */
} report_table;

/* ---- trees ---- */

/* What a thread adds to a node's own count, and to its squares. */
typedef struct report_sample {
    uint32_t node, thread;
    uint64_t count;
    double squares;
} report_sample;

/* How a node's own value changed between two sides: model/difference.h. */
typedef struct report_change {
    double base, now, low, high; /* the 95 % interval of now - base; REPORT_NONE: unknown */
    int way;                     /* 1: surely more, -1: surely less, 0: nobody can tell, or same */
} report_change;

/* In preorder, one array for each column; node 0 is the root. Equal siblings
   may occur. */
typedef struct report_tree {
    char   **names;
    size_t   name_count;
    uint32_t *parent, *name;                      /* of each node */
    uint64_t *lower, *upper; /* bounds of the node's own count, callees left out */
    size_t   count;
    const char **file; /* of each name, where it stands in the source, with `line`; or NULL */
    uint32_t *line;
    struct report_sample *samples; /* the counts by thread, if that is known */
    size_t sample_count;
    const char **threads; /* names, kept by the report */
    size_t thread_count;
    uint32_t *twin; /* of each name: 0, or for functions of one name 1 or 0, 2, 3, ...; or NULL */
    uint64_t period_us; /* what one of the unit stands for; 0: no time */
    const char *unit;                             /* "calls" */
    report_change *changes; /* of each node: then lower and upper are zero; or NULL */
    double effective; /* independent samples that the counts are worth; 0: they are not samples */
    double *squares;  /* of each node, the sum of squares of what its samples count; or NULL */
    int is_whole; /* stacks from the program's start, not caller and callee alone */
} report_tree;

/* ---- time ---- */

/* A tick of a thread: since when, and on which node of the axis's tree. */
typedef struct report_moment {
    uint64_t us;
    uint32_t thread, node;
} report_moment;

/* A thread waited on a node of the axis's tree, or had a slow frame of a kind. */
typedef struct report_stretch {
    uint64_t from_us, to_us;
    uint32_t thread, what;
} report_stretch;

/* A kind of frames; those that took longer than the limit are slow. */
typedef struct report_frame_kind {
    const char *name;
    uint64_t limit_us;                            /* 0: not known */
} report_frame_kind;

/* Ticks with their moments, of one recording. */
typedef struct report_axis {
    const char *program;
    uint32_t process;                             /* 0: not known */
    uint64_t began_us;                         /* of the zero, since 1970; 0: not known */
    uint64_t from_us, to_us;                      /* what is shown, */
    uint64_t span_us;                             /* of so much */
    uint64_t tick_us;                             /* CPU time that a tick stands for */
    report_moment *moments;                       /* by time */
    size_t count;
    const char **threads;                         /* names, kept by the report */
    uint32_t *numbers;                            /* the system's */
    size_t thread_count;
    report_tree *tree;                            /* of stacks; it has no counts */
    unsigned char *is_of_system;                  /* by name: waits there are its caller's */
    report_stretch *waits, *late;                 /* late: frames; by when they began */
    size_t wait_count, late_count;
    report_frame_kind *frames;
    size_t frame_count;
} report_axis;

/* ---- sections ---- */

struct report;

/* What one model adds. The Makefile finds `const report_section section_NAME`
   in model/NAME.c. */
typedef struct report_section {
    const part_kind *kind; /* whose state it shows; without such a part there is no section */
    const char *key;       /* its key in the JSON, and the id of its element in the page */
    size_t columns_bytes;  /* of what it keeps; zero bytes at first; may be 0 */
    /* Adds facts, tables and trees to the report, and fills the columns. in
       outlives the report. */
    void (*fill)(void *columns, struct report *r, const void *state, const input *in);
    /* Writes one JSON value of its own for the page's script; NULL: an object
       of its tables and trees. */
    void (*json)(const void *columns, const struct report *r, text *out);
    void (*free)(void *columns);                  /* may be NULL */
} report_section;

typedef struct report_part {
    const report_section *section;
    void *columns;
    report_table **tables;
    size_t table_count;
    report_tree **trees;
    size_t tree_count;
} report_part;

typedef enum report_weight {
    REPORT_PLAIN,
    REPORT_NOTE,
    REPORT_BAD,
    REPORT_TOLD                                   /* nothing is wrong, but it has a line everywhere */
} report_weight;

typedef struct report_fact {
    char *name, *value;
    report_weight weight;                         /* notes come from the command line */
} report_fact;

/* What of a total a loss is missing in. */
enum { REPORT_OF_COUNTS = 1, REPORT_OF_TIME = 2 };

/* Something that the recording did not see: model/losses.c. */
typedef struct report_loss {
    char *what; /* a noun: "events lost" */
    char *cure; /* what it means and what helps, in sentences */
    uint64_t count;
    double part; /* of all that there was, 0 to 1; REPORT_NONE: nobody knows */
    unsigned of;
} report_loss;

typedef struct report_options {
    double least_share;                           /* 0 to 1: leave out what has less */
    size_t width;                                 /* of the text, in columns; 0: no limit */
    int    is_coloured;                           /* the text may be */
    int    wants_all_rows;                        /* also those beyond a table's rows_shown */
    struct verdicts *failing;                     /* which tests failed; NULL: nobody asks */
    int    wants_measured;                        /* of coverage: functions without counters are
                                                     left out */
    int    wants_unique_cause;                    /* of MC/DC; else masking */
    int    has_top;                               /* no more than `top` rows; 0: all */
    size_t top;
    int    wants_sums;                            /* report_add_sum is called */
    int    wants_whole_stacks;                    /* of --collapsed, however large it becomes */
    int    packs_trees;                           /* for the page: large ones are deflated */
    int    keeps_mangled;                         /* C++ names stay as the linker has them */
    sources *sources;                             /* that may be shown; NULL: the form shows none */
    struct chosen *chosen;                        /* of coverage; NULL: all of it */
    const char *tests_of;                         /* FILE:LINE: which tests ran it; or NULL */
    const char *by; /* the unit of the stacks that are shown; NULL: ticks, or else whatever there
                       is */
} report_options;

typedef struct report {
    char *title;
    uint64_t made_at; /* when the newest dump was written, in seconds since 1970; 0: nobody knows */
    char *headline; /* a sentence that says the most; or NULL */
    char *slow;     /* what slow frames do more, which the headline says, too; or NULL */
    char *made_of;                                /* version, files and their dates; or NULL */
    report_options options;
    save *out; /* for save_some in writers; NULL: the text is kept */
    report_loss *losses; /* shown before anything else */
    size_t loss_count;
    size_t runs; /* that the dumps are of, as far as they say it; at least 1 */
    report_fact *facts;
    size_t fact_count;
    char **names;                                 /* of what ran, from the dumps */
    size_t name_count;
    struct report_sum *sums;
    size_t sum_count;
    const report_axis *axis;                      /* NULL: nothing has its moment */
    report_part *parts; /* one for each section there is, by number of its kind */
    size_t part_count;
    char **kept;
    size_t kept_count;
} report;

/* From an input that has been settled and outlives the report. r: all zero but
   for options and notes. */
void report_make(report *r, const input *in);
void report_free(report *r);
/* Begins a section that no kind of part has: what report_add_table adds goes
   there. Returns its columns, zero bytes. */
void *report_begin_part(report *r, const report_section *section);
/* Takes it away again if it has nothing to say. */
void report_end_part(report *r);
/* Sorts the rows of all tables that have a column of that key or label: numbers
   from the largest down, names from A on. Returns how many tables have it. */
size_t report_sort(report *r, const char *key);
/* Sorts the rows of one table. The column is there. */
void report_sort_table(report_table *table, const char *key);

/* Leaves the tables whose key or title one of `only` matches (if there are
   any), and none of not_these. Both lists end with NULL. Returns how many
   tables are left. */
size_t report_choose(report *r, const char *const *only, const char *const *not_these);
/* Leaves the rows of which a name, or a frame of a stack, matches. Tables
   without names stay as they are. Returns how many rows match. */
size_t report_match(report *r, const char *pattern);

/* The unit in which whole stacks are shown: options.by, or ticks before any
   other. NULL: there are no whole stacks in it. *other: one more unit that
   there is, or NULL. */
const char *report_unit(const report *r, const char **other);

void report_add_loss(report *r, unsigned of, const char *what, uint64_t count, double part,
                     const char *cure);
/* A row of the table that --sums writes, which comes from all sections: count,
   sum and sum of squares of what was seen independently. An exact number has a
   count of 0. products: of what a burst saw of the function and of all
   functions. file may be "", and function is where a row is of all. */
typedef struct report_sum {
    const char *measure, *unit;                   /* of static storage */
    const char *program, *function, *file;        /* copied by report_add_sum */
    uint32_t line;
    double count, sum, squares, products;
    double sampled; /* what was seen of sum, not scaled up */
} report_sum;
void report_add_sum(report *r, const report_sum *sum);
/* Adds the losses of all parts. report_make does this first. */
void report_add_losses(report *r, const input *in);
/* Has so much been lost that an interval need not hold the truth? Also if it is not
   known how much. */
int report_misses(const report *r, unsigned of);
/* If report_misses: adds "They have no interval ..." and the loss that weighs most. */
void report_add_why(const report *r, unsigned of, text *out);
/* "events lost: 12, 3.4 % of all. Give ...". To be freed by the caller. */
char *report_loss_words(const report_loss *loss);
void report_add_fact(report *r, report_weight weight, const char *name, const char *value);
/* The same for a text, which it empties. */
void report_add_words(report *r, report_weight weight, const char *name, text *value);
/* Says that a program of that name ran; the title is made of these. */
void report_add_name(report *r, const char *name);
/* These add to the section that is being filled. Title and remark are
   copied. */
report_table *report_add_table(report *r, const char *key, const char *title,
                               const report_column *columns, size_t column_count);
void report_remark(report_table *table, const char *remark);
/* A new row, its cells zero. */
report_cell *report_add_row(report_table *table);
/* The words of a NAME or a PATH. The text holds those of a path, until it is
   used again. */
const char *report_words(const report_table *table, size_t column, const report_cell *cell,
                         text *holds);
/* Is a column for people? One that is hidden is not, nor is one of words that
   are all empty. */
int report_is_shown(const report_table *table, size_t column);
/* Is it a column of words? */
int report_is_words(const report_column *column);
/* A tree with room for so many nodes and names, all zero; count and name_count
   are set. */
report_tree *report_add_tree(report *r, size_t nodes, size_t names);
/* "44 %" with "(41 to 47 %)" behind the noun: digits follow the interval. low <
   0: there is none. */
void report_add_share(text *out, double share, double low, double high, const char *noun);
/* A copy of a function's name as people read it, to be freed by the caller. */
char *report_name(const report *r, const char *name);
/* Frees a string together with the report; returns it. The second takes over a
   text, which becomes empty. */
const char *report_keep(report *r, char *string);
const char *report_keep_text(report *r, text *t);
/* "collide.c:12", without folders; "" where no file is known. It is freed
   together with the report. */
const char *report_place(report *r, const char *file, uint32_t line);

extern const report_section *const section_list[];        /* ended by NULL */

/* ---- writers ---- */

/* Options that not every form has a use for, by bits. */
enum {
    REPORT_USES_TITLE = 1,
    REPORT_USES_NOTES = 2,
    REPORT_USES_MIN = 4,
    REPORT_USES_SORT = 8,
    REPORT_USES_CAUSE = 16, /* --unique-cause */
    REPORT_USES_UNIT = 32,  /* --by */
    REPORT_USES_NAMES = 64, /* --no-demangle */
    REPORT_USES_SOURCES = 128, /* --source-root */
    REPORT_USES_WHOLE = 256, /* --whole-stacks */
    REPORT_USES_CHANGES = 512, /* --base */
    REPORT_USES_ROWS = 1024, /* --only, --not, --match */
    REPORT_USES_TOP = 2048,
    REPORT_SHOWS_SOURCES = 4096 /* no option: their text is shown */
};

/* A form of the report: `bursty report --NAME`. The Makefile finds `const
   report_writer writer_NAME`. */
typedef struct report_writer {
    const char *name, *about;
    unsigned uses;                                /* options that change what it writes */
    int wants_out;                                /* --NAME OUT instead of standard output */
    /* If the report has nothing to show it writes nothing, or a frame without
       content; report_check refuses such a report before. */
    void (*write)(const report *r, text *out);
    int (*has)(const report *r); /* is there anything to show? NULL: there always is */
    /* Would it be more than a file should hold? Returns a TOOL_ status, after a
       message. May be NULL. */
    int (*refuse)(const report *r);
} report_writer;

/* Refuses a form that would have nothing to show, with one line that says what
   there is. file: for that line. Returns a TOOL_ status. */
int report_check(const report *r, const report_writer *writer, const char *file);

extern const report_writer *const writer_list[];

/* Lines of the HTML page's style sheet and scripts, each list ended by NULL.
   The build makes them from write/page. */
extern const char *const page_style[];
extern const char *const page_scripts[];
#endif
