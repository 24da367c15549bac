/* profile.c - three profiles at once, each with its own rate, and ticks, into one dump

   INDEX_TICKS=1                where the time goes, at the default rate
   INDEX_HOT=990:10:12          hot functions and call pairs: bursty.h's own table
   INDEX_CONTEXTS=990:10:12     hot calling contexts: hcct.h
   INDEX_REFERENCES=always      footprints and miss ratios: references into footprint.h
   INDEX_DUMP=PATH              where to; standard output belongs to the program

   990:10:12 means bursts of 10 checks after 990 others, give or take 12 %; -1: exactly so;
   "always": one burst that never ends. What is left out is bursty.h's default; a profile that is
   not asked for does not run. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define BURSTY_IMPLEMENTATION
#include "bursty.h"
#define HCCT_IMPLEMENTATION
#include "hcct.h"
#define FOOTPRINT_IMPLEMENTATION
#include "footprint.h"
#include "profile.h"

/* 0: not asked for. */
static int asked(const char *variable, bursty_profile *p) {
    const char *text = getenv(variable);
    char *end = NULL;
    if (!text || !*text) return 0;
    p->every =
        strcmp(text, "always") == 0 ? BURSTY_ALWAYS : (uint32_t)strtoul(text, &end, 10);
    if (end && *end == ':') p->burst = (uint32_t)strtoul(end + 1, &end, 10);
    if (end && *end == ':') p->jitter = (int32_t)strtol(end + 1, &end, 10);
    return 1;
}

/* ---- references: every burst is a run of its own --------------------------------------------- */

static struct {
    footprint all;
    footprint_config config;
    void *memory;
    const char *name; /* NULL: not asked for */
    int is_whole;
} references;

static void to_footprint(void *user, const bursty_event *e) {
    (void)user;
    if (e->kind & (BURSTY_END | BURSTY_GAP)) {
        if (!references.is_whole) footprint_burst(&references.all);
    } else if (!(e->kind & BURSTY_BEGIN))
        footprint_reference(&references.all, (const void *)e->value, 1);
}

/* ---- start and end --------------------------------------------------------------------------- */

/* Room for the blocks of one burst: two in a check. One that never ends gets a million, after that
   footprint.h samples. */
static void ask_for_references(void) {
    bursty_profile p;
    uint32_t blocks = 1 << 20;
    size_t bytes;
    memset(&p, 0, sizeof p);
    p.classes = BURSTY_LOAD | BURSTY_STORE | BURSTY_BEGIN | BURSTY_END | BURSTY_GAP;
    p.action = to_footprint;
    if (!asked("INDEX_REFERENCES", &p)) return;
    references.is_whole = p.every == BURSTY_ALWAYS;
    if (!references.is_whole) {
        blocks = 2 * (p.burst ? p.burst : 10);
        references.config.window_max = 8 * blocks;
        references.config.flags = FOOTPRINT_BURSTS;
    }
    bytes = footprint_bytes(&references.config, blocks);
    references.memory = malloc(bytes);
    if (!footprint_init(&references.all, references.memory, bytes, &references.config)) return;
    if (bursty_set_profile(2, &p) == 0)
        references.name = references.is_whole ? "every reference" : "references in bursts";
}

static int is_asked(const char *variable) {
    const char *value = getenv(variable);
    return value && *value;
}

void profile_start(void) {
    static bursty_config bursty;
    static callpaths_config contexts;
    if (!asked("INDEX_HOT", &bursty.profile)) bursty.profile.off = 1;
    if (!asked("INDEX_CONTEXTS", &contexts.profile)) contexts.profile.off = 1;
    bursty.profile.classes = BURSTY_CALL | BURSTY_RETURN | BURSTY_BACKEDGE;
    bursty.program = "demo/index";
    if (!is_asked("INDEX_TICKS")) bursty.tick_hz = -1;
    (void)callpaths_setup(&contexts);
    (void)bursty_start(&bursty);
    ask_for_references();
}

static int to_file(void *out, const void *data, size_t size) {
    return fwrite(data, 1, size, (FILE *)out) != size;
}

static int write_references(FILE *out) {
    size_t bytes = footprint_snapshot_bytes(&references.all);
    void *memory = malloc(bytes);
    footprint_profile p;
    int failed = footprint_snapshot(&references.all, &p, memory, bytes) != 0 ||
                 footprint_write(&p, references.name, to_file, out) != 0;
    free(memory);
    return failed;
}

int profile_end(void) {
    const char *path = getenv("INDEX_DUMP");
    FILE *out = path && *path ? fopen(path, "wb") : NULL;
    int failed = path && *path && !out;
    if (!out) return failed;
    if (is_asked("INDEX_HOT") || is_asked("INDEX_TICKS") || is_asked("INDEX_CONTEXTS"))
        failed |= bursty_write(to_file, out);
    if (references.name)
        failed |= write_references(out);
    return (failed | fclose(out)) != 0;
}
