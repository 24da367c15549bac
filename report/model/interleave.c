/* interleave.c - how the accesses of two threads stand in windows (All-Window
   Profiling, section 2): in how many windows one of them is alone, which spans
   of time bound on both sides (model/alone.c), and what part of a window the
   second one has, by footprint_pair, as if each thread's accesses were spread
   evenly over its spans. */
#include "base/tool.h"
#include "footprint.h"
#include "report/kinds/interleave.h"
#include "report/model/alone.h"
#include "report/model/report.h"
#include <math.h>
#include <stdlib.h>

enum { THREADS = 4, PIECES = 8, RUNS = 1 << 16 };

/* Accesses up to a time, of rows that are walked with it. */
typedef struct walk {
    const turned_thread *thread;
    size_t at;
    uint64_t done; /* of rows that have ended */
    uint64_t told; /* to footprint_pair */
} walk;

static uint64_t reach(walk *w, uint64_t now) {
    const turn *row = w->thread->rows;
    for (; w->at < w->thread->count && row[w->at].to <= now; w->at++) w->done += row[w->at].accesses;
    if (w->at == w->thread->count || row[w->at].from >= now) return w->done;
    row += w->at;
    return w->done + (uint64_t)((double)row->accesses * ((double)(now - row->from) /
                                                          (double)(row->to - row->from)));
}

/* The next beginning or end of a row behind `now`. */
static uint64_t next_time(const walk *w, uint64_t now) {
    const turn *row = w->thread->rows + w->at;
    if (w->at == w->thread->count) return UINT64_MAX;
    return row->from > now ? row->from : row->to;
}

static void tell(footprint_pair *pair, uint64_t first, uint64_t second) {
    uint64_t pieces = first < second ? first : second, i;
    if (pieces > PIECES) pieces = PIECES;
    if (!pieces) pieces = 1;
    for (i = 0; i < pieces; i++) {
        if (first) footprint_pair_run(pair, 0, first / pieces + (i < first % pieces));
        if (second) footprint_pair_run(pair, 1, second / pieces + (i < second % pieces));
    }
}

/* Returns the profile's memory, to be freed, or NULL: it has no room. */
static void *spread(const turned_thread *first, const turned_thread *second,
                    footprint_profile *profile) {
    size_t bytes = footprint_pair_bytes(NULL, RUNS), table_bytes;
    void *memory = tool_alloc(bytes), *table;
    footprint_pair pair;
    footprint_stats stats;
    walk a = {first, 0, 0, 0}, b = {second, 0, 0, 0};
    uint64_t now = 0;
    footprint_pair_init(&pair, memory, bytes, NULL);
    for (;;) {
        uint64_t x = reach(&a, now), y = reach(&b, now), of_b = next_time(&b, now);
        tell(&pair, x - a.told, y - b.told);
        a.told = x;
        b.told = y;
        now = next_time(&a, now);
        if (of_b < now) now = of_b;
        if (now == UINT64_MAX) break;
    }
    footprint_pair_get_stats(&pair, &stats);
    table_bytes = footprint_pair_snapshot_bytes(&pair);
    table = tool_alloc(table_bytes);
    if (stats.lost || footprint_pair_snapshot(&pair, profile, table, table_bytes) != 0) {
        free(table);
        table = NULL;
    }
    free(memory);
    return table;
}

static void add_pair(report_table *table, const turned_part *p, const char *name, size_t first,
                     size_t second) {
    const turned_thread *a = &p->threads[first], *b = &p->threads[second];
    alone_spans of_a = alone_make(a), of_b = alone_make(b);
    double all = (double)a->accesses + (double)b->accesses;
    footprint_profile profile;
    void *memory = spread(a, b, &profile);
    uint64_t window;
    int k;
    for (window = 16; (double)window <= all / 2 && window < UINT64_C(1) << 60; window *= 8) {
        static const uint32_t percents[] = {5, 50, 95};
        double windows = all - (double)window + 1, least, most, least_b, most_b;
        uint32_t bin = footprint_bin(window);
        report_cell *row = report_add_row(table);
        alone_windows(&of_a, &of_b, window, &least, &most);
        alone_windows(&of_b, &of_a, window, &least_b, &most_b);
        least = (least + least_b) / windows;
        most = (most + most_b) / windows;
        row[0].count = window;
        row[1].real = least < 1 ? least : 1;
        row[2].real = most < 1 ? most : 1;
        for (k = 0; k < 3; k++) {
            double of = (double)NAN;
            if (memory) of = (double)footprint_bin_high(footprint_percentile(&profile, bin, percents[k]));
            of /= (double)footprint_bin_high(bin);
            row[3 + k].real = of < 1 ? of : of >= 1 ? 1 : REPORT_NONE;
        }
        row[6].name = name;
    }
    free(of_a.at);
    free(of_b.at);
    free(memory);
}

static void fill(void *columns, report *r, const void *state, const input *in) {
    static const report_column shown[] = {
        {"window", "window", REPORT_COUNT, 0, NULL},
        {"alone_low", "alone-from", REPORT_SHARE, 0, NULL},
        {"alone_high", "to", REPORT_SHARE, 0, NULL},
        {"second_5", "second-5%", REPORT_SHARE, 0, "-"},
        {"second_50", "half", REPORT_SHARE, 0, "-"},
        {"second_95", "95%", REPORT_SHARE, 0, "-"},
        {"threads", "threads", REPORT_NAME, 0, NULL},
    };
    const turned_parts *s = (const turned_parts *)state;
    report_table *table = report_add_table(r, "interleave", "how threads take turns", shown,
                                           sizeof shown / sizeof *shown);
    size_t i, k, n, best[THREADS];
    (void)columns;
    (void)in;
    for (i = 0; i < s->count; i++) {
        const turned_part *p = &s->parts[i];
        size_t count = 0;
        if (*p->program) report_add_name(r, p->program);
        for (k = 0; k < p->count; k++) { /* those with the most accesses, most first */
            for (n = count; n && p->threads[best[n - 1]].accesses < p->threads[k].accesses; n--)
                if (n < THREADS) best[n] = best[n - 1];
            if (n == THREADS || !p->threads[k].accesses) continue;
            best[n] = k;
            if (count < THREADS) count++;
        }
        for (k = 0; k < count; k++) {
            for (n = k + 1; n < count; n++) {
                text name = {NULL, 0, 0};
                if (p->threads[best[n]].accesses < p->threads[best[0]].accesses / 100) break;
                text_format(&name, "%lu and %lu", (unsigned long)best[k] + 1, (unsigned long)best[n] + 1);
                if (s->count > 1) text_format(&name, " of run %lu", (unsigned long)i + 1);
                add_pair(table, p, report_keep_text(r, &name), best[k], best[n]);
            }
        }
    }
    if (!table->rows) {
        report_remark(table, "No two threads made as many accesses as a window has (16), so that "
                             "none took turns with another.");
        return;
    }
    report_remark(table, "Of all windows of so many accesses of two threads: in how many one of them is "
                         "alone, for certain (alone-from) and at most (to), as far as the times of the "
                         "recording tell; and which part of a window is the second thread's, in 5, 50 "
                         "and 95 % of them no more than that, if each thread's accesses are spread "
                         "evenly between two looks at the clock. Threads are numbered as they began; "
                         "those with less than a hundredth of the most accesses have no row.");
}

const report_section section_interleave = {&kind_interleave, "interleave", 0, fill, NULL, NULL};
