#!/bin/sh
# dist.sh BUILD VERSION - the release archive of the commit that is checked out: the same bytes from
# every clone, for names, times and owners come from the commit.
set -u
cd "$(dirname "$0")/.." || exit 2
build=$1 name=bursty-$2
say() { echo "dist: $*" >&2; exit 2; }
command -v git >/dev/null || say "git is wanted, and is not in PATH"
git rev-parse -q --verify HEAD >/dev/null 2>&1 || say "this folder is no clone: make dist packs a commit"
[ -z "$(git status --porcelain | head -n 1)" ] || say "there are changes that are not committed"
tagged=$(git rev-parse -q --verify "v$2^{commit}")
[ -z "$tagged" ] || [ "$tagged" = "$(git rev-parse HEAD)" ] ||
    say "the tag v$2 is on another commit: a new version wants a new number (base/tool.h)"
mkdir -p "$build" || exit 2
git -c core.autocrlf=false -c tar.umask=0022 archive --format=tar --prefix="$name/" HEAD >"$build/$name.tar" &&
    gzip -9 -n -f "$build/$name.tar" || say "$build/$name.tar.gz: cannot be written"
echo "$build/$name.tar.gz"
