#!/bin/sh
# test_report_files.sh - what bursty report writes for other tools: pprof, speedscope, callgrind,
# collapsed stacks and the table of sums have the same stacks and the same numbers. Small readers of
# our own are used here; tests/readers.sh asks the real ones, in `make matrix`.
BUILD=${BUILD:-build} CC=${CC:-cc}
dir=$BUILD/tests/report_files
. tests/check.sh
rm -rf "$dir"
mkdir -p "$dir"
for program in make_runs make_dumps make_hostile check_json read_pprof read_speedscope; do
    $CC -O1 -std=c99 -Itests -o "$dir/$program" tests/$program.c || echo "$program failed"
done
$RUN "$dir/make_dumps" "$dir" || echo "make_dumps failed"
$RUN "$dir/make_hostile" "$dir" 20000 >/dev/null || echo "make_hostile failed"

bursty() { $RUN "$BUILD/bursty" "$@"; }
run()  { tr '|' '\n' | $RUN "$dir/make_runs" "$dir/$1.brst" || echo "make_runs $1 failed"; } # NAME
add_up() { awk '{ n = $NF; sub(/ [0-9]+$/, ""); sum[$0] += n } END { for (s in sum) print s, sum[s] }' | LC_ALL=C sort; }
same() { # WHAT FILE FILE
    [ -s "$dir/$2" ] && cmp -s "$dir/$2" "$dir/$3"
    ok $? "$1: $(diff "$dir/$2" "$dir/$3" | head -n 4)"
}

# ---- the same stacks everywhere, in ticks and in calls
cat <<'END' | run small
tick 2000|ticks main@m.c:1 200|ticks main@m.c:1;parse@p.c:10 500|ticks main@m.c:1;parse@p.c:10;parse@p.c:10 70
ticks main@m.c:1;init@a.c:1 50|ticks main@m.c:1;init@b.c:1 20|ticks main@m.c:1;parse@p.c:10;scan@s.c:7;parse@p.c:10 9
END
printf 'tick 0|ticks a;b 3\nticks <script>;x,y"z 4\nticks \342\200\256evil 5\nticks \033[31mred;=cmd 6\nticks (deep) 7\n' | run odd
cp "$dir/small.brst" "$dir/both.brst"
cat "$dir/tree.brst" >>"$dir/both.brst"
shown=0
for dump in small odd mutual recorded timed same_name mangled-ticks tree tree-bursts paths middle both scaled-chain; do
    for unit in ticks calls; do
        bursty report --collapsed --by $unit "$dir/$dump.brst" >"$dir/raw" 2>"$dir/stderr" || continue
        shown=$((shown + 1))
        add_up <"$dir/raw" >"$dir/stacks"
        case $unit in ticks) type=samples ;; calls) type=calls ;; esac
        bursty report --pprof "$dir/pprof" "$dir/$dump.brst"
        ok $? "--pprof $dump"
        bursty report --pprof -o "$dir/behind" "$dir/$dump.brst" && cmp -s "$dir/pprof" "$dir/behind"
        ok $? "--pprof -o $dump"
        "$dir/read_pprof" "$dir/pprof" $type >"$dir/raw" 2>"$dir/stderr"
        ok $? "--pprof $dump: $(cat "$dir/stderr")"
        tr ';' ';' <"$dir/raw" | add_up >"$dir/of_pprof"
        sed 's/;/:/g' "$dir/stacks" | LC_ALL=C sort >"$dir/plain"
        sed 's/;/:/g' "$dir/of_pprof" | LC_ALL=C sort >"$dir/of_pprof.plain"
        same "--pprof $dump in $unit" plain of_pprof.plain
        bursty report --speedscope "$dir/$dump.brst" >"$dir/speedscope"
        ok $? "--speedscope $dump"
        "$dir/check_json" <"$dir/speedscope" >"$dir/stderr" 2>&1
        ok $? "--speedscope $dump is no JSON: $(cat "$dir/stderr")"
        number=$(grep -o '"type":"sampled","name":"[^"]*"' "$dir/speedscope" |
            awk -v unit=$unit -F '"' '$8 == unit || ($8 == "CPU time" && unit == "ticks") { print NR - 1; exit }')
        case $dump-$unit in
        small-ticks | both-ticks) scale=.5 ;;
        odd-*) scale=1 ;;
        *-ticks) scale=$(bursty report --sums "$dir/$dump.brst" |
            awk -F , '$2 == "self_time" && $7 > 0 { print $7 / $8; exit }') ;;
        *) scale=1 ;;
        esac
        "$dir/read_speedscope" "$dir/speedscope" "$number" "$scale" >"$dir/raw" 2>"$dir/stderr"
        ok $? "--speedscope $dump in $unit: $(cat "$dir/stderr")"
        add_up <"$dir/raw" | sed 's/;/:/g' | LC_ALL=C sort >"$dir/of_speedscope"
        same "--speedscope $dump in $unit" plain of_speedscope
        bursty report --callgrind --by $unit "$dir/$dump.brst" >"$dir/callgrind" 2>"$dir/stderr"
        ok $? "--callgrind $dump: $(cat "$dir/stderr")"
        awk -f tests/read_callgrind.awk "$dir/callgrind" >"$dir/graph"
        ok $? "--callgrind $dump: $(cat "$dir/graph")"
        [ "$(awk '{ n += $NF } END { print n + 0 }' "$dir/stacks")" = "$(sed -n 's/^totals: //p' "$dir/callgrind")" ]
        ok $? "--callgrind $dump in $unit: $(grep totals "$dir/callgrind")"
    done
