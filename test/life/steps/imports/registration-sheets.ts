import type { Random } from '../../../support/random.ts';
import type { Event } from '../../auditor/competitions/competition-records.ts';
import type { Profile } from '../../auditor/applications/application-records.ts';
import { nameOf } from '../../auditor/imports/registration-sheet.ts';
import type { Row } from '../../auditor/registrations/registration-rows.ts';
import { athleteOf, eventOf, isLive, organizerOf, registrationsOf } from '../../auditor/registrations/registrations-of.ts';
import type { Person, World } from '../../world.ts';
import { anyone } from '../athletes.ts';
import { again, anAthlete, anEvent, athletesOf, rowOf } from '../registrations.ts';
import { oneOf, type Step, weighted } from '../step.ts';
import { csvOf, type Sheet } from './csv.ts';
import { type Mode, modesOf, raceSheet, sendSheet } from './send-sheet.ts';
import { sheetOfWorkbook } from './workbook.ts';

export const importingRegistrations = 'POST /events/{id}/registrations/import';
const mostRows = 5;

type Cells = Record<string, string>;

export const registrationSheetSteps: readonly Step[] = [
  {
    name: 'an athlete sends a sheet of registrations',
    weight: 7,
    async take(world, random) {
      const cast = aCast(world, random);
      const sheet = cast && registrationSheetOf(world, random, cast, 0.25);
      if (cast && sheet) await sendSheet(world, cast.owner, importingRegistrations, cast.event.id, sheet, modesOf(random, true));
    },
  },
  {
    name: 'an athlete sends a sheet with wrong rows',
    weight: 3,
    async take(world, random) {
      const cast = aCast(world, random);
      const sheet = cast && registrationSheetOf(world, random, cast, 0.9);
      if (cast && sheet) await sendSheet(world, cast.owner, importingRegistrations, cast.event.id, sheet, modesOf(random, true));
    },
  },
  {
    name: 'an athlete sends a sheet at once in two tabs',
    weight: 1.5,
    async take(world, random) {
      const cast = aCast(world, random);
      const sheet = cast && registrationSheetOf(world, random, cast, 0.1);
      if (cast && sheet) await raceSheet(world, cast.owner, importingRegistrations, cast.event.id, sheet);
    },
  },
  {
    name: 'a person sends a sheet of the athletes of another',
    weight: 1,
    async take(world, random) {
      const cast = aCast(world, random);
      const sheet = cast && registrationSheetOf(world, random, cast, 0);
      const person = anyone(world, random);
      if (cast && sheet && person) await sendSheet(world, person, importingRegistrations, cast.event.id, sheet, modesOf(random, true));
    },
  },
  {
    name: 'an athlete sends the template of registrations back',
    weight: 2,
    async take(world, random) {
      const cast = aCast(world, random);
      if (cast) await sendTemplateBack(world, cast, random.pick(['draft', 'draft', 'check', 'submit']));
    },
  },
  {
    name: 'an athlete sends the export of the organizer back',
    weight: 1.5,
    async take(world, random) {
      const { model, inquiry } = world.auditor;
      const approved = oneOf(
        random,
        [...model.registrations.values()].filter(
          ({ status, eventId }) => status === 'approved' && eventOf(model, eventId).status === 'published',
        ),
      );
      const event = approved && eventOf(model, approved.eventId);
      const [owner, organizer] = approved
        ? [inquiry.personOf(athleteOf(model, approved)), inquiry.personOf(organizerOf(model, approved.eventId))]
        : [];
      if (!event || !owner || !organizer) return;
      const made = await world.call(organizer, 'GET /events/{id}/registrations/export', { params: { id: event.id }, query: '?lang=en' });
      if (made.status !== 200) return;
      const sheet = await sheetOfWorkbook(made.bytes, 'registrations', event, 'export');
      await sendSheet(world, owner, importingRegistrations, event.id, sheet, [random.pick(['submit', 'draft', 'check'])]);
    },
  },
];

/** Sends the template of an account's registrations back as it is. */
export async function sendTemplateBack(world: World, { event, owner }: Cast, mode: Mode): Promise<void> {
  const params = { id: event.id };
  const made = await world.call(owner, 'GET /events/{id}/registrations/template.xlsx', { params, query: '?lang=en' });
  if (made.status !== 200) return;
  const sheet = await sheetOfWorkbook(made.bytes, 'registrations', event, 'template');
  await sendSheet(world, owner, importingRegistrations, event.id, sheet, [mode]);
}

export interface Cast {
  event: Event;
  owner: Person;
}

function aCast(world: World, random: Random): Cast | null {
  const event = anEvent(world, random);
  const owner = anAthlete(world, random, event);
  return event && owner ? { event, owner } : null;
}

