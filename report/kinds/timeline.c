/* timeline.c - reading, keeping and writing parts of kind 26.

   Moments of two recordings have no common axis, so logs are not added up. Of
   several the one stays that has the most CPU time; of these the one whose bytes
   are the larger number. In which order or grouping they come makes no
   difference. How many were left out is a sum like others.

       threads    <- ticks (moment, thread, path), by moment
       functions  <- paths (function, parent) <- ticks

   Cost: linear in the part. */
#include "report/kinds/timeline.h"
#include "base/tool.h"
#include <stdlib.h>
#include <string.h>

enum { KIND = 26, VERSION = 1 };

/* ---- reading ---- */

/* Room for one more. There is room for 1, 2, 4, ... */
static void *grow(void *list, size_t count, size_t bytes) {
    return count & (count - 1) ? list : tool_grow(list, (count ? 2 * count : 1) * bytes);
}

static void get_thread(timeline *t, dump_reader *r) {
    t->threads = (timeline_thread *)grow(t->threads, t->thread_count, sizeof *t->threads);
    t->threads[t->thread_count].number = dump_get32(r);
    t->threads[t->thread_count++].name = dump_get_name(r);
}

static void get_function(timeline *t, dump_reader *r) {
    timeline_function *f;
    t->functions = (timeline_function *)grow(t->functions, t->function_count, sizeof *f);
    f = &t->functions[t->function_count++];
    f->name = dump_get_name(r);
    f->file = dump_get_name(r);
    f->line = dump_get32(r);
}

static void get_path(timeline *t, dump_reader *r) {
    uint64_t function = dump_get(r), back = dump_get(r);
    if (!r->reason && (function >= t->function_count || back > t->path_count))
        r->reason = "a path whose function or parent is not there";
    if (r->reason) return;
    t->paths = (timeline_path *)grow(t->paths, t->path_count, sizeof *t->paths);
    t->paths[t->path_count].function = (uint32_t)function;
    t->paths[t->path_count].parent
        = back ? (uint32_t)(t->path_count - back) : TIMELINE_NO_PATH;
    t->path_count++;
}

/* last: of each thread, 1 and its latest path. */
static void get_tick(timeline *t, uint32_t *last, dump_reader *r) {
    uint64_t step = dump_get(r), code = dump_get(r);
    uint64_t before = t->tick_count ? t->ticks[t->tick_count - 1].us : 0, path;
    timeline_tick *tick;
    if (r->reason) return;
    if (step > t->span_us || before > t->span_us - step)
        r->reason = "a tick behind the log's end";
    else if (code / 2 >= t->thread_count)
        r->reason = "a tick of a thread that is not there";
    if (r->reason) return;
    if (code & 1) {
        path = dump_get(r);
        if (!r->reason && path >= t->path_count)
            r->reason = "a tick on a path that is not there";
        last[code / 2] = (uint32_t)path + 1;
    } else if (!last[code / 2]) r->reason = "a thread's first tick has no path";
    if (r->reason) return;
    t->ticks = (timeline_tick *)grow(t->ticks, t->tick_count, sizeof *t->ticks);
    tick = &t->ticks[t->tick_count++];
    tick->us = before + step;
    tick->thread = (uint32_t)(code / 2);
    tick->path = last[code / 2] - 1;
}

static void get_all(timeline *t, dump_reader *r) {
    uint64_t count;
    uint32_t *last;
    if (dump_get(r) != VERSION && !r->reason)
        r->reason = "a newer version of ticks in time";
    t->program = dump_get_name(r);
    t->process = dump_get32(r);
    t->began_us = dump_get(r);
    t->span_us = dump_get(r);
    t->period_us = dump_get(r);
    t->one_of = dump_get(r);
    t->others = dump_get(r);
    if (!r->reason && (!t->period_us || !t->one_of)) r->reason = "ticks without a period";
    for (count = dump_get(r); count && !r->reason; count--) get_thread(t, r);
    for (count = dump_get(r); count && !r->reason; count--) get_function(t, r);
    for (count = dump_get(r); count && !r->reason; count--) get_path(t, r);
    last = (uint32_t *)tool_alloc((t->thread_count + 1) * sizeof *last);
    while (!r->reason && r->at < r->size) get_tick(t, last, r);
    free(last);
}

int timeline_read(timeline *t, const dump *d, const dump_part *part, dump_fault *fault) {
    dump_reader r = dump_fields(d, part);
    memset(t, 0, sizeof *t);
    get_all(t, &r);
    if (!r.reason) return 0;
    timeline_free(t);
    return dump_refuse(fault, dump_place(d, part, r.at), "%s", r.reason);
}

/* ---- writing ---- */

