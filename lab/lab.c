/* replay.c - bursty replay NAME: a file of tools/replay each. */
#include "base/tool.h"
#include <string.h>

static void help(FILE *to) {
    size_t i;
    fputs("usage: bursty replay NAME [OPTIONS] TRACE        TRACE may be -, standard input\n\n",
          to);
    for (i = 0; replay_list[i]; i++)
        fprintf(to, "  %-10s %s\n", replay_list[i]->name, replay_list[i]->about);
    fputs("\n  bursty replay NAME --help lists the options.\n", to);
}

static int run(int argc, char **argv) {
    if (argc < 2) {
        help(stderr);
        return TOOL_BAD_INPUT;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        help(stdout);
        return TOOL_OK;
    }
    return tool_run(replay_list, "replay", argc - 1, argv + 1);
}

const tool_command command_replay = {"replay", "run an algorithm over a recorded trace", run};
