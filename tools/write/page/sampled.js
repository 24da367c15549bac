// sampled.js - the map, the table and the flow of sampled functions.

// A squarified treemap: cells, sorted by area, fill the box; each row takes cells while its worst
// aspect ratio gets better. place is called with each cell and its rectangle.
function squarify(cells, x, y, w, h, place) {
  let sum = cells.reduce((s, c) => s + c.area, 0),
    at = 0;
  while (at < cells.length && w > 0 && h > 0) {
    const side = Math.min(w, h),
      scale = (w * h) / sum;
    let end = at,
      row = 0,
      worst = Infinity;
    for (; end < cells.length; end++) {
      const thick = ((row + cells[end].area) * scale) / side;
      const aspect = cell => {
        const long = (cell.area * scale) / thick;
        return Math.max(long / thick, thick / long);
      };
      const ratio = Math.max(aspect(cells[at]), aspect(cells[end]));
      if (ratio > worst) break;
      worst = ratio;
      row += cells[end].area;
    }
    const thick = (row * scale) / side;
    for (let along = 0; at < end; at++) {
      const long = (cells[at].area * scale) / thick;
      if (w >= h) place(cells[at], x, y + along, thick, long);
      else place(cells[at], x + along, y, long, thick);
      along += long;
    }
    if (w >= h) {
      x += thick;
      w -= thick;
    } else {
      y += thick;
      h -= thick;
    }
    sum -= row;
  }
}

