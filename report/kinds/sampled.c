/* sampled.c - reading, adding up and writing parts of kind 1.

   Reading only appends. Settling sorts each list by what makes its items equal,
   folds equals by saturating sums and renumbers the lists that point at it:

       programs (name, clock) <- profiles (program, all settings)
                              <- threads (program, number, name) <- classes (thread, bit)
                              threads <- rows (thread, site, caller, sums or none) -> sites
                              threads <- paths (thread, depth, parent, site) -> sites
   sites (name, file, line, kind)

   Paths make a tree: they are settled level by level, since a parent must have
   its place first.

   Saturating sums of what is never negative do not depend on order, nor does
   the sorted order; so any order and any grouping of files gives the same
   lists, and the same bytes when they are written. Cost: n log n. */
#include "report/kinds/sampled.h"
#include "base/parts.h"
#include "base/tool.h"
#include <stdlib.h>
#include <string.h>

enum { RECENT_SITES = 64 };                        /* how far back a part may point at a site */
enum {
    TAG_INFO = 1,
    TAG_PROFILE = 2,
    TAG_THREAD = 3,
    TAG_ROW = 4,
    TAG_TICKS = 5,
    TAG_PATH = 6,
    TAG_CLASS = 7,
    TAG_SUMS = 8, /* a row with sums over bursts */
    TAG_UNTIMED = 9,
    TAG_MISSING = 10, /* threads without a record, why nothing ticked */
    TAG_CPU = 11,     /* CPU time of the process while it ticked */
    TAG_WATCH = 12,   /* a watcher looked */
    TAG_WAITING = 13, /* of the path before it */
    TAG_KERNEL = 14,  /* CPU time, how much of it was in the kernel, how often it looks */
    TAG_BEGINS = 16,
    TAG_ASTRAY = 17,  /* ticks on stacks that nobody has told of */
    TAG_STEPS = 19,   /* ticks in step with the program's sleeps */
    TAG_BEHIND = 21,  /* ticks at random moments, of looks that came late */
    TAG_CHECKED = 15  /* how the ticks came */
};
enum { WATCH_VERSION = 1 };
enum { SITE_NONE = 0, SITE_NEW = 1, SITE_RECENT = 2 };

#define OF_PROGRAM(name) PART_FIELD(sampled_program, name)
#define OF_THREAD(name) PART_FIELD(sampled_thread, name)
#define OF_ROW(name) PART_FIELD(sampled_record, name)
#define OF_SUMS(name) PART_FIELD(sampled_sums, name)
#define OF_PATH(name) PART_FIELD(sampled_path, name)
static const part_field program_counts[] = {
    OF_PROGRAM(checks), OF_PROGRAM(events), OF_PROGRAM(lost), {0, 0}};
static const part_field tick_counts[] = {
    OF_PROGRAM(ticks_lost), OF_PROGRAM(ticks_cut), OF_PROGRAM(ticks_late), {0, 0}};
static const part_field watch_counts[] = {
    OF_PROGRAM(rounds), OF_PROGRAM(looks), OF_PROGRAM(look_squares),
    OF_PROGRAM(looks_late), OF_PROGRAM(looks_cut), OF_PROGRAM(unwatched), {0, 0}};
static const part_field thread_counts[] = {
    OF_THREAD(checks), OF_THREAD(burst_checks), OF_THREAD(events), OF_THREAD(lost),
    {0, 0}};
static const part_field row_counts[] = {
    OF_ROW(count), OF_ROW(weight_256), OF_ROW(ticks), {0, 0}};
static const part_field burst_sums[] = {
    OF_SUMS(bursts), OF_SUMS(firsts), OF_SUMS(yy), OF_SUMS(ys), OF_SUMS(xy), {0, 0}};
static const part_field path_counts[] = {
    OF_PATH(ticks), OF_PATH(slow), OF_PATH(squares), {0, 0}};

struct sampled_string { struct sampled_string *next; char *bytes; };

uint64_t sampled_add(uint64_t a, uint64_t b) { return a > UINT64_MAX - b ? UINT64_MAX : a + b; }

/* A new item at the end of a list, all zero. */
#define APPEND(list)                                                                          \
    ((list)->count == (list)->room                                                            \
         ? (void)((list)->at = tool_grow((list)->at, ((list)->room = 2 * (list)->room + 16) * \
                                                         sizeof *(list)->at))                 \
         : (void)0,                                                                           \
     memset(&(list)->at[(list)->count], 0, sizeof *(list)->at), &(list)->at[(list)->count++])

/* ---- reading ---------------------------------------------------------------------------- */

