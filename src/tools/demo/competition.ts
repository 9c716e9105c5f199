import type { components } from '../../../client/src/index.ts';
import { dayOf, formatDateTime } from '../../platform/time/date-time.ts';
import type { CompetitionCalendar } from './calendar.ts';
import { at, type DemoClient, DemoFailure, download, fileOf, storeFile } from './client.ts';
import { drawSignature, drawStamp, personName, printScan, signByHand } from './papers.ts';
import {
  becomeAthlete,
  type DemoAthlete,
  expectStatus,
  karting,
  payInvoice,
  processOf,
  registerPerson,
  signInAdministrator,
  tenge,
} from './people.ts';
import { moveClock, sweep } from './sandbox.ts';
import { type DemoRun, storeOutput } from './surroundings.ts';

/** Fee of a republic-level competition in the catalogue. */
const feeServiceId = 30;

const riders = [
  { last: 'Сейітқали', first: 'Дәурен', middle: 'Мұратұлы' },
  { last: 'Ким', first: 'Артём', middle: 'Олегович' },
] as const;

/** A competition with those who run it. */
export interface Competition extends DemoRun<Pick<CompetitionCalendar, 'startsAt' | 'endsAt'>> {
  organizer: DemoClient;
  administrator: DemoClient;
  title: string;
  location: string;
  /** Karting if absent. */
  disciplineId?: number;
}

interface Walk extends Competition {
  calendar: CompetitionCalendar;
}

/**
 * Shows a competition from the organizer's registration to the published results: agreement, stages with fee, registrations, participants.
 * Uses only the HTTP API. @throws {DemoFailure}
 */
export async function walkCompetition(run: DemoRun<CompetitionCalendar>): Promise<void> {
  const { surroundings, calendar, narrator } = run;
  narrator.begin('An organizer registers, and the administrator approves the profile');
  const { client: organizer, email, password } = await registerPerson(surroundings);
  const administrator = await signInAdministrator(surroundings);
  const place = { title: 'Қазақстан кубогы, картинг, 1-кезең', location: 'Өскемен, «Шығыс» картодромы' };
  const walk: Walk = { ...run, organizer, administrator, ...place };
  const profileId = await becomeOrganizer(walk, email);
  narrator.fact(`${email}, password ${password}; profile ${profileId}`);

  narrator.begin('The organizer plans a competition');
  const eventId = await planEvent(walk, profileId);
  narrator.fact(`event ${eventId}, from ${formatDateTime(calendar.startsAt)}; its first stage, the agreement, is open`);
  narrator.open('the process of the event', processOf(await administrator.GET('/events/{id}', at(eventId))));

  await agree(walk, eventId);
  await publish(walk, eventId);
  const athletes = await register(walk, eventId);
  await submitStageFile(walk, eventId, 'regulations');
  await approveStage(walk, eventId, 'regulations');
  await finish(walk, eventId, athletes);
}

/** Has an organizer's profile approved. @returns its id */
export async function becomeOrganizer(
  { organizer, administrator }: Pick<Competition, 'organizer' | 'administrator'>,
  email: string,
  more: Partial<components['schemas']['OrganizerData']> = {},
): Promise<number> {
  const data = {
    organization_name: '«Шығыс Мотор» спорт клубы',
    bin: '990140001234',
    director_name: `${personName.last} ${personName.first} ${personName.middle}`,
    director_position: 'Директор',
    legal_address: 'Өскемен қ., Қазақстан көшесі, 27',
    phone: '+77232550101',
    email,
    city: 'Өскемен',
    ...more,
  };
  const profileId = (await organizer.POST('/profiles', { body: { kind: 'organizer', data } })).data.id;
  await organizer.POST('/profiles/{id}/submit', at(profileId));
  await administrator.POST('/admin/review', { body: { kind: 'profile', id: profileId, decision: 'approve' } });
  return profileId;
}

/** @returns the event's id */
export async function planEvent(
  { organizer, calendar, title, location, disciplineId = karting.disciplineId }: Competition,
  profileId: number,
): Promise<number> {
  const { data: event } = await organizer.POST('/events', {
    body: {
      profile_id: profileId,
      service_id: feeServiceId,
      discipline_id: disciplineId,
      title,
      location,
      starts_at: formatDateTime(calendar.startsAt),
      ends_at: formatDateTime(calendar.endsAt),
    },
  });
  return event.id;
}

/** Generates the agreement, signs it by hand and has it confirmed. */
export async function agree(competition: Competition, eventId: number): Promise<void> {
  const { narrator, organizer, administrator } = competition;
  const { id, verification_url: verificationUrl } = await sendAgreement(competition, eventId);
  await administrator.POST('/admin/contracts/{id}/review', { ...at(id), body: { decision: 'confirm' } });
  const token = verificationUrl.slice(verificationUrl.lastIndexOf('/') + 1);
  const { data: verified } = await organizer.GET('/contracts/verify/{token}', { params: { path: { token } } });
  if (!verified.valid) throw new DemoFailure(`the agreement is not valid: ${JSON.stringify(verified)}`);
  narrator.fact('valid: true; the stage `details` is open now');
}

