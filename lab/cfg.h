/* cfg.h - control flow graphs with measured counts, from the text files that
   docs/formats.md describes ("cfg"). Three kinds of files hold graphs (L, S and
   G); the fourth, T, holds a trace of blocks and is read by edges_trace.c. */
#ifndef CFG_H
#define CFG_H
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { CFG_UNKNOWN, CFG_BLOCKS, CFG_SOURCE, CFG_GCC }; /* the kinds L, S, G */

/* Calls that are not to a function of the file. */
#define CFG_SILENT (UINT32_MAX - 1)
#define CFG_OPAQUE UINT32_MAX

typedef struct cfg_function {
    char *name;
    uint32_t number; /* as the file has it */
    size_t line;     /* of the file, where it begins */
    uint32_t vertices;
    uint32_t edges; /* those of the file that hold counters, and `stays` behind them */
    uint32_t stays, root, exit;
    uint32_t *ends;            /* pairs */
    uint64_t *count;           /* of each edge; stay edges have 0 until cfg_stay_counts */
    uint64_t *block;           /* of each vertex, how often it ran */
    uint64_t *early, *reentry; /* of each vertex */
    uint64_t entries;
    uint64_t gcov_updates; /* kind G: counter updates that gcov did */
    uint32_t *call_at; /* kind L: calls of v are call[call_at[v]] .. call[call_at[v + 1] - 1] */
    uint32_t *call;    /* an index into functions, CFG_SILENT or CFG_OPAQUE */
} cfg_function;

typedef struct cfg {
    const char *path;
    int kind;
    cfg_function *functions;
    size_t count;
    size_t dropped;  /* vertices that nothing reaches and that never ran */
    uint32_t *index; /* of a function's number, for kind L; see cfg_find */
    size_t index_size;
} cfg;

/* Reads a file whole. Returns TOOL_OK, or TOOL_BAD_INPUT after a message
   "path:line: reason". */
int cfg_open(cfg *c, const char *path);
/* The same for text[0..size), which is written to and has room for one more
   byte. */
int cfg_read(cfg *c, const char *path, char *text, size_t size);
void cfg_free(cfg *c);
/* The place of the function with this number, or SIZE_MAX. */
size_t cfg_find(const cfg *c, uint64_t number);

/* ---- words of lines, also for edges_trace.c ---- */

typedef struct cfg_words {
    const char *path;
    size_t line;
    char *at;
} cfg_words;

/* The next word of the line, cut off with a 0; NULL: there is none. */
char *cfg_word(cfg_words *w);
/* Is `word` a decimal number of at most `most`? Then *number is it. */
int cfg_number(const char *word, uint64_t most, uint64_t *number);
/* "path:line: reason"; returns TOOL_BAD_INPUT. */
int cfg_blame(const cfg_words *w, const char *reason);
#endif
