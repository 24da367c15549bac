// timeline.js - the view of time: a track for each thread, as high as it was busy and in the colour
// of what it was in; a range that the mouse or keys choose, which all views of time follow; and two
// ranges side by side. The range is in the address: from and to, in seconds.

const TRACKS_MOST = 400;
const timeUnit = () => workbench.units.find(u => u.key === 'time' && u.tree);
function theAxis() {
  const unit = timeUnit();
  if (!unit || !data.timeline) return null;
  if (!unit.axis) unit.axis = openAxis(data.timeline, unit.tree);
  return unit.axis;
}
// A range of the state in us, or null. kind: '' or 'base-'.
function rangeOfState(axis, kind) {
  const from = parseFloat(state.get(kind + 'from')) * 1e6,
    to = parseFloat(state.get(kind + 'to')) * 1e6;
  return from < to && to > axis.from && from < axis.to ? [from, to] : null;
}
const trackOf = axis => (state.get('track') ? axis.threads.indexOf(state.get('track')) : -1);
const secondsOf = us => Number((us / 1e6).toFixed(6));
const stateOfRange = (kind, range) =>
  ({ [kind + 'from']: range ? String(secondsOf(range[0])) : '',
    [kind + 'to']: range ? String(secondsOf(range[1])) : '' });
const rangeWords = ([from, to]) => secondsOf(from) + ' to ' + secondsOf(to) + ' s';

// What of the unit's tree the chosen range and thread have; null: they choose nothing.
function ownInTime(unit) {
  const axis = unit.key === 'time' ? theAxis() : null;
  if (!axis) return null;
  const range = rangeOfState(axis, ''),
    track = trackOf(axis);
  if (!range && track < 0) return null;
  return ownOfRange(axis, range ? range[0] : axis.from, range ? range[1] : axis.to + 1, track);
}
const inTimeKey = () => [state.get('from'), state.get('to'), state.get('track')];

// Colours of functions, far apart for the hottest.
function colourOf(tree) {
  const { self } = sumFunctions(tree),
    order = [...self.keys()].sort((a, b) => self[b] - self[a]),
    colours = new Array(self.length).fill('--c8');
  order.slice(0, 8).forEach((k, i) => (colours[k] = '--c' + i));
  return { colours, order, self };
}

// As many digits as tell a thousandth of the span.
const roundSeconds = (us, span) =>
  Number((us / 1e6).toFixed(Math.max(0, Math.min(6, Math.ceil(9 - Math.log10(span))))));
const swatch = (colour, words) => el('span', {}, el('i', { style: { background:
  'var(' + colour + ')' } }), words);

