/* bursty.c - the host program: picks the subcommand. Each is in its own NAME.c. */
#include "base/tool.h"
#include <string.h>

static const char help[] =
    "usage: bursty COMMAND [ARGUMENTS]\n"
    "\n"
    "  report FILE ...       what a dump (.brst) says, as text, HTML, collapsed stacks or JSON\n"
    "  merge -o OUT FILE ... many dumps (runs, threads, machines) into one\n"
    "  replay KIND TRACE     run an algorithm over a recorded trace; KIND is hcct, calls or footprint\n"
    "  overlap A B           how much of the hot data streams of dump A is found in dump B\n"
    "\n"
    "  bursty COMMAND --help tells more. --version prints the version.\n"
    "  Exit status: 0 done, 1 failed, 2 bad usage or bad input (one line on standard error says what and where).\n";

int main(int argc, char **argv) {
    static const struct { const char *name; int (*run)(int, char **); } commands[] = {
        {"report", cmd_report}, {"merge", cmd_merge}, {"replay", cmd_replay}, {"overlap", cmd_overlap},
    };
    if (argc < 2) { fputs(help, stderr); return TOOL_BAD_INPUT; }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "help") == 0) { fputs(help, stdout); return TOOL_OK; }
    if (strcmp(argv[1], "--version") == 0) { puts("bursty " TOOL_VERSION); return TOOL_OK; }
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (strcmp(argv[1], commands[i].name) == 0) {
            int code = commands[i].run(argc - 1, argv + 1);
            if ((fflush(stdout) != 0 || ferror(stdout)) && code == TOOL_OK) { tool_error("standard output: cannot be written"); code = TOOL_FAILED; }
            return code;
        }
    return tool_error("no command '%s'; bursty --help lists them", argv[1]);
}
