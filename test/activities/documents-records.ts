import { randomBytes, randomUUID } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import { UserEntity } from '../../src/accounts/entities.ts';
import { ApplicationDocumentEntity, ApplicationEntity } from '../../src/applications/entities.ts';
import type { Application } from '../../src/applications/entities.ts';
import { ServiceEntity } from '../../src/catalog/entities.ts';
import { DocumentEntity } from '../../src/documents/entities.ts';
import type { Document } from '../../src/documents/entities.ts';
import { StoredFileEntity } from '../../src/files/entities.ts';
import { ProfileEntity } from '../../src/profiles/entities.ts';

/** Rows behind a document, each with the parents it needs and nothing else; `at` is the instant they were made. */

export async function insertUser(em: EntityManager, role: 'user' | 'administrator', at: Date): Promise<number> {
  const email = `${randomBytes(6).toString('hex')}@example.kz`;
  return em.insert(UserEntity, {
    email,
    passwordHash: 'x',
    name: 'A person',
    phone: null,
    role,
    status: 'active',
    createdAt: at,
    updatedAt: at,
  });
}

export async function insertFile(em: EntityManager, ownerId: number, at: Date): Promise<string> {
  const id = randomUUID();
  await em.insert(StoredFileEntity, {
    id,
    ownerId,
    purpose: 'document',
    name: 'scan.pdf',
    mime: 'application/pdf',
    size: 1000,
    sha256: randomBytes(32).toString('hex'),
    width: null,
    height: null,
    pages: 1,
    storageKey: id,
    createdAt: at,
    deletedAt: null,
    purgedAt: null,
  });
  return id;
}

export async function insertProfile(em: EntityManager, ownerId: number, at: Date): Promise<number> {
  return em.insert(ProfileEntity, {
    ownerId,
    kind: 'athlete',
    name: 'Ғалым Әбдіқадырұлы',
    data: {} as never,
    iin: null,
    photoId: null,
    status: 'approved',
    photoStatus: 'approved',
    reviewNote: null,
    photoReviewNote: null,
    everApproved: true,
    duplicateIin: false,
    submittedAt: at,
    createdAt: at,
    updatedAt: at,
  });
}

export async function insertDocument(
  em: EntityManager,
  at: Date,
  fields: Partial<Document> = {},
): Promise<{ id: number; ownerId: number; profileId: number }> {
  const ownerId = await insertUser(em, 'user', at);
  const profileId = await insertProfile(em, ownerId, at);
  const id = await em.insert(DocumentEntity, {
    profileId,
    type: 'medical',
    fileId: await insertFile(em, ownerId, at),
    number: null,
    country: null,
    issuedAt: null,
    expiresAt: null,
    status: 'pending',
    reviewNote: null,
    decidedAt: null,
    createdAt: at,
    updatedAt: at,
    ...fields,
  });
  return { id, ownerId, profileId };
}

let services = 0;

/** An application that a document is attached to. */
export async function insertApplicationOn(
  em: EntityManager,
  document: { id: number; ownerId: number; profileId: number },
  at: Date,
  status: Application['status'],
): Promise<number> {
  services += 1;
  const serviceId = 900_000 + services;
  await em.insert(ServiceEntity, {
    id: serviceId,
    code: `test-${serviceId}`,
    kind: 'document',
    title: { ru: 'Справка', kk: 'Анықтама', en: 'Statement' },
    category: null,
    profileKind: 'athlete',
    mrp: '1',
    cisMrp: null,
    requiredDocuments: [],
    insuranceCoverageMrp: null,
    active: true,
    updatedAt: at,
  });
  const id = await em.insert(ApplicationEntity, {
    ownerId: document.ownerId,
    profileId: document.profileId,
    serviceId,
    disciplineId: null,
    kind: 'document',
    year: 2026,
    data: { insurance_territory: 'KZ' },
    status,
    amountMinor: 1000,
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
    submittedAt: status === 'draft' ? null : at,
    resubmissionDueSince: null,
    approvedAt: null,
    cancelledAt: null,
    closedAt: null,
    createdAt: at,
    updatedAt: at,
  });
  await em.insert(ApplicationDocumentEntity, { applicationId: id, documentId: document.id });
  return id;
}
