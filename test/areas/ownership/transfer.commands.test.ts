import { Client } from 'pg';
import { randomUUID } from 'node:crypto';
import { executeOnce } from '../../../activities/execute.ts';
import { createContract } from '../../../src/areas/agreements/contracts/create-contract.ts';
import { replaceContract } from '../../../src/areas/agreements/contracts/replace-contract.ts';
import { cancelApplication } from '../../../src/areas/applications/cancel-application.ts';
import { setSharing } from '../../../src/areas/applications/certificates/set-sharing.ts';
import { createApplication } from '../../../src/areas/applications/create-application.ts';
import { payApplication } from '../../../src/areas/applications/payments/pay-application.ts';
import { reconsiderApplication } from '../../../src/areas/applications/reconsider-application.ts';
import { reviewApplication } from '../../../src/areas/applications/review-application.ts';
import { submitApplication } from '../../../src/areas/applications/submit-application.ts';
import { addAdditionalDocument } from '../../../src/areas/competitions/additional-documents/add-additional-document.ts';
import { createEvent } from '../../../src/areas/competitions/events/create-event.ts';
import { submitStage } from '../../../src/areas/competitions/events/submit-stage.ts';
import { updateEvent } from '../../../src/areas/competitions/events/update-event.ts';
import { createDocument } from '../../../src/areas/documents/create-document.ts';
import { reviewDocument } from '../../../src/areas/documents/review-document.ts';
import { updateDocument } from '../../../src/areas/documents/update-document.ts';
import { deleteFile, purgeFile } from '../../../src/areas/files/index.ts';
import { ownershipTransferProcess } from '../../../src/areas/ownership/process.ts';
import { transferProfile } from '../../../src/areas/ownership/transfer-profile.ts';
import { createProfile } from '../../../src/areas/profiles/create-profile.ts';
import { updateProfile } from '../../../src/areas/profiles/update-profile.ts';
import { parseRow } from '../../../src/areas/registrations/check-row.ts';
import { saveRegistrations } from '../../../src/areas/registrations/save-registrations.ts';
import { lockWallet } from '../../../src/areas/wallet/index.ts';
import { reverseMovement } from '../../../src/areas/wallet/ledger/reverse-movement.ts';
import { isDomainError } from '../../../src/errors.ts';
import { commit } from '../../../src/platform/commands/command.ts';
import type { CommandContext } from '../../../src/platform/commands/context.ts';
import { databaseOf } from '../../../src/platform/database/database.ts';
import type { Platform } from '../../../src/platform/platform.ts';
import { storePrivateInput } from '../../../src/platform/commands/private-inputs.ts';
import { relayOnlyOutbox } from '../../../src/platform/workflows/outbox.ts';
import { handlerOf } from '../../support/handler-of.ts';
import { countStatements } from '../../support/count-statements.ts';
import { athleteData, type Fixtures, fixturesIn, type Member } from '../../support/factories.ts';
import { eventFeeServiceId, eventFixtures } from '../../support/factories/events.ts';
import { insertAthletes, insertRegistrations } from '../../support/factories/registrations.ts';
import { insertDocuments, insertFiles } from '../../support/factories/rows.ts';
import { signingFixtures } from '../../support/factories/signings.ts';
import { findBrokenInvariants } from '../../support/invariants.ts';
import { startTestPlatform, type TestSurroundings } from '../../support/test-platform.ts';
import { waitFor } from '../../support/wait-for.ts';

let platform: Platform;
let surroundings: TestSurroundings;
let close: () => Promise<void>;
let make: Fixtures<Member>;
let administrator: Member;

beforeAll(async () => {
  const started = await startTestPlatform();
  ({ close, surroundings } = started);
  // No worker runs here: the tests read the outbox instead.
  platform = {
    ...started.platform,
    outbox: relayOnlyOutbox,
    clock: { sandbox: false, now: async () => new Date('2026-06-15T12:00:00+05:00') },
  };
  make = fixturesIn(platform);
  administrator = await make.administrator();
  await signingFixtures(platform).signing(administrator.userId);
});
afterAll(() => close());

/** Invariants that also hold for events inserted as rows, which have no history. */
const held = /^(what |a transfer |every |a wallet|no wallet|an application is charged|a payment)/;
afterEach(async () => {
  const broken = await findBrokenInvariants(surroundings.database.ownerUrl);
  expect(broken.filter((line) => held.test(line))).toEqual([]);
});

