#!/bin/sh
# test_record_names.sh - static functions of one name in several files, which are called 3 : 1
# and, in the second run, 1 : 3: each form tells them apart by their file, and merge adds each to
# itself.
set -u
cd "$(dirname "$0")/.." || exit 2
. tests/check.sh
in_folder record_names
has() { # FILE PATTERN
    if grep -qE -e "$2" "$1"; then pass
    else fail "no '$2' in $1: $(grep helper "$1" | head -n 6)"; fi
}
# The column of each row of a table that names the file, in order of size.
split() { # CSV TABLE COLUMN: "a.c 900 b.c 300"
    LC_ALL=C awk -F, -v table="$2" -v column="$3" '
        /^# / { here = index($0, "# " table ":") == 1; number = 0 }
        here && !/^#/ && !number {
            for (i = 1; i <= NF; i++) if ($i == column) number = i
            next
        }
        here && /helper/ && match($0, /[ab]\.c/) { print $number, substr($0, RSTART, 3) }' "$1" |
        sort -rn | awk '{ printf "%s %s ", $2, $1 }'
}
is() { # WHAT GOT WANTED
    if [ "$2" = "$3" ]; then pass; else fail "$1: '$2', not '$3'"; fi
}

# ---- bursty.h and hcct.h ----

cat >a.c <<'EOF'
#include "bursty.h"
static volatile unsigned sink;
static void helper(int n) {
    BURST_SCOPE("helper");
    while (n--) sink += (unsigned)n;
    BURST_LEAVE();
}
void from_a(int n) { BURST_SCOPE("from_a"); helper(n); BURST_LEAVE(); }
EOF
sed 's/from_a/from_b/g' a.c >b.c
cat >main.c <<'EOF'
#define BURSTY_IMPLEMENTATION
#define HCCT_IMPLEMENTATION
#include "bursty.h"
#include "hcct.h"
void from_a(int n);
void from_b(int n);
int main(int argc, char **argv) {
    bursty_config config = {0};
    int i, is_other = argc > 2;
    config.profile.every = BURSTY_ALWAYS;
    config.seed = (unsigned)argc;
    config.tick_hz = -1;
    bursty_start(&config);
    for (i = 0; i < 1200; i++) {
        if ((i % 4 == 0) == is_other) from_a(10);
        else from_b(10);
    }
    return bursty_save(argv[1]) != 0;
}
EOF
$CC -O1 -g -I"$top" -o one a.c b.c main.c -pthread 2>err || { cat err; exit 2; }
# The other order of files gives the contexts other numbers.
$CC -O1 -g -I"$top" -o two b.c main.c a.c -pthread 2>err || { cat err; exit 2; }
./one 1.brst && ./two 2.brst other || exit 2
"$bursty" merge -o 12.brst 1.brst 2.brst && "$bursty" merge -o 21.brst 2.brst 1.brst || exit 2
if cmp -s 12.brst 21.brst; then pass; else fail "merge depends on the order"; fi
for n in 1 2 12; do "$bursty" report --csv --min 0 $n.brst >$n.csv || fail "csv of $n"; done
for table in functions context_functions pairs context_pairs; do
    count=calls
    case $table in functions | pairs) count=estimated ;; esac
    is "$table, first run" "$(split 1.csv $table $count)" "a.c 900 b.c 300 "
    is "$table, second run" "$(split 2.csv $table $count)" "b.c 900 a.c 300 "
    is "$table, both" "$(split 12.csv $table $count)" "b.c 1200 a.c 1200 "
done
"$bursty" report --min 0 1.brst >1.txt || fail text
has 1.txt 'from_a > helper \(a\.c:4\)'
has 1.txt 'from_b > helper \(b\.c:4\)'
"$bursty" report --collapsed --by calls 1.brst >1.collapsed || fail collapsed
has 1.collapsed '^from_a;helper \(a\.c:4\) 900$'
has 1.collapsed '^from_b;helper \(b\.c:4\) 300$'
"$bursty" report --sums 1.brst >1.sums || fail sums
has 1.sums ',calls,calls,helper,a\.c,4,.*,900,'
has 1.sums ',calls,calls,helper,b\.c,4,.*,300,'
"$bursty" report --json 1.brst >1.json || fail json
has 1.json '"name":"helper","file":"b\.c","line":4'
has 1.json '"places":\[.*"b\.c:4".*"a\.c:4"|"places":\[.*"a\.c:4".*"b\.c:4"'
"$bursty" report --html 1.html 1.brst || fail html
has 1.html 'helper \(b\.c:4\)'
has 1.html 'from_b (>|&gt;) helper \(b\.c:4\)'
"$bursty" report --csv --min 0 --base 1.brst 2.brst >base.csv || fail base
has base.csv 'helper \(a\.c:4\)'
has base.csv 'helper \(b\.c:4\)'

