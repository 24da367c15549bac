/* layout.c - windows of references: lines of objects, words of blocks, lines of
   code. */
#include "layout.h"
#include <string.h>
#include "../../../src/part.c" /* the writer of parts, which the headers have, too */

#define LINE (1u << CACHES_BLOCK_LOG2)
#define WORD 8u

static const uint64_t code_bytes = LAYOUT_SETS * LAYOUT_WAYS * LINE;

static size_t own_bytes(void) { return (sizeof(layout) + 63) & ~(size_t)63; }

size_t layout_bytes(void) { return own_bytes() + caches_bytes(&code_bytes, 1); }

layout *layout_init(void *memory, uint32_t flags) {
    layout *l = (layout *)memory;
    l->flags = flags;
    l->window = 1;
    caches_init(&l->list, (char *)memory + own_bytes(), &code_bytes, 1);
    return l;
}

static uint64_t mix(uint64_t a, uint64_t b) {
    uint64_t hash = (a ^ b * UINT64_C(0xD6E8FEB86659FD93)) * UINT64_C(0x9E3779B97F4A7C15);
    return hash ^ hash >> 32;
}

/* ---- objects: 1 + a row, or 0 where there is no room ---- */

static uint32_t object_of(layout *l, uint64_t object, int is_block, uint64_t bytes) {
    uint32_t at = (uint32_t)mix(object, bytes) % LAYOUT_OBJECTS;
    layout_object *o;
    for (; l->objects[at].is_used; at = (at + 1) % LAYOUT_OBJECTS) {
        if (l->objects[at].object == object && l->objects[at].bytes == bytes) return 1 + at;
    }
    if (l->object_count == LAYOUT_OBJECTS * 3 / 4) return 0;
    l->object_count++;
    o = &l->objects[at];
    o->object = object;
    o->bytes = bytes;
    o->is_used = 1;
    o->is_block = is_block != 0;
    return 1 + at;
}

/* ---- what a window would have taken ---- */

/* Whether a line is new in a table, at this turn. */
static int take(layout_line *table, uint64_t line, uint64_t turn) {
    uint32_t at = (uint32_t)mix(line, 0) % LAYOUT_TABLE;
    for (; table[at].window == turn; at = (at + 1) % LAYOUT_TABLE) {
        if (table[at].line == line) return 0;
    }
    table[at].line = line;
    table[at].window = turn;
    return 1;
}

/* The lines of all but one object. */
static uint32_t lines_of_others(layout *l, uint32_t object) {
    uint32_t n, lines = 0;
    l->asked++;
    for (n = 0; n < l->place_count; n++) {
        const layout_place *p = &l->place[n];
        if (p->site != object && p->sized != object)
            lines += (uint32_t)take(l->scratch, p->line, l->asked);
    }
    return lines;
}

/* place[word]: where it goes. Words that were used alike stay in their order. */
static void order_words(const layout_object *o, uint32_t *place) {
    uint32_t count = (uint32_t)((o->bytes + WORD - 1) / WORD), old[LAYOUT_WORDS], k, n;
    for (k = 0; k < count; k++) {
        for (n = k; n && o->uses[old[n - 1]] < o->uses[k]; n--) old[n] = old[n - 1];
        old[n] = k;
    }
    for (k = 0; k < count; k++) place[old[k]] = k;
}

static void judge_fields(layout *l, uint32_t object) {
    layout_object *o = &l->objects[object - 1];
    uint32_t place[LAYOUT_WORDS], lines = lines_of_others(l, object), at, next, k;
    order_words(o, place);
    for (at = l->first_block; at; at = next) {
        const layout_block *b = &l->block[at - 1];
        next = b->next == at ? 0 : b->next;
        if (b->object != object) continue;
        for (k = 0; k < LAYOUT_WORDS; k++) {
            if (b->mask >> k & 1)
                lines += (uint32_t)take(l->scratch, (b->low + place[k] * WORD) / LINE, l->asked);
        }
    }
    o->was[l->group % LAYOUT_GROUPS] += LAYOUT_LINES;
    o->then[l->group % LAYOUT_GROUPS] += lines;
}

static void judge_site(layout *l, uint32_t object) {
    layout_object *o = &l->objects[object - 1];
    uint64_t lines = lines_of_others(l, object) + (o->now_bytes + LINE - 1) / LINE;
    o->was[l->group % LAYOUT_GROUPS] += LAYOUT_LINES;
    o->then[l->group % LAYOUT_GROUPS] += lines;
}

