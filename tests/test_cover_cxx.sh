#!/bin/sh
# test_cover_cxx.sh - bursty cc --cover of C++ by gcc's own counters and notes, or in clang's text:
# beside C in one dump and one report, runs that add up in place, functions that many objects have,
# ends of programs that gcov loses, shared libraries, and what is left alone.
set -u
cd "$(dirname "$0")/.." || exit 2
. tests/check.sh
in_folder cover_cxx
shares_runtime
mkdir -p sub
bursty() { "$build/bursty" "$@"; }
# One kind of code for all, so that the runtime is compiled once.
# shellcheck disable=SC2086
cxx() { bursty cc --cover -- $CXX -fPIC -pthread "$@"; }
# shellcheck disable=SC2086
cc() { bursty cc --cover -- $CC "$@"; }

cat >probe.cc <<'E'
#if defined(__linux__) && defined(__ELF__) && \
    (defined(__clang__) ? __clang_major__ >= 13 : __GNUC__ >= 11 && __GNUC__ <= 14) && \
    (defined(__x86_64__) || defined(__i386__) || defined(__aarch64__))
int main() { try { throw 1; } catch (int) { return 0; } }
#else
#error "not known"
#endif
E
# Whoever has no such compiler has C++ as it was, and a line in the list.
echo 'int main() { return 0; }' >plain.cc
if ! $CXX probe.cc -o probe 2>probe.log || ! ./probe; then
    if $CXX plain.cc -o plain 2>/dev/null; then
        check 'another compiler' bursty cc --cover --list=left -- $CXX plain.cc -o plain
        check 'another compiler: the list' grep -q 'plain.cc:1: the file: left alone: C++' left
    fi
    leave 'another compiler than gcc 11 to 14 or clang on Linux'
fi

cat >pair.h <<'E'
template <class T> T larger(T a, T b) {
    if (a > b)
        return a;
    return b;
}
struct shape {
    virtual ~shape() {}
    virtual int sides() const { return 0; }
};
inline int twice(int n) {
    return n > 100 ? 100 : 2 * n;
}
E
cat >main.cc <<'E'
#include "pair.h"
extern "C" int half(int n);
int other(int n);
namespace shop {
struct square : shape {
    int sides() const override { return 4; }
};
int pay(int n) {
    try {
        if (n > 1)
            throw n;
    } catch (int caught) {
        return caught;
    }
    return 0;
}
int never(int n) {
    return n;
}
}
int main(int argc, char **) {
    shop::square s;
    const shape &one = s;
    return one.sides() + larger(argc, 2) + twice(argc) + half(argc) + other(argc) +
           shop::pay(argc) == 99;
}
E
cat >sub/other.cc <<'E'
#include "../pair.h"
int other(int n) {
    auto three = [](int k) { return k / 3; };
    return larger(n, 5) + twice(500) + (int)larger(1.5, 0.5) + three(n);
}
E
echo 'int half(int n) { return n > 1 ? n / 2 : 0; }' >half.c

{ cxx -c main.cc -o main.o && cxx -c sub/other.cc -o other.o && cc -c half.c -o half.o &&
    cxx main.o other.o half.o -o prog; } || fail 'builds'
check 'the program runs' ./prog
check 'one dump' test -s coverage.brst
check 'no other files' sh -c '! ls *.gcno *.gcda sub/*.gc* 2>/dev/null'
size=$(wc -c <coverage.brst)
./prog 2
check 'runs add up in place' test "$(wc -c <coverage.brst)" = "$size"
bursty report --lcov coverage.brst >all.info 2>said
check 'says nothing' test ! -s said
rules() { # WHAT: version 2 of LCOV takes the report
    check "$1: LCOV 2 takes it" awk -f "$top/tests/edgeprof/lcov_rules.awk" all.info
}
rules 'two files'
of_file() { # FILE: its records
    awk -v name="/$1" 'index($0, "SF:") == 1 {
        p = length($0) >= length(name) && substr($0, length($0) - length(name) + 1) == name
    } p' all.info
}
is() { # FILE RECORD
    if of_file "$1" | grep -qxF -e "$2"; then pass; return; fi
    fail "$1 has no $2"
    of_file "$1" | grep "^${2%%:*}" | tr '\n' ' '
    echo
}
is half.c 'DA:1,2'
is half.c 'FNDA:2,half'
is main.cc 'FNDA:2,main'
is main.cc 'FNDA:2,shop::pay(int)'
is main.cc 'FNDA:0,shop::never(int)'
is main.cc 'FNDA:2,shop::square::sides() const'
is main.cc 'DA:10,2'
is main.cc 'DA:11,1'
is main.cc 'DA:13,1'
is main.cc 'DA:15,1'
is main.cc 'DA:18,0'
# One header in two objects: each function once, all counts added up.
is pair.h 'FNDA:4,int larger<int>(int, int)'
is pair.h 'FNDA:2,double larger<double>(double, double)'
is pair.h 'FNDA:4,twice(int)'
is pair.h 'DA:2,6'
is pair.h 'DA:3,2'
is pair.h 'DA:4,4'
is pair.h 'FNDA:2,shape::~shape()'
is other.cc 'DA:4,2'
check 'a function with several instances stands once' \
    test "$(of_file pair.h | grep -c 'FN:.*larger<int>')" = 1
