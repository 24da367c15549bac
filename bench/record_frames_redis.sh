#!/bin/sh
# record_frames_redis.sh [FUNCTION] - a Redis server as it is installed, with many GETs and a SORT of
# 20 000 numbers now and then: `bursty record --frames` has to name what the slow commands do. Prints
# its tables, and requests a second without and with it. Wants redis-server and redis-tools.
set -u
cd "$(dirname "$0")/.." || exit 2
BUILD=${BUILD:-build} FUNCTION=${1:-call} PORT=${PORT:-17379} SECONDS_OF_LOAD=${SECONDS_OF_LOAD:-8}
work=$BUILD/bench/record_frames_redis
mkdir -p "$work" || exit 2
ask() { redis-cli -p "$PORT" "$@"; }
server() { # COMMAND ... before redis-server
    "$@" redis-server --port "$PORT" --save '' --appendonly no --dir "$work" >"$work/log" 2>&1 &
    pid=$!
    until ask ping >"$work/ping" 2>&1; do
        kill -0 "$pid" 2>/dev/null || return 1
        sleep .1
    done
    awk 'BEGIN { for (i = 0; i < 20000; i++) print "RPUSH numbers", (i * 7919) % 20011
                 for (i = 0; i < 10000; i++) print "SET key:" i, i }' | ask >"$work/filled"
}
load() { # prints GETs a second
    (end=$(($(date +%s) + SECONDS_OF_LOAD))
     while [ "$(date +%s)" -lt "$end" ]; do
         ask SORT numbers LIMIT 0 10 >"$work/sorted"
         sleep .05
     done) &
    slow=$!
    redis-benchmark -p "$PORT" -t get -r 10000 -c 8 -n $((SECONDS_OF_LOAD * ${RATE:-12000})) --csv |
        awk -F'"' '/GET/ { print $4 }'
    wait $slow
}
end() { ask shutdown nosave 2>/dev/null; wait "$pid"; }
echo "load: $(cut -d ' ' -f 1 /proc/loadavg) on $(getconf _NPROCESSORS_ONLN) processors"
server env || exit 2
echo "GETs a second, plain:             $(load)"
end
server "$BUILD/bursty" record --quiet -o "$work/time.brst" || exit 2
echo "GETs a second, record --time:     $(load)"
end
server "$BUILD/bursty" record --frames "$FUNCTION" --slow 1 --ticks 1000 -o "$work/redis.brst" || { cat "$work/log"; exit 2; }
echo "GETs a second, record --frames:   $(load)"
end
grep '^bursty' "$work/log" | grep -i -E 'frame|lost'
"$BUILD/bursty" report "$work/redis.brst" | sed -n '/^how long do frames/,$p'
