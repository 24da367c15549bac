/* A list of nodes of 136 bytes: a walk uses three of their fields, which lie in
   three lines, and a name in a block of its own. With -DORDERED the fields stand
   as `bursty report --layout` says. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
typedef struct node {
#ifdef ORDERED
    long value;
    char *name;
    struct node *next;
    long last;
    char cold[56];
    char colder[48];
#else
    struct node *next;
    char cold[56];
    long value;
    char colder[48];
    char *name;
    long last;
#endif
} node;
static node *first;
static long table[16];
__attribute__((noinline)) static node *make_node(long value) {
    node *n = malloc(sizeof *n);
    n->value = value;
    n->last = 0;
    n->name = malloc(24);
    n->name[0] = (char)value;
    return n;
}
__attribute__((noinline)) static long walk(void) {
    const node *n;
    long sum = 0;
    for (n = first; n; n = n->next) sum += n->value + n->name[0];
    return sum + table[3];
}
int main(int argc, char **argv) {
    int count = argc > 1 ? atoi(argv[1]) : 500, rounds = argc > 2 ? atoi(argv[2]) : 200, i;
    long sum = 0;
    for (i = 0; i < count; i++) {
        node *n = make_node(i);
        n->next = first;
        first = n;
    }
    for (i = 0; i < rounds; i++) sum += walk();
    printf("%ld\n", sum);
    return 0;
}
