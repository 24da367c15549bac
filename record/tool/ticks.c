/* ticks.c - looks become ticks, and a dump for each process.

   Of a process that ran already each look is a tick. A program that is started
   has all its threads seen from their first instruction on. The kernel looks at
   the end of each period of a thread, so that what is left of one at the thread's
   end is in no look. But it says how much CPU time each thread had. So there are
   more looks than ticks, and ticks are drawn from them when all is over, at random
   places of the CPU time:

       CPU time:   | thread 1              | 2    | 3  | 4      |
       ticks:        x    x   x   x     x    x    x   x    x   x     one in each cell
       looks:      . . . . . . . . . . . . .  . .  . .    . . .

   Each takes the look of its thread that is as far from the beginning. What short
   threads had is as likely to be met as all else, and no program can keep step. */
#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE 1
#endif
#include "record/tool/outside.h"

#ifdef CAN_ATTACH
#include "record/inside/core/lines.h"
#include "report/kinds/ends.h"
#include "report/kinds/samples.h"
#include "base/save.h"
#include "base/tool.h"
#include <stdlib.h>
#include <string.h>
#include <time.h>

static uint64_t random_state;

/* ---- ticks ---- */

static sampled_ticks written;
static lines written_lines;

/* Adds those of a place and its callers. Returns how many there are then. */
static uint32_t add_keys(uint32_t *keys, uint32_t count, uint32_t place_number,
                         uint32_t callers) {
    uint32_t key = name_of_place(place_number);
    if (key) keys[count++] = key;
    for (; callers && count < SAMPLED_DEEP; callers = caller_get(callers)->around) {
        uint32_t at = caller_get(callers)->place;
        key = at ? name_of_place(at) : (uint32_t)SAMPLED_BEYOND;
        if (key) keys[count++] = key;
    }
    return count;
}

static uint32_t path_of_wait(uint32_t place_number, uint32_t callers) {
    uint32_t keys[SAMPLED_DEEP], count = add_keys(keys, 0, place_number, callers);
    return count ? sampled_tick(&written, keys, count, 0, 0) : 0;
}

static void write_tick(const look *l) {
    static uint32_t kernel;
    uint32_t keys[SAMPLED_DEEP], count = 0, key;
    if (!kernel) kernel = name_key("(kernel)");
    if (l->kernel) {
        key = name_of_place(l->kernel);
        if (key) keys[count++] = key;
        keys[count++] = kernel;
    }
    count = add_keys(keys, count, l->place, l->callers);
    moments_add(l->ns, l->thread, sampled_tick(&written, keys, count, 1, 0));
    /* What the kernel did has no line. */
    lines_tick(&written_lines, l->kernel ? 0 : l->place, count ? keys[0] : (uint32_t)SAMPLED_OUTSIDE,
               1);
}

/* A tick of which no place is known, and no better moment than the last one that
   its thread was heard of. */
static void write_alone(uint32_t thread, const uint32_t *keys, uint32_t count) {
    uint32_t path = sampled_tick(&written, keys, count, 1, 0);
    moments_add(thread_get(thread)->last_ns, thread, path);
    lines_tick(&written_lines, 0, keys[0], 1);
}

static int add_bytes(void *user, const void *data, size_t size) {
    text_bytes((text *)user, data, size);
    return 0;
}

static const char *name_of(void *user, uint32_t key) {
    (void)user;
    return name_get(key);
}

static const char *place_of_function(void *user, uint32_t key) {
    (void)user;
    return name_place(key);
}

static const char *place_of_line(void *user, uint32_t key, uint64_t number) {
    (void)user, (void)key;
    return name_place_at((uint32_t)number);
}

static const lines *next_lines(void *user, const lines *l) {
    (void)user;
    return l ? NULL : &written_lines;
}

typedef struct totals {             /* of one process */
    double ns, kernel_ns, children_ns;
    uint64_t lost;
} totals;

/* Nothing is known of what was in a file that was written to meanwhile. */
static void write_changed(text *out) {
    uint32_t n;
    for (n = 1; n <= image_count(); n++) {
        image *m = image_get(n);
        missing_end end;
        if (!m->is_changed) continue;
        end.program = m->path;
        end.why = END_REPLACED;
        end.missing = end.of = 1;
        ends_write(&end, out);
    }
}

/* Of which build the program is: places in it have no other name if it is stripped. */
static void write_build(const process *p, const char *program, text *out) {
    size_t n;
    for (n = 0; n < p->mapping_count; n++) {
        const image *m = image_get(mapping_get(p->mappings[n])->image);
        const char *name = strrchr(m->path, '/');
        if (image_is_made(m) || !m->elf.data || strcmp(name ? name + 1 : m->path, program) != 0)
            continue;
        samples_write_looks(program, m->elf.data, m->elf.size, out);
        return;
    }
}

