// base.js - what the scripts of the page share: its data, elements, numbers, the tip under the pointer.
'use strict';
const data = JSON.parse(document.getElementById('data').textContent);

// A script of the page registers how the section of that key is drawn. Each is called once the page is there, in the
// order of the data, with the section's data and the element in which its plain tables stand.
const drawers = {};
const section = (key, draw) => { drawers[key] = draw; };
addEventListener('DOMContentLoaded', () => {
  for (const key of Object.keys(data)) if (drawers[key]) drawers[key](data[key], byId(key));
});
const byId = id => document.getElementById(id);

// Elements: attributes are as in HTML, but on... is a listener and style an object; children may be lists, null or false.
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
const fill = (e, ...children) => e.replaceChildren(...children.flat(3).filter(c => c !== null && c !== undefined && c !== false));
const el = (tag, attributes, ...children) => make(null, tag, attributes, children);
const svg = (tag, attributes, ...children) => make('http://www.w3.org/2000/svg', tag, attributes, children);

const card = (title, about, tools, ...body) =>
  el('section', { class: 'card' }, el('header', {}, el('h2', {}, title), el('p', {}, about), tools), body);
const bar = (part, colour) => el('div', { class: 'bar' }, el('i', { style: { width: 100 * part + '%', background: colour } }));
const button = (label, onclick, css) => el('button', { type: 'button', class: css || 'plain', onclick }, label);
const onPick = action => ({ tabindex: 0, onclick: action, onkeydown: event => { if (event.key === 'Enter') action(); } });

// Numbers
const NARROW = String.fromCharCode(8239);
const grouped = n => String(Math.round(n)).replace(/[0-9](?=([0-9]{3})+$)/g, digit => digit + NARROW);
const scaled = (n, units, least) => {
  for (const [size, unit] of units) if (n >= size * .9995) return Number((n / size).toPrecision(3)) + NARROW + unit;
  return least(n);
};
const short = n => scaled(n, [[1e15, 'P'], [1e12, 'T'], [1e9, 'G'], [1e6, 'M'], [1e3, 'k']], n => String(Number(n.toPrecision(3))));
const bytes = n => scaled(n, [[2 ** 40, 'TiB'], [2 ** 30, 'GiB'], [2 ** 20, 'MiB'], [1024, 'KiB']], n => Math.round(n) + NARROW + 'B');
function percent(part) {
  const p = 100 * part;
  return (p === 0 ? '0' : p < .01 ? '<0.01' : p < 10 ? p.toFixed(2) : p < 99.95 ? p.toFixed(1) : p.toFixed(0)) + NARROW + '%';
}
function fit(name, pixels) {
  const most = Math.floor(pixels / 6.7);
  return name.length <= most ? name : most < 3 ? '' : name.slice(0, most - 1) + '…';
}

// What lies under the pointer, in words.
function showTip(event, [title, ...lines]) {
  const tip = byId('tip');
  fill(tip, el('b', {}, title), lines.filter(Boolean).map(line => el('div', {}, line)));
  const box = tip.getBoundingClientRect(), below = event.clientY + 16;
  tip.style.left = Math.max(4, Math.min(event.clientX + 14, innerWidth - box.width - 6)) + 'px';
  tip.style.top = (below + box.height > innerHeight ? Math.max(4, event.clientY - box.height - 12) : below) + 'px';
}
const tipping = lines => ({ onpointermove: event => showTip(event, lines()), onpointerleave: () => byId('tip').replaceChildren() });

// Draws now and whenever the element's width changes.
function responsive(host, draw) {
  let width = 0;
  const again = () => { if (host.clientWidth && host.clientWidth !== width) { width = host.clientWidth; draw(width); } };
  new ResizeObserver(again).observe(host);
  again();
}

const search = (label, onquery) => el('input', {
  type: 'search', placeholder: label, 'aria-label': label, oninput: event => onquery(event.target.value.trim().toLowerCase()),
});
function tabs(choices, chosen, onchoose) {
  const box = el('span', { class: 'tabs', role: 'group' });
  const choose = key => { chosen = key; paint(); onchoose(key); };
  const paint = () => fill(box, choices.map(([key, label]) =>
    el('button', { type: 'button', 'aria-pressed': String(key === chosen), onclick: () => choose(key) }, label)));
  paint();
  return box;
}
