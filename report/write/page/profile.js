// profile.js - the model behind all views: trees of calls as columns, functions by name, file and
// line, filters, callers and callees, intervals. It knows no page: node tests it
// (tests/page_model.js).
//
// A tree is one entry for each context in each of its columns, in preorder, and the hottest child
// stands first. Node 0 is the root.
//
//     parent, name        of each node; name is a number in names and places
//     own, sum            what was counted in it alone, and with all that it calls
//     squares, squareSum  the same of the squares of what each look counted; for units of looks
//     depth, end          end: the first node behind all that it calls
//     x                   where its box begins, in the unit of sum
//     rows, rowAt         nodes by depth, from left to right; where each depth begins
//
// So the children of i are i + 1, end[i + 1], ... below end[i], and what lies under a point of the
// picture is found by halving a row.

// ---- trees

// From columns in which callers stand before what they call. Costs one pass if they are in order
// already, and else one sort of each node's children. squares: of nodes, or none.
function makeTree(parent, name, own, names, places, squares) {
  const n = parent.length,
    sum = Float64Array.from(own);
  for (let i = n - 1; i > 0; i--) sum[parent[i]] += sum[i];
  const tree = isInOrder(parent, sum) ? { n, parent, name, own, sum, names, places }
    : putInOrder(parent, name, own, sum, names, places);
  measure(tree);
  if (squares) {
    tree.squares = tree.was ? Float64Array.from(tree.was, i => squares[i])
      : Float64Array.from(squares);
    tree.squareSum = tree.squares.slice();
    for (let i = n - 1; i > 0; i--) tree.squareSum[tree.parent[i]] += tree.squareSum[i];
  }
  return tree;
}

function isInOrder(parent, sum) {
  const n = parent.length,
    least = new Float64Array(n).fill(Infinity);
  for (let i = 1; i < n; i++) {
    let k = i - 1;
    while (k > parent[i]) k = parent[k];
    if (k !== parent[i] || sum[i] > least[k]) return false;
    least[k] = sum[i];
  }
  return true;
}

function putInOrder(parent, name, own, sum, names, places) {
  const n = parent.length,
    at = new Uint32Array(n + 1),
    children = new Uint32Array(n);
  for (let i = 1; i < n; i++) at[parent[i] + 1]++;
  for (let i = 0; i < n; i++) at[i + 1] += at[i];
  const next = at.slice();
  for (let i = 1; i < n; i++) children[next[parent[i]]++] = i;
  for (let i = 0; i < n; i++)
    if (at[i + 1] - at[i] > 1)
      children.subarray(at[i], at[i + 1]).sort((a, b) => sum[b] - sum[a] || a - b);
  const tree = {
    n,
    parent: new Uint32Array(n),
    name: new Uint32Array(n),
    own: new Float64Array(n),
    sum: new Float64Array(n),
    names,
    places,
    was: new Uint32Array(n), // the number that each node had before
  };
  const waiting = [0],
    place = new Uint32Array(n);
  for (let made = 0; waiting.length; made++) {
    const i = waiting.pop();
    place[i] = made;
    tree.was[made] = i;
    tree.parent[made] = made ? place[parent[i]] : 0;
    tree.name[made] = name[i];
    tree.own[made] = own[i];
    tree.sum[made] = sum[i];
    for (let k = at[i + 1]; k-- > at[i];) waiting.push(children[k]);
  }
  return tree;
}

