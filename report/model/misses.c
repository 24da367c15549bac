/* misses.c - misses by function, object and instruction become tables.

   Let x be the misses of a burst, y those of one row, r the accesses that were
   judged. Shares are ratios of sums over m bursts, Y / X and X / R, and their
   variance follows from what each burst leaves over (model/sampled_ranges.c).
   Few and unequal bursts have the rule of all (model/interval.h). Of accesses that
   nobody knows to have missed, it may be that only this row's did, or only all
   others': the interval has both ends.

   What would a larger cache take away of a row's misses y? Whatever misses there,
   z, misses in the smaller one, too. So z <= y in each burst, the sum of z y is
   at least that of z z, and what the bursts leave over of the ratio R = Z / Y is
   at most the sum of (1 - 2 R) z z + R R y y. The part needs no sum of z y. */
#include "base/json.h"
#include "base/tool.h"
#include "report/kinds/misses.h"
#include "report/model/interval.h"
#include "report/model/report.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_SHOWN = 12 };
static const double most_unknown = .5;  /* of what missed or may have */
static const double hardly_any = .001;  /* of all accesses */

typedef struct share { double value, low, high; } share; /* low < 0: no interval */

typedef struct misses_columns { const missed_parts *from; } misses_columns;

static int is_whole(const missed_part *p) { return (p->flags & MISSED_WHOLE) != 0; }

/* Is it known what misses at that size? */
static int is_known(const missed_part *p, const missed_size *size) {
    double unknown = (double)size->unknown;
    return p->counted && unknown <= most_unknown * ((double)size->misses + unknown);
}

/* Or at least how little it is? */
static int has_ratio(const missed_part *p, const missed_size *size) {
    return is_known(p, size)
           || (p->counted && (double)size->unknown <= hardly_any * (double)p->counted);
}

static double as_real(uint64_t sum) { return sum == UINT64_MAX ? HUGE_VAL : (double)sum; }

static share exact_share(double value) {
    share s;
    s.value = s.low = s.high = value;
    return s;
}

/* What is unknown may be all of it or nothing: the middle leans to neither
   side. */
static double middle_of(double least, double most) {
    return most < 1 ? (least + most) / 2 : (least + 1) / 2;
}

/* The share of the judged accesses that missed. */
static share miss_ratio(const missed_part *p, const missed_size *size) {
    double x = (double)size->misses, r = (double)p->counted, m = (double)p->bursts;
    double ratio = r > 0 ? x / r : 0, over;
    share s = exact_share(ratio);
    interval i;
    if (is_whole(p) || r <= 0) return s;
    over = as_real(size->xx) - 2 * ratio * as_real(size->xr) + ratio * ratio * as_real(p->rr);
    i = x > 0 ? interval_of_bursts(ratio, m, interval_worth_of_bursts(x, as_real(size->xx)),
                                   over > 0 ? over / (r * r) : 0)
              : interval_unmet(m);
    s.low = i.low;
    s.high = i.high < 0 ? -1 : i.high + (double)size->unknown / r;
    if (s.high > 1) s.high = 1;
    s.value = middle_of(ratio, ratio + (double)size->unknown / r);
    return s;
}

/* The squares that a row's bursts leave over. */
static double over_of(const missed_sums *sums, const missed_size *size) {
    const double part = (double)sums->misses / (double)size->misses;
    const double over =
        as_real(sums->yy) - 2 * part * as_real(sums->xy) + part * part * as_real(size->xx);
    return over > 0 ? over : 0;
}

/* Y / X of a row in all misses of that size. clump: see interval.h. */
static share share_of(const missed_part *p, const missed_row *row, size_t at, double clump) {
    const missed_size *size = &p->sizes[at];
    const missed_sums *sums = &row->at[at];
    double x = (double)size->misses, own = (double)sums->unknown, over;
    double others = (double)size->unknown - own;
    double y = (double)sums->misses, bursts = interval_worth_of_bursts(y, as_real(sums->yy));
    double part = x > 0 ? y / x : 0;
    share s = exact_share(part);
    interval i;
    if (is_whole(p) || x <= 0) return s;
    over = interval_with_unseen(over_of(sums, size), y, bursts, clump);
    i = interval_of_bursts(part, (double)p->bursts, bursts, over / (x * x));
    s.low = i.low < 0 ? -1 : i.low * x / (x + others);
    s.high = i.high < 0 ? -1 : (i.high * x + own) / (x + own);
    s.value = middle_of(part * x / (x + others), (part * x + own) / (x + own));
    return s;
}

