// flame.js - a tree as boxes on a canvas: callers above callees, or below them, as wide as what was
// counted. Boxes that are thinner than a pixel become one grey bar for each pixel, so that all of
// the weight is drawn. A list of tree items beside the canvas is what the keyboard and a screen
// reader walk through; the canvas shows where they are.
//
// Down a row is to the hottest callee, up to the caller, left and right to siblings; Enter zooms.
// The wheel with Ctrl zooms at the pointer, dragging moves.

const ROW = 18;

// o: label, height (of the whole, in pixels), isUp (the root is at the bottom), onpick(node),
// onrange([from, to]), words(node) for the tip, said(node) behind its name (else its share).
// Returns { element, show({ tree, all, zoom, range, lit, chosen, ways }), draw() }. With ways, nodes
// have no colours of their own: 1 is more, -1 less, 0 neither.
function flameView(o) {
  const canvas = el('canvas', { 'aria-hidden': 'true' });
  const mirror = el('ul', { class: 'mirror', role: 'tree', 'aria-label': o.label });
  const empty = el('p', { class: 'soft empty', hidden: true });
  const element = el('div', { class: 'flame' }, canvas, mirror, empty);
  const pen = canvas.getContext('2d', { alpha: false });
  let tree = null,
    all = 1,
    lit = null,
    chosen = null,
    x0 = 0,
    x1 = 1,
    scroll = 0, // pixels of rows above the first one that shows
    width = 0,
    height = o.height,
    cursor = 0,
    hasFocus = false,
    isPrinting = false,
    image = null, // all of the canvas, and its pixels; one line of them
    pixels = null,
    line = null,
    ways = null,
    paints = null; // colours of names by hue, and the others
  const ROOT = 64,
    FOUND = 65,
    CHOSEN = 66,
    THIN = 67,
    GROUND = 68,
    SAME = 70; // LESS and MORE stand beside it

  // Each name has a warm colour of its own; what is found, chosen or grey has others.
  function hueOf(name) {
    let h = 7;
    for (let k = 0; k < name.length; k++) h = (h * 31 + name.charCodeAt(k)) % 9973;
    return (h % 46) + 8;
  }
  let hues = null,
    huesOf = null,
    theme = {};
  function readTheme() {
    const style = getComputedStyle(document.documentElement),
      value = key => style.getPropertyValue(key).trim();
    theme = isPrinting
      ? { ground: '#fff', ink: '#000', text: '#000', thin: '#aaa', found: '#f2a900', root: '#ddd',
        chosen: '#6fa8ff', less: '#9dbff5', same: '#e8e6e1', more: '#f5a79d', light: 80 }
      : { ground: value('--card'), ink: value('--ink'), text: value('--frame-ink'),
        thin: value('--thin'), found: value('--found'), root: value('--line'),
        chosen: value('--chosen'), less: value('--less'), same: value('--same'),
        more: value('--more'), light: parseFloat(value('--frame')) };
    paints = Uint32Array.from({ length: SAME + 2 }, (_, h) =>
      h < 64 ? warm(h, 0.78, theme.light / 100)
        : pixelOf([theme.root, theme.found, theme.chosen, theme.thin, theme.ground,
          theme.less, theme.same, theme.more][h - 64]));
  }
  // As a canvas keeps its pixels. The colours of the style sheet are #rgb or #rrggbb.
  const pixelOf = colour => {
    const digits = colour.length < 6 ? colour.replace(/[0-9a-f]/gi, '$&$&') : colour;
    const value = parseInt(digits.slice(1), 16);
    return (0xff000000 | ((value & 255) << 16) | (value & 0xff00) | (value >> 16)) >>> 0;
  };
  function warm(hue, much, light) {
    const a = much * Math.min(light, 1 - light);
    const part = n => {
      const k = (n + hue / 30) % 12;
      return Math.round(255 * (light - a * Math.max(-1, Math.min(k - 3, 9 - k, 1))));
    };
    return (0xff000000 | (part(4) << 16) | (part(8) << 8) | part(0)) >>> 0;
  }
  const rowY = depth => (o.isUp ? height - (depth + 1) * ROW + scroll : depth * ROW - scroll);
  const rowAtY = y => Math.floor((o.isUp ? height - y + scroll : y + scroll) / ROW);
  const scale = () => width / (x1 - x0 || 1);

  function draw() {
    if (!tree || !width) return;
    const ratio = isPrinting ? 2 : devicePixelRatio || 1;
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
      canvas.style.height = height + 'px';
    }
    const wideAll = canvas.width;
    if (!image || image.width !== wideAll || image.height !== canvas.height) {
      image = pen.createImageData(wideAll, canvas.height);
      pixels = new Uint32Array(image.data.buffer);
      line = new Uint32Array(wideAll);
    }
    pixels.fill(paints[GROUND]);
    const { rows, rowAt, x, sum, name, names } = tree,
      k = wideAll / (x1 - x0 || 1), // pixels of the screen
      thinName = names.length - 1,
      labels = []; // node, left, top, width
    for (let d = 0; d <= tree.deepest; d++) {
      const y = rowY(d);
      if (y <= -ROW || y >= height) continue;
      const stop = rowAt[d + 1];
      line.fill(paints[GROUND]);
      for (let m = firstInRow(tree, d, x0); m < stop;) {
        const i = rows[m];
        if (x[i] >= x1) break;
        const left = Math.max(0, (x[i] - x0) * k),
          right = Math.min(wideAll, (x[i] + sum[i] - x0) * k),
          wide = right - left,
          from = Math.floor(left);
        if (wide < 1) {
          // One bar for all that begins in this pixel. The next one is found by steps that double,
          // and then by halving.
          const edge = x0 + (from + 1) / k;
          let low = m + 1,
            stride = 1;
          while (low < stop && x[rows[low]] < edge) {
            low += stride;
            stride *= 2;
          }
          let high = Math.min(low, stop);
          low = Math.max(m + 1, low - stride / 2);
          while (low < high) {
            const middle = (low + high) >> 1;
            if (x[rows[middle]] < edge) low = middle + 1;
            else high = middle;
          }
          // Only the last one that begins here may be wide: then it is a box of its own.
          if (low - 1 > m && (x[rows[low - 1]] + sum[rows[low - 1]] - x0) * k - from >= 2) low--;
          let paint = THIN;
          if (lit || chosen || ways) {
            for (let q = m; q < low && q < m + 64; q++) {
              if (ways && ways[rows[q]]) paint = SAME + ways[rows[q]];
              else if (lit && lit[name[rows[q]]]) paint = FOUND;
              else if (chosen && chosen[name[rows[q]]]) paint = CHOSEN;
            }
          }
          line[from] = paints[paint];
          m = low;
          continue;
        }
        const which = name[i];
        const paint =
          i === 0 ? ROOT
            : ways ? SAME + ways[i]
            : lit && lit[which] ? FOUND
              : chosen && chosen[which] ? CHOSEN
                : tree.hasThin && which === thinName ? THIN
                  : hues[which];
        // A pixel between boxes, where there is room for it.
        line.fill(paints[paint], from, Math.round(right) - (wide > 3 * ratio ? 1 : 0));
        if (wide > 28 * ratio) labels.push(i, left / ratio, y, wide / ratio);
        m++;
      }
      const top = Math.round(y * ratio),
        bottom = Math.min(canvas.height, Math.round((y + ROW) * ratio) - 1);
      for (let r = Math.max(0, top); r < bottom; r++) pixels.set(line, r * wideAll);
    }
    pen.putImageData(image, 0, 0);
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.font = '12px system-ui, sans-serif';
    pen.textBaseline = 'middle';
    for (let q = 0; q < labels.length; q += 4) {
      const i = labels[q];
      if (q < 8) pen.fillStyle = i === 0 ? theme.ink : theme.text;
      const room = Math.floor((labels[q + 3] - 7) / 6.4);
      pen.fillText(cut(i === 0 ? rootName() : names[name[i]], room), labels[q + 1] + 4, labels[q + 2] + ROW / 2);
    }
    if (hasFocus) outline(cursor);
  }
  const rootName = () => (o.rootName ? o.rootName() : 'all');
  // Between characters, never inside a surrogate pair.
  function cut(text, most) {
    if (text.length <= most) return text;
    if (most < 3) return '';
    const code = text.charCodeAt(most - 2);
    return text.slice(0, code >= 0xd800 && code < 0xdc00 ? most - 2 : most - 1) + '…';
  }
  function outline(i) {
    const b = boxOf(i);
    pen.strokeStyle = theme.ink;
    pen.lineWidth = 2;
    pen.strokeRect(Math.max(1, b.left), b.top + 1, Math.max(2, b.wide - 2), ROW - 3);
  }
  function boxOf(i) {
    const k = scale(),
      left = Math.max(0, (tree.x[i] - x0) * k);
    return { left, wide: Math.min(width, (tree.x[i] + tree.sum[i] - x0) * k) - left,
      top: rowY(tree.depth[i]) };
  }
  function nodeAt(px, py) {
    const d = rowAtY(py);
    if (!tree || d < 0 || d > tree.deepest) return -1;
    const m = firstInRow(tree, d, x0 + px / scale());
    if (m >= tree.rowAt[d + 1]) return -1;
    const i = tree.rows[m];
    return tree.x[i] <= x0 + (px + 1) / scale() ? i : -1;
  }

  // ---- the range that shows

  const most = () => Math.max(0, (tree.deepest + 1) * ROW - height);
  function setRange(from, to) {
    const end = tree.sum[0] || 1,
      wide = Math.max(end / 1e9, Math.min(end, to - from));
    x0 = Math.max(0, Math.min(end - wide, from));
    x1 = x0 + wide;
  }
  function bringRow(depth) {
    const top = depth * ROW;
    if (top - 3 * ROW < scroll) scroll = Math.max(0, top - 3 * ROW);
    if (top + 6 * ROW > scroll + height) scroll = Math.min(most(), top + 6 * ROW - height);
  }
  let waiting = 0;
  const later = () => {
    if (!waiting)
      waiting = requestAnimationFrame(() => {
        waiting = 0;
        draw();
      });
  };
  let telling = 0;
  const tellRange = () => {
    clearTimeout(telling);
    telling = setTimeout(() => {
      const end = tree.sum[0] || 1;
      if (o.onrange) o.onrange(x0 <= 0 && x1 >= end ? null : [x0 / end, x1 / end]);
    }, 250);
  };
  canvas.addEventListener(
    'wheel',
    event => {
      if (!tree) return;
      if (event.ctrlKey || event.metaKey) {
        event.preventDefault();
        const at = x0 + event.offsetX / scale(),
          by = Math.exp(Math.max(-60, Math.min(60, event.deltaY)) * 0.01);
        setRange(at - (at - x0) * by, at + (x1 - at) * by);
        tellRange();
        later();
        return;
      }
      const sideways = event.shiftKey ? event.deltaY : event.deltaX;
      if (sideways && (x0 > 0 || x1 < tree.sum[0])) {
        event.preventDefault();
        setRange(x0 + sideways / scale(), x1 + sideways / scale());
        tellRange();
        later();
        return;
      }
      const wanted = Math.max(0, Math.min(most(), scroll + (o.isUp ? -1 : 1) * event.deltaY));
      if (wanted === scroll || event.shiftKey) return;
      event.preventDefault();
      scroll = wanted;
      later();
    },
    { passive: false },
  );
  let drag = null;
  canvas.addEventListener('pointerdown', event => {
    if (event.button !== 0) return;
    drag = { x: event.clientX, y: event.clientY, from: x0, to: x1, scroll, moved: false };
  });
  canvas.addEventListener('pointermove', event => {
    if (drag && event.buttons === 0) drag = null;
    if (drag) {
      const dx = event.clientX - drag.x,
        dy = event.clientY - drag.y;
      if (!drag.moved && Math.abs(dx) + Math.abs(dy) < 5) return;
      if (!drag.moved && event.pointerType === 'mouse') canvas.setPointerCapture(event.pointerId);
      drag.moved = true;
      const k = scale();
      setRange(drag.from - dx / k, drag.to - dx / k);
      scroll = Math.max(0, Math.min(most(), drag.scroll + (o.isUp ? dy : -dy)));
      hideTip();
      tellRange();
      later();
      return;
    }
    const i = nodeAt(event.offsetX, event.offsetY);
    canvas.style.cursor = i >= 0 ? 'pointer' : 'default';
    if (i >= 0) showTip(event.clientX, event.clientY, o.words(i));
    else hideTip();
  });
  canvas.addEventListener('pointerleave', hideTip);
  canvas.addEventListener('click', event => {
    const moved = drag && drag.moved;
    drag = null;
    if (moved) return;
    const i = nodeAt(event.offsetX, event.offsetY);
    if (i >= 0) pick(i);
  });
  function pick(i) {
    hideTip();
    if (tree.hasThin && tree.name[i] === tree.names.length - 1) return;
    cursor = i;
    o.onpick(i);
  }

  // ---- by keyboard

  // The cursor's callers, its siblings and its callees: at most some of each.
  const BESIDE = 12;
  function siblings(i) {
    const list = [];
    if (i === 0) return [0];
    const p = tree.parent[i];
    for (let k = p + 1; k < tree.end[p]; k = tree.end[k]) list.push(k);
    return list;
  }
  function paintMirror() {
    if (!tree) return;
    const path = [];
    for (let i = cursor; i > 0; i = tree.parent[i]) path.unshift(tree.parent[i]);
    const beside = siblings(cursor),
      at = beside.indexOf(cursor),
      below = tree.end[cursor] > cursor + 1 ? siblings(cursor + 1) : [];
    const item = (i, place, of) =>
      el(
        'li',
        {
          role: 'treeitem',
          'aria-level': tree.depth[i] + 1,
          'aria-posinset': place,
          'aria-setsize': of,
          'aria-selected': String(i === cursor),
          'aria-expanded': tree.end[i] > i + 1 ? String(path.includes(i) || i === cursor) : null,
          tabindex: i === cursor ? 0 : -1,
          'data-node': i,
        },
        (i === 0 ? rootName() : tree.names[tree.name[i]]) + ' ' +
          (o.said ? o.said(i) : percent(tree.sum[i] / all)),
      );
    const had = mirror.contains(document.activeElement);
    fill(
      mirror,
      path.slice(-40).map(i => item(i, siblings(i).indexOf(i) + 1, siblings(i).length)),
      beside
        .map((i, k) => [i, k])
        .filter(([, k]) => Math.abs(k - at) <= BESIDE)
        .flatMap(([i, k]) => [
          item(i, k + 1, beside.length),
          ...(i === cursor
            ? below.slice(0, BESIDE).map((b, q) => item(b, q + 1, below.length))
            : []),
        ]),
    );
    if (had) focusCursor();
  }
  const focusCursor = () => {
    const item = mirror.querySelector('[tabindex="0"]');
    if (item) item.focus({ preventScroll: true });
  };
  function tipAtCursor() {
    const b = boxOf(cursor),
      box = canvas.getBoundingClientRect();
    showTip(box.left + b.left, box.top + b.top + 4, o.words(cursor));
  }
  function goTo(i) {
    cursor = i;
    const b = boxOf(i);
    if (tree.x[i] + tree.sum[i] <= x0 || tree.x[i] >= x1 || b.wide < 2) {
      const around = Math.max(tree.sum[i] * 8, (x1 - x0) / 50);
      setRange(tree.x[i] - around / 2, tree.x[i] + around / 2);
      tellRange();
    }
    bringRow(tree.depth[i]);
    paintMirror();
    draw();
    tipAtCursor();
  }
  mirror.addEventListener('focusin', event => {
    const item = event.target.closest('[data-node]');
    hasFocus = true;
    if (item && Number(item.dataset.node) !== cursor) return goTo(Number(item.dataset.node));
    draw();
    tipAtCursor();
  });
  mirror.addEventListener('focusout', () => {
    hasFocus = false;
    hideTip();
    draw();
  });
  mirror.addEventListener('keydown', event => {
    if (!tree || event.ctrlKey || event.altKey || event.metaKey) return;
    const list = siblings(cursor),
      at = list.indexOf(cursor);
    const inward = tree.end[cursor] > cursor + 1 ? cursor + 1 : cursor,
      outward = tree.parent[cursor];
    const to = {
      ArrowDown: o.isUp ? outward : inward,
      ArrowUp: o.isUp ? inward : outward,
      ArrowRight: list[Math.min(list.length - 1, at + 1)],
      ArrowLeft: list[Math.max(0, at - 1)],
      Home: 0,
    }[event.key];
    if (to !== undefined) {
      event.preventDefault();
      goTo(to);
    } else if (event.key === 'Enter' || event.key === ' ') {
      event.preventDefault();
      pick(cursor);
    } else if (event.key === '+' || event.key === '-') {
      const by = event.key === '+' ? 0.7 : 1 / 0.7,
        middle = tree.x[cursor] + tree.sum[cursor] / 2;
      setRange(middle - (middle - x0) * by, middle + (x1 - middle) * by);
      tellRange();
      draw();
    }
  });

  new ResizeObserver(() => {
    if (!element.clientWidth || element.clientWidth === width) return;
    width = element.clientWidth;
    readTheme();
    draw();
  }).observe(element);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
    readTheme();
    draw();
  });
  onPrint(now => {
    isPrinting = now;
    readTheme();
    draw();
  });

  return {
    element,
    // zoom: a node that fills the width; range: parts of 1, or null.
    show(now) {
      tree = now.tree;
      all = now.all || 1;
      lit = now.lit;
      chosen = now.chosen;
      ways = now.ways || null;
      if (huesOf !== tree.names) {
        huesOf = tree.names;
        hues = Uint8Array.from(tree.names, hueOf);
      }
      const nothing = !(tree.sum[0] > 0);
      canvas.hidden = mirror.hidden = nothing;
      empty.hidden = !nothing;
      empty.textContent = now.empty || 'There is nothing to draw.';
      const rowsHigh = (tree.deepest + 1) * ROW;
      height = Math.max(3 * ROW, Math.min(o.height, o.isFixed ? o.height : rowsHigh));
      const end = tree.sum[0] || 1,
        zoom = now.zoom || 0;
      if (now.range) setRange(now.range[0] * end, now.range[1] * end);
      else setRange(tree.x[zoom], tree.x[zoom] + tree.sum[zoom]);
      scroll = Math.min(scroll, most());
      if (zoom || !now.range) bringRow(tree.depth[zoom]);
      if (cursor >= tree.n) cursor = 0;
      if (zoom) cursor = zoom;
      width = element.clientWidth || width;
      readTheme();
      paintMirror();
      draw();
    },
    draw,
    // For measuring: one step of a zoom, drawn at once.
    step(from, to) {
      const end = tree.sum[0];
      setRange(from * end, to * end);
      draw();
    },
    // Where a node's box is, in pixels of the page: for tests.
    box(i) {
      const b = boxOf(i),
        box = canvas.getBoundingClientRect();
      return { x: box.left + b.left + b.wide / 2, y: box.top + b.top + ROW / 2, wide: b.wide };
    },
  };
}
