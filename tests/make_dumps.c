/* make_dumps.c - writes the dumps that test_report.sh and page.sh look at:
   make_dumps FOLDER */
#include "brst.inc"
#include <stdio.h>

static const struct { const char *name, *file; unsigned line, kind;
} sites[] = {
    {"main", "src/main.c", 40, 1},
    {"frame", "src/main.c", 22, 257},
    {"world_step", "src/physics/world.c", 310, 1},
    {"broad_phase", "src/physics/broad.c", 88, 1},
    {"collide_pair", "src/physics/narrow.c", 141, 1},
    {"solve_contacts", "src/physics/solver.c", 64, 1},
    {"integrate", "src/physics/world.c", 201, 1},
    {"sprite_sort", "src/render/sprite.c", 77, 1},
    {"draw_batch", "src/render/batch.c", 150, 1},
    {"upload_vertices", "src/render/batch.c", 93, 1},
    {"ai_think", "src/ai/brain.c", 55, 1},
    {"path_find", "src/ai/path.c", 120, 1},
    {"heap_pop", "src/ai/heap.c", 31, 1},
    {"heap_push", "src/ai/heap.c", 12, 1},
    {"mix_voices", "src/audio/mix.c", 18, 1},
    {"resample", "src/audio/mix.c", 60, 1},
    {"std::vector<entity, pool_allocator<entity> >::push_back(const entity&)", "src/ecs/world.cpp",
     412, 1},
    {"particles_update", "src/fx/particles.c", 29, 1},
    {"net_poll", "src/net/socket.c", 9, 1},
    {"script_call", "src/script/vm.c", 501, 1},
    {"cell loop", "src/physics/broad.c", 97, 4},
    {"contact loop", "src/physics/solver.c", 71, 4},
};

/* thread, site, caller, sampled events, nanoseconds seen */
static const struct { int thread, site, caller; unsigned count, time;
} rows[] = {
    {0, 0, -1, 1, 100},         {0, 1, 0, 120, 9000},      {0, 2, 1, 130, 21000},
    {0, 3, 2, 2100, 801000},    {0, 4, 3, 15400, 3900000}, {0, 5, 2, 6300, 2500000},
    {0, 6, 2, 4100, 620000},    {0, 7, 1, 1900, 330000},   {0, 8, 1, 3600, 1800000},
    {0, 9, 8, 3500, 700000},    {0, 10, 1, 900, 90000},    {0, 11, 10, 850, 410000},
    {0, 12, 11, 5200, 610000},  {0, 13, 11, 5400, 450000}, {0, 11, 11, 210, 30000},
    {0, 16, 2, 310, 25000},     {0, 16, 10, 120, 9000},    {0, 17, 1, 2600, 910000},
    {0, 18, 1, 3, 400},         {0, 19, 10, 1400, 320000}, {0, 19, 19, 300, 40000},
    {0, 20, 3, 8800, 0},        {0, 21, 5, 12700, 0},      {1, 14, -1, 1800, 510000},
    {1, 15, 14, 7400, 2100000}, {2, 4, 3, 4100, 1010000},  {2, 3, -1, 500, 170000},
    {2, 5, -1, 1500, 600000},
};

/* A game of three threads, sampled at 1 %. */
static void game(brst *b, unsigned number_of_run) {
    static const char *const names[] = {"main", "audio", "jobs 1"};
    size_t row = 0, i, seen = 0, known[sizeof sites / sizeof *sites] = {0};
    int thread;
    brst_begin(b, 1, 256);
    brst_info(b, 1000000000, "night_market", 9300000, 93000, number_of_run);
    brst_profile(b, 0, 990, 10, 9300, 93000);
    for (thread = 0; thread < 3; thread++) {
        brst_thread(b, (unsigned)thread, thread == 2, names[thread], 3100000, 31000, 31000,
                    thread == 0 ? number_of_run : 0);
        for (; row < sizeof rows / sizeof *rows && rows[row].thread == thread; row++) {
            brst_number(b, 4);
            for (i = 0; i < 2; i++) {
                int site = i ? rows[row].caller : rows[row].site;
                if (site < 0) brst_number(b, 0);
                else if (known[site]) brst_number(b, 2 + seen - known[site]);
                else {
                    brst_site(b, sites[site].name, sites[site].file, sites[site].line,
                              sites[site].kind);
                    known[site] = ++seen;
                }
            }
            brst_counts(b, rows[row].count, (uint64_t)rows[row].count * 100 * 256,
                        (uint64_t)rows[row].time * 100 * number_of_run);
        }
    }
    brst_end(b);
}

/* 200 bursts of 10 calls. parse, which has two callers, and scan cannot be told apart; rare was seen
   in three bursts. */
static void bursts(brst *b) {
    static const struct {
        const char *site, *caller;
        unsigned count, bursts, firsts, yy, ys, xy;
    } sums[] = {
        {"parse", "main", 600, 170, 120, 22000000, 27000000, 60000000},
        {"parse", "scan", 300, 90, 60, 8000000, 18000000, 30000000},
        {"scan", "main", 860, 190, 190, 41480000, 41480000, 86000000},
        {"skip", "scan", 237, 100, 100, 4430000, 4430000, 23700000},
        {"rare", "scan", 3, 3, 3, 30000, 30000, 300000},
    };
    size_t i;
    brst_begin(b, 1, 256);
    brst_info(b, 0, "sampler", 200000, 2000, 0);
    brst_profile(b, 0, 990, 10, 200, 2000);
    brst_thread(b, 0, 0, "main", 200000, 2000, 2000, 0);
    BRST(b, 7, 1, 200, 200000000);
    for (i = 0; i < sizeof sums / sizeof *sums; i++) {
        brst_number(b, 8);
        brst_site(b, sums[i].site, "sampler.c", 1, 1);
        brst_site(b, sums[i].caller, "sampler.c", 1, 1);
        brst_counts(b, sums[i].count, (uint64_t)sums[i].count * 25600, 0);
        BRST(b, sums[i].bursts, sums[i].firsts, sums[i].yy, sums[i].ys, sums[i].xy);
    }
    brst_end(b);
}

static void one_row(brst *b, const char *name, size_t length, const char *caller) {
    BRST(b, 4, 1);
    brst_bytes(b, name, length);
    brst_string(b, "a\\b \"c\".c");
    BRST(b, 7, 1);
    brst_site(b, caller, "", 0, 1);
    brst_counts(b, 10, 25600, 0);
}

/* Names that want to get out of the format they are put into. */
static void hostile(brst *b) {
    static const char *const names[] = {
        "</script><script>document.title='out'</script>",
        "\"quoted\" 'twice' \\ back",
        "semi;colon",
        "line\nend\r\ttab",
        "<!-- <img src=x onerror=alert(1)>",
        "&amp; &lt;",
        "",
        "\x1B[31mred\x1B[0m",
        "%s%n %d",
        "a 12",
        "\xE2\x80\xA8line separator",
        "operator()<int&&, const char*>(std::map<a, b>&)",
        ("\xC2\x9B"
         "31m"),
        "\xF0\x9F\x8E\xAE \xCE\xB1\xCE\xB2",
    };
    size_t i;
    char longest[3000];
    memset(longest, 'W', sizeof longest - 1);
    longest[sizeof longest - 1] = 0;
    brst_begin(b, 1, 7);
    brst_info(b, 0, "</title><b>\"prog\"; \xFF", 1000, 170, 0);
    brst_profile(b, 0, 990, 10, 10, 100);
    brst_thread(b, 0, 0, "<i>'t;1'\n", 1000, 10, 10, 0);
    for (i = 0; i < sizeof names / sizeof *names; i++)
        one_row(b, names[i], strlen(names[i]), names[(i + 1) % (sizeof names / sizeof *names)]);
    one_row(b, "bad \xC0\xAF\xED\xA0\x80\xF5 utf-8 \xE2\x82", 20, longest);
    one_row(b, "zero \0 byte", 11, "\xF8\x88\x80\x80\x80");
    one_row(b, longest, strlen(longest), "main");
    brst_end(b);
}

static void odd_row(brst *b, const char *name, unsigned kind, const char *caller,
                    const char *caller_file, unsigned count) {
    brst_number(b, 4);
    brst_site(b, name, "vm.c", kind, kind);
    if (caller)
        brst_site(b, caller, caller_file, *caller_file ? 1 : 0, 1);
    else
        brst_number(b, 0);
    brst_counts(b, count, (uint64_t)count * 25600, 0);
}

/* What a report has something to say of: a profile held to a budget, one
   without a burst yet, one that is off; a loop of its function's name; callers
   that were too deep, and one that is rare. */
