// streams.js - hot data streams: what repeats, how hot it is, in which lines, how much of all
// references it covers.
function drawStreams(p, host) {
  // Each line of code has a colour of its own. Those of the hottest lines are far apart.
  const APART = 24;
  const heat = new Map();
  for (const s of p.list) {
    for (const site of s.sites) heat.set(site, (heat.get(site) || 0) + s.frequency);
  }
  const hottest = [...heat.keys()].sort((a, b) => heat.get(b) - heat.get(a) || a - b);
  const hue = k => ((k * 137.508) % 360).toFixed(1);
  const paint = k => 'hsl(' + hue(k) + ' 62% ' + [45, 62, 33][Math.floor(k / 8) % 3] + '%)';
  const colours = new Map(hottest.map((site, k) => [site, paint(k)]));
  const colour = site => colours.get(site) || 'gray';
  const share = s => s.heat / (p.references || 1);
  const detail = el('div', { class: 'stream-detail' });
  const runs = s => {                                   // equal sites side by side become one row
    const list = [];
    s.sites.forEach((site, i) => {
      const last = list[list.length - 1];
      if (last && last.site === site) {
        last.count++;
        last.addresses.push(s.addresses[i]);
      } else {
        list.push({ site, count: 1, addresses: [s.addresses[i]] });
      }
    });
    return list;
  };
  const site = run => el('tr', {},
    el('td', {}, el('i', { class: 'swatch', style: { background: colour(run.site) } })),
    el('td', {}, p.sites[run.site] + (run.count > 1 ? ' ×' + run.count : '')),
    el('td', {}, run.addresses[0] === '0' ? '' : '0x' + run.addresses[0]));
  const heads = ['colour', 'site', 'first address'].map(title => el('th', {}, title));
  const pick = s => fill(detail,
    el('p', {}, el('b', {}, percent(share(s))), ' of all references: ' + s.length +
      ' references, seen ' + grouped(s.frequency) + ' times'),
    el('table', {}, el('thead', {}, el('tr', {}, heads)), el('tbody', {}, runs(s).map(site))));
  const tip = s => [
    percent(share(s)) + ' of all references',
    s.length + ' references, ' + grouped(s.frequency) + ' times',
    ...runs(s).slice(0, 8).map(run => p.sites[run.site])];
  const square = site => el('i', { style: { background: colour(site) } });
  const events = s => ({ ...onPick(() => pick(s)), ...tipping(() => tip(s)) });
  const row = (s, k) => el('div',
    { class: 'stream', role: 'button', 'data-id': k, ...events(s) },
    el('span', { class: 'stream-share' }, percent(share(s))),
    bar(Math.min(1, share(s) / (share(p.list[0]) || 1)), 'var(--accent)'),
    el('span', { class: 'stream-sites' }, s.sites.map(square)),
    el('span', { class: 'stream-times' }, grouped(s.frequency) + ' ×'));
  const covered = el('div', { class: 'stream-cover' }, p.list.slice(0, 100).map((s, i) =>
    el('i', { style: {
      width: 100 * share(s) + '%', background: 'var(--accent)', opacity: i % 2 ? 0.55 : 0.9,
    } })));
  const list = el('div');
  roving(list, '.stream')(() => fill(list, p.list.slice(0, 60).map(row)));
  host.append(card('Hot data streams' + (p.title ? ': ' + p.title : ''),
    grouped(p.hot) + ' sequences that come back hold ' + percent(p.coverage) + ' of ' +
    grouped(p.references) + ' references. Each square is a reference, in the colour of its ' +
    'line of code' + (heat.size > APART ? '; there are ' + grouped(heat.size) +
      ' lines, so some colours are alike' : '') + '. A click tells which.', null,
    covered,
    el('ul', { class: 'legend' }, hottest.slice(0, APART).map(site => el('li', {},
      el('i', { style: { background: colour(site) } }), p.sites[site])),
      hottest.length > APART && el('li', { class: 'soft' }, 'and ' + grouped(hottest.length - APART) + ' more lines')),
    el('div', { class: 'columns' }, list, detail)));
  if (p.list.length) pick(p.list[0]);
}
section('streams', (profiles, host) => {
  const others = tablesOf(host, ['streams']);
  host.replaceChildren();
  profiles.forEach(p => drawStreams(p, host));
  host.append(...others);
});
