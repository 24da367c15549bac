#!/bin/sh
# record.sh [COUNT [PROGRAM...]] - what `bursty record` costs on installed programs, in the columns
# of bursty-tracing's Figure 6. Measures with hyperfine and writes both tables into docs/binpatch.md
# (with PROGRAMs it only prints them): the median time of COUNT (5) runs as a multiple of the plain
# program's, a run from start to end. COUNT 5 takes some five minutes on an idle machine.
#
#   off       patched, switched off: entries go on in the original code
#   checks    the checking copies, rate 0 %: the basic overhead
#   .1 1 100  calling contexts at that rate, 100:99900, 100:9900, and all (at most twice)
#   refs      1 %, and every data reference of a burst
#   uftrace   uftrace record -P . --no-libcall, if it is installed (once)
#   callgrind valgrind --tool=callgrind, if it is installed (once)
#   MB        resident memory, plain and at 1 %
set -u
cd "$(dirname "$0")/.." || exit 2
build=${BUILD:-build}
case $build in /*) ;; *) build=$PWD/$build ;; esac
page=$PWD/docs/binpatch.md
count=${1:-5}
[ $# = 0 ] || shift
out=$build/bench/record
bursty=$build/bursty
mkdir -p "$out" && cd "$out" || exit 2
[ -f "$build/bursty-record.so" ] || {
    echo "record.sh wants $build/bursty-record.so: make"
    exit 2
}
command -v hyperfine >/dev/null 2>&1 || { echo "record.sh wants hyperfine"; exit 2; }

# ---- what runs: some .2 seconds each -----------------------------------------------------------

cat /usr/include/*.h /usr/include/linux/*.h 2>/dev/null | head -c 2000000 >text
head -c 6000000 "$bursty" >>text
head -c 3000000 text >more
head -c 1200000 text >less
i=0
while [ $i -lt 20000 ]; do
    echo "line $i of $((i * 7919 % 1009)) words"
    i=$((i + 1))
done >lines
cat lines lines lines lines lines lines lines lines >many
echo '{ n[$4]++; for (i = 1; i <= NF; i++) s += length($i) } END { print s, length(n) }' >s.awk
cat >s.lua <<'P'
local t = {}
for k = 1, 3 do
    for i = 1, 100000 do t[i] = (i * 7919) % 10007 end
    table.sort(t)
end
print(t[77])
P
cat >s.pl <<'P'
my %h;
for my $i (1 .. 1000000) { $h{$i % 997} .= chr(65 + $i % 26); }
print length(join ",", map { $h{$_} } sort keys %h), "\n";
P
cat >s.py <<'P'
import json
d = {str(i): list(range(i % 37)) for i in range(9000)}
print(sum(len(json.dumps(d, indent=k)) for k in (0, 1)))
P
cat >s.sql <<'P'
with recursive c(x) as (select 1 union all select x + 1 from c where x < 400000)
select count(*), sum(length(hex(x * 7919))) from c where x % 3;
P
command_of() { # PROGRAM: its command line, without what a shell would have to expand
    case $1 in
    gzip)    echo 'gzip -c more' ;;
    bzip2)   echo 'bzip2 -c less' ;;
    xz)      echo 'xz -1 -c -T1 more' ;;
    mawk)    echo 'mawk -f s.awk many' ;;
    lua)     echo 'lua5.4 s.lua' ;;
    perl)    echo 'perl s.pl' ;;
    python3) echo '/usr/bin/python3 s.py' ;;
    sqlite3) echo 'sqlite3 -init s.sql :memory: .quit' ;;
    esac
}
all='gzip bzip2 xz mawk lua perl python3 sqlite3'

# ---- one table ---------------------------------------------------------------------------------

# The median of so many runs in seconds, or - if it does not run.
median() { # RUNS COMMAND
    rm -rf once.csv
    if timeout 300 hyperfine -N --style none --runs "$1" --prepare 'rm -rf uftrace.data' \
        --export-csv once.csv "$2" >log 2>&1
    then awk -F, 'NR == 2 { print $(NF - 4) }' once.csv
    else echo -; fi
}
measures() { # COMMAND OF PLAIN: the columns, in a line
    record="$bursty record --calls --quiet -o x.brst"
    few=$count
    [ "$few" -le 2 ] || few=2
    median "$count" "$1"
    median "$count" "$record --off -- $1"
    median "$count" "$record --every 500000000 -- $1"
    median "$count" "$record --every 99900 -- $1"
    median "$count" "$record -- $1"
    median "$few" "$record --every 0 --boring 4 -- $1"
    median "$few" "$record --profile hcct,footprint -- $1"
    if command -v uftrace >/dev/null 2>&1
    then median 1 "uftrace record -P . --no-libcall -d uftrace.data $1"
    else echo -; fi
    if command -v valgrind >/dev/null 2>&1
    then median 1 "valgrind --tool=callgrind --callgrind-out-file=/dev/null $1"
    else echo -; fi
    rm -rf uftrace.data
}
# Resident memory in MB.
memory() { # COMMAND...
    [ -x /usr/bin/time ] || { echo -; return; }
    /usr/bin/time -o took -f %M "$@" >/dev/null 2>&1
    tail -n 1 took | awk '{ printf "%.0f\n", $1 / 1024 }'
}
text_mb() { # COMMAND...: the text of all that is patched for it
    "$bursty" record --calls --quiet --stats -o x.brst -- "$@" 2>&1 >/dev/null | awk '
        match($0, /[0-9]+ KiB of text/) { n += substr($0, RSTART) }
        END { printf "%.2f\n", n / 1024 }'
}
row() { # PROGRAM
    command=$(command_of "$1")
    command -v "${command%% *}" >/dev/null 2>&1 || { echo "$1 is not installed" >&2; return; }
    measures "$command" >columns
    # shellcheck disable=SC2086
    memory $command >>columns
    # shellcheck disable=SC2086
    memory "$bursty" record --calls --quiet -o x.brst -- $command >>columns
    # shellcheck disable=SC2086
    text_mb $command >>columns
    tr '\n' ' ' <columns | awk -v name="$1" '{
        printf "| %s | %.2f", name, $1
        for (k = 2; k <= 9; k++) printf $k == "-" || !$1 ? " | -" : " | %.2f", $k / $1
        printf " | %s, %s | %s |\n", $10, $11, $12
        }'
}
startup() { # NAME COMMAND
    command -v "${2%% *}" >/dev/null 2>&1 || return
    # shellcheck disable=SC2086
    { median $((2 * count)) "$2"; median $((2 * count)) "$bursty record --calls --quiet -o x.brst -- $2"
      text_mb $2; } | tr '\n' ' ' | awk -v name="$1" '$1 > 0 && $2 > 0 && $3 > 0 {
        printf "| %s | %.2f | %.1f | %.1f | %.0f |\n", name, $3, 1000 * $1, 1000 * $2,
               1000 * ($2 - $1) / $3 }'
}
table() { # PROGRAM...
    echo '| program | plain, s | off | checks | .1 % | 1 % | 100 % | refs | uftrace | callgrind |' \
         'MB | text, MB |'
    echo '|---|---|---|---|---|---|---|---|---|---|---|---|'
    for program in "$@"; do row "$program"; done >rows
    cat rows
    awk -F '|' '
        { for (k = 4; k <= 11; k++) if ($k + 0 > 0) { sum[k] += log($k); n[k]++ } }
        END {
            printf "| geomean |"
            for (k = 4; k <= 11; k++)
                printf n[k] ? " | %.2f" : " | -", exp(sum[k] / (n[k] ? n[k] : 1))
            print " | | |"
        }' rows
    echo
    echo '| start-up | text, MB | plain, ms | recorded, ms | ms for each MB |'
    echo '|---|---|---|---|---|'
    startup gzip 'gzip --version'
    startup perl 'perl -e 1'
    startup python3 '/usr/bin/python3 -S -c 1'
    startup git 'git --version'
    startup gdb 'gdb --version'
}

if [ $# -gt 0 ]; then
    table "$@"
    exit
fi
# shellcheck disable=SC2086
table $all | tee tables
[ "$(grep -c '^| ' tables)" -gt 10 ] || { echo "record.sh: too few programs: $page stays"; exit 1; }
awk -v block="$out/tables" '
    /^<!-- record -->/ { print; while ((getline line <block) > 0) print line; skip = 1; next }
    /^<!-- end of record -->/ { skip = 0 }
    !skip' "$page" >page && grep -q '^<!-- end of record -->' page && cp page "$page"
