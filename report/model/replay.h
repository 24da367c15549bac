/* replay.h - the file that a program of `bursty cc --trace` writes
   (docs/formats.md), and the path that it tells.

   Between two tokens a function's way is known: from where it stands, one path
   of edges without a witness leads to the edge whose witness comes next. A call
   stops it. So a frame stands at a call until the callee has reached EXIT, and
   goes on with its own next token. */
#ifndef MODEL_REPLAY_H
#define MODEL_REPLAY_H
#include "report/kinds/edges.h"
#include "report/kinds/traced.h"

#define REPLAY_UNKNOWN UINT32_MAX

typedef struct replay_path { /* from a vertex to the edge of a witness */
    uint32_t from, witness;  /* from: + 1; 0: free */
    uint32_t at, count;      /* edges, in `steps` */
} replay_path;

typedef struct replay_function {
    const edges_function *graph;   /* its plan says which edges have a witness */
    const edges_function *elsewhere; /* lines that it has in other files follow it */
    uint32_t elsewhere_count;
    uint32_t edges;                /* without stay edges */
    uint32_t witnesses, *edge_of;  /* the edge of each */
    uint32_t *out_at, *out;        /* edges that leave v: out[out_at[v]] .. */
    uint8_t *calls;                /* of each vertex: does it call something? */
    replay_path *paths;            /* found so far: a hash table */
    uint32_t path_count, path_room, *steps, step_count, step_room;
} replay_function;

typedef struct replay_segment {
    uint32_t stream, sequence, level, thread, skip;
    uint32_t state;                /* 0: open, 1: full, 2: the last one of an ended stream */
    size_t at, size;               /* its bytes behind the head, in the file */
} replay_segment;

typedef struct replay_unit { uint64_t key; uint32_t first, count; } replay_unit;

typedef struct replay_file {
    unsigned char *data;
    size_t size;
    uint32_t process, parent;      /* parent: 0: it is no child of fork */
    int is_ended;                  /* it came to its end: exit or the end of main */
    uint32_t streams_lost, fault;  /* the program's own words: no room, an error number */
    uint32_t segment_bytes, segment_most, claimed;
    uint32_t damaged;              /* segments that cannot be read */
    replay_unit *units;
    uint32_t unit_count;
    replay_function *functions;
    uint32_t function_count;
    replay_segment *segments;      /* by stream and sequence */
    size_t segment_count;
    edges_all edges;
    traced_all traced;
} replay_file;

typedef struct replay_frame {
    uint32_t function;             /* REPLAY_UNKNOWN: whatever was open where the trace begins */
    uint32_t vertex;               /* REPLAY_UNKNOWN: it is known with its next token */
    void *of_user;                 /* NULL at first */
} replay_frame;

/* What comes of a replay. Each function may be NULL. */
typedef struct replay_user {
    void *user;
    /* A function is entered, and left: early: not by EXIT. is_own: 0: its parent
       did it before fork. */
    void (*enter)(void *user, replay_frame *top, uint32_t depth, int is_own);
    void (*leave)(void *user, replay_frame *top, uint32_t depth, int is_early);
    /* The top frame goes over an edge; it stands at its target already. */
    void (*edge)(void *user, replay_frame *top, uint32_t edge, int is_own);
    /* The top frame is in a block. is_certain: 0: it may have run, where the
       trace was cut off. */
    void (*block)(void *user, replay_frame *top, uint32_t depth, int is_own, int is_certain);
    /* longjmp: the top frame, which stood at `from`, is at the block of setjmp
       again. */
    void (*resume)(void *user, replay_frame *top, uint32_t depth, uint32_t from);
    /* Whatever was open is not known any more. */
    void (*lose)(void *user);
    /* From here on it is not the parent's path any more: what is open. */
    void (*own)(void *user, replay_frame *frames, uint32_t depth);
} replay_user;

/* What a stream, or all of them, came to. */
typedef struct replay_totals {
    uint64_t tokens, bytes, witnesses, enters, blocks, skipped;
    uint64_t lost_segments, misfits;
    const char *misfit;            /* why, of the first */
    int is_cut;                    /* it has no end: what runs behind its last token is not certain */
    int begins_late;               /* its beginning was overwritten */
} replay_totals;

/* The checksum of heads and segments: FNV-1a over words of eight bytes, the last
   one filled up with zeros. It starts with REPLAY_CHECK and may be
   continued. */
#define REPLAY_CHECK UINT64_C(0xCBF29CE484222325)
uint64_t replay_check(uint64_t hash, const unsigned char *data, size_t size);
/* Does the file begin as a trace? */
int replay_is(const char *path);
/* Returns a TOOL_ status, after a message. */
int replay_open(replay_file *r, const char *path);
/* The same for bytes in memory, which it owns from now on. Returns 0, or -1 with
   *fault filled and only fit to be freed. */
int replay_take(replay_file *r, unsigned char *data, size_t size, dump_fault *fault);
void replay_free(replay_file *r);
/* The segment behind the last of the stream that begins with segment `first`. */
size_t replay_stream_end(const replay_file *r, size_t first);
/* Replays that stream; adds to *t. */
void replay_run(replay_file *r, size_t first, const replay_user *user, replay_totals *t);
#endif
