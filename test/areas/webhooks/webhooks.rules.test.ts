import { DeliveryLine } from '../../../src/areas/webhooks/delivery-line.ts';
import { nextTryAfter, restAfter } from '../../../src/areas/webhooks/next-try.ts';
import { describeWebhook } from '../../../src/areas/webhooks/process.ts';
import { makeSecret, signatureHeaders } from '../../../src/areas/webhooks/secrets.ts';

/** Rules of webhooks that need no server. */

const now = new Date('2026-12-01T12:00:00Z');
const later = (seconds: number) => new Date(now.getTime() + seconds * 1000);

describe('the tries (WHK-5)', () => {
  const once = { tries: 1, subjectSince: now, webhookSince: null, retryAfterMs: 0 };
  const secondsAfter = (failed: Partial<typeof once> | { webhookSince: Date }, chance = 0) => {
    const at = nextTryAfter({ ...once, ...failed }, now, chance);
    return at && (at.getTime() - now.getTime()) / 1000;
  };

  test('are ten, with growing pauses, while the receiver takes other changes', () => {
    const pauses = Array.from({ length: 10 }, (_, nth) => secondsAfter({ tries: nth + 1 }));
    expect(pauses).toEqual([5, 60, 300, 1_800, 7_200, 21_600, 43_200, 86_400, 86_400, null]);
  });

  test('go on daily at a receiver that takes nothing, until five days are over', () => {
    const since = (days: number) => ({ tries: 10, subjectSince: later(-days * 86_400), webhookSince: later(-days * 86_400) });
    expect([secondsAfter(since(3)), secondsAfter(since(4.5))]).toEqual([86_400, 43_200]);
    expect(secondsAfter({ ...since(3), webhookSince: later(-86_400) })).toBeNull();
  });

  test('are up to a fifth later by chance', () => expect(secondsAfter({ tries: 2 }, 1)).toBe(72));

  test('are not before the time that the receiver asks for', () => {
    expect([secondsAfter({ retryAfterMs: 90_000 }), secondsAfter({ tries: 3, retryAfterMs: 90_000 })]).toEqual([90, 300]);
  });

  test('are single ones, with pauses up to half an hour, once fifty subjects in a row have failed (WHK-4)', () => {
    expect([49, 50, 52, 99].map((failed) => restAfter(failed, now))).toEqual([null, later(5), later(300), later(1_800)]);
  });
});

describe('the line (WHK-4)', () => {
  const waiting = (subjects: string, failingSince: Date | null = null) =>
    [...subjects].map((subject, nth) => ({ nth, subject, isTest: false, failingSince }));
  type Row = ReturnType<typeof waiting>[number];
  const lineOf = (rows: Row[]) => {
    const line = new DeliveryLine<Row>();
    line.load(rows);
    return line;
  };
  const drain = (line: DeliveryLine<Row>) => {
    const taken: string[] = [];
    for (let next = line.next(); next; next = line.next()) taken.push(`${next.subject}${next.nth}`);
    return taken;
  };
  const row = (subject: string) => ({ nth: 0, subject, isTest: false, failingSince: null });

  test('sends four subjects at a time, in order', () => {
    const line = lineOf(waiting('abcdef'));
    expect(drain(line)).toEqual(['a0', 'b1', 'c2', 'd3']);
    line.ended(row('b'), true);
    expect(drain(line)).toEqual(['e4']);
  });

  test('sends one subject one after the other, others between, and no more of it after a failure', () => {
    const line = lineOf(waiting('aabaa'));
    expect(drain(line)).toEqual(['a0', 'b2']);
    line.ended(row('a'), true);
    expect(drain(line)).toEqual(['a1']);
    line.ended(row('a'), false);
    expect(drain(line)).toEqual([]);
  });

  test('leaves two places to subjects that go on, however many are tried again', () => {
    const line = lineOf([...waiting('abcd', now), ...waiting('efg')]);
    expect(drain(line)).toEqual(['a0', 'b1', 'e0', 'f1']);
  });

  test('goes on beside a delivery of an earlier round, which keeps its place and its subject', () => {
    const line = lineOf(waiting('aa'));
    expect(drain(line)).toEqual(['a0']);
    line.load(waiting('abcde'));
    expect(drain(line)).toEqual(['b1', 'c2', 'd3']);
    line.ended(row('a'), true);
    expect([drain(line), line.isBusyWithRound]).toEqual([['e4'], true]);
  });

  test('a test needs no place', () => {
    const line = lineOf(waiting('abcd'));
    drain(line);
    line.load([{ nth: 9, subject: 'a', isTest: true, failingSince: null }]);
    expect(drain(line)).toEqual(['a9']);
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
    isFull: false,
    keyEndsAt: null,
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
    ['lets changes wait while as many subjects wait as may', { isReadable: true, isFull: true, nextTryAt: later(9) }, 'retrying', later(9)],
    ['sends when nothing would wake it', { isAwaiting: false }, 'due', null],
    ['tries again', { nextTryAt: later(60) }, 'retrying', later(60)],
    ['tries when it is time', { nextTryAt: now }, 'due', null],
    ['waits for the end of its key', { keyEndsAt: later(60) }, 'enabled', later(60)],
    ['ends with its key', { keyEndsAt: now }, 'due', null],
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
