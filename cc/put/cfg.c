/* cfg.c - the control flow graph of a function, and where the text of each
   edge's counter stands.

   One walk does both. In the first run it makes vertices and edges; when the
   plan is known, a second run passes the same edges in the same order and
   inserts the counters of those that have one. So an edge's number is all that
   the two runs share, and its place in the text follows from the statement that
   makes it:

       c                    (((c)&&(T,1))||(F,0))        the two ways out of a condition
       if (c) s;            if (c) {s; E;}               an arm's end
       while (c) s;         {E; while (c) {s; B;}}       into the loop, and back
       break;               {E; break;}                  and continue, goto, return
       l: s;                {E; l: s;}                   arriving at a label from above
       case 1: s;           {P; if (0) {case 1: D;} s;}  falling into a case passes D by

   Behind a statement that calls something stands a cut: an edge to a vertex of
   its own, so that what runs after a call that does not return is counted apart
   (exits.h). Markers tell which vertex the code of a call belongs to:

       M; s;                f(x)                          in front of a statement
       (({M;}),c)                                         of a condition, an arm, an increment
       ({auto t = (a ? b : c); M; t;})                    behind a decision in front of a call

   The word "here" means the vertex that is running where the walk stands. It is
   CC_NOWHERE behind a jump: then no edge is made until a label or a case
   revives it. */
#include "cc/put/exits.h"
#include "cc/put/mcdc.h"
#include "cc/put/trace.h"
#include "base/tool.h"
#include "cc/read/twice.h"
#include <stdlib.h>
#include <string.h>

typedef struct flow_label {
    uint32_t name, vertex;
    uint32_t open, close;     /* braces of the block that it is known in */
    int taken;                /* its address is: a computed goto may lead to it; or asm goto */
    int jumped;               /* a plain goto leads to it */
} flow_label;

/* A loop whose own edges are counted in variables (see "loops that count"). */
enum { OWN_MOST = 3 };
typedef struct own_loop {
    uint32_t head, body, increment; /* vertices; head: CC_NOWHERE if it has none */
    uint32_t slots[OWN_MOST], count;
} own_loop;

typedef struct walk {
    cc_unit *u;
    const cc_function *f;
    cc_cfg *g;
    int emit;
    uint32_t here, vertices, edges;
    uint32_t break_to, continue_to;
    uint32_t dispatch;        /* of the switch around here, or CC_NOWHERE */
    int has_default;
    uint32_t computed;        /* where all computed gotos meet, or CC_NOWHERE */
    int is_direct;            /* the next statement stands in a block itself */
    uint32_t jumpers;         /* how many of them there are, with asm goto */
    flow_label *labels;
    uint32_t label_count;
    uint32_t behinds;         /* witnesses behind a value so far: places in behind[] */
    uint32_t parts;           /* && || ?: ({}) so far: places in after[] */
    uint32_t full_last;       /* the last token of the full expression around here */
    /* for emit */
    own_loop own;
    const cc_request *request;
    const char *table;
    const char *counters;     /* what a function's counters are elements of: the table, or a place in it */
    uint32_t first;           /* its number of the first */
    cc_edits *edits;
    int *look_again;
    char words[2][192];
} walk;

static void statement(walk *w, uint32_t node);
static void value(walk *w, uint32_t node);

static const cc_node *at(const walk *w, uint32_t node) { return &w->u->nodes[node]; }

/* A warning may be hidden. */
static void look_again(walk *w) {
    if (*w->look_again == CC_LOOK_NOT) *w->look_again = CC_LOOK_QUICKLY;
}

static void give_up(walk *w, uint32_t token, const char *reason) {
    if (w->g->reason) return;
    w->g->reason = reason;
    w->g->reason_token = token;
}

/* ---- vertices and edges ---- */

static uint32_t vertex(walk *w) { return w->vertices++; }

static uint32_t edge(walk *w, uint32_t from, uint32_t to) {
    cc_cfg *g = w->g;
    cc_edge *e;
    if (from == CC_NOWHERE) return CC_NOWHERE;
    if (w->emit) return w->edges++;
    TOOL_ROOM(cc_edge, g->edges, g->edge_count, g->edge_room);
    e = &g->edges[g->edge_count];
    e->from = from;
    e->to = to;
    e->slot = CC_NOWHERE;
    e->forced = 0;
    return g->edge_count++;
}

static void force(walk *w, uint32_t e) {
    if (e != CC_NOWHERE && !w->emit) w->g->edges[e].forced = CC_FORCED;
}

static void add_site(walk *w, const cc_node *n) {
    const cc_name *name = n->kind == CC_N_CALL ? cc_find(w->u, n->first, 0) : NULL;
    cc_cfg *g = w->g;
    cc_site *s;
    TOOL_ROOM(cc_site, g->sites, g->site_count, g->site_room);
    s = &g->sites[g->site_count++];
    s->callee = name && name->function ? name->function - 1 : CC_NOWHERE;
    s->vertex = w->here;
    s->first = n->first;
    s->last = n->last;
    s->full = w->full_last;
    s->leaves = cc_exits_call(w->u, n);
}

/* A call stands here; one that may not return is noted. */
static void called(walk *w, const cc_node *n) {
    cc_cfg *g = w->g;
    if (!w->emit) add_site(w, n);
    if (w->emit || w->here == CC_NOWHERE || !cc_exits_call(w->u, n)) return;
    if (w->here >= g->call_room) {
        uint32_t old = g->call_room;
        g->call_room = w->here + 64;
        g->call = (uint32_t *)tool_grow(g->call, g->call_room * sizeof *g->call);
        memset(g->call + old, 0, (g->call_room - old) * sizeof *g->call);
    }
    if (!g->call[w->here]) g->call[w->here] = n->last + 1;
}

/* The number of the token's file among those of the function, as that of a
   grammar whose actions stand in it. */
static uint32_t file_of(walk *w, uint32_t token) {
    const cc_tokens *t = &w->u->tokens;
    const char *name = t->files[t->list[token].file].name;
    cc_cfg *g = w->g;
    uint32_t i;
    if (cc_same_file(t, token, w->f->name)) return 0;
    for (i = g->other_files; i > 0; i--) {
        if (strcmp(g->own_files[i - 1], name) == 0) return i;
    }
    g->own_files = (const char **)tool_grow((void *)g->own_files,
                                            (g->other_files + 1) * sizeof *g->own_files);
    g->own_files[g->other_files++] = name;
    g->other_file = g->own_files;
    return g->other_files;
}

/* A macro of the system's has the line on which it is used, with the system's
   flag. */
static int is_of_system(const cc_tokens *t, uint32_t file) {
    uint32_t i;
    for (i = 0; i < t->file_count; i++) {
        if (!t->files[i].in_system && strcmp(t->files[i].name, t->files[file].name) == 0) return 0;
    }
    return 1;
}

/* The right operand of ?: without a middle is part of the same vertex. */
static void called_in(walk *w, uint32_t node) {
    const cc_node *n;
    int i;
    for (; node && w->g->traces; node = n->next) {
        n = &w->u->nodes[node];
        called(w, n);
        for (i = 0; i < 4; i++) called_in(w, n->kid[i]);
    }
}

/* The line of this token runs where the walk stands. */
static void note(walk *w, uint32_t token) {
    const cc_token *t = &w->u->tokens.list[token];
    cc_cfg *g = w->g;
    uint32_t file;
    if (w->emit || w->here == CC_NOWHERE) return;
    if (!cc_same_file(&w->u->tokens, token, w->f->name) && is_of_system(&w->u->tokens, t->file))
        return;
    file = file_of(w, token);
    TOOL_ROOM(cc_line_of, g->lines, g->line_count, g->line_room);
    g->lines[g->line_count].vertex = w->here;
    g->lines[g->line_count].file = file;
    g->lines[g->line_count++].line = t->line;
}

