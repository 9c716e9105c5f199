import { mock } from 'node:test';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { sql } from 'kysely';
import { Client } from 'pg';
import { executeInternal } from '../../../activities/execute.ts';
import { createActivities } from '../../../activities/index.ts';
import { extensions } from '../../../src/areas.ts';
import { documentNotifications } from '../../../src/areas/documents/notifications.ts';
import { botChannel, type BotChannel, deliveryProcess, notificationKinds, notify } from '../../../src/areas/notifications/index.ts';
import { BotRefusedError, BotUnavailableError } from '../../../src/platform/bot/bot.ts';
import { commit } from '../../../src/platform/command.ts';
import { databaseOf } from '../../../src/platform/database/database.ts';
import { extend, Extensions } from '../../../src/platform/extensions.ts';
import { type Mail, MailAddressError, MailRefusedError, MailUnavailableError } from '../../../src/platform/mail/mailer.ts';
import type { Platform } from '../../../src/platform/platform.ts';
import { undelivered } from '../../../src/platform/workflows/outbox.ts';
import { fixturesIn } from '../../support/factories.ts';
import { startTestPlatform } from '../../support/test-platform.ts';
import { waitFor } from '../../support/wait-for.ts';

/** Delivery goes out once, in order, and a failure does not block the rest (NOT-4). Mail server and bot are fakes. */
let platform: Platform;
let close: () => Promise<void>;
let ownerUrl: string;
let now = new Date('2026-06-15T12:00:00+05:00');
beforeAll(async () => {
  const started = await startTestPlatform();
  platform = { ...started.platform, outbox: undelivered, clock: { sandbox: false, now: async () => now } };
  close = started.close;
  ownerUrl = started.surroundings.database.ownerUrl;
});
afterAll(() => close());

