# random_cycles.awk - a random C program with cycles of many kinds, for test_place_random.sh.
#
#     awk -v seed=7 -v tame=0 -f random_cycles.awk >program.c
#
# The program counts its own rounds. Every entry of a function and every round of a loop or a goto is
# a PASS, which burns fuel; each decision asks for fuel, so the program ends when there is none left.
# ends_run counts passes and a check sets it to 0 (random_ends.c): if it ever gets as large as LIMIT,
# the program dies. tame=1: loops and gotos run a few rounds only, so that those which a set excuses
# (boring, quiet) stay far below LIMIT, and a cycle of calls without a check does not. Calls go so
# deep and no deeper, for all that returns from them passes no check.

function roll(n) {
    state = (state * 1103515245 + 12345) % 2147483648
    return int(state / 65536) % n
}
function put(line) { text = text sprintf("%*s%s\n", 4 * depth, "", line) }
# Functions of even numbers hold calls of one another alone; the others most likely have a check.
function any() { return pure ? 2 * roll(int((functions + 1) / 2)) : roll(functions) }

# An expression that calls some function, in one of the few ways that this program knows: where all
# ways are mixed, what one of them hides is taken by another.
function a_call(   k, f, g) {
    f = any(); g = any()
    k = way[roll(ways)]
    used[k] = 1
    if (k <= 3) return "f" f "(n + 1)"
    if (k == 4) return "same(f" f ")(n)"
    if (k == 5) return "(n & 1 ? f" f " : f" g ")(n)"
    if (k == 6) return "(fuel, f" f ")(n)"
    if (k == 7) return "(*table[(n & 3)])(n)"
    if (k == 8) return "all.run[(n & 1)](n)"
    if (k == 9) return "part()->one(n)"
    if (k == 10) return "((T)kept)(n)"
    if (k == 11) return "(p = f" f ")(n)"
    if (k == 12) return "(***f" f ")(n)"
    if (k == 13) return "({ T q = f" f "; q; })(n)"
    if (k == 14) return "apply(f" f ", n)"
    if (k == 15) return "((long (*)(long))f" f ")(n)"
    if (k == 16) return "sorted(n, order" roll(2) ")"
    if (k == 17) return "(same)(f" f ")(n)"
    if (k == 18) return "_Generic(n, long: f" f ", default: f" g ")(n)"
    if (k == 19) return "g" f "(n)"
    if (k == 20) return "__builtin_choose_expr(1, f" f ", 0)(n)"
    if (k == 21) { used[7] = 1; return "(p = 0, table[1])(n)" }
    if (k == 22) return "box.u.call(n)"
    return "(&f" f ")(n)"
}
# A decision that cannot be true for ever; and one that repeats something, a few times if tame.
function a_choice() { return "CHOOSE(" (2 + roll(3)) ")" }
function again() { return a_choice() (tame ? " && t[" labels++ % 40 "]++ < 3" : "") }

function statements(many) { while (many-- > 0) statement() }
function body(head, tail) {
    put(head); depth++; put("PASS;"); statements(1 + roll(2))
    if (roll(4) == 0) put("if (" a_choice() ") continue;")
    if (roll(4) == 0) put("if (" a_choice() ") break;")
    depth--; put(tail)
}

function statement(   k, l) {
    if (depth > 4) { put("n += 1;"); return }
    k = roll(22)
    if (k <= 5) put("if (" a_choice() ") n += " a_call() ";")
    else if (k == 6) body("while (" again() ") {", "}")
    else if (k == 7) body("do {", "} while (" again() ");")
    else if (k == 8) body("for (int i = 0; " again() "; i++) {", "}")
    else if (k == 9) {                           # a goto back
        l = ++gotos
        put("back" l ": PASS;"); statements(1 + roll(2)); put("if (" again() ") goto back" l ";")
    } else if (k == 10) {                        # computed gotos
        l = ++gotos
        put("{"); depth++
        put("static void *const to[] = {&&go" l ", &&end" l "};"); put("goto *to[!CHOOSE(2)];")
        put("go" l ": PASS;"); statements(1); put("goto *to[!(" again() ")];"); depth--
        put("end" l ":; }")
    } else if (k == 11) {
        put("if (" a_choice() ") {"); depth++; statements(1 + roll(2)); depth--
        put("} else {"); depth++; statements(roll(2)); depth--; put("}")
    } else if (k == 12) {
        put("switch (n & 3) {"); put("case 0:"); depth++; statements(1); depth--
        put("case 1:"); depth++; statements(1); put("break;"); depth--
        put("default:"); depth++; statements(1); depth--; put("}")
    } else if (k == 13) {
        used["cleanup"] = 1
        put("{ __attribute__((cleanup(ended" roll(2) "))) int gone = (int)n; (void)gone; }")
    } else if (k == 14) {
        put("for (int i = 0; i < " (1 + roll(4)) "; i++) { PASS; n += i; }")
    } else if (k == 15) {                        # a counter that something sets back
        put("for (int i = 0; i < 3; i++) { PASS; if (" again() ") " \
            (roll(2) ? "(i)--" : "*(&(i)) = 0") "; else i = 3; }")
    } else if (k == 16) put("if (CHOOSE(3) || (CHOOSE(2) && " a_call() " > 5)) n++;")
    else if (k == 17) put("do { n++; if (CHOOSE(2)) continue; n++; } while (0);")
    else if (k == 18) {                          # Duff's device
        put("switch (n & 1) { case 0: do { PASS; n++;"); put("case 1: n += 2;")
        put("} while (" again() "); }")
    } else if (k == 19 && used[7]) put("{ T q = table[n & 3]; while (" again() ") { PASS; n += q(n); } }")
    else if (k == 20) put("if (" a_choice() ") return n;")
    else put("n += ({ long m = " a_choice() " ? " a_call() " : n; m; });")
}

