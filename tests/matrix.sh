#!/bin/sh
# matrix.sh [TARGET...] - installs what the targets of tests/matrix/targets need, runs them two at a
# time and adds up. A target whose packages cannot be installed is a failure, and is named.
set -u
cd "$(dirname "$0")/.." || exit 2
table=tests/matrix/targets
[ $# = 0 ] && set -- $(sed -n 's/^\([a-z][^ |]*\) *|.*/\1/p' $table)
mkdir -p build/matrix
rm -f build/matrix/*.result

packages_of() { awk -F '|' -v n="$1" '{ k = $1; gsub(/ /, "", k) } k == n { print $2 }' $table; }
# npm may be there without Debian's package, which another nodejs keeps out.
is_there() {
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ] && return
    case $1 in npm) command -v npm ;; nodejs) command -v node ;; *) false ;; esac >/dev/null
}
missing() { for p in "$@"; do is_there "$p" || echo "$p"; done; }

root=
[ "$(id -u)" = 0 ] || root=$(command -v sudo)
export DEBIAN_FRONTEND=noninteractive
apt() { # retried once: mirrors have bad moments
    $root apt-get -qq "$@" >>build/matrix/apt.log 2>&1 ||
        { sleep 5; $root apt-get -qq "$@" >>build/matrix/apt.log 2>&1; }
}
# All at once is fast; if one name is unknown the rest come one by one.
install() {
    apt update
    apt install -y --no-install-recommends "$@" && return
    for p in "$@"; do apt install -y --no-install-recommends "$p"; done
}

: >build/matrix/apt.log
wanted=$(for target in "$@"; do missing $(packages_of "$target"); done | sort -u)
began=$(date +%s)
if [ -n "$wanted" ]; then
    echo "installing $(echo "$wanted" | wc -l) packages with apt-get"
    install $wanted
fi
packages=$(($(date +%s) - began))

ready=
for target in "$@"; do
    lacking=$(missing $(packages_of "$target") | tr '\n' ' ')
    if ! grep -q "^$target *|" $table; then echo "matrix.sh: no target $target"; exit 2; fi
    if [ -z "$lacking" ]; then ready="$ready $target"
    else
        echo "0 1 0" >"build/matrix/$target.result"
        echo "$target: FAILED, cannot install $lacking(build/matrix/apt.log)"
    fi
done

for target in $ready; do echo "0 1 0" >"build/matrix/$target.result"; done     # until it says otherwise

# The host's tool reads what emulated targets write.
make -s >build/matrix/tool.log 2>&1 || cat build/matrix/tool.log
ROW_LIMIT=${ROW_LIMIT:-2700} # seconds after which a row is ended
export ROW_LIMIT
echo "$ready" | xargs -r -n 1 -P "${JOBS:-2}" sh -c '
    timeout -k 10 "$ROW_LIMIT" sh tests/matrix/target.sh "$1"
    [ $? != 124 ] || echo "$1: FAILED, had not ended after $ROW_LIMIT s"' sh

for target in $ready; do
    read -r _ failed _ <"build/matrix/$target.result"
    [ "$failed" = 0 ] && continue
    echo "-- $target (build/matrix/$target.log)"
    grep -E 'error:|FAILED|failed: |passed, [1-9][0-9]* failed|ended with|rror [0-9]' "build/matrix/$target.log" | cut -c 1-200 | head -n 30 | sed 's/^ */    /'
done
cat build/matrix/*.result | awk -v took=$(($(date +%s) - began)) -v packages=$packages '
    { p += $1; f += $2; s += $3 }
    END {
        printf "took %d s, of which %d s for packages\n", took, packages
        printf "%d passed, %d failed%s\n", p, f, s ? ", " s " skipped" : ""
        exit f != 0
    }'