check 'nor does a destructor stand twice' test "$(of_file pair.h | grep -c 'FN:.*~shape')" = 1
check 'a call that may throw is no branch' lacks all.info ^BRDA: ^BRDA:23,
check 'branches are' test "$(of_file pair.h | grep -c '^BRDA:2,')" = 4

# The other forms.
bursty report --cobertura coverage.brst >all.xml
check 'Cobertura' grep -q 'name="shop::pay(int)"' all.xml
bursty report --fail-under lines=80 coverage.brst >said 2>&1
check 'a gate that passes' test $? = 0
bursty report --fail-under 99 coverage.brst >said 2>&1
check 'a gate that does not' test $? = 3
printf -- '--- a/main.cc\n+++ b/main.cc\n@@ -17,1 +17,1 @@\n-x\n+int never(int n) {\n' >change
bursty report --lcov --diff change coverage.brst >diff.info
check 'a diff' grep -q '^DA:17,0' diff.info
check 'of its lines alone' test "$(grep -c '^DA' diff.info)" = 1
BURSTY_TEST=wide ./prog 2 3 4
bursty report --tests-of main.cc:13 coverage.brst >said
check 'the tests of a line' grep -q wide said
bursty merge coverage.brst coverage.brst -o two.brst && bursty report --lcov two.brst >all.info
is pair.h 'FNDA:8,int larger<int>(int, int)' # of both runs without a test, twice
is pair.h 'FNDA:4,int larger<int>(int, int)'

# A program without its tables, and objects that have them.
rm -f coverage.brst
if objcopy -R .bursty.cover prog bare 2>bare.log && ./bare; then
    bursty report --lcov coverage.brst main.o other.o half.o >all.info 2>said
    check 'tables out of objects' test ! -s said
    is main.cc 'FNDA:1,main'
fi
# The same text makes the same object. One of another text is another build.
cp main.o first.o
cxx -c main.cc -o main.o
check 'the same object again' cmp -s main.o first.o
rm -f coverage.brst
./prog
sed 's/n > 1)/n > 0)/' main.cc >new && cat new >main.cc
bursty report coverage.brst >said
check 'a changed source' grep -q 'changed sources' said
cxx -c main.cc -o main.o && cxx main.o other.o half.o -o prog && ./prog
bursty report --lcov coverage.brst >all.info
is main.cc 'DA:11,1'
is main.cc 'FNDA:1,main'

# With debug information, which may repeat how the compiler was called.
for options in -g '-g3 -gdwarf-4' '-g -gz' '-g -gsplit-dwarf' '-g -frecord-gcc-switches'; do
    rm -f coverage.brst
    # shellcheck disable=SC2086
    cxx $options plain.cc -o plain 2>said && ./plain
    bursty report --lcov coverage.brst >all.info 2>>said
    check "$options: counts: $(cat said)" grep -q '^DA:1,1' all.info
done
cxx -g -c plain.cc -o plain.o && cp plain.o first.o && cxx -g -c plain.cc -o plain.o
check 'the same object again with -g' cmp -s plain.o first.o

# Choices of functions; sources and objects in one command.
rm -f coverage.brst
# shellcheck disable=SC2086
bursty cc --cover '--only=shop::*' -- $CXX -fPIC -pthread main.cc sub/other.cc half.o -o only && ./only
bursty report --lcov --exclude '*.c' coverage.brst >all.info 2>said
is main.cc 'FNDA:1,shop::pay(int)'
check 'only these' test "$(grep -c '^FN:' all.info)" = 3
check 'counts of others are no fault' test ! -s said
(cd sub && cxx -MD -c other.cc)
check 'dependencies' grep -q '^other.o:' sub/other.d
# shellcheck disable=SC2086
bursty cc --cover --list=left -- $CXX --coverage -c plain.cc -o own.o
# shellcheck disable=SC2086
bursty cc --cover=mcdc --list=without -- $CXX -c plain.cc -o own.o
check 'no MC/DC' grep -q 'plain.cc:1: the file: without MC/DC: C++' without
check "gcc's own profile is left alone" grep -q 'plain.cc:1: the file: left alone' left
echo 'int broken( { }' >broken.cc
cxx -c broken.cc 2>said
check 'an error is an error' test $? = 1

# ---- ends ----

