// workbench.js - the page as a place to work in: functions on the left; on the right views of the
// same model in tabs, and below them the chosen function with its callers and callees. All of what
// is chosen is in the address: unit, tab, function, zoom, focus, hide, thread, sort, search.
//
// The plain tables that stand in the page without scripts stay: they have a tab of their own.

const workbench = { units: [], tabs: [], unit: null };

const jsonList = key => {
  try {
    const list = JSON.parse(state.get(key) || '[]');
    return Array.isArray(list) ? list.filter(item => Array.isArray(item)) : [];
  } catch (error) {
    return [];
  }
};
const setList = (key, list) => setState({ [key]: list.length ? JSON.stringify(list) : '' });

// ---- what is shown: the unit, filtered

const seen = { key: null, tree: null, rows: [], all: 1, squares: 0, part: 1 };
const indexesOf = (tree, [name, at]) =>
  sameFunctions(tree.names, k => tree.places[k], String(name), at ? String(at) : '');
const callsByName = () => {
  const rows = workbench.units.filter(u => u.key === 'calls').flatMap(u => u.rows);
  const known = new Map(rows.map(row => [idOf(row.name, row.place), row.amount]));
  return (name, place) => known.get(idOf(name, place)) ?? null;
};
// Which of the wanted functions are not in this report.
const missingOf = (tree, list) => list.filter(item => indexesOf(tree, item).length === 0);

function look() {
  const unit =
    workbench.units.find(u => u.key === state.get('unit')) || workbench.units[0] || null;
  workbench.unit = unit;
  if (!unit) return;
  const focus = jsonList('focus'),
    hide = jsonList('hide'),
    thread = unit.threads ? state.get('thread') : null;
  const key = JSON.stringify([unit.key, focus, hide, thread, inTimeKey()]);
  if (seen.key === key) return;
  Object.assign(seen, { key, tree: unit.tree, rows: unit.rows, all: unit.all || 1,
    squares: unit.squares || 0, part: 1, isFiltered: false, missing: [], isFiltering: false });
  if (!unit.tree) {
    seen.isFiltering = focus.length + hide.length > 0;
    return;
  }
  const marks = list =>
    list.length
      ? marksOf(unit.tree.names.length, list.flatMap(item => indexesOf(unit.tree, item)))
      : null;
  const number = thread
    ? unit.threads.names.findIndex((name, k) => threadKey(unit, k) === thread) : -1;
  const inTime = ownInTime(unit);
  const { own, squares } = inTime ? { own: inTime, squares: inTime }
    : number >= 0 ? ownOfThread(unit, number) : {};
  seen.missing = [...missingOf(unit.tree, focus), ...missingOf(unit.tree, hide)];
  if (thread && number < 0) seen.missing.push([threadCalled(thread)]);
  const sum = list => list.reduce((s, v) => s + v, 0);
  if (own) Object.assign(seen, { all: sum(own) || 1, squares: sum(squares) });
  seen.tree = filtered(unit.tree, { own, squares, focus: marks(focus), hide: marks(hide) });
  seen.isFiltered = seen.tree !== unit.tree;
  seen.part = seen.tree.sum[0] / seen.all;
  if (seen.isFiltered || !unit.rows) {
    const rows = rowsOf(unit, seen.tree, seen, callsByName());
    if (seen.isFiltered) seen.rows = rows;
    else seen.rows = unit.rows = rows;
  }
}
// One without a name of its own is called "thread 3" already.
const threadCalled = name => (/^thread /.test(name) ? name : 'thread ' + name);
// A thread by its name, and its number where several have one name.
const threadKey = (unit, k) => {
  const names = unit.threads.names,
    twins = names.filter(name => name === names[k]).length;
  return twins > 1 ? names[k] + ' #' + (k + 1) : names[k];
};

// The chosen function, or else the first of the unit.
function chosenFunction() {
  if (state.get('function')) {
    const rows = seen.rows || [],
      found = sameFunctions(
        rows.map(row => row.name), k => rows[k].place, state.get('function'),
        state.get('at') || '');
    return {
      name: state.get('function'),
      place: found.length === 1 ? rows[found[0]].place : state.get('at') || '',
      rows: found.map(k => rows[k]),
      isChosen: true,
    };
  }
  const first = hottestRow();
  return first ? { name: first.name, place: first.place, rows: [first], isChosen: false } : null;
}
const hottestRow = () =>
  (seen.rows || []).reduce((best, row) =>
    (best && (best.self ?? -1) >= (row.self ?? -1) ? best : row), null);
const chosenMarks = tree =>
  state.get('function') && tree
    ? marksOf(tree.names.length, indexesOf(tree, [state.get('function'), state.get('at') || '']))
    : null;
// A name is tested once for each tree and search.
let litFor = null;
function litMarks(tree) {
  const query = state.get('search');
  if (!query || !tree) return null;
  if (!litFor || litFor.names !== tree.names || litFor.query !== query) {
    const matches = matcher(query),
      marks = new Uint8Array(tree.names.length);
    for (let k = 0; k < marks.length; k++)
      if (matches(tree.names[k]) || (tree.places[k] && matches(tree.places[k]))) marks[k] = 1;
    litFor = { names: tree.names, query, marks };
  }
  return litFor.marks;
}

