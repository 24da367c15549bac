/* chosen.c - see chosen.h. */
#include "report/model/chosen.h"
#include "base/glob.h"
#include "base/hash.h"
#include "base/text.h"
#include "base/tool.h"
#include "report/kinds/sources.h"
#include "report/model/match.h"
#include <stdlib.h>
#include <string.h>

enum { LINE_OUT = 1, BRANCH_OUT = 2 };

int chosen_begin(chosen *c, const char *root) { return sources_begin(&c->door, root); }

void chosen_end(chosen *c) {
    size_t i;
    for (i = 0; i < c->source_count; i++) {
        free(c->sources[i].name);
        free(c->sources[i].marks);
    }
    for (i = 0; i < c->change_count; i++) {
        free(c->changes[i].name);
        free(c->changes[i].added);
    }
    free(c->sources);
    free(c->changes);
    free(c->matched);
    free((void *)c->filter);
    free((void *)c->exclude);
    hash_free(&c->by_name);
    sources_end(&c->door);
    memset(c, 0, sizeof *c);
}

/* ---- a unified diff ----

   --- a/src/x.c                 the old file
   +++ b/src/x.c                 the new one; git puts a/ and b/ in front
   @@ -10,4 +10,5 @@ f(void)     lines of the old one, and of the new one: first and number
    a line of both
   -a line of the old one
   +a line of the new one: these are what was changed */

typedef struct diff_reader {
    const char *path;
    const char *at, *end;
    uint32_t line;              /* of the diff */
} diff_reader;

/* The next line, without its end. Returns 0 behind the last one. */
static int next_line(diff_reader *d, const char **line, size_t *size) {
    const char *stop;
    if (d->at == d->end) return 0;
    stop = (const char *)memchr(d->at, '\n', (size_t)(d->end - d->at));
    *line = d->at;
    *size = (size_t)((stop ? stop : d->end) - d->at);
    if (*size && (*line)[*size - 1] == '\r') --*size;
    d->at = stop ? stop + 1 : d->end;
    d->line++;
    return 1;
}

static int begins(const char *line, size_t size, const char *with) {
    return size >= strlen(with) && memcmp(line, with, strlen(with)) == 0;
}

/* "12,3" or "12", which is one line. Returns 0, or -1. */
static int read_range(const char **at, const char *end, uint32_t *first, uint32_t *count) {
    uint32_t *number = first;
    *count = 1;
    for (;;) {
        const char *start = *at;
        *number = 0;
        while (*at < end && **at >= '0' && **at <= '9') {
            if (*number > (UINT32_MAX - 9) / 10) return -1;
            *number = *number * 10 + (uint32_t)(*(*at)++ - '0');
        }
        if (*at == start) return -1;
        if (number == count || *at == end || **at != ',') return 0;
        ++*at;
        number = count;
    }
}

static int read_hunk_head(const char *line, size_t size, uint32_t *old_count, uint32_t *first,
                          uint32_t *count) {
    const char *at = line + 4, *end = line + size;
    uint32_t old_first;
    if (read_range(&at, end, &old_first, old_count) != 0) return -1;
    if (end - at < 2 || at[0] != ' ' || at[1] != '+') return -1;
    at += 2;
    if (read_range(&at, end, first, count) != 0) return -1;
    return end - at >= 3 && memcmp(at, " @@", 3) == 0 ? 0 : -1;
}

static void add_changed(chosen_change *change, uint32_t line) {
    chosen_range *last = change->count ? &change->added[change->count - 1] : NULL;
    if (last && last->last + 1 == line) {
        last->last = line;
        return;
    }
    if ((change->count & (change->count + 1)) == 0)
        change->added = (chosen_range *)tool_grow(change->added,
                                                  (2 * change->count + 2) * sizeof *last);
    change->added[change->count].first = change->added[change->count].last = line;
    change->count++;
}

static int blame(const diff_reader *d, const char *reason) {
    return tool_error("--diff %s: line %lu: %s", d->path, (unsigned long)d->line, reason);
}

/* The lines of one hunk. change: NULL for a file that has gone. */
static int read_hunk(diff_reader *d, chosen_change *change, const char *line, size_t size) {
    uint32_t old_count, first, count;
    if (read_hunk_head(line, size, &old_count, &first, &count) != 0)
        return blame(d, "is no head of a hunk");
    while (old_count || count) {
        char kind;
        if (!next_line(d, &line, &size)) return blame(d, "the diff ends within a hunk");
        kind = size ? line[0] : ' ';
        if (kind == '\\') continue;
        if (kind != ' ' && kind != '+' && kind != '-')
            return blame(d, "is no line of a hunk");
        if ((kind != '+' && !old_count) || (kind != '-' && !count))
            return blame(d, "the hunk is longer than its head says");
        if (kind == '+' && change) add_changed(change, first);
        if (kind != '+') old_count--;
        if (kind == '-') continue;
        count--;
        first++;
    }
    return TOOL_OK;
}

