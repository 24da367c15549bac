/* merge.c - bursty merge: dumps of many runs, threads or machines into one. */
#include "base/input.h"
#include "base/save.h"
#include "base/tool.h"
#include <string.h>

static const char help[] =
    "usage: bursty merge -o OUT FILE ...              FILE may be -, standard input\n"
    "\n"
    "  Adds up equal programs, profiles, threads, functions and call pairs. Profiles that differ\n"
    "  in a setting stay side by side; the weights of what they sampled add up. In which order or\n"
    "  grouping files are merged makes no difference. Parts of an unknown kind are copied. Nothing\n"
    "  is written if a file is bad.\n"
    "\n"
    "  -o OUT   where to; - is standard output\n";

static int merge(char **files, int count, const char *out_path) {
    input in;
    text out = {NULL, 0, 0};
    save to;
    int i, status = TOOL_OK;
    memset(&in, 0, sizeof in);
    for (i = 0; i < count && status == TOOL_OK; i++) status = input_open(&in, files[i]);
    if (status == TOOL_OK) status = save_open(&to, out_path, (const char *const *)files, count, 1);
    if (status == TOOL_OK) {
        input_settle(&in);
        input_write(&in, &out);
        status = save_close(&to, &out);
    }
    text_free(&out);
    input_free(&in);
    return status;
}

static int run(int argc, char **argv) {
    const char *out = NULL;
    tool_option option;
    if (tool_wants_help(argc, argv)) {
        fputs(help, stdout);
        return TOOL_OK;
    }
    tool_options_once(&option, argc, argv, "");
    while (tool_next(&option)) {
        if (!tool_is(&option, "", "-o")) return tool_no_option(&option, "merge");
        if (out) return tool_error("one place to write to: -o OUT once");
        out = tool_value(&option);
        if (!out) return TOOL_BAD_INPUT;
    }
    if (option.files == 0) return tool_no_input("merge", "FILE ...");
    if (!out) return tool_error("merge: no output: give -o OUT; bursty merge --help tells more");
    return merge(argv, option.files, out);
}

const tool_command command_merge = {"merge", "add many dumps (runs, threads, machines) up into one",
                                    run};
