// table.js - a table that has rows only where it is looked at: any number of them scrolls at once.
// All rows are equally high. It is one stop of the tab key; arrow keys, Page Up, Page Down, Home
// and End go on inside it, Enter picks.

// o: label, columns [{ key, label, css, cell(i), sorts }], height of a row in pixels, css of the
// whole, onpick(i), isOn(i), rowCss(i), rowLabel(i), onsort(key), least (pixels: wider ones
// scroll), foldOf(i) (is it open? null: it has nothing below it), onfold(i) (by Left and Right).
// Returns { element, set(count), draw(), show(i), head({ sort, up }) }.
function virtualTable(o) {
  const AROUND = 12,
    PRINTED = 60;
  const id = 'table' + ++virtualTable.made;
  const body = el('div', { class: 'rows', role: 'rowgroup' });
  const headRow = el('div', { class: 'row head', role: 'row', 'aria-rowindex': 1 });
  const head = el('div', { class: 'heads', role: 'rowgroup' }, headRow);
  const element = el(
    'div',
    { class: 'table ' + (o.css || ''), role: o.foldOf ? 'treegrid' : 'grid', 'aria-label': o.label, id },
    head,
    body,
  );
  let count = 0,
    active = 0,
    drawn = '',
    isPrinting = false,
    printed = 0; // the first row on paper: that which shows
  if (o.least) body.style.minWidth = head.style.minWidth = o.least;

  const cells = i =>
    o.columns.map(column =>
      el('div', { class: 'cell ' + (column.css || ''), role: 'gridcell' }, column.cell(i)));
  function row(i) {
    return el(
      'div',
      {
        class: ['row', o.isOn && o.isOn(i) && 'on', o.rowCss && o.rowCss(i)].filter(Boolean).join(' '),
        role: 'row',
        id: id + '-' + i,
        'aria-rowindex': i + 2,
        'aria-expanded': o.foldOf && o.foldOf(i) !== null ? String(o.foldOf(i)) : null,
        'aria-selected': o.onpick ? String(Boolean(o.isOn && o.isOn(i))) : null,
        tabindex: i === active ? 0 : -1,
        'data-row': i,
        style: isPrinting ? {} : { top: i * o.height + 'px', height: o.height + 'px' },
      },
      cells(i),
    );
  }
  function draw(force) {
    const first = isPrinting ? printed : Math.max(0, Math.floor(element.scrollTop / o.height) - AROUND);
    const room = Math.ceil((element.clientHeight || 700) / o.height) + 2 * AROUND;
    const last = Math.min(count, isPrinting ? first + PRINTED : first + room);
    const now = first + ' ' + last;
    if (!force && now === drawn) return;
    drawn = now;
    const had = body.contains(document.activeElement);
    const list = [];
    for (let i = first; i < last; i++) list.push(row(i));
    if (!isPrinting && active < count && (active < first || active >= last)) list.push(row(active));
    body.style.height = isPrinting ? '' : count * o.height + 'px';
    fill(
      body,
      list,
      isPrinting && count > last - first &&
        el('div', { class: 'row more soft', role: 'row' },
          el('div', { class: 'cell', role: 'gridcell' }, 'and ' + grouped(count - last + first) + ' more')),
    );
    if (had) focusActive();
  }
  const focusActive = () => {
    const item = body.querySelector('[tabindex="0"]');
    if (item) item.focus({ preventScroll: true });
  };
  const headHeight = () => head.offsetHeight;
  function show(i) {
    const top = i * o.height,
      bottom = top + o.height,
      room = element.clientHeight - headHeight();
    if (top < element.scrollTop) element.scrollTop = top;
    else if (bottom > element.scrollTop + room) element.scrollTop = bottom - room;
  }
  function go(i) {
    active = Math.max(0, Math.min(count - 1, i));
    show(active);
    draw(true);
    focusActive();
  }
  function paintHead(how) {
    const heading = column =>
      el(
        'div',
        {
          class: 'cell ' + (column.css || ''),
          role: 'columnheader',
          'aria-sort': how && how.sort === column.key ? (how.up ? 'ascending' : 'descending') : null,
        },
        o.onsort && column.sorts
          ? el('button', { type: 'button', class: 'sort', onclick: () => o.onsort(column.key) },
            column.label)
          : column.label,
      );
    fill(headRow, o.columns.map(heading));
  }
  element.addEventListener('scroll', () => draw(false));
  element.addEventListener('keydown', event => {
    const item = event.target.closest('[data-row]');
    if (!item || event.ctrlKey || event.altKey || event.metaKey) return;
    const page = Math.max(1, Math.floor(element.clientHeight / o.height) - 2);
    const to = {
      ArrowDown: active + 1,
      ArrowUp: active - 1,
      PageDown: active + page,
      PageUp: active - page,
      Home: 0,
      End: count - 1,
    }[event.key];
    if (to !== undefined) {
      event.preventDefault();
      go(to);
    } else if (o.foldOf && o.foldOf(active) === (event.key === 'ArrowLeft') &&
      /^Arrow(Left|Right)$/.test(event.key)) {
      event.preventDefault();
      o.onfold(active);
    } else if ((event.key === 'Enter' || event.key === ' ') && o.onpick) {
      event.preventDefault();
      o.onpick(active);
    }
  });
  element.addEventListener('click', event => {
    const item = event.target.closest('[data-row]');
    if (!item || !o.onpick || String(getSelection()) !== '') return;
    active = Number(item.dataset.row);
    o.onpick(active);
  });
  element.addEventListener('focusin', event => {
    const item = event.target.closest('[data-row]');
    if (item && Number(item.dataset.row) !== active) {
      active = Number(item.dataset.row);
      for (const other of body.querySelectorAll('[tabindex="0"]')) other.setAttribute('tabindex', -1);
      item.setAttribute('tabindex', 0);
    }
  });
  new ResizeObserver(() => draw(false)).observe(element);
  onPrint(now => {
    printed = Math.max(0, Math.min(Math.floor(element.scrollTop / o.height), count - PRINTED));
    isPrinting = now;
    draw(true);
  });
  paintHead(null);
  return {
    element,
    set(many) {
      count = many;
      if (active >= count) active = 0;
      element.setAttribute('aria-rowcount', count + 1);
      draw(true);
    },
    draw: () => draw(true),
    head: paintHead,
    show(i) {
      active = i;
      show(i);
      draw(true);
    },
  };
}
virtualTable.made = 0;

// Called with true before the page is printed, and with false behind.
const onPrint = listener => {
  addEventListener('beforeprint', () => listener(true));
  addEventListener('afterprint', () => listener(false));
};
