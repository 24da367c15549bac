/* streams.c - writing profiles of hot data streams. */
#include "write/streams.h"
#include "base/tool.h"
#include <stdlib.h>
#include <string.h>

char *streams_label(const streams_part *p, const streams_site *site) {
    const char *tab = strchr(site->name, '\t');
    text t = {NULL, 0, 0};
    if (!*site->name) { text_format(&t, p->flags & 1 ? "%llu" : "0x%llx", (unsigned long long)site->value); }
    else if (!tab)    { text_add(&t, site->name); }
    else {
        text_bytes(&t, site->name, (size_t)(tab - site->name));
        text_add(&t, " (");
        text_add(&t, tab + 1);
        text_add(&t, ")");
    }
    text_bytes(&t, "", 1);
    return t.data;
}

static double share(const streams_part *p, uint64_t heat) {
    return p->references ? (double)heat / (double)p->references : 0;
}

static double covered(const streams_part *p, size_t count) {
    double sum = 0;
    size_t i;
    for (i = 0; i < count; i++) { sum += (double)p->streams[i].heat; }
    return p->references ? sum / (double)p->references : 0;
}

static char **labels_of(const streams_part *p) {
    char **labels = (char **)tool_alloc((p->site_count + 1) * sizeof *labels);
    size_t i;
    for (i = 0; i < p->site_count; i++) { labels[i] = streams_label(p, &p->sites[i]); }
    return labels;
}

static void free_labels(const streams_part *p, char **labels) {
    size_t i;
    for (i = 0; i < p->site_count; i++) { free(labels[i]); }
    free(labels);
}

/* ---- text ---- */

void streams_to_text(const streams_part *p, size_t top, text *out) {
    size_t hot = streams_hot(p), i, start;
    char **labels = labels_of(p);
    text_add(out, "hot data streams");
    if (*p->title) { text_add(out, " of "); text_plain(out, p->title); }
    text_add(out, "\n  references        ");
    text_count(out, p->references);
    if (p->bursts) { text_add(out, ", in bursts with "); text_count(out, p->bursts); text_add(out, " gaps"); }
    if (p->lost) { text_add(out, "; "); text_count(out, p->lost); text_add(out, " more found the buffer full"); }
    text_add(out, "\n  streams           ");
    text_count(out, hot);
    text_format(out, " hot ones hold %.1f %% of the references; wanted were %.1f %%\n", 100 * covered(p, hot), p->coverage_ppm / 1e4);
    text_format(out, "  lengths           %u to %u\n", (unsigned)p->min_length, (unsigned)p->max_length);
    if (p->heat_lost) { text_add(out, "  no room           for streams of heat "); text_count(out, p->heat_lost); text_add(out, "; larger streams_max cures it\n"); }
    if (p->dropped) { text_add(out, "  looks left out    "); text_count(out, p->dropped); text_add(out, "; repeats may be missing\n"); }
    if (hot) { text_add(out, "\n   share  length         times  sites\n"); }
    for (i = 0; i < hot && i < top; i++) {
        const streams_stream *s = &p->streams[i];
        uint32_t k, run;
        text_format(out, "%6.2f %%  %6u  ", 100 * share(p, s->heat), (unsigned)s->length);
        start = out->size;
        text_count(out, s->frequency);
        text_pad(out, start, 12, 1);
        for (k = 0; k < s->length; k += run) {
            uint32_t site = p->items[s->first + k].site;
            for (run = 1; k + run < s->length && p->items[s->first + k + run].site == site; run++) { }
            text_add(out, k ? ", " : "  ");
            text_plain_short(out, labels[site], 60);
            if (run > 1) { text_format(out, " x%u", (unsigned)run); }
            if (k >= 7 && k + run < s->length) { text_format(out, ", ... %u more", (unsigned)(s->length - k - run)); break; }
        }
        text_add(out, "\n");
    }
    if (hot > top) { text_add(out, "  ... "); text_count(out, hot - top); text_add(out, " more\n"); }
    free_labels(p, labels);
}

/* ---- JSON ---- */

