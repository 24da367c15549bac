// base.js - what the scripts of the page share: its data, elements, numbers, the state in the
// address, the tip.
'use strict';
// Characters that turn the direction of writing, or do not show, stand as they do in the text:
// \x1b, \u202e. Only tabs and ends of lines stay. `json` has all of them as \u and four digits.
const spelled = json =>
  json.replace(
    /\\(?:u(00(?:0[0-8bcef]|1[0-9a-f]|7f|[89][0-9a-f])|061c|20(?:0[ef]|2[89a-e]|6[6-9])|feff)|.)/g,
    (whole, code) =>
      code ? '\\\\' + (code < '0080' ? 'x' + code.slice(2) : 'u' + code) : whole,
  );
const data = JSON.parse(spelled(document.getElementById('data').textContent));
const byId = id => document.getElementById(id);

// A script of the page registers how the section of that key is drawn. The workbench gives it a
// tab of that title, and calls it with the section's data and an empty element when the tab is
// first shown. The plain tables of all sections stay in the tab of tables.
const drawers = {};
const section = (key, draw, title) => {
  drawers[key] = { draw, title: title || key.charAt(0).toUpperCase() + key.slice(1) };
};

// The plain tables of a section that its script has nothing better for.
const tablesOf = (host, replaced) =>
  [...host.querySelectorAll('[data-table]')].filter(e => !replaced.includes(e.dataset.table));

// ---- elements

// Attributes are as in HTML, but on... is a listener and style an object; children may be lists,
// null or false.
function make(space, tag, attributes, children) {
  const e = space ? document.createElementNS(space, tag) : document.createElement(tag);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith('on')) e.addEventListener(key.slice(2), value);
    else if (key === 'style') Object.assign(e.style, value);
    else e.setAttribute(key, value === true ? '' : value);
  }
  fill(e, ...children);
  return e;
}
const isThere = child => child !== null && child !== undefined && child !== false;
// One child at a time: a call cannot take as many arguments as a source has lines.
function fill(e, ...children) {
  const all = document.createDocumentFragment();
  for (const child of children.flat(3)) {
    if (isThere(child)) all.append(child);
  }
  e.replaceChildren(all);
}
const el = (tag, attributes, ...children) => make(null, tag, attributes, children);
const svg = (tag, attributes, ...children) =>
  make('http://www.w3.org/2000/svg', tag, attributes, children);

const card = (title, about, tools, ...body) =>
  el(
    'section',
    { class: 'card' },
    el('header', {}, el('h2', {}, title), el('p', {}, about), tools),
    body,
  );
const bar = (part, colour) =>
  el('div', { class: 'bar' }, el('i', { style: { width: 100 * part + '%', background: colour } }));
const button = (label, onclick, css) =>
  el('button', { type: 'button', class: css || 'plain', onclick }, label);

// A click picks, unless it ended a selection of text: names can be copied. Enter and the space bar
// pick as well.
const onPick = action => ({
  onclick: () => {
    if (String(getSelection()) === '') action();
  },
  onkeydown: event => {
    if (event.key !== 'Enter' && event.key !== ' ') return;
    event.preventDefault();
    action();
  },
});

// A list or picture is one stop of the tab key; arrow keys go on inside it. After a drawing has
// been made anew the focus goes back to the item with the same data-id.
function roving(host, selector) {
  let last = null;
  const items = () => [...host.querySelectorAll(selector)];
  const settle = () => {
    const list = items();
    const chosen = list.find(item => item.dataset.id === last) || list[0];
    for (const item of list) item.setAttribute('tabindex', item === chosen ? 0 : -1);
    return chosen;
  };
  host.addEventListener('focusin', event => {
    const item = event.target.closest(selector);
    if (item) last = item.dataset.id;
    settle();
  });
  host.addEventListener('keydown', event => {
    const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
    const list = items(),
      at = list.indexOf(event.target.closest(selector));
    if (!step || at < 0) return;
    event.preventDefault();
    list[Math.max(0, Math.min(list.length - 1, at + step))].focus();
  });
  return draw => {
    const had = host.contains(document.activeElement);
    draw();
    const chosen = settle();
    if (had && chosen) chosen.focus({ preventScroll: true });
  };
}

// ---- numbers

// Of any number of them.
const largest = (list, least) => list.reduce((most, v) => (v > most ? v : most), least);
const smallest = (list, most) => list.reduce((least, v) => (v < least ? v : least), most);

const NARROW = '\u202f';
const grouped = n =>
  String(Math.round(n)).replace(/[0-9](?=([0-9]{3})+$)/g, digit => digit + NARROW);
function scaled(n, units, least) {
  for (const [size, unit] of units) {
    if (n >= size * 0.9995) return Number((n / size).toPrecision(3)) + NARROW + unit;
  }
  return least(n);
}
const UNITS = [
  [1e15, 'P'],
  [1e12, 'T'],
  [1e9, 'G'],
  [1e6, 'M'],
  [1e3, 'k'],
];
const short = n => scaled(n, UNITS, few => String(Number(few.toPrecision(3))));
const BYTES = [
  [2 ** 40, 'TiB'],
  [2 ** 30, 'GiB'],
  [2 ** 20, 'MiB'],
  [1024, 'KiB'],
];
const bytes = n => scaled(n, BYTES, few => Math.round(few) + NARROW + 'B');
// As the text has it, with two places: an interval may be narrower than a tenth of a percent.
function percent(part) {
  const p = 100 * part;
  if (p === 0) return '0' + NARROW + '%';
  if (p < 0.005) return '<0.01' + NARROW + '%';
  return (p < 99.995 ? p.toFixed(2) : '100') + NARROW + '%';
}

