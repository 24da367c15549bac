#!/bin/sh
# page.sh - what a page of `bursty report --html` costs to make, to open and to use: one of a million
# contexts, and the coverage of sqlite3.c, which comes from Debian's source package sqlite3. Needs
# node, chromium, tclsh and gcc; speedscope, the same profile in it, comes from npm. Writes the tables
# of docs/page.md; picture.js makes a picture of any page.
set -e
BUILD=${BUILD:-build} CC=${CC:-gcc}
root=$(pwd)
dir=$BUILD/bench/page
mkdir -p "$dir"
dir=$(cd "$dir" && pwd)
bursty=$root/$BUILD/bursty
$CC -O1 -std=c99 -Itests -o "$dir/make_dumps" tests/make_dumps.c
"$dir/make_dumps" "$dir" bushy 1000000
cd "$dir"
: >said
# All that is measured is said, and kept for the tables.
keep() { tee -a said; }
make_page() { # PAGE DUMP
    command time -o took -f "$1: made in %U s, %M KiB" "$bursty" report --html "$1" "$2"
    keep <took
}
sizes() { ls -l "$@" | awk '{ print $9 ": " $5 " bytes" }' | keep; }
make_page bushy.html bushy.brst
if [ ! -f sqlite3.c ]; then
    (cd "$root" && sh bench/setup.sh sqlite3)
    (cd "$root/$BUILD"/bench/src/sqlite3-*/ && ./configure >/dev/null && make sqlite3.c shell.c >/dev/null &&
        cp sqlite3.c sqlite3.h shell.c "$dir")
fi
if [ ! -f sqlite ]; then
    for file in sqlite3 shell; do "$bursty" cc --cover=mcdc -- "$CC" -O1 -c $file.c; done
    "$bursty" cc --cover=mcdc -- "$CC" -o sqlite sqlite3.o shell.o -lpthread -ldl -lm
fi
rm -f coverage.brst
echo 'create table t(a, b);
    with recursive c(x) as (select 1 union all select x + 1 from c where x < 20000) insert into t select x, random() from c;
    create index i on t(b);
    select count(*), sum(a) from t where b > 0;' | ./sqlite :memory: >/dev/null
make_page sqlite.html coverage.brst
sizes bushy.brst bushy.html coverage.brst sqlite.html
echo "load: $(cat /proc/loadavg)" | keep
node "$root/bench/page.js" bushy.html sqlite.html | keep
[ -d node_modules/speedscope ] || npm install --silent --no-audit --no-fund speedscope
for contexts in 10000 100000 1000000; do
    "$dir/make_dumps" "$dir" bushy $contexts
    "$bursty" report --html bushy.$contexts.html bushy.brst
    "$bursty" report --speedscope --whole-stacks -o bushy.$contexts.speedscope.json bushy.brst
    sizes bushy.$contexts.html bushy.$contexts.speedscope.json
    echo "load: $(cat /proc/loadavg)" | keep
    node "$root/bench/page.js" bushy.$contexts.html | sed -n 1,2p | keep
    node "$root/bench/speedscope.js" . bushy.$contexts.speedscope.json | keep
done
lines=$(cat sqlite3.c shell.c | wc -l)
version=$(sed -n 's/.*"version": "\(.*\)".*/\1/p' node_modules/speedscope/package.json)