/* ---- windows ---- */

/* A window that a burst's end cuts off says nothing: what it has touched may all
   be in the cache. */
static void drop_window(layout *l) {
    uint32_t at, next;
    for (at = l->first_object; at; at = next) {
        layout_object *o = &l->objects[at - 1];
        next = o->next == at ? 0 : o->next;
        o->next = o->now_lines = o->now_blocks = 0;
        o->now_bytes = 0;
    }
    l->first_block = l->first_object = l->now_lines = l->block_count = l->place_count = 0;
    l->window++;
}

/* An object of few blocks changes little, and is not judged; nor is one before
   its words are known. */
static void end_window(layout *l) {
    uint32_t g = l->group % LAYOUT_GROUPS, at, next, k;
    for (at = l->first_object; at; at = next) {
        layout_object *o = &l->objects[at - 1];
        next = o->next == at ? 0 : o->next;
        o->lines[g] += o->now_lines;
        o->blocks[g] += o->now_blocks;
        if (!o->is_block || o->now_blocks < LAYOUT_LEAST) continue;
        if (!o->bytes) judge_site(l, at);
        else if (o->bytes > LINE / 2 && o->is_known) judge_fields(l, at);
    }
    for (at = l->first_block; at; at = next) {
        const layout_block *b = &l->block[at - 1];
        layout_object *o = &l->objects[b->object - 1];
        next = b->next == at ? 0 : b->next;
        o->is_known = 1;
        for (k = 0; o->bytes && k < LAYOUT_WORDS; k++) o->uses[k] += b->mask >> k & 1;
    }
    l->lines[g] += l->now_lines;
    l->windows[g]++;
    drop_window(l);
    if (l->flags & LAYOUT_WHOLE) l->group++;
}

static void list_object(layout *l, uint32_t object) {
    layout_object *o = object ? &l->objects[object - 1] : NULL;
    if (!o || o->next) return;
    o->next = l->first_object ? l->first_object : object;
    l->first_object = object;
}

/* Counts a line once for a site and a size, and once as a line. */
static void take_place(layout *l, uint64_t line, uint32_t site, uint32_t sized) {
    uint64_t pair = site ? (uint64_t)site << 32 | (sized + 1) : 0;
    if (pair && !take(l->line, mix(line, pair) | UINT64_C(1) << 63, l->window)) return;
    if (take(l->line, line, l->window)) {
        if (l->now_lines == LAYOUT_LINES) {
            end_window(l);
            if (pair) (void)take(l->line, mix(line, pair) | UINT64_C(1) << 63, l->window);
            (void)take(l->line, line, l->window);
        }
        l->now_lines++;
    } else if (!pair) return;
    if (l->place_count == LAYOUT_PLACES) {      /* more than two to a line */
        l->lost++;
        return;
    }
    l->place[l->place_count].line = line;
    l->place[l->place_count].site = site;
    l->place[l->place_count++].sized = sized;
    list_object(l, site);
    list_object(l, sized);
    if (sized) l->objects[sized - 1].now_lines++;
    if (site && take(l->line, mix(line, site) | UINT64_C(1) << 63, l->window))
        l->objects[site - 1].now_lines++;
}

static layout_block *block_of(layout *l, uint32_t object, uint64_t low) {
    uint32_t at = (uint32_t)mix(low, object) % LAYOUT_TABLE;
    layout_block *b;
    for (; l->block[at].window == l->window; at = (at + 1) % LAYOUT_TABLE) {
        if (l->block[at].low == low && l->block[at].object == object) return &l->block[at];
    }
    if (l->block_count == LAYOUT_TABLE * 3 / 4) {
        l->lost++;
        return NULL;
    }
    l->block_count++;
    b = &l->block[at];
    memset(b, 0, sizeof *b);
    b->low = low;
    b->window = l->window;
    b->object = object;
    b->next = l->first_block ? l->first_block : 1 + at;
    l->first_block = 1 + at;
    return b;
}

/* What malloc of most systems makes of a size: 8 bytes more, in steps of 16. */
static uint64_t in_heap(uint64_t size) { return size < 24 ? 32 : (size + 8 + 15) / 16 * 16; }

