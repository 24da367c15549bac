/* corun.c - bursty corun: programs that share a cache, from their average
   footprints.

   Footprints add up: in a window of time each program makes accesses at its own
   rate and touches what its own average says of so many accesses. The window
   that fills the cache tells what each program misses: blocks that it did not
   use in that window (HOTL, composition).

   Averages are made not to fall as windows grow, and the share of accesses that
   were not used in a window never grows with it. So a larger cache never misses
   more. Where a program needs a cache of a certain size and hits everything from
   there on (a cliff), averages cannot tell where exactly: they know how long a
   window is that fills the cache on average, not which one. A program of phases
   has windows of several kinds, and the average is like none of them. So each
   program is looked at alone, too: in a cache of about so many blocks as it has
   of the shared one on average, its stack distances tell what it misses. Where
   that is something else, or depends much on how many blocks those are, the row
   says so. */
#include "base/input.h"
#include "base/tool.h"
#include "report/kinds/footprints.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: bursty corun [OPTIONS] FILE ...    FILE may be -, standard input\n"
    "\n"
    "  Takes the footprints in the files as programs that share one LRU cache and run at the\n"
    "  same time. Prints for each size of the cache how many accesses miss: of all programs,\n"
    "  and of each of them. Footprints of one name in two files are two programs.\n"
    "\n"
    "  --size LIST   sizes of the cache, as 48k,1M,32M; otherwise two in an octave\n"
    "  --rate LIST   accesses a second of each program, in their order, as 2e9,5e8. Otherwise\n"
    "                all take the same time, so that a rate is the number of accesses\n";

enum { POINTS = 500, SIZES = 100 };
static const double far_off = .2, hardly_any = .001;
static const double cliff_off = .5, cliff_least = .0005;

typedef struct program {
    footprint_profile profile;
    void *memory;                                 /* of its table */
    char *name;
    int number;                                   /* of those with this name, from 1 */
    double share;                                 /* of all accesses */
    double window[POINTS], blocks[POINTS];        /* its average, which never falls */
    int points;
    double least;                                 /* ratio so far, by slopes: see slope_at */
    double ratio;                                 /* at the size of this row */
} program;

typedef struct programs {
    program *list;
    size_t count;
    double rates[SIZES], sizes[SIZES];            /* sizes in bytes */
    size_t rate_count, size_count;
    int has_doubts;
} programs;

/* ---- the composition ---------------------------------------------------------------------- */

static void add_point(program *p, double window, double blocks) {
    if (p->points && blocks < p->blocks[p->points - 1]) blocks = p->blocks[p->points - 1];
    p->window[p->points] = window;
    p->blocks[p->points++] = blocks;
}

static void make_points(program *p) {
    const footprint_profile *f = &p->profile;
    uint32_t b;
    add_point(p, 0, 0);
    for (b = 1; b < f->columns && f->total[b].windows; b++) {
        double window = (double)footprint_bin_high(b);
        add_point(p, window, footprint_average_of(f, window));
    }
    if ((double)f->last_window > p->window[p->points - 1])
        add_point(p, (double)f->last_window, (double)f->last_blocks);
}

/* The point behind a window, or the number of points if there is none. */
static int point_after(const program *p, double window) {
    int low = 0, high = p->points;
    while (low < high) {
        int middle = (low + high) / 2;
        if (p->window[middle] > window) high = middle;
        else low = middle + 1;
    }
    return low;
}

static double average_of(const program *p, double window) {
    int i = point_after(p, window);
    if (i == p->points) return p->blocks[i - 1];
    return p->blocks[i - 1] + (p->blocks[i] - p->blocks[i - 1]) *
                              (window - p->window[i - 1]) / (p->window[i] - p->window[i - 1]);
}

static double average_of_all(const programs *all, double window) {
    double sum = 0;
    size_t i;
    for (i = 0; i < all->count; i++)
        sum += average_of(&all->list[i], window * all->list[i].share);
    return sum;
}

/* The window that fills the cache, by bisection, or one that is longer than all
   runs if everything fits. */
