/* test_timeline.c - ticks in time (kind 26): what is written is read; each cut and
   each flipped bit of a payload; of several logs one stays, in any order and
   grouping; and --from and --to against counting one by one. */
#include "test.h"
#include "base/input.h"
#include "base/tool.h"
#include "report/kinds/sampled.h"
#include "report/kinds/timeline.h"
#include "report/model/range.h"
#include "report/model/report.h"

enum { THREADS = 5, FUNCTIONS = 7, PATHS = 40, TICKS = 3000, SPAN = 1000000 };

static uint64_t seed;
static uint32_t below(uint32_t bound) {
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(seed >> 33) % bound;
}

static char *copy(const char *words) { return text_clean(words, strlen(words)); }

static void make_spans(const timeline *t, timeline_spans *s, size_t count, uint32_t most) {
    s->at = (timeline_span *)tool_alloc((count + 1) * sizeof *s->at);
    for (; s->count < count; s->count++) {
        timeline_span *one = &s->at[s->count];
        one->from_us = s->count * t->span_us / count;
        one->us = below((uint32_t)(t->span_us - one->from_us) + 1);
        one->thread = below(THREADS);
        one->what = below(most);
    }
    s->left = 5;
    s->left_us = 77;
}

/* A log of so many ticks at random. */
static void make(timeline *t, uint64_t from, size_t ticks) {
    static const char *const names[] = {"main", "load",     "draw", "draw",
                                        "save", "(kernel)", "x"};
    size_t i;
    uint64_t us = 0;
    seed = from;
    memset(t, 0, sizeof *t);
    t->program = copy("prog");
    t->process = 77;
    t->began_us = UINT64_C(1700000000000000) + from;
    t->span_us = SPAN;
    t->period_us = 1000;
    t->one_of = 1;
    t->threads = (timeline_thread *)tool_alloc(THREADS * sizeof *t->threads);
    for (; t->thread_count < THREADS; t->thread_count++) {
        t->threads[t->thread_count].number = 77 + (uint32_t)t->thread_count;
        t->threads[t->thread_count].name = copy(t->thread_count % 2 ? "worker" : "");
    }
    t->functions = (timeline_function *)tool_alloc(FUNCTIONS * sizeof *t->functions);
    for (; t->function_count < FUNCTIONS; t->function_count++) {
        timeline_function *f = &t->functions[t->function_count];
        f->name = copy(names[t->function_count]);
        f->file = copy(t->function_count == 5 ? "" : "game.c");
        f->line = t->function_count == 5 ? 0 : 10 + (uint32_t)t->function_count;
    }
    t->paths = (timeline_path *)tool_alloc(PATHS * sizeof *t->paths);
    for (; t->path_count < PATHS; t->path_count++) {
        uint32_t at = (uint32_t)t->path_count;
        t->paths[at].function = below(FUNCTIONS);
        t->paths[at].parent = at && below(4) ? below(at) : TIMELINE_NO_PATH;
    }
    t->ticks = (timeline_tick *)tool_alloc((ticks + 1) * sizeof *t->ticks);
    for (i = 0; i < ticks; i++) {
        us += below(2 * SPAN / TICKS - 2);
        t->ticks[i].us = us > SPAN ? SPAN : us;
        t->ticks[i].thread = below(THREADS);
        t->ticks[i].path = below(PATHS);
    }
    t->tick_count = ticks;
    make_spans(t, &t->waits, ticks / 10, PATHS + 1);
    for (i = 0; i < t->waits.count; i++) t->waits.at[i].what--; /* some are not known */
    t->wait_look_us = 250;
    t->wait_unseen_us = SPAN / 3;
    t->frames = (timeline_frames *)tool_alloc(2 * sizeof *t->frames);
    for (; t->frame_count < 2; t->frame_count++) {
        t->frames[t->frame_count].name = copy(t->frame_count ? "request" : "frame");
        t->frames[t->frame_count].limit_us = t->frame_count ? 0 : 16000;
    }
    make_spans(t, &t->late, ticks / 20, 2);
}

static text bytes_of(const timeline *t) {
    text out = {NULL, 0, 0};
    timeline_write(t, &out);
    return out;
}

