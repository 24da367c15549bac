/* edit.h - insertions into a text, none of which holds a newline, so that lines
   never move. */
#ifndef CC_EDIT_H
#define CC_EDIT_H
#include "base/text.h"

typedef struct cc_edit {
    uint32_t at;              /* byte of the original text */
    uint32_t order;           /* openers count from 2^31 on, closers from 0 */
    uint32_t words, size;     /* place in the words of all insertions */
    uint32_t from, to;        /* bytes of what it belongs to: cc_edit_owner */
} cc_edit;

typedef struct cc_edits {
    char *source;             /* a copy of the text, in which pieces may be blanked */
    size_t size;
    cc_edit *list;
    uint32_t count, room, openers, closers;
    uint32_t from, to;        /* of the insertions that follow */
    int sorted;
    text words;
} cc_edits;

/* At one place closers stand before openers; each kind in the order in which it
   was added. So a caller that adds openers from outside to inside and closers
   from inside to outside gets text that nests. */
void cc_edit_init(cc_edits *e, const char *source, size_t size);
void cc_insert_open(cc_edits *e, uint32_t at, const char *words);
void cc_insert_close(cc_edits *e, uint32_t at, const char *words);
/* What the insertions that follow belong to: bytes from .. to. */
void cc_edit_owner(cc_edits *e, uint32_t from, uint32_t to);
/* Replaces bytes by blanks; line ends stay. */
void cc_blank(cc_edits *e, uint32_t at, uint32_t size);
/* The text with all insertions; front stands before byte front_at. */
void cc_edit_apply(cc_edits *e, text *out, const char *front, size_t front_at);
/* Bytes from .. to of the text with those insertions that belong to bytes
   inside of them. */
void cc_edit_part(cc_edits *e, text *out, uint32_t from, uint32_t to);
void cc_edit_free(cc_edits *e);
#endif
