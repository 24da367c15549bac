/* frames.c - reading, adding up and writing parts of kind 8.

   Reading only appends. Settling sorts kinds by what makes two of them one
   (program, tick, name, budget, whether waiting is known), adds up equals, and
   keeps the longest 16 of their slowest frames. Sums saturate, and the longest
   of the longest are the longest of all: so any order and any grouping of files
   gives the same. Cost: n log n. */
#include "report/kinds/frames.h"
#include "base/parts.h"
#include "base/tool.h"
#include <stdlib.h>
#include <string.h>

enum { KIND = 8, FIRST_VERSION = 1, VERSION = 3, BLOCKS_VERSION = 3, RECENT_SITES = 64 };
enum { SITE_NONE = 0, SITE_NEW = 1, SITE_RECENT = 2 };
#define NO_SITE UINT32_MAX

#define OF_KIND(name) PART_FIELD(frames_of_kind, name)
#define OF_CLASS(name) PART_FIELD(frames_class, name)
static const part_field kind_sums[] = {
    OF_KIND(running), OF_KIND(unended), OF_KIND(left_out), OF_KIND(crowded),
    OF_KIND(unplaced), OF_KIND(missed), {0, 0}};
static const part_field kind_blocks[] = {OF_KIND(blocks), {0, 0}};
static const part_field moments[] = {PART_FIELD(frames_moments, of), {0, 0}};
static const part_field class_sums[] = {
    OF_CLASS(frames), OF_CLASS(us), OF_CLASS(us2), OF_CLASS(wait_us), OF_CLASS(wait_us2),
    {0, 0}};

/* A new item at the end of a list, all zero. */
#define APPEND(list)                                                                          \
    ((list)->count == (list)->room                                                            \
         ? (void)((list)->at = tool_grow((list)->at, ((list)->room = 2 * (list)->room + 16) * \
                                                         sizeof *(list)->at))                 \
         : (void)0,                                                                           \
     memset(&(list)->at[(list)->count], 0, sizeof *(list)->at), &(list)->at[(list)->count++])

/* One item more; the room is always a power of two, so a full list is one whose
   count is one. */
static void *grow(void *list, size_t count, size_t item_bytes) {
    if (count & (count - 1)) return list;
    return tool_grow(list, (count ? 2 * count : 1) * item_bytes);
}

uint64_t frames_bucket_begins(uint32_t bucket) {
    if (bucket < 32) return (uint64_t)bucket << 6;
    return (uint64_t)(16 + bucket % 16) << (bucket / 16 - 1 + 6);
}

uint64_t frames_bucket_ends(uint32_t bucket) {
    return bucket + 1 < FRAMES_BUCKETS ? frames_bucket_begins(bucket + 1) : UINT64_MAX;
}

uint64_t frames_count(const frames_of_kind *kind) {
    uint64_t count = 0;
    size_t i;
    for (i = 0; i < kind->bucket_count; i++) count = sampled_add(count, kind->buckets[i].count);
    return count;
}

/* ---- reading ---------------------------------------------------------------------------- */

typedef struct reader {
    dump_reader r;
    uint64_t version;
    uint32_t recent[RECENT_SITES];
    size_t new_sites;
} reader;

static int is_bad(reader *in, int bad, const char *reason) {
    if (bad && !in->r.reason) in->r.reason = reason;
    return in->r.reason != NULL;
}

static const char *get_name(frames *s, dump_reader *r) {
    size_t size;
    const unsigned char *bytes = dump_get_string(r, &size);
    char *name;
    if (r->reason || size == 0) return "";
    name = text_name(bytes, size);
    *APPEND(&s->strings) = name;
    return name;
}

static uint32_t get_site(frames *s, reader *in) {
    uint64_t code = dump_get(&in->r);
    if (in->r.reason || code == SITE_NONE) return NO_SITE;
    if (code == SITE_NEW) {
        frames_site site;
        site.name = get_name(s, &in->r);
        site.file = get_name(s, &in->r);
        site.line = dump_get32(&in->r);
        site.kind = dump_get32(&in->r);
        if (in->r.reason) return NO_SITE;
        in->recent[in->new_sites++ % RECENT_SITES] = (uint32_t)s->sites.count;
        *APPEND(&s->sites) = site;
        return (uint32_t)s->sites.count - 1;
    }
    code -= SITE_RECENT;
    if (code < RECENT_SITES && code < in->new_sites)
        return in->recent[(in->new_sites - 1 - (size_t)code) % RECENT_SITES];
    (void)is_bad(in, 1, "a site number that points at no site");
    return NO_SITE;
}