/** A sheet of some athletes of an account. @param spoiled the part of wrong rows */
export function registrationSheetOf(world: World, random: Random, { event, owner }: Cast, spoiled: number): Sheet | null {
  const { model } = world.auditor;
  const isLikely = (part: number) => random.next() < part;
  const athletes = random.shuffled(athletesOf(world, owner)).slice(0, mostRows);
  const fields = fieldsFor(event, random);
  const rows = athletes.flatMap((profile) => {
    const own = registrationsOf(model, event.id).filter((one) => isLive(one) && one.profileId === profile.id);
    const known = isLikely(0.7) ? oneOf(random, own) : undefined;
    return [cellsOf(world, random, profile, known ? again(world, known, random) : rowOf(world, event, profile, random))];
  });
  const lines = rows.flatMap((cells) => (isLikely(spoiled) ? spoil(world, random, event, cells) : [cells]));
  const titleOf = (field: string) => event.settings?.vehicleFields.find(({ code }) => field === `vehicle.${code}`)?.title;
  return lines.length === 0 ? null : csvOf(random, fields, lines, titleOf);
}

function fieldsFor({ settings }: Event, random: Random): string[] {
  const isLikely = (part: number) => random.next() < part;
  const { vehicleFields = [], crew } = settings ?? {};
  const part = (field: string, likely: number) => (isLikely(likely) ? [field] : []);
  return [
    ...part('name', 0.97),
    ...part('class', 0.85),
    ...part('licence_number', 0.85),
    ...part('birth_date', 0.3),
    ...part('registration_id', 0.25),
    ...part('crew', (crew?.max ?? 0) > 0 ? 0.6 : 0.1),
    ...vehicleFields.flatMap(({ code, required }) => part(`vehicle.${code}`, required ? 0.93 : 0.6)),
  ];
}

/** A row of the batch as a person writes it. */
function cellsOf(world: World, random: Random, profile: Profile, row: Row): Cells {
  const { model } = world.auditor;
  const name = nameOf(profile);
  const certificates = (row.application_ids ?? []).flatMap((id) => model.applications.get(id)?.certificate?.number ?? []);
  const foreign = (row.document_ids ?? []).flatMap((id) => {
    const document = model.documents.get(id);
    return document?.type === 'foreign_naf_license' ? (document.fields.number ?? []) : [];
  });
  const crew = (row.crew ?? []).map(({ role, registration_id: id }) => {
    const member = model.profiles.get(model.registrations.get(id)?.profileId ?? 0);
    return `${role}: ${member && random.next() < 0.4 ? nameOf(member) : id}`;
  });
  const [year = '', month = '', day = ''] = (profile.birthDate ?? '').split('-');
  return {
    name: weighted(random, [
      [name, 6],
      [name.toUpperCase(), 1],
      [` ${name} `, 1],
    ]),
    class: random.next() < 0.15 ? (row.class ?? '').toLowerCase() : (row.class ?? ''),
    licence_number: random.shuffled([...certificates, ...foreign]).join(', '),
    birth_date: year === '' || random.next() < 0.3 ? '' : random.pick([`${year}-${month}-${day}`, `${day}.${month}.${year}`]),
    registration_id: row.id === undefined ? '' : String(row.id),
    crew: crew.join('; '),
    ...Object.fromEntries(Object.entries(row.vehicle ?? {}).map(([code, text]) => [`vehicle.${code}`, text])),
  };
}

/** What hasty people send, and rows that say an athlete twice. */
function spoil(world: World, random: Random, event: Event, cells: Cells): Cells[] {
  const { model } = world.auditor;
  const certificate = oneOf(
    random,
    [...model.applications.values()].flatMap((one) => one.certificate ?? []),
  );
  const another = oneOf(random, model.profiles.values());
  const registration = oneOf(random, model.registrations.values());
  const classes = event.settings?.classes ?? [];
  return weighted<Cells[]>(random, [
    [[{ ...cells, class: 'Жоқ класс' }], 1],
    [[{ ...cells, class: '' }], 0.7],
    [[{ ...cells, licence_number: certificate?.number ?? '' }], 2],
    [[{ ...cells, licence_number: 'KZ-N-2027-999999' }], 0.5],
    [[{ ...cells, licence_number: '' }], 1],
    [[{ ...cells, name: 'Жоқ Адам' }], 1],
    [[{ ...cells, name: another ? nameOf(another) : '' }], 1],
    [[{ ...cells, name: '' }], 0.7],
    [[{ ...cells, registration_id: String(registration?.id ?? 0) }], 1],
    [[{ ...cells, registration_id: 'бірінші' }], 0.3],
    [[{ ...cells, birth_date: random.pick(['1901-01-31', '31.02.1990', 'күні белгісіз']) }], 1],
    [[{ ...cells, crew: random.pick(['Штурман: Жоқ Адам', 'Капитан: 1', `Штурман: ${registration?.id ?? 0}`]) }], 1],
    [[{ ...cells, 'vehicle.brand': '' }], 1],
    [[cells, cells], 1.5],
    [[cells, { ...cells, licence_number: ` ${cells['licence_number']},` }], 1],
    [[cells, { ...cells, class: oneOf(random, classes) ?? '' }], 1],
    [[{ name: cells['name'] ?? '' }], 0.7],
  ]);
}
