/* prove.h - does every cycle of a linked program pass a check? Read from its
   machine code.

   `bursty place` says what holds on the graph that `bursty cc` read from
   source. This reads what runs: an x86-64 ELF program or shared object, with
   its table of symbols. It shares nothing with the chooser, the reader of C or
   their graph; of the section .bursty.cg it takes one thing, the names of the
   functions that `bursty cc` could give a check.

       image     segments, symbols, relocations, tables of exceptions         read.c, landings.c
       code      one node for each instruction that can be reached            code.c, jumps.c
       checks    which branch leads to the slow path of a check               checks.c
       cycles    what is left of the graph without them                       cycles.c, counted.c
       runs      how many instructions run between two checks                 within.c, strips.c

   A run that never ends and from some time on passes no check is a path without
   end through the graph of

       an instruction -> the next one, or where it jumps
       a call         -> the function that it calls
       a call         -> behind itself, if the function can come back without a check
       a call         -> where an exception lands, if one can leave the function without a check

   for a frame that stays for ever is left by none of its calls, and without
   such a frame there is a descent without end. So: take away the branches that
   are checks. If no cycle is left, every run passes checks for ever or ends.
   Cycles that are left need an excuse, or are named. */
#ifndef PROVE_H
#define PROVE_H
#include "cc/place/place.h"
#include "base/dwarf.h"
#include "cc/prove/instruction.h"

#define PROVE_NONE UINT32_MAX

/* ---- the image ---- */

typedef struct prove_segment { uint64_t address, offset, size, flags; } prove_segment;
typedef struct prove_symbol {
    uint64_t address, end;                      /* end: of what it covers */
    const char *name;
    uint8_t is_own;                             /* bursty cc could give it a check */
    uint8_t is_runtime;                         /* it belongs to the checks themselves */
    uint8_t is_sized;                           /* a function that says where it ends */
    const char *file;                           /* of a local one: the last part of its path */
    uint8_t is_beside;                          /* it stands beside private names of the runtime */
} prove_symbol;
typedef struct prove_import {
    const char *name;
    uint8_t is_silent;                          /* it calls nothing of the program */
    uint8_t is_plain;                           /* as memcpy: a compiler calls it by itself */
    uint8_t never_returns, returns_again;
} prove_import;
/* A word that the dynamic linker fills once: a call through it is a direct
   one. */
typedef struct prove_slot {
    uint64_t address, value;                    /* value: 0, or what it holds */
    uint32_t import;                            /* or the import */
} prove_slot;
typedef struct prove_pad { uint64_t begin, end, pad; } prove_pad;
typedef struct prove_list { uint64_t *list; size_t count, room; } prove_list;

typedef struct prove_image {
    const unsigned char *data;
    elf_file elf;
    prove_segment segments[32];
    uint32_t segment_count;
    uint64_t text_lo, text_hi;
    uint64_t word;                              /* of checks, from the thread's pointer; or 0 */
    int is_program, is_fixed;                   /* it has an entry; its addresses are its own */
    prove_symbol *symbols;                      /* by address, one for each */
    size_t symbol_count, symbol_room;
    prove_import *imports;                      /* by number in the table of dynamic symbols */
    size_t import_count;
    prove_slot *slots;                          /* by address */
    size_t slot_count, slot_room;
    prove_slot *words;                          /* that hold addresses of text: value */
    size_t word_count, word_room;
    uint64_t sealed_lo, sealed_hi;              /* not writable once the program runs */
    prove_pad *pads;                            /* by begin */
    size_t pad_count, pad_room;
    prove_list roots, exported, taken;
    int outside_taken;                          /* a pointer may lead out of the image */
    int library_calls;                          /* even the C library calls into the image */
    int has_names;                              /* it has a section .bursty.cg */
    uint64_t entry;
} prove_image;

enum { PROVE_READ = 0, PROVE_REFUSED = -1, PROVE_FOREIGN = 1 };
/* PROVE_FOREIGN: machine code that is not read; fault says why. graph: its
   names. */
int  prove_read(prove_image *im, const unsigned char *data, size_t size, const graph *g,
                dump_fault *fault);
void prove_read_unwind(prove_image *im, uint64_t address, uint64_t size);
void prove_image_free(prove_image *im);
/* Bytes of the image at an address, or NULL: it has none there. */
const unsigned char *prove_at(const prove_image *im, uint64_t address, uint64_t bytes);
const prove_symbol *prove_symbol_at(const prove_image *im, uint64_t address);
const prove_slot *prove_slot_at(const prove_image *im, uint64_t address);
/* The address in a word of 8 bytes that nobody writes, or 0. */
uint64_t prove_constant(const prove_image *im, uint64_t address);
void prove_list_add(prove_list *l, uint64_t number);
void prove_list_sort(prove_list *l);            /* and each stays once */
int  prove_list_has(const prove_list *l, uint64_t number);

/* ---- the code ---- */

enum { CODE_PLAIN, CODE_BRANCH, CODE_JUMP, CODE_CALL, CODE_CALL_OUT, CODE_CALL_ANY, CODE_JUMP_OUT,
       CODE_JUMP_ANY, CODE_RETURN, CODE_STOP, CODE_UNREAD };

enum { REGISTERS = 16 };

