/* edges.c - reading, adding up and writing parts of kind 4. */
#include "report/kinds/edges.h"
#include "base/tool.h"
#include <stdlib.h>
#include <string.h>

enum { KIND = 4, FUNCTION = 1, COUNTS = 2, TEST = 3, UNIT = 4, LEFT_OUT = 5 };
#define EARLY_UNKNOWN (UINT32_C(1) << 31)

/* ---- reading ---- */

static uint64_t get_key(dump_reader *r) {
    uint64_t key = 0;
    int i;
    if (r->reason) return 0;
    if (r->size - r->at < 8) {
        r->reason = "ends within a key";
        return 0;
    }
    for (i = 0; i < 8; i++) key |= (uint64_t)r->data[r->at++] << 8 * i;
    return key;
}

/* A number of things that take at least one byte each. */
static uint32_t get_count(dump_reader *r) {
    uint32_t count = dump_get32(r);
    if (!r->reason && count > r->size - r->at)
        r->reason = "more of something than the part has bytes";
    return r->reason ? 0 : count;
}

static int is_width(uint32_t bits) {
    return bits == 1 || bits == 8 || bits == 16 || bits == 32 || bits == 64;
}

static char *get_name(dump_reader *r) {
    size_t size;
    const unsigned char *bytes = dump_get_string(r, &size);
    return text_clean(bytes, r->reason ? 0 : size);
}

static void get_lines(dump_reader *r, edges_function *f) {
    size_t room = f->vertices, used = 0;
    uint32_t v, n;
    f->line_at = (uint32_t *)tool_alloc(((size_t)f->vertices + 1) * sizeof *f->line_at);
    f->line = (uint32_t *)tool_alloc((room + 1) * sizeof *f->line);
    for (v = 0; v < f->vertices; v++) {
        f->line_at[v] = (uint32_t)used;
        for (n = get_count(r); n > 0 && !r->reason; n--) {
            if (used == room)
                f->line =
                    (uint32_t *)tool_grow(f->line, ((room = 2 * room + 16) + 1) * sizeof *f->line);
            f->line[used++] = dump_get32(r);
        }
    }
    f->line_at[f->vertices] = (uint32_t)used;
}

static void get_edges(dump_reader *r, edges_function *f) {
    uint32_t e;
    f->ends = (uint32_t *)tool_alloc(2 * ((size_t)f->edges + 1) * sizeof *f->ends);
    f->plan = (uint8_t *)tool_alloc((size_t)f->edges + 1);
    f->slots = f->counts_entry == EDGES_COUNTED;
    for (e = 0; e < f->edges && !r->reason; e++) {
        uint64_t source = dump_get(r);
        f->ends[2 * (size_t)e] = (uint32_t)(source >> 1);
        f->ends[2 * (size_t)e + 1] = dump_get32(r);
        f->plan[e] = source & 1;
        f->slots += f->plan[e];
        if (r->reason) return;
        if (source >> 1 >= f->vertices - 1 || f->ends[2 * (size_t)e + 1] >= f->vertices)
            r->reason = "an edge leads nowhere";
        else if (f->plan[e] && e >= f->edges - f->stays)
            r->reason = "a stay edge has a counter";
    }
    f->ends[2 * (size_t)f->edges] = f->vertices - 1;
    f->plan[f->edges] = (uint8_t)f->counts_entry;
}

static void get_calls(dump_reader *r, edges_function *f) {
    uint32_t i;
    f->calls = get_count(r);
    f->call = (uint32_t *)tool_alloc(((size_t)f->calls + 1) * sizeof *f->call);
    for (i = 0; i < f->calls; i++) f->call[i] = dump_get32(r);
}

static void get_function(dump_reader *r, edges_all *all, uint64_t unit) {
    edges_function *f;
    TOOL_ROOM(edges_function, all->functions, all->function_count, all->function_room);
    f = &all->functions[all->function_count++]; /* freed with the others, whatever becomes of it */
    memset(f, 0, sizeof *f);
    f->key = get_key(r);
    f->unit = unit;
    f->name = get_name(r);
    f->file = get_name(r);
    f->bits = dump_get32(r);
    f->first_slot = dump_get32(r);
    f->first_vertex = dump_get32(r);
    f->vertices = get_count(r);
    f->edges = get_count(r);
    f->stays = dump_get32(r);
    f->counts_entry = dump_get32(r);
    if (!r->reason &&
        (!is_width(f->bits) || f->vertices < 2 || f->stays > f->edges ||
         f->counts_entry > EDGES_CALLED))
        r->reason = "a field of a function is wrong";
    if (r->reason) {
        f->vertices = f->edges = 0;
        return;
    }
    if (f->counts_entry == EDGES_CALLED) get_calls(r, f);
    get_lines(r, f);
    get_edges(r, f);
}

