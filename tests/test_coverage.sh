#!/bin/sh
# test_coverage.sh - what teams ask of `bursty cc --cover` and its report: excluded lines, choices of
# files, diffs, shares that are wanted, tests, runs that add up in place, sources that were edited,
# and tables that stand in the program's file alone.
set -u
cd "$(dirname "$0")/.." || exit 2
. tests/check.sh
in_folder coverage
shares_runtime
mkdir -p src/in
bursty() { "$build/bursty" "$@"; }
lines() { sed -n 's/^DA:\([0-9]*\),\([0-9]*\)$/\1=\2/p' "$1" | sort -n | uniq | tr '\n' ' '; }
# What a command says on standard error, when its status is that.
says() { # STATUS PATTERN COMMAND...
    wanted=$1 pattern=$2
    shift 2
    "$@" >out 2>err
    [ $? = "$wanted" ] && [ "$(grep -c '' err)" = 1 ] && grep -q -e "$pattern" err && return
    cat err
    return 1
}

cat >src/a.c <<'E'
#include <stdlib.h>
int b(int);
static int dead(int n) { /* LCOV_EXCL_START */
    return n + 3;
} /* LCOV_EXCL_STOP */
int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 0;
    if (n > 3 && n < 9) n = b(n);
    if (n == 77) abort(); /* GCOVR_EXCL_LINE */
    if (n == 78) return dead(n); /* LCOV_EXCL_BR_LINE */
    /* LCOV_EXCL_BR_START */
    if (n == 79)
        n++;
    /* LCOV_EXCL_BR_STOP */
    if (n == 80) /* NOT_LCOV_EXCL_LINE, LCOV_EXCL_LINES */
        n++;
    return 0;
}
E
cat >src/in/b.c <<'E'
int b(int n) {
    if (n == 5)
        return 1;
    return 2;
}
int unused(int n) {
    return n;
}
E
[ "$(uname -s)" = Linux ] && $CC -o plain src/a.c src/in/b.c && ./plain 5 ||
    leave "no programs for Linux that run here"
bursty cc --cover=mcdc -- $CC -Wall -Wextra -o p src/a.c src/in/b.c 2>log || fail "not compiled"
check "no messages" test ! -s log

# ---- markers, files, lines ----

./p 5
bursty report --lcov coverage.brst >lcov 2>err
check "a report without notes: $(cat err)" test ! -s err
sed '/in\/b\.c/,$d' lcov >a.lcov
check "excluded lines: $(lines a.lcov)" \
    [ "$(lines a.lcov)" = "6=1 7=1 8=1 10=1 12=1 13=0 15=1 16=0 17=1 " ]
check "a function that begins in an excluded line" lacks a.lcov ^FN: dead
check "branches" [ "$(sed -n 's/^BRDA:\([0-9]*\),.*/\1/p' a.lcov | tr '\n' ' ')" = "7 7 8 8 8 8 15 15 " ]
bursty report coverage.brst >text
check "text says what is left out" grep -q 'lines left out 3' text
check "totals of a folder" grep -q '^src/in  *50.00%' text
check "totals" grep -q '^(all)  *66.67%  *10  *15' text
bursty report --filter 'src/in/*' --lcov coverage.brst >lcov
check "--filter" [ "$(grep -c ^SF: lcov)" = 1 ]
bursty report --filter '*/a.c' --filter '*b.c' --exclude src/a.c --lcov coverage.brst >lcov
check "--exclude" [ "$(grep -c ^SF: lcov)" = 1 ]
check "nothing left" says 2 'no file of it is left' bursty report --filter nothing coverage.brst
mkdir elsewhere
(cd elsewhere && bursty report --lcov ../coverage.brst >../lcov 2>../err)
check "sources that are not here: $(cat err)" grep -q 'no look for markers.*a.c and 1 more' err
check "and their lines" [ "$(grep -c '^DA:9,' lcov)" = 1 ]
sed 's/LCOV_EXCL_STOP/stop/' src/a.c >open.c
bursty cc --cover -- $CC -o open open.c src/in/b.c && BURSTY_COVERAGE=open.brst ./open 5
check "a START without a STOP" says 0 'note: open.c:3: a START.*no STOP' bursty report open.brst

# ---- diffs ----

