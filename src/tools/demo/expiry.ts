import { formatDateTime } from '../../platform/date-time.ts';
import type { DemoCalendar } from './calendar.ts';
import { DemoFailure } from './failures.ts';
import { expectStatus, type IssuedCertificate, processPage, tenge } from './main-job.ts';
import type { Narrator } from './narrator.ts';
import { createDocument, medicalPaper } from './papers.ts';

/**
 * Moves the sandbox clock to the expiry of the medical certificate, then restores the certificate with a new one, without a second charge.
 * @throws {DemoFailure}
 */
export async function showExpiry(issued: IssuedCertificate, calendar: DemoCalendar, narrator: Narrator): Promise<void> {
  const { person, administrator, applicationId, number, token } = issued;
  const balanceBefore = (await person.get('/wallet'))['balance_minor'];

  narrator.begin(`The clock moves to ${formatDateTime(calendar.expiresAt)}: the medical certificate expires in this second`);
  await person.put('/sandbox/clock', { now: formatDateTime(calendar.expiresAt) });
  const expired = await person.get(`/verify/${token}`);
  if (expired['valid'] !== false) throw new DemoFailure(`the certificate is still valid: ${JSON.stringify(expired)}`);
  narrator.fact(`verification: valid: false, state: ${String(expired['state'])}; no timer was needed`);

  narrator.begin('The sweeper wakes the processes');
  await person.post('/sandbox/sweep');
  const returned = await person.get(`/applications/${applicationId}`);
  expectStatus(returned, 'changes', 'the application');
  narrator.fact(`application ${applicationId} is returned to its owner (changes), still paid: ${String(returned['paid'])}`);
  narrator.fact(`reason: ${String(returned['review_note'])}`);
  narrator.open('the process of the application', await processPage(administrator, `/applications/${applicationId}`));

  narrator.begin('The person uploads a new medical certificate, and the administrator approves it');
  const until = calendar.nextMedicalUntil;
  const renewedId = await createDocument(person, issued.profileId, medicalPaper('М-4112', until, calendar.expiresAt), {
    type: 'medical',
    number: 'М-4112',
    expires_at: until,
  });
  await administrator.post('/admin/review', { kind: 'document', id: renewedId, decision: 'approve' });
  narrator.fact(`document ${renewedId} (medical, valid until ${until})`);

  narrator.begin('... attaches it and submits again: approved at once, without a charge');
  await person.patch(`/applications/${applicationId}`, { document_ids: [issued.identityId, renewedId] });
  const approved = await person.post(`/applications/${applicationId}/submit`);
  expectStatus(approved, 'approved', 'the application');
  const balanceAfter = (await person.get('/wallet'))['balance_minor'];
  const verified = await person.get(`/verify/${token}`);
  const isSame = approved['number'] === number && balanceAfter === balanceBefore && verified['valid'] === true;
  if (!isSame)
    throw new DemoFailure(
      `number ${String(approved['number'])}, balance ${String(balanceAfter)}, verification ${JSON.stringify(verified)}`,
    );
  narrator.fact(`the same certificate ${number}, wallet as before (${tenge(balanceAfter)} KZT), verification: valid: true`);
}
