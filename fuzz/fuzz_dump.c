/* fuzz_dump.c - libFuzzer target: everything that `bursty report` and `bursty
   merge` do with a file from a stranger. README.md beside it has the command.

   The first byte, modulo 16, chooses: 0 takes the rest as a file; 1 to 13 take
   it as the payload of a part of that kind and put a container with the right
   crc around it, which no fuzzer would find by itself; 14 takes the first half
   as a part of kind 4 and the second as one of kind 6; 15 takes both halves of
   what follows as two parts of the kind in the next byte. A log of ticks in time
   is reported whole and from its second second on. What is accepted must come back from
   what merge writes of it, and parts of kind 1 byte for byte. Each form of the
   report is written, with something to show or without; a form that has
   something to show must not stay empty. */
#include "report/kinds/timeline.h"
#include "report/model/range.h"
#include "report/model/report.h"
#include <stdlib.h>
#include <string.h>

static int load(input *in, const void *data, size_t size) {
    dump d;
    dump_fault fault;
    int faulty;
    memset(in, 0, sizeof *in);
    if (dump_read(&d, (const unsigned char *)data, size, &fault) != 0) {
        if (fault.offset > size || !fault.reason[0]) abort();
        return -1;
    }
    faulty = input_read(in, &d, &fault);
    if (faulty && (fault.offset > size || !fault.reason[0])) abort();
    dump_free(&d);
    return faulty;
}

static void render(const input *in) {
    report r;
    size_t i;
    memset(&r, 0, sizeof r);
    r.title = text_clean("fuzz", 4);
    report_make(&r, in);
    for (i = 0; writer_list[i]; i++) {
        text out = {NULL, 0, 0};
        writer_list[i]->write(&r, &out);
        if (!out.size && (!writer_list[i]->has || writer_list[i]->has(&r))) abort();
        text_free(&out);
    }
    report_free(&r);
}

/* Parts of kind 1 as merge writes them. */
static void write_sampled(const input *in, text *out) {
    size_t i;
    for (i = 0; i < in->state_count; i++) {
        if (in->states[i].kind == kind_of(DUMP_SAMPLED))
            in->states[i].kind->write(in->states[i].state, out);
    }
}

static void render_range(input *in) {
    range g;
    char *note = NULL;
    const timeline_state *s = (const timeline_state *)input_find(in, &kind_timeline);
    memset(&g, 0, sizeof g);
    g.has_from = 1;
    g.from = 1000000;
    if (!s || s->kept->span_us <= g.from || !s->kept->tick_count) return;
    if (range_apply(&g, in, "fuzz", &note) != 0) abort();
    free(note);
    render(in);
}

static void add_part(text *file, uint32_t kind, const uint8_t *payload, size_t size) {
    dump_writer w;
    dump_begin(&w, file, kind);
    dump_put_bytes(&w, payload, size);
    dump_end(&w);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    text file = {NULL, 0, 0}, written = {NULL, 0, 0}, again = {NULL, 0, 0};
    input in, back;
    if (size == 0) return 0;
    if (data[0] % 16 == 0) {
        text_bytes(&file, data + 1, size - 1);
    } else if (data[0] % 16 < 14) {
        add_part(&file, data[0] % 16, data + 1, size - 1);
    } else if (data[0] % 16 == 15) {
        size_t half = size > 2 ? (size - 2) / 2 : 0;
        if (size < 2) return 0;
        add_part(&file, data[1], data + 2, half);
        add_part(&file, data[1], data + 2 + half, size - 2 - half);
    } else {
        add_part(&file, 4, data + 1, (size - 1) / 2);
        add_part(&file, 6, data + 1 + (size - 1) / 2, size - 1 - (size - 1) / 2);
    }
    if (load(&in, file.data, file.size) == 0) {
        input_settle(&in);
        input_write(&in, &written);
        if (written.size) {
            if (load(&back, written.data, written.size) != 0) abort();
            input_settle(&back);
            write_sampled(&back, &again);
            if (again.size > written.size ||
                (again.size && memcmp(again.data, written.data, again.size) != 0))
                abort();
            input_free(&back);
        }
        render(&in);
        render_range(&in);
    }
    input_free(&in);
    text_free(&file);
    text_free(&written);
    text_free(&again);
    return 0;
}
