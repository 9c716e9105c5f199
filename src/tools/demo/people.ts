import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { type BankForm, payAtBank } from './bank-form.ts';
import { DemoClient, DemoFailure, type Json, RequestFailure } from './client.ts';
import { Narrator } from './narrator.ts';
import { athleteDataOf, createIdentity, createMedical, type DocumentDays, drawPortrait, personName, type PersonName } from './papers.ts';
import type { DemoSurroundings } from './surroundings.ts';

/** A person of this run; each run has new ones. */
export interface DemoPerson {
  client: DemoClient;
  email: string;
  password: string;
}

/** Registers a new person, with the sandbox's fixed captcha answer. */
export async function registerPerson({ baseUrl, answerCaptcha }: DemoSurroundings, name = personName): Promise<DemoPerson> {
  const client = new DemoClient(baseUrl);
  await client.renewSession();
  const captcha = await client.get('/captcha?purpose=register');
  const email = `person-${randomBytes(4).toString('hex')}@example.kz`;
  const password = randomBytes(12).toString('base64url');
  await client.post('/auth/register', {
    email,
    password,
    name: `${name.first} ${name.last}`,
    captcha_id: captcha['captcha_id'],
    captcha_answer: await answerCaptcha(String(captcha['captcha_id'])),
  });
  await client.renewSession();
  return { client, email, password };
}

/**
 * Confirms the address of a registered person by the link of the mail, so that further mails go to it.
 * @throws {DemoFailure} without such a mail in the folder of mails
 */
export async function confirmAddress(
  { mailDirectory }: DemoSurroundings,
  { client, email }: Pick<DemoPerson, 'client' | 'email'>,
): Promise<void> {
  for (let attempt = 0; attempt < 50; attempt += 1) {
    const token = await findConfirmationToken(mailDirectory, email);
    if (token !== null) return void (await client.post('/auth/confirm-email', { token }));
    await setTimeout(200);
  }
  throw new DemoFailure(`no mail that confirms ${email} is in ${mailDirectory}`);
}

async function findConfirmationToken(mailDirectory: string, email: string): Promise<string | null> {
  const names = await readdir(mailDirectory).catch(() => []);
  for (const name of names.filter((one) => one.endsWith('.eml'))) {
    const mail = await readFile(join(mailDirectory, name), 'utf8');
    if (!mail.includes(`To: ${email}`)) continue;
    // The text is Cyrillic, so the mail encodes it by base64.
    const text = Buffer.from(mail.slice(mail.indexOf('\r\n\r\n')), 'base64').toString();
    const token = /\/confirm-email\?token=([\w-]{43})/.exec(text)?.[1];
    if (token !== undefined) return token;
  }
  return null;
}

/** @throws {DemoFailure} when the administrator's password is wrong */
export async function signInAdministrator({ baseUrl, administrator }: DemoSurroundings): Promise<DemoClient> {
  const client = new DemoClient(baseUrl);
  await client.renewSession();
  try {
    await client.post('/auth/login', administrator);
  } catch (error) {
    if (!(error instanceof RequestFailure) || !error.message.includes('answered 401')) throw error;
    throw new DemoFailure(
      `the administrator ${administrator.email} cannot sign in; if the password was changed, set ADMIN_EMAIL and ADMIN_PASSWORD`,
    );
  }
  await client.renewSession();
  return client;
}

/** National certificate for karting in the catalogue, and its discipline. */
export const karting = { certificateServiceId: 3, disciplineId: 3 } as const;

/** An athlete with a valid certificate. */
export interface DemoAthlete {
  client: DemoClient;
  email: string;
  profileId: number;
  applicationId: number;
  number: string;
}

/** An athlete with a submitted, unpaid application that waits for review. */
interface DemoApplicant extends DemoPerson {
  profileId: number;
  documentIds: number[];
  applicationId: number;
  amountMinor: unknown;
}

/** Registers a person and submits an application, silently. @throws {DemoFailure} */
export async function becomeApplicant(
  surroundings: DemoSurroundings,
  name: PersonName,
  days: DocumentDays,
  now: Date,
): Promise<DemoApplicant> {
  const { client, email, password } = await registerPerson(surroundings, name);
  const photoId = await client.upload(await drawPortrait(randomInt(360)), 'photo', 'portrait.jpg');
  const profile = await client.post('/profiles', { kind: 'athlete', data: athleteDataOf(name), photo_id: photoId });
  const profileId = Number(profile['id']);
  const documentIds = [
    await createIdentity(client, profileId, days, now, name),
    await createMedical(client, profileId, 'М-5120', days.nextMedicalUntil, now, name),
  ];
  await client.post(`/profiles/${profileId}/submit`);
  const { certificateServiceId: service_id, disciplineId: discipline_id } = karting;
  const data = { discipline_id, insurance_territory: 'KZ' };
  const application = await client.post('/applications', { profile_id: profileId, service_id, document_ids: documentIds, data });
  const applicationId = Number(application['id']);
  await client.post(`/applications/${applicationId}/submit`);
  return { client, email, password, profileId, documentIds, applicationId, amountMinor: application['amount_minor'] };
}

/** Performs the main job silently: from the registration to the certificate. @throws {DemoFailure} */
export async function becomeAthlete(
  surroundings: DemoSurroundings,
  administrator: DemoClient,
  name: PersonName,
  days: DocumentDays,
  now: Date,
): Promise<DemoAthlete> {
  const { client, email, profileId, documentIds, applicationId, amountMinor } = await becomeApplicant(surroundings, name, days, now);
  for (const kind of ['profile', 'photo']) await administrator.post('/admin/review', { kind, id: profileId, decision: 'approve' });
  for (const id of documentIds) await administrator.post('/admin/review', { kind: 'document', id, decision: 'approve' });
  await payInvoice(client, administrator, tenge(amountMinor), new Narrator(() => undefined));
  const approved = await client.post(`/applications/${applicationId}/pay`);
  expectStatus(approved, 'approved', 'the application');
  return { client, email, profileId, applicationId, number: String(approved['number']) };
}

/** Tops up a wallet through the bank's page. @param amount `8650.00` */
export async function payInvoice(person: DemoClient, administrator: DemoClient, amount: string, narrator: Narrator): Promise<void> {
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
