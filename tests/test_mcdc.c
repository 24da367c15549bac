/* test_mcdc.c - the decisions that `bursty cc --cover=mcdc` finds, the numbers
   of their runs, and MC/DC from these, beside a truth table that tries
   everything. */
#include "test.h"
#include "mcdc_random.inc"
#include "cc/put/rewrite.h"
#include "report/model/mcdc.h"

static int plain_leaf(int condition, char *out) { return sprintf(out, "v[%d]", condition); }

/* The part that the rewritten text carries, out of its string literal. */
static size_t part_in(const text *out, unsigned char *bytes, size_t room) {
    static const char name[] = "bursty_cc_part[";
    size_t i, size = 0;
    for (i = 0; i + sizeof name < out->size; i++) {
        if (memcmp(out->data + i, name, sizeof name - 1) == 0) break;
    }
    while (i < out->size && out->data[i] != '"') i++;
    for (; i < out->size && out->data[i] != ';' && size < room; i++) {
        if (out->data[i] != '"') continue;
        for (i++; i < out->size && out->data[i] != '"' && size < room; i++) {
            unsigned c = (unsigned char)out->data[i];
            if (c == '\\') {
                c = (unsigned)(out->data[i + 1] - '0') * 64 +
                    (unsigned)(out->data[i + 2] - '0') * 8 + (unsigned)(out->data[i + 3] - '0');
                i += 3;
            }
            bytes[size++] = (unsigned char)c;
        }
    }
    return size;
}

/* Rewrites a source and takes its decisions back out of what the object would
   carry. */
static int decisions_of(const char *source, decisions_all *all, cc_result *result) {
    static unsigned char bytes[400000];
    cc_request request;
    dump d;
    dump_fault fault;
    size_t size, i;
    int found = 0;
    memset(&request, 0, sizeof request);
    memset(all, 0, sizeof *all);
    request.file = "x.c";
    request.cover = 8;
    request.mcdc = 1;
    request.unit = 7;
    if (cc_rewrite(source, strlen(source), &request, result) != 0) return -1;
    size = part_in(&result->out, bytes, sizeof bytes);
    if (dump_read(&d, bytes, size, &fault) != 0) return -1;
    for (i = 0; i < d.part_count; i++) {
        if (d.parts[i].kind != kind_decisions.number) continue;
        found = kind_decisions.read(all, &d, &d.parts[i], &fault) == 0;
    }
    dump_free(&d);
    return found ? 0 : -1;
}

/* The number of the run for these values of the tree's leaves, and its
   outcome. */
static uint32_t run_of(const decided *d, const int *leaf_of, uint32_t values, int *outcome) {
    uint32_t paths[DECISION_RUNS_MOST + 2], i = 0, number = 0;
    decisions_paths(d, paths);
    while (i < d->count) {
        uint32_t yes = decisions_target(d, i, 1);
        if (values >> leaf_of[i] & 1) {
            i = yes;
        } else {
            number += paths[yes];
            i = decisions_target(d, i, 0);
        }
    }
    *outcome = i == d->count + 1;
    return number;
}

/* Random runs of a decision: MC/DC from the marks of runs equals the truth
   table's. */
static void compare(const tree *t, const decided *d) {
    int leaf_of[CONDITIONS_MOST], i, n = 0, count = 1 + (int)random_below(12), unique;
    uint32_t reached = tree_reached(t), negated = tree_negated(t);
    mcdc_run runs[DECISION_RUNS_MOST];
    static mcdc_pairs pairs;
    true_run truth[12];
    uint64_t seen = 0;
    mcdc_shown shown;
    for (i = 0; i < t->conditions; i++) {
        if (reached >> i & 1) leaf_of[n++] = i;
    }
    CHECK_EQ(d->count, n);
    CHECK_EQ(mcdc_runs(d, runs), d->runs);
    for (i = 0; i < count; i++) {
        uint32_t values = random_below(UINT32_C(1) << t->conditions), number;
        int outcome, k;
        truth[i] = tree_run(t, values);
        number = run_of(d, leaf_of, values ^ negated, &outcome);
        CHECK(number < d->runs);
        CHECK_EQ(outcome, truth[i].outcome);
        CHECK_EQ(runs[number].outcome, outcome);
        for (k = 0; k < n; k++) {
            CHECK_EQ(runs[number].evaluated >> k & 1, truth[i].evaluated >> leaf_of[k] & 1);
            CHECK_EQ(runs[number].independent >> k & 1, truth[i].independent >> leaf_of[k] & 1);
            if (truth[i].evaluated >> leaf_of[k] & 1)
                CHECK_EQ(runs[number].value >> k & 1, truth[i].values >> leaf_of[k] & 1);
        }
        seen |= (uint64_t)1 << number;
    }
    for (unique = 0; unique < 2; unique++) {
        mcdc_pair_up(d, runs, unique, &pairs);
        mcdc_show(d, runs, &pairs, seen, &shown);
        for (i = 0; i < n; i++) {
            mcdc_wanted wanted[4];
            uint32_t k, found;
            CHECK_EQ((shown.shown[1] >> i & 1) * 2 + (shown.shown[0] >> i & 1),
                     tree_shown(truth, count, leaf_of[i], unique));
            if (shown.shown[0] & shown.shown[1] & (uint64_t)1 << i) continue;
            found = mcdc_want(d, runs, &pairs, seen, (uint32_t)i, wanted, 4);
            CHECK_EQ(found > 0, shown.possible >> i & 1);
            for (k = 0; k < found; k++) {        /* what is wanted does show the condition */
                uint64_t then = seen | (uint64_t)1 << wanted[k].run[1];
                mcdc_shown after;
                if (wanted[k].both) then |= (uint64_t)1 << wanted[k].run[0];
                mcdc_show(d, runs, &pairs, then, &after);
                CHECK(after.shown[0] & after.shown[1] & (uint64_t)1 << i);
            }
        }
    }
}

