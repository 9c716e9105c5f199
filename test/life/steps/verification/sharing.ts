import { TestClient } from '../../../support/client.ts';
import type { Random } from '../../../support/random.ts';
import { serviceOf } from '../../auditor/applications/readiness.ts';
import type { Application } from '../../auditor/applications/application-records.ts';
import { addDays } from '../../auditor/days.ts';
import { ownerOf } from '../../auditor/model.ts';
import { certify } from '../../certify.ts';
import { type Person, personOf, type World } from '../../world.ts';
import { anyone } from '../athletes.ts';
import { anAthlete } from '../licences.ts';
import { oneOf, type Step, weighted } from '../step.ts';
import { administratorAt, bodyOf, others, transfer } from '../transfers.ts';

/** International licences, whose owners show their documents to readers of the QR, and strangers who read them. */
export const sharingSteps: readonly Step[] = [
  {
    name: 'an athlete gets an international licence',
    weight: 5,
    async take(world, random) {
      const { model, inquiry } = world.auditor;
      const athlete = anAthlete(world, random, ({ id }) => !licencesOf(world).some(({ profileId }) => profileId === id));
      const services = [...model.services.values()].filter(
        ({ kind, profileKind }) => kind === 'international_licence' && profileKind === 'athlete',
      );
      const service = oneOf(random, services);
      if (!athlete || !service) return;
      const disciplineId = oneOf(random, service.disciplineIds);
      const days = random.next() < 0.7 ? 500 : random.between(5, 60);
      await certify(world, athlete.owner, athlete.profile, { service, disciplineId, days });
      const waiting = [...model.applications.values()].findLast(
        ({ profileId, serviceId, status }) => profileId === athlete.profile.id && serviceId === service.id && status === 'submitted',
      );
      if (waiting) await approveLicence(world, waiting, random.next() < 0.8 ? inquiry.today : addDays(inquiry.today, 20));
    },
  },
  {
    name: 'an owner shares the documents of a licence, or ends it',
    weight: 7,
    async take(world, random) {
      const { model } = world.auditor;
      const application = aLicence(world, random);
      if (!application) return;
      const owner = world.auditor.inquiry.personOf(ownerOf(model, application.profileId));
      const by = weighted<Person | undefined>(random, [
        [owner, 12],
        [anyone(world, random), 1],
        [world.administrator, 1],
        [oneOf(random, world.others), 1],
      ]);
      if (!by) return;
      const body = weighted<Record<string, boolean>>(random, [
        [{ enabled: true, confirmed: true }, 7],
        [{ enabled: false }, 2],
        [{ enabled: true, confirmed: false }, 1],
        [{ enabled: true }, 1],
      ]);
      await world.call(by, 'PUT /applications/{id}/sharing', { params: { id: application.id }, body });
    },
  },
  {
    name: 'the profile of a shared licence is transferred',
    weight: 4,
    async take(world, random) {
      const { model, inquiry } = world.auditor;
      const licences = licencesOf(world).filter(({ status }) => status === 'approved');
      const shared = licences.filter(({ isShared }) => isShared);
      const application = oneOf(random, shared.length > 0 ? shared : licences);
      const profile = application && model.profiles.get(application.profileId);
      const target = oneOf(random, others(world, profile));
      const owner = profile && inquiry.personOf(profile.ownerId);
      if (!application || !profile || !target) return;
      if (owner && !application.isShared)
        await world.call(owner, 'PUT /applications/{id}/sharing', {
          params: { id: application.id },
          body: { enabled: true, confirmed: true },
        });
      const by = administratorAt(world, random);
      await world.call(by, transfer, { params: { id: profile.id }, body: bodyOf(world, random, by, profile, target.id) });
    },
  },
  {
    name: 'a stranger follows the links of a QR',
    weight: 3,
    async take(world, random) {
      const application = aLicence(world, random);
      const token = application?.certificate?.token;
      if (!token) return;
      const stranger = random.next() < 0.7 ? personOf('a stranger', new TestClient(world.registry.url)) : anyone(world, random);
      if (!stranger) return;
      await world.call(stranger, 'GET /verify/{token}/documents', { params: { token } });
      await world.call(stranger, 'GET /verify/{token}/documents/{n}', { params: { token, n: random.between(1, 4) } });
    },
  },
];

function licencesOf({ auditor: { model } }: World): Application[] {
  return [...model.applications.values()].filter(
    (application) => application.certificate !== null && serviceOf(model, application).kind === 'international_licence',
  );
}

/** Mostly an international licence; now and then another application. */
function aLicence(world: World, random: Random): Application | undefined {
  const licences = licencesOf(world);
  return oneOf(random, licences.length > 0 && random.next() < 0.93 ? licences : world.auditor.model.applications.values());
}

export async function approveLicence(world: World, { id, year }: Application, validFrom: string): Promise<void> {
  const record = await world.auditor.inquiry.asAdministrator('GET /admin/records/{kind}/{id}', { params: { kind: 'application', id } });
  const days = { valid_from: validFrom, valid_until: `${year}-12-31` };
  const body = { kind: 'application', id, decision: 'approve', revision: record.data.revision, ...days };
  await world.call(world.administrator, 'POST /admin/review', { body });
}
