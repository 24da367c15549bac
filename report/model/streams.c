/* streams.c - profiles of hot data streams become tables, and two trees: of
   sites, and of the pieces of memory that they used. */
#include "report/model/streams.h"
#include "base/demangle.h"
#include "base/json.h"
#include "base/tool.h"
#include "report/model/loops.h"
#include "report/model/report.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    PIECE_BYTES = 64,
    SITES_SHOWN = 8,
    OBJECTS_SHOWN = 4,
    OFFSETS_SHOWN = 6,
    LABEL_CHARACTERS = 48,
    ROWS_SHOWN = 20,
    PAGE_STREAMS = 500
};

/* What a site is called: its name, "name (file:line)", or its value. A place
   that nobody looked up has an address behind another tab and is left out. To be
   freed by the caller. */
static char *label_of(const streams_part *p, const streams_site *site, int keeps_mangled) {
    const char *tab = strchr(site->name, '\t'), *object = streams_object_of(site->name);
    text t = {NULL, 0, 0};
    if (!*site->name) {
        text_format(&t, p->flags & 1 ? "%llu" : "0x%llx", (unsigned long long)site->value);
    } else {
        char *name = text_clean(site->name, tab ? (size_t)(tab - site->name) : strlen(site->name));
        char *readable = keeps_mangled ? NULL : demangle(name);
        text_add(&t, readable ? readable : name);
        free(name);
        free(readable);
    }
    if (*site->name && tab && tab + 2 != object) {
        size_t size = object ? (size_t)(object - 2 - (tab + 1)) : strlen(tab + 1);
        if (!memchr(tab + 1, '\t', size)) {
            text_add(&t, " (");
            text_bytes(&t, tab + 1, size);
            text_add(&t, ")");
        }
    }
    return text_take(&t);
}

/* The share of all references that the hottest `count` streams of a sorted part
   hold. */
static double covered(const streams_part *p, size_t count) {
    double sum = 0;
    size_t i;
    for (i = 0; i < count; i++) sum += (double)p->streams[i].heat;
    return p->references ? sum / (double)p->references : 0;
}

static char **labels_of(const streams_part *p, int keeps_mangled) {
    char **labels = (char **)tool_alloc((p->site_count + 1) * sizeof *labels);
    size_t i;
    for (i = 0; i < p->site_count; i++) labels[i] = label_of(p, &p->sites[i], keeps_mangled);
    return labels;
}

static void free_labels(const streams_part *p, char **labels) {
    size_t i;
    for (i = 0; i < p->site_count; i++) free(labels[i]);
    free(labels);
}

/* ---- table ---- */

static const report_column columns[] = {
    {"share", "share", REPORT_SHARE, 0, NULL},
    {"heat", "references", REPORT_COUNT, REPORT_OPTIONAL, NULL},
    {"length", "length", REPORT_COUNT, 0, NULL},
    {"frequency", "times", REPORT_COUNT, 0, NULL},
    {"objects", "objects", REPORT_NAME, REPORT_OPTIONAL, NULL},
    {"sites", "sites", REPORT_NAME, 0, NULL},
};

/* Labels are shortened, for a stream may name a site again and again; groups
   that come again at once stand there once: "(A, B x3) x12". *shown counts what
   stands there already. */
static void put_sites(text *t, const uint32_t *sites, uint32_t count, char **labels,
                      uint32_t *shown) {
    uint32_t k, times, group;
    for (k = 0; k < count; k += times * group) {
        times = loops_repeats(sites + k, count - k, &group);
        text_add(t, k ? ", " : "");
        if (*shown == SITES_SHOWN) {
            text_format(t, "and %u more", (unsigned)(count - k));
            return;
        }
        if (group > 1) {
            text_add(t, "(");
            put_sites(t, sites + k, group, labels, shown);
            text_add(t, ")");
        } else {
            text_short(t, labels[sites[k]], LABEL_CHARACTERS);
            ++*shown;
        }
        if (times > 1) text_format(t, " x%u", (unsigned)times);
    }
}

/* "heap of f < g +0 +8, table +16": what data a round uses, in the order of its
   first use. Nothing where that is not known. */
static const char *keep_objects(report *r, const streams_part *p, const loops_row *row) {
    const streams_item *items = p->items + p->streams[row->stream].first;
    text t = {NULL, 0, 0};
    uint32_t k, i, shown = 0, more = 0;
    for (k = 0; k < row->period; k++) {
        const char *object = streams_object_of(p->sites[items[k].site].name), *other;
        uint32_t offsets = 0;
        for (i = 0; object && i < k; i++) {
            other = streams_object_of(p->sites[items[i].site].name);
            if (other && strcmp(other, object) == 0) break;
        }
        if (!object || i < k) continue;
        if (shown == OBJECTS_SHOWN) {
            more++;
            continue;
        }
        text_add(&t, shown++ ? ", " : "");
        text_short(&t, object, LABEL_CHARACTERS);
        if (*object == '(') continue; /* no offsets: the stack, the heap of who knows whom */
        for (i = k; i < row->period; i++) {
            uint32_t before = k;
            other = streams_object_of(p->sites[items[i].site].name);
            if (!other || strcmp(other, object) != 0) continue;
            while (before < i && (items[before].address != items[i].address
                                  || !(other = streams_object_of(p->sites[items[before].site].name))
                                  || strcmp(other, object) != 0))
                before++;
            if (before < i) continue;
            if (offsets++ == OFFSETS_SHOWN) {
                text_add(&t, " ...");
                break;
            }
            text_format(&t, " +%llu", (unsigned long long)items[i].address);
        }
    }
    if (more) text_format(&t, ", and %u more", (unsigned)more);
    text_add(&t, "");
    return report_keep_text(r, &t);
}

