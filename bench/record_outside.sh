#!/bin/sh
# record_outside.sh [PROGRAM ...] - shares of time by `bursty record` beside those of `perf record` in
# the same run, from outside and by --inside: programs in C, C++, Rust, Go, Fortran, D, OCaml and
# bash, each linked as its users do. Prints the table of docs/ticks.md. TIMES (1): so many times the
# work. Go's and musl's programs are static, so that nothing can be inside.
# Wants linux-perf, python3, gfortran, ldc, gdc, golang-go, ocaml-nox, musl-tools, clang, rustc, lld.
set -u
cd "$(dirname "$0")/.." || exit 2
root=$PWD
build=${BUILD:-build}
case $build in /*) ;; *) build=$PWD/$build ;; esac
bursty=$build/bursty
out=$build/record_outside
times=${TIMES:-1}
mkdir -p "$out" && cd "$out" || exit 2
command -v perf python3 >/dev/null || { echo "record_outside.sh wants linux-perf and python3"; exit 2; }

# One program, both ways. COMM is what perf calls its threads.
both() { # NAME COMM COMMAND...
    name=$1 comm=$2
    shift 2
    command -v "$1" >/dev/null || { echo "| $name | not installed |"; return; }
    for way in outside inside; do
        perf record -q -e task-clock -F 2000 --call-graph dwarf,512 -o "$name.perf" -- \
            "$bursty" record --quiet --$way -o "$name.brst" -- "$@" >"$name.out" 2>perf.log ||
            { echo "| $name, $way | $(grep -m 1 '^bursty' perf.log | cut -c 1-60) |"; continue; }
        python3 "$root/bench/record_perf.py" "$bursty" "$name, $way" "$name.brst" "$name.perf" "$comm"
    done
}
built() { # NAME COMMAND...: compiles; without the compiler there is no program
    [ -x "$1" ] && return
    name=$1
    shift
    "$@" >"$name.log" 2>&1 || rm -f "$name"
}

# The same work in each language: a sieve, a sort and a product of matrices.
cat >work.c <<'P'
#include <stdio.h>
#include <stdlib.h>
#define CALLED __attribute__((noinline))
CALLED static unsigned sieve(unsigned n) { unsigned i, j, c = 0; unsigned char *s = calloc(n, 1); for (i = 2; i < n; i++) { if (s[i]) continue; c++; for (j = 2 * i; j < n; j += i) s[j] = 1; } free(s); return c; }
static int order(const void *a, const void *b) { return *(const int *)a < *(const int *)b ? -1 : *(const int *)a > *(const int *)b; }
CALLED static int sorted(int n) { int *a = malloc(n * sizeof *a), i, x = 1; for (i = 0; i < n; i++) a[i] = x = x * 1103515245u + 12345; qsort(a, n, sizeof *a, order); x = a[n / 2]; free(a); return x; }
CALLED static double product(int n) { double *a = malloc(n * n * 8), s = 0; int i, j, k; for (i = 0; i < n * n; i++) a[i] = i % 7; for (i = 0; i < n; i++) for (j = 0; j < n; j++) for (k = 0; k < n; k++) s += a[i * n + k] * a[k * n + j]; free(a); return s; }
int main(int c, char **v) { int i; double s = 0; for (i = 0; i < 10 * (c > 1 ? atoi(v[1]) : 1); i++) s += sieve(2000000) + sorted(200000) + product(200); printf("%g\n", s); return 0; }
P
cat >work.cc <<'P'
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>
[[gnu::noinline]] static long words(int n) { std::map<std::string, int> m; for (int i = 0; i < n; i++) m[std::to_string(i * 7919 % 10007)]++; return (long)m.size(); }
[[gnu::noinline]] static double sorted(int n) { std::vector<double> a(n); unsigned x = 1; for (auto &v : a) v = x = x * 1103515245u + 12345; std::sort(a.begin(), a.end()); return a[n / 2]; }
int main(int c, char **v) { double s = 0; for (int i = 0; i < 10 * (c > 1 ? atoi(v[1]) : 1); i++) s += words(100000) + sorted(400000); printf("%g\n", s); }
P
cat >work.rs <<'P'
use std::collections::HashMap;
#[inline(never)] fn words(n: u32) -> usize { let mut m: HashMap<String, u32> = HashMap::new(); for i in 0..n { *m.entry((i.wrapping_mul(7919) % 10007).to_string()).or_insert(0) += 1; } m.len() }
#[inline(never)] fn sorted(n: usize) -> u32 { let mut x = 1u32; let mut a: Vec<u32> = (0..n).map(|_| { x = x.wrapping_mul(1103515245).wrapping_add(12345); x }).collect(); a.sort(); a[n / 2] }
fn main() { let t: u32 = std::env::args().nth(1).map(|s| s.parse().unwrap()).unwrap_or(1); let mut s = 0usize; for _ in 0..10 * t { s += words(200000) + sorted(500000) as usize; } println!("{}", s); }
P
cat >work.go <<'P'
package main

import ("fmt"; "os"; "sort"; "strconv")

//go:noinline
func words(n int) int { m := map[string]int{}; for i := 0; i < n; i++ { m[strconv.Itoa(i*7919%10007)]++ }; return len(m) }
//go:noinline
func sorted(n int) int { a := make([]int, n); x := uint32(1); for i := range a { x = x*1103515245 + 12345; a[i] = int(x) }; sort.Ints(a); return a[n/2] }
func main() { t := 1; if len(os.Args) > 1 { t, _ = strconv.Atoi(os.Args[1]) }; s := 0; for i := 0; i < 10*t; i++ { s += words(200000) + sorted(300000) }; fmt.Println(s) }
P
cat >work.f90 <<'P'
program work
  implicit none
  integer :: i, t
  character(len=8) :: word
  double precision :: s
  t = 1
  if (command_argument_count() > 0) then
    call get_command_argument(1, word)
    read (word, *) t
  end if
  s = 0
  do i = 1, 10 * t
    s = s + product_of(220) + waves(400)
  end do
  print *, s
contains
  double precision function product_of(n)
    integer, intent(in) :: n
    double precision, allocatable :: a(:, :), b(:, :)
    allocate (a(n, n), b(n, n))
    call random_number(a)
    b = matmul(a, a)
    product_of = sum(b) * 1d-9
  end function
  double precision function waves(n)
    integer, intent(in) :: n
    integer :: k, j
    waves = 0
    do k = 1, n
      do j = 1, n
        waves = waves + sin(k * 1d-3) * cos(j * 1d-3)
      end do
    end do
  end function
end program
P
cat >work.d <<'P'
import std.algorithm, std.conv, std.stdio;
pragma(inline, false) size_t words(int n) { int[string] m; foreach (i; 0 .. n) m[to!string(cast(uint)(i * 7919) % 10007)]++; return m.length; }
pragma(inline, false) uint sorted(int n) { uint x = 1; auto a = new uint[n]; foreach (ref v; a) v = x = x * 1103515245u + 12345; sort(a); return a[n / 2]; }
void main(string[] args) { int t = args.length > 1 ? args[1].to!int : 1; size_t s; foreach (i; 0 .. 10 * t) s += words(100000) + sorted(300000); writeln(s); }
P
cat >work.ml <<'P'
let words n = let m = Hashtbl.create 16 in for i = 0 to n - 1 do let k = string_of_int (i * 7919 mod 10007) in Hashtbl.replace m k (1 + try Hashtbl.find m k with Not_found -> 0) done; Hashtbl.length m
let sorted n = let x = ref 1 in let a = Array.init n (fun _ -> x := (!x * 1103515245 + 12345) land 0x7fffffff; !x) in Array.sort compare a; a.(n / 2)
let () = let t = if Array.length Sys.argv > 1 then int_of_string Sys.argv.(1) else 1 in let s = ref 0 in for _ = 1 to 10 * t do s := !s + words 100000 + sorted 100000 done; print_int !s; print_newline ()
P
cat >work.bash <<'P'
for ((i = 0; i < 60000 * $1; i++)); do a[i % 97]=$((a[(i * 7) % 97] + i % 13)); s=${s:0:40}$i; [[ $s == *99* ]] && n=$((n + 1)); done; echo $n
P
echo "load: $(cut -d ' ' -f 1 /proc/loadavg) on $(getconf _NPROCESSORS_ONLN) processors, $(date +%F)"
echo
echo "| program | ticks | perf's samples | perf's share in the interval | not different by both errors |" \
    "largest: bursty's self %, perf's |"
echo "|---|--:|--:|--:|--:|---|"
for program in ${*:-c musl cxx clang rust rust_lld go fortran d gdc ocaml ocamlopt bash xz}; do
    case $program in
    c) built c cc -O2 -o c work.c && both "$program" c ./c "$times" ;;
    musl) built musl musl-gcc -O2 -static -o musl work.c && both "$program" musl ./musl "$times" ;;
    cxx) built cxx c++ -O2 -o cxx work.cc && both "$program" cxx ./cxx "$times" ;;
    clang)
        awk 'BEGIN { for (i = 0; i < 250; i++) printf "int f%d(int a) { int b[9] = {a}; for (int k = 0; k < 9; k++) b[k] += a * %d ^ k; return b[a %% 9]; }\n", i, i }' >clang.c
        both clang clang clang -O1 -c -o clang.o clang.c
        ;;
    rust) built rust rustc -O -o rust work.rs && both "$program" rust ./rust "$times" ;;
    rust_lld) built rust_lld rustc -O -C link-arg=-fuse-ld=lld -o rust_lld work.rs && both "$program" rust_lld ./rust_lld "$times" ;;
    go) built go env GOCACHE="$out/gocache" go build -o go work.go && both "$program" go ./go "$times" ;;
    fortran) built fortran gfortran -O2 -o fortran work.f90 && both "$program" fortran ./fortran "$times" ;;
    d) built d ldc2 -O2 -of=d work.d && both "$program" d ./d "$times" ;;
    gdc) built gdc gdc -O2 -o gdc work.d && both "$program" gdc ./gdc "$times" ;;
    ocaml) built ocaml ocamlopt -O3 -o ocaml work.ml && both "$program" ocaml ./ocaml "$times" ;;
    ocamlopt)
        awk 'BEGIN { for (i = 0; i < 1500; i++) printf "let f%d x = let y = x * %d in if y > 3 then (match y land 3 with 0 -> y + 1 | 1 -> y - x | _ -> x) else y\n", i, i }' >many.ml
        both ocamlopt ocamlopt.opt ocamlopt.opt -c many.ml
        ;;
    bash) both bash bash bash work.bash "$times" ;;
    xz) both xz xz xz -k -c -6 -T 1 "$bursty" ;;
    *) echo "record_outside.sh: no program $program"; exit 2 ;;
    esac
done
