/* prove.c - `bursty place --prove`: reads, decodes, judges, prints. */
#include "cc/prove/prove.h"
#include "base/save.h"
#include "base/tool.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int prove_file(const char *path, const place_rules *rules, char *why, size_t room) {
    size_t size;
    unsigned char *data = tool_read_file(path, "\177ELF", &size);
    prove_image im;
    prove_code code;
    prove_result r;
    dump_fault fault;
    graph g;
    text out = {NULL, 0, 0};
    int status;
    if (!data) return TOOL_BAD_INPUT;
    if (!elf_is(data, size)) {
        free(data);
        snprintf(why, room, "is no ELF file");
        return -1;
    }
    memset(&g, 0, sizeof g);
    status = graph_take(&g, path, data, size, 0);
    if (status == TOOL_OK) {
        int read = prove_read(&im, data, size, &g, &fault);
        if (read == PROVE_FOREIGN) {
            snprintf(why, room, "%s", fault.reason);
            status = -1;
        } else if (read != PROVE_READ) {
            status = dump_blame(path, &fault);
        } else {
            prove_decode(&code, &im);
            prove_find_checks(&code);
            prove_cycles(&code, rules, &r);
            prove_show(&code, &r, rules->within, &out);
            if (r.open_count) status = TOOL_FAILED;
            if (rules->within && (r.runs.endless_count || r.runs.longest > rules->within))
                status = TOOL_FAILED;
            if (text_save(&out, NULL, NULL, 0, 0) != TOOL_OK) status = TOOL_BAD_INPUT;
            text_free(&out);
            prove_result_free(&r);
            prove_code_free(&code);
        }
        prove_image_free(&im);
    }
    graph_free(&g);
    free(data);
    return status;
}
