#!/bin/sh
# record.sh [REPEAT] - what `bursty record` costs on installed programs: the least wall-clock time of REPEAT interleaved
# runs (5), as a share of the plain run. off: patched, switched off. checks: bursts so rare that none comes.
# 1 %: 990:10, calling contexts. refs: the same, and every data reference of a burst. start: milliseconds for nothing.
set -u
cd "$(dirname "$0")/.." || exit 2
build=${BUILD:-build}
case $build in /*) ;; *) build=$PWD/$build ;; esac
repeat=${1:-5}
out=$build/bench/record
mkdir -p "$out" && cd "$out" || exit 2
cat /usr/include/*.h /usr/include/linux/*.h 2>/dev/null | head -c 3000000 >text
echo 'local t = {} for k = 1, 6 do for i = 1, 100000 do t[i] = (i * 7919) % 10007 end table.sort(t) end print(t[77])' >s.lua
echo 'my %h; for my $i (1 .. 900000) { $h{$i % 997} .= chr(65 + $i % 26); } print length(join ",", map { $h{$_} } sort keys %h), "\n";' >s.pl
echo 'import json; d = {str(i): list(range(i % 37)) for i in range(20000)}; print(sum(len(json.dumps(d, indent=k)) for k in (0, 1)))' >s.py
echo 'with recursive c(x) as (select 1 union all select x + 1 from c where x < 400000) select count(*), sum(length(hex(x * 7919))) from c where x % 3;' >s.sql

once() { start=$(date +%s%N); "$@" >/dev/null 2>&1; end=$(date +%s%N); took=$(((end - start) / 1000)); }
measure() { # NAME COMMAND...
    name=$1; shift
    command -v "$1" >/dev/null 2>&1 || { echo "$name: not installed"; return; }
    r="$build/bursty record -o x.brst"
    : >times
    i=0
    while [ $i -lt "$repeat" ]; do
        once "$@";                                                  echo "1 $took" >>times
        once $r --off -- "$@";                                      echo "2 $took" >>times
        once $r --period 500000000 -- "$@";                         echo "3 $took" >>times
        once $r -- "$@";                                            echo "4 $took" >>times
        once $r --profile hcct,footprint -- "$@";                   echo "5 $took" >>times
        i=$((i + 1))
    done
    awk -v name="$name" '!($1 in least) || $2 < least[$1] { least[$1] = $2 }
        END { printf "%-10s %9.0f", name, least[1] / 1000
              for (k = 2; k <= 5; k++) printf " %+7.1f %%", 100 * (least[k] / least[1] - 1)
              printf "\n" }' times
}
printf '%-10s %9s %9s %9s %9s %9s\n' program 'plain, ms' off checks '1 %' refs
measure gzip gzip -c text
measure bzip2 bzip2 -c text
measure xz xz -1 -c -T1 text
measure mawk mawk '{ n[$1]++; for (i = 1; i <= NF; i++) s += length($i) } END { print s, length(n) }' text
measure lua5.4 lua5.4 s.lua
measure perl perl s.pl
measure python3 /usr/bin/python3 s.py
measure sqlite3 sqlite3 :memory: '.read s.sql'
echo "start-up: gzip, perl and python with nothing to do, ms plain and recorded"
for program in 'gzip --version' 'perl -e 1' '/usr/bin/python3 -S -c 1'; do
    # shellcheck disable=SC2086
    once $program; a=$took; once $program; [ "$took" -lt "$a" ] && a=$took
    # shellcheck disable=SC2086
    once "$build/bursty" record -o x.brst -- $program; b=$took
    # shellcheck disable=SC2086
    once "$build/bursty" record -o x.brst -- $program; [ "$took" -lt "$b" ] && b=$took
    echo "$program: $((a / 1000)) $((b / 1000))"
done
