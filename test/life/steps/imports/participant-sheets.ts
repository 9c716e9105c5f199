import type { Random } from '../../../support/random.ts';
import type { Application } from '../../auditor/applications/application-records.ts';
import type { Event } from '../../auditor/competitions/competition-records.ts';
import { statusWords } from '../../auditor/imports/participant-sheet.ts';
import { fits } from '../../auditor/registrations/eligibility.ts';
import { organizerOf, registrationsOf } from '../../auditor/registrations/registrations-of.ts';
import type { Person, World } from '../../world.ts';
import { anyone } from '../athletes.ts';
import { oneOf, type Step, weighted } from '../step.ts';
import { anyOf, csvOf, type Sheet } from './csv.ts';
import { modesOf, raceSheet, sendSheet } from './send-sheet.ts';
import { sheetOfWorkbook } from './workbook.ts';

export const importingParticipants = 'POST /events/{id}/participants/import';
const mostRows = 6;

type Cells = Record<string, string>;

export const participantSheetSteps: readonly Step[] = [
  {
    name: 'an organizer sends a sheet of results',
    weight: 6,
    async take(world, random) {
      const cast = aCast(world, random);
      const sheet = cast && participantSheetOf(world, random, cast.event, 0.25);
      const by = random.next() < 0.93 ? cast?.organizer : anyone(world, random);
      if (cast && sheet && by) await sendSheet(world, by, importingParticipants, cast.event.id, sheet, modesOf(random, false));
    },
  },
  {
    name: 'an organizer sends a sheet of results at once in two tabs',
    weight: 1,
    async take(world, random) {
      const cast = aCast(world, random);
      const sheet = cast && participantSheetOf(world, random, cast.event, 0.1);
      if (cast && sheet) await raceSheet(world, cast.organizer, importingParticipants, cast.event.id, sheet);
    },
  },
  {
    name: 'an organizer sends the template of results back',
    weight: 1.5,
    async take(world, random) {
      const cast = aCast(world, random);
      if (cast) await sendBack(world, random, cast, 'GET /events/{id}/participants/template.xlsx', 'template');
    },
  },
  {
    name: 'an organizer enters the export of registrations',
    weight: 1,
    async take(world, random) {
      const cast = aCast(world, random);
      if (cast) await sendBack(world, random, cast, 'GET /events/{id}/registrations/export', 'export');
    },
  },
];

export interface Cast {
  event: Event;
  organizer: Person;
}

/** A competition with its organizer: mostly a published one, also one whose results were submitted. */
function aCast({ auditor: { model, inquiry } }: World, random: Random): Cast | null {
  const events = [...model.events.values()];
  const shown = events.filter(({ status }) => status === 'published');
  const event = oneOf(random, shown.length > 0 && random.next() < 0.93 ? shown : events);
  const organizer = event && inquiry.personOf(organizerOf(model, event.id));
  return event && organizer ? { event, organizer } : null;
}

/** Sends what the registry made back as it is. */
export async function sendBack(
  world: World,
  random: Random,
  { event, organizer }: Cast,
  made: string,
  madeAs: 'template' | 'export',
): Promise<void> {
  const { status, bytes } = await world.call(organizer, made, { params: { id: event.id }, query: '?lang=en' });
  if (status !== 200) return;
  const sheet = await sheetOfWorkbook(bytes, 'participants', event, madeAs);
  await sendSheet(world, organizer, importingParticipants, event.id, sheet, [random.pick(['submit', 'submit', 'check'])]);
}

