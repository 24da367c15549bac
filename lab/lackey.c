/* lackey.c - bursty-lab lackey: turns what valgrind's lackey printed into a
   block trace for bursty-lab footprint. (bursty-lab streams reads it by its own
   option --lackey.) */
#include "base/text.h"
#include "base/tool.h"
#include "lab/trace_refs.h"
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: bursty-lab lackey [OPTIONS] FILE >BLOCKS        FILE may be -, standard input\n"
    "\n"
    "  valgrind --tool=lackey --trace-mem=yes ./prog 2>&1 >/dev/null |\n"
    "      bursty-lab lackey - | bursty-lab footprint -\n"
    "\n"
    "  --instructions     instruction fetches instead of loads and stores\n"
    "  --block-bytes N    bytes of a block, a power of two: 64\n";

typedef struct blocks {
    unsigned shift;
    uint64_t last, count; /* the block before, and how many there were */
    text out;
} blocks;

/* An access that crosses a block's end is one access to each. */
static int put(blocks *b, uint64_t address, uint64_t size) {
    uint64_t block = address >> b->shift, end = (address + (size ? size - 1 : 0)) >> b->shift;
    b->count++;
    for (;; block++) {
        uint64_t d = block - b->last, z = d << 1 ^ (d >> 63 ? UINT64_MAX : 0);
        unsigned char byte;
        do {
            byte = (unsigned char)((z & 127) | (z > 127 ? 128 : 0));
            text_bytes(&b->out, &byte, 1);
            z >>= 7;
        } while (z);
        b->last = block;
        if (block >= end) break;
    }
    if (b->out.size < 1 << 16) return 0;
    if (fwrite(b->out.data, 1, b->out.size, stdout) != b->out.size) return -1;
    b->out.size = 0;
    return 0;
}

static int convert(FILE *file, const char *path, blocks *b, int instructions) {
    char line[512];
    uint64_t number = 0, address, size;
    int is_rest = 0;
    while (fgets(line, sizeof line, file)) {
        size_t length = strcspn(line, "\r\n");
        int is_whole = line[length] != 0, what;
        if (is_rest) { /* of a long line of valgrind's own */
            is_rest = !is_whole;
            continue;
        }
        number++;
        line[length] = 0;
        is_rest = !is_whole;
        what = trace_refs_lackey_line(line, &address, &size);
        if (what < 0 || (what > 0 && !is_whole)) {
            return tool_error("%s: line %llu: not a line of valgrind --tool=lackey --trace-mem=yes",
                              path, (unsigned long long)number);
        }
        if (what && (what == 'I') == instructions && put(b, address, size) != 0) return TOOL_FAILED;
    }
    return ferror(file) ? tool_system_error(path) : TOOL_OK;
}

static int run(int argc, char **argv) {
    tool_option option;
    const char *path;
    int instructions = 0, status;
    blocks b = {6, 0, 0, {NULL, 0, 0}};
    FILE *file;
    if (tool_wants_help(argc, argv)) {
        fputs(help, stdout);
        return TOOL_OK;
    }
    tool_options_once(&option, argc, argv, "");
    while (tool_next(&option)) {
        unsigned long bytes;
        char *end;
        if (tool_is(&option, "--", "instructions")) {
            instructions = 1;
            continue;
        }
        if (!tool_is(&option, "--", "block-bytes")) return tool_no_option(&option, "lackey");
        if (!tool_value(&option)) return TOOL_BAD_INPUT;
        bytes = strtoul(option.value, &end, 10);
        b.shift = 0;
        while (b.shift < 30 && 1ul << b.shift < bytes) b.shift++;
        if (bytes == 0 || *end || *option.value == '-' || 1ul << b.shift != bytes)
            return tool_error("--block-bytes: '%s' is no power of two", option.value);
    }
    if (option.files == 0) return tool_no_input("lackey", "FILE");
    if (option.files > 1)
        return tool_error("one file at a time: '%s' is a second one", option.argv[1]);
    path = option.argv[0];
    file = strcmp(path, "-") == 0 ? tool_binary(stdin) : fopen(path, "rb");
    if (!file) return tool_system_error(path);
    tool_binary(stdout);
    status = convert(file, path, &b, instructions);
    if (status == TOOL_OK && b.count == 0)
        status = tool_error("%s: no %s in it", path, instructions ? "instructions" : "references");
    if (status == TOOL_OK && fwrite(b.out.data, 1, b.out.size, stdout) != b.out.size)
        status = TOOL_FAILED;
    text_free(&b.out);
    if (file != stdin) fclose(file);
    return status;
}

const tool_command lab_lackey = {"lackey",
                                    "turn what valgrind's lackey prints into a block trace", run};
