/* edgetrace.h - v0.2.0 - the path of a program in few tokens - MIT, text at end of file

   example:
       #define EDGETRACE_IMPLEMENTATION
       #include "edgetrace.h"
       #include <stdio.h>
       // 0 head, 1 even, 2 odd, 3 EXIT
       static const uint32_t ends[] = {0, 1,  0, 2,  1, 0,  2, 0,  0, 3};
       static const uint8_t witness[] = {0, 0, 1, 1, 1};        // edgeplan_witnesses says which
       static unsigned char file[100];
       static size_t size;
       static int save(void *user, const void *data, size_t bytes) {
           const unsigned char *byte = (const unsigned char *)data;
           (void)user;
           while (bytes--) file[size++] = *byte++;
           return 0;
       }
       static void numbers(edgetrace *t, int n) {
           int outside = edgetrace_entry(t, 0), i;
           for (i = 0; i < n; i++)
               edgetrace_witness(t, i % 2 ? 1 : 0);             // edge 2 is witness 0, edge 3 is 1
           edgetrace_witness(t, 2);
           edgetrace_return(t, outside);
       }
       static int show(void *user, uint32_t function, uint32_t block, int is_certain) {
           (void)user; (void)function; (void)is_certain;
           printf("%u ", (unsigned)block);                           // 0 1 0 2 0 1 0
           return 0;
       }
       int main(void) {
           static uint64_t memory[200];
           edgetrace_function f = {4, 5, 0, 3, ends, witness, NULL, NULL, NULL, 0};
           edgetrace_reader reader;
           edgetrace t;
           edgetrace_begin(&t, save, NULL, NULL);
           numbers(&t, 3);
           if (edgetrace_end(&t) != 0) return 1;
           if (edgetrace_reader_init(&reader, &f, 1, memory, sizeof memory) == 0) return 1;
           return edgetrace_read(&reader, file, size, NULL, 0, 1000, show, NULL) != 0;
       }
   end of example.

   STEP BY STEP
     1. edgeplan.h says which edges of each function are witnesses (edgeplan_witnesses). They are
        numbered 0, 1, 2 ... in the order of the edges, for each function anew.
     2. In the program, write edgetrace_witness(t, number) where such an edge is taken. Around a
        call whose target the reader cannot know (through a pointer, or of code that is not traced
        and may call back):
            int outside = edgetrace_call(t); ... the call ...; edgetrace_called(t, outside);
        A function that can be reached so, or from outside, begins with edgetrace_entry and ends
        with edgetrace_return. Direct calls of traced functions need nothing.
     3. A function with setjmp takes a number when it is entered (edgetrace_serial). Where setjmp
        comes back, it calls edgetrace_resume with that number and the block behind setjmp.
     4. On your machine, edgetrace_read gives back every block in order, from the graphs and the
        trace alone.
     Bit tracing is the other way: every edge that leaves a vertex with d of them writes its place
     among these by edgetrace_choice, in ceil(log2 d) bits. It needs no plan, and takes less space
     but more writes.

   PROMISES   No allocation, no recursion, no output but through your function, no globals. A trace
              that was cut gives all blocks up to its last token; what follows is marked as not
              certain. A broken trace is refused with its offset.
   THREADS    One trace a thread.
   OPTIONS    Where the implementation is: EDGETRACE_STATIC makes all functions static.
   COST       A token is 1 byte for witnesses up to 126. Reading takes 16 bytes a vertex and 12 an
              edge.

   Theory: "Optimally Profiling and Tracing Programs" (Ball, Larus; 1994), section 4. */

#ifndef EDGETRACE_H
#define EDGETRACE_H
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__) || defined(__clang__)
#define EDGETRACE_P_GNU
#endif
#if defined(EDGETRACE_P_GNU) || defined(__TINYC__)
#define EDGETRACE_P_UNUSED __attribute__((unused))
#else
#define EDGETRACE_P_UNUSED
#endif
#ifdef EDGETRACE_STATIC
#define EDGETRACE_API EDGETRACE_P_UNUSED static
#elif defined(EDGETRACE_P_GNU) && !defined(_WIN32)
#define EDGETRACE_API extern __attribute__((visibility("hidden")))
#else
#define EDGETRACE_API extern
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- in the program ---- */