/** Results of those who are in the list, of those who were approved, and of others with a certificate. */
export function participantSheetOf(world: World, random: Random, event: Event, spoiled: number): Sheet | null {
  const { model } = world.auditor;
  const issued = [...model.applications.values()].filter(({ certificate }) => certificate !== null);
  const fitting = issued.filter((one) => fits(model, one, { event, profileId: one.profileId, applicationIds: [], paperIds: [] }));
  const approved = registrationsOf(model, event.id).filter(({ status }) => status === 'approved');
  const numbers = new Map<number, string>();
  for (const { applicationIds, startNumber } of approved)
    if (startNumber !== null) for (const id of applicationIds) numbers.set(id, startNumber);
  const listed = [...model.participants.values()].filter(({ eventId }) => eventId === event.id);
  for (const { applicationId, startNumber } of listed) if (startNumber !== null) numbers.set(applicationId, startNumber);
  const own = new Set([...listed.map(({ applicationId }) => applicationId), ...approved.flatMap(({ applicationIds }) => applicationIds)]);
  const known = [...own].flatMap((id) => model.applications.get(id) ?? []).filter(({ certificate }) => certificate !== null);
  const others = random.shuffled(fitting.filter(({ id }) => !own.has(id))).slice(0, 2);
  const named = random.shuffled([...known, ...others]).slice(0, mostRows);
  const fields = fieldsFor(random);
  const lines = named
    .map((application) => cellsOf(world, random, application, numbers.get(application.id), fields))
    .flatMap((cells) => (random.next() < spoiled ? spoil(random, cells, oneOf(random, issued)) : [cells]));
  return lines.length === 0 ? null : csvOf(random, fields, lines);
}

function fieldsFor(random: Random): string[] {
  const part = (field: string, likely: number) => (random.next() < likely ? [field] : []);
  return [
    ...weighted<string[]>(random, [
      [['licence_number'], 3],
      [['licence_number', 'start_number'], 4],
      [['start_number'], 2],
    ]),
    ...part('name', 0.4),
    ...part('class', 0.5),
    ...part('place', 0.7),
    ...part('result', 0.5),
    ...part('result_status', 0.5),
  ];
}

function cellsOf(world: World, random: Random, { certificate }: Application, startNumber: string | undefined, fields: string[]): Cells {
  const { number = '', token = '', holder = [] } = certificate ?? {};
  const licence = weighted(random, [
    [number, 5],
    [number.toLowerCase(), 1],
    [token, 1],
    [`${world.registry.url}/v/${token}`, 1],
  ]);
  // A start number beside a licence is what the participant gets.
  const isByNumber = startNumber !== undefined && random.next() < 0.5;
  const status = anyOf(random, Object.keys(statusWords)) ?? '';
  const [lastName = '', firstName = ''] = holder.map((part) => part ?? '');
  return {
    licence_number: isByNumber && fields.includes('start_number') ? '' : licence,
    start_number: isByNumber ? startNumber : random.pick(['', String(random.between(1, 99)), '7A']),
    name: random.pick(['', `${firstName} ${lastName}`, `${lastName} ${firstName.charAt(0)}.`, lastName.toUpperCase()]),
    class: random.pick(['Абсолют', 'Юниор', '']),
    place: weighted(random, [
      [String(random.between(1, 9)), 5],
      ['', 2],
      [anyOf(random, statusWords['dnf'] ?? []) ?? '', 1],
    ]),
    result: random.pick(['', `1:0${random.between(0, 9)}:33.4`]),
    result_status: random.next() < 0.5 ? '' : (anyOf(random, statusWords[status] ?? []) ?? ''),
  };
}

/** What hasty organizers send, and rows that say an athlete twice. */
function spoil(random: Random, cells: Cells, other: Application | undefined): Cells[] {
  const foreign = other?.certificate?.number ?? '';
  return weighted<Cells[]>(random, [
    [[{ ...cells, licence_number: 'KZ-N-2027-999999' }], 1],
    [[{ ...cells, licence_number: foreign }], 1.5],
    [[{ ...cells, licence_number: 'https://example.kz/v/abc' }], 0.5],
    [[{ ...cells, licence_number: '', start_number: '777' }], 1],
    [[{ ...cells, licence_number: '', start_number: '' }], 1],
    [[{ ...cells, name: 'Басқа Адам' }], 1],
    [[{ ...cells, place: random.pick(['0', 'екінші', '1.5']) }], 1],
    [[{ ...cells, result_status: 'белгісіз' }], 1],
    [[cells, cells], 1.5],
    [[cells, { ...cells, licence_number: foreign }], 1],
  ]);
}
