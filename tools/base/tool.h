/* tool.h - what the subcommands of build/bursty share. One file per subcommand: tools/NAME.c. */
#ifndef TOOL_H
#define TOOL_H
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define TOOL_VERSION "0.1.0"

/* Exit statuses of every subcommand. */
enum { TOOL_OK = 0, TOOL_FAILED = 1, TOOL_BAD_INPUT = 2 };

/* "bursty: " and the message on standard error; returns TOOL_BAD_INPUT. Messages name file, offset and reason. */
int tool_error(const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 1, 2)))
#endif
    ;

/* The same with what the system said last: "bursty: PATH: No such file or directory". */
int tool_system_error(const char *path);

/* malloc that ends the program with a message when there is no memory. */
void *tool_alloc(size_t bytes);
void *tool_grow(void *memory, size_t bytes);

/* The whole of a file ("-": standard input). NULL after a message when it cannot be read. */
unsigned char *tool_read_file(const char *path, size_t *size);

/* Standard input or output without the line end translation that Windows does. Returns file. */
FILE *tool_binary(FILE *file);

int cmd_report(int argc, char **argv);
int cmd_merge(int argc, char **argv);
int cmd_replay(int argc, char **argv);          /* dispatches on argv[1]: hcct, calls, footprint */
int replay_hcct(int argc, char **argv);
int replay_calls(int argc, char **argv);
int replay_footprint(int argc, char **argv);
int replay_edges(int argc, char **argv);
#endif