static void get_buckets(reader *in, frames_of_kind *kind) {
    uint64_t bucket = 0, count, gap;
    for (;; bucket++) {
        frames_bucket *b;
        count = dump_get(&in->r);
        if (in->r.reason || count == 0) return;
        gap = dump_get(&in->r);
        if (is_bad(in, gap >= FRAMES_BUCKETS || bucket + gap >= FRAMES_BUCKETS,
                   "more buckets than there are")) return;
        bucket += gap;
        kind->buckets = (frames_bucket *)grow(kind->buckets, kind->bucket_count, sizeof *b);
        b = &kind->buckets[kind->bucket_count++];
        b->bucket = (uint32_t)bucket;
        b->count = count;
    }
}

static void get_path(frames *s, reader *in) {
    frames_path path;
    uint32_t site, i;
    path.ticks = dump_get(&in->r);
    path.depth = dump_get32(&in->r);
    path.stack = s->stacks.count;
    if (is_bad(in, path.depth == 0, "a path without a function")) return;
    for (i = 0; i < path.depth && !in->r.reason; i++) {
        site = get_site(s, in);
        if (!is_bad(in, site == NO_SITE, "a path without a function")) *APPEND(&s->stacks) = site;
    }
    if (!in->r.reason) *APPEND(&s->paths) = path;
}

static void get_slowest(frames *s, reader *in, frames_of_kind *kind) {
    uint64_t count = dump_get(&in->r), paths;
    for (; count && !in->r.reason; count--) {
        frames_one one;
        one.number = dump_get(&in->r);
        one.began_us = dump_get(&in->r);
        one.ns = dump_get(&in->r);
        one.wait_ns = dump_get(&in->r);
        one.more = dump_get(&in->r);
        one.first_path = s->paths.count;
        for (paths = dump_get(&in->r); paths && !in->r.reason; paths--) get_path(s, in);
        one.path_count = s->paths.count - one.first_path;
        kind->slowest = (frames_one *)grow(kind->slowest, kind->slowest_count, sizeof one);
        kind->slowest[kind->slowest_count++] = one;
    }
}

/* The first version has none. */
static void get_strata(reader *in, frames_of_kind *kind) {
    uint64_t number;
    int c;
    while ((number = dump_get(&in->r)) != 0 && !in->r.reason) {
        frames_stratum *at;
        if (is_bad(in, number > FRAMES_BUCKETS, "more strata than there are")) return;
        kind->strata = (frames_stratum *)grow(kind->strata, kind->stratum_count, sizeof *at);
        at = &kind->strata[kind->stratum_count++];
        at->bucket = (uint32_t)number - 1;
        for (c = 0; c < FRAMES_CLASSES; c++) {
            at->cpu_us[c] = dump_get(&in->r);
            at->ticks[c] = dump_get(&in->r);
            at->events[c] = dump_get(&in->r);
        }
    }
}

/* Earlier versions have none. */
static void get_blocks(reader *in, frames_of_kind *kind) {
    if (in->version < BLOCKS_VERSION) return;
    part_get(kind, kind_blocks, &in->r);
    part_get(&kind->waiting, moments, &in->r);
}

static void get_shares(frames *s, reader *in, frames_of_kind *kind) {
    for (;;) {
        frames_share f;
        int c, w;
        f.site = get_site(s, in);
        if (in->r.reason || f.site == NO_SITE) return;
        f.stratum = in->version > FIRST_VERSION ? dump_get32(&in->r) : 0;
        if (is_bad(in, f.stratum >= FRAMES_BUCKETS, "more strata than there are")) return;
        for (w = 0; w < 2; w++) {
            for (c = 0; c < FRAMES_CLASSES; c++) {
                f.ticks[c][w].sum = dump_get(&in->r);
                f.ticks[c][w].squares = dump_get(&in->r);
            }
        }
        memset(f.moments, 0, sizeof f.moments);
        if (in->version >= BLOCKS_VERSION) {
            uint64_t has_moments = dump_get(&in->r);
            if (is_bad(in, has_moments > 1, "unknown flags of a function in frames")) return;
            for (w = 0; w < 2 && has_moments; w++)
                part_get(&f.moments[w], moments, &in->r);
        }
        kind->shares = (frames_share *)grow(kind->shares, kind->share_count, sizeof f);
        kind->shares[kind->share_count++] = f;
    }
}

