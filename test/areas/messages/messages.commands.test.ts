import fc from 'fast-check';
import { answerChat } from '../../../src/areas/messages/answer-chat.ts';
import { markChatRead, markChatReadByFederation, markRead } from '../../../src/areas/messages/mark-read.ts';
import { sendChatMessage } from '../../../src/areas/messages/send-chat-message.ts';
import { sendMessage } from '../../../src/areas/messages/send-message.ts';
import type { Perspective } from '../../../src/areas/messages/sides.ts';
import { transferProfile } from '../../../src/areas/ownership/transfer-profile.ts';
import { isDomainError } from '../../../src/errors.ts';
import { commit } from '../../../src/platform/commands/command.ts';
import type { CommandContext } from '../../../src/platform/commands/context.ts';
import { databaseOf } from '../../../src/platform/database/database.ts';
import type { Platform } from '../../../src/platform/platform.ts';
import { relayOnlyOutbox } from '../../../src/platform/workflows/outbox.ts';
import { type Fixtures, fixturesIn, type Member } from '../../support/factories.ts';
import { eventFixtures } from '../../support/factories/events.ts';
import { insertRegistrations } from '../../support/factories/registrations.ts';
import { findBrokenInvariants } from '../../support/invariants.ts';
import { startTestPlatform, type TestSurroundings } from '../../support/test-platform.ts';

/** Parallel writing and reading: counters hold, no message is lost, and former owners get nothing. */

let platform: Platform;
let surroundings: TestSurroundings;
let close: () => Promise<void>;
let make: Fixtures<Member>;
let administrator: Member;

beforeAll(async () => {
  const started = await startTestPlatform();
  ({ close, surroundings } = started);
  platform = { ...started.platform, outbox: relayOnlyOutbox };
  make = fixturesIn(platform);
  administrator = await make.administrator();
});
afterAll(() => close());

const held = /^(a conversation|a message|every registration|an answer|what stands|a transfer)/;
afterEach(async () => {
  const broken = await findBrokenInvariants(surroundings.database.ownerUrl);
  expect(broken.filter((line) => held.test(line))).toEqual([]);
});

const db = () => databaseOf(platform.orm.em.fork());
const by = <T>({ caller }: Member, command: (ctx: CommandContext) => Promise<T>) => commit(platform, caller, command);
const note = (text = 'Hello') => ({ text, idempotencyKey: null });
const times = <T>(count: number, work: (index: number) => T): T[] => Array.from({ length: count }, (_, index) => work(index));
const codeOf = (outcome: PromiseSettledResult<unknown>) =>
  outcome.status === 'fulfilled' ? 'done' : isDomainError(outcome.reason) ? outcome.reason.code : String(outcome.reason);

interface Pair {
  athlete: Member;
  organizer: Member;
  athleteProfile: number;
  organizerProfile: number;
  id: number;
}

async function pair(): Promise<Pair> {
  const [athlete, organizer] = [await make.person(), await make.person()];
  const athleteProfile = await make.profile(athlete, { status: 'approved' });
  const event = await eventFixtures(platform).event(organizer);
  const [id = 0] = await insertRegistrations(db(), [{ eventId: event.id, ownerId: athlete.userId, profileId: athleteProfile }], new Date());
  return { athlete, organizer, athleteProfile, organizerProfile: event.profileId, id };
}

const conversationOf = (registrationId: number) =>
  db().selectFrom('conversations').selectAll().where('registrationId', '=', registrationId).executeTakeFirstOrThrow();

test('in any order of sending and reading, the counters match a simple model', async () => {
  const side = fc.constantFrom<Perspective>('athlete', 'organizer');
  const step = fc.oneof(
    fc.record({ what: fc.constant('send' as const), side }),
    // Up to one of the messages so far, counted from the last; or all.
    fc.record({ what: fc.constant('read' as const), side, back: fc.option(fc.nat({ max: 4 })) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
      const { id, ...people } = await pair();
      const said: { id: number; side: Perspective; isRead: boolean }[] = [];
      for (const { side: who, ...did } of steps) {
        if (did.what === 'send') {
          const { message } = await by(people[who], (ctx) => sendMessage(ctx, id, who, note()));
          said.push({ id: message.id, side: who, isRead: false });
        } else {
          const upTo = did.back === null ? null : (said.at(-1 - did.back)?.id ?? 0);
          const left = await by(people[who], (ctx) => markRead(ctx, id, who, upTo));
          for (const message of said) if (message.side !== who && (upTo === null || message.id <= upTo)) message.isRead = true;
          expect(left).toBe(said.filter((message) => message.side !== who && !message.isRead).length);
        }
      }
      const unreadBy = (who: Perspective) => said.filter((message) => message.side !== who && !message.isRead).length;
      expect(await conversationOf(id)).toMatchObject({
        messageCount: said.length,
        athleteUnread: unreadBy('athlete'),
        counterpartUnread: unreadBy('organizer'),
        lastMessageId: said.at(-1)?.id ?? null,
      });
    }),
    { numRuns: 25 },
  );
});