/* Takes bytes that are written. Returns 0 to go on; anything else stops the trace. */
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

/* write_bits takes the bits of edgetrace_choice, a stream of its own; NULL: there are none. */
EDGETRACE_API void edgetrace_begin(edgetrace *t, edgetrace_write_fn write,
                                   edgetrace_write_fn write_bits, void *user);
/* Writes what is left. Returns 0, or -1 if a write failed. Its last byte says that the trace ends
   here. */
EDGETRACE_API int edgetrace_end(edgetrace *t);

/* An edge with a witness, or one of several out-edges in bit tracing, is taken. */
EDGETRACE_API void edgetrace_witness(edgetrace *t, uint32_t number);
EDGETRACE_API void edgetrace_choice(edgetrace *t, uint32_t place, uint32_t bits);

/* A function begins. Returns what edgetrace_return wants when it ends. */
EDGETRACE_API int edgetrace_entry(edgetrace *t, uint32_t function);
EDGETRACE_API void edgetrace_return(edgetrace *t, int outside);

/* Before an opaque call. Returns what edgetrace_called wants behind it. */
EDGETRACE_API int edgetrace_call(edgetrace *t);
EDGETRACE_API void edgetrace_called(edgetrace *t, int outside);

/* Returns a number for this activation, which edgetrace_resume wants when longjmp comes back. */
EDGETRACE_API uint32_t edgetrace_serial(edgetrace *t);
EDGETRACE_API void edgetrace_resume(edgetrace *t, uint32_t serial, uint32_t block);

/* ---- reading ---- */

/* What a block calls. Smaller numbers are functions of the program. */
enum {
    EDGETRACE_SILENT = 0x7FFFFFFE, /* code that is not traced and calls nothing traced */
    EDGETRACE_OPAQUE = 0x7FFFFFFF  /* what the reader cannot know */
};

/* call_at: the calls of vertex v are call[call_at[v]] .. call[call_at[v + 1] - 1]. */
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

/* Returns the bytes of memory, aligned to 8, with which edgetrace_reader_init has room for `depth`
   open calls. */
EDGETRACE_API size_t edgetrace_reader_bytes(const edgetrace_function *functions, uint32_t count,
                                            uint32_t depth);
/* Returns how many calls may be open at a time. 0 means that memory is too small or that an edge
   leads to no vertex, and r must not be used. */
EDGETRACE_API uint32_t edgetrace_reader_init(edgetrace_reader *r,
                                             const edgetrace_function *functions, uint32_t count,
                                             void *memory, size_t bytes);
/* Calls block(user, function, vertex, is_certain) for every block, at most `most` times; it returns
   0 to go on. EXIT is no block. Returns 0 at the end of the trace, when it was cut, or when block
   or `most` stopped it; -1 with reason and offset if the trace does not fit the graphs or more
   calls are open than there is room for. */
EDGETRACE_API int edgetrace_read(edgetrace_reader *r, const void *tokens, size_t size,
                                 const void *bits, uint64_t bit_count, uint64_t most,
                                 int (*block)(void *user, uint32_t function, uint32_t vertex,
                                              int is_certain),
                                 void *user);

#ifdef __cplusplus
}
#endif
#endif /* EDGETRACE_H */

/* ---- implementation ---- */
#if defined(EDGETRACE_IMPLEMENTATION) && !defined(EDGETRACE_IMPLEMENTED)
#define EDGETRACE_IMPLEMENTED

/* ---- writing ---- */

/* Tokens are varints, and context tells what they mean:

       where a witness is wanted      0 END, k + 1 witness k
       at an opaque call,             0 END, 1 LEAVE, 2 RESUME serial vertex,
       and where no frame is left     3 + f ENTER function f */

enum { EDGETRACE_P_END = 0, EDGETRACE_P_LEAVE = 1, EDGETRACE_P_RESUME = 2, EDGETRACE_P_ENTER = 3 };

