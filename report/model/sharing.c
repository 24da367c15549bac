/* sharing.c - lines that threads use together become tables and advice.

   Let y be the accesses of a burst to a line, r all accesses of the burst. The
   share of a line is a ratio of sums, Y / R, and its variance follows from what
   each burst leaves over (model/misses.c does the same). How often threads wait
   for a line no sample of one thread can tell. What can be said is how often
   at most: a thread that uses the line 100 times while others write it 3 times
   waits 3 times, or less. */
#include "base/tool.h"
#include "report/kinds/sharing.h"
#include "report/model/interval.h"
#include "report/model/report.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_SHOWN = 12, SIDES_SHOWN = 24, SIDES_OF_ONE = 6, SIDES_TRIED = 32, TOLD = 3, NAMES_TOLD = 3 };

typedef struct sharing_columns { const shared_parts *from; } sharing_columns;
typedef struct share { double value, low, high; } share; /* low < 0: no interval */

static int is_whole(const shared_part *p) { return (p->flags & SHARED_WHOLE) != 0; }
static double as_real(uint64_t sum) { return sum == UINT64_MAX ? HUGE_VAL : (double)sum; }
static double or_none(double bound) { return bound < 0 ? REPORT_NONE : bound; }
static const char *name_or(const char *name) { return *name ? name : "?"; }

/* The part of all accesses that are to lines which are not in the dump. They may
   be to any object. */
static double left_out(const shared_part *p) {
    double written = 0;
    size_t i;
    if (!p->left && !p->forgotten) return 0;
    for (i = 0; i < p->line_count; i++) written += (double)p->lines[i].accesses;
    return p->accesses ? 1 - written / (double)p->accesses : 0;
}

/* The share of all accesses that go to the line. */
static share share_of(const shared_part *p, const shared_line *line) {
    double y = (double)line->accesses, r = (double)p->accesses, over;
    double part = r > 0 ? y / r : 0;
    share s = {part, part, part};
    interval i;
    if (r <= 0) return s;
    if (is_whole(p)) {
        s.high += left_out(p);
        return s;
    }
    over = as_real(line->yy) - 2 * part * as_real(line->yr) + part * part * as_real(p->rr);
    i = interval_of_bursts(part, (double)p->bursts, interval_worth_of_bursts(y, as_real(line->yy)),
                           over > 0 ? over / (r * r) : 0);
    s.low = i.low;
    s.high = i.high < 0 ? i.high : i.high + left_out(p);
    if (s.high > 1) s.high = 1;
    return s;
}

static const char *meets_words(uint32_t meets) {
    return meets == SHARED_FALSE ? "false" : meets == SHARED_TRUE ? "true" : "both";
}

/* By how often threads may wait for nothing, then by how often they may wait. */
static int by_contended(const void *left, const void *right) {
    const shared_line *a = *(const shared_line *const *)left;
    const shared_line *b = *(const shared_line *const *)right;
    if (a->falsely != b->falsely) return a->falsely < b->falsely ? 1 : -1;
    if (a->contended != b->contended) return a->contended < b->contended ? 1 : -1;
    return a < b ? -1 : a > b; /* by objects */
}

static uint64_t uses(const shared_side *side) {
    return side->loads > side->stores ? side->loads : side->stores;
}

static int by_uses(const void *left, const void *right) {
    const shared_side *a = *(const shared_side *const *)left;
    const shared_side *b = *(const shared_side *const *)right;
    if (uses(a) != uses(b)) return uses(a) < uses(b) ? 1 : -1;
    return a < b ? -1 : a > b; /* by object and offset */
}

/* Names with tabs between them become names with a word between them. To be
   freed by the caller. */
static char *join_names(const report *r, const char *names) {
    text out = {NULL, 0, 0};
    size_t count = 0;
    for (;;) {
        size_t size = strcspn(names, "\t");
        if (count++ < NAMES_TOLD) {
            char *one = text_clean(size ? names : "?", size ? size : 1), *shown;
            shown = report_name(r, one);
            if (count > 1) text_add(&out, " and ");
            text_add(&out, shown);
            free(shown);
            free(one);
        }
        if (!names[size]) break;
        names += size + 1;
    }
    if (count > NAMES_TOLD)
        text_format(&out, " and %llu more", (unsigned long long)(count - NAMES_TOLD));
    text_bytes(&out, "", 1);
    return out.data;
}

/* ---- tables ---- */

static void add_remark(report_table *table, const shared_part *p) {
    text remark = {NULL, 0, 0};
    text_counted(&remark, p->accesses, "access");
    if (is_whole(p)) text_add(&remark, ": every access that the recorder saw, piece by piece");
    else {
        text_add(&remark, " in ");
        text_counted(&remark, p->bursts, "burst");
    }
    text_format(&remark,
                ". together: of the bursts that used the line, those before which, in %llu ms or "
                "less, another thread had used it, and one of the two wrote. at-most: so many of "
                "the accesses can have waited for another thread; falsely: as far as that thread "
                "used other bytes. false: threads use different bytes; true: the same ones. libc's own accesses are not seen.",
                (unsigned long long)p->near_ms);
    if (p->slow) {
        text_add(&remark, " ");
        text_counted(&remark, p->slow, "burst");
        text_add(&remark, " took longer than that and met nobody.");
    }
    text_bytes(&remark, "", 1);
    report_remark(table, remark.data);
    text_free(&remark);
}

