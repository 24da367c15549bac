/* test_cc_parse.c - the parser of `bursty cc`: what it finds in small
   functions, one trap each. */
#include "test.h"
#include "cc/put/rewrite.h"

/* The skeleton of the last function, or why it was left alone. */
static char answer[2000];

static const char *skeleton(const char *source) {
    cc_unit u;
    cc_flow *flows;
    if (cc_parse(&u, source, strlen(source)) != 0) {
        snprintf(answer, sizeof answer, "refused: %s", u.tokens.reason);
        cc_unit_free(&u);
        return answer;
    }
    flows = cc_flows(&u);
    if (u.function_count == 0) {
        snprintf(answer, sizeof answer, "none");
    } else if (u.functions[u.function_count - 1].reason) {
        snprintf(answer, sizeof answer, "left: %s", u.functions[u.function_count - 1].reason);
    } else {
        const text *t = &flows[u.function_count - 1].skeleton;
        snprintf(answer, sizeof answer, "%.*s", (int)t->size, t->data ? t->data : "");
    }
    cc_flows_free(&u, flows);
    cc_unit_free(&u);
    return answer;
}

TEST(statements) {
    CHECK_STR(skeleton("int f(void) { return g(); }"), "c0r");
    CHECK_STR(skeleton("void f(int a) { if (a) g(); else if (h()) g(); }"), "(c0|c1(c0|))");
    CHECK_STR(skeleton("void f(int a) { while (g(a)) { if (a) break; else continue; h(); } }"),
              "W0{c0;(b|k)c1;}");
    CHECK_STR(skeleton("void f(int a) { for (a = g(); h(); i()) j(); }"), "c0W0{c1;c2;c3}");
    CHECK_STR(skeleton("void f(int a) { do g(); while (h()); do i(); while (0); }"),
              "D0{c0;c1}{c2}");
    CHECK_STR(skeleton("void f(int a) { switch (g()) { case 1 ? 2 : 3: h(); break; default:; } }"),
              "c0S{c1b}");
    CHECK_STR(skeleton("void f(int a) { x: g(); if (a) goto x; goto y; y:; }"),
              "l0G0c0(g0|)g1l1");
}

TEST(expressions) {
    CHECK_STR(skeleton("int f(int a) { return a && g() || h(i()); }"), "(c0|)(c1c2|)r");
    CHECK_STR(skeleton("int f(int a) { return a ? g() : h() ? i() : 0; }"), "(c0|c1(c2|))r");
    CHECK_STR(skeleton("int f(int a) { return a ? g(), h() : i(); }"), "(c0c1|c2)r");
    CHECK_STR(skeleton("int f(int a) { return g() ?: h(); }"), "c0(c1|)r");
    CHECK_STR(skeleton("int f(struct s *p) { return p->g(1, 2) + p->a[3](4); }"), "i2i1r");
    CHECK_STR(skeleton("int f(int (*g)(int), int (*h[2])(void)) { return g(1) + (*h[1])(); }"),
              "i1<i,i>i0<i>r");
    CHECK_STR(skeleton("int (g)(int); int f(void) { return (g)(1) + (*g)(2); }"), "c0c0r");
    CHECK_STR(skeleton("typedef int T; int f(int a) { return (T)(a) + (T)g(a); }"), "c0r");
    CHECK_STR(skeleton("int f(int a) { return sizeof(g()) + sizeof h() + i(); }"), "c0r");
    CHECK_STR(skeleton("int f(int a) { return a == sizeof(void *) && sizeof(a) == g(); }"), "(c0|)r");
    CHECK_STR(skeleton("int f(int a) { int b[] = {g(), [2] = h()}, c = i(); return c; }"),
              "c0c1c2r");
    CHECK_STR(skeleton("int f(int a) { return ({ int b = g(); if (b) h(); b; }); }"), "c0(c1|)r");
    CHECK_STR(skeleton("int f(int a) { static int b = 1 && 2; return __builtin_expect(a, 0); }"),
              "r");
    CHECK_STR(skeleton("int f(int a) { return g(1)(2) + ((int (*)(int))h)(3); }"),
              "c0i1i1<i,i>r");
}

