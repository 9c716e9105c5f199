import { setTimeout } from 'node:timers/promises';
import type { Random } from '../../support/random.ts';
import { addDays } from '../auditor/days.ts';
import { makeDocument, makePhoto } from '../papers.ts';
import { passwordOf, renewing, signIn } from '../sign-in.ts';
import { Listener } from '../listeners.ts';
import { signInElsewhere } from '../steps/accounts.ts';
import { linkPhone } from '../steps/messages/bot.ts';
import { makeProgram } from '../steps/programs.ts';
import { repeatLost } from '../steps/repeats.ts';
import type { Step } from '../steps/step.ts';
import { others, transfer } from '../steps/transfers.ts';
import { approveLicence } from '../steps/verification/sharing.ts';
import { type Person, type World } from '../world.ts';
import { type Athlete, anApplicant, anAthlete, anEntrant, anOpenEvent, anOrganizer, aPerson, enter, presentAt } from './cast.ts';
import { review } from './papers.ts';
import { story } from './story.ts';

const [minuteMs, hourMs] = [60_000, 3_600_000];
/** A delivery that was under way when its receiver asked for a pause, or when the clock jumped, comes still; a later one does not (WHK-5). */
const underWayMs = 6_500;
const scopes = ['profiles:read', 'profiles:write', 'notifications:read', 'notifications:write', 'changes:read', 'webhooks:write'];

export const accountStories: readonly Step[] = [
  story('an account is blocked with all that it has', async function* (world, random) {
    const athlete = await anAthlete(world, random);
    if (!athlete) return;
    const { owner, profile } = athlete;
    const holders = await equip(world, random, owner);
    const paper = await makeDocument(world, owner, profile.id, 'medical', addDays(world.auditor.inquiry.today, 300));
    yield;
    await setStatus(world, owner, 'blocked');
    yield;
    await actAll(world, random, holders);
    if (paper !== null) await review(world, random, 'document', paper, random.pick(['approve', 'changes'] as const));
    await review(world, random, 'profile', profile.id, 'changes');
    yield;
    await world.passTo(new Date(world.now.getTime() + 10 * minuteMs).toISOString());
    await setStatus(world, owner, 'active');
    yield;
    await actAll(world, random, holders);
    await signIn(world, owner);
  }),
  story('a new password ends what it must', async function* (world, random) {
    const person = await aPerson(world, random);
    if (!person) return;
    const holders = await equip(world, random, person);
    yield;
    const password = `a-new-long-secret-${random.between(1000, 9999)}`;
    const kept = random.pick<{ keep_api_keys?: boolean }>([{}, { keep_api_keys: true }, { keep_api_keys: false }]);
    const body = { current_password: passwordOf(world, person), password, ...kept };
    const { status } = await renewing(person, world.call(person, 'POST /auth/password', { body }));
    if (status === 200) person.client.password = password;
    yield;
    await actAll(world, random, holders);
    yield;
    const athlete = await anAthlete(world, random, person);
    if (athlete) await review(world, random, 'profile', athlete.profile.id, 'changes');
  }),
  story('a person and the federation write to each other', async function* (world, random) {
    const person = await aPerson(world, random);
    if (!person) return;
    const by = world.administrator;
    const params = { user_id: person.accountId };
    const message = () => ({ message: `Сәлеметсіз бе! ${world.nextMark()}` });
    const first = await world.call(person, 'POST /chat/messages', { body: message() });
    await world.call(person, 'POST /chat/messages', { body: message() });
    yield;
    const upTo = first.status === 201 && random.next() < 0.6 ? { up_to_id: first.data.id } : {};
    await world.call(by, 'POST /admin/chats/{user_id}/read', { params, body: upTo });
    yield;
    for (let left = random.between(1, 2); left > 0; left -= 1)
      await world.call(by, 'POST /admin/chats/{user_id}/messages', { params, body: message() });
    yield;
    if (random.next() < 0.5) await world.call(person, 'POST /chat/read', { body: {} });
    yield;
    await world.call(person, 'POST /chat/messages', { body: message() });
    await world.call(by, 'POST /admin/chats/{user_id}/read', { params, body: {} });
  }),
  story('a person reads and marks their notifications', async function* (world, random) {
    const athlete = await anAthlete(world, random);
    if (!athlete) return;
    const { owner } = athlete;
    yield;
    const list = await world.call(owner, 'GET /notifications', { query: '?limit=100' });
    if (list.status !== 200) return;
    const rows = list.data as { id: number }[];
    const marked = random.shuffled(rows).slice(0, 2);
    for (const { id } of [...marked, ...marked]) await world.call(owner, 'POST /notifications/{id}/read', { params: { id } });
    yield;
    const middle = rows[Math.floor(rows.length / 2)];
    if (middle) await world.call(owner, 'POST /notifications/read', { body: { up_to_id: middle.id } });
    yield;
    await review(world, random, 'profile', athlete.profile.id, 'changes');
    yield;
    const stranger = await aPerson(world, random, ({ accountId }) => accountId !== owner.accountId);
    const [newest] = rows;
    if (stranger && newest) await world.call(stranger, 'POST /notifications/{id}/read', { params: { id: newest.id } });
  }),
  story('the receiver of a webhook has every mood', async function* (world, random) {
    const athlete = await anAthlete(world, random);
    if (!athlete) return;
    const { owner } = athlete;
    const receiver = world.registry.receivers.make(random.seed);
    const { password } = owner.client;
    const made = await world.call(owner, 'POST /webhooks', { body: { url: receiver.url, types: ['*'], password } });
    if (made.status >= 300) return;
    const call = { params: { id: made.data.id } };
    yield;
    for (const mood of ['pausing', ...random.shuffled(['moody', 'choosy', 'dead'] as const).slice(0, 2), 'gone', 'good'] as const) {
      receiver.mood = mood;
      if (mood === 'good') await world.call(owner, 'PATCH /webhooks/{id}', { ...call, body: { enabled: true, password } });
      for (let left = 3; left > 0; left -= 1) await makeFact(world, athlete);
      if (mood === 'pausing') {
        yield;
        await setTimeout(underWayMs);
        await makeFact(world, athlete);
        await setTimeout(underWayMs);
      }
      for (let left = random.between(0, 3); left > 0; left -= 1) await world.call(owner, 'POST /webhooks/{id}/test', call);
      yield;
      await world.passTo(new Date(world.now.getTime() + random.pick([3 * minuteMs, hourMs])).toISOString());
      await makeFact(world, athlete);
      yield;
    }
    await world.call(owner, 'POST /webhooks/{id}/secret', call);
    await makeFact(world, athlete);
    yield;
    await world.call(owner, 'DELETE /webhooks/{id}', call);
    await makeFact(world, athlete);
  }),
];

