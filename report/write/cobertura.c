/* cobertura.c - coverage as Cobertura's XML (coverage-04.dtd), which many build
   servers read. A file is a class of the package of its folder, whose name has
   dots as those of Java have. Names of files are from the folder that stands as
   the source: that of --source-root, or the current one. The time is that of the newest dump, or what SOURCE_DATE_EPOCH
   says: the same dump gives the same bytes. */
#include "base/tool.h"
#include "report/model/chosen.h"
#include "report/model/coverage.h"
#include <stdlib.h>
#include <string.h>

/* The folder of sources, and a name from there on. */
static const char *root_of(const coverage_all *all) {
    return all->chosen && all->chosen->door.root ? all->chosen->door.root : tool_here();
}

static const char *seen_from(const coverage_all *all, const char *name) {
    const char *root = root_of(all);
    size_t size = strlen(root);
    if (size > 1 && strncmp(name, root, size) == 0 && name[size] == '/') return name + size + 1;
    return tool_seen_from_here(name);
}

/* Text of an attribute. XML 1.0 cannot hold control characters at all. */
static void add_name(text *out, const char *name, size_t size) {
    size_t i;
    for (i = 0; i < size; i++) {
        char c = name[i];
        if ((unsigned char)c < 32)
            text_add(out, "?");
        else if (c == '&')
            text_add(out, "&amp;");
        else if (c == '<')
            text_add(out, "&lt;");
        else if (c == '>')
            text_add(out, "&gt;");
        else if (c == '"')
            text_add(out, "&quot;");
        else
            text_bytes(out, &c, 1);
    }
}

/* What holds nothing to be covered is not covered. */
static void add_rate(text *out, const char *name, size_t some, size_t all) {
    text_format(out, " %s=\"%.4f\"", name, all ? (double)some / (double)all : 0.0);
}

static void add_rates(text *out, size_t lines_hit, size_t lines, size_t branches_hit,
                      size_t branches) {
    add_rate(out, "line-rate", lines_hit, lines);
    add_rate(out, "branch-rate", branches_hit, branches);
    text_add(out, " complexity=\"0\"");
}

typedef struct ways {
    uint64_t some, all;
} ways;

static void add_line(text *out, uint32_t line, uint64_t hits, ways w) {
    text_add(out, "<line number=\"");
    text_number(out, line);
    text_add(out, "\" hits=\"");
    text_number(out, hits);
    if (w.all == 0) {
        text_add(out, "\" branch=\"false\"/>\n");
        return;
    }
    text_format(out, "\" branch=\"true\" condition-coverage=\"%d%% (", (int)(100 * w.some / w.all));
    text_number(out, w.some);
    text_add(out, "/");
    text_number(out, w.all);
    text_format(out,
                ")\"><conditions><condition number=\"0\" type=\"jump\" "
                "coverage=\"%d%%\"/></conditions></line>\n",
                (int)(100 * w.some / w.all));
}