const db = () => databaseOf(platform.orm.em.fork());
const by = <T>({ caller }: Member, command: (ctx: CommandContext) => Promise<T>) => commit(platform, caller, command);
const reason = 'The club takes its athlete over';
const transferring = (profileId: number, from: Member, to: Member) => (ctx: CommandContext) =>
  transferProfile(ctx, profileId, { currentUserId: from.userId, targetUserId: to.userId, reason });
const people = async () => ({ from: await make.person(), to: await make.person() });
const ownerOf = async (profileId: number) =>
  (await db().selectFrom('profiles').select('ownerId').where('id', '=', profileId).executeTakeFirstOrThrow()).ownerId;
const codeOf = (outcome: PromiseSettledResult<unknown>) =>
  outcome.status === 'fulfilled' ? 'done' : isDomainError(outcome.reason) ? outcome.reason.code : String(outcome.reason);

interface Move {
  by: Member;
  command: (ctx: CommandContext) => Promise<unknown>;
}

/** Starts the second command before the first commits, and commits the first once the second waits for its lock. */
async function interleave(first: Move, second: Move): Promise<string[]> {
  const reached = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const one = by(first.by, async (ctx) => {
    await first.command(ctx);
    await ctx.em.flush();
    reached.resolve();
    await released.promise;
  });
  one.catch(() => reached.resolve());
  await reached.promise;
  let isOver = false;
  const two = by(second.by, second.command).finally(() => (isOver = true));
  two.catch(() => undefined);
  await waitForLock(() => isOver);
  released.resolve();
  return (await Promise.allSettled([one, two])).map(codeOf);
}

/** Waits until `many` connections wait for a lock, or the command has ended. */
async function waitForLock(isOver: () => boolean, many = 1): Promise<void> {
  const watcher = new Client({ connectionString: surroundings.database.ownerUrl });
  await watcher.connect();
  try {
    await waitFor(
      async () =>
        isOver() ||
        Number(
          (
            await watcher.query(
              "select count(*) as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
            )
          ).rows[0].n,
        ) >= many,
      (isThere) => isThere,
      'a waiting transaction',
    );
  } finally {
    await watcher.end();
  }
}

interface Prepared {
  profileId: number;
  from: Member;
  /** The old owner by default. */
  by?: Member;
  command: (ctx: CommandContext) => Promise<unknown>;
}
interface Rival {
  prepare: () => Promise<Prepared>;
  /** The outcome of the rival when the transfer commits first; `not_found` by default. */
  refusal?: string;
}

const form = { insurance_territory: 'KZ' } as const;

async function athlete() {
  const from = await make.person();
  return { from, ...(await make.athlete(from)) };
}
async function paidLicence() {
  const { from, ...on } = await athlete();
  const driver = await make.document(from, on.profileId, { type: 'driver', status: 'approved', expiresAt: '2034-01-10' });
  const options = { on: { ...on, documentIds: [...on.documentIds, driver] }, serviceId: 10, data: { discipline_id: 1 } };
  return { from, options, profileId: on.profileId };
}
async function organizer(status: 'draft' | 'in_progress' | 'published') {
  const from = await make.person();
  const event = await eventFixtures(platform).event(from, { status });
  return { from, eventId: event.id, profileId: event.profileId };
}

