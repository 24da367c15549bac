/* bench_footprint.c - footprint.h beside the paper taken literally, an Olken
   splay tree (reuse distances only) and a direct-mapped aliasing table (average
   footprint only).

   bench_footprint [quick] [TRACE...]        TRACE: blocks as in docs/formats.md, not compressed
   bench_footprint one WAY TRACE [N]         one way alone, for callgrind; prints its name, the
                                             number of accesses and the ns of each
   bench_footprint long [N]                  n = 1e8: accesses come from a generator, and nothing is
                                             kept of them; prints time and memory at each power of 10

   Rivals take turns, chunk by chunk, so that what slows the machine slows all;
   best of the rounds, in CPU time. */
#define _POSIX_C_SOURCE 200112L
#define FOOTPRINT_IMPLEMENTATION
#include "footprint.h"
#include "../tests/footprint_paper.inc"
#include "../base/alloc.c"
#include "../base/text.c"
#include "../base/tool.c"
#include "../lab/trace_blocks.c"
#include "random.h"
#include <stdio.h>
#include <time.h>

static void *allocate(void *user, size_t bytes) {
    (void)user;
    return malloc(bytes);
}
static void release(void *user, void *memory) {
    (void)user;
    free(memory);
}

/* ---- rival: Olken's splay tree over times of last accesses, sizes kept; one reuse distance per
 * access ---- */

typedef struct splay {
    uint32_t *left, *right, *size, root, used, free_nodes, buckets;
    uint64_t *time, now, *key;
    uint32_t *node;
    uint64_t distances[64];
} splay;

static void splay_start(splay *s, uint32_t blocks) {
    memset(s, 0, sizeof *s);
    s->buckets = 2 * blocks + 16;
    s->left = (uint32_t *)calloc(blocks + 2, sizeof *s->left);
    s->right = (uint32_t *)calloc(blocks + 2, sizeof *s->right);
    s->size = (uint32_t *)calloc(blocks + 2, sizeof *s->size);
    s->time = (uint64_t *)calloc(blocks + 2, sizeof *s->time);
    s->key = (uint64_t *)calloc(s->buckets, sizeof *s->key);
    s->node = (uint32_t *)calloc(s->buckets, sizeof *s->node);
}

static void splay_end(splay *s) {
    free(s->left);
    free(s->right);
    free(s->size);
    free(s->time);
    free(s->key);
    free(s->node);
}

static void splay_resize(splay *s, uint32_t x) {
    s->size[x] = s->size[s->left[x]] + s->size[s->right[x]] + 1;
}

/* Top-down splay (Sleator and Tarjan) to the node of a time; sizes are mended on the way back along
 * both spines. */
static uint32_t splay_to(splay *s, uint32_t root, uint64_t time) {
    uint32_t spine[2][256], count[2] = {0, 0}, x = root, child;
    if (!x) return 0;
    for (;;) {
        if (time < s->time[x]) {
            child = s->left[x];
            if (!child) break;
            if (time < s->time[child]) {
                s->left[x] = s->right[child];
                s->right[child] = x;
                splay_resize(s, x);
                x = child;
                if (!s->left[x]) break;
            }
            if (count[1] == 256) break;
            spine[1][count[1]++] = x;
            x = s->left[x];
        } else if (time > s->time[x]) {
            child = s->right[x];
            if (!child) break;
            if (time > s->time[child]) {
                s->right[x] = s->left[child];
                s->left[child] = x;
                splay_resize(s, x);
                x = child;
                if (!s->right[x]) break;
            }
            if (count[0] == 256) break;
            spine[0][count[0]++] = x;
            x = s->right[x];
        } else
            break;
    }
    {
        uint32_t low = s->left[x], high = s->right[x];
        while (count[0]) {
            uint32_t y = spine[0][--count[0]];
            s->right[y] = low;
            splay_resize(s, y);
            low = y;
        }
        while (count[1]) {
            uint32_t y = spine[1][--count[1]];
            s->left[y] = high;
            splay_resize(s, y);
            high = y;
        }
        s->left[x] = low;
        s->right[x] = high;
        splay_resize(s, x);
    }
    return x;
}