static void add_lines(report *r, const shared_part *p, const shared_line *const *list) {
    static const report_column columns[] = {
        {"share", "share", REPORT_SHARE, 0, NULL},
        {"share_low", "from", REPORT_SHARE, 0, "-"},
        {"share_high", "to", REPORT_SHARE, 0, "-"},
        {"accesses", "accesses", REPORT_COUNT, REPORT_OPTIONAL, NULL},
        {"waits_at_most", "at-most", REPORT_COUNT, 0, NULL},
        {"falsely_at_most", "falsely", REPORT_COUNT, 0, NULL},
        {"bursts", "bursts", REPORT_COUNT, 0, NULL},
        {"together", "together", REPORT_COUNT, 0, NULL},
        {"threads", "threads", REPORT_COUNT, 0, NULL},
        {"lines", "lines", REPORT_COUNT, REPORT_OPTIONAL, NULL},
        {"sharing", "sharing", REPORT_NAME, 0, NULL},
        {"objects", "objects", REPORT_NAME, 0, NULL},
    };
    report_table *table = report_add_table(r, "shared_lines", "lines of 64 bytes that threads use "
                                           "together", columns, sizeof columns / sizeof *columns);
    size_t i;
    table->rows_shown = ROWS_SHOWN;
    add_remark(table, p);
    for (i = 0; i < p->line_count; i++) {
        const shared_line *line = list[i];
        share s = share_of(p, line);
        report_cell *row;
        if (s.value < r->options.least_share) {
            table->rows_left_out++;
            continue;
        }
        row = report_add_row(table);
        row[0].real = s.value;
        row[1].real = or_none(s.low);
        row[2].real = or_none(s.high);
        row[3].count = line->accesses;
        row[4].count = line->contended;
        row[5].count = line->falsely;
        row[6].count = line->bursts;
        row[7].count = line->together;
        row[8].count = line->threads;
        row[9].count = line->lines;
        row[10].name = meets_words(line->meets);
        row[11].name = report_keep(r, join_names(r, line->objects));
    }
}

static const shared_side **sides_of(const shared_line *line) {
    const shared_side **list
        = (const shared_side **)tool_alloc((line->side_count + 1) * sizeof *list);
    size_t i;
    for (i = 0; i < line->side_count; i++) list[i] = &line->sides[i];
    if (line->side_count) qsort(list, line->side_count, sizeof *list, by_uses);
    return list;
}

static void add_sides(report *r, const shared_part *p, const shared_line *const *list) {
    static const report_column columns[] = {
        {"loads", "loads", REPORT_COUNT, 0, NULL},
        {"stores", "stores", REPORT_COUNT, 0, NULL},
        {"thread", "thread", REPORT_COUNT, 0, NULL},
        {"offset", "offset", REPORT_COUNT, 0, NULL},
        {"bytes", "bytes", REPORT_COUNT, 0, NULL},
        {"sharing", "sharing", REPORT_NAME, 0, NULL},
        {"object", "object", REPORT_NAME, 0, NULL},
        {"function", "function", REPORT_NAME, 0, NULL},
        {"place", "place", REPORT_NAME, 0, NULL},
    };
    report_table *table = NULL;
    size_t i, k;
    for (i = 0; i < p->line_count; i++) {
        const shared_side **sides;
        if (share_of(p, list[i]).value < r->options.least_share) continue;
        if (!table) {
            table = report_add_table(r, "shared_sides", "who meets there", columns,
                                     sizeof columns / sizeof *columns);
            table->rows_shown = SIDES_SHOWN;
        }
        sides = sides_of(list[i]);
        for (k = 0; k < list[i]->side_count; k++) {
            const shared_side *side = sides[k];
            report_cell *row;
            if (k == SIDES_OF_ONE && !r->options.wants_all_rows) {
                table->rows_more += list[i]->side_count - k;
                break;
            }
            row = report_add_row(table);
            row[0].count = side->loads;
            row[1].count = side->stores;
            row[2].count = side->thread;
            row[3].count = side->offset;
            row[4].count = side->bytes;
            row[5].name = meets_words(side->meets);
            row[6].name = report_keep(r, report_name(r, name_or(side->object)));
            row[7].name = report_keep(r, report_name(r, name_or(side->function)));
            row[8].name = strchr(side->place, '\t') ? "" : side->place;
        }
        free((void *)sides);
    }
}

/* ---- in a sentence ---- */

/* Who uses other bytes of the line that `one` writes? Sides do not say on which
   of several lines they are. Within an object the offset does, the surer the
   nearer: so the nearest of them is taken. */
