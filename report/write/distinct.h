/* distinct.h - names shortened for a column, so that those that differ still
   look different. */
#ifndef DISTINCT_H
#define DISTINCT_H
#include <stddef.h>

/* Puts in the place of each name, which it leaves as it is, a copy of at most
   so many characters (8 or more), to be freed by the caller. The middle of a
   longer name becomes "..."; where that would make names look the same, the
   part in which they differ stays, and if that is too long, they get numbers:
   #1, #2. */
void distinct_names(char **names, size_t count, size_t most);
#endif
