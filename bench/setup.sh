#!/bin/sh
# setup.sh [SOURCE...] - fetches what the benches need, and the Debian sources that are named, all
# of it by package name: apt-get installs compilers and tools that are missing, apt-get source
# brings Lua, bzip2, cJSON, Chipmunk, Chocolate Doom, Zopfli, clzip, Duktape, mawk and expat, apt-get
# download the game's data; sqlite3.c comes out of the npm package better-sqlite3, tree-sitter and
# its JavaScript out of packages of their names, and what they parse out of the package typescript.
# The sources land in build/bench/src. The deb-src lines stand in a list of our own that only
# APT_CONFIG shows: the machine's own configuration stays as it is.
set -e
cd "$(dirname "$0")/.."
src=${BUILD:-build}/bench/src
mkdir -p "$src"
src=$(cd "$src" && pwd)
as_root=
[ "$(id -u)" = 0 ] || as_root=sudo

install() { # PACKAGE...: those that are missing
    missing=
    for p in "$@"; do
        case $p in
        npm) command -v npm >/dev/null || missing="$missing $p" ;; # may have come with node itself
        *) dpkg-query -W -f '${Status}' "$p" 2>/dev/null | grep -q 'ok installed' ||
            missing="$missing $p" ;;
        esac
    done
    [ -n "$missing" ] || return 0
    $as_root apt-get update -qq
    DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y -qq -o DPkg::Lock::Timeout=600 \
        --no-install-recommends \
        $missing >/dev/null
}

install gcc binutils libc6-dev ca-certificates hyperfine qemu-user python3 python3-clang-19 \
    clang-19 clang-14 llvm-19 llvm-19-dev libclang-rt-19-dev gcc-arm-none-eabi \
    libnewlib-arm-none-eabi dpkg-dev valgrind uftrace linux-perf npm
install "gcc-$(gcc -dumpversion)-plugin-dev"

fetch_debian() {
    apt=$src/.apt
    mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial"
    [ -n "$(apt-get indextargets --format x 'Created-By: Packages')" ] ||
        $as_root apt-get update -qq
    apt-get indextargets --format 'deb-src $(SITE) $(RELEASE) $(COMPONENT)' 'Origin: Debian' \
        'Created-By: Packages' |
        sort -u >"$apt/sources.list"
    cat >"$apt/apt.conf" <<EOF
Dir::Etc::SourceList "$apt/sources.list";
Dir::Etc::SourceParts "-";
Dir::State::Lists "$apt/lists";
Dir::Cache "$apt/cache";
Acquire::Retries "3";
APT::Sandbox::User "";
EOF
    (
        cd "$src" && export APT_CONFIG="$apt/apt.conf" && apt-get update -qq
        for package in "$@"; do
            apt-get source -qq "$package" >/dev/null 2>"$apt/log" && continue
            # A mirror may list a version and not have it; then an older one will do.
            for version in $(apt-cache showsrc "$package" | sed -n 's/^Version: //p'); do
                apt-get source -qq "$package=$version" >/dev/null 2>&1 && break
            done || {
                cat "$apt/log" >&2
                exit 1
            }
        done
    ) || fail "apt-get source brings no $*"
}

fail() { echo "bench/setup.sh: $*" >&2; exit 1; }

name() { [ -d "$src/$1" ] || ln -s "$(basename "$(ls -d "$src"/$2/ | head -n 1)")" "$src/$1"; }

wanted=
want() { # FOLDER PACKAGE FILE
    [ -e "$src/$1/$3" ] || wanted="$wanted $2"
}
want lua lua5.4 src
want bzip2 bzip2 bzlib.c
want cjson cjson cJSON.c
want chipmunk chipmunk src
want doom chocolate-doom src
want zopfli zopfli src
want clzip clzip main.c
want duktape duktape src
want mawk mawk configure
want expat expat expat
if [ -n "$wanted" ]; then
    fetch_debian $wanted
    name lua 'lua5.4-*'
    name bzip2 'bzip2-*'
    name cjson 'cjson-*'
    name chipmunk 'chipmunk-*'
    name doom 'chocolate-doom-*'
    name zopfli 'zopfli-*'
    name clzip 'clzip-*'
    name duktape 'duktape-*'
    name mawk 'mawk-*'
    name expat 'expat-*'
fi
for extra in "$@"; do
    if ! [ -e "$src/$extra" ]; then
        fetch_debian "$extra"
        name "$extra" "$extra-*"
    fi
done
if ! [ -f "$src/mawk/scancode.c" ]; then
    (cd "$src/mawk" && ./configure && make scancode.c) >"$src/mawk.log" 2>&1 ||
        fail "mawk's configure: see $src/mawk.log"
fi
# Debian's rules write this header when they build Lua: where shared libraries of this machine lie.
mkdir -p "$src/include"
printf '#define DEB_HOST_MULTIARCH "%s"\n' "$(dpkg-architecture -qDEB_HOST_MULTIARCH)" \
    >"$src/include/lua5.4-deb-multiarch.h"
# What Doom's sources include of SDL and of their configure script.
mkdir -p "$src/include/doom"
for header in config SDL SDL_endian SDL_stdinc SDL_filesystem; do
    echo '#include "doom_host.h"' >"$src/include/doom/$header.h"
done
if ! [ -f "$src/freedoom1.wad" ]; then
    [ -n "$(apt-get indextargets --format x 'Created-By: Packages')" ] ||
        $as_root apt-get update -qq
    (
        cd "$src" && rm -rf .freedoom && mkdir .freedoom && cd .freedoom &&
            apt-get download -qq -o APT::Sandbox::User= freedoom >/dev/null &&
            dpkg -x freedoom_*.deb . && mv usr/share/games/doom/freedoom1.wad .. &&
            cd .. && rm -rf .freedoom
    ) || fail "apt-get download brings no freedoom"
fi

npm_package() { # FOLDER PACKAGE@VERSION FILE...: those files of the package
    folder=$src/$1 package=$2
    shift 2
    (
        rm -rf "$folder.new" && mkdir -p "$folder.new" && cd "$folder.new" &&
            npm pack --silent "$package" >/dev/null && tar xzf ./*.tgz && rm ./*.tgz &&
            for file in "$@"; do mv "package/$file" . || exit; done && rm -r package &&
            rm -rf "$folder" && mv "$folder.new" "$folder"
    ) || fail "npm brings no $package"
}
[ -f "$src/sqlite/sqlite3.c" ] ||
    npm_package sqlite better-sqlite3@12.11.1 deps/sqlite3/sqlite3.c deps/sqlite3/sqlite3.h \
        deps/sqlite3/sqlite3ext.h
[ -d "$src/tree-sitter/lib" ] || npm_package tree-sitter tree-sitter@0.25.0 vendor/tree-sitter/lib
[ -d "$src/tree-sitter-javascript/src" ] ||
    npm_package tree-sitter-javascript tree-sitter-javascript@0.25.0 src
[ -f "$src/typescript/typescript.js" ] ||
    npm_package typescript typescript@5.9.3 lib/typescript.js
