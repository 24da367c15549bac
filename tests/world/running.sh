#!/bin/sh
# running.sh BURSTY DUMP [OPTION...] -- PROGRAM... - `bursty record -p` of a program that
# stops before its exec until bursty looks at it. Ends as the program does.
bursty=$1 dump=$2 options=
shift 2
while [ "$1" != -- ]; do
    options="$options $1"
    shift
done
shift
state() { sed 's/.*) \(.\).*/\1/' "/proc/$1/stat" 2>/dev/null; }
is_stopped() {
    read -r program 2>/dev/null <"$dump.number" && [ "$(state "$program")" = T ]
}
is_seen() { # or refused
    ls -l "/proc/$tool/fd" 2>/dev/null | grep -q perf_event && return
    case $(state "$tool") in Z | '') ;; *) false ;; esac
}
wait_for() { # COMMAND: for a minute at most
    n=0
    until "$1" || [ $((n += 1)) = 1200 ]; do sleep .05; done
}
look() {
    wait_for is_stopped
    # shellcheck disable=SC2086
    "$bursty" record -p "$program" --seconds 600 --quiet $options -o "$dump" >/dev/null &
    tool=$!
    wait_for is_seen
    kill -CONT "$program"
    wait $tool
}

look &
looking=$!
sh -c 'echo $$ >"$0.number"; kill -STOP $$; exec "$@"' "$dump" "$@"
status=$?
wait $looking
rm -f "$dump.number"
exit $status
