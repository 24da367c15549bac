// speedscope.js FOLDER FILE... - what opening a profile in speedscope costs in headless Chromium:
// CPU time of the main thread until it shows the profile, for bench/page.sh. FOLDER has the npm
// package. A profile is opened as speedscope's own command does it: by a script beside it.
'use strict';
const fs = require('fs');
const path = require('path');
const { launch } = require('../tests/browser.js');

const [folder, ...files] = process.argv.slice(2);
const index = path.resolve(folder, 'node_modules/speedscope/dist/release/index.html');
(async () => {
  const browser = await launch(['--allow-file-access-from-files', '--enable-unsafe-swiftshader']),
    t = await browser.open();
  await t.size(1440, 900);
  await t.send('Performance.enable', { timeDomain: 'threadTicks' });
  const cpu = async () =>
    (await t.send('Performance.getMetrics')).metrics.find(m => m.name === 'TaskDuration').value;
  for (const file of files) {
    const script = path.resolve(file + '.js');
    fs.writeFileSync(script, 'speedscope.loadFileFromBase64("' + path.basename(file) + '", "' +
      fs.readFileSync(file).toString('base64') + '")\n');
    await t.go('about:blank');
    const before = await cpu(),
      start = Date.now();
    await t.go('file://' + index + '#localProfilePath=' + script);
    const isThere = await t.until('document.title.endsWith(" - speedscope")');
    const used = ((await cpu()) - before) * 1000;
    console.log((path.basename(file) + ': interactive').padEnd(44) + (isThere
      ? used.toFixed(1).padStart(8) + ' ms of CPU ' + String(Date.now() - start).padStart(8) + ' ms'
      : 'never: ' + t.errors.slice(0, 1)));
    t.errors.length = 0;
    if (!isThere) continue;
    await t.send('HeapProfiler.collectGarbage');
    console.log('  memory'.padEnd(44) +
      ((await t.run('performance.memory.usedJSHeapSize')) / 1e6).toFixed(1).padStart(8) + ' MB');
    fs.unlinkSync(script);
  }
  await browser.close();
})();