cat >ends.cc <<'E'
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <pthread.h>
#include <sys/wait.h>
struct ender {
    int code;
    ~ender() {
        if (code)
            exit(0);
        code = 1;
    }
};
static int deep(int n, const char *how) {
    if (n > 0) {
        n = deep(n - 1, how);
        return n + 1;
    }
    if (!strcmp(how, "throw")) throw 1;
    if (!strcmp(how, "_exit")) _exit(0);
    if (!strcmp(how, "quick")) quick_exit(0);
    if (!strcmp(how, "abort")) abort();
    if (!strcmp(how, "exec")) execl("/bin/true", "true", (char *)0);
    if (!strcmp(how, "fork")) {
        pid_t child = fork();
        if (child == 0)
            return 0;
        waitpid(child, &n, 0);
    }
    return n;
}
static int sure(const char *how) noexcept {
    return deep(2, how);
}
static volatile int waiting;
static void *waits(void *) {
    waiting = 0;
    for (;;)
        waiting = 1, pause();
}
struct global {
    ~global() {
        waiting = 2;
    }
} at_end;
int main(int argc, char **argv) {
    const char *how = argc > 1 ? argv[1] : "";
    if (!strcmp(how, "destructor")) {
        ender e{1};
        waiting = 0;
    }
    if (!strcmp(how, "noexcept"))
        return sure("throw");
    if (!strcmp(how, "thread")) {
        pthread_t thread;
        pthread_create(&thread, NULL, waits, NULL);
        while (!waiting)
            usleep(100);
        /* It is in the line of its pause. */
        return 0;
    }
    if (!strcmp(how, "catch")) {
        try {
            deep(3, "throw");
        } catch (int) {
            return 0;
        }
    }
    deep(3, how);
    return 0;
}
E
cxx -w ends.cc -o ends || fail 'builds ends'
ends() { # HOW LINE=COUNT...
    how=$1
    shift
    rm -f coverage.brst
    sh -c "ulimit -c 0; ./ends $how; :" >/dev/null 2>&1
    bursty report --lcov coverage.brst >all.info 2>said || fail "$how: no dump"
    [ ! -s said ] || fail "$how: $(cat said)"
    rules "$how"
    for one in "$@"; do
        if grep -qx "DA:${one%=*},${one#*=}" all.info; then pass
        else fail "$how: line ${one%=*} is not ${one#*=}"; fi
    done
}
ends none 14=4 16=3 17=3 30=1 43=1 69=1
ends destructor 8=1 9=1 10=1 11=0 43=1 50=1 52=0
ends throw 14=4 16=3 17=0 19=1 20=0 43=0 69=1 70=0
ends noexcept 33=1 14=3 16=2 17=0 19=1 43=0 53=1
ends _exit 14=4 17=0 20=1 21=0 43=0 69=1
ends quick 21=1 22=0 17=0
ends abort 22=1 23=0 17=0
ends exec 23=1 24=0 16=3 17=0
# gcc counts what comes behind the call on its line, clang the line before it.
case $($CXX --version) in *clang*) before=3 ;; *) before=6 ;; esac
ends fork 14=4 16=$before 17=6 25=1 26=2 27=1 28=1 30=1 43=2 69=1 70=2
ends thread 37=1 39=1 60=1
ends catch 16=3 17=0 19=1 66=1 69=0

# Before main begins.
cat >early.cc <<'E'
#include <stdlib.h>
struct first {
    first() {
        if (getenv("STOP"))
            exit(0);
        if (getenv("THROW"))
            throw 1;
    }
} one;
int main() {
    return 0;
}
E
cxx -w early.cc -o ends || fail 'builds early'
STOP=1
export STOP
ends none 5=1 6=0 11=0
unset STOP
THROW=1
export THROW
ends none 6=1 7=1 8=0 11=0
unset THROW

# ---- what cleans up while an exception is on its way ----

cat >pads.cc <<'E'
#include <map>
#include <string>
#include <vector>
#include <stdexcept>
#include <cstdlib>
struct loud { std::string s; loud(const char *p) : s(p) { if (s == "bad") throw std::runtime_error(s); } ~loud() { if (s.size() > 90) std::abort(); } };
static int lists(int n) {
    std::vector<std::string> v{"a", "b", "c"};
    std::map<std::string, int> t = {{"a", 1}, {"b", 2}};
    std::string s[2] = {"x", "y"};
    return n + (int)v.size() + (int)t.size() + (s[0] == "x");
}
static int guarded(const char *p) {
    loud one("ok"), two(p);
    if (one.s == two.s)
        return 2;
    return 1;
}
static int caught(const char *p) {
    try {
        loud all[3] = {"a", "b", p};
        return all[0].s.size() > 3 ? 1 : 0;
    } catch (const std::runtime_error &e) {
        if (std::string(e.what()) == "bad")
            return 5;
        throw;
    } catch (...) {
        return 6;
    }
}
#define TRY(e) do { try { (void)(e); } catch (...) { if (getenv("HOME")) count++; } } while (0)
static int count;
template <class T> T pick(T a, T b) { return a < b ? b : a; }
static int ends(int n) {
    if (n > 100) { std::exit(n - 101); if (count) return 1; }
    return pick(n, 2) + pick(std::string("a"), std::string("b")).size();
}
int main(int argc, char **argv) {
    int n = lists(argc);
    n += guarded("ok") + guarded("no") + caught("c") + caught("bad");
    TRY(guarded("bad"));
    TRY(guarded("fine"));
    static const std::vector<loud> table{"u", "v"};
    auto f = [&](int k) { std::string q[2] = {"1", "2"}; return k ? q[0] : q[1]; };
    n += f(0).size() + table.size();
    (void)argv;
    return ends(argc + 100) == n;
}
E
for options in -O0 -O2; do
    rm -f coverage.brst
    cxx $options -w pads.cc -o pads && ./pads
    bursty report --lcov coverage.brst >all.info
    rules "pads, $options"
    # The loops that take lists down run, too; those for an exception alone do not count.
    check "$options: no branches of clean-ups" sh -c '! grep -q "^BRDA:\(10\|11\)," all.info'
    check "$options: those of a handler" test "$(grep -c '^BRDA:24,' all.info)" = 2
    check "$options: those of a function" test "$(grep -c '^BRDA:15,' all.info)" = 2
done
cat >twice.c <<'E'
#ifdef MAIN
int one(int), two(int); int main(void) { return one(1) + two(2) != 5; }
#elif defined A
static int pick(int x) { return x + 1; }
int one(int x) { return pick(x); }
#else
int two(int x);

