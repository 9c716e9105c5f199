import { TestClient } from '../../support/client.ts';
import type { Random } from '../../support/random.ts';
import { isLiving } from '../auditor/applications/ends.ts';
import { serviceOf } from '../auditor/applications/readiness.ts';
import type { Application, Document, Profile } from '../auditor/applications/application-records.ts';
import type { Model } from '../auditor/model.ts';
import { type Person, personOf, type World } from '../world.ts';
import { oneOf, type Step, weighted } from './step.ts';

const mostPeople = 8;

/** Athletes: careful and hasty. */
export const athleteSteps: readonly Step[] = [
  onProfile('an athlete applies', 12, async (world, owner, profile, random) => {
    const services = [...world.auditor.model.services.values()].filter(
      ({ kind, profileKind }) => kind !== 'event_fee' && profileKind === profile.kind,
    );
    const national = services.filter(({ kind }) => kind === 'national_certificate');
    const service = oneOf(random, random.next() < 0.3 ? national : services);
    if (!service) return;
    const isHasty = random.next() < 0.3;
    const documents = isHasty ? [] : bestDocuments(world.auditor.model, profile, service.required);
    const { disciplineIds } = service;
    const isOddly = random.next() < 0.1;
    const discipline = (disciplineIds.length === 0) === isOddly ? { discipline_id: isOddly ? 1 : oneOf(random, disciplineIds) } : {};
    const data = { ...discipline, ...(random.next() < 0.25 ? { insurance_territory: 'CIS' } : {}) };
    const body = { profile_id: profile.id, service_id: service.id, document_ids: documents, data };
    const made = await world.call(owner, 'POST /applications', { body });
    if (made.status === 201 && random.next() < 0.5)
      await world.call(owner, 'POST /applications/{id}/submit', { params: { id: made.data.id } });
  }),
  onApplication('an athlete changes the terms', 5, async (world, owner, application, random) => {
    const { disciplineIds } = serviceOf(world.auditor.model, application);
    const data = weighted<Record<string, unknown>>(random, [
      [{ insurance_territory: random.pick(['KZ', 'CIS']) }, 4],
      [{ discipline_id: oneOf(random, disciplineIds) ?? 1 }, 3],
      [{ team: random.pick(['Барыс', 'Steppe Racing', null]) }, 2],
    ]);
    await world.call(owner, 'PATCH /applications/{id}', { params: { id: application.id }, body: { data } });
  }),
  onApplication('an athlete attaches papers', 8, async (world, owner, application, random) => {
    const { shown } = world.auditor.model;
    const profile = world.auditor.model.profiles.get(application.profileId);
    if (!profile) return;
    const documents = bestDocuments(world.auditor.model, profile, serviceOf(world.auditor.model, application).required);
    const record = `application/${application.id}`;
    const read = random.next() < 0.15 ? oneOf(random, shown.former(record)) : random.next() < 0.4 ? shown.current(record) : undefined;
    const body = { document_ids: documents, ...(read === undefined ? {} : { revision: read }) };
    await world.call(owner, 'PATCH /applications/{id}', { params: { id: application.id }, body });
  }),
  onApplication(
    'an athlete submits an application',
    14,
    (world, owner, { id }) => world.call(owner, 'POST /applications/{id}/submit', { params: { id } }),
    ({ status }) => status === 'draft' || status === 'changes',
  ),
  onApplication(
    'an athlete pays',
    12,
    (world, owner, { id }) => world.call(owner, 'POST /applications/{id}/pay', { params: { id } }),
    ({ status, isPaid }) => status === 'submitted' && !isPaid,
  ),
  onApplication(
    'an athlete cancels',
    3,
    (world, owner, { id }) =>
      world.call(owner, 'POST /applications/{id}/cancel', { params: { id }, body: { reason: 'It was a mistake of mine.' } }),
    // One that was issued is in force no more, and refunds nothing (APP-12).
    ({ certificate, status }) => certificate !== null && (status === 'changes' || status === 'submitted'),
  ),
  onApplication('an athlete pays twice at once', 2, async (world, owner, { id }) => {
    await world.race([1, 2].map(() => ({ by: owner, operation: 'POST /applications/{id}/pay', call: { params: { id } } })));
  }),
  {
    name: 'a person tries the application of another',
    weight: 2,
    async take(world, random) {
      const [application, person] = [oneOf(random, world.auditor.model.applications.values()), anyone(world, random)];
      const operation = weighted(random, [
        ['POST /applications/{id}/submit', 1],
        ['POST /applications/{id}/pay', 1],
        ['POST /applications/{id}/cancel', 1],
      ] as const);
      if (!application || !person) return;
      const body = operation.endsWith('cancel') ? { body: { reason: 'It is not mine at all.' } } : {};
      await world.call(person, operation, { params: { id: application.id }, ...body });
    },
  },
  {
    name: 'an athlete tops the wallet up',
    weight: 7,
    async take(world, random) {
      const owner = anyone(world, random);
      if (!owner) return;
      const made = await world.call(owner, 'POST /invoices', { body: { amount: `${random.between(100, 20_000)}.00` } });
      if (made.status !== 201) return;
      await world.call(owner, 'POST /invoices/{id}/checkout', { params: { id: made.data.id } });
      const outcome = weighted(random, [
        ['paid', 8],
        ['twice', 2],
        ['failed', 1],
        ['wrong_amount', 1],
        ['wrong_currency', 1],
        [null, 2],
      ] as const);
      if (outcome !== null) await world.payAtBank(made.data.id, outcome);
      if (random.next() < 0.7) await world.call(owner, 'POST /invoices/{id}/verify', { params: { id: made.data.id } });
    },
  },
];

