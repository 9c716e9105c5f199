import type { TestClient } from '../../support/client.ts';
import { type Athlete } from '../../support/factories.ts';
import { eventFixtures } from '../../support/factories/events.ts';
import { letBankPay, type MissingItem, takeMissing } from '../../support/factories/take-step.ts';
import { useRegistry } from '../../support/use-registry.ts';

/**
 * Takes the steps that the options of a registration name in `missing`, each as the party that it names, until the athlete can register
 * (REG-18). The last tests move the clock on from autumn to the next year.
 */

const { api, make, administrator } = await useRegistry();
const organizer = await api.user('Organizer');
const year = Number((await api.browser().get('/sandbox/clock')).body.data.now.slice(0, 4)) + 1;

beforeAll(async () => {
  await api.travelTo(`${year}-03-01T09:00:00+05:00`);
});

const eventOn = async (first: string, last = first): Promise<number> => {
  const days = { startsAt: new Date(`${first}T09:00:00+05:00`), endsAt: new Date(`${last}T18:00:00+05:00`) };
  return (await eventFixtures(api.platform).event(organizer, { ...days, settings: { classes: ['A'] } })).id;
};

/** What the only athlete of an account lacks for an event. */
async function missingFor(owner: TestClient, eventId: number): Promise<MissingItem[]> {
  const { profiles } = owner.expect(200, await owner.get(`/events/${eventId}/registration-options`)).body.data;
  return profiles[0].missing;
}

const isSame = (left: MissingItem, right: MissingItem) =>
  left.rule === right.rule && left.application_id === right.application_id && left.year === right.year;

/** Lists that walks by the last steps have met. */
const known = new Set<string>();

/**
 * Takes one named step after another, the first of the list or the last, and expects that each moves its item. A walk by the last ones ends
 * at a list that an earlier one has met, but for its own first: that says too little of an athlete without an application.
 */
async function walk(owner: TestClient, profileId: number, eventId: number, pick: 'first' | 'last'): Promise<string[]> {
  const steps: string[] = [];
  let missing = await missingFor(owner, eventId);
  while (missing.length > 0) {
    const possible = missing.filter(({ fix }) => fix !== null);
    const item = possible.at(pick === 'first' ? 0 : -1);
    const list = JSON.stringify(missing).replaceAll(/"application_id":\d+|\/\d+/g, '');
    if (pick === 'last' && steps.length > 0 && known.has(list)) return steps;
    if (pick === 'last') known.add(list);
    if (steps.length > 30) throw new Error(`walks without an end: ${steps.join(', ')}`);
    if (item === undefined) {
      if (!missing.some(({ waiting_for: party }) => party === 'bank')) throw new Error(`no step: ${JSON.stringify({ steps, missing })}`);
      await letBankPay(api, owner);
      steps.push('bank');
    } else {
      await takeMissing({ owner, administrator, make }, item, profileId);
      steps.push(`${item.rule} ${item.fix?.method} ${item.fix?.path.replace(/\d+/, 'N')}`);
    }
    missing = await missingFor(owner, eventId);
    if (item !== undefined) expect({ steps, item: missing.find((one) => isSame(one, item)) }).not.toEqual({ steps, item });
  }
  return steps;
}

async function expectRegistered(owner: TestClient, profileId: number, eventId: number) {
  const { profiles } = owner.expect(200, await owner.get(`/events/${eventId}/registration-options`)).body.data;
  const licences = profiles[0].licences.map(({ application_id: id }: { application_id: number }) => id);
  const papers = await api.sql<{ id: number }>(
    "select id from documents where profile_id = $1 and status = 'approved' and type in ('naf_permission', 'foreign_naf_license')",
    [profileId],
  );
  const on = papers.length > 0 ? { document_ids: papers.map(({ id }) => id) } : { application_ids: licences };
  const body = { submit: true, registrations: [{ profile_id: profileId, class: 'A', ...on }] };
  const { data } = owner.expect(200, await owner.post(`/events/${eventId}/registrations/batch`, body)).body;
  expect(data).toMatchObject({ results: [{ ok: true }] });
}

const paidBy = async (owner: TestClient) =>
  (await api.sql('select id from applications where owner_id = $1 and paid', [owner.userId])).length;

