/* archive.h - archives of `ar`, also thin ones, from strangers.

   After eight bytes stand members: a header of 60 bytes, then the member's own,
   then one byte if their number is odd. Long names stand in the member "//". A
   thin archive holds names alone: its members are files beside it. */
#ifndef ARCHIVE_H
#define ARCHIVE_H
#include "base/dump.h"

/* Takes one member that is an ELF file. Returns 0, or -1 with *fault filled:
   offsets count from the member's first byte. */
typedef int archive_take(void *user, const char *name, const unsigned char *data, size_t size,
                         dump_fault *fault);

int archive_is(const unsigned char *data, size_t size);
/* Gives out all members that are ELF files. Returns 0, or -1 with *fault filled;
   *status is set after a message about another file. */
int archive_each(const char *path, const unsigned char *data, size_t size, archive_take *take,
                 void *user, dump_fault *fault, int *status);
#endif
