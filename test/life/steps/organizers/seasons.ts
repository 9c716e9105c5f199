import type { Event } from '../../auditor/competitions/competition-records.ts';
import { fits, judgeEligibility } from '../../auditor/registrations/eligibility.ts';
import { bestClaim } from '../../auditor/registrations/registration-options.ts';
import type { Registration } from '../../auditor/registrations/registration-records.ts';
import { isIntakeOpen, isLive, organizerOf, registrationsOf } from '../../auditor/registrations/registrations-of.ts';
import type { Profile } from '../../auditor/applications/application-records.ts';
import { certify } from '../../certify.ts';
import { anotherTerm, approveStage, datesAhead, publishEvent, returnStage } from '../../publish.ts';
import type { Person, World } from '../../world.ts';
import { attachFile, submitStage, tryWhatIsOver } from './organizer-acts.ts';
import { rowOf } from '../registrations.ts';
import { oneOf, type Step } from '../step.ts';

const dayMs = 86_400_000;
/** So many competitions take registrations at once. */
const mostOpen = 2;
/** Participants that are entered for results. */
const mostEntries = 3;
const noClaim = { applicationIds: [], paperIds: [] };

/** Seasons: without these steps, in which all do the right thing, most competitions of a life would end as drafts. */
export const seasonSteps: readonly Step[] = [
  {
    name: 'an organizer publishes a competition',
    weight: 8,
    async take(world, random) {
      const { model, inquiry } = world.auditor;
      if (openEvents(world).length >= mostOpen) return;
      const organizers = [...model.profiles.values()].filter(({ kind, data }) => kind === 'organizer' && data.status === 'approved');
      const profile = oneOf(random, organizers);
      const owner = profile && presentOwner(world, profile);
      if (!profile || !owner) return;
      const licensed = [...model.applications.values()].flatMap(({ certificate, disciplineId, year }) =>
        certificate !== null && disciplineId !== null && year >= Number(inquiry.today.slice(0, 4)) ? [disciplineId] : [],
      );
      const discipline = oneOf(random, licensed) ?? random.between(1, 3);
      const changed = random.next() < 0.4 ? anotherTerm(world, random) : undefined;
      const detours = { scan: random.next() < 0.3, details: random.next() < 0.3, ...(changed && { changed }) };
      await publishEvent(world, random, owner, profile.id, { discipline_id: discipline, ...datesAhead(world, random) }, detours);
    },
  },
  {
    name: 'an athlete with a licence registers and is approved',
    weight: 10,
    async take(world, random) {
      const { model, inquiry } = world.auditor;
      const event = oneOf(random, openEvents(world));
      if (!event) return;
      const isRegistered = (id: number) => registrationsOf(model, event.id).some((one) => one.profileId === id && isLive(one));
      const athletes = [...model.profiles.values()].filter(({ id, kind }) => kind === 'athlete' && !isRegistered(id));
      const isReady = (one: Profile) => judgeEligibility(model, bestClaim(model, event, one), inquiry.today).ok;
      const ready = athletes.filter(isReady);
      const profile = oneOf(random, ready.length > 0 ? ready : athletes);
      const owner = profile && presentOwner(world, profile);
      if (!profile || !owner) return;
      if (ready.length === 0) await license(world, owner, profile, event);
      const send = (submit: boolean) =>
        world.call(owner, 'POST /events/{id}/registrations/batch', {
          params: { id: event.id },
          body: { registrations: [rowOf(world, event, profile, random)], submit },
        });
      const ownIn = (status: Registration['status']) =>
        registrationsOf(model, event.id).find((one) => one.profileId === profile.id && one.status === status);
      if (random.next() < 0.3) {
        await send(false);
        const draft = ownIn('draft');
        if (draft) await world.call(owner, 'POST /event-registrations/{id}/withdraw', { params: { id: draft.id } });
        await world.auditor.askAfterStep();
      }
      await send(true);
      const registration = ownIn('submitted');
      const organizer = inquiry.personOf(organizerOf(model, event.id));
      if (!registration || !organizer) return;
      // The organizer is told how many wait before the decision.
      await world.auditor.askAfterStep();
      await world.call(organizer, 'PATCH /events/{id}/registrations/{registration_id}', {
        params: { id: event.id, registration_id: registration.id },
        body: { decision: 'approve' },
      });
    },
  },
  {
    name: 'a competition ends with its results',
    weight: 3,
    async take(world, random) {
      const { model } = world.auditor;
      const soon = world.now.getTime() + 60 * dayMs;
      const event = oneOf(
        random,
        [...model.events.values()].filter(({ status, endsAt }) => status === 'published' && endsAt < soon),
      );
      const owner = event && world.auditor.inquiry.personOf(organizerOf(model, event.id));
      if (!event || !owner) return;
      await world.passTo(new Date(event.endsAt - 600_000).toISOString());
      if (world.now.getTime() < event.endsAt) {
        await attachFile(world, owner, event.id, 'results');
        await submitStage(world, owner, event.id, 'results');
      }
      await world.passTo(new Date(event.endsAt + 600_000).toISOString());
      const params = { id: event.id };
      const entries = [...model.applications.values()].filter((one) => fits(model, one, { ...noClaim, event, profileId: one.profileId }));
      for (const { certificate } of entries.slice(0, mostEntries))
        if (certificate) await world.call(owner, 'POST /events/{id}/participants', { params, body: { certificate: certificate.number } });
      await attachFile(world, owner, event.id, 'results');
      await submitStage(world, owner, event.id, 'results');
      if (random.next() < 0.3) await returnStage(world, owner, event.id, 'results');
      await approveStage(world, event.id, 'results');
      await tryWhatIsOver(world, event.id);
    },
  },
];

function openEvents(world: World): Event[] {
  return [...world.auditor.model.events.values()].filter((event) => isIntakeOpen(event, world.now));
}

/** The owner of a profile, when the account can act. */
function presentOwner({ auditor: { model, inquiry } }: World, { ownerId }: Profile): Person | undefined {
  return model.accounts.get(ownerId)?.status === 'active' ? inquiry.personOf(ownerId) : undefined;
}

/** A certificate of the event's discipline for the year in which it begins. */
export async function license(world: World, owner: Person, profile: Profile, { disciplineId, startsAt }: Event): Promise<void> {
  const service = [...world.auditor.model.services.values()].find(
    ({ kind, isActive, disciplineIds }) => kind === 'national_certificate' && isActive && disciplineIds.includes(disciplineId),
  );
  const year = new Date(startsAt + 5 * 3_600_000).getUTCFullYear();
  if (service) await certify(world, owner, profile, { service, disciplineId, year, days: 500 });
}
