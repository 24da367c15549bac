/* answers.h - what a compiler once answered, in the cache: starting it to ask
   takes as long as a small file. */
#ifndef CC_ANSWERS_H
#define CC_ANSWERS_H
#include "cc/run/arguments.h"

/* Where the answer to a question to the line's compiler is kept. The name is a
   number of the question, of the words (or NULL) that go with it, of this tool,
   of the compiler's program with its size and time, and of what environment it
   obeys. NULL if nobody can say whether the compiler is still the same: it is a
   script, or one that finds another, as ccache does; or a word names a file
   with more words. To be freed. */
char *cc_answer_path(const cc_line *line, const char *question, const cc_command *words);
/* The answer kept there, one line, to be freed; NULL if there is none. path: may
   be NULL. */
char *cc_answer_read(const char *path);
/* Keeps it: complete, or not at all. */
void cc_answer_keep(const char *path, const char *answer);
#endif
