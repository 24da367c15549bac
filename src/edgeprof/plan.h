/* ---- the planner: types and functions ---- */

typedef struct edgeplan_graph {
    uint32_t vertices;
    uint32_t edges;
    uint32_t root;
    uint32_t exit;
    uint32_t stays;       /* so many of the last edges are stay edges: they hold no counter */
    uint32_t add_stays;   /* 1: add a stay edge where a vertex cannot reach EXIT; 0: refuse */
    const uint32_t *ends; /* two numbers an edge: source, target */
} edgeplan_graph;

/* Why edgeplan_init refuses a graph, and what its `at` is. */
enum {
    EDGEPLAN_NO_MEMORY = 1, /* less than edgeplan_bytes, or 2^30 edges and more */
    EDGEPLAN_NO_VERTEX = 2, /* a number that is no vertex, or root and EXIT are one; the edge */
    EDGEPLAN_EXIT_LEFT = 3, /* an edge leaves EXIT; the edge */
    EDGEPLAN_UNREACHED = 4, /* no path from the root leads to a vertex; the vertex */
    EDGEPLAN_ENDLESS = 5,   /* no path leads from a vertex to EXIT; the vertex */
    EDGEPLAN_BAD_STAY = 6   /* a stay edge leads elsewhere, or closes a cycle; the edge */
};

/* plan[] of an edge. */
enum {
    EDGEPLAN_NONE = 0,    /* no counter: it is derived */
    EDGEPLAN_COUNTED = 1, /* a counter, a mark or a witness */
    EDGEPLAN_ZERO = 2     /* no counter: take it as known and 0 */
};

typedef struct edgeplan {
    uint32_t vertices;
    uint32_t edges;    /* with stay edges; edge number `edges` is X, from EXIT to the root */
    uint32_t root;
    uint32_t exit;
    uint32_t stays;
    uint32_t *ends;    /* edges + 1 pairs */
    double *weight;    /* of each edge, by edgeplan_weigh; yours to change */
    uint8_t *plan;     /* of each edge and X; after edgeplan_vertices of each vertex */
    uint32_t counters; /* how many are EDGEPLAN_COUNTED */
    uint32_t reason;   /* after a refusal; 0: there was none */
    uint32_t at;
    uint32_t *class_of;    /* after edgeplan_vertices: the class [v] of each vertex */
    uint32_t *class_after; /* and the class s(v) of its successors */
    uint32_t classes;
    /* private */
    uint32_t *out_at, *out, *in_at, *in, *scratch[6], *sort[2];
    double *vertex_weight;
} edgeplan;

/* What the heaviest edges are; they stay without a counter. NULL: those of the
   largest weight. */
typedef struct edgeplan_order {
    const uint64_t *count; /* counts of an earlier run for each edge, or NULL */
    int minimum;           /* 1: the minimum spanning tree, the worst plan, for comparisons */
    const uint8_t *uncountable; /* of each edge: 1 must get no counter, if that can be; or NULL */
} edgeplan_order;

/* Returns the bytes of memory, aligned to 8, that edgeplan_init needs. */
EDGEPROF_API size_t edgeplan_bytes(uint32_t vertices, uint32_t edges);

/* Copies the graph, adds stay edges if wanted, and checks it. Returns how many
   edges it has now, which is at least 1. 0 means that the graph is refused: see
   reason and at. p must not be used then. */
EDGEPROF_API uint32_t edgeplan_init(edgeplan *p, void *memory, size_t bytes,
                                    const edgeplan_graph *graph);

/* Marks the vertices that no path from the root reaches. Returns how many there
   are, or -1 when memory is too small or an edge's end is no vertex. For
   readers of files that drop such vertices before edgeplan_init refuses
   them. */
EDGEPROF_API int64_t edgeplan_unreached(const edgeplan_graph *graph, uint8_t *mark, void *memory,
                                        size_t bytes);

/* Section 5: weights by loop nesting. probability: of each edge among those of
   its source, or NULL for equal shares. */
EDGEPROF_API void edgeplan_weigh(edgeplan *p, const double *probability);

/* Section 3.2: counters on the complement of a maximum spanning tree. There are
   edges - vertices + 2 of them. */
EDGEPROF_API void edgeplan_edges(edgeplan *p, const edgeplan_order *order);

/* Section 3.4: takes counters away while blocks can still be derived. Call
   edgeplan_edges before. */
EDGEPROF_API void edgeplan_drop(edgeplan *p, const edgeplan_order *order);

/* Section 3.5 (Knuth and Stevenson): counters in vertices. There are vertices -
   classes + 1 of them. order->count, if any, counts vertices here. */
EDGEPROF_API void edgeplan_vertices(edgeplan *p, const edgeplan_order *order);

/* The kind of a vertex, for edgeplan_witnesses. */
enum {
    EDGEPLAN_CALL = 1,      /* the reader knows by itself when the call is over, or by LEAVE */
    EDGEPLAN_CALL_TOLD = 2  /* a witness on each way to the next call or to EXIT says it */
};

/* Section 4: witnesses. call_block: not 0 for each vertex in which another
   function's tokens may come, or which never returns; EXIT is one in any case.
   Of the order, uncountable edges get no witness. */
EDGEPROF_API void edgeplan_witnesses(edgeplan *p, const uint8_t *call_block,
                                     const edgeplan_order *order);

/* Coverage: marks on the entry (X) and on each edge that leaves a vertex with
   several. Nothing else is marked. */
EDGEPROF_API void edgeplan_marks(edgeplan *p);

/* Returns whether v has two or more out-edges. */
EDGEPROF_API int edgeplan_is_predicate(const edgeplan *p, uint32_t v);

/* Prints the macros that edgeprof.h wants for function `name`: counters by the
   plan that is there and marks. Call edgeplan_edges before; afterwards the plan
   holds marks. Returns 0, or -1 if a write failed. */
EDGEPROF_API int edgeplan_write_header(edgeplan *p, const char *name,
                                       int (*write)(void *user, const void *data, size_t size),
                                       void *user);
