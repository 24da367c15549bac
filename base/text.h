/* text.h - output that grows in memory, so that a file is opened only when all
   of it is known; and the escapes. */
#ifndef TEXT_H
#define TEXT_H
#include <stddef.h>
#include <stdint.h>

typedef struct text { char *data; size_t size, room; } text;      /* all zero: empty */

void text_bytes(text *t, const void *data, size_t size);
void text_add(text *t, const char *words);
void text_number(text *t, uint64_t number);                       /* 1234567 */
void text_real(text *t, double number);                           /* a part, or a large count */
void text_count(text *t, uint64_t number);                        /* 1 234 567 */
void text_counted(text *t, uint64_t number, const char *noun);    /* 1 call, 2 calls, 3 accesses */
/* At most 511 bytes; for numbers, not for names. */
void text_format(text *t, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;
/* Adds blanks, so that data[from..] is that many columns. */
void text_pad(text *t, size_t from, size_t width, int right);
void text_free(text *t);
char *text_take(text *t);         /* its bytes as a string, to be freed by the caller; t becomes empty */
int  text_write(void *t, const void *data, size_t size);         /* a header's write callback */

/* Names, already clean (below), made safe for what they go into. */
void text_json(text *t, const char *name); /* with its quotes; fit for a script element too */
void text_html(text *t, const char *name);
void text_frame(text *t, const char *name); /* in a stack: no ';', no line end, not empty */
/* A field of CSV: in quotes if need be, and a quote within becomes two. A
   spreadsheet takes words that begin with one of "=+-@" for a formula, which
   may do harm: an apostrophe stands before them. */
void text_csv(text *t, const char *field);
/* On a terminal: control characters, and those that turn the direction of
   writing, are escapes. */
void text_plain(text *t, const char *name);

/* A word to be typed to a shell: in quotes if need be. */
void text_shell(text *t, const char *word);

/* The same as text_plain in at most so many characters (8 or more): the middle of a longer
   name becomes "...". */
void text_plain_short(text *t, const char *name, size_t most);
void text_short(text *t, const char *name, size_t most);          /* but nothing is made safe */

/* A copy in which every byte that is not UTF-8, and every zero byte, has become
   U+FFFD. To be freed by the caller. */
char *text_clean(const void *bytes, size_t size);

/* The same for a name out of a file. Of a name of more than TEXT_NAME_MOST
   bytes the middle becomes a hash of all of it: names that differ stay
   different, and a row that points at a long name costs no more than a row of
   its own length. */
enum { TEXT_NAME_MOST = 4096 };
char *text_name(const void *bytes, size_t size);

#endif
