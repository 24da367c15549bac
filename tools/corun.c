/* corun.c - bursty corun: programs that share a cache, from their average
   footprints.

   Footprints add up: in a window of w accesses of all, program i makes its
   share of the accesses and touches what its own average says of such a window.
   The window that fills the cache tells what each program misses (HOTL,
   composition). */
#include "base/input.h"
#include "base/tool.h"
#include "kinds/footprints.h"
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: bursty corun FILE ...              FILE may be -, standard input\n"
    "\n"
    "  Takes the footprints in the files as programs that share one LRU cache and run at the\n"
    "  same time, each as often as it made accesses. Prints for each size of the cache how many\n"
    "  accesses miss: of all programs, and of each of them. Footprints of one name in two files\n"
    "  are two programs.\n";

typedef struct program {
    footprint_profile profile;
    void *memory;                                 /* of its table */
    char *name;
    int number;                                   /* of those with this name, from 1 */
    double share;                                 /* of all accesses */
} program;

typedef struct programs {
    program *list;
    size_t count;
} programs;

/* ---- the composition ---------------------------------------------------------------------- */

static double average_of_all(const programs *all, double window) {
    double sum = 0;
    size_t i;
    for (i = 0; i < all->count; i++)
        sum += footprint_average_of(&all->list[i].profile, window * all->list[i].share);
    return sum;
}

/* The window that fills the cache, by bisection, or -1 if everything fits. */
static double fill_time(const programs *all, double blocks) {
    double low = 0, high = 1;
    int i;
    while (high < 1e19 && average_of_all(all, high) < blocks) high *= 2;
    if (high >= 1e19) return -1;
    for (i = 0; i < 64; i++) {
        double middle = (low + high) / 2;
        if (average_of_all(all, middle) < blocks) low = middle;
        else high = middle;
    }
    return high;
}

/* The slope of a program's average at its part of the window that fills the
   cache, or -1 if that is unknown. */
static double miss_ratio(const program *p, double window) {
    if (window < 0) return 0;
    return footprint_miss_ratio_by_average(
        &p->profile, footprint_average_of(&p->profile, window * p->share));
}

/* A ratio below 0 is unknown: the program was sampled, and its part of the
   cache is too small. */
static void put_ratio(double ratio) {
    if (ratio < 0) printf("         -");
    else printf(" %8.2f%%", 100 * ratio);
}

static void put_row(const programs *all, double blocks) {
    double window = fill_time(all, blocks), sum = 0;
    size_t i;
    for (i = 0; i < all->count && sum >= 0; i++) {
        double ratio = miss_ratio(&all->list[i], window);
        sum = ratio < 0 ? -1 : sum + all->list[i].share * ratio;
    }
    printf("%12.0f", blocks);
    put_ratio(sum);
    for (i = 0; i < all->count; i++) put_ratio(miss_ratio(&all->list[i], window));
    printf("\n");
}

static void put_table(const programs *all) {
    double most = 0;
    uint32_t bin;
    size_t i;
    for (i = 0; i < all->count; i++) {
        const program *p = &all->list[i];
        text line = {NULL, 0, 0};
        most += (double)p->profile.blocks;
        text_plain(&line, p->name);
        if (p->number > 1) text_format(&line, " (%d)", p->number);
        printf("program %lu, %.2f%% of the accesses: %.*s\n", (unsigned long)(i + 1),
               100 * p->share, (int)line.size, line.data ? line.data : "");
        text_free(&line);
    }
    printf("\ncache-blocks  all-miss");
    for (i = 0; i < all->count; i++) printf("  program-%lu", (unsigned long)(i + 1));
    printf("\n");
    for (bin = 7; bin < 495; bin += 4) {
        put_row(all, (double)footprint_bin_high(bin));
        if ((double)footprint_bin_high(bin) > most) break;
    }
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

static void set_shares(programs *all) {
    double accesses = 0;
    size_t i;
    for (i = 0; i < all->count; i++) accesses += (double)all->list[i].profile.accesses;
    for (i = 0; i < all->count; i++) {
        program *p = &all->list[i];
        p->share = accesses > 0 ? (double)p->profile.accesses / accesses : 0;
    }
}

static int run(int argc, char **argv) {
    programs all = {NULL, 0};
    tool_option option;
    size_t k;
    int i, status = TOOL_OK;
    if (tool_wants_help(argc, argv)) {
        fputs(help, stdout);
        return TOOL_OK;
    }
    tool_options_once(&option, argc, argv, "");
    if (tool_next(&option)) return tool_no_option(&option, "corun");
    if (option.files == 0) return tool_no_input("corun", "FILE ...");
    for (i = 0; i < option.files && status == TOOL_OK; i++) status = add_file(&all, argv[i]);
    if (status == TOOL_OK && all.count < 2)
        status = tool_error("corun: at least two footprints are wanted, and here is %s",
                            all.count ? "one" : "none");
    if (status == TOOL_OK) {
        set_shares(&all);
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
