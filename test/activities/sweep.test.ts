import { randomBytes, randomUUID } from 'node:crypto';
import { MockActivityEnvironment } from '@temporalio/testing';
import fc from 'fast-check';
import { createApplicationActivities } from '../../activities/applications.ts';
import { createDocumentActivities } from '../../activities/documents.ts';
import { createSweepActivities } from '../../activities/sweeps.ts';
import { ApplicationDocumentEntity, ApplicationEntity } from '../../src/applications/entities.ts';
import { viewApplication } from '../../src/applications/process-view.ts';
import { applicationStatuses } from '../../src/applications/states.ts';
import * as applicationSweep from '../../src/applications/sweep.ts';
import { DocumentEntity } from '../../src/documents/entities.ts';
import { viewDocument } from '../../src/documents/process-view.ts';
import { documentStatuses } from '../../src/documents/states.ts';
import * as documentSweep from '../../src/documents/sweep.ts';
import { StoredFileEntity } from '../../src/files/entities.ts';
import { commit } from '../../src/platform/command.ts';
import type { CommandContext } from '../../src/platform/context.ts';
import type { Platform } from '../../src/platform/platform.ts';
import type { Processes } from '../../src/platform/workflows/processes.ts';
import { ProfileEntity } from '../../src/profiles/entities.ts';
import { viewProfile } from '../../src/profiles/process-view.ts';
import { reviewStatuses } from '../../src/profiles/states.ts';
import * as profileSweep from '../../src/profiles/sweep.ts';
import { InvoiceEntity } from '../../src/wallet/entities.ts';
import { lockWallet, payFromWallet, postTransaction } from '../../src/wallet/index.ts';
import { viewInvoice } from '../../src/wallet/process-view.ts';
import { invoiceStatuses } from '../../src/wallet/states.ts';
import * as invoiceSweep from '../../src/wallet/sweep.ts';
import type { ProcessView } from '../../workflows/process.contract.ts';
import { startTestPlatform } from '../support/test-platform.ts';

/**
 * The sweeper reads by SQL what the processes compute in TypeScript: which records need a process, and which have something to
 * do. Here the two are held against each other on generated records, most of which no path through the API leads to.
 */

const noon = new Date('2026-06-15T12:00:00+05:00');
let now = noon;
let platform: Platform;
let close: () => Promise<void>;

beforeAll(async () => {
  const started = await startTestPlatform();
  close = started.close;
  platform = { ...started.platform, clock: { sandbox: false, now: async () => now } };
});
afterAll(() => close());
beforeEach(() => {
  now = noon;
});

const em = () => platform.orm.em.fork();
const caller = { actor: { kind: 'process' }, requestId: 'sweep-test', ip: null } as const;

type Sweep = typeof applicationSweep;
type Look = (ctx: Pick<CommandContext, 'em' | 'now'>, id: number) => Promise<ProcessView>;

/** All ids of a listing, walked by pages as the sweeper walks them. */
async function walk(list: (afterId: number) => Promise<number[]>): Promise<number[]> {
  const all: number[] = [];
  for (let page = await list(0); page.length > 0; page = await list(all.at(-1) ?? 0)) all.push(...page);
  return all;
}
const dueAt = (sweep: Sweep, instant: Date) => walk((afterId) => sweep.findDue(em(), instant, afterId, 7));
const liveOf = (sweep: Sweep) => walk((afterId) => sweep.findLive(em(), afterId, 7));

/** Exactly the records whose process is not over are said to need one; and no process wakes in vain, or too late. */
async function expectAgreement(sweep: Sweep, look: Look, ids: readonly number[]): Promise<void> {
  const views = new Map<number, ProcessView>();
  for (const id of ids) views.set(id, await look({ em: em(), now }, id));
  expect(await liveOf(sweep)).toEqual(ids.filter((id) => views.get(id)?.isOver === false));
  const due = new Set(await dueAt(sweep, now));
  const wakes = new Map<number, number[]>();
  for (const [id, { wakeAfterMs }] of views) {
    if (wakeAfterMs === null || due.has(id)) continue;
    expect([id, wakeAfterMs]).toEqual([id, expect.any(Number)]);
    wakes.set(wakeAfterMs, [...(wakes.get(wakeAfterMs) ?? []), id]);
  }
  for (const [wakeAfterMs, sleepers] of wakes) {
    const before = new Set(await dueAt(sweep, new Date(now.getTime() + wakeAfterMs - 1)));
    const then = new Set(await dueAt(sweep, new Date(now.getTime() + wakeAfterMs)));
    expect(sleepers.filter((id) => before.has(id))).toEqual([]);
    expect(sleepers.filter((id) => !then.has(id))).toEqual([]);
  }
}

