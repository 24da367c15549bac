#!/bin/sh
# record_perf.sh [PROGRAM ...] - shares of time by `bursty record` beside those of `perf record` in the
# same run: ruby, gawk, zstd, jq, a redis server, and by -p a backend of postgres. Prints the tables of docs/ticks.md: how many functions of at least 1 % have perf's
# share within bursty's 95 % interval, and the largest ones. TIMES (1): so many times the work.
# On a busy machine the timer of `bursty record` does not see all moments alike (docs/ticks.md):
# BEFORE='chrt -f 1' keeps others off the processor while a program runs.
# Wants linux-perf, python3 and Debian's packages of the programs, redis-tools and postgresql-contrib too.
set -u
cd "$(dirname "$0")/.." || exit 2
root=$PWD
build=${BUILD:-build}
case $build in /*) ;; *) build=$PWD/$build ;; esac
bursty=$build/bursty
out=$build/record_perf
times=${TIMES:-1}
mkdir -p "$out" && cd "$out" && chmod 777 . || exit 2
command -v perf python3 >/dev/null || { echo "record_perf.sh wants linux-perf and python3"; exit 2; }
judge() { # NAME COMM, of the program's threads
    python3 "$root/bench/record_perf.py" "$bursty" "$1" "$1.brst" "$1.perf" "$2"
}
# CPU time, as bursty's timer has it; the kernel's belongs to the code that called it. A piece of the
# stack is for the caller of a stub of the PLT.
sample() { perf record -q -e task-clock -F 2000 --call-graph dwarf,512 "$@" 2>perf.log || { cat perf.log; exit 2; }; }

both() { # NAME COMMAND...
    name=$1
    shift
    command -v "$1" >/dev/null || { echo "| $name | not installed |"; return; }
    sample -o "$name.perf" -- ${BEFORE:-} "$bursty" record --quiet -o "$name.brst" -- "$@" >"$name.out"
    judge "$name" "$1"
}

ruby_program() {
    cat >work.rb <<'P'
def fib(n) n < 2 ? n : fib(n - 1) + fib(n - 2) end
ARGV[0].to_i.times do
  fib(23)
  a = (1..60000).map { |i| (i * 7919) % 10007 }
  h = Hash.new(0)
  a.each { |x| h[x % 977] += x }
  a.sort.join(",").scan(/7\d9/).map(&:to_s).tally.to_a.inspect
end
P
    both ruby ruby work.rb $((times * 40))
}

redis() {
    command -v redis-server redis-benchmark >/dev/null || { echo "| redis | not installed |"; return; }
    sample -o redis.perf -- ${BEFORE:-} "$bursty" record --quiet -o redis.brst -- \
        redis-server --port 7399 --save '' >redis.log 2>&1 &
    server=$!
    until redis-cli -p 7399 ping >ping 2>&1; do
        kill -0 $server || { cat redis.log; exit 2; }
        sleep .1
    done
    redis-benchmark -p 7399 -q -n $((times * 60000)) -P 16 -r 9999 \
        -t set,get,incr,lpush,lrange_100,sadd,hset,zadd >ping
    redis-cli -p 7399 shutdown nosave >ping 2>&1
    wait $server
    judge redis redis-server
}

postgres() {
    bin=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | tail -1)
    [ -n "$bin" ] && command -v pgbench psql >/dev/null || { echo "| postgres | not installed |"; return; }
    as=
    [ "$(id -u)" != 0 ] || as="setpriv --reuid=postgres --regid=postgres --clear-groups env HOME=/tmp"
    rm -rf data
    mkdir data
    [ -z "$as" ] || chown postgres data
    $as "$bin/initdb" -D data -U postgres -A trust >log 2>&1 || { cat log; exit 2; }
    $as "$bin/postgres" -D data -p 7398 -k "$out" -c fsync=off -c autovacuum=off >log 2>&1 &
    server=$!
    ask() { psql -h "$out" -p 7398 -U postgres -Atc "$1" postgres; }
    until ask 'select 1' >log2 2>&1; do
        kill -0 $server || { cat log; exit 2; }
        sleep .2
    done
    pgbench -h "$out" -p 7398 -U postgres -i -q -s 4 postgres >log2 2>&1
    pgbench -h "$out" -p 7398 -U postgres -S -c 1 -T 3600 -P 3600 postgres >log2 2>&1 &
    client=$!
    sleep 2
    pid=$(ask "select pid from pg_stat_activity where application_name = 'pgbench'")
    perf record -q -e task-clock -F 2000 --call-graph dwarf,512 -o postgres.perf -p "$pid" 2>perf.log &
    watcher=$!
    "$bursty" record --quiet -p "$pid" --seconds $((times * 10)) -o postgres.brst
    kill -INT $watcher
    kill $client
    wait $watcher $client 2>wait.log
    kill -INT $server
    wait $server
    judge postgres postgres
}

echo "load: $(cut -d ' ' -f 1 /proc/loadavg) on $(getconf _NPROCESSORS_ONLN) processors, $(date +%F)"
echo
echo "| program | ticks | perf's samples | perf's share in the interval | not different by both errors |" \
    "largest: bursty's self %, perf's |"
echo "|---|--:|--:|--:|--:|---|"
for program in ${*:-ruby gawk zstd jq redis postgres}; do
    case $program in
    ruby) ruby_program ;;
    gawk)
        both gawk gawk -v n=$((times * 900000)) 'BEGIN { srand(1)
            for (i = 0; i < n; i++) { a[i % 9973] = a[(i * 7) % 9973] substr(i, 1, 2); if (length(a[i % 9973]) > 90) a[i % 9973] = "x"
            if (i % 5 == 0 && match("k" i, /[3-7]+9/)) s += RLENGTH
            if (i % 90000 == 0) { m = asort(a, b); t = t sprintf("%d:%s,", m, b[1]) } }
            gsub(/[0-9]+/, "#", t); print s, length(t) }'
        ;;
    zstd)
        [ -f input ] || for i in 1 2 3 4 5 6 7 8; do cat "$bursty"; done >input
        both zstd zstd -q -q --single-thread -c -9 $(for i in $(seq 1 "$times"); do echo input; done)
        ;;
    jq) both jq jq -n "[range($((times * 150000)))|.*7919%10007]|sort|group_by(.%97)|map(tostring|length)|add" ;;
    redis) redis ;;
    postgres) postgres ;;
    *) echo "record_perf.sh: no program $program"; exit 2 ;;
    esac
done
