/* test_edgetrace.c - random programs that really run: functions call one
   another directly, through pointers and from code that is not traced, and
   leave by longjmp. Each writes every block into a list, and its tokens by
   edgetrace_witness and the others; the blocks must come back from the
   tokens. */
#include "test.h"
#include "edges.inc"
#include <setjmp.h>

enum { FUNCTIONS = 6, BLOCKS = 14, SLOTS = 3, MOST = 200000, DEPTH = 40 };

typedef struct function {
    random_graph graph;
    uint32_t distance[BLOCKS]; /* edges to EXIT */
    uint32_t call_at[BLOCKS + 1], call[BLOCKS * SLOTS];
    uint8_t never_returns[BLOCKS], call_block[BLOCKS];
    uint32_t comes_back_at; /* where setjmp is; 0: it has none */
    edgeplan plan;
    uint64_t memory[2000];
} function;

static function functions[FUNCTIONS];
static edgetrace_function described[FUNCTIONS];
static edgetrace trace;
static uint32_t happened[MOST], happened_count, budget, depth;
static int uses_bits;
static uint64_t seed;
static jmp_buf base, landing[DEPTH];
static uint32_t landings;

static unsigned char tokens[1 << 20], bits[1 << 20];
static size_t token_size, bit_size;

static int save_tokens(void *user, const void *data, size_t size) {
    (void)user;
    memcpy(tokens + token_size, data, size);
    token_size += size;
    return 0;
}

static int save_bits(void *user, const void *data, size_t size) {
    (void)user;
    memcpy(bits + bit_size, data, size);
    bit_size += size;
    return 0;
}

/* ---- a random program ---- */

static void measure(function *f) {
    uint32_t v, e;
    int changed = 1;
    for (v = 0; v < f->graph.vertices; v++) f->distance[v] = v == f->graph.exit ? 0 : 1000;
    while (changed) {
        changed = 0;
        for (e = 0; e < f->graph.edges; e++) {
            uint32_t from = f->graph.ends[2 * e], to = f->graph.ends[2 * e + 1];
            if (f->distance[from] <= f->distance[to] + 1) continue;
            f->distance[from] = f->distance[to] + 1;
            changed = 1;
        }
    }
}

static void make_calls(function *f, uint32_t number) {
    uint32_t v, n = 0, slots;
    for (v = 0; v < f->graph.vertices; v++) {
        f->call_at[v] = n;
        f->never_returns[v] = v != f->graph.exit && v != f->graph.root && below(&seed, 12) == 0;
        f->call_block[v] = f->never_returns[v];
        if (v == f->graph.exit || below(&seed, 2)) continue;
        for (slots = 1 + below(&seed, SLOTS); slots > 0; slots--) {
            uint32_t kind = below(&seed, 4);
            if (kind == 0)
                f->call[n] = EDGETRACE_OPAQUE;
            else if (kind == 1 || number + 1 == FUNCTIONS)
                f->call[n] = EDGETRACE_SILENT;
            else
                f->call[n] =
                    number + 1 +
                    below(&seed, FUNCTIONS - number - 1); /* so that calls come to an end */
            f->call_block[v] |= f->call[n] != EDGETRACE_SILENT;
            n++;
        }
    }
    f->call_at[f->graph.vertices] = n;
}

