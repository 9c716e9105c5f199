import type { Random } from '../../support/random.ts';
import { foreignPapers } from '../auditor/registrations/eligibility.ts';
import { isLiving } from '../auditor/applications/ends.ts';
import type { Profile, Service } from '../auditor/applications/application-records.ts';
import { addDays } from '../auditor/days.ts';
import { organizerOf } from '../auditor/registrations/registrations-of.ts';
import { approvedDocument, certify } from '../certify.ts';
import { makeDocument } from '../papers.ts';
import type { Person, World } from '../world.ts';
import { oneOf, type Step, weighted } from './step.ts';

/** What athletes need to register: certificates of this year and the next, papers of another federation; and what organizers ask for. */
export const licenceSteps: readonly Step[] = [
  {
    name: 'a careful athlete gets a certificate',
    weight: 9,
    async take(world, random) {
      const athlete = anAthlete(world, random, ({ id }) => !hasLicence(world, id));
      if (!athlete) return;
      const services = [...world.auditor.model.services.values()].filter(({ kind }) => kind === 'national_certificate');
      const service = oneOf(random, services);
      if (!service) return;
      const days = weighted(random, [
        [500, 6],
        [60, 2],
        [30, 1],
      ]);
      await certify(world, athlete.owner, athlete.profile, {
        service,
        disciplineId: disciplineOf(world, random, service.disciplineIds),
        days,
      });
    },
  },
  {
    name: 'a hasty athlete applies before the papers are decided on',
    weight: 9,
    async take(world, random) {
      const athlete = anAthlete(world, random, () => true);
      const services = [...world.auditor.model.services.values()].filter(
        ({ kind, profileKind }) => kind !== 'event_fee' && profileKind === 'athlete',
      );
      const service = oneOf(random, random.next() < 0.5 ? services.filter(({ kind }) => kind === 'national_certificate') : services);
      if (!athlete || !service) return;
      const disciplineId = disciplineOf(world, random, service.disciplineIds);
      await certify(world, athlete.owner, athlete.profile, { service, disciplineId, days: random.between(5, 400), isHasty: true });
    },
  },
  {
    name: 'an athlete pays and cancels before the decision',
    weight: 4,
    async take(world, random) {
      const { model } = world.auditor;
      const athlete = anAthlete(world, random, () => true);
      const isDecided = ({ kind, profileKind }: Service) =>
        profileKind === 'athlete' && (kind === 'international_licence' || kind === 'document');
      const service = oneOf(random, [...model.services.values()].filter(isDecided));
      if (!athlete || !service) return;
      const disciplineId = disciplineOf(world, random, service.disciplineIds);
      const id = await certify(world, athlete.owner, athlete.profile, { service, disciplineId, days: 500 });
      if (id === null) return;
      await world.call(athlete.owner, 'POST /applications/{id}/cancel', { params: { id }, body: { reason: 'The season is over for me.' } });
    },
  },
  {
    name: 'an athlete gets a certificate of the next year',
    weight: 2,
    async take(world, random) {
      const { inquiry, model } = world.auditor;
      const year = Number(inquiry.today.slice(0, 4)) + 1;
      if (inquiry.today < `${year - 1}-11-01`) return;
      const athlete = anAthlete(world, random, () => true);
      const service = oneOf(
        random,
        [...model.services.values()].filter(({ kind }) => kind === 'national_certificate'),
      );
      if (!athlete || !service) return;
      if (!model.baseIndexes.has(year))
        await world.call(world.administrator, 'PUT /admin/catalog/base-indexes/{year}', {
          params: { year },
          body: { amount_minor: 450_000 },
        });
      await certify(world, athlete.owner, athlete.profile, {
        service,
        disciplineId: disciplineOf(world, random, service.disciplineIds),
        year,
        days: 500,
      });
    },
  },
  {
    name: 'an athlete gets papers of another federation',
    weight: 4,
    async take(world, random) {
      const athlete = anAthlete(world, random, ({ data }) => data.status === 'approved');
      if (!athlete) return;
      const { owner, profile } = athlete;
      for (const type of foreignPapers) {
        const days = weighted(random, [
          [300, 5],
          [40, 2],
          [5, 1],
        ]);
        if (random.next() < 0.8) await approvedDocument(world, owner, profile.id, type, days);
        else if (random.next() < 0.5) await makeDocument(world, owner, profile.id, type, addDays(world.auditor.inquiry.today, days));
      }
    },
  },
  {
    name: 'a clerk returns a paper behind a registration',
    weight: 3,
    async take(world, random) {
      const { model } = world.auditor;
      const papers = [...model.registrations.values()].flatMap(({ snapshot, paperIds }) => [
        ...paperIds,
        ...snapshot.map(({ document_id: id }) => id),
      ]);
      const id = oneOf(random, new Set(papers));
      const document = id === undefined ? undefined : model.documents.get(id);
      if (!document) return;
      const body =
        document.status === 'approved'
          ? { kind: 'document', id: document.id, decision: 'changes', note: 'Көшірмесі анық емес.' }
          : { kind: 'document', id: document.id, decision: 'approve' };
      await world.call(world.administrator, 'POST /admin/review', { body });
    },
  },
  {
    name: 'an athlete changes a paper of a registration',
    weight: 2,
    async take(world, random) {
      const { model, inquiry } = world.auditor;
      const id = oneOf(random, new Set([...model.registrations.values()].flatMap(({ paperIds }) => paperIds)));
      const document = id === undefined ? undefined : model.documents.get(id);
      const owner = document && inquiry.personOf(model.profiles.get(document.profileId)?.ownerId ?? 0);
      if (!document || !owner) return;
      if (random.next() < 0.4) await world.call(owner, 'DELETE /files/{id}', { params: { id: document.fileId } });
      else
        await world.call(owner, 'PATCH /documents/{id}', {
          params: { id: document.id },
          body: { expires_at: addDays(inquiry.today, random.between(100, 400)) },
        });
    },
  },
  {
    name: 'an organizer sets what registrations need',
    weight: 3,
    async take(world, random) {
      const { model, inquiry } = world.auditor;
      const event = oneOf(
        random,
        [...model.events.values()].filter(({ status }) => status === 'published'),
      );
      const organizer = event && inquiry.personOf(organizerOf(model, event.id));
      if (!event || !organizer || world.now.getTime() >= event.startsAt) return;
      const closing = weighted(random, [
        [null, 4],
        [event.startsAt - 5 * dayMs, 2],
        [event.endsAt, 1],
      ]);
      const isClosing = closing !== null && closing > world.now.getTime();
      const body = {
        opens_at: new Date(Math.min(world.now.getTime(), event.startsAt - dayMs)).toISOString(),
        ...(isClosing ? { closes_at: new Date(closing).toISOString() } : {}),
        classes: weighted(random, [
          [['Абсолют', 'Юниор'], 3],
          [['Абсолют'], 1],
          [['Абсолют', 'Юниор', 'Жоқ/бар'], 1],
        ]),
        ...crewAndVehicle(random),
      };
      await world.call(organizer, 'PUT /events/{id}/registration-settings', { params: { id: event.id }, body });
    },
  },
];