void timeline_write(const timeline *t, text *out) {
    uint32_t *last = (uint32_t *)tool_alloc((t->thread_count + 1) * sizeof *last);
    dump_writer w;
    size_t i;
    dump_begin(&w, out, KIND);
    dump_put(&w, VERSION);
    dump_put_string(&w, t->program);
    dump_put(&w, t->process);
    dump_put(&w, t->began_us);
    dump_put(&w, t->span_us);
    dump_put(&w, t->period_us);
    dump_put(&w, t->one_of);
    dump_put(&w, t->others);
    dump_put(&w, t->thread_count);
    for (i = 0; i < t->thread_count; i++) {
        dump_put(&w, t->threads[i].number);
        dump_put_string(&w, t->threads[i].name);
    }
    dump_put(&w, t->function_count);
    for (i = 0; i < t->function_count; i++) {
        dump_put_string(&w, t->functions[i].name);
        dump_put_string(&w, t->functions[i].file);
        dump_put(&w, t->functions[i].line);
    }
    dump_put(&w, t->path_count);
    for (i = 0; i < t->path_count; i++) {
        dump_put(&w, t->paths[i].function);
        dump_put(&w, t->paths[i].parent == TIMELINE_NO_PATH ? 0 : i - t->paths[i].parent);
    }
    for (i = 0; i < t->tick_count; i++) {
        const timeline_tick *tick = &t->ticks[i];
        uint64_t is_new = last[tick->thread] != tick->path + 1;
        dump_put(&w, tick->us - (i ? t->ticks[i - 1].us : 0));
        dump_put(&w, 2 * (uint64_t)tick->thread + is_new);
        if (is_new) dump_put(&w, tick->path);
        last[tick->thread] = tick->path + 1;
    }
    dump_end(&w);
    free(last);
}

void timeline_free(timeline *t) {
    size_t i;
    for (i = 0; i < t->thread_count; i++) free(t->threads[i].name);
    for (i = 0; i < t->function_count; i++) {
        free(t->functions[i].name);
        free(t->functions[i].file);
    }
    free(t->program);
    free(t->threads);
    free(t->functions);
    free(t->paths);
    free(t->ticks);
    memset(t, 0, sizeof *t);
}

/* ---- answers ---- */

uint64_t timeline_tick_us(const timeline *t) { return tool_product(t->period_us, t->one_of); }

size_t timeline_first(const timeline *t, uint64_t us) {
    size_t low = 0, high = t->tick_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (t->ticks[middle].us < us) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* ---- one of several ---- */

/* Its bytes, by which logs are compared. */
static text bytes_of(timeline *t) {
    uint64_t others = t->others;
    text bytes = {NULL, 0, 0};
    t->others = 0;
    timeline_write(t, &bytes);
    t->others = others;
    return bytes;
}

static int is_preferred(const timeline *a, const text *x, const timeline *b,
                        const text *y) {
    uint64_t p = tool_product(timeline_tick_us(a), a->tick_count);
    uint64_t q = tool_product(timeline_tick_us(b), b->tick_count);
    if (p != q) return p > q;
    if (x->size != y->size) return x->size > y->size;
    return memcmp(x->data, y->data, x->size) > 0;
}

static int read(void *state, const dump *d, const dump_part *part, dump_fault *fault) {
    timeline_state *s = (timeline_state *)state;
    timeline *t = (timeline *)tool_alloc(sizeof *t);
    uint64_t others;
    text bytes;
    size_t i;
    if (timeline_read(t, d, part, fault) != 0) {
        free(t);
        return -1;
    }
    for (i = 0; i < t->function_count; i++) {
        char *tab =
            strchr(t->functions[i].file, '\t'); /* nobody could make a line of it */
        if (tab) *t->functions[i].file = 0;
    }
    bytes = bytes_of(t);
    if (!s->kept) {
        s->kept = t;
        s->bytes = bytes;
        return 0;
    }
    others = tool_sum(tool_sum(s->kept->others, t->others), 1);
    if (is_preferred(t, &bytes, s->kept, &s->bytes)) {
        timeline swap = *s->kept;
        text swapped = s->bytes;
        *s->kept = *t;
        *t = swap;
        s->bytes = bytes;
        bytes = swapped;
    }
    s->kept->others = others;
    text_free(&bytes);
    timeline_free(t);
    free(t);
    return 0;
}

static void settle(void *state) { (void)state; }

static void write(void *state, text *out) {
    const timeline_state *s = (const timeline_state *)state;
    if (s->kept) timeline_write(s->kept, out);
}

static void free_state(void *state) {
    timeline_state *s = (timeline_state *)state;
    if (s->kept) timeline_free(s->kept);
    free(s->kept);
    text_free(&s->bytes);
    memset(s, 0, sizeof *s);
}

const part_kind kind_timeline
    = {KIND, "ticks in time", sizeof(timeline_state), read, settle, write, free_state,
       NULL};
