/* range.c - time of a part of the run.

   The ticks of the log in the range are written as a part of kind 1 and read
   again. So every table, tree and form of time works as for a whole run:

       log     t  t t t | t  t    t t | t t t        from ... to
                        '-----+-------'
       kind 1     threads, paths, ticks of each path

   A tick of the log is one tick there, with a longer period if it stands for
   several. So intervals are those of the ticks that the log has. */
#include "report/model/range.h"
#include "base/tool.h"
#include "report/kinds/ends.h"
#include "report/kinds/sampled.h"
#include "report/kinds/samples.h"
#include "report/kinds/timeline.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

int range_read(const char *option, const char *value, uint64_t *us) {
    static const struct {
        const char *name;
        double us;
    } units[] = {{"", 1e6}, {"s", 1e6},    {"ms", 1e3},
                 {"us", 1}, {"min", 60e6}, {"h", 3600e6}};
    char *end = NULL;
    double number = *value && strchr(".0123456789", *value) ? strtod(value, &end) : -1;
    size_t i;
    for (i = 0; number >= 0 && i < sizeof units / sizeof *units; i++) {
        if (end == value || strcmp(end, units[i].name) != 0
            || !(number * units[i].us < 9e15))
            continue;
        *us = (uint64_t)(number * units[i].us + .5);
        return TOOL_OK;
    }
    return tool_error(
        "--%s %s: a moment is wanted, such as 12.5 (seconds since the start), 200ms "
        "or 3min",
        option, value);
}

/* ---- the ticks of a range as a part of kind 1 ---- */

typedef struct used {               /* a path of one thread */
    uint32_t path, ticks;
} used;

typedef struct making {
    const timeline *log;
    dump_writer w;
    uint32_t *number;               /* of each path in this thread: 1 + its place, or 0 */
    uint32_t recent[64];            /* functions that were written last */
    size_t sites;                   /* how many were */
    used *list;
    size_t count;
} making;

static void put_thread(making *m, uint32_t number, const char *name) {
    enum { THREAD = 3 };
    int i;
    dump_put(&m->w, THREAD);
    dump_put(&m->w, number);
    dump_put(&m->w, 0);
    dump_put_string(&m->w, name);
    for (i = 0; i < 4; i++) dump_put(&m->w, 0);
}

static int by_path(const void *a, const void *b) {
    const used *x = (const used *)a, *y = (const used *)b;
    return x->path < y->path ? -1 : x->path > y->path;
}

/* A function: anew, or the k-th before the latest. */
static void put_site(making *m, uint32_t function) {
    enum { NEW = 1, RECENT = 2, MOST = 64, SCOPE = 1 | 256 };
    const timeline_function *f = &m->log->functions[function];
    size_t k;
    for (k = 0; k < MOST && k < m->sites; k++) {
        if (m->recent[(m->sites - 1 - k) % MOST] != function) continue;
        dump_put(&m->w, RECENT + k);
        return;
    }
    m->recent[m->sites++ % MOST] = function;
    dump_put(&m->w, NEW);
    dump_put_string(&m->w, f->name);
    dump_put_string(&m->w, f->file);
    dump_put(&m->w, f->line);
    dump_put(&m->w, SCOPE);
}

/* A thread's paths, parents first, and those around them that no tick is on. */
static void put_paths(making *m) {
    enum { PATH = 6 };
    size_t i;
    qsort(m->list, m->count, sizeof *m->list, by_path);
    for (i = 0; i < m->count; i++) m->number[m->list[i].path] = (uint32_t)i + 1;
    for (i = 0; i < m->count; i++) {
        const timeline_path *path = &m->log->paths[m->list[i].path];
        dump_put(&m->w, PATH);
        put_site(m, path->function);
        dump_put(&m->w,
                 path->parent == TIMELINE_NO_PATH ? 0 : i + 1 - m->number[path->parent]);
        dump_put(&m->w, m->list[i].ticks);
        dump_put(&m->w, 0);
        dump_put(&m->w, m->list[i].ticks);
    }
    for (i = 0; i < m->count; i++) m->number[m->list[i].path] = 0;
    m->count = 0;
}

/* Adds a tick to the thread that is being made. */
static void take(making *m, uint32_t path) {
    uint32_t at = path;
    for (; at != TIMELINE_NO_PATH && !m->number[at]; at = m->log->paths[at].parent) {
        if ((m->count & (m->count - 1)) == 0)
            m->list = (used *)tool_grow(m->list,
                                        (m->count ? 2 * m->count : 1) * sizeof *m->list);
        m->list[m->count].path = at;
        m->list[m->count++].ticks = 0;
        m->number[at] = (uint32_t)m->count;
    }
    m->list[m->number[path] - 1].ticks++;
}

/* The order of ticks by thread: from first[n] up to first[n + 1]. */
static uint32_t *by_thread(const timeline *log, size_t begin, size_t end, size_t *first) {
    uint32_t *order = (uint32_t *)tool_alloc((end - begin + 1) * sizeof *order);
    size_t i;
    memset(first, 0, (log->thread_count + 2) * sizeof *first);
    for (i = begin; i < end; i++) first[log->ticks[i].thread + 2]++;
    for (i = 2; i < log->thread_count + 2; i++) first[i] += first[i - 1];
    for (i = begin; i < end; i++) order[first[log->ticks[i].thread + 1]++] = (uint32_t)i;
    return order;
}

static const char *name_of(const timeline *log, const timeline_thread *t) {
    return !*t->name && t->number && t->number == log->process ? "main" : t->name;
}

/* Each thread has paths of its own. Of very many threads that are deep in the
   same paths there would be more of these than the file has bytes: those that
   come then are one. */
