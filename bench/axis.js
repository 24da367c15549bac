// axis.js PAGE - what the view of time of a page costs in headless Chromium: milliseconds of the main
// thread's CPU time, for bench/axis.sh.
'use strict';
const { openCounted } = require('./cost.js');

(async () => {
  const { browser, tab: t, cpu, load } = await openCounted();
  const say = (key, ms) => console.log(key + ' ' + ms.toFixed(1));
  say('interactive', await load(process.argv[2], '#tab=timeline'));
  // The mouse goes over a third of the axis, 100 moves and a frame for each.
  const box = await t.run(`(() => { const b = byId('range-of-time').getBoundingClientRect();
    return [b.left, b.top + 20, b.width]; })()`);
  const mouse = (type, part) => t.send('Input.dispatchMouseEvent', { type, x: box[0] + box[2] * part,
    y: box[1], button: 'left', buttons: type === 'mouseReleased' ? 0 : 1, clickCount: 1 });
  await mouse('mousePressed', 0.3);
  let before = await cpu();
  for (let i = 0; i < 100; i++) {
    await mouse('mouseMoved', 0.3 + i / 300);
    await t.frame();
  }
  say('drag', (await cpu() - before) / 100);
  before = await cpu();
  await mouse('mouseReleased', 0.63);
  await t.frame();
  say('range', await cpu() - before);
  before = await cpu();
  await t.run(`setState({ tab: '' })`);
  await t.frame();
  say('flame', await cpu() - before);
  await browser.close();
})();
