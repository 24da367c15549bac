// page.js FOLDER - opens the pages of page.sh in a headless Chromium and works in them as a person
// does, with real keys and the mouse: on a desktop and on a phone, in the dark, on paper. Says what
// is wrong, and how many checks passed. axe.min.js in FOLDER looks at what people with a screen
// reader or bad eyes meet; without it that is counted as skipped.
'use strict';
const fs = require('fs');
const path = require('path');
const { launch } = require('./browser.js');

const folder = path.resolve(process.argv[2]);
const axe = fs.existsSync(folder + '/axe.min.js')
  ? fs.readFileSync(folder + '/axe.min.js', 'utf8') : null;
let passed = 0,
  failed = 0,
  skipped = axe ? 0 : 1,
  at = '';
function check(what, isRight, got) {
  if (isRight) passed++;
  else {
    failed++;
    console.log('FAILED ' + at + ': ' + what +
      (got === undefined ? '' : ': ' + JSON.stringify(got)));
  }
}

let t;
const run = expression => t.run(expression);
const count = selector => run(`document.querySelectorAll(${JSON.stringify(selector)}).length`);
const textOf = selector => run(`(document.querySelector(${JSON.stringify(selector)}) ||
  {}).textContent || ''`);
const hash = () => run('location.hash');
const focused = () => run(`(() => { const e = document.activeElement;
  return e === document.body ? '' : e.dataset.node !== undefined ? 'node ' + e.textContent :
    e.dataset.row !== undefined ? 'row ' + e.textContent
      : e.id.startsWith('tab-') ? e.textContent
      : e.id || e.getAttribute('aria-label') || e.textContent; })()`);
async function open(name, fragment) {
  await t.go('about:blank');
  await t.go('file://' + folder + '/' + name + '.html' + (fragment ? '#' + fragment : ''));
  check('it opens', await t.until('workbench.isReady || !workbench.tabs.length'));
  await t.frame();
}
async function clickOn(selector) {
  const box = await run(`(() => { const e = document.querySelector(${JSON.stringify(selector)});
    if (!e) return null; e.scrollIntoView({ block: 'nearest' });
    const b = e.getBoundingClientRect();
    return [b.left + b.width / 2, b.top + b.height / 2]; })()`);
  check('there is ' + selector, box !== null);
  if (box) await t.click(...box);
  await t.frame();
}
// A row of the list of files.
const clickRow = async label => {
  await run(`[...document.querySelectorAll('.files .rows .row')].find(e => e.querySelector('.name')
    .textContent.replace(/^[▾▸]/, '').startsWith(${JSON.stringify(label)})).dataset.wanted = 1`);
  await clickOn('[data-wanted]');
  await run(`document.querySelectorAll('[data-wanted]').forEach(b => delete b.dataset.wanted)`);
};
// Over a part of the axis of time. Returns how long a move took, in ms.
async function drag(from, to, isShifted) {
  const box = await run(`(() => { const b = byId('range-of-time').getBoundingClientRect();
    return [b.left, b.top + 8, b.width]; })()`);
  const move = (type, part, buttons) => t.send('Input.dispatchMouseEvent', { type,
    x: box[0] + box[2] * part, y: box[1], button: 'left', buttons, clickCount: 1,
    modifiers: isShifted ? 8 : 0 });
  await move('mousePressed', from, 1);
  await move('mouseMoved', (from + to) / 2, 1);
  const ms = await run(`(() => { const s = performance.now();
    byId('range-of-time').dispatchEvent(new PointerEvent('pointermove', { clientX: ${
      box[0] + box[2] * to}, bubbles: true })); return performance.now() - s; })()`);
  await move('mouseMoved', to, 1);
  await move('mouseReleased', to, 0);
  await t.frame();
  return ms;
}
const clickButton = async label => {
  await run(`[...document.querySelectorAll('button')].find(b =>
    b.textContent === ${JSON.stringify(label)} && b.offsetWidth).dataset.wanted = 1`);
  await clickOn('[data-wanted]');
  await run(`document.querySelectorAll('[data-wanted]').forEach(b => delete b.dataset.wanted)`);
};
// By the tab key, until what has the focus holds.
async function tabTo(holds, most) {
  for (let i = 0; i < (most || 40); i++) {
    if (holds(await focused())) return i;
    await t.key('Tab');
  }
  check('the tab key comes to ' + holds, false, await focused());
  return -1;
}
async function findings(what) {
  if (!axe) return;
  await run(`window.axe ? 0 : (${JSON.stringify(axe)}, 0)`);
  await run(`if (!window.axe) { const s = document.createElement('script');
  s.textContent = ${JSON.stringify(axe)}; document.head.append(s); s.remove(); }`);
  const got = await run(`axe.run(document, { resultTypes: ['violations'] }).then(r =>
    r.violations.map(v => v.id + ': ' + 
      v.nodes.slice(0, 2).map(n => n.html.slice(0, 120)).join(' | ')))`);
  check('axe, ' + what, got.length === 0, got);
}

// Each view once as it is on each screen and in each scheme: of the first page that has it.
const looked = new Set();
async function findingsOfView(tab, width, scheme) {
  const what = tab + ' ' + width + ' ' + scheme;
  if (!looked.has(what)) await findings(what);
  looked.add(what);
}

// ---- what holds for each page

const isWide = () => run('document.documentElement.scrollWidth > innerWidth');
async function everyPage(name, width, scheme) {
  at = name + ' at ' + width;
  await t.size(width, 900);
  await t.media('screen', scheme);
  await open(name);
  const plain = fs.readFileSync(folder + '/' + name + '.html', 'utf8');
  const tables = plain.split('data-table="').length - 1;
  check('title', (await run('document.title')).endsWith(' - bursty'));
  check('two scripts and no more', (await count('script')) === 2);
  for (const tab of await run('workbench.tabs.filter(t => t.button && !t.button.hidden).map(t => t.key)')) {
    await run(`document.getElementById('tab-${tab}').click()`);
    await t.frame();
    await t.frame();
    check('tab ' + tab + ' fits', !(await isWide()),
      await run('document.documentElement.scrollWidth'));
    check('tab ' + tab + ' shows something',
      (await run(`document.getElementById('panel-${tab}').textContent.trim().length`)) > 0);
    check('tab ' + tab + ' has no half characters',
      !(await run(`/[\\ud800-\\udbff](?![\\udc00-\\udfff])|(?:[^\\ud800-\\udbff]|^)[\\udc00-\\udfff]/` +
        '.test(document.body.textContent)')));
    if (!/^(bushy|wide|lines|all|crowded)$/.test(name)) await findingsOfView(tab, width, scheme);
  }
  check('no table is lost', (await count('[data-table]')) === tables,
    [await count('[data-table]'), tables]);
  check('no script error', t.errors.length === 0, t.errors);
  check('nothing is loaded', t.requests.every(url =>
    /^(file:.*\.html|about:blank|blob:|data:)/.test(url)), t.requests);
  t.errors.length = t.requests.length = 0;
}

