#!/bin/sh
# test_frames.sh - what `bursty report` and `bursty merge` make of frames: a program with a clock of its
# own, whose numbers are known, as text, JSON, CSV and a page; dumps that are cut.
BUILD=${BUILD:-build} CC=${CC:-cc}
dir=$BUILD/tests/frames
. tests/check.sh
mkdir -p "$dir"
bursty=$BUILD/bursty

has() { # FILE WORDS, one blank in them stands for several, and for the end of a line
    tr -s ' \n' '  ' <"$1" | grep -qF -e "$2"
    ok $? "$1 has no line with \"$2\""
}

# 20 ms more in each 50th of 1000 frames: 16 in collect and 4 waiting.
$CC -O1 -I. -o "$dir/game" tests/make_frames.c && $RUN "$dir/game" "$dir/budget.brst" budget &&
    $RUN "$dir/game" "$dir/percentile.brst"
ok $? "the program runs"

"$bursty" report "$dir/budget.brst" >"$dir/budget.txt"
ok $? "a report of frames"
has "$dir/budget.txt" ' 1000 10.'
has "$dir/budget.txt" ' 30 0.08 20 20 20 frame game'
has "$dir/budget.txt" '20 of 1000 frames (2 %) are slow: above 20 ms. Such a frame takes 20 ms more (20 to 20).'
has "$dir/budget.txt" '20 of 1000 frames are slow (> 20 ms): collect +16 ms (16 to 16) in slow ones.'
sed -n 2p "$dir/budget.txt" | grep -q '^20 of 1000 frames are slow'
ok $? "the first line under the title is about slow frames"
"$bursty" report --brief "$dir/budget.brst" | sed -n 2p | grep -q '^20 of 1000 frames are slow (> 20 ms): collect +16 ms'
ok $? "the second line of --brief, which record prints, too"
has "$dir/budget.txt" ' 16 16 16 16 0 16 16 16 320 collect make_frames.c:'
has "$dir/budget.txt" ' 4 4 4 4 0 4 4 4 0 (waiting)'
has "$dir/budget.txt" '2 functions of which too little is sure are left out; --csv has them.'
has "$dir/budget.txt" 'Not counted: 1 that had not ended yet. 1 end found no frame to end.'
has "$dir/budget.txt" ' 30 4 0.49 50 frame 16 collect'
has "$dir/budget.txt" '16 collect, 7 update, 3 draw'
sed -n '/^what slow frames/,$p' "$dir/budget.txt" | grep -q 'update *make_frames.c'
[ $? = 1 ]
ok $? "update is no row of slow frames"

"$bursty" report "$dir/percentile.brst" >"$dir/percentile.txt"
ok $? "a report without a budget"
has "$dir/percentile.txt" '19 of 936 frames (2 %) are slow: above 10.4'
has "$dir/percentile.txt" ' no-budget frame game'

# Each way to lose something of frames: first in the text, and in each other form, with its cure.
loses() { # WHAT N NOUN CURE
    noun=$3 cure=$4
    $RUN "$dir/losses" "$1" "$dir/losses.brst"
    ok $? "frames that lose: $1"
    for form in text csv json; do "$bursty" report --$form -o "$dir/losses.$form" "$dir/losses.brst"; done
    "$bursty" report --html "$dir/losses.html" "$dir/losses.brst"
    sed -n 2p "$dir/losses.text" | grep -q "^MISSING: $noun: $2, " &&
        tr '\n' ' ' <"$dir/losses.text" | grep -q "$cure"
    ok $? "$1: the text does not begin with it"
    sed -n '/^# losses/,$p' "$dir/losses.csv" | grep "$noun" | grep -q "$cure"
    ok $? "$1: csv"
    sed -n '/"losses":\[/,/\],/p' "$dir/losses.json" | grep -q "$noun.*\"count\":$2,.*$cure"
    ok $? "$1: json"
    grep -q "$noun" "$dir/losses.html" && grep -q "$cure" "$dir/losses.html"
    ok $? "$1: the page"
    [ "$(grep -c 'lost 0' "$dir/losses.text")" = 0 ]
    ok $? "$1: nothing is lost, it says"
}
$CC -O1 -I. -o "$dir/losses" tests/make_bursty_frame_losses.c
ok $? "a program whose frames lose something"
loses kinds 3 'frames without a record' 'a larger BURSTY_FRAMES'
loses handlers 4 'frames of signal handlers' 'interrupted bursty_frame itself'
loses crowded 36 'ticks of crowded frames' 'ticks of 64 different stacks'
loses functions 7 'ticks of functions in frames that had no room' 'functions in frames was full'
loses slowest 2 'frames that may be missing among the slowest' 'are in all other tables'
# Where nothing can be told there is no heading of columns, in the text and on the page.
tr '\n' ' ' <"$dir/losses.text" | grep -q 'No function surely takes part of that time' &&
    grep -A 4 '^what slow frames do more' "$dir/losses.text" | grep -c more_ms | grep -qx 0 &&
    "$bursty" report --html "$dir/losses.html" "$dir/losses.brst" &&
    tr '\n' ' ' <"$dir/losses.html" | sed 's/.*data-table="frames_more"//; s/<.section>.*//' >"$dir/more.html" &&
    grep -q 'are slow' "$dir/more.html" && ! grep -q '<th' "$dir/more.html"