static void splay_access(splay *s, uint64_t block) {
    uint32_t b = (uint32_t)((block * UINT64_C(0x9E3779B97F4A7C15) >> 32) * s->buckets >> 32), x,
             distance = 0, bits = 0;
    while (s->node[b] && s->key[b] != block) b = b + 1 < s->buckets ? b + 1 : 0;
    s->now++;
    x = s->node[b];
    if (x) {
        uint64_t time = s->time[x];
        do s->root = splay_to(s, s->root, time);
        while (s->time[s->root] != time);
        distance = s->size[s->right[x]] + 1;
        if (!s->left[x])
            s->root = s->right[x];
        else {
            uint32_t right = s->right[x], top;
            uint64_t biggest = UINT64_MAX;
            do top = splay_to(s, s->left[x], biggest), s->left[x] = top;
            while (s->right[top]);
            s->right[top] = right;
            splay_resize(s, top);
            s->root = top;
        }
    } else {
        x = s->node[b] = ++s->used;
        s->key[b] = block;
    }
    s->time[x] = s->now;
    s->left[x] = s->root;
    s->right[x] = 0;
    splay_resize(s, x);
    s->root = x;
    while (distance >> bits) bits++;
    s->distances[bits]++;
}

/* ---- rival: average footprint by reuse times, last times in a direct-mapped table of 2^26 entries
 * (blocks alias) ---- */

typedef struct alias {
    uint64_t *last, now, count[512], sum[512];
} alias;

static void alias_access(alias *a, uint64_t block) {
    uint64_t *last = &a->last[block & ((1u << 26) - 1)], gap = ++a->now - *last;
    uint32_t bin = footprint_bin(gap);
    *last = a->now;
    a->count[bin]++;
    a->sum[bin] += gap;
}

/* ---- the ways ---- */

enum { EXACT, C99, C90, C50, SINGLE, AVERAGE, ALIAS, SPLAY, PAPER, WAYS };
static const char *const names[WAYS] = {"c=1",
                                        "c=.99",
                                        "c=.9",
                                        "c=.5",
                                        "c=.9-one-by-one",
                                        "average-only",
                                        "aliasing-table",
                                        "olken-splay",
                                        "paper-literal-c=.9"};

typedef struct way {
    footprint fp;
    footprint_average averages;
    splay tree;
    alias table;
    paper literal;
    int kind;
} way;

static void way_start(way *w, int kind, uint32_t blocks) {
    static const double c[] = {1, .99, .9, .5, .9};
    footprint_config config;
    memset(&config, 0, sizeof config);
    config.alloc = allocate;
    config.release = release;
    w->kind = kind;
    if (kind < AVERAGE) {
        config.c = c[kind];
        if (!footprint_open(&w->fp, &config)) exit(1);
    } else if (kind == AVERAGE) {
        if (!footprint_average_open(&w->averages, &config)) exit(1);
    } else if (kind == ALIAS) {
        memset(&w->table, 0, sizeof w->table);
        w->table.last = (uint64_t *)calloc(1u << 26, sizeof *w->table.last);
    } else if (kind == SPLAY)
        splay_start(&w->tree, blocks);
    else
        paper_start(&w->literal, .9);
}

#if defined(__GNUC__)
__attribute__((noinline)) /* callgrind counts what is inside */
#endif
static void
way_run(way *w, const uint64_t *blocks, size_t count) {
    size_t i;
    if (w->kind == SINGLE)
        for (i = 0; i < count; i++) footprint_access(&w->fp, blocks[i]);
    else if (w->kind < AVERAGE)
        footprint_access_many(&w->fp, blocks, count);
    else if (w->kind == AVERAGE)
        footprint_average_access_many(&w->averages, blocks, count);
    else if (w->kind == ALIAS)
        for (i = 0; i < count; i++) alias_access(&w->table, blocks[i]);
    else if (w->kind == SPLAY)
        for (i = 0; i < count; i++) splay_access(&w->tree, blocks[i]);
    else
        for (i = 0; i < count; i++) paper_access(&w->literal, blocks[i]);
}

static void way_end(way *w) {
    if (w->kind < AVERAGE)
        footprint_close(&w->fp);
    else if (w->kind == AVERAGE)
        footprint_average_close(&w->averages);
    else if (w->kind == ALIAS)
        free(w->table.last);
    else if (w->kind == SPLAY)
        splay_end(&w->tree);
    else
        paper_end(&w->literal);
}

/* ---- inputs ---- */

static uint64_t random_state = 1;

static size_t make(const char *kind, uint64_t m, uint64_t *block, size_t n) {
    size_t i;
    for (i = 0; i < n; i++) {
        uint64_t r = bench_random(&random_state);
        double u = (double)(r >> 11) / 9007199254740992.0;
        block[i] = kind[0] == 'r'   ? r % m
                   : kind[0] == 'c' ? i % m
                                    : (uint64_t)(pow((double)m + 1, u) - 1); /* Zipf, exponent 1 */
    }
    return n;
}

