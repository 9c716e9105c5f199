import { mock } from 'node:test';
import { sql } from 'kysely';
import { Client } from 'pg';
import { extensions } from '../../../src/registry/areas.ts';
import { documentNotifications } from '../../../src/areas/documents/notifications.ts';
import { createGate } from '../../../src/areas/notifications/delivery/channel-gate.ts';
import { sendMessage } from '../../../src/areas/notifications/delivery/deliver.ts';
import { deliveryWork } from '../../../src/areas/notifications/delivery/delivery-work.ts';
import { leaseNext } from '../../../src/areas/notifications/delivery/leases.ts';
import { botChannel, type BotChannel, notificationKinds, notify, startDeliveries } from '../../../src/areas/notifications/index.ts';
import { baseUrl } from '../../../src/registry/config.ts';
import { languages } from '../../../src/http/language.ts';
import { BotRefusedError, BotUnavailableError } from '../../../src/platform/bot/bot.ts';
import { commit, query } from '../../../src/platform/commands/command.ts';
import { databaseOf } from '../../../src/platform/database/database.ts';
import { extend, Extensions } from '../../../src/platform/extensions.ts';
import { type Mail, MailAddressError, MailRefusedError, MailUnavailableError } from '../../../src/platform/mail/mailer.ts';
import type { Platform } from '../../../src/platform/platform.ts';
import type { ProcessState } from '../../../src/platform/workflows/define-process.ts';
import { relayOnlyOutbox } from '../../../src/platform/workflows/outbox.ts';
import { fixturesIn } from '../../support/factories.ts';
import { startTestPlatform } from '../../support/test-platform.ts';
import { waitFor } from '../../support/wait-for.ts';

/** Delivery goes out once, in order, and a failure does not block the rest (NOT-4). Mail server and bot are fakes. */

/** What the mail server or the bot platform answers to the next messages of an account. */
type Answer = Error | 'not_linked' | null;
interface Mailbox {
  userId: number;
  mails: Mail[];
  messages: string[];
  answers: { mail: Answer[]; bot: Answer[] };
  /** Runs while a mail of the account is being handed over. */
  onMail: () => Promise<void>;
}

const noon = new Date('2026-06-15T12:00:00+05:00');
let platform: Platform;
let close: () => Promise<void>;
let ownerUrl: string;
let now = noon;
/** By address. */
const mailboxes = new Map<string, Mailbox>();

beforeAll(async () => {
  const started = await startTestPlatform();
  const bot: BotChannel = {
    async send(_platform, userId, { title, link }) {
      const mailbox = [...mailboxes.values()].find((each) => each.userId === userId);
      const answer = mailbox?.answers.bot.shift() ?? null;
      if (answer instanceof Error) throw answer;
      if (answer === 'not_linked') return answer;
      mailbox?.messages.push(`${title} ${link}`);
      return 'sent';
    },
  };
  const mailer = {
    async send(mail: Mail) {
      const mailbox = mailboxes.get(mail.to);
      await mailbox?.onMail();
      const answer = mailbox?.answers.mail.shift() ?? null;
      if (answer instanceof Error) throw answer;
      mailbox?.mails.push(mail);
    },
  };
  const entered = new Extensions([extend(botChannel, bot)]);
  platform = {
    ...started.platform,
    outbox: relayOnlyOutbox,
    clock: { sandbox: false, now: async () => now },
    mailer,
    extensions: {
      of: (point: Parameters<typeof extensions.of>[0]) => (point === botChannel ? entered.of(point) : extensions.of(point)),
    } as Extensions,
  };
  close = started.close;
  ownerUrl = started.surroundings.database.ownerUrl;
});
afterEach(async () => {
  now = noon;
  await db().deleteFrom('notification_deliveries').execute();
});
afterAll(() => close());

const db = () => databaseOf(platform.orm.em.fork());
const minutes = (count: number) => count * 60_000;
const later = (ms: number) => (now = new Date(now.getTime() + ms));

/** Sends what is due, message by message, as a worker without any memory of outages. */
async function send(): Promise<void> {
  for (const channel of ['mail', 'bot'] as const)
    for (;;) {
      const message = await query(platform, (queries, at) => leaseNext(queries, at, channel, []));
      if (message === null) break;
      await sendMessage(platform, createGate(), message);
    }
}

