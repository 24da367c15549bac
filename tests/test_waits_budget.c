/* test_waits_budget.c - record/tool/waits.c notes no more records than its budget has room for, and
   says for how long it saw none: with a clock and rings of our own. */
#define _GNU_SOURCE 1
#include "test.h"
#include "record/tool/outside.h"
#ifdef CAN_ATTACH
#include <sys/ioctl.h>
static int set_event(int event, unsigned long request, int value);
#define ioctl set_event
#include "record/tool/waits.c"
#undef ioctl

enum { MS = 1000000 };

events_state events;
static uint64_t now_ns, gaps;
static unsigned in_look;            /* records that a look finds, while the events are on */
static int is_on = 1, changes;
static uint64_t noted;

static int set_event(int event, unsigned long request, int value) {
    (void)event, (void)value;
    is_on = request == PERF_EVENT_IOC_ENABLE;
    changes++;
    return 0;
}
uint64_t events_now_ns(void) { return now_ns; }
size_t events_read_ring(struct perf_event_mmap_page *ring, size_t bytes, int is_beside) {
    (void)ring, (void)bytes, (void)is_beside;
    if (!is_on) return 0;
    noted += in_look;
    return in_look;
}
void events_add_record(const uint64_t *words, size_t count, int is_beside) {
    (void)is_beside;
    gaps++;
    CHECK_EQ(words[count - 2], now_ns);
    take_record(words, count - 1);
}
void events_fill_sample(struct perf_event_attr *a, unsigned stack_bytes) {
    (void)a, (void)stack_bytes;
}
stack events_walk(const uint64_t *words, size_t count, uint32_t of) {
    stack none = {0, 0, 0};
    (void)words, (void)count, (void)of;
    return none;
}
uint32_t thread_of(uint32_t pid, uint32_t thread) { return (void)pid, thread; }
thread_time *thread_get(uint32_t number) {
    static thread_time one;
    return (void)number, &one;
}
uint32_t thread_count(void) { return 0; }
void *tool_alloc(size_t bytes) { return calloc(1, bytes); }
void *tool_grow(void *memory, size_t bytes) { return realloc(memory, bytes); }

/* So many seconds of a look each ms; a look finds so many records. */
static void run(unsigned seconds, unsigned records) {
    static struct perf_event_mmap_page ring;
    static int event;
    unsigned n;
    memset(&all, 0, sizeof all);
    all.rings[0] = &ring;
    all.events = &event;
    all.event_count = 1;
    all.budget = SAVED;
    all.counted_ns = all.last_ns = now_ns = 5000 * (uint64_t)MS;
    noted = gaps = 0;
    changes = 0;
    is_on = 1;
    in_look = records;
    for (n = 0; n < 1000 * seconds; n++) {
        now_ns += MS;
        if (is_on) all.last_ns = now_ns;
        read_rings();
    }
}

TEST(below_the_budget_all_is_noted) {
    run(10, 29);
    CHECK_EQ(noted, 290000);
    CHECK_EQ(changes, 0);
    CHECK_EQ(all.unseen_ns, 0);
}

TEST(above_it_there_are_pauses) {
    run(10, 120);                   /* four times the budget */
    CHECK(noted <= 10 * 30000 + 15000 + 120);
    CHECK(noted >= 10 * 30000);
    CHECK(gaps > 0);
    /* Three quarters of the time, but for what was saved: half a second's. */
    CHECK(all.unseen_ns > 70 * (uint64_t)MS * 100 && all.unseen_ns < 76 * (uint64_t)MS * 100);
}

TEST(lost_records_cost_as_much) {
    struct perf_event_header head;
    uint64_t words[4] = {0, 0, SAVED + 1, 0};
    run(1, 0);
    memset(&head, 0, sizeof head);
    head.type = PERF_RECORD_LOST;
    memcpy(words, &head, sizeof head);
    words[3] = now_ns;
    take_record(words, 4);
    CHECK_EQ(all.budget, -1);
    CHECK_EQ(all.unseen_ns, 0);
    words[3] = now_ns + 7;          /* it was seen then that some were lost */
    take_record(words, 4);
    CHECK_EQ(all.unseen_ns, 7);
}

TEST(what_was_saved_is_bounded) {
    unsigned n;
    run(100, 0);                    /* a long rest saves half a second's, and no more */
    in_look = 1000;
    for (n = 0; n < 10 && is_on; n++) {
        now_ns += MS;
        read_rings();
    }
    CHECK_EQ(is_on, 1);
    for (; n < 20 && is_on; n++) {
        now_ns += MS;
        read_rings();
    }
    CHECK_EQ(is_on, 0);
    CHECK_EQ(noted, 16000);         /* 15 000 and 30 for each ms: 15 480 is below */
}
#endif
