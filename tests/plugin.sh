#!/bin/sh
# plugin.sh - checks behind the optimizer (cc/plugin): programs in C++ say what they say
# plain, in each form and at each level; each cycle of their machine code has a check; calls are as
# many as callgrind counts; and what goes wrong goes as with the compiler alone. A row of `make
# matrix`. `make test` has what holds without a plugin: tests/test_cc_wrapper.sh.
#   BUILD     folder of build/bursty (default build); what is made here goes to $BUILD/plugin/COMPILER
#   CC, CXX   gcc-12 and g++-12, or a clang
#   LEVELS    of optimization, for the programs
set -u
cd "$(dirname "$0")/.." || exit 2
. tests/check.sh
BUILD=${BUILD:-build} CC=${CC:-gcc-12} CXX=${CXX:-g++-12}
case $BUILD in /*) ;; *) BUILD=$PWD/$BUILD ;; esac
bursty=$BUILD/bursty sources=$PWD/tests/plugin out=$BUILD/plugin/$(basename "$CXX")
rm -rf "$out"
mkdir -p "$out/tmp" || exit 2
export TMPDIR=$out/tmp BURSTY_CACHE=$out/cache
cd "$out" || exit 2
case $CXX in
*clang*) is_clang=1 plugin_name=bursty_clang_ package=llvm-[0-9]*-dev only_gcc= ;;
*) is_clang=0 plugin_name=bursty_late_ package=gcc-[0-9]*-plugin-dev only_gcc='-ftracer -fno-toplevel-reorder' ;;
esac
says() { # PATTERN WHAT: the last log has such a line
    grep -q "$1" log
    ok $? "$2: $(head -n 3 log)"
}
lines() { # COUNT WHAT: the log has so many
    [ "$(wc -l <log)" = "$1" ]
    ok $? "$2: $(head -n 5 log)"
}

# ---- building it ----

"$bursty" cc -- $CXX -o without "$sources/start.cc" >log 2>&1
ok $? "no plugin yet: it links"
says 'without: 1 file of C++ without checks: .*/start.cc; .bursty cc --build-plugin' "the word at link"
lines 1 "one word at link"
"$bursty" cc -- $CXX -o conftest "$sources/start.cc" >log 2>&1
lines 0 "a trial of configure hears nothing"
BURSTY_CACHE=/proc/none "$bursty" cc --build-plugin -- $CC >log 2>&1
[ $? != 0 ] && ok 0 || ok 1 "a cache that cannot be written"
lines 1 "a cache that cannot be written"
"$bursty" cc --build-plugin -- cat >log 2>&1
says 'cat: is no gcc' "no gcc"
"$bursty" cc --build-plugin -- no-such-g++ >log 2>&1
says 'no-such-g++: there is no such program' "no such compiler"
lines 1 "no such compiler"
printf '#!/bin/sh
case $1 in
-print-file-name=plugin) echo plugin ;;
-print-resource-dir) echo /none/lib/clang/1 ;;
*) exec %s "$@" ;;
esac\n' "$CC" >bare-gcc
chmod +x bare-gcc
"$bursty" cc --build-plugin -- ./bare-gcc >log 2>&1
says "install $package" "the package is named"
lines 1 "the package is named"
"$bursty" cc --build-plugin -- $CC >log 2>&1
ok $? "--build-plugin: $(cat log)"
says 'bursty cc uses it from now on, for C (but with --no-late) and C++$' "--build-plugin says for what"

# ---- programs ----