const rivals: Record<string, Rival> = {
  'the making of an application': {
    async prepare() {
      const { from, ...on } = await athlete();
      return { from, ...on, command: (ctx) => createApplication(ctx, { ...on, serviceId: 1, data: form }) };
    },
  },
  'the making of a document': {
    async prepare() {
      const { from, profileId } = await athlete();
      const fileId = await make.file(from, 'scan');
      const fields = { type: 'consent', fileId, number: null, country: null, issuedAt: null, expiresAt: null } as const;
      return { from, profileId, command: (ctx) => createDocument(ctx, profileId, fields) };
    },
  },
  'a new scan of a document': {
    async prepare() {
      const { from, profileId, documentIds } = await athlete();
      const fileId = await make.file(from, 'scan', 'another');
      return { from, profileId, command: (ctx) => updateDocument(ctx, documentIds[0] ?? 0, { fileId }) };
    },
  },
  'a new photo': {
    async prepare() {
      const { from, profileId } = await athlete();
      const photoId = await make.file(from, 'photo');
      return { from, profileId, command: (ctx) => updateProfile(ctx, profileId, { photoId }) };
    },
  },
  'the deletion of a scan': {
    async prepare() {
      const { from, profileId, documentIds } = await athlete();
      const { fileId } = await db()
        .selectFrom('documents')
        .select('fileId')
        .where('id', '=', documentIds[0] ?? 0)
        .executeTakeFirstOrThrow();
      return { from, profileId, command: (ctx) => deleteFile(ctx, { fileId, ownerId: from.userId }) };
    },
  },
  'another profile with the same photo': {
    async prepare() {
      const { from, profileId } = await athlete();
      const { photoId } = await db().selectFrom('profiles').select('photoId').where('id', '=', profileId).executeTakeFirstOrThrow();
      const data = { ...athleteData, gender: 'male' as const };
      return { from, profileId, command: (ctx) => createProfile(ctx, { ownerId: from.userId, kind: 'athlete', data, photoId }) };
    },
    refusal: 'validation_failed',
  },
  'a submission': {
    async prepare() {
      const { from, ...on } = await athlete();
      const { id } = await make.application(from, { on });
      return { from, ...on, command: (ctx) => submitApplication(ctx, id) };
    },
  },
  'a payment by the old owner': {
    async prepare() {
      const { from, ...on } = await athlete();
      const { id } = await make.application(from, { on, status: 'submitted' });
      await make.money(from, 100_000_000);
      return { from, ...on, command: (ctx) => payApplication(ctx, id) };
    },
  },
  'a consent to share': {
    async prepare() {
      const { from, options, profileId } = await paidLicence();
      const { id } = await make.application(from, { ...options, status: 'approved' });
      return { from, profileId, command: (ctx) => setSharing(ctx, id, { isEnabled: true }) };
    },
  },
  'a review of an application': {
    async prepare() {
      const { from, ...on } = await athlete();
      const { id } = await make.application(from, { on, status: 'submitted' });
      const review = { decision: 'changes', revision: 2, validFrom: null, validUntil: null, note: 'a page is missing' } as const;
      return { from, ...on, by: administrator, command: (ctx) => reviewApplication(ctx, id, review) };
    },
    refusal: 'done',
  },
  'a review of a document': {
    async prepare() {
      const { from, profileId, documentIds } = await athlete();
      const review = { decision: 'changes', note: 'a page is missing' } as const;
      return { from, profileId, by: administrator, command: (ctx) => reviewDocument(ctx, documentIds[0] ?? 0, review) };
    },
    refusal: 'done',
  },
  'a look of the process of an application': {
    async prepare() {
      const { from, ...on } = await athlete();
      const { id } = await make.application(from, { on, status: 'submitted' });
      const caller = { actor: { kind: 'process' }, requestId: 'look', ip: null } as const;
      return { from, ...on, by: { userId: 0, caller }, command: (ctx) => reconsiderApplication(ctx, id) };
    },
    refusal: 'service_unavailable',
  },
  'a registration': {
    async prepare() {
      const from = await make.person();
      const [registered] = await insertAthletes(db(), [from.userId], new Date('2026-06-01T12:00:00+05:00'));
      const { profileId = 0, applicationId = 0 } = registered ?? {};
      const { id: eventId } = await eventFixtures(platform).event(await make.person());
      const rows = [parseRow('body.registrations.0', { profile_id: profileId, application_id: applicationId, class: 'Юниор' })];
      const input = { eventId, rows, isSubmitted: true, asksForDetails: true };
      const command = async (ctx: CommandContext) => {
        const [outcome] = await saveRegistrations(ctx, input);
        if (outcome !== undefined && 'refusal' in outcome) throw outcome.refusal;
      };
      return { from, profileId, command };
    },
  },
  'the making of an event': {
    async prepare() {
      const { from, profileId } = await organizer('draft');
      const [startsAt, endsAt] = [new Date('2026-09-05T09:00:00+05:00'), new Date('2026-09-06T18:00:00+05:00')];
      const content = { serviceId: eventFeeServiceId, disciplineId: 1, title: 'x', location: 'y', startsAt, endsAt, reserveAt: null };
      return { from, profileId, command: (ctx) => createEvent(ctx, { profileId, ...content }) };
    },
  },
  'the fee of an event': {
    async prepare() {
      const { from, profileId, eventId } = await organizer('in_progress');
      return { from, profileId, command: (ctx) => submitStage(ctx, eventId, { stage: 'details' }) };
    },
  },
  'a file of a stage': {
    async prepare() {
      const { from, profileId, eventId } = await organizer('published');
      const file = { stage: 'regulations', fileId: await make.file(from, 'scan') } as const;
      return { from, profileId, command: (ctx) => updateEvent(ctx, eventId, { file }) };
    },
  },
  'an additional document': {
    async prepare() {
      const { from, profileId, eventId } = await organizer('published');
      const fields = { fileId: await make.file(from, 'scan'), title: 'Bulletin', kind: 'bulletin' } as const;
      return { from, profileId, command: (ctx) => addAdditionalDocument(ctx, eventId, fields) };
    },
  },
  'the making of an agreement': {
    async prepare() {
      const { from, profileId, eventId } = await organizer('draft');
      return { from, profileId, command: (ctx) => createContract(ctx, eventId, { templateId: null, notes: null }) };
    },
  },
  'another version of an agreement': {
    async prepare() {
      const { from, profileId, eventId } = await organizer('draft');
      const { id } = await by(from, (ctx) => createContract(ctx, eventId, { templateId: null, notes: null }));
      return { from, profileId, command: (ctx) => replaceContract(ctx, id, { templateId: null, notes: null, reason }) };
    },
  },
};

