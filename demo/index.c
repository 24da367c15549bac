/* index.c - indexes C source: which identifiers, who includes whom, how deep the braces go

   index [-b MEGABYTES] [-n ROUNDS] [PATH...]
         directories are walked; without PATH: . and /usr/include

   The demonstration of bursty.h: real work on real input, with checks in it as a user would place
   them.

     BURST_SCOPE       functions where time goes and that call others: they make up the contexts
     BURST_ENTRY       small ones: one line, two instructions
     BURST_LOOP        loops that may run long
     BURST_REF         a reference worth knowing
     BURST_BODY        a loop's body compiled twice: references are recorded in the second copy
     BURST_DUAL        the same for a whole function
     BURST_DUAL_LEAF   without a check: BURST_SAME picks its caller's copy
     BURST_FOR         a tight counted loop: nothing per iteration

   Loops over the characters of one token have no check: they are short and call nothing. profile.c,
   called at the start and at the end of main, says what to record. With -DBURSTY_OFF everything
   named here is nothing; that is the plain program which demo/compare.c measures against. */
#define _XOPEN_SOURCE 700
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "bursty.h"
#include "profile.h"

#define TOP 8 /* lines in each table of the summary */
#define NONE UINT32_MAX

static void fail(const char *what) {
    fprintf(stderr, "index: %s\n", what);
    exit(1);
}

static void *resized(void *memory, size_t count, size_t size) {
    void *result = realloc(memory, count * size);
    if (!result) fail("out of memory");
    return result;
}

/* ---- names: every distinct text once --------------------------------------------------------- */

/* all[] holds them in the order of their first use. slots[] finds them: number + 1, 0 = free,
   linear probing; there are 2 * room slots, a power of two, so at most half are taken. */
typedef struct name {
    const char *text;
    uint32_t length, hash, uses, files;
    uint32_t file; /* identifiers: the last file that used it; paths: the file meant */
} name;
typedef struct names {
    name *all;
    uint32_t *slots, count, room;
} names;

static void grow(names *t) {
    BURST_ENTRY();
    uint32_t mask = (t->room ? t->room * 4 : 2048) - 1;
    t->room = (mask + 1) / 2;
    t->all = resized(t->all, t->room, sizeof *t->all);
    t->slots = resized(t->slots, (size_t)mask + 1, sizeof *t->slots);
    memset(t->slots, 0, ((size_t)mask + 1) * sizeof *t->slots);
    for (uint32_t i = 0; i < t->count; i++) {
        BURST_LOOP();
        uint32_t at = t->all[i].hash & mask;
        while (t->slots[at]) at = (at + 1) & mask;
        t->slots[at] = i + 1;
    }
}

/* The slot of a text: where it is, or where it would go. */
static BURST_DUAL_LEAF(uint32_t, slot_of,
    (const names *t, const char *text, uint32_t length, uint32_t hash), (t, text, length, hash)) {
    uint32_t mask = 2 * t->room - 1, at = hash & mask;
    BURST_REF(BURSTY_LOAD, text);
    for (; t->slots[at]; at = (at + 1) & mask) {
        const name *n = &t->all[t->slots[at] - 1];
        BURST_REF(BURSTY_LOAD, &t->slots[at]);
        BURST_REF(BURSTY_LOAD, n);
        if (n->hash == hash && n->length == length && memcmp(n->text, text, length) == 0) break;
    }
    return at;
}

/* A text that is new is added (and must stay where it is), or if !add answered with NULL. Valid
   until the next add. */
static name *find_name(names *t, const char *text, uint32_t length, int add) {
    BURST_SCOPE("find_name");
    if (t->count == t->room) grow(t);
    uint32_t hash = 2166136261u;
    for (uint32_t i = 0; i < length; i++) hash = (hash ^ (unsigned char)text[i]) * 16777619u;
    hash ^= hash >> 15;
    uint32_t at = BURST_SAME(slot_of, (t, text, length, hash));
    if (t->slots[at]) return &t->all[t->slots[at] - 1];
    if (!add) return NULL;
    name *n = &t->all[t->count++];
    n->text = text, n->length = length, n->hash = hash, n->uses = n->files = 0, n->file = NONE;
    t->slots[at] = t->count;
    BURST_REF(BURSTY_STORE, n);
    return n;
}

