/* thin.c - which checks of a recorded program are left by a set of rules
   (bursty-tracing, section 4).

   The trace is read once for what the paper reads out of the binary. Its call
   graph is that of the pairs: a function that calls nothing is a leaf, one that
   nobody known calls is a root. An iteration of a loop is what one call does
   between two back-edges to the same head, if no back-edge to a lower head lies
   between them: whoever leaves a loop comes back to it only through a
   back-edge of a loop around it, and its head lies lower. So

       head of o ... head of i ... i ... i ... (behind i) ... o
                                  |---|  an iteration of i
                     the part behind i is none: o closes i

   A k-boring loop has no call and at most k different instructions with a
   reference in its iterations. It loses its check, and its references are not
   recorded, as in the paper. A loop without a whole iteration keeps its check.

   A trace does not tell whose address is taken. The calls that such functions
   got are in its graph, so each cycle that ran has a check all the same. */
#include "lab/thin.h"
#include "base/tool.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NONE = -1 };

/* ---- the tables ---- */

typedef struct word_rows {
    uint64_t (*at)[2];
    size_t count;
} word_rows;

static uint64_t little(const unsigned char *b) {
    uint64_t value = 0;
    int i;
    for (i = 7; i >= 0; i--) value = value << 8 | b[i];
    return value;
}

/* NAME.refs names NAME.part, rows of two words. */
static int read_rows(word_rows *r, const char *refs, const char *part) {
    size_t length = strlen(refs), size, i;
    char *path;
    unsigned char *data;
    if (length < 5 || strcmp(refs + length - 5, ".refs") != 0)
        return tool_error("%s: --thin wants a file NAME.refs, with NAME.pairs and NAME.loops",
                          refs);
    path = (char *)tool_alloc(length + strlen(part) + 1);
    memcpy(path, refs, length - 4);
    strcpy(path + length - 4, part);
    data = tool_read_file(path, NULL, &size);
    if (data && size % 16) {
        tool_error("%s: offset %llu: a row is cut short", path,
                   (unsigned long long)(size - size % 16));
        free(data);
        data = NULL;
    }
    free(path);
    if (!data) return TOOL_BAD_INPUT;
    r->count = size / 16;
    r->at = (uint64_t(*)[2])tool_alloc((r->count + 1) * sizeof *r->at);
    for (i = 0; i < r->count; i++) {
        r->at[i][0] = little(data + 16 * i);
        r->at[i][1] = little(data + 16 * i + 8);
    }
    free(data);
    return TOOL_OK;
}

static int by_address(const void *left, const void *right) {
    const thin_function *a = (const thin_function *)left, *b = (const thin_function *)right;
    return a->address < b->address ? -1 : a->address > b->address;
}

static uint32_t number_of(const thin_plan *p, uint64_t address) {
    thin_function wanted, *found;
    memset(&wanted, 0, sizeof wanted);
    wanted.address = address;
    found = (thin_function *)bsearch(&wanted, p->functions, p->function_count,
                                     sizeof *p->functions, by_address);
    return found ? (uint32_t)(found - p->functions) : UINT32_MAX;
}

static void read_graph(thin_plan *p, const word_rows *pairs) {
    size_t i, k;
    p->functions = (thin_function *)tool_alloc((2 * pairs->count + 1) * sizeof *p->functions);
    memset(p->functions, 0, (2 * pairs->count + 1) * sizeof *p->functions);
    for (i = k = 0; i < 2 * pairs->count; i++)
        if (pairs->at[i / 2][i % 2]) p->functions[k++].address = pairs->at[i / 2][i % 2];
    if (k) qsort(p->functions, k, sizeof *p->functions, by_address);
    for (i = 0; i < k; i++)
        if (i == 0 || p->functions[i].address != p->functions[i - 1].address)
            p->functions[p->function_count++] = p->functions[i];
    p->pair_count = pairs->count;
    p->caller = (uint32_t *)tool_alloc((pairs->count + 1) * sizeof *p->caller);
    p->callee = (uint32_t *)tool_alloc((pairs->count + 1) * sizeof *p->callee);
    for (i = 0; i < pairs->count; i++) {
        p->caller[i] = number_of(p, pairs->at[i][0]);
        p->callee[i] = number_of(p, pairs->at[i][1]);
    }
}

