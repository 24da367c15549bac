// units.js - what the dump has measured, each as rows of functions and, where there is one, a tree:
// time by ticks, calls by bursts, loop trips, calling contexts.
//
// A unit is { key, label, of, noun, tree, effective, lockstep, threads, rows, pairs }. A row is
// { name, place, self, selfLow, selfHigh, total, totalLow, totalHigh, amount, calls }: shares of 1,
// null where they are not known. rowsOf and pairsOf make them for a tree that is filtered.

const CLASSES = [
  [1, 'calls'],
  [2, 'returns'],
  [4, 'loop trips'],
  [8, 'loads'],
  [16, 'stores'],
  [32, 'events'],
];
const idOf = (name, place) => name + '\n' + (place || '');
const shortPlace = place => place.split('/').pop().split('\\').pop();

function unitsOf(data) {
  const units = [],
    calls = new Map(); // of functions, by identity and by bare name
  const sampled = data.sampled;
  const classOf = item => {
    const c = sampled.sites[item.site].kind & 63;
    return CLASSES.some(k => k[0] === c) ? c : 32;
  };
  const nameOf = site => sampled.sites[site].name || '(no name)';
  const placeOf = site => placed(sampled.sites[site].file, sampled.sites[site].line);
  for (const [bit, label] of CLASSES) {
    const functions = sampled ? sampled.functions.filter(f => classOf(f) === bit) : [];
    if (functions.length === 0) continue;
    const exact = sampled.intervals === 'exact';
    const rows = functions.map(f => ({
      name: nameOf(f.site),
      place: placeOf(f.site),
      self: f.share,
      selfLow: exact ? null : f.share_low,
      selfHigh: exact ? null : f.share_high,
      total: null,
      totalLow: null,
      totalHigh: null,
      amount: f.estimated,
      worth: f.worth,
      seen: f.sampled,
    }));
    if (bit === 1)
      functions.forEach((f, k) => calls.set(idOf(rows[k].name, rows[k].place), f.estimated));
    units.push({
      key: label.replace(' ', '-'),
      label,
      of: 'all ' + label,
      noun: label,
      tree: null,
      isExact: exact,
      leftOut: sampled.functions_left_out,
      rows,
      hasTotal: false,
      pairs: sampled.pairs
        .filter(p => classOf(p) === bit)
        .map(p => ({
          caller: [nameOf(p.caller), placeOf(p.caller)],
          callee: [nameOf(p.site), placeOf(p.site)],
          share: p.share,
          low: p.share_low,
          high: p.share_high,
          amount: p.estimated,
        })),
    });
  }
  const time = data.ticks && data.ticks.tables.find(table => table.key === 'time');
  if (time && data.ticks.trees[0]) {
    const raw = data.ticks.trees[0];
    units.unshift({
      key: 'time',
      label: 'time',
      of: 'the time',
      noun: 'ticks',
      raw,
      tree: null,
      effective: raw.effective || 0,
      threads: raw.threads || null,
      remark: time.remark,
      leftOut: time.left_out,
      hasTotal: true,
      rows: time.function.map((name, k) => ({
        name: name || '(no name)',
        place: placed(time.file[k], time.line[k]),
        self: time.self_share[k],
        selfLow: time.self_low[k],
        selfHigh: time.self_high[k],
        total: time.total_share[k],
        totalLow: time.total_low[k],
        totalHigh: time.total_high[k],
        amount: time.self_ticks[k],
        worth: raw.effective || 0,
      })),
    });
  }
  const ofCalls = (data.contexts || []).filter(raw => !raw.unit).length;
  (data.contexts || []).forEach((raw, k) => {
    const others = !raw.unit && ofCalls > 1 ? ', ' + raw.algorithm : '';
    const isAlone = !raw.unit && !(sampled && sampled.functions.length);
    units.push({
      key: 'contexts' + (k ? k + 1 : ''),
      label: (raw.unit || 'calls') + (isAlone ? '' : ' in contexts') + others,
      of: raw.of_sample ? 'the sampled calls' : 'all ' + (raw.unit || 'calls'),
      noun: raw.of_sample ? 'sampled calls' : raw.unit || 'calls',
      raw,
      tree: null,
      effective: 0,
      isBound: true,
      hasTotal: true,
      rows: null,
      all: raw.total || 1,
      about: contextsAbout(raw),
    });
  });
  for (const unit of units) {
    for (const row of unit.rows || []) {
      const known = calls.get(idOf(row.name, row.place));
      row.calls = known === undefined ? null : known;
    }
  }
  return units;
}

