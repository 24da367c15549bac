/* streams.c - reading, adding up and writing parts of kind 5. */
#include "report/kinds/streams.h"
#include "base/tool.h"
#include <stdlib.h>
#include <string.h>

enum { KIND = 5, VERSION = 1, LENGTH_MAX = 1024 };

static uint64_t mix(uint64_t hash, uint64_t number) {
    hash = (hash ^ number) * UINT64_C(0x9E3779B97F4A7C15);
    return hash ^ hash >> 29;
}

uint64_t streams_site_key(const streams_site *site) {
    const char *name = site->name;
    uint64_t hash = 1;
    if (!*name) return mix(2, site->value);
    for (; *name; name++) hash = mix(hash, (unsigned char)*name);
    return mix(hash, hash >> 32);
}

const char *streams_object_of(const char *name) {
    const char *at = strstr(name, "\t@");
    return at ? at + 2 : NULL;
}

/* ---- sites and streams of a part, found by tables that hold their numbers from 1 ---- */

static int is_site(const void *owner, uint32_t number, const void *key) {
    const streams_site *a = &((const streams_part *)owner)->sites[number - 1];
    const streams_site *b = (const streams_site *)key;
    return strcmp(a->name, b->name) == 0 && (*a->name || a->value == b->value);
}

uint32_t streams_site_number(streams_part *p, uint64_t value, const char *name) {
    streams_site site;
    uint32_t *slot;
    uint64_t hash;
    site.value = value;
    site.name = text_clean(name ? name : "", name ? strlen(name) : 0);
    hash = *site.name ? hash_string(site.name) : hash_numbers(value, 0);
    slot = hash_place(&p->site_places, hash, is_site, p, &site);
    if (*slot) {
        streams_site *known = &p->sites[*slot - 1];
        if (value < known->value) known->value = value; /* whichever part came first */
        free(site.name);
        return *slot - 1;
    }
    TOOL_ROOM(streams_site, p->sites, p->site_count, p->site_room);
    p->sites[p->site_count++] = site;
    *slot = (uint32_t)p->site_count;
    return *slot - 1;
}

typedef struct stream_key {
    const streams_item *items;
    uint32_t length;
} stream_key;

static int is_stream(const void *owner, uint32_t number, const void *key) {
    const streams_part *p = (const streams_part *)owner;
    const streams_stream *s = &p->streams[number - 1];
    const stream_key *wanted = (const stream_key *)key;
    uint32_t i;
    if (s->length != wanted->length) return 0;
    for (i = 0; i < s->length; i++) {
        if (p->items[s->first + i].site != wanted->items[i].site) return 0;
    }
    return 1;
}

static uint32_t *stream_place(streams_part *p, const streams_item *items, uint32_t length) {
    stream_key key;
    uint64_t hash = length;
    uint32_t i;
    key.items = items;
    key.length = length;
    for (i = 0; i < length; i++) hash = hash_numbers(hash, items[i].site);
    return hash_place(&p->stream_places, hash, is_stream, p, &key);
}

/* Keeps the smaller addresses of two equal streams, so that the order of adding does
   not matter. */
static void keep_smaller(streams_item *kept, const streams_item *items, uint32_t length) {
    uint32_t i = 0;
    while (i < length && kept[i].address == items[i].address) i++;
    if (i < length && items[i].address < kept[i].address)
        memcpy(kept, items, length * sizeof *items);
}

void streams_add(streams_part *p, const streams_item *items, uint32_t length, uint64_t frequency) {
    streams_stream *s;
    uint32_t *slot;
    slot = stream_place(p, items, length);
    if (*slot) {
        s = &p->streams[*slot - 1];
        s->frequency = tool_sum(s->frequency, frequency);
        s->heat = tool_product(s->frequency, length);
        keep_smaller(p->items + s->first, items, length);
        return;
    }
    TOOL_ROOM(streams_stream, p->streams, p->stream_count, p->stream_room);
    if (p->item_room - p->item_count < length) {
        p->item_room = 2 * p->item_room + length;
        p->items = (streams_item *)tool_grow(p->items, p->item_room * sizeof *p->items);
    }
    s = &p->streams[p->stream_count++];
    *slot = (uint32_t)p->stream_count;
    s->frequency = frequency;
    s->heat = tool_product(frequency, length);
    s->length = length;
    s->first = p->item_count;
    memcpy(p->items + p->item_count, items, length * sizeof *items);
    p->item_count += length;
}

/* ---- order ---- */

static const streams_part *sorted; /* qsort hands nothing through */

static int by_site(const streams_site *a, const streams_site *b) {
    int names = strcmp(a->name, b->name);
    if (names || *a->name) return names;
    return a->value < b->value ? -1 : a->value > b->value;
}

