/* timeline.c - reading, keeping and writing parts of kind 26.

   Moments of two recordings have no common axis, so logs are not added up. Of
   several the one stays that has the most CPU time; of these the one whose bytes
   are the larger number. In which order or grouping they come makes no
   difference. How many were left out is a sum like others.

       threads    <- ticks (moment, thread, path), by moment
       functions  <- paths (function, parent) <- ticks

   Cost: linear in the part. */
#include "report/kinds/timeline.h"
#include "base/hash.h"
#include "base/tool.h"
#include <stdlib.h>
#include <string.h>

/* 1: without waits and frames; 2: without the time in which nobody saw waits */
enum { KIND = 26, VERSION = 3 };

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

static void get_spans(const timeline *t, timeline_spans *s, size_t most, dump_reader *r) {
    uint64_t thread;
    s->left = dump_get(r);
    s->left_us = dump_get(r);
    while ((thread = dump_get(r)) != 0 && !r->reason) {
        timeline_span one;
        uint64_t what;
        one.from_us = dump_get(r);
        one.us = dump_get(r);
        what = dump_get(r);
        if (!r->reason && (one.from_us > t->span_us || one.us > t->span_us - one.from_us))
            r->reason = "a wait or frame behind the log's end";
        if (!r->reason && (thread > t->thread_count || what >= most))
            r->reason = "a wait or frame of what is not there";
        if (r->reason) return;
        one.thread = (uint32_t)thread - 1;
        one.what = (uint32_t)what;
        s->at = (timeline_span *)grow(s->at, s->count, sizeof *s->at);
        s->at[s->count++] = one;
    }
}

static void get_frames(timeline *t, dump_reader *r) {
    uint64_t count = dump_get(r);
    for (; count && !r->reason; count--) {
        t->frames = (timeline_frames *)grow(t->frames, t->frame_count, sizeof *t->frames);
        t->frames[t->frame_count].name = dump_get_name(r);
        t->frames[t->frame_count++].limit_us = dump_get(r);
    }
    if (!r->reason) get_spans(t, &t->late, t->frame_count, r);
}

static int by_begin(const void *left, const void *right) {
    const timeline_span *a = (const timeline_span *)left, *b = (const timeline_span *)right;
    if (a->from_us != b->from_us) return a->from_us < b->from_us ? -1 : 1;
    if (a->us != b->us) return a->us < b->us ? -1 : 1;
    if (a->thread != b->thread) return a->thread < b->thread ? -1 : 1;
    return a->what < b->what ? -1 : a->what > b->what;
}

static void sort_spans(timeline_spans *s) {
    if (s->count) qsort(s->at, s->count, sizeof *s->at, by_begin);
}

/* Waits are of a path, and 0 says that none is known. */
static void get_waits(timeline *t, uint64_t version, dump_reader *r) {
    size_t i;
    t->wait_look_us = dump_get(r);
    if (version > 2) t->wait_unseen_us = dump_get(r);
    if (!r->reason && t->wait_unseen_us > t->span_us)
        r->reason = "waits were unseen for longer than the log is";
    get_spans(t, &t->waits, t->path_count + 1, r);
    for (i = 0; i < t->waits.count; i++) t->waits.at[i].what--;
}

/* ---- equal functions are one ---- */

static int is_function(const void *owner, uint32_t number, const void *key) {
    const timeline_function *f = &((const timeline *)owner)->functions[number - 1];
    const timeline_function *other = (const timeline_function *)key;
    return f->line == other->line && strcmp(f->name, other->name) == 0
           && strcmp(f->file, other->file) == 0;
}

static void join_functions(timeline *t) {
    uint32_t *numbers = (uint32_t *)tool_alloc((t->function_count + 1) * sizeof *numbers);
    hash_table index = {NULL, 0, 0};
    size_t i, kept = 0;
    for (i = 0; i < t->function_count; i++) {
        timeline_function f = t->functions[i];
        uint64_t hash = hash_numbers(hash_string(f.name), hash_string(f.file) + f.line);
        uint32_t *at = hash_place(&index, hash, is_function, t, &f);
        if (*at) {
            free(f.name);
            free(f.file);
        } else {
            t->functions[kept++] = f;
            *at = (uint32_t)kept;
        }
        numbers[i] = *at - 1;
    }
    t->function_count = kept;
    for (i = 0; i < t->path_count; i++) t->paths[i].function = numbers[t->paths[i].function];
    hash_free(&index);
    free(numbers);
}

static void get_all(timeline *t, dump_reader *r) {
    uint64_t count, version = dump_get(r);
    uint32_t *last;
    if ((version < 1 || version > VERSION) && !r->reason)
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
    if (!r->reason && version > 1) get_waits(t, version, r);
    if (!r->reason && version > 1) get_frames(t, r);
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

/* plus: of what each is of. */
static void put_spans(dump_writer *w, const timeline_spans *s, uint32_t plus) {
    size_t i;
    dump_put(w, s->left);
    dump_put(w, s->left_us);
    for (i = 0; i < s->count; i++) {
        dump_put(w, (uint64_t)s->at[i].thread + 1);
        dump_put(w, s->at[i].from_us);
        dump_put(w, s->at[i].us);
        dump_put(w, s->at[i].what + plus);
    }
    dump_put(w, 0);
}

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
    dump_put(&w, t->wait_look_us);
    dump_put(&w, t->wait_unseen_us);
    put_spans(&w, &t->waits, 1);
    dump_put(&w, t->frame_count);
    for (i = 0; i < t->frame_count; i++) {
        dump_put_string(&w, t->frames[i].name);
        dump_put(&w, t->frames[i].limit_us);
    }
    put_spans(&w, &t->late, 0);
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
    for (i = 0; i < t->frame_count; i++) free(t->frames[i].name);
    free(t->frames);
    free(t->waits.at);
    free(t->late.at);
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
    join_functions(t);
    sort_spans(&t->waits);
    sort_spans(&t->late);
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
