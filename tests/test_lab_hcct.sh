#!/bin/sh
# test_lab_hcct.sh - bursty-lab hcct and calls on traces whose answers are known, and on
# broken ones.
CC=${CC:-cc} BUILD=${BUILD:-build}
lab=$BUILD/bursty-lab
dir=$BUILD/tests/lab_hcct
mkdir -p "$dir"
. tests/check.sh
has() { # WHAT FILE PATTERN
    if grep -q -e "$3" "$2"; then
        pass
    else fail "$1: no '$3' in: $(head -c 600 "$2")"; fi
}
# The measures, which are the report's notes, as "name": value, ...
measures() {
    sed 's/.*"notes"://; s/"}\]/",/' "$dir/out" | tr -d '\n' |
        sed 's/{"name":\("[^"]*"\),"value":"\([^" ]*\)[^"]*"}*,*/\1: \2, /g'
}
status() { # WANTED COMMAND...: its output in out, its errors in err
    wanted=$1
    shift
    "$@" >"$dir/out" 2>"$dir/err"
    got=$?
    case $* in *--json*) [ "$got" != 0 ] || {
        measures >"$dir/measures"
        cat "$dir/measures" >>"$dir/out"
    } ;; esac
    if [ $got = "$wanted" ]; then
        pass
    else
        fail "status $got, wanted $wanted: $*"
        cat "$dir/err"
    fi
}

cat >"$dir/make.c" <<'END'
/* make KIND: a call trace on standard output. example: the hundred calls of docs/hcct.md; random;
   deep; raw: a raw recording with lost frames, and the balanced trace that it should become on
   standard error. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static unsigned char events[1 << 24];
static size_t size = 40;
static uint64_t enters, exits, ticks;
static void put(unsigned char *p, uint64_t v, int n) {
    while (n--) {
        *p++ = (unsigned char)v;
        v >>= 8;
    }
}
static void in(uint32_t routine, uint32_t site) {
    events[size] = 5;
    put(events + size + 1, routine, 4);
    put(events + size + 5, site, 2);
    size += 7;
    enters++;
}
static void out(void) { events[size++] = 1; exits++; }
static void header(void) {
    put(events, 0xABADCAFE, 4);
    put(events + 4, enters, 8);
    put(events + 12, exits, 8);
    put(events + 20, ticks, 8);
    put(events + 28, 0, 8);
    put(events + 36, 200, 4);
}
static void example(void) {
    int i, k;
    in(1, 0);
    for (i = 0; i < 6; i++) {
        in(2, 0);
        for (k = 0; k < 5; k++) { in(3, 0); if (i < 2 && k == 0) { in(4, 0); out(); } out(); }
        if (i < 3) for (k = 0; k < 3; k++) { in(5, 0); out(); }
        out();
    }
    for (i = 0; i < 3; i++) {
        in(6, 0);
        if (i == 0) {
            in(3, 0);
            for (k = 0; k < 25; k++) {
                in(4, 0);
                out();
            }
            out();
        }
        out();
    }
    for (i = 0; i < 22; i++) { in(7, 0); if (i == 0) { in(8, 0); out(); } out(); }
    out();
}
static void put16(FILE *f, uint32_t kind, uint32_t routine, uint32_t site, uint32_t frame) {
    unsigned char e[16];
    put(e, kind, 4); put(e + 4, routine, 4); put(e + 8, site, 4); put(e + 12, frame, 4);
    fwrite(e, 1, 16, f);
}
int main(int argc, char **argv) {
    uint64_t seed = 7;
    uint32_t i, depth = 0;
    const char *kind = argc > 1 ? argv[1] : "";
    if (strcmp(kind, "example") == 0) example();
    if (strcmp(kind, "random") == 0)
        for (i = 0; i < 400000; i++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            if (depth && (depth == 20 || seed >> 63)) { out(); depth--; }
            else {
                uint32_t routine = (uint32_t)(seed >> 40) % ((seed >> 33) & 3 ? 4 : 60);
                in(routine, (uint32_t)(seed >> 20) % 3 * 30000);
                depth++;
            }
            if (i % 100 == 99) { events[size++] = 4; ticks++; }
        }
    if (strcmp(kind, "deep") == 0) {
        for (i = 0; i < DEEP; i++) in(i % 2, 1);
        for (i = 0; i < DEEP; i++) out();
    }
    if (strcmp(kind, "raw") == 0) {
        put16(stdout, 0, 9, 0x12345678, 0xF0000000);  in(9, 0x5678);
        put16(stdout, 0, 8, 1, 0xE0000000);           in(8, 1);
        put16(stdout, 0, 7, 2, 0xD0000000);           in(7, 2);
        put16(stdout, 0, 6, 3, 0xE0000000);           out(); out(); in(6, 3); /* 7, 8: jumped over */
        put16(stdout, 1, 5, 0, 0x10); /* no such frame */
        put16(stdout, 1, 9, 0x12345678, 0xF0000000);  out(); out();                 /* 6 was, too */
        put16(stdout, 0, 5, 0, 0xC0000000);           in(5, 0); out(); /* still open at the end */
        header();
        put(events + 36, 0, 4);         /* no ticks, so no length of them */
        fwrite(events, 1, size, stderr);
        return 0;
    }
    header();
    fwrite(events, 1, size, stdout);
    return 0;
}
END
deep=200000 # FULL=1: a million
[ -z "${FULL-}" ] || deep=1000000
$CC -O1 -DDEEP=$deep -o "$dir/make" "$dir/make.c" || {
    echo "0 passed, 1 failed"
    exit 1
}
for kind in example random deep; do "$dir/make" $kind >"$dir/$kind.trace"; done
"$dir/make" raw >"$dir/raw" 2>"$dir/balanced"

