#!/bin/sh
# test_page_model.sh - the model of the HTML page, tested by node without a browser (page_model.js),
# and the packed trees of pages against the JSON of the same dumps.
. tests/check.sh
BUILD=${BUILD:-build} CC=${CC:-cc}
dir=$BUILD/tests/page_model
mkdir -p "$dir"
command -v node >/dev/null || leave "no node"
node -e 'new DecompressionStream("deflate-raw")' 2>/dev/null || leave "a node without DecompressionStream"
$CC -O1 -std=c99 -Itests -o "$dir/make_dumps" tests/make_dumps.c &&
    "$dir/make_dumps" "$dir" && "$dir/make_dumps" "$dir" bushy 20000 &&
    "$dir/make_dumps" "$dir" heavy 60 && cp "$dir/heavy.brst" "$dir/few_heavy.brst" &&
    "$dir/make_dumps" "$dir" heavy 40000 || exit 1
set --
for dump in bushy chains heavy few_heavy timed mutual; do
    "$BUILD/bursty" report --html "$dir/$dump.html" "$dir/$dump.brst" &&
        "$BUILD/bursty" report --json "$dir/$dump.brst" >"$dir/$dump.json" || exit 1
    set -- "$@" "$dir/$dump.html" "$dir/$dump.json"
done
exec node tests/page_model.js "$@"
