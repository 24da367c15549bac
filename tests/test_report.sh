#!/bin/sh
# test_report.sh - bursty report and merge on dumps of make_dumps.c: what they print, refuse and
# leave unwritten. tests/golden holds what was once looked at and found right; GOLDEN=write puts
# what is printed now in its place.
BUILD=${BUILD:-build} CC=${CC:-cc}
dir=$BUILD/tests/report
golden=tests/golden
. tests/check.sh
unset COLUMNS NO_COLOR
mkdir -p "$dir"
$CC -O1 -std=c99 -Itests -o "$dir/make_dumps" tests/make_dumps.c &&
    $RUN "$dir/make_dumps" "$dir" || echo "make_dumps failed"
$CC -O1 -std=c99 -o "$dir/check_json" tests/check_json.c || echo "check_json failed"

bursty() { $RUN "$BUILD/bursty" "$@"; }

# same GOLDEN COMMAND...: standard output is the golden file.
same() {
    name=$1; shift
    "$@" >"$dir/$name" 2>"$dir/$name.err"
    status=$?
    [ "$GOLDEN" = write ] && cp "$dir/$name" "$golden/$name"
    [ $status = 0 ] && cmp -s "$dir/$name" "$golden/$name"
    ok $? "$name is not $golden/$name"
}

# refused MESSAGE ARGUMENTS...: status 2, that one line on standard error, and no file written.
refused() {
    wanted=$1; shift
    rm -f "$dir/out"
    bursty "$@" >"$dir/stdout" 2>"$dir/stderr"
    [ $? = 2 ] && [ "$(cat "$dir/stderr")" = "bursty: $wanted" ] && [ ! -s "$dir/stdout" ] &&
        [ ! -e "$dir/out" ]
    ok $? "$* says: $(cat "$dir/stderr")"
}

has()   { grep -q -- "$2" "$dir/$1"; ok $? "$1 has no $2"; }
hasnt() { lacks "$dir/$1" "$2" "$3"; ok $? "$1 has $3, or no $2"; }
json()  { "$dir/check_json" <"$1" 2>"$dir/json.err"; ok $? "$1: $(cat "$dir/json.err")"; }

# ---- every form of good dumps
for dump in game bursts hostile odd tree footprint; do
    same $dump.txt bursty report "$dir/$dump.brst"
    if [ $dump = footprint ]; then
        : >"$dir/footprint.collapsed"                   # there are no stacks in it, see below
    else
        same $dump.collapsed bursty report --collapsed "$dir/$dump.brst"
    fi
    same $dump.json bursty report --json --note 'over"head=+1 % </b>' "$dir/$dump.brst"
    json "$dir/$dump.json"
    bursty report --html "$dir/$dump.html" --note 'over"head=+1 % </b>' "$dir/$dump.brst"
    ok $? "report --html of $dump"
    [ -e "$dir/$dump.collapsed" ] && ! grep -qvE '^[^;]+(;[^;]+)* [0-9]+$' "$dir/$dump.collapsed"
    ok $? "$dump.collapsed is not made of stacks"
    # The page: one data element, one script, nothing loaded, and the data is that of --json.
    [ "$(grep -o '<script' "$dir/$dump.html" | wc -l)" -eq 2 ] &&
        [ "$(grep -o '</script' "$dir/$dump.html" | wc -l)" -eq 2 ]
    ok $? "$dump.html has other script elements"
    sed -n '/id="data">/,/<\/script>/p' "$dir/$dump.html" | sed '1d;$d' | cmp -s - "$dir/$dump.json"
    ok $? "the data of $dump.html is not its JSON"
    sed 's,http://www.w3.org/2000/svg,,' "$dir/$dump.html" >"$dir/addresses"
    hasnt addresses '^</html>' '://'
    hasnt $dump.html '^</html>' '<\(link\|img\|iframe\|object\|base\)'
    has $dump.html 'over&quot;head'
    has $dump.html '+1 % &lt;/b&gt;'
done
has hostile.html '&lt;/script&gt;&lt;script&gt;'
has hostile.html '<title>&lt;/title&gt;&lt;b&gt;'
has game.html '<title>night_market - bursty</title>'
has game.html '<td class="number">27.33 %'          # the table that stands there without scripts
hasnt hostile.txt ' share ' "$(printf '\033')"
bursty report --html="$dir/game2.html" --note 'over"head=+1 % </b>' "$dir/game.brst" &&
    cmp -s "$dir/game.html" "$dir/game2.html"
ok $? "the same dump makes the same page"
bursty report --json "$dir/nothing.brst" >"$dir/nothing.json"; ok $? "an empty dump"
json "$dir/nothing.json"
bursty report --json "$dir/rate.brst" >"$dir/rate.json"; ok $? "a saturated dump"
json "$dir/rate.json"
has rate.json '"checks":9007199254740991'
bursty report - <"$dir/game.brst" | cmp -s - "$dir/game.txt"; ok $? "standard input"
bursty report -o "$dir/o.txt" --text "$dir/game.brst" && cmp -s "$dir/o.txt" "$dir/game.txt"
ok $? "-o"
bursty report --title 'A <b> title' "$dir/game.brst" | head -n 1 | grep -qx 'A <b> title'
ok $? "--title"
# Many programs are no title.
$CC -O1 -std=c99 -Itests -o "$dir/make_runs" tests/make_runs.c || exit 2
for n in 1 2 3 4 5 6; do
    printf 'tick 1000\nrun %s\nticks main@m.c:1 20\n' $n | "$dir/make_runs" "$dir/run$n.brst"