/* The call in f's last statement; declared: what stands in front of f. */
static const char *type_of(const char *declared, const char *call) {
    char source[1000];
    snprintf(source, sizeof source, "%s\nvoid f(void) { %s; }", declared, call);
    return skeleton(source);
}

TEST(types_of_calls) {
    static const char s[] = "typedef struct S S; typedef int (*cmp)(const void *, char *);\n"
                            "typedef void fn(S *, unsigned long, double); enum e { A };\n"
                            "struct T { cmp c; fn *list[4]; void (*(*deep)(int))(char *);\n"
                            "  struct { enum e (*in)(struct T, S **); }; int (*old)(); } *t;\n"
                            "union U { int u; } w; struct V { void (*same)(int); };\n"
                            "struct W { void (*same)(S *, ...); } *v; void *raw; fn **table;";
    CHECK_STR(type_of(s, "t->c(0, 0)"), "i2<i,pv,pi>");
    CHECK_STR(type_of(s, "t->list[1](0, 1, 2.)"), "i3<v,p:S,i,f>");
    CHECK_STR(type_of(s, "(*(*t).list[2])(0, 1, 2.)"), "i3<v,p:S,i,f>");
    CHECK_STR(type_of(s, "table[3](0, 1, 2.)"), "i3<v,p:S,i,f>");
    CHECK_STR(type_of(s, "(*(table + 1))(0, 1, 2.)"), "i3");
    CHECK_STR(type_of(s, "t->deep(3)(0)"), "i1<pF,i>i1");
    CHECK_STR(type_of(s, "t->in(*t, 0)"), "i2<i,s:T,pp>");
    CHECK_STR(type_of(s, "t->old(1, 2)"), "i2<i>");
    CHECK_STR(type_of(s, "v->same(1)"), "i1<v,?>");            /* one of two members */
    CHECK_STR(type_of(s, "((fn *)raw)(0, 1, 2.)"), "i3<v,p:S,i,f>");
    CHECK_STR(type_of(s, "(*(int (**)(union U, long double))raw)(w, 2.)"), "i2<i,?,f>");
    CHECK_STR(type_of(s, "(raw ? table[0] : t->list[0])(0, 1, 2.)"), "i3");
    CHECK_STR(type_of(s, "((unknown *)raw)(0)"), "i1");
    CHECK_STR(type_of(s, "int (*local)(float) = 0; local(1)"), "i1<i,f>");
    CHECK_STR(type_of(s, "__typeof__(t->c) q = t->c; q(0, 0)"), "i2<?>");
    CHECK_STR(type_of(s, "__auto_type q = t->c; { cmp q; } q(0, 0)"), "i2<?>");
    CHECK_STR(skeleton("int f(int a(int), int (*b)(int (*)(void))) { return a(1) + b(0); }"),
              "i1<i,i>i1<i,pF>r");
    CHECK_STR(skeleton("int f(a, b) int (*a)(int), (*b)(); { return a(1) + b(0); }"),
              "i1<i,i>i1<i>r");
    CHECK_STR(skeleton("typedef char T; int f(int n) { typedef int (*T)(int); T a = 0; return "
                       "a(n); }"), "i1<?>r");
}

TEST(function_heads) {
    CHECK_STR(skeleton("static __attribute__((noinline, format(printf, 1, 2))) int f(char *s, ...) "
                       "{ return g(); }"), "c0r");
    CHECK_STR(skeleton("int f(a, b) int a; char *b; { return g(); }"), "c0r");
    CHECK_STR(skeleton("int (f)(int a) { return g(); }"), "c0r");
    CHECK_STR(skeleton("int (*f(int a))(int) { g(); return 0; }"), "c0r");
    CHECK_STR(skeleton("struct s { int a; } f(void) { g(); }"), "c0");
    CHECK_STR(skeleton("typedef struct { int a; } T; T v = { 1 }; T f(T a) { g(); }"), "c0");
    CHECK_STR(skeleton("int a[] = { 1, 2 }; enum e { A, B } x; int f(void) { g(); }"), "c0");
    CHECK_STR(skeleton("# 1 \"/usr/include/x.h\" 3\nint f(void) { g(); }\n"), "");
    CHECK_STR(skeleton("int f(void) __attribute__((noreturn)); int x;"), "none");
}