static int write_file(const attach_options *o, const char *out, uint32_t number,
                      const char *program, const totals *sums) {
    const double share = 20, least = 20;
    const sampled_ticks *ticks = &written;
    const double ms = 1e6;
    sampled_profile about;
    lines_about of_lines;
    text t = {NULL, 0, 0};
    save s;
    int status;
    memset(&about, 0, sizeof about);
    about.program = program;
    about.name = name_of;
    about.place = place_of_function;
    about.from_outside = 1;
    about.cpu_us = (uint64_t)(sums->ns / 1e3);
    about.kernel_us = (uint64_t)(sums->kernel_ns / 1e3);
    about.look_us = events.period / 1000;
    (void)sampled_write_ticks(&about, 1000000 / o->ticks, &ticks, 1, sums->lost, add_bytes, &t);
    memset(&of_lines, 0, sizeof of_lines);
    of_lines.program = program;
    of_lines.period_us = 1000000 / o->ticks;
    of_lines.name = name_of;
    of_lines.place = place_of_line;
    if (o->lines) (void)lines_write(&of_lines, next_lines, NULL, add_bytes, &t);
    if (sums->children_ns >= least * ms && sums->children_ns * share >= sums->children_ns + sums->ns)
        (void)sampled_write_missing(&about, END_CHILDREN, (uint64_t)(sums->children_ns / ms),
                                    (uint64_t)((sums->children_ns + sums->ns) / ms), add_bytes, &t);
    moments_write(o, number, &about, &written, path_of_wait, &t);
    write_build(process_at(number), program, &t);
    write_changed(&t);
    status = save_open(&s, out, NULL, 0, 1);
    if (status == TOOL_OK) status = save_close(&s, &t);
    text_free(&t);
    return status;
}

int ticks_write_all(const attach_options *o) {
    totals none = {0, 0, 0, 0};
    size_t n;
    moments_begin(o->timeline);
    for (n = 0; n < looks_taken.count; n++) write_tick(&looks_taken.at[n]);
    none.lost = looks_taken.lost;
    return write_file(o, o->out, 1, process_at(1)->program, &none);
}

/* Which file has the most looks in functions without a symbol. */
void ticks_find_nameless(void) {
    size_t n;
    uint64_t votes = 0;
    looks *k = &looks_taken;
    k->nameless = 0;
    for (n = 0; n < k->count; n++) {
        const look *l = &k->at[n];
        const image *in = l->kernel ? NULL : name_nameless(name_of_place(l->place));
        if (!in) continue;
        k->nameless++;
        if (!votes) k->nameless_in = in;
        votes += in == k->nameless_in ? 1 : (uint64_t)-1;
    }
}

/* ---- CPU time ---- */

/* From 0 up to 1. */
static double draw(void) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (double)(random_state >> 11) / 9007199254740992.0;
}

double ticks_draw(void) {
    struct timespec t;
    int n;
    if (!random_state) {
        clock_gettime(CLOCK_REALTIME, &t);
        random_state = ((uint64_t)t.tv_sec << 30 ^ (uint64_t)t.tv_nsec) | 1;
        for (n = 0; n < 16; n++) (void)draw();
    }
    return draw();
}

/* A thread of several programs has said how long it ran in all of them. */
static void share_programs(void) {
    uint32_t n, k;
    for (n = thread_count(); n > 0; n--) {
        thread_time *t = thread_get(n);
        uint64_t looks_of = 0, ns = t->ns;
        if (!t->before || !ns) continue;
        for (k = n; k; k = thread_get(k)->before) looks_of += thread_get(k)->looks;
        if (!looks_of) continue;
        for (k = n; k; k = thread_get(k)->before) {
            thread_time *part = thread_get(k);
            part->ns = (uint64_t)((double)ns * (double)part->looks / (double)looks_of);
        }
    }
}

/* Who has not said how long it ran has the rest of the time by its looks: the
   first thread, and children that go on. */
static void share_rest(void) {
    uint64_t sum = events_ns(), looks_of = 0, left;
    uint32_t n;
    left = sum > looks_taken.ended_ns ? sum - looks_taken.ended_ns : 0;
    for (n = 1; n <= thread_count(); n++)
        looks_of += thread_get(n)->ends < events.count ? thread_get(n)->looks : 0;
    for (n = 1; n <= thread_count(); n++) {
        thread_time *t = thread_get(n);
        if (t->ends < events.count && looks_of)
            t->ns = (uint64_t)((double)left * (double)t->looks / (double)looks_of);
    }
    if (!looks_of && thread_count()) thread_get(1)->ns += left;
}

/* ---- drawing ---- */

typedef struct drawing {
    double cell, begin, next;       /* ns; next: of the tick that comes */
    double cells;
    size_t *first, *order;          /* the looks of thread n are order[first[n]..first[n + 1]) */
} drawing;

static void sort_looks(drawing *d) {
    size_t n;
    d->first = (size_t *)tool_alloc((thread_count() + 2) * sizeof *d->first);
    d->order = (size_t *)tool_alloc((looks_taken.count + 1) * sizeof *d->order);
    memset(d->first, 0, (thread_count() + 2) * sizeof *d->first);
    for (n = 0; n < looks_taken.count; n++) d->first[looks_taken.at[n].thread + 1]++;
    for (n = 1; n < thread_count() + 2; n++) d->first[n] += d->first[n - 1];
    for (n = 0; n < looks_taken.count; n++)
        d->order[d->first[looks_taken.at[n].thread]++] = n;
    /* first[n] is now where the looks of thread n, from 1 on, end */
}

