/* cmd_merge.c - bursty merge: dumps of many runs, threads or machines into one. */
#include "contexts.h"
#include "footprints.h"
#include "tally.h"
#include "tool.h"
#include <string.h>

static const char help[] =
    "usage: bursty merge -o OUT FILE ...              FILE and OUT may be -\n"
    "\n"
    "  Adds up equal programs, profiles, threads, functions and call pairs. Profiles that differ in a setting stay side\n"
    "  by side; the weights of what they sampled add up. In which order or grouping files are merged makes no difference.\n"
    "  Parts of an unknown kind are copied. Nothing is written if a file is bad.\n";

typedef struct merge { tally sampled; contexts contexts; footprints footprints; text others; } merge;

static int add_file(merge *m, const char *path) {
    dump d;
    dump_fault fault;
    size_t i;
    int status = dump_open(&d, path), faulty = 0;
    if (status != TOOL_OK) return status;
    for (i = 0; i < d.part_count && !faulty; i++) {
        switch (d.parts[i].kind) {
        case DUMP_SAMPLED:   faulty = tally_read(&m->sampled, &d, &d.parts[i], &fault); break;
        case DUMP_CONTEXTS:  faulty = contexts_read(&m->contexts, &d, &d.parts[i], &fault); break;
        case DUMP_FOOTPRINT: faulty = footprints_read(&m->footprints, &d, &d.parts[i], &fault); break;
        default: text_bytes(&m->others, d.data + d.parts[i].offset, d.parts[i].bytes);
        }
    }
    dump_free(&d);
    return faulty ? dump_blame(path, &fault) : TOOL_OK;
}

int cmd_merge(int argc, char **argv) {
    const char *out_path = NULL;
    merge m;
    text out = {NULL, 0, 0};
    int i, files = 0, status = TOOL_OK;
    memset(&m, 0, sizeof m);
    for (i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0) { fputs(help, stdout); return TOOL_OK; }
        if (strcmp(argv[i], "-o") == 0 && i + 1 < argc && !out_path) out_path = argv[++i];
        else if (argv[i][0] == '-' && argv[i][1]) return tool_error("no option %s; bursty merge --help lists them", argv[i]);
        else argv[files++] = argv[i];
    }
    if (!out_path || files == 0) return tool_error("merge wants -o OUT and at least one FILE");
    for (i = 0; i < files && status == TOOL_OK; i++) status = add_file(&m, argv[i]);
    if (status == TOOL_OK) {
        tally_settle(&m.sampled);
        contexts_settle(&m.contexts);
        footprints_settle(&m.footprints);
        tally_write(&m.sampled, &out);
        contexts_write(&m.contexts, &out);
        footprints_write(&m.footprints, &out);
        text_bytes(&out, m.others.data, m.others.size);
        status = text_save(&out, out_path);
    }
    text_free(&out);
    text_free(&m.others);
    tally_free(&m.sampled);
    contexts_free(&m.contexts);
    footprints_free(&m.footprints);
    return status;
}
