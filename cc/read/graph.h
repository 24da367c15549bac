/* graph.h - of each function: whom it calls, its loops, and the order of both
   (docs/formats.md, "The call graph in an object"). */
#ifndef CC_GRAPH_H
#define CC_GRAPH_H
#include "cc/read/tree.h"

#define CC_NOBODY UINT32_MAX

typedef struct cc_loop {
    uint32_t node;            /* the loop's statement, or the label of a loop made by goto */
    uint32_t parent;          /* number of the loop around it in this function, or CC_NOBODY */
    uint32_t line;
    uint32_t events;          /* back-edges: its own and those of loops inside */
    uint32_t bound;           /* at most so many rounds in all, or 0: not known */
    uint32_t weight;          /* decided: if not 0, a round takes so much of the budget, and a */
    uint32_t budget;          /* check stands where that is used up */
    char kind;                /* f for, w while, d do, g backward goto */
    uint8_t calls;            /* calls something in it */
    uint8_t checked;          /* decided: it gets a check */
} cc_loop;

typedef struct cc_callee {
    uint32_t name;            /* token */
    uint32_t function;        /* number in this unit, or CC_NOBODY */
    uint8_t with_pointer;     /* an argument may be a function */
    uint8_t is_assembly;      /* what assembly goes to; it has no name */
} cc_callee;

typedef struct cc_label {
    uint32_t name;            /* token of the label's name */
    uint32_t node, loop;      /* its L number, or CC_NOBODY */
    uint8_t seen;             /* a goto behind it may lead here */
    uint8_t taken;            /* a computed goto, or an asm goto, may lead here */
} cc_label;

typedef struct cc_flow {      /* of one function */
    cc_loop *loops;
    cc_callee *callees;
    cc_label *labels;
    uint32_t loop_count, loop_room, callee_count, callee_room, label_count, label_room;
    uint32_t indirect;        /* how many calls through pointers */
    uint8_t calls;            /* calls something that may lead back into the program */
    uint8_t checked;          /* decided: a check at its entry */
    const char *why;          /* one word */
    text skeleton;
} cc_flow;

/* One for each function of the unit; those that are left alone are empty. */
cc_flow *cc_flows(cc_unit *u);
void cc_flows_free(cc_unit *u, cc_flow *flows);

/* Appends the records of the unit. file as on the command line. */
void cc_graph_write(cc_unit *u, const cc_flow *flows, const char *file, uint64_t command,
                    uint64_t plan, text *out);
/* The records as one file-level asm statement without a newline. */
void cc_graph_as_asm(const text *records, text *out);
/* A name of a file as the records have it: blanks, controls and % as %XX. */
void cc_graph_file(text *out, const char *file);
#endif