function contextsAbout(raw) {
  return (
    grouped(raw.total) + (raw.of_sample ? ' sampled calls' : ' ' + (raw.unit || 'calls')) +
    ', counted by ' +
    raw.algorithm + '. Widths are lower bounds. A context that is not known has at most ' +
    grouped(raw.absent) + ', ' + percent(raw.absent / (raw.total || 1)) + '.' +
    (raw.unmatched
      ? ' ' + grouped(raw.unmatched) + (raw.unmatched === 1 ? ' leave' : ' leaves') +
        ' without an enter: the tree may be wrong.'
      : '') +
    (raw.of_sample
      ? ' Counts are of sampled calls, not scaled up: bounds hold for the sample, not for the run.'
      : '')
  );
}

// The tree of a unit from its columns; once.
async function openTree(unit) {
  if (!unit.raw || unit.tree) return;
  const raw = unit.raw;
  if (raw.packed) await unpack(raw);
  const names = raw.names.map(name => name || '(no name)');
  unit.tree = makeTree(
    raw.parent instanceof Uint32Array ? raw.parent : Uint32Array.from(raw.parent),
    raw.name instanceof Uint32Array ? raw.name : Uint32Array.from(raw.name),
    raw.lower instanceof Float64Array ? raw.lower : Float64Array.from(raw.lower),
    names,
    raw.places || names.map(() => ''),
    unit.effective > 0 ? raw.squares || raw.lower : null,
  );
  unit.all = unit.all || unit.tree.sum[0] || 1;
  if (!unit.tree.squares) return;
  unit.squares = unit.tree.squareSum[0];
  unit.lockstep = lockstepOf(unit, unit);
  const self = sumFunctions(unit.tree, unit.tree.squares, unit.tree.squareSum).self,
    squares = new Map(names.map((name, k) => [idOf(name, unit.tree.places[k]), self[k]]));
  for (const row of unit.rows || [])
    row.worth = samplesOf(unit, unit, row.amount, squares.get(idOf(row.name, row.place)) || 0);
}
// How many looks are worth one, by all of them.
const lockstepOf = (unit, whole) => (whole.all * whole.all) / whole.squares / unit.effective;

// What each thread took alone in each node, in the tree's numbers: { own, squares }.
function ownOfThread(unit, thread) {
  const t = unit.threads,
    tree = unit.tree,
    own = new Float64Array(tree.n),
    squares = new Float64Array(tree.n);
  const place = tree.was ? new Uint32Array(tree.n) : null;
  if (place) tree.was.forEach((was, now) => (place[was] = now));
  for (let k = 0; k < t.node.length; k++) {
    if (t.thread[k] !== thread) continue;
    const node = place ? place[t.node[k]] : t.node[k];
    own[node] += t.count[k];
    squares[node] += (t.squares || t.count)[k];
  }
  return { own, squares };
}

// How many samples are behind an amount of a whole { all, squares }; 0 for what is no sample.
const samplesOf = (unit, whole, amount, squares) =>
  worthOf(amount, squares, whole.all, whole.squares, unit.lockstep);
// The interval of its share. What no look met may have run where looks count most: of paces that
// double, and have as many looks each, the last one has two thirds of the samples.
function rangeOf(unit, whole, amount, squares) {
  const samples = samplesOf(unit, whole, amount, squares);
  if (!(samples > 0)) return [null, null];
  if (!amount) return unmet(whole.squares > whole.all ? samples / 1.5 : samples);
  return wilson(Math.min(1, amount / whole.all), samples);
}
// A share with the digits that it is known to.
const nearOf = (unit, whole, amount, squares) =>
  near(amount / whole.all, ...rangeOf(unit, whole, amount, squares));