static double fill_time(const programs *all, double blocks) {
    double low = 0, high = 1;
    int i;
    while (high < 1e19 && average_of_all(all, high) < blocks) high *= 2;
    for (i = 0; i < 64 && high < 1e19; i++) {
        double middle = (low + high) / 2;
        if (average_of_all(all, middle) < blocks) low = middle;
        else high = middle;
    }
    return high;
}

/* The slope of the average, for a dump of an older version, which does not know
   reuses. It is too high near the run's length. So it is no less than the first
   accesses, and no more than at smaller sizes. */
static double slope_at(program *p, double window) {
    double slope = 0, first = 0;
    int i = point_after(p, window);
    if (i < p->points)
        slope = (p->blocks[i] - p->blocks[i - 1]) / (p->window[i] - p->window[i - 1]);
    if (p->profile.accesses) first = (double)p->profile.blocks / (double)p->profile.accesses;
    if (slope < first) slope = first;
    if (slope < p->least) p->least = slope;
    return p->least;
}

/* What misses if a program's blocks stay for a window of all accesses; -1 if that
   is unknown, because blocks are sampled and its part of the cache is too
   small. */
static double miss_ratio(program *p, double window) {
    double own = window * p->share;
    if (p->profile.sample_log2 &&
        average_of(p, own) < (double)(UINT64_C(1) << p->profile.sample_log2)) return -1;
    return p->profile.reuse ? footprint_reuse_after(&p->profile, own) : slope_at(p, own);
}

/* How a program's windows of that length differ: the footprint that so many
   percent of them do not exceed, over the median's; 1 if they are alike, or if the
   profile has averages alone. */
static double spread_of(const program *p, double window, uint32_t percent) {
    uint32_t column = footprint_bin(window < 1 ? 1 : (uint64_t)window), some, half;
    if (column >= p->profile.columns) return 1; /* longer than the run */
    some = footprint_percentile(&p->profile, column, percent);
    half = footprint_percentile(&p->profile, column, 50);
    if (some == UINT32_MAX || half == UINT32_MAX || half == 0) return 1;
    return (double)footprint_bin_high(some) / (double)footprint_bin_high(half);
}

/* The blocks that one program has while all others touch what so many percent of
   their windows do not exceed. */
static double blocks_beside(const programs *all, const program *one, double blocks,
                            uint32_t percent) {
    double low = 0, high = 1e19;
    int k;
    size_t i;
    for (k = 0; k < 80; k++) {
        double middle = k < 40 ? sqrt(low * high > 1 ? low * high : high) : (low + high) / 2;
        double sum = 0;
        for (i = 0; i < all->count; i++) {
            const program *p = &all->list[i];
            double window = middle * p->share;
            sum += average_of(p, window) * (p == one ? 1 : spread_of(p, window, percent));
        }
        if (sum < blocks) low = middle;
        else high = middle;
    }
    return average_of(one, high * one->share);
}

/* May a program's ratio be far off? Its stack distances say what it misses alone.
   They are known up to a bin, and to c. Two things mislead averages. A program of
   phases has windows like none of its average: then, in a cache of what it has of
   the shared one, it misses something else. And what it has goes up and down with
   the phases of the others. If beside windows of theirs that touch much (99 %) or
   little (1 %) it misses half as much again, or less by as much, it stands at a
   cliff, and nobody knows on which side. Returns 1 in both cases, and what it
   misses at both ends. */
static int is_doubtful(const programs *all, const program *p, double window, double size,
                       double *low, double *high) {
    const footprint_profile *f = &p->profile;
    double blocks = average_of(p, window * p->share), ratio = p->ratio, least, most, few, many;
    uint32_t bin = footprint_bin(blocks < 1 ? 1 : (uint64_t)blocks), from, to;
    if (!f->reuse || ratio < 0 || bin < 2) return 0;
    few = blocks_beside(all, p, size, 99);
    many = blocks_beside(all, p, size, 1);
    from = footprint_bin(few < 1 ? 1 : (uint64_t)few);
    to = footprint_bin(many < 1 ? 1 : (uint64_t)many);
    if (from > bin) from = bin;
    if (to < bin) to = bin;
    least = footprint_miss_ratio(f, (double)footprint_bin_high(bin + 1) / f->c);
    most = footprint_miss_ratio(f, (double)footprint_bin_high(bin - 1));
    *low = footprint_miss_ratio(f, (double)footprint_bin_high(to + 1) / f->c);
    *high = footprint_miss_ratio(f, (double)footprint_bin_high(from > 1 ? from - 1 : 1));
    if (least < 0 || most < 0 || *low < 0 || *high < 0) return 0;
    if (*low > ratio) *low = ratio;
    if (*high < ratio) *high = ratio;
    if (ratio < least * (1 - far_off) - hardly_any || ratio > most * (1 + far_off) + hardly_any)
        return 1;
    return (from < bin && *high > ratio * (1 + cliff_off) + cliff_least)
           || (to > bin && ratio > *low * (1 + cliff_off) + cliff_least);
}