// ---- the head: one sentence, search, unit, filters

// With its place where another function has the name.
const nameInRows = row =>
  row.place && seen.rows.some(other => other !== row && other.name === row.name)
    ? nameOfItem([row.name, row.place]) : row.name;
function sentence() {
  const unit = workbench.unit,
    row = unit && hottestRow();
  if (!row || !row.self) return null;
  const more = [];
  if (unit.key === 'time') {
    const others = seen.rows.filter(r => r !== row && r.self !== null);
    const second = others.reduce((b, r) => (b && b.self >= r.self ? b : r), null);
    if (second && row.worth && !differs(row.self, second.self, row.worth))
      more.push(' It cannot be told from ' + nameInRows(second) + ', ' +
        ranged(second.self, second.selfLow, second.selfHigh) + '.');
  }
  return [
    el('b', {}, nameInRows(row)),
    ' takes ' + (unit.isBound ? 'at least ' : '') + ranged(row.self, row.selfLow, row.selfHigh) +
      ' of ' + unit.of +
        (unit.key === 'time' && row.selfLow === null ? ' that was seen' : '') + '.',
    more,
  ];
}
// Of a dump without functions that take something: how much of the sources ran.
function coverageSentence() {
  const lines = data.edges ? data.edges.files.flatMap(file => file.lines.length) : [],
    all = lines.reduce((s, n) => s + n, 0);
  if (!all) return null;
  const ran = data.edges.files.reduce((s, f) => s + f.lines.filter(l => l[1] > 0).length, 0);
  return [el('b', {}, percent(ran / all)), ' of ' + grouped(all) + ' lines ran, in ' +
    grouped(data.edges.files.length) + (data.edges.files.length === 1 ? ' file.' : ' files.')];
}
// Of a dump that has hot data streams and nothing that is shared out among functions.
function streamsSentence() {
  const p = (data.streams || [])[0];
  return p && p.references ? ['Hot data streams hold ', el('b', {}, percent(p.coverage)),
    ' of ' + grouped(p.references) + ' references.'] : null;
}
const nameOfItem = ([name, at]) => name + (at ? ' (' + shortPlace(at) + ')' : '');
function filterWords() {
  const unit = workbench.unit,
    focus = jsonList('focus'),
    hide = jsonList('hide'),
    chips = [];
  const chip = (words, label, undo) =>
    el('span', { class: 'chip' }, words,
      el('button', { type: 'button', 'aria-label': label, onclick: undo }, '×'));
  const without = (key, item) => () =>
    setList(key, jsonList(key).filter(other => JSON.stringify(other) !== JSON.stringify(item)));
  const axis = unit.key === 'time' ? theAxis() : null,
    range = axis && rangeOfState(axis, '');
  if (range)
    chips.push(chip(rangeWords(range), 'the whole time', () => setState(stateOfRange('', null))));
  if (axis && state.get('track'))
    chips.push(chip(threadCalled(state.get('track')), 'all threads', () => setState({ track: '' })));
  if (state.get('thread') && unit.threads)
    chips.push(chip(threadCalled(state.get('thread')), 'all threads',
      () => setState({ thread: '' })));
  for (const item of focus)
    chips.push(chip('only stacks with ' + nameOfItem(item), 'no longer only ' + item[0],
      without('focus', item)));
  for (const item of hide)
    chips.push(chip('hidden: ' + nameOfItem(item), 'show ' + item[0], without('hide', item)));
  if (chips.length === 0) return [];
  const words = !unit.tree
    ? 'There are no stacks of ' + unit.label + ': nothing is left out here.'
    : seen.part < 0.99999
      ? 'This shows ' + nearOf(unit, seen, seen.tree.sum[0], squareSumOf(seen.tree)(0)) + ' of ' +
        (state.get('thread') || range || state.get('track')
          ? 'the chosen ' + unit.label : unit.of) + '; shares are of all of it.'
      : (range || state.get('track')) && focus.length + hide.length === 0
        ? (seen.tree.sum[0] ? 'Shares are of the ' + grouped(seen.all) +
          (seen.all === 1 ? ' tick' : ' ticks') + ' of it.' : 'No tick came there.')
      : 'Nothing is left out: what hidden functions took counts for their callers.';
  const missing = seen.missing && seen.missing.length
    ? ' Not in this report: ' + seen.missing.map(nameOfItem).join(', ') + '.'
    : '';
  return [chips, el('span', { class: 'soft small' }, words + missing)];
}

// ---- the functions

// A share, and below it a bar whose interval is hatched.
function shareCell(part, low, high, most) {
  if (part === null || part === undefined) return el('span', { class: 'soft' }, 'not timed');
  const at = v => Math.min(100, (100 * v) / most) + '%';
  const hasRange = low !== null && low !== undefined && low !== high;
  return [
    el('span', { title: ranged(part, low, high) }, near(part, low, high)),
    el('i', { class: 'sure', style: { width: at(hasRange ? low : part) } }),
    hasRange && el('i', { class: 'unsure', style: { left: at(low), width: at(high - low) } }),
  ];
}

