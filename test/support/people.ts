import type { TestClient } from './client.ts';
import { makePhoto, makeScan } from './scans.ts';

/** Builders of records through the API: each makes the parents it needs and nothing else. */

export const athleteData = {
  last_name: 'Әбдіқадырұлы',
  first_name: 'Ғалым',
  birth_date: '1990-05-17',
  gender: 'male',
  citizenship: 'KZ',
  city: 'Өскемен',
};

export async function uploadPhoto(owner: TestClient): Promise<string> {
  const answer = owner.expect(201, await owner.upload(await makePhoto(owner.userId % 200), 'photo', 'photo.jpg'));
  return answer.body.data.id;
}

export async function uploadScan(owner: TestClient, text = 'scan'): Promise<string> {
  const answer = owner.expect(201, await owner.upload(await makeScan(`${text} of ${owner.userId}`), 'identity', `${text}.pdf`));
  return answer.body.data.id;
}

/** An athlete's profile with a photo, still a draft. */
export async function draftAthlete(owner: TestClient, data: Record<string, unknown> = {}): Promise<number> {
  const answer = owner.expect(
    201,
    await owner.post('/profiles', { kind: 'athlete', data: { ...athleteData, ...data }, photo_id: await uploadPhoto(owner) }),
  );
  return answer.body.data.id;
}

/** A document waiting for review. */
export async function pendingDocument(owner: TestClient, profileId: number, type: string, expiresAt?: string): Promise<number> {
  const body = {
    profile_id: profileId,
    type,
    file_id: await uploadScan(owner, type),
    number: 'N12345678',
    country: 'KZ',
    issued_at: '2024-01-10',
    ...(expiresAt ? { expires_at: expiresAt } : {}),
  };
  return owner.expect(201, await owner.post('/documents', body)).body.data.id;
}

/** One decision of an administrator. */
export async function approve(administrator: TestClient, kind: 'profile' | 'photo' | 'document', id: number): Promise<void> {
  administrator.expect(200, await administrator.post('/admin/review', { kind, id, decision: 'approve' }));
}

/** A profile whose data and photo are approved. */
export async function approvedAthlete(owner: TestClient, administrator: TestClient, data: Record<string, unknown> = {}): Promise<number> {
  const profileId = await draftAthlete(owner, data);
  owner.expect(200, await owner.post(`/profiles/${profileId}/submit`));
  await approve(administrator, 'profile', profileId);
  await approve(administrator, 'photo', profileId);
  return profileId;
}

export async function approvedDocument(
  owner: TestClient,
  administrator: TestClient,
  profileId: number,
  type: string,
  expiresAt?: string,
): Promise<number> {
  const id = await pendingDocument(owner, profileId, type, expiresAt);
  await approve(administrator, 'document', id);
  return id;
}

/** Puts money into a wallet the way people do: an invoice, the bank's form, the bank's word. */
export async function topUp(owner: TestClient, bankUrl: string, amount: string): Promise<number> {
  const invoice = owner.expect(
    201,
    await owner.post('/invoices', { amount }, { 'idempotency-key': `top-up-${owner.userId}-${Math.random()}` }),
  ).body.data;
  owner.expect(200, await owner.post(`/invoices/${invoice.id}/checkout`));
  await fetch(`${bankUrl}/control/${invoice.number}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ outcome: 'paid' }),
  });
  const verified = owner.expect(200, await owner.post(`/invoices/${invoice.id}/verify`)).body.data;
  if (verified.status !== 'paid') throw new Error(`the invoice is ${verified.status}`);
  return invoice.id;
}

/** What a national certificate of category A asks of a grown-up athlete, all approved. */
export async function readyAthlete(
  owner: TestClient,
  administrator: TestClient,
  expiries: { medical?: string } = {},
): Promise<{ profileId: number; documentIds: number[] }> {
  const profileId = await approvedAthlete(owner, administrator);
  const identity = await approvedDocument(owner, administrator, profileId, 'identity', '2034-01-10');
  const medical = await approvedDocument(owner, administrator, profileId, 'medical', expiries.medical ?? '2034-01-10');
  return { profileId, documentIds: [identity, medical] };
}

/** The whole main job: an approved national certificate. @returns the application as its owner sees it */
export async function issuedCertificate(
  owner: TestClient,
  administrator: TestClient,
  bankUrl: string,
  expiries: { medical?: string } = {},
) {
  const { profileId, documentIds } = await readyAthlete(owner, administrator, expiries);
  const made = owner.expect(
    201,
    await owner.post('/applications', { profile_id: profileId, service_id: 1, document_ids: documentIds, data: {} }),
  ).body.data;
  owner.expect(200, await owner.post(`/applications/${made.id}/submit`));
  await topUp(owner, bankUrl, '20000.00');
  return owner.expect(200, await owner.post(`/applications/${made.id}/pay`)).body.data;
}
