#!/bin/sh
# test_lab_streams.sh - bursty-lab streams, pairs and methods and bursty overlap, on traces
# whose answers are known, in every form, and on broken ones.
CC=${CC:-cc} BUILD=${BUILD:-build}
case $BUILD in /*) ;; *) BUILD=$PWD/$BUILD ;; esac
bursty=$BUILD/bursty lab=$BUILD/bursty-lab
dir=$BUILD/tests/lab_streams
rm -rf "$dir"
mkdir -p "$dir"
. tests/check.sh
has() {
    if grep -q -e "$2" "$dir/$1"; then
        pass
    else fail "no '$2' in $1: $(head -c 300 "$dir/$1")"; fi
}
run() { # STATUS ARGUMENT...: output in out, errors in err
    wanted=$1
    shift
    case $1 in overlap | report | merge) program=$bursty ;; *) program=$lab ;; esac
    (cd "$dir" && $RUN "$program" "$@" >out 2>err)
    got=$?
    if [ $got = "$wanted" ]; then
        pass
    else fail "status $got, not $wanted: $*: $(head -n 3 "$dir/err")"; fi
}
refused() { # MESSAGE ARGUMENT...: one clear line, status 2
    message=$1
    shift
    run 2 "$@"
    has err "$message"
    [ "$(wc -l <"$dir/err")" = 1 ] && pass || fail "more than a line: $*"
}
value() { sed -n "s/.*\"$1\":\([-0-9.e]*\).*/\1/p" "$dir/out" | head -n 1; }
between() { # KEY LOW HIGH
    v=$(value "$1")
    if awk "BEGIN { exit !(\"$v\" != \"\" && $v + 0 >= $2 && $v + 0 <= $3) }" </dev/null; then
        pass
    else fail "$1 is '$v', not $2 to $3"; fi
}

$CC -O1 -std=c99 -o "$dir/make_refs" tests/make_refs.c || {
    echo "0 passed, 1 failed"
    exit 1
}
for kind in example loops planted thin; do
    (cd "$dir" && $RUN ./make_refs $kind) || fail "make_refs $kind"
done

# ---- the worked example ----
for way in '' --eager; do
    run 0 streams --min 2 --max 7 --coverage .8 --json $way example.refs example.table
    has out '"symbols":15,"rules":4,'
    has out '"violations":0,'
    has out '"streams":1,"covered":12,'
    has out '"overlap_exact":null'
    has out '^{"heat":12,"frequency":2,"length":6,'
    has out '"sites":\["0x61","0x62","0x63"\]'
    has out '"sites":\[0,1,2,0,1,2\]'
    has out '"addresses":\["1000",'
done
run 0 streams --min 2 --max 7 --coverage .8 example.refs example.table
has out "80.0 %"
has out '(0x61, 0x62, 0x63) x2$'
printf '61 alpha\n62 beta\tfile.c:12\n' >"$dir/names"
run 0 streams --min 2 --max 7 --coverage .8 --names names --title 'a <b>' example.refs \
    example.table
has out 'alpha, beta (file.c:12), 0x63'
has out 'of a <b>'
run 0 streams --min 2 --max 7 --coverage .8 --json example.refs
has out '"sites":\["0","1","2"\]'
run 0 streams --json - <"$dir/example.refs"
has out '"streams":0,'

