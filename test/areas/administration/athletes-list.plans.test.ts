import fc from 'fast-check';
import {
  type AthleteFilter,
  certificateStandings,
  listAthletes,
  listAthletesBelow,
} from '../../../src/areas/administration/athletes/list-athletes.ts';
import { type ReviewStatus, reviewStatuses } from '../../../src/areas/profiles/index.ts';
import { useDatabase } from '../../support/use-database.ts';

/** Compares the list of athletes, whose filter columns triggers write, with a slow plain computation. */

const now = new Date('2026-07-01T00:00:00Z');
const { owner, connect, db } = await useDatabase();
// With the service's role, so that the triggers run with its rights.
const service = await connect();

const owners = [501, 502, 503];
const statuses = ['draft', 'submitted', 'changes', 'approved', 'cancelled', 'closed'] as const;
const services = { 1: 'national_certificate', 2: 'national_certificate', 10: 'international_licence', 20: 'document' } as const;

interface Application {
  id: number;
  serviceId: keyof typeof services;
  year: number;
  status: (typeof statuses)[number];
  hasCertificate: boolean;
}

interface Athlete {
  id: number;
  ownerId: number;
  name: string;
  city: string | null;
  phone: string | null;
  iin: string | null;
  status: ReviewStatus;
  applications: Application[];
}

/** The registry's records as plain objects. */
interface World {
  athletes: Athlete[];
  emails: Map<number, string>;
}

const names = ['Серікбаев Ғалым', 'СЕРИКБАЕВА Гүлнәр', 'Иванов Сергей Петрович', "О'Нил-Ким 777", 'Ёлкина Өзгө', 'Ivanov Petr'];
const cities = [null, 'Өскемен', 'г.Алматы', 'Усть-Каменогорск', 'Алматы'];
const phones = [null, '+7 (701) 123-45-67', '87011234568', '701 123 45 69', '+49 30 1234567'];
const emails = ['aibek.s@mail.kz', 'mother-777@club.kz', 'office@kz.example', 'petr@mail.kz'];
const searches = [
  'серик',
  'СЕРІКБАЕВ',
  'ғалым',
  'галым',
  'иванов сергей',
  'сергей ив',
  'ivan',
  "о'нил",
  'ким',
  'елкина',
  'озго',
  'алм',
  'г.Алматы',
  'оскемен',
  'усть каменогорск',
  '777',
  '+7 701',
  '8 701 123-45-68',
  '70112345',
  '7 701 123 45 69',
  '4930',
  '9005',
  '900517300128',
  '1',
  '12',
  'aibek.s@mail',
  'AIBEK.S@MAIL.KZ',
  'mail.kz',
  'mail',
  '@club.kz',
  'серик aibek.s@mail.kz',
  'нет такого',
  '%',
  "'",
  '\\',
  ':*',
  '& |',
  '!',
  '#777',
];

const step = fc.oneof(
  fc.record({
    what: fc.constant('add' as const),
    name: fc.constantFrom(...names),
    city: fc.constantFrom(...cities),
    phone: fc.constantFrom(...phones),
    hasIin: fc.boolean(),
    status: fc.constantFrom(...reviewStatuses),
    ownerId: fc.constantFrom(...owners),
  }),
  fc.record({
    what: fc.constant('change' as const),
    which: fc.nat(),
    name: fc.constantFrom(...names),
    city: fc.constantFrom(...cities),
    status: fc.constantFrom(...reviewStatuses),
    ownerId: fc.constantFrom(...owners),
  }),
  fc.record({
    what: fc.constant('apply' as const),
    which: fc.nat(),
    serviceId: fc.constantFrom(1 as const, 2 as const, 10 as const, 20 as const),
    year: fc.constantFrom(2025, 2026, 2026, 2026),
    status: fc.constantFrom(...statuses),
  }),
  fc.record({ what: fc.constant('move' as const), which: fc.nat(), status: fc.constantFrom(...statuses) }),
  fc.record({ what: fc.constant('move' as const), which: fc.nat(), status: fc.constantFrom(...statuses) }),
  fc.record({ what: fc.constant('drop' as const), which: fc.nat() }),
  fc.record({ what: fc.constant('rename' as const), which: fc.nat(), email: fc.constantFrom(...emails) }),
);
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

