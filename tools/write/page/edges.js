// edges.js - coverage: files as a list with bars, and the source of the picked file with counts
// and branches.
function drawCoverage(coverage, host) {
  const rate = (list, hit) => list.length ? list.filter(hit).length / list.length : null;
  const shown = part => part === null ? '–' : percent(part);
  const thin = { padding: '0 6px', border: 'none' };
  const backs = {
    missed: 'rgba(220,60,60,.16)', partly: 'rgba(230,170,30,.18)', hit: 'rgba(60,170,90,.10)',
  };
  const rows = coverage.files.map(file => ({
    file,
    lines: rate(file.lines, line => line[1] > 0),
    branches: rate(file.branches, branch => branch[2] > 0),
    called: file.functions.filter(f => f.entries > 0).length,
  }));
  rows.sort((a, b) => (a.lines ?? 2) - (b.lines ?? 2) || (a.file.name < b.file.name ? -1 : 1));
  const source = el('div', { style: { overflowX: 'auto' } });
  const title = el('h2', { class: 'file', style: { overflowWrap: 'anywhere' } }), summary = el('p');
  let about = 'Counts are exact.';
  if (coverage.wrapping_bits) about = 'Counts are exact modulo 2^' + coverage.wrapping_bits + '.';
  if (coverage.marks) about = '1 means at least once.';

  function colour(part) {
    if (part === null || part >= .9) return 'var(--c3)';
    return part >= .6 ? 'var(--c4)' : 'var(--c1)';
  }
  function stateOf(count, taken, ways) {
    if (count === undefined) return '';
    if (count === 0) return 'missed';
    return taken < ways ? 'partly' : 'hit';
  }
  function sourceLine(number, text, count, ways) {
    const taken = ways.filter(c => c > 0).length, state = stateOf(count, taken, ways.length);
    const tip = ways.map((c, i) => 'way ' + i + ': ' + (count ? grouped(c) : 'not reached'));
    tip.unshift(number + ': ' + taken + ' of ' + ways.length + ' ways taken');
    const code = el('code', { style: { whiteSpace: 'pre', fontSize: '12px' } }, text);
    return el('tr', {
      class: state,
      style: { background: backs[state] || 'none' },
      ...(ways.length ? tipping(() => tip) : {}),
    },
    el('td', { class: 'number soft', style: thin }, number),
    el('td', { class: 'number', style: thin }, count === undefined ? '' : grouped(count)),
    el('td', { class: 'number', style: thin }, ways.length ? taken + '/' + ways.length : ''),
    el('td', { style: thin }, code));
  }
  function pick(row) {
    const file = row.file, counts = new Map(file.lines), ways = new Map();
    for (const [line, , count] of file.branches)
      ways.set(line, [...(ways.get(line) || []), count]);
    const known = file.source.length > 0;
    const numbers = known ? file.source.map((_, i) => i + 1) : file.lines.map(line => line[0]);
    title.textContent = file.name;
    fill(summary, shown(row.lines) + ' of lines, ' + shown(row.branches) + ' of branches' +
      (file.source_fault ? '; no text: the source ' + file.source_fault : ''));
    // What stands above the first function, such as a licence, waits behind a button.
    const first = Math.min(...file.lines.map(line => line[0]), ...file.functions.map(f => f.line));
    const skipped = known && first > 8 && first <= file.source.length ? first - 3 : 0;
    const rowOf = n => sourceLine(n, file.source[n - 1] || '', counts.get(n), ways.get(n) || []);
    const above = el('tr', {}, el('td', { colspan: 4, style: thin },
      button('lines 1 to ' + skipped,
        () => above.replaceWith(...numbers.slice(0, skipped).map(rowOf)))));
    const heads = ['line', 'count', 'ways'].map(label => el('th', { class: 'number' }, label));
    fill(source, el('table', { class: 'coverage' },
      el('thead', {}, el('tr', {}, heads, el('th', {}, 'source'))),
      el('tbody', {}, skipped ? above : null, numbers.slice(skipped).map(rowOf))));
  }
  function listed(row) {
    const look = onPick(() => {
      pick(row);
      source.scrollIntoView({ block: 'nearest' });
    });
    const share = part => el('td', { class: 'share' }, shown(part), bar(part ?? 0, colour(part)));
    return el('tr', { class: 'pick', ...look },
      el('td', {}, el('div', { class: 'name' }, row.file.name)),
      share(row.lines),
      share(row.branches),
      el('td', { class: 'number desk' }, row.called + ' of ' + row.file.functions.length));
  }
  const list = el('table', {},
    el('thead', {}, el('tr', {},
      el('th', {}, 'file'),
      el('th', { class: 'share' }, 'lines'),
      el('th', { class: 'share' }, 'branches'),
      el('th', { class: 'number desk' }, 'functions called'))),
    el('tbody', {}, rows.map(listed)));
  const words = 'Lines and branches that ran, the least covered file first. Pick a file. ' + about;
  const file = el('section', { class: 'card' }, el('header', {}, title, summary), source);
  fill(host, card('Coverage', words, null, list), rows.length ? file : null);
  if (rows.length) pick(rows[0]);
}
section('edges', drawCoverage);
