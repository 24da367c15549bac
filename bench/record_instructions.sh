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
#
# PROGRAMS="ruby php": these rows alone.
set -u
cd "$(dirname "$0")/.." || exit 2
build=${BUILD:-build}
case $build in /*) ;; *) build=$PWD/$build ;; esac
out=$build/bench/instructions
bursty=$build/bursty
rm -rf "$out"
mkdir -p "$out" && cd "$out" || exit 2
XDG_CACHE_HOME=$out/cache       # what others find out at the same time would trim it
export XDG_CACHE_HOME
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
    cat >s$k.rb <<P
h = Hash.new(0)
(1..40000 * $k).each { |i| h[i % 997] += i; h[i % 13] ^= i * 7919 }
puts h.sum { |a, b| a ^ b }
puts (1..9000 * $k).map { |i| i.to_s.reverse }.sort.last
P
    cat >s$k.php <<P
<?php
\$h = [];
for (\$i = 1; \$i <= 60000 * $k; \$i++) { \$h[\$i % 997] = (\$h[\$i % 997] ?? '') . chr(65 + \$i % 26); }
ksort(\$h);
echo strlen(implode(',', \$h)), "\n";
P
    cat >s$k.ml <<P
let rec fib n = if n < 2 then n else fib (n - 1) + fib (n - 2)
let () =
  let t = Hashtbl.create 997 in
  for i = 1 to 40000 * $k do Hashtbl.replace t (i mod 997) (i * 7919 mod 1009) done;
  let rec twice n = if n = 0 then 0 else fib 18 + twice (n - 1) in
  Printf.printf "%d %d\n" (Hashtbl.fold (fun a b s -> a lxor b lxor s) t 0) (twice (4 * $k))
P
    ! command -v ocamlc >/dev/null || ocamlc -o s$k.byte s$k.ml || exit 2
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
# --follow: the environment must outlive the start of valgrind itself. --no-keep: what is kept for the
# case of a kill is made by the clock, and so oftener on a busy machine.
recorded() { # OPTIONS -- COMMAND...
    count "$bursty" record --quiet --follow --no-keep -o x.brst "$@"
    rm -f x.brst*
}
measure() { # NAME COMMAND...: @ in its last word stands for 1 and 2
    name=$1
    shift
    case " ${PROGRAMS-$name} " in *" $name "*) ;; *) return ;; esac
    command -v "$1" >/dev/null 2>&1 || { echo "$name: not installed"; return; }
    for options in "" --all-checks; do  # what is found out once is known from here on
        # shellcheck disable=SC2086
        recorded --every 500000000 $options -- "$@" >/dev/null
    done
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
measure ruby ruby --disable-gems s@.rb
measure php php -n s@.php
measure ocamlrun ocamlrun s@.byte
measure python /usr/bin/python3 -S s@.py
measure sqlite sqlite3 :memory: '.read s@.sql'
