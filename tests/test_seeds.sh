#!/bin/sh
# test_seeds.sh - which sample a dump is: a seed is drawn for each process, stands in the dump, and
# makes the sample again; children have seeds of their own; two dumps of one sample are one.
set -u
cd "$(dirname "$0")/.." || exit 2
. tests/check.sh
build=${BUILD:-build}
out=$build/tests/seeds
rm -rf "$out"
mkdir -p "$out" || exit 2
bursty() { ASAN_OPTIONS=${ASAN_OPTIONS-}:detect_leaks=0 ${RUN-} "$build/bursty" "$@"; }
# What the report says of seeds: "7", "1234 (drawn)".
seed_of() {
    { bursty report --json "$1" | tr -d '\n'; echo; } |
        sed -n 's/.*"samples":\[{"seed":\([0-9]*\),"how":"\([a-z]*\)".*/\1 \2/p' | sed 's/ given//'
}

cat >"$out/program.c" <<'END'
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#define BURSTY_IMPLEMENTATION
#include "bursty.h"
#include <stdio.h>
static volatile int sink;
static void parse(int i) { BURST_SCOPE("parse"); sink += i; BURST_LEAVE(); }
static void run(const char *file, int n) {
    while (n--) parse(n);
    if (bursty_save(file) != 0) _exit(1);
}
/* A child of at least .1 s of CPU time, and of no less than its parent has had. */
static int burning_child(const char *file) {
    const clock_t enough = clock() + CLOCKS_PER_SEC / 10;
    int status;
    pid_t child = fork();
    if (child == 0) {
        while (clock() < enough) sink++;
        _exit(0);
    }
    if (waitpid(child, &status, 0) != child || bursty_save(file) != 0) return 1;
    bursty_clear();
    return 0;
}
int main(int argc, char **argv) { /* FILE SEED CHILDREN; or FILE SEED burn */
    bursty_config config;
    char name[4096];
    int i, status;
    (void)argc;
    memset(&config, 0, sizeof config);
    config.seed = (uint32_t)strtoul(argv[2], NULL, 10);
    config.tick_hz = -1;
    bursty_start(&config);
    parse(0);
    if (!strcmp(argv[3], "burn")) {
        if (burning_child(argv[1])) return 1;
        strcat(strcpy(name, argv[1]), ".cleared");
        return bursty_save(name) != 0;
    }
    for (i = 0; i < atoi(argv[3]); i++) {
        pid_t child = fork();
        snprintf(name, sizeof name, "%s.%d", argv[1], i);
        if (child == 0) {
            run(name, 20000);
            _exit(0);
        }
        if (waitpid(child, &status, 0) != child || status != 0) return 1;
    }
    run(argv[1], 20000);
    if (!strcmp(argv[3], "0")) return 0;
    bursty_clear();
    run(argv[1], 20000);
    return 0;
}
END
${CC:-cc} -O0 -w -std=gnu99 -I. -o "$out/program" "$out/program.c" ${LDFLAGS-} -pthread
ok $? "a program"
run() { ${RUN-} "$out/program" "$@"; }

run "$out/a" 0 0 && run "$out/b" 0 0
ok $? "two runs"
a=$(seed_of "$out/a")
b=$(seed_of "$out/b")
case $a-$b in
*' drawn-'*' drawn') ok 0 "seeds are drawn and shown" ;;
*) ok 1 "seeds are drawn and shown: $a, $b" ;;
esac
[ "$a" != "$b" ]
ok $? "each process has its own"
run "$out/again" "${a% *}" 0 && bursty merge -o "$out/again.m" "$out/again" && bursty merge -o "$out/a.m" "$out/a"
[ "$(seed_of "$out/again")" = "${a% *}" ]
ok $? "a seed is accepted back"
rows() { bursty report --csv "$1" | grep parse; }
[ "$(rows "$out/a")" = "$(rows "$out/again")" ] && [ -n "$(rows "$out/a")" ]
ok $? "and makes the sample again"

bursty merge -o "$out/two" "$out/a" "$out/again" 2>"$out/err"
grep -q "again: is left out, for it is the same sample as a file before it: seed ${a% *} of one build" "$out/err" &&
    cmp -s "$out/two" "$out/a.m"
ok $? "two dumps of one sample are one, and merge says so"
bursty merge -o "$out/both" "$out/b" "$out/a" 2>"$out/err" && [ ! -s "$out/err" ]
ok $? "other seeds add up"
bursty merge -o "$out/three" "$out/both" "$out/again" 2>"$out/err"
grep -q 'again: is left out' "$out/err" && cmp -s "$out/three" "$out/both"
ok $? "a sum knows its samples"
bursty report "$out/a" "$out/again" >/dev/null 2>"$out/err"
grep -q 'again: is left out' "$out/err"
ok $? "a report of both says so, too"

