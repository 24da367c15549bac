/* answers.h - what a compiler once answered, in the cache: starting it to ask
   takes as long as a small file. */
#ifndef CC_ANSWERS_H
#define CC_ANSWERS_H
#include "cc/run/arguments.h"

/* A question to a compiler, and where its answer is kept. */
typedef struct cc_answer cc_answer;

/* What tells the question from others is a number of its text, of the words (or
   NULL) that go with it but for the user's macros, of this tool, of the
   compiler's program and the state of its file, and of what environment and
   files with options it obeys. NULL if nobody can say whether the compiler is
   still the same: it is a script, or one that finds another, as ccache does; or
   a word names a file with more words; or if there is no cache. */
cc_answer *cc_answer_of(const cc_line *line, const char *question, const cc_command *words);
/* The answer, to be freed; NULL if none is kept. a: may be NULL. */
char *cc_answer_read(const cc_answer *a);
/* Keeps it: complete, or not at all. a: may be NULL. */
void cc_answer_keep(const cc_answer *a, const char *answer);
void cc_answer_free(cc_answer *a);
#endif
