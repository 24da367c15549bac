// changes.js - what changed between two runs or two sets of them (`report --base`): a table for
// each measure, changes that are sure first; slower is red, faster blue, and what the data cannot
// tell is neither.
function drawChanges(changes, host) {
  const FASTER = /^(faster|fewer|gone|less)/,
    SLOWER = /^(slower|more|appeared)/;
  const signed = v =>
    v === null ? 'unknown' : (v > 0 ? '+' : v < 0 ? '−' : '') + Number(Math.abs(v).toPrecision(3));
  for (const table of changes.tables) {
    const name = table.function || table.stack || table.context || null;
    if (!table.change || table.change.length === 0) continue;
    const unit = (table.unit && table.unit[0]) || '';
    const place = k => (table.place && table.place[k]) || '';
    const wide = largest(table.change.map((v, k) =>
      Math.max(Math.abs(v || 0), Math.abs(table.change_low[k] || 0),
        Math.abs(table.change_high[k] || 0))), 1e-9);
    const at = v => 50 + (50 * v) / wide + '%';
    const colour = k => FASTER.test(table.verdict[k]) ? 'var(--faster)'
      : SLOWER.test(table.verdict[k]) ? 'var(--slower)' : 'var(--soft)';
    const change = k => [
      el('span', {}, signed(table.change[k])),
      el('i', { class: 'zero', style: { left: '50%' } }),
      table.change_low[k] !== null && el('i', { class: 'unsure', style: {
        left: at(table.change_low[k]),
        width: (50 * (table.change_high[k] - table.change_low[k])) / wide + '%',
        background: colour(k) } }),
      el('i', { class: 'here', style: { left: at(table.change[k]) } }),
    ];
    const range = k => table.change_low[k] === null ? 'unknown'
      : signed(table.change_low[k]) + ' to ' + signed(table.change_high[k]);
    const view = virtualTable({
      label: table.title,
      css: 'changes',
      height: 26,
      columns: [
        { key: 'verdict', label: 'verdict', css: 'verdict', cell: k =>
          el('b', { style: { color: colour(k) } }, table.verdict[k]) },
        { key: 'change', label: 'change', css: 'share', cell: change },
        { key: 'range', label: '95 % interval', css: 'number desk range-words', cell: range },
        { key: 'percent', label: 'change %', css: 'number percent', cell: k =>
          table.change_percent && table.change_percent[k] !== null
            ? signed(table.change_percent[k]) : '' },
        ...(name ? [{ key: 'name', label: 'function', css: 'wide', cell: k => [
          el('span', { class: 'name', title: name[k] }, name[k]),
          el('span', { class: 'place', title: place(k) }, shortPlace(place(k)))] }] : []),
      ],
      isOn: k => Boolean(table.function) && state.get('function') === table.function[k] &&
        (state.get('at') || '') ===
          placed(table.file ? table.file[k] : '', table.line ? table.line[k] : 0),
      onpick: table.function && (k =>
        choose(table.function[k],
          placed(table.file ? table.file[k] : '', table.line ? table.line[k] : 0))),
    });
    host.append(card(table.title, (table.remark || (unit ? 'In ' + unit + '.' : '')) +
      (table.left_out ? ' ' + grouped(table.left_out) + ' rows are left out.' : ''),
      null, view.element));
    view.element.style.height = Math.min(14, table.change.length + 1) * 26 + 10 + 'px';
    view.set(table.change.length);
    onState(() => view.draw());
  }
  if (!host.firstChild) host.append(el('p', { class: 'soft' }, 'Nothing changed surely.'));
}
section('changes', drawChanges, 'Changes');
