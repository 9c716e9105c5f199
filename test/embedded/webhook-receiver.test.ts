import { createHmac, randomBytes } from 'node:crypto';
import type { Simulator } from '../../src/tools/simulators/simulator.ts';
import { openWebhookInbox } from '../../src/tools/simulators/webhook-receiver/client.ts';
import { startWebhookReceiver } from '../../src/tools/simulators/webhook-receiver/server.ts';
import { waitFor } from '../support/wait-for.ts';

const newSecret = () => `whsec_${randomBytes(24).toString('base64')}`;
const [secret, formerSecret] = [newSecret(), newSecret()];

/** Signs by the text of Standard Webhooks 1.0. */
function sign(id: string, timestamp: string, body: string, by: string): string {
  const key = Buffer.from(by.slice('whsec_'.length), 'base64');
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
}

let count = 0;
type Sent = { id?: string; body?: string; by?: string[]; signal?: AbortSignal };
function deliver(url: string, { id = `msg_${(count += 1)}`, body = '{"type":"document.approved"}', by = [secret], ...rest }: Sent = {}) {
  const timestamp = '1767225600';
  const headers = {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': by.map((one) => sign(id, timestamp, body, one)).join(' '),
  };
  return fetch(url, { method: 'POST', headers, body, ...rest });
}

describe('the webhook receiver', () => {
  let receiver: Simulator;
  beforeAll(async () => {
    receiver = await startWebhookReceiver({ port: 0 });
  });
  afterAll(() => receiver.close());

  const open = (name: string) => openWebhookInbox(receiver.url, name);
  const post = (path: string, fields: Record<string, string>, headers = {}) =>
    fetch(receiver.url + path, { method: 'POST', body: new URLSearchParams(fields), headers, redirect: 'manual' });
  const page = async () => (await fetch(receiver.url)).text();

  it('keeps what arrived, the newest first, and knows repeats', async () => {
    const inbox = await open('repeats');
    for (const id of ['msg_a', 'msg_b', 'msg_a']) expect((await deliver(inbox.url, { id })).status).toBe(200);
    const { deliveries } = await inbox.read();
    expect(deliveries.map(({ id, is_repeat: isRepeat }) => [id, isRepeat])).toEqual([
      ['msg_a', true],
      ['msg_b', false],
      ['msg_a', false],
    ]);
    expect(deliveries[0]).toMatchObject({
      answer: '200',
      body: '{"type":"document.approved"}',
      headers: { 'webhook-timestamp': '1767225600' },
    });
    await inbox.clear();
    await deliver(inbox.url, { id: 'msg_a' });
    expect((await inbox.read()).deliveries.map(({ is_repeat: isRepeat }) => isRepeat)).toEqual([false]);
  });

  it('checks signatures by each secret, later when the secret comes later', async () => {
    const inbox = await open('signatures');
    const signatures = async () => (await inbox.read()).deliveries.map(({ signature }) => signature);
    await deliver(inbox.url);
    await deliver(inbox.url, { by: [newSecret()] });
    expect(await signatures()).toEqual(['unknown', 'unknown']);
    await inbox.control({ secrets: [secret] });
    expect(await signatures()).toEqual(['wrong', 'right']);

    await inbox.clear();
    await deliver(inbox.url, { by: [newSecret(), secret], body: 'Ә' });
    await deliver(inbox.url, { by: [formerSecret] });
    await inbox.control({ secrets: [secret, formerSecret] });
    await deliver(inbox.url, { by: [formerSecret] });
    await fetch(inbox.url, { method: 'POST', body: 'not signed' });
    expect(await signatures()).toEqual(['wrong', 'right', 'wrong', 'right']);
  });

  it('answers on demand, for all or for the next deliveries', async () => {
    const inbox = await open('answers');
    const status = async () => (await deliver(inbox.url)).status;
    await inbox.control({ answer: { kind: '500' } });
    expect([await status(), await status()]).toEqual([500, 500]);
    await inbox.control({ answer: { kind: '410', times: 2 } });
    expect([await status(), await status(), await status()]).toEqual([410, 410, 200]);
    await inbox.control({ answer: { kind: '503', seconds: 7, times: 1 } });
    const busy = await deliver(inbox.url);
    expect([busy.status, busy.headers.get('retry-after')]).toEqual([503, '7']);
    expect((await inbox.read()).deliveries.map(({ answer }) => answer)).toEqual(['503', '200', '410', '410', '500', '500']);
  });

  it('answers slowly, or not at all until the caller or the receiver ends the connection', async () => {
    const inbox = await open('slow');
    await inbox.control({ answer: { kind: 'slow', seconds: 1 } });
    await expect(deliver(inbox.url, { signal: AbortSignal.timeout(300) })).rejects.toThrow('timeout');
    expect((await deliver(inbox.url)).status).toBe(200);

    await inbox.control({ answer: { kind: 'silent' } });
    await expect(deliver(inbox.url, { signal: AbortSignal.timeout(300) })).rejects.toThrow('timeout');
    expect((await inbox.read()).deliveries.map(({ answer }) => answer)).toEqual(['silent', 'slow', 'slow']);

    const other = await startWebhookReceiver({ port: 0 });
    const silent = await openWebhookInbox(other.url, 'silent');
    await silent.control({ answer: { kind: 'silent' } });
    const hanging = deliver(silent.url).catch(String);
    await waitFor(silent.read, ({ deliveries }) => deliveries.length === 1, 'the delivery');
    await other.close();
    expect(await hanging).toContain('fetch failed');
  });

  it('sets secret and answer by the forms of its page', async () => {
    expect((await post('/inboxes', { name: 'by-form' })).headers.get('location')).toBe('/#by-form');
    await post('/inboxes/by-form/secrets', { secrets: ` ${secret}\n${formerSecret} ` });
    await post('/inboxes/by-form/answer', { kind: '503', seconds: '9', times: '' });
    const inbox = await open('by-form');
    expect(await inbox.read()).toMatchObject({ secrets: 2, answer: { kind: '503', seconds: 9, times_left: null } });
    await deliver(inbox.url);
    const html = await page();
    expect(html).toContain('верна · дұрыс · right');
    expect(html).toContain('document.approved · msg_');
    expect(html).toContain('<option value="503" selected>');
    expect(html).not.toContain(secret);
    await post('/inboxes/by-form/clear', {});
    expect((await inbox.read()).deliveries).toEqual([]);
  });

  it('escapes what it shows, and refuses what it does not know', async () => {
    const inbox = await open('escape');
    await deliver(inbox.url, { id: '<script>"id"', body: '{"type":"</pre><script>alert(1)</script>"}', by: [] });
    const html = await page();
    expect(html).toContain('&lt;script&gt;&quot;id&quot;');
    expect(html.match(/<script/g)).toHaveLength(1);

    expect((await post('/inboxes', { name: '<b>' })).status).toBe(422);
    expect((await post('/inboxes/escape/secrets', { secrets: 'password' })).status).toBe(422);
    expect((await post('/inboxes/escape/answer', { kind: 'slow', seconds: '61', times: '' })).status).toBe(422);
    expect((await post('/inboxes/unknown/clear', {})).status).toBe(404);
    expect((await post('/inboxes', { name: 'foreign' }, { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    await expect(inbox.control({ answer: { kind: '503', times: 0 } })).rejects.toThrow('answered 422');
  });
});
