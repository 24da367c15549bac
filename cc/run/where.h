/* where.h - names of source files that say the same from every folder. */
#ifndef CC_WHERE_H
#define CC_WHERE_H

/* The absolute name of a file that was named in the current directory, as a new
   string; what
   -ffile-prefix-map and -fprofile-prefix-map of the command, a cc_line, ask for is done. "<stdin>"
   and the like are no files and stay. */
char *cc_where(const void *command, const char *name);
#endif