# ---- the tables ----
cd "$root"
awk -v lines="$lines" -v version="$version" -v when="$(date +%Y-%m-%d)" '
    function figure(key) {
        if (!(key in of)) {
            print "page.sh: nothing was said of " key >"/dev/stderr"
            bad = 1
        }
        return of[key]
    }
    function ms(key) { return (figure(key) < 10 ? sprintf("%.1f", of[key]) : spaced(of[key])) " ms" }
    function mb(key) { return sprintf("%.2f MB", figure(key) / 1e6) }
    function spaced(n,    out) { # 1 000 000
        for (n = sprintf("%.0f", n); length(n) > 3; n = substr(n, 1, length(n) - 3))
            out = " " substr(n, length(n) - 2) out
        return n out
    }
    FILENAME == ARGV[1] && / bytes$/ { sub(/:$/, "", $1); of[$1 " bytes"] = $2; next }
    FILENAME == ARGV[1] && / made in / { sub(/:$/, "", $1); of[$1 " made"] = $4; of[$1 " KiB"] = $6; next }
    FILENAME == ARGV[1] && /^load: / {
        if (least == "" || $2 < least) least = $2
        if ($2 > most) most = $2
        next
    }
    FILENAME == ARGV[1] && /: interactive / { page = $1; sub(/:$/, "", page); of[page " interactive"] = $3; next }
    FILENAME == ARGV[1] && /^ / {
        key = substr($0, 3, 42)
        sub(/ +$/, "", key)
        of[page " " key] = $0 ~ /ms of CPU/ ? $(NF - 5) : $(NF - 1)
        next
    }
    FILENAME == ARGV[1] { next }
    /^<!-- (page|speedscope) -->/ { skip = 1; print; tables($2); next }
    /^<!-- end of (page|speedscope) -->/ { skip = 0 }
    !skip
    function tables(what,    b, s, k, n) {
        load = sprintf("%.0f to %.0f", least, most)
        print ""
        if (what == "speedscope") {
            print "Speedscope " version " on " when "; the load was " load "."
            print ""
            print "| random contexts | page of bursty | usable after | memory | speedscope\047s file | usable after | memory |"
            print "|---|--:|--:|--:|--:|--:|--:|"
            for (n = 10000; n <= 1000000; n *= 10) {
                k = sprintf("bushy.%d", n)
                printf "| %s | %s | %s | %.0f MB | %s | %s | %.0f MB |\n", spaced(n), mb(k ".html bytes"), \
                    ms(k ".html interactive"), figure(k ".html memory"), mb(k ".speedscope.json bytes"), \
                    ms(k ".speedscope.json interactive"), figure(k ".speedscope.json memory")
            }
            print ""
            return
        }
        b = "bushy.html"
        s = "sqlite.html"
        print "Measured on " when "; the load was " load "."
        print ""
        print "| one million contexts | figure | wanted |"
        print "|---|---|---|"
        print "| the page | " mb(b " bytes") " | 3.5 MB |"
        printf "| to make it | %.1f s of CPU, %.1f bytes of memory a byte of dump | 1.5 s, 25 bytes |\n", \
            figure(b " made"), figure(b " KiB") * 1024 / figure("bushy.brst bytes")
        print "| interactive | " ms(b " interactive") " | 1 s |"
        print "| a step of a zoom | " ms(b " a step of a zoom") " | 8 ms |"
        print "| search: what matches, and its sum | " ms(b " search: what matches, and its sum") " | 50 ms |"
        print "| search with all that it redraws | " ms(b " search: the whole page") " | |"
        print "| sandwich of a function | " ms(b " sandwich of a function: the whole page") " | 200 ms |"
        print "| another function | " ms(b " another function") " | |"
        print "| inverted, when the tab is opened | " ms(b " inverted: the whole page") " | |"
        print "| only this function; without it | " ms(b " only this function") "; " ms(b " without this function") " | |"
        print ""
        print "| coverage and MC/DC of sqlite3.c and its shell, " spaced(lines) " lines | figure | wanted |"
        print "|---|---|---|"
        print "| the page | " mb(s " bytes") " | |"
        print "| interactive | " ms(s " interactive") " | 1 s |"
        printf "| memory, when garbage is collected | %.0f MB | 150 MB |\n", figure(s " memory")
        print ""
    }
    END { exit bad }' "$dir/said" docs/page.md >"$dir/page.md"
grep -q '^<!-- end of speedscope -->' "$dir/page.md"
cp "$dir/page.md" docs/page.md
echo "wrote the tables of docs/page.md"
