// difference.js - two runs, or two sets of them, as one flame graph: a box is as wide as what both
// took together, so that what appeared and what is gone has a place in it. Red is surely more and
// blue surely less, by the same test as the rows of stacks in the tables; all else is grey. The
// colour is of the function itself in that stack, and not of what it calls.

function differenceTab(host) {
  const signed = v => (v > 0 ? '+' : v < 0 ? '−' : '') + Number(Math.abs(v).toPrecision(3));
  const updates = data.changes.trees.map(raw => {
    const isTime = raw.unit === 'ms' || raw.unit === 'ticks' || raw.unit === '%';
    const names = raw.names.map(name => name || '(no name)');
    const tree = makeTree(Uint32Array.from(raw.parent), Uint32Array.from(raw.name),
      Float64Array.from(raw.base, (v, i) => v + raw.new[i]), names,
      raw.places || names.map(() => ''));
    const was = i => (tree.was ? tree.was[i] : i);
    const column = list => Float64Array.from({ length: tree.n }, (_, i) => list[was(i)] ?? 0);
    const ways = Int8Array.from({ length: tree.n }, (_, i) => raw.way[was(i)]),
      base = column(raw.base),
      now = column(raw.new),
      baseSum = base.slice(),
      nowSum = now.slice();
    for (let i = tree.n - 1; i > 0; i--) {
      baseSum[tree.parent[i]] += baseSum[i];
      nowSum[tree.parent[i]] += nowSum[i];
    }
    const more = isTime ? 'slower' : 'more calls',
      less = isTime ? 'faster' : 'fewer calls';
    const verdict = (way, a, b) =>
      way > 0 ? (a > 0 ? 'surely ' + more : 'appeared')
        : way < 0 ? (b > 0 ? 'surely ' + less : 'is gone')
          : a === b ? 'no change' : 'nobody can tell';
    const unit = ' ' + raw.unit;
    const changed = (a, b) => signed(b - a) + unit +
      (a > 0 ? ', ' + signed(100 * (b / a - 1)) + ' %' : '');
    // Of the function in all stacks, as the table of functions says it.
    const ofFunctions = data.changes.tables.find(table =>
      table.key === (isTime ? 'self_changes' : 'call_changes'));
    const functionWords = name => {
      const k = ofFunctions ? ofFunctions.function.indexOf(name) : -1;
      return k >= 0 && 'in all stacks: ' + signed(ofFunctions.change[k]) + unit + ', ' +
        ofFunctions.verdict[k];
    };
    const range = i => {
      const low = raw.change_low[was(i)],
        high = raw.change_high[was(i)];
      return low === null || high === null ? '' : ' (' + signed(low) + ' to ' + signed(high) + ')';
    };
    const itself = i => signed(now[i] - base[i]) + unit + range(i) + ', ' +
      verdict(ways[i], base[i], now[i]);
    const words = i => [
      i === 0 ? 'all' : names[tree.name[i]],
      i > 0 && tree.places[tree.name[i]],
      i > 0 && base[i] + now[i] > 0 && 'itself, in this stack: ' + itself(i),
      i > 0 && functionWords(names[tree.name[i]]),
      'with what it calls: ' + changed(baseSum[i], nowSum[i]) + ' (no test)',
    ];
    const note = el('p', { class: 'soft small note' });
    const out = button('zoom out', () => setState({ zoom: '', range: '' }));
    const view = flameView({
      label: 'difference of stacks by ' + (isTime ? 'time' : 'calls'),
      height: 520,
      isUp: false,
      onpick: i => setState({
        zoom: i ? linkOf(tree, i) : '',
        range: '',
        function: i ? names[tree.name[i]] : '',
        at: i ? tree.places[tree.name[i]] : '',
      }),
      onrange: range =>
        setState({ range: range ? range.map(v => v.toPrecision(6)).join(' ') : '' }, true),
      words,
      said: i => (base[i] + now[i] > 0 && i
        ? itself(i) : changed(baseSum[i], nowSum[i]) + ' with what it calls'),
    });
    const key = (name, colour) => el('span', {},
      el('i', { style: { background: 'var(--' + colour + ')' } }), name);
    const counts = [0, 0];
    for (const way of ways) if (way) counts[way > 0 ? 0 : 1]++;
    host.append(card(
      isTime ? 'What changed, by time' : 'What changed, by calls of contexts',
      'A box is as wide as both sides together.', null,
      el('div', { class: 'legend small' },
        key('itself surely ' + more + ': ' + grouped(counts[0]), 'more'),
        key('itself surely ' + less + ': ' + grouped(counts[1]), 'less'),
        key('the data cannot tell, or nothing changed', 'same')),
      view.element, el('div', { class: 'below' }, note, out)));
    return () => {
      const [zoom, isThere] = follow(tree, state.get('zoom') || ''),
        range = readRange();
      view.show({ tree, all: tree.sum[0], zoom, range, lit: null, chosen: null, ways });
      workbench.flame = view;
      note.textContent = (isThere ? '' : 'The stack of this link is not here as a whole. ') +
        'Click or Enter zooms, Ctrl and the wheel zooms, dragging moves.';
      out.hidden = !zoom && !range;
    };
  });
  return () => {
    for (const update of updates.slice().reverse()) update(); // the first is the one that tests ask
  };
}
