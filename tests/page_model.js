// page_model.js PAGE... - tests the model of the page (report/write/page/profile.js) without a
// browser: random trees against sums that are slow and obvious; packed columns of the pages named,
// and intervals of pages of ticks against those of the tables.
'use strict';
const fs = require('fs');
const zlib = require('zlib');
const vm = require('vm');

const code = ['base.js', 'profile.js', 'axis.js', 'folders.js', 'units.js'].map(name =>
  fs.readFileSync('report/write/page/' + name, 'utf8')).join('\n');
const m = vm.runInNewContext(
  code + '; ({ makeTree, sumFunctions, outermost, matched, marksOf, callersOf, calleesOf, invert, ' +
    'filtered, sameFunctions, linkOf, follow, wilson, differs, unpack, firstInRow, openAxis, stackOf, ownIn, ' +
    'firstTick, ownOfRange, cellsOf, shareDifference, unitsOf, openTree, rowsOf, kinOf, ownOfThread, ' +
    'rangeOf, lockstepOf, foldersOf, folderRows });',
  { Blob, Response, DecompressionStream, atob, URLSearchParams, location: { hash: '' },
    addEventListener() {}, document: { getElementById: () => ({ textContent: '{}' }) } },
);
let passed = 0,
  failed = 0;
function check(what, isRight) {
  if (isRight) passed++;
  else {
    failed++;
    console.log('FAILED ' + what);
  }
}
let seed = 7;
const random = n => {
  seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
  return Math.floor((seed / 4294967296) * n);
};

// Callers stand before callees, siblings in any order, equal siblings too.
function randomTree(n, names) {
  const parent = [0],
    name = [0],
    own = [random(3)];
  for (let i = 1; i < n; i++) {
    parent.push(random(3) ? Math.max(0, i - 1 - random(4)) : random(i));
    name.push(1 + random(names - 1));
    own.push(random(4) ? random(9) : 0);
  }
  // A look counts for 1 to 5: so many of them, so heavy.
  const squares = own.map(v => v * (1 + random(5)));
  return { parent, name, own, squares };
}
const stackOf = (t, i) => {
  const list = [];
  for (; i > 0; i = t.parent[i]) list.unshift(t.name[i]);
  return list;
};
// Sums over whole stacks: of all stacks that a condition holds for.
const sumOf = (t, holds, own = t.own) =>
  own.reduce((s, v, i) => s + (holds(stackOf(t, i)) ? v : 0), 0);
const same = (a, b) => Math.abs(a - b) < 1e-9;
const names = ['', 'a', 'b', 'c', 'operator+', 'f(int)', 'a'],
  places = ['', 'x.c:1', 'x.c:2', 'y.c:3', 'z.cpp:4', 'z.cpp:5', 'y.c:9'];

