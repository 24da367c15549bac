/* gcov.h - coverage of objects that gcc --coverage has made, without libgcov
   and without a file system.

   Compile your code with gcc 12 or 13 and --coverage as always. Link it with
   record/inside/hooks/gcov.c instead of libgcov, that is, without --coverage on the
   linker's line. Call gcov_dump when you like. It hands you, file after file,
   the bytes of a .gcda. Save them under their names beside the .gcno files:
   gcov and everything that builds on it reads them. */
#ifndef BURSTY_RECORD_GCOV_H
#define BURSTY_RECORD_GCOV_H
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Writes all objects. name is called before the bytes of each file; 0: go on.
   Returns 0, or -1: name or write stopped it, or an object was made by a gcc
   whose data this file does not know. */
int gcov_dump(int (*name)(void *user, const char *file),
              int (*write)(void *user, const void *data, size_t size), void *user);
/* Sets all counters to 0. */
void gcov_reset(void);
/* Adds an object that has no constructors: one entry of the section that
   -fprofile-info-section=NAME makes. */
void gcov_add(void *info);

#ifdef __cplusplus
}
#endif
#endif
