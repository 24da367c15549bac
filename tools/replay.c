/* replay.c - bursty replay KIND: one replay/KIND.c each. */
#include "base/tool.h"
#include <string.h>

static const char help[] =
    "usage: bursty replay KIND [OPTIONS] TRACE        TRACE may be -, standard input\n"
    "\n"
    "  hcct       hot calling contexts of a call trace, against the full tree\n"
    "  calls      turn a raw call recording into a balanced call trace\n"
    "  footprint  footprints of all windows of a block trace\n"
    "  edges      counters or witnesses in control flow graphs with measured counts\n"
    "\n"
    "  bursty replay KIND --help lists the options.\n";

int cmd_replay(int argc, char **argv) {
    static const struct { const char *name; int (*run)(int, char **); } kinds[] = {
        {"hcct", replay_hcct}, {"calls", replay_calls}, {"footprint", replay_footprint}, {"edges", replay_edges},
    };
    if (argc < 2) { fputs(help, stderr); return TOOL_BAD_INPUT; }
    if (strcmp(argv[1], "--help") == 0) { fputs(help, stdout); return TOOL_OK; }
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(argv[1], kinds[i].name) == 0) return kinds[i].run(argc - 1, argv + 1);
    return tool_error("no replay '%s'; bursty replay --help lists them", argv[1]);
}