static void get_kind(frames *s, reader *in, const frames_program *program) {
    frames_of_kind *kind = APPEND(&s->kinds);
    int c;
    kind->program = program->name;
    kind->tick_us = program->tick_us;
    kind->name = get_name(s, &in->r);
    kind->budget_ns = dump_get(&in->r);
    kind->least_limit_ns = dump_get(&in->r);
    kind->most_limit_ns = dump_get(&in->r);
    part_get(kind, kind_sums, &in->r);
    kind->knows_waiting = dump_get32(&in->r);
    (void)is_bad(in, kind->knows_waiting > 1, "unknown flags of frames");
    for (c = 0; c < FRAMES_CLASSES; c++) part_get(&kind->classes[c], class_sums, &in->r);
    get_blocks(in, kind);
    if (in->version > FIRST_VERSION) get_strata(in, kind);
    get_buckets(in, kind);
    get_slowest(s, in, kind);
    get_shares(s, in, kind);
}

static int read(void *state, const dump *d, const dump_part *part, dump_fault *fault) {
    frames *s = (frames *)state;
    reader in;
    frames_program program;
    uint64_t kinds;
    memset(&in, 0, sizeof in);
    in.r = dump_fields(d, part);
    if (!in.r.data) in.r.data = (const unsigned char *)"";
    in.version = dump_get(&in.r);
    (void)is_bad(&in, in.version < FIRST_VERSION || in.version > VERSION, "unknown version of frames");
    program.name = get_name(s, &in.r);
    program.tick_us = dump_get(&in.r);
    program.lost = dump_get(&in.r);
    program.idle_ends = dump_get(&in.r);
    program.nested = dump_get(&in.r);
    for (kinds = dump_get(&in.r); kinds && !in.r.reason; kinds--) get_kind(s, &in, &program);
    (void)is_bad(&in, in.r.at != part->size, "bytes behind the last kind of frames");
    if (in.r.reason) return dump_refuse(fault, dump_place(d, part, in.r.at), "%s", in.r.reason);
    *APPEND(&s->programs) = program;
    return 0;
}

/* ---- settling --------------------------------------------------------------------------- */

static int compare_u64(uint64_t a, uint64_t b) { return a < b ? -1 : a > b; }

/* All kinds of a part share the name of their program. */
static int compare_names(const char *a, const char *b) { return a == b ? 0 : strcmp(a, b); }

static int compare_programs(const void *left, const void *right) {
    const frames_program *a = (const frames_program *)left, *b = (const frames_program *)right;
    int order = strcmp(a->name, b->name);
    return order ? order : compare_u64(a->tick_us, b->tick_us);
}

static int compare_kinds(const void *left, const void *right) {
    const frames_of_kind *a = (const frames_of_kind *)left, *b = (const frames_of_kind *)right;
    int order = compare_names(a->program, b->program);
    if (!order) order = compare_u64(a->tick_us, b->tick_us);
    if (!order) order = strcmp(a->name, b->name);
    if (!order) order = compare_u64(a->budget_ns, b->budget_ns);
    return order ? order : compare_u64(a->knows_waiting, b->knows_waiting);
}

static int compare_sites(const frames_site *a, const frames_site *b) {
    int order = strcmp(a->name, b->name);
    if (!order) order = strcmp(a->file, b->file);
    if (!order) order = compare_u64(a->line, b->line);
    return order ? order : compare_u64(a->kind, b->kind);
}

static int compare_buckets(const void *left, const void *right) {
    const frames_bucket *a = (const frames_bucket *)left, *b = (const frames_bucket *)right;
    return compare_u64(a->bucket, b->bucket);
}

/* qsort hands over no owner: sites are numbered by their order first. */
typedef struct site_order {
    const frames_site *site;
    uint32_t number;
} site_order;

static int compare_orders(const void *left, const void *right) {
    const site_order *a = (const site_order *)left, *b = (const site_order *)right;
    int order = compare_sites(a->site, b->site);
    return order ? order : compare_u64(a->number, b->number);
}