TEST(traps) {
    CHECK_STR(skeleton("int f(int a) { return a == 1 &&g(); }"), "(c0|)r");
    CHECK_STR(skeleton("void f(int a) { void *p = (void *)&&x; goto *p; x: g(); }"), "xl0c0");
    CHECK_STR(skeleton("void f(void) { void *p = &&y; x: y: g(); goto *p; }"), "m0l1G0c0x");
    CHECK_STR(skeleton("void f(int n) { switch (n) { do { case 0: g(); case 1: h(); } "
                       "while (--n > 0); } }"), "S{D0{c0c1;}}");
    CHECK_STR(skeleton("void f(int a) { g(\n#pragma GCC warning \"}\"\na\n# 9 \"y.c\"\n); }"),
              "c0");
    CHECK_STR(skeleton("void f(int a) { int g(int b) { return b; } g(a); }"),
              "left: nested-function");
    CHECK_STR(skeleton("int g(void); void f(int a) { int b[g()]; }"), "c0");
    CHECK_STR(skeleton("void f(int a) { char *b[1 + g(a)][3][h(a) ? k(a) : 2], c = m(a); }"),
              "c0c1(c2|)c3");
    CHECK_STR(skeleton("void f(int a) { char (*b[g(a)])[3]; }"), "left: call-in-bound");
    CHECK_STR(skeleton("void f(int a) { typedef char b[g(a)]; }"), "left: call-in-bound");
    CHECK_STR(skeleton("void f(int a) { char b[g(a)], (*c)[g(a)]; }"), "left: call-in-bound");
    CHECK_STR(skeleton("void f(int a) { if (a) g(); else else h(); }"), "left: else-without-if");
    CHECK_STR(skeleton("void f(int a) { a = ? ; }"), "left: choice-without-colon");
    CHECK_STR(skeleton("void f(int a) { return 1 } "), "left: semicolon-missing");
    CHECK_STR(skeleton("void f(int a) { g( }"), "refused: brackets of different kinds match");
    CHECK_STR(skeleton("void f(int a) { /* x"), "refused: a comment has no end");
    CHECK_STR(skeleton("void f(int a) { \"x\n\" }"), "refused: a quote has no end");
    CHECK_STR(skeleton("void f(void) <% int a<:2:> = <% 1 %>; g(a<:0:>); %>"), "c0");
    CHECK_STR(skeleton("void f(int a) { __extension__ struct s { int b; } c; _Static_assert(1 && "
                       "1, \"\"); enum { X = 1 ? 2 : 3 }; g(c); }"), "c0");
    CHECK_STR(skeleton("void f(int a) { __asm__ volatile(\"nop\" : : \"r\"(a ? 1 : 2)); g(); }"),
              "c0");
    CHECK_STR(skeleton("int f(int T) { return (T) && g(); }"), "(c0|)r");
}

/* A function that is not understood does not disturb its neighbours. */
TEST(one_left_alone) {
    static const char source[] = "void f(void) { else; }\nvoid g(void) { h(); }\n";
    cc_unit u;
    CHECK_EQ(cc_parse(&u, source, strlen(source)), 0);
    CHECK_EQ(u.function_count, 2);
    CHECK_STR(u.functions[0].reason, "else-without-if");
    CHECK_EQ(u.functions[0].reason_line, 1);
    CHECK(u.functions[1].reason == NULL);
    cc_unit_free(&u);
}

/* ---- records and choice ---- */

static char *records(const char *source, const cc_choice *choice) {
    cc_unit u;
    cc_flow *flows;
    const char *missed = "";
    text t = {NULL, 0, 0};
    CHECK_EQ(cc_parse(&u, source, strlen(source)), 0);
    flows = cc_flows(&u);
    cc_decide(&u, flows, "a b.c", choice, &missed);
    CHECK(missed == NULL);
    cc_graph_write(&u, flows, "a b.c", 1, 2, &t);
    cc_flows_free(&u, flows);
    cc_unit_free(&u);
    return text_take(&t);
}

