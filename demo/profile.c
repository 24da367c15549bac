/* profile.c - three profiles at once, each with its own rate, into one dump

   INDEX_HOT=990:10:12          hot functions and call pairs: bursty.h's own table
   INDEX_CONTEXTS=990:10:12     hot calling contexts: events into hcct.h
   INDEX_REFERENCES=always      footprints and miss ratios: references into footprint.h
   INDEX_DUMP=PATH              where to; standard output belongs to the program

   990:10:12 means bursts of 10 checks after 990 others, give or take 12 %; -1: exactly so;
   "always": one burst that never ends. What is left out is bursty.h's default; a profile that is
   not asked for does not run. */
#define _XOPEN_SOURCE 700
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#define BURSTY_IMPLEMENTATION
#include "bursty.h"
#define BURSTCLOCK_IMPLEMENTATION
#include "burstclock.h"
#define HCCT_IMPLEMENTATION
#include "hcct.h"
#define FOOTPRINT_IMPLEMENTATION
#include "footprint.h"
#define FOOTPRINTSUM_IMPLEMENTATION
#include "footprintsum.h"
#include "profile.h"

/* 0: not asked for. */
static int asked(const char *variable, bursty_profile *p) {
    const char *text = getenv(variable);
    char *end = NULL;
    if (!text || !*text) return 0;
    p->check_count =
        strcmp(text, "always") == 0 ? BURSTY_ALWAYS : (uint32_t)strtoul(text, &end, 10);
    if (end && *end == ':') p->burst_count = (uint32_t)strtoul(end + 1, &end, 10);
    if (end && *end == ':') p->jitter_percent = (int32_t)strtol(end + 1, &end, 10);
    return 1;
}

static uint64_t wall_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Every event in a burst of times reads the clock twice, so it is the cheapest one there is: some
   20 ns for the processor's counter, 70 for clock_gettime where this was measured. */
static uint64_t now(void) {
#if defined(__x86_64__) && defined(__GNUC__)
    return __builtin_ia32_rdtsc();
#else
    return wall_ns();
#endif
}

static uint64_t turn; /* ticks of 0.1 ms */

/* Ticks that were ours, as far as such a clock can tell: a longer step is another program's turn on
   the processor. One thread asks. */
static uint64_t our_ticks(void *user) {
    static uint64_t last, ours;
    uint64_t ticks = now(), step = ticks - last;
    (void)user;
    last = ticks;
    return ours += step < turn ? step : turn;
}

static uint64_t ticks_per_second(void) { /* measured for half a millisecond */
    uint64_t ns = wall_ns(), ticks = now(), passed;
    do {
        passed = wall_ns() - ns;
    } while (passed < 500000);
    return (now() - ticks) * 1000000000u / passed;
}

/* ---- calling contexts: events of bursty.h into a tree of hcct.h ------------------------------ */

/* A site lies in this program's constants, so its distance from another one there fits 32 bits and
   is its key. */
static const bursty_site origin = { "", "", 0, 0 };

static uint32_t key_of(const bursty_site *site) {
    return (uint32_t)((uintptr_t)site - (uintptr_t)&origin);
}

static const char *name_of(void *user, uint32_t key) {
    (void)user;
    return key == HCCT_KEY_DEEP
               ? "(deep)"
               : ((const bursty_site *)((uintptr_t)&origin + (uintptr_t)(intptr_t)(int32_t)key))
                     ->name;
}

static struct {
    hcct tree;
    uint64_t memory[1 << 15], weight;
    uint32_t depth;
    int asked;
} contexts;

/* How deep the tree's cursor stands below so many scopes: those that the shadow stack has no room
   for are one. */
static uint32_t tree_depth(uint32_t scopes) {
    return scopes > BURSTY_STACK ? BURSTY_STACK + 1 : scopes;
}

static void to_tree(void *user, const bursty_event *e) {
    uint32_t depth = tree_depth(e->depth), keys[BURSTY_STACK + 1];
    (void)user;
    if (e->kind & BURSTY_BEGIN) {
        for (uint32_t i = 0; i < depth; i++)
            keys[i] = i < BURSTY_STACK ? key_of(e->stack[i]) : HCCT_KEY_DEEP;
        hcct_burst_begin(&contexts.tree, keys, contexts.depth = depth);
        return;
    }
    if (e->kind & BURSTY_END) {
        hcct_burst_end(&contexts.tree);
        return;
    }
    for (; contexts.depth > depth; contexts.depth--)
        hcct_leave(&contexts.tree); /* whatever way it returned */
    if (!(e->kind & BURSTY_CALL)) return;
    hcct_enter(&contexts.tree, key_of(e->site), 1);
    contexts.weight += e->weight_256;
    if (e->kind & BURSTY_FRAME) contexts.depth++;
    else hcct_leave(&contexts.tree);
}

/* ---- references: every burst is a stretch of accesses of its own ----------------------------- */