function functionTable(host) {
  let rows = [],
    most = { self: 0.01, total: 0.01 }, // a bar is as long as its column where that is largest
    built = '',
    table = null,
    sort = 'self',
    up = false,
    chosen = null,
    for_ = '',
    sorted = '';
  const said = el('p', { class: 'soft small', 'aria-live': 'polite' });
  const value = {
    name: row => row.name,
    self: row => row.self ?? -1,
    total: row => row.total ?? -1,
    calls: row => (workbench.unit.key === 'time' ? row.calls : row.amount) ?? -1,
    worth: row => (row.selfHigh === null ? Infinity : row.selfHigh - row.selfLow),
  };
  // A line where the difference to the next one is sure.
  function isApart(i) {
    const a = rows[i],
      b = rows[i + 1];
    return Boolean(sort === 'self' && !up && b && a.self !== null && b.self !== null &&
      a.worth && b.worth && differs(a.self, b.self, Math.min(a.worth, b.worth)));
  }
  function build(unit) {
    const hasCalls = unit.key !== 'time' || unit.rows.some(row => row.calls !== null);
    const columns = [
      { key: 'name', label: 'function', css: 'wide', sorts: true, cell: i => [
        el('span', { class: 'name', title: rows[i].name }, rows[i].name),
        el('span', { class: 'place', title: rows[i].place }, shortPlace(rows[i].place)),
      ] },
      { key: 'self', label: unit.hasTotal ? 'self' : 'share', css: 'share', sorts: true,
        cell: i => shareCell(rows[i].self, rows[i].selfLow, rows[i].selfHigh, most.self) },
      unit.hasTotal && { key: 'total', label: 'total', css: 'share', sorts: true,
        cell: i => shareCell(rows[i].total, rows[i].totalLow, rows[i].totalHigh, most.total) },
      hasCalls && { key: 'calls', label: unit.key === 'time' ? 'calls' : unit.noun, css: 'number',
        sorts: true, cell: i => {
          const v = unit.key === 'time' ? rows[i].calls : rows[i].amount;
          return v === null ? '' : el('span', { title: grouped(v) }, short(v));
        } },
    ].filter(Boolean);
    table = virtualTable({
      label: 'functions by ' + unit.label,
      css: 'functions',
      height: 24,
      columns,
      isOn: i => Boolean(chosen && chosen.rows.includes(rows[i])),
      rowCss: i => (isApart(i) ? 'apart' : ''),
      onpick: i => {
        const row = rows[i];
        const same = state.get('function') === row.name && (state.get('at') || '') === row.place;
        setState(same ? { function: '', at: '' } : { function: row.name, at: row.place });
      },
      onsort: key => {
        const isUp = sort === key ? !up : key === 'name';
        setState({ sort: key + (isUp ? ' up' : '') });
      },
    });
    fill(host, said, table.element);
  }
  return function update() {
    const unit = workbench.unit;
    if (!unit) return;
    if (built !== unit.key) {
      built = unit.key;
      build(unit);
      for_ = '';
    }
    const [key, way] = (state.get('sort') || 'self').split(' ');
    sort = value[key] ? key : 'self';
    up = way === 'up';
    const query = state.get('search') || '';
    const now = JSON.stringify([seen.key, sort, up, query]);
    chosen = chosenFunction();
    if (now !== for_) {
      for_ = now;
      const matches = matcher(query),
        of = value[sort];
      rows = (seen.rows || []).filter(row =>
        matches(row.name) || (row.place && matches(row.place)));
      if (!query && sort !== 'name')
        rows = rows.filter(row => row.total !== 0 || row.total === null);
      const direction = up ? 1 : -1;
      rows.sort((a, b) => {
        const x = of(a),
          y = of(b);
        return direction * (x < y ? -1 : x > y ? 1 : 0) || (b.self ?? -1) - (a.self ?? -1) ||
          (b.total ?? -1) - (a.total ?? -1);
      });
      most = { self: 0.001, total: 0.001 };
      for (const row of seen.rows || []) {
        most.self = Math.max(most.self, row.selfHigh || row.self || 0);
        most.total = Math.max(most.total, row.totalHigh || row.total || 0);
      }
      table.head({ sort, up });
      table.set(rows.length);
      const all = (seen.rows || []).length,
        unmet = all - (seen.rows || []).filter(row => row.total !== 0).length;
      let words = grouped(rows.length) + (rows.length === 1 ? ' function' : ' functions');
      if (query) {
        const sum = seen.tree && matched(seen.tree, litMarks(seen.tree));
        words =
          (rows.length
            ? grouped(rows.length) + ' of ' + grouped(all) + ' functions' : 'No function') +
          ' with “' + query + '”' +
          (sum ? ': ' + nearOf(unit, seen, sum.sum, sum.squares) + ' of ' + unit.of + ' in ' +
            grouped(sum.count) + (sum.count === 1 ? ' context' : ' contexts') : '');
      } else if (unmet && sort !== 'name') words += '; ' + grouped(unmet) + ' met no tick';
      if (unit.leftOut) words += '; ' + grouped(unit.leftOut) + ' below --min are left out';
      said.textContent = words + '.' + (rows.some((_, i) => isApart(i))
        ? ' The row below a line is surely less.' : '');
    } else table.draw();
    const row = chosen && chosen.isChosen ? rows.indexOf(chosen.rows[0]) : -1;
    const mark = row + now;
    if (row >= 0 && mark !== sorted) table.show(row);
    sorted = mark;
  };
}