let lastId = 1000;

async function begin(): Promise<World> {
  const world: World = { athletes: [], emails: new Map() };
  for (const id of owners) {
    const email = `${id}-${lastId}@owner.example`;
    world.emails.set(id, email);
    await service.query(
      `insert into users (id, email, password_hash, name, created_at, updated_at) values ($1, $2, 'x', 'Owner', now(), now())
       on conflict (id) do update set email = excluded.email`,
      [id, email],
    );
  }
  return world;
}

async function end({ athletes }: World): Promise<void> {
  await owner.query('delete from certificates');
  await owner.query('delete from applications');
  await owner.query('delete from profiles');
  const { rows } = await owner.query('select * from athlete_entries');
  expect([athletes.length >= 0, rows]).toEqual([true, []]);
}

const isActive = ({ status }: Application) => status !== 'cancelled' && status !== 'closed';
const dataOf = ({ city, phone }: Pick<Athlete, 'city' | 'phone'>) =>
  JSON.stringify({ ...(city !== null && { city }), ...(phone !== null && { phone }), address: 'Ивановская 777' });

/** Makes the same change to the database and to the plain objects; skips changes that a constraint refuses. */
async function take(world: World, given: Step): Promise<void> {
  const { athletes } = world;
  const athlete = 'which' in given ? athletes[given.which % Math.max(1, athletes.length)] : undefined;
  switch (given.what) {
    case 'add': {
      lastId += 1;
      const { name, city, phone, hasIin, status, ownerId } = given;
      const iin = hasIin ? String(900517000000 + lastId) : null;
      athletes.push({ id: lastId, ownerId, name, city, phone, iin, status, applications: [] });
      await service.query(
        `insert into profiles (id, owner_id, kind, name, data, iin, status, created_at, updated_at) values ($1, $2, 'athlete', $3, $4, $5, $6, now(), now())`,
        [lastId, ownerId, name, dataOf(given), iin, status],
      );
      // A club of the same name is no athlete.
      await service.query(
        `insert into profiles (owner_id, kind, name, data, status, created_at, updated_at) values ($1, 'organizer', $2, '{}', $3, now(), now())`,
        [ownerId, name, status],
      );
      return;
    }
    case 'change': {
      if (!athlete) return;
      const { name, city, status, ownerId } = given;
      Object.assign(athlete, { name, city, status, ownerId });
      await service.query('update profiles set name = $2, data = $3, status = $4, owner_id = $5 where id = $1', [
        athlete.id,
        name,
        dataOf(athlete),
        status,
        ownerId,
      ]);
      return;
    }
    case 'apply': {
      if (!athlete) return;
      lastId += 1;
      const { serviceId, year, status } = given;
      const application = { id: lastId, serviceId, year, status, hasCertificate: false };
      if (
        isActive(application) &&
        athlete.applications.some((other) => isActive(other) && other.serviceId === serviceId && other.year === year)
      )
        return;
      athlete.applications.push(application);
      await service.query(
        `insert into applications (id, owner_id, profile_id, service_id, kind, year, data, status, amount_minor, breakdown, created_at, updated_at)
         values ($1, $2, $3, $4, $5, $6, '{}', $7, 0, '[]', now(), now())`,
        // A finished application may exist beside an active one of the same kind.
        [lastId, athlete.ownerId, athlete.id, serviceId, services[serviceId], year, isActive(application) ? 'draft' : status],
      );
      await stand(application);
      return;
    }
    case 'move': {
      const application = athlete?.applications[given.which % Math.max(1, athlete.applications.length)];
      if (!athlete || !application) return;
      const moved = { ...application, status: given.status };
      const others = athlete.applications.filter((other) => other !== application && isActive(other));
      if (isActive(moved) && others.some((other) => other.serviceId === moved.serviceId && other.year === moved.year)) return;
      application.status = given.status;
      await stand(application);
      return;
    }
    case 'drop': {
      const application = athlete?.applications.at(-1);
      if (!athlete || !application) return;
      athlete.applications.pop();
      await service.query('delete from applications where id = $1 and not exists (select from certificates where application_id = $1)', [
        application.id,
      ]);
      const { rows } = await service.query('select 1 from applications where id = $1', [application.id]);
      if (rows.length > 0) athlete.applications.push(application);
      return;
    }
    case 'rename': {
      const ownerId = owners[given.which % owners.length] ?? 0;
      if ([...world.emails.values()].includes(given.email)) return;
      world.emails.set(ownerId, given.email);
      await service.query('update users set email = $2 where id = $1', [ownerId, given.email]);
    }
  }
}