static int pick(int x) { return x > 9 ? 0 : x + 1; }
int two(int x) { return pick(x); }
#endif
E
rm -f coverage.brst
for part in A B MAIN; do cc -D$part -c twice.c -o twice$part.o; done
cc twice?.o twiceMAIN.o -o twice && ./twice
bursty report --lcov coverage.brst >all.info
rules 'two functions of one name'
is twice.c 'FNDA:1,pick (twice.c:9)'

# ---- lines that say how often they run ----

# Each line with "runs N" has that count.
says() { # WHAT SOURCE
    if awk -F'[:,]' 'FNR == NR { if (/^DA:/) n[$2] = $3; next }
        match($0, /runs [0-9]+/) {
            said = substr($0, RSTART + 5, RLENGTH - 5)
            lines++
            if (n[FNR] != said) { print "line " FNR ": " n[FNR] " for " said; bad = 1 }
        }
        END { exit bad || lines < 5 }' all.info "$2" >said; then pass
    else fail "$1: $(head -n 3 said)"; fi
}
# A use of what a lambda captures has the line of its first use, too, which did not run.
cat >lambda.cc <<'E'
#include <vector>
struct counted {
    int n = 0;
    void up() { n++; }                                          // runs 3
};
struct my_clEar {};
static int toUlong(int a, my_clEar) { // no lambda, though its symbol has Ul and _clE
    volatile int u = 0;
    if (a == 2) goto two;                                       // runs 2
    u = 7; return u; two: u += 2;                               // runs 2
    u++;                                                        // runs 2
    return u;
}
static int work(int argc) {
    int s = toUlong(2, my_clEar()) + toUlong(2, my_clEar());
    counted c;
    std::vector<int> v;
    auto add = [&](int a) {
        if (a > 100)                                            // runs 3
            s++;                                                // runs 0
        if (argc > 100)                                         // runs 3
            c.up();                                             // runs 0
        if (a > 100)                                            // runs 3
            v.push_back(a);                                     // runs 0
        s--;                                                    // runs 3
        c.up();                                                 // runs 3
        v.push_back(a);                                         // runs 3
        switch (a) {                                            // runs 3
        case 7: s++; break; case 2: s--; break;                 // runs 1
        }
        while (a-- > 0)
            s += c.n;                                           // runs 6
        if (argc > 200) {                                       // runs 3
            v.clear();                                          // runs 0
            return s;                                           // runs 0
        }
        return s + (int)v.size();                               // runs 3
    };
    auto twice = [&](auto a) {
        if (a & 1)                                              // runs 2
            s += a;                                             // runs 1
        else
            s -= a;                                             // runs 1
    };
    twice(3);
    twice(2L);
    // The first line of a case is its own, also where an earlier case has it.
    auto among = [&](int a) {
        if (a > 100)                                            // runs 4
            s++;                                                // runs 0
        if (a > 200)                                            // runs 4
            c.n++;                                              // runs 0
        switch (a) {                                            // runs 4
        case 1: s++; break; case 2: c.n--;                      // runs 2
            s -= c.n;                                           // runs 2
            break;
        case 3: s--, c.n++; break; case 4: s--, c.n--; break;   // runs 1
        case 5:
            c.n += 2;                                           // runs 0
            break;
        case 6:
            s += c.n;                                           // runs 1
            c.n--;                                              // runs 1
        }
        if (a > 3 && 5 >                                        // runs 4
            s + 1)
            c.n++;
    };
    among(2);
    among(2);
    among(4);
    among(6);
    return add(1) + add(2) + add(3);
}
int main(int argc, char **) {
    return work(argc) == 99;                                    // runs 1
}
E
# One condition decides another.
cat >decided.cc <<'E'
#include <cstdio>
static int count(int argc) {
    int s = 0, t = 0;
    for (int i = 0; i < 100; i++) {
        if (argc > 5)
            t++;
        if (argc > 7)                                           // runs 100
            s++;                                                // runs 0
        s += i;                                                 // runs 100
        if (s == 3 && argc < 3)                                 // runs 100
            t += 2;                                             // runs 1
    }
    return s + t;                                               // runs 1
}
int main(int argc, char **) {
    std::printf("%d\n", count(argc));                           // runs 1
}
E
# What stands behind a call that throws does not run; a block behind the handler does.
cat >thrown.cc <<'E'
struct held {
    int *seen;
    held(int *s);
    ~held();
    void say(bool fails);
    void done();
};
struct base { virtual ~base() {} int n = 1; };
struct fault : base {};
#define CHECK(x) \
    do { \
        held h(&seen); \
        try { h.say(x); } catch (...) { seen += 3; } \
        h.done(); \
    } while (false && static_cast<bool>(x))
