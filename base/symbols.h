/* symbols.h - what the places in an ELF file are called: the one reader of
   symbols, for `bursty record`, -p, `bursty top` and whoever reads a dump that
   holds places. Names come from the file's two tables, from its debug file
   (debugfile.h), or Go's own table. Where these have none, .eh_frame_hdr says where
   functions start. Code that a program made itself has its names in a perf map. */
#ifndef SYMBOLS_H
#define SYMBOLS_H
#include "base/elf.h"
#include "base/text.h"

typedef struct symbol {
    uint64_t start, end;            /* as the file counts addresses; end 0: not known */
    const char *name;               /* NULL: none; behind an @ stands its version */
    const char *unit;               /* the file of a function that no other file can call */
    uint32_t user;                  /* for who asks */
    uint32_t twin;                  /* 1: another function has the name; 2: in a unit of that name */
} symbol;

typedef struct symbol_list { symbol *at; size_t count, room; } symbol_list;

typedef struct symbols {            /* all zero: empty */
    symbol_list functions;          /* by start; those of equal starts with a name come last */
    symbol_list labels;             /* global symbols that are no functions, as assembly has them */
    int is_whole;                   /* the file has all of its symbols: no other one was looked for */
    int is_made;                    /* by a perf map: the names are its own */
    uint64_t words;                 /* bytes of all names of files */
} symbols;

/* Adds the names of *e, which is at `path` as a process sees it that has its
   root at `root`. The file stays mapped: names point into it. */
void symbols_read(symbols *s, elf_file *e, const char *path, const char *root);
/* Adds what a JIT compiler wrote into /tmp/perf-PID.map, by then (in seconds; 0:
   ever): of the process's root or ours, of its owner, of us or of root. Returns
   whether there is such a file. */
int symbols_read_map(symbols *s, long pid, unsigned long owner, uint64_t until);
/* The function that an address is in; NULL: none is known. */
symbol *symbols_at(symbols *s, uint64_t address);
/* The function with a name that begins there, */
symbol *symbols_begin(symbols *s, uint64_t address);
/* and what code without unwind tables is in: a function that says how long it is,
   or else the nearest symbol before. */
symbol *symbols_around(symbols *s, uint64_t address);
/* Bytes of its name, without a version. */
size_t symbols_length(const symbols *s, const symbol *f);
/* Its name, at most so many bytes of it. If others have it, too, there is the file
   behind it, as in "helper (b.c)", and the address where files have one name: whoever
   adds up by name tells them apart. */
void symbols_name(const symbols *s, const symbol *f, size_t most, text *out);
/* The address of a file's offset; -1: no segment has it. */
int symbols_address(const elf_file *e, uint64_t offset, uint64_t *address);
void symbols_free(symbols *s);
#endif
