/* make_exits.c - prints a random program whose functions are left early: by
   exit, _exit and longjmp, at any depth, out of loops, switches, arguments,
   conditions and initialisers.

       make_exits SEED >program.c

   Each statement begins with HIT, each counted expression stands in HITS().
   With -DTRUTH both count the line, and the program appends "line count" to the
   file truth when it ends; without it they are nothing. The program takes two
   numbers, how many exits to pass by and a start for its own random numbers. */
#include <stdio.h>
#include <stdlib.h>

static unsigned long state;
static int functions, current, depth, in_landing;
static int returns_int[20];

static int below(int n) {
    state = state * 6364136223846793005UL + 1442695040888963407UL;
    return (int)((state >> 33) % (unsigned long)n);
}

static void indent(void) {
    int i;
    for (i = 0; i < depth; i++) printf("    ");
}

/* ---- expressions ---- */

static void expression(int deep);

static void call(int deep) {
    int i, to = 0;
    for (i = 0; i < 6; i++) {
        to = current + 1 + below(functions - current);
        if (to < functions && returns_int[to]) break;
        to = functions;
    }
    if (to == functions) {
        printf("left(");
        expression(deep + 1);
        printf(")");
        return;
    }
    printf("f%d(", to);
    expression(deep + 1);
    printf(", ");
    expression(deep + 2);
    printf(")");
}

static void atom(void) {
    static const char *const atoms[] = {"a", "b", "3", "(a ^ b)", "(int)draw(7)", "a - 1", "b + 2"};
    printf("%s", atoms[below(7)]);
}

static void expression(int deep) {
    int kind = deep > 2 ? 9 : below(10);
    if (kind < 3) call(deep);
    else if (kind == 3) {
        printf("(%s ? ", below(2) ? "a > b" : "draw(3) == 0");
        expression(deep + 1);
        printf(" : ");
        expression(deep + 1);
        printf(")");
    } else if (kind == 4) {
        printf("((a > 2) && ");
        expression(deep + 1);
        printf(" > 1)");
    } else if (kind == 5) {
        printf("((b & 1 || ");
        expression(deep + 1);
        printf(" > 2) + ");
        call(deep + 1);
        printf(")");
    } else atom();
}

static void condition(void) {
    switch (below(5)) {
    case 0: printf("draw(%d) == 0", 2 + below(3)); return;
    case 1: printf("(a & %d)", 1 + below(3)); return;
    case 2: printf("a > b && "); break;
    case 3: printf("b < 3 || "); break;
    default: break;
    }
    expression(0);
    printf(" > %d", below(5));
}

/* ---- statements ---- */

static void block(int deep);

static void braced(int deep) {
    printf("{\n");
    depth++;
    block(deep + 1);
    depth--;
    indent();
    printf("}");
}

static void loop(int deep) {
    int i = below(3);
    indent();
    if (i == 0) {
        printf("HIT for (volatile int i%d = %s;\n", deep, below(2) ? "0" : "left(0) & 1");
        indent();
        printf("    HITS(i%d < %d);\n", deep, 1 + below(4));
        indent();
        printf("    HITS(i%d++)) ", deep);
        braced(deep);
    } else if (i == 1) {
        printf("{\n");
        depth++;
        indent();
        printf("volatile int w%d = 3;\n", deep);
        indent();
        printf("while (HITS(w%d-- > 0) && ", deep);
        condition();
        printf(") ");
        braced(deep);
        printf("\n");
        depth--;
        indent();
        printf("}");
    } else {
        printf("do ");
        braced(deep);
        printf(" while (HITS(draw(4) == 0));");
    }
    printf("\n");
}

static void choices(int deep) {
    int i, cases = 1 + below(3);
    indent();
    printf("HIT switch (");
    expression(1);
    printf(" & 3) {\n");
    for (i = 0; i < cases; i++) {
        indent();
        printf("case %d:\n", i);
        depth++;
        block(deep + 1);
        if (below(3)) {
            indent();
            printf("break;\n");
        }
        depth--;
    }
    if (below(2)) {
        indent();
        printf("default:\n");
        depth++;
        block(deep + 1);
        depth--;
    }
    indent();
    printf("}\n");
}

static void landing(int deep) {
    indent();
    printf("HIT if (landings < 8) {\n");
    depth++;
    indent();
    printf("HIT if (setjmp(landing[landings++]) == 0) {\n");
    depth++;
    in_landing++;
    block(deep + 1);
    in_landing--;
    indent();
    printf("HIT landings--;\n");
    depth--;
    indent();
    printf("} else {\n");
    depth++;
    indent();
    printf("HIT landings--;\n");
    if (deep < 2) block(deep + 2);
    depth--;
    indent();
    printf("}\n");
    depth--;
    indent();
    printf("}\n");
}

