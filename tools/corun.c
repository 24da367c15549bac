/* corun.c - bursty corun: programs that share a cache, from their average footprints.

   Footprints add up: in a window of w accesses of all, program i makes its share of the accesses and touches what its own
   average says of such a window. The window that fills the cache tells what each program misses (HOTL, composition). */
#include "base/input.h"
#include "base/tool.h"
#include "kinds/footprints.h"
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: bursty corun FILE ...              FILE may be -, standard input\n"
    "\n"
    "  Takes the footprints in the files as programs that share one LRU cache and run at the same time, each as often as\n"
    "  it made accesses. Prints for each size of the cache how many accesses miss: of all programs, and of each of them.\n";

typedef struct program { footprint_profile profile; void *memory; double share; } program;
typedef struct programs { program *list; size_t count; } programs;

static double average_of_all(const programs *all, double window) {
    double sum = 0;
    size_t i;
    for (i = 0; i < all->count; i++) sum += footprint_average(&all->list[i].profile, window * all->list[i].share);
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

/* The slope of a program's average at its part of the window that fills the cache. */
static double miss_ratio(const program *p, double window) {
    double own = window * p->share;
    return window < 0 ? 0 : footprint_miss_ratio_by_average(&p->profile, footprint_average(&p->profile, own));
}

static void put_row(const programs *all, double blocks) {
    double window = fill_time(all, blocks), sum = 0;
    size_t i;
    for (i = 0; i < all->count; i++) sum += all->list[i].share * miss_ratio(&all->list[i], window);
    printf("%12.0f %8.2f%%", blocks, 100 * sum);
    for (i = 0; i < all->count; i++) printf(" %8.2f%%", 100 * miss_ratio(&all->list[i], window));
    printf("\n");
}

static void put_table(const programs *all, const footprints *f) {
    double most = 0;
    uint32_t bin;
    size_t i;
    for (i = 0; i < all->count; i++) {
        char *name = text_clean(f->parts[i].name, f->parts[i].name_size);
        text line = {NULL, 0, 0};
        most += (double)all->list[i].profile.blocks;
        text_plain(&line, name);
        printf("program %lu, %.2f%% of the accesses: %.*s\n", (unsigned long)(i + 1), 100 * all->list[i].share,
               (int)line.size, line.data ? line.data : "");
        text_free(&line);
        free(name);
    }
    printf("\ncache-blocks  all-miss");
    for (i = 0; i < all->count; i++) printf("  program-%lu", (unsigned long)(i + 1));
    printf("\n");
    for (bin = 7; bin < 495; bin += 4) {
        put_row(all, (double)footprint_bin_high(bin));
        if ((double)footprint_bin_high(bin) > most) break;
    }
}

static int compose(const footprints *f) {
    programs all = {NULL, f->count};
    double accesses = 0;
    size_t i;
    int status = TOOL_OK;
    all.list = (program *)tool_alloc(f->count * sizeof *all.list);
    for (i = 0; i < f->count; i++) {
        all.list[i].profile = footprints_lay_out(&f->parts[i], &all.list[i].memory);
        accesses += (double)f->parts[i].profile.accesses;
        if (f->parts[i].profile.flags & FOOTPRINT_INTERLEAVED)
            status = tool_error("corun: an interleaving of threads has no footprint");
        else if (f->parts[i].profile.block_log2 != f->parts[0].profile.block_log2)
            status = tool_error("corun: the programs have blocks of different sizes");
    }
    for (i = 0; i < f->count; i++)
        all.list[i].share = accesses > 0 ? (double)f->parts[i].profile.accesses / accesses : 0;
    if (status == TOOL_OK) put_table(&all, f);
    for (i = 0; i < f->count; i++) free(all.list[i].memory);
    free(all.list);
    return status;
}

static int run(int argc, char **argv) {
    tool_option option;
    const footprints *f;
    input in;
    int i, status = TOOL_OK;
    if (tool_wants_help(argc, argv)) {
        fputs(help, stdout);
        return TOOL_OK;
    }
    memset(&in, 0, sizeof in);
    tool_options(&option, argc, argv);
    if (tool_next(&option)) return tool_no_option(&option, "corun");
    for (i = 0; i < option.files && status == TOOL_OK; i++) status = input_open(&in, argv[i]);
    if (status == TOOL_OK) {
        input_settle(&in);
        f = (const footprints *)input_find(&in, &kind_footprints);
        if (!f || f->count < 2) status = tool_error("corun: at least two footprints are wanted, with different names");
        else status = compose(f);
    }
    input_free(&in);
    return status;
}

const tool_command command_corun = {"corun", "programs that share a cache, from their footprints", run};
