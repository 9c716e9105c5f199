import sharp from 'sharp';
import { dayMs, dayOf } from '../../../platform/time/date-time.ts';
import { at, type DemoClient, storeFile } from '../client.ts';
import { Narrator } from '../narrator.ts';
import { createDocument, type DocumentDays, drawPortrait } from '../papers.ts';
import { karting, payInvoice, registerPerson, tenge } from '../people.ts';
import type { DemoSurroundings } from '../surroundings.ts';
import { describeChild, describeResident, type Resident } from './names.ts';

/** The federation that the demo fills. */
export interface World {
  surroundings: DemoSurroundings;
  administrator: DemoClient;
  days: DocumentDays;
  /** The registry's instant. */
  now: Date;
}

/** An athlete of the demo. */
export interface DeskAthlete extends Resident {
  client: DemoClient;
  profileId: number;
  service: number | undefined;
  applicationId: number | null;
  story: string;
}

type Decision = 'approve' | 'changes' | 'cancel' | 'wait';

/** How far the records of some people are. */
export interface Story {
  /** Number of people. */
  people: number;
  /** Positions of the arrivals (`DeskCalendar`) at which they come, in turn. */
  arrivals: readonly number[];
  data: Decision | 'draft';
  photo?: Decision;
  /** Of the medical certificate; the other documents follow `data`. */
  medical?: Decision;
  /** Of the catalogue, in turn. */
  services?: readonly number[];
  application?: 'draft' | 'submitted' | 'paid' | 'cancelled';
  /** On the application. */
  decision?: Decision;
  /** Days after which the medical certificate expires. */
  medicalDays?: number;
}

const national = [karting.certificateServiceId, 1, 2] as const;
const licence = 10;
const card = 20;
const all = [0, 1, 2, 3, 4] as const;

/** By a name; the other files of this folder choose people by it. */
export const stories: Record<string, Story> = {
  certified: { people: 24, arrivals: [0, 0, 1], data: 'approve', services: national, application: 'paid' },
  new: { people: 22, arrivals: all, data: 'wait', services: national, application: 'submitted' },
  draft: { people: 6, arrivals: all, data: 'draft' },
  photoWaits: { people: 5, arrivals: all, data: 'approve', photo: 'wait', services: national, application: 'paid' },
  returned: { people: 5, arrivals: [1, 2, 3], data: 'changes' },
  photoReturned: { people: 3, arrivals: [2, 3], data: 'approve', photo: 'changes', medical: 'wait' },
  cancelled: { people: 2, arrivals: [0, 2], data: 'cancel', photo: 'cancel', medical: 'cancel' },
  undecided: { people: 5, arrivals: all, data: 'approve', services: national, application: 'draft' },
  unpaid: { people: 12, arrivals: [0, 2, 4], data: 'approve', services: national, application: 'submitted' },
  medicalWaits: { people: 7, arrivals: all, data: 'approve', medical: 'wait', services: national, application: 'paid' },
  medicalReturned: { people: 4, arrivals: [1, 3], data: 'approve', medical: 'changes', services: national, application: 'submitted' },
  lapsed: { people: 4, arrivals: [0], data: 'approve', services: national, application: 'paid', medicalDays: 12 },
  refunded: { people: 2, arrivals: [1, 3], data: 'approve', medical: 'wait', services: national, application: 'cancelled' },
  licenceWaits: { people: 5, arrivals: all, data: 'approve', services: [licence], application: 'paid' },
  licenceUnpaid: { people: 3, arrivals: [2, 3, 4], data: 'approve', services: [licence], application: 'submitted' },
  licensed: { people: 3, arrivals: [0, 1], data: 'approve', services: [licence], application: 'paid', decision: 'approve' },
  licenceReturned: { people: 2, arrivals: [2, 3], data: 'approve', services: [licence], application: 'paid', decision: 'changes' },
  cardWaits: { people: 1, arrivals: [3], data: 'approve', services: [card], application: 'paid' },
};

