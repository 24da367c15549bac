/* tree.h - what a preprocessed C file holds: functions, their statements, and
   of their expressions what decides or calls.

   A node names a range of tokens, first .. last (last belongs to it). Nodes are
   numbers into one array; 0 is none. The parser keeps no types: an expression
   is a list of the calls, `&& || ?:` and statement expressions in it, in the
   order in which they run. */
#ifndef CC_TREE_H
#define CC_TREE_H
#include "base/text.h"
#include "cc/read/token.h"

typedef enum cc_node_kind {
    CC_NONE,
    /* statements; `next` leads to the next one of a block */
    CC_N_BLOCK,       /* kid[0]: first statement                                                  */
    CC_N_IF,          /* kid: condition, then, else                                               */
    CC_N_WHILE,       /* kid: condition, body                                                     */
    CC_N_DO,          /* kid: condition, body                                                     */
    CC_N_FOR,         /* kid: condition, body, init, increment; a, b: its two ';'                 */
    CC_N_SWITCH,      /* kid: value, body                                                         */
    CC_N_CASE,        /* kid[1]: the statement behind it; a: the ':'                              */
    CC_N_DEFAULT,     /* the same                                                                 */
    CC_N_LABEL,       /* the same; first: the name                                                */
    CC_N_GOTO,        /* a: the name                                                              */
    CC_N_GOTO_STAR,   /* goto *p; kid[0]: its expression                                          */
    CC_N_BREAK,
    CC_N_CONTINUE,
    CC_N_RETURN,      /* kid[0]: expression or 0                                                  */
    CC_N_SIMPLE,      /* an expression statement; kid[0]: expression                              */
    CC_N_DECLARATION, /* kid[0]: its initialisers                                                 */
    CC_N_EMPTY,       /* ';'                                                                      */
    CC_N_FALLTHROUGH, /* __attribute__((fallthrough));                                            */
    CC_N_ASM,         /* a: 1 for asm goto                                                        */
    CC_N_NESTED,      /* a function in a function                                                 */
    /* expressions */
    CC_N_LIST,        /* kid[0]: first part; parts are chained by next                            */
    CC_N_CALL,        /* first: the callee's name; a: number of arguments; b: where what is called */
                      /* begins                                                                   */
    CC_N_INDIRECT,    /* a call through a pointer; a, b: the same                                 */
    CC_N_CLEANUP,     /* first: the function that runs when a variable of this scope dies         */
    CC_N_AND,         /* kid: left, right; a: the operator                                        */
    CC_N_OR,
    CC_N_CHOICE,      /* kid: condition, second, third; a: '?', b: ':'                            */
    CC_N_ELVIS,       /* a ?: b. kid: condition, third; a, b as above                             */
    CC_N_BODY         /* ({ .. }); kid[0]: the block                                              */
} cc_node_kind;

typedef struct cc_node {
    uint32_t first, last;
    uint32_t kid[4];
    uint32_t next;
    uint32_t a, b;
    uint8_t kind;
} cc_node;

/* What a name means at file level. */
typedef enum cc_meaning { CC_UNKNOWN, CC_FUNCTION, CC_VARIABLE, CC_TYPE_NAME } cc_meaning;

typedef struct cc_name {
    uint32_t token;           /* a place where it stands */
    uint8_t meaning;
    uint8_t taken;            /* CC_TAKEN, CC_CONVERTED: used other than as a direct callee */
    uint8_t flags;            /* of all its declarations: cc_function_flag */
    uint32_t local;           /* number of the function in which it is a local variable, + 1 */
    uint32_t function;        /* number of the function of this name that has a body here, + 1 */
    uint32_t alias;           /* its type, if it is a typedef */
    uint32_t function_row;    /* classes of the function of this name, or 0: see types.c */
    uint32_t object_row;      /* of the functions that objects and members of it lead to, or 0 */
} cc_name;

enum { CC_TAKEN = 1, CC_CONVERTED = 2 };           /* converted: cast to anything, or by assembly */

enum {                        /* of a function: what its declarations say */
    CC_IS_STATIC = 1,
    CC_IS_INLINE = 2,
    CC_IS_EXTERN = 4,
    CC_IS_HIDDEN = 8,
    CC_IS_USED = 16,          /* attribute used, section, or called by the system: constructor */
    CC_IS_SPECIAL = 32,       /* constructor, destructor, interrupt */
    CC_IS_NORETURN = 64,
    CC_IS_WEAK = 128
};