/** Meets no fault: a registration takes no key, so that it cannot be repeated. */
export const registerStep: Step = { name: 'a person registers', weight: 3, take: (world) => register(world) };

export async function register(world: World, most = mostPeople): Promise<void> {
  if (world.people.length >= most) return;
  // Deputies come and go among the people, so their number may fall.
  const number = world.auditor.model.accounts.size;
  const client = new TestClient(world.registry.url);
  const name = `Person ${number}`;
  await client.session();
  const visitors = client.cookie;
  await client.register(`person${number}@life.kz`, name);
  world.people.push(personOf(`person ${number}`, client));
  world.auditor.inquiry.same(
    `the registration of person ${number} gives the browser a new session (ACC-3)`,
    false,
    client.cookie === visitors,
  );
  world.auditor.knows(client, { role: 'user', isConfirmed: false, name });
}

export function anyone(world: World, random: Random): Person | undefined {
  return oneOf(
    random,
    world.people.filter(
      (person) => world.auditor.model.accounts.get(person.accountId)?.status === 'active' && !world.auditor.inquiry.isSignedOut(person),
    ),
  );
}

/** A step of a profile's owner. @param choose which profile; any */
export function onProfile(
  name: string,
  weight: number,
  take: (world: World, owner: Person, profile: Profile, random: Random) => Promise<unknown>,
  choose = (world: World, random: Random) => oneOf(random, world.auditor.model.profiles.values()),
): Step {
  return {
    name,
    weight,
    async take(world, random) {
      const profile = choose(world, random);
      const owner = profile && world.auditor.inquiry.personOf(profile.ownerId);
      if (profile && owner) await take(world, owner, profile, random);
    },
  };
}

/** A step of an application's owner, mostly on one that lives. @param isNext of those with which a person would go on next */
function onApplication(
  name: string,
  weight: number,
  take: (world: World, owner: Person, application: Application, random: Random) => Promise<unknown>,
  isNext: (application: Application) => boolean = isLiving,
): Step {
  return {
    name,
    weight,
    async take(world, random) {
      const all = [...world.auditor.model.applications.values()];
      const next = all.filter(isNext);
      const kind = random.next();
      const application = oneOf(random, kind < 0.75 && next.length > 0 ? next : kind < 0.95 ? all.filter(isLiving) : all);
      const owner = application && world.auditor.inquiry.personOf(world.auditor.model.profiles.get(application.profileId)?.ownerId ?? 0);
      if (application && owner) await take(world, owner, application, random);
    },
  };
}

/** The papers that a careful person would attach. */
function bestDocuments(model: Model, profile: Profile, required: readonly { types: string[] }[]): number[] {
  const worth: Record<Document['status'], number> = { approved: 4, pending: 3, changes: 1, cancelled: 0, expired: 0 };
  const own = [...model.documents.values()].filter(({ profileId }) => profileId === profile.id);
  return required.flatMap(({ types }) => {
    const fitting = own.filter(({ type }) => types.includes(type));
    const [best] = fitting.toSorted((left, right) => worth[right.status] - worth[left.status] || right.id - left.id);
    return best && worth[best.status] > 0 ? [best.id] : [];
  });
}
