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

[ -z "$RUN" ] || leave "an emulator needs memory and time of its own"
# A program that is compiled as the tool is.
echo 'int main(void) { return 0; }' >"$dir/empty.c"
# shellcheck disable=SC2086
$CC ${CFLAGS-} -o "$dir/empty" "$dir/empty.c" && (ulimit -v 32768 && "$dir/empty") >/dev/null 2>&1 ||
    leave "address space cannot be limited here (a sanitizer?)"
$CC -O1 -std=c99 -Itests -o "$dir/make_hostile" tests/make_hostile.c || echo "make_hostile failed"
shapes=$("$dir/make_hostile" "$dir/small" $small)
"$dir/make_hostile" "$dir/big" $big >/dev/null
[ "$(echo "$shapes" | wc -l)" -ge 20 ]
ok $? "the shapes are made: $shapes"

# cpu FILE BYTES ARGUMENTS...: the CPU time of `bursty ARGUMENTS FILE` in milliseconds ($took), its
# $status and the $size of its output. BYTES are the file's. Few processes: it runs hundreds of times.
cpu() {
    file=$1 kib=$((32768 + 100 * $2 / 1024))
    shift 2
    size=$(
        (
            ulimit -v $kib
            "$BUILD/bursty" "$@" "$file" 2>"$dir/stderr"
            status=$?
            times >"$dir/times"
            echo $status >"$dir/status"
        ) | wc -c
    )
    read -r status <"$dir/status"
    took=$(awk -F '[ms ]+' 'NR == 2 { printf "%.0f", 1000 * (60 * ($1 + $3) + $2 + $4) }' "$dir/times")
}

for shape in $shapes; do
    small_file=$dir/small/$shape.brst big_file=$dir/big/$shape.brst
    small_bytes=$(wc -c <"$small_file") big_bytes=$(wc -c <"$big_file")
    for form in 'report --text' 'report --timeline' 'report --to 1' 'report --json' 'report --collapsed' 'report --html=-' \
        'report --csv' 'report --text --min 0' 'merge -o -'; do
        case $form$shape in
            *csv*deep_tree | *csv*tree_names | *min*0rows) ;; # rows of contexts; a long table
            *--timelinetimeline* | *'--to 1timeline'*) ;;
            *csv* | *min* | *--timeline* | *'--to 1'*) continue ;;
        esac
        before=30 # what starting takes, on a busy machine
        cpu "$big_file" "$big_bytes" $form
        after=$took
        { [ "$status" = 0 ] && [ "$size" != 0 ]; } || { [ "$status" = 2 ] && grep -q ': offset [0-9]*: ' "$dir/stderr"; } ||
            { [ "$form $status" = 'report --collapsed 2' ] &&
                grep -q ': nothing in it can be shown\|: the stacks would take' "$dir/stderr"; }
        good=$?
        ok $good "$form of $shape: status $status: $([ $good = 0 ] || head -c 200 "$dir/stderr")"
        [ "$size" -le $((67108864 + 512 * big)) ]
        ok $? "$form of $shape: $size bytes of output"
        # The small file is asked only where its answer can matter.
        if [ "$after" -gt $((48 * before)) ]; then
            cpu "$small_file" "$small_bytes" $form
            [ "$took" -le $before ] || before=$took
        fi
        [ "$after" -le $((48 * before)) ]
        ok $? "$form of $shape: $after ms of CPU, and $before ms for a sixteenth of the file"
    done
done
# What merge writes, merge reads; and it writes the same again. Also of two equal files. One shape is
# refused whole.
for shape in $shapes; do
    for twice in '' "$dir/small/$shape.brst"; do
        "$BUILD/bursty" merge -o "$dir/sum" "$dir/small/$shape.brst" $twice 2>/dev/null || [ "$shape" != sharing_over ] || continue
        "$BUILD/bursty" merge -o "$dir/again" "$dir/sum" 2>"$dir/stderr" && cmp -s "$dir/sum" "$dir/again"
        ok $? "merge of $shape${twice:+, twice}: its sum is not read: $(cat "$dir/stderr")"
    done
done
rm -rf "$dir/small" "$dir/big"
finish