/* ---- files: found, read, known by every end of their path ------------------------------------ */

typedef struct file {
    char *path, *text;
    size_t size;
    uint64_t checksum;
    uint32_t copy_of; /* an earlier file of the same text, or NONE */
    uint32_t lines, nesting, nesting_line; /* nesting: deepest braces, and where */
    uint32_t edge, edges; /* its includes: edges[edge] and on */
    uint32_t includers, users; /* files that include it directly; directly or not */
    uint32_t order, low, cycle, depth; /* section "the include graph" */
    uint64_t pulled_lines; /* lines of all files that it includes, directly or not */
} file;

static file *files;
static uint32_t file_count, file_room;
static size_t bytes_read, bytes_wanted = SIZE_MAX;
static names paths, identifiers, checksums;

static BURST_DUAL(uint64_t, checksum_of, (const char *text, size_t size), (text, size)) {
    uint64_t sum = size, word;
    BURST_FOR(size_t, i, 0, size / 8, {
        BURST_REF(BURSTY_LOAD, text + 8 * i);
        memcpy(&word, text + 8 * i, 8);
        sum = (sum ^ word) * UINT64_C(0x9E3779B97F4A7C15);
        sum ^= sum >> 29;
    })
    for (size_t i = size & ~(size_t)7; i < size; i++)
        sum = (sum ^ (unsigned char)text[i]) * 16777619u;
    return sum;
}

/* <sys/types.h> means the file with the shortest path that ends so: nobody tells us the compiler's
   search path. */
static void know_path(uint32_t number) {
    BURST_SCOPE("know_path");
    const char *path = files[number].path;
    size_t length = strlen(path);
    for (const char *end = path; end; end = strchr(end + 1, '/')) {
        BURST_LOOP();
        if (end != path) end++;
        name *n = find_name(&paths, end, (uint32_t)strlen(end), 1);
        if (n->file == NONE || length < strlen(files[n->file].path)) n->file = number;
    }
}

static void load(const char *path, size_t size) {
    BURST_SCOPE("load");
    FILE *in = fopen(path, "rb");
    if (!in) return;
    if (file_count == file_room)
        files = resized(files, file_room = file_room ? 2 * file_room : 1024, sizeof *files);
    file *f = &files[file_count];
    memset(f, 0, sizeof *f);
    f->path = strcpy(resized(NULL, strlen(path) + 1, 1), path);
    f->text = resized(NULL, size + 1, 1);
    f->size = fread(f->text, 1, size, in);
    f->text[f->size] = 0; /* scanning stops here without asking at every character */
    fclose(in);
    bytes_read += f->size;
    f->checksum = checksum_of(f->text, f->size);
    know_path(file_count++);
}

static int by_name(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static int is_c(const char *path) {
    size_t length = strlen(path);
    return length > 2 && path[length - 2] == '.' &&
           (path[length - 1] == 'c' || path[length - 1] == 'h');
}

/* Files before folders, both sorted: the same order on every machine, and a limit keeps what lies
   on top. */
static void walk(const char *path) {
    BURST_SCOPE("walk");
    struct stat about;
    if (bytes_read >= bytes_wanted || lstat(path, &about) != 0) return;
    if (S_ISREG(about.st_mode) && is_c(path)) load(path, (size_t)about.st_size);
    DIR *folder = S_ISDIR(about.st_mode) ? opendir(path) : NULL;
    if (!folder) return;
    char **list = NULL;
    size_t count = 0;
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        if (entry->d_name[0] == '.' || strcmp(entry->d_name, "build") == 0) continue;
        list = resized(list, count + 1, sizeof *list);
        list[count] = resized(NULL, strlen(path) + strlen(entry->d_name) + 2, 1);
        sprintf(list[count++], "%s/%s", path, entry->d_name);
    }
    closedir(folder);
    if (count) qsort(list, count, sizeof *list, by_name);
    for (int folders = 0; folders < 2; folders++)
        for (size_t i = 0; i < count; i++) {
            BURST_LOOP();
            if (is_c(list[i]) != folders) walk(list[i]);
        }
    for (size_t i = 0; i < count; i++) free(list[i]);
    free(list);
}