// ---- what single pages show

const views = {
  // Time: headline, intervals, table, the chosen function, its callers; keys alone.
  async timed() {
    await open('timed');
    check('the sentence', /^draw takes 70\s%.*\(67 to 73\) of the time/.test(await textOf('#lead')),
      await textOf('#lead'));
    check('rows', (await count('.functions .rows .row')) === 3);
    check('not timed', (await textOf('.functions .rows')).includes('not timed'));
    check('the first is chosen', (await textOf('.detail h2')) === 'draw');
    check('who calls it', (await textOf('.kin')).includes('frame'));
    check('first screen',
      await run(`document.querySelector('.flame canvas').getBoundingClientRect().bottom < 900 &&
      document.querySelector('#lead').getBoundingClientRect().bottom < 900`));
    await tabTo(now => now === 'search');
    await tabTo(now => now.startsWith('self'));
    await tabTo(now => now.startsWith('row draw'));
    await t.key('ArrowDown');
    check('arrow keys in the table', (await focused()).startsWith('row frame'), await focused());
    await t.key('Enter');
    check('Enter chooses', (await hash()).includes('function=frame') &&
      (await textOf('.detail h2')) === 'frame', await hash());
    check('focus stays', (await focused()).startsWith('row frame'), await focused());
    await tabTo(now => now === 'Flame');
    await t.key('ArrowRight');
    check('arrow keys go through the tabs', (await hash()).includes('tab=inverted') &&
      (await focused()) === 'Inverted', await hash());
    await t.key('ArrowLeft');
    await tabTo(now => now.startsWith('node '));
    await t.key('Home');
    await t.key('ArrowDown', 2);
    check('down the stack by keys', (await focused()).startsWith('node draw 70'), await focused());
    check('the tip says it',
      /draw.*70\s% \(67 to 73\) of the time, 700 ticks/.test(await textOf('#tip')),
      await textOf('#tip'));
    await t.key('Enter');
    check('Enter zooms', decodeURIComponent(await hash()).includes('zoom=[["frame"'), await hash());
    const before = await hash();
    await t.send('Page.reload');
    await t.until('typeof workbench === "object" && workbench.isReady');
    await t.frame();
    check('reload keeps it', (await hash()) === before && (await textOf('.detail h2')) === 'draw');
    check('one box fills the width',
      (await run(`workbench.flame.box(2).wide /
        document.querySelector(".flame").clientWidth`)) > 0.99);
    await t.key('Escape');
    check('Escape', !/function|zoom/.test(await hash()), await hash());
    await run('history.back()');
    await t.until('location.hash.includes("zoom")');
    await t.frame();
    check('back', (await textOf('.detail h2')) === 'draw' && (await hash()) === before);
    await t.key('Escape');
    await tabTo(now => now === 'hide this', 60);
    await t.key('Enter');
    check('hidden is said', (await textOf('.chips')).includes('hidden: draw') &&
      (await textOf('.chips')).includes('counts for their callers') &&
      (await textOf('.chips')).includes('hidden functions took'), await textOf('.chips'));
    check('hidden counts for its caller', /^frame takes 100/.test(await textOf('#lead')),
      await textOf('#lead'));
    await clickOn('.chip button');
    check('and comes back', (await textOf('.chips')) === '' && /^draw/.test(await textOf('#lead')));
    // Ctrl and the wheel zoom at the pointer; what shows is in the address, and Escape undoes it.
    const box = await run('workbench.flame.box(2)');
    await t.wheel(box.x, box.y, -120, 2);
    check('the wheel zooms', await t.until('location.hash.includes("range=")'), await hash());
    await t.key('Escape');
    check('and Escape undoes it', !(await hash()).includes('range='));
    await run(`setState({ unit: 'calls' })`);
    await t.frame();
    check('calls', /hash takes 75/.test(await textOf('#lead')), await textOf('#lead'));
    await findings('time');
    await t.media('screen', 'dark');
    await findings('time, dark');
  },
  // The second of two functions of one name; names with signs.
  async same_name() {
    await open('same_name');
    await run(`document.querySelectorAll('.functions .rows .row').forEach(r => {
      if (r.textContent.includes('b.c:9')) r.id = 'second'; })`);
    await clickOn('#second');
    check('the right one of two is chosen', (await textOf('.detail .place')) === 'src/b.c:9',
      await textOf('.detail .place'));
    check('alone', (await count('.functions .row.on')) === 1 &&
      (await textOf('.functions .row.on')).includes('b.c:9'));
    check('its own caller', (await textOf('.kin')).includes('run_b') &&
      !(await textOf('.kin')).includes('run_a'));
    await t.key('Escape');
    await t.key('/');
    check('/ goes to search', (await focused()) === 'search');
    await t.type('operator+');
    await t.until('location.hash.includes("search=")');
    await t.frame();
    check('a plus sign is a plus sign', (await count('.functions .rows .row')) === 1 &&
      (await textOf('.functions .rows')).includes('operator+'));
    check('with the sum that it matches',
      /1 of 7 functions.*: 9\s% of the time in 1 context/.test(await textOf('.left p')),
      await textOf('.left p'));
    check('what is typed stays', (await run('document.activeElement.value')) === 'operator+');
    await t.key('Escape');
    await t.type('/^operator.$/');
    await t.until('decodeURIComponent(location.hash).includes(".$/")');
    await t.frame();
    check('an expression', (await count('.functions .rows .row')) === 2);
    await t.key('Escape');
    await t.type('f(');
    await t.until('location.hash.includes("search=f")');
    await t.frame();
    check('brackets', (await count('.functions .rows .row')) === 1);
    // A link to a stack and to functions that this run does not have.
    await open('same_name', 'zoom=' + encodeURIComponent('[["run_a","src/a.c:99"],["gone"]]') +
      '&hide=' + encodeURIComponent('[["elsewhere"]]'));
    check('a link to what is not there says so',
      (await textOf('.below .note')).includes('not in this report as a whole'),
      await textOf('.below .note'));
    check('its line has moved, it is found',
      (await run(`workbench.flame.box(1).wide /
        document.querySelector(".flame").clientWidth`)) > 0.99);
    check('hidden and not there',
      (await textOf('.chips')).includes('Not in this report: elsewhere'));
    await open('same_name',
      'zoom=%5B%7B&range=x&hide=7&focus=%22&tab=no&unit=no&sort=no&file=no&line=no');
    check('a broken link', (await count('.functions .rows .row')) === 7 &&
      t.errors.length === 0, t.errors);
  },
  // Threads: every view is that thread's.
  async mutual() {
    await open('mutual');
    const whole = await textOf('#lead');
    await clickOn('#tab-threads');
    await clickOn('.threads .rows .row');
    check('a thread is chosen', (await hash()).includes('thread=') &&
      (await textOf('.chips')).includes('thread '), await hash());
    check('the sentence', (await textOf('#lead')).length > 10, whole);
    await clickOn('#tab-flame');
    const sums = await run('[seen.tree.sum[0], seen.all, workbench.unit.tree.sum[0]]');
    check('its ticks alone', sums[0] === sums[1] && sums[0] < sums[2], sums);
    await clickOn('.chip button');
    check('all threads again', (await run('seen.tree.sum[0]')) === sums[2]);
    check('on which thread', /On thread main 89\s% of it, thread worker 11\s%\./.test(await textOf('.detail')),
      await textOf('.detail'));
  },
  // Callers and callees by pairs, without stacks; three threads that cannot be picked.
  async game() {
    await open('game');
    check('the sentence', /^collide_pair takes 28.0/.test(await textOf('#lead')),
      await textOf('#lead'));
    await clickOn('.functions .rows .row');
    check('called by', (await textOf('.kin')).includes('broad_phase'));
    check('no flame without stacks', await run('!document.getElementById("tab-flame")'));
    await run(`[...document.querySelectorAll('.functions .sort')].find(b =>
      b.textContent === 'function').id = 'byname'`);
    await clickOn('#byname');
    const names = await run(`[...document.querySelectorAll('.functions .rows .name')].map(e =>
      e.textContent)`);
    check('sorted by name', names.every((name, k) => k === 0 || names[k - 1] <= name), names);
    check('sort is in the address', (await hash()).includes('sort=name'));
    await clickButton('loop trips');
    check('loop trips', (await textOf('#lead')).includes('loop trips'), await textOf('#lead'));
  },
  // Hostile names are text.
  async hostile() {
    await open('hostile');
    check('no markup',
      (await count('#workbench b b, #workbench script, #workbench img, .functions i i')) === 0);
    await t.key('/');
    await t.type('</script>');
    await t.until('location.hash.includes("search=")');
    await t.frame();
    check('searched as text', (await count('.functions .rows .row')) > 0);
    await clickOn('.functions .rows .row');
    check('chosen by its name',
      (await run('document.querySelector(".detail h2").textContent === state.get("function")')));
    await findings('hostile');
  },
  // Contexts by calls, bounds, links; more nodes than can be seen.
  async chains() {
    await open('chains');
    check('a hundred thousand contexts', (await run('seen.tree.n')) === 100801);
    check('bounds are called bounds', (await textOf('#lead')).includes('at least'),
      await textOf('#lead'));
    const painted = await run(`(() => { const c = document.querySelector('.flame canvas'),
      pen = c.getContext('2d'), list = [];
      for (const d of [1, 10, 25]) { 
        const row = pen.getImageData(0, d * 18 + 8, c.width, 1).data; let n = 0;
        const ground = [255, 255, 255];
        for (let k = 0; k < c.width; k++) if (ground.some((v, q) => row[4 * k + q] !== v)) n++;
        let sum = 0;
        for (let m = seen.tree.rowAt[d]; m < seen.tree.rowAt[d + 1]; m++) sum += seen.tree.sum[seen.tree.rows[m]];
        list.push(n / c.width - sum / seen.tree.sum[0]); } return list; })()`);
    check('all of the weight is drawn', painted.every(part => Math.abs(part) < 0.01), painted);
    await clickOn('#tab-sandwich');
    await findings('sandwich');
    await run(`choose('hot leaf', '')`);
    await t.frame();
    check('sandwich', (await textOf('.middle')).startsWith('hot leaf'));
    await clickButton('only this');
    check('focus is said',
      /only stacks with hot leaf.*This shows 0\.33\s% of all calls/.test(await textOf('.chips')),
      await textOf('.chips'));
    await clickOn('#tab-flame');
    check('and only that is drawn', (await run('seen.tree.n')) === 85);
  },
  // Very many contexts.
  async bushy() {
    await open('bushy');
    check('packed', (await run('seen.tree.n')) === 200001);
    const drawn = await run(`(() => { const c = document.querySelector('.flame canvas'),
      pen = c.getContext('2d'); const list = [];
      for (let d = 1; d < 25; d++) { 
        const row = pen.getImageData(0, d * 18 + 8, c.width, 1).data; let n = 0;
        const isDrawn = k => row[4 * k] !== 255 || row[4 * k + 1] !== 255 || row[4 * k + 2] !== 255;
        /* One pixel stands between two boxes. */
        for (let k = 0; k < c.width; k++) if (isDrawn(k) || (isDrawn(k - 1) && isDrawn(k + 1))) n++;
        let sum = 0;
        for (let m = seen.tree.rowAt[d]; m < seen.tree.rowAt[d + 1]; m++) sum += seen.tree.sum[seen.tree.rows[m]];
        if (n / c.width < sum / seen.tree.sum[0] - 0.01) list.push(d); } return list; })()`);
    check('all of the weight is drawn', drawn.length === 0, drawn);
    check('rows', (await count('.functions .rows .row')) < 80);
    await clickOn('.functions .rows .row');
    await t.key('End');
    check('End comes to the last row',
      (await run(`document.activeElement.getAttribute('aria-rowindex')`)) ===
        String((await run('seen.rows.length')) + 1));
    await clickOn('#tab-inverted');
    const part = await run(`(() => { const tree = invert(seen.tree, seen.tree.sum[0] / 4000);
    return tree.sum[0] / (seen.tree.sum[0] - seen.tree.own[0]); })()`);
    check('inverted', Math.abs(part - 1) < 1e-6, part);
  },
  // Coverage: files, source, branches; a file without text.
  async coverage() {
    await open('coverage');
    check('the sentence', /57\.14\s% of 7 lines ran/.test(await textOf('#lead')),
      await textOf('#lead'));
    check('the least covered file is open', (await textOf('.files .rows .row.on')).includes('script>.c'),
      await textOf('.files .rows .row.on'));
    check('why there is no text', (await textOf('.file-head')).includes('is not here'));
    await clickRow('parser.c');
    check('the other file', (await textOf('.file-head h2')) === 'examples/parser/parser.c' &&
      (await hash()).includes('file='));
    check('its lines', (await count('.table.source .row.hit')) > 0 &&
      (await count('.table.source .row.partly')) > 0);
    await clickButton('next missed');
    check('next missed', /line=[0-9]/.test(await hash()), await hash());
    check('ways', /Ways from line|/.test(await textOf('.decisions')));
    await findings('source');
    await t.media('screen', 'dark');
    await findings('source, dark');
  },
  // Files of a project in their folders: sums, by keys and by the mouse, search, order.
  async folders() {
    const names = async () => (await run(`[...document.querySelectorAll('.files .rows .row')]
      .map(e => e.querySelector('.name').textContent.replace(/^[▾▸]/, ''))`)).join(' ');
    const whole = 'tests/ 1 t.c src/ 5 ui/ 2 list.c view.c core/deep/ 2 a.c b.c main.c';
    await open('folders');
    check('folders before files, the least covered first', (await names()) === whole, await names());
    // Of each .c file but main.c 5 lines; one of t_one, view_one and a_one ran, and of b.c three.
    const row = label => `[...document.querySelectorAll('.files .rows .row')].find(e =>
      e.querySelector('.name').textContent.replace(/^[▾▸]/, '').startsWith('${label}'))`;
    const cellsOf = label => run(`[...(${row(label)}).querySelectorAll('.cell')].slice(1)
      .map(e => e.textContent.replace(/\\s/g, ' ')).join(', ')`);
    check('sums of a folder', (await cellsOf('ui/')) === '10.00 %, 12.50 %, 1 of 4', await cellsOf('ui/'));
    check('sums of folders in it', (await cellsOf('src/')) === '28.57 %, 18.75 %, 4 of 9',
      await cellsOf('src/'));
    await run(`document.querySelector('.files [tabindex="0"]').focus()`);
    await t.key('ArrowDown', 3);
    check('a folder says that it is open',
      (await run(`document.activeElement.getAttribute('aria-expanded')`)) === 'true', await focused());
    await t.key('ArrowLeft');
    check('Left closes it', (await names()) === whole.replace(' list.c view.c', '') &&
      (await run(`document.activeElement.getAttribute('aria-expanded')`)) === 'false', await names());
    await t.key('ArrowRight');
    check('Right opens it', (await names()) === whole, await names());
    await clickRow('src/');
    check('a click closes it', (await names()) === 'tests/ 1 t.c src/ 5', await names());
    await t.go('about:blank');
    await open('folders', 'folders=' + encodeURIComponent('[["src"]]'));
    check('so does a link', (await names()) === 'tests/ 1 t.c src/ 5', await names());
    await t.key('/');
    await t.type('b_two');
    await t.until(`state.get('files') === 'b_two'`);
    check('a function is found, in folders that are closed', (await names()) === 'b.c', await names());
    check('and how much of it ran', /^1 of 6 files with “b_two” in src\/core\/deep\/: 60\.00\s% of 5 lines/
      .test(await textOf('.files-head p')), await textOf('.files-head p'));
    await t.key('Tab');
    await run(`document.querySelector('.files [tabindex="0"]').focus()`);
    await t.key('Enter');
    check('Enter goes to it', (await textOf('.file-head h2')) === 'src/core/deep/b.c' &&
      /line=2/.test(await hash()), await hash());
    await clickOn('#search');
    await t.key('Escape');
    await t.until(`!state.get('files')`);
    check('Escape: all files again', (await names()) === 'tests/ 1 t.c src/ 5', await names());
    await t.type('nobody');
    await t.until(`state.get('files') === 'nobody'`);
    check('nothing found is said', (await textOf('.files-head p')).startsWith('No file has “nobody”'));
    await open('folders');
    await run(`document.querySelector('.files .sort').click()`);
    await t.frame();
    check('by name', (await names()) === 'src/ 5 core/deep/ 2 a.c b.c ui/ 2 list.c view.c main.c tests/ 1 t.c',
      await names());
    await findings('folders');
    await t.media('screen', 'dark');
    await findings('folders, dark');
    await t.size(390, 800);
    check('on a phone', !(await isWide()));
    await t.size(1440, 900);
  },
  // What failing tests ran, in the source.
  async failing() {
    await open('failing');
    check('a column of tests', /fail\/pass/.test(await textOf('.table.source .heads')));
    check('lines that they alone ran', (await count('.table.source .row.suspect-3')) === 2,
      await count('.table.source .row.suspect-3'));
    check('lines that all ran', (await count('.table.source .row.suspect-1')) > 0);
    await clickButton('next suspect');
    check('the next one', /line=2/.test(await hash()), await hash());
    check('in words', /5 of 5 failing tests and 0 of 7 passing ones ran line 2: Ochiai 100\s%, which is no luck/
      .test(await textOf('.decisions')), await textOf('.decisions'));
    await findings('failing');
    await t.media('screen', 'dark');
    await findings('failing, dark');
  },
  async mcdc() {
    await open('mcdc');
    check('MC/DC at the line', /MC\/DC/.test(await textOf('.table.source .heads')));
    check('a line that fits has no scroll bar below it', await run(
      `(t => t.scrollWidth <= t.clientWidth)(document.querySelector('.table.source'))`));
    const line = await run(`data.decisions.decisions[0].line`);
    await open('mcdc', 'file=' + encodeURIComponent(await run('data.decisions.decisions[0].file')) +
      '&line=' + line);
    check('conditions', (await count('.decisions table tbody tr')) >= 2 &&
      (await textOf('.decisions')).includes('missing'));
    check('what to run', (await textOf('.decisions tbody')).length > 20);
    await findings('MC/DC');
  },
  // More lines than a call may have arguments.
  async lines() {
    await open('lines');
    check('few rows', (await count('.table.source .rows .row')) < 120);
    await run(`document.querySelector('.table.source [tabindex="0"]').focus()`);
    await t.key('End');
    check('the last line', (await focused()).includes('130000') ||
      (await focused()).includes('130 000'), await focused());
    await t.key('PageUp');
    check('a page up', (await count('.table.source .rows .row')) < 120);
  },
  async footprint() {
    await open('all');
    await clickOn('#tab-flame');
    check('the flame is that of the unit with stacks',
      (await hash()).includes('unit=contexts') && (await run('seen.tree.n')) > 1);
    await clickOn('#tab-footprints');
    check('curves', (await count('.chart polyline')) > 2);
    await run(`document.querySelector('svg.chart').focus()`);
    await t.key('ArrowRight', 4);
    check('the curve is read by keys', /[0-9]/.test(await textOf('.readout')));
    await clickOn('#tab-tables');
    await open('streams');
    check('streams', (await count('.stream')) > 0);
    check('the sentence', /^Hot data streams hold 9[0-9]\.\d+\s% of 1/.test(await textOf('#lead')),
      await textOf('#lead'));
    await findings('streams');
  },
  // Frames of two lengths; what the long ones do more is collecting and waiting.
  async frames() {
    await open('frames');
    await clickOn('#tab-frames');
    await t.frame();
    check('durations', (await count('.durations rect')) === 2 &&
      (await count('.durations rect.slow')) === 1);
    check('what slow ones do more', (await count('#panel-frames .more .here')) === 2);
  },
  // What differs between two runs.
  async changes() {
    await open('changes');
    await clickOn('#tab-changes');
    check('rows', (await count('.changes .rows .row')) > 0);
    const verdicts = await run(`[...document.querySelectorAll('.changes .rows .verdict')].map(e =>
      e.textContent)`);
    check('verdicts', verdicts.every(word => word.length > 0), verdicts);
  },
  // The same as a picture, by keys alone: red and blue where the table says "surely", else grey.
  async difference() {
    await open('difference');
    await tabTo(now => now === 'Changes');
    await t.key('ArrowRight');
    check('arrow keys come to it', (await hash()).includes('tab=difference') &&
      (await focused()) === 'Difference', await hash());
    const colours = await run(`(() => { const view = workbench.flame,
      c = document.querySelector('#panel-difference canvas'),
      pen = c.getContext('2d'), at = c.getBoundingClientRect(), list = {};
      const tree = data.changes.trees[0],
        shown = [...document.querySelectorAll('#panel-difference .flame')].length;
      const made = makeTree(Uint32Array.from(tree.parent), Uint32Array.from(tree.name),
        Float64Array.from(tree.base, (v, i) => v + tree.new[i]), tree.names, tree.places);
      for (let i = 1; i < made.n; i++) { const b = view.box(i);
        const [r, , blue] = pen.getImageData(b.x - at.left + b.wide / 2 - 4,
          b.y - at.top - 7, 1, 1).data;
        list[made.names[made.name[i]]] = r > blue + 20 ? 'red' : blue > r + 20 ? 'blue' : 'grey'; }
      return list; })()`);
    const verdicts = await run(`(() => { const table = data.changes.tables.find(table =>
      table.key === 'stack_changes');
      return Object.fromEntries(table.stack.map((stack, k) => [stack.split(' > ').pop(),
        table.verdict[k]])); })()`);
    const wanted = { slower: 'red', appeared: 'red', faster: 'blue', gone: 'blue', unsure: 'grey',
      same: 'grey' };
    for (const [name, verdict] of Object.entries(verdicts))
      check(name + ' is ' + verdict, colours[name] === wanted[verdict], colours[name]);
    check('all of three colours', 
      ['red', 'blue', 'grey'].every(colour => Object.values(colours).includes(colour)), colours);
    check('the legend counts them', (await textOf('.legend')).includes('surely slower: 3') &&
      (await textOf('.legend')).includes('surely faster: 1'), await textOf('.legend'));
    await tabTo(now => now.startsWith('node '));
    await t.key('ArrowDown', 2);
    check('down the stack by keys',
      (await focused()).startsWith('node parse +200 ms (+131 to +270), surely slower'),
      await focused());
    check('the tip says it',
      /parse.*itself.*\+200 ms.*in all stacks: \+200 ms, slower.*no test/.test(await textOf('#tip')),
      await textOf('#tip'));
    await t.key('Enter');
    check('Enter zooms', decodeURIComponent(await hash()).includes('zoom=[["main"'), await hash());
    await t.key('Escape');
    check('Escape', !/function|zoom/.test(await hash()), await hash());
    await findings('difference');
    await t.media('screen', 'dark');
    await findings('difference, dark');
  },
  // The text of a function without coverage, by keys.
  async text() {
    await open('text');
    await tabTo(now => now === 'Flame');
    await t.key('ArrowRight', 3);
    check('the tab', (await hash()).includes('tab=text'), await hash());
    check('its text',
      (await textOf('.table.source .rows')).includes('return (pressure > 5 && !stuck) || forced;'));
    check('its line is marked',
      /^1\s*68\s%.*static int opens/.test(await textOf('.table.source .row.on')),
      await textOf('.table.source .row.on'));
    await findings('text');
    await run(`choose('main', 'valve.c:4')`);
    await t.frame();
    check('another function', /^4\s*9[0-9].*int main/.test(await textOf('.table.source .row.on')),
      await textOf('.table.source .row.on'));
    await run(`choose('far', 'gone.c:9')`);
    await t.frame();
    check('a file that is not there', (await textOf('#panel-text')).includes('--source-root') &&
      (await run(`document.querySelector('.source-table').hidden`)));
    check('no way to it', !(await textOf('.detail')).includes('source'));
  },
  // What each line costs itself, beside its text: as the table of lines has it.
  async own() {
    const [head, ...rows] = fs.readFileSync(folder + '/own.csv', 'utf8').trim().split('\n')
      .filter(line => line.includes(',')).map(line => line.replace(/"/g, '').split(','));
    const of = key => row => Number(row[head.indexOf(key)]),
      second = rows.filter(row => of('line')(row) === 2 && row.join().includes('shared_line.c')),
      sum = key => second.reduce((all, row) => all + of(key)(row), 0);
    check('two functions share line 2', second.length === 2, second);
    await open('own');
    await run(`choose('few', 'shared_line.c:3')`);
    await run(`document.querySelector('#tab-text').click()`);
    await t.frame();
    check('its words', (await textOf('#panel-text')).includes('own is what each line costs itself'),
      await textOf('#panel-text'));
    const cell = await run(`(() => { const e = [...document.querySelectorAll('.table.source .row')]
      .find(row => /^2/.test(row.textContent)).querySelectorAll('.cost')[1].querySelector('span');
      return [e.textContent, e.title]; })()`);
    check('line 2 has the sum', Math.abs(parseFloat(cell[0]) - 100 * sum('share')) < .6, [cell, sum('share')]);
    const bounds = /^together [0-9.]+\s%\s\(([0-9.]+) to ([0-9.]+)\)/.exec(cell[1]);
    check('and its interval', bounds && Math.abs(bounds[1] - 100 * sum('share_low')) < .6 &&
      Math.abs(bounds[2] - 100 * Math.min(1, sum('share_high'))) < .6, cell[1]);
    check('both by name', /mix in few/.test(cell[1]) && /mix in many/.test(cell[1]), cell[1]);
    await findings('own');
  },
  // Names that somebody could obey stand as in the text; numbers are those of the text, too.
  async names() {
    await open('names');
    const text = fs.readFileSync(folder + '/names.txt', 'utf8');
    check('no mark of direction, no control character', !(await run(
      `/[\\u0000-\\u0008\\u000e-\\u001f\\u007f-\\u009f\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069]/
      .test(document.body.textContent)`)));
    const rows = await run('seen.rows.map(row => [row.amount, row.name, row.place])');
    check('all functions', rows.length === 7, rows);
    for (const [amount, name, place] of rows)
      check('the text has ' + amount + ' ' + name + ' ' + place, text.split('\n').some(line => {
        const words = line.trim().split(/ +/);
        return words.includes(name) && words.includes(String(amount)) &&
          words[words.length - 1] === (place || name);
      }), text);
    check('the whole', (await run('seen.tree.sum[0]')) === 270);
    check('twins are told apart', /^twin \(a.c:6\) takes/.test(await textOf('#lead')) &&
      text.includes('twin (a.c:6) takes'), await textOf('#lead'));
    await run(`document.querySelectorAll('.functions .rows .row').forEach(r => {
      if (/twin/.test(r.textContent) && !/a.c/.test(r.textContent)) r.id = 'unplaced'; })`);
    await clickOn('#unplaced');
    check('one without a place is chosen alone', (await count('.functions .row.on')) === 1 &&
      (await textOf('.functions .row.on')).startsWith('twin30'), await textOf('.functions .row.on'));
    await run(`choose('__proto__', 'a.c:1')`);
    await t.frame();
    check('__proto__ is a name', (await textOf('.detail h2')) === '__proto__' &&
      (await textOf('.kin:last-child')).includes('\\u202eevil'), await textOf('.detail'));
  },
  // Of a thousand threads one has ticks: it stands first, and can be picked.
  async one_of_many() {
    await open('one_of_many', 'tab=threads');
    check('it stands first', /^worker 617100/.test(await textOf('.threads .rows .row')),
      await textOf('.threads .rows .row'));
    check('not all are drawn', (await count('.threads .rows .row')) < 120);
    await clickOn('.threads .rows .row');
    check('picked', (await textOf('.chips')).includes('thread worker 617') &&
      /^draw takes 85/.test(await textOf('#lead')), await textOf('.chips'));
  },
  // A range of time by the mouse, by keys and out of a link; two of them. The log is that of
  // make_dumps.c: load up to 4 s, draw from 5 s on, save on a worker from 6 to 8 s.
  async timeline() {
    const rows = () => run(`seen.rows.filter(r => r.self).map(r => r.name + '=' + r.amount).sort().join(' ')`);
    await open('timeline', 'tab=timeline');
    check('all of it', (await rows()) === 'draw=500 load=400 save=200', await rows());
    const blank = await run(`(() => { const c = document.querySelector('.axis canvas'),
      at = x => [...c.getContext('2d').getImageData(x * c.width, c.height / 4, 1, 1).data].join();
      return [at(0.2), at(0.45), at(0.8)]; })()`);
    check('a gap is a gap, and functions have colours', new Set(blank).size === 3, blank);
    await drag(0.42, 0.7);
    const range = await run(`rangeOfState(theAxis(), '').map(secondsOf)`);
    check('a range by the mouse', Math.abs(range[0] - 4.2) < 0.05 && Math.abs(range[1] - 7) < 0.05, range);
    const wanted = await run(`(() => { const a = theAxis(), [f, e] = rangeOfState(a, ''), n = {};
      for (let i = 0; i < a.n; i++) if (a.us[i] >= f && a.us[i] < e) {
        const k = a.tree.names[a.tree.name[a.node[i]]]; n[k] = (n[k] || 0) + 1; }
      return Object.keys(n).sort().map(k => k + '=' + n[k]).join(' '); })()`);
    check('the table follows', (await rows()) === wanted && /^draw=/.test(wanted), [await rows(), wanted]);
    check('the sentence, too', (await textOf('#lead')).startsWith('draw takes'), await textOf('#lead'));
    check('it is said', /4\.\d* to 7\.?\d* s/.test(await textOf('.chips')), await textOf('.chips'));
    await clickOn('#tab-flame');
    check('the flame graph follows', (await run('seen.tree.sum[0]')) === (await run('seen.all')) &&
      (await run(`!seen.tree.names.some((n, k) => n === 'load' && sumFunctions(seen.tree).total[k])`)));
    check('its intervals are of fewer ticks', await run(`seen.rows[0].worth === seen.all`),
      await run('[seen.rows[0].worth, seen.all]'));
    await clickOn('.chip button');
    check('back to the whole', (await rows()) === 'draw=500 load=400 save=200', await rows());
    await open('timeline', 'tab=timeline&from=6&to=8');
    check('a link', (await rows()) === 'draw=200 save=200', await rows());
    check('threads of a range', /On (main \(41\)|worker \(42\))\s100/.test(await textOf('.detail')),
      await textOf('.detail'));
    await tabTo(now => now === 'range-of-time', 60);
    check('keys: its words', (await run(`byId('range-of-time').getAttribute('aria-valuetext')`)) ===
      '6 to 8 s: 400 ticks', await run(`byId('range-of-time').getAttribute('aria-valuetext')`));
    await t.key('ArrowRight');
    check('keys: on', (await hash()).includes('from=6.5&to=8.5'), await hash());
    check('keys: the table follows', (await rows()) === 'draw=200 save=150', await rows());
    await t.key('+');
    check('keys: less', (await hash()).includes('from=7&to=8'), await hash());
    await t.key('b');
    check('keys: kept', (await hash()).includes('base-from=7&base-to=8'), await hash());
    await t.key('Home');
    check('keys: to the beginning', (await hash()).includes('from=0&to=1'), await hash());
    check('two ranges', /load0\s%100\s%\+100\.0/.test(await textOf('#two-ranges tbody')) &&
      /draw50\.00\s%0\s%-50\.0/.test(await textOf('#two-ranges tbody')), await textOf('#two-ranges tbody'));
    await t.key('End');
    check('keys: to the end', (await hash()).includes('from=9&to=10'), await hash());
    await t.key('-');
    check('keys: more', (await hash()).includes('from=8&to=10'), await hash());
    await t.key('Escape');
    check('keys: none', !/[&#]from=/.test(await hash()), await hash());
    await clickOn('[data-track="1"]');
    check('one thread', (await rows()) === 'save=200', await rows());
    await open('timeline', 'tab=timeline&from=4.1&to=4.9');
    check('a range without a tick is said', /^No tick came/.test(await textOf('#lead')) &&
      (await textOf('.axis-tools output')).includes('no tick, which is no proof'),
      [await textOf('#lead'), await textOf('.axis-tools output')]);
    check('and is no zero', !/0\s*%/.test(await textOf('.functions .rows')), await textOf('.functions .rows'));
    await open('timeline', 'tab=timeline&from=x&to=-3');
    check('a bad link shows all', (await rows()) === 'draw=500 load=400 save=200', await rows());
    await open('waits', 'tab=timeline');
    const inks = await run(`(() => { const c = document.querySelector('.axis canvas'),
      style = getComputedStyle(document.documentElement),
      hex = name => style.getPropertyValue(name).trim(),
      at = (x, y) => '#' + [...c.getContext('2d').getImageData(x * c.width, y * c.height, 1, 1).data]
        .slice(0, 3).map(v => v.toString(16).padStart(2, '0')).join(''),
      row = y => [0.01, 0.105, 0.45, 0.605, 0.715, 0.9].map(x => at(x, y));
      return { wait: hex('--wait'), late: hex('--accent'), ground: hex('--field'),
        frame: row(8 / 72), request: row(24 / 72), main: row(48 / 72), worker: row(68 / 72) }; })()`);
    check('slow frames are marks', inks.frame.map(ink => ink === inks.late).join() ===
      'false,false,false,true,false,false', inks.frame);
    check('each kind has a row', inks.request.map(ink => ink === inks.late).join() ===
      'false,false,false,false,true,false', inks.request);
    check('waits have a colour', inks.main.map(ink => ink === inks.wait).join() ===
      'false,false,true,false,false,false', inks.main);
    check('of each thread', inks.worker.map(ink => ink === inks.wait).join() ===
      'true,true,true,false,false,true', inks.worker);
    const list = async id => (await textOf(id + ' tbody')).replace(/\s+/g, ' ');
    check('who waited', (await list('#who-waited')) ===
      'save worker (42)6 s24 s(not known) worker (42)2 s12 sload main (41)called by main1 s11 s',
      await list('#who-waited'));
    check('slow frames, the longest first', (await list('#slow-frames')) ===
      'request worker (42)7 s300 msframe main (41)6 s100 ms16 msframe main (41)1 s50 ms16 ms',
      await list('#slow-frames'));
    await clickOn('#slow-frames tbody tr:nth-child(2) button');
    check('a click shows that frame alone', (await hash()).includes('from=6&to=6.1') &&
      (await rows()) === 'draw=10 save=10', [await hash(), await rows()]);
    await open('waits', 'tab=timeline&from=3.5&to=4.25');
    check('waits of a range', (await list('#who-waited')) ===
      'save worker (42)750 ms2500 msload main (41)called by main250 ms1250 ms', await list('#who-waited'));
    await clickOn('[data-track="0"]');
    check('of a thread', (await list('#who-waited')) === 'load main (41)called by main250 ms1250 ms',
      await list('#who-waited'));
    await open('crowded', 'tab=timeline');
    // Beside main, which has all of the total, a function of 1.6 % has a bar that can be seen.
    const longest = await run(`Math.max(...[...document.querySelectorAll('.functions .rows .row')].flatMap(r =>
      [...r.querySelector('.share').querySelectorAll('i')].map(i =>
        parseFloat(i.style.left || '0') + parseFloat(i.style.width))))`);
    check('the longest bar of a column is as long as it', longest > 90, longest);
    check('200 threads', (await count('[data-track]')) === 200, await count('[data-track]'));
    const moved = await drag(0.3, 0.6);
    check('a drag moves at once', moved < 100, moved); // .1 ms where nothing else runs
    check('of 65536 ticks', Math.abs((await run('seen.all')) - 0.3 * 65536) < 200, await run('seen.all'));
    check('tracks have room to scroll', await run(`(() => { const e = document.querySelector('.axis-scroll');
      return e.scrollHeight > e.clientHeight; })()`));
  },
  // What a person asks, by mouse: at most three clicks each.
  async questions() {
    let clicks = 0;
    const click = async selector => {
      clicks++;
      await clickOn(selector);
    };
    const row = async (table, words) => {
      await run(`document.querySelectorAll('${table} .rows .row').forEach(r => {
        if (r.textContent.includes(${JSON.stringify(words)})) r.dataset.asked = 1; })`);
      await click(table + ' [data-asked]');
    };
    const answered = async (what, isAnswered) => {
      check(what + ' in ' + clicks + ' clicks', clicks <= 3 && isAnswered, await hash());
      clicks = 0;
    };
    await open('timed');
    await answered('which function', (await textOf('#lead')).startsWith('draw'));
    await open('text');
    await row('.functions', 'opens');
    await answered('who calls it', (await textOf('.kin')).includes('main'));
    await row('.functions', 'main');
    await run(`[...document.querySelectorAll('.detail button')].find(b =>
      b.textContent === 'source').id = 'to-source'`);
    await click('#to-source');
    await answered('which line', /^4\s*9[0-9].*int main/.test(await textOf('.table.source .row.on')));
    await open('difference');
    await answered('what changed', (await textOf('.changes .rows .row')).includes('slower'));
    await click('#tab-difference');
    await answered('where it changed', (await textOf('.legend')).includes('surely slower: 3'));
    await open('mutual');
    await row('.functions', 'frame');
    await answered('on which thread', /On thread .*%/.test(await textOf('.detail')));
    await click('#tab-threads');
    await click('.threads .rows .row');
    await answered('that thread alone', (await textOf('.chips')).includes('thread ') &&
      !(await textOf('main')).includes('thread thread'));
    await open('timeline');
    await click('#tab-timeline');
    await answered('when', await run(`document.querySelector('.axis canvas').height > 0`));
    await click('[data-track="1"]');
    await answered('what a thread did', /^save takes 100/.test(await textOf('#lead')));
    await open('timeline');
    await click('#tab-timeline');
    clicks++;
    await drag(0.5, 0.65);
    await answered('what ran at second 5 to 6.5', (await textOf('#lead')).startsWith('draw takes') &&
      !(await textOf('.functions .rows')).includes('load'));
    await open('waits');
    await click('#tab-timeline');
    await answered('who waited, where, and how long',
      /save worker \(42\)6\ss24\ss/.test((await textOf('#who-waited tbody')).replace(/\u202f/g, ' ')));
    // load is all of the first range, and draw of the second.
    await open('timeline');
    await click('#tab-timeline');
    clicks += 2;
    await drag(0.1, 0.3);
    await drag(0.82, 0.97, true);
    await answered('what changed between two moments',
      /load100\s*%0\s*%-100\.0/.test(await textOf('#two-ranges')) &&
      /draw0\s*%100\s*%\+100\.0/.test(await textOf('#two-ranges')));
    check('both ranges are in the link', /from=8\.(2|199)/.test(await hash()) && /base-from=1&/.test(await hash()),
      await hash());
  },
  // The same by keys alone, and what has the focus is seen.
  async keys() {
    const isSeen = async () => check('the focus is seen', await run(`(() => {
      const e = document.activeElement, b = e.getBoundingClientRect(), s = getComputedStyle(e);
      return e.dataset.node !== undefined || (b.width > 0 && b.top < innerHeight && b.bottom > 0 &&
        (s.outlineStyle !== 'none' || s.boxShadow !== 'none')); })()`), await focused());
    const to = async words => {
      await tabTo(now => now.startsWith(words), 60);
      await isSeen();
    };
    await open('timed');
    await to('row draw');
    await t.key('Enter');
    check('who calls it', (await hash()).includes('function=draw') &&
      (await textOf('.kin')).includes('frame'), await textOf('.kin'));
    await to('frame');
    await t.key('Enter');
    check('to its caller', (await textOf('.detail h2')) === 'frame', await hash());
    await open('text');
    await to('source');
    await t.key('Enter');
    check('which line', (await textOf('.table.source .row.on')).includes('static int opens'));
    await open('difference');
    await to('Changes');
    await to('row ');
    await t.key('Enter');
    check('what changed', /function=/.test(await hash()), await hash());
    await open('mutual');
    await to('Flame');
    for (let i = 0; i < 8 && (await focused()) !== 'Threads'; i++) await t.key('ArrowRight');
    await to('row ');
    await t.key('Enter');
    check('on which thread', (await textOf('.chips')).includes('thread '), await hash());
    await t.key('/');
    await t.type('h');
    await t.key('Escape');
    check('Escape empties the search', !/search=/.test(await hash()), await hash());
  },
  // A fleet's worth of functions.
  async wide() {
    await open('wide');
    check('a hundred thousand rows', (await run('seen.rows.length')) === 100000,
      await run('seen.rows.length'));
    check('few of them in the page', (await count('.functions .rows .row')) < 80);
    const rows = await run('seen.rows.length');
    await clickOn('.functions .rows .row');
    const ms = await run(`(() => { const e = document.querySelector('.functions'),
      s = performance.now(); e.scrollTop = e.scrollHeight / 2;
      e.dispatchEvent(new Event('scroll')); return performance.now() - s; })()`);
    check('scrolls at once', ms < 1000, ms); // a few ms where nothing else runs
    const middle = await run(
      `Number(document.querySelectorAll('.functions .rows .row')[20].dataset.row)`);
    check('to its middle', Math.abs(middle - rows / 2) < 100, [middle, rows]);
  },
};

// On paper: white, whatever the screen is; no page is empty below the head.
async function onPaper(name) {
  at = name + ' on paper';
  await t.size(1280, 900);
  await t.media('screen', 'dark');
  await open(name);
  await run(`dispatchEvent(new Event('beforeprint'))`);
  await t.media('print', 'dark');
  await t.frame();
  const paint = await run(`getComputedStyle(document.body).backgroundColor +
    getComputedStyle(document.body).color`);
  check('black on white', paint === 'rgb(255, 255, 255)rgb(0, 0, 0)', paint);
  check('no buttons',
    await run(`[...document.querySelectorAll('.toolbar, .views, .plain')].every(e =>
      e.offsetHeight === 0)`));
  check('nothing scrolls', await run(`[...document.querySelectorAll('.table')].every(e =>
    e.scrollHeight <= e.clientHeight + 2)`));
  const pixel = await run(`(() => { const c = document.querySelector('.flame canvas');
  if (!c || !c.offsetHeight) return 255;
    return c.getContext('2d').getImageData(c.width - 2, c.height - 2, 1, 1).data[0]; })()`);
  check('the picture is white, too', pixel > 150, pixel);
  const first = await run(`(() => { const e = document.querySelector('.table, .panel:not([hidden])');
    return e.getBoundingClientRect().top; })()`);
  check('the first table begins on the first page', first < 700, first);
  await run(`dispatchEvent(new Event('afterprint'))`);
  await t.media('screen', 'light');
}

(async () => {
  const browser = await launch();
  t = await browser.open();
  const names = process.argv.slice(3);
  let k = 0;
  for (const name of names) {
    for (const width of [390, 1440]) {
      const start = Date.now();
      try {
        await everyPage(name, width, ++k % 4 < 2 ? 'light' : 'dark');
      } catch (error) {
        check('it works to its end', false, String(error.stack || error));
      }
      if (process.env.SHOW) console.log(at, Date.now() - start, 'ms');
    }
  }
  await t.size(1440, 900);
  for (const [name, view] of Object.entries(views)) {
    if (process.env.ONLY && process.env.ONLY !== name) continue;
    if (['frames', 'changes'].includes(name) &&
      !fs.existsSync(folder + '/' + name + '.html')) continue;
    at = name;
    const start = Date.now();
    await t.media('screen', 'light');
    try {
      await view();
    } catch (error) {
      check('it works to its end', false, String(error.stack || error));
    }
    check('no script error', t.errors.length === 0, t.errors);
    t.errors.length = 0;
    if (process.env.SHOW) console.log(at, Date.now() - start, 'ms');
  }
  for (const name of process.env.ONLY ? [] : ['timed', 'coverage', 'game']) await onPaper(name);
  at = 'phone';
  await t.size(390, 844);
  await t.media('screen', 'light');
  await open('timed');
  await findings('phone');
  await browser.close();
  console.log(passed + ' passed, ' + failed + ' failed' +
    (skipped ? ', ' + skipped + ' skipped (no axe-core)' : ''));
  process.exit(failed ? 1 : 0);
})();
