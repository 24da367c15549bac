// source.js - the files of a coverage dump in their folders: how much of each ran, and the text of
// the picked one with what each line cost, how often it ran, how many ways were taken, and MC/DC at
// the line of each decision. Which file and line, which folders and what is looked for is in the
// address.

function drawSource(coverage, host) {
  const NONE = '–';
  const rate = (hit, all) => (all ? hit / all : null);
  const shown = part => (part === null ? NONE : percent(part));
  const decisions = (data.decisions && data.decisions.decisions) || [];
  const decisionsIn = new Map();
  for (const d of decisions) {
    if (!decisionsIn.has(d.file)) decisionsIn.set(d.file, []);
    decisionsIn.get(d.file).push(d);
  }
  // With --failing: of each file its lines that failing tests ran, by how they tell them from others.
  const failing = coverage.failing;
  const suspectsIn = new Map();
  for (const [file, line, last, failed, passed, ochiai, , sure] of (failing && failing.rows) || []) {
    if (!suspectsIn.has(file)) suspectsIn.set(file, []);
    suspectsIn.get(file).push({ line, last, failed, passed, ochiai, sure });
  }
  const mostSuspect = row =>
    (suspectsIn.get(row.index) || []).reduce((most, s) => Math.max(most, s.ochiai), 0);
  const outcomes = list => {
    let all = 0,
      seen = 0;
    for (const d of list) {
      for (const c of d.conditions) {
        all += 2;
        seen += (c.shown_true ? 1 : 0) + (c.shown_false ? 1 : 0);
      }
    }
    return [seen, all];
  };
  const files = coverage.files.map((file, index) => {
    let ran = 0,
      taken = 0,
      called = 0;
    for (const line of file.lines) if (line[1] > 0) ran++;
    for (const branch of file.branches) if (branch[2] > 0) taken++;
    for (const f of file.functions) if (f.entries > 0) called++;
    const [seen, wanted] = outcomes(decisionsIn.get(file.name) || []);
    return {
      file, index, name: file.name, ran, taken, called, seen, wanted,
      ofLines: file.lines.length,
      ofBranches: file.branches.length,
      ofFunctions: file.functions.length,
      suspicion: 0,
    };
  });
  for (const f of files) f.suspicion = mostSuspect(f);
  const PARTS = ['ran', 'ofLines', 'taken', 'ofBranches', 'seen', 'wanted', 'called',
    'ofFunctions'];
  const hasMcdc = files.some(f => f.wanted > 0);
  let about = 'Counts are exact.';
  if (coverage.wrapping_bits) about = 'Counts are exact modulo 2^' + coverage.wrapping_bits + '.';
  if (coverage.marks) about = '1 means at least once.';

  // ---- the files

  const meter = part =>
    el(
      'div',
      { class: 'meter' },
      el('span', {}, shown(part)),
      el('i', { style: { width: 100 * (part ?? 0) + '%', background: colourOf(part) } }),
    );
  function colourOf(part) {
    if (part === null || part >= 0.9) return 'var(--hit)';
    return part >= 0.6 ? 'var(--partly)' : 'var(--missed)';
  }
  let open = null,
    rows = [],
    shownFor = '';
  const all = foldersOf(files, PARTS);
  const listed = el('p', { class: 'soft small', 'aria-live': 'polite' });
  const box = search('find a file or function', query => setState({ files: query }, true),
    state.get('files'));
  box.dataset.key = 'files';
  if (!workbench.units.length) box.id = 'search';
  // Folders are open if there are few files; those of the address are the other way.
  const isOpenAtFirst = files.length <= 40;
  const isOpen = item =>
    Boolean(state.get('files')) || jsonList('folders').flat().includes(item.path) !== isOpenAtFirst;
  const turn = item => {
    if (state.get('files')) return;
    const without = jsonList('folders').filter(([path]) => path !== item.path);
    const had = without.length < jsonList('folders').length;
    setList('folders', had ? without : [...without, [item.path]]);
  };
  const rates = {
    file: () => 0,
    lines: item => rate(item.ran, item.ofLines) ?? 2,
    branches: item => rate(item.taken, item.ofBranches) ?? 2,
    mcdc: item => rate(item.seen, item.wanted) ?? 2,
    functions: item => rate(item.called, item.ofFunctions) ?? 2,
  };
  const order = () => {
    const [key, way] = (state.get('by') || '').split(' '),
      of = rates[key];
    if (!of) return (a, b) => b.suspicion - a.suspicion || rates.lines(a) - rates.lines(b);
    if (key === 'file') return (a, b) => (way ? (a.label < b.label ? 1 : -1) : 0);
    return (a, b) => (way ? of(b) - of(a) : of(a) - of(b));
  };
  const meters = (hit, of) => meter(rate(hit, of));
  const list = virtualTable({
    label: 'files',
    css: 'files',
    height: 26,
    columns: [
      { key: 'file', label: 'file', css: 'wide', sorts: true, cell: i => el('span', { class: 'name',
        title: rows[i].path, style: { paddingLeft: 16 * rows[i].depth + 'px' } },
      !rows[i].file && el('span', { class: 'fold', 'aria-hidden': 'true' }, isOpen(rows[i]) ? '▾' : '▸'),
      rows[i].label,
      !rows[i].file && el('span', { class: 'soft' }, ' ' + grouped(rows[i].count))) },
      { key: 'lines', label: 'lines', css: 'meters', sorts: true,
        cell: i => meters(rows[i].ran, rows[i].ofLines) },
      { key: 'branches', label: 'branches', css: 'meters', sorts: true,
        cell: i => meters(rows[i].taken, rows[i].ofBranches) },
      ...(hasMcdc
        ? [{ key: 'mcdc', label: 'MC/DC', css: 'meters', sorts: true,
          cell: i => meters(rows[i].seen, rows[i].wanted) }]
        : []),
      { key: 'functions', label: 'functions ran', css: 'number desk', sorts: true,
        cell: i => rows[i].called + ' of ' + rows[i].ofFunctions },
    ],
    isOn: i => Boolean(open && rows[i].file === open),
    foldOf: i => (rows[i].file ? null : isOpen(rows[i])),
    onfold: i => turn(rows[i]),
    onpick: i => (rows[i].file ? setState({ file: rows[i].file.name, line: lineFound(rows[i].file) })
      : turn(rows[i])),
    onsort: key => {
      const [before, way] = (state.get('by') || '').split(' ');
      setState({ by: before === key && !way ? key + ' down' : key });
    },
  });
  // Where the first function begins whose name is looked for, if the file's is not.
  function lineFound(row) {
    const query = state.get('files'),
      matches = matcher(query);
    if (!query || matches(row.name)) return '';
    const found = row.file.functions.find(f => f.line && matches(f.name));
    return found ? String(found.line) : '';
  }
  function listFiles() {
    const query = state.get('files') || '',
      now = JSON.stringify([query, state.get('folders'), state.get('by')]);
    if (document.activeElement !== box) box.value = query;
    if (now === shownFor) return;
    shownFor = now;
    const matches = matcher(query);
    const some = query ? files.filter(f =>
      matches(f.name) || f.file.functions.some(g => matches(g.name))) : files;
    const tree = query ? foldersOf(some, PARTS) : all;
    rows = folderRows(tree.root, order(), isOpen);
    const [key, way] = (state.get('by') || 'lines').split(' ');
    list.head({ sort: key, up: !way });
    list.set(rows.length);
    list.element.style.height = Math.max(3, Math.min(15, rows.length + 1)) * 26 + 8 + 'px';
    const r = tree.root;
    const many = (query ? grouped(some.length) + ' of ' : '') + grouped(files.length) +
      (files.length === 1 ? ' file' : ' files') + (query ? ' with “' + query + '”' : '');
    if (!some.length)
      listed.textContent = 'No file has “' + query + '” in its name or its functions.';
    else listed.textContent = many + (tree.folder ? ' in ' + tree.folder : '') + ': ' +
      shown(rate(r.ran, r.ofLines)) + ' of ' + grouped(r.ofLines) + ' lines, ' +
      shown(rate(r.taken, r.ofBranches)) + ' of ' + grouped(r.ofBranches) + ' branches, ' +
      grouped(r.called) + ' of ' + grouped(r.ofFunctions) + ' functions ran' +
      (r.wanted ? ', MC/DC ' + shown(rate(r.seen, r.wanted)) : '') +
      (failing ? '. What tells most of failing tests stands first. '
        : state.get('by') ? '. ' : '. The least covered stands first. ') + about;
  }

  // ---- the picked file

  const title = el('h2', { class: 'file' }),
    summary = el('p', { class: 'soft small' }),
    missed = el('span', { class: 'tools' }),
    where = el('div', { class: 'source-table' }),
    detail = el('div', { class: 'decisions', 'aria-live': 'polite' });
  let lines = null; // of the picked file: what each row shows

  function openFile(row) {
    open = row;
    const file = row.file,
      known = file.source.length > 0,
      counts = new Map(file.lines),
      unmeasured = new Set(file.unmeasured), // they stand in lines with 0
      ways = new Map(),
      at = new Map(),
      suspects = new Map(),
      costs = costsAtLines(other => isSameFile(other, file.name));
    for (const [line, , count] of file.branches) {
      if (!ways.has(line)) ways.set(line, []);
      ways.get(line).push(count);
    }
    for (const s of suspectsIn.get(row.index) || [])
      for (const [line] of file.lines) if (line >= s.line && line <= s.last) suspects.set(line, s);
    for (const d of decisionsIn.get(file.name) || []) {
      if (!at.has(d.line)) at.set(d.line, []);
      at.get(d.line).push(d);
    }
    title.textContent = all.folder && file.name.startsWith(all.folder)
      ? file.name.slice(all.folder.length) : file.name;
    title.title = file.name;
    summary.textContent =
      shown(rate(row.ran, row.ofLines)) + ' of ' + grouped(row.ofLines) + ' lines, ' +
      shown(rate(row.taken, row.ofBranches)) +
      ' of ' + grouped(row.ofBranches) + ' branches' +
      (row.wanted ? ', MC/DC ' + row.seen + ' of ' + row.wanted : '') +
      (unmeasured.size ? ', ' + grouped(unmeasured.size) + ' lines not measured (?)' : '') +
      (file.source_fault ? '; no text: the source ' + file.source_fault : '');
    let longest = 40;
    if (known) for (const line of file.source) {
      const columns = line.length + 3 * (line.split('\t').length - 1); // a tab is four
      if (columns > longest) longest = columns;
    }
    const count = known ? file.source.length : file.lines.length;
    const numberOf = i => (known ? i + 1 : file.lines[i][0]);
    const takenOf = n => {
      const list = ways.get(n) || [];
      return [list.filter(c => c > 0).length, list.length];
    };
    const stateOf = n => {
      if (!counts.has(n) || unmeasured.has(n)) return '';
      if (counts.get(n) === 0) return 'missed';
      const [taken, all] = takenOf(n);
      return taken < all ? 'partly' : 'hit';
    };
    const mcdcOf = n => {
      const [seen, all] = outcomes(at.get(n) || []);
      return all ? seen + '/' + all : (at.get(n) || []).length ? 'left alone' : '';
    };
    const suspicionOf = n => {
      const s = suspects.get(n);
      return s ? 'suspect-' + (s.sure ? 3 : s.ochiai >= 0.7 ? 2 : 1) : '';
    };
    lines = { row, count, numberOf, stateOf, at, counts, ways, costs, suspects };
    const table = virtualTable({
      label: 'source of ' + file.name,
      css: 'source',
      height: 18,
      least: Math.min(400, longest) * 7.3 + 340 + 'px', // 12 pixels high; the other columns
      columns: [
        { key: 'line', label: 'line', css: 'lineno number', cell: i => numberOf(i) },
        ...(failing
          ? [{ key: 'tests', label: 'fail/pass', css: 'ways number', cell: i => {
            const s = suspects.get(numberOf(i));
            return s ? s.failed + '/' + s.passed : '';
          } }]
          : []),
        ...(costs.size
          ? [{ key: 'cost', label: 'cost', css: 'cost number', cell: i =>
            (costs.get(numberOf(i)) || []).slice(0, 1).map(cost => cost.part) }]
          : []),
        { key: 'count', label: 'count', css: 'count number', cell: i =>
          unmeasured.has(numberOf(i)) ? '?' :
            counts.has(numberOf(i)) ? grouped(counts.get(numberOf(i))) : '' },
        { key: 'ways', label: 'ways', css: 'ways number', cell: i => {
          const [taken, all] = takenOf(numberOf(i));
          return all ? taken + '/' + all : '';
        } },
        ...(at.size
          ? [{ key: 'mcdc', label: 'MC/DC', css: 'ways number', cell: i => mcdcOf(numberOf(i)) }]
          : []),
        { key: 'source', label: 'source', css: 'text', cell: i =>
          el('code', {}, known ? file.source[i] : '') },
      ],
      rowCss: i => stateOf(numberOf(i)) + ' ' + suspicionOf(numberOf(i)),
      isOn: i => String(numberOf(i)) === state.get('line'),
      onpick: i => setState({ file: file.name, line: String(numberOf(i)) }),
    });
    lines.table = table;
    fill(where, table.element);
    table.set(count);
    const firstOf = file.lines.length ? file.lines[0][0] : 1;
    if (!state.get('line') && known && firstOf > 8) table.element.scrollTop = 18 * (firstOf - 4);
    const step = (kind, by) => {
      const from = Number(state.get('line')) || 0;
      const wanted = file.lines.map(line => line[0]).filter(n => kind(n));
      if (by < 0) wanted.reverse();
      const next = wanted.find(n => (by > 0 ? n > from : n < from)) ?? wanted[0];
      if (next !== undefined) setState({ file: file.name, line: String(next) });
    };
    const isBad = n => stateOf(n) === 'missed' || stateOf(n) === 'partly';
    const isSuspect = n => suspects.has(n) && (suspects.get(n).sure || suspects.get(n).ochiai >= 0.7);
    fill(missed,
      file.lines.some(line => isSuspect(line[0])) && [
        button('previous suspect', () => step(isSuspect, -1)),
        button('next suspect', () => step(isSuspect, 1)),
      ],
      file.lines.some(line => isBad(line[0])) && [
        button('previous missed', () => step(isBad, -1)),
        button('next missed', () => step(isBad, 1)),
      ]);
  }
  function paintDetail() {
    const n = Number(state.get('line')),
      ways = n && lines.ways.get(n),
      parts = [];
    const s = n && lines.suspects.get(n);
    if (s)
      parts.push(el('p', {}, s.failed + ' of ' + failing.failed + ' failing tests and ' + s.passed + ' of ' +
        failing.passed + ' passing ones ran line ' + n + ': Ochiai ' + percent(s.ochiai) +
        (s.sure ? ', which is no luck.' : ', which may be luck.')));
    if (n && lines.costs.has(n)) parts.push(el('p', {}, lines.costs.get(n).map(cost => cost.words).join('; ')));
    if (ways)
      parts.push(el('p', {}, 'Ways from line ' + n + ': ' +
        ways.map(c => (lines.counts.get(n) ? grouped(c) : 'not reached')).join(', ') + '.'));
    for (const d of (n && lines.at.get(n)) || []) {
      parts.push(el('h3', {}, 'Decision ', el('code', {}, d.text)));
      if (d.reason) parts.push(el('p', { class: 'soft' }, d.reason));
      parts.push(
        el(
          'table',
          { class: 'mcdc' },
          el('thead', {}, el('tr', {}, ['condition', 'true', 'false', 'to show it, run'].map(label =>
            el('th', { scope: 'col' }, label)))),
          el('tbody', {}, d.conditions.map(c =>
            el('tr', { class: c.shown_true && c.shown_false ? 'hit' : 'missed' },
              el('td', {}, el('code', {}, c.text)),
              el('td', {}, c.shown_true ? 'shown' : 'missing'),
              el('td', {}, c.shown_false ? 'shown' : 'missing'),
              el('td', {}, wantedWords(c.wanted))))),
        ));
    }
    fill(detail, parts);
  }
  const wantedWords = wanted =>
    Array.isArray(wanted) ? wanted.map(String).join(' and ') : wanted ? String(wanted) : '';

  host.append(
    el('div', { class: 'files-head' }, listed, files.length > 1 && box),
    list.element,
    el('header', { class: 'file-head' }, title, summary, missed),
    where,
    detail,
  );
  // The one that stands first when all folders are open.
  let firstFile = null;
  const first = () => (firstFile = firstFile ||
    folderRows(all.root, order(), () => true).find(item => item.file).file);
  // A link may name the file as another build has it.
  function update() {
    if (!files.length) return;
    const name = state.get('file');
    const row =
      files.find(f => f.name === name) || (name && files.find(f => isSameFile(f.name, name))) ||
      first();
    listFiles();
    if (row !== open) openFile(row);
    list.draw();
    const n = Number(state.get('line'));
    if (n) {
      const { count, numberOf } = lines;
      let low = 0,
        high = count;
      while (low < high) {
        const middle = (low + high) >> 1;
        if (numberOf(middle) < n) low = middle + 1;
        else high = middle;
      }
      lines.table.show(Math.min(low, count - 1));
    } else lines.table.draw();
    paintDetail();
  }
  update();
  onState(update);
}
// The same file, though one of the names has more folders before it.
function isSameFile(a, b) {
  if (a === b) return true;
  const [long, less] = a.length > b.length ? [a, b] : [b, a];
  return less !== '' && long.endsWith('/' + less.replace(/^\.\//, ''));
}
section('edges', drawSource, 'Source');
