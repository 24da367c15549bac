#!/bin/sh
# readers.sh - files that bursty report writes for other tools, read by these: `go tool pprof`,
# callgrind_annotate, flamegraph.pl, sqlite3, and speedscope, from npm, in headless Chromium. Part of `make matrix`. What is
# not installed is a failure.
. tests/check.sh
BUILD=${BUILD:-build} CC=${CC:-cc} CHROMIUM=${CHROMIUM:-chromium}
dir=$BUILD/tests/readers
rm -rf "$dir"
mkdir -p "$dir"
dir=$(cd "$dir" && pwd)
for program in make_runs make_dumps; do
    $CC -O1 -std=c99 -Itests -o "$dir/$program" tests/$program.c || echo "$program failed"
done
"$dir/make_dumps" "$dir" || echo "make_dumps failed"
tr '|' '\n' <<'END' | "$dir/make_runs" "$dir/run.brst"
tick 2000|ticks main@m.c:1 200|ticks main@m.c:1;parse@p.c:10 500|ticks main@m.c:1;parse@p.c:10;parse@p.c:10 70
ticks main@m.c:1;init@a.c:1 50|ticks main@m.c:1;init@b.c:1 20|ticks main@m.c:1;std::map<a, b>::at@m.h:4 60
END

has() { grep -qE -- "$2" "$dir/$1"; ok $? "$1 has no $2"; }
lacks_tool() { # NAME: is it missing? Says so.
    command -v "$1" >/dev/null && return 1
    fail "$1 is missing"
}

# ---- pprof
if ! lacks_tool go; then
    pprof() { HOME=$dir PPROF_TMPDIR=$dir go tool pprof "$@" 2>"$dir/stderr"; }
    "$BUILD/bursty" report --pprof "$dir/run.pb" "$dir/run.brst"
    pprof -top "$dir/run.pb" >"$dir/top";                    ok $? "pprof: $(cat "$dir/stderr")"
    has top '^Type: cpu$'
    has top '^Showing nodes accounting for 1800ms, 100% of 1800ms total$'
    has top '^ +1140ms 63.33% 63.33% +1140ms 63.33%  parse$'  # recursion counts once
    has top ' 100ms +5.56% .* init \(a.c:1\)$';              has top ' 40ms +2.22% .* init \(b.c:1\)$'
    has top ' 120ms +6.67% .* std::map::at$'  # pprof shortens it
    pprof -top -sample_index=samples "$dir/run.pb" >"$dir/top"
    has top '570 .* parse$'
    pprof -list=init "$dir/run.pb" >"$dir/list";             has list 'ROUTINE .* init \(a.c:1\) in .*a.c'
    pprof -tagfocus=thread=main -top "$dir/run.pb" >"$dir/top"; has top '100% of 1800ms total'
    "$BUILD/bursty" report --pprof "$dir/all.pb" "$dir/timed.brst"
    pprof -top -sample_index=calls "$dir/all.pb" >"$dir/top"; has top ' main$'
    pprof -proto -output="$dir/sum.pb" "$dir/run.pb" "$dir/run.pb" >/dev/null
    pprof -top "$dir/sum.pb" >"$dir/top";                    has top '100% of 3600ms total'
    for dump in hostile odd chains recorded tree; do
        "$BUILD/bursty" report --pprof "$dir/x.pb" "$dir/$dump.brst" 2>/dev/null || continue
        pprof -top "$dir/x.pb" >"$dir/top";                  ok $? "pprof $dump: $(cat "$dir/stderr")"
    done
fi

# ---- callgrind
if ! lacks_tool callgrind_annotate; then
    "$BUILD/bursty" report --callgrind "$dir/run.brst" >"$dir/callgrind.out"
    callgrind_annotate --tree=both --inclusive=yes "$dir/callgrind.out" >"$dir/annotated" 2>&1
    ok $? "callgrind_annotate: $(cat "$dir/annotated")"
    has annotated '^900 \(100.0%\)  PROGRAM TOTALS$'
    has annotated '^900 \(100.0%\)  \*  m.c:main$'
    has annotated '^570 \(63.33%\)  >   p.c:parse \(1x\)'
    has annotated '^ 50 .*  \*  a.c:init \(a.c:1\)$';        has annotated '^ 20 .*  \*  b.c:init \(b.c:1\)$'
    callgrind_annotate "$dir/callgrind.out" >"$dir/annotated" 2>&1
    has annotated '^570 \(63.33%\)  p.c:parse'
    "$BUILD/bursty" report --callgrind --by calls "$dir/timed.brst" >"$dir/callgrind.out"
    callgrind_annotate --inclusive=yes "$dir/callgrind.out" >"$dir/annotated" 2>&1
    has annotated '^98,010 \(100.0%\)  \?\?\?:main$'
fi