typedef struct prove_node {
    uint64_t address;
    uint32_t to, next;                          /* nodes: where it jumps or calls; behind it */
    uint32_t import;                            /* of ..._OUT; PROVE_NONE: the runtime */
    uint8_t size, kind;
    uint8_t is_check;
    uint8_t keeps;                              /* a call that keeps all registers */
    uint8_t is_unread;                          /* an indirect jump that was not understood */
    uint8_t is_reached, is_entered;             /* found while it was decoded: back.c */
    uint8_t is_anywhere;                        /* and one to whatever is taken */
} prove_node;

/* What the code names by lea or as a number: node and address. */
typedef struct prove_name { uint64_t address; uint32_t node; } prove_name;
typedef struct prove_edge { uint32_t from, to; } prove_edge;

typedef struct prove_code {
    prove_image *im;
    prove_node *nodes;
    size_t count, room;
    uint32_t *node_of;                          /* of each byte of text: number + 1 */
    prove_edge *extra;                          /* jumps by tables, and to landing pads */
    size_t extra_count, extra_room;
    prove_name *names;
    size_t name_count, name_room;
    const prove_list *known;                    /* data that is named, as was found before */
    size_t done;                                /* nodes that are decoded */
    prove_list labels;                          /* addresses inside of functions that are taken */
    graph_links back;                           /* of each node, what comes before it */
} prove_code;

void prove_decode(prove_code *c, prove_image *im);
void prove_code_free(prove_code *c);
/* The node at an address of text, which is made if there is none; PROVE_NONE
   outside of it. */
uint32_t prove_node_at(prove_code *c, uint64_t address);
/* Finds anew what indirect jumps lead to. */
void prove_jumps(prove_code *c);
/* Makes c->back, without calls and with what follows them. */
void prove_look_back(prove_code *c);
/* Is there no node that nothing leads to? */
int  prove_all_reached(const prove_code *c);
void prove_add_edge(prove_code *c, uint32_t from, uint32_t to);
void prove_find_checks(prove_code *c);

unsigned prove_instruction_of(const prove_code *c, uint32_t node, prove_insn *out);

/* ---- the cycles ---- */

typedef struct prove_cycle {
    uint32_t *path;                             /* vertices, in order: most are nodes */
    size_t count;
    size_t instructions;                        /* of its component */
    int is_recursion;
} prove_cycle;

/* How far a run may go without a check. */
typedef struct prove_runs {
    uint64_t longest, loop, through;            /* of all; of a loop cut into strips */
    uint32_t from, to;                          /* of the longest: nodes */
    size_t strips;                              /* loops that are cut into strips */
    prove_cycle *endless;                       /* loops of which no end was found */
    size_t endless_count, endless_room;
    size_t own_endless;                         /* of these, in code of bursty cc */
    size_t outside_calls;                       /* of functions that are not in the image */
    uint32_t unwinding;                         /* functions that return through levels of calls
                                                   of their own */
    uint64_t level;                             /* the most instructions of such a level */
} prove_runs;

typedef struct prove_result {
    prove_runs runs;
    size_t instructions, functions, checks;
    size_t boring, longest, larger, quiet, counted, most_rounds;
    prove_cycle *open, *other;                  /* other: in code that bursty cc did not make */
    size_t open_count, other_count;
    size_t open_room, other_room, larger_room;
    prove_cycle *larger_ones;
    prove_list returning, unread, undecoded;    /* addresses */
    uint64_t any, outside;                      /* numbers of the two vertices that are no nodes */
} prove_result;

void prove_cycles(prove_code *c, const place_rules *rules, prove_result *r);
void prove_result_free(prove_result *r);
/* A loop of one frame: nodes of a component, and the edges between all
   vertices. */
typedef struct prove_loop {
    const prove_code *code;
    const graph_links *links;
    uint32_t *of;                               /* of each vertex: GRAPH_NONE, or its component */
    uint32_t component;
    const uint32_t *nodes;
    size_t count;
    const uint8_t *live;                        /* nodes that can be reached at all */
} prove_loop;
/* After how many rounds is it left, as its code shows? It counts itself, and
   all cycles in it pass the count and its test. Returns 0: that cannot be
   seen. */
uint32_t prove_counted(const prove_loop *l);

/* The same by a budget: each cycle takes something off it, and a check stands
   where it is used up. cost: of nodes, by number. Returns the most instructions
   that run in the loop, or 0: that cannot be seen. */
uint64_t prove_strips(const prove_loop *l, const uint64_t *cost);

/* What is left of the graph without checks. */
typedef struct prove_rest {
    prove_code *code;
    const graph_links *links;
    const uint8_t *gone, *live;
    const uint32_t *component;
    uint32_t any, outside, vertices;
} prove_rest;
/* Fills r->runs, but for the cycles of loops without an end, of which
   endless(user, ..) is told. */
void prove_within(const prove_rest *rest, prove_result *r,
                  void (*endless)(void *user, const uint32_t *nodes, size_t count, uint32_t part,
                                  int is_recursion),
                  void *user);

/* ---- the words ---- */

void prove_show(const prove_code *c, const prove_result *r, uint32_t within, text *out);
/* The whole: prints. Returns a TOOL_ status, or -1: this machine code is not
   read, which *why says. */
int  prove_file(const char *path, const place_rules *rules, char *why, size_t room);
#endif