const dayMs = 86_400_000;

/** What an event asks of a registration beside its class (REG-13). */
export function crewAndVehicle(random: Random): Record<string, unknown> {
  const crew = weighted(random, [
    [{ roles: [], min: 0, max: 0 }, 2],
    [{ roles: ['Штурман', 'Механик'], min: 0, max: 2 }, 3],
    [{ roles: ['Штурман'], min: 1, max: 1 }, 0.5],
  ]);
  const fields = [
    { code: 'brand', title: 'Марка', required: true },
    { code: 'plate', title: '=1+1', required: false },
  ].slice(0, random.between(0, 2));
  const columns = random.shuffled([
    'start_number',
    'name',
    'class',
    'status',
    'licence_number',
    'birth_date',
    'crew',
    ...fields.map(({ code }) => `vehicle.${code}`),
  ]);
  return { crew, vehicle_fields: fields, columns: columns.slice(0, random.between(2, columns.length)) };
}

export function anAthlete(world: World, random: Random, fits: (profile: Profile) => boolean): { owner: Person; profile: Profile } | null {
  const { model, inquiry } = world.auditor;
  const profile = oneOf(
    random,
    [...model.profiles.values()].filter(
      (one) =>
        one.kind === 'athlete' && one.data.status !== 'cancelled' && model.accounts.get(one.ownerId)?.status === 'active' && fits(one),
    ),
  );
  const owner = profile && inquiry.personOf(profile.ownerId);
  return profile && owner ? { owner, profile } : null;
}

function hasLicence(world: World, profileId: number): boolean {
  return [...world.auditor.model.applications.values()].some(
    (application) => application.profileId === profileId && application.certificate !== null && isLiving(application),
  );
}

/** Mostly the discipline of a competition. */
function disciplineOf(world: World, random: Random, possible: readonly number[]): number | undefined {
  const ofEvents = [...world.auditor.model.events.values()].map(({ disciplineId }) => disciplineId).filter((id) => possible.includes(id));
  return oneOf(random, ofEvents.length > 0 && random.next() < 0.8 ? ofEvents : possible);
}