TEST(record_lines) {
    cc_choice choice;
    char *got;
    memset(&choice, 0, sizeof choice);
    choice.loops = 4;
    got = records("# 1 \"a b.c\"\nstatic int leaf(int a) { return a; }\n"
                  "int walk(struct n *p, int (*f)(struct n *)) {\n"
                  "for (int i = 0; i < 8; i++) leaf(i); while (p) { f(p); } return 0; }\n"
                  "int (*table[])() = { walk }; void old();\n", &choice);
    CHECK_STR(got,
              "U 2 0000000000000001 0000000000000002 a%20b.c\n"
              "F leaf s 1 76de716116a4be87 - 1<i,i> a%20b.c 2\nB r\n"
              "F walk g 2 3b5c11a9144ebaae c 2<i,p:n,pF> a%20b.c 7\nC leaf -\n"
              "L f 3 - 1 8 - 5\nL w 3 - 1 0 c 2\nB W0{;c0;}W1{;i1<i,p:n>;}r\nA walk\n");
    free(got);
}

/* Does the record of the source have that line? */
static int has_line(const char *source, const char *line) {
    cc_choice choice;
    char *got;
    int found;
    memset(&choice, 0, sizeof choice);
    got = records(source, &choice);
    found = strstr(got, line) != NULL;
    free(got);
    return found;
}

/* A name is called directly, declared, or its address is taken: one of the
   three. */
TEST(taken) {
    static const char *const takes[] = {
        "get(f)(1)", "(get)(f)(1)", "(0, f)(1)", "(1 ? f : g)(1)", "(p = f)(1)",
        "((int (*)(long))f)(1)", "({ f; })(1)", "_Generic(1, int: f)(1)", "p = &f", "p = *f",
        "__builtin_choose_expr(1, f, g)(1)", "t[0](f)", "s.m(f)(1)"};
    static const char *const takes_not[] = {"f(1)", "(f)(1)", "(*f)(1)", "(&f)(1)", "((f))(1)",
                                            "(int)(f)(1)", "s.f", "q->f(1)", "{ int (*f)(int); }",
                                            "struct f *r"};
    char source[400];
    size_t i;
    for (i = 0; i < sizeof takes / sizeof *takes; i++) {
        snprintf(source, sizeof source, "int f(int); int g(int); int (*get(void *))(int);\n"
                                        "void h(void) { %s; }\n", takes[i]);
        CHECK(has_line(source, "\nA f"));
        CHECK(!has_line(source, "\nC f "));
    }
    for (i = 0; i < sizeof takes_not / sizeof *takes_not; i++) {
        snprintf(source, sizeof source, "int f(int); struct s { int (*f)(int); } s, *q;\n"
                                        "int k(int f(int)); void h(void) { %s; }\n", takes_not[i]);
        CHECK(!has_line(source, "\nA f"));
    }
    CHECK(has_line("typedef int T(int); T f; void h(void) { f(1); }\n", "\nC f -\n"));
    CHECK(has_line("int f(int); void h(void) { __asm__(\"call\\tf\"); }\n", "\nA f s\n"));
    CHECK(has_line("int f(int); void h(void) { __asm__(\"call\\tf\"); }\n", "\nC (assembly) -\n"));
    CHECK(!has_line("void h(void) { __asm__(\"bswap %0\" : \"+b\"(h)); }\n", "(assembly)"));
    CHECK(has_line("int g(void) __asm__(\"other\" \"_name\");\n", "\nA other_name s\n"));
    CHECK(has_line("#pragma redefine_extname a b\nint x;\n", "\nA b s\n"));
    CHECK(has_line("#pragma weak a = b\nint x;\n", "\nA a s\nA b s\n"));
    CHECK_STR(skeleton("int d(int *); int f(int n) { __attribute__((cleanup(d))) int x = g(n); "
                       "return x; }"), "(c0|)c1r");
    CHECK_STR(skeleton("int f(int n) { return n + 1'0 + g(2'000); }"), "c0r");
    CHECK_STR(skeleton("int f(int n, int a[g(n)]) { return n; }"), "left: call-in-bound");
    CHECK_STR(skeleton("int f(int n) { return sizeof(int[g(n)]); }"), "left: call-in-bound");
    CHECK_STR(skeleton("int f(int n) { int (*p)[n + g(n)]; return n; }"), "left: call-in-bound");
    CHECK_STR(skeleton("int f(int n) { __typeof__(n[g(n)]) x; return n; }"), "left: call-in-bound");
    CHECK_STR(skeleton("int f(int n) { ({ __typeof__(g(n)) x = (g(n)); (void)x; }); return n; }"), "c0r");
    CHECK_STR(skeleton("int f(int n) { char a[sizeof(int) * (int)(3)]; return g(a); }"), "c0r");
}

