/* ticks.c - looks become ticks, and a dump for each process.

   The kernel looks at the end of each period of a thread, so that what is left of
   one at the thread's end is in no look. But it says how much CPU time each thread
   had. So ticks are drawn from the looks when all is over, at random places of the CPU
   time:

       CPU time:   | thread 1              | 2    | 3  | 4      |
       ticks:        x    x   x   x     x    x    x   x    x   x     one in each cell
       looks:      . . . . . . . . . . . . .  . .  . .    . . .

   Each takes the look of its thread that is as far from the beginning. Looks need
   not be worth the same (periods.c), and short threads share theirs. So what these
   had is as likely to be met as all else, and no program can keep step.

   A program that is started has twice as many looks as ticks. One that runs already
   has as many, for they cost its own time: then ticks stand at equal distances, so
   that nearly every look becomes one of them, and none two. */
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

enum { TICK_MOST = 100 };           /* of sampled_tick */

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

static void write_tick(const look *l, uint32_t n) {
    static uint32_t kernel;
    uint32_t keys[SAMPLED_DEEP], count = 0, key, path, k;
    if (!kernel) kernel = name_key("(kernel)");
    if (l->kernel) {
        key = name_of_place(l->kernel);
        if (key) keys[count++] = key;
        keys[count++] = kernel;
    }
    count = add_keys(keys, count, l->place, l->callers);
    path = sampled_tick(&written, keys, count, n, 0);
    for (k = 0; k < n; k++) moments_add(l->ns, l->thread, path);
    /* What the kernel did has no line. */
    lines_tick(&written_lines, l->kernel ? 0 : l->place, count ? keys[0] : (uint32_t)SAMPLED_OUTSIDE,
               n);
}

/* A tick of which no place is known, and no better moment than the last one that
   its thread was heard of. */
