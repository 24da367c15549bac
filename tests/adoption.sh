#!/bin/sh
# adoption.sh - a row of the matrix: the recipes of docs/adoption.md, as they stand there. Each runs in a
# fresh copy of a small project of C and C++, with an empty HOME and a plain PATH. Of GitHub's, GitLab's
# and Jenkins' files the commands are run; what their servers do is not.
set -u
cd "$(dirname "$0")/.." || exit 2
. tests/check.sh
top=$PWD page=$PWD/docs/adoption.md
BUILD=${BUILD:-build}
case $BUILD in /*) ;; *) BUILD=$top/$BUILD ;; esac
work=$(mktemp -d "${TMPDIR:-/tmp}/bursty-adoption.XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT
mkdir "$work/home" "$work/tmp" "$work/project"
[ -x "$BUILD/bursty" ] || make -s CFLAGS=-O0 "$BUILD/bursty" || exit 2
log=$work/said
plain() { # as a stranger types it
    env -i PATH="$BUILD:/usr/bin:/bin" HOME="$work/home" TMPDIR="$work/tmp" TERM=dumb LANG=C.UTF-8 \
        ${BASE:+GITHUB_BASE_REF=main CI_MERGE_REQUEST_DIFF_BASE_SHA=$BASE GITHUB_STEP_SUMMARY=summary} "$@"
}

# ---- a project that all of them can build ----

cd "$work/project" || exit 2
mkdir src
cat >src/sum.c <<'C'
int sum(int n) {
    int s = 0;
    while (n > 0)
        s += n--;
    if (s > 1000)
        s = 1000;
    return s;
}
C
cat >src/parse.cc <<'C'
#include <string>
extern "C" int sum(int n);
int main() {
    std::string words = "a bc";
    return sum(int(words.size())) != 10;
}
C
cat >Makefile <<'C'
CFLAGS = -O0 -g
CXXFLAGS = -O0 -g
parse: sum.o parse.o
	$(CXX) -o $@ sum.o parse.o
%.o: src/%.c
	$(CC) $(CFLAGS) -c $<
%.o: src/%.cc
	$(CXX) $(CXXFLAGS) -c $<
check: parse
	BURSTY_TEST=parse ./parse
clean:
	rm -f parse *.o
C
cat >CMakeLists.txt <<'C'
cmake_minimum_required(VERSION 3.21)
project(parse C CXX)
enable_testing()
add_executable(parse src/sum.c src/parse.cc)
add_test(NAME parse COMMAND parse)
C
sed -n '/^```cmake$/,/^```$/p' "$page" | grep -v '^```' >>CMakeLists.txt
cat >meson.build <<'C'
project('parse', 'c', 'cpp')
parse = executable('parse', 'src/sum.c', 'src/parse.cc')
C
sed -n "s/^.*by \`\(test('parse', .*)\)\`.*/\1/p" "$page" >>meson.build
cat >configure.ac <<'C'
AC_INIT([parse], [1])
AM_INIT_AUTOMAKE([foreign subdir-objects])
AC_PROG_CC
AC_PROG_CXX
AC_CONFIG_FILES([Makefile])
AC_OUTPUT
C
cat >Makefile.am <<'C'
check_PROGRAMS = parse
parse_SOURCES = src/sum.c src/parse.cc
TESTS = parse
C
sed -n "s/^\`\(BURSTY_TEST=.*\)\`\.$/\1/p" "$page" >named.sh
for file in CMakeLists.txt meson.build named.sh; do
    check "the page names a test for $file" grep -q 'BURSTY_TEST' $file
done

# Nothing failed there, which is what it says.
says_of_ctest() { ! "$@" >"$work/out" 2>&1 && grep -q 'no test in it has failed' "$work/out"; }

# ---- each recipe ----

block() { sed -n "/^\`\`\`[a-z]* $1\$/,/^\`\`\`\$/p" "$page" | sed '1d;$d'; } # NAME
begin() { # NAME: a fresh copy; and not what another build system would take for its own
    rm -rf "$work/$1"
    cp -r "$work/project" "$work/$1"
    cd "$work/$1" || exit 2
    [ "$1" = autotools ] && rm Makefile
}
follow() { # NAME: a recipe of sh
    begin "$1"
    { echo 'set -e'; block "$1"; } >"$work/run"
    check "$1: the page has a recipe" [ "$(wc -l <"$work/run")" -gt 3 ]
    check "$1 runs to its end" plain timeout 600 sh "$work/run"
    # sum() has 7 lines that count, of which one never ran; main() has 4.
    cp "$work/said" "$work/report"
    for row in '^\(all\) +90\.91% +10 +11 ' '^src/sum\.c +85\.71% +6 +7 ' '^src/parse\.cc +100\.00% +4 +4 '; do
        check "$1: $row" grep -qE "$row" "$work/report"
    done
}
for recipe in make cmake meson autotools sandbox; do follow $recipe; done

# ---- tests by their names ----

