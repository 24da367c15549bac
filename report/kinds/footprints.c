/* footprints.c - reading, adding up and writing parts of kind 3. */
#include "report/kinds/footprints.h"
#include "base/tool.h"
#include <stdlib.h>
#include <string.h>

enum { BINS = 496, VERSION_2 = 2 * FOOTPRINT_BURSTS, KNOWN_FLAGS = 2 * VERSION_2 - 1 };

/* ---- reading ------------------------------------------------------------------------------ */

typedef struct reader {
    dump_reader r;
    size_t last;                                  /* where the latest number stands */
} reader;

static uint64_t get(reader *in) {
    in->last = in->r.at;
    return dump_get(&in->r);
}

static uint32_t get_within(reader *in, uint64_t least, uint64_t most, const char *reason) {
    uint64_t value = get(in);
    if (!in->r.reason && (value < least || value > most)) {
        in->r.reason = reason;
        in->r.at = in->last;
    }
    return in->r.reason ? (uint32_t)least : (uint32_t)value;
}

static void read_head(reader *in, footprints_part *part) {
    footprint_profile *p = &part->profile;
    const unsigned char *name = dump_get_string(&in->r, &part->name_size);
    part->name = (char *)tool_alloc(part->name_size + 1);
    if (part->name_size) memcpy(part->name, name, part->name_size);
    p->flags = get_within(in, 0, KNOWN_FLAGS, "unknown flags");
    part->version = p->flags & VERSION_2 ? 2 : 1;
    p->flags &= ~(uint32_t)VERSION_2;
    p->sample_log2 = get_within(in, 0, 63, "the sampling ratio is above 2^63");
    p->block_log2 = get_within(in, 0, 63, "blocks are larger than 2^63 bytes");
    p->c = get_within(in, 1, 1000000000, "c is not in (0, 1]") / 1e9;
    p->accesses = get(in);
    p->blocks = get(in);
    p->forgotten = get(in);
    p->last_window = get(in);
    p->last_blocks = get(in);
    p->rows = get_within(in, 1, BINS, "rows are not 1 to 496");
    p->columns = get_within(in, 1, BINS, "columns are not 1 to 496");
}

static void read_column(reader *in, footprints_part *part, uint32_t column, size_t *room) {
    footprint_total *total = &part->total[column];
    uint32_t row, end;
    uint64_t all = 0;
    total->windows = get(in);
    total->low = get(in);
    total->high = get(in);
    row = get_within(in, 0, part->profile.rows, "a column has more rows than the table");
    end = row + get_within(in, 0, part->profile.rows - row,
                           "a column has more rows than the table");
    for (; row < end && !in->r.reason; row++) {
        uint64_t windows = get(in);
        if (windows > UINT64_MAX - all) {
            in->r.reason = "a column has 2^64 windows or more";
            in->r.at = in->last;
        }
        all += windows;
        if (windows == 0 || in->r.reason) continue;
        TOOL_ROOM(footprints_cell, part->cells, part->cell_count, *room);
        part->cells[part->cell_count].column = column;
        part->cells[part->cell_count].row = row;
        part->cells[part->cell_count++].windows = windows;
    }
}

/* A list: its length, and then its numbers, each of which takes a byte of the
   part at least. */
static uint64_t *read_list(reader *in, uint32_t most, uint32_t *count) {
    uint32_t i;
    uint64_t *list;
    *count = get_within(in, 0, most, "a list is longer than the table");
    if (!in->r.reason && in->r.size - in->r.at < *count)
        in->r.reason = "the part is too short for a list";
    if (in->r.reason) *count = 0;
    list = (uint64_t *)tool_alloc((*count + (size_t)1) * sizeof *list);
    for (i = 0; i < *count; i++) list[i] = get(in);
    return list;
}

static void read_group(reader *in, const footprint_profile *p, footprints_group *group) {
    uint32_t i;
    group->depth = read_list(in, p->rows, &group->depths);
    group->cut = read_list(in, p->rows, &group->cuts);
    group->columns = get_within(in, 0, p->columns, "a list is longer than the table");
    if (!in->r.reason && in->r.size - in->r.at < 3 * (size_t)group->columns)
        in->r.reason = "the part is too short for a list";
    if (in->r.reason) group->columns = 0;
    group->total = (footprint_total *)tool_alloc(
        (group->columns + (size_t)1) * sizeof *group->total);
    for (i = 0; i < group->columns; i++) {
        group->total[i].windows = get(in);
        group->total[i].low = get(in);
        group->total[i].high = get(in);
    }
}

