#!/bin/sh
# readme_rows.sh [CLONE] - a row of the matrix: the rows of README's first table, each as its reader
# would try it: a clean clone (or CLONE, a clone where some of it has been built), an empty HOME, a plain
# PATH with cc and make; and the other commands that a row names. A microcontroller's commands are run
# by tests/firmware_page.sh. bench/fresh_root.sh runs this in a root that has nothing else.
#
# Prints how long each row took, and of that its processor time; more than five minutes of that is a
# failure. Where there is no g++, the row of C++ must say in one line what to install.
set -u
cd "$(dirname "$0")/.." || exit 2
. tests/check.sh
work=$(mktemp -d "${TMPDIR:-/tmp}/bursty-readme.XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT
mkdir "$work/home"
shown=$work/said
clone=${1:-$work/clone} as=' CFLAGS=-O0'
[ $# = 0 ] || as=
[ -d "$clone" ] || git clone -q . "$clone" || exit 2
# Runs the words of the row, in a folder, as a stranger would type them.
reader() { # FOLDER LINE
    (cd "$1" && env -i PATH="/usr/bin:/bin:$clone/build" HOME="$work/home" TERM=dumb \
        LANG=C.UTF-8 sh -c "$2") >"$work/said" 2>&1
}
# Processor time, for other work beside this must not decide.
seconds() { # of all that has run so far; `times` in a pipe would be another shell's
    times >"$work/times"
    tail -n 1 "$work/times" | tr 'ms' '  ' | awk '{ printf "%.0f\n", 60 * ($1 + $3) + $2 + $4 }' >"$work/now"
}
began=0
clock=$(date +%s)
lap() { # WHAT: prints a row of a table
    seconds
    now=$(cat "$work/now")
    echo "| $1 | $(($(date +%s) - clock)) | $((now - began)) |"
    [ $((now - began)) -lt 300 ]
    ok $? "$1 took $((now - began)) s"
    began=$now
    clock=$(date +%s)
}
in_table() { # LINE: README's table has it
    grep -qF "$1" README.md
    ok $? "README.md has no: $1"
}

# Compiled as it comes by make test, and in bench/fresh_root.sh; in the matrix it need not be fast.
reader "$clone" "make -j2$as"
ok $? "make"
lap "make"

# 1: a program as it is
mkdir "$work/one" "$work/two" "$work/three" "$work/four"
in_table '`bursty record ./prog`'
cat >"$work/one/prog.c" <<'END'
#include <stdio.h>
static volatile unsigned sink;
__attribute__((noinline)) void seldom(void) { unsigned i; for (i = 0; i < 3000; i++) sink += i; }
__attribute__((noinline)) void often(void) { unsigned i; for (i = 0; i < 9000; i++) sink += i * i; }
int main(int argc, char **argv) {
    int i;
    for (i = 0; i < 20000 * (argc > 1 ? 10 : 1); i++) { seldom(); often(); }
    puts(argv[0]);
    return 0;
}
END
# The first run is ten times as long: by some 28 ticks nobody can tell seldom from main.
reader "$work/one" 'cc -O1 -o prog prog.c && bursty record ./prog long && bursty report bursty.brst'
ok $? "a program as it is"
grep -q '^1 .* often' "$work/said" && grep -q '^2 .* seldom' "$work/said"
ok $? "often takes most of the time, seldom the rest"
for word in '`--calls`' '`--frames`' '`--misses`' '`--sharing`' '`-p PID`' '`bursty top -p PID`'; do in_table "$word"; done
reader "$work/one" 'bursty record --calls -o calls.brst ./prog && bursty report calls.brst'
grep -q 'main > often' "$work/said"
ok $? "--calls: contexts"
reader "$work/one" 'bursty record --frames often -o frames.brst ./prog && bursty report frames.brst'
grep -q '^ *20000 .* often ' "$work/said"
ok $? "--frames: 20000 calls of often"
reader "$work/one" 'bursty record --misses -o misses.brst ./prog && bursty report misses.brst'
grep -qi 'miss' "$work/said"
ok $? "--misses"
# As root, for a system may forbid it to others. The loop ends by itself after a minute.
sed 's/i < 20000 \* (argc > 1 ? 10 : 1)/i < 20000000 \&\& clock() < 60 * CLOCKS_PER_SEC/; s/int argc.*argv/void/; s/argv.0./"done"/; 1i #include <time.h>' \
    "$work/one/prog.c" >"$work/one/long.c"
reader "$work/one" 'cc -O1 -o long long.c && { ./long & bursty record -p $! --seconds 2 -o pid.brst
    status=$?; kill $!; [ $status = 0 ] && bursty report pid.brst; }'
grep -q '^1 .* often' "$work/said"
ok $? "-p PID"
reader "$work/one" './long & bursty top -p $! --once; status=$?; kill $!; exit $status'
ok $? "top"
grep -q ' often$' "$work/said"
ok $? "top: often"
sed 's/volatile unsigned sink;/volatile unsigned sinks[2];/; s/sink +=/sinks[which] +=/; s/^int main.*/static void *run(void *w) {/; s/ \* (argc > 1 ? 10 : 1)//
    s/seldom(void) {/seldom(int which) {/; s/often(void) {/often(int which) {/; s/int i;$/int i, which = w != 0;/
    s/seldom();/seldom(which);/; s/often();/often(which);/; s/puts.*//; s/return 0;/return w;/' "$work/one/prog.c" >"$work/one/two.c"
cat >>"$work/one/two.c" <<'END'
#include <pthread.h>
int main(void) {
    pthread_t t;
    if (pthread_create(&t, NULL, run, NULL)) return 1;
    run(&t);
    return pthread_join(t, NULL) != 0;
}
END
reader "$work/one" 'cc -O1 -o two two.c -lpthread && bursty record --sharing -o two.brst ./two && bursty report two.brst'
ok $? "--sharing"
grep -q 'sinks' "$work/said"
ok $? "--sharing: both threads write to sinks"
lap "an x86-64 Linux program"

# 2: the ten lines
sed -n '/^```c$/,/^```$/p' README.md | sed '/^```/d' >"$work/two/game.c"
line=$(sed -n 's/^`\(cc -O2 -I\. game\.c -o game && \.\/game\)`.*/\1/p' README.md)
[ -n "$line" ]
ok $? "README says how to compile game.c"
cp "$clone/bursty.h" "$work/two/"
reader "$work/two" "$line && bursty report game.brst && bursty report --html page.html game.brst"
ok $? "a program of one's own"
grep -q ' draw ' "$work/said" && grep -q collide "$work/two/page.html"
ok $? "the report and the page name collide and draw"
lap "your own C or C++ program"

# 3: a makefile
in_table '`make CC="bursty cc -- gcc"`'
cat >"$work/three/Makefile" <<'END'
prog: main.o work.o
	$(CC) -o $@ main.o work.o
%.o: %.c
	$(CC) -O2 -c $<
END
echo 'int work(int); int main(void) { int i, s = 0; for (i = 0; i < 3000000; i++) s += work(i); return s == 1; }' >"$work/three/main.c"
echo 'int half(int n) { return n / 2; } int work(int n) { int i, s = 0; for (i = 0; i < 3; i++) s ^= half(n + i); return s; }' >"$work/three/work.c"
reader "$work/three" 'make CC="bursty cc -- gcc" && ./prog && bursty report prog.brst'
ok $? "a makefile"
grep -qE 'main|work' "$work/said"
ok $? "the report names a function or a loop"
lap "a C makefile"

# a makefile of C++
in_table '`bursty cc --build-plugin`; `make CXX="bursty cc -- g++"`'
mkdir "$work/cxx"
sed 's/CC/CXX/g; s/%\.c$/%.cc/' "$work/three/Makefile" >"$work/cxx/Makefile"
for file in main work; do cp "$work/three/$file.c" "$work/cxx/$file.cc"; done
if [ -x /usr/bin/g++ ]; then
    reader "$work/cxx" 'bursty cc --build-plugin && make CXX="bursty cc -- g++" && ./prog && bursty report prog.brst'
    ok $? "a makefile of C++"
    grep -qE 'main|work\(int\)' "$work/said"
    ok $? "the report names a function of C++"
    lap "a C++ makefile"
else
    reader "$work/cxx" 'bursty cc --build-plugin'
    [ $? = 1 ] && [ "$(wc -l <"$work/said")" = 1 ] && grep -q 'install gcc-.*-plugin-dev$' "$work/said"
    ok $? "without g++ and its plugins' headers: one line that says what to install"
fi

# 4: tests, with lines, branches and MC/DC
in_table '`make CC="bursty cc --cover -- gcc" CXX="bursty cc --cover -- g++"`'
in_table '`--cover=mcdc`'
cp "$work/three/Makefile" "$work/four/"
cp "$work/three/work.c" "$work/four/"
echo 'int work(int); int main(void) { return work(3) > 5 && work(4) > 1; }' >"$work/four/main.c"
reader "$work/four" 'make CC="bursty cc --cover -- gcc" CXX="bursty cc --cover -- g++" && ./prog; bursty report --lcov -o x.info coverage.brst'
ok $? "tests"
grep -q '^FNDA:1,work$' "$work/four/x.info"
ok $? "LCOV has the function's count"
reader "$work/four" 'rm -f *.o prog coverage.brst; make CC="bursty cc --cover=mcdc -- gcc" && ./prog; bursty report coverage.brst'
ok $? "tests with MC/DC"
grep -qi 'mc/dc' "$work/said"
ok $? "the report has MC/DC"
lap "C and C++ tests"

reader "$clone" 'git status --porcelain | grep . && exit 1; exit 0'
ok $? "nothing is left that git does not know"
finish