enum { AT_ONCE = 20, ROUNDS = 20 };

TEST(random_decisions) {
    static tree trees[AT_ONCE];
    static char source[AT_ONCE * (TREE_TEXT + 100)];
    int round, i, compared = 0;
    random_state = 88172645463325252u;
    for (round = 0; round < ROUNDS; round++) {
        int size = 0;
        size_t k = 0;
        decisions_all all;
        cc_result result;
        for (i = 0; i < AT_ONCE; i++) {
            unsigned constants = round % 5 == 4 ? 6 : 0;
            tree_random(&trees[i], 2 + (int)random_below(7), round % 2 ? 4 : 0, constants);
            size += sprintf(source + size, "int f%d(int *v) { if (", i);
            size += tree_text(&trees[i], 0, source + size, plain_leaf);
            size += sprintf(source + size, ") return 1; return 0; }\n");
        }
        CHECK_EQ(decisions_of(source, &all, &result), 0);
        CHECK_EQ(all.count, 1);
        for (i = 0; all.count == 1 && i < AT_ONCE; i++) {
            uint32_t reached = tree_reached(&trees[i]);
            const decided *d = &all.units[0].decisions[k];
            if (!(reached & (reached - 1))) continue;     /* no two conditions are left */
            CHECK(k < all.units[0].count);
            if (k++ >= all.units[0].count || d->form != DECISION_PATHS) continue;
            compare(&trees[i], d);
            compared++;
        }
        kind_decisions.free(&all);
        cc_result_free(&result);
    }
    CHECK(compared > 300);
}

/* ---- what is a decision ---- */

static char answer[1000];

/* The decisions of a function: "text conditions/runs; ...". */
static const char *found(const char *source) {
    decisions_all all;
    cc_result result;
    size_t i;
    int size = 0;
    answer[0] = 0;
    if (decisions_of(source, &all, &result) != 0) return "refused";
    for (i = 0; all.count && i < all.units[0].count; i++) {
        const decided *d = &all.units[0].decisions[i];
        size += sprintf(answer + size, "%s%s %u/%u", i ? "; " : "", d->text, (unsigned)d->count,
                        (unsigned)d->runs);
        if (d->form > DECISION_OUTCOMES)
            size += sprintf(answer + size, " %s", decisions_reason(d->form));
    }
    kind_decisions.free(&all);
    cc_result_free(&result);
    return answer;
}

TEST(what_is_a_decision) {
    CHECK_STR(found("int f(int a, int b) { return a && b; }"), "a && b 2/3");
    CHECK_STR(found("int f(int a, int b) { if (a) return b; return a == b; }"), "");
    CHECK_STR(found("int f(int a, int b) { return !(a || b) && !a; }"), "!(a || b) && !a 3/4");
    CHECK_STR(found("int f(int a, int b) { return ((a && b)) == 1; }"), "a && b 2/3");
    CHECK_STR(found("int f(int a, int b) { return f(a && b, 1) && (a, b); }"),
              "f(a && b, 1) && (a, b) 2/3; a && b 2/3");
    CHECK_STR(found("int f(int a, int b) { return (a ? b : !a) && b ? 1 : a; }"),
              "(a ? b : !a) && b 4/6");
    CHECK_STR(found("int f(int a, int b) { return a ? a && b : a || b; }"),
              "a && b 2/3; a || b 2/3");
    CHECK_STR(found("int f(int a, int b) { return (a ?: b) && b; }"), "(a ?: b) && b 2/3");
    CHECK_STR(found("int f(int a, int b) { do a--; while (a && ({ int c = a || b; c; })); "
                    "return 0; }"),
              "a && ({ int c = a || b; c; }) 2/3; a || b 2/3");
}