/* Where a line stands in the file's list. */
static size_t place_of(const coverage_file *f, uint32_t line) {
    size_t low = 0, high = f->line_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (f->lines[middle].line < line)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void add_methods(text *out, const coverage_file *f) {
    size_t i, k, hit;
    text_add(out, "<methods>\n");
    for (i = 0; i < f->function_count; i++) {
        const coverage_function *function = &f->functions[i];
        ways none = {0, 0};
        for (k = hit = 0; k < function->branch_count; k++)
            hit += f->branches[function->first_branch + k].count != 0;
        text_add(out, "<method name=\"");
        add_name(out, function->name, strlen(function->name));
        text_add(out, "\" signature=\"\"");
        add_rates(out, function->entries != 0, 1, hit, function->branch_count);
        text_add(out, "><lines>");
        if (function->line) add_line(out, function->line, function->entries, none);
        text_add(out, "</lines></method>\n");
    }
    text_add(out, "</methods>\n");
}

static void add_class(text *out, const coverage_file *f, const char *name, const char *base) {
    text some = {NULL, 0, 0};
    ways *of_line;
    size_t i;
    for (i = 0; i <= f->line_count; i++) {
        ways none = {0, 0};
        text_bytes(&some, &none, sizeof none);
    }
    of_line = (ways *)(void *)some.data;
    for (i = 0; i < f->branch_count; i++) {
        ways *w = &of_line[place_of(f, f->branches[i].line)];
        w->all++;
        w->some += f->branches[i].count != 0;
    }
    text_add(out, "<class name=\"");
    add_name(out, base, strlen(base));
    text_add(out, "\" filename=\"");
    add_name(out, name, strlen(name));
    text_add(out, "\"");
    add_rates(out, f->lines_hit, f->line_count, f->branches_hit, f->branch_count);
    text_add(out, ">\n");
    add_methods(out, f);
    text_add(out, "<lines>\n");
    for (i = 0; i < f->line_count; i++)
        add_line(out, f->lines[i].line, f->lines[i].count, of_line[i]);
    text_add(out, "</lines>\n</class>\n");
    text_free(&some);
}

/* "src/base" as "src.base". */
static void add_package(text *out, const char *name, size_t size) {
    size_t i;
    while (size > 1 && *name == '/') {
        name++;
        size--;
    }
    for (i = 0; i < size; i++) add_name(out, name[i] == '/' ? "." : name + i, 1);
}

static size_t folder_of(const char *name) {
    const char *slash = strrchr(name, '/');
    return slash ? (size_t)(slash - name) : 0;
}

/* The package of file number `first`, with all files of its folder that are not
   done. Files of a folder inside of it may stand between them. */
static void add_folder(text *out, const coverage_all *all, size_t first, uint8_t *is_done) {
    const char *name = seen_from(all, all->files[first].name);
    size_t folder = folder_of(name), i;
    coverage_totals t;
    if (is_done[first]) return;
    memset(&t, 0, sizeof t);
    for (i = first; i < all->count; i++) {
        const char *other = seen_from(all, all->files[i].name);
        if (folder_of(other) != folder || strncmp(other, name, folder) != 0) continue;
        is_done[i] = 2;
        coverage_add(&t, &all->files[i]);
    }
    text_add(out, "<package name=\"");
    add_package(out, folder ? name : ".", folder ? folder : 1);
    text_add(out, "\"");
    add_rates(out, t.lines.hit, t.lines.all, t.branches.hit, t.branches.all);
    text_add(out, ">\n<classes>\n");
    for (i = first; i < all->count; i++) {
        const char *slash = strrchr(all->files[i].name, '/');
        if (is_done[i] != 2) continue;
        is_done[i] = 1;
        add_class(out, &all->files[i], seen_from(all, all->files[i].name),
                  slash ? slash + 1 : all->files[i].name);
    }
    text_add(out, "</classes>\n</package>\n");
}

/* In seconds since 1970. */
static uint64_t time_of(const report *r) {
    const char *fixed = getenv("SOURCE_DATE_EPOCH");
    return fixed && *fixed >= '0' && *fixed <= '9' ? strtoull(fixed, NULL, 10) : r->made_at;
}

static void write_cobertura(const report *r, text *out) {
    const char *here;
    uint8_t *is_done;
    static const coverage_all none;
    const coverage_all *all = coverage_in(r) ? coverage_in(r) : &none;
    coverage_totals t = coverage_sum(all);
    size_t i;
    coverage_say_refused(all);
    text_add(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                  "<!DOCTYPE coverage SYSTEM "
                  "\"http://cobertura.sourceforge.net/xml/coverage-04.dtd\">\n<coverage");
    add_rate(out, "line-rate", t.lines.hit, t.lines.all);
    add_rate(out, "branch-rate", t.branches.hit, t.branches.all);
    text_add(out, " lines-covered=\"");
    text_number(out, t.lines.hit);
    text_add(out, "\" lines-valid=\"");
    text_number(out, t.lines.all);
    text_add(out, "\" branches-covered=\"");
    text_number(out, t.branches.hit);
    text_add(out, "\" branches-valid=\"");
    text_number(out, t.branches.all);
    text_add(out, "\" complexity=\"0\" version=\"bursty " TOOL_VERSION "\" timestamp=\"");
    text_number(out, 1000 * time_of(r));
    text_add(out, "\">\n<sources><source>");
    here = root_of(all);
    add_name(out, here, strlen(here));
    text_add(out, "</source></sources>\n<packages>\n");
    is_done = (uint8_t *)tool_alloc(all->count + 1);
    for (i = 0; i < all->count; i++) add_folder(out, all, i, is_done);
    free(is_done);
    text_add(out, "</packages>\n</coverage>\n");
}

const report_writer writer_cobertura = {
    "cobertura",
    "coverage as XML for build servers (edgeprof.h)",
    REPORT_USES_CAUSE | REPORT_USES_SOURCES,
    0,
    write_cobertura,
    coverage_is_there,
    NULL,
};
