// axis.js - the model of the view of time: ticks with their moments as columns, in the order of
// time, and what of them lies in a range. It knows no page: node tests it (tests/page_model.js).
//
//     us, thread, node    of each tick; node is one of the tree of stacks that the views show

// The log's own tree has the same stacks, in another order.
function matchNodes(raw, tree) {
  const places = tree.places || tree.names.map(() => ''),
    numbers = new Map(tree.names.map((name, k) => [name + '\n' + places[k], k])),
    most = tree.names.length,
    children = new Map(),
    to = new Uint32Array(raw.parent.length);
  for (let i = 1; i < tree.n; i++) children.set(tree.parent[i] * most + tree.name[i], i);
  const names = raw.names.map((name, k) =>
    numbers.get((name || '(no name)') + '\n' + (raw.places[k] || '')));
  for (let i = 1; i < to.length; i++) {
    const name = names[raw.name[i]],
      above = raw.parent[i] ? to[raw.parent[i]] : 0;
    if (name === undefined || (raw.parent[i] && !above)) continue;
    to[i] = children.get(above * most + name) || 0;
  }
  return to;
}

function openAxis(raw, tree) {
  const n = raw.ticks.length / 3,
    us = new Float64Array(n),
    thread = new Uint32Array(n),
    node = new Uint32Array(n),
    to = matchNodes(raw, tree);
  for (let i = 0, at = 0; i < n; i++) {
    at += raw.ticks[3 * i];
    us[i] = at;
    thread[i] = raw.ticks[3 * i + 1];
    node[i] = to[raw.ticks[3 * i + 2]];
  }
  return { n, us, thread, node, tree, tick: raw.tick_us, threads: raw.threads,
    from: raw.from_us, to: Math.max(raw.to_us, raw.from_us + 1), raw,
    waits: openStretches(raw.waits || []), late: openStretches(raw.late || []),
    frames: raw.frames || [] };
}

// Waits (what: a node of the log's own tree) and slow frames (what: their kind), by when they began.
function openStretches(list) {
  const n = list.length / 4,
    s = { n, from: new Float64Array(n), to: new Float64Array(n), thread: new Uint32Array(n),
      what: new Uint32Array(n) };
  for (let i = 0, at = 0; i < n; i++) {
    at += list[4 * i];
    s.from[i] = at;
    s.to[i] = at + list[4 * i + 1];
    s.thread[i] = list[4 * i + 2];
    s.what[i] = list[4 * i + 3];
  }
  return s;
}

// Who waited where in [from, to), one thread or all (-1): by thread and node, those of most time
// first. A wait counts with what of it lies in there.
function waitsOf(axis, from, to, thread) {
  const w = axis.waits,
    rows = new Map();
  for (let i = 0; i < w.n && w.from[i] < to; i++) {
    if (w.to[i] <= from || (thread >= 0 && w.thread[i] !== thread)) continue;
    const us = Math.min(w.to[i], to) - Math.max(w.from[i], from),
      key = w.thread[i] * axis.raw.parent.length + w.what[i];
    const row = rows.get(key) ||
      { thread: w.thread[i], node: w.what[i], us: 0, times: 0, longest: 0 };
    row.us += us;
    row.times++;
    row.longest = Math.max(row.longest, us);
    rows.set(key, row);
  }
  return [...rows.values()].sort((a, b) => b.us - a.us || a.thread - b.thread || a.node - b.node);
}

// The functions of a node of the log's own tree, the innermost first.
function stackOf(axis, node) {
  const names = [],
    system = axis.raw.system || [];
  for (; node; node = axis.raw.parent[node])
    names.push({ name: axis.raw.names[axis.raw.name[node]] || '(no name)',
      place: axis.raw.places[axis.raw.name[node]] || '',
      isOfSystem: system.includes(axis.raw.name[node]) });
  return names;
}

// The first of a stack that is not of the system, which waits for its caller; 0: all are.
function ownIn(stack) {
  return Math.max(0, stack.findIndex(f => !f.isOfSystem));
}

// For a picture of so many pixels: which part of each a thread waited, 0 to 1.
function waitCells(axis, from, to, width) {
  const cells = new Float32Array(axis.threads.length * width),
    w = axis.waits,
    scale = width / (to - from);
  for (let i = 0; i < w.n && w.from[i] < to; i++) {
    if (w.to[i] <= from) continue;
    const left = Math.max(0, (w.from[i] - from) * scale),
      right = Math.min(width, (w.to[i] - from) * scale),
      row = w.thread[i] * width;
    for (let x = Math.floor(left); x < right; x++)
      cells[row + x] += Math.min(right, x + 1) - Math.max(left, x);
  }
  return cells;
}

// Slow frames in [from, to), the longest first.
function lateOf(axis, from, to, thread) {
  const list = [];
  for (let i = 0; i < axis.late.n && axis.late.from[i] < to; i++)
    if (axis.late.to[i] > from && (thread < 0 || axis.late.thread[i] === thread)) list.push(i);
  return list.sort((a, b) => axis.late.to[b] - axis.late.from[b] - axis.late.to[a] +
    axis.late.from[a] || a - b);
}

// The first tick that is not before a moment.
function firstTick(axis, us) {
  let low = 0,
    high = axis.n;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (axis.us[middle] < us) low = middle + 1;
    else high = middle;
  }
  return low;
}

// Ticks of each node in [from, to), of one thread or of all (-1).
function ownOfRange(axis, from, to, thread) {
  const own = new Float64Array(axis.tree.n),
    end = firstTick(axis, to);
  for (let i = firstTick(axis, from); i < end; i++)
    if (thread < 0 || axis.thread[i] === thread) own[axis.node[i]]++;
  return own;
}

// For a picture of so many pixels: how busy each thread was in each of them, 0 to 1 and more, and
// the function that it was in, by name: the one of most ticks if that is more than half, by votes.
// A tick stands for the time up to it that its thread was at work.
function cellsOf(axis, from, to, width) {
  const count = axis.threads.length * width,
    busy = new Float32Array(count),
    name = new Uint32Array(count),
    votes = new Int32Array(count),
    scale = width / (to - from),
    most = firstTick(axis, to + axis.tick);
  for (let i = firstTick(axis, from); i < most; i++) {
    const right = Math.min(width, (axis.us[i] - from) * scale),
      left = Math.max(0, (axis.us[i] - axis.tick - from) * scale),
      row = axis.thread[i] * width,
      what = axis.tree.name[axis.node[i]];
    const last = Math.min(width - 1, Math.max(Math.floor(left), Math.ceil(right) - 1));
    for (let x = Math.min(width - 1, Math.floor(left)); x <= last; x++) {
      const k = row + x;
      busy[k] += left >= right || last === Math.floor(left) ? axis.tick * scale
        : Math.min(right, x + 1) - Math.max(left, x);
      if (votes[k] === 0) name[k] = what;
      votes[k] += name[k] === what ? 1 : -1;
    }
  }
  return { busy, name };
}

// How a share of m ticks differs from one of n: [difference, low, high], Newcombe's interval.
function shareDifference(base, n, now, m) {
  const [a, b] = wilson(base, n),
    [c, d] = wilson(now, m),
    apart = now - base;
  return [apart, apart - Math.hypot(now - c, b - base), apart + Math.hypot(d - now, base - a)];
}
