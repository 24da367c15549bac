/* speedscope.c - whole stacks as speedscope's JSON: www.speedscope.app, or `npm
   install speedscope`. Name the file NAME.speedscope.json. There is a profile
   for each tree, and one for each thread if there are several. Stacks are of a
   tree that was added up, so that their order means nothing. Where ticks have
   their moments there is one more for each thread, in the order of time: what it
   did in which millisecond, with empty stacks where no tick came. */
#include "base/json.h"
#include "base/tool.h"
#include "report/write/slices.h"
#include "report/write/stacks.h"
#include <stdlib.h>
#include <string.h>

enum { THREADS_MOST = 64, FRAME_BYTES = 6 };

static void add_frames(const report *r, text *out, const report_tree *tree, size_t *count) {
    char **names = stacks_names(tree);
    size_t i;
    for (i = 0; i < tree->name_count; i++) {
        json_comma(out, (*count)++);
        text_add(out, "{\"name\":");
        json_plain(out, *names[i] ? names[i] : "(no name)");
        if (tree->file && *tree->file[i]) {
            text_add(out, ",\"file\":");
            json_plain(out, tree->file[i]);
            text_format(out, ",\"line\":%lu", (unsigned long)tree->line[i]);
        }
        text_add(out, "}");
        save_some(r->out, out);
    }
    stacks_free_names(tree, names);
}

/* A count as the unit of the profile has it: milliseconds, where a tick is
   known to be so long. */
static double weight_of(const report_tree *tree, uint64_t count) {
    return tree->period_us ? (double)count * (double)tree->period_us / 1000 : (double)count;
}

static void add_stack(text *out, const report_tree *tree, uint32_t node, size_t first,
                      uint32_t *path) {
    size_t depth = 0;
    for (; node; node = tree->parent[node]) path[depth++] = tree->name[node];
    text_add(out, "[");
    while (depth--) {
        text_number(out, first + path[depth]);
        if (depth) text_add(out, ",");
    }
    text_add(out, "]");
}

/* The k-th stack of a tree, or of one of its threads. 0: it is of another
   thread, or has no count. */
static int stack_at(const report_tree *tree, size_t k, size_t thread, uint32_t *node,
                    uint64_t *count) {
    if (thread == (size_t)-1) {
        *node = (uint32_t)k;
        *count = k ? tree->lower[k] : 0;
        return *count != 0;
    }
    *node = tree->samples[k].node;
    *count = tree->samples[k].count;
    return tree->samples[k].thread == thread;
}

static void add_profile(const report *r, text *out, const report_tree *tree, size_t first,
                        size_t thread, const char *name, size_t *profiles) {
    size_t count = thread == (size_t)-1 ? tree->count : tree->sample_count, k, n;
    uint32_t *path = (uint32_t *)tool_alloc(tree->count * sizeof *path), node;
    uint64_t weight;
    double all = 0;
    for (k = 0; k < count; k++)
        if (stack_at(tree, k, thread, &node, &weight)) all += weight_of(tree, weight);
    if (!(all > 0)) {
        free(path);
        return;
    }
    json_comma(out, (*profiles)++);
    text_add(out, "{\"type\":\"sampled\",\"name\":");
    json_plain(out, name);
    text_format(out, ",\"unit\":\"%s\",\"startValue\":0,\"endValue\":",
                tree->period_us ? "milliseconds" : "none");
    json_real(out, all);
    text_add(out, ",\n\"samples\":[");
    for (k = 0, n = 0; k < count; k++) {
        if (!stack_at(tree, k, thread, &node, &weight)) continue;
        json_comma(out, n++);
        add_stack(out, tree, node, first, path);
        save_some(r->out, out);
    }
    text_add(out, "],\n\"weights\":[");
    for (k = 0, n = 0; k < count; k++) {
        if (!stack_at(tree, k, thread, &node, &weight)) continue;
        if (n++) text_add(out, ",");
        json_real(out, weight_of(tree, weight));
        save_some(r->out, out);
    }
    text_add(out, "]}");
    free(path);
}

/* Threads that have a sample, by the number of each. To be freed by the
   caller. */
static uint32_t *threads_of(const report_tree *tree, size_t *count) {
    uint32_t *threads = (uint32_t *)tool_alloc((tree->sample_count + 1) * sizeof *threads);
    size_t i;
    for (i = 0, *count = 0; i < tree->sample_count; i++) {
        uint32_t thread = tree->samples[i].thread; /* samples are sorted by threads, by level */
        size_t k;
        for (k = *count; k && threads[k - 1] != thread && *count - k < THREADS_MOST; k--) {}
        if (!k || threads[k - 1] != thread) threads[(*count)++] = thread;
        if (*count > THREADS_MOST) break;
    }
    return threads;
}

static void add_threads(const report *r, text *out, const report_tree *tree, size_t first,
                        size_t *profiles) {
    size_t count, i;
    uint32_t *threads = threads_of(tree, &count);
    if (count > THREADS_MOST)
        tool_error("note: more than %d threads have no profiles of their own", THREADS_MOST);
    for (i = 0; i < count && count > 1 && count <= THREADS_MOST; i++)
        add_profile(r, out, tree, first, threads[i], tree->threads[threads[i]], profiles);
    free(threads);
}

/* ---- in the order of time ---- */

