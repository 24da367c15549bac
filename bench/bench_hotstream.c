/* bench_hotstream.c - hotstream.h beside a textbook Sequitur.

   bench_hotstream [SYMBOLS] REFS...     time per symbol of each way on the first SYMBOLS (2000000)
                                         references of each trace (docs/formats.md, not compressed);
                                         the ratio; geometric means
   bench_hotstream one WAY SYMBOLS REFS [NODES]
                                         one way alone, for callgrind: textbook, eager, lazy or none
                                         (only reads). If so many nodes (half the symbols) are too
                                         few, it begins anew with twice as many, and callgrind
                                         counts both passes
   bench_hotstream parts REFS            what a recorded reference and a digest of a full 64 K-node
                                         grammar cost

   Rivals take turns, so that what slows the machine slows all; the best of the
   rounds counts, in CPU time. */
#define HOTSTREAM_STATIC
#define HOTSTREAM_IMPLEMENTATION
#include "hotstream.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- the rival: Sequitur as its authors tell it. Symbols are allocated one by one and linked;
   digrams are in a hash table with chains that doubles; each append checks digram uniqueness, then
   rule utility. ---- */

typedef struct book_symbol book_symbol;
typedef struct book_rule {
    book_symbol *guard;
    uint32_t uses;
} book_rule;
struct book_symbol {
    book_symbol *next, *prev;
    book_rule *rule;
    uint64_t value;
    int is_guard;
};
typedef struct book_link {
    struct book_link *next;
    book_symbol *at;
} book_link;
static struct {
    book_rule *start;
    book_link **chains;
    size_t chain_count, digrams, symbols;
} book;

static uint64_t book_key(const book_symbol *s) {
    return s->rule ? (uint64_t)(uintptr_t)s->rule : s->value;
}

static book_link **book_find(const book_symbol *s) {
    uint64_t hash = (book_key(s) * 0x9E3779B97F4A7C15u ^ book_key(s->next)) * 0xD6E8FEB86659FD93u;
    book_link **at = &book.chains[(hash >> 32) % book.chain_count];
    while (*at &&
           (book_key((*at)->at) != book_key(s) || book_key((*at)->at->next) != book_key(s->next)))
        at = &(*at)->next;
    return at;
}

static void book_resize(size_t count) {
    book_link **old = book.chains;
    size_t i, old_count = book.chain_count;
    book.chains = (book_link **)calloc(count, sizeof *book.chains);
    book.chain_count = count;
    for (i = 0; i < old_count; i++) {
        while (old[i]) {
            book_link *moved = old[i], **to = book_find(moved->at);
            old[i] = moved->next;
            moved->next = NULL;
            *to = moved;
        }
    }
    free(old);
}

static void book_forget(const book_symbol *s) {
    book_link **at, *gone;
    if (s->is_guard || s->next->is_guard) return;
    at = book_find(s);
    gone = *at;
    if (!gone || gone->at != s) return;
    *at = gone->next;
    free(gone);
    book.digrams--;
}

static void book_remember(book_symbol *s) {
    book_link **at;
    if (s->is_guard || s->next->is_guard) return;
    if (book.digrams >= book.chain_count) book_resize(2 * book.chain_count);
    at = book_find(s);
    if (!*at) {
        *at = (book_link *)calloc(1, sizeof **at);
        book.digrams++;
    }
    (*at)->at = s;
}

static book_symbol *book_new(uint64_t value, book_rule *rule) {
    book_symbol *s = (book_symbol *)calloc(1, sizeof *s);
    s->value = value;
    s->rule = rule;
    if (rule) rule->uses++;
    book.symbols++;
    return s;
}

/* Links left to right; the digram that left was in goes. In aaa the one that
   overlaps it comes back. */
static void book_join(book_symbol *left, book_symbol *right) {
    if (left->next) {
        book_forget(left);
        if (right->prev && right->next && !right->is_guard && !right->prev->is_guard &&
            !right->next->is_guard && book_key(right) == book_key(right->prev) &&
            book_key(right) == book_key(right->next)) {
            book_remember(right);
        }
        if (left->prev && left->next && !left->is_guard && !left->prev->is_guard &&
            !left->next->is_guard && book_key(left) == book_key(left->prev) &&
            book_key(left) == book_key(left->next)) {
            book_remember(left->prev);
        }
    }
    left->next = right;
    right->prev = left;
}

static void book_remove(book_symbol *s) {
    book_join(s->prev, s->next);
    if (!s->is_guard) {
        book_forget(s);
        if (s->rule) s->rule->uses--;
    }
    free(s);
    book.symbols--;
}

static void book_insert_after(book_symbol *s, book_symbol *what) {
    book_join(what, s->next);
    book_join(s, what);
}

static book_rule *book_new_rule(void) {
    book_rule *rule = (book_rule *)calloc(1, sizeof *rule);
    rule->guard = book_new(0, NULL);
    rule->guard->is_guard = 1;
    rule->guard->rule = rule;
    rule->guard->next = rule->guard->prev = rule->guard;
    return rule;
}

