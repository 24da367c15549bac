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
    from: raw.from_us, to: Math.max(raw.to_us, raw.from_us + 1) };
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