/** Runs so many workers until `isDone`. */
async function withWorkers(count: number, isDone: () => boolean | Promise<boolean>): Promise<void> {
  const workers = Array.from({ length: count }, () => startDeliveries(platform));
  try {
    await waitFor(isDone, (done) => done, 'the workers to send');
  } finally {
    await Promise.all(workers.map((worker) => worker.close()));
  }
}

/** An account whose mail server and bot the test controls. */
async function makeRecipient(preference?: { mail: boolean; bot: boolean }) {
  const { userId, caller } = await fixturesIn(platform).person();
  const account = await db()
    .updateTable('users')
    .set({ language: 'en' })
    .where('id', '=', userId)
    .returning('email')
    .executeTakeFirstOrThrow();
  const mailbox: Mailbox = { userId, mails: [], messages: [], answers: { mail: [], bot: [] }, onMail: async () => undefined };
  mailboxes.set(account.email, mailbox);
  const prefer = (wanted: { mail: boolean; bot: boolean }) =>
    db()
      .insertInto('notification_preferences')
      .values({ userId, type: 'document.approved', ...wanted })
      .onConflict((conflict) => conflict.columns(['userId', 'type']).doUpdateSet(wanted))
      .execute();
  if (preference !== undefined) await prefer(preference);
  return {
    ...mailbox,
    mailbox,
    prefer,
    /** Notifies of documents, each by a command of its own. */
    tell: async (...documents: number[]) => {
      for (const id of documents)
        await commit(platform, caller, (ctx) => notify(ctx, userId, documentNotifications['document.approved'], { kind: 'document', id }));
    },
    /** Documents named in the mails, in the order of the mails. */
    notified: () => mailbox.mails.map(({ text }) => Number(/document (\d+)/.exec(text)?.[1])),
    waiting: () => db().selectFrom('notification_deliveries').where('userId', '=', userId).selectAll().orderBy('id').execute(),
    /** As an administrator does. */
    retry: () => commit(platform, caller, (ctx) => deliveryWork.retry(ctx, userId)),
    look: async (): Promise<ProcessState & { afterMs: number }> => {
      const [row] = await deliveryWork.read(db(), [userId]);
      if (row === undefined) throw new Error('the account is gone');
      const state = deliveryWork.describe(row, now);
      return { ...state, afterMs: (state.next?.at.getTime() ?? 0) - now.getTime() };
    },
    troubles: () => db().selectFrom('process_troubles').where('process', '=', `delivery/${userId}`).selectAll().execute(),
    audits: () =>
      db()
        .selectFrom('audit_events')
        .where('action', '=', 'notification.refused')
        .where('subjectKind', '=', 'user')
        .where('subjectId', '=', String(userId))
        .select(['data', 'requestId'])
        .execute(),
    /**
     * Leases what waits as another worker.
     * @param seconds from now in real time
     */
    lease: (seconds: number) =>
      db()
        .updateTable('notification_deliveries')
        .set({ leaseId: anotherLease, leasedUntil: sql<Date>`now() + make_interval(secs => ${seconds})` })
        .where('userId', '=', userId)
        .execute(),
  };
}

const anotherLease = '00000000-0000-4000-8000-000000000000';
const refused = new MailRefusedError(550);
const away = new MailUnavailableError();

test('what is written waits as rows that are due at once, with the request that caused it', async () => {
  const { tell, look, waiting } = await makeRecipient();
  await tell(1, 2, 3);
  const rows = await waiting();
  expect(rows).toHaveLength(3);
  expect(rows[0]).toMatchObject({ channel: 'mail', attempts: 0, deferrals: 0, nextTryAt: now, requestId: expect.stringMatching(/^req-/) });
  expect(await look()).toMatchObject({ stage: 'waiting', isDue: true, isOver: false });
});

