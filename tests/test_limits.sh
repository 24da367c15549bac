#!/bin/sh
# test_limits.sh - each message in docs/limits.md is one that the sources can print, and the page has
# an entry for each refusal of a program: those that need no other program are provoked here.
. tests/check.sh
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# All string literals, with what C joins joined.
find record report cc base src -name '*.[ch]' -exec cat {} + | tr '\n' ' ' |
    sed 's/" *"//g; s/\\"/"/g' >"$dir/sources"
sed -n 's/^  Says: `\([^`]*\)`$/\1/p' docs/limits.md >"$dir/messages"
[ "$(wc -l <"$dir/messages")" -ge 20 ]
ok $? "docs/limits.md has $(wc -l <"$dir/messages") messages"
while IFS= read -r message; do
    grep -qF -e "$message" "$dir/sources"
    ok $? "docs/limits.md: nothing prints \"$message\""
done <"$dir/messages"

says() { # MESSAGE PROGRAM [OPTION...]: record refuses PROGRAM with MESSAGE, which the page has
    want=$1
    program=$2
    shift 2
    "$BUILD"/bursty record "$@" -o "$dir/out.brst" "$program" >"$dir/printed" 2>&1
    status=$?
    [ $status -ne 0 ] && [ ! -e "$dir/out.brst" ] && grep -qF "$want" "$dir/printed" &&
        grep -qF "$want" docs/limits.md
    ok $? "$program: status $status, \"$(head -n 1 "$dir/printed")\", not \"$want\""
}
case $(uname -sm) in
"Linux x86_64") ;;
*) leave "only Linux on x86-64 records programs" ;;
esac
printf 'echo hello\n' >"$dir/script"
head -c 18 "$BUILD/bursty" >"$dir/arm"
printf '\267\000' >>"$dir/arm" # 183, AArch64, where the machine stands
tail -c +21 "$BUILD/bursty" | head -c 4000 >>"$dir/arm"
chmod +x "$dir/script" "$dir/arm"
says 'this is not an ELF program; a script without #! wants its interpreter before it' "$dir/script"
says 'this is not an x86-64 program of 64 bits' "$dir/arm"
echo 'int main(void) { return 0; }' >"$dir/one.c"
if "$CC" -static "$dir/one.c" -o "$dir/static" 2>/dev/null; then
    says 'it is statically linked, so that nothing can be preloaded' "$dir/static" --calls
fi
if "$CC" -fsanitize=address "$dir/one.c" -o "$dir/asan" 2>/dev/null; then
    says 'it was compiled with -fsanitize=' "$dir/asan" --calls
fi
echo 'int nothing;' >"$dir/nothing.c"
"$CC" "$dir/one.c" -o "$dir/one"
for name in libasan.so.8 libclang_rt.asan-x86_64.so libhwasan.so; do
    "$CC" -shared -fPIC "$dir/nothing.c" -o "$dir/$name" # by its name, whatever it is
    for before in "$dir/$name" "libm.so.6 $dir/$name" "$dir/$name:libm.so.6"; do
        export LD_PRELOAD="$before"
        says 'which wants to come before all other libraries: record without it' "$dir/one" --refs
        unset LD_PRELOAD
    done
done
"$CC" -shared -fPIC "$dir/nothing.c" -o "$dir/my_libasan.so"
LD_PRELOAD="$dir/my_libasan.so" "$BUILD"/bursty record --calls -o "$dir/out.brst" "$dir/one" \
    >"$dir/printed" 2>&1
ok $? "LD_PRELOAD of another library: $(cat "$dir/printed")"
finish