cat >change.diff <<'E'
diff --git a/src/a.c b/src/a.c
index 111..222 100644
--- a/src/a.c
+++ b/src/a.c
@@ -7 +7,2 @@ int main(int argc, char **argv) {
-    int n = 0;
+    int n = argc > 1 ? atoi(argv[1]) : 0;
+    if (n > 3 && n < 9) n = b(n);
@@ -13,3 +15,3 @@ int main(int argc, char **argv) {
     if (n == 80) /* NOT_LCOV_EXCL_LINE, LCOV_EXCL_LINES */
-        n--;
+        n++;
     return 0;
--- a/README
+++ b/README
@@ -0,0 +1 @@
+words
--- a/src/new.c
+++ b/src/new.c
@@ -0,0 +1 @@
+int new;
E
bursty report --diff change.diff --lcov coverage.brst >lcov
check "lines of a diff: $(lines lcov)" [ "$(lines lcov)" = "7=1 8=1 16=0 " ]
check "its files" [ "$(grep -c ^SF: lcov)" = 1 ]
bursty report --diff - coverage.brst <change.diff >text
check "a changed source without coverage" grep -q 'changed, but without coverage: *src/new.c$' text
check "a gate names it" says 0 'note: .*without coverage, and not counted: src/new.c$' \
    bursty report --diff change.diff --fail-under 60 coverage.brst
check "its share" says 3 'lines: 2 of 3, 66.67 %, is less than 80 %' \
    bursty report --diff change.diff --exclude src/new.c --fail-under 80 coverage.brst
check "the lines that are missing" says 3 'than 80 %; not run: src/a.c:16$' \
    bursty report --diff change.diff --exclude src/new.c --fail-under 80 coverage.brst
check "where enough is covered there is no word of them" \
    bursty report --diff change.diff --exclude src/new.c --fail-under 60 coverage.brst
awk 'BEGIN {
    print "int f(int n) {\n    n += 1;"
    for (i = 0; i < 22; i++) print "    if (n == " i + 100 ")\n        n += 3;\n    n ^= 1;"
    print "    return n;\n}\nint g(int n) {\n    n++;\n    n--;\n    return n;\n}"
    print "int main(void) { return f(1) == 77; }" }' >places.c
{ printf '%s\n' '--- /dev/null' '+++ b/places.c' "@@ -0,0 +1,$(grep -c '' places.c) @@"; sed 's/^/+/' places.c; } >places.diff
bursty cc --cover -- $CC -o places places.c && BURSTY_COVERAGE=places.brst ./places
check "20 places and the rest: lines 4 to 67, and g" says 3 'not run: places.c:4, .*, places.c:61 and 3 more$' \
    bursty report --diff places.diff --fail-under 99 places.brst
sed 's/ +1,/ +71,/; 4,73d' places.diff | sed "s/+71,[0-9]*/+71,$(($(grep -c '' places.c) - 70))/" >g.diff
check "lines in a row" says 3 'not run: places.c:71-74$' \
    bursty report --diff g.diff --fail-under 99 places.brst
check "an empty diff" bursty report --diff /dev/null --fail-under 80 --lcov coverage.brst
check "no diff" says 2 '--diff src/a.c: is no unified diff' bursty report --diff src/a.c coverage.brst
sed 's/^@@ -13,3 +15,3/@@ -13,5 +15,5/' change.diff >bad.diff
check "a hunk that is too short" says 2 '--diff bad.diff: line 16: is no line of a hunk' \
    bursty report --diff bad.diff coverage.brst
sed 's/^@@ -7 +7,2/@@ -7 +x,2/' change.diff >bad.diff
check "a bad head" says 2 '--diff bad.diff: line 5: is no head of a hunk' \
    bursty report --diff bad.diff coverage.brst
head -n 12 change.diff >bad.diff
check "a diff that is cut" says 2 'line 12: the diff ends within a hunk' \
    bursty report --diff bad.diff coverage.brst

# A change of m.c is none of sub/m.c; without an m.c here it may be one, for the program may have
# been compiled elsewhere. Of several the longest end counts.
mkdir -p sub/deep
printf 'int top(int n) {\n    return n;\n}\n' >m.c
printf 'int below(int n) {\n    return n;\n}\n' >sub/m.c
printf 'int deepest(int n) {\n    return n;\n}\n' >sub/deep/m.c
printf 'int top(int);\nint below(int);\nint deepest(int);\nint odd(int);\nint main(void) {\n    return top(0) + below(0) + deepest(0) + odd(0);\n}\n' >all.c
odd=$(printf 'a"b\\c \303\274.c')
printf 'int odd(int n) {\n    return n;\n}\n' >"$odd"
bursty cc --cover -- $CC -o names all.c m.c sub/m.c sub/deep/m.c "$odd"
BURSTY_TEST=names BURSTY_COVERAGE=names.brst ./names
changes() { # NAME AS GIT WRITES IT: the functions of the file that such a diff changes
    printf -- '--- %s\n+++ %s\n@@ -2 +2 @@\n-x\n+    return n;\n' "$1" "$1" >named.diff
    bursty report --diff named.diff --lcov "${2:-names.brst}" | sed -n 's/^FNDA:[0-9]*,//p' | tr '\n' ' '
}
check "a change of m.c: $(changes b/m.c)" [ "$(changes b/m.c)" = "top " ]
check "of sub/m.c: $(changes b/sub/m.c)" [ "$(changes b/sub/m.c)" = "below " ]
check "of deep/m.c, whose end alone fits: $(changes deep/m.c)" [ "$(changes deep/m.c)" = "deepest " ]
check "a name in quotes: $(changes '"b/a\"b\\c \303\274.c"')" \
    [ "$(changes '"b/a\"b\\c \303\274.c"')" = "odd " ]
printf -- '--- a/deep/m.c\n+++ b/deep/m.c\n@@ -2 +2 @@\n-x\n+    return n;\n--- a/m.c\n+++ b/m.c\n@@ -0,0 +1 @@\n+x\n' >two.diff
mv m.c away.c
bursty report --diff two.diff --lcov names.brst >lcov 2>err
check "the longest end" [ "$(sed -n '/deep.m\.c$/,/^end/s/^DA://p' lcov)" = 2,1 ]
check "a shorter one" [ "$(sed -n '/sub.m\.c$/,/^end/s/^DA://p' lcov)" = 1,1 ]
mv away.c m.c
if command -v git >/dev/null; then
    (
        unset GIT_DIR GIT_INDEX_FILE GIT_WORK_TREE
        mkdir repository && cd repository && git init -q . &&
            sed 's/return n/return 7/' "../$odd" >"$odd" && git add . &&
            cp "../$odd" "$odd" && git diff >../git.diff
    ) 2>/dev/null
    bursty report --diff git.diff --lcov names.brst >lcov
    check "as git itself writes it: $(grep +++ git.diff)" grep -q '^FNDA:1,odd' lcov
else skip "no git"; fi
# A build beside its sources, a copy of them, a folder that was moved, a diff from above or below.
mkdir -p tree/src tree/build/copy/src tree/other/src
printf 'int f(int a) {\n    int r = 0;\n    if (a) {\n        r = a * 2;\n    }\n    return r;\n}\nint main(void) {\n    return f(0);\n}\n' >tree/src/f.c
cp tree/src/f.c tree/build/copy/src/f.c
echo 'int other(int n) { return n; }' >tree/other/src/f.c
diff_of() { printf -- '--- a/%s\n+++ b/%s\n@@ -%s +%s @@\n-x\n+x\n' "$1" "$1" "${2:-4}" "${2:-4}" >at.diff; }
for source in "$out/tree/src/f.c" ../src/f.c copy/src/f.c; do
    (cd tree/build && bursty cc --cover -- $CC -o f "$source" && BURSTY_COVERAGE=f.brst ./f)
    diff_of src/f.c
    for root in "--source-root tree" "--source-root $out/tree"; do
        # shellcheck disable=SC2086
        check "$source, $root" says 3 'lines: 0 of 1' \
            bursty report $root --diff at.diff --fail-under lines=90 tree/build/f.brst
    done
    (cd tree/build && bursty report --source-root .. --diff ../../at.diff --fail-under 90 f.brst >/dev/null 2>../../err)
    check "$source, from build" [ $? = 3 ]
    diff_of src/f.c 7
    bursty report --source-root tree --diff at.diff tree/build/f.brst >text
    check "$source: no code there" grep -q 'changed, but no code on these lines  *src/f.c' text
    diff_of other/src/f.c 1
    bursty report --source-root tree --diff at.diff tree/build/f.brst >text
    check "$source: another file" grep -q 'changed, but without coverage: *other/src/f.c' text
    rm -f tree/build/f.brst
done
(cd tree/build && bursty cc --cover -- $CC -o f ../src/f.c && BURSTY_COVERAGE=../../moved.brst ./f)
mv tree tree_now
diff_of src/f.c
check "sources that were moved" says 3 'lines: 0 of 1' \
    bursty report --source-root tree_now --diff at.diff --fail-under 90 moved.brst
diff_of project/src/f.c
check "a diff from above" says 3 'lines: 0 of 1' \
    bursty report --source-root sub --diff at.diff --fail-under 90 moved.brst
diff_of elsewhere/f.c
check "a change that may be of another name" says 3 'elsewhere/f.c (as .*/tree/src/f.c?)' \
    bursty report --source-root sub --diff at.diff --fail-under 0 moved.brst
check "or is left out" \
    bursty report -o text --source-root sub --exclude '*/elsewhere/f.c' --exclude elsewhere/f.c --diff at.diff moved.brst
tests_of() { bursty report --tests-of "$1" names.brst | sed -n '/^Tests that ran/,/^$/p' | tail -n +3; }
printf '\n\n' >>sub/m.c
printf 'int more(int n) {\n    return n;\n}\n' >>sub/m.c
bursty cc --cover -- $CC -o names all.c m.c sub/m.c sub/deep/m.c "$odd"
rm names.brst
BURSTY_TEST=names BURSTY_COVERAGE=names.brst ./names
check "tests of m.c alone: $(tests_of m.c:2)" [ "$(tests_of m.c:2)" = "   1  names" ]
check "of sub/m.c" [ "$(tests_of sub/m.c:2)" = "   1  names" ]
check "of an end that fits" [ "$(tests_of deep/m.c:2)" = "   1  names" ]
check "sub/m.c has such a line, m.c has not" says 2 'm.c:6: no code of the program stands there' \
    bursty report --tests-of m.c:6 names.brst
check "sub/m.c has it" bursty report --tests-of sub/m.c:6 -o /dev/null names.brst

# ---- what is wanted ----

check "enough" bursty report --fail-under lines=66,branches=50,functions=60,mcdc=50 coverage.brst >out
check "too few functions" says 3 'functions: 2 of 3, 66.67 %, is less than 67 %' \
    bursty report --fail-under 10,functions=67 coverage.brst
check "too little MC/DC" says 3 'mcdc: 2 of 4, 50.00 %, is less than 50.5 %' \
    bursty report --fail-under mcdc=50.5 -o under.txt coverage.brst
check "the report is there, too" test -s under.txt
# Builds of one text in two folders, and folders that have another name now.
mkdir -p one/src two/src
printf 'int b(int n) {\n    return n > 1 ? 4 : 2;\n}\n' >one/src/b.c
printf 'int b(int);\nint main(int n, char **v) {\n    (void)v;\n    return b(n) == 9;\n}\n' >one/src/m.c
cp one/src/*.c two/src
for one in one two; do
    (cd $one && bursty cc --cover -- $CC -o p src/m.c src/b.c && BURSTY_COVERAGE=../$one.brst ./p)
done
bursty merge -o both.brst one.brst two.brst
bursty report --lcov both.brst >lcov
check "two builds are one: $(lines lcov)" [ "$(lines lcov)" = "1=2 2=2 3=2 4=2 " ]
check "its files" [ "$(grep -c ^SF: lcov)" = 2 ]
sed 's/4 : 2/5 : 2/' one/src/b.c >two/src/b.c
(cd two && bursty cc --cover -- $CC -o p src/m.c src/b.c && BURSTY_COVERAGE=../other.brst ./p)
bursty report --lcov one.brst other.brst >lcov
check "of another text they are two" [ "$(grep -c ^SF: lcov)" = 3 ]
bursty report --map "$out/two=$out/one" --filter '*/m.c' --lcov one.brst other.brst >lcov
check "--map" [ "$(grep ^SF: lcov)$(lines lcov)" = "SF:$out/one/src/m.c2=2 3=2 4=2 " ]
bursty report --map two/src=new --map "$out/new/m.c=/away/k.c" --lcov other.brst 2>/dev/null >lcov
check "--map, twice and of here" [ "$(grep ^SF: lcov | tr '\n' ' ')" = "SF:/away/k.c SF:$out/new/b.c " ]
check "a map of nothing" says 0 'note: --map /no=/yes: no source begins with /no$' \
    bursty report --map /no=/yes -o text one.brst
check "no map" says 2 '--map one: OLD=NEW is wanted' bursty report --map one one.brst
(cd two && bursty report --cobertura --source-root .. ../one.brst >../xml)
check "Cobertura's names are those from the root" grep -q 'filename="one/src/m.c"' xml
check "which stands there" grep -q "<source>$out</source>" xml
# Which lines separate failing tests from passing ones: 5 of 12 fail, all that have an n from 7 on.
cat >faulty.c <<'E'
#include <stdlib.h>
static int small(int n) {
    return n * 2;
}
static int large(int n) {
    n++;
    return n * 3;
}
int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 0;
    if (n >= 7)
        return large(n) == 1;
    return small(n) == 1;
}
E
bursty cc --cover -- $CC -o faulty faulty.c
for n in 0 1 2 3 4 5 6 7 8 9 10 11; do BURSTY_TEST=suite.t$n BURSTY_COVERAGE=faulty.brst ./faulty $n; done
bursty report --failing suite.t7,suite.t8,suite.t9,suite.t10,suite.t11 faulty.brst >text
check "failing: the lines that they alone ran" grep -q '^ *100.00%  *0.13%  *yes  *5  *0  line  *faulty.c:5-7' text
check "and the function" grep -q '^ *100.00%  *0.13%  *yes  *5  *0  function  *faulty.c:5  *large$' text
check "and what all ran says nothing" grep -q '^ *64.55%  *100.00%  *no  *5  *7  function  *faulty.c:9  *main$' text
{
    echo '<?xml version="1.0"?><!-- <testcase> --><testsuites><testsuite name="s">'
    for n in 0 1 2 3 4 5 6; do echo "<testcase classname='suite' name='t$n'/>"; done
    for n in 7 8 9 10 11; do echo "<testcase classname=\"suite\" name=\"t$n\"><failure message=\"&lt;\"><![CDATA[</testcase>]]></failure></testcase>"; done
    echo '</testsuite></testsuites>'
} >junit.xml
bursty report --failing junit.xml faulty.brst >by_junit
check "JUnit says the same" cmp -s text by_junit
printf '7:suite.t7\n8:suite.t8\n9:suite.t9\n10:suite.t10\n11:suite.t11\n' >LastTestsFailed.log
bursty report --failing LastTestsFailed.log faulty.brst >by_log
check "a log of ctest, too" cmp -s text by_log
echo '12:crashed' >>LastTestsFailed.log
check "a log with a test that left no run" says 0 \
    'note: .*1 of 6 failing tests have no run of their name, as crashed; BURSTY_COVERAGE_SIGNALS=1' \
    bursty report -o by_log --failing LastTestsFailed.log faulty.brst
