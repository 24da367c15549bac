/* roots.h - names of sources that are not what they were when the program was
   compiled: what --map says of them, and the folders of several builds of one
   text. */
#ifndef MODEL_ROOTS_H
#define MODEL_ROOTS_H
#include "base/input.h"

/* Is it OLD=NEW? Returns a TOOL_ status, after a message. */
int roots_check(const char *map);
/* Gives files new names, before anything is added up. maps: ended by NULL, or
   NULL. */
void roots_rename(input *in, const char *const *maps);
#endif
