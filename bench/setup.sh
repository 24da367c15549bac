#!/bin/sh
# setup.sh [SOURCE...] - fetches what the benches need, and the Debian sources that are named, all
# of it by package name: apt-get installs compilers and tools that are missing, apt-get source
# brings Lua, bzip2, cJSON and Chipmunk, and sqlite3.c comes out of the npm package better-sqlite3.
# The sources land in build/bench/src. The deb-src lines stand in a list of our own that only
# APT_CONFIG shows: the machine's own configuration stays as it is.
set -e
cd "$(dirname "$0")/.."
src=${BUILD:-build}/bench/src
mkdir -p "$src"
src=$(cd "$src" && pwd)
as_root=
[ "$(id -u)" = 0 ] || as_root=sudo

missing=
for p in gcc binutils libc6-dev ca-certificates hyperfine qemu-user python3 python3-clang-19 \
    clang-19 clang-14 llvm-19 libclang-rt-19-dev gcc-arm-none-eabi \
    libnewlib-arm-none-eabi dpkg-dev npm; do
    case $p in
    npm) command -v npm >/dev/null || missing="$missing $p" ;; # may have come with node itself
    *) dpkg-query -W -f '${Status}' "$p" 2>/dev/null | grep -q 'ok installed' ||
        missing="$missing $p" ;;
    esac
done
if [ -n "$missing" ]; then
    $as_root apt-get update -qq
    DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y -qq --no-install-recommends \
        $missing >/dev/null
fi

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

if ! [ -d "$src/lua/src" ] || ! [ -d "$src/bzip2" ] || ! [ -d "$src/cjson" ] ||
    ! [ -d "$src/chipmunk/src" ]; then
    fetch_debian lua5.4 bzip2 cjson chipmunk
    name lua 'lua5.4-*'
    name bzip2 'bzip2-*'
    name cjson 'cjson-*'
    name chipmunk 'chipmunk-*'
fi
for extra in "$@"; do
    if ! [ -e "$src/$extra" ]; then
        fetch_debian "$extra"
        name "$extra" "$extra-*"
    fi
done
# Debian's rules write this header when they build Lua: where shared libraries of this machine lie.
mkdir -p "$src/include"
printf '#define DEB_HOST_MULTIARCH "%s"\n' "$(dpkg-architecture -qDEB_HOST_MULTIARCH)" \
    >"$src/include/lua5.4-deb-multiarch.h"
if ! [ -f "$src/sqlite/sqlite3.c" ]; then
    (cd "$src" && npm pack --silent better-sqlite3@12.11.1 >/dev/null &&
        tar xzf better-sqlite3-*.tgz package/deps/sqlite3 package/package.json &&
        rm better-sqlite3-*.tgz) || fail "npm brings no better-sqlite3"
    rm -rf "$src/sqlite"
    mv "$src/package/deps/sqlite3" "$src/sqlite" && rm -r "$src/package"
fi
