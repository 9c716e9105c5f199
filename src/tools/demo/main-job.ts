import { randomInt } from 'node:crypto';
import { formatDateTime } from '../../platform/time/date-time.ts';
import type { DemoCalendar } from './calendar.ts';
import { type DemoClient, DemoFailure } from './client.ts';
import type { Narrator } from './narrator.ts';
import { athleteDataOf, createIdentity, createMedical, drawPortrait, personName } from './papers.ts';
import { type DemoPerson, expectStatus, payInvoice, processPage, registerPerson, signInAdministrator, tenge } from './people.ts';
import { type DemoRun, storeOutput } from './surroundings.ts';

/** Registers the person of a walk. */
export async function beginWith({ surroundings, narrator }: Pick<DemoRun<unknown>, 'surroundings' | 'narrator'>): Promise<DemoPerson> {
  narrator.begin('A person registers');
  const member = await registerPerson(surroundings);
  narrator.fact(`${personName.first} ${personName.last}, ${member.email}, password ${member.password}`);
  return member;
}

/** National certificate of category A in the catalogue. */
const serviceId = 1;

/** Results that `showExpiry` uses. */
interface IssuedCertificate {
  person: DemoClient;
  password: string;
  administrator: DemoClient;
  profileId: number;
  identityId: number;
  applicationId: number;
  number: string;
  /** The token in the QR code's address. */
  token: string;
}

/** Performs the main job of a registered person up to the verified certificate, with the HTTP API only. @throws {DemoFailure} */
export async function walkMainJob(
  { surroundings, calendar, now, narrator }: DemoRun<DemoCalendar>,
  { client: person, password }: Pick<DemoPerson, 'client' | 'password'>,
): Promise<IssuedCertificate> {
  narrator.begin('The person creates an athlete profile with a photo');
  const photoId = await person.upload(await drawPortrait(randomInt(360)), 'photo', 'portrait.jpg');
  const profileId = Number((await person.post('/profiles', { kind: 'athlete', data: athleteDataOf(), photo_id: photoId }))['id']);
  narrator.fact(`profile ${profileId}, photo ${photoId}`);

  narrator.begin('... uploads scans of an identity card and of a medical certificate');
  const identityId = await createIdentity(person, profileId, calendar, now);
  const medicalId = await createMedical(person, profileId, 'М-3047', calendar.medicalUntil, now);
  narrator.fact(`document ${identityId} (identity, valid until ${calendar.identityUntil})`);
  narrator.fact(`document ${medicalId} (medical, valid until ${calendar.medicalUntil}: it will expire at the end of this demo)`);

  narrator.begin('... and submits the profile');
  expectStatus(await person.post(`/profiles/${profileId}/submit`), 'pending', 'the profile');
  const administrator = await signInAdministrator(surroundings);
  narrator.open('the process waits for an administrator', await processPage(administrator, `/documents/${medicalId}`));

  narrator.begin('The administrator approves the profile, its photo and both documents');
  for (const kind of ['profile', 'photo']) await administrator.post('/admin/review', { kind, id: profileId, decision: 'approve' });
  for (const id of [identityId, medicalId]) await administrator.post('/admin/review', { kind: 'document', id, decision: 'approve' });
  narrator.fact('four decisions through POST /admin/review');

  narrator.begin('The person applies for a national certificate of category A');
  const application = await person.post('/applications', {
    profile_id: profileId,
    service_id: serviceId,
    document_ids: [identityId, medicalId],
    data: { team: 'Алтай Рейсинг', sport: 'Автокөлік спорты', insurance_territory: 'KZ' },
  });
  const applicationId = Number(application['id']);
  expectStatus(await person.post(`/applications/${applicationId}/submit`), 'submitted', 'the application');
  narrator.fact(`application ${applicationId}, price ${tenge(application['amount_minor'])} KZT, waits for its payment`);
  narrator.open('the process of the application', await processPage(administrator, `/applications/${applicationId}`));

  narrator.begin('... creates an invoice and pays it on the page of the bank');
  await payInvoice(person, administrator, tenge(application['amount_minor']), narrator);

  narrator.begin('... and pays the application from the wallet; it is approved automatically');
  const approved = await person.post(`/applications/${applicationId}/pay`);
  expectStatus(approved, 'approved', 'the application');
  const number = String(approved['number']);
  const verificationUrl = String(approved['verification_url']);
  const token = verificationUrl.slice(verificationUrl.lastIndexOf('/') + 1);
  narrator.fact(`certificate ${number}, valid from ${String(approved['valid_from'])} until ${String(approved['valid_until'])}`);

  narrator.begin('The certificate as a PDF, with photo and QR code');
  const pdf = await person.download(`/applications/${applicationId}/certificate?download=1`);
  narrator.fact(`${Math.round(pdf.length / 1024)} KB; its QR code contains ${verificationUrl}`);
  narrator.open('certificate', storeOutput(surroundings, `${number}.pdf`, pdf));

  narrator.begin('A scan of the QR code shows that it is valid');
  const verified = await person.get(`/verify/${token}`);
  if (verified['valid'] !== true) throw new DemoFailure(`the certificate is not valid: ${JSON.stringify(verified)}`);
  narrator.fact(`valid: true, state: ${String(verified['state'])}`);
  narrator.open('the page for people', verificationUrl);
  narrator.open('the same for programs', `${surroundings.baseUrl}/api/v1/verify/${token}`);

  return { person, password, administrator, profileId, identityId, applicationId, number, token };
}

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
  const renewedId = await createMedical(person, issued.profileId, 'М-4112', until, calendar.expiresAt);
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