static void odd(brst *b) {
    static const unsigned profiles[][4] = {{990, 2 + 4, 30, 400}, {65000, 0, 0, 0}, {500, 1, 0, 0}};
    unsigned i;
    brst_begin(b, 1, 256);
    brst_info(b, 0, "interpreter", 30000, 400, 0);
    for (i = 0; i < 3; i++) {
        BRST(b, 2, i, profiles[i][0], 10, 12, 63, profiles[i][1], profiles[i][2],
             profiles[i][3]);
    }
    brst_thread(b, 0, 0, "", 30000, 300, 400, 0);
    odd_row(b, "run", 1, NULL, "", 20);
    odd_row(b, "run", 4, "run", "vm.c", 150);
    odd_row(b, "eval", 1, "(deep)", "", 150);
    odd_row(b, "eval", 1, "run", "vm.c", 30);
    odd_row(b, "apply", 1, "eval", "vm.c", 1);
    brst_end(b);
}

/* ---- kinds 2 and 3 ---------------------------------------------------------------------- */

/* A tree of run 1 or 2: update and draw under main, what is certain and what is
   not, one node only an ancestor, one function without a name and two of the
   same. */
static void tree(brst *b, unsigned run, unsigned unmatched) {
    static const char *const names[] = {
        "main", "update", "collide", "draw;list", "std::sort<\"it\">\n", "</script><b>", "update"};
    static const struct { unsigned climb, key, kind, count, error;
    } nodes[] = {
        {0, 1, 0, 10, 0},     {0, 2, 1, 40000, 300}, {0, 3, 2, 25000, 0},
        {0, 5, 1, 900, 400},  {2, 4, 1, 21000, 100}, {0, 5, 1, 7000, 500},
        {0, 6, 1, 5000, 500}, {3, 77, 2, 600, 0},    {2, 7, 2, 300, 0},
    };
    uint64_t fields[] = {1,
                         0,
                         100,
                         100,
                         21,
                         100,
                         0,
                         0,
                         100000,
                         500,
                         0,
                         0,
                         0,
                         0,
                         0,
                         1,
                         0,
                         unmatched,
                         0,
                         3,
                         20,
                         0,
                         sizeof nodes / sizeof *nodes};
    unsigned i, first = run == 1 ? 0 : 3; /* the second run knows its functions under other keys */
    brst_begin(b, 2, 256);
    for (i = 0; i < sizeof fields / sizeof *fields; i++) brst_number(b, fields[i]);
    for (i = 0; i < sizeof names / sizeof *names; i++) {
        brst_number(b, i + 1 + first);
        brst_string(b, names[i]);
    }
    brst_number(b, 0);
    for (i = 0; i < sizeof nodes / sizeof *nodes; i++) {
        BRST(b, nodes[i].climb, nodes[i].key + (nodes[i].key == 77 ? 0 : first),
             nodes[i].kind, nodes[i].count);
        if (nodes[i].kind == 1) brst_number(b, nodes[i].error);
    }
    brst_end(b);
}

static unsigned bin_of(unsigned value) {
    unsigned k = 0;
    while (value >> k >= 16) k++;
    return 8 * k + (value >> k);
}

/* 200 accesses round and round 40 blocks, every window counted by hand. An LRU cache of 39 blocks
   misses them all. */
static void cyclic_footprint(brst *b) {
    enum { ACCESSES = 200, BLOCKS = 40, BINS = 48 };
    static uint64_t cells[BINS][BINS], sums[BINS], exact[BINS];
    unsigned start, length, i, k, heights = bin_of(BLOCKS) + 1, widths = bin_of(ACCESSES) + 1;
    memset(cells, 0, sizeof cells);
    memset(sums, 0, sizeof sums);
    memset(exact, 0, sizeof exact);
    for (start = 0; start < ACCESSES; start++)
        for (length = 1; start + length <= ACCESSES; length++) {
            unsigned touched = length < BLOCKS ? length : BLOCKS;
            cells[bin_of(length)][bin_of(touched)]++;
            if (bin_of(length + 1) != bin_of(length)) {
                exact[bin_of(length)]++;
                sums[bin_of(length)] += touched;
            }
        }
    brst_begin(b, 3, 256);
    brst_string(b, "round; </script>");
    BRST(b, 0, 0, 6, 1000000000, ACCESSES, BLOCKS, 0, ACCESSES, BLOCKS, heights, widths);
    for (i = 0; i < heights; i++) brst_number(b, i == bin_of(BLOCKS) ? ACCESSES - BLOCKS : 0);
    for (i = 0; i < widths; i++) {
        BRST(b, exact[i], sums[i], 0, 0, heights);
        for (k = 0; k < heights; k++) brst_number(b, cells[i][k]);
    }
    brst_end(b);
}

/* 1200 chains of 84 calls, a hundred thousand contexts; the first of them is as hot as four others,
   and its leaf is `hot leaf`. All are wide enough for a frame of a flame graph.
   Names are of characters outside of the first plane. */
static void chains(brst *b) {
    enum { CHAINS = 1200, DEPTH = 84, COUNT = 10 };
    const uint64_t total = (CHAINS + 3) * COUNT;
    const uint64_t fields[] = {
        1, 5, CHAINS * DEPTH, 100, 20, 100, 0, 0, total, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0,
        0, 0, CHAINS * DEPTH};
    char name[128];
    unsigned i, k;
    brst_begin(b, 2, 60000);
    for (i = 0; i < sizeof fields / sizeof *fields; i++) brst_number(b, fields[i]);
    for (i = 0; i < CHAINS; i++) {
        brst_number(b, i + 1);
        snprintf(name, sizeof name, "%u", i);
        for (k = 0; k < 20; k++) snprintf(name + strlen(name), 8, "\xF0\x9F\x8E\xAE");
        brst_string(b, name);
    }
    brst_number(b, CHAINS + 1);
    brst_string(b, "hot leaf");
    brst_number(b, 0);
    for (i = 0; i < CHAINS; i++) {
        for (k = 0; k < DEPTH; k++) {
            int is_leaf = k == DEPTH - 1;
            BRST(b, i && k == 0 ? DEPTH : 0, i == 0 && is_leaf ? CHAINS + 1 : i + 1, 2,
                 !is_leaf ? 0 : i == 0 ? 4 * COUNT : COUNT);
        }
    }
    brst_end(b);
}

/* A tree of so many contexts, of 5000 functions, that is bushy: most of its
   contexts are leaves, and most of its weight is in contexts that no picture
   has a pixel for. Names have signs in them that mean something elsewhere. */
static void bushy(brst *b, unsigned count) {
    enum { NAMES = 5000, DEEPEST = 48 };
    static unsigned path[DEEPEST + 1], children[DEEPEST + 1];
    uint32_t random = 1;
    uint64_t total = 0;
    unsigned pass, i, k;
    char name[64];
    for (pass = 0; pass < 2; pass++) { /* the total stands first */
        unsigned depth = 0;
        random = 1;
        if (pass) {
            const uint64_t fields[] = {1, 5, count, 100, 20, 100, 0, 0, total, 0, 0, 0,
                                       0, 0, 0,     1,   0,  0,   0, 0, 0,     0, count};
            brst_begin(b, 2, 60000);
            for (i = 0; i < sizeof fields / sizeof *fields; i++) brst_number(b, fields[i]);
            for (i = 0; i < NAMES; i++) {
                snprintf(name, sizeof name, i % 3 ? "module_%u::function_%u" : "operator+<%u, %u>", i % 97, i);
                brst_number(b, i + 1);
                brst_string(b, name);
            }
            brst_number(b, 0);
        }
        path[0] = children[0] = 0;
        for (i = 0; i < count; i++) {
            unsigned climb = 0, weight;
            random = random * 1664525u + 1013904223u;
            if (depth) climb = random >> 29 < 5 ? 0 : 1 + (random >> 24) % 4;
            if (climb >= depth) climb = 0;
            if (depth + 1 - climb > DEEPEST) climb = 1 + (random >> 20) % 32;
            depth = depth + 1 - climb;
            k = (path[depth - 1] * 31 + 7 + children[depth - 1]++) % NAMES;
            path[depth] = k + depth;
            children[depth] = 0;
            weight = 1 + (random >> 8) % 7 + (random % 1009 == 0 ? (random >> 12) % 9000 : 0);
            total += pass ? 0 : weight;
            if (!pass) continue;
            BRST(b, climb, k + 1, 2, weight);
        }
    }
    brst_end(b);
}

/* Three chains of 20 calls that differ in the eighth, and two functions of one
   name. */