for round in 1 2; do run "$out/c$round" 7 20; done
n=0
: >"$out/seeds"
while [ $n -lt 20 ]; do
    seed_of "$out/c1.$n" >>"$out/seeds"
    [ "$(rows "$out/c1.$n")" = "$(rows "$out/c2.$n")" ] || echo "$n differs" >>"$out/differs"
    n=$((n + 1))
done
seed_of "$out/c1" >>"$out/seeds"
[ "$(sort -u "$out/seeds" | wc -l)" = 21 ]
ok $? "21 seeds of a process and 20 children"
[ ! -f "$out/differs" ]
ok $? "children of a seed that was given are the same in each run"
bursty report "$out/c1" | grep -q 'seed 7, cleared 1 times'
ok $? "a dump behind bursty_clear is another sample"

# Not the seeds of children, but their time.
run "$out/burn" 7 burn
bursty report "$out/burn" >"$out/log" 2>"$out/err"
sed -n 2p "$out/log" | grep -q '^MISSING: CPU time of its children, in ms: [0-9]*, .* % of all'
ok $? "what children did is missing, and the report says so first: $(head -3 "$out/log" "$out/err")"
bursty merge -o "$out/burn.m" "$out/burn" && bursty report --json "$out/burn.m" | grep -q 'time of its children'
ok $? "JSON says so, behind merge, too"
bursty report "$out/burn.cleared" >"$out/log" 2>&1 && ! grep -q 'of its children' "$out/log"
ok $? "but not of those before bursty_clear"

if [ -z "${RUN-}" ]; then
    printf 'static volatile int n; static int f(int i) { return i < 2 ? i : f(i - 1) + f(i - 2); }\nint main(void) { n = f(21); return 0; }\n' >"$out/cc.c"
    bursty cc -- "${CC:-cc}" -O0 -o "$out/cc" "$out/cc.c" 2>"$out/err"
    ok $? "bursty cc"
    BURSTY_SEED=9 BURSTY_FILE=$out/cc1 "$out/cc" && BURSTY_SEED=9 BURSTY_FILE=$out/cc2 "$out/cc" &&
        cmp -s "$out/cc1" "$out/cc2" && [ "$(seed_of "$out/cc1")" = 9 ]
    ok $? "BURSTY_SEED of a program of bursty cc"
    BURSTY_FILE=$out/cc3 "$out/cc" && ! cmp -s "$out/cc1" "$out/cc3"
    ok $? "without it one is drawn"
    BURSTY_SEED=x BURSTY_FILE=$out/cc4 "$out/cc" 2>&1 | grep -q "BURSTY_SEED: 'x' is not valid: a number"
    ok $? "BURSTY_SEED=x is refused"
fi

# ---- two builds of one stripped program: a name is a place in one of them
if [ -z "${RUN-}" ] && has_recorder; then
    cat >"$out/builds.c" <<'END'