static void read_version_2(reader *in, footprints_part *part) {
    footprint_profile *p = &part->profile;
    uint32_t i;
    if (get_within(in, 0, 1, "reuses are neither there nor not"))
        part->reuse = read_list(in, p->columns + 1, &part->reuses);
    p->bursts = get(in);
    p->groups = get_within(in, 0, FOOTPRINT_GROUPS, "groups are not 0 or 16");
    if (p->groups % FOOTPRINT_GROUPS && !in->r.reason) {
        in->r.reason = "groups are not 0 or 16";
        in->r.at = in->last;
    }
    if (in->r.reason) p->groups = 0;
    part->groups = (footprints_group *)tool_alloc(
        (p->groups + (size_t)1) * sizeof *part->groups);
    for (i = 0; i < p->groups && !in->r.reason; i++) read_group(in, p, &part->groups[i]);
}

static void free_group(footprints_group *group) {
    free(group->depth);
    free(group->cut);
    free(group->total);
}

static void free_part(footprints_part *part) {
    uint32_t i;
    for (i = 0; part->groups && i < part->profile.groups; i++) free_group(&part->groups[i]);
    free(part->groups);
    free(part->reuse);
    free(part->name);
    free(part->cells);
    free(part->depth);
    free(part->total);
}

/* Every row takes a byte of the part at least, and every column five. Without
   them, rows and columns get no memory. */
static int has_room(reader *in, const footprint_profile *p) {
    if (in->r.reason) return 0;
    if (in->r.size - in->r.at >= p->rows + 5 * (size_t)p->columns) return 1;
    in->r.reason = "the part is too short for its rows and columns";
    return 0;
}

static int read(void *state, const dump *d, const dump_part *part, dump_fault *fault) {
    footprints *f = (footprints *)state;
    footprints_part new_part;
    reader in;
    uint32_t row, column;
    size_t room = 0;
    memset(&in, 0, sizeof in);
    memset(&new_part, 0, sizeof new_part);
    in.r = dump_fields(d, part);
    if (!in.r.data) in.r.data = (const unsigned char *)"";
    read_head(&in, &new_part);
    if (has_room(&in, &new_part.profile)) {
        new_part.depth = (uint64_t *)tool_alloc(new_part.profile.rows * sizeof *new_part.depth);
        new_part.total = (footprint_total *)tool_alloc(
            new_part.profile.columns * sizeof *new_part.total);
        for (row = 0; row < new_part.profile.rows; row++) new_part.depth[row] = get(&in);
        for (column = 0; column < new_part.profile.columns && !in.r.reason; column++)
            read_column(&in, &new_part, column, &room);
        if (new_part.version == 2 && !in.r.reason) read_version_2(&in, &new_part);
        if (!in.r.reason && in.r.at < in.r.size)
            in.r.reason = "the part goes on after its last field";
    }
    if (in.r.reason) {
        free_part(&new_part);
        return dump_refuse(fault, dump_place(d, part, in.r.at), "%s", in.r.reason);
    }
    if ((f->count & (f->count - 1)) == 0)         /* room for 1, 2, 4, ... */
        f->parts = (footprints_part *)tool_grow(
            f->parts, (f->count ? 2 * f->count : 1) * sizeof *f->parts);
    new_part.order = f->count;
    f->parts[f->count++] = new_part;
    return 0;
}