static void edgetrace_p_flush(edgetrace *t) {
    if (t->used && !t->error) t->error = t->write(t->user, t->tokens, t->used);
    t->used = 0;
}

static void edgetrace_p_token(edgetrace *t, uint32_t token) {
    do {
        t->tokens[t->used++] = (unsigned char)((token & 127) | (token > 127 ? 128 : 0));
        if (t->used == sizeof t->tokens) edgetrace_p_flush(t);
        token >>= 7;
    } while (token);
}

EDGETRACE_API void edgetrace_begin(edgetrace *t, edgetrace_write_fn write,
                                   edgetrace_write_fn write_bits, void *user) {
    t->write = write;
    t->write_bits = write_bits;
    t->user = user;
    t->bits = 0;
    t->serials = 0;
    t->error = 0;
    t->outside = 1;
    t->used = t->bits_used = 0;
    t->packed[0] = 0;
}

EDGETRACE_API int edgetrace_end(edgetrace *t) {
    edgetrace_p_token(t, EDGETRACE_P_END);
    edgetrace_p_flush(t);
    if (t->write_bits && !t->error && (t->bits_used || (t->bits & 7)))
        t->error = t->write_bits(t->user, t->packed, (size_t)t->bits_used + ((t->bits & 7) != 0));
    return t->error ? -1 : 0;
}

EDGETRACE_API void edgetrace_witness(edgetrace *t, uint32_t number) {
    edgetrace_p_token(t, number + 1);
}

EDGETRACE_API void edgetrace_choice(edgetrace *t, uint32_t place, uint32_t bits) {
    for (; bits > 0; bits--, place >>= 1) {
        t->packed[t->bits_used] =
            (unsigned char)(t->packed[t->bits_used] | (place & 1) << (t->bits & 7));
        if ((++t->bits & 7) != 0) continue;
        if (++t->bits_used == sizeof t->packed) {
            if (!t->error) t->error = t->write_bits(t->user, t->packed, t->bits_used);
            t->bits_used = 0;
        }
        t->packed[t->bits_used] = 0;
    }
}

EDGETRACE_API int edgetrace_entry(edgetrace *t, uint32_t function) {
    int outside = t->outside;
    if (outside) edgetrace_p_token(t, EDGETRACE_P_ENTER + function);
    t->outside = 0;
    return outside;
}

EDGETRACE_API void edgetrace_return(edgetrace *t, int outside) { t->outside = outside; }

EDGETRACE_API int edgetrace_call(edgetrace *t) {
    int outside = t->outside;
    t->outside = 1;
    return outside;
}

EDGETRACE_API void edgetrace_called(edgetrace *t, int outside) {
    edgetrace_p_token(t, EDGETRACE_P_LEAVE);
    t->outside = outside;
}

EDGETRACE_API uint32_t edgetrace_serial(edgetrace *t) { return t->serials++; }

EDGETRACE_API void edgetrace_resume(edgetrace *t, uint32_t serial, uint32_t block) {
    edgetrace_p_token(t, EDGETRACE_P_RESUME);
    edgetrace_p_token(t, serial);
    edgetrace_p_token(t, block);
    t->outside = 0;
}

/* ---- reading ---- */

/* The lists of a function, one behind the other in lists[first[f] ..]:
       out_at[V + 1]  out[E]  in_at[V + 1]  in[E]  edge_of[number of witnesses]

   A token that was read and whose edge was not taken yet is held by the top frame. Walking back
   from the source of that edge over edges without witness gives, for each vertex that can reach it
   so, the one edge to follow: toward[v]. The plan makes sure that there is one such path, and that
   no call is met on it. */

#define EDGETRACE_P_NONE UINT32_MAX

EDGETRACE_API size_t edgetrace_reader_bytes(const edgetrace_function *functions, uint32_t count,
                                            uint32_t depth) {
    size_t words = count, most = 0;
    uint32_t i;
    for (i = 0; i < count; i++) {
        words += 2 * ((size_t)functions[i].vertices + 1) + 3 * (size_t)functions[i].edges;
        if (functions[i].vertices > most) most = functions[i].vertices;
    }
    return (words + 2 * most) * sizeof(uint32_t) + (size_t)depth * sizeof(edgetrace_frame) + 16;
}