check "the others are as before" cmp -s text by_log
echo '12:crashed' >crashed.log
check "a log of that test alone" says 2 'no run had in BURSTY_TEST the name crashed; BURSTY_COVERAGE_S' \
    bursty report --failing crashed.log faulty.brst
check "a name that was typed" says 2 'no run had in BURSTY_TEST the name crashed; BURSTY_COVERAGE_S' \
    bursty report --failing suite.t7,crashed faulty.brst
bursty report --failing junit.xml --csv faulty.brst >csv
check "CSV" grep -q '^1,0.0012626[0-9]*,yes,5,0,line,faulty.c:5-7,' csv
bursty report --failing junit.xml --html page.html faulty.brst 2>err
check "the page" grep -q 'What failing tests run' page.html
check "an unknown name" says 2 '--failing nobody: no run had in BURSTY_TEST the name nobody' \
    bursty report --failing nobody faulty.brst
sed '$d' junit.xml >bad.xml
check "a report that is cut" says 2 '--failing bad.xml: line 14: ends before its elements do' \
    bursty report --failing bad.xml faulty.brst
sed 's/<testsuites>/<tests>/' junit.xml >bad.xml
check "no JUnit" says 2 'line 1: is no JUnit report' bursty report --failing bad.xml faulty.brst
sed "s/name='t3'/name=t3/" junit.xml >bad.xml
check "a value without quotes" says 2 'line 5: a value without quotes' bursty report --failing bad.xml faulty.brst
{ sed '$d' junit.xml; echo '<testcase name="gone"><error/></testcase></testsuite></testsuites>'; } >more.xml
check "a failing test without a run" says 0 'note: .*1 of 6 failing tests have no run of their name, as gone' \
    bursty report -o text --failing more.xml faulty.brst
{ sed '$d' junit.xml; echo '<testcase classname="suite" name="t0"><error/></testcase></testsuite></testsuites>'; } >more.xml
check "two of one name" says 0 'several tests have the name suite.t0; one of them failed, and that counts' \
    bursty report -o text --failing more.xml faulty.brst
