/* lcov.c - coverage as LCOV's tracefile, for genhtml and many services. LCOV 2 refuses what
   contradicts itself; the model has seen to that. Branches of a block that did not run are "-". */
#include "model/edges.h"

static void add_name(text *out, const char *name) {
    for (; *name; name++) {
        char c = (unsigned char)*name < 32 ? '?' : *name;
        text_bytes(out, &c, 1);
    }
}

static void add_row(text *out, const char *what, uint64_t number) {
    text_add(out, what);
    text_number(out, number);
}

static void add_total(text *out, const char *what, uint64_t number) {
    add_row(out, what, number);
    text_add(out, "\n");
}

static void add_functions(text *out, const covered_file *f) {
    size_t i;
    for (i = 0; i < f->function_count; i++) {
        add_row(out, "FN:", f->functions[i].line ? f->functions[i].line : 1);
        text_add(out, ",");
        add_name(out, f->functions[i].name);
        text_add(out, "\n");
    }
    for (i = 0; i < f->function_count; i++) {
        add_row(out, "FNDA:", f->functions[i].entries);
        text_add(out, ",");
        add_name(out, f->functions[i].name);
        text_add(out, "\n");
    }
    add_total(out, "FNF:", f->function_count);
    add_total(out, "FNH:", f->functions_hit);
}

static void add_branches(text *out, const covered_file *f) {
    size_t i;
    for (i = 0; i < f->branch_count; i++) {
        const covered_branch *b = &f->branches[i];
        add_row(out, "BRDA:", b->line);
        add_row(out, ",", b->block);
        add_row(out, ",", b->way);
        if (b->is_reached)
            add_row(out, ",", b->count);
        else
            text_add(out, ",-");
        text_add(out, "\n");
    }
    add_total(out, "BRF:", f->branch_count);
    add_total(out, "BRH:", f->branches_hit);
}

static void write_lcov(const report *r, text *out) {
    const covered_all *all = covered_in(r);
    size_t i, k;
    for (i = 0; all && i < all->count; i++) {
        const covered_file *f = &all->files[i];
        text_add(out, "TN:\nSF:");
        add_name(out, f->name);
        text_add(out, "\n");
        add_functions(out, f);
        add_branches(out, f);
        for (k = 0; k < f->line_count; k++) {
            add_row(out, "DA:", f->lines[k].line);
            add_total(out, ",", f->lines[k].count);
        }
        add_total(out, "LF:", f->line_count);
        add_total(out, "LH:", f->lines_hit);
        text_add(out, "end_of_record\n");
    }
}

static int has_coverage(const report *r) {
    const covered_all *all = covered_in(r);
    return all && all->count;
}

const report_writer writer_lcov = {"lcov", "coverage for genhtml and others (edgeprof.h)", 0,
                                   write_lcov, has_coverage};
