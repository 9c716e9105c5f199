import { randomInt } from 'node:crypto';
import type { DemoCalendar } from './calendar.ts';
import type { DemoClient } from './client.ts';
import { expectStatus, payInvoice, tenge } from './main-job.ts';
import type { Narrator } from './narrator.ts';
import { athleteDataOf, createDocument, identityPaper, medicalPaper } from './papers.ts';
import { type PersonName, registerPerson } from './people.ts';
import { drawPortrait } from './pictures.ts';
import type { DemoSurroundings } from './surroundings.ts';

/** National certificate for karting in the catalogue, and its discipline. */
export const karting = { certificateServiceId: 3, disciplineId: 3 } as const;

/** An athlete with a valid certificate. */
export interface DemoAthlete {
  client: DemoClient;
  profileId: number;
  applicationId: number;
  number: string;
}

/** An athlete with a submitted, unpaid application that waits for review. */
export interface DemoApplicant {
  client: DemoClient;
  email: string;
  password: string;
  profileId: number;
  documentIds: number[];
  applicationId: number;
  amountMinor: unknown;
}

/** Registers a person and submits an application, silently. @throws {DemoFailure} */
export async function becomeApplicant(
  surroundings: DemoSurroundings,
  name: PersonName,
  calendar: Pick<DemoCalendar, 'identityIssued' | 'identityUntil' | 'nextMedicalUntil'>,
  now: Date,
): Promise<DemoApplicant> {
  const { client, email, password } = await registerPerson(surroundings, name);
  const photoId = await client.upload(await drawPortrait(randomInt(360)), 'photo', 'portrait.jpg');
  const profile = await client.post('/profiles', { kind: 'athlete', data: athleteDataOf(name), photo_id: photoId });
  const profileId = Number(profile['id']);
  const documentIds = [
    await createDocument(client, profileId, identityPaper(calendar, now, name), {
      type: 'identity',
      number: '047512903',
      issued_at: calendar.identityIssued,
      expires_at: calendar.identityUntil,
    }),
    await createDocument(client, profileId, medicalPaper('М-5120', calendar.nextMedicalUntil, now, name), {
      type: 'medical',
      number: 'М-5120',
      expires_at: calendar.nextMedicalUntil,
    }),
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
  calendar: Pick<DemoCalendar, 'identityIssued' | 'identityUntil' | 'nextMedicalUntil'>,
  now: Date,
): Promise<DemoAthlete> {
  const { client, profileId, documentIds, applicationId, amountMinor } = await becomeApplicant(surroundings, name, calendar, now);
  for (const kind of ['profile', 'photo']) await administrator.post('/admin/review', { kind, id: profileId, decision: 'approve' });
  for (const id of documentIds) await administrator.post('/admin/review', { kind: 'document', id, decision: 'approve' });
  await payInvoice(client, administrator, tenge(amountMinor), silent);
  const approved = await client.post(`/applications/${applicationId}/pay`);
  expectStatus(approved, 'approved', 'the application');
  return { client, profileId, applicationId, number: String(approved['number']) };
}

/** Prints nothing. */
const silent: Pick<Narrator, 'fact' | 'open'> = { fact: () => undefined, open: () => undefined };
