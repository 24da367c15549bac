/* decisions.c - marks of runs become MC/DC, and the outcomes of branches. */
#include "report/model/decisions.h"
#include "base/json.h"
#include "base/tool.h"
#include "report/model/chosen.h"
#include <stdlib.h>
#include <string.h>

/* ---- marks ---- */

/* The marks of a function with decisions: a value for each; NULL: there are
   none. */
static const uint64_t *marks_of(const edges_all *counts, const edges_function *f,
                                const decisions_function *of, const counted **found) {
    edges_function all;
    if (of->slots != f->slots || of->first_mark + of->plain + of->marks > UINT32_MAX) return NULL;
    memset(&all, 0, sizeof all);
    all.key = f->key;
    all.bits = f->bits;
    all.first_slot = (uint32_t)of->first_mark;
    all.slots = of->plain + of->marks;
    *found = counts ? edges_find(counts, &all) : NULL;
    return *found ? (*found)->value + of->first_mark : NULL;
}

static uint64_t seen_runs(const decided *d, const uint64_t *mark) {
    uint64_t seen = 0;
    uint32_t r;
    for (r = 0; d->form == DECISION_PATHS && r < d->runs; r++) {
        if (mark[r]) seen |= (uint64_t)1 << r;
    }
    return seen;
}

/* The branches of a decision: the ways of its runs, and those that led into a
   condition which may not have come back. Behind these, what only one way leads
   to has run, too. */
static void take_branches(const decided *d, const uint64_t *mark, uint64_t *value) {
    mcdc_run runs[DECISION_RUNS_MOST];
    uint32_t from[DECISION_RUNS_MOST + 2], ways[DECISION_RUNS_MOST + 2], i, r;
    uint64_t seen = seen_runs(d, mark);
    int way;
    mcdc_runs(d, runs);
    memset(ways, 0, sizeof ways);
    for (i = 0; i < d->count; i++) {
        for (r = 0; r < d->runs; r++) {
            if (!(seen >> r & 1) || !(runs[r].evaluated >> i & 1)) continue;
            value[d->conditions[i].slot + !(runs[r].value >> i & 1)] = 1;
        }
        for (way = 0; way < 2; way++) {
            uint32_t arrival = decisions_arrival(d, i, way), to = decisions_target(d, i, way);
            if (arrival != UINT32_MAX && mark[arrival]) value[d->conditions[i].slot + !way] = 1;
            ways[to]++;
            from[to] = 2 * i + (uint32_t)way;
        }
    }
    for (i = d->count; i > 1; i--) {
        uint64_t *own = &value[d->conditions[i - 1].slot];
        if (ways[i - 1] != 1 || !(own[0] | own[1])) continue;
        value[d->conditions[from[i - 1] / 2].slot + !(from[i - 1] & 1)] = 1;
    }
}

uint64_t *decisions_values(const decisions_all *decisions, const edges_all *counts,
                         const edges_function *f, const counted **marks, int *is_one) {
    const decisions_unit *unit = NULL;
    const decisions_function *of = decisions_find(decisions, f->key, f->first_slot, &unit);
    const uint64_t *mark;
    uint64_t *value;
    uint8_t *is_told;
    uint32_t i, k = 0;
    size_t n;
    *is_one = of != NULL;
    mark = of ? marks_of(counts, f, of, marks) : NULL;
    if (!mark) return NULL;
    value = (uint64_t *)tool_alloc(((size_t)f->slots + 1) * sizeof *value);
    is_told = (uint8_t *)tool_alloc((size_t)f->slots + 1);
    memset(value, 0, ((size_t)f->slots + 1) * sizeof *value);
    memset(is_told, 0, (size_t)f->slots + 1);
    for (n = 0; n < of->count; n++) {
        const decided *d = &unit->decisions[of->first + n];
        if (d->form != DECISION_PATHS) continue;
        take_branches(d, mark + of->plain + d->first_mark, value);
        for (i = 0; i < d->count; i++)
            is_told[d->conditions[i].slot] = is_told[d->conditions[i].slot + 1] = 1;
    }
    for (i = 0; i < f->slots; i++) {
        if (!is_told[i] && k < of->plain) value[i] = mark[k++];
    }
    free(is_told);
    return value;
}