static int book_check(book_symbol *s);

static void book_substitute(book_symbol *s, book_rule *rule) {
    book_symbol *before = s->prev;
    book_remove(before->next);
    book_remove(before->next);
    book_insert_after(before, book_new(0, rule));
    if (!book_check(before)) book_check(before->next);
}

static void book_expand(book_symbol *s) {
    book_symbol *left = s->prev, *right = s->next, *first = s->rule->guard->next,
                *last = s->rule->guard->prev;
    book_rule *rule = s->rule;
    book_forget(s);
    book_join(left, first);
    book_join(last, right);
    book_remember(last);
    free(rule->guard);
    free(rule);
    free(s);
    book.symbols -= 2;
}

static void book_match(book_symbol *s, book_symbol *m) {
    book_rule *rule;
    if (m->prev->is_guard && m->next->next->is_guard) {
        rule = m->prev->rule;
        book_substitute(s, rule);
    } else {
        rule = book_new_rule();
        book_insert_after(rule->guard->prev, book_new(s->value, s->rule));
        book_insert_after(rule->guard->prev, book_new(s->next->value, s->next->rule));
        book_substitute(m, rule);
        book_substitute(s, rule);
        book_remember(rule->guard->next);
    }
    if (rule->guard->next->rule && rule->guard->next->rule->uses == 1)
        book_expand(rule->guard->next);
}

static int book_check(book_symbol *s) {
    book_link **at;
    if (s->is_guard || s->next->is_guard) return 0;
    at = book_find(s);
    if (!*at) {
        book_remember(s);
        return 0;
    }
    if ((*at)->at->next != s) book_match(s, (*at)->at);
    return 1;
}

static void book_begin(void) {
    memset(&book, 0, sizeof book);
    book_resize(1 << 16);
    book.start = book_new_rule();
}

static void book_feed(uint32_t x) {
    book_insert_after(book.start->guard->prev, book_new(x, NULL));
    book_check(book.start->guard->prev->prev);
}

/* Rules are found through their uses, and each is freed once. */
static void book_end(void) {
    size_t i, count = 1, room = 1 << 20;
    book_rule **rules = (book_rule **)malloc(room * sizeof *rules);
    rules[0] = book.start;
    for (i = 0; i < count; i++) {
        book_symbol *s = rules[i]->guard->next, *next;
        for (; !s->is_guard; s = next) {
            next = s->next;
            if (s->rule && s->rule->uses) {
                s->rule->uses = 0;
                if (count == room)
                    rules = (book_rule **)realloc(rules, (room *= 2) * sizeof *rules);
                rules[count++] = s->rule;
            }
            free(s);
        }
    }
    for (i = 0; i < count; i++) {
        free(rules[i]->guard);
        free(rules[i]);
    }
    free(rules);
    for (i = 0; i < book.chain_count; i++) {
        while (book.chains[i]) {
            book_link *gone = book.chains[i];
            book.chains[i] = gone->next;
            free(gone);
        }
    }
    free(book.chains);
}

/* ---- traces ---- */

typedef struct trace {
    uint32_t *symbols;
    size_t count;
} trace;

