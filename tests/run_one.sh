#!/bin/sh
# run_one.sh SUMS TEST - runs one test for run.sh, prints its line and, where it failed, its output,
# and adds "passed failed skipped processor-seconds" to the file SUMS. A test that has not ended after
# $TEST_LIMIT seconds (600) is ended, with all that it started. What it skips and tests/skips does not
# allow is a failure.
sums=$1 test=$2 limit=${TEST_LIMIT:-600} within=
out=$sums.$$
trap 'rm -f "$out" "$out.report" "$out.times" "$out.words"' EXIT
start=$(date +%s)
timeout -k 10 9 true 2>/dev/null && within="timeout -k 10 $limit"
case $test in *.sh) with=sh ;; *) with=$RUN ;; esac
$within $with "$test" >"$out" 2>&1
code=$?
times >"$out.times" # the second line is of the children; not in a pipe, which is a shell of its own
cpu=$(tail -n 1 "$out.times" | tr 'ms' '  ' | awk '{ printf "%.1f", 60 * ($1 + $3) + $2 + $4 }')
line=$(tr -d '\r' <"$out" | grep -E '^[0-9]+ passed, [0-9]+ failed(, [0-9]+ skipped)?$' | tail -n 1)
{
    if [ -z "$line" ]; then
        line="0 passed, 1 failed"
        if [ "$within" ] && [ $code = 124 ]; then echo "$test: had not ended after $limit s"
        else echo "$test: ended with status $code and no closing line"; fi
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
    # A word that is no command fails in silence behind || and &&, but the shell names the script.
    if grep -E "^(.*/)?${test##*/}: (line )?[0-9]+: .*not found$" "$out" >"$out.words"; then
        f=$((f + 1))
        echo "$test: no such command: $(head -n 1 "$out.words")"
    fi
    if [ "$s" != 0 ] || grep -q '^skipped: ' "$out"; then
        tr -d '\r' <"$out" | awk -v name="${test##*/}" -v counted="$s" -v here="$HERE" \
            -v list="${SKIPS:-tests/skips}" -f tests/skips.awk >"$out.words"
        cat "$out.words"
        f=$((f + $(wc -l <"$out.words")))
    fi
    printf '%-44s %5s passed, %s failed%s  %ss, processor %ss\n' "$(basename "$test")" "$p" "$f" \
        "$([ "$s" = 0 ] || echo ", $s skipped")" $(($(date +%s) - start)) "$cpu"
    if [ "$f" != 0 ] || [ -n "$VERBOSE" ]; then
        sed 's/^/    /' "$out"
    elif [ "$s" != 0 ]; then grep -i '^skip' "$out" | sed 's/^/    /'; fi
    echo "$p $f $s $cpu" >>"$sums"
} >"$out.report"
cat "$out.report"
