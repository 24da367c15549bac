#!/bin/sh
# test_install.sh - make install in small: the files are where they belong, the installed tool works,
# pages and completions name every option that the help texts name, and uninstall leaves nothing.
# tests/install.sh, a row of the matrix, does it with the tools that people use.
set -u
cd "$(dirname "$0")/.." || exit 2
. tests/check.sh
build=${BUILD:-build}
case $build in /*) ;; *) build=$PWD/$build ;; esac
out=$build/tests/install
rm -rf "$out"
mkdir -p "$out" || exit 2
run() { ASAN_OPTIONS=${ASAN_OPTIONS-}:detect_leaks=0 ${RUN-} "$@"; }

# As the Makefile makes them, of a tool that may be another target's.
pages=$out/build/package
mkdir -p "$pages/man"
cp "$build/bursty" "$build/bursty-lab" "$out/build/"
[ -f "$build/bursty-record.so" ] && cp "$build/bursty-record.so" "$out/build/"
version=$(run "$build/bursty" --version | sed 's/^bursty //')
for program in bursty bursty-lab; do
    sh package/help.sh $program ${RUN-} "$build/$program" >"$pages/$program.txt"
    ok $? "the help texts of $program are written"
    LC_ALL=C awk -f package/help.awk -f package/man.awk -v folder="$pages/man" -v version="$version" \
        "$pages/$program.txt"
    ok $? "manual pages of $program"
    for shell in bash zsh fish; do
        LC_ALL=C awk -f package/help.awk -f package/$shell.awk "$pages/$program.txt" >"$pages/$program.$shell"
        ok $? "$program: $shell"
    done
done
for shell in bash zsh fish; do
    if command -v $shell >/dev/null; then
        $shell -n "$pages/bursty.$shell" && $shell -n "$pages/bursty-lab.$shell"
        ok $? "$shell reads it"
    else skip "no $shell"; fi
done
for file in bursty.pc bursty-config.cmake bursty-config-version.cmake; do
    sed -e "s|@PREFIX@|/usr|; s|@VERSION@|$version|" package/$file.in >"$pages/$file"
    grep -q @ "$pages/$file"
    [ $? = 1 ]
    ok $? "$file: all is filled in"
done

# Every option, read here in another way: a dash behind two spaces at the beginning of a line, where
# no sentence goes on.
awk 'FNR == 1 { program = $2 }
    /^@/ { name = $2 }
    /^  --?[a-z]/ && ($1 !~ /,$/ || /[^ ]   +[^ ]/) {
        o = $1; sub(/,$/, "", o); sub(/[=[].*/, "", o); print program, name, o
    }
    /^  --?[a-z].*, --?[a-z].*[^ ]   +[^ ]/ {
        o = $0; sub(/.*, -/, "-", o); sub(/[ =[].*/, "", o); print program, name, o
    }' \
    "$pages/bursty.txt" "$pages/bursty-lab.txt" >"$out/options"
while read -r program name option; do
    dashed=$(echo "$option" | sed 's/-/\\\\-/g')
    grep -q "^.fB$dashed.fR" "$pages/man/$program-$name.1"
    ok $? "$program-$name.1 has $option"
    grep -q "^    $name) words='.*$option[=' ]" "$pages/$program.bash"
    ok $? "bash knows $program $name $option"
    grep -q -e "'\*$option=*\[" "$pages/$program.zsh"
    ok $? "zsh knows $program $name $option"
    grep -q -e "from $name' -[ls] ${option##*-}\\b" -e "from $name' -l ${option#--} " "$pages/$program.fish"
    ok $? "fish knows $program $name $option"
done <"$out/options"
[ "$(wc -l <"$out/options")" -gt 150 ]
ok $? "there are $(wc -l <"$out/options") options"
[ "$(ls "$pages/man" | wc -l)" = "$(cat "$pages"/bursty*.txt | grep -c '^@')" ]
ok $? "a page for each command"

# The version stands in several places.
for header in *.h; do
    head -n 1 "$header" | grep -qF " v$version - "
    ok $? "$header has the version $version"
done
if [ -d debian ]; then # not in a release archive
    head -n 1 debian/changelog | grep -qF "bursty ($version-"
    ok $? "debian/changelog has the version $version"
fi
awk '/^## /{ print $2; exit }' CHANGELOG.md | grep -qxF "$version"
ok $? "CHANGELOG.md begins with the version $version"

# ---- in place, and away ----

place() { sh package/install.sh "$1" "$out/build" "$2" "$3" >"$out/said" 2>"$out/errors"; }
place install /usr "$out/staged"
ok $? "install"
sh package/install.sh list "$out/build" /usr "$out/staged" | sort >"$out/listed"
find "$out/staged" ! -type d | sort | cmp -s - "$out/listed"
ok $? "what is there is what the list says"
for file in bin/bursty include/bursty.h share/man/man1/bursty-report.1 share/man/man1/bursty-lab-hcct.1 lib/pkgconfig/bursty.pc; do
    [ -s "$out/staged/usr/$file" ]
    ok $? "$file"
done
[ "$(run "$out/staged/usr/bin/bursty" --version)" = "bursty $version" ]
ok $? "the installed tool runs"
one_line() { # PATTERN
    [ "$(wc -l <"$out/errors")" = 1 ] && grep -q "$1" "$out/errors"
}
if has_recorder; then
    "$out/staged/usr/bin/bursty" record --quiet -o "$out/x.brst" cat /dev/null && [ -s "$out/x.brst" ]
    ok $? "the installed tool finds its recorder"
    rm "$out/staged/usr/lib/bursty/bursty-record.so"
    "$out/staged/usr/bin/bursty" record --inside cat /dev/null 2>"$out/errors"
    [ $? = 2 ] && one_line 'neither in .*/usr/bin/ nor in .*/lib/bursty/'
    ok $? "and says where it looked"
else skip "no recorder for this target"; fi
touch "$out/staged/usr/lib/own"
place uninstall /usr "$out/staged"
ok $? "uninstall"
[ "$(find "$out/staged" ! -type d)" = "$out/staged/usr/lib/own" ] && [ ! -d "$out/staged/usr/share" ]
ok $? "it takes what it brought, and no more"
place install /x /dev/null
[ $? = 2 ] && one_line '/dev/null: not a folder'
ok $? "not a folder"
place install x "$out/staged"
[ $? = 2 ] && one_line 'PREFIX=x: an absolute path'
ok $? "no absolute PREFIX"

# ---- names of compilers ----

if [ -z "${RUN-}" ] && [ -r /proc/self/exe ]; then
    mkdir "$out/first" "$out/second"
    printf '#!/bin/sh\necho "$(basename "$0"): $*"\n' >"$out/second/gcc"
    chmod +x "$out/second/gcc"
    cp "$out/second/gcc" "$out/second/arm-none-eabi-gcc-12"
    for name in gcc gcc-bursty bursty-cc arm-none-eabi-gcc-12 gcc-98 gold; do ln -s "$build/bursty" "$out/first/$name"; done
    named() { # WANTED COMMAND...: what it says first
        wanted=$1
        shift
        got=$(PATH=$out/first:$out/second:$PATH ASAN_OPTIONS=${ASAN_OPTIONS-}:detect_leaks=0 "$@" 2>&1 | head -n 1)
        [ "$got" = "$wanted" ]
        ok $? "$*: '$got', wanted '$wanted'"
    }
    named 'gcc: -E a.c' gcc -E a.c
    named 'gcc: --version' gcc-bursty --version
    named 'gcc: -E a.c' bursty-cc gcc -E a.c
    named 'arm-none-eabi-gcc-12: -E a.c' arm-none-eabi-gcc-12 -E a.c
    named 'usage: bursty COMMAND [ARGUMENTS]' gold --help
    named 'bursty: cc: no compiler: bursty cc -- gcc ...' bursty-cc
    BURSTY_CC='--cover  --form=dual' named 'bursty: cc: --form changes nothing with --cover' gcc -c a.c
    rm "$out/second/gcc"
    named 'bursty: gcc-98: No such file or directory' env PATH="$out/first" gcc-98 -E a.c
else skip "links need /proc"; fi

finish