typedef struct part_state {
    dump_reader r;
    uint32_t recent[RECENT_SITES];
    size_t new_sites, record;                      /* record: where the one being read starts */
    size_t first_path;                             /* of the thread that is being read */
    int has_info, has_thread;
} part_state;

static void refuse_record(part_state *p, const char *reason) {
    if (p->r.reason) return;
    p->r.at = p->record;
    p->r.reason = reason;
}

/* Takes the bytes. */
static const char *keep_name(tally *s, char *bytes) {
    struct sampled_string *string = (struct sampled_string *)tool_alloc(sizeof *string);
    string->bytes = bytes;
    string->next = s->strings;
    s->strings = string;
    return bytes;
}

static const char *get_name(tally *s, dump_reader *r) {
    size_t size;
    const unsigned char *bytes = dump_get_string(r, &size);
    return r->reason || size == 0 ? "" : keep_name(s, text_name(bytes, size));
}

static uint32_t get_site(tally *s, part_state *p) {
    size_t start = p->r.at;
    uint64_t code = dump_get(&p->r);
    if (p->r.reason || code == SITE_NONE) return TALLY_NO_SITE;
    if (code == SITE_NEW) {
        sampled_site site = {0, 0, 0, "", ""};
        site.name = get_name(s, &p->r);
        site.file = get_name(s, &p->r);
        site.line = dump_get32(&p->r);
        site.kind = dump_get32(&p->r);
        if (p->r.reason) return TALLY_NO_SITE;
        p->recent[p->new_sites++ % RECENT_SITES] = (uint32_t)s->sites.count;
        *APPEND(&s->sites) = site;
        return (uint32_t)s->sites.count - 1;
    }
    code -= SITE_RECENT;
    if (code < RECENT_SITES && code < p->new_sites)
        return p->recent[(p->new_sites - 1 - (size_t)code) % RECENT_SITES];
    p->r.at = start;
    p->r.reason = "a site number that points at no site";
    return TALLY_NO_SITE;
}

static void get_info(tally *s, part_state *p) {
    sampled_program *program = &s->programs.at[s->programs.count - 1];
    if (p->has_info) {
        refuse_record(p, "a second info record in one part");
        return;
    }
    p->has_info = 1;
    program->clock_hz = dump_get(&p->r);
    program->name = get_name(s, &p->r);
    part_get(program, program_counts, &p->r);
}

static void get_profile(tally *s, part_state *p) {
    sampled_profile *profile = APPEND(&s->profiles);
    profile->program = (uint32_t)s->programs.count - 1;
    profile->number = dump_get32(&p->r);
    profile->check_count = dump_get32(&p->r);
    profile->burst_count = dump_get32(&p->r);
    profile->jitter_percent = dump_get32(&p->r);
    profile->classes = dump_get32(&p->r);
    profile->flags = dump_get32(&p->r);
    profile->bursts = dump_get(&p->r);
    profile->events = dump_get(&p->r);
}

static void get_begins(tally *s, part_state *p) {
    sampled_profile *profile = s->profiles.count ? &s->profiles.at[s->profiles.count - 1] : NULL;
    uint64_t begins = dump_get(&p->r);
    if (!profile || profile->program != s->programs.count - 1)
        refuse_record(p, "beginnings before the first profile");
    else profile->begins = sampled_add(profile->begins, begins);
}

static void get_thread(tally *s, part_state *p) {
    sampled_thread *thread = APPEND(&s->threads);
    p->has_thread = 1;
    p->first_path = s->paths.count;
    thread->program = (uint32_t)s->programs.count - 1;
    thread->number = dump_get32(&p->r);
    thread->flags = dump_get32(&p->r);
    thread->name = get_name(s, &p->r);
    part_get(thread, thread_counts, &p->r);
}

static void get_class(tally *s, part_state *p) {
    sampled_class of = {0, 0, 0, 0, 0};
    if (!p->has_thread) {
        refuse_record(p, "a class before the first thread");
        return;
    }
    of.thread = (uint32_t)s->threads.count - 1;
    of.class_bit = dump_get32(&p->r);
    of.bursts = dump_get(&p->r);
    of.xx = dump_get(&p->r);
    if (of.class_bit > SITE_CLASSES) refuse_record(p, "a class that is none");
    *APPEND(&s->classes) = of;
}