function drawSampled(sampled, host) {
  const CLASSES = [
    [1, 'calls'],
    [2, 'returns'],
    [4, 'loop trips'],
    [8, 'loads'],
    [16, 'stores'],
    [32, 'events'],
  ];
  const classOf = item => {
    const c = sampled.sites[item.site].kind & 63;
    return CLASSES.some(k => k[0] === c) ? c : 32;
  };
  const nameOf = site => sampled.sites[site].name || '(no name)';
  const fileOf = site => sampled.sites[site].file.split('/').pop().split('\\').pop();
  const placeOf = site => (fileOf(site) ? fileOf(site) + ':' + sampled.sites[site].line : '');
  const whole = site => placed(sampled.sites[site].file, sampled.sites[site].line);
  const present = CLASSES.filter(([bit]) => sampled.functions.some(f => classOf(f) === bit));
  const hasTime = sampled.functions.some(f => f.time_ns > 0);

  // One view; paint() draws all of it again. The function in focus is in the address, for other
  // sections to see.
  const view = {
    kind: present[0][0],
    measure: hasTime ? 'time_ns' : 'estimated',
    query: '',
    focus: null,
    sort: 'value',
    up: false,
    rows: 25,
  };
  const byTime = () => view.measure === 'time_ns';
  const noun = () => present.find(([bit]) => bit === view.kind)[1];
  const value = item => item[view.measure] || 0;
  const amount = v => !byTime() && grouped(v) + ' ' + noun();
  // The 95 % interval of what is shown: of the share of events, or of their number.
  const isExact = sampled.intervals === 'exact';
  const seenIn = f => 'seen in ' + grouped(f.bursts) + (f.bursts === 1 ? ' burst' : ' bursts');
  const range = f =>
    isExact
      ? 'exact'
      : f.share_low === null
        ? sampled.intervals === 'bursts'
          ? seenIn(f)
          : 'too few to tell'
        : percent(f.share_low) + ' to ' + percent(f.share_high);
  const countRange = f =>
    !isExact && f.estimated_low !== null
      ? ' (' + short(f.estimated_low) + ' to ' + short(f.estimated_high) + ')'
      : '';
  const isSure = (f, g) =>
    isExact || (f.worth && g.worth && differs(f.share, g.share, Math.min(f.worth, g.worth)));
  const isTimed = item => item.time_ns !== null;
  const shareOf = item => (byTime() && !isTimed(item) ? 'not timed' : percent(value(item) / total));
  const focusOn = site =>
    view.focus === site || site === null ? choose('') : choose(nameOf(site), whole(site));
  let items, pairs, total;
  // How many of this class --min left out; the dump tells it for all classes together.
  const leftOut = () => (present.length > 1 ? 0 : sampled.functions_left_out);

  // The hottest files have a colour each, the rest share the last; in a program of one or two files
  // functions do.
  const byFile = new Set(sampled.functions.map(f => fileOf(f.site))).size > 2;
  const groupOf = site => (byFile ? fileOf(site) : nameOf(site));
  const heat = new Map(),
    REST_COLOUR = 8;
  for (const f of sampled.functions)
    heat.set(groupOf(f.site), (heat.get(groupOf(f.site)) || 0) + f.share + (f.time_share || 0));
  const groups = [...heat.keys()].sort((a, b) => heat.get(b) - heat.get(a)).slice(0, REST_COLOUR);
  const groupNumber = site => {
    const k = groups.indexOf(groupOf(site));
    return k < 0 ? REST_COLOUR : k;
  };
  const colour = k => 'var(--c' + k + ')',
    colourOf = site => colour(groupNumber(site));

  // ---- where it goes: the map

  const map = el('div', { class: 'map' }),
    legend = el('ul', { class: 'legend' });
  const redrawMap = roving(map, 'button');
  const describe = f => [
    nameOf(f.site),
    placeOf(f.site),
    shareOf(f) + (byTime() && !isTimed(f) ? '' : ' of ' + (byTime() ? 'time' : noun())),
    grouped(f.estimated) + ' ' + noun() + (isExact ? '' : ' estimated' + countRange(f)),
    grouped(f.sampled) + ' sampled, share of ' + noun() + ' ' + range(f),
  ];

  // The largest have a box each; all others together have one, so that every box is as large as its
  // share.
  function mapCells() {
    const LEAST = 0.0005,
      MOST = 150;
    const sorted = items
      .filter(f => value(f) > 0)
      .map(f => ({ f, area: value(f) }))
      .sort((a, b) => b.area - a.area);
    const cells = sorted.filter(c => c.area / total >= LEAST).slice(0, MOST),
      rest = sorted.slice(cells.length);
    const area = total - cells.reduce((sum, c) => sum + c.area, 0); // with what --min left out
    if (area / total > 1e-4) cells.push({ f: null, area, count: rest.length + leftOut() });
    return cells.sort((a, b) => b.area - a.area);
  }
  function mapBox(cell, isFirst, x, y, w, h, width) {
    const { f } = cell,
      label = w > 44 && h > 20,
      share = percent(cell.area / total);
    const name = f ? nameOf(f.site) : grouped(cell.count) + ' others';
    const css = [
      !label && 'tiny',
      isFirst && w > 160 && 'first',
      !f && 'rest',
      view.focus !== null && !(f && view.focus === f.site) && 'off',
    ];
    return el(
      'button',
      {
        type: 'button',
        class: css.filter(Boolean).join(' '),
        'aria-label': name + ' ' + share,
        'data-id': f ? f.site : 'rest',
        onclick: () => focusOn(f ? f.site : null),
        style: {
          left: (100 * x) / width + '%',
          top: y + 'px',
          width: (100 * w) / width + '%',
          height: h + 'px',
          background: f ? colourOf(f.site) : colour(REST_COLOUR),
        },
        ...tipping(() => (f ? describe(f) : [name, share + ' together'])),
      },
      label && el('b', {}, name),
      label && h > 38 && el('span', {}, share),
    );
  }
  function drawMap(width) {
    const HEIGHT = 270,
      cells = mapCells(),
      boxes = [];
    squarify(cells, 0, 0, width, HEIGHT, (cell, x, y, w, h) =>
      boxes.push(mapBox(cell, cell === cells[0], x, y, w, h, width)),
    );
    redrawMap(() => fill(map, boxes));
    const shares = new Map();
    for (const f of byFile ? items : [])
      shares.set(groupNumber(f.site), (shares.get(groupNumber(f.site)) || 0) + value(f) / total);
    const isRest = k => (k === REST_COLOUR ? 1 : 0);
    const sorted = [...shares].sort((a, b) => isRest(a[0]) - isRest(b[0]) || b[1] - a[1]);
    fill(
      legend,
      sorted.map(([k, share]) =>
        el(
          'li',
          {},
          el('i', { style: { background: colour(k) } }),
          (isRest(k) ? 'other files' : groups[k] || '(no file)') + ' ',
          el('span', { class: 'soft' }, percent(share)),
        ),
      ),
    );
  }

  // ---- the table

  const table = el('div'),
    redrawTable = roving(table, 'tbody tr');
  const columns = [
    { key: 'name', label: 'function', of: f => nameOf(f.site), up: true },
    { key: 'value', label: 'share', css: 'share', of: value },
    { key: 'estimated', label: 'estimated', css: 'number', of: f => f.estimated },
    { key: 'sampled', label: 'sampled', css: 'number desk', of: f => f.sampled },
    {
      key: 'range',
      label: '95 % interval',
      css: 'number desk',
      of: f => (f.share_high === null ? Infinity : f.share_high - f.share_low),
    },
  ];
  function sortBy(column) {
    view.up = view.sort === column.key ? !view.up : !!column.up;
    view.sort = column.key;
    drawTable();
  }
  // The hottest three at the other end of a function's pairs, as in: world_step 81 %, frame 19 %.
  function kin(site, end, other) {
    const own = pairs.filter(p => p[end] === site).sort((a, b) => value(b) - value(a));
    const sum = own.reduce((s, p) => s + value(p), 0);
    const shown = own
      .slice(0, 3)
      .map(p => nameOf(p[other]) + (sum ? ' ' + percent(value(p) / sum) : ''));
    return shown.join(', ') + (own.length > 3 ? ', …' : '');
  }
  function drawRow(f, most) {
    const on = view.focus === f.site;
    const callers = on && kin(f.site, 'site', 'caller'),
      callees = on && kin(f.site, 'caller', 'site');
    return el(
      'tr',
      { class: on ? 'pick on' : 'pick', 'data-id': f.site, ...onPick(() => focusOn(f.site)) },
      el(
        'td',
        {},
        el('div', { class: 'name', title: nameOf(f.site) }, nameOf(f.site)),
        el('div', { class: 'place' }, placeOf(f.site)),
        el('div', { class: 'place phone' }, grouped(f.sampled) + ' sampled, ' + range(f)),
        callers && el('div', { class: 'place' }, 'called by ' + callers),
        callees && el('div', { class: 'place' }, 'calls ' + callees),
      ),
      el('td', { class: 'share' }, shareOf(f), bar(value(f) / most, colourOf(f.site))),
      el(
        'td',
        { class: 'number', title: grouped(f.estimated) + countRange(f) },
        short(f.estimated),
      ),
      el('td', { class: 'number desk' }, grouped(f.sampled)),
      el('td', { class: 'number desk' }, range(f)),
    );
  }
  function drawTable() {
    const MORE = 200,
      sorted = columns.find(c => c.key === view.sort),
      direction = view.up ? 1 : -1;
    const compare = (x, y) => (x < y ? -1 : x > y ? 1 : 0),
      matches = matcher(view.query);
    const rows = items
      .filter(f => matches(nameOf(f.site) + ' ' + placeOf(f.site)))
      .sort((a, b) => direction * compare(sorted.of(a), sorted.of(b)) || value(b) - value(a));
    const most = items.reduce((m, f) => Math.max(m, value(f)), 0) || 1,
      hidden = Math.max(0, rows.length - view.rows);
    const heading = c =>
      el(
        'th',
        {
          class: c.css,
          scope: 'col',
          'aria-sort': c === sorted && (view.up ? 'ascending' : 'descending'),
        },
        button(c.label, () => sortBy(c), 'sort'),
      );
    const showMore = () => {
      view.rows += MORE;
      drawTable();
    };
    redrawTable(() =>
      fill(
        table,
        el(
          'table',
          { id: 'functions' },
          el('thead', {}, el('tr', {}, columns.map(heading))),
          el(
            'tbody',
            {},
            rows.slice(0, view.rows).map(f => drawRow(f, most)),
          ),
        ),
        rows.length === 0 &&
          el('p', { class: 'soft' }, 'No function has “' + view.query + '” in its name or file.'),
        hidden > 0 && button('show ' + Math.min(MORE, hidden) + ' more', showMore, 'plain more'),
      ),
    );
  }

  // ---- who calls whom: columns of bars, ribbons as thick as what was counted between them

  // With a function in focus its callers, itself and its callees; without, all callers and all
  // callees. The colder ones of a side are one bar.
  const flow = el('div', { class: 'flow' }),
    flowText = el('p'),
    REST = -1;
  const redrawFlow = roving(flow, 'g[role]');
  function hottestOf(list, end) {
    const MOST = 12,
      sums = new Map();
    for (const p of list) sums.set(p[end], (sums.get(p[end]) || 0) + value(p));
    const sorted = [...sums.keys()].sort((a, b) => sums.get(b) - sums.get(a));
    const kept = new Set(sorted.length > MOST + 1 ? sorted.slice(0, MOST) : sorted);
    return site => (kept.has(site) ? site : REST);
  }
  function flowLinks() {
    const links = new Map(),
      focus = view.focus;
    const add = (column, from, to, v) => {
      const key = [column, from, to].join();
      if (!links.has(key)) links.set(key, { column, from, to, v: 0 });
      links.get(key).v += v;
    };
    const into = focus === null ? pairs : pairs.filter(p => p.site === focus);
    const outOf = focus === null ? pairs : pairs.filter(p => p.caller === focus);
    const from = hottestOf(into, 'caller'),
      to = hottestOf(outOf, 'site');
    if (focus === null) {
      for (const p of pairs) add(0, from(p.caller), to(p.site), value(p));
    } else {
      for (const p of into) add(0, from(p.caller), focus, value(p));
      for (const p of outOf) add(1, focus, to(p.site), value(p));
    }
    return [...links.values()].filter(l => l.v > 0);
  }
  // Gives each bar its height and place; a column's order follows what flows in, which keeps
  // ribbons from crossing.
  function flowColumns(links, count) {
    const GAP = 6,
      LEAST = 17,
      columnMaps = Array.from({ length: count }, () => new Map());
    const node = (column, site) => {
      const nodes = columnMaps[column];
      if (!nodes.has(site))
        nodes.set(site, { site, into: 0, out: 0, usedInto: 0, usedOut: 0, pull: 0 });
      return nodes.get(site);
    };
    for (const l of links) {
      l.a = node(l.column, l.from);
      l.b = node(l.column + 1, l.to);
      l.a.out += l.v;
      l.b.into += l.v;
    }
    const tall = Math.min(420, 60 + 22 * largest(columnMaps.map(c => c.size), 0));
    const placed = columnMaps.map((column, k) => {
      const bars = [...column.values()],
        isLast = n => (n.site === REST ? 1 : 0);
      for (const l of links) {
        if (l.column === k - 1) l.b.pull += (l.a.y * l.v) / l.b.into;
      }
      for (const n of bars) n.v = Math.max(n.into, n.out);
      bars.sort((a, b) => isLast(a) - isLast(b) || a.pull - b.pull || b.v - a.v);
      const sum = bars.reduce((s, n) => s + n.v, 0);
      let y = 0;
      for (const n of bars) {
        n.h = Math.max(LEAST, (tall * n.v) / sum);
        n.y = y;
        y += n.h + GAP;
      }
      return { bars, height: y - GAP };
    });
    const height = Math.ceil(largest(placed.map(c => c.height), 0));
    for (const c of placed) {
      for (const n of c.bars) n.y += (height - c.height) / 2;
    }
    return { columns: placed.map(c => c.bars), height };
  }
  function ribbon(x0, y0, h0, x1, y1, h1) {
    const middle = (x0 + x1) / 2;
    const path = [
      'M',
      x0,
      y0,
      'C',
      middle,
      y0,
      middle,
      y1,
      x1,
      y1,
      'L',
      x1,
      y1 + h1,
      'C',
      middle,
      y1 + h1,
      middle,
      y0 + h0,
      x0,
      y0 + h0,
      'Z',
    ];
    return path.map(p => (typeof p === 'number' ? p.toFixed(1) : p)).join(' ');
  }
  function explainFlow() {
    if (view.focus !== null) return 'What calls ' + nameOf(view.focus) + ', and what it calls.';
    return (
      'Callers on the left, what they call on the right. Pick one to see its own.' +
      (sampled.callers_unknown > 0.5
        ? ' Callers unknown: stack deeper than BURSTY_STACK, or BURST_LEAVE missing.'
        : '')
    );
  }
  function explainNoFlow() {
    if (view.focus !== null) return 'No caller or callee of it was sampled.';
    if (view.kind === 4) return 'Loop trips happen in a function, they are not called.';
    return 'No caller is known in this dump: place scopes (BURST_SCOPE) where callers matter.';
  }
  function drawFlow(width) {
    const links = flowLinks(),
      count = view.focus === null ? 2 : 3,
      BAR = 8;
    flowText.textContent = explainFlow();
    if (links.length === 0) {
      fill(flow, el('p', { class: 'soft' }, explainNoFlow()));
      return;
    }
    const { columns: sides, height } = flowColumns(links, count);
    const label = Math.min(170, width * 0.3),
      x = k => label + ((width - 2 * label - BAR) * k) / (count - 1);
    const title = n => (n.site === REST ? 'others' : nameOf(n.site));
    const fillOf = n => (n.site === REST ? colour(REST_COLOUR) : colourOf(n.site));
    const ribbons = links
      .sort((p, q) => p.a.y - q.a.y || p.b.y - q.b.y)
      .map(l => {
        const h0 = (l.a.h * l.v) / l.a.v,
          h1 = (l.b.h * l.v) / l.b.v;
        const y0 = l.a.y + l.a.usedOut,
          y1 = l.b.y + l.b.usedInto;
        l.a.usedOut += h0;
        l.b.usedInto += h1;
        const words = () => [
          title(l.a) + ' → ' + title(l.b),
          amount(l.v),
          percent(l.v / total) + ' of all',
        ];
        const d = ribbon(x(l.column) + BAR, y0, h0, x(l.column + 1), y1, h1);
        return svg('path', { fill: fillOf(l.a), d, ...tipping(words) });
      });
    const drawBar = (n, k) => {
      const inner = k > 0 && k < count - 1,
        isRest = n.site === REST;
      const at =
        k === 0
          ? { x: x(k) - 6, 'text-anchor': 'end' }
          : inner
            ? { x: x(k) + BAR / 2, 'text-anchor': 'middle' }
            : { x: x(k) + BAR + 6 };
      const pick = isRest
        ? {}
        : {
            role: 'button',
            'data-id': k + ' ' + n.site,
            'aria-label': title(n) + ' ' + percent(n.v / total),
            ...onPick(() => focusOn(n.site)),
          };
      return svg(
        'g',
        { ...pick, ...tipping(() => [title(n), amount(n.v), percent(n.v / total) + ' of all']) },
        svg('rect', { x: x(k), y: n.y, width: BAR, height: n.h, rx: 2, fill: fillOf(n) }),
        svg(
          'text',
          {
            ...at,
            y: n.y + n.h / 2 + 4,
            class: inner ? 'halo' : isRest ? 'soft' : null,
            'font-weight': inner ? 700 : null,
          },
          fit(title(n), inner ? width * 0.4 : label - 8),
        ),
      );
    };
    redrawFlow(() =>
      fill(
        flow,
        svg(
          'svg',
          {
            id: 'flow',
            role: 'group',
            'aria-label': 'who calls whom',
            viewBox: [0, 0, width, height].join(' '),
            height,
          },
          ribbons,
          sides.map((bars, k) => bars.map(n => drawBar(n, k))),
        ),
      ),
    );
  }

  // ---- all of it

  function drawLead() {
    const sorted = items.map(value).sort((a, b) => b - a),
      first = items.find(f => value(f) === sorted[0]);
    const five = sorted.slice(0, 5).reduce((a, b) => a + b, 0),
      count = items.length + leftOut();
    // The second one, if it cannot be told from the first.
    const second =
      !byTime() && items.filter(f => f !== first).find(f => value(f) === sorted[1]);
    const tied = second && !isSure(first, second) ? second : null;
    const what = byTime() ? 'the time.' : 'all ' + noun() + '.';
    fill(
      byId('lead'),
      el('b', {}, nameOf(first.site)),
      (tied ? ' and ' + nameOf(tied.site) + ' are the hottest, and cannot be told apart: ' : '') +
        (tied ? '' : ' is the hottest: ') +
        percent(value(first) / total) +
        (tied ? ' and ' + percent(value(tied) / total) : '') +
        ' of ' +
        what,
      items.length > 6 &&
        ' Five of ' + grouped(count) + ' functions make ' + percent(five / total) + '.',
    );
  }
  const showAll = button('show all', () => focusOn(view.focus));
  function paint() {
    items = sampled.functions.filter(f => classOf(f) === view.kind);
    pairs = sampled.pairs.filter(p => classOf(p) === view.kind);
    // Of all functions of the class, also of those that --min left out.
    const shares = items.reduce((sum, f) => sum + ((byTime() ? f.time_share : f.share) || 0), 0);
    total = items.reduce((sum, f) => sum + value(f), 0) / (shares || 1) || 1;
    if (!data.ticks) drawLead(); // time says more than counts
    drawTable();
    if (map.clientWidth) {
      drawMap(map.clientWidth);
      drawFlow(flow.clientWidth);
    }
    showAll.hidden = view.focus === null;
  }
  const change = key => chosen => {
    view[key] = chosen;
    paint();
  };
  // The chosen function may be of another class than is shown: then its class is shown.
  const names = sampled.functions.map(f => nameOf(f.site));
  function follow() {
    const wanted = chosenOf(names, k => whole(sampled.functions[k].site));
    const has = (f, k) => wanted.has(k);
    const found =
      sampled.functions.find((f, k) => classOf(f) === view.kind && has(f, k)) ||
      sampled.functions.find(has);
    view.focus = found ? found.site : null;
    if (found) view.kind = classOf(found);
    paint();
  }
  const others = tablesOf(host, ['functions', 'pairs']);
  const onQuery = query => {
    view.query = query;
    view.rows = 25;
    drawTable();
  };
  fill(
    host,
    card(
      data.ticks ? 'How often it is called' : 'Where it goes',
      'A box is a function, as large as its share' + (byFile ? '; its colour is its file.' : '.'),
      [
        hasTime &&
          tabs(
            [
              ['time_ns', 'by time'],
              ['estimated', 'by count'],
            ],
            view.measure,
            change('measure'),
          ),
        present.length > 1 && tabs(present, view.kind, change('kind')),
      ],
      map,
      legend,
    ),
    el(
      'div',
      { class: 'columns' },
      card(
        'Hot functions',
        hasTime &&
          'Time is rough: it includes what recording costs; functions shorter than a ' +
            'clock reading come out too long.',
        search('find a function or file', onQuery),
        table,
      ),
      el(
        'div',
        {},
        el(
          'section',
          { class: 'card' },
          el('header', {}, el('h2', {}, 'Who calls whom'), flowText, showAll),
          flow,
        ),
      ),
    ),
    others,
  );
  follow();
  onState(follow);
  responsive(map, drawMap);
  responsive(flow, drawFlow);
}

section('sampled', (sampled, host) => {
  if (sampled.functions.length) drawSampled(sampled, host);
});
