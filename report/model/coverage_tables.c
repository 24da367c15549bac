/* coverage_tables.c - coverage in a report: facts, tables and what the page shows. */
#include "base/hash.h"
#include "base/json.h"
#include "base/source.h"
#include "base/tool.h"
#include "report/kinds/decisions.h"
#include "report/kinds/unmeasured.h"
#include "report/model/by_tests.h"
#include "report/model/chosen.h"
#include "report/model/coverage.h"
#include "report/model/failing.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- facts and tables ---- */

static double part(size_t some, size_t all) {
    return all ? (double)some / (double)all : REPORT_NONE;
}

static void add_fact(report *r, report_weight weight, const char *name, uint64_t number,
                     const char *words) {
    text value = {NULL, 0, 0};
    text_number(&value, number);
    text_add(&value, words);
    text_bytes(&value, "", 1);
    report_add_fact(r, weight, name, value.data);
    text_free(&value);
}

static void add_facts(report *r, const coverage_all *made) {
    if (made->wrapping_bits)
        add_fact(r, REPORT_PLAIN, "counters", made->wrapping_bits,
                 " bits: a run is exact modulo 2 to that power");
    if (made->has_marks)
        report_add_fact(r, REPORT_PLAIN, "coverage", "marks: 1 means at least once");
    if (made->refused_count > made->unmeasured_count)
        add_fact(r, REPORT_BAD, "functions that are refused",
                 made->refused_count - made->unmeasured_count,
                 ": their counts prove a fault, see the table");
    if (made->unmeasured_count > made->unmeasured_files)
        add_fact(r, REPORT_BAD, "functions that are not measured",
                 made->unmeasured_count - made->unmeasured_files,
                 ": they have no counters, and their lines stand with 0; see the table");
    if (made->unmeasured_files)
        add_fact(r, REPORT_BAD, "files that are not measured", made->unmeasured_files,
                 ": no total has their lines, for nobody knows which they are; see the table");
    if (made->marked_lines)
        add_fact(r, REPORT_PLAIN, "lines left out", made->marked_lines, ", by markers in sources");
    if (made->older)
        add_fact(r, REPORT_PLAIN, "functions of other texts of sources", made->older,
                 ": left out, for the dump has counts of the present text");
    if (made->without_counts)
        add_fact(r, REPORT_PLAIN, "functions that no program ran", made->without_counts,
                 ": no dump here has counts of their objects; they stand with 0");
    if (made->without_tables)
        add_fact(r, REPORT_BAD, "counts without a table", made->without_tables,
                 ": give the program that counted, or its objects, behind the dump");
    if (made->versions)
        add_fact(r, REPORT_BAD, "other versions of functions", made->versions,
                 ": counts of several builds are added up here; to see one, delete the dump and "
                 "run again");
    if (made->underivable)
        add_fact(r, REPORT_BAD, "functions whose counters are no plan", made->underivable, "");
}

/* Files that cannot be shown for one reason. */
typedef struct missing {
    const char *why, *first;
    size_t count;
} missing;

enum { REASONS = 8 }; /* more than sources_check has */

static void add_missing(missing list[REASONS], const coverage_file *f) {
    size_t i = 0;
    while (i < REASONS - 1 && list[i].why && list[i].why != f->source_fault) i++;
    if (!list[i].count++) {
        list[i].why = f->source_fault;
        list[i].first = f->name;
    }
}

/* "a.c and 3 more". */
static void add_some(text *to, const char *first, size_t count) {
    text_plain(to, tool_seen_from_here(first));
    if (count < 2) return;
    text_add(to, " and ");
    text_number(to, count - 1);
    text_add(to, " more");
}

/* "a.c and 3 more: is not here". */
static void add_reason(text *to, const missing *m) {
    add_some(to, m->first, m->count);
    text_add(to, ": ");
    text_add(to, m->why);
}

/* Which sources the page shows. Each reason why some are not shown is said
   once. */
