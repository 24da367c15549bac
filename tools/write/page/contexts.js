// contexts.js - the flame graph and the table of calling contexts.
// A flame graph, callers above callees, as wide as the lower bounds; and the hottest contexts in a table.
function drawContexts(tree) {
  const n = tree.parent.length, kids = Array.from({ length: n }, () => []);
  const sum = tree.lower.slice(), depth = new Array(n).fill(0);       // sum: of a context and all below it
  for (let i = 1; i < n; i++) { kids[tree.parent[i]].push(i); depth[i] = depth[tree.parent[i]] + 1; }
  for (let i = n - 1; i > 0; i--) sum[tree.parent[i]] += sum[i];
  for (const list of kids) list.sort((a, b) => sum[b] - sum[a] || a - b);
  const total = tree.total || 1;
  const nameOf = i => i === 0 ? 'all' : tree.names[tree.name[i]] || '(no name)';
  const bounds = i => tree.lower[i] === tree.upper[i] ? grouped(tree.lower[i]) : grouped(tree.lower[i]) + ' to ' + grouped(tree.upper[i]);
  const pathOf = i => { const path = []; for (; i > 0; i = tree.parent[i]) path.unshift(nameOf(i)); return path; };
  const hue = name => { let h = 7; for (const c of name) h = (h * 31 + c.codePointAt(0)) % 9973; return h % 46 + 8; };

  const ROW = 19, DEEPEST = 400, MOST = 6000, LEAST = .7;             // pixels, levels, frames, pixels
  const flame = el('div', { class: 'flame' }), found = el('span', { class: 'soft small' });
  let root = 0, query = '';
  const zoomTo = i => { root = i; draw(flame.clientWidth); };
  const zoomOut = button('zoom out', () => zoomTo(0));

  function frame(i, x, w, level, past) {
    const name = nameOf(i), hit = query && name.toLowerCase().includes(query);
    const paint = hit ? 'var(--accent)' : i === 0 ? 'var(--line)' : 'hsl(' + hue(name) + ' 78% var(--frame))';
    const words = () => [name, percent(sum[i] / total) + ': at least ' + grouped(sum[i]) + ' in it and below',
      i > 0 && 'in it alone: ' + bounds(i), 'depth ' + depth[i]];
    return svg('g', { class: past ? 'past' : null, ...onPick(() => zoomTo(i)), tabindex: w > 30 ? 0 : null, ...tipping(words) },
      svg('rect', { x: x.toFixed(2), y: level * ROW, width: Math.max(.4, w - .6).toFixed(2), height: ROW - 1, rx: 2, fill: paint }),
      w > 26 && svg('text', { class: i === 0 ? 'all' : null, x: (x + 4).toFixed(1), y: level * ROW + 13 }, fit(name, w - 6)));
  }
  function draw(width) {
    const past = [], frames = [];
    for (let i = root; i > 0;) { i = tree.parent[i]; past.unshift(i); }
    past.slice(-DEEPEST).forEach((i, level) => frames.push(frame(i, 0, width, level, true)));
    const base = frames.length, stack = [[root, 0, width, base]];
    let levels = base;
    while (stack.length && frames.length < MOST) {
      const [i, x, w, level] = stack.pop();
      frames.push(frame(i, x, w, level, false));
      levels = Math.max(levels, level + 1);
      if (level - base > DEEPEST) continue;
      let at = x;
      for (const k of kids[i]) {
        const wide = sum[i] ? w * sum[k] / sum[i] : 0;
        if (wide >= LEAST) stack.push([k, at, wide, level + 1]);
        at += wide;
      }
    }
    const height = levels * ROW;
    fill(flame, svg('svg', { role: 'img', 'aria-label': 'calling contexts', viewBox: [0, 0, width, height].join(' '), height }, frames));
    zoomOut.hidden = root === 0;
  }
  // What is found below something found is in it already.
  function find(words) {
    const inside = new Uint8Array(n);
    let matched = 0, count = 0;
    query = words;
    for (let i = 1; i < n && query; i++) {
      const hit = nameOf(i).toLowerCase().includes(query), above = inside[tree.parent[i]];
      if (hit) count++;
      if (hit && !above) matched += sum[i];
      inside[i] = hit || above ? 1 : 0;
    }
    found.textContent = query ? percent(matched / total) + ' in ' + grouped(count) + ' contexts' : '';
    draw(flame.clientWidth);
  }

  const hottest = Array.from({ length: n }, (_, i) => i).filter(i => i > 0 && tree.lower[i] > 0)
    .sort((a, b) => tree.lower[b] - tree.lower[a] || tree.upper[b] - tree.upper[a] || a - b).slice(0, 12);
  const most = hottest.length ? tree.lower[hottest[0]] : 1;
  const elided = path => path.length > 6 ? [path[0], '…', ...path.slice(-4)] : path;
  const row = i => el('tr', { class: 'pick', ...onPick(() => { zoomTo(i); flame.scrollIntoView({ block: 'nearest' }); }) },
    el('td', {}, el('div', { class: 'name' }, nameOf(i)), el('div', { class: 'place' }, elided(pathOf(tree.parent[i])).join(' › ')),
      el('div', { class: 'place phone' }, bounds(i))),
    el('td', { class: 'share' }, percent(tree.lower[i] / total), bar(tree.lower[i] / most)),
    el('td', { class: 'number desk' }, grouped(tree.lower[i])), el('td', { class: 'number desk' }, grouped(tree.upper[i])));
  const headings = [['context'], ['share', 'share'], ['at least', 'number desk'], ['at most', 'number desk']];
  if (!data.sampled && hottest.length && !byId('lead').firstChild)
    fill(byId('lead'), el('b', {}, nameOf(hottest[0])), ' is the hottest context: at least ' + percent(most / total) + ' of what was counted.');
  const remarks = (tree.unmatched ? ' ' + grouped(tree.unmatched) + (tree.unmatched === 1 ? ' leave' : ' leaves') + ' without an enter: the tree may be wrong.' : '') +
    (tree.of_sample ? ' Counts are of sampled calls, not scaled up.' : '');
  byId('contexts').append(
    card('Calling contexts', 'Callers above, callees below; as wide as what is certainly theirs. Pick a frame to zoom.',
      [found, zoomOut, search('find a function', find)], flame),
    card('Hottest contexts', grouped(tree.total) + ' counted by ' + tree.algorithm + '. A context that is not known has at most ' +
      grouped(tree.absent) + ', ' + percent(tree.absent / total) + '.' + remarks, null,
      el('table', {}, el('thead', {}, el('tr', {}, headings.map(([label, css]) => el('th', { scope: 'col', class: css }, label)))),
        el('tbody', {}, hottest.map(row)))));
  responsive(flame, draw);
}
section('contexts', (trees, host) => {
  host.replaceChildren();
  trees.forEach(drawContexts);
});
