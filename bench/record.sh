#!/bin/sh
# record.sh [REPEAT] - what `bursty record` costs on installed programs, in the columns of
# bursty-tracing's Figure 6: user and system time as a multiple of the plain run, the least of
# REPEAT (5) interleaved runs. Start-up is left out of nothing: a run includes it.
#
#   off       patched, switched off: entries go on in the original code
#   checks    the checking copies, rate 0 %: the basic overhead
#   .1 1 100  calling contexts at that rate, 100:99900, 100:9900, and all
#   refs      1 %, and every data reference of a burst
#   uftrace   uftrace record -P . --no-libcall, if it is installed
#   callgrind valgrind --tool=callgrind, if it is installed
#   MB        resident memory, plain and at 1 %
set -u
cd "$(dirname "$0")/.." || exit 2
build=${BUILD:-build}
case $build in /*) ;; *) build=$PWD/$build ;; esac
repeat=${1:-5}
out=$build/bench/record
bursty=$build/bursty
mkdir -p "$out" && cd "$out" || exit 2
[ -x /usr/bin/time ] || {
    echo "record.sh wants /usr/bin/time"
    exit 2
}
cat /usr/include/*.h /usr/include/linux/*.h 2>/dev/null | head -c 3000000 >text
cat >s.lua <<'P'
local t = {}
for k = 1, 12 do
    for i = 1, 100000 do t[i] = (i * 7919) % 10007 end
    table.sort(t)
end
print(t[77])
P
cat >s.pl <<'P'
my %h;
for my $i (1 .. 3000000) { $h{$i % 997} .= chr(65 + $i % 26); }
print length(join ",", map { $h{$_} } sort keys %h), "\n";
P
cat >s.py <<'P'
import json
d = {str(i): list(range(i % 37)) for i in range(30000)}
print(sum(len(json.dumps(d, indent=k)) for k in (0, 1)))
P
cat >s.sql <<'P'
with recursive c(x) as (select 1 union all select x + 1 from c where x < 1200000)
select count(*), sum(length(hex(x * 7919))) from c where x % 3;
P

# Appends "NAME seconds megabytes" to the file `times`.
once() { # NAME COMMAND...
    what=$1
    shift
    /usr/bin/time -o took -f '%U %S %M' "$@" >/dev/null 2>&1
    tail -n 1 took | awk -v w="$what" '{ print w, $1 + $2, $3 / 1024 }' >>times
}
measure() { # NAME COMMAND...
    name=$1
    shift
    command -v "$1" >/dev/null 2>&1 || {
        echo "$name: not installed"
        return
    }
    : >times
    i=0
    while [ $i -lt "$repeat" ]; do
        once plain "$@"
        once off "$bursty" record -o x.brst --off -- "$@"
        once checks "$bursty" record -o x.brst --period 500000000 -- "$@"
        once tenth "$bursty" record -o x.brst --period 99900 -- "$@"
        once one "$bursty" record -o x.brst -- "$@"
        once all "$bursty" record -o x.brst --period 0 -- "$@"
        once refs "$bursty" record -o x.brst --profile hcct,footprint -- "$@"
        i=$((i + 1))
    done
    if command -v uftrace >/dev/null 2>&1; then
        rm -rf uftrace.data
        once uftrace timeout 100 uftrace record -P . --no-libcall -d uftrace.data "$@"
        rm -rf uftrace.data
    fi
    if command -v valgrind >/dev/null 2>&1; then
        once callgrind timeout 200 valgrind --tool=callgrind --callgrind-out-file=/dev/null "$@"
    fi
    awk -v name="$name" '
        !($1 in least) || $2 < least[$1] { least[$1] = $2 }
        { memory[$1] = $3 }
        END {
            printf "| %s | %.2f", name, least["plain"]
            n = split("off checks tenth one all refs uftrace callgrind", column, " ")
            for (k = 1; k <= n; k++) {
                if (column[k] in least) printf " | %.2f", least[column[k]] / least["plain"]
                else printf " | -"
            }
            printf " | %.0f, %.0f |\n", memory["plain"], memory["one"]
        }' times
}
echo '| program | plain, s | off | checks | .1 % | 1 % | 100 % | refs | uftrace | callgrind | MB |'
echo '|---|---|---|---|---|---|---|---|---|---|---|'
measure gzip gzip -c text
measure bzip2 bzip2 -c text
measure xz xz -1 -c -T1 text
measure mawk mawk \
    '{ n[$1]++; for (i = 1; i <= NF; i++) s += length($i) } END { print s, length(n) }' text
measure lua lua5.4 s.lua
measure perl perl s.pl
measure python /usr/bin/python3 s.py
measure sqlite sqlite3 :memory: '.read s.sql'

# Start-up: a program that does nothing, and the text of all that was patched for it.
echo
echo '| start-up | text, MB | plain, ms | recorded, ms | ms for each MB |'
echo '|---|---|---|---|---|'
startup() { # NAME COMMAND...
    name=$1
    shift
    command -v "$1" >/dev/null 2>&1 || return
    : >times
    i=0
    while [ $i -lt $((2 * repeat)) ]; do
        start=$(date +%s%N)
        "$@" >/dev/null 2>&1
        end=$(date +%s%N)
        echo "plain $(((end - start) / 1000))" >>times
        start=$(date +%s%N)
        "$bursty" record -o x.brst -- "$@" >/dev/null 2>&1
        end=$(date +%s%N)
        echo "recorded $(((end - start) / 1000))" >>times
        i=$((i + 1))
    done
    kb=$("$bursty" record --stats -o x.brst -- "$@" 2>&1 >/dev/null | awk '
        match($0, /[0-9]+ KiB of text/) { n += substr($0, RSTART) } END { print n }')
    awk -v name="$name" -v kb="$kb" '
        !($1 in least) || $2 < least[$1] { least[$1] = $2 }
        END {
            p = least["plain"] / 1000
            r = least["recorded"] / 1000
            mb = kb / 1024
            printf "| %s | %.2f | %.1f | %.1f | %.0f |\n", name, mb, p, r, (r - p) / mb
        }' times
}
startup gzip gzip --version
startup perl perl -e 1
startup python /usr/bin/python3 -S -c 1
startup git git --version
startup cmake cmake --version
startup gdb gdb --version