/* ---- text ---- */

const char *cc_counter_type(int bits) {
    return bits <= 8 ? "char" : bits == 16 ? "short" : bits == 64 ? "long long" : "int";
}

/* One instruction of x86 adds to memory, or sets a bit there. From C gcc makes
   three of it without optimisation. With optimisation it keeps counters in
   registers through a loop; to carry them there and back, and to remember
   whether they changed, costs more. what: `add` or `or`. */
static void change_in_place(text *t, const walk *w, const char *what, unsigned value,
                            unsigned long n) {
    static const char *const suffixes[] = {"b", "w", "l", "q"};
    static const char *const sizes[] = {"byte", "word", "dword", "qword"};
    int bits = w->request->cover, i = bits == 64 ? 3 : bits == 32 ? 2 : bits == 16 ? 1 : 0;
    int says_size = w->request->in_place == CC_IN_PLACE_CLANG; /* for -masm=intel */
    text_format(t, "__extension__({__asm__ __inline__(\"%s{%s $%u,%%0| %s%s%%0,%u}\":\"+m\"(%s[%lu]));})",
                what, suffixes[i], value, says_size ? sizes[i] : "", says_size ? " ptr " : "", value,
                w->counters, n);
}

/* Is this an edge that a loop counts in a variable? Notes its slot. */
static int is_own(walk *w, uint32_t e) {
    const cc_edge *edge = &w->g->edges[e];
    own_loop *own = &w->own;
    uint32_t i;
    if (own->head == CC_NOWHERE) return 0;
    if ((edge->from != own->head || edge->to != own->body) && edge->to != own->increment &&
        (edge->from != own->increment || edge->to != own->head)) return 0;
    for (i = 0; i < own->count && own->slots[i] != edge->slot; i++) {
    }
    if (i == OWN_MOST) return 0;
    own->slots[i] = edge->slot;
    if (i == own->count) own->count++;
    return 1;
}

/* The text that counts an edge, or NULL if nothing does. which: two may be in
   use at once. */
static const char *counter_of(walk *w, uint32_t slot, int which, int in_loop) {
    text t = {NULL, 0, 0};
    unsigned long n = slot - w->first;
    if (in_loop) {
        text_format(&t, w->request->cover <= 8 ? "bursty_n%lu=1" : "++bursty_n%lu",
                    (unsigned long)slot);
    } else if (w->request->trace) {
        cc_trace_witness(&t, w->table, w->g->entry_slot, slot);
    } else if (w->request->cover == 1 && w->request->atomic) {
        text_format(&t, "(void)__atomic_fetch_or(&%s[%lu],%uu,0)", w->counters, n / 8,
                    1u << n % 8);
    } else if (w->request->cover == 1 && w->request->in_place) {
        change_in_place(&t, w, "or", 1u << n % 8, n / 8);
    } else if (w->request->cover == 1) {
        text_format(&t, "%s[%lu]|=%uu", w->counters, n / 8, 1u << n % 8);
    } else if (w->request->cover == 8) {
        text_format(&t, "%s[%lu]=1", w->counters, n);
    } else if (w->request->atomic) {
        text_format(&t, "(void)__atomic_fetch_add(&%s[%lu],1,0)", w->counters, n);
    } else if (w->request->in_place) {
        change_in_place(&t, w, "add", 1, n);
    } else {
        text_format(&t, "++%s[%lu]", w->counters, n);
    }
    memcpy(w->words[which], t.data, t.size);
    w->words[which][t.size] = 0;
    text_free(&t);
    return w->words[which];
}

static const char *counter(walk *w, uint32_t e, int which) {
    if (!w->emit || e == CC_NOWHERE || w->g->edges[e].slot == CC_NOWHERE) return NULL;
    return counter_of(w, w->g->edges[e].slot, which, is_own(w, e));
}

/* The same for the entry. */
static const char *entry_text(walk *w) {
    text t = {NULL, 0, 0};
    if (!w->request->trace) return counter_of(w, w->g->entry_slot, 0, 0);
    cc_trace_enter(&t, w->table, w->g->entry_slot);
    memcpy(w->words[0], t.data, t.size);
    w->words[0][t.size] = 0;
    text_free(&t);
    return w->words[0];
}

static uint32_t begin(const walk *w, uint32_t token) { return w->u->tokens.list[token].at; }

static uint32_t end(const walk *w, uint32_t token) {
    return w->u->tokens.list[token].at + w->u->tokens.list[token].size;
}

static void put(walk *w, int closes, uint32_t place, const char *a, const char *b, const char *c) {
    text words = {NULL, 0, 0};
    if (!w->emit) return;
    text_add(&words, a);
    if (b) text_add(&words, b);
    text_add(&words, c);
    text_bytes(&words, "", 1);
    if (closes) cc_insert_close(w->edits, place, words.data);
    else cc_insert_open(w->edits, place, words.data);
    text_free(&words);
}

/* The marker of the vertex v: a new string, or NULL if none is wanted. */
static char *marker(const walk *w, uint32_t v) {
    const cc_cfg *g = w->g;
    text t = {NULL, 0, 0};
    if (!w->emit || !w->request->exits || v == CC_NOWHERE || v >= g->call_room || !g->call[v] ||
        g->number[v] == CC_NOWHERE) return NULL;
    cc_exits_mark(&t, w->table, g->number[v]);
    text_bytes(&t, "", 1);
    return t.data;
}

/* M; in front of a statement with calls. */
static void mark_statement(walk *w, const cc_node *n, uint32_t value) {
    char *words = cc_exits_in(w->u, value) ? marker(w, w->here) : NULL;
    char name[80];
    if (!words) return;
    if (n->kind == CC_N_DECLARATION) {      /* a declaration in C90 stands before all statements */
        snprintf(name, sizeof name, "__attribute__((unused)) char bursty_x%lu=(__extension__({",
                 (unsigned long)n->first);
        put(w, 0, begin(w, n->first), name, words, ";}),0);");
    } else {
        put(w, 0, begin(w, n->first), words, ";", "");
    }
    free(words);
}

/* (({M;}),x): the vertex v begins with the expression x. */
static int open_marked(walk *w, uint32_t token, uint32_t v) {
    char *words = marker(w, v);
    if (!words) return 0;
    put(w, 0, begin(w, token), "(__extension__({", words, ";}),");
    free(words);
    return 1;
}

static void close_marked(walk *w, uint32_t token, int opened) {
    if (opened) put(w, 1, end(w, token), ")", "", "");
}

/* Behind statements that call: what comes next is another vertex. Returns the
   edge to it. */
static uint32_t cut(walk *w, uint32_t node) {
    uint32_t next, e;
    if (w->here == CC_NOWHERE || !cc_exits_in(w->u, node)) return CC_NOWHERE;
    next = vertex(w);
    e = edge(w, w->here, next);
    w->here = next;
    return e;
}

/* {E; statement}. The closing brace comes when the statement has been
   walked. */
static int open_before(walk *w, const cc_node *n, uint32_t e) {
    const char *words = counter(w, e, 0);
    if (!words) return 0;
    put(w, 0, begin(w, n->first), "{", words, ";");
    return 1;
}

static void close_after(walk *w, const cc_node *n, int opened) {
    if (opened) put(w, 1, end(w, n->last), "}", "", "");
}

