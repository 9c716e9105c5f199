import { createHmac } from 'node:crypto';
import { verifyWebhook, WebhookError, type WebhookHeaders } from '../../client/src/index.ts';

/** Verification of webhooks by Standard Webhooks 1.0. `sign` computes signatures with Node instead of WebCrypto. */

/** The example of the specification's reference libraries. */
const published = {
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  timestamp: '1614265330',
  body: '{"test": 2432232314}',
  signature: 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
};
const at = new Date(1_614_265_330_000);
const otherSecret = `whsec_${Buffer.from('another secret of 32 bytes, 1234').toString('base64')}`;

function sign(secret: string, { id, timestamp, body } = published): string {
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
}

function headersOf(changes: Record<string, string | undefined> = {}): Record<string, string | undefined> {
  const { id, timestamp, signature } = published;
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature, ...changes };
}

const signedBy = (...signatures: string[]) => headersOf({ 'webhook-signature': signatures.join(' ') });

test('the published example has the signature that Node computes', () => {
  expect(sign(published.secret)).toBe(published.signature);
});

test.each<[string, WebhookHeaders, string | string[]]>([
  ['the published example', headersOf(), published.secret],
  ['Headers of a Request', new Headers(Object.entries(headersOf()) as [string, string][]), published.secret],
  [
    'headers in another case',
    { 'Webhook-Id': published.id, 'Webhook-Timestamp': published.timestamp, 'Webhook-Signature': published.signature },
    published.secret,
  ],
  ['two signatures, ours first', signedBy(published.signature, sign(otherSecret)), published.secret],
  ['two signatures, ours last', signedBy(sign(otherSecret), published.signature), published.secret],
  ['a signature of another version beside ours', signedBy('v1a,AAAA', published.signature), published.secret],
  ['several secrets', headersOf(), [otherSecret, published.secret]],
])('accepts %s', async (_what, headers, secret) => {
  expect(await verifyWebhook(headers, published.body, secret, { at })).toEqual({ test: 2_432_232_314 });
  const bytes = new TextEncoder().encode(published.body);
  expect(await verifyWebhook(headers, bytes, secret, { at })).toEqual({ test: 2_432_232_314 });
});

const minutes = (count: number, ms = 0) => new Date(at.getTime() + count * 60_000 + ms);

test.each<[string, Record<string, string | undefined>, string, Date, string]>([
  ['a changed body', headersOf(), '{"test": 2432232315}', at, 'wrong_signature'],
  ['another spelling of the body', headersOf(), '{"test":2432232314}', at, 'wrong_signature'],
  ['a changed id', headersOf({ 'webhook-id': 'msg_other' }), published.body, at, 'wrong_signature'],
  ['a changed timestamp', headersOf({ 'webhook-timestamp': '1614265331' }), published.body, at, 'wrong_signature'],
  ['a signature by another secret', signedBy(sign(otherSecret)), published.body, at, 'wrong_signature'],
  ['a part of the signature', signedBy(published.signature.slice(0, -8)), published.body, at, 'wrong_signature'],
  ['a signature that is not base64', signedBy('v1,-'), published.body, at, 'wrong_signature'],
  ['a signature without a version', signedBy(published.signature.slice(3)), published.body, at, 'wrong_signature'],
  ['an asymmetric version', signedBy(published.signature.replace('v1', 'v1a')), published.body, at, 'wrong_signature'],
  ['a message of more than five minutes ago', headersOf(), published.body, minutes(5, 1), 'outside_tolerance'],
  ['a message of more than five minutes ahead', headersOf(), published.body, minutes(-5, -1), 'outside_tolerance'],
  ['no id', headersOf({ 'webhook-id': undefined }), published.body, at, 'missing_header'],
  ['an empty id', headersOf({ 'webhook-id': '' }), published.body, at, 'missing_header'],
  ['no timestamp', headersOf({ 'webhook-timestamp': undefined }), published.body, at, 'missing_header'],
  ['a timestamp that is no number', headersOf({ 'webhook-timestamp': '1614265330.5' }), published.body, at, 'missing_header'],
  ['no signature', headersOf({ 'webhook-signature': undefined }), published.body, at, 'missing_header'],
])('refuses %s', async (_what, headers, body, now, reason) => {
  const error = await verifyWebhook(headers, body, [published.secret], { at: now }).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(WebhookError);
  expect(error).toMatchObject({ reason });
});

test.each([5, -5])('a message of exactly %i minutes is in time', async (count) => {
  await expect(verifyWebhook(headersOf(), published.body, published.secret, { at: minutes(count) })).resolves.toBeDefined();
});

test.each(['', 'whsec_', published.secret.slice(6), 'whsec_not base64'])('the secret "%s" is malformed', async (secret) => {
  await expect(verifyWebhook(headersOf(), published.body, secret, { at })).rejects.toThrow(TypeError);
});

test('without a secret no message is accepted', async () => {
  await expect(verifyWebhook(headersOf(), published.body, [], { at })).rejects.toThrow('wrong_signature');
});