/* ---- scanning: words, comments, strings, directives, braces ---------------------------------- */

typedef struct scan {
    const char *at, *end;
    file *file;
    uint32_t number, line, depth; /* of the file; where we are; open braces */
    int fresh, directive; /* nothing on this line yet; it is a directive's */
    uint32_t ifs, if_depth[64]; /* depth at each open #if: #else goes back to it */
} scan;

enum { OTHER, SPACE, NEWLINE, WORD, DIGIT, QUOTE, SLASH, HASH, BACKSLASH, OPEN, CLOSE };
static unsigned char kind[256];

static const char *const keywords[] = { "auto", "break", "case", "char", "const", "continue",
    "default", "do", "double", "else", "enum", "extern", "float", "for", "goto", "if", "inline",
    "int", "long", "register", "restrict", "return", "short", "signed", "sizeof", "static",
    "struct", "switch", "typedef", "union", "unsigned", "void", "volatile", "while", "define",
    "defined" };
enum { KEYWORDS = sizeof keywords / sizeof *keywords };

static void set_kinds(void) {
    for (int c = 'a'; c <= 'z'; c++) kind[c] = kind[c - 'a' + 'A'] = WORD;
    for (int c = '0'; c <= '9'; c++) kind[c] = DIGIT;
    kind['_'] = kind['$'] = WORD;
    kind[' '] = kind['\t'] = kind['\r'] = kind['\f'] = kind['\v'] = SPACE;
    kind['"'] = kind['\''] = QUOTE;
    kind['\n'] = NEWLINE;
    kind['/'] = SLASH;
    kind['#'] = HASH;
    kind['\\'] = BACKSLASH;
    kind['{'] = OPEN;
    kind['}'] = CLOSE;
}

/* At a backslash. Behind it: a continued line, or something that is to be taken as it stands. */
static void skip_escape(scan *s) {
    s->at++;
    if (*s->at == '\r' && s->at[1] == '\n') s->at++;
    if (*s->at == '\n') s->line++;
    if (s->at < s->end) s->at++;
}

static void skip_comment(scan *s) {
    BURST_SCOPE("skip_comment");
    int block = s->at[1] == '*';
    s->at += 2;
    while (s->at < s->end && !(block ? *s->at == '*' && s->at[1] == '/' : *s->at == '\n'))
        if (!block && *s->at == '\\') skip_escape(s);
        else if (*s->at++ == '\n') s->line++;
    if (block && s->at < s->end) s->at += 2;
}

/* A string ends at its quote, or at the end of the line: an apostrophe in an #error is no
   string. */
static void skip_quoted(scan *s) {
    BURST_ENTRY();
    char quote = *s->at++;
    while (s->at < s->end && *s->at != quote && *s->at != '\n')
        if (*s->at == '\\') skip_escape(s);
        else s->at++;
    if (*s->at == quote && s->at < s->end) s->at++;
}

static void skip_number(scan *s) {
    BURST_ENTRY();
    while (kind[(unsigned char)*s->at] == DIGIT || kind[(unsigned char)*s->at] == WORD ||
           *s->at == '.')
        s->at++;
}

static uint32_t word_length(const scan *s) {
    const char *end = s->at;
    while (kind[(unsigned char)*end] == WORD || kind[(unsigned char)*end] == DIGIT) end++;
    return (uint32_t)(end - s->at);
}

/* No check: find_name has one every time, and a second one per word would tell nothing new. */
static void read_word(scan *s) {
    uint32_t length = word_length(s);
    name *n = find_name(&identifiers, s->at, length, 1);
    s->at += length;
    if (n < identifiers.all + KEYWORDS) return;
    n->uses++;
    if (n->file != s->number) n->files++, n->file = s->number;
}

