/* footprint.c - bursty replay footprint: footprints of all windows of a block trace, and how two threads interleave. */
#define FOOTPRINT_IMPLEMENTATION
#define FOOTPRINT_STATIC
#include "footprint.h"
#include "replay/exact_windows.h"
#include "base/text.h"
#include "base/tool.h"
#include "replay/trace_blocks.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char help[] =
    "usage: bursty replay footprint [OPTIONS] TRACE        TRACE may be -, standard input\n"
    "\n"
    "  --c C              footprints within [C, 1] of the truth; 0.9. 1 is exact\n"
    "  --sample R         follow only a share R of the blocks (0.125, 1/8 or 8; powers of two). No guarantee\n"
    "  --average          average footprint only: fastest\n"
    "  --window-max N     longest window of interest; 2^32 - 1\n"
    "  --blocks-max N     room for so many blocks, then sample (--forget: then drop the oldest)\n"
    "  --from N --to N    only windows that end after access N, up to access N\n"
    "  --threads          TRACE has thread numbers; all threads together\n"
    "  --thread N         only the accesses of one of them\n"
    "  --interleave A,B   windows of A's and B's accesses, by how many of them are B's; also A's\n"
    "  --check            compare every window with the exact answer, by a true LRU list. Slow: says how long it took\n"
    "  --one-in-n         the paper's sampling, one window per access, instead of all windows\n"
    "  --block-bytes N    bytes of a block, for axes: 64\n"
    "  --title WORDS      for pictures and dumps\n"
    "  --dump FILE        also write a .brst file for bursty report and merge\n"
    "  --json  --csv  --svg      instead of text\n";

typedef struct options {
    footprint_config config;
    const char *trace, *title, *dump;
    int threads, thread, check, one_in_n, first, second;   /* first, second: threads to interleave, or -1 */
    uint64_t from, to;
    enum { TEXT, JSON, CSV, SVG } form;
} options;

enum { BATCH = 1 << 15, CURVES = 5 };
static const uint32_t percents[CURVES] = {0, 5, 50, 95, 100};

static void *allocate(void *user, size_t bytes) { (void)user; return malloc(bytes); }
static void release(void *user, void *memory) { (void)user; free(memory); }

static int snapshot(const footprint *fp, footprint_profile *profile) {
    size_t bytes = footprint_snapshot_bytes(fp);
    return footprint_snapshot(fp, profile, tool_alloc(bytes), bytes);
}

static int pair_snapshot(const footprint_pair *pair, footprint_profile *profile) {
    size_t bytes = footprint_pair_snapshot_bytes(pair);
    return footprint_pair_snapshot(pair, profile, tool_alloc(bytes), bytes);
}

/* ---- --check: the marks of footprint.h beside a true LRU list ---- */

typedef struct check {
    exact_windows exact;
    uint32_t edges, *at, *end, *reach;            /* bin b: numbers of the depths low(b), high(b) and K(low(b)) + 1 */
    uint64_t too_large, too_small, cells, cells_wrong;
    double seconds, percentile_error[CURVES], miss_error;
} check;