#define OUTSIDE __attribute__((noinline))
OUTSIDE held::held(int *s) : seen(s) { ++*s; }
OUTSIDE held::~held() { --*seen; }
OUTSIDE void held::say(bool fails) { if (fails) throw 1; }
OUTSIDE void held::done() { *seen += 5; }
OUTSIDE void add(int x) { if (x) throw fault(); }
static int seen;
int test(int x) {
    held outer(&seen);                                          // runs 1
    try {
        add(x);                                                 // runs 1
        CHECK(!true);                                           // runs 0
    } catch (const base &e) {
        CHECK(e.n != 1);                                        // runs 1
    }
    add(0);                                                     // runs 1
    try {
        add(x);                                                 // runs 1
        CHECK(!true);                                           // runs 0
    } catch (const base &e) {
        CHECK(e.n != 1);                                        // runs 1
    }
    return x - 1;                                               // runs 1
}
int main() { return test(1); }                                  // runs 1
E
# LCOV 2 ends a function where the next one begins: one that did not run is left out if lines behind
# it did, and a note says so. Every other form has it.
cat >local.cc <<'E'
struct one {
    int n;
    int unused(int k) { return n + k; }                         // runs 0
};
int outer(int n) {
    struct local {
        int never(int k) {
            return k + 1;                                       // runs 0
        }
    } l;
    if (n > 100)                                                // runs 1
        n = l.never(n) + one{n}.unused(n);                      // runs 0
    return n + 1;                                               // runs 1
}
template <class T> T half(T v) {
    return v / 2;                                               // runs 1
}
int main(int argc, char **) {
    if (argc > 100)                                             // runs 1
        return half(argc);                                      // runs 0
    return outer(argc) + half(argc * .5) == 99;                 // runs 1
}
E
for options in -O0 '-O2 -g'; do
    rm -f coverage.brst
    cxx $options -w local.cc -o local && ./local
    bursty report --lcov coverage.brst >all.info 2>said
    check "local, $options: a note" grep -q 'note: --lcov leaves 1 function out that did not run' said
    rules "local, $options"
    says "local, $options" local.cc
    check "local, $options: its name" lacks all.info '^FN:' never
    check "local, $options: others" test "$(sed -n 's/^FNDA:0,//p' all.info | sort | tr '\n' ' ')" = \
        'int half<int>(int) one::unused(int) '
    check "local, $options: other forms" sh -c \
        "'$build/bursty' report --csv coverage.brst | grep -q 'local::never'"
    # One of two tests runs those lines. LCOV adds the tests up, so neither has the function.
    rm -f coverage.brst
    BURSTY_TEST=few ./local
    # shellcheck disable=SC2046
    BURSTY_TEST=many ./local $(seq 101)
    bursty report --lcov coverage.brst >all.info 2>said
    check "local, $options: two tests" test "$(grep -c '^FN:.*outer' all.info)" = 2
    check "local, $options: its name in no test" lacks all.info '^FN:' never
done
branches= line=$(grep -n '5 > ' lambda.cc | sed 's/:.*//')
for options in -O0 -O2 '-O2 -g'; do
    for one in lambda decided thrown; do
        rm -f coverage.brst
        cxx $options -w -std=c++17 $one.cc -o $one && ./$one >said
        bursty report --lcov coverage.brst >all.info
        rules "$one, $options"
        says "$one, $options" $one.cc
        [ $one != lambda ] || branches="$branches $(grep -c "^BRDA:$line," all.info)"
    done
done
case $($CXX --version) in
*clang*) ;;
*) check 'branches of a lambda' test "$branches" = ' 4 4 4' ;;
esac
# Regions of OpenMP are functions of their own, and so is the body of a coroutine.
cat >regions.cc <<'E'
#include <cstdio>
int main(int argc, char **) {
    int s = 0, t = 0;
#pragma omp parallel for reduction(+ : s)
    for (int i = 0; i < 100; i++) {
        if (argc > 5)                                           // runs 100
            t++;                                                // runs 0
        s += i;                                                 // runs 100
        if (i == 7)                                             // runs 100
            t = 9;                                              // runs 1
    }
#pragma omp parallel num_threads(2)
    {
        if (argc > 5)                                           // runs 2
            t++;                                                // runs 0
#pragma omp critical
        t++;                                                    // runs 2
    }
    std::printf("%d %d\n", s, t);                               // runs 1
}
E
cat >coroutine.cc <<'E'
#include <coroutine>
#include <exception>
struct numbers {
    struct promise_type {
        int value = 0;
        numbers get_return_object() {
            return numbers{std::coroutine_handle<promise_type>::from_promise(*this)};
        }
        std::suspend_always initial_suspend() { return {}; }
        std::suspend_always final_suspend() noexcept { return {}; }
        std::suspend_always yield_value(int v) {
            value = v;                                          // runs 4
            return {};                                          // runs 4
        }
        void return_void() {}
        void unhandled_exception() { std::terminate(); }
    };
    std::coroutine_handle<promise_type> here;
    ~numbers() { here.destroy(); }
};
static numbers count(int n) {                                   // runs 1
    int s = 0;
    if (n > 100)                                                // runs 1
        s++;                                                    // runs 0
    for (int i = 0; i < n; i++) {
        if (i > 100)                                            // runs 4
            s += 5;                                             // runs 0
        s += i;                                                 // runs 4
        if (s == 1000)                                          // runs 4
            co_yield -1;                                        // runs 0
        else
            co_yield s;                                         // runs 4
    }
    if (s > 1000)                                               // runs 1
        co_return;                                              // runs 0
    s = 0;                                                      // runs 1
}
int main() {
    numbers all = count(4);
    int s = 0;
    for (all.here.resume(); !all.here.done(); all.here.resume())
        s += all.here.promise().value;                          // runs 4
    return s != 10;                                             // runs 1
}
E
if $CXX -w -fopenmp regions.cc -o regions 2>said; then
    for options in -O0 -O2; do
        rm -f coverage.brst
        cxx $options -w -fopenmp regions.cc -o regions && ./regions >said
        bursty report --lcov coverage.brst >all.info
        rules "regions, $options"
        says "regions, $options" regions.cc
        check "regions, $options: branches" test "$(grep -c '^BRDA:\(6\|9\|14\),' all.info)" = 6
        case $($CXX --version) in *clang*) ;; *)
            check "regions, $options: none of its own" lacks all.info ^BRDA: '^BRDA:\(4\|12\),' ;;
        esac
        check "regions, $options: one function" test "$(grep -c '^FN:' all.info)" = 1
    done
    rm -f coverage.brst
    # shellcheck disable=SC2086
    bursty cc --cover --not=main -- $CXX -w -fopenmp regions.cc -o regions && ./regions >said
    bursty report --lcov coverage.brst >all.info 2>&1
    # clang 14 does not name the function that a region is of.
    case $($CXX --version) in *'clang version 1'[0-8]*) ;; *)
        check 'regions of what is left out' sh -c '! grep ^DA: all.info' ;;
    esac
