import fc from 'fast-check';
import { createGate } from '../../../src/areas/notifications/delivery/channel-gate.ts';
import { describeWaiting } from '../../../src/areas/notifications/delivery/delivery-work.ts';
import { pauseAfterTry } from '../../../src/areas/notifications/delivery/settle.ts';
import { BotRefusedError, BotUnavailableError } from '../../../src/platform/bot/bot.ts';
import { MailRefusedError, MailUnavailableError } from '../../../src/platform/mail/mailer.ts';

const now = new Date('2026-06-15T12:00:00+05:00');
const minutes = (count: number) => count * 60_000;

describe('the pause after a failed attempt', () => {
  it('NOT-4: grows from seconds to a quarter of an hour, and never ends', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 10_000 }), fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }), (tries, chance) => {
        const pause = pauseAfterTry(tries, 0, () => chance);
        expect(pause).toBeGreaterThanOrEqual(5_000);
        expect(pause).toBeLessThanOrEqual(minutes(15));
        expect(pauseAfterTry(tries + 1, 0, () => chance)).toBeGreaterThanOrEqual(pause);
      }),
    );
    expect(pauseAfterTry(1, 0, () => 0.5)).toBe(10_000);
    expect(pauseAfterTry(7, 0, () => 0.5)).toBe(minutes(10));
  });

  it('is at least what the other side demands', () => {
    expect(pauseAfterTry(1, minutes(40))).toBe(minutes(40));
  });
});

describe('what waits for an account', () => {
  const some = {
    id: 1,
    since: now,
    nextTryAt: now,
    waiting: { mail: 2, bot: 1 },
    attempts: { mail: 0, bot: 0 },
    deferred: { mails: 0, attempts: 0 },
  };

  it('is over when nothing waits', () => {
    expect(describeWaiting({ ...some, nextTryAt: null }, now)).toMatchObject({ isOver: true, isDue: false, next: null });
  });

  it('is due as soon as something waits', () => {
    expect(describeWaiting(some, now)).toMatchObject({ stage: 'waiting', waitingFor: 'none', isOver: false, isDue: true });
  });

  it('waits for its next attempt when a channel is away, and names the channel', () => {
    const nextTryAt = new Date(now.getTime() + minutes(5));
    const state = describeWaiting({ ...some, nextTryAt, attempts: { mail: 3, bot: 0 } }, now);
    expect(state).toMatchObject({ stage: 'postponed', waitingFor: 'date', isDue: false, next: { at: nextTryAt } });
    expect(state.details).toContain('2 by mail, 1 by the bot');
    expect(state.details).toContain('The mail server has failed 3 times in a row.');
    expect(state.details).not.toContain('platform of the bot has');
  });
});

describe('the gate of a channel', () => {
  const gateOf = (failures: unknown[]) => {
    const tried = { count: 0, at: 0 };
    const gate = createGate(() => tried.at);
    const send = () =>
      gate(async () => {
        tried.count += 1;
        const failure = failures.shift();
        if (failure !== undefined) throw failure;
      });
    return { tried, gate, send };
  };

  it.each([
    ['mail server', new MailUnavailableError()],
    ['bot platform', new BotUnavailableError('there is no answer')],
  ])('calls a %s that is away only after two seconds', async (_what, away) => {
    const { tried, send } = gateOf([away]);
    await expect(send()).rejects.toThrow(away);
    tried.at = 1_999;
    await expect(send()).rejects.toThrow(away);
    expect(tried.count).toBe(1);
    tried.at = 2_000;
    await send();
    await send();
    expect(tried.count).toBe(3);
  });

  it('lets one call try whether the channel is back', async () => {
    const { tried, gate, send } = gateOf([new MailUnavailableError()]);
    await expect(send()).rejects.toThrow(MailUnavailableError);
    tried.at = 2_000;
    let answer = () => {};
    const probe = gate(() => new Promise((resolve) => (answer = resolve)));
    tried.at = 60_000;
    await expect(send()).rejects.toThrow(MailUnavailableError);
    expect(tried.count).toBe(1);
    answer();
    await probe;
    await send();
    expect(tried.count).toBe(2);
  });

  it.each([
    ['a mail is refused', new MailRefusedError(550)],
    ['a mail may pass later', new MailUnavailableError({ isOfMail: true })],
    ['a bot message is refused', new BotRefusedError(400)],
    ['the bot platform limits a chat', new BotUnavailableError('it answered 429', 40_000)],
  ])('lets the others through where %s', async (_what, failure) => {
    const { tried, send } = gateOf([failure]);
    await expect(send()).rejects.toThrow(failure);
    await send();
    expect(tried.count).toBe(2);
  });
});
