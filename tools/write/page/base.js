// base.js - what the scripts of the page share: its data, elements, numbers, the state in the
// address, the tip.
'use strict';
const data = JSON.parse(document.getElementById('data').textContent);
const byId = id => document.getElementById(id);

// A script of the page registers how the section of that key is drawn. Each is called once the page
// is there, in the order of the data, with the section's data and the element in which its plain
// tables stand.
const drawers = {};
const section = (key, draw) => {
  drawers[key] = draw;
};
// If one fails, the plain tables of its section stay, and the others are drawn.
addEventListener('DOMContentLoaded', () => {
  for (const key of Object.keys(data)) {
    if (!drawers[key]) continue;
    try {
      drawers[key](data[key], byId(key));
    } catch (error) {
      reportError(error);
    }
  }
});

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
// Are two shares of one whole, seen in so many independent samples, surely different? McNemar's
// test, as in model/interval.c.
function differs(p, q, samples) {
  const z = 2,
    apart = samples * Math.abs(p - q) - 1;
  return apart > 0 && apart * apart > z * z * samples * (p + q);
}
// As the text has it, with two places: an interval may be narrower than a tenth of a percent.
function percent(part) {
  const p = 100 * part;
  if (p === 0) return '0' + NARROW + '%';
  if (p < 0.005) return '<0.01' + NARROW + '%';
  return (p < 99.995 ? p.toFixed(2) : '100') + NARROW + '%';
}

// As much of a name as fits. It is cut between characters, never inside a surrogate pair.
function fit(name, pixels) {
  const most = Math.floor(pixels / 6.7);
  if (name.length <= most) return name;
  if (most < 3) return '';
  const end = most - 1,
    code = name.charCodeAt(end - 1);
  return name.slice(0, code >= 0xd800 && code < 0xdc00 ? end - 1 : end) + '…';
}

// ---- the function that is chosen, in all sections; the state in the address

// #function=NAME&at=FILE:LINE&zoom=PATH: a link shows the same, and back goes back.
const state = new URLSearchParams(location.hash.slice(1));
const listeners = [];
function setState(changes) {
  const before = String(state);
  for (const [key, value] of Object.entries(changes)) {
    if (value) state.set(key, value);
    else state.delete(key);
  }
  if (String(state) === before) return;
  history.pushState(null, '', '#' + state);
  tellListeners();
}
const onState = listener => {
  listeners.push(listener);
};
const tellListeners = () => {
  for (const listener of listeners) listener();
};
addEventListener('popstate', () => {
  const now = new URLSearchParams(location.hash.slice(1));
  for (const key of [...state.keys()]) state.delete(key);
  for (const [key, value] of now) state.set(key, value);
  tellListeners();
});
addEventListener('keydown', event => {
  if (event.key !== 'Escape') return;
  hideTip();
  setState({ function: '', at: '', zoom: '', 'zoom-ticks': '' });
});

// A function is its name, file and line: static functions of two files may share a name.
const placed = (file, line) => (file ? file + ':' + line : '');
const choose = (name, at) => setState({ function: name, at: name ? at : '' });
// Which of a list of functions are chosen, by number. In another build lines have moved: then those
// of that name in that file are, and else all of that name.
function chosenOf(names, placeOf) {
  const name = state.get('function'),
    at = state.get('at') || '';
  const same = [];
  for (let i = 0; name && i < names.length; i++) if (names[i] === name) same.push(i);
  if (!at) return new Set(same);
  const exact = same.filter(i => placeOf(i) === at);
  const file = place => place.replace(/:[0-9]+$/, '');
  const near = exact.length ? exact : same.filter(i => file(placeOf(i)) === file(at));
  return new Set(near.length ? near : same);
}

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
function search(label, onquery) {
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