/* "x.h": the folder of the file that says so comes first. */
static uint32_t find_include(const file *from, const char *text, uint32_t length, int quoted) {
    BURST_SCOPE("find_include");
    const char *slash = strrchr(from->path, '/');
    uint32_t folder = slash ? (uint32_t)(slash - from->path) + 1 : 0;
    const name *n = NULL;
    char path[4096];
    if (quoted && folder + length < sizeof path) {
        memcpy(path, from->path, folder);
        memcpy(path + folder, text, length);
        n = find_name(&paths, path, folder + length, 0);
    }
    while (length > 3 && memcmp(text, "../", 3) == 0) text += 3, length -= 3;
    if (!n) n = find_name(&paths, text, length, 0);
    return n ? n->file : NONE;
}

static uint32_t *edges, edge_count, edge_room, includes_seen, includes_missing;

static void read_include(scan *s) {
    BURST_SCOPE("read_include");
    while (kind[(unsigned char)*s->at] == SPACE) s->at++;
    char close = *s->at == '<' ? '>' : '"';
    if (*s->at != '<' && *s->at != '"') return; /* #include MACRO */
    const char *text = ++s->at;
    while (s->at < s->end && *s->at != close && *s->at != '\n') s->at++;
    uint32_t to = find_include(s->file, text, (uint32_t)(s->at - text), close == '"');
    includes_seen++;
    if (to == NONE) includes_missing++;
    if (to == NONE || to == s->number) return;
    for (uint32_t e = s->file->edge; e < edge_count; e++)
        if (edges[e] == to) return;
    if (edge_count == edge_room)
        edges = resized(edges, edge_room = edge_room ? 2 * edge_room : 4096, sizeof *edges);
    edges[edge_count++] = to;
    s->file->edges++;
    files[to].includers++;
}

/* Both sides of an #if open the same braces as a rule, so each side starts at the depth of the
   #if. */
static void read_directive(scan *s) {
    BURST_SCOPE("read_directive");
    s->directive = 1;
    for (s->at++; kind[(unsigned char)*s->at] == SPACE;) s->at++;
    const char *word = s->at;
    uint32_t length = word_length(s), level = s->ifs < 64 ? s->ifs : 63;
    s->at += length;
    if (length >= 7 && memcmp(word, "include", 7) == 0) read_include(s);
    else if (length >= 2 && memcmp(word, "if", 2) == 0) s->if_depth[level] = s->depth, s->ifs++;
    else if (length >= 2 && memcmp(word, "el", 2) == 0 && s->ifs > 0)
        s->depth = s->if_depth[s->ifs < 64 ? s->ifs - 1 : 63];
    else if (length == 5 && memcmp(word, "endif", 5) == 0 && s->ifs > 0) s->ifs--;
}

static void scan_file(uint32_t number) {
    BURST_SCOPE("scan_file");
    file *f = &files[number];
    scan s = { f->text, f->text + f->size, f, number, 1, 0, 1, 0, 0, { 0 } };
    f->edge = edge_count;
    while (s.at < s.end) {
        switch (kind[(unsigned char)*s.at]) {
        case SPACE:
            do s.at++;
            while (kind[(unsigned char)*s.at] == SPACE);
            continue;
        case NEWLINE:
            BURST_LOOP(); /* once a line: words and the like have checks of their own */
            s.at++;
            s.line++;
            s.fresh = 1;
            s.directive = 0;
            continue;
        case BACKSLASH: skip_escape(&s); continue;
        case SLASH:
            if (s.at[1] == '*' || s.at[1] == '/') {
                skip_comment(&s);
                continue;
            }
            s.at++;
            break;
        case WORD: read_word(&s); break;
        case DIGIT: skip_number(&s); break;
        case QUOTE: skip_quoted(&s); break;
        case HASH:
            if (s.fresh) read_directive(&s);
            else s.at++;
            break;
        case OPEN:
            s.at++;
            if (!s.directive && ++s.depth > f->nesting)
                f->nesting = s.depth, f->nesting_line = s.line;
            break;
        case CLOSE:
            s.at++;
            if (!s.directive && s.depth > 0) s.depth--;
            break;
        default: s.at++;
        }
        s.fresh = 0;
    }
    f->lines = s.line - 1;
}