/* ---- gathering ---- */

static int compare_numbers(uint64_t a, uint64_t b) { return (a > b) - (a < b); }

/* 0: the same decision, in copies of one function, too. */
static int by_place(const void *a, const void *b) {
    const decisions_judged *x = (const decisions_judged *)a, *y = (const decisions_judged *)b;
    int order = strcmp(x->file, y->file);
    uint32_t i;
    if (!order) order = compare_numbers(x->d->line, y->d->line);
    if (!order) order = strcmp(x->function, y->function);
    if (!order) order = compare_numbers(x->number, y->number);
    if (!order) order = compare_numbers(x->d->form, y->d->form);
    if (!order) order = compare_numbers(x->d->count, y->d->count);
    if (!order) order = strcmp(x->d->text, y->d->text);
    for (i = 0; !order && i < x->d->count; i++) {
        const decisions_condition *c = &x->d->conditions[i], *e = &y->d->conditions[i];
        order = compare_numbers(c->way[0], e->way[0]);
        if (!order) order = compare_numbers(c->way[1], e->way[1]);
    }
    return order;
}

static void add_function(decisions_report *made, size_t *room, const edges_all *counts,
                         const edges_function *f, const decisions_unit *unit,
                         const decisions_function *of) {
    const counted *found = NULL;
    const uint64_t *mark = marks_of(counts, f, of, &found);
    size_t n;
    uint32_t i;
    for (n = 0; n < of->count; n++) {
        const decided *d = &unit->decisions[of->first + n];
        decisions_judged *s;
        TOOL_ROOM(decisions_judged, made->list, made->count, *room);
        s = &made->list[made->count++];
        memset(s, 0, sizeof *s);
        s->file = f->file;
        s->function = f->name;
        s->number = (uint32_t)n;
        s->d = d;
        if (!mark) continue; /* no run of its program */
        s->seen = seen_runs(d, mark + of->plain + d->first_mark);
        for (i = 0; d->form == DECISION_OUTCOMES && i < d->count; i++) {
            if (mark[of->plain + d->first_mark + 2 * i]) s->shown[1] |= (uint64_t)1 << i;
            if (mark[of->plain + d->first_mark + 2 * i + 1]) s->shown[0] |= (uint64_t)1 << i;
        }
    }
}

/* All that is known of the decision at hand: 32 KiB, hence made once. */
typedef struct desk {
    mcdc_run runs[DECISION_RUNS_MOST];
    mcdc_pairs pairs;
} desk;

static void lay_out(desk *on, const decisions_report *made, const decisions_judged *s) {
    if (s->d->form != DECISION_PATHS) return;
    mcdc_runs(s->d, on->runs);
    mcdc_pair_up(s->d, on->runs, made->is_unique, &on->pairs);
}

static void judge(decisions_report *made, decisions_judged *s, desk *on) {
    mcdc_shown shown;
    if (s->d->form > DECISION_OUTCOMES) {
        made->left_alone++;
        return;
    }
    s->possible = s->d->count < 64 ? ((uint64_t)1 << s->d->count) - 1 : UINT64_MAX;
    if (s->d->form == DECISION_PATHS) {
        lay_out(on, made, s);
        mcdc_show(s->d, on->runs, &on->pairs, s->seen, &shown);
        memcpy(s->shown, shown.shown, sizeof s->shown);
        s->possible = shown.possible;
    } else if (made->is_unique) {
        s->shown[0] = s->shown[1] = 0; /* these marks cannot tell */
    }
    made->outcomes += 2 * (size_t)s->d->count;
    made->outcomes_shown += mcdc_count_bits(s->shown[0]) + mcdc_count_bits(s->shown[1]);
}