static uint32_t *edgetrace_p_list(const edgetrace_function *f, uint32_t *at, uint32_t side) {
    uint32_t *list = at + f->vertices + 1, v, e;
    for (v = 0; v <= f->vertices; v++) at[v] = 0;
    for (e = 0; e < f->edges; e++) at[f->ends[2 * (size_t)e + side] + 1]++;
    for (v = 0; v < f->vertices; v++) at[v + 1] += at[v];
    for (e = 0; e < f->edges; e++) list[at[f->ends[2 * (size_t)e + side]]++] = e;
    for (v = f->vertices; v > 0; v--) at[v] = at[v - 1];
    at[0] = 0;
    return list + f->edges;
}

EDGETRACE_API uint32_t edgetrace_reader_init(edgetrace_reader *r,
                                             const edgetrace_function *functions, uint32_t count,
                                             void *memory, size_t bytes) {
    size_t least = edgetrace_reader_bytes(functions, count, 0), depth;
    uint32_t *next, most = 0, i, e;
    r->functions = functions;
    r->count = count;
    r->depth = r->serials = 0;
    r->reason = "";
    r->offset = 0;
    depth = bytes < least ? 0 : (bytes - least) / sizeof(edgetrace_frame);
    r->depth_max = depth < UINT32_MAX ? (uint32_t)depth : UINT32_MAX;
    if (depth == 0) return 0;
    r->frames = (edgetrace_frame *)memory;
    r->first = (uint32_t *)(void *)(r->frames + depth);
    r->lists = next = r->first + count;
    for (i = 0; i < count; i++) {
        const edgetrace_function *f = &functions[i];
        if (f->root >= f->vertices || f->exit >= f->vertices) return 0;
        for (e = 0; e < 2 * f->edges; e++)
            if (f->ends[e] >= f->vertices) return 0;
        r->first[i] = (uint32_t)(next - r->lists);
        next = edgetrace_p_list(f, next, 0);
        next = edgetrace_p_list(f, next, 1);
        for (e = 0; e < f->edges; e++)
            if (f->witness && f->witness[e]) *next++ = e;
        if (f->vertices > most) most = f->vertices;
    }
    r->toward = next;
    r->queue = next + most;
    return r->depth_max;
}

typedef struct edgetrace_p_stream {
    const unsigned char *tokens, *bits;
    size_t at, size;
    uint64_t bit, bit_count;
    int is_over; /* an END was read, or nothing is left */
} edgetrace_p_stream;

static uint32_t edgetrace_p_next(edgetrace_reader *r, edgetrace_p_stream *s) {
    uint32_t value = 0, shift = 0;
    r->offset = s->at;
    while (s->at < s->size) {
        unsigned char byte = s->tokens[s->at++];
        if (shift < 32) value |= (uint32_t)(byte & 127) << shift;
        shift += 7;
        if (!(byte & 128)) {
            if (shift > 35) r->reason = "a token has too many bytes";
            return value;
        }
    }
    s->is_over = 1;
    return EDGETRACE_P_END;
}

static int edgetrace_p_refuse(edgetrace_reader *r, const char *reason) {
    r->reason = reason;
    return -1;
}

static int edgetrace_p_push(edgetrace_reader *r, uint32_t function) {
    edgetrace_frame *frame;
    if (function >= r->count)
        return edgetrace_p_refuse(r, "a function is entered that is not there");
    if (r->depth == r->depth_max)
        return edgetrace_p_refuse(r, "more calls are open than there is room for");
    frame = &r->frames[r->depth++];
    frame->function = function;
    frame->vertex = r->functions[function].root;
    frame->call = 0;
    frame->held = EDGETRACE_P_NONE;
    frame->serial = r->functions[function].has_serial ? r->serials++ : EDGETRACE_P_NONE;
    return 0;
}

