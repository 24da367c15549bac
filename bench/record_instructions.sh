#!/bin/sh
# record_instructions.sh - the basic overhead of `bursty record` in executed instructions, which a
# loaded machine does not change; valgrind --tool=callgrind counts them. Each program runs with some
# work and with twice as much. The difference has neither start-up nor the making of copies in it.
# The table has the recorded difference as a multiple of the plain one.
#
#   off       patched, switched off
#   checks    the checking copies, rate 0 %: the basic overhead
#   all       --all-checks: without Equation 3 and k-boring loops
#   once      instructions of start-up and copying in the run `checks`, in millions
set -u
cd "$(dirname "$0")/.." || exit 2
build=${BUILD:-build}
case $build in /*) ;; *) build=$PWD/$build ;; esac
out=$build/bench/instructions
bursty=$build/bursty
rm -rf "$out"
mkdir -p "$out" && cd "$out" || exit 2
command -v valgrind >/dev/null 2>&1 || { echo "record_instructions.sh wants valgrind"; exit 2; }
i=0
while [ $i -lt 8000 ]; do echo "line $i of $((i * 7919 % 1009))"; i=$((i + 1)); done >text1
cat text1 text1 >text2
head -c 100000 "$bursty" >data1
head -c 200000 "$bursty" >data2
for k in 1 2; do
    cat >s$k.lua <<P
local t = {}
for k = 1, 2 * $k do
    for i = 1, 20000 do t[i] = (i * 7919) % 10007 end
    table.sort(t)
end
print(t[77])
P
    cat >s$k.pl <<P
my %h;
for my \$i (1 .. 60000 * $k) { \$h{\$i % 997} .= chr(65 + \$i % 26); }
print length(join ",", map { \$h{\$_} } sort keys %h), "\n";
P
    cat >s$k.py <<P
import json
d = {str(i): list(range(i % 37)) for i in range(1600)}
for k in range($k): print(len(json.dumps(d, indent=1)), len(json.dumps(d)))
P
    cat >s$k.sql <<P
with recursive c(x) as (select 1 union all select x + 1 from c where x < 20000 * $k)
select count(*), sum(length(hex(x * 7919))) from c where x % 3;
P
done

count() { # COMMAND...: the instructions of the process that is no bursty
    rm -f cg.*
    valgrind --tool=callgrind --smc-check=all --trace-children=yes \
        --callgrind-out-file=cg.%p "$@" >/dev/null 2>&1
    cat cg.* | awk '/^cmd:/ { tool = $2 ~ /bursty$/ } /^(totals|summary):/ && !tool { n = $2 } END { print n + 0 }'
}
# --follow: the environment must outlive the start of valgrind itself.
recorded() { # OPTIONS -- COMMAND...
    count "$bursty" record --quiet --follow -o x.brst "$@"
    rm -f x.brst*
}
measure() { # NAME COMMAND...: @ in its last word stands for 1 and 2
    name=$1
    shift
    command -v "$1" >/dev/null 2>&1 || { echo "$name: not installed"; return; }
    : >counts
    for k in 1 2; do
        n=0
        for word in "$@"; do
            [ $n = 0 ] && set --
            n=1
            case $word in *@*) word=${word%@*}$k${word#*@} ;; esac
            set -- "$@" "$word"
        done
        {
            count "$@"
            recorded --off -- "$@"
            recorded --every 500000000 -- "$@"
            recorded --every 500000000 --all-checks -- "$@"
        } >>counts
        n=0
        for word in "$@"; do            # back to @ for the second round
            [ $n = 0 ] && set --
            n=1
            case $word in *text1 | *data1 | *s1.*) word=${word%1*}@${word##*1} ;; esac
            set -- "$@" "$word"
        done
    done
    awk -v name="$name" '{ n[NR] = $1 } END {
        plain = n[5] - n[1]
        printf "| %s | %.1f | %.3f | %.3f | %.3f | %.0f |\n", name, plain / 1e6, (n[6] - n[2]) / plain,
               (n[7] - n[3]) / plain, (n[8] - n[4]) / plain, (n[3] - n[1] * (n[7] - n[3]) / plain) / 1e6
    }' counts
}
echo '| program | plain, million | off | checks | all | once |'
echo '|---|---|---|---|---|---|'
measure gzip gzip -c data@
measure bzip2 bzip2 -c data@
measure xz xz -1 -c -T1 data@
measure mawk mawk '{ n[$1]++; for (i = 1; i <= NF; i++) s += length($i) } END { print s }' text@
measure lua lua5.4 s@.lua
measure perl perl s@.pl
measure python /usr/bin/python3 -S s@.py
measure sqlite sqlite3 :memory: '.read s@.sql'
