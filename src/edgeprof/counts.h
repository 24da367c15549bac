/* ---- counts: types and functions ---- */

/* Takes bytes that are written. Returns 0 to go on; anything else stops the
   writer. */
typedef int (*edgeprof_write_fn)(void *user, const void *data, size_t size);

/* Made by EP_FUNC. A pointer is NULL where the program does not have what it
   points to. */
typedef struct edgeprof_function {
    const char *name;
    const char *file;
    const edgeprof_index *ends;      /* source and target of each edge, then those of X */
    const uint32_t *lines;           /* of each vertex; 0: none */
    const uint8_t *plan;             /* of each edge but stay edges: 1 has a counter; NULL: all */
    const char *const *vertex_names; /* EDGEPROF_CHECK only */
    void *counters;
    uint32_t *early;                 /* of each vertex: how many activations ended there without
                                        leaving by an edge, less those that came back behind it.
                                        Modulo 2^32, or EDGEPROF_UNKNOWN; EP_FUNC_EXITS only */
    uint32_t *reentry;               /* of each vertex: how many began anew there; may be NULL */
    uint32_t vertices;               /* vertex 0 is the entry, the last is EXIT */
    uint32_t edges;                  /* without X, the edge from EXIT to the entry */
    uint32_t stays;                  /* so many of the last edges are stay edges (edgeplan_init) */
    uint32_t slots;                  /* counters or marks */
    uint32_t hash;                   /* of table and plan */
    uint8_t bits;                    /* 16, 32, 64: COUNT; 1, 8: COVER */
    uint8_t counts_entry;            /* 1: X has a counter, the last one */
} edgeprof_function;

/* early[] of a vertex where activations ended, nobody knows how often. */
#define EDGEPROF_UNKNOWN UINT32_C(0x80000000)

/* Activations that may end without leaving by an edge, the outermost first.
   They stand in memory of yours and not on the stack, where longjmp would leave
   them to be overwritten. */
typedef struct edgeprof_frame {
    const edgeprof_function *function;
    uint32_t vertex; /* where it stood before its latest call that may not come back */
} edgeprof_frame;

typedef struct edgeprof_chain {
    edgeprof_frame *frames;
    uint32_t max;   /* how many there is room for */
    uint32_t count; /* may be more than max: the innermost are not recorded then */
    uint32_t lost;  /* how many were not: if one of these ended early, counts are wrong */
} edgeprof_chain;

/* What edgeprof_check found: a vertex where more comes in than goes out, or the
   other way round; or an edge whose derived count is not the one that was
   measured. */
typedef struct edgeprof_fault {
    uint32_t vertex;
    uint32_t line;
    const char *vertex_name;
    uint64_t in;   /* of the vertex; of an edge what was derived */
    uint64_t out;  /* of the vertex; of an edge what was measured */
    uint32_t edge; /* UINT32_MAX: the vertex is at fault */
} edgeprof_fault;

/* ---- answers ---- */

/* Returns the bytes of memory, aligned to 8, that the functions below need:
   those of the largest function of the list. */
EDGEPROF_API size_t edgeprof_bytes(const edgeprof_function *const *list, uint32_t count);

/* Every count of one function: count[0 .. edges] of edges, with the number of
   activations at [edges], and block[] of vertices. Either may be NULL. In COVER
   a count is 1 or 0. Returns 0, or -1: too little memory, or no table. */
EDGEPROF_API int edgeprof_counts(const edgeprof_function *f, uint64_t *count, uint64_t *block,
                                 void *memory, size_t bytes);

/* For EDGEPROF_CHECK: does the flow law hold at each vertex, and does what
   `plan` counts (an entry for each edge and X, as edgeplan_edges makes it;
   NULL: only the flow law) give all other counts? Returns 0, or -1 with
   *fault. */
EDGEPROF_API int edgeprof_check(const edgeprof_function *f, const uint8_t *plan,
                                edgeprof_fault *fault, void *memory, size_t bytes);

/* LCOV and CSV of functions with a table. Functions of one file become one
   record. Both return 0, or -1: memory is too small, counters are no plan of
   their graph, or a write failed. */
EDGEPROF_API int edgeprof_write_lcov(const edgeprof_function *const *list, uint32_t count,
                                     void *memory, size_t bytes, edgeprof_write_fn write,
                                     void *user);
EDGEPROF_API int edgeprof_write_csv(const edgeprof_function *const *list, uint32_t count,
                                    void *memory, size_t bytes, edgeprof_write_fn write,
                                    void *user);
/* One .brst part of kind 4. Needs no memory. Returns 0, or -1 if a write
   failed. */
EDGEPROF_API int edgeprof_write(const edgeprof_function *const *list, uint32_t count,
                                edgeprof_write_fn write, void *user);
/* The same for the run of a test: `bursty report` keeps what each test ran
   apart. test: its name; NULL or "": the run is of none. */
EDGEPROF_API int edgeprof_write_test(const char *test, const edgeprof_function *const *list,
                                     uint32_t count, edgeprof_write_fn write, void *user);

/* Returns what tells the counters of functions apart in a dump. It is made of
   the name, the hash, the bits and the number of slots. */
EDGEPROF_API uint64_t edgeprof_key(const edgeprof_function *f);

/* Sets all counters of these functions to 0. */
EDGEPROF_API void edgeprof_reset(const edgeprof_function *const *list, uint32_t count);

/* ---- behind the macros ---- */

/* Adds own[] to the function's counters and clears it. */
EDGEPROF_API void edgeprof_join(const edgeprof_function *f, void *own);
/* Returns the number of the new frame. */
EDGEPROF_API uint32_t edgeprof_enter(edgeprof_chain *chain, const edgeprof_function *f);
/* The activation stands at `vertex` now. */
EDGEPROF_API void edgeprof_at(edgeprof_chain *chain, uint32_t frame, uint32_t vertex);
/* longjmp came back to `vertex` of the activation of that frame. */
EDGEPROF_API void edgeprof_come_back(edgeprof_chain *chain, uint32_t frame, uint32_t vertex);
/* by 1: counts all running activations as ended where they stand, before exit
   or a dump. by -1: takes that back. */
EDGEPROF_API void edgeprof_running(const edgeprof_chain *chain, int by);

/* ---- the core, for programs that have graphs of their own ---- */

/* Derives counts by the flow law (section 3.2): at each vertex what comes in
   goes out. ends: pairs, X among them. known[e] not 0: count[e] is given; the
   others are written. balance: for each vertex what else came in less what else
   went out, as by early exits (edges v -> EXIT) and re-entries (EXIT -> v) of
   known count; it is used up. Counts are modulo 2^bits. Returns 0, or -1: the
   edges that are not known hold a cycle, or memory is too small. */
EDGEPROF_API int edgeprof_solve(const edgeprof_index *ends, uint32_t vertices, uint32_t edges,
                                const uint8_t *known, uint64_t *count, uint64_t *balance,
                                uint32_t bits, void *memory, size_t bytes);
/* Returns the bytes of memory, aligned to 8, that edgeprof_solve needs. */
EDGEPROF_API size_t edgeprof_solve_bytes(uint32_t vertices);
