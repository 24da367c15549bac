#!/bin/sh
# soak_settings.sh [NAME ...] - runs some 250 installed programs with inputs or tests of their own, servers
# with their clients among them, plain and under `bursty record`: in time, --calls, --edges and --refs at
# 1 %, or in SETTINGS, one a line. DRAW=N draws N pairs of a program and random options, by SEED. Output
# and status must be the same, and `bursty report` must read what was written. What is not installed is left
# out, and what is not the same in two plain runs does not count. Ends with "N passed, N failed"; the output
# of a run that differs stays in build/soak_settings (or OUT). INSTALL=1 installs the packages first (3 GB).
set -u
cd "$(dirname "$0")/.." || exit 2
root=$PWD
build=${BUILD:-build}
case $build in /*) ;; *) build=$PWD/$build ;; esac
out=${OUT:-$build/soak_settings}
bursty=$build/bursty
mkdir -p "$out/home" && cd "$out" || exit 2
chmod 777 . home                        # postgres is another user
[ -z "${INSTALL:-}" ] || apt-get install -y -qq --no-install-recommends abcm2ps apache2-utils aspell aspell-en astyle \
    bc bison brotli busybox chromium clang-19 clisp cpio dc discount emacs-nox espeak-ng fd-find ffmpeg \
    flac flex flite gawk gforth ghostscript gifsicle glpk-utils gnuplot-nox gperf graphviz guile-3.0 \
    hunspell hunspell-en-us indent jpegoptim jq libjpeg-turbo-progs librsvg2-bin llvm-19 lua5.4 luajit lynx \
    lzip lzop m4 mandoc memcached minisat mruby mujs nasm nginx-light nodejs ocaml-nox octave optipng \
    original-awk p7zip-full pari-gp pcre2-utils php-cli pigz poppler-utils postgresql potrace \
    protobuf-compiler python3-numpy r-base-core racket redis-server rhash ripgrep rsync ruby samtools sbcl \
    sox sqlite3 swi-prolog-nox tcc tcl tidy tre-agrep tree units vorbis-tools w3m webp x11-xkb-utils \
    xmlstarlet xsltproc yasm z3 zopfli \
    cargo chezscheme default-jdk-headless ecl erlang-base fish gap-core gdb ghc git gnat golang-go ldc \
    libpython3.11-testsuite maxima mono-mcs mono-runtime ngspice pandoc qemu-user strace valgrind yosys zsh || exit 2
OPENBLAS_NUM_THREADS=1
HOME=$out/home
export OPENBLAS_NUM_THREADS HOME root

# ---- inputs -------------------------------------------------------------------------------------
i=0
while [ $i -lt 1500 ]; do
    echo "line $i of $((i * 7919 % 1009)) words"
    i=$((i + 1))
done >text
head -c 200000 "$bursty" >data
cat >app.rb <<'P'
require 'json'; require 'set'; require 'erb'; require 'digest'
class Tree; include Enumerable
  def initialize; @a = []; end
  def add(x); @a << x; self; end
  def each(&b) @a.sort.each(&b) end
end
t = Tree.new
3000.times { |i| t.add((i * 7919) % 1009) }
puts t.map { |x| x * 2 }.select(&:even?).inject(:+)
f = Fiber.new { 10.times { |i| Fiber.yield i }; :done }
11.times { print f.resume, " " }
puts
puts JSON.generate(t.first(20)), ERB.new("<% 3.times do |i| %>row <%= i %>\n<% end %>").result
puts Digest::MD5.hexdigest("x" * 1000)
begin; Integer("zz"); rescue => e; puts e.message; end
th = 3.times.map { |i| Thread.new { s = 0; 2000.times { |k| s += k * i }; s } }
p th.map(&:value)
p (1..20).lazy.map { |x| x * x }.select(&:odd?).first(5)
p catch(:x) { 10.times { |i| throw :x, i if i == 7 } }
p "héllo wörld".unicode_normalize(:nfd).length, "a,b;c".split(/[,;]/)
GC.start
h = Hash.new { |hh, k| hh[k] = k < 2 ? k : hh[k - 1] + hh[k - 2] }
p h[80]
P
cat >app.php <<'P'
<?php
interface Shape { function area(): float; }
class Sq implements Shape { function __construct(private float $s) {} function area(): float { return $this->s ** 2; } }
class Ci implements Shape { function __construct(private float $r) {} function area(): float { return M_PI * $this->r ** 2; } }
$t = 0; for ($i = 0; $i < 2000; $i++) { $s = $i % 2 ? new Sq($i) : new Ci($i); $t += $s->area(); }
printf("%.3f\n", $t);
function gen($n) { for ($i = 0; $i < $n; $i++) { $x = yield $i; if ($x) echo "got $x\n"; } return 7; }
$g = gen(5); foreach ($g as $v) echo $v, " "; echo $g->getReturn(), "\n";
$m = match(true) { $t > 1e9 => "big", default => "small" }; echo $m, "\n";
usort($a = range(1, 500), fn($x, $y) => $y <=> $x);
echo json_encode(array_slice(array_map(fn($x) => $x * $x, array_filter(range(1, 100), fn($x) => $x % 3 == 0)), 0, 10)), "\n";
echo preg_replace_callback('/\d+/', fn($m) => $m[0] * 2, "a1b22c333"), "\n";
try { intdiv(1, 0); } catch (DivisionByZeroError $e) { echo get_class($e), "\n"; } finally { echo "fin\n"; }
$s = ''; for ($i = 0; $i < 20000; $i++) { $s .= chr(65 + $i % 26); if ($i % 100 == 99) $s = md5($s); } echo $s, "\n";
echo serialize(unserialize(serialize([1, 'a' => [2.5, null, true]]))), "\n";
$f = new Fiber(function () { $x = Fiber::suspend(1); echo "r$x\n"; Fiber::suspend(2); }); echo $f->start(), "\n"; echo $f->resume('z'), "\n";
switch ($m) { case "a": echo 1; break; case "small": echo 2; break; case "big": echo 3; break; default: echo 4; } echo "\n";
P
cat >app.pl <<'P'
use strict; use warnings; use List::Util qw(sum reduce); use POSIX qw(floor); use Data::Dumper; $Data::Dumper::Sortkeys = 1;
my %h; while (my $i = shift @{[1]}) { last } for my $i (1..4000) { push @{$h{$i % 31}}, $i * 7919 % 1009 }
print sum(map { scalar @$_ } values %h), "\n"; print Dumper({map { $_ => $h{$_}[0] } 1..3});
my $s = join ',', sort { $a <=> $b } @{$h{3}}; (my $t = $s) =~ s/(\d)(\d)/$2$1/g; print "$t\n";
local $SIG{ALRM} = sub { die "alarm\n" }; eval { alarm 1; alarm 0; die { code => 3 } }; print $@->{code}, "\n";
printf "%s\n", join ' ', map { sprintf '%03d', $_ } grep { $_ % 2 } 1..20; open my $f, '<', 'text' or die; my $n = 0; while (<$f>) { $n++ if /7.*9/ } print "$n\n";
my $r = fork // die; if (!$r) { print "child\n"; exit 3 } waitpid $r, 0; print $? >> 8, "\n"; print `echo sub`; tr/a-z/A-Z/ for my $u = 'abc'; print "$u\n"; print pack('N*', 1..3) eq "\0\0\0\1\0\0\0\2\0\0\0\3" ? "ok\n" : "no\n";
P
cat >app.js <<'P'
const a = []; for (let i = 0; i < 20000; i++) a.push((i * 7919) % 1009);
a.sort((x, y) => x - y); console.log(a[77], a.length);
function* g() { for (let i = 0; i < 5; i++) yield i * i; } console.log([...g()]);
(async () => { await new Promise(r => setTimeout(r, 5)); console.log('later'); try { throw new Error('x') } catch (e) { console.log(e.message) } })();
console.log(JSON.stringify({ a: [1, 2, { b: 3 }] }), 'abac'.replace(/a./g, 'b'), 2n ** 100n);
let s = 0; for (let i = 0; i < 3e5; i++) s += i % 7; console.log(s); console.log(require('crypto').createHash('sha256').update('x').digest('hex'), require('zlib').gzipSync('x'.repeat(9999)).length);
P
cat >App.java <<'P'
import java.util.*;
public class App { public static void main(String[] v) { Map<Integer,List<Integer>> m = new TreeMap<>();
 for (int i = 0; i < 3000; i++) m.computeIfAbsent(i % 97, k -> new ArrayList<>()).add(i * 7919 % 1009);
 long s = 0; for (var e : m.entrySet()) for (int x : e.getValue()) s += x; System.out.println(s);
 try { Object o = null; o.toString(); } catch (NullPointerException e) { System.out.println("npe"); }
 int[] a = new int[10]; try { a[10] = 1; } catch (ArrayIndexOutOfBoundsException e) { System.out.println(e.getMessage()); } System.gc(); } }
P
cat >app.py <<'P'
import json, re, asyncio, threading, collections, functools, hashlib, zlib, decimal, dataclasses, itertools, sqlite3, ctypes, subprocess, pickle, struct, csv, io
@dataclasses.dataclass(order=True)
class P: x: int; y: str = 'q'
d = collections.Counter(i * 7919 % 97 for i in range(5000)); print(d.most_common(3), sorted([P(3), P(1)]))
async def w(n): await asyncio.sleep(0.001 * n); return n
async def m(): return await asyncio.gather(*(w(i) for i in range(5)))
print(asyncio.run(m()))
r = []; l = threading.Lock()
def t(i):
    with l: r.append(sum(range(i * 1000)))
ts = [threading.Thread(target=t, args=(i,)) for i in range(4)]; [x.start() for x in ts]; [x.join() for x in ts]; print(sorted(r))
c = sqlite3.connect(':memory:'); c.execute('create table t(a,b)'); c.executemany('insert into t values(?,?)', ((i, str(i * 7)) for i in range(500))); print(c.execute('select sum(a), max(b) from t').fetchall())
print(hashlib.sha256(b'x' * 9999).hexdigest(), zlib.crc32(b'y' * 5000), decimal.Decimal(2) ** 200, re.findall(r'(a+)b', 'aab ab b'))
print(subprocess.run(['echo', 'sub'], capture_output=True).stdout, pickle.loads(pickle.dumps({1: (2, [3])})), ctypes.CDLL(None).abs(-5))
cb = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_int), ctypes.POINTER(ctypes.c_int))(lambda a, b: a[0] - b[0]); arr = (ctypes.c_int * 9)(5, 2, 9, 1, 7, 3, 8, 4, 6); ctypes.CDLL(None).qsort(arr, 9, 4, cb); print(list(arr))
def rec(n): return 0 if n == 0 else 1 + rec(n - 1)
try: rec(10 ** 5)
except RecursionError as e: print('deep')
P
cat >app.R <<'P'
set.seed(3); x <- rnorm(2000); print(summary(lm(x[-1] ~ x[-2000]))); m <- matrix(runif(400), 20); print(det(m)); print(sapply(split(x, rep(1:4, 500)), mean)); f <- function(n) if (n < 2) n else f(n-1) + f(n-2); print(f(18)); print(tryCatch(stop("oops"), error = function(e) conditionMessage(e), finally = cat("fin\n"))); print(table(sample(letters[1:4], 100, TRUE))); print(gsub("a(.)", "\\1b", "abacad")); print(sort(sapply(1:20, function(i) i * 7 %% 11)))
P
cat >app.scm <<'P'
(define (fib n) (if (< n 2) n (+ (fib (- n 1)) (fib (- n 2)))))
(display (fib 22)) (newline)
(display (call/cc (lambda (k) (for-each (lambda (x) (if (> x 3) (k x))) '(1 2 3 4 5)) 0))) (newline)
(use-modules (srfi srfi-1) (ice-9 regex))
(display (fold + 0 (iota 1000))) (newline)
(display (catch 'oops (lambda () (throw 'oops 7)) (lambda (k v) v))) (newline)
(display (regexp-substitute/global #f "a." "abacad" 'pre "X" 'post)) (newline) (gc)
(display (expt 7 100)) (newline)
P
cat >app.sh <<'P'
f() { if [ $1 -lt 2 ]; then echo $1; else echo $(( $(f $(( $1 - 1 ))) + $(f $(( $1 - 2 ))) )); fi; }
f 8
for i in 1 2 3; do ( exit $i ); echo $?; done
echo a b c | while read x y; do echo "$y"; done
trap 'echo bye' EXIT
kill -0 $$ && echo alive
wc -l <text
sleep 0.01 & wait $!
case abc in a*) echo yes;; esac
exit 5
P
cat >s.lua <<'P'
local t = {}
for i = 1, 3000 do t[i] = (i * 7919) % 1009 end
table.sort(t)
print(t[77], #t, pcall(error, "x"))
local co = coroutine.wrap(function() for i = 1, 5 do coroutine.yield(i) end end) for i = 1, 5 do io.write(co(), " ") end print(("abac"):gsub("a.", "b"))
local s = 0 for i = 1, 1e6 do s = s + i % 7 end print(s)
P
cat >s.ml <<'P'
exception Oops of int
let rec fib n = if n < 2 then n else fib (n - 1) + fib (n - 2)
let () =
  let h = Hashtbl.create 10 in
  for i = 1 to 3000 do Hashtbl.replace h (i mod 97) (string_of_int i) done;
  (try raise (Oops (fib 24)) with Oops n -> Printf.printf "%d\n" n);
  Gc.compact ();
  Hashtbl.fold (fun k v a -> (k, v) :: a) h [] |> List.sort compare
  |> List.iter (fun (k, v) -> Printf.printf "%d %s\n" k v)
P
cat >v.cc <<'P'
#include <algorithm>
#include <map>
#include <string>
#include <vector>
int main(int c, char **v) {
    std::map<std::string, std::vector<int>> m;
    for (int i = 0; i < c; i++) m[v[i]].push_back(i);
    return (int)std::max(m.size(), m.begin()->second.size());
}
P
cat >stl.cc <<'P'
#include <algorithm>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <regex>
#include <string>
#include <unordered_map>
#include <vector>
template <class T> struct node { T v; std::unique_ptr<node> next; };
int main() { std::regex r("a(b|c)*"); std::unordered_map<std::string, int> m; for (int i = 0; i < 9; i++) m[std::to_string(i)] = i;
 std::vector<std::function<int(int)>> f; f.push_back([&](int x) { return x + m["3"]; }); std::cout << f[0](4) << std::regex_match("abc", r); try { throw std::string("x"); } catch (std::string &s) { return (int)s.size(); } }
P
cat >s.el <<'P'
(require 'cl-lib)
(let ((sum 0) (i 0)) (while (< i 20000) (setq sum (+ sum (% i 7)) i (1+ i))) (princ sum))
(with-temp-buffer (dotimes (i 500) (insert (format "line %d\n" (* i 7919)))) (goto-char (point-min)) (while (re-search-forward "7\\([0-9]\\)" nil t) (replace-match "x\\1")) (sort-lines nil (point-min) (point-max)) (princ (md5 (buffer-string))))
(princ (json-encode '((a . 1) (b . [1 2 3])))) (condition-case e (error "oops") (error (princ (cadr e)))) (garbage-collect)
(princ (mapcar (lambda (x) (* x x)) (number-sequence 1 10)))
P
cat >s.sql <<'P'
create table t(a integer primary key, b text);
with recursive c(x) as (select 1 union all select x + 1 from c where x < 5000)
insert into t select x, hex(x * 7919) from c;
create index i on t(b);
select a, b from t order by b limit 5;
select count(*), avg(length(b)), group_concat(distinct substr(b,1,1)) from t where b like '3%1';
select sum(x.a) from t x join t y on x.a = y.a + 1;
begin; delete from t where a % 3 = 0; rollback; select json_array(1,2,json('{"a":3}')); explain query plan select * from t where b > 'x';
P
cat >t.ps <<'P'
%!
/Times-Roman findfont 40 scalefont setfont 50 50 moveto (Hello) show
0 10 200 { dup moveto 300 300 lineto stroke } for
/fib { dup 2 ge { dup 1 sub fib exch 2 sub fib add } if } def 15 fib pop showpage
P
cat >g.dot <<'P'
digraph g { a -> b -> c -> a; b -> d; d -> e -> f; f -> a; g -> h; h -> b; subgraph cluster_x { x -> y; } y -> a }
P
cat >t.xml <<'P'
<r><a k="1">x</a><a k="2">y</a><b><c/></b></r>
P
cat >t.xsl <<'P'
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"><xsl:template match="/"><o><xsl:for-each select="r/a"><xsl:sort select="@k" order="descending"/><p><xsl:value-of select="concat(., @k)"/></p></xsl:for-each></o></xsl:template></xsl:stylesheet>
P
cat >t.html <<'P'
<html><head><title>T</title></head><body><h1>Head</h1><table><tr><td>a<td>b</table><ul><li>one<li>two</ul><p>text <b>bold</b><script>x</script></body>
P
cat >s.lisp <<'P'
(defun fib (n) (if (< n 2) n (+ (fib (- n 1)) (fib (- n 2)))))
(format t "~a~%" (fib 18))
(format t "~a~%" (handler-case (error "oops") (error (e) (format nil "~a" e))))
(let ((h (make-hash-table))) (dotimes (i 1000) (incf (gethash (mod i 31) h 0) i)) (format t "~a~%" (gethash 7 h)))
(format t "~a~%" (sort (list 3 1 2) #'<))
P
cat >s.plg <<'P'
fib(0,0). fib(1,1). fib(N,F) :- N>1, A is N-1, B is N-2, fib(A,X), fib(B,Y), F is X+Y.
main :- fib(17,F), write(F), nl, findall(X, between(1,50,X), L), sumlist(L,S), write(S), nl, catch(throw(oops),E,(write(E),nl)), atom_codes(A,"hey"), write(A), nl.
P
cat >s.tcl <<'P'
proc fib n {expr {$n < 2 ? $n : [fib [expr {$n-1}]] + [fib [expr {$n-2}]]}}
puts [fib 17]
foreach {a b} {1 2 3 4} {puts "$a $b"}
puts [regsub -all {a.} abac b] 
catch {error oops} m; puts $m
set d [dict create a 1 b 2]; dict for {k v} $d {puts $k$v}
puts [lsort -integer {3 1 2}]
coroutine c apply {{} {yield; yield 1; yield 2}}; puts [c]; puts [c]
P
cat >m.rb <<'P'
def fib(n) n < 2 ? n : fib(n - 1) + fib(n - 2) end
puts fib(17); puts [3,1,2].sort.inspect; begin; raise "x"; rescue => e; puts e.message; end; h = {}; 100.times { |i| h[i] = i * i }; puts h.values.inject(:+)
P
cat >a.asm <<'P'
section .text
global f
f: mov eax, edi
%rep 50
 add eax, 3
 imul eax, [rsi+rax*4+7]
%endrep
 ret
P
cat >g.y <<'P'
%token N
%left '+' '-'
%left '*'
%%
s: e; e: e '+' e | e '-' e | e '*' e | '(' e ')' | N;
%%
P
cat >l.l <<'P'
%%
[0-9]+ return 1;
[a-z_]+ return 2;
"/*"([^*]|\*[^/])*"*/" ;
. return 3;
%%
P
cat >s.c <<'P'
int g(int n) { switch (n) { case 1: return 7; case 2: return 9; case 3: return n * n; case 4: return 5; case 5: return 1; default: return n; } }
int f(int n) { int i, s = 0; for (i = 0; i < n; i++) s += g(i) * i; return s; }
int main(void) { return f(9) & 7; }
P
cat >t.1 <<'P'
.TH T 1
.SH NAME
t \- a test
.SH TEXT
Some \fBbold\fP text that is long enough to be filled over more than one line of the page, with a table.
.IP \(bu
one
.IP \(bu
two
P
printf 'all: a b\na b:\n\techo $@ $(words 1 2 3) $(foreach x,1 2,$(x)y)\n' >mk
printf '#define BINPATCH_IMPLEMENTATION\n#include "binpatch.h"\n' >big.c
${CC:-cc} -O2 -S s.c -o s.s
${CC:-cc} -c s.c -o plain.o
command -v ocamlopt >/dev/null && ocamlopt -g -o s.native s.ml
command -v javac >/dev/null && javac App.java
if [ ! -d repo ]; then
    git init -q repo
    for i in 1 2 3 4 5 6 7 8; do
        seq $i $((i * 100)) >repo/f$i
        seq 1 $((i * 50)) >repo/f
        git -C repo add .
        GIT_AUTHOR_DATE=2020-01-0${i}T00:00:00Z GIT_COMMITTER_DATE=2020-01-0${i}T00:00:00Z \
            git -C repo -c user.name=a -c user.email=a@b commit -qm "c $i"
    done
fi
if command -v ffmpeg >/dev/null && [ ! -f t.svg ]; then
    av() { ffmpeg -y -nostdin -loglevel error -f lavfi "$@"; }
    for image in t.ppm t.png t.jpg t.gif; do av -i testsrc=d=1:s=160x120 -frames:v 1 $image; done
    av -i sine=d=1 -bitexact t.wav
    { echo P1 8 8; awk 'BEGIN {for (i = 0; i < 64; i++) print i * 7 % 3 == 0}'; } >t.pbm
    echo '<svg xmlns="http://www.w3.org/2000/svg" width="60" height="40"><circle cx="30" cy="20" r="15" fill="red"/></svg>' >t.svg
fi
cat >redis.sh <<'P'
rm -rf rd; mkdir rd
$R redis-server --port 7391 --dir rd --save '' --appendonly no --daemonize no >rd/log 2>&1 &
p=$!
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30; do redis-cli -p 7391 ping 2>/dev/null | grep -q PONG && break; sleep 0.2; done
redis-benchmark -p 7391 -n 3000 -c 10 -q -t set,get,lpush,lrange_100,zadd,sadd,hset 2>&1 | tr '\r' '\n' | grep -c 'requests per second, p50'
redis-cli -p 7391 eval 'local s=0 for i=1,1000 do s=s+i end redis.call("set","k",s) return redis.call("get","k")' 0
redis-cli -p 7391 debug jmap >/dev/null 2>&1; redis-cli -p 7391 sort mylist limit 0 3 alpha | head -3
redis-cli -p 7391 bgsave; sleep 0.3; redis-cli -p 7391 dbsize | cut -c1-3; redis-cli -p 7391 lolwut version 5 1 1 1| tail -1
redis-cli -p 7391 shutdown nosave; wait $p; echo status $?
P
cat >nginx.sh <<'P'
rm -rf ng; mkdir -p ng/logs ng/www; seq 1 2000 >ng/www/x.txt; chmod -R 777 ng
cat >ng/c <<C
daemon off; master_process off; pid $PWD/ng/pid; error_log $PWD/ng/err;
events {}
http { access_log off; gzip on; gzip_types text/plain; client_body_temp_path ng/a; proxy_temp_path ng/b; fastcgi_temp_path ng/d; uwsgi_temp_path ng/e; scgi_temp_path ng/f;
server { listen 7392; root $PWD/ng/www; location ~ ^/r(.*) { rewrite ^/r(.*)$ /x.txt; } location / { autoindex on; } } }
C
$R nginx -p $PWD -c $PWD/ng/c &
p=$!
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do curl -s -o /dev/null http://127.0.0.1:7392/ && break; sleep 0.2; done
ab -q -n 600 -c 8 -H 'Accept-Encoding: gzip' http://127.0.0.1:7392/x.txt | grep -E 'Complete|Failed|Non-2xx'
curl -s http://127.0.0.1:7392/rzz | cksum; curl -s http://127.0.0.1:7392/none | tail -3 | head -1
kill -QUIT $(cat ng/pid); wait $p; echo status $?; wc -l <ng/err
P
cat >postgres.sh <<'P'
rm -rf pg; mkdir pg; chmod 777 pg
B=$(ls -d /usr/lib/postgresql/*/bin | tail -1)
run="setpriv --reuid=postgres --regid=postgres --clear-groups env HOME=/tmp"
[ "$(id -u)" = 0 ] || run=
rm -f s.brst s.brst.new
[ -d pgdata ] || { mkdir pgdata; [ -z "$run" ] || chown postgres pgdata; $run $B/initdb -D pgdata -A trust >/dev/null 2>&1; }
cp -a pgdata pg/d
$run $R $B/postgres -D pg/d -p 7393 -k $PWD/pg -c fsync=off >pg/log 2>&1 &
p=$!
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do psql -h $PWD/pg -p 7393 -U postgres -c 'select 1' postgres >/dev/null 2>&1 && break; sleep 0.3; done
psql -h $PWD/pg -p 7393 -U postgres postgres -Atc "select sum(x*7919 % 1009), md5(string_agg(x::text,',')) from generate_series(1,3000) x; select count(*) from pg_class a join pg_attribute b on a.oid=b.attrelid; select regexp_replace('abacad','a.','X','g'); select 1/0; do \$\$ begin for i in 1..100 loop perform i; end loop; end \$\$"  2>&1
pgbench -h $PWD/pg -p 7393 -U postgres -i -q postgres >/dev/null 2>&1
pgbench -h $PWD/pg -p 7393 -U postgres -c 4 -t 50 postgres 2>&1 | grep -E 'actually|failed'
kill -INT $p; wait $p; echo status $?
P

# ---- programs: NAME|COMMAND, where $R is nothing or `bursty record ... --` -------------------------
cat >list <<'P'
g++-vector|$R g++ -O1 -S v.cc -o -
cc1plus-stl|$R $(g++ -print-prog-name=cc1plus) -quiet -O2 stl.cc -o -
ocamlopt|$R ocamlopt -S -c s.ml -o /dev/null
ocaml-native|$R ./s.native
ruby|$R ruby app.rb
php|$R php app.php
perl-app|$R perl app.pl
node|$R node app.js
java|$R java -Xint -cp . App
python-json|$R /usr/bin/python3 app.py
numpy|$R /usr/bin/python3 -c 'import numpy as n; a=n.arange(40000.).reshape(200,200); print((a@a).sum(), n.linalg.det(a[:5,:5]+n.eye(5)))'
openssl-rsa|$R openssl genrsa -traditional 512 2>/dev/null | wc -l
openssl-enc|$R openssl enc -aes-256-cbc -pbkdf2 -pass pass:x -nosalt -in data | cksum
openssl-dgst|$R openssl dgst -sha3-512 data
emacs|$R emacs --batch -Q -l s.el
octave|$R octave-cli --norc --eval 'x=rand("seed",1); A=magic(40); disp(det(A)); disp(sum(inv(A+eye(40))(:)))'
R|$R /usr/lib/R/bin/exec/R --no-save --no-echo --vanilla -f app.R
guile|$R guile --no-auto-compile app.scm
gdb|$R gdb -batch -nx -ex 'info functions main' -ex 'disassemble main' ./s.native
git-log|$R git -C repo --no-pager log --stat -p
git-fsck|$R git -C repo fsck --full --strict
git-gc|cp -r repo r2 && $R git -C r2 repack -adq && git -C r2 count-objects -v | sed -n 3,4p; rm -rf r2
ffmpeg|$R ffmpeg -nostdin -loglevel error -f lavfi -i testsrc=d=1:s=160x120 -f framemd5 -threads 1 -
ffmpeg-x264|$R ffmpeg -nostdin -loglevel error -f lavfi -i testsrc=d=1:s=160x120 -c:v libx264 -threads 2 -f framemd5 -
sqlite3|$R sqlite3 :memory: '.read s.sql'
luajit|$R luajit s.lua
gs|$R gs -q -dBATCH -dNOPAUSE -sDEVICE=ppmraw -r40 -sOutputFile=- t.ps | cksum
dot|$R dot -Tplain g.dot
xsltproc|$R xsltproc t.xsl t.xml
xmllint|$R xmllint --format t.xml
tidy|$R tidy -q t.html
sbcl|$R sbcl --noinform --non-interactive --no-userinit --load s.lisp
swipl|$R swipl -q -g main -t halt s.plg
gforth|$R gforth -e ': t 0 10000 0 do i + loop . ; t cr bye'
tclsh|$R tclsh s.tcl
mruby|$R mruby m.rb
units|$R units -t '5 miles' 'km'
gnuplot|$R gnuplot -e 'set term dumb; plot sin(x)'
nasm|$R nasm -f elf64 -o o.o a.asm && cksum o.o
yasm|$R yasm -f elf64 -o o.o a.asm && cksum o.o
bison|$R bison -o y.c g.y && cksum y.c
flex|$R flex -o l.c l.l && cksum l.c
rhash|$R rhash -a data
lz4|$R lz4 -9 -c data | cksum
brotli|$R brotli -c data | cksum
pigz|$R pigz -p 2 -c data | gzip -dc | cksum
7z|$R /usr/lib/p7zip/7z a -mmt=2 -so -tgzip x data | gzip -dc | cksum
zstd-T|$R zstd -T2 -12 -c data | cksum
rg|$R rg -n 'line 1[0-9]+' --sort path text
ctags|$R ctags-universal -f - --sort=yes s.c stl.cc
indent|$R indent -st s.c
astyle|$R astyle <stl.cc
cppcheck|$R cppcheck -q --enable=all --suppress=missingIncludeSystem s.c
aspell|$R aspell list <text
w3m|$R w3m -dump t.html
lynx|$R lynx -dump t.html
as|$R as -o o.o s.s && cksum o.o
ld|$R ld -r -o o2.o plain.o && cksum o2.o
make|$R make -n -f mk all
vim|$R vim -u NONE -es -c 'g/1/normal Ax' -c 'g/7/d' -c '%s/line/row/g' -c 'w! out.vim' -c 'qa!' text; cksum out.vim; rm -f out.vim
groff|$R groff -Tascii -man t.1
curl|$R curl -s -o /dev/null file:///etc/passwd; $R curl --version
jq|$R jq -n '[range(3000)|.*7919%1009]|sort|group_by(.%10)|map(length)'
redis|sh redis.sh
nginx|sh nginx.sh
postgres|sh postgres.sh
file|$R file s.c data text ./s.native
bash|$R bash app.sh
dash|$R dash app.sh
busybox|$R busybox awk '{n[$2]+=$4} END {for(k in n) s+=n[k]; print s}' text
cmake|$R cmake --help-full | cksum
ssh-keygen|$R ssh-keygen -q -t ed25519 -N '' -f k1 </dev/null; ls k1; rm -f k1 k1.pub
gpg|$R gpg --version | head -2
clang++|$R clang++ -fintegrated-cc1 -S -O1 stl.cc -o - 
clisp|$R /usr/lib/clisp-2.49.93+/base/lisp.run -B /usr/lib/clisp-2.49.93+ -M /usr/lib/clisp-2.49.93+/base/lispinit.mem -q -norc s.lisp
fd|$R fdfind -j1 s -e py .
perf|$R perf bench sched pipe -l 100 >/dev/null; $R perf list sw | head -5
cc1-big|$R $(gcc -print-prog-name=cc1) -quiet -O2 -I"$root" big.c -o - | cksum
ls|$R ls -la --time-style=+ /usr/lib/x86_64-linux-gnu | cksum
groff-html|$R groff -Thtml -man t.1 | tail -3
less|$R less -FX text </dev/null | cksum
zip|$R zip -q -X - text | wc -c
bzip2|$R bzip2 -9 -c data | cksum
xz|$R xz -9 -T2 -c data | cksum
tar|$R tar czf - --mtime=@0 text data | gzip -dc | cksum
ssh|$R ssh -V
gs-pdf|$R gs -q -dBATCH -dNOPAUSE -sDEVICE=pdfwrite -sOutputFile=/dev/null t.ps
imagemagick|$R $(ls /usr/bin/convert-im6.q16 /usr/bin/convert | head -1) -size 80x80 plasma:red-blue -seed 3 -blur 2x2 -resize 50% -depth 8 txt:- 2>/dev/null | wc -l
ffmpeg-aac|$R ffmpeg -nostdin -loglevel error -f lavfi -i sine=d=1 -c:a aac -f framemd5 -threads 1 -
gawk|$R gawk '{n[$2 % 7]+=$4; l[length]++} END {for(k in n) print k, n[k] | "sort"; close("sort"); print length(l), strtonum("0x1f"), gensub(/a/, "b", "g", "banana")}' text
mawk|$R mawk '{n[$4 % 13]+=$2} END {for(k=0;k<13;k++) printf "%d ", n[k]; print substr("abcdef", 2, 3), index("foobar", "bar")}' text
original-awk|$R original-awk '{gsub(/[0-9]/, "#"); n[$0]++} END {for(k in n) print n[k], k}' text
sed|$R sed -E -n 's/^line ([0-9]+) of ([0-9]+) words$/\2:\1/;/^9/p;y/0123/abcd/;$!N;P;D' text | cksum
grep|$R grep -nEi 'of (1|2)?([0-9])\2 ' text
grep-P|$R grep -cP '(?<=of )\d+(?= words)' text
pcre2grep|$R pcre2grep -o1 '(\d+) (?=words)' text | cksum
agrep|$R tre-agrep -1 'lime 14' text | head -5
sort|$R sort -k4,4n -k2,2nr text | cksum
sort-parallel|$R sort --parallel=2 -S 64K -u -k2.2 text | cksum
uniq|cut -d' ' -f4 text | sort | $R uniq -cd | cksum
wc|$R wc -lwmL text data
cut|$R cut -d' ' -f2,4 --output-delimiter=, text | cksum
tr|$R tr -cs '[:alpha:]' '\n' <text | tr a-z A-Z | cksum
paste|$R paste -d, - - - <text | cksum
join|sort -k2,2 text >j1; $R join -1 2 -2 2 -o 1.4,2.2 j1 j1 | cksum; rm -f j1
comm|sort text >c1; tac c1 | sort -R --random-source=data | sort >c2; $R comm -12 c1 c2 | cksum; rm -f c1 c2
fold|$R fold -sw 13 text | cksum
fmt|$R fmt -w 60 text | cksum
nl|$R nl -ba -w3 text | cksum
pr|$R pr -3 -h head -D x text | cksum
tac|$R tac text | cksum
rev|$R rev text | cksum
od|$R od -A x -t x2z -v data | cksum
hexdump|$R hexdump -C data | cksum
xxd|$R xxd -p data | xxd -r -p | cksum
base64|$R base64 data | base64 -d | cksum
basenc|$R basenc --z85 -w 0 <data | cksum
md5sum|$R md5sum data text
sha256sum|$R sha256sum data text | sha256sum -c
b2sum|$R b2sum data text
cksum|$R cksum -a sm3 data
split|$R split -n l/5 text sp. && cat sp.* | cksum; rm -f sp.*
csplit|$R csplit -s text '/line 500 /' '{0}' && wc -l xx*; rm -f xx*
expand|$R unexpand -a text | expand -t 3 | cksum
shuf|$R shuf --random-source=data text | cksum
factor|$R factor 1234567890123456789 18446744073709551557 1000000016000000063
numfmt|$R numfmt --to=iec --field=2 <text | cksum
tsort|awk '{print $2, $2 + 1}' text | $R tsort | cksum
ptx|$R ptx -w 60 text | cksum
find|$R find /usr/share/doc -maxdepth 1 -name 'lib*' -newermt 2000-01-01 -type d | sort | cksum
xargs|$R xargs -n 7 echo <text | cksum
du|$R du -ab /usr/share/doc | sort | cksum
stat|$R stat -c '%n %s %a %U' /usr/bin/env /usr/bin/sort
dd|$R dd if=data bs=333 skip=3 count=99 conv=swab status=none | cksum
diff|sed 's/9/nine/' text >d2; $R diff -u --label a --label b text d2 | cksum; $R diff -y text d2 | cksum; rm -f d2
diff3|sed '3d' text >d2; sed '900d' text >d3; $R diff3 -m d2 text d3 | cksum; rm -f d2 d3
cmp|$R cmp -l data text | cksum
patch|sed 's/9/nine/' text >d2; diff text d2 >d3; $R patch -o d4 text d3; cmp d4 d2; rm -f d2 d3 d4
ed|printf '%s\n' 'g/7/s/line/row/' '1,5p' '$=' q | $R ed -s text
bc|echo 'scale=300; 4*a(1); 2^999 % 1000007' | $R bc -l
dc|echo '99k 2v p 7 3 ^ p' | $R dc
m4|printf 'define(`f'\'', `ifelse(eval($1<2), 1, 1, `eval($1*f(decr($1)))'\'')'\'')f(12)\n' | $R m4
gperf|tr -cs a-z '\n' <s.c | sort -u | sed '/^$/d' | $R gperf | cksum
column|$R column -t text | cksum
tree|$R tree -a repo --noreport | cksum
rsync|rm -rf rs; $R rsync -a --stats repo/ rs/ | grep 'regular files'; rm -rf rs
cpio|(cd repo && ls f*) >cl; (cd repo && $R cpio -o -H newc --reproducible 2>/dev/null) <cl | cpio -t; rm -f cl
ar|$R ar rcD a.a plain.o && $R ar t a.a && cksum a.a; rm -f a.a
nm|$R nm -CS --size-sort "$root/build/bursty" | cksum
objdump|$R objdump -d --no-show-raw-insn plain.o
readelf|$R readelf -aW "$root/build/bursty" | cksum
strings|$R strings -n 9 data | cksum
size|$R size "$root/build/bursty"
addr2line|$R addr2line -fe "$root/build/bursty" 0x10000 0x12000
c++filt|nm "$root/build/bursty" | $R c++filt | cksum
objcopy|$R objcopy --strip-debug plain.o po.o && cksum po.o; rm -f po.o
ld.gold|$R ld.gold -r -o o2.o plain.o && cksum o2.o
gfortran|printf 'program p\ninteger :: i\nreal(8) :: s=0\ndo i=1,99\ns=s+1d0/i\nend do\nprint *, s\nend program\n' >p.f90; $R gfortran -O2 -S p.f90 -o - | cksum
gnat|printf 'with Ada.Text_IO;\nprocedure P is\nbegin\n   for I in 1 .. 3 loop\n      Ada.Text_IO.Put_Line (I'\''Image);\n   end loop;\nend P;\n' >p.adb; $R $(gcc -print-prog-name=gnat1) -quiet -O1 p.adb -o - | cksum
llc|clang-19 -O1 -S -emit-llvm s.c -o s.ll && $R llc-19 -O2 s.ll -o - | cksum
opt|clang-19 -O1 -S -emit-llvm s.c -o s.ll && $R opt-19 -O3 -S s.ll | cksum
llvm-objdump|$R llvm-objdump-19 -dr plain.o
clang-14|$R clang-14 -fintegrated-cc1 -S -O3 stl.cc -o -
tcc|$R tcc -c s.c -o t.o && cksum t.o; rm -f t.o
strace|$R strace -c -o /dev/null true; echo $?
memcached|$R memcached -h | cksum
psql|$R $(ls /usr/lib/postgresql/*/bin/psql | tail -1) --help | cksum
lua5.4|$R lua5.4 s.lua
ocamlc|$R ocamlc -c s.ml -o s.cmo && ls s.cmo
quickjs|printf 'let a=[];for(let i=0;i<3000;i++)a.push(i*7919%%1009);a.sort((x,y)=>x-y);console.log(a[99],JSON.stringify(a.slice(0,9)),/(\\d+)b/.exec("a12b")[1])\n' >q.js; $R qjs q.js
mujs|printf 'var a=[];for(var i=0;i<3000;i++)a.push(i*7919%%1009);a.sort(function(x,y){return x-y});print(a[99],a.slice(0,9).join())\n' >q.js; $R mujs q.js
protoc|printf 'syntax = "proto3";\nmessage M { int32 a = 1; repeated string b = 2; }\n' >m.proto; $R protoc --cpp_out=. m.proto && cksum m.pb.cc
msgfmt|printf 'msgid "a"\nmsgstr "b"\n\nmsgid "c"\nmsgstr "d"\n' >m.po; $R msgfmt -o - m.po | cksum
xgettext|$R xgettext -a --omit-header -o - s.c
iconv|$R iconv -f latin1 -t utf16 text | iconv -f utf16 -t ucs4 | cksum
localedef|$R localedef --no-archive -i de_DE -f UTF-8 ./loc; find loc -type f | sort | xargs cksum; rm -rf loc
unzip|zip -q -X t.zip text data; $R unzip -p t.zip | cksum; rm -f t.zip
lzop|$R lzop -c data | lzop -dc | cksum
lzip|$R lzip -9 -c data | lzip -dc | cksum
gzip|$R gzip -9n -c data | gzip -dc | cksum
zopfli|$R zopfli --i3 -c text | gzip -dc | cksum
gifsicle|$R gifsicle -O3 --colors 16 t.gif | cksum
potrace|$R potrace -s -o - t.pbm | grep -v '<!' | cksum
jpegoptim|$R jpegoptim --stdout -q -m50 t.jpg | cksum
cjpeg|$R cjpeg -quality 60 -optimize t.ppm | djpeg -scale 1/2 | cksum
jpegtran|$R jpegtran -rotate 90 -progressive t.jpg | cksum
cwebp|$R cwebp -quiet -q 60 -m 6 t.png -o - | cksum
optipng|cp t.png o.png; $R optipng -quiet -o2 o.png && cksum o.png; rm -f o.png
rsvg|$R rsvg-convert t.svg | cksum
sox|$R sox -D t.wav -t wav - rate 22050 reverb 2>/dev/null | cksum
flac|$R flac -s -8 -c t.wav | cksum
oggenc|$R oggenc -Q -q 4 --serial 7 -o - t.wav | cksum
ffmpeg-mp3|$R ffmpeg -nostdin -loglevel error -i t.wav -f framemd5 -threads 1 -
pdftotext|gs -q -dBATCH -dNOPAUSE -sDEVICE=pdfwrite -sOutputFile=t.pdf t.ps; $R pdftotext -layout t.pdf -; $R pdfinfo t.pdf | grep Pages
fc-list|$R fc-list : family | sort | cksum
xkbcomp|$R xkbcomp -version
xmlstarlet|$R xmlstarlet sel -t -v 'count(//*)' -n t.xml
markdown|$R markdown "$root/README.md" | cksum
hunspell|$R hunspell -d en_US -l <text | sort -u | cksum
minisat|awk 'BEGIN {print "p cnf 60 240"; for(i=0;i<240;i++) print i*7%60+1, -(i*13%60+1), i*29%60+1, 0}' >m.cnf; $R minisat -verb=0 m.cnf m.out; head -1 m.out
z3|printf '(declare-const a Int)(declare-const b Int)(assert (= (+ (* 3 a) (* 5 b)) 47))(assert (> a b 0))(check-sat)' >m.smt2; $R z3 m.smt2
glpsol|printf 'var x >= 0; var y >= 0; maximize z: 3*x + 2*y; s.t. c: x + y <= 4; s.t. d: x + 3*y <= 6; solve; display x, y; end;' >m.mod; $R glpsol -m m.mod | grep -v -i 'time\|memory'
gp|echo 'print(factor(2^97-1)); print(ellap(ellinit([0,1]), 101)); print(bnfinit(x^3-x-1).no)' | $R gp -fq
abcm2ps|printf 'X:1\nT:t\nM:4/4\nL:1/8\nK:C\nCDEF GABc|c2B2 A2G2|\n' >t.abc; $R abcm2ps -O t.abc.ps t.abc 2>/dev/null; grep -c . t.abc.ps
espeak|$R espeak-ng --stdout 'one two three' | cksum
flite|$R flite -t 'one two' -o f.wav && cksum f.wav; rm -f f.wav
samtools|printf '@SQ\tSN:c\tLN:100\nr\t0\tc\t5\t60\t4M\t*\t0\t0\tACGT\tIIII\n' >t.sam; $R samtools view -b --no-PG t.sam | samtools view -h --no-PG -
racket|$R racket -n -e '(display (for/sum ([i 999]) (* i i)))'
shellcheck|$R shellcheck -s sh redis.sh | cksum
chromium|$R chromium --headless --no-sandbox --disable-gpu --dump-dom "file://$PWD/t.html" 2>/dev/null
troff|tbl t.1 | eqn | $R troff -man -Tascii | grotty | cksum
man|$R mandoc -Tutf8 t.1 2>/dev/null || $R man -l t.1 | cksum
dpkg-query|$R dpkg-query -W -f '${Package} ${Version}\n' | cksum
dpkg-deb|$R dpkg-deb --help | cksum
apt-cache|$R apt-cache depends bash
locale|$R locale -a
getent|$R getent passwd
date|$R date -u -d '@86400 +3 days' +%FT%T%z
seq|$R seq -f %09.3f 1 0.7 2000 | cksum
test|$R /usr/bin/test text -nt data -o -s text; echo $?
expr|$R expr 'a12b' : 'a\([0-9]*\)' \; ; $R expr 7919 \* 1009 % 77
printf|$R /usr/bin/printf '%5.2f|%-8s|%x\n' 3.14159 ab 255 2.7 cd 65535
timeout|$R timeout 9 sort text | cksum
tee|$R tee t1 <text | cksum; cmp t1 text; rm -f t1
head|$R head -c -100 data | cksum; $R tail -n +1400 text
ln|$R ln -sf text lk; readlink lk; rm -f lk
cp|$R cp --sparse=always -p data dc && cmp dc data; rm -f dc
P

cat >>list <<'P'
python-tests|PYTHONHASHSEED=0 $R /usr/bin/python3 -m test -q test_json test_re test_struct test_heapq test_bisect test_generators test_exceptions test_threadedtempfile 2>&1 | sed 's/[0-9.]* \(sec\|ms\)//'
python-processes|$R /usr/bin/python3 -m test -q test_subprocess test_popen test_wait3 test_fork1 2>&1 | sed 's/[0-9.]* \(sec\|ms\)//'
python-memory|$R /usr/bin/python3 -m test -q test_mmap test_ctypes test_resource test_gc 2>&1 | sed 's/[0-9.]* \(sec\|ms\)//'
python-sockets|$R /usr/bin/python3 -m test -q test_selectors test_poll test_epoll test_socketserver 2>&1 | sed 's/[0-9.]* \(sec\|ms\)//'
gdb-run|$R gdb -batch -nx -ex 'break main' -ex run -ex bt -ex finish -ex 'info registers rip' ./s.native 2>&1 | sed 's/0x[0-9a-f]*//g; s/process [0-9]*//'
ghc|printf 'import Control.Exception\nimport Control.Concurrent\nmain = do { m <- newEmptyMVar; _ <- forkIO (putMVar m (sum [1..9999 :: Int])); takeMVar m >>= print; r <- try (evaluate (div 1 (0 :: Int))); print (r :: Either ArithException Int) }\n' >H.hs; $R ghc -v0 -O1 -o H H.hs && $R ./H +RTS -V0; echo $?
cargo|rm -rf c7; cargo new -q --vcs none c7 2>/dev/null; printf 'fn main() { let v: Vec<u32> = (0..99).collect(); println!("{}", v.iter().sum::<u32>()); let r = std::panic::catch_unwind(|| { panic!("boo") }); println!("{}", r.is_err()); std::process::exit(3) }' >c7/src/main.rs; $R cargo run -q --offline --manifest-path c7/Cargo.toml; echo $?
maxima|$R maxima --very-quiet --batch-string='factor(x^12-1); integrate(1/(1+x^3),x); bfloat(%pi), fpprec=60; determinant(hilbert_matrix(7));'
gap|echo 'Size(AutomorphismGroup(DihedralGroup(40))); FactorInt(2^67-1); List(ConjugacyClasses(SymmetricGroup(6)), Size);' | $R gap -q -A
mono|printf 'using System; using System.Linq; class P { static int Main() { Console.WriteLine(Enumerable.Range(1, 999).Where(x => x %% 7 == 0).Sum()); try { object o = null; o.ToString(); } catch (NullReferenceException) { Console.WriteLine("null"); } return 4; } }' >p.cs; $R mcs -out:p.exe p.cs; $R mono p.exe; echo $?
erlang|$R erl -noshell -eval 'P = self(), [spawn(fun() -> P ! X * X end) || X <- lists:seq(1, 50)], io:format("~p~n", [lists:sum([receive Y -> Y end || _ <- lists:seq(1, 50)])]), (catch 1 / 0), halt(5).'; echo $?
ecl|$R ecl --norc --load s.lisp --eval '(quit 3)'; echo $?
chez|echo '(let loop ((i 0) (s 0)) (if (< i 30000) (loop (+ i 1) (+ s (* i i))) (begin (display s) (newline)))) (call/cc (lambda (k) (with-exception-handler (lambda (e) (k 1)) (lambda () (car 1)))))' | $R chezscheme -q
fish|$R fish --no-config -c 'for i in (seq 30); set -a l (math $i x $i); end; string join , $l; false; echo $status; functions -n | count >/dev/null'
zsh|$R zsh -f -c 'for i in {1..300}; do a[$i]=$((i * i)); done; print ${(j:,:)a[1,20]} ${#a}; f() { (( $1 < 2 )) && echo 1 || echo $(( $(f $(( $1 - 1 ))) + $1 )) }; f 5; trap "echo usr1" USR1; kill -USR1 $$; exit 6'; echo $?
pandoc|$R pandoc -t html "$root/README.md" | cksum
yosys|printf 'module m(input clk, input [7:0] a, output reg [7:0] q); always @(posedge clk) q <= a * 3 + q; endmodule\n' >m.v; $R yosys -q -p 'read_verilog m.v; synth; tee -o m.stat stat' && grep -v Yosys m.stat
ngspice|printf 'rc\nv1 1 0 pulse(0 1 0 1n 1n 1u 2u)\nr1 1 2 1k\nc1 2 0 1n\n.tran 10n 4u\n.meas tran m max v(2)\n.end\n' >rc.cir; $R ngspice -b rc.cir 2>/dev/null | grep '^m  '
octave-more|$R octave-cli --norc --eval 'try, error("a:b", "boo"); catch e, disp(e.identifier); end, s = regexprep(repmat("ab1", 1, 300), "\\d", "x"); disp(numel(s)); c = num2cell(1:50); disp(sum(cellfun(@(x) x ^ 2, c))); [q, r] = qr(magic(20)); printf("%.6f\n", norm(q * r - magic(20))); x = fsolve(@(x) x ^ 2 - 2, 1); printf("%.4f\n", x);'
emacs-tests|$R emacs --batch -Q --eval '(progn (require (quote ert)) (ert-deftest one () (should (= (length (apropos-internal "buffer")) (length (apropos-internal "buffer"))))) (ert-deftest two () (should-error (/ 1 0))) (with-temp-buffer (insert-file-contents "text") (while (re-search-forward "\\([0-9]+\\) words" nil t) (replace-match "\\1")) (princ (md5 (current-buffer)))) (princ (ert-stats-completed-unexpected (ert-run-tests-batch))))' 2>&1 | sed 's/([0-9., a-z]*sec)//; s/at 20.*//; s/, [0-9.]* sec//'
git-more|rm -rf r3; $R git clone -q repo r3 && (cd r3 && $R git -c user.name=a -c user.email=a@b rebase -q HEAD~3 2>&1; $R git grep -n 77 | cksum; $R git blame f | cksum; $R git bisect start HEAD HEAD~6 2>&1 | head -2; $R git archive HEAD | cksum; $R git diff --stat HEAD~4 | tail -1); rm -rf r3
node-worker|printf 'const { Worker, isMainThread, parentPort } = require("worker_threads"); if (isMainThread) { let n = 0; for (let i = 0; i < 3; i++) new Worker(__filename).on("message", m => { n += m; if (i == 2) 0 }).on("exit", () => { if (n == 3 * 4950) process.exitCode = 7 }) } else { let s = 0; for (let i = 0; i < 100; i++) s += i; parentPort.postMessage(s) }' >w.js; $R node w.js; echo $?
java-jit|$R java -XX:-UsePerfData -cp . App
javac|rm -f App.class; $R javac App.java && cksum App.class
ldc|printf 'import std.stdio, std.algorithm, std.range; int main() { writeln(iota(1, 999).filter!(a => a %% 3 == 0).sum); try { throw new Exception("boo"); } catch (Exception e) { writeln(e.msg); } return 3; }' >d7.d; $R ldc2 -of=d7 d7.d; $R ./d7; echo $?
gnatmake|printf 'with Ada.Text_IO; use Ada.Text_IO;\nprocedure Q7 is\n   task T;\n   task body T is begin Put_Line ("task"); end T;\nbegin\n   raise Constraint_Error;\nexception\n   when Constraint_Error => Put_Line ("caught");\nend Q7;\n' >q7.adb; $R gnatmake -q q7.adb; $R ./q7 | sort; echo $?
go|printf 'package main\nimport "fmt"\nfunc main() { c := make(chan int); for i := 0; i < 9; i++ { go func(i int) { c <- i * i }(i) }; s := 0; for i := 0; i < 9; i++ { s += <-c }; fmt.Println(s); defer func() { fmt.Println(recover()) }(); var p *int; *p = 1 }\n' >g7.go; [ -x g7 ] || GOFLAGS=-mod=mod GOCACHE=$PWD/gocache go build -o g7 g7.go; $R ./g7; echo $?
valgrind|$R valgrind -q ./g7 >/dev/null 2>&1; $R valgrind -q true; echo $?
qemu|$R qemu-x86_64 /bin/echo hello; echo $?
strace-f|$R strace -f -qq -e trace=exit_group -o st.log sh -c 'true; exit 4'; echo $?
P

# DRAW=N draws N pairs of a program and random options, SEED others; `-p` stands
# for a look at the program while it runs.
draw() {
    awk -v n="$DRAW" -v seed="${SEED:-1}" '
        function pick(list,    part, k) {
            k = split(list, part, "|")
            random = random * 16807 % 2147483647
            return part[random % k + 1]
        }
        { name[NR] = $0 }
        END {
            random = seed
            for (i = 1; i <= NR; i++) numbers = numbers (i > 1 ? "|" : "") i
            while (n-- > 0) {
                what = pick("--time|--time --inside|--lines|--lines --inside|--calls|" \
                    "--calls|--calls --time|--edges|--edges --time|--footprint|--refs|--misses|--sharing|" \
                    "--profile hcct,pairs,footprint|--profile methods,streams|--calls --misses|-p")
                often = pick("--every 20 --burst 5|--every 99 --burst 1|--every 500|--per-second 1000|" \
                    "--every 9900 --burst 1000|--every 1000 --burst 20|")
                if (what ~ /^--(calls|edges)$/ && pick("1|2|3|4|5|6|7|8") == 1) often = "--every 0"
                more = pick("--all-checks|--events blocks|--boring 0|--no-cache|--no-keep|--follow|--follow|" \
                    "--ticks 2000|--ticks 99|--only *_in*|--not *_pars*|--streams 32|--jitter 0|--off --signal 10|" \
                    "--off --signal 34|||")
                own = " --seed " random
                if (what ~ /^--(time|lines)/) {
                    often = own = ""
                    more = pick("--ticks 2000|--ticks 99|--follow|--no-keep||")
                    if (what !~ /inside/) more = pick("--outside|--outside --follow|--follow|") " " more
                    sub(/--follow --follow/, "--follow", more)
                }
                if (what == "-p") often = more = own = ""
                print name[pick(numbers)] "|" what " " often " " more own
            }
        }'
}

default='--time
--calls
--edges
--refs --every 9900 --burst 100'
passed=0
failed=0
# A program that hangs ends by its own processor time, or by the clock.
one() { # PREFIX OUT
    rm -f o.o k1 k1.pub
    (ulimit -t 200; R=$1 exec timeout -k 5 600 sh -c "$line") >"$2" 2>"$2.err" <text
    echo "status $?" >>"$2"
}
# The program has its own number, and a look at it comes beside it.
cat >attach.sh <<P
(( exec "$bursty" record -p \$\$ --seconds 1 --quiet -o "$out/a.brst" </dev/null >/dev/null 2>&1 ) & )
exec "\$@"
P
same() { cmp -s "$1" "$2" && cmp -s "$1.err" "$2.err"; }
# Twice, of which the second stays: it is the one that the recorded ones are
# held against. 1: it is not here, or never the same.
plain() { # NAME
    [ ! -s "left.$1" ] || return 1
    [ ! -s "plain.$1" ] || return 0
    one "" again
    one "" "plain.$1"
    reason=
    if tail -n 1 again | grep -q 'status 127' || grep -q 'not found' again.err; then reason="is not installed"
    elif ! same "plain.$1" again; then reason="differs from itself"
    else return 0; fi
    echo "left out: $1 $reason" | tee "left.$1"
    return 1
}
recorded() { # NAME OPTIONS
    rm -f s.brst s.brst.* a.brst
    case $2 in
    -p*) one "sh $out/attach.sh" got ;;
    *) one "$bursty record --quiet $2 -o $out/s.brst --" got ;;
    esac
    fault=
    sed -i '/^bursty: nothing was recorded: --only/d; /^bursty: .* as another program/d' got.err
    same "plain.$1" got || fault="it prints or ends otherwise"
    for dump in s.brst s.brst.* a.brst; do
        [ ! -s "$dump" ] || "$bursty" report --text -o s.text "$dump" 2>s.log || fault="$fault no report: $(head -n 1 s.log)"
    done
    if [ -z "$fault" ]; then
        echo "$1 $2" >>done
        passed=$((passed + 1))
        return
    fi
    failed=$((failed + 1))
    echo "FAILED $1: bursty record $2: $fault"
    mv got "failed.$1.$failed"
    mv got.err "failed.$1.$failed.err"
}
rm -f plain.* left.*
sed 's/|.*//' list | while read -r name; do
    [ $# = 0 ] || case " $* " in *" $name "*) ;; *) continue ;; esac
    echo "$name"
done >names
if [ -n "${DRAW-}" ]; then draw <names
else
    while read -r name; do
        printf '%s\n' "${SETTINGS:-$default}" | sed "s/^/$name|/"
    done <names
fi >settings
while IFS='|' read -r name options <&3; do
    line=$(sed -n "s/^$name|//p" list)
    plain "$name" && recorded "$name" "$options"
done 3<settings
echo "$passed passed, $failed failed"
[ $failed = 0 ]