# ---- flamegraph.pl, which Debian has in the package of a profiler for Perl
flamegraph=/usr/share/perl5/Devel/NYTProf/flamegraph.pl
[ -f "$flamegraph" ] || flamegraph=flamegraph.pl
if ! lacks_tool "$flamegraph"; then
    "$BUILD/bursty" report --collapsed "$dir/run.brst" | perl "$flamegraph" >"$dir/flame.svg" 2>"$dir/stderr"
    ok $? "flamegraph.pl: $(cat "$dir/stderr")"
    has flame.svg '<title>all \(900 samples, 100%\)</title>'
    has flame.svg '<title>parse \(570 samples, 63.33%\)</title>'
    has flame.svg '<title>init \(b.c:1\) \(20 samples, 2.22%\)</title>'
    for dump in hostile odd chains recorded tree; do
        "$BUILD/bursty" report --collapsed "$dir/$dump.brst" >"$dir/stacks" 2>/dev/null || continue
        perl "$flamegraph" "$dir/stacks" >"$dir/flame.svg" 2>"$dir/stderr"
        [ ! -s "$dir/stderr" ] && grep -q "<title>all ($(awk '{ n += $NF } END { print n }' "$dir/stacks" |
            sed -e :a -e 's/\([0-9]\)\([0-9]\{3\}\)\($\|,\)/\1,\2\3/;ta') samples, 100%)" "$dir/flame.svg"
        ok $? "flamegraph.pl $dump: $(head -n 2 "$dir/stderr")"
    done
fi

# ---- CSV: a spreadsheet's reader
if ! lacks_tool sqlite3; then
    "$BUILD/bursty" report --csv --only time "$dir/run.brst" | sed '/^#/d;/^$/d' >"$dir/time.csv"
    "$BUILD/bursty" report --sums "$dir/run.brst" >"$dir/sums.csv"
    sqlite3 -csv :memory: ".import $dir/time.csv time" ".import $dir/sums.csv sums" \
        'select sum(self_ticks) from time' \
        "select function, file, line, self_ticks from time where file = 'a.c'" \
        "select function from time where line = 4" >"$dir/rows" 2>"$dir/stderr"
    ok $? "sqlite3: $(cat "$dir/stderr")"
    printf '900\r\ninit,a.c,1,50\r\n"std::map<a, b>::at"\r\n' | tr -d '\r' >"$dir/wanted"
    tr -d '\r' <"$dir/rows" | cmp -s - "$dir/wanted"; ok $? "sqlite3: $(cat "$dir/rows")"
fi

# ---- speedscope, of its own format and of collapsed stacks
if ! lacks_tool npm && ! lacks_tool "$CHROMIUM"; then
    (cd "$dir" && npm install --silent --no-audit --no-fund speedscope) >"$dir/npm.log" 2>&1
    index=$dir/node_modules/speedscope/dist/release/index.html
    [ -f "$index" ]; ok $? "npm install speedscope: $(tail -n 2 "$dir/npm.log")"
    see() { # FILE: the page that speedscope makes of it
        printf 'speedscope.loadFileFromBase64("%s", "%s")\n' "$1" "$(base64 "$dir/$1" | tr -d '\n')" >"$dir/load.js"
        profile=$(mktemp -d)
        timeout 120 "$CHROMIUM" --headless=new --no-sandbox --disable-dev-shm-usage \
            --allow-file-access-from-files --enable-unsafe-swiftshader --virtual-time-budget=8000 \
            --user-data-dir="$profile" --dump-dom \
            "file://$index#localProfilePath=$dir/load.js&view=sandwich" >"$dir/dom" 2>"$dir/stderr"
        rm -rf "$profile"
        tr '<' '\n' <"$dir/dom" >"$dir/page"
        grep -q '^title>.* - speedscope$' "$dir/page"
        ok $? "speedscope $1: $(grep '^title' "$dir/page")"
    }
    "$BUILD/bursty" report --speedscope "$dir/run.brst" >"$dir/run.speedscope.json"
    see run.speedscope.json
    has page '1.14s +\(63%\)'
    has page '>init \(a.c:1\)$'; has page '>init \(b.c:1\)$'; has page 'std::map&lt;a, b&gt;::at$'
    "$BUILD/bursty" report --collapsed "$dir/run.brst" >"$dir/run.collapsedstack.txt"
    see run.collapsedstack.txt
    has page '>init \(b.c:1\)$'; has page '570 +\(63%\)'
    "$BUILD/bursty" report --speedscope "$dir/timed.brst" >"$dir/timed.speedscope.json"
    see timed.speedscope.json
    "$BUILD/bursty" report --speedscope "$dir/recorded.brst" >"$dir/threads.speedscope.json"
    see threads.speedscope.json
    # Ticks in time as trace events: of main 9 of 9 s are slices, load has 4 of them.
    "$BUILD/bursty" report --perfetto "$dir/timeline.brst" >"$dir/timeline.json"
    see timeline.json
    has page '8.99s +\(100%\)'; has page '3.99s +\(44%\)'; has page '>draw$'
    "$BUILD/bursty" report --speedscope "$dir/timeline.brst" >"$dir/timeline.speedscope.json"
    see timeline.speedscope.json
    has page '>draw$'
fi

finish