export const transferStories: readonly Step[] = [
  story('an athlete with all that they have is transferred', async function* (world, random) {
    const cast = await anApplicant(world, random, 'international_licence');
    if (!cast) return;
    const { owner, profile, application } = cast;
    const id = application.id;
    await world.call(owner, 'PUT /applications/{id}/sharing', { params: { id }, body: { enabled: true, confirmed: true } });
    await approveLicence(world, application, world.auditor.inquiry.today);
    const unpaid = await world.call(owner, 'POST /applications', {
      body: { profile_id: profile.id, service_id: application.serviceId, document_ids: [], data: {} },
    });
    yield;
    await world.call(owner, 'PUT /applications/{id}/sharing', { params: { id }, body: { enabled: true, confirmed: true } });
    await makeDocument(world, owner, profile.id, 'driver', addDays(world.auditor.inquiry.today, 300));
    yield;
    yield* moveToAndFro(world, random, cast, [
      ['GET /profiles/{id}', profile.id],
      ['GET /applications/{id}', id],
      ['GET /applications/{id}/certificate', id],
      ['GET /applications/{id}/timeline', id],
      ['GET /documents/{id}', application.documentIds[0] ?? 0],
      ['GET /files/{id}', profile.photoId ?? ''],
      ['POST /applications/{id}/submit', unpaid.data?.id ?? id],
      ['POST /applications/{id}/pay', unpaid.data?.id ?? id],
    ]);
  }),
  story('an athlete with a registration is transferred', async function* (world, random) {
    const stage = await anOpenEvent(world, random);
    const athlete = stage && (await anEntrant(world, random, stage.event));
    const registration = athlete && (await enter(world, random, athlete, stage.event));
    if (!registration) return;
    const params = { perspective: 'athlete', id: registration.id };
    await world.call(athlete.owner, 'POST /messenger/{perspective}/registrations/{id}/messages', {
      params,
      body: { message: `Қашан тексеріледі? ${world.nextMark()}` },
    });
    yield;
    yield* moveToAndFro(world, random, athlete, [
      ['GET /event-registrations/{id}', registration.id],
      ['GET /event-registrations/{id}/timeline', registration.id],
      ['POST /event-registrations/{id}/withdraw', registration.id],
    ]);
  }),
  story('an organizer with a competition is transferred', async function* (world, random) {
    const stage = await anOpenEvent(world, random);
    const profile = stage && world.auditor.model.profiles.get(stage.event.profileId);
    const cast = profile ? { owner: stage.organizer, profile } : await anOrganizer(world, random);
    if (!cast || !stage) return;
    const { id } = stage.event;
    yield* moveToAndFro(world, random, cast, [
      ['GET /events/{id}', id],
      ['GET /events/{id}/registrations', id],
      ['GET /events/{id}/participants', id],
      ['GET /events/{id}/additional-documents', id],
      ['GET /events/{id}/registration-settings', id],
    ]);
  }),
];