static int by_heat(const void *left, const void *right) {
    const streams_stream *a = (const streams_stream *)left, *b = (const streams_stream *)right;
    uint32_t i;
    if (a->heat != b->heat) return a->heat < b->heat ? 1 : -1;
    if (a->length != b->length) return a->length < b->length ? -1 : 1;
    for (i = 0; i < a->length; i++) {
        int order = by_site(&sorted->sites[sorted->items[a->first + i].site],
                            &sorted->sites[sorted->items[b->first + i].site]);
        if (order) return order;
    }
    return 0;
}

void streams_part_sort(streams_part *p) {
    size_t i;
    sorted = p;
    if (p->stream_count) qsort(p->streams, p->stream_count, sizeof *p->streams, by_heat);
    hash_empty(&p->stream_places);
    for (i = 0; i < p->stream_count; i++)
        *stream_place(p, p->items + p->streams[i].first, p->streams[i].length) = (uint32_t)i + 1;
}

size_t streams_hot(const streams_part *p) {
    double wanted = (double)p->references * p->coverage_ppm / 1e6, held = 0;
    size_t i;
    for (i = 0; i < p->stream_count && held < wanted; i++) held += (double)p->streams[i].heat;
    return i;
}

/* ---- reading ---- */

static int read_stream(streams_part *p, dump_reader *r, uint32_t *numbers, size_t *number_count) {
    streams_item items[LENGTH_MAX];
    uint32_t length = dump_get32(r), i;
    uint64_t frequency = dump_get(r);
    if (!r->reason && (length == 0 || length > LENGTH_MAX || frequency == 0))
        r->reason = "a stream without length or frequency, or too long";
    for (i = 0; i < length && !r->reason; i++) {
        uint64_t site = dump_get(r);
        if (site > *number_count) {
            r->reason = "a site that was not named before";
            break;
        }
        if (site == 0) {
            uint64_t value = dump_get(r);
            size_t size;
            const unsigned char *name = dump_get_string(r, &size);
            char *clean = text_name(name, size);
            numbers[(*number_count)++] = streams_site_number(p, value, clean);
            free(clean);
            site = *number_count;
        }
        items[i].site = numbers[site - 1];
        items[i].address = dump_get(r);
    }
    if (r->reason) return -1;
    streams_add(p, items, length, frequency);
    return 0;
}

static void read_part(streams_part *p, dump_reader *r) {
    uint32_t *numbers =
        (uint32_t *)tool_alloc((r->size + 1) * sizeof *numbers); /* a site takes three bytes */
    size_t number_count = 0, size;
    const unsigned char *title;
    uint64_t count;
    if (dump_get(r) != VERSION && !r->reason) r->reason = "a newer version of hot data streams";
    title = dump_get_string(r, &size);
    p->title = text_name(title, size);
    p->flags = dump_get32(r);
    p->min_length = dump_get32(r);
    p->max_length = dump_get32(r);
    p->coverage_ppm = dump_get32(r);
    p->references = dump_get(r);
    p->lost = dump_get(r);
    p->bursts = dump_get(r);
    p->digests = dump_get(r);
    p->dropped = dump_get(r);
    p->heat_lost = dump_get(r);
    count = dump_get(r);
    if (!r->reason && (p->min_length > p->max_length || p->coverage_ppm > 1000000))
        r->reason = "limits that make no sense";
    while (count-- && !r->reason) read_stream(p, r, numbers, &number_count);
    if (!r->reason && r->at != r->size) r->reason = "bytes after the last stream";
    free(numbers);
}

static int read(void *state, const dump *d, const dump_part *part, dump_fault *fault) {
    streams *s = (streams *)state;
    dump_reader r = dump_fields(d, part);
    streams_part p;
    memset(&p, 0, sizeof p);
    read_part(&p, &r);
    if (r.reason) {
        streams_part_free(&p);
        return dump_refuse(fault, dump_place(d, part, r.at), "%s", r.reason);
    }
    if ((s->count & (s->count - 1)) == 0) { /* room for 1, 2, 4, ... */
        s->parts = (streams_part *)tool_grow(s->parts, (s->count ? 2 * s->count : 1) * sizeof p);
    }
    p.order = s->count;
    s->parts[s->count++] = p;
    return 0;
}

/* ---- adding up ---- */

static int compare(size_t a, size_t b) { return (a > b) - (a < b); }

/* 0 for profiles that are added up. */
static int compare_keys(const streams_part *a, const streams_part *b) {
    int order = strcmp(a->title, b->title);
    if (order == 0) order = compare(a->flags, b->flags);
    if (order == 0) order = compare(a->min_length, b->min_length);
    if (order == 0) order = compare(a->max_length, b->max_length);
    if (order == 0) order = compare(a->coverage_ppm, b->coverage_ppm);
    return order;
}