/* The number of rounds stands in the record only if nothing else can change the
   counter. */
TEST(bounds) {
    static const char *const bodies[] = {
        "(i)--", "(i) = 0", "k(&i)", "(*&i) = 0", "__asm__(\"\" : \"=r\"(i))", "i++", "i += 2",
        "(__extension__ i) = 0", "_Generic(0, int: i) = 0", "x: k(i)", "setjmp(i)", "int i = 0"};
    char source[400];
    size_t i;
    for (i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        snprintf(source, sizeof source,
                 "void f(void) { for (int i = 0; i < 3; i++) { %s; } }\n", bodies[i]);
        CHECK(has_line(source, "\nL f 1 - 1 0 c ") || has_line(source, "\nL f 1 - 1 0 - "));
    }
    CHECK(has_line("void f(void) { for (int i = 0; i < 9; i += 2) { k(i, a[i] + i * 2); } }\n",
                   "\nL f 1 - 1 5 "));
    CHECK(has_line("void f(void) { for (_Bool i = 0; i < 2; i++) k(i); }\n", "\nL f 1 - 1 0 "));
    CHECK(has_line("void f(void) { int i; for (i = 0; i < 2; i++) k(i); }\n", "\nL f 1 - 1 0 "));
}

TEST(letters_not_of_ascii) {
    CHECK(has_line("int gr\\U000000f6\\u00dfe(int n) { return n; }\n",
                   "\nF gr\303\266\303\237e g "));
}

static int has_check(const char *source, const char *function, const cc_choice *choice) {
    char *got = records(source, choice), line[200], *at, *flags;
    int found;
    snprintf(line, sizeof line, "F %s ", function);
    at = strstr(got, line);
    CHECK(at != NULL);
    flags = at ? strchr(at, '\n') : NULL;
    if (flags) *flags = 0;
    found = at && strstr(at, " c ") != NULL;
    free(got);
    return found;
}

TEST(entries_of_one_file) {
    static const char source[] =
        "# 1 \"x.c\"\nstatic int leaf(int a) { return a; }\n"
        "static int inner(int a) { return leaf(a); }\n"
        "static int even(int n); static int odd(int n) { return even(n - 1); }\n"
        "static int even(int n) { return n ? odd(n) : inner(n); }\n"
        "static int taken(int a) { return leaf(a); }\n"
        "int outer(int a) { return inner(a) + even(a); } int (*p)(int) = taken;\n";
    cc_choice choice;
    memset(&choice, 0, sizeof choice);
    CHECK_EQ(has_check(source, "leaf", &choice), 0);
    CHECK_EQ(has_check(source, "inner", &choice), 0);
    CHECK_EQ(has_check(source, "taken", &choice), 1);
    CHECK_EQ(has_check(source, "outer", &choice), 1);
    CHECK_EQ(has_check(source, "odd", &choice) + has_check(source, "even", &choice), 1);
    choice.entries = CC_ENTRIES_LEAF;
    CHECK_EQ(has_check(source, "leaf", &choice), 0);
    CHECK_EQ(has_check(source, "inner", &choice), 1);
    choice.entries = CC_ENTRIES_ALL;
    CHECK_EQ(has_check(source, "leaf", &choice), 1);
    choice.entries = CC_ENTRIES_NONE;
    CHECK_EQ(has_check(source, "outer", &choice), 0);
}