for (let round = 0; round < 60; round++) {
  const raw = randomTree(2 + random(60), names.length);
  const t = m.makeTree(
    Uint32Array.from(raw.parent), Uint32Array.from(raw.name), Float64Array.from(raw.own), names,
    places,
    raw.squares);
  const all = raw.own.reduce((s, v) => s + v, 0),
    allSquares = raw.squares.reduce((s, v) => s + v, 0);
  check('sum', same(t.sum[0], all) && same(t.squareSum[0], allSquares));
  let isPreorder = true,
    isSorted = true,
    isInside = true;
  for (let i = 1; i < t.n; i++) {
    let above = i - 1;
    while (above > t.parent[i]) above = t.parent[above];
    isPreorder = isPreorder && above === t.parent[i];
    const p = t.parent[i];
    isInside = isInside && t.x[i] >= t.x[p] - 1e-9 && t.x[i] + t.sum[i] <= t.x[p] + t.sum[p] + 1e-9;
    if (t.end[i] < t.end[p]) isSorted = isSorted && t.sum[t.end[i]] <= t.sum[i];
  }
  check('preorder, hottest first, boxes inside their callers', isPreorder && isSorted && isInside);
  const f = m.sumFunctions(t),
    squares = m.sumFunctions(t, t.squares, t.squareSum);
  for (let k = 1; k < names.length; k++) {
    check('self of ' + k, same(f.self[k], sumOf(raw, s => s[s.length - 1] === k)));
    check('total of ' + k, same(f.total[k], sumOf(raw, s => s.includes(k))));
    check('squares of ' + k,
      same(squares.self[k], sumOf(raw, s => s[s.length - 1] === k, raw.squares)) &&
      same(squares.total[k], sumOf(raw, s => s.includes(k), raw.squares)));
  }
  const k = 1 + random(names.length - 1),
    marks = m.marksOf(names.length, [k]);
  check('matched', same(m.matched(t, marks).sum, f.total[k]) &&
    same(m.matched(t, marks).squares, squares.total[k]));
  // Callers, callees and the inverted tree lose no weight, whatever is too small to be followed.
  for (const least of [0, 3]) {
    const up = m.callersOf(t, marks, least),
      down = m.calleesOf(t, marks, least),
      turned = m.invert(t, least);
    check('callers weigh the total', same(up.sum[0], f.total[k]));
    check('callees weigh the total', same(down.sum[0], f.total[k]));
    check('the inverted tree weighs all', same(turned.sum[0], all - raw.own[0]));
    check('and so do squares', same(up.squareSum[0], squares.total[k]) &&
      same(down.squareSum[0], squares.total[k]) &&
      same(turned.squareSum[0],
        sumOf(raw, s => s.length > 0, raw.own.map((v, i) => v ? raw.squares[i] : 0))));
    if (least > 0) continue;
    for (let q = 1; q < names.length; q++) {
      let first = 0,
        square = 0,
        above = 0,
        aboveSquare = 0;
      for (let i = 1; i < turned.n; i++) {
        if (turned.depth[i] !== 1 || turned.name[i] !== q) continue;
        first += turned.sum[i];
        square += turned.squareSum[i];
      }
      for (let i = 1; i < up.n; i++) {
        if (up.depth[i] !== 2 || up.name[i] !== q) continue;
        above += up.sum[i];
        aboveSquare += up.squareSum[i];
      }
      check('inverted: first level', same(first, f.self[q]) && same(square, squares.self[q]));
      check('callers: squares', same(aboveSquare, sumOf(raw, s => {
        const at = s.indexOf(k);
        return at > 0 && s[at - 1] === q;
      }, raw.squares)));
      check('callers: who calls the outermost', same(above, sumOf(raw, s => {
        const at = s.indexOf(k);
        return at > 0 && s[at - 1] === q;
      })));
    }
  }
  // Only stacks with it; hidden; both.
  const only = m.filtered(t, { focus: marks });
  check('focus', same(only.sum[0], f.total[k]) && same(only.squareSum[0], squares.total[k]));
  const other = 1 + random(names.length - 1),
    hidden = m.filtered(t, { hide: m.marksOf(names.length, [other]) });
  check('hide loses nothing', same(hidden.sum[0], all) && same(hidden.squareSum[0], allSquares));
  const g = m.sumFunctions(hidden),
    h = m.sumFunctions(hidden, hidden.squares, hidden.squareSum);
  check('what is hidden is not there', g.total[other] === 0);
  for (let q = 1; q < names.length; q++) {
    if (q === other) continue;
    check('totals of others stay', same(g.total[q], f.total[q]));
    const isLeft = s => {
      const rest = s.filter(name => name !== other);
      return rest[rest.length - 1] === q;
    };
    check('hidden counts for its caller', same(g.self[q], sumOf(raw, isLeft)) &&
      same(h.self[q], sumOf(raw, isLeft, raw.squares)));
  }
  check('nothing wanted, the same tree', m.filtered(t, {}) === t);
  // Links lead back, also where the tree is numbered anew.
  for (let i = 0; i < t.n; i += 3) {
    const [node, isThere] = m.follow(t, m.linkOf(t, i));
    check('link of ' + i + ' leads to ' + node, isThere && node === i);
  }
  // What lies under a point.
  for (let d = 0; d <= t.deepest; d++) {
    const x = (random(1000) / 1000) * t.sum[0];
    let wanted = t.rowAt[d];
    while (wanted < t.rowAt[d + 1] && t.x[t.rows[wanted]] + t.sum[t.rows[wanted]] <= x) wanted++;
    check('first in row', m.firstInRow(t, d, x) === wanted);
  }
}
// Ticks in time, against all of them one by one. The log's tree is the one of the views in another
// order, without equal siblings, and with a stack more.
for (let round = 0; round < 20; round++) {
  const parent = [0],
    name = [0];
  for (let i = 1; i < 40; i++) {
    const above = random(parent.length),
      what = random(names.length);
    if (parent.some((p, k) => k && p === above && name[k] === what)) continue;
    parent.push(above);
    name.push(what);
  }
  const own = parent.map(() => random(9)),
    tree = m.makeTree(Uint32Array.from(parent), Uint32Array.from(name), Float64Array.from(own),
      names.map(n => n || '(no name)'), places);
  const log = { names: names.concat('other'), places: places.concat(''), tick_us: 1000, from_us: 0,
    to_us: 400000, threads: ['a', 'b', 'c'], parent: parent.concat(0),
        name: name.concat(names.length),
    ticks: [] };
  const ticks = [];
  for (let i = 0, us = 0; i < 300; i++) {
    const step = random(2) ? random(2600) : 0;
    us += step;
    ticks.push({ us, thread: random(3), node: 1 + random(parent.length) });
    log.ticks.push(step, ticks[i].thread, ticks[i].node);
  }
  const axis = m.openAxis(log, tree),
    from = random(300000),
    to = from + random(200000),
    thread = random(4) - 1;
  const wanted = ticks.filter(t => t.us >= from && t.us < to &&
      (thread < 0 || t.thread === thread)),
    got = m.ownOfRange(axis, from, to, thread);
  check('first tick', m.firstTick(axis, from) === ticks.filter(t => t.us < from).length);
  check('all ticks of the range', got.reduce((s, v) => s + v, 0) === wanted.length);
  const stack = (p, n, i) => (i ? stack(p, n, p[i]) + '/' + n[i] : '');
  for (let i = 1; i < tree.n; i++) {
    const mine = stack(tree.parent, tree.name, i);
    check('ticks of a stack', got[i] === wanted.filter(t => stack(log.parent, log.name, t.node) ===
      mine).length);
  }
  check('a stack that is not there is the root', got[0] === wanted.filter(t =>
    t.node === parent.length).length);
  for (const width of [7, 1000]) {
    const cells = m.cellsOf(axis, 0, 400000, width);
    for (let k = 0; k < 3; k++) {
      const sum = cells.busy.slice(k * width, (k + 1) * width).reduce((s, v) => s + v, 0);
      const time = ticks.filter(t => t.thread === k).reduce((s, t) =>
        s + Math.max(Math.min(t.us, 400000) - Math.max(t.us - 1000, 0), 0), 0);
      check('cells have the time of the ticks: ' + [sum * 400000 / width, time],
        Math.abs(sum * 400000 / width - time) < 2500);
    }
  }
}
// usleep waits for rest; of a stack of the system alone the innermost is shown.
const sleeper = { raw: { parent: [0, 0, 1, 2, 3, 0], name: [0, 0, 1, 2, 3, 3],
  names: ['main', 'rest', 'usleep', 'nanosleep'], places: ['', '', '', ''], system: [2, 3] } };
