/* layout.c - windows of references: lines of objects, words of blocks, lines of
   code. */
#include "layout.h"
#include <string.h>
#include "../../src/part.c" /* the writer of parts, which the headers have, too */

enum { LINE_LOG2 = CACHES_BLOCK_LOG2, LINE = 1 << LINE_LOG2, WORD = 8 };

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

/* ---- objects and visits: 1 + a row, or 0 where there is no room ---- */

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

static layout_visit *visit_of(layout *l, uint32_t object, uint32_t phase, uint64_t mask) {
    uint32_t at = (uint32_t)mix(mask, object * 8 + phase) % LAYOUT_VISITS;
    layout_visit *v;
    for (; l->visits[at].object; at = (at + 1) % LAYOUT_VISITS) {
        v = &l->visits[at];
        if (v->object == object && v->phase == phase && v->mask == mask) return v;
    }
    if (l->visit_count == LAYOUT_VISITS * 3 / 4) return NULL;
    l->visit_count++;
    v = &l->visits[at];
    v->object = object;
    v->phase = phase;
    v->mask = mask;
    return v;
}

/* ---- windows ---- */

static void end_window(layout *l) {
    uint32_t g = l->group % LAYOUT_GROUPS, at, next;
    for (at = l->first_block; at; at = next) {
        const layout_block *b = &l->block[at - 1];
        layout_object *o = &l->objects[b->object - 1];
        next = b->next == at ? 0 : b->next;
        o->blocks[g]++;
        if (o->bytes) {
            layout_visit *v = visit_of(l, b->object, (uint32_t)(b->low % LINE / WORD), b->mask);
            if (v) v->count[g]++;
            else l->lost++;
        }
    }
    for (at = l->first_object; at; at = next) {
        layout_object *o = &l->objects[at - 1];
        uint64_t packed = o->is_block ? (o->now_bytes + LINE - 1) / LINE : o->now_lines;
        next = o->next == at ? 0 : o->next;
        o->lines[g] += o->now_lines;
        o->packed[g] += packed < o->now_lines ? packed : o->now_lines;
        o->next = o->now_lines = 0;
        o->now_bytes = 0;
    }
    l->lines[g] += l->now_lines;
    l->windows[g] += l->now_lines != 0;
    l->first_block = l->first_object = l->now_lines = l->block_count = 0;
    l->window++;
    if (l->flags & LAYOUT_WHOLE) l->group++;
}

/* Whether the line is new in this window. */
static int take_line(layout *l, uint64_t line, uint32_t object) {
    uint32_t at = (uint32_t)mix(line, object) % LAYOUT_TABLE;
    uint64_t key = line * 2 * LAYOUT_OBJECTS + object;  /* a line of two objects is there twice */
    for (; l->line[at].window == l->window; at = (at + 1) % LAYOUT_TABLE) {
        if (l->line[at].line == key) return 0;
    }
    l->line[at].line = key;
    l->line[at].window = l->window;
    return 1;
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
static void access_line(layout *l, uint64_t address, uint64_t end, uint32_t object, uint64_t low,
                        uint64_t size) {
    layout_object *o = object ? &l->objects[object - 1] : NULL;
    layout_block *b;
    uint64_t word;
    if (take_line(l, address / LINE, object)) {
        if (l->now_lines == LAYOUT_LINES) {
            end_window(l);
            (void)take_line(l, address / LINE, object);
        }
        l->now_lines++;
        if (o && !o->next) {
            o->next = l->first_object ? l->first_object : object;
            l->first_object = object;
        }
        if (o) o->now_lines++;
    }
    if (!o || !o->is_block) return;
    b = block_of(l, object, low);
    if (!b) return;
    if (!b->bytes) {
        b->bytes = size;
        o->now_bytes += in_heap(size);
    }
    for (word = (address - low) / WORD; o->bytes && word <= (end - low) / WORD; word++)
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
    uint32_t row = 0;
    run_code(l, pc / LINE);
    if (last < address) last = UINT64_MAX;
    if (object) {
        row = object_of(l, object, is_block, is_block && size <= LAYOUT_WORDS * WORD ? size : 0);
        if (!row) l->lost++;
    }
    for (;;) {
        end = address | (LINE - 1);
        access_line(l, address, end < last ? end : last, row, low, size);
        if (end >= last) break;
        address = end + 1;
    }
}

void layout_burst(layout *l) {
    end_window(l);
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

static void put_visits(base_p_out *out, const layout *l, uint32_t object) {
    uint64_t count = 0;
    uint32_t i;
    for (i = 0; i < LAYOUT_VISITS; i++) count += l->visits[i].object == object;
    base_p_put_varint(out, count);
    for (i = 0; i < LAYOUT_VISITS; i++) {
        const layout_visit *v = &l->visits[i];
        if (v->object != object) continue;
        base_p_put_varint(out, v->phase);
        base_p_put_varint(out, v->mask);
        put_groups(out, v->count);
    }
}

int layout_write(const layout *l, const char *program,
                 const char *(*name)(void *user, uint64_t object), void *name_user,
                 int (*write)(void *user, const void *data, size_t size), void *user) {
    base_p_out out;
    uint32_t i;
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
        put_groups(&out, o->packed);
        put_visits(&out, l, 1 + i);
    }
    return base_p_put_end(&out) ? -1 : 0;
}
