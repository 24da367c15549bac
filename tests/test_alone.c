/* test_alone.c - windows of one thread alone: bounds from spans of time against
   every window of a sequence that is known, and spans that are joined for lack
   of room. */
#include "test.h"
#include "record/inside/core/interleave.c" /* the recorder alone has it */
#include "report/kinds/interleave.h"
#include "report/model/alone.h"

enum { ACCESSES = 3000 };
static unsigned char who[ACCESSES]; /* the thread of each access, at time 10 times its number */
static uint64_t seed = 7;

static uint32_t draw(uint32_t below) {
    seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (uint32_t)((seed >> 33) % below);
}

/* Runs of each thread, as long as about `length`. */
static void make(uint32_t length) {
    uint32_t i, left = 0, thread = 0;
    for (i = 0; i < ACCESSES; i++) {
        if (!left) {
            thread = !thread;
            left = 1 + draw(2 * length);
        }
        left--;
        who[i] = (unsigned char)thread;
    }
}

/* A row of these accesses, from the end of the last row on. If there is one wait
   in it, all are near one of its ends. */
static turn row_of(const uint64_t *times, uint32_t count, uint64_t from) {
    turn row = {from, times[count - 1] + 1, count, 0};
    uint64_t before = from, last = from, waits = 0, behind = 0;
    uint32_t i;
    for (i = 0; i < count; i++) {
        if (times[i] - last > 12) {
            waits++;
            before = last;
            behind = times[i];
        }
        last = times[i];
    }
    if (waits == 1) row.edge = before - from > row.to - behind ? before - from : row.to - behind;
    if (row.edge >= (row.to - row.from) / 2) row.edge = 0;
    return row;
}

/* The thread's rows, of up to `most` accesses. */
static turned_thread spans_of(uint32_t thread, uint32_t most) {
    static turn rows[2][ACCESSES];
    static uint64_t times[ACCESSES];
    turned_thread t = {rows[thread], 0, 0};
    uint64_t from = 0;
    uint32_t i, held = 0, wanted = 1 + draw(most);
    for (i = 0; i < ACCESSES; i++) {
        if (who[i] == thread) times[held++] = 10 * (uint64_t)(i + 1);
        if (held < wanted && (i + 1 < ACCESSES || !held)) continue;
        if (!from || most == 1) from = times[0] - 1;
        rows[thread][t.count++] = row_of(times, held, from);
        from = times[held - 1] + 2;
        t.accesses += held;
        held = 0;
        wanted = 1 + draw(most);
    }
    return t;
}

static double alone(uint32_t thread, uint32_t window) {
    uint32_t i, run = 0, count = 0;
    for (i = 0; i < ACCESSES; i++) {
        run = who[i] == thread ? run + 1 : 0;
        count += run >= window;
    }
    return count;
}

TEST(bounds_hold_the_truth) {
    static const uint32_t windows[] = {1, 2, 3, 7, 16, 50, 128, 400, 3001}, lengths[] = {1, 3, 20, 300};
    uint32_t i, k, most, thread, wide = 0;
    for (k = 0; k < 4; k++) {
        for (most = 1; most <= 256; most *= 4) {
            turned_thread t[2];
            alone_spans s[2];
            make(lengths[k]);
            for (thread = 0; thread < 2; thread++) {
                t[thread] = spans_of(thread, most);
                s[thread] = alone_make(&t[thread]);
            }
            for (thread = 0; thread < 2; thread++) {
                for (i = 0; i < sizeof windows / sizeof *windows; i++) {
                    double least, highest, truth = alone(thread, windows[i]);
                    alone_windows(&s[thread], &s[!thread], windows[i], &least, &highest);
                    CHECK(least <= truth && truth <= highest);
                    if (most == 1) CHECK(least == truth && truth == highest);
                    wide += least < truth && truth < highest;
                    /* Where runs are long and waits are known, little is unknown. */
                    if (lengths[k] == 300 && most == 4 && windows[i] == 50)
                        CHECK(highest - least < truth / 10);
                }
            }
            free(s[0].at);
            free(s[1].at);
        }
    }
    CHECK(wide > 20);
}

TEST(a_thread_without_accesses) {
    alone_span rows[2] = {{5, 9, 100, 100}, {20, 30, 50, 50}};
    alone_spans one = {rows, 2}, none = {NULL, 0};
    double least, most;
    alone_windows(&one, &none, 120, &least, &most);
    CHECK(least == 31 && most == 31);
    alone_windows(&none, &one, 1, &least, &most);
    CHECK(least == 0 && most == 0);
}

/* The same instant has no order. */
TEST(spans_that_touch) {
    alone_span rows[2] = {{10, 20, 4, 4}, {30, 40, 4, 4}};
    alone_span between = {20, 30, 1, 1}, inside = {21, 29, 1, 1}, perhaps = {21, 29, 0, 1};
    alone_spans a = {rows, 2}, b = {&between, 1};
    double least, most;
    alone_windows(&a, &b, 6, &least, &most);
    CHECK(least == 0 && most == 3);
    between.to = 29; /* at one end alone */
    alone_windows(&a, &b, 6, &least, &most);
    CHECK(least == 0 && most == 3);
    between.from = 21;
    between.to = 30;
    alone_windows(&a, &b, 6, &least, &most);
    CHECK(least == 0 && most == 3);
    alone_windows(&a, &b, 3, &least, &most); /* it may be in the second one's first instant */
    CHECK(least == 2 && most == 6);
    between.from = 20;
    between.to = 29;
    alone_windows(&a, &b, 3, &least, &most);
    CHECK(least == 2 && most == 6);
    b.at = &inside;
    alone_windows(&a, &b, 6, &least, &most);
    CHECK(least == 0 && most == 0);
    alone_windows(&a, &b, 3, &least, &most);
    CHECK(least == 4 && most == 4);
    b.at = &perhaps;
    alone_windows(&a, &b, 6, &least, &most);
    CHECK(least == 0 && most == 3);
}