static const char *keep_sites(report *r, const streams_part *p, const loops_row *row,
                              char **labels) {
    const streams_stream *s = &p->streams[row->stream];
    uint32_t *sites = (uint32_t *)tool_alloc(row->period * sizeof *sites), k, shown = 0;
    text t = {NULL, 0, 0};
    for (k = 0; k < row->period; k++) sites[k] = p->items[s->first + k].site;
    if (row->streams > 1) text_format(&t, "loop of %lu streams: ", (unsigned long)row->streams);
    put_sites(&t, sites, row->period, labels, &shown); /* it has a round or more */
    free(sites);
    return report_keep_text(r, &t);
}

static void add_table(report *r, const streams_part *p, size_t hot, char **labels) {
    text title = {NULL, 0, 0}, remark = {NULL, 0, 0};
    loops_row *rows = (loops_row *)tool_alloc((hot + 1) * sizeof *rows);
    size_t folded = loops_fold(p, hot, rows), i;
    report_table *table;
    text_add(&title, "hot data streams");
    if (*p->title) {
        text_add(&title, " of ");
        text_add(&title, p->title);
    }
    text_bytes(&title, "", 1);
    table = report_add_table(r, "streams", title.data, columns, sizeof columns / sizeof *columns);
    table->rows_shown = ROWS_SHOWN;
    text_counted(&remark, hot, "stream");
    text_format(&remark, " of %u to %u references %s %.1f %% of the ", (unsigned)p->min_length,
                (unsigned)p->max_length, hot == 1 ? "holds" : "hold",
                100 * covered(p, hot));
    text_counted(&remark, p->references, "reference");
    text_format(&remark, " recorded; %.1f %% were wanted.", p->coverage_ppm / 1e4);
    if (folded < hot)
        text_add(&remark, " Of streams that are slices of one loop there is one row: length is "
                          "that of a round, times are rounds.");
    text_bytes(&remark, "", 1);
    report_remark(table, remark.data);
    for (i = 0; i < folded; i++) {
        const loops_row *loop = &rows[i];
        report_cell *row = report_add_row(table);
        row[0].real = p->references ? (double)loop->heat / (double)p->references : REPORT_NONE;
        row[1].count = loop->heat;
        row[2].count = loop->period;
        row[3].count = loop->streams > 1 ? loop->heat / loop->period
                                         : p->streams[loop->stream].frequency;
        row[4].name = keep_objects(r, p, loop);
        row[5].name = keep_sites(r, p, loop, labels);
    }
    free(rows);
    text_free(&title);
    text_free(&remark);
}

/* ---- trees: each hot stream is a chain below the root, its heat stands at the last node ---- */

static char *copy_of(const char *words) { return text_clean(words, strlen(words)); }

static void add_site_tree(report *r, const streams_part *p, size_t hot, size_t nodes,
                          char **labels) {
    report_tree *tree = report_add_tree(r, nodes + 1, p->site_count + 1);
    size_t i, at = 1;
    uint32_t k;
    tree->names[0] = copy_of("");
    for (i = 0; i < p->site_count; i++) tree->names[i + 1] = copy_of(labels[i]);
    tree->unit = "references";
    tree->is_whole = 1;
    for (i = 0; i < hot; i++) {
        const streams_stream *s = &p->streams[i];
        for (k = 0; k < s->length; k++, at++) {
            tree->parent[at] = k ? (uint32_t)at - 1 : 0;
            tree->name[at] = p->items[s->first + k].site + 1;
        }
        tree->lower[at - 1] = tree->upper[at - 1] = s->heat;
    }
}

static int by_words(const void *left, const void *right) {
    return strcmp(*(char *const *)left, *(char *const *)right);
}

/* "table +16", or "object 0x1240": 64 bytes of the process's memory. */
static char *piece_of(const streams_part *p, const streams_item *item) {
    const char *object = streams_object_of(p->sites[item->site].name);
    text name = {NULL, 0, 0};
    if (!object)
        text_format(&name, "object 0x%llx",
                    (unsigned long long)(item->address / PIECE_BYTES * PIECE_BYTES));
    else {
        text_add(&name, object);
        if (*object != '(')
            text_format(&name, " +%llu", (unsigned long long)item->address);
    }
    return text_take(&name);
}

