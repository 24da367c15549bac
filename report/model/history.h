/* history.h - what a trace tells: counts, the last lines of each stream, acyclic
   paths (Ball and Larus) with their counts. */
#ifndef MODEL_HISTORY_H
#define MODEL_HISTORY_H
#include "report/model/replay.h"

typedef struct history_line {
    uint32_t function, line, depth, times;
    const char *file;
    uint8_t is_certain, is_back;   /* is_back: by longjmp */
} history_line;

typedef struct history_stream {
    uint32_t number, level, thread;
    replay_totals totals;
    history_line *last;            /* the newest last */
    size_t last_count;
} history_stream;

/* From the entry or a loop's head to EXIT or a loop's back-edge. */
typedef struct history_path {
    uint32_t function, count_of, at;   /* vertices: vertex[at] .. */
    uint64_t hash, count;
    int is_cut;                        /* left by longjmp or exit */
} history_path;

typedef struct history_counts {        /* of one function */
    uint64_t entries, blocks;
    uint64_t *edge;
    int64_t *early;                    /* of each vertex: ended there, minus came back there */
    uint8_t *is_back;                  /* of each edge: it closes a loop */
} history_counts;

typedef struct history {
    replay_file *file;
    history_counts *counts;            /* of each function */
    history_stream *streams;
    size_t stream_count;
    replay_totals totals;
    history_path *paths;               /* the most frequent first, when all is read */
    size_t path_count, path_room;
    uint32_t *vertices;
    size_t vertex_count, vertex_room;
    uint32_t *slots;                   /* a hash table of paths: number + 1 */
    size_t slot_room;
    uint64_t edges, witnesses;         /* of all functions' graphs */
    uint64_t branches, bits;           /* that ran, and what bit tracing would have written there */
    uint64_t functions_run;
} history;

typedef struct history_wanted {
    size_t last;                       /* so many lines of each stream; SIZE_MAX: all */
    const char *function;              /* pattern of those whose lines are wanted; NULL: all */
    int wants_paths;
    /* Gets every line in order, if it is not NULL. */
    void (*line)(void *user, const history_stream *s, const history_line *l);
    void *user;
} history_wanted;

const char *history_name(const history *h, uint32_t function);
void history_make(history *h, replay_file *file, const history_wanted *wanted);
void history_free(history *h);
/* Adds the counts as a part of kind 4, as `bursty cc --cover` would have
   counted. */
void history_coverage(const history *h, text *out);
#endif