/* What git puts in quotes: \ and an octal number of three digits, or a letter
   as in C. */
static void unquote(text *to, const char *line, size_t size) {
    static const char letters[] = "abfnrtv", meant[] = "\a\b\f\n\r\t\v";
    size_t i;
    for (i = 0; i < size; i++) {
        const char *letter;
        char c = line[i];
        if (c == '\\' && i + 3 < size && line[i + 1] >= '0' && line[i + 1] <= '3' &&
            line[i + 2] >= '0' && line[i + 2] <= '7' && line[i + 3] >= '0' && line[i + 3] <= '7') {
            c = (char)((line[i + 1] - '0') * 64 + (line[i + 2] - '0') * 8 + (line[i + 3] - '0'));
            i += 3;
        } else if (c == '\\' && i + 1 < size) {
            c = line[++i];
            letter = strchr(letters, c);
            if (letter) c = meant[letter - letters];
        }
        text_bytes(to, &c, 1);
    }
}

/* The file's name behind "+++ ": up to a tab, without the letter that git puts
   in front. */
static char *name_in(const char *line, size_t size) {
    const char *tab = (const char *)memchr(line, '\t', size);
    text plain = {NULL, 0, 0};
    size_t from = 0;
    char *name;
    if (tab) size = (size_t)(tab - line);
    if (size >= 2 && line[0] == '"' && line[size - 1] == '"') unquote(&plain, line + 1, size - 2);
    else text_bytes(&plain, line, size);
    if (plain.size > 2 && plain.data[1] == '/' && strchr("biwco", plain.data[0])) from = 2;
    name = text_clean(plain.size ? plain.data + from : "", plain.size - from);
    text_free(&plain);
    return name;
}

static chosen_change *add_change(chosen *c, const char *line, size_t size) {
    chosen_change *change;
    if (begins(line, size, "/dev/null")) return NULL;
    if ((c->change_count & (c->change_count + 1)) == 0)
        c->changes = (chosen_change *)tool_grow(c->changes,
                                                (2 * c->change_count + 2) * sizeof *change);
    change = &c->changes[c->change_count++];
    memset(change, 0, sizeof *change);
    change->name = name_in(line, size);
    return change;
}

int chosen_read_diff(chosen *c, const char *path) {
    diff_reader d = {path, NULL, NULL, 0};
    const char *line = NULL;
    size_t size = 0;
    char *data = (char *)tool_read_file(path, NULL, &size);
    chosen_change *change = NULL;
    int status = TOOL_OK, has_file = 0, is_empty = size == 0;
    if (!data) return TOOL_BAD_INPUT;
    c->diff = path;
    d.at = data;
    d.end = data + size;
    while (status == TOOL_OK && next_line(&d, &line, &size)) {
        if (begins(line, size, "+++ ")) {
            change = add_change(c, line + 4, size - 4);
            has_file = 1;
        } else if (begins(line, size, "@@ -")) {
            if (has_file) status = read_hunk(&d, change, line, size);
            else status = blame(&d, "a hunk in front of any file");
        } else if (begins(line, size, "@@@ ")) {
            status = blame(&d, "is of a merge's combined diff, which is not unified");
        } else if (begins(line, size, "diff ")) {
            has_file = has_file || begins(line, size, "diff --git ");
            change = NULL;
        }
    }
    free(data);
    if (status == TOOL_OK && !has_file && !is_empty)
        status = tool_error("--diff %s: is no unified diff; git diff or diff -u makes one", path);
    return status;
}

/* ---- files ---- */

/* A pattern is of a name as reports show it, or of the whole one. */
static int matches(const char *const *patterns, const char *name) {
    const char *seen = tool_seen_from_here(name);
    return glob_any_matches(patterns, name, strlen(name)) ||
           glob_any_matches(patterns, seen, strlen(seen));
}

int chosen_name(const chosen *c, const char *name) {
    if (c->filter && !matches((const char *const *)c->filter, name)) return 0;
    return !c->exclude || !matches((const char *const *)c->exclude, name);
}

int chosen_file(const chosen *c, const char *name) {
    if (!c) return 1;
    return chosen_name(c, name) && (!c->diff || match_of(c, name) != NULL);
}

/* ---- markers ---- */