static void middle(brst *b) {
    enum { DEPTH = 20, CHAINS = 3, FORK = 8, NODES = DEPTH + (CHAINS - 1) * (DEPTH - FORK + 1) + 2 };
    const unsigned fields[] = {1, 5, NODES, 100, 20, 100, 0, 0, 347, 0, 0,    0,
                               0, 0, 0,     1,   0,  0,   0, 0, 0,   0, NODES};
    char name[32];
    unsigned i, k;
    brst_begin(b, 2, 256);
    for (i = 0; i < sizeof fields / sizeof *fields; i++) brst_number(b, fields[i]);
    for (i = 1; i <= DEPTH + CHAINS + 2; i++) {
        snprintf(name, sizeof name, i <= DEPTH ? "frame%u" : "branch%u", i);
        brst_number(b, i);
        brst_string(b, i > DEPTH + CHAINS ? "twin" : name);
    }
    brst_number(b, 0);
    for (k = 0; k < CHAINS; k++) {
        for (i = k ? FORK : 1; i <= DEPTH; i++) {
            BRST(b, k && i == FORK ? DEPTH - FORK + 1 : 0, i == FORK ? DEPTH + 1 + k : i, 2,
                 i == DEPTH ? 100 - k : 0);
        }
    }
    for (k = 0; k < 2; k++) {
        BRST(b, k ? 1 : DEPTH, DEPTH + CHAINS + 1 + k, 2, 25);
    }
    brst_end(b);
}

/* Names as C++ compilers make them: two instances of a template, what is too
   full of references, and what is no name. */
static void mangled(brst *b) {
    static const char *const names[] = {
        "_ZN4game5stateIiE4stepEf",
        "_ZN4game5stateIlE4stepEf",
        "_Z5frameRKSs",
        "_Zwhat",
        "_Z1fI1AIS0_IS1_IS2_IS3_IS4_IS5_IS6_IS7_IS8_IS9_ISA_ISB_ISC_ISD_ISE_ISF_ISG_IS_"
        "EEEEEEEEEEEEEEEEEEEvv",
    };
    size_t i;
    brst_begin(b, 1, 256);
    brst_info(b, 0, "game", 1000, 170, 0);
    brst_thread(b, 0, 0, "main", 1000, 10, 10, 0);
    for (i = 0; i < sizeof names / sizeof *names; i++)
        one_row(b, names[i], strlen(names[i]), "main");
    brst_end(b);
}

static void edge_key(brst *b, unsigned tag, unsigned key) {
    int i;
    brst_number(b, tag);
    brst_byte(b, key);
    for (i = 1; i < 8; i++) brst_byte(b, 0);
}

/* Numbers, of which 99 is the end. */
static void numbers(brst *b, const unsigned char *list) {
    while (*list != 99) brst_number(b, *list++);
}

/* A function of examples/parser/parser.c, a branch of which is not taken, and
   one that did not run, of a file that is nowhere. */
static void coverage(brst *b) {
    static const unsigned char head[] = {32, 0, 0, 6, 7, 0, 0, 99};
    static const unsigned char lines[] = {1, 28, 1, 30, 1, 35, 1, 37, 1, 42, 0, 99};
    static const unsigned char edges[] = {0, 1, 0, 2, 3, 5, 4, 3, 7, 2, 4, 4, 9, 5, 99};
    static const unsigned char counts[] = {32, 3, 0, 9, 7, 0, 99};
    static const unsigned char other[] = {32, 0, 0, 3, 3, 0, 0, 1, 7, 1, 8, 0, 99};
    static const unsigned char other_edges[] = {0, 1, 1, 2, 3, 2, 99};
    static const unsigned char other_counts[] = {32, 2, 0, 0, 0, 99};
    brst_begin(b, 4, 256);
    edge_key(b, 1, 1);
    brst_string(b, "parse_number");
    brst_string(b, "examples/parser/parser.c");
    numbers(b, head);
    numbers(b, lines);
    numbers(b, edges);
    edge_key(b, 2, 1);
    numbers(b, counts);
    edge_key(b, 1, 2);
    brst_string(b, "idle </script>");
    brst_string(b, "src/a folder with a long name/nowhere </script>.c");
    numbers(b, other);
    numbers(b, other_edges);
    edge_key(b, 2, 2);
    numbers(b, other_counts);
    brst_end(b);
}

/* Functions of one object of C++: f(int), which has a line in a header, and one
   that nobody wants to hear of. Their stay edge has a count below 0. */
static void coverage_cxx(brst *b) {
    static const unsigned char head[] = {64, 0, 0, 4, 4, 1, 0, 99};
    static const unsigned char lines[] = {0, 3, 3, 4, 0, 0, 0, 99}, header[] = {0, 0, 1, 9, 0, 99};
    static const unsigned char edges[] = {1, 1, 3, 2, 4, 3, 2, 3, 99};
    static const unsigned char counts[] = {64, 2, 1, 2, 0, 99}, others[] = {64, 1, 5, 0, 99};
    brst_begin(b, 4, 256);
    edge_key(b, 4, 9);
    edge_key(b, 1, 1);
    brst_string(b, "f(int)");
    brst_string(b, "src/f.cc");
    numbers(b, head);
    numbers(b, lines);
    numbers(b, edges);
    edge_key(b, 1, 1);
    brst_string(b, "");
    brst_string(b, "src/f.h");
    numbers(b, head);
    numbers(b, header);
    numbers(b, edges);
    edge_key(b, 5, 2);
    edge_key(b, 2, 1);
    numbers(b, counts);
    edge_key(b, 2, 2);
    numbers(b, others);
    brst_end(b);
}

/* One function that did not run, of a source that the caller names. */
static void source(brst *b, const char *file) {
    static const unsigned char head[] = {32, 0, 0, 3, 3, 0, 0, 1, 7, 1, 8, 0, 99};
    static const unsigned char edges[] = {0, 1, 1, 2, 3, 2, 99};
    static const unsigned char counts[] = {32, 2, 0, 0, 0, 99};
    brst_begin(b, 4, 256);
    edge_key(b, 1, 2);
    brst_string(b, "f");
    brst_string(b, file);
    numbers(b, head);
    numbers(b, edges);
    edge_key(b, 2, 2);
    numbers(b, counts);
    brst_end(b);
}

/* Beside it, of the same file and of another one, functions without counters. */
static void unmeasured(brst *b) {
    static const char *const names[] = {"g", "src/g.c", "elvis", "h", "src/h.c", "it is a coroutine"};
    unsigned i, k;
    source(b, "src/g.c");
    brst_begin(b, 21, 256);
    brst_number(b, 1);
    for (i = 0; i < 2; i++) {
        brst_number(b, 2);
        brst_string(b, names[3 * i + 1]);
        brst_string(b, names[3 * i]);
        brst_string(b, names[3 * i + 2]);
        brst_number(b, 3);
        for (k = 0; k < 3; k++) brst_number(b, 9 + i - 4 * k);
    }
    brst_end(b);
}

/* A function that has so many lines, of which all have run. */
static void long_source(brst *b, const char *file, unsigned lines) {
    static const unsigned char head[] = {32, 0, 0, 3, 2, 0, 1, 99};
    static const unsigned char edges[] = {0, 1, 2, 2, 99};
    static const unsigned char counts[] = {32, 1, 7, 0, 99};
    unsigned i;
    brst_begin(b, 4, 60000);
    edge_key(b, 1, 2);
    brst_string(b, "f");
    brst_string(b, file);
    numbers(b, head);
    brst_number(b, lines);
    for (i = 1; i <= lines; i++) brst_number(b, i);
    BRST(b, 1, lines, 0);
    numbers(b, edges);
    edge_key(b, 2, 2);
    numbers(b, counts);
    brst_end(b);
}

static void save(const char *folder, const char *name, brst *b) {
    char path[512];
    FILE *file;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    file = fopen(path, "wb");
    if (!file || fwrite(b->data, 1, b->size, file) != b->size || fclose(file) != 0) {
        perror(path);
        exit(1);
    }
    b->size = 0;
}

static void counted(brst *b, const char *name, unsigned line, unsigned kind, unsigned count) {
    brst_number(b, 4);
    brst_site(b, name, "src/game.c", line, kind);
    brst_number(b, 0);
    brst_counts(b, count, (uint64_t)count * 25600, 0);
}

static void ticked(brst *b, const char *name, unsigned line, unsigned back, unsigned ticks) {
    brst_number(b, 6);
    brst_site(b, name, "src/game.c", line, 257);
    BRST(b, back, ticks, 0, ticks);
}

/* Counts of functions, some without a scope, and ticks of those that have one;
   or none came. */
