/* test_layout.c - record/inside/core/layout.c against windows that are kept as lists and
   asked by brute force, a cache of code that is searched, and parts of kind 15:
   read, added up, cut short, changed. */
#include "test.h"
#include "kind.inc"
#include "record/inside/core/layout.c"
#include "record/inside/core/caches.h" /* lab/misses.c has its functions, */
#include "record/inside/core/phases.h" /* and lab/phases.c */
#include "base/input.h"
#include "base/tool.h"
#include "report/kinds/layout.h"

static uint64_t seed;
static uint32_t below(uint32_t bound) {
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(seed >> 33) % bound;
}

static layout *new_layout(uint32_t flags) {
    void *memory = tool_alloc(layout_bytes());
    memset(memory, 0, layout_bytes());
    return layout_init(memory, flags);
}

/* ---- blocks of two sites, one with two sizes, and a symbol; all in a heap that chance made ---- */

enum { BLOCKS = 3000, HELD = 4096, SIZES = 3, BURST_REFS = 30000, BURSTS = 40 };
typedef struct held { uint64_t low, bytes, object; uint32_t sized; } held;
static held blocks[BLOCKS + 1];
static const uint64_t bytes_of[SIZES] = {136, 64, 700};

static void make_heap(void) {
    uint64_t at = 0x10000;
    uint32_t n;
    for (n = 0; n < BLOCKS; n++) {
        held *b = &blocks[n];
        uint32_t kind = below(SIZES);
        b->bytes = bytes_of[kind];
        b->object = kind == 2 ? 8 : 7;
        b->sized = kind < 2 ? kind + 1 : 0;
        b->low = at + 16;
        at += in_heap(b->bytes);
    }
    blocks[n].low = 0x1000;
    blocks[n].bytes = 4096;
    blocks[n].object = 9;
    blocks[n].sized = 0;
}

/* ---- the window as lists ---- */

typedef struct used { uint32_t block; uint64_t mask; } used;
typedef struct touch { uint64_t line; uint32_t block; } touch;
static struct brute {
    used used[HELD];
    touch touched[1 << 15];
    uint32_t used_count, touch_count;
    uint64_t uses[3][64];
    int is_known[3];
    uint64_t windows, was[5], then[5], lines[10]; /* of the two sizes; was[3], [4]: sites 7, 8 */
} t;

static uint32_t distinct(const uint64_t *lines, uint32_t count) {
    uint32_t n, k, found = 0;
    static uint64_t list[1 << 15];
    for (n = 0; n < count; n++) {
        for (k = 0; k < found && list[k] != lines[n]; k++) { }
        if (k == found) list[found++] = lines[n];
    }
    return found;
}

/* The lines of all that is not of `size` (1, 2; 0: any) of the object. */
static uint32_t others(uint64_t *out, uint64_t object, uint32_t size) {
    uint32_t n, count = 0;
    for (n = 0; n < t.touch_count; n++) {
        const held *b = &blocks[t.touched[n].block];
        if (b->object == object && (!size || b->sized == size)) continue;
        out[count++] = t.touched[n].line;
    }
    return count;
}

