#!/bin/sh
# mcdc_cost.sh [PROGRAM ...] - lua bzip2 cjson sqlite: what --cover=mcdc costs beside --cover=bytes (a mark for each outcome of
# a condition) and plain, at -O2: executed instructions by callgrind, text, bytes of marks, and what there is to show. Outputs
# are compared. "one" decisions have a mark a run, "own" find out themselves (more than 64 runs), "left" are left alone.
set -u
cd "$(dirname "$0")/.." || exit 2
top=$PWD
BUILD=${BUILD:-build}
case $BUILD in /*) ;; *) BUILD=$top/$BUILD ;; esac
src=${SRC:-$BUILD/bench/src}
work=$BUILD/bench/cc
bursty=$BUILD/bursty
mkdir -p "$work" || exit 2
[ -d "$src/lua/src" ] && [ -f "$src/sqlite/sqlite3.c" ] || sh bench/setup.sh || exit 2

instructions() { # FORM COMMAND: of the whole run, without what the dump at exit costs
    sh -c "BURSTY_COVERAGE=$1.brst exec valgrind --tool=callgrind --toggle-collect=main --callgrind-out-file=/dev/null ./$1-run $2" 2>&1 |
        sed -n 's/.*Collected : *\([0-9]*\).*/\1/p'
}

program() { # NAME RUN FLAGS FILES...
    name=$1 run=$2 flags=$3
    shift 3
    here=$work/$name-mcdc
    rm -rf "$here" && mkdir -p "$here" && cp -p "$@" "$here" && cd "$here" || exit 2
    cp -p "$top"/bench/real/work.* "$top"/bench/real/main_*.c .
    for file in "$@"; do cp -p "$(dirname "$file")"/*.h . 2>/dev/null; done
    files=
    for file in "$@"; do files="$files $(basename "$file")"; done
    # shellcheck disable=SC2086
    gcc -w -O2 $flags -I. -o none-run $files -lm || exit 1
    for form in bytes mcdc mcdc-bits; do
        # shellcheck disable=SC2086
        $bursty cc --cover=$form --list=left.$form -- gcc -w -O2 $flags -I. -o $form-run $files -lm || exit 1
    done
    for form in none bytes mcdc mcdc-bits; do
        eval "BURSTY_COVERAGE=$form.brst ./$form-run $run" >$form.txt 2>&1
        cmp -s none.txt $form.txt || echo "$name: $form: the output differs"
        instructions $form "$run" >$form.count
        size -A $form-run | awk '$1 == ".text" { print $2 }' >$form.text
        nm -S --radix=d $form-run | awk '$4 ~ /^bursty_c_/ { s += $2 } END { print s + 0 }' >$form.marks
    done
    $bursty report --csv mcdc.brst | awk -F, '/^outcomes_shown,/ { on = 1; next } /^$/ { on = 0 }
        on && $2 > 0 { n++; one += $4 > 0; own += $4 == 0 } on && $2 == 0 { n++; left++ }
        END { print n + 0, one + 0, own + 0, left + 0 }' >decisions
    $bursty report mcdc.brst | sed -n 's/.*MC.DC (masking) \([0-9]* of [0-9]*\).*/\1/p' >shown
    printf '| %s |' "$name"
    for what in count text; do
        for form in bytes mcdc mcdc-bits; do
            cat none.$what $form.$what | awk 'NR == 1 { a = $1 } NR == 2 { printf " %.3f |", $1 / a }'
        done
    done
    printf ' %s / %s / %s | %s | %s |\n' "$(cat bytes.marks)" "$(cat mcdc.marks)" "$(cat mcdc-bits.marks)" \
        "$(cat decisions)" "$(cat shown)"
    cd "$top" || exit 2
}

lua() {
    set -- "$src"/lua/src/*.c
    keep=
    for file in "$@"; do case $file in */luac.c|*/ltests.c|*/onelua.c) ;; *) keep="$keep $file" ;; esac; done
    # shellcheck disable=SC2086
    program lua work.lua "-std=gnu99 -I$src/include -DLUA_COMPAT_5_3 -DLUA_USE_POSIX -Dluai_makeseed(L)=1" $keep
}
bzip2() {
    s=$src/bzip2
    program bzip2 "-c9 <work.lua" "" "$s/blocksort.c" "$s/huffman.c" "$s/crctable.c" "$s/randtable.c" \
        "$s/compress.c" "$s/decompress.c" "$s/bzlib.c" "$s/bzip2.c"
}
cjson() { program cjson "" "" "$src/cjson/cJSON.c" "$src/cjson/test.c"; }
sqlite() {
    program sqlite "work.sql 1" "-DSQLITE_THREADSAFE=0 -DSQLITE_OMIT_LOAD_EXTENSION" "$src/sqlite/sqlite3.c" \
        "$top/bench/real/main_sqlite.c"
}

echo '| program | instructions: bytes | mcdc | mcdc-bits | text: bytes | mcdc | mcdc-bits | bytes of marks: bytes / mcdc / mcdc-bits | decisions one own left | outcomes shown |'
echo '|---|---:|---:|---:|---:|---:|---:|---|---|---|'
for name in ${*:-lua bzip2 cjson sqlite}; do "$name"; done
