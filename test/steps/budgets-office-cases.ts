import { randomUUID } from 'node:crypto';
import { answerContactMessage } from '../../src/areas/accounts/contact/answer-contact-message.ts';
import { receiveContactMessage } from '../../src/areas/accounts/contact/receive-contact-message.ts';
import { changeUser } from '../../src/areas/accounts/users/change-user.ts';
import { updateAccount } from '../../src/areas/accounts/users/update-account.ts';
import { answerChat } from '../../src/areas/messages/answer-chat.ts';
import { markChatReadByFederation } from '../../src/areas/messages/mark-read.ts';
import { sendChatMessage } from '../../src/areas/messages/send-chat-message.ts';
import { sendMessage } from '../../src/areas/messages/send-message.ts';
import { setPreferences } from '../../src/areas/notifications/preferences/set-preferences.ts';
import { raiseIncident } from '../../src/areas/reviews/index.ts';
import { resolveIncident } from '../../src/areas/reviews/resolve-incident.ts';
import { correctLedger } from '../../src/areas/wallet/ledger/correct-ledger.ts';
import { reverseMovement } from '../../src/areas/wallet/ledger/reverse-movement.ts';
import { commit } from '../../src/platform/command.ts';
import type { CommandContext } from '../../src/platform/context.ts';
import { databaseOf } from '../../src/platform/database/database.ts';
import { fixturesIn } from '../support/factories.ts';
import { eventFixtures } from '../support/factories/events.ts';
import { insertRegistrations } from '../support/factories/registrations.ts';
import type { Case, Stage } from './budgets-cases.ts';

/** What the federation's office does by hand, and people with their own account, by its name. */
export function officeCases({ platform }: Stage): Record<string, Case> {
  const fixtures = fixturesIn(platform);
  const run = async <T>(command: (ctx: CommandContext) => Promise<T>) => commit(platform, (await fixtures.administrator()).caller, command);
  const reason = 'counted by hand';

  async function incident(): Promise<number> {
    const subject = { kind: 'invoice', id: randomUUID() };
    await run((ctx) => raiseIncident(ctx, 'late_payment', subject, {}));
    const db = databaseOf(platform.orm.em.fork());
    return (await db.selectFrom('incidents').select('id').where('subjectId', '=', subject.id).executeTakeFirstOrThrow()).id;
  }

  async function correction(incidentId: number | null) {
    const { userId } = await fixtures.person();
    const input = { userId, amountMinor: 5_000, direction: 'credit', reason, incidentId, idempotencyKey: randomUUID() } as const;
    return () => run((ctx) => correctLedger(ctx, input));
  }

  const note = { text: 'Hello', idempotencyKey: null };
  /** An account whose chat with the federation has an unread message. */
  async function asking() {
    const person = await fixtures.person();
    const ask = () => commit(platform, person.caller, (ctx) => sendChatMessage(ctx, note));
    return { userId: person.userId, ask };
  }

  return {
    'plain: sendMessage': async () => {
      const [athlete, organizer] = [await fixtures.person(), await fixtures.person()];
      const profileId = await fixtures.profile(athlete);
      const event = await eventFixtures(platform).event(organizer);
      const row = { eventId: event.id, ownerId: athlete.userId, profileId };
      const [id = 0] = await insertRegistrations(databaseOf(platform.orm.em.fork()), [row], new Date());
      return () => commit(platform, athlete.caller, (ctx) => sendMessage(ctx, id, 'athlete', note));
    },
    'plain: sendChatMessage, the first': async () => (await asking()).ask,
    'plain: sendChatMessage': async () => {
      const { ask } = await asking();
      await ask();
      return ask;
    },
    'plain: answerChat': async () => {
      const { userId, ask } = await asking();
      await fixtures.administrator();
      await ask();
      return () => run((ctx) => answerChat(ctx, userId, note));
    },
    'plain: markChatReadByFederation': async () => {
      const { userId, ask } = await asking();
      await ask();
      return () => run((ctx) => markChatReadByFederation(ctx, userId, null));
    },
    'plain: correctLedger, with an incident': async () => correction(await incident()),
    'plain: reverseMovement': async () => {
      const { transactionId: id } = await (await correction(null))();
      return () => run((ctx) => reverseMovement(ctx, { id, reason, incidentId: null }));
    },
    'plain: changeUser, block': async () => {
      const { userId } = await fixtures.person();
      return () => run((ctx) => changeUser(ctx, { userId, status: 'blocked' }));
    },
    'plain: resolveIncident': async () => {
      const id = await incident();
      return () => run((ctx) => resolveIncident(ctx, id, { reason }));
    },
    'plain: answerContactMessage': async () => {
      const message = { name: 'Visitor', email: 'visitor@example.kz', message: 'When does the season start?' };
      const { id } = await run((ctx) => receiveContactMessage(ctx, message));
      return () => run((ctx) => answerContactMessage(ctx, id, null));
    },
    'plain: updateAccount': async () => {
      const { userId, caller } = await fixtures.person();
      return () => commit(platform, caller, (ctx) => updateAccount(ctx, { userId, language: 'kk' }));
    },
    'plain: setPreferences, two': async () => {
      const { userId, caller } = await fixtures.person();
      const wanted = ['invoice.paid', 'photo.approved'].map((type) => ({ type, mail: false, bot: true }));
      return () => commit(platform, caller, (ctx) => setPreferences(ctx, userId, wanted));
    },
  };
}
