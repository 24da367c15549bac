/* make_mcdc.c - make_mcdc SEED COUNT FOLDER [large]: writes FOLDER/program.c
   with so many random decisions, run with random values, and FOLDER/wanted: for
   each decision a line "line branches taken", then lines as LCOV's MCDC records
   are; FOLDER/unique: those for unique cause. The program prints a sum of all
   that it computes. test_mcdc.sh compares what `bursty report` says. */
#include "mcdc_random.inc"
#include <stdlib.h>

static unsigned styles[CONDITIONS_MOST];

/* Operands of all kinds. w[i] is what the condition's test says. */
static int operand(int i, char *out) {
    switch (styles[i]) {
    case 0: return sprintf(out, "call(w[%d])", i);
    case 1: return sprintf(out, "pointer(w[%d])", i);
    case 2: return sprintf(out, "w[%d] * 0.5", i);
    case 3: return sprintf(out, "(x = w[%d])", i);
    case 4: return sprintf(out, "(x++, w[%d])", i);
    case 5: return sprintf(out, "w[%d] == 1", i);
    case 6: return sprintf(out, "1 - w[%d] < 1", i);
    default: return sprintf(out, "w[%d]", i);
    }
}

/* What stands before a decision, up to the line before it, on its line, and
   behind it. */
enum { CONTEXTS = 12 };
static const char *const contexts[CONTEXTS][3] = {
    {"", "if (", ") x += 3; else x += 5;"},
    {"", "while (", ") { x += 7; break; }"},
    {"", "for (x = 1; ", "; x++) { x += 7; break; }"},
    {"int n = 0; do { if (n++ > 2) break; }", "while (", ");"},
    {"", "return x + (", ");"},
    {"", "x += ", " ? 3 : 4;"},
    {"", "x = call(", ");"},
    {"", "x = (", ") + 2 * x;"},
    {"", "x += ({ int y = 0; if (", ") y = 9; y; });"},
    {"", "int y[2] = {2, ", "}; x += y[1];"},
    {"", "x += !(", ");"},
    {"", "{ ", "; }"},
};

static void write_shown(FILE *to, int line, const tree *t, const true_run *runs, int count,
                        int unique) {
    uint32_t reached = tree_reached(t);
    int i, size = 0, index = 0;
    for (i = 0; i < t->conditions; i++) size += (int)(reached >> i & 1);
    if (size < 2) return;
    for (i = 0; i < t->conditions; i++) {
        int shown = tree_shown(runs, count, i, unique);
        if (!(reached >> i & 1)) continue;
        fprintf(to, "MCDC:%d,%d,t,%d,%d\n", line, size, shown >> 1, index);
        fprintf(to, "MCDC:%d,%d,f,%d,%d\n", line, size, shown & 1, index++);
    }
}

/* The arms of a ?: have one type: all operands are pointers, or none is. */
static void choose_styles(const tree *t) {
    int i, has_choice = 0, all_pointers = random_below(4) == 0;
    for (i = 0; i < t->count; i++) has_choice |= t->node[i].kind == TREE_CHOICE;
    for (i = 0; i < t->conditions; i++) {
        styles[i] = random_below(10);
        if (has_choice && all_pointers) styles[i] = 1;
        else if (has_choice && styles[i] == 1) styles[i] = 0;
    }
}

/* Of a ?: whose value is asked for, the test alone decides. */
static int is_choice(const tree *t) {
    int at = 0;
    while (t->node[at].kind == TREE_NOT) at = t->node[at].kid[0];
    return t->node[at].kind == TREE_CHOICE;
}