// ---- the chosen function

function kinTable(title, kin, columns) {
  const MOST = 12;
  if (kin.length === 0) return el('div', { class: 'kin' }, el('h3', {}, title),
    el('p', { class: 'soft small' }, 'none known'));
  const line = item =>
    el(
      'tr',
      {},
      el('td', { class: 'wide' },
        item.isNone
          ? el('span', { class: 'soft' }, item.name)
          : el('button', { type: 'button', class: 'link', title: item.name + ' ' + item.place,
            onclick: () => choose(item.name, item.place) }, item.name)),
      columns.map(c => el('td', { class: 'number' }, c.cell(item))),
    );
  return el(
    'div',
    { class: 'kin' },
    el('h3', {}, title),
    el('table', {},
      el('thead', {}, el('tr', {}, el('th', { scope: 'col' }, 'function'),
        columns.map(c => el('th', { scope: 'col', class: 'number' }, c.label)))),
      el('tbody', {}, kin.slice(0, MOST).map(line))),
    kin.length > MOST && el('p', { class: 'soft small' }, 'and ' + grouped(kin.length - MOST) +
      ' more, ' + percent(kin.slice(MOST).reduce((s, item) => s + (item.share || 0), 0)) +
      ' together'),
  );
}
// The same functions by time and by calls, joined.
function kinOfAll(name, at, isCallers) {
  const time = workbench.units.find(u => u.key === 'time'),
    calls = workbench.units.find(u => u.pairs && u.key === 'calls' && u.pairs.length) ||
      workbench.units.find(u => u.key.startsWith('contexts') && u.tree);
  const unit = workbench.unit,
    other = unit.key === 'time' ? calls : time;
  const columns = [],
    joined = new Map(),
    named = new Map(); // the first of each name
  for (const u of [unit, other]) {
    if (!u || (u.raw && !u.tree)) continue;
    const tree = u === unit ? seen.tree : u.tree,
      whole = u === unit ? seen : u;
    const key = 'of' + columns.length;
    for (const item of kinOf(u, tree, whole, name, at, isCallers)) {
      // A tree of calls may not know places.
      let id = idOf(item.name, item.place);
      if (!joined.has(id) && !item.place && named.has(item.name)) id = named.get(item.name);
      if (!joined.has(id)) {
        joined.set(id, { ...item, share: columns.length ? 0 : item.share });
        if (!named.has(item.name)) named.set(item.name, id);
      }
      joined.get(id)[key] = item;
    }
    columns.push({
      label: u.label,
      cell: item => item[key]
        ? el('span', { title: ranged(item[key].share, item[key].low, item[key].high) },
          u.key === 'time'
            ? near(item[key].share, item[key].low, item[key].high) : short(item[key].amount))
        : '',
    });
  }
  return [[...joined.values()], columns];
}
// Of the log of ticks, if there is one: it knows threads, and the range that is chosen.
function threadWords(unit, chosen) {
  const axis = unit.key === 'time' ? theAxis() : null;
  if ((!unit.threads && !axis) || !unit.tree) return null;
  const tree = unit.tree,
    marked = marksOf(tree.names.length, indexesOf(tree, [chosen.name, chosen.place]));
  const inside = new Uint8Array(tree.n);
  for (const i of outermost(tree, marked)) inside.fill(1, i, tree.end[i]);
  const names = axis ? axis.threads : unit.threads.names.map((name, k) => threadKey(unit, k)),
    sums = new Float64Array(names.length),
    squares = new Float64Array(names.length);
  let place = null;
  if (tree.was) {
    place = new Uint32Array(tree.n);
    tree.was.forEach((was, now) => (place[was] = now));
  }
  if (axis) {
    const [from, to] = rangeOfState(axis, '') || [axis.from, axis.to + 1];
    for (let i = firstTick(axis, from); i < firstTick(axis, to); i++)
      if (inside[axis.node[i]]) sums[axis.thread[i]]++;
  } else unit.threads.node.forEach((node, k) => {
    if (!inside[place ? place[node] : node]) return;
    sums[unit.threads.thread[k]] += unit.threads.count[k];
    squares[unit.threads.thread[k]] += (unit.threads.squares || unit.threads.count)[k];
  });
  if (axis) squares.set(sums);
  const whole = { all: sums.reduce((s, v) => s + v, 0), squares: squares.reduce((s, v) => s + v, 0) };
  const order = [...sums.keys()].filter(k => sums[k] > 0).sort((a, b) => sums[b] - sums[a]);
  if (!whole.all) return null;
  return el('p', { class: 'small' }, 'On ',
    order.slice(0, 6).map((k, i) => [
      i > 0 && ', ',
      el('button', { type: 'button', class: 'link',
        onclick: () => setState({ [axis ? 'track' : 'thread']: names[k] }) },
        axis ? names[k] : threadCalled(names[k])),
      ' ' + nearOf(unit, whole, sums[k], squares[k]) + (i === 0 ? ' of it' : ''),
    ]),
    order.length > 6 && ' and ' + (order.length - 6) + ' more threads', '.');
}
let painted = '';
function paintDetail(host) {
  const unit = workbench.unit,
    now = [seen.key, state.get('function'), state.get('at'), state.get('tab')].join('\n');
  if (now === painted) return;
  painted = now;
  const chosen = unit && chosenFunction();
  if (!chosen) {
    fill(host);
    return;
  }
  const row = chosen.rows[0];
  const here = [chosen.name, chosen.place];
  const has = key => jsonList(key).some(item => item[0] === here[0] && (item[1] || '') === here[1]);
  const add = key => () => setList(key, [...jsonList(key), here]);
  const known = data.edges && data.edges.files.find(f =>
    chosen.place && isSameFile(f.name, fileOf(chosen.place)));
  const line = chosen.place ? /:([0-9]+)$/.exec(chosen.place)[1] : '';
  const facts = [];
  if (row) {
    facts.push(
      unit.hasTotal
        ? ['self ' + ranged(row.self, row.selfLow, row.selfHigh),
          'with what it calls ' + ranged(row.total, row.totalLow, row.totalHigh)]
        : [ranged(row.self, row.selfLow, row.selfHigh) + ' of ' + unit.of,
          grouped(row.amount) + ' ' + unit.noun + (unit.isExact ? '' : ' estimated')]);
    if (unit.key === 'time' && row.calls !== null && row.calls !== undefined)
      facts.push(short(row.calls) + ' calls');
  } else facts.push('It is not among what is shown here.');
  if (chosen.rows.length > 1) facts.push('and ' + (chosen.rows.length - 1) + ' more of this name');
  const [callers, columns] = kinOfAll(chosen.name, chosen.place, true),
    [callees, others] = kinOfAll(chosen.name, chosen.place, false);
  fill(
    host,
    el('header', {},
      el('h2', { class: 'name' }, chosen.name),
      chosen.place && el('span', { class: 'place' }, chosen.place),
      el('span', { class: 'tools' },
        unit.tree && !has('focus') && button('only this', add('focus')),
        unit.tree && !has('hide') && button('hide this', add('hide')),
        workbench.has('sandwich') && state.get('tab') !== 'sandwich' &&
          button('sandwich', () => setState({ function: chosen.name, at: chosen.place,
            tab: 'sandwich' })),
        known && button('source', () => setState({ function: chosen.name, at: chosen.place,
          tab: 'edges', file: known.name, line })),
        workbench.has('text') && state.get('tab') !== 'text' && textOf(chosen.place) &&
          button('source', () => setState({ function: chosen.name, at: chosen.place,
            tab: 'text' })))),
    el('p', { class: 'facts-line' }, facts.flat().join('; ') + '.'),
    threadWords(unit, chosen),
    el('div', { class: 'pair' }, kinTable('Called by', callers, columns),
      kinTable('Calls', callees, others)),
  );
}