static void timed(brst *b, unsigned tick_us, int any, unsigned untimed) {
    brst_begin(b, 1, 256);
    brst_info(b, 0, "timed", 100000, 1000, 0);
    brst_profile(b, 0, 990, 10, 100, 1000);
    brst_thread(b, 0, 0, "main", 100000, 1000, 1000, 0);
    counted(b, "frame", 10, 257, 100);
    counted(b, "draw", 20, 257, 100);
    counted(b, "rare", 30, 257, 50);
    counted(b, "hash", 40, 1, 750);
    brst_end(b);
    brst_begin(b, 1, 256);
    brst_info(b, 0, "timed", 0, 0, 0);
    BRST(b, 5, tick_us);
    for (int i = 0; i < 3; i++) brst_number(b, 0);
    if (untimed) {
        BRST(b, 9, untimed);
    }
    if (any) {
        brst_thread(b, 0, 0, "main", 0, 0, 0, 0);
        ticked(b, "frame", 10, 0, 300);
        ticked(b, "draw", 20, 1, 700);
    }
    brst_end(b);
}

/* Two static functions of one name in two files, in counts and in ticks; and
   names that would be read as regular expressions. */
static void same_name(brst *b) {
    static const struct {
        const char *name, *file;
        unsigned line, back, ticks;
    } paths[] = {
        {"run_a", "src/a.c", 20, 0, 10},  {"init", "src/a.c", 3, 1, 300},
        {"run_b", "src/b.c", 30, 0, 20},  {"init", "src/b.c", 9, 1, 100},
        {"operator+", "src/c.c", 4, 0, 50}, {"operatorr", "src/c.c", 5, 0, 40},
        {"f(int)", "src/c.c", 6, 0, 30},
    };
    const size_t count = sizeof paths / sizeof *paths;
    size_t i;
    brst_begin(b, 1, 256);
    brst_info(b, 0, "same_name", 100000, 1000, 0);
    brst_profile(b, 0, 990, 10, 100, 1000);
    BRST(b, 5, 10000);
    for (i = 0; i < 3; i++) brst_number(b, 0);
    brst_thread(b, 0, 0, "main", 100000, 1000, 1000, 0);
    for (i = 0; i < count; i++) {
        brst_number(b, 4);
        brst_site(b, paths[i].name, paths[i].file, paths[i].line, 257);
        brst_number(b, 0);
        brst_counts(b, 100, 25600, 0);
    }
    for (i = 0; i < count; i++) {
        brst_number(b, 6);
        brst_site(b, paths[i].name, paths[i].file, paths[i].line, 257);
        brst_number(b, paths[i].back);
        brst_counts(b, paths[i].ticks, 0, paths[i].ticks);
    }
    brst_end(b);
}

/* Threads that had no record, CPU time that no tick saw, more ticks in the recorder
   than in the program, and so many threads with a record, all but one without a tick. */
static void losses(brst *b, unsigned lost_threads, unsigned cpu_ms, unsigned own,
                   unsigned threads) {
    static const char *const names[] = {"frame", "draw"};
    unsigned i;
    brst_begin(b, 1, 256);
    brst_info(b, 0, "losses", 100000, 1000, 0);
    if (lost_threads) {
        BRST(b, 10, lost_threads, 0);
    }
    BRST(b, 5, 10000);
    for (i = 0; i < 3; i++) brst_number(b, 0);
    if (cpu_ms) {
        BRST(b, 11, (uint64_t)cpu_ms * 1000);
    }
    brst_profile(b, 0, 990, 10, 100, 1000);
    brst_thread(b, 0, 0, "main", 100000, 1000, 1000, 0);
    for (i = 0; i < 2; i++) counted(b, names[i], 10 * i, 257, 500);
    for (i = 0; i < 2; i++) ticked(b, names[i], 10 * i, 0, 50);
    if (own) {
        brst_number(b, 6);
        brst_site(b, "(recorder)", "", 0, 257);
        brst_number(b, 0);
        brst_counts(b, own, 0, own);
    }
    for (i = 1; i < threads; i++) brst_thread(b, i, 0, "worker", 0, 0, 0, 0);
    brst_end(b);
}

/* Ticks of two functions that call each other, some on a second thread. */
static void mutual(brst *b) {
    brst_begin(b, 1, 256);
    brst_info(b, 0, "mutual", 0, 0, 0);
    BRST(b, 5, 10000);
    for (int i = 0; i < 3; i++) brst_number(b, 0);
    brst_thread(b, 0, 0, "main", 0, 0, 0, 0);
    ticked(b, "frame", 10, 0, 60);
    ticked(b, "draw", 20, 1, 200);
    ticked(b, "frame", 10, 1, 300);
    ticked(b, "draw", 20, 1, 300);
    brst_thread(b, 1, 0, "worker", 0, 0, 0, 0);
    ticked(b, "frame", 10, 0, 40);
    ticked(b, "draw", 20, 1, 0);
    ticked(b, "frame", 10, 1, 0);
    ticked(b, "draw", 20, 1, 100);
    brst_end(b);
}

static void looked(brst *b, unsigned site, unsigned back, unsigned looks, unsigned weight) {
    char name[32];
    snprintf(name, sizeof name, "work_%u", site);
    brst_number(b, 6);
    brst_site(b, name, "src/heavy.c", 1 + site, 257);
    BRST(b, back, looks * weight, 0, (uint64_t)looks * weight * weight);
}

/* Looks at random moments that count differently, on so many paths of two threads:
   each function's looks count for 1 to 100 ticks. Each third path is one that the
   path before it calls, and the functions call one another. */
static void heavy(brst *b, unsigned count) {
    unsigned seed = 5, i, thread;
    brst_begin(b, 1, 60000);
    brst_info(b, 0, "heavy", 0, 0, 0);
    BRST(b, 5, 100);
    for (i = 0; i < 3; i++) brst_number(b, 0);
    brst_number(b, 15); /* how ticks came: at random moments */
    brst_number(b, 8);
    for (thread = 0; thread < 2; thread++) {
        brst_thread(b, thread, 0, thread ? "worker" : "main", 0, 0, 0, 0);
        looked(b, 0, 0, 0, 1);
        for (i = 1; i < count; i++) {
            unsigned back;
            seed = seed * 1664525u + 1013904223u;
            back = i % 3 ? 1 : 1 + (seed >> 16) % i;
            looked(b, 1 + (seed >> 8) % 11, back, (seed >> 24) % 4 * (1 + thread),
                   (seed >> 20) % 3 ? 1 : 100);
        }
    }
    brst_end(b);
}

static double even(uint64_t *state) { /* 0 to 1 */
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return ((double)(*state >> 11) + .5) / 9007199254740992.0;
}

/* Misses of 40 bursts: one function has 2000 or 6000 in each of them. Forty others
   are met in one burst of four, and then miss 2, 4, 8 and so on times up to 64, each
   half as often as the one before: 7 times in the mean. So in truth each has 1.75 of
   4070. */
static void heavy_misses(brst *b, uint64_t seed) {
    enum { BURSTS = 40, ROWS = 41 };
    static unsigned y[ROWS][BURSTS];
    uint64_t x[BURSTS] = { 0 }, all = 0, xx = 0, judged = 100000, random = seed * 7919 + 1;
    unsigned i, k;
    char name[16];
    for (k = 0; k < BURSTS; k++) {
        y[0][k] = even(&random) < .5 ? 2000 : 6000;
        for (i = 1; i < ROWS; i++) {
            y[i][k] = even(&random) < .25 ? 2 : 0;
            while (y[i][k] && y[i][k] < 64 && even(&random) < .5) y[i][k] *= 2;
        }
        for (i = 0; i < ROWS; i++) x[k] += y[i][k];
        all += x[k];
        xx += x[k] * x[k];
    }
    brst_begin(b, 13, 60000);
    BRST(b, 1, 0);
    brst_string(b, "missed");
    BRST(b, 100000, 10000, BURSTS, judged * BURSTS, judged * BURSTS,
         judged * judged * BURSTS, 0, 0, 1, 49152);
    brst_string(b, "L1d");
    BRST(b, all, 0, BURSTS, xx, judged * all);
    for (i = 0; i < ROWS; i++) {
        uint64_t sum = 0, bursts = 0, yy = 0, xy = 0;
        for (k = 0; k < BURSTS; k++) {
            sum += y[i][k];
            bursts += y[i][k] != 0;
            yy += (uint64_t)y[i][k] * y[i][k];
            xy += y[i][k] * x[k];
        }
        snprintf(name, sizeof name, "row_%u", i);
        brst_number(b, 1);
        brst_string(b, name);
        BRST(b, sum, 0, bursts, yy, xy);
    }
    brst_end(b);
}