/* Sorts the sites, each one once, and renumbers what points at them. */
static void settle_sites(frames *s) {
    site_order *order = (site_order *)tool_alloc((s->sites.count + 1) * sizeof *order);
    uint32_t *renumbered = (uint32_t *)tool_alloc((s->sites.count + 1) * sizeof *renumbered);
    frames_site *sorted = (frames_site *)tool_alloc((s->sites.count + 1) * sizeof *sorted);
    size_t i, k, kept = 0;
    for (i = 0; i < s->sites.count; i++) {
        order[i].site = &s->sites.at[i];
        order[i].number = (uint32_t)i;
    }
    qsort(order, s->sites.count, sizeof *order, compare_orders);
    for (i = 0; i < s->sites.count; i++) {
        if (!kept || compare_sites(&sorted[kept - 1], order[i].site) != 0)
            sorted[kept++] = *order[i].site;
        renumbered[order[i].number] = (uint32_t)kept - 1;
    }
    for (i = 0; i < s->stacks.count; i++) s->stacks.at[i] = renumbered[s->stacks.at[i]];
    for (i = 0; i < s->kinds.count; i++) {
        for (k = 0; k < s->kinds.at[i].share_count; k++)
            s->kinds.at[i].shares[k].site = renumbered[s->kinds.at[i].shares[k].site];
    }
    free(order);
    free(renumbered);
    free(s->sites.at);
    s->sites.at = sorted;
    s->sites.count = s->sites.room = kept;
}

static int compare_shares(const void *left, const void *right) {
    const frames_share *a = (const frames_share *)left, *b = (const frames_share *)right;
    int order = compare_u64(a->site, b->site);
    return order ? order : compare_u64(a->stratum, b->stratum);
}

static void add_ticks(frames_ticks sums[FRAMES_CLASSES][2], frames_ticks more[FRAMES_CLASSES][2]) {
    int c, w;
    for (c = 0; c < FRAMES_CLASSES; c++) {
        for (w = 0; w < 2; w++) {
            sums[c][w].sum = sampled_add(sums[c][w].sum, more[c][w].sum);
            sums[c][w].squares = sampled_add(sums[c][w].squares, more[c][w].squares);
        }
    }
}

static void fold_shares(frames_of_kind *kind) {
    size_t i, kept = 0;
    if (!kind->share_count) return;
    qsort(kind->shares, kind->share_count, sizeof *kind->shares, compare_shares);
    for (i = 0; i < kind->share_count; i++) {
        frames_share *from = &kind->shares[i], *into = kept ? &kind->shares[kept - 1] : NULL;
        if (!into || compare_shares(into, from) != 0) {
            kind->shares[kept++] = *from;
            continue;
        }
        add_ticks(into->ticks, from->ticks);
        part_add(&into->moments[FRAMES_SELF], &from->moments[FRAMES_SELF], moments);
        part_add(&into->moments[FRAMES_TOTAL], &from->moments[FRAMES_TOTAL], moments);
    }
    kind->share_count = kept;
}

static void make_functions(frames_of_kind *kind) {
    size_t i;
    free(kind->functions);
    kind->functions = NULL;
    kind->function_count = 0;
    for (i = 0; i < kind->share_count; i++) {
        frames_share *from = &kind->shares[i];
        frames_function *f;
        if (!kind->function_count || kind->functions[kind->function_count - 1].site != from->site) {
            kind->functions = (frames_function *)grow(kind->functions, kind->function_count, sizeof *f);
            f = &kind->functions[kind->function_count++];
            memset(f, 0, sizeof *f);
            f->site = from->site;
            f->first_share = i;
        }
        f = &kind->functions[kind->function_count - 1];
        add_ticks(f->ticks, from->ticks);
        part_add(&f->moments[FRAMES_SELF], &from->moments[FRAMES_SELF], moments);
        part_add(&f->moments[FRAMES_TOTAL], &from->moments[FRAMES_TOTAL], moments);
        f->share_count++;
    }
}

static int compare_strata(const void *left, const void *right) {
    const frames_stratum *a = (const frames_stratum *)left, *b = (const frames_stratum *)right;
    return compare_u64(a->bucket, b->bucket);
}