TEST(constants) {
    CHECK_STR(found("int f(int a) { return 0 && a; }"), "");
    CHECK_STR(found("int f(int a) { return 1 && a || 0; }"), "");
    CHECK_STR(found("int f(int a, int b) { return 1 && a && b; }"), "1 && a && b 2/3");
    CHECK_STR(found("int f(int a, int b) { return (a && 0) || b; }"), "(a && 0) || b 2/4");
    CHECK_STR(found("int f(int a, int b) { return (a ? 1 : 0) && b; }"), "(a ? 1 : 0) && b 2/3");
    CHECK_STR(found("int f(int a) { return (0 || 0) && (1 && 1); }"), "");
    CHECK_STR(found("int f(int a, int b) { "
                    "return sizeof(a && b) + __builtin_constant_p(a || b); }"), "");
}

/* (v[0] || v[1]) && (v[2] || v[3]) && ... has 2 P + 1 runs for each two
   conditions more. */
static const char *large(int pairs, const char *last) {
    static char source[20000];
    int size = sprintf(source, "int f(int *v) { return "), i;
    for (i = 0; i < pairs; i++)
        size += sprintf(source + size, "(v[%d] || v[%d]) && ", 2 * i, 2 * i + 1);
    sprintf(source + size, "%s; }", last);
    return source;
}

static const char *form_of(const char *source) {
    decisions_all all;
    cc_result result;
    if (decisions_of(source, &all, &result) != 0) return "refused";
    sprintf(answer, "%u %u %s", (unsigned)all.units[0].decisions[0].form,
            (unsigned)all.units[0].decisions[0].count,
            result.left_count ? result.left[0].reason : "");
    kind_decisions.free(&all);
    cc_result_free(&result);
    return answer;
}

TEST(large_decisions) {
    CHECK_STR(form_of(large(4, "v[8]")), "0 9 ");
    CHECK_STR(form_of(large(6, "v[12]")), "1 13 ");
    CHECK_STR(form_of(large(15, "v[30]")), "1 31 ");
    CHECK_STR(form_of(large(16, "v[32]")), "2 33 decision-too-large");
    CHECK_STR(form_of(large(40, "v[80]")), "2 81 decision-too-large");
    CHECK_STR(form_of(large(7, "(v[14] ? v[15] : v[16])")), "3 17 choice-in-large-decision");
    CHECK_STR(form_of("int f(int a) { return a && setjmp(b); }"), "4 2 setjmp-in-decision");
}

TEST(never_returns) {
    decisions_all all;
    cc_result result;
    CHECK_EQ(decisions_of("void exit(int); int f(int a, int b) { return a && (exit(1), 1) && b; }\n"
                          "int g(int a, int b) { for (;;) {} return a && b; }", &all, &result), 0);
    CHECK_EQ(all.units[0].count, 0);
    CHECK_EQ(result.left_count, 1);
    CHECK_STR(result.left_count ? result.left[0].reason : "", "condition-never-returns");
    kind_decisions.free(&all);
    cc_result_free(&result);
}

/* `if (a = b)` wrapped in brackets would lose its warning. */
static int looks_again(const char *source) {
    decisions_all all;
    cc_result result;
    int again;
    CHECK_EQ(decisions_of(source, &all, &result), 0);
    again = result.look_again;
    kind_decisions.free(&all);
    cc_result_free(&result);
    return again;
}

TEST(assignments_force_the_second_look) {
    CHECK_EQ(looks_again("int f(int a, int b) { if (a = b) return 1; return 0; }"), 1);
    CHECK_EQ(looks_again("int f(int a, int b) { return a = b ? 1 : 0; }"), 0);
    CHECK_EQ(looks_again("int f(int a, int b) { return b && (a ? a = b : b); }"), 1);
    CHECK_EQ(looks_again("int f(int a, int b) { while ((a = b) && b) b--; return 0; }"), 0);
}

/* ---- the reader of kind 6 ---- */

/* The example of docs/formats.md: `(a && !b) || c` at line 3 of a function with
   seven counters. */
static const unsigned char example[] = {
    1, 0, 0, 0, 0, 0, 0, 0,             /* key */
    1,                                  /* functions */
    7, 1,                               /* slots, decisions */
    3, 0, 14,                           /* line, form, text */
    '(', 'a', ' ', '&', '&', ' ', '!', 'b', ')', ' ', '|', '|', ' ', 'c',
    3,                                  /* conditions */
    1, 1, 4, 3, 0,                      /* a: true to !b, false to c */
    6, 2, 2, 2, 0,                      /* !b: true to T, false to c */
    13, 1, 2, 0, 0};                    /* c: true to T, false to F */