# ---- record: with and without lines, C++ names, and files of one name in two folders ----

needs_recorder
cat >c.c <<'EOF'
extern volatile unsigned sink;
__attribute__((noinline)) static void helper(int n) { while (n--) sink += (unsigned)n; }
__attribute__((noinline)) void from_a(int n) { helper(n); sink++; }
EOF
mkdir -p x y
sed 's/from_a/from_b/' c.c >d.c
sed 's/from_a/from_x/' c.c >x/u.c
sed 's/from_a/from_y/' c.c >y/u.c
cat >calls.c <<'EOF'
volatile unsigned sink;
void from_a(int n);
void from_b(int n);
void from_x(int n);
void from_y(int n);
int main(int argc, char **argv) {
    int i;
    (void)argv;
    for (i = 0; i < 12000; i++) {
        (i % 4 ? from_a : from_b)(10);
        if (argc < 2) (i % 3 ? from_x : from_y)(10);
    }
    return 0;
}
EOF
for flags in -g -g0; do
    $CC -O1 $flags -o rec c.c d.c x/u.c y/u.c calls.c || exit 2
    for profile in pairs hcct; do
        table=functions count=estimated
        [ $profile = pairs ] || table=context_functions count=calls
        "$bursty" record --quiet --profile $profile --every 0 -o rec.brst ./rec >got 2>err ||
            fail "$profile: $(cat err)"
        "$bursty" report --csv --min 0 rec.brst >rec.csv || fail "$profile: csv"
        twins=$(grep -o 'helper (u\.c:0x[0-9a-f]*)' rec.csv | sort -u | wc -l)
        is "record $flags, $profile, files of one name" $((twins)) 2
        sed 's/(c\.c)/a.c/; s/(d\.c)/b.c/' rec.csv >rec2.csv
        is "record $flags, $profile" "$(split rec2.csv $table $count)" "a.c 9000 b.c 3000 "
    done
done
tells() { # NAME OPTIONS...: in time, whoever of the two was met stands with its file
    name=$1
    shift
    "$bursty" record --quiet "$@" -o time.brst ./long >got 2>err || fail "$name: $(cat err)"
    "$bursty" report --csv --min 0 time.brst >time.csv || fail "$name: csv"
    if grep -qE '[ ,>]helper(\(int\))?(,|$)' time.csv; then
        fail "$name: helper without a file: $(grep helper time.csv)"
    else pass; fi
    has time.csv 'helper(\(int\))? \(c\.cc?\)'
    has time.csv 'helper(\(int\))? \(d\.cc?\)'
}
sed 's/(10)/(9000)/; s/i < 12000/i < 6000/; s/if (argc < 2).*//' calls.c >long.c
$CC -O1 -o long c.c d.c long.c -Dfrom_x=from_a || exit 2
tells "time" --time
# Global functions of one name in two libraries: b's works three times as long. With -g each has its
# line, without it its library.
cat >work.c <<'END'
static volatile unsigned sink;
__attribute__((noinline)) void work(unsigned n) { while (n--) sink++; }
void ENTER(unsigned n) { int i; for (i = 0; i < 100; i++) work(n); }
END
cp work.c work_b.c
echo 'void a(unsigned); void b(unsigned);
int main(void) { int i; for (i = 0; i < 20; i++) { a(30000); b(90000); } return 0; }' >works.c
for g in '' -g; do
    $CC -O1 $g -fPIC -shared -Wl,-Bsymbolic -DENTER=a work.c -o liba.so &&
        $CC -O1 $g -fPIC -shared -Wl,-Bsymbolic -DENTER=b work_b.c -o libb.so &&
        $CC -O1 works.c -L. -la -lb -Wl,-rpath,"$PWD" -o works || exit 2
    for how in --time '--time --inside'; do
        # shellcheck disable=SC2086
        "$bursty" record --quiet $how -o works.brst ./works >got 2>err || fail "works: $(cat err)"
        "$bursty" report --csv --min 0 works.brst >works.csv || fail "works: csv"
        case $g in '') a=liba.so b=libb.so ;; *) a=work.c:2 b=work_b.c:2 ;; esac
        awk -F, -v a=$a -v b=$b '/^# / { is_in = /^# time: / }
            is_in && $9 == "work" { of[$10] = $2; n++ }
            END { is = n == 2 && of[a] > .05 && of[a] < .45 && of[b] > .55 && of[b] < .95
                  print is
                  for (k in of) print k, of[k] }' works.csv >works.txt
        is "one name in two libraries ${g:-without -g}, $how: $(tr '\n' ' ' <works.txt)" "$(sed -n 1p works.txt)" 1
    done
