import { randomBytes, randomUUID } from 'node:crypto';
import { createApplication } from '../../src/applications/create-application.ts';
import { DocumentEntity } from '../../src/documents/entities.ts';
import type { Document } from '../../src/documents/entities.ts';
import { StoredFileEntity } from '../../src/files/entities.ts';
import { commit } from '../../src/platform/command.ts';
import type { Caller } from '../../src/platform/context.ts';
import type { Platform } from '../../src/platform/platform.ts';
import { ProfileEntity } from '../../src/profiles/entities.ts';
import { postTransaction } from '../../src/wallet/index.ts';
import { makePhoto } from '../support/scans.ts';
import { insertUser } from './documents-records.ts';

/** An athlete whose profile, photo and documents stand, with money in the wallet. */
export interface Athlete {
  caller: Caller;
  userId: number;
  profileId: number;
  identityId: number;
  medicalId: number;
}

export interface AthleteWishes {
  /** Tiyn in the wallet. */
  balanceMinor?: number;
  medical?: Partial<Document>;
  profile?: { status?: 'pending' | 'approved'; kind?: 'athlete' | 'organizer' };
}

export async function makeAthlete(platform: Platform, wishes: AthleteWishes = {}): Promise<Athlete> {
  const em = platform.orm.em.fork();
  const at = await platform.clock.now(em);
  const userId = await insertUser(em, 'user', at);
  const photoId = await storePhoto(platform, userId, at);
  const profileId = await em.insert(ProfileEntity, {
    ownerId: userId,
    kind: wishes.profile?.kind ?? 'athlete',
    name: 'Әбдіқадырұлы Ғалым',
    data: { last_name: 'Әбдіқадырұлы', first_name: 'Ғалым', birth_date: '1990-05-17', gender: 'male', citizenship: 'KZ' } as never,
    iin: null,
    photoId,
    status: wishes.profile?.status ?? 'approved',
    photoStatus: 'approved',
    reviewNote: null,
    photoReviewNote: null,
    everApproved: true,
    duplicateIin: false,
    submittedAt: at,
    createdAt: at,
    updatedAt: at,
  });
  const identityId = await addDocument(platform, { userId, profileId }, { type: 'identity', expiresAt: '2034-01-10' });
  const medicalId = await addDocument(platform, { userId, profileId }, { type: 'medical', expiresAt: '2034-01-10', ...wishes.medical });
  const caller: Caller = {
    actor: { kind: 'user', userId, isAdministrator: false, impersonatedUserId: null },
    requestId: `req-${randomUUID().slice(0, 8)}`,
    ip: '127.0.0.1',
  };
  const balanceMinor = wishes.balanceMinor ?? 100_000_000;
  if (balanceMinor > 0) {
    await commit(platform, caller, (ctx) =>
      postTransaction(ctx, {
        type: 'correction',
        reference: `test:${randomUUID()}`,
        legs: [
          { account: `wallet:${userId}`, amountMinor: balanceMinor },
          { account: 'adjustments', amountMinor: -balanceMinor },
        ],
      }),
    );
  }
  return { caller, userId, profileId, identityId, medicalId };
}

async function storePhoto(platform: Platform, ownerId: number, at: Date): Promise<string> {
  const id = randomUUID();
  const bytes = await makePhoto(ownerId % 200);
  const storageKey = `files/${id}`;
  await platform.storage.put(storageKey, bytes, { contentType: 'image/jpeg', size: bytes.length });
  await insertFile(platform, { id, ownerId, at, storageKey, mime: 'image/jpeg', size: bytes.length });
  return id;
}

async function insertFile(
  platform: Platform,
  file: { id: string; ownerId: number; at: Date; storageKey: string; mime: 'image/jpeg' | 'application/pdf'; size: number },
): Promise<void> {
  await platform.orm.em.fork().insert(StoredFileEntity, {
    id: file.id,
    ownerId: file.ownerId,
    purpose: 'document',
    name: 'file',
    mime: file.mime,
    size: file.size,
    sha256: randomBytes(32).toString('hex'),
    width: null,
    height: null,
    pages: null,
    storageKey: file.storageKey,
    createdAt: file.at,
    deletedAt: null,
    purgedAt: null,
  });
}

/** An approved document of a profile, unless `fields` say otherwise. */
export async function addDocument(
  platform: Platform,
  holder: { userId: number; profileId: number },
  fields: Partial<Document> & Pick<Document, 'type'>,
): Promise<number> {
  const em = platform.orm.em.fork();
  const at = await platform.clock.now(em);
  const fileId = randomUUID();
  await insertFile(platform, {
    id: fileId,
    ownerId: holder.userId,
    at,
    storageKey: `files/${fileId}`,
    mime: 'application/pdf',
    size: 1000,
  });
  return em.insert(DocumentEntity, {
    profileId: holder.profileId,
    fileId,
    number: null,
    country: 'KZ',
    issuedAt: null,
    expiresAt: null,
    status: 'approved',
    reviewNote: null,
    decidedAt: at,
    createdAt: at,
    updatedAt: at,
    ...fields,
  });
}

export interface DraftWishes {
  serviceId?: number;
  documentIds?: number[];
  disciplineId?: number;
}

/** A draft of an athlete; of the national certificate of category A, unless another service is wished for. */
export async function draftOf(platform: Platform, athlete: Athlete, wishes: DraftWishes = {}): Promise<number> {
  const input = {
    profileId: athlete.profileId,
    serviceId: wishes.serviceId ?? 1,
    documentIds: wishes.documentIds ?? [athlete.identityId, athlete.medicalId],
    data: { insurance_territory: 'KZ' as const, ...(wishes.disciplineId === undefined ? {} : { discipline_id: wishes.disciplineId }) },
  };
  return commit(platform, athlete.caller, (ctx) => createApplication(ctx, input)).then(({ result }) => result);
}
