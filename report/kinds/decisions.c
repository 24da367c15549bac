/* decisions.c - reading, adding up and writing parts of kind 6. A unit stays as
   its bytes: equal ones become one, and nothing else is added up, for the marks
   are counts of kind 4. */
#include "report/kinds/decisions.h"
#include "base/tool.h"
#include <stdlib.h>
#include <string.h>

enum { KIND = 6 };

/* ---- the graph of a decision ---- */

uint32_t decisions_target(const decided *d, uint32_t i, int way) {
    uint32_t to = d->conditions[i].way[way];
    return to <= DECISION_TRUE ? d->count + to : i + to - 1;
}

static uint32_t sum(uint32_t a, uint32_t b) { return a > UINT32_MAX - b ? UINT32_MAX : a + b; }

uint32_t decisions_paths(const decided *d, uint32_t *paths) {
    uint32_t i;
    paths[d->count] = paths[d->count + 1] = 1;
    for (i = d->count; i > 0; i--) {
        paths[i - 1] =
            sum(paths[decisions_target(d, i - 1, 1)], paths[decisions_target(d, i - 1, 0)]);
    }
    return paths[0];
}

/* Is there a mark on this way? */
static int arrives(const decided *d, uint32_t i, int way) {
    uint32_t to = decisions_target(d, i, way);
    return to < d->count && d->conditions[to].calls;
}

uint32_t decisions_marks(const decided *d) {
    uint32_t i, marks = d->runs;
    if (d->form == DECISION_OUTCOMES) return 2 * d->count;
    if (d->form != DECISION_PATHS) return 0;
    for (i = 0; i < d->count; i++) marks += (uint32_t)(arrives(d, i, 1) + arrives(d, i, 0));
    return marks;
}

uint32_t decisions_arrival(const decided *d, uint32_t i, int way) {
    uint32_t k, mark = d->runs;
    if (d->form != DECISION_PATHS || !arrives(d, i, way)) return UINT32_MAX;
    for (k = 0; k < i; k++) mark += (uint32_t)(arrives(d, k, 1) + arrives(d, k, 0));
    return way ? mark : mark + (uint32_t)arrives(d, i, 1);
}

const char *decisions_reason(uint32_t form) {
    static const char *const reasons[DECISION_FORMS] = {
        "", "", "decision-too-large", "choice-in-large-decision", "setjmp-in-decision",
        "condition-never-returns"};
    return form < DECISION_FORMS ? reasons[form] : "";
}

/* ---- reading ---- */

static int is_bad(dump_reader *r, int bad, const char *reason) {
    if (!r->reason && bad) r->reason = reason;
    return r->reason != NULL;
}

/* A number of things that take at least so many bytes each. */
static uint32_t get_count(dump_reader *r, uint32_t bytes_each) {
    uint32_t count = dump_get32(r);
    if (!is_bad(r, count > (r->size - r->at) / bytes_each, "more of something than there are bytes"))
        return count;
    return 0;
}

static void get_condition(dump_reader *r, decided *d, uint32_t i, uint32_t slots, size_t text_size,
                          uint32_t *next_slot) {
    decisions_condition *c = &d->conditions[i];
    uint32_t kinds, delta;
    c->text_at = dump_get32(r);
    c->text_size = dump_get32(r);
    kinds = dump_get32(r);
    c->calls = kinds & 1;
    c->way[1] = kinds >> 1;
    c->way[0] = dump_get32(r);
    delta = dump_get32(r);
    if (is_bad(r, c->text_at > text_size || c->text_size > text_size - c->text_at ||
                      c->text_size > DECISION_TEXT_MOST, "a condition outside of its text")) return;
    if (is_bad(r, (c->way[0] > 1 && c->way[0] - 1 > d->count - 1 - i) ||
                      (c->way[1] > 1 && c->way[1] - 1 > d->count - 1 - i),
               "a way of a condition leads nowhere")) return;
    if (is_bad(r, slots < 2 || *next_slot > slots - 2 || delta > slots - 2 - *next_slot,
               "a condition without counters")) return;
    c->slot = *next_slot + delta;
    *next_slot = c->slot + 2;
}

/* *free_slots: of the function, those that no decision has taken. */
static void get_decision(dump_reader *r, decisions_unit *u, decisions_function *f,
                         uint32_t *free_slots) {
    decided *d;
    size_t size;
    const unsigned char *bytes;
    uint32_t i, next_slot = 0, *paths;
    TOOL_ROOM(decided, u->decisions, u->count, u->room);
    d = &u->decisions[u->count++];
    memset(d, 0, sizeof *d);
    d->line = dump_get32(r);
    d->form = dump_get32(r);
    bytes = dump_get_string(r, &size);
    d->text = text_clean(bytes, r->reason ? 0 : size);
    d->count = get_count(r, 5);
    if (is_bad(r, d->form >= DECISION_FORMS, "a decision of an unknown form") ||
        is_bad(r, d->count < 2 || d->count > DECISION_MOST, "a decision without two conditions")) {
        d->count = 0;
        return;
    }
    size = strlen(d->text);
    if (is_bad(r, *free_slots / 2 < d->count, "two decisions with the same counters")) {
        d->count = 0;
        return;
    }
    *free_slots -= 2 * d->count;
    d->conditions = (decisions_condition *)tool_alloc(d->count * sizeof *d->conditions);
    for (i = 0; i < d->count && !r->reason; i++) get_condition(r, d, i, f->slots, size, &next_slot);
    if (r->reason) return;
    paths = (uint32_t *)tool_alloc(((size_t)d->count + 2) * sizeof *paths);
    d->runs = decisions_paths(d, paths);
    free(paths);
    if (d->runs > DECISION_RUNS_MOST) d->runs = 0;
    is_bad(r, d->form == DECISION_PATHS && (d->runs == 0 || d->count >= DECISION_RUNS_MOST),
           "more runs than a decision can have");
    is_bad(r, d->form == DECISION_OUTCOMES && d->count > DECISION_OUTCOMES_MOST,
           "more conditions than a decision can have");
    d->first_mark = f->marks;
    f->marks += decisions_marks(d);
    if (d->form == DECISION_PATHS) f->plain -= 2 * d->count;
}