static uint32_t little(const unsigned char *b) {
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static trace trace_open(const char *path, size_t most) {
    trace t = {NULL, 0};
    unsigned char word[4];
    FILE *file = fopen(path, "rb");
    if (!file) {
        fprintf(stderr, "%s: cannot be opened\n", path);
        exit(2);
    }
    t.symbols = (uint32_t *)malloc((most + 1) * sizeof *t.symbols);
    while (t.count < most && fread(word, 1, 4, file) == 4) {
        if (little(word) < 0x7FFFFFFF) t.symbols[t.count++] = little(word);
    }
    fclose(file);
    return t;
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- the ways ---- */

enum { TEXTBOOK, EAGER, LAZY, NONE, WAYS };
static const char *const way_names[] = {"textbook", "eager", "lazy", "none"};

static hotstream_stats last;

/* nodes: where to begin; twice as many as long as the trace does not fit. */
static double run(int way, const trace *t, uint32_t nodes) {
    double start = 0, took = 0;
    size_t i;
    if (way == TEXTBOOK) {
        start = now();
        book_begin();
        for (i = 0; i < t->count; i++) book_feed(t->symbols[i]);
        took = now() - start;
        last.nodes = (uint32_t)book.symbols;
        book_end();
    } else if (way == NONE) {
        uint32_t sum = 0;
        for (i = 0; i < t->count; i++) sum ^= t->symbols[i];
        last.nodes = sum;
    } else {
        hotstream h;
        hotstream_config config = {0};
        void *memory = NULL;
        config.symbols = 1;
        config.streams_max = 16;
        config.eager = way == EAGER;
        for (i = 0; i < t->count; nodes *= 2) { /* the time is of the grammar that fits */
            size_t bytes = hotstream_bytes(&config, nodes);
            free(memory);
            memory = malloc(bytes);
            start = now();
            hotstream_init(&h, memory, bytes, &config);
            for (i = 0; i < t->count && hotstream_feed(&h, t->symbols[i]) == 0; i++) {
            }
        }
        took = now() - start;
        hotstream_get_stats(&h, &last);
        free(memory);
    }
    return took;
}

static uint64_t volatile sink;

static void parts(const trace *t) {
    static uint64_t memory[1 << 20];
    static hotstream h;
    static const hotstream_config deferred = {0, 0, 0, 0, 0,    1 << 16, 0,
                                              1, 0, 0, 0, NULL, NULL,    NULL};
    hotstream_config config = {0};
    double best_record = 1e9, best_digest = 1e9, digest_sum = 0, best_empty = 1e9;
    size_t i, at = 0, count = t->count < 60000 ? t->count : 60000;
    int round, digests = 0;
    for (round = 0; round < 200; round++) {
        double start, took;
        hotstream_init(&h, memory, sizeof memory, &deferred);
        start = now();
        for (i = 0; i < count; i++) hotstream_record(&h, t->symbols[i] + 1, i);
        took = now() - start;
        if (took < best_record) best_record = took;
        start = now();
        for (i = 0; i < count; i++) sink = t->symbols[i] + i;
        took = now() - start;
        if (took < best_empty) best_empty = took;
    }
    config.symbols = 1;
    hotstream_init(&h, memory, hotstream_bytes(&config, 1 << 16), &config);
    for (i = 0; i < t->count && digests < 60; i++) {
        double start, took;
        if (hotstream_feed(&h, t->symbols[i]) == 0) continue;
        start = now();
        hotstream_digest(&h);
        took = now() - start;
        digest_sum += took;
        digests++;
        if (took < best_digest) best_digest = took;
        at = i;
        i--;
    }
    printf("one reference recorded: %.2f ns (the same loop with one store: %.2f ns)\n",
           1e9 * best_record / (double)count, 1e9 * best_empty / (double)count);
    if (digests) {
        printf(
            "digest of a full grammar of 65536 nodes: %.2f ms on average, %.2f ms at best, of %d; "
            "every %.0f references\n",
            1e3 * digest_sum / digests, 1e3 * best_digest, digests, (double)at / digests);
    }
    printf("memory: %.1f bytes a node\n", 12 + 8 * 1.5);
}

int main(int argc, char **argv) {
    size_t most = 2000000;
    int from = 1, i, way, round, count = 0;
    double log_sum[2] = {0, 0};
    if ((argc == 5 || argc == 6) && strcmp(argv[1], "one") == 0) {
        trace t = trace_open(argv[4], (size_t)atol(argv[3]));
        for (way = 0; way < WAYS; way++) {
            if (strcmp(argv[2], way_names[way]) == 0) {
                run(way, &t, argc == 6 ? (uint32_t)atol(argv[5]) : (uint32_t)t.count / 2 + 4096);
                printf("%s %zu symbols, %u nodes\n", argv[2], t.count, last.nodes);
                return 0;
            }
        }
        return 2;
    }
    if (argc == 3 && strcmp(argv[1], "parts") == 0) {
        trace t = trace_open(argv[2], 20000000);
        parts(&t);
        return 0;
    }
    if (argc > 1 && atol(argv[1]) > 0) {
        most = (size_t)atol(argv[1]);
        from = 2;
    }
    if (from >= argc) {
        fputs("usage: bench_hotstream [SYMBOLS] REFS...\n", stderr);
        return 2;
    }
    printf("%-20s %10s %10s %10s %8s %8s\n", "ns a symbol", "textbook", "eager", "lazy", "eager x",
           "lazy x");
    for (i = from; i < argc; i++) {
        trace t = trace_open(argv[i], most);
        double best[3] = {1e9, 1e9, 1e9};
        const char *name = strrchr(argv[i], '/') ? strrchr(argv[i], '/') + 1 : argv[i];
        for (round = 0; round < 5; round++) {
            for (way = 0; way < 3; way++) {
                double took;
                if (way == TEXTBOOK && round > 2) continue;
                took = run(way, &t, 1 << 16);
                if (took < best[way]) best[way] = took;
            }
        }
        printf("%-20s %10.1f %10.1f %10.1f %8.1f %8.1f\n", name, 1e9 * best[0] / (double)t.count,
               1e9 * best[1] / (double)t.count, 1e9 * best[2] / (double)t.count, best[0] / best[1],
               best[0] / best[2]);
        log_sum[0] += log(best[0] / best[1]);
        log_sum[1] += log(best[0] / best[2]);
        count++;
        free(t.symbols);
    }
    printf("%-20s %32s %8.1f %8.1f\n", "geometric mean", "", exp(log_sum[0] / count),
           exp(log_sum[1] / count));
    return 0;
}
