/* places_format.h - addresses in, names out: how a recorder writes a place in the code
   where a dump has a name or a file. The tool makes names of it when the program
   has ended, or when it reads the dump first.

   A place stands in a string, alone or among words ("heap of PLACE < PLACE"):

       \1 WHAT MODULE : ADDRESS \2          both numbers in hexadecimal

   A part of kind 25 lists the modules. Its places stand in the parts before it,
   up to the one before of that kind:

       version, process, time (s), count, and for each module
           flags, path, build id, bytes and time (ns) of the file
       and to the end, for functions whose file may be gone,
           module, address, name */
#ifndef RECORD_PLACES_FORMAT_H
#define RECORD_PLACES_FORMAT_H

enum { PLACES_KIND = 25, PLACES_VERSION = 1 };
enum {
    PLACES_NAME = 'f',          /* the name of the function that begins there */
    PLACES_AROUND = 'a',        /* of what is around it: code without unwind tables */
    PLACES_MADE = 'm',          /* of code that the program made: no module, an address in memory */
    PLACES_WHERE = 'w',         /* "FILE tab ADDRESS tab BUILD ID", */
    PLACES_WHERE_AROUND = 'l'   /* of where that begins which is around it */
};
/* Modules count from 1. Flags of one: it is the program; addresses in it are
   offsets in its file; the file was replaced or removed while it was mapped. */
enum { PLACES_PROGRAM = 1, PLACES_BY_OFFSET = 2, PLACES_CHANGED = 4 };
#define PLACES_FORMAT "\1%c%x:%lx\2"
#endif
