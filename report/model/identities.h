/* identities.h - functions of several runs, by what tells them apart: name,
   file and line.

   Within a run, two functions are one only if all three are equal. Between the
   two sides of a comparison the program may have changed: a function has moved
   to another line, the file to another folder. So what one side alone has is
   matched with what the other side alone has, among functions of one name:

       1. in the same file, by the order of lines, if both sides have as many;
       2. in files of the same name, if one function is left there on each side;
       3. if one function of that name is left on each side.

   What is left then is on one side alone. */
#ifndef MODEL_IDENTITIES_H
#define MODEL_IDENTITIES_H
#include "base/hash.h"

enum { IDENTITY_IN_BASE = 1, IDENTITY_IN_NEW = 2 };

typedef struct identity {
    char *name, *file; /* owned by the list */
    uint32_t line;
    unsigned sides;
    uint32_t is; /* the function that it was matched with, or itself */
    int has_twin; /* another function has its name */
} identity;

typedef struct identities { /* all zero: empty */
    identity *at;
    size_t count, room;
    hash_table places;
} identities;

/* The number of a function, which is then on that side. Copies both strings. */
uint32_t identities_add(identities *list, const char *name, const char *file, uint32_t line,
                        unsigned side);
/* Call it once, after the last function was added. The function of the new side
   stands for both. */
void identities_match(identities *list);
void identities_free(identities *list);
/* "world.c:12", or nothing. To be freed by the caller. */
char *identity_place(const char *file, uint32_t line);
#endif
