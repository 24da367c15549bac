#!/bin/sh
# test_report.sh - bursty report and merge on dumps of make_dumps.c: what they print, refuse and leave unwritten.
# tests/golden holds what was once looked at and found right; GOLDEN=write puts what is printed now in its place.
BUILD=${BUILD:-build} CC=${CC:-cc}
dir=$BUILD/tests/report
golden=tests/golden
passed=0 failed=0
mkdir -p "$dir"
$CC -O1 -std=c99 -Itests -o "$dir/make_dumps" tests/make_dumps.c && $RUN "$dir/make_dumps" "$dir" || echo "make_dumps failed"
$CC -O1 -std=c99 -o "$dir/check_json" tests/check_json.c || echo "check_json failed"

bursty() { $RUN "$BUILD/bursty" "$@"; }
ok()     { if [ "$1" = 0 ]; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAILED $2"; fi; }

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
    [ $? = 2 ] && [ "$(cat "$dir/stderr")" = "bursty: $wanted" ] && [ ! -s "$dir/stdout" ] && [ ! -e "$dir/out" ]
    ok $? "$* says: $(cat "$dir/stderr")"
}

has()   { grep -q -- "$2" "$dir/$1"; ok $? "$1 has no $2"; }
lacks() { ! grep -q -- "$2" "$dir/$1"; ok $? "$1 has $2"; }
json()  { "$dir/check_json" <"$1" 2>"$dir/json.err"; ok $? "$1: $(cat "$dir/json.err")"; }

# ---- every form of good dumps
for dump in game hostile odd tree footprint; do
    same $dump.txt bursty report "$dir/$dump.brst"
    same $dump.collapsed bursty report --collapsed "$dir/$dump.brst"
    same $dump.json bursty report --json --note 'over"head=+1 % </b>' "$dir/$dump.brst"
    json "$dir/$dump.json"
    bursty report --html "$dir/$dump.html" --note 'over"head=+1 % </b>' "$dir/$dump.brst"
    ok $? "report --html of $dump"
    ! grep -qvE '^[^;]+(;[^;]+)* [0-9]+$' "$dir/$dump.collapsed"
    ok $? "$dump.collapsed is not made of stacks"
    # The page: one data element, one script, nothing loaded, and the data is that of --json.
    [ "$(grep -o '<script' "$dir/$dump.html" | wc -l)" -eq 2 ] && [ "$(grep -o '</script' "$dir/$dump.html" | wc -l)" -eq 2 ]
    ok $? "$dump.html has other script elements"
    sed -n '/id="data">/,/<\/script>/p' "$dir/$dump.html" | sed '1d;$d' | cmp -s - "$dir/$dump.json"
    ok $? "the data of $dump.html is not its JSON"
    ! sed 's,http://www.w3.org/2000/svg,,' "$dir/$dump.html" | grep -q '://'
    ok $? "$dump.html names an address"
    lacks $dump.html '<\(link\|img\|iframe\|object\|base\)'
    has $dump.html 'over&quot;head'
    has $dump.html '+1 % &lt;/b&gt;'
done
has hostile.html '&lt;/script&gt;&lt;script&gt;'
has hostile.html '<title>&lt;/title&gt;&lt;b&gt;'
has game.html '<title>night_market - bursty</title>'
has game.html '<td class="number">27.33 %'          # the table that stands there without scripts
lacks hostile.txt "$(printf '\033')"
bursty report --html="$dir/game2.html" --note 'over"head=+1 % </b>' "$dir/game.brst" && cmp -s "$dir/game.html" "$dir/game2.html"
ok $? "the same dump makes the same page"
bursty report --json "$dir/nothing.brst" >"$dir/nothing.json"; ok $? "an empty dump"; json "$dir/nothing.json"
bursty report --json "$dir/rate.brst" >"$dir/rate.json"; ok $? "a saturated dump"; json "$dir/rate.json"
has rate.json '"checks":9007199254740991'
bursty report - <"$dir/game.brst" | cmp -s - "$dir/game.txt"; ok $? "standard input"
bursty report -o "$dir/o.txt" --text "$dir/game.brst" && cmp -s "$dir/o.txt" "$dir/game.txt"; ok $? "-o"
bursty report --title 'A <b> title' "$dir/game.brst" | head -n 1 | grep -qx 'A <b> title'; ok $? "--title"
bursty report --min 0 "$dir/game.brst" | grep -q net_poll; ok $? "--min 0 shows all"
bursty report --min 25 --json "$dir/game.brst" >"$dir/min.json"; has min.json '"functions_left_out":19,'
cat "$dir/game.brst" "$dir/game3.brst" >"$dir/two.brst"
bursty report --title x "$dir/game.brst" "$dir/game3.brst" >"$dir/two.txt"
bursty report --title x "$dir/two.brst" | cmp -s - "$dir/two.txt"; ok $? "two files are as one behind the other"
has two.txt ' 3900000 *39000 *1.01%  collide_pair'