run() { # PROGRAM ARGUMENT...: its output and status, in a file beside it
    program=$1
    shift
    BURSTY_FILE=$program.brst ./"$program" "$@" >"$program.out" 2>"$program.err"
    echo "status $?" >>"$program.out"
}
compare() { # NAME OPTIONS-OF-BURSTY -- OPTIONS-OF-GCC
    name=$1 mine=
    shift
    while [ "$1" != -- ]; do mine="$mine $1"; shift; done
    shift
    what="$name$mine $*"
    # shellcheck disable=SC2086
    "$bursty" cc $mine -- $CXX -pthread "$@" -o "$name" "$sources/$name.cc" >log 2>&1
    ok $? "$what: compiled: $(head -n 3 log)"
    lines 0 "$what: no word"
    for argument in '' more; do
        # shellcheck disable=SC2086
        run "$name.plain" $argument
        # shellcheck disable=SC2086
        run "$name" $argument
        cmp -s "$name.plain.out" "$name.out" && cmp -s "$name.plain.err" "$name.err"
        ok $? "$what $argument: $(diff "$name.plain.out" "$name.out" | head -n 3)"
    done
}
# A plan that `bursty place` makes of the first build: the second one obeys it, says what the plain
# program says, is proved, and would get the same plan.
planned() { # NAME LEVEL COMPILER OPTIONS-OF-BURSTY
    name=$1 level=$2 compiler=$3
    shift 3
    rm -f list
    for set in EC+L4 Q; do
        what="$name $level $set"
        source=$(ls "$sources/$name.cc" "$name.c" 2>/dev/null)
        "$bursty" place --set $set -o one.plan $name >log 2>&1
        ok $? "$what: plan: $(cat log)"
        "$bursty" cc "$@" --plan=one.plan --list=list -- $compiler -pthread $level -g -o $name.planned "$source" >log 2>&1
        lines 0 "$what: no word"
        run $name.planned
        cmp -s $name.plain.out $name.planned.out; ok $? "$what: $(tail -n 2 $name.planned.out)"
        "$bursty" place --built --set $set $name.planned >log 2>&1
        ok $? "$what: holds: $(cat log)"
        "$bursty" place --set $set -o two.plan $name.planned >log 2>&1
        cmp -s one.plan two.plan && lacks log ' functions*: ' 'build again'
        ok $? "$what: the second build is what was planned: $(cat log)"
        "$bursty" place --prove --set $set $name.planned >log 2>&1
        status=$?
        # What rule Q relies on at -O0, the machine code may not show (docs/place.md): then it is named.
        if [ $status = 1 ] && [ "$level$set" = -O0Q ]; then
            grep -qE '^  (recursion|loop): ' log; ok $? "$what: what is not proved is named: $(cat log)"
        else
            ok $status "$what: proved: $(cat log)"
        fi
        "$bursty" place --json $name >first.json && "$bursty" place --built --set $set --json $name.planned >next.json
        [ "$(checks_of next.json)" -le "$(checks_of first.json)" ]
        ok $? "$what: checks: $(checks_of first.json), then $(checks_of next.json)"
    done
    empty list; ok $? "$what: the plan knows the file: $(cat list)"
}
checks_of() { sed -n 's/.*"entry_checks":\([0-9]*\).*/\1/p' "$1"; }

for level in ${LEVELS:--O0 -O2 -Os}; do
    for name in templates exceptions start odd; do
        case $level$name in -Osexceptions | -Osodd) continue ;; esac
        $CXX -pthread $level -g -o $name.plain "$sources/$name.cc" >log 2>&1
        compare $name -- $level -g
        "$bursty" place --prove $name >log 2>&1
        ok $? "$name $level: proved: $(cat log)"
        "$bursty" report $name.brst >log 2>&1
        ok $? "$name $level: reported: $(head -n 2 log)"
        [ "$level" = -Os ] || { run $name.plain; planned $name $level "$CXX"; }
        [ $level != -O2 ] || compare $name --form=scope --entries=all --loops=all -- $level -g
    done
done
"$bursty" place --prove templates.plain >log 2>&1
[ $? = 1 ]
ok $? "a plain program is not proved"
compare exceptions -- -O3 -fPIC -fno-semantic-interposition
compare start --form=scope -- -O2 -fPIC
compare odd --form=scope -- -O2 -no-pie -fno-pie
compare exceptions --form=scope -- -O2 -masm=intel
compare exceptions --form=scope -- -O2 -flto
objdump -d exceptions | grep -q 'call.*bursty_leave_thunk'; ok $? "-flto: scopes"
"$bursty" cc --form=scope --entries=all -- $CXX -O2 -flto -fPIC -shared -o libscope.so "$sources/exceptions.cc" >log 2>&1
ok $? "-flto -shared: $(head -n 3 log)"
compare odd -- -O1 -funroll-loops $only_gcc
ASAN_OPTIONS=detect_leaks=0 compare exceptions --form=scope -- -O1 -fsanitize=address,undefined
compare exceptions --form=scope -- -O2 -fstack-protector-all -fcf-protection=full -march=haswell

# ---- how often, and by whom ----

every() { # PROGRAM: each check is an event
    BURSTY_EVERY=1 BURSTY_BURST=1073741824 BURSTY_FILE=$1.brst "./$1" >/dev/null
    "$bursty" report --sums "$1.brst" | awk '
        match($0, /,calls,("([^"]|"")*"|[^,]*),/) && /,calls,calls,/ {
            name = $0
            sub(/^.*,calls,calls,/, "", name)
            if (name ~ /^"/) { match(name, /^"([^"]|"")*"/); rest = substr(name, RLENGTH + 2); name = substr(name, 2, RLENGTH - 2); gsub(/""/, "\"", name) }
            else { rest = name; sub(/,.*/, "", name); rest = substr(rest, length(name) + 2) }
            split(rest, field, ",")
            calls[name] += field[3]
        }
        END { for (name in calls) print calls[name] "\t" name }' | sort >"$1.calls"
}
"$bursty" cc --entries=all -- $CXX -O0 -g -pthread -o start "$sources/start.cc" && every start
for pair in '23206 early(int)' '31 late(int)' '4 work(long)' '4 once()' '1 main'; do
    grep -q "^${pair%% *}	${pair#* }\$" start.calls
    ok $? "start: $pair: $(grep -F "${pair#* }" start.calls | head -n 2)"
done
# Callgrind reads the plain program's symbols. A name is written once, and is a number from then on.
counted_as_by_callgrind() { # NAME COMPILER SOURCE LEAST OPTIONS-OF-BURSTY
    name=$1 compiler=$2 source=$3 least=$4
    shift 4
    $compiler -O0 -g -o $name.plain "$source"
    valgrind --tool=callgrind --callgrind-out-file=$name.cg ./$name.plain >/dev/null 2>log
    awk 'part == 1 && /^c?fn=\([0-9]+\) / {
            word = $0; sub(/^c?fn=/, "", word); key = substr(word, 1, index(word, ")"))
            names[key] = substr(word, length(key) + 2)
        }
        part == 2 && /^cfn=/ {
            word = substr($0, 5); to = names[substr(word, 1, index(word, ")"))]; sub(/\047[0-9]+$/, "", to)
        }
        part == 2 && /^calls=/ { split(substr($0, 7), field, " "); calls[to] += field[1] }
        END { for (name in calls) print calls[name] "\t" name }' part=1 $name.cg part=2 $name.cg | sort >$name.truth
    "$bursty" cc "$@" --entries=all -- $compiler -O0 -g -o $name "$source" && every $name
    comm -13 $name.truth $name.calls | grep -v '	strange$' >log  # its symbol is another
    lines 0 "$name $*: calls that callgrind counts otherwise"
    [ "$(wc -l <$name.calls)" -ge "$least" ]
    ok $? "$name $*: $(wc -l <$name.calls) functions"
}
for name in templates exceptions odd; do
    counted_as_by_callgrind $name $CXX "$sources/$name.cc" 10