static counted *add_counted(edges_list *to) {
    TOOL_ROOM(counted, to->list, to->count, to->room);
    return &to->list[to->count++];
}

/* The records of counts behind it are of that test. */
static edges_list *get_test(dump_reader *r, edges_all *all) {
    edges_test *test;
    TOOL_ROOM(edges_test, all->tests, all->test_count, all->test_room);
    test = &all->tests[all->test_count++];
    memset(test, 0, sizeof *test);
    test->name = get_name(r);
    if (!r->reason && !*test->name) r->reason = "a test without a name";
    return &test->counts;
}

static void get_left_out(dump_reader *r, edges_all *all) {
    TOOL_ROOM(uint64_t, all->left_out, all->left_out_count, all->left_out_room);
    all->left_out[all->left_out_count++] = get_key(r);
}

static void get_counts(dump_reader *r, edges_list *to) {
    counted *c = add_counted(to);
    uint32_t i;
    memset(c, 0, sizeof *c);
    c->key = get_key(r);
    c->bits = dump_get32(r);
    if (!r->reason && !is_width(c->bits)) r->reason = "counters of a width that there is not";
    c->slots = get_count(r);
    c->value = (uint64_t *)tool_alloc(c->slots * sizeof *c->value);
    for (i = 0; i < c->slots && !r->reason; i++) {
        c->value[i] = dump_get(r);
        if (c->bits <= 8 && c->value[i] >> c->bits) r->reason = "a mark that has more bits than its place";
    }
    c->exits = get_count(r);
    c->exit = (struct edges_exit *)tool_alloc(c->exits * sizeof *c->exit);
    for (i = 0; i < c->exits && !r->reason; i++) {
        c->exit[i].vertex = dump_get32(r);
        c->exit[i].early = dump_get32(r);
        c->exit[i].reentry = dump_get32(r);
        if (!r->reason && i && c->exit[i].vertex <= c->exit[i - 1].vertex)
            r->reason = "early exits are not in order";
    }
}

static int read(void *state, const dump *d, const dump_part *part, dump_fault *fault) {
    edges_all *all = (edges_all *)state;
    edges_list *to = &all->unnamed;
    dump_reader r = dump_fields(d, part);
    uint64_t unit = 0;
    while (r.at < r.size && !r.reason) {
        uint64_t tag = dump_get(&r);
        if (tag == FUNCTION)
            get_function(&r, all, unit);
        else if (tag == COUNTS)
            get_counts(&r, to);
        else if (tag == TEST)
            to = get_test(&r, all);
        else if (tag == UNIT)
            unit = get_key(&r);
        else if (tag == LEFT_OUT)
            get_left_out(&r, all);
        else if (!r.reason)
            r.reason = "neither a function nor counts";
    }
    return r.reason ? dump_refuse(fault, dump_place(d, part, r.at), "%s", r.reason) : 0;
}

/* ---- adding up ---- */

static int compare(uint64_t a, uint64_t b) { return (a > b) - (a < b); }

static int by_key(const void *a, const void *b) {
    const counted *x = (const counted *)a, *y = (const counted *)b;
    if (x->key != y->key) return compare(x->key, y->key);
    if (x->bits != y->bits) return compare(x->bits, y->bits);
    return compare(x->slots, y->slots);
}

static int compare_numbers(const uint32_t *a, const uint32_t *b, size_t count) {
    size_t i;
    for (i = 0; i < count && a[i] == b[i]; i++) {
    }
    return i == count ? 0 : compare(a[i], b[i]);
}

/* In the order of a report: by file, line and name; what is not the same is
   told apart by all that it is. */
