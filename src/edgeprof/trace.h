/* ---- traces: types and functions ---- */

/* Takes bytes that are written. Returns 0 to go on; anything else stops the
   trace. */
typedef int (*edgetrace_write_fn)(void *user, const void *data, size_t size);

typedef struct edgetrace {
    edgetrace_write_fn write, write_bits;
    void *user;
    uint64_t bits; /* written by edgetrace_choice */
    uint32_t serials;
    int error;   /* what write returned when it was not 0 */
    int outside; /* 1: a traced function that is entered now must say so */
    uint8_t used, bits_used;
    unsigned char tokens[64], packed[64];
} edgetrace;

/* write_bits takes the bits of edgetrace_choice, a stream of its own; NULL:
   there are none. */
EDGEPROF_API void edgetrace_begin(edgetrace *t, edgetrace_write_fn write,
                                   edgetrace_write_fn write_bits, void *user);
/* Writes what is left. Returns 0, or -1 if a write failed. Its last byte says
   that the trace ends here. */
EDGEPROF_API int edgetrace_end(edgetrace *t);

/* An edge with a witness, or one of several out-edges in bit tracing, is
   taken. */
EDGEPROF_API void edgetrace_witness(edgetrace *t, uint32_t number);
EDGEPROF_API void edgetrace_choice(edgetrace *t, uint32_t place, uint32_t bits);

/* A function begins. Returns what edgetrace_return wants when it ends. */
EDGEPROF_API int edgetrace_entry(edgetrace *t, uint32_t function);
EDGEPROF_API void edgetrace_return(edgetrace *t, int outside);

/* Before an opaque call. Returns what edgetrace_called wants behind it. */
EDGEPROF_API int edgetrace_call(edgetrace *t);
EDGEPROF_API void edgetrace_called(edgetrace *t, int outside);

/* Returns a number for this activation, which edgetrace_resume wants when
   longjmp comes back. */
EDGEPROF_API uint32_t edgetrace_serial(edgetrace *t);
EDGEPROF_API void edgetrace_resume(edgetrace *t, uint32_t serial, uint32_t block);

/* ---- reading ---- */

/* What a block calls. Smaller numbers are functions of the program. */
enum {
    EDGETRACE_SILENT = 0x7FFFFFFE, /* code that is not traced and calls nothing traced */
    EDGETRACE_OPAQUE = 0x7FFFFFFF  /* what the reader cannot know */
};

/* call_at: the calls of vertex v are call[call_at[v]] .. call[call_at[v + 1] -
   1]. */
typedef struct edgetrace_function {
    uint32_t vertices, edges, root, exit;
    const uint32_t *ends;         /* pairs: source, target */
    const uint8_t *witness;       /* of each edge; NULL: this is bit tracing */
    const uint32_t *call_at;      /* NULL: it calls nothing */
    const uint32_t *call;
    const uint8_t *never_returns; /* of each vertex: its last call does not come back; NULL: none */
    int has_serial;               /* it calls edgetrace_serial at its entry */
} edgetrace_function;

typedef struct edgetrace_frame {
    uint32_t function, vertex, call, held, serial;
} edgetrace_frame;

typedef struct edgetrace_reader {
    const edgetrace_function *functions;
    uint32_t count, depth, depth_max;
    edgetrace_frame *frames;
    uint32_t *first; /* of each function: where its lists are */
    uint32_t *lists;
    uint32_t *toward;   /* of each vertex of the top frame: the edge to the held witness */
    uint32_t *queue;
    const char *reason; /* after -1 */
    size_t offset;      /* of the token that was read last */
    uint32_t serials;
} edgetrace_reader;

/* Returns the bytes of memory, aligned to 8, with which edgetrace_reader_init
   has room for `depth` open calls. */
EDGEPROF_API size_t edgetrace_reader_bytes(const edgetrace_function *functions, uint32_t count,
                                            uint32_t depth);
/* Returns how many calls may be open at a time. 0 means that memory is too
   small or that an edge leads to no vertex, and r must not be used. */
EDGEPROF_API uint32_t edgetrace_reader_init(edgetrace_reader *r,
                                             const edgetrace_function *functions, uint32_t count,
                                             void *memory, size_t bytes);
/* Calls block(user, function, vertex, is_certain) for every block, at most
   `most` times; it returns 0 to go on. EXIT is no block. Returns 0 at the end
   of the trace, when it was cut, or when block or `most` stopped it; -1 with
   reason and offset if the trace does not fit the graphs or more calls are open
   than there is room for. */
EDGEPROF_API int edgetrace_read(edgetrace_reader *r, const void *tokens, size_t size,
                                 const void *bits, uint64_t bit_count, uint64_t most,
                                 int (*block)(void *user, uint32_t function, uint32_t vertex,
                                              int is_certain),
                                 void *user);
