import { execFile, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { captchaAnswer } from '../support/identities/captcha-answer.ts';
import { administratorPassword } from '../support/sign-up.ts';
import { startTestApi, type TestApi } from '../support/test-api.ts';
import { codeOf } from '../support/texts/page-html.ts';
import { type InstalledClient, installClient } from './installed-client.ts';

/** The page "From registration to certificate", whose commands and program run as they stand. */

const hasTools = spawnSync('bash', ['-c', 'jq --version && curl --json {} --version']).status === 0;

let api: TestApi;
let installed: InstalledClient;
let html: string;
beforeAll(async () => {
  [api, installed] = await Promise.all([startTestApi(), installClient()]);
  html = await (await fetch(`${api.url}/docs/start`)).text();
});
afterAll(async () => {
  installed?.close();
  await api.close();
});

(hasTools ? test : test.skip)('its commands and its program lead two people to a valid certificate', async () => {
  const [program = ''] = codeOf(html, 'ts');
  expect((await installed.compile(program, { isForNode: true })).output).toBe('');
  writeFileSync(join(installed.folder, 'start.ts'), program);
  const env = {
    PATH: `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`,
    ANSWER: captchaAnswer,
    ADMIN_EMAIL: 'admin@localhost',
    ADMIN_PASSWORD: administratorPassword,
  };
  const { stdout } = await promisify(execFile)('bash', ['--norc', '-euo', 'pipefail', '-c', codeOf(html, 'sh').join('\n')], {
    cwd: installed.folder,
    env,
  });
  expect(stdout).toMatch(/"valid": true,\s+"state": "valid"/);
  expect(readFileSync(join(installed.folder, 'certificate.pdf')).subarray(0, 5).toString()).toBe('%PDF-');
  const numbers = await api.sql<{ number: string }>('select number from certificates order by number');
  expect(numbers).toHaveLength(2);
  expect(stdout).toContain(`\napproved\n${numbers[0]?.number}\n`);
  expect(stdout.trim().split('\n').at(-1)).toMatch(new RegExp(`^${numbers[1]?.number} \\d+ true$`));
});
