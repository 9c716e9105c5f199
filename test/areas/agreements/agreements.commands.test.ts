import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { randomUUID } from 'node:crypto';
import { executeInternal, executeOnce } from '../../../activities/execute.ts';
import { createLongWork } from '../../../activities/long-work.ts';
import { createContract } from '../../../src/areas/agreements/contracts/create-contract.ts';
import { agreementProcess } from '../../../src/areas/agreements/contracts/process.ts';
import { findContract } from '../../../src/areas/agreements/contracts/queries.ts';
import { commit } from '../../../src/platform/commands/command.ts';
import { databaseOf } from '../../../src/platform/database/database.ts';
import type { Platform } from '../../../src/platform/platform.ts';
import { storePrivateInput } from '../../../src/platform/commands/private-inputs.ts';
import { StorageUnavailableError } from '../../../src/platform/storage/storage.ts';
import { relayOnlyOutbox } from '../../../src/platform/workflows/outbox.ts';
import { handlerOf } from '../../support/handler-of.ts';
import { type Fixtures, fixturesIn, type Member } from '../../support/factories.ts';
import { eventFixtures } from '../../support/factories/events.ts';
import { insertFiles } from '../../support/factories/rows.ts';
import { signingFixtures } from '../../support/factories/signings.ts';
import { startTestPlatform } from '../../support/test-platform.ts';

/** Repeated, concurrent and interrupted steps of an agreement's process take effect once. */
let platform: Platform;
let close: () => Promise<void>;
let make: Fixtures<Member>;
let administrator: Member;
beforeAll(async () => {
  const started = await startTestPlatform();
  platform = { ...started.platform, outbox: relayOnlyOutbox };
  close = started.close;
  make = fixturesIn(platform);
  administrator = await make.administrator();
  await signingFixtures(platform).signing(administrator.userId);
});
afterAll(() => close());

const db = () => databaseOf(platform.orm.em.fork());
const draw = (id: number, on: Platform = platform) =>
  new MockActivityEnvironment({ attempt: 1 }, { logger: new DefaultLogger('ERROR') }).run(createLongWork(on).makeAgreement, id);
const found = async (id: number) => {
  const record = await findContract(db(), id);
  if (!record) throw new Error(`no agreement ${id}`);
  return record.contract;
};
const auditOf = async (id: number) =>
  (
    await db()
      .selectFrom('audit_events')
      .select('action')
      .where('subjectKind', '=', 'contract')
      .where('subjectId', '=', String(id))
      .orderBy('id')
      .execute()
  ).map(({ action }) => action.slice('contract.'.length));
const notificationsOf = async (id: number) =>
  (
    await db()
      .selectFrom('notifications')
      .select(['type', 'userId'])
      .where('subjectKind', '=', 'contract')
      .where('subjectId', '=', String(id))
      .orderBy('id')
      .execute()
  ).map(({ type }) => type);

async function agreement(): Promise<{ owner: Member; id: number; eventId: number }> {
  const owner = await make.person();
  const { id: eventId } = await eventFixtures(platform).event(owner, { status: 'draft', settings: null });
  const { id } = await commit(platform, owner.caller, (ctx) => createContract(ctx, eventId, { templateId: null, notes: null }));
  return { owner, id, eventId };
}

/** Runs a step as the process does; calls with the same id are the same command. */
async function step(by: Member, id: number, name: string, args: unknown, privateInput: Record<string, unknown> | null = null) {
  const handler = handlerOf(agreementProcess, name);
  const privateInputId = privateInput === null ? null : await storePrivateInput(platform, privateInput);
  const command = { commandId: randomUUID(), caller: by.caller, args, privateInputId };
  return () => executeOnce(platform, agreementProcess, handler, id, command);
}

/** Inserts a scan among the organizer's files. */
async function scanFile(owner: Member): Promise<string> {
  const bytes = Buffer.from(randomUUID());
  const [fileId = ''] = await insertFiles(db(), [owner.userId], { kind: 'scan', bytes, storage: null }, new Date());
  const { sha256 } = await db()
    .updateTable('files')
    .set({ purpose: 'agreement', pages: 2 })
    .where('id', '=', fileId)
    .returning('sha256')
    .executeTakeFirstOrThrow();
  return sha256;
}

