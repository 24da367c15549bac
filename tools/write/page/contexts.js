// contexts.js - the flame graph and the table of calling contexts.

// A flame graph, callers above callees, as wide as the lower bounds; and the hottest contexts in a
// table. `how` is for a tree of another unit, which gets no such table: its unit, the name of its
// zoom in the address, title and text of its card, and the words for a frame's own and whole count.
function drawContexts(tree, host, how) {
  const n = tree.parent.length;
  const unit = how ? how.unit : tree.of_sample ? 'sampled calls' : 'calls';
  const total = tree.total || 1;
  const zoomKey = how ? how.zoom : 'zoom';

  // Children of a node are a chain: first[i], then next[...], the widest first. sum is of a context
  // and all below it.
  const sum = Float64Array.from(tree.lower),
    first = new Int32Array(n),
    next = new Int32Array(n);
  for (let i = n - 1; i > 0; i--) sum[tree.parent[i]] += sum[i];
  const order = Int32Array.from({ length: n }, (_, i) => i)
    .subarray(1)
    .sort((a, b) => sum[a] - sum[b] || b - a);
  for (const i of order) {
    next[i] = first[tree.parent[i]];
    first[tree.parent[i]] = i;
  }
  const placeOf = name => (tree.places ? tree.places[name] : '');
  const nameOf = i => (i === 0 ? 'all' : tree.names[tree.name[i]] || '(no name)');
  const bounds = i =>
    tree.lower[i] === tree.upper[i]
      ? grouped(tree.lower[i])
      : grouped(tree.lower[i]) + ' to ' + grouped(tree.upper[i]);
  function pathOf(i) {
    const path = [];
    for (; i > 0; i = tree.parent[i]) path.unshift(nameOf(i));
    return path;
  }
  function hue(name) {
    let h = 7;
    for (const c of name) h = (h * 31 + c.codePointAt(0)) % 9973;
    return (h % 46) + 8;
  }

  // ---- links

  // A node by the names on its path, for numbers of nodes differ from run to run. The second of
  // equal siblings has a number. A path that is too long for a link is a number after all.
  const LINK_MOST = 3000;
  function linkOf(node) {
    const parts = [];
    for (let i = node, size = 0; i > 0; i = tree.parent[i]) {
      let before = 0;
      for (let k = first[tree.parent[i]]; k !== i; k = next[k])
        if (nameOf(k) === nameOf(i)) before++;
      parts.push(nameOf(i) + (before ? '\t' + before : ''));
      size += parts[parts.length - 1].length + 1;
      if (size > LINK_MOST) return '#' + node;
    }
    return parts.reverse().join('\n');
  }
  // As far as the path is there.
  function follow(link) {
    const number = /^#([0-9]+)$/.exec(link);
    if (number) return Number(number[1]) < n ? [Number(number[1]), true] : [0, false];
    let at = 0;
    for (const part of link ? link.split('\n') : []) {
      const [name, before] = part.split('\t');
      let left = Number(before || 0),
        k = first[at];
      while (k && !(nameOf(k) === name && left-- === 0)) k = next[k];
      if (!k) return [at, false];
      at = k;
    }
    return [at, true];
  }

  // ---- the flame graph

  const ROW = 19,
    DEEPEST = 400,
    MOST = 3000,
    LEAST = 0.7; // pixels, levels, frames, pixels
  const flame = el('div', { class: 'flame' }),
    found = el('span', { class: 'soft small' });
  const missing = el('p', { class: 'soft small missing' });
  const redraw = roving(flame, 'g');
  let root = 0,
    width = 0,
    isHit = null,
    isThereAll = true,
    chosen = new Set();
  const zoomTo = i =>
    setState({
      [zoomKey]: i ? linkOf(i) : '',
      function: i ? nameOf(i) : '',
      at: i ? placeOf(tree.name[i]) : '',
    });
  const zoomOut = button('zoom out', () => zoomTo(0));

  function words(i) {
    const place = i > 0 && placeOf(tree.name[i]);
    if (how) return [nameOf(i), place, ...how.words(sum[i], i > 0 ? tree.lower[i] : null)];
    return [
      nameOf(i),
      percent(sum[i] / total) + ': at least ' + grouped(sum[i]) + ' ' + unit + ' in it and below',
      i > 0 && 'in it alone: ' + bounds(i),
    ];
  }
  function frame(i, x, w, level, past) {
    const name = nameOf(i),
      hit = isHit && i > 0 && isHit[tree.name[i]];
    const paint =
      hit || (i > 0 && chosen.has(tree.name[i]))
        ? 'var(--found)'
        : i === 0
          ? 'var(--line)'
          : 'hsl(' + hue(name) + ' 78% var(--frame))';
    return svg(
      'g',
      {
        class: past ? 'past' : null,
        role: 'button',
        'aria-label': name + ' ' + percent(sum[i] / total),
        'data-id': i,
        ...onPick(() => zoomTo(i)),
        ...tipping(() => words(i)),
      },
      svg('rect', {
        x: x.toFixed(2),
        y: level * ROW,
        width: Math.max(0.4, w - 0.6).toFixed(2),
        height: ROW - 1,
        rx: 2,
        fill: paint,
      }),
      w > 26 &&
        svg(
          'text',
          { class: i === 0 ? 'all' : null, x: (x + 4).toFixed(1), y: level * ROW + 13 },
          fit(name, w - 6),
        ),
    );
  }
  // The widest frames are drawn, and what has no room is one grey bar below each caller. Widths are
  // sorted, so that frames are taken in the order of their size wherever in the tree they are.
  function chooseFrames(base) {
    const taken = [],
      waiting = [[root, 0, width, base]], // a heap, the widest at the top
      grey = []; // [x, width, level]
    let left = 0;
    const push = item => {
      let at = waiting.push(item) - 1;
      while (at > 0 && waiting[(at - 1) >> 1][2] < item[2]) {
        waiting[at] = waiting[(at - 1) >> 1];
        at = (at - 1) >> 1;
      }
      waiting[at] = item;
    };
    const pop = () => {
      const top = waiting[0],
        item = waiting.pop();
      let at = 0;
      if (waiting.length === 0) return top;
      for (;;) {
        let child = 2 * at + 1;
        if (child + 1 < waiting.length && waiting[child + 1][2] > waiting[child][2]) child++;
        if (child >= waiting.length || waiting[child][2] <= item[2]) break;
        waiting[at] = waiting[child];
        at = child;
      }
      waiting[at] = item;
      return top;
    };
    while (waiting.length && taken.length < MOST) {
      const item = pop(),
        [i, x, w, level] = item;
      taken.push(item);
      let at = x;
      for (let k = first[i]; k; k = next[k]) {
        const wide = sum[i] ? (w * sum[k]) / sum[i] : 0;
        if (wide < LEAST || level - base > DEEPEST) {
          let rest = 0;
          for (let m = k; m; m = next[m]) rest += sum[m];
          left += 1;
          grey.push([at, sum[i] ? (w * rest) / sum[i] : 0, level + 1]);
          break; // those behind it are not wider
        }
        push([k, at, wide, level + 1]);
        at += wide;
      }
    }
    for (const [, x, w, level] of waiting) grey.push([x, w, level]);
    return { taken, left: left + waiting.length, grey };
  }
  function draw() {
    const past = [];
    for (let i = root; i > 0;) {
      i = tree.parent[i];
      past.unshift(i);
    }
    const shown = past.slice(-DEEPEST),
      base = shown.length;
    const { taken, left, grey } = chooseFrames(base);
    const seen = grey.filter(bar => bar[1] >= 0.05);
    const ends = [...taken.map(item => item[3] + 1), ...seen.map(bar => bar[2] + 1)];
    const levels = largest(ends, base);
    chosen = chosenOf(tree.names, placeOf);
    const piece = ([x, w, level]) =>
      'M' + x.toFixed(2) + ' ' + level * ROW + 'h' + w.toFixed(2) + 'v' + (ROW - 1) +
      'h-' + w.toFixed(2) + 'z';
    const frames = shown.map((i, level) => frame(i, 0, width, level, true));
    taken.sort((a, b) => a[3] - b[3] || a[1] - b[1]);
    for (const [i, x, w, level] of taken) frames.push(frame(i, x, w, level, false));
    redraw(() =>
      fill(
        flame,
        svg(
          'svg',
          {
            role: 'group',
            'aria-label': (how ? how.title : 'calling contexts') + ' as a flame graph',
            viewBox: [0, 0, width, levels * ROW].join(' '),
            height: levels * ROW,
          },
          seen.length > 0 && svg('path', { class: 'small', d: seen.map(piece).join('') }),
          frames,
        ),
      ),
    );
    missing.textContent =
      (isThereAll ? '' : 'The stack of this link is not in this report as a whole. ') +
      (left === 0
        ? ''
        : 'Grey: what is below ' +
          grouped(left) +
          ' places, too small or too deep to be drawn. Zoom in to see it.');
    zoomOut.hidden = root === 0;
  }

  // Below something found everything is in it already. Names are tested once, not for every
  // context.
  function find(query) {
    const matches = matcher(query),
      inside = new Uint8Array(n);
    let matched = 0,
      count = 0;
    isHit = query ? tree.names.map(name => matches(name || '(no name)')) : null;
    for (let i = 1; i < n && isHit; i++) {
      const hit = isHit[tree.name[i]],
        above = inside[tree.parent[i]];
      if (hit) count++;
      if (hit && !above) matched += sum[i];
      inside[i] = hit || above ? 1 : 0;
    }
    found.textContent = isHit
      ? percent(matched / total) + ' in ' + grouped(count) + ' contexts'
      : '';
    draw();
  }

  // ---- the table

  const TOP = 12,
    hottest = [];
  for (const i of Int32Array.from({ length: n }, (_, i) => i)
    .filter(i => i > 0 && tree.lower[i] > 0)
    .sort((a, b) => tree.lower[b] - tree.lower[a] || tree.upper[b] - tree.upper[a] || a - b)
    .subarray(0, TOP))
    hottest.push(i);
  const most = hottest.length ? tree.lower[hottest[0]] : 1;
  // A long path keeps its ends, and the frames at which it leaves those that would look the same.
  const isEnd = (path, k) => path.length <= 6 || k === 0 || k >= path.length - 4;
  function elided(path, keeps) {
    const shown = [];
    path.forEach((name, k) => {
      if (isEnd(path, k) || keeps.has(k)) shown.push(name);
      else if (shown[shown.length - 1] !== '…') shown.push('…');
    });
    return shown.join(' › ');
  }
  function distinct(paths, names) {
    const none = new Set();
    const look = k => elided(paths[k], none) + '\n' + names[k] + '\n' + paths[k].length;
    const looks = paths.map((path, k) => look(k));
    const texts = paths.map((path, k) => {
      const keeps = new Set();
      paths.forEach((other, m) => {
        if (m !== k && looks[m] === looks[k])
          keeps.add(path.findIndex((name, level) => name !== other[level]));
      });
      return elided(path, keeps);
    });
    const twins = k => texts.filter((t, m) => t === texts[k] && names[m] === names[k]).length;
    const nth = k =>
      texts.filter((t, m) => m <= k && t === texts[k] && names[m] === names[k]).length;
    return texts.map((t, k) => (twins(k) > 1 ? t + ' #' + nth(k) : t));
  }
  const above = distinct(
    hottest.map(i => pathOf(tree.parent[i])),
    hottest.map(nameOf),
  );
  const pick = i => {
    zoomTo(i);
    flame.scrollIntoView({ block: 'nearest' });
  };
  const row = (i, k) =>
    el(
      'tr',
      { class: 'pick', 'data-id': i, ...onPick(() => pick(i)) },
      el(
        'td',
        {},
        el('div', { class: 'name' }, nameOf(i)),
        el('div', { class: 'place' }, above[k]),
        el('div', { class: 'place phone' }, bounds(i)),
      ),
      el(
        'td',
        { class: 'share' },
        percent(tree.lower[i] / total),
        bar(tree.lower[i] / most),
        tree.share_low && el('div', { class: 'place' }, range(i)),
      ),
      el('td', { class: 'number desk' }, grouped(tree.lower[i])),
      el('td', { class: 'number desk' }, grouped(tree.upper[i])),
    );
  const range = i =>
    tree.share_low[i] === null
      ? 'seen in fewer than 5 bursts'
      : percent(tree.share_low[i]) + ' to ' + percent(tree.share_high[i]);
  const headings = [
    ['context'],
    ['share', 'share'],
    ['at least', 'number desk'],
    ['at most', 'number desk'],
  ];
  const heading = ([label, css]) => el('th', { scope: 'col', class: css }, label);
  const body = el('tbody');
  roving(body, 'tr')(() => fill(body, hottest.map(row)));

  function lead() {
    if (!hottest.length || byId('lead').firstChild) return;
    fill(
      byId('lead'),
      el('b', {}, nameOf(hottest[0])),
      ' is the hottest context: at least ' + percent(most / total) + ' of what was counted.',
    );
  }
  const leaves = tree.unmatched === 1 ? ' leave' : ' leaves';
  const about =
    grouped(tree.total) +
    ' ' +
    unit +
    ', counted by ' +
    tree.algorithm +
    '. A context that is not known has at most ' +
    grouped(tree.absent) +
    ', ' +
    percent(tree.absent / total) +
    '.' +
    (tree.unmatched
      ? ' ' + grouped(tree.unmatched) + leaves + ' without an enter: the tree may be wrong.'
      : '') +
    (tree.of_sample
      ? ' Counts are of sampled calls, not scaled up: bounds hold for the sample, not for the run.'
      : '');
  if (!how) lead();
  host.append(
    card(
      how ? how.title : 'Calling contexts',
      how
        ? how.about
        : 'Callers above, callees below; as wide as the ' +
            unit +
            ' that are certainly theirs. Pick a frame to zoom.',
      [found, zoomOut, search('find a function', find)],
      flame,
      missing,
    ),
  );
  if (!how)
    host.append(
      card(
        'Hottest contexts',
        about,
        null,
        el('table', {}, el('thead', {}, el('tr', {}, headings.map(heading))), body),
      ),
    );
  function followState() {
    [root, isThereAll] = follow(state.get(zoomKey) || '');
    if (width) draw();
  }
  followState();
  onState(followState);
  responsive(flame, now => {
    width = now;
    draw();
  });
}

section('contexts', (trees, host) => {
  const others = tablesOf(host, ['contexts']);
  host.replaceChildren();
  for (const tree of trees) drawContexts(tree, host);
  host.append(...others);
});