static void put_threads(making *m, size_t begin, size_t end) {
    const timeline *log = m->log;
    size_t *first = (size_t *)tool_alloc((log->thread_count + 2) * sizeof *first), i, k,
           made = 0;
    size_t room = log->tick_count + log->path_count + 4096;
    uint32_t *order = by_thread(log, begin, end, first);
    int is_joined = 0;
    m->number = (uint32_t *)tool_alloc((log->path_count + 1) * sizeof *m->number);
    for (i = 0; i < log->thread_count; i++) {
        if (first[i] == first[i + 1]) continue;
        if (!is_joined) {
            if (m->count) put_paths(m);
            is_joined = made > room;
            put_thread(m, is_joined ? 0 : log->threads[i].number,
                       is_joined ? "(further threads)" : name_of(log, &log->threads[i]));
        }
        for (k = first[i]; k < first[i + 1]; k++) take(m, log->ticks[order[k]].path);
        made += m->count;
    }
    put_paths(m);
    free(first);
    free(order);
    free(m->number);
    free(m->list);
}

/* As many as of the whole, rounded up. */
static uint64_t part_of(uint64_t count, const timeline *log, size_t ticks) {
    if (!log->tick_count) return 0;
    return (uint64_t)ceil((double)count * (double)ticks / (double)log->tick_count);
}

static const sampled_program *program_of(const tally *all, const char *name) {
    size_t i;
    for (i = 0; all && i < all->programs.count; i++) {
        const sampled_program *p = &all->programs.at[i];
        if (p->has_ticks && strcmp(p->name, name) == 0) return p;
    }
    return NULL;
}

static text make_part(const timeline *log, const tally *all, size_t begin, size_t end) {
    enum { KIND = 1, INFO = 1, TICKS = 5, WAYS = 15 };
    const sampled_program *of = program_of(all, log->program);
    text out = {NULL, 0, 0};
    making m;
    int i;
    memset(&m, 0, sizeof m);
    m.log = log;
    dump_begin(&m.w, &out, KIND);
    dump_put(&m.w, INFO);
    dump_put(&m.w, 0);
    dump_put_string(&m.w, log->program);
    for (i = 0; i < 3; i++) dump_put(&m.w, 0);
    dump_put(&m.w, TICKS);
    dump_put(&m.w, timeline_tick_us(log));
    dump_put(&m.w, of ? part_of(of->ticks_lost, log, end - begin) / log->one_of : 0);
    dump_put(&m.w, of ? part_of(of->ticks_cut, log, end - begin) / log->one_of : 0);
    dump_put(&m.w, 0);
    if (of && of->tick_ways) {
        dump_put(&m.w, WAYS);
        dump_put(&m.w, of->tick_ways);
    }
    put_threads(&m, begin, end);
    dump_end(&m.w);
    return out;
}

/* ---- the rest of the file ---- */

/* Its time has no moments. */
static char *drop_others(input *in, const timeline *log, const tally *all) {
    text note = {NULL, 0, 0};
    size_t i;
    for (i = 0; i < in->state_count;) {
        const part_kind *kind = in->states[i].kind;
        if (kind == &kind_timeline || kind == &kind_ends || kind == &kind_samples
            || kind == &kind_sampled) {
            i++;
            continue;
        }
        text_add(&note, note.size ? ", " : "");
        text_add(&note, kind->name);
        input_drop(in, kind);
    }
    if (all && all->rows.count) text_add(&note, note.size ? ", calls" : "calls");
    if (all && all->programs.count > 1)
        text_add(&note, note.size ? ", other programs" : "other programs");
    if (log->others)
        text_add(&note, note.size ? ", other recordings" : "other recordings");
    return text_take(&note);
}

static double seconds(uint64_t us) { return (double)us / 1e6; }

static int check(const range *g, const timeline *log, const char *path) {
    if (g->has_from && g->has_to && g->from >= g->to)
        return tool_error("--from %.6g and --to %.6g leave no time between them",
                          seconds(g->from), seconds(g->to));
    if (g->has_from && g->from >= log->span_us)
        return tool_error("--from %.6g: the recording of %s ends at %.6g s",
                          seconds(g->from), path, seconds(log->span_us));
    return TOOL_OK;
}

int range_apply(const range *g, input *in, const char *path, char **note) {
    const timeline_state *s = (const timeline_state *)input_find(in, &kind_timeline);
    const tally *all = (const tally *)input_find(in, &kind_sampled);
    timeline *log = s ? s->kept : NULL;
    size_t begin, end;
    uint64_t to;
    text part = {NULL, 0, 0};
    int status;
    *note = NULL;
    if (!log || (!log->tick_count && !log->waits.count && !log->late.count))
        return tool_error(
            "%s: it has no ticks in time, which --from and --to need; bursty record "
            "writes them, and so does bursty.h with config.timeline",
            path);
    status = check(g, log, path);
    if (status != TOOL_OK) return status;
    to = g->has_to && g->to <= log->span_us ? g->to : log->span_us + 1;
    begin = timeline_first(log, g->has_from ? g->from : 0);
    end = timeline_first(log, to);
    *note = drop_others(in, log, all);
    if (begin < end) part = make_part(log, all, begin, end);
    input_drop(in, &kind_sampled);
    log->from_us = g->has_from ? g->from : 0;
    log->to_us = to > log->span_us ? log->span_us : to;
    log->whole_count = log->tick_count;
    memmove(log->ticks, log->ticks + begin, (end - begin) * sizeof *log->ticks);
    log->tick_count = end - begin;
    if (part.size) {
        status = input_take(in, path, &part);
        if (status == TOOL_OK)
            kind_sampled.settle((void *)(uintptr_t)input_find(in, &kind_sampled));
    }
    text_free(&part);
    return status;
}