function timelineTab(host) {
  const axis = theAxis(),
    { colours, order, self } = colourOf(axis.tree),
    ticks = new Float64Array(axis.threads.length);
  axis.thread.forEach(thread => ticks[thread]++);
  const waited = new Float64Array(axis.threads.length);
  for (let i = 0; i < axis.waits.n; i++) waited[axis.waits.thread[i]] += axis.waits.to[i] - axis.waits.from[i];
  const tracks = [...ticks.keys()].filter(k => ticks[k] || waited[k])
    .sort((a, b) => ticks[b] - ticks[a] || waited[b] - waited[a] || a - b);
  const shown = tracks.slice(0, TRACKS_MOST),
    high = shown.length > 24 ? 12 : 20;
  // Kinds of frames that had slow ones have a row of marks above the tracks.
  const KINDS_MOST = 32,
    kinds = [...new Set(axis.late.what)].sort((a, b) => a - b).slice(0, KINDS_MOST),
    markHigh = 16;
  const kindWords = k => axis.frames[k].name +
    (axis.frames[k].limit_us ? ' > ' + short(axis.frames[k].limit_us / 1000) + '\u202fms' : '');
  const canvas = el('canvas', { 'aria-hidden': true }),
    chosen = el('div', { class: 'chosen-range', hidden: true }),
    base = el('div', { class: 'base-range', hidden: true }),
    said = el('output', {}),
    compared = el('div', {}),
    waiting = el('div', {}),
    slow = el('div', {}),
    names = el('div', { class: 'threads-of', style: { gridAutoRows: high + 'px',
      gridTemplateRows: kinds.map(() => markHigh + 'px').join(' ') } },
      kinds.map(k => el('span', { class: 'kind', title: kindWords(k) }, kindWords(k))),
      shown.map(k => el('button', { type: 'button', 'data-track': k, title: axis.threads[k],
        style: { lineHeight: high + 'px' },
        onclick: () => setState({ track: state.get('track') === axis.threads[k] ? ''
          : axis.threads[k] }) }, axis.threads[k])));
  const area = el('div', { class: 'tracks', tabindex: 0, role: 'slider', id: 'range-of-time',
    'aria-label': 'range of time', 'aria-valuemin': secondsOf(axis.from),
    'aria-valuemax': secondsOf(axis.to) }, canvas, base, chosen);
  const span = axis.to - axis.from;
  const momentAt = clientX => {
    const box = area.getBoundingClientRect();
    return axis.from + span * Math.max(0, Math.min(1, (clientX - box.left) / box.width));
  };
  const place = (mark, range) => {
    mark.hidden = !range;
    if (!range) return;
    mark.style.left = (100 * (Math.max(range[0], axis.from) - axis.from)) / span + '%';
    mark.style.right = (100 * (axis.to - Math.min(range[1], axis.to))) / span + '%';
  };
  // before: the range that stays for a comparison.
  const setRange = (range, isSmall, before) => {
    if (!range) return setState(stateOfRange('', null), isSmall);
    const wide = Math.min(span, Math.max(range[1] - range[0], 1)),
      from = Math.max(axis.from, Math.min(range[0], axis.to - wide));
    return setState({ ...stateOfRange('', [from, from + wide]),
      ...(before ? stateOfRange('base-', before) : {}), zoom: '', range: '' }, isSmall);
  };

  let anchor = null,
    dragged = null;
  area.addEventListener('pointerdown', event => {
    if (event.button) return;
    anchor = momentAt(event.clientX);
    dragged = null;
    area.setPointerCapture(event.pointerId);
  });
  area.addEventListener('pointermove', event => {
    if (anchor === null) return;
    const now = momentAt(event.clientX);
    dragged = [Math.min(anchor, now), Math.max(anchor, now)];
    place(chosen, dragged);
  });
  area.addEventListener('pointerup', event => {
    if (anchor !== null)
      setRange(dragged && dragged[1] - dragged[0] > span / 1000 ? dragged : null, false,
        event.shiftKey && rangeOfState(axis, ''));
    anchor = null;
  });
  area.addEventListener('pointercancel', () => (anchor = null));
  area.addEventListener('keydown', event => {
    const range = rangeOfState(axis, '') || [axis.from, axis.from + span / 10],
      wide = range[1] - range[0],
      middle = (range[0] + range[1]) / 2;
    const to = {
      ArrowRight: [range[0] + wide / 4, range[1] + wide / 4],
      ArrowLeft: [range[0] - wide / 4, range[1] - wide / 4],
      Home: [axis.from, axis.from + wide],
      End: [axis.to - wide, axis.to],
      '+': [middle - wide / 4, middle + wide / 4],
      '-': [middle - wide, middle + wide],
      Enter: range,
    }[event.key];
    if (event.key === 'Escape') setRange(null, true);
    else if (event.key === 'b') setState(stateOfRange('base-', rangeOfState(axis, '')));
    else if (to) setRange(to, true);
    else return;
    event.preventDefault();
    event.stopPropagation();
  });

  function draw(width) {
    const ratio = devicePixelRatio || 1,
      wide = Math.round(width * ratio),
      tall = Math.round(high * ratio),
      pen = canvas.getContext('2d'),
      style = getComputedStyle(document.documentElement),
      above = Math.round(markHigh * ratio) * kinds.length,
      cells = cellsOf(axis, axis.from, axis.to, wide),
      waits = axis.waits.n ? waitCells(axis, axis.from, axis.to, wide) : null;
    canvas.width = wide;
    canvas.height = above + tall * shown.length;
    canvas.style.height = markHigh * kinds.length + high * shown.length + 'px';
    // The style sheet's colours are #rrggbb, and a canvas keeps its pixels the other way round.
    const pixelOf = name => {
      const value = parseInt(style.getPropertyValue(name).trim().slice(1), 16);
      return (0xff000000 | ((value & 255) << 16) | (value & 0xff00) | (value >> 16)) >>> 0;
    };
    const image = pen.createImageData(wide, canvas.height),
      pixels = new Uint32Array(image.data.buffer),
      paints = colours.map(pixelOf),
      waitPaint = pixelOf('--wait'),
      latePaint = pixelOf('--accent'),
      ground = pixelOf('--field');
    shown.forEach((k, row) => {
      const bottom = above + row * tall + tall - 2;
      pixels.fill(ground, (above + row * tall + 1) * wide, (bottom + 1) * wide);
      for (let x = 0; x < wide; x++) {
        const wait = waits ? waits[k * wide + x] : 0;
        if (wait > 0.02) {
          const size = Math.max(2, Math.round(Math.min(1, wait) * (tall - 2)));
          for (let y = bottom; y > bottom - size; y--) pixels[y * wide + x] = waitPaint;
        }
        const part = cells.busy[k * wide + x];
        if (!part) continue;
        const paint = paints[cells.name[k * wide + x]];
        const size = Math.max(2, Math.round(Math.min(1, part) * (tall - 2)));
        for (let y = bottom; y > bottom - size; y--) pixels[y * wide + x] = paint;
      }
    });
    // A mark is as wide as its frame, and two pixels at least; neighbours are told apart.
    kinds.forEach((kind, row) => {
      const top = Math.round(row * markHigh * ratio) + 3,
        bottom = Math.round((row + 1) * markHigh * ratio) - 3,
        scale = wide / (axis.to - axis.from);
      for (let i = 0; i < axis.late.n; i++) {
        if (axis.late.what[i] !== kind) continue;
        const left = Math.max(0, Math.min(wide - 2, Math.floor((axis.late.from[i] - axis.from) * scale))),
          end = Math.ceil((axis.late.to[i] - axis.from) * scale),
          right = Math.min(wide, Math.max(left + 2, end > left + 4 ? end - 2 : end));
        for (let y = top; y < bottom; y++) pixels.fill(latePaint, y * wide + left, y * wide + right);
      }
    });
    pen.putImageData(image, 0, 0);
  }

  const keys = order.slice(0, 8).filter(k => axis.tree.names[k] && self[k]);
  fill(
    host,
    el('p', { class: 'soft small' }, 'A track for each thread, as high as it was busy. Drag to ' +
      'choose a range: all views show it then. Drag another one with Shift, and the two are ' +
      'compared. Arrow keys move it, + and - change it, b keeps it for a comparison, Escape ' +
      'takes it back. A name picks its thread.'),
    el('p', { class: 'small legend-of-time' },
      keys.map(k => swatch(colours[k], axis.tree.names[k])),
      axis.waits.n > 0 && swatch('--wait', 'waits'),
      kinds.length > 0 && swatch('--accent', 'slow frame')),
    el('div', { class: 'axis-scroll', tabindex: shown.length * high > 420 ? 0 : null,
      role: 'group', 'aria-label': 'threads in time' },
    el('div', { class: 'axis' }, names, area)),
    el('div', { class: 'axis' }, el('div', { class: 'axis-ends' },
      [0, 1, 2, 3, 4].map(k => el('span', {}, roundSeconds(axis.from + (span * k) / 4, span) + ' s')))),
    tracks.length > shown.length && el('p', { class: 'soft small' },
      'and ' + grouped(tracks.length - shown.length) + ' threads of fewer ticks'),
    el('div', { class: 'axis-tools' }, said,
      button('keep for comparison', () => setState(stateOfRange('base-', rangeOfState(axis, '')))),
      button('whole time', () => setState({ ...stateOfRange('', null), ...stateOfRange('base-', null),
        track: '' }))),
    compared,
    slow,
    waiting,
  );
  responsive(area, draw);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change',
    () => draw(area.clientWidth));

  return () => {
    const range = rangeOfState(axis, ''),
      before = rangeOfState(axis, 'base-'),
      whole = [axis.from, axis.to + 1];
    place(chosen, range);
    place(base, before);
    const many = firstTick(axis, (range || whole)[1]) - firstTick(axis, (range || whole)[0]);
    said.textContent = range
      ? rangeWords(range) + ': ' + (many ? grouped(many) + (many === 1 ? ' tick' : ' ticks')
        : 'no tick, which is no proof that nothing ran')
      : 'all of ' + [axis.from, axis.to].map(us => roundSeconds(us, axis.to - axis.from || 1))
        .join(' to ') + ' s: ' + grouped(axis.n) + ' ticks';
    area.setAttribute('aria-valuenow', secondsOf((range || whole)[0]));
    area.setAttribute('aria-valuetext', said.textContent);
    const track = trackOf(axis);
    for (const e of names.querySelectorAll('[data-track]'))
      e.setAttribute('aria-pressed', String(track === Number(e.dataset.track)));
    fill(compared, before && comparedRanges(axis, before, range || whole));
    fill(slow, slowFrames(axis, range || whole, track, setRange));
    fill(waiting, waitTable(axis, range || whole, track));
  };
}