static void fold_strata(frames_of_kind *kind) {
    size_t i, kept = 0;
    int c;
    if (!kind->stratum_count) return;
    qsort(kind->strata, kind->stratum_count, sizeof *kind->strata, compare_strata);
    for (i = 0; i < kind->stratum_count; i++) {
        frames_stratum *from = &kind->strata[i], *into = kept ? &kind->strata[kept - 1] : NULL;
        if (!into || into->bucket != from->bucket) {
            kind->strata[kept++] = *from;
            continue;
        }
        for (c = 0; c < FRAMES_CLASSES; c++) {
            into->cpu_us[c] = sampled_add(into->cpu_us[c], from->cpu_us[c]);
            into->ticks[c] = sampled_add(into->ticks[c], from->ticks[c]);
            into->events[c] = sampled_add(into->events[c], from->events[c]);
        }
    }
    kind->stratum_count = kept;
}

static void fold_buckets(frames_of_kind *kind) {
    size_t i, kept = 0;
    if (!kind->bucket_count) return;
    qsort(kind->buckets, kind->bucket_count, sizeof *kind->buckets, compare_buckets);
    for (i = 0; i < kind->bucket_count; i++) {
        frames_bucket *from = &kind->buckets[i];
        if (!kept || kind->buckets[kept - 1].bucket != from->bucket) kind->buckets[kept++] = *from;
        else
            kind->buckets[kept - 1].count = sampled_add(kind->buckets[kept - 1].count, from->count);
    }
    kind->bucket_count = kept;
}

static int compare_paths(const frames *s, const frames_path *a, const frames_path *b) {
    uint32_t i;
    int order = compare_u64(b->ticks, a->ticks);
    if (!order) order = compare_u64(a->depth, b->depth);
    for (i = 0; !order && i < a->depth; i++)
        order = compare_u64(s->stacks.at[a->stack + i], s->stacks.at[b->stack + i]);
    return order;
}

/* The longest first. */
static int compare_ones(const frames *s, const frames_one *a, const frames_one *b) {
    size_t i;
    int order = compare_u64(b->ns, a->ns);
    if (!order) order = compare_u64(a->number, b->number);
    if (!order) order = compare_u64(a->began_us, b->began_us);
    if (!order) order = compare_u64(a->wait_ns, b->wait_ns);
    if (!order) order = compare_u64(a->more, b->more);
    if (!order) order = compare_u64(a->path_count, b->path_count);
    for (i = 0; !order && i < a->path_count; i++)
        order = compare_paths(s, &s->paths.at[a->first_path + i], &s->paths.at[b->first_path + i]);
    return order;
}

/* Keeps the longest in order: each goes to its place among the 16 before it. */
static void fold_slowest(const frames *s, frames_of_kind *kind) {
    size_t i, at, kept = 0;
    for (i = 0; i < kind->slowest_count; i++) {
        frames_one one = kind->slowest[i];
        for (at = kept; at && compare_ones(s, &one, &kind->slowest[at - 1]) < 0; at--) {
            if (at < FRAMES_SLOWEST) kind->slowest[at] = kind->slowest[at - 1];
        }
        if (at < FRAMES_SLOWEST) kind->slowest[at] = one;
        if (kept < FRAMES_SLOWEST) kept++;
    }
    kind->slowest_count = kept;
}

static void add_kind(frames_of_kind *a, const frames_of_kind *b) {
    int c;
    if (!a->least_limit_ns || (b->least_limit_ns && b->least_limit_ns < a->least_limit_ns))
        a->least_limit_ns = b->least_limit_ns;
    if (b->most_limit_ns > a->most_limit_ns) a->most_limit_ns = b->most_limit_ns;
    part_add(a, b, kind_sums);
    part_add(a, b, kind_blocks);
    part_add(&a->waiting, &b->waiting, moments);
    for (c = 0; c < FRAMES_CLASSES; c++)
        part_add(&a->classes[c], &b->classes[c], class_sums);
}

/* Puts the list of one kind behind that of another, for which there is room,
   and frees it. */
static void append(void *into, size_t *count, void *from, size_t more, size_t item_bytes) {
    if (more) memcpy((char *)into + *count * item_bytes, from, more * item_bytes);
    *count += more;
    free(from);
}

/* Adds up kinds.at[first..end), which are one. Their lists are joined at once,
   in one piece. */
