/* refs walk 24 | also main | status 0
   24 objects are visited in the same order, again and again: one stream of 24
   references has nearly all of them. */
#include "world.h"
typedef struct object {
    struct object *next;
    unsigned long value;
    char rest[112];
} object;
static object *first;
static volatile unsigned sum; /* with it, a call cannot stand for all */
KEEP unsigned walk(void);
KEEP unsigned walk(void) {
    unsigned x = 0;
    object *at;
    for (at = first; at; at = at->next) x += (unsigned)at->value;
    sum += x;
    return x;
}
int main(void) {
    unsigned i;
    unsigned x = 0;
    for (i = 0; i < 24; i++) {
        object *made = (object *)calloc(1, sizeof *made);
        made->next = first;
        made->value = i;
        first = made;
    }
    for (i = 0; i < 6000; i++) x += walk();
    printf("%u\n", x);
    return 0;
}
