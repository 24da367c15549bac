/* parts.h - what kinds share that keep a list of their parts, and add up those
   of equal keys when all are read. */
#ifndef PARTS_H
#define PARTS_H
#include "base/dump.h"

typedef struct part_rules {
    size_t bytes;                                 /* of a part */
    void (*get)(void *part, dump_reader *r);      /* part is all zero bytes */
    void (*fold)(void *part, int are_same_bursts); /* makes equal rows of a part one */
    int (*by_key)(const void *a, const void *b);  /* 0 for parts that are added up */
    void (*add)(void *to, void *from);            /* and frees what is left of from */
    void (*free)(void *part);
} part_rules;

/* Reads a part and puts it behind the others; *list may move. Returns 0, or -1
   with *fault filled and the list as it was. */
int parts_read(const part_rules *rules, void **list, size_t *count, const dump *d,
               const dump_part *part, dump_fault *fault);
/* Sorts the list, adds up equals and folds what is left. Returns how many that
   are. */
size_t parts_settle(const part_rules *rules, void *list, size_t count);
void parts_free(const part_rules *rules, void *list, size_t count);

/* Moves all rows behind those of another list, which may move: it is
   returned. */
void *parts_join(void *list, size_t *count, size_t *room, const void *rows, size_t *row_count,
                 size_t row_bytes);
#endif