static void check_sources(report *r, coverage_all *made) {
    missing list[REASONS];
    text all = {NULL, 0, 0};
    size_t i, count = 0;
    memset(list, 0, sizeof list);
    for (i = 0; i < made->count; i++) {
        coverage_file *f = &made->files[i];
        f->source_fault = sources_check(r->options.sources, f->name);
        if (!f->source_fault && chosen_is_changed(made->chosen, f->name))
            f->source_fault = "was changed after the program was compiled";
        if (!f->source_fault) continue;
        add_missing(list, f);
        count++;
    }
    if (!count) return;
    text_number(&all, count);
    text_add(&all, " of ");
    text_number(&all, made->count);
    for (i = 0; i < REASONS && list[i].count; i++) {
        text reason = {NULL, 0, 0};
        add_reason(&reason, &list[i]);
        text_add(&all, "; ");
        text_bytes(&all, reason.data, reason.size);
        tool_error("note: no text of lines: %.*s", (int)reason.size, reason.data);
        text_free(&reason);
    }
    text_bytes(&all, "", 1);
    report_add_fact(r, REPORT_PLAIN, "sources not shown", all.data);
    text_free(&all);
}

/* Sources whose markers nobody looked for, because they are not here. To be
   freed, or NULL. */
static char *unread_sources(const chosen *c) {
    const chosen_source *first = NULL;
    text words = {NULL, 0, 0};
    size_t count = 0, i;
    for (i = 0; c && i < c->source_count; i++) {
        if (!c->sources[i].fault) continue;
        if (!first) first = &c->sources[i];
        count++;
    }
    if (!first) return NULL;
    add_some(&words, first->name, count);
    text_add(&words, ": ");
    text_add(&words, first->fault);
    if (strcmp(first->fault, "is not here") == 0)
        text_add(&words, "; --map OLD=NEW says where sources are now");
    return text_take(&words);
}

/* Sources that are newer than what was compiled: lines of the report are those
   of an older text. To be freed, or NULL. */
static char *changed_sources(const coverage_all *made) {
    const char *first = NULL;
    text words = {NULL, 0, 0};
    size_t count = 0, i;
    for (i = 0; i < made->count; i++) {
        if (!chosen_is_changed(made->chosen, made->files[i].name)) continue;
        if (!first) first = made->files[i].name;
        count++;
    }
    if (!first) return NULL;
    add_some(&words, first, count);
    text_add(&words, count > 1 ? " were" : " was");
    text_add(&words, " changed after the program was compiled: lines are those of the older text");
    return text_take(&words);
}

/* What became of a change. */
enum { NO_SUCH_FILE, NO_CODE, NOT_MATCHED, FINE };

static int fate_of(const chosen *c, const chosen_change *change) {
    if (!sources_is_named(change->name) || !chosen_name(c, change->name) || !change->count)
        return FINE;
    if (!change->is_found) return change->may_be ? NOT_MATCHED : NO_SUCH_FILE;
    return change->has_code ? FINE : NO_CODE;
}

/* The changes of one fate, or NULL. */
static char *changes_of(const coverage_all *made, int fate) {
    const chosen *c = made ? made->chosen : NULL;
    const chosen_change *first = NULL;
    text words = {NULL, 0, 0};
    size_t count = 0, i;
    for (i = 0; c && i < c->change_count; i++) {
        if (fate_of(c, &c->changes[i]) != fate) continue;
        if (!first) first = &c->changes[i];
        count++;
    }
    if (!first) return NULL;
    add_some(&words, first->name, count);
    if (fate == NOT_MATCHED) {
        text_add(&words, " (as ");
        text_plain(&words, first->may_be);
        text_add(&words, "?)");
    }
    return text_take(&words);
}

char *coverage_uncovered(const coverage_all *made) { return changes_of(made, NO_SUCH_FILE); }
char *coverage_unmatched(const coverage_all *made) { return changes_of(made, NOT_MATCHED); }

