import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { RegistryError } from '../../../client/src/index.ts';
import { payAtBank } from './bank-form.ts';
import { at, type DemoClient, DemoFailure, openBrowser, storeFile } from './client.ts';
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
export async function registerPerson(
  surroundings: Pick<DemoSurroundings, 'baseUrl' | 'answerCaptcha'>,
  name = personName,
  email = `person-${randomBytes(4).toString('hex')}@example.kz`,
): Promise<DemoPerson> {
  const client = openBrowser(surroundings.baseUrl);
  await client.renewSession();
  const password = randomBytes(12).toString('base64url');
  await client.POST('/auth/register', {
    params: { header: client.header },
    body: { email, password, name: `${name.first} ${name.last}`, ...(await solveCaptcha(surroundings, client, 'register')) },
  });
  await client.renewSession();
  return { client, email, password };
}

/** Asks for a captcha and answers it. */
export async function solveCaptcha(
  { answerCaptcha }: Pick<DemoSurroundings, 'answerCaptcha'>,
  client: DemoClient,
  purpose: 'register' | 'contact',
): Promise<{ captcha_id: string; captcha_answer: string }> {
  const { captcha_id: id } = (await client.GET('/captcha', { params: { query: { purpose } } })).data;
  return { captcha_id: id, captcha_answer: await answerCaptcha(id) };
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
    if (token !== null) return void (await client.POST('/auth/confirm-email', { params: { header: client.header }, body: { token } })).data;
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
  const client = openBrowser(baseUrl);
  await client.renewSession();
  try {
    await client.POST('/auth/login', { params: { header: client.header }, body: administrator });
  } catch (error) {
    if (!(error instanceof RegistryError) || error.status !== 401) throw error;
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
  amountMinor: number;
}

/** Registers a person and submits an application, silently. @throws {DemoFailure} */
export async function becomeApplicant(
  surroundings: DemoSurroundings,
  name: PersonName,
  days: DocumentDays,
  now: Date,
): Promise<DemoApplicant> {
  const { client, email, password } = await registerPerson(surroundings, name);
  const photoId = await storeFile(client, await drawPortrait(randomInt(360)), 'photo', 'portrait.jpg');
  const { data: profile } = await client.POST('/profiles', { body: { kind: 'athlete', data: athleteDataOf(name), photo_id: photoId } });
  const profileId = profile.id;
  const documentIds = [
    await createIdentity(client, profileId, days, now, name),
    await createMedical(client, profileId, 'М-5120', days.nextMedicalUntil, now, name),
  ];
  await client.POST('/profiles/{id}/submit', at(profileId));
  const { certificateServiceId: service_id, disciplineId: discipline_id } = karting;
  const data = { discipline_id, insurance_territory: 'KZ' } as const;
  const { data: application } = await client.POST('/applications', {
    body: { profile_id: profileId, service_id, document_ids: documentIds, data },
  });
  const applicationId = application.id;
  await client.POST('/applications/{id}/submit', at(applicationId));
  return { client, email, password, profileId, documentIds, applicationId, amountMinor: application.amount_minor };
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
  for (const kind of ['profile', 'photo'] as const)
    await administrator.POST('/admin/review', { body: { kind, id: profileId, decision: 'approve' } });
  for (const id of documentIds) await administrator.POST('/admin/review', { body: { kind: 'document', id, decision: 'approve' } });
  await payInvoice(client, administrator, tenge(amountMinor), new Narrator(() => undefined));
  const { data: approved } = await client.POST('/applications/{id}/pay', at(applicationId));
  expectStatus(approved, 'approved', 'the application');
  return { client, email, profileId, applicationId, number: String(approved.number) };
}

/** Makes an invoice and opens the bank's form. @param amount `8650.00` */
export async function checkOut(person: DemoClient, amount: string) {
  const { data: invoice } = await person.POST('/invoices', { params: { header: { 'Idempotency-Key': randomUUID() } }, body: { amount } });
  return { invoice, form: (await person.POST('/invoices/{id}/checkout', at(invoice.id))).data };
}

/** Tops up a wallet through the bank's page. @param amount `8650.00` */
export async function payInvoice(person: DemoClient, administrator: DemoClient, amount: string, narrator: Narrator): Promise<void> {
  const { invoice, form } = await checkOut(person, amount);
  const params = { path: { id: invoice.id } };
  narrator.fact(`invoice ${invoice.number} of ${amount} KZT`);
  narrator.open('the process queries the bank', processOf(await administrator.GET('/invoices/{id}', { params })));
  await payAtBank(form);
  narrator.open('the form was posted and its Pay button pressed; the bank', new URL(form.action).origin);
  expectStatus((await person.POST('/invoices/{id}/verify', { params })).data, 'paid', 'the invoice');
  narrator.fact(`the bank answers paid; the wallet's balance is ${tenge((await person.GET('/wallet')).data.balance_minor)} KZT`);
}

/** Returns the address of a record's process in the Temporal UI, as an administrator sees it; null without one. */
export function processOf({ data }: { data: { process?: { url: string | null } | null } }): string | null {
  return data.process?.url ?? null;
}

/** @throws {DemoFailure} when a record has another status */
export function expectStatus(record: { status: string }, status: string, what: string): void {
  if (record.status === status) return;
  throw new DemoFailure(`${what} must be ${status} and is ${record.status}: ${JSON.stringify(record)}`);
}

/** Formats tiyn: `8650.00`. */
export function tenge(amountMinor: number): string {
  return (amountMinor / 100).toFixed(2);
}