/* Walks an arm or a body, and adds the edge from its end to a vertex. */
static void arm(walk *w, uint32_t node, uint32_t to) {
    const cc_node n = *at(w, node);
    const char *words;
    uint32_t e;
    if (n.kind != CC_N_BLOCK) put(w, 0, begin(w, n.first), "{", "", "");
    statement(w, node);
    e = edge(w, w->here, to);
    words = counter(w, e, 0);
    if (n.kind != CC_N_BLOCK) put(w, 1, end(w, n.last), words ? words : "", words ? ";" : "", "}");
    else if (words) put(w, 1, begin(w, n.last), words, ";", "");
}

/* ---- conditions ---- */

static int is_zero(const walk *w, uint32_t token) {
    const cc_token *t = &w->u->tokens.list[token];
    uint32_t i;
    for (i = 0; i < t->size; i++) {
        char c = w->u->tokens.text[t->at + i];
        if (c >= '1' && c <= '9') return 0;
        if (c != '0') break;
    }
    return i > 0;
}

static int has_assignment(const walk *w, uint32_t first, uint32_t last) {
    uint32_t i;
    for (i = first; i <= last; i++) {
        if (cc_is(&w->u->tokens, i, '=')) return 1;
        if (w->u->tokens.list[i].match > i) i = w->u->tokens.list[i].match;
    }
    return 0;
}

/* The && or || that the operand `list` is, within brackets or without; 0: it is
   something else. */
static uint32_t logic_in(const walk *w, uint32_t list) {
    uint32_t first = at(w, list)->first, last = at(w, list)->last, node = list;
    const cc_tokens *t = &w->u->tokens;
    while (cc_is(t, first, '(') && t->list[first].match == last && !cc_is(t, first + 1, '{')) {
        first++;
        last--;
    }
    while (node && at(w, node)->kind == CC_N_LIST) {
        uint32_t kid = at(w, node)->kid[0];
        if (!kid || at(w, kid)->next) return 0;
        node = kid;
    }
    if (!node || (at(w, node)->kind != CC_N_AND && at(w, node)->kind != CC_N_OR)) return 0;
    return at(w, node)->first == first && at(w, node)->last == last ? node : 0;
}

static int decides(const walk *w, uint32_t node);

/* A condition of several lines may end on the line on which its statement
   begins. That line ran, too, if the statement did not; or perhaps it did not,
   where && || or ?: in the condition have lines of their own. */
static void note_end(walk *w, const cc_node *n) {
    const cc_token *t = w->u->tokens.list;
    uint32_t next = n->last + 2;
    if (decides(w, n->kid[0])) return;
    if (t[n->last].line == t[n->first].line || !cc_is(&w->u->tokens, n->last + 1, ')')) return;
    if (t[next].line == t[n->last].line && !cc_is(&w->u->tokens, next, '{')) note(w, n->last);
}

/* A choice behind && || ?: or a body has a vertex of its own: its branches stand
   on the line where the condition begins, as they do without. */
static void note_behind(walk *w, uint32_t start, uint32_t token) {
    if (w->here != start) note(w, token);
}

/* Do only a !, brackets and __builtin_expect stand around && or ||? They ask
   nothing more. */
static int is_logic_alone(const walk *w, const cc_node *n) {
    const cc_tokens *t = &w->u->tokens;
    uint32_t part = n->kid[0], i;
    while (part && at(w, part)->kind == CC_N_LIST && !at(w, part)->next) part = at(w, part)->kid[0];
    if (!part || (at(w, part)->kind != CC_N_AND && at(w, part)->kind != CC_N_OR)) return 0;
    for (i = n->first; i < at(w, part)->first; i++)
        if (!cc_is(t, i, '(') && !cc_is(t, i, '!') && !cc_spells(t, i, "__builtin_expect")) return 0;
    for (i = at(w, part)->last + 1; i <= n->last; i++)
        if (!cc_is(t, i, ')') && !cc_is(t, i, ',') && t->list[i].kind != CC_NUMBER) return 0;
    return 1;
}

static void leaf(walk *w, uint32_t list, uint32_t yes, uint32_t no) {
    const cc_node n = *at(w, list);
    uint32_t t, f, full_last = w->full_last, start = w->here;
    const char *on_true, *on_false;
    int calls = cc_exits_in(w->u, n.kid[0]);
    w->full_last = n.last;
    cc_mcdc_condition(w->g->mcdc, w->here, list);
    note_end(w, &n);
    note(w, n.first);
    value(w, n.kid[0]);
    if (!is_logic_alone(w, &n)) note_behind(w, start, n.first);
    w->full_last = full_last;
    if (n.first == n.last && w->u->tokens.list[n.first].kind == CC_NUMBER) {
        /* Known: one way out, which a counter could not be put on. */
        force(w, edge(w, w->here, is_zero(w, n.first) ? no : yes));
        cc_mcdc_constant(w->g->mcdc, is_zero(w, n.first) ? no : yes);
        return;
    }
    t = edge(w, w->here, yes);
    f = edge(w, w->here, no);
    cc_mcdc_ways(w->g->mcdc, t, yes, f, no);
    on_true = cc_mcdc_text(w->g->mcdc, 1, counter(w, t, 0));
    on_false = cc_mcdc_text(w->g->mcdc, 0, counter(w, f, 1));
    if (!on_true && !on_false) {
        if (!cc_mcdc_is_arm(w->g->mcdc)) {
            if (calls) close_marked(w, n.last, open_marked(w, n.first, start));
            return;
        }
        on_true = on_false = "(void)0";
    }
    if (has_assignment(w, n.first, n.last)) look_again(w);
    /* Not ((c)?(T,1):(F,0)): without optimization gcc stores that 1 or 0 and
       tests it again. */
    put(w, 0, begin(w, n.first), on_true && on_false ? "(((" : "((", "", "");
    if (calls) close_marked(w, n.last, open_marked(w, n.first, start));
    if (on_true && on_false) {
        put(w, 1, end(w, n.last), ")&&(", on_true, ",1))||(");
        put(w, 1, end(w, n.last), "", on_false, ",0))");
    } else if (on_true) {
        put(w, 1, end(w, n.last), ")&&(", on_true, ",1))");
    } else {
        put(w, 1, end(w, n.last), ")||(", on_false, ",0))");
    }
}

static void condition(walk *w, uint32_t list, uint32_t yes, uint32_t no);

/* && and ||: the right operand is a block of its own. */
static void logic(walk *w, uint32_t node, uint32_t yes, uint32_t no) {
    const cc_node n = *at(w, node);
    uint32_t right = vertex(w), from = cc_mcdc_left(w->g->mcdc), middle;
    if (n.kind == CC_N_AND) condition(w, n.kid[0], right, no);
    else condition(w, n.kid[0], yes, right);
    middle = cc_mcdc_left(w->g->mcdc);
    w->here = right;
    condition(w, n.kid[1], yes, no);
    cc_mcdc_close(w->g->mcdc, from, middle, n.kind == CC_N_AND ? no : yes);
}

/* A ?: whose value is asked for true or false: its arms decide, too. */
static void joined_choice(walk *w, uint32_t node, uint32_t yes, uint32_t no) {
    const cc_node n = *at(w, node);
    uint32_t second = vertex(w), third = vertex(w);
    condition(w, n.kid[0], second, third);
    w->here = second;
    cc_mcdc_arm(w->g->mcdc);
    condition(w, n.kid[1], yes, no);
    w->here = third;
    cc_mcdc_arm(w->g->mcdc);
    condition(w, n.kid[2], yes, no);
}

static void condition(walk *w, uint32_t list, uint32_t yes, uint32_t no) {
    int flips = 0;
    uint32_t node = w->g->mcdc ? cc_mcdc_operator(w->u, list, &flips) : logic_in(w, list);
    if (!node) leaf(w, list, yes, no);
    else if (at(w, node)->kind != CC_N_CHOICE) logic(w, node, flips ? no : yes, flips ? yes : no);
    else joined_choice(w, node, flips ? no : yes, flips ? yes : no);
}

