// browser.js - drives a headless Chromium over a pipe, as a person would: real keys, the wheel, the
// window's width, print, dark. For page.js and bench/page.js; needs node and nothing else.
'use strict';
const { spawn } = require('child_process');
const fs = require('fs');
const os = require('os');
const path = require('path');

const KEYS = {
  Enter: [13, '\r'], ' ': [32, ' '], Tab: [9, ''], Escape: [27, ''], ArrowUp: [38, ''],
  ArrowDown: [40, ''], ArrowLeft: [37, ''], ArrowRight: [39, ''], Home: [36, ''], End: [35, ''],
  PageDown: [34, ''], PageUp: [33, ''], Backspace: [8, ''],
};

async function launch(more) {
  const profile = fs.mkdtempSync(path.join(os.tmpdir(), 'page-'));
  const child = spawn(
    process.env.CHROMIUM || 'chromium',
    ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
      '--disable-background-networking', '--disable-component-update', '--disable-sync',
      '--disable-dev-shm-usage', '--hide-scrollbars', '--remote-debugging-pipe',
      '--enable-precise-memory-info', '--user-data-dir=' + profile, ...(more || []), 'about:blank'],
    { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] },
  );
  const waiting = new Map(),
    listeners = [];
  let last = 0,
    rest = Buffer.alloc(0);
  child.stdio[4].on('data', chunk => {
    rest = Buffer.concat([rest, chunk]);
    for (let end = rest.indexOf(0); end >= 0; end = rest.indexOf(0)) {
      const message = JSON.parse(rest.subarray(0, end));
      rest = rest.subarray(end + 1);
      if (message.id) {
        const { resolve, reject } = waiting.get(message.id);
        waiting.delete(message.id);
        if (message.error) reject(new Error(message.error.message));
        else resolve(message.result);
      } else for (const listener of listeners) listener(message);
    }
  });
  const send = (method, params, sessionId) =>
    new Promise((resolve, reject) => {
      waiting.set(++last, { resolve, reject });
      child.stdio[3].write(JSON.stringify({ id: last, method, params: params || {}, sessionId }) + '\0');
    });
  return {
    // A tab of its own, with what it says of errors and of requests.
    async open() {
      const { targetId } = await send('Target.createTarget', { url: 'about:blank' });
      const { sessionId } = await send('Target.attachToTarget', { targetId, flatten: true });
      const of = (method, params) => send(method, params, sessionId);
      const errors = [],
        requests = [],
        events = [];
      listeners.push(message => {
        if (message.sessionId !== sessionId) return;
        if (message.method === 'Runtime.exceptionThrown') {
          const d = message.params.exceptionDetails;
          errors.push((d.exception && d.exception.description) || d.text);
        }
        if (message.method === 'Log.entryAdded' && message.params.entry.level === 'error')
          errors.push(message.params.entry.text);
        if (message.method === 'Network.requestWillBeSent')
          requests.push(message.params.request.url);
        for (const event of events.filter(e => e.method === message.method)) event.resolve();
      });
      const once = method => new Promise(resolve => events.push({ method, resolve }));
      for (const domain of ['Page', 'Runtime', 'Log', 'Network']) await of(domain + '.enable');
      const run = async expression => {
        const got = await of('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true });
        if (got.exceptionDetails) {
          const d = got.exceptionDetails;
          throw new Error((d.exception && d.exception.description) || d.text);
        }
        return got.result.value;
      };
      const tab = {
        errors, requests, run, send: of,
        async go(url) {
          const loaded = once('Page.loadEventFired');
          await of('Page.navigate', { url });
          await loaded;
        },
        // Waits until the expression is true; says false if it is not within two minutes.
        async until(expression) {
          for (const end = Date.now() + 120000; Date.now() < end;) {
            if (await run('Boolean(' + expression + ')')) return true;
            await new Promise(resolve => setTimeout(resolve, 20));
          }
          return false;
        },
        size: (width, height) => of('Emulation.setDeviceMetricsOverride',
          { width, height, deviceScaleFactor: 1, mobile: false }),
        media: (media, scheme) => of('Emulation.setEmulatedMedia',
          { media, features: [{ name: 'prefers-color-scheme', value: scheme || 'light' }] }),
        async key(key, count) {
          for (let i = 0; i < (count || 1); i++) {
            const [code, text] = KEYS[key] || [key.toUpperCase().charCodeAt(0), key];
            // Codes of signs are those of other keys.
            const isSign = !KEYS[key] && !/[a-z0-9]/i.test(key);
            const what = { key, windowsVirtualKeyCode: isSign ? 0 : code, code: KEYS[key] ? key : undefined };
            await of('Input.dispatchKeyEvent', { type: 'keyDown', text: text || undefined, ...what });
            await of('Input.dispatchKeyEvent', { type: 'keyUp', ...what });
          }
          await tab.frame();
        },
        async type(text) {
          for (const c of text) await tab.key(c);
        },
        async click(x, y) {
          const at = { x, y, button: 'left', clickCount: 1 };
          await of('Input.dispatchMouseEvent', { type: 'mousePressed', ...at });
          await of('Input.dispatchMouseEvent', { type: 'mouseReleased', ...at });
          await tab.frame();
        },
        wheel: (x, y, deltaY, modifiers) => of('Input.dispatchMouseEvent',
          { type: 'mouseWheel', x, y, deltaX: 0, deltaY, modifiers: modifiers || 0 }),
        frame: () => run('new Promise(done => requestAnimationFrame(() => setTimeout(done, 0)))'),
        async shot(file) {
          const { data } = await of('Page.captureScreenshot', { format: 'png' });
          fs.writeFileSync(file, Buffer.from(data, 'base64'));
        },
        async pdf(file) {
          const { data } = await of('Page.printToPDF', { printBackground: true });
          fs.writeFileSync(file, Buffer.from(data, 'base64'));
        },
      };
      return tab;
    },
    async close() {
      await Promise.race([send('Browser.close').catch(() => {}),
        new Promise(resolve => setTimeout(resolve, 3000))]);
      child.kill();
      for (let i = 0; i < 20; i++) {
        try {
          return fs.rmSync(profile, { recursive: true, force: true });
        } catch (error) {
          await new Promise(resolve => setTimeout(resolve, 100)); // its children end behind it
        }
      }
    },
  };
}
module.exports = { launch };
