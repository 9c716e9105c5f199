import type { Random } from '../../support/random.ts';
import { isLiving } from '../auditor/applications/ends.ts';
import type { Application, Profile, Service } from '../auditor/applications/application-records.ts';
import { mostProfiles } from '../auditor/applications/profile-judgement.ts';
import type { Event } from '../auditor/competitions/competition-records.ts';
import { isLivingEvent } from '../auditor/competitions/competitions-of.ts';
import { foreignPapers, judgeEligibility } from '../auditor/registrations/eligibility.ts';
import { bestClaim } from '../auditor/registrations/registration-options.ts';
import type { Registration } from '../auditor/registrations/registration-records.ts';
import { isIntakeOpen, isLive, organizerOf, registrationsOf } from '../auditor/registrations/registrations-of.ts';
import { approve, approvedDocument, bringInOrder, certify } from '../certify.ts';
import { iinOf, wordOf } from '../marks.ts';
import { makePhoto } from '../papers.ts';
import { datesAhead, publishEvent } from '../publish.ts';
import { signIn } from '../sign-in.ts';
import { register } from '../steps/athletes.ts';
import { organizerData } from '../steps/organizers/organizer-acts.ts';
import { license } from '../steps/organizers/seasons.ts';
import { again, rowOf, send } from '../steps/registrations.ts';
import { oneOf } from '../steps/step.ts';
import type { Person, World } from '../world.ts';

/** Who and what a story needs: what the life has, else new, made by the acts of its steps. Null where the life does not allow it. */

export interface Athlete {
  owner: Person;
  profile: Profile;
}

/** The holder of an account, who signs in again where the session is over. */
export async function presentAt(world: World, accountId: number | undefined): Promise<Person | null> {
  const { inquiry } = world.auditor;
  const person = accountId === undefined ? undefined : inquiry.personOf(accountId);
  if (!person || !inquiry.isActive(person)) return null;
  if (inquiry.isSignedOut(person)) await signIn(world, person);
  return inquiry.isSignedOut(person) ? null : person;
}

/** More than the steps of a life register: each may have a few profiles, and most stories make one. */
const mostPeople = 20;

/** Anybody of the people who can act, with room for one more profile; a new one where none is left. */
export async function aPerson(world: World, random: Random, isFitting: (person: Person) => boolean = () => true): Promise<Person | null> {
  const { model, inquiry } = world.auditor;
  const hasRoom = ({ accountId }: Person) =>
    [...model.profiles.values()].filter(({ ownerId }) => ownerId === accountId).length < mostProfiles;
  const active = () => world.people.filter((one) => inquiry.isActive(one) && hasRoom(one) && isFitting(one));
  if (active().length === 0) await register(world, mostPeople);
  return presentAt(world, oneOf(random, active())?.accountId);
}

/** A new athlete with approved data and photo. */
export async function anAthlete(world: World, random: Random, owner?: Person): Promise<Athlete | null> {
  const by = owner ?? (await aPerson(world, random));
  if (!by) return null;
  const mark = world.nextMark();
  const birthDate = `19${random.between(75, 99)}-0${random.between(1, 9)}-12`;
  const data = {
    last_name: `Сапаров-${wordOf(mark)}`,
    first_name: 'Тимур',
    birth_date: birthDate,
    ...(random.next() < 0.5 ? { iin: iinOf(birthDate, mark), phone: `+7705${1_000_000 + mark}` } : {}),
    gender: 'male',
    citizenship: 'KZ',
    city: 'Алматы',
  };
  const made = await world.call(by, 'POST /profiles', { body: { kind: 'athlete', data, photo_id: await makePhoto(world, by) } });
  const profile = made.status === 201 ? world.auditor.model.profiles.get(made.data.id) : undefined;
  if (!profile) return null;
  await bringInOrder(world, by, profile);
  return { owner: by, profile };
}

/** An organizer whose profile is approved. */
export async function anOrganizer(world: World, random: Random): Promise<Athlete | null> {
  const { model } = world.auditor;
  const approved = [...model.profiles.values()].filter(({ kind, data }) => kind === 'organizer' && data.status === 'approved');
  const known = oneOf(random, approved);
  const holder = known && (await presentAt(world, known.ownerId));
  if (known && holder) return { owner: holder, profile: known };
  const owner = await aPerson(world, random);
  if (!owner) return null;
  const made = await world.call(owner, 'POST /profiles', {
    body: { kind: 'organizer', data: organizerData(world, 'Жетісу автоспорты') },
  });
  const profile = made.status === 201 ? model.profiles.get(made.data.id) : undefined;
  if (!profile) return null;
  await world.call(owner, 'POST /profiles/{id}/submit', { params: { id: profile.id } });
  await approve(world, 'profile', profile.id);
  return { owner, profile };
}