static int by_key(const void *a, const void *b) {
    const streams_part *x = (const streams_part *)a, *y = (const streams_part *)b;
    int order = compare_keys(x, y);
    return order ? order : compare(x->order, y->order);
}

static int by_order(const void *a, const void *b) {
    return compare(((const streams_part *)a)->order, ((const streams_part *)b)->order);
}

static void add(streams_part *into, const streams_part *other) {
    streams_item items[LENGTH_MAX];
    uint32_t *numbers = (uint32_t *)tool_alloc((other->site_count + 1) * sizeof *numbers);
    size_t i;
    for (i = 0; i < other->site_count; i++) {
        numbers[i] = streams_site_number(into, other->sites[i].value, other->sites[i].name);
    }
    for (i = 0; i < other->stream_count; i++) {
        const streams_stream *s = &other->streams[i];
        uint32_t k;
        for (k = 0; k < s->length; k++) {
            items[k] = other->items[s->first + k];
            items[k].site = numbers[items[k].site];
        }
        streams_add(into, items, s->length, s->frequency);
    }
    free(numbers);
    into->references = tool_sum(into->references, other->references);
    into->lost = tool_sum(into->lost, other->lost);
    into->bursts = tool_sum(into->bursts, other->bursts);
    into->digests = tool_sum(into->digests, other->digests);
    into->dropped = tool_sum(into->dropped, other->dropped);
    into->heat_lost = tool_sum(into->heat_lost, other->heat_lost);
}

static void settle(void *state) {
    streams *s = (streams *)state;
    size_t i, kept = 0;
    if (s->count == 0) return;
    qsort(s->parts, s->count, sizeof *s->parts, by_key);
    for (i = 0; i < s->count; i++) {
        if (kept == 0 || compare_keys(&s->parts[kept - 1], &s->parts[i]) != 0) {
            s->parts[kept++] = s->parts[i];
            continue;
        }
        add(&s->parts[kept - 1], &s->parts[i]);
        streams_part_free(&s->parts[i]);
    }
    s->count = kept;
    qsort(s->parts, kept, sizeof *s->parts, by_order);
    for (i = 0; i < kept; i++) streams_part_sort(&s->parts[i]);
}

/* ---- writing ---- */

void streams_part_write(const streams_part *p, text *out) {
    uint32_t *numbers = (uint32_t *)tool_alloc((p->site_count + 1) * sizeof *numbers), next = 0;
    dump_writer w;
    size_t i;
    dump_begin(&w, out, KIND);
    dump_put(&w, VERSION);
    dump_put_string(&w, p->title);
    dump_put(&w, p->flags);
    dump_put(&w, p->min_length);
    dump_put(&w, p->max_length);
    dump_put(&w, p->coverage_ppm);
    dump_put(&w, p->references);
    dump_put(&w, p->lost);
    dump_put(&w, p->bursts);
    dump_put(&w, p->digests);
    dump_put(&w, p->dropped);
    dump_put(&w, p->heat_lost);
    dump_put(&w, p->stream_count);
    for (i = 0; i < p->stream_count; i++) {
        const streams_stream *s = &p->streams[i];
        uint32_t k;
        dump_put(&w, s->length);
        dump_put(&w, s->frequency);
        for (k = 0; k < s->length; k++) {
            const streams_item *item = &p->items[s->first + k];
            dump_put(&w, numbers[item->site]);
            if (!numbers[item->site]) {
                numbers[item->site] = ++next;
                dump_put(&w, p->sites[item->site].value);
                dump_put_string(&w, p->sites[item->site].name);
            }
            dump_put(&w, item->address);
        }
    }
    dump_end(&w);
    free(numbers);
}

static void write(void *state, text *out) {
    streams *s = (streams *)state;
    size_t i;
    if (s->count) qsort(s->parts, s->count, sizeof *s->parts, by_key); /* not by who came first */
    for (i = 0; i < s->count; i++) streams_part_write(&s->parts[i], out);
}

void streams_part_free(streams_part *p) {
    size_t i;
    for (i = 0; i < p->site_count; i++) free(p->sites[i].name);
    free(p->title);
    free(p->sites);
    free(p->streams);
    free(p->items);
    hash_free(&p->site_places);
    hash_free(&p->stream_places);
    memset(p, 0, sizeof *p);
}

static void free_state(void *state) {
    streams *s = (streams *)state;
    size_t i;
    for (i = 0; i < s->count; i++) streams_part_free(&s->parts[i]);
    free(s->parts);
    memset(s, 0, sizeof *s);
}

const part_kind kind_streams = {KIND,  "hot data streams", sizeof(streams), read, settle,
                                write, free_state, NULL};
