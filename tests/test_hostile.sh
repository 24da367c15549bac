#!/bin/sh
# test_hostile.sh - memory and time of every command are linear in the file, whatever the file says
# (docs/formats.md): for each shape of make_hostile.c, at most 32 MiB and 100 bytes of memory a byte
# of file; 16 times the file takes at most 48 times the CPU time; output is at most 64 MiB and 512
# bytes a byte of file. A file is read, or refused with a reason. FULL=1, as the matrix has it: files
# of 1 MB; otherwise of 128 kB.
BUILD=${BUILD:-build} CC=${CC:-cc}
dir=$BUILD/tests/hostile
. tests/check.sh
small=8000 big=128000
[ -z "${FULL-}" ] || small=62500 big=1000000
mkdir -p "$dir/small" "$dir/big"

if [ -n "$RUN" ]; then
    skip "an emulator needs memory and time of its own"
    finish
fi
if ! (ulimit -v 32768 && "$BUILD/bursty" --version) >/dev/null 2>&1; then
    skip "address space cannot be limited here (a sanitizer?)"
    finish
fi
$CC -O1 -std=c99 -Itests -o "$dir/make_hostile" tests/make_hostile.c || echo "make_hostile failed"
shapes=$("$dir/make_hostile" "$dir/small" $small)
"$dir/make_hostile" "$dir/big" $big >/dev/null
[ "$(echo "$shapes" | wc -l)" -ge 20 ]
ok $? "the shapes are made: $shapes"

# cpu FILE ARGUMENTS...: prints the CPU time of `bursty ARGUMENTS FILE` in milliseconds, and leaves
# its status and the size of its output in files.
cpu() {
    file=$1
    shift
    kib=$((32768 + 100 * $(wc -c <"$file") / 1024))
    (
        (
            ulimit -v $kib
            "$BUILD/bursty" "$@" "$file" 2>"$dir/stderr"
            echo $? >"$dir/status"
            times >"$dir/times"
        ) | wc -c >"$dir/size"
    )
    tail -n 1 "$dir/times" | tr 'ms' '  ' |
        awk '{ printf "%.0f\n", 1000 * (60 * $1 + $2 + 60 * $3 + $4) }'
}

for shape in $shapes; do
    for form in 'report --text' 'report --json' 'report --collapsed' 'report --html=-' \
        'report --csv' 'report --text --min 0' 'merge -o -'; do
        case $form$shape in
            *csv*deep_tree | *csv*tree_names | *min*0rows) ;; # rows of contexts; a long table
            *csv* | *min*) continue ;;
        esac
        before=$(cpu "$dir/small/$shape.brst" $form)
        after=$(cpu "$dir/big/$shape.brst" $form)
        status=$(cat "$dir/status")
        [ "$status" = 0 ] || { [ "$status" = 2 ] && grep -q ': offset [0-9]*: ' "$dir/stderr"; } ||
            { [ "$form $status" = 'report --collapsed 2' ] &&
                grep -q ': nothing in it can be shown\|: the stacks would take' "$dir/stderr"; }
        ok $? "$form of $shape: status $status: $(head -c 200 "$dir/stderr")"
        [ "$before" -ge 30 ] || before=30 # what starting takes, on a busy machine
        [ "$after" -le $((48 * before)) ]
        ok $? "$form of $shape: $after ms of CPU, and $before ms for a sixteenth of the file"
        [ "$(cat "$dir/size")" -le $((67108864 + 512 * big)) ]
        ok $? "$form of $shape: $(cat "$dir/size") bytes of output"
    done
done
rm -rf "$dir/small" "$dir/big"
finish
