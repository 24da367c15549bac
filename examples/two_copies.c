/* two_copies.c - checks by hand and code in two copies, as in "Bursty Tracing": which data does an
   interpreter use one after the other? The plain copy of its loop has a check and nothing else. In a
   burst the second copy tells hotstream.h each reference, in order, with nothing left out. So what
   stands in a hot data stream did follow each other. */
#define BURSTY_IMPLEMENTATION
#include "bursty.h"
#define HOTSTREAM_IMPLEMENTATION
#include "hotstream.h"
#include <stdio.h>
#include <string.h>

enum { PUSH, ADD, JUMP_IF, STOP };
typedef struct machine {
    int stack[16], depth, steps, finished;
} machine;

/* Adds 1 to what is on the stack until it is 12. */
static const int program[] = { PUSH, 0, PUSH, 1, ADD, JUMP_IF, 2, STOP };

/* A small function without a check of its own. */
static BURST_DUAL_LEAF(int, pop, (machine * m), (m)) {
    BURST_REF(BURSTY_LOAD, &m->stack[m->depth - 1]);
    return m->stack[--m->depth];
}

static BURST_DUAL(int, run, (machine * m), (m)) {
    int at = 0, result;
    m->depth = 0;
    while (program[at] != STOP)
        BURST_BODY({
            BURST_REF(BURSTY_LOAD, &program[at]);
            switch (program[at]) {
            case PUSH:
                m->stack[m->depth++] = program[at + 1];
                BURST_REF(BURSTY_STORE, &m->stack[m->depth - 1]);
                at += 2;
                break;
            case ADD:
                result = BURST_SAME(pop, (m));
                m->stack[m->depth - 1] += result;
                at++;
                break;
            default:
                at = m->stack[m->depth - 1] < 12 ? program[at + 1] : at + 2;
                break;
            }
            m->steps++;
        })
    result = pop(m);
    BURST_REF(BURSTY_STORE, &m->finished); /* behind the loop: recorded as well */
    m->finished++;
    return result;
}

int main(void) {
    static machine m;
    static uint64_t memory[1 << 16];
    static hotstream streams;
    static char name[HOTSTREAM_NAME_BYTES];
    hotstream_stream top[3];
    bursty_profile profile;
    size_t count, i, k;
    long sum = 0;
    int round, live = 0;
    memset(&profile, 0, sizeof profile);
    profile.every = 5000; /* the paper's nCheck0 */
    profile.burst = 200;  /* and nInstr0: long bursts, rarely */
    if (hotstream_init(&streams, memory, sizeof memory, NULL) == 0) return 1;
    hotstream_attach(&streams, &profile);
    bursty_start(NULL);
    bursty_set_profile(0, &profile);
    for (round = 0; round < 50000; round++) {
        if (BURST_CHECK()) live++;
        sum += run(&m);
    }
    count = hotstream_top(&streams, top, 3);
    printf("%d of %d rounds began in a burst; %lu hot streams, the hottest:\n", live, round,
           (unsigned long)count);
    for (k = 0; count && k < top[0].length && k < 12; k++) {
        hotstream_site_name(name, top[0].items[k].site); /* "&program[at]", a tab, file and line */
        printf(" %.*s", (int)strcspn(name, "\t"), name);
    }
    printf("\n");
    for (i = 0; i < 3 && i < count; i++) {
        printf("%lu references, %lu times\n", (unsigned long)top[i].length,
               (unsigned long)top[i].frequency);
    }
#ifdef BURSTY_OFF
    return sum != 50000L * 12 || count != 0;
#else
    return sum != 50000L * 12 || count == 0 || live == 0;
#endif
}
