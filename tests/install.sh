#!/bin/sh
# install.sh - a row of the matrix: bursty is installed from a clean clone, with an empty HOME and a
# plain PATH, and found by the tools that people use: make, pkg-config, CMake in its three ways,
# meson in two, the shells, man, dpkg and lintian. Ends with "N passed, N failed".
set -u
cd "$(dirname "$0")/.." || exit 2
. tests/check.sh
top=$PWD
work=$(mktemp -d "${TMPDIR:-/tmp}/bursty-install.XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT
mkdir "$work/home" "$work/tmp"
unset CFLAGS
log=$work/said
# As a stranger types it: nothing of this environment.
plain() {
    env -i PATH="${MORE:+$MORE:}/usr/bin:/bin" HOME="$work/home" TMPDIR="$work/tmp" TERM=dumb \
        LANG=C.UTF-8 ${CFLAGS:+CFLAGS=$CFLAGS} "$@"
}
says() { # PATTERN COMMAND...: says it
    pattern=$1
    shift
    "$@" >"$work/out" 2>&1
    cat "$work/out"
    grep -qE -e "$pattern" "$work/out"
}
one_line() { # PATTERN COMMAND...: fails, with one line besides what make itself says
    pattern=$1
    shift
    "$@" >"$work/out" 2>&1 && return 1
    cat "$work/out"
    grep -v '^make' "$work/out" >"$work/ours"
    [ "$(wc -l <"$work/ours")" = 1 ] && grep -qE -e "$pattern" "$work/ours"
}
within() { (cd "$1" && shift && "$@"); }

git clone -q "$top" "$work/clone" || exit 2
cd "$work/clone" || exit 2

# ---- make install ----

# Compiled as it comes by make test and for the Debian package; here it need not be fast.
check "make build/bursty alone" plain make -s CFLAGS=-O0 build/bursty
check "its record says where it looked" \
    one_line 'bursty-record.so, is neither in .*/build/ nor in' plain build/bursty record true
check "make" plain make -s -j2 CFLAGS=-O0
check "make install" plain make -s install PREFIX=/usr DESTDIR="$work/stage"
check "make install once more" plain make -s install PREFIX=/usr DESTDIR="$work/stage"
check "make install elsewhere, with a space" plain make -s install PREFIX="$work/a prefix"
check "make uninstall" plain make -s uninstall PREFIX="$work/a prefix"
check "it leaves nothing" [ "$(find "$work/a prefix" ! -type d | wc -l)" = 0 ]
prefix=$work/prefix
check "make install, for what comes" plain make -s install PREFIX="$prefix"
before=$(find "$prefix" | sort | cksum)
bin=$prefix/bin
check "record finds its recorder" plain "$bin/bursty" record --quiet -o "$work/ls.brst" ls
check "through a link, too" ln -s "$bin/bursty" "$work/link"
check "through a link, too" plain "$work/link" record --quiet -o "$work/ls.brst" ls
check "a copy says where it looked" cp "$bin/bursty" "$work/copied"
check "a copy says where it looked" one_line "neither in $work/ nor in" plain "$work/copied" record ls

# Without rights: as nobody, and where no folder can be.
nobody() { setpriv --reuid=65534 --regid=65534 --clear-groups "$@"; }
chmod 755 "$work"
if [ "$(id -u)" = 0 ]; then
    check "no right to write" one_line 'no right to write' nobody env -i PATH=/usr/bin:/bin \
        sh package/install.sh install build /usr/local ''
    # A tree that somebody else owns and has built.
    check "no right to take away" one_line 'cannot be removed' nobody env -i PATH=/usr/bin:/bin \
        sh package/install.sh uninstall build "$prefix" ''
fi
check "no folder" one_line '/dev/null: not a folder' plain make -s install PREFIX=/dev/null/x
check "no absolute PREFIX" one_line 'absolute' plain make -s install PREFIX=here
check "no command" one_line 'install, uninstall or list' sh package/install.sh remove build /usr ''

# ---- a program ----

mkdir "$work/game"
sed -n '/^```c$/,/^```$/p' README.md | sed '/^```/d' >"$work/game/game.c"
game() { # COMMAND...: in the folder of game.c; then the program there runs and is reported
    (cd "$work/game" && rm -f game game.brst && "$@" && plain ./game &&
        plain "$bin/bursty" report game.brst | grep -q collide)
}
check "cc by hand" game plain cc -O2 -I"$prefix/include" game.c -o game
by_pkg_config() {
    flags=$(plain env PKG_CONFIG_PATH="$prefix/lib/pkgconfig" pkg-config --cflags --libs bursty) &&
        plain cc -O2 game.c -o game $flags
}
check "cc by pkg-config" game by_pkg_config
version=$(plain "$bin/bursty" --version | sed 's/bursty //')
check "pkg-config knows the version" [ "$version" = \
    "$(plain env PKG_CONFIG_PATH="$prefix/lib/pkgconfig" pkg-config --modversion bursty)" ]

# ---- bursty cc under other names ----

cat >"$work/game/count.c" <<'END'
#include <stdio.h>
static int add(int n) { return n > 0 ? n : -n; }
int main(void) { int i, s = 0; for (i = 0; i < 10; i++) s += add(i); printf("%d\n", s); return 0; }
END
covers() { # COMMAND...: makes ./count, which counts
    (cd "$work/game" && rm -f count coverage.brst && "$@" && plain ./count &&
        plain "$bin/bursty" report --lcov coverage.brst | grep -q 'FNDA:10,add')
}
check "bursty cc" covers plain "$bin/bursty" cc --cover -- gcc count.c -o count
check "bursty-cc gcc" covers plain env BURSTY_CC=--cover "$bin/bursty-cc" gcc count.c -o count
check "gcc-bursty" ln -s "$bin/bursty" "$bin/gcc-bursty"
check "gcc-bursty" covers plain env BURSTY_CC=--cover "$bin/gcc-bursty" count.c -o count
rm -f "$bin/gcc-bursty"
MORE=$prefix/lib/bursty/masquerade
check "gcc in front of PATH" covers plain env BURSTY_CC=--cover gcc count.c -o count
check "make with it" covers plain env BURSTY_CC=--cover make -s CC=cc count
check "bursty cc -- gcc there does its work once" covers plain "$bin/bursty" cc --cover -- gcc count.c -o count
check "an option that is none" one_line "no option '--cower'" plain env BURSTY_CC=--cower gcc -c count.c
ln -s ../../../bin/bursty "$MORE/clang-99"
check "no compiler behind the name" one_line 'clang-99: No such file' plain clang-99 -c count.c
rm -f "$MORE/clang-99"
MORE=

# ---- CMake ----

cp "$work/game/"*.c "$work/tmp/"
cmake_project() { # NAME LINES...: a project with game, and with count under coverage
    mkdir -p "$work/$1"
    cp "$work/game/"*.c "$work/$1"
    {
        echo 'cmake_minimum_required(VERSION 3.21)'
        echo 'project(game C)'
        printf '%s\n' "$2"
        echo 'add_executable(game game.c)'
        echo 'target_link_libraries(game bursty::bursty)'
        echo 'add_executable(count count.c)'
        echo 'bursty_cover(count)'
        echo 'add_custom_target(version COMMAND bursty::tool --version)'
    } >"$work/$1/CMakeLists.txt"
}
cmake_runs() { # NAME OPTIONS...
    folder=$work/$1
    shift
    plain cmake -S "$folder" -B "$folder/b" "$@" && plain cmake --build "$folder/b" &&
        plain cmake --build "$folder/b" --target version | grep -q "^bursty $version\$" &&
        (cd "$folder/b" && plain ./game && plain "$bin/bursty" report game.brst | grep -q collide &&
            plain ./count && plain "$bin/bursty" report --lcov coverage.brst | grep -q 'FNDA:10,add')
}
cmake_project found "find_package(bursty $version REQUIRED)"
check "CMake, find_package" cmake_runs found -DCMAKE_PREFIX_PATH="$prefix"
cmake_project ninja "find_package(bursty REQUIRED)"
check "CMake, find_package, ninja" cmake_runs ninja -G Ninja -DCMAKE_PREFIX_PATH="$prefix"
cmake_project added "add_subdirectory($work/clone bursty)"
export CFLAGS=-O0 # what is compiled once more need not be fast
check "CMake, add_subdirectory" cmake_runs added
cmake_project fetched "include(FetchContent)
FetchContent_Declare(bursty SOURCE_DIR $work/clone)
FetchContent_MakeAvailable(bursty)"
# From here on the tool is found built, where CMake's and meson's make looks for it.
mkdir -p "$work/fetched/b/_deps/bursty-build"
cp -r "$work/clone/build" "$work/fetched/b/_deps/bursty-build/tool"
check "CMake, FetchContent" cmake_runs fetched
mkdir "$work/launched"
cp "$work/game/count.c" "$work/launched"
printf '%s\n' 'cmake_minimum_required(VERSION 3.21)' 'project(count C)' \
    'add_executable(count count.c)' >"$work/launched/CMakeLists.txt"
launched() { # CMAKE'S OPTIONS...
    rm -rf "$work/launched/b"
    plain env BURSTY_CC=--cover cmake -S "$work/launched" -B "$work/launched/b" "$@" &&
        plain env BURSTY_CC=--cover cmake --build "$work/launched/b" && cd "$work/launched/b" &&
        plain ./count && plain "$bin/bursty" report --lcov coverage.brst | grep -q 'FNDA:10,add'
}
check "CMake's launchers" within . launched -DCMAKE_C_COMPILER_LAUNCHER="$bin/bursty-cc" \
    -DCMAKE_C_LINKER_LAUNCHER="$bin/bursty-cc"
check "a compiler by its other name" within . launched -DCMAKE_C_COMPILER="$prefix/lib/bursty/masquerade/gcc"
cmake_project old "find_package(bursty 0.1 REQUIRED)"
check "CMake refuses another version" sh -c "! env -i PATH=/usr/bin:/bin cmake -S '$work/old' \
    -B '$work/old/b' -DCMAKE_PREFIX_PATH='$prefix'"

# ---- meson ----

meson_project() { # NAME
    mkdir -p "$work/$1"
    cp "$work/game/game.c" "$work/$1"
    printf '%s\n' "project('game', 'c', default_options: ['buildtype=release'])" \
        "executable('game', 'game.c', dependencies: dependency('bursty'))" >"$work/$1/meson.build"
}
meson_runs() { # NAME, SETUP'S WORDS...
    folder=$work/$1
    shift
    plain "$@" meson setup "$folder" "$folder/b" && plain ninja -C "$folder/b" &&
        (cd "$folder/b" && plain ./game && plain "$bin/bursty" report game.brst | grep -q collide)
}
meson_project mesonpc
check "meson, by pkg-config" meson_runs mesonpc env PKG_CONFIG_PATH="$prefix/lib/pkgconfig"
meson_project mesonsub
mkdir "$work/mesonsub/subprojects"
git clone -q "$work/clone" "$work/mesonsub/subprojects/bursty"
cp "$work/clone/package/bursty.wrap" "$work/mesonsub/subprojects/"
check "meson, a subproject" meson_runs mesonsub env
cp -r "$work/clone/build/." "$work/mesonsub/b/subprojects/bursty/"
rm -f "$work/mesonsub/b/subprojects/bursty/bursty"
check "meson builds the tool" plain ninja -C "$work/mesonsub/b" subprojects/bursty/bursty
check "meson's tool" says "^bursty $version" plain "$work/mesonsub/b/subprojects/bursty/bursty" --version
mkdir "$work/mesoncc"
cp "$work/game/count.c" "$work/mesoncc"
printf '%s\n' "project('count', 'c')" "executable('count', 'count.c')" >"$work/mesoncc/meson.build"
printf '%s\n' '[binaries]' "c = ['$bin/bursty', 'cc', '--cover', '--', 'gcc']" >"$work/mesoncc/native"
meson_covers() {
    plain meson setup --native-file native b && plain ninja -C b && plain b/count &&
        plain "$bin/bursty" report --lcov coverage.brst | grep -q 'FNDA:10,add'
}
check "meson, a native file with bursty cc" within "$work/mesoncc" meson_covers

unset CFLAGS

# ---- manual pages and completions ----

for page in "$prefix"/share/man/man1/*.1; do
    check "${page##*/}: man has nothing to say" sh -c \
        "[ -z \"\$(man --warnings -E UTF-8 -l -Tutf8 -Z '$page' 2>&1 >/dev/null)\" ]"
    check "${page##*/}: mandoc neither" plain mandoc -T lint -W error "$page"
done
check "man finds them" says 'Adds +up +equal +programs' plain man -M "$prefix/share/man" bursty-merge
bash_completes() { # WANTED WORDS...
    wanted=$1
    shift
    # shellcheck disable=SC2016
    says "$wanted" plain bash -c '. /usr/share/bash-completion/bash_completion
        . "$1"
        shift
        COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_LINE="$*" COMP_POINT=${#COMP_LINE}
        compopt() { :; }
        _bursty
        echo "${COMPREPLY[@]}"' bash "$prefix/share/bash-completion/completions/bursty" "$@"
}
check "bash: commands" bash_completes '^record report$' bursty re
check "bash: options" bash_completes '^--every --events$' bursty record --eve
check "bash: options with =" bash_completes '^--every=$' bursty cc --ev
check "bash: nothing behind --" bash_completes '^$' bursty cc -- gcc --
fish_completes() { # WANTED LINE
    says "$1" plain fish -c "source $prefix/share/fish/vendor_completions.d/bursty.fish; complete -C'$2'"
}
check "fish: commands" fish_completes '^merge.add many dumps' 'bursty me'
check "fish: options" fish_completes '^--source-root.read' 'bursty report --so'
cat >"$work/zsh.sh" <<'END'
# What a zsh writes to a terminal, until what is waited for is there or five
# minutes are over: it is told a key only when it has said that it waits for one.
setopt extended_glob
zmodload zsh/zpty zsh/datetime
until_seen() { # PATTERN
    local until=$((EPOCHSECONDS + 300)) seen= line
    while [[ $seen != $~1 ]] && ((EPOCHSECONDS < until)); do
        if zpty -r -t z line; then seen+=$line; else sleep .05; fi
    done
    print -r -- "$seen"
}
zpty -b z zsh -f -i
zpty -w z "PS1= ; fpath=($1 \$fpath); autoload -Uz compinit; compinit -u -D; bindkey '^I' complete-word; \
zstyle ':completion:*' list-prompt ''; LISTMAX=0; stty cols 200; path=($2 \$path); print rea''dy"
until_seen '*ready*' >/dev/null
zpty -w -n z "$3"$'\t'
until_seen "$4"
END
zsh_completes() { # WANTED LINE PATTERN, the pattern is zsh's and of the same words
    says "$1" plain zsh -f "$work/zsh.sh" "$prefix/share/zsh/site-functions" "$bin" "$2" "$3"
}
check "zsh: commands" zsh_completes 'mer[^a-z]*ge ' 'bursty mer' '*mer[^a-z]#ge *'
check "zsh: options" zsh_completes '--source-root' 'bursty report --sou' '*--source-root*'

# ---- make dist, and the Debian package made of it ----

check "make dist" plain git -C "$work/clone" status
check "make dist" plain make -s dist
tar=build/bursty-$version.tar.gz
first=$(cksum <"$tar")
git clone -q "$work/clone" "$work/again"
check "make dist of another clone" plain make -s -C "$work/again" dist
check "it has the same bytes" [ "$first" = "$(cksum <"$work/again/$tar")" ]
mkdir "$work/deb"
cp "$tar" "$work/deb/bursty_$version.orig.tar.gz"
tar -xzf "$tar" -C "$work/deb"
check "the archive leaves the packaging to packagers" [ ! -e "$work/deb/bursty-$version/debian" ]
check "no dist of what is no clone" one_line 'no clone' plain env GIT_CEILING_DIRECTORIES="$work/deb" \
    make -s -C "$work/deb/bursty-$version" dist
echo >>"$work/again/README.md"
check "no dist of changes" one_line 'not committed' plain make -s -C "$work/again" dist
git -C "$work/again" checkout -q README.md
check "a tag" git -C "$work/again" -c user.name=a -c user.email=a@b tag "v$version"
check "make dist of what is tagged" plain make -s -C "$work/again" dist
check "another commit" git -C "$work/again" -c user.name=a -c user.email=a@b commit -q --allow-empty -m x
check "no dist of a version that is another commit's" one_line 'is on another commit' \
    plain make -s -C "$work/again" dist
cp -r debian "$work/deb/bursty-$version"
# make test is of another row; what the package itself runs is in debian/rules.
check "dpkg-buildpackage" within "$work/deb/bursty-$version" plain env PATH=/usr/sbin:/usr/bin:/sbin:/bin \
    DEB_CFLAGS_APPEND='-O1 -g1' dpkg-buildpackage -us -uc
check "lintian" plain env PATH=/usr/bin:/bin lintian --fail-on error,warning,info \
    "$work/deb/bursty_$version-1_"*.changes
cat "$work/said"
mkdir "$work/unpacked"
for package in "$work"/deb/*.deb; do
    case $package in *dbgsym*) continue ;; esac
    check "${package##*/}" dpkg-deb -x "$package" "$work/unpacked"
done
check "the package's record" plain "$work/unpacked/usr/bin/bursty" record --quiet -o "$work/ls.brst" ls
check "the package's headers" game plain cc -O2 -I"$work/unpacked/usr/include" game.c -o game

# ---- and away ----

check "nothing was changed on the way" [ "$before" = "$(find "$prefix" | sort | cksum)" ]
check "make uninstall" plain make -s uninstall PREFIX="$prefix"
check "it leaves nothing" [ ! -e "$prefix/bin" -a ! -e "$prefix/lib" -a ! -e "$prefix/share" ]
check "git knows all files" [ -z "$(git status --porcelain)" ]

finish
