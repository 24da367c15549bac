// picture.js PAGE PNG [FRAGMENT [WIDTH HEIGHT]] - a picture of a report in headless Chromium:
//
//     sh demo/run.sh && build/bursty report --html build/demo/picture.html \
//         --title 'demo/index: an indexer of C files' build/demo/index.brst build/demo/bursts.brst &&
//     node bench/picture.js build/demo/picture.html docs/report.png
'use strict';
const fs = require('fs');
const path = require('path');
const { launch } = require('../tests/browser.js');

const [page, picture, fragment, width, height] = process.argv.slice(2);
(async () => {
  const browser = await launch();
  const t = await browser.open();
  await t.size(Number(width || 1280), Number(height || 640));
  await t.media('screen', 'light');
  await t.go('file://' + path.resolve(page) + (fragment ? '#' + fragment : ''));
  const isReady = await t.until('workbench.isReady');
  await t.frame();
  await t.frame();
  const { data } = await t.send('Page.captureScreenshot', { format: 'png' });
  if (isReady) fs.writeFileSync(picture, Buffer.from(data, 'base64'));
  for (const error of t.errors) console.error(error);
  await browser.close();
  process.exit(isReady && t.errors.length === 0 ? 0 : 1);
})();