/* ---- the include graph: chains, cycles, and what an include drags in ------------------------- */

/* Tarjan: order numbers files as they are met; low is the oldest file on the stack that can be
   reached. A file with low == order closes a cycle: itself and all above it on the stack. cycle =
   0: still on the stack. */
static uint32_t *stack, stack_count, visited, cycle_count, cycle_files, cycles;

static void close_cycle(uint32_t first) {
    BURST_ENTRY();
    uint32_t from = stack_count, depth = 0;
    cycle_count++;
    do files[stack[--from]].cycle = cycle_count;
    while (stack[from] != first);
    for (uint32_t i = from; i < stack_count; i++)
        for (uint32_t e = files[stack[i]].edge, end = e + files[stack[i]].edges; e < end; e++) {
            BURST_LOOP();
            const file *to = &files[edges[e]];
            if (to->cycle != cycle_count && to->depth + 1 > depth) depth = to->depth + 1;
        }
    for (uint32_t i = from; i < stack_count; i++) files[stack[i]].depth = depth;
    if (stack_count - from > 1) cycles++, cycle_files += stack_count - from;
    stack_count = from;
}

static void visit(uint32_t number) {
    BURST_SCOPE("visit");
    file *f = &files[number];
    f->order = f->low = ++visited;
    stack[stack_count++] = number;
    for (uint32_t e = f->edge; e < f->edge + f->edges; e++) {
        BURST_LOOP();
        file *to = &files[edges[e]];
        BURST_REF(BURSTY_LOAD, to);
        if (!to->order) visit(edges[e]);
        if (!to->cycle && to->low < f->low) f->low = to->low;
    }
    if (f->low == f->order) close_cycle(number);
}

/* Everything that is reached from a file, each once: seen[] holds the file whose turn it was. */
static void reach(uint32_t number, uint32_t *seen) {
    BURST_SCOPE("reach");
    file *f = &files[number];
    stack[0] = number;
    stack_count = 1;
    seen[number] = number;
    while (stack_count > 0)
        BURST_BODY({
            const file *from = &files[stack[--stack_count]];
            BURST_REF(BURSTY_LOAD, from);
            for (uint32_t e = from->edge; e < from->edge + from->edges; e++) {
                file *to = &files[edges[e]];
                BURST_REF(BURSTY_LOAD, &seen[edges[e]]);
                if (seen[edges[e]] == number) continue;
                seen[edges[e]] = number;
                stack[stack_count++] = edges[e];
                to->users++;
                f->pulled_lines += to->lines;
            }
        })
}

/* ---- one round, and its summary -------------------------------------------------------------- */

static void clear(names *t) {
    t->count = 0;
    if (t->room) memset(t->slots, 0, 2 * (size_t)t->room * sizeof *t->slots);
}

static void index_all(void) {
    BURST_SCOPE("index_all");
    clear(&identifiers);
    clear(&checksums);
    for (int i = 0; i < KEYWORDS; i++)
        find_name(&identifiers, keywords[i], (uint32_t)strlen(keywords[i]), 1);
    edge_count = includes_seen = includes_missing = visited = cycle_count = cycle_files = cycles =
        0;
    for (uint32_t i = 0; i < file_count; i++) {
        file *f = &files[i];
        f->nesting = f->edges = f->includers = f->users = f->order = f->cycle = 0;
        f->pulled_lines = 0;
    }
    for (uint32_t i = 0; i < file_count; i++) {
        BURST_LOOP();
        name *sum = find_name(&checksums, (const char *)&files[i].checksum, 8, 1);
        files[i].copy_of = sum->file;
        if (sum->file == NONE) sum->file = i, scan_file(i);
    }
    uint32_t *seen = resized(NULL, (size_t)file_count + 1, sizeof *seen);
    memset(seen, 0xff, ((size_t)file_count + 1) * sizeof *seen);
    stack = resized(stack, (size_t)file_count + 1, sizeof *stack);
    stack_count = 0;
    for (uint32_t i = 0; i < file_count; i++)
        if (!files[i].order) visit(i);
    for (uint32_t i = 0; i < file_count; i++) reach(i, seen);
    free(seen);
}

