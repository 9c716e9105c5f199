import { randomInt, randomUUID } from 'node:crypto';
import { type BankForm, payAtBank } from './bank-form.ts';
import type { DemoCalendar } from './calendar.ts';
import type { DemoClient, Json } from './client.ts';
import { DemoFailure } from './failures.ts';
import type { Narrator } from './narrator.ts';
import { athleteData, createDocument, identityPaper, medicalPaper } from './papers.ts';
import { registerPerson, signInAdministrator } from './people.ts';
import { drawPortrait } from './pictures.ts';
import { type DemoSurroundings, storeOutput } from './surroundings.ts';

/** National certificate of category A in the catalogue. */
const serviceId = 1;

/** Results that the expiry demo uses. */
export interface IssuedCertificate {
  person: DemoClient;
  administrator: DemoClient;
  profileId: number;
  identityId: number;
  medicalId: number;
  applicationId: number;
  number: string;
  /** The token in the QR code's address. */
  token: string;
}

/** Performs the main job from the registration to the verified certificate, with the HTTP API only. @throws {DemoFailure} */
export async function walkMainJob(
  surroundings: DemoSurroundings,
  calendar: DemoCalendar,
  now: Date,
  narrator: Narrator,
): Promise<IssuedCertificate> {
  narrator.begin('A person registers');
  const { client: person, email, password } = await registerPerson(surroundings);
  narrator.fact(`${athleteData.first_name} ${athleteData.last_name}, ${email}, password ${password}`);

  narrator.begin('The person creates an athlete profile with a photo');
  const photoId = await person.upload(await drawPortrait(randomInt(360)), 'photo', 'portrait.jpg');
  const profileId = Number((await person.post('/profiles', { kind: 'athlete', data: athleteData, photo_id: photoId }))['id']);
  narrator.fact(`profile ${profileId}, photo ${photoId}`);

  narrator.begin('... uploads scans of an identity card and of a medical certificate');
  const identityId = await createDocument(person, profileId, identityPaper(calendar, now), {
    type: 'identity',
    number: '047512903',
    issued_at: calendar.identityIssued,
    expires_at: calendar.identityUntil,
  });
  const medicalId = await createDocument(person, profileId, medicalPaper('М-3047', calendar.medicalUntil, now), {
    type: 'medical',
    number: 'М-3047',
    expires_at: calendar.medicalUntil,
  });
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

  return { person, administrator, profileId, identityId, medicalId, applicationId, number, token };
}

/** Tops up a wallet through the bank's page. @param amount `8650.00` */
export async function payInvoice(
  person: DemoClient,
  administrator: DemoClient,
  amount: string,
  narrator: Pick<Narrator, 'fact' | 'open'>,
): Promise<void> {
  const invoice = await person.post('/invoices', { amount }, { 'idempotency-key': randomUUID() });
  const path = `/invoices/${String(invoice['id'])}`;
  const form = await person.post(`${path}/checkout`);
  const { action, fields } = form as unknown as BankForm;
  narrator.fact(`invoice ${String(invoice['number'])} of ${amount} KZT`);
  narrator.open('the process queries the bank', await processPage(administrator, path));
  await payAtBank({ action, fields });
  narrator.open('the form was posted and its Pay button pressed; the bank', new URL(action).origin);
  expectStatus(await person.post(`${path}/verify`), 'paid', 'the invoice');
  narrator.fact(`the bank answers paid; the wallet's balance is ${tenge((await person.get('/wallet'))['balance_minor'])} KZT`);
}

/** Returns the address of a record's process in the Temporal UI; null without one. */
export async function processPage(administrator: DemoClient, path: string): Promise<string | null> {
  const { process: described } = await administrator.get(path);
  const url = typeof described === 'object' && described !== null && 'url' in described ? described.url : null;
  return typeof url === 'string' ? url : null;
}

/** @throws {DemoFailure} when a record has another status */
export function expectStatus(record: Json, status: string, what: string): void {
  if (record['status'] === status) return;
  throw new DemoFailure(`${what} must be ${status} and is ${String(record['status'])}: ${JSON.stringify(record)}`);
}

/** Formats tiyn: `8650.00`. */
export function tenge(amountMinor: unknown): string {
  return (Number(amountMinor) / 100).toFixed(2);
}