/** Sets the status of an application; an approved one gets a certificate and keeps it. */
async function stand(application: Application): Promise<void> {
  const { id, year, status } = application;
  await service.query('update applications set status = $2 where id = $1', [id, status]);
  if (status !== 'approved') return;
  application.hasCertificate = true;
  await service.query(
    `insert into certificates (application_id, number, series, year, sequence, token, valid_from, valid_until, snapshot, issued_at)
     values ($1::int, 'N' || $1::int, 'N', $2::int, $1::int, $1::int::text, make_date($2::int, 1, 1), make_date($2::int, 12, 31), '{}', now()) on conflict do nothing`,
    [id, year],
  );
}

const isNational = ({ serviceId }: Application) => services[serviceId] === 'national_certificate';

function standingOf({ applications }: Athlete): { standing: AthleteFilter['certificate']; number: string | null } {
  const ofYear = applications.filter((one) => isNational(one) && one.year === 2026);
  // APP-21: until it is annulled.
  const issued = ofYear.filter((one) => one.hasCertificate && one.status !== 'draft' && one.status !== 'cancelled').map(({ id }) => id);
  if (issued.length > 0) return { standing: 'issued', number: `N${Math.max(...issued)}` };
  const isPending = ofYear.some(({ status }) => status === 'submitted' || status === 'changes');
  return { standing: isPending ? 'pending' : 'not_issued', number: null };
}

const folds: Record<string, string> = { ё: 'е', ә: 'а', ғ: 'г', қ: 'к', ң: 'н', ө: 'о', ү: 'у', ұ: 'у', һ: 'х', і: 'и' };
const wordsOf = (phrase: string) =>
  [...phrase.toLowerCase()]
    .map((letter) => folds[letter] ?? letter)
    .join('')
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean);

function isFound(athlete: Athlete, email: string, q: string): boolean {
  const words = wordsOf([athlete.name, athlete.city, email].join(' '));
  const digits = athlete.phone?.replaceAll(/\D/g, '') ?? '';
  const national = /^[78]?(\d{10})$/.exec(digits)?.[1];
  const numbers = [athlete.iin, ...(national === undefined ? [digits] : [national, `7${national}`, `8${national}`])];
  const beginsWith = (part: string) => [...words, email, ...numbers].some((word) => word?.startsWith(part));
  if (/^[+\d() -]+$/.test(q) && /\d/.test(q)) {
    const searched = q.replaceAll(/\D/g, '');
    return beginsWith(searched) || String(athlete.id) === searched;
  }
  const parts = q.split(/\s+/);
  const addresses = parts.filter((part) => part.includes('@', 1));
  const searched = parts.filter((part) => !part.includes('@', 1)).flatMap(wordsOf);
  return (
    searched.length + addresses.length > 0 && addresses.every((part) => email.startsWith(part.toLowerCase())) && searched.every(beginsWith)
  );
}

const filters: AthleteFilter[] = [
  {},
  ...reviewStatuses.map((status) => ({ status })),
  ...certificateStandings.map((certificate) => ({ certificate })),
  ...certificateStandings.map((certificate) => ({ certificate, status: 'approved' as const, q: 'серик' })),
];