done
bursty report "$dir"/run[1-4].brst | head -n 1 | grep -qx 'run 1, run 2, run 3, run 4'
ok $? "four programs"
bursty report "$dir"/run[1-6].brst | head -n 1 | grep -qx 'run, 6 processes'
ok $? "six processes of one program"
bursty report "$dir/game.brst" "$dir"/run[1-4].brst | head -n 1 |
    grep -qx 'night_market, run 1, run 2 and 2 more'
ok $? "five programs"
bursty report --min 0 "$dir/game.brst" | grep -q net_poll; ok $? "--min 0 shows all"
bursty report --min 25 --json "$dir/game.brst" >"$dir/min.json"
has min.json '"functions_left_out":19,'
cat "$dir/game.brst" "$dir/game3.brst" >"$dir/two.brst"
bursty report --title x "$dir/game.brst" "$dir/game3.brst" >"$dir/two.txt"
bursty report --title x "$dir/two.brst" | cmp -s - "$dir/two.txt"
ok $? "two files are as one behind the other"
has two.txt ' 3900000 .* 39000  collide_pair'
# Intervals: from bursts, ties, too few bursts; all events counted; a dump without sums.
has bursts.txt '^1= *45.00% .* parse '
has bursts.txt '^1= *43.00% .* scan '
has bursts.txt '^3 *11.85% .* skip '
has bursts.txt '^- *0.15% .* rare '
has bursts.txt '^- *0.15%  *few  *0.67%  *300  *few  *1340  *3  *3  rare '
has bursts.txt 'how the counts differ between bursts'
tr '\n' ' ' <"$dir/game.txt" | grep -q 'take events as independent of one another'
ok $? "a dump without sums says so"
grep -q '"intervals":"bursts"' "$dir/bursts.json"; ok $? "JSON says what intervals rest on"
grep -q '"share_low":null,"share_high":0.00667[0-9]*,"worth":null,"bursts":3,' "$dir/bursts.json"
ok $? "an upper bound from three bursts"
bursty report "$dir/whole.brst" >"$dir/whole.txt"
has whole.txt '^Every event that was recorded is counted, so shares and counts are exact'
has whole.txt '^100.00%  *1000  *1000  only '
hasnt whole.txt ' only ' ' from '
bursty report --json "$dir/whole.brst" | grep -q '"share":1,"share_low":1,"share_high":1,'
ok $? "a full profile is exact in JSON"
bursty merge -o "$dir/bursts2.brst" "$dir/bursts.brst" "$dir/bursts.brst"
bursty report --json "$dir/bursts2.brst" |
    grep -q '"sampled":1800,"estimated":180000,.*"bursts":360,'
ok $? "merging adds sums"
bursty merge -o "$dir/mixed.brst" "$dir/bursts.brst" "$dir/game.brst"
bursty report --json "$dir/mixed.brst" | grep -q '"intervals":"events"'
ok $? "a merge with an old dump says so"

# Contexts with sums over bursts. collide: se^2 = 1000 / 999 (21000 - 4000^2 / 1000) / 10000^2, so
# 40 % +- 1.41 %. It was in bursts worth 762, and Student's 2 is a little more.
bursty report --min 0 "$dir/tree-bursts.brst" >"$dir/contexts.txt"; ok $? "contexts with intervals"
has contexts.txt '^40.00%  *38.59%  *41.43%  *400000  *400000  main > update > collide'
has contexts.txt '^59.00%  *57.55%  *60.44%  *590000  *590000  main > update$'
has contexts.txt "^ *0.03%  *few  *0.14%  *300  *0.03%  *few  *0.14%  *300  rare"
has contexts.txt '^ *0.97%  *0.79%  *1.19%  *9700  *100.00%  *99.60%  *100.00%  *1000000  main'
has contexts.txt '^40.00%  *38.59%  *41.43%  *400000  update  collide'
bursty report "$dir/tree-given-up.brst" >"$dir/given-up.txt"
has given-up.txt '^40.00%  *few  *41.70%  *400000  *400000  main > update > collide'
bursty report --json "$dir/tree-bursts.brst" >"$dir/contexts.json"; json "$dir/contexts.json"
has contexts.json '"share_low":\[null,0.0079'
bursty merge -o "$dir/bursts-twice.brst" "$dir/tree-bursts.brst" "$dir/tree-bursts.brst"
bursty report "$dir/bursts-twice.brst" >"$dir/bursts-twice.txt"
has bursts-twice.txt '^40.00%  *39.00%  *41.0[01]%  *800000 '
hasnt tree.txt ' collide$' ' from '