static void make_program(void) {
    uint32_t i;
    for (i = 0; i < FUNCTIONS; i++) {
        function *f = &functions[i];
        edgeplan_graph g = {0, 0, 0, 0, 0, 0, NULL};
        do make_graph(&f->graph, &seed, 2 + below(&seed, BLOCKS - 2), 0);
        while (f->graph.edges > 60);
        list_out_edges(&f->graph);
        measure(f);
        make_calls(f, i);
        do f->comes_back_at = below(&seed, f->graph.vertices);
        while (f->comes_back_at == f->graph.exit);
        g.vertices = f->graph.vertices;
        g.edges = f->graph.edges;
        g.root = f->graph.root;
        g.exit = f->graph.exit;
        g.ends = f->graph.ends;
        CHECK_EQ(edgeplan_init(&f->plan, f->memory, sizeof f->memory, &g), g.edges);
        edgeplan_weigh(&f->plan, NULL);
        edgeplan_witnesses(&f->plan, f->call_block, NULL);
        described[i].vertices = f->graph.vertices;
        described[i].edges = f->graph.edges;
        described[i].root = f->graph.root;
        described[i].exit = f->graph.exit;
        described[i].ends = f->graph.ends;
        described[i].witness = uses_bits ? NULL : f->plan.plan;
        described[i].call_at = f->call_at;
        described[i].call = f->call;
        described[i].never_returns = f->never_returns;
        described[i].has_serial = f->comes_back_at != 0;
    }
}

/* ---- running it ---- */

static void note(uint32_t f, uint32_t v) {
    if (happened_count < MOST) happened[happened_count++] = f << 16 | v;
    if (budget) budget--;
}

static void run(uint32_t number);

/* Code that is not traced: calls back, or jumps away. */
static void untraced(void) {
    uint32_t calls = budget && depth < DEPTH / 2 ? below(&seed, 3) : 0;
    while (calls-- > 0) run(below(&seed, FUNCTIONS));
    if (landings && budget && below(&seed, 8) == 0) longjmp(landing[below(&seed, landings)], 1);
}

static uint32_t take_edge(const function *f, uint32_t v) {
    uint32_t ways = f->graph.out_at[v + 1] - f->graph.out_at[v], way = below(&seed, ways), e, k,
             number = 0;
    if (budget == 0) /* home by the shortest way */
        for (k = 0; k < ways; k++)
            if (f->distance[f->graph.ends[2 * f->graph.out[f->graph.out_at[v] + k] + 1]] <
                f->distance[v])
                way = k;
    e = f->graph.out[f->graph.out_at[v] + way];
    if (uses_bits) {
        for (k = 0; (uint32_t)1 << k < ways; k++) {
        }
        if (ways > 1) edgetrace_choice(&trace, way, k);
    } else if (f->plan.plan[e] == EDGEPLAN_COUNTED) {
        for (k = 0; k < e; k++) number += f->plan.plan[k] == EDGEPLAN_COUNTED;
        edgetrace_witness(&trace, number);
    }
    return f->graph.ends[2 * e + 1];
}

static void run(uint32_t number) {
    const function *f = &functions[number];
    volatile uint32_t v = f->graph.root, serial = 0, my_depth, my_landing = 0;
    volatile int outside = edgetrace_entry(&trace, number);
    uint32_t i;
    my_depth = ++depth;
    note(number, v);
    if (f->comes_back_at) {
        serial = edgetrace_serial(&trace);
        my_landing = landings;
        if (landings == DEPTH) longjmp(base, 1);
        landings++;
        if (setjmp(landing[my_landing]) != 0) {
            depth = my_depth;
            landings = my_landing + 1;
            v = f->comes_back_at;
            edgetrace_resume(&trace, serial, v);
            note(number, v);
        }
    }
    while (v != f->graph.exit) {
        for (i = f->call_at[v]; i < f->call_at[v + 1]; i++) {
            volatile uint32_t slot = i;
            if (f->call[i] < EDGETRACE_SILENT)
                run(f->call[i]);
            else if (f->call[i] == EDGETRACE_OPAQUE || f->never_returns[v]) {
                volatile int was = edgetrace_call(&trace);
                untraced();
                edgetrace_called(&trace, was);
            }
            i = slot;
        }
        if (f->never_returns[v]) {
            if (landings && budget) longjmp(landing[below(&seed, landings)], 1);
            longjmp(base, 1);
        }
        v = take_edge(f, v);
        if (v != f->graph.exit) note(number, v);
    }
    if (f->comes_back_at) landings = my_landing;
    depth--;
    edgetrace_return(&trace, outside);
}