static int is_word(char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

/* Is that word the end of line[0..at)? */
static int ends_in(const char *line, size_t at, const char *word) {
    size_t size = strlen(word);
    return at >= size && memcmp(line + at - size, word, size) == 0 &&
           (at == size || !is_word(line[at - size - 1]));
}

static int is_next(const char *line, size_t size, const char *word) {
    return begins(line, size, word) && (size == strlen(word) || !is_word(line[strlen(word)]));
}

typedef struct blocks {
    uint8_t open;
    uint32_t opened_at[BRANCH_OUT + 1]; /* by what is left out */
} blocks;

/* The marks of one line. */
static uint8_t marks_of(const char *line, size_t size, uint32_t number, blocks *b) {
    static const struct {
        const char *word;
        uint8_t line, opens, closes;
    } words[] = {
        {"LINE", LINE_OUT, 0, 0},      {"START", 0, LINE_OUT, 0},      {"STOP", 0, 0, LINE_OUT},
        {"BR_LINE", BRANCH_OUT, 0, 0}, {"BR_START", 0, BRANCH_OUT, 0},
        {"BR_STOP", 0, 0, BRANCH_OUT},
    };
    uint8_t marks = 0;
    size_t i, k;
    for (i = 0; i + 6 <= size; i++) {
        if (line[i] != '_' || memcmp(line + i, "_EXCL_", 6) != 0) continue;
        if (!ends_in(line, i, "LCOV") && !ends_in(line, i, "GCOV") && !ends_in(line, i, "GCOVR"))
            continue;
        for (k = 0; k < sizeof words / sizeof *words; k++) {
            if (!is_next(line + i + 6, size - i - 6, words[k].word)) continue;
            marks |= words[k].line;
            if (words[k].opens & ~b->open) b->opened_at[words[k].opens] = number;
            b->open = (uint8_t)((b->open | words[k].opens) & ~words[k].closes);
        }
    }
    return marks | b->open;
}

static void read_source(chosen *c, chosen_source *s) {
    blocks b = {0, {0, 0, 0}};
    text all = {NULL, 0, 0};
    static char buffer[65536];          /* the stack may be small */
    size_t got, i, from = 0, room = 0;
    FILE *file;
    s->fault = sources_check(&c->door, s->name);
    if (s->fault) return;
    file = sources_open(&c->door, s->name);
    if (!file) {
        s->fault = "is not here";
        return;
    }
    while (all.size < SOURCE_MOST && (got = fread(buffer, 1, sizeof buffer, file)) > 0)
        text_bytes(&all, buffer, got);
    fclose(file);
    s->hash = hash_fnv(all.data, all.size, 0);
    for (i = 0; i <= all.size; i++) {
        if (i < all.size && all.data[i] != '\n') continue;
        if (s->lines + 2 > room) {
            room = 2 * room + 256;
            s->marks = (uint8_t *)tool_grow(s->marks, room);
        }
        s->lines++;
        s->marks[s->lines] = marks_of(all.data + from, i - from, s->lines, &b);
        from = i + 1;
    }
    if (b.open) s->open_at = b.opened_at[b.open & LINE_OUT ? LINE_OUT : BRANCH_OUT];
    text_free(&all);
}

static int is_source(const void *owner, uint32_t number, const void *key) {
    return strcmp(((const chosen *)owner)->sources[number - 1].name, (const char *)key) == 0;
}

const chosen_source *chosen_open(chosen *c, const char *name) {
    chosen_source *s;
    uint32_t *place;
    if (!c) return NULL;
    place = hash_place(&c->by_name, hash_string(name), is_source, c, name);
    if (*place) return &c->sources[*place - 1];
    if ((c->source_count & (c->source_count + 1)) == 0)
        c->sources = (chosen_source *)tool_grow(c->sources,
                                                (2 * c->source_count + 2) * sizeof *s);
    s = &c->sources[c->source_count++];
    *place = (uint32_t)c->source_count;
    memset(s, 0, sizeof *s);
    s->name = text_clean(name, strlen(name));
    read_source(c, s);
    if (c->diff) s->change = match_of(c, name);
    return s;
}

/* ---- lines ---- */

static int is_changed(const chosen_change *change, uint32_t line) {
    size_t low = 0, high = change ? change->count : 0;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (change->added[middle].last < line) low = middle + 1;
        else high = middle;
    }
    return change && low < change->count && change->added[low].first <= line;
}

static int is_marked(const chosen_source *s, uint32_t line, uint8_t as) {
    return s && line <= s->lines && s->marks && s->marks[line] & as;
}

int chosen_is_marked(const chosen_source *s, uint32_t line) { return is_marked(s, line, LINE_OUT); }

int chosen_line(const chosen *c, const chosen_source *s, uint32_t line) {
    if (is_marked(s, line, LINE_OUT)) return 0;
    return !c || !c->diff || is_changed(s ? s->change : NULL, line);
}

int chosen_branch(const chosen *c, const chosen_source *s, uint32_t line) {
    return chosen_line(c, s, line) && !is_marked(s, line, BRANCH_OUT);
}

/* ---- older texts ---- */

int chosen_is_older(chosen *c, uint64_t key, const char *file) {
    const chosen_source *s;
    if (!c || !c->compiled) return 0;
    s = chosen_open(c, file);
    return !s->fault && sourced_has(c->compiled, file, s->hash) &&
           sourced_differs(c->compiled, key, file, s->hash);
}

int chosen_is_changed(chosen *c, const char *file) {
    const chosen_source *s;
    if (!c || !c->compiled) return 0;
    s = chosen_open(c, file);
    return !s->fault && sourced_knows(c->compiled, file) &&
           !sourced_has(c->compiled, file, s->hash);
}