check "of two one failed" grep -q 'Of 6 failing and 6 passing' text
sed "s/name='t3'/name='\&#116;\&#x33;'/; s|name='t4'/>|name='t4'><skipped/></testcase>|" junit.xml >more.xml
check "characters by number; what was skipped is left out" says 0 'note: .*: 1 tests that it does not name are left out' \
    bursty report -o text --failing more.xml faulty.brst
check "of eleven" grep -q 'Of 5 failing and 6 passing' text
check "what is left out ran nothing" grep -q 'no  *5  *6  function  *faulty.c:9  *main$' text
check "no tests at all" says 2 'no run had a test.s name' bursty report --failing a two.brst
bursty report --failing junit.xml --suspects faulty.brst >text
check "lines for editors" cmp -s text - <<'E'
faulty.c:5: note: 5 of 5 failing and 0 of 7 passing tests ran lines 5 to 7 (Ochiai 100 %, sure)
faulty.c:12: note: 5 of 5 failing and 0 of 7 passing tests ran this line (Ochiai 100 %, sure)
faulty.c:5: note: 5 of 5 failing and 0 of 7 passing tests entered large (Ochiai 100 %, sure)
faulty.c:11: note: 5 of 5 failing and 0 of 7 passing tests took a branch of this line (Ochiai 100 %, sure)
faulty.c:9: note: 5 of 5 failing and 7 of 7 passing tests ran lines 9 to 11 (Ochiai 65 %)
faulty.c:9: note: 5 of 5 failing and 7 of 7 passing tests entered main (Ochiai 65 %)
faulty.c:10: note: 5 of 5 failing and 7 of 7 passing tests took a branch of this line (Ochiai 65 %)
E
check "so many of them" [ "$(bursty report --failing junit.xml --suspects --top 2 faulty.brst | wc -l)" = 2 ]
check "without --failing there are none" says 2 'nothing in it can be shown as --suspects' \
    bursty report --suspects faulty.brst