# The worked example: all measures by hand.
for algo in lss lazy bss; do
    status 0 "$lab" hcct --algo $algo --phi 1/4 --epsilon 0.2 --json "$dir/example.trace"
    for pair in '"enters": 100,' '"contexts": 10,' '"hot_true": 2,' '"hot_found": 2,' \
        '"false_positives_possible": 1,' \
        '"false_positives_certain": 0,' '"false_negatives": 0,' '"underestimates": 0,' \
        '"overlap": 88,' '"hot_edge_coverage": 71.4285' \
        '"max_uncovered": 30,' '"avg_uncovered": 13.3333' '"max_error": 8,' '"avg_error": 4,' \
        '"max_error_adjusted": 0,' \
        '"avg_error_adjusted": 0,' '"effective_epsilon": 0.06,' '"peak_nodes": 9,' \
        '"node_bytes": ' '"total_bytes": ' '"ns_per_call": '; do
        has "$algo on the example" "$dir/out" "$pair"
    done
done
status 0 "$lab" hcct --algo lc --phi 25% --epsilon 1e-1 --json "$dir/example.trace"
for pair in '"hot_found": 2,' '"false_positives_possible": 1,' '"max_error": 20,' \
    '"avg_error": 10,' '"max_error_adjusted": 0,' '"effective_epsilon": 0.1,'; do
    has "lc on the example" "$dir/out" "$pair"
done
status 0 "$lab" hcct --algo cct --phi 1/4 --epsilon 1/5 --json "$dir/example.trace"
for pair in '"hot_found": 2,' '"false_positives_possible": 0,' '"max_error": 0,' \
    '"node_bytes": 20,' '"overlap": 66,' '"peak_nodes": 10,'; do
    has "cct on the example" "$dir/out" "$pair"
done
status 0 "$lab" hcct --algo sticky --phi 1/4 --epsilon 1/5 --delta 1/10 --seed 3 --json \
    "$dir/example.trace"
has "sticky on the example" "$dir/out" '"hot_found": 2,'
status 0 "$lab" hcct "$dir/example.trace"
has "text" "$dir/out" '^hot_true: 10$'
has "text" "$dir/out" '100 calls counted by Space-Saving'
has "text" "$dir/out" '0x1 from 0x0 > 0x2 from 0x0 > 0x3 from 0x0$'

# The same from standard input; bursts; bounded memory; very deep.
status 0 "$lab" hcct --json --phi 0.001 "$dir/random.trace"
sed 's/.*"enters"/"enters"/; s/"ns_per_call": [^,]*//' "$dir/measures" >"$dir/direct"
for line in '"false_negatives": 0,' '"false_positives_certain": 0,' '"underestimates": 0,' \
    '"certain_recall": 100,' '"forced": 0,'; do
    has random "$dir/out" "$line"
done
status 0 sh -c "cat '$dir/random.trace' | '$lab' hcct --json --phi 0.001 -"
sed 's/.*"enters"/"enters"/; s/"ns_per_call": [^,]*//' "$dir/measures" | cmp -s - "$dir/direct" &&
    pass || fail "standard input gives another answer"