static void write_alone(uint32_t thread, const uint32_t *keys, uint32_t count, uint32_t n) {
    uint32_t path = sampled_tick(&written, keys, count, n, 0), k;
    for (k = 0; k < n; k++) moments_add(thread_get(thread)->last_ns, thread, path);
    lines_tick(&written_lines, 0, keys[0], n);
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

/* Writes the program's build id: in a stripped program places have no other name. */
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

/* A thread of several programs has said how long it ran in all of them. */
static void share_programs(void) {
    uint32_t n, k;
    for (n = thread_count(); n > 0; n--) {
        thread_time *t = thread_get(n);
        double seen = 0;
        uint64_t ns = t->ns;
        if (!t->before || !ns) continue;
        for (k = n; k; k = thread_get(k)->before) seen += thread_get(k)->seen_ns;
        if (seen <= 0) continue;
        for (k = n; k; k = thread_get(k)->before) {
            thread_time *part = thread_get(k);
            part->ns = (uint64_t)((double)ns * part->seen_ns / seen);
        }
    }
}

/* Who has not said how long it ran has the rest of the time by its looks: the
   first thread, and children that go on. */
static void share_rest(void) {
    uint64_t sum = events_ns(), ended = 0, left;
    double seen = 0;
    uint32_t n;
    for (n = 1; n <= thread_count(); n++) {
        const thread_time *t = thread_get(n);
        if (t->ends < events.of_thread) seen += t->seen_ns;
        else ended += t->ns;
    }
    left = sum > ended ? sum - ended : 0;
    for (n = 1; n <= thread_count(); n++) {
        thread_time *t = thread_get(n);
        if (t->ends < events.of_thread && seen > 0)
            t->ns = (uint64_t)((double)left * t->seen_ns / seen);
    }
    if (seen <= 0 && thread_count()) thread_get(1)->ns += left;
}

/* ---- drawing ---- */

/* Threads whose looks stand for all of them: one thread, or many short ones. */
typedef struct group {
    double ns, seen_ns;             /* of its threads; what its looks are worth */
    double worth, kernel;           /* of those looks that were kept; of these, in the kernel */
    size_t *looks, count, room;     /* in the order of their time */
    uint32_t worth_ticks, skipped;  /* one of so many ticks is written, as so many */
    double at;                      /* ns that are drawn from already */
    size_t next;                    /* the look there, */
    double passed;                  /* and what those up to it are worth, with it */
} group;

typedef struct drawing {
    double cell, begin, next;       /* ns; next: of the tick that comes */
    double cells, place;            /* place: of all ticks in their cells; below 0: anywhere */
    group *groups;                  /* the first one is of threads that no look could see */
    uint32_t *of;                   /* of each thread */
    uint32_t group_count;
} drawing;

/* Short threads of a process are one group. Processes whose short threads had
   little are one with others of their program. */
static void make_groups(drawing *d) {
    uint32_t n, k, threads = thread_count(), count = process_count() + 1;
    double *short_ns = (double *)tool_alloc((count + 1) * sizeof *short_ns);
    uint32_t *first = (uint32_t *)tool_alloc((count + 1) * sizeof *first);
    d->of = (uint32_t *)tool_alloc((threads + (size_t)1) * sizeof *d->of);
    d->group_count = threads + count + 1;
    d->groups = (group *)tool_alloc(d->group_count * sizeof *d->groups);
    memset(d->groups, 0, d->group_count * sizeof *d->groups);
    memset(short_ns, 0, (count + 1) * sizeof *short_ns);
    for (n = 1; n <= threads; n++) {
        const thread_time *t = thread_get(n);
        if (periods_is_short(t)) short_ns[t->process] += (double)t->ns;
    }
    for (n = 1; n < count; n++) {
        first[n] = n;
        for (k = 1; k < n && !periods_are_many(short_ns[n]); k++) {
            if (periods_are_many(short_ns[k])
                || strcmp(process_at(n)->program, process_at(k)->program) != 0)
                continue;
            first[n] = k;
            break;
        }
    }
    for (n = 1; n <= threads; n++) {
        const thread_time *t = thread_get(n);
        group *g;
        d->of[n] = n;
        if (periods_is_short(t) && t->process) d->of[n] = threads + first[t->process];
        if (periods_is_too_short(t)) d->of[n] = 0;
        g = &d->groups[d->of[n]];
        g->ns += (double)t->ns;
        g->seen_ns += t->seen_ns;
    }
    free(short_ns);
    free(first);
}

static int by_period(const void *a, const void *b) {
    const look *x = *(const look *const *)a, *y = *(const look *const *)b;
    return x->period < y->period ? -1 : x->period > y->period;
}

/* Threads that began with one drawn period are seen at the same ages. So they are
   worth one look; and if there are fewer of these than ticks, a tick is worth
   several. */
static void weigh_ticks(group *g, double cell) {
    const look **sorted = (const look **)tool_alloc((g->count + 1) * sizeof *sorted);
    double sum = 0, squares = 0, worth, of_looks;
    size_t n;
    for (n = 0; n < g->count; n++) sorted[n] = &looks_taken.at[g->looks[n]];
    qsort(sorted, g->count, sizeof *sorted, by_period);
    for (n = 0; n < g->count; n++) {
        sum += sorted[n]->worth;
        if (n + 1 < g->count && sorted[n + 1]->period == sorted[n]->period) continue;
        squares += sum * sum;
        sum = 0;
    }
    free(sorted);
    of_looks = g->worth * g->worth / squares;
    worth = g->ns / cell / of_looks;
    g->worth_ticks = worth < 1 ? 1 : worth > (double)TICK_MOST ? TICK_MOST : (uint32_t)(worth + .75);
    g->skipped = (uint32_t)(events_draw() * g->worth_ticks);
}

static void share_looks(drawing *d) {
    size_t n;
    for (n = 0; n < looks_taken.count; n++) {
        const look *l = &looks_taken.at[n];
        group *g = &d->groups[d->of[l->thread]];
        if (g == d->groups) continue;
        TOOL_ROOM(size_t, g->looks, g->count, g->room);
        g->looks[g->count++] = n;
        g->worth += l->worth;
        if (l->kernel) g->kernel += l->worth;
    }
    for (n = 0; n < d->group_count; n++) {
        group *g = &d->groups[n];
        g->worth_ticks = 1;
        if (g->count) g->passed = looks_taken.at[*g->looks].worth;
        if (g->count && n > thread_count()) weigh_ticks(g, d->cell);
    }
}

/* Where time in the kernel has no looks, it is what looks in the program leave of
   the time. Nobody knows who called there. */
static double kernel_part(const drawing *d, const group *g) {
    if (!events.no_kernel || g == d->groups) return 0;
    if (g->ns <= g->seen_ns + (double)events.period) return 0;
    return 1 - g->seen_ns / g->ns;
}

/* The look that stands so far from the beginning of the group's time. */
static const look *look_at(group *g, double ns) {
    double wanted = ns / g->ns * g->worth;
    while (g->passed <= wanted && g->next + 1 < g->count)
        g->passed += looks_taken.at[g->looks[++g->next]].worth;
    return &looks_taken.at[g->looks[g->next]];
}

static double next_tick(const drawing *d) {
    return d->cell * (d->cells + (d->place < 0 ? events_draw() : d->place));
}

static uint64_t draw_thread(drawing *d, uint32_t number, totals *sums) {
    const uint32_t none = name_key("(threads that ended before a look)");
    uint32_t kernel[2] = {name_key("(kernel)"), SAMPLED_BEYOND};
    group *g = &d->groups[d->of[number]];
    double ns = (double)thread_get(number)->ns, part = kernel_part(d, g);
    uint64_t ticks = 0;
    sums->ns += ns;
    sums->kernel_ns += g->count ? ns * (1 - part) * g->kernel / g->worth : 0;
    sums->kernel_ns += ns * part;
    for (; d->next < d->begin + ns; d->next = next_tick(d)) {
        d->cells++;
        ticks++;
        if (++g->skipped < g->worth_ticks) continue;
        g->skipped = 0;
        if (part > 0 && events_draw() < part) write_alone(number, kernel, 2, g->worth_ticks);
        else if (g->count) write_tick(look_at(g, g->at + d->next - d->begin), g->worth_ticks);
        else write_alone(number, &none, 1, 1);
    }
    d->begin += ns;
    g->at += ns;
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
    drawing d = {1e9 / o->ticks, 0, 0, 0, events.is_started ? -1 : events_draw(), NULL, NULL, 0};
    int status = TOOL_OK, one;
    uint32_t number;
    share_rest();
    share_programs();
    make_groups(&d);
    share_looks(&d);
    d.next = next_tick(&d);
    for (number = 1; number <= process_count(); number++) {
        if (whose != TICKS_OF_ALL && process_at(number)->is_ours != whose) continue;
        one = write_process(o, &d, number, program);
        if (one != TOOL_OK) status = one;
    }
    for (number = 0; number < d.group_count; number++) free(d.groups[number].looks);
    free(d.groups);
    free(d.of);
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
