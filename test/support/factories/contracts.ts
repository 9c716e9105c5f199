import { takeNumber } from '../../../src/areas/applications/approve-application.ts';
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { createContract } from '../../../src/areas/agreements/contracts/create-contract.ts';
import type { ContractStatus } from '../../../src/areas/agreements/contracts/states.ts';
import type { Contract, ContractSnapshot } from '../../../src/areas/agreements/entities.ts';
import { findDefaultTemplate } from '../../../src/areas/agreements/templates/find-template.ts';
import { commit } from '../../../src/platform/commands/command.ts';
import type { UnrecordedCaller } from '../../../src/platform/commands/context.ts';
import { databaseOf, json } from '../../../src/platform/database/database.ts';
import { yearOf } from '../../../src/platform/time/date-time.ts';
import type { Platform } from '../../../src/platform/platform.ts';
import type { TestClient } from '../client.ts';
import { makeScan } from '../papers/scans.ts';
import { waitFor } from '../wait-for.ts';
import { eventFixtures, type Owner } from './events.ts';
import type { Member } from './record.ts';
import { insertFiles, insertUsers } from './rows.ts';
import { signer, signingFixtures } from './signings.ts';

/** Creates an agreement through the API and waits for its PDF. @returns `data` of the response */
export async function makeContract(organizer: TestClient, eventId: number, data: Record<string, unknown> = {}) {
  const answer = await organizer.post('/contracts', { event_id: eventId, ...data });
  if (answer.status !== 503) return organizer.expect(201, answer).body.data;
  const [{ id }] = organizer.expect(200, await organizer.get(`/contracts?event_id=${eventId}&status=generated`)).body.data;
  return withPdf(organizer, id);
}

/** Waits for the PDF of an agreement. @returns the agreement */
export async function withPdf(organizer: TestClient, id: number) {
  const ask = () => organizer.post(`/contracts/${id}/request-confirmation`);
  return organizer.expect(200, await waitFor(ask, ({ status }) => status !== 503, 'the PDF')).body.data;
}

/** Creates an agreement about a new event with its command, without the PDF. */
export async function insertContract(platform: Platform, owner: Member): Promise<{ id: number; token: string }> {
  const { id: eventId } = await eventFixtures(platform).event(owner, { settings: null });
  const { contract } = await commit(platform, owner.caller, (ctx) => createContract(ctx, eventId, { templateId: null, notes: null }));
  return { id: contract.id, token: contract.token };
}

interface ContractOptions {
  /** `confirmed` by default. Every status but `generated` has a signed scan. */
  status?: ContractStatus;
  /** An event of the owner; a new one by default. */
  eventId?: number;
  version?: number;
  /** Overrides columns of the row. */
  columns?: Partial<Omit<Contract, 'snapshot'>>;
  snapshot?: Partial<ContractSnapshot>;
}

interface MadeContract {
  id: number;
  number: string;
  token: string;
  eventId: number;
  original: Buffer;
  /** Null without a signed scan. */
  scan: Buffer | null;
}

type FixturePlatform = Pick<Platform, 'orm' | 'clock' | 'storage' | 'extensions' | 'outbox'>;

/** Inserts agreements as rows, with their documents in the storage. */
export function contractFixtures(platform: FixturePlatform) {
  const db = databaseOf(platform.orm.em.fork());
  const present = () => platform.clock.now(db);
  const events = eventFixtures(platform);
  const { signing } = signingFixtures(platform);
  const caller: UnrecordedCaller = { actor: { kind: 'process' }, requestId: 'fixtures', ip: null };
  const keep = async (bytes: Buffer, contentType: string) => {
    const key = `fixtures/${randomUUID()}`;
    await platform.storage.put(key, bytes, { contentType, size: bytes.length });
    return { key, sha256: createHash('sha256').update(bytes).digest('hex'), size: bytes.length };
  };

  /** Keeps a signed scan among the files of its owner. */
  const keepScan = async (ownerId: number, bytes: Buffer, at: Date) => {
    const [id = ''] = await insertFiles(db, [ownerId], { kind: 'scan', bytes, storage: platform.storage }, at);
    const file = db.updateTable('files').set({ purpose: 'agreement', pages: 2 }).where('id', '=', id);
    return file.returning(['storageKey as key', 'sha256', 'size']).executeTakeFirstOrThrow();
  };

  /** Inserts an agreement about an event of the owner, with the documents of its status. */
  async function contract(owner: Owner, options: ContractOptions = {}): Promise<MadeContract> {
    const { status = 'confirmed', version = 1 } = options;
    const at = await present();
    const eventId = options.eventId ?? (await events.event(owner)).id;
    const event = await db.selectFrom('events').selectAll().where('id', '=', eventId).executeTakeFirstOrThrow();
    const knownSigning = await db.selectFrom('federation_signings').select('id').orderBy('id', 'desc').limit(1).executeTakeFirst();
    const newSigning = async () => (await signing((await insertUsers(db, 1, at, 'administrator'))[0] ?? 0)).id;
    const template = await findDefaultTemplate(db);
    if (!template) throw new Error('the default template is not seeded');
    const year = yearOf(at);
    const sequence = await commit(platform, caller, (ctx) => takeNumber(ctx, 'A', year));
    const number = `A-${year}-${String(sequence).padStart(5, '0')}`;
    const token = randomBytes(32).toString('base64url');
    const original = await makeScan(`agreement ${number}`, 2);
    const scan = status === 'generated' ? null : await makeScan(`signed agreement ${number}`, 2);
    const keptOriginal = await keep(original, 'application/pdf');
    const keptScan = scan && (await keepScan(event.ownerId, scan, at));
    const snapshot = {
      eventTitle: event.title,
      eventStartsAt: event.startsAt.toISOString(),
      eventEndsAt: event.endsAt.toISOString(),
      eventLocation: event.location,
      organizerName: 'Алатау автоклубы',
      organizerBin: null,
      organizerDirector: 'Сергеев Сергей',
      notes: null,
      signerName: signer.signer_name,
      signerPosition: signer.signer_position,
      verificationUrl: `http://localhost/a/${token}`,
      ...options.snapshot,
    } satisfies ContractSnapshot & { verificationUrl: string };
    const { id } = await db
      .insertInto('contracts')
      .values({
        eventId,
        ownerId: event.ownerId,
        number,
        year,
        sequence,
        version,
        status,
        templateId: template.id,
        templateVersion: template.version,
        signingId: knownSigning?.id ?? (await newSigning()),
        snapshot: json<ContractSnapshot>(snapshot),
        token,
        signedAt: at,
        pages: 2,
        originalStorageKey: keptOriginal.key,
        originalSha256: keptOriginal.sha256,
        originalSize: keptOriginal.size,
        scanStorageKey: keptScan?.key ?? null,
        scanSha256: keptScan?.sha256 ?? null,
        scanSize: keptScan?.size ?? null,
        scanPages: keptScan ? 2 : null,
        scanUploadedAt: keptScan ? at : null,
        decidedAt: status === 'confirmed' || status === 'rejected' ? at : null,
        createdAt: at,
        updatedAt: at,
        ...options.columns,
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    return { id, number, token, eventId, original, scan };
  }

  return { contract };
}