/* One line's part of an access. */
static void access_line(layout *l, uint64_t address, uint64_t end, uint32_t site, uint32_t sized,
                        uint64_t low, uint64_t size) {
    layout_object *o = site ? &l->objects[site - 1] : NULL;
    layout_block *b;
    uint64_t word;
    take_place(l, address / LINE, site, sized);
    if (!o || !o->is_block) return;
    b = block_of(l, sized ? sized : site, low);
    if (!b) return;
    if (!b->bytes) {
        b->bytes = size;
        o->now_bytes += in_heap(size);
        o->now_blocks++;
        if (sized) l->objects[sized - 1].now_blocks++;
    }
    for (word = (address - low) / WORD; sized && word <= (end - low) / WORD; word++)
        if (word < LAYOUT_WORDS) b->mask |= UINT64_C(1) << word;
}

/* ---- code ---- */

static void run_code(layout *l, uint64_t line) {
    uint64_t *set = l->set[line % LAYOUT_SETS];
    uint32_t g = l->group % LAYOUT_GROUPS, at = 0, answer;
    if (line == l->code_line) return;
    l->code_line = line;
    l->code[g]++;
    while (at < LAYOUT_WAYS - 1 && set[at] != line) at++;
    answer = caches_access(&l->list, line);
    if (set[at] != line) {
        if (answer & 255 || (answer & CACHES_FIRST && l->flags & LAYOUT_WHOLE)) l->other[g]++;
        else if (!(answer & CACHES_FIRST)) l->placed[g]++;
    }
    memmove(set + 1, set, at * sizeof *set);
    set[0] = line;
}

/* ---- events ---- */

void layout_access(layout *l, uint64_t pc, uint64_t address, uint64_t bytes, uint64_t object,
                   int is_block, uint64_t low, uint64_t size) {
    uint64_t last = address + (bytes ? bytes - 1 : 0), end;
    uint32_t site = 0, sized = 0;
    run_code(l, pc / LINE);
    if (last < address) last = UINT64_MAX;
    if (object) {
        site = object_of(l, object, is_block, 0);
        if (site && is_block && size && size <= LAYOUT_WORDS * WORD)
            sized = object_of(l, object, 1, size);
        if (!site) l->lost++;
    }
    for (;;) {
        end = address | (LINE - 1);
        access_line(l, address, end < last ? end : last, site, sized, low, size);
        if (end >= last) break;
        address = end + 1;
    }
}

void layout_burst(layout *l) {
    drop_window(l);
    if (l->flags & LAYOUT_WHOLE) return;
    l->group++;
    l->code_line = 0;
    memset(l->set, 0, sizeof l->set);
    caches_empty(&l->list);
}

/* ---- a part ---- */

static void put_string(base_p_out *out, const char *words) {
    size_t size = words ? strlen(words) : 0;
    base_p_put_varint(out, size);
    if (size) base_p_put(out, words, size);
}

static void put_groups(base_p_out *out, const uint64_t *sums) {
    uint32_t g;
    for (g = 0; g < LAYOUT_GROUPS; g++) base_p_put_varint(out, sums[g]);
}

int layout_write(const layout *l, const char *program,
                 const char *(*name)(void *user, uint64_t object), void *name_user,
                 int (*write)(void *user, const void *data, size_t size), void *user) {
    base_p_out out;
    uint32_t i, k;
    base_p_put_begin(&out, LAYOUT_KIND, write, user);
    base_p_put_varint(&out, LAYOUT_VERSION);
    base_p_put_varint(&out, l->flags);
    put_string(&out, program);
    base_p_put_varint(&out, l->lost);
    put_groups(&out, l->windows);
    put_groups(&out, l->lines);
    put_groups(&out, l->code);
    put_groups(&out, l->placed);
    put_groups(&out, l->other);
    for (i = 0; i < LAYOUT_OBJECTS; i++) {
        const layout_object *o = &l->objects[i];
        if (!o->is_used) continue;
        put_string(&out, name(name_user, o->object));
        base_p_put_varint(&out, o->bytes);
        base_p_put_varint(&out, o->is_block);
        put_groups(&out, o->blocks);
        put_groups(&out, o->lines);
        put_groups(&out, o->was);
        put_groups(&out, o->then);
        for (k = 0; k < LAYOUT_WORDS && k < (o->bytes + WORD - 1) / WORD; k++)
            base_p_put_varint(&out, o->uses[k]);
    }
    return base_p_put_end(&out) ? -1 : 0;
}