static void decision(walk *w, uint32_t list, uint32_t yes, uint32_t no) {
    cc_mcdc_begin(w->g->mcdc, at(w, list)->first, at(w, list)->last, yes, no);
    condition(w, list, yes, no);
    cc_mcdc_end(w->g->mcdc);
}

/* && or || whose value is used as a number. */
static void logic_value(walk *w, uint32_t node) {
    uint32_t join = vertex(w), yes = join, no = join;
    if (w->g->mcdc) {
        yes = vertex(w);
        no = vertex(w);
        cc_mcdc_begin(w->g->mcdc, at(w, node)->first, at(w, node)->last, yes, no);
    }
    logic(w, node, yes, no);
    if (w->g->mcdc) {
        cc_mcdc_end(w->g->mcdc);
        force(w, edge(w, yes, join));
        force(w, edge(w, no, join));
    }
    w->here = join;
}

/* ---- values ---- */

/* Functions that the C library declares without saying that they never
   return. */
static int never_returns(const walk *w, uint32_t token) {
    static const char *const names[] = {"exit", "abort", "_exit", "_Exit", "longjmp",
                                        "siglongjmp", "__assert_fail", "quick_exit"};
    const cc_name *name = cc_find(w->u, token, 0);
    size_t i;
    if (name && name->flags & CC_IS_NORETURN) return 1;
    for (i = 0; i < sizeof names / sizeof *names; i++) {
        if (cc_spells(&w->u->tokens, token, names[i])) return 1;
    }
    return 0;
}

/* An arm of ?: whose value is used. */
static void choice_arm(walk *w, uint32_t node) {
    const cc_node n = *at(w, node);
    uint32_t full_last = w->full_last;
    int opened = cc_exits_in(w->u, n.kid[0]) ? open_marked(w, n.first, w->here) : 0;
    w->full_last = n.last;
    value(w, n.kid[0]);
    w->full_last = full_last;
    close_marked(w, n.last, opened);
}

/* Behind an expression with calls, a witness stands in

       (({auto t = (x); E; t;}))

   Its text begins in front of x, before the edge E is known: the first run has
   found it out. Returns its number for close_behind. */
static uint32_t open_behind(walk *w, uint32_t first) {
    uint32_t number = w->behinds++;
    if (w->emit && counter(w, w->g->behind[number], 0))
        put(w, 0, begin(w, first), "(__extension__({__auto_type bursty_v=(", "", "");
    return number;
}

static void close_behind(walk *w, uint32_t last, uint32_t number, uint32_t e) {
    cc_cfg *g = w->g;
    const char *words = counter(w, e, 0);
    if (words) put(w, 1, end(w, last), ");", words, ";bursty_v;}))");
    if (w->emit) return;
    if (number >= g->behind_room) {
        g->behind_room = number + 32;
        g->behind = (uint32_t *)tool_grow(g->behind, g->behind_room * sizeof *g->behind);
    }
    g->behind[number] = e;
}

/* An arm, and the edge to what follows ?:. Returns whether its end is
   reached. */
static int arm_and_join(walk *w, uint32_t node, uint32_t join) {
    const cc_node n = *at(w, node);
    int is_told = w->g->traces && cc_exits_in(w->u, n.kid[0]) &&
                  cc_exits_used(w->u, n.first, n.last);
    uint32_t number = is_told ? open_behind(w, n.first) : 0, e;
    choice_arm(w, node);
    e = edge(w, w->here, join);
    if (is_told) close_behind(w, n.last, number, e);
    else force(w, e);
    return w->here != CC_NOWHERE;
}

static void choice(walk *w, const cc_node *n) {
    uint32_t yes = vertex(w), no = vertex(w), join = vertex(w);
    int reached;
    decision(w, n->kid[0], yes, no);
    w->here = yes;
    reached = arm_and_join(w, n->kid[1], join);
    w->here = no;
    reached |= arm_and_join(w, n->kid[2], join);
    w->here = reached ? join : CC_NOWHERE;
}

static int decides(const walk *w, uint32_t node) {
    for (; node; node = at(w, node)->next) {
        int kind = at(w, node)->kind;
        if (kind == CC_N_AND || kind == CC_N_OR || kind == CC_N_CHOICE || kind == CC_N_ELVIS ||
            kind == CC_N_BODY) return 1;
        if (kind == CC_N_LIST && decides(w, at(w, node)->kid[0])) return 1;
    }
    return 0;
}

static void body_of_expression(walk *w, const cc_node *n) {
    uint32_t dispatch = w->dispatch;
    w->dispatch = CC_NOWHERE;
    statement(w, n->kid[0]);
    w->dispatch = dispatch;
}

/* vfork() becomes (bursty_landing(0, frame), vfork()): it returns a second time,
   when its child leaves the parent's stack. */
static void note_vfork(walk *w, const cc_node *n) {
    if (!w->request->exits || w->request->trace || !cc_spells(&w->u->tokens, n->first, "vfork")) return;
    put(w, 0, begin(w, n->first), "(bursty_landing(0,__builtin_frame_address(0)),", "", "");
    put(w, 1, end(w, n->last), ")", "", "");
}

/* setjmp(b) becomes setjmp(bursty_landing(b, frame)): longjmp's wrapper must
   know where it leads. */
static void note_landing(walk *w, const cc_node *n) {
    static const char *const names[] = {"_setjmp", "setjmp", "__sigsetjmp", "sigsetjmp"};
    const cc_tokens *t = &w->u->tokens;
    uint32_t i, close;
    size_t k;
    if (!w->emit || !(w->request->exits || w->request->trace) || !cc_is(t, n->first + 1, '('))
        return;
    note_vfork(w, n);
    for (k = 0; !cc_spells(t, n->first, names[k]);) {
        if (++k == sizeof names / sizeof *names) return;
    }
    close = t->list[n->first + 1].match;
    for (i = n->first + 2; i < close && !cc_is(t, i, ','); i++) {
        if (t->list[i].match > i) i = t->list[i].match;
    }
    if (i == n->first + 2) return;
    put(w, 0, begin(w, n->first + 2), "bursty_landing(", "", "");
    put(w, 1, end(w, i - 1), ",__builtin_frame_address(0))", "", "");
}

/* What changes the vertex inside of an expression: && || ?: ({}). */
static void part(walk *w, uint32_t node) {
    const cc_node n = *at(w, node);
    if (n.kind == CC_N_CHOICE) choice(w, &n);
    else if (n.kind == CC_N_BODY) body_of_expression(w, &n);
    else logic_value(w, node);
}

/* If a call of the same expression follows, in the vertex to which this
   leads, the vertex is marked behind the part. The first run has found out
   which vertex that is. */
static void marked_part(walk *w, uint32_t node) {
    const cc_node n = *at(w, node);
    cc_cfg *g = w->g;
    uint32_t number = w->parts++, after;
    char *words = NULL;
    int is_used;
    if (!w->emit) {
        part(w, node);
        if (number >= g->after_room) {
            g->after_room = number + 32;
            g->after = (uint32_t *)tool_grow(g->after, g->after_room * sizeof *g->after);
        }
        g->after[number] = w->here;
        return;
    }
    after = g->after[number];
    if (after != CC_NOWHERE && after < g->call_room && g->call[after] <= w->full_last + 1)
        words = marker(w, after);
    is_used = words && cc_exits_used(w->u, n.first, n.last);
    if (words) {
        put(w, 0, begin(w, n.first), "__extension__({",
            is_used ? "__auto_type bursty_t=(" : "(void)(", "");
    }
    part(w, node);
    if (words) put(w, 1, end(w, n.last), ");", words, is_used ? ";bursty_t;})" : ";})");
    free(words);
}