/* Is its line one of which coverage speaks? */
static int is_wanted(chosen *c, const decisions_judged *s) {
    const chosen_source *source = chosen_open(c, s->file);
    return !c || !s->d->line || chosen_branch(c, source, s->d->line);
}

static void gather(decisions_report *made, const decisions_all *all, const edges_all *counts,
                   desk *on, chosen *c) {
    size_t i, kept = 0, room = 0;
    for (i = 0; counts && i < counts->function_count; i++) {
        const edges_function *f = &counts->functions[i];
        const decisions_unit *unit = NULL;
        const decisions_function *of = decisions_find(all, f->key, f->first_slot, &unit);
        if (of && f->slots && chosen_file(c, f->file) && !chosen_is_older(c, f->key, f->file))
            add_function(made, &room, counts, f, unit, of);
    }
    if (made->count) qsort(made->list, made->count, sizeof *made->list, by_place);
    for (i = 0; i < made->count; i++) {
        decisions_judged *s = &made->list[i];
        if (!is_wanted(c, s)) continue;
        if (kept && by_place(&made->list[kept - 1], s) == 0) {
            made->list[kept - 1].seen |= s->seen;
            made->list[kept - 1].shown[0] |= s->shown[0];
            made->list[kept - 1].shown[1] |= s->shown[1];
        } else {
            made->list[kept++] = *s;
        }
    }
    made->count = kept;
    for (i = 0; i < made->count; i++) judge(made, &made->list[i], on);
}

/* ---- words ---- */

static void add_condition(text *out, const decided *d, uint32_t i) {
    text_bytes(out, d->text + d->conditions[i].text_at, d->conditions[i].text_size);
}

static void add_run(text *out, const decided *d, const mcdc_run *run) {
    uint32_t i;
    int is_first = 1;
    for (i = 0; i < d->count; i++) {
        if (!(run->evaluated >> i & 1)) continue;
        text_add(out, is_first ? "" : " ");
        add_condition(out, d, i);
        text_add(out, run->value >> i & 1 ? "=T" : "=F");
        is_first = 0;
    }
}

enum { ANSWERS = 2, ANSWER_MOST = 160 };

static void add_answer(text *out, const decisions_judged *s, const desk *on, uint32_t run) {
    text words = {NULL, 0, 0};
    add_run(&words, s->d, &on->runs[run]);
    if (words.size > ANSWER_MOST) {
        words.size = ANSWER_MOST;
        text_add(&words, "...");
    }
    text_bytes(out, words.data, words.size);
    text_free(&words);
}

/* The runs that would show condition i, any of which will do. */
static void add_wanted(text *out, const decisions_judged *s, const desk *on, uint32_t i) {
    mcdc_wanted wanted[ANSWERS];
    uint32_t count, k;
    if (s->d->form != DECISION_PATHS) return;
    if (!(s->possible >> i & 1)) {
        text_add(out, "no run can");
        return;
    }
    count = mcdc_want(s->d, on->runs, &on->pairs, s->seen, i, wanted, ANSWERS);
    for (k = 0; k < count && out->size < ANSWER_MOST; k++) {
        text_add(out, k ? " or " : "");
        add_answer(out, s, on, wanted[k].run[1]);
        if (!wanted[k].both) continue;
        text_add(out, " with ");
        add_answer(out, s, on, wanted[k].run[0]);
    }
}

static const char *missing_word(const decisions_judged *s, uint32_t i) {
    int yes = s->shown[1] >> i & 1, no = s->shown[0] >> i & 1;
    if (!(s->possible >> i & 1)) return "never";
    return yes ? "false" : no ? "true" : "both";
}

static const char *keep_text(report *r, text *out) {
    char *clean;
    text_bytes(out, "", 1);
    clean = text_clean(out->data, out->size - 1);
    text_free(out);
    return report_keep(r, clean);
}

/* ---- facts and tables ---- */