/* The marks of a function: first its slots that belong to no decision, then
   those of decisions. */
static void get_function(dump_reader *r, decisions_unit *u, uint64_t *slot, uint64_t *mark) {
    decisions_function *f;
    uint32_t n, free_slots;
    TOOL_ROOM(decisions_function, u->functions, u->function_count, u->function_room);
    f = &u->functions[u->function_count++];
    memset(f, 0, sizeof *f);
    f->slots = f->plain = dump_get32(r);
    f->first_slot = *slot;
    f->first_mark = *mark;
    f->first = u->count;
    free_slots = f->slots;
    for (n = get_count(r, 14); n > 0 && !r->reason; n--) get_decision(r, u, f, &free_slots);
    f->count = u->count - f->first;
    *slot += f->slots;
    *mark += (uint64_t)f->plain + f->marks;
}

static uint64_t get_key(dump_reader *r) {
    uint64_t key = 0;
    int i;
    if (is_bad(r, r->size - r->at < 8, "ends within a key")) return 0;
    for (i = 0; i < 8; i++) key |= (uint64_t)r->data[r->at++] << 8 * i;
    return key;
}

static void get_unit(dump_reader *r, decisions_all *all) {
    decisions_unit *u;
    size_t from = r->at;
    uint64_t slot = 0, mark = 0;
    uint32_t n;
    TOOL_ROOM(decisions_unit, all->units, all->count, all->room);
    u = &all->units[all->count++];
    memset(u, 0, sizeof *u);
    u->key = get_key(r);
    for (n = get_count(r, 2); n > 0 && !r->reason; n--) get_function(r, u, &slot, &mark);
    if (r->reason) return;
    u->size = r->at - from;
    u->bytes = (unsigned char *)tool_alloc(u->size);
    memcpy(u->bytes, r->data + from, u->size);
}

static int read(void *state, const dump *d, const dump_part *part, dump_fault *fault) {
    dump_reader r = dump_fields(d, part);
    while (r.at < r.size && !r.reason) get_unit(&r, (decisions_all *)state);
    return r.reason ? dump_refuse(fault, dump_place(d, part, r.at), "%s", r.reason) : 0;
}

/* ---- adding up ---- */

static int by_bytes(const void *a, const void *b) {
    const decisions_unit *x = (const decisions_unit *)a, *y = (const decisions_unit *)b;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    if (x->size != y->size) return x->size < y->size ? -1 : 1;
    return memcmp(x->bytes, y->bytes, x->size);
}

static void free_unit(decisions_unit *u) {
    size_t i;
    for (i = 0; i < u->count; i++) {
        free(u->decisions[i].text);
        free(u->decisions[i].conditions);
    }
    free(u->decisions);
    free(u->functions);
    free(u->bytes);
}

static void settle(void *state) {
    decisions_all *all = (decisions_all *)state;
    size_t i, kept = 0;
    if (all->count) qsort(all->units, all->count, sizeof *all->units, by_bytes);
    for (i = 0; i < all->count; i++) {
        if (kept && by_bytes(&all->units[kept - 1], &all->units[i]) == 0) free_unit(&all->units[i]);
        else all->units[kept++] = all->units[i];
    }
    all->count = kept;
}

const decisions_function *decisions_find(const decisions_all *all, uint64_t key, uint32_t first_slot,
                                     const decisions_unit **unit) {
    size_t low = 0, high = all ? all->count : 0;
    const decisions_unit *u;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (all->units[middle].key < key) low = middle + 1;
        else high = middle;
    }
    if (!all || low == all->count || all->units[low].key != key) return NULL;
    u = &all->units[low];
    low = 0;
    high = u->function_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (u->functions[middle].first_slot < first_slot) low = middle + 1;
        else high = middle;
    }
    /* A function without counters begins where the next one does. */
    while (low < u->function_count && u->functions[low].slots == 0) low++;
    if (low == u->function_count || u->functions[low].first_slot != first_slot) return NULL;
    *unit = u;
    return &u->functions[low];
}

/* ---- writing ---- */

static void write(void *state, text *out) {
    const decisions_all *all = (const decisions_all *)state;
    dump_writer w;
    size_t i;
    dump_begin(&w, out, KIND);
    for (i = 0; i < all->count; i++) dump_put_bytes(&w, all->units[i].bytes, all->units[i].size);
    dump_end(&w);
}

static void free_state(void *state) {
    decisions_all *all = (decisions_all *)state;
    size_t i;
    for (i = 0; i < all->count; i++) free_unit(&all->units[i]);
    free(all->units);
    memset(all, 0, sizeof *all);
}

const part_kind kind_decisions = {
    KIND, "decisions", sizeof(decisions_all), read, settle, write, free_state, NULL,
};
