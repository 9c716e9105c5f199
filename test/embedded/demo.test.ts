import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { planCalendar, planDesk, describeOffset } from '../../src/tools/demo/calendar.ts';
import { freePorts } from '../../src/tools/embedded/ports.ts';
import { startWebhookReceiver } from '../../src/tools/simulators/webhook-receiver/server.ts';
import type { Simulator } from '../../src/tools/simulators/simulator.ts';
import { captchaAnswer } from '../support/identities/captcha-answer.ts';
import { administratorPassword } from '../support/sign-up.ts';
import { startTestApi, type TestApi } from '../support/test-api.ts';

const program = fileURLToPath(new URL('../../src/tools/demo/main.ts', import.meta.url));

async function runDemo(env: Record<string, string>, ...walk: string[]): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', program, ...walk], {
    env: { PATH: '/usr/bin:/bin', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, stdout, stderr };
}

describe('npm run demo', () => {
  const directory = mkdtempSync(join(tmpdir(), 'registry-demo-'));
  let api: TestApi;
  let receiver: Simulator;
  let env: Record<string, string>;
  beforeAll(async () => {
    [api, receiver] = await Promise.all([startTestApi({ WEBHOOK_ALLOWED_HOSTS: '127.0.0.1' }), startWebhookReceiver({ port: 0 })]);
    // The person reads the mails of this API.
    symlinkSync(join(api.surroundings.config.DATA_DIR, 'mail'), join(directory, 'mail'));
    env = {
      BASE_URL: api.url,
      DATA_DIR: directory,
      ADMIN_PASSWORD: administratorPassword,
      CAPTCHA_FIXED_ANSWER: captchaAnswer,
      WEBHOOK_RECEIVER_PORT: new URL(receiver.url).port,
    };
  });
  afterAll(async () => {
    await api.close();
    await receiver.close();
    rmSync(directory, { recursive: true, force: true });
  });

  it('runs an application, and again with another person', async () => {
    for (const run of [1, 2]) {
      const { code, stdout, stderr } = await runDemo(env);
      expect([code, stderr]).toEqual([0, '']);
      expect(stdout).toContain('valid: true, state: valid');
      expect(stdout).toContain('verification: valid: false');
      expect(stdout).toMatch(/the same certificate KZ-N-\d{4}-\d{6}, wallet as before \(0\.00 KZT\), verification: valid: true/);
      expect(stdout).toMatch(
        /with the network cut\n {4}valid: KZ-N-\d{4}-\d{6}, .*\n {4}the same QR with one bit changed: not_valid, forged\n/,
      );
      expect(stdout).toMatch(/ {4}KZ-N-\d{4}-\d{6}: approved\n/);
      expect(stdout).toContain(`registry.chat.message_sent.v1: ${api.url}/api/v1/chat`);
      expect(readdirSync(join(directory, 'demo')).filter((name) => name.endsWith('.pdf'))).toHaveLength(run);
      expect(stdout).not.toContain(administratorPassword);
    }
  });

  it.each([
    [
      'competition',
      [/valid: true; the stage `details` is open now/, /place 2: certificate KZ-N-\d{4}-\d{6}/, /results: approved/],
      [/^A-\d{4}-\d{5}\.pdf$/, /^event-\d+\.xlsx$/],
    ],
    [
      'administration',
      [
        /2 decided, none failed/,
        /print: 2 records/,
        /the former owner sees neither/,
        /the bank answers: not paid; the invoice is expired/,
        /password and code open the administration/,
      ],
      [/^print-\d+\.zip$/, /^insurance-\d+\.xlsx$/],
    ],
    [
      'messages',
      [
        /the administrator's stream shows it at once/,
        /notification: "Ответ федерации"/,
        /read, unread now: 0/,
        /The bot is disabled\./,
        /by the stream: Срок действия сертификата скоро истечёт/,
      ],
      [],
    ],
    [
      'integration',
      [
        /registry\.application\.approved\.v1 +application\/\d+ +approved +signature right/,
        /waiting after 1 try, the receiver answered 500/,
        /delivered after 2 tries, with the same id/,
        /again: \d+ changes, all with ids that came before/,
        /POST \/webhooks 422 validation_failed/,
      ],
      [],
    ],
  ])('runs the demo `%s` and stores its files', async (name, patterns, names) => {
    const { code, stdout, stderr } = await runDemo(env, name);
    expect([code, stderr]).toEqual([0, '']);
    for (const pattern of patterns) expect(stdout).toMatch(pattern);
    expect(stdout).not.toContain(administratorPassword);
    const files = readdirSync(join(directory, 'demo'));
    for (const file of names) expect(files).toContainEqual(expect.stringMatching(file));
  });

  it('continues in the new year near the end of a year', async () => {
    const { now } = (await api.browser().get('/sandbox/clock')).body.data;
    const year = Number(now.slice(0, 4));
    await api.travelTo(`${year}-12-31T12:00:00+05:00`);
    const { code, stdout } = await runDemo(env);
    expect(code).toBe(0);
    expect(stdout).toContain(`the clock moves to ${year + 1}-01-01T09:00:00+05:00`);
    expect(stdout).toContain(`the same certificate KZ-N-${year + 1}-000001`);
  });

  it.each([
    [
      'the administrator cannot sign in',
      async () => runDemo({ ...env, ADMIN_PASSWORD: 'not-the-password-of-anybody' }),
      'the administrator admin@localhost cannot sign in; if the password was changed, set ADMIN_EMAIL and ADMIN_PASSWORD',
    ],
    [
      'the stack does not run',
      async () => runDemo({ ...env, BASE_URL: `http://127.0.0.1:${(await freePorts(1))[0]}` }),
      /no registry answers at http:\/\/127\.0\.0\.1:\d+: run npm start first/,
    ],
    [
      'the demo is unknown',
      async () => runDemo(env, 'marathon'),
      'unknown demo "marathon"; known: certificate, competition, administration, messages, integration, desk',
    ],
  ])('reports in one line that %s', async (_what, run, message) => {
    const { code, stderr } = await run();
    expect(code).toBe(1);
    expect(stderr).toMatch(/^\nThe demo stopped: .*\n$/);
    expect(stderr).toMatch(message);
  });

  it('lists its parts with --help', async () => {
    const { code, stdout } = await runDemo(env, '--help');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^npm run demo -- desk +\w.*$/m);
  });

  it('reports a data directory without a registry', async () => {
    const { code, stderr } = await runDemo({ DATA_DIR: join(directory, 'nowhere') });
    expect(code).toBe(1);
    expect(stderr).toContain('run npm start first');
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });
});

