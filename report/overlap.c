/* overlap.c - bursty overlap A B: how much of the hot data streams of one dump
   is found in another one. */
#include "base/tool.h"
#include "base/input.h"
#include "report/kinds/streams.h"
#include "report/model/overlap.h"
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: bursty overlap [OPTIONS] A.brst B.brst\n"
    "\n"
    "  Compares two profiles of hot data streams, say one of all references with a sampled one, in\n"
    "  three ways:\n"
    "    exact    a stream counts with the smaller of its shares of all references (Bursty\n"
    "             Tracing, equation 5)\n"
    "    shares   the same with shares of the heat of all hot streams (Hybrid Profiling Support)\n"
    "    windows  the same with runs of as many references as the shortest stream may have; a\n"
    "             loop that was caught at another phase still shares most of them\n"
    "  Streams are equal when they have the same sites in the same order, by name or, without\n"
    "  names, by address of code.\n"
    "\n"
    "  --json         the numbers for programs\n"
    "  --title WORDS  picks the profile where a dump has several\n";

/* The one profile that is meant, or NULL after a message. */
static const streams_part *pick(const streams *s, const char *path, const char *title) {
    const streams_part *found = NULL;
    size_t i;
    for (i = 0; s && i < s->count; i++) {
        if (title && strcmp(s->parts[i].title, title) != 0) continue;
        if (found) {
            tool_error("%s: several profiles of hot data streams; --title picks one", path);
            return NULL;
        }
        found = &s->parts[i];
    }
    if (!found)
        tool_error("%s: no profile of hot data streams%s", path, title ? " of that title" : "");
    return found;
}

static void weigh(const streams_part *p, uint32_t window, overlap_weights *whole,
                  overlap_weights *windows) {
    uint64_t *keys = (uint64_t *)tool_alloc((p->site_count + 1) * sizeof *keys), sites[1024];
    size_t i, hot = streams_hot(p);
    uint32_t k;
    for (i = 0; i < p->site_count; i++) keys[i] = streams_site_key(&p->sites[i]);
    for (i = 0; i < hot; i++) {
        const streams_stream *s = &p->streams[i];
        for (k = 0; k < s->length; k++) sites[k] = keys[p->items[s->first + k].site];
        overlap_add_stream(whole, sites, s->length, (double)s->heat);
        overlap_add_windows(windows, sites, s->length, (double)s->heat, window);
    }
    free(keys);
}

static int run(int argc, char **argv) {
    tool_option option;
    char *const *paths;
    const char *title = NULL;
    const streams_part *part[2] = {NULL, NULL};
    overlap_weights whole[2], windows[2];
    input in[2];
    double total[2], window_total[2], exact, shares, by_windows;
    int i, json = 0, status = TOOL_OK;
    uint32_t window;
    if (tool_wants_help(argc, argv)) {
        fputs(help, stdout);
        return TOOL_OK;
    }
    tool_options_once(&option, argc, argv, "");
    while (tool_next(&option)) {
        if (tool_is(&option, "--", "json")) json = 1;
        else if (!tool_is(&option, "--", "title")) return tool_no_option(&option, "overlap");
        else if (!(title = tool_value(&option))) return TOOL_BAD_INPUT;
    }
    if (option.files < 2) return tool_no_input("overlap", "A.brst B.brst");
    if (option.files > 2)
        return tool_error("two dumps at a time: '%s' is a third one", option.argv[2]);
    paths = option.argv;
    memset(in, 0, sizeof in);
    memset(whole, 0, sizeof whole);
    memset(windows, 0, sizeof windows);
    for (i = 0; i < 2 && status == TOOL_OK; i++) {
        status = input_open(&in[i], paths[i]);
        if (status != TOOL_OK) break;
        input_settle(&in[i]);
        part[i] = pick((const streams *)input_find(&in[i], &kind_streams), paths[i], title);
        if (!part[i]) status = TOOL_BAD_INPUT;
    }
    if (status == TOOL_OK) {
        window =
            part[0]->min_length < part[1]->min_length ? part[0]->min_length : part[1]->min_length;
        for (i = 0; i < 2; i++) {
            weigh(part[i], window ? window : 1, &whole[i], &windows[i]);
            total[i] = overlap_settle(&whole[i]);
            window_total[i] = overlap_settle(&windows[i]);
        }
        exact = overlap_of(&whole[0], (double)part[0]->references, &whole[1],
                           (double)part[1]->references);
        shares = overlap_of(&whole[0], total[0], &whole[1], total[1]);
        by_windows = overlap_of(&windows[0], window_total[0], &windows[1], window_total[1]);
        if (json) {
            printf(
                "{\"overlap_exact\":%.4f,\"overlap_shares\":%.4f,\"overlap_windows\":%.4f,"
                "\"window\":%u}\n",
                exact, shares, by_windows, (unsigned)window);
        } else {
            printf(
                "overlap of %s and %s\n  exact    %6.2f %%\n  shares   %6.2f %%\n"
                "  windows  %6.2f %%   of %u references\n",
                paths[0], paths[1], exact, shares, by_windows, (unsigned)window);
        }
    }
    for (i = 0; i < 2; i++) {
        overlap_free(&whole[i]);
        overlap_free(&windows[i]);
        input_free(&in[i]);
    }
    return status;
}

const tool_command command_overlap = {"overlap", "compare the hot data streams of two dumps", run};
