/* footprint_of_events.c - bursty.h decides when to look, footprint.h says how much data the bursts
   touch: the two meet in one function of three lines. No window spans two bursts, nor a gap in one,
   and what a burst finds in a cache is estimated, with an interval, from the bursts that were seen. */
#define BURSTY_IMPLEMENTATION
#include "bursty.h"
#define FOOTPRINT_IMPLEMENTATION
#include "footprint.h"
#include <stdio.h>

enum { ROWS = 400, BURST = 4000 };
static int matrix[ROWS][ROWS];

typedef struct sample {
    footprint fp;
    footprint_profile profile;
    uint64_t memory[100000], table[60000];
} sample;

static void on_event(void *user, const bursty_event *e) {
    sample *s = (sample *)user;
    if (e->kind == BURSTY_END || e->kind == BURSTY_GAP) footprint_burst(&s->fp);
    else if (e->kind != BURSTY_BEGIN)
        footprint_reference(&s->fp, (const void *)e->value, sizeof(int));
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

static void show(const char *name, const footprint_profile *p) {
    double low, high, misses = footprint_miss_ratio(p, 64);
    printf("%s a window of 1000 loads touches %.1f blocks of 64 bytes; ", name,
           footprint_average_of(p, 1000));
    if (footprint_miss_interval(p, 64, &low, &high) == 0)
        printf("a cache of 64 blocks misses %.3f of the loads, between %.3f and %.3f\n", misses,
               low, high);
    else printf("what a cache of 64 blocks misses is not known\n");
}

int main(void) {
    static sample rows, columns;
    sample *both[2];
    static bursty_profile profile;
    static footprint_config config;
    long sum = 0;
    int i, turn;
    both[0] = &rows;
    both[1] = &columns;
    bursty_start(NULL);
    profile.every = 100000;
    profile.burst = BURST;
    profile.classes = BURSTY_LOAD | BURSTY_BEGIN | BURSTY_END | BURSTY_GAP;
    profile.action = on_event;
    config.window_max = BURST;
    config.flags = FOOTPRINT_FORGET | FOOTPRINT_BURSTS;
    for (turn = 0; turn < 2; turn++) {
        sample *s = both[turn];
        if (footprint_init(&s->fp, s->memory, sizeof s->memory, &config) == 0) return 1;
        profile.user = s;
        bursty_set_profile(1, &profile);
        for (i = 0; i < 20; i++) sum += turn ? by_columns(ROWS) : by_rows(ROWS);
    }
    bursty_set_profile(1, NULL);
    for (turn = 0; turn < 2; turn++) {
        sample *s = both[turn];
        if (footprint_snapshot(&s->fp, &s->profile, s->table, sizeof s->table) != 0) return 1;
        show(turn ? "by columns:" : "by rows:   ", &s->profile);
    }
    return sum != 0;
}