done
[ $shown = 15 ] # those that have such stacks
ok $? "$shown dumps and units are shown"

# ---- counts that are scaled up: in every form the contexts add up to the total, 3.5 times 600, and
# those below `deep` to what the table of functions has. Each is 3 or 4 for a call, and no less.
sum_of() { awk '{ n += $NF } END { print n + 0 }'; }
chain=$dir/scaled-chain.brst
for form in collapsed csv json pprof speedscope callgrind; do
    case $form in
    pprof) bursty report --pprof "$dir/pprof" "$chain" ;;
    csv) bursty report --csv --min 0 "$chain" >"$dir/csv" ;;
    *) bursty report --$form "$chain" >"$dir/$form" ;;
    esac
    case $form in
    collapsed) sum_of <"$dir/collapsed" ;;
    csv) awk -F , '/recorded_least/ { on = 1; next } !NF { on = 0 } on { print $4 }' "$dir/csv" | sum_of ;;
    json) tr -d ' \n' <"$dir/json" | grep -o '"lower":\[[0-9,]*' | tr -c '0-9' '\n' | sum_of ;;
    pprof) "$dir/read_pprof" "$dir/pprof" calls | sum_of ;;
    speedscope) "$dir/read_speedscope" "$dir/speedscope" 0 1 | sum_of ;;
    callgrind) sed -n 's/^totals: //p' "$dir/callgrind" ;;
    esac >"$dir/sum"
    [ "$(cat "$dir/sum")" = 2100 ]
    ok $? "--$form: the sum of 2100 calls is $(cat "$dir/sum")"
done
[ "$(grep -c ' [34]$' "$dir/collapsed")" = 300 ] && [ "$(grep -c '^leaf 1050$' "$dir/collapsed")" = 1 ]
ok $? "each call stands for 3 or 4: $(grep -v ' [34]$' "$dir/collapsed" | grep -o ' [0-9]*$' | tr '\n' ' ')"

# ---- callers and callees of contexts: those of the stacks, added up
$RUN "$dir/make_dumps" "$dir" bushy 20000 || echo "make_dumps failed"
for dump in tree bushy; do
    bursty report --collapsed --by calls "$dir/$dump.brst" | awk '{
        n = $NF
        sub(/ [0-9]+$/, "")
        k = split($0, frame, ";")
        sum[(k > 1 ? frame[k - 1] : "(none)") "," frame[k]] += n
    } END { for (pair in sum) if (sum[pair]) print sum[pair] "," pair }' | tr -d '"' | LC_ALL=C sort >"$dir/wanted"
    bursty report --csv --only context_pairs --min 0 "$dir/$dump.brst" |
        sed -e '/^#/d' -e '/^share/d' -e 's/^[^,]*,//' -e 's/draw;list/draw:list/g' |
        tr -d '"' | LC_ALL=C sort >"$dir/pairs"
    same "pairs of $dump" wanted pairs
done

# ---- by hand: recursion counts once, functions of one name are two, ticks have their time
bursty report --callgrind "$dir/small.brst" | awk -f tests/read_callgrind.awk | LC_ALL=C sort >"$dir/graph"
cat >"$dir/wanted" <<'END'
a.c:init (a.c:1) 50 50
b.c:init (b.c:1) 20 20
m.c:main 200 849
m.c:main > a.c:init (a.c:1) 1 50
m.c:main > b.c:init (b.c:1) 1 20
m.c:main > p.c:parse 1 579
p.c:parse 579 588
p.c:parse > p.c:parse 1 70
p.c:parse > s.c:scan 1 9
s.c:scan 0 9
s.c:scan > p.c:parse 1 9
END
same "--callgrind by hand" wanted graph
bursty report --pprof "$dir/pprof" "$dir/small.brst"
[ "$("$dir/read_pprof" "$dir/pprof" cpu main | grep 'main;init (b.c:1)')" = 'main;init (b.c:1) 40000000' ]
ok $? "--pprof: $("$dir/read_pprof" "$dir/pprof" cpu main)"
bursty report --pprof "$dir/pprof" "$dir/tree.brst"
[ "$("$dir/read_pprof" "$dir/pprof" calls_at_most | awk '{ n += $NF } END { print n }')" = 99900 ] ||
    [ "$("$dir/read_pprof" "$dir/pprof" calls_at_most | awk '{ n += $NF } END { print n }')" -gt \
      "$("$dir/read_pprof" "$dir/pprof" calls | awk '{ n += $NF } END { print n }')" ]