fi
# clang's own are left out, with their names.
case $($CXX --version) in *clang*) ;; *)
    if $CXX -w -std=c++20 coroutine.cc -o coroutine 2>said; then
        for options in -O0 -O2; do
            rm -f coverage.brst
            cxx $options -w -std=c++20 coroutine.cc -o coroutine && ./coroutine
            bursty report --lcov coverage.brst >all.info
            rules "coroutine, $options"
            says "coroutine, $options" coroutine.cc
            check "coroutine, $options: branches of it" \
                test "$(grep -c '^BRDA:\(23\|26\|29\|34\),' all.info)" = 8
            check "coroutine, $options: none of its own" lacks all.info ^BRDA: '^BRDA:\(21\|37\),'
        done
        rm -f coverage.brst
        # shellcheck disable=SC2086
        bursty cc --cover '--only=count(int)' -- $CXX -w -std=c++20 coroutine.cc -o coroutine && ./coroutine
        bursty report --lcov coverage.brst >all.info
        check 'a coroutine alone' test "$(grep -c '^FN:' all.info) $(grep -c '^DA:2[2-9],' all.info)" = '1 8'
    fi ;;
esac

# A precompiled header, which has fork and exec as they were when it was made.
mkdir -p early
cat >early/early.h <<'E'
#include <sys/wait.h>
#include <unistd.h>
E
cat >forks.cc <<'E'
#include "early.h"
static void leave(int n) {
    char *words[] = {(char *)"true", nullptr}, *none[] = {nullptr};
    if (n == 0) execl("/bin/true", "true", (char *)0);
    if (n == 1) execlp("true", "true", (char *)0);
    if (n == 2) execle("/bin/true", "true", (char *)0, none);
    if (n == 3) execv("/bin/true", words);
    if (n == 4) execvp("true", words);
    execve("/bin/true", words, none);
}
static int child(int n) {
    int status = 1;                                             // runs 6
    pid_t one = fork();
    if (one == 0)                                               // runs 12
        leave(n);                                               // runs 6
    waitpid(one, &status, 0);                                   // runs 6
    return status;                                              // runs 6
}
int main() {
    int n, bad = 0;
    for (n = 0; n < 6; n++)
        bad += child(n);                                        // runs 6
    return bad;                                                 // runs 1
}
E
# shellcheck disable=SC2086
if $CXX -fPIC -pthread -O0 -x c++-header early/early.h -o early/early.h.gch 2>said; then
    rm -f coverage.brst
    cxx -w -O0 -Iearly forks.cc -o forks || fail 'links with a precompiled header'
    check 'its children exec' ./forks
    bursty report --lcov coverage.brst >all.info 2>named
    says 'a precompiled header' forks.cc
    # gcc takes them for calls that return.
    check 'what calls exec is right or named' sh -c \
        'grep -q "^FNDA:6,leave" all.info || grep -q "leave.int. is left out" named'
fi

# ---- a shared library that is closed again ----

cat >lib.cc <<'E'
static int closed;
struct last {
    ~last() {
        closed = 1;
    }
} one;
extern "C" int called(int n) {
    return n > 3 ? n : closed;
}
E
cat >opens.c <<'E'
#include <dlfcn.h>
int main(void) {
    void *library = dlopen("./lib.so", RTLD_NOW);
    int (*called)(int) = library ? (int (*)(int))dlsym(library, "called") : 0;
    return !called || called(4) != 4 || dlclose(library) != 0;
}
E
rm -f coverage.brst
{ cxx -shared lib.cc -o lib.so && $CC -w opens.c -o opens -ldl && ./opens; } ||
    fail 'opens a library'
bursty report --lcov coverage.brst >all.info
is lib.cc 'DA:4,1'
is lib.cc 'FNDA:1,called'

# ---- optimised, and with the optimizer behind the linker ----

for options in '-g -O2' '-O2 -flto'; do
    rm -f coverage.brst
    # shellcheck disable=SC2086
    case $options in *flto) $CXX $options probe.cc -o probe 2>/dev/null || { skip "$CXX has no -flto"; continue; } ;; esac
    # shellcheck disable=SC2086
    { cxx $options -c main.cc -o main.o && cxx $options -c sub/other.cc -o other.o &&
        cxx $options main.o other.o half.o -o fast; } 2>lto.log || fail "$options: $(head -n 3 lto.log)"
    ./fast 2
    bursty report --lcov coverage.brst >all.info 2>said
    check "$options: $(cat said)" test ! -s said
    is main.cc 'FNDA:1,main'
    is main.cc 'DA:11,1'
    is main.cc 'DA:18,0'
done

