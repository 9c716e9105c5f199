import { randomUUID } from 'node:crypto';
import { executeInternal, executeOnce } from '../../activities/execute.ts';
import { createInvoiceActivities } from '../../activities/invoices.ts';
import { createApplication } from '../../src/areas/applications/create-application.ts';
import { applicationProcess } from '../../src/areas/applications/process.ts';
import { updateApplication } from '../../src/areas/applications/update-application.ts';
import { findService } from '../../src/areas/catalog/queries.ts';
import { setBaseIndex } from '../../src/areas/catalog/set-base-index.ts';
import { updateService } from '../../src/areas/catalog/update-service.ts';
import { createEvent } from '../../src/areas/competitions/events/create-event.ts';
import { eventProcess } from '../../src/areas/competitions/events/process.ts';
import { setRegistrationSettings } from '../../src/areas/competitions/events/set-registration-settings.ts';
import { defaultSettings } from '../../src/areas/competitions/events/settings.ts';
import { updateEvent } from '../../src/areas/competitions/events/update-event.ts';
import { settleAgreement } from '../../src/areas/competitions/index.ts';
import { createDocument } from '../../src/areas/documents/create-document.ts';
import { documentProcess } from '../../src/areas/documents/index.ts';
import { updateDocument } from '../../src/areas/documents/update-document.ts';
import { ownershipTransferProcess } from '../../src/areas/ownership/process.ts';
import { correctProfile, profileProcess } from '../../src/areas/profiles/index.ts';
import { parseRow } from '../../src/areas/registrations/parse-row.ts';
import { registrationProcess } from '../../src/areas/registrations/process.ts';
import { saveRegistrations } from '../../src/areas/registrations/save-registrations.ts';
import { invoiceProcess } from '../../src/areas/wallet/index.ts';
import { createInvoice } from '../../src/areas/wallet/invoices/create-invoice.ts';
import { commit } from '../../src/platform/command.ts';
import type { CommandContext } from '../../src/platform/context.ts';
import { databaseOf } from '../../src/platform/database/database.ts';
import type { Platform } from '../../src/platform/platform.ts';
import { keepPrivateInput } from '../../src/platform/private-inputs.ts';
import type { RecordProcess } from '../../src/platform/workflows/define-process.ts';
import type { ProcessCommand } from '../../workflows/process.contract.ts';
import { type ApplicationWishes, fixturesIn } from '../support/factories.ts';
import { eventFeeServiceId, eventFixtures, type EventWishes } from '../support/factories/events.ts';
import type { Member } from '../support/factories/record.ts';
import { insertAthletes } from '../support/factories/registrations.ts';
import { makeIin } from '../support/iin.ts';

/** Brings about what a command needs, and gives the command, ready to be carried out. */
export type Case = () => Promise<() => Promise<unknown>>;

/** Where the commands are carried out. */
export interface Stage {
  platform: Platform;
  administrator: Member;
  bankUrl: string;
}

interface Sent {
  by: Member;
  args?: unknown;
  words?: Record<string, unknown>;
}

