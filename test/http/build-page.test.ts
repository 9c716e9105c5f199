import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { errorCatalogue } from '../../src/errors.ts';
import { codeOf } from '../support/texts/page-html.ts';
import { useRegistry } from '../support/use-registry.ts';

const hasTools = spawnSync('sh', ['-c', 'jq --version && curl --json {} --version']).status === 0;

const { api } = await useRegistry({ RATE_LIMIT_UPLOADS_PER_HOUR: '77', WEBHOOK_ALLOWED_HOSTS: 'localhost' });
const html = await (await fetch(`${api.url}/docs/build`)).text();

const found = (pattern: RegExp) => [...html.matchAll(pattern)].map(([, ...groups]) => groups);

test('the page and its links work without scripts, and the reference links to it', async () => {
  const { status, headers } = await fetch(`${api.url}/docs/build`);
  expect(status).toBe(200);
  expect(headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(html).not.toContain('<script');
  const addresses = found(/ href="([^"]+)"/g).map(([address = '']) => address);
  const receiver = `http://localhost:${api.platform.config.WEBHOOK_RECEIVER_PORT}`;
  for (const address of addresses) {
    if (address.startsWith('#')) expect(html).toContain(`id="${address.slice(1)}"`);
    else if (address !== receiver) expect([address, (await fetch(api.url + address)).status]).toEqual([address, 200]);
  }
  expect(await (await fetch(`${api.url}/docs`)).text()).toContain('href="/docs/build"');
});

test('each route and error code on the page exists', async () => {
  const { paths } = (await (await fetch(`${api.url}/api/v1/openapi.json`)).json()) as { paths: Record<string, Record<string, unknown>> };
  const routes = found(/<code>(GET|POST|PUT|PATCH|DELETE) ([^<]+)<\/code>/g).map(([method = '', path = '']) => ({ method, path }));
  expect(routes.length).toBeGreaterThan(5);
  const missing = routes.filter(({ method, path }) => !paths[path]?.[method.toLowerCase()]);
  expect(missing).toEqual([]);

  const catalogue: Record<string, { status: number }> = errorCatalogue;
  const codes = found(/(\d{3}) <code>(\w+)<\/code>/g);
  expect(codes.length).toBeGreaterThan(3);
  for (const [status, code = ''] of codes) expect([code, catalogue[code]?.status]).toEqual([code, Number(status)]);
});

test('limits and days are those of the configuration and the code', () => {
  expect(html).toContain('77 an hour');
  expect(html).toContain(`${api.platform.config.RATE_LIMIT_KEY_PER_MINUTE} a minute`);
  expect(html).toContain('again after 5 s, 1 min, 5 min, 30 min, 2 h, 6 h, 12 h, 24 h, 24 h');
  expect(html).toContain('kept for 90 days');
});

(hasTools ? test : test.skip)('the commands of the page run', async () => {
  const { email, password } = await api.user();
  const blocks = codeOf(html, 'sh');
  // A repeat shows what the key is for.
  const script = blocks.flatMap((block) => (block.includes('Idempotency-Key') ? [block, block] : [block])).join('\n');
  const folder = mkdtempSync(join(tmpdir(), 'registry-commands-'));
  try {
    const env = { PATH: process.env['PATH'] ?? '', EMAIL: email, PASSWORD: password };
    const { stdout } = await promisify(execFile)('sh', ['-eu', '-c', script], { cwd: folder, env });
    expect(stdout.match(/HTTP\/1\.1 201/g)).toHaveLength(2);
    expect(stdout).toContain('Idempotent-Replayed: true');
    expect(stdout.match(/"error":\{"code":"not_found"/g)).toHaveLength(1);
    expect(stdout.match(/"error":/g)).toHaveLength(1);
    expect(stdout).toContain('RateLimit-Remaining: ');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