/** A second browser, a program, a webhook, a telephone and an open stream of an account. @returns who can act for it */
async function equip(world: World, random: Random, person: Person): Promise<Person[]> {
  const elsewhere = await signInElsewhere(world, person);
  const program = await makeProgram(world, person, scopes, random);
  const { url } = world.registry.receivers.make(random.seed);
  await world.call(person, 'POST /webhooks', { body: { url, types: ['registry.profile.*'], password: person.client.password } });
  if (world.auditor.model.bot.links.get(person.accountId) === undefined) await linkPhone(world, random, person);
  const listener = await Listener.open(world.registry.url, world.callerOf(person), person.client.cookie ?? '');
  if (listener) world.listeners.push(listener);
  return [person, ...(elsewhere ? [elsewhere] : []), ...(program ? [program] : [])];
}

/** Everyone who holds a session or a key of an account reads and writes with it. */
async function actAll(world: World, random: Random, holders: readonly Person[]): Promise<void> {
  for (const holder of holders) {
    // A copy: a person whose session is over does not sign in again here.
    const by = { ...holder, name: `${holder.name} as before` };
    await world.call(by, 'GET /account');
    await world.call(by, 'GET /notifications');
    await world.call(by, 'PATCH /account', { body: { language: random.pick(['ru', 'kk', 'en']) } });
  }
}

async function setStatus(world: World, { accountId }: Person, status: 'active' | 'blocked'): Promise<void> {
  const body = { status, password: passwordOf(world, world.administrator) };
  await world.call(world.administrator, 'PATCH /admin/users/{id}', { params: { id: accountId }, body });
}

/** Two facts of two records: a webhook delivers those of one record one after another. */
async function makeFact(world: World, { owner, profile }: Athlete): Promise<void> {
  const city = `Талдықорған, Рудный ${world.nextMark()}`.normalize('NFD');
  await world.call(owner, 'PATCH /profiles/{id}', { params: { id: profile.id }, body: { data: { city } } });
  await makePhoto(world, owner);
}

/** Transfers a profile to another account and back; the former and the new owner try its records each time. */
async function* moveToAndFro(
  world: World,
  random: Random,
  { owner, profile }: Athlete,
  attempts: readonly (readonly [operation: string, id: number | string])[],
) {
  // What happened before is the former owner's.
  yield;
  const target = random.shuffled(others(world, profile))[0];
  const by = world.administrator;
  for (const to of [target?.id, owner.accountId]) {
    if (to === undefined) return;
    const body = {
      current_user_id: profile.ownerId,
      target_user_id: to,
      reason: 'The athlete has another coach now.',
      password: passwordOf(world, by),
    };
    const { status } = await world.call(by, transfer, { params: { id: profile.id }, body });
    if (status !== 200) return;
    yield;
    for (const accountId of random.shuffled([owner.accountId, target?.id])) {
      const person = await presentAt(world, accountId);
      if (!person) continue;
      for (const [operation, id] of attempts) await world.call(person, operation, { params: { id } });
    }
    yield;
    await repeatLost(world, random);
    yield;
  }
}
