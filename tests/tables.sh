#!/bin/sh
# tables.sh [all | FILE ...] - the static checker of jump tables and landing pads (tests/tables.c) over the executables and libraries of
# the packages below, which the row of the matrix installs: some seconds, on every machine the same. With "all": of
# every package that is installed here. Or over the files that are named. Then over a program of ours, by a header with
# a fault in it, which must be noticed. Ends with "N passed, N failed".
set -u
cd "$(dirname "$0")/.." || exit 2
out=${BUILD:-build}/tables
mkdir -p "$out"
packages='bash binutils-x86-64-linux-gnu cpp-12 g++-12 gcc-12 libc6 libstdc++6 perl-base python3.11-minimal qemu-system-arm'
passed=0 failed=0
check() { # NAME STATUS: 0 is good
    if [ "$2" = 0 ]; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "$1 FAILED"; fi
}
build() { "${CC:-cc}" -O1 -Wall -Wextra -I"$1" tests/tables.c -o "$2" -lpthread -ldl; }
build . "$out/tables" || exit 2

# Executables and libraries that somebody has compiled, among the names on standard input.
compiled() {
    while read -r file; do
        [ -f "$file" ] && [ ! -h "$file" ] && printf '%s\n' "$file"
    done | grep -v '\.py$'
}
case ${1-} in
'') dpkg -L $packages 2>/dev/null | grep -E '/(s?bin|lib|libexec)/' | compiled |
        tr '\n' '\0' | xargs -0 -I @ find @ -perm -100 -size +15k -o -name '*.so*' -size +15k >"$out/list" ;;
all) find /usr/bin /usr/sbin /usr/lib /usr/libexec -type f '(' -perm -100 -o -name '*.so*' ')' -size +15k \
        2>/dev/null | compiled >"$out/list" ;;
*) printf '%s\n' "$@" >"$out/list" ;;
esac
tr '\n' '\0' <"$out/list" | xargs -0 -n 200 "$out/tables" >"$out/log"
check "the checker ended" $?
grep -v '^[0-9]* files, ' "$out/log" | head -n 40
awk '/^[0-9]+ files, / {
        files += $1; functions += $3; jumps += $5; translated += $8; proved += $10; compared += $13
        loose += $15; pads += $17; bad += $20
    } END {
        printf "%d files, %d functions, %d indirect jumps, %d of them translated; %d tables proved, %d compared, " \
               "%d loose; %d landing pads; %d differences\n", files, functions, jumps, translated, proved, compared,
               loose, pads, bad
        exit !(files > 0 && pads > 0 && proved > 0 && compared > proved / 2 && loose <= compared / 100 && bad == 0)
    }' "$out/log"
check "no table differs, most are compared, and one in a hundred at most is loose" $?

# A switch of 200 cases.
awk 'BEGIN {
    print "int of(const unsigned char *p, int x) { switch (*p) {"
    for (i = 0; i < 200; i++) printf "case %d: return x * %d + %d;\n", i, i * 7919 % 101 + 2, i * 31 % 57
    print "} return 0; }\nint main(int c, char **v) { return of((const unsigned char *)v[0], c) & 1; }"
}' >"$out/switch.c"
"${CC:-cc}" -O1 "$out/switch.c" -o "$out/switch" || exit 2
"$out/tables" "$out/switch" | grep -q ' 0 differences'
check "a switch of 200 cases" $?
# The header once more, with a fault in one of its files.
rm -rf "$out/fault"
mkdir -p "$out/fault/record"
faulty() { # FILE EXPRESSION...
    file=$1
    shift
    cp -R binpatch.h src base "$out/fault/" &&
        cp -R record/x86 "$out/fault/record/" || exit 2
    sed "$@" "record/x86/$file" >"$out/fault/record/x86/$file"
    ! cmp -s "record/x86/$file" "$out/fault/record/x86/$file" && build "$out/fault" "$out/faulty"
}
faulty flow_bounds.c -e 's/entries = (uint32_t)most + 1;/entries = (uint32_t)most;/' &&
    ! "$out/faulty" "$out/tables" "$out/switch" >"$out/faulty.log"
check "a table that is one entry too short is noticed" $?
library=$("${CXX:-c++}" -print-file-name=libstdc++.so.6)
faulty flow_module.c -e 's/if (!in) continue;/if (m) continue;/' -e 's/return x86flow_p_are_nops/return 0 \&\& &/' \
    -e 's/0 && return/0 \&\&/' &&
    ! "$out/faulty" "$library" >"$out/faulty.log" && grep -q 'an exception lands' "$out/faulty.log"
check "an exception that lands in a jump is noticed" $?
echo "$passed passed, $failed failed"
[ $failed = 0 ]