/* Fills toward[] for the witness that the frame holds. */
static void edgetrace_p_aim(edgetrace_reader *r, const edgetrace_function *f, const uint32_t *in_at,
                            uint32_t edge) {
    const uint32_t *in = in_at + f->vertices + 1;
    uint32_t count = 1, done, v, i;
    for (v = 0; v < f->vertices; v++) r->toward[v] = EDGETRACE_P_NONE;
    r->queue[0] = f->ends[2 * (size_t)edge];
    r->toward[r->queue[0]] = edge;
    for (done = 0; done < count; done++)
        for (i = in_at[r->queue[done]]; i < in_at[r->queue[done] + 1]; i++) {
            v = f->ends[2 * (size_t)in[i]];
            if (f->witness[in[i]] || r->toward[v] != EDGETRACE_P_NONE) continue;
            r->toward[v] = in[i];
            r->queue[count++] = v;
        }
}

/* Reads a witness if none is held. Returns 1, 0 at the end of the trace, or -1. */
static int edgetrace_p_hold(edgetrace_reader *r, edgetrace_p_stream *s, edgetrace_frame *frame,
                            const uint32_t *in_at) {
    const edgetrace_function *f = &r->functions[frame->function];
    const uint32_t *edge_of = in_at + f->vertices + 1 + f->edges;
    uint32_t token, last = frame->function + 1;
    const uint32_t *end = last < r->count ? r->lists + r->first[last] : r->toward;
    if (frame->held != EDGETRACE_P_NONE) return 1;
    token = edgetrace_p_next(r, s);
    if (token == EDGETRACE_P_END) return 0;
    if (token > (uint32_t)(end - edge_of))
        return edgetrace_p_refuse(r, "a witness that this function does not have");
    frame->held = edge_of[token - 1];
    edgetrace_p_aim(r, f, in_at, frame->held);
    return 1;
}

/* The edge by which the top frame leaves its vertex. Returns 1, 0 at the end of the trace, or
   -1. */
static int edgetrace_p_choose(edgetrace_reader *r, edgetrace_p_stream *s, edgetrace_frame *frame,
                              uint32_t *edge) {
    const edgetrace_function *f = &r->functions[frame->function];
    const uint32_t *out_at = r->lists + r->first[frame->function], *out = out_at + f->vertices + 1;
    const uint32_t *in_at = out + f->edges;
    uint32_t ways = out_at[frame->vertex + 1] - out_at[frame->vertex], place = 0, bit;
    int got;
    if (ways == 0) return edgetrace_p_refuse(r, "a block that returns has no edge to EXIT");
    *edge = out[out_at[frame->vertex]];
    if (ways > 1 && !f->witness) {
        for (bit = 0; bit < 31 && (uint32_t)1 << bit < ways; bit++, s->bit++) {
            if (s->bit >= s->bit_count) {
                s->is_over = 1;
                return 0;
            }
            place |= (uint32_t)(s->bits[s->bit >> 3] >> (s->bit & 7) & 1) << bit;
        }
        if (place >= ways) return edgetrace_p_refuse(r, "a choice among fewer edges");
        *edge = out[out_at[frame->vertex] + place];
    }
    if (!f->witness) return 1;
    if (ways > 1) {
        got = edgetrace_p_hold(r, s, frame, in_at);
        if (got != 1) return got;
        *edge = r->toward[frame->vertex];
        if (*edge == EDGETRACE_P_NONE || f->ends[2 * (size_t)*edge] != frame->vertex)
            return edgetrace_p_refuse(r, "a witness that no path from here reaches");
    }
    if (f->witness[*edge]) {
        got = edgetrace_p_hold(r, s, frame, in_at);
        if (got != 1) return got;
        if (frame->held != *edge)
            return edgetrace_p_refuse(r, "another witness than that of the only way");
        frame->held = EDGETRACE_P_NONE;
    }
    return 1;
}

/* One event at an opaque call or where no frame is left. Returns 1: a block was entered; 2: LEAVE;
   0: the end; or -1. */
