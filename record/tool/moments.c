/* moments.c - a log of ticks in time (kind 26), in bounded room.

       ticks, as they are drawn:   x x x x x x x x x x x x   one of 1
       when there is no room:      x   x   x   x   x   x     one of 2
       and so on, one of 4, 8, ...

   Which ticks stay has nothing to do with what they are, so each stands for as
   many as the others. They are drawn thread by thread, and each thread keeps its
   share to within one. In the file they are in the order of their time. */
#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE 1
#endif
#include "record/tool/outside.h"

#ifdef CAN_ATTACH
#include "base/tool.h"
#include "report/kinds/timeline.h"
#include <stdlib.h>
#include <string.h>
#include <time.h>

static struct {
    timeline_tick *at;              /* path: as sampled_tick counts */
    size_t count, most;
    uint64_t one_of, drawn;
} all;

void moments_begin(uint32_t most) {
    all.at = (timeline_tick *)tool_grow(all.at, (most + (size_t)1) * sizeof *all.at);
    all.most = most;
    all.count = 0;
    all.one_of = 1;
    all.drawn = 0;
}

static uint64_t us_of(uint64_t ns) {
    return ns > events.zero_ns ? (ns - events.zero_ns) / 1000 : 0;
}

void moments_add(uint64_t ns, uint32_t thread, uint32_t path) {
    size_t n;
    if (!all.most || !path) return;
    if (all.count == all.most && all.drawn % all.one_of == 0) {
        for (n = 0; 2 * n < all.count; n++) all.at[n] = all.at[2 * n];
        all.count = n;
        all.one_of *= 2;
    }
    if (all.drawn++ % all.one_of) return;
    all.at[all.count].us = us_of(ns);
    all.at[all.count].thread = thread;
    all.at[all.count++].path = path;
}

static int by_time(const void *left, const void *right) {
    const timeline_tick *a = (const timeline_tick *)left,
                        *b = (const timeline_tick *)right;
    if (a->us != b->us) return a->us < b->us ? -1 : 1;
    if (a->thread != b->thread) return a->thread < b->thread ? -1 : 1;
    return a->path < b->path ? -1 : a->path > b->path;
}

/* ---- what the log needs of threads, paths and functions ---- */

static uint32_t number_of(timeline *t, uint32_t *numbers, uint32_t thread) {
    const thread_time *of = thread_get(thread);
    if (!numbers[thread]) {
        t->threads[t->thread_count].number = of->thread;
        t->threads[t->thread_count].name = text_clean(of->name, strlen(of->name));
        numbers[thread] = (uint32_t)++t->thread_count;
    }
    return numbers[thread] - 1;
}

/* Threads in the order of their first ticks, and then those that only waited. */
static void number_threads(timeline *t) {
    uint32_t *numbers =
        (uint32_t *)tool_alloc((thread_count() + (size_t)1) * sizeof *numbers);
    size_t i;
    t->threads =
        (timeline_thread *)tool_alloc((thread_count() + (size_t)1) * sizeof *t->threads);
    for (i = 0; i < t->tick_count; i++)
        t->ticks[i].thread = number_of(t, numbers, t->ticks[i].thread);
    for (i = 0; i < t->waits.count; i++)
        t->waits.at[i].thread = number_of(t, numbers, t->waits.at[i].thread);
    free(numbers);
}

/* The longest waits. What they are of is the number of a path among ticks. */
static void take_waits(timeline *t, uint32_t number,
                       uint32_t (*path)(uint32_t place, uint32_t callers)) {
    size_t most = all.most / 8 + 1, i;
    waited *list = (waited *)tool_alloc(most * sizeof *list);
    t->waits.count = waits_of(number, list, most, &t->waits.left, &t->waits.left_us);
    t->waits.left_us /= 1000;
    t->wait_unseen_us = waits_unseen_ns() / 1000;
    t->waits.at = (timeline_span *)tool_alloc((t->waits.count + 1) * sizeof *t->waits.at);
    for (i = 0; i < t->waits.count; i++) {
        timeline_span *s = &t->waits.at[i];
        s->from_us = us_of(list[i].from_ns);
        s->us = us_of(list[i].from_ns + list[i].ns) - s->from_us;
        s->thread = list[i].thread;
        s->what = path(list[i].place, list[i].callers);
        if (s->from_us + s->us > t->span_us) t->span_us = s->from_us + s->us;
    }
    if (t->wait_unseen_us > t->span_us) t->wait_unseen_us = t->span_us;
    free(list);
}

static int is_function(const void *owner, uint32_t number, const void *key) {
    return ((const uint32_t *)owner)[number - 1] == *(const uint32_t *)key;
}