static void get_row(tally *s, part_state *p, int has_sums) {
    sampled_record row;
    memset(&row, 0, sizeof row);
    if (!p->has_thread) {
        refuse_record(p, "a row before the first thread");
        return;
    }
    row.thread = (uint32_t)s->threads.count - 1;
    row.site = get_site(s, p);
    if (row.site == TALLY_NO_SITE) refuse_record(p, "a row without a site");
    row.caller = get_site(s, p);
    part_get(&row, row_counts, &p->r);
    if (has_sums) {
        row.sums = (sampled_sums *)tool_alloc(sizeof *row.sums);
        row.sums->next = s->sums;
        s->sums = row.sums;
        part_get(row.sums, burst_sums, &p->r);
    }
    *APPEND(&s->rows) = row;
}

static void get_ticks(tally *s, part_state *p) {
    sampled_program *program = &s->programs.at[s->programs.count - 1];
    program->has_ticks = 1;
    program->tick_us = dump_get(&p->r);
    part_get(program, tick_counts, &p->r);
}

static void get_untimed(tally *s, part_state *p) {
    sampled_program *program = &s->programs.at[s->programs.count - 1];
    if (!program->has_ticks) refuse_record(p, "threads without a timer before ticks");
    program->untimed = sampled_add(program->untimed, dump_get(&p->r));
}

static void get_missing(tally *s, part_state *p) {
    sampled_program *program = &s->programs.at[s->programs.count - 1];
    program->lost_threads = sampled_add(program->lost_threads, dump_get(&p->r));
    program->no_time = dump_get32(&p->r);
}

static void get_cpu(tally *s, part_state *p) {
    sampled_program *program = &s->programs.at[s->programs.count - 1];
    if (!program->has_ticks) refuse_record(p, "CPU time before ticks");
    program->cpu_us = sampled_add(program->cpu_us, dump_get(&p->r));
}

static void get_astray(tally *s, part_state *p) {
    sampled_program *program = &s->programs.at[s->programs.count - 1];
    if (!program->has_ticks) refuse_record(p, "ticks on other stacks before ticks");
    program->ticks_astray = sampled_add(program->ticks_astray, dump_get(&p->r));
}

static void get_behind(tally *s, part_state *p) {
    sampled_program *program = &s->programs.at[s->programs.count - 1];
    if (!program->has_ticks) refuse_record(p, "ticks of late looks before ticks");
    program->ticks_behind = sampled_add(program->ticks_behind, dump_get(&p->r));
}

static void get_kernel(tally *s, part_state *p) {
    sampled_program *program = &s->programs.at[s->programs.count - 1];
    if (!program->has_ticks) refuse_record(p, "time in the kernel before ticks");
    if (program->kernel_cpu_us) refuse_record(p, "a second time in the kernel in one part");
    program->kernel_cpu_us = dump_get(&p->r);
    program->kernel_us = dump_get(&p->r);
    program->look_us = dump_get(&p->r);
    if (!p->r.reason && program->kernel_us > program->kernel_cpu_us)
        refuse_record(p, "more time in the kernel than there was");
}

static void get_checked(tally *s, part_state *p) {
    sampled_program *program = &s->programs.at[s->programs.count - 1];
    if (!program->has_ticks) refuse_record(p, "checks before ticks");
    program->tick_ways = dump_get32(&p->r);
    if (!p->r.reason && (!program->tick_ways
                         || program->tick_ways & ~(uint32_t)(TICKS_CHECKED | TICKS_FROM_OUTSIDE | TICKS_AT_RANDOM)))
        refuse_record(p, "ticks that came in no known way");
}

static void get_steps(tally *s, part_state *p) {
    sampled_program *program = &s->programs.at[s->programs.count - 1];
    if (!program->has_ticks) refuse_record(p, "ticks in step before ticks");
    if (program->stepping) refuse_record(p, "a second word of ticks in step in one part");
    program->step = dump_get32(&p->r);
    program->stepping = dump_get(&p->r);
    program->in_step = dump_get(&p->r);
    if (!p->r.reason && (program->step < 2 || !program->stepping || program->in_step > program->stepping))
        refuse_record(p, "more ticks in step than there were");
}

static void get_watch(tally *s, part_state *p) {
    sampled_program *program = &s->programs.at[s->programs.count - 1];
    if (!program->has_ticks) refuse_record(p, "a watcher before ticks");
    if (program->watch_answers) refuse_record(p, "a second watcher in one part");
    if (dump_get(&p->r) != WATCH_VERSION) refuse_record(p, "a watcher of unknown version");
    program->watch_answers = dump_get32(&p->r);
    part_get(program, watch_counts, &p->r);
    if (program->watch_answers < WATCH_COARSE || program->watch_answers > WATCH_STATE)
        refuse_record(p, "a watcher that asks in an unknown way");
}

