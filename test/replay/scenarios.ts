import { randomBytes } from 'node:crypto';
import type { Client } from '@temporalio/client';
import type { TestClient } from '../support/client.ts';
import {
  approve,
  approvedAthlete,
  approvedDocument,
  draftAthlete,
  issuedCertificate,
  pendingDocument,
  readyAthlete,
  topUp,
} from '../support/people.ts';
import { waitFor } from '../support/wait-for.ts';

/** Where a scenario is played: a running stack with its sandbox clock. */
export interface Stage {
  bankUrl: string;
  engine: Client;
  administrator: TestClient;
  /** Somebody new. */
  person(): Promise<TestClient>;
  /** The registry's present day, `YYYY-MM-DD`. */
  today(): Promise<string>;
  /** Moves the clock and lets every process see it. */
  travelTo(instant: string): Promise<void>;
}

/** A story whose process is worth keeping. */
export interface Scenario {
  workflowType: string;
  name: string;
  /** @returns the id of the workflow whose history is stored */
  play(stage: Stage): Promise<string>;
}

const dayAfter = (day: string) => new Date(Date.parse(`${day}T00:00:00Z`) + 86_400_000).toISOString().slice(0, 10);
const startOf = (day: string) => `${day}T00:00:00+05:00`;

/** In the order of time: the one that ends the year comes last. */
export const scenarios: Scenario[] = [
  {
    workflowType: 'oneTimeSecret',
    name: 'captcha',
    // Without its delay of ten minutes, which passes before the first event that a workflow sees.
    async play({ engine }) {
      const holder = '00000000-0000-4000-8000-000000000000';
      const workflowId = `captcha/${holder}`;
      await engine.workflow.execute('oneTimeSecret', { workflowId, taskQueue: 'registry', args: [{ kind: 'captcha', holder }] });
      return workflowId;
    },
  },
  {
    workflowType: 'oneTimeSecret',
    name: 'password-reset',
    async play({ engine }) {
      const workflowId = 'password-reset/900000';
      await engine.workflow.execute('oneTimeSecret', {
        workflowId,
        taskQueue: 'registry',
        args: [{ kind: 'password-reset', holder: '900000' }],
      });
      return workflowId;
    },
  },
  {
    workflowType: 'profileReview',
    name: 'photo-returned-once',
    async play({ person, administrator }) {
      const owner = await person();
      const profileId = await draftAthlete(owner);
      owner.expect(200, await owner.post(`/profiles/${profileId}/submit`));
      await approve(administrator, 'profile', profileId);
      const decision = { kind: 'photo', id: profileId, decision: 'changes', note: 'The face cannot be seen.' };
      administrator.expect(200, await administrator.post('/admin/review', decision));
      owner.expect(200, await owner.post(`/profiles/${profileId}/submit`));
      await approve(administrator, 'photo', profileId);
      return `profile/${profileId}`;
    },
  },
  {
    workflowType: 'profileReview',
    name: 'refused-commands',
    async play({ person, administrator }) {
      const owner = await person();
      const profileId = await draftAthlete(owner);
      const early = await administrator.post('/admin/review', { kind: 'profile', id: profileId, decision: 'approve' });
      administrator.expect(409, early);
      owner.expect(200, await owner.post(`/profiles/${profileId}/submit`));
      owner.expect(409, await owner.post(`/profiles/${profileId}/submit`));
      return `profile/${profileId}`;
    },
  },
  {
    workflowType: 'documentReview',
    name: 'returned-and-corrected',
    async play({ person, administrator }) {
      const owner = await person();
      const profileId = await approvedAthlete(owner, administrator);
      const id = await pendingDocument(owner, profileId, 'medical', '2040-01-10');
      const decision = { kind: 'document', id, decision: 'changes', note: 'The stamp cannot be read.' };
      administrator.expect(200, await administrator.post('/admin/review', decision));
      owner.expect(200, await owner.patch(`/documents/${id}`, { number: 'N55555555' }));
      await approve(administrator, 'document', id);
      return `document/${id}`;
    },
  },
  {
    workflowType: 'documentReview',
    name: 'approved-and-expired',
    async play({ person, administrator, today, travelTo }) {
      const owner = await person();
      const profileId = await approvedAthlete(owner, administrator);
      const day = await today();
      const id = await approvedDocument(owner, administrator, profileId, 'medical', day);
      await travelTo(startOf(dayAfter(day)));
      return `document/${id}`;
    },
  },
  {
    workflowType: 'invoiceReconciliation',
    name: 'paid-after-the-first-question',
    async play({ person, engine, bankUrl }) {
      const owner = await person();
      const invoice = owner.expect(201, await owner.post('/invoices', { amount: '5000.00' }, { 'idempotency-key': 'one' })).body.data;
      owner.expect(200, await owner.post(`/invoices/${invoice.id}/checkout`));
      const workflowId = `invoice/${invoice.id}`;
      const firedTimers = async () =>
        JSON.stringify(await engine.workflow.getHandle(workflowId).fetchHistory()).split('timerFiredEvent').length;
      await waitFor(firedTimers, (parts) => parts > 1, 'the process to ask by itself');
      await settle(bankUrl, invoice.number);
      owner.expect(200, await owner.post(`/invoices/${invoice.id}/verify`));
      return workflowId;
    },
  },
  {
    workflowType: 'invoiceReconciliation',
    name: 'expired-and-paid-late',
    async play({ person, bankUrl, today, travelTo }) {
      const owner = await person();
      const invoice = owner.expect(201, await owner.post('/invoices', { amount: '5000.00' }, { 'idempotency-key': 'one' })).body.data;
      owner.expect(200, await owner.post(`/invoices/${invoice.id}/checkout`));
      const day = await today();
      await travelTo(startOf(dayAfter(dayAfter(day))));
      await settle(bankUrl, invoice.number);
      await travelTo(startOf(dayAfter(dayAfter(dayAfter(day)))));
      return `invoice/${invoice.id}`;
    },
  },
  {
    workflowType: 'applicationLifecycle',
    name: 'draft-to-certificate',
    async play({ person, administrator, bankUrl }) {
      const owner = await person();
      const issued = await issuedCertificate(owner, administrator, bankUrl);
      owner.expect(200, await owner.get(`/applications/${issued.id}/certificate`));
      return `application/${issued.id}`;
    },
  },
  {
    workflowType: 'applicationLifecycle',
    name: 'approved-by-the-last-review',
    async play({ person, administrator, bankUrl }) {
      const owner = await person();
      const { profileId, documentIds } = await readyAthlete(owner, administrator);
      const medical = await pendingDocument(owner, profileId, 'medical', '2040-01-10');
      const body = { profile_id: profileId, service_id: 1, document_ids: [documentIds[0], medical], data: {} };
      const { id } = owner.expect(201, await owner.post('/applications', body)).body.data;
      owner.expect(200, await owner.post(`/applications/${id}/submit`));
      await topUp(owner, bankUrl, '20000.00');
      owner.expect(200, await owner.post(`/applications/${id}/pay`));
      await approve(administrator, 'document', medical);
      await waitFor(
        async () => (await owner.get(`/applications/${id}`)).body.data.status,
        (status) => status === 'approved',
        'the approval',
      );
      owner.expect(200, await owner.get(`/applications/${id}/certificate`));
      return `application/${id}`;
    },
  },
  {
    workflowType: 'applicationLifecycle',
    name: 'refused-commands-and-cancelled',
    async play({ person, administrator }) {
      const owner = await person();
      const { profileId, documentIds } = await readyAthlete(owner, administrator);
      const body = { profile_id: profileId, service_id: 1, document_ids: [documentIds[0]], data: {} };
      const { id, revision } = owner.expect(201, await owner.post('/applications', body)).body.data;
      owner.expect(422, await owner.post(`/applications/${id}/submit`));
      owner.expect(200, await owner.patch(`/applications/${id}`, { document_ids: documentIds }));
      owner.expect(200, await owner.post(`/applications/${id}/submit`));
      owner.expect(409, await owner.post(`/applications/${id}/pay`));
      const stale = { kind: 'application', id, decision: 'changes', note: 'Something is wrong.', revision };
      administrator.expect(409, await administrator.post('/admin/review', stale));
      owner.expect(200, await owner.post(`/applications/${id}/cancel`, { reason: 'I have changed my mind.' }));
      return `application/${id}`;
    },
  },
  {
    workflowType: 'applicationLifecycle',
    name: 'lapse-and-return',
    async play({ person, administrator, bankUrl, today, travelTo }) {
      const owner = await person();
      const day = await today();
      const issued = await issuedCertificate(owner, administrator, bankUrl, { medical: day });
      owner.expect(200, await owner.get(`/applications/${issued.id}/certificate`));
      await travelTo(startOf(dayAfter(day)));
      const renewed = await approvedDocument(owner, administrator, issued.profile_id, 'medical', '2040-01-10');
      owner.expect(200, await owner.patch(`/applications/${issued.id}`, { document_ids: [issued.document_ids[0], renewed] }));
      owner.expect(200, await owner.post(`/applications/${issued.id}/submit`));
      return `application/${issued.id}`;
    },
  },
  {
    workflowType: 'adoptOrphans',
    name: 'a-day-later',
    async play({ person, administrator, engine, today, travelTo }) {
      const owner = await person();
      const profileId = await approvedAthlete(owner, administrator);
      const day = await today();
      await approvedDocument(owner, administrator, profileId, 'medical', day);
      await travelTo(startOf(dayAfter(day)));
      const workflowId = `adopt-orphans/${randomBytes(6).toString('hex')}`;
      await engine.workflow.execute('adoptOrphans', { workflowId, taskQueue: 'registry', args: [{ requestId: 'capture' }] });
      return workflowId;
    },
  },
  {
    workflowType: 'applicationLifecycle',
    name: 'end-of-the-year',
    async play({ person, administrator, bankUrl, today, travelTo }) {
      const owner = await person();
      const issued = await issuedCertificate(owner, administrator, bankUrl);
      owner.expect(200, await owner.get(`/applications/${issued.id}/certificate`));
      await travelTo(startOf(`${Number((await today()).slice(0, 4)) + 1}-01-01`));
      return `application/${issued.id}`;
    },
  },
];

/** The bank's decision, without the payer's page. */
async function settle(bankUrl: string, invoiceNumber: string): Promise<void> {
  await fetch(`${bankUrl}/control/${invoiceNumber}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ outcome: 'paid' }),
  });
}