static void add_change_facts(report *r, const coverage_all *made) {
    static const struct {
        int fate;
        report_weight weight;
        const char *words;
    } facts[] = {
        {NO_SUCH_FILE, REPORT_BAD, "changed, but without coverage"},
        {NOT_MATCHED, REPORT_BAD, "changed, but not matched to a file of the program"},
        {NO_CODE, REPORT_PLAIN, "changed, but no code on these lines"},
    };
    size_t i;
    for (i = 0; i < sizeof facts / sizeof *facts; i++) {
        char *words = changes_of(made, facts[i].fate);
        if (words) report_add_fact(r, facts[i].weight, facts[i].words, words);
        free(words);
    }
}

static void add_chosen_facts(report *r, const coverage_all *made) {
    const chosen *c = made->chosen;
    char *changed = changed_sources(made);
    char *unread = unread_sources(c);
    size_t i;
    if (unread) report_add_fact(r, REPORT_PLAIN, "sources without a look for markers", unread);
    free(unread);
    if (changed) report_add_fact(r, REPORT_BAD, "changed sources", changed);
    free(changed);
    for (i = 0; i < c->source_count; i++) {
        const chosen_source *s = &c->sources[i];
        if (s->open_at)
            tool_error("note: %s:%lu: a START of excluded lines has no STOP; all behind it is "
                       "left out", tool_seen_from_here(s->name), (unsigned long)s->open_at);
    }
    add_change_facts(r, made);
}

/* The folder of a file, to be freed. */
static char *folder_of(const char *name) {
    const char *slash = strrchr(name, '/');
    return slash && slash > name ? text_clean(name, (size_t)(slash - name)) : text_clean(".", 1);
}

typedef struct folder {
    char *name;
    coverage_totals totals;
} folder;

/* A log of CI should end. Where there are more files, those come first that miss
   the most lines. */
enum { FILES_SHOWN = 50, REFUSED_SHOWN = 30 };

static int by_missed(const void *a, const void *b) {
    const coverage_file *x = *(const coverage_file *const *)a;
    const coverage_file *y = *(const coverage_file *const *)b;
    size_t less = x->line_count - x->lines_hit, more = y->line_count - y->lines_hit;
    if (less != more) return less < more ? 1 : -1;
    return strcmp(x->name, y->name);
}

static int by_missed_in_folder(const void *a, const void *b) {
    const folder *x = (const folder *)a, *y = (const folder *)b;
    size_t less = x->totals.lines.all - x->totals.lines.hit;
    size_t more = y->totals.lines.all - y->totals.lines.hit;
    if (less != more) return less < more ? 1 : -1;
    return strcmp(x->name, y->name);
}

static int is_folder(const void *owner, uint32_t number, const void *key) {
    return strcmp(((const folder *)owner)[number - 1].name, (const char *)key) == 0;
}

static void add_totals(report_table *table, const char *name, const coverage_totals *t) {
    report_cell *row = report_add_row(table);
    row[0].name = name;
    row[1].real = part(t->lines.hit, t->lines.all);
    row[2].count = t->lines.hit;
    row[3].count = t->lines.all;
    row[4].real = part(t->branches.hit, t->branches.all);
    row[5].count = t->branches.hit;
    row[6].count = t->branches.all;
    row[7].count = t->functions.hit;
    row[8].count = t->functions.all;
}

/* Totals of each folder, in the order of their first files, and of all. */
static void add_folders(report *r, const coverage_all *made, const report_column *columns,
                        size_t count) {
    report_table *table = report_add_table(r, "folders", "Coverage by folders", columns, count);
    folder *list = (folder *)tool_alloc((made->count + 1) * sizeof *list);
    coverage_totals all = coverage_sum(made);
    hash_table by_name;
    uint32_t folders = 0, k;
    size_t i;
    memset(&by_name, 0, sizeof by_name);
    for (i = 0; i < made->count; i++) {
        char *name = folder_of(tool_seen_from_here(made->files[i].name));
        uint32_t *place = hash_place(&by_name, hash_string(name), is_folder, list, name);
        if (*place) free(name);
        else {
            *place = ++folders;
            list[folders - 1].name = name;
            memset(&list[folders - 1].totals, 0, sizeof list->totals);
        }
        coverage_add(&list[*place - 1].totals, &made->files[i]);
    }
    if (folders > FILES_SHOWN) {
        qsort(list, folders, sizeof *list, by_missed_in_folder);
        add_totals(table, "(all)", &all);
        table->rows_shown = FILES_SHOWN + 1;
    }
    for (k = 0; k < folders; k++) add_totals(table, report_keep(r, list[k].name), &list[k].totals);
    if (folders <= FILES_SHOWN) add_totals(table, "(all)", &all);
    hash_free(&by_name);
    free(list);
}

