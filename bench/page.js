// page.js PAGE... - what opening and using a page of `bursty report --html` costs in headless
// Chromium: milliseconds of the main thread's CPU time, which do not depend on what else runs, and
// of the clock; for bench/page.sh.
'use strict';
const path = require('path');
const { openCounted } = require('./cost.js');

(async () => {
  const { browser, tab: t, cpu, load } = await openCounted();
  const say = (what, value) => console.log(what.padEnd(44) + value);
  const cost = async (what, expression, times) => {
    const before = await cpu(),
      start = Date.now();
    await t.run(expression);
    await t.frame();
    const each = v => (v / (times || 1)).toFixed(1).padStart(8);
    say(what, each(await cpu() - before) + ' ms of CPU ' +
      each(Date.now() - start) + ' ms');
  };
  for (const page of process.argv.slice(2)) {
    const used = await load(page);
    say(path.basename(page) + ': interactive', used.toFixed(1).padStart(8) + ' ms of CPU ' +
      (await t.run('performance.now()')).toFixed(1).padStart(8) + ' ms');
    await t.send('HeapProfiler.collectGarbage');
    say('  memory',
      ((await t.run('performance.memory.usedJSHeapSize')) / 1e6).toFixed(1).padStart(8) + ' MB');
    if (!(await t.run('Boolean(seen.tree)'))) continue;
    say('  contexts', String((await t.run('seen.tree.n')) - 1).padStart(8));
    await cost('  a step of a zoom', `(() => { for (let f = 0; f < 240; f++) {
      const z = Math.pow(0.97, f < 120 ? f : 240 - f), m = 0.37;
      workbench.flame.step(m - m * z, m + (1 - m) * z); } })()`, 240);
    await cost('  search: what matches, and its sum', `state.set('search', 'operator+');
    litFor = null;
      matched(seen.tree, litMarks(seen.tree)); state.delete('search'); litFor = null`);
    await cost('  search: the whole page', `setState({ search: 'operator+' }, true)`);
    await t.run(`setState({ search: '' }, true)`);
    await cost('  sandwich of a function: the whole page', `setState({ tab: 'sandwich' })`);
    await cost('  another function', `choose(seen.rows[7].name, seen.rows[7].place)`);
    await cost('  inverted: the whole page', `setState({ tab: 'inverted' })`);
    const one = JSON.stringify(await t.run(`JSON.stringify([[seen.rows[3].name, '']])`));
    await cost('  only this function', `setState({ tab: '', focus: ${one} })`);
    await cost('  without this function', `setState({ focus: '', hide: ${one} })`);
  }
  await browser.close();
})();
