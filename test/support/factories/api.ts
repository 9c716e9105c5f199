import type { TestClient } from '../client.ts';
import { athleteData, type DocumentOptions, type Steps } from '../factories.ts';
import { makePhoto, makeScan } from '../papers/scans.ts';
import { decisionNote } from './rows.ts';

/** A running service, as a `TestApi` is one. */
export interface Service {
  user(name?: string): Promise<TestClient>;
  administrator(): Promise<TestClient>;
  surroundings: { bank: { url: string } };
}

const decisions = { approved: 'approve', changes: 'changes', cancelled: 'cancel' } as const;

/** The steps as people take them. */
export function stepsThroughApi(service: Service): Steps<TestClient> {
  let signedIn: Promise<TestClient> | null = null;
  const administrator = () => (signedIn ??= service.administrator());
  const file = async (owner: TestClient, content: 'photo' | 'scan', text = 'scan'): Promise<string> => {
    const sent =
      content === 'photo'
        ? await owner.upload(await makePhoto(owner.userId % 200), 'photo', 'photo.jpg')
        : await owner.upload(await makeScan(`${text} of ${owner.userId}`), 'identity', `${text}.pdf`);
    return owner.expect(201, sent).body.data.id;
  };
  const read = async (owner: TestClient, applicationId: number) =>
    owner.expect(200, await owner.get(`/applications/${applicationId}`)).body.data;

  return {
    file,
    administrator,
    person: (name) => service.user(name),
    async profile(owner, { status = 'draft', data, columns } = {}) {
      refuseColumns(columns);
      const body = { kind: 'athlete', data: { ...athleteData, ...data }, photo_id: await file(owner, 'photo') };
      const { id } = owner.expect(201, await owner.post('/profiles', body)).body.data;
      if (status !== 'draft') owner.expect(200, await owner.post(`/profiles/${id}/submit`));
      if (status === 'approved') for (const part of ['profile', 'photo'] as const) await approve(await administrator(), part, id);
      return id;
    },
    async document(owner, profileId, { type = 'medical', status = 'pending', expiresAt = null, columns }: DocumentOptions = {}) {
      refuseColumns(columns);
      const body = {
        profile_id: profileId,
        type,
        file_id: await file(owner, 'scan', type),
        number: 'N12345678',
        country: 'KZ',
        issued_at: '2024-01-10',
        ...(expiresAt === null ? {} : { expires_at: expiresAt }),
      };
      const { id } = owner.expect(201, await owner.post('/documents', body)).body.data;
      if (status !== 'pending') await decide(await administrator(), { kind: 'document', id, decision: decisions[status] });
      return id;
    },
    money: async (owner, amountMinor) => {
      await topUp(owner, service.surroundings.bank.url, (amountMinor / 100).toFixed(2));
    },
    async open(owner, { profileId, documentIds, serviceId, data }) {
      const body = { profile_id: profileId, service_id: serviceId, document_ids: documentIds, data };
      const made = owner.expect(201, await owner.post('/applications', body)).body.data;
      return { id: made.id, amountMinor: made.amount_minor };
    },
    submit: async (owner, id) => void owner.expect(200, await owner.post(`/applications/${id}/submit`)),
    pay: async (owner, id) => void owner.expect(200, await owner.post(`/applications/${id}/pay`)),
    async decide(owner, id, decision) {
      const { status, revision } = await read(owner, id);
      if (decision === 'approve' && status === 'approved') return;
      await decide(await administrator(), { kind: 'application', id, decision, revision });
    },
    async overwrite(_applicationId, columns) {
      refuseColumns(columns);
    },
  };
}

function refuseColumns(columns: object | undefined): void {
  if (columns !== undefined) throw new Error('requests set no columns; use `fixturesOf`');
}

async function decide(
  administrator: TestClient,
  decided: { kind: string; id: number; decision: 'approve' | 'changes' | 'cancel'; revision?: number },
): Promise<void> {
  const body = decided.decision === 'approve' ? decided : { ...decided, note: decisionNote };
  administrator.expect(200, await administrator.post('/admin/review', body));
}

/** One decision of an administrator. */
export async function approve(administrator: TestClient, kind: 'profile' | 'photo' | 'document', id: number): Promise<void> {
  await decide(administrator, { kind, id, decision: 'approve' });
}

/** Puts money into a wallet the way people do: an invoice, the bank's form, the bank's response. @returns the id of the invoice */
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
