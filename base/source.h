/* source.h - the one door to files that a dump names: sources whose text a
   report shows.

   A dump may come from anybody, and it names the files itself. So a name is
   followed only to a regular file with the name of a source, below a size, that
   lies inside one folder, behind all links. Nothing else is opened, for opening
   alone may hang (a FIFO) or do something (a device). */
#ifndef SOURCE_H
#define SOURCE_H
#include <stdint.h>
#include <stdio.h>

/* The largest source, and all sources of a report together: a dump may name one
   file in many ways. */
enum { SOURCE_MOST = 16 << 20, SOURCES_MOST = 32 << 20 };

typedef struct sources {
    char *root;                                   /* behind all links */
    uint64_t taken;                               /* bytes of what was let in */
} sources;

/* Lets in what lies in that folder; NULL: in the current one. Returns a TOOL_
   status, after a message. */
int  sources_begin(sources *s, const char *root);
/* Why the file of that name cannot be shown, as the rest of a sentence; NULL:
   it can. Its size counts. A name that is not absolute is looked for in the
   folder. */
const char *sources_check(sources *s, const char *name);
/* Opens a file that sources_check let in. At most SOURCE_MOST bytes of it may
   be read. NULL: it is not there any more. */
FILE *sources_open(const sources *s, const char *name);
/* The path of that name behind all links, inside or outside of the folder, to be
   freed; NULL: there is no such file. Nothing is opened. */
char *sources_path(const sources *s, const char *name);
void sources_end(sources *s);
/* Does it have the name of a source, by its ending? */
int sources_is_named(const char *name);
#endif