/* The share of a row's misses in a cache that are left in a larger one. */
static share left_of(const missed_part *p, const missed_row *row, size_t small, size_t large) {
    const missed_sums *a = &row->at[small], *b = &row->at[large];
    double y = (double)a->misses, own = (double)a->unknown, over;
    double part = y > 0 ? (double)b->misses / y : 0;
    share s;
    interval i;
    if (part > 1) part = 1;
    s = exact_share(part);
    if (is_whole(p) || y <= 0) return s;
    over = (1 - 2 * part) * as_real(b->yy) + part * part * as_real(a->yy);
    i = interval_of_bursts(part, (double)p->bursts, interval_worth_of_bursts(y, as_real(a->yy)),
                           over > 0 ? over / (y * y) : 0);
    s.low = i.low < 0 ? -1 : i.low * y / (y + own);
    s.high = i.high < 0 ? -1 : (i.high * y + (double)b->unknown) / (y + own);
    if (s.high > 1) s.high = 1;
    s.value = middle_of(part * y / (y + own), (part * y + (double)b->unknown) / (y + own));
    return s;
}

static double or_none(double bound) { return bound < 0 ? REPORT_NONE : bound; }

/* "48 KiB (L1d)". To be freed by the caller. */
static char *size_words(const missed_size *size) {
    static const char *const units[] = {"bytes", "KiB", "MiB", "GiB"};
    text words = {NULL, 0, 0};
    double value = (double)size->bytes;
    char *clean;
    int unit = 0;
    for (; value >= 1024 && unit < 3; unit++) value /= 1024;
    text_format(&words, "%.4g %s", value, units[unit]);
    if (*size->label) text_format(&words, " (%s)", size->label);
    clean = text_clean(words.data, words.size);
    text_free(&words);
    return clean;
}

static const char *name_or(const char *name) { return *name ? name : "?"; }

/* ---- the caches ---- */

static void add_caches(report *r, const missed_part *p) {
    static const report_column columns[] = {
        {"cache_bytes", "cache-bytes", REPORT_COUNT, 0, NULL},
        {"miss_ratio", "misses", REPORT_SHARE, 0, "not-known"},
        {"miss_ratio_low", "from", REPORT_SHARE, 0, "-"},
        {"miss_ratio_high", "to", REPORT_SHARE, 0, "-"},
        {"unknown", "unknown", REPORT_SHARE, REPORT_OPTIONAL, NULL},
        {"level", "level", REPORT_NAME, 0, NULL},
    };
    text remark = {NULL, 0, 0};
    report_table *table;
    size_t i;
    int is_unknown = 0;
    table = report_add_table(r, "cache_misses", "misses of caches that keep what was used last",
                             columns, sizeof columns / sizeof *columns);
    for (i = 0; i < p->size_count; i++) {
        const missed_size *size = &p->sizes[i];
        report_cell *row = report_add_row(table);
        share s = miss_ratio(p, size);
        int known = has_ratio(p, size);
        row[0].count = size->bytes;
        row[1].real = known ? s.value : REPORT_NONE;
        row[2].real = known && !is_whole(p) ? or_none(s.low) : known ? s.value : REPORT_NONE;
        row[3].real = known && !is_whole(p) ? or_none(s.high) : known ? s.value : REPORT_NONE;
        row[4].real = p->counted ? (double)size->unknown / (double)p->counted : 0;
        row[5].name = name_or(size->label);
        is_unknown |= !known;
    }
    text_counted(&remark, p->counted, "access");
    if (is_whole(p)) text_add(&remark, ": every access that the recorder saw. The first one to a "
                                       "block misses.");
    else {
        text_add(&remark, " in the second halves of ");
        text_counted(&remark, p->bursts, "burst");
        text_add(&remark, ". unknown: first accesses of a burst to a block, of which nobody knows "
                          "whether an older access had brought it.");
        if (is_unknown)
            text_add(&remark, " Where that is most of what may miss, the bursts are too short for "
                              "the size: a longer --burst with its --every shows more.");
    }
    text_bytes(&remark, "", 1);
    report_remark(table, remark.data);
    text_free(&remark);
}

