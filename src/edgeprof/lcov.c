/* ---- LCOV and CSV ---- */

typedef struct edgeprof_p_text {
    edgeprof_write_fn write;
    void *user;
    int error;
    uint32_t used;
    char line[64];
} edgeprof_p_text;

static void edgeprof_p_flush(edgeprof_p_text *t) {
    if (!t->error && t->used) t->error = t->write(t->user, t->line, t->used);
    t->used = 0;
}

static void edgeprof_p_char(edgeprof_p_text *t, char c) {
    t->line[t->used++] = c;
    if (t->used == sizeof t->line) edgeprof_p_flush(t);
}

static void edgeprof_p_say(edgeprof_p_text *t, const char *words) {
    while (*words) edgeprof_p_char(t, *words++);
}

/* A name in a line of text: a line end would begin another record. */
static void edgeprof_p_name(edgeprof_p_text *t, const char *name) {
    for (; *name; name++) edgeprof_p_char(t, (unsigned char)*name < 32 ? '?' : *name);
}

/* Divides by 10, 16 bits at a time, and returns the rest: where 32 bits are a
   word, dividing 64 bits needs a function of 700 bytes. */
static uint32_t edgeprof_p_divide(uint64_t *number) {
    uint64_t quotient = 0;
    uint32_t rest = 0;
    int shift;
    for (shift = 48; shift >= 0; shift -= 16) {
        rest = rest << 16 | (uint32_t)(*number >> shift & 65535);
        quotient = quotient << 16 | rest / 10;
        rest %= 10;
    }
    *number = quotient;
    return rest;
}

static void edgeprof_p_number(edgeprof_p_text *t, uint64_t number) {
    char digits[21], *at = digits + 20;
    *at = 0;
    do *--at = (char)('0' + edgeprof_p_divide(&number));
    while (number != 0);
    edgeprof_p_say(t, at);
}

static void edgeprof_p_row(edgeprof_p_text *t, const char *what, uint64_t a, uint64_t b) {
    edgeprof_p_say(t, what);
    edgeprof_p_number(t, a);
    edgeprof_p_char(t, ',');
    edgeprof_p_number(t, b);
}

static void edgeprof_p_total(edgeprof_p_text *t, const char *what, uint32_t count) {
    edgeprof_p_say(t, what);
    edgeprof_p_number(t, count);
    edgeprof_p_char(t, '\n');
}

static int edgeprof_p_same(const char *a, const char *b) {
    while (*a && *a == *b) {
        a++;
        b++;
    }
    return *a == *b;
}

typedef struct edgeprof_p_totals {
    uint32_t functions, functions_hit, branches, branches_hit, lines, lines_hit;
    uint32_t blocks; /* of the functions before this one: numbers of blocks are unique in a file */
} edgeprof_p_totals;

/* A line runs as often as the busiest vertex that has it. A wrapped count may
   read 0 where an edge behind it does not: readers of LCOV refuse a branch
   taken on a line not run, so the edges that leave a vertex count for its line
   too. */
static uint64_t edgeprof_p_line_count(const edgeprof_function *f, const edgeprof_p_room *room,
                                      uint32_t line) {
    uint64_t most = 0;
    uint32_t v, e;
    for (v = 0; v < f->vertices; v++)
        if (f->lines[v] == line && room->block[v] > most) most = room->block[v];
    for (e = 0; most == 0 && e < f->edges; e++)
        if (f->lines[f->ends[2 * (size_t)e]] == line) most = room->count[e];
    return most;
}

static void edgeprof_p_lcov_function(edgeprof_p_text *t, const edgeprof_function *f,
                                     const edgeprof_p_room *room, edgeprof_p_totals *sum) {
    uint64_t entries = room->count[f->edges], most;
    uint32_t v, w, e, out;
    /* Readers of LCOV refuse a line that ran in a function that did not. */
    for (v = 0; v < f->vertices && entries == 0; v++)
        if (f->lines[v]) entries = edgeprof_p_line_count(f, room, f->lines[v]) != 0;
    if (entries && room->block[0] == 0) room->block[0] = 1;
    edgeprof_p_say(t, "FN:");
    edgeprof_p_number(t, f->lines[0] ? f->lines[0] : 1);
    edgeprof_p_char(t, ',');
    edgeprof_p_name(t, f->name);
    edgeprof_p_say(t, "\nFNDA:");
    edgeprof_p_number(t, entries);
    edgeprof_p_char(t, ',');
    edgeprof_p_name(t, f->name);
    edgeprof_p_char(t, '\n');
    sum->functions++;
    sum->functions_hit += entries != 0;
    for (v = 0; v < f->vertices; v++) {
        uint32_t edges_out = 0;
        for (e = 0; e < f->edges - f->stays; e++) edges_out += f->ends[2 * (size_t)e] == v;
        if (!f->lines[v] || edges_out < 2) continue;
        out = 0;
        for (e = 0; e < f->edges - f->stays; e++) {
            if (f->ends[2 * (size_t)e] != v) continue;
            edgeprof_p_row(t, "BRDA:", f->lines[v], sum->blocks + v);
            edgeprof_p_char(t, ',');
            edgeprof_p_number(t, out++);
            edgeprof_p_char(t, ',');
            if (edgeprof_p_line_count(f, room, f->lines[v]) == 0)
                edgeprof_p_char(t, '-');
            else
                edgeprof_p_number(t, room->count[e]);
            edgeprof_p_char(t, '\n');
            sum->branches++;
            sum->branches_hit += room->count[e] != 0;
        }
    }
    for (v = 0; v < f->vertices; v++) {
        for (w = 0; w < v && f->lines[w] != f->lines[v]; w++) {
        }
        if (!f->lines[v] || w < v) continue;
        most = edgeprof_p_line_count(f, room, f->lines[v]);
        edgeprof_p_row(t, "DA:", f->lines[v], most);
        edgeprof_p_char(t, '\n');
        sum->lines++;
        sum->lines_hit += most != 0;
    }
    sum->blocks += f->vertices;
}