describe.each(Object.entries(rivals))('at the same instant as %s', (_name, { prepare, refusal = 'not_found' }) => {
  test('the transfer commits second and moves what the rival made (OWN-1)', async () => {
    const { from, profileId, command, by: whose = from } = await prepare();
    const to = await make.person();
    const outcomes = await interleave({ by: whose, command }, { by: administrator, command: transferring(profileId, from, to) });
    expect(outcomes).toEqual(['done', 'done']);
    expect(await ownerOf(profileId)).toBe(to.userId);
    const shared = await db()
      .selectFrom('applications')
      .select('id')
      .where('profileId', '=', profileId)
      .where('sharingEnabled', '=', true)
      .execute();
    expect(shared).toEqual([]);
  });

  test('the transfer commits first and the old owner is refused', async () => {
    const { from, profileId, command, by: whose = from } = await prepare();
    const to = await make.person();
    const outcomes = await interleave({ by: administrator, command: transferring(profileId, from, to) }, { by: whose, command });
    expect(outcomes).toEqual(['done', refusal]);
    expect(await ownerOf(profileId)).toBe(to.userId);
  });
});

test('a document made while the transfer waits for the profile cannot take a file of the old owner afterwards', async () => {
  const { from, profileId } = await athlete();
  const to = await make.person();
  const [fileId, another] = [await make.file(from, 'scan', 'one'), await make.file(from, 'scan', 'another')];
  const fields = { type: 'consent', fileId, number: null, country: null, issuedAt: null, expiresAt: null } as const;
  const [made, mayCommit] = [Promise.withResolvers<number>(), Promise.withResolvers<void>()];
  const making = by(from, async (ctx) => {
    const { id } = await createDocument(ctx, profileId, fields);
    await ctx.em.flush();
    made.resolve(id);
    await mayCommit.promise;
  });
  const documentId = await made.promise;
  const [moved, mayEnd] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const transfer = by(administrator, async (ctx) => {
    await transferring(profileId, from, to)(ctx);
    moved.resolve();
    await mayEnd.promise;
  });
  await waitForLock(() => false);
  mayCommit.resolve();
  await moved.promise;
  let isOver = false;
  const change = by(from, (ctx) => updateDocument(ctx, documentId, { fileId: another })).finally(() => (isOver = true));
  change.catch(() => undefined);
  await waitForLock(() => isOver);
  mayEnd.resolve();
  expect((await Promise.allSettled([making, transfer, change])).map(codeOf)).toEqual(['done', 'done', 'not_found']);
});

test.each([
  ['demoted', { role: 'user' }],
  ['blocked', { status: 'blocked' }],
] as const)('an administrator who was %s since the request transfers nothing (OWN-7)', async (_how, change) => {
  const { from, profileId } = await athlete();
  const to = await make.person();
  // A separate administrator: the other tests need theirs.
  const former = await fixturesIn(platform).administrator();
  await db().updateTable('users').set(change).where('id', '=', former.userId).execute();
  const [outcome] = await Promise.allSettled([by(former, transferring(profileId, from, to))]);
  expect(codeOf(outcome)).toBe('forbidden');
  expect(await ownerOf(profileId)).toBe(from.userId);
});

