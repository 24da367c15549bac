#!/bin/sh
# test_cover_clang.sh - what `bursty cc --cover` puts into clang's text: random programs that count
# their own lines (SEEDS: which), what has no place for a counter, branches that nobody wrote, names,
# lines in other files, -g, and options that write files beside the object. The rest of C++ is in
# test_cover_cxx.sh.
set -u
cd "$(dirname "$0")/.." || exit 2
. tests/check.sh
CC=${CC:-cc} BUILD=${BUILD:-build}
case $BUILD in /*) ;; *) BUILD=$PWD/$BUILD ;; esac
tests=$PWD/tests dir=$BUILD/tests/cover_clang
rm -rf "$dir"
mkdir -p "$dir/tmp" && cd "$dir" || exit 2
BURSTY_CACHE=$dir/../cc_runtime TMPDIR=$dir/tmp
export BURSTY_CACHE TMPDIR
unset BURSTY_TEST BURSTY_COVERAGE BURSTY_COVERAGE_SIGNALS
bursty() { "$BUILD/bursty" "$@"; }
echo '#include <stdlib.h>
int main() { try { throw 1; } catch (int) { return 0; } }' >probe.cc
clang=
for one in ${CXX:-} clang++-19 clang++-14 clang++; do
    case $one in *clang++*) ;; *) continue ;; esac
    if $one probe.cc -o probe 2>/dev/null && ./probe; then clang=$one && break; fi
done
[ "$(uname)" = Linux ] && [ -n "$clang" ] || leave 'no clang++ that works'
cxx() { bursty cc --cover --list=left -- "$clang" -fPIC -w "$@"; }
lcov() { bursty report --lcov "$@" coverage.brst >lcov 2>log; [ ! -s log ] || fail "$(cat log)"
    awk -f "$tests/edgeprof/lcov_rules.awk" lcov >log && pass || fail "LCOV 2: $(cat log)"; }
is() { # LINE=COUNT...
    for one in "$@"; do
        if grep -qx "DA:${one%=*},${one#*=}" lcov; then pass
        else fail "line ${one%=*} is not ${one#*=}: $(grep "^DA:${one%=*}," lcov)"; fi
    done
}

# Random programs, as in test_cc_exits.sh, in C++.
$CC -w -o make_exits "$tests/make_exits.c" || fail 'builds make_exits'
for seed in ${SEEDS:-2}; do
    ./make_exits $seed >random.cc
    rm -f truth coverage.brst
    $clang -w -DTRUTH -o truthful random.cc || fail "seed $seed"
    cxx -g -O2 -o own random.cc || fail "seed $seed"
    for run in '0 1' "2 $seed" '9 3'; do
        # shellcheck disable=SC2086
        { ./truthful $run >said; ./own $run >own.said; }
        check "seed $seed: output" cmp -s said own.said
    done
    lcov
    grep -n HIT random.cc | sed 's/:.*//' | awk '$1 > 22' >places
    sed -n 's/^DA:\([0-9]*\),/\1 /p' lcov >got
    awk '
        FILENAME == "truth" { truth[$1] += $2; next }
        FILENAME == "got" { got[$1] = $2; next }
        $1 in got { n++ }
        $1 in got && truth[$1] + 0 != got[$1] { print "line " $1 ": " got[$1] ", truth " truth[$1] + 0 }
        !($1 in got) && truth[$1] { less++ }
        END { if (n < 200 || less > 2) print n " lines, " less " lacking" }' truth got places >log
    if [ -s log ]; then fail "seed $seed: $(head -n 4 log)"; else pass; fi
done

# Variants of one destructor: with a body of nothing, of a class with a virtual base, deleting ones;
# and functions that only look like them.
cat >variants.cc <<'E'
struct node {
    virtual ~node();
    int a;
};
node::~node() {
    a = 0; /* runs 9 */
}
struct text : node {
    ~text() {} /* runs 4 */
};
struct left : virtual node {
    int b;
    left() : b(2) {} /* runs 5 */
    ~left() { b = 0; } /* runs 5 */
};
struct heir : left {
    using left::left;
};
struct a {
    static int D2() { return 1; } /* runs 4 */
    static int D1() { return D2(); } /* runs 4 */
};
int main() {
    for (int i = 0; i < 4; i++) {
        text t; /* runs 4 */
        left l;
        a::D1();
    }
    node *h = new heir;
    delete h; /* runs 1 */
    return 0;
}
E
for options in -O0 -O2; do
    rm -f coverage.brst
    cxx $options variants.cc -o variants && ./variants || fail 'variants'
    lcov
    # shellcheck disable=SC2046
    is $(awk 'match($0, /runs [0-9]+/) { print NR "=" substr($0, RSTART + 5, RLENGTH - 5) }' variants.cc)
    check "$options: four calls of ~text" grep -qx 'FNDA:4,text::~text()' lcov
done

cat >part.inc <<'E'
    if (n > 7)
        n -= 2;