const db = () => databaseOf(platform.orm.em.fork());
const minutes = (count: number) => count * 60_000;
/** How many wait for a lock in this database. */
const lockWaits = async () => {
  const waits = sql<{
    n: number;
  }>`select count(*)::int as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  return (await waits.execute(db())).rows[0]?.n ?? 0;
};

/** An account, with a fake mail server and bot whose outcomes the test sets mail by mail; returns what they accepted. */
async function somebody(preference?: { mail: boolean; bot: boolean }) {
  const { userId, caller } = await fixturesIn(platform).person();
  await db().updateTable('users').set({ language: 'en' }).where('id', '=', userId).execute();
  const prefer = (wanted: { mail: boolean; bot: boolean }) =>
    db()
      .insertInto('notification_preferences')
      .values({ userId, type: 'document.approved', ...wanted })
      .onConflict((conflict) => conflict.columns(['userId', 'type']).doUpdateSet(wanted))
      .execute();
  if (preference !== undefined) await prefer(preference);
  const mails: Mail[] = [];
  const messages: string[] = [];
  const answers = { mail: [] as (Error | null)[], bot: [] as (Error | 'not_linked' | null)[] };
  const bot: BotChannel = {
    async send(_platform, _userId, { title, link }) {
      const answer = answers.bot.shift() ?? null;
      if (answer instanceof Error) throw answer;
      if (answer === 'not_linked') return answer;
      messages.push(`${title} ${link}`);
      return 'sent';
    },
  };
  const mailer = {
    async send(mail: Mail) {
      const answer = answers.mail.shift() ?? null;
      if (answer) throw answer;
      mails.push(mail);
    },
  };
  const entered = new Extensions([extend(botChannel, bot)]);
  const own: Platform = {
    ...platform,
    mailer,
    extensions: {
      of: (point: Parameters<typeof extensions.of>[0]) => (point === botChannel ? entered.of(point) : extensions.of(point)),
    } as Extensions,
  };
  const send = (isAsked = false): Promise<void> =>
    new MockActivityEnvironment({}, { logger: new DefaultLogger('ERROR') }).run(createActivities(own).sendNotifications, userId, {
      isAsked,
    });
  return {
    userId,
    mails,
    messages,
    answers,
    mailer,
    extensions: own.extensions,
    prefer,
    /** Notifies of documents, each by a command of its own. */
    tell: async (...documents: number[]) => {
      for (const id of documents)
        await commit(platform, caller, (ctx) => notify(ctx, userId, documentNotifications['document.approved'], { kind: 'document', id }));
    },
    send,
    /** Documents named in the mails, in the order of the mails. */
    told: () => mails.map(({ text }) => Number(/document (\d+)/.exec(text)?.[1])),
    waiting: () => db().selectFrom('notification_deliveries').where('userId', '=', userId).select(['channel']).orderBy('id').execute(),
    look: () => executeInternal(own, deliveryProcess, userId),
    troubles: () => db().selectFrom('process_troubles').where('process', '=', `delivery/${userId}`).selectAll().execute(),
    outbox: () => db().selectFrom('outbox').where('process', '=', `delivery/${userId}`).select(['requestId', 'availableAt']).execute(),
    audits: () =>
      db()
        .selectFrom('audit_events')
        .where('action', '=', 'notification.refused')
        .where('subjectKind', '=', 'user')
        .where('subjectId', '=', String(userId))
        .select('data')
        .execute(),
    /**
     * Leases the account as another sender.
     * @param seconds from now in real time
     */
    hold: (seconds: number) => {
      const row = { holder: 'somebody else', until: new Date(Date.now() + seconds * 1000) };
      return db()
        .insertInto('delivery_holds')
        .values({ userId, ...row })
        .onConflict((conflict) => conflict.column('userId').doUpdateSet(row))
        .execute();
    },
    holds: () => db().selectFrom('delivery_holds').where('userId', '=', userId).selectAll().execute(),
  };
}
type Somebody = Awaited<ReturnType<typeof somebody>>;

/** A round to these people; each has the mail server of his own. */
function startRound(people: readonly Somebody[]) {
  const mailer = {
    async send(mail: Mail) {
      const owner = await db().selectFrom('users').where('email', '=', mail.to).select('id').executeTakeFirstOrThrow();
      await people.find(({ userId }) => userId === owner.id)?.mailer.send(mail);
    },
  };
  const environment = new MockActivityEnvironment({}, { logger: new DefaultLogger('ERROR') });
  // One channel of the bot for all: that of the first.
  const [only] = people;
  const { sendRound } = createActivities({ ...platform, mailer, extensions: only?.extensions ?? platform.extensions });
  const ids = people.map(({ userId }) => userId);
  return { environment, done: environment.run(sendRound, ids, 'delivery-round/1') as Promise<void> };
}
const round = (people: readonly Somebody[]) => startRound(people).done;

/** Makes the database refuse to delete an account's rows meanwhile. */
async function whileNothingGoes(table: string, { userId }: Somebody, work: () => Promise<void>): Promise<void> {
  const owner = new Client({ connectionString: ownerUrl });
  await owner.connect();
  try {
    await owner.query(`create function refuse_one() returns trigger language plpgsql as $$ begin raise 'it stays'; end $$`);
    await owner.query(
      `create trigger refuse_one before delete on ${table} for each row when (old.user_id = ${userId}) execute function refuse_one()`,
    );
    await work();
  } finally {
    await owner.query('drop function if exists refuse_one cascade');
    await owner.end();
  }
}

const refused = new MailRefusedError(550);
const away = new MailUnavailableError();

test('a burst makes one delivery and one outbox message, seconds later, with the first request id', async () => {
  const { tell, outbox, look, waiting } = await somebody();
  await tell(1, 2, 3);
  const [message, ...more] = await outbox();
  expect(more).toEqual([]);
  expect(message?.requestId).toMatch(/^req-/);
  expect(message?.availableAt.getTime()).toBeGreaterThan(Date.now() + 2_000);
  expect(await waiting()).toHaveLength(3);
  expect(await look()).toMatchObject({ stage: 'waiting', isDue: true, isOver: false });
});

test('NOT-4: mails go out in order, once, each with a stable id; then the delivery is over', async () => {
  const { tell, send, told, mails, waiting, look } = await somebody();
  await tell(1, 2, 3);
  await send();
  expect(told()).toEqual([1, 2, 3]);
  expect(mails[0]).toMatchObject({ subject: 'Document approved', to: expect.stringContaining('@') });
  expect(mails[0]?.text).toContain('/api/v1/notifications/preferences');
  expect(mails.map(({ messageId }) => messageId)).toEqual([...new Set(mails.map(({ messageId }) => messageId))]);
  expect(await waiting()).toEqual([]);
  expect(await look()).toMatchObject({ stage: 'sent', isOver: true });
  await send();
  expect(mails).toHaveLength(3);
});

test('a new delivery begins after one that is over', async () => {
  const { tell, send, told, outbox } = await somebody();
  await tell(1);
  await send();
  await tell(2);
  expect(await outbox()).toHaveLength(2);
  await send();
  expect(told()).toEqual([1, 2]);
});

test.each(['ru', 'kk', 'en'] as const)('the mail is in %s where that is the language of the account when it is sent', async (language) => {
  const { userId, tell, send, mails } = await somebody();
  await tell(1);
  await db().updateTable('users').set({ language }).where('id', '=', userId).execute();
  await send();
  const words = { ru: 'Чтобы не получать таких писем', kk: 'Мұндай хаттарды алмау үшін', en: 'To get no such mails' };
  expect(mails[0]?.text).toContain(words[language]);
});

describe('an unwanted notification is not sent', () => {
  test('turned off before', async () => {
    const { tell, waiting, outbox } = await somebody({ mail: false, bot: false });
    await tell(1);
    expect([await waiting(), await outbox()]).toEqual([[], []]);
  });

  test('turned off after it was written', async () => {
    const { tell, prefer, send, mails, waiting } = await somebody();
    await tell(1);
    await prefer({ mail: false, bot: false });
    await send();
    expect([mails, await waiting()]).toEqual([[], []]);
  });

  test('the account was blocked', async () => {
    const { userId, tell, send, mails, waiting, look } = await somebody();
    await tell(1);
    await db().updateTable('users').set({ status: 'blocked' }).where('id', '=', userId).execute();
    await send();
    expect([mails, await waiting()]).toEqual([[], []]);
    expect(await look()).toMatchObject({ isOver: true });
  });
});

test('a mail refused for good does not block later ones; the audit records it without the address', async () => {
  const { tell, send, told, answers, audits, look } = await somebody();
  await tell(1, 2, 3);
  answers.mail.push(null, refused);
  await send();
  expect(told()).toEqual([1, 3]);
  expect(await audits()).toEqual([{ data: { notification_id: expect.any(Number), channel: 'mail', code: 550 } }]);
  expect(await look()).toMatchObject({ isOver: true });
});

test('an invalid address is dropped as well', async () => {
  const { tell, send, answers, audits } = await somebody();
  await tell(1);
  answers.mail.push(new MailAddressError());
  await send();
  expect(await audits()).toMatchObject([{ data: { code: null } }]);
});

test('a message that the bot platform never accepts is dropped, and the mail goes out', async () => {
  const { tell, send, told, messages, answers, audits, look } = await somebody({ mail: true, bot: true });
  await tell(1, 2);
  answers.bot.push(new BotRefusedError(400));
  await send();
  expect([told(), messages.length]).toEqual([[1, 2], 1]);
  expect(await audits()).toMatchObject([{ data: { channel: 'bot', code: 400 } }]);
  expect(await look()).toMatchObject({ isOver: true });
});

test('a notification without a text is dropped, and later ones go out', async () => {
  const { tell, send, told, audits, look } = await somebody();
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
  expect(told()).toEqual([2]);
  expect(await audits()).toMatchObject([{ data: { channel: 'mail', code: null } }]);
  expect(await look()).toMatchObject({ isOver: true });
});

describe('while the mail server is away', () => {
  afterEach(() => {
    now = new Date('2026-06-15T12:00:00+05:00');
  });

  test('NOT-4: all mails wait in order with growing pauses, then go out once', async () => {
    const { tell, send, told, answers, look, troubles } = await somebody();
    await tell(1, 2, 3);
    answers.mail.push(null, away);
    await expect(send()).rejects.toMatchObject({ type: 'service_unavailable', nonRetryable: true });
    expect(told()).toEqual([1]);
    expect(await look()).toMatchObject({ stage: 'postponed', waitingFor: 'date', isDue: false });
    expect(await troubles()).toMatchObject([{ code: 'service_unavailable', tries: 1, isStuck: false }]);
    let longest = 0;
    for (let tries = 2; tries <= 8; tries += 1) {
      now = new Date(now.getTime() + minutes(16));
      answers.mail.push(away);
      // The worker's mail gate is open again: each attempt creates a new one.
      await expect(send()).rejects.toMatchObject({ type: 'service_unavailable' });
      const { timer } = await look();
      expect(timer?.afterMs).toBeLessThanOrEqual(minutes(15));
      longest = Math.max(longest, timer?.afterMs ?? 0);
    }
    expect(longest).toBeGreaterThan(minutes(2));
    expect(await troubles()).toMatchObject([{ tries: 8, isStuck: true }]);
    await tell(4);
    now = new Date(now.getTime() + minutes(16));
    await send();
    expect(told()).toEqual([1, 2, 3, 4]);
    expect([await troubles(), (await look()).isOver]).toEqual([[], true]);
  });

  test('an explicit retry attempts at once', async () => {
    const { tell, send, told, answers } = await somebody();
    await tell(1);
    answers.mail.push(away);
    await expect(send()).rejects.toThrow();
    await send();
    expect(told()).toEqual([]);
    await send(true);
    expect(told()).toEqual([1]);
  });

  test('the bot keeps sending, also newer notifications, and its success hides no trouble', async () => {
    const { tell, send, told, messages, answers, outbox, look, troubles } = await somebody({ mail: true, bot: true });
    await tell(1);
    answers.mail.push(away);
    await expect(send()).rejects.toMatchObject({ message: expect.stringContaining('the mail server') });
    expect([told(), messages]).toEqual([[], [expect.stringMatching(/^Document approved http/)]]);
    expect((await look()).isDue).toBe(false);
    await tell(2);
    expect(await outbox()).toHaveLength(2);
    expect((await look()).isDue).toBe(true);
    await send();
    expect([told(), messages.length]).toEqual([[], 2]);
    expect(await look()).toMatchObject({ stage: 'postponed', isDue: false });
    expect(await troubles()).toHaveLength(1);
  });

  test('a newer mail does not wake the process before the next attempt', async () => {
    const { tell, send, answers, outbox } = await somebody();
    await tell(1);
    answers.mail.push(away);
    await expect(send()).rejects.toThrow();
    await tell(2);
    expect(await outbox()).toHaveLength(1);
  });
});

describe('a mail that the mail server refuses for now', () => {
  const refusedForNow = new MailUnavailableError({ isOfMail: true, code: 451 });
  afterEach(() => {
    now = new Date('2026-06-15T12:00:00+05:00');
  });

  test('does not block later ones, is retried with growing pauses, and is dropped after a day', async () => {
    const { userId, tell, send, told, answers, look, troubles, waiting, audits } = await somebody();
    await tell(1, 2);
    answers.mail.push(refusedForNow, null);
    await expect(send()).rejects.toMatchObject({ type: 'service_unavailable', message: 'the mail server refuses a mail for now' });
    expect(told()).toEqual([2]);
    const startedAt = now;
    for (let tries = 2; tries < 14; tries += 1) {
      const { timer } = await look();
      now = new Date(now.getTime() + (timer?.afterMs ?? 0) + 1);
      answers.mail.push(refusedForNow);
      await expect(send()).rejects.toMatchObject({ type: 'service_unavailable' });
      expect(await troubles()).toMatchObject([{ tries, isStuck: tries >= 6 }]);
      await tell(tries + 1);
      await send();
      expect(told().at(-1)).toBe(tries + 1);
      expect(await look()).toMatchObject({ stage: 'postponed', isDue: false });
      expect(await troubles()).toHaveLength(1);
    }
    now = new Date(now.getTime() + minutes(60 * 24));
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

  test('is attempted at once on request, after the others', async () => {
    const { tell, send, told, answers, troubles } = await somebody();
    await tell(1, 2);
    answers.mail.push(refusedForNow);
    await expect(send()).rejects.toThrow();
    await send();
    expect(told()).toEqual([2]);
    await send(true);
    expect([told(), await troubles()]).toEqual([[2, 1], []]);
  });
});

describe('by the bot', () => {
  test('BOT-4: sends only the title and a link; drops what has no channel', async () => {
    const { tell, send, messages, answers, waiting } = await somebody({ mail: false, bot: true });
    await tell(1, 2);
    answers.bot.push('not_linked');
    await send();
    expect(messages).toEqual([`Document approved ${platform.config.BASE_URL ?? ''}`]);
    expect(await waiting()).toEqual([]);
  });

  test('waits as long as the rate limit of the platform demands', async () => {
    const { tell, send, answers, look } = await somebody({ mail: false, bot: true });
    await tell(1);
    answers.bot.push(new BotUnavailableError('the platform answered 429', minutes(40)));
    await expect(send()).rejects.toMatchObject({ message: expect.stringContaining('the platform of the bot') });
    expect((await look()).timer?.afterMs).toBe(minutes(40));
  });
});

test('a notification written while a round ends joins it or starts another', async () => {
  const { userId, tell, send, told, look } = await somebody();
  await tell(1);
  // Another command that wrote a notification and is committing.
  const em = platform.orm.em.fork();
  await em.begin();
  const other = databaseOf(em);
  await sql`
    with told as (insert into notifications (user_id, type, subject_kind, subject_id, created_at)
      values (${userId}, 'document.approved', 'document', '2', ${now}) returning id),
    streamed as (insert into stream_events (user_id, kind, subject_id, created_at) select ${userId}, 'notification', id, ${now} from told)
    insert into notification_deliveries (notification_id, user_id, channel, created_at, request_id)
    select id, ${userId}, 'mail', ${now}, 'other' from told`.execute(other);
  await sql`set constraints all immediate`.execute(other);
  const round = send();
  await waitFor(lockWaits, (waiting) => waiting > 0, 'the round to wait for the commit');
  await em.commit();
  await round;
  expect(await look()).toMatchObject({ isOver: false, isDue: true });
  await send();
  expect(told()).toEqual([1, 2]);
  expect(await look()).toMatchObject({ isOver: true });
});

test('a bot message written while a round ends does not wait for the pause of the mail', async () => {
  const { userId, tell, prefer, look, outbox } = await somebody();
  await tell(1);
  await prefer({ mail: false, bot: true });
  const em = platform.orm.em.fork();
  await em.begin();
  const round = databaseOf(em);
  const until = new Date(now.getTime() + minutes(10));
  await sql`update deliveries set due_at = ${until} where user_id = ${userId}`.execute(round);
  await sql`insert into delivery_pauses (user_id, channel, tries, until) values (${userId}, 'mail', 1, ${until})`.execute(round);
  const telling = tell(2);
  await waitFor(lockWaits, (waiting) => waiting > 0, 'the command to wait for the round');
  await em.commit();
  await telling;
  expect(await look()).toMatchObject({ isDue: true });
  expect(await outbox()).toHaveLength(2);
});

test('parallel commands for the same accounts do not block each other, and all mails go out', async () => {
  const people = await Promise.all([1, 2, 3].map(() => somebody()));
  const { caller } = await fixturesIn(platform).person();
  const tellAll = (order: typeof people, id: number) =>
    commit(platform, caller, async (ctx) => {
      for (const { userId } of order) await notify(ctx, userId, documentNotifications['document.approved'], { kind: 'document', id });
    });
  const rounds = people.map(({ send }) => async () => {
    for (let round = 0; round < 10; round += 1) await send();
  });
  const commands = Array.from({ length: 20 }, (_, index) => tellAll(index % 2 === 0 ? people : people.toReversed(), index + 1));
  await Promise.all([...commands, ...rounds.map((run) => run())]);
  for (const { send, told, waiting, look } of people) {
    await send();
    expect(told().toSorted((left, right) => left - right)).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
    expect([await waiting(), (await look()).isOver]).toEqual([[], true]);
  }
});

describe('a round for many accounts', () => {
  afterEach(() => {
    now = new Date('2026-06-15T12:00:00+05:00');
  });

  test('sends to each account in order and once, and leaves nothing for their processes', async () => {
    const people = await Promise.all(Array.from({ length: 7 }, () => somebody()));
    for (const { tell } of people) await tell(1, 2);
    await round(people);
    for (const { told, waiting, look, holds, outbox } of people) {
      expect(told()).toEqual([1, 2]);
      expect([await waiting(), await holds()]).toEqual([[], []]);
      expect(await look()).toMatchObject({ stage: 'sent', isOver: true });
      // The message that started the round.
      expect(await outbox()).toHaveLength(1);
    }
    await round(people);
    expect(people.flatMap(({ told }) => told())).toHaveLength(14);
  });

  test('hands an account to its process when the mail server is away, counts the attempt, and continues', async () => {
    const [first, second] = [await somebody(), await somebody()];
    await first.tell(1, 2);
    await second.tell(1);
    // A full mailbox: the server itself is there.
    first.answers.mail.push(null, new MailUnavailableError({ isOfMail: true }));
    await round([first, second]);
    expect([first.told(), second.told()]).toEqual([[1], [1]]);
    const [told, woken] = await first.outbox();
    expect([told?.requestId, await second.outbox()]).toEqual([woken?.requestId, [expect.anything()]]);
    expect(woken?.requestId).toMatch(/^req-/);
    expect(await first.look()).toMatchObject({ stage: 'postponed', isDue: false });
    expect([await first.holds(), await first.troubles()]).toMatchObject([[], [{ step: 'sendNotifications', tries: 1, isStuck: false }]]);
    await first.send();
    expect(first.told()).toEqual([1]);
    now = new Date(now.getTime() + minutes(1));
    await first.send();
    expect([first.told(), await first.troubles()]).toEqual([[1, 2], []]);
  });

  test('waits as long as the rate limit of the bot platform demands', async () => {
    const person = await somebody({ mail: false, bot: true });
    await person.tell(1);
    person.answers.bot.push(new BotUnavailableError('the platform answered 429', minutes(40)));
    await round([person]);
    expect((await person.look()).timer?.afterMs).toBe(minutes(40));
  });

  test('does not retry channels that failed before: their process counts attempts', async () => {
    const { tell, send, told, answers, outbox, look, ...rest } = await somebody({ mail: true, bot: true });
    await tell(1);
    answers.mail.push(away);
    await expect(send()).rejects.toThrow();
    await tell(2);
    const before = (await outbox()).length;
    await round([{ tell, send, told, answers, outbox, look, ...rest }]);
    expect(told()).toEqual([]);
    expect(await outbox()).toHaveLength(before + 1);
    expect(await look()).toMatchObject({ isOver: false, isDue: true });
  });

  test('skips accounts that another sender leases; the process sends after the lease expires', async () => {
    const person = await somebody();
    await person.tell(1);
    await person.hold(30);
    await round([person]);
    expect([person.told(), (await person.outbox()).length]).toEqual([[], 2]);
    const { isDue, timer } = await person.look();
    expect(isDue).toBe(false);
    expect(timer?.afterMs).toBeLessThanOrEqual(30_001);
    await person.send();
    expect(person.told()).toEqual([]);
    await person.hold(-1);
    now = new Date(now.getTime() + minutes(1));
    await person.send();
    expect([person.told(), await person.look()]).toMatchObject([[1], { isOver: true }]);
  });

  test('stops when its lease expired and another sender took it', async () => {
    const person = await somebody();
    const { tell, told, mailer, hold, holds } = person;
    await tell(1, 2, 3);
    const serve = mailer.send;
    const time = performance.now.bind(performance);
    const later = mock.method(performance, 'now');
    mailer.send = async (mail) => {
      await hold(30);
      later.mock.mockImplementation(() => time() + 13_000);
      await serve(mail);
    };
    try {
      await round([person]);
    } finally {
      later.mock.restore();
    }
    expect(told()).toEqual([1]);
    expect(await holds()).toMatchObject([{ holder: 'somebody else' }]);
  });

  test('renews the lease while one message takes long', async () => {
    const person = await somebody();
    const { tell, told, mailer, holds } = person;
    await tell(1);
    const serve = mailer.send;
    mailer.send = async (mail) => {
      const [before] = await holds();
      await waitFor(holds, ([hold]) => hold !== undefined && before !== undefined && hold.until > before.until, 'the hold to be renewed');
      await serve(mail);
    };
    await round([person]);
    expect(told()).toEqual([1]);
  });

  test('holds the lease alone: the process waits until it is done, and is notified', async () => {
    const person = await somebody();
    const { tell, send, told, look, outbox, mailer } = person;
    await tell(1, 2);
    const serve = mailer.send;
    const process: { isDue: boolean; afterMs: number }[] = [];
    mailer.send = async (mail) => {
      mailer.send = serve;
      await send();
      const { isDue, timer } = await look();
      process.push({ isDue, afterMs: timer?.afterMs ?? 0 });
      await serve(mail);
    };
    await round([person]);
    expect(process).toEqual([{ isDue: false, afterMs: expect.any(Number) }]);
    expect(process[0]?.afterMs).toBeGreaterThan(5_000);
    expect(told()).toEqual([1, 2]);
    expect(await look()).toMatchObject({ isOver: true });
    expect(await outbox()).toHaveLength(2);
  });

  test('leaves notifications written meanwhile to the process', async () => {
    const person = await somebody();
    const { tell, told, look, outbox, mailer } = person;
    await tell(1);
    const serve = mailer.send;
    mailer.send = async (mail) => {
      mailer.send = serve;
      await tell(2);
      await serve(mail);
    };
    await round([person]);
    expect(told()).toEqual([1]);
    expect([await look(), (await outbox()).length]).toMatchObject([{ isDue: true }, 2]);
  });

  test('continues after an account that fails', async () => {
    const [first, second] = [await somebody(), await somebody()];
    for (const { tell } of [first, second]) await tell(1);
    await whileNothingGoes('notification_deliveries', first, () => round([first, second]));
    expect([second.told(), await second.waiting()]).toEqual([[1], []]);
    expect([await first.holds(), (await first.outbox()).length]).toEqual([[], 2]);
    expect(await first.look()).toMatchObject({ isDue: true });
  });

  test('runs again when it cannot hand an account to its process, and sends nothing twice', async () => {
    const [first, second] = [await somebody(), await somebody()];
    for (const { tell } of [first, second]) await tell(1);
    await whileNothingGoes('delivery_holds', first, () => expect(round([first, second])).rejects.toThrow('the step failed'));
    await round([first, second]);
    // The first try may still be at work for all that is known: the account is its own until then, and the process sends after it.
    expect(await first.look()).toMatchObject({ isOver: false, isDue: false });
    await first.hold(-1);
    now = new Date(now.getTime() + minutes(1));
    await first.send();
    for (const { told, look, holds } of [first, second])
      expect([told(), await look(), await holds()]).toMatchObject([[1], { isOver: true }, []]);
  });

  test('a stopping worker leaves the rest to their processes', async () => {
    const people = await Promise.all(Array.from({ length: 6 }, () => somebody()));
    for (const { tell } of people) await tell(1);
    const { environment, done } = startRound(people);
    environment.cancel();
    await done;
    const left = await Promise.all(people.map(async ({ told, outbox }) => [told().length, (await outbox()).length]));
    for (const [sent, messages] of left) expect([sent, messages]).toEqual(sent === 1 ? [1, 1] : [0, 2]);
    expect(left.some(([sent]) => sent === 0)).toBe(true);
  });
});