function measure(tree) {
  const { n, parent, sum } = tree;
  const depth = new Uint32Array(n),
    end = new Uint32Array(n),
    x = new Float64Array(n),
    filled = new Float64Array(n);
  let deepest = 0;
  for (let i = 1; i < n; i++) {
    const p = parent[i];
    depth[i] = depth[p] + 1;
    if (depth[i] > deepest) deepest = depth[i];
    x[i] = x[p] + filled[p];
    filled[p] += sum[i];
  }
  for (let i = 0; i < n; i++) end[i] = i + 1;
  for (let i = n - 1; i > 0; i--) if (end[i] > end[parent[i]]) end[parent[i]] = end[i];
  const rowAt = new Uint32Array(deepest + 2),
    rows = new Uint32Array(n);
  for (let i = 0; i < n; i++) rowAt[depth[i] + 1]++;
  for (let d = 0; d <= deepest; d++) rowAt[d + 1] += rowAt[d];
  const next = rowAt.slice();
  for (let i = 0; i < n; i++) rows[next[depth[i]]++] = i;
  Object.assign(tree, { depth, end, x, rows, rowAt, deepest });
}

// The first entry of that row whose box ends right of x; it may be the row's end.
function firstInRow(tree, row, x) {
  let low = tree.rowAt[row],
    high = tree.rowAt[row + 1];
  while (low < high) {
    const middle = (low + high) >> 1,
      i = tree.rows[middle];
    if (tree.x[i] + tree.sum[i] <= x) low = middle + 1;
    else high = middle;
  }
  return low;
}

// Self and total of each name. A function that calls itself counts once.
function sumFunctions(tree, own = tree.own, sum = tree.sum) {
  const { n, name, end } = tree;
  const self = new Float64Array(tree.names.length),
    total = new Float64Array(tree.names.length),
    until = new Uint32Array(tree.names.length); // where its outermost call ends
  for (let i = 1; i < n; i++) {
    const k = name[i];
    self[k] += own[i];
    if (i < until[k]) continue;
    total[k] += sum[i];
    until[k] = end[i];
  }
  return { self, total };
}

// The outermost contexts of the functions that are marked.
function outermost(tree, marked) {
  const list = [];
  for (let i = 1; i < tree.n;) {
    if (marked[tree.name[i]]) {
      list.push(i);
      i = tree.end[i];
    } else i++;
  }
  return list;
}
// How much of the tree is in marked functions and what they call, and in how many contexts.
function matched(tree, marked) {
  let sum = 0,
    squares = 0,
    count = 0;
  for (let i = 1, until = 0; i < tree.n; i++) {
    if (!marked[tree.name[i]]) continue;
    count++;
    if (i < until) continue;
    sum += tree.sum[i];
    if (tree.squares) squares += tree.squareSum[i];
    until = tree.end[i];
  }
  return { sum, squares, count };
}
const marksOf = (length, list) => {
  const marks = new Uint8Array(length);
  for (const k of list) marks[k] = 1;
  return marks;
};

// ---- what is joined by function: callers, callees, the inverted tree