/** Generates the agreement, signs it by hand and sends the scan, which waits for the federation. */
export async function sendAgreement({ surroundings, narrator, organizer, administrator }: Competition, eventId: number) {
  if (await setUpSigning(administrator)) narrator.fact('the federation has named its signatory, with signature and stamp');

  narrator.begin('The organizer generates the agreement: a PDF with signature and stamp of the federation, number and QR code');
  const { data: contract } = await organizer.POST('/contracts', { body: { event_id: eventId } });
  const params = { path: { id: contract.id } };
  const { number, verification_url: verificationUrl } = contract;
  const original = await download(organizer.GET('/contracts/{id}/original', { params, parseAs: 'arrayBuffer' }));
  narrator.fact(`agreement ${number}, ${contract.pages} pages, SHA-256 ${contract.original_sha256}`);
  narrator.open('the agreement', storeOutput(surroundings, `${number}.pdf`, original));
  narrator.open('its process', processOf(await administrator.GET('/contracts/{id}', { params })));
  narrator.open('its QR code: not valid yet', verificationUrl);

  narrator.begin('... prints it, signs it and sends the scan; the federation confirms it');
  expectStatus(
    (await organizer.POST('/contracts/{id}/scan', { params, body: { file: fileOf(await signByHand(original), 'agreement.pdf') } })).data,
    'pending',
    'the agreement',
  );
  return contract;
}

/** @returns whether it was set up now */
async function setUpSigning(administrator: DemoClient): Promise<boolean> {
  const setting: unknown = (await administrator.GET('/admin/federation-signing')).data;
  if (setting !== null) return false;
  await administrator.PUT('/admin/federation-signing', {
    body: {
      signer_name: 'Жүсіпов Ерлан Қайратұлы',
      signer_position: 'Федерация президенті',
      signature_file_id: await storeFile(administrator, await drawSignature(), 'signature', 'signature.png'),
      stamp_file_id: await storeFile(administrator, await drawStamp(), 'stamp', 'stamp.png'),
      layout: { signature: { x: 25, y: 199, scale: 1 }, stamp: { x: 125, y: 188, scale: 0.9 } },
    },
  });
  return true;
}

/** Submits the details, pays the fee, and publishes the event. */
export async function publish(competition: Competition, eventId: number): Promise<void> {
  const { surroundings, narrator, organizer } = competition;
  await submitDetails(competition, eventId);
  narrator.begin('The administrator approves them: the competition is in the public calendar');
  await approveStage(competition, eventId, 'details');
  expectStatus((await organizer.GET('/events/{id}', at(eventId))).data, 'published', 'the event');
  narrator.open('the public page', `${surroundings.baseUrl}/events/${eventId}`);
  narrator.open('the calendar as a feed', `${surroundings.baseUrl}/api/v1/events/public.ics`);
}

/** Submits the details and pays the fee. */
export async function submitDetails({ narrator, organizer, administrator }: Competition, eventId: number): Promise<void> {
  narrator.begin('The organizer submits the details and pays the fee');
  const params = { path: { id: eventId } };
  const { data: submitted } = await organizer.POST('/events/{id}/submit', { params, body: { stage: 'details' } });
  if (submitted.application_id === null) throw new DemoFailure('the details have no fee');
  const ofFee = at(submitted.application_id);
  const { data: fee } = await organizer.GET('/applications/{id}', ofFee);
  await payInvoice(organizer, administrator, tenge(fee.amount_minor), narrator);
  expectStatus((await organizer.POST('/applications/{id}/pay', ofFee)).data, 'approved', 'the fee');
}

type ReviewedStage = 'details' | 'regulations' | 'results';

export async function approveStage({ narrator, administrator }: Competition, eventId: number, stage: ReviewedStage): Promise<void> {
  await administrator.POST('/admin/review', { body: { kind: 'event_stage', id: eventId, stage, decision: 'approve' } });
  narrator.fact(`${stage}: approved`);
}

/** Opens the registration: two classes, with the chassis. */
export async function openRegistration({ organizer, now }: Competition, eventId: number): Promise<void> {
  await organizer.PUT('/events/{id}/registration-settings', {
    ...at(eventId),
    body: {
      opens_at: formatDateTime(now),
      closes_at: null,
      classes: ['Mini', 'KZ-2'],
      crew: { roles: [], min: 0, max: 0 },
      vehicle_fields: [{ code: 'chassis', title: 'Шасси', required: true }],
      columns: ['start_number', 'name', 'licence_number', 'birth_date', 'city', 'vehicle.chassis'],
    },
  });
}