bursty report --failing junit.xml --json faulty.brst | tr -d '\n' >json
check "JSON" grep -qF '"failing":{"failed":5,"passed":7,"rows":[[0,5,7,5,0,1.0000,0.00126,true],' json
# A log of CI ends: of many files and folders those come first that miss the most.
awk 'BEGIN { for (i = 0; i < 60; i++) {
        printf "#line 1 \"a_folder_with_a_name_of_some_length_%02d/and_another_one_below_it_%02d/f%02d.c\"\n", i, i, i
        printf "int f%d(int n) {\n", i
        for (k = 0; k < i % 7; k++) print "    n++;"
        print "    return n;\n}"
    }
    print "#line 1 \"main.c\"\nint main(void) { return 0; }" }' >many.c
bursty cc --cover -- $CC -o many many.c && BURSTY_COVERAGE=many.brst ./many
COLUMNS=100 bursty report many.brst >text 2>err
check "lines of 100 columns: $(awk 'length($0) > 100' text | head -n 1)" [ -z "$(awk 'length($0) > 100' text)" ]
sed -n '/^Coverage$/,/^$/p' text >part
check "50 files" [ "$(grep -c '0.00% *0' part)" = 50 ]
check "and a word for the others" grep -q '^(11 more; --top 0 shows all)' part
check "the worst one first" grep -q 'f06.c  *0.00%' part
check "all in front of 50 folders" [ "$(sed -n '/^Coverage by folders/,/^$/p' text | sed -n '3s/ .*//p')" = '(all)' ]
check "and every one in CSV" [ "$(bursty report --csv --only files many.brst 2>err | grep -c '\.c,')" = 61 ]
# Samples: a run in each file. scan() takes 200 ms more in runs that failed.
$CC -O1 -std=c99 -I"$top/tests" -o make_runs "$top/tests/make_runs.c" || fail "make_runs"
mkdir -p runs
for i in 1 2 3 4 5 6; do
    printf 'tick 1000\nticks main@m.c:1 %d\nticks main@m.c:1;parse@p.c:10 %d\nticks main@m.c:1;scan@s.c:20 %d\n' \
        $((200 + i * 3)) $((500 + i * 7)) $((300 + (i > 3) * 200 - i * 2)) | ./make_runs runs/t$i.brst
done
bursty report --failing t4,t5,t6 runs/t?.brst >text
check "failing runs, not passing ones" grep -q '^3 failing runs against 3 passing$' text
check "what they do more" grep -q '^slower  *+194.0 .* scan  *s.c:20$' text
check "and nothing else" [ "$(grep -c '^unsure .* parse  *p.c:10$' text)" = 2 ]
check "no file of that test" says 2 '--failing t4,t9: no file is called t9$' \
    bursty report --failing t4,t9 runs/t?.brst
check "no test that passed" says 2 'no file is of a test that passed' \
    bursty report --failing t4,t5 runs/t4.brst runs/t5.brst
check "no other options of coverage" says 2 'change nothing with --base' \
    bursty report --failing t4 --filter x runs/t4.brst runs/t5.brst
# What has no counters is not measured, which every form and gate says.
mkdir -p alone
cat >alone/l.c <<'E'
int lost(int *p, int a) {
    if (a > 5)
        a--;
    return p ? *p : (a ?: (a && p));
}
int main(void) { return 0; }
E
echo 'int whole(int n) { return n; }' >alone/whole.c
cat >alone/refuses <<E
#!/bin/sh
for word; do [ "\$word" = cpp-output ] && exit 1; done
exec $CC "\$@"
E
chmod +x alone/refuses
bursty cc --cover -- alone/refuses -c -o alone/whole.o alone/whole.c 2>alone/log
bursty cc --cover -- $CC -o alone/l alone/l.c alone/whole.o && BURSTY_COVERAGE=alone/l.brst alone/l
bursty report --lcov alone/l.brst >lcov 2>err
check "not measured, LCOV: $(lines lcov)" [ "$(lines lcov)" = "1=0 2=0 3=0 4=0 6=1 " ]
check "its functions" grep -q '^FNDA:0,lost' lcov
check "and a word for each" sh -c "grep -q 'l.c:1: lost is not measured, .*: elvis' err &&
    grep -q 'whole.c: nothing of it is measured: the compiler refuses' err"
bursty report alone/l.brst >text
check "not measured, text" grep -q '^lost  *alone/l.c  *1  *not measured: elvis' text
check "the total" grep -q '^(all)  *20.00%  *1  *5 .* 1  *2$' text
bursty report --json alone/l.brst >json
check "not measured, JSON" grep -q '"unmeasured":\[1,2,3,4\]' json
bursty report --cobertura alone/l.brst 2>err | grep -q 'lines-covered="1" lines-valid="5"'
ok $? "not measured, Cobertura"
check "a gate" says 3 '2 functions are not measured, as lost of alone/l.c (elvis): --measured-only leaves them out' \
    bursty report --fail-under 20 alone/l.brst