/* ---- loops ---- */

/* What one call has done since the last back-edge to this head. */
typedef struct open_loop {
    thin_loop *loop;
    uint32_t events, callees;
    uint64_t pc[THIN_EVENTS];
    uint32_t callee[THIN_CALLEES];
} open_loop;

typedef struct reader {
    thin_plan *plan;
    open_loop *open;
    size_t open_count, open_room;
    size_t *frames; /* of each call that runs: how many loops were open before it */
    size_t frame_count, frame_room;
} reader;

static void add_event(uint64_t *pc, uint32_t *count, uint64_t one) {
    uint32_t i;
    for (i = 0; i < *count && i < THIN_EVENTS; i++)
        if (pc[i] == one) return;
    if (*count == THIN_EVENTS) return;
    pc[(*count)++] = one;
}

static void add_callee(uint32_t *callee, uint32_t *count, uint32_t one) {
    uint32_t i;
    for (i = 0; i < *count; i++)
        if (callee[i] == one) return;
    if (*count < THIN_CALLEES) callee[(*count)++] = one;
}

static size_t frame_start(const reader *r) {
    return r->frame_count ? r->frames[r->frame_count - 1] : 0;
}

static void back_edge(reader *r, thin_loop *loop) {
    open_loop *o;
    uint32_t i;
    while (r->open_count > frame_start(r) && r->open[r->open_count - 1].loop->head > loop->head)
        r->open_count--;
    o = r->open_count > frame_start(r) ? &r->open[r->open_count - 1] : NULL;
    if (o && o->loop == loop) {
        loop->iterations += loop->iterations != UINT32_MAX;
        for (i = 0; i < o->events; i++) add_event(loop->pc, &loop->events, o->pc[i]);
        for (i = 0; i < o->callees; i++) add_callee(loop->callee, &loop->callees, o->callee[i]);
    } else {
        TOOL_ROOM(open_loop, r->open, r->open_count, r->open_room);
        o = &r->open[r->open_count++];
        o->loop = loop;
    }
    o->events = o->callees = 0;
}

static void enter(reader *r, uint32_t callee) {
    size_t i;
    for (i = frame_start(r); i < r->open_count; i++)
        add_callee(r->open[i].callee, &r->open[i].callees, callee);
    TOOL_ROOM(size_t, r->frames, r->frame_count, r->frame_room);
    r->frames[r->frame_count++] = r->open_count;
}

static void leave(reader *r) {
    if (!r->frame_count) {
        r->open_count = 0;
        return;
    }
    r->open_count = r->frames[--r->frame_count];
}

static int read_loops(reader *r, trace_refs *t, const trace_refs_row *rows, size_t row_count) {
    thin_plan *p = r->plan;
    int kind, status;
    uint32_t number = 0;
    size_t i;
    for (;;) {
        status = trace_refs_next(t, &kind, &number);
        if (status != TOOL_OK || kind == TRACE_END) return status;
        if (kind == TRACE_RETURN) leave(r);
        else if (kind == TRACE_REFERENCE) {
            if (number >= row_count)
                return tool_error("%s: reference %u is not in the table", t->name, number);
            for (i = frame_start(r); i < r->open_count; i++)
                add_event(r->open[i].pc, &r->open[i].events, rows[number].pc);
        } else if (kind == TRACE_CALL) {
            if (number >= p->pair_count)
                return tool_error("%s: call %u is not in the table of pairs", t->name, number);
            enter(r, p->callee[number]);
        } else {
            if (number >= p->loop_count)
                return tool_error("%s: back-edge %u is not in the table of loops", t->name,
                                  number);
            back_edge(r, &p->loops[number]);
        }
    }
}