/* Of a thousand threads one has ticks. */
static void one_of_many(brst *b) {
    char name[16];
    unsigned i;
    brst_begin(b, 1, 256);
    brst_info(b, 0, "one_of_many", 0, 0, 0);
    BRST(b, 5, 10000);
    for (i = 0; i < 3; i++) brst_number(b, 0);
    for (i = 0; i < 1000; i++) {
        snprintf(name, sizeof name, "worker %u", i);
        brst_thread(b, i, 0, name, 0, 0, 0, 0);
        if (i != 617) continue;
        ticked(b, "frame", 10, 0, 60);
        ticked(b, "draw", 20, 1, 340);
    }
    brst_end(b);
}

/* As hcct.h has it: profile 7 fills the tree of contexts; and one more that the
   program uses by itself. */
static void two_profiles(brst *b) {
    static const unsigned profiles[][3] = {{0, 63, 2}, {3, 32, 0}, {7, 1, 0}};
    unsigned i;
    brst_begin(b, 1, 256);
    brst_info(b, 0, "paths", 100000, 1000, 0);
    for (i = 0; i < 3; i++) {
        BRST(b, 2, profiles[i][0], 990, 10, 12, profiles[i][1], profiles[i][2], 100, 1000);
    }
    brst_thread(b, 0, 0, "main", 100000, 1000, 1000, 0);
    counted(b, "frame", 10, 257, 100);
    brst_end(b);
}

static void recorded_row(brst *b, const char *name, unsigned count) {
    brst_number(b, 4);
    brst_site(b, name, "", 0, 1);
    brst_number(b, 0);
    brst_counts(b, count, (uint64_t)count * 25600, 0);
}

static void recorded_path(brst *b, const char *name, unsigned back, unsigned ticks,
                          unsigned slow) {
    brst_number(b, 6);
    brst_site(b, name, "", 0, 257);
    BRST(b, back, ticks, slow, ticks);
}

/* As `bursty record --ticks` has it: functions counted under one site and timed
   under another one; `idle` met no tick, and `main` no check. */
static void recorded(brst *b) {
    brst_begin(b, 1, 256);
    brst_info(b, 0, "recorded", 100000, 1000, 0);
    brst_profile(b, 0, 990, 10, 100, 1000);
    brst_thread(b, 0, 0, "", 100000, 1000, 1000, 0);
    recorded_row(b, "leaf", 900);
    recorded_row(b, "idle", 100);
    brst_end(b);
    brst_begin(b, 1, 256);
    brst_info(b, 0, "recorded", 0, 0, 0);
    BRST(b, 5, 1000);
    for (int i = 0; i < 3; i++) brst_number(b, 0);
    brst_thread(b, 0, 0, "", 0, 0, 0, 0);
    recorded_path(b, "main", 0, 100, 0);
    recorded_path(b, "leaf", 1, 300, 0);
    brst_thread(b, 1, 1, "", 0, 0, 0, 0);
    recorded_path(b, "leaf", 0, 600, 25);
    brst_end(b);
}

/* 1000 looks at random moments, of which so many came late. */
static void late_looks(brst *b, unsigned late) {
    brst_begin(b, 1, 256);
    brst_info(b, 0, "late", 0, 0, 0);
    BRST(b, 5, 1000, 0, 0, 0, 15, 8, 21, late);
    brst_thread(b, 0, 0, "", 0, 0, 0, 0);
    recorded_path(b, "half", 0, 500, 0);
    recorded_path(b, "other", 0, 500, 0);
    brst_end(b);
}

/* A tree with sums over 1000 bursts of 10 calls each. `given_up`: the sums of
   `collide` begin later than its count. */
enum { TREE_BURSTS = 1000, TREE_ALL_YY = 125000 };

static void tree_of_bursts(brst *b, int given_up, unsigned all_yy, unsigned all_calls) {
    static const char *const names[] = {"main", "update", "collide", "rare"};
    static const struct { unsigned climb, calls, bursts, yy;
    } nodes[] = {{0, 97, 97, 97}, {0, 5900, 990, 40000}, {0, 4000, 980, 21000}, {1, 3, 3, 3}};
    const unsigned fields[23] = {2, 0, 100, 100, 21, 100, 0, 0, 10000, 0, 0, 0,
                                 0, all_calls, 0, 1, 0, 0, 0, 0, 0, 0, 4};
    unsigned i;
    brst_begin(b, 2, 256);
    for (i = 0; i < 23; i++) brst_number(b, fields[i]);
    for (i = 0; i < 4; i++) {
        brst_number(b, i + 1);
        brst_string(b, names[i]);
    }
    brst_number(b, 0);
    for (i = 0; i < 4; i++) {
        BRST(b, nodes[i].climb, i + 1, 2, nodes[i].calls);
    }
    BRST(b, 10000, TREE_BURSTS, all_yy);
    for (i = 0; i < 4; i++) {
        BRST(b, nodes[i].calls - (i == 2 && given_up ? 3000 : 0), nodes[i].bursts,
             nodes[i].yy);
    }
    brst_end(b);
}

/* 80 bursts of 100 calls. g has four callers, which call it 10 - 3 or 10 + 3 times in a
   burst, each equally often and whatever the others do. The rest of the calls are half
   c's and half d's, and what two callers do is made up for by either. So bursts leave
   4 * 9 of g's sum over, each. The groups of 10 bursts have what makes that estimate
   exact: 8 / 7 of their squares are 4 * 9 * 80. Or one of the callers alone differs, by 9,
   and each group has as many of more as of less. */
static void known_groups(brst *b, int is_one) {
    enum { BURSTS = 80, GROUPS = 8, NODES = 10 };
    static const int more[GROUPS] = {8, -8, 6, -6, 6, -6, 2, -2}; /* of the first caller */
    unsigned fields[23] = {5, 0, 100, 100, 21, 100, 0, 0, 100 * BURSTS, 0, 0, 0,
                           0, 100 * BURSTS, 0, 1, 0, 0, 0, 0, 0, 0, NODES};
    static const char *const names[] = {"c", "d", "g", "k", "l", "m", "n"};
    unsigned i, k;
    brst_begin(b, 2, 4096);
    for (i = 0; i < 23; i++) brst_number(b, fields[i]);
    for (i = 0; i < 5; i++) brst_number(b, i == 1);
    for (i = 0; i < 7; i++) {
        brst_number(b, i + 1);
        brst_string(b, names[i]);
    }
    brst_number(b, 0);
    for (i = 0; i < 2; i++) BRST(b, i, 1 + i, 2, 30 * BURSTS);
    for (i = 0; i < 4; i++) BRST(b, i ? 2 : 1, 4 + i, 0, 0, 0, 3, 2, 10 * BURSTS);
    BRST(b, 100 * BURSTS, BURSTS, 10000 * BURSTS, 10000 * BURSTS);
    for (k = 0; k < GROUPS; k++) brst_number(b, 1000);
    for (i = 0; i < 2; i++) {
        const unsigned over = is_one ? i ? 0 : 81 : 2 * 9;
        BRST(b, 30 * BURSTS, BURSTS, (900 + over) * BURSTS, 3000 * BURSTS);
        for (k = 0; k < GROUPS; k++)
            brst_number(b, (unsigned)(300 - (i || is_one ? 0 : 3 * more[k])));
    }
    for (i = 0; i < 4; i++) {
        const unsigned over = is_one ? i ? 0 : 81 : 9;
        for (k = 0; k < 4 + GROUPS; k++) brst_number(b, 0);
        BRST(b, 10 * BURSTS, BURSTS, (100 + over) * BURSTS, 1000 * BURSTS);
        for (k = 0; k < GROUPS; k++)
            brst_number(b, (unsigned)(100 + (i || is_one ? 0 : 3 * more[k])));
    }
    brst_end(b);
}

/* 300 contexts of `deep`, of a call each, and 300 calls of `leaf`; 300 bursts have one
   of each. Calls are 3.5 times as many. */
static void scaled_chain(brst *b) {
    enum { DEEP = 300 };
    unsigned fields[23] = {3, 0, 1000, 1000, 21, 1000, 0, 0, 2 * DEEP, 0, 0, 0,
                           0, 7 * DEEP, 0, 1, 0, 0, 0, 0, 0, 0, DEEP + 1};
    unsigned i;
    brst_begin(b, 2, 16384);
    for (i = 0; i < 23; i++) brst_number(b, fields[i]);
    brst_number(b, 1);
    brst_string(b, "deep");
    brst_number(b, 2);
    brst_string(b, "leaf");
    brst_number(b, 0);
    for (i = 0; i < DEEP; i++) BRST(b, 0, 1, 2, 1);
    BRST(b, DEEP, 2, 2, DEEP);
    BRST(b, 2 * DEEP, DEEP, 4 * DEEP, 4 * DEEP);
    for (i = 0; i < DEEP; i++) BRST(b, 1, 1, 1, 2);
    BRST(b, DEEP, DEEP, DEEP, 2 * DEEP);
    brst_end(b);
}