check "a gate that passes over it" bursty report -o text --measured-only --fail-under 100 alone/l.brst
check "without them" grep -q '^(all)  *100.00%  *1  *1 ' text
printf -- '--- a/alone/l.c\n+++ b/alone/l.c\n@@ -3 +3 @@\n-x\n+a--;\n' >alone/diff
check "a gate over a diff" says 3 '1 function is not measured' \
    bursty report --diff alone/diff --fail-under functions=0 alone/l.brst
printf -- '--- a/alone/l.c\n+++ b/alone/l.c\n@@ -6 +6 @@\n-x\n+int main\n' >alone/diff
check "a diff that changes other lines" bursty report -o text --diff alone/diff --fail-under 100 alone/l.brst
bursty merge -o alone/two.brst alone/l.brst alone/l.brst
bursty report --lcov alone/two.brst >lcov 2>err
check "merged" [ "$(lines lcov)$(grep -c measured err)" = "1=0 2=0 3=0 4=0 6=2 2" ]
# An object that holds nothing else.
bursty report alone/whole.o >text
check "a file alone" grep -q '^(all of the file)  *alone/whole.c  *0  *not measured: the compiler refuses' text
check "and its fact" grep -q '^files that are not measured: 1: no total has their lines' text
check "its gate" says 3 '1 function is not measured, as all of alone/whole.c' \
    bursty report -o text --fail-under 1 alone/whole.o
check "and nothing left of it" says 2 'no file of it is left by .*--measured-only' \
    bursty report -o text --measured-only alone/whole.o
# What was refused is not covered.
cat >left.c <<'E'
#include <stdlib.h>
static int left(int n) {
    int i, s = 0;
    for (i = 0; i < n; i++)
        s += i & 1 ? 0 : 1;
    if (s > 3) exit(0);
    return s;
}
int main(int argc, char **argv) {
    (void)argv;
    return left(9 + argc) > 0 ? 0 : 1;
}
E
bursty cc --cover --no-exits -- $CC -o left left.c && BURSTY_COVERAGE=left.brst ./left
bursty report --fail-under lines=60,branches=70,functions=51 -o /dev/null left.brst 2>err
check "status of a gate with what is refused" [ $? = 3 ]
check "it is named before the shares: $(cat err)" [ "$(sed -n 1p err)" = \
    "bursty: note: --fail-under: what has no counts that can be shown is not covered: functions 1, lines 3, branches 2" ]
check "its lines are not covered" grep -q 'lines: 5 of 9, 55.56 %' err
check "nor its branches" grep -q 'branches: 5 of 8, 62.50 %' err
check "nor itself" grep -q 'functions: 1 of 2, 50.00 %' err
# Sums have 64 bits: where a sum is too large for a counter, runs are kept apart in the file.
cat >many.c <<'E'
static int many(int n) {
    int i, s = 0;
    for (i = 0; i < n; i++)
        s += i & 1;
    return s;
}
int main(int argc, char **argv) {
    (void)argv;
    return many(65534 + argc) > 0 ? 0 : 1;
}
E
bursty cc --cover=count16 -- $CC -o many many.c
for i in 1 2 3; do BURSTY_COVERAGE=many.brst ./many; done
check "sums of small counters: $(bursty report --lcov many.brst | grep '^DA:4')" \
    sh -c "'$build/bursty' report --lcov many.brst | grep -q '^DA:4,196605$'"
bursty merge -o sum.brst many.brst many.brst && bursty merge -o sum2.brst sum.brst many.brst
check "merged" sh -c "'$build/bursty' report --lcov sum2.brst | grep -q '^DA:4,589815$'"
bursty cc --cover -- $CC -o many many.c && rm many.brst && BURSTY_COVERAGE=many.brst ./many 1 2 3
check "counters that do not wrap" sh -c "'$build/bursty' report --lcov many.brst | grep -q '^DA:4,65538$'"
for bad in x 101 lines= lines=5,x=3 lines=5,6 5x =5; do
    check "--fail-under $bad" says 2 "--fail-under $bad: " bursty report --fail-under $bad coverage.brst
done
bursty cc --cover -- $CC -o open src/a.c src/in/b.c && BURSTY_COVERAGE=counts.brst ./open 5
check "no decisions" says 2 'counts.brst has no decisions' bursty report --fail-under mcdc=1 counts.brst

# ---- tests ----

cp coverage.brst one.brst
BURSTY_TEST='six & co' ./p 6
BURSTY_TEST=eighty ./p 80
BURSTY_TEST=eighty ./p 80
bursty report --tests-of a.c:16 coverage.brst >text
check "which tests ran a line" [ "$(sed -n '/^Tests that ran/,/^$/p' text | tail -n +3)" = "   1  eighty" ]
check "lines of one test alone" grep -q '^ *8  *1  *[0-9]*  *1  eighty$' text
bursty report --lcov coverage.brst >lcov
check "names in LCOV" [ "$(sed -n 's/^TN://p' lcov | sort -u | tr '\n' ,)" = ",eighty,six___co," ]
bursty merge -o merged.brst one.brst coverage.brst one.brst
bursty report --csv coverage.brst >a.csv
bursty report --csv merged.brst >b.csv
check "merge keeps tests apart" cmp -s a.csv b.csv
check "no such line" says 2 'no code of the program stands there' \
    bursty report --tests-of a.c:999 coverage.brst
check "no tests" says 2 'no run had a test' bursty report --tests-of a.c:8 one.brst
check "no line" says 2 'FILE:LINE is wanted' bursty report --tests-of a.c coverage.brst

# ---- runs add up in place ----

