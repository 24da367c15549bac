/* looks.c - the threads that were seen, and the looks at them. */
#include "record/tool/outside.h"

#ifdef CAN_ATTACH
#include "base/tool.h"
#include <stdio.h>
#include <string.h>

enum { LOOKS_MOST = 1 << 22 };

looks looks_taken;

static struct {
    thread_time *threads;
    uint32_t count, room;
    hash_table index;               /* the latest one of each number */
} all;

/* ---- threads ---- */

static int is_thread(const void *owner, uint32_t number, const void *key) {
    (void)owner;
    return all.threads[number - 1].thread == *(const uint32_t *)key;
}

thread_time *thread_get(uint32_t number) { return &all.threads[number - 1]; }

uint32_t thread_count(void) { return all.count; }

/* Reads the name of a thread that was there before us, if its process has another. */
static void read_name(thread_time *t, uint32_t pid) {
    char path[64], names[2][16] = {"", ""};
    uint32_t of[2];
    int n;
    of[0] = pid;
    of[1] = t->thread;
    for (n = 0; n < 2; n++) {
        FILE *file;
        snprintf(path, sizeof path, "/proc/%u/task/%u/comm", (unsigned)pid, (unsigned)of[n]);
        file = fopen(path, "r");
        if (file && !fgets(names[n], sizeof names[n], file)) names[n][0] = 0;
        if (file) fclose(file);
        names[n][strcspn(names[n], "\n")] = 0;
    }
    if (strcmp(names[0], names[1]) != 0) memcpy(t->name, names[1], sizeof t->name);
}

/* One whose process has become another program is a thread of that one, too. */
static uint32_t find_thread(uint32_t pid, uint32_t thread, uint64_t born_ns) {
    uint32_t *at = hash_place(&all.index, hash_numbers(thread, 0), is_thread, NULL, &thread);
    uint32_t process_number = process_of(pid), before = 0;
    thread_time *t;
    if (*at && all.threads[*at - 1].ends < events.of_thread) {
        if (all.threads[*at - 1].process == process_number) return *at;
        before = *at;
    }
    TOOL_ROOM(thread_time, all.threads, all.count, all.room);
    t = &all.threads[all.count++];
    memset(t, 0, sizeof *t);
    t->thread = thread;
    t->process = process_number;
    t->before = before;
    t->born_ns = born_ns;
    if (!events.is_started && !events.is_shown && !born_ns) read_name(t, pid);
    if (before) {
        t->ends = all.threads[before - 1].ends;
        t->ns = all.threads[before - 1].ns;
        all.threads[before - 1].ns = 0;
        all.threads[before - 1].ends = events.of_thread;
    }
    return *at = all.count;
}

uint32_t thread_of(uint32_t pid, uint32_t thread) { return find_thread(pid, thread, 0); }

void thread_begins(uint32_t pid, uint32_t thread, uint64_t ns) {
    thread_get(find_thread(pid, thread, ns))->born_ns = ns;
}

/* ---- looks ---- */

/* Which looks stay has nothing to do with where they were. */
static void drop_half(void) {
    size_t n;
    for (n = 0; 2 * n + 1 < looks_taken.count; n++) looks_taken.at[n] = looks_taken.at[2 * n + 1];
    looks_taken.count = n;
    looks_taken.one_of *= 2;
}

void looks_add(const look *l) {
    looks *k = &looks_taken;
    if (!k->one_of) k->one_of = 1;
    if (++k->skipped < k->one_of) return;
    k->skipped = 0;
    if (k->count >= LOOKS_MOST) drop_half();
    TOOL_ROOM(look, k->at, k->count, k->room);
    k->at[k->count++] = *l;
}
#endif
