#!/bin/sh
# test_report_base.sh - bursty report NEW --base OLD: what changed, in text, JSON and CSV; what
# --fail-if answers; and what cannot be compared.
BUILD=${BUILD:-build} CC=${CC:-cc}
dir=$BUILD/tests/report_base
. tests/check.sh
unset COLUMNS NO_COLOR
rm -rf "$dir"
mkdir -p "$dir"
for program in make_runs make_dumps check_json; do
    $CC -O1 -std=c99 -Itests -o "$dir/$program" tests/$program.c || echo "$program failed"
done
$RUN "$dir/make_dumps" "$dir" || echo "make_dumps failed"

bursty() { $RUN "$BUILD/bursty" "$@"; }
has()   { grep -q -- "$2" "$dir/$1"; ok $? "$1 has no $2"; }
hasnt() { lacks "$dir/$1" "$2" "$3"; ok $? "$1 has $3, or no $2"; }
run()   { tr '|' '\n' | $RUN "$dir/make_runs" "$dir/$1.brst" || echo "make_runs $1 failed"; } # NAME
says()  { # STATUS ARGUMENTS...: the report goes to text, messages to stderr
    wanted=$1
    shift
    bursty report "$@" >"$dir/text" 2>"$dir/stderr"
    got=$?
    [ "$got" = "$wanted" ]
    ok $? "status $got, not $wanted: report $*: $(cat "$dir/stderr")"
}
refused() { # MESSAGE ARGUMENTS...: status 2, one line, nothing written
    wanted=$1
    shift
    bursty report "$@" >"$dir/text" 2>"$dir/stderr"
    [ $? = 2 ] && [ "$(wc -l <"$dir/stderr")" = 1 ] && [ ! -s "$dir/text" ] &&
        grep -q -- "$wanted" "$dir/stderr"
    ok $? "report $*: $(cat "$dir/stderr")"
}
table() { sed -n "/^what changed: $1/,/^\$/p" "$dir/text" >"$dir/table"; } # the start of its title

# ---- a single run a side. parse grew and moved by two lines; old went, fresh came; of the two
# functions called init, that of a.c grew
run base <<'END'
tick 1000|ticks main@m.c:1 200|ticks main@m.c:1;parse@p.c:10 500|ticks main@m.c:1;scan@s.c:20 300
ticks main@m.c:1;old@o.c:1 60|ticks main@m.c:1;init@a.c:1 50|ticks main@m.c:1;init@b.c:1 20
END
run new <<'END'
tick 1000|ticks main@m.c:1 195|ticks main@m.c:1;parse@p.c:12 700|ticks main@m.c:1;scan@s.c:22 310
ticks main@m.c:1;fresh@o.c:1 60|ticks main@m.c:1;init@a.c:1 150|ticks main@m.c:1;init@b.c:1 25
END
says 0 "$dir/new.brst" --base "$dir/base.brst"
[ "$(head -n 1 "$dir/text")" = 'new.brst against base.brst' ]; ok $? "title: $(head -n 1 "$dir/text")"
tr '\n' ' ' <"$dir/text" >"$dir/line"
has line 'The whole: +310 ms (+209 to +412), +27.4 %. parse itself changed most: +200 ms (+131 to +270), +40.0 %; 4 of 7 rows changed surely'
has line 'of two single runs'
table 'time of functions themselves'
sed -n 4,10p "$dir/table" | awk '{ print $1, $(NF - ($NF ~ /:/)), $NF }' >"$dir/order"
[ "$(sed -n '1p;3,4p' "$dir/order" | tr '\n' ';')" = 'slower parse p.c:12;gone old o.c:1;appeared fresh o.c:1;' ]
ok $? "order: $(cat "$dir/order")"
has table '^slower  *+100.0 .* init (a.c:1)  *a.c:1$'
has table '^unsure  *+5.0 .* init (b.c:1)  *b.c:1$'
has table '^unsure  *+10.0 .* scan  *s.c:22$'
table 'time of functions with all'
has table '^slower  *+310.0 .* main  *m.c:1$'
table 'time of stacks'
has table '^slower  *+100.0 .* main > init (a.c:1)$'
says 0 --csv "$dir/new.brst" --base "$dir/base.brst"
has text '^# self_changes: '
has text '^slower,200,13.*,parse,p.c:12,p.c,12$'
says 0 --json "$dir/new.brst" --base "$dir/base.brst"
$RUN "$dir/check_json" <"$dir/text" >/dev/null; ok $? "JSON of a comparison"
# The tree of the page's difference has the verdicts of the table of stacks, one for each node.
[ "$(sed -n 's/^"way":\[\([^]]*\)\].*/\1/p' "$dir/text")" = 0,0,1,0,-1,1,0,1 ] &&
    [ "$(sed -n 's/^"name":\[\(.*\)\],/\1/p' "$dir/text")" = 0,2,0,1,3,7,8,6 ]
