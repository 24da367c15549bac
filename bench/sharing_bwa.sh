#!/bin/sh
# sharing_bwa.sh - false sharing in a real program: bwa, as Debian has it, aligns made-up reads with
# two threads. Blocks that its threads write lie on one line. Recorded as it is, and with a malloc
# that gives each block lines of its own: what the report says, whether the output is the same, and
# the medians of time of RUNS (8; 0: no times) runs.
set -e
cd "$(dirname "$0")/.."
BUILD=${BUILD:-build}
case $BUILD in /*) ;; *) BUILD=$(pwd)/$BUILD ;; esac
dir=$BUILD/bench/sharing_bwa
mkdir -p "$dir"
if ! command -v bwa >/dev/null; then
    as_root=
    [ "$(id -u)" = 0 ] || as_root=sudo
    $as_root apt-get install -y -qq -o DPkg::Lock::Timeout=600 --no-install-recommends bwa >/dev/null
fi
cd "$dir"
cat >apart.c <<'END'
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
void *malloc(size_t n) { return memalign(64, (n + 63) / 64 * 64); }
void *calloc(size_t a, size_t b) {
    void *p = malloc(a * b);
    return p ? memset(p, 0, a * b) : p;
}
END
${CC:-gcc} -O2 -fno-builtin -shared -fPIC -o apart.so apart.c
LC_ALL=C awk '
# Not rand: the numbers of one awk are not those of another.
function below(bound) {
    x = x * 16807 % 2147483647
    return int(x / 2147483647 * bound)
}
BEGIN {
    for (x = 1; i < 28000; i++) s = s substr("ACGT", 1 + below(4), 1)
    printf ">r\n%s\n", s >"ref.fa"
    quality = sprintf("%070d", 0)
    for (i = 0; i < 60000; i++)
        printf "@r%d\n%s\n+\n%s\n", i, substr(s, 1 + below(27900), 70), quality >"reads.fq"
}'
bwa index ref.fa 2>said
echo "load: $(cat /proc/loadavg)"
for malloc in own apart; do
    preload=
    [ $malloc = own ] || preload=$dir/apart.so
    LD_PRELOAD=$preload "$BUILD/bursty" record --quiet --sharing -o $malloc.brst -- \
        bwa mem -t 2 ref.fa reads.fq >$malloc.sam 2>said
    grep -v '^@' $malloc.sam >$malloc.rows
    cmp own.rows $malloc.rows
    echo "$malloc:"
    "$BUILD/bursty" report $malloc.brst | sed -n '/^false sharing/,/^$/p'
    "$BUILD/bursty" report --csv $malloc.brst | awk -F, '
        /^# / { on = /^# shared_lines/; next }
        on && $9 == "threads" { next }
        on && NF == 12 && $NF ~ /heap of/ { falsely += $6; rows++ }
        END { printf "blocks of the heap: %d rows, at most %d accesses of bursts waited\n", rows, falsely }'
    [ "${RUNS:-8}" -gt 0 ] || continue
    LD_PRELOAD=$preload hyperfine -N --warmup 1 --runs "${RUNS:-8}" --style none --output null \
        --export-json time.json "bwa mem -t 2 ref.fa reads.fq" >/dev/null 2>&1
    tr -d ' \n' <time.json | sed 's/.*"median":\([0-9.]*\).*"min":\([0-9.]*\).*/median \1 s, least \2 s/'
    echo
done