# ---- time by ticks: intervals, what is not timed, no tick at all, stacks in one unit
bursty report --min 0 "$dir/timed.brst" >"$dir/timed.txt"; ok $? "ticks"
has timed.txt '^1  *70.00%  *67.0.%  *72.8.%  *70.00%  *67.0.%  *72.8.%  *700  draw '
has timed.txt '^2  *30.00%  .* 100.00%  *99.60%  *100.00%  *300  frame '
has timed.txt "^Shares are of calls, not of time\. A function without"
hasnt timed.txt '^Shares are of calls, not of time' "for time see"
has timed.txt '^3  *0.00%  *0.00%  *0.38%  .* 0  rare '
has timed.txt '^-  *not-timed  *-  *-  *not-timed  *-  *-  *-  hash '
hasnt timed.txt ' hash ' '0.00%.*hash'
bursty report --json "$dir/timed.brst" >"$dir/timed.json"; json "$dir/timed.json"
has timed.json '"self_share":\[0.7,0.3,0,null\]'
has timed.json '"unit":"ticks","effective":1000'
has timed.txt '^70.00%  *67.0.%  *72.8.%  *700  frame  *draw$'
bursty report "$dir/mutual.brst" >"$dir/mutual.txt"; ok $? "functions that call each other"
has mutual.txt '^90.00%  *87.9.%  *91.7.%  *900  frame  *draw$' # once a stack
has mutual.txt '^70.00%  *67.0.%  *72.8.%  *700  draw  *frame$'
bursty report --collapsed "$dir/mutual.brst" >"$dir/mutual.stacks" # of both threads together
[ "$(cat "$dir/mutual.stacks")" = 'frame 100
frame;draw 200
frame;draw;frame 300
frame;draw;frame;draw 400' ]; ok $? "stacks of two threads: $(cat "$dir/mutual.stacks")"
bursty report --min 80 "$dir/mutual.brst" >"$dir/mutual.txt"
has mutual.txt ' frame  *draw$'; hasnt mutual.txt ' frame  *draw$' ' draw  *frame$'
bursty report "$dir/no-tick.brst" | tr '\n' ' ' >"$dir/no.txt"
has no.txt 'ticks: none came: the signal is blocked'; hasnt no.txt 'ticks: none came' 'where does it run'
bursty report "$dir/no-timer.brst" | tr '\n' ' ' >"$dir/no.txt"
has no.txt 'ticks: none came: there are no timers'
bursty merge -o "$dir/two.brst" "$dir/timed.brst" "$dir/untimed.brst" "$dir/untimed.brst"
bursty report "$dir/two.brst" | tr '\n' ' ' | grep -q 'MISSING: threads without a timer: 6. Their time is'
ok $? "threads without a timer"
hasnt timed.txt ' frame ' 'without a timer'
bursty merge -o "$dir/no.brst" "$dir/no-tick.brst" &&
    bursty report "$dir/no.brst" | grep -q 'none came'
ok $? "merged: none came"
bursty report --collapsed "$dir/timed.brst" >"$dir/timed.stacks" 2>"$dir/stderr"
ok $? "stacks by ticks"
[ "$(cat "$dir/stderr")" = 'bursty: note: stacks are in ticks; there are others, see --by calls' ]
ok $? "the unit is said: $(cat "$dir/stderr")"
[ "$(cat "$dir/timed.stacks")" = 'frame 300
frame;draw 700' ]; ok $? "stacks by ticks: $(cat "$dir/timed.stacks")"
bursty report --collapsed --by calls "$dir/timed.brst" >"$dir/timed.stacks" 2>"$dir/stderr"
ok $? "stacks by calls"
[ ! -s "$dir/stderr" ]; ok $? "nothing to say: $(cat "$dir/stderr")"
bursty report --collapsed "$dir/tree.brst" 2>"$dir/stderr" | cmp -s - "$dir/timed.stacks"
ok $? "stacks by calls are those of the tree alone"
[ ! -s "$dir/stderr" ]; ok $? "one unit, nothing to say: $(cat "$dir/stderr")"
refused '--by hours: whole stacks here count ticks, calls' report --by hours --collapsed -o "$dir/out" "$dir/timed.brst"
refused '--by ticks: whole stacks here count calls' report --by ticks --collapsed -o "$dir/out" "$dir/tree.brst"
refused '--by ticks: there are no whole stacks' report --by ticks --collapsed -o "$dir/out" "$dir/game.brst"

# ---- a form that has nothing to show is refused, and writes no file
for form in lcov cobertura order svg; do
    refused "$dir/game.brst: nothing in it can be shown as --$form (it has: sampled)" report --$form -o "$dir/out" "$dir/game.brst"
done
refused "$dir/footprint.brst: nothing in it can be shown as --collapsed (it has: footprints)" \
    report --collapsed -o "$dir/out" "$dir/footprint.brst"
refused "$dir/nothing.brst: nothing in it can be shown as --csv (it has: sampled)" \
    report --csv -o "$dir/out" "$dir/nothing.brst"

# ---- remarks: said where they hold (odd.txt), and nowhere else
bursty report "$dir/odd-tree.brst" >"$dir/odd-tree.txt"
has odd-tree.txt ' 3 leaves without$'
has odd-tree.txt 'sampled calls, not scaled up'
bursty report "$dir/tree.brst" "$dir/nothing.brst" >"$dir/tree-alone.txt"
hasnt tree-alone.txt ' calls' 'not scaled up'
for remark in 'without an enter' 'no burst yet' 'held to a budget' 'callers are unknown'; do hasnt game.txt ' collide_pair ' "$remark"; hasnt tree.txt ' collide$' "$remark"; done
bursty report --collapsed --min 5 "$dir/odd.brst" | tr '\n' ',' |
    grep -qx '(deep);eval 15000,run;eval 3000,run 2000,'
ok $? "a call whose pair is left out is not one without a caller"
bursty report --title x "$dir/game.brst" "$dir/odd.brst" >"$dir/programs.txt"
has programs.txt ' in bursts  *night_market$'
has programs.txt ' in bursts, held to a budget  *interpreter$'
has programs.txt '  thread 0  *interpreter$'
hasnt game.txt '^night_market$' ' night_market'
has game.txt '^(1 colder left out; --min 0 shows all)$'

# ---- merge
m() { out=$1; shift; bursty merge -o "$dir/$out" "$@"; ok $? "merge $*"; }
eq() { cmp -s "$dir/$1" "$dir/$2"; ok $? "$1 is not $2"; }
a=$dir/game.brst b=$dir/game3.brst c=$dir/rate.brst
m ab "$a" "$b"; m ab_c "$dir/ab" "$c"; m bc "$b" "$c"; m a_bc "$a" "$dir/bc"; m abc "$c" "$b" "$a"
m again "$dir/abc"
eq ab_c a_bc
eq ab_c abc
eq abc again
bursty report --title x "$dir/ab" | cmp -s - "$dir/two.txt"
ok $? "a merged dump reports as its parts do"
bursty report "$dir/abc" >"$dir/abc.txt"
has abc.txt ' 0  *1.00%  *990  *10 '
has abc.txt ' 0  *1.00%  *99  *1 '
m others "$dir/unknown.brst" "$a"
[ "$(tail -c 52 "$dir/others" | cksum)" = "$(cksum <"$dir/unknown.brst")" ]
ok $? "a part of unknown kind is copied"
bursty report "$dir/unknown.brst" 2>&1 >/dev/null |
    grep -q 'note: 52 bytes of parts of unknown kinds are left out'
ok $? "an unknown kind is noted"

# Trees of two runs that number their functions differently, and footprints: sums, whatever the
# grouping.
bursty report --collapsed --min 0 "$dir/tree.brst" "$dir/tree2.brst" >"$dir/trees.collapsed"
[ "$(sed -n 's/ .*//;s/.*;//p' "$dir/trees.collapsed" | sort -u | wc -l)" -eq "$(sed 's/ .*//;s/.*;//' "$dir/tree.collapsed" | grep -v '^main$' | sort -u | wc -l)" ]
ok $? "equal names of two runs are one"
awk '{ sum[FILENAME] += $NF } END { for (file in sum) print sum[file] }' "$dir/tree.collapsed" "$dir/trees.collapsed" | sort -n | tr '\n' ' ' | grep -qx '98010 196020 '
ok $? "weights of two runs add up"
all=$dir/all.brst t=$dir/tree2.brst
m tt_a "$t" "$t"; m tt_a_a "$dir/tt_a" "$all"; m ta "$t" "$all"; m t_ta "$t" "$dir/ta"
for merged in tt_a_a t_ta; do bursty report --title x "$dir/$merged" >"$dir/$merged.txt"; done
eq tt_a_a.txt t_ta.txt
has trees.collapsed '^main;update #2 600$'             # the other function of that name
has t_ta.txt '39.70%  *119100  *120000  main > update'
m ff "$dir/footprint.brst" "$all"
bursty report "$dir/ff" >"$dir/ff.txt"
has ff.txt '^footprint of round; </script>$'
has ff.txt '^400 accesses to 80 blocks of 64 bytes'
m f1 "$dir/footprint.brst"
m f2 "$dir/f1"; eq f1 f2

# ---- bad input
head -c 100 "$dir/tree.brst" >"$dir/cut-tree.brst"
head -c 700 "$a" >"$dir/cut.brst"
{ cat "$a"; echo more; } >"$dir/more.brst"
{ head -c 100 "$a"; printf 'X'; tail -c +102 "$a"; } >"$dir/flipped.brst"
echo 'GIF89a and so on' >"$dir/other.brst"
: >"$dir/empty.brst"
size=$(wc -c <"$a"); size=$((size))
for command in "report --html $dir/out" "report -o $dir/out" "merge -o $dir/out"; do
    refused "$dir/cut.brst: offset 700: cut short in a chunk of 256 bytes" $command "$a" "$dir/cut.brst"
    refused "$dir/cut-tree.brst: offset 100: cut short in a chunk of 157 bytes" $command "$dir/cut-tree.brst"
    refused "$dir/more.brst: offset $size: not a .brst part" $command "$dir/more.brst"
    refused "$dir/flipped.brst: offset 274: checksum error in a chunk" $command "$a" "$dir/flipped.brst"
    refused "$dir/other.brst: offset 0: not a .brst file" $command "$dir/other.brst"
    refused "$dir/empty.brst: offset 0: empty file" $command "$dir/empty.brst" "$a"
    refused "$dir/newer.brst: offset 4: unsupported version 2" $command "$dir/newer.brst"
    refused "$dir/absurd.brst: offset 31: the part's recorded size does not match its data" $command "$dir/absurd.brst"
done
bursty report "$dir/no such file" 2>"$dir/stderr"
[ $? = 2 ] && grep -q 'no such file: ' "$dir/stderr"
ok $? "a missing file"
bursty report "$dir" 2>"$dir/stderr"; [ $? = 2 ]; ok $? "a folder"
bursty report -o "$dir/none/out" "$a" 2>"$dir/stderr"
[ $? = 1 ] && grep -q "$dir/none/out: " "$dir/stderr"
ok $? "a place that cannot be written to"

# ---- usage
bursty report "" 2>"$dir/stderr"; [ $? = 2 ] && grep -q "an empty path" "$dir/stderr"
ok $? "an empty path"
refused "report: no input: give FILE ...; bursty report --help tells more" report
refused "report: no option '--frob'; bursty report --help lists them" report --frob "$a"
refused "--min seven: a percentage is wanted" report --min seven "$a"
refused "--note x: NAME=VALUE is wanted" report --note x "$a"
refused "-o wants a value; --help tells more" report "$a" -o
refused "one form at a time: --text, --html, --collapsed, --json, ..." report --json --collapsed "$a"
refused "one place to write to: --html OUT or -o OUT" report --html "$dir/out" -o "$dir/out" "$a"
refused "merge: no output: give -o OUT; bursty merge --help tells more" merge "$a"
refused "merge: no input: give FILE ...; bursty merge --help tells more" merge -o "$dir/out"
refused "no command 'frob'; bursty --help lists them" frob
refused 'replay: this is `bursty-lab hcct` now, a program of its own' replay hcct --json none
refused 'replay: this is `bursty-lab NAME` now, a program of its own' replay
for command in '' report merge; do
    bursty $command --help >"$dir/help" && grep -q '^usage: bursty' "$dir/help"
    ok $? "$command --help"
done
bursty --version | grep -qxE 'bursty [0-9]+\.[0-9]+\.[0-9]+'; ok $? "--version"

for command in '' report merge; do
    bursty $command -h >"$dir/help" 2>&1 && grep -q '^usage: bursty' "$dir/help"
    ok $? "$command -h"
done
cp "$a" "$dir/-dashed.brst"
(cd "$dir" && "$(cd "$OLDPWD" && cd "$BUILD" && pwd)/bursty" report -- -dashed.brst) |
    cmp -s - "$dir/game.txt"
ok $? "-- ends the options"
refused "-o wants a value; --help tells more" merge -o
refused "--sort frob: no table has that column" report --sort frob "$a"
refused "merge: no option '--frob'; bursty merge --help lists them" merge --frob=1 "$a"

# ---- what is written where
cp "$a" "$dir/first.brst"
cp "$b" "$dir/second.brst"
for form in --html --text --json --collapsed; do
    refused "$dir/first.brst: is an input, and would be overwritten" report "$form=$dir/first.brst" "$dir/first.brst"
    refused "$dir/first.brst: is a .brst file, and would be overwritten" report "$form=$dir/first.brst" "$dir/second.brst"
done
refused "$dir/first.brst: is a .brst file, and would be overwritten" report --html "$dir/first.brst" "$dir/second.brst"
refused "$dir/first.brst: is an input, and would be overwritten" merge -o "$dir/first.brst" "$dir/second.brst" "$dir/first.brst"
ln -sf first.brst "$dir/link.brst"
refused "$dir/link.brst: is an input, and would be overwritten" merge -o "$dir/link.brst" "$dir/first.brst"
cmp -s "$a" "$dir/first.brst"; ok $? "an input is as it was"
bursty merge -o "$dir/second.brst" "$a" && bursty merge -o "$dir/second.brst" "$a"
ok $? "merge may write over an old dump"
bursty report --json="$dir/equals.json" "$a" &&
    bursty report --json "$a" | cmp -s - "$dir/equals.json"
ok $? "--json=OUT"
if [ -c /dev/full ]; then
    for command in --version --help "report $a" "report --html - $a" "merge -o - $a"; do
        bursty $command >/dev/full 2>"$dir/stderr"
        [ $? = 1 ] && grep -q '^bursty: standard output: ' "$dir/stderr"
        ok $? "$command into a full disk"
    done
fi
if [ -c /dev/zero ]; then
    refused "/dev/zero: offset 0: not a .brst file" report /dev/zero
fi

# ---- C++ names
bursty report "$dir/mangled.brst" >"$dir/mangled.txt"; ok $? "mangled names"
bursty report --no-demangle "$dir/mangled.brst" >"$dir/raw.txt"; ok $? "--no-demangle"
for name in _ZN4game5stateIiE4stepEf _ZN4game5stateIlE4stepEf _Z5frameRKSs _Zwhat; do has raw.txt " $name "; done
if reads_cxx_names "$dir"; then
    has mangled.txt ' game::state<int>::step(float) '
    has mangled.txt ' game::state<long>::step(float) '
    has mangled.txt ' frame(std::'
    has mangled.txt ' _Zwhat '
    has mangled.txt ' _Z1fI1AIS0_IS1_'
    bursty report --collapsed "$dir/mangled.brst" >"$dir/mangled.collapsed"
    has mangled.collapsed '^main;game::state<int>::step(float) 100$'
    bursty merge -o "$dir/mangled2.brst" "$dir/mangled.brst" "$dir/mangled.brst"
    bursty report --no-demangle "$dir/mangled2.brst" >"$dir/merged.txt"
    has merged.txt ' _ZN4game5stateIiE4stepEf '     # merging keeps names as they are
else
    skip "C++ names: no C++ library to read them with"
fi
has game.html "<footer>bursty [0-9.]*, from $dir/game.brst of 20[0-9-]* [0-9:]* UTC</footer>"

# ---- collapsed stacks that would fill a disk
$CC -O1 -std=c99 -Itests -o "$dir/make_hostile" tests/make_hostile.c &&
    "$dir/make_hostile" "$dir" 20000 >/dev/null
refused "--collapsed: the stacks would take 2513 MB; --whole-stacks writes them all the same" \
    report --collapsed "$dir/deep_tree.brst"
bursty report --collapsed --whole-stacks --min 0 "$dir/deep_tree.brst" 2>"$dir/stderr" | head -n 500 | tail -n 1 |
    awk -F ';' '{ exit NF != 500 || / more/ }'
ok $? "--whole-stacks leaves frames out: $(cat "$dir/stderr")"
refused "--whole-stacks changes nothing in --text; it is for --collapsed, --firefox, --perfetto, --pprof, --speedscope" report --whole-stacks "$a"

# ---- sorted by what stands above a column, too; forms with nothing to show; formulas; marks that turn
# the direction of writing
bursty report --sort total "$dir/mutual.brst" | awk '/^rank/ { getline; print $NF, $(NF - 1); exit }' | grep -q 'frame'
ok $? "--sort total"
bursty report --sort self "$dir/mutual.brst" | awk '/^rank/ { getline; print; exit }' | grep -q 'draw'
ok $? "--sort self"
for form in dot collapsed order; do
    bursty report --$form "$dir/coverage.brst" >"$dir/stdout" 2>"$dir/stderr"
    [ $? = 2 ] && [ ! -s "$dir/stdout" ] && grep -q "nothing in it can be shown as --$form" "$dir/stderr"
    ok $? "--$form of coverage: $(cat "$dir/stderr")"
done
"$dir/make_dumps" "$dir" names
bursty report --csv "$dir/names.brst" >"$dir/names.csv"
! grep -qE "(^|,)\"?[=+@-][^,\"]" "$dir/names.csv" && [ "$(grep -c "'[=+@-]" "$dir/names.csv")" -ge 4 ]
ok $? "a formula in CSV: $(grep -E '(^|,)"?[=+@-]' "$dir/names.csv" | head -n 3)"
for form in text csv collapsed json; do
    bursty report --$form "$dir/names.brst" >"$dir/stdout" 2>/dev/null
    ! grep -q "$(printf '\342\200\256')" "$dir/stdout" && grep -q 'a.u202eb' "$dir/stdout"
    ok $? "U+202E in --$form"
done

# ---- parts with nothing in them: what merge writes can be read; names in messages are escapes
for kind in 4 6; do
    "$dir/make_dumps" "$dir" empty $kind
    bursty merge -o "$dir/m.brst" "$dir/empty.brst" "$dir/empty.brst" && [ -s "$dir/m.brst" ] &&
        bursty report "$dir/m.brst" >"$dir/stdout" 2>"$dir/stderr"
    ok $? "merge of an empty part of kind $kind: $(cat "$dir/stderr")"
done
bursty report "$(printf 'no\033[31mne\342\200\256')" 2>"$dir/stderr"
grep -qF 'bursty: no\x1b[31mne\u202e: ' "$dir/stderr"; ok $? "a raw name in a message: $(cat "$dir/stderr")"

# ---- the terminal
COLUMNS=60 bursty report "$dir/whole.brst" >"$dir/narrow.txt" # two columns are left out: what was asked for is none
has narrow.txt '^profile  *asked  *checks-off  *checks-on  *bursts  *state$'
COLUMNS=60 bursty report "$dir/all.brst" >"$dir/narrow.txt"
tr -d '\n ' <"$dir/narrow.txt" >"$dir/line.txt"
has line.txt '000std::vector<entity,pool_allocator<entity>>::push_back(constentity&)[0-9]' # never cut
[ "$(awk '/ > / { next } { if (length($0) > most) most = length($0) } END { print most }' "$dir/narrow.txt")" -le 60 ]
ok $? "60 columns"
has game.txt "1950000 *20.97% *20.[0-9]*% *21.[0-9]*% *collide_pair *src/physics/narrow.c:141"
has narrow.txt '27.96% .* collide_pair$'
hasnt narrow.txt ' collide_pair$' 'place'
bursty report "$a" |
    awk '$NF == "narrow.c:141" && $5 == 1950000 && $1 + 0 > 27 { found = 1 } END { exit !found }'
ok $? "numbers for awk"
bursty report "$a" | awk '/^functions/ { f = NR } /^threads/ { t = NR } END { exit !(f && f < t) }'
ok $? "functions come first"
first() { awk 'is_next { print; exit } / share / { is_next = 1 }'; }
bursty report --sort share_low "$a" | awk '/ share / { at = NR } at && NR == at + 4' |
    grep -q ' heap_push '
ok $? "--sort share_low"
bursty report --sort function "$a" | first | grep -q ' ai_think '; ok $? "--sort function"
bursty report --sort time_share "$a" | first | grep -q ' collide_pair '; ok $? "--sort time_share"
has game.txt '59.07% .* not-timed  .*contact loop'
hasnt odd.txt ' share ' 'share  *time '
has odd.txt '^Shares are of calls, not of time'
has odd.html 'Shares are of calls, not of time'
hasnt game.txt ' collide_pair ' 'Shares are of calls, not of time'
grep -q '"time_ns":null' "$dir/game.json"; ok $? "JSON says null for what is not timed"

# ---- losses: what the recording did not see stands before all numbers, and intervals that would not
# hold are left out
lossy() { # NAME: the text, on few lines, and the JSON and page of that dump
    COLUMNS=1000 bursty report "$dir/$1.brst" >"$dir/$1.txt"
    bursty report --json -o "$dir/$1.json" "$dir/$1.brst"
    bursty report --html "$dir/$1.html" "$dir/$1.brst"
    json "$dir/$1.json"
}
for name in lost_threads lost_time by_chance not_by_chance no_loss own_time; do lossy $name; done
[ "$(sed -n 2p "$dir/lost_threads.txt" | cut -c 1-37)" = 'MISSING: threads without a record: 47' ]
ok $? "lost threads come first: $(sed -n 2p "$dir/lost_threads.txt")"
has lost_threads.json '"what":"threads without a record","count":47,"part":null,"of_counts":true,"of_time":true'
has lost_threads.html '<b>Missing:</b> threads without a record: 47'
hasnt lost_threads.json '"estimated_low":' '"\(estimated\|self\|total\)_\(low\|high\)":[^n[]'
hasnt lost_threads.json '"self_low":' '"\(self\|total\)_low":\[[^n]'
hasnt lost_threads.json '"losses":' '"effective"'
has lost_threads.txt 'Shares of the time that was seen'
[ "$(sed -n 2p "$dir/lost_time.txt")" = 'MISSING: CPU time that no tick saw, in ms: 3 000, 75 % of all. It passed in threads without a check (one BURST_ENTRY in each helps), or with fewer than 1000 behind a late bursty_start, or the program took the timer'"'"'s signal.' ]
ok $? "time that no tick saw: $(sed -n 2p "$dir/lost_time.txt")"
has lost_time.json '"estimated_low":[0-9]' # counts miss nothing
hasnt lost_time.json '"self_low":' '"self_low":\[[^n]' # three quarters of the time are not known
# Of 100 threads each has a part of a period that is unseen, and these are independent.
has by_chance.json '"losses":\[\]'
has by_chance.json '"self_low":\[0'
has not_by_chance.txt '^MISSING: CPU time that no tick saw, in ms: 230, 18.7 % of all'
hasnt not_by_chance.json '"self_low":' '"self_low":\[[^n]'
has no_loss.json '"losses":\[\]'
has no_loss.json '"self_low":\[0'
hasnt no_loss.txt ' share ' MISSING
hasnt no_loss.html '^</html>' Missing:
has own_time.txt '^MISSING: ticks that met the recorder: 150, 60 % of all. Recording takes'
has own_time.json '"self_low":\[0'
bursty merge -o "$dir/losses.brst" "$dir/lost_threads.brst" "$dir/lost_time.brst" "$dir/lost_threads.brst"
bursty report "$dir/losses.brst" | grep -q 'threads without a record: 94'; ok $? "losses add up"

# ---- sources: a dump names them, so few files are opened, and what is not shown is said
bursty report --html "$dir/coverage.html" "$dir/coverage.brst" 2>"$dir/stderr"
ok $? "the page of coverage.brst"
[ "$(grep -c ': is not here' "$dir/stderr")" = 1 ] && lacks "$dir/stderr" '^bursty: ' parser.c
ok $? "a missing source is said on standard error: $(cat "$dir/stderr")"
has coverage.html 'sources not shown.*1 of 2; .*: is not here'
has coverage.html '"source_fault":"is not here"'

sources=$dir/sources
rm -rf "$sources"
mkdir -p "$sources/inside" "$sources/outside"
echo 'int secret_of_others;' >"$sources/outside/keys.h"
echo 'int shown_to_all;' >"$sources/inside/a.c"
ln -s ../outside/keys.h "$sources/inside/link.h"
mkdir "$sources/inside/folder.c"
printf 'int of_a_large_file;\n' | awk '{ for (i = 0; i < 900000; i++) print }' >"$sources/inside/large.c"
here=$PWD tool=$BUILD/bursty maker=$dir/make_dumps
case $tool in /*) ;; *) tool=$here/$tool ;; esac
case $maker in /*) ;; *) maker=$here/$maker ;; esac

# source NAME WHY [OPTIONS]: in the folder "inside", the page does not show the file of that name,
# says why, and ends soon.
source() {
    name=$1 why=$2
    shift 2
    (
        cd "$sources/inside" || exit 1
        $RUN "$maker" . source "$name"
        within 20 $RUN "$tool" report --html out.html "$@" source.brst 2>stderr || exit 1
        grep -qF '"source_fault":"'"$why" out.html || exit 1
        if [ "$why" = '"' ]; then
            grep -q "shown_to_all" out.html && ! grep -q "sources not shown" out.html
        else
            grep -qF ": $why" stderr && grep -q '"source":\[\]' out.html &&
                grep -qF "sources not shown" out.html && ! grep -q "secret\|of_a_large" out.html
        fi
    )
    ok $? "the source $name $*: $(head -n 2 "$sources/inside/stderr")"
}
source a.c '"'
source ./folder.c/../a.c '"'
source ../inside/a.c '"'
source a.c '"' --source-root .
source inside/a.c '"' --source-root ..
source ../outside/keys.h 'lies outside'
source "$PWD/$sources/outside/keys.h" 'lies outside'
source link.h 'lies outside'
source a.c 'is not here' --source-root ../outside
source folder.c 'is no regular file'
source large.c 'is larger than 16 MiB'
source /etc/passwd 'does not have the name of a source'
if mkfifo "$sources/inside/fifo.c" 2>/dev/null; then source fifo.c 'is no regular file'; fi
[ -c /dev/zero ] && ln -sf /dev/zero "$sources/inside/zero.c" && source zero.c 'lies outside'
[ -c /dev/zero ] && source zero.c 'lies outside'

runs=$dir/make_runs
case $runs in /*) ;; *) runs=$here/$runs ;; esac
$CC -O1 -std=c99 -Itests -o "$dir/make_runs" tests/make_runs.c || echo "make_runs failed"

# ---- the kernel's part of the CPU time, with Wilson's interval of its looks, on top of the text, of the
# ten lines and of the page; merged, it adds up, and the coarsest look counts
kernel() { # NAME CPU KERNEL LOOK
    printf 'tick 10000\nticks frame 100\ncpu %s\nkernel %s\nlook %s\n' "$2" "$3" "$4" |
        $RUN "$runs" "$dir/$1.brst"
    bursty report "$dir/$1.brst" >"$dir/$1.text"
    bursty report --brief "$dir/$1.brst" >"$dir/$1.brief"
    bursty report --html "$dir/$1.html" "$dir/$1.brst"
}
kernel looked 1000000 250000 4000
has looked.text '^in the kernel: 25 % (20 to 31 %) of 1 s of CPU time; it is in'
[ "$(sed -n 2p "$dir/looked.brief" | cut -c 1-14)" = 'in the kernel:' ]; ok $? "ten lines without the kernel"
COLUMNS=50 bursty report --brief "$dir/looked.brst" | sed -n 2,3p >"$dir/looked.narrow"
awk 'length > 50 { exit 1 } END { exit NR != 2 }' "$dir/looked.narrow"; ok $? "the ten lines are not wrapped"
has looked.html '<li><span>in the kernel</span><b>25 % (20 to 31 %) of 1 s'
kernel exact 1000000 250000 0
has exact.text '^in the kernel: 25 % of 1 s of CPU time; it is in'
kernel coarse 1000000 800000 10000
has coarse.text '^in the kernel: 80 % (71 to 87 %) of 1 s'
bursty merge -o "$dir/kernel.brst" "$dir/looked.brst" "$dir/coarse.brst"
bursty report "$dir/kernel.brst" >"$dir/kernel.text"
has kernel.text '^in the kernel: 5[23] % (45 to 59 %) of 2 s'
printf 'run 2\ntick 10000\nticks frame 100\ncpu 3000000\nkernel 150000\nlook 4000\n' |
    $RUN "$runs" "$dir/other.brst"
bursty report "$dir/looked.brst" "$dir/other.brst" >"$dir/programs.text"
has programs.text '^in the kernel: 10 % (8.3 to 12 %) of 4 s'
kernel few 39000 20000 4000
hasnt few.text ' share ' 'in the kernel'

# text NAME:LINE WANTED [OPTIONS]: the page of a profile without coverage has that text of a function
# there, from two lines before it to its end, and nothing of another file.
printf 'int a;\nint b;\r\nint f(void)\n{\n  return "<";\n}\nint g;\n' >"$sources/inside/f.c"
text() {
    place=$1 wanted=$2
    shift 2
    (
        cd "$sources/inside" || exit 1
        printf 'tick 1000\nticks f@%s 20\n' "$place" | $RUN "$runs" text.brst
        within 20 $RUN "$tool" report --html out.html "$@" text.brst 2>stderr || exit 1
        sed -n '/^"texts":/,/^<.script/p' out.html | tr -d '\n' >texts
        [ "$(cat texts)" = "${wanted:+\"texts\":[$wanted]\}</script>}" ] &&
            lacks out.html '^</html>' secret
    )
    ok $? "the text of $place $*: $(cat "$sources/inside/stderr" "$sources/inside/texts")"
}
whole='"lines":["int a;","int b;","int f(void)","{","  return \"\u003c\";","}"]}'
text f.c:3 '{"file":"f.c","line":1,'"$whole"
text inside/f.c:3 '{"file":"inside/f.c","line":1,'"$whole" --source-root ..
text f.c:7 '{"file":"f.c","line":5,"lines":["  return \"\u003c\";","}","int g;"]}'
text f.c:8 ''
text f.c:0 ''
text ../outside/keys.h:1 ''
text link.h:1 ''
text f.c:3 '' --source-root ../outside
text fifo.c:1 ''
text folder.c:1 ''
text large.c:1 ''
text /etc/passwd:1 ''
# Long lines make no large page: a text has at most 64 KiB, all of them 4 MiB.
awk 'BEGIN { for (i = 0; i < 70000; i++) line = line "x"; print line }' >"$sources/inside/long.c"
text long.c:1 ''
awk 'BEGIN { for (i = 0; i < 200; i++) line = line "y"; for (i = 0; i < 300; i++) print line }' \
    >"$sources/inside/wide.c"
(
    cd "$sources/inside" || exit 1
    awk 'BEGIN { print "tick 1000"; for (i = 1; i <= 90; i++) printf "ticks f%d@wide.c:%d 20\n", i, i }' |
        $RUN "$runs" text.brst
    $RUN "$tool" report --html out.html text.brst 2>stderr || exit 1
    [ "$(grep -c '^{"file":"wide.c"' out.html)" -ge 40 ] && [ "$(wc -c <out.html)" -lt 6000000 ]
)
ok $? "a page with much text: $(wc -c <"$sources/inside/out.html") bytes"
rm -rf "$sources"
refused "--source-root $dir/none: No such file or directory" report --json -o "$dir/out" \
    --source-root "$dir/none" "$dir/coverage.brst"
refused "--source-root $dir/coverage.brst: is no folder" report --json -o "$dir/out" \
    --source-root "$dir/coverage.brst" "$dir/coverage.brst"
refused "--source-root changes nothing in --dot; it is for --cobertura, --csv, --gcovr, --html, \
--json, --lcov, --suspects, --text" report --dot \
    --source-root . "$dir/coverage.brst"

finish