static void get_waiting(tally *s, part_state *p) {
    sampled_path *path = s->paths.count ? &s->paths.at[s->paths.count - 1] : NULL;
    if (!p->has_thread || s->paths.count == p->first_path)
        refuse_record(p, "waiting before the first path");
    else if (!s->programs.at[s->programs.count - 1].watch_answers)
        refuse_record(p, "waiting without a watcher");
    else path->waiting = sampled_add(path->waiting, dump_get(&p->r));
}

static void get_path(tally *s, part_state *p) {
    sampled_path path = {0, 0, 0, TALLY_NO_PATH, 0, 0, 0, 0, 0};
    uint64_t back;
    if (!p->has_thread) {
        refuse_record(p, "a path before the first thread");
        return;
    }
    path.thread = (uint32_t)s->threads.count - 1;
    path.site = get_site(s, p);
    if (path.site == TALLY_NO_SITE) refuse_record(p, "a path without a site");
    back = dump_get(&p->r);
    if (back > s->paths.count - p->first_path) {
        refuse_record(p, "a path whose parent is not there");
        return;
    }
    if (back) {
        path.parent = (uint32_t)(s->paths.count - back);
        path.depth = s->paths.at[path.parent].depth + 1;
    }
    part_get(&path, path_counts, &p->r);
    *APPEND(&s->paths) = path;
}

static int read(void *state, const dump *d, const dump_part *part, dump_fault *fault) {
    tally *s = (tally *)state;
    part_state p;
    memset(&p, 0, sizeof p);
    p.r = dump_fields(d, part);
    APPEND(&s->programs)->name = "";
    if (part->size == 0) p.r.reason = "a part of sampled events without info";
    while (!p.r.reason && p.r.at < p.r.size) {
        uint64_t tag;
        p.record = p.r.at;
        tag = dump_get(&p.r);
        if (tag != TAG_INFO && !p.has_info) refuse_record(&p, "the first record is not info");
        else if (tag == TAG_INFO)    get_info(s, &p);
        else if (tag == TAG_PROFILE) get_profile(s, &p);
        else if (tag == TAG_BEGINS)  get_begins(s, &p);
        else if (tag == TAG_THREAD)  get_thread(s, &p);
        else if (tag == TAG_ROW)     get_row(s, &p, 0);
        else if (tag == TAG_SUMS)    get_row(s, &p, 1);
        else if (tag == TAG_CLASS)   get_class(s, &p);
        else if (tag == TAG_TICKS)   get_ticks(s, &p);
        else if (tag == TAG_PATH)    get_path(s, &p);
        else if (tag == TAG_UNTIMED) get_untimed(s, &p);
        else if (tag == TAG_MISSING) get_missing(s, &p);
        else if (tag == TAG_CPU)     get_cpu(s, &p);
        else if (tag == TAG_ASTRAY)  get_astray(s, &p);
        else if (tag == TAG_WATCH)   get_watch(s, &p);
        else if (tag == TAG_WAITING) get_waiting(s, &p);
        else if (tag == TAG_KERNEL)  get_kernel(s, &p);
        else if (tag == TAG_CHECKED) get_checked(s, &p);
        else if (tag == TAG_STEPS)   get_steps(s, &p);
        else if (tag == TAG_BEHIND)  get_behind(s, &p);
        else refuse_record(&p, "a record of unknown tag");
    }
    return p.r.reason ? dump_refuse(fault, dump_place(d, part, p.r.at), "%s", p.r.reason) : 0;
}

/* ---- settling --------------------------------------------------------------------------- */

static int compare_u64(uint64_t a, uint64_t b) { return a < b ? -1 : a > b; }

static int compare_programs(const void *left, const void *right) {
    const sampled_program *a = (const sampled_program *)left, *b = (const sampled_program *)right;
    int order = strcmp(a->name, b->name);
    return order ? order : compare_u64(a->clock_hz, b->clock_hz);
}

static void fold_programs(void *into, const void *from) {
    sampled_program *a = (sampled_program *)into;
    const sampled_program *b = (const sampled_program *)from;
    part_add(a, b, program_counts);
    a->has_ticks |= b->has_ticks;
    if (!a->tick_us) a->tick_us = b->tick_us; /* unite_ticks: it is the same, or 0 */
    part_add(a, b, tick_counts);
    a->untimed = sampled_add(a->untimed, b->untimed);
    a->ticks_astray = sampled_add(a->ticks_astray, b->ticks_astray);
    a->ticks_behind = sampled_add(a->ticks_behind, b->ticks_behind);
    a->cpu_us = sampled_add(a->cpu_us, b->cpu_us);
    a->kernel_us = sampled_add(a->kernel_us, b->kernel_us);
    a->tick_ways |= b->tick_ways;
    if (b->step > a->step) a->step = b->step;
    a->stepping = sampled_add(a->stepping, b->stepping);
    a->in_step = sampled_add(a->in_step, b->in_step);
    a->kernel_cpu_us = sampled_add(a->kernel_cpu_us, b->kernel_cpu_us);
    if (b->look_us > a->look_us) a->look_us = b->look_us;
    a->lost_threads = sampled_add(a->lost_threads, b->lost_threads);
    if (b->no_time > a->no_time) a->no_time = b->no_time;
    if (!a->watch_answers || (b->watch_answers && b->watch_answers < a->watch_answers))
        a->watch_answers = b->watch_answers; /* the one that knows least */
    part_add(a, b, watch_counts);
}