# Small functions of a header that two files have, which -O2 inlines.
cat >small.h <<'E'
inline int doubled(int n) {
    if (n < 0)
        throw n;
    return 2 * n;
}
struct holder {
    int value;
    explicit holder(int n) : value(doubled(n)) {}
};
E
cat >small_more.cc <<'E'
#include "small.h"
int more(int n) {
    int sum = 0;
    while (n-- > 0) sum += doubled(1); /* known as it is compiled */
    return sum;
}
E
cat >small.cc <<'E'
#include "small.h"
int more(int n);
int main() {
    int sum = more(3);
    for (int i = -2; i < 5; i++) {
        try { holder h(i); sum += h.value; }
        catch (int) { sum++; }
    }
    return sum == 0;
}
E
rm -f coverage.brst
cxx -g -O2 small.cc small_more.cc -o small && ./small
bursty report --lcov coverage.brst >all.info
for line in DA:2,10 DA:3,2 DA:4,8; do is small.h $line; done

# What changes nothing is called all the same: an optimizer that drops it does so behind the counters.
cat >nothing.cc <<'E'
struct node {
    virtual ~node();
    volatile int a;
    int b;
};
node::~node() {
    a = 0; /* runs 5 */
    b = 0; /* 5, or no line: nobody uses the value */
}
struct text : node {
    ~text() {} /* runs 5 */
};
struct visitor {
    virtual ~visitor() {} /* runs 5 */
};
static int twice(int n) {
    return 2 * n; /* runs 10 */
}
int main(int argc, char **) {
    for (int i = 0; i < 5; i++) {
        text t; /* runs 5 */
        visitor v;
        twice(i);
        (void)twice(argc);
    }
    return 0;
}
E
unused=$(grep -n 'or no line' nothing.cc | sed 's/:.*//')
for options in -O0 -O2; do
    rm -f coverage.brst
    cxx -g $options nothing.cc -o nothing && ./nothing
    bursty report --lcov coverage.brst >all.info
    check "nothing, $options: never another count" \
        test -z "$(grep "^DA:$unused," all.info | grep -v ',5$')"
    for line in $(awk 'match($0, /runs [0-9]+/) { print "DA:" NR "," substr($0, RSTART + 5, RLENGTH - 5) }' nothing.cc); do
        is nothing.cc $line
    done
done