/* A ratio below 0 is unknown. */
static void put_ratio(double ratio) {
    if (ratio < 0) printf("         -");
    else printf(" %8.2f%%", 100 * ratio);
}

static void put_row(programs *all, double bytes) {
    double window, sum = 0, blocks = bytes / ldexp(1, (int)all->list[0].profile.block_log2);
    size_t i;
    window = fill_time(all, blocks);
    for (i = 0; i < all->count; i++) {
        program *p = &all->list[i];
        p->ratio = miss_ratio(p, window);
        sum = p->ratio < 0 || sum < 0 ? -1 : sum + p->share * p->ratio;
    }
    printf("%12.0f", bytes);
    put_ratio(sum);
    for (i = 0; i < all->count; i++) put_ratio(all->list[i].ratio);
    for (i = 0; i < all->count; i++) {
        double low, high;
        if (!is_doubtful(all, &all->list[i], window, blocks, &low, &high)) continue;
        printf("  %lu:%.2f-%.2f%%", (unsigned long)(i + 1), 100 * low, 100 * high);
        all->has_doubts = 1;
    }
    printf("\n");
}

static void put_table(programs *all) {
    double most = 0, block = ldexp(1, (int)all->list[0].profile.block_log2);
    uint32_t bin;
    size_t i;
    for (i = 0; i < all->count; i++) {
        const program *p = &all->list[i];
        text line = {NULL, 0, 0};
        most += (double)p->profile.blocks;
        text_plain(&line, p->name);
        if (p->number > 1) text_format(&line, " (%d)", p->number);
        printf("program %lu, %.2f%% of the accesses: %.*s%s\n", (unsigned long)(i + 1),
               100 * p->share, (int)line.size, line.data ? line.data : "",
               p->profile.reuse ? "" : " (of an older version: its misses are too high where the "
                                       "cache is large)");
        text_free(&line);
    }
    printf("\n cache-bytes  all-miss");
    for (i = 0; i < all->count; i++) printf("  program-%lu", (unsigned long)(i + 1));
    printf("\n");
    for (i = 0; i < all->size_count; i++) put_row(all, all->sizes[i]);
    for (bin = 8; bin < 495 && all->size_count == 0; bin += 4) {
        double blocks = (double)footprint_bin_low(bin);    /* 8, 12, 16, 24, 32, 48, ... */
        put_row(all, blocks * block);
        if (blocks >= most) break;
    }
    if (all->has_doubts)
        printf("\nN:A-B%%: program N has phases, or stands at a cliff: alone, with what it has of "
               "this cache\nwhile the others touch little or much, it misses A or B %%. Averages cannot "
               "know better; the\ntruth is likely to lie between A and B.\n");
}

/* ---- the programs ------------------------------------------------------------------------- */

static int add_program(programs *all, const footprints_part *part, const char *file) {
    program *p;
    size_t i;
    if (part->profile.flags & FOOTPRINT_INTERLEAVED)
        return tool_error("corun: %s: an interleaving of threads has no footprint", file);
    if (part->profile.flags & FOOTPRINT_BURSTS)
        return tool_error("corun: %s: its accesses are bursts with gaps between them, of which no "
                          "misses are known; `bursty record --every 0` records all", file);
    if (all->count && part->profile.block_log2 != all->list[0].profile.block_log2)
        return tool_error("corun: %s: its blocks are of another size than those before", file);
    all->list = (program *)tool_grow(all->list, (all->count + 1) * sizeof *all->list);
    p = &all->list[all->count];
    p->profile = footprints_lay_out(part, &p->memory);
    p->name = text_clean(part->name, part->name_size);
    p->number = 1;
    p->points = 0;
    p->least = 1;
    make_points(p);
    for (i = 0; i < all->count; i++) p->number += strcmp(all->list[i].name, p->name) == 0;
    all->count++;
    return TOOL_OK;
}