static struct {
    footprint now; /* of the burst that is live */
    footprint_config config;
    footprint_profile sum; /* of all bursts that ended: no window spans two */
    void *memory, *scratch, *sum_memory;
    size_t bytes, scratch_bytes;
    const char *name; /* NULL: not asked for */
    int live, lost;
} references;

static void end_burst(void) {
    footprint_profile burst;
    if (!references.live) return;
    references.live = 0;
    references.lost |=
        footprint_snapshot(&references.now, &burst, references.scratch, references.scratch_bytes) ||
        footprint_add(&references.sum, &burst);
}

static void to_footprint(void *user, const bursty_event *e) {
    (void)user;
    if (e->kind & BURSTY_BEGIN)
        references.live = footprint_init(&references.now, references.memory, references.bytes,
                              &references.config) > 0;
    else if (e->kind & BURSTY_END) end_burst();
    else if (references.live) footprint_reference(&references.now, (const void *)e->value, 1);
}

/* ---- start and end --------------------------------------------------------------------------- */

static void ask_for_contexts(void) {
    bursty_profile p;
    memset(&p, 0, sizeof p);
    p.classes =
        BURSTY_CALL | BURSTY_BEGIN | BURSTY_END; /* no returns: every event knows its depth */
    p.action = to_tree;
    contexts.asked = asked("INDEX_CONTEXTS", &p) &&
                     hcct_init(&contexts.tree, contexts.memory, sizeof contexts.memory, NULL) > 0 &&
                     bursty_set_profile(1, &p) == 0;
}

/* Room for the blocks of one burst: two in a check. One that never ends gets a million, after that
   footprint.h samples. */
static void ask_for_references(void) {
    enum { BINS = 496 }; /* all that 64 bits need */
    bursty_profile p;
    uint32_t blocks = 1 << 20;
    memset(&p, 0, sizeof p);
    p.classes = BURSTY_LOAD | BURSTY_STORE | BURSTY_BEGIN | BURSTY_END;
    p.action = to_footprint;
    if (!asked("INDEX_REFERENCES", &p)) return;
    if (p.check_count != BURSTY_ALWAYS) {
        blocks = 2 * (p.burst_count ? p.burst_count : 10);
        references.config.window_max = 8 * blocks;
    }
    references.bytes = footprint_bytes(&references.config, blocks);
    references.scratch_bytes = footprint_profile_bytes(BINS, BINS);
    references.memory = malloc(references.bytes);
    references.scratch = malloc(references.scratch_bytes);
    references.sum_memory = malloc(references.scratch_bytes);
    if (!references.memory || !references.scratch || !references.sum_memory) return;
    footprint_profile_init(
        &references.sum, BINS, BINS, references.sum_memory, references.scratch_bytes);
    if (bursty_set_profile(2, &p) == 0)
        references.name =
            p.check_count == BURSTY_ALWAYS ? "every reference" : "references in bursts";
}

/* Bursts of their own, at the rate of the hot table's. */
static void ask_for_times(void) {
    static burstclock clock;
    bursty_profile p;
    memset(&p, 0, sizeof p);
    if (!asked("INDEX_HOT", &p) || burstclock_init(&clock, our_ticks, NULL, NULL, NULL) != 0) return;
    p.classes = (uint32_t)BURSTY_CALL | (uint32_t)BURSTY_RETURN | (uint32_t)BURSTY_BACKEDGE
                | (uint32_t)BURSTY_BEGIN | (uint32_t)BURSTY_END;
    p.action = burstclock_event;
    p.user = &clock;
    bursty_set_profile(3, &p);
}

void profile_start(void) {
    bursty_config config;
    memset(&config, 0, sizeof config);
    if (!asked("INDEX_HOT", &config.profile)) config.profile.off = 1;
    config.profile.classes = BURSTY_CALL | BURSTY_RETURN | BURSTY_BACKEDGE;
    config.clock_hz = ticks_per_second();
    turn = config.clock_hz / 10000;
    config.program = "demo/index";
    if (bursty_start(&config) == 0) return;
    ask_for_times();
    ask_for_contexts();
    ask_for_references();
}

static int to_file(void *out, const void *data, size_t size) {
    return fwrite(data, 1, size, (FILE *)out) != size;
}

int profile_end(void) {
    const char *path = getenv("INDEX_DUMP"), *hot = getenv("INDEX_HOT");
    FILE *out = path && *path ? fopen(path, "wb") : NULL;
    int failed = path && *path && !out;
    if (!out) return failed;
    end_burst();
    if (hot && *hot) failed |= bursty_write(to_file, out);
    if (contexts.asked) {
        hcct_scale_to(&contexts.tree, contexts.weight / 256);
        failed |= hcct_write(&contexts.tree, name_of, NULL, to_file, out);
    }
    if (references.name)
        failed |= references.lost | footprint_write(&references.sum, references.name, to_file, out);
    return (failed | fclose(out)) != 0;
}