static int read_one(timeline *t, const text *bytes) {
    dump d;
    dump_fault fault;
    int status = -1;
    memset(t, 0, sizeof *t);
    if (dump_read(&d, (const unsigned char *)bytes->data, bytes->size, &fault) != 0)
        return -1;
    if (d.part_count == 1) status = timeline_read(t, &d, &d.parts[0], &fault);
    if (status != 0 && d.part_count == 1)
        CHECK(fault.reason[0] && fault.offset <= bytes->size);
    dump_free(&d);
    return status;
}

static int same(const text *a, const text *b) {
    return a->size == b->size && a->size && memcmp(a->data, b->data, a->size) == 0;
}

static void same_spans(const timeline_spans *a, const timeline_spans *b) {
    CHECK_EQ(a->count, b->count);
    CHECK_EQ(a->left, b->left);
    CHECK_EQ(a->left_us, b->left_us);
    CHECK(a->count && memcmp(a->at, b->at, a->count * sizeof *a->at) == 0);
}

TEST(what_is_written_is_read) {
    timeline t, back;
    text a, b;
    size_t i;
    make(&t, 1, TICKS);
    t.one_of = 8;
    t.others = 3;
    a = bytes_of(&t);
    CHECK_EQ(read_one(&back, &a), 0);
    b = bytes_of(&back);
    CHECK(same(&a, &b));
    CHECK_EQ(back.tick_count, TICKS);
    CHECK_EQ(back.others, 3);
    CHECK_EQ(timeline_tick_us(&back), 8000);
    CHECK_EQ(back.span_us, SPAN);
    CHECK_EQ(back.began_us, t.began_us);
    CHECK_EQ(back.process, 77);
    CHECK_STR(back.threads[1].name, "worker");
    CHECK_STR(back.functions[6].name, "x");
    CHECK_STR(back.functions[6].file, "game.c");
    for (i = 0; i < TICKS; i++) {
        CHECK_EQ(back.ticks[i].us, t.ticks[i].us);
        CHECK_EQ(back.ticks[i].thread, t.ticks[i].thread);
        CHECK_EQ(back.ticks[i].path, t.ticks[i].path);
    }
    for (i = 0; i < PATHS; i++) CHECK_EQ(back.paths[i].parent, t.paths[i].parent);
    CHECK_EQ(back.wait_look_us, 250);
    CHECK_EQ(back.wait_unseen_us, SPAN / 3);
    same_spans(&back.waits, &t.waits);
    same_spans(&back.late, &t.late);
    CHECK_EQ(back.frame_count, 2);
    CHECK_STR(back.frames[1].name, "request");
    CHECK_EQ(back.frames[0].limit_us, 16000);
    CHECK(a.size < 6 * TICKS + 12 * (t.waits.count + t.late.count)); /* docs/formats.md */
    for (i = 0; i <= SPAN; i += 997) {
        size_t first = timeline_first(&back, i);
        CHECK(first == TICKS || back.ticks[first].us >= i);
        CHECK(first == 0 || back.ticks[first - 1].us < i);
    }
    text_free(&a);
    text_free(&b);
    timeline_free(&t);
    timeline_free(&back);
}

/* A part of these bytes: the container is right. */
static text wrap(const unsigned char *payload, size_t size) {
    text out = {NULL, 0, 0};
    dump_writer w;
    dump_begin(&w, &out, kind_timeline.number);
    dump_put_bytes(&w, payload, size);
    dump_end(&w);
    return out;
}

/* What is accepted can be written, and is the same then. */
static void try_payload(const unsigned char *payload, size_t size, size_t *taken) {
    text file = wrap(payload, size);
    timeline t, back;
    if (read_one(&t, &file) == 0) {
        text a = bytes_of(&t), b;
        (*taken)++;
        CHECK_EQ(read_one(&back, &a), 0);
        b = bytes_of(&back);
        CHECK(same(&a, &b));
        text_free(&a);
        text_free(&b);
        timeline_free(&t);
        timeline_free(&back);
    }
    text_free(&file);
}

