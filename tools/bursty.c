/* bursty.c - the host program: picks the subcommand. Each is in its own NAME.c. */
#include "base/tool.h"
#include <errno.h>
#include <string.h>

static void help(FILE *to) {
    size_t i;
    fputs("usage: bursty COMMAND [ARGUMENTS]\n\n", to);
    for (i = 0; command_list[i]; i++) {
        fprintf(to, "  %-8s %s\n", command_list[i]->name, command_list[i]->about);
    }
    fputs("\n  bursty COMMAND --help tells more. --version prints the version.\n"
          "  Exit status: 0 done, 1 failed, 2 bad usage or bad input (one line on standard error "
          "says "
          "what and where).\n",
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
    return tool_run(command_list, "command", argc - 1, argv + 1);
}

/* What a subcommand printed counts only when it has reached standard output. */
int main(int argc, char **argv) {
    int status = run(argc, argv), failed;
    errno = 0;
    failed = fflush(stdout) != 0 || ferror(stdout);
    if (failed && status == TOOL_OK) {
        if (errno) tool_system_error("standard output");
        else tool_error("standard output: cannot be written");
        status = TOOL_FAILED;
    }
    return status;
}