static void add_files(report *r, const coverage_all *made, const report_column *columns,
                      size_t count) {
    report_table *table = report_add_table(r, "files", "Coverage", columns, count);
    const coverage_file **list =
        (const coverage_file **)tool_alloc((made->count + 1) * sizeof *list);
    size_t i;
    for (i = 0; i < made->count; i++) list[i] = &made->files[i];
    if (made->count > FILES_SHOWN)
        qsort((void *)list, made->count, sizeof *list, by_missed);
    table->rows_shown = FILES_SHOWN;
    for (i = 0; i < made->count; i++) {
        coverage_totals t;
        memset(&t, 0, sizeof t);
        coverage_add(&t, list[i]);
        add_totals(table, tool_seen_from_here(list[i]->name), &t);
    }
    free((void *)list);
}

static const char *why(report *r, const coverage_refusal *one) {
    text words = {NULL, 0, 0};
    if (!one->is_unmeasured) return one->reason;
    text_add(&words, "not measured: ");
    text_add(&words, one->reason);
    return report_keep(r, text_take(&words));
}

static void fill(void *columns, report *r, const void *state, const input *in) {
    static const report_column folders[] = {
        {"folder", "folder", REPORT_NAME, 0, NULL},
        {"line_share", "lines%", REPORT_SHARE, 0, "-"},
        {"lines_hit", "hit", REPORT_COUNT, 0, NULL},
        {"lines", "lines", REPORT_COUNT, 0, NULL},
        {"branch_share", "branches%", REPORT_SHARE, 0, "-"},
        {"branches_hit", "taken", REPORT_COUNT, 0, NULL},
        {"branches", "branches", REPORT_COUNT, 0, NULL},
        {"functions_hit", "called", REPORT_COUNT, REPORT_OPTIONAL, NULL},
        {"functions", "functions", REPORT_COUNT, REPORT_OPTIONAL, NULL},
    };
    static const report_column files[] = {
        {"file", "file", REPORT_NAME, 0, NULL},
        {"line_share", "lines%", REPORT_SHARE, 0, "-"},
        {"lines_hit", "hit", REPORT_COUNT, 0, NULL},
        {"lines", "lines", REPORT_COUNT, 0, NULL},
        {"branch_share", "branches%", REPORT_SHARE, 0, "-"},
        {"branches_hit", "taken", REPORT_COUNT, 0, NULL},
        {"branches", "branches", REPORT_COUNT, 0, NULL},
        {"functions_hit", "called", REPORT_COUNT, REPORT_OPTIONAL, NULL},
        {"functions", "functions", REPORT_COUNT, REPORT_OPTIONAL, NULL},
    };
    static const report_column functions[] = {
        {"function", "function", REPORT_NAME, 0, NULL},
        {"entries", "entries", REPORT_COUNT, 0, NULL},
        {"file", "file", REPORT_NAME, 0, NULL},
        {"line", "line", REPORT_COUNT, 0, NULL},
    };
    static const report_column refused[] = {
        {"function", "function", REPORT_NAME, 0, NULL},
        {"file", "file", REPORT_NAME, 0, NULL},
        {"line", "line", REPORT_COUNT, 0, NULL},
        {"reason", "why its counts are not shown", REPORT_NAME, 0, NULL},
    };
    coverage_all *made = (coverage_all *)columns;
    report_table *table;
    report_cell *row;
    size_t i, k;
    made->decisions = (const decisions_all *)input_find(in, &kind_decisions);
    if (!r->options.wants_measured)
        made->unmeasured = (const unmeasured_all *)input_find(in, &kind_unmeasured);
    made->chosen = r->options.chosen;
    made->counts = (const edges_all *)state;
    coverage_gather(made, made->counts);
    add_facts(r, made);
    if (made->chosen) add_chosen_facts(r, made);
    if (r->options.sources) check_sources(r, made);
    failing_table(r, made);
    by_tests_tables(r, made);
    add_folders(r, made, folders, sizeof folders / sizeof *folders);
    add_files(r, made, files, sizeof files / sizeof *files);
    table = report_add_table(r, "entries", "How often functions were entered", functions,
                             sizeof functions / sizeof *functions);
    table->rows_shown = 30;
    for (i = 0; i < made->count; i++)
        for (k = 0; k < made->files[i].function_count; k++) {
            if (made->files[i].functions[k].is_unmeasured) continue;
            row = report_add_row(table);
            row[0].name = made->files[i].functions[k].name;
            row[1].count = made->files[i].functions[k].entries;
            row[2].name = tool_seen_from_here(made->files[i].name);
            row[3].count = made->files[i].functions[k].line;
        }
    if (made->refused_count) {
        table = report_add_table(r, "refused", "Functions without a count", refused,
                                 sizeof refused / sizeof *refused);
        table->rows_shown = REFUSED_SHOWN;
        for (i = 0; i < made->refused_count; i++) {
            row = report_add_row(table);
            row[0].name = *made->refused[i].name ? made->refused[i].name : "(all of the file)";
            row[1].name = tool_seen_from_here(made->refused[i].file);
            row[2].count = made->refused[i].line;
            row[3].name = why(r, &made->refused[i]);
        }
    }
}

