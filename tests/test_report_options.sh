#!/bin/sh
# test_report_options.sh - bursty report: options that change nothing in a form are refused, each
# option changes what it says in the forms that take it, and what tables leave out is said.
BUILD=${BUILD:-build} CC=${CC:-cc}
dir=$BUILD/tests/report_options
. tests/check.sh
unset COLUMNS NO_COLOR
rm -rf "$dir"
mkdir -p "$dir"
$CC -O1 -std=c99 -Itests -o "$dir/make_dumps" tests/make_dumps.c &&
    $RUN "$dir/make_dumps" "$dir" || echo "make_dumps failed"

bursty() { $RUN "$BUILD/bursty" "$@"; }
has()    { grep -q -- "$2" "$dir/$1"; ok $? "$1 has no $2"; }
hasnt() { lacks "$dir/$1" "$2" "$3"; ok $? "$1 has $3, or no $2"; }
report() { # FILE ARGUMENTS...: the report goes to the file
    out=$1
    shift
    bursty report "$@" >"$dir/$out" 2>"$dir/stderr"
    ok $? "report $*: $(cat "$dir/stderr")"
}
nothing() { # OPTION FORM FORMS DUMP: refused, because only those forms use the option
    refused "${1%% *} changes nothing in --${2%% *}; it is for $3" report --$2 $1 "$dir/$4.brst"
}
refused() { # MESSAGE ARGUMENTS...: status 2, that one line, and nothing written
    wanted=$1; shift
    bursty "$@" >"$dir/stdout" 2>"$dir/stderr"
    [ $? = 2 ] && [ "$(cat "$dir/stderr")" = "bursty: $wanted" ] && [ ! -s "$dir/stdout" ] &&
        [ ! -e "$dir/out" ]
    ok $? "$* says: $(cat "$dir/stderr")"
}

# ---- all forms of a report have the same numbers: the upper bound of the hottest function
report text "$dir/game.brst"
report json --json "$dir/game.brst"
report csv --csv "$dir/game.brst"
high=$(awk '/% .*collide_pair/ && /narrow/ { print $7; exit }' "$dir/text")
[ "$high" ] && grep -q "\"estimated_high\":$high\." "$dir/json"
ok $? "the JSON has not the $high of the text"
awk -F , -v high="$high" '/collide_pair/ { exit int($8 + .5) != high }' "$dir/csv"
ok $? "the CSV has not the $high of the text"

# ---- what is written where: names with control characters, narrow terminals
report csv --csv "$dir/hostile.brst"
tr -d '\n' <"$dir/csv" | LC_ALL=C grep -q '[[:cntrl:]]'
[ $? = 1 ]
ok $? "a control character in CSV"
has csv ',line.x0aend.*tab,'
width() { # COLUMNS: the longest line of prose is as wide as that
    COLUMNS=$1 bursty report "$dir/paths.brst" >"$dir/text"
    ok $? "COLUMNS=$1"
    awk '/^Shares are/ { on = 1 } / share / { on = 0 } on && length($0) > n { n = length($0) }
         END { print n }' "$dir/text"
}
for columns in 1 19 20; do
    [ "$(width $columns)" -le 20 ]
    ok $? "COLUMNS=$columns: $(width $columns)"
done
for columns in 0 -5 words 30x 99999999999999999999 ''; do
    [ "$(width "$columns")" -gt 80 ]
    ok $? "COLUMNS=$columns: $(width "$columns")"
done
COLUMNS=22 bursty report "$dir/game.brst" >"$dir/text"
has text '9 300 000'                                # a number stays in one line

# ---- a folder in the place of a file, another file in the place of a trace
refused "$dir: offset 0: Is a directory" report "$dir"
refused "$dir: offset 0: Is a directory" merge -o "$dir/out" "$dir"
for dump in newer game; do
    wanted="is a .brst file, not a block trace; \`bursty report\` reads it"
    $RUN "$BUILD/bursty-lab" footprint "$dir/$dump.brst" >"$dir/stdout" 2>"$dir/stderr"
    [ $? = 2 ] && [ ! -s "$dir/stdout" ] &&
        [ "$(cat "$dir/stderr")" = "bursty-lab: $dir/$dump.brst: offset 0: $wanted" ]
    ok $? "bursty-lab footprint of $dump.brst: $(cat "$dir/stderr")"