/* Are the parts of this list the arguments of the call behind it? */
static int holds_arguments(const walk *w, const cc_node *n) {
    const cc_node *call = at(w, n->next);
    if (n->kind != CC_N_LIST || !n->next || n->first == 0) return 0;
    return (call->kind == CC_N_CALL || call->kind == CC_N_INDIRECT) &&
           call->last == n->last + 1 && w->u->tokens.list[n->first - 1].match == call->last;
}

static void one_value(walk *w, uint32_t node);

/* The parts from `node` on, the last one first. Links are turned around for the
   time. */
static void values_backwards(walk *w, uint32_t node) {
    uint32_t before = 0, next;
    for (; node; node = next) {
        next = at(w, node)->next;
        w->u->nodes[node].next = before;
        before = node;
    }
    for (node = before, before = 0; node; node = next) {
        next = at(w, node)->next;
        w->u->nodes[node].next = before;
        one_value(w, node);
        before = node;
    }
}

static void value(walk *w, uint32_t node) {
    for (; node; node = at(w, node)->next) one_value(w, node);
}

static void one_value(walk *w, uint32_t node) {
    const cc_node n = *at(w, node);
    if (w->g->backwards && holds_arguments(w, &n)) {
        values_backwards(w, n.kid[0]);
        return;
    }
    switch (n.kind) {
    case CC_N_CALL:
        called(w, &n);
        note(w, n.first);
        note_landing(w, &n);
        if (never_returns(w, n.first)) w->here = CC_NOWHERE;
        break;
    case CC_N_INDIRECT:
        called(w, &n);
        note(w, n.first);
        break;
    case CC_N_AND: case CC_N_OR: case CC_N_CHOICE: marked_part(w, node); break;
    case CC_N_ELVIS:
        value(w, n.kid[0]);
        if (decides(w, n.kid[1])) give_up(w, n.first, "elvis");
        called_in(w, n.kid[1]);
        break;
    case CC_N_BODY: marked_part(w, node); break;
    default: value(w, n.kid[0]); break;
    }
}

/* The value of a full expression that ends with token last. */
static void full_value(walk *w, uint32_t node, uint32_t last) {
    uint32_t full_last = w->full_last;
    w->full_last = last;
    value(w, node);
    w->full_last = full_last;
}

/* ---- loops that count ---- */

/* A loop that nothing but its condition ends, and that calls nothing that may
   not return, counts its rounds in a variable of its own:

       { unsigned long long n = 0; for (i = 0; i < 9; i++) { s; ++n; } counter += n; }

   If the compiler knows how many rounds there are it adds them at once, and the
   loop is the same as without a counter. So it is asked for loops that seem to
   run over a variable; for others the two instructions around them are more.
   Where a signal comes while the loop runs, and the program ends or is asked
   for its counts, the loop's rounds until then are lost. */
static int stays_in(const walk *w, uint32_t node, int in_loop, int in_switch) {
    for (; node; node = at(w, node)->next) {
        const cc_node *n = at(w, node);
        int i, is_loop = 0, is_switch = n->kind == CC_N_SWITCH;
        switch (n->kind) {
        case CC_N_WHILE: case CC_N_DO: case CC_N_FOR: is_loop = 1; break;
        case CC_N_BLOCK: case CC_N_IF: case CC_N_SWITCH: case CC_N_CONTINUE: case CC_N_SIMPLE:
        case CC_N_DECLARATION: case CC_N_EMPTY: case CC_N_LIST: case CC_N_AND: case CC_N_OR:
        case CC_N_CHOICE: case CC_N_ELVIS: break;
        case CC_N_CALL:
            if (cc_exits_call(w->u, n)) return 0;
            break;
        case CC_N_BREAK:
            if (!in_loop && !in_switch) return 0;
            break;
        case CC_N_CASE: case CC_N_DEFAULT: case CC_N_FALLTHROUGH:
            if (!in_switch) return 0;
            break;
        default: return 0;
        }
        for (i = 0; i < 4; i++)
            if (n->kid[i] &&
                !stays_in(w, n->kid[i], in_loop | is_loop, in_switch | is_switch)) return 0;
    }
    return 1;
}

static int same_word(const walk *w, uint32_t a, uint32_t b) {
    const cc_token *s = &w->u->tokens.list[a], *t = &w->u->tokens.list[b];
    const char *all = w->u->tokens.text;
    return s->size == t->size && memcmp(all + s->at, all + t->at, s->size) == 0;
}

/* Is the name changed by ++ -- += -= between these tokens? */
static int steps(const walk *w, uint32_t name, uint32_t first, uint32_t last) {
    static const uint32_t words[] = {CC_OP2('+', '+'), CC_OP2('-', '-'), CC_OP2('+', '='),
                                     CC_OP2('-', '=')};
    const cc_tokens *t = &w->u->tokens;
    uint32_t i;
    size_t k;
    for (i = first; i <= last; i++) {
        if (!cc_is_name(t, i) || !same_word(w, i, name)) continue;
        for (k = 0; k < sizeof words / sizeof *words; k++)
            if (cc_is(t, i + 1, words[k]) || (k < 2 && cc_is(t, i - 1, words[k]))) return 1;
    }
    return 0;
}

/* Does the condition ask about a variable that it, or the increment, steps on?
   Long ones are not looked through. */
static int runs_over_variable(const walk *w, const cc_node *n) {
    enum { LONGEST = 24 };
    const cc_node *c = at(w, n->kid[0]);
    uint32_t i, close = n->kind == CC_N_FOR ? w->u->tokens.list[n->first + 1].match : 0;
    if (c->last - c->first > LONGEST || close > n->b + LONGEST) return 0;
    for (i = c->first; i <= c->last; i++) {
        if (!cc_is_name(&w->u->tokens, i)) continue;
        if (steps(w, i, c->first, c->last)) return 1;
        if (close > n->b + 1 && steps(w, i, n->b + 1, close - 1)) return 1;
    }
    return 0;
}

/* Does a #pragma stand in front, which may want a loop behind it? */
static int has_pragma(const walk *w, uint32_t token) {
    static const char word[] = "#pragma";
    const cc_token *t = &w->u->tokens.list[token];
    uint32_t i = token > 0 ? end(w, token - 1) : 0;
    for (; i + sizeof word <= t->at; i++)
        if (memcmp(w->u->tokens.text + i, word, sizeof word - 1) == 0) return 1;
    return 0;
}

/* Returns what was there before, for end_own. */
static own_loop begin_own(walk *w, const cc_node *n, uint32_t head, uint32_t body,
                          uint32_t increment) {
    own_loop before = w->own;
    const cc_request *request = w->request;
    w->own.head = CC_NOWHERE;
    w->own.count = 0;
    if (!w->emit || !request->optimizes || request->trace || w->g->mcdc) return before;
    if (!n->kid[0] || !runs_over_variable(w, n) || decides(w, n->kid[0]) ||
        cc_exits_in(w->u, n->kid[0]) || !stays_in(w, n->kid[1], 0, 0) ||
        !stays_in(w, n->kid[3], 0, 0) || has_pragma(w, n->first)) return before;
    w->own.head = head;
    w->own.body = body;
    w->own.increment = increment;
    return before;
}