static int by_place(const void *a, const void *b) {
    const edges_function *x = (const edges_function *)a, *y = (const edges_function *)b;
    int order = strcmp(x->file, y->file);
    uint32_t v = x->line_at[x->vertices], w = y->line_at[y->vertices];
    if (!order) order = compare(v ? x->line[0] : 0, w ? y->line[0] : 0);
    if (!order) order = strcmp(x->name, y->name);
    if (!order) order = compare(x->unit, y->unit);
    if (!order) order = compare(x->key, y->key);
    if (!order) order = compare(x->bits, y->bits);
    if (!order) order = compare(x->first_slot, y->first_slot);
    if (!order) order = compare(x->first_vertex, y->first_vertex);
    if (!order) order = compare(x->vertices, y->vertices);
    if (!order) order = compare(x->edges, y->edges);
    if (!order) order = compare(x->stays, y->stays);
    if (!order) order = compare(v, w);
    if (!order) order = compare_numbers(x->line_at, y->line_at, x->vertices);
    if (!order) order = compare_numbers(x->line, y->line, v);
    if (!order) order = compare_numbers(x->ends, y->ends, 2 * ((size_t)x->edges + 1));
    if (!order) order = memcmp(x->plan, y->plan, (size_t)x->edges + 1);
    if (!order) order = compare(x->calls, y->calls);
    if (!order) order = compare_numbers(x->call, y->call, x->calls);
    return order;
}

static int by_vertex(const void *a, const void *b) {
    return compare(((const struct edges_exit *)a)->vertex,
                   ((const struct edges_exit *)b)->vertex);
}

/* The sum of two signed numbers, as their bits; one that 32 bits do not hold is
   unknown. */
static uint32_t add_early(uint32_t a, uint32_t b) {
    uint32_t sum = a + b;
    return ~(a ^ b) & (a ^ sum) & EARLY_UNKNOWN ? EARLY_UNKNOWN : sum;
}

/* Counts are added; early is signed, and what is unknown stays so. Of marks only
   matters whether an activation ended there. */
static void add_exit(struct edges_exit *into, const struct edges_exit *other, uint32_t bits) {
    if (bits <= 8) {
        uint32_t ended = into->early && into->early <= EARLY_UNKNOWN;
        into->early = ended || (other->early && other->early <= EARLY_UNKNOWN);
        into->reentry = into->reentry || other->reentry;
        return;
    }
    if (into->early == EARLY_UNKNOWN || other->early == EARLY_UNKNOWN) into->early = EARLY_UNKNOWN;
    else into->early = add_early(into->early, other->early);
    into->reentry += other->reentry;
}

/* The exits of counts[0..count) join those of counts[0]: gathered, sorted and
   added up, so that a record with many exits is copied once and not for each
   record that is added to it. */
static void add_exits(counted *counts, size_t count) {
    struct edges_exit *sum;
    size_t all = 0, kept = 0, i;
    for (i = 0; i < count; i++) all += counts[i].exits;
    if (all == counts[0].exits) return;
    sum = (struct edges_exit *)tool_alloc(all * sizeof *sum);
    for (i = 0, all = 0; i < count; i++) {
        if (counts[i].exits) memcpy(sum + all, counts[i].exit, counts[i].exits * sizeof *sum);
        all += counts[i].exits;
    }
    qsort(sum, all, sizeof *sum, by_vertex);
    for (i = 0; i < all; i++) {
        if (kept == 0 || sum[kept - 1].vertex != sum[i].vertex) {
            sum[kept++] = sum[i];
            continue;
        }
        add_exit(&sum[kept - 1], &sum[i], counts[0].bits);
    }
    free(counts[0].exit);
    counts[0].exit = sum;
    counts[0].exits = (uint32_t)kept;
}

/* A sum of counts has 64 bits, whatever the counters had in their program; marks
   are joined. */
static void add(counted *into, const counted *other) {
    uint64_t most = into->bits <= 8 ? ((uint64_t)1 << into->bits) - 1 : UINT64_MAX;
    uint32_t i;
    for (i = 0; i < into->slots; i++) {
        uint64_t sum = into->value[i] + other->value[i];
        into->value[i] = sum > most ? most : sum;
    }
}

static void free_counts(counted *c) {
    free(c->value);
    free(c->exit);
}

static void free_function(edges_function *f) {
    free(f->name);
    free(f->file);
    free(f->line_at);
    free(f->line);
    free(f->ends);
    free(f->plan);
    free(f->call);
}