/* The first n accesses; ends the program if the file cannot be read. */
static size_t read_trace(const char *path, uint64_t *block, size_t n) {
    static trace_blocks trace;
    size_t count = 0, got = 1;
    int status = trace_blocks_open(&trace, path, 0, TRACE_BLOCKS_EVERY);
    if (status != TOOL_OK) exit(status);
    while (count < n && got) {
        status = trace_blocks_read(&trace, block + count, NULL, n - count, &got);
        if (status != TOOL_OK) exit(status);
        count += got;
    }
    trace_blocks_close(&trace);
    return count;
}

/* One line: ns per access of every way, best of the rounds. The literal paper takes only the first
 * 2e5 accesses. */
static void compare(const char *name, const uint64_t *block, size_t n, uint32_t blocks,
                    int rounds) {
    static way w[WAYS];
    double best[WAYS];
    uint64_t distinct = 0;
    double bytes = 0;
    int round, k;
    for (k = 0; k < WAYS; k++) best[k] = 1e30;
    for (round = 0; round < rounds; round++) {
        double spent[WAYS];
        size_t at, chunk = n / 16 + 1;
        for (k = 0; k < WAYS; k++) {
            spent[k] = 0;
            way_start(&w[k], k, blocks);
        }
        for (at = 0; at < n; at += chunk)
            for (k = 0; k < WAYS; k++) {
                size_t count = n - at < chunk ? n - at : chunk;
                clock_t start = clock();
                if (k == PAPER) {
                    if (at) continue;
                    if (count > 200000) count = 200000;
                }
                way_run(&w[k], block + at, count);
                spent[k] += (double)(clock() - start) * 1e9 / CLOCKS_PER_SEC /
                            (double)(k == PAPER ? count : n);
            }
        for (k = 0; k < WAYS; k++) {
            footprint_stats s;
            if (spent[k] < best[k]) best[k] = spent[k];
            if (k == C90) {
                footprint_get_stats(&w[k].fp, &s);
                distinct = s.blocks;
                bytes = (double)s.blocks_bytes / (double)s.blocks;
            }
            way_end(&w[k]);
        }
    }
    printf("%-16s %9lu %8llu", name, (unsigned long)n, (unsigned long long)distinct);
    for (k = 0; k < WAYS; k++) printf(" %8.1f", best[k]);
    printf("  %5.2f %5.2f %5.2f %5.1f\n", best[EXACT] / best[C90], best[SPLAY] / best[C90],
           best[AVERAGE] / best[ALIAS], bytes);
    fflush(stdout);
}

/* Interleaving: ns per access, turns of a length. */
static void compare_pair(const char *name, uint64_t length, double c, uint64_t n) {
    footprint_config config;
    footprint_pair pair;
    size_t bytes;
    void *memory;
    clock_t start;
    uint64_t i;
    memset(&config, 0, sizeof config);
    config.c = c;
    bytes = footprint_pair_bytes(&config, c < 1 ? 1u << 20 : 1u << 22);
    memory = malloc(bytes);
    footprint_pair_init(&pair, memory, bytes, &config);
    start = clock();
    for (i = 0; i < n; i += 2 * length) {
        footprint_pair_run(&pair, 0, length);
        footprint_pair_run(&pair, 1, length);
    }
    printf("%-16s c = %-4g %8.2f ns an access\n", name, c,
           (double)(clock() - start) * 1e9 / CLOCKS_PER_SEC / (double)n);
    free(memory);
}

/* One way over a trace, or over random blocks. Returns 0, or 2 if there is no
   such way. */
static int run_one(const char *name, const char *trace, size_t n) {
    static way w;
    uint64_t *block = (uint64_t *)malloc(n * sizeof *block);
    clock_t start;
    int k = 0;
    while (k < WAYS && strcmp(names[k], name) != 0) k++;
    if (k == WAYS || !block) return 2;
    n = strncmp(trace, "random", 6) == 0 ? make("random", 1000000, block, n)
                                         : read_trace(trace, block, n);
    way_start(&w, k, 2000000);
    start = clock();
    way_run(&w, block, n);
    printf("%s %lu %.2f\n", name, (unsigned long)n,
           (double)(clock() - start) * 1e9 / CLOCKS_PER_SEC / (double)n);
    way_end(&w);
    free(block);
    return 0;
}

