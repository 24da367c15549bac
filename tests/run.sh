#!/bin/sh
# run.sh TEST ... - runs test programs (through $RUN, an emulator, if set) and scripts, adds up
# their closing lines "N passed, N failed[, N skipped]" and ends with one such line. A test that
# ends without one counts as one failure.
passed=0 failed=0 skipped=0
out=${TMPDIR:-/tmp}/bursty-test.$$
trap 'rm -f "$out"' EXIT
for test in "$@"; do
    start=$(date +%s)
    case $test in
    *.sh)
        sh "$test" >"$out" 2>&1
        code=$?
        ;;
    *)
        $RUN "$test" >"$out" 2>&1
        code=$?
        ;;
    esac
    line=$(tr -d '\r' <"$out" | grep -E '^[0-9]+ passed, [0-9]+ failed(, [0-9]+ skipped)?$' |
        tail -n 1)
    if [ -z "$line" ]; then
        line="0 passed, 1 failed"
        echo "$test: ended with status $code and no closing line"
    fi
    p=${line%% *} f=${line#*, } s=0
    f=${f%% *}
    case $line in *skipped)
        s=${line##*, }
        s=${s%% *}
        ;;
    esac
    [ "$f" = 0 ] && [ "$code" != 0 ] && f=1 &&
        echo "$test: all passed, but it ended with status $code"
    passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
    printf '%-44s %5s passed, %s failed%s  %ss\n' "$(basename "$test")" "$p" "$f" \
        "$([ "$s" = 0 ] || echo ", $s skipped")" $(($(date +%s) - start))
    if [ "$f" != 0 ] || [ -n "$VERBOSE" ]; then
        sed 's/^/    /' "$out"
    elif [ "$s" != 0 ]; then grep -i '^skip' "$out" | sed 's/^/    /'; fi
done
if [ "$skipped" = 0 ]; then
    echo "$passed passed, $failed failed"
else
    echo "$passed passed, $failed failed, $skipped skipped"
fi
[ "$failed" = 0 ]