check('the innermost first', m.stackOf(sleeper, 4).map(f => f.name).join() ===
  'nanosleep,usleep,rest,main');
check("the program's own function waits", m.ownIn(m.stackOf(sleeper, 4)) === 2);
check('or the one that waits itself', m.ownIn(m.stackOf(sleeper, 2)) === 0);
check('all are of the system', m.ownIn(m.stackOf(sleeper, 5)) === 0);
// Newcombe's own example: 56 of 70 against 48 of 80, with z = 1.96: 0.0524 to 0.3339; z = 2 is
// wider.
const [apart, smallest, largest] = m.shareDifference(48 / 80, 80, 56 / 70, 70);
check('difference of shares', same(apart, 0.2) && Math.abs(smallest - 0.0493) < 0.002 &&
  Math.abs(largest - 0.3364) < 0.002);
const raw = randomTree(8, 4);
const t = m.makeTree(Uint32Array.from(raw.parent), Uint32Array.from(raw.name),
    Float64Array.from(raw.own), names, places);
check('a link that is no link',
  m.follow(t, '{"a":1}')[1] === false && m.follow(t, '[1,2')[1] === false);
check('a stack that is not there',
  m.follow(t, '[["nowhere"]]')[0] === 0 && !m.follow(t, '[["nowhere"]]')[1]);
const of = (name, at) => [...m.sameFunctions(names, k => places[k], name, at)].join();
check('by place', of('a', 'y.c:9') === '6' && of('a', 'x.c:1') === '1');
check('by file where the line has moved', of('a', 'y.c:12') === '6');
check('by name alone', of('a', '') === '1,6' && of('a', 'w.c:1') === '1,6' && of('no', '') === '');
check('one without a place is meant alone, if there is one',
  [...m.sameFunctions(['a', 'a', 'b'], k => ['x.c:1', '', ''][k], 'a', '')].join() === '1');
