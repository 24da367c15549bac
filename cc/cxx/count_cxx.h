/* count_cxx.h - C++ that counts: gcc puts the counters in (-fprofile-arcs), and
   what it writes about them becomes tables in the object, as a C file has
   them. */
#ifndef CC_COUNT_CXX_H
#define CC_COUNT_CXX_H
#include "cc/run/arguments.h"
#include "cc/cxx/notes.h"
#include "cc/put/points.h"

typedef struct cc_count_cxx {
    const cc_line *line;
    cc_command words;         /* for the compiler */
    char *notes;              /* the file that it writes */
    char *tables;             /* a file with the tables as assembly */
    char name[32];            /* stands in the object until the notes are known */
} cc_count_cxx;

/* Does the command ask for gcc's own profile? Then C++ is left alone. */
int cc_counts_itself(const cc_line *line);
/* Which sources and functions of the command are wanted. */
void cc_count_files(cc_notes_files *files, const cc_line *line, const cc_choice *choice);
/* folder: of this source alone. */
void cc_count_begin(cc_count_cxx *c, const cc_line *line, const char *folder);
/* After the compiler has made the object, where an object has code. Returns why
   it cannot be told of, or NULL. */
const char *cc_count_end(const cc_count_cxx *c, const cc_choice *choice, const char *object);
/* The same where the linker's step makes the code: then the source is to be
   compiled again, with the words that c has now, and what the linker keeps has
   tables. */
const char *cc_count_again(cc_count_cxx *c, const cc_choice *choice);
void cc_count_free(cc_count_cxx *c);
#endif
