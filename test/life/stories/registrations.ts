import type { Random } from '../../support/random.ts';
import type { Event } from '../auditor/competitions/competition-records.ts';
import { isPlaced } from '../auditor/registrations/places.ts';
import type { Registration } from '../auditor/registrations/registration-records.ts';
import { athleteOf, isLive, registrationsOf } from '../auditor/registrations/registrations-of.ts';
import type { Step } from '../steps/step.ts';
import type { World } from '../world.ts';
import { decideOn } from './applications.ts';
import { anEntrant, anOpenEvent, type Athlete, enter, enterAgain, presentAt, type Stage } from './cast.ts';
import { story } from './story.ts';

const [name, otherName] = ['Юниор', 'Абсолют'];
const reasons = ['The vehicle has no plate.', 'Нет подписи врача.', 'Көліктің нөмірі жоқ.'] as const;
const minuteMs = 60_000;
const mostInLine = 4;

/** How a holder of a place gives it up, or keeps it. */
const ways = ['withdrawn', 'rejected', 'refused', 'missed', 'missed', 'accepted', 'moved'] as const;

export const registrationStories: readonly Step[] = [
  story('a class is full, and its line moves', async function* (world, random) {
    const stage = await anOpenEvent(world, random, (event) => registrationsOf(world.auditor.model, event.id).length === 0);
    if (!stage || !(await setClass(world, random, stage, 1))) return;
    const { event } = stage;
    for (let count = 0; count < mostInLine; count += 1) {
      const athlete = await anEntrant(world, random, event);
      if (athlete) await enter(world, random, athlete, event, { class: name });
      // The class beside it has a line of its own.
      if (count % 2 === 0) {
        const beside = await anEntrant(world, random, event);
        if (beside) await enter(world, random, beside, event, { class: otherName });
      }
      yield;
    }
    for (const way of random.shuffled(ways)) {
      const holder = holderOf(world, event);
      if (!holder) return;
      await leave(world, random, stage, holder, way);
      yield;
      if (random.next() < 0.5 && !isLive(holder)) {
        await enterAnew(world, random, holder);
        yield;
      }
    }
    await setClass(world, random, stage, 2);
  }),
  story('a registration goes to and fro', async function* (world, random) {
    const stage = await anOpenEvent(world, random);
    const athlete = stage && (await anEntrant(world, random, stage.event));
    const registration = athlete && (await enter(world, random, athlete, stage.event));
    if (!registration) return;
    yield;
    await talk(world, stage, athlete, registration);
    yield;
    await decide(world, stage, registration, { decision: 'return', reason: random.pick(reasons) });
    yield;
    await enterAgain(world, random, registration);
    yield;
    await decide(world, stage, registration, { decision: 'approve', start_number: String(random.between(20, 90)) });
    yield;
    for (const number of [String(random.between(91, 99)), null]) await decide(world, stage, registration, { start_number: number });
    yield;
    await decide(world, stage, registration, { decision: 'reject', reason: random.pick(reasons) });
    await world.call(athlete.owner, 'POST /event-registrations/{id}/withdraw', { params: { id: registration.id } });
    yield;
    const next = await enter(world, random, athlete, stage.event);
    if (next) await decide(world, stage, next, { decision: 'reject', reason: random.pick(reasons) });
  }),
  story('a paper behind a registration lapses, and is in order again', async function* (world, random) {
    const { model } = world.auditor;
    const stage = await anOpenEvent(world, random);
    const athlete = stage && (await anEntrant(world, random, stage.event));
    const registration = athlete && (await enter(world, random, athlete, stage.event));
    if (!registration) return;
    const isApproved = random.next() < 0.3;
    if (isApproved) await decide(world, stage, registration, { decision: 'approve' });
    yield;
    const papers = registration.snapshot.map(({ document_id: id }) => id).filter((id) => model.documents.get(id)?.status === 'approved');
    const id = random.shuffled(papers)[0];
    const review = (body: object) => world.call(world.administrator, 'POST /admin/review', { body });
    const record = id === undefined ? { kind: 'profile', id: registration.profileId } : { kind: 'document', id };
    await review({ ...record, decision: random.pick(['changes', 'changes', 'cancel']), note: random.pick(reasons) });
    yield;
    if (!isApproved) {
      await decide(world, stage, registration, { decision: 'approve' });
      yield;
    }
    await review({ ...record, decision: 'approve' });
    yield;
    const [licence] = registration.applicationIds.flatMap((of) => model.applications.get(of) ?? []);
    if (licence && random.next() < 0.5) await decideOn(world, random, licence, 'cancel');
    yield;
    if (registration.status === 'submitted') await decide(world, stage, registration, { decision: 'approve' });
  }),
  story('an intake closes', async function* (world, random) {
    const stage = await anOpenEvent(world, random, (event) => registrationsOf(world.auditor.model, event.id).length === 0);
    if (!stage) return;
    const { event, organizer } = stage;
    const first = await anEntrant(world, random, event);
    const registration = first && (await enter(world, random, first, event));
    const closesAt = world.now.getTime() + 120 * minuteMs;
    const opensAt = Math.min(event.settings?.opensAt ?? closesAt, world.now.getTime());
    const dates = { opens_at: new Date(opensAt).toISOString(), closes_at: new Date(closesAt).toISOString() };
    const body = { ...dates, classes: [name, otherName] };
    await world.call(organizer, 'PUT /events/{id}/registration-settings', { params: { id: event.id }, body });
    if (registration) await decide(world, stage, registration, { decision: 'return', reason: random.pick(reasons) });
    yield;
    for (const instant of [closesAt - 20 * minuteMs, closesAt + 20 * minuteMs]) {
      await world.passTo(new Date(instant).toISOString());
      const late = await anEntrant(world, random, event);
      if (late) await enter(world, random, late, event);
      yield;
    }
    // Until the start, also after the intake (REG-5).
    if (registration) await enterAgain(world, random, registration);
  }),
  story('a competition with registrations in all states is cancelled', async function* (world, random) {
    const stage = await anOpenEvent(world, random, (event) => registrationsOf(world.auditor.model, event.id).filter(isLive).length < 3);
    if (!stage) return;
    for (const body of random.shuffled([
      { decision: 'approve', start_number: '7' },
      { decision: 'return', reason: random.pick(reasons) },
      { decision: 'reject', reason: random.pick(reasons) },
    ])) {
      const athlete = await anEntrant(world, random, stage.event);
      const registration = athlete && (await enter(world, random, athlete, stage.event));
      if (registration) await decide(world, stage, registration, body);
    }
    yield;
    const reason = { reason: 'Трасса закрыта из-за паводка.' };
    await world.call(world.administrator, 'POST /events/{id}/cancel', { params: { id: stage.event.id }, body: reason });
    yield;
    for (const registration of registrationsOf(world.auditor.model, stage.event.id).slice(-3)) {
      await decide(world, stage, registration, { decision: 'approve' });
      const owner = await presentAt(world, athleteOf(world.auditor.model, registration));
      if (owner) await world.call(owner, 'POST /event-registrations/{id}/withdraw', { params: { id: registration.id } });
    }
  }),
];