static frames_of_kind sum_of(frames *s, size_t first, size_t end) {
    frames_of_kind sum = s->kinds.at[first];
    size_t i, shares = 1, strata = 1, buckets = 1, slowest = 1;
    for (i = first; i < end && end > first + 1; i++) {
        shares += s->kinds.at[i].share_count;
        strata += s->kinds.at[i].stratum_count;
        buckets += s->kinds.at[i].bucket_count;
        slowest += s->kinds.at[i].slowest_count;
    }
    if (end > first + 1) {
        sum.shares = (frames_share *)tool_grow(sum.shares, shares * sizeof *sum.shares);
        sum.strata = (frames_stratum *)tool_grow(sum.strata, strata * sizeof *sum.strata);
        sum.buckets = (frames_bucket *)tool_grow(sum.buckets, buckets * sizeof *sum.buckets);
        sum.slowest = (frames_one *)tool_grow(sum.slowest, slowest * sizeof *sum.slowest);
    }
    for (i = first + 1; i < end; i++) {
        frames_of_kind *more = &s->kinds.at[i];
        add_kind(&sum, more);
        append(sum.shares, &sum.share_count, more->shares, more->share_count, sizeof *sum.shares);
        append(sum.strata, &sum.stratum_count, more->strata, more->stratum_count,
               sizeof *sum.strata);
        free(more->functions);
        append(sum.buckets, &sum.bucket_count, more->buckets, more->bucket_count,
               sizeof *sum.buckets);
        append(sum.slowest, &sum.slowest_count, more->slowest, more->slowest_count,
               sizeof *sum.slowest);
    }
    fold_shares(&sum);
    fold_strata(&sum);
    make_functions(&sum);
    fold_buckets(&sum);
    fold_slowest(s, &sum);
    return sum;
}

static void settle(void *state) {
    frames *s = (frames *)state;
    size_t i, end, kept = 0;
    settle_sites(s);
    if (s->programs.count)
        qsort(s->programs.at, s->programs.count, sizeof *s->programs.at, compare_programs);
    for (i = 0; i < s->programs.count; i++) {
        frames_program *from = &s->programs.at[i], *into = kept ? &s->programs.at[kept - 1] : NULL;
        if (!into || compare_programs(into, from) != 0) s->programs.at[kept++] = *from;
        else {
            into->lost = sampled_add(into->lost, from->lost);
            into->idle_ends = sampled_add(into->idle_ends, from->idle_ends);
            into->nested = sampled_add(into->nested, from->nested);
        }
    }
    s->programs.count = kept;
    kept = 0;
    if (s->kinds.count) qsort(s->kinds.at, s->kinds.count, sizeof *s->kinds.at, compare_kinds);
    for (i = 0; i < s->kinds.count; i = end) {
        for (end = i + 1; end < s->kinds.count; end++) {
            if (compare_kinds(&s->kinds.at[i], &s->kinds.at[end]) != 0) break;
        }
        s->kinds.at[kept++] = sum_of(s, i, end);
    }
    s->kinds.count = kept;
}

/* ---- writing ------------------------------------------------------------------------------ */

/* The sites of the part so far that may be pointed at. */
typedef struct writer {
    dump_writer w;
    uint32_t recent[RECENT_SITES];
    size_t new_sites;
} writer;

static void put_site(const frames *s, writer *out, uint32_t number) {
    const frames_site *site = &s->sites.at[number];
    size_t back, known = out->new_sites < RECENT_SITES ? out->new_sites : RECENT_SITES;
    for (back = 0; back < known; back++) {
        if (out->recent[(out->new_sites - 1 - back) % RECENT_SITES] != number) continue;
        dump_put(&out->w, SITE_RECENT + back);
        return;
    }
    out->recent[out->new_sites++ % RECENT_SITES] = number;
    dump_put(&out->w, SITE_NEW);
    dump_put_string(&out->w, site->name);
    dump_put_string(&out->w, site->file);
    dump_put(&out->w, site->line);
    dump_put(&out->w, site->kind);
}

static void put_slowest(const frames *s, writer *out, const frames_of_kind *kind) {
    size_t i, k;
    uint32_t at;
    dump_put(&out->w, kind->slowest_count);
    for (i = 0; i < kind->slowest_count; i++) {
        const frames_one *one = &kind->slowest[i];
        dump_put(&out->w, one->number);
        dump_put(&out->w, one->began_us);
        dump_put(&out->w, one->ns);
        dump_put(&out->w, one->wait_ns);
        dump_put(&out->w, one->more);
        dump_put(&out->w, one->path_count);
        for (k = 0; k < one->path_count; k++) {
            const frames_path *path = &s->paths.at[one->first_path + k];
            dump_put(&out->w, path->ticks);
            dump_put(&out->w, path->depth);
            for (at = 0; at < path->depth; at++) put_site(s, out, s->stacks.at[path->stack + at]);
        }
    }
}