/** Registers an athlete for the class KZ-2. @returns the registration's id */
export async function enter(
  { client, profileId, applicationId }: Pick<DemoAthlete, 'client' | 'profileId' | 'applicationId'>,
  eventId: number,
  submit = true,
): Promise<number> {
  const row = { profile_id: profileId, application_id: applicationId, class: 'KZ-2', vehicle: { chassis: 'CRG Road Rebel' } };
  const { results } = (await client.POST('/events/{id}/registrations/batch', { ...at(eventId), body: { registrations: [row], submit } }))
    .data;
  const [registered] = results;
  if (registered?.id === undefined) throw new DemoFailure(`the registration was refused: ${JSON.stringify(results)}`);
  return registered.id;
}

/** Opens registration, registers athletes, approves them and exports the list. */
async function register(walk: Walk, eventId: number): Promise<DemoAthlete[]> {
  const { surroundings, calendar, now, narrator, organizer, administrator } = walk;
  narrator.begin('The organizer opens the registration: two classes, with the chassis');
  await openRegistration(walk, eventId);

  narrator.begin('Two athletes with certificates register');
  const athletes: DemoAthlete[] = [];
  const ids: number[] = [];
  for (const name of riders) {
    const athlete = await becomeAthlete(surroundings, administrator, name, calendar, now);
    athletes.push(athlete);
    const id = await enter(athlete, eventId);
    ids.push(id);
    narrator.fact(`registration ${id} by certificate ${athlete.number}`);
    narrator.open('its process', processOf(await administrator.GET('/event-registrations/{id}', at(id))));
  }

  narrator.begin('The organizer approves them and downloads the list as an Excel file');
  for (const [index, id] of ids.entries())
    await organizer.PATCH('/events/{id}/registrations/{registration_id}', {
      params: { path: { id: eventId, registration_id: id } },
      body: { decision: 'approve', start_number: String(index + 1) },
    });
  const list = await download(organizer.GET('/events/{id}/registrations/export', { ...at(eventId), parseAs: 'arrayBuffer' }));
  narrator.open('the list', storeOutput(surroundings, `event-${eventId}.xlsx`, list));
  return athletes;
}

const headings = { regulations: 'ЖАРЫС ЕРЕЖЕСІ', results: 'ҚОРЫТЫНДЫ ХАТТАМА' } as const;

/** Uploads and submits the file of a stage. */
export async function submitStageFile(
  { now, narrator, organizer, title }: Competition,
  eventId: number,
  stage: keyof typeof headings,
): Promise<void> {
  narrator.begin(`The organizer submits the file of the stage \`${stage}\`, and the administrator approves it`);
  const rows: [string, string][] = [
    ['Жарыс', title],
    ['Күні', dayOf(now)],
  ];
  const paper = await printScan({ title: headings[stage], issuer: '«Шығыс Мотор» спорт клубы', createdAt: now, rows });
  const fileId = await storeFile(organizer, paper, stage, `${stage}.pdf`);
  await organizer.PATCH('/events/{id}', { ...at(eventId), body: { stage, files: { [stage]: fileId } } });
  await organizer.POST('/events/{id}/submit', { ...at(eventId), body: { stage } });
}

/** Enters a participant by the certificate, with the result. */
export async function addResult({ organizer }: Competition, eventId: number, certificate: string, place: number): Promise<void> {
  await organizer.POST('/events/{id}/participants', {
    ...at(eventId),
    body: {
      certificate,
      category: 'KZ-2',
      start_number: String(place),
      result_status: 'finished',
      place,
      result: `12:3${place % 10}.40${place % 10}`,
    },
  });
}

/** Enters participants and results after the last day. */
async function finish(walk: Walk, eventId: number, athletes: readonly DemoAthlete[]): Promise<void> {
  const { surroundings, calendar, narrator, organizer } = walk;
  narrator.begin(`The clock moves to ${formatDateTime(calendar.afterAt)}: the competition is over`);
  await moveClock(surroundings.baseUrl, calendar.afterAt);
  await sweep(surroundings.baseUrl);

  narrator.begin('The organizer enters participants by their certificates, with results');
  for (const [index, { number }] of athletes.entries()) {
    await addResult(walk, eventId, number, index + 1);
    narrator.fact(`place ${index + 1}: certificate ${number}`);
  }
  await submitStageFile({ ...walk, now: calendar.afterAt }, eventId, 'results');
  await approveStage(walk, eventId, 'results');
  const { data: seen } = await organizer.GET('/events/public/{id}', at(eventId));
  expectStatus(seen, 'completed', 'the event');
  if (seen.results.length !== athletes.length) throw new DemoFailure(`the results are not published: ${JSON.stringify(seen)}`);
  narrator.open('the public results', `${surroundings.baseUrl}/events/${eventId}`);
}