/* ---- for the page ---- */

/* The lines of a source that may be shown. */
static void add_source(text *out, const report *r, const coverage_file *f) {
    const sources *door = r->options.sources;
    FILE *file = door && !f->source_fault ? sources_open(door, f->name) : NULL;
    text line = {NULL, 0, 0};
    size_t n = 0, taken = 0;
    int c = 0;
    text_add(out, "[");
    while (file && c != EOF) {
        char *clean;
        c = taken++ < SOURCE_MOST ? getc(file) : EOF;
        if (c != EOF && c != '\n') {
            char byte = (char)c;
            if (c != '\r') text_bytes(&line, &byte, 1);
            continue;
        }
        if (c == EOF && line.size == 0) break;
        clean = text_clean(line.data, line.size);
        json_comma(out, n++);
        text_json(out, clean);
        free(clean);
        line.size = 0;
        save_some(r->out, out);
    }
    if (file) fclose(file);
    text_free(&line);
    text_add(out, "]");
}

/* "failing": {"failed": 5, "passed": 7, "rows": [[file, line, last, failing,
   passing, Ochiai, chance, sure], ...]}: lines, the most suspect ones first. */
static void add_suspects(text *out, const coverage_all *made) {
    size_t i, n = 0;
    if (!made->suspects) return;
    text_format(out, ",\n\"failing\":{\"failed\":%lu,\"passed\":%lu,\"rows\":[",
                (unsigned long)made->tests_failed, (unsigned long)made->tests_passed);
    for (i = 0; i < made->suspect_count; i++) {
        const coverage_suspect *s = &made->suspects[i];
        if (*s->what != 'l') continue;
        json_comma(out, n++);
        text_format(out, "[%lu,%lu,%lu,%lu,%lu,%.4f,%.3g,%s]",
                    (unsigned long)(s->file - made->files), (unsigned long)s->line,
                    (unsigned long)s->last, (unsigned long)s->failing, (unsigned long)s->passing,
                    s->ochiai, s->chance, s->is_sure ? "true" : "false");
    }
    text_add(out, "]}");
}

