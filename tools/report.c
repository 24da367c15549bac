/* report.c - bursty report: dumps into something to look at. */
#include "model/report.h"
#include "base/tool.h"
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: bursty report [OPTIONS] FILE ...          FILE may be -, standard input\n"
    "\n"
    "  --text             a table for the terminal (the default)\n"
    "  --html OUT         one self-contained page: table, pictures, flame graph, footprint curves\n"
    "  --collapsed        stacks for flamegraph.pl or speedscope: contexts, or else `caller;callee N`\n"
    "  --json             everything, as docs/formats.md says\n"
    "  -o OUT             where to (-: standard output, the default)\n"
    "  --title TEXT       what ran; by default the program's name out of the dump, or the first file's\n"
    "  --note NAME=VALUE  a fact to show at the top, such as 'overhead=+1.2 %'; may be repeated\n"
    "  --min PERCENT      leave out functions and pairs with less than that share (--text: 0.1, others: 0)\n"
    "\n"
    "  Several files are added up. Nothing is written if one of them is bad.\n";

typedef struct options {
    void (*write)(const report *, text *);
    const char *out, *title;
    double min;
} options;

static int add_note(report *r, const char *argument) {
    const char *equals = strchr(argument, '=');
    report_note *note;
    if (!equals || equals == argument) return tool_error("--note %s: NAME=VALUE is wanted", argument);
    r->notes.at = (report_note *)tool_grow(r->notes.at, (r->notes.count + 1) * sizeof *r->notes.at);
    note = &r->notes.at[r->notes.count++];
    note->name = text_clean(argument, (size_t)(equals - argument));
    note->value = text_clean(equals + 1, strlen(equals + 1));
    return TOOL_OK;
}

/* The programs' names; else the first file's, without folders. */
static char *make_title(const report *r, const char *path) {
    const char *file = path, *at;
    char *clean;
    text title = {NULL, 0, 0};
    size_t i;
    for (i = 0; i < r->sampled->programs.count; i++) {
        const char *program = r->sampled->programs.at[i].name;
        if (!*program || (i && strcmp(program, r->sampled->programs.at[i - 1].name) == 0)) continue;
        if (title.size) text_add(&title, ", ");
        text_add(&title, program);
    }
    for (at = path; *at; at++) if (*at == '/' || *at == '\\') file = at + 1;
    if (title.size == 0) text_add(&title, file);
    clean = text_clean(title.data, title.size);
    text_free(&title);
    return clean;
}

/* Takes the options out of argv, so that files are left. Returns a TOOL_ status; *files becomes their number. */
static int parse(options *o, report *r, int argc, char **argv, int *files) {
    int i, status = TOOL_OK, formats = 0, outs = 0;
    for (i = 1, *files = 0; i < argc && status == TOOL_OK; i++) {
        const char *option = argv[i], *value = i + 1 < argc ? argv[i + 1] : NULL;
        int takes_value = strcmp(option, "--html") == 0 || strcmp(option, "-o") == 0 || strcmp(option, "--title") == 0 ||
                          strcmp(option, "--note") == 0 || strcmp(option, "--min") == 0;
        if (takes_value && !value) return tool_error("%s wants a value; bursty report --help tells more", option);
        if (takes_value) i++;
        if (strcmp(option, "--html") == 0) { o->write = report_html; o->out = value; formats++; outs++; }
        else if (strcmp(option, "--collapsed") == 0) { o->write = report_collapsed; formats++; }
        else if (strcmp(option, "--json") == 0) { o->write = report_json; formats++; }
        else if (strcmp(option, "--text") == 0) { o->write = report_text; formats++; }
        else if (strcmp(option, "-o") == 0) { o->out = value; outs++; }
        else if (strcmp(option, "--title") == 0) o->title = value;
        else if (strcmp(option, "--note") == 0) status = add_note(r, value);
        else if (strcmp(option, "--min") == 0) {
            char *end;
            o->min = strtod(value, &end);
            if (end == value || *end || !(o->min >= 0 && o->min <= 100))
                return tool_error("--min %s: a percentage is wanted", value);
        }
        else if (option[0] == '-' && option[1]) return tool_error("no option %s; bursty report --help lists them", option);
        else argv[(*files)++] = argv[i];
    }
    if (status == TOOL_OK && formats > 1) return tool_error("one form at a time: --text, --html, --collapsed or --json");
    if (status == TOOL_OK && outs > 1) return tool_error("one place to write to: --html OUT or -o OUT");
    if (status == TOOL_OK && *files == 0) return tool_error("no file given; bursty report --help tells more");
    return status;
}

int cmd_report(int argc, char **argv) {
    options o = {report_text, NULL, NULL, -1};
    report r;
    input in;
    text out = {NULL, 0, 0};
    int i, files, status;
    for (i = 1; i < argc; i++) if (strcmp(argv[i], "--help") == 0) { fputs(help, stdout); return TOOL_OK; }
    memset(&r, 0, sizeof r);
    memset(&in, 0, sizeof in);
    status = parse(&o, &r, argc, argv, &files);
    for (i = 0; i < files && status == TOOL_OK; i++) status = input_open(&in, argv[i]);
    if (status == TOOL_OK) {
        if (in.others.size) tool_error("note: %lu bytes of parts of unknown kinds are left out", (unsigned long)in.others.size);
        input_settle(&in);
        report_sampled(&r, &in.sampled, (o.min >= 0 ? o.min : o.write == report_text ? 0.1 : 0) / 100);
        report_contexts(&r, &in.contexts);
        report_footprints(&r, &in.footprints);
        r.title = o.title ? text_clean(o.title, strlen(o.title)) : make_title(&r, argv[0]);
        o.write(&r, &out);
        status = text_save(&out, o.out);
    }
    text_free(&out);
    report_free(&r);
    input_free(&in);
    return status;
}