done

# Callers: an exception that skips frames leaves none of them on the stack.
"$bursty" cc --form=scope --entries=all -- $CXX -O2 -g -o exceptions "$sources/exceptions.cc" && every exceptions
"$bursty" report --only 'callers*' --min 0 exceptions.brst >log
grep 'behind(int)' log | grep -vq 'main  *behind(int)'
[ $? = 1 ] && grep -q 'main  *behind(int)' log
ok $? "callers: behind an exception: $(grep 'behind(int)' log | head -n 3)"
"$bursty" report --text exceptions.brst | grep -q 'too deep\|(deep)'
[ $? = 1 ]
ok $? "callers: the stack does not grow with exceptions"

# ---- commands ----

cat >small.cc <<'END_OF'
#include "small.hh"
int main() { int n = 0; for (int i = 0; i < 9; i++) n += square(i); return n > 255 ? 1 : 0; }
END_OF
echo '#pragma once
inline int square(int n) { return n < 1 ? 0 : n * n + square(n - 2); }' >small.hh
same() { # WHAT COMMAND...: as under the compiler alone: words, status, and what is written to out
    what=$1
    shift
    rm -f made
    "$@" >plain.log 2>plain.err; plain=$?
    [ ! -e made ] || mv made plain.made
    "$bursty" cc -- "$@" >log 2>err; mine=$?
    [ $plain = $mine ] && cmp -s plain.log log && cmp -s plain.err err
    ok $? "$what: $mine, $(head -n 2 err)"
}
same '-E' $CXX -E small.cc
same '-S' $CXX -S -o made small.cc; cmp -s made plain.made; ok $? '-S: the same text'
same '-M' $CXX -M small.cc
same '-fsyntax-only' $CXX -fsyntax-only small.cc
same 'an error' $CXX -c -o made broken.cc
echo 'int main() { return "x" + nothing; }' >broken.cc
same 'another error' $CXX -c -o made broken.cc
[ ! -e made ]; ok $? 'no object after an error'
echo 'int main() { int unused; return 0; }' >warned.cc
same 'a warning' $CXX -Wall -c -o made warned.cc
same 'a warning that is an error' $CXX -Wall -Werror -c -o made warned.cc
same 'MD' $CXX -MD -MF plain.d -c -o made small.cc
same 'a header' $CXX -x c++-header -o small.hh.gch small.hh
same 'with a precompiled header' $CXX -Winvalid-pch -include small.hh -c -o made small.cc
objdump -dr made | grep -q bursty_thunk
ok $? 'with a precompiled header: checks'
rm -f small.hh.gch
same 'no such file' $CXX -c none.cc
same '-x c++' $CXX -x c++ -c -o made small.cc
objdump -dr made | grep -q bursty_thunk; ok $? '-x c++: checks'
"$bursty" cc -- $CC -x c++ -c -o made small.cc && objdump -dr made | grep -q bursty_thunk; ok $? 'gcc -x c++: checks'
"$bursty" cc --verbose --list=list -- $CXX -c -o made small.cc >log 2>&1
says 'small.cc: checks behind the optimizer' '--verbose'
empty list; ok $? '--list names nothing'
"$bursty" cc --form=dual --list=list -- $CXX -c -o made small.cc && objdump -dr made >log &&
    lacks log 'file format' bursty_thunk