test('NOT-4: mails go out in order, once, each with a stable id; then nothing waits', async () => {
  const { tell, notified, mails, waiting, look } = await makeRecipient();
  await tell(1, 2, 3);
  await send();
  expect(notified()).toEqual([1, 2, 3]);
  expect(mails[0]).toMatchObject({ subject: 'Document approved', to: expect.stringContaining('@') });
  expect(mails.map(({ messageId }) => messageId)).toEqual([...new Set(mails.map(({ messageId }) => messageId))]);
  expect(await waiting()).toEqual([]);
  expect(await look()).toMatchObject({ stage: 'sent', isOver: true });
  await send();
  await tell(4);
  await send();
  expect(notified()).toEqual([1, 2, 3, 4]);
});

test.each(languages)('the mail is in %s, the language of the account when it is sent; its foot has no code (NOT-10)', async (language) => {
  const { userId, tell, mails } = await makeRecipient();
  await tell(1);
  await db().updateTable('users').set({ language }).where('id', '=', userId).execute();
  await send();
  const [mail] = mails;
  const words = { ru: 'Выбрать, какие письма получать', kk: 'Қандай хаттар алатыныңызды таңдау', en: 'Choose which mails you get' };
  const foot = ['-- ', platform.brand.name[language], `${baseUrl(platform.config)}/`, `${words[language]}: ${mail?.unsubscribe}`];
  expect(mail?.text.split('\n').slice(-4)).toEqual(foot);
  expect(mail?.text.replaceAll(/https?:\S+/g, '')).not.toContain('document.approved');
});

test('an unwanted notification is not written, nor sent when its account turns it off or is blocked afterwards', async () => {
  const without = await makeRecipient({ mail: false, bot: false });
  await without.tell(1);
  expect(await without.waiting()).toEqual([]);
  const [off, blocked] = [await makeRecipient(), await makeRecipient()];
  for (const { tell } of [off, blocked]) await tell(1);
  await off.prefer({ mail: false, bot: false });
  await db().updateTable('users').set({ status: 'blocked' }).where('id', '=', blocked.userId).execute();
  await send();
  for (const { mails, waiting, look } of [off, blocked]) expect([mails, await waiting(), (await look()).isOver]).toEqual([[], [], true]);
});

test.each([
  ['a mail refused for good', 'mail', refused, 550],
  ['a mail to an invalid address', 'mail', new MailAddressError(), null],
  ['a message that the bot platform never accepts', 'bot', new BotRefusedError(400), 400],
] as const)('%s does not block the others; the audit records it without the address', async (_what, channel, failure, code) => {
  const { userId, tell, notified, messages, answers, audits, look } = await makeRecipient({ mail: true, bot: true });
  await tell(1, 2, 3);
  answers[channel].push(null, failure);
  await send();
  expect([notified(), messages.length]).toEqual(channel === 'mail' ? [[1, 3], 3] : [[1, 2, 3], 2]);
  expect(await audits()).toEqual([{ data: { notification_id: expect.any(Number), channel, code }, requestId: `delivery-${userId}` }]);
  expect(await look()).toMatchObject({ isOver: true });
});

test('a notification without a text is dropped, and later ones go out', async () => {
  const { tell, notified, audits, look } = await makeRecipient();
  await tell(1, 2);
  const kinds = extensions.of(notificationKinds);
  const writers = kinds.find((entered) => entered['document.approved'] !== undefined)?.['document.approved']?.writers;
  if (writers === undefined) throw new Error('there is no such kind');
  const failing = mock.method(
    writers,
    'en',
    () => {
      throw new Error('no such fact');
    },
    { times: 1 },
  );
  try {
    await send();
  } finally {
    failing.mock.restore();
  }
  expect(notified()).toEqual([2]);
  expect(await audits()).toMatchObject([{ data: { channel: 'mail', code: null } }]);
  expect(await look()).toMatchObject({ isOver: true });
});

