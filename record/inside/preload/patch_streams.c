/* patch_streams.c - references of hot streams, by instruction, object and
   offset.

   Addresses change from run to run, and two blocks of one kind have two. So a
   stream's site is a pair of an instruction and the object that it uses, and
   its address the offset in it: two nodes of a list that were allocated at one
   place are alike. Pairs are numbered as they come, by a hash table of each
   thread; such a site is the number above PAIRS. What has no name (mapped files,
   stacks of the program's own) keeps its address. On the stack an instruction
   mostly uses one variable, so there is no offset.

   The same references go to layout.h, which finds out what orders of fields, of
   blocks and of functions could gain.

   To find an object takes longer than to record the reference. Each instruction
   mostly uses the object that it used before, so a small table has that: right
   for symbols, and for blocks of the heap until something is allocated. */
#define _GNU_SOURCE 1
#include "objects.h"
#include "patch.h"

#define PAIRS (UINT64_C(1) << 62)
enum { RECENT = 256 };

typedef struct pair { uint64_t site, object; } pair;    /* site 0: none */
typedef struct recent {
    uint64_t site, lives, object, number;       /* number 0: of no pair */
    objects_span span;
} recent;
struct record_places {
    pair pairs[STREAM_PLACES];
    uint32_t count;
    recent recents[RECENT];
    layout *layout;
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

/* What the instruction uses at that address. */
static recent *find(record_extra *x, uint64_t site, uint64_t address) {
    struct record_places *p = x->places;
    recent *r = &p->recents[mixed(site, 0) % RECENT];
    uint64_t lives = objects_lives();
    if (r->site == site && address - r->span.low < r->span.bytes && (!r->lives || r->lives == lives))
        return r;
    r->site = site;
    r->object = objects_find_span(address, x->stack_low, x->stack_end, &r->span);
    r->lives = r->span.life ? lives : 0;
    r->number = objects_is_other(r->object) ? 0 : number_of(p, site, r->object);
    if (!r->number && !objects_is_other(r->object))
        __atomic_fetch_add(&placeless, 1, __ATOMIC_RELAXED);
    return r;
}

static struct record_places *places_of(record_extra *x) {
    struct record_places *p = x->places;
    void *memory;
    if (p) return p;
    p = x->places = (struct record_places *)recorder_memory(sizeof *p);
    memory = p ? recorder_memory(layout_bytes()) : NULL;
    if (memory)
        p->layout = layout_init(memory, record.config.every == X86_ALWAYS ? LAYOUT_WHOLE : 0);
    return p;
}

void record_stream_reference(record_extra *x, const x86_event *e, uint64_t times) {
    uint32_t module = X86_MODULE(e->what);
    uint64_t site = ((uint64_t)module << 32 | e->place) + 1, bias;
    struct record_places *p = places_of(x);
    const recent *r;
    if (!p) {
        hotstream_record(x->streams, site, e->value);
        return;
    }
    r = find(x, site, e->value);
    if (!r->number) hotstream_record(x->streams, site, e->value);
    else
        hotstream_record(x->streams, r->number,
                         objects_is_stack(r->object) ? 0 : e->value - r->span.low);
    if (!p->layout) return;
    bias = module < record.modules ? record.bias[module] : 0;
    layout_access(p->layout, bias + e->place, e->value, X86_BYTES(e->what) * times,
                  objects_is_other(r->object) ? 0 : r->object, objects_is_block(r->object), r->span.low,
                  r->span.bytes);
}

layout *record_layout(const record_extra *x) { return x && x->places ? x->places->layout : NULL; }

uint64_t record_stream_site(const record_extra *x, uint64_t site, uint64_t *object) {
    *object = 0;
    if (site < PAIRS || !x || !x->places) return site;
    *object = x->places->pairs[site - PAIRS].object + 1;
    return x->places->pairs[site - PAIRS].site;
}

uint64_t record_stream_placeless(void) { return placeless; }