done

# ---- options that change nothing
for form in text csv json "html $dir/out" dot order svg lcov cobertura; do
    nothing '--by calls' "$form" '--callgrind, --collapsed' timed
done
refused '--by changes nothing in --text; it is for --callgrind, --collapsed' report --by ticks "$dir/timed.brst"
for form in csv collapsed dot order lcov cobertura; do
    nothing '--title x' $form '--brief, --callgrind, --firefox, --html, --json, --perfetto, --speedscope, --svg, --text, --timeline' game
done
for form in csv collapsed dot order svg lcov cobertura; do
    nothing '--note a=b' $form '--html, --json, --text' game
done
for form in order svg lcov cobertura; do
    nothing '--min 1' $form '--collapsed, --csv, --dot, --html, --json, --layout, --text' game
    nothing --no-demangle $form \
        '--brief, --callgrind, --collapsed, --csv, --dot, --firefox, --html, --json, --layout, --perfetto, --pprof, --speedscope, --sums, --text, --timeline' game
done
for form in json collapsed dot order svg lcov cobertura; do
    nothing '--sort share' $form '--csv, --html, --text' game
done
for form in collapsed dot order svg; do
    nothing --unique-cause $form '--cobertura, --csv, --html, --json, --lcov, --text' game
done
refused "--unique-cause: $dir/coverage.brst has no decisions for MC/DC" \
    report --unique-cause "$dir/coverage.brst"

# ---- each form that takes an option shows its effect; without the option it does not
report csv --csv "$dir/game.brst";          report csv-min --csv --min 25 "$dir/game.brst"
has csv ,net_poll,;                         hasnt csv-min ,collide_pair, ,net_poll,
report dot --dot "$dir/game.brst";          report dot-min --dot --min 25 "$dir/game.brst"
has dot ai_think;                           hasnt dot-min collide_pair ai_think
report csv-sort --csv --sort function "$dir/game.brst"
[ "$(sed -n 3p "$dir/csv-sort" | cut -d , -f 10)" = ai_think ]
ok $? "--csv --sort: $(sed -n 3p "$dir/csv-sort")"
report html --html "$dir/page.html" "$dir/game.brst"
report html --html "$dir/sorted.html" --sort function "$dir/game.brst"
first() { sed -n '/<tbody>/{n;p;q;}' "$dir/$1"; }
case $(first sorted.html) in *ai_think*) ok 0 ;; *) ok 1 "--html --sort: $(first sorted.html)" ;
esac
case $(first page.html) in *ai_think*) ok 1 "--html without --sort" ;; *) ok 0 ;; esac
report svg --svg --title 'A <b> title' "$dir/footprint.brst"
has svg '<title>A &lt;b&gt; title</title>'
report json --json --title 'A "title"' "$dir/game.brst";      has json '"title":"A \\"title\\""'
report json --json --note a=b "$dir/game.brst";               has json '{"name":"a","value":"b"}'
report text --note 'who=me and you' "$dir/game.brst";         has text '^who: me and you$'
for form in csv json dot; do
    report raw --$form --no-demangle "$dir/mangled.brst";     has raw _ZN4game5stateIiE4stepEf
done
report raw --collapsed --no-demangle "$dir/mangled.brst"
has raw '^main;_ZN4game5stateIiE4stepEf 100$'
report raw --html "$dir/raw.html" --no-demangle "$dir/mangled.brst"
has raw.html _ZN4game5stateIiE4stepEf
# A linker wants its own names.
report order --order "$dir/mangled-ticks.brst"
[ "$(sort "$dir/order" | tr '\n' ' ')" = '_ZN4game5stateIiE4stepEf main ' ]
ok $? "--order: $(cat "$dir/order")"