describe('while the mail server is away', () => {
  test('NOT-4: all mails wait in order with growing pauses, then go out once', async () => {
    const { tell, notified, answers, look, troubles } = await makeRecipient();
    await tell(1, 2, 3);
    answers.mail.push(null, away);
    await send();
    expect(notified()).toEqual([1]);
    expect(await look()).toMatchObject({ stage: 'postponed', waitingFor: 'date', isDue: false });
    expect(await troubles()).toMatchObject([{ code: 'service_unavailable', tries: 1, isStuck: false }]);
    let longest = 0;
    for (let tries = 2; tries <= 8; tries += 1) {
      later(minutes(16));
      answers.mail.push(away);
      await send();
      const { afterMs } = await look();
      expect(afterMs).toBeLessThanOrEqual(minutes(15));
      longest = Math.max(longest, afterMs);
    }
    expect(longest).toBeGreaterThan(minutes(2));
    expect(await troubles()).toMatchObject([{ tries: 8, isStuck: true }]);
    await tell(4);
    later(minutes(16));
    await send();
    expect(notified()).toEqual([1, 2, 3, 4]);
    expect([await troubles(), (await look()).isOver]).toEqual([[], true]);
  });

  test('an explicit retry attempts at once', async () => {
    const { tell, notified, answers, retry, look } = await makeRecipient();
    await tell(1);
    answers.mail.push(away);
    await send();
    await send();
    expect(notified()).toEqual([]);
    await retry();
    expect(await look()).toMatchObject({ isDue: true });
    await send();
    expect(notified()).toEqual([1]);
  });

  test('the bot keeps sending, also newer notifications, and its success hides no trouble', async () => {
    const { tell, notified, messages, answers, look, troubles } = await makeRecipient({ mail: true, bot: true });
    await tell(1);
    answers.mail.push(away);
    await send();
    expect([notified(), messages]).toEqual([[], [expect.stringMatching(/^Document approved http/)]]);
    expect((await look()).isDue).toBe(false);
    await tell(2);
    expect((await look()).isDue).toBe(true);
    await send();
    expect([notified(), messages.length]).toEqual([[], 2]);
    expect(await look()).toMatchObject({ stage: 'postponed', isDue: false });
    expect(await troubles()).toHaveLength(1);
  });

  test('a newer mail waits behind the others for the next attempt', async () => {
    const { tell, notified, answers, look, waiting } = await makeRecipient();
    await tell(1);
    answers.mail.push(away);
    await send();
    await tell(2);
    expect((await look()).isDue).toBe(false);
    await send();
    expect([notified(), (await waiting()).map(({ attempts }) => attempts)]).toEqual([[], [1, 0]]);
  });
});

describe('a mail that the mail server refuses for now', () => {
  const refusedForNow = new MailUnavailableError({ isOfMail: true, code: 451 });

  test('does not block later ones, is retried with growing pauses, and is dropped after a day', async () => {
    const { userId, tell, notified, answers, look, troubles, waiting, audits } = await makeRecipient();
    await tell(1, 2);
    answers.mail.push(refusedForNow, null);
    await send();
    expect(notified()).toEqual([2]);
    const startedAt = now;
    for (let tries = 2; tries < 14; tries += 1) {
      later((await look()).afterMs + 1);
      answers.mail.push(refusedForNow);
      await send();
      expect(await troubles()).toMatchObject([{ tries, isStuck: tries >= 6 }]);
      await tell(tries + 1);
      await send();
      expect(notified().at(-1)).toBe(tries + 1);
      expect(await look()).toMatchObject({ stage: 'postponed', isDue: false });
      expect(await troubles()).toHaveLength(1);
    }
    later(minutes(60 * 24));
    answers.mail.push(refusedForNow);
    await send();
    expect(now.getTime() - startedAt.getTime()).toBeGreaterThan(minutes(60 * 30));
    expect([await waiting(), await troubles(), (await look()).isOver]).toEqual([[], [], true]);
    expect(await audits()).toMatchObject([{ data: { channel: 'mail', code: 451 } }]);
    const incidents = await db()
      .selectFrom('incidents')
      .where('subjectKind', '=', 'user')
      .where('subjectId', '=', String(userId))
      .selectAll()
      .execute();
    expect(incidents).toMatchObject([{ kind: 'mail_undeliverable', details: { code: 451, tries: 14 } }]);
  });

  test('an outage is not one of its attempts', async () => {
    const { tell, answers, waiting, retry } = await makeRecipient();
    await tell(1);
    answers.mail.push(refusedForNow);
    await send();
    for (let tries = 1; tries <= 14; tries += 1) {
      answers.mail.push(away);
      await retry();
      await send();
      expect(await waiting()).toMatchObject([{ deferrals: 1, attempts: tries }]);
    }
  });

  test('is attempted at once on request, after the others', async () => {
    const { tell, notified, answers, troubles, retry } = await makeRecipient();
    await tell(1, 2);
    answers.mail.push(refusedForNow);
    await send();
    await send();
    expect(notified()).toEqual([2]);
    await retry();
    await send();
    expect([notified(), await troubles()]).toEqual([[2, 1], []]);
  });
});