describe('the PDF', () => {
  test('is recorded once by concurrent and repeated makers', async () => {
    const { id } = await agreement();
    await Promise.all([draw(id), draw(id)]);
    const first = await found(id);
    await draw(id);
    expect(await found(id)).toEqual(first);
    expect(await auditOf(id)).toEqual(['created', 'signature_applied', 'generated']);
    expect(first.originalStorageKey).toBe(`agreements/${id}/${first.originalSha256}.pdf`);
  });

  test('is recorded by the next maker after a crash between storing and recording', async () => {
    const { id } = await agreement();
    const dying: Platform = {
      ...platform,
      storage: {
        ...platform.storage,
        put: async (...given) => {
          await platform.storage.put(...given);
          throw new Error('the worker dies here');
        },
      },
    };
    await expect(draw(id, dying)).rejects.toMatchObject({ nonRetryable: false });
    expect(await found(id)).toMatchObject({ originalSha256: null, pages: null });
    await draw(id);
    const { originalStorageKey, originalSize } = await found(id);
    expect(await platform.storage.stat(originalStorageKey ?? '')).toEqual({ size: originalSize });
    expect(await auditOf(id)).toEqual(['created', 'signature_applied', 'generated']);
  });

  test('cannot be made with a lost or damaged mark; an unavailable storage is retried', async () => {
    const { signature, stamp } = await signingFixtures(platform).signing(administrator.userId);
    const { id } = await agreement();
    await platform.storage.delete(stamp.storageKey);
    await expect(draw(id)).rejects.toMatchObject({
      type: 'cannot_be_made',
      nonRetryable: true,
      message: `The PDF of the agreement cannot be generated: the image of a mark, file ${stamp.id}, is not in the storage.`,
    });
    const noPicture = Buffer.from('no picture');
    await platform.storage.put(signature.storageKey, noPicture, { contentType: 'image/png', size: noPicture.length });
    await expect(draw(id)).rejects.toMatchObject({ type: 'cannot_be_made', nonRetryable: true });
    const away = async () => Promise.reject(new StorageUnavailableError('the storage does not answer'));
    await expect(draw(id, { ...platform, storage: { ...platform.storage, get: away } })).rejects.toMatchObject({ nonRetryable: false });
    await signingFixtures(platform).signing(administrator.userId);
  });

  test('keeps the address of its QR when the address of the service changes (AGR-3)', async () => {
    const { id } = await agreement();
    await draw(id);
    const { originalStorageKey, originalSha256 } = await found(id);
    await platform.storage.delete(originalStorageKey ?? '');
    const moved: Platform = { ...platform, config: { ...platform.config, BASE_URL: 'https://moved.example.kz' } };
    await draw(id, moved);
    expect(await found(id)).toMatchObject({ originalSha256 });
    expect(await platform.storage.stat(originalStorageKey ?? '')).not.toBeNull();
  });
});

test('each reminder is sent once and at its time (AGR-12)', async () => {
  const { id } = await agreement();
  const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000);
  const age = (days: number) =>
    db()
      .updateTable('contracts')
      .set({ createdAt: daysAgo(days) })
      .where('id', '=', id)
      .execute();
  const look = () => executeInternal(platform, agreementProcess, id);
  await age(6);
  await look();
  expect(await notificationsOf(id)).toEqual([]);
  // Without a run for a week, the missed reminders are sent as one.
  await age(15);
  await Promise.all([look(), look()]);
  await look();
  expect(await notificationsOf(id)).toEqual(['agreement.scan_missing']);
  expect((await look()).timer).toMatchObject({ summary: 'reminder: signed scan missing' });
  expect((await found(id)).dueAt?.getTime()).toBeCloseTo(Date.now() + 6 * 86_400_000, -5);
});

test('a scan of another account or a deleted one is refused', async () => {
  const { owner, id } = await agreement();
  await draw(id);
  const foreign = await scanFile(await make.person());
  await expect((await step(owner, id, 'scan', { sha256: foreign }))()).rejects.toMatchObject({ type: 'validation_failed' });
  const gone = await scanFile(owner);
  await db().updateTable('files').set({ deletedAt: new Date() }).where('sha256', '=', gone).execute();
  await expect((await step(owner, id, 'scan', { sha256: gone }))()).rejects.toMatchObject({ type: 'validation_failed' });
  expect((await found(id)).status).toBe('generated');
});