EDGEPROF_API int edgeprof_write_lcov(const edgeprof_function *const *list, uint32_t count,
                                     void *memory, size_t bytes, edgeprof_write_fn write,
                                     void *user) {
    edgeprof_p_text t;
    edgeprof_p_room room;
    uint32_t i, k;
    t.write = write;
    t.user = user;
    t.error = 0;
    t.used = 0;
    for (i = 0; i < count && !t.error; i++) {
        edgeprof_p_totals sum = {0, 0, 0, 0, 0, 0, 0};
        if (!list[i] || !list[i]->ends) continue;
        for (k = 0; k < i; k++)
            if (list[k] && list[k]->ends && edgeprof_p_same(list[k]->file, list[i]->file)) break;
        if (k < i) continue;
        edgeprof_p_say(&t, "TN:\nSF:");
        edgeprof_p_name(&t, list[i]->file);
        edgeprof_p_char(&t, '\n');
        for (k = i; k < count && !t.error; k++) {
            if (!list[k] || !list[k]->ends || !edgeprof_p_same(list[k]->file, list[i]->file))
                continue;
            if (edgeprof_p_lay_out(list[k], &room, memory, bytes) != 0 ||
                edgeprof_p_derive(list[k], &room) != 0)
                return -1;
            edgeprof_p_lcov_function(&t, list[k], &room, &sum);
        }
        edgeprof_p_total(&t, "FNF:", sum.functions);
        edgeprof_p_total(&t, "FNH:", sum.functions_hit);
        edgeprof_p_total(&t, "BRF:", sum.branches);
        edgeprof_p_total(&t, "BRH:", sum.branches_hit);
        edgeprof_p_total(&t, "LF:", sum.lines);
        edgeprof_p_total(&t, "LH:", sum.lines_hit);
        edgeprof_p_say(&t, "end_of_record\n");
    }
    edgeprof_p_flush(&t);
    return t.error ? -1 : 0;
}

static void edgeprof_p_csv_text(edgeprof_p_text *t, const char *name) {
    edgeprof_p_char(t, '"');
    for (; *name; name++) {
        if (*name == '"') edgeprof_p_char(t, '"');
        edgeprof_p_char(t, (unsigned char)*name < 32 ? '?' : *name);
    }
    edgeprof_p_say(t, "\",");
}

static void edgeprof_p_csv_row(edgeprof_p_text *t, const edgeprof_function *f, const char *what,
                               uint32_t number, uint32_t from, uint32_t to, uint64_t executions) {
    edgeprof_p_csv_text(t, f->file);
    edgeprof_p_csv_text(t, f->name);
    edgeprof_p_row(t, what, number, f->lines[from]);
    edgeprof_p_row(t, ",", f->lines[to], executions);
    edgeprof_p_char(t, '\n');
}

EDGEPROF_API int edgeprof_write_csv(const edgeprof_function *const *list, uint32_t count,
                                    void *memory, size_t bytes, edgeprof_write_fn write,
                                    void *user) {
    edgeprof_p_text t;
    edgeprof_p_room room;
    uint32_t i, v, e;
    t.write = write;
    t.user = user;
    t.error = 0;
    t.used = 0;
    edgeprof_p_say(&t, "file,function,what,number,line,to_line,executions\n");
    for (i = 0; i < count && !t.error; i++) {
        const edgeprof_function *f = list[i];
        if (!f || !f->ends) continue;
        if (edgeprof_p_lay_out(f, &room, memory, bytes) != 0 || edgeprof_p_derive(f, &room) != 0)
            return -1;
        edgeprof_p_csv_row(&t, f, "entry,", f->edges - f->stays, f->vertices - 1, 0,
                           room.count[f->edges]);
        for (v = 0; v < f->vertices - 1; v++)
            edgeprof_p_csv_row(&t, f, "block,", v, v, v, room.block[v]);
        for (e = 0; e < f->edges - f->stays; e++)
            edgeprof_p_csv_row(&t, f, "edge,", e, f->ends[2 * (size_t)e],
                               f->ends[2 * (size_t)e + 1], room.count[e]);
    }
    edgeprof_p_flush(&t);
    return t.error ? -1 : 0;
}
