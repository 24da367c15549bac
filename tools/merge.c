/* merge.c - bursty merge: dumps of many runs, threads or machines into one. */
#include "base/input.h"
#include "base/tool.h"
#include <string.h>

static const char help[] =
    "usage: bursty merge -o OUT FILE ...              FILE and OUT may be -\n"
    "\n"
    "  Adds up equal programs, profiles, threads, functions and call pairs. Profiles that differ in a setting stay side\n"
    "  by side; the weights of what they sampled add up. In which order or grouping files are merged makes no difference.\n"
    "  Parts of an unknown kind are copied. Nothing is written if a file is bad.\n";

static int run(int argc, char **argv) {
    const char *out_path = NULL;
    input in;
    text out = {NULL, 0, 0};
    int i, files = 0, status = TOOL_OK;
    memset(&in, 0, sizeof in);
    for (i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0) { fputs(help, stdout); return TOOL_OK; }
        if (strcmp(argv[i], "-o") == 0 && i + 1 < argc && !out_path) out_path = argv[++i];
        else if (argv[i][0] == '-' && argv[i][1]) return tool_error("no option %s; bursty merge --help lists them", argv[i]);
        else argv[files++] = argv[i];
    }
    if (!out_path || files == 0) return tool_error("merge wants -o OUT and at least one FILE");
    for (i = 0; i < files && status == TOOL_OK; i++) status = input_open(&in, argv[i]);
    if (status == TOOL_OK) {
        input_settle(&in);
        input_write(&in, &out);
        status = text_save(&out, out_path);
    }
    text_free(&out);
    input_free(&in);
    return status;
}

const tool_command command_merge = {"merge", "add many dumps (runs, threads, machines) up into one", run};
