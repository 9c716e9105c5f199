import type { Random } from '../../support/random.ts';
import { bestClaim } from '../auditor/registrations/registration-options.ts';
import type { Row } from '../auditor/registrations/registration-rows.ts';
import type { Event } from '../auditor/competitions/competition-records.ts';
import type { Profile } from '../auditor/applications/application-records.ts';
import type { Registration } from '../auditor/registrations/registration-records.ts';
import { athleteOf, eventOf, isIntakeOpen, isLive, isPaperAttachable, registrationsOf } from '../auditor/registrations/registrations-of.ts';
import type { Person, World } from '../world.ts';
import { anyone } from './athletes.ts';
import { limitOf, standingOf } from '../auditor/registrations/places.ts';
import { oneOf, type Step, weighted } from './step.ts';

const batch = 'POST /events/{id}/registrations/batch';
const minuteMs = 60_000;

/** Athletes who register: careful and hasty ones, late ones, in two tabs, and with what is not theirs. */
export const registrationSteps: readonly Step[] = [
  {
    name: 'an athlete registers for a competition',
    weight: 16,
    async take(world, random) {
      const event = anEvent(world, random);
      const owner = anAthlete(world, random, event);
      if (!event || !owner) return;
      const rows = athletesOf(world, owner).flatMap((profile) => (random.next() < 0.8 ? [rowOf(world, event, profile, random)] : []));
      if (rows.length > 0) await send(world, owner, event.id, rows.slice(0, 4), random.next() < 0.8);
    },
  },
  {
    name: 'an athlete sends a batch with wrong rows',
    weight: 4,
    async take(world, random) {
      const event = anEvent(world, random);
      const owner = anAthlete(world, random, event);
      const profile = owner && oneOf(random, athletesOf(world, owner));
      if (!event || !owner || !profile) return;
      const right = rowOf(world, event, profile, random);
      const rows = random.shuffled([right, ...Array.from({ length: random.between(1, 4) }, () => spoil(world, right, random))]);
      await send(world, owner, event.id, rows, random.next() < 0.7);
    },
  },
  onRegistration('an athlete submits a draft', 5, ['draft'], async (world, owner, registration, random) => {
    await send(world, owner, registration.eventId, [again(world, registration, random)], true);
  }),
  onRegistration('an athlete corrects a returned registration', 9, ['returned', 'draft'], async (world, owner, registration, random) => {
    const row = again(world, registration, random);
    const sent = random.next() < 0.3 ? spoil(world, row, random) : row;
    await send(world, owner, registration.eventId, [sent], random.next() < 0.75);
  }),
  onRegistration('an athlete saves a registration as it is', 1, ['returned', 'draft'], async (world, owner, registration) => {
    await send(world, owner, registration.eventId, [asItIs(registration)], false);
  }),
  onRegistration(
    'an athlete sends a registration that is decided',
    1,
    ['waiting', 'offered', 'submitted', 'approved', 'rejected', 'withdrawn'],
    async (world, owner, registration, random) => {
      await send(world, owner, registration.eventId, [again(world, registration, random)], random.next() < 0.5);
    },
  ),
  onRegistration(
    'an athlete withdraws a registration',
    4,
    ['draft', 'waiting', 'offered', 'submitted', 'returned', 'approved', 'rejected', 'withdrawn'],
    (world, owner, { id }) => world.call(owner, 'POST /event-registrations/{id}/withdraw', { params: { id } }),
  ),
  {
    name: 'an athlete registers for a full class',
    weight: 6,
    async take(world, random) {
      const { model, inquiry } = world.auditor;
      const classes = [...model.events.values()]
        .filter((event) => isIntakeOpen(event, world.now))
        .flatMap((event) => (event.settings?.classes ?? []).map((name) => ({ event, name })))
        .filter(({ event, name }) => {
          const { capacity } = limitOf(event, name);
          return capacity !== null && standingOf(model, event.id, name).taken >= capacity;
        });
      const full = oneOf(random, classes);
      const owner = full && anAthlete(world, random, full.event);
      if (!full || !owner) return;
      const profile = athletesOf(world, owner).find(
        ({ id }) => !registrationsOf(model, full.event.id).some((one) => isLive(one) && one.profileId === id && one.class === full.name),
      );
      if (profile && inquiry.personOf(profile.ownerId))
        await send(world, owner, full.event.id, [{ ...rowOf(world, full.event, profile, random), class: full.name }], true);
    },
  },
  onRegistration('an athlete accepts an offered place', 6, ['offered'], (world, owner, { id }) =>
    world.call(owner, 'POST /event-registrations/{id}/accept', { params: { id } }),
  ),
  onRegistration('an athlete accepts what is not offered', 0.7, ['waiting', 'submitted', 'withdrawn'], (world, owner, { id }) =>
    world.call(owner, 'POST /event-registrations/{id}/accept', { params: { id } }),
  ),
  onRegistration('an offer of a place runs out', 3, ['offered'], async (world, owner, { id, offeredUntil }, random) => {
    if (offeredUntil === null) return;
    await world.passTo(new Date(offeredUntil + random.pick([-minuteMs, minuteMs, minuteMs])).toISOString());
    await world.call(owner, 'POST /event-registrations/{id}/accept', { params: { id } });
  }),
  {
    name: 'an athlete registers at once in two tabs',
    weight: 2,
    async take(world, random) {
      const event = anEvent(world, random);
      const owner = anAthlete(world, random, event);
      const profile = owner && oneOf(random, athletesOf(world, owner));
      if (!event || !owner || !profile) return;
      const row = rowOf(world, event, profile, random);
      await world.race(
        [1, 2].map(() => ({
          by: owner,
          operation: batch,
          call: { params: { id: event.id }, body: { registrations: [row], submit: true } },
        })),
      );
    },
  },
  {
    name: 'an athlete registers by the earlier flow',
    weight: 3,
    async take(world, random) {
      const event = anEvent(world, random);
      const owner = anAthlete(world, random, event);
      const profile = owner && oneOf(random, athletesOf(world, owner));
      if (!event || !owner || !profile) return;
      const { application_ids: [applicationId] = [], class: name } = rowOf(world, event, profile, random);
      if (applicationId === undefined) return;
      const body = { profile_id: profile.id, application_id: applicationId, ...(random.next() < 0.8 ? { class: name } : {}) };
      await world.call(owner, 'POST /events/{id}/register', { params: { id: event.id }, body });
    },
  },
  {
    name: 'a person registers the athlete of another',
    weight: 1,
    async take(world, random) {
      const [event, person] = [anEvent(world, random), anyone(world, random)];
      const profile = oneOf(random, world.auditor.model.profiles.values());
      if (!event || !person || !profile) return;
      const row = rowOf(world, event, profile, random);
      const taken = oneOf(random, registrationsOf(world.auditor.model, event.id));
      await send(world, person, event.id, [row, ...(taken ? [{ ...row, id: taken.id }] : [])], random.next() < 0.5);
    },
  },
  {
    name: 'a person withdraws the registration of another',
    weight: 0.5,
    async take(world, random) {
      const [registration, person] = [oneOf(random, world.auditor.model.registrations.values()), anyone(world, random)];
      if (registration && person) await world.call(person, 'POST /event-registrations/{id}/withdraw', { params: { id: registration.id } });
    },
  },
];

