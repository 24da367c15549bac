/* debugfile.h - where the symbols of a stripped ELF file stand: in
   /usr/lib/debug by its build id, or beside it by .gnu_debuglink. */
#ifndef DEBUGFILE_H
#define DEBUGFILE_H
#include "base/elf.h"

/* A regular file, mapped for reading, for ever; NULL if it is none. For
   systems with mmap. */
const unsigned char *debugfile_map(const char *path, size_t *size);

/* The build id of *e, whose sections have been found, or NULL. */
const unsigned char *debugfile_id(const elf_file *e, size_t *size);

/* Fills *debug with the debug file of *e, whose sections have been found, and
   which is at `path` as a process sees it that has its root at `root` ("": our
   own). It stays mapped. A file that a link names must have the same build id,
   if both have one. Returns 0, or -1 if there is none. */
int debugfile_find(const elf_file *e, const char *path, const char *root, elf_file *debug);

/* The same of the compressed one within, .gnu_debugdata, which liblzma opens if it
   is installed. */
int debugfile_inside(const elf_file *e, elf_file *debug);
#endif
