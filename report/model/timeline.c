/* timeline.c - the axis of time: ticks with their moments, waits and slow frames,
   and tables of them.

       threads:   when was which thread busy?
       slices:    the span in equal parts: what ran most in each?
       waits:     who waited, where, how long, how often?
       late:      which frames took too long, and when?

   A tick says that its thread had used so much CPU time since the one before it,
   and where it was then. */
#include "base/json.h"
#include "base/tool.h"
#include "report/kinds/timeline.h"
#include "report/model/interval.h"
#include "report/model/paths.h"
#include "report/model/report.h"
#include "report/model/tree_json.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SLICES = 12 };

/* No date is later than that. */
#define YEAR_10000_US UINT64_C(253402300800000000)

static const char *thread_name(report *r, const timeline *log, const timeline_thread *t) {
    text name = {NULL, 0, 0};
    if (*t->name) text_format(&name, "%s (%lu)", t->name, (unsigned long)t->number);
    else if (t->number && t->number == log->process)
        text_format(&name, "main (%lu)", (unsigned long)t->number);
    else text_format(&name, "thread %lu", (unsigned long)t->number);
    return report_keep_text(r, &name);
}

static int has_unknown(const timeline_spans *waits) {
    size_t i;
    for (i = 0; i < waits->count; i++)
        if (waits->at[i].what == TIMELINE_NO_PATH) return 1;
    return 0;
}

/* Of std, but made for a function of the program, which a compiler puts into it. */
static int is_made_for_program(const char *name) {
    static const char *const parts[] = {
        "_State_impl<", "_Async_state_impl<", "_Deferred_state<", "_Task_state<",
        "_Function_handler<", "__function::__func<",
    };
    size_t i;
    for (i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strstr(name, parts[i])) return 1;
    return 0;
}

/* Is it a function of the system, in which a thread waits for its caller? Names that
   begin with two underscores and in std are reserved for it. */