export function send(world: World, owner: Person, eventId: number, rows: Row[], isSubmitted: boolean) {
  return world.call(owner, batch, { params: { id: eventId }, body: { registrations: rows, submit: isSubmitted } });
}

/** A published competition, mostly one that takes registrations. */
export function anEvent(world: World, random: Random): Event | undefined {
  const { model } = world.auditor;
  const shown = [...model.events.values()].filter(({ wasPublished }) => wasPublished);
  const open = shown.filter((event) => isIntakeOpen(event, world.now));
  return oneOf(random, open.length > 0 && random.next() < 0.93 ? open : shown);
}

/** An account with athletes, mostly one that can register an athlete. */
export function anAthlete(world: World, random: Random, event: Event | undefined): Person | undefined {
  const { model, inquiry } = world.auditor;
  const athletes = [...model.profiles.values()].filter(({ kind, data }) => kind === 'athlete' && data.status === 'approved');
  const ready = athletes.filter((profile) => {
    if (!event) return false;
    const { applicationIds, paperIds } = bestClaim(model, event, profile);
    return applicationIds.length > 0 || paperIds.length > 1;
  });
  const profile = oneOf(random, ready.length > 0 && random.next() < 0.85 ? ready : athletes);
  const owner = profile && inquiry.personOf(profile.ownerId);
  return owner && model.accounts.get(owner.accountId)?.status === 'active' ? owner : undefined;
}

export function athletesOf(world: World, { accountId }: Person): Profile[] {
  return [...world.auditor.model.profiles.values()].filter(({ ownerId, kind }) => ownerId === accountId && kind === 'athlete');
}