test('every filter matches the plain computation after any changes (ADM-2)', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 5, maxLength: 40 }),
      fc.subarray(searches, { minLength: 6, maxLength: 6 }),
      async (steps, searched) => {
        const world = await begin();
        try {
          for (const each of steps) await take(world, each);
          for (const filter of [...filters, ...searched.map((q) => ({ q }))]) {
            const { status, certificate, q } = { status: undefined, certificate: undefined, q: undefined, ...filter };
            const expected = world.athletes
              .filter((one) => status === undefined || one.status === status)
              .filter((one) => certificate === undefined || standingOf(one).standing === certificate)
              .filter((one) => q === undefined || isFound(one, world.emails.get(one.ownerId) ?? '', q))
              .sort((one, other) => other.id - one.id)
              .map((one) => ({
                id: one.id,
                name: one.name,
                status: one.status,
                city: one.city,
                phone: one.phone,
                ownerId: one.ownerId,
                ownerEmail: world.emails.get(one.ownerId),
                number: standingOf(one).number,
                applicationId: one.applications.at(-1)?.id ?? null,
                applications: one.applications.length,
                documents: 0,
              }));
            const { athletes, total, isTotalCapped } = await listAthletes(db(), now, { ...filter, page: 1, limit: 100 });
            expect([filter, athletes]).toMatchObject([filter, expected]);
            expect([filter, athletes.length, total, isTotalCapped]).toEqual([filter, expected.length, expected.length, false]);
            const second = await listAthletes(db(), now, { ...filter, page: 2, limit: 3 });
            expect(second.athletes).toEqual(athletes.slice(3, 6));
            const below = await listAthletesBelow(db(), now, filter, { beforeId: athletes[1]?.id ?? 0, limit: 2 });
            expect(below).toEqual(athletes.length < 2 ? [] : athletes.slice(2, 4));
          }
        } finally {
          await end(world);
        }
      },
    ),
    { numRuns: 30 },
  );
});

test('after the end of the year no athlete is issued or pending, although no row changed (ADM-2)', async () => {
  const world = await begin();
  const person = { name: 'Серікбаев Ғалым', city: null, phone: null, hasIin: false, status: 'approved', ownerId: 501 } as const;
  for (const status of ['approved', 'submitted'] as const) {
    await take(world, { what: 'add', ...person });
    await take(world, { what: 'apply', which: world.athletes.length - 1, serviceId: 1, year: 2026, status });
  }
  const totals = async (at: string) => {
    const counted = certificateStandings.map((certificate) => listAthletes(db(), new Date(at), { certificate, page: 1, limit: 1 }));
    return (await Promise.all(counted)).map(({ total }) => total);
  };
  // In UTC+5.
  expect(await totals('2026-12-31T18:59:59Z')).toEqual([1, 0, 1]);
  expect(await totals('2026-12-31T19:00:00Z')).toEqual([0, 2, 0]);
  await end(world);
});

test('the list has both of two concurrent changes of an athlete', async () => {
  const world = await begin();
  await take(world, { what: 'add', name: 'Ким', city: null, phone: null, hasIin: false, status: 'approved', ownerId: 501 });
  for (const serviceId of [1, 2] as const) await take(world, { what: 'apply', which: 0, serviceId, year: 2026, status: 'submitted' });
  const [athlete] = world.athletes;
  const [first, second] = athlete?.applications ?? [];
  const other = await connect();
  await service.query('begin');
  await other.query('begin');
  await service.query(`update applications set status = 'approved' where id = $1`, [first?.id]);
  const waiting = other.query(`update applications set status = 'cancelled' where id = $1`, [second?.id]);
  await service.query('commit');
  await waiting;
  await other.query('commit');
  const { rows } = await service.query('select issued_year, pending_year from athlete_entries where profile_id = $1', [athlete?.id]);
  expect(rows).toEqual([{ issued_year: 2026, pending_year: null }]);
  await end(world);
});
