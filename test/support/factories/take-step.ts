import type { TestClient } from '../client.ts';
import { makePhoto } from '../papers/scans.ts';
import { approve, type Fixtures } from '../factories.ts';

/** A rule of readiness, or an item of `missing`, with the request that helps. */
export interface Step {
  rule: string;
  waiting_for: 'owner' | 'administrator' | 'bank' | null;
  fix: { method: string; path: string } | null;
}

/** The parties that take steps. */
export interface Parties {
  owner: TestClient;
  administrator: TestClient;
  make: Fixtures<TestClient>;
}

let taken = 0;

/**
 * Sends the request of a step as the party that it names, with a body that a person would send, and expects that it succeeds.
 * @param applicationId of the application that the step belongs to
 */
export async function takeStep({ owner, administrator, make }: Parties, { rule, waiting_for: party, fix }: Step, applicationId: number) {
  if (fix === null || (party !== 'owner' && party !== 'administrator')) throw new Error(`${rule} names no step`);
  taken += 1;
  const application = owner.expect(200, await owner.get(`/applications/${applicationId}`)).body.data;
  const documents: { id: number; type: string; status: string }[] = [];
  for (const id of application.document_ids) documents.push(owner.expect(200, await owner.get(`/documents/${id}`)).body.data);
  const isOf = (type: string) => type === rule || (rule === 'identity_document' && ['identity', 'passport'].includes(type));
  if (fix.path === '/admin/review') {
    if (party !== 'administrator') throw new Error(`${rule} sends the ${party} to the review`);
    if (rule === 'profile' || rule === 'photo') return approve(administrator, rule, application.profile_id);
    const document = documents.find(({ id, type, status }) => status === 'pending' && (isOf(type) || rule === `document:${id}`));
    return approve(administrator, 'document', document?.id ?? 0);
  }
  if (party !== 'owner') throw new Error(`${rule} sends the ${party} to ${fix.path}`);
  const answer = await owner.request(fix.method, fix.path, {
    ...(await bodyOf()),
    headers: { 'idempotency-key': `step-${taken}-${applicationId}` },
  });
  if (answer.status >= 300) throw new Error(`${rule}: ${fix.method} ${fix.path} answers ${answer.status} ${JSON.stringify(answer.body)}`);

  async function bodyOf(): Promise<{ body?: unknown }> {
    if (fix?.method === 'PATCH' && fix.path.startsWith('/profiles/')) {
      if (rule === 'profile') return { body: { data: { city: `Шымкент ${taken}` } } };
      const file = owner.expect(201, await owner.upload(await makePhoto(taken % 200), 'photo', 'photo.jpg'));
      return { body: { photo_id: file.body.data.id } };
    }
    if (fix?.method === 'PATCH') {
      const others = documents.filter(({ id, type }) => !isOf(type) && rule !== `document:${id}`).map(({ id }) => id);
      if (rule.startsWith('document:')) return { body: { document_ids: others } };
      const type = rule === 'identity_document' ? 'identity' : (rule as 'medical');
      return { body: { document_ids: [...others, await make.document(owner, application.profile_id, { type })] } };
    }
    if (fix?.path === '/invoices') return { body: { amount: (application.amount_minor / 100).toFixed(2) } };
    return {};
  }
}