static void end_own(walk *w, const cc_node *n, own_loop before) {
    uint32_t i;
    text t = {NULL, 0, 0};
    for (i = 0; i < w->own.count; i++) {
        unsigned long slot = w->own.slots[i], number = slot - w->first;
        char name[80];
        snprintf(name, sizeof name, "unsigned %s bursty_n%lu=0;",
                 cc_counter_type(w->request->cover), slot);
        put(w, 0, begin(w, n->first), i ? "" : "{", name, "");
        if (w->request->cover == 1 && w->request->atomic) {
            text_format(&t, "if(bursty_n%lu)(void)__atomic_fetch_or(&%s[%lu],%uu,0);", slot,
                        w->counters, number / 8, 1u << number % 8);
        } else if (w->request->cover == 1) {
            text_format(&t, "if(bursty_n%lu)%s[%lu]|=%uu;", slot, w->counters, number / 8,
                        1u << number % 8);
        } else if (w->request->cover == 8) {
            text_format(&t, "if(bursty_n%lu)%s[%lu]=1;", slot, w->counters, number);
        } else if (w->request->atomic) {
            text_format(&t, "(void)__atomic_fetch_add(&%s[%lu],bursty_n%lu,0);", w->counters, number,
                        slot);
        } else {
            text_format(&t, "%s[%lu]+=bursty_n%lu;", w->counters, number, slot);
        }
    }
    if (t.size) {
        text_bytes(&t, "}", 2);
        put(w, 1, end(w, n->last), t.data, "", "");
    }
    text_free(&t);
    w->own = before;
}

/* ---- loops ---- */

/* The body of a loop, where continue leads to next and break to after. */
static void loop_body(walk *w, const cc_node *n, uint32_t body, uint32_t next, uint32_t after) {
    uint32_t break_to = w->break_to, continue_to = w->continue_to;
    w->here = body;
    w->break_to = after;
    w->continue_to = next;
    arm(w, n->kid[1], next);
    w->break_to = break_to;
    w->continue_to = continue_to;
}

static void while_loop(walk *w, const cc_node *n) {
    uint32_t head = vertex(w), body = vertex(w), after = vertex(w);
    int opened = open_before(w, n, edge(w, w->here, head));
    own_loop own = begin_own(w, n, head, body, head);
    w->here = head;
    decision(w, n->kid[0], body, after);
    loop_body(w, n, body, head, after);
    w->here = after;
    end_own(w, n, own);
    close_after(w, n, opened);
}

static void do_loop(walk *w, const cc_node *n) {
    uint32_t body = vertex(w), test = vertex(w), after = vertex(w);
    int opened = open_before(w, n, edge(w, w->here, body));
    own_loop own = begin_own(w, n, test, body, test);
    loop_body(w, n, body, test, after);
    w->here = test;
    decision(w, n->kid[0], body, after);
    w->here = after;
    end_own(w, n, own);
    close_after(w, n, opened);
}

static void for_loop(walk *w, const cc_node *n) {
    uint32_t head = vertex(w), body = vertex(w), increment = vertex(w), after = vertex(w);
    uint32_t before = w->here, e;
    uint32_t close = w->u->tokens.list[n->first + 1].match;
    const char *words;
    char *marks;
    int opened;
    own_loop own;
    note(w, n->first);
    mark_statement(w, n, n->kid[2]);
    full_value(w, n->kid[2], n->a);
    e = edge(w, w->here, head);
    if (before != w->here || cc_exits_in(w->u, n->kid[2])) force(w, e);
    opened = open_before(w, n, e);
    own = begin_own(w, n, head, body, increment);
    w->here = head;
    if (n->kid[0]) {
        decision(w, n->kid[0], body, after);
    } else {
        e = edge(w, w->here, body);
        words = counter(w, e, 0);
        if (words) put(w, 0, begin(w, n->b), "(", words, ",1)");
    }
    w->here = increment;
    if (close > n->b + 1) note(w, n->b + 1);
    marks = cc_exits_in(w->u, n->kid[3]) ? marker(w, increment) : NULL;
    if (marks) put(w, 0, begin(w, n->b + 1), "__extension__({", marks, ";}),");
    free(marks);
    full_value(w, n->kid[3], close);
    e = edge(w, w->here, head);
    words = counter(w, e, 0);
    if (words) put(w, 1, begin(w, close), close > n->b + 1 ? "," : "", words, "");
    loop_body(w, n, body, increment, after);
    w->here = after;
    end_own(w, n, own);
    close_after(w, n, opened);
}

/* ---- switch ---- */

static void switch_body(walk *w, const cc_node *n, uint32_t after) {
    const cc_node body = *at(w, n->kid[1]);
    uint32_t fall, none, dispatch = w->dispatch;
    const char *words;
    if (body.kind != CC_N_BLOCK) put(w, 0, begin(w, body.first), "{", "", "");
    w->here = CC_NOWHERE;
    statement(w, n->kid[1]);
    fall = edge(w, w->here, after);
    words = counter(w, fall, 0);
    if (words) {
        put(w, 1, body.kind == CC_N_BLOCK ? begin(w, body.last) : end(w, body.last), words, ";",
            "");
    }
    if (!w->has_default) {
        none = edge(w, dispatch, after);
        if (none != CC_NOWHERE && !w->emit) w->g->edges[none].forced = CC_UNWANTED;
        words = counter(w, none, 0);
        if (words) {
            put(w, 1, body.kind == CC_N_BLOCK ? begin(w, body.last) : end(w, body.last),
                "break;default:", words, ";break;");
            if (w->request->warns) look_again(w);      /* -Wswitch sees a default now */
        }
    }
    if (body.kind != CC_N_BLOCK) put(w, 1, end(w, body.last), "}", "", "");
}

static void switch_statement(walk *w, const cc_node *n) {
    uint32_t after = vertex(w), break_to = w->break_to, dispatch = w->dispatch, start = w->here;
    int has_default = w->has_default;
    note(w, n->first);
    mark_statement(w, n, n->kid[0]);
    full_value(w, n->kid[0], at(w, n->kid[1])->first - 1);
    note_behind(w, start, n->first);
    w->dispatch = w->here == CC_NOWHERE ? vertex(w) : w->here;
    w->has_default = 0;
    w->break_to = after;
    switch_body(w, n, after);
    w->dispatch = dispatch;
    w->has_default = has_default;
    w->break_to = break_to;
    w->here = after;
}

/* Arriving at a label: from above by `fall`, from a switch or a computed goto
   by `jump`. brace: "{", or nothing where the block around it is enough: the last
   statement of ({ .. }) is its value, and a block has none. */
static int open_label(walk *w, const cc_node *n, uint32_t colon, uint32_t fall, uint32_t jump,
                      const char *brace) {
    const char *falls = counter(w, fall, 0), *jumps = counter(w, jump, 1);
    if (!falls && !jumps) return 0;
    put(w, 0, begin(w, n->first), brace, falls, falls ? ";" : "");
    if (jumps && fall != CC_NOWHERE) put(w, 0, begin(w, n->first), "if(0){", "", "");
    if (jumps) put(w, 1, end(w, colon), jumps, ";", fall != CC_NOWHERE ? "}" : "");
    return 1;
}

/* Labels of a switch that follow one another are one vertex. */
static void case_group(walk *w, const cc_node *n) {
    uint32_t v = vertex(w), kid = n->kid[1], colon = n->a, fall, jump;
    int opened;
    if (w->dispatch == CC_NOWHERE) give_up(w, n->first, "case-in-statement-expression");
    if (n->kind == CC_N_DEFAULT) w->has_default = 1;
    while (kid && (at(w, kid)->kind == CC_N_CASE || at(w, kid)->kind == CC_N_DEFAULT)) {
        if (at(w, kid)->kind == CC_N_DEFAULT) w->has_default = 1;
        colon = at(w, kid)->a;
        kid = at(w, kid)->kid[1];
    }
    fall = edge(w, w->here, v);
    jump = edge(w, w->dispatch, v);
    opened = open_label(w, n, colon, fall, jump, "{");
    w->here = v;
    if (kid) statement(w, kid);
    close_after(w, n, opened);
}