ok $? '--form=dual: C++ is left alone'
grep -q 'small.cc:1: the file: left alone: C++' list; ok $? '--form=dual: listed'
"$bursty" cc --not='square(int)' --entries=all --loops=LN -- $CXX -O0 -c -o made small.cc
[ "$(objdump -dr made | grep -c bursty_thunk)" = 1 ]; ok $? '--not'
"$bursty" cc --only='sq*' --entries=all -- $CXX -O0 -c -o made small.cc
[ "$(objdump -dr made | grep -c bursty_thunk)" = 1 ]; ok $? '--only'
# C and C++ in one program; a shared object.
echo 'int twice(int n) { return n > 100 ? n : twice(2 * n); }' >c_part.c
echo 'extern "C" int twice(int); int main() { return twice(3) == 192 ? 0 : 1; }' >cxx_part.cc
"$bursty" cc -- $CC -O2 -c c_part.c && "$bursty" cc -- $CXX -O2 -o mixed cxx_part.cc c_part.o && ./mixed &&
    "$bursty" place --prove mixed >log 2>&1
ok $? "C and C++: $(head -n 2 log)"
"$bursty" cc -- $CXX -O2 -fPIC -shared -o libsmall.so -x c++ small.hh 2>/dev/null
echo '#include "small.hh"
int outer(int n) { int s = 0; for (int i = 0; i < n; i++) s += square(i); return s; }' >part.cc
echo 'int outer(int); int main() { return outer(5) == 35 ? 0 : outer(5); }' >user.cc
"$bursty" cc -- $CXX -O2 -fPIC -shared -o libpart.so part.cc >log 2>&1 && $CXX -o user user.cc -L. -lpart -Wl,-rpath,"$out"
LD_LIBRARY_PATH=. ./user >>log 2>&1
ok $? "a shared object: $(head -n 2 log)"

# Two steps: the link looks at what the objects have.
"$bursty" cc -- $CXX -O2 -c -o with.o cxx_part.cc && $CXX -O2 -fPIC -c -o none.o part.cc
"$bursty" cc --verbose -- $CXX -o mixed with.o c_part.o >log 2>&1 && ./mixed
ok $? "two steps: $(cat log)"
lines 0 "two steps: no word"
rm -f libwith.a && ar rc libwith.a with.o && "$bursty" cc -- $CXX -o mixed libwith.a c_part.o >log 2>&1 && ./mixed
ok $? "an archive with checks: $(cat log)"
lines 0 "an archive with checks: no word"
echo 'int outer(int); int also(); int also() { return outer(3); }' >also.cc
"$bursty" cc -- $CXX -O2 -fPIC -c -o also.o also.cc
for input in 'also.o none.o' 'both.o'; do
    ld -r -o both.o also.o none.o
    # shellcheck disable=SC2086
    "$bursty" cc -- $CXX -shared -o libboth.so $input >log 2>&1
    says "libboth.so: 1 file of C++ without checks: ${input#also.o }; compile it again with bursty cc" "$input"
    lines 1 "$input"
done
"$bursty" cc -- $CXX -flto -O2 -c -o later.o cxx_part.cc && "$bursty" cc -- $CXX -flto -O2 -o mixed later.o c_part.o >log 2>&1 && ./mixed
ok $? "the linker's step: $(cat log)"
lines 0 "the linker's step: no word"
if [ $is_clang = 0 ]; then # no linker reads what clang leaves for it without -flto
    "$bursty" cc -- $CXX -o mixed later.o c_part.o >log 2>&1
    says 'mixed: 1 file of C++ without checks: later.o; with -flto at the link' "the linker's step without the plugin"
fi

