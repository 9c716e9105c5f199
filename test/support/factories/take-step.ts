import type { TestClient } from '../client.ts';
import { approve, type Fixtures } from '../factories.ts';

/** A rule of readiness, or an item of `missing`, with the request that helps. */
export interface Step {
  rule: string;
  waiting_for: 'owner' | 'administrator' | 'bank' | null;
  fix: { method: string; path: string } | null;
}

/** An item of `missing` in the options of a registration. */
export interface MissingItem extends Step {
  application_id: number | null;
  year?: number;
  not_before?: string;
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
  const profile = owner.expect(200, await owner.get(`/profiles/${application.profile_id}`)).body.data;
  const documents: { id: number; type: string; status: string }[] = profile.documents.filter(({ id }: { id: number }) =>
    application.document_ids.includes(id),
  );
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
      return { body: { photo_id: await make.file(owner, 'photo') } };
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

/** Takes the step of an item of `missing`, as `takeStep` does. New documents have no last day. */
export async function takeMissing(parties: Parties, item: MissingItem, profileId: number): Promise<void> {
  const { owner, administrator, make } = parties;
  const { rule, fix, waiting_for: party, application_id: applicationId } = item;
  const documents: { id: number; type: string; status: string; expires_at: string | null }[] = owner.expect(
    200,
    await owner.get(`/profiles/${profileId}`),
  ).body.data.documents;
  const type = rule === 'identity_document' ? 'identity' : (rule as 'medical');
  if (party === 'administrator' && fix?.path === '/admin/review') {
    const waiting = documents.find((document) => document.status === 'pending' && document.type === type);
    if (rule === 'decision') {
      const { revision } = owner.expect(200, await owner.get(`/applications/${applicationId}`)).body.data;
      const body = { kind: 'application', id: applicationId, decision: 'approve', revision };
      return void administrator.expect(200, await administrator.post('/admin/review', body));
    }
    if (rule === 'profile' || rule === 'photo') return approve(administrator, rule, profileId);
    return approve(administrator, 'document', waiting?.id ?? 0);
  }
  if (party === 'owner' && fix?.path === '/documents') return void (await make.document(owner, profileId, { type }));
  if (party === 'owner' && fix?.path === '/applications') {
    const body = { profile_id: profileId, service_id: 1, year: item.year, document_ids: [], data: {} };
    return void owner.expect(201, await owner.post('/applications', body));
  }
  if (applicationId === null) return takeProfileStep();
  const { status, document_ids: attached } = owner.expect(200, await owner.get(`/applications/${applicationId}`)).body.data;
  const successor = documents.find(
    (document) =>
      document.type === type && document.status === 'approved' && document.expires_at === null && !attached.includes(document.id),
  );
  if (status !== 'approved' || successor === undefined) return takeStep(parties, item, applicationId);
  const kept = documents.filter((document) => attached.includes(document.id) && document.type !== type).map(({ id }) => id);
  owner.expect(200, await owner.patch(fix?.path ?? '', { document_ids: [...kept, successor.id] }));

  async function takeProfileStep() {
    if (fix === null || party !== 'owner') throw new Error(`${rule} names no step`);
    taken += 1;
    const body = rule === 'profile' ? { data: { city: `Семей ${taken}` } } : { photo_id: await make.file(owner, 'photo') };
    owner.expect(200, await owner.request(fix.method, fix.path, fix.method === 'PATCH' ? { body } : {}));
  }
}

/** Pays the open invoices of an account at the bank. */
export async function letBankPay(
  api: { sql<Row extends object>(statement: string, params?: unknown[]): Promise<Row[]>; surroundings: { bank: { url: string } } },
  owner: TestClient,
): Promise<void> {
  const invoices = await api.sql<{ id: number; number: string }>(
    "select id, number from invoices where owner_id = $1 and status = 'pending'",
    [owner.userId],
  );
  for (const { id, number } of invoices) {
    const body = JSON.stringify({ outcome: 'paid' });
    await fetch(`${api.surroundings.bank.url}/control/${number}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    owner.expect(200, await owner.post(`/invoices/${id}/verify`));
  }
}