static const shared_side *other_side(const shared_side *const *sides, size_t count,
                                     const shared_side *one) {
    const shared_side *best = NULL;
    uint64_t nearest = 64;
    size_t i;
    for (i = 0; i < count; i++) {
        const shared_side *side = sides[i];
        uint64_t apart = side->offset < one->offset ? one->offset - side->offset
                                                    : side->offset - one->offset;
        if (!(side->meets & SHARED_FALSE) || side->thread == one->thread) continue;
        if (strcmp(side->object, one->object) != 0) {
            if (!best) best = side;
        } else if (apart && apart < nearest) {
            best = side;
            nearest = apart;
        }
    }
    return best;
}

/* ": thread 2 writes counters at offset 0 in worker, thread 1 ..." */
static void add_two_sides(const report *r, const shared_line *line, text *out) {
    const shared_side **sides = sides_of(line), *told[2] = {NULL, NULL};
    size_t i, n;
    for (i = 0; i < line->side_count && i < SIDES_TRIED && !told[1]; i++) {
        told[0] = sides[i];
        if (told[0]->meets & SHARED_FALSE && told[0]->stores)
            told[1] = other_side(sides, line->side_count, told[0]);
    }
    free((void *)sides);
    if (!told[1]) return;
    for (n = 0; n < 2; n++) {
        char *function = report_name(r, name_or(told[n]->function));
        char *object = report_name(r, name_or(told[n]->object));
        text_format(out, "%s thread %u %s %s at offset %llu in %s", n ? "," : ":",
                    (unsigned)told[n]->thread, told[n]->stores ? "writes" : "reads", object,
                    (unsigned long long)told[n]->offset, function);
        free(function);
        free(object);
    }
}

static void add_facts(report *r, const shared_part *p, const shared_line *const *list) {
    text line = {NULL, 0, 0};
    size_t i, told = 0, small = 0;
    double least = r->options.least_share * (double)p->accesses, waited = 0;
    for (i = 0; i < p->line_count && told < TOLD; i++) {
        const shared_line *l = list[i];
        share s = share_of(p, l);
        char *objects;
        if (!(l->meets & SHARED_FALSE) || l->together < 2) continue;
        if ((double)l->falsely < least) {
            small += l->falsely > 0;
            waited += (double)l->falsely;
            continue;
        }
        objects = join_names(r, l->objects);
        line.size = 0;
        text_format(&line, "%s on %s: ", l->lines == 1 ? "a line" : "lines", objects);
        report_add_share(&line, s.value, s.low, s.high, "accesses");
        add_two_sides(r, l, &line);
        text_format(&line, ". Another thread was there less than %llu ms before %llu of %llu bursts",
                    (unsigned long long)p->near_ms, (unsigned long long)l->together,
                    (unsigned long long)l->bursts);
        if (!(p->flags & SHARED_KNOWS_ENDS) && (strstr(objects, "(stack)") || strstr(objects, "(other memory)")))
            text_add(&line, ". If threads end and others begin, they may have had this memory one "
                            "after the other, and nobody waited");
        else if (strstr(objects, "(other memory)"))
            text_add(&line, ". If threads give one another this memory, one had it after the other, "
                            "and nobody waited");
        text_bytes(&line, "", 1);
        report_add_fact(r, REPORT_PLAIN, "false sharing", line.data);
        free(objects);
        told++;
    }
    line.size = 0;
    if (told)
        text_add(&line, "give each thread lines of its own to write: align what it writes to 64 "
                        "bytes and pad it to a multiple of 64");
    else {
        if (p->left || p->forgotten)
            text_add(&line, "not known: there was no room for all lines that threads share, ");
        text_add(&line, small ? "little was found in " : "none was found in ");
        text_counted(&line, p->bursts, "burst");
        if (small) {
            text_format(&line, ": at most %.2g %% of accesses waited for it, on lines of ",
                        100 * waited / (double)p->accesses);
            text_counted(&line, small, "set");
            text_add(&line, " of objects (--min 0 shows them)");
        }
    }
    text_bytes(&line, "", 1);
    report_add_fact(r, REPORT_PLAIN, told ? "to mend it" : "false sharing", line.data);
    text_free(&line);
}

static void fill(void *columns, report *r, const void *state, const input *in) {
    sharing_columns *c = (sharing_columns *)columns;
    size_t i, k;
    (void)in;
    c->from = (const shared_parts *)state;
    for (i = 0; i < c->from->count; i++) {
        const shared_part *p = &c->from->parts[i];
        const shared_line **list
            = (const shared_line **)tool_alloc((p->line_count + 1) * sizeof *list);
        if (*p->program) report_add_name(r, p->program);
        for (k = 0; k < p->line_count; k++) list[k] = &p->lines[k];
        if (p->line_count) qsort(list, p->line_count, sizeof *list, by_contended);
        add_facts(r, p, list);
        add_lines(r, p, list);
        add_sides(r, p, list);
        free((void *)list);
    }
}

const report_section section_sharing = {
    &kind_sharing, "sharing", sizeof(sharing_columns), fill, NULL, NULL,
};
