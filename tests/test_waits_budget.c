/* test_waits_budget.c - record/tool/waits.c notes no more records than its budget has room for, says
   for how long it saw none, and whose waits go on behind that: with a clock and rings of our own. */
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
    stack s = {0, 0, 0};
    (void)count, (void)of;
    s.place = (uint32_t)words[1];
    return s;
}
uint32_t thread_of(uint32_t pid, uint32_t thread) { return (void)pid, thread; }
enum { THREADS = 8 };
static thread_time threads[THREADS + 1];
static uint32_t threads_now;
thread_time *thread_get(uint32_t number) { return &threads[number]; }
uint32_t thread_count(void) { return threads_now; }
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

/* ---- gaps: thread n waits at place n ---- */

enum { IN, BLOCKS = SWITCH_OUT, GIVES_WAY = SWITCH_OUT | SWITCH_OUT_PREEMPT };

static void switched(uint32_t thread, unsigned how, uint64_t ns) {
    struct perf_event_header head;
    uint64_t words[5] = {0, 0, 0, 0, 0};
    memset(&head, 0, sizeof head);
    if (how != IN) {
        head.type = PERF_RECORD_SAMPLE;
        memcpy(words, &head, sizeof head);
        words[1] = thread;
        words[2] = 1 + ((uint64_t)thread << 32);
        words[3] = ns;
        take_record(words, 5);
    }
    head.type = RECORD_SWITCH;
    head.misc = (uint16_t)how;
    memcpy(words, &head, sizeof head);
    words[1] = 1 + ((uint64_t)thread << 32);
    words[2] = ns;
    take_record(words, 3);
}

static void gap(uint64_t end_ns) {
    struct perf_event_header head;
    uint64_t words[4] = {0, 0, 0, 0};
    memset(&head, 0, sizeof head);
    head.type = PERF_RECORD_LOST;
    memcpy(words, &head, sizeof head);
    words[3] = end_ns;
    take_record(words, 4);
}

/* "from+ns@place ..." of a thread's waits, in their order. */
static const char *waits_of_thread(uint32_t thread) {
    static char words[256];
    size_t n;
    *words = 0;
    for (n = 0; n < all.kept_count; n++) {
        const waited *w = &all.kept[n];
        if (w->thread == thread)
            snprintf(words + strlen(words), sizeof words - strlen(words), "%s%u+%u@%u",
                     *words ? " " : "", (unsigned)w->from_ns, (unsigned)w->ns, (unsigned)w->place);
    }
    return words;
}

TEST(who_waits_before_a_gap_waits_behind_it) {
    uint32_t n;
    run(0, 0);
    memset(threads, 0, sizeof threads);
    threads_now = THREADS;
    for (n = 1; n <= THREADS; n++) threads[n].process = 1;
    for (n = 1; n <= 5; n++) switched(n, n == 4 ? GIVES_WAY : BLOCKS, 100);
    switched(7, BLOCKS, 100);
    switched(8, BLOCKS, 100);
    switched(6, IN, 200);
    threads[3].last_ns = 250;           /* a look met it, within the gap */
    gap(300);
    threads[2].last_ns = threads[7].last_ns = 350; /* looks met them, behind the gap */
    switched(8, IN, 310);
    switched(5, IN, 400);
    switched(2, BLOCKS, 410);
    switched(4, IN, 420);
    switched(6, BLOCKS, 430);
    switched(8, BLOCKS, 430);
    switched(6, IN, 440);
    threads[8].last_ns = 500;           /* a look met it, within the next gap */
    gap(600);                           /* nothing was seen from 440 on */
    events.last_ns = 1000;
    finish();
    CHECK_STR(waits_of_thread(1), "100+100@1 300+140@1 600+400@1");
    CHECK_STR(waits_of_thread(2), "100+100@2 410+30@2 600+400@2");
    CHECK_STR(waits_of_thread(3), "100+100@3");
    CHECK_STR(waits_of_thread(4), "");
    CHECK_STR(waits_of_thread(5), "100+100@5 300+100@5");
    CHECK_STR(waits_of_thread(6), "430+10@6");
    CHECK_STR(waits_of_thread(7), "100+100@7");
    CHECK_STR(waits_of_thread(8), "100+100@8 300+10@8 430+10@8");
    CHECK_EQ(all.unseen_ns, 260);
    threads_now = 0;
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