# ---- what a profile's events are for
report text "$dir/paths.brst"
has text '^ *0  *1.00%  .*  functions   in bursts$'
has text '^ *3  *1.00%  .*  own-events  in bursts$'
has text '^ *7  *1.00%  .*  contexts    in bursts$'
tr '\n' ' ' <"$dir/text" >"$dir/line"; has line "records says what a profile's events are for"
report json --json "$dir/paths.brst"
has json '"number":7,.*"records":"contexts"}'
has json '"number":3,.*"records":"own-events"}'
report text "$dir/two-profiles.brst"
has text '^ *7  .*  own-events  in bursts$'
report text "$dir/game.brst";                                 hasnt text ' collide_pair ' records

# ---- the recorder counts a function under one site and times it under another one
report text "$dir/recorded.brst"
has text '^1  *90.00%  .*  90.00%  .*  900  leaf$'
hasnt text ' leaf$' '^-.*leaf'; hasnt text ' leaf$' not-timed; hasnt text ' leaf$' ' 0.00%.*idle$'
has text '^(1 colder left out; --min 0 shows all)$'
report text --min 0 "$dir/recorded.brst";                     has text '^3  *0.00%  .*  0  idle$'
report text "$dir/timed.brst";                                has text '^-  *not-timed .* hash'

# ---- looks that came late meet where the program gave a processor up: from one in twenty
# on no share has an interval, in no form. se of a half of 1000 is 1.58 %.
report text "$dir/few-late.brst"
has text '^1=  *50.00%  *46.84%  *53.16%  .* half$'; hasnt text ' half$' 'came late'
report text "$dir/many-late.brst"
has text '^MISSING: ticks of looks that came late: 51, 5.1 % of all.'
hasnt text '50.00% .* half$' '46.8'
report csv --csv "$dir/many-late.brst"; hasnt csv ",half" "0\\.468"
report json --json "$dir/few-late.brst"; has json '"share_low":.0.468'
report json --json "$dir/many-late.brst"; hasnt json '"half"' '_low":.0'
has json 'They have no interval, for this reason, said above: ticks of looks that came late\.'
report json --json "$dir/lost_time.brst" "$dir/lost_threads.brst"
has json 'for this reason, said above: threads without a record\.'   # of how many nobody knows
report text --base "$dir/many-late.brst" "$dir/few-late.brst"; has text '^unknown .* half$'

# ---- the part of the time that recording took
bursty report "$dir/mangled-ticks.brst" | tr '\n' ' ' >"$dir/line"
has line 'recording of events 100 % of the time (91 to 100 %)'
bursty report "$dir/recorded.brst" | tr '\n' ' ' >"$dir/line"
has line 'recording of events 2.5 % of the time (1.7 to 3.7 %)'

# ---- threads have the same name in all tables, and a program where there are several
report text "$dir/recorded.brst"
has text '^60.00%  .*  600  thread 1 (ended)$'
report text "$dir/recorded.brst" "$dir/mutual.brst"
has text '  600  thread 1 (ended)  *recorded$'
has text ' 1400  worker  *mutual$'

# ---- contexts: --min, and how many are not shown
report text "$dir/chains.brst"
has text '^(1199 colder left out; --min 0 shows all)$'
report text --min 0 "$dir/chains.brst"
hasnt text '^(1170 more; --top 0 shows all)$' 'left out'
report csv --csv "$dir/chains.brst"
[ "$(sed -n '/^# contexts:/,$p' "$dir/csv" | wc -l)" = 1202 ]; ok $? "--csv has all contexts"
has csv '^0.000831255195,10,10,[^ ]* > [^ ]* > (76 more) > '
report text "$dir/tree-bursts.brst"
has text '^ *0.97% .* 9700  main$'; hasnt text ' main$' ' rare$'
has text '^(1 colder left out; --min 0 shows all)$'
report text --min 10 "$dir/tree-bursts.brst"
hasnt text '^(2 colder left out' '^ *0.97% .* 9700  main$'
has text '^(2 colder left out; --min 0 shows all)$'
report text --min 0 "$dir/tree-bursts.brst"
hasnt text '^ *0.03% .* rare$' 'left out'