export interface Stage {
  event: Event;
  organizer: Person;
}

/** A competition that takes registrations for some weeks. @param isFitting of those that the life has */
export async function anOpenEvent(world: World, random: Random, isFitting: (event: Event) => boolean = () => true): Promise<Stage | null> {
  const { model } = world.auditor;
  const soon = world.now.getTime() + 12 * 86_400_000;
  const open = [...model.events.values()].filter(
    (one) => isIntakeOpen(one, world.now) && isLivingEvent(one) && one.startsAt > soon && isFitting(one),
  );
  const known = oneOf(random, open);
  const holder = known && (await presentAt(world, organizerOf(model, known.id)));
  if (known && holder) return { event: known, organizer: holder };
  const cast = await anOrganizer(world, random);
  if (!cast) return null;
  const fields = { discipline_id: random.between(1, 3), ...datesAhead(world, random) };
  const id = await publishEvent(world, random, cast.owner, cast.profile.id, fields);
  const event = id === null ? undefined : model.events.get(id);
  return event?.status === 'published' ? { event, organizer: cast.owner } : null;
}

/** An athlete who can register for an event, and has no live registration there. */
export async function anEntrant(world: World, random: Random, event: Event): Promise<Athlete | null> {
  const { model, inquiry } = world.auditor;
  const isFree = (id: number) => !registrationsOf(model, event.id).some((one) => one.profileId === id && isLive(one));
  const athletes = [...model.profiles.values()].filter(
    ({ id, kind, data, ownerId }) =>
      kind === 'athlete' && data.status === 'approved' && isFree(id) && model.accounts.get(ownerId)?.status === 'active',
  );
  const ready = athletes.filter((one) => judgeEligibility(model, bestClaim(model, event, one), inquiry.today).ok);
  const known = oneOf(random, ready);
  const holder = known && (await presentAt(world, known.ownerId));
  if (known && holder) return { owner: holder, profile: known };
  const athlete = await anAthlete(world, random);
  if (!athlete) return null;
  if (random.next() < 0.6) for (const type of foreignPapers) await approvedDocument(world, athlete.owner, athlete.profile.id, type, 300);
  else await license(world, athlete.owner, athlete.profile, event);
  // The registry issues a certificate by itself.
  await world.auditor.askAfterStep();
  return athlete;
}

/** Submits a registration. @returns it; null when its row is refused */
export async function enter(
  world: World,
  random: Random,
  { owner, profile }: Athlete,
  event: Event,
  fields: Record<string, unknown> = {},
): Promise<Registration | null> {
  const { model } = world.auditor;
  const sent = await send(world, owner, event.id, [{ ...rowOf(world, event, profile, random), crew: [], ...fields }], true);
  const id = sent.status === 200 && sent.data.results[0].ok ? sent.data.results[0].id : 0;
  return model.registrations.get(id) ?? null;
}

/** Submits a registration again, as its athlete would send it now. */
export async function enterAgain(world: World, random: Random, registration: Registration, fields: Record<string, unknown> = {}) {
  const { model } = world.auditor;
  const owner = await presentAt(world, model.profiles.get(registration.profileId)?.ownerId);
  if (owner) await send(world, owner, registration.eventId, [{ ...again(world, registration, random), ...fields }], true);
}

/** A service of a kind that athletes can apply for. */
export function aService(world: World, random: Random, kind: Service['kind']): Service | undefined {
  const { services } = world.auditor.model;
  const sold = [...services.values()].filter((one) => one.kind === kind && one.profileKind === 'athlete' && one.isActive);
  return oneOf(random, sold);
}

/** A new athlete with a paid application of a kind; a national certificate is issued at once. */
export async function anApplicant(
  world: World,
  random: Random,
  kind: Service['kind'],
  days = 500,
): Promise<(Athlete & { application: Application; service: Service }) | null> {
  const service = aService(world, random, kind);
  const athlete = service && (await anAthlete(world, random));
  if (!athlete) return null;
  const disciplineId = oneOf(random, service.disciplineIds);
  const id = await certify(world, athlete.owner, athlete.profile, { service, disciplineId, days });
  const application = id === null ? undefined : world.auditor.model.applications.get(id);
  return application && isLiving(application) ? { ...athlete, application, service } : null;
}