TEST(cuts_and_flips) {
    timeline t;
    text a;
    dump d;
    dump_fault fault;
    size_t n, bit, cut = 0, flipped = 0, size;
    unsigned char *payload;
    make(&t, 2, 60);
    a = bytes_of(&t);
    CHECK_EQ(dump_read(&d, (const unsigned char *)a.data, a.size, &fault), 0);
    size = d.parts[0].size;
    payload = d.parts[0].payload;
    for (n = 0; n < size; n++) try_payload(payload, n, &cut);
    CHECK(cut > 20 && cut <= 61);                 /* between two ticks it is whole */
    for (n = 0; n < size; n++) {
        for (bit = 0; bit < 8; bit++) {
            payload[n] ^= (unsigned char)(1 << bit);
            try_payload(payload, size, &flipped);
            payload[n] ^= (unsigned char)(1 << bit);
        }
    }
    CHECK(flipped < size * 8);
    dump_free(&d);
    for (n = 0; n < a.size; n++) {                /* the container has its checksums */
        text whole = a;
        timeline none;
        whole.size = n;
        CHECK(read_one(&none, &whole) != 0);
    }
    text_free(&a);
    timeline_free(&t);
}

/* How large is the log of one busy thread at 1000 ticks a second, each on another path
   than the one before, and that of 65 536 ticks of 200 threads, in the time that they
   take then? docs/formats.md has the figures. */
TEST(sizes) {
    static const struct {
        uint64_t seconds, ticks, one_of;
        uint32_t threads;
        size_t least, most;
    } cases[] = {{60, 60000, 1, 1, 240000, 249000},
                 {3600, 56250, 64, 1, 225000, 290000},
                 {86400, 42188, 2048, 1, 165000, 260000},
                 {86400, 65536, 1, 200, 300000, 420000},
                 {86400, 65536, 1, 10000, 300000, 460000}};
    size_t i, k;
    for (k = 0; k < sizeof cases / sizeof *cases; k++) {
        timeline t, back;
        text a, b;
        const uint64_t step = cases[k].seconds * 1000000 / cases[k].ticks;
        make(&t, 3, 0);
        free(t.ticks);
        for (i = 0; i < t.thread_count; i++) free(t.threads[i].name);
        t.span_us = cases[k].seconds * 1000000;
        t.one_of = cases[k].one_of;
        t.thread_count = cases[k].threads;
        t.threads = (timeline_thread *)tool_grow(t.threads,
                                                 t.thread_count * sizeof *t.threads);
        for (i = 0; i < t.thread_count; i++) {
            t.threads[i].number = (uint32_t)i + 1;
            t.threads[i].name = copy("");
        }
        t.tick_count = cases[k].ticks;
        t.ticks = (timeline_tick *)tool_alloc(t.tick_count * sizeof *t.ticks);
        for (i = 0; i < t.tick_count; i++) {
            t.ticks[i].us = step * i + below((uint32_t)step);
            t.ticks[i].thread = below(cases[k].threads);
            t.ticks[i].path = (uint32_t)i % PATHS;
        }
        a = bytes_of(&t);
        CHECK_EQ(read_one(&back, &a), 0);
        b = bytes_of(&back);
        CHECK(same(&a, &b));
        CHECK(a.size > cases[k].least && a.size < cases[k].most);
        printf("%lu ticks of %lu threads in %lu s: %lu bytes\n", (unsigned long)t.tick_count,
               (unsigned long)cases[k].threads, (unsigned long)cases[k].seconds,
               (unsigned long)a.size);
        text_free(&a);
        text_free(&b);
        timeline_free(&t);
        timeline_free(&back);
    }
}

typedef struct fault_case {
    const char *reason;
    uint64_t fields[28];
    size_t count;
} fault_case;