// Rows of a tree as it is after filters, as shares of a whole { all, squares }. Ticks get
// intervals.
function rowsOf(unit, tree, whole, calls) {
  const { self, total } = sumFunctions(tree),
    squares = tree.squares && sumFunctions(tree, tree.squares, tree.squareSum),
    rows = [];
  const range = (sums, key, k) => rangeOf(unit, whole, sums[k], squares ? squares[key][k] : 0);
  for (let k = 0; k < tree.names.length; k++) {
    if (!(total[k] > 0)) continue;
    const a = self[k] / whole.all,
      b = total[k] / whole.all,
      [selfLow, selfHigh] = range(self, 'self', k),
      [totalLow, totalHigh] = range(total, 'total', k),
      place = tree.places ? tree.places[k] : '';
    rows.push({
      name: tree.names[k],
      place,
      self: a,
      selfLow,
      selfHigh,
      total: b,
      totalLow,
      totalHigh,
      amount: self[k],
      worth: samplesOf(unit, whole, self[k], squares ? squares.self[k] : 0),
      calls: calls ? calls(tree.names[k], place) : null,
    });
  }
  return rows;
}

// Callers or callees of the chosen functions, hottest first: [{ name, place, amount, share, low,
// high }]. Of a tree of ticks, callers count what the functions and their callees took; of a tree
// of calls, how often they called. By its pairs where a unit has no tree.
function kinOf(unit, tree, whole, name, at, isCallers) {
  if (!tree) {
    const own = (unit.pairs || []).map(p => (isCallers ? p.callee : p.caller));
    const same = new Set(
      sameFunctions(own.map(f => f[0]), k => own[k][1], name, at));
    const others = new Map();
    (unit.pairs || []).forEach((p, k) => {
      if (!same.has(k)) return;
      const [other, place] = isCallers ? p.caller : p.callee;
      const key = idOf(other, place),
        known = others.get(key);
      if (known)
        Object.assign(known, { amount: known.amount + p.amount, share: known.share + p.share,
          low: null, high: null });
      else others.set(key, { name: other, place, amount: p.amount, share: p.share, low: p.low,
        high: p.high });
    });
    return [...others.values()].sort((a, b) => b.amount - a.amount);
  }
  const marked = marksOf(
    tree.names.length, sameFunctions(tree.names, k => tree.places[k], name, at));
  const sums = new Map();
  const add = (k, amount, squares) => {
    const sum = sums.get(k) || { amount: 0, squares: 0 };
    sum.amount += amount;
    sum.squares += squares;
    sums.set(k, sum);
  };
  const square = squareSumOf(tree);
  for (let node = 1, until = 0, top = 0; node < tree.n; node++) {
    if (!marked[tree.name[node]]) continue;
    if (unit.isBound) {
      if (isCallers && tree.own[node] > 0)
        add(tree.parent[node] ? tree.name[tree.parent[node]] : -1, tree.own[node], 0);
      for (let k = node + 1; !isCallers && k < tree.end[node]; k = tree.end[k])
        if (tree.own[k] > 0) add(tree.name[k], tree.own[k], 0);
      continue;
    }
    const isTop = node >= until;
    if (isTop) {
      top = node;
      until = tree.end[node];
    }
    if (isCallers) {
      if (isTop)
        add(tree.parent[node] ? tree.name[tree.parent[node]] : -1, tree.sum[node], square(node));
      continue;
    }
    for (let k = node + 1; k < tree.end[node]; k = tree.end[k])
      if (!marked[tree.name[k]] && (isTop || isFirstBelow(tree, k, top)))
        add(tree.name[k], tree.sum[k], square(k));
  }
  return [...sums]
    .map(([k, { amount, squares }]) => {
      const share = amount / whole.all,
        [low, high] = rangeOf(unit, whole, amount, squares);
      return {
        name: k < 0 ? '(outermost)' : tree.names[k],
        place: k < 0 ? '' : tree.places[k],
        isNone: k < 0,
        amount,
        share,
        low,
        high,
      };
    })
    .sort((a, b) => b.amount - a.amount);
}
// Is there no other call of the same callee above it, below the outermost call of the function?
// Such a one has counted it already.
function isFirstBelow(tree, k, node) {
  for (let i = tree.parent[k]; i !== node; i = tree.parent[i])
    if (tree.name[i] === tree.name[k]) return false;
  return true;
}