static void assignment(void) {
    indent();
    switch (below(5)) {
    case 0:
        printf("HIT b += %s;\n", below(2) ? "1" : "(a ^ 3)");
        indent();
        printf("HIT b &= 31;\n");
        break;
    case 1:
        printf("HIT printf(\"%%d%%s\", a, ");
        expression(1);
        printf(" > 3 ? \"x\" : \"y\");\n");
        break;
    case 2:
        printf("{\n");
        indent();
        printf("    int c = HITS(");
        expression(0);
        printf(");\n");
        indent();
        printf("    HIT b ^= c & 7;\n");
        indent();
        printf("}\n");
        break;
    default:
        printf("HIT a = (");
        expression(0);
        printf(") & 15;\n");
        break;
    }
}

static void statement(int deep) {
    int kind = below(12);
    if (kind < 4 || (deep > 2 && kind > 5)) assignment();
    else if (kind < 6 && current + 1 < functions) {
        indent();
        printf("HIT f%d(", current + 1 + below(functions - current - 1));
        expression(1);
        printf(", b);\n");
    } else if (kind < 6) assignment();
    else if (kind < 8) {
        indent();
        printf("HIT if (");
        condition();
        printf(") ");
        braced(deep);
        if (below(2)) {
            printf(" else ");
            braced(deep);
        }
        printf("\n");
    } else if (kind < 10) loop(deep);
    else if (kind == 10) choices(deep);
    else landing(deep);
}

static void give_back(void) {
    indent();
    if (!returns_int[current]) {
        printf("HIT return;\n");
        return;
    }
    printf("HIT return ");
    expression(0);
    printf(";\n");
}

static void block(int deep) {
    int i, count = 1 + below(4);
    for (i = 0; i < count; i++) statement(deep);
    if (deep > 0 && !in_landing && below(16) == 0) give_back();
}

static const char front[] =
    "#include <setjmp.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <unistd.h>\n"
    "#ifdef TRUTH\n"
    "static unsigned hits[4000];\n"
    "__attribute__((destructor)) static void tell(void) {\n"
    "    FILE *file = fopen(\"truth\", \"a\");\n"
    "    for (int i = 0; file && i < 4000; i++) if (hits[i]) fprintf(file, \"%d %u\\n\", i, hits[i]);\n"
    "    if (file) fclose(file);\n"
    "}\n"
    "#define HIT hits[__LINE__]++;\n"
    "#define HITS(expression) (hits[__LINE__]++, expression)\n"
    "#define TELL tell(),\n"
    "#else\n"
    "#define HIT\n"
    "#define HITS(expression) (expression)\n"
    "#define TELL\n"
    "#endif\n"
    "static jmp_buf landing[8];\n"
    "static int landings, exits_to_pass;\n"
    "static volatile unsigned drawn = 12345;\n";

int main(int argc, char **argv) {
    int i;
    state = argc > 1 ? strtoul(argv[1], NULL, 10) * 7919 + 1 : 1;
    functions = 6 + below(8);
    for (i = 0; i < functions; i++) returns_int[i] = below(3) != 0;
    printf("%sstatic int fuel = %d;\n", front, 60 << below(4));
    printf("static unsigned draw(unsigned n) {\n    drawn = drawn * 1103515245u + 12345u;\n"
           "    return (drawn >> 16) %% n;\n}\n");
    printf("static int left(int k) {\n    HIT if (--fuel > 0) {\n        HIT return k;\n    }\n"
           "    HIT fuel = 40;\n    HIT if (landings > 0 && draw(3)) {\n"
           "        HIT longjmp(landing[landings - 1], 1 + (int)draw(5));\n    }\n"
           "    HIT if (exits_to_pass-- > 0) {\n        HIT return k + 1;\n    }\n"
           "    HIT %s(%d);\n}\n",
           below(4) ? "exit" : "TELL _exit", below(10));
    for (i = 0; i < functions; i++) {
        printf("%s%s f%d(int a0, int b0);\n", i & 1 ? "static " : "",
               returns_int[i] ? "int" : "void", i);
    }
    for (i = functions; i-- > 0;) {
        current = i;
        depth = 1;
        printf("%s%s f%d(int a0, int b0) {\n    volatile int a = a0, b = b0;\n",
               i & 1 ? "static " : "", returns_int[i] ? "int" : "void", i);
        block(0);
        if (returns_int[i]) give_back();
        printf("}\n");
    }
    printf("int main(int argc, char **argv) {\n    HIT exits_to_pass = argc > 1 ? atoi(argv[1]) : 0;\n"
           "    HIT drawn += argc > 2 ? (unsigned)atoi(argv[2]) : 0;\n"
           "    HIT for (int r = 0;\n        HITS(r < 30);\n        HITS(r++)) {\n");
    for (i = 0; i < 3; i++) printf("        HIT f%d(r, %d);\n", i, i);
    printf("    }\n    HIT return 0;\n}\n");
    return 0;
}
