/* fuzz_hcct.c - libFuzzer target: the tree under any sequence of calls, what it
   writes, the reader of such files, and the readers of call traces.

   The first byte chooses: 0 a dump as it is; 1 a payload around which a
   container with the right crc is put; 2 a calls trace, 3 a raw16 recording; 4
   calls on a tree, algorithm, memory and options from the next bytes.

   README.md beside it has the command. */
#define HCCT_STATIC
#define HCCT_IMPLEMENTATION
#include "hcct.h"
#include "base/tool.h"
#include "report/kinds/contexts.h"
#include "lab/trace_calls.h"
#include <stdlib.h>
#include <string.h>

extern const tool_command lab_calls;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint64_t memory[40000];
static text file;

static const char *name_of(void *user, uint32_t key) {
    (void)user;
    return key & 1 ? "odd;name" : NULL;
}

static void need(int condition) {
    if (!condition) abort();
}

/* The file is joined with itself, written, read and written again, and then
   stays as it is. */
static void load(const unsigned char *data, size_t size) {
    contexts c;
    dump d;
    dump_fault fault;
    text once = {NULL, 0, 0}, twice = {NULL, 0, 0};
    size_t i, k;
    int round, failed;
    if (dump_read(&d, data, size, &fault) != 0) {
        need(fault.offset <= size);
        return;
    }
    memset(&c, 0, sizeof c);
    for (failed = 0, i = 0; i < 2 * d.part_count && !failed; i++) {
        const dump_part *part = &d.parts[i % d.part_count];
        if (part->kind == DUMP_CONTEXTS) failed = contexts_read(&c, &d, part, &fault);
    }
    if (failed) need(fault.offset <= size);
    dump_free(&d);
    for (round = 0; round < 2 && !failed; round++) {
        contexts_settle(&c);
        for (i = 0; i < c.count; i++) {
            for (k = 1; k < c.trees[i].count; k++)
                need(c.trees[i].nodes[k].lower <= c.trees[i].nodes[k].upper);
        }
        contexts_write(&c, round ? &twice : &once);
        contexts_free(&c);
        if (round == 1 || once.size == 0) break; /* a dump without a tree */
        need(dump_read(&d, (unsigned char *)once.data, once.size, &fault) == 0);
        for (i = 0; i < d.part_count; i++) need(contexts_read(&c, &d, &d.parts[i], &fault) == 0);
        dump_free(&d);
    }
    if (!failed)
        need(once.size == twice.size &&
             (once.size == 0 || memcmp(once.data, twice.data, once.size) == 0));
    contexts_free(&c);
    text_free(&once);
    text_free(&twice);
}

/* Whatever a tree says of itself must hold together, and the reader must take
   what it writes. */
static void look_at(hcct *t) {
    hcct_context rows[7];
    hcct_stats s;
    uint32_t depth = 0, i, n = 0, path[5];
    dump d;
    dump_fault fault;
    contexts c;
    hcct_get_stats(t, &s);
    for (i = hcct_next(t, 0, &depth); i; i = hcct_next(t, i, &depth)) {
        hcct_context context;
        need(++n <= s.nodes);
        hcct_get_context(t, i, &context);
        need(context.lower <= context.upper);
        need(hcct_path(t, i, path, 5) == depth);
        need(hcct_find(t, hcct_parent(t, i), context.key) == i);
    }
    need(n == s.nodes && s.nodes <= s.peak_nodes && s.peak_nodes <= s.capacity);
    n = hcct_hottest(t, 1, 50, rows, 7);
    for (i = 1; i < n; i++) need(rows[i - 1].lower >= rows[i].lower);
    file.size = 0;
    need(hcct_write(t, name_of, NULL, text_write, &file) == 0);
    memset(&c, 0, sizeof c);
    need(dump_read(&d, (unsigned char *)file.data, file.size, &fault) == 0);
    need(contexts_read(&c, &d, &d.parts[0], &fault) == 0);
    need(c.trees[0].count == s.nodes + 1);
    contexts_free(&c);
    dump_free(&d);
}

static void wrap(const uint8_t *data, size_t size) {
    hcct_p_out out;
    file.size = 0;
    hcct_p_put_begin(&out, 2, text_write, &file);
    hcct_p_put(&out, data, size);
    if (hcct_p_put_end(&out) == 0) load((unsigned char *)file.data, file.size);
}

static void save(const char *path, const uint8_t *data, size_t size) {
    FILE *f = fopen(path, "wb");
    if (!f) abort();
    fwrite(data, 1, size, f);
    fclose(f);
}

