import { randomInt } from 'node:crypto';
import { formatDateTime } from '../../platform/time/date-time.ts';
import type { DemoCalendar } from './calendar.ts';
import { at, type DemoClient, DemoFailure, download, storeFile } from './client.ts';
import type { Narrator } from './narrator.ts';
import { athleteDataOf, createIdentity, createMedical, drawPortrait, personName } from './papers.ts';
import { type DemoPerson, expectStatus, payInvoice, processOf, registerPerson, signInAdministrator, tenge } from './people.ts';
import { moveClock, sweep } from './sandbox.ts';
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
  const photoId = await storeFile(person, await drawPortrait(randomInt(360)), 'photo', 'portrait.jpg');
  const body = { kind: 'athlete', data: athleteDataOf(), photo_id: photoId } as const;
  const profileId = (await person.POST('/profiles', { body })).data.id;
  narrator.fact(`profile ${profileId}, photo ${photoId}`);

  narrator.begin('... uploads scans of an identity card and of a medical certificate');
  const identityId = await createIdentity(person, profileId, calendar, now);
  const medicalId = await createMedical(person, profileId, 'М-3047', calendar.medicalUntil, now);
  narrator.fact(`document ${identityId} (identity, valid until ${calendar.identityUntil})`);
  narrator.fact(`document ${medicalId} (medical, valid until ${calendar.medicalUntil}: it will expire at the end of this demo)`);

  narrator.begin('... and submits the profile');
  expectStatus((await person.POST('/profiles/{id}/submit', at(profileId))).data, 'pending', 'the profile');
  const administrator = await signInAdministrator(surroundings);
  narrator.open('the process waits for an administrator', processOf(await administrator.GET('/documents/{id}', at(medicalId))));

  narrator.begin('The administrator approves the profile, its photo and both documents');
  for (const kind of ['profile', 'photo'] as const)
    await administrator.POST('/admin/review', { body: { kind, id: profileId, decision: 'approve' } });
  for (const id of [identityId, medicalId])
    await administrator.POST('/admin/review', { body: { kind: 'document', id, decision: 'approve' } });
  narrator.fact('four decisions through POST /admin/review');

  narrator.begin('The person applies for a national certificate of category A');
  const { data: application } = await person.POST('/applications', {
    body: {
      profile_id: profileId,
      service_id: serviceId,
      document_ids: [identityId, medicalId],
      data: { team: 'Алтай Рейсинг', sport: 'Автокөлік спорты', insurance_territory: 'KZ' },
    },
  });
  const applicationId = application.id;
  const params = { path: { id: applicationId } };
  expectStatus((await person.POST('/applications/{id}/submit', { params })).data, 'submitted', 'the application');
  narrator.fact(`application ${applicationId}, price ${tenge(application.amount_minor)} KZT, waits for its payment`);
  narrator.open('the process of the application', processOf(await administrator.GET('/applications/{id}', { params })));

  narrator.begin('... creates an invoice and pays it on the page of the bank');
  await payInvoice(person, administrator, tenge(application.amount_minor), narrator);

  narrator.begin('... and pays the application from the wallet; it is approved automatically');
  const { data: approved } = await person.POST('/applications/{id}/pay', { params });
  expectStatus(approved, 'approved', 'the application');
  const number = String(approved.number);
  const verificationUrl = String(approved.verification_url);
  const token = verificationUrl.slice(verificationUrl.lastIndexOf('/') + 1);
  narrator.fact(`certificate ${number}, valid from ${approved.valid_from} until ${approved.valid_until}`);

  narrator.begin('The certificate as a PDF, with photo and QR code');
  const pdf = await download(person.GET('/applications/{id}/certificate', { params, parseAs: 'arrayBuffer' }));
  narrator.fact(`${Math.round(pdf.length / 1024)} KB; its QR code contains ${verificationUrl}`);
  narrator.open('certificate', storeOutput(surroundings, `${number}.pdf`, pdf));

  narrator.begin('A scan of the QR code shows that it is valid');
  const { data: verified } = await person.GET('/verify/{token}', { params: { path: { token } } });
  if (!verified.valid) throw new DemoFailure(`the certificate is not valid: ${JSON.stringify(verified)}`);
  narrator.fact(`valid: true, state: ${verified.state}`);
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
  const params = { path: { id: applicationId } };
  const balanceBefore = (await person.GET('/wallet')).data.balance_minor;

  narrator.begin(`The clock moves to ${formatDateTime(calendar.expiresAt)}: the medical certificate expires in this second`);
  await moveClock(person.baseUrl, calendar.expiresAt);
  const { data: expired } = await person.GET('/verify/{token}', { params: { path: { token } } });
  if (expired.valid) throw new DemoFailure(`the certificate is still valid: ${JSON.stringify(expired)}`);
  narrator.fact(`verification: valid: false, state: ${expired.state}; no timer was needed`);

  narrator.begin('The sweeper wakes the processes');
  await sweep(person.baseUrl);
  const { data: returned } = await person.GET('/applications/{id}', { params });
  expectStatus(returned, 'changes', 'the application');
  narrator.fact(`application ${applicationId} is returned to its owner (changes), still paid: ${returned.paid}`);
  narrator.fact(`reason: ${returned.review_note}`);
  narrator.open('the process of the application', processOf(await administrator.GET('/applications/{id}', { params })));

  narrator.begin('The person uploads a new medical certificate, and the administrator approves it');
  const until = calendar.nextMedicalUntil;
  const renewedId = await createMedical(person, issued.profileId, 'М-4112', until, calendar.expiresAt);
  await administrator.POST('/admin/review', { body: { kind: 'document', id: renewedId, decision: 'approve' } });
  narrator.fact(`document ${renewedId} (medical, valid until ${until})`);

  narrator.begin('... attaches it and submits again: approved at once, without a charge');
  await person.PATCH('/applications/{id}', { params, body: { document_ids: [issued.identityId, renewedId] } });
  const { data: approved } = await person.POST('/applications/{id}/submit', { params });
  expectStatus(approved, 'approved', 'the application');
  const balanceAfter = (await person.GET('/wallet')).data.balance_minor;
  const { data: verified } = await person.GET('/verify/{token}', { params: { path: { token } } });
  const isSame = approved.number === number && balanceAfter === balanceBefore && verified.valid;
  if (!isSame) throw new DemoFailure(`number ${approved.number}, balance ${balanceAfter}, verification ${JSON.stringify(verified)}`);
  narrator.fact(`the same certificate ${number}, wallet as before (${tenge(balanceAfter)} KZT), verification: valid: true`);
}