# ---- fewer checks: what each set leaves of a program whose loops are known (make_refs.c) ----
thin() { # SET CHECKS ENTRIES LOOPS BORING REFERENCES: a burst that never ends records what is left
    run 0 streams --json --top 0 --every 1 --burst 100000000 --thin "$1" thin.refs thin.table
    has out "\"checks\":$2,\"checks_all\":17000,\"entries\":$3,\"loops\":$4,\"boring\":$5,"
    has out "^{\"symbols\":$6,"
}
thin all 17000 6 7 0 76500
thin EL 15500 3 7 0 76500
thin EC 15000 2 7 0 76500
thin EN 13499 0 7 0 76496 # nothing is recorded before the first back-edge
thin L2 12500 6 6 1 64500
thin L4 10500 6 5 2 57000
thin L10 7500 6 3 4 32000
thin L10+EC 5500 2 3 4 32000
thin LN 3501 6 0 0 76500
thin EC+L4 8500 2 5 2 57000
thin Q 3499 1 2 2 56904 # nor before the first call of g
run 0 streams --every 20 --burst 10 --thin EC+L4 thin.refs thin.table
has out '^checks     8500 of 17000: of 2 functions and 5 loops; 2 loops are boring$'
# A loop that calls only what never repeats, with at most 4 loops in all, has no check by Q.
bytes_of() { # SIZE NUMBER...: little-endian; numbers below 2^16, or events: c for a call, b, r
    size=$1
    shift
    for n; do
        case $n in c*) high='\200' n=${n#c} ;; b) high='\300' n=0 ;; r) high='\340' n=0 ;; *) high='\000' ;; esac
        printf "\\$(printf %o $((n % 256)))\\$(printf %o $((n / 256)))\\000$high"
        [ "$size" = 4 ] || printf '\000\000\000\000'
    done
}
quiet() { # LOOPS WHAT PAIRS LOOPS-TABLE EVENTS: so many loops keep their check
    bytes_of 8 $3 >"$dir/quiet.pairs"
    bytes_of 8 $4 >"$dir/quiet.loops"
    bytes_of 4 $5 >"$dir/quiet.refs"
    bytes_of 8 16 16 >"$dir/quiet.table"
    run 0 streams --json --top 0 --every 1 --thin Q quiet.refs quiet.table
    has out "\"loops\":$1,\"boring\":0,"
}
pairs='0 256 256 512'
quiet 0 "calls a leaf" "$pairs" '256 260' 'c0 0 c1 r b c1 r b c1 r b r'
quiet 3 "4 loops in all" "$pairs" '256 260 512 516 512 520 512 524' 'c0 0 c1 r b c1 r b c1 r b r' # those of the leaf did not go round
quiet 5 "5 loops in all" "$pairs" '256 260 512 516 512 520 512 524 512 528' 'c0 0 c1 r b c1 r b c1 r b r'
quiet 1 "calls recursion" "$pairs 512 512" '256 260' 'c0 0 c1 c2 r r b c1 c2 r r b c1 r b r'
refused "thin needs --every" streams --thin EC thin.refs thin.table
refused "wants references, and their TABLE" streams --every 9 --thin EC thin.refs
for rules in L64 L EM EC+ +EC '' L4x; do
    refused "not all, EL, EC, EN, LN, L0 to L63, Q" streams --every 9 --thin "$rules" thin.refs \
        thin.table
done
refused "example.pairs: No such file" streams --every 9 --thin EC example.refs example.table
cp "$dir/thin.refs" "$dir/bad.refs"
for part in pairs loops; do
    cp "$dir/thin.pairs" "$dir/bad.pairs"
    cp "$dir/thin.loops" "$dir/bad.loops"
    head -c 20 "$dir/thin.$part" >"$dir/bad.$part"
    refused "bad.$part: offset 16: a row is cut short" streams --every 9 --thin EC bad.refs thin.table
    head -c 16 "$dir/thin.$part" >"$dir/bad.$part"
    refused "bad.refs: .* 1 is not in the table of $part" streams --every 9 --thin EC bad.refs \
        thin.table
done
head -c 32 /dev/zero >"$dir/bad.pairs"
refused "bad.refs: pair 0 calls nothing" streams --every 9 --thin EC bad.refs thin.table
cp "$dir/thin.refs" "$dir/odd-name"
refused "thin wants a file NAME.refs" streams --every 9 --thin EC odd-name thin.table

# ---- planted streams ----
run 0 streams --json planted.refs planted.table
has out '"violations":0,'
between coverage .8 1
full=$(value covered)
run 0 streams --json --nodes 2000 planted.refs planted.table
has out '"violations":0,'
between digests 3 1000
between covered $((full * 90 / 100)) "$full"
run 0 streams --json --whole-rules planted.refs planted.table
between covered 1 "$full"

