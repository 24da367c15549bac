#!/bin/sh
# page.sh - what a page of `bursty report --html` costs to make, to open and to use: one of a million
# contexts, and the coverage of sqlite3.c, which comes from Debian's source package sqlite3. Needs
# node, chromium, tclsh and gcc; speedscope, the same profile in it, comes from npm. docs/page.md
# shows the figures; picture.js makes a picture of any page.
set -e
BUILD=${BUILD:-build} CC=${CC:-gcc}
root=$(pwd)
dir=$BUILD/bench/page
mkdir -p "$dir"
dir=$(cd "$dir" && pwd)
bursty=$root/$BUILD/bursty
$CC -O1 -std=c99 -Itests -o "$dir/make_dumps" tests/make_dumps.c
"$dir/make_dumps" "$dir" bushy 1000000
command time -f 'bushy.html: made in %U s, %M KiB' "$bursty" report --html "$dir/bushy.html" "$dir/bushy.brst"
cd "$dir"
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
command time -f 'sqlite.html: made in %U s, %M KiB' "$bursty" report --html sqlite.html coverage.brst
ls -l bushy.brst bushy.html coverage.brst sqlite.html | awk '{ print $9 ": " $5 " bytes" }'
echo "load: $(cat /proc/loadavg)"
node "$root/bench/page.js" bushy.html sqlite.html
[ -d node_modules/speedscope ] || npm install --silent --no-audit --no-fund speedscope
for contexts in 10000 100000 1000000; do
    "$dir/make_dumps" "$dir" bushy $contexts
    "$bursty" report --html bushy.$contexts.html bushy.brst
    "$bursty" report --speedscope --whole-stacks -o bushy.$contexts.speedscope.json bushy.brst
    ls -l bushy.$contexts.html bushy.$contexts.speedscope.json | awk '{ print $9 ": " $5 " bytes" }'
    echo "load: $(cat /proc/loadavg)"
    node "$root/bench/page.js" bushy.$contexts.html | sed -n 1,2p
    node "$root/bench/speedscope.js" . bushy.$contexts.speedscope.json
done