const ms = us => us >= 999500 ? Number((us / 1e6).toPrecision(3)) + '\u202fs' : short(us / 1000) + '\u202fms';

function slowFrames(axis, [from, to], track, setRange) {
  const MOST = 8,
    list = lateOf(axis, from, to, track);
  if (!list.length) return null;
  return el('div', { class: 'kin', id: 'slow-frames' },
    el('h2', {}, grouped(list.length) + (list.length === 1 ? ' slow frame' : ' slow frames') +
      (list.length > MOST ? ', the longest ' + MOST : '')),
    el('table', {},
      el('thead', {}, el('tr', {}, ['frame', 'at', 'took', 'limit'].map((label, k) =>
        el('th', { scope: 'col', class: k ? 'number' : '' }, label)))),
      el('tbody', {}, list.slice(0, MOST).map(i => {
        const frame = axis.frames[axis.late.what[i]];
        return el('tr', {},
          el('td', { class: 'wide' }, el('button', { type: 'button', class: 'link',
            title: 'show this frame alone',
            onclick: () => setRange([axis.late.from[i], axis.late.to[i]]) }, frame.name), ' ',
          el('span', { class: 'place' }, axis.threads[axis.late.thread[i]])),
          el('td', { class: 'number' }, secondsOf(Math.round(axis.late.from[i] / 1000) * 1000) + '\u202fs'),
          el('td', { class: 'number' }, ms(axis.late.to[i] - axis.late.from[i])),
          el('td', { class: 'number' }, frame.limit_us ? ms(frame.limit_us) : ''));
      }))));
}