int thin_read(thin_plan *p, const char *refs, const trace_refs_row *table, size_t row_count) {
    word_rows pairs = {NULL, 0}, loops = {NULL, 0};
    trace_refs trace;
    reader r;
    int status;
    size_t i;
    memset(p, 0, sizeof *p);
    memset(&r, 0, sizeof r);
    status = read_rows(&pairs, refs, "pairs");
    for (i = 0; status == TOOL_OK && i < pairs.count; i++)
        if (!pairs.at[i][1]) status = tool_error("%s: pair %llu calls nothing", refs,
                                                 (unsigned long long)i);
    if (status == TOOL_OK) status = read_rows(&loops, refs, "loops");
    if (status == TOOL_OK) status = trace_refs_open(&trace, refs, NULL, 0);
    if (status == TOOL_OK) {
        read_graph(p, &pairs);
        p->loop_count = loops.count;
        p->loops = (thin_loop *)tool_alloc((loops.count + 1) * sizeof *p->loops);
        memset(p->loops, 0, (loops.count + 1) * sizeof *p->loops);
        for (i = 0; i < loops.count; i++) {
            uint32_t f = number_of(p, loops.at[i][0]);
            p->loops[i].function = loops.at[i][0];
            p->loops[i].head = loops.at[i][1];
            if (f != UINT32_MAX) p->functions[f].loops++;
        }
        r.plan = p;
        status = read_loops(&r, &trace, table, row_count);
        trace_refs_close(&trace);
    }
    free(pairs.at);
    free(loops.at);
    free(r.open);
    free(r.frames);
    return status;
}

void thin_free(thin_plan *p) {
    free(p->functions);
    free(p->caller);
    free(p->callee);
    free(p->loops);
    free(p->left_out);
    memset(p, 0, sizeof *p);
}

/* ---- equation 3 ---- */

/* Whoever is reachable from a function, without those for which `stop` holds.
   Marks them in seen. */
static void reach(const thin_plan *p, uint32_t from, const unsigned char *stop,
                  unsigned char *seen) {
    int more = 1;
    size_t i;
    memset(seen, 0, p->function_count);
    for (i = 0; i < p->pair_count; i++)
        if (p->caller[i] == from && !(stop && stop[p->callee[i]])) seen[p->callee[i]] = 1;
    while (more) {
        more = 0;
        for (i = 0; i < p->pair_count; i++) {
            if (p->caller[i] == UINT32_MAX || !seen[p->caller[i]] || seen[p->callee[i]] ||
                (stop && stop[p->callee[i]]))
                continue;
            seen[p->callee[i]] = 1;
            more = 1;
        }
    }
}