footprint_profile footprints_lay_out(const footprints_part *part, void **memory) {
    footprint_profile p = part->profile, tables;
    uint32_t flags = p.groups ? (uint32_t)FOOTPRINT_BURSTS : 0, row, column;
    size_t bytes = footprint_profile_bytes(p.rows, p.columns, flags), i;
    *memory = tool_alloc(bytes);
    footprint_profile_init(&tables, p.rows, p.columns, flags, *memory, bytes);
    p.at_least = tables.at_least;
    p.depth = tables.depth;
    p.total = tables.total;
    p.reuse = part->reuse ? tables.reuse : NULL;
    p.group_depth = tables.group_depth;
    p.group_cut = tables.group_cut;
    p.group_total = tables.group_total;
    for (i = 0; i < part->reuses; i++) p.reuse[i] = part->reuse[i];
    for (i = 0; i < p.groups; i++) {
        const footprints_group *group = &part->groups[i];
        memcpy(p.group_depth + i * p.rows, group->depth, group->depths * sizeof *group->depth);
        memcpy(p.group_cut + i * p.rows, group->cut, group->cuts * sizeof *group->cut);
        memcpy(p.group_total + i * p.columns, group->total,
               group->columns * sizeof *group->total);
    }
    memcpy(p.depth, part->depth, p.rows * sizeof *p.depth);
    memcpy(p.total, part->total, p.columns * sizeof *p.total);
    for (i = 0; i < part->cell_count; i++) {
        const footprints_cell *cell = &part->cells[i];
        p.at_least[cell->row * (size_t)p.columns + cell->column] = cell->windows;
    }
    for (row = p.rows; row-- > 1; ) {             /* from cells to sums over the rows above */
        for (column = 0; column < p.columns; column++) {
            uint64_t *to = &p.at_least[(row - 1) * (size_t)p.columns + column];
            *to += p.at_least[row * (size_t)p.columns + column];
        }
    }
    return p;
}

/* ---- adding up ---------------------------------------------------------------------------- */

static int order_of(uint64_t a, uint64_t b) { return a < b ? -1 : a > b; }

static int compare_keys(const footprints_part *a, const footprints_part *b) {
    const footprint_profile *p = &a->profile, *q = &b->profile;
    const uint32_t kinds = FOOTPRINT_INTERLEAVED | FOOTPRINT_AVERAGE | FOOTPRINT_DIFFERENCE |
                           FOOTPRINT_BURSTS;
    size_t least = a->name_size < b->name_size ? a->name_size : b->name_size;
    int order = memcmp(a->name, b->name, least);
    if (order == 0) order = order_of(a->name_size, b->name_size);
    if (order == 0) order = order_of(p->block_log2, q->block_log2);
    if (order == 0) order = order_of(p->sample_log2, q->sample_log2);
    if (order == 0) order = order_of(p->flags & kinds, q->flags & kinds);
    if (order == 0) order = a->version - b->version;
    if (order == 0) order = p->c < q->c ? -1 : p->c > q->c;
    return order;
}

static int by_key(const void *a, const void *b) {
    const footprints_part *x = (const footprints_part *)a, *y = (const footprints_part *)b;
    int order = compare_keys(x, y);
    return order ? order : order_of(x->order, y->order);
}

static int by_order(const void *a, const void *b) {
    return order_of(((const footprints_part *)a)->order, ((const footprints_part *)b)->order);
}

static int by_place(const void *a, const void *b) {
    const footprints_cell *x = (const footprints_cell *)a, *y = (const footprints_cell *)b;
    int order = order_of(x->column, y->column);
    return order ? order : order_of(x->row, y->row);
}

static void add(footprint_profile *p, uint64_t *sum, uint64_t more) {
    *sum = *sum + more < more ? UINT64_MAX : *sum + more;
    if (*sum == UINT64_MAX) p->flags |= FOOTPRINT_SATURATED;
}

static void add_total(footprint_profile *p, footprint_total *sum, const footprint_total *more) {
    add(p, &sum->windows, more->windows);
    sum->low += more->low;
    sum->high += more->high + (sum->low < more->low);
}

/* Takes so much off the cells of small footprints that each column adds up to
   less than 2^64. */
static void cap_columns(footprints_part *sum) {
    uint64_t all = 0;
    size_t i;
    for (i = sum->cell_count; i-- > 0; ) {
        footprints_cell *cell = &sum->cells[i];
        if (i + 1 == sum->cell_count || cell[1].column != cell->column) all = 0;
        if (cell->windows > UINT64_MAX - all) {
            cell->windows = UINT64_MAX - all;
            sum->profile.flags |= FOOTPRINT_SATURATED;
        }
        all += cell->windows;
    }
}

/* Adds more[0..count) to sum[0..most), which takes new memory if it is
   shorter. */
static void add_list(footprint_profile *p, uint64_t **sum, uint32_t *most, const uint64_t *more,
                     uint32_t count) {
    uint32_t i;
    if (*most < count) {
        *sum = (uint64_t *)tool_grow(*sum, count * sizeof **sum);
        for (; *most < count; ++*most) (*sum)[*most] = 0;
    }
    for (i = 0; i < count; i++) add(p, &(*sum)[i], more[i]);
}

