import type { Random } from '../../support/random.ts';
import { askExport } from '../auditor/registrations/registration-export.ts';
import type { Registration } from '../auditor/registrations/registration-records.ts';
import { athleteOf, eventOf, isIntakeOpen, isLive, organizerOf, registrationsOf } from '../auditor/registrations/registrations-of.ts';
import type { Person, World } from '../world.ts';
import { anyone } from './athletes.ts';
import { again, rowOf, send } from './registrations.ts';
import { isPlaced, limitOf } from '../auditor/registrations/places.ts';
import { oneOf, type Step, weighted } from './step.ts';

const deciding = 'PATCH /events/{id}/registrations/{registration_id}';
const reasons = ['The vehicle has no plate.', 'Нет подписи врача.', 'Көліктің нөмірі жоқ.'] as const;

/** Organizers who decide on registrations, and both sides who write to each other. */
export const registrationDecisionSteps: readonly Step[] = [
  byOrganizer('an organizer decides on a registration', 16, ['submitted'], async (world, organizer, registration, random) => {
    await decide(world, organizer, registration, usual(random));
  }),
  byOrganizer(
    'an organizer decides again',
    1.5,
    ['approved', 'returned', 'rejected', 'withdrawn'],
    async (world, organizer, registration, random) => {
      await decide(world, organizer, registration, usual(random));
    },
  ),
  byOrganizer('an organizer decides carelessly', 1.5, ['submitted', 'approved'], async (world, organizer, registration, random) => {
    const body = weighted(random, [
      [{ decision: 'return' }, 1],
      [{ decision: 'reject', reason: 'no' }, 1],
      [{ decision: 'reject', reason: random.pick(reasons), start_number: '7' }, 1],
      [{ reason: 'Nothing else is said.' }, 1],
      [{}, 1],
    ]);
    await decide(world, organizer, registration, body);
  }),
  byOrganizer('an organizer decides twice at once', 1.5, ['submitted'], async (world, organizer, registration, random) => {
    await world.race(
      [usual(random), usual(random)].map((body) => ({
        by: organizer,
        operation: deciding,
        call: { params: paramsOf(registration), body },
      })),
    );
  }),
  byOrganizer('an organizer offers a place by hand', 2, ['waiting', 'offered'], async (world, organizer, registration) => {
    await decide(world, organizer, registration, { decision: 'offer' });
  }),
  byOrganizer('a place is free after the intake has closed', 2, ['waiting'], async (world, organizer, one) => {
    const { model, inquiry } = world.auditor;
    const event = eventOf(model, one.eventId);
    const { settings, startsAt } = event;
    const closesAt = world.now.getTime() + hourMs;
    const holder = registrationsOf(model, one.eventId).find((other) => other.class === one.class && isPlaced(other));
    const athlete = holder && inquiry.personOf(athleteOf(model, holder));
    if (!athlete || settings?.opensAt == null || closesAt + 2 * hourMs > startsAt) return;
    const body = {
      opens_at: new Date(settings.opensAt).toISOString(),
      closes_at: new Date(closesAt).toISOString(),
      classes: settings.classes.map((name) => {
        const { capacity, waitingList, offerHours } = limitOf(event, name);
        return { name, capacity, waiting_list: waitingList, offer_hours: offerHours };
      }),
    };
    await world.call(organizer, 'PUT /events/{id}/registration-settings', { params: { id: one.eventId }, body });
    await world.passTo(new Date(closesAt + 60_000).toISOString());
    await world.call(athlete, 'POST /event-registrations/{id}/withdraw', { params: { id: holder.id } });
    await world.auditor.askAfterStep();
    await decide(world, organizer, one, { decision: 'offer' });
  }),
  byOrganizer('an organizer sets a start number', 4, ['approved'], async (world, organizer, registration, random) => {
    await decide(world, organizer, registration, { start_number: random.next() < 0.2 ? null : startNumber(random) });
  }),
  byOrganizer(
    'an organizer numbers what is not approved',
    0.5,
    ['submitted', 'returned'],
    async (world, organizer, registration, random) => {
      await decide(world, organizer, registration, { start_number: startNumber(random) });
    },
  ),
  byOrganizer('a returned registration comes back after the intake has closed', 2, ['submitted'], async (world, organizer, one, random) => {
    const { model, inquiry } = world.auditor;
    const { id, startsAt, settings } = eventOf(model, one.eventId);
    const athlete = inquiry.personOf(athleteOf(model, one));
    const closesAt = world.now.getTime() + hourMs;
    if (!athlete || settings?.opensAt == null || closesAt + 2 * hourMs > startsAt) return;
    await decide(world, organizer, one, { decision: 'return', reason: random.pick(reasons) });
    const body = {
      opens_at: new Date(settings.opensAt).toISOString(),
      closes_at: new Date(closesAt).toISOString(),
      classes: settings.classes,
      crew: settings.crew,
      vehicle_fields: settings.vehicleFields,
      columns: settings.columns,
    };
    await world.call(organizer, 'PUT /events/{id}/registration-settings', { params: { id }, body });
    await world.passTo(new Date(random.next() < 0.5 ? closesAt + hourMs : startsAt + 600_000).toISOString());
    await send(world, athlete, id, [again(world, one, random)], true);
  }),
  {
    name: 'a crew member withdraws before the decision',
    weight: 2,
    async take(world, random) {
      const { model, inquiry } = world.auditor;
      const isWaiting = ({ status, eventId }: Registration) => status === 'submitted' && eventOf(model, eventId).status === 'published';
      const waiting = [...model.registrations.values()].filter(isWaiting);
      const crewed = oneOf(
        random,
        waiting.filter(({ crew }) => crew.length > 0),
      );
      const registration = crewed ?? (await registerWithCrew(world, random, waiting));
      const member = model.registrations.get(registration?.crew[0]?.registrationId ?? 0);
      const [athlete, organizer] = [
        member && inquiry.personOf(athleteOf(model, member)),
        registration && inquiry.personOf(organizerOf(model, registration.eventId)),
      ];
      if (!registration || !member || !athlete || !organizer) return;
      await world.call(athlete, 'POST /event-registrations/{id}/withdraw', { params: { id: member.id } });
      await decide(world, organizer, registration, { decision: 'approve' });
    },
  },
  {
    name: 'an organizer gives one number twice at once',
    weight: 0.7,
    async take(world, random) {
      const { model, inquiry } = world.auditor;
      const waiting = [...model.registrations.values()].filter(({ status }) => status === 'submitted');
      const [first] = waiting;
      const second = waiting.find(({ id, eventId }) => id !== first?.id && eventId === first?.eventId);
      const organizer = first && inquiry.personOf(organizerOf(model, first.eventId));
      if (!first || !second || !organizer) return;
      const body = { decision: 'approve', start_number: startNumber(random) };
      await world.race([first, second].map((one) => ({ by: organizer, operation: deciding, call: { params: paramsOf(one), body } })));
    },
  },
  {
    name: 'a person decides on a registration of another organizer',
    weight: 0.7,
    async take(world, random) {
      const [registration, person] = [oneOf(random, world.auditor.model.registrations.values()), anyone(world, random)];
      if (registration && person) await decide(world, person, registration, usual(random));
    },
  },
  {
    name: 'athlete and organizer write to each other',
    weight: 3,
    async take(world, random) {
      const { model, inquiry } = world.auditor;
      const registration = oneOf(random, model.registrations.values());
      if (!registration) return;
      for (let count = random.between(1, 3); count > 0; count -= 1) {
        const perspective = random.pick(['athlete', 'organizer'] as const);
        const account = perspective === 'athlete' ? athleteOf(model, registration) : organizerOf(model, registration.eventId);
        const by = random.next() < 0.95 ? inquiry.personOf(account) : anyone(world, random);
        const call = { params: { perspective, id: registration.id } };
        if (!by) return;
        if (random.next() < 0.3) await world.call(by, 'POST /messenger/{perspective}/registrations/{id}/read', { ...call, body: {} });
        const message = weighted(random, [
          [`Қашан жарияланады? ${random.between(1, 999)}`, 8],
          ['<b>Start list</b> \u{1F3C1}', 2],
          ['   ', 1],
        ]);
        await world.call(by, 'POST /messenger/{perspective}/registrations/{id}/messages', { ...call, body: { message } });
      }
    },
  },
  {
    name: 'an organizer exports the registrations',
    weight: 1.5,
    async take(world, random) {
      const { model } = world.auditor;
      const approved = [...model.registrations.values()].filter(({ status }) => status === 'approved');
      const registration = oneOf(random, approved.length > 0 ? approved : [...model.registrations.values()].filter(isLive));
      if (registration) await askExport(world.auditor.inquiry, registration.eventId);
    },
  },
];

