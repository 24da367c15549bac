// texts.js - the source text of the chosen function where there is no coverage: what the function
// and its loops cost stands at their lines, and with `bursty record --lines` what each line costs.

// The text that has the line of that place in it; the shortest one if several have. Or null.
function textOf(place) {
  const line = Number((/:([0-9]+)$/.exec(place || '') || [])[1]),
    file = fileOf(place || '');
  const holds = text => text.file === file && text.line <= line &&
    line < text.line + text.lines.length;
  return (data.texts || []).filter(holds)
    .reduce((best, text) => (best && best.lines.length <= text.lines.length ? best : text), null);
}

// What stands at each line of a file, in each unit: the workbench knows it by place. A Map of lists
// of { part, words }.
function costsAtLines(isFile) {
  const costs = new Map();
  for (const unit of workbench.units) {
    for (const row of unit.rows || []) {
      if (!row.place || !isFile(fileOf(row.place))) continue;
      const line = Number(/:([0-9]+)$/.exec(row.place)[1]);
      const part = row.total === null ? row.self : row.total;
      if (part === null) continue;
      const low = row.total === null ? row.selfLow : row.totalLow,
        high = row.total === null ? row.selfHigh : row.totalHigh;
      if (!costs.has(line)) costs.set(line, []);
      const words = near(part, low, high);
      costs.get(line).push({ part: words, words: words + ' of ' + unit.of + ', ' + row.name });
    }
  }
  return costs;
}

// What each line of a file costs itself, as `bursty record --lines` has it, of all functions that
// have code there. A Map of { share, low, high, words }; the bounds say how many digits to show.
// Those of a sum are the sums of the bounds: never too narrow, for rows of one profile that has a
// fixed number of ticks do not rise together.
function ownCostsAtLines(isFile) {
  const costs = new Map(),
    table = data.lines && data.lines.tables.find(t => t.key === 'lines');
  if (!table) return costs;
  table.file.forEach((file, k) => {
    const line = table.line[k];
    if (!line || !isFile(file)) return;
    const words = ranged(table.share[k], table.share_low[k], table.share_high[k]) +
      ' of the time, ' + table.function[k] +
      (table.inlined_into[k] ? ' in ' + table.inlined_into[k] : '');
    const cost = costs.get(line) || { share: 0, low: 0, high: 0, words: [] };
    cost.share += table.share[k];
    cost.low += table.share_low[k];
    cost.high = Math.min(1, cost.high + table.share_high[k]);
    cost.words.push(words);
    costs.set(line, cost);
  });
  for (const cost of costs.values())
    cost.words = (cost.words.length > 1
      ? 'together ' + ranged(cost.share, cost.low, cost.high) + ': ' : '') + cost.words.join('; ');
  return costs;
}

function textTab(host) {
  const title = el('h2', { class: 'file' }),
    note = el('p', { class: 'soft small' }),
    where = el('div', { class: 'source-table' });
  let shown = null,
    place = '';
  host.append(el('header', { class: 'file-head' }, title, note), where);
  return () => {
    const chosen = chosenFunction(),
      text = chosen && textOf(chosen.place);
    title.textContent = chosen ? chosen.place || chosen.name : '';
    note.textContent = !chosen ? 'Choose a function.'
      : text ? 'Costs stand where a function or a loop begins, with what it calls' +
          (data.lines ? '; own is what each line costs itself.' : '.')
        : chosen.place ? 'Its source was not found when the page was made, or it is not among the hottest functions. ' +
          'bursty report --source-root FOLDER names the folder of sources.'
          : 'The dump does not know where it stands.';
    where.hidden = !text;
    if (!text || (shown === text && place === chosen.place)) return;
    shown = text;
    place = chosen.place;
    const costs = costsAtLines(file => file === text.file),
      own = ownCostsAtLines(file => file === text.file),
      longest = text.lines.reduce((most, line) => Math.max(most, line.length), 40),
      head = Number(/:([0-9]+)$/.exec(place)[1]);
    const table = virtualTable({
      label: 'source of ' + chosen.name,
      css: 'source',
      height: 18,
      least: Math.min(400, longest + 20) + 'ch',
      columns: [
        { key: 'line', label: 'line', css: 'lineno number', cell: i => text.line + i },
        { key: 'cost', label: 'cost', css: 'cost number', cell: i =>
          (costs.get(text.line + i) || []).slice(0, 1).map(cost =>
            el('span', { title: costs.get(text.line + i).map(c => c.words).join('; ') }, cost.part)) },
        ...(own.size
          ? [{ key: 'own', label: 'own', css: 'cost number', cell: i => {
            const cost = own.get(text.line + i);
            if (!cost) return '';
            return el('span', { title: cost.words }, near(cost.share, cost.low, cost.high));
          } }]
          : []),
        { key: 'source', label: 'source', css: 'text', cell: i => el('code', {}, text.lines[i]) },
      ],
      isOn: i => text.line + i === head,
    });
    fill(where, table.element);
    table.set(text.lines.length);
    table.show(head - text.line);
  };
}