/* ---- labels and jumps ---- */

/* The label of that name. If there are several, it is the one in the innermost block
   around the token. */
static flow_label *label_of(walk *w, uint32_t token) {
    flow_label *best = NULL;
    uint32_t i;
    for (i = 0; i < w->label_count; i++) {
        flow_label *l = &w->labels[i];
        if (token < l->open || token > l->close || !same_word(w, l->name, token)) continue;
        if (!best || l->open > best->open) best = l;
    }
    return best;
}

/* Where both a goto and a computed one lead, a goto goes to a second label
   behind the counter of the other:

       { fall; if (0) { L: jump; } bursty_g_L: ; statement }          goto bursty_g_L; */
static int has_second(const walk *w, const flow_label *l) {
    return l->taken && l->jumped && w->computed != CC_NOWHERE;
}

static char *second_name(const walk *w, const flow_label *l) {
    const cc_token *t = &w->u->tokens.list[l->name];
    text name = {NULL, 0, 0};
    text_format(&name, "bursty_g%lu_", (unsigned long)l->name);
    text_bytes(&name, w->u->tokens.text + t->at, t->size);
    return text_take(&name);
}

static void label(walk *w, const cc_node *n) {
    const flow_label *l = label_of(w, n->first);
    uint32_t fall = edge(w, w->here, l->vertex), jump = CC_NOWHERE;
    int opened, is_direct = w->is_direct;
    if (l->taken && w->computed != CC_NOWHERE) jump = edge(w, w->computed, l->vertex);
    opened = open_label(w, n, n->a, fall, jump, is_direct ? "" : "{");
    if (has_second(w, l)) {
        char *name = second_name(w, l);
        if (!opened && !is_direct) put(w, 0, begin(w, n->first), "{", "", "");
        opened = 1;
        put(w, 1, end(w, n->a), name, ":;", "");
        free(name);
    }
    w->here = l->vertex;
    w->is_direct = is_direct;
    if (n->kid[1]) statement(w, n->kid[1]);
    w->is_direct = 0;
    close_after(w, n, opened && !is_direct);
}

static void jump_to(walk *w, const cc_node *n, uint32_t to) {
    uint32_t e, number = 0;
    int opened, calls = cc_exits_in(w->u, n->kid[0]);
    int is_told = calls && w->g->traces && n->kind == CC_N_RETURN;
    note(w, n->first);
    mark_statement(w, n, n->kid[0]);
    if (is_told) number = open_behind(w, n->first + 1);
    full_value(w, n->kid[0], n->last);
    e = edge(w, w->here, to);
    if (is_told) {
        close_behind(w, n->last - 1, number, e);
    } else if (calls) {
        force(w, e);                                    /* a counter would stand in front */
    } else {
        opened = open_before(w, n, e);
        close_after(w, n, opened);
    }
    w->here = CC_NOWHERE;
}

static void goto_statement(walk *w, const cc_node *n) {
    const flow_label *l = label_of(w, n->a);
    if (!l) {
        give_up(w, n->first, "goto-elsewhere");
        return;
    }
    jump_to(w, n, l->vertex);
    if (has_second(w, l) && w->emit) {
        const cc_token *t = &w->u->tokens.list[n->a];
        char *name = second_name(w, l);
        cc_blank(w->edits, t->at, t->size);
        put(w, 0, t->at, name, "", "");
        free(name);
    }
}

/* A label that `__label__` declares is known in that block alone. */
static void find_scope(walk *w, flow_label *l) {
    const cc_tokens *t = &w->u->tokens;
    uint32_t i, open = w->f->open;
    l->open = w->f->open;
    l->close = w->f->close;
    for (i = l->open; i < l->name; i++) {
        if (cc_is(t, i, '{')) open = i;
        if (!cc_is(t, i, CC_LOCAL_LABEL) || t->list[open].match < l->name) continue;
        for (; !cc_is(t, i, ';'); i++) {
            if (!cc_is_name(t, i + 1) || !same_word(w, i + 1, l->name)) continue;
            l->open = open;
            l->close = t->list[open].match;
        }
    }
}

/* The labels of asm goto stand among its operands. */
static void find_labels_of(walk *w, const cc_node *n) {
    uint32_t i;
    for (i = n->first; i <= n->last; i++) {
        flow_label *l = cc_is_name(&w->u->tokens, i) ? label_of(w, i) : NULL;
        if (l) l->taken = 1;
    }
}

/* Where the address of a label is taken, `&&` stands before its name and
   decides nothing. */
static void find_labels(walk *w) {
    const cc_tokens *t = &w->u->tokens;
    uint32_t i, room = 0;
    for (i = w->f->root; i < w->u->node_count && w->u->nodes[i].first <= w->f->close; i++) {
        const cc_node *n = &w->u->nodes[i];
        int is_computed = n->kind == CC_N_GOTO_STAR || (n->kind == CC_N_ASM && n->a);
        w->jumpers += (uint32_t)is_computed;
        if (is_computed && w->computed == CC_NOWHERE) w->computed = vertex(w);
        if (n->kind != CC_N_LABEL) continue;
        TOOL_ROOM(flow_label, w->labels, w->label_count, room);
        memset(&w->labels[w->label_count], 0, sizeof *w->labels);
        w->labels[w->label_count].name = n->first;
        find_scope(w, &w->labels[w->label_count]);
        w->labels[w->label_count++].vertex = vertex(w);
    }
    for (i = w->f->root; i < w->u->node_count && w->u->nodes[i].first <= w->f->close; i++)
        if (w->u->nodes[i].kind == CC_N_ASM && w->u->nodes[i].a)
            find_labels_of(w, &w->u->nodes[i]);
    if (w->label_count == 0) return;
    for (i = w->f->open; i < w->f->close; i++) {
        flow_label *l;
        if (!cc_is(t, i, CC_OP2('&', '&')) && !cc_is(t, i, CC_GOTO)) continue;
        l = cc_is_name(t, i + 1) ? label_of(w, i + 1) : NULL;
        if (l && cc_is(t, i, CC_GOTO)) l->jumped = 1;
        else if (l) l->taken = 1;
    }
}

/* It goes on behind itself, or where a computed goto does. Nothing but the label
   can count the jump. If no other jump is like it, the labels' edges are its
   own; else nobody can count how often this one jumped. */
static void asm_goto(walk *w, const cc_node *n) {
    uint32_t next = vertex(w), e;
    const char *words;
    force(w, edge(w, w->here, w->computed));
    if (w->jumpers == 1 && w->here != CC_NOWHERE) {
        w->here = w->computed;
        note(w, n->first);
    }
    e = edge(w, w->here, next);
    words = counter(w, e, 0);
    if (words) put(w, 1, end(w, n->last), words, ";", "");
    if (w->here != CC_NOWHERE) w->here = next;
}

/* ---- statements ---- */

static void if_statement(walk *w, const cc_node *n) {
    uint32_t then = vertex(w), otherwise = n->kid[2] ? vertex(w) : CC_NOWHERE, join = vertex(w);
    decision(w, n->kid[0], then, n->kid[2] ? otherwise : join);
    w->here = then;
    arm(w, n->kid[1], join);
    if (n->kid[2]) {
        w->here = otherwise;
        arm(w, n->kid[2], join);
    }
    w->here = join;
}