/* Sorts, and adds up equals. */
static void settle_list(edges_list *l) {
    size_t i, end, kept = 0;
    if (l->count) qsort(l->list, l->count, sizeof *l->list, by_key);
    for (i = 0; i < l->count; i = end) {
        counted *first = &l->list[i];
        for (end = i + 1; end < l->count && by_key(first, &l->list[end]) == 0; end++)
            add(first, &l->list[end]);
        add_exits(first, end - i);
        while (++first < &l->list[end]) free_counts(first);
        l->list[kept++] = l->list[i];
    }
    l->count = kept;
}

static void *copy_of(const void *bytes, size_t size) {
    void *copy = tool_alloc(size + 1);
    if (size) memcpy(copy, bytes, size);
    return copy;
}

static void add_copies(edges_list *to, const edges_list *from) {
    size_t i;
    for (i = 0; i < from->count; i++) {
        counted *c = add_counted(to);
        *c = from->list[i];
        c->value = (uint64_t *)copy_of(c->value, c->slots * sizeof *c->value);
        c->exit = (struct edges_exit *)copy_of(c->exit, c->exits * sizeof *c->exit);
    }
}

static void free_list(edges_list *l) {
    size_t i;
    for (i = 0; i < l->count; i++) free_counts(&l->list[i]);
    free(l->list);
    memset(l, 0, sizeof *l);
}

static int by_name(const void *a, const void *b) {
    return strcmp(((const edges_test *)a)->name, ((const edges_test *)b)->name);
}

/* The counts of one test join those of another with its name. */
static void join_tests(edges_test *into, edges_test *other) {
    size_t i;
    for (i = 0; i < other->counts.count; i++)
        *add_counted(&into->counts) = other->counts.list[i];
    free(other->counts.list);
    free(other->name);
}

static void settle_tests(edges_all *all) {
    edges_list sum = {NULL, 0, 0};
    size_t i, kept = 0;
    settle_list(&all->unnamed);
    if (all->test_count) qsort(all->tests, all->test_count, sizeof *all->tests, by_name);
    for (i = 0; i < all->test_count; i++) {
        if (kept && by_name(&all->tests[kept - 1], &all->tests[i]) == 0)
            join_tests(&all->tests[kept - 1], &all->tests[i]);
        else
            all->tests[kept++] = all->tests[i];
    }
    all->test_count = kept;
    for (i = 0; i < kept; i++) settle_list(&all->tests[i].counts);
    all->counts = all->unnamed.list;
    all->count = all->unnamed.count;
    if (!kept) return;
    add_copies(&sum, &all->unnamed);
    for (i = 0; i < kept; i++) add_copies(&sum, &all->tests[i].counts);
    settle_list(&sum);
    all->counts = sum.list;
    all->count = sum.count;
}

void edges_view(edges_all *view, const edges_all *all, size_t test) {
    const edges_list *l = test < all->test_count ? &all->tests[test].counts : &all->unnamed;
    *view = *all;
    view->counts = l->list;
    view->count = l->count;
    view->tests = NULL;
    view->test_count = 0;
}

static int by_number(const void *a, const void *b) {
    return compare(*(const uint64_t *)a, *(const uint64_t *)b);
}

static void settle(void *state) {
    edges_all *all = (edges_all *)state;
    size_t i, kept = 0;
    settle_tests(all);
    if (all->left_out_count)
        qsort(all->left_out, all->left_out_count, sizeof *all->left_out, by_number);
    for (i = 0; i < all->left_out_count; i++) {
        if (!kept || all->left_out[kept - 1] != all->left_out[i])
            all->left_out[kept++] = all->left_out[i];
    }
    all->left_out_count = kept;
    kept = 0;
    if (all->function_count)
        qsort(all->functions, all->function_count, sizeof *all->functions, by_place);
    for (i = 0; i < all->function_count; i++) {
        if (kept && by_place(&all->functions[kept - 1], &all->functions[i]) == 0)
            free_function(&all->functions[i]);
        else
            all->functions[kept++] = all->functions[i];
    }
    all->function_count = kept;
}

const counted *edges_find(const edges_all *all, const edges_function *f) {
    size_t low = 0, high = all->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const counted *c = &all->counts[middle];
        int order = compare(c->key, f->key);
        if (!order) order = compare(c->bits, f->bits);
        if (!order && (!f->slots || (uint64_t)f->first_slot + f->slots <= c->slots)) return c;
        if (order < 0 || !order)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

int edges_has(const edges_all *all, uint64_t key) {
    size_t low = 0, high = all->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (all->counts[middle].key < key) low = middle + 1;
        else high = middle;
    }
    return low < all->count && all->counts[low].key == key;
}