// ---- views of trees

function tipWords(unit, tree, whole) {
  return i => {
    const said = (count, squares) =>
      (unit.isBound ? 'at least ' : '') +
        ranged(count / whole.all, ...rangeOf(unit, whole, count, squares)) + ' of ' + unit.of +
        ', ' + grouped(count) + ' ' + unit.noun;
    return [
      i === 0 ? 'all' : tree.names[tree.name[i]],
      i > 0 && tree.places[tree.name[i]],
      said(tree.sum[i], squareSumOf(tree)(i)),
      i > 0 && tree.own[i] > 0 && tree.own[i] < tree.sum[i] && 'alone: ' +
        said(tree.own[i], tree.squares ? tree.squares[i] : 0),
    ];
  };
}
const readRange = () => {
  const range = (state.get('range') || '').split(' ').map(Number);
  return range.length === 2 && range[0] >= 0 && range[1] > range[0] && range[1] <= 1 ? range : null;
};
function treeTab(of, label, o) {
  return host => {
    let tree = null,
      made = null;
    const note = el('p', { class: 'soft small note' });
    const out = button('zoom out', () => setState({ zoom: '', range: '' }));
    const view = flameView({
      label,
      height: 520,
      isUp: false,
      onpick: i => setState({
        zoom: i ? linkOf(tree, i) : '',
        range: '',
        function: i ? tree.names[tree.name[i]] : '',
        at: i ? tree.places[tree.name[i]] : '',
      }),
      onrange: range =>
        setState({ range: range ? range.map(v => v.toPrecision(6)).join(' ') : '' }, true),
      words: i => tipWords(workbench.unit, tree, seen)(i),
    });
    host.append(view.element, el('div', { class: 'below' }, note, out));
    workbench.flame = view;
    return () => {
      if (!seen.tree) return;
      if (made !== seen.tree) {
        made = seen.tree;
        tree = of(seen.tree);
      }
      const [zoom, isThere] = follow(tree, state.get('zoom') || ''),
        range = readRange();
      view.show({ tree, all: seen.all, zoom, range, lit: litMarks(tree),
        chosen: chosenMarks(tree) });
      workbench.flame = view;
      note.textContent =
        (isThere ? '' : 'The stack of this link is not in this report as a whole. ') + o.about +
        ' Click or Enter zooms, Ctrl and the wheel zooms, dragging moves.';
      out.hidden = !zoom && !range;
    };
  };
}
// The tree of a unit that has none: of its callers and callees.
function sandwichTab(host) {
  const above = flameView({
    label: 'callers', height: 260, isUp: true,
      words: i => tipWords(workbench.unit, trees[0], seen)(i),
    rootName: () => 'callers', onpick: i => i && pickFrom(trees[0], i),
  });
  const below = flameView({
    label: 'callees', height: 260, isUp: false,
      words: i => tipWords(workbench.unit, trees[1], seen)(i),
    rootName: () => 'callees', onpick: i => i && pickFrom(trees[1], i),
  });
  const title = el('p', { class: 'middle' }),
    pictures = el('div', { class: 'sandwich' }, above.element, title, below.element),
    note = el('p', { class: 'soft small note' });
  let trees = [null, null],
    made = '',
    from = null;
  const pickFrom = (tree, i) => choose(tree.names[tree.name[i]], tree.places[tree.name[i]]);
  host.append(pictures, note);
  return () => {
    const chosen = chosenFunction();
    pictures.hidden = !seen.tree || !chosen;
    note.textContent = !chosen ? 'Choose a function.'
      : seen.tree ? 'Callers above, callees below; as wide as what they took while ' + chosen.name +
        ' ran. Click or Enter goes to another function.'
        : 'No stacks of ' + workbench.unit.label +
          ' are in this dump: callers and callees stand below.';
    if (pictures.hidden) return;
    const key = idOf(chosen.name, chosen.place);
    if (from !== seen.tree || made !== key) {
      from = seen.tree;
      made = key;
      const marked = marksOf(seen.tree.names.length,
        indexesOf(seen.tree, [chosen.name, chosen.place]));
      const least = outermost(seen.tree, marked).reduce((s, i) => s + seen.tree.sum[i], 0) / 2000;
      trees = [callersOf(seen.tree, marked, least), calleesOf(seen.tree, marked, least)];
    }
    fill(title, el('b', {}, chosen.name), ' ' + nearOf(workbench.unit, seen, trees[0].sum[0],
      squareSumOf(trees[0])(0)) +
      ' of ' + workbench.unit.of);
    const empty = 'It is not among what is shown here.';
    above.show({ tree: trees[0], all: seen.all, zoom: 0, range: null, lit: litMarks(trees[0]),
      chosen: null, empty });
    below.show({ tree: trees[1], all: seen.all, zoom: 0, range: null, lit: litMarks(trees[1]),
      chosen: null, empty });
  };
}

