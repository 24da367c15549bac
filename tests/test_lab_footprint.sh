#!/bin/sh
# test_lab_footprint.sh - bursty-lab footprint on traces whose answers are known, in every
# form, and on broken ones.
CC=${CC:-cc} BUILD=${BUILD:-build}
bursty=$BUILD/bursty lab=$BUILD/bursty-lab
dir=$BUILD/tests/lab_footprint
mkdir -p "$dir"
. tests/check.sh
has() {
    if grep -q -e "$2" "$dir/$1"; then
        pass
    else fail "no '$2' in $1: $(head -c 300 "$dir/$1")"; fi
}
hasnt() { lacks "$dir/$1" "$2" "$3"; ok $? "$1 has $3, or no $2"; }
run() { # STATUS ARGUMENT...: output in out, errors in err
    wanted=$1
    shift
    "$lab" footprint "$@" >"$dir/out" 2>"$dir/err"
    got=$?
    if [ $got = "$wanted" ]; then
        pass
    else fail "status $got, not $wanted: $*: $(head -n 3 "$dir/err")"; fi
}

cat >"$dir/make.c" <<'END'
/* make KIND N M: a block trace. Kinds: random, cyclic, phased; threads: two threads in turns of M,
   numbers 3 and 7. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
static uint64_t last[2];
static void put(uint64_t block, int t) {
    int64_t d = (int64_t)(block - last[t]);
    uint64_t z = ((uint64_t)d << 1) ^ (d < 0 ? ~(uint64_t)0 : 0);
    for (; z > 127; z >>= 7) putchar((int)(z & 127) | 128);
    putchar((int)z);
    last[t] = block;
}
int main(int argc, char **argv) {
    unsigned long n = strtoul(argv[2], NULL, 10), m = strtoul(argv[3], NULL, 10), i;
    uint64_t s = 1;
    (void)argc;
    for (i = 0; i < n; i++) {
        s = s * UINT64_C(6364136223846793005) + 1442695040888963407u;
        switch (argv[1][0]) {
        case 't': {
            int t = (int)(i / m % 2);
            putchar(t ? 7 : 3);
            put(100000u * (unsigned)t + (s >> 40) % 50, t);
            break;
        }
        case 'c': put(1000000 + i % m, 0); break;
        case 'p': put(1000000 + i / 5000 * m + (s >> 40) % m, 0); break;
        default: put(1000000 + (s >> 40) % m, 0); break;
        }
    }
    return 0;
}
END
$CC -std=c99 -o "$dir/make" "$dir/make.c" || {
    echo "0 passed, 1 failed"
    exit 1
}
make() { "$dir/make" "$1" "$2" "$3" >"$dir/$4"; }
make cyclic 5000 100 cyclic
make random 20000 3000 random
make phased 20000 400 phased
make threads 30000 10 turns
make threads 40000 1000 long

# every window of every kind, by a list that shares nothing with the library
for trace in cyclic random phased; do
    for c in 1 .99 .9 .75 .5; do
        run 0 --c $c --check --json "$dir/$trace"
        has out '{"name":"violations","value":"0"}'
        [ $c = 1 ] && has out '{"name":"cells_not_exact","value":"0 of '
    done
done
# what samples blocks is not exact, and --check fails: by marks, and by the tables of a trace that is
# shorter than 64 accesses
run 1 --c 1 --check --blocks-max 100 --json "$dir/random"
hasnt out '"name":"violations"' '{"name":"violations","value":"0"}'
make random 60 40 short
run 0 --c 1 --check --json "$dir/short"
run 1 --c 1 --check --sample 8 --json "$dir/short"
has out '{"name":"violations","value":"0"}'
hasnt out '"name":"cells_not_exact"' '{"name":"cells_not_exact","value":"0 of '
run 0 --c .9 --check --interleave 3,7 --json "$dir/turns"
has out '{"name":"violations","value":"0"}'
run 0 --c 1 --check --interleave 7,3 --json "$dir/long"
has out '{"name":"violations","value":"0"}'

# what is known: 100 blocks in turn
run 0 --c 1 --json "$dir/cyclic"
for key in '"accesses":5000,' '"distinct":100,' '"c":1,' '"ns_per_access"' '"bytes_per_block"' \
    '"worth":"exact to the bin'; do
    has out "$key"
done
# A footprint that is a bound makes one of the knee, too; one that is exact, or of averages, does not.
for words in '--c .9: (0 to 98 %).' '--c 1:.' '--c .9 --average:.'; do
    # shellcheck disable=SC2086
    run 0 ${words%:*} "$dir/cyclic"
    tr '\n' ' ' <"$dir/out" | grep -qF "98 % of the misses less${words##*:} " && pass ||
        fail "the knee with $words: $(grep -A1 'A cache of' "$dir/out")"
done
run 0 --c 1 --csv "$dir/cyclic"
has out '^# windows: footprint of '
has out '^window_accesses,least,percent_5,median,percent_95,most,average$'
has out '^95,91.5,91.5,91.5,91.5,91.5,95$'
has out '^143,99.5,99.5,99.5,99.5,99.5,100$'
has out '^cache_bytes,miss_ratio$'
has out '^6080,1$'
has out '^6592,0.02$'
run 0 --c 1 --json "$dir/cyclic"
cp "$dir/out" "$dir/file"
"$lab" footprint --c 1 --json - <"$dir/cyclic" >"$dir/out" 2>"$dir/err" && pass ||
    fail "standard input"
sed '/ns_per/d; /"title"/d' "$dir/out" >"$dir/a"
sed '/ns_per/d; /"title"/d' "$dir/file" >"$dir/b"
cmp -s "$dir/a" "$dir/b" && pass || fail "standard input differs from file"
run 0 "$dir/cyclic"
has out '5000 accesses to 100 blocks of 64 bytes'
run 0 --svg --title 'a <b> & c' "$dir/cyclic"
has out "^<svg xmlns="
has out 'a &lt;b&gt; &amp; c'
has out '>window_accesses<'
has out '>cache_bytes<'
has out '>most</text>'
run 0 --html "$dir/page.html" "$dir/cyclic"
grep -q 'footprints' "$dir/page.html" && pass || fail "the page shows no footprints"
run 0 --block-bytes 4096 "$dir/cyclic"
has out 'blocks of 4096 bytes'

# averages alone; a phase; a bound; sampling; the paper's sampling
run 0 --average --csv "$dir/cyclic"
has out '^95,,,,,,95$'
run 0 --c 1 --from 2000 --to 3000 --json "$dir/cyclic"
has out '"accesses":1000,'
run 0 --to 50 --json "$dir/cyclic"
has out '"distinct":50,'
run 0 --window-max 1023 --csv "$dir/random"
has out '^1023,'
hasnt out '^1023,' '^1151,'
for share in 1/8 0.125 8; do
    run 0 --sample $share --csv "$dir/random"
    has out '^512,'
    hasnt out '^512,' '^448,' # misses of caches below 8 blocks cannot be told
    run 0 --sample $share "$dir/random"
    has out 'one block in 8 is followed: no guarantee'
    has out 'without guarantee'
done
run 0 --blocks-max 500 "$dir/random"
has out 'blocks did not fit'
run 0 --blocks-max 500 --forget "$dir/random"
has out 'old blocks dropped'
hasnt out 'old blocks dropped' 'one block in'
run 0 --one-in-n --json "$dir/random"
has out '"accesses":20000,'
has out 'without guarantee'

# bursts: estimates with intervals, which hold what the whole trace is
run 0 --every 300 --burst 300 --csv "$dir/random"
has out '^# windows: footprint of '
has out '^window_accesses,least,percent_5,median,percent_95,most,average,average_low,average_high$'
has out '^cache_bytes,miss_ratio,miss_low,miss_high$'
awk -F, '/^cache_bytes/ { on = 1; next }
    on && $1 == 9152 { ok = $3 <= .9523 && .9523 <= $4 && $4 - $3 < .02 }  # 143 of 3000 blocks
    END { exit !ok }' "$dir/out" && pass || fail "misses of a sample: $(grep ^9152 "$dir/out")"
run 0 --every 300 --burst 300 "$dir/random"
has out 'estimated from [0-9]* bursts, with 95 % intervals'
has out 'of more than [0-9]* bytes are not known'
hasnt out intervals guarantee
run 0 --every 9000 --burst 300 "$dir/random"
has out 'bursts are too few'
hasnt out 'bursts are too few' 'misses of a cache'
run 2 --every 300 "$dir/random"
has err '^bursty-lab: footprint: --every and --burst go together'
run 2 --every 300 --burst 10 --check "$dir/random"
has err '^bursty-lab: footprint: --every and --burst take samples; not with '

# threads
run 0 --threads --json "$dir/turns"
has out '"accesses":30000,'
run 0 --thread 7 --json "$dir/turns"
has out '"accesses":15000,'
has out '"distinct":50,'
run 0 --c 1 --interleave 3,7 --csv --title long "$dir/long"
has out '^# windows: interleaving of long: accesses of thread 7 beside thread 3$'
has out '^1023,0,45.5,495.5,927.5,991.5,$'
run 0 --interleave 3,7 "$dir/turns"
has out '30000 accesses of two threads'
has out '^turns: 3000'
run 0 --interleave 3,7 --svg "$dir/turns"
has out 'accesses of thread 3 beside thread 7'

# an input is never written over, and two outputs do not go to one file
cp "$dir/cyclic" "$dir/kept"
ln -sf kept "$dir/link"
rm -f "$dir/both"
for output in "--dump $dir/kept" "-o $dir/kept" "--html $dir/link" "--json=$dir/./kept"; do
    run 2 $output "$dir/kept"
    has err '^bursty-lab: .*: is an input, and would be overwritten$'
done
cmp -s "$dir/cyclic" "$dir/kept" && pass || fail "an output destroyed the trace"
run 2 --dump "$dir/both" -o "$dir/./both" "$dir/kept"
has err '/both: the report and the dump would both be written there$'
run 2 --dump - "$dir/kept"
has err 'the report and the dump would both go to standard output$'
[ ! -e "$dir/both" ] && pass || fail "a refused replay wrote a file"
run 0 --dump /dev/null -o /dev/null "$dir/kept"

# dumps go through report and merge
run 0 --title cyclic --dump "$dir/a.brst" "$dir/cyclic"
run 0 --title random --dump "$dir/b.brst" "$dir/random"
"$bursty" report "$dir/a.brst" >"$dir/out" 2>"$dir/err" && pass ||
    fail "report of a dump: $(cat "$dir/err")"
has out '5000 accesses to 100 blocks'
run 0 --title cyclic --dump "$dir/c.brst" --json "$dir/cyclic"
cmp -s "$dir/a.brst" "$dir/c.brst" && pass || fail "the same trace gave another dump"

# two programs that go round 100 blocks each, at the same speed, share a cache: all miss until both
# fit
run 0 --c 1 --title one --dump "$dir/one.brst" "$dir/cyclic"
run 0 --c 1 --title two --dump "$dir/two.brst" "$dir/cyclic"
"$bursty" corun "$dir/one.brst" "$dir/two.brst" >"$dir/out" 2>"$dir/err" && pass ||
    fail "corun: $(cat "$dir/err")"
has out '^program 2, 50.00% of the accesses: two$'
has out '^ *8192  *100.00%  *100.00%  *100.00%$'
has out '^ *16384  *2.00%  *2.00%  *2.00%$'      # first accesses miss in any cache
"$bursty" corun --size 8k,1M,12800 --rate 1,3e9 "$dir/one.brst" "$dir/two.brst" >"$dir/out" \
    2>"$dir/err" && pass || fail "corun --size --rate: $(cat "$dir/err")"
has out '^program 1, 0.00% of the accesses: one$'
has out '^ *8192  *2.00%  *100.00%  *2.00%$'     # the first is slow, and the second has all
has out '^ *1048576  *2.00%  *2.00%  *2.00%$'
[ "$(grep -c '^  *[0-9]' "$dir/out")" = 3 ] && pass || fail "corun --size prints other sizes"
for wrong in '--size 0' '--size 8q' '--size 8k,' '--size ,' '--rate x' '--rate -1,2' '--rate 1'; do
    # shellcheck disable=SC2086
    "$bursty" corun $wrong "$dir/one.brst" "$dir/two.brst" >"$dir/out" 2>"$dir/err"
    [ $? = 2 ] && pass || fail "corun $wrong"
    [ "$(wc -l <"$dir/err")" = 1 ] && pass || fail "corun $wrong: $(cat "$dir/err")"
done
has err '^bursty: corun: --rate has 1 rates for 2 programs$'
# more cache never misses more, and what a cache misses stays between 0 and 1
run 0 --title random --dump "$dir/r.brst" "$dir/random"
"$bursty" corun "$dir/r.brst" "$dir/two.brst" >"$dir/out" 2>"$dir/err"
awk '/^ *[0-9]/ { for (i = 2; i <= 4; i++) { v = $i + 0; if (v > 100 || v < 0 || (n && v > was[i])) bad = 1
     was[i] = v } n++ } END { exit bad || n < 8 }' "$dir/out" && pass || fail "corun is not monotone"
"$bursty" corun "$dir/one.brst" >"$dir/out" 2>"$dir/err" && fail "corun of one program" || pass
has err '^bursty: corun: at least two footprints are wanted, and here is one$'
"$bursty" corun >"$dir/out" 2>"$dir/err"
[ $? = 2 ] && pass || fail "corun without a file"
has err '^bursty: corun: no input: give FILE ...;'
# two copies of one program: the same name in two files, and in a file of two parts it is one
cp "$dir/one.brst" "$dir/copy.brst"
"$bursty" corun "$dir/one.brst" "$dir/copy.brst" >"$dir/out" 2>"$dir/err" && pass ||
    fail "corun of copies: $(cat "$dir/err")"
has out '^program 1, 50.00% of the accesses: one$'
has out '^program 2, 50.00% of the accesses: one (2)$'
has out '^ *8192  *100.00%  *100.00%  *100.00%$'
cat "$dir/one.brst" "$dir/copy.brst" >"$dir/runs.brst"
"$bursty" corun "$dir/runs.brst" "$dir/two.brst" >"$dir/out" 2>"$dir/err" && pass ||
    fail "corun of two runs: $(cat "$dir/err")"
has out '^program 1, 66.67% of the accesses: one$'
run 0 --average --title fast --dump "$dir/fast.brst" "$dir/cyclic"
"$bursty" corun "$dir/fast.brst" "$dir/two.brst" >"$dir/out" 2>"$dir/err" && pass ||
    fail "corun of averages: $(cat "$dir/err")"
has out '^ *8192  *100.00%  *100.00%  *100.00%$'
run 0 --title pages --block-bytes 4096 --dump "$dir/pages.brst" "$dir/cyclic"
"$bursty" corun "$dir/one.brst" "$dir/pages.brst" >"$dir/out" 2>"$dir/err" &&
    fail "corun of two sizes of blocks" || pass
has err 'pages.brst: its blocks are of another size'
run 0 --interleave 3,7 --title pair --dump "$dir/pair.brst" "$dir/turns"
"$bursty" corun "$dir/one.brst" "$dir/pair.brst" >"$dir/out" 2>"$dir/err" &&
    fail "corun of an interleaving" || pass
has err 'pair.brst: an interleaving of threads has no footprint'
if [ -w /dev/full ]; then
    "$bursty" corun "$dir/one.brst" "$dir/two.brst" >/dev/full 2>"$dir/err"
    [ $? = 1 ] && pass || fail "corun to a full disk: status $?"
fi

# a program of phases: a mark where averages mislead, and the truth of a shared LRU list between
cat >"$dir/shared.c" <<'END'
/* shared: block traces `phases` and `steady`, each 60 000 accesses; with sizes as arguments what the
   first misses, in percent, of an LRU cache of so many blocks that both use in turns. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
enum { N = 60000 };
static unsigned a[N], b[N], list[4096];
static unsigned below(unsigned m) {
    static uint64_t s = 7;
    s = s * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (unsigned)(s >> 40) % m;
}
static void save(const char *name, const unsigned *block) {
    FILE *f = fopen(name, "wb");
    int i, last = 0, d;
    for (i = 0; f && i < N; last = (int)block[i++]) {
        d = (int)block[i] - last;
        d = d < 0 ? -2 * d - 1 : 2 * d;
        for (; d > 127; d >>= 7) putc((d & 127) | 128, f);
        putc(d, f);
    }
    if (f) fclose(f);
}
int main(int argc, char **argv) {
    int i, k;
    for (i = 0; i < N; i++) a[i] = i / 6000 % 2 ? 1000 + below(20) : below(300);
    for (i = 0; i < N; i++) b[i] = 5000 + below(1 + below(400));
    if (argc == 1) {
        save("phases", a);
        save("steady", b);
    }
    for (k = 1; k < argc; k++) {
        unsigned size = (unsigned)atoi(argv[k]), used = 0, misses = 0, n;
        for (i = 0; i < 2 * N; i++) {
            unsigned block = i % 2 ? b[i / 2] : a[i / 2];
            for (n = 0; n < used && list[n] != block; n++) { }
            if (n == used) misses += i % 2 == 0;
            if (n == used && used < size) used++;
            else if (n == used) n--;
            memmove(list + 1, list, n * sizeof *list);
            list[0] = block;
        }
        printf("%u %.2f\n", 64 * size, 100.0 * misses / N);
    }
    return 0;
}
END
$CC -O1 -std=c99 -o "$dir/shared" "$dir/shared.c" && (cd "$dir" && ./shared) || fail "shared.c"
run 0 --c 1 --title phases --dump "$dir/phases.brst" "$dir/phases"
run 0 --c 1 --title steady --dump "$dir/steady.brst" "$dir/steady"
"$dir/shared" 64 128 256 320 384 448 >"$dir/lru"
"$bursty" corun --size 4k,8k,16k,20k,24k,28k "$dir/phases.brst" "$dir/steady.brst" >"$dir/out" || fail "corun of phases"
# Fields: size, all, program 1, program 2, then 1:A-B% and 2:A-B%, where there is a doubt.
awk 'NR == FNR { truth[$1] = $2; next }
    /^ *[0-9]+ / {
        one = $3 + 0; t = truth[$1]
        doubt = 0
        for (i = 5; i <= NF; i++) {
            if (split($i, part, /[:-]/) != 3 || part[2] + 0 > part[3] + 0) bad = bad " " $i
            if (part[1] == 1) { doubt = 1; if (t < part[2] - .01 || t > part[3] + .01) bad = bad " " $1 }
        }
        if (doubt) marked++
        else { plain++; if (t < one * .88 - 1 || t > one * 1.12 + 1) bad = bad " " $1 }
    }
    END { if (bad != "" || plain < 2 || marked < 2) { print plain, marked, "bad:" bad; exit 1 } }' \
    "$dir/lru" "$dir/out" >"$dir/bad" && pass || fail "corun of phases: $(cat "$dir/bad" "$dir/lru" "$dir/out")"
has out 'truth is likely to lie between'
"$bursty" corun "$dir/steady.brst" "$dir/r.brst" >"$dir/out" || fail "corun without phases"
hasnt out '^ *[0-9]* .*%' '[0-9]:[0-9]'

# a loop has a cliff; beside a program of phases nobody knows where, beside a steady one nearly
make cyclic 60000 150 loop
run 0 --c 1 --title loop --dump "$dir/loop.brst" "$dir/loop"
"$bursty" corun --size 8k,12k,14k,18k,32k "$dir/phases.brst" "$dir/loop.brst" >"$dir/out" || fail "corun of a cliff"
has out '^ *12288 .* 100.00%  2:0.25-100.00%$'
has out '^ *14336 .*  0.25%  2:0.25-100.00%$'
has out '^ *18432 .*  0.25%  1:[0-9.]*-[0-9.]*%$'
has out '^ *8192 .* 100.00%$'
has out '^ *32768 .*  0.25%$'
"$bursty" corun --size 8k,18k,32k "$dir/steady.brst" "$dir/loop.brst" >"$dir/out" || fail "corun of a loop"
hasnt out '^ *[0-9]* .*%' '[0-9]:[0-9]'

# what is wrong is said, with file and offset, and what came before is kept
head -c 3000 "$dir/random" >"$dir/whole"
printf '\377' | cat "$dir/whole" - >"$dir/cut"
run 0 --title t --json "$dir/whole"
grep '"accesses"' "$dir/out" >"$dir/a"
run 0 --title t --json "$dir/cut"
has err 'cut: offset [0-9]*: the last access is cut short; the [0-9]* before it are kept'
grep '"accesses"' "$dir/out" >"$dir/b"
[ "$(wc -c <"$dir/a")" = "$(wc -c <"$dir/b")" ] && pass || fail "a cut access changed what came before"
printf '\002\004\200\200\200\200\200\200\200\200\200\177\002' >"$dir/long_number"
run 2 --json "$dir/long_number"
has err 'long_number: offset 2: a number of more than 64 bits.* after 2 accesses'
has out '"accesses":2,'
printf '\050\265\057\375aaaaaaaa' >"$dir/zstd"
run 2 "$dir/zstd"
has err 'zstd: offset 0: is compressed'
: >"$dir/empty"
run 2 --json "$dir/empty"
has err 'empty: offset 0: is empty'
run 2 tests/test_lab_footprint.sh
has err 'test_lab_footprint.sh: offset 0: is text'
run 2 "$dir/none"
has err 'none: '
run 2 "$dir"
has err 'offset 0: cannot be read\|[Dd]irectory'
run 2 --interleave 3,8 "$dir/turns"
has err 'no access of thread 8'
run 2 --from 9999 --json "$dir/cyclic"
has err 'ends at access 5000, before --from 9999'
for bad in '--c 0' '--c 1.5' '--c x' '--sample 0' '--sample x' '--interleave 3' '--interleave 3,3' \
    '--interleave 3,999' '--thread 256' '--window-max 0' \
    '--block-bytes 48' '--to 0' '--from 5 --to 5' '--from -1' '--check --average' \
    '--one-in-n --from 3' '--nonsense' '--thread 1 --interleave 1,2'; do
    # shellcheck disable=SC2086
    run 2 $bad "$dir/cyclic"
    has err '^bursty-lab: .*footprint'
done
run 2 "$dir/cyclic" "$dir/random"
run 2 "$dir/cyclic" --c
has err -- '--c wants a value'
run 2
run 0 --help
has out 'usage: bursty-lab footprint'
has out 'bursty-lab lackey - | bursty-lab footprint -'
printf ' L 400,8\n S 440,8\n L 400,8\n' | "$lab" lackey - | "$lab" footprint - >"$dir/out" 2>&1
has out '^3 accesses to 2 blocks of 64 bytes'

# a real trace, where there is one: BURSTY_TRACES is a folder of *.d, *.i and *.mt, not compressed
for trace in "${BURSTY_TRACES:-/nowhere}"/*; do
    [ -f "$trace" ] || {
        skip "no real traces in BURSTY_TRACES"
        break
    }
    case $trace in *.mt) threads=--threads ;; *) threads= ;; esac
    for c in 1 .99 .9 .75 .5; do
        # shellcheck disable=SC2086
        run 0 --c $c --check --json $threads --to 3000000 "$trace"
        has out '{"name":"violations","value":"0"}'
    done
done

finish
