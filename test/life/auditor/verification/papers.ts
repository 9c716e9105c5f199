import type { Area } from '../area.ts';
import { Finding } from '../finding.ts';
import type { Inquiry } from '../inquiry.ts';
import type { Application } from '../applications/application-records.ts';
import { type Model, ownerOf } from '../model.ts';
import { serviceOf } from '../applications/readiness.ts';
import { readKeys, readSigned } from './signed.ts';

/** The QR of a certificate, as its holder keeps it on paper, whatever becomes of the certificate. */
export interface Paper {
  applicationId: number;
  /** The link with the credential. */
  url: string;
  credential: string;
  list: string;
  place: number;
  /** Who has read it last. */
  readerId: number;
}

const longest = 330;
const [issuer, subject, ends, begins, issued, status] = [1, 2, 4, 5, 6, 65_535];
const [kindClaim, categoryClaim, disciplineClaim] = [-70_001, -70_002, -70_003];

/** Credentials of certificates, by VER-9 to VER-11: each is read once it is issued, by each of its owners, and at the end. */
export const papersArea: Area = {
  async ask(inquiry) {
    const { model } = inquiry;
    for (const application of model.applications.values()) {
      if (application.certificate === null || application.certificate.token === '') continue;
      const ownerId = ownerOf(model, application.profileId);
      if (model.papers.get(application.id)?.readerId !== ownerId) await readPaper(inquiry, application, ownerId);
    }
  },

  async askAll(inquiry) {
    for (const { applicationId } of inquiry.model.papers.values()) {
      const application = inquiry.model.applications.get(applicationId);
      if (application) await readPaper(inquiry, application, ownerOf(inquiry.model, application.profileId));
    }
  },
};

/** Reads a credential as its owner; nothing while the owner cannot read. */
async function readPaper(inquiry: Inquiry, application: Application, ownerId: number): Promise<void> {
  const { model, same } = inquiry;
  const { id } = application;
  const owner = inquiry.personOf(ownerId);
  if (!owner || !inquiry.isActive(owner) || inquiry.isSignedOut(owner)) return;
  await inquiry.eventually(async () => {
    const { status: answered, data } = await inquiry.as(owner, 'GET /applications/{id}/credential', { params: { id } });
    same(`the owner of application ${id} reads its credential (VER-10)`, 200, answered);
    const before = model.papers.get(id);
    if (before) same(`application ${id} keeps its credential (VER-10)`, before.credential, data.credential);
    else model.papers.set(id, await openPaper(inquiry, application, data));
    const paper = model.papers.get(id);
    if (paper) paper.readerId = ownerId;
  });
}

interface Sent {
  credential: string;
  url: string;
  expires_at: string;
}

/** Checks a credential against what the auditor knows of the certificate. @throws {Finding} */
async function openPaper(inquiry: Inquiry, application: Application, { credential, url, expires_at: expiresAt }: Sent): Promise<Paper> {
  const { model, same, publicly, now } = inquiry;
  const { id, certificate } = application;
  if (!certificate) throw new Error('only a certificate has a credential');
  const answer = await publicly('GET /.well-known/jwks.json');
  const { claims } = readSigned(
    Buffer.from(credential, 'base64url'),
    readKeys(parsed(answer.bytes)),
    `the credential of application ${id}`,
  );
  const first = Date.parse(`${certificate.validFrom}T00:00:00+05:00`) / 1000;
  const last = Date.parse(`${certificate.validUntil}T23:59:59+05:00`) / 1000;
  const { kind, row } = serviceOf(model, application);
  const facts = {
    issuer: model.origin,
    number: certificate.number,
    first,
    last,
    kind: kind === 'document' ? 'other' : kind,
    category: row['category'] ?? null,
    discipline: application.disciplineId === null ? null : model.disciplineCodes.get(application.disciplineId),
  };
  const signed = {
    issuer: claims.get(issuer),
    number: claims.get(subject),
    first: claims.get(begins),
    last: claims.get(ends),
    kind: claims.get(kindClaim),
    category: claims.get(categoryClaim),
    discipline: claims.get(disciplineClaim),
  };
  same(`the credential of application ${id} says what its certificate says (VER-10)`, facts, signed);
  same(`the credential of application ${id} names no one and nothing else (VER-3, GAT-3)`, 9, claims.size);
  same(`the credential of application ${id} ends with its last second (VER-10)`, last * 1000, Date.parse(expiresAt));
  same(
    `the QR of application ${id} holds its page and the credential (VER-10)`,
    `${model.origin}/v/${certificate.token}#${credential}`,
    url,
  );
  const madeAt = Number(claims.get(issued)) * 1000;
  if (madeAt > now.getTime() + 1000) throw new Finding(`the credential of application ${id} is not of the future`, now, new Date(madeAt));
  const size = Buffer.from(credential, 'base64url').length;
  if (size > longest) throw new Finding(`the credential of application ${id} fits into a QR (VER-10)`, longest, size);
  const { uri, place } = placeIn(claims);
  for (const other of model.papers.values())
    if (other.list === uri && other.place === place)
      throw new Finding(`the place of application ${id} is its own (VER-11)`, 'a place of no other', `that of ${other.applicationId}`);
  return { applicationId: id, url, credential, list: uri, place, readerId: 0 };
}

function placeIn(claims: ReadonlyMap<unknown, unknown>): { uri: string; place: number } {
  const reference = claims.get(status);
  const list: unknown = reference instanceof Map ? reference.get('status_list') : null;
  const [uri, place]: unknown[] = list instanceof Map ? [list.get('uri'), list.get('idx')] : [];
  if (typeof uri !== 'string' || typeof place !== 'number')
    throw new Finding('a credential has a place in a status list', 'one', reference);
  return { uri, place };
}

export function parsed<T>(bytes: Buffer): T {
  return JSON.parse(bytes.toString()) as T;
}

/** Certificates whose place was not read yet, because their owner cannot. */
export function unreadCertificates({ applications, papers }: Model): number {
  return [...applications.values()].filter(({ id, certificate }) => certificate !== null && !papers.has(id)).length;
}
