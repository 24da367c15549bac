#!/bin/sh
# instrument.sh [short] - the recorder of -finstrument-functions: what each way to record costs on
# mawk, in executed instructions and in time; and whether shares by ticks are right, beside a
# sampler of program counters in the same program, on mawk and demo/index. Prints the tables of
# docs/hcct.md. Wants gcc, yacc, valgrind and python3; fetches mawk's Debian source. x86-64 Linux.
set -e
cd "$(dirname "$0")/.."
build=${BUILD:-build}
out=$build/bench/instrument
mawk=$build/bench/src/mawk
mkdir -p "$out"
for tool in yacc valgrind python3; do
    command -v $tool >/dev/null || { echo "bench/instrument.sh: $tool is missing" >&2; exit 1; }
done
make -s BUILD="$build" "$build/bursty" >/dev/null
[ -d "$mawk" ] || sh bench/setup.sh mawk
# Makes what mawk's build generates, in a copy.
if ! [ -f "$out/mawk/scancode.o" ]; then
    rm -rf "$out/mawk"
    cp -r "$mawk/" "$out/mawk"
    (cd "$out/mawk" && ./configure && make) >"$out/log" 2>&1
fi
compile_mawk() { # FOLDER FLAGS...
    folder=$out/$1
    shift
    mkdir -p "$folder"
    for object in "$out"/mawk/*.o; do
        name=$(basename "$object" .o)
        [ "$name" = makescan ] && continue
        gcc -w "$@" -I"$out/mawk" -DHAVE_CONFIG_H -DLOCAL_REGEXP -D_DEFAULT_SOURCE \
            -D_XOPEN_SOURCE=500 -c -o "$folder/$name.o" "$out/mawk/$name.c"
    done
}
mkdir -p "$out/record"
for file in instrument settings calls threads names dump ticks sampled; do
    gcc -O2 -I. -c -o "$out/record/$file.o" record/inside/[ch]o*/"$file.c"
done
cat >"$out/empty.c" <<'END_OF_FILE'
void __cyg_profile_func_enter(void *function, void *site) { (void)function, (void)site; }
void __cyg_profile_func_exit(void *function, void *site) { (void)function, (void)site; }
END_OF_FILE
gcc -O2 -c -o "$out/empty.o" "$out/empty.c"
gcc -O2 -fPIC -shared -o "$out/sampler.so" bench/ticks_sampler.c
compile_mawk plain -O2
compile_mawk hooks -O2 -finstrument-functions
gcc -o "$out/mawk-plain" "$out"/plain/*.o -lm
gcc -o "$out/mawk-empty" "$out"/hooks/*.o "$out/empty.o" -lm
gcc -o "$out/mawk-record" "$out"/hooks/*.o "$out"/record/*.o -lm -pthread
# Without inlining a function is the same to ticks and to the sampler.
flags="-O2 -fno-inline -fno-optimize-sibling-calls -fno-partial-inlining -fno-ipa-cp -fno-ipa-sra"
flags="$flags -fno-omit-frame-pointer -fcf-protection=none -no-pie -finstrument-functions"
# shellcheck disable=SC2086
compile_mawk shares $flags
gcc -no-pie -o "$out/mawk-shares" "$out"/shares/*.o "$out"/record/*.o -lm -pthread
# shellcheck disable=SC2086
gcc -std=gnu99 $flags -DBURSTY_OFF -I. -c -o "$out/index.o" demo/index.c
# shellcheck disable=SC2086
gcc -w -std=gnu99 $flags -DBURSTY_OFF -DHCCT_STATIC -I. -c -o "$out/profile.o" demo/profile.c
gcc -no-pie -o "$out/index-shares" "$out/index.o" "$out/profile.o" "$out"/record/*.o -pthread
exec python3 bench/instrument.py "$out" "$build/bursty" ${1:+"$1"}