static void brute_window(void) {
    static uint64_t lines[1 << 16];
    uint32_t size, n, k, count, number, place[64], old[64], words, i;
    uint64_t object;
    t.windows++;
    for (size = 1; size < 3; size++) {
        for (number = n = 0; n < t.used_count; n++) number += blocks[t.used[n].block].sized == size;
        if (number >= LAYOUT_LEAST && t.is_known[size]) {
            words = (uint32_t)(bytes_of[size - 1] / 8);
            for (k = 0; k < words; k++) old[k] = k;
            for (k = 0; k < words; k++) {       /* a stable sort of exchanges */
                for (i = 0; i + 1 < words; i++) {
                    uint32_t kept = old[i];
                    if (t.uses[size][old[i]] >= t.uses[size][old[i + 1]]) continue;
                    old[i] = old[i + 1];
                    old[i + 1] = kept;
                }
            }
            for (k = 0; k < words; k++) place[old[k]] = k;
            count = others(lines, 7, size);
            for (n = 0; n < t.used_count; n++) {
                const held *b = &blocks[t.used[n].block];
                for (k = 0; b->sized == size && k < words; k++)
                    if (t.used[n].mask >> k & 1) lines[count++] = (b->low + 8 * place[k]) / 64;
            }
            t.was[size] += 512;
            t.then[size] += distinct(lines, count);
        }
    }
    for (object = 7; object < 9; object++) {
        uint64_t bytes = 0;
        for (number = n = 0; n < t.used_count; n++) {
            const held *b = &blocks[t.used[n].block];
            if (b->object != object) continue;
            number++;
            bytes += in_heap(b->bytes);
        }
        if (number < LAYOUT_LEAST) continue;
        count = others(lines, object, 0);
        t.was[object - 4] += 512;
        t.then[object - 4] += distinct(lines, count) + (bytes + 63) / 64;
    }
    for (n = 0; n < t.used_count; n++) {
        size = blocks[t.used[n].block].sized;
        for (k = 0; size && k < 64; k++) t.uses[size][k] += t.used[n].mask >> k & 1;
        if (size) t.is_known[size] = 1;
    }
    for (object = 7; object < 10; object++) {
        for (count = n = 0; n < t.touch_count; n++) {
            if (blocks[t.touched[n].block].object == object) lines[count++] = t.touched[n].line;
        }
        t.lines[object] += distinct(lines, count);
    }
}

static void brute_access(uint32_t block, uint64_t address) {
    const held *b = &blocks[block];
    uint64_t line = address / 64;
    uint32_t n, seen = 0, k;
    static uint64_t lines[1 << 15];
    for (n = 0; n < t.touch_count; n++) {
        seen |= t.touched[n].line == line ? 1u : 0;
        seen |= t.touched[n].line == line && t.touched[n].block == block ? 2u : 0;
    }
    if (!(seen & 1)) {
        for (n = 0; n < t.touch_count; n++) lines[n] = t.touched[n].line;
        if (distinct(lines, t.touch_count) == 512) {
            brute_window();
            t.touch_count = t.used_count = 0;
            seen = 0;
        }
    }
    if (!(seen & 2)) {
        t.touched[t.touch_count].line = line;
        t.touched[t.touch_count++].block = block;
    }
    if (b->object == 9) return;
    for (n = 0; n < t.used_count && t.used[n].block != block; n++) { }
    if (n == t.used_count) {
        t.used[t.used_count].block = block;
        t.used[t.used_count++].mask = 0;
    }
    k = (uint32_t)((address - b->low) / 8);
    if (k < 64 && b->sized) t.used[n].mask |= UINT64_C(1) << k;
}

static const layout_object *row_of(const layout *l, uint64_t object, uint64_t bytes) {
    uint32_t i;
    for (i = 0; i < LAYOUT_OBJECTS; i++) {
        const layout_object *o = &l->objects[i];
        if (o->is_used && o->object == object && o->bytes == bytes) return o;
    }
    return NULL;
}

static uint64_t all_of(const uint64_t *groups) {
    uint64_t sum = 0;
    int g;
    for (g = 0; g < LAYOUT_GROUPS; g++) sum += groups[g];
    return sum;
}

/* References that lie near one another, to a few fields. */
static void run(layout *l, uint32_t count) {
    static const uint32_t fields[5] = {0, 8, 40, 56, 120};
    uint32_t n, at = 0;
    for (n = 0; n < count; n++) {
        const held *b;
        uint64_t address;
        at = below(20) ? (at + below(3)) % BLOCKS : below(BLOCKS);
        b = &blocks[below(50) ? at : BLOCKS];
        address = b->low + (b->bytes < 4096 ? fields[below(b->bytes == 64 ? 4 : 5)] : below(4000) / 8 * 8);
        layout_access(l, 0x400000 + 64 * below(8), address, 8, b->object, b->object != 9, b->low,
                      b->bytes);
        brute_access((uint32_t)(b - blocks), address);
    }
}

