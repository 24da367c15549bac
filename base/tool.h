/* tool.h - what the subcommands of build/bursty and build/bursty-lab share. */
#ifndef TOOL_H
#define TOOL_H
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define TOOL_VERSION "0.2.0"

/* Exit statuses of every subcommand. FOUND: all went well, and what the user
   wanted to be told of was found (--fail-if, --fail-under). */
enum { TOOL_OK = 0, TOOL_FAILED = 1, TOOL_BAD_INPUT = 2, TOOL_FOUND = 3 };

/* Who speaks in messages: "bursty", unless the main of another program says
   otherwise. */
extern const char *tool_program;

/* "bursty: " and the message on standard error; returns TOOL_BAD_INPUT.
   Messages name file, offset and reason. */
int tool_error(const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 1, 2)))
#endif
    ;

/* The same with what the system said last: "bursty: PATH: No such file or
   directory". */
int tool_system_error(const char *path);

/* malloc that ends the program with a message when there is no memory. */
void *tool_alloc(size_t bytes);
void *tool_grow(void *memory, size_t bytes);
/* Before an item is added: makes room in a list of `type` that has `count` of them, and
   room for `room`. */
#define TOOL_ROOM(type, list, count, room) \
    do { \
        if ((count) < (room)) break; \
        (room) = 2 * (room) + 16; \
        (list) = (type *)tool_grow((void *)(list), (room) * sizeof(type)); \
    } while (0)

/* a + b and a * b, or the most that 64 bits hold. */
uint64_t tool_sum(uint64_t a, uint64_t b);
uint64_t tool_product(uint64_t a, uint64_t b);
/* The greatest common divisor. */
uint64_t tool_divisor(uint64_t a, uint64_t b);
/* -1, 0 or 1: a is less, equal, greater. */
int tool_order(uint64_t a, uint64_t b);

/* The whole of a file ("-": standard input); of one that does not begin with
   magic (NULL: any) only the first bytes. NULL after a message when it cannot
   be read. */
unsigned char *tool_read_file(const char *path, const char *magic, size_t *size);

/* For qsort: of strings. */
int tool_by_string(const void *a, const void *b);
/* The name of a file without its folders. */
const char *tool_last_part(const char *path);
/* The name of a file as it is seen from the current directory: without that, if
   it lies there. */
const char *tool_seen_from_here(const char *path);

/* The current directory, or "." if it has no name. */
const char *tool_here(void);

/* When a file was last written, in seconds since 1970. 0 if that is not
   known. */
uint64_t tool_file_time(const char *path);
/* The same for people: "2026-11-22 14:03 UTC". 0 if that is not known. */
int tool_file_date(const char *path, char *date, size_t size);

/* Standard input or output without the line end translation that Windows does.
   Returns file. */
FILE *tool_binary(FILE *file);

/* ---- options ---- */

/* Walks over arguments: --NAME, --NAME=VALUE, --NAME VALUE, -o VALUE. Files are
   moved to the front of argv, in their order; `files` counts them. "-" is a
   file, and so is everything behind "--". */
typedef struct tool_option {
    char **argv;
    int argc, at, files, only_files;
    const char *name;                             /* of the current option, up to its '=' */
    size_t name_size;
    const char *value;                            /* behind its '=', or taken by tool_value; NULL */
    const char *many;                             /* see tool_options_once; NULL: all may */
    const char *fault; /* then tool_is says no, and tool_no_option says this; or NULL */
    int is_taken;
    const char *seen[32];
    size_t seen_size[32], seen_count;
} tool_option;

void tool_options(tool_option *o, int argc, char **argv);
/* For a command of which no option may stand twice but some, such as "--note
   --base" ("": none), and whose options without a value must have none behind a
   '='. */
void tool_options_once(tool_option *o, int argc, char **argv, const char *many);
/* Goes to the next option. Returns 0 when there is none left. */
int tool_next(tool_option *o);
/* Is it that option, such as "--" "json"? */
int tool_is(const tool_option *o, const char *dashes, const char *name);
/* Its value, if need be the next argument. NULL after a message when there is
   none. */
const char *tool_value(tool_option *o);
/* Says that the command has no such option. */
int tool_no_option(const tool_option *o, const char *command);
/* Says that the command got no file; wanted is what to give, as in its usage
   line. */
int tool_no_input(const char *command, const char *wanted);
/* Sizes of caches, such as 48k,2m, each larger than the one before. Returns how
   many there are, at most `most`; 0 after a message. */
int tool_sizes(const char *option, const char *said, uint64_t *sizes, int most);
/* Is --help or -h among the options? */
int tool_wants_help(int argc, char **argv);

/* ---- subcommands ---- */

/* A subcommand: `bursty NAME` (NAME.c defines command_NAME) or
   `bursty-lab NAME` (a file of lab/ defines lab_NAME). argv[0] is the name.
   Returns a TOOL_ status. */
typedef struct tool_command {
    const char *name, *about;
    int (*run)(int argc, char **argv);
} tool_command;

/* Finds argv[0] in a list and runs it. If it is not there, a message says how
   to list them. */
int tool_run(const tool_command *const *list, int argc, char **argv);

/* Ends a program: what a subcommand printed counts only when it has reached
   standard output. Returns the status to leave with. */
int tool_end(int status);

extern const tool_command *const command_list[];      /* ended by NULL */
extern const tool_command *const lab_list[];
#endif
