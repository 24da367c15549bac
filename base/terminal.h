/* terminal.h - what the user's terminal can show. */
#ifndef TERMINAL_H
#define TERMINAL_H
#include <stddef.h>

/* Columns of what goes to path (NULL or "-": standard output): as COLUMNS says,
   else the terminal; 0: no limit. */
size_t terminal_width(const char *path);
/* How many columns and lines the terminal of standard output has; 80 and 24 if that
   is not known. */
void terminal_size(size_t *columns, size_t *lines);
/* Does somebody see what goes to standard error? */
int terminal_is_watched(void);
/* Is it a terminal, and NO_COLOR not set? */
int terminal_has_colour(const char *path);
#endif