static int by_value(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static uint32_t number_of(const uint64_t *depth, uint32_t count, uint64_t value) {
    const uint64_t *found = (const uint64_t *)bsearch(&value, depth, count, sizeof *depth, by_value);
    return (uint32_t)(found - depth);
}

static void check_start(check *k, double c) {
    uint64_t depth[1000];
    uint32_t count = 0, unique = 0, b;
    memset(k, 0, sizeof *k);
    k->edges = footprint_bin(UINT64_C(1) << 31);
    for (b = 1; b < k->edges; b++) {
        depth[count++] = footprint_bin_low(b);
        depth[count++] = footprint_bin_high(b);
        depth[count++] = footprint_p_reach(c, footprint_bin_low(b)) + 1;
    }
    qsort(depth, count, sizeof *depth, by_value);
    for (b = 0; b < count; b++) if (b == 0 || depth[b] != depth[unique - 1]) depth[unique++] = depth[b];
    k->at = (uint32_t *)tool_alloc(k->edges * sizeof *k->at);
    k->end = (uint32_t *)tool_alloc(k->edges * sizeof *k->end);
    k->reach = (uint32_t *)tool_alloc(k->edges * sizeof *k->reach);
    for (b = 1; b < k->edges; b++) {
        k->at[b] = number_of(depth, unique, footprint_bin_low(b));
        k->end[b] = number_of(depth, unique, footprint_bin_high(b));
        k->reach[b] = number_of(depth, unique, footprint_p_reach(c, footprint_bin_low(b)) + 1);
    }
    exact_start(&k->exact, depth, unique);
}

/* After an access of both: windows are nested by their starts, so the two times tell how many are counted wrongly. */
static void check_access(check *k, const footprint *fp, uint64_t block) {
    uint32_t b;
    uint64_t far = fp->now > fp->config.window_max ? fp->now - fp->config.window_max : 0;  /* windows from there on are too long */
    exact_access(&k->exact, block);
    for (b = 1; b < k->edges; b++) {
        uint64_t since = footprint_since(fp, b), least = exact_time(&k->exact, k->reach[b]), most = exact_time(&k->exact, k->at[b]);
        if (since > most) k->too_large += since - most;
        if (since < far) since = far;
        if (since < least) k->too_small += least - since;
        if (most <= far) break;
    }
}

static uint32_t exact_percentile(const check *k, uint32_t column, uint64_t all, uint32_t percent) {
    uint64_t rank = all / 100 * percent + (all % 100 * percent + 99) / 100;
    uint32_t bin = 0;
    if (rank == 0) rank = 1;
    while (all - (bin + 1 < k->edges ? exact_at_least(&k->exact, k->at[bin + 1], column) : 0) < rank) bin++;
    return bin;
}

/* Compares the whole tables; bins' middles for the percentiles, as a reader of the curves would. */
static void check_end(check *k, const footprint_profile *p) {
    uint32_t row, column, i, columns = 0;
    uint64_t below = 0, misses = 0, misses_got = 0;
    for (column = 1; column < p->columns && footprint_windows(p, column); column++, columns++) {
        for (row = 1; row < p->rows; row++, k->cells++)
            k->cells_wrong += footprint_p_at_least(p, row, column) != exact_at_least(&k->exact, k->at[row], column);
        for (i = 0; i < CURVES; i++) {
            uint32_t got = footprint_percentile(p, column, percents[i]), want = exact_percentile(k, column, footprint_windows(p, column), percents[i]);
            double is = (double)(footprint_bin_low(got) + footprint_bin_high(got)), was = (double)(footprint_bin_low(want) + footprint_bin_high(want));
            k->percentile_error[i] += was > 0 ? (is > was ? is - was : was - is) / was : 0;
        }
    }
    for (i = 0; i < CURVES; i++) k->percentile_error[i] /= columns ? columns : 1;
    for (i = 0; i <= k->exact.depth_count; i++) misses += k->exact.reuse[i];
    misses += k->exact.cold;
    for (row = 0; row < p->rows; row++) misses_got += p->depth[row];
    misses_got += p->blocks;
    for (row = 1, i = 0; row + 1 < p->rows && p->accesses; row++) {            /* a cache of high(row) blocks */
        double is, was;
        misses_got -= p->depth[row];
        for (; i <= k->end[row]; i++) below += k->exact.reuse[i];
        is = (double)misses_got / (double)p->accesses;
        was = (double)(misses - below) / (double)p->accesses;
        k->miss_error += (is > was ? is - was : was - is) / (p->rows - 2);
    }
}

/* The same for the marks of an interleaving: times[] of all accesses of the thread that is counted. */
static uint64_t check_pair(const footprint_pair *pair, const uint64_t *times) {
    uint64_t wrong = 0;
    uint32_t j;
    for (j = 0; j < pair->edge_count; j++) {
        uint64_t F = footprint_bin_low(j + 1), K = footprint_p_reach(pair->c, F), since = pair->edges[j].since;
        uint64_t most = times[pair->number - F], least = K + 1 <= pair->number ? times[pair->number - K - 1] : 0;
        if (since > most) wrong += since - most;
        if (since < least) wrong += least - since;
    }
    return wrong;
}

/* ---- output ---- */

typedef struct result {
    const options *o;
    footprint_profile profile, pair[2];           /* pair[0]: windows by accesses of the second thread, pair[1]: of the first */
    footprint_stats stats;
    check check;
    sampled_windows one_in_n;
    uint64_t turns, thread_accesses[2];
    double ns, pair_ns;
} result;

/* Length of the longest window counted in a column. */
static uint64_t column_high(const result *r, uint32_t column) {
    uint64_t high = footprint_bin_high(column);
    return high < r->profile.accesses || r->profile.flags & FOOTPRINT_DIFFERENCE ? high : r->profile.accesses;
}

static int percentile_of(const result *r, const footprint_profile *p, uint32_t column, uint32_t percent, uint64_t *low, uint64_t *high) {
    uint32_t bin = r->o->one_in_n ? sampled_percentile(&r->one_in_n, column, percent) : footprint_percentile(p, column, percent);
    if (bin == UINT32_MAX) return 0;
    *low = footprint_bin_low(bin);
    *high = footprint_bin_high(bin);
    return 1;
}

static void put_percentiles(const result *r, const footprint_profile *p, text *out) {
    uint32_t column, i, first = 1;
    text_add(out, "[");
    for (column = 1; column < r->profile.columns; column++) {
        uint64_t low, high;
        if (!percentile_of(r, p, column, 50, &low, &high)) continue;
        text_format(out, "%s\n    [%llu,%llu", first ? "" : ",", (unsigned long long)footprint_bin_low(column), (unsigned long long)column_high(r, column));
        for (i = 0; i < CURVES; i++) {
            percentile_of(r, p, column, percents[i], &low, &high);
            text_format(out, ",%llu,%llu", (unsigned long long)low, (unsigned long long)high);
        }
        text_add(out, "]");
        first = 0;
    }
    text_add(out, "]");
}

/* Largest cache worth a point: row by row up to the number of blocks, or without rows the bins up to it. */
static int miss_point(const result *r, uint32_t n, uint64_t *blocks, double *ratio) {
    const footprint_profile *p = &r->profile;
    int average = (p->flags & FOOTPRINT_AVERAGE) != 0;
    if (n == 0 || footprint_bin_low(n) > p->blocks || (!average && n >= p->rows)) return 0;
    *blocks = footprint_bin_high(n) < p->blocks ? footprint_bin_high(n) : p->blocks;
    *ratio = average ? footprint_miss_ratio_by_average(p, (double)*blocks) : footprint_miss_ratio(p, (double)footprint_bin_high(n));
    return 1;
}

static int average_point(const result *r, uint32_t n, uint64_t *window, double *blocks) {
    double w;
    if (n == 0 || !footprint_p_point(&r->profile, n, &w, blocks)) return 0;
    *window = (uint64_t)w;
    return 1;
}

static void put_json(const result *r, text *out) {
    const footprint_profile *p = &r->profile;
    uint64_t x;
    double y;
    uint32_t n, i;
    text_format(out, "{\"accesses\":%llu,\n\"distinct\":%llu,\n\"c\":%.9g,\n\"sampled_one_block_in\":%llu,\n\"guaranteed\":%s,\n",
                (unsigned long long)p->accesses, (unsigned long long)p->blocks, p->c, 1ull << p->sample_log2,
                p->sample_log2 || r->o->one_in_n ? "false" : "true");
    text_format(out, "\"full\":%s,\n\"forgotten\":%llu,\n\"lost\":%llu,\n\"ns_per_access\":%.3f,\n\"bytes_per_block\":%.2f,\n\"memory_bytes\":%lu,\n",
                p->flags & FOOTPRINT_FULL ? "true" : "false", (unsigned long long)p->forgotten, (unsigned long long)r->stats.lost, r->ns,
                r->stats.blocks ? (double)r->stats.blocks_bytes / (double)r->stats.blocks : 0, (unsigned long)r->stats.memory_bytes);
    if (r->o->check) {
        const check *k = &r->check;
        text_format(out, "\"violations\":%llu,\n\"check\":{\"counted_too_large\":%llu,\"counted_too_small\":%llu,\"cells\":%llu,\"cells_not_exact\":%llu,",
                    (unsigned long long)(k->too_large + k->too_small), (unsigned long long)k->too_large, (unsigned long long)k->too_small,
                    (unsigned long long)k->cells, (unsigned long long)k->cells_wrong);
        text_add(out, "\"mean_percentile_error\":[");
        for (i = 0; i < CURVES; i++) text_format(out, "%s%.6f", i ? "," : "", k->percentile_error[i]);
        text_format(out, "],\"mean_miss_ratio_error\":%.6f,\"seconds\":%.1f},\n", k->miss_error, k->seconds);
    }
    text_add(out, "\"average_footprint\":[");
    for (n = 1; average_point(r, n, &x, &y); n++) text_format(out, "%s[%llu,%.6f]", n > 1 ? "," : "", (unsigned long long)x, y);
    text_add(out, "],\n\"percentiles\":");
    put_percentiles(r, p, out);
    text_add(out, ",\n\"miss_ratio\":[");
    for (n = 1; miss_point(r, n, &x, &y); n++) text_format(out, "%s[%llu,%.6f]", n > 1 ? "," : "", (unsigned long long)x, y);
    text_add(out, "]");
    if (r->o->first >= 0) {
        text_format(out, ",\n\"interleaving\":{\"threads\":[%d,%d],\"accesses\":[%llu,%llu],\"turns\":%llu,\"ns_per_access\":%.3f",
                    r->o->first, r->o->second, (unsigned long long)r->thread_accesses[0], (unsigned long long)r->thread_accesses[1],
                    (unsigned long long)r->turns, r->pair_ns);
        for (i = 0; i < 2; i++) {
            text_format(out, ",\n  \"percentiles_of_%d\":", i ? r->o->first : r->o->second);
            put_percentiles(r, &r->pair[i], out);
        }
        text_add(out, "}");
    }
    text_add(out, "}\n");
}

static void put_csv_percentiles(const result *r, const footprint_profile *p, const char *unit, int with_average, text *out) {
    uint32_t column, i;
    text_add(out, "window_low_accesses,window_high_accesses");
    for (i = 0; i < CURVES; i++) text_format(out, ",p%u_low_%s,p%u_high_%s", percents[i], unit, percents[i], unit);
    text_add(out, with_average ? ",average_at_window_high_blocks\n" : "\n");
    for (column = 1; column < r->profile.columns; column++) {
        uint64_t low, high;
        if (!percentile_of(r, p, column, 50, &low, &high)) continue;
        text_format(out, "%llu,%llu", (unsigned long long)footprint_bin_low(column), (unsigned long long)column_high(r, column));
        for (i = 0; i < CURVES; i++) {
            percentile_of(r, p, column, percents[i], &low, &high);
            text_format(out, ",%llu,%llu", (unsigned long long)low, (unsigned long long)high);
        }
        if (with_average) text_format(out, ",%.6f", footprint_average(&r->profile, (double)column_high(r, column)));
        text_add(out, "\n");
    }
}

static void put_csv(const result *r, text *out) {
    uint64_t blocks;
    double ratio;
    uint32_t n, i;
    put_csv_percentiles(r, &r->profile, "blocks", 1, out);
    text_add(out, "\ncache_blocks,lru_miss_ratio\n");
    for (n = 1; miss_point(r, n, &blocks, &ratio); n++) text_format(out, "%llu,%.6f\n", (unsigned long long)blocks, ratio);
    for (i = 0; i < 2 && r->o->first >= 0; i++) {
        char unit[40];
        sprintf(unit, "accesses_of_thread_%d", i ? r->o->first : r->o->second);
        text_add(out, "\n");
        put_csv_percentiles(r, &r->pair[i], unit, 0, out);
    }
}

static void put_text_percentiles(const result *r, const footprint_profile *p, const char *what, text *out) {
    uint32_t column, i, last = 1, step;
    uint64_t low, high;
    for (column = 1; column < r->profile.columns; column++) if (percentile_of(r, p, column, 50, &low, &high)) last = column;
    step = last / 20 + 1;
    text_format(out, "\n%23s   %s\n%23s", "windows, accesses", what, "");
    for (i = 0; i < CURVES; i++) text_format(out, "%11u %%", percents[i]);
    text_format(out, "%13s\n", p == &r->profile ? "average" : "");
    for (column = last % step ? last % step : step; column <= last; column += step) {
        if (!percentile_of(r, p, column, 50, &low, &high)) continue;
        text_format(out, "%11llu-%11llu", (unsigned long long)footprint_bin_low(column), (unsigned long long)column_high(r, column));
        for (i = 0; i < CURVES; i++) {
            char range[44];
            percentile_of(r, p, column, percents[i], &low, &high);
            if (low == high) sprintf(range, "%llu", (unsigned long long)low);
            else sprintf(range, "%llu-%llu", (unsigned long long)low, (unsigned long long)high);
            text_format(out, "%13s", range);
        }
        if (p == &r->profile) text_format(out, "%13.1f", footprint_average(p, (double)column_high(r, column)));
        text_add(out, "\n");
    }
}

static void put_text(const result *r, text *out) {
    const footprint_profile *p = &r->profile;
    uint64_t blocks;
    double ratio;
    uint32_t n, i;
    text_count(out, p->accesses);
    text_add(out, " accesses to ");
    text_count(out, p->blocks);
    text_format(out, " blocks, c = %.9g, %.1f ns an access, %.1f bytes a block (%lu in all)\n", p->c, r->ns,
                r->stats.blocks ? (double)r->stats.blocks_bytes / (double)r->stats.blocks : 0, (unsigned long)r->stats.memory_bytes);
    if (r->o->one_in_n) text_add(out, "One window per access is sampled, as in the paper: no guarantee.\n");
    if (p->sample_log2) text_format(out, "%s one block in %llu is followed: no guarantee.\n",
                                    p->flags & FOOTPRINT_FULL ? "Blocks did not fit; in the end" : "By choice", 1ull << p->sample_log2);
    if (p->forgotten) { text_add(out, "Dropped "); text_count(out, p->forgotten); text_add(out, " old blocks; they count again when they come back.\n"); }
    if (r->stats.lost) { text_count(out, r->stats.lost); text_add(out, " accesses came after the last that can be counted.\n"); }
    if (r->o->check) {
        const check *k = &r->check;
        text_format(out, "check against a true LRU list (%.1f s): %llu violations; %llu of %llu cells differ from the exact table\n", k->seconds,
                    (unsigned long long)(k->too_large + k->too_small), (unsigned long long)k->cells_wrong, (unsigned long long)k->cells);
        text_add(out, "mean error of the curves:");
        for (i = 0; i < CURVES; i++) text_format(out, "  %u %%: %.2f %%", percents[i], 100 * k->percentile_error[i]);
        text_format(out, "; of the miss ratio %.5f\n", k->miss_error);
    }
    if (!(p->flags & FOOTPRINT_AVERAGE)) put_text_percentiles(r, p, "footprint in blocks: this share of the windows has at most", out);
    else {
        uint64_t window;
        double average;
        text_format(out, "\n%23s%13s\n", "window, accesses", "average");
        for (n = 1; average_point(r, n, &window, &average); n++) if (n % 8 == 7) text_format(out, "%23llu%13.1f\n", (unsigned long long)window, average);
    }
    text_format(out, "\n%23s%13s\n", "cache, blocks", "miss ratio");
    for (n = 1; miss_point(r, n, &blocks, &ratio); n++)
        if (n % 8 == 7 || footprint_bin_high(n) >= p->blocks) text_format(out, "%23llu%13.5f\n", (unsigned long long)blocks, ratio);
    for (i = 0; i < 2 && r->o->first >= 0; i++) {
        char what[120];
        sprintf(what, "accesses by thread %d (%llu of them): this share of the windows has at most", i ? r->o->first : r->o->second,
                (unsigned long long)r->thread_accesses[1 - i]);
        put_text_percentiles(r, &r->pair[i], what, out);
    }
    if (r->o->first >= 0) text_format(out, "%llu turns, %.1f ns an access\n", (unsigned long long)r->turns, r->pair_ns);
}

/* ---- the picture: Figure 1 (or 2) of the paper, on its 8-wide axes ---- */

typedef struct frame { double left, top, width, height; uint32_t columns, rows; } frame;

static double x_of(const frame *f, double bin) { return f->left + f->width * (bin - 1) / (f->columns - 1); }
static double y_of(const frame *f, double bin) { return f->top + f->height * (1 - bin / f->rows); }

static void put_short(text *out, uint64_t number) {                            /* 512, 4K, 2M: every tick is a power of two */
    const char *unit = "";
    if (number >= 1ull << 30)      { number >>= 30; unit = "G"; }
    else if (number >= 1ull << 20) { number >>= 20; unit = "M"; }
    else if (number >= 1ull << 10) { number >>= 10; unit = "K"; }
    text_format(out, "%llu%s", (unsigned long long)number, unit);
}

static void put_axes(const frame *f, const char *what, text *out) {
    uint32_t bin;
    for (bin = 1; bin <= f->columns; bin = bin == 1 ? 8 : bin + 8) {
        double x = x_of(f, bin);
        text_format(out, "<path class='grid' d='M%.1f %.1fv%.1f'/>", x, f->top, f->height);
        if (bin == 1 || bin % 24 == 8 || f->columns < 100) {
            text_format(out, "<text x='%.1f' y='%.1f' text-anchor='middle'>", x, f->top + f->height + 16);
            put_short(out, footprint_bin_low(bin));
            text_add(out, "</text>\n");
        }
    }
    for (bin = 0; bin <= f->rows; bin += 8) {
        double y = y_of(f, bin);
        text_format(out, "<path class='grid' d='M%.1f %.1fh%.1f'/><text x='%.1f' y='%.1f' text-anchor='end'>", f->left, y, f->width, f->left - 6, y + 4);
        put_short(out, footprint_bin_low(bin));
        text_add(out, "</text>\n");
    }
    text_format(out, "<text x='%.1f' y='%.1f' text-anchor='middle'>window length, accesses (8 bins to the octave)</text>\n",
                f->left + f->width / 2, f->top + f->height + 36);
    text_format(out, "<text transform='translate(%.1f %.1f) rotate(-90)' text-anchor='middle'>", f->left - 48, f->top + f->height / 2);
    text_html(out, what);
    text_add(out, "</text>\n");
}

static void put_picture(const result *r, const footprint_profile *p, double top, const char *title, const char *what, text *out) {
    static const char *const colors[CURVES] = {"#1b6ca8", "#2a9d8f", "#222", "#e08e0b", "#c1272d"};
    frame f = {70, 0, 800, 400, 2, 9};
    uint32_t column, i;
    uint64_t low, high;
    f.top = top + 40;
    for (column = 1; column < r->profile.columns; column++)
        if (percentile_of(r, p, column, 100, &low, &high)) {
            f.columns = column + 1;
            if (footprint_bin(low) + 1 > f.rows) f.rows = footprint_bin(low) + 1;
        }
    text_format(out, "<text class='title' x='%.1f' y='%.1f'>", f.left, top + 22);
    text_html(out, title);
    text_add(out, "</text>\n");
    put_axes(&f, what, out);
    for (i = CURVES; i-- > 0; ) {
        const char *pen = "M";
        double x = 0, y = 0;
        text_format(out, "<path class='curve' stroke='%s' d='", colors[i]);
        for (column = 1; column < f.columns; column++) {
            if (!percentile_of(r, p, column, percents[i], &low, &high)) continue;
            x = x_of(&f, column + .5);
            y = y_of(&f, footprint_bin(high) + .5);
            text_format(out, "%s%.1f %.1f", pen, x, y);
            pen = "L";
        }
        text_format(out, "'/>\n<text x='%.1f' y='%.1f' fill='%s'>%u %%%s</text>", f.left + f.width + 8, f.top + f.height - 12 - 18 * (double)i,
                    colors[i], percents[i], i == 0 ? " (least)" : i == 2 ? " (median)" : i == 4 ? " (largest)" : "");
    }
    if (p == &r->profile && !r->o->one_in_n) {
        const char *pen = "M";
        uint64_t window;
        double blocks;
        text_add(out, "<path class='curve' stroke='#888' stroke-dasharray='4 3' d='");
        for (i = 1; average_point(r, i, &window, &blocks); i++) {
            uint32_t bin = footprint_bin((uint64_t)blocks);
            double within = (blocks - (double)footprint_bin_low(bin)) / (double)(footprint_bin_high(bin) - footprint_bin_low(bin) + 1);
            text_format(out, "%s%.1f %.1f", pen, x_of(&f, footprint_bin(window) + 1.), y_of(&f, bin + within));
            pen = "L";
        }
        text_format(out, "'/>\n<text x='%.1f' y='%.1f' fill='#888'>average</text>\n", f.left + f.width + 8, f.top + f.height - 12 - 18. * (double)CURVES);
    }
    for (column = 1; column < f.columns; column++) {                           /* numbers under the pointer */
        if (!percentile_of(r, p, column, 50, &low, &high)) continue;
        text_format(out, "<rect class='over' x='%.1f' y='%.1f' width='%.1f' height='%.1f'><title>windows of %llu to %llu accesses", x_of(&f, column), f.top,
                    f.width / (f.columns - 1), f.height, (unsigned long long)footprint_bin_low(column), (unsigned long long)column_high(r, column));
        for (i = CURVES; i-- > 0; ) {
            percentile_of(r, p, column, percents[i], &low, &high);
            text_format(out, "\n%u %%: %llu to %llu", percents[i], (unsigned long long)low, (unsigned long long)high);
        }
        text_add(out, "</title></rect>\n");
    }
}

static void put_svg(const result *r, text *out) {
    const options *o = r->o;
    uint32_t pictures = o->first >= 0 ? 3 : 1, i;
    char line[200], unit[60];
    text_format(out, "<svg xmlns='http://www.w3.org/2000/svg' width='980' height='%u' viewBox='0 0 980 %u' font-family='sans-serif' font-size='12'>\n",
                pictures * 500, pictures * 500);
    text_add(out, "<style>.grid{stroke:#ddd;fill:none}.curve{fill:none;stroke-width:1.6}.title{font-size:15px}.over{fill:#000;fill-opacity:0}"
                  ".over:hover{fill-opacity:.08}</style>\n<rect width='100%' height='100%' fill='#fff'/>\n");
    sprintf(line, ": footprints of %s, c = %.6g, %llu accesses%s", o->one_in_n ? "one window per access" : "all windows", r->profile.c,
            (unsigned long long)r->profile.accesses, r->profile.sample_log2 ? ", sampled blocks" : "");
    sprintf(unit, "footprint, blocks of %lu bytes", 1ul << o->config.block_log2);
    for (i = 0; i < pictures; i++) {
        text title = {NULL, 0, 0};
        text_add(&title, o->title);
        if (i) {
            int counted = i == 1 ? o->second : o->first, other = i == 1 ? o->first : o->second;
            sprintf(line, ": windows of threads %d and %d, c = %.6g", o->first, o->second, r->profile.c);
            sprintf(unit, "accesses by thread %d, not %d", counted, other);
        }
        text_add(&title, line);
        text_bytes(&title, "", 1);
        put_picture(r, i ? &r->pair[i - 1] : &r->profile, i * 500., title.data, unit, out);
        text_free(&title);
    }
    text_add(out, "</svg>\n");
}

static int save_dump(void *user, const void *data, size_t size) { text_bytes((text *)user, data, size); return 0; }

/* ---- the replay ---- */

typedef struct pairs { footprint_pair side[2]; uint64_t *times[2], count[2], room[2], wrong; int turn; uint64_t length; } pairs;

/* Gives the turn that has ended to both; side[0] counts thread 1's accesses, side[1] thread 0's. */
static void end_turn(pairs *p) {
    if (p->length == 0) return;
    footprint_pair_turn(&p->side[0], p->turn, p->length);
    footprint_pair_turn(&p->side[1], 1 - p->turn, p->length);
    p->length = 0;
}

/* One access at a time, and both marks looked at after each. */
static void check_pairs(pairs *p, int t) {
    uint32_t i;
    uint64_t now = p->side[0].now + 1;
    p->turn = t;
    p->length = 1;
    end_turn(p);
    if (p->count[t] == p->room[t]) p->times[t] = (uint64_t *)tool_grow(p->times[t], (size_t)(p->room[t] = 2 * p->room[t] + 1024) * sizeof *p->times[t]);
    p->times[t][p->count[t]++] = now;
    for (i = 0; i < 2; i++) p->wrong += check_pair(&p->side[i], p->times[1 - i]);
}

static double seconds_since(clock_t start) { return (double)(clock() - start) / CLOCKS_PER_SEC; }

static int replay(const options *o, trace_blocks *trace, result *r) {
    static uint64_t block[BATCH], kept[BATCH];
    static unsigned char thread[BATCH];
    footprint fp, checked;                         /* the same twice: one to be timed, one to be looked at after every access */
    footprint_profile before, pair_before[2];
    pairs p, checked_pairs;
    uint64_t done = 0, turns = 0;
    size_t got, i, count;
    double seconds = 0, pair_seconds = 0;
    int status = TOOL_OK, phase = o->from == 0;
    footprint_config config = o->config;
    memset(&before, 0, sizeof before);
    memset(&p, 0, sizeof p);
    memset(&checked_pairs, 0, sizeof checked_pairs);
    if (footprint_open(&fp, &config) == 0) return tool_error("out of memory");
    if (o->check && footprint_open(&checked, &config) == 0) return tool_error("out of memory");
    if (o->check) check_start(&r->check, fp.config.c);
    if (o->one_in_n) sampled_start(&r->one_in_n, 1);
    for (i = 0; i < 2 && o->first >= 0; i++) {
        size_t bytes = footprint_pair_bytes(&config, config.c == 1 ? 1u << 22 : 1u << 20);
        footprint_pair_init(&p.side[i], tool_alloc(bytes), bytes, &config);
        if (o->check) footprint_pair_init(&checked_pairs.side[i], tool_alloc(bytes), bytes, &config);
    }
    for (;;) {
        size_t room = BATCH;
        clock_t start;
        if (!phase && o->from - done < room) room = (size_t)(o->from - done);
        if (o->to && o->to - done < room) room = (size_t)(o->to - done);
        if (room == 0 && phase) break;
        if (room == 0) {
            snapshot(&fp, &before);
            if (o->first >= 0) end_turn(&p);
            for (i = 0; i < 2 && o->first >= 0; i++) pair_snapshot(&p.side[i], &pair_before[i]);
            phase = 1;
            continue;
        }
        status = trace_blocks_read(trace, block, thread, room, &got);
        for (i = count = 0; i < got; i++)
            if (o->first < 0 || thread[i] == o->first || thread[i] == o->second) { kept[count] = block[i]; thread[count++] = thread[i]; }
        done += o->first < 0 ? got : count;
        start = clock();
        if (o->one_in_n) for (i = 0; i < count; i++) sampled_access(&r->one_in_n, kept[i]);
        else footprint_access_many(&fp, kept, count);
        seconds += seconds_since(start);
        start = clock();
        for (i = 0; i < count && o->check; i++) { footprint_access(&checked, kept[i]); check_access(&r->check, &checked, kept[i]); }
        r->check.seconds += seconds_since(start);
        start = clock();
        for (i = 0; i < count && o->first >= 0; i++) {
            int turn = thread[i] != o->first;
            if (p.length && turn != p.turn) { end_turn(&p); turns++; }
            p.turn = turn;
            p.length++;
            r->thread_accesses[turn]++;
        }
        pair_seconds += seconds_since(start);
        for (i = 0; i < count && o->first >= 0 && o->check; i++) check_pairs(&checked_pairs, thread[i] != o->first);
        if (status != TOOL_OK || got == 0) break;
    }
    if (status == TOOL_OK && o->thread >= 0 && done == 0)
        status = tool_error("%s: offset %llu: no access of thread %d", trace->name, (unsigned long long)trace->offset, o->thread);
    if (status == TOOL_OK && !phase) status = tool_error("%s: offset %llu: the trace ends at access %llu, before --from %llu", trace->name,
        (unsigned long long)trace->offset, (unsigned long long)done, (unsigned long long)o->from);
    snapshot(&fp, &r->profile);
    r->profile.block_log2 = o->config.block_log2;                              /* 0 is a byte here, not a default */
    footprint_get_stats(&fp, &r->stats);
    if (o->one_in_n) {                                                         /* nothing but its table of windows */
        r->profile.accesses = r->one_in_n.now;
        r->profile.blocks = r->one_in_n.blocks;
    }
    r->ns = r->profile.accesses ? seconds * 1e9 / (double)r->profile.accesses : 0;
    if (o->check) {
        check_end(&r->check, &r->profile);
        exact_free(&r->check.exact);
        footprint_close(&checked);
    }
    if (o->first >= 0) {
        for (i = 0; i < 2 && status == TOOL_OK; i++)
            if (r->thread_accesses[i] == 0)
                status = tool_error("%s: offset %llu: no access of thread %d", trace->name, (unsigned long long)trace->offset, i ? o->second : o->first);
        end_turn(&p);
        for (i = 0; i < 2; i++) {
            pair_snapshot(&p.side[i], &r->pair[i]);
            if (before.at_least) footprint_subtract(&r->pair[i], &pair_before[i]);
        }
        r->turns = turns + (p.side[0].now > 0);
        r->pair_ns = p.side[0].now ? pair_seconds * 1e9 / (double)p.side[0].now / 2 : 0;
        r->check.too_large += checked_pairs.wrong;
    }
    if (o->from) { if (before.at_least) footprint_subtract(&r->profile, &before); else r->profile.accesses = 0; }   /* 0: nothing to print */
    footprint_close(&fp);
    return status;
}

/* ---- options ---- */

static int whole(const char *words, uint64_t most, uint64_t *value) {
    char *end;
    if (!isdigit((unsigned char)*words)) return 0;
    *value = strtoull(words, &end, 10);
    return *end == 0 && *value <= most;
}

/* 0.125, 1/8 or 8 -> 3 */
static int sampling(const char *words, uint32_t *log2) {
    char *end;
    double share = strtod(words, &end), rest;
    if (*end == '/') { rest = strtod(end + 1, &end); share = rest > 0 ? share / rest : 0; }
    if (*end || !(share > 0)) return 0;
    if (share > 1) share = 1 / share;
    for (*log2 = 0; *log2 < 24 && share < 1 && share * 1.4142135 < 1; (*log2)++) share *= 2;
    return 1;
}

static int two_threads(const char *words, int *first, int *second) {
    char *end;
    long a = strtol(words, &end, 10), b;
    if (end == words || *end != ',') return 0;
    words = end + 1;
    b = strtol(words, &end, 10);
    *first = (int)a;
    *second = (int)b;
    return end != words && *end == 0 && a >= 0 && a < 256 && b >= 0 && b < 256 && a != b;
}

static int run(int argc, char **argv) {
    options o;
    result r;
    trace_blocks *trace;
    uint64_t n = 0;
    int i, status;
    memset(&o, 0, sizeof o);
    memset(&r, 0, sizeof r);
    o.first = o.second = o.thread = -1;
    o.config.c = .9;
    o.config.block_log2 = 6;
    o.config.alloc = allocate;
    o.config.release = release;
    for (i = 1; i < argc; i++) {
        const char *name = argv[i], *value = i + 1 < argc ? argv[i + 1] : "";
        int takes = 1, good = 1;
        if      (strcmp(name, "--c") == 0)           { char *end; o.config.c = strtod(value, &end); good = *value && *end == 0 && o.config.c >= .01 && o.config.c <= 1; }
        else if (strcmp(name, "--sample") == 0)      good = sampling(value, &o.config.sample_log2);
        else if (strcmp(name, "--window-max") == 0)  good = whole(value, UINT64_C(1) << 40, &o.config.window_max) && o.config.window_max > 0;
        else if (strcmp(name, "--blocks-max") == 0)  { good = whole(value, UINT32_C(1) << 30, &n) && n > 0; o.config.blocks_max = (uint32_t)n; }
        else if (strcmp(name, "--from") == 0)        good = whole(value, UINT64_MAX, &o.from);
        else if (strcmp(name, "--to") == 0)          good = whole(value, UINT64_MAX, &o.to) && o.to > 0;
        else if (strcmp(name, "--thread") == 0)      { good = whole(value, 255, &n); o.thread = (int)n; o.threads = 1; }
        else if (strcmp(name, "--interleave") == 0)  { good = two_threads(value, &o.first, &o.second); o.threads = 1; }
        else if (strcmp(name, "--block-bytes") == 0) {
            good = whole(value, 1u << 30, &n) && n > 0 && (n & (n - 1)) == 0;
            for (o.config.block_log2 = 0; n > 1; n /= 2) o.config.block_log2++;
        }
        else if (strcmp(name, "--title") == 0)       o.title = value;
        else if (strcmp(name, "--dump") == 0)        o.dump = value;
        else {
            takes = 0;
            if      (strcmp(name, "--average") == 0)  o.config.flags |= FOOTPRINT_AVERAGE;
            else if (strcmp(name, "--forget") == 0)   o.config.flags |= FOOTPRINT_FORGET;
            else if (strcmp(name, "--threads") == 0)  o.threads = 1;
            else if (strcmp(name, "--check") == 0)    o.check = 1;
            else if (strcmp(name, "--one-in-n") == 0) o.one_in_n = 1;
            else if (strcmp(name, "--json") == 0)     o.form = JSON;
            else if (strcmp(name, "--csv") == 0)      o.form = CSV;
            else if (strcmp(name, "--svg") == 0)      o.form = SVG;
            else if (strcmp(name, "--help") == 0)     { fputs(help, stdout); return TOOL_OK; }
            else if (name[0] == '-' && name[1])       return tool_error("replay footprint: no option %s; --help lists them", name);
            else if (o.trace)                         return tool_error("replay footprint: one trace, not both %s and %s", o.trace, name);
            else o.trace = name;
        }
        if (takes && i + 1 == argc) return tool_error("replay footprint: %s needs a value", name);
        if (!good) return tool_error("replay footprint: %s: bad value '%s'; --help says what it takes", name, value);
        i += takes;
    }
    if (!o.trace) { fputs(help, stderr); return TOOL_BAD_INPUT; }
    if (o.to && o.to <= o.from) return tool_error("replay footprint: --to must be greater than --from");
    if (o.check && (o.one_in_n || o.config.flags & FOOTPRINT_AVERAGE || o.from))
        return tool_error("replay footprint: --check compares all windows; not with --one-in-n, --average or --from");
    if (o.one_in_n && (o.from || o.first >= 0 || o.dump)) return tool_error("replay footprint: --one-in-n has no phases, pairs or dumps");
    if ((o.form == SVG || o.first >= 0) && o.config.flags & FOOTPRINT_AVERAGE)
        return tool_error("replay footprint: --average counts no windows: no --svg, no --interleave");
    if (o.thread >= 0 && o.first >= 0) return tool_error("replay footprint: --thread or --interleave, not both");
    if (!o.title) o.title = strcmp(o.trace, "-") == 0 ? "standard input" : o.trace;
    trace = (trace_blocks *)tool_alloc(sizeof *trace);
    status = trace_blocks_open(trace, o.trace, o.threads, o.thread >= 0 ? o.thread : TRACE_BLOCKS_EVERY);
    if (status != TOOL_OK) { free(trace); return status; }
    r.o = &o;
    status = replay(&o, trace, &r);
    trace_blocks_close(trace);
    free(trace);
    if (r.profile.accesses || status == TOOL_OK) {
        text out = {NULL, 0, 0};
        int saved;
        if      (o.form == JSON) put_json(&r, &out);
        else if (o.form == CSV)  put_csv(&r, &out);
        else if (o.form == SVG)  put_svg(&r, &out);
        else                     put_text(&r, &out);
        saved = text_save(&out, NULL);
        if (saved == TOOL_OK && o.dump) {
            out.size = 0;
            footprint_write(&r.profile, o.title, save_dump, &out);
            saved = text_save(&out, o.dump);
        }
        text_free(&out);
        if (status == TOOL_OK) status = saved;
    }
    if (o.check && r.check.too_large + r.check.too_small && status == TOOL_OK) status = TOOL_FAILED;
    return status;
}

const tool_command replay_footprint = {"footprint", "footprints of all windows of a block trace", run};
