/* calls.c - bursty-lab calls --raw16: a raw recording of enters and exits with
   frame addresses becomes a balanced call trace. Frames that longjmp or an
   exception left behind are closed where the next event shows them dead.

   Open frames stand on a stack of addresses, the newest lowest. An enter at F
   closes all at or below F; an exit at F closes all below F and then the one at
   F; if there is none, the exit is dropped. */
#include "base/save.h"
#include "base/tool.h"
#include "lab/trace_calls.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: bursty-lab calls --raw16 [OPTIONS] RECORDING    RECORDING may be -, standard input\n"
    "\n"
    "  --raw16         16 bytes an event: u32 enter (0) or exit (1), routine, call site,\n"
    "                  frame address\n"
    "  -o FILE         the balanced call trace (default: standard output)\n"
    "  --keep-going    write what came before the place where a recording is broken\n"
    "\n"
    "  What was repaired is said on standard error.\n";

typedef struct balance {
    uint32_t *frames;
    size_t depth, room, deepest;
    uint64_t enters, exits, repaired, unmatched;
    FILE *out;
} balance;

static void put_exit(balance *b) {
    putc(1, b->out);
    b->exits++;
    b->depth--;
}

static void enter(balance *b, uint32_t routine, uint32_t site, uint32_t frame) {
    unsigned char event[7];
    while (b->depth && b->frames[b->depth - 1] <= frame) {
        put_exit(b);
        b->repaired++;
    }
    TOOL_ROOM(uint32_t, b->frames, b->depth, b->room);
    b->frames[b->depth++] = frame;
    if (b->depth > b->deepest) b->deepest = b->depth;
    event[0] = 5;
    trace_put(event + 1, routine, 4);
    trace_put(event + 5, site & 0xFFFF, 2);
    fwrite(event, 1, sizeof event, b->out);
    b->enters++;
}

static void leave(balance *b, uint32_t frame) {
    while (b->depth && b->frames[b->depth - 1] < frame) {
        put_exit(b);
        b->repaired++;
    }
    if (b->depth && b->frames[b->depth - 1] == frame) put_exit(b);
    else b->unmatched++;
}

static void put_header(const balance *b, FILE *out) {
    unsigned char header[TRACE_CALLS_HEADER] = {0};
    trace_put(header, TRACE_CALLS_MAGIC, 4);
    trace_put(header + 4, b->enters, 8);
    trace_put(header + 12, b->exits, 8);
    fwrite(header, 1, sizeof header, out);
}

/* 0, or a message has been given. */
static int read_all(balance *b, FILE *in, const char *name) {
    unsigned char bytes[16 * 4096];
    uint64_t offset = 0;
    size_t have, i;
    while ((have = fread(bytes, 1, sizeof bytes, in)) != 0) {
        for (i = 0; i + 16 <= have; i += 16) {
            uint32_t kind = trace_u32(bytes + i);
            if (kind == 0)
                enter(b, trace_u32(bytes + i + 4), trace_u32(bytes + i + 8),
                      trace_u32(bytes + i + 12));
            else if (kind == 1) leave(b, trace_u32(bytes + i + 12));
            else
                return tool_error(
                    "%s: offset %lu: an event of kind %lu is neither enter (0) nor exit (1)", name,
                    (unsigned long)(offset + i), (unsigned long)kind);
        }
        offset += have;
        if (have % 16)
            return tool_error("%s: offset %lu: the recording is cut short in an event", name,
                              (unsigned long)(offset - have % 16));
    }
    if (ferror(in))
        return tool_error("%s: offset %lu: cannot be read", name, (unsigned long)offset);
    return 0;
}

static int run(int argc, char **argv) {
    const char *path = NULL, *out_path = NULL, *name;
    int i, raw16 = 0, keep_going = 0, code, failed;
    uint64_t open_at_end;
    balance b;
    FILE *in, *out;
    save to;
    text nothing = {NULL, 0, 0};
    if (tool_wants_help(argc, argv)) {
        fputs(help, stdout);
        return TOOL_OK;
    }
    memset(&b, 0, sizeof b);
    for (i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--raw16") == 0) raw16 = 1;
        else if (strcmp(argv[i], "--keep-going") == 0) keep_going = 1;
        else if (strcmp(argv[i], "-o") == 0 && i + 1 < argc) out_path = argv[++i];
        else if (argv[i][0] == '-' && argv[i][1])
            return tool_error("calls: no option '%s'; bursty-lab calls --help lists them",
                              argv[i]);
        else if (path) return tool_error("one recording at a time: '%s' is a second one", argv[i]);
        else path = argv[i];
    }
    if (!raw16)
        return tool_error("calls needs --raw16, the only kind of recording it reads");
    if (!path) return tool_no_input("calls", "RECORDING");
    name = strcmp(path, "-") == 0 ? "standard input" : path;
    in = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
    if (!in) return tool_error("%s: %s", path, strerror(errno));
    code = save_open(&to, out_path, (const char *const *)&path, 1, 0);
    if (code != TOOL_OK) {
        if (in != stdin) fclose(in);
        return code;
    }
    out = to.file;
    /* The header counts what follows it: go back to it, or, in a pipe, keep the
       events aside until they are counted. */
    b.out = fseek(out, 0, SEEK_CUR) == 0 && out != stdout ? out : tmpfile();
    if (!b.out) {
        save_drop(&to);
        return tool_error("no temporary file: %s", strerror(errno));
    }
    if (b.out == out) put_header(&b, out);
    code = read_all(&b, in, name);
    open_at_end = b.depth;
    while (b.depth) put_exit(&b);
    failed = fflush(b.out) != 0 || ferror(b.out); /* rewind forgets it */
    if (code == TOOL_OK || keep_going) {
        if (b.out == out) {
            rewind(out);
            put_header(&b, out);
        } else {
            char bytes[1 << 16];
            size_t have;
            put_header(&b, out);
            rewind(b.out);
            while ((have = fread(bytes, 1, sizeof bytes, b.out)) != 0) fwrite(bytes, 1, have, out);
        }
        code = TOOL_OK;
        fprintf(stderr,
                "%s: %lu enters, %lu frames repaired, %lu exits without a frame dropped, %lu "
                "frames open at the end, depth at most %lu\n",
                name, (unsigned long)b.enters, (unsigned long)b.repaired,
                (unsigned long)b.unmatched, (unsigned long)open_at_end, (unsigned long)b.deepest);
    }
    if (failed || ferror(b.out) || fflush(out) != 0 || ferror(out)) {
        tool_error("%s: cannot be written", out_path ? out_path : "standard output");
        code = TOOL_FAILED;
    }
    if (b.out != out) fclose(b.out);
    if (code != TOOL_OK) save_drop(&to);
    else code = save_close(&to, &nothing);
    if (in != stdin) fclose(in);
    free(b.frames);
    return code;
}

const tool_command lab_calls = {"calls", "turn a raw call recording into a balanced call trace",
                                   run};