static void add_facts(report *r, const decisions_report *made) {
    text value = {NULL, 0, 0};
    text_number(&value, made->outcomes_shown);
    text_add(&value, " of ");
    text_number(&value, made->outcomes);
    text_add(&value, " outcomes of conditions shown independent");
    report_add_fact(r, REPORT_PLAIN, made->is_unique ? "MC/DC (unique cause)" : "MC/DC (masking)",
                    keep_text(r, &value));
    if (made->left_alone) {
        text_number(&value, made->left_alone);
        report_add_fact(r, REPORT_BAD, "decisions left alone", keep_text(r, &value));
    }
}

static void add_decision_row(report_table *table, const decisions_judged *s) {
    report_cell *row = report_add_row(table);
    int is_judged = s->d->form <= DECISION_OUTCOMES;
    row[0].count = mcdc_count_bits(s->shown[0]) + mcdc_count_bits(s->shown[1]);
    row[1].count = is_judged ? 2 * (uint64_t)s->d->count : 0;
    row[2].count = mcdc_count_bits(s->seen);
    row[3].count = s->d->form == DECISION_PATHS ? s->d->runs : 0;
    row[4].count = s->d->line;
    row[5].name = tool_seen_from_here(s->file);
    row[6].name = s->d->text;
    row[7].name = s->function;
    row[8].name = decisions_reason(s->d->form);
}

static void add_condition_rows(report *r, report_table *table, const decisions_report *made,
                               const decisions_judged *s, desk *on) {
    uint64_t both = s->shown[0] & s->shown[1];
    int is_laid_out = 0;
    uint32_t k;
    for (k = 0; s->d->form <= DECISION_OUTCOMES && k < s->d->count; k++) {
        text words = {NULL, 0, 0};
        report_cell *row;
        if (both >> k & 1) continue;
        if (!is_laid_out) lay_out(on, made, s);
        is_laid_out = 1;
        row = report_add_row(table);
        row[0].count = s->d->line;
        row[1].name = tool_seen_from_here(s->file);
        add_condition(&words, s->d, k);
        row[2].name = keep_text(r, &words);
        row[3].name = missing_word(s, k);
        add_wanted(&words, s, on, k);
        row[4].name = keep_text(r, &words);
    }
}

static void fill(void *columns, report *r, const void *state, const input *in) {
    static const report_column decisions[] = {
        {"outcomes_shown", "shown", REPORT_COUNT, 0, NULL},
        {"outcomes", "outcomes", REPORT_COUNT, 0, NULL},
        {"runs_seen", "seen", REPORT_COUNT, 0, NULL},
        {"runs", "runs", REPORT_COUNT, 0, NULL},
        {"line", "line", REPORT_COUNT, 0, NULL},
        {"file", "file", REPORT_NAME, 0, NULL},
        {"decision", "decision", REPORT_NAME, 0, NULL},
        {"function", "function", REPORT_NAME, REPORT_HIDDEN, NULL},
        {"left_alone", "left_alone", REPORT_NAME, REPORT_HIDDEN, NULL},
    };
    static const report_column conditions[] = {
        {"line", "line", REPORT_COUNT, 0, NULL},
        {"file", "file", REPORT_NAME, 0, NULL},
        {"condition", "condition", REPORT_NAME, 0, NULL},
        {"not_shown", "not_shown", REPORT_NAME, 0, NULL},
        {"wanted", "wanted", REPORT_NAME, 0, NULL},
    };
    decisions_report *made = (decisions_report *)columns;
    desk *on = (desk *)tool_alloc(sizeof *on);
    report_table *table;
    size_t i;
    made->is_unique = r->options.wants_unique_cause;
    gather(made, (const decisions_all *)state, (const edges_all *)input_find(in, &kind_edges),
           on, r->options.chosen);
    add_facts(r, made);
    table = report_add_table(r, "decisions", "Decisions", decisions,
                             sizeof decisions / sizeof *decisions);
    report_remark(table, "Of each decision of two conditions or more: outcomes of conditions that "
                         "were shown independent, and runs that differ. Outcomes 0: left alone. "
                         "Conditions outside of && || ! ?: and of if, while, for are none.");
    table->rows_shown = 40;
    for (i = 0; i < made->count; i++) add_decision_row(table, &made->list[i]);
    table = report_add_table(r, "conditions", "Conditions not shown independent", conditions,
                             sizeof conditions / sizeof *conditions);
    report_remark(table, "Each wanted run would show the condition; T and F are values of conditions "
                         "in the order in which they are evaluated.");
    table->rows_shown = 40;
    for (i = 0; i < made->count; i++) add_condition_rows(r, table, made, &made->list[i], on);
    free(on);
}