// ---- threads

function threadsTab(host) {
  const threads = data.sampled.threads,
    time = data.ticks && data.ticks.tables.find(table => table.key === 'thread_time');
  const timed = workbench.units.find(u => u.key === 'time');
  const ticksOf = new Float64Array(threads.length),
    squaresOf = new Float64Array(threads.length);
  if (timed && timed.threads)
    timed.threads.thread.forEach((thread, k) => {
      ticksOf[thread] += timed.threads.count[k];
      squaresOf[thread] += (timed.threads.squares || timed.threads.count)[k];
    });
  const sum = list => list.reduce((s, v) => s + v, 0),
    all = sum(ticksOf),
    whole = { all, squares: sum(squaresOf) },
    unit = timed && { lockstep: lockstepOf(timed, whole) };
  const order = threads.map((thread, k) => k).sort((a, b) =>
    ticksOf[b] - ticksOf[a] || threads[b].events - threads[a].events || a - b);
  const most = all ? rangeOf(unit, whole, ticksOf[order[0]], squaresOf[order[0]])[1]
    || ticksOf[order[0]] / all : 1;
  const canPick = timed && timed.threads;
  const nameOf = k => (canPick ? threadKey(timed, k) : threads[k].name || '(no name)');
  const table = virtualTable({
    label: 'threads',
    css: 'threads',
    height: 24,
    columns: [
      { key: 'thread', label: 'thread', css: 'wide',
        cell: i => el('span', { class: 'name' }, nameOf(order[i])) },
      ...(all ? [{ key: 'time', label: 'time', css: 'share', cell: i => {
        const part = ticksOf[order[i]] / all,
          [low, high] = rangeOf(unit, whole, ticksOf[order[i]], squaresOf[order[i]]);
        return shareCell(part, low, high, most);
      } }] : []),
      { key: 'events', label: 'events', css: 'number', cell: i => short(threads[order[i]].events) },
      { key: 'checks', label: 'checks', css: 'number desk',
        cell: i => short(threads[order[i]].checks) },
      { key: 'lost', label: 'lost', css: 'number desk', cell: i => short(threads[order[i]].lost) },
      { key: 'ended', label: 'ended', css: 'desk',
        cell: i => (threads[order[i]].ended ? 'yes' : 'no') },
    ],
    isOn: i => canPick && state.get('thread') === nameOf(order[i]),
    onpick: canPick && (i =>
      setState({ thread: state.get('thread') === nameOf(order[i]) ? '' : nameOf(order[i]) })),
  });
  host.append(
    el('p', { class: 'soft small' }, canPick
      ? 'Pick a thread: all views of time then show that thread alone.'
      : 'The dump has no stacks of single threads: they cannot be looked at one by one.'),
    table.element,
    time && time.remark ? el('p', { class: 'soft small' }, time.remark) : '',
  );
  table.element.style.height = Math.min(520, 24 * (threads.length + 2)) + 'px';
  return () => table.set(threads.length);
}