/** A start state, and what the way from it costs: paid applications at its end. */
interface Start {
  begin(owner: TestClient): Promise<number>;
  paid?: number;
}

const lapsing = () => ({ medical: { expiresAt: `${year}-06-05` } }) as const;
const setProfile = async (id: number, columns: string) => {
  await api.sql(`update profiles set ${columns} where id = $1`, [id]);
  return id;
};
const licence = { serviceId: 10, data: { discipline_id: 1 } } as const;
const withDriver = async (owner: TestClient, options = {}): Promise<Athlete> => {
  const on = await make.athlete(owner, options);
  const driver = await make.document(owner, on.profileId, { type: 'driver', status: 'approved', expiresAt: '2034-01-10' });
  return { ...on, documentIds: [...on.documentIds, driver] };
};
const minor = () => ({ profile: { data: { birth_date: `${year - 15}-05-17` } } });
const paper = (owner: TestClient, profileId: number, type: 'naf_permission' | 'foreign_naf_license', options = {}) =>
  make.document(owner, profileId, { type, status: 'approved', ...options });

const starts: Record<string, Start> = {
  'a draft profile': { begin: (owner) => make.profile(owner) },
  'a returned profile without an application': {
    begin: async (owner) => setProfile(await make.profile(owner, { status: 'approved' }), "status = 'changes'"),
  },
  'a draft over a returned photo': {
    begin: async (owner) => setProfile((await make.application(owner)).profileId, "photo_status = 'changes'"),
  },
  'a membership card': {
    begin: async (owner) => (await make.application(owner, { serviceId: 20, status: 'approved' })).profileId,
    paid: 2,
  },
  'a cancelled application': { begin: async (owner) => (await make.application(owner, { status: 'cancelled' })).profileId },
  'a draft whose medical certificate ends before the event': {
    begin: async (owner) => (await make.application(owner, lapsing())).profileId,
  },
  'an unpaid application with too little money': {
    begin: async (owner) => {
      await make.money(owner, 10_000);
      return (await make.application(owner, { status: 'submitted' })).profileId;
    },
  },
  'an unpaid application whose medical certificate ends before the event': {
    begin: async (owner) => (await make.application(owner, { status: 'submitted', ...lapsing() })).profileId,
  },
  'a paid international licence whose medical certificate ends before the event': {
    begin: async (owner) => {
      const { id, profileId } = await make.application(owner, { ...licence, status: 'submitted', on: await withDriver(owner, lapsing()) });
      await make.money(owner, 20_000_000);
      owner.expect(200, await owner.post(`/applications/${id}/pay`));
      return profileId;
    },
  },
  'a certificate whose medical certificate ends before the event': {
    begin: async (owner) => (await make.application(owner, { status: 'approved', ...lapsing() })).profileId,
  },
  'a certificate whose next medical certificate waits for its review': {
    begin: async (owner) => {
      const { profileId } = await make.application(owner, { status: 'approved', ...lapsing() });
      await make.document(owner, profileId, { type: 'medical' });
      return profileId;
    },
  },
  'a certificate over a returned profile and a returned document': {
    begin: async (owner) => {
      const { profileId, documentIds } = await make.application(owner, { status: 'approved' });
      await api.sql("update documents set status = 'changes' where id = $1", [documentIds[1]]);
      return setProfile(profileId, "status = 'changes', review_note = 'a note of the test'");
    },
  },
  'a licence that begins after the event': {
    begin: async (owner) => {
      const { id, profileId } = await make.application(owner, { ...licence, status: 'submitted', on: await withDriver(owner) });
      await make.money(owner, 20_000_000);
      const { revision } = owner.expect(200, await owner.post(`/applications/${id}/pay`)).body.data;
      const body = { kind: 'application', id, decision: 'approve', revision, valid_from: `${year}-08-01` };
      administrator.expect(200, await administrator.post('/admin/review', body));
      return profileId;
    },
    paid: 2,
  },
  'a draft of a minor without a consent': { begin: async (owner) => (await make.application(owner, minor())).profileId },
  'a certificate of a minor whose consent ends before the event': {
    begin: async (owner) => {
      const on = await make.athlete(owner, minor());
      const consent = await make.document(owner, on.profileId, { type: 'consent', status: 'approved', expiresAt: `${year}-05-01` });
      const whole = { ...on, documentIds: [...on.documentIds, consent] };
      return (await make.application(owner, { status: 'approved', on: whole })).profileId;
    },
  },
  'one paper of another federation': {
    begin: async (owner) => {
      const id = await make.profile(owner, { status: 'approved' });
      await paper(owner, id, 'foreign_naf_license');
      return id;
    },
    paid: 0,
  },
  'papers of another federation, one of which ends before the event': {
    begin: async (owner) => {
      const id = await make.profile(owner, { status: 'approved' });
      await paper(owner, id, 'foreign_naf_license', { expiresAt: `${year}-06-05` });
      await paper(owner, id, 'naf_permission');
      return id;
    },
    paid: 0,
  },
  'papers of another federation over a returned profile and photo': {
    begin: async (owner) => {
      const id = await make.profile(owner, { status: 'approved' });
      for (const type of ['foreign_naf_license', 'naf_permission'] as const) await paper(owner, id, type);
      return setProfile(id, "status = 'changes', photo_status = 'changes'");
    },
    paid: 0,
  },
};