# bursty place plans for C++ and C alike, and names functions as the source does.
"$bursty" cc -- $CXX -o mixed with.o c_part.o && "$bursty" place mixed >log 2>&1
ok $? "place: $(cat log)"
says '^holds on the graph that was read' "place of C and C++"
says '^2 of 2 units built without a plan' "place of C and C++"
"$bursty" cc -- $CXX -O2 -g -c -o templates.o "$sources/templates.cc" && "$bursty" place --built --list templates.o >log 2>&1
lacks log 'templates.cc:' '^_Z\|checked-behind'; ok $? "place --list: names: $(grep '^_Z' log | head -n 2)"
checks=$("$bursty" place --built --json templates.o | sed -n 's/.*"entry_checks":\([0-9]*\).*"loop_checks":\([0-9]*\).*/\1+\2/p')
readelf -rW templates.o | grep -c bursty_thunk >log
[ "$(cat log)" = $(($checks)) ]; ok $? "place: checks: $checks, in the code $(cat log)"
# A function that has changed since has the choice for one file alone, and the plan is old.
echo 'int twice(int n) { return n; } int part(int n) { for (int i = 0; i < n; i++) n += twice(i); return n; } int main() { return part(1); }' >stale.cc
"$bursty" cc -- $CXX -O0 -o stale stale.cc && "$bursty" place --set EN+LN -o stale.plan stale >/dev/null 2>&1
"$bursty" cc --plan=stale.plan -- $CXX -O0 -c -o stale.o stale.cc
objdump -dr stale.o >log; lacks log 'file format' bursty_thunk; ok $? "a plan without checks: $(cat log)"
sed -i 's/n += twice(i)/n += twice(i) + twice(n)/' stale.cc
"$bursty" cc --plan=stale.plan -- $CXX -O0 -c -o stale.o stale.cc
objdump -dr stale.o | grep -c bursty_thunk >log; [ "$(cat log)" = 2 ]; ok $? "a function that has changed: $(cat log) checks"
"$bursty" cc --plan=stale.plan -- $CXX -O0 -o stale stale.cc && "$bursty" place stale >log 2>&1
says '^1 of 1 units built with another plan: build again' "an old plan"
# A training run: a function of many calls keeps its check.
"$bursty" cc --entries=all -- $CXX -O2 -g -o templates "$sources/templates.cc" && every templates
"$bursty" place --set Q --counts templates.brst -o kept.plan templates >log 2>&1
says '^no longer seen by points: [0-9]* functions* with [0-9]\.[0-9]* % of the calls' "--counts"
"$bursty" cc --plan=kept.plan -- $CXX -O2 -g -o templates "$sources/templates.cc" && every templates
grep -q 'square::area() const' templates.calls; ok $? "--counts: a kept function is reported"
"$bursty" place --prove --set Q templates >log 2>&1; ok $? "--counts: proved: $(cat log)"
# A build that is broken off leaves no half object, and nothing in its folder for what is made on the way.
for form in "$CXX -x c++" "$CC --late"; do
    awk 'BEGIN { for (i = 0; i < 4000; i++) printf "int f%d(int n) { int s = 0; for (int i = 0; i < n; i++) s += i %% (n + %d); return s; }\n", i, i }' >long.c
    rm -f long.o
    compiler=${form% *} option=
    case $form in *--late) option=--late compiler=$CC ;; *) compiler=$form ;; esac
    # shellcheck disable=SC2086
    timeout -s INT 1 "$bursty" cc $option -- $compiler -O2 -c -o long.o long.c >log 2>&1
    status=$?
    [ $status = 124 ] || [ $status = 0 ]; ok $? "$form: broken off: $status, $(head -n 2 log)"
    [ $status = 0 ] || { [ ! -e long.o ] && ! ls "$TMPDIR"/bursty-cc-* >/dev/null 2>&1; }
    ok $? "$form: broken off: $(ls long.o "$TMPDIR" 2>/dev/null | head -n 3)"
done

# ---- C behind the optimizer ----

cat >late.c <<'END_OF'
#include <stdio.h>
#include <string.h>
static int leaf(int n) { return n * 3; }
static int walk(int n) {
    int s = 0;
    for (int i = 0; i < n; i++) {
        s += leaf(i);
        while (s > 100)
            s -= 7;
    }
    return s;
}
static int rec(int n) { return n < 2 ? walk(n) : rec(n - 1) + rec(n - 2); }
static int other(int n);
static int one(int n) { return n < 1 ? 1 : other(n - 1) + 1; }
static int other(int n) { return n < 1 ? 1 : one(n - 1) + 2; }
static int by_pointer(int (*f)(int), int n) { return n ? by_pointer(f, n - 1) + f(n) : 0; }
static int label(const char *s) {
    int n = 0;
again:
    if (*s) { n += printf("%c", *s++); goto again; }
    return n;
}
int main(int argc, char **argv) {
    int s = 0;
    do {
        s += rec(12) + one(30) + by_pointer(walk, 20);
    } while (s < 100000);
    printf("%d %d %d\n", s, label("jump\n"), (int)strlen(argv[0]) * 0 + argc);
    return 4;
}
END_OF
$CC -O2 -o late.plain late.c && run late.plain
for level in -O0 -O1 -O2 -O3 -Os; do
    "$bursty" cc --late --verbose -- $CC $level -g -Wall -o late late.c >log 2>&1
    says 'late.c: checks behind the optimizer' "--late $level"
    lines 1 "--late $level"
    planned late $level "$CC" --late
done
counted_as_by_callgrind late "$CC" late.c 8 --late
counted_as_by_callgrind late "$CC" late.c 8
"$bursty" cc --late --entries=all --loops=LN -- $CC -O0 -g -o late late.c && every late
grep -q '^32085	rec$' late.calls; ok $? "--late: calls of rec: $(grep rec late.calls)"

# Which way C goes by itself: to the plugin where no function is asked for that inlining would hide.
way() { # WAY OPTIONS-OF-BURSTY -- OPTIONS-OF-COMPILER
    way=$1 mine=
    shift
    while [ "$1" != -- ]; do mine="$mine $1"; shift; done
    shift
    rm -f way.o
    # shellcheck disable=SC2086
    "$bursty" cc --verbose $mine -- $CC -O2 -w "$@" -c -o way.o late.c >log 2>&1 && [ -e way.o ]
    ok $? "$mine $*: compiled"
    says "^bursty: cc: late.c: checks $way\$" "$mine $*"
    lines 1 "$mine $*"
}
late='behind the optimizer' source='in source'
way "$late" --
way "$late" --entries=EN --loops=all --
way "$late" --no-tls --
way "$late" -- -fPIC
for option in --no-late --entries=all --entries=EL --form=scope --ticks --form=dual --keep-events --side --no-runtime; do
    way "$source" $option --
