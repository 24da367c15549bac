/* lab.c - the program build/bursty-lab: `bursty-lab NAME`, a file of this
   folder each. It runs an algorithm of the headers over a recorded trace and
   measures it against slow, exact answers and against the yardsticks of the
   papers. It is for those who work on the headers. */
#include "base/tool.h"
#include <string.h>

static void help(FILE *to) {
    size_t i;
    fputs("usage: bursty-lab NAME [OPTIONS] TRACE        TRACE may be -, standard input\n\n", to);
    for (i = 0; lab_list[i]; i++)
        fprintf(to, "  %-10s %s\n", lab_list[i]->name, lab_list[i]->about);
    fputs("\n  bursty-lab NAME --help lists the options. --version prints the version.\n", to);
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
    if (strcmp(argv[1], "--version") == 0) {
        puts("bursty-lab " TOOL_VERSION);
        return TOOL_OK;
    }
    return tool_run(lab_list, argc - 1, argv + 1);
}

int main(int argc, char **argv) {
    tool_program = "bursty-lab";
    return tool_end(run(argc, argv));
}
