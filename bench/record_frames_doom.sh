#!/bin/sh
# record_frames_doom.sh [DEMO...] - Chocolate Doom out of Debian's source, under
# `bursty record --frames D_RunFrame`, against what its own -timedemo says: a frame for each tic of
# the game and each step of a melting screen, and as much time in all frames as the demo took. Prints
# the table of docs/frames.md. No screen and no sound are needed. Fetches by package name.
set -u
cd "$(dirname "$0")/.." || exit 2
BUILD=${BUILD:-build}
mkdir -p "$BUILD/bench/record_frames_doom" || exit 2
work=$(cd "$BUILD/bench/record_frames_doom" && pwd)
source=$BUILD/bench/src/doom wad=$BUILD/bench/src/freedoom1.wad
[ $# -gt 0 ] || set -- demo1 demo2 demo3
as_root=
[ "$(id -u)" = 0 ] || as_root=sudo

[ -x "$BUILD/bursty" ] || make -s tools || exit 2
if ! [ -e "$source/autogen.sh" ] || ! [ -e "$wad" ]; then sh bench/setup.sh || exit 2; fi
missing=
for p in libsdl2-dev libsdl2-mixer-dev libsdl2-net-dev autoconf automake pkg-config make python3; do
    dpkg-query -W -f '${Status}' "$p" 2>/dev/null | grep -q 'ok installed' || missing="$missing $p"
done
# shellcheck disable=SC2086
[ -z "$missing" ] || DEBIAN_FRONTEND=noninteractive \
    $as_root apt-get install -y -qq --no-install-recommends $missing >/dev/null || exit 2

# D_RunFrame ends in a call, of which gcc makes a jump; with this flag the call is part of the frame.
game=$work/game/src/chocolate-doom
if ! [ -x "$game" ]; then
    rm -rf "$work/game"
    mkdir "$work/game" && cp -R "$source/." "$work/game" || exit 2
    (cd "$work/game" && autoreconf -fi && ./configure CFLAGS='-O2 -g -fno-optimize-sibling-calls' &&
        for part in textscreen pcsound opl src; do make -C "$part" || exit 2; done) >"$work/built" 2>&1
    [ -x "$game" ] || { tail -n 3 "$work/built"; exit 2; }
fi
export SDL_VIDEODRIVER=dummy SDL_AUDIODRIVER=dummy HOME="$work"
echo 'force_software_renderer 1' >"$work/config"
play() { # DEMO COMMAND... before the game; the words of -timedemo go to $work/words
    demo=$1
    shift
    "$@" "$game" -iwad "$wad" -nogui -nosound -extraconfig "$work/config" -timedemo "$demo" \
        >"$work/said" 2>&1
    sed -n 's/^timed \([0-9]*\) gametics in \([0-9]*\) realtics.*/\1 \2/p' "$work/said" >"$work/words"
    [ -s "$work/words" ] || { tail -n 3 "$work/said"; exit 2; }
}
echo "load: $(cut -d ' ' -f 1-3 /proc/loadavg) on $(getconf _NPROCESSORS_ONLN) processors"
echo '| demo | tics | steps of the screen | frames | the demo took, s | all frames, s | apart | without bursty, s |'
echo '|---|--:|--:|--:|--:|--:|--:|--:|'
for demo; do
    play "$demo" env
    read -r tics plain <"$work/words"
    play "$demo" "$BUILD/bursty" record --frames D_RunFrame --frames wipe_ScreenWipe --slow 28.571 \
        -o "$work/$demo.brst"
    read -r tics realtics <"$work/words"
    steps=$(sed -n 's/^bursty: \([0-9]*\) calls\{0,1\} within another frame .*/\1/p' "$work/said")
    "$BUILD/bursty" report --csv "$work/$demo.brst" | awk -F, -v demo="$demo" -v tics="$tics" \
        -v real="$realtics" -v plain="$plain" -v steps="${steps:-0}" '
        /^# / { is_in = /^# frames: /; next }
        $1 == "count" { for (i = 1; i <= NF; i++) column[$i] = i; next }
        is_in && $column["kind"] == "D_RunFrame" {
            s = $1 * $column["mean_ms"] / 1000
            printf "| %s | %d | %d | %d | %.2f | %.2f | %.2f %% | %.2f |\n", demo, tics, steps, $1,
                real / 35, s, 100 * (s * 35 / real - 1), plain / 35
        }'
done
# The last demo again, by what the program exports no matter how it was built.
"$BUILD/bursty" report "$work/$demo.brst" | sed -n '/^what slow frames do more/,/^$/p'