/** Every command whose cost is counted, by its name. */
export function budgetCases({ platform, administrator, bankUrl }: Stage): Record<string, Case> {
  const fixtures = fixturesIn(platform);
  /** A command of a process, made ready to be carried out as its activity does. */
  async function step<Row extends { id: number }>(process: RecordProcess<Row>, name: string, id: number, { by, args = {}, words }: Sent) {
    const handler = process.commands.find((candidate) => candidate.name === name);
    if (!handler) throw new Error(`no ${process.kind} is commanded to ${name}`);
    const sent = await command(by, args, words);
    return () => executeOnce(platform, process, handler, id, sent);
  }

  async function command<Args>(by: Member, args: Args, words?: Record<string, unknown>): Promise<ProcessCommand<Args>> {
    const privateInputId = words === undefined ? null : await keepPrivateInput(platform, words);
    return { commandId: randomUUID(), caller: by.caller, args, privateInputId };
  }

  const plain = (by: Member, run: (ctx: CommandContext) => Promise<unknown>) => () => commit(platform, by.caller, run);

  /** An application in a state, and its owner. */
  async function application(wishes: ApplicationWishes) {
    const owner = await fixtures.person();
    return { owner, ...(await fixtures.application(owner, wishes)) };
  }

  const events = eventFixtures(platform);
  /** An event in a state, and its organizer. */
  async function event(wishes: EventWishes) {
    const owner = await fixtures.person();
    return { owner, ...(await events.event(owner, wishes)) };
  }

  const form = { insurance_territory: 'KZ' } as const;
  const approval = { decision: 'approve', revision: 2, validFrom: null, validUntil: null };
  const note = { note: 'the scan cannot be read' };

  async function correctionOf(id: number) {
    const { updatedAt } = await databaseOf(platform.orm.em.fork())
      .selectFrom('documents')
      .select('updatedAt')
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    return { args: { updatedAt: updatedAt.toISOString() }, words: { changes: { expiresAt: '2030-01-01' } } };
  }

  /** An international licence waits for its review when it is paid. */
  async function paidLicence() {
    const owner = await fixtures.person();
    const athlete = await fixtures.athlete(owner);
    const driver = await fixtures.document(owner, athlete.profileId, { type: 'driver', status: 'approved', expiresAt: '2034-01-10' });
    const on = { ...athlete, documentIds: [...athlete.documentIds, driver] };
    const made = await fixtures.application(owner, { on, serviceId: 10, data: { discipline_id: 1 }, status: 'submitted' });
    await fixtures.money(owner, 100_000_000);
    await (
      await step(applicationProcess, 'pay', made.id, { by: owner })
    )();
    return made.id;
  }

  async function invoiceOf(owner: Member) {
    const input = { ownerId: owner.userId, amountMinor: 1_500_000, idempotencyKey: randomUUID() };
    return (await commit(platform, owner.caller, (ctx) => createInvoice(ctx, input))).invoice;
  }

  /** An invoice that was checked out; the bank says of it what is wished. */
  async function checkedOut(outcome: 'paid' | 'pending') {
    const owner = await fixtures.person();
    const invoice = await invoiceOf(owner);
    await (
      await step(invoiceProcess, 'checkout', invoice.id, { by: owner })
    )();
    if (outcome === 'paid') {
      await fetch(`${bankUrl}/control/${invoice.number}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ outcome }),
      });
    }
    return { owner, invoice };
  }

  /** Athletes of one account, and a competition of the administrator's that takes their registrations. */
  async function enrolment(count: number) {
    const owner = await fixtures.person();
    const db = databaseOf(platform.orm.em.fork());
    const now = await platform.clock.now(db);
    const event = await eventFixtures(platform).event(administrator);
    const athletes = await insertAthletes(
      db,
      Array.from({ length: count }, () => owner.userId),
      now,
    );
    const rows = athletes.map(({ profileId, applicationId }, index) =>
      parseRow(`body.registrations.${index}`, { profile_id: profileId, application_id: applicationId, class: 'Юниор' }),
    );
    const save = plain(owner, (ctx) => saveRegistrations(ctx, { eventId: event.id, rows, isSubmitted: true, asksForDetails: true }));
    return { owner, event, athletes, save };
  }

  /** A registration of one athlete, submitted, and what stands behind it. */
  async function registration() {
    const { owner, event, athletes, save } = await enrolment(1);
    await save();
    const [athlete] = athletes;
    const { id } = await databaseOf(platform.orm.em.fork())
      .selectFrom('registrations')
      .select('id')
      .where('eventId', '=', event.id)
      .executeTakeFirstOrThrow();
    return { id, owner, eventId: event.id, documentId: athlete?.documentId ?? 0 };
  }

  /** Has the reminder of a last day fall on the present instant. */
  async function remindNow(table: 'applications' | 'documents', id: number): Promise<void> {
    const db = databaseOf(platform.orm.em.fork());
    const now = await platform.clock.now(db);
    await db.updateTable(table).set({ remindAt: now }).where('id', '=', id).execute();
    if (table === 'applications') await db.updateTable(table).set({ dueAt: now }).where('id', '=', id).execute();
  }

  return {
    'application: submit': async () => {
      // The first of a year marks its base index.
      await application({ status: 'submitted' });
      const { owner, id } = await application({ status: 'draft' });
      return step(applicationProcess, 'submit', id, { by: owner });
    },
    'application: submit again': async () => {
      const { owner, id } = await application({ status: 'draft' });
      const again = await step(applicationProcess, 'submit', id, { by: owner });
      await again();
      return again;
    },
    'application: pay and approve': async () => {
      const { owner, id } = await application({ status: 'submitted' });
      await fixtures.money(owner, 100_000_000);
      return step(applicationProcess, 'pay', id, { by: owner });
    },
    'application: review, approve': async () => {
      const id = await paidLicence();
      return step(applicationProcess, 'review', id, { by: administrator, args: { ...approval, revision: 3 } });
    },
    'application: review, changes': async () => {
      const { id } = await application({ status: 'submitted' });
      return step(applicationProcess, 'review', id, { by: administrator, args: { ...approval, decision: 'changes' }, words: note });
    },
    'application: cancel, with a refund': async () => {
      const owner = await fixtures.person();
      const on = await fixtures.athlete(owner, { medical: { status: 'pending' } });
      const { id } = await fixtures.application(owner, { on, status: 'submitted' });
      await fixtures.money(owner, 100_000_000);
      await (
        await step(applicationProcess, 'pay', id, { by: owner })
      )();
      return step(applicationProcess, 'cancel', id, { by: owner, words: { reason: 'I have changed my mind' } });
    },
    'application: reconsider, nothing due': async () => {
      const { id } = await application({ status: 'approved' });
      await executeInternal(platform, applicationProcess, id);
      return () => executeInternal(platform, applicationProcess, id);
    },
    'application: reconsider, a reminder': async () => {
      const { id } = await application({ status: 'approved' });
      await remindNow('applications', id);
      return () => executeInternal(platform, applicationProcess, id);
    },
    'document: review, approve, one application on it': async () => {
      const owner = await fixtures.person();
      const on = await fixtures.athlete(owner, { medical: { status: 'pending' } });
      await fixtures.application(owner, { on, status: 'submitted' });
      return step(documentProcess, 'review', on.documentIds[1] ?? 0, { by: administrator, args: { decision: 'approve' } });
    },
    'document: review, changes': async () => {
      const owner = await fixtures.person();
      const id = await fixtures.document(owner, await fixtures.profile(owner));
      return step(documentProcess, 'review', id, { by: administrator, args: { decision: 'changes' }, words: note });
    },
    'document: correct, the day of one behind a certificate': async () => {
      const owner = await fixtures.person();
      const { documentIds } = await fixtures.application(owner, { status: 'submitted' });
      const id = documentIds[1] ?? 0;
      return step(documentProcess, 'correct', id, { by: administrator, ...(await correctionOf(id)) });
    },
    'document: reconsider, a reminder': async () => {
      const owner = await fixtures.person();
      const id = await fixtures.document(owner, await fixtures.profile(owner), { status: 'approved', expiresAt: '2034-01-10' });
      await remindNow('documents', id);
      return () => executeInternal(platform, documentProcess, id);
    },
    'document: reconsider, nothing due': async () => {
      const owner = await fixtures.person();
      const id = await fixtures.document(owner, await fixtures.profile(owner), { expiresAt: '2034-01-10' });
      return () => executeInternal(platform, documentProcess, id);
    },
    'event: submit, details': async () => {
      const { owner, id } = await event({ status: 'in_progress' });
      return step(eventProcess, 'submit', id, { by: owner, args: { stage: 'details' } });
    },
    'event: submit, regulations': async () => {
      const { owner, id } = await event({});
      const file = { stage: 'regulations', fileId: await fixtures.file(owner, 'scan') } as const;
      await plain(owner, (ctx) => updateEvent(ctx, id, { file }))();
      return step(eventProcess, 'submit', id, { by: owner, args: { stage: 'regulations' } });
    },
    'event: review, approve': async () => {
      const { id } = await event({ stages: { regulations: 'submitted' } });
      return step(eventProcess, 'review', id, { by: administrator, args: { stage: 'regulations', decision: 'approve' } });
    },
    'event: review, changes': async () => {
      const { id } = await event({ stages: { regulations: 'submitted' } });
      return step(eventProcess, 'review', id, { by: administrator, args: { stage: 'regulations', decision: 'changes' }, words: note });
    },
    'event: cancel, with its fee': async () => {
      const { id } = await event({});
      return step(eventProcess, 'cancel', id, { by: administrator, words: { reason: 'the track is not safe' } });
    },
    'event: reconsider, the intake opens': async () => {
      const { id } = await event({});
      return () => executeInternal(platform, eventProcess, id);
    },
    'event: reconsider, nothing due': async () => {
      const { id } = await event({});
      await executeInternal(platform, eventProcess, id);
      return () => executeInternal(platform, eventProcess, id);
    },
    'profile: submit': async () => {
      const owner = await fixtures.person();
      return step(profileProcess, 'submit', await fixtures.profile(owner), { by: owner });
    },
    'profile: review of the data': async () => {
      const id = await fixtures.profile(await fixtures.person(), { status: 'pending' });
      return step(profileProcess, 'review', id, { by: administrator, args: { part: 'profile', decision: 'approve' } });
    },
    'profile: review of the photo': async () => {
      const id = await fixtures.profile(await fixtures.person(), { status: 'pending' });
      return step(profileProcess, 'review', id, { by: administrator, args: { part: 'photo', decision: 'approve' } });
    },
    'profile: reconsider, nothing due': async () => {
      const id = await fixtures.profile(await fixtures.person(), { status: 'pending' });
      return () => executeInternal(platform, profileProcess, id);
    },
    'invoice: checkout': async () => {
      const owner = await fixtures.person();
      return step(invoiceProcess, 'checkout', (await invoiceOf(owner)).id, { by: owner });
    },
    'invoice: verify, paid': async () => {
      const { owner, invoice } = await checkedOut('paid');
      const sent = await command(owner, {});
      return () => createInvoiceActivities(platform).verifyInvoice(invoice.id, sent);
    },
    'invoice: verify, not paid yet': async () => {
      const { owner, invoice } = await checkedOut('pending');
      const sent = await command(owner, {});
      return () => createInvoiceActivities(platform).verifyInvoice(invoice.id, sent);
    },
    'invoice: record the response, paid': async () => {
      const { invoice } = await checkedOut('paid');
      return () => createInvoiceActivities(platform).reconcileInvoice(invoice.id, { askNow: true });
    },
    'invoice: reconsider, nothing due': async () => {
      const { invoice } = await checkedOut('pending');
      return () => createInvoiceActivities(platform).reconcileInvoice(invoice.id, { askNow: false });
    },
    'registration: decide, approve': async () => {
      const { id, eventId } = await registration();
      return step(registrationProcess, 'decide', id, { by: administrator, args: { eventId, decision: 'approve', startNumber: '1' } });
    },
    'registration: decide, return': async () => {
      const { id, eventId } = await registration();
      const args = { eventId, decision: 'return', startNumber: null };
      return step(registrationProcess, 'decide', id, { by: administrator, args, words: { reason: 'the plate is missing' } });
    },
    'registration: withdraw': async () => {
      const { id, owner } = await registration();
      return step(registrationProcess, 'withdraw', id, { by: owner });
    },
    'registration: reconsider, nothing due': async () => {
      const { id } = await registration();
      return () => executeInternal(platform, registrationProcess, id);
    },
    'registration: reconsider, lapsed': async () => {
      const { id, documentId } = await registration();
      await (
        await step(documentProcess, 'review', documentId, { by: administrator, args: { decision: 'changes' }, words: note })
      )();
      return () => executeInternal(platform, registrationProcess, id);
    },
    'ownership-transfer: transfer': async () => {
      const { owner, profileId } = await application({ status: 'approved' });
      const target = await fixtures.person();
      const args = { currentUserId: owner.userId, targetUserId: target.userId };
      return step(ownershipTransferProcess, 'transfer', profileId, {
        by: await fixtures.administrator(),
        args,
        words: { reason: 'The club takes over' },
      });
    },
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
      const { updatedAt } = await databaseOf(platform.orm.em.fork())
        .selectFrom('profiles')
        .select('updatedAt')
        .where('id', '=', profileId)
        .executeTakeFirstOrThrow();
      return plain(administrator, (ctx) => correctProfile(ctx, profileId, { data: { iin: makeIin('1990-05-17', 'male', 3) }, updatedAt }));
    },
    'plain: updateService': async () => {
      const service = await findService(databaseOf(platform.orm.em.fork()), 21);
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
  };
}