/* Where time in the kernel has no looks, it is what looks in the program leave of
   the thread's time. Nobody knows who called there. */
static double kernel_part(const thread_time *t) {
    double in_program = (double)t->looks * (double)events.period;
    if (!events.no_kernel || (double)t->ns <= in_program + (double)events.period) return 0;
    return 1 - in_program / (double)t->ns;
}

static uint64_t draw_thread(drawing *d, uint32_t number, totals *sums) {
    const thread_time *t = thread_get(number);
    const uint32_t none = name_key("(threads that ended before a look)");
    uint32_t kernel[2] = {name_key("(kernel)"), SAMPLED_BEYOND};
    size_t from = d->first[number - 1], count = d->first[number] - from, n;
    double ns = (double)t->ns, part = kernel_part(t), in_kernel = 0;
    uint64_t ticks = 0;
    for (n = 0; n < count; n++) in_kernel += looks_taken.at[d->order[from + n]].kernel != 0;
    sums->ns += ns;
    sums->kernel_ns += count ? ns * (1 - part) * in_kernel / (double)count : 0;
    sums->kernel_ns += ns * part;
    for (; d->next < d->begin + ns; d->next = d->cell * (d->cells + ticks_draw())) {
        size_t k = (size_t)((d->next - d->begin) / ns * (double)count);
        if (part > 0 && ticks_draw() < part) write_alone(number, kernel, 2);
        else if (count) write_tick(&looks_taken.at[d->order[from + (k < count ? k : count - 1)]]);
        else write_alone(number, &none, 1);
        d->cells++;
        ticks++;
    }
    d->begin += ns;
    return ticks;
}

/* CPU time of children, which nobody drew from. */
static double of_children(void) {
    double ns = 0;
    uint32_t n;
    for (n = 1; n <= thread_count(); n++)
        ns += thread_get(n)->process ? 0 : (double)thread_get(n)->ns;
    return ns;
}

/* FILE for what the program came to; FILE.PID for a child, and FILE.PID.N for what
   a process was before it became another program. */
static void name_file(const attach_options *o, uint32_t number, char *out, size_t size) {
    const process *p = process_at(number);
    uint32_t n, earlier = 0;
    for (n = p->before; n; n = process_at(n)->before) earlier++;
    if (process_of(p->pid) != number)
        snprintf(out, size, "%.4000s.%u.%u", o->out, (unsigned)p->pid, (unsigned)earlier + 1);
    else if (p->pid != (uint32_t)o->pid)
        snprintf(out, size, "%.4000s.%u", o->out, (unsigned)p->pid);
    else snprintf(out, size, "%.4095s", o->out);
}

static int write_process(const attach_options *o, drawing *d, uint32_t number, const char *program) {
    const process *p = process_at(number);
    int is_first = p->pid == (uint32_t)o->pid && process_of(p->pid) == number, status = TOOL_OK;
    char out[4200];
    totals sums = {0, 0, 0, 0};
    uint64_t ticks = 0;
    uint32_t n;
    memset(&written, 0, sizeof written);
    memset(&written_lines, 0, sizeof written_lines);
    moments_begin(o->timeline);
    name_read_perf_map(number);
    for (n = 1; n <= thread_count(); n++) {
        if (thread_get(n)->process == number) ticks += draw_thread(d, n, &sums);
    }
    if (is_first) sums.children_ns = of_children();
    /* What could not be read in time is as missing as what other threads lack. */
    if (looks_taken.lost && looks_taken.count)
        sums.lost = (uint64_t)((double)ticks * (double)looks_taken.lost
                               / (double)(looks_taken.lost + looks_taken.count));
    if (sums.lost * 100 < ticks) sums.lost = 0;
    if (!ticks && !is_first) return TOOL_OK;
    name_file(o, number, out, sizeof out);
    status = write_file(o, out, number, *p->program ? p->program : program, &sums);
    if (status == TOOL_OK && o->wrote) o->wrote(o->user, out, p->pid, is_first);
    return status;
}

int ticks_write_drawn(const attach_options *o, const char *program, int whose) {
    drawing d = {1e9 / o->ticks, 0, 0, 0, NULL, NULL};
    int status = TOOL_OK, one;
    uint32_t number;
    share_rest();
    share_programs();
    sort_looks(&d);
    d.next = d.cell * ticks_draw();
    for (number = 1; number <= process_count(); number++) {
        if (whose != TICKS_OF_ALL && process_at(number)->is_ours != whose) continue;
        one = write_process(o, &d, number, program);
        if (one != TOOL_OK) status = one;
    }
    free(d.first);
    free(d.order);
    return status;
}

void ticks_children(double *theirs_ms, double *own_ms) {
    uint32_t n;
    *own_ms = 0;
    *theirs_ms = of_children() / 1e6;
    for (n = 1; n <= thread_count(); n++)
        *own_ms += thread_get(n)->process ? (double)thread_get(n)->ns / 1e6 : 0;
}
#endif
