import { randomUUID } from 'node:crypto';
import { executeInternal, executeOnce } from '../../activities/execute.ts';
import { createInvoiceActivities } from '../../activities/invoices.ts';
import { createContract } from '../../src/areas/agreements/contracts/create-contract.ts';
import { agreementProcess } from '../../src/areas/agreements/contracts/process.ts';
import { applicationProcess } from '../../src/areas/applications/process.ts';
import { eventProcess } from '../../src/areas/competitions/events/process.ts';
import { updateEvent } from '../../src/areas/competitions/events/update-event.ts';
import { documentProcess } from '../../src/areas/documents/index.ts';
import type { Import } from '../../src/areas/imports/entities.ts';
import { importProcess } from '../../src/areas/imports/process.ts';
import { nationalExportProcess } from '../../src/areas/national/index.ts';
import { ownershipTransferProcess } from '../../src/areas/ownership/process.ts';
import { accountErasureProcess, accountExportProcess } from '../../src/areas/privacy/index.ts';
import { profileProcess } from '../../src/areas/profiles/index.ts';
import { parseRow } from '../../src/areas/registrations/check-row.ts';
import { registrationProcess } from '../../src/areas/registrations/process.ts';
import { saveRegistrations } from '../../src/areas/registrations/save-registrations.ts';
import { invoiceProcess } from '../../src/areas/wallet/index.ts';
import { createInvoice } from '../../src/areas/wallet/invoices/create-invoice.ts';
import { noteBankHint } from '../../src/areas/wallet/invoices/note-bank-hint.ts';
import { commit } from '../../src/platform/commands/command.ts';
import type { CommandContext } from '../../src/platform/commands/context.ts';
import { databaseOf, json } from '../../src/platform/database/database.ts';
import type { Platform } from '../../src/platform/platform.ts';
import { storePrivateInput } from '../../src/platform/commands/private-inputs.ts';
import { dayMs } from '../../src/platform/time/date-time.ts';
import type { RecordProcess } from '../../src/platform/workflows/define-process.ts';
import type { ProcessCommand } from '../../workflows/contracts/process.contract.ts';
import { handlerOf } from '../support/handler-of.ts';
import { type ApplicationOptions, fixturesIn } from '../support/factories.ts';
import { eventFixtures, type EventOptions } from '../support/factories/events.ts';
import type { Member } from '../support/factories/record.ts';
import { insertAthletes } from '../support/factories/registrations.ts';
import { insertFiles } from '../support/factories/rows.ts';
import { signingFixtures } from '../support/factories/signings.ts';

/** Makes the records that a command needs, and returns the command, ready to run. */
export type Case = () => Promise<() => Promise<unknown>>;

export interface Stage {
  platform: Platform;
  administrator: Member;
  bankUrl: string;
}

interface Sent {
  by: Member;
  args?: unknown;
  privateInput?: Record<string, unknown>;
}

/** Records that several cases need. */
export function preparationsOn({ platform, administrator }: Stage) {
  const fixtures = fixturesIn(platform);
  const events = eventFixtures(platform);
  const db = databaseOf(platform.orm.em.fork());
  const plain = (by: Member, run: (ctx: CommandContext) => Promise<unknown>) => () => commit(platform, by.caller, run);

  /** An application in a state, and its owner. */
  async function application(options: ApplicationOptions) {
    const owner = await fixtures.person();
    return { owner, ...(await fixtures.application(owner, options)) };
  }

  /** An event in a state, and its organizer. */
  async function event(options: EventOptions) {
    const owner = await fixtures.person();
    return { owner, ...(await events.event(owner, options)) };
  }

  /** Athletes of one account, and a competition of the administrator's that takes their registrations. */
  async function enrolment(count: number, settings: EventOptions['settings'] = {}) {
    const owner = await fixtures.person();
    const now = await platform.clock.now(db);
    const event = await events.event(administrator, { settings });
    const athletes = await insertAthletes(
      db,
      Array.from({ length: count }, () => owner.userId),
      now,
    );
    const rows = athletes.map(({ profileId, applicationId }, index) =>
      parseRow(`body.registrations.${index}`, {
        profile_id: profileId,
        application_id: applicationId,
        class: settings?.classes?.[0] ?? 'Юниор',
      }),
    );
    const save = plain(owner, (ctx) => saveRegistrations(ctx, { eventId: event.id, rows, isSubmitted: true, asksForDetails: true }));
    return { owner, event, athletes, save };
  }

  return { fixtures, events, db, plain, application, event, enrolment };
}