# ---- sampled ----
run 0 streams --json --every 500 --burst 100 --title loops --dump some.brst loops.refs loops.table
has out '"violations":0,'
between symbols 9000 11000
between overlap_exact 15 100
between overlap_windows 60 100
windows=$(value overlap_windows)
cp "$dir/out" "$dir/sampled"
run 0 streams --json --title loops --every 900 loops.refs loops.table
sed 's/"ns_per_symbol":[0-9.]*//' "$dir/out" >"$dir/x"
run 0 streams --json --title loops --every 900 --burst 100 loops.refs loops.table
sed 's/"ns_per_symbol":[0-9.]*//' "$dir/out" >"$dir/y"
cmp -s "$dir/x" "$dir/y" && pass || fail "--every 900 is not --every 900 --burst 100"
sed 's/"ns_per_symbol":[0-9.]*//' "$dir/sampled" >"$dir/y"
run 0 streams --json --title loops --every 500 --burst 100 --jitter 50 loops.refs loops.table
between symbols 8000 12000
sed 's/"ns_per_symbol":[0-9.]*//' "$dir/out" >"$dir/x"
unlike "$dir/x" "$dir/y" && pass || fail "jitter changes nothing"
run 0 streams --json --every 99999999 --burst 1 loops.refs loops.table
has out '"symbols":0,'
has out '"overlap_exact":0.0000'

# ---- an input is never written over ----
cp "$dir/loops.refs" "$dir/kept.refs"
cp "$dir/loops.table" "$dir/kept.table"
printf '61 alpha\n' >"$dir/kept.names"
for input in kept.refs ./kept.table kept.names; do
    refused "^bursty-lab: $input: is an input, and would be overwritten" \
        streams --dump $input --names kept.names kept.refs kept.table
done
refused 'would both go to standard output' streams --dump - kept.refs kept.table
cmp -s "$dir/loops.refs" "$dir/kept.refs" && pass || fail "--dump destroyed REFS"
cmp -s "$dir/loops.table" "$dir/kept.table" && pass || fail "--dump destroyed TABLE"
[ "$(cat "$dir/kept.names")" = '61 alpha' ] && pass || fail "--dump destroyed the names"

# ---- dumps and bursty overlap ----
run 0 streams --json --title loops --dump all.brst loops.refs loops.table
run 0 overlap --json all.brst some.brst
between overlap_windows 60 100
between overlap_exact 10 100
run 0 overlap --json all.brst all.brst
between overlap_shares 99.99 100
between overlap_windows 99.99 100
between overlap_exact 85 100
run 0 overlap all.brst some.brst
has out '^  windows '
run 0 merge -o twice.brst all.brst some.brst all.brst
run 0 overlap --json all.brst twice.brst
between overlap_shares 85 100
run 0 merge -o one.brst all.brst some.brst
run 0 merge -o two.brst some.brst all.brst
cmp -s "$dir/one.brst" "$dir/two.brst" && pass || fail "merging depends on the order"
run 0 merge -o again.brst all.brst
cmp -s "$dir/again.brst" "$dir/all.brst" && pass || fail "a dump is changed by being read and written"
run 0 streams --calls --min 2 --max 6 --json loops.refs
between symbols 4000 4000