void streams_to_json(const streams_part *p, size_t top, text *out) {
    size_t hot = streams_hot(p), i;
    text_add(out, "{\"title\":");
    text_json(out, p->title);
    text_add(out, ",\"references\":");
    text_number(out, p->references);
    text_add(out, ",\"lost\":");
    text_number(out, p->lost);
    text_add(out, ",\"bursts\":");
    text_number(out, p->bursts);
    text_add(out, ",\"digests\":");
    text_number(out, p->digests);
    text_add(out, ",\"heat_lost\":");
    text_number(out, p->heat_lost);
    text_format(out, ",\"min_length\":%u,\"max_length\":%u,\"coverage_wanted\":%.6g,\"coverage\":%.6g,\"hot\":", (unsigned)p->min_length,
                (unsigned)p->max_length, p->coverage_ppm / 1e6, covered(p, hot));
    text_number(out, hot);
    text_add(out, ",\"sites\":[");
    for (i = 0; i < p->site_count; i++) {
        char *label = streams_label(p, &p->sites[i]);
        if (i) { text_add(out, ","); }
        text_json(out, label);
        free(label);
    }
    text_add(out, "],\"list\":[");
    for (i = 0; i < hot && i < top; i++) {
        const streams_stream *s = &p->streams[i];
        uint32_t k;
        text_add(out, i ? ",{\"heat\":" : "{\"heat\":");
        text_number(out, s->heat);
        text_add(out, ",\"frequency\":");
        text_number(out, s->frequency);
        text_format(out, ",\"length\":%u,\"sites\":[", (unsigned)s->length);
        for (k = 0; k < s->length; k++) { text_format(out, k ? ",%u" : "%u", (unsigned)p->items[s->first + k].site); }
        text_add(out, "],\"addresses\":[");
        for (k = 0; k < s->length; k++) {                   /* hexadecimal strings: JSON's numbers end at 2^53 */
            text_format(out, k ? ",\"%llx\"" : "\"%llx\"", (unsigned long long)p->items[s->first + k].address);
        }
        text_add(out, "]}");
    }
    text_add(out, "]}");
}

/* ---- collapsed ---- */

void streams_to_collapsed(const streams_part *p, text *out) {
    size_t hot = streams_hot(p), i;
    char **labels = labels_of(p);
    for (i = 0; i < hot; i++) {
        const streams_stream *s = &p->streams[i];
        uint32_t k;
        for (k = 0; k < s->length; k++) {
            if (k) { text_add(out, ";"); }
            text_frame(out, labels[p->items[s->first + k].site]);
        }
        text_add(out, " ");
        text_number(out, s->heat);
        text_add(out, "\n");
    }
    free_labels(p, labels);
}

/* ---- what follows what ---- */

typedef struct edge { uint64_t a, b, weight; } edge;
typedef struct edges { edge *at; size_t count, room; } edges;

static void add_edge(edges *e, uint64_t a, uint64_t b, uint64_t weight) {
    if (a == b) { return; }
    if (e->count == e->room) {
        e->room = 2 * e->room + 256;
        e->at = (edge *)tool_grow(e->at, e->room * sizeof *e->at);
    }
    e->at[e->count].a = a < b ? a : b;
    e->at[e->count].b = a < b ? b : a;
    e->at[e->count++].weight = weight;
}

static int by_ends(const void *left, const void *right) {
    const edge *x = (const edge *)left, *y = (const edge *)right;
    if (x->a != y->a) { return x->a < y->a ? -1 : 1; }
    return x->b < y->b ? -1 : x->b > y->b;
}

static int by_weight(const void *left, const void *right) {
    const edge *x = (const edge *)left, *y = (const edge *)right;
    if (x->weight != y->weight) { return x->weight < y->weight ? 1 : -1; }
    return by_ends(left, right);
}

/* Adds up equal edges; heaviest first. */
static void settle_edges(edges *e) {
    size_t i, kept = 0;
    if (e->count == 0) { return; }
    qsort(e->at, e->count, sizeof *e->at, by_ends);
    for (i = 0; i < e->count; i++) {
        if (kept && by_ends(&e->at[kept - 1], &e->at[i]) == 0) {
            uint64_t sum = e->at[kept - 1].weight + e->at[i].weight;
            e->at[kept - 1].weight = sum < e->at[i].weight ? UINT64_MAX : sum;
        } else {
            e->at[kept++] = e->at[i];
        }
    }
    e->count = kept;
    qsort(e->at, e->count, sizeof *e->at, by_weight);
}

void streams_to_dot(const streams_part *p, uint64_t piece_bytes, size_t top, text *out) {
    size_t hot = streams_hot(p), i;
    edges e = {NULL, 0, 0};
    char **labels = labels_of(p);
    double most;
    for (i = 0; i < hot; i++) {
        const streams_stream *s = &p->streams[i];
        const streams_item *item = p->items + s->first;
        uint32_t k;
        for (k = 1; k < s->length; k++) {
            if (piece_bytes) { add_edge(&e, item[k - 1].address / piece_bytes, item[k].address / piece_bytes, s->frequency); }
            else             { add_edge(&e, item[k - 1].site, item[k].site, s->frequency); }
        }
    }
    settle_edges(&e);
    most = e.count ? (double)e.at[0].weight : 1;
    text_add(out, "graph affinity {\n    node [shape=box, fontname=\"sans-serif\", fontsize=10];\n    edge [fontsize=9];\n");
    for (i = 0; i < e.count && i < top; i++) {
        const uint64_t ends[2] = {e.at[i].a, e.at[i].b};
        int k;
        text_add(out, "    ");
        for (k = 0; k < 2; k++) {
            if (piece_bytes) { text_format(out, "\"0x%llx\"", (unsigned long long)(ends[k] * piece_bytes)); }
            else             { text_json(out, labels[ends[k]]); }
            text_add(out, k ? " " : " -- ");
        }
        text_format(out, "[weight=%u, penwidth=%.2f, label=\"%llu\"];\n", 1 + (unsigned)(99 * ((double)e.at[i].weight / most)),
                    0.5 + 4.5 * ((double)e.at[i].weight / most), (unsigned long long)e.at[i].weight);
    }
    text_add(out, "}\n");
    free(e.at);
    free_labels(p, labels);
}

