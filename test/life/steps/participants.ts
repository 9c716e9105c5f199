import type { Random } from '../../support/random.ts';
import type { Event } from '../auditor/competitions/competition-records.ts';
import { fits } from '../auditor/registrations/eligibility.ts';
import type { Application } from '../auditor/applications/application-records.ts';
import type { Participant } from '../auditor/registrations/registration-records.ts';
import { organizerOf } from '../auditor/registrations/registrations-of.ts';
import type { Person, World } from '../world.ts';
import { anyone } from './athletes.ts';
import { oneOf, type Step, weighted } from './step.ts';

const adding = 'POST /events/{id}/participants';

/** Organizers who enter participants by their certificates, and their results. */
export const participantSteps: readonly Step[] = [
  {
    name: 'an organizer enters a participant',
    weight: 9,
    async take(world, random) {
      const entry = anEntry(world, random);
      if (!entry) return;
      const { event, organizer, application } = entry;
      const by = random.next() < 0.95 ? organizer : anyone(world, random);
      const body = { certificate: reference(world, application, random), ...fields(random) };
      if (by) await world.call(by, adding, { params: { id: event.id }, body });
    },
  },
  {
    name: 'an organizer enters a participant at once in two tabs',
    weight: 0.7,
    async take(world, random) {
      const entry = anEntry(world, random);
      if (!entry) return;
      const { event, organizer, application } = entry;
      const body = { certificate: application.certificate?.number };
      await world.race([1, 2].map(() => ({ by: organizer, operation: adding, call: { params: { id: event.id }, body } })));
    },
  },
  onParticipant('an organizer changes a result', 4, async (world, organizer, { eventId, applicationId }, random) => {
    const params = { id: eventId, application_id: applicationId };
    await world.call(organizer, 'PATCH /events/{id}/participants/{application_id}', { params, body: fields(random) });
  }),
  onParticipant('an organizer removes a participant', 1, async (world, organizer, { eventId, applicationId }) => {
    const params = { id: eventId, application_id: applicationId };
    await world.call(organizer, 'DELETE /events/{id}/participants/{application_id}', { params });
  }),
];

/** A competition with its organizer, and a certificate: mostly one that fits. */
function anEntry(world: World, random: Random): { event: Event; organizer: Person; application: Application } | null {
  const { model, inquiry } = world.auditor;
  const events = [...model.events.values()];
  const shown = events.filter(({ status }) => status === 'published');
  const event = oneOf(random, shown.length > 0 && random.next() < 0.95 ? shown : events);
  const organizer = event && inquiry.personOf(organizerOf(model, event.id));
  if (!event || !organizer) return null;
  const issued = [...model.applications.values()].filter(({ certificate }) => certificate !== null);
  const fitting = issued.filter((one) => fits(model, one, { event, profileId: one.profileId, applicationIds: [], paperIds: [] }));
  const application = oneOf(random, fitting.length > 0 && random.next() < 0.85 ? fitting : issued);
  return application ? { event, organizer, application } : null;
}

/** The certificate as people read it: its number, its code or the link of its QR; sometimes of another host, or unknown. */
function reference(world: World, { certificate }: Application, random: Random): string {
  const { number = '', token = '' } = certificate ?? {};
  const link = `${world.registry.url}/v/${token}`;
  return weighted(random, [
    [number, 5],
    [number.toLowerCase(), 1],
    [token, 2],
    [link, 2],
    [`${link}#abc`, 1],
    [`${link}).`, 0.5],
    [`https://example.kz/v/${token}`, 0.7],
    ['KZ-N-2027-999999', 0.7],
  ]);
}

function fields(random: Random): Record<string, unknown> {
  const one = <T>(choices: readonly [T, number][]) => weighted(random, choices);
  return {
    ...one<Record<string, unknown>>([
      [{ category: random.pick(['Абсолют', 'Юниор']) }, 3],
      [{}, 1],
      [{ category: null }, 0.3],
    ]),
    ...one<Record<string, unknown>>([
      [{ start_number: random.between(1, 99) }, 2],
      [{ start_number: '7A' }, 1],
      [{}, 1],
    ]),
    ...one<Record<string, unknown>>([
      [{ result_status: random.pick(['finished', 'dnf', 'dns', 'dsq']), place: random.between(1, 9) }, 2],
      [{}, 2],
      [{ place: null }, 0.5],
    ]),
    ...one<Record<string, unknown>>([
      [{ result: `1:0${random.between(0, 9)}:33.4` }, 1],
      [{}, 1],
    ]),
  };
}

function onParticipant(
  name: string,
  weight: number,
  take: (world: World, organizer: Person, participant: Participant, random: Random) => Promise<unknown>,
): Step {
  return {
    name,
    weight,
    async take(world, random) {
      const { model, inquiry } = world.auditor;
      const participant = oneOf(random, model.participants.values());
      const organizer = participant && inquiry.personOf(organizerOf(model, participant.eventId));
      if (participant && organizer) await take(world, organizer, participant, random);
    },
  };
}
