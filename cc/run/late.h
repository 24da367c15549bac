/* late.h - checks behind the optimizer, by a plugin of gcc or clang
   (cc/plugin). */
#ifndef CC_LATE_H
#define CC_LATE_H
#include "cc/run/arguments.h"
#include "cc/put/points.h"

/* Builds the plugin for a compiler and puts it into the cache. Returns a status,
   after a line that says what was built or what is missing. */
int cc_late_build(int count, char **words);
/* The plugin of the line's compiler, or NULL: none was built for it, as it is
   now. folder: for what is made on the way. To be freed. */
char *cc_late_find(const cc_line *line, const char *folder);
/* Is it for clang? With link-time optimization clang's checks are made when a
   file is compiled, and gcc's by the linker's step. */
int cc_late_is_clangs(const char *plugin);
/* Does the compiler take the plugin? */
int cc_late_loads(const cc_line *line, const char *plugin);
/* Can the pass make such checks? */
int cc_late_can(const cc_choice *choice);
/* The lines of a plan for what is compiled, and the whole plan's number. */
void cc_late_add_plan(cc_command *c, const char *plugin, const char *plan, uint64_t hash);
/* The words with which a compiler runs the pass. */
void cc_late_add(cc_command *c, const char *plugin, const cc_choice *choice);
/* Behind them, where the linker's step makes a program and no shared object: gcc
   does not tell its last step. */
void cc_late_add_program(cc_command *c, const char *plugin);
/* Adds the words for a source of C++ that gcc counts: fewer counters behind
   inlining. */
void cc_late_add_join(cc_command *c, const char *plugin, const cc_line *line);
/* Makes clang's optimizer know lines, without debug information in the
   object. */
void cc_late_lines(cc_command *c);
#endif
