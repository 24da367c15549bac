/* timeline.c - when what ran, on a terminal: a row of blocks for each thread,
   and below it what took most in each part of the time.

       main (41)    19 %  |███▇··▂▅██|      a block is as high as its thread was busy
       frame > 16 ms       |   ▾      |      there; · it waited; ▾ a frame was slow */
#include "base/tool.h"
#include "report/write/writers.h"
#include <stdlib.h>
#include <string.h>

enum { CELLS = 60, CELLS_LEAST = 20, NAME_MOST = 24, ROWS = 20 };

static const char *const blocks[]
    = {" ", "\xE2\x96\x81", "\xE2\x96\x82", "\xE2\x96\x83", "\xE2\x96\x84",
       "\xE2\x96\x85", "\xE2\x96\x86", "\xE2\x96\x87", "\xE2\x96\x88"};

#define WAITED "\xC2\xB7"
#define SLOW "\xE2\x96\xBE"

typedef struct track {
    uint32_t thread;
    uint64_t ticks, waited_us;
} track;

static int by_ticks(const void *left, const void *right) {
    const track *a = (const track *)left, *b = (const track *)right;
    if (a->ticks != b->ticks) return a->ticks > b->ticks ? -1 : 1;
    if (a->waited_us != b->waited_us) return a->waited_us > b->waited_us ? -1 : 1;
    return a->thread < b->thread ? -1 : a->thread > b->thread;
}

static size_t cells_of(const report *r) {
    const size_t beside = NAME_MOST + 10;
    if (!r->options.width || r->options.width >= beside + CELLS) return CELLS;
    return r->options.width > beside + CELLS_LEAST ? r->options.width - beside
                                                   : CELLS_LEAST;
}

static size_t cell_of(const report_axis *a, uint64_t us, size_t cells) {
    double part = (double)(us - a->from_us) / ((double)(a->to_us - a->from_us) + 1);
    return (size_t)(part * (double)cells);
}

/* A tick is a block at least: where one came, the thread was at work. waited: us
   of each cell. */
static void add_cells(text *out, const report_axis *a, const uint64_t *ticks,
                      const double *waited, size_t cells) {
    double us = (double)(a->to_us - a->from_us) / (double)cells;
    size_t i;
    for (i = 0; i < cells; i++) {
        double part = us > 0 ? (double)ticks[i] * (double)a->tick_us / us : 1;
        int high = part >= 1 ? 8 : (int)(part * 8 + .5);
        if (!ticks[i] && waited[i] > us / 2) text_add(out, WAITED);
        else text_add(out, blocks[ticks[i] && !high ? 1 : ticks[i] ? high : 0]);
    }
}

static void add_ends(text *out, const report_axis *a, size_t cells) {
    text line = {NULL, 0, 0}, last = {NULL, 0, 0};
    text_pad(&line, 0, NAME_MOST + 8, 0);
    text_format(&line, "%.4g s", (double)a->from_us / 1e6);
    text_format(&last, "%.4g s", (double)a->to_us / 1e6);
    text_pad(&line, 0, NAME_MOST + 10 + cells - last.size - 2, 0);
    text_bytes(&line, last.data, last.size);
    text_bytes(out, line.data, line.size);
    text_add(out, "\n");
    text_free(&line);
    text_free(&last);
}

static void add_label(text *out, const char *label) {
    size_t from = out->size, columns = 0, i;
    text_plain_short(out, label, NAME_MOST - 1);
    for (i = from; i < out->size; i++)
        columns += ((unsigned char)out->data[i] & 0xC0) != 0x80;
    for (; columns < NAME_MOST; columns++) text_add(out, " ");
}

static void add_track(text *out, const report_axis *a, const track *t,
                      const uint64_t *ticks, const double *waited, size_t cells) {
    double span = (double)(a->to_us - a->from_us);
    add_label(out, a->threads[t->thread]);
    text_format(out, "%4.0f %%  ",
                span > 0 ? 100 * (double)t->ticks * (double)a->tick_us / span : 0);
    add_cells(out, a, ticks, waited, cells);
    text_add(out, "\n");
}

/* Adds a stretch to the us of each cell. */
static void take_stretch(const report_axis *a, const report_stretch *s, double *us,
                         size_t cells) {
    double wide = (double)(a->to_us - a->from_us) / (double)cells;
    double from = (double)(s->from_us - a->from_us), to = (double)(s->to_us - a->from_us);
    size_t i;
    for (i = (size_t)(from / wide); i < cells && (double)i * wide < to; i++) {
        double left = (double)i * wide > from ? (double)i * wide : from;
        double right = (double)(i + 1) * wide < to ? (double)(i + 1) * wide : to;
        if (right > left) us[i] += right - left;
    }
}

