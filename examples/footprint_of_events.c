/* footprint_of_events.c - bursty.h decides when to look, footprint.h says how much data the bursts
   touch: the two meet in one function of seven lines. A burst is a window of its own kind (accesses
   between bursts are not seen), so bursts are made long here, and only windows up to a burst's
   length are asked for. */
#define BURSTY_IMPLEMENTATION
#include "bursty.h"
#define FOOTPRINT_IMPLEMENTATION
#include "footprint.h"
#include <stdio.h>

enum { ROWS = 400, BURST = 4000 };
static int matrix[ROWS][ROWS];

typedef struct burst {
    footprint fp;
    footprint_profile sum;
    uint64_t memory[80000], table[30000], sums[30000];
} burst;

/* No window may span two bursts: each burst is tracked anew, and its profile is added. */
static void on_event(void *user, const bursty_event *e) {
    burst *b = (burst *)user;
    static footprint_config config;
    footprint_profile p;
    config.window_max = BURST;
    config.flags = FOOTPRINT_FORGET;
    if (e->kind == BURSTY_BEGIN)
        (void)footprint_init(&b->fp, b->memory, sizeof b->memory, &config);
    else if (e->kind != BURSTY_END)
        footprint_reference(&b->fp, (const void *)e->value, sizeof(int));
    else if (footprint_snapshot(&b->fp, &p, b->table, sizeof b->table) == 0) {
        if (!b->sum.at_least)
            (void)footprint_profile_init(&b->sum, p.rows + 40, p.columns, 0, b->sums, sizeof b->sums);
        (void)footprint_add(&b->sum, &p);
    }
}

static BURST_DUAL(long, by_rows, (int n), (n)) {
    long sum = 0;
    int i, k;
    for (i = 0; i < n; i++)
        for (k = 0; k < n; k++)
            BURST_BODY({
                BURST_REF(BURSTY_LOAD, &matrix[i][k]);
                sum += matrix[i][k];
            })
    return sum;
}

static BURST_DUAL(long, by_columns, (int n), (n)) {
    long sum = 0;
    int i, k;
    for (i = 0; i < n; i++)
        for (k = 0; k < n; k++)
            BURST_BODY({
                BURST_REF(BURSTY_LOAD, &matrix[k][i]);
                sum += matrix[k][i];
            })
    return sum;
}

int main(void) {
    static burst rows, columns;
    burst *both[2];
    static bursty_profile profile;
    long sum = 0;
    int i, turn;
    both[0] = &rows;
    both[1] = &columns;
    bursty_start(NULL);
    profile.every = 100000;
    profile.burst = BURST;
    profile.classes = BURSTY_LOAD | BURSTY_BEGIN | BURSTY_END;
    profile.action = on_event;
    for (turn = 0; turn < 2; turn++) {
        profile.user = both[turn];
        bursty_set_profile(1, &profile);
        for (i = 0; i < 20; i++) sum += turn ? by_columns(ROWS) : by_rows(ROWS);
    }
    bursty_set_profile(1, NULL);
    for (turn = 0; turn < 2; turn++) {
        const footprint_profile *p = &both[turn]->sum;
        if (p->at_least)
            printf("%-11s half of the windows of 1000 loads touch up to %3u blocks of 64 bytes; "
                   "a cache of 64 blocks misses %.3f of the loads\n",
                   turn ? "by columns:" : "by rows:",
                   (unsigned)footprint_bin_high(footprint_percentile(p, footprint_bin(1000), 50)),
                   footprint_miss_ratio(p, 64));
    }
    return sum != 0;
}
