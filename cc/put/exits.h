/* exits.h - calls that may not return: exit, longjmp, exec and what leads to
   them. A counter behind such a call would not run, so the graph is cut there:
   behind each statement that calls something stands an edge without a counter.
   How often it was not taken, cc/inside/exits.c finds out when the stack is
   left, from markers that say which vertex runs where in the code. */
#ifndef CC_EXITS_H
#define CC_EXITS_H
#include "cc/put/cover.h"

/* Finds the functions of the file that always return, for they call nothing
   that may not. Before it, none does. */
void cc_exits_find(cc_unit *u);
/* Is this node a call that may not return? */
int cc_exits_call(const cc_unit *u, const cc_node *n);
/* Does a node of the list that begins here hold one? */
int cc_exits_in(const cc_unit *u, uint32_t node);
/* Is the value of the expression, tokens first .. last, used? If not it may be
   void. */
int cc_exits_used(const cc_unit *u, uint32_t first, uint32_t last);
/* Appends the statement that marks the code from here on as that of a vertex,
   without its ';'. */
void cc_exits_mark(text *out, const char *table, uint32_t vertex);
/* A function that may be left keeps a frame of its own: it must not be inlined.
   keeps_all: so does each that calls anything, and one that must be inlined is
   left alone. only: of each function whether cc_exits_inlined will tell its one
   call, so that it may be inlined. */
void cc_exits_keep_frames(cc_unit *u, cc_edits *edits, int keeps_all, const uint8_t *only);
/* Tells cc/inside/exits.c the vertex `at` that holds the only call of the function
   whose vertices begin with `first`. */
void cc_exits_inlined(text *front, const char *table, uint32_t first, uint32_t vertices,
                      uint32_t at);
/* The declarations that markers need. */
void cc_exits_front(text *front, const char *table, uint32_t vertices);
#endif