/** Sets the intake with one class that has a waiting list. @returns whether it was accepted */
async function setClass(world: World, random: Random, { event, organizer }: Stage, capacity: number): Promise<boolean> {
  const limited = { name, capacity, waiting_list: true, offer_hours: random.pick([1, 24, 48]) };
  const opensAt = Math.min(event.settings?.opensAt ?? world.now.getTime(), world.now.getTime());
  const body = { opens_at: new Date(opensAt).toISOString(), classes: [limited, { ...limited, name: otherName }] };
  const { status } = await world.call(organizer, 'PUT /events/{id}/registration-settings', { params: { id: event.id }, body });
  return status === 200;
}

function holderOf({ auditor: { model } }: World, event: Event): Registration | undefined {
  return registrationsOf(model, event.id).find((one) => one.class === name && isPlaced(one));
}

/** Brings a registration to where it can leave its place in this way, and lets it. */
async function leave(world: World, random: Random, stage: Stage, registration: Registration, way: (typeof ways)[number]): Promise<void> {
  const owner = await presentAt(world, athleteOf(world.auditor.model, registration));
  if (!owner) return;
  const ofAthlete = (action: 'accept' | 'withdraw') =>
    world.call(owner, `POST /event-registrations/{id}/${action}`, { params: { id: registration.id } });
  const isOffered = registration.status === 'offered';
  if (way === 'missed' || way === 'refused' || way === 'accepted') {
    if (!isOffered) await ofAthlete('withdraw');
    const offered = isOffered ? registration : holderOf(world, stage.event);
    if (offered?.status !== 'offered') return;
    if (way === 'missed') await world.passTo(new Date((offered.offeredUntil ?? 0) + minuteMs).toISOString());
    else {
      const by = await presentAt(world, athleteOf(world.auditor.model, offered));
      const action = way === 'accepted' ? 'accept' : 'withdraw';
      if (by) await world.call(by, `POST /event-registrations/{id}/${action}`, { params: { id: offered.id } });
    }
    return;
  }
  if (isOffered) await ofAthlete('accept');
  if (way === 'rejected') await decide(world, stage, registration, { decision: 'reject', reason: random.pick(reasons) });
  else if (way === 'moved') {
    await decide(world, stage, registration, { decision: 'return', reason: random.pick(reasons) });
    await enterAgain(world, random, registration, { class: 'Абсолют' });
  } else {
    if (random.next() < 0.5) await decide(world, stage, registration, { decision: 'approve' });
    await ofAthlete('withdraw');
  }
}

/** The athlete of a registration that has ended submits another, which waits at the end of the line. */
async function enterAnew(world: World, random: Random, { profileId, eventId }: Registration): Promise<void> {
  const { model } = world.auditor;
  const [profile, event] = [model.profiles.get(profileId), model.events.get(eventId)];
  const owner = profile && (await presentAt(world, profile.ownerId));
  if (event && owner) await enter(world, random, { owner, profile }, event, { class: name });
}

export async function decide(world: World, { event, organizer }: Stage, { id }: Registration, body: object): Promise<void> {
  const params = { id: event.id, registration_id: id };
  await world.call(organizer, 'PATCH /events/{id}/registrations/{registration_id}', { params, body });
}

/** Both sides write, and read what the other wrote. */
async function talk(world: World, { organizer }: Stage, { owner }: Athlete, { id }: Registration): Promise<void> {
  const sides = [
    ['athlete', owner],
    ['organizer', organizer],
    ['athlete', owner],
  ] as const;
  for (const [perspective, by] of sides) {
    const params = { perspective, id };
    await world.call(by, 'POST /messenger/{perspective}/registrations/{id}/messages', {
      params,
      body: { message: `Қашан тексеріледі? ${world.nextMark()}` },
    });
  }
  await world.auditor.askAfterStep();
  for (const [perspective, by] of sides.slice(0, 2)) {
    const call = { params: { perspective, id } };
    await world.call(by, 'GET /messenger/{perspective}/registrations/{id}', call);
    await world.call(by, 'POST /messenger/{perspective}/registrations/{id}/read', { ...call, body: {} });
    await world.auditor.askAfterStep();
  }
}
