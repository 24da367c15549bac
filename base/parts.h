/* parts.h - what kinds share that keep a list of their parts, and add up those
   of equal keys when all are read. */
#ifndef PARTS_H
#define PARTS_H
#include "base/dump.h"
#include <string.h>

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

/* The functions of a kind whose state is `parts`, a list of its parts, and their
   `count`. */
#define PARTS_STATE(type, part, rules, write_one) \
    static int read(void *state, const dump *d, const dump_part *of, \
                    dump_fault *fault) { \
        type *s = (type *)state; \
        void *list = s->parts; \
        int status = parts_read(rules, &list, &s->count, d, of, fault); \
        s->parts = (part *)list; \
        return status; \
    } \
    static void settle(void *state) { \
        type *s = (type *)state; \
        s->count = parts_settle(rules, s->parts, s->count); \
    } \
    static void write(void *state, text *out) { \
        const type *s = (const type *)state; \
        size_t i; \
        for (i = 0; i < s->count; i++) write_one(&s->parts[i], out); \
    } \
    static void free_state(void *state) { \
        type *s = (type *)state; \
        parts_free(rules, s->parts, s->count); \
        memset(s, 0, sizeof *s); \
    }

/* Fields of a struct, each a number of 64 bits or an array of them, in the order of the
   file. A list of fields ends with a field whose count is 0. PART_FIELD divides by 0 where a field
   has another size. */
typedef struct part_field {
    size_t at, count;
} part_field;
#define PART_FIELD(type, name) \
    {offsetof(type, name), sizeof ((type *)0)->name / sizeof(uint64_t) / \
                               (sizeof ((type *)0)->name % sizeof(uint64_t) == 0)}
/* Reads them, writes them, adds those of `from` up. */
void part_get(void *of, const part_field *fields, dump_reader *r);
void part_put(const void *of, const part_field *fields, dump_writer *w);
void part_add(void *to, const void *from, const part_field *fields);

/* Moves all rows behind those of another list, which may move: it is
   returned. */
void *parts_join(void *list, size_t *count, size_t *room, const void *rows, size_t *row_count,
                 size_t row_bytes);
#endif