int edges_is_left_out(const edges_all *all, uint64_t key) {
    return all->left_out_count && bsearch(&key, all->left_out, all->left_out_count,
                                          sizeof *all->left_out, by_number) != NULL;
}

/* ---- writing ---- */

void edges_put_unit(dump_writer *w, uint64_t unit) {
    dump_put(w, UNIT);
    dump_put_eight(w, unit);
}

void edges_put_left_out(dump_writer *w, uint64_t key) {
    dump_put(w, LEFT_OUT);
    dump_put_eight(w, key);
}

void edges_put_function(dump_writer *w, const edges_function *f) {
    uint32_t v, e, k;
    dump_put(w, FUNCTION);
    dump_put_eight(w, f->key);
    dump_put_string(w, f->name);
    dump_put_string(w, f->file);
    dump_put(w, f->bits);
    dump_put(w, f->first_slot);
    dump_put(w, f->first_vertex);
    dump_put(w, f->vertices);
    dump_put(w, f->edges);
    dump_put(w, f->stays);
    dump_put(w, f->counts_entry);
    if (f->counts_entry == EDGES_CALLED) {
        dump_put(w, f->calls);
        for (k = 0; k < f->calls; k++) dump_put(w, f->call[k]);
    }
    for (v = 0; v < f->vertices; v++) {
        dump_put(w, f->line_at[v + 1] - f->line_at[v]);
        for (k = f->line_at[v]; k < f->line_at[v + 1]; k++) dump_put(w, f->line[k]);
    }
    for (e = 0; e < f->edges; e++) {
        dump_put(w, 2 * (uint64_t)f->ends[2 * (size_t)e] + f->plan[e]);
        dump_put(w, f->ends[2 * (size_t)e + 1]);
    }
}

static void put_counts(dump_writer *w, const counted *c) {
    uint32_t i;
    dump_put(w, COUNTS);
    dump_put_eight(w, c->key);
    dump_put(w, c->bits);
    dump_put(w, c->slots);
    for (i = 0; i < c->slots; i++) dump_put(w, c->value[i]);
    dump_put(w, c->exits);
    for (i = 0; i < c->exits; i++) {
        dump_put(w, c->exit[i].vertex);
        dump_put(w, c->exit[i].early);
        dump_put(w, c->exit[i].reentry);
    }
}

static void write(void *state, text *out) {
    const edges_all *all = (const edges_all *)state;
    uint64_t unit = 0;
    dump_writer w;
    size_t i, k;
    /* Without anything in it, too: a part that was read is there again in what
       merge writes. */
    dump_begin(&w, out, KIND);
    for (i = 0; i < all->function_count; i++) {
        if (all->functions[i].unit != unit) edges_put_unit(&w, unit = all->functions[i].unit);
        edges_put_function(&w, &all->functions[i]);
    }
    for (i = 0; i < all->left_out_count; i++) edges_put_left_out(&w, all->left_out[i]);
    for (i = 0; i < all->unnamed.count; i++) put_counts(&w, &all->unnamed.list[i]);
    for (k = 0; k < all->test_count; k++) {
        dump_put(&w, TEST);
        dump_put_string(&w, all->tests[k].name);
        for (i = 0; i < all->tests[k].counts.count; i++)
            put_counts(&w, &all->tests[k].counts.list[i]);
    }
    dump_end(&w);
}

static void free_state(void *state) {
    edges_all *all = (edges_all *)state;
    size_t i;
    if (all->counts != all->unnamed.list) {
        edges_list sum = {all->counts, all->count, 0};
        free_list(&sum);
    }
    free_list(&all->unnamed);
    for (i = 0; i < all->test_count; i++) {
        free_list(&all->tests[i].counts);
        free(all->tests[i].name);
    }
    free(all->tests);
    for (i = 0; i < all->function_count; i++) free_function(&all->functions[i]);
    free(all->functions);
    free(all->left_out);
    memset(all, 0, sizeof *all);
}

const part_kind kind_edges = {
    KIND, "edges", sizeof(edges_all), read, settle, write, free_state, NULL,
};