names_of() { sed -n 's/^TN:\(.*\)/\1/p' "$1" | sort -u | tr '\n' ' '; }
cd "$work/cmake" && "$BUILD/bursty" report --lcov -o lcov build/coverage.brst
check "ctest names a test" [ "$(names_of lcov)" = 'parse ' ]
check "--failing takes ctest's JUnit: $(cat "$work/said")" \
    says_of_ctest "$BUILD/bursty" report --failing build/junit.xml build/coverage.brst
# A test that fails by a signal: its run is kept, and the line that it alone ran is found. Tests that
# only ctest knows have their names from a file, as those of gtest have.
begin failing
sed -i 's|return sum(int(words.size())) != 10;|return sum(argc > 1 ? argc : 4) != (argc > 1 ? 3 : 10);|
    s|int main()|int main(int argc, char **)|' src/parse.cc
sed -i 's|^    if (s > 1000)|    if (s == 3)\n        raise(11);\n&|; 1i int raise(int number);' src/sum.c
sed -i "/^add_test/a\\
add_test(NAME crash COMMAND parse one)\\
file(WRITE \${CMAKE_BINARY_DIR}/found.cmake \"add_test(Found.one \${CMAKE_BINARY_DIR}/parse)\\nset(unit_tests Found.one)\\n\")\\
set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES \${CMAKE_BINARY_DIR}/found.cmake)" CMakeLists.txt
{ echo 'set -e'; block cmake | sed '/ctest/d; /^bursty report/d'; block failing; } >"$work/run"
check "failing: the page has a recipe" [ "$(block failing | wc -l)" = 2 ]
check "failing runs to its end" plain timeout 600 sh "$work/run"
cp "$work/said" "$work/report"
check "the line that the failing test alone ran" \
    grep -qE '^100\.00% +33\.33% +no +1 +0 +line +src/sum\.c:7( |$)' "$work/report"
"$BUILD/bursty" report --lcov -o lcov build/coverage.brst
check "all tests have names: $(names_of lcov)" [ "$(names_of lcov)" = 'Found_one crash parse ' ]
cd "$work/meson" && "$BUILD/bursty" report --lcov -o lcov build/coverage.brst
check "meson names a test" [ "$(names_of lcov)" = 'parse ' ]
check "and has a JUnit report" [ -s build/meson-logs/testlog.junit.xml ]
cd "$work/autotools" && rm coverage.brst
check "automake names a test" plain env BURSTY_COVERAGE="$PWD/coverage.brst" make check LOG_COMPILER='sh named.sh'
"$BUILD/bursty" report --lcov -o lcov coverage.brst
check "parse: $(names_of lcov)" [ "$(names_of lcov)" = 'parse ' ]

# ---- CI servers: their commands, in a clone whose branch changes a line ----

serve() { # NAME: what its file runs is in $work/commands
    begin "$1"
    git init -q -b main . && git add . && git -c user.name=a -c user.email=a@b commit -qm one &&
        git clone -q --bare . "$work/$1.git" && git remote add origin "$work/$1.git" && git fetch -q || exit 2
    BASE=$(git rev-parse HEAD)
    echo '/* a change without code */' >>src/sum.c
    sed -i 's/int s = 0;/int s = n - n;/' src/sum.c
    git -c user.name=a -c user.email=a@b commit -qam two
    { echo 'set -e'; cat "$work/commands"; } >"$work/run"
    check "$1: the page has commands" [ "$(wc -l <"$work/run")" -gt 3 ]
    check "$1 runs to its end" plain timeout 600 sh "$work/run"
    cp "$work/said" "$work/report"
}
block github | sed -n 's/^      - run: //p' >"$work/commands"
serve github
check "GitHub's summary" grep -qE '^\(all\) +90\.91%' summary
check "its page" grep -q 'sum.c' coverage.html
block gitlab | sed -n 's/^    - //p' >"$work/commands"
serve gitlab
check "GitLab: Cobertura" grep -q '<class .*filename="src/sum.c"' cobertura.xml
pattern=$(block gitlab | sed -n "s|^  coverage: '/\(.*\)/'\$|\1|p")
check "the pattern finds the share" [ "$(grep -oP "$pattern" "$work/report" | head -n 1 | tr -s ' ')" = '(all) 90.91%' ]
block jenkins | sed -n "s/^ *sh '\(.*\)'\$/\1/p" >"$work/commands"
serve jenkins
check "Jenkins: Cobertura" [ -s cobertura.xml ]
check "and a report in its log" grep -qE '^\(all\) +90\.91%' "$work/report"
# A gate that fails ends them.
sed -i 's/n - n/n > 9000 ? 3 : n - n/' src/sum.c && git -c user.name=a -c user.email=a@b commit -qam three
sed -i 's/lines=60/lines=95/' "$work/run"
rm -f coverage.brst
plain sh "$work/run" >"$work/out" 2>&1
check "a gate that is too high: $?" grep -q 'fail-under: lines: .* is less than 95 %' "$work/out"
finish