/* A row for each kind of frames that had slow ones: where they ended. */
static void add_marks(text *out, const report_axis *a, size_t cells) {
    char *marks = (char *)tool_alloc(cells + 1);
    size_t *count = (size_t *)tool_alloc((a->frame_count + 1) * sizeof *count);
    size_t k, i, rows = 0, more = 0;
    for (i = 0; i < a->late_count; i++) count[a->late[i].what]++;
    for (k = 0; k < a->frame_count; k++) {
        text label = {NULL, 0, 0};
        if (!count[k]) continue;
        if (rows++ >= ROWS) {
            more++;
            continue;
        }
        memset(marks, 0, cells);
        for (i = 0; i < a->late_count; i++)
            if (a->late[i].what == k) marks[cell_of(a, a->late[i].to_us, cells)] = 1;
        text_add(&label, a->frames[k].name);
        if (a->frames[k].limit_us)
            text_format(&label, " > %.4g ms", (double)a->frames[k].limit_us / 1e3);
        text_bytes(&label, "", 1);
        add_label(out, label.data);
        text_free(&label);
        text_format(out, "%6lu  ", (unsigned long)count[k]);
        for (i = 0; i < cells; i++) text_add(out, marks[i] ? SLOW : " ");
        text_add(out, "\n");
    }
    if (more) text_format(out, "(%lu more kinds of frames)\n", (unsigned long)more);
    free(marks);
    free(count);
}

static void add_tracks(const report *r, text *out) {
    const report_axis *a = r->axis;
    size_t cells = cells_of(r), i, count = 0, shown, most;
    track *tracks = (track *)tool_alloc((a->thread_count + 1) * sizeof *tracks);
    uint32_t *row = (uint32_t *)tool_alloc((a->thread_count + 1) * sizeof *row);
    uint64_t *ticks;
    double *waited;
    for (i = 0; i < a->thread_count; i++) tracks[i].thread = (uint32_t)i;
    for (i = 0; i < a->count; i++) tracks[a->moments[i].thread].ticks++;
    for (i = 0; i < a->wait_count; i++)
        tracks[a->waits[i].thread].waited_us += a->waits[i].to_us - a->waits[i].from_us;
    if (a->thread_count) qsort(tracks, a->thread_count, sizeof *tracks, by_ticks);
    while (count < a->thread_count && (tracks[count].ticks || tracks[count].waited_us))
        count++;
    most = r->options.has_top ? r->options.top ? r->options.top : count : ROWS;
    shown = count < most ? count : most;
    ticks = (uint64_t *)tool_alloc((shown * cells + 1) * sizeof *ticks);
    waited = (double *)tool_alloc((shown * cells + 1) * sizeof *waited);
    for (i = 0; i < shown; i++) row[tracks[i].thread] = (uint32_t)i + 1;
    for (i = 0; i < a->count; i++) {
        uint32_t at = row[a->moments[i].thread];
        if (at) ticks[(at - 1) * cells + cell_of(a, a->moments[i].us, cells)]++;
    }
    for (i = 0; i < a->wait_count; i++) {
        uint32_t at = row[a->waits[i].thread];
        if (at) take_stretch(a, &a->waits[i], waited + (at - 1) * cells, cells);
    }
    add_ends(out, a, cells);
    for (i = 0; i < shown; i++) {
        add_track(out, a, &tracks[i], ticks + i * cells, waited + i * cells, cells);
        save_some(r->out, out);
    }
    if (shown < count)
        text_format(out, "(%lu more threads; --top 0 shows all)\n",
                    (unsigned long)(count - shown));
    add_marks(out, a, cells);
    if (a->wait_count) text_add(out, "(" WAITED " it waited)\n");
    free(tracks);
    free(waited);
    free(ticks);
    free(row);
}

static void write_timeline(const report *r, text *out) {
    size_t i, k;
    if (!r->axis) return;
    text_plain(out, r->title);
    text_add(out, "\n");
    text_losses(out, r);
    if (r->headline) text_wrapped(out, r, r->headline);
    for (i = 0; i < r->fact_count; i++) {
        text line = {NULL, 0, 0};
        if (strcmp(r->facts[i].name, "in time") != 0
            && strcmp(r->facts[i].name, "range") != 0
            && !strstr(r->facts[i].name, " in time"))
            continue;
        text_add(&line, r->facts[i].name);
        text_add(&line, ": ");
        text_add(&line, r->facts[i].value);
        text_bytes(&line, "", 1);
        text_wrapped(out, r, line.data);
        text_free(&line);
    }
    if (!r->axis->count && !r->axis->wait_count && !r->axis->late_count) return;
    text_add(out, "\n");
    add_tracks(r, out);
    for (i = 0; i < r->part_count; i++) {
        for (k = 0; k < r->parts[i].table_count; k++) {
            const report_table *table = r->parts[i].tables[k];
            if (strcmp(table->key, "slices") != 0 && strcmp(table->key, "waits") != 0)
                continue;
            text_add(out, "\n");
            text_plain(out, table->title);
            text_add(out, "\n");
            text_wrapped(out, r, table->remark);
            (void)text_rows(out, r, table, 0);
        }
    }
}

static int has_axis(const report *r) { return r->axis != NULL; }

const report_writer writer_timeline = {
    "timeline",
    "when which thread was busy, and with what",
    REPORT_USES_TITLE | REPORT_USES_NAMES | REPORT_USES_TOP,
    0,
    write_timeline,
    has_axis,
    NULL,
};
