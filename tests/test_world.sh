#!/bin/sh
# test_world.sh - the runner of tests/world: what it draws, that no tool passes
# which does nothing, and that a known fault is neither silent nor for ever. The
# situations themselves are tests/world.sh.
set -u
cd "$(dirname "$0")/.." || exit 2
. tests/check.sh
in_folder world_runner
cd "$top" || exit 2
BUILD=$out/build
export BUILD
mkdir -p "$BUILD"

# ---- drawing ----

sh tests/world.sh list >"$out/all" 2>"$out/pairs"
sh tests/world.sh list >"$out/again" 2>/dev/null
SEED=2 sh tests/world.sh list >"$out/other" 2>/dev/null
check "the same seed draws the same situations" cmp -s "$out/all" "$out/again"
if cmp -s "$out/all" "$out/other"; then fail "another seed draws others"; else pass; fi
sh tests/world.sh list gate >"$out/gate" 2>/dev/null
check "the gate has 60" [ "$(sort -u "$out/gate" | wc -l)" = 60 ]
sh tests/world.sh list 7 >"$out/seven" 2>/dev/null
head -n 7 "$out/all" >"$out/first"
check "N situations are the first N" cmp -s "$out/seven" "$out/first"
for shape in $(sed -n 's/^shape *| *\([^ ]*\) .*| *gate$/\1/p' tests/world/axes); do
    check "the gate asks of $shape" grep -q "^shape=$shape " "$out/gate"
done

# All pairs, counted by other means: on a table so small that its pairs can be
# listed by hand. Of a, b, c with 2, 3 and 2 values there are 6 + 4 + 6 pairs;
# a=1 never goes with b=3, and the shape s2 is never asked q1.
printf '%s\n' 'shape s1' 'shape s2' 'question q1' 'question q2' 'a 1 b=3' 'a 2' \
    'b 1' 'b 2' 'b 3 question=q1' 'c 1' 'c 2' 'answers s1 q1 q2' 'answers s2 q2' >"$out/rows"
awk -v seed=1 -f tests/world/draw.awk "$out/rows" >"$out/small" 2>"$out/small.pairs"
awk 'function value(name,    i, part) {
        for (i = 1; i <= NF; i++) { split($i, part, "="); if (part[1] == name) return part[2] }
        return 1
    }
    { v[1] = value("shape"); v[2] = value("question"); v[3] = value("a"); v[4] = value("b"); v[5] = value("c")
      for (i = 1; i <= 5; i++) for (j = i + 1; j <= 5; j++) if (!seen[i, v[i], j, v[j]]++) n++
      if (v[1] == "s2" && v[2] == "q1" || v[3] == 1 && v[4] == 3 || v[4] == 3 && v[2] == "q1") bad++ }
    END { print n, bad + 0 }' "$out/small" >"$out/counted"
# shape-question 3, shape-a 4, shape-b 6, shape-c 4, question-a 4, question-b 5,
# question-c 4, a-b 5, a-c 4, b-c 6
check "all 45 pairs that can be, and none that cannot" [ "$(cat "$out/counted")" = "45 0" ]
check "it says so" grep -q '^45 of 45 pairs' "$out/small.pairs"
check "all pairs of the table" awk '{ exit $1 != $3 || $1 < 2000 }' "$out/pairs"

# ---- a tool that does nothing ----

# It cannot pass where it is asked: each question, once. The known faults are no
# excuse.
printf '#!/bin/sh\nexit 0\n' >"$BUILD/bursty"
chmod +x "$BUILD/bursty"
: >"$out/none"
for question in $(sed -n 's/^question *| *\([^ ]*\) .*/\1/p' tests/world/axes); do
    case $question in
    refs | misses) shape=$question ;;
    hand) shape=hand_runs ;;
    *) shape=busy ;;
    esac
    KNOWN=$out/none sh tests/world.sh one shape=$shape question="$question" >"$out/said" 2>&1
    if [ $? = 1 ] &&
        grep -q "^FAULT .*: sh tests/world.sh one shape=$shape question=$question$" "$out/said"; then pass
    else fail "a tool that does nothing passes $question"; fi
done

# ---- known faults ----

# With that tool busy fails; a shape that says a wrong answer of itself would,
# too.
known() { # LINE: the words of `one`, and its status
    echo "$1" >"$out/known"
    KNOWN=$out/known sh tests/world.sh one shape=busy question=calls >"$out/said" 2>&1
}
known 'shape=busy question=calls | 99 |'
check "a known fault does not fail" [ $? = 0 ]
check "and is said" grep -q '^known (99): ' "$out/said"
known 'shape=busy question=calls level=-O1 debug=-g | 99 | no dump'
if [ $? = 1 ] && grep -q '^FAULT it prints something else' "$out/said" &&
    grep -q '^known (99): no dump' "$out/said"; then pass
else fail "a fault with another text is not excused"; fi
known 'shape=busy question=lines,time | 99 |'
check "nor is another situation" [ $? = 1 ]

# A situation that passes although it stands in the list: the judge alone.
echo 'shape=busy | 99 |' >"$out/known"
: >"$out/faults"
awk -v situation=' shape=busy' -v known="$out/known" -v lines="$out/lines" -f tests/world/known.awk \
    kind=fault "$out/faults" >"$out/said"
if grep -q '^FAULT it passes.*strike out shape=busy' "$out/said" &&
    [ "$(tail -n 1 "$out/said")" = failed ]; then pass
else fail "a listed one that passes is to be struck out"; fi
finish