// A level at a time: a group is all contexts that come to one place of the new tree. `step` calls
// back with each context that follows one of the group, and its weight. Groups below `least` are
// not followed: what would come from them, and is too small to be seen, is one node of the name
// THIN, so that nothing of the weight is missing in the picture.
const JOIN_DEEPEST = 512;
function join(tree, start, least, step) {
  const THIN = tree.names.length;
  const names = tree.names.concat('(smaller ones)'),
    places = tree.places && tree.places.concat('');
  const parent = [0],
    name = [0],
    own = [0],
    squares = [0],
    slots = new Int32Array(THIN).fill(-1);
  let groups = [{ at: 0, ...start, weight: Infinity, square: 0 }];
  for (let level = 0; groups.length; level++) {
    const next = [];
    for (const group of groups) {
      const found = [];
      let followed = 0,
        squared = 0;
      step(group, level === 0, (node, weight, k, square) => {
        let slot = slots[k];
        if (slot < 0) {
          slot = slots[k] = found.length;
          found.push({ k, at: 0, nodes: [], weights: [], squares: [], weight: 0, square: 0 });
        }
        const to = found[slot];
        to.nodes.push(node);
        to.weights.push(weight);
        to.squares.push(square);
        to.weight += weight;
        to.square += square;
        followed += weight;
        squared += square;
      });
      if (level > 0) {
        own[group.at] = Math.max(0, group.weight - followed);
        squares[group.at] = Math.max(0, group.square - squared);
      }
      let thin = 0,
        thinSquare = 0;
      for (const to of found) {
        slots[to.k] = -1;
        if (to.weight < least || level >= JOIN_DEEPEST) {
          thin += to.weight;
          thinSquare += to.square;
          continue;
        }
        to.at = parent.push(group.at) - 1;
        name.push(to.k);
        own.push(0);
        squares.push(0);
        next.push(to);
      }
      if (thin > 0) {
        parent.push(group.at);
        name.push(THIN);
        own.push(thin);
        squares.push(thinSquare);
      }
    }
    groups = next;
  }
  const made = makeTree(
    Uint32Array.from(parent), Uint32Array.from(name), Float64Array.from(own), names, places,
    tree.squares && squares);
  made.hasThin = true;
  return made;
}
const squareSumOf = tree => i => (tree.squares ? tree.squareSum[i] : 0);
function callersStep(tree) {
  return (group, isFirst, found) => {
    for (let k = 0; k < group.nodes.length; k++) {
      const node = isFirst ? group.nodes[k] : tree.parent[group.nodes[k]];
      if (node) found(node, group.weights[k], tree.name[node], group.squares[k]);
    }
  };
}
function calleesStep(tree) {
  const square = squareSumOf(tree);
  return (group, isFirst, found) => {
    for (const node of group.nodes) {
      if (isFirst) found(node, tree.sum[node], tree.name[node], square(node));
      else
        for (let k = node + 1; k < tree.end[node]; k = tree.end[k])
          if (tree.sum[k] > 0) found(k, tree.sum[k], tree.name[k], square(k));
    }
  };
}
// Who calls the marked functions, and what they call: both have the functions in their first level.
function callersOf(tree, marked, least) {
  const nodes = outermost(tree, marked);
  return join(tree, { nodes, weights: nodes.map(i => tree.sum[i]),
    squares: nodes.map(squareSumOf(tree)) }, least, callersStep(tree));
}
function calleesOf(tree, marked, least) {
  const nodes = outermost(tree, marked);
  return join(tree, { nodes, weights: [], squares: [] }, least, calleesStep(tree));
}
// By who spends it: the first level has what each function took alone, below it stand its callers.
function invert(tree, least) {
  const nodes = [],
    weights = [],
    squares = [];
  for (let i = 1; i < tree.n; i++) {
    if (!(tree.own[i] > 0)) continue;
    nodes.push(i);
    weights.push(tree.own[i]);
    squares.push(tree.squares ? tree.squares[i] : 0);
  }
  return join(tree, { nodes, weights, squares }, least, callersStep(tree));
}
// ---- filters

// o.own, o.squares: other numbers, such as those of one thread. o.focus: only stacks with one of
// these marked functions count. o.hide: what these took counts for their callers, and what they
// called stands under their callers. Without all, the tree itself.
function filtered(tree, o) {
  if (!o.own && !o.focus && !o.hide) return tree;
  const { n, parent, name, end } = tree;
  const own = Float64Array.from(o.own || tree.own),
    squares = tree.squares && Float64Array.from(o.squares || tree.squares),
    sum = new Float64Array(n);
  if (o.focus) {
    for (let i = 0, until = 0; i < n; i++) {
      if (i && o.focus[name[i]] && end[i] > until) until = end[i];
      if (i < until) continue;
      own[i] = 0;
      if (squares) squares[i] = 0;
    }
  }
  sum.set(own);
  for (let i = n - 1; i > 0; i--) sum[parent[i]] += sum[i];
  const to = new Uint32Array(n),
    parents = [0],
    names = [0],
    owns = [own[0]],
    squared = squares && [squares[0]],
    places = new Map(); // of callers and names, once frames are joined
  const most = tree.names.length;
  for (let i = 1; i < n; i++) {
    if (!(sum[i] > 0)) {
      i = end[i] - 1;
      continue;
    }
    const above = to[parent[i]],
      key = above * most + name[i],
      known = !o.hide ? undefined : o.hide[name[i]] ? above : places.get(key);
    if (known !== undefined) {
      to[i] = known;
      owns[known] += own[i];
      if (squares) squared[known] += squares[i];
      continue;
    }
    to[i] = parents.push(above) - 1;
    names.push(name[i]);
    owns.push(own[i]);
    if (squares) squared.push(squares[i]);
    if (o.hide) places.set(key, to[i]);
  }
  return makeTree(
    Uint32Array.from(parents), Uint32Array.from(names), Float64Array.from(owns), tree.names,
    tree.places, squared);
}