ok $? "ways: $(grep -A 30 '^"trees"' "$dir/text")"
tr -d '\n' <"$dir/text" >"$dir/line"
has line '"key":"self_changes".*"verdict":\["slower","slower","gone","appeared","unsure",'
has line '"headline":"The whole: +310 ms'

# ---- the same dump twice: nothing changed, and that is not the same as "cannot tell" in exact counts
says 0 "$dir/base.brst" --base "$dir/base.brst"
hasnt text 'No other change is sure\.' '^slower'; hasnt text 'No other change is sure\.' '^faster'
says 3 "$dir/base.brst" --base "$dir/new.brst" --fail-if 'parse>-50%' # the other way round: faster
has text '^faster .*parse'; has text '^gone .*fresh'

# ---- --fail-if: fails, passes, cannot tell; its own exit status
conditions="--base $dir/base.brst $dir/new.brst"
says 3 $conditions --fail-if 'parse>+5%'
has stderr "--fail-if 'parse>+5%' FAILS: parse: 500 to 700 ms, +40.0 %, a change of +200 ms (95 % interval +131 to +270)"
has text '^parse>+5%  *fails '
says 0 $conditions --fail-if 'scan > 5 %'
has stderr "--fail-if 'scan > 5 %' is undecided: .*cannot decide"
has text '^scan > 5 %  *undecided '
says 0 $conditions --fail-if 'self:main>0.5s' --fail-if 'parse>+90%'
[ ! -s "$dir/stderr" ]; ok $? "passed in silence: $(cat "$dir/stderr")"
has text '^self:main>0.5s  *passes '
says 3 $conditions --fail-if 'total>+5%'; has text '^total>+5%  *fails .* (all)$'
says 3 $conditions --fail-if 'init>+20%'            # one of the two is enough, and is told apart
has text '^init>+20%  *fails .* init (a.c:1)$'; has text '^init>+20%  *undecided .* init (b.c:1)$'
says 3 $conditions --fail-if 'fresh>+10%'; has stderr 'FAILS: fresh: 0 to 60 ms, a change'
says 0 $conditions --fail-if 'old>+10%'; says 3 $conditions --fail-if 'time:*>+100ms'
says 0 $conditions --by share --fail-if 'parse>+90pp'; says 3 $conditions --by share --fail-if 'init>+2pp'
says 3 $conditions --json --fail-if 'parse>+5%'
$RUN "$dir/check_json" <"$dir/text" >/dev/null; ok $? "JSON of conditions"
has text '"answer":\["fails"\]'
printf '' >"$dir/out"
says 3 $conditions --csv -o "$dir/out" --fail-if 'parse>+5%'
grep -q '^# conditions: ' "$dir/out"; ok $? "a condition that holds keeps no file from being written"
says 0 $conditions --fail-if 'self:*>+1000%'
[ "$(grep -c 'is undecided' "$dir/stderr")" -le 1 ]; ok $? "$(cat "$dir/stderr")"
seq 20 | awk '{ print "ticks f" $1 "@x.c:" $1 " 3" }' | run few
says 0 --base "$dir/few.brst" "$dir/few.brst" --fail-if '*>+5%'
[ "$(wc -l <"$dir/stderr")" = 6 ]; ok $? "$(cat "$dir/stderr")"
has stderr "--fail-if '\*>+5%' is undecided for 15 more functions"
for words in 'parse' 'parse>' '>5%' 'parse>5kg' 'parse>five' 'parse>0x5%' 'parse>inf%' 'parse>-200%' \
    'self:>5%' 'parse>1e3%'; do
    refused "it has the form '\[self:" $conditions --fail-if "$words"
