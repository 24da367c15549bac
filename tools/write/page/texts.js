// texts.js - the source text of the chosen function where there is no coverage: what the function
// and its loops cost stands at their lines.

// The text that has the line of that place in it; the shortest one if several have. Or null.
function textOf(place) {
  const line = Number((/:([0-9]+)$/.exec(place || '') || [])[1]),
    file = fileOf(place || '');
  const holds = text => text.file === file && text.line <= line && line < text.line + text.lines.length;
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
      : text ? 'Costs stand where a function or a loop begins, with what it calls.'
        : chosen.place ? 'Its source was not found when the page was made, or it is not among the hottest functions. ' +
          'bursty report --source-root FOLDER names the folder of sources.'
          : 'The dump does not know where it stands.';
    where.hidden = !text;
    if (!text || (shown === text && place === chosen.place)) return;
    shown = text;
    place = chosen.place;
    const costs = costsAtLines(file => file === text.file),
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
        { key: 'source', label: 'source', css: 'text', cell: i => el('code', {}, text.lines[i]) },
      ],
      isOn: i => text.line + i === head,
    });
    fill(where, table.element);
    table.set(text.lines.length);
    table.show(head - text.line);
  };
}