static int has_moments(const frames_share *f) {
    size_t i;
    for (i = 0; i < FRAMES_MOMENTS; i++) {
        if (f->moments[FRAMES_SELF].of[i] || f->moments[FRAMES_TOTAL].of[i]) return 1;
    }
    return 0;
}

static void put_kind(const frames *s, writer *out, const frames_of_kind *kind) {
    uint32_t next = 0;
    size_t i;
    int c, w;
    dump_put_string(&out->w, kind->name);
    dump_put(&out->w, kind->budget_ns);
    dump_put(&out->w, kind->least_limit_ns);
    dump_put(&out->w, kind->most_limit_ns);
    part_put(kind, kind_sums, &out->w);
    dump_put(&out->w, kind->knows_waiting);
    for (c = 0; c < FRAMES_CLASSES; c++) part_put(&kind->classes[c], class_sums, &out->w);
    part_put(kind, kind_blocks, &out->w);
    part_put(&kind->waiting, moments, &out->w);
    for (i = 0; i < kind->stratum_count; i++) {
        dump_put(&out->w, kind->strata[i].bucket + UINT64_C(1));
        for (c = 0; c < FRAMES_CLASSES; c++) {
            dump_put(&out->w, kind->strata[i].cpu_us[c]);
            dump_put(&out->w, kind->strata[i].ticks[c]);
            dump_put(&out->w, kind->strata[i].events[c]);
        }
    }
    dump_put(&out->w, 0);
    for (i = 0; i < kind->bucket_count; i++) {
        dump_put(&out->w, kind->buckets[i].count);
        dump_put(&out->w, kind->buckets[i].bucket - next);
        next = kind->buckets[i].bucket + 1;
    }
    dump_put(&out->w, 0);
    put_slowest(s, out, kind);
    for (i = 0; i < kind->share_count; i++) {
        const frames_share *f = &kind->shares[i];
        put_site(s, out, f->site);
        dump_put(&out->w, f->stratum);
        for (w = 0; w < 2; w++) {
            for (c = 0; c < FRAMES_CLASSES; c++) {
                dump_put(&out->w, f->ticks[c][w].sum);
                dump_put(&out->w, f->ticks[c][w].squares);
            }
        }
        dump_put(&out->w, (uint64_t)has_moments(f));
        for (w = 0; w < 2 && has_moments(f); w++)
            part_put(&f->moments[w], moments, &out->w);
    }
    dump_put(&out->w, SITE_NONE);
}

static int is_of(const frames_of_kind *kind, const frames_program *program) {
    return kind->tick_us == program->tick_us && compare_names(kind->program, program->name) == 0;
}

/* One part for each program and tick. Kinds stand in the same order as
   programs. */
static void write(void *state, text *out) {
    const frames *s = (const frames *)state;
    size_t i, first = 0, end;
    for (i = 0; i < s->programs.count; i++) {
        const frames_program *program = &s->programs.at[i];
        writer w;
        memset(&w, 0, sizeof w);
        for (end = first; end < s->kinds.count && is_of(&s->kinds.at[end], program); end++) { }
        dump_begin(&w.w, out, KIND);
        dump_put(&w.w, VERSION);
        dump_put_string(&w.w, program->name);
        dump_put(&w.w, program->tick_us);
        dump_put(&w.w, program->lost);
        dump_put(&w.w, program->idle_ends);
        dump_put(&w.w, program->nested);
        dump_put(&w.w, end - first);
        for (; first < end; first++) put_kind(s, &w, &s->kinds.at[first]);
        dump_end(&w.w);
    }
}

static void free_state(void *state) {
    frames *s = (frames *)state;
    size_t i;
    for (i = 0; i < s->strings.count; i++) free(s->strings.at[i]);
    for (i = 0; i < s->kinds.count; i++) {
        free(s->kinds.at[i].buckets);
        free(s->kinds.at[i].slowest);
        free(s->kinds.at[i].strata);
        free(s->kinds.at[i].shares);
        free(s->kinds.at[i].functions);
    }
    free(s->strings.at);
    free(s->programs.at);
    free(s->kinds.at);
    free(s->sites.at);
    free(s->paths.at);
    free(s->stacks.at);
    memset(s, 0, sizeof *s);
}

const part_kind kind_frames = {KIND,  "frames", sizeof(frames), read, settle,
                               write, free_state, NULL};