/** A row as a careful athlete sends it: the licences of the event's days, or papers of another federation. */
export function rowOf(world: World, event: Event, profile: Profile, random: Random): Row {
  const { model, inquiry } = world.auditor;
  const { applicationIds, paperIds } = bestClaim(model, event, profile);
  const papers = paperIds.filter((id) => isPaperAttachable(model, id, profile.id, inquiry.today));
  const isForeign = papers.length > 1 && (applicationIds.length === 0 || random.next() < 0.3);
  const settings = event.settings;
  const fields = settings?.vehicleFields ?? [];
  const vehicle = fields
    .filter(({ required }) => required || random.next() < 0.5)
    .map(({ code }) => [code, `${code} ${random.between(1, 99)}`] as const);
  return {
    profile_id: profile.id,
    ...(applicationIds.length === 0 || isForeign ? {} : { application_ids: applicationIds.slice(-2) }),
    class: oneOf(random, settings?.classes ?? []) ?? 'N1',
    vehicle: Object.fromEntries(vehicle),
    crew: crewFor(world, event, profile.ownerId, random),
    document_ids: isForeign ? papers : [],
  };
}

function crewFor(world: World, event: Event, ownerId: number, random: Random, own?: number): NonNullable<Row['crew']> {
  const { model } = world.auditor;
  const { roles = [], min = 0, max = 0 } = event.settings?.crew ?? {};
  const members = registrationsOf(model, event.id).filter(
    (one) => one.id !== own && isLive(one) && (one.wasSubmitted || athleteOf(model, one) === ownerId),
  );
  const count = Math.min(members.length, random.between(min, max));
  return random
    .shuffled(members)
    .slice(0, count)
    .map(({ id }) => ({ role: oneOf(random, roles) ?? 'Штурман', registration_id: id }));
}

/** The same registration as a careful athlete would send it now. */
export function again(world: World, { id, eventId, profileId, class: name, vehicle }: Registration, random: Random): Row {
  const { model } = world.auditor;
  const profile = model.profiles.get(profileId);
  if (!profile) throw new Error(`a registration has a profile, ${profileId}`);
  const row = rowOf(world, eventOf(model, eventId), profile, random);
  const isSame = random.next() < 0.7;
  return { ...row, id, class: isSame ? name : (row.class ?? name), vehicle: { ...vehicle, ...row.vehicle } };
}

function asItIs({ id, profileId, class: name, vehicle, crew, applicationIds, paperIds }: Registration): Row {
  return {
    id,
    profile_id: profileId,
    ...(applicationIds.length === 0 ? {} : { application_ids: applicationIds }),
    class: name,
    vehicle,
    crew: crew.map(({ role, registrationId }) => ({ role, registration_id: registrationId })),
    document_ids: paperIds,
  };
}

/** What hasty people send. */
function spoil(world: World, row: Row, random: Random): Row {
  const { model } = world.auditor;
  const { application_ids: _licences, ...without } = row;
  const [application, profile] = [oneOf(random, model.applications.values()), oneOf(random, model.profiles.values())];
  const document = oneOf(random, model.documents.values());
  const member = oneOf(random, model.registrations.values());
  return weighted(random, [
    [{ ...row, class: 'Жоқ класс' }, 1],
    [{ ...row, vehicle: { ...row.vehicle, wings: 'two' } }, 1],
    [{ ...row, vehicle: {} }, 1],
    [{ ...row, application_ids: [application?.id ?? 1] }, 2],
    [{ ...without, document_ids: [] }, 1],
    [{ ...row, document_ids: [document?.id ?? 1] }, 1],
    [{ ...row, profile_id: profile?.id ?? 1 }, 1],
    [{ ...row, crew: [{ role: 'Штурман', registration_id: member?.id ?? 1 }] }, 1],
    [{ ...row, id: member?.id ?? 1 }, 1],
    [row, 1],
  ]);
}

/** A step of a registration's athlete, mostly of an event that is not over. */
function onRegistration(
  name: string,
  weight: number,
  statuses: readonly Registration['status'][],
  take: (world: World, owner: Person, registration: Registration, random: Random) => Promise<unknown>,
): Step {
  return {
    name,
    weight,
    async take(world, random) {
      const { model, inquiry } = world.auditor;
      const fitting = [...model.registrations.values()].filter(({ status }) => statuses.includes(status));
      const going = fitting.filter(({ eventId }) => eventOf(model, eventId).endsAt > world.now.getTime());
      const registration = oneOf(random, going.length > 0 && random.next() < 0.9 ? going : fitting);
      const owner = registration && inquiry.personOf(athleteOf(model, registration));
      if (registration && owner) await take(world, owner, registration, random);
    },
  };
}
