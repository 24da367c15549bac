#!/bin/sh
# record_outside.sh [PROGRAM ...] - shares of time by `bursty record`, from outside and by --inside, beside
# those of `perf record`: of programs in C, C++, Rust, Go, Fortran, D, OCaml and bash, each linked as
# its users do. Each has the same input in four runs, one after another: perf, both ways of bursty, and
# perf again, which says how far runs differ by themselves. Prints the table of docs/ticks.md, and to
# standard error the shares that differ. TIMES (1): so many times the work.
# Wants linux-perf, python3, and Debian's lame gnugo stockfish cadical povray povray-includes ripgrep mopac
# menhir golang-go gfortran ldc gdc rustc lld.
set -u
cd "$(dirname "$0")/.." || exit 2
root=$PWD
build=${BUILD:-build}
case $build in /*) ;; *) build=$PWD/$build ;; esac
bursty=$build/bursty
out=$build/record_outside
times=${TIMES:-1}
PATH=$PATH:/usr/games
GOCACHE=$out/gocache
export GOCACHE
mkdir -p "$out" && cd "$out" || exit 2
command -v perf python3 >/dev/null || { echo "record_outside.sh wants linux-perf and python3"; exit 2; }

row() { # WAY FILE
    FAR=1 python3 "$root/bench/record_perf.py" "$bursty" "$name, $1" "$2" "$name.perf" "$comm"
}
# A program may end with another status: then there is a file.
sample() { # FILE COMMAND...
    file=$1
    shift
    rm -f "$file"
    perf record -q -e task-clock -F 2000 --call-graph dwarf,512 -o "$file" -- "$@" >"$name.out" 2>perf.log ||
        [ -s "$file" ] || { cat perf.log; exit 2; }
}
# One program, all ways. COMM is what perf calls its threads.
ways() { # NAME COMM COMMAND...
    name=$1 comm=$2
    shift 2
    command -v "$1" >/dev/null || { echo "| $name | not installed |"; return; }
    sample "$name.perf" "$@"
    for way in outside inside; do
        rm -f "$name.brst"
        "$bursty" record --quiet --$way -o "$name.brst" -- "$@" >"$name.out" 2>bursty.log || [ -s "$name.brst" ] ||
            { echo "| $name, $way | $(grep -m 1 '^bursty' bursty.log | cut -c 1-60) |"; continue; }
        row $way "$name.brst"
    done
    sample again.perf "$@"
    row "perf again" again.perf
}
built() { # NAME COMMAND...: compiles; without the compiler there is no program
    [ -x "$1" ] && return
    name=$1
    shift
    "$@" >"$name.log" 2>&1 || { rm -f "$name"; echo "| $name | not compiled |"; return 1; }
}

# Rust: words counted in a tree, numbers multiplied as digits.
cat >tree.rs <<'P'
use std::collections::BTreeMap;
#[inline(never)] fn count(n: u32) -> usize { let mut m: BTreeMap<String, Vec<u32>> = BTreeMap::new(); for i in 0..n { m.entry(format!("{:x}", i.wrapping_mul(2654435761) >> 18)).or_default().push(i); } m.values().filter(|v| v.len() > 5).count() }
#[inline(never)] fn power(n: usize) -> u64 { let mut d = vec![1u32]; for _ in 0..n { let mut carry = 0u32; for x in d.iter_mut() { carry += *x * 7; *x = carry % 10; carry /= 10; } while carry > 0 { d.push(carry % 10); carry /= 10; } } d.iter().map(|&x| x as u64).sum() }
fn main() { let t: u32 = std::env::args().nth(1).unwrap().parse().unwrap(); let mut s = 0u64; for _ in 0..40 * t { s += count(200000) as u64 + power(4000); } println!("{}", s); }
P
# Go: JSON, regular expressions and a hash.
cat >json.go <<'P'
package main

import ("crypto/sha256"; "encoding/json"; "fmt"; "os"; "regexp"; "strconv")

type thing struct { Name string; Parts []int; Next *thing }
func chain(n int) *thing { var t *thing; for i := 0; i < n; i++ { t = &thing{"part" + strconv.Itoa(i), []int{i, i * i, i % 7}, t} }; return t }
func main() {
	t, _ := strconv.Atoi(os.Args[1])
	r := regexp.MustCompile(`part\d*7","Parts":\[(\d+),\d+`)
	n := 0
	for i := 0; i < 900*t; i++ {
		b, _ := json.Marshal(chain(400 + i%60))
		var back thing
		if json.Unmarshal(b, &back) != nil { panic(i) }
		n += len(r.FindAllSubmatch(b, -1)) + int(sha256.Sum256(b)[0])
	}
	fmt.Println(n)
}
P
# Fortran: heat in a plate, and the determinant of a matrix.
cat >heat.f90 <<'P'
module plate
contains
  subroutine step(a, b)
    double precision, intent(in) :: a(:, :)
    double precision, intent(out) :: b(:, :)
    integer :: i, j
    b = a
    do j = 2, size(a, 2) - 1
      do i = 2, size(a, 1) - 1
        b(i, j) = a(i, j) + .2d0 * (a(i - 1, j) + a(i + 1, j) + a(i, j - 1) + a(i, j + 1) - 4 * a(i, j))
      end do
    end do
  end subroutine
  double precision function eliminated(n)
    integer, intent(in) :: n
    double precision, allocatable :: m(:, :)
    integer :: i, k
    allocate (m(n, n))
    call random_number(m)
    do k = 1, n - 1
      do i = k + 1, n
        m(:, i) = m(:, i) - m(:, k) * (m(k, i) / m(k, k))
      end do
    end do
    eliminated = log(abs(m(n, n))) + sum(exp(-m(1, :)**2))
  end function
end module
program heat
  use plate
  integer :: i, t
  character(len=8) :: word
  double precision :: a(400, 400), b(400, 400), s
  call get_command_argument(1, word)
  read (word, *) t
  a = 0
  a(200, :) = 100
  s = 0
  do i = 1, 4000 * t
    call step(a, b)
    a = b
    if (mod(i, 30) == 0) s = s + eliminated(250)
  end do
  print *, s + sum(a)
end program
P
# D: large numbers, words in an associative array, classes.
cat >large.d <<'P'
import std.algorithm, std.array, std.bigint, std.conv, std.format, std.stdio;
interface Shape { double area(); }
class Square : Shape { double a; this(double x) { a = x; } double area() { return a * a; } }
class Ring : Shape { double r; this(double x) { r = x; } double area() { return 3.14 * r * r - r; } }
pragma(inline, false) size_t factorial(int n) { BigInt f = 1; foreach (i; 2 .. n) f *= i; return f.to!string.length; }
pragma(inline, false) size_t words(int n) { int[string] m; foreach (i; 0 .. n) m[format("%x-%d", i * 7919 % 5003, i % 3)]++; return m.byValue.filter!(a => a > 2).count; }
pragma(inline, false) double areas(int n) { auto all = appender!(Shape[]); foreach (i; 0 .. n) all ~= i % 3 ? cast(Shape) new Square(i) : new Ring(i); return all[].map!(s => s.area).sum; }
void main(string[] args) { double s = 0; foreach (i; 0 .. 12 * args[1].to!int) s += factorial(1500) + words(30000) + areas(100000); writeln(s); }
P
cat >hanoi.bash <<'P'
declare -A at
move() { local n=$1; ((n == 0)) && return; move $((n - 1)) $2 $4 $3; at[$n]=$3; moves+=${2:0:1}; move $((n - 1)) $4 $3 $2; }
for ((k = 0; k < $1; k++)); do moves=; move 13 left right middle; w=(${moves//l/ }); IFS=, eval 'j="${w[*]}"'; printf -v h '%s' "${j^^}"; done
echo ${#h} ${at[13]} ${w[3]}
P
cat >scene.pov <<'P'
#include "colors.inc"
camera { location <0, 2, -6> look_at <0, 1, 0> }
light_source { <4, 8, -6> White area_light <1, 0, 0>, <0, 0, 1>, 4, 4 }
plane { y, 0 pigment { checker Red, Gray } normal { bumps .2 } finish { reflection .3 } }
#declare N = 0;
#while (N < 40)
  sphere { <sin(N) * 2, .4 + mod(N, 5) * .5, cos(N * 1.7) * 2>, .35 pigment { granite scale .3 } finish { phong .8 } }
  torus { .5, .1 rotate x * N * 9 translate <cos(N) * 2.5, 1, sin(N * 1.3) * 2> pigment { marble turbulence 1 } }
  #declare N = N + 1;
#end
P
numbers() { # of a random problem of 3-satisfiability without a solution
    awk 'BEGIN { srand(7); n = 290; m = 1235; print "p cnf", n, m
        for (i = 0; i < m; i++) { for (j = 0; j < 3; j++) printf "%d ", (rand() < .5 ? -1 : 1) * (1 + int(rand() * n)); print 0 } }'
}
waters() {
    echo "PM7 THREADS=1 CYCLES=$((40 * times))"
    printf 'waters\n\n'
    awk 'BEGIN { for (i = 0; i < 24; i++) { x = i % 4 * 2.9; y = int(i / 4) % 3 * 2.9; z = int(i / 12) * 2.9
        printf "O %.2f 1 %.2f 1 %.2f 1\nH %.2f 1 %.2f 1 %.2f 1\nH %.2f 1 %.2f 1 %.2f 1\n", x, y, z, x + .8, y + .5, z + .1, x - .8, y + .5, z } }'
}
grammar() {
    awk 'BEGIN { n = 60; printf "%%token"; for (i = 0; i < n; i++) printf " T%d", i
        print "\n%start <unit> main\n%%\nmain: e0 T0 {()}"
        for (i = 0; i < n - 1; i++) printf "e%d: e%d T%d e%d {()} | e%d {()} | T%d l%d T%d {()}\n", i, i, i, i + 1, i + 1, i * 7 % n, i % 10, (i * 3 + 1) % n
        printf "e%d: T1 {()}\n", n - 1
        for (i = 0; i < 10; i++) printf "l%d: e%d {()} | l%d T%d e%d {()}\n", i, i * 5 % n, i, (i + 11) % n, i * 3 % n }'
}
modules() { # of regular expressions and formats, whose templates are long to compile
    echo 'import std.regex, std.algorithm, std.range, std.format, std.bigint, std.stdio;
void main() { auto r = regex(`(\d+)-(\w+)`); foreach (m; matchAll("1-a 2-b", r)) writeln(m[1]);
writeln(iota(9).map!(a => BigInt(a) ^^ 5).array.sort!"a > b".format!"%s"); }'
}

echo "load: $(cut -d ' ' -f 1 /proc/loadavg) on $(getconf _NPROCESSORS_ONLN) processors, $(date +%F)"
echo
echo "| program | ticks | perf's samples | perf's share in the interval | not different by both errors | far |" \
    "largest: bursty's self %, perf's |"
echo "|---|--:|--:|--:|--:|--:|---|"
for program in ${*:-lame gnugo stockfish cadical povray rg tree json heat mopac ldc2 large menhir bash}; do
    case $program in
    lame)
        [ -f sound ] || for i in 1 2 3 4; do cat "$bursty"; done | head -c $((24000000 * times)) >sound
        ways lame lame lame --quiet -r -s 44.1 sound -
        ;;
    gnugo)
        yes 'genmove black
genmove white' | head -n $((30 * times)) >moves
        ways gnugo gnugo gnugo --mode gtp --seed 1 --level 7 --gtp-input moves
        ;;
    stockfish) ways stockfish stockfish stockfish bench 16 1 $((11 + times)) ;;
    cadical)
        numbers >problem.cnf
        ways cadical cadical cadical -q -n problem.cnf
        ;;
    povray) ways povray povray povray +Iscene.pov +W$((600 * times)) +H500 +A0.1 +WT1 -D +O- ;;
    rg)
        [ -f lines ] || awk 'BEGIN { srand(3); for (i = 0; i < 900000; i++) { s = "line" i; for (k = 0; k < 9; k++) s = s " " int(rand() * 1e6); print s } }' >lines
        # shellcheck disable=SC2046
        ways rg rg rg -j1 -c '(\d)\d*7 \d+(19|[3-5]8\d) .*[02]$|line\d*(77|8[01])\b' $(yes lines | head -n $((30 * times)))
        ;;
    tree) built tree rustc -O -C link-arg=-fuse-ld=lld -o tree tree.rs && ways tree tree ./tree "$times" ;;
    json) built json go build -o json json.go && ways json json ./json "$times" ;;
    heat) built heat gfortran -O2 -o heat heat.f90 && ways heat heat ./heat "$times" ;;
    mopac)
        waters >waters.mop
        # More threads of OpenBLAS spin in sched_yield as long as their neighbours let them.
        export OPENBLAS_NUM_THREADS=1
        ways mopac mopac mopac waters.mop
        ;;
    ldc2)
        modules >modules.d
        ways ldc2 ldc2 ldc2 -c -O -of=modules.o modules.d
        ;;
    large) built large gdc -O2 -o large large.d && ways large large ./large "$times" ;;
    menhir)
        grammar >grammar.mly
        ways menhir menhir menhir --table --canonical grammar.mly
        ;;
    bash) ways bash bash bash hanoi.bash "$times" ;;
    *) echo "record_outside.sh: no program $program"; exit 2 ;;
    esac
done
