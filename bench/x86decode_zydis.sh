#!/bin/sh
# x86decode_zydis.sh [COUNT [SEED]] - the decoder against Zydis on COUNT (20 million) random strings.
# Needs the Debian package libzydis-dev.
set -u
cd "$(dirname "$0")/.." || exit 2
build=${BUILD:-build}
mkdir -p "$build/bench" || exit 2
echo '#include <Zydis/Zydis.h>' | ${CC:-cc} -E - >/dev/null 2>&1 || {
    echo "x86decode_zydis.sh: wants the Debian package libzydis-dev"
    exit 2
}
${CC:-cc} -std=c99 -O2 -I. -o "$build/bench/x86decode_zydis" bench/x86decode_zydis.c -lZydis \
    || exit 2
"$build/bench/x86decode_zydis" "${1:-20000000}" "${2:-1}"