const sample = <T>(values: fc.Arbitrary<T>, count: number): T[] => fc.sample(values, { numRuns: count, seed: 20_260_615 });
const byId = (ids: readonly number[]) => [...ids].sort((left, right) => left - right);

async function insertUsers(count: number): Promise<number[]> {
  const people = await em().execute<{ id: number }[]>(
    `insert into users (email, password_hash, name, role, status, created_at, updated_at)
     select gen_random_uuid() || '@example.kz', 'none', 'Person', 'user', 'active', now(), now() from generate_series(1, ?) returning id`,
    [count],
  );
  return people.map(({ id }) => id);
}

async function insertFile(ownerId: number, isDeleted: boolean): Promise<string> {
  const id = randomUUID();
  await em().insert(StoredFileEntity, {
    id,
    ownerId,
    purpose: 'document',
    name: 'file',
    mime: 'image/jpeg',
    size: 1,
    sha256: randomBytes(32).toString('hex'),
    width: 1,
    height: 1,
    pages: null,
    storageKey: `files/${id}`,
    createdAt: noon,
    deletedAt: isDeleted ? noon : null,
    purgedAt: null,
  });
  return id;
}

const part = fc.constantFrom(...reviewStatuses);
/** Mostly what stands, so that some records have nothing in their way. */
const mostly = <T>(usual: T, others: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 4, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: others });
const documentFields = fc.record({
  type: fc.constantFrom('identity' as const, 'medical' as const, 'driver' as const),
  status: mostly('approved' as const, fc.constantFrom(...documentStatuses)),
  expiresAt: fc.constantFrom(null, '2026-06-14', '2026-06-15', '2026-06-16', '2027-02-01'),
  decidedAt: fc.constantFrom(null, new Date('2026-06-14T23:59:59.999+05:00'), new Date('2026-06-15T00:00:00+05:00')),
  isFileDeleted: mostly(false, fc.constant(true)),
});
type DocumentFields = typeof documentFields extends fc.Arbitrary<infer Fields> ? Fields : never;
const profileFields = fc.record({
  status: mostly('approved' as const, part),
  photoStatus: mostly('approved' as const, part),
  birthDate: mostly('1990-05-17', fc.constant('2012-05-17')),
});

async function insertProfile(ownerId: number, fields: { status: string; photoStatus: string; birthDate: string }): Promise<number> {
  return em().insert(ProfileEntity, {
    ownerId,
    kind: 'athlete',
    name: 'Person',
    data: { last_name: 'P', first_name: 'Q', birth_date: fields.birthDate, gender: 'male', citizenship: 'KZ' },
    iin: null,
    photoId: await insertFile(ownerId, false),
    status: fields.status as never,
    photoStatus: fields.photoStatus as never,
    reviewNote: null,
    photoReviewNote: null,
    everApproved: true,
    duplicateIin: false,
    submittedAt: noon,
    createdAt: noon,
    updatedAt: noon,
  });
}

async function insertDocument(ownerId: number, profileId: number, { isFileDeleted, ...fields }: DocumentFields): Promise<number> {
  return em().insert(DocumentEntity, {
    profileId,
    fileId: await insertFile(ownerId, isFileDeleted),
    number: null,
    country: null,
    issuedAt: null,
    reviewNote: null,
    createdAt: noon,
    updatedAt: noon,
    ...fields,
  });
}

/** The ids of those that a look again has moved to another status. */
async function movedBy(ids: readonly number[], statusOf: (id: number) => Promise<string>, reconsider: (id: number) => Promise<unknown>) {
  const moved: number[] = [];
  for (const id of ids) {
    const before = await statusOf(id);
    await reconsider(id);
    if ((await statusOf(id)) !== before) moved.push(id);
  }
  return moved;
}

