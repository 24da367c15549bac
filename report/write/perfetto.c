/* perfetto.c - ticks in time as trace events, a JSON that ui.perfetto.dev,
   chrome://tracing and speedscope open: slices of functions on a track for each
   thread. When a function began and ended is known to within a tick or two. Waits
   of a thread and its slow frames have tracks of their own beside it: they do not
   nest with slices that ticks tell. */
#include "base/json.h"
#include "base/tool.h"
#include "report/write/slices.h"
#include "report/write/stacks.h"
#include <stdlib.h>

enum { MOST = 1 << 20 };            /* slices, some 100 bytes each */
/* Numbers of tracks that are no threads: above all of the system's. */
enum { WAITS = 1 << 30, LATE = 1 << 29 };

typedef struct writing {
    const report *r;
    text *out;
    char **names;
    size_t count;
    unsigned long process;
} writing;

/* of: 0 for the thread itself, or WAITS, or LATE. */
static void begin_event(writing *w, const char *phase, uint32_t thread, uint32_t of) {
    text_add(w->out, w->count++ ? ",\n" : "");
    text_format(w->out, "{\"ph\":\"%s\",\"pid\":%lu,\"tid\":%lu", phase, w->process,
                (unsigned long)(of ? of + thread : w->r->axis->numbers[thread]));
}

static void add_name(writing *w, const char *what, uint32_t thread, uint32_t of,
                     const char *name) {
    begin_event(w, "M", thread, of);
    text_format(w->out, ",\"name\":\"%s\",\"args\":{\"name\":", what);
    json_plain(w->out, name);
    text_add(w->out, "}}");
}

static void add_event(writing *w, uint32_t thread, uint32_t of, uint64_t from, uint64_t to,
                      const char *name) {
    begin_event(w, "X", thread, of);
    text_format(w->out, ",\"ts\":%llu,\"dur\":%llu,\"name\":", (unsigned long long)from,
                (unsigned long long)(to - from));
    json_plain(w->out, *name ? name : "(no name)");
    text_add(w->out, "}");
    save_some(w->r->out, w->out);
}

static void add_slice(void *user, const slice *s) {
    writing *w = (writing *)user;
    const char *name = w->names[w->r->axis->tree->name[s->node]];
    if (s->to != s->from) add_event(w, s->thread, 0, s->from, s->to, name);
}

/* Tracks of waits, or of slow frames. */
static void add_stretches(writing *w, const report_stretch *s, size_t count, uint32_t of,
                          const char *what) {
    const report_axis *a = w->r->axis;
    size_t *first, i, k;
    uint32_t *order = slices_by_thread(a, s, count, &first);
    for (i = 0; i < a->thread_count; i++) {
        text name = {NULL, 0, 0};
        if (first[i] == first[i + 1]) continue;
        text_format(&name, "%s: %s", a->threads[i], what);
        text_bytes(&name, "", 1);
        add_name(w, "thread_name", (uint32_t)i, of, name.data);
        text_free(&name);
        for (k = first[i]; k < first[i + 1]; k++) {
            const report_stretch *one = &s[order[k]];
            add_event(w, (uint32_t)i, of, one->from_us, one->to_us,
                      of == LATE ? a->frames[one->what].name
                                 : w->names[a->tree->name[one->what]]);
        }
    }
    free(order);
    free(first);
}

static void write_perfetto(const report *r, text *out) {
    const report_axis *a = r->axis;
    writing w;
    size_t i;
    if (!a) return;
    w.r = r;
    w.out = out;
    w.names = stacks_names(a->tree);
    w.count = 0;
    w.process = a->process ? a->process : 1;
    text_add(
        out,
        "{\"displayTimeUnit\":\"ms\",\"otherData\":{\"exporter\":\"bursty " TOOL_VERSION
        "\"},\n\"traceEvents\":[\n");
    if (a->thread_count) add_name(&w, "process_name", 0, 0, r->title);
    for (i = 0; i < a->thread_count; i++)
        add_name(&w, "thread_name", (uint32_t)i, 0, a->threads[i]);
    (void)slices_of(a, 0, add_slice, &w);
    add_stretches(&w, a->waits, a->wait_count, WAITS, "waits");
    add_stretches(&w, a->late, a->late_count, LATE, "slow frames");
    text_add(out, "]}\n");
    stacks_free_names(a->tree, w.names);
}

static int refuse(const report *r) {
    if (!r->axis || r->options.wants_whole_stacks
        || slices_of(r->axis, MOST, NULL, NULL) <= MOST)
        return TOOL_OK;
    return tool_error(
        "--perfetto: there are more than %d slices; --from and --to take a part of the "
        "time, --whole-stacks writes all of them",
        MOST);
}

const report_writer writer_perfetto = {
    "perfetto",
    "what ran when, as trace events for Perfetto and chrome://tracing",
    REPORT_USES_TITLE | REPORT_USES_NAMES | REPORT_USES_WHOLE,
    0,
    write_perfetto,
    slices_are_there,
    refuse,
};