// Digits follow the interval: 24 % of 17 to 32, 23.6 % of 23.2 to 24.1.
function digits(low, high) {
  const wide = 100 * (high - low);
  return wide >= 2 ? 0 : wide >= 0.2 ? 1 : 2;
}
function near(part, low, high) {
  if (part === null || part === undefined) return '';
  if (low === null || low === undefined) return percent(part);
  const many = digits(low, high),
    p = (100 * part).toFixed(many);
  if (part > 0 && Number(p) === 0) return '<' + Number((10 ** -many).toFixed(many)) + NARROW + '%';
  return p + NARROW + '%';
}
// "24 % (17 to 32)"; without an interval the share alone.
function ranged(part, low, high) {
  if (part === null || part === undefined) return 'not timed';
  if (low === null || low === undefined || low === high) return near(part, low, high);
  const many = digits(low, high);
  return near(part, low, high) + ' (' + (100 * low).toFixed(many) + ' to ' +
    (100 * high).toFixed(many) + ')';
}

// ---- the function that is chosen, in all sections; the state in the address

// #tab=flame&function=NAME&at=FILE:LINE&...: a link shows the same, reload too, and back goes back.
const state = new URLSearchParams(location.hash.slice(1));
const listeners = [];
// isSmall: of a row of small changes, such as typing or turning the wheel. The last one stays, and
// back goes behind all of them.
function setState(changes, isSmall) {
  const before = String(state);
  for (const [key, value] of Object.entries(changes)) {
    if (value) state.set(key, value);
    else state.delete(key);
  }
  if (String(state) === before) return;
  if (isSmall) history.replaceState(null, '', '#' + state);
  else history.pushState(null, '', '#' + state);
  tellListeners();
}
const onState = listener => {
  listeners.push(listener);
};
const tellListeners = () => {
  for (const listener of listeners) listener();
};
const readState = () => {
  const now = new URLSearchParams(location.hash.slice(1));
  if (String(now) === String(state)) return;
  for (const key of [...state.keys()]) state.delete(key);
  for (const [key, value] of now) state.set(key, value);
  tellListeners();
};
addEventListener('popstate', readState);
addEventListener('hashchange', readState);

// A function is its name, file and line: static functions of two files may share a name.
const placed = (file, line) => (file ? file + ':' + line : '');
const choose = (name, at) => setState({ function: name, at: name ? at : '' });
// Which of a list of functions are chosen, by number.
const chosenOf = (names, placeOf) =>
  new Set(sameFunctions(names, placeOf, state.get('function'), state.get('at') || ''));

// ---- search: plain words, or between slashes a regular expression

function matcher(words) {
  if (!words) return () => true;
  const expression = /^\/(.+)\/$/.exec(words);
  if (expression) {
    try {
      const found = new RegExp(expression[1], 'i');
      return name => found.test(name);
    } catch (error) {
      return () => false;
    }
  }
  const plain = words.toLowerCase();
  return name => name.toLowerCase().includes(plain);
}
// Asks when typing pauses, so that a large table does not stand in the way of a key.
function search(label, onquery, value) {
  let timer = 0;
  const later = event => {
    clearTimeout(timer);
    timer = setTimeout(() => onquery(event.target.value.trim()), 120);
  };
  return el('input', {
    type: 'search',
    placeholder: label,
    title: 'words as they are; /.../ is a regular expression',
    'aria-label': label + ' (/.../ is a regular expression)',
    value: value || '',
    oninput: later,
  });
}

// ---- what lies under the pointer, or has the focus, in words

const hideTip = () => byId('tip').replaceChildren();
function showTip(x, y, [title, ...lines]) {
  const tip = byId('tip');
  fill(
    tip,
    el('b', {}, title),
    lines.filter(Boolean).map(line => el('div', {}, line)),
  );
  const box = tip.getBoundingClientRect(),
    below = y + 16;
  const top = below + box.height > innerHeight ? Math.max(4, y - box.height - 12) : below;
  tip.style.left = Math.max(4, Math.min(x + 14, innerWidth - box.width - 6)) + 'px';
  tip.style.top = top + 'px';
}
const tipping = lines => ({
  onpointermove: event => showTip(event.clientX, event.clientY, lines()),
  onpointerdown: event => showTip(event.clientX, event.clientY, lines()),
  onpointerleave: hideTip,
  onfocus: event => {
    const box = event.target.getBoundingClientRect();
    showTip(box.left, box.bottom - 10, lines());
  },
  onblur: hideTip,
});

// Draws now and whenever the element's width changes.
function responsive(host, draw) {
  let width = 0;
  const again = () => {
    if (!host.clientWidth || host.clientWidth === width) return;
    width = host.clientWidth;
    draw(width);
  };
  new ResizeObserver(again).observe(host);
  again();
}

function tabs(choices, chosen, onchoose) {
  const box = el('span', { class: 'tabs', role: 'group' });
  const choose = key => {
    chosen = key;
    paint();
    onchoose(key);
  };
  const one = ([key, label]) =>
    el(
      'button',
      { type: 'button', 'aria-pressed': String(key === chosen), onclick: () => choose(key) },
      label,
    );
  const paint = () => fill(box, choices.map(one));
  paint();
  return box;
}