TEST(what_is_refused) {
    /* version, program, process, began, span, period, one_of, others, threads ... */
    static const fault_case cases[] = {
        {"newer version", {4}, 1},
        {"newer version", {0}, 1},
        {"period", {1, 0, 0, 0, 9, 0, 1, 0}, 8},
        {"period", {1, 0, 0, 0, 9, 1, 0, 0}, 8},
        {"function or parent", {1, 0, 0, 0, 9, 1, 1, 0, 0, 0, 1, 0, 0}, 13},
        {"function or parent", {1, 0, 0, 0, 9, 1, 1, 0, 0, 1, 0, 0, 0, 1, 0, 1}, 16},
        {"thread that is not",
         {1, 0, 0, 0, 9, 1, 1, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0},
         19},
        {"has no path", {1, 0, 0, 0, 9, 1, 1, 0, 1, 5, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0}, 20},
        {"path that is not",
         {1, 0, 0, 0, 9, 1, 1, 0, 1, 5, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1},
         21},
        {"behind the log's end",
         {1, 0, 0, 0, 9, 1, 1, 0, 1, 5, 0, 1, 0, 0, 0, 1, 0, 0, 10, 1, 0},
         21},
        {"behind the log's end",
         {1, 0, 0, 0, 9, 1, 1, 0, 1, 5, 0, 1, 0, 0, 0, 1, 0, 0, 9, 1, 0, 1, 0},
         23},
        /* version 2: ... threads 1, functions 1, paths 1, look, waits, frames, ticks */
        {"not there", {2, 0, 0, 0, 9, 1, 1, 0, 1, 5, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 2,
                       0, 0, 0}, 25},
        {"behind the log's end",
         {2, 0, 0, 0, 9, 1, 1, 0, 1, 5, 0, 0, 0, 0, 0, 0, 1, 10, 0, 0}, 20},
        /* version 3: ... look, unseen, waits */
        {"unseen for longer", {3, 0, 0, 0, 9, 1, 1, 0, 1, 5, 0, 0, 0, 0, 10, 0, 0, 0}, 18},
        {"behind the log's end",
         {2, 0, 0, 0, 9, 1, 1, 0, 1, 5, 0, 0, 0, 0, 0, 0, 1, 9, 1, 0}, 20},
        {"not there", {2, 0, 0, 0, 9, 1, 1, 0, 1, 5, 0, 0, 0, 0, 0, 0, 1, 9, 0, 1}, 20},
        {"not there", {2, 0, 0, 0, 9, 1, 1, 0, 1, 5, 0, 0, 0, 0, 0, 0, 2, 9, 0, 0}, 20},
        {"not there", {2, 0, 0, 0, 9, 1, 1, 0, 1, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 9, 0, 0}, 24},
    };
    size_t i, k;
    for (i = 0; i < sizeof cases / sizeof *cases; i++) {
        text file = {NULL, 0, 0};
        dump_writer w;
        dump d;
        dump_fault fault;
        timeline t;
        dump_begin(&w, &file, kind_timeline.number);
        for (k = 0; k < cases[i].count; k++) dump_put(&w, cases[i].fields[k]);
        dump_end(&w);
        CHECK_EQ(dump_read(&d, (const unsigned char *)file.data, file.size, &fault), 0);
        CHECK_EQ(timeline_read(&t, &d, &d.parts[0], &fault), -1);
        CHECK(strstr(fault.reason, cases[i].reason) != NULL);
        if (!strstr(fault.reason, cases[i].reason))
            printf("%d: %s\n", (int)i, fault.reason);
        dump_free(&d);
        text_free(&file);
    }
}

static void add(input *in, const text *bytes) {
    CHECK_EQ(input_take(in, "test", bytes), 0);
}

static text settled(input *in) {
    text out = {NULL, 0, 0};
    input_settle(in);
    input_write(in, &out);
    input_free(in);
    return out;
}

