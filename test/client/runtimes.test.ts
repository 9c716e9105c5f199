import { readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { runCommand } from '../../src/tools/embedded/scripts.ts';
import { findChromium, launchChromium } from '../support/gate/chromium.ts';
import { type InstalledClient, installClient } from './installed-client.ts';
import { answer, type Script, startScriptedServer } from '../support/outside-servers/scripted-server.ts';

/** The installed package in Node and in a browser. */

const chromium = findChromium();
if (chromium === null) process.stderr.write('Skipped: the package in a browser, which needs Chromium (Debian: apt-get install chromium)\n');
const inChromium = chromium === null ? test.skip : test;

let installed: InstalledClient;
beforeAll(async () => {
  installed = await installClient();
});
afterAll(() => installed.close());

/** Makes a record although its first answer is lost, uploads a file, and verifies a webhook. */
const work = `
async function work(registry, { createClient, verifyWebhook }) {
  const client = createClient({ baseUrl: registry, apiKey: 'fsk_test' });
  const { data } = await client.POST('/chat/messages', { body: { message: 'Hello' } });
  const file = await client.upload('photo', new Blob(['pixels']), 'photo.jpg');
  const headers = { 'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek', 'webhook-timestamp': '1614265330', 'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=' };
  const change = await verifyWebhook(headers, '{"test": 2432232314}', 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', { at: new Date(1614265330000) });
  return [data.id, file.id, change.test].join();
}`;
const expected = '7,7,2432232314';

/** Serves the API, which loses its first answer, and the files of the package. */
async function startServer() {
  let calls = 0;
  const script: Script = (response, request) => {
    if (request.url === '/') return response.writeHead(200, { 'Content-Type': 'text/html' }).end('<!doctype html>');
    if (request.url.startsWith('/node_modules/'))
      return response.writeHead(200, { 'Content-Type': 'text/javascript' }).end(readFileSync(join(installed.folder, request.url)));
    calls += 1;
    return calls === 1 ? response.destroy() : answer({ id: 7 })(response, request);
  };
  return startScriptedServer(script);
}

test('the Node of the machine, which may be as old as 20', async () => {
  const server = await startServer();
  try {
    const program = `${work}
console.log(await work('${server.url}', await import('federation-registry-client')));`;
    // Without the Node of the project's packages, which is newer.
    const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => !folder.includes('node_modules'));
    const options = { cwd: installed.folder, env: { PATH: folders.join(delimiter) } };
    const { output } = await runCommand('node', ['--input-type=module', '--eval', program], options);
    expect(output.trim()).toBe(expected);
  } finally {
    await server.close();
  }
});

inChromium('a browser', async () => {
  const server = await startServer();
  const browser = await launchChromium(chromium ?? '');
  try {
    const page = await browser.newPage();
    await page.goto(server.url);
    const imports = {
      'openapi-fetch': '/node_modules/openapi-fetch/dist/index.mjs',
      '@noble/ed25519': '/node_modules/@noble/ed25519/index.js',
    };
    const program = `(() => {${work}
const map = document.createElement('script');
map.type = 'importmap';
map.textContent = '${JSON.stringify({ imports })}';
document.head.append(map);
return import('/node_modules/federation-registry-client/dist/index.js').then((client) => work(location.origin, client));
})()`;
    expect(await page.evaluate(program)).toBe(expected);
  } finally {
    await browser.close();
    await server.close();
  }
});
