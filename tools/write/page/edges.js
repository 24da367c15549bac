// edges.js - coverage: files as a list with bars, and the source of the picked file with counts and branches.
function drawCoverage(coverage, host) {
  const rate = (list, hit) => list.length ? list.filter(hit).length / list.length : null;
  const rows = coverage.files.map(file => ({
    file, lines: rate(file.lines, l => l[1] > 0), branches: rate(file.branches, b => b[2] > 0),
    calls: file.functions.filter(f => f.entries > 0).length,
  })).sort((a, b) => (a.lines ?? 2) - (b.lines ?? 2) || (a.file.name < b.file.name ? -1 : 1));
  const shown = part => part === null ? '–' : percent(part);
  const colour = part => part === null || part >= .9 ? 'var(--c3)' : part >= .6 ? 'var(--c4)' : 'var(--c1)';
  const about = coverage.marks ? '1 means at least once.'
    : coverage.wrapping_bits ? 'Counts are exact modulo 2^' + coverage.wrapping_bits + '.' : 'Counts are exact.';
  const thin = { padding: '0 6px', border: 'none' };
  const source = el('div'), title = el('h2'), summary = el('p');

  function sourceLine(number, text, count, ways) {
    const taken = ways.filter(c => c > 0).length, state = count === undefined ? '' : count === 0 ? 'missed' : taken < ways.length ? 'partly' : 'hit';
    const back = { missed: 'rgba(220,60,60,.16)', partly: 'rgba(230,170,30,.18)', hit: 'rgba(60,170,90,.10)' }[state];
    const tip = ways.length ? ways.map((c, i) => 'way ' + i + ': ' + (count ? grouped(c) : 'not reached')) : [];
    return el('tr', { class: state, style: { background: back || 'none' },
      ...(tip.length ? tipping(() => [number + ': ' + taken + ' of ' + ways.length + ' ways taken', ...tip]) : {}) },
    el('td', { class: 'number soft', style: thin }, number),
    el('td', { class: 'number', style: thin }, count === undefined ? '' : grouped(count)),
    el('td', { class: 'number', style: thin }, ways.length ? taken + '/' + ways.length : ''),
    el('td', { style: thin }, el('code', { style: { whiteSpace: 'pre', fontSize: '12px' } }, text)));
  }
  function pick(row) {
    const counts = new Map(row.file.lines), ways = new Map();
    for (const [line, , count] of row.file.branches) ways.set(line, [...(ways.get(line) || []), count]);
    const numbers = row.file.source.length ? row.file.source.map((_, i) => i + 1) : row.file.lines.map(l => l[0]);
    title.textContent = row.file.name;
    fill(summary, shown(row.lines) + ' of lines, ' + shown(row.branches) + ' of branches' +
      (row.file.source.length ? '' : '; the source was not found where the report was made'));
    fill(source, el('table', { class: 'coverage' },
      el('thead', {}, el('tr', {}, ['line', 'count', 'ways'].map(label => el('th', { class: 'number' }, label)), el('th', {}, 'source'))),
      el('tbody', {}, numbers.map(n => sourceLine(n, row.file.source[n - 1] || '', counts.get(n), ways.get(n) || [])))));
  }
  const list = el('table', {},
    el('thead', {}, el('tr', {}, el('th', {}, 'file'), el('th', { class: 'share' }, 'lines'), el('th', { class: 'share' }, 'branches'),
      el('th', { class: 'number desk' }, 'functions called'))),
    el('tbody', {}, rows.map(row => el('tr', { class: 'pick', ...onPick(() => { pick(row); source.scrollIntoView({ block: 'nearest' }); }) },
      el('td', {}, el('div', { class: 'name' }, row.file.name)),
      el('td', { class: 'share' }, shown(row.lines), bar(row.lines ?? 0, colour(row.lines))),
      el('td', { class: 'share' }, shown(row.branches), bar(row.branches ?? 0, colour(row.branches))),
      el('td', { class: 'number desk' }, row.calls + ' of ' + row.file.functions.length)))));
  fill(host, card('Coverage', 'Lines and branches that ran, the least covered file first. Pick a file. ' + about, null, list),
    rows.length ? el('section', { class: 'card' }, el('header', {}, title, summary), source) : null);
  if (rows.length) pick(rows[0]);
}
section('edges', drawCoverage);