rm -f ./*.brst
for form in count count16 count32 bytes bits mcdc mcdc-bits; do
    bursty cc --cover=$form -- $CC -g -O2 -o p src/a.c src/in/b.c || fail "$form: not compiled"
    BURSTY_COVERAGE=$form.brst
    export BURSTY_COVERAGE
    ./p 5
    first=$(wc -c <$form.brst)
    ./p 5 && ./p 80 && BURSTY_TEST=t ./p 6 && BURSTY_TEST=t ./p 80
    parts=$(grep -ao BRST $form.brst | wc -l)
    ./p 5 && BURSTY_TEST=t ./p 6
    check "$form: grows" [ "$(grep -ao BRST $form.brst | wc -l)" = "$parts" ]
    # As if each run had appended its own counts.
    rm -f single.brst ./*.single
    i=0
    for run in 5 5 80 t6 t80 5 t6; do
        i=$((i + 1))
        case $run in
        t*) BURSTY_COVERAGE=$i.single BURSTY_TEST=t ./p "${run#t}" ;;
        *) BURSTY_COVERAGE=$i.single ./p $run ;;
        esac
    done
    bursty merge -o single.brst ./*.single && bursty merge -o all.brst $form.brst
    check "$form: in place is not what merge says" cmp -s single.brst all.brst
    unset BURSTY_COVERAGE
done
check "a run takes its counters alone" [ "$(wc -c <count.brst)" -lt $((first * 3)) ]

# Many at a time: nothing is lost.
bursty cc --cover -- $CC -o p src/a.c src/in/b.c
i=0
while [ $i -lt 60 ]; do
    i=$((i + 1))
    ./p 5 &
    [ $((i % 20)) = 0 ] && wait
done
wait
bursty report --lcov coverage.brst >lcov
check "60 runs at once: $(grep '^DA:7,' lcov)" grep -q '^DA:7,60$' lcov
check "nothing is left beside" [ "$(find . -name 'coverage.brst?*')" = "" ]

# A link stays, and what it leads to is written; a folder that is closed gets the run appended.
mkdir real
ln -s real/c.brst link.brst
BURSTY_COVERAGE=link.brst ./p 5
BURSTY_COVERAGE=link.brst ./p 5
check "a link" [ -L link.brst ]
bursty report --lcov link.brst >lcov
check "runs behind a link" grep -q '^DA:7,2$' lcov
chmod 640 coverage.brst
./p 5
check "rights stay" [ "$(stat -c %a coverage.brst)" = 640 ]

# Something else, a damaged file, a full disk.
echo words >other.brst
check "another file" says 0 'other.brst: is no .brst file' env BURSTY_COVERAGE=other.brst ./p 5
check "is not touched" [ "$(cat other.brst)" = words ]
head -c 300 coverage.brst >cut.brst
BURSTY_COVERAGE=cut.brst ./p 5
check "what is damaged is not rewritten" sh -c 'head -c 300 cut.brst | cmp -s - coverage.brst 2>/dev/null ||
    [ "$(head -c 300 cut.brst | cksum)" = "$(head -c 300 coverage.brst | cksum)" ]'
cp coverage.brst whole.brst
(
    ulimit -f 0
    trap '' XFSZ
    ./p 5 2>&1
) | cat >err
check "a full disk says so: $(cat err)" grep -q 'coverage.brst: cannot be written' err
check "and takes nothing" cmp -s coverage.brst whole.brst
check "nor leaves anything" [ "$(find . -name 'coverage.brst?*')" = "" ]

# The same in a program that does not ignore the signal of the limit: it ends as it would have.
(
    ulimit -f 0
    ./p 5 2>&1
    echo "status $?"
) | cat >err
check "a limit says so: $(cat err)" grep -q 'coverage.brst: cannot be written' err
check "and the program ends by itself" grep -q 'status 0' err
check "and takes nothing" cmp -s coverage.brst whole.brst
check "nor leaves anything" [ "$(find . -name 'coverage.brst?*')" = "" ]
if [ -c /dev/full ]; then
    check "a device is full" says 0 '/dev/full: cannot be written: ' env BURSTY_COVERAGE=/dev/full ./p 5
else skip "no /dev/full"; fi

# ---- tables ----

rm -f coverage.brst
strip -o stripped p && ./stripped 5 && bursty report --lcov coverage.brst >lcov
check "a stripped program has its tables" grep -q '^DA:7,1$' lcov
rm -f coverage.brst
if command -v llvm-strip >/dev/null; then
    rm -f coverage.brst
    llvm-strip --keep-section=.bursty.cover -o stripped p && ./stripped 5
    bursty report --lcov coverage.brst >lcov
    check "so has one that llvm-strip was told to keep them in" grep -q '^DA:7,1$' lcov
    rm -f coverage.brst
else skip "no llvm-strip"; fi
if command -v objcopy >/dev/null; then
    objcopy -R .bursty.cover p bare
    ./bare 5
    check "counts alone are few" [ "$(wc -c <coverage.brst)" -lt 400 ]
    check "counts alone" says 2 'has counts, but no tables' bursty report --lcov coverage.brst
    bursty report --lcov coverage.brst p >lcov
    check "with the program" grep -q '^DA:7,1$' lcov
    bursty cc --cover=bytes -- $CC -o another src/a.c src/in/b.c
    check "another build" says 2 'its counts are of another build than the program' \
        bursty report coverage.brst another
    BURSTY_COVERAGE=two.brst ./bare 5 && BURSTY_COVERAGE=two.brst ./names
    check "a gate with counts of unknown lines" says 3 'have counts, but no tables (2)' \
        bursty report --fail-under 1 -o /dev/null two.brst
    check "which the program tells" bursty report --fail-under 1 -o /dev/null two.brst p
    # The tables come with the first run that has them, and stay alone.
    ./p 5 && ./bare 5
    bursty report --lcov coverage.brst >lcov
    check "tables behind a run without them: $(grep '^DA:7' lcov)" grep -q '^DA:7,3$' lcov
    size=$(wc -c <coverage.brst)
    ./p 5
    check "and but once" [ "$(wc -c <coverage.brst)" = "$size" ]
    check "no tables" says 2 'bare: .*without tables of bursty cc --cover' bursty report coverage.brst bare
else skip "no objcopy"; fi
cp p gone && (rm gone.brst; BURSTY_COVERAGE=gone.brst; export BURSTY_COVERAGE; ./gone 5; mv gone moved; ./moved 5) 2>/dev/null
rm -f moved
bursty report --lcov gone.brst >lcov
check "a program that has gone" grep -q '^DA:7,2$' lcov
bursty cc --cover -- $CC -c -o never.o src/in/b.c
bursty cc --cover -- $CC -c -o main.o src/a.c
printf 'int b(int n) {\n    return n;\n}\n' >c.c
bursty cc --cover -- $CC -o half main.o c.c
rm -f coverage.brst
./half 5
bursty report --lcov coverage.brst never.o >lcov
check "objects that never ran" sh -c "grep -q 'SF:.*/src/in/b.c' lcov && grep -q '^FNDA:0,unused' lcov"
bursty report coverage.brst never.o >text
check "and the text says so" grep -q 'functions that no program ran 2' text
check "the image has none" sh -c "nm half | grep -q unused || { grep -q ELF half && ! grep -q unused half; }"

