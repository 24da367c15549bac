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
   program is looked at alone, too: in a cache of so many blocks as it has of the
   shared one on average, its stack distances tell what it misses. Where its
   average says something else, the row says so. */
#include "base/input.h"
#include "base/tool.h"
#include "kinds/footprints.h"
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
    int has_far;
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

/* Of a dump of an older version, which does not know reuses: the slope of the
   average, which is too high near the run's length, but not less than first
   accesses, and not more than at smaller sizes. */
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

/* What a program misses alone, by its stack distances, in a cache of what it has
   of the shared one. Both are known up to a bin, and to c. Returns the nearest
   ratio that there may be if the average is far from all of these; else -1. */
static double far_alone(const program *p, double window) {
    const footprint_profile *f = &p->profile;
    double blocks = average_of(p, window * p->share), least, most;
    uint32_t bin = footprint_bin(blocks < 1 ? 1 : (uint64_t)blocks);
    if (!f->reuse || p->ratio < 0 || bin < 2) return -1;
    least = footprint_miss_ratio(f, (double)footprint_bin_high(bin + 1) / f->c);
    most = footprint_miss_ratio(f, (double)footprint_bin_high(bin - 1));
    if (least < 0 || most < 0) return -1;
    if (p->ratio < least * (1 - far_off) - hardly_any) return least;
    return p->ratio > most * (1 + far_off) + hardly_any ? most : -1;
}

/* A ratio below 0 is unknown. */
static void put_ratio(double ratio) {
    if (ratio < 0) printf("         -");
    else printf(" %8.2f%%", 100 * ratio);
}

static void put_row(programs *all, double bytes) {
    double window, sum = 0;
    size_t i;
    window = fill_time(all, bytes / ldexp(1, (int)all->list[0].profile.block_log2));
    for (i = 0; i < all->count; i++) {
        program *p = &all->list[i];
        p->ratio = miss_ratio(p, window);
        sum = p->ratio < 0 || sum < 0 ? -1 : sum + p->share * p->ratio;
    }
    printf("%12.0f", bytes);
    put_ratio(sum);
    for (i = 0; i < all->count; i++) put_ratio(all->list[i].ratio);
    for (i = 0; i < all->count; i++) {
        double alone = far_alone(&all->list[i], window);
        if (alone < 0) continue;
        printf("  %lu:%s%.2f%%", (unsigned long)(i + 1),
               alone > all->list[i].ratio ? ">" : "<", 100 * alone);
        all->has_far = 1;
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
    if (all->has_far)
        printf("\nN:>X%%: program N alone, in a cache of what it has of this one, misses X %% or more "
               "(<: or\nless). It has phases, or cliffs, and its average is like none of them: there the "
               "truth is likely\nto lie between program-N and X.\n");
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