TEST(windows_are_those_of_lists) {
    static layout *l;
    uint32_t flags, burst, size;
    for (flags = 0; flags < 2; flags++) {
        memset(&t, 0, sizeof t);
        seed = 3 + flags;
        make_heap();
        l = new_layout(flags);
        for (burst = 0; burst < 6; burst++) {
            run(l, 8000);
            if (flags) continue;
            layout_burst(l);
            t.touch_count = t.used_count = 0;
        }
        CHECK(t.windows > 5);
        CHECK_EQ(all_of(l->windows), t.windows);
        CHECK_EQ(all_of(l->lines), 512 * t.windows);
        CHECK_EQ(l->lost, 0);
        for (size = 1; size < 3; size++) {
            const layout_object *o = row_of(l, 7, bytes_of[size - 1]);
            CHECK(o && t.was[size] > 0 && t.then[size] < t.was[size]);
            CHECK_EQ(all_of(o->was), t.was[size]);
            CHECK_EQ(all_of(o->then), t.then[size]);
            CHECK(memcmp(o->uses, t.uses[size], sizeof o->uses) == 0);
        }
        for (size = 7; size < 10; size++) CHECK_EQ(all_of(row_of(l, size, 0)->lines), t.lines[size]);
        CHECK_EQ(all_of(row_of(l, 7, 0)->then), t.then[3]);
        CHECK_EQ(all_of(row_of(l, 7, 0)->was), t.was[3]);
        CHECK_EQ(all_of(row_of(l, 8, 0)->then), t.then[4]);
        CHECK(row_of(l, 8, 700) == NULL);               /* too large for its words */
        free(l);
    }
}

TEST(a_window_that_a_burst_cuts_off_is_dropped) {
    layout *l = new_layout(0);
    uint64_t n;
    for (n = 0; n < 512; n++) layout_access(l, 64, n * 64, 4, 5, 0, 0, 1 << 20);
    layout_burst(l);
    CHECK_EQ(all_of(l->windows), 0);
    CHECK_EQ(all_of(row_of(l, 5, 0)->lines), 0);
    for (n = 0; n < 513; n++) layout_access(l, 64, n * 64, 4, 5, 0, 0, 1 << 20);
    CHECK_EQ(all_of(l->windows), 1);
    CHECK_EQ(l->windows[1], 1);                         /* of the second burst */
    CHECK_EQ(all_of(row_of(l, 5, 0)->lines), 512);
    layout_access(l, 64, UINT64_MAX - 3, 100, 0, 0, 0, 0);      /* not round the end of memory */
    free(l);
}

TEST(code_that_a_cache_without_sets_has) {
    layout *l = new_layout(LAYOUT_WHOLE);
    uint64_t n, turn;
    /* Nine lines of one set, and lines of all sets, fewer than there is room for. */
    for (turn = 0; turn < 100; turn++) {
        for (n = 0; n < 9; n++) layout_access(l, (n + 1) * 64 * 64, 0, 1, 0, 0, 0, 0);
    }
    CHECK_EQ(all_of(l->code), 900);
    CHECK_EQ(all_of(l->other), 9);                      /* the first of each */
    CHECK_EQ(all_of(l->placed), 891);
    for (turn = 0; turn < 20; turn++) {
        for (n = 0; n < 1024; n++) layout_access(l, (1 << 20) + n * 64, 0, 1, 0, 0, 0, 0);
    }
    CHECK_EQ(all_of(l->placed), 891);                   /* too much code is not a matter of place */
    CHECK_EQ(all_of(l->other), 9 + 20 * 1024);
    free(l);
}

/* ---- slices ---- */