/* `mixed` of sh.h in two libraries, called by b and, in a, by b, too; and another one of
   that name. */
static void shared_header(brst *b, unsigned more) {
    static const char *const names[] = {"b\tb.c:1", "mixed\tsh.h:3", "a\ta.c:1", "mixed\tsh.h:3",
                                        "mixed\tother.h:9"};
    unsigned fields[23] = {1, 0, 1000, 1000, 21, 1000, 0, 0, 450, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 5};
    unsigned i;
    fields[8] += more;
    brst_begin(b, 2, 16384);
    for (i = 0; i < 23; i++) brst_number(b, fields[i]);
    for (i = 0; i < 5; i++) {
        brst_number(b, i + 1);
        brst_string(b, names[i]);
    }
    brst_number(b, 0);
    BRST(b, 0, 1, 2, 50);
    BRST(b, 0, 3, 2, 50);
    BRST(b, 0, 4, 2, 100);
    BRST(b, 2, 2, 2, 200 + more);
    BRST(b, 1, 5, 2, 50);
    brst_end(b);
}

static unsigned drawn(uint64_t *seed, unsigned below) {
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(*seed >> 33) % below;
}

/* f is called by a and by b, always 400 times in a burst: what a has more, b has
   less. g is called by d and by e, equally often. c is called 800 times. So f has 2
   of 7 calls, and g 1 of 7. Version 3 has no groups of bursts. */
static void grouped(brst *b, unsigned version, uint64_t seed) {
    enum { KEYS = 7, NODES = 9, GROUPS = 8, BURSTS = 400 };
    static const char *const names[KEYS] = {"a", "f", "b", "c", "d", "g", "e"};
    static const unsigned climbs[NODES] = {0, 0, 2, 0, 2, 1, 0, 2, 0};
    static const unsigned keys[NODES] = {1, 2, 3, 2, 4, 5, 6, 7, 6};
    uint64_t sums[NODES + 1][4 + GROUPS] = {{0}};
    unsigned fields[23] = {0, 0, 100, 100, 21, 100, 0, 0, 0, 0, 0, 0,
                           0, 0, 0, 1, 0, 0, 0, 0, 0, 0, NODES};
    unsigned i, k;
    for (k = 0; k < BURSTS; k++) {
        const unsigned more = drawn(&seed, 11);
        const unsigned both = drawn(&seed, 11);
        const unsigned group = drawn(&seed, GROUPS);
        const unsigned y[NODES + 1] = {60 + 2 * both, 0,    5 + more, 0,   15 - more, 40,
                                       0,             both, 0,        both};
        /* Times 20, so that single calls are far less than a burst. */
        for (i = 0; i < NODES + 1; i++) {
            sums[i][0] += 20 * y[i];
            sums[i][1] += y[i] != 0;
            sums[i][2] += 400 * y[i] * y[i];
            sums[i][3] += 400 * y[i] * y[0];
            sums[i][4 + group] += 20 * y[i];
        }
    }
    fields[0] = version;
    fields[8] = (unsigned)sums[0][0];
    fields[13] = 100 * fields[8];
    brst_begin(b, 2, 4096);
    for (i = 0; i < 23; i++) brst_number(b, fields[i]);
    for (i = 0; version == 5 && i < 5; i++) brst_number(b, i == 1);
    for (i = 0; i < KEYS; i++) {
        brst_number(b, i + 1);
        brst_string(b, names[i]);
    }
    brst_number(b, 0);
    for (i = 0; i < NODES; i++) {
        BRST(b, climbs[i], keys[i], sums[i + 1][0] ? 2 : 0, sums[i + 1][0]);
    }
    for (i = 0; i < NODES + 1; i++)
        for (k = 0; k < (version == 5 ? 4 + GROUPS : 4); k++) brst_number(b, sums[i][k]);
    brst_end(b);
}

/* As `bursty record --profile hcct,methods` has it: functions and contexts of
   the same bursts, half of which have 5 calls and half 15. `collide` makes
   nearly the same part of each. */
static void same_bursts(brst *b) {
    static const struct {
        const char *site, *caller;
        unsigned count, bursts, yy, xy;
    } rows[] = {
        {"main", NULL, 97, 97, 97, 1500},
        {"update", "main", 5900, 990, 40000, 70000},
        {"collide", "update", 4000, 980, 21000, 50000},
        {"rare", "main", 3, 3, 3, 45},
    };
    size_t i;
    brst_begin(b, 1, 256);
    brst_info(b, 0, "paths", 1000000, 10000, 0);
    brst_profile(b, 0, 990, 10, TREE_BURSTS, 10000);
    brst_thread(b, 0, 0, "", 1000000, 10000, 10000, 0);
    BRST(b, 7, 1, TREE_BURSTS, TREE_ALL_YY * 10000u);
    for (i = 0; i < sizeof rows / sizeof *rows; i++) {
        brst_number(b, 8);
        brst_site(b, rows[i].site, "", 0, 1);
        if (rows[i].caller) brst_site(b, rows[i].caller, "", 0, 1);
        else brst_number(b, 0);
        brst_counts(b, rows[i].count, rows[i].count * 25600u, 0);
        BRST(b, rows[i].bursts, rows[i].bursts, rows[i].yy * 10000u, rows[i].yy * 10000u,
             rows[i].xy * 10000u);
    }
    brst_end(b);
    tree_of_bursts(b, 0, TREE_ALL_YY, 1000000);
}

static void wide_numbers(brst *b, const uint64_t *values, unsigned count) {
    unsigned i;
    for (i = 0; i < count; i++) brst_number(b, values[i]);
}

/* 20 bursts: one cache, a function, an object, both together, an instruction. */
static void missed(brst *b) {
    static const uint64_t size[] = {400, 10, 20, 9000, 90000}, sums[] = {300, 5, 20, 5000, 6600};
    static const uint64_t head[] = {9900, 100, 20, 9000, 4500, 1100000, 1, 2, 1};
    unsigned what;
    brst_begin(b, 13, 256);
    BRST(b, 1, 0);
    brst_string(b, "prog");
    wide_numbers(b, head, sizeof head / sizeof *head);
    brst_number(b, 49152);
    brst_string(b, "L1d");
    wide_numbers(b, size, sizeof size / sizeof *size);
    for (what = 1; what <= 4; what++) {
        brst_number(b, what);
        brst_string(b, what == 2 ? "heap of init < main" : what == 4 ? "walk+0x12" : "walk");
        if (what >= 3) brst_string(b, what == 3 ? "heap of init < main" : "walk");
        if (what == 4) brst_string(b, "walk.c:12");
        wide_numbers(b, sums, sizeof sums / sizeof *sums);
    }
    brst_end(b);
}

/* Two threads that write neighbours, and one variable that both write. */
static void shared(brst *b) {
    static const uint64_t head[] = {9900, 100, 250, 40, 90000, 210000000, 1, 2, 3, 4, 5};
    static const uint64_t lines[2][10] = {{1, 1, 2, 8000, 4000, 4000, 40, 39, 1600000, 18000000},
                                          {2, 1, 2, 1000, 900, 0, 40, 39, 26000, 2250000}};
    unsigned line, thread;
    brst_begin(b, 14, 256);
    BRST(b, 1, 0);
    brst_string(b, "prog");
    wide_numbers(b, head, sizeof head / sizeof *head);
    for (line = 0; line < 2; line++) {
        wide_numbers(b, lines[line], 10);
        brst_number(b, 2);
        for (thread = 1; thread <= 2; thread++) {
            BRST(b, line + 1, thread);
            brst_string(b, "_ZN4game5stateIiE4stepEf");
            brst_string(b, line ? "total" : "counters");
            brst_string(b, thread == 1 ? "state.cc:7" : "");
            BRST(b, line ? 0 : 8 * thread, 8, 10, 4000);
        }
    }
    brst_end(b);
}

static void many_numbers(brst *b, const uint64_t *list, size_t count) {
    while (count--) brst_number(b, *list++);
}