static void analyse(thin_plan *p) {
    size_t i, k;
    int more = 1;
    unsigned char *called = (unsigned char *)tool_alloc(p->function_count + 1);
    unsigned char *down = (unsigned char *)tool_alloc((p->function_count + 1) * 2);
    unsigned char *up = down + p->function_count + 1;
    memset(called, 0, p->function_count + 1);
    for (i = 0; i < p->function_count; i++) {
        p->functions[i].is_leaf = 1;
        p->functions[i].distance = UINT32_MAX;
        p->functions[i].component = UINT32_MAX;
    }
    for (i = 0; i < p->pair_count; i++) {
        if (p->caller[i] == UINT32_MAX) continue;
        p->functions[p->caller[i]].is_leaf = 0;
        if (p->caller[i] != p->callee[i]) called[p->callee[i]] = 1;
    }
    for (i = 0; i < p->pair_count; i++) /* called by nobody that is known */
        if (p->caller[i] == UINT32_MAX) p->functions[p->callee[i]].is_root = 1;
    for (i = 0; i < p->function_count; i++) {
        if (!called[i]) p->functions[i].is_root = 1;
        if (p->functions[i].is_root) p->functions[i].distance = 0;
    }
    while (more) {
        more = 0;
        for (i = 0; i < p->pair_count; i++) {
            thin_function *to = &p->functions[p->callee[i]];
            const thin_function *from;
            if (p->caller[i] == UINT32_MAX) continue;
            from = &p->functions[p->caller[i]];
            if (from->distance == UINT32_MAX || from->distance + 1 >= to->distance) continue;
            to->distance = from->distance + 1;
            more = 1;
        }
    }
    /* A component is named by its lowest function: those that reach it and that
       it reaches. */
    for (i = 0; i < p->function_count; i++) {
        if (p->functions[i].component != UINT32_MAX) continue;
        reach(p, (uint32_t)i, NULL, down);
        p->functions[i].component = (uint32_t)i;
        p->functions[i].repeats = down[i];
        if (!down[i]) continue;
        for (k = i + 1; k < p->function_count; k++) {
            if (!down[k]) continue;
            reach(p, (uint32_t)k, NULL, up);
            if (!up[i]) continue;
            p->functions[k].component = (uint32_t)i;
            p->functions[k].repeats = 1;
        }
    }
    for (i = 0; i < p->pair_count; i++) {
        const thin_function *from;
        thin_function *to = &p->functions[p->callee[i]];
        if (p->caller[i] == UINT32_MAX) continue;
        from = &p->functions[p->caller[i]];
        if (from->component == to->component && from->distance >= to->distance) to->is_below = 1;
    }
    free(called);
    free(down);
}

/* ---- the rules ---- */

/* Is there a cycle of calls without a check, through this function? */
static int has_cycle(const thin_plan *p, uint32_t f, unsigned char *seen) {
    unsigned char *stop = seen + p->function_count;
    size_t i;
    for (i = 0; i < p->function_count; i++) stop[i] = p->functions[i].has_check;
    stop[f] = 0;
    reach(p, f, stop, seen);
    return seen[f];
}

/* Rule Q, of entries: those of recursion from below, without those that no
   cycle needs. */
static void quiet_entries(thin_plan *p) {
    unsigned char *seen = (unsigned char *)tool_alloc(2 * p->function_count + 1);
    size_t i;
    for (i = 0; i < p->function_count; i++)
        p->functions[i].has_check = p->functions[i].repeats && p->functions[i].is_below;
    for (i = p->function_count; i-- > 0;) {
        if (!p->functions[i].has_check) continue;
        p->functions[i].has_check = 0;
        p->functions[i].has_check = (unsigned char)has_cycle(p, (uint32_t)i, seen);
    }
    free(seen);
}

/* A quiet loop calls only what never repeats, with at most 4 loops in all. */
static int is_quiet(const thin_plan *p, const thin_loop *loop, unsigned char *seen) {
    uint32_t i, loops = 1;
    size_t k;
    if (loop->callees == THIN_CALLEES) return 0;
    for (i = 0; i < loop->callees; i++) {
        reach(p, loop->callee[i], NULL, seen);
        seen[loop->callee[i]] = 1;
        for (k = 0; k < p->function_count; k++) {
            if (!seen[k]) continue;
            if (p->functions[k].repeats) return 0;
            loops += p->functions[k].loops;
            if (loops > 4) return 0;
        }
    }
    return 1;
}

static void choose_entries(thin_plan *p, char rule) {
    size_t i;
    if (rule == 'Q') {
        quiet_entries(p);
        return;
    }
    for (i = 0; i < p->function_count; i++) {
        thin_function *f = &p->functions[i];
        f->has_check = (unsigned char)(rule == 'A'   ? 1
                                       : rule == 'N' ? 0
                                       : rule == 'L' ? !f->is_leaf
                                                     : !f->is_leaf && (f->is_root || f->is_below));
    }
}