/* The author of an interpreter's loop knows more than any rule. */
TEST(author_chooses) {
    static const char source[] =
        "# 1 \"x.c\"\nint f(int a) { struct bursty_no_check; for (;;) { struct bursty_no_check; "
        "g(); } }\nint h(int a) { while (a) { struct bursty_check; a--; } return a; }\n"
        "int k(int a) { struct bursty_check; return a; }\n";
    cc_choice choice;
    char *got;
    memset(&choice, 0, sizeof choice);
    choice.loops = 4;
    CHECK_EQ(has_check(source, "f", &choice), 0);
    CHECK_EQ(has_check(source, "h", &choice), 0);
    CHECK_EQ(has_check(source, "k", &choice), 1);
    got = records(source, &choice);
    CHECK(strstr(got, "L f 1 - 1 0 - ") != NULL);
    CHECK(strstr(got, "L w 2 - 1 0 c ") != NULL);
    free(got);
    choice.entries = CC_ENTRIES_ALL;
    choice.loops = CC_LOOPS_ALL;
    CHECK_EQ(has_check(source, "f", &choice), 0);
}

TEST(plans) {
    static const char source[] = "# 1 \"x.c\"\nint f(void) { return g(); }\n";
    static const char fresh[] = "bursty plan 1\nP a%20b.c f c075b0d3398d0b92 0 - why\n";
    static const char stale[] = "bursty plan 1\nP a%20b.c f 0000000000000000 0 - why\n";
    static const char *const bad[] = {
        "", "bursty plan 2\n", "bursty plan 1\nP a b\n",
        "bursty plan 1\nP a f 0123456789abcdef 2 - x\n", "bursty plan 1\nQ a b c d e f\n",
        "bursty plan 1\nP a f 0123456789abcdef 1 1,,2 x\n",
        "bursty plan 1\nP a f 0123456789abcdeg 1 - x\n",
        "bursty plan 1\nOP a f 0123456789abcdef 1 - x\n", "bursty plan 1\nO a b\n"};
    static const char ways[] = "bursty plan 1\nO a.c f 0123456789abcdef 1 - x\n"
                               "P b.c f 0123456789abcdef 1 - x\nP d/c.c g 0123456789abcdef 1 0 x\n";
    text lines = {NULL, 0, 0};
    const char *missed;
    cc_choice choice;
    uint32_t line;
    size_t i;
    memset(&choice, 0, sizeof choice);
    CHECK_EQ(has_check(source, "f", &choice), 1);
    choice.plan = fresh;
    choice.plan_size = strlen(fresh);
    CHECK_EQ(cc_plan_check(fresh, strlen(fresh), &line), 0);
    CHECK_EQ(has_check(source, "f", &choice), 0);
    choice.plan = stale;
    CHECK_EQ(has_check(source, "f", &choice), 1);
    CHECK_EQ(cc_plan_check(ways, strlen(ways), &line), 0);
    CHECK_EQ(cc_way_of_plan(ways, strlen(ways), "a.c"), CC_PLAN_LATE);
    CHECK_EQ(cc_way_of_plan(ways, strlen(ways), "../a.c"), CC_PLAN_LATE);
    CHECK_EQ(cc_way_of_plan(ways, strlen(ways), "b.c"), CC_PLAN_SOURCE);
    CHECK_EQ(cc_way_of_plan(ways, strlen(ways), "c.c"), CC_PLAN_SOURCE);
    CHECK_EQ(cc_way_of_plan(ways, strlen(ways), "e.c"), CC_PLAN_UNKNOWN);
    cc_plan_of_unit(ways, strlen(ways), "./a.c", &lines, &missed);
    text_bytes(&lines, "", 1);
    CHECK(strcmp(lines.data, "P ./a.c f 0123456789abcdef 1 - x\n") == 0);
    text_free(&lines);
    for (i = 0; i < sizeof bad / sizeof *bad; i++) {
        CHECK_EQ(cc_plan_check(bad[i], strlen(bad[i]), &line), -1);
    }
}