static int compare_profiles(const void *left, const void *right) {
    const sampled_profile *a = (const sampled_profile *)left, *b = (const sampled_profile *)right;
    int order = compare_u64(a->program, b->program);
    if (!order) order = compare_u64(a->number, b->number);
    if (!order) order = compare_u64(a->check_count, b->check_count);
    if (!order) order = compare_u64(a->burst_count, b->burst_count);
    if (!order) order = compare_u64(a->jitter_percent, b->jitter_percent);
    if (!order) order = compare_u64(a->classes, b->classes);
    return order ? order : compare_u64(a->flags, b->flags);
}

static void fold_profiles(void *into, const void *from) {
    sampled_profile *a = (sampled_profile *)into;
    const sampled_profile *b = (const sampled_profile *)from;
    a->begins = sampled_add(a->begins, b->begins);
    a->bursts = sampled_add(a->bursts, b->bursts);
    a->events = sampled_add(a->events, b->events);
}

static int compare_threads(const void *left, const void *right) {
    const sampled_thread *a = (const sampled_thread *)left, *b = (const sampled_thread *)right;
    int order = compare_u64(a->program, b->program);
    if (!order) order = compare_u64(a->number, b->number);
    return order ? order : strcmp(a->name, b->name);
}

static void fold_threads(void *into, const void *from) {
    sampled_thread *a = (sampled_thread *)into;
    const sampled_thread *b = (const sampled_thread *)from;
    a->flags &= b->flags;
    part_add(a, b, thread_counts);
}

static int compare_sites(const void *left, const void *right) {
    const sampled_site *a = (const sampled_site *)left, *b = (const sampled_site *)right;
    int order = strcmp(a->name, b->name);
    if (!order) order = strcmp(a->file, b->file);
    if (!order) order = compare_u64(a->line, b->line);
    return order ? order : compare_u64(a->kind, b->kind);
}

static void fold_sites(void *into, const void *from) {
    (void)into;
    (void)from;
}

static int compare_classes(const void *left, const void *right) {
    const sampled_class *a = (const sampled_class *)left, *b = (const sampled_class *)right;
    int order = compare_u64(a->thread, b->thread);
    return order ? order : compare_u64(a->class_bit, b->class_bit);
}

static void fold_classes(void *into, const void *from) {
    sampled_class *a = (sampled_class *)into;
    const sampled_class *b = (const sampled_class *)from;
    a->bursts = sampled_add(a->bursts, b->bursts);
    a->xx = sampled_add(a->xx, b->xx);
}

static int compare_rows(const void *left, const void *right) {
    const sampled_record *a = (const sampled_record *)left, *b = (const sampled_record *)right;
    int order = compare_u64(a->thread, b->thread);
    if (!order) order = compare_u64(a->site, b->site);
    if (!order) order = compare_u64(a->caller, b->caller);
    return order ? order : compare_u64(a->sums != NULL, b->sums != NULL);
}

static void fold_rows(void *into, const void *from) {
    sampled_record *a = (sampled_record *)into;
    const sampled_record *b = (const sampled_record *)from;
    part_add(a, b, row_counts);
    if (!a->sums) return;
    part_add(a->sums, b->sums, burst_sums);
}

static int compare_levels(const void *left, const void *right) {
    const sampled_path *a = (const sampled_path *)left, *b = (const sampled_path *)right;
    int order = compare_u64(a->thread, b->thread);
    if (!order) order = compare_u64(a->depth, b->depth);
    return order ? order : compare_u64(a->id, b->id);
}

static int compare_paths(const void *left, const void *right) {
    const sampled_path *a = (const sampled_path *)left, *b = (const sampled_path *)right;
    int order = compare_u64(a->parent, b->parent);
    return order ? order : compare_u64(a->site, b->site);
}

static void fold_paths(void *into, const void *from) {
    sampled_path *a = (sampled_path *)into;
    const sampled_path *b = (const sampled_path *)from;
    part_add(a, b, path_counts);
    a->waiting = sampled_add(a->waiting, b->waiting);
}

