/* bursty.c - the host program: picks the subcommand. Each is in its own
   NAME.c. */
#include "base/dump.h"
#include "base/tool.h"
#include "cc/run/masquerade.h"
#include "record/tool/places.h"
#include <string.h>

static void help(FILE *to) {
    size_t i;
    fputs("usage: bursty COMMAND [ARGUMENTS]\n\n", to);
    for (i = 0; command_list[i]; i++) {
        fprintf(to, "  %-8s %s\n", command_list[i]->name, command_list[i]->about);
    }
    fputs("\n  bursty COMMAND --help tells more. --version prints the version.\n"
          "  Exit status: 0 done; 1 failed; 2 bad usage or bad input, and one line on standard error\n"
          "  says what and where; 3 a condition of `report --fail-if` or `--fail-under` holds.\n",
          to);
}

static int run(int argc, char **argv) {
    if (argc < 2) {
        help(stderr);
        return TOOL_BAD_INPUT;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
        strcmp(argv[1], "help") == 0) {
        help(stdout);
        return TOOL_OK;
    }
    if (strcmp(argv[1], "--version") == 0) {
        puts("bursty " TOOL_VERSION);
        return TOOL_OK;
    }
    if (strcmp(argv[1], "replay") == 0) {
        return tool_error("replay: this is `bursty-lab %s` now, a program of its own",
                          argc > 2 ? argv[2] : "NAME");
    }
    return tool_run(command_list, argc - 1, argv + 1);
}

/* If it was started by the name of a compiler, this is `bursty cc`. The words that cc_masquerade
   made are kept until the end. */
int main(int argc, char **argv) {
    int count, is = cc_masquerade(argc, argv, &count, &argv);
    dump_name_places = places_of_dump;
    if (is < 0) return TOOL_BAD_INPUT;
    if (is > 0) return tool_end(tool_run(command_list, count, argv));
    return tool_end(run(argc, argv));
}
