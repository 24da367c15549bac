#!/bin/sh
# matrix.sh [gate|TARGET...] - installs what rows of tests/matrix/targets need, runs them two at a time
# ($JOBS) and adds up. Without a name: the rows of `make matrix`. With "gate": those of `make gate`. A row
# whose packages cannot be installed has failed.
set -u
cd "$(dirname "$0")/.." || exit 2
table=tests/matrix/targets
mkdir -p build/matrix
rm -f build/matrix/*.result

field() { awk -F '|' -v n="$1" -v f="$2" '{ k = $1; gsub(/ /, "", k) } k == n { print $f }' $table; }
packages_of() { field "$1" 3; }
all_rows() { sed -n 's/^\([a-z][^ |]*\) *|.*/\1/p' $table; }

# What a row's own area is now: the files of its folders and the scripts that are left to it, also
# those that are not committed.
area_of() { # ROW
    folders=$(field "$1" 2 | sed 's/^ *[a-z]* *//')
    [ "$folders" ] || return 1
    scripts=$(awk -v row="$1" '!/^#/ && $2 == row { print "tests/" $1 }' tests/order)
    find $folders $scripts -type f -exec cksum {} + | LC_ALL=C sort -k 3 | cksum | tr ' ' -
}
has_changed() { # ROW: its area is another one than that with which it last passed
    now=$(area_of "$1") || return 1
    ! grep -qx "$1 $now" tests/matrix/passed
}

case ${1-} in
'') set -- $(for row in $(all_rows); do case $(field "$row" 2) in *gate*) ;; *) echo "$row" ;; esac; done) ;;
gate) set -- $(for row in $(all_rows); do case $(field "$row" 2) in
        *gate* | *both*) echo "$row" ;;
        *) if has_changed "$row"; then echo "$row"; fi ;;
        esac; done) ;;
esac

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
make -s -j"${JOBS:-2}" tools >build/matrix/tool.log 2>&1 || cat build/matrix/tool.log
ROW_LIMIT=${ROW_LIMIT:-2700} # seconds after which a row is ended
export ROW_LIMIT
echo "$ready" | xargs -r -n 1 -P "${JOBS:-2}" sh -c '
    timeout -k 10 "$ROW_LIMIT" sh tests/matrix/target.sh "$1"
    [ $? != 124 ] || echo "$1: FAILED, had not ended after $ROW_LIMIT s"' sh

for target in $ready; do
    read -r _ failed _ <"build/matrix/$target.result"
    if [ "$failed" = 0 ]; then
        now=$(area_of "$target") || continue
        { grep -v "^$target " tests/matrix/passed; echo "$target $now"; } | LC_ALL=C sort >build/matrix/passed
        cmp -s build/matrix/passed tests/matrix/passed || cp build/matrix/passed tests/matrix/passed
        continue
    fi
    echo "-- $target (build/matrix/$target.log)"
    grep -E 'error:|FAILED|FAULT|failed: |passed, [1-9][0-9]* failed|ended with|rror [0-9]' "build/matrix/$target.log" | cut -c 1-200 | head -n 30 | sed 's/^ */    /'
done
cat build/matrix/*.result | awk -v took=$(($(date +%s) - began)) -v packages=$packages '
    { p += $1; f += $2; s += $3 }
    END {
        printf "took %d s, of which %d s for packages\n", took, packages
        printf "%d passed, %d failed%s\n", p, f, s ? ", " s " skipped" : ""
        exit f != 0
    }'
