import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { errorCatalogue } from '../../src/errors.ts';
import { codeOf, linksOf } from '../support/texts/page-html.ts';
import { useRegistry } from '../support/use-registry.ts';

const hasTools = spawnSync('sh', ['-c', 'jq --version && curl --json {} --version']).status === 0;

const { api } = await useRegistry({ RATE_LIMIT_UPLOADS_PER_HOUR: '77', WEBHOOK_ALLOWED_HOSTS: 'localhost' });
const paths = ['/docs/build', '/docs/start'] as const;
const [html = '', start = ''] = await Promise.all(paths.map(async (path) => (await fetch(api.url + path)).text()));

const found = (page: string, pattern: RegExp) => [...page.matchAll(pattern)].map(([, ...groups]) => groups);

test.each([
  ['/docs/build', html],
  ['/docs/start', start],
])('%s and its links work without scripts, its routes exist, and the other pages link to it', async (path, page) => {
  const { status, headers } = await fetch(api.url + path);
  expect(status).toBe(200);
  expect(headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(page).not.toContain('<script');
  const receiver = `http://localhost:${api.platform.config.WEBHOOK_RECEIVER_PORT}`;
  for (const address of linksOf(page)) {
    if (address.startsWith('#')) expect(page).toContain(`id="${address.slice(1)}"`);
    else if (address !== receiver) expect([address, (await fetch(api.url + address)).status]).toEqual([address, 200]);
  }
  for (const other of ['/', '/docs', ...paths].filter((one) => one !== path))
    expect([other, linksOf(await (await fetch(api.url + other)).text())]).toEqual([other, expect.arrayContaining([path])]);
  const document = (await (await fetch(`${api.url}/api/v1/openapi.json`)).json()) as { paths: Record<string, Record<string, unknown>> };
  const routes = found(page, /<code>(GET|POST|PUT|PATCH|DELETE) ([^<]+)<\/code>/g);
  expect(routes.length).toBeGreaterThan(5);
  expect(routes.filter(([method = '', of = '']) => !document.paths[of]?.[method.toLowerCase()])).toEqual([]);
});

test('each error code on the page exists', () => {
  const catalogue: Record<string, { status: number }> = errorCatalogue;
  const codes = found(html, /(\d{3}) <code>(\w+)<\/code>/g);
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
