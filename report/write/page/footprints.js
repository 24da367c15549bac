// footprints.js - the curves of footprints and miss ratios.

// Curves over a logarithmic x, with axes, units and the numbers under the pointer. o has
//   title, series [{label, colour, x, y, dash, wide}], bands [{x, low, high}], marks [{label, x}],
//   logY or top, stepX, stepY, formatX, formatY, nameX, labelX
function drawChart(host, readout, o) {
  const all = key => o.series.flatMap(s => s[key]).filter(v => v > 0);
  const log = v => Math.log(Math.max(v, 1e-12));
  const x0 = smallest(all('x'), Infinity),
    x1 = largest(all('x'), 0);
  const y0 = o.logY ? smallest(all('y'), Infinity) : 0,
    y1 = o.logY ? largest(all('y'), 0) : o.top;
  const part = (v, low, high) => (log(v) - log(low)) / (log(high) - log(low) || 1);
  function powers(low, high, step) {
    const list = [];
    for (let v = 1; v <= high * 1.001; v *= step) {
      if (v >= low * 0.999) list.push(v);
    }
    return list;
  }
  const thinned = (list, room) =>
    list.filter((_, i) => i % Math.ceil(list.length / Math.max(2, room)) === 0);

  let at = Math.sqrt(x0 * x1);
  function show() {
    const valueAt = s => {
      let i = 0;
      while (i + 1 < s.x.length && s.x[i + 1] <= at) i++;
      return s.y[i];
    };
    const one = s =>
      el(
        'li',
        {},
        el('i', { style: { background: s.colour } }),
        s.label + ' ',
        el('b', {}, o.formatY(valueAt(s))),
      );
    fill(readout, el('li', {}, el('b', {}, o.nameX + ' ' + o.formatX(at))), o.series.map(one));
  }

  responsive(host, width => {
    const height = Math.round(Math.min(340, Math.max(230, width * 0.5)));
    const left = 62,
      right = width - 12,
      top = 14,
      bottom = height - 40;
    const sx = v => left + (right - left) * part(v, x0, x1);
    const partY = v => (o.logY ? part(Math.max(v, y0), y0, y1) : Math.min(v, y1) / (y1 || 1));
    const sy = v => bottom - (bottom - top) * partY(v);
    const points = (x, y) => x.map((v, i) => sx(v).toFixed(1) + ',' + sy(y[i]).toFixed(1));
    const ticksX = thinned(powers(x0, x1, o.stepX), width / 80);
    const ticksY = o.logY
      ? thinned(powers(y0, y1, o.stepY), 7)
      : [0, 0.25, 0.5, 0.75, 1].map(f => f * y1);
    const cross = svg('line', { class: 'axis', y1: top, y2: bottom, visibility: 'hidden' });

    function moveTo(x) {
      at = Math.exp(log(x0) + ((log(x1) - log(x0)) * (x - left)) / (right - left));
      cross.setAttribute('x1', x);
      cross.setAttribute('x2', x);
      cross.setAttribute('visibility', 'visible');
      show();
    }
    const move = event => {
      const x = event.clientX - host.getBoundingClientRect().left;
      moveTo(Math.min(Math.max(x, left), right));
    };
    const step = event => {
      const pixels = { ArrowLeft: -8, ArrowRight: 8 }[event.key];
      if (!pixels) return;
      event.preventDefault();
      moveTo(Math.min(Math.max(sx(at) + pixels, left), right));
    };
    const gridX = v => [
      svg('line', { class: 'grid', x1: sx(v), x2: sx(v), y1: top, y2: bottom }),
      svg(
        'text',
        { class: 'soft', x: sx(v), y: bottom + 16, 'text-anchor': 'middle' },
        o.formatX(v),
      ),
    ];
    const gridY = v => [
      svg('line', { class: 'grid', x1: left, x2: right, y1: sy(v), y2: sy(v) }),
      svg('text', { class: 'soft', x: left - 6, y: sy(v) + 4, 'text-anchor': 'end' }, o.formatY(v)),
    ];
    const mark = m => [
      svg('line', { class: 'mark', x1: sx(m.x), x2: sx(m.x), y1: top, y2: bottom }),
      svg('text', { class: 'soft', x: sx(m.x), y: top - 3, 'text-anchor': 'middle' }, m.label),
    ];
    const band = b =>
      svg('polygon', {
        class: 'band',
        points: [...points(b.x, b.low), ...points(b.x, b.high).reverse()].join(' '),
      });
    const line = s =>
      svg('polyline', {
        stroke: s.colour,
        'stroke-width': s.wide ? 2.5 : 1.4,
        'stroke-dasharray': s.dash,
        points: points(s.x, s.y).join(' '),
      });
    fill(
      host,
      svg(
        'svg',
        {
          class: 'chart',
          role: 'img',
          'aria-label': o.title,
          viewBox: [0, 0, width, height].join(' '),
          height,
          tabindex: 0,
          onpointermove: move,
          onpointerdown: move,
          onkeydown: step,
        },
        ticksX.map(gridX),
        ticksY.map(gridY),
        (o.marks || []).filter(m => m.x >= x0 && m.x <= x1).map(mark),
        svg(
          'text',
          { class: 'soft', x: (left + right) / 2, y: height - 6, 'text-anchor': 'middle' },
          o.labelX,
        ),
        (o.bands || []).map(band),
        o.series.map(line),
        cross,
      ),
    );
  });
  show();
}