static int read_bytes(const unsigned char *bytes, size_t size, decisions_all *all,
                      dump_fault *fault) {
    text file = {NULL, 0, 0};
    dump_writer w;
    dump d;
    int failed;
    memset(all, 0, sizeof *all);
    memset(fault, 0, sizeof *fault);
    dump_begin(&w, &file, kind_decisions.number);
    dump_put_bytes(&w, bytes, size);
    dump_end(&w);
    if (dump_read(&d, (const unsigned char *)file.data, file.size, fault) != 0) return -2;
    failed = kind_decisions.read(all, &d, &d.parts[0], fault);
    CHECK(fault->offset <= file.size);
    dump_free(&d);
    text_free(&file);
    return failed;
}

TEST(the_reader_reads_the_example) {
    decisions_all all;
    dump_fault fault;
    const decisions_unit *unit = NULL;
    const decisions_function *f;
    text again = {NULL, 0, 0};
    CHECK_EQ(read_bytes(example, sizeof example, &all, &fault), 0);
    kind_decisions.settle(&all);
    f = decisions_find(&all, 1, 0, &unit);
    CHECK(f != NULL && unit != NULL);
    CHECK(decisions_find(&all, 2, 0, &unit) == NULL && decisions_find(&all, 1, 7, &unit) == NULL);
    if (f) {
        const decided *d = &all.units[0].decisions[f->first];
        CHECK_EQ(f->slots, 7);
        CHECK_EQ(f->plain, 1);
        CHECK_EQ(f->marks, 5);
        CHECK_EQ(d->runs, 5);
        CHECK_EQ(decisions_target(d, 0, 1), 1);
        CHECK_EQ(decisions_target(d, 0, 0), 2);
        CHECK_EQ(decisions_target(d, 2, 1), 4);
        CHECK_EQ(decisions_target(d, 2, 0), 3);
        CHECK_EQ(d->conditions[2].slot, 4);
        CHECK_STR(d->text, "(a && !b) || c");
    }
    kind_decisions.write(&all, &again);
    CHECK(again.size > sizeof example);
    kind_decisions.free(&all);
    text_free(&again);
}

/* Reads, and if that is accepted does what a report does with each decision. */
static int survives(const unsigned char *bytes, size_t size) {
    decisions_all all;
    dump_fault fault;
    int failed = read_bytes(bytes, size, &all, &fault);
    size_t i;
    if (failed) CHECK(fault.reason[0] != 0);
    if (!failed) kind_decisions.settle(&all);
    for (i = 0; !failed && all.count && i < all.units[0].count; i++) {
        const decided *d = &all.units[0].decisions[i];
        mcdc_run runs[DECISION_RUNS_MOST];
        static mcdc_pairs pairs;
        mcdc_shown shown;
        if (d->form != DECISION_PATHS) continue;
        mcdc_runs(d, runs);
        mcdc_pair_up(d, runs, 0, &pairs);
        mcdc_show(d, runs, &pairs, UINT64_MAX, &shown);
        CHECK((shown.shown[0] & shown.shown[1] & ~shown.possible) == 0);
    }
    kind_decisions.free(&all);
    return failed;
}

TEST(the_reader_survives_all_cuts_and_bits) {
    unsigned char bytes[sizeof example];
    size_t i;
    int bit;
    for (i = 1; i < sizeof example; i++) CHECK(survives(example, i) != 0);
    for (i = 0; i < sizeof example; i++) {
        for (bit = 0; bit < 8; bit++) {
            memcpy(bytes, example, sizeof example);
            bytes[i] = (unsigned char)(bytes[i] ^ 1 << bit);
            survives(bytes, sizeof bytes);
        }
    }
}

static void changed(size_t at, unsigned char value, const char *reason) {
    unsigned char bytes[sizeof example];
    decisions_all all;
    dump_fault fault;
    memcpy(bytes, example, sizeof example);
    bytes[at] = value;
    CHECK_EQ(read_bytes(bytes, sizeof bytes, &all, &fault), -1);
    CHECK_STR(fault.reason, reason);
    kind_decisions.free(&all);
}

TEST(the_reader_says_why) {
    changed(8, 100, "more of something than there are bytes");
    changed(9, 5, "two decisions with the same counters");
    changed(12, 9, "a decision of an unknown form");
    changed(28, 1, "a decision without two conditions");
    changed(29, 15, "a condition outside of its text");
    changed(31, 8, "a way of a condition leads nowhere");
    changed(33, 6, "a condition without counters");
}
