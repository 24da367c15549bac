# wine.sh WINE PROGRAM [ARGUMENT...] - mingw's gcc puts .exe behind the name that make asked for. A client that cannot
# reach wine's server has not run the program: it is started once more. So is a program that has not ended after
# $WINE_LIMIT seconds (250), once, behind a list of where each of its threads waits: wine itself stops at times. What stops
# twice has failed.
wine=$1 program=$2 limit=${WINE_LIMIT:-250}
shift 2
out=$(mktemp) || exit 2
trap 'rm -f "$out"' EXIT

# Its state, the processor time it had (ticks of 10 ms) and the place in the kernel, for each thread of process $1.
threads_of() {
    for thread in /proc/"$1"/task/*; do
        sed 's/^.*) //' "$thread/stat" 2>/dev/null |
            awk -v id="${thread##*/}" '{ printf "    thread %s: %s, user %s, system %s, ", id, $1, $12, $13 }'
        echo "in $(cat "$thread/wchan" 2>/dev/null), call $(cut -d ' ' -f 1 "$thread/syscall" 2>/dev/null)"
    done
}
watch() { # PROCESS
    trap 'kill "$nap"; exit' TERM
    sleep "$limit" &
    nap=$!
    wait "$nap"
    trap - TERM
    echo "wine.sh: $program had not ended after $limit s"
    threads_of "$1"
    kill -9 "$1"
}
run() {
    "$wine" "$program.exe" "$@" >"$out" 2>&1 &
    process=$!
    watch "$process" &
    watcher=$!
    wait "$process"
    code=$?
    kill "$watcher" 2>/dev/null
    wait "$watcher" 2>/dev/null
}

run "$@"
if grep -q '^wine client error' "$out" || [ $code = 137 ]; then
    [ $code != 137 ] || { cat "$out" && echo "wine.sh: started again"; }
    run "$@"
fi
cat "$out"
exit $code