static void choose_loops(thin_plan *p, long boring, int quiet) {
    unsigned char *seen = (unsigned char *)tool_alloc(p->function_count + 1);
    size_t i;
    for (i = 0; i < p->loop_count; i++) {
        thin_loop *l = &p->loops[i];
        l->is_boring = l->iterations > 0 && l->callees == 0 && boring >= 0 &&
                       l->events <= (uint32_t)boring;
        l->has_check = !l->is_boring && !(quiet && l->iterations > 0 && is_quiet(p, l, seen));
        p->boring += l->is_boring;
    }
    free(seen);
}

/* Instructions of boring loops are not instrumented. */
static void leave_out(thin_plan *p, const trace_refs_row *table, size_t row_count) {
    size_t i, k, count = 0, room = 16;
    uint64_t *set;
    for (i = 0; i < p->loop_count; i++)
        if (p->loops[i].is_boring) count += p->loops[i].events;
    while (room < 2 * count + 1) room *= 2;
    set = (uint64_t *)tool_alloc(room * sizeof *set);
    memset(set, 0, room * sizeof *set);
    p->left_out = (unsigned char *)tool_alloc(row_count + 1);
    for (i = 0; i < p->loop_count; i++) {
        for (k = 0; p->loops[i].is_boring && k < p->loops[i].events; k++) {
            uint64_t pc = p->loops[i].pc[k];
            size_t at = (size_t)(pc * UINT64_C(0x9E3779B97F4A7C15) >> 32) & (room - 1);
            while (set[at] && set[at] != pc) at = (at + 1) & (room - 1);
            set[at] = pc;
        }
    }
    for (i = 0; i < row_count; i++) {
        uint64_t pc = table[i].pc;
        size_t at = (size_t)(pc * UINT64_C(0x9E3779B97F4A7C15) >> 32) & (room - 1);
        while (set[at] && set[at] != pc) at = (at + 1) & (room - 1);
        p->left_out[i] = pc && set[at] == pc;
    }
    free(set);
}

int thin_choose(thin_plan *p, const char *rules, const trace_refs_row *table, size_t row_count) {
    const char *at = rules, *end;
    char entries = 'A';
    long boring = NONE;
    int quiet = 0, no_loops = 0;
    size_t i;
    for (;; at = end + 1) {
        char word[16];
        end = at + strcspn(at, "+");
        if (end == at || (size_t)(end - at) >= sizeof word) break;
        memcpy(word, at, (size_t)(end - at));
        word[end - at] = 0;
        if (strcmp(word, "EL") == 0) entries = 'L';
        else if (strcmp(word, "EC") == 0) entries = 'C';
        else if (strcmp(word, "EN") == 0) entries = 'N';
        else if (strcmp(word, "LN") == 0) no_loops = 1;
        else if (strcmp(word, "Q") == 0) {
            entries = 'Q';
            quiet = 1;
            if (boring < 4) boring = 4;
        } else if (word[0] == 'L' && word[1] >= '0' && word[1] <= '9') {
            char *rest;
            boring = strtol(word + 1, &rest, 10);
            if (*rest || boring >= THIN_EVENTS) break;
        } else if (strcmp(word, "all") != 0) break;
        if (!*end) {
            at = NULL;
            break;
        }
    }
    if (at)
        return tool_error("--thin %s: not all, EL, EC, EN, LN, L0 to L63, Q or a sum of them",
                          rules);
    analyse(p);
    choose_entries(p, entries);
    choose_loops(p, boring, quiet);
    leave_out(p, table, row_count);
    for (i = 0; i < p->function_count; i++) p->entries_left += p->functions[i].has_check;
    for (i = 0; i < p->loop_count; i++) {
        if (no_loops) p->loops[i].has_check = 0;
        p->loops_left += p->loops[i].has_check;
    }
    return TOOL_OK;
}