const hourMs = 3_600_000;

/** The athlete of one that waits registers for another class too, with the first as the crew. */
async function registerWithCrew(world: World, random: Random, waiting: readonly Registration[]): Promise<Registration | undefined> {
  const { model, inquiry } = world.auditor;
  const takesCrew = ({ eventId }: Registration) => {
    const event = eventOf(model, eventId);
    return isIntakeOpen(event, world.now) && (event.settings?.crew.max ?? 0) > 0;
  };
  const member = oneOf(random, waiting.filter(takesCrew));
  const profile = member && model.profiles.get(member.profileId);
  const owner = profile && inquiry.personOf(profile.ownerId);
  if (!member || !profile || !owner) return undefined;
  const event = eventOf(model, member.eventId);
  const crew = [{ role: event.settings?.crew.roles[0] ?? '', registration_id: member.id }];
  const name = event.settings?.classes.find((other) => other !== member.class);
  await send(world, owner, event.id, [{ ...rowOf(world, event, profile, random), class: name ?? member.class, crew }], true);
  return registrationsOf(model, event.id).find((one) => one.status === 'submitted' && one.crew[0]?.registrationId === member.id);
}

function usual(random: Random): Record<string, unknown> {
  const reason = random.pick(reasons);
  return weighted<Record<string, unknown>>(random, [
    [{ decision: 'approve', ...(random.next() < 0.6 ? { start_number: startNumber(random) } : {}) }, 6],
    [{ decision: 'return', reason }, 3],
    [{ decision: 'reject', reason }, 1],
  ]);
}

/** Few numbers, so that some are taken. */
const startNumber = (random: Random) =>
  weighted(random, [
    [String(random.between(1, 12)), 4],
    ['7A', 1],
  ]);

const paramsOf = ({ eventId, id }: Registration) => ({ id: eventId, registration_id: id });

function decide(world: World, by: Person, registration: Registration, body: object) {
  return world.call(by, deciding, { params: paramsOf(registration), body });
}

/** A step of an organizer on a registration, mostly of an event that is not over. */
function byOrganizer(
  name: string,
  weight: number,
  statuses: readonly Registration['status'][],
  take: (world: World, organizer: Person, registration: Registration, random: Random) => Promise<unknown>,
): Step {
  return {
    name,
    weight,
    async take(world, random) {
      const { model, inquiry } = world.auditor;
      const fitting = [...model.registrations.values()].filter(({ status }) => statuses.includes(status));
      const going = fitting.filter(({ eventId }) => eventOf(model, eventId).status === 'published');
      const registration = oneOf(random, going.length > 0 && random.next() < 0.93 ? going : fitting);
      const organizer = registration && inquiry.personOf(organizerOf(model, registration.eventId));
      if (registration && organizer) await take(world, organizer, registration, random);
    },
  };
}