done
way "$source" -- -flto
way "$source" -- -mcmodel=large
way "$source" -- -DBURSTY_PORTABLE
way "$source" -- -fPIC -mcmodel=large
way "$source" -- -masm=intel
for option in --entries=all --entries=EL --form=scope --ticks; do way "$late" --late $option --; done
printf '#define START struct bursty_no_check;\n' >start.h
printf '#include "start.h"\nint g(int n) { START while (n > 1) n = g(n - 2); return n; }\n' >header.c
"$bursty" cc --verbose -- $CC -c header.c >log 2>&1; says 'header.c: checks in source' "the author's word in a header"
# Dependencies are written, and an object does not tell where the plugin and the plan lie.
$CC -MD -MP -c -o dependent.o header.c && mv dependent.d plain.d
"$bursty" cc -- $CC -MD -MP -c -o dependent.o late.c && grep -q '^dependent.o: .*late.c' dependent.d
ok $? "-MD: $(cat dependent.d)"
"$bursty" cc -- $CC -MMD -MF named.d -MT target -c -o dependent.o late.c && [ "$(cat named.d)" = 'target: late.c' ]
ok $? "-MF, -MT: $(cat named.d)"
$CC -Wp,-MD,plain.d -c -o dependent.o late.c
"$bursty" cc -- $CC -Wp,-MD,aside.d -c -o dependent.o late.c && cmp plain.d aside.d
ok $? "-Wp,-MD: $(cat aside.d)"
"$bursty" cc -- $CC -O2 -g -o way late.c && "$bursty" place -o behind.plan way >log 2>&1 && mkdir -p elsewhere
says '^  functions that the compiler has inlined, and their calls: 1 of 1 units have checks behind the optimizer$' "place"
grep '^[^bO]' behind.plan >log
lines 0 "a plan says that its graph is behind the optimizer"
"$bursty" cc --plan=behind.plan -- $CC -O2 -g -c -o one.o late.c
TMPDIR=$PWD/elsewhere "$bursty" cc --plan="$PWD/behind.plan" -- $CC -O2 -g -c -o two.o late.c
# The number of the options of bursty cc, by which builds are compared, is in neither.
cmp one.o two.o >log 2>&1; ok $? "-g: the same object: $(cat log)"
# A plan is obeyed the way it was made for.
"$bursty" cc --no-late -- $CC -O2 -o way late.c && "$bursty" place -o source.plan way >log 2>&1
lacks log ' functions*: ' inlined; ok $? "place: checks in source"
grep '^[^bP]' source.plan >log
lines 0 "a plan says that its graph is that of the source"
way "$source" --plan=source.plan --
way "$late" --plan=behind.plan --
way "$late" --plan=behind.plan --entries=all --
cat >other_way <<END_OF
source.plan|--late|the plan is one for checks in source and is not obeyed: checks stand behind it; make a new plan of this build
behind.plan|--no-late|the plan is one for checks behind the optimizer and is not obeyed: checks stand in source; make a new plan of this build
behind.plan|--form=dual|the plan is one for checks behind the optimizer and is not obeyed: checks stand in source; make a new plan of this build
behind.plan|--side|the plan is one for checks behind the optimizer and is not obeyed: checks stand in source; make a new plan of this build
END_OF
while IFS='|' read -r name option words; do
    rm -f list
    "$bursty" cc --plan=$name --list=list $option -- $CC -O2 -o other late.c >log 2>&1; ok $? "$name $option"
    says "late.c: $words" "$name $option"
    lines 1 "$name $option"
    grep -q 'late.c:1: the file: without a plan: the plan is one for checks' list; ok $? "$name $option: listed: $(cat list)"
    [ $option = --side ] || "$bursty" place --prove other >log 2>&1; ok $? "$name $option: stays safe: $(cat log)"
done <other_way
for options in -fPIC -mcmodel=large; do       # no scope of the plugin there, or no check
    "$bursty" cc --verbose --plan=behind.plan --form=scope -- $CC $options -c -o other.o late.c >log 2>&1
    says 'late.c: the plan is one for .* behind the optimizer .* in source; make a new plan' "--form=scope $options"
    says 'late.c: checks in source$' "--form=scope $options"
done
way "$late" --plan=behind.plan --form=scope --
BURSTY_CACHE=$out/no-cache "$bursty" cc --plan=behind.plan -- $CC -O2 -o other late.c >log 2>&1
ok $? "no plugin for a plan"
says 'late.c: the plan is one .* in source; build the plugin (bursty cc --build-plugin), or make a new plan' "no plugin for a plan"
lines 1 "no plugin for a plan"
BURSTY_CACHE=$out/no-cache "$bursty" cc --plan=source.plan --verbose -- $CC -O2 -c -o other.o late.c >log 2>&1
says 'late.c: checks in source' "no plugin"
lines 1 "no plugin"
# What was inlined is named, if a run has seen it.
"$bursty" cc --no-late --entries=all --loops=all -- $CC -O2 -o way late.c && every way
"$bursty" cc -- $CC -O2 -o other late.c && "$bursty" place --counts way.brst other >log 2>&1
says '^no function of this program, so never seen: .* with [0-9.]* % of the calls of way.brst (inlined? --no-late .*leaf [0-9.]* %' "--counts: what was inlined"
"$bursty" place --counts way.brst way >log 2>&1
grep -q 'never seen' log; ok $(($? != 1)) "--counts: nothing was inlined: $(cat log)"