export const silent = new Narrator(() => undefined);
const notes = {
  profile: 'Туған күні жеке куәліктегі деректермен сәйкес келмейді.',
  photo: 'Фотосурет тым қараңғы: бет анық көрінуі керек.',
  document: 'Скан неразборчив: пришлите все страницы ещё раз.',
  application: 'Не указана команда, за которую выступает спортсмен.',
} as const;
const teams = ['Алтай Рейсинг', 'Шыңғыс Мотор', 'Barys Racing', 'Автоклуб «Жетісу»', 'Дрифт Караганда'] as const;

/** Registers a person, files the records and takes the decisions of their story. */
export async function fileAthlete(world: World, name: string, index: number, turn: number): Promise<DeskAthlete> {
  const story = stories[name] as Story;
  const person = describeResident(index);
  const { client } = await registerPerson(world.surroundings, person.name, person.email);
  await client.PATCH('/account', { body: { language: index % 2 === 0 ? 'kk' : 'ru' } });
  const profileId = await createProfile(client, person);
  const service = story.services?.[turn % story.services.length];
  const documentIds = await createDocuments(world, client, profileId, person, { service, medicalDays: story.medicalDays });
  const athlete = { ...person, client, profileId, service, applicationId: null, story: name };
  if (story.data === 'draft') return athlete;
  await client.POST('/profiles/{id}/submit', at(profileId));
  const applicationId = service === undefined ? null : await apply(world, athlete, service, Object.values(documentIds), story);
  await decide(world.administrator, 'profile', profileId, story.data);
  await decide(world.administrator, 'photo', profileId, story.photo ?? story.data);
  for (const [type, id] of Object.entries(documentIds))
    await decide(world.administrator, 'document', id, type === 'medical' ? (story.medical ?? story.data) : story.data);
  if (applicationId !== null) await finish(world, client, applicationId, story);
  if (index % 30 === 7) await addChild(world, client, person);
  return { ...athlete, applicationId };
}

/** The person whose photo lies on its side, without a mark of the camera, and the one whose scan has 30 pages. */
const [liesOnItsSide, longScan] = [26, 28];

async function createProfile(client: DemoClient, person: Resident): Promise<number> {
  const { index, birthDate, gender, citizenship, city, phone, iin } = person;
  const { last, first, middle } = person.name;
  const portrait = await drawPortrait((index * 37) % 360);
  const photo = index === liesOnItsSide ? await sharp(portrait).rotate(90).toBuffer() : portrait;
  const data = { last_name: last, first_name: first, birth_date: birthDate, gender, citizenship, city, phone } as const;
  const more = { ...(middle !== '' && { middle_name: middle }), ...(iin !== undefined && { iin }) };
  const body = { kind: 'athlete', data: { ...data, ...more }, photo_id: await storeFile(client, photo, 'photo', 'portrait.jpg') } as const;
  return (await client.POST('/profiles', { body })).data.id;
}

/** Title, issuer and pages of the scans. */
const papers = {
  identity: ['ЖЕКЕ КУӘЛІК', 'Қазақстан Республикасының ІІМ', 1],
  medical: ['МЕДИЦИНАЛЫҚ АНЫҚТАМА', 'Қалалық емхана', 1],
  driver: ['ВОДИТЕЛЬСКОЕ УДОСТОВЕРЕНИЕ', 'СпецЦОН', 2],
  consent: ['АТА-АНАНЫҢ КЕЛІСІМІ', 'Нотариус', 1],
  insurance_policy: ['СТРАХОВОЙ ПОЛИС', 'АО «СК Номад»', 4],
} as const;
type PaperType = keyof typeof papers;

interface Filing {
  service?: number | undefined;
  medicalDays?: number | undefined;
}