static void write_json(const void *columns, const report *r, text *out) {
    const coverage_all *made = (const coverage_all *)columns;
    size_t i, k, n;
    text_add(out, "{\"wrapping_bits\":");
    text_number(out, made->wrapping_bits);
    text_add(out,
             made->has_marks ? ",\"marks\":true,\n\"files\":[" : ",\"marks\":false,\n\"files\":[");
    for (i = 0; i < made->count; i++) {
        const coverage_file *f = &made->files[i];
        json_comma(out, i);
        text_add(out, "{");
        n = 0;
        json_field_string(out, &n, "name", tool_seen_from_here(f->name));
        text_add(out, ",\n\"functions\":[");
        for (k = 0; k < f->function_count; k++) {
            size_t fields = 0;
            json_comma(out, k);
            text_add(out, "{");
            json_field_string(out, &fields, "name", f->functions[k].name);
            json_field(out, &fields, "line", f->functions[k].line);
            json_field(out, &fields, "entries", f->functions[k].entries);
            if (f->functions[k].is_unmeasured) json_field(out, &fields, "unmeasured", 1);
            text_add(out, "}");
        }
        text_add(out, "],\n\"lines\":["); /* [number, count] */
        for (k = 0; k < f->line_count; k++) {
            text_add(out, k ? ",[" : "[");
            text_number(out, f->lines[k].line);
            text_add(out, ",");
            json_count(out, f->lines[k].count);
            text_add(out, "]");
        }
        text_add(out, "],\n\"unmeasured\":["); /* lines that stand above with 0 */
        for (k = n = 0; k < f->line_count; k++) {
            if (!f->lines[k].is_unmeasured || f->lines[k].count) continue;
            if (n++) text_add(out, ",");
            text_number(out, f->lines[k].line);
        }
        text_add(out, "],\n\"branches\":["); /* [line, block, count] */
        for (k = 0; k < f->branch_count; k++) {
            text_add(out, k ? ",[" : "[");
            text_number(out, f->branches[k].line);
            text_add(out, ",");
            text_number(out, f->branches[k].block);
            text_add(out, ",");
            json_count(out, f->branches[k].count);
            text_add(out, "]");
        }
        text_add(out, "],\n\"source_fault\":");
        text_json(out, f->source_fault ? f->source_fault : "");
        text_add(out, ",\n\"source\":");
        add_source(out, r, f);
        text_add(out, "}");
    }
    text_add(out, "]");
    add_suspects(out, made);
    text_add(out, "}");
}

void coverage_say_refused(const coverage_all *made) {
    char *unread = made ? unread_sources(made->chosen) : NULL;
    char *changed = made && made->chosen ? changed_sources(made) : NULL;
    size_t i;
    if (changed) tool_error("note: %s", changed);
    free(changed);
    if (unread) tool_error("note: no look for markers of excluded lines: %s", unread);
    free(unread);
    for (i = 0; made && i < made->refused_count; i++) {
        const coverage_refusal *f = &made->refused[i];
        if (!f->is_unmeasured)
            tool_error("note: %s:%lu: %s is left out: %s", f->file, (unsigned long)f->line,
                       f->name, f->reason);
        else if (f->line)
            tool_error("note: %s:%lu: %s is not measured, and its lines stand with 0: %s", f->file,
                       (unsigned long)f->line, f->name, f->reason);
        else
            tool_error("note: %s: nothing of it is measured: %s", f->file, f->reason);
    }
}

const report_section section_edges = {
    &kind_edges, "edges", sizeof(coverage_all), fill, write_json, coverage_free_columns,
};

const coverage_all *coverage_in(const report *r) {
    size_t i;
    for (i = 0; i < r->part_count; i++)
        if (r->parts[i].section == &section_edges) return (const coverage_all *)r->parts[i].columns;
    return NULL;
}

int coverage_is_there(const report *r) {
    const coverage_all *all = coverage_in(r);
    return all && all->count;
}