TEST(spans_are_joined_for_lack_of_room) {
    static interleave_log t;
    uint64_t k, sum = 0, all = 10 * (uint64_t)INTERLEAVE_ROWS + 17;
    uint32_t i;
    for (k = 0; k < all; k++) interleave_add(&t, 10 * k, 10 * k + 7, 1 + k % 3, 1 + k % 2);
    interleave_add(&t, 10 * k, 10 * k + 7, 0, 0); /* nothing */
    CHECK(t.used > INTERLEAVE_ROWS / 2 && t.used <= INTERLEAVE_ROWS);
    for (i = 0; i < t.used; i++) {
        const interleave_row *row = &t.rows[i];
        uint64_t first = row->from_ns / 10, last = row->to_ns / 10;
        CHECK(row->from_ns % 10 == 0 && row->to_ns % 10 == 7);
        CHECK(i ? first == t.rows[i - 1].to_ns / 10 + 1 : first == 0);
        CHECK((last - first == 15 && row->edge_ns == 0) || i + 1 == t.used);
        sum += row->accesses;
    }
    CHECK(t.rows[t.used - 1].to_ns == 10 * (all - 1) + 7);
    for (k = 0; k < all; k++) sum -= 1 + k % 3;
    CHECK(sum == 0);
}

TEST(time_does_not_go_back) {
    static interleave_log t;
    interleave_add(&t, 100, 50, 1, 3);
    interleave_add(&t, 20, 70, 2, 0);
    CHECK(t.used == 2 && t.rows[0].from_ns == 100 && t.rows[0].to_ns == 100);
    CHECK(t.rows[0].edge_ns == 0);
    CHECK(t.rows[1].from_ns == 100 && t.rows[1].to_ns == 100 && t.rows[1].accesses == 2);
}

/* ---- the part ---- */

typedef struct blob { unsigned char bytes[4096]; size_t size; } blob;

static int to_blob(void *user, const void *data, size_t size) {
    blob *b = (blob *)user;
    if (b->size + size > sizeof b->bytes) return 1;
    memcpy(b->bytes + b->size, data, size);
    b->size += size;
    return 0;
}

static int read_blob(turned_parts *s, const unsigned char *bytes, size_t size) {
    dump d;
    dump_fault fault;
    int failed;
    memset(s, 0, sizeof *s);
    if (dump_read(&d, bytes, size, &fault) != 0) return -1;
    failed = d.part_count != 1 || kind_interleave.read(s, &d, &d.parts[0], &fault) != 0;
    dump_free(&d);
    return failed ? -1 : 0;
}

TEST(what_is_written_is_read) {
    static interleave_log t[2];
    const interleave_log *const threads[] = {&t[0], &t[1]};
    static blob b, bad;
    text again = {NULL, 0, 0};
    turned_parts s;
    size_t i, good = 0;
    for (i = 0; i < 20; i++) interleave_add(&t[i % 2], 1000 + 100 * i, 1060 + 100 * i, 7 * i + 1, i);
    CHECK_EQ(interleave_write(threads, 2, "prog", to_blob, &b), 0);
    if (!CHECK_EQ(read_blob(&s, b.bytes, b.size), 0)) return;
    kind_interleave.settle(&s);
    CHECK(s.count == 1 && s.parts[0].count == 2 && strcmp(s.parts[0].program, "prog") == 0);
    CHECK(s.parts[0].threads[0].count == 10 && s.parts[0].threads[1].rows[0].from == 100);
    CHECK(s.parts[0].threads[1].rows[9].to == 1960 && s.parts[0].threads[1].rows[9].accesses == 134);
    CHECK(s.parts[0].threads[1].rows[9].edge == 19 && s.parts[0].threads[0].rows[0].edge == 0);
    kind_interleave.write(&s, &again);
    CHECK(again.size == b.size && memcmp(again.data, b.bytes, b.size) == 0);
    text_free(&again);
    kind_interleave.free(&s);
    t[0].rows[3].edge_ns = 31; /* of a span of 60 */
    bad.size = 0;
    CHECK_EQ(interleave_write(threads, 2, "prog", to_blob, &bad), 0);
    CHECK_EQ(read_blob(&s, bad.bytes, bad.size), -1);
    kind_interleave.free(&s);
    for (i = 0; i < b.size; i++) {
        int bit;
        good += read_blob(&s, b.bytes, i) == 0;
        kind_interleave.free(&s);
        for (bit = 0; bit < 8; bit++) {
            b.bytes[i] ^= (unsigned char)(1u << bit);
            good += read_blob(&s, b.bytes, b.size) == 0;
            kind_interleave.free(&s);
            b.bytes[i] ^= (unsigned char)(1u << bit);
        }
    }
    CHECK_EQ(good, 0);
}