static void run_program(void) {
    happened_count = depth = landings = 0;
    token_size = bit_size = 0;
    budget = 300;
    edgetrace_begin(&trace, save_tokens, save_bits, NULL);
    if (setjmp(base) == 0)
        while (budget) run(below(&seed, FUNCTIONS));
    CHECK_EQ(edgetrace_end(&trace), 0);
}

/* ---- and back ---- */

static uint32_t regenerated, certain, wrong;

static int compare(void *user, uint32_t number, uint32_t v, int is_certain) {
    (void)user;
    wrong += regenerated >= happened_count || happened[regenerated] != (number << 16 | v);
    regenerated++;
    certain += (uint32_t)is_certain;
    return 0;
}

static uint64_t reader_memory[10000];
static edgetrace_reader reader;

static int read_back(size_t size) {
    regenerated = certain = wrong = 0;
    CHECK(edgetrace_reader_init(&reader, described, FUNCTIONS, reader_memory,
                                sizeof reader_memory) >= 1000);
    return edgetrace_read(&reader, tokens, size, bits, trace.bits, happened_count, compare, NULL);
}

static void check_programs(uint32_t count) {
    uint32_t i, resumes = 0;
    for (i = 0; i < count; i++) {
        make_program();
        run_program();
        CHECK_EQ(read_back(token_size), 0);
        CHECK_EQ(wrong, 0);
        CHECK_EQ(regenerated, happened_count);
        resumes += trace.serials;
        if (uses_bits) continue;
        read_back(token_size / 2); /* cut: no wrong block before the last token's edge */
        CHECK(wrong == 0 || certain < regenerated);
    }
    CHECK(resumes > count);
}

TEST(witnesses_bring_every_block_back) {
    seed = 1;
    uses_bits = 0;
    check_programs(2000 / TEST_SCALE);
}

TEST(bits_bring_every_block_back) {
    seed = 2;
    uses_bits = 1;
    check_programs(2000 / TEST_SCALE);
}

TEST(broken_traces_are_refused_or_end) {
    uint32_t i, refused = 0;
    seed = 3;
    uses_bits = 0;
    for (i = 0; i < 300 / TEST_SCALE; i++) {
        uint32_t flips = 20;
        make_program();
        run_program();
        while (flips-- > 0) {
            size_t at = below(&seed, (uint32_t)token_size);
            unsigned char was = tokens[at];
            tokens[at] = (unsigned char)(was ^ 1u << below(&seed, 8));
            if (read_back(token_size) != 0) {
                refused++;
                CHECK(reader.reason && *reader.reason && reader.offset <= token_size);
            }
            tokens[at] = was;
        }
    }
    CHECK(refused > 100 / TEST_SCALE);
}