/* Sorts and folds items, whose first member is their id. Returns how many are
   left; map, if wanted, gets the new place of each old one. */
static size_t settle_list(void *items, size_t count, size_t bytes,
                          int (*compare)(const void *, const void *),
                          void (*fold)(void *, const void *), uint32_t **map) {
    char *at = (char *)items;
    size_t i, kept = 0;
    uint32_t number;
    if (map) *map = (uint32_t *)tool_alloc(count * sizeof **map);
    for (i = 0; i < count; i++) {
        number = (uint32_t)i;
        memcpy(at + i * bytes, &number, sizeof number);
    }
    if (count) qsort(items, count, bytes, compare);
    for (i = 0; i < count; i++) {
        if (kept && compare(at + (kept - 1) * bytes, at + i * bytes) == 0)
            fold(at + (kept - 1) * bytes, at + i * bytes);
        else if (kept++ != i) memcpy(at + (kept - 1) * bytes, at + i * bytes, bytes);
        memcpy(&number, at + i * bytes, sizeof number);
        if (map) (*map)[number] = (uint32_t)kept - 1;
    }
    return kept;
}

#define SETTLE(list, compare, fold, map) \
    ((list)->count =                     \
         settle_list((list)->at, (list)->count, sizeof *(list)->at, (compare), (fold), (map)))

/* Threads and sites have their places already. */
static void settle_paths(tally *s) {
    sampled_path *at = s->paths.at;
    size_t count = s->paths.count, i, k, first, end, kept = 0;
    uint32_t *place = (uint32_t *)tool_alloc(count * sizeof *place); /* of an id, once it has one */
    for (i = 0; i < count; i++) at[i].id = (uint32_t)i;
    if (count) qsort(at, count, sizeof *at, compare_levels);
    for (first = 0; first < count; first = end) {
        size_t level = kept;
        for (end = first; end < count; end++) {
            if (at[end].thread != at[first].thread || at[end].depth != at[first].depth) break;
            if (at[end].parent != TALLY_NO_PATH) at[end].parent = place[at[end].parent];
        }
        qsort(at + first, end - first, sizeof *at, compare_paths);
        for (k = first; k < end; k++) {
            uint32_t id = at[k].id;
            if (kept > level && compare_paths(&at[kept - 1], &at[k]) == 0)
                fold_paths(&at[kept - 1], &at[k]);
            else at[kept++] = at[k];
            place[id] = (uint32_t)kept - 1;
        }
    }
    s->paths.count = kept;
    free(place);
}

/* Runs may tick at different rates. A tick of 10 ms counts as ten ticks of 1 ms that
   came together: 10, and 100 in the sum of squares. The common tick is the greatest
   common divisor of all, so the order in which runs are added up makes no difference. */
static void unite_ticks(tally *s) {
    uint64_t unit = 0;
    size_t i;
    for (i = 0; i < s->programs.count; i++) unit = tool_divisor(unit, s->programs.at[i].tick_us);
    if (!unit) return;
    for (i = 0; i < s->paths.count; i++) {
        sampled_path *path = &s->paths.at[i];
        uint64_t worth = s->programs.at[s->threads.at[path->thread].program].tick_us / unit;
        if (worth < 2) continue;
        path->ticks = tool_product(path->ticks, worth);
        path->slow = tool_product(path->slow, worth);
        path->waiting = tool_product(path->waiting, worth);
        path->squares = tool_product(tool_product(path->squares, worth), worth);
    }
    for (i = 0; i < s->programs.count; i++) {
        sampled_program *p = &s->programs.at[i];
        uint64_t worth = p->tick_us / unit;
        if (worth < 2) continue;
        p->ticks_lost = tool_product(p->ticks_lost, worth);
        p->ticks_cut = tool_product(p->ticks_cut, worth);
        p->ticks_late = tool_product(p->ticks_late, worth);
        p->ticks_behind = tool_product(p->ticks_behind, worth);
        p->tick_us = unit;
    }
}

/* Orders sites by name and then by "ELF file<tab>address...". */
static int compare_modules(const void *left, const void *right) {
    const sampled_site *a = *(sampled_site *const *)left, *b = *(sampled_site *const *)right;
    int order = strcmp(a->name, b->name);
    return order ? order : strcmp(a->file, b->file);
}

static size_t module_size(const char *place) { return (size_t)(strchr(place, '\t') - place); }

static int is_one_module(const char *a, const char *b) {
    return module_size(a) == module_size(b) && memcmp(a, b, module_size(a)) == 0;
}

/* Sites of which `bursty record` could make no line have no file. But functions of
   one name in several ELF files are several functions: those have the ELF file. */