E
cat >odd.cc <<'E'
extern "C" void exit(int);
static int computed(int n) {
    static void *const to[] = {&&one, &&two};
    goto *to[n & 1];
one:
    return 1;
two:
    return 2;
}
struct closer {
    int *n;
    closer(int *k) : n(k) {}
    ~closer() {
        ++*n;
    }
};
static int leaf(int n) { return n + 1; }
static int kinds(int n) {
    switch (n) {
    case 1 ... 3:
        return leaf(n);
    case 5:
        n++; break;
    }
#include "part.inc"
    return n;
}
int first = kinds(2);
static int cleans(int n) {
    for (int i = 0; i < 2; i++) {
        closer c(&n);
        if (n == 3)
            return n;
    }
    return n > 1 && n < 9 ?
        closer(&n).n[0] : 0;
}
static int thrown(int n) {
    try {
        closer c(&n);
        if (n > 1)
            throw n;
        if (n)
            throw 'c';
    } catch (int k) {
        return -k;
    } catch (char) {
        return 0;
    }
    return n;
}
static int lost(int n) {
    if (n > 8)
        exit(0);
    return n;
}
int main(int argc, char **) {
    auto half = [](int n) {
        return n / 2;
    };
    int array[2] = {leaf(1), leaf(2)};
    argc += computed(0) + kinds(5) + kinds(10) + cleans(2) + cleans(5);
    argc += thrown(0) + thrown(1) + thrown(2) + half(2) + array[1];
    argc = lost(1) +
        lost(9) +
        lost(2);
    return argc;
}
E
reference=
for options in -O0 '-O2 -g'; do
    rm -f coverage.brst left
    # shellcheck disable=SC2086
    cxx $options odd.cc -o odd 2>said || { fail "$options: $(cat said)"; continue; }
    check "$options: what has no counters is in the list" \
        grep -q 'odd.cc:2: computed(int): left alone: it jumps where no counter can stand' left
    check "$options: nothing else" test "$(wc -l <left)" = 1
    ./odd
    check "$options: ends" test $? = 0
    bursty report --lcov coverage.brst >lcov 2>log
    check "$options: and in the report" grep -q 'odd.cc:2: computed(int) is not measured' log
    is 2=0 4=0 6=0 8=0
    lcov --measured-only
    is 12=8 14=8 17=3 19=3 21=1 23=1 26=2 28=1 29=2 30=5 31=4 32=4 33=1 35=1 36=1 38=3 40=3 41=3
    is 42=1 43=2 44=1 46=1 48=1 50=1 52=2 53=2 54=1 55=1 57=1 59=1 64=1 65=1 66=0 67=0
    check "$options: branches of the source" \
        test "$(grep -c -E '^BRDA:(19|30|32|35|41|43|53),' lcov)" = 17
    check "$options: no others" test "$(grep -c '^BRDA:' lcov)" = 19
    check "$options: lines of the other file" \
        sh -c 'awk "/^SF:.*part.inc$/ { p = 1 } p" lcov | grep -qx "DA:2,1"'
    check "$options: its branches stand there alone" \
        test "$(awk '/^SF/ { p = /part.inc$/ } p && /^BRDA:1,/' lcov | wc -l)" = 2
    # shellcheck disable=SC2016
    check "$options: a lambda has its name" grep -q 'FNDA:1,main::$_0::operator()(int) const' lcov
    check "$options: what sets a variable up is no function" lacks lcov ^FN: __cxx_global
    grep -E '^(DA:[0-9]*,[1-9]|FNDA|SF)' lcov | grep -v '^DA:58,' >plain
    [ -n "$reference" ] || cp plain reference
    reference=yes
    # Only with optimization clang 14 knows the last brace, which nothing reaches, and code that
    # makes the lambda.
    check "$options: the same lines ran" cmp -s plain reference
done

# Threads share counters.
cat >threads.cc <<'E'
#include <pthread.h>
static int many(int n) {
    return n & 1;
}
static void *work(void *) {
    for (int i = 0; i < 20000; i++)
        many(i);
    return 0;
}
int main() {
    pthread_t a, b;
    pthread_create(&a, 0, work, 0);
    pthread_create(&b, 0, work, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
E
rm -f coverage.brst
cxx -pthread threads.cc -o threads && ./threads
lcov
is 3=40000 5=2
case $(uname -m) in x86_64 | i?86)
    cxx -pthread -c threads.cc -o threads.o
    check 'by atomic instructions' sh -c 'objdump -d threads.o | grep -q "lock *\(inc\|add\|xadd\)"' ;;
esac

# A chosen function; a source of which nothing counts; messages; files beside the object.
rm -f coverage.brst
bursty cc --cover '--only=kinds' -- "$clang" -fPIC -w odd.cc -o odd && ./odd
lcov
check 'only this' test "$(grep -c ^FN: lcov)" = 1
echo 'int nothing;' >empty.cc
check 'nothing to count' cxx -c empty.cc -o empty.o
check 'and nothing is there' lacks empty.o ELF bursty
cxx -MD -c odd.cc -o odd.o
check 'dependencies' grep -q '^odd.o: odd.cc part.inc' odd.d
cxx -Wp,-MD,aside.d -c odd.cc -o odd.o
check 'dependencies, aside' grep -q '^odd.o: odd.cc' aside.d
# A source in a folder beside the compiler's; its text changes.
mkdir -p far/src far/out
echo 'n++;' >far/src/step.inc
for way in '<' '>'; do
    printf 'int main(int n, char **) {\n#include "step.inc"\n    if (n %s 2)\n        n--;\n    return 0;\n}\n' "$way" >far/src/one.cc
    (cd far/out && cxx "$dir/far/src/one.cc" -o one && BURSTY_COVERAGE=../../coverage.brst ./one 2)
done
bursty report --lcov coverage.brst >lcov 2>/dev/null
check 'its name' grep -q "^SF:.*/far/src/one.cc$" lcov
is 4=1
check 'a branch is of its own file' test "$(awk '/^SF/ { p = /step/ } p && /^BRDA/' lcov | wc -l)" = 0
check 'the counts of the older text are not added' grep -q '^FNDA:1,main' lcov
echo 'static int unused(int n) { int k; return n; }' >warns.cc
bursty cc --cover -- "$clang" -fPIC -Wall -c warns.cc -o warns.o 2>said
check 'a warning is of the source' grep -q '^warns.cc:1:32: warning: ' said
check 'once' test "$(grep -c 'unused variable' said)" = 1
finish