static void trace(const uint8_t *data, size_t size) {
    static uint32_t events[64];
    trace_calls t;
    char path[64];
    int odd;
    size_t n, i, depth = 0;
    snprintf(path, sizeof path, "/tmp/fuzz_hcct.%p", (void *)&t);
    save(path, data, size);
    if (trace_calls_open(&t, path, &odd) == 0)
        while ((n = trace_calls_read(&t, events, 64)) != 0)
            for (i = 0; i < n; i++) {
                if (events[i] == TRACE_EXIT) need(depth-- > 0);
                else if (events[i] != TRACE_TICK) {
                    need(events[i] <= t.key_count);
                    depth++;
                }
            }
    trace_calls_close(&t);
    remove(path);
}

static void recording(const uint8_t *data, size_t size) {
    char in[64], out[70];
    char calls[] = "calls", raw[] = "--raw16", keep_going[] = "--keep-going", o[] = "-o";
    char *argv[] = {calls, raw, keep_going, in, o, out, NULL};
    trace_calls t;
    int odd;
    uint32_t events[64];
    snprintf(in, sizeof in, "/tmp/fuzz_hcct.%p", (void *)&t);
    snprintf(out, sizeof out, "%s.out", in);
    save(in, data, size);
    need(lab_calls.run(6, argv) == TOOL_OK);
    need(trace_calls_open(&t, out, &odd) == 0 &&
         !odd); /* what was repaired is a sound trace, to its end */
    while (trace_calls_read(&t, events, 64)) {
    }
    need(!t.error[0] && t.seen_enters == t.seen_exits);
    trace_calls_close(&t);
    remove(in);
    remove(out);
}

static void calls(const uint8_t *data, size_t size) {
    static hcct_fiber fibers[3];
    static uint32_t returns[20];
    hcct t;
    hcct_config c;
    hcct_place marks[8];
    uint32_t mark = 0, open[3] = {0, 0, 0}, running = 3, i;
    if (size < 4) return;
    memset(&c, 0, sizeof c);
    c.algorithm = data[0] % 6; /* 1 and 2 are none */
    c.monitored = data[1] % 40;
    c.depth_limit = data[2] & 1 ? 10 : 0;
    c.fold = data[2] >> 1 & 3;
    c.cache_slots = data[2] >> 4 & 1;
    c.history = data[2] >> 5 & 1 ? 8 : 0;
    c.reenable = data[2] >> 6 & 3;
    c.returns = returns;
    c.return_count = 20;
    if (hcct_init(&t, memory, 300 + data[3] * 40u, &c) == 0) return;
    marks[0] = hcct_position(&t);
    for (i = 4; i + 1 < size; i += 2) {
        uint32_t x = data[i + 1], w = x & 128 ? x * 99 : 1, f;
        switch (data[i] % 16) {
        default:
            hcct_enter(&t, 1 + x % 40, w);
            break;
        case 3:
        case 4:
            hcct_leave(&t);
            mark = 0;
            break;
        case 5:
            hcct_add(&t, w);
            break;
        case 6:
            hcct_leave_key(&t, 1 + x % 40);
            mark = 0;
            break;
        case 7:
            if (mark < 7 && !(c.fold || running != 3)) marks[++mark] = hcct_position(&t);
            break;
        case 8:
            if (mark && running == 3) {
                hcct_return_to(&t, &marks[mark]);
                mark--;
            }
            break;
        case 9:
            hcct_enter(&t, 1 + x % 40, 0);
            break;
        case 10:
            f = x % 3;
            if (!open[f]) {
                hcct_fiber_start(&t, &fibers[f], (int)(x >> 7), NULL, 0);
                open[f] = 1;
            }
            break;
        case 11:
            f = x % 4;
            if (f == 3 || open[f]) {
                hcct_fiber_switch(&t, f == 3 ? NULL : &fibers[f]);
                running = f;
            }
            break;
        case 12:
            f = x % 3;
            if (open[f] && f != running) {
                hcct_fiber_end(&t, &fibers[f]);
                open[f] = 0;
            }
            break;
        case 13: {
            uint32_t stack[3] = {1 + x % 3, 1 + x % 5, 7};
            if (running == 3) {
                hcct_burst_begin(&t, stack, x % 4 % 3);
                mark = 0;
            }
            break;
        }
        case 14:
            hcct_burst_end(&t);
            mark = 0;
            break;
        case 15:
            hcct_hottest(&t, x, 256, NULL, 0);
            break;
        }
    }
    look_at(&t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0) return 0;
    switch (*data++ % 5) {
    case 0:
        load(data, size - 1);
        break;
    case 1:
        wrap(data, size - 1);
        break;
    case 2:
        trace(data, size - 1);
        break;
    case 3:
        recording(data, size - 1);
        break;
    default:
        calls(data, size - 1);
        break;
    }
    return 0;
}