/* ---- order of functions: heaviest edge first, two chains become one where the edge meets an end of both, as Pettis and
   Hansen (PLDI 1990) place procedures ---- */

typedef struct place { uint64_t heat; uint32_t chain, next; } place;
typedef struct chain { uint32_t first, last; uint64_t heat; } chain;

/* The number of the function that a site is in, as a site of `functions`; UINT32_MAX without a name. */
static uint32_t function_of(streams_part *functions, const streams_site *site) {
    size_t length = strcspn(site->name, "\t");
    char *name;
    uint32_t number;
    if (length == 0) { return UINT32_MAX; }
    name = text_clean(site->name, length);
    number = streams_site_number(functions, 0, name);
    free(name);
    return number;
}

static void reverse(place *places, chain *c) {
    uint32_t i = c->first, before = UINT32_MAX, after;
    c->last = c->first;
    while (i != UINT32_MAX) {
        after = places[i].next;
        places[i].next = before;
        before = i;
        i = after;
    }
    c->first = before;
}

static void join(place *places, chain *chains, uint32_t a, uint32_t b) {
    chain *x = &chains[places[a].chain], *y = &chains[places[b].chain];
    uint32_t name = places[a].chain, i;
    if (x == y) { return; }
    if (x->first == a && x->last != a) { reverse(places, x); }
    if (y->last == b && y->first != b) { reverse(places, y); }
    places[x->last].next = y->first;
    for (i = y->first; i != UINT32_MAX; i = places[i].next) { places[i].chain = name; }
    x->last = y->last;
    x->heat += y->heat;
    y->first = UINT32_MAX;
}

static int by_chain_heat(const void *left, const void *right) {
    const chain *x = (const chain *)left, *y = (const chain *)right;
    if (x->heat != y->heat) { return x->heat < y->heat ? 1 : -1; }
    return x->first < y->first ? -1 : x->first > y->first;
}

void streams_to_order(const streams_part *p, text *out) {
    size_t hot = streams_hot(p), i;
    uint32_t *numbers = (uint32_t *)tool_alloc((p->site_count + 1) * sizeof *numbers), count, k;
    streams_part functions;
    place *places;
    chain *chains;
    edges e = {NULL, 0, 0};
    memset(&functions, 0, sizeof functions);
    for (i = 0; i < p->site_count; i++) { numbers[i] = function_of(&functions, &p->sites[i]); }
    count = (uint32_t)functions.site_count;
    places = (place *)tool_alloc((count + 1) * sizeof *places);
    chains = (chain *)tool_alloc((count + 1) * sizeof *chains);
    for (k = 0; k < count; k++) {
        places[k].heat = 0;
        places[k].chain = k;
        places[k].next = UINT32_MAX;
    }
    for (i = 0; i < hot; i++) {
        const streams_stream *s = &p->streams[i];
        uint32_t before = UINT32_MAX;
        for (k = 0; k < s->length; k++) {
            uint32_t function = numbers[p->items[s->first + k].site];
            if (function == UINT32_MAX) { continue; }
            places[function].heat += s->frequency;
            if (before != UINT32_MAX) { add_edge(&e, before, function, s->frequency); }
            before = function;
        }
    }
    settle_edges(&e);
    for (k = 0; k < count; k++) {
        chains[k].first = chains[k].last = k;
        chains[k].heat = places[k].heat;
    }
    for (i = 0; i < e.count; i++) { join(places, chains, (uint32_t)e.at[i].a, (uint32_t)e.at[i].b); }
    if (count) { qsort(chains, count, sizeof *chains, by_chain_heat); }
    for (i = 0; i < count; i++) {
        for (k = chains[i].first; k != UINT32_MAX; k = places[k].next) {
            if (places[k].heat == 0) { continue; }
            text_plain(out, functions.sites[k].name);
            text_add(out, "\n");
        }
    }
    free(e.at);
    free(chains);
    free(numbers);
    free(places);
    streams_part_free(&functions);
}
