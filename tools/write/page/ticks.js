// ticks.js - where the program runs: shares of time with their intervals, and whole stacks.

// Wilson's interval, z = 2, of a share seen in so many independent samples.
function wilson(share, samples) {
  const z = 2,
    square = z * z;
  const middle = (share + square / (2 * samples)) / (1 + square / samples);
  const half =
    (z * Math.sqrt((share * (1 - share)) / samples + square / (4 * samples * samples))) /
    (1 + square / samples);
  return [Math.max(0, middle - half), Math.min(1, middle + half)];
}

// A share as a bar, and its interval as a lighter bar around the bar's end.
function rangeBar(share, low, high, most) {
  const at = part => (100 * part) / most + '%';
  return el(
    'div',
    { class: 'bar range' },
    el('i', { class: 'sure', style: { width: at(low) } }),
    el('i', { class: 'unsure', style: { left: at(low), width: at(high - low) } }),
    el('i', { class: 'here', style: { left: at(share) } }),
  );
}

function drawTicks(ticks, host) {
  const time = ticks.tables.find(table => table.key === 'time'),
    threads = ticks.tables.find(table => table.key === 'thread_time');
  const tree = ticks.trees[0];
  if (!time || !tree) return;
  const isTimed = k => time.self_share[k] !== null;
  const most = largest([...time.total_high, ...time.total_share], 0.01);
  const whole = k => placed(time.file[k], time.line[k]);
  let chosen = new Set();
  // Without an interval, a part of the time is missing: the top of the page says which.
  const range = (low, high) => (low === null ? '' : percent(low) + ' to ' + percent(high));
  const inBrackets = words => (words ? ' (' + words + ')' : '');
  const view = { rows: 25, query: '' };
  const body = el('tbody'),
    more = el('p', { class: 'more' });

  const cell = (share, low, high) =>
    share === null
      ? el('td', { class: 'share' }, 'not timed')
      : el(
          'td',
          { class: 'share' },
          percent(share),
          el('span', { class: 'soft small interval' }, '  ' + range(low, high)),
          low === null ? bar(share / most) : rangeBar(share, low, high, most),
        );
  const pick = k => (chosen.has(k) ? choose('') : choose(time.function[k], whole(k)));
  const row = k =>
    el(
      'tr',
      {
        class: chosen.has(k) ? 'pick on' : 'pick',
        'data-id': k,
        ...onPick(() => pick(k)),
      },
      el('td', { class: 'number desk' }, time.rank[k]),
      el(
        'td',
        {},
        el('div', { class: 'name' }, time.function[k] || '(no name)'),
        el('div', { class: 'place' }, time.place[k]),
      ),
      cell(time.self_share[k], time.self_low[k], time.self_high[k]),
      cell(time.total_share[k], time.total_low[k], time.total_high[k]),
    );
  const redraw = roving(body, 'tr');
  function draw() {
    const matches = matcher(view.query);
    chosen = chosenOf(time.function, whole);
    const shown = time.function
      .map((name, k) => k)
      .filter(k => matches(time.function[k] + ' ' + time.place[k]))
      .filter(k => view.query || time.total_share[k] !== 0);
    const unmet = time.total_share.filter(share => share === 0).length;
    redraw(() => fill(body, shown.slice(0, view.rows).map(row)));
    const rest = shown.length - view.rows;
    const showMore = () => {
      view.rows += 200;
      draw();
    };
    fill(
      more,
      rest > 0 && button('show ' + Math.min(rest, 200) + ' more', showMore),
      !view.query &&
        unmet > 0 &&
        el(
          'span',
          { class: 'soft small' },
          ' ' + unmet + (unmet === 1 ? ' function' : ' functions') + ' met no tick',
        ),
    );
  }
  const find = query => {
    view.query = query;
    draw();
  };
  const headings = [
    ['rank', 'number desk'],
    ['function', ''],
    ['self', 'share'],
    ['total', 'share'],
  ];
  const heading = ([label, css]) => el('th', { scope: 'col', class: css }, label);

  const first = time.self_share.findIndex((share, k) => isTimed(k));
  if (first >= 0 && !byId('lead').firstChild)
    fill(
      byId('lead'),
      el('b', {}, time.function[first]),
      ' runs ' + percent(time.self_share[first]) + ' of the time' +
        (time.self_low[first] === null ? ' that was seen' : '') +
        inBrackets(range(time.self_low[first], time.self_high[first])) + '.',
      time.rank[first + 1] === '1=' &&
        ' It cannot be told from ' + (time.function[first + 1] || '(no name)') +
          ', which runs ' + percent(time.self_share[first + 1]) + '.',
    );
  const others = tablesOf(host, ['time', 'stack_time', 'thread_time']);
  host.replaceChildren(
    card(
      'Where does it run',
      time.remark,
      search('find a function', find),
      el('table', {}, el('thead', {}, el('tr', {}, headings.map(heading))), body),
      more,
    ),
  );
  draw();
  onState(draw);

  const total = tree.lower.reduce((sum, ticks) => sum + ticks, 0);
  const said = count => {
    const [low, high] = tree.effective ? wilson(count / total, tree.effective) : [null, null];
    return percent(count / total) + ' of the time' + inBrackets(range(low, high));
  };
  drawContexts(Object.assign({}, tree, { total, absent: 0, algorithm: '' }), host, {
    unit: 'ticks',
    zoom: 'zoom-ticks',
    title: 'Time by stack',
    about: 'Callers above, callees below; as wide as their ticks. Pick a frame to zoom.',
    words: (all, own) => [
      said(all) + ' in it and below, ' + grouped(all) + ' ticks',
      own !== null && 'in it alone: ' + said(own),
    ],
  });
  const stacks = ticks.tables.find(table => table.key === 'stack_time');
  const stackRow = (name, k) =>
    el(
      'tr',
      {},
      el('td', {}, el('div', { class: 'name' }, name)),
      cell(stacks.share[k], stacks.share_low[k], stacks.share_high[k]),
    );
  if (stacks && stacks.stack.length)
    host.append(
      card(
        'Hot stacks',
        stacks.remark,
        null,
        el('table', {}, el('tbody', {}, stacks.stack.slice(0, 10).map(stackRow))),
      ),
    );
  host.append(...others);
  if (!threads) return;
  const threadRow = (name, k) =>
    el(
      'tr',
      {},
      el('td', {}, el('div', { class: 'name' }, name)),
      cell(threads.share[k], threads.share_low[k], threads.share_high[k]),
    );
  host.append(
    card(
      'Time of threads',
      '',
      null,
      el('table', {}, el('tbody', {}, threads.thread.slice(0, 50).map(threadRow))),
    ),
  );
}

section('ticks', drawTicks);
