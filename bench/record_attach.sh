#!/bin/sh
# record_attach.sh - attaches to backends of a postgres server and detaches again, TIMES (100) times,
# while clients (pgbench) work. Prints the tables of docs/binpatch.md: errors, what an attached backend
# looks like behind it (code, mappings, timers, tracer, signals, descriptors), and CPU time for each
# transaction, beside that of backends of the same server that nobody attaches to, at the same time:
# the median of ROUNDS (7) rounds of seven seconds, and the quartiles, for the machine may be busy.
# SECONDS_EACH (1): how long each recording takes.
set -u
cd "$(dirname "$0")/.." || exit 2
build=${BUILD:-build}
case $build in /*) ;; *) build=$PWD/$build ;; esac
bursty=$build/bursty
out=$build/record_attach
times=${TIMES:-100}
each=${SECONDS_EACH:-1}
rounds=${ROUNDS:-7}
clients=2               # of each database
port=7397
postgres=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | tail -1)
[ -n "$postgres" ] && command -v pgbench psql >/dev/null || {
    echo "record_attach.sh wants Debian's packages postgresql and postgresql-contrib"
    exit 2
}
rm -rf "$out"
mkdir -p "$out" && cd "$out" && chmod 777 . || exit 2
as=
[ "$(id -u)" != 0 ] || as="setpriv --reuid=postgres --regid=postgres --clear-groups env HOME=/tmp"
mkdir data
[ -z "$as" ] || chown postgres data
$as "$postgres/initdb" -D data -U postgres -A trust >log 2>&1 || { cat log; exit 2; }
$as "$postgres/postgres" -D data -p $port -k "$out" -c fsync=off -c autovacuum=off >log 2>&1 &
server=$!
clients_pids=
stop() {
    # shellcheck disable=SC2086
    [ -z "$clients_pids" ] || kill $clients_pids 2>/dev/null
    kill -INT $server 2>/dev/null
    wait $server
}
trap stop EXIT
trap 'exit 2' INT TERM
ask() { psql -h "$out" -p $port -U postgres -Atc "$1" postgres; }
n=0
until ask 'select 1' >/dev/null 2>&1; do
    n=$((n + 1))
    [ $n -lt 100 ] || { cat log; exit 2; }
    sleep .2
done
for name in attached others; do
    ask "create database $name" >log2 2>&1
    pgbench -h "$out" -p $port -U postgres -i -q -s 4 $name >log2 2>&1 || { cat log2; exit 2; }
    pgbench -h "$out" -p $port -U postgres -c $clients -T 3600 -P 3600 $name >$name.out 2>&1 &
    clients_pids="$clients_pids $!"
done
sleep 2
backends_of() { ask "select pid from pg_stat_activity where datname = '$1' and application_name = 'pgbench'"; }
backends=$(backends_of attached)
others=$(backends_of others)
[ "$(echo "$backends" "$others" | wc -w)" = $((2 * clients)) ] || { echo "too few backends"; exit 2; }

ticks() { # PID...: their CPU time, in ns
    for pid in "$@"; do cat "/proc/$pid/schedstat"; done | awk '{ n += $1 } END { printf "%.0f", n }'
}
committed() { ask "select xact_commit + xact_rollback from pg_stat_database where datname = '$1'"; }
# shellcheck disable=SC2086
state() { echo "$(ticks $backends) $(committed attached) $(ticks $others) $(committed others)"; }
round() { # COMMAND...: CPU time for each transaction while the command runs, in us
    before=$(state)
    "$@"
    sleep 1.2                           # the server tells its statistics once a second
    echo "$before $(state)" | awk '$6 > $2 && $8 > $4 {
        attached = ($5 - $1) / 1e3 / ($6 - $2)
        others = ($7 - $3) / 1e3 / ($8 - $4)
        print attached / others, $6 - $2, attached, others
    }' >>rounds
}
phase() { # NAME ROUNDS COMMAND...
    name=$1
    k=$2
    shift 2
    : >rounds
    while [ "$k" -gt 0 ]; do round "$@"; k=$((k - 1)); done
    sort -n rounds | awk -v name="$name" '{ r[NR] = $1; n += $2; a += $2 * $3; b += $2 * $4 } END {
        if (!NR) exit
        printf "| %s | %d | %.1f | %.1f | %.3f | %.3f to %.3f |\n", name, n, a / n, b / n,
               r[int((NR + 1) / 2)], r[int((NR + 3) / 4)], r[int((3 * NR + 3) / 4)]
    }' >>phases
}
look() { # all that an attached recorder could leave in a process
    for pid in $backends; do
        awk '$6 != "[heap]" { print $1, $2, $6 }' "/proc/$pid/maps"
        cat "/proc/$pid/timers"
        grep -E '^(TracerPid|SigBlk|SigIgn|SigCgt|Threads|Seccomp):' "/proc/$pid/status"
        ls -l "/proc/$pid/fd" | grep 'brst\|bursty\|memfd\|perf'
        while read -r range rights offset rest; do      # all code, byte by byte
            case $rights in r?x?) ;; *) continue ;; esac
            case $rest in *vsyscall*) continue ;; esac
            lo=$(printf %d "0x${range%-*}") hi=$(printf %d "0x${range#*-}")
            dd if="/proc/$pid/mem" bs=4096 skip=$((lo / 4096)) count=$(((hi - lo) / 4096)) 2>/dev/null \
                | cksum | sed "s/^/$pid code $range /"
        done <"/proc/$pid/maps"
    done
}
attach_all() {
    n=0 bad=0
    while [ $n -lt "$times" ]; do
        for pid in $backends; do
            [ $n -lt "$times" ] || break
            n=$((n + 1))
            timeout 60 "$bursty" record --quiet -p "$pid" --seconds "$each" -o x.brst >said 2>&1 \
                && [ -s x.brst ] || { bad=$((bad + 1)); cat said; }
            rm -f x.brst
        done
    done
    echo $bad >bad
}
: >phases
look >before.txt
phase before "$rounds" sleep 6
phase meanwhile 1 attach_all
look >behind.txt
phase behind "$rounds" sleep 6
errors=$(grep -v 'is starting up' log | cat attached.out others.out - \
    | grep -c 'abort\|ERROR\|FATAL\|PANIC\|terminated by signal')
alive=0
for pid in $clients_pids; do kill -0 "$pid" 2>/dev/null && alive=$((alive + 1)); done
# shellcheck disable=SC2086
kill $clients_pids                      # pgbench says what fails when it does
# shellcheck disable=SC2086
wait $clients_pids
clients_pids=
echo '| attached | not recorded | clients that went on | errors of clients and server | differences in the backends |'
echo '|---|---|---|---|---|'
echo "| $times | $(cat bad) | $alive of 2 | $errors | $(diff before.txt behind.txt | grep -c '^[<>]') |"
echo
echo '| | transactions | us of CPU time for each | of backends that nobody attaches to | ratio, median | quartiles |'
echo '|---|---|---|---|---|---|'
cat phases
