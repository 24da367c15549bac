/* edges.c - see edges.h. It needs no C library.

   Options, where this file is compiled:
     EDGEPROF_UNIT_FRAMES   makes edgeprof_unit_enter and the others: a chain for each thread with
                            room for so many activations
     EDGEPROF_THREAD        the word that makes a variable thread-local; __thread if not defined,
                            and nothing if it is empty */
#define EDGEPROF_STATIC
#define EDGEPROF_IMPLEMENTATION
#include "edges.h"

#ifdef __ELF__
/* The linker makes these names for a section whose name is an identifier.
   Without units there is no such section, and both are NULL. */
#define BOUND __attribute__((weak, visibility("hidden")))
extern const edgeprof_unit *const __start_bursty_units[] BOUND;
extern const edgeprof_unit *const __stop_bursty_units[] BOUND;
#endif

static edgeprof_unit_node *added;

void edgeprof_unit_add(edgeprof_unit_node *node) {
    node->next = added;
    added = node;
}

/* A walk over all units: those of the section, then those that were added. */
typedef struct cursor {
    const edgeprof_unit *const *place;
    const edgeprof_unit_node *node;
} cursor;

void (*edgeprof_units_gather)(void);
void (*edgeprof_units_settle)(void);

static void begin(cursor *c) {
    c->place = NULL;
#ifdef __ELF__
    if (edgeprof_units_gather) edgeprof_units_gather();
    c->place = __start_bursty_units;
#endif
    c->node = added;
}

static const edgeprof_unit *next(cursor *c) {
    const edgeprof_unit *unit = NULL;
#ifdef __ELF__
    if (c->place != __stop_bursty_units) return *c->place++;
#endif
    if (c->node) {
        unit = c->node->unit;
        c->node = c->node->next;
    }
    return unit;
}

#ifdef EDGEPROF_UNIT_FRAMES
#ifndef EDGEPROF_THREAD
#define EDGEPROF_THREAD __thread
#endif
static EDGEPROF_THREAD edgeprof_frame frames[EDGEPROF_UNIT_FRAMES];
static EDGEPROF_THREAD edgeprof_chain chain;

uint32_t edgeprof_unit_enter(const edgeprof_function *f) {
    chain.frames = frames;
    chain.max = EDGEPROF_UNIT_FRAMES;
    return edgeprof_enter(&chain, f);
}

void edgeprof_unit_at(uint32_t frame, uint32_t vertex) { edgeprof_at(&chain, frame, vertex); }

void edgeprof_unit_leave(uint32_t frame) { chain.count = frame; }

void edgeprof_unit_back(uint32_t frame, uint32_t vertex) {
    edgeprof_come_back(&chain, frame, vertex);
}

static void count_running(int by) { edgeprof_running(&chain, by); }
#else
static void count_running(int by) { (void)by; }
#endif

void edgeprof_units_running(int by) { count_running(by); }

uint64_t edgeprof_unit_key(const edgeprof_function *f) { return edgeprof_key(f); }

uint64_t edgeprof_unit_table(const edgeprof_unit *unit) {
    const edgeprof_function *first = unit->functions[0];
    edgeprof_function object = *first;
    if (!first->ends && first->file) object.hash = object.slots = 0;
    return edgeprof_key(&object);
}

int edgeprof_unit_write(const edgeprof_unit *unit, int with_part, const char *test,
                        edgeprof_write_fn write, void *user) {
    if (with_part && unit->part && write(user, unit->part, unit->part_bytes)) return -1;
    return edgeprof_write_test(test, unit->functions, unit->count, write, user);
}

int edgeprof_units_write(edgeprof_write_fn write, void *user) {
    const edgeprof_unit *unit;
    cursor c;
    int failed = 0;
    if (edgeprof_units_settle) edgeprof_units_settle();
    count_running(1);
    begin(&c);
    while (!failed && (unit = next(&c)) != NULL)
        failed = edgeprof_unit_write(unit, 1, NULL, write, user);
    count_running(-1);
    return failed ? -1 : 0;
}

int edgeprof_units_write_cut(edgeprof_write_fn write, void *user) {
    /* Header, the fields 2, EDGEPROF_UNIT_CUT, 1, 1, 0, and end, each with its checksum. */
    static const unsigned char part[] = {
        0x42, 0x52, 0x53, 0x54, 0x01, 0x00, 0x07, 0x00, 0x00, 0x00, 0x00, 0x00, 0xF2, 0x96,
        0x6D, 0x2B,
        0x05, 0x00, 0x02, 0x1A, 0x01, 0x01, 0x00, 0x59, 0x0A, 0xA6, 0xBC,
        0x00, 0x00, 0x05, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0xD1, 0x8A, 0xB2, 0xF0
    };
    return write(user, part, sizeof part);
}

const edgeprof_unit *edgeprof_units_at(uint32_t number) {
    cursor c;
    const edgeprof_unit *unit;
    begin(&c);
    do unit = next(&c);
    while (unit && number-- > 0);
    return unit;
}

void edgeprof_units_reset(void) {
    const edgeprof_unit *unit;
    cursor c;
    if (edgeprof_units_settle) edgeprof_units_settle();
    begin(&c);
    while ((unit = next(&c)) != NULL) edgeprof_reset(unit->functions, unit->count);
}

uint32_t edgeprof_units_count(void) {
    uint32_t count = 0;
    cursor c;
    begin(&c);
    while (next(&c) != NULL) count++;
    return count;
}