echo 'int f(int n) { int unused; return n + nothing; }' >late_error.c
$CC -Wall -c late_error.c 2>plain.err
"$bursty" cc --late -- $CC -Wall -c late_error.c 2>err; ok $(($? != 1)) "--late: an error"
[ ! -e late_error.o ]; ok $? "--late: no object after an error"
printf 'int g(int n) { struct bursty_no_check; while (n > 1) n = g(n - 2); return n; }\nint main(void) { return g(7); }\n' >word.c
"$bursty" cc --late --verbose -- $CC -c word.c >log 2>&1; says 'word.c: checks in source' "--late: the author's word"
cmp -s plain.err err; ok $? "--late: the compiler's words"
"$bursty" cc --late -- $CC -O2 -flto -o late late.c && ./late >/dev/null; ok $(($? != 4)) "--late -flto"

# ---- a plugin that is none ----

plugin=$(ls cache/$plugin_name*.so)
cp "$plugin" kept.so
echo garbage >"$plugin"
"$bursty" cc -- $CXX -O1 -c -o made small.cc >log 2>&1
ok $? "a broken plugin: the file is compiled"
says 'the compiler refuses it, and C++ goes without checks' "a broken plugin"
"$bursty" cc -- $CXX -c -o made broken.cc >log 2>&1
[ $? = 1 ] && grep -q 'nothing' log; ok $? "a broken plugin and an error in the file"
"$bursty" cc --verbose -- $CC -O1 -c -o made late.c >log 2>&1
ok $? "a broken plugin: C is compiled"
says 'fails on late.c, which has its checks in source: bursty cc --build-plugin' "a broken plugin"
says '^bursty: cc: late.c: checks in source$' "a broken plugin: C"
objdump -dr made | grep -q bursty_thunk; ok $? "a broken plugin: C has checks"
cp kept.so "$plugin"
"$bursty" cc -- $CXX -O1 -c -o made small.cc >log 2>&1
lines 0 "the plugin is back"
printf 'case " $* " in *fplugin*) exit 1 ;; esac\nexec %s "$@"\n' "$CXX" >no-plugins
sed -i '1i #!/bin/sh' no-plugins
chmod +x no-plugins
"$bursty" cc -- ./no-plugins -O1 -c -o made small.cc >log 2>&1
ok $? "-fplugin is refused: the file is compiled"
lines 1 "-fplugin is refused"

# ---- clang alone ----

if [ $is_clang = 1 ]; then
    # Lines without -g, and no debug information for them; -g as without checks.
    "$bursty" cc --entries=all -- $CXX -O2 -pthread -c -o made.o "$sources/templates.cc"
    objdump -h made.o | grep -q debug; ok $(($? != 1)) "lines leave no debug information"
    [ "$(grep -a '^F .* [a-z] [0-9]' made.o | awk '$4 > 1' | grep -c 'templates.cc')" -gt 1 ]
    ok $? "without -g: functions have lines: $(grep -a '^F ' made.o | head -n 3)"
    "$bursty" cc -- $CXX -O2 -g -Rpass=inline -c -o made.o small.cc >log 2>&1
    says 'small.hh:2.*Rpass=inline\|small.cc.*Rpass=inline' "-Rpass of the user"
    rows() { objdump --dwarf=decodedline "$1" 2>/dev/null | awk '$2 ~ /^[0-9]+$/ { print $1, $2 }' | sort -u; }
    for name in exceptions start; do
        $CXX -O0 -g -c -o plain.o "$sources/$name.cc" && rows plain.o >plain.rows
        "$bursty" cc --entries=all --loops=all -- $CXX -O0 -g -c -o made.o "$sources/$name.cc" && rows made.o >made.rows
        cmp -s plain.rows made.rows && [ -s made.rows ]
        ok $? "$name: the lines of -g: $(diff plain.rows made.rows | head -n 3)"
    done
    # The linker takes one of two copies, and link-time optimization moves them.
    echo 'template <int N> int of(int n) { return n < N ? 0 : of<N>(n - 1) + of<N>(n - 2); } extern int (*p)(int);' >same.hh
    echo '#include "same.hh"
    int (*p)(int); int other(); int main() { p = of<3>; return p(7) + other() == 0 ? 0 : 1; }' >same1.cc
    echo '#include "same.hh"
    int other() { return -of<3>(7); }' >same2.cc
    for options in '-O2 -flto=thin' -O0; do
        # shellcheck disable=SC2086
        "$bursty" cc --entries=all --loops=LN -- $CXX $options -o same same1.cc same2.cc >log 2>&1 && ./same
        ok $? "two copies of a template, $options: $(head -n 3 log)"
    done
    "$bursty" place --prove same >log 2>&1; ok $? "two copies of a template: proved: $(cat log)"
    # What the pass is not for goes without checks, and works.
    "$bursty" cc -- $CXX -mcmodel=large -O2 -c -o made.o small.cc >log 2>&1
    ok $? "-mcmodel=large: $(head -n 2 log)"
    objdump -dr made.o | grep -q bursty_thunk; ok $(($? != 1)) "-mcmodel=large: no checks"
    compare exceptions --form=scope --entries=all -- -O2 -flto=thin
    compare start --not='std::*' -- -O2 -fPIC -ffunction-sections -Wl,--gc-sections
    # Another version's plugin.
    version=$($CXX -dumpversion)
    sed "s/ $version/ $(echo "$version" | tr 0-9 9)/g" kept.so >"$plugin"
    cmp -s kept.so "$plugin"; ok $(($? != 1)) "the plugin has its version"
    "$bursty" cc -- $CXX -O1 -c -o made small.cc >log 2>&1
    ok $? "another version's plugin: the file is compiled"
    says 'the compiler refuses it, and C++ goes without checks' "another version's plugin"
    grep -q 'Stack dump' log; ok $(($? != 1)) "another version's plugin does no harm"
    cp kept.so "$plugin"