check('names are no expressions', of('operator+', '') === '4' && of('f(int)', '') === '5');
const [low, high] = m.wilson(0.5, 100);
check('wilson', Math.abs(low - 0.4019) < 1e-3 && Math.abs(high - 0.5981) < 1e-3);
const few = m.wilson(0.01, 100), most = m.wilson(0.98, 100); // as tests/test_ranges.c has them
check('few', Math.abs(few[0] - 0.00011) < 2e-5 && Math.abs(few[1] - 0.0560) < 1e-3);
check('most', Math.abs(most[1] - 0.99786) < 2e-4);
const unmet = (all, squares) => m.rangeOf({ lockstep: 1 }, { all, squares }, 0, 0);
check('what no look met', unmet(10, 10)[0] === 0 && same((1 - unmet(10, 10)[1]) ** 10, 0.02275));
check('where looks count most', same((1 - unmet(10, 20)[1]) ** (10 / 3), 0.02275));
check('differs', m.differs(0.4, 0.2, 100) && !m.differs(0.22, 0.2, 100));

// Packed columns: those that node's zlib makes, and those of the tool.
function planes(list) {
  const bytes = [];
  for (let rest = list; rest.length; rest = rest.filter(v => v > 127).map(v => Math.floor(v / 128)))
    for (const v of rest) bytes.push((v % 128) + (v > 127 ? 128 : 0));
  return Buffer.from(bytes);
}
// The page's own intervals of functions, pairs, stacks and threads are those of the tables, which
// the tool made by itself.
async function checkTicks(file, page, plain) {
  const unit = m.unitsOf(page).find(u => u.key === 'time'),
    table = key => plain.ticks.tables.find(t => t.key === key),
    packed = Boolean(unit.raw.packed),
    isNear = (a, b) => Math.abs(a - b) < 2e-5;
  const isHeavy = file.includes('heavy');
  await m.openTree(unit);
  const tree = unit.tree,
    squares = plain.ticks.trees[0].squares;
  check(file + ': packed if it is large', packed === (tree.n >= 4096));
  check(file + ': squares where looks count differently', Boolean(squares) === isHeavy);
  if (isHeavy) check(file + ': all squares', same(squares.reduce((s, v) => s + v, 0),
      unit.squares));
  const rows = new Map(m.rowsOf(unit, tree, unit).map(row => [row.name, row])),
    time = table('time');
  let compared = 0;
  time.function.forEach((name, k) => {
    const row = rows.get(name);
    if (!row) return;
    compared++;
    // Of what no look met the tool adds up what each path was worth, the page all paths at once.
    check(file + ': self of ' + name, isNear(row.selfLow, time.self_low[k]) &&
      (row.self ? isNear(row.selfHigh, time.self_high[k])
        : row.selfHigh > time.self_high[k] - 1e-5 && row.selfHigh < 4 * time.self_high[k]));
    check(file + ': total of ' + name, isNear(row.totalLow, time.total_low[k]) &&
        isNear(row.totalHigh, time.total_high[k]));
    const told = unit.rows.find(r => r.name === name);
    check(file + ': worth of ' + name, Math.abs(told.worth / row.worth - 1) < 1e-5);
  });
  check(file + ': functions', compared >= 2);
  const pairs = table('pair_time');
  pairs.share.forEach((share, k) => {
    const nameOf = text => text.replace(/ \(.*/, '');
    const kin = m.kinOf(unit, tree, unit, nameOf(pairs.callee[k]), '', true)
      .find(item => item.name === nameOf(pairs.caller[k]));
    // The page counts below the outermost callee, whoever calls it. They are one where it is so.
    if (!kin || !share || kin.amount !== pairs.ticks[k]) return;
    compared++;
    check(file + ': pair ' + k,
      isNear(kin.low, pairs.share_low[k]) && isNear(kin.high, pairs.share_high[k]));
  });
  const threads = table('thread_time');
  if (threads) {
    threads.thread.forEach((name, k) => {
      const { own, squares } = m.ownOfThread(unit, unit.threads.names.indexOf(name)),
        sum = list => list.reduce((s, v) => s + v, 0),
        [low, high] = m.rangeOf(unit, unit, sum(own), sum(squares));
      check(file + ': thread ' + name,
        isNear(low, threads.share_low[k]) && isNear(high, threads.share_high[k]));
      const alone = m.filtered(tree, { own, squares });
      check(file + ': alone ' + name, same(alone.sum[0], threads.ticks[k]) &&
          same(alone.squareSum[0], sum(squares)));
    });
  }
}

(async () => {
  const columns = [[0, 0, 0, 2], [0, 1, 2, 3], [5, 2 ** 40, 0, 1], [0, 1, 0, 300],
    [0, 1, 0, 250001], [0, 2, 0, 500001]];
  const packed = { packed: { count: 4, columns: 6,
    data: zlib.deflateRawSync(Buffer.concat(columns.map(planes))).toString('base64') } };
  await m.unpack(packed);
  check('unpack: callers', [...packed.parent].join() === '0,0,1,0');
  check('unpack: counts', packed.lower[1] === 2 ** 40 && packed.upper[3] === 301 && !packed.packed);
  check('unpack: intervals', packed.share_low[0] === null && packed.share_low[3] === 0.25 &&
      packed.share_high[3] === 0.5);
  const dataOf = file => {
    const text = fs.readFileSync(file, 'utf8'),
      from = text.indexOf('id="data">');
    return JSON.parse(from < 0 ? text : text.slice(from + 10, text.indexOf('</script>', from)));
  };
  for (let i = 2; i + 1 < process.argv.length; i += 2) {
    if (dataOf(process.argv[i]).ticks) {
      await checkTicks(process.argv[i], dataOf(process.argv[i]), dataOf(process.argv[i + 1]));
      continue;
    }
    const page = dataOf(process.argv[i]).contexts[0],
      plain = dataOf(process.argv[i + 1]).contexts[0];
    check(process.argv[i] + ' is packed', Boolean(page.packed) && !plain.packed);
    await m.unpack(page);
    // The same stacks with the same counts, in another order.
    const lines = tree => {
      const path = [];
      return Array.from(tree.parent, (p, k) => {
        path[k] = k ? (path[p] + ';' + tree.name[k]).slice(-400) : '';
        return path[k] + ' ' + tree.lower[k] + ' ' + tree.upper[k] +
          (tree.share_low ? tree.share_low[k] === null : '');
      }).sort();
    };
    const a = lines(page),
      b = lines(plain);
    check(process.argv[i] + ': the same contexts',
      a.length === b.length && a.every((line, k) => line === b[k]));
    const tree = m.makeTree(page.parent, page.name, page.lower, page.names, null);
    check(process.argv[i] + ': in order', !tree.was);
  }
  // ---- folders of files: each file once, sums by their paths, no folder alone in a folder

  for (let round = 0; round < 200; round++) {
    const files = [],
      known = new Set(),
      top = ['', '/', '/home/me/', 'src/'][random(4)];
    for (let k = 1 + random(30); k > 0; k--) {
      const names = [];
      for (let deep = random(4); deep > 0; deep--) names.push('d' + random(2));
      const name = top + [...names, 'f' + random(20) + '.c'].join('/');
      if (!known.has(name)) files.push({ name, ran: random(9), suspicion: random(9) });
      known.add(name);
    }
    const { folder, root } = m.foldersOf(files, ['ran']),
      rows = m.folderRows(root, (a, b) => a.ran - b.ran, () => true),
      closed = m.folderRows(root, () => 0, () => false);
    const labelOf = (row, at) => { // with those around it
      let label = row.label,
        depth = row.depth;
      for (let k = at - 1; k >= 0 && depth > 0; k--)
        if (rows[k].depth < depth) {
          label = rows[k].label + label;
          depth = rows[k].depth;
        }
      return folder + label;
    };
    const shown = rows.map((row, at) => [row, labelOf(row, at)]);
    check('folders: each file once', shown.filter(([row]) => row.file).length === files.length &&
      shown.every(([row, name]) => !row.file || row.file.name === name));
    check('folders: sums', shown.every(([row, name]) => {
      const below = files.filter(f => (row.file ? f.name === name : f.name.startsWith(name)));
      return row.count === below.length && row.ran === below.reduce((s, f) => s + f.ran, 0) &&
        row.suspicion === Math.max(...below.map(f => f.suspicion));
    }));
    check('folders: none alone in a folder', rows.every(row =>
      row.file || row.items.length > 1 || row.items[0].file));
    check('folders: all are in the first', files.every(f => f.name.startsWith(folder)));
    check('folders: and in no smaller one',
      files.length < 2 || root.items.length > 1 || root.items[0].file);
    check('folders: closed', closed.length === root.items.length);
  }

  console.log(passed + ' passed, ' + failed + ' failed');
  process.exit(failed ? 1 : 0);
})();