/* ---- for programs and the page ---- */

static void add_flag(text *out, size_t *fields, const char *name, uint64_t set, uint32_t i) {
    json_name(out, fields, name);
    text_add(out, set >> i & 1 ? "true" : "false");
}

static void add_json(text *out, const decisions_report *made, const decisions_judged *s, desk *on) {
    size_t n = 0;
    uint32_t i, r, k = 0;
    lay_out(on, made, s);
    text_add(out, "{");
    json_field_string(out, &n, "file", tool_seen_from_here(s->file));
    json_field_string(out, &n, "function", s->function);
    json_field(out, &n, "line", s->d->line);
    json_field_string(out, &n, "text", s->d->text);
    json_field_string(out, &n, "form", s->d->form == DECISION_PATHS      ? "runs"
                                       : s->d->form == DECISION_OUTCOMES ? "outcomes"
                                                                         : "left alone");
    json_field_string(out, &n, "reason", decisions_reason(s->d->form));
    json_field(out, &n, "runs", s->d->form == DECISION_PATHS ? s->d->runs : 0);
    json_name(out, &n, "runs_seen");
    text_add(out, "[");
    for (r = 0; r < s->d->runs && r < DECISION_RUNS_MOST; r++) {
        if (!(s->seen >> r & 1)) continue;
        json_comma(out, k++);
        text_number(out, r);
    }
    text_add(out, "],\n\"conditions\":[");
    for (i = 0; i < s->d->count && s->d->form <= DECISION_OUTCOMES; i++) {
        text words = {NULL, 0, 0};
        char *clean;
        json_comma(out, i);
        text_add(out, "{");
        n = 0;
        add_condition(&words, s->d, i);
        clean = text_clean(words.data, words.size);
        json_field_string(out, &n, "text", clean);
        free(clean);
        add_flag(out, &n, "shown_true", s->shown[1], i);
        add_flag(out, &n, "shown_false", s->shown[0], i);
        words.size = 0;
        if (!(s->shown[0] & s->shown[1] & (uint64_t)1 << i)) add_wanted(&words, s, on, i);
        clean = text_clean(words.data, words.size);
        json_field_string(out, &n, "wanted", clean);
        free(clean);
        text_free(&words);
        text_add(out, "}");
    }
    text_add(out, "]}");
}

static void write_json(const void *columns, const report *r, text *out) {
    const decisions_report *made = (const decisions_report *)columns;
    desk *on = (desk *)tool_alloc(sizeof *on);
    size_t i, n = 0;
    text_add(out, "{");
    json_field_string(out, &n, "criterion", made->is_unique ? "unique cause" : "masking");
    json_field(out, &n, "outcomes", made->outcomes);
    json_field(out, &n, "outcomes_shown", made->outcomes_shown);
    text_add(out, ",\n\"decisions\":[");
    for (i = 0; i < made->count; i++) {
        json_comma(out, i);
        add_json(out, made, &made->list[i], on);
        save_some(r->out, out);
    }
    text_add(out, "]}");
    free(on);
}

static void free_columns(void *columns) { free(((decisions_report *)columns)->list); }

const report_section section_decisions = {
    &kind_decisions, "decisions", sizeof(decisions_report), fill, write_json, free_columns,
};

const decisions_report *decisions_in(const report *r) {
    size_t i;
    for (i = 0; i < r->part_count; i++) {
        if (r->parts[i].section == &section_decisions)
            return (const decisions_report *)r->parts[i].columns;
    }
    return NULL;
}