// ---- who is who

// A function is its name, file and line: static functions of two files may share a name. In
// another build lines have moved: then those of that name in that file are meant, and else all of
// that name. Returns their numbers.
const fileOf = place => place.replace(/:[0-9]+$/, '');
function sameFunctions(names, placeAt, name, at) {
  const same = [];
  for (let i = 0; name && i < names.length; i++) if (names[i] === name) same.push(i);
  const exact = same.filter(i => placeAt(i) === (at || ''));
  if (exact.length) return exact;
  if (!at) return same;
  const near = same.filter(i => fileOf(placeAt(i)) === fileOf(at));
  return near.length ? near : same;
}

// A node by the names and places on its path, for numbers of nodes differ from run to run. The
// second of equal siblings has a number. A path that is too long for a link ends early.
const LINK_MOST = 3000;
function linkOf(tree, node) {
  const path = [];
  for (let i = node; i > 0; i = tree.parent[i]) {
    let before = 0;
    for (let k = tree.parent[i] + 1; k !== i; k = tree.end[k])
      if (sameName(tree, k, i)) before++;
    const place = tree.places ? tree.places[tree.name[i]] : '';
    path.unshift(before ? [tree.names[tree.name[i]], place, before]
      : place ? [tree.names[tree.name[i]], place] : [tree.names[tree.name[i]]]);
  }
  let size = 0;
  const fits = path.findIndex(step => (size += step[0].length + 40) > LINK_MOST);
  return path.length ? JSON.stringify(fits < 0 ? path : path.slice(0, fits)) : '';
}
const sameName = (tree, a, b) =>
  tree.name[a] === tree.name[b] ||
  (tree.names[tree.name[a]] === tree.names[tree.name[b]] &&
    (!tree.places || tree.places[tree.name[a]] === tree.places[tree.name[b]]));
// As far as the path is there: [node, is it all there?].
function follow(tree, link) {
  let path = [],
    at = 0;
  try {
    path = link ? JSON.parse(link) : [];
  } catch (error) {
    return [0, false];
  }
  if (!Array.isArray(path)) return [0, false];
  for (const step of path) {
    if (!Array.isArray(step)) return [at, false];
    let left = Number(step[2]) || 0,
      near = 0,
      k = at + 1;
    for (; k < tree.end[at]; k = tree.end[k]) {
      if (tree.names[tree.name[k]] !== step[0]) continue;
      if (step[1] && tree.places && tree.places[tree.name[k]] !== step[1]) {
        near = near || k; // its line has moved
        continue;
      }
      if (left-- === 0) break;
    }
    if (k >= tree.end[at]) k = near;
    if (!k) return [at, false];
    at = k;
  }
  return [at, true];
}

// ---- numbers

// Wilson's interval, z = 2, of a share seen in so many independent samples; model/interval.c has
// the same.
function wilson(share, samples) {
  const met = share * samples,
    others = samples - met;
  const z = 2,
    square = z * z;
  const middle = (share + square / (2 * samples)) / (1 + square / samples);
  const half =
    (z * Math.sqrt((share * (1 - share)) / samples + square / (4 * samples * samples))) /
    (1 + square / samples);
  const low = Math.max(0, middle - half),
    high = Math.min(1, middle + half);
  return [
    met > 0 && met < 4.9 ? Math.min(low, exactLeast(met, others)) : low,
    others > 0 && others < 4.9 ? Math.max(high, 1 - exactLeast(others, met)) : high];
}