static void add_weight(text *out, size_t *n, uint64_t us) {
    if ((*n)++) text_add(out, ",");
    json_real(out, (double)us / 1000);
}

/* A stack for each tick, and an empty one before it if there is a gap. Stacks and
   weights stand in two lists: pass 0 writes the first one. */
static void add_ticks(const report *r, text *out, const uint32_t *order, size_t begin, size_t end,
                      size_t first, uint32_t *path, int pass) {
    const report_axis *a = r->axis;
    const report_moment *before = NULL;
    uint64_t at = a->from_us, from;
    size_t i, n = 0;
    for (i = begin; i < end; i++) {
        const report_moment *tick = &a->moments[order[i]];
        from = slices_begin(a, before, tick);
        if (from > at && pass) add_weight(out, &n, from - at);
        else if (from > at) {
            json_comma(out, n++);
            text_add(out, "[]");
        }
        if (pass) add_weight(out, &n, tick->us - from);
        else {
            json_comma(out, n++);
            add_stack(out, a->tree, tick->node, first, path);
        }
        save_some(r->out, out);
        before = tick;
        at = tick->us;
    }
}

static void add_thread_in_time(const report *r, text *out, const uint32_t *order, size_t begin,
                               size_t end, size_t first, uint32_t *path, size_t *profiles) {
    const report_axis *a = r->axis;
    uint32_t thread = a->moments[order[begin]].thread;
    text name = {NULL, 0, 0};
    text_add(&name, a->threads[thread]);
    text_add(&name, ", in time");
    text_bytes(&name, "", 1);
    json_comma(out, (*profiles)++);
    text_add(out, "{\"type\":\"sampled\",\"name\":");
    json_plain(out, name.data);
    text_add(out, ",\"unit\":\"milliseconds\",\"startValue\":");
    json_real(out, (double)a->from_us / 1000);
    text_add(out, ",\"endValue\":");
    json_real(out, (double)a->moments[order[end - 1]].us / 1000);
    text_add(out, ",\n\"samples\":[");
    add_ticks(r, out, order, begin, end, first, path, 0);
    text_add(out, "],\n\"weights\":[");
    add_ticks(r, out, order, begin, end, first, path, 1);
    text_add(out, "]}");
    text_free(&name);
}

static void add_in_time(const report *r, text *out, size_t first, size_t *profiles) {
    const report_axis *a = r->axis;
    size_t *begin, i, made = 0;
    uint32_t *order = slices_order(a, &begin);
    uint32_t *path = (uint32_t *)tool_alloc(a->tree->count * sizeof *path);
    for (i = 0; i < a->thread_count && made < THREADS_MOST; i++) {
        if (begin[i] == begin[i + 1]) continue;
        add_thread_in_time(r, out, order, begin[i], begin[i + 1], first, path, profiles);
        made++;
    }
    if (i < a->thread_count)
        tool_error("note: %d threads alone are shown in time", THREADS_MOST);
    free(path);
    free(order);
    free(begin);
}

/* Stacks of ticks, written one by one: as many bytes as a file may have. */
static int has_room_in_time(const report_axis *a) {
    const double most = 64 * 1048576.0, frame = 6;
    uint32_t *depth = (uint32_t *)tool_alloc(a->tree->count * sizeof *depth);
    double bytes = 0;
    size_t i;
    for (i = 1; i < a->tree->count; i++) depth[i] = depth[a->tree->parent[i]] + 1;
    for (i = 0; i < a->count; i++) bytes += 20 + frame * depth[a->moments[i].node];
    free(depth);
    return bytes <= most;
}

static void write_speedscope(const report *r, text *out) {
    stacks s = stacks_of(r, NULL);
    size_t i, frames = 0, profiles = 0, first = 0;
    text_add(out, "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\n"
                  "\"exporter\":\"bursty " TOOL_VERSION "\",\n\"name\":");
    json_plain(out, r->title);
    text_add(out, ",\n\"activeProfileIndex\":0,\n\"shared\":{\"frames\":[");
    for (i = 0; i < s.count; i++) add_frames(r, out, s.trees[i], &frames);
    if (r->axis) add_frames(r, out, r->axis->tree, &frames);
    text_add(out, "]},\n\"profiles\":[");
    for (i = 0; i < s.count; i++) {
        const report_tree *tree = s.trees[i];
        add_profile(r, out, tree, first, (size_t)-1,
                    tree->period_us ? "CPU time" : tree->unit, &profiles);
        if (tree->samples) add_threads(r, out, tree, first, &profiles);
        first += tree->name_count;
    }
    if (r->axis && has_room_in_time(r->axis)) add_in_time(r, out, first, &profiles);
    else if (r->axis)
        tool_error("note: ticks in time are left out, for their stacks would take too much room; "
                   "--from and --to take a part");
    text_add(out, "]}\n");
    stacks_free(&s);
}

static int refuse(const report *r) {
    stacks s = stacks_of(r, NULL);
    int status = stacks_refuse(r, &s, "speedscope", FRAME_BYTES);
    stacks_free(&s);
    return status;
}

const report_writer writer_speedscope = {
    "speedscope",
    "whole stacks for speedscope, by thread, too (name it NAME.speedscope.json)",
    REPORT_USES_TITLE | REPORT_USES_NAMES | REPORT_USES_WHOLE,
    0,
    write_speedscope,
    stacks_are_there,
    refuse,
};
