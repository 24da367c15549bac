#!/bin/sh
# record_kill.sh [TIMES] [SEED] - kills a recorded program, its recorder `bursty`, or both, with
# SIGKILL at random times (default 1000), in turn under --calls, --edges, --refs and time alone. Then
# there is no file, or a file that `bursty report` reads to its end; the program itself, if it lived
# on, ends with the output that it has without us. Ends with "N passed, N failed", and says how many
# files there were. JOBS run at a time (default 4).
set -u
cd "$(dirname "$0")/.." || exit 2
build=${BUILD:-build}
case $build in /*) ;; *) build=$PWD/$build ;; esac
bursty=$build/bursty out=$build/record_kill
times=${1:-1000} seed=${2:-1} jobs=${JOBS:-4}
rm -rf "$out"
mkdir -p "$out" && cd "$out" || exit 2

# Half a second of calls in two threads, so that a file is kept some five times.
cat >work.c <<'P'
#include <pthread.h>
#include <stdio.h>
#include <time.h>
static volatile unsigned sum;
static __attribute__((noinline)) unsigned leaf(unsigned n) { return n * 7919u % 1009u; }
static __attribute__((noinline)) unsigned node(unsigned n) { return n < 2 ? leaf(n) : node(n / 2) + node(n / 3); }
static void *work(void *end)
{
    struct timespec t;
    do {
        unsigned i;
        for (i = 0; i < 200; i++) sum += node(i);
        clock_gettime(CLOCK_MONOTONIC, &t);
    } while ((double)t.tv_sec + (double)t.tv_nsec / 1e9 < *(double *)end);
    return NULL;
}
int main(void)
{
    struct timespec t;
    double end;
    pthread_t other;
    clock_gettime(CLOCK_MONOTONIC, &t);
    end = (double)t.tv_sec + (double)t.tv_nsec / 1e9 + .5;
    if (pthread_create(&other, NULL, work, &end) != 0) return 2;
    work(&end);
    pthread_join(other, NULL);
    puts("done");
    return 0;
}
P
${CC:-cc} -O1 -g -fno-inline -pthread -o work work.c || exit 2

cat >once <<'P'
#!/bin/sh
# once NUMBER SECONDS WHO OPTIONS...
number=$1 seconds=$2 who=$3
shift 3
mkdir "$number" && cd "$number" || exit 2
"$BURSTY" record --quiet "$@" -o x.brst -- ../work >said 2>err &
tool=$!
sleep "$seconds"
program=$(pgrep -P $tool -x work)
case $who in
program) kill -9 ${program:-$tool} 2>/dev/null ;;
recorder) kill -9 $tool 2>/dev/null ;;
both) kill -9 $tool $program 2>/dev/null ;;
esac
wait $tool 2>/dev/null
for tenth in $(seq 100); do     # ten seconds for half a one
    [ -n "$program" ] && kill -0 $program 2>/dev/null || break
    sleep .1
done
result=none
if [ -e x.brst ]; then
    result=file
    timeout 60 "$BURSTY" report x.brst >report 2>&1 || result="FAILED the file cannot be read: $(tail -n 1 report)"
fi
if [ "$who" = recorder ] && [ -n "$program" ]; then
    kill -0 $program 2>/dev/null && { kill -9 $program; result='FAILED the program did not end'; }
    [ "$(cat said)" = done ] || result="FAILED the program said: $(cat said err)"
fi
echo "$number $who after $seconds s, $*: $result"
cd .. && rm -rf "$number"
P
chmod +x once
BURSTY=$bursty awk -v n="$times" -v seed="$seed" 'BEGIN {
    srand(seed)
    split("program recorder both", who, " ")
    split("--calls,--edges,--refs,--time,--calls --every 0", options, ",")
    for (i = 1; i <= n; i++) printf "%d %.3f %s %s\n", i, rand() * .7, who[i % 3 + 1], options[i % 5 + 1]
}' >plan
export BURSTY="$bursty"
xargs -P "$jobs" -L 1 ./once <plan >results
grep FAILED results
for who in program recorder both; do
    echo "$who killed: $(grep -c " $who .*: file$" results) files, $(grep -c " $who .*: none$" results) times none"
done
failed=$(grep -c FAILED results)
echo "$(grep -c ': file$\|: none$' results) passed, $failed failed"
[ "$failed" = 0 ] && [ "$(grep -c . results)" = "$times" ]
