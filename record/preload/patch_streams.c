/* patch_streams.c - references of hot streams, by instruction, object and
   offset.

   Addresses change from run to run, and two blocks of one kind have two. So a
   stream's site is a pair of an instruction and the object that it uses, and
   its address the offset in it: two nodes of a list that were allocated at one
   place are alike. Pairs are numbered as they come, by a hash table of each
   thread; such a site is the number above PAIRS. What has no name (mapped files,
   stacks of the program's own) keeps its address. On the stack an instruction
   mostly uses one variable, so there is no offset.

   To find an object takes longer than to record the reference. Each instruction
   mostly uses the object that it used before, so a small table has that: right
   for symbols, and for blocks of the heap until something is allocated. */
#define _GNU_SOURCE 1
#include "objects.h"
#include "patch.h"

#define PAIRS (UINT64_C(1) << 62)
enum { RECENT = 256 };

typedef struct pair { uint64_t site, object; } pair;    /* site 0: none */
typedef struct recent { uint64_t site, low, bytes, lives, number; } recent;
struct record_places {
    pair pairs[STREAM_PLACES];
    uint32_t count;
    recent recents[RECENT];
};

static uint64_t placeless;

static uint64_t mixed(uint64_t a, uint64_t b) {
    uint64_t hash = (a ^ b * UINT64_C(0xD6E8FEB86659FD93)) * UINT64_C(0x9E3779B97F4A7C15);
    return hash ^ hash >> 32;
}

/* The pair's number, or 0: there is no room. */
static uint64_t number_of(struct record_places *p, uint64_t site, uint64_t object) {
    uint32_t at = (uint32_t)mixed(site, object) % STREAM_PLACES;
    for (; p->pairs[at].site; at = (at + 1) % STREAM_PLACES) {
        if (p->pairs[at].site == site && p->pairs[at].object == object) return PAIRS + at;
    }
    if (p->count == STREAM_PLACES * 3 / 4) return 0;
    p->count++;
    p->pairs[at].site = site;
    p->pairs[at].object = object;
    return PAIRS + at;
}

void record_stream_place(record_extra *x, uint64_t *site, uint64_t *address) {
    struct record_places *p = x->places;
    objects_span span;
    uint64_t object, number, lives;
    recent *r;
    if (!p) p = x->places = (struct record_places *)recorder_memory(sizeof *p);
    if (!p) return;
    r = &p->recents[mixed(*site, 0) % RECENT];
    lives = objects_lives();
    if (r->site == *site && *address - r->low < r->bytes && (!r->lives || r->lives == lives)) {
        *address -= r->low;
        *site = r->number;
        return;
    }
    object = objects_find_span(*address, x->stack_low, x->stack_end, &span);
    if (objects_is_other(object)) return;
    number = number_of(p, *site, object);
    if (!number) {
        __atomic_fetch_add(&placeless, 1, __ATOMIC_RELAXED);
        return;
    }
    if (objects_is_stack(object)) span.low = *address;
    else {
        r->site = *site;
        r->low = span.low;
        r->bytes = span.bytes;
        r->lives = span.life ? lives : 0;
        r->number = number;
    }
    *address -= span.low;
    *site = number;
}

uint64_t record_stream_site(const record_extra *x, uint64_t site, uint64_t *object) {
    *object = 0;
    if (site < PAIRS || !x || !x->places) return site;
    *object = x->places->pairs[site - PAIRS].object + 1;
    return x->places->pairs[site - PAIRS].site;
}

uint64_t record_stream_placeless(void) { return placeless; }