static void name_modules(tally *s) {
    sampled_site **at = (sampled_site **)tool_alloc((s->sites.count + 1) * sizeof *at);
    size_t count = 0, i, end;
    for (i = 0; i < s->sites.count; i++)
        if (strchr(s->sites.at[i].file, '\t')) at[count++] = &s->sites.at[i];
    if (count) qsort(at, count, sizeof *at, compare_modules);
    for (i = 0; i < count; i = end) {
        const char *first = at[i]->file;
        int several = 0;
        for (end = i; end < count && strcmp(at[end]->name, at[i]->name) == 0; end++)
            several |= !is_one_module(at[end]->file, first);
        for (; i < end; i++) {
            const char *place = at[i]->file;
            at[i]->file = several ? keep_name(s, text_clean(place, module_size(place))) : "";
        }
    }
    free(at);
}

static void settle(void *state) {
    tally *s = (tally *)state;
    uint32_t *program, *thread, *site;
    size_t i;
    unite_ticks(s);
    name_modules(s);
    SETTLE(&s->programs, compare_programs, fold_programs, &program);
    for (i = 0; i < s->profiles.count; i++)
        s->profiles.at[i].program = program[s->profiles.at[i].program];
    for (i = 0; i < s->threads.count; i++)
        s->threads.at[i].program = program[s->threads.at[i].program];
    SETTLE(&s->profiles, compare_profiles, fold_profiles, NULL);
    SETTLE(&s->threads, compare_threads, fold_threads, &thread);
    SETTLE(&s->sites, compare_sites, fold_sites, &site);
    for (i = 0; i < s->rows.count; i++) {
        sampled_record *row = &s->rows.at[i];
        row->thread = thread[row->thread];
        row->site = site[row->site];
        if (row->caller != TALLY_NO_SITE) row->caller = site[row->caller];
    }
    SETTLE(&s->rows, compare_rows, fold_rows, NULL);
    for (i = 0; i < s->classes.count; i++)
        s->classes.at[i].thread = thread[s->classes.at[i].thread];
    SETTLE(&s->classes, compare_classes, fold_classes, NULL);
    for (i = 0; i < s->paths.count; i++) {
        s->paths.at[i].thread = thread[s->paths.at[i].thread];
        s->paths.at[i].site = site[s->paths.at[i].site];
    }
    settle_paths(s);
    free(program);
    free(thread);
    free(site);
}

static void free_state(void *state) {
    tally *s = (tally *)state;
    while (s->strings) {
        struct sampled_string *next = s->strings->next;
        free(s->strings->bytes);
        free(s->strings);
        s->strings = next;
    }
    while (s->sums) {
        sampled_sums *next = s->sums->next;
        free(s->sums);
        s->sums = next;
    }
    free(s->programs.at);
    free(s->profiles.at);
    free(s->threads.at);
    free(s->sites.at);
    free(s->classes.at);
    free(s->rows.at);
    free(s->paths.at);
    memset(s, 0, sizeof *s);
}

/* ---- writing ---------------------------------------------------------------------------- */

typedef struct part_writer {
    dump_writer w;
    const tally *s;
    uint32_t recent[RECENT_SITES];
    size_t new_sites;
} part_writer;

static void put_site(part_writer *p, uint32_t index) {
    size_t back;
    if (index == TALLY_NO_SITE) {
        dump_put(&p->w, SITE_NONE);
        return;
    }
    for (back = 0; back < RECENT_SITES && back < p->new_sites; back++)
        if (p->recent[(p->new_sites - 1 - back) % RECENT_SITES] == index) {
            dump_put(&p->w, SITE_RECENT + back);
            return;
        }
    p->recent[p->new_sites++ % RECENT_SITES] = index;
    dump_put(&p->w, SITE_NEW);
    dump_put_string(&p->w, p->s->sites.at[index].name);
    dump_put_string(&p->w, p->s->sites.at[index].file);
    dump_put(&p->w, p->s->sites.at[index].line);
    dump_put(&p->w, p->s->sites.at[index].kind);
}

static void put_profile(dump_writer *w, const sampled_profile *profile) {
    dump_put(w, TAG_PROFILE);
    dump_put(w, profile->number);
    dump_put(w, profile->check_count);
    dump_put(w, profile->burst_count);
    dump_put(w, profile->jitter_percent);
    dump_put(w, profile->classes);
    dump_put(w, profile->flags);
    dump_put(w, profile->bursts);
    dump_put(w, profile->events);
    if (profile->begins == 0) return;
    dump_put(w, TAG_BEGINS);
    dump_put(w, profile->begins);
}