// ---- files to take away

function take(name, type, text) {
  const link = el('a', { href: URL.createObjectURL(new Blob([text], { type })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
// As `bursty report --csv`: no field begins a formula.
function csvOf(rows) {
  const cell = v =>
    v === null || v === undefined ? ''
      : typeof v === 'number' ? String(v)
        : '"' + (/^[=+\-@\t\r]/.test(v) ? "'" : '') + v.replace(/"/g, '""') + '"';
  const columns = ['name', 'place', 'self', 'selfLow', 'selfHigh', 'total', 'totalLow', 'totalHigh',
    'amount', 'calls'];
  return [columns.join(','), ...rows.map(row =>
    columns.map(c => cell(row[c])).join(','))].join('\n') + '\n';
}

// ---- all of it

async function openWorkbench() {
  const main = document.querySelector('main'),
    hosts = [...main.querySelectorAll(':scope > div[id]')];
  workbench.units = unitsOf(data);
  // What can be drawn at once is; a unit whose tree is large is opened when it is looked at.
  const tabs = workbench.tabs;
  const hasTrees = workbench.units.some(u => u.raw);
  if (hasTrees) {
    tabs.push({ key: 'flame', title: 'Flame', ofUnit: true,
      open: treeTab(tree => tree, 'stacks as a flame graph',
        { about: 'Callers above, callees below; as wide as what was counted. ' +
          'Grey is thinner than a pixel.' }) });
    tabs.push({ key: 'inverted', title: 'Inverted', ofUnit: true,
      open: treeTab(tree => invert(tree, tree.sum[0] / 4000),
        'functions by own cost, with their callers',
        { about: 'Who spends it, in the first row; below stand the callers. ' +
          'Grey are smaller ones together.' }) });
  }
  if (workbench.units.some(u => u.raw || (u.pairs && u.pairs.length)))
    tabs.push({ key: 'sandwich', title: 'Sandwich', ofUnit: true, open: sandwichTab });
  if (data.sampled && data.sampled.threads.length > 1)
    tabs.push({ key: 'threads', title: 'Threads', ofUnit: true, open: threadsTab });
  if (data.timeline && data.timeline.ticks.length && workbench.units.some(u => u.key === 'time'))
    tabs.push({ key: 'timeline', title: 'Timeline', ofUnit: true, open: timelineTab });
  for (const key of Object.keys(data)) {
    if (drawers[key])
      tabs.push({ key, title: drawers[key].title, open: host => {
        drawers[key].draw(data[key], host);
        return null;
      } });
  }
  if (data.texts && data.texts.length && !data.edges)
    tabs.push({ key: 'text', title: 'Source', ofUnit: true, open: textTab });
  if (data.changes && data.changes.trees.length)
    tabs.push({ key: 'difference', title: 'Difference', open: differenceTab });
  workbench.has = key => tabs.some(tab => tab.key === key);
  if (tabs.length + workbench.units.length === 0) return;
  const plain = el('div', { class: 'plain-tables' }, hosts);
  const facts = main.querySelector('.facts');
  const notes = facts ? [...facts.querySelectorAll('.bad')] : [];
  tabs.push({ key: 'tables', title: 'Tables', open: host => {
    fill(host, el('p', { class: 'soft small' },
      'All tables of the report, as they stand without scripts.'), facts, plain);
    // Who has no pointer scrolls a table that is wider than the screen by keys.
    const wide = () => {
      for (const e of plain.querySelectorAll('[data-table]'))
        e.tabIndex = e.scrollWidth > e.clientWidth ? 0 : -1;
    };
    for (const e of plain.querySelectorAll('[data-table]')) {
      e.setAttribute('role', 'region');
      e.setAttribute('aria-label', e.querySelector('h2').textContent);
    }
    new ResizeObserver(wide).observe(host);
    return null;
  } });

  // Stacks of a unit that has none are those of the first one that has.
  const isTree = tab => tab.key === 'flame' || tab.key === 'inverted';
  const openTab = tab => {
    const stacked = workbench.units.find(u => u.raw);
    const changes = { tab: tab.key, zoom: '', range: '' };
    if (tab.key === 'timeline') changes.unit = ''; // the first one is that of time
    if (isTree(tab) && !workbench.unit.raw)
      changes.unit = stacked === workbench.units[0] ? '' : stacked.key;
    setState(changes);
  };
  const tablist = el('div', { role: 'tablist', 'aria-label': 'views', class: 'views' });
  const panels = el('div', { class: 'panels' }),
    detail = el('section', { class: 'detail', 'aria-label': 'the chosen function' }),
    left = el('section', { class: 'left', 'aria-label': 'functions' });
  for (const tab of tabs) {
    tab.button = el('button', { type: 'button', role: 'tab', id: 'tab-' + tab.key,
      'aria-controls': 'panel-' + tab.key,
      onclick: () => openTab(tab) }, tab.title);
    tab.host = el('div', { role: 'tabpanel', id: 'panel-' + tab.key,
      'aria-labelledby': 'tab-' + tab.key, class: 'panel', hidden: true });
  }
  fill(tablist, tabs.map(tab => tab.button));
  fill(panels, tabs.map(tab => tab.host));
  tablist.addEventListener('keydown', event => {
    const at = tabs.findIndex(tab => tab.button === document.activeElement);
    const to = { ArrowRight: (at + 1) % tabs.length,
      ArrowLeft: (at + tabs.length - 1) % tabs.length,
      Home: 0, End: tabs.length - 1 }[event.key];
    if (to === undefined || at < 0) return;
    event.preventDefault();
    tabs[to].button.click();
    tabs[to].button.focus();
  });

  const units = el('span', { class: 'tabs', role: 'group', 'aria-label': 'measured in' });
  const chips = el('div', { class: 'chips', 'aria-live': 'polite' });
  const box = search('find a function or file', query => setState({ search: query }, true),
    state.get('search'));
  box.id = 'search';
  const copied = el('span', { class: 'soft small', role: 'status' });
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(location.href);
      copied.textContent = 'copied';
    } catch (error) {
      copied.textContent = 'the link is in the address bar';
    }
    setTimeout(() => (copied.textContent = ''), 2500);
  };
  const tools = el('div', { class: 'toolbar' },
    workbench.units.length > 0 && box,
    units,
    el('span', { class: 'spring' }),
    copied,
    button('copy link', copy),
    workbench.units.length > 0 && button('save CSV',
      () => take('functions.csv', 'text/csv', csvOf(seen.rows || []))));
  const columns = el('div', { class: workbench.units.length ? 'bench' : 'bench alone' },
    workbench.units.length > 0 && left,
    el('div', { class: 'right' }, tablist, panels, workbench.units.length > 0 && detail));
  const losses = main.querySelector('.losses');
  const bad = notes.length ? el('ul', { class: 'facts warnings' },
    notes.map(e => e.cloneNode(true))) : null;
  const said = data.notes.length > 0 && el('p', { class: 'soft small said' },
    data.notes.map(note => el('span', {}, el('b', {}, note.name), ' ' + note.value)));
  const whole = el('div', { id: 'workbench' }, tools, chips, bad, said, columns);
  if (facts) facts.replaceWith(whole);
  else main.append(whole);
  if (losses) whole.before(losses);
  plain.remove();
  document.body.classList.add('works');

  const updateTable = workbench.units.length ? functionTable(left) : () => {};
  let token = 0;
  async function update() {
    const mine = ++token;
    const wanted = workbench.units.find(u => u.key === state.get('unit')) || workbench.units[0];
    for (const unit of workbench.units) {
      if (!unit.raw || unit.tree || (unit !== wanted && unit.raw.packed)) continue;
      await openTree(unit);
      if (mine !== token) return;
    }
    look();
    const unit = workbench.unit;
    const isOpen = tab => (!isTree(tab) || Boolean(unit && unit.tree)) &&
      (tab.key !== 'timeline' || theAxis() !== null);
    const now = tabs.find(tab => tab.key === state.get('tab') && isOpen(tab)) || tabs.find(isOpen);
    for (const tab of tabs) {
      tab.button.setAttribute('aria-selected', String(tab === now));
      tab.button.tabIndex = tab === now ? 0 : -1;
      tab.host.hidden = tab !== now;
    }
    if (unit) {
      fill(units, workbench.units.length > 1 && workbench.units.map(u =>
        el('button', { type: 'button', 'aria-pressed': String(u === unit),
          onclick: () => setState({ unit: u === workbench.units[0] ? '' : u.key, zoom: '',
            range: '', sort: '' }) }, u.label)));
      fill(chips, filterWords());
      chips.hidden = !chips.firstChild;
      const isEmpty = seen.isFiltered && !seen.tree.sum[0];
      const lead = data.changes ? data.headline
        : sentence() || (isEmpty ? 'No tick came in what is chosen.' : data.headline);
      if (lead) fill(byId('lead'), lead);
      if (document.activeElement !== box) box.value = state.get('search') || '';
      updateTable();
    }
    if (!now.isDrawn) {
      now.isDrawn = true;
      try {
        now.update = now.open(now.host) || null;
      } catch (error) {
        fill(now.host, el('p', {}, 'This view failed: ' + error.message +
          '. The tab of tables has its numbers.'));
        reportError(error);
      }
    }
    if (now.update) now.update();
    columns.classList.toggle('wide', Boolean(!now.ofUnit));
    detail.hidden = !now.ofUnit;
    if (unit && now.ofUnit) paintDetail(detail);
    workbench.isReady = true;
  }
  if (workbench.units.length === 0) {
    chips.hidden = units.hidden = true;
    const lead = coverageSentence() || data.headline || streamsSentence();
    if (lead) fill(byId('lead'), lead);
  } else units.hidden = workbench.units.length < 2;
  onState(update);
  await update();
}

addEventListener('keydown', event => {
  const isTyping = /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName || '');
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  if (event.key === '/' && !isTyping && byId('search')) {
    event.preventDefault();
    byId('search').focus();
  } else if (event.key === 'Escape') {
    hideTip();
    if (isTyping && event.target.value) {
      event.target.value = '';
      setState({ [event.target.dataset.key || 'search']: '' });
    } else setState({ function: '', at: '', zoom: '', range: '' });
  }
});
addEventListener('DOMContentLoaded', () => {
  openWorkbench().catch(reportError);
});