TEST(the_worked_example_writes_these_bytes) {
    static const unsigned char a[] = {3, 2, 1, 3, 2, 1, 1}, b[] = {3, 2, 1, 4};
    static const uint32_t ends[] = {0, 1, 1, 2, 1, 6, 2, 3, 2, 4, 3,
                                    5, 4, 5, 4, 7, 5, 1, 6, 8, 7, 8},
                          g_ends[] = {0, 1};
    static const uint8_t witness[] = {0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 0}, none[] = {0};
    static const uint32_t call_at[] = {0, 0, 0, 0, 1, 1, 1, 1, 1, 1}, call[] = {1},
                          g_call_at[] = {0, 1, 1}, g_call[] = {EDGETRACE_OPAQUE};
    static const uint32_t path[] = {0, 1, 2, 3, 1u << 16, 5, 1, 2, 4,
                                    5, 1, 2, 3, 1u << 16, 5, 1, 6};
    static const uint32_t path_b[] = {0, 1, 2, 3, 1u << 16, 5, 1, 2, 4, 7};
    edgetrace_function two[2] = {{9, 11, 0, 8, ends, witness, call_at, call, NULL, 0},
                                 {2, 1, 0, 1, g_ends, none, g_call_at, g_call, NULL, 0}};
    uint32_t i;
    for (i = 0; i < 2; i++) {
        const unsigned char *bytes = i ? b : a;
        happened_count = i ? 10 : 17;
        memcpy(happened, i ? path_b : path, happened_count * sizeof *happened);
        regenerated = wrong = 0;
        CHECK_EQ(edgetrace_reader_init(&reader, two, 2, reader_memory,
                                       edgetrace_reader_bytes(two, 2, 10)),
                 10);
        CHECK_EQ(
            edgetrace_read(&reader, bytes, i ? sizeof b : sizeof a, NULL, 0, 1000, compare, NULL),
            0);
        CHECK_EQ(wrong, 0);
        CHECK_EQ(regenerated, happened_count);
    }
    CHECK_EQ(edgetrace_reader_init(&reader, two, 2, reader_memory, 100), 0);
    CHECK_EQ(edgetrace_reader_init(&reader, two, 2, reader_memory,
                                   edgetrace_reader_bytes(two, 2, 1)),
             1);
    CHECK_EQ(edgetrace_read(&reader, a, sizeof a, NULL, 0, 1000, compare, NULL), -1);
    CHECK(strstr(reader.reason, "more calls are open") != NULL);
    two[0].exit = 9;
    CHECK_EQ(edgetrace_reader_init(&reader, two, 2, reader_memory, sizeof reader_memory), 0);
}

/* A choice and a witness that the function has not, or not here, are refused;
   what is just in the range is taken. */
TEST(choices_out_of_range_are_refused) {
    static const uint32_t fork_ends[] = {0, 1, 0, 2, 0, 3, 1, 3, 2, 3}, line_ends[] = {0, 1, 1, 2};
    static const uint8_t line_witness[] = {1, 1};
    static const unsigned char enter[] = {3}, second_first[] = {3, 2}, third[] = {3, 3},
                               in_order[] = {3, 1, 2};
    edgetrace_function ways = {4, 5, 0, 3, fork_ends, NULL, NULL, NULL, NULL, 0},
                       line = {3, 2, 0, 2, line_ends, line_witness, NULL, NULL, NULL, 0};
    unsigned char choice;
    static const uint32_t path[] = {0, 1};
    CHECK(edgetrace_reader_init(&reader, &ways, 1, reader_memory, sizeof reader_memory) > 0);
    for (choice = 0; choice < 4; choice++) {
        int refused = choice == 3;
        CHECK_EQ(edgetrace_read(&reader, enter, 1, &choice, 2, 1000, compare, NULL), -refused);
        if (refused) CHECK_STR(reader.reason, "a choice among fewer edges");
    }
    CHECK(edgetrace_reader_init(&reader, &line, 1, reader_memory, sizeof reader_memory) > 0);
    happened_count = 2;
    memcpy(happened, path, sizeof path);
    regenerated = wrong = 0;
    CHECK_EQ(edgetrace_read(&reader, in_order, 3, NULL, 0, 1000, compare, NULL), 0);
    CHECK(regenerated == 2 && wrong == 0);
    CHECK_EQ(edgetrace_read(&reader, second_first, 2, NULL, 0, 1000, compare, NULL), -1);
    CHECK_STR(reader.reason, "another witness than that of the only way");
    CHECK_EQ(edgetrace_read(&reader, third, 2, NULL, 0, 1000, compare, NULL), -1);
    CHECK_STR(reader.reason, "a witness that this function does not have");
}

TEST(large_witness_numbers) {
    uint32_t i;
    static const uint32_t numbers[] = {0, 126, 127, 128, 909, 16383, 16384, 2000000};
    token_size = 0;
    edgetrace_begin(&trace, save_tokens, NULL, NULL);
    for (i = 0; i < 8; i++) edgetrace_witness(&trace, numbers[i]);
    CHECK_EQ(edgetrace_end(&trace), 0);
    CHECK_EQ(token_size, 1 + 1 + 2 + 2 + 2 + 3 + 3 + 3 + 1);
}