# ---- sums of contexts: what several contexts have together is seen in groups of bursts. f's calls
# make up for one another (2 of 7, and a burst differs in the others alone: 36 calls of 1400, so 7 degrees
# of freedom give +- .31 % in the mean), g's come together (1 of 7, 108 calls of 1400: +- .92 %). Of 20
# seeds 17 or more hold each. Without groups errors add up.
: >"$dir/groups"
for i in $(seq 0 39); do
    report csv --csv --min 0 "$dir/grouped$i.brst"
    awk -F, -v old=$((i / 20)) '/^# / { is_in = /^# context_functions/; next }
        is_in && $9 == "f" { print old, "f", $2 <= 2 / 7 && 2 / 7 <= $3, $3 - $2 }
        is_in && $9 == "g" { print old, "g", $2 <= 1 / 7 && 1 / 7 <= $3, $3 - $2 }' "$dir/csv" >>"$dir/groups"
done
awk '{ held[$1 $2] += $3; width[$1 $2] += $4 / 20 } END {
    print width["0f"], width["0g"], width["1f"], width["1g"], held["0f"], held["0g"], NR
    exit !(NR == 80 && held["0f"] >= 17 && held["0g"] >= 17 && held["1f"] >= 17 && held["1g"] >= 17 &&
        width["0f"] < width["1f"] / 2 && width["0g"] < width["1g"])
}' "$dir/groups" >"$dir/widths"
ok $? "widths of f and g with groups, and without; how many hold: $(cat "$dir/widths")"

# The groups of this dump leave over what its bursts do, 36 of 80 bursts of 100 calls. So g
# has 40 % with se^2 = 80 / 79 * 36 * 80 / 8000^2, and Wilson's interval with Student's
# 2.429 of 7 degrees of freedom.
has_error() { # DUMP SE: g has 40 %, and the interval of such an error
    report csv --csv --min 0 "$dir/$1.brst"
    awk -F, -v se="$2" '/^# / { table = $0 } table ~ /context_functions/ && $9 == "g" {
            p = .4; z = 2.429
            n = p * (1 - p) / (se * se); a = 1 + z * z / n
            middle = (p + z * z / (2 * n)) / a; half = z * sqrt(se * se + z * z / (4 * n * n)) / a
            low = ($2 - middle + half) / half; high = ($3 - middle - half) / half
            good = $1 == p && low < .01 && low > -.01 && high < .01 && high > -.01 }
        END { exit !good }' "$dir/csv"
    ok $? "the interval of $1: $(grep ',g$' "$dir/csv" | head -n 1)"
}
has_error known-groups "$(awk 'BEGIN { print sqrt(80 / 79 * 36 * 80) / 8000 }')"

# Groups that are all alike, though one of the four callers differs: what it leaves over, 81 of
# 80 bursts, cannot be made up for by more than the others leave. None of theirs does: each is
# given one burst of 81 like those of all calls, 1.62 of each of 800.
has_error known-one "$(awk 'BEGIN {
    print (sqrt(80 / 79 * 81 * 80) - 3 * sqrt(80 / 79 * 1.62 * 800 / 81)) / 8000 }')"

# ---- a function's calls are those of all its contexts, scaled up once: 300 of a call each,
# 3.5 for each, are 1050 of 2100, and 299 called by itself are 1046. Each context alone is
# told as 3 or 4.
report csv --csv --min 0 "$dir/scaled-chain.brst"
awk -F, '/^# / { table = $0 }
    table ~ /context_functions/ && $9 == "deep" {
        found += $1 == .5 && $2 < .5 && .5 < $3 && $4 == 1050 && $8 == 1050 }
    table ~ /context_pairs/ && $5 == "deep" && $6 == "deep" {
        found += $2 < 299 / 600 && 299 / 600 < $3 && $4 == 1046 }
    END { exit found != 2 }' "$dir/csv"
