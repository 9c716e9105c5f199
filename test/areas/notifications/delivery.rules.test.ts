import fc from 'fast-check';
import { describeDelivery } from '../../../src/areas/notifications/delivery/describe-delivery.ts';
import { createMailGate } from '../../../src/areas/notifications/delivery/mail-gate.ts';
import { pauseAfterTry } from '../../../src/areas/notifications/delivery/schedule.ts';
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

describe('the state of a delivery', () => {
  const some = {
    delivery: { dueAt: now, createdAt: now },
    waiting: { mail: 2, bot: 1 },
    tries: { mail: 0, bot: 0 },
    refused: { mails: 0, tries: 0 },
  };

  it('is over when nothing waits', () => {
    expect(describeDelivery({ ...some, delivery: null }, now)).toMatchObject({ isOver: true, isDue: false, next: null });
  });

  it('is due as soon as something waits', () => {
    expect(describeDelivery(some, now)).toMatchObject({ stage: 'waiting', waitingFor: 'none', isOver: false, isDue: true });
  });

  it('waits for its next attempt when a channel is away, and names the channel', () => {
    const dueAt = new Date(now.getTime() + minutes(5));
    const state = describeDelivery({ ...some, delivery: { dueAt, createdAt: now }, tries: { mail: 3, bot: 0 } }, now);
    expect(state).toMatchObject({ stage: 'postponed', waitingFor: 'date', isDue: false, next: { at: dueAt } });
    expect(state.details).toContain('2 by mail, 1 by the bot');
    expect(state.details).toContain('The mail server has failed 3 times in a row.');
    expect(state.details).not.toContain('platform of the bot has');
  });
});

describe('the mail gate', () => {
  const mail = { to: 'a@example.kz', subject: 's', text: 't' };
  const gateOf = (failures: unknown[]) => {
    const tried = { count: 0, at: 0 };
    const send = async () => {
      tried.count += 1;
      const failure = failures.shift();
      if (failure !== undefined) throw failure;
    };
    return { tried, gate: createMailGate({ send }, () => tried.at) };
  };

  it('calls a server that is away only after two seconds', async () => {
    const { tried, gate } = gateOf([new MailUnavailableError()]);
    await expect(gate.send(mail)).rejects.toThrow(MailUnavailableError);
    tried.at = 1_999;
    await expect(gate.send(mail)).rejects.toThrow(MailUnavailableError);
    expect(tried.count).toBe(1);
    tried.at = 2_000;
    await gate.send(mail);
    await gate.send(mail);
    expect(tried.count).toBe(3);
  });

  it.each([
    ['is refused', new MailRefusedError(550)],
    ['may pass later', new MailUnavailableError({ isOfMail: true })],
  ])('lets the others through where one mail %s', async (_what, failure) => {
    const { tried, gate } = gateOf([failure]);
    await expect(gate.send(mail)).rejects.toThrow(failure);
    await gate.send(mail);
    expect(tried.count).toBe(2);
  });
});