static uint32_t function_of(timeline *t, hash_table *index, uint32_t *keys, uint32_t key,
                            const sampled_profile *about) {
    uint32_t *at = hash_place(index, hash_numbers(key, 0), is_function, keys, &key);
    const char *name = sampled_name_of(about, key), *where = NULL;
    timeline_function *f = &t->functions[t->function_count];
    if (*at) return *at - 1;
    if (key < SAMPLED_BEYOND) where = about->place(about->name_user, key);
    keys[t->function_count] = key;
    f->name = text_clean(name ? name : "?", strlen(name ? name : "?"));
    f->file = text_clean(where ? where : "", where ? strlen(where) : 0);
    *at = (uint32_t)++t->function_count;
    return *at - 1;
}

/* Those that a tick is on, and those around them. Parents have smaller numbers. */
static void number_paths(timeline *t, const sampled_profile *about,
                         const sampled_ticks *ticks) {
    uint32_t *numbers =
        (uint32_t *)tool_alloc((ticks->paths_used + (size_t)1) * sizeof *numbers);
    uint32_t *keys =
                 (uint32_t *)tool_alloc((ticks->paths_used + (size_t)1) * sizeof *keys),
             path;
    hash_table index = {NULL, 0, 0};
    size_t i;
    for (i = 0; i < t->tick_count; i++) numbers[t->ticks[i].path] = 1;
    for (i = 0; i < t->waits.count; i++) numbers[t->waits.at[i].what] = 1;
    for (path = ticks->paths_used; path > 0; path--)
        if (numbers[path]) numbers[ticks->paths[path - 1].parent] = 1;
    t->paths =
        (timeline_path *)tool_alloc((ticks->paths_used + (size_t)1) * sizeof *t->paths);
    t->functions = (timeline_function *)tool_alloc((ticks->paths_used + (size_t)1)
                                                   * sizeof *t->functions);
    for (path = 1; path <= ticks->paths_used; path++) {
        const sampled_path *p = &ticks->paths[path - 1];
        timeline_path *to = &t->paths[t->path_count];
        if (!numbers[path]) continue;
        to->function = function_of(t, &index, keys, p->key, about);
        to->parent = p->parent ? numbers[p->parent] : TIMELINE_NO_PATH;
        numbers[path] = (uint32_t)t->path_count++;
    }
    for (i = 0; i < t->tick_count; i++) t->ticks[i].path = numbers[t->ticks[i].path];
    for (i = 0; i < t->waits.count; i++) {
        timeline_span *s = &t->waits.at[i];
        s->what = s->what ? numbers[s->what] : TIMELINE_NO_PATH;
    }
    hash_free(&index);
    free(numbers);
    free(keys);
}

/* CLOCK_REALTIME when CLOCK_MONOTONIC was at our zero, as both are now. */
static uint64_t began_us(void) {
    struct timespec real, steady;
    uint64_t since;
    clock_gettime(CLOCK_MONOTONIC, &steady);
    clock_gettime(CLOCK_REALTIME, &real);
    since =
        (uint64_t)steady.tv_sec * 1000000000 + (uint64_t)steady.tv_nsec - events.zero_ns;
    return (uint64_t)real.tv_sec * 1000000 + (uint64_t)real.tv_nsec / 1000 - since / 1000;
}

void moments_write(const attach_options *o, uint32_t process_number,
                   const sampled_profile *about, const sampled_ticks *ticks,
                   uint32_t (*path)(uint32_t place, uint32_t callers), text *out) {
    const process *p = process_at(process_number);
    timeline t;
    if (!all.most || !events.has_clock || !events.zero_ns) return;
    memset(&t, 0, sizeof t);
    qsort(all.at, all.count, sizeof *all.at, by_time);
    t.ticks = all.at;
    t.tick_count = all.count;
    t.process = p->pid;
    t.began_us = began_us();
    t.span_us =
        events.last_ns > events.zero_ns ? (events.last_ns - events.zero_ns) / 1000 : 0;
    if (all.count && t.span_us < all.at[all.count - 1].us) t.span_us = all.at[all.count - 1].us;
    t.period_us = 1000000 / o->ticks;
    t.one_of = all.one_of;
    take_waits(&t, process_number, path);
    t.program = text_clean(about->program, strlen(about->program));
    number_threads(&t);
    number_paths(&t, about, ticks);
    if (t.tick_count || t.waits.count) timeline_write(&t, out);
    t.ticks = NULL;                               /* they are ours */
    timeline_free(&t);
}
#endif