done
tells "time inside" --inside
if ! command -v "$CXX" >/dev/null; then skip "no $CXX"
elif ! reads_cxx_names .; then skip "no library that reads C++ names"
else
    for f in c d; do
        echo 'extern "C" {' >$f.cc
        sed -n 1p $f.c >>$f.cc
        echo 'void from_a(int n); void from_b(int n); }' >>$f.cc
        sed 1d $f.c >>$f.cc
        $CXX -O1 -o cxx_$f.o -c $f.cc || exit 2
    done
    $CC -O1 -o long cxx_c.o cxx_d.o long.c || exit 2
    tells "time of C++" --time

    # Patterns are of names as the report shows them, or of the linker's.
    cat >shown.cc <<'P'
#include <cstdio>
namespace app { template <class N> __attribute__((noinline)) N tick(N n) { return n ^ 5; } }
namespace ns {
struct T {
    __attribute__((noinline)) int f(int n) { return n * 3 + k; }
    __attribute__((noinline)) int g(int n) { return n + k; }
    int k;
};
}
static volatile int sink;
template <int N> __attribute__((noinline)) int many(int n) { return sink += n * N; }
template <int N> int all(int n) { return many<N>(n) + all<N - 1>(n); }
template <> int all<0>(int) { return 0; }
int main() {
    ns::T t = {1};
    int s = 0;
    for (int i = 0; i < 1000; i++) s += t.f(i) + t.g(i) + all<30>(i) + app::tick(i);
    printf("%d\n", s);
    return 0;
}
P
    $CXX -O1 -o shown shown.cc || exit 2
    # only WANTED OPTION...: the functions that were recorded, in order of their names
    only() {
        want=$1
        shift
        rm -f x.brst
        "$bursty" record --calls --every 0 --quiet "$@" -o x.brst ./shown >said 2>err
        "$bursty" report --csv --only context_functions x.brst >csv 2>/dev/null
        got=$(sed -n 's/^[0-9.]*,1000,.*,"*\(ns::T::.\|int many<[0-9]*>\|int app::tick<int>\).*/\1/p' csv | sort | tr '\n' ' ')
        check "$*: '$got', not '$want'" [ "$got" = "$want" ]
    }
    only 'ns::T::f ' --only 'ns::T::f'
    only 'ns::T::f ' --only 'ns::T::f(int)'
    only 'ns::T::f ns::T::g ' --only 'ns::T::*'
    only 'int app::tick<int> ' --only 'app::tick*'
    only 'int app::tick<int> ' --only 'app::tick<int>'
    "$bursty" report --match 'app::tick<*>' x.brst >got && grep -q '1000.*int app::tick<int>' got
    check "report --match of a template without its result" [ $? = 0 ]
    only 'ns::T::f ns::T::g ' --only '_ZN2ns*'
    only 'ns::T::g ' --only '_ZN2ns*' --not 'ns::T::f'
    only 'int many<30> ns::T::g ' --only 'ns::T::g' --only 'int many<30>(int)'
    only '' --only '*many<*'
    check "too many functions: the name to use" grep -q "these are 30 functions.* --only '_Z4manyILi\*'" err
    only '' --only 'nobody'
    check "no function: $(cat err)" grep -q 'names that the report shows' err
fi
finish