fi

# ---- coverage: counters that are joined behind inlining ----

# Says what comments say, and what a build without the plugin says.
covered() { # CACHE PROGRAM OPTION...: its coverage as PROGRAM.info
    cache=$1 program=$2
    shift 2
    rm -f "$program" "$program.brst"
    # shellcheck disable=SC2086
    BURSTY_CACHE=$cache "$bursty" cc --cover -- $CXX "$@" -o "$program" "$sources/joined.cc" >log 2>&1
    BURSTY_COVERAGE=$program.brst ./"$program" $argument >"$program.out"
    "$bursty" report --source-root "$sources" --lcov "$program.brst" >"$program.info" 2>/dev/null
}
if [ "$is_clang" = 0 ]; then
    for argument in '' again; do
        for options in -O1 -O2 '-O3 -fPIC' -Os \
            '-O2 -g -ffunction-sections -fdata-sections -Wl,--gc-sections' \
            '-O2 -fuse-ld=gold -Wl,--gc-sections' '-O2 -fuse-ld=lld -Wl,--gc-sections'; do
            linker=ld.${options#*-fuse-ld=}
            case $options in
            *fuse-ld*) command -v "${linker%% *}" >/dev/null || continue ;;
            esac
            # shellcheck disable=SC2086
            covered "$out/empty" alone $options
            lines 0 "joined, $options: no word without the plugin"
            # shellcheck disable=SC2086
            covered "$BURSTY_CACHE" joined $options
            lines 0 "joined, $options: no word"
            nm joined | grep -q "bursty_joined\." && ! nm alone | grep -q "bursty_joined\."
            ok $? "joined, $options: some counters are joined"
            cmp -s alone.out joined.out && cmp -s alone.info joined.info && [ -s joined.info ]
            ok $? "joined, $options $argument: $(diff alone.info joined.info | head -n 4)"
            [ -n "$argument" ] || awk -F'[:,]' 'FNR == NR { if (/^DA:/) n[$2] = $3; next }
                match($0, /runs [0-9]+/) {
                    said = substr($0, RSTART + 5, RLENGTH - 5)
                    lines++
                    if (n[FNR] != said) { print "line " FNR ": " n[FNR] " for " said; bad = 1 }
                }
                END { exit bad || lines < 30 }' joined.info "$sources/joined.cc" >log
            ok $? "joined, $options: $(head -n 3 log)"
        done
    done
    argument=
    covered "$BURSTY_CACHE" joined -O0
    nm joined | grep -q "bursty_joined\."; ok $(($? != 1)) "joined: nothing at -O0"
    covered "$BURSTY_CACHE" joined -O2 -flto
    lines 0 'joined: no word of -flto'
    "$bursty" cc --cover --atomic -- $CXX -O2 -c -o made.o "$sources/joined.cc" >log 2>&1
    nm made.o | grep -q "bursty_joined\."; ok $(($? != 1)) "joined: no counters that threads share"
    printf '#!/bin/sh\necho "$@" >>words\nexec %s "$@"\n' "$CXX" >logged && chmod +x logged
    jumps() { # WORD...: the word that holds, where counters are joined
        rm -f words
        "$bursty" cc --cover -- ./logged -O2 "$@" -c -o made.o "$sources/joined.cc" >log 2>&1
        grep -e '-join=1' words | tr ' ' '\n' | grep -e '-jumps$' | tail -n 1
    }
    [ "$(jumps)" = -fthread-jumps ]; ok $? "joined: jumps are joined behind counters"
    [ "$(jumps -fno-thread-jumps)" = -fno-thread-jumps ]; ok $? "joined: but if the user says no"
    [ "$(jumps -fno-thread-jumps -fthread-jumps)" = -fthread-jumps ]; ok $? "joined: the last word"
fi

finish
