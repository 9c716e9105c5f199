import { randomInt, randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { answerContactMessage } from '../../src/areas/accounts/contact/answer-contact-message.ts';
import { receiveContactMessage } from '../../src/areas/accounts/contact/receive-contact-message.ts';
import { changeUser } from '../../src/areas/accounts/users/change-user.ts';
import { updateAccount } from '../../src/areas/accounts/account/update-account.ts';
import { createContract } from '../../src/areas/agreements/contracts/create-contract.ts';
import { createApplication } from '../../src/areas/applications/create-application.ts';
import { updateApplication } from '../../src/areas/applications/update-application.ts';
import { findService } from '../../src/areas/catalog/queries.ts';
import { setBaseIndex } from '../../src/areas/catalog/set-base-index.ts';
import { updateService } from '../../src/areas/catalog/update-service.ts';
import { createEvent } from '../../src/areas/competitions/events/create-event.ts';
import { setRegistrationSettings } from '../../src/areas/competitions/events/set-registration-settings.ts';
import { defaultSettings } from '../../src/areas/competitions/events/settings.ts';
import { updateEvent } from '../../src/areas/competitions/events/update-event.ts';
import { settleAgreement } from '../../src/areas/competitions/index.ts';
import { createDocument } from '../../src/areas/documents/create-document.ts';
import { updateDocument } from '../../src/areas/documents/update-document.ts';
import { answerChat } from '../../src/areas/messages/answer-chat.ts';
import { markChatReadByFederation } from '../../src/areas/messages/mark-read.ts';
import { sendChatMessage } from '../../src/areas/messages/send-chat-message.ts';
import { sendMessage } from '../../src/areas/messages/send-message.ts';
import { endLinks } from '../../src/areas/messaging-bot/end-link.ts';
import { issueLink } from '../../src/areas/messaging-bot/issue-link.ts';
import { type ChatUpdate, receiveUpdate } from '../../src/areas/messaging-bot/receive-update.ts';
import { changeList, removeReviewed } from '../../src/areas/national/lists/change-list.ts';
import { markAllRead } from '../../src/areas/notifications/inbox/mark-all-read.ts';
import { markRead } from '../../src/areas/notifications/inbox/mark-read.ts';
import { setPreferences } from '../../src/areas/notifications/preferences/set-preferences.ts';
import { correctProfile } from '../../src/areas/profiles/index.ts';
import { raiseIncident } from '../../src/areas/reviews/index.ts';
import { resolveIncident } from '../../src/areas/reviews/resolve-incident.ts';
import { createInvoice } from '../../src/areas/wallet/invoices/create-invoice.ts';
import { correctLedger } from '../../src/areas/wallet/ledger/correct-ledger.ts';
import { reverseMovement } from '../../src/areas/wallet/ledger/reverse-movement.ts';
import { commit } from '../../src/platform/commands/command.ts';
import type { CommandContext, UnrecordedCaller } from '../../src/platform/commands/context.ts';
import { eventFeeServiceId } from '../support/factories/events.ts';
import { insertNational } from '../support/factories/national.ts';
import { insertRegistrations } from '../support/factories/registrations.ts';
import { insertUsers } from '../support/factories/rows.ts';
import { signingFixtures } from '../support/factories/signings.ts';
import { makeIin } from '../support/identities/iin.ts';
import { type Case, preparationsOn, type Stage } from './step-cases.ts';

/** Commands of plain data, by their name. */
export function plainCases(stage: Stage): Record<string, Case> {
  const { platform, administrator } = stage;
  const { fixtures, events, db, plain, application, event, enrolment } = preparationsOn(stage);
  const form = { insurance_territory: 'KZ' } as const;

  const messenger: UnrecordedCaller = { actor: { kind: 'anonymous' }, requestId: 'messenger', ip: null };
  // Later updates have larger numbers.
  let lastId = randomInt(1, 1_000_000_000);
  const newId = () => (lastId += 1);
  const updateOf = (chatId: number, text: string): ChatUpdate => ({
    id: newId(),
    chatId,
    languageCode: 'kk',
    what: { kind: 'message', text },
  });
  const receive = (update: ChatUpdate) => commit(platform, messenger, (ctx) => receiveUpdate(ctx, update));

  async function linkToken() {
    const person = await fixtures.person();
    return { person, ...(await commit(platform, person.caller, (ctx) => issueLink(ctx, person.userId))) };
  }

  /** An account with a chat. */
  async function linked() {
    const { person, token: secret } = await linkToken();
    const chatId = newId();
    await receive(updateOf(chatId, `/start ${secret}`));
    return { person, chatId };
  }

  const insertApplications = async (count: number) => {
    const at = await platform.clock.now(db);
    const [ownerId = 0] = await insertUsers(db, 1, at);
    const made = await insertNational(
      db,
      Array.from({ length: count }, () => ({ ownerId })),
      at,
    );
    return made.map(({ id }) => id);
  };
  const changePersonalList =
    (...[list, body]: Parameters<typeof changeList> extends [unknown, ...infer Rest] ? Rest : never) =>
    () =>
      commit(platform, administrator.caller, (ctx) => changeList(ctx, list, body));

  /** An account with ten notifications. @returns the id of the last */
  async function notified() {
    const { userId, caller } = await fixtures.person();
    const rows = await sql<{ id: number }>`insert into notifications (user_id, type, subject_kind, subject_id, facts, created_at)
      select ${userId}, 'document.approved', 'document', n::text, '{}', now() from generate_series(1, 10) n returning id`.execute(db);
    return { userId, caller, lastId: rows.rows.at(-1)?.id ?? 0 };
  }

  const run = async <T>(command: (ctx: CommandContext) => Promise<T>) => commit(platform, (await fixtures.administrator()).caller, command);
  const reason = 'counted by hand';

  async function incident(): Promise<number> {
    const subject = { kind: 'invoice', id: randomUUID() };
    await run((ctx) => raiseIncident(ctx, 'late_payment', subject, {}));
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
    'plain: saveRegistrations, one': async () => (await enrolment(1)).save,
    'plain: saveRegistrations, a hundred': async () => (await enrolment(100)).save,
    'plain: createApplication': async () => {
      const owner = await fixtures.person();
      const on = await fixtures.athlete(owner);
      return plain(owner, (ctx) => createApplication(ctx, { ...on, serviceId: 1, data: form }));
    },
    'plain: updateApplication, data': async () => {
      const { owner, id } = await application({ status: 'draft' });
      return plain(owner, (ctx) => updateApplication(ctx, id, { data: { insurance_territory: 'CIS' } }));
    },
    'plain: updateApplication, documents': async () => {
      const { owner, id, profileId, documentIds } = await application({ status: 'draft' });
      const added = await fixtures.document(owner, profileId, { type: 'driver' });
      return plain(owner, (ctx) => updateApplication(ctx, id, { documentIds: [...documentIds.slice(1), added] }));
    },
    'plain: createEvent': async () => {
      const owner = await fixtures.person();
      const profileId = await events.organizer(owner);
      const [startsAt, endsAt] = [new Date('2026-09-05T09:00:00+05:00'), new Date('2026-09-06T18:00:00+05:00')];
      const content = { serviceId: eventFeeServiceId, disciplineId: 1, title: 'x', location: 'y', startsAt, endsAt, reserveAt: null };
      return plain(owner, (ctx) => createEvent(ctx, { profileId, ...content }));
    },
    'plain: updateEvent': async () => {
      const { owner, id } = await event({});
      return plain(owner, (ctx) => updateEvent(ctx, id, { content: { title: 'another' } }));
    },
    'plain: updateEvent, a file': async () => {
      const { owner, id } = await event({});
      const file = { stage: 'regulations', fileId: await fixtures.file(owner, 'scan') } as const;
      return plain(owner, (ctx) => updateEvent(ctx, id, { file }));
    },
    'plain: setRegistrationSettings': async () => {
      const { owner, id } = await event({});
      return plain(owner, (ctx) => setRegistrationSettings(ctx, id, { ...defaultSettings, classes: ['one'] }));
    },
    'plain: settleAgreement': async () => {
      const { owner, id } = await event({ status: 'draft' });
      return plain(owner, (ctx) => settleAgreement(ctx, id, true));
    },
    'plain: createDocument': async () => {
      const owner = await fixtures.person();
      const [profileId, fileId] = [await fixtures.profile(owner), await fixtures.file(owner, 'scan')];
      const fields = { type: 'medical', fileId, number: 'N1', country: 'KZ', issuedAt: '2024-01-10', expiresAt: null } as const;
      return plain(owner, (ctx) => createDocument(ctx, profileId, fields));
    },
    'plain: updateDocument': async () => {
      const owner = await fixtures.person();
      const id = await fixtures.document(owner, await fixtures.profile(owner));
      return plain(owner, (ctx) => updateDocument(ctx, id, { number: 'N2' }));
    },
    'plain: correctProfile, with an IIN': async () => {
      const owner = await fixtures.person();
      const { profileId } = await fixtures.application(owner, { status: 'submitted' });
      const { updatedAt } = await db.selectFrom('profiles').select('updatedAt').where('id', '=', profileId).executeTakeFirstOrThrow();
      return plain(administrator, (ctx) => correctProfile(ctx, profileId, { data: { iin: makeIin('1990-05-17', 'male', 3) }, updatedAt }));
    },
    'plain: updateService': async () => {
      const service = await findService(db, 21);
      if (!service) throw new Error('there is no service 21');
      const { isActive: active, updatedAt, ...fields } = service;
      return plain(administrator, (ctx) => updateService(ctx, 21, { ...fields, active, category: 'X', disciplineIds: [1] }, updatedAt));
    },
    'plain: setBaseIndex': async () => plain(administrator, (ctx) => setBaseIndex(ctx, 2031, 500_000)),
    'plain: createInvoice': async () => {
      const owner = await fixtures.person();
      const input = { ownerId: owner.userId, amountMinor: 1_500_000, idempotencyKey: randomUUID() };
      return plain(owner, (ctx) => createInvoice(ctx, input));
    },
    'plain: createContract': async () => {
      await signingFixtures(platform).signing(administrator.userId);
      const { owner, id } = await event({ status: 'draft', settings: null });
      return plain(owner, (ctx) => createContract(ctx, id, { templateId: null, notes: null }));
    },
    'plain: changeList, add one': async () => changePersonalList('insurance', { operation: 'add', ids: await insertApplications(1) }),
    'plain: changeList, add a hundred': async () => changePersonalList('print', { operation: 'add', ids: await insertApplications(100) }),
    'plain: changeList, add what is there': async () => {
      const added = { operation: 'add', ids: await insertApplications(2) } as const;
      await changePersonalList('insurance', added)();
      return changePersonalList('insurance', added);
    },
    'plain: changeList, auto': async () => {
      await insertApplications(3);
      return changePersonalList('insurance', { operation: 'auto', year: 2026 });
    },
    'plain: changeList, clear': async () => {
      await changePersonalList('insurance', { operation: 'add', ids: await insertApplications(3) })();
      return changePersonalList('insurance', { operation: 'clear' });
    },
    'plain: removeReviewed': async () => {
      const ids = await insertApplications(3);
      await changePersonalList('review', { operation: 'add', ids })();
      return () => commit(platform, administrator.caller, (ctx) => removeReviewed(ctx, ids));
    },
    'plain: sendMessage': async () => {
      const [athlete, organizer] = [await fixtures.person(), await fixtures.person()];
      const profileId = await fixtures.profile(athlete);
      const event = await events.event(organizer);
      const row = { eventId: event.id, ownerId: athlete.userId, profileId };
      const [id = 0] = await insertRegistrations(db, [row], new Date());
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
    'plain: markRead': async () => {
      const { userId, caller, lastId } = await notified();
      return () => commit(platform, caller, (ctx) => markRead(ctx, { userId, id: lastId }));
    },
    'plain: markAllRead, ten': async () => {
      const { userId, caller, lastId } = await notified();
      return () => commit(platform, caller, (ctx) => markAllRead(ctx, { userId, upToId: lastId }));
    },
    'plain: issueLink': async () => {
      const { person } = await linkToken();
      return () => commit(platform, person.caller, (ctx) => issueLink(ctx, person.userId));
    },
    'plain: endLinks, on the site': async () => {
      const { person } = await linked();
      return () => commit(platform, person.caller, (ctx) => endLinks(ctx, { userId: person.userId }, 'site'));
    },
    'plain: receiveUpdate, a link': async () => {
      const update = updateOf(newId(), `/start ${(await linkToken()).token}`);
      return () => receive(update);
    },
    "plain: receiveUpdate, a link in another account's chat": async () => {
      const update = updateOf((await linked()).chatId, `/start ${(await linkToken()).token}`);
      return () => receive(update);
    },
    'plain: receiveUpdate, a command': async () => {
      const update = updateOf((await linked()).chatId, '/balance');
      return () => receive(update);
    },
    'plain: receiveUpdate, one seen before': async () => {
      const update = updateOf((await linked()).chatId, '/balance');
      await receive(update);
      return () => receive(update);
    },
    'plain: receiveUpdate, blocked': async () => {
      const { chatId } = await linked();
      return () => receive({ id: newId(), chatId, languageCode: null, what: { kind: 'blocked' } });
    },
  };
}