describe('in parallel', () => {
  test('both sides write and read: each message is stored once, in order, and unseen ones stay unread', async () => {
    const { id, ...people } = await pair();
    const outcomes = await Promise.allSettled(
      times(40, (index) => {
        const who = index % 2 === 0 ? 'athlete' : 'organizer';
        return by<unknown>(people[who], (ctx) =>
          index % 10 === 9 ? markRead(ctx, id, who, null) : sendMessage(ctx, id, who, note(`${index}`)),
        );
      }),
    );
    expect(outcomes.map(codeOf)).toEqual(outcomes.map(() => 'done'));
    const { id: conversationId, messageCount } = await conversationOf(id);
    const messages = await db()
      .selectFrom('messages')
      .select(['text', 'createdAt'])
      .where('conversationId', '=', conversationId)
      .orderBy('id')
      .execute();
    expect([messageCount, new Set(messages.map(({ text }) => text)).size]).toEqual([36, 36]);
    const dates = messages.map(({ createdAt }) => createdAt.getTime());
    expect(dates).toEqual(dates.toSorted((left, right) => left - right));
  });

  test('both sides send the first message of a chat: there is one chat, with all messages', async () => {
    const person = await make.person();
    await Promise.all(
      times(12, (index) =>
        index % 2 === 0
          ? by(person, (ctx) => sendChatMessage(ctx, note()))
          : by(administrator, (ctx) => answerChat(ctx, person.userId, note())),
      ),
    );
    const chats = await db().selectFrom('conversations').selectAll().where('athleteId', '=', person.userId).execute();
    expect(chats).toMatchObject([{ messageCount: 12, athleteUnread: 6, counterpartUnread: 6 }]);
    await Promise.all([
      by(person, (ctx) => markChatRead(ctx, null)),
      by(administrator, (ctx) => markChatReadByFederation(ctx, person.userId, null)),
      by(person, (ctx) => sendChatMessage(ctx, note())),
    ]);
  });
});

describe('during a transfer of a profile', () => {
  const reason = 'The club takes its athlete over';
  const transfer = (profileId: number, from: Member, to: Member) =>
    by(administrator, (ctx) => transferProfile(ctx, profileId, { currentUserId: from.userId, targetUserId: to.userId, reason }));

  test.each(['athlete', 'organizer'] as const)('messages of the %s move along or are refused', async (who) => {
    const { id, ...people } = await pair();
    const to = await make.person();
    const profileId = who === 'athlete' ? people.athleteProfile : people.organizerProfile;
    const [moved, ...sent] = await Promise.allSettled([
      transfer(profileId, people[who], to),
      ...times(20, () => by(people[who], (ctx) => sendMessage(ctx, id, who, note()))),
      ...times(5, () => by(people[who], (ctx) => markRead(ctx, id, who, null))),
    ]);
    expect(moved && codeOf(moved)).toBe('done');
    const codes = new Set(sent.map(codeOf));
    expect(['done', 'not_found']).toEqual(expect.arrayContaining([...codes]));
    const done = sent.slice(0, 20).filter(({ status }) => status === 'fulfilled').length;
    expect((await conversationOf(id)).messageCount).toBe(done);
    const [late] = await Promise.allSettled([by(people[who], (ctx) => sendMessage(ctx, id, who, note()))]);
    expect(late && codeOf(late)).toBe('not_found');
    await by(to, (ctx) => sendMessage(ctx, id, who, note()));
  });

  test('both profiles of one conversation move at once while both sides write: all requests finish', async () => {
    const { id, athlete, organizer, athleteProfile, organizerProfile } = await pair();
    const [one, other, ...sent] = await Promise.allSettled([
      transfer(athleteProfile, athlete, organizer),
      transfer(organizerProfile, organizer, athlete),
      ...times(10, (index) =>
        by(index % 2 === 0 ? athlete : organizer, (ctx) => sendMessage(ctx, id, index % 2 === 0 ? 'athlete' : 'organizer', note())),
      ),
    ]);
    expect([one, other].map((outcome) => outcome && codeOf(outcome))).toEqual(['done', 'done']);
    expect(['done', 'not_found']).toEqual(expect.arrayContaining([...new Set(sent.map(codeOf))]));
    expect(await conversationOf(id)).toMatchObject({ athleteId: organizer.userId, organizerId: athlete.userId });
    await by(organizer, (ctx) => sendMessage(ctx, id, 'athlete', note()));
    await by(athlete, (ctx) => sendMessage(ctx, id, 'organizer', note()));
  });

  test('a registration submitted meanwhile has a conversation with the current organizer', async () => {
    const { organizer, organizerProfile, athlete, athleteProfile } = await pair();
    const to = await make.person();
    const { id: eventId } = await db()
      .selectFrom('events')
      .select('id')
      .where('profileId', '=', organizerProfile)
      .executeTakeFirstOrThrow();
    const rows = times(10, (index) => ({
      eventId,
      ownerId: athlete.userId,
      profileId: athleteProfile,
      class: `K${index}`,
      status: 'draft' as const,
    }));
    const ids = await insertRegistrations(db(), rows, new Date());
    await Promise.all([
      transfer(organizerProfile, organizer, to),
      ...ids.map((id) =>
        by(athlete, async ({ db: inside }) => {
          // As a submission does.
          await inside.selectFrom('events').select('id').where('id', '=', eventId).forShare().execute();
          await inside.updateTable('registrations').set({ submittedAt: new Date(), status: 'submitted' }).where('id', '=', id).execute();
        }),
      ),
    ]);
    const converse = await db().selectFrom('conversations').select('organizerId').where('registrationId', 'in', ids).execute();
    expect(converse).toEqual(ids.map(() => ({ organizerId: to.userId })));
  });
});