# The language is what -x says. What is passed on without counters is said and
# stands in the report.
mkdir -p language && cd language || exit 2
cat >as_cxx.c <<'E'
#ifndef __cplusplus
#error "not C++"
#endif
extern "C" int as_cxx(int n);
extern "C" int as_c(int n);
int as_cxx(int n) {
    return n > 1 ? as_cxx(n - 1) : as_c(n);
}
E
cat >as_c.cc <<'E'
#ifdef __cplusplus
#error "not C"
#endif
int as_c(int class);
int as_c(int class) {
    return class;
}
E
cat >main.c <<'E'
int as_cxx(int n);
int main(void) {
    return as_cxx(3) - 1;
}
E
sed 's/main/alone/' main.c >alone.c
counts_own() { # EXPECTED NAME
    got=$(bursty report --lcov coverage.brst | sed -n 's/^FNDA://p' | LC_ALL=C sort | tr '\n' ' ')
    check "$2: $got" [ "$got" = "$1" ]
}
# shellcheck disable=SC2086
for driver in "$CC -x c++" "$CXX -xc++" "$CXX --language=c++" "$CXX"; do
    rm -f ./*.o own coverage.brst
    case $driver in *-xc++) c="$CXX -xc" ;; *) c="$CC -x c" ;; esac
    check "$driver" bursty cc --cover -- $driver -fPIC -c as_cxx.c
    check "$c" bursty cc --cover -- $c -fPIC -c as_c.cc
    bursty cc --cover -- $CXX -fPIC -pthread as_cxx.o as_c.o -x c main.c -x none -o own && ./own
    counts_own '1,as_c 1,main 3,as_cxx ' "$driver, $c"
done
# shellcheck disable=SC2086
check 'one command, without counters' bursty cc -- $CC -c main.c ../plain.cc
check 'its object of C' [ -f main.o ]
check 'its object of C++' [ -f plain.o ]
# A source without functions has nothing to count, and nothing is said.
printf '#include <stddef.h>\nextern const int numbers[];\nconst int numbers[] = {1, 2};\n' >data.cc
echo 'typedef int it_is_true[sizeof(int) > 1 ? 1 : -1];' >nothing.cc
for one in data nothing; do
    for options in -O0 '-O2 -g'; do
        rm -f $one.o $one.list
        # shellcheck disable=SC2086
        bursty cc --cover --list=$one.list -- $CXX $options -c $one.cc >said 2>&1
        check "no function: $one $options: compiled" [ -f $one.o ]
        check "no function: $one $options: nothing is said" empty said
        check "no function: $one $options: it is in no list" [ ! -s $one.list ]
    done
done
if $CC -traditional-cpp -c alone.c 2>said; then # clang knows no such option
    # shellcheck disable=SC2086
    bursty cc --cover --list=left -- $CC -traditional-cpp -c alone.c 2>said
    check 'passed on: said' grep -q 'cc: alone.c: compiled without counters: -traditional-cpp' said
    check 'passed on: listed' grep -q 'alone.c:1: the file: left alone: -traditional-cpp' left
    check 'passed on: in the report' sh -c "'$build/bursty' report coverage.brst alone.o |
        grep -q 'all of the file.* alone.c .*not measured: -traditional-cpp'"
    # shellcheck disable=SC2086
    bursty cc --cover -- $CXX -fPIC -pthread as_cxx.o as_c.o -traditional-cpp -x c main.c -o own 2>said
    rm -f coverage.brst && ./own
    check 'passed on as it links' sh -c "'$build/bursty' report coverage.brst |
        grep -q 'all of the file.* main.c .*not measured: -traditional-cpp'"
fi
cd ..

# What returns twice is called once.
cat >twice.cc <<'E'
#include <csetjmp>
#include <sys/wait.h>
#include <unistd.h>
static jmp_buf place;
static int tries;
static void again() { longjmp(place, ++tries); }
static int by_jump(int most) {
    int tried = setjmp(place);
    if (tried < most) again();
    return tried;
}
static int by_vfork() {
    int status = 0;
    pid_t child = vfork();
    if (child == 0) {
        execl("/bin/true", "true", static_cast<char *>(nullptr));
        _exit(1);
    }
    waitpid(child, &status, 0);
    return status;
}
int main() { return by_jump(3) + by_jump(5) + by_vfork() + by_vfork() - 8; }
E
rm -f coverage.brst
cxx -O1 twice.cc -o twice && ./twice
counts_own '1,main 2,by_jump(int) 2,by_vfork() 5,again() ' 'what returns twice'
# What no report shows costs nothing: functions of the system's headers have no counters of gcc's.
cat >templates.cc <<'E'
#include <algorithm>
#include <vector>
static bool below(int a, int b) { return a < b; }
int main() {
    std::vector<int> v(3, 1);
    std::sort(v.begin(), v.end(), below);
    return v[0] - 1;
}
E
cxx -O0 -c templates.cc -o templates.o
if nm templates.o 2>/dev/null >names && grep -q ' __gcov0\.main' names; then
    grep -q ' __gcov0\._ZN*K*St' names && { fail "functions of the system's headers have counters"; cat names; } || pass
fi
# Ends of objects that destroy nothing stand where exceptions come to, also those of objects that were
# not made yet: no line ran for that.
cat >landing.h <<'E'
struct stop {};
struct other {};
struct text { const char *at; unsigned long size; };
struct base {
    bool a, b;
    base(bool x, bool y) : a(x), b(y) {}
    virtual void show() const = 0;
    virtual ~base();
};
struct checker {
    text t;
    bool done;
    checker(text const &name, int line, text expression);
    ~checker();
    void take(base const &b);
    void failed();
    void complete();
};
struct held {
    int *count;
    held(const held &h) : count(h.count) { ++*count; }
    explicit held(int *c) : count(c) {}
    ~held() { --*count; }
};
void always(held h);
int turns(held h, int n);
E
cat >landing.cc <<'E'
#include "landing.h"
template <class T> struct unary : base {
    T value;
    explicit unary(T v) : base(false, v), value(v) {}
    void show() const override {}
};
#define CHECK(x) do { checker c(text{"CHECK", 5}, __LINE__, text{#x, sizeof #x - 1}); \
    try { c.take(unary<bool>(x)); } catch (...) { c.failed(); } c.complete(); } while (0)
int turns(held h, int n) {
    for (int k = 0; k < n; k++) {
        try {
            always(h);
            CHECK(!true);
        } catch (const stop &) {
            CHECK(n > 0);
        }
    }
    return n;
}
E
cat >landing_more.cc <<'E'
#include "landing.h"
base::~base() {}
checker::checker(text const &, int, text e) : t(e), done(false) {}
checker::~checker() {}
void checker::take(base const &b) { if (!b.b) throw other(); }
void checker::failed() {}
void checker::complete() { done = true; }
void always(held h) { if (*h.count) throw stop(); }
int main() {
    int count = 1;
    return turns(held(&count), 3) != 3;
}
E
for options in -O0 -O1 '-O2 -g' -O3; do
    rm -f coverage.brst
    # shellcheck disable=SC2086
    cxx $options landing.cc landing_more.cc -o landing && ./landing
    bursty report --lcov coverage.brst >all.info 2>said
    for record in 'DA:10,4' 'DA:12,3' 'DA:13,0' 'DA:14,3' 'DA:15,3' 'DA:18,1'; do is landing.cc "$record"; done
done
# Functions are larger with counters than without, and so are gcc's limits of what it inlines; those
# that the user gives hold, in both ways to write them.
printf '#!/bin/sh\necho "$@" >>words\nexec %s "$@"\n' "$CXX" >logged && chmod +x logged
limits() { # WORDS...: those of the command that counts, sorted
    rm -f words
    bursty cc --cover -- ./logged -O2 "$@" -c plain.cc -o plain.o
    grep -e '-fprofile-arcs' words | head -n 1 | tr ' ' '\n' |
        sed -n '/inline-insns-single\|unit-growth\|-finline-limit/{s/^--param=//;p;}' | sort | tr '\n' ' '
}
got=$(limits)
if grep -q -e '-fprofile-arcs' words; then
    check "limits: $got" [ "$got" = 'inline-unit-growth=100 max-inline-insns-single=400 ' ]
    got=$(limits --param inline-unit-growth=7)
    check "one of the user: $got" [ "$got" = 'inline-unit-growth=7 max-inline-insns-single=400 ' ]
    got=$(limits --param=max-inline-insns-single=9 --param=inline-unit-growth=7)
    check "both: $got" [ "$got" = 'inline-unit-growth=7 max-inline-insns-single=9 ' ]
    got=$(limits -finline-limit=50)
    check "the option for all: $got" [ "$got" = '-finline-limit=50 ' ]
fi
finish