done
refused "no function of that name has time" $conditions --fail-if 'pars>+5%'
refused 'not every run has counted calls' $conditions --fail-if 'calls:parse>+5%'
refused 'this is measured in ms' $conditions --fail-if 'parse>+5pp'
refused 'percentage points' $conditions --by share --fail-if 'parse>+5ms'
refused 'always 100 %' $conditions --by share --fail-if 'total>+5%'
refused 'which is missing' "$dir/new.brst" --fail-if 'parse>+5%'
run names <<'END'
ticks operator>@c.cc:1 100|ticks self::run@c.cc:2 100|ticks vector<int>::at@c.cc:3 100
END
names="--base $dir/names.brst $dir/names.brst"
for words in 'operator>>+50%' 'self::run>+50%' 'vector<int>::at > +50%' 'self:self::run>+50%'; do
    says 0 $names --fail-if "$words"; has text ' passes '
done

# ---- several runs a side. They differ by half, so what two runs would call sure is not
for i in 1 2 3; do
    echo "ticks main@m.c:1 $((400 * i))|ticks main@m.c:1;parse@p.c:1 100" | run "b$i"
    echo "ticks main@m.c:1 $((500 * i))|ticks main@m.c:1;parse@p.c:1 $((200 + i))" | run "n$i"
done
says 0 "$dir/n3.brst" --base "$dir/b3.brst"; table 'time of functions themselves'
has table '^slower .* main'
says 3 "$dir/n1.brst" "$dir/n2.brst" --base "$dir/b1.brst" --base "$dir/b2.brst" "$dir/n3.brst" \
    --base="$dir/b3.brst" --fail-if 'self:main>+1%' --fail-if 'parse>+50%'
has stderr "'self:main>+1%' is undecided"; has stderr "'parse>+50%' FAILS: parse: 100 to 202 ms"
has text '^base: 3 runs: '; has text '^new: 3 runs: '
tr '\n' ' ' <"$dir/text" >"$dir/line"; has line 'how much runs of a side differ (Welch)'
table 'time of functions themselves'; has table '^unsure .* main'
says 0 "$dir/n1.brst" "$dir/n2.brst" --base "$dir/b1.brst"

# ---- files that moved to other folders, and functions that nobody can match
echo 'ticks f@/old/src/a.c:3 100|ticks g@x.c:1 50|ticks g@y.c:1 50|ticks h@a.c:1 9|ticks h@a.c:5 80' | run from
echo 'ticks f@/new/src/a.c:7 100|ticks g@z.c:1 100|ticks h@a.c:2 9|ticks h@a.c:9 80' | run to
says 0 "$dir/to.brst" --base "$dir/from.brst"; table 'time of functions themselves'
has table '^unsure  *+0.00 .* f  *a.c:7$'
has table '^gone .* g (x.c:1)'; has table '^gone .* g (y.c:1)'; has table '^appeared .* g (z.c:1)'
has table '^unsure  *+0.00 .* h (a.c:2)'; has table '^unsure  *+0.00 .* h (a.c:9)'