ok $? "calls of 300 contexts"
hasnt csv '^# context_functions' 'gave their contexts up'

# ---- contexts and functions of the same bursts: the same calls have one interval, in all forms.
# collide: se^2 = 1000 / 999 (21000 - .8 50000 + .16 125000) / 10000^2, so 40 % +- .63 %.
report text --min 0 "$dir/same-bursts.brst"
[ "$(grep -c '39.37%  *40.64% .*  collide' "$dir/text")" = 3 ]
ok $? "the interval of collide in all three tables of functions and pairs"
has text '^40.00%  *39.37%  *40.64%  *400000  *400000  main > update > collide$'
# What the tables of functions and pairs have stands in the tables of contexts for programs alone.
hasnt text '^  total  *from ' '^contexts, by caller and callee'
has text '^  total  *from  *to  calls-total  function$'
has text '^ *99.03%  .*  990300  update$'
hasnt text '^  total  *from ' ' place$'
tr '\n' ' ' <"$dir/text" >"$dir/line"; has line 'These are the calls of the table of functions'
hasnt line 'These are the calls' 'other bursts'
report json --json "$dir/same-bursts.brst"
low=$(sed -n 's/.*"share":0.4,"share_low":\([0-9.]*\),.*/\1/p' "$dir/json" | sed -n 1p)
[ "$low" ] && grep -q "\"share_low\":\[null,0.*,$low," "$dir/json"
ok $? "the tree of JSON has not the $low of the function"
report csv --csv "$dir/same-bursts.brst"
[ "$(grep -c "^0.4,$low,\|^2,0.4,$low," "$dir/csv")" = 5 ]; ok $? "$low in all tables of CSV"
report text "$dir/paths.brst"                       # contexts from bursts of their own
tr '\n' ' ' <"$dir/text" >"$dir/line"; has line 'counts of its own, from other bursts'
has text '^40.00%  *38.59%  *41.43%  *400000  *400000  main > update > collide'

# ---- two rows never look the same: stacks keep the frame in which they differ, twins get numbers
for columns in 30 50 60 100 200; do
    COLUMNS=$columns bursty report "$dir/middle.brst" >"$dir/text"
    sed -n '/^hot calling/,$s/^ *[0-9].*%[^%]*[0-9]  //p' "$dir/text" >"$dir/stacks"
    [ "$(wc -l <"$dir/stacks")" -eq 5 ] && [ "$(sort -u "$dir/stacks" | wc -l)" -eq 5 ]
    ok $? "COLUMNS=$columns: $(cat "$dir/stacks")"
done
has stacks '^frame1 > frame2 > (5 more) > branch22 > (6 more) > frame15 > .* > frame20$'
has stacks '^twin #2$'
has text '25  *(none)  *twin #2$'

# ---- a function of a header is one, in however many libraries; one of its name elsewhere is another
report csv --csv --min 0 "$dir/shared-header.brst"
has csv ',300,[0-9.]*,300,mixed (sh.h:3)$';  has csv ',50,[0-9.]*,50,mixed (other.h:9)$'
has csv ',100,a,mixed (sh.h:3)$';            has csv ',200,b,mixed (sh.h:3)$'
hasnt csv 'mixed (sh.h:3)$' '#2'
report csv --csv --base "$dir/shared-header.brst" "$dir/shared-more.brst"
has csv '^more,30,.*,200,230,.*b > mixed (sh.h:3)';  has csv '^same,0,.*b > a > mixed (sh.h:3)'
hasnt csv 'mixed (sh.h:3)' 'sh.h:4'
COLUMNS=60 bursty report "$dir/middle.brst" >"$dir/text"
has text '  frame1 > (6 more) > branch23 > (11 more) > frame20$'
COLUMNS=60 bursty report "$dir/game.brst" >"$dir/text"
tr -d '\n ' <"$dir/text" >"$dir/line"             # a wide name has several lines, and all of itself
has line '43000std::vector<entity,pool_allocator<entity>>::push_back(constentity&)[0-9]'
awk '/^functions: calls/ { on = 1 } on && / function$/ { at = index($0, "function") }
     /^callers and/ { exit } at && length($0) > 60 { exit bad = 1 }
     at && /^  / && match($0, /[^ ]/) && RSTART > 40 { lines++; if (RSTART != at) exit bad = 1 }
     END { exit bad || !lines }' "$dir/text"