typedef struct cc_function {
    uint32_t start;           /* first token of the definition */
    uint32_t name;            /* token */
    uint32_t open, close;     /* tokens of the body's braces */
    uint32_t parameters;      /* token of their '(' */
    uint32_t root;            /* node of the body */
    uint32_t variadic;        /* 1: `...`, `()` or K&R: the number is not known */
    uint32_t parameter_count;
    uint64_t hash;            /* FNV-1a over the spellings of its tokens */
    const char *reason;       /* why it is left alone, or NULL */
    uint32_t reason_line;
    uint16_t flags;           /* as of cc_name */
    uint8_t gnu_inline;       /* extern inline as gcc understood it before C99 */
    uint8_t naked;
    uint8_t in_system;        /* its body stands in a system header: never touched */
    uint8_t returns;          /* nothing in it leads elsewhere than to its caller (exits.h) */
    uint8_t hard;             /* holds asm goto, a computed goto or __label__ */
} cc_function;

/* of types.c */
typedef struct cc_type { uint32_t kind, what, params; } cc_type;

#define CC_ANY_PARAMS UINT32_MAX
/* A function's address, cast to a pointer to a function: its name, and the
   type's row. */
typedef struct cc_cast { uint32_t name, row, params; } cc_cast;

typedef struct cc_types {
    cc_type *list;
    cc_cast *casts;
    uint32_t count, room, cast_count, cast_room;
    text rows;                /* strings, one behind the other */
    int is_lost;              /* a declaration was too deep: no call has a type */
} cc_types;

typedef struct cc_unit {
    cc_tokens tokens;
    cc_node *nodes;
    uint32_t node_count, node_room;
    cc_function *functions;
    uint32_t function_count, function_room;
    cc_name *names;           /* an open hash table */
    uint32_t name_room, name_count;
    cc_types types;
    text symbols;             /* words of assembly, alias and the like, each ended by a 0 */
    /* of the function that is being parsed */
    uint32_t current;         /* its number + 1 */
    uint32_t depth;
    const char *reason;       /* not NULL: this function is left alone */
    uint32_t reason_token;
} cc_unit;

/* Parses source[0..size), which must stay. Returns 0, or -1 with tokens.reason.
   A function that the parser does not understand has a reason; the others are
   not disturbed. */
int cc_parse(cc_unit *u, const char *source, size_t size);
void cc_unit_free(cc_unit *u);

/* ---- for the parser's own files ---- */

enum { CC_DEEPEST = 700 };    /* statements and brackets in one another */

uint32_t cc_new(cc_unit *u, cc_node_kind kind, uint32_t first, uint32_t last);
/* The entry of a name; with make = 0 it may be NULL. */
cc_name *cc_find(cc_unit *u, uint32_t token, int make);
cc_meaning cc_meaning_of(cc_unit *u, uint32_t token);
/* Notes why the current function is left alone; the first reason stays. */
void cc_give_up(cc_unit *u, uint32_t token, const char *reason);
/* Marks tokens first .. last as never touched. */
void cc_skip(cc_unit *u, uint32_t first, uint32_t last);
/* The token behind attributes, asm names and the like at i, which are
   skipped. */
uint32_t cc_behind_attributes(cc_unit *u, uint32_t i, uint32_t end);
/* Does a type begin at token i (of a cast, a declaration)? */
int cc_begins_type(cc_unit *u, uint32_t i);
/* expression.c: the tokens from first up to end (not in it). */
uint32_t cc_expression(cc_unit *u, uint32_t first, uint32_t end);
uint32_t cc_initialiser(cc_unit *u, uint32_t first, uint32_t end);
/* statement.c: the block whose '{' is token open. */
uint32_t cc_block(cc_unit *u, uint32_t open);
/* A declaration: names become known, initialisers are parsed. From first up to
   end (its ';'). */
uint32_t cc_declaration(cc_unit *u, uint32_t first, uint32_t end, int local);
/* Leaves the function alone if a bound of an array among first .. last calls
   something. */
void cc_refuse_bounds(cc_unit *u, uint32_t first, uint32_t last);
/* types.c: notes what a declaration, the parameters of a function, all structs
   declare. */
void cc_types_declare(cc_unit *u, uint32_t first, uint32_t end);
void cc_types_parameters(cc_unit *u, const cc_function *f);
void cc_types_members(cc_unit *u);
void cc_types_free(cc_unit *u);
/* The row of classes of a CC_N_INDIRECT in f, or 0; and its text. */
uint32_t cc_call_row(cc_unit *u, const cc_function *f, const cc_node *call);
const char *cc_row(const cc_unit *u, uint32_t row);
/* Is the type a function, or does it point to one? */
int cc_leads_to_function(const cc_unit *u, uint32_t type);
/* Notes that the function at token name follows a cast, whose bracket
   opens at `open`. Returns 0, or -1: it is no cast to a pointer to a
   function. */
int cc_types_cast(cc_unit *u, uint32_t open, uint32_t name);
/* unit.c: may the assembly among the tokens first .. last jump or call? */
int cc_assembly_jumps(const cc_unit *u, uint32_t first, uint32_t last);
/* census.c: compares the tokens of a body with the nodes. Returns 0, or -1 with
   a reason. */
int cc_census(cc_unit *u, const cc_function *f);
#endif
