import { dayOf, formatDateTime } from '../../platform/time/date-time.ts';
import type { CompetitionCalendar } from './calendar.ts';
import { type DemoClient, DemoFailure } from './client.ts';
import { drawSignature, drawStamp, personName, printScan, signByHand } from './papers.ts';
import {
  becomeAthlete,
  type DemoAthlete,
  expectStatus,
  karting,
  payInvoice,
  processPage,
  registerPerson,
  signInAdministrator,
  tenge,
} from './people.ts';
import { type DemoRun, storeOutput } from './surroundings.ts';

/** Fee of a republic-level competition in the catalogue. */
const feeServiceId = 30;

const title = 'Қазақстан кубогы, картинг, 1-кезең';

const riders = [
  { last: 'Сейітқали', first: 'Дәурен', middle: 'Мұратұлы' },
  { last: 'Ким', first: 'Артём', middle: 'Олегович' },
] as const;

interface Walk extends DemoRun<CompetitionCalendar> {
  organizer: DemoClient;
  administrator: DemoClient;
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
  const walk: Walk = { ...run, organizer, administrator };
  const profileId = await becomeOrganizer(walk, email);
  narrator.fact(`${email}, password ${password}; profile ${profileId}`);

  narrator.begin('The organizer plans a competition');
  const event = await organizer.post('/events', {
    profile_id: profileId,
    service_id: feeServiceId,
    discipline_id: karting.disciplineId,
    title,
    location: 'Өскемен, «Шығыс» картодромы',
    starts_at: formatDateTime(calendar.startsAt),
    ends_at: formatDateTime(calendar.endsAt),
  });
  const eventId = Number(event['id']);
  narrator.fact(`event ${eventId}, from ${formatDateTime(calendar.startsAt)}; its first stage, the agreement, is open`);
  narrator.open('the process of the event', await processPage(administrator, `/events/${eventId}`));

  await agree(walk, eventId);
  await publish(walk, eventId);
  const athletes = await register(walk, eventId);
  await submitStageFile(walk, eventId, 'regulations', 'ЖАРЫС ЕРЕЖЕСІ');
  await finish(walk, eventId, athletes);
}

async function becomeOrganizer({ organizer, administrator }: Walk, email: string): Promise<number> {
  const data = {
    organization_name: '«Шығыс Мотор» спорт клубы',
    bin: '990140001234',
    director_name: `${personName.last} ${personName.first} ${personName.middle}`,
    director_position: 'Директор',
    legal_address: 'Өскемен қ., Қазақстан көшесі, 27',
    phone: '+77232550101',
    email,
    city: 'Өскемен',
  };
  const profileId = Number((await organizer.post('/profiles', { kind: 'organizer', data }))['id']);
  await organizer.post(`/profiles/${profileId}/submit`);
  await administrator.post('/admin/review', { kind: 'profile', id: profileId, decision: 'approve' });
  return profileId;
}

/** Generates the agreement, signs it by hand and has it confirmed. */
async function agree({ surroundings, narrator, organizer, administrator }: Walk, eventId: number): Promise<void> {
  if (await setUpSigning(administrator)) narrator.fact('the federation has named its signatory, with signature and stamp');

  narrator.begin('The organizer generates the agreement: a PDF with signature and stamp of the federation, number and QR code');
  const contract = await organizer.post('/contracts', { event_id: eventId });
  const contractId = Number(contract['id']);
  const number = String(contract['number']);
  const original = await organizer.download(`/contracts/${contractId}/original?download=1`);
  narrator.fact(`agreement ${number}, ${String(contract['pages'])} pages, SHA-256 ${String(contract['original_sha256'])}`);
  narrator.open('the agreement', storeOutput(surroundings, `${number}.pdf`, original));
  narrator.open('its process', await processPage(administrator, `/contracts/${contractId}`));
  const verificationUrl = String(contract['verification_url']);
  narrator.open('its QR code: not valid yet', verificationUrl);

  narrator.begin('... prints it, signs it and sends the scan; the federation confirms it');
  expectStatus(
    await organizer.sendFile(`/contracts/${contractId}/scan`, await signByHand(original), 'agreement.pdf'),
    'pending',
    'the agreement',
  );
  await administrator.post(`/admin/contracts/${contractId}/review`, { decision: 'confirm' });
  const token = verificationUrl.slice(verificationUrl.lastIndexOf('/') + 1);
  const verified = await organizer.get(`/contracts/verify/${token}`);
  if (verified['valid'] !== true) throw new DemoFailure(`the agreement is not valid: ${JSON.stringify(verified)}`);
  narrator.fact('valid: true; the stage `details` is open now');
}

/** @returns whether it was set up now */
async function setUpSigning(administrator: DemoClient): Promise<boolean> {
  const setting: unknown = await administrator.get('/admin/federation-signing');
  if (setting !== null) return false;
  await administrator.put('/admin/federation-signing', {
    signer_name: 'Жүсіпов Ерлан Қайратұлы',
    signer_position: 'Федерация президенті',
    signature_file_id: await administrator.upload(await drawSignature(), 'signature', 'signature.png'),
    stamp_file_id: await administrator.upload(await drawStamp(), 'stamp', 'stamp.png'),
    layout: { signature: { x: 25, y: 199, scale: 1 }, stamp: { x: 125, y: 188, scale: 0.9 } },
  });
  return true;
}