# Shared libraries have their own.
bursty cc --cover -- $CC -fPIC -shared -o libb.so src/in/b.c
bursty cc --cover -- $CC -o shared src/a.c -L. -lb -Wl,-rpath,"$out"
rm -f coverage.brst
./shared 5 && ./shared 6
bursty report --lcov coverage.brst >lcov
check "a shared library" sh -c "grep -q '^FNDA:2,b' lcov && grep -q '^FNDA:2,main' lcov"

# Firmware: counts alone come from the board. What was left by exit is refused by name, for nothing
# walks the stack there.
if command -v arm-none-eabi-gcc >/dev/null && command -v qemu-system-arm >/dev/null &&
    [ -n "$(arm-none-eabi-gcc -print-file-name=rdimon.specs | grep /)" ]; then
    cat >vectors.c <<'E'
extern void _start(void);
__attribute__((section(".vectors"), used)) void *const vectors[2] = {(void *)0x3ffff0, (void *)_start};
E
    cat >board.c <<'E'
#include <stdlib.h>
static int fine(int n) { return n ? n + 1 : 2; }
static int deep(int n) {
    if (n > 2) exit(0);
    return fine(n);
}
int main(void) {
    int i, s = 0;
    for (i = 0; i < 9; i++) s += deep(i);
    return s;
}
E
    rm -f coverage.brst
    bursty cc --cover -- arm-none-eabi-gcc -mcpu=cortex-m3 -mthumb --specs=rdimon.specs \
        -Wl,--section-start=.vectors=0 -Os -o board.elf board.c vectors.c >log 2>&1 ||
        { fail "board: not built"; cat log; }
    within 60 qemu-system-arm -M mps2-an385 -nographic -monitor none -serial none \
        -semihosting-config enable=on,target=native -kernel board.elf </dev/null >log 2>&1
    check "a board writes counts alone" [ "$(wc -c <coverage.brst)" -lt 100 ]
    bursty report --lcov coverage.brst board.elf >lcov 2>err
    check "its functions: $(lines lcov)" [ "$(lines lcov)" = "2=3 3=4 4=4 5=3 " ]
    check "main was left: $(cat err)" \
        grep -q 'board.c:7: main is left out: it was entered and did not return' err
else skip "no board"; fi

# ---- edited sources ----

cp src/in/b.c c2.c
bursty cc --cover -- $CC -o edit src/a.c c2.c
rm -f coverage.brst
./edit 5
echo '/* more */' >>c2.c
check "changed since: --lcov" says 0 'note: c2.c was changed after' bursty report --lcov coverage.brst
bursty report coverage.brst >text
check "changed since" grep -q 'changed sources: *c2.c was changed after the program was compiled' text
sed 's/return 2/\n    return 2/' c2.c >c3.c && cp c3.c c2.c
bursty cc --cover -- $CC -o edit src/a.c c2.c
./edit 6
bursty report --lcov coverage.brst >lcov 2>err
check "the new build alone: $(cat err)" sh -c "[ ! -s err ] && ! grep -q '^DA:4,' lcov && grep -q '^DA:5,1' lcov"

# ---- other readers ----

bursty report --cobertura coverage.brst >c.xml
SOURCE_DATE_EPOCH=1000 bursty report --cobertura coverage.brst >d.xml
check "folders in Cobertura" sh -c "grep -q '<package name=\"src\"' c.xml && grep -q '<source>$out</source>' c.xml"
check "its time" sh -c "grep -q 'timestamp=\"1[0-9]\\{12\\}\"' c.xml && grep -q 'timestamp=\"1000000\"' d.xml"
bursty report --gcovr coverage.brst >g.json
check "gcovr's JSON" sh -c "grep -q '\"gcovr/format_version\":\"0.3\"' g.json && grep -q '\"file\":\"src/a.c\"' g.json"
if command -v xmllint >/dev/null; then
    check "Cobertura's DTD" xmllint --noout --nonet \
        --dtdvalid "$top/tests/edgeprof/coverage-04.dtd" c.xml 2>err
else skip "no xmllint"; fi
if command -v gcovr >/dev/null && gcovr --version | grep -q '^gcovr 5'; then
    gcovr -a g.json --csv >g.csv 2>err
    check "gcovr reads it: $(cat err)" grep -q '^src/a.c,9,7,' g.csv
else skip "no gcovr 5"; fi
if command -v genhtml >/dev/null; then
    check "genhtml reads it" genhtml -q --branch-coverage -o html lcov
else skip "no genhtml"; fi
finish