ok $? "slow frames of which nothing can be told: no heading without rows"
$RUN "$dir/losses" nothing "$dir/losses.brst" && "$bursty" report "$dir/losses.brst" >"$dir/losses.text" &&
    [ "$(grep -c MISSING "$dir/losses.text")" = 0 ] && tr '\n' ' ' <"$dir/losses.text" | grep -q 'events lost 0'
ok $? "frames that lose nothing"

# Frames of 10 ms that wait for half of their time or more, be most of them slow or not.
words='Nearly all frames wait for half of their time or more.'
for slow in budget 0; do
    for more in 12 10 9; do
        $RUN "$dir/game" "$dir/waits.brst" $slow $more &&
            "$bursty" report "$dir/waits.brst" | tr -s ' \n' '  ' >"$dir/waits.txt" &&
            case $more:$(grep -c "frames ([^)]*) are slow.* $words .*timers tick" "$dir/waits.txt") in
            9:0 | 1[02]:1) ;;
            *) false ;;
            esac
        ok $? "frames ($slow) that wait for $more ms more"
    done
done
tr -s ' \n' '  ' <"$dir/budget.txt" | grep -q "$words"
[ $? = 1 ]
ok $? "frames that work"

"$bursty" merge -o "$dir/sum.brst" "$dir/percentile.brst" "$dir/budget.brst" "$dir/percentile.brst" &&
    "$bursty" report "$dir/sum.brst" >"$dir/sum.txt"
ok $? "merged frames"
has "$dir/sum.txt" '38 of 1872 frames (2 %) are slow'
has "$dir/sum.txt" '20 of 1000 frames (2 %) are slow' # another budget is another kind
has "$dir/sum.txt" 'Not counted: 3 that had not ended yet. 3 ends found no frame to end.'

"$bursty" report --json "$dir/budget.brst" >"$dir/budget.json" &&
    grep -q '"more_ms":\[16,4\]' "$dir/budget.json" &&
    grep -q '"over_budget":\[20,0\]' "$dir/budget.json" &&
    grep -q '"max_ms":\[30,null\]' "$dir/budget.json" &&
    grep -q '"count":\[980,20\],' "$dir/budget.json"
ok $? "JSON of frames"
"$bursty" report --csv "$dir/budget.brst" >"$dir/budget.csv" &&
    grep -q '^# frames_histogram: durations of frames' "$dir/budget.csv" &&
    grep -q '^-*0,.*,update,make_frames.c:' "$dir/budget.csv" &&
    grep -q '^16,15.99[0-9]*,16.00[0-9]*,16,0,16,.*,320,collect,make_frames.c:' "$dir/budget.csv"
ok $? "CSV of frames"
"$bursty" report --html "$dir/budget.html" "$dir/budget.brst" &&
    grep -q 'data-table="frames_more"' "$dir/budget.html" &&
    grep -q "section('frames'" "$dir/budget.html"
ok $? "a page of frames"

size=$(wc -c <"$dir/budget.brst")
for cut in 1 5 20 100; do
    head -c $((size - cut)) "$dir/budget.brst" >"$dir/cut.brst"
    "$bursty" report "$dir/cut.brst" >"$dir/cut.txt" 2>"$dir/cut.err"
    [ $? = 2 ] && [ ! -s "$dir/cut.txt" ] && [ "$(wc -l <"$dir/cut.err")" = 1 ] &&
        grep -q "cut.brst: offset [0-9]*: cut short" "$dir/cut.err"
    ok $? "a dump without its last $cut bytes: $(cat "$dir/cut.err")"
done

finish
