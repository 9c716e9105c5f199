import { eventDays } from '../calendar.ts';
import { at, DemoFailure, storeFile } from '../client.ts';
import {
  addResult,
  agree,
  approveStage,
  becomeOrganizer,
  type Competition,
  enter,
  openRegistration,
  planEvent,
  publish,
  sendAgreement,
  submitDetails,
  submitStageFile,
} from '../competition.ts';
import { printScan } from '../papers.ts';
import { registerPerson } from '../people.ts';
import { type DeskAthlete, silent, type World } from './athletes.ts';
import { describeResident } from './names.ts';

/** Disciplines in the catalogue. */
const [rally, drift] = [1, 4];

/** An event of the demo. */
export interface DeskEvent extends Competition {
  id: number;
}

type Plan = Pick<Competition, 'title' | 'location' | 'disciplineId'> & { club: string; person: number; startsInDays: number };

/** Registers an organizer and plans an event of two days. */
async function plan({ surroundings, administrator, now }: World, { club, person, startsInDays, ...place }: Plan): Promise<DeskEvent> {
  const { name, email, phone, iin: bin, city } = describeResident(person);
  const { client: organizer } = await registerPerson(surroundings, name, email);
  const calendar = eventDays(now, startsInDays);
  const competition = { surroundings, narrator: silent, now, calendar, organizer, administrator, ...place };
  const director = `${name.last} ${name.first} ${name.middle}`;
  const data = {
    organization_name: club,
    director_name: director,
    phone,
    city,
    legal_address: `${city}, Абай, ${person}`,
    ...(bin && { bin }),
  };
  const profileId = await becomeOrganizer(competition, email, data);
  return { ...competition, id: await planEvent(competition, profileId) };
}

/** Adds an event that is published, with its regulations and approved registrations. */
export async function addRunningEvent(world: World, athletes: readonly DeskAthlete[]): Promise<DeskEvent> {
  const place = { title: 'Кубок Жетісу по картингу, 2-й этап', location: 'Алматы, картодром «Сокол»' };
  const event = await plan(world, { ...place, club: 'ОО «Картинг-клуб Жетісу»', person: 115, startsInDays: 2 });
  await agree(event, event.id);
  await publish(event, event.id);
  await submitStageFile(event, event.id, 'regulations');
  await approveStage(event, event.id, 'regulations');
  await openRegistration(event, event.id);
  for (const [index, athlete] of holders(athletes, 0, 8).entries())
    await decide(event, await enter(athlete, event.id), { decision: 'approve', start_number: String(index + 1) });
  return event;
}

/** Enters and publishes the results of an event that is over. */
export async function publishResults(event: DeskEvent, athletes: readonly DeskAthlete[], now: Date): Promise<void> {
  for (const [index, { client, applicationId }] of holders(athletes, 0, 8).entries()) {
    const { number } = (await client.GET('/applications/{id}', at(applicationId))).data;
    await addResult(event, event.id, String(number), index + 1);
  }
  await submitStageFile({ ...event, now }, event.id, 'results');
  await approveStage(event, event.id, 'results');
}

/** Adds a published event with registrations in each state, regulations and a bulletin that wait. */
export async function addPublishedEvent(world: World, athletes: readonly DeskAthlete[]): Promise<void> {
  const place = { title: 'Қазақстан кубогы, картинг, финал', location: 'Өскемен, «Шығыс» картодромы' };
  const event = await plan(world, { ...place, club: '«Шығыс Мотор» спорт клубы', person: 116, startsInDays: 10 });
  await agree(event, event.id);
  await publish(event, event.id);
  await openRegistration(event, event.id);
  const ids: number[] = [];
  for (const [index, athlete] of holders(athletes, 4, 14).entries()) ids.push(await enter(athlete, event.id, index > 0));
  const [, , , approved = 0, also = 0, returned = 0, rejected = 0, withdrawn = 0] = ids;
  await decide(event, approved, { decision: 'approve', start_number: '7' });
  await decide(event, also, { decision: 'approve', start_number: '21' });
  await decide(event, returned, { decision: 'return', reason: 'Укажите шасси, на котором вы выступаете.' });
  await decide(event, rejected, { decision: 'reject', reason: 'Все места в классе KZ-2 заняты.' });
  await holders(athletes, 4, 14)[ids.indexOf(withdrawn)]?.client.POST('/event-registrations/{id}/withdraw', at(withdrawn));
  await submitStageFile(event, event.id, 'regulations');
  await addBulletin(event, 'Бюллетень № 1: регламент времени');
  await addBulletin(event, 'Трасса сызбасы', 'scheme');
}

/** Adds an event whose details wait for review. */
export async function addReviewedEvent(world: World): Promise<void> {
  const place = { title: 'Ралли «Бозжыра», чемпионат Казахстана', location: 'Ақтау, Маңғыстау облысы' };
  const event = await plan(world, { ...place, club: 'Маңғыстау ралли клубы', person: 117, startsInDays: 8, disciplineId: rally });
  await agree(event, event.id);
  await submitDetails(event, event.id);
  await addBulletin(event, 'Расписание', 'schedule');
}

/** Plans a round of a series. */
export function planDriftEvent(world: World, round: '3-й этап' | 'финал'): Promise<DeskEvent> {
  const place = { title: `Дрифт-серия «Сарыарқа», ${round}`, location: 'Караганда, автодром «Сарыарқа»' };
  const person = round === 'финал' ? 120 : 118;
  return plan(world, { ...place, club: 'ТОО «Дрифт Сарыарқа»', person, startsInDays: 8, disciplineId: drift });
}

/** Adds an event whose agreement waits for the federation. */
export async function addAgreement(world: World): Promise<void> {
  const event = await planDriftEvent(world, '3-й этап');
  await sendAgreement(event, event.id);
}

async function addBulletin({ organizer, now, id }: DeskEvent, title: string, kind: 'bulletin' | 'scheme' | 'schedule' = 'bulletin') {
  const rows: [string, string][] = [['Жарияланған күні', now.toISOString().slice(0, 10)]];
  const paper = await printScan({ title, issuer: 'Оргкомитет', createdAt: now, rows, pages: 4 });
  const fileId = await storeFile(organizer, paper, 'document', `${kind}.pdf`);
  await organizer.POST('/events/{id}/additional-documents', { ...at(id), body: { file_id: fileId, title, kind } });
}

type RegistrationDecision = { decision: 'approve'; start_number: string } | { decision: 'return' | 'reject'; reason: string };

async function decide({ organizer, id }: DeskEvent, registrationId: number, body: RegistrationDecision): Promise<void> {
  await organizer.PATCH('/events/{id}/registrations/{registration_id}', {
    params: { path: { id, registration_id: registrationId } },
    body,
  });
}

type Holder = DeskAthlete & { applicationId: number };

/** Returns athletes whose certificate fits karting. */
function holders(athletes: readonly DeskAthlete[], from: number, to: number): Holder[] {
  const found = athletes.filter((one): one is Holder => one.story === 'certified' && one.service !== 2 && one.applicationId !== null);
  if (found.length < to) throw new DemoFailure(`only ${found.length} athletes have a certificate for karting`);
  return found.slice(from, to);
}