# ---- pairs and methods ----
run 0 pairs --json --every 9 --burst 1 loops.refs
has out '"members":6,'
between calls 4000 4000
between overlap 80 100
run 0 methods --json --every 9 --burst 1 --jitter 50 loops.refs
between checks 60000 65000
between overlap 90 100
between overlap_top_90 90 100
# The largest number of a pair costs no more memory than a small one.
printf '\001\000\000\200\002\000\000\200\000\000\000\340' >"$dir/small.refs"
printf '\376\377\377\237\377\377\377\237\000\000\000\340' >"$dir/large.refs"
for command in pairs methods; do
    run 0 $command --json --every 1 --burst 1 small.refs
    mv "$dir/out" "$dir/small.out"
    (
        # the shadows of sanitizers are huge, and so is what qemu sets aside
        case ${CFLAGS-}${RUN:+emulated} in *sanitize* | *emulated) ;; *) ulimit -v 400000 2>/dev/null ;; esac
        run 0 $command --json --every 1 --burst 1 large.refs
        cmp -s "$dir/out" "$dir/small.out" && [ $failed = 0 ]
    ) && pass || fail "$command of two pairs with large numbers: $(head -n 1 "$dir/err")"
done
run 0 methods --every 90 --burst 10 loops.refs
has out '^methods at 90:10'

# a place that nobody has looked up is not shown
printf '61 alpha\t/some/file\t4f0\n62 beta\n' >"$dir/raw.names"
run 0 streams --min 2 --max 7 --coverage .8 --names raw.names example.refs \
    example.table
has out '(alpha, beta, 0x63) x2$'

# ---- lackey ----
awk 'BEGIN {
    print "==12== Lackey, an example Valgrind tool"
    for (i = 0; i < 200; i++) {
        print "I  04001000,3"
        for (k = 0; k < 12; k++) {
            printf "I  %08x,4\n", 67112960 + 4 * k
            printf " %s %x,8\n", substr("LSM", k % 3 + 1, 1), 1048576 + 64 * k
        }
    }
}' </dev/null >"$dir/lackey"
run 0 streams --lackey --json lackey
has out '"symbols":2400,'
between coverage .95 1
run 0 streams --lackey lackey
has out '0x400101c, and 4 more) x2$'
run 0 streams --lackey --json --every 50 --burst 20 lackey
between symbols 600 800

# three rounds of two instructions, then six others, again and again: a group stands once
awk 'BEGIN {
    for (i = 0; i < 300; i++) {
        for (k = 0; k < 3; k++) print "I  0400,4\n L 1000,8\nI  0404,4\n S 1008,8"
        for (k = 0; k < 6; k++) printf "I  05%02x,4\n L 20%02x,8\n", 4 * k, 8 * k
    }
}' </dev/null >"$dir/rounds"
run 0 streams --lackey rounds
run 0 lackey lackey
mv "$dir/out" "$dir/blocks"
run 0 footprint --json --c 1 blocks
has out '"accesses":2400,'
run 0 lackey --instructions --block-bytes 16 lackey
mv "$dir/out" "$dir/blocks"
run 0 footprint --json --c 1 --block-bytes 16 blocks
has out '"accesses":2600,'
refused 'no power of two' lackey --block-bytes 48 lackey
printf 'I  04001000,3\nzzz\n' >"$dir/bad"
refused 'bad: line 2: not a line of valgrind' lackey bad

# ---- forms of the report ----
awk 'BEGIN {
    for (i = 0; i < 6; i++)
        for (k = 0; k < 12 + i; k++)
            printf "%x list%d_%d\tlist.c:%d\n", 4194304 + i * 256 + k * 4, i, k / 4, k + 1
}' </dev/null >"$dir/names"
run 0 streams --names names --title loops --dump named.brst loops.refs loops.table
run 0 report --order named.brst
[ "$(sort "$dir/out" | uniq | wc -l)" = 24 ] && [ "$(wc -l <"$dir/out")" = 24 ] && pass ||
    fail "order: $(cat "$dir/out")"
head -n 12 "$dir/out" | tr '\n' ' ' |
    grep -q 'list\([0-9]\)_\([0-9]\) list\1_[0-9] list\1_[0-9]' && pass ||
    fail "order: what runs together is apart: $(cat "$dir/out")"