describe('concurrent transfers', () => {
  test('in both directions between two accounts with a shared scan all succeed', async () => {
    const { from: one, to: other } = await people();
    const profiles: { profileId: number; from: Member; to: Member }[] = [];
    for (const [owner, receiver] of [
      [one, other],
      [other, one],
    ] as const) {
      const fileId = await make.file(owner, 'scan', 'shared');
      for (let count = 0; count < 3; count += 1) {
        const { profileId } = await make.athlete(owner);
        await insertDocuments(db(), [{ profileId, fileId, type: 'consent', status: 'approved', expiresAt: null }], new Date());
        profiles.push({ profileId, from: owner, to: receiver });
      }
    }
    const outcomes = await Promise.allSettled(
      profiles.map(({ profileId, from, to }) => by(administrator, transferring(profileId, from, to))),
    );
    expect(outcomes.map(codeOf)).toEqual(profiles.map(() => 'done'));
    expect(await Promise.all(profiles.map(({ profileId }) => ownerOf(profileId)))).toEqual(profiles.map(({ to }) => to.userId));
  });

  test('of one profile to two accounts: one succeeds, the other is refused', async () => {
    const { from, profileId } = await athlete();
    const targets = [await make.person(), await make.person()];
    const outcomes = (await Promise.allSettled(targets.map((to) => by(administrator, transferring(profileId, from, to))))).map(codeOf);
    expect(outcomes.toSorted()).toEqual(['done', 'owner_changed']);
    expect(await ownerOf(profileId)).toBe(targets[outcomes.indexOf('done')]?.userId);
  });
});

test('concurrent refunds across two accounts lock both wallets in id order and pay the paying wallet (OWN-2)', async () => {
  const { from: one, to: other } = await people();
  const paid: { id: number; owner: Member }[] = [];
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const) {
    for (let count = 0; count < 3; count += 1) {
      const on = await make.athlete(from, { medical: { status: 'pending' } });
      const { id } = await make.application(from, { on, status: 'submitted' });
      await make.money(from, 100_000_000);
      await by(from, (ctx) => payApplication(ctx, id));
      await by(administrator, transferring(on.profileId, from, to));
      paid.push({ id, owner: to });
    }
  }
  const outcomes = await Promise.allSettled(paid.map(({ id, owner }) => by(owner, (ctx) => cancelApplication(ctx, id, { reason }))));
  expect(outcomes.map(codeOf)).toEqual(paid.map(() => 'done'));
  const balances = await db().selectFrom('wallets').select('balanceMinor').where('userId', 'in', [one.userId, other.userId]).execute();
  expect(balances.map(({ balanceMinor }) => balanceMinor)).toEqual([300_000_000, 300_000_000]);
});

test('a reversal and a refund across the same wallets lock in id order and need no retry', async () => {
  const { from: lower, to: higher } = await people();
  const paidBy = async (payer: Member, owner: Member) => {
    const on = await make.athlete(payer, { medical: { status: 'pending' } });
    const { id } = await make.application(payer, { on, status: 'submitted' });
    await make.money(payer, 100_000_000);
    const { application } = await by(payer, (ctx) => payApplication(ctx, id));
    await by(administrator, transferring(on.profileId, payer, owner));
    return { id, revision: application.revision, paymentId: Number(application.paymentTransactionId) };
  };
  const annulled = await paidBy(higher, lower);
  const annulment = { decision: 'cancel', revision: annulled.revision, validFrom: null, validUntil: null, note: 'given up' } as const;
  await by(administrator, (ctx) => reviewApplication(ctx, annulled.id, annulment));
  const living = await paidBy(lower, higher);

  let attempts = 0;
  const counted = (command: (ctx: CommandContext) => Promise<unknown>) => async (ctx: CommandContext) => {
    attempts += 1;
    await command(ctx);
  };
  const outcomes: Promise<void>[] = [];
  const never = () => false;
  // Both wait for the lower wallet. A command that already held the higher one would deadlock with the other.
  await by(administrator, async (ctx) => {
    await lockWallet(ctx, lower.userId);
    outcomes.push(
      by(
        higher,
        counted((own) => cancelApplication(own, living.id, { reason })),
      ),
    );
    await waitForLock(never);
    const reversal = { id: annulled.paymentId, reason, incidentId: null };
    outcomes.push(
      by(
        administrator,
        counted((own) => reverseMovement(own, reversal)),
      ),
    );
    await waitForLock(never, 2);
  });
  expect((await Promise.allSettled(outcomes)).map(codeOf)).toEqual(['done', 'done']);
  expect(attempts).toBe(2);
  const balances = await db().selectFrom('wallets').select('balanceMinor').where('userId', 'in', [lower.userId, higher.userId]).execute();
  expect(balances.map(({ balanceMinor }) => balanceMinor)).toEqual([100_000_000, 100_000_000]);
});