static void add_group(footprint_profile *p, footprints_group *sum, const footprints_group *more) {
    uint32_t i;
    add_list(p, &sum->depth, &sum->depths, more->depth, more->depths);
    add_list(p, &sum->cut, &sum->cuts, more->cut, more->cuts);
    if (sum->columns < more->columns) {
        sum->total = (footprint_total *)tool_grow(sum->total,
                                                  more->columns * sizeof *sum->total);
        memset(sum->total + sum->columns, 0, (more->columns - sum->columns) * sizeof *sum->total);
        sum->columns = more->columns;
    }
    for (i = 0; i < more->columns; i++) add_total(p, &sum->total[i], &more->total[i]);
}

static void drop_reuse(footprints_part *part) {
    free(part->reuse);
    part->reuse = NULL;
    part->reuses = 0;
}

/* What version 2 has. A sum knows reuses, and has groups, if all of its parts
   do. Reuses are not known of tables of different lengths, because their last
   cells are those of longer ones. */
static void add_version_2(footprints_part *sum, const footprints_part *more) {
    footprint_profile *p = &sum->profile;
    uint32_t i;
    add(p, &p->bursts, more->profile.bursts);
    if (!more->reuse || !sum->reuse || more->profile.columns != p->columns) drop_reuse(sum);
    else add_list(p, &sum->reuse, &sum->reuses, more->reuse, more->reuses);
    if (more->profile.groups == 0) {
        for (i = 0; i < p->groups; i++) free_group(&sum->groups[i]);
        p->groups = 0;
    }
    for (i = 0; i < p->groups; i++) add_group(p, &sum->groups[i], &more->groups[i]);
}

/* The sum of parts[0..count), which have one key. Their cells are joined,
   sorted and added up. */
static footprints_part sum_of(footprints_part *parts, size_t count) {
    footprints_part sum = parts[0];
    footprint_profile *p = &sum.profile;
    size_t i, k, kept = 0, cells = 0;
    if (count == 1) return sum;
    for (i = 0; i < count; i++) {
        cells += parts[i].cell_count;
        if (parts[i].profile.rows > p->rows) p->rows = parts[i].profile.rows;
        if (parts[i].profile.columns > p->columns) p->columns = parts[i].profile.columns;
    }
    if (parts[0].profile.columns != p->columns) drop_reuse(&sum);
    sum.depth = (uint64_t *)tool_alloc(p->rows * sizeof *sum.depth);
    sum.total = (footprint_total *)tool_alloc(p->columns * sizeof *sum.total);
    sum.cells = (footprints_cell *)tool_alloc(cells * sizeof *sum.cells);
    sum.cell_count = 0;
    for (i = 0; i < count; i++) {
        const footprints_part *more = &parts[i];
        for (k = 0; k < more->profile.rows; k++) add(p, &sum.depth[k], more->depth[k]);
        for (k = 0; k < more->profile.columns; k++) add_total(p, &sum.total[k], &more->total[k]);
        if (more->cell_count)
            memcpy(sum.cells + sum.cell_count, more->cells, more->cell_count * sizeof *sum.cells);
        sum.cell_count += more->cell_count;
        if (i == 0) continue;
        add(p, &p->accesses, more->profile.accesses);
        add(p, &p->blocks, more->profile.blocks);
        add(p, &p->forgotten, more->profile.forgotten);
        p->flags |= more->profile.flags;
        p->last_window = p->last_blocks = 0;      /* no window of the sum is the whole run */
        add_version_2(&sum, more);
    }
    qsort(sum.cells, sum.cell_count, sizeof *sum.cells, by_place);
    for (i = 0; i < sum.cell_count; i++) {
        if (kept && by_place(&sum.cells[kept - 1], &sum.cells[i]) == 0)
            add(p, &sum.cells[kept - 1].windows, sum.cells[i].windows);
        else sum.cells[kept++] = sum.cells[i];
    }
    sum.cell_count = kept;
    cap_columns(&sum);
    for (i = 0; i < count; i++) {
        if (i == 0) {                             /* the sum has these */
            parts[i].name = NULL;
            parts[i].reuse = NULL;
            parts[i].groups = NULL;
        }
        free_part(&parts[i]);
    }
    return sum;
}

