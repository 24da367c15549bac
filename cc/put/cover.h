/* cover.h - counters on the edges of a function's control flow graph, as few as
   will do. */
#ifndef CC_COVER_H
#define CC_COVER_H
#include "cc/put/rewrite.h"

#define CC_NOWHERE UINT32_MAX

/* CC_UNWANTED: its counter costs a second look at the file. CC_CUT: behind a
   call (exits.h); a counter could stand there, but is wanted only for a
   mark. CC_STAY: to EXIT, for what a call did not bring back; such edges stand
   behind all others. */
enum { CC_FORCED = 1, CC_UNWANTED = 2, CC_CUT = 3, CC_STAY = 4 };

typedef struct cc_edge {
    uint32_t from, to;        /* vertices */
    uint32_t slot;            /* its counter, or CC_NOWHERE */
    uint8_t forced;           /* CC_FORCED: no text can count it */
} cc_edge;

typedef struct cc_line_of {
    uint32_t vertex, line;
    uint32_t file;            /* 0: that of the function; else a number of other_file, from 1 on */
} cc_line_of;

/* A call of a function of this file, or one that may not return. */
typedef struct cc_site {
    uint32_t callee;          /* its number, or CC_NOWHERE: not of this file */
    uint32_t vertex;          /* where it runs, or CC_NOWHERE: never */
    uint32_t first, last;     /* tokens: its name, and the end of its arguments */
    uint32_t full;            /* the last token of the full expression around it */
    int leaves;               /* it may not return */
} cc_site;

/* The graph of one function. Vertex 0 is the entry, vertex 1 is EXIT. */
typedef struct cc_cfg {
    cc_edge *edges;
    cc_line_of *lines;
    uint32_t vertices, edge_count, edge_room, line_count, line_room;
    uint32_t entry_slot;      /* the counter of X, or CC_NOWHERE */
    int backwards;            /* arguments are passed from right to left */
    int traces;               /* edges get witnesses; the entry's slot is the function's number */
    struct cc_mcdc *mcdc;     /* NULL: branches alone (mcdc.h) */
    uint32_t *call;           /* of each vertex: the last token of its first call that may not
                                 return, + 1; 0: it holds none */
    uint32_t call_room;
    cc_site *sites;           /* in the order in which the walk passes them */
    uint32_t site_count, site_room;
    int knows_entry;          /* its calls say how often it was entered (callers.h): X needs no
                                 counter */
    uint32_t *after;          /* where each && || ?: ({}) leads, in the order in which they begin */
    uint32_t after_room;
    uint32_t *behind;         /* the edges whose witness follows a value, in that order */
    uint32_t behind_room;
    uint32_t *number;         /* after the plan: of each vertex that of the unit, or CC_NOWHERE */
    const char *const *other_file; /* other files that have lines of it */
    uint32_t other_files;
    const char **own_files;   /* where cfg.c has made that list */
    const char *reason;       /* why the function is left alone */
    uint32_t reason_token;
} cc_cfg;

/* cfg.c: builds the graph; then, with emit, puts in the counters of edges that
   have a slot. table: the name of the array of counters. */
void cc_flow_build(cc_unit *u, uint32_t function, cc_cfg *g);
/* The type of a counter, or of the word of marks, behind "unsigned". */
const char *cc_counter_type(int bits);
void cc_flow_emit(cc_unit *u, uint32_t function, cc_cfg *g, const cc_request *request,
                  const char *table, cc_edits *edits, int *look_again);

/* The part of an object that is left alone as a whole. */
void cc_cover_left_file(const cc_request *request, const char *file, const char *reason,
                        text *part);

/* Adds assembly, as a declaration of C and C++, that puts the parts into the
   section .bursty.cover. */
void cc_cover_section(text *front, const text *part);

/* cover.c: plans for the functions of a file, and its tables. */
typedef struct cc_planner cc_planner;
cc_planner *cc_planner_new(const cc_request *request);
/* Plans the counters of one function: gives slots to edges. Returns why it is
   left alone, or NULL. */
const char *cc_planner_add(cc_planner *p, const char *name, const char *file, cc_cfg *g);
/* A function that has no counters, and why: the report says that it is not
   measured. lines: where its code is; they are sorted. */
void cc_planner_leave(cc_planner *p, const char *name, const char *file, const char *reason,
                      uint32_t *lines, uint32_t count);
uint32_t cc_planner_slots(const cc_planner *p);
/* Is there anything to report about the file? */
int cc_planner_has_tables(const cc_planner *p);
void cc_planner_free(cc_planner *p);
void cc_cfg_free(cc_cfg *g);

typedef struct cc_tables {
    text part;                /* parts of a dump; to be freed */
    char name[24];            /* what counts are known by, with hash and slots */
    uint32_t hash, slots;
    uint64_t key;
} cc_tables;
void cc_planner_end(cc_planner *p, cc_tables *t);
/* The name of the array of counters. */
void cc_counters_name(char *name, size_t room, const cc_request *request);

/* cover.c: all of it for a file. */
void cc_cover(cc_unit *u, const cc_request *request, cc_edits *edits, text *front,
              cc_result *result);
#endif