/* Equal names in one file are one program, whose threads or runs are added
   up. */
static int add_file(programs *all, const char *file) {
    const footprints *f;
    input in;
    size_t i;
    int status;
    memset(&in, 0, sizeof in);
    status = input_open(&in, file);
    if (status == TOOL_OK) {
        input_settle(&in);
        f = (const footprints *)input_find(&in, &kind_footprints);
        for (i = 0; f && i < f->count && status == TOOL_OK; i++)
            status = add_program(all, &f->parts[i], file);
    }
    input_free(&in);
    return status;
}

static int set_shares(programs *all) {
    double sum = 0;
    size_t i;
    if (all->rate_count && all->rate_count != all->count)
        return tool_error("corun: --rate has %lu rates for %lu programs",
                          (unsigned long)all->rate_count, (unsigned long)all->count);
    for (i = 0; i < all->count; i++) {
        program *p = &all->list[i];
        p->share = all->rate_count ? all->rates[i] : (double)p->profile.accesses;
        sum += p->share;
    }
    for (i = 0; i < all->count; i++) all->list[i].share /= sum > 0 ? sum : 1;
    return TOOL_OK;
}

/* ---- options ------------------------------------------------------------------------------ */

/* Numbers between commas, with k, M or G behind them if they are bytes. Returns
   how many there are, or 0 if one of them is none. */
static size_t numbers(const char *words, int are_bytes, double *list) {
    static const char units[] = "kMG";
    size_t count = 0;
    do {
        char *end;
        double value = strtod(words, &end);
        const char *unit = are_bytes && *end ? strchr(units, *end) : NULL;
        if (end == words || count == SIZES) return 0;
        if (unit) {
            value = ldexp(value, 10 * (int)(unit - units + 1));
            end++;
        }
        if (!(value > 0 && value < 1e18) || (*end && *end != ',')) return 0;
        list[count++] = value;
        if (!*end) return count;
        words = end + 1;
    } while (1);
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static int set_option(programs *all, tool_option *option) {
    int is_size = tool_is(option, "--", "size");
    if (!is_size && !tool_is(option, "--", "rate")) return tool_no_option(option, "corun");
    if (!tool_value(option)) return TOOL_BAD_INPUT;
    if (is_size) all->size_count = numbers(option->value, 1, all->sizes);
    else all->rate_count = numbers(option->value, 0, all->rates);
    if (is_size ? all->size_count : all->rate_count) return TOOL_OK;
    return tool_error("corun: --%s: '%s' is not valid; --help says what it takes",
                      is_size ? "size" : "rate", option->value);
}

static int run(int argc, char **argv) {
    programs all;
    tool_option option;
    size_t k;
    int i, status = TOOL_OK;
    if (tool_wants_help(argc, argv)) {
        fputs(help, stdout);
        return TOOL_OK;
    }
    memset(&all, 0, sizeof all);
    tool_options_once(&option, argc, argv, "");
    while (status == TOOL_OK && tool_next(&option)) status = set_option(&all, &option);
    if (status != TOOL_OK) return status;
    if (option.files == 0) return tool_no_input("corun", "FILE ...");
    for (i = 0; i < option.files && status == TOOL_OK; i++) status = add_file(&all, argv[i]);
    if (status == TOOL_OK && all.count < 2)
        status = tool_error("corun: at least two footprints are wanted, and here is %s",
                            all.count ? "one" : "none");
    if (status == TOOL_OK) status = set_shares(&all);
    if (status == TOOL_OK) {
        qsort(all.sizes, all.size_count, sizeof *all.sizes, by_size);
        put_table(&all);
    }
    for (k = 0; k < all.count; k++) {
        free(all.list[k].memory);
        free(all.list[k].name);
    }
    free(all.list);
    return status;
}

const tool_command command_corun = {
    "corun", "programs that share a cache, from their footprints", run,
};
