// frames.js - how long frames take, as a picture for each kind, and what slow ones do more.

// Buckets as bars over a time that doubles from step to step; heights by the logarithm, so that one
// slow frame among thousands is seen. Those to the right of the limit are slow.
function drawDurations(host, rows, kind) {
  const HEIGHT = 170,
    FOOT = 22,
    SIDE = 8;
  const last = rows.length - 1;
  const endOf = row => row.to_ms ?? 2 * row.from_ms;
  const low = Math.log2(Math.max(rows[0].from_ms, 0.0005)),
    high = Math.log2(Math.max(endOf(rows[last]), kind.limit_ms || 0, 0.001));
  const most = Math.log2(1 + largest(rows.map(row => row.count), 1));
  const label = ms => Number(ms.toPrecision(3)) + NARROW + 'ms';
  responsive(host, width => {
    const x = ms =>
      SIDE + ((width - 2 * SIDE) * (Math.log2(Math.max(ms, 0.0005)) - low)) / (high - low || 1);
    const bars = rows.map(row => {
      const height = ((HEIGHT - FOOT) * Math.log2(1 + row.count)) / most;
      const isSlow = kind.limit_ms !== null && row.from_ms >= kind.limit_ms;
      const words = () => [
        label(row.from_ms) + ' to ' + (row.to_ms === null ? 'any time' : label(row.to_ms)),
        grouped(row.count) + (row.count === 1 ? ' frame' : ' frames') + (isSlow ? ', slow' : ''),
      ];
      return svg('rect', {
        class: isSlow ? 'slow' : null,
        x: x(row.from_ms),
        y: HEIGHT - FOOT - height,
        width: Math.max(1.5, x(endOf(row)) - x(row.from_ms) - 0.5),
        height,
        ...tipping(words),
      });
    });
    const marks = [];
    const every = Math.ceil((high - low) / Math.max(2, Math.floor(width / 90)));
    for (let at = Math.ceil(low); at <= high; at += every) {
      const ms = 2 ** at;
      marks.push(
        svg(
          'text',
          { x: x(ms), y: HEIGHT - 6, 'text-anchor': x(ms) > width - 40 ? 'end' : 'middle' },
          label(ms),
        ),
      );
    }
    const limit =
      kind.limit_ms === null
        ? null
        : svg('line', {
            class: 'limit',
            x1: x(kind.limit_ms),
            x2: x(kind.limit_ms),
            y1: 0,
            y2: HEIGHT - FOOT,
          });
    fill(
      host,
      svg(
        'svg',
        { width, height: HEIGHT, role: 'img', 'aria-label': 'durations of frames' },
        bars,
        limit,
        marks,
      ),
    );
  });
}

// A difference with its interval, around zero.
function moreBar(more, low, high, most) {
  const at = ms => 50 + (50 * ms) / most + '%';
  return el(
    'div',
    { class: 'bar range more' },
    el('i', { class: 'zero', style: { left: '50%' } }),
    el('i', { class: 'unsure', style: { left: at(low), width: (50 * (high - low)) / most + '%' } }),
    el('i', { class: 'here', style: { left: at(more) } }),
  );
}

function drawMore(table) {
  const body = el('tbody');
  const fine = ms => Number(ms.toPrecision(4));
  const most = largest(
    [...table.more_high, ...table.more_low].map(ms => Math.abs(ms ?? 0)),
    1e-9,
  );
  const whole = k => placed(table.file[k], table.line[k]);
  let chosen = new Set();
  const row = k => {
    const isFunction = table.file[k] !== '';
    const pick = () => (chosen.has(k) ? choose('') : choose(table.function[k], whole(k)));
    return el(
      'tr',
      {
        class: isFunction ? (chosen.has(k) ? 'pick on' : 'pick') : null,
        'data-id': k,
        ...(isFunction ? onPick(pick) : {}),
      },
      el(
        'td',
        {},
        el('div', { class: 'name' }, table.function[k]),
        el('div', { class: 'place' }, table.place[k]),
      ),
      el(
        'td',
        { class: 'share' },
        fine(table.more_ms[k]) + NARROW + 'ms',
        table.more_low[k] !== null &&
          el(
            'span',
            { class: 'soft small interval' },
            '  ' + fine(table.more_low[k]) + ' to ' + fine(table.more_high[k]),
          ),
        table.more_low[k] !== null &&
          moreBar(table.more_ms[k], table.more_low[k], table.more_high[k], most),
      ),
      el('td', { class: 'number desk' }, fine(table.slow_ms[k])),
      el('td', { class: 'number desk' }, fine(table.other_ms[k])),
      el('td', { class: 'number desk' }, fine(table.total_more_ms[k])),
    );
  };
  const redraw = roving(body, 'tr');
  const draw = () => {
    chosen = chosenOf(table.function, whole);
    redraw(() => fill(body, table.function.map((name, k) => row(k))));
  };
  const heading = ([label, css]) => el('th', { scope: 'col', class: css }, label);
  const head = [
    ['function', ''],
    ['more in a slow frame', 'share'],
    ['in slow, ms', 'number desk'],
    ['in others, ms', 'number desk'],
    ['with what it calls', 'number desk'],
  ];
  onState(draw);
  draw();
  return card(
    table.title,
    table.remark,
    null,
    el('table', {}, el('thead', {}, el('tr', {}, head.map(heading))), body),
  );
}

section('frames', (frames, host) => {
  const named = key => frames.tables.filter(table => table.key === key);
  const [kinds] = named('frames'),
    [histogram] = named('frames_histogram');
  const others = tablesOf(host, ['frames_more']);
  const pictures = kinds.kind.map((name, k) => {
    const rows = histogram.count
      .map((count, i) => ({
        count,
        from_ms: histogram.from_ms[i],
        to_ms: histogram.to_ms[i],
        row: histogram.row[i],
      }))
      .filter(row => row.row === k);
    if (!rows.length) return null;
    const picture = el('div', { class: 'durations' });
    const about =
      grouped(kinds.count[k]) +
      ' frames. A bar is one length of time, its height the logarithm of how many ' +
      'frames took so long' +
      (kinds.limit_ms[k] === null ? '.' : '; to the right of the line they are slow.');
    const limit_ms = kinds.limit_ms[k];
    return { picture, rows, limit_ms, card: card('how long: ' + name, about, null, picture) };
  });
  const more = named('frames_more').map(drawMore); // of the kinds that have a picture
  host.replaceChildren();
  pictures.filter(Boolean).forEach((one, k) => {
    host.append(one.card);
    if (more[k]) host.append(more[k]);
    drawDurations(one.picture, one.rows, one);
  });
  host.append(...others);
});