// What none of so many samples met: who has more would have been met with 97.7 %.
const unmet = samples => [0, 1 - 0.02275 ** (1 / samples)];

// Of few samples: Clopper and Pearson's bound, as in model/interval.c.
function exactLeast(met, others) {
  const s = 1 / (9 * met),
    t = 1 / (9 * (others + 1)),
    a = 1 - t,
    b = 1 - s,
    high = a * a - 4 * t,
    low = b * b - 4 * s;
  if (!(low > 0) || !(high > 0)) return 0;
  const root = (a * b - Math.sqrt(Math.max(0, a * a * b * b - high * low))) / high;
  const odds = met * Math.max(0, root) ** 3;
  return odds / (odds + others + 1);
}

// Looks count differently: what part of the whole's independent samples is behind a sum of them.
// model/interval.c has the same.
function partOfWorth(ticks, squares, all, allSquares) {
  const p = all > 0 ? ticks / all : 0;
  const variance = squares * (1 - p) * (1 - p) + (allSquares - squares) * p * p;
  const alike = p * (1 - p) * allSquares;
  return p > 0 && p < 1 && variance > alike * (1 + 1e-9) ? alike / variance : 1;
}
// How many independent samples are behind such a sum. lockstep: how many looks are worth one.
const worthOf = (ticks, squares, all, allSquares, lockstep) =>
  allSquares > 0 && lockstep > 0
    ? all * all / allSquares / lockstep * partOfWorth(ticks, squares, all, allSquares) : 0;

// Are two shares of one whole, seen in so many independent samples, surely different? McNemar's
// test, as in model/interval.c.
function differs(p, q, samples) {
  const z = 2,
    apart = samples * Math.abs(p - q) - 1;
  return apart > 0 && apart * apart > z * z * samples * (p + q);
}

// ---- packed columns

// A tree of very many contexts comes as base64 of deflated bytes: columns of numbers of seven bits a
// byte, the lowest first, 128 if more follow; of each column the first byte of all numbers, then the
// second byte of those that have one, and so on. Columns: levels up from the node before, name, lower,
// upper - lower, and where looks count differently squares, or where there are intervals 0 or
// 1 + millionths of their ends. Nodes are in order
// already.
async function unpack(tree) {
  const { count, columns, data } = tree.packed;
  const text = atob(data),
    bytes = new Uint8Array(text.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = text.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
  const raw = new Uint8Array(await new Response(stream).arrayBuffer());
  const open = new Uint32Array(count + 1); // first the numbers that go on, then the open callers
  let at = 0;
  const column = Kind => {
    const list = new Kind(count);
    for (let k = 0; k < count; k++) open[k] = k;
    for (let times = 1, going = count; going; times *= 128) {
      let still = 0;
      for (let j = 0; j < going; j++) {
        const k = open[j],
          byte = raw[at++];
        list[k] += (byte & 127) * times;
        if (byte & 128) open[still++] = k;
      }
      going = still;
    }
    return list;
  };
  const up = column(Uint32Array);
  const parent = new Uint32Array(count);
  for (let i = 1, depth = 0; i < count; i++) {
    depth += 1 - up[i];
    parent[i] = open[depth - 1];
    open[depth] = i;
  }
  tree.parent = parent;
  tree.name = column(Uint32Array);
  tree.lower = column(Float64Array);
  tree.upper = column(Float64Array);
  for (let i = 0; i < count; i++) tree.upper[i] += tree.lower[i];
  if (columns === 5) tree.squares = column(Float64Array);
  if (columns > 5) {
    const part = v => (v ? (v - 1) / 1e6 : null);
    tree.share_low = Array.from(column(Uint32Array), part);
    tree.share_high = Array.from(column(Uint32Array), part);
  }
  delete tree.packed;
}