static int is_of_system(const char *name) {
    static const char *const beginnings[] = {
        "__",      "std::",   "libc.so",  "libc-2",     "libpthread", "ld-linux", "_dl_",
        "futex_",  "sem_",    "pthread_", "thrd_",      "mtx_",       "cnd_",     "epoll_",
        "internal_", "_IO_",  "do_futex", "clock_nano", "(kernel)",   "libstdc++.so",
        "libc++.so", "libgcc_s.so",
    };
    static const char *const names[] = {
        "_start", "accept", "accept4", "clone", "clone3", "connect", "fcntl", "fdatasync",
        "flock", "fsync", "getline", "ioctl", "mq_receive", "mq_send", "msgrcv",
        "nanosleep", "open", "openat", "pause", "poll", "ppoll", "pread", "pread64",
        "pselect", "pwrite", "pwrite64", "read", "readv", "recv", "recvfrom", "recvmsg",
        "select", "semop", "send", "sendfile", "sendmsg", "sendto", "sigsuspend",
        "sigtimedwait", "sigwait", "sleep", "start_thread", "syscall", "usleep", "wait",
        "wait3", "wait4", "waitid", "waitpid", "write", "writev",
    };
    size_t i, length = strlen(name);
    if (length > 4 && !strcmp(name + length - 4, "_[k]")) return 1;
    if (!strncmp(name, "std::", 5) && is_made_for_program(name)) return 0;
    for (i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
        if (!strncmp(name, beginnings[i], strlen(beginnings[i]))) return 1;
    for (i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(name, names[i])) return 1;
    return 0;
}

/* The function of the program that waits there; where all are the system's, the
   innermost one. */
static const char *who_waits(const report_axis *a, uint32_t node) {
    const report_tree *tree = a->tree;
    uint32_t n = node;
    while (n && a->is_of_system[tree->name[n]]) n = tree->parent[n];
    return tree->names[tree->name[n ? n : node]];
}

/* Node 0 is the root; path n is node n + 1. The last one is that of waits of which
   no path is known, if there are any. */
static report_tree *make_tree(const report *r, const timeline *log) {
    report_tree *tree = (report_tree *)tool_alloc(sizeof *tree);
    size_t i, more = has_unknown(&log->waits) != 0;
    tree->unit = "ticks";
    tree->count = log->path_count + 1 + more;
    tree->name_count = log->function_count + more;
    tree->parent = (uint32_t *)tool_alloc(tree->count * sizeof *tree->parent);
    tree->name = (uint32_t *)tool_alloc(tree->count * sizeof *tree->name);
    tree->names = (char **)tool_alloc(tree->name_count * sizeof *tree->names);
    tree->file = (const char **)tool_alloc(tree->name_count * sizeof *tree->file);
    tree->line = (uint32_t *)tool_alloc(tree->name_count * sizeof *tree->line);
    for (i = 0; i < log->function_count; i++) {
        tree->names[i] = report_name(r, log->functions[i].name);
        tree->file[i] = log->functions[i].file;
        tree->line[i] = log->functions[i].line;
    }
    for (i = 0; i < log->path_count; i++) {
        uint32_t parent = log->paths[i].parent;
        tree->name[i + 1] = log->paths[i].function;
        tree->parent[i + 1] = parent == TIMELINE_NO_PATH ? 0 : parent + 1;
    }
    if (more) {
        tree->names[log->function_count] = report_name(r, "(not known)");
        tree->file[log->function_count] = "";
        tree->name[tree->count - 1] = (uint32_t)log->function_count;
    }
    return tree;
}

/* Those that the shown time has a part of, and that part of them. */
static report_stretch *make_stretches(const report_axis *a, const timeline_spans *of,
                                      int are_waits, size_t *count) {
    report_stretch *all = (report_stretch *)tool_alloc((of->count + 1) * sizeof *all);
    size_t i;
    *count = 0;
    for (i = 0; i < of->count; i++) {
        const timeline_span *s = &of->at[i];
        report_stretch *to = &all[*count];
        if (s->from_us >= a->to_us || s->from_us + s->us <= a->from_us) continue;
        to->from_us = s->from_us > a->from_us ? s->from_us : a->from_us;
        to->to_us = s->from_us + s->us < a->to_us ? s->from_us + s->us : a->to_us;
        to->thread = s->thread;
        to->what = !are_waits                    ? s->what
                   : s->what == TIMELINE_NO_PATH ? (uint32_t)a->tree->count - 1
                                                 : s->what + 1;
        ++*count;
    }
    return all;
}

static void make_axis(report_axis *a, report *r, const timeline *log) {
    size_t i;
    a->program = log->program;
    a->process = log->process;
    a->began_us = log->began_us < YEAR_10000_US ? log->began_us : 0;
    a->span_us = log->span_us;
    a->from_us = log->whole_count ? log->from_us : 0;
    a->to_us = log->whole_count ? log->to_us : log->span_us;
    a->tick_us = timeline_tick_us(log);
    a->count = log->tick_count;
    a->moments = (report_moment *)tool_alloc(a->count * sizeof *a->moments);
    for (i = 0; i < a->count; i++) {
        a->moments[i].us = log->ticks[i].us;
        a->moments[i].thread = log->ticks[i].thread;
        a->moments[i].node = log->ticks[i].path + 1;
    }
    a->thread_count = log->thread_count;
    a->threads = (const char **)tool_alloc(a->thread_count * sizeof *a->threads);
    a->numbers = (uint32_t *)tool_alloc(a->thread_count * sizeof *a->numbers);
    for (i = 0; i < a->thread_count; i++) {
        a->threads[i] = thread_name(r, log, &log->threads[i]);
        a->numbers[i] = log->threads[i].number;
    }
    a->tree = make_tree(r, log);
    a->is_of_system = (unsigned char *)tool_alloc(a->tree->name_count + 1);
    for (i = 0; i < a->tree->name_count; i++)
        a->is_of_system[i] = (unsigned char)is_of_system(a->tree->names[i]);
    a->waits = make_stretches(a, &log->waits, 1, &a->wait_count);
    a->late = make_stretches(a, &log->late, 0, &a->late_count);
    a->frame_count = log->frame_count;
    a->frames = (report_frame_kind *)tool_alloc((a->frame_count + 1) * sizeof *a->frames);
    for (i = 0; i < a->frame_count; i++) {
        a->frames[i].name = log->frames[i].name;
        a->frames[i].limit_us = log->frames[i].limit_us;
    }
    r->axis = a;
}

/* ---- tables ---- */

static double busy(const report_axis *a, uint64_t ticks, double us) {
    return us > 0 ? (double)ticks * (double)a->tick_us / us : 0;
}

static void add_threads(report *r, const report_axis *a) {
    static const report_column columns[] = {
        {"busy", "busy", REPORT_SHARE, 0, NULL},
        {"ticks", "ticks", REPORT_COUNT, 0, NULL},
        {"first_s", "first", REPORT_REAL, REPORT_FINE, "-"},
        {"last_s", "last", REPORT_REAL, REPORT_FINE, "-"},
        {"thread", "thread", REPORT_NAME, 0, NULL},
    };
    report_table *table =
        report_add_table(r, "thread_times", "threads in time", columns, 5);
    uint64_t *ticks = (uint64_t *)tool_alloc((a->thread_count + 1) * sizeof *ticks);
    uint64_t *ends = (uint64_t *)tool_alloc((2 * a->thread_count + 2) * sizeof *ends);
    size_t i;
    table->is_for_programs = 1;
    report_remark(table, "busy: CPU time, as a part of the time that is shown.");
    for (i = 0; i < a->count; i++) {
        uint32_t thread = a->moments[i].thread;
        if (!ticks[thread]++) ends[2 * thread] = a->moments[i].us;
        ends[2 * thread + 1] = a->moments[i].us;
    }
    for (i = 0; i < a->thread_count; i++) {
        report_cell *row;
        if (!ticks[i]) continue;
        row = report_add_row(table);
        row[0].real = busy(a, ticks[i], (double)(a->to_us - a->from_us));
        row[1].count = ticks[i];
        row[2].real = (double)ends[2 * i] / 1e6;
        row[3].real = (double)ends[2 * i + 1] / 1e6;
        row[4].name = a->threads[i];
    }
    free(ticks);
    free(ends);
}

/* The function that most of these ticks are in, or the one that called it most.
   counts: zeros for all names. of: NO_NAME, or the function whose callers are
   counted. NO_NAME: it has none. */
#define NO_NAME UINT32_MAX
static uint32_t most_of(const report_axis *a, size_t begin, size_t end, uint32_t of,
                        uint64_t *counts, uint64_t *ticks) {
    uint32_t most = NO_NAME, pass;
    size_t i;
    *ticks = 0;
    for (pass = 0; pass < 2; pass++) {
        for (i = begin; i < end; i++) {
            uint32_t node = a->moments[i].node, name = a->tree->name[node];
            if (of != NO_NAME && name != of) continue;
            if (of != NO_NAME) node = a->tree->parent[node];
            if (!node) continue;
            name = a->tree->name[node];
            if (pass) counts[name] = 0;
            else if (++counts[name] > *ticks || (counts[name] == *ticks && name < most)) {
                *ticks = counts[name];
                most = name;
            }
        }
    }
    return most;
}

static void add_slice(report *r, report_table *table, const report_axis *a, double from,
                      double to, size_t begin, size_t end, uint64_t *counts) {
    report_cell *row = report_add_row(table);
    uint64_t ticks, calls;
    uint32_t most = most_of(a, begin, end, NO_NAME, counts, &ticks), by;
    row[0].real = from / 1e6;
    row[1].real = to / 1e6;
    row[2].real = busy(a, end - begin, to - from);
    row[3].count = end - begin;
    row[4].real = row[5].real = row[6].real = REPORT_NONE;
    row[7].name = "(no tick)";
    row[8].name = row[9].name = "";
    if (most == NO_NAME) return;
    row[4].real = (double)ticks / (double)(end - begin);
    if (!report_misses(r, REPORT_OF_TIME)) {
        interval range = interval_wilson(row[4].real, (double)(end - begin));
        row[5].real = range.low;
        row[6].real = range.high;
    }
    by = most_of(a, begin, end, most, counts, &calls);
    row[7].name = a->tree->names[most];
    row[8].name = by == NO_NAME ? "" : a->tree->names[by];
    row[9].name = report_place(r, a->tree->file[most], a->tree->line[most]);
}

static void add_slices(report *r, const report_axis *a) {
    static const report_column columns[] = {
        {"from_s", "from", REPORT_REAL, REPORT_FINE, NULL},
        {"to_s", "to", REPORT_REAL, REPORT_FINE, NULL},
        {"busy", "busy", REPORT_SHARE, 0, NULL},
        {"ticks", "ticks", REPORT_COUNT, REPORT_OPTIONAL, NULL},
        {"share", "share", REPORT_SHARE, 0, "-"},
        {"share_low", "low", REPORT_SHARE, 0, "-"},
        {"share_high", "high", REPORT_SHARE, 0, "-"},
        {"function", "function", REPORT_NAME, 0, NULL},
        {"caller", "called-by", REPORT_NAME, 0, NULL},
        {"place", "place", REPORT_NAME, REPORT_OPTIONAL, NULL},
    };
    report_table *table = report_add_table(r, "slices", "what ran when", columns, 10);
    uint64_t *counts = (uint64_t *)tool_alloc((a->tree->name_count + 1) * sizeof *counts);
    double step = (double)(a->to_us - a->from_us) / (double)SLICES;
    size_t begin = 0, end, i;
    table->is_for_programs = 1;
    report_remark(
        table, "from, to: seconds since the start. busy: CPU time of all threads, as a "
               "part of the slice. share: what of that the function took itself that "
               "took most, and low, high: its 95 % interval. A slice without a tick "
               "need not be one without work. called-by: who called it most there.");
    for (i = 0; i < SLICES && step > 0; i++) {
        double from = (double)a->from_us + step * (double)i, to = from + step;
        for (end = begin; end < a->count; end++)
            if (i + 1 < SLICES && (double)a->moments[end].us >= to) break;
        add_slice(r, table, a, from, to, begin, end, counts);
        begin = end;
    }
    free(counts);
}

/* ---- waits and slow frames ---- */

typedef struct waiter {
    uint32_t thread, node;
    uint64_t us, count, longest;
} waiter;

static int by_place(const void *left, const void *right) {
    const report_stretch *a = (const report_stretch *)left, *b = (const report_stretch *)right;
    if (a->thread != b->thread) return a->thread < b->thread ? -1 : 1;
    return a->what < b->what ? -1 : a->what > b->what;
}

static int by_time(const void *left, const void *right) {
    const waiter *a = (const waiter *)left, *b = (const waiter *)right;
    if (a->us != b->us) return a->us > b->us ? -1 : 1;
    if (a->thread != b->thread) return a->thread < b->thread ? -1 : 1;
    return a->node < b->node ? -1 : a->node > b->node;
}

/* The waits of each thread on each node, those of most time first. */
static waiter *waiters_of(const report_axis *a, size_t *count) {
    report_stretch *order =
        (report_stretch *)tool_alloc((a->wait_count + 1) * sizeof *order);
    waiter *all = (waiter *)tool_alloc((a->wait_count + 1) * sizeof *all);
    size_t i;
    *count = 0;
    memcpy(order, a->waits, a->wait_count * sizeof *order);
    qsort(order, a->wait_count, sizeof *order, by_place);
    for (i = 0; i < a->wait_count; i++) {
        uint64_t us = order[i].to_us - order[i].from_us;
        waiter *w;
        if (i == 0 || by_place(&order[i - 1], &order[i]) != 0) {
            w = &all[(*count)++];
            memset(w, 0, sizeof *w);
            w->thread = order[i].thread;
            w->node = order[i].what;
        }
        w = &all[*count - 1];
        w->us += us;
        w->count++;
        if (us > w->longest) w->longest = us;
    }
    qsort(all, *count, sizeof *all, by_time);
    free(order);
    return all;
}

static int by_number(const void *left, const void *right) {
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return a < b ? -1 : a > b;
}

/* Is much of the time one wait of one thread? Then it is said at once. */
static void add_longest(report *r, const report_axis *a, const waiter *w) {
    const double much = .25, share = (double)w->us / (double)(a->to_us - a->from_us);
    text value = {NULL, 0, 0};
    if (share < much) return;
    text_format(&value, "%s waited in %s for ", a->threads[w->thread], who_waits(a, w->node));
    text_format(&value, "%.0f %% of the time", 100 * share);
    report_add_words(r, REPORT_TOLD, "longest wait in time", &value);
    text_free(&value);
}

static void add_waits(report *r, const report_axis *a, const timeline *log) {
    static const report_column columns[] = {
        {"waited_ms", "waited-ms", REPORT_REAL, REPORT_FINE, NULL},
        {"share", "of-time", REPORT_SHARE, 0, NULL},
        {"times", "times", REPORT_COUNT, 0, NULL},
        {"longest_ms", "longest-ms", REPORT_REAL, REPORT_FINE, NULL},
        {"thread", "thread", REPORT_NAME, 0, NULL},
        {"function", "function", REPORT_NAME, 0, NULL},
        {"stack", "where", REPORT_PATH, 0, NULL},
    };
    enum { SHOWN = 12 };
    report_table *table =
        report_add_table(r, "waits", "who waited, where, and how long", columns, 7);
    size_t count, i, places = 0;
    waiter *all = waiters_of(a, &count);
    uint32_t *nodes = (uint32_t *)tool_alloc((count + 1) * sizeof *nodes);
    text remark = {NULL, 0, 0};
    text_add(&remark, "of-time: of all of the time that is shown. times: how often it "
                      "began to wait. function: the innermost one that is not the "
                      "system's. ");
    if (!log->wait_look_us)
        text_add(&remark, "A wait lasts until the thread runs again.");
    else
        text_format(&remark,
                    "A thread that is ready and gets no processor waits, too. There was a "
                    "look each %.4g ms, so shorter waits are seen now and then, and begin and "
                    "end are known to within a look.",
                    (double)log->wait_look_us / 1e3);
    text_bytes(&remark, "", 1);
    report_remark(table, remark.data);
    text_free(&remark);
    for (i = 0; i < count && (i < SHOWN || r->options.wants_all_rows); i++) {
        report_cell *row = report_add_row(table);
        row[0].real = (double)all[i].us / 1e3;
        row[1].real = (double)all[i].us / (double)(a->to_us - a->from_us);
        row[2].count = all[i].count;
        row[3].real = (double)all[i].longest / 1e3;
        row[4].name = a->threads[all[i].thread];
        row[5].name = who_waits(a, all[i].node);
        row[6].node = nodes[i] = all[i].node;
    }
    table->rows_shown = SHOWN;
    table->rows_more = count - table->rows;
    /* Threads may wait in one place. */
    qsort(nodes, table->rows, sizeof *nodes, by_number);
    for (i = 0; i < table->rows; i++)
        if (!i || nodes[i] != nodes[i - 1]) nodes[places++] = nodes[i];
    table->paths = report_paths_make(a->tree, nodes, places);
    add_longest(r, a, all);
    free(nodes);
    free(all);
}

static void add_late(report *r, const report_axis *a) {
    static const report_column columns[] = {
        {"from_s", "at-s", REPORT_REAL, REPORT_FINE, NULL},
        {"took_ms", "took-ms", REPORT_REAL, REPORT_FINE, NULL},
        {"limit_ms", "limit-ms", REPORT_REAL, REPORT_FINE, "-"},
        {"thread", "thread", REPORT_NAME, 0, NULL},
        {"frame", "frame", REPORT_NAME, 0, NULL},
    };
    report_table *table =
        report_add_table(r, "late_frames", "frames that were slow, in time", columns, 5);
    size_t i;
    table->is_for_programs = 1;
    for (i = 0; i < a->late_count; i++) {
        const report_stretch *f = &a->late[i];
        report_cell *row = report_add_row(table);
        uint64_t limit = a->frames[f->what].limit_us;
        row[0].real = (double)f->from_us / 1e6;
        row[1].real = (double)(f->to_us - f->from_us) / 1e3;
        row[2].real = limit ? (double)limit / 1e3 : REPORT_NONE;
        row[3].name = a->threads[f->thread];
        row[4].name = a->frames[f->what].name;
    }
}

/* ---- facts ---- */

/* Time in which nobody saw waits. */
static void add_unseen(report *r, const timeline *log) {
    text value = {NULL, 0, 0};
    if (!log->wait_unseen_us) return;
    if (log->wait_unseen_us >= log->span_us)
        text_add(&value, "not seen: the system tells no switches of threads");
    else
        text_format(&value,
                    "not seen in %.3g %% of the time: threads switched too often to note "
                    "each switch",
                    100 * (double)log->wait_unseen_us / (double)log->span_us);
    report_add_words(r, REPORT_TOLD, "waits in time", &value);
    text_free(&value);
}

/* What there was no room for. */
static void add_left(report *r, const timeline_spans *s, const char *what) {
    text value = {NULL, 0, 0}, name = {NULL, 0, 0};
    if (!s->left) return;
    text_format(&name, "%s in time", what);
    text_bytes(&name, "", 1);
    text_format(&value, "the %lu longest; %llu more, of %.6g ms altogether, are not here",
                (unsigned long)s->count, (unsigned long long)s->left,
                (double)s->left_us / 1e3);
    report_add_words(r, REPORT_TOLD, report_keep_text(r, &name), &value);
    text_free(&value);
}

static void add_facts(report *r, const report_axis *a, const timeline *log) {
    text value = {NULL, 0, 0};
    if (log->whole_count) {
        text_format(&value, "%.6g to %.6g s", (double)a->from_us / 1e6,
                    (double)a->to_us / 1e6);
        text_format(&value, " of %.6g s; %lu of %lu ticks in time",
                    (double)a->span_us / 1e6, (unsigned long)a->count,
                    (unsigned long)log->whole_count);
        report_add_words(r, REPORT_TOLD, "range", &value);
    }
    if (log->whole_count && !a->count && !r->headline) {
        text_format(&value, "No tick came from %.6g to %.6g s: no thread was met there. ",
                    (double)a->from_us / 1e6, (double)a->to_us / 1e6);
        text_format(
            &value,
            "That is no proof that none was at work: a tick stands for %.4g ms of "
            "CPU time.",
            (double)a->tick_us / 1e3);
        r->headline = text_take(&value);
    }
    if (!log->whole_count) {
        text_format(&value, "%.6g s, %lu ticks of %lu threads", (double)a->span_us / 1e6,
                    (unsigned long)a->count, (unsigned long)a->thread_count);
        report_add_words(r, REPORT_PLAIN, "in time", &value);
    }
    if (log->one_of > 1) {
        text_format(&value, "one of %llu is kept, and stands for %.6g ms of CPU time",
                    (unsigned long long)log->one_of, (double)a->tick_us / 1e3);
        report_add_words(r, REPORT_PLAIN, "ticks in time", &value);
    }
    if (log->others) {
        text_format(
            &value,
            "those of one recording of %llu, for moments of several have no common "
            "axis",
            (unsigned long long)tool_sum(log->others, 1));
        report_add_words(r, REPORT_TOLD, "ticks in time", &value);
    }
    add_unseen(r, log);
    add_left(r, &log->waits, "waits");
    add_left(r, &log->late, "slow frames");
    text_free(&value);
}

static void fill(void *columns, report *r, const void *state, const input *in) {
    const timeline *log = ((const timeline_state *)state)->kept;
    report_axis *a = (report_axis *)columns;
    (void)in;
    make_axis(a, r, log);
    report_add_name(r, log->program);
    add_facts(r, a, log);
    if (a->wait_count) add_waits(r, a, log);
    if (a->late_count) add_late(r, a);
    if (!a->count) return;
    add_threads(r, a);
    add_slices(r, a);
}

/* ---- for the page ---- */

/* For each stretch: its begin, counted from the one before; us; thread; what. */
static void json_stretches(text *out, const char *key, const report_stretch *s,
                           size_t count) {
    size_t i;
    text_format(out, ",\n\"%s\":[", key);
    for (i = 0; i < count; i++) {
        if (i) text_add(out, i % 8 ? "," : ",\n");
        text_number(out, s[i].from_us - (i ? s[i - 1].from_us : 0));
        text_format(out, ",%llu,%lu,%lu",
                    (unsigned long long)(s[i].to_us - s[i].from_us),
                    (unsigned long)s[i].thread, (unsigned long)s[i].what);
    }
    text_add(out, "]");
}

static void json(const void *columns, const report *r, text *out) {
    const report_axis *a = (const report_axis *)columns;
    size_t n = 0, i;
    (void)r;
    text_add(out, "{");
    json_field_string(out, &n, "program", a->program);
    json_field(out, &n, "process", a->process);
    json_field(out, &n, "began_us", a->began_us);
    json_field(out, &n, "from_us", a->from_us);
    json_field(out, &n, "to_us", a->to_us);
    json_field(out, &n, "span_us", a->span_us);
    json_field(out, &n, "tick_us", a->tick_us);
    text_add(out, ",\n\"threads\":");
    json_list_strings(out, (char *const *)a->threads, a->thread_count);
    text_add(out, ",\n\"names\":");
    json_list_strings(out, a->tree->names, a->tree->name_count);
    text_add(out, ",\n\"places\":[");
    for (i = 0; i < a->tree->name_count; i++) {
        text place = {NULL, 0, 0};
        if (i) text_add(out, ",");
        text_add(&place, a->tree->file[i]);
        if (place.size) text_format(&place, ":%lu", (unsigned long)a->tree->line[i]);
        text_bytes(&place, "", 1);
        text_json(out, place.data);
        text_free(&place);
    }
    text_add(out, "],\n\"system\":[");
    for (i = 0; i < a->tree->name_count; i++) {
        if (!a->is_of_system[i]) continue;
        if (out->data[out->size - 1] != '[') text_add(out, ",");
        text_number(out, i);
    }
    text_add(out, "],\n\"parent\":");
    json_list32(out, a->tree->parent, a->tree->count);
    text_add(out, ",\n\"name\":");
    json_list32(out, a->tree->name, a->tree->count);
    text_add(out, ",\n\"ticks\":[");
    for (i = 0; i < a->count; i++) {
        const report_moment *m = &a->moments[i];
        if (i) text_add(out, i % 8 ? "," : ",\n");
        text_number(out, m->us - (i ? m[-1].us : 0));
        text_format(out, ",%lu,%lu", (unsigned long)m->thread, (unsigned long)m->node);
    }
    text_add(out, "]");
    json_stretches(out, "waits", a->waits, a->wait_count);
    text_add(out, ",\n\"frames\":[");
    for (i = 0; i < a->frame_count; i++) {
        text_add(out, i ? ",{\"name\":" : "{\"name\":");
        text_json(out, a->frames[i].name);
        text_format(out, ",\"limit_us\":%llu}", (unsigned long long)a->frames[i].limit_us);
    }
    text_add(out, "]");
    json_stretches(out, "late", a->late, a->late_count);
    text_add(out, "}");
}

static void free_columns(void *columns) {
    report_axis *a = (report_axis *)columns;
    size_t i;
    if (a->tree) {
        for (i = 0; i < a->tree->name_count; i++) free(a->tree->names[i]);
        free(a->tree->names);
        free(a->tree->parent);
        free(a->tree->name);
        free(a->tree->file);
        free(a->tree->line);
    }
    free(a->tree);
    free(a->is_of_system);
    free(a->moments);
    free(a->waits);
    free(a->late);
    free(a->frames);
    free(a->threads);
    free(a->numbers);
}

const report_section section_timeline = {
    &kind_timeline, "timeline", sizeof(report_axis), fill, json, free_columns,
};