function a_function(i,   l) {
    depth = 0; labels = 0
    put((i % 3 ? "static " : "") "long f" i "(long n) {"); depth = 1
    put("ENTER;")
    if (tame) put("int t[40] = {0};")
    pure = i % 2 == 0
    if (!pure) statements(2 + roll(4))
    else for (l = 0; l < 2; l++) put("if (CHOOSE(8)) n += " a_call() ";")
    put(roll(2) ? "return " a_choice() " ? " a_call() " : n;" : "return n;")   # may be a tail call
    depth = 0; put("}")
}
# The address of some function, if calls of that kind are used.
function address(k) { return used[k] ? "f" any() : "0" }

BEGIN {
    state = seed * 7919 + 17
    for (i = 0; i < 5; i++) roll(2)
    functions = 3 + roll(6)
    ways = 1 + roll(2)
    for (i = 0; i < ways; i++) way[i] = 3 + roll(21)
    for (i = 0; i < functions; i++) a_function(i)
    pure = 1
    print "#include <stdlib.h>"
    print "typedef long (*T)(long);"
    print "extern long fuel, ends_run;"
    print "extern char *ends_stack;"
    print "#define LIMIT 6000"
    print "#define PASS (fuel-- > 0 && ++ends_run > LIMIT ? __builtin_trap() : (void)0)"
    print "#define DEPTH (ends_stack - (char *)__builtin_frame_address(0))"
    print "#define ENTER do { PASS; if (fuel < 0 || DEPTH > 30000) return n; } while (0)"
    print "#define CHOOSE(n) (fuel > 0 && (chance = chance * 1103515245u + 12345u, " \
          "(chance >> 16) % (n)) != 0)"
    print "static unsigned chance = " (seed + 1) ";"
    for (i = 0; i < functions; i++) {
        printf "%slong f%d(long n);\n", i % 3 ? "static " : "", i
        if (i % 3) printf "static long g%d(long n) { return f%d(n); }\n", i, i
        else printf "long g%d(long n)%s;\n", i, used[19] ? " __attribute__((alias(\"f" i "\")))" : ""
    }
    print "static T p, table[4] = {" address(7) ", " address(7) ", " address(7) ", " address(7) "};"
    print "static struct { int id; T run[2]; } all = {1, {" address(8) ", " address(8) "}};"
    print "static struct part { T one; } the_part = {" address(9) "};"
    print "static long kept;"
    print "static struct { union { void (*plain)(void); T call; } u; } box;"
    print "static struct part *part(void) { return &the_part; }"
    print "static T same(T a) { return a; }"
    print "static long apply(T a, long n) { return a(n); }"
    print "static void ended0(int *n) { " (used["cleanup"] ? "if (CHOOSE(2)) f" any() "(*n);" : "") " }"
    print "static void ended1(int *n) { (void)n; }"
    if (used[16]) {
        print "static int order0(const void *a, const void *b) {"
        print "    return CHOOSE(2) ? (int)f" any() "(3) : a < b;"
        print "}"
        print "static int order1(const void *a, const void *b) { return a < b; }"
        print "static long sorted(long n, int (*order)(const void *, const void *)) {"
        print "    long two[2] = {1, 2};"
        print "    qsort(two, 2, sizeof *two, order);"
        print "    return n + two[0];"
        print "}"
    }
    printf "%s", text
    print "int main(void) {"
    if (used[10]) print "    kept = (long)f" any() ";"
    if (used[22]) print "    box.u.plain = (void (*)(void))f" any() ";"
    print "    ends_stack = __builtin_frame_address(0);"
    print "    while (fuel > 0) {"
    print "        fuel -= 100;"
    print "        ends_run = 0;"
    for (i = 0; i < functions; i++) print "        f" i "(1);"
    print "    }"
    print "    return 0;"
    print "}"
}
