/* plan.c - plans: written for `bursty cc`, and compared with an older one.

       bursty plan 1
       P unit name hash entry loops reason         sorted by bytes, no line twice
       O unit name hash entry loops reason         the same, of a graph behind the optimizer

   A plan replaces the old one by a rename, so that a make that runs at the same
   time never reads half of it; a plan that has not changed keeps its date. */
#ifndef _WIN32
#define _POSIX_C_SOURCE 200112L
#endif
#include "cc/place/place.h"
#include "base/save.h"
#include "base/tool.h"
#include <stdlib.h>
#include <string.h>
#ifndef _WIN32
#include <sys/stat.h>
#endif

static const char head[] = "bursty plan 1\n";

static void add_line(const graph *g, const placement *p, const graph_function *f, text *out) {
    uint32_t i;
    int any = 0;
    text_add(out, g->units[f->unit].by_plugin ? "O " : "P ");
    text_add(out, g->names[g->units[f->unit].name]);
    text_add(out, " ");
    text_add(out, g->names[f->name]);
    text_format(out, " %08lx%08lx %d ", (unsigned long)(f->hash >> 32),
                (unsigned long)(f->hash & 0xFFFFFFFFu), p->entry[f->node]);
    for (i = 0; i < f->loops; i++) {
        if (!p->loop[f->first_loop + i]) continue;
        if (any) text_add(out, ",");
        text_number(out, i);
        if (p->weight[f->first_loop + i])
            text_format(out, ":%lu:%lu", (unsigned long)p->weight[f->first_loop + i],
                        (unsigned long)p->budget);
        any = 1;
    }
    text_add(out, any ? " " : "- ");
    text_add(out, place_word(p->entry_why[f->node]));
    text_bytes(out, "", 1);
}

void plan_write(const graph *g, const placement *p, text *out) {
    const char **lines = (const char **)tool_alloc((g->function_count + 1) * sizeof *lines);
    size_t *start = (size_t *)tool_alloc((g->function_count + 1) * sizeof *start);
    size_t i, count = 0;
    text all = {NULL, 0, 0};
    for (i = 0; i < g->function_count; i++) {
        if (g->functions[i].flags & (GRAPH_LATE | GRAPH_OTHER_NAME)) continue;
        start[count++] = all.size;
        add_line(g, p, &g->functions[i], &all);
    }
    for (i = 0; i < count; i++) lines[i] = all.data + start[i];
    qsort(lines, count, sizeof *lines, tool_by_string);
    text_add(out, head);
    for (i = 0; i < count; i++) {
        if (i && strcmp(lines[i], lines[i - 1]) == 0) continue;
        text_add(out, lines[i]);
        text_add(out, "\n");
    }
    text_free(&all);
    free(start);
    free(lines);
}

static int is_there(const text *plan, const char *path) {
    FILE *file = fopen(path, "rb");
    size_t at = 0, got;
    char buffer[4096];
    int same = file != NULL;
    if (!file) return 0;
    while (same && (got = fread(buffer, 1, sizeof buffer, file)) > 0) {
        same = got <= plan->size - at && memcmp(plan->data + at, buffer, got) == 0;
        at += got;
    }
    fclose(file);
    return same && at == plan->size;
}

/* A device such as /dev/zero may have no end. */
static int is_file_or_none(const char *path) {
#ifndef _WIN32
    struct stat status;
    if (stat(path, &status) == 0 && !S_ISREG(status.st_mode)) return 0;
#endif
    return strcmp(path, "-") != 0;
}

int plan_check(const char *path) {
    char start[sizeof head - 1];
    FILE *file = is_file_or_none(path) ? fopen(path, "rb") : NULL;
    size_t got;
    if (!file) return TOOL_OK;
    got = fread(start, 1, sizeof start, file);
    fclose(file);
    if (got == 0 || (got == sizeof start && memcmp(start, head, sizeof start) == 0)) return TOOL_OK;
    return tool_error("%s: is no plan, and would be overwritten", path);
}

int plan_save(const text *plan, const char *path) {
    text copy = {NULL, 0, 0};
    int status;
    if (is_file_or_none(path) && is_there(plan, path)) return TOOL_OK;
    text_bytes(&copy, plan->data, plan->size);
    status = text_save(&copy, path, NULL, 0, 0);
    text_free(&copy);
    return status;
}

/* ---- two plans ----------------------------------------------------------------------------- */

typedef struct plan_line { const char *word[7]; size_t size[7]; } plan_line;
typedef struct plan_lines { plan_line *list; size_t count, room; } plan_lines;