/** Submits the details, pays the fee, and publishes the event. */
async function publish({ surroundings, narrator, organizer, administrator }: Walk, eventId: number): Promise<void> {
  narrator.begin('The organizer submits the details and pays the fee');
  const { application_id: feeId } = await organizer.post(`/events/${eventId}/submit`, { stage: 'details' });
  const fee = await organizer.get(`/applications/${String(feeId)}`);
  await payInvoice(organizer, administrator, tenge(fee['amount_minor']), narrator);
  expectStatus(await organizer.post(`/applications/${String(feeId)}/pay`), 'approved', 'the fee');

  narrator.begin('The administrator approves them: the competition is in the public calendar');
  await administrator.post('/admin/review', { kind: 'event_stage', id: eventId, stage: 'details', decision: 'approve' });
  expectStatus(await organizer.get(`/events/${eventId}`), 'published', 'the event');
  narrator.open('the public page', `${surroundings.baseUrl}/events/${eventId}`);
  narrator.open('the calendar as a feed', `${surroundings.baseUrl}/api/v1/events/public.ics`);
}

/** Opens registration, registers athletes, approves them and exports the list. */
async function register(
  { surroundings, calendar, now, narrator, organizer, administrator }: Walk,
  eventId: number,
): Promise<DemoAthlete[]> {
  narrator.begin('The organizer opens the registration: two classes, with the chassis');
  await organizer.put(`/events/${eventId}/registration-settings`, {
    opens_at: formatDateTime(now),
    closes_at: null,
    classes: ['Mini', 'KZ-2'],
    crew: { roles: [], min: 0, max: 0 },
    vehicle_fields: [{ code: 'chassis', title: 'Шасси', required: true }],
    columns: ['start_number', 'name', 'licence_number', 'birth_date', 'city', 'vehicle.chassis'],
  });

  narrator.begin('Two athletes with certificates register');
  const athletes: DemoAthlete[] = [];
  const ids: number[] = [];
  for (const name of riders) {
    const athlete = await becomeAthlete(surroundings, administrator, name, calendar, now);
    athletes.push(athlete);
    const { results } = await athlete.client.post(`/events/${eventId}/registrations/batch`, {
      registrations: [
        { profile_id: athlete.profileId, application_id: athlete.applicationId, class: 'KZ-2', vehicle: { chassis: 'CRG Road Rebel' } },
      ],
      submit: true,
    });
    const id = registeredId(results);
    ids.push(id);
    narrator.fact(`registration ${id} by certificate ${athlete.number}`);
    narrator.open('its process', await processPage(administrator, `/event-registrations/${id}`));
  }

  narrator.begin('The organizer approves them and downloads the list as an Excel file');
  for (const [index, id] of ids.entries())
    await organizer.patch(`/events/${eventId}/registrations/${id}`, { decision: 'approve', start_number: String(index + 1) });
  const list = await organizer.download(`/events/${eventId}/registrations/export`);
  narrator.open('the list', storeOutput(surroundings, `event-${eventId}.xlsx`, list));
  return athletes;
}

function registeredId(results: unknown): number {
  const [first] = Array.isArray(results) ? results : [];
  if (first?.ok === true) return Number(first.id);
  throw new DemoFailure(`the registration was refused: ${JSON.stringify(results)}`);
}

/** Uploads, submits and approves the file of a stage. */
async function submitStageFile(
  { now, narrator, organizer, administrator }: Walk,
  eventId: number,
  stage: 'regulations' | 'results',
  heading: string,
): Promise<void> {
  narrator.begin(`The organizer submits the file of the stage \`${stage}\`, and the administrator approves it`);
  const rows: [string, string][] = [
    ['Жарыс', title],
    ['Күні', dayOf(now)],
  ];
  const paper = await printScan({ title: heading, issuer: '«Шығыс Мотор» спорт клубы', createdAt: now, rows });
  const fileId = await organizer.upload(paper, stage, `${stage}.pdf`);
  await organizer.patch(`/events/${eventId}`, { stage, files: { [stage]: fileId } });
  await organizer.post(`/events/${eventId}/submit`, { stage });
  await administrator.post('/admin/review', { kind: 'event_stage', id: eventId, stage, decision: 'approve' });
  narrator.fact(`${stage}: approved`);
}

/** Enters participants and results after the last day. */
async function finish(walk: Walk, eventId: number, athletes: readonly DemoAthlete[]): Promise<void> {
  const { surroundings, calendar, narrator, organizer } = walk;
  narrator.begin(`The clock moves to ${formatDateTime(calendar.afterAt)}: the competition is over`);
  await organizer.put('/sandbox/clock', { now: formatDateTime(calendar.afterAt) });
  await organizer.post('/sandbox/sweep');

  narrator.begin('The organizer enters participants by their certificates, with results');
  for (const [index, { number }] of athletes.entries()) {
    await organizer.post(`/events/${eventId}/participants`, {
      certificate: number,
      category: 'KZ-2',
      start_number: String(index + 1),
      result_status: 'finished',
      place: index + 1,
      result: `12:3${index}.40${index}`,
    });
    narrator.fact(`place ${index + 1}: certificate ${number}`);
  }
  await submitStageFile({ ...walk, now: calendar.afterAt }, eventId, 'results', 'ҚОРЫТЫНДЫ ХАТТАМА');
  const seen = await organizer.get(`/events/public/${eventId}`);
  expectStatus(seen, 'completed', 'the event');
  if (!Array.isArray(seen['results']) || seen['results'].length !== athletes.length)
    throw new DemoFailure(`the results are not published: ${JSON.stringify(seen)}`);
  narrator.open('the public results', `${surroundings.baseUrl}/events/${eventId}`);
}