/* ---- rows ---- */

static const struct { uint32_t what; const char *key, *title; } shown[] = {
    {MISSED_FUNCTION, "miss_functions", "functions"},
    {MISSED_OBJECT, "miss_objects", "objects"},
    {MISSED_PAIR, "miss_pairs", "functions with objects"},
    {MISSED_SITE, "miss_sites", "instructions"},
};

typedef struct ranked {
    const missed_row *row;
    uint64_t misses;
    double clump;
} ranked;

static int by_misses(const void *left, const void *right) {
    const ranked *a = (const ranked *)left, *b = (const ranked *)right;
    if (a->misses != b->misses) return a->misses < b->misses ? 1 : -1;
    return a->row < b->row ? -1 : a->row > b->row; /* by name */
}

/* The rows of a kind that missed at that size, most misses first. To be freed
   by the caller. */
static ranked *rank(const missed_part *p, uint32_t what, size_t at, size_t *count) {
    ranked *list = (ranked *)tool_alloc((p->row_count + 1) * sizeof *list);
    size_t i;
    for (i = 0, *count = 0; i < p->row_count; i++) {
        const missed_row *row = &p->rows[i];
        if (row->what != what || row->at[at].misses == 0) continue;
        list[*count].row = row;
        list[(*count)++].misses = row->at[at].misses;
    }
    if (*count) qsort(list, *count, sizeof *list, by_misses);
    return list;
}

/* A row that few bursts have seen may have bursts of which none was seen. Rows that
   have no more than four times as many misses tell how large those get: a program's
   hottest function has far larger ones than most rows ever have. */
static void clumps_of(const missed_part *p, size_t at, ranked *list, size_t count) {
    size_t from = count, i;
    double misses = 0, over = 0;
    for (i = count; i-- > 0;) {
        for (; from > 0 && list[from - 1].misses / 4 <= list[i].misses; from--) {
            misses += (double)list[from - 1].misses;
            over += over_of(&list[from - 1].row->at[at], &p->sizes[at]);
        }
        list[i].clump = over / misses;
    }
}

/* Settled rows stand in the order of what they are, then of names. */
static int by_what_and_name(const void *key, const void *row) {
    const missed_row *a = (const missed_row *)key, *b = (const missed_row *)row;
    if (a->what != b->what) return a->what < b->what ? -1 : 1;
    return strcmp(a->name, b->name);
}

static const missed_row *find_function(const missed_part *p, char *name) {
    missed_row wanted;
    memset(&wanted, 0, sizeof wanted);
    wanted.what = MISSED_FUNCTION;
    wanted.name = name;
    if (p->row_count == 0) return NULL;
    return (const missed_row *)bsearch(&wanted, p->rows, p->row_count, sizeof *p->rows,
                                       by_what_and_name);
}