/* Two of these have the same time and the same size. */
TEST(one_log_stays) {
    static const int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                     {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    timeline t[3];
    text bytes[3], first = {NULL, 0, 0}, twice, third;
    timeline kept;
    int i, k;
    make(&t[0], 3, 500);
    make(&t[1], 3, 900);
    make(&t[2], 3, 900);
    t[2].began_us ^= 1;
    for (i = 0; i < 3; i++) bytes[i] = bytes_of(&t[i]);
    CHECK_EQ(bytes[1].size, bytes[2].size);
    for (i = 0; i < 6; i++) {
        input in;
        text out;
        memset(&in, 0, sizeof in);
        for (k = 0; k < 3; k++) add(&in, &bytes[orders[i][k]]);
        out = settled(&in);
        if (i == 0) first = out;
        else CHECK(same(&first, &out));
        if (i) text_free(&out);
        memset(&in, 0, sizeof in);                /* two first, and then the third */
        add(&in, &bytes[orders[i][0]]);
        add(&in, &bytes[orders[i][1]]);
        twice = settled(&in);
        memset(&in, 0, sizeof in);
        add(&in, &bytes[orders[i][2]]);
        add(&in, &twice);
        third = settled(&in);
        CHECK(same(&first, &third));
        text_free(&twice);
        text_free(&third);
    }
    CHECK_EQ(read_one(&kept, &first), 0);
    CHECK_EQ(kept.others, 2);
    CHECK_EQ(kept.tick_count, 900);
    timeline_free(&kept);
    text_free(&first);
    for (i = 0; i < 3; i++) {
        text_free(&bytes[i]);
        timeline_free(&t[i]);
    }
}

/* ---- ranges ---- */

/* Ticks of a function itself in [from, to), and of all that it is around. */
static void count(const timeline *t, uint64_t from, uint64_t to, uint64_t *self,
                  uint64_t *total) {
    size_t i;
    memset(self, 0, FUNCTIONS * sizeof *self);
    memset(total, 0, FUNCTIONS * sizeof *total);
    for (i = 0; i < t->tick_count; i++) {
        uint32_t path = t->ticks[i].path, met = 0;
        if (t->ticks[i].us < from || t->ticks[i].us >= to) continue;
        self[t->paths[path].function]++;
        for (; path != TIMELINE_NO_PATH; path = t->paths[path].parent)
            met |= UINT32_C(1) << t->paths[path].function;
        for (path = 0; path < FUNCTIONS; path++) total[path] += met >> path & 1;
    }
}

static void compare(const tally *s, const timeline *t, uint64_t from, uint64_t to) {
    uint64_t self[FUNCTIONS], total[FUNCTIONS], got_self[FUNCTIONS], got_total[FUNCTIONS];
    uint64_t by_thread[THREADS], all = 0;
    size_t i, k;
    memset(got_self, 0, sizeof got_self);
    memset(got_total, 0, sizeof got_total);
    memset(by_thread, 0, sizeof by_thread);
    count(t, from, to, self, total);
    for (i = 0; s && i < s->paths.count; i++) {
        uint32_t at = (uint32_t)i, met = 0;
        const sampled_path *path = &s->paths.at[i];
        CHECK_EQ(path->squares, path->ticks);
        by_thread[s->threads.at[path->thread].number - 77] += path->ticks;
        for (; at != TALLY_NO_PATH; at = s->paths.at[at].parent) {
            const sampled_site *site = &s->sites.at[s->paths.at[at].site];
            for (k = 0; k < FUNCTIONS; k++) {
                const timeline_function *f = &t->functions[k];
                if (strcmp(f->name, site->name) != 0 || f->line != site->line) continue;
                if (at == i) got_self[k] += path->ticks;
                if (!(met >> k & 1)) got_total[k] += path->ticks;
                met |= UINT32_C(1) << k;
            }
        }
    }
    for (k = 0; k < FUNCTIONS; k++) {
        CHECK_EQ(got_self[k], self[k]);
        CHECK_EQ(got_total[k], total[k]);
        all += self[k];
    }
    for (i = 0; i < t->tick_count; i++) {
        if (t->ticks[i].us >= from && t->ticks[i].us < to)
            by_thread[t->ticks[i].thread]--, all--;
    }
    for (k = 0; k < THREADS; k++) CHECK_EQ(by_thread[k], 0);
    CHECK_EQ(all, 0);
}

static void try_range(const timeline *t, const text *bytes, uint64_t from, uint64_t to) {
    range g;
    input in;
    char *note;
    const tally *s;
    memset(&g, 0, sizeof g);
    memset(&in, 0, sizeof in);
    g.has_from = g.has_to = 1;
    g.from = from;
    g.to = to;
    add(&in, bytes);
    input_settle(&in);
    CHECK_EQ(range_apply(&g, &in, "test", &note), 0);
    CHECK_STR(note, "");
    free(note);
    s = (const tally *)input_find(&in, &kind_sampled);
    CHECK_EQ(s != NULL, timeline_first(t, from) < timeline_first(t, to));
    if (s) CHECK_EQ(s->programs.at[0].tick_us, timeline_tick_us(t));
    compare(s, t, from, to);
    input_free(&in);
}

TEST(ranges_against_counting) {
    timeline t;
    text bytes;
    size_t i;
    make(&t, 4, TICKS);
    t.one_of = 4;
    bytes = bytes_of(&t);
    seed = 5;
    for (i = 0; i < 60; i++) {
        uint64_t from = below(SPAN - 2), size = 1 + below(i % 3 ? SPAN : 2000);
        try_range(&t, &bytes, from, from + size < SPAN ? from + size : SPAN);
    }
    for (i = 1; i < TICKS; i += 500)              /* from a tick to the next one */
        if (t.ticks[i].us > t.ticks[i - 1].us)
            try_range(&t, &bytes, t.ticks[i - 1].us, t.ticks[i].us);
    text_free(&bytes);
    timeline_free(&t);
}

/* So many threads deep in the same paths would make more paths than bytes. */
TEST(many_threads_deep_in_one_path) {
    enum { DEEP = 2000, MANY = 5000 };
    timeline t;
    text bytes;
    range g;
    input in;
    char *note;
    const tally *s;
    uint64_t ticks = 0;
    size_t i;
    make(&t, 6, 0);
    t.ticks = (timeline_tick *)tool_grow(t.ticks, MANY * sizeof *t.ticks);
    t.paths = (timeline_path *)tool_grow(t.paths, DEEP * sizeof *t.paths);
    t.threads = (timeline_thread *)tool_grow(t.threads, MANY * sizeof *t.threads);
    for (t.path_count = 0; t.path_count < DEEP; t.path_count++) {
        t.paths[t.path_count].function = 0;
        t.paths[t.path_count].parent =
            (uint32_t)t.path_count - 1; /* of the first: none */
    }
    for (; t.thread_count < MANY; t.thread_count++) {
        t.threads[t.thread_count].number = (uint32_t)t.thread_count;
        t.threads[t.thread_count].name = copy("");
    }
    for (; t.tick_count < MANY; t.tick_count++) {
        t.ticks[t.tick_count].us = 0;
        t.ticks[t.tick_count].thread = (uint32_t)t.tick_count;
        t.ticks[t.tick_count].path = DEEP - 1;
    }
    bytes = bytes_of(&t);
    memset(&g, 0, sizeof g);
    memset(&in, 0, sizeof in);
    g.has_to = 1;
    g.to = SPAN;
    add(&in, &bytes);
    input_settle(&in);
    CHECK_EQ(range_apply(&g, &in, "test", &note), 0);
    free(note);
    s = (const tally *)input_find(&in, &kind_sampled);
    CHECK(s && s->paths.count < 3 * (DEEP + MANY) + 8192);
    for (i = 0; s && i < s->paths.count; i++) ticks += s->paths.at[i].ticks;
    CHECK_EQ(ticks, MANY);
    input_free(&in);
    text_free(&bytes);
    timeline_free(&t);
}

TEST(moments) {
    static const struct {
        const char *said;
        uint64_t us;
    } good[] = {{"0", 0},        {"12", 12000000},    {"12.5", 12500000},
                {".25", 250000}, {"1s", 1000000},     {"200ms", 200000},
                {"7us", 7},      {"3min", 180000000}, {"2h", UINT64_C(7200000000)}};
    static const char *const bad[] = {"",    "x",     "-1", "+1", "1x",  "1 s", "nan",
                                      "inf", "1e300", ".",  "s",  "1ss", "1S"};
    size_t i;
    uint64_t us;
    for (i = 0; i < sizeof good / sizeof *good; i++) {
        us = 99;
        CHECK_EQ(range_read("from", good[i].said, &us), TOOL_OK);
        CHECK_EQ(us, good[i].us);
    }
    for (i = 0; i < sizeof bad / sizeof *bad; i++)
        CHECK_EQ(range_read("from", bad[i], &us), TOOL_BAD_INPUT);
}
