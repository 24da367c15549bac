#!/bin/sh
# test_record_places.sh - addresses in, names out: what the recorder writes has places in the code, and
# who reads it first makes names of them. Of a file that nobody named (a pipe takes it as it is written)
# report and merge show what a named one says; a program that is gone, another build at its place and
# files that are damaged give numbers, never wrong names and never a crash. No file is opened for names
# in the program.
set -u
cd "$(dirname "$0")/.." || exit 2
. tests/check.sh
in_folder record_places
needs_recorder
unset COLUMNS
shown=err

cat >prog.c <<'P'
static volatile unsigned sum;
__attribute__((noinline)) static void inner(unsigned n) { while (n--) sum = sum + 1; }
__attribute__((noinline)) static void outer(unsigned n) { inner(n); sum = sum + 1; }
int main(void) { unsigned i; for (i = 0; i < 3000; i++) outer(i % 7); return 0; }
P
$CC -O1 -g -Wl,--build-id=sha1 -o prog prog.c || exit 2
# Into a pipe, which is no regular file: nobody comes to name it.
raw() { # FILE OPTIONS...
    file=$1
    shift
    "$bursty" record --quiet "$@" -o /dev/stdout "./${prog-prog}" 2>err | cat >"$file"
}
places() { LC_ALL=C grep -c "$(printf '\001[famwl]')" "$1"; }
text() { "$bursty" report --csv "$1" 2>err; }

for of in --calls --edges --refs; do
    raw raw.brst --seed 5 $of --every 30 --burst 20
    check "$of: places, not names" [ "$(places raw.brst)" -gt 0 ]
    check "$of: no name" [ "$(LC_ALL=C grep -c 'outer\|inner' raw.brst)" = 0 ]
    "$bursty" record --seed 5 --quiet $of --every 30 --burst 20 -o named.brst ./prog >got 2>err
    check "$of: names, no places" [ "$(places named.brst)" = 0 ]
    text raw.brst >a
    text named.brst >b
    check "$of: a report of both is the same" cmp a b
    "$bursty" merge -o merged.brst raw.brst 2>err
    check "$of: merge names them" [ "$(places merged.brst)" = 0 ]
    text merged.brst >a
    check "$of: and says the same" cmp a b
done
# All the time is in one line of a function of that.
sed 's/3000/3000000/; s/i % 7/i % 70/' prog.c >slow.c
cp prog.c fast.c
cp slow.c prog.c
$CC -O1 -g -Wl,--build-id=sha1 -o prog prog.c || exit 2
raw raw.brst --inside --lines
cp fast.c prog.c
"$bursty" report --min 0 raw.brst >a 2>err
check "lines of a file that nobody named" grep -q '% .* prog\.c:2  *inner$' a
$CC -O1 -g -Wl,--build-id=sha1 -o prog prog.c || exit 2

# Two such files, one behind the other: each has modules of its own.
raw raw.brst --edges --every 30 --burst 20
sed 's/inner/nested/g; s/outer/around/g; s/^int main/int before(void) { return 7; } int main/' prog.c >more.c
$CC -O1 -g -o more more.c || exit 2
prog=more
raw more.brst --edges --every 30 --burst 20
prog=prog
cat raw.brst more.brst >two.brst
"$bursty" report --csv two.brst >a 2>err
check "two in one file: the first" grep -q outer a
check "two in one file: the second" grep -q around a
check "two in one file: all is named" lacks a '^rank\|function' 'x01'
"$bursty" merge -o merged.brst raw.brst
mv prog gone
text merged.brst >a
check "a merged file needs no program" grep -q outer a
text raw.brst >a
check "a program that is gone: numbers" grep -q 'prog+0x[0-9a-f]' a
check "a program that is gone: no names" lacks a 'prog+0x' 'outer'
# Another build, whose functions stand elsewhere: by its id, and without ids by size and time.
sed 's/inner/other/g; s/^int main/int before(void) { return 7; } int main/' prog.c >other.c
for id in sha1 md5; do
    $CC -O1 -g -Wl,--build-id=$id -o prog other.c || exit 2
    text raw.brst >a
    check "another build, $id: numbers" grep -q 'prog+0x[0-9a-f]' a
    check "another build, $id: no names" lacks a 'prog+0x' 'other\|outer'
done
mv gone prog
touch prog
text raw.brst >a
check "the same build, touched: names" grep -q outer a
$CC -O1 -g -Wl,--build-id=none -o prog prog.c || exit 2
raw raw.brst --edges --every 30 --burst 20
text raw.brst >a
check "no id: names" grep -q outer a
touch -d '2001-01-01' prog
text raw.brst >a
check "no id, of another time: numbers" lacks a 'prog+0x' outer

# Damaged: each byte of the list of modules, and each hundredth of the program.
$CC -O1 -Wl,--build-id=none -o prog prog.c || exit 2
raw raw.brst --edges --every 30 --burst 20
size=$(wc -c <raw.brst)
bad=0
n=$((size - 1))
while [ $n -gt 0 ]; do
    head -c $n raw.brst >cut.brst
    "$bursty" report cut.brst >got 2>err
    [ $? -le 2 ] || bad=$((bad + 1))
    n=$((n - size / 40 - 1))
done
check "a file that is cut" [ $bad = 0 ]
cp prog whole
time=$(stat -c %y prog)
bytes=$(wc -c <prog)
n=16
seed=1
while [ $n -lt "$bytes" ]; do
    cp whole prog
    seed=$(((seed * 1103515245 + 12345) % 2147483648))
    # shellcheck disable=SC2059
    printf "\\$(printf %o $((seed / 65536 % 256)))" | dd of=prog bs=1 seek=$n conv=notrunc 2>/dev/null
    touch -d "$time" prog
    "$bursty" report raw.brst >got 2>err
    [ $? = 0 ] || { bad=$((bad + 1)); echo "byte $n"; }
    n=$((n + bytes / 100 + seed % 7))
done
check "a program with a flipped byte" [ $bad = 0 ]

# Nothing of that is done in the program.
if command -v nm >/dev/null; then
    for object in core/names preload/patch_file core/lines core/sampled; do
        nm -u "$build/record/inside/$object.o" >names 2>err
        check "$object opens no file to read names" lacks names ' U ' '^ *U \(mmap\|malloc\|fopen\|.*scanf\|dlopen\)'
    done
fi
finish