describe.each(Object.entries(starts))('REG-18: from %s', (_name, { begin, paid = 1 }) => {
  test.each(['first', 'last'] as const)('the %s step of the list, again and again, leads to a registration', async (pick) => {
    const owner = await api.user();
    const profileId = await begin(owner);
    const eventId = await eventOn(`${year}-06-05`, `${year}-06-06`);
    const steps = await walk(owner, profileId, eventId, pick);
    if (pick === 'last' && (await missingFor(owner, eventId)).length > 0) return;
    expect(steps.length).toBeGreaterThan(0);
    await expectRegistered(owner, profileId, eventId);
    expect({ steps, paid: await paidBy(owner) }).toEqual({ steps, paid });
  });
});

describe('REG-18: by the clock', () => {
  let owner: TestClient;
  let profileId: number;
  let next: number;
  let across: number;

  test('nothing of this year is named for an event of the next year, only the day from which an application helps', async () => {
    owner = await api.user();
    ({ profileId } = await make.application(owner));
    next = await eventOn(`${year + 1}-02-01`);
    across = await eventOn(`${year}-12-31`, `${year + 1}-01-02`);
    const later = { application_id: null, rule: 'licence', waiting_for: 'owner', fix: null, year: year + 1, not_before: `${year}-11-01` };
    expect(await missingFor(owner, next)).toEqual([later]);
    await api.travelTo(`${year}-10-31T23:00:00+05:00`);
    expect(await missingFor(owner, next)).toEqual([later]);
    administrator.expect(200, await administrator.put(`/admin/catalog/base-indexes/${year + 1}`, { amount_minor: 450_000 }));
    expect(await missingFor(owner, next)).toEqual([later]);
  });

  test('on that day it has a step, which leads to a certificate that is not started yet and a registration', async () => {
    await api.travelTo(`${year}-11-01T09:00:00+05:00`);
    const [item] = await missingFor(owner, next);
    expect(item).toMatchObject({ rule: 'licence', year: year + 1, fix: { method: 'POST', path: '/applications' } });
    expect(item).not.toHaveProperty('not_before');
    await walk(owner, profileId, across, 'first');
    expect(await missingFor(owner, next)).toEqual([]);
    await expectRegistered(owner, profileId, across);
    expect(await paidBy(owner)).toBe(2);
  });

  test('after New Year the closed certificate is still listed, and nothing is missing', async () => {
    await api.travelTo(`${year + 1}-01-01T08:00:00+05:00`);
    const { profiles } = owner.expect(200, await owner.get(`/events/${across}/registration-options`)).body.data;
    expect(profiles).toMatchObject([{ profile_id: profileId, licences: [{}, {}], missing: [] }]);
    // One with the certificate of the old year alone is asked for the new year.
    const other = await api.user();
    const id = await make.profile(other, { status: 'approved' });
    expect(await missingFor(other, across)).toMatchObject([{ rule: 'licence', year: year + 1, fix: { path: '/applications' } }]);
    await walk(other, id, across, 'first');
  });
});