/* n accesses in chunks that are made and forgotten: Zipf of 1e5 blocks, whose
   set moves on by one block every 1000 accesses, so that new blocks never cease
   to come. window_max bounds memory. */
static int run_long(uint64_t n) {
    static uint64_t chunk[4096];
    static footprint fp;
    footprint_config config;
    footprint_stats s;
    uint64_t done = 0, report = 1000000;
    clock_t spent = 0;
    memset(&config, 0, sizeof config);
    config.window_max = 1000000;
    config.alloc = allocate;
    config.release = release;
    if (!footprint_open(&fp, &config)) return 1;
    printf("%12s %10s %12s %12s %12s\n", "accesses", "ns each", "blocks", "forgotten", "bytes");
    while (done < n) {
        size_t i, count = n - done < 4096 ? (size_t)(n - done) : 4096;
        clock_t start;
        make("zipf", 100000, chunk, count);
        for (i = 0; i < count; i++) chunk[i] += (done + i) / 1000;
        start = clock();
        footprint_access_many(&fp, chunk, count);
        spent += clock() - start;
        done += count;
        if (done < report && done < n) continue;
        report *= 10;
        footprint_get_stats(&fp, &s);
        printf("%12llu %10.1f %12llu %12llu %12lu\n", (unsigned long long)done,
               (double)spent * 1e9 / CLOCKS_PER_SEC / (double)done, (unsigned long long)s.blocks,
               (unsigned long long)s.forgotten, (unsigned long)s.memory_bytes);
        fflush(stdout);
    }
    footprint_close(&fp);
    return 0;
}

int main(int argc, char **argv) {
    int quick = argc > 1 && strcmp(argv[1], "quick") == 0, i, k;
    size_t most = quick ? 3000000 : 30000000, n;
    uint64_t *block, m;
    if (argc > 3 && strcmp(argv[1], "one") == 0)
        return run_one(argv[2], argv[3], argc > 4 ? (size_t)strtoul(argv[4], NULL, 10) : 500000);
    if (argc > 1 && strcmp(argv[1], "long") == 0)
        return run_long(argc > 2 ? strtoull(argv[2], NULL, 10) : 100000000);
    block = (uint64_t *)malloc(most * sizeof *block);
    printf("footprint: CPU ns an access (peers: aliasing table: average only; splay: reuse "
           "distances only)\n%-16s %9s %8s",
           "input", "n", "blocks");
    for (k = 0; k < WAYS; k++) printf(" %8.8s", names[k]);
    printf("  1/.9  splay avg/  bytes\n%78s%42s  ratio /.9   alias /block\n", "", "");
    for (i = 1 + quick + (argc > 1 && strcmp(argv[1], "full") == 0); i < argc; i++) {
        const char *name = strrchr(argv[i], '/');
        n = read_trace(argv[i], block, most);
        compare(name ? name + 1 : argv[i], block, n, 2000000, quick ? 2 : 3);
    }
    for (m = quick ? 10000 : 1000; m <= 1000000; m *= quick ? 100 : 10) {
        static const char *const kinds[] = {"random", "zipf", "cyclic"};
        for (k = 0; k < 3; k++) {
            char name[40];
            sprintf(name, "%s-%lu", kinds[k], (unsigned long)m);
            n = make(kinds[k], m, block, quick ? 2000000 : 5000000);
            compare(name, block, n, (uint32_t)m, quick ? 1 : 2);
        }
    }
    if (!quick) { /* n = 1e8: the same blocks over and over */
        static way w[2];
        clock_t start;
        double ns[2];
        n = make("zipf", 100000, block, most);
        for (k = 0; k < 2; k++) {
            way_start(&w[k], k == 0 ? C90 : AVERAGE, 0);
            start = clock();
            for (m = 0; m < 100000000; m += n)
                way_run(&w[k], block, m + n <= 100000000 ? n : (size_t)(100000000 - m));
            ns[k] = (double)(clock() - start) * 1e9 / CLOCKS_PER_SEC / 1e8;
            way_end(&w[k]);
        }
        printf("zipf-100000, n = 1e8: c = .9 %.1f, average only %.1f\n", ns[0], ns[1]);
    }
    compare_pair("turns of 1", 1, .9, 2000000);
    compare_pair("turns of 1", 1, 1, quick ? 400000 : 2000000);
    compare_pair("turns of 100", 100, .9, 20000000);
    compare_pair("turns of 10000", 10000, .9, 200000000);
    free(block);
    return 0;
}