ok $? "the lines of a wide name do not begin in its column"
report csv --csv "$dir/middle.brst"
has csv ',99,99,frame1 > frame2 > (5 more) > branch22 > (6 more) > frame15 > '
report html --html "$dir/page.html" "$dir/middle.brst"
for branch in 21 22 23; do
    has page.html "<div class=\"name\">frame1 &gt; frame2 &gt; (5 more) &gt; branch$branch &gt;"
done

# ---- hot stacks by time: in all forms the ticks of --collapsed, with intervals of their shares
report text "$dir/mutual.brst"
has text '^hot stacks: time by ticks$'
has text '^Time of the last function of a stack alone, while the others called it.$'
has text '^40.00%  *36.9.%  *43.1.%  *400  frame > draw > frame > draw$'
report csv --csv "$dir/mutual.brst"
sed -n '/^# stack_time:/,/^$/p' "$dir/csv" | awk -F , '/^[0-9]/ { print $5, $4 }' | sort >"$dir/stacks"
report collapsed --collapsed "$dir/mutual.brst"
sed 's/;/ > /g' "$dir/collapsed" | sort | cmp -s - "$dir/stacks"
ok $? "stacks of --csv: $(cat "$dir/stacks"), of --collapsed: $(cat "$dir/collapsed")"
report json --json "$dir/mutual.brst"
tr -d '\n' <"$dir/json" | grep -q '"stack_time".*"share":\[0.4,0.3,0.2,0.1\].*"ticks":\[400,300,200,100\]'
ok $? "stacks in JSON"
report html --html "$dir/page.html" "$dir/mutual.brst"
has page.html '<div class="name">frame &gt; draw &gt; frame &gt; draw</div>'

# ---- what to do about checks: those of bursty cc stand in no source; events alone have no check
report text "$dir/placed.brst"
tr '\n' ' ' <"$dir/text" >"$dir/line"
has line 'bursty cc placed these:'
has line 'if you build with --not=work, with --loops=LN (no loops) or L10 (fewer), or with a plan'
hasnt line 'bursty cc placed these:' 'Delete those'
has text ' leaf  *game.c:20$'; hasnt text ' leaf ' '%  leaf  *src/game.c:20$'
report text "$dir/placed-and-not.brst"
tr '\n' ' ' <"$dir/text" >"$dir/line"
has line 'Delete those in small functions .* Those of bursty cc go if you build with --not=entry or with'
report text "$dir/game.brst"; tr '\n' ' ' <"$dir/text" >"$dir/line"; has line 'Delete those in small'
hasnt line 'Delete those in small' 'bursty cc'
for form in csv json; do
    report $form --$form "$dir/placed.brst"
    [ "$(sed -n '/checks: where/,$p' "$dir/$form" | grep -c 'leaf')" = 0 ]
    ok $? "--$form: leaf has no check"
done

# ---- a tree without profiles says what was counted; one with them leaves that to the profiles
bursty report "$dir/tree-bursts.brst" | tr '\n' ' ' >"$dir/line"
has line 'calls (estimated) 1 000 000; recorded 10 000 in 1 000 bursts, 1 % of them; contexts 4; calls lost 0'
report json --json "$dir/tree-bursts.brst"
has json '"total":1000000,"recorded":10000,"bursts":1000,"lost":0,'
report html --html "$dir/page.html" "$dir/tree-bursts.brst"
has page.html '<li><span>recorded</span><b>10 000 in 1 000 bursts, 1 % of them</b></li>'
bursty report "$dir/tree-bursts.brst" | tr '\n' ' ' >"$dir/line"
has line 'at-least and at-most bound what was recorded, scaled up as the counts are\.'
bursty report "$dir/middle.brst" | tr '\n' ' ' >"$dir/line"; has line 'calls 347; contexts 48; calls lost 0'
bursty report "$dir/paths.brst" | tr '\n' ' ' >"$dir/line"; hasnt line 'calls' 'calls (estimated)'