int main(int argc, char **argv) {
    FILE *program, *wanted, *unique;
    static char words[TREE_TEXT], path[1000];
    static uint32_t vectors[10000][12];
    static int counts[10000];
    int total, line = 14, is_large = argc > 4, d;
    if (argc < 4 || (total = atoi(argv[2])) < 1 || total > 10000) return 2;
    random_state = 0x9E3779B97F4A7C15u ^ (uint64_t)atoi(argv[1]) * 0x100000001B3u;
    for (d = 0; d < 10; d++) random_below(2);
    snprintf(path, sizeof path, "%s/program.c", argv[3]);
    program = fopen(path, "w");
    snprintf(path, sizeof path, "%s/wanted", argv[3]);
    wanted = fopen(path, "w");
    snprintf(path, sizeof path, "%s/unique", argv[3]);
    unique = fopen(path, "w");
    if (!program || !wanted || !unique) return 1;
    fprintf(program, "#include <stdio.h>\n"
                     "static unsigned long sum;\n"
                     "static int call(int a)\n{\n    sum = sum * 3 + (unsigned)a + 1;\n"
                     "    return a;\n}\n"
                     "static void *pointer(int a)\n{\n    sum = sum * 5 + 1;\n"
                     "    void *p[2] = {0, &sum};\n    return p[a];\n}\n");
    for (d = 0; d < total; d++) {
        tree t;
        true_run runs[12];
        unsigned context = random_below(CONTEXTS);
        uint32_t reached;
        int i, branches = 0, taken = 0, count = 1 + (int)random_below(12);
        do {
            tree_random(&t, is_large ? 14 : 2 + (int)random_below(7),
                        !is_large && d % 3 == 0 ? 4 : 0, !is_large && d % 7 == 0 ? 6 : 0);
        } while (context > 3 && context != 5 && is_choice(&t));
        reached = tree_reached(&t);
        counts[d] = count;
        choose_styles(&t);
        for (i = 0; i < count; i++) {
            vectors[d][i] = random_below(UINT32_C(1) << t.conditions);
            runs[i] = tree_run(&t, vectors[d][i]);
        }
        tree_text(&t, 0, words, operand);
        fprintf(program, "static __attribute__((noinline)) int d%d(const unsigned char *w) {\n"
                         "    int x = 1;\n    %s\n"
                         "    %s%s%s\n    return x;\n}\n", d, contexts[context][0],
                contexts[context][1], words, contexts[context][2]);
        for (i = 0; i < t.conditions; i++) {
            int k, yes = 0, no = 0;
            if (!(reached >> i & 1)) continue;
            for (k = 0; k < count; k++) {
                if (!(runs[k].evaluated >> i & 1)) continue;
                if (runs[k].values >> i & 1) yes = 1;
                else no = 1;
            }
            branches += 2;
            taken += yes + no;
        }
        line += 3;
        fprintf(wanted, "%d %d %d\n", line, branches, taken);
        write_shown(wanted, line, &t, runs, count, 0);
        write_shown(unique, line, &t, runs, count, 1);
        line += 3;
    }
    fprintf(program, "int main(void) {\n    unsigned char w[%d];\n    int i;\n", CONDITIONS_MOST);
    for (d = 0; d < total; d++) {
        int k;
        fprintf(program, "    static const unsigned v%d[] = {", d);
        for (k = 0; k < counts[d]; k++) fprintf(program, "%s%lu", k ? ", " : "",
                                                (unsigned long)vectors[d][k]);
        fprintf(program, "};\n");
    }
    fprintf(program, "#define RUN(n) \\\n"
                     "    for (unsigned k = 0; k < sizeof v##n / sizeof *v##n; k++) { \\\n"
                     "    for (i = 0; i < %d; i++) w[i] = v##n[k] >> i & 1; \\\n"
                     "    sum = sum * 7 + (unsigned)d##n(w); }\n", CONDITIONS_MOST);
    for (d = 0; d < total; d++) fprintf(program, "    RUN(%d)\n", d);
    fprintf(program, "    printf(\"%%lu\\n\", sum);\n    return 0;\n}\n");
    fclose(unique);
    fclose(wanted);
    return fclose(program) != 0;
}