/* The TOP best of count things by a measure; equal ones in their order. Fills best[], returns how
   many. */
static uint32_t top_of(uint32_t count, uint64_t (*measure)(uint32_t), uint32_t *best) {
    BURST_SCOPE("top_of");
    uint32_t found = 0;
    for (uint32_t i = 0; i < count; i++) {
        BURST_LOOP();
        uint64_t value = measure(i);
        uint32_t at = found;
        while (at > 0 && measure(best[at - 1]) < value) at--;
        if (value == 0 || at == TOP) continue;
        if (found < TOP) found++;
        memmove(best + at + 1, best + at, (found - 1 - at) * sizeof *best);
        best[at] = i;
    }
    return found;
}

static uint64_t uses_of(uint32_t i) { return identifiers.all[i].uses; }
static uint64_t nesting_of(uint32_t i) { return files[i].nesting; }
static uint64_t users_of(uint32_t i) { return files[i].users; }
static uint64_t pulled_of(uint32_t i) { return files[i].pulled_lines; }

static void print_summary(void) {
    BURST_SCOPE("print_summary");
    uint32_t best[TOP], copies = 0, deepest = 0, found;
    unsigned long long lines = 0, uses = 0;
    for (uint32_t i = 0; i < file_count; i++) {
        lines += files[i].lines;
        copies += files[i].copy_of != NONE;
        if (files[i].depth > files[deepest].depth) deepest = i;
    }
    for (uint32_t i = KEYWORDS; i < identifiers.count; i++) uses += identifiers.all[i].uses;
    printf("%u files, %zu bytes, %llu lines; %u of them copies of others, counted once\n",
        file_count, bytes_read, lines, copies);
    printf("%u identifiers, used %llu times\n", identifiers.count - KEYWORDS, uses);
    printf("%u includes, %u of files outside; %u cycles of %u files\n", includes_seen,
        includes_missing, cycles, cycle_files);
    if (file_count)
        printf(
            "longest chain of includes: %u, from %s\n", files[deepest].depth, files[deepest].path);

    printf("\nmost used identifiers\n%10s %8s\n", "uses", "files");
    found = top_of(identifiers.count, uses_of, best);
    for (uint32_t i = 0; i < found; i++) {
        const name *n = &identifiers.all[best[i]];
        printf("%10u %8u  %.*s\n", n->uses, n->files, (int)n->length, n->text);
    }
    printf("\ndeepest braces\n%10s %8s\n", "depth", "line");
    found = top_of(file_count, nesting_of, best);
    for (uint32_t i = 0; i < found; i++)
        printf("%10u %8u  %s\n", files[best[i]].nesting, files[best[i]].nesting_line,
            files[best[i]].path);
    printf("\nmost included\n%10s %8s\n", "all", "directly");
    found = top_of(file_count, users_of, best);
    for (uint32_t i = 0; i < found; i++)
        printf(
            "%10u %8u  %s\n", files[best[i]].users, files[best[i]].includers, files[best[i]].path);
    printf("\nheaviest includes\n%10s\n", "lines");
    found = top_of(file_count, pulled_of, best);
    for (uint32_t i = 0; i < found; i++)
        printf("%10llu %8s  %s\n", (unsigned long long)files[best[i]].pulled_lines, "",
            files[best[i]].path);
}

int main(int argc, char **argv) {
    int rounds = 1, at = 1;
    for (; at + 1 < argc && argv[at][0] == '-'; at += 2) {
        if (strcmp(argv[at], "-b") == 0) bytes_wanted = (size_t)(atof(argv[at + 1]) * 1e6);
        else if (strcmp(argv[at], "-n") == 0) rounds = atoi(argv[at + 1]);
        else fail("usage: index [-b MEGABYTES] [-n ROUNDS] [PATH...]");
    }
    profile_start();
    set_kinds();
    if (at == argc) walk("."), walk("/usr/include");
    for (; at < argc; at++) walk(argv[at]);
    while (rounds-- > 0) index_all();
    print_summary();
    if (profile_end() != 0) fail("cannot write the dump");
    return 0;
}
