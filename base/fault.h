/* fault.h - why bytes of a stranger are refused. */
#ifndef FAULT_H
#define FAULT_H
#include <stddef.h>

/* Why something is refused, and where. */
typedef struct dump_fault { size_t offset; char reason[96]; } dump_fault;

/* Fills *fault; returns -1. */
int  dump_refuse(dump_fault *fault, size_t offset, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 3, 4)))
#endif
    ;
/* "PATH: offset N: reason" as an error; returns TOOL_BAD_INPUT. */
int  dump_blame(const char *path, const dump_fault *fault);
#endif