static void add_rows(report *r, const missed_part *p, size_t at, size_t kind) {
    static const report_column one[] = {
        {"share", "share", REPORT_SHARE, 0, NULL},
        {"share_low", "from", REPORT_SHARE, 0, "-"},
        {"share_high", "to", REPORT_SHARE, 0, "-"},
        {"misses", "misses", REPORT_COUNT, REPORT_OPTIONAL, NULL},
        {"name", "name", REPORT_NAME, 0, NULL},
    };
    static const report_column two[] = {
        {"share", "share", REPORT_SHARE, 0, NULL},
        {"share_low", "from", REPORT_SHARE, 0, "-"},
        {"share_high", "to", REPORT_SHARE, 0, "-"},
        {"share_of_function", "of-function", REPORT_SHARE, 0, "-"},
        {"misses", "misses", REPORT_COUNT, REPORT_OPTIONAL, NULL},
        {"function", "function", REPORT_NAME, 0, NULL},
        {"object", "object", REPORT_NAME, 0, NULL},
    };
    static const report_column site[] = {
        {"share", "share", REPORT_SHARE, 0, NULL},
        {"share_low", "from", REPORT_SHARE, 0, "-"},
        {"share_high", "to", REPORT_SHARE, 0, "-"},
        {"misses", "misses", REPORT_COUNT, REPORT_OPTIONAL, NULL},
        {"name", "name", REPORT_NAME, 0, NULL},
        {"place", "place", REPORT_NAME, 0, NULL},
    };
    int is_pair = shown[kind].what == MISSED_PAIR, is_site = shown[kind].what == MISSED_SITE;
    size_t count, i, n;
    ranked *list = rank(p, shown[kind].what, at, &count);
    char *size = size_words(&p->sizes[at]), title[160];
    report_table *table = NULL;
    clumps_of(p, at, list, count);
    for (i = 0; i < count; i++) {
        const missed_row *row = list[i].row;
        share s = share_of(p, row, at, list[i].clump);
        report_cell *cells;
        const char *name = report_keep(r, report_name(r, name_or(row->name)));
        if (s.value < r->options.least_share) break;
        if (!table) {
            snprintf(title, sizeof title, "misses at %.100s: %s", size, shown[kind].title);
            table = report_add_table(r, shown[kind].key, title,
                                     is_pair ? two : is_site ? site : one,
                                     is_pair ? sizeof two / sizeof *two
                                             : sizeof one / sizeof *one + (size_t)is_site);
            table->rows_shown = ROWS_SHOWN;
        }
        cells = report_add_row(table);
        cells[0].real = s.value;
        cells[1].real = or_none(s.low);
        cells[2].real = or_none(s.high);
        n = 3;
        if (is_pair) {
            const missed_row *function = find_function(p, row->name);
            uint64_t all = function ? function->at[at].misses : 0;
            cells[n++].real = all ? (double)list[i].misses / (double)all : REPORT_NONE;
        }
        cells[n++].count = list[i].misses;
        cells[n++].name = name;
        if (is_pair) cells[n].name = report_keep(r, report_name(r, name_or(row->other)));
        if (is_site) cells[n].name = strchr(row->place, '\t') ? "" : row->place;
    }
    if (table) table->rows_left_out = count - i;
    free(list);
    free(size);
}

/* ---- in a sentence ---- */

/* "; 38 % of these (35 to 41 %) in f, there 81 % on x" */
static void add_worst(report *r, const missed_part *p, size_t at, text *line) {
    size_t n, count, pairs;
    ranked *list = rank(p, MISSED_FUNCTION, at, &count), *both;
    const missed_row *function;
    char *name;
    share s;
    if (count == 0) {
        free(list);
        return;
    }
    function = list[0].row;
    clumps_of(p, at, list, count);
    s = share_of(p, function, at, list[0].clump);
    free(list);
    name = report_name(r, name_or(function->name));
    text_add(line, "; ");
    report_add_share(line, s.value, s.low, s.high, "these");
    text_format(line, " in %s", name);
    free(name);
    both = rank(p, MISSED_PAIR, at, &pairs);
    for (n = 0; n < pairs && strcmp(both[n].row->name, function->name) != 0; n++) { }
    if (n < pairs) {
        name = report_name(r, name_or(both[n].row->other));
        text_format(line, ", there %.0f %% on %s",
                    100 * (double)both[n].misses / (double)function->at[at].misses, name);
        free(name);
    }
    free(both);
}

/* "vdbeSorterMerge on heap of f < g" */
static void add_pair(report *r, const missed_row *row, text *line) {
    char *function = report_name(r, name_or(row->name));
    char *object = report_name(r, name_or(row->other));
    text_format(line, "%s on %s", function, object);
    free(function);
    free(object);
}

/* The smallest size that is known, of which something misses; the last if there
   is none. */
static size_t smallest_known(const missed_part *p) {
    size_t at;
    for (at = 0; at + 1 < p->size_count; at++)
        if (is_known(p, &p->sizes[at]) && p->sizes[at].misses) break;
    return at;
}

/* What the worst row asks for: less data between two uses, if a larger cache
   holds it, and fewer lines, if none does. */
