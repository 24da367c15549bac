/* match.h - which file of a program a change of a diff is of. */
#ifndef MODEL_MATCH_H
#define MODEL_MATCH_H
#include "report/model/chosen.h"

/* Gives each of files[0..count), which are sorted and each there once, the
   change of the diff that is its own, and each change without a file what speaks
   against it. The names are kept by pointer. */
void match_changes(chosen *c, const char *const *files, size_t count);
/* The change of a file, or NULL. */
chosen_change *match_of(const chosen *c, const char *file);
#endif