function waitTable(axis, [from, to], track) {
  const MOST = 12,
    CALLERS = 5,
    rows = waitsOf(axis, from, Math.min(to, axis.to), track);
  if (!rows.length) return null;
  return el('div', { class: 'kin', id: 'who-waited' },
    el('h2', {}, 'Who waited, where, and how long'),
    el('table', {},
      el('thead', {}, el('tr', {}, ['where', 'waited', 'times', 'longest'].map((label, k) =>
        el('th', { scope: 'col', class: k ? 'number' : '' }, label)))),
      el('tbody', {}, rows.slice(0, MOST).map(row => {
        const stack = stackOf(axis, row.node),
          own = ownIn(stack),
          inner = stack[own],
          names = list => list.map(f => f.name).join(' < ');
        return el('tr', {},
          el('td', { class: 'wide', title: stack.map(f => f.name).reverse().join(' > ') },
            el('button', { type: 'button', class: 'link',
              onclick: () => choose(inner.name, inner.place) }, inner.name), ' ',
            el('span', { class: 'place' }, axis.threads[row.thread]),
            own > 0 && el('div', { class: 'soft small' }, 'by ' + names(stack.slice(0, own))),
            stack.length > own + 1 && el('div', { class: 'soft small' }, 'called by ' +
              names(stack.slice(own + 1, own + 1 + CALLERS)) +
              (stack.length > own + 1 + CALLERS ? ' …' : ''))),
          el('td', { class: 'number' }, ms(row.us)),
          el('td', { class: 'number' }, grouped(row.times)),
          el('td', { class: 'number' }, ms(row.longest)));
      }))),
    rows.length > MOST && el('p', { class: 'soft small' }, 'and ' + grouped(rows.length - MOST) +
      ' more, ' + ms(rows.slice(MOST).reduce((s, row) => s + row.us, 0)) + ' together'));
}

// What functions took themselves in two ranges: the largest differences first.
function comparedRanges(axis, before, now) {
  const of = range => {
    const tree = filtered(axis.tree, { own: ownOfRange(axis, range[0], range[1], trackOf(axis)) });
    return { self: sumFunctions(tree).self, all: tree.sum[0] };
  };
  const a = of(before),
    b = of(now);
  if (!a.all || !b.all)
    return el('p', {}, 'One of the two ranges has no tick: there is nothing to compare.');
  const rows = axis.tree.names
    .map((name, k) => ({ name, place: axis.tree.places[k], base: a.self[k] / a.all,
      now: b.self[k] / b.all,
      apart: shareDifference(a.self[k] / a.all, a.all, b.self[k] / b.all, b.all) }))
    .filter(row => row.base || row.now)
    .sort((x, y) => Math.abs(y.apart[0]) - Math.abs(x.apart[0]))
    .slice(0, 20);
  const points = v => (v > 0 ? '+' : '') + (100 * v).toFixed(1);
  return el('div', { class: 'kin', id: 'two-ranges' },
    el('h2', {}, 'Shares in ' + rangeWords(before) + ', and in ' + rangeWords(now)),
    el('p', { class: 'soft small' }, 'Of the time of each range; the difference in points, with ' +
      'its 95 % interval. Of twenty rows one may lie outside by chance: bursty report --from ' +
      secondsOf(now[0]) + ' --to ' + secondsOf(now[1]) + ' --base FILE --base-from ' +
      secondsOf(before[0]) + ' --base-to ' + secondsOf(before[1]) + ' FILE tests all of them.'),
    el('table', {},
      el('thead', {}, el('tr', {}, ['function', 'then', 'now', 'difference'].map((label, k) =>
        el('th', { scope: 'col', class: k ? 'number' : '' }, label)))),
      el('tbody', {}, rows.map(row => el('tr', {},
        el('td', { class: 'wide' }, el('button', { type: 'button', class: 'link',
          onclick: () => choose(row.name, row.place) }, row.name)),
        el('td', { class: 'number' }, percent(row.base)),
        el('td', { class: 'number' }, percent(row.now)),
        el('td', { class: 'number' }, points(row.apart[0]) + ' (' + points(row.apart[1]) + ' to ' +
          points(row.apart[2]) + ')'))))));
}