ok $? "--pprof: upper bounds"
bursty report --pprof "$dir/pprof" "$dir/recorded.brst"
[ "$("$dir/read_pprof" "$dir/pprof" samples 'thread 1 (ended)')" = 'leaf 600' ]
ok $? "--pprof: threads: $("$dir/read_pprof" "$dir/pprof" samples 'thread 1 (ended)')"
bursty report --speedscope "$dir/recorded.brst" >"$dir/speedscope"
[ "$(grep -c '"type":"sampled"' "$dir/speedscope")" = 3 ] &&
    grep -q '"name":"thread 1 (ended)"' "$dir/speedscope"
ok $? "--speedscope: a profile for each thread"

# ---- sums: rows add up over files, in any spreadsheet
bursty report --sums "$dir/small.brst" >"$dir/sums"
grep -qx 'run,self_time,ms,parse,p.c,10,579,1158,2316,0,579' "$dir/sums" &&
    grep -qx 'run,total_time,ms,parse,p.c,10,579,1158,2316,0,579' "$dir/sums" &&
    grep -qx 'run,total_time,ms,main,m.c,1,849,1698,3396,0,849' "$dir/sums"
ok $? "--sums: $(cat "$dir/sums")"
{ bursty report --sums "$dir/small.brst"; bursty report --sums "$dir/small.brst"; } |
    awk -F , '$2 == "self_time" { n[$4 $5] += $8 } END { for (f in n) print f, n[f] }' | sort >"$dir/once"
bursty report --sums "$dir/small.brst" "$dir/small.brst" |
    awk -F , '$2 == "self_time" { n[$4 $5] += $8 } END { for (f in n) print f, n[f] }' | sort >"$dir/merged"
same "--sums adds up as files do" once merged
echo 'exact|calls f@a.c:1 1000' | run exact
bursty report --sums "$dir/exact.brst" | grep -qx 'run,calls,calls,f,a.c,1,0,1000,0,0,1000'; ok $? "--sums, exact"
echo 'calls =f@a.c:1 1000' | run formula
bursty report --sums "$dir/formula.brst" | grep -qx "run,calls,calls,'=f,a.c,1,10,1000,100000,100000,10"
ok $? "--sums, a formula: $(bursty report --sums "$dir/formula.brst")"

# ---- nothing is cut, nothing is empty with status 0, and nothing obeys a name
bursty report --collapsed "$dir/deep_tree.brst" >"$dir/stdout" 2>"$dir/stderr"
[ $? = 2 ] && [ ! -s "$dir/stdout" ] &&
    grep -q -- '--collapsed: the stacks would take 25.. MB; --whole-stacks writes them all the same$' "$dir/stderr"
ok $? "--collapsed of a deep tree: $(cat "$dir/stderr")"
bursty report --callgrind "$dir/deep_tree.brst" >"$dir/callgrind"
awk -f tests/read_callgrind.awk "$dir/callgrind" >/dev/null; ok $? "--callgrind of a deep tree"
bursty report --collapsed "$dir/chains.brst" >"$dir/stdout"
[ "$(awk -F ';' 'NF > n { n = NF } END { print n }' "$dir/stdout")" = 84 ]; ok $? "stacks of 84 frames are cut"
for dump in footprint coverage no-tick; do
    for form in collapsed "pprof $dir/out" speedscope callgrind sums dot order svg lcov cobertura; do
        rm -f "$dir/out"
        bursty report --$form "$dir/$dump.brst" >"$dir/stdout" 2>"$dir/stderr"
        status=$?
        size=$(cat "$dir/stdout" "$dir/out" 2>/dev/null | wc -c)
        { [ $status = 0 ] && [ "$size" -gt 20 ]; } || { [ $status = 2 ] && [ "$size" = 0 ] &&
            [ "$(wc -l <"$dir/stderr")" = 1 ]; }
        ok $? "--$form $dump: status $status, $size bytes: $(cat "$dir/stderr")"
    done
done
for form in collapsed speedscope callgrind sums; do
    bursty report --$form "$dir/odd.brst" >"$dir/stdout"
    tr -d '\n' <"$dir/stdout" >"$dir/line"
    LC_ALL=C lacks "$dir/line" evil '[[:cntrl:]]' && lacks "$dir/line" evil "$(printf '\342\200\256')"
    ok $? "--$form: control characters or marks of direction"
done
bursty report --pprof "$dir/pprof" "$dir/odd.brst"
"$dir/read_pprof" "$dir/pprof" samples >"$dir/stdout"
grep -q 'u202eevil 5' "$dir/stdout" && grep -q 'x1b\[31mred;=cmd 6' "$dir/stdout"
ok $? "--pprof: $(cat "$dir/stdout")"
echo 'tick 1000|ticks f@a.c:1 18446744073709551615' | run full
bursty report --pprof "$dir/pprof" "$dir/full.brst"
[ "$("$dir/read_pprof" "$dir/pprof" samples)" = 'f 9223372036854775807' ]; ok $? "--pprof: a full count"
bursty report --pprof "$dir/small.brst" 2>"$dir/stderr"; [ $? = 2 ]; ok $? "--pprof without OUT"

finish