# ---- remarks: said where they hold (odd.txt), and nowhere else
bursty report "$dir/odd-tree.brst" >"$dir/odd-tree.txt"
has odd-tree.txt ' 3 leaves without$'
has odd-tree.txt 'sampled calls, not scaled up'
bursty report "$dir/tree.brst" "$dir/nothing.brst" >"$dir/tree-alone.txt"
lacks tree-alone.txt 'not scaled up'
for remark in 'without an enter' 'no burst yet' 'held to a budget' 'callers are unknown'; do lacks game.txt "$remark"; lacks tree.txt "$remark"; done
bursty report --collapsed --min 5 "$dir/odd.brst" | tr '\n' ',' | grep -qx '(deep);eval 15000,run;eval 3000,run 2000,'
ok $? "a call whose pair is left out is not one without a caller"
bursty report --title x "$dir/game.brst" "$dir/odd.brst" >"$dir/programs.txt"
has programs.txt ' in bursts  *night_market$'
has programs.txt ' in bursts, held to a budget  *interpreter$'
has programs.txt '  thread 0  *interpreter$'
lacks game.txt ' night_market'
has game.txt '^(1 colder left out; --min 0 shows all)$'

# ---- merge
m() { out=$1; shift; bursty merge -o "$dir/$out" "$@"; ok $? "merge $*"; }
eq() { cmp -s "$dir/$1" "$dir/$2"; ok $? "$1 is not $2"; }
a=$dir/game.brst b=$dir/game3.brst c=$dir/rate.brst
m ab "$a" "$b"; m ab_c "$dir/ab" "$c"; m bc "$b" "$c"; m a_bc "$a" "$dir/bc"; m abc "$c" "$b" "$a"; m again "$dir/abc"
eq ab_c a_bc
eq ab_c abc
eq abc again
bursty report --title x "$dir/ab" | cmp -s - "$dir/two.txt"; ok $? "a merged dump reports as its parts do"
bursty report "$dir/abc" >"$dir/abc.txt"
has abc.txt ' 0  *1.00%  *990  *10 '
has abc.txt ' 0  *1.00%  *99  *1 '
m others "$dir/unknown.brst" "$a"
[ "$(tail -c 52 "$dir/others" | cksum)" = "$(cksum <"$dir/unknown.brst")" ]; ok $? "a part of unknown kind is copied"
bursty report "$dir/unknown.brst" 2>&1 >/dev/null | grep -q 'note: 52 bytes of parts of unknown kinds are left out'; ok $? "an unknown kind is noted"

# Trees of two runs that number their functions differently, and footprints: sums, whatever the grouping.
bursty report --collapsed --min 0 "$dir/tree.brst" "$dir/tree2.brst" >"$dir/trees.collapsed"
[ "$(sed -n 's/ .*//;s/.*;//p' "$dir/trees.collapsed" | sort -u | wc -l)" -eq "$(sed 's/ .*//;s/.*;//' "$dir/tree.collapsed" | grep -v '^main$' | sort -u | wc -l)" ]
ok $? "equal names of two runs are one"
awk '{ sum[FILENAME] += $NF } END { for (file in sum) print sum[file] }' "$dir/tree.collapsed" "$dir/trees.collapsed" | sort -n | tr '\n' ' ' | grep -qx '98010 196020 '
ok $? "weights of two runs add up"
all=$dir/all.brst t=$dir/tree2.brst
m tt_a "$t" "$t"; m tt_a_a "$dir/tt_a" "$all"; m ta "$t" "$all"; m t_ta "$t" "$dir/ta"
for merged in tt_a_a t_ta; do bursty report --title x "$dir/$merged" >"$dir/$merged.txt"; done
eq tt_a_a.txt t_ta.txt
has trees.collapsed '^main;update 600$'             # the other function of that name
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
    refused "$dir/more.brst: offset $size: bytes after the last part that are no part" $command "$dir/more.brst"
    refused "$dir/flipped.brst: offset 274: wrong crc of a chunk" $command "$a" "$dir/flipped.brst"
    refused "$dir/other.brst: offset 0: not a .brst file" $command "$dir/other.brst"
    refused "$dir/empty.brst: offset 0: empty file" $command "$dir/empty.brst" "$a"
    refused "$dir/newer.brst: offset 4: version 2 is newer than the 1 known here" $command "$dir/newer.brst"
    refused "$dir/absurd.brst: offset 31: the end tells of another size than came" $command "$dir/absurd.brst"
done
bursty report "$dir/no such file" 2>"$dir/stderr"; [ $? = 2 ] && grep -q 'no such file: ' "$dir/stderr"; ok $? "a missing file"
bursty report "$dir" 2>"$dir/stderr"; [ $? = 2 ]; ok $? "a folder"
bursty report -o "$dir/none/out" "$a" 2>"$dir/stderr"; [ $? = 1 ] && grep -q "$dir/none/out: " "$dir/stderr"; ok $? "a place that cannot be written to"

# ---- usage
refused "no file given; bursty report --help tells more" report
refused "no option --frob; bursty report --help lists them" report --frob "$a"
refused "--min seven: a percentage is wanted" report --min seven "$a"
refused "--note x: NAME=VALUE is wanted" report --note x "$a"
refused "-o wants a value; --help tells more" report "$a" -o
refused "one form at a time: --text, --html, --collapsed, --json, ..." report --json --collapsed "$a"
refused "one place to write to: --html OUT or -o OUT" report --html "$dir/out" -o "$dir/out" "$a"
refused "merge wants -o OUT and at least one FILE" merge "$a"
refused "merge wants -o OUT and at least one FILE" merge -o "$dir/out"
refused "no command 'frob'; bursty --help lists them" frob
for command in '' report merge; do
    bursty $command --help >"$dir/help" && grep -q '^usage: bursty' "$dir/help"; ok $? "$command --help"
done
bursty --version | grep -qxE 'bursty [0-9]+\.[0-9]+\.[0-9]+'; ok $? "--version"

echo "$passed passed, $failed failed"
[ $failed = 0 ]
