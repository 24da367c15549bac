#!/bin/sh
# record_coverage.sh [PROGRAM ...] - how often the 95 % intervals of a program that `bursty record`
# sampled hold the truth. Runs perl, lua and sqlite as they are installed (ruby, too, if it is named),
# once with every call recorded, and then SEEDS (10) times for each rate and length of bursts, with other seeds. Prints
# the second table of docs/intervals.md: functions and pairs of caller and callee that at least 5
# bursts saw, the part of them whose share, and whose count, lies in its interval, and the part for
# an interval that takes calls as independent. Then the third table, of calling contexts.
#
#     sh bench/record_coverage.sh            SEEDS=40 sh bench/record_coverage.sh lua
#     KIND=contexts sh bench/record_coverage.sh       only the third table; BURSTS=10: other bursts
set -u
cd "$(dirname "$0")/.." || exit 2
build=${BUILD:-build}
case $build in /*) ;; *) build=$PWD/$build ;; esac
judge=$PWD/bench/coverage_intervals.awk
judge_contexts=$PWD/bench/coverage_contexts.awk
out=$build/bench/record_coverage
bursty=$build/bursty
seeds=${SEEDS:-10}
mkdir -p "$out" && cd "$out" || exit 2

# Every run must do the same: no table.sort, whose pivots depend on the clock, and no random hashes.
export PERL_HASH_SEED=0 PERL_PERTURB_KEYS=0
cat >s.lua <<'P'
local t, words = {}, {}
for k = 1, 12 do
    for i = 1, 4000 do table.insert(t, (i * 7919) % 10007) end
    for i = 1, 3000 do t[i] = (rawget(t, i * 3 % 4001 + 1) or 0) + select("#", i, k) end
    for i = 1, 5000 do
        words[i % 977] = ("%d:%s"):format(i, words[i % 977 // 2] or "x"):sub(1, 20)
    end
    t[1] = select(2, table.concat(t, ","):gsub("%d+", ""))
end
print(t[77], words[7], #t, t[1])
P
cat >s.pl <<'P'
my %h;
for my $i (1 .. 60000) { $h{$i % 997} .= chr(65 + $i % 26); }
my $n = 0;
for my $k (sort { $a <=> $b } keys %h) {
    $n += () = $h{$k} =~ /[AEIOU]+/g;
    $n ^= hex(substr(sprintf("%08x", $k), 3));
}
print join(",", map { length $h{$_} } sort keys %h) =~ tr/6//, " $n\n";
P
cat >s.sql <<'P'
create table t(a integer primary key, b text);
with recursive c(x) as (select 1 union all select x + 1 from c where x < 30000)
insert into t select x, hex(x * 7919) from c;
create index i on t(b);
select count(*), sum(length(b)) from t where b like '%3%';
select b, count(*) from t group by substr(b, 1, 3) order by 2 desc limit 5;
P
# No hashes of its own, and no collection of garbage: its moment depends on addresses.
cat >s.rb <<'P'
GC.disable
def fib(n) n < 2 ? n : fib(n - 1) + fib(n - 2) end
a = (1..9000).map { |i| (i * 7919) % 10007 }
n = fib(17)
4.times do |k|
  b = a.map { |x| x ^ k }.select(&:odd?)
  n += b.inject(:+) + b.each_slice(7).map(&:max).sort[77]
  n += b.join(",").scan(/7\d9/).length + b.first(900).map { |x| format("%05d", x).reverse.to_i }.min
end
puts n
P

run() { # NAME OPTIONS...
    name=$1
    shift
    "$bursty" record --quiet --profile "$profile" "$@" -o "$name.brst" -- $command \
        >output 2>errors || { cat errors; exit 2; }
    "$bursty" report --csv --min 0 "$name.brst" >"$name.csv" || exit 2
}

measure() { # PROGRAM COMMAND
    command=$2
    command -v "${command%% *}" >/dev/null 2>&1 || { echo "$1: not installed"; return; }
    run all --every 0 --boring 4
    for rate in 1 0.1; do
        for burst in $bursts; do
            period=$(awk "BEGIN { printf \"%d\", $burst * 100 / $rate - $burst }")
            list=
            seed=1
            while [ $seed -le "$seeds" ]; do
                run "$seed" --every "$period" --burst "$burst" --seed $seed
                list="$list $seed.csv"
                seed=$((seed + 1))
            done
            title="| $1 | $rate % | $burst |"
            # shellcheck disable=SC2086
            case $profile in
            hcct) awk -F, -v title="${title% |}" -f "$judge_contexts" all.csv $list ;;
            *)    awk -F, -v title="$title" -f "$judge" all.csv $list ;;
            esac
        done
    done
}

measure_all() { # PROGRAM...
    for program; do
        case $program in
        perl)   measure perl 'perl s.pl' ;;
        lua)    measure lua 'lua5.4 s.lua' ;;
        ruby)   measure ruby 'ruby --disable-gems s.rb' ;;
        sqlite) measure sqlite 'sqlite3 -init s.sql :memory: .quit' ;;
        *)      echo "record_coverage.sh: no program $program"; exit 2 ;;
        esac
    done
}

profile=pairs bursts=${BURSTS:-1 10 100}
echo '| program | rate | burst | rows | share in its interval | count in its interval |' \
     'independent calls | width |'
echo '|---|---|---|---|---|---|---|---|'
# shellcheck disable=SC2086
[ "${KIND:-pairs}" != pairs ] || measure_all ${*:-perl lua sqlite}

profile=hcct bursts=${BURSTS:-100}
echo
echo '| program | rate | burst | contexts | functions | functions with callees |' \
     'callers and callees |'
echo '|---|---|---|---|---|---|---|'
# shellcheck disable=SC2086
measure_all ${*:-perl lua sqlite}