describe('the calendar of the demo', () => {
  it.each([
    ['an ordinary day', '2026-03-10T12:00:00+05:00', null, '2026-03-10', '2026-03-11T00:00:00+05:00'],
    ['minutes before midnight', '2026-03-10T23:55:00+05:00', null, '2026-03-11', '2026-03-12T00:00:00+05:00'],
    ['the day before the last', '2026-12-30T12:00:00+05:00', null, '2026-12-30', '2026-12-31T00:00:00+05:00'],
    ['minutes before the last day', '2026-12-30T23:55:00+05:00', '2027-01-01T09:00:00+05:00', '2027-01-01', '2027-01-02T00:00:00+05:00'],
    ['the last day', '2026-12-31T08:00:00+05:00', '2027-01-01T09:00:00+05:00', '2027-01-01', '2027-01-02T00:00:00+05:00'],
    ['the last minutes of the year', '2026-12-31T23:55:00+05:00', '2027-01-01T09:00:00+05:00', '2027-01-01', '2027-01-02T00:00:00+05:00'],
  ])('on %s', (_when, now, startAt, medicalUntil, expiresAt) => {
    const calendar = planCalendar(new Date(now));
    expect(calendar.startAt).toEqual(startAt === null ? null : new Date(startAt));
    expect(calendar.medicalUntil).toBe(medicalUntil);
    expect(calendar.expiresAt).toEqual(new Date(expiresAt));
    expect(calendar.nextMedicalUntil > medicalUntil).toBe(true);
  });

  it.each([
    ['2026-03-10T12:00:00+05:00', '2026-03-11T09:00:00+05:00', '2026-03-31T15:00:00+05:00'],
    ['2026-12-10T12:00:00+05:00', '2027-01-01T09:00:00+05:00', '2027-01-21T15:00:00+05:00'],
  ])('keeps the desk of %s in one year', (now, first, last) => {
    const { arrivals } = planDesk(new Date(now));
    expect([arrivals[0], arrivals.at(-1)]).toEqual([new Date(first), new Date(last)]);
  });

  it('explains a clock that is ahead', () => {
    expect(describeOffset(new Date(), 0)).toBeNull();
    expect(describeOffset(new Date('2026-03-10T12:00:00+05:00'), 40 * 86_400)).toContain('2026-03-10T12:00:00+05:00, 40 days ahead');
  });
});
