#!/bin/sh
# run.sh same|random [NAME...] - the fuzzers of this folder, or those that are named (fuzz_copy).
#
# same     what the gate runs: every input of corpus/ and seeds.sh, and mutations of them from one
#          seed, as many as below. Two runs of one source try the same inputs.
# random   $FUZZ_SECONDS (60) for each fuzzer, every time from another seed. What it finds is named;
#          mend it, and put the file into corpus/NAME with a name that says what it was.
#
# CLANG is the compiler (clang-19), BUILD the folder (build/fuzz). Ends with "N passed, N failed".
set -u
cd "$(dirname "$0")/.." || exit 2
mode=${1-}
case $mode in same | random) shift ;; *) sed -n '2,10s/^# //p' "$0"; exit 2 ;; esac
clang=${CLANG:-clang-19} build=${BUILD:-build/fuzz}
command -v "$clang" >/dev/null || { echo "run.sh: no $clang; CLANG=... names another"; exit 2; }
if [ $# = 0 ]; then
    for source in fuzz/fuzz_*.c; do set -- "$@" "$(basename "$source" .c)"; done
fi

# Inputs that the gate tries, so that each fuzzer takes some five seconds of a processor.
count_of() {
    case $1 in
    fuzz_footprint) echo 2000 ;;
    fuzz_copy | fuzz_hotstream | fuzz_symbols) echo 5000 ;;
    fuzz_hcct) echo 20000 ;;
    *) echo 100000 ;;
    esac
}

passed=0 failed=0
flags='-O1 -g1 -fno-sanitize-recover=undefined -fsanitize=fuzzer-no-link,address,undefined'
programs=
for name in "$@"; do programs="$programs $build/fuzz/$name"; done
# shellcheck disable=SC2086
make -s -k -j"${JOBS:-1}" CC="$clang" CFLAGS="$flags" BUILD="$build" V=1 $programs
rm -rf "$build/seeds"
more=
[ "$mode" = same ] || more=$(ls build/demo/*.brst 2>/dev/null)
# shellcheck disable=SC2086
CC=$clang sh fuzz/seeds.sh "$build/seeds" $more || exit 2
# Addresses are the same in every run, too: libFuzzer keeps what a comparison saw by its address.
fixed=
[ "$mode" = same ] && setarch -R true 2>/dev/null && fixed='setarch -R'

for name in "$@"; do
    log=$build/$name.log found=$build/found/$name
    rm -rf "$found" "$build/new"
    mkdir -p "$found" "$build/new"
    if [ "$mode" = same ]; then
        set_of="-runs=$(count_of "$name") -seed=1 -reload=0"
    else
        set_of="-max_total_time=${FUZZ_SECONDS:-60}"
    fi
    find "$build/seeds" fuzz/corpus/"$name" -type f 2>/dev/null | LC_ALL=C sort |
        paste -s -d , - >"$build/inputs"
    # An input takes milliseconds. That it may take a minute is for slow machines.
    # shellcheck disable=SC2086
    if $fixed "$build/fuzz/$name" -max_len=4096 -timeout=60 $set_of -artifact_prefix="$found/" \
        -close_fd_mask=1 -print_final_stats=1 -seed_inputs=@"$build/inputs" "$build/new" >"$log" 2>&1
    then
        passed=$((passed + 1))
        echo "$name: $(sed -n 's/^stat::number_of_executed_units: *//p' "$log") inputs," \
            "$(sed -n 's/^stat::new_units_added: *//p' "$log") of them new"
    else
        failed=$((failed + 1))
        echo "FAILED $name ($log)"
        tail -n 30 "$log"
        find "$found" -type f | sed 's/^/found: /'
    fi
done
rm -rf "$build/new"
echo "$passed passed, $failed failed"
[ $failed = 0 ]
