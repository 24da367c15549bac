/* perfetto.c - ticks in time as trace events, a JSON that ui.perfetto.dev,
   chrome://tracing and speedscope open: slices of functions on a track for each
   thread. When a function began and ended is known to within a tick or two. */
#include "base/json.h"
#include "base/tool.h"
#include "report/write/slices.h"
#include "report/write/stacks.h"

enum { MOST = 1 << 20 };            /* slices, some 100 bytes each */

typedef struct writing {
    const report *r;
    text *out;
    char **names;
    size_t count;
    unsigned long process;
} writing;

static void begin_event(writing *w, const char *phase, uint32_t thread) {
    text_add(w->out, w->count++ ? ",\n" : "");
    text_format(w->out, "{\"ph\":\"%s\",\"pid\":%lu,\"tid\":%lu", phase, w->process,
                (unsigned long)w->r->axis->numbers[thread]);
}

static void add_name(writing *w, const char *what, uint32_t thread, const char *name) {
    begin_event(w, "M", thread);
    text_format(w->out, ",\"name\":\"%s\",\"args\":{\"name\":", what);
    json_plain(w->out, name);
    text_add(w->out, "}}");
}

static void add_slice(void *user, const slice *s) {
    writing *w = (writing *)user;
    const char *name = w->names[w->r->axis->tree->name[s->node]];
    if (s->to == s->from) return;
    begin_event(w, "X", s->thread);
    text_format(w->out,
                ",\"ts\":%llu,\"dur\":%llu,\"name\":", (unsigned long long)s->from,
                (unsigned long long)(s->to - s->from));
    json_plain(w->out, *name ? name : "(no name)");
    text_add(w->out, "}");
    save_some(w->r->out, w->out);
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
    if (a->thread_count) add_name(&w, "process_name", 0, r->title);
    for (i = 0; i < a->thread_count; i++)
        add_name(&w, "thread_name", (uint32_t)i, a->threads[i]);
    (void)slices_of(a, 0, add_slice, &w);
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