/* Words of P, or O, unit name hash entry loops reason. */
static int split(plan_line *line, const char *at, const char *end) {
    int i;
    for (i = 0; i < 7; i++) {
        const char *blank = (const char *)memchr(at, ' ', (size_t)(end - at));
        line->word[i] = at;
        line->size[i] = (size_t)((blank ? blank : end) - at);
        if (line->size[i] == 0 || (i < 6) != (blank != NULL)) return -1;
        at = blank ? blank + 1 : end;
    }
    return line->size[0] == 1 && (*line->word[0] == 'P' || *line->word[0] == 'O') ? 0 : -1;
}

static int read_lines(plan_lines *lines, const char *data, size_t size, dump_fault *fault) {
    size_t at = sizeof head - 1;
    if (size < at || memcmp(data, head, at) != 0) return dump_refuse(fault, 0, "is no plan");
    while (at < size) {
        const char *end = (const char *)memchr(data + at, '\n', size - at);
        if (!end) return dump_refuse(fault, size, "the last line is cut off");
        TOOL_ROOM(plan_line, lines->list, lines->count, lines->room);
        if (split(&lines->list[lines->count], data + at, end) != 0)
            return dump_refuse(fault, at, "is no line of a plan");
        lines->count++;
        at = (size_t)(end - data) + 1;
    }
    return 0;
}

static int compare_words(const plan_line *a, const plan_line *b, int first, int last) {
    int i;
    for (i = first; i <= last; i++) {
        size_t least = a->size[i] < b->size[i] ? a->size[i] : b->size[i];
        int order = memcmp(a->word[i], b->word[i], least);
        if (order != 0) return order;
        if (a->size[i] != b->size[i]) return a->size[i] < b->size[i] ? -1 : 1;
    }
    return 0;
}

static int by_words(const void *a, const void *b) {
    return compare_words((const plan_line *)a, (const plan_line *)b, 0, 6);
}

static void put(const plan_line *line, int word, text *out) {
    text clean = {NULL, 0, 0};
    text_bytes(&clean, line->word[word], line->size[word]);
    text_bytes(&clean, "", 1);
    text_plain(out, clean.data);
    text_free(&clean);
}

static void put_change(const plan_line *old, const plan_line *new_line, text *out) {
    const plan_line *any = old ? old : new_line;
    int changed = 0, i;
    put(any, 1, out);
    text_add(out, " ");
    put(any, 2, out);
    text_add(out, ":");
    if (!old || !new_line) {
        text_add(out, old ? " gone; had entry " : " new; entry ");
        put(any, 4, out);
        text_add(out, ", loops ");
        put(any, 5, out);
        text_add(out, "\n");
        return;
    }
    for (i = 4; i <= 6; i++) {
        static const char *const names[] = {"entry", "loops", "reason"};
        if (compare_words(old, new_line, i, i) == 0) continue;
        text_format(out, "%s %s ", changed++ ? "," : "", names[i - 4]);
        put(old, i, out);
        text_add(out, " -> ");
        put(new_line, i, out);
    }
    text_add(out, changed ? "\n" : " changed text, same checks\n");
}

static void compare(const plan_lines *old, const plan_lines *fresh, text *out) {
    size_t i = 0, j = 0, changes = 0;
    while (i < old->count || j < fresh->count) {
        const plan_line *a = i < old->count ? &old->list[i] : NULL;
        const plan_line *b = j < fresh->count ? &fresh->list[j] : NULL;
        int order = !a ? 1 : !b ? -1 : compare_words(a, b, 1, 2);
        if (order == 0 && compare_words(a, b, 3, 6) == 0) {
            i++;
            j++;
            continue;
        }
        changes++;
        put_change(order <= 0 ? a : NULL, order >= 0 ? b : NULL, out);
        i += order <= 0;
        j += order >= 0;
    }
    if (!changes) text_add(out, "no difference\n");
}

int plan_compare(const graph *g, const placement *p, const char *path, text *out) {
    plan_lines old = {NULL, 0, 0}, fresh = {NULL, 0, 0};
    text plan = {NULL, 0, 0};
    dump_fault fault;
    size_t size;
    char *data = (char *)tool_read_file(path, head, &size);
    int status = TOOL_OK;
    if (!data) return TOOL_BAD_INPUT;
    plan_write(g, p, &plan);
    if (read_lines(&old, data, size, &fault) != 0) {
        status = dump_blame(path, &fault);
    } else if (read_lines(&fresh, plan.data, plan.size, &fault) == 0) {
        qsort(old.list, old.count, sizeof *old.list, by_words);
        qsort(fresh.list, fresh.count, sizeof *fresh.list, by_words);
        compare(&old, &fresh, out);
    }
    text_free(&plan);
    free(old.list);
    free(fresh.list);
    free(data);
    return status;
}