static volatile unsigned s;
#define NO __attribute__((noinline))
#ifdef SECOND
NO int extra(int n) { int i; for (i = 0; i < 5; i++) s += (unsigned)(n ^ i); return (int)s; }
#endif
NO int cheap(int n) { int i; for (i = 0; i < 5; i++) s += (unsigned)(n + i); return (int)s; }
NO int dear(int n) { int i; for (i = 0; i < 9; i++) s += (unsigned)(n - i); return (int)s; }
int main(void) {
    int i, k = 0;
    for (i = 0; i < 4000; i++) {
        k += cheap(i) ^ dear(i);
#ifdef SECOND
        k += extra(i);
#endif
    }
    return k == 42;
}
END
    mkdir "$out/first" "$out/second"
    "${CC:-cc}" -O1 -s -o "$out/first/prog" "$out/builds.c" &&
        "${CC:-cc}" -O1 -s -DSECOND -o "$out/second/prog" "$out/builds.c"
    ok $? "two builds"
    for run in first second again; do
        folder=$run
        seed=1
        [ $run = again ] && folder=first seed=2
        bursty record --quiet --seed $seed --profile pairs --every 9 --burst 10 -o "$out/$run.brst" -- "$out/$folder/prog"
        ok $? "record $run"
    done
    [ "$(seed_of "$out/again.brst")" = 2 ]
    ok $? "the recorder says that a seed was given: $(seed_of "$out/again.brst")"
    (
        unset BURSTY_SEED # of tests/check.sh
        bursty record --quiet --profile pairs --every 9 -o "$out/drawn.brst" -- "$out/first/prog"
    )
    case $(seed_of "$out/drawn.brst") in
    *' drawn') ok 0 "or drawn" ;;
    *) ok 1 "or drawn: $(seed_of "$out/drawn.brst")" ;;
    esac
    # cheap and dear of the first build, extra, cheap and dear of the second one: no row is of both.
    bursty report --base "$out/first.brst" "$out/second.brst" >"$out/compared"
    [ "$(grep -c '^gone .*prog+0x[0-9a-f]* (build [0-9a-f]\{8\})$' "$out/compared")" -ge 2 ] &&
        [ "$(grep -c '^appeared .*prog+0x[0-9a-f]* (build [0-9a-f]\{8\})$' "$out/compared")" -ge 3 ] &&
        ! grep -q 'prog+0x[0-9a-f]*$' "$out/compared"
    ok $? "--base joins no functions of two builds: $(grep prog+0x "$out/compared" | head -n 3)"
    bursty report --base "$out/first.brst" "$out/again.brst" >"$out/compared"
    grep -q 'prog+0x[0-9a-f]*$' "$out/compared" && ! grep -q '(build' "$out/compared"
    ok $? "of one build it does"
    bursty report "$out/first.brst" "$out/second.brst" 2>&1 | tr '\n' ' ' |
        grep -q 'MISSING: names of functions, in runs of several builds'
    ok $? "a sum of two builds says so"
    bursty report "$out/first.brst" "$out/again.brst" >"$out/one" && ! grep -q 'several builds' "$out/one"
    ok $? "a sum of one does not"

    for run in first second; do
        bursty record --quiet --calls --every 0 -o "$out/$run.brst" -- "$out/$run/prog"
        ok $? "record $run, all contexts"
    done
    bursty merge -o "$out/sum.brst" "$out/first.brst" "$out/second.brst"
    bursty report "$out/sum.brst" 2>&1 | tr '\n' ' ' |
        grep -q 'MISSING: names of functions, in runs of several builds'
    ok $? "a sum of contexts of two builds says so"
    # The same from outside: where one build has f the other one has g.
    cat >"$out/looks.c" <<'END'
#define WORK(f, turns) \
    __attribute__((noinline)) static unsigned f(unsigned x) { \
        unsigned i; \
        for (i = 0; i < turns; i++) x = x * 1664525 + 1013904223; \
        return x; \
    }
#ifdef SECOND
WORK(g, 80000000u)
WORK(f, 40000000u)
#else
WORK(f, 40000000u)
WORK(g, 80000000u)
#endif
int main(int argc, char **argv) { return argv[argc] != 0 || f((unsigned)argc) + g((unsigned)argc) == 7; }
END
    if may_look . stacks; then
        "${CC:-cc}" -O1 -s -o "$out/first/prog" "$out/looks.c" &&
            "${CC:-cc}" -O1 -s -DSECOND -o "$out/second/prog" "$out/looks.c"
        ok $? "two builds with other loops"
        for run in first second again; do
            folder=$run
            [ $run = again ] && folder=first
            bursty record --quiet --outside -o "$out/$run.brst" -- "$out/$folder/prog"
            ok $? "record $run from outside"
        done
        bursty report --base "$out/first.brst" "$out/second.brst" >"$out/compared"
        [ "$(grep -c '^gone .*prog+0x[0-9a-f]* (build [0-9a-f]\{8\})$' "$out/compared")" -ge 1 ] &&
            [ "$(grep -c '^appeared .*prog+0x[0-9a-f]* (build [0-9a-f]\{8\})$' "$out/compared")" -ge 1 ] &&
            ! grep -q 'prog+0x[0-9a-f]*$' "$out/compared"
        ok $? "from outside: --base joins no functions of two builds: $(grep prog+0x "$out/compared" | head -n 3)"
        bursty report --base "$out/first.brst" "$out/again.brst" >"$out/compared"
        ! grep -q '(build' "$out/compared"
        ok $? "from outside: of one build it does"
        bursty merge -o "$out/sum.brst" "$out/first.brst" "$out/second.brst" 2>"$out/said"
        bursty report "$out/sum.brst" 2>&1 | tr '\n' ' ' |
            grep -q 'MISSING: names of functions, in runs of several builds'
        ok $? "from outside: a sum of two builds says so"
        bursty report "$out/first.brst" "$out/again.brst" >"$out/one" 2>&1
        ! grep -q 'several builds' "$out/one" && ! grep -q '; seed' "$out/one"
        ok $? "from outside: a sum of one does not, and no seed is shown"
        bursty report "$out/first.brst" "$out/again.brst" >"$out/two" 2>&1
        ! grep -qi 'same sample\|left out: it' "$out/two"
        ok $? "from outside: no run repeats another one"
    fi
fi
finish