// Sizes that many machines have today, to find one's way by.
const CACHES = [
  { label: 'L1', x: 32 * 2 ** 10 },
  { label: 'L2', x: 2 ** 20 },
  { label: 'L3', x: 32 * 2 ** 20 },
];

function drawWindows(f, host, readout) {
  const COLOURS = ['var(--c6)', 'var(--c1)', 'var(--accent)', 'var(--c3)', 'var(--c4)'];
  const inBytes = list => list.map(v => v * f.block_bytes);
  const curves = f.percentiles.filter(curve => curve.x.length);
  const series = curves.map((curve, i) => ({
    label: curve.label,
    colour: COLOURS[i % 5],
    x: curve.x,
    y: inBytes(curve.y),
    wide: i === 2,
  }));
  series
    .reverse()
    .push({
      label: f.average.label,
      colour: 'var(--ink)',
      x: f.average.x,
      y: inBytes(f.average.y),
      dash: '5 4',
    });
  const band = i => ({ x: curves[i].x, low: inBytes(curves[i].y), high: inBytes(curves[4 - i].y) });
  const bands = curves.length === 5 ? [band(0), band(1)] : [];
  if (f.average.low) {
    bands.push({ x: f.average.x, low: inBytes(f.average.low), high: inBytes(f.average.high) });
  }
  drawChart(host, readout, {
    title: 'footprint by window length',
    series,
    bands,
    logY: true,
    stepX: 10,
    stepY: f.pair ? 10 : 4,
    formatX: short,
    formatY: f.pair ? short : bytes,
    nameX: 'window',
    labelX: 'window, accesses',
  });
}

// A block's first touch misses in a cache of any size: those misses have a line of their own. In a
// sample nobody knows them, and there is a band, the 95 % interval.
function drawMisses(f, host, readout) {
  const x = f.miss_ratio.x.map(v => v * f.block_bytes),
    cold = f.accesses ? f.distinct / f.accesses : 0;
  const most = largest(f.miss_ratio.high || f.miss_ratio.y, 0);
  const cut = f.miss_ratio.low;
  const first = {
    label: 'first touches',
    colour: 'var(--soft)',
    x: [x[0], x[x.length - 1]],
    y: [cold, cold],
    dash: '2 3',
  };
  const top = [0.01, 0.02, 0.04, 0.1, 0.2, 0.4, 0.6, 0.8].find(v => v >= most) || 1;
  drawChart(host, readout, {
    title: 'miss ratio by cache size',
    top,
    stepX: 4,
    formatX: bytes,
    formatY: percent,
    nameX: 'cache',
    labelX: 'cache size',
    marks: CACHES,
    series: [
      { label: f.miss_ratio.label, colour: 'var(--accent)', x, y: f.miss_ratio.y, wide: true },
    ].concat(cut ? [] : [first]),
    bands: cut ? [{ x, low: cut, high: f.miss_ratio.high }] : [],
  });
}

function drawFootprint(f, section) {
  const name = f.title ? ': ' + f.title : '';
  const worth =
    ' (' +
    (f.c < 1 ? 'c = ' + f.c + ': ' : '') +
    f.worth +
    (f.reading ? '; ' + f.reading : '') +
    ').';
  const place = () => [el('div'), el('ul', { class: 'legend readout' })];
  const windows = place(),
    misses = place(),
    cards = [];
  if (f.average.x.length && f.pair) {
    cards.push(
      card(
        'Interleaving' + name,
        'How many of any ' +
          short(f.accesses) +
          ' accesses in a row are the second thread’s' +
          worth,
        null,
        windows,
      ),
    );
  } else if (f.average.x.length) {
    cards.push(
      card(
        'Data touched' + name,
        'How much memory any stretch of the run touches: ' +
          short(f.accesses) +
          (f.bursts ? ' accesses, a burst to ' : ' accesses to ') +
          bytes((f.distinct / (f.bursts || 1)) * f.block_bytes) +
          ' in blocks of ' +
          f.block_bytes +
          ' bytes' +
          worth,
        null,
        windows,
      ),
    );
  }
  if (f.miss_ratio.x.length) {
    cards.push(
      card(
        'Cache misses' + name,
        'What a cache of each size would miss if it kept what was used ' +
          'last. L1, L2 and L3 mark 32 KiB, 1 MiB and 32 MiB, which many machines have.',
        null,
        misses,
      ),
    );
  }
  section.append(cards.length > 1 ? el('div', { class: 'columns' }, cards) : cards[0] || '');
  if (f.average.x.length) drawWindows(f, ...windows);
  if (f.miss_ratio.x.length) drawMisses(f, ...misses);
}

// Footprints of one title, such as of two threads, are numbered.
section('footprints', (footprints, host) => {
  const others = tablesOf(host, ['windows', 'misses']),
    seen = new Map();
  host.replaceChildren();
  for (const f of footprints) {
    const nth = (seen.get(f.title) || 0) + 1;
    const twins = footprints.filter(other => other.title === f.title && other.pair === f.pair);
    seen.set(f.title, nth);
    if (twins.length > 1) f.title = (f.title ? f.title + ' ' : '') + '#' + nth;
    drawFootprint(f, host);
  }
  host.append(...others);
}, 'Memory');
