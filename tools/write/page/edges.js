// edges.js - coverage: files as a list with bars, and the source of the picked file with counts
// and branches.

// The lines of a source as rows of a table. A long one has rows only where it is looked at, between
// two empty ones that are as high as all others together.
function longTable(head, rows, rowAt) {
  const WHOLE = 3000,
    AROUND = 60;
  const body = el('tbody'),
    table = el('table', { class: 'coverage' }, head, body),
    look = rows > WHOLE ? { class: 'source long', tabindex: 0 } : { class: 'source' },
    box = el('div', look, table);
  const list = (from, to) => Array.from({ length: to - from }, (_, i) => rowAt(from + i));
  if (rows <= WHOLE) {
    fill(body, list(0, rows));
    return box;
  }
  const gap = height => el('tr', { 'aria-hidden': 'true', style: { height: height + 'px' } });
  let height = 18,
    shown = -1;
  function draw(all) {
    const first = all ? 0 : Math.max(0, Math.floor(box.scrollTop / height) - AROUND);
    const count = 2 * AROUND + Math.ceil(box.clientHeight / height);
    const last = all ? rows : Math.min(rows, first + count);
    if (!all && Math.abs(first - shown) < AROUND / 2 && shown >= 0) return;
    shown = first;
    fill(body, gap(first * height), list(first, last), gap((rows - last) * height));
    const measured = body.children[1] ? body.children[1].getBoundingClientRect().height : 0;
    if (measured === 0 || Math.abs(measured - height) < 0.01) return;
    height = measured;
    body.firstChild.style.height = first * height + 'px';
    body.lastChild.style.height = (rows - last) * height + 'px';
  }
  box.addEventListener('scroll', () => draw(false));
  new ResizeObserver(() => {
    shown = -1;
    draw(false);
  }).observe(box);
  addEventListener('beforeprint', () => draw(true));
  addEventListener('afterprint', () => {
    shown = -1;
    draw(false);
  });
  draw(false);
  return box;
}