# ---- numbers that are exact have equal bounds, also scaled up; an empty column is left out; zeros are
# folded into a line
report csv --csv "$dir/same-bursts.brst"
has csv '^# context_pairs: '; has csv '^0.4,.*,400000,update,collide$'
has csv '^rank,share,.*,function,place,file,line$'
report html --html "$dir/page.html" "$dir/same-bursts.brst"
hasnt page.html '^</html>' '>place</th>'; hasnt page.html '^</html>' 'data-table="context_pairs"'
report html --html "$dir/page.html" "$dir/game.brst"; has page.html '>place</th>'
report csv --csv "$dir/uneven.brst"
awk -F , '/^# contexts/ { on = 1 } on && /^[0-9]/ { n++; if ($4 != $5) bad = 1 } END { exit n != 4 || bad }' \
    "$dir/csv"
ok $? "exact counts: $(sed -n '/^# contexts:/,$p' "$dir/csv")"
report text "$dir/timed.brst"
hasnt text '^(1 colder left out' ' 0.00%.* rare '; has text '^(1 colder left out; --min 0 shows all)$'
report text --min 0 "$dir/timed.brst"
has text '^3  *0.00%  *0.00%  *0.38%  .* 0  rare '
report text "$dir/recorded.brst" "$dir/no-tick.brst"
sed -n '/^time of threads/,/^$/p' "$dir/text" >"$dir/threads"
hasnt threads '^(1 colder left out' '^ *0.00%'; has threads '^(1 colder left out; --min 0 shows all)$'

# ---- the first sentence: what takes most, how sure that is, and what the recorder took; what is
# missing stands before it
report text "$dir/mutual.brst"
[ "$(sed -n 2p "$dir/text")" = 'draw takes 60 % of the time (57 to 63 %) itself, by 1 000 ticks.' ]
ok $? "$(sed -n 2p "$dir/text")"
report text "$dir/bursts.brst"
[ "$(sed -n 2p "$dir/text")" = 'parse is called most: 45 % of all calls (43 to 47 %).' ]
ok $? "$(sed -n 2p "$dir/text")"
report text "$dir/own_time.brst"; sed -n 2,6p "$dir/text" | tr '\n' ' ' >"$dir/line"
has line '^MISSING: .* 60 % of all ticks met the recorder and say nothing of the program: record less'

# ---- --top, --only, --not, --match
report text --top 2 "$dir/game.brst"
[ "$(sed -n '/^functions: calls/,/^$/p' "$dir/text" | grep -c '%.*[a-z]*\.c:')" = 2 ]; ok $? "--top 2"
has text '^(16 more; --top 0 shows all)$'
report text --top 0 --min 0 "$dir/chains.brst"
[ "$(sed -n '/^hot calling/,$p' "$dir/text" | grep -c ' > ')" = 1200 ]; ok $? "--top 0"
for words in two -1 2x 99999999999999999999 ''; do
    refused "--top $words: a number of rows is wanted; 0 means all" report --top "$words" "$dir/game.brst"