for algo in lazy bss; do
    status 2 "$lab" hcct --algo $algo --nodes 300 "$dir/random.trace"
    has "$algo bounded" "$dir/err" '--nodes'
done
status 0 "$lab" hcct --json --phi 0.001 --nodes 300 "$dir/random.trace"
has bounded "$dir/out" '"peak_nodes": 300,'
has bounded "$dir/out" '"underestimates": 0,'
for bursts in --static '--static --ticks --every 16 --burst 4' \
    '--static --every 450 --burst 50' '--adaptive 0.2' '--adaptive 5%' '--adaptive 10%'; do
    # shellcheck disable=SC2086
    status 0 "$lab" hcct --json --phi 0.01 $bursts "$dir/random.trace"
    has "$bursts" "$dir/out" '"sampled_enters": [1-9]'
    has "$bursts" "$dir/out" '"bursts": [1-9]'
    hot=$(sed 's/.*"hot_true": \([0-9]*\), "hot_found": \([0-9]*\),.*/\1 \2/' "$dir/measures")
    if [ $((${hot#* } * 10)) -ge $((${hot% *} * 7)) ]; then
        pass
    else fail "$bursts: $hot hot true and found"; fi
done
for algo in lss lazy bss lc sticky cct; do
    status 0 "$lab" hcct --json --algo $algo --phi 0.01 "$dir/deep.trace"
    has "$deep deep, $algo" "$dir/out" "\"contexts\": $deep,"
    has "$deep deep, $algo" "$dir/out" '"lost": 0,'
done

# Broken traces: a message with file and offset, status 2, no report - or the report of what came
# before.
broken() { # NAME PATTERN: in $dir/broken
    status 2 "$lab" hcct --json "$dir/broken"
    has "$1" "$dir/err" "bursty-lab: .*broken: $2"
    empty "$dir/out" && pass || fail "$1: a report though it is broken"
}
keeps() {
    status 0 "$lab" hcct --json --keep-going "$dir/broken"
    has "$1, kept going" "$dir/out" "$2"
    has "$1, kept going" "$dir/err" 'offset'
}
size=$(wc -c <"$dir/example.trace")
head -c $((size - 1)) "$dir/example.trace" >"$dir/broken"
broken "the last exit is missing" \
    "offset $((size - 1)): the trace ends after 100 of 100 enters and 99 of 100 exits"
keeps "the last exit is missing" '"enters": 100,'
head -c 50 "$dir/example.trace" >"$dir/broken"
broken "cut in an event" 'offset 47: the trace is cut short in an enter'
keeps "cut in an event" '"enters": 1,'
head -c 39 "$dir/example.trace" >"$dir/broken"
broken "cut in the header" 'offset 39: the header is cut short'
: >"$dir/broken"
broken "empty" 'offset 0: the header is cut short'
{
    printf 'x'
    cat "$dir/example.trace"
} >"$dir/broken"
broken "magic" 'offset 0: no call trace'
printf '\050\265\057\375 and some more' >"$dir/broken"
broken "zstd" 'offset 0: is compressed; read it by `zstd -dc'
{
    cat "$dir/example.trace"
    printf '\001'
} >"$dir/broken"
broken "an exit too many" "offset $size: an exit below the root"
keeps "an exit too many" '"enters": 100,'
{
    head -c 40 "$dir/example.trace"
    printf '\001'
} >"$dir/broken"
broken "an exit first" 'offset 40: an exit below the root'
{
    head -c 54 "$dir/example.trace"
    printf '\011'
    tail -c +56 "$dir/example.trace"
} >"$dir/broken"
broken "no event" 'offset 54: no event begins with this byte'
keeps "no event" '"enters": 2,'
{
    head -c 4 "$dir/example.trace"
    printf '\377\377\377\377\377\377\377\377'
    tail -c +13 "$dir/example.trace"
} >"$dir/broken"
broken "absurd" "offset 4: the header's number of enters is absurd"
keeps "absurd" '"enters": 100,'
{
    head -c 4 "$dir/example.trace"
    printf '\143'
    tail -c +6 "$dir/example.trace"
} >"$dir/broken"
broken "more exits than enters" 'offset 12: the header counts more exits than enters'
{
    head -c 4 "$dir/example.trace"
    printf '\145'
    tail -c +6 "$dir/example.trace"
} >"$dir/broken"
broken "an enter is missing" "offset $size: the trace ends after 100 of 101"
status 2 "$lab" hcct --json "$dir/none"
has "no file" "$dir/err" 'none: '
status 2 sh -c "head -c 50 '$dir/example.trace' | '$lab' hcct -"
has "cut standard input" "$dir/err" 'standard input: offset 47'

# Options that will not do.
for bad in '--phi 2' '--phi 0' '--phi x' '--phi 0.1.2' '--epsilon 0.5 --phi 0.5' '--nodes 0' \
    '--nodes -1' '--algo none' '--adaptive x' '--adaptive 2' '--adaptive 101%' \
    '--static --interval 5' '--static --every 0' '--every 5' '--burst 5' --ticks '--seed' '--wrong' 'second'; do
    # shellcheck disable=SC2086
    status 2 "$lab" hcct "$dir/example.trace" $bad
    [ "$(wc -l <"$dir/err")" = 1 ] && pass || fail "$bad: not one line: $(cat "$dir/err")"
done
status 2 "$lab" hcct
status 0 "$lab" hcct -h
status 0 "$lab" calls -h
status 0 "$lab" hcct --help
has help "$dir/out" keep-going

# Raw recordings.
status 0 "$lab" calls --raw16 "$dir/raw" -o "$dir/out.trace"
frames='1 exits without a frame dropped, 1 frames open at the end, depth at most 3'
has raw16 "$dir/err" "5 enters, 3 frames repaired, $frames"
cmp -s "$dir/out.trace" "$dir/balanced" && pass || fail "raw16 to a file: another trace"
"$lab" calls --raw16 - <"$dir/raw" 2>/dev/null | cmp -s - "$dir/balanced" && pass ||
    fail "raw16 through pipes: another trace"
"$lab" calls --raw16 "$dir/raw" 2>/dev/null >"$dir/out.trace"
cmp -s "$dir/out.trace" "$dir/balanced" && pass || fail "raw16 redirected: another trace"
status 0 "$lab" hcct --json "$dir/balanced"
has balanced "$dir/out" '"enters": 5,'
head -c 41 "$dir/raw" >"$dir/broken"
status 2 "$lab" calls --raw16 "$dir/broken" -o "$dir/out.trace"
has "cut raw16" "$dir/err" 'broken: offset 32: the recording is cut short'
status 0 "$lab" calls --raw16 --keep-going "$dir/broken" -o "$dir/out.trace"
status 0 "$lab" hcct --json "$dir/out.trace"
has "cut raw16" "$dir/out" '"enters": 2,'
{
    head -c 16 "$dir/raw"
    printf '\002'
    tail -c +18 "$dir/raw"
} >"$dir/broken"
status 2 "$lab" calls --raw16 "$dir/broken"
has "wrong kind" "$dir/err" 'broken: offset 16: an event of kind 2'
status 2 "$lab" calls "$dir/raw"
status 2 "$lab" calls --raw16
status 2 "$lab" calls --raw16 "$dir/none"
status 0 "$lab" calls --help

# The commands of --help make a trace of a program: 30 calls of a, 60 of b from two places, 10 of c.
cat >"$dir/prog.c" <<'END'
#include <stdio.h>
static int b(int n) { return n + 1; }
static int a(int n) { return b(n) + b(n + 1); }
static int c(int n) { return n * 2; }
int main(void) {
    int i, s = 0;
    for (i = 0; i < 30; i++) s += a(i);
    for (i = 0; i < 10; i++) s += c(i);
    return printf("%d\n", s) < 0;
}
END
case $lab in /*) whole=$lab ;; *) whole=$PWD/$lab ;; esac
"$lab" hcct --help | sed -n "/^      [a-zA-Z]/{s|^ *||; s|^gcc|$CC|; s|lab/paper|$PWD/&|; s|bursty-lab|$whole|; p;}" \
    >"$dir/commands"
check "four commands" [ "$(grep -c . "$dir/commands")" = 4 ]
if (cd "$dir" && sh -e ./commands >shown 2>log); then
    for count in 1 10 30; do
        check "contexts of $count calls" grep -q "^ *[0-9.]*%  *$count  *$count  0x" "$dir/shown"
    done
    check "three have 30" [ "$(grep -c '%  *30  *30  0x' "$dir/shown")" = 3 ]
else skip "no programs of -finstrument-functions run here"; fi

finish