/* Does a declaration do anything where it stands? */
static int initialises(const walk *w, const cc_node *n) {
    uint32_t i;
    for (i = n->first; i < n->last; i++) {
        if (cc_is(&w->u->tokens, i, '=') && !w->u->tokens.list[i].skipped) return 1;
        if (w->u->tokens.list[i].match > i) i = w->u->tokens.list[i].match;
    }
    return 0;
}

/* Behind a statement there is room for a counter. */
static void cut_statement(walk *w, const cc_node *n) {
    uint32_t e = cut(w, n->kid[0]);
    const char *words = counter(w, e, 0);
    if (e != CC_NOWHERE && !w->emit) w->g->edges[e].forced = CC_CUT;
    if (words) put(w, 1, end(w, n->last), words, ";", "");
}

/* A counter there would be a declaration of its own. */
static void cut_declaration(walk *w, const cc_node *n) {
    uint32_t e = cut(w, n->kid[0]);
    const char *words = counter(w, e, 0);
    char name[80];
    if (!w->g->traces) force(w, e);
    if (!words) return;
    snprintf(name, sizeof name, "__attribute__((unused)) char bursty_d%lu=(",
             (unsigned long)n->first);
    put(w, 1, end(w, n->last), name, words, ",0);");
}

/* longjmp comes back to the block of its setjmp. So a statement that calls
   setjmp begins a block: what stands in front of it does not run again. */
static void land_here(walk *w, const cc_node *n) {
    int is_whole = n->kind == CC_N_DECLARATION || n->kind == CC_N_SIMPLE || n->kind == CC_N_RETURN;
    int has_condition = (n->kind == CC_N_IF || n->kind == CC_N_SWITCH) && n->kid[0];
    uint32_t i = n->first, last = is_whole ? n->last : has_condition ? at(w, n->kid[0])->last : 0;
    while (i < last && !cc_returns_twice(&w->u->tokens, i)) i++;
    if (i < last && w->here != CC_NOWHERE) {
        uint32_t landing = vertex(w);
        force(w, edge(w, w->here, landing));
        w->here = landing;
    }
}

static void statement(walk *w, uint32_t node) {
    const cc_node n = *at(w, node);
    uint32_t kid;
    land_here(w, &n);
    if (n.kind != CC_N_LABEL) w->is_direct = 0;
    switch (n.kind) {
    case CC_N_BLOCK:
        for (kid = n.kid[0]; kid; kid = at(w, kid)->next) {
            w->is_direct = at(w, kid)->kind == CC_N_LABEL;
            statement(w, kid);
        }
        break;
    case CC_N_IF: if_statement(w, &n); break;
    case CC_N_WHILE: while_loop(w, &n); break;
    case CC_N_DO: do_loop(w, &n); break;
    case CC_N_FOR: for_loop(w, &n); break;
    case CC_N_SWITCH: switch_statement(w, &n); break;
    case CC_N_CASE: case CC_N_DEFAULT: case_group(w, &n); break;
    case CC_N_LABEL: label(w, &n); break;
    case CC_N_GOTO: goto_statement(w, &n); break;
    case CC_N_GOTO_STAR: jump_to(w, &n, w->computed); break;
    case CC_N_BREAK: jump_to(w, &n, w->break_to); break;
    case CC_N_CONTINUE: jump_to(w, &n, w->continue_to); break;
    case CC_N_RETURN: jump_to(w, &n, 1); break;
    case CC_N_DECLARATION:
        if (initialises(w, &n)) note(w, n.first);
        mark_statement(w, &n, n.kid[0]);
        full_value(w, n.kid[0], n.last);
        cut_declaration(w, &n);
        break;
    case CC_N_FALLTHROUGH:      /* it would have to touch its case */
        if (w->emit) cc_blank(w->edits, begin(w, n.first), begin(w, n.last) - begin(w, n.first));
        break;
    case CC_N_SIMPLE:
        note(w, n.first);
        mark_statement(w, &n, n.kid[0]);
        full_value(w, n.kid[0], n.last);
        cut_statement(w, &n);
        break;
    case CC_N_ASM:
        note(w, n.first);
        if (n.a) asm_goto(w, &n);
        break;
    default: break;
    }
}

/* `__label__` stands in front of all else of its block. */
static uint32_t behind_labels(const walk *w, uint32_t open) {
    const cc_tokens *t = &w->u->tokens;
    while (cc_is(t, open + 1, CC_LOCAL_LABEL))
        for (open++; !cc_is(t, open, ';'); open++) {
        }
    return open;
}

/* Where an instruction has few bits for a distance, a function counts from a
   place of its own. The compiler must not know where that is, or it would count
   from the table's beginning again. */
static void put_near(walk *w) {
    static const char name[] = "bursty_b";
    const cc_cfg *g = w->g;
    uint32_t first = g->entry_slot, last = 0, e;
    text t = {NULL, 0, 0};
    for (e = 0; e < g->edge_count; e++) {
        uint32_t slot = g->edges[e].slot;
        if (slot == CC_NOWHERE) continue;
        if (first == CC_NOWHERE || slot < first) first = slot;
        if (slot > last) last = slot;
    }
    if (first == CC_NOWHERE || last < first + 1) return;
    if (w->request->cover == 1) first -= first % 8;
    text_format(&t, "unsigned %s*const %s=__extension__({unsigned %s*bursty_t=%s+%lu;"
                "__asm__(\"\":\"+r\"(bursty_t));bursty_t;});", cc_counter_type(w->request->cover),
                name, cc_counter_type(w->request->cover), w->table,
                (unsigned long)(w->request->cover == 1 ? first / 8 : first));
    text_bytes(&t, "", 1);
    put(w, 0, end(w, behind_labels(w, w->f->open)), t.data, "", "");
    text_free(&t);
    w->counters = name;
    w->first = first;
}

static void run(walk *w, cc_unit *u, uint32_t function, cc_cfg *g) {
    const char *words;
    uint32_t e;
    w->u = u;
    w->f = &u->functions[function];
    w->g = g;
    w->vertices = 2;
    w->own.head = CC_NOWHERE;
    w->break_to = w->continue_to = w->dispatch = w->computed = CC_NOWHERE;
    find_labels(w);
    cc_mcdc_function(g->mcdc, w->emit);
    note(w, w->f->name);
    words = cc_mcdc_locals(g->mcdc);
    if (words) put(w, 0, end(w, behind_labels(w, w->f->open)), words, "", "");
    w->counters = w->table;
    if (w->emit && w->request->near && !g->mcdc && !w->request->trace) put_near(w);
    if (w->emit && g->entry_slot != CC_NOWHERE) {
        /* A declaration in C90 stands before all statements. */
        uint32_t first = at(w, w->f->root)->kid[0];
        int declares = at(w, first)->kind == CC_N_DECLARATION;
        put(w, 0, end(w, behind_labels(w, w->f->open)), declares ? "__attribute__((unused)) char bursty_e=(" : "",
            entry_text(w), declares ? ",0);" : ";");
    }
    statement(w, w->f->root);
    e = edge(w, w->here, 1);
    words = counter(w, e, 0);
    if (words) put(w, 1, begin(w, w->f->close), words, ";", "");
    free(w->labels);
    if (!w->emit) g->vertices = w->vertices;
}

void cc_flow_build(cc_unit *u, uint32_t function, cc_cfg *g) {
    walk w;
    memset(&w, 0, sizeof w);
    run(&w, u, function, g);
}

void cc_flow_emit(cc_unit *u, uint32_t function, cc_cfg *g, const cc_request *request,
                  const char *table, cc_edits *edits, int *look_again) {
    walk w;
    memset(&w, 0, sizeof w);
    w.emit = 1;
    w.request = request;
    w.table = table;
    w.edits = edits;
    w.look_again = look_again;
    run(&w, u, function, g);
}
