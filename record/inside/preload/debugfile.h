/* debugfile.h - sections of ELF files, and debug files, for the symbols of data
   that objects.c must know while the program runs. Names of code are made by the
   tool. */
#ifndef DEBUGFILE_H
#define DEBUGFILE_H
#include <stddef.h>

/* A section by its name, inside of an ELF file's bounds. Returns whether there
   is one. */
typedef struct debugfile_section {
    const unsigned char *bytes;
    size_t size;
} debugfile_section;
int debugfile_section_of(const char *file, size_t size, const char *name, debugfile_section *out);
/* Finds more symbols of the file at `path`, whose bytes are file[0..size): in
   *bytes_out an ELF file of the same addresses. Returns whether there is one.
   number: 0, 1 ... until it returns 0. */
int debugfile_find(const char *path, const char *file, size_t size, int number,
                   const char **bytes_out, size_t *size_out);
#endif