done
report text --only pairs "$dir/game.brst"
has text '^callers and callees: calls$'; hasnt text '^callers and callees: calls$' '^functions: calls$'; hasnt text 'calls$' '^how it was'
report text --not pairs --not '*sampled*' "$dir/game.brst"
hasnt text '^functions: calls$' '^callers and callees'; has text '^functions: calls$'; hasnt text 'calls$' '^how it was'
report csv --csv --only 'functions: loop trip?' "$dir/game.brst"
[ "$(grep -c "^# " "$dir/csv")" = 2 ] && has csv "^# losses: what is missing$"; ok $? "--only of a title, and losses"
bursty report --only nothing "$dir/game.brst" 2>"$dir/stderr"
[ $? = 2 ]; ok $? '--only of no table'
has stderr '^bursty: --only nothing: no table is called that (there are: functions, .*); --match chooses functions$'
refused '--only and --not leave no table' report --not '*' "$dir/game.brst"
report text --match 'heap_*' "$dir/game.brst"
has text ' heap_pop  *heap.c:31$'; has text ' heap_push  '; hasnt text ' heap_push ' 'integrate'
has text '^(16 do not match)$'; has text '^how it was sampled'
report text --match branch22 --only contexts "$dir/middle.brst" # the name stands within the stack
[ "$(grep -c ' > ' "$dir/text")" = 1 ]; ok $? "--match of a frame in the middle"
refused '--match heap: no function has that name; * stands for any characters' \
    report --match heap "$dir/game.brst"
for form in json collapsed pprof svg; do
    bursty report --$form x --match a "$dir/game.brst" 2>"$dir/stderr"
    [ $? = 2 ]; ok $? "--match in --$form"
done
bursty report --html "$dir/out" --top 3 "$dir/game.brst" 2>"$dir/stderr"
[ $? = 2 ] && grep -q 'changes nothing in --html; it is for --brief, --suspects, --text, --timeline$' "$dir/stderr"; ok $? '--top in --html'

# ---- functions of one name keep their places in stacks
report text "$dir/same_name.brst"
has text ' run_a > init (a.c:3)$'; has text ' run_b > init (b.c:9)$'
has text ' run_a  *init (a.c:3)$'
report collapsed --collapsed "$dir/same_name.brst"; has collapsed '^run_b;init (b.c:9) 100$'
report dot --dot "$dir/same_name.brst"; has dot 'init (a.c:3)'; has dot 'init (b.c:9)'

# ---- a pager, where there is a terminal
if command -v script >/dev/null && [ -z "$RUN" ]; then
    on_terminal() { script -qec "$1" /dev/null </dev/null >"$dir/terminal" 2>&1; }
    PAGER="cat >$dir/paged; echo it has read" on_terminal "$BUILD/bursty report $dir/game.brst"
    has paged 'collide_pair is called most'; hasnt terminal 'it has read' collide_pair
    rm "$dir/paged"
    PAGER="cat >$dir/paged" on_terminal "$BUILD/bursty report --csv $dir/game.brst"
    has terminal collide_pair; [ ! -e "$dir/paged" ]; ok $? "a pager for CSV"
    for pager in '' cat; do
        PAGER=$pager on_terminal "$BUILD/bursty report $dir/game.brst"; has terminal collide_pair
    done
    PAGER="true" on_terminal "$BUILD/bursty report --base $dir/mutual.brst --fail-if 'draw>-90%' $dir/mutual.brst"
    [ $? != 2 ]; ok $? "a pager that reads nothing: $(cat "$dir/terminal")"
else
    skip "a pager: there is no script(1)"
fi

# ---- the first sentence: which of two functions of a name, and one without a name
$CC -O1 -std=c99 -Itests -o "$dir/make_runs" tests/make_runs.c || echo "make_runs failed"
printf 'ticks init@a.c:1 50\nticks init@b.c:2 20\n' | $RUN "$dir/make_runs" "$dir/twins.brst"
report text "$dir/twins.brst";                                has text '^init (a.c:1) takes 71 %'
printf 'ticks @:0 5\nticks only@a.c:1 1\n' | $RUN "$dir/make_runs" "$dir/nameless.brst"
report text "$dir/nameless.brst";                             has text '^(no name) takes 83 %'
report text --only time --match only "$dir/nameless.brst";    has text ' only '
printf 'tick 1000\n' | $RUN "$dir/make_runs" "$dir/tableless.brst"
refused '--only time: the report has no table' report --only time "$dir/tableless.brst"

finish
