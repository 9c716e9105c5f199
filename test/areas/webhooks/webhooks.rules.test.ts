import { DeliveryLine } from '../../../src/areas/webhooks/delivery-line.ts';
import { nextTryAfter } from '../../../src/areas/webhooks/next-try.ts';
import { describeWebhook } from '../../../src/areas/webhooks/process.ts';
import { mostWaiting } from '../../../src/areas/webhooks/queries.ts';
import { makeSecret, signatureHeaders } from '../../../src/areas/webhooks/secrets.ts';

/** Rules of webhooks that need no server. */

const now = new Date('2026-12-01T12:00:00Z');
const later = (seconds: number) => new Date(now.getTime() + seconds * 1000);

describe('the tries (WHK-5)', () => {
  test('are ten, with growing pauses', () => {
    const pauses = Array.from({ length: 10 }, (_, nth) => nextTryAfter(nth + 1, now, 0)).map(
      (at) => at && (at.getTime() - now.getTime()) / 1000,
    );
    expect(pauses).toEqual([5, 60, 300, 1_800, 7_200, 21_600, 43_200, 86_400, 86_400, null]);
  });

  test('are up to a fifth later by chance', () => expect(nextTryAfter(2, now, 1)).toEqual(later(72)));
});

describe('the line (WHK-4)', () => {
  const waiting = (subjects: string, nextTryAt = now) => [...subjects].map((subject, nth) => ({ nth, subject, isTest: false, nextTryAt }));
  const drain = (line: DeliveryLine<ReturnType<typeof waiting>[number]>) => {
    const taken: string[] = [];
    for (let next = line.next(); next; next = line.next()) taken.push(`${next.subject}${next.nth}`);
    return taken;
  };

  test('sends four subjects at a time, in order', () => {
    const line = new DeliveryLine(waiting('abcdef'), now);
    expect(drain(line)).toEqual(['a0', 'b1', 'c2', 'd3']);
    line.delivered({ nth: 1, subject: 'b', isTest: false, nextTryAt: now });
    expect(drain(line)).toEqual(['e4']);
  });

  test('sends one subject one after the other, and others between', () => {
    const line = new DeliveryLine(waiting('aab'), now);
    expect(drain(line)).toEqual(['a0', 'b2']);
    line.delivered({ nth: 0, subject: 'a', isTest: false, nextTryAt: now });
    expect(drain(line)).toEqual(['a1']);
  });

  test('a failed one holds its subject and a place until its next try', () => {
    const failed = waiting('abcd', later(60));
    const line = new DeliveryLine([...failed, ...waiting('ae')], now);
    expect(drain(line)).toEqual([]);
    expect(line.nextTryAt()).toEqual(later(60));
    const three = new DeliveryLine([...failed.slice(1), ...waiting('bef')], now);
    expect(drain(three)).toEqual(['e1']);
  });

  test('a test needs no place', () => {
    const test = { nth: 9, subject: 'test', isTest: true, nextTryAt: now };
    expect(drain(new DeliveryLine([...waiting('abcd', later(60)), test], now))).toEqual(['test9']);
  });
});

describe('the process (WHK-4)', () => {
  const calm = {
    id: 1,
    status: 'enabled',
    disabledBy: null,
    isReader: true,
    isAwaiting: true,
    isReadable: false,
    isBlocked: false,
    waiting: 0,
    nextTryAt: null,
    lastTriedAt: now,
    lastStatus: 503,
    lastProblem: null,
    createdAt: now,
    dueAt: null,
  } as const;

  test.each([
    ['waits for the next change', {}, 'enabled', null],
    ['sends what can be read', { isReadable: true }, 'due', null],
    [
      'lets changes wait while as many deliveries wait as may',
      { isReadable: true, waiting: mostWaiting, nextTryAt: later(9) },
      'retrying',
      later(9),
    ],
    ['sends when nothing would wake it', { isAwaiting: false }, 'due', null],
    ['tries again', { waiting: 2, nextTryAt: later(60) }, 'retrying', later(60)],
    ['tries when it is time', { waiting: 2, nextTryAt: now }, 'due', null],
    ['looks again for a change behind an open transaction', { isBlocked: true }, 'enabled', later(1)],
    ['is over when disabled', { status: 'disabled', isReadable: true }, 'disabled', null],
    ['waits while its account is blocked', { isReader: false, isReadable: true }, 'enabled', null],
  ] as const)('%s', (_what, differs, stage, at) => {
    const state = describeWebhook({ ...calm, ...differs }, now);
    expect([state.stage, state.next?.at ?? null, state.isDue, state.isOver]).toEqual([stage, at, stage === 'due', stage === 'disabled']);
  });

  test('shows the latest answer', () => expect(describeWebhook(calm, now).details).toContain('503'));
});

describe('signatures (WHK-2)', () => {
  test('are those of Standard Webhooks', () => {
    // The example of its specification.
    const [secret, id, body] = ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'msg_p5jXN8AQM9LWM0D4loKWxJek', '{"test": 2432232314}'];
    expect(signatureHeaders([secret], id, new Date(1_614_265_330_000), body)).toEqual({
      'webhook-id': id,
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    });
  });

  test('are made with both secrets while they overlap, of 32 bytes each', () => {
    const secrets = [makeSecret(), makeSecret()];
    expect(secrets.map((secret) => Buffer.from(secret.slice('whsec_'.length), 'base64').length)).toEqual([32, 32]);
    expect(signatureHeaders(secrets, 'a', now, '{}')['webhook-signature']?.split(' ')).toHaveLength(2);
  });
});
