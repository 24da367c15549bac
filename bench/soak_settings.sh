#!/bin/sh
# soak_settings.sh [NAME ...] - runs a hundred installed programs with inputs of their own, servers with
# their clients among them, plain and in four settings of `bursty record`: time, --calls, --edges and
# --refs at 1 %. Output and status must be the same. What is not installed is left out, and what is not
# the same in two plain runs does not count. SETTINGS, one a line, sets others. Ends with "N passed, N
# failed"; the output of a run that differs stays in build/soak_settings.
set -u
cd "$(dirname "$0")/.." || exit 2
root=$PWD
build=${BUILD:-build}
case $build in /*) ;; *) build=$PWD/$build ;; esac
out=$build/soak_settings
bursty=$build/bursty
mkdir -p "$out/home" && cd "$out" || exit 2
chmod 777 . home                        # postgres is another user
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
P

default='--time
--calls
--edges
--refs --every 9900 --burst 100'
printf '%s\n' "${SETTINGS:-$default}" >settings
passed=0
failed=0
one() { # PREFIX OUT
    rm -f o.o k1 k1.pub
    R=$1 timeout -k 5 600 sh -c "$line" >"$2" 2>"$2.err" <text
    echo "status $?" >>"$2"
}
same() { cmp -s "$1" "$2" && cmp -s "$1.err" "$2.err"; }
while IFS='|' read -r name line <&3; do
    [ $# = 0 ] || case " $* " in *" $name "*) ;; *) continue ;; esac
    one "" plain
    if tail -n 1 plain | grep -q 'status 127' || grep -q 'not found' plain.err; then
        echo "left out: $name is not installed"
        continue
    fi
    one "" again
    if ! same plain again; then
        echo "left out: $name differs from itself"
        continue
    fi
    while read -r options <&4; do
        one "$bursty record --quiet $options -o $out/s.brst --" got
        if same plain got; then
            passed=$((passed + 1))
        else
            failed=$((failed + 1))
            echo "FAILED $name: bursty record $options"
            mv got "failed.$name"
            mv got.err "failed.$name.err"
        fi
    done 4<settings
done 3<list
echo "$passed passed, $failed failed"
[ $failed = 0 ]
