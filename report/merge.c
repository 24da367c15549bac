/* merge.c - bursty merge: dumps of many runs, threads or machines into one. */
#include "base/input.h"
#include "base/save.h"
#include "base/tool.h"
#include "kinds/timeline.h"
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: bursty merge -o OUT FILE ...              FILE may be -, standard input\n"
    "\n"
    "  Adds up equal programs, profiles, threads, functions and call pairs. Profiles that differ\n"
    "  in a setting stay side by side; the weights of what they sampled add up. In which order or\n"
    "  grouping files are merged makes no difference. Two dumps of one seed and one build are one\n"
    "  sample: the second is left out, and a note says so. Of several logs of ticks in time one\n"
    "  stays, that of most CPU time, and a note says so. Parts of an unknown kind are copied.\n"
    "  Nothing is written if a file is bad.\n"
    "\n"
    "  -o OUT       where to; - is standard output\n"
    "  --list FILE  adds the files that FILE names, one in a line; - is standard input\n";

/* Sums are made whenever as many bytes have come as the sums take, and at least
   so many: a fleet's files need room for their sums alone, and each byte is
   added up a few times at most. */
enum { FOLD_BYTES = 1 << 20 };

typedef struct merger {
    input in;
    size_t bytes, sums; /* of the dumps since the last fold; what that one kept */
    int dumps;          /* since the last fold */
    text names;         /* what --list has; each line ends with a 0 */
    const char **files;
    int count;
} merger;

/* Before another dump comes: how much memory the states hold is not known, and
   the dumps' size stands for it. One dump alone is not added up: written, it
   may be many times its size, for the order of its rows changes. */
static int fold(merger *m) {
    if (m->dumps < 2 || m->bytes < FOLD_BYTES || m->bytes < m->sums) return TOOL_OK;
    m->bytes = 0;
    m->dumps = 1;
    return input_fold(&m->in, &m->sums);
}

/* Takes one dump. */
static int add_dump(merger *m, const char *path) {
    dump d;
    dump_fault fault;
    size_t i;
    int status = fold(m);
    if (status == TOOL_OK) status = dump_open(&d, path);
    if (status != TOOL_OK) return status;
    m->dumps++;
    for (i = 0; i < d.part_count; i++) m->bytes += d.parts[i].bytes;
    if (!input_repeats(&m->in, &d, path) && input_read(&m->in, &d, &fault) != 0)
        status = dump_blame(path, &fault);
    dump_free(&d);
    return status;
}

static void add_file(merger *m, const char *path) {
    if ((m->count & (m->count - 1)) == 0)
        m->files = (const char **)tool_grow((void *)m->files,
                                            (size_t)(2 * m->count + 1) * sizeof *m->files);
    m->files[m->count++] = path;
}

/* A line is a name as it is; an empty one is none. */
static int add_list(merger *m, const char *path) {
    size_t size, at, end;
    char *lines = (char *)tool_read_file(path, NULL, &size);
    if (!lines) return TOOL_BAD_INPUT;
    text_bytes(&m->names, lines, size);
    text_bytes(&m->names, "\n", 1);
    free(lines);
    for (at = 0; at < m->names.size; at = end + 1) {
        for (end = at; m->names.data[end] != '\n'; end++) {
            if (!m->names.data[end])
                return tool_error("%s: offset %lu: a zero byte: no list of names", path,
                                  (unsigned long)end);
        }
        m->names.data[end] = 0;
        if (end > at) add_file(m, m->names.data + at);
    }
    return TOOL_OK;
}

/* Moments are not added up: kinds/timeline.c. */
static void note_logs(const input *in) {
    const timeline_state *s = (const timeline_state *)input_find(in, &kind_timeline);
    if (s && s->kept && s->kept->others)
        tool_error("note: ticks in time are those of one recording, of %s; those of %llu more are "
                   "left out, for they have no common axis",
                   *s->kept->program ? s->kept->program : "a program without a name",
                   (unsigned long long)s->kept->others);
}

static int merge(merger *m, const char *out_path) {
    text out = {NULL, 0, 0};
    save to;
    int i, status = TOOL_OK;
    for (i = 0; i < m->count && status == TOOL_OK; i++) status = add_dump(m, m->files[i]);
    if (status == TOOL_OK) status = save_open(&to, out_path, m->files, m->count, 1);
    if (status == TOOL_OK) {
        input_settle(&m->in);
        input_write(&m->in, &out);
        status = save_close(&to, &out);
    }
    if (status == TOOL_OK) note_logs(&m->in);
    text_free(&out);
    input_free(&m->in);
    return status;
}

static int run(int argc, char **argv) {
    const char *out = NULL, *list = NULL;
    merger m;
    tool_option option;
    int i, status;
    if (tool_wants_help(argc, argv)) {
        fputs(help, stdout);
        return TOOL_OK;
    }
    tool_options_once(&option, argc, argv, "");
    while (tool_next(&option)) {
        const char **value = tool_is(&option, "", "-o") ? &out
                             : tool_is(&option, "--", "list") ? &list : NULL;
        if (!value) return tool_no_option(&option, "merge");
        *value = tool_value(&option);
        if (!*value) return TOOL_BAD_INPUT;
    }
    if (option.files == 0 && !list) return tool_no_input("merge", "FILE ...");
    if (!out) return tool_error("merge: no output: give -o OUT; bursty merge --help tells more");
    memset(&m, 0, sizeof m);
    for (i = 0; i < option.files; i++) add_file(&m, argv[i]);
    status = list ? add_list(&m, list) : TOOL_OK;
    if (status == TOOL_OK && m.count == 0) status = tool_error("%s: names no file", list);
    if (status == TOOL_OK) status = merge(&m, out);
    text_free(&m.names);
    free((void *)m.files);
    return status;
}

const tool_command command_merge = {"merge", "add many dumps (runs, threads, machines) up into one",
                                    run};