TEST(slices_keep_all_misses) {
    static phases p;
    uint64_t n, k, accesses = 0, misses = 0, function[40] = {0}, sum, some;
    uint32_t i, j;
    seed = 21;
    for (n = 0; n < 1000; n++) {
        uint64_t count = 100 + below(50);
        for (k = 0; k < count / 2; k++) {
            uint64_t f = n / 300 * 10 + below(9);
            function[f]++;
            phases_miss(&p, f);
        }
        misses += count / 2;
        accesses += count;
        phases_end(&p, count);
    }
    CHECK(p.count >= PHASES_SLICES / 2 && p.count < PHASES_SLICES);
    CHECK_EQ(p.of_slice, 16);
    for (sum = some = 0, i = 0; i < PHASES_SLICES; i++) {
        sum += p.at[i].accesses;
        some += p.at[i].misses;
        if (i < p.count) CHECK(p.at[i].accesses >= 16 * 100 && p.at[i].accesses < 16 * 150);
        for (j = 0; j < PHASES_FUNCTIONS; j++) {
            if (p.at[i].of[j].misses) function[p.at[i].of[j].function] -= p.at[i].of[j].misses;
        }
    }
    CHECK_EQ(sum, accesses);
    CHECK_EQ(some, misses);
    for (i = 0, sum = 0; i < 40; i++) sum += function[i];
    CHECK(sum < misses / 50);   /* a slice over two phases has more functions than it names */
}

/* ---- parts ---- */

static int take_bytes(void *user, const void *data, size_t size) {
    text_bytes((text *)user, (const char *)data, size);
    return 0;
}

static const char *name_of(void *user, uint64_t object) {
    static char words[16];
    (void)user;
    snprintf(words, sizeof words, "o%u", (unsigned)object);
    return words;
}

static text part_of(void) {
    text part = {NULL, 0, 0};
    layout *l = new_layout(LAYOUT_WHOLE);
    memset(&t, 0, sizeof t);
    seed = 11;
    make_heap();
    run(l, 12000);
    CHECK_EQ(layout_write(l, "p", name_of, NULL, take_bytes, &part), 0);
    free(l);
    return part;
}

static const laid_object *laid_named(const laid_part *p, const char *name, uint64_t bytes) {
    size_t i;
    for (i = 0; i < p->object_count; i++) {
        if (!strcmp(p->objects[i].name, name) && p->objects[i].bytes == bytes) return &p->objects[i];
    }
    return NULL;
}

TEST(parts_are_read_and_add_up) {
    text part = part_of(), file = {NULL, 0, 0};
    uint64_t times;
    for (times = 1; times < 4; times *= 2) {
        input in;
        const laid_parts *s;
        const laid_object *o;
        memset(&in, 0, sizeof in);
        file = part;
        CHECK_EQ(input_take(&in, "one", &file), TOOL_OK);
        input_settle(&in);
        s = (const laid_parts *)input_find(&in, &kind_layout);
        CHECK(s && s->count == 1);
        CHECK_EQ(all_of(s->parts[0].windows), times * t.windows);
        o = laid_named(&s->parts[0], "o7", 136);
        CHECK(o != NULL);
        CHECK_EQ(all_of(o->was), times * t.was[1]);
        CHECK_EQ(all_of(o->then), times * t.then[1]);
        CHECK_EQ(o->uses[0], times * t.uses[1][0]);
        CHECK_EQ(all_of(laid_named(&s->parts[0], "o7", 0)->then), times * t.then[3]);
        memset(&part, 0, sizeof part);
        kind_layout.write((void *)(uintptr_t)s, &part);
        kind_layout.write((void *)(uintptr_t)s, &part);
        input_free(&in);
    }
    text_free(&part);
}

TEST(parts_that_are_cut_or_changed_are_refused_or_read) {
    text part = part_of();
    kind_trial tried = kind_try(&kind_layout, &part);
    CHECK(tried.cuts < tried.size / 10);
    CHECK_EQ(tried.refused_head, 8);    /* another version */
    CHECK(tried.refused > 160);
    text_free(&part);
}
