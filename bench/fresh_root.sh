#!/bin/sh
# fresh_root.sh - README's rows where nothing else is: debootstrap makes a root of Debian with cc, make
# and git, and tests/readme_rows.sh runs in it. Then it gets what two pages ask for, the rows of C++ and
# of a microcontroller follow, and the table of docs/testing.md is written. As root: it mounts /proc
# there. ROOT keeps the folder, and one that is there is taken as it is.
set -u
cd "$(dirname "$0")/.." || exit 2
say() { echo "fresh_root.sh: $*" >&2; exit 2; }
[ "$(id -u)" = 0 ] || say "wants to be root, for chroot and mount"
command -v debootstrap >/dev/null || DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -qq --no-install-recommends debootstrap >/dev/null 2>&1 ||
    say "apt-get brings no debootstrap"
here=$PWD
page=docs/testing.md
root=${ROOT:-$(mktemp -d "${TMPDIR:-/tmp}/bursty-root.XXXXXX")} || exit 2
leave() {
    umount "$root/proc" 2>/dev/null
    [ -n "${ROOT-}" ] || rm -rf --one-file-system "$root"
}
trap leave EXIT
trap 'exit 1' INT TERM
if ! [ -x "$root/usr/bin/gcc" ]; then
    # From where this machine has its packages, whatever that is.
    from=$(apt-get indextargets --format '$(RELEASE) $(SITE)' 'Origin: Debian' 'Created-By: Packages' | head -n 1)
    [ -n "$from" ] || say "apt-get knows no source of Debian's packages"
    debootstrap --variant=minbase --include=gcc,libc6-dev,make,git \
        "${from%% *}" "$root" "${from#* }" >"$root.log" 2>&1 || say "debootstrap failed: $root.log"
    rm -f "$root.log"
fi
mount -t proc proc "$root/proc" || say "cannot mount $root/proc"
mkdir -p "$root/home/reader"
[ -d "$root/home/reader/bursty" ] || git clone -q . "$root/home/reader/bursty" || exit 2
inside() { # WORDS: in the root, in the clone
    env -i PATH=/usr/bin:/bin:/usr/sbin:/sbin HOME=/home/reader TERM=dumb LANG=C.UTF-8 \
        DEBIAN_FRONTEND=noninteractive chroot "$root" sh -c 'cd /home/reader/bursty && "$@"' sh "$@"
}
packages() {
    inside apt-get update -qq && inside apt-get install -y -qq --no-install-recommends "$@" >/dev/null
}
. tests/check.sh
said=$root/home/reader/said
rows() { # WHAT: tests/readme_rows.sh there
    inside sh tests/readme_rows.sh /home/reader/first >"$said" 2>&1
    ok $? "$1: $(grep -v '^|' "$said" | head -n 20)"
}
rows "cc, make and git alone"
grep '^|' "$said" >"$root/table"
packages g++ gcc-12-plugin-dev || say "no packages in the new root"
rows "with g++ and gcc-12-plugin-dev"
grep '^| a C++' "$said" >>"$root/table"
packages gcc-arm-none-eabi libnewlib-arm-none-eabi qemu-system-arm gdb-multiarch python3 ||
    say "no packages in the new root"
began=$(date +%s)
inside sh tests/firmware_page.sh >"$said" 2>&1
ok $? "a microcontroller: $(head -n 20 "$said")"
echo "| a microcontroller, \`make\` included | $(($(date +%s) - began)) | |" >>"$root/table"
{
    sed '/^<!-- rows -->$/q' $page
    printf '\nOn %s at %s, load %s:\n\n' "$(date -u +%Y-%m-%d)" "$(git describe --always)" \
        "$(cut -d ' ' -f 1 /proc/loadavg)"
    printf '| row of README | seconds | of processor time |\n|---|---:|---:|\n'
    cat "$root/table"
    sed -n '/^<!-- end of rows -->$/,$p' $page | sed '1s/^/\n/'
} >"$root/page"
[ $failed != 0 ] || cp "$root/page" "$here/$page"
cat "$root/table"
finish