/* A look each 10 ms; 3 waits of 4.5 ms together are left out. */
static void waits_and_frames(brst *b) {
    static const uint64_t waits[] = {10000, 3, 4500, 2, 0, 4000000, 4, 2, 4000000, 2000000, 4,
                                     1, 4000000, 1000000, 2, 2, 8000000, 2000000, 0, 0};
    static const uint64_t late[] = {0, 0, 1, 6000000, 100000, 0, 1, 1000000, 50000, 0,
                                    2, 7000000, 300000, 1, 0};
    many_numbers(b, waits, sizeof waits / sizeof *waits);
    brst_number(b, 2);
    brst_string(b, "frame");
    brst_number(b, 16000);
    brst_string(b, "request");
    brst_number(b, 0);
    many_numbers(b, late, sizeof late / sizeof *late);
}

#define LONG_AGO UINT64_C(1700000000000000) /* us since 1970 */

/* A log of 10 s: main is in load, in each 10 ms of the first 4 s, and in draw from
   5 s on; a worker is in save from 6 s up to 8 s. step_ms: another rate; one_of: ms
   of CPU time that a tick stands for. Version 2 has waits and slow frames: main waits
   in load from 4 to 5 s, the worker up to 6 s in save, twice, and from 8 s on nobody
   knows where; a frame takes 50 ms at 1 s and 100 ms at 6 s, a request of the worker
   300 ms at 7 s. */
static void in_time(brst *b, unsigned version, const char *program, unsigned step_ms,
                    unsigned one_of, uint64_t began_us) {
    static const struct {
        const char *name, *file;
        unsigned line, back;
    } functions[] = {{"main", "src/game.c", 40, 0}, {"load", "src/game.c", 10, 1},
                     {"draw", "src/game.c", 20, 2}, {"save", "src/save.c", 30, 0}};
    unsigned i, ms, before = 0, path[2] = {99, 99};
    brst_begin(b, 26, 256);
    brst_number(b, version);
    brst_string(b, program);
    BRST(b, 41, began_us, 10000000, 1000, one_of, 0, 2, 41);
    brst_string(b, "");
    brst_number(b, 42);
    brst_string(b, "worker");
    brst_number(b, 4);
    for (i = 0; i < 4; i++) {
        brst_string(b, functions[i].name);
        brst_string(b, functions[i].file);
        brst_number(b, functions[i].line);
    }
    brst_number(b, 4);
    for (i = 0; i < 4; i++) {
        BRST(b, i, functions[i].back);
    }
    if (version > 1) waits_and_frames(b);
    for (ms = 0; ms < 10000; ms += step_ms) {
        unsigned thread;
        for (thread = 0; thread < 2; thread++) {
            unsigned is = thread ? 3 : ms < 4000 ? 1 : 2;
            if (thread ? ms < 6000 || ms >= 8000 : ms >= 4000 && ms < 5000) continue;
            BRST(b, 1000 * (ms - before), 2 * thread + (path[thread] != is));
            if (path[thread] != is) brst_number(b, is);
            path[thread] = is;
            before = ms;
        }
    }
    brst_end(b);
}

/* A log that is full: ticks of so many threads at random, a step of 1 ms each, and
   the same in sums. */
static void crowded(brst *b, unsigned ticks, unsigned threads) {
    unsigned i, seed = 7;
    brst_begin(b, 1, 60000);
    brst_info(b, 0, "crowded", 0, 0, 0);
    BRST(b, 5, 1000);
    for (i = 0; i < 3; i++) brst_number(b, 0);
    brst_thread(b, 0, 0, "", 0, 0, 0, 0);
    ticked(b, "main", 1, 0, 0);
    for (i = 1; i < 64; i++) {
        char name[16];
        snprintf(name, sizeof name, "work_%u", i);
        ticked(b, name, 1 + i, i, 1 + ticks / 64);
    }
    brst_end(b);
    brst_begin(b, 26, 60000);
    brst_number(b, 1);
    brst_string(b, "crowded");
    BRST(b, 41, 0, (uint64_t)ticks * 1000, 1000, 1, 0, threads);
    for (i = 0; i < threads; i++) {
        brst_number(b, 41 + i);
        brst_string(b, i ? "worker" : "");
    }
    brst_number(b, 64);
    for (i = 0; i < 64; i++) {
        char name[16];
        snprintf(name, sizeof name, i ? "work_%u" : "main", i);
        brst_string(b, name);
        brst_string(b, "src/game.c");
        brst_number(b, 1 + i);
    }
    brst_number(b, 64);
    for (i = 0; i < 64; i++) {
        brst_number(b, i);
        brst_number(b, i);                          /* all of them are called by main */
    }
    for (i = 0; i < ticks; i++) {
        seed = seed * 1103515245u + 12345u;
        BRST(b, 1000, 2 * ((seed >> 16) % threads) + 1, 1 + (seed >> 8) % 63);
    }
    brst_end(b);
}

/* The same with its sums. */
static void timeline(brst *b, unsigned version) {
    brst_begin(b, 1, 256);
    brst_info(b, 0, "in_time", 0, 0, 0);
    BRST(b, 5, 10000);
    for (int i = 0; i < 3; i++) brst_number(b, 0);
    brst_thread(b, 0, 0, "", 0, 0, 0, 0);
    ticked(b, "main", 40, 0, 0);
    ticked(b, "load", 10, 1, 400);
    ticked(b, "draw", 20, 2, 500);
    brst_thread(b, 1, 0, "", 0, 0, 0, 0);
    brst_number(b, 6);
    brst_site(b, "save", "src/save.c", 30, 257);
    brst_number(b, 0);
    brst_counts(b, 200, 0, 200);
    brst_end(b);
    in_time(b, version, "in_time", 10, 10, LONG_AGO);
}