function drawCoverage(coverage, host) {
  const rate = (list, hit) => (list.length ? list.filter(hit).length / list.length : null);
  const shown = part => (part === null ? '–' : percent(part));
  const others = tablesOf(host, ['files']);
  const rows = coverage.files.map(file => ({
    file,
    lines: rate(file.lines, line => line[1] > 0),
    branches: rate(file.branches, branch => branch[2] > 0),
    called: file.functions.filter(f => f.entries > 0).length,
  }));
  rows.sort((a, b) => (a.lines ?? 2) - (b.lines ?? 2) || (a.file.name < b.file.name ? -1 : 1));
  const source = el('div');
  const title = el('h2', { class: 'file', style: { overflowWrap: 'anywhere' } }),
    summary = el('p');
  let about = 'Counts are exact.';
  if (coverage.wrapping_bits) about = 'Counts are exact modulo 2^' + coverage.wrapping_bits + '.';
  if (coverage.marks) about = '1 means at least once.';

  function colour(part) {
    if (part === null || part >= 0.9) return 'var(--hit)';
    return part >= 0.6 ? 'var(--partly)' : 'var(--missed)';
  }
  function stateOf(count, taken, ways) {
    if (count === undefined) return '';
    if (count === 0) return 'missed';
    return taken < ways ? 'partly' : 'hit';
  }
  function sourceLine(number, text, count, ways) {
    const taken = ways.filter(c => c > 0).length,
      state = stateOf(count, taken, ways.length);
    const tip = () => [
      number + ': ' + taken + ' of ' + ways.length + ' ways taken',
      ...ways.map((c, i) => 'way ' + i + ': ' + (count ? grouped(c) : 'not reached')),
    ];
    return el(
      'tr',
      { class: state, ...(ways.length ? tipping(tip) : {}) },
      el('td', { class: 'number soft' }, number),
      el('td', { class: 'number' }, count === undefined ? '' : grouped(count)),
      el('td', { class: 'number' }, ways.length ? taken + '/' + ways.length : ''),
      el('td', {}, el('code', {}, text)),
    );
  }
  function pick(row) {
    const file = row.file,
      counts = new Map(file.lines),
      ways = new Map();
    for (const [line, , count] of file.branches) {
      if (!ways.has(line)) ways.set(line, []);
      ways.get(line).push(count);
    }
    const known = file.source.length > 0;
    title.textContent = file.name;
    fill(
      summary,
      shown(row.lines) + ' of lines, ' + shown(row.branches) + ' of branches' +
        (file.source_fault ? '; no text: the source ' + file.source_fault : ''),
    );
    // What stands above the first function, such as a licence, waits behind a button.
    const numbers = [...file.lines.map(line => line[0]), ...file.functions.map(f => f.line)];
    const first = smallest(numbers, Infinity);
    const skipped = known && first > 8 && first <= file.source.length ? first - 3 : 0;
    const head = el(
      'thead',
      {},
      el(
        'tr',
        {},
        ['line', 'count', 'ways'].map(label => el('th', { class: 'number' }, label)),
        el('th', {}, 'source'),
      ),
    );
    function show(from) {
      const count = (known ? file.source.length : file.lines.length) - from;
      const rowAt = i => {
        const n = known ? from + i + 1 : file.lines[i][0];
        return sourceLine(n, file.source[n - 1] || '', counts.get(n), ways.get(n) || []);
      };
      fill(
        source,
        from > 0 && el('p', { class: 'above' }, button('lines 1 to ' + from, () => show(0))),
        longTable(head, count, rowAt),
      );
    }
    show(skipped);
  }
  function listed(row, k) {
    const look = onPick(() => {
      pick(row);
      source.scrollIntoView({ block: 'nearest' });
    });
    const share = part => el('td', { class: 'share' }, shown(part), bar(part ?? 0, colour(part)));
    return el(
      'tr',
      { class: 'pick', 'data-id': k, ...look },
      el('td', {}, el('div', { class: 'name' }, row.file.name)),
      share(row.lines),
      share(row.branches),
      el('td', { class: 'number desk' }, row.called + ' of ' + row.file.functions.length),
    );
  }
  // All files together.
  function total() {
    const sum = part => rows.reduce((s, row) => s + part(row.file), 0);
    const of = (some, all) => (all ? some / all : null);
    const lines = of(sum(f => f.lines.filter(l => l[1] > 0).length), sum(f => f.lines.length));
    const ways = of(
      sum(f => f.branches.filter(b => b[2] > 0).length),
      sum(f => f.branches.length),
    );
    return el(
      'tr',
      { class: 'sum' },
      el('td', {}, 'all ' + grouped(rows.length) + ' files'),
      el('td', { class: 'share' }, shown(lines), bar(lines ?? 0, colour(lines))),
      el('td', { class: 'share' }, shown(ways), bar(ways ?? 0, colour(ways))),
      el(
        'td',
        { class: 'number desk' },
        grouped(rows.reduce((s, row) => s + row.called, 0)) + ' of ' +
          grouped(sum(f => f.functions.length)),
      ),
    );
  }
  const body = el('tbody');
  roving(body, 'tr.pick')(() => fill(body, rows.length > 1 && total(), rows.map(listed)));
  const list = el(
    'table',
    {},
    el(
      'thead',
      {},
      el(
        'tr',
        {},
        el('th', {}, 'file'),
        el('th', { class: 'share' }, 'lines'),
        el('th', { class: 'share' }, 'branches'),
        el('th', { class: 'number desk' }, 'functions called'),
      ),
    ),
    body,
  );
  const words = 'Lines and branches that ran, the least covered file first. Pick a file. ' + about;
  const file = el('section', { class: 'card' }, el('header', {}, title, summary), source);
  fill(host, card('Coverage', words, null, list), rows.length ? file : null, others);
  if (rows.length) pick(rows[0]);
}
section('edges', drawCoverage);
