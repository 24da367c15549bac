/* ---- the planner: a plan as a header ---- */

typedef struct edgeplan_p_text {
    int (*write)(void *user, const void *data, size_t size);
    void *user;
    int error;
} edgeplan_p_text;

static void edgeplan_p_say(edgeplan_p_text *t, const char *words) {
    size_t size = 0;
    while (words[size]) size++;
    if (!t->error) t->error = t->write(t->user, words, size);
}

static void edgeplan_p_say_number(edgeplan_p_text *t, uint32_t number) {
    char digits[11], *at = digits + 10;
    *at = 0;
    do *--at = (char)('0' + number % 10);
    while ((number /= 10) != 0);
    edgeplan_p_say(t, at);
}

/* "#define EP_" kind "_" name ["_" edge] " " value; edge `edges` is called
   X. */
static void edgeplan_p_define(edgeplan_p_text *t, const edgeplan *p, const char *kind,
                              const char *name, uint32_t edge, uint32_t value) {
    edgeplan_p_say(t, "#define EP_");
    edgeplan_p_say(t, kind);
    edgeplan_p_say(t, "_");
    edgeplan_p_say(t, name);
    if (edge != EDGEPLAN_P_NO) {
        edgeplan_p_say(t, "_");
        if (edge == p->edges)
            edgeplan_p_say(t, "X");
        else
            edgeplan_p_say_number(t, edge);
    }
    edgeplan_p_say(t, " ");
    edgeplan_p_say_number(t, value);
    edgeplan_p_say(t, value > 65535 ? "u\n" : "\n");
}

/* One line for every edge that a program may name (not stay edges): 0 or 1, and
   with 1 its place. */
static void edgeplan_p_define_edges(edgeplan_p_text *t, const edgeplan *p, const char *is,
                                    const char *place, const char *name) {
    uint32_t slot = 0, e;
    for (e = 0; e <= p->edges; e++) {
        if (e >= p->edges - p->stays && e < p->edges) continue;
        edgeplan_p_define(t, p, is, name, e, p->plan[e] == EDGEPLAN_COUNTED);
        if (p->plan[e] == EDGEPLAN_COUNTED) edgeplan_p_define(t, p, place, name, e, slot++);
    }
}

/* The hash of table and plan (FNV-1a): counters of different plans must not be
   added up. */
static uint32_t edgeplan_p_hash(const edgeplan *p) {
    uint32_t hash = UINT32_C(0x811C9DC5), e;
    for (e = 0; e <= p->edges; e++) {
        hash = (hash ^ EDGEPLAN_P_SRC(p, e)) * UINT32_C(0x01000193);
        hash = (hash ^ EDGEPLAN_P_DST(p, e)) * UINT32_C(0x01000193);
        hash = (hash ^ p->plan[e]) * UINT32_C(0x01000193);
    }
    return hash;
}

EDGEPROF_API int edgeplan_write_header(edgeplan *p, const char *name,
                                       int (*write)(void *user, const void *data, size_t size),
                                       void *user) {
    edgeplan_p_text t;
    uint32_t sum = 0, edges = p->edges - p->stays, e;
    t.write = write;
    t.user = user;
    t.error = 0;
    for (e = 0; e < edges; e++)
        sum += (e + 1) * (97 * EDGEPLAN_P_SRC(p, e) + EDGEPLAN_P_DST(p, e) + 1);
    edgeplan_p_say(&t, "/* ");
    edgeplan_p_say(&t, name);
    edgeplan_p_say(&t, ": made by the planner from the function's table */\n");
    edgeplan_p_define(&t, p, "NE", name, EDGEPLAN_P_NO, edges);
    edgeplan_p_define(&t, p, "NS", name, EDGEPLAN_P_NO, p->stays);
    edgeplan_p_define(&t, p, "NC", name, EDGEPLAN_P_NO, p->counters);
    edgeplan_p_define(&t, p, "SUM", name, EDGEPLAN_P_NO, sum);
    edgeplan_p_define(&t, p, "HASH", name, EDGEPLAN_P_NO, edgeplan_p_hash(p));
    edgeplan_p_say(&t, "#define EP_STAYS_");
    edgeplan_p_say(&t, name);
    for (e = edges; e < p->edges; e++) {
        edgeplan_p_say(&t, " ");
        edgeplan_p_say_number(&t, EDGEPLAN_P_SRC(p, e));
        edgeplan_p_say(&t, ", ");
        edgeplan_p_say_number(&t, p->exit);
        edgeplan_p_say(&t, ",");
    }
    edgeplan_p_say(&t, "\n");
    edgeplan_p_define_edges(&t, p, "L", "S", name);
    edgeplan_marks(p);
    edgeplan_p_define(&t, p, "NB", name, EDGEPLAN_P_NO, p->counters);
    edgeplan_p_define_edges(&t, p, "C", "B", name);
    return t.error ? -1 : 0;
}