/** An organizer with competitions, each with files and an agreement, and registered athletes of another account. */
async function club(events: number, registrations: number) {
  const { from, to } = await people();
  const at = new Date('2026-06-01T12:00:00+05:00');
  const ids: number[] = [];
  const profileId = await eventFixtures(platform).organizer(from);
  for (let nth = 0; nth < events; nth += 1) ids.push((await eventFixtures(platform).event(from, { profileId })).id);
  const content = { kind: 'scan', bytes: Buffer.from(randomUUID()), storage: null } as const;
  const files = await insertFiles(
    db(),
    ids.map(() => from.userId),
    content,
    at,
  );
  await db()
    .insertInto('additional_documents')
    .values(
      ids.map((eventId, index) => ({
        eventId,
        fileId: files[index] ?? '',
        title: 'Bulletin',
        kind: 'bulletin' as const,
        createdAt: at,
        updatedAt: at,
      })),
    )
    .execute();
  const owner = await make.person();
  const athletes = await insertAthletes(
    db(),
    Array.from({ length: Math.min(registrations, 100) }, () => owner.userId),
    at,
  );
  await insertRegistrations(
    db(),
    Array.from({ length: registrations }, (_, index) => {
      const { profileId: registered = 0, applicationId = 0 } = athletes[index % athletes.length] ?? {};
      const row = { eventId: ids[Math.floor(index / athletes.length) % ids.length] ?? 0, ownerId: owner.userId, profileId: registered };
      return { ...row, applicationIds: [applicationId], class: `N${Math.floor(index / athletes.length / ids.length)}`, dueAt: at };
    }),
    at,
  );
  return { from, to, profileId, owner };
}

async function transferOnce(profileId: number, from: Member, to: Member) {
  const handler = handlerOf(ownershipTransferProcess, 'transfer');
  const privateInputId = await storePrivateInput(platform, { reason });
  const args = { currentUserId: from.userId, targetUserId: to.userId };
  const command = { commandId: randomUUID(), caller: administrator.caller, args, privateInputId };
  return () => executeOnce(platform, ownershipTransferProcess, handler, profileId, command);
}

describe('cost', () => {
  test('forty competitions take the same statements as one, and no registration is woken', async () => {
    const small = await club(1, 1);
    const { statements: few } = await countStatements(await transferOnce(small.profileId, small.from, small.to));
    const { from, to, profileId, owner } = await club(40, 200);
    await db().deleteFrom('outbox').execute();
    const { statements } = await countStatements(await transferOnce(profileId, from, to));
    const textsOf = (sent: typeof few) => sent.map(({ text }) => text.replaceAll(/= \d+/g, '= ?'));
    expect(textsOf(statements)).toEqual(textsOf(few));
    const woken = await db().selectFrom('outbox').select('process').execute();
    expect(woken.filter(({ process }) => process.startsWith('event/'))).toHaveLength(40);
    expect(woken.filter(({ process }) => process.startsWith('registration/'))).toEqual([]);
    const athletes = await db().selectFrom('registrations').select('id').where('ownerId', '=', owner.userId).execute();
    expect(athletes).toHaveLength(200);
  });
});

test('concurrent purges of two files with the same bytes delete the object (OWN-6)', async () => {
  const { from, to } = await people();
  const fileId = await make.file(from, 'scan', 'twice');
  const { profileId } = await make.athlete(from);
  const { profileId: sibling } = await make.athlete(from);
  const document = { fileId, type: 'consent' as const, status: 'approved' as const, expiresAt: null };
  await insertDocuments(
    db(),
    [profileId, sibling].map((id) => ({ profileId: id, ...document })),
    new Date(),
  );
  await by(administrator, transferring(profileId, from, to));
  const { storageKey } = await db().selectFrom('files').select('storageKey').where('id', '=', fileId).executeTakeFirstOrThrow();
  const same = await db().selectFrom('files').select('id').where('storageKey', '=', storageKey).execute();
  expect(same).toHaveLength(2);
  await db().updateTable('files').set({ deletedAt: new Date() }).where('storageKey', '=', storageKey).execute();
  expect(await Promise.all(same.map(({ id }) => purgeFile(platform, id)))).toEqual([true, true]);
  expect(await platform.storage.stat(storageKey)).toBeNull();
  const left = await db().selectFrom('files').select('id').where('storageKey', '=', storageKey).where('purgedAt', 'is', null).execute();
  expect(left).toEqual([]);
});