describe('documents', () => {
  test('the sweeper and the processes see the same', async () => {
    const [ownerId = 0] = await insertUsers(1);
    const profileId = await insertProfile(ownerId, { status: 'approved', photoStatus: 'approved', birthDate: '1990-05-17' });
    const ids: number[] = [];
    for (const fields of sample(documentFields, 80)) ids.push(await insertDocument(ownerId, profileId, fields));
    await expectAgreement(documentSweep, viewDocument, byId(ids));
    const due = await dueAt(documentSweep, now);
    const { reconsiderDocument } = createDocumentActivities(platform);
    const statusOf = async (id: number) => (await em().findOneOrFail(DocumentEntity, { id })).status;
    expect(due.length).toBeGreaterThan(5);
    expect(await movedBy(byId(ids), statusOf, reconsiderDocument)).toEqual(due);
    expect(await dueAt(documentSweep, now)).toEqual([]);
    await em().nativeDelete(DocumentEntity, { id: { $in: ids } });
    await em().nativeDelete(ProfileEntity, { id: profileId });
  });
});

describe('profiles', () => {
  test('the sweeper and the processes see the same', async () => {
    const fields = sample(fc.record({ status: part, photoStatus: part, birthDate: fc.constant('1990-05-17') }), 40);
    const owners = await insertUsers(fields.length);
    const ids: number[] = [];
    for (const [index, profile] of fields.entries()) ids.push(await insertProfile(owners[index] ?? 0, profile));
    await expectAgreement(profileSweep, viewProfile, byId(ids));
    await em().nativeDelete(ProfileEntity, { id: { $in: ids } });
  });
});

describe('invoices', () => {
  test('the sweeper and the processes see the same', async () => {
    const [ownerId = 0] = await insertUsers(1);
    const instant = fc.constantFrom(-1, 0, 1, 60_000).map((ms) => new Date(noon.getTime() + ms));
    const fields = sample(fc.record({ status: fc.constantFrom(...invoiceStatuses), nextAskAt: fc.option(instant) }), 60);
    const inserted: number[] = [];
    for (const [index, invoice] of fields.entries()) {
      const id = await em().insert(InvoiceEntity, {
        ...invoice,
        ownerId,
        number: String(1_000_000 + index),
        amountMinor: 100_000,
        currency: 'KZT' as const,
        idempotencyKey: randomUUID(),
        bankReference: null,
        late: false,
        paidAt: null,
        expiresAt: noon,
        lastAskedAt: null,
        asked: 0,
        createdAt: noon,
        updatedAt: noon,
      });
      inserted.push(id);
    }
    const ids = byId(inserted);
    await expectAgreement(invoiceSweep, viewInvoice, ids);
    const isDue = async (id: number) => (await viewInvoice({ em: em(), now }, id)).wakeAfterMs === 0;
    const due: number[] = [];
    for (const id of ids) if (await isDue(id)) due.push(id);
    expect(await dueAt(invoiceSweep, now)).toEqual(due);
  });

  test('only what the engine itself does not know is adopted: a listing is behind on a busy day', async () => {
    const [listed, begun, over, ...absent] = await liveOf(invoiceSweep);
    const missing = [over, ...absent];
    const asked: string[] = [];
    const processes: Partial<Processes> = {
      async *listRunning() {
        yield `invoice/${listed}`;
      },
      describe: async (process) => {
        const status = { [`invoice/${begun}`]: 'running', [`invoice/${over}`]: 'terminated' }[process];
        return status === undefined ? null : { workflow_id: process, status, waiting_for: null, url: null };
      },
      ask: async (process) => void asked.push(process),
    };
    const { sweepOrphans } = createSweepActivities({ ...platform, processes: processes as Processes });
    const adopted = await new MockActivityEnvironment().run(() => sweepOrphans('invoice', { requestId: 'sweep-test' }));
    expect(missing.length).toBeGreaterThan(1);
    expect(asked.toSorted()).toEqual(missing.map((id) => `invoice/${id}`).toSorted());
    expect(adopted).toBe(missing.length);
  });
});

