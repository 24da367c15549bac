// cost.js - a page in headless Chromium whose CPU time is counted, for axis.js and page.js.
'use strict';
const path = require('path');
const { launch } = require('../tests/browser.js');

// Returns the browser, its tab, cpu() (ms of the main thread so far, which depend little on what
// else runs), and load(page, fragment): ms until one can work in the page.
async function openCounted() {
  const browser = await launch(),
    tab = await browser.open();
  await tab.size(1440, 900);
  await tab.send('Performance.enable', { timeDomain: 'threadTicks' });
  const cpu = async () => {
    const { metrics } = await tab.send('Performance.getMetrics');
    return 1000 * metrics.find(m => m.name === 'TaskDuration').value;
  };
  const load = async (page, fragment) => {
    await tab.go('about:blank');
    const before = await cpu();
    await tab.go('file://' + path.resolve(page) + (fragment || ''));
    await tab.until('workbench.isReady');
    await tab.frame();
    return await cpu() - before;
  };
  return { browser, tab, cpu, load };
}
module.exports = { openCounted };
