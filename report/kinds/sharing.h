/* sharing.h - cache lines that threads use together (parts of kind 14), by
   what lies on them, added up over files and runs. */
#ifndef KINDS_SHARING_H
#define KINDS_SHARING_H
#include "base/kind.h"

enum { SHARED_WHOLE = 1, SHARED_KNOWS_ENDS = 2 };  /* flags: every access was seen; ends of threads were told */
enum { SHARED_FALSE = 1, SHARED_TRUE = 2 };       /* other bytes meet; the same ones do */

/* An instruction of a thread. */
typedef struct shared_side {
    uint32_t meets, thread;
    char *function, *object;
    char *place; /* FILE:LINE; or a file, a tab and an address in it; or empty */
    uint64_t offset, bytes, loads, stores;        /* of the object */
} shared_side;

/* Lines with the same objects on them. */
typedef struct shared_line {
    uint32_t meets;
    uint64_t lines, threads, accesses, contended, falsely;
    uint64_t bursts, together, yy, yr;            /* docs/formats.md */
    shared_side *sides;
    size_t side_count;
    char *objects;                                /* their names, with tabs between them */
} shared_line;

typedef struct shared_part {
    char *program;
    uint32_t flags, every, burst;
    uint64_t near_ms, bursts, accesses, rr, slow, cut, forgotten, lost, left;
    shared_line *lines;                           /* by objects */
    size_t line_count, line_room;
} shared_part;

typedef struct shared_parts {
    shared_part *parts;
    size_t count;
} shared_parts;

/* Writes what has been read or settled, as one part. */
void shared_write(const shared_part *p, text *out);

extern const part_kind kind_sharing;              /* its state is shared_parts */
#endif