static void add_object_tree(report *r, const streams_part *p, size_t hot, size_t nodes) {
    char **pieces = (char **)tool_alloc((nodes + 1) * sizeof *pieces), **found;
    size_t i, n = 0, kept = 0, at = 1;
    report_tree *tree;
    uint32_t k;
    for (i = 0; i < hot; i++) {
        for (k = 0; k < p->streams[i].length; k++)
            pieces[n++] = piece_of(p, &p->items[p->streams[i].first + k]);
    }
    qsort(pieces, n, sizeof *pieces, by_words);
    for (i = 0; i < n; i++) {
        if (!kept || strcmp(pieces[kept - 1], pieces[i]) != 0) pieces[kept++] = pieces[i];
        else free(pieces[i]);
    }
    if (kept < 2) { /* events have no addresses */
        if (kept) free(pieces[0]);
        free(pieces);
        return;
    }
    tree = report_add_tree(r, nodes + 1, kept + 1);
    tree->names[0] = copy_of("");
    for (i = 0; i < kept; i++) tree->names[i + 1] = pieces[i];
    tree->unit = "references";
    tree->is_whole = 0;
    for (i = 0; i < hot; i++) {
        const streams_stream *s = &p->streams[i];
        for (k = 0; k < s->length; k++, at++) {
            char *piece = piece_of(p, &p->items[s->first + k]);
            found = (char **)bsearch(&piece, pieces, kept, sizeof *pieces, by_words);
            tree->parent[at] = k ? (uint32_t)at - 1 : 0;
            tree->name[at] = (uint32_t)(found - pieces) + 1;
            free(piece);
        }
        tree->lower[at - 1] = tree->upper[at - 1] = s->heat;
    }
    free(pieces);
}

/* ---- the section ---- */

static void fill(void *made, report *r, const void *state, const input *in) {
    const streams *s = (const streams *)state;
    size_t i, k;
    int is_named = r->name_count != 0; /* by what ran: titles say what was recorded of it */
    (void)in;
    *(const streams **)made = s;
    for (i = 0; i < s->count; i++) {
        const streams_part *p = &s->parts[i];
        size_t hot = streams_hot(p), nodes = 0;
        char **labels = labels_of(p, r->options.keeps_mangled);
        for (k = 0; k < hot; k++) nodes += p->streams[k].length;
        if (*p->title && !is_named) report_add_name(r, p->title);
        add_table(r, p, hot, labels);
        if (hot) {
            add_site_tree(r, p, hot, nodes, labels);
            add_object_tree(r, p, hot, nodes);
        }
        free_labels(p, labels);
    }
}

/* ---- JSON ---- */

void streams_json(const streams_part *p, size_t top, int keeps_mangled, text *out) {
    size_t hot = streams_hot(p), i, n = 0;
    char **labels = labels_of(p, keeps_mangled);
    uint32_t k;
    text_add(out, "{");
    json_field_string(out, &n, "title", p->title);
    json_field(out, &n, "references", p->references);
    json_field(out, &n, "lost", p->lost);
    json_field(out, &n, "bursts", p->bursts);
    json_field(out, &n, "digests", p->digests);
    json_field(out, &n, "heat_lost", p->heat_lost);
    json_field(out, &n, "min_length", p->min_length);
    json_field(out, &n, "max_length", p->max_length);
    json_field_real(out, &n, "coverage_wanted", p->coverage_ppm / 1e6);
    json_field_real(out, &n, "coverage", covered(p, hot));
    json_field(out, &n, "hot", hot);
    text_add(out, ",\"sites\":");
    json_list_strings(out, labels, p->site_count);
    text_add(out, ",\"objects\":["); /* of each site; "": not known */
    for (i = 0; i < p->site_count; i++) {
        const char *object = streams_object_of(p->sites[i].name);
        text_add(out, i ? "," : "");
        text_json(out, object ? object : "");
    }
    text_add(out, "]");
    text_add(out, ",\"list\":[");
    for (i = 0; i < hot && i < top; i++) {
        const streams_stream *s = &p->streams[i];
        size_t m = 0;
        json_comma(out, i);
        text_add(out, "{");
        json_field(out, &m, "heat", s->heat);
        json_field(out, &m, "frequency", s->frequency);
        json_field(out, &m, "length", s->length);
        text_add(out, ",\"sites\":[");
        for (k = 0; k < s->length; k++)
            text_format(out, k ? ",%u" : "%u", (unsigned)p->items[s->first + k].site);
        text_add(out, "],\"addresses\":[");
        for (k = 0; k < s->length; k++) { /* hexadecimal strings: JSON's numbers end at 2^53 */
            text_format(out, k ? ",\"%llx\"" : "\"%llx\"",
                        (unsigned long long)p->items[s->first + k].address);
        }
        text_add(out, "]}");
    }
    text_add(out, "]}");
    free_labels(p, labels);
}

static void write_json(const void *made, const report *r, text *out) {
    const streams *s = *(const streams *const *)made;
    size_t i;
    text_add(out, "[");
    for (i = 0; i < s->count; i++) {
        json_comma(out, i);
        streams_json(&s->parts[i], PAGE_STREAMS, r->options.keeps_mangled, out);
    }
    text_add(out, "]");
}

const report_section section_streams = {&kind_streams, "streams",  sizeof(const streams *),
                                        fill,          write_json, NULL};
