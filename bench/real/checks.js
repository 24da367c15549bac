// checks.js - what a JavaScript of 2009 must answer: every check prints its name and "ok" or
// "FAILED". The right answers are written out here; Debian's package of mujs comes without tests.
function check(name, right) { print(name + '|' + (right ? 'ok' : 'FAILED')); }
function fails(f, kind) { try { f(); } catch (e) { return e instanceof kind; } return false; }

check('numbers', 7 % -3 === 1 && -7 % 3 === -1 && (5 & 3 | 8) === 9 && -1 >>> 28 === 15 &&
    1 << 31 === -2147483648 && 0.1 + 0.2 !== 0.3 && 1 / 0 === Infinity && NaN !== NaN);
check('texts of numbers', (255).toString(16) === 'ff' && (0.1).toString() === '0.1' &&
    (1e21).toString() === '1e+21' && (123.456).toFixed(1) === '123.5' &&
    parseInt('0x1f') === 31 && parseFloat('2.5e3x') === 2500);
check('strings', 'bursty'.substring(1, 4) === 'urs' && 'a,b,,c'.split(',').length === 4 &&
    'needle'.indexOf('dl') === 3 && '  x '.trim() === 'x' && 'größe'.length === 5 &&
    'abc'.charCodeAt(1) === 98 && 'B'.toLowerCase() + 'c'.toUpperCase() === 'bC');
check('equality', '1' == 1 && '1' !== 1 && null == undefined && null !== undefined && !('' == null) &&
    typeof null === 'object' && typeof undefined === 'undefined' && typeof check === 'function');

var list = [];
for (var i = 0; i < 500; i++) list.push(i * 7919 % 500);
list.sort(function (a, b) { return a - b; });
check('sort', list[0] === 0 && list[499] === 499 && [10, 9, 1].sort().join() === '1,10,9');
check('arrays', [1, 2, 3].concat([4]).reverse().join('') === '4321' &&
    [1, 2, 3, 4].splice(1, 2).join() === '2,3' && [1, 2, 3].slice(-2).join() === '2,3' &&
    [3, 4].map(function (x) { return x * x; }).join() === '9,16' &&
    [1, 2, 3, 4].filter(function (x) { return x % 2; }).length === 2 &&
    [1, 2, 3, 4].reduce(function (a, b) { return a + b; }) === 10 &&
    [1, 2].every(isFinite) && ![1, NaN].every(isFinite) && [5, 6].indexOf(6) === 1);
var keys = [];
for (var k in { a: 1, b: 2, c: 3 }) keys.push(k);
check('for in', keys.sort().join() === 'a,b,c');

function Point(x) { this.x = x; }
Point.prototype.twice = function () { return this.x * 2; };
function Far(x) { Point.call(this, x); }
Far.prototype = new Point(0);
check('prototypes', new Far(4).twice() === 8 && new Far(1) instanceof Point &&
    !new Far(1).hasOwnProperty('twice'));
var box = Object.defineProperty({}, 'v', {
    get: function () { return this.n; }, set: function (n) { this.n = n + 1; }
});
box.v = 1;
check('getters', box.v === 2 && Object.keys({ p: 1, q: 2 }).length === 2);
var frozen = Object.freeze({ a: 1 });
frozen.a = 2;
check('frozen', frozen.a === 1 && Object.isFrozen(frozen));
function counter() { var n = 0; return function () { return ++n; }; }
var one = counter(), other = counter();
one();
check('closures', one() === 2 && other() === 1);
check('this', (function () { return this.v; }).call({ v: 3 }) === 3 &&
    Math.max.apply(null, [1, 5, 2]) === 5 &&
    (function (a, b) { return this + a + b; }).bind('x', 'y')('z') === 'xyz');
check('arguments', (function () { return arguments.length; })(1, 2, 3) === 3);
var trail = '';
outer: for (var a = 0; a < 3; a++) {
    for (var b = 0; b < 3; b++) {
        if (b === 1) continue outer;
        if (a === 2) break outer;
        trail += a;
    }
}
switch (trail) { case '01': trail += 's'; case 'x': trail += 'f'; break; default: trail = ''; }
check('labels and switch', trail === '01sf');

function last() { try { return 'try'; } finally { trail = 'finally'; } }
check('finally', last() === 'try' && trail === 'finally');
check('errors', fails(function () { null.x; }, TypeError) &&
    fails(function () { nowhere; }, ReferenceError) && fails(function () { eval('1 +'); }, SyntaxError) &&
    fails(function () { new Array(-1); }, RangeError));
function endless(n) { return 1 + endless(n + 1); }
var overflowed = false;
try { endless(0); } catch (e) { overflowed = true; }
check('stack overflow', overflowed);

check('patterns', /^(\w+)\s*=\s*(\d+)$/.exec('key = 42')[2] === '42' &&
    'banana'.replace(/a(n)/g, '<$1>') === 'b<n><n>a' && /(a|ab)(c|bcd)(d*)/.exec('abcd')[0] === 'abcd' &&
    'a1b22'.match(/\d+/g).join() === '1,22' && /x(?=y)/.test('xy') && !/x(?!y)/.test('xy') &&
    'aBc'.search(/b/i) === 1);
var tree = JSON.parse('{"a":[1,2,{"b":"\\u00e9\\n"}],"c":null,"d":-1.5e2}');
check('json', tree.a[2].b === 'é\n' && tree.d === -150 && tree.c === null &&
    JSON.stringify({ x: [1, 'a"', true, null, undefined] }) === '{"x":[1,"a\\"",true,null,null]}' &&
    fails(function () { JSON.parse('{"a":}'); }, SyntaxError));
check('dates', new Date(Date.UTC(2024, 1, 29)).toISOString() === '2024-02-29T00:00:00.000Z' &&
    new Date(0).getTime() === 0 && isNaN(new Date('nonsense').getTime()));
check('eval', eval('var q = 6; q * 7') === 42 && new Function('a', 'b', 'return a - b')(5, 3) === 2);
check('addresses', encodeURIComponent('a b&é') === 'a%20b%26%C3%A9' && decodeURIComponent('%C3%A9') === 'é');
var held = [];
for (var g = 0; g < 20000; g++) held[g % 100] = { g: g, text: 'n' + g };
check('garbage', held[99].text === 'n19999' && held[0].g === 19900);