/** Uploads the documents that the service requires. @returns their ids by type */
async function createDocuments(
  { days, now }: World,
  client: DemoClient,
  profileId: number,
  { name, birthDate, city, iin, index, isChild }: Resident,
  { service, medicalDays }: Filing,
): Promise<Partial<Record<PaperType, number>>> {
  const types: PaperType[] = ['identity', 'medical'];
  if (service === 2 || service === licence) types.push('driver');
  if (isChild) types.push('consent');
  if (index % 11 === 3) types.push('insurance_policy');
  const ids: Partial<Record<PaperType, number>> = {};
  for (const type of types) {
    const [title, issuer, usualPages] = papers[type];
    const number = `${type.charAt(0).toUpperCase()}${400_000 + index * 79}`;
    const medicalUntil = medicalDays === undefined ? days.nextMedicalUntil : dayOf(new Date(now.getTime() + medicalDays * dayMs));
    const until = type === 'medical' ? medicalUntil : days.identityUntil;
    const rows: [string, string][] = [
      ['Тегі, аты, әкесінің аты', `${name.last} ${name.first} ${name.middle}`.trim()],
      ['Туған күні', birthDate],
      ['ЖСН', iin ?? '–'],
      ['Қала', city],
      ['Нөмірі', number],
      ['Қолданылу мерзімі', until],
    ];
    const pages = type !== 'medical' ? usualPages : index === longScan ? 30 : index % 6 === 0 ? 3 : 1;
    const facts = { type, number, issued_at: days.identityIssued, expires_at: until };
    ids[type] = await createDocument(client, profileId, { title, issuer, rows, createdAt: now, pages }, facts);
  }
  return ids;
}

/** Disciplines of the services that have them. */
const disciplines: Record<number, number> = { 2: 1, [karting.certificateServiceId]: karting.disciplineId, [licence]: 4 };

/** Applies for a service and pays, as far as the story goes. @returns the application's id */
async function apply(
  { administrator }: World,
  { client, profileId }: DeskAthlete,
  service: number,
  documentIds: number[],
  { application: until }: Story,
): Promise<number> {
  const discipline = disciplines[service];
  const data = { team: teams[profileId % teams.length] as string, ...(discipline !== undefined && { discipline_id: discipline }) };
  const { data: made } = await client.POST('/applications', {
    body: { profile_id: profileId, service_id: service, document_ids: documentIds, data },
  });
  if (until === 'draft') return made.id;
  await client.POST('/applications/{id}/submit', at(made.id));
  if (until === 'submitted') return made.id;
  // Rounded up to thousands, so that wallets keep a rest.
  await payInvoice(client, administrator, tenge(Math.ceil(made.amount_minor / 100_000) * 100_000), silent);
  await client.POST('/applications/{id}/pay', at(made.id));
  return made.id;
}

/** Takes the administrator's decision on a licence, or the owner's cancelling. */
async function finish({ administrator }: World, owner: DemoClient, id: number, { application, decision = 'wait' }: Story): Promise<void> {
  if (application === 'cancelled')
    await owner.POST('/applications/{id}/cancel', { ...at(id), body: { reason: 'Жарысқа қатыспайтын болдым.' } });
  if (decision === 'wait') return;
  const { revision } = (await administrator.GET('/applications/{id}', at(id))).data;
  const body = { kind: 'application', id, revision } as const;
  if (decision === 'approve') await administrator.POST('/admin/review', { body: { ...body, decision } });
  else await administrator.POST('/admin/review', { body: { ...body, decision, note: notes.application } });
}

/** Decides on a part of the records, unless it waits. */
async function decide(administrator: DemoClient, kind: 'profile' | 'photo' | 'document', id: number, decision: Decision): Promise<void> {
  if (decision === 'wait') return;
  if (decision === 'approve') await administrator.POST('/admin/review', { body: { kind, id, decision } });
  else await administrator.POST('/admin/review', { body: { kind, id, decision, note: notes[kind] } });
}

/** Adds the profile of a child, which waits for its review. */
async function addChild(world: World, client: DemoClient, parent: Resident): Promise<void> {
  const child = describeChild(parent);
  const profileId = await createProfile(client, child);
  await createDocuments(world, client, profileId, child, {});
  await client.POST('/profiles/{id}/submit', at(profileId));
}