/* ---- text ---- */

TEST(insertions_nest) {
    static const char source[] = "for (;;)\n  x;\n";
    cc_edits e;
    text out = {NULL, 0, 0};
    char *got;
    cc_edit_init(&e, source, strlen(source));
    cc_insert_open(&e, 11, "{");
    cc_insert_open(&e, 11, "A;");
    cc_insert_close(&e, 13, "i}");
    cc_insert_close(&e, 13, "o}");
    cc_insert_open(&e, 13, "next");
    cc_blank(&e, 8, 3);
    cc_edit_apply(&e, &out, "FRONT", 0);
    got = text_take(&out);
    CHECK_STR(got, "FRONTfor (;;)\n  {A;x;i}o}next\n");
    free(got);
    cc_edit_free(&e);
}

/* Every truncation and many changed bytes: no crash, and text that was not
   understood is refused or left alone. */
TEST(hostile_text) {
    static const char source[] =
        "# 1 \"x.c\" 3\n#pragma x\ntypedef int T; struct s { int a : 3; } v = { .a = 1 };\n"
        "int (*f(T a, int (*g)(int)))(int) { x: for (int i = 0; i < 3; i++) { a = a ? g(1) : "
        "({ int b = 2; b; }); if (a && !(T)a || sizeof(int[2])) goto x; } do switch (a) { case 1 "
        "... 2: default: break; } while (0); __asm__(\"f\" : \"=r\"(a)); return &f; }\n"
        "int k(a) int a; { static void *p[] = {&&l}; goto *p[0]; l: return k(1)(2); }\n";
    size_t size = sizeof source - 1, i;
    uint32_t seed = 1;
    for (i = 0; i < size * 3; i++) {
        char bytes[sizeof source];
        size_t length = i < size ? i : size;
        cc_request request;
        cc_result result;
        memcpy(bytes, source, sizeof source);
        if (i >= size) {
            seed = seed * 1664525u + 1013904223u;
            bytes[i % size] = "(){}[];:?&|\"'#\n, x*=<"[(seed >> 16) % 21];
        }
        memset(&request, 0, sizeof request);
        request.file = "x.c";
        request.choice.entries = CC_ENTRIES_ALL;
        request.choice.loops = CC_LOOPS_ALL;
        if (cc_rewrite(bytes, length, &request, &result) == 0) CHECK(result.out.size >= length);
        else CHECK(result.reason != NULL);
        cc_result_free(&result);
    }
}

/* Nothing recurses without a limit, and time stays linear. */
TEST(deep_and_long) {
    size_t count = 60000, i;
    char *source = (char *)malloc(count * 8 + 100), *at = source;
    cc_unit u;
    at += sprintf(at, "void f(int a) { a = ");
    for (i = 0; i < count; i++) *at++ = '(';
    for (i = 0; i < count; i++) *at++ = ')';
    at += sprintf(at, "; }");
    CHECK_EQ(cc_parse(&u, source, (size_t)(at - source)), 0);
    CHECK_STR(u.functions[0].reason, "too-deep");
    cc_unit_free(&u);
    at = source + sprintf(source, "void f(int a) { a = 1");
    for (i = 0; i < count; i++) at += sprintf(at, " || a");
    at += sprintf(at, "; }");
    CHECK_EQ(cc_parse(&u, source, (size_t)(at - source)), 0);
    CHECK_STR(u.functions[0].reason, "too-deep");
    cc_unit_free(&u);
    at = source + sprintf(source, "void f(int a) { ");
    for (i = 0; i < count; i++) at += sprintf(at, "a;");
    at += sprintf(at, " }");
    CHECK_EQ(cc_parse(&u, source, (size_t)(at - source)), 0);
    CHECK(u.functions[0].reason == NULL);
    cc_unit_free(&u);
    free(source);
}