int main(int argc, char **argv) {
    brst b;
    const char *folder = argc > 1 ? argv[1] : ".";
    memset(&b, 0, sizeof b);
    if (argc == 4 && strcmp(argv[2], "source") == 0) { /* make_dumps FOLDER source NAME */
        source(&b, argv[3]);
        save(folder, "source.brst", &b);
        free(b.data);
        return 0;
    }
    if (argc == 5 && strcmp(argv[2], "lines") == 0) { /* make_dumps FOLDER lines NAME COUNT */
        long_source(&b, argv[3], (unsigned)strtoul(argv[4], NULL, 10));
        save(folder, "lines.brst", &b);
        free(b.data);
        return 0;
    }
    if (argc == 4 && strcmp(argv[2], "wide") == 0) { /* make_dumps FOLDER wide COUNT: of functions */
        unsigned i, count = (unsigned)strtoul(argv[3], NULL, 10);
        char name[32];
        brst_begin(&b, 1, 60000);
        brst_info(&b, 0, "wide", 100 * (uint64_t)count, 2 * (uint64_t)count, 0);
        brst_thread(&b, 0, 0, "main", 100 * (uint64_t)count, 2 * (uint64_t)count, 2 * (uint64_t)count, 0);
        for (i = 0; i < count; i++) {
            snprintf(name, sizeof name, "function_%u", i);
            counted(&b, name, i + 1, 1, 1 + i % 4);
        }
        brst_end(&b);
        save(folder, "wide.brst", &b);
        free(b.data);
        return 0;
    }
    if (argc == 5 && strcmp(argv[2], "crowded") == 0) { /* make_dumps FOLDER crowded TICKS THREADS */
        crowded(&b, (unsigned)strtoul(argv[3], NULL, 10), (unsigned)strtoul(argv[4], NULL, 10));
        save(folder, "crowded.brst", &b);
        free(b.data);
        return 0;
    }
    if (argc == 4 && strcmp(argv[2], "heavy") == 0) { /* make_dumps FOLDER heavy COUNT */
        heavy(&b, (unsigned)strtoul(argv[3], NULL, 10));
        save(folder, "heavy.brst", &b);
        free(b.data);
        return 0;
    }
    if (argc == 4 && strcmp(argv[2], "heavy-misses") == 0) { /* make_dumps FOLDER heavy-misses SEED */
        heavy_misses(&b, strtoul(argv[3], NULL, 10));
        save(folder, "heavy-misses.brst", &b);
        free(b.data);
        return 0;
    }
    if (argc == 4 && strcmp(argv[2], "bushy") == 0) { /* make_dumps FOLDER bushy COUNT */
        bushy(&b, (unsigned)strtoul(argv[3], NULL, 10));
        save(folder, "bushy.brst", &b);
        free(b.data);
        return 0;
    }
    if (argc == 4 && strcmp(argv[2], "empty") == 0) { /* make_dumps FOLDER empty KIND */
        brst_begin(&b, (unsigned)atoi(argv[3]), 256);
        brst_end(&b);
        save(folder, "empty.brst", &b);
        free(b.data);
        return 0;
    }
    if (argc == 3 && strcmp(argv[2], "names") == 0) { /* what a spreadsheet or terminal would obey */
        static const char *const names[] = {"=1+1", "+f", "-[Class go]", "@x", "-", "a\xE2\x80\xAE" "b"};
        size_t i;
        brst_begin(&b, 1, 256);
        brst_info(&b, 0, "names", 100000, 1000, 0);
        brst_thread(&b, 0, 0, "main", 100000, 1000, 1000, 0);
        for (i = 0; i < sizeof names / sizeof *names; i++) counted(&b, names[i], 1, 1, 100);
        brst_end(&b);
        save(folder, "names.brst", &b);
        free(b.data);
        return 0;
    }
    game(&b, 1);
    save(folder, "game.brst", &b);
    timeline(&b, 1);
    save(folder, "timeline.brst", &b);
    timeline(&b, 2);
    save(folder, "waits.brst", &b);
    in_time(&b, 1, "another", 20, 20, LONG_AGO);
    save(folder, "timeline-alone.brst", &b);
    in_time(&b, 1, "another", 20, 20, 4102444800000000); /* 2100 */
    save(folder, "timeline-future.brst", &b);
    in_time(&b, 1, "another", 20, 20, UINT64_MAX);
    save(folder, "timeline-never.brst", &b);
    in_time(&b, 1, "apart", 20, 10, LONG_AGO);
    save(folder, "timeline-apart.brst", &b);
    game(&b, 3);
    save(folder, "game3.brst", &b);
    bursts(&b);
    save(folder, "bursts.brst", &b);
    brst_begin(&b, 1, 256);
    brst_info(&b, 0, "whole", 1000, 1000, 0);
    brst_profile(&b, 0, UINT32_MAX, 10, 1, 1000);
    brst_thread(&b, 0, 0, "main", 1000, 1000, 1000, 0);
    brst_number(&b, 4);
    brst_site(&b, "only", "whole.c", 1, 1);
    brst_number(&b, 0);
    brst_counts(&b, 1000, 256000, 0);
    brst_end(&b);
    save(folder, "whole.brst", &b);
    hostile(&b);
    save(folder, "hostile.brst", &b);
    odd(&b);
    save(folder, "odd.brst", &b);
    odd(&b);
    tree(&b, 1, 3);
    save(folder, "odd-tree.brst", &b);
    brst_begin(&b, 1, 256); /* the game's functions at another rate, without a clock, saturated */
    brst_info(&b, 0, "night_market", UINT64_MAX, 5, UINT64_MAX - 1);
    brst_profile(&b, 0, 99, 1, 5, 5);
    brst_thread(&b, 0, 0, "main", UINT64_MAX, 5, 5, 0);
    brst_number(&b, 4);
    brst_site(&b, "collide_pair", "src/physics/narrow.c", 141, 1);
    brst_number(&b, 0);
    brst_counts(&b, UINT64_MAX - 2, UINT64_MAX, 0);
    brst_end(&b);
    save(folder, "rate.brst", &b);
    brst_begin(&b, 1, 256);
    brst_info(&b, 0, "", 100, 0, 0);
    brst_end(&b);
    save(folder, "nothing.brst", &b);
    brst_begin(&b, 77, 256);
    brst_string(&b, "from the future");
    brst_end(&b);
    save(folder, "unknown.brst", &b);
    brst_header(&b, 2, 1, 0, 256);
    brst_end(&b);
    save(folder, "newer.brst", &b);
    brst_begin(&b, 1, 256);
    brst_info(&b, 0, "x", 1, 1, 0);
    brst_end_saying(&b, 4000000000u);
    save(folder, "absurd.brst", &b);
    tree(&b, 1, 0);
    save(folder, "tree.brst", &b);
    tree(&b, 2, 0);
    save(folder, "tree2.brst", &b);
    tree_of_bursts(&b, 0, 100000, 1000000);
    save(folder, "tree-bursts.brst", &b);
    tree_of_bursts(&b, 0, 100000, 999983); /* not a multiple of what was recorded */
    save(folder, "uneven.brst", &b);
    tree_of_bursts(&b, 1, 100000, 1000000);
    save(folder, "tree-given-up.brst", &b);
    for (unsigned i = 0; i < 40; i++) {
        char name[20];
        snprintf(name, sizeof name, "grouped%u.brst", i);
        grouped(&b, i < 20 ? 5 : 3, i % 20 + 1);
        save(folder, name, &b);
    }
    known_groups(&b, 0);
    save(folder, "known-groups.brst", &b);
    known_groups(&b, 1);
    save(folder, "known-one.brst", &b);
    scaled_chain(&b);
    save(folder, "scaled-chain.brst", &b);
    shared_header(&b, 0);
    save(folder, "shared-header.brst", &b);
    shared_header(&b, 30);
    save(folder, "shared-more.brst", &b);
    same_bursts(&b);
    save(folder, "same-bursts.brst", &b);
    two_profiles(&b);
    save(folder, "two-profiles.brst", &b);
    two_profiles(&b);
    tree_of_bursts(&b, 0, 100000, 1000000);
    save(folder, "paths.brst", &b);
    recorded(&b);
    save(folder, "recorded.brst", &b);
    late_looks(&b, 49);
    save(folder, "few-late.brst", &b);
    late_looks(&b, 51);
    save(folder, "many-late.brst", &b);
    brst_begin(&b, 1, 256);
    brst_info(&b, 0, "mangled", 0, 0, 0);
    brst_number(&b, 5);
    for (int i = 0; i < 4; i++) brst_number(&b, 0);
    brst_thread(&b, 0, 0, "", 0, 0, 0, 0);
    recorded_path(&b, "main", 0, 10, 10);
    recorded_path(&b, "_ZN4game5stateIiE4stepEf", 1, 30, 30);
    brst_end(&b);
    save(folder, "mangled-ticks.brst", &b);
    cyclic_footprint(&b);
    save(folder, "footprint.brst", &b);
    mangled(&b);
    save(folder, "mangled.brst", &b);
    chains(&b);
    save(folder, "chains.brst", &b);
    brst_begin(&b, 1, 256); /* as `bursty cc` has it: a loop, and an entry without a check */
    brst_info(&b, 0, "placed", 100000, 1000, 0);
    brst_profile(&b, 0, 990, 10, 100, 1000);
    brst_thread(&b, 0, 0, "", 100000, 1000, 1000, 0);
    counted(&b, "work", 10, 516, 700);
    counted(&b, "leaf", 20, 1537, 300);
    brst_end(&b);
    save(folder, "placed.brst", &b);
    timed(&b, 10000, 1, 0);
    brst_begin(&b, 1, 256);
    brst_info(&b, 0, "timed", 100000, 1000, 0);
    brst_profile(&b, 0, 990, 10, 100, 1000);
    brst_thread(&b, 0, 0, "main", 100000, 1000, 1000, 0);
    counted(&b, "entry", 10, 513, 1000);
    brst_end(&b);
    save(folder, "placed-and-not.brst", &b);
    middle(&b);
    save(folder, "middle.brst", &b);
    coverage(&b);
    save(folder, "coverage.brst", &b);
    coverage_cxx(&b);
    save(folder, "coverage_cxx.brst", &b);
    unmeasured(&b);
    save(folder, "unmeasured.brst", &b);
    game(&b, 1);
    tree(&b, 1, 0);
    cyclic_footprint(&b);
    save(folder, "all.brst", &b);
    timed(&b, 10000, 1, 3);
    save(folder, "untimed.brst", &b);
    timed(&b, 10000, 1, 0);
    tree(&b, 1, 0);
    save(folder, "timed.brst", &b);
    one_of_many(&b);
    save(folder, "one_of_many.brst", &b);
    mutual(&b);
    save(folder, "mutual.brst", &b);
    losses(&b, 47, 0, 0, 1);
    save(folder, "lost_threads.brst", &b);
    losses(&b, 0, 4000, 0, 1);
    save(folder, "lost_time.brst", &b);
    losses(&b, 0, 1210, 0, 100); /* 22.1 periods by chance, at most */
    save(folder, "by_chance.brst", &b);
    losses(&b, 0, 1230, 0, 100);
    save(folder, "not_by_chance.brst", &b);
    losses(&b, 0, 1010, 0, 1);
    save(folder, "no_loss.brst", &b);
    losses(&b, 0, 0, 150, 1);
    save(folder, "own_time.brst", &b);
    same_name(&b);
    save(folder, "same_name.brst", &b);
    timed(&b, 10000, 0, 0);
    save(folder, "no-tick.brst", &b);
    timed(&b, 0, 0, 0);
    save(folder, "no-timer.brst", &b);
    missed(&b);
    save(folder, "misses.brst", &b);
    shared(&b);
    save(folder, "sharing.brst", &b);
    free(b.data);
    return 0;
}