static void add_advice(report *r, const missed_part *p) {
    text line = {NULL, 0, 0};
    size_t at = smallest_known(p), k, best = 0, count;
    ranked *list;
    const missed_row *row;
    char *small, *large;
    share left = exact_share(0);
    if (at + 1 >= p->size_count) return; /* no larger cache to compare with */
    list = rank(p, MISSED_PAIR, at, &count);
    row = count ? list[0].row : NULL;
    free(list);
    if (!row) return;
    for (k = at + 1; k < p->size_count; k++) {
        share s = left_of(p, row, at, k);
        if (s.low < 0 || (s.high > .5 && s.low < .5)) continue; /* no telling */
        best = k;
        left = s;
        if (s.high <= .5) break;
    }
    small = size_words(&p->sizes[at]);
    if (!best) {
        text_add(&line, "not known: bursts are too few or too short to tell whether a larger cache "
                        "holds what misses most, ");
        add_pair(r, row, &line);
        text_add(&line, ". --every 0 tells, and --burst 2000000 --every 20000000 in long runs");
    } else if (left.high <= .5) {
        large = size_words(&p->sizes[best]);
        text_format(&line, "use less data between two uses of a line. What misses most at %s, ", small);
        add_pair(r, row, &line);
        text_format(&line, ", would hit in %s: ", large);
        report_add_share(&line, 1 - left.value, 1 - left.high, 1 - left.low, "these misses");
        text_add(&line, ". Smaller tables, smaller elements, or work in pieces");
        free(large);
    } else {
        large = size_words(&p->sizes[best]);
        text_format(&line, "touch fewer lines. What misses most at %s, ", small);
        add_pair(r, row, &line);
        text_format(&line, ", misses in %s, too: ", large);
        report_add_share(&line, left.value, left.low, left.high, "these misses");
        text_add(&line, ". Put side by side what is used together (bursty record --refs says what "
                        "that gains), use memory again before taking new, or go through it less "
                        "often");
        free(large);
    }
    if (strcmp(row->other, "(other memory)") == 0)
        text_add(&line, ". (other memory) did not come from malloc: if the program has an "
                        "allocator of its own, tell it to use malloc (python: PYTHONMALLOC=malloc)");
    text_bytes(&line, "", 1);
    report_add_fact(r, REPORT_NOTE, "advice", line.data);
    free(small);
    text_free(&line);
}

/* A fact for each size: how much misses there, and most of it where. */
static void add_facts(report *r, const missed_part *p) {
    text title = {NULL, 0, 0}, line = {NULL, 0, 0};
    size_t at;
    for (at = 0; at < p->size_count; at++) {
        const missed_size *size = &p->sizes[at];
        char *words = size_words(size);
        share ratio = miss_ratio(p, size);
        title.size = line.size = 0;
        text_format(&title, "misses at %s", words);
        text_bytes(&title, "", 1);
        if (!has_ratio(p, size)) text_add(&line, "not known: the bursts are too short for it");
        else if (size->misses == 0 && ratio.high <= 0) text_add(&line, "nothing missed");
        else if (!is_known(p, size))
            text_format(&line, "at most %.2f %% of accesses miss", 100 * ratio.high);
        else {
            report_add_share(&line, ratio.value, ratio.low, ratio.high, "accesses miss");
            add_worst(r, p, at, &line);
        }
        text_bytes(&line, "", 1);
        report_add_fact(r, REPORT_PLAIN, title.data, line.data);
        free(words);
    }
    text_free(&title);
    text_free(&line);
}

static void fill(void *columns, report *r, const void *state, const input *in) {
    misses_columns *c = (misses_columns *)columns;
    size_t i, at, kind;
    (void)in;
    c->from = (const missed_parts *)state;
    for (i = 0; i < c->from->count; i++) {
        const missed_part *p = &c->from->parts[i];
        if (*p->program) report_add_name(r, p->program);
        add_facts(r, p);
        add_advice(r, p);
        add_caches(r, p);
        for (at = 0; at < p->size_count; at++) {
            if (!is_known(p, &p->sizes[at])) continue;
            for (kind = 0; kind < sizeof shown / sizeof *shown; kind++) add_rows(r, p, at, kind);
        }
    }
}

const report_section section_misses = {
    &kind_misses, "misses", sizeof(misses_columns), fill, NULL, NULL,
};