static int edgetrace_p_event(edgetrace_reader *r, edgetrace_p_stream *s) {
    uint32_t token = edgetrace_p_next(r, s), vertex, depth;
    if (token == EDGETRACE_P_END) return 0;
    if (token == EDGETRACE_P_LEAVE)
        return r->depth ? 2 : edgetrace_p_refuse(r, "LEAVE where nothing was called");
    if (token >= EDGETRACE_P_ENTER) return edgetrace_p_push(r, token - EDGETRACE_P_ENTER) ? -1 : 1;
    token = edgetrace_p_next(r, s);
    vertex = edgetrace_p_next(r, s);
    if (s->is_over) return 0;
    for (depth = r->depth; depth > 0 && r->frames[depth - 1].serial != token; depth--) {
    }
    if (depth == 0 || vertex >= r->functions[r->frames[depth - 1].function].vertices)
        return edgetrace_p_refuse(r, "longjmp came back to an activation that is not there");
    r->depth = depth;
    r->frames[depth - 1].vertex = vertex;
    r->frames[depth - 1].call = 0;
    r->frames[depth - 1].held = EDGETRACE_P_NONE;
    return 1;
}

/* One step of the top frame. Returns 1: a block was entered; 2: go on; 0: the end; or -1. */
static int edgetrace_p_step(edgetrace_reader *r, edgetrace_p_stream *s) {
    edgetrace_frame *frame = &r->frames[r->depth - 1];
    const edgetrace_function *f = &r->functions[frame->function];
    uint32_t calls = f->call_at ? f->call_at[frame->vertex + 1] - f->call_at[frame->vertex] : 0,
             edge;
    int ends_here = f->never_returns && f->never_returns[frame->vertex], got;
    if (frame->call < calls) {
        uint32_t callee = f->call[f->call_at[frame->vertex] + frame->call];
        if (callee == EDGETRACE_SILENT && !ends_here) {
            frame->call++;
            return 2;
        }
        if (callee < EDGETRACE_SILENT) {
            frame->call++;
            return edgetrace_p_push(r, callee) ? -1 : 1;
        }
        got = edgetrace_p_event(r, s);
        if (got == 2) r->frames[r->depth - 1].call++;
        return got;
    }
    if (ends_here) {
        got = edgetrace_p_event(r, s);
        return got == 2 ? edgetrace_p_refuse(r, "LEAVE in a block that never returns") : got;
    }
    got = edgetrace_p_choose(r, s, frame, &edge);
    if (got != 1) return got;
    frame->vertex = f->ends[2 * (size_t)edge + 1];
    frame->call = 0;
    if (frame->vertex != f->exit) return 1;
    r->depth--;
    return 2;
}

EDGETRACE_API int edgetrace_read(edgetrace_reader *r, const void *tokens, size_t size,
                                 const void *bits, uint64_t bit_count, uint64_t most,
                                 int (*block)(void *user, uint32_t function, uint32_t vertex,
                                              int is_certain),
                                 void *user) {
    edgetrace_p_stream s;
    int got = 1;
    s.tokens = (const unsigned char *)tokens;
    s.bits = (const unsigned char *)bits;
    s.at = 0;
    s.size = size;
    s.bit = 0;
    s.bit_count = bit_count;
    s.is_over = 0;
    r->depth = r->serials = 0;
    r->reason = NULL;
    while (most > 0) {
        int is_certain = s.at < size || s.bit < bit_count;
        got = r->depth ? edgetrace_p_step(r, &s) : edgetrace_p_event(r, &s);
        if (got < 0 || r->reason) return -1;
        if (got == 0) return 0;
        if (got == 2) continue;
        is_certain |= r->depth && r->frames[r->depth - 1].held != EDGETRACE_P_NONE;
        most--;
        if (block(user, r->frames[r->depth - 1].function, r->frames[r->depth - 1].vertex,
                  is_certain))
            return 0;
    }
    return 0;
}
#endif /* EDGETRACE_IMPLEMENTATION */

/*
MIT License

Copyright (c) 2026 the bursty authors

Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the "Software"), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
SOFTWARE.
*/