static void put_thread(dump_writer *w, const sampled_thread *thread) {
    dump_put(w, TAG_THREAD);
    dump_put(w, thread->number);
    dump_put(w, thread->flags);
    dump_put_string(w, thread->name);
    part_put(thread, thread_counts, w);
}

static void put_class(dump_writer *w, const sampled_class *of) {
    dump_put(w, TAG_CLASS);
    dump_put(w, of->class_bit);
    dump_put(w, of->bursts);
    dump_put(w, of->xx);
}

static void put_row(part_writer *p, const sampled_record *row) {
    dump_put(&p->w, row->sums ? TAG_SUMS : TAG_ROW);
    put_site(p, row->site);
    put_site(p, row->caller);
    part_put(row, row_counts, &p->w);
    if (!row->sums) return;
    part_put(row->sums, burst_sums, &p->w);
}

static void put_path(part_writer *p, size_t index) {
    const sampled_path *path = &p->s->paths.at[index];
    dump_put(&p->w, TAG_PATH);
    put_site(p, path->site);
    dump_put(&p->w, path->parent == TALLY_NO_PATH ? 0 : index - path->parent);
    part_put(path, path_counts, &p->w);
    if (!path->waiting) return;
    dump_put(&p->w, TAG_WAITING);
    dump_put(&p->w, path->waiting);
}

static void put_ticks(dump_writer *w, const sampled_program *program) {
    if (!program->has_ticks) return;
    dump_put(w, TAG_TICKS);
    dump_put(w, program->tick_us);
    part_put(program, tick_counts, w);
    if (program->untimed) {
        dump_put(w, TAG_UNTIMED);
        dump_put(w, program->untimed);
    }
    if (program->cpu_us) {
        dump_put(w, TAG_CPU);
        dump_put(w, program->cpu_us);
    }
    if (program->ticks_astray) {
        dump_put(w, TAG_ASTRAY);
        dump_put(w, program->ticks_astray);
    }
    if (program->ticks_behind) {
        dump_put(w, TAG_BEHIND);
        dump_put(w, program->ticks_behind);
    }
    if (program->kernel_cpu_us) {
        dump_put(w, TAG_KERNEL);
        dump_put(w, program->kernel_cpu_us);
        dump_put(w, program->kernel_us);
        dump_put(w, program->look_us);
    }
    if (program->stepping) {
        dump_put(w, TAG_STEPS);
        dump_put(w, program->step);
        dump_put(w, program->stepping);
        dump_put(w, program->in_step);
    }
    if (program->tick_ways) {
        dump_put(w, TAG_CHECKED);
        dump_put(w, program->tick_ways);
    }
    if (!program->watch_answers) return;
    dump_put(w, TAG_WATCH);
    dump_put(w, WATCH_VERSION);
    dump_put(w, program->watch_answers);
    part_put(program, watch_counts, w);
}

static void put_missing(dump_writer *w, const sampled_program *program) {
    if (!program->lost_threads && !program->no_time) return;
    dump_put(w, TAG_MISSING);
    dump_put(w, program->lost_threads);
    dump_put(w, program->no_time);
}

static void write(void *state, text *out) {
    const tally *s = (const tally *)state;
    size_t i, profile = 0, thread = 0, of = 0, row = 0, path = 0;
    for (i = 0; i < s->programs.count; i++) {
        const sampled_program *program = &s->programs.at[i];
        part_writer p;
        memset(&p, 0, sizeof p);
        p.s = s;
        dump_begin(&p.w, out, DUMP_SAMPLED);
        dump_put(&p.w, TAG_INFO);
        dump_put(&p.w, program->clock_hz);
        dump_put_string(&p.w, program->name);
        part_put(program, program_counts, &p.w);
        put_missing(&p.w, program);
        put_ticks(&p.w, program);
        for (; profile < s->profiles.count && s->profiles.at[profile].program == i; profile++)
            put_profile(&p.w, &s->profiles.at[profile]);
        for (; thread < s->threads.count && s->threads.at[thread].program == i; thread++) {
            put_thread(&p.w, &s->threads.at[thread]);
            for (; of < s->classes.count && s->classes.at[of].thread == thread; of++)
                put_class(&p.w, &s->classes.at[of]);
            for (; row < s->rows.count && s->rows.at[row].thread == thread; row++)
                put_row(&p, &s->rows.at[row]);
            for (; path < s->paths.count && s->paths.at[path].thread == thread; path++)
                put_path(&p, path);
        }
        dump_end(&p.w);
    }
}

const part_kind kind_sampled = {
    DUMP_SAMPLED, "sampled", sizeof(tally), read, settle, write, free_state, NULL,
};