# ---- calls: exact ones differ by one, sampled ones by their interval
echo 'exact|calls parse@p.c:1 1000|calls scan@s.c:1 50' | run exact1
echo 'exact|calls parse@p.c:1 1001|calls scan@s.c:1 50|calls late@s.c:9 1' | run exact2
says 3 "$dir/exact2.brst" --base "$dir/exact1.brst" --fail-if 'calls:parse>0' --fail-if 'calls:parse>1'
has text '^more  *+1.0  *+1.0  *+1.0 .* parse'; has text '^same .* scan'; has text '^appeared .* late'
has text '^calls:parse>0  *fails'; has text '^calls:parse>1  *passes'
echo 'calls parse@p.c:1 10000|calls scan@s.c:1 5000' | run sampled1
echo 'calls parse@p.c:1 20000|calls scan@s.c:1 5100' | run sampled2
says 3 "$dir/sampled2.brst" --base "$dir/sampled1.brst" --fail-if 'calls:*>+20%'
has text '^more .* parse'; has text '^unsure .* scan'; has stderr 'scan: .* is undecided\|is undecided: scan'
refused 'not every run has ticks' "$dir/sampled2.brst" --base "$dir/sampled1.brst" --fail-if 'parse>0%'
says 0 "$dir/tree2.brst" --base "$dir/tree.brst"
has text '^what changed: calls of contexts'; has text ' main > update > collide$'
hasnt text '^what changed: calls of contexts' '^more'; hasnt text '^what changed: calls of contexts' '^gone'
says 0 --min 0 "$dir/tree-bursts.brst" --base "$dir/tree-bursts.brst"; has text '^unknown .* rare$'

# ---- what cannot be compared: one clear line, or nothing is called sure
refused 'nothing in it can be compared with .*(they have: footprint.*; sampled' "$dir/new.brst" \
    --base "$dir/footprint.brst"
refused 'a comparison has no form --collapsed' --collapsed "$dir/new.brst" --base "$dir/base.brst"
refused 'with --base, time or share is wanted' --by calls "$dir/new.brst" --base "$dir/base.brst"
refused 'changes nothing with --base' --unique-cause "$dir/new.brst" --base "$dir/base.brst"
refused 'no dump has ticks' --by share "$dir/exact2.brst" --base "$dir/exact1.brst"
refused 'No such file' "$dir/new.brst" --base "$dir/none.brst"
refused 'no input' --base "$dir/base.brst"
echo 'tick 0|ticks main@m.c:1 100' | run hand
refused 'its ticks know no time' "$dir/new.brst" --base "$dir/hand.brst"
says 0 --by share "$dir/new.brst" --base "$dir/hand.brst"
says 0 "$dir/hand.brst" --base "$dir/hand.brst"; has text '^In ticks'
: >"$dir/empty.brst"
refused 'empty.brst: offset 0' "$dir/new.brst" --base "$dir/empty.brst"
head -c 60 "$dir/base.brst" >"$dir/cut.brst"
refused 'cut.brst: offset' "$dir/new.brst" --base "$dir/cut.brst"
refused 'newer.brst: offset' "$dir/new.brst" --base "$dir/newer.brst"
cp "$dir/base.brst" "$dir/target.brst"
refused 'target.brst' --csv -o "$dir/target.brst" "$dir/new.brst" --base "$dir/target.brst"
cmp -s "$dir/base.brst" "$dir/target.brst"; ok $? "an input was overwritten"
echo 'tick 1000|cpu 9000000|ticks main@m.c:1 1000' | run lossy   # eight of nine seconds had no tick
says 0 "$dir/new.brst" --base "$dir/lossy.brst" --fail-if 'main>+5%'
has text 'MISSING: base run .*lossy.brst'; has stderr 'undecided: main: no interval is known'
hasnt text '^unknown .* main' '^slower'; hasnt text '^unknown .* main' '^faster'
echo 'ticks main@m.c:1 18446744073709551615' | run full
says 0 "$dir/new.brst" --base "$dir/full.brst"; hasnt text ' main' 'nan'; hasnt text ' main' 'inf'
has text 'MISSING: base run .*full.brst: a count is full'; has text '^unknown .* main'
printf 'ticks <b>;a,b 100|ticks \342\200\256evil 40|ticks \033[31mred 30\n' | run hostile
for form in text json csv; do
    says 0 --$form "$dir/hostile.brst" --base "$dir/base.brst"
    tr -d '\n' <"$dir/text" >"$dir/line"
    LC_ALL=C lacks "$dir/line" evil '[[:cntrl:]]' && lacks "$dir/line" evil "$(printf '\342\200\256')"
    ok $? "--$form: control characters or marks of direction"
done

finish
