/* handover.h - a way to write for a program that has given up the usual ones,
   for patch.c. */
#ifndef HANDOVER_H
#define HANDOVER_H
#include <stddef.h>
#include <stdint.h>

/* Bytes of the report: text, zeros, and at the end a number of 32 bits, of other
   processes of the program that could not write their files. */
enum { HANDOVER_REPORT = 1 << 16, HANDOVER_FAILED = HANDOVER_REPORT - 4 };

/* Before the program does anything: maps the report, which the tool has made,
   and the file. "-": no report. file NULL: no file to fall back on. */
void handover_open(const char *report, const char *file);
/* The same in another process of the program, as far as handover_failed needs
   it. */
void handover_join(const char *report);
/* This process could not write its file. */
void handover_failed(void);
/* Makes the file as long as that, unless it is, and maps it. Returns NULL if it
   cannot. */
void *handover_map(const char *path, size_t bytes);
/* Adds lines to the report. */
void handover_line(const char *line);
/* Where the report ends now; and cuts it there again. */
size_t handover_mark(void);
void handover_back(size_t mark);
/* What is written comes into the mapped file, from its start. Returns 0, or -1
   with errno. */
int handover_write(void *user, const void *data, size_t size);
/* So many bytes were written, and the tool gives the file its name. */
void handover_whole(void);
/* The file was written in another way; only its name is left to be given. */
void handover_name(size_t bytes);
/* The program forbids itself system calls: this is called right before. */
extern void (*handover_sandbox)(void);
/* The program changes its root, its user or a group: this is called right
   before. */
extern void (*handover_names)(void);
/* Is pc in our `syscall`, which the program calls for the C library's? */
int handover_is_call(uint64_t pc);
/* Keeps room in the file for what is written after that. */
void handover_prepare(void);
#endif
