# programs.awk - writes a random program of many functions, in macros of main.c,
# which includes it twice: once as bursty.h's macros, once as a model's.
#
#   awk -v seed=1 -v functions=40 -f programs.awk
#
# A function is of one of seven kinds: how it checks at its entry. Its statements
# are events, stores, loops of every kind, calls, early returns and two copies
# that are written by hand, and questions that look at the schedule. Leaves and the bodies of FOR_LEAF hold no check.
function below(n) {
    state = (state * 16807) % 2147483647
    return int(state / 3) % n
}
function line(text) { printf "%*s%s\n", 4 * indent, "", text }
function variable() { return loops ? "x + i" loops : "x" }

function event(    kind) {
    kind = below(3)
    if (kind == 0) line("SOME(" ++ids ")")
    else line("REF(" ++ids ")")
}

function way_out(in_loop,    kind) {
    kind = below(in_loop ? 4 : 1)
    if (kind == 0) line("if (" variable() " % " 5 + below(9) " == 3) { return x + " below(9) "; }")
    else if (kind == 1) line("if (" variable() " % " 4 + below(9) " == 2) { break; }")
    else if (kind == 2) line("if (" variable() " % " 3 + below(9) " == 1) { continue; }")
    else line("x ^= i" loops ";")
}

function leaf_statement(in_loop,    kind) {
    kind = below(6)
    if (kind < 3) event()
    else if (kind == 3) line("cells[x & 63] += x;")
    else if (kind == 4) line("x = (x * 5 + 1) & 4095;")
    else way_out(in_loop)
}

function body(depth, leaf, in_loop,    n) {
    indent++
    n = 1 + below(4)
    while (n-- > 0) {
        if (leaf) leaf_statement(in_loop)
        else statement(depth, in_loop)
    }
    indent--
}

function loop(depth,    kind, range, end) {
    kind = below(6)
    loops++
    range = "i" loops ", " below(3) ", " 1 + below(6)
    end = "})"
    if (kind == 0) line("FOR(" range ", {")
    else if (kind == 1) line("FOR_LEAF(" range ", {")
    else {
        line("{")
        line("int i" loops ";")
        line("for (i" loops " = 0; i" loops " < " 1 + below(9) "; i" loops "++)" \
             (kind < 4 ? " BODY({" : kind == 4 ? " { LOOP(" me ")" : " { CHECKED()"))
        end = kind < 4 ? "}) }" : "} }"
    }
    body(depth - 1, kind == 1, 1)
    line(end)
    loops--
}

function statement(depth, in_loop,    kind) {
    kind = below(depth > 0 ? 13 : 9)
    if (kind < 4) leaf_statement(in_loop)
    else if (kind == 4) line(below(8) ? "POINT(" ++ids ")" : "LOOKS()")
    else if (kind == 5) line("x = SAME(" leaf[below(leaves)] ", d - 1, x);")
    else if (kind == 6) line("x ^= CALL(" leaf[below(leaves)] ", d - 1, x);")
    else if (kind == 7 || kind == 8) line("x = (x + CALL(" below(functions) ", d - 1, " variable() ")) & 4095;")
    else if (kind == 9) {
        line("if (CHECK()) {")
        body(0, 1, 0)
        line("} else {")
        body(0, 1, 0)
        line("}")
    } else loop(depth)
}

BEGIN {
    state = 1000003 * seed + 17
    split("DUAL DUAL ENTERED SCOPED CHECKING PLAIN LEAF", kinds)
    for (me = 0; me < functions; me++) {
        kind[me] = me == 0 ? "LEAF" : me == 1 ? "DUAL" : kinds[1 + below(7)]
        if (kind[me] == "LEAF") leaf[leaves++] = me
        print "DECLARE(" me ")"
    }
    for (me = 0; me < functions; me++) if (kind[me] == "LEAF") define()
    for (me = 0; me < functions; me++) if (kind[me] != "LEAF") define()
    print "\nSTART {\n    switch (x % " functions ") {"
    for (me = 1; me < functions; me++) print "    case " me ": return CALL(" me ", d, x);"
    print "    default: return CALL(0, d, x);\n    }\n}"
}

function define() {
    print "\n" kind[me] "(" me ") {"
    indent = 1
    line("BEGINS_" kind[me] "(" me ")")
    line("if (d <= 0 || fuel-- <= 0) { return x; }")
    indent = 0
    body(2, kind[me] == "LEAF", 0)
    body(2, kind[me] == "LEAF", 0)
    print "    return x & 4095;\n}"
}
