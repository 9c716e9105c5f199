import { databaseOf } from '../../src/platform/database/database.ts';
import { relayOnlyOutbox } from '../../src/platform/workflows/outbox.ts';
import type { TestClient } from '../support/client.ts';
import { fixturesIn } from '../support/factories.ts';
import { eventFixtures } from '../support/factories/events.ts';
import { insertRegistrations } from '../support/factories/registrations.ts';
import { useRegistry } from '../support/use-registry.ts';

/** A record may have any number of steps; its timeline has the newest thousand (ADM-5). */

const { api } = await useRegistry();
let owner: TestClient;
const ids = { application: 0, document: 0, event: 0, registration: 0 };

beforeAll(async () => {
  await api.stopWorkers();
  owner = await api.user();
  const make = fixturesIn({ ...api.platform, outbox: relayOnlyOutbox });
  const actor = { kind: 'user', userId: owner.userId, isAdministrator: false, impersonatedUserId: null } as const;
  const application = await make.application({ userId: owner.userId, caller: { actor, requestId: 'fixtures', ip: null } });
  const event = await eventFixtures(api.platform).event(owner);
  const db = databaseOf(api.platform.orm.em.fork());
  const rows = [{ eventId: event.id, ownerId: owner.userId, profileId: application.profileId, status: 'approved' as const }];
  const [registration = 0] = await insertRegistrations(db, rows, new Date());
  Object.assign(ids, { application: application.id, document: application.documentIds[0], event: event.id, registration });
});

/** Adds 1,100 steps, each a second after the one before, with its number in a column of the row. */
const later = "now() + n * interval '1 second' from generate_series(1, 1100) n";
const audited = (kind: string, action: string, id: number) => `insert into audit_events
  (action, subject_kind, subject_id, actor_id, request_id, data, at)
  select '${action}', '${kind}', '${id}', ${owner.userId}, 'steps', '{}', ${later}`;

test.each([
  ['application', '/applications', 'updated'],
  ['document', '/documents', 'updated'],
  ['event', '/events', 'updated'],
  ['registration', '/event-registrations', 'numbered'],
] as const)('ADM-5: the timeline of a much changed %s has its newest steps, oldest first', async (kind, path, step) => {
  const id = ids[kind];
  const insert = {
    application: `insert into application_history
      (application_id, step, actor, actor_id, request_id, revision, status, is_settled, is_resubmission_due, document_ids, at)
      select ${id}, 'updated', 'owner', ${owner.userId}, 'steps', n + 1, 'draft', false, false, '{}', ${later}`,
    document: audited('document', 'document.updated', id),
    event: audited('event', 'event.updated', id),
    registration: `insert into registration_history
      (registration_id, status, actor, actor_id, request_id, start_number, at)
      select ${id}, 'approved', 'organizer', ${owner.userId}, 'steps', n::text, ${later}`,
  }[kind];
  await api.sql(insert);
  const { data } = owner.expect(200, await owner.get(`${path}/${id}/timeline`)).body;
  expect(data.length).toBeGreaterThan(900);
  expect(data.length).toBeLessThanOrEqual(1000);
  expect(data).toEqual(data.map(() => expect.objectContaining({ step })));
  const instants = data.map(({ at }: { at: string }) => at);
  expect(instants).toEqual(instants.toSorted());
  expect(Date.parse(instants.at(-1))).toBeGreaterThan(Date.now() + 1_000_000);
});