describe('applications', () => {
  const applicationFields = fc.record({
    status: mostly('submitted' as const, fc.constantFrom(...applicationStatuses)),
    kind: mostly('national_certificate' as const, fc.constant('international_licence' as const)),
    year: mostly(2026, fc.constantFrom(2025, 2027)),
    isFree: mostly(false, fc.constant(true)),
    isPaid: mostly(true, fc.constant(false)),
    profile: profileFields,
    documents: fc
      .tuple(documentFields, documentFields, fc.array(documentFields, { maxLength: 1 }))
      .map(([first, second, others]): DocumentFields[] => [{ ...first, type: 'identity' }, { ...second, type: 'medical' }, ...others]),
    isSetWhole: mostly(true, fc.constant(false)),
  });

  test('the sweeper and the processes see the same, and only what a look again moves is due', async () => {
    const [service] = await em().execute<{ id: number }[]>(
      `select id from services where code = 'national-a' or id = 1 order by id limit 1`,
    );
    const fields = sample(applicationFields, 120);
    const owners = await insertUsers(fields.length);
    const ids: number[] = [];
    for (const [index, application] of fields.entries()) {
      const ownerId = owners[index] ?? 0;
      const profileId = await insertProfile(ownerId, application.profile);
      const isPaid = application.isPaid && !application.isFree;
      const id = await em().insert(ApplicationEntity, {
        ownerId,
        profileId,
        serviceId: service?.id ?? 1,
        disciplineId: null,
        kind: application.kind,
        year: application.year,
        data: { insurance_territory: 'KZ' },
        status: application.status,
        amountMinor: application.isFree ? 0 : 5000,
        insuranceCoverageMinor: null,
        breakdown: [],
        paid: false,
        paidAt: null,
        paymentTransactionId: null,
        refundTransactionId: null,
        reviewNote: null,
        sharingEnabled: false,
        sharingConfirmedAt: null,
        revision: 1,
        submittedAt: noon,
        resubmissionDueSince: null,
        approvedAt: null,
        cancelledAt: null,
        closedAt: null,
        createdAt: noon,
        updatedAt: noon,
      });
      ids.push(id);
      const attached = application.isSetWhole ? application.documents : application.documents.slice(1);
      for (const document of attached) {
        const documentId = await insertDocument(ownerId, profileId, document);
        await em().insert(ApplicationDocumentEntity, { applicationId: id, documentId });
      }
      if (isPaid) await pay(id, ownerId);
    }
    await expectAgreement(applicationSweep, viewApplication, byId(ids));

    const due = await dueAt(applicationSweep, now);
    const { reconsiderApplication } = createApplicationActivities(platform);
    const statusOf = async (id: number) => (await em().findOneOrFail(ApplicationEntity, { id })).status;
    expect(await movedBy(byId(ids), statusOf, reconsiderApplication)).toEqual(due);
    expect(await dueAt(applicationSweep, now)).toEqual([]);
    const ends = await em().execute<{ status: string; count: number }[]>(
      'select status, count(*)::int as count from applications group by 1',
    );
    // The sample must have led everywhere, or it proves little.
    for (const status of applicationStatuses)
      expect([status, ends.find((end) => end.status === status)?.count ?? 0]).not.toEqual([status, 0]);
  });

  async function pay(applicationId: number, userId: number): Promise<void> {
    await commit(platform, caller, async (ctx) => {
      const legs = [
        { account: `wallet:${userId}` as const, amountMinor: 5000 },
        { account: 'adjustments' as const, amountMinor: -5000 },
      ];
      await postTransaction(ctx, { type: 'correction', reference: `test:${randomUUID()}`, legs });
      const wallet = await lockWallet(ctx, userId);
      const payment = { wallet, amountMinor: 5000, applicationId, serviceKind: 'national_certificate' as const };
      const paymentTransactionId = await payFromWallet(ctx, payment);
      await ctx.em.nativeUpdate(ApplicationEntity, { id: applicationId }, { paid: true, paidAt: noon, paymentTransactionId });
    });
  }
});
