/* mcdc.c - see mcdc.h. Sets of runs and of conditions are words of 64 bits. */
#include "report/model/mcdc.h"
#include <string.h>

uint32_t mcdc_count_bits(uint64_t bits) {
    uint32_t count = 0;
    for (; bits; bits &= bits - 1) count++;
    return count;
}

static uint64_t bit(uint32_t i) { return (uint64_t)1 << i; }

/* Which outcomes (bit 0 false, bit 1 true) can be reached from `from`, when the
   conditions that a run evaluated keep their values and all others may have
   any. */
static int outcomes_from(const decided *d, const mcdc_run *run, uint32_t from) {
    uint8_t reach[DECISION_RUNS_MOST + 2];
    uint32_t i;
    reach[d->count] = 1;
    reach[d->count + 1] = 2;
    for (i = d->count; i > 0; i--) {
        int yes = reach[decisions_target(d, i - 1, 1)], no = reach[decisions_target(d, i - 1, 0)];
        if (!(run->evaluated & bit(i - 1))) reach[i - 1] = (uint8_t)(yes | no);
        else reach[i - 1] = (uint8_t)(run->value & bit(i - 1) ? yes : no);
    }
    return reach[from];
}

static void decode(const decided *d, const uint32_t *paths, uint32_t number, mcdc_run *run) {
    uint32_t i = 0;
    memset(run, 0, sizeof *run);
    while (i < d->count) {
        uint32_t yes = decisions_target(d, i, 1);
        run->evaluated |= bit(i);
        if (number < paths[yes]) {
            run->value |= bit(i);
            i = yes;
        } else {
            number -= paths[yes];
            i = decisions_target(d, i, 0);
        }
    }
    run->outcome = i == d->count + 1;
    for (i = 0; i < d->count; i++) {
        int other = run->value & bit(i) ? 0 : 1;
        if (!(run->evaluated & bit(i))) continue;
        if (outcomes_from(d, run, decisions_target(d, i, other)) & (run->outcome ? 1 : 2))
            run->independent |= bit(i);
    }
}

uint32_t mcdc_runs(const decided *d, mcdc_run runs[DECISION_RUNS_MOST]) {
    uint32_t paths[DECISION_RUNS_MOST + 2], r;
    if (d->runs == 0 || d->count > DECISION_RUNS_MOST) return 0;
    decisions_paths(d, paths);
    for (r = 0; r < d->runs; r++) decode(d, paths, r, &runs[r]);
    return d->runs;
}

/* The conditions that two runs show together. */
static uint64_t shown_by(const mcdc_run *a, const mcdc_run *b, int unique) {
    uint64_t differ = a->evaluated & b->evaluated & (a->value ^ b->value);
    if (a->outcome == b->outcome) return 0;
    if (!unique) return differ & a->independent & b->independent;
    return differ & (differ - 1) ? 0 : differ;
}

/* The lowest bit of a set that is not empty. */
static uint32_t lowest(uint64_t set) {
    uint32_t i = 0, step;
    for (step = 32; step; step /= 2) {
        if (set << (64 - step) != 0) continue;
        set >>= step;
        i += step;
    }
    return i;
}

void mcdc_pair_up(const decided *d, const mcdc_run *runs, int unique, mcdc_pairs *pairs) {
    uint32_t a, b, i;
    for (i = 0; i < d->count && i < DECISION_RUNS_MOST; i++)
        memset(pairs->partners[i], 0, sizeof pairs->partners[i]);
    for (a = 0; a < d->runs; a++) {
        for (b = 0; b < a; b++) {
            uint64_t by = shown_by(&runs[a], &runs[b], unique);
            for (; by; by &= by - 1) {
                i = lowest(by);
                pairs->partners[i][a] |= bit(b);
                pairs->partners[i][b] |= bit(a);
            }
        }
    }
}

void mcdc_show(const decided *d, const mcdc_run *runs, const mcdc_pairs *pairs, uint64_t seen,
               mcdc_shown *out) {
    uint64_t alone[2] = {0, 0}, shown = 0;
    uint32_t r, i;
    out->possible = 0;
    for (r = 0; r < d->runs; r++) {
        for (i = 0; i < d->count; i++) {
            if (pairs->partners[i][r]) out->possible |= bit(i);
            if (seen & bit(r) && seen & pairs->partners[i][r]) shown |= bit(i);
        }
        if (!(seen & bit(r))) continue;
        alone[1] |= runs[r].independent & runs[r].value;
        alone[0] |= runs[r].independent & ~runs[r].value;
    }
    /* Both values but no pair: the condition was shown with one of them. */
    out->shown[1] = alone[1] | shown;
    out->shown[0] = (alone[0] & ~alone[1]) | shown;
}

uint32_t mcdc_want(const decided *d, const mcdc_run *runs, const mcdc_pairs *pairs, uint64_t seen,
                   uint32_t i, mcdc_wanted *wanted, uint32_t most) {
    uint64_t useful[2] = {0, 0}; /* runs not seen with a partner that was not, or was seen */
    uint32_t found = 0, length_of[DECISION_RUNS_MOST], r, length;
    int both;
    for (r = 0; r < d->runs; r++) {
        uint64_t partners = pairs->partners[i][r];
        length_of[r] = 0;
        if (seen & bit(r) || !partners) continue;
        length_of[r] = mcdc_count_bits(runs[r].evaluated);
        useful[(partners & seen) != 0] |= bit(r);
    }
    both = useful[1] == 0;
    for (length = 1; length <= d->count && found < most; length++) {
        for (r = 0; r < d->runs && found < most; r++) {
            uint64_t partners = pairs->partners[i][r];
            if (!(useful[!both] & bit(r)) || length_of[r] != length) continue;
            wanted[found].run[0] = lowest(both ? partners : partners & seen);
            wanted[found].run[1] = r;
            wanted[found++].both = both;
            if (both) useful[0] &= ~partners; /* the same pair from the other side */
        }
    }
    return found;
}
