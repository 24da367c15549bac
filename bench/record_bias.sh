#!/bin/sh
# record_bias.sh [PROGRAM ...] - do counts change the shares of time? Each program of gawk, zstd, jq, lua
# and ruby runs in turn with its bursts switched off (--calls --off --time, its code is the original),
# the same again, and with counts at the default rate (--calls --time), until each has TICKS (5000) ticks.
# Prints the tables of docs/ticks.md: the overlap of shares, and the functions of 1 % and more whose
# difference has an interval without 0.
set -u
cd "$(dirname "$0")/.." || exit 2
root=$PWD
build=${BUILD:-build}
case $build in /*) ;; *) build=$PWD/$build ;; esac
bursty=$build/bursty
out=$build/record_bias
mkdir -p "$out" && cd "$out" || exit 2
want=${TICKS:-5000}
unset COLUMNS

run() { # NAME
    case $1 in
    gawk)
        set -- gawk -v n=900000 'BEGIN { srand(1)
            for (i = 0; i < n; i++) { a[i % 9973] = a[(i * 7) % 9973] substr(i, 1, 2); if (length(a[i % 9973]) > 90) a[i % 9973] = "x"
            if (i % 5 == 0 && match("k" i, /[3-7]+9/)) s += RLENGTH
            if (i % 90000 == 0) { m = asort(a, b); t = t sprintf("%d:%s,", m, b[1]) } }
            gsub(/[0-9]+/, "#", t); print s, length(t) }'
        ;;
    zstd)
        [ -f input ] || for i in 1 2 3 4 5 6 7 8; do cat "$bursty"; done >input
        set -- zstd -q -q --single-thread -c -9 input input input
        ;;
    jq) set -- jq -n "[range(300000)|.*7919%10007]|sort|group_by(.%97)|map(tostring|length)|add" ;;
    lua)
        cat >work.lua <<'P'
local function fib(n) if n < 2 then return n end return fib(n - 1) + fib(n - 2) end
for round = 1, 8 do
  local words, parts = {}, {}
  fib(25)
  for i = 1, 60000 do words[i] = (i * 7919) % 10007 end
  table.sort(words)
  for i = 1, #words, 7 do parts[#parts + 1] = tostring(words[i]) .. "x" end
  local text = table.concat(parts, ",")
  for w in text:gmatch("7%d9") do parts[w] = (parts[w] or 0) + 1 end
end
P
        set -- lua work.lua
        ;;
    ruby)
        cat >work.rb <<'P'
def fib(n) n < 2 ? n : fib(n - 1) + fib(n - 2) end
40.times do
  fib(23)
  a = (1..60000).map { |i| (i * 7919) % 10007 }
  h = Hash.new(0)
  a.each { |x| h[x % 977] += x }
  a.sort.join(",").scan(/7\d9/).map(&:to_s).tally.to_a.inspect
end
P
        set -- ruby work.rb
        ;;
    *) echo "record_bias.sh: no program $1"; exit 2 ;;
    esac
    command -v "$1" >/dev/null || return 1
    # shellcheck disable=SC2086
    "$bursty" record --quiet $how -o one.brst -- "$@" >got 2>log || { cat log; exit 2; }
}

stacks() { "$bursty" report --collapsed --by ticks --min 0 "$@"; }

echo "load: $(cut -d ' ' -f 1 /proc/loadavg) on $(getconf _NPROCESSORS_ONLN) processors, $(date +%F)"
echo
echo "| program | ticks: off | off again | with counts | overlap of off and off again, % | of off and with counts | functions of 1 % | off again: without 0 | with counts: without 0 |"
echo "|---|--:|--:|--:|--:|--:|--:|--:|--:|"
rm -f differences
for program in ${*:-gawk zstd jq lua ruby}; do
    rm -f off.brst again.brst counts.brst
    ticks=0
    while [ "$ticks" -lt "$want" ]; do
        for which in off again counts; do
            how='--calls --off --time'
            [ $which != counts ] || how='--calls --time'
            run "$program" || break 2
            if [ -f $which.brst ]; then
                "$bursty" merge -o sum.brst $which.brst one.brst && mv sum.brst $which.brst || exit 2
            else mv one.brst $which.brst; fi
        done
        ticks=$(stacks off.brst | awk '{ n += $NF } END { print n + 0 }')
    done
    [ -f counts.brst ] || { echo "| $program | not installed |"; continue; }
    for which in off again counts; do
        stacks $which.brst >$which.$program
    done
    awk -v program="$program" -f "$root/bench/record_bias.awk" off.$program again.$program counts.$program
done
echo
echo "| program | function | off, % | off again, % | with counts, % | with counts, less both: percent points |"
echo "|---|---|--:|--:|--:|---|"
cat differences 2>/dev/null