/** Steps of every process, by the name of the process and the command. */
export function stepCases(stage: Stage): Record<string, Case> {
  const { platform, administrator, bankUrl } = stage;
  const { fixtures, db, plain, application, event, enrolment } = preparationsOn(stage);

  /** A command of a process, run as its activity runs it. */
  async function step<Row extends { id: number }>(
    process: RecordProcess<Row>,
    name: string,
    id: number,
    { by, args = {}, privateInput }: Sent,
  ) {
    const handler = handlerOf(process, name);
    const sent = await command(by, args, privateInput);
    return () => executeOnce(platform, process, handler, id, sent);
  }

  async function command<Args>(by: Member, args: Args, privateInput?: Record<string, unknown>): Promise<ProcessCommand<Args>> {
    const privateInputId = privateInput === undefined ? null : await storePrivateInput(platform, privateInput);
    return { commandId: randomUUID(), caller: by.caller, args, privateInputId };
  }

  const approval = { decision: 'approve', revision: 2, validFrom: null, validUntil: null };
  const note = { note: 'the scan cannot be read' };

  async function correctionOf(id: number) {
    const { updatedAt } = await db.selectFrom('documents').select('updatedAt').where('id', '=', id).executeTakeFirstOrThrow();
    return { args: { updatedAt: updatedAt.toISOString() }, privateInput: { changes: { expiresAt: '2030-01-01' } } };
  }

  /** A paid international licence waits for its review. */
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

  /** A file whose bytes are not in storage. */
  async function fileOf(ownerId: number): Promise<string> {
    const [id = ''] = await insertFiles(db, [ownerId], { kind: 'scan', bytes: Buffer.from(randomUUID()), storage: null }, new Date());
    return id;
  }

  async function invoiceOf(owner: Member) {
    const input = { ownerId: owner.userId, amountMinor: 1_500_000, idempotencyKey: randomUUID() };
    return (await commit(platform, owner.caller, (ctx) => createInvoice(ctx, input))).invoice;
  }

  /** An invoice that was checked out, with the bank's answer about it. */
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

  /** A submitted registration of one athlete. */
  async function registration() {
    const { owner, event, athletes, save } = await enrolment(1);
    await save();
    const [athlete] = athletes;
    const { id } = await db.selectFrom('registrations').select('id').where('eventId', '=', event.id).executeTakeFirstOrThrow();
    return { id, owner, eventId: event.id, documentId: athlete?.documentId ?? 0 };
  }

  async function insertImport(eventId: number, ownerId: number, columns: Partial<Import> = {}): Promise<number> {
    const at = new Date();
    const { ignoredColumns: _none, ...others } = columns;
    const { id } = await db
      .insertInto('imports')
      .values({
        kind: 'registrations',
        mode: 'submit',
        eventId,
        ownerId,
        actorId: ownerId,
        requestId: 'an import',
        rowCount: 200,
        ignoredColumns: json([]),
        createdAt: at,
        dueAt: at,
        ...others,
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    return id;
  }

  /** The next batch of an import: so many athletes who are not registered. */
  async function importing(count: number) {
    const { owner, event, athletes } = await enrolment(count);
    const ids = athletes.map(({ applicationId }) => applicationId);
    const found = await db
      .selectFrom('certificates as c')
      .innerJoin('applications as a', 'a.id', 'c.applicationId')
      .innerJoin('profiles as p', 'p.id', 'a.profileId')
      .where('a.id', 'in', ids)
      .select(['p.name', 'c.number'])
      .execute();
    const cell = (column: string, text: string) => ({ cell: 'A2', column, value: { kind: 'text' as const, text } });
    const rows = found.map(({ name, number }, index) => ({
      sheet: null,
      row: index + 2,
      cells: { name: cell('name', name), licence_number: cell('licence_number', number), class: cell('class', 'Юниор') },
      repeats: null,
    }));
    const importId = await insertImport(event.id, owner.userId);
    await db
      .insertInto('import_batches')
      .values({ importId, position: 0, rows: json(rows) })
      .execute();
    return () => executeInternal(platform, importProcess, importId);
  }

  /** A class with one place, which the first registration has; the second waits. */
  async function fullClass() {
    const { owner, event, save } = await enrolment(2, {
      classes: ['N1'],
      classLimits: [{ name: 'N1', capacity: 1, waitingList: true, offerHours: 48 }],
    });
    await save();
    const rows = await db.selectFrom('registrations').select('id').where('eventId', '=', event.id).orderBy('id').execute();
    const [id = 0, waiting = 0] = rows.map((row) => row.id);
    return { id, waiting, owner };
  }

  /** Makes the reminder of a last day due now. */
  async function remindNow(table: 'applications' | 'documents', id: number): Promise<void> {
    const now = await platform.clock.now(db);
    await db.updateTable(table).set({ remindAt: now }).where('id', '=', id).execute();
    if (table === 'applications') await db.updateTable(table).set({ dueAt: now }).where('id', '=', id).execute();
  }

  /** An agreement with the columns of a stored PDF. */
  async function agreement(columns: { status?: 'generated' | 'pending'; scanUploadedAt?: Date } = {}) {
    await signingFixtures(platform).signing(administrator.userId);
    const { owner, id: eventId } = await event({ status: 'draft', settings: null });
    const { id } = await commit(platform, owner.caller, (ctx) => createContract(ctx, eventId, { templateId: null, notes: null }));
    const made = { originalStorageKey: 'agreements/1', originalSha256: '0'.repeat(64), originalSize: 1, pages: 1 };
    await db
      .updateTable('contracts')
      .set({ ...made, ...columns })
      .where('id', '=', id)
      .execute();
    return { owner, id };
  }

  return {
    'application: submit': async () => {
      // The first one of a year creates its base index.
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
      return step(applicationProcess, 'review', id, { by: administrator, args: { ...approval, decision: 'changes' }, privateInput: note });
    },
    'application: cancel, with a refund': async () => {
      const owner = await fixtures.person();
      const on = await fixtures.athlete(owner, { medical: { status: 'pending' } });
      const { id } = await fixtures.application(owner, { on, status: 'submitted' });
      await fixtures.money(owner, 100_000_000);
      await (
        await step(applicationProcess, 'pay', id, { by: owner })
      )();
      return step(applicationProcess, 'cancel', id, { by: owner, privateInput: { reason: 'I have changed my mind' } });
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
      return step(documentProcess, 'review', id, { by: administrator, args: { decision: 'changes' }, privateInput: note });
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
      return step(eventProcess, 'review', id, {
        by: administrator,
        args: { stage: 'regulations', decision: 'changes' },
        privateInput: note,
      });
    },
    'event: cancel, with its fee': async () => {
      const { id } = await event({});
      return step(eventProcess, 'cancel', id, { by: administrator, privateInput: { reason: 'the track is not safe' } });
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
      const { owner, invoice } = await checkedOut('paid');
      await commit(platform, owner.caller, (ctx) => noteBankHint(ctx, invoice.id));
      return () => createInvoiceActivities(platform).reconcileInvoice(invoice.id);
    },
    'invoice: reconsider, nothing due': async () => {
      const { invoice } = await checkedOut('pending');
      return () => createInvoiceActivities(platform).reconcileInvoice(invoice.id);
    },
    'registration: decide, approve': async () => {
      const { id, eventId } = await registration();
      return step(registrationProcess, 'decide', id, { by: administrator, args: { eventId, decision: 'approve', startNumber: '1' } });
    },
    'registration: decide, return': async () => {
      const { id, eventId } = await registration();
      const args = { eventId, decision: 'return', startNumber: null };
      return step(registrationProcess, 'decide', id, { by: administrator, args, privateInput: { reason: 'the plate is missing' } });
    },
    'registration: withdraw': async () => {
      const { id, owner } = await registration();
      return step(registrationProcess, 'withdraw', id, { by: owner });
    },
    'registration: withdraw, another waits': async () => {
      const { id, owner } = await fullClass();
      return step(registrationProcess, 'withdraw', id, { by: owner });
    },
    'registration: accept': async () => {
      const { id, owner, waiting } = await fullClass();
      await (
        await step(registrationProcess, 'withdraw', id, { by: owner })
      )();
      return step(registrationProcess, 'accept', waiting, { by: owner });
    },
    'registration: reconsider, nothing due': async () => {
      const { id } = await registration();
      return () => executeInternal(platform, registrationProcess, id);
    },
    'registration: reconsider, lapsed': async () => {
      const { id, documentId } = await registration();
      await (
        await step(documentProcess, 'review', documentId, { by: administrator, args: { decision: 'changes' }, privateInput: note })
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
        privateInput: { reason: 'The club takes over' },
      });
    },
    'agreement: scan': async () => {
      const { owner, id } = await agreement();
      const bytes = Buffer.from(randomUUID());
      const [fileId = ''] = await insertFiles(db, [owner.userId], { kind: 'scan', bytes, storage: null }, new Date());
      const [file] = await db.updateTable('files').set({ purpose: 'agreement' }).where('id', '=', fileId).returning('sha256').execute();
      return step(agreementProcess, 'scan', id, { by: owner, args: { sha256: file?.sha256 } });
    },
    'agreement: review, reject': async () => {
      const { id } = await agreement({ status: 'pending', scanUploadedAt: new Date() });
      return step(agreementProcess, 'review', id, {
        by: administrator,
        args: { decision: 'reject' },
        privateInput: { reason: 'A page is missing' },
      });
    },
    'agreement: review, confirm': async () => {
      const { owner, id } = await agreement({ status: 'pending', scanUploadedAt: new Date() });
      const fileId = await fileOf(owner.userId);
      const { storageKey } = await db.selectFrom('files').select('storageKey').where('id', '=', fileId).executeTakeFirstOrThrow();
      await db.updateTable('contracts').set({ scanStorageKey: storageKey }).where('id', '=', id).execute();
      return step(agreementProcess, 'review', id, { by: administrator, args: { decision: 'confirm' } });
    },
    'agreement: replace': async () => {
      const { owner, id } = await agreement();
      return step(agreementProcess, 'replace', id, {
        by: owner,
        args: { templateId: null },
        privateInput: { reason: 'Another title', notes: null },
      });
    },
    'agreement: cancel': async () => {
      const { owner, id } = await agreement();
      return step(agreementProcess, 'cancel', id, { by: owner, args: {}, privateInput: { reason: 'There is no money' } });
    },
    'agreement: reconsider, nothing due': async () => {
      const { id } = await agreement();
      return () => executeInternal(platform, agreementProcess, id);
    },
    'account-erasure: reconsider, its owner is reminded': async () => {
      const { id } = await db
        .insertInto('account_erasures')
        .values({
          id: administrator.userId,
          status: 'waiting',
          requestId: 'an erasure',
          requestedAt: new Date(Date.now() - 10 * dayMs),
          endsAt: new Date(Date.now() + dayMs),
          dueAt: new Date(),
        })
        .returning('id')
        .executeTakeFirstOrThrow();
      return () => executeInternal(platform, accountErasureProcess, id);
    },
    'account-export: reconsider, its archive expires': async () => {
      const at = new Date('2026-01-01T12:00:00+05:00');
      const fileId = await fileOf(administrator.userId);
      const { id } = await db
        .insertInto('account_exports')
        .values({
          userId: administrator.userId,
          status: 'ready',
          fileId,
          requestId: 'an export',
          requestedAt: at,
          finishedAt: at,
          dueAt: at,
        })
        .returning('id')
        .executeTakeFirstOrThrow();
      return () => executeInternal(platform, accountExportProcess, id);
    },
    'import: reconsider, a row': async () => importing(1),
    'import: reconsider, a hundred rows': async () => importing(100),
    'import: reconsider, its outcome expires': async () => {
      const { event } = await enrolment(1);
      const at = new Date('2026-01-01T12:00:00+05:00');
      const id = await insertImport(event.id, administrator.userId, { status: 'done', finishedAt: at, dueAt: at });
      return () => executeInternal(platform, importProcess, id);
    },
    'national-export: reconsider, its file expires': async () => {
      const fileId = await fileOf(administrator.userId);
      const [at, facts] = [new Date('2026-01-01T12:00:00+05:00'), { list: 'insurance', count: 1, requestId: 'an export' } as const];
      const { id } = await db
        .insertInto('national_exports')
        .values({ ...facts, administratorId: administrator.userId, fileId, status: 'ready', requestedAt: at, finishedAt: at, dueAt: at })
        .returning('id')
        .executeTakeFirstOrThrow();
      return () => executeInternal(platform, nationalExportProcess, id);
    },
  };
}