describe('by the bot', () => {
  test('BOT-4: sends only the title and a link; drops what has no channel', async () => {
    const { tell, messages, answers, waiting } = await makeRecipient({ mail: false, bot: true });
    await tell(1, 2);
    answers.bot.push('not_linked');
    await send();
    expect(messages).toEqual([`Document approved ${platform.config.BASE_URL ?? ''}`]);
    expect(await waiting()).toEqual([]);
  });

  test('waits as long as the rate limit of the platform demands', async () => {
    const { tell, answers, look } = await makeRecipient({ mail: false, bot: true });
    await tell(1);
    answers.bot.push(new BotUnavailableError('the platform answered 429', minutes(40)));
    await send();
    expect((await look()).afterMs).toBe(minutes(40));
  });
});

describe('accounts and workers', () => {
  test('an account with many messages lets those of others go between them', async () => {
    const [first, second] = [await makeRecipient(), await makeRecipient()];
    await first.tell(...Array.from({ length: 20 }, (_, index) => index + 1));
    await second.tell(1, 2);
    const order: string[] = [];
    first.mailbox.onMail = async () => void order.push('first');
    second.mailbox.onMail = async () => void order.push('second');
    await withWorkers(1, () => order.length === 22);
    // While a message of the second account is under way, several of the first may go; on a busy machine many.
    expect(order.lastIndexOf('second')).toBeLessThan(order.lastIndexOf('first'));
  });

  test('an account whose mails are slow takes one sender, and delays no one', async () => {
    const [slow, other] = [await makeRecipient({ mail: true, bot: true }), await makeRecipient()];
    let atOnce = 0;
    let letGo = () => {};
    const isHeld = new Promise<void>((resolve) => (letGo = resolve));
    slow.mailbox.onMail = async () => {
      atOnce += 1;
      await isHeld;
    };
    await slow.tell(...Array.from({ length: 10 }, (_, index) => index + 1));
    await other.tell(1, 2);
    await withWorkers(1, async () => {
      const isOtherDone = (await other.waiting()).length === 0 && slow.messages.length === 10;
      if (isOtherDone) letGo();
      return isOtherDone;
    });
    expect([atOnce, slow.notified(), other.notified(), slow.messages.length]).toEqual([1, [1], [1, 2], 10]);
  });

  test('several workers send each message once, in order, and one of an account at a time', async () => {
    const people = await Promise.all(Array.from({ length: 7 }, () => makeRecipient()));
    for (const { mailbox } of people) {
      let atOnce = 0;
      mailbox.onMail = async () => {
        atOnce += 1;
        expect(atOnce).toBe(1);
        await new Promise((resolve) => setTimeout(resolve, 5));
        atOnce -= 1;
      };
    }
    for (const { tell } of people) await tell(1, 2, 3);
    await withWorkers(3, async () => (await db().selectFrom('notification_deliveries').select('id').execute()).length === 0);
    for (const { notified } of people) expect(notified()).toEqual([1, 2, 3]);
  });

  test('commands do not wait for senders, and all mails go out', async () => {
    const people = await Promise.all([1, 2, 3].map(() => makeRecipient()));
    const { caller } = await fixturesIn(platform).person();
    const tellAll = (order: typeof people, id: number) =>
      commit(platform, caller, async (ctx) => {
        for (const { userId } of order) await notify(ctx, userId, documentNotifications['document.approved'], { kind: 'document', id });
      });
    let isTold = false;
    const commands = Array.from({ length: 20 }, (_, index) => tellAll(index % 2 === 0 ? people : people.toReversed(), index + 1));
    const telling = Promise.all(commands).then(() => (isTold = true));
    await withWorkers(2, async () => isTold && (await db().selectFrom('notification_deliveries').select('id').execute()).length === 0);
    await telling;
    for (const { notified, waiting, look } of people) {
      expect(notified().toSorted((left, right) => left - right)).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
      expect([await waiting(), (await look()).isOver]).toEqual([[], true]);
    }
  });

  test('a message that another worker leases is skipped, with what is behind it; a killed worker loses it', async () => {
    const { tell, notified, lease } = await makeRecipient();
    await tell(1);
    await lease(30);
    await tell(2);
    await send();
    expect(notified()).toEqual([]);
    await lease(-1);
    await send();
    expect(notified()).toEqual([1, 2]);
  });

  test('a worker that lost its lease leaves the message to the other one', async () => {
    const { tell, lease, answers, waiting, mailbox, troubles } = await makeRecipient();
    await tell(1);
    answers.mail.push(away);
    mailbox.onMail = async () => void (await lease(30));
    await send();
    expect(await waiting()).toMatchObject([{ leaseId: anotherLease, attempts: 0, nextTryAt: now }]);
    expect(await troubles()).toEqual([]);
  });

  test('renews the lease while one message takes long', async () => {
    const { tell, notified, waiting, mailbox } = await makeRecipient();
    await tell(1);
    mailbox.onMail = async () => {
      const until = async () => (await waiting())[0]?.leasedUntil?.getTime() ?? 0;
      const before = await until();
      expect(before).toBeGreaterThan(Date.now());
      await waitFor(until, (renewed) => renewed > before, 'the lease to be renewed');
    };
    await send();
    expect(notified()).toEqual([1]);
  });

  test('a message that cannot be removed waits with growing pauses, and others go on', async () => {
    const [first, second] = [await makeRecipient(), await makeRecipient()];
    for (const { tell } of [first, second]) await tell(1, 2);
    const owner = new Client({ connectionString: ownerUrl });
    await owner.connect();
    try {
      await owner.query(`create function refuse_one() returns trigger language plpgsql as $$ begin raise 'it stays'; end $$`);
      await owner.query(
        `create trigger refuse_one before delete on notification_deliveries
         for each row when (old.user_id = ${first.userId}) execute function refuse_one()`,
      );
      await send();
      expect([first.notified(), second.notified()]).toEqual([[1], [1, 2]]);
      expect(await first.look()).toMatchObject({ isOver: false, isDue: false });
      expect(await first.troubles()).toMatchObject([{ code: 'internal_error', tries: 1 }]);
    } finally {
      await owner.query('drop function if exists refuse_one cascade');
      await owner.end();
    }
    later(minutes(1));
    await send();
    // At least once: mail programs show a message of one id once.
    expect([first.notified(), await first.troubles()]).toEqual([[1, 1, 2], []]);
    expect(new Set(first.mails.map(({ messageId }) => messageId)).size).toBe(2);
  });

  test('a stopping worker ends what it sends and leaves the rest', async () => {
    const { tell, notified, waiting, mailbox } = await makeRecipient();
    await tell(1, 2);
    const worker = startDeliveries(platform);
    let closing: Promise<void> = Promise.resolve();
    await new Promise<void>((resolve) => {
      mailbox.onMail = async () => {
        closing = worker.close();
        resolve();
      };
    });
    await closing;
    expect([notified(), (await waiting()).map(({ leaseId }) => leaseId)]).toEqual([[1], [null]]);
  });
});

test('administrators see an account once, however many of its messages wait', async () => {
  const people = [await makeRecipient({ mail: true, bot: true }), await makeRecipient()];
  for (const { tell } of people) await tell(1, 2);
  const ids = people.map(({ userId }) => userId).toSorted((left, right) => left - right);
  expect(await deliveryWork.listDue(db(), now, null, 10)).toEqual(ids.map((id) => ({ id, at: now })));
  expect(await deliveryWork.listDue(db(), now, { id: ids[0] ?? 0, at: now }, 10)).toEqual([{ id: ids[1], at: now }]);
  expect([await deliveryWork.listLiving(db(), 0, 10), await deliveryWork.listLiving(db(), ids[0] ?? 0, 10)]).toEqual([ids, ids.slice(1)]);
  expect(await deliveryWork.count(db())).toBe(2);
});