run 0 report --dot named.brst
has out '^graph affinity {$'
has out 'label="list3_0 (list.c:1)"'
has out 'label="object 0x13000"'
[ "$(grep -c ' -- ' "$dir/out")" -gt 100 ] && pass || fail "few edges"
[ "$(tr -cd '{' <"$dir/out" | wc -c)" = "$(tr -cd '}' <"$dir/out" | wc -c)" ] && pass || fail "braces"
run 0 report --collapsed named.brst
has out '^list3_0 (list.c:1);list3_0 (list.c:2);.* 10320$'
run 0 report --json named.brst
has out '"streams":\['
run 0 report --text named.brst
has out 'hold 100.0 % of the 57942 references'
run 0 report --html page.html named.brst
has page.html 'drawStreams'

# ---- what is refused ----
refused 'streams: no input: give REFS' streams
refused 'streams: no input: give REFS' streams --json
refused 'pairs: no input: give REFS' pairs
refused 'methods: no input: give REFS' methods --seed 2
refused 'lackey: no input: give FILE' lackey
refused 'overlap: no input: give A.brst B.brst' overlap all.brst
refused "no option '--bogus'" streams --bogus example.refs
refused "wants a value" streams example.refs --min
refused "'x' is not valid" streams --max x example.refs
refused "'2000' is not valid" streams --max 2000 example.refs
refused "above --max" streams --min 50 example.refs
refused "'1.5' is not valid" streams --coverage 1.5 example.refs
refused "'0' is not valid" streams --every 0 example.refs
refused "burst needs --every" streams --burst 10 example.refs
refused "jitter needs --every" streams --jitter 10 example.refs
refused "streams: '--sample' is called --every and --burst now" streams --sample 5:1 example.refs
refused "pairs: '--period' is called --every" pairs --period 5 example.refs
: >"$dir/empty"
refused 'empty: no references in it' streams empty
refused 'empty: no references in it' streams --lackey empty
refused 'empty: no calls in it' streams --calls empty
refused 'empty: no calls in it' pairs empty
refused 'empty: no calls or back-edges in it' methods empty
refused 'empty: no references in it' lackey empty
refused 'empty: no instructions in it' lackey --instructions empty
refused "'101' is not valid" methods --jitter 101 loops.refs
refused "'0' is not valid" pairs --every 0 loops.refs
refused 'overlap: no option' overlap --bogus all.brst all.brst
refused 'wants a value' overlap --title
run 0 overlap --json --title=loops -- all.brst all.brst
run 0 streams --min=2 --max=7 --coverage=.8 --json -- example.refs example.table
has out '"streams":1,"covered":12,'
refused "third one\|one table at a time" streams example.refs example.table example.table
refused "nowhere: No such file" streams nowhere
refused "nowhere: No such file" streams example.refs nowhere
head -c 58 "$dir/example.refs" >"$dir/cut"
refused 'cut: offset 56: an event is cut short' streams cut example.table
head -c 40 "$dir/example.table" >"$dir/cut.table"
refused 'cut.table: offset 32: a row is cut short' streams example.refs cut.table
head -c 32 "$dir/example.table" >"$dir/short.table"
refused 'example.refs: offset 20: reference 2 is not in the table' streams example.refs \
    short.table
printf '\001\002\003\360' >"$dir/odd"
refused 'odd: offset 0: no event has the number f0030201' streams odd
printf 'I  04001000,3\n L xyz,4\n' >"$dir/bad"
refused 'bad: line 2: not a line of valgrind' streams --lackey bad
printf 'I  04001000,3\n L 1ff' >"$dir/bad"
refused 'bad: line 2: the line is cut short' streams --lackey bad
printf 'nonsense\n' >"$dir/bad"
refused 'bad: line 1: no pc and name' streams --names bad example.refs
refused "two dumps at a time" overlap all.brst all.brst all.brst
size=$(wc -c <"$dir/all.brst") at=1
while [ $at -lt "$size" ]; do # every kind of truncation
    head -c $at "$dir/all.brst" >"$dir/cut.brst"
    run 2 overlap all.brst cut.brst
    has err 'cut.brst: offset'
    at=$((at + 97))
done
finish