static void settle(void *state) {
    footprints *f = (footprints *)state;
    size_t i, end, kept = 0;
    if (f->count == 0) return;
    qsort(f->parts, f->count, sizeof *f->parts, by_key);
    for (i = 0; i < f->count; i = end) {
        end = i + 1;
        while (end < f->count && compare_keys(&f->parts[i], &f->parts[end]) == 0) end++;
        f->parts[kept++] = sum_of(&f->parts[i], end - i);
    }
    f->count = kept;
    qsort(f->parts, f->count, sizeof *f->parts, by_order);
}

/* ---- writing ------------------------------------------------------------------------------ */

static void write_list(dump_writer *w, const uint64_t *list, uint32_t count) {
    uint32_t i;
    while (count > 0 && list[count - 1] == 0) count--;
    dump_put(w, count);
    for (i = 0; i < count; i++) dump_put(w, list[i]);
}

static void write_version_2(dump_writer *w, const footprints_part *part) {
    uint32_t i, k, columns;
    dump_put(w, part->reuse != NULL);
    if (part->reuse) write_list(w, part->reuse, part->reuses);
    dump_put(w, part->profile.bursts);
    dump_put(w, part->profile.groups);
    for (i = 0; i < part->profile.groups; i++) {
        const footprints_group *group = &part->groups[i];
        write_list(w, group->depth, group->depths);
        write_list(w, group->cut, group->cuts);
        columns = group->columns;
        while (columns > 0 && group->total[columns - 1].windows == 0) columns--;
        dump_put(w, columns);
        for (k = 0; k < columns; k++) {
            dump_put(w, group->total[k].windows);
            dump_put(w, group->total[k].low);
            dump_put(w, group->total[k].high);
        }
    }
}

static void write_part(const footprints_part *part, text *out) {
    const footprint_profile *p = &part->profile;
    dump_writer w;
    uint32_t row, column;
    size_t i = 0, end;
    dump_begin(&w, out, DUMP_FOOTPRINT);
    dump_put(&w, part->name_size);
    dump_put_bytes(&w, part->name, part->name_size);
    dump_put(&w, p->flags | (part->version == 2 ? (uint32_t)VERSION_2 : 0));
    dump_put(&w, p->sample_log2);
    dump_put(&w, p->block_log2);
    dump_put(&w, (uint64_t)(p->c * 1e9 + .5));
    dump_put(&w, p->accesses);
    dump_put(&w, p->blocks);
    dump_put(&w, p->forgotten);
    dump_put(&w, p->last_window);
    dump_put(&w, p->last_blocks);
    dump_put(&w, p->rows);
    dump_put(&w, p->columns);
    for (row = 0; row < p->rows; row++) dump_put(&w, part->depth[row]);
    for (column = 0; column < p->columns; column++) {
        uint32_t first;
        for (end = i; end < part->cell_count && part->cells[end].column == column; end++) {}
        first = end > i ? part->cells[i].row : 0;
        dump_put(&w, part->total[column].windows);
        dump_put(&w, part->total[column].low);
        dump_put(&w, part->total[column].high);
        dump_put(&w, first);
        dump_put(&w, end > i ? part->cells[end - 1].row + 1 - first : 0);
        for (row = first; i < end; row++) {       /* with the zeros in between */
            if (part->cells[i].row == row) dump_put(&w, part->cells[i++].windows);
            else dump_put(&w, 0);
        }
    }
    if (part->version == 2) write_version_2(&w, part);
    dump_end(&w);
}

static void write(void *state, text *out) {
    footprints *f = (footprints *)state;
    size_t i;
    if (f->count) qsort(f->parts, f->count, sizeof *f->parts, by_key); /* not by who came first */
    for (i = 0; i < f->count; i++) write_part(&f->parts[i], out);
}

static void free_state(void *state) {
    footprints *f = (footprints *)state;
    size_t i;
    for (i = 0; i < f->count; i++) free_part(&f->parts[i]);
    free(f->parts);
    memset(f, 0, sizeof *f);
}

const part_kind kind_footprints = {
    DUMP_FOOTPRINT, "footprints", sizeof(footprints), read, settle, write, free_state,
    NULL,
};
