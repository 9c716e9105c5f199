import { listActions } from '../../../src/areas/audit/index.ts';
import { testType, typeOf } from '../../../src/areas/changes/types.ts';
import { recordSteps } from '../../../src/areas/registrations/record-steps.ts';
import { commit } from '../../../src/platform/commands/command.ts';
import { databaseOf } from '../../../src/platform/database/database.ts';
import type { TestClient } from '../../support/client.ts';
import { fixturesByRequests } from '../../support/factories.ts';
import { approve } from '../../support/factories/api.ts';
import { eventFixtures } from '../../support/factories/events.ts';
import { insertRegistrations } from '../../support/factories/registrations.ts';
import { administratorPassword } from '../../support/sign-up.ts';
import { waitFor } from '../../support/wait-for.ts';
import { useRegistry } from '../../support/use-registry.ts';

const { api, administrator } = await useRegistry();
const make = fixturesByRequests(api);

interface Change {
  id: string;
  type: string;
  subject: string;
  data: { id: number | string; status?: string; url: string };
}

/** Follows the log as a program does. */
async function follow(client: TestClient, types = '') {
  let next: string = client.expect(200, await client.get('/changes')).body.meta.next;
  const seen: Change[] = [];
  const more = async () => {
    const { body } = client.expect(200, await client.get(`/changes?limit=2&after=${next}${types && `&types=${types}`}`));
    seen.push(...body.data);
    next = body.meta.next;
    return seen;
  };
  return {
    /** Reads until a change of the type has come, and until the log has no more. */
    async until(type: string): Promise<string[]> {
      // Transactions of other tests delay the last changes.
      await waitFor(more, (changes) => changes.some((change) => change.type === `registry.${type}.v1`), type);
      for (let before = -1; before < seen.length; await more()) before = seen.length;
      return seen.map((change) => `${change.type.slice('registry.'.length, -'.v1'.length)} ${change.subject}`);
    },
    seen,
    next: () => next,
  };
}

test('a program of the owner reads each change of a record, without personal data (CHG-1, CHG-5)', async () => {
  const owner = await api.user();
  const program = await owner.program(['changes:read', 'profiles:read']);
  const log = await follow(program);
  const profileId = await make.profile(owner);
  owner.expect(200, await owner.patch(`/profiles/${profileId}`, edited));
  const changes = await log.until('profile.updated');
  expect(changes.find((line) => line.startsWith('profile.'))).toBe(`profile.created profile/${profileId}`);
  expect(changes.at(-1)).toBe(`profile.updated profile/${profileId}`);
  expect(new Set(log.seen.map(({ id }) => id)).size).toBe(log.seen.length);

  const change = log.seen.find(({ type }) => type === 'registry.profile.created.v1');
  const { baseUrl } = program;
  expect(change).toEqual({
    specversion: '1.0',
    id: expect.stringMatching(/^\d+-\d+$/),
    source: baseUrl.replace(/\/api\/v1$/, ''),
    type: 'registry.profile.created.v1',
    subject: `profile/${profileId}`,
    time: expect.stringMatching(/\+05:00$/),
    datacontenttype: 'application/json',
    data: { id: profileId, status: 'draft', url: `${baseUrl.replace(/\/api\/v1$/, '')}/api/v1/profiles/${profileId}` },
  });
  expect((await fetch(change?.data.url ?? '', { headers: { authorization: `Bearer ${program.key}` } })).status).toBe(200);
});

const edited = { data: { city: 'Алматы' } };

test('each account reads its own records, administrators read all; rights count at each read (CHG-3)', async () => {
  const [owner, other, former] = [await api.user(), await api.user(), await api.user()];
  await api.sql(`update users set role = 'administrator' where id = $1`, [former.userId]);
  const ownKey = await former.program(['changes:read']);
  const adminKey = await former.program(['changes:read', 'admin:read']);
  const logs = { owner: await follow(owner), other: await follow(other), own: await follow(ownKey), all: await follow(adminKey) };
  const profileId = await make.profile(owner, { status: 'pending' });
  await approve(administrator, 'profile', profileId);
  const subject = `profile/${profileId}`;
  expect(await logs.owner.until('profile.approved')).toContain(`profile.approved ${subject}`);
  expect(await logs.all.until('profile.approved')).toContain(`profile.approved ${subject}`);
  const otherProfile = await make.profile(other);
  const seen = await logs.other.until('profile.created');
  expect(seen.filter((line) => line.endsWith(subject))).toEqual([]);

  await api.sql(`update users set role = 'user' where id = $1`, [former.userId]);
  const { data } = adminKey.expect(200, await adminKey.get(`/changes?after=${logs.all.next()}`)).body;
  expect(data).toEqual([]);
  expect(logs.all.seen.filter(({ subject: of }) => of === `profile/${otherProfile}`)).toEqual([]);
  // The key without `admin:read` never had more.
  const ofKey: Change[] = ownKey.expect(200, await ownKey.get(`/changes?after=${logs.own.next()}`)).body.data;
  expect(ofKey.filter(({ subject: of }) => of.startsWith('profile/'))).toEqual([]);

  await api.sql(`update users set status = 'blocked' where id = $1`, [owner.userId]);
  expect((await owner.get('/changes')).status).toBe(401);
});

test('after a transfer the former owner keeps former changes, the new owner gets later ones (CHG-3)', async () => {
  const [from, to] = [await api.user(), await api.user()];
  const [ofFormer, ofLater] = [await follow(from), await follow(to, 'registry.profile.*')];
  const profileId = await make.profile(from);
  const transfer = {
    current_user_id: from.userId,
    target_user_id: to.userId,
    reason: 'The club takes its athlete over',
    password: administratorPassword,
  };
  administrator.expect(200, await administrator.put(`/admin/profiles/${profileId}/owner`, transfer));
  to.expect(200, await to.patch(`/profiles/${profileId}`, edited));
  expect(await ofLater.until('profile.updated')).toEqual([
    `profile.transferred profile/${profileId}`,
    `profile.updated profile/${profileId}`,
  ]);
  const former = await ofFormer.until('profile.transferred_away');
  expect(former).toContain(`profile.created profile/${profileId}`);
  expect(former.at(-1)).toBe(`profile.transferred_away profile/${profileId}`);
  expect(former.filter((line) => /transferred |updated/.test(line))).toEqual([]);
});

test('the last change of a deleted record goes to its owner (CHG-3)', async () => {
  const owner = await api.user();
  const log = await follow(owner, 'registry.profile.deleted.v1');
  const profileId = await make.profile(owner, { status: 'draft' });
  owner.expect(200, await owner.delete(`/profiles/${profileId}`));
  expect(await log.until('profile.deleted')).toEqual([`profile.deleted profile/${profileId}`]);
});

test('an organizer reads registrations for own events once they are submitted (CHG-3, REG-8)', async () => {
  const [organizer, athlete, other] = [await api.user(), await api.user(), await api.user()];
  const { id: eventId } = await eventFixtures(api.platform).event(organizer, {});
  const profileId = await make.profile(athlete);
  const db = databaseOf(api.platform.orm.em.fork());
  const types = 'registry.registration.*';
  const [ofOrganizer, ofAthlete, ofOther] = [await follow(organizer, types), await follow(athlete, types), await follow(other, types)];
  const row = { eventId, ownerId: athlete.userId, profileId, class: 'A' };
  const [draftId = 0, submittedId = 0] = await insertRegistrations(
    db,
    [
      { ...row, status: 'draft' },
      { ...row, class: 'B', status: 'submitted' },
    ],
    new Date(),
  );
  const caller = { actor: { kind: 'process' }, requestId: 'changes', ip: null } as const;
  await commit(api.platform, caller, (ctx) =>
    recordSteps(
      ctx,
      [draftId, submittedId].map((id) => ({
        registration: {
          id,
          eventId,
          profileId,
          ownerId: athlete.userId,
          startNumber: null,
          status: id === draftId ? 'draft' : 'submitted',
        },
        step: id === draftId ? 'updated' : 'submitted',
      })),
    ),
  );
  expect(await ofAthlete.until('registration.submitted')).toEqual([
    `registration.updated registration/${draftId}`,
    `registration.submitted registration/${submittedId}`,
  ]);
  expect(await ofOrganizer.until('registration.submitted')).toEqual([`registration.submitted registration/${submittedId}`]);
  expect(ofOrganizer.seen[0]?.data.url).toMatch(new RegExp(`/events/${eventId}/registrations$`));
  expect(ofAthlete.seen[0]?.data.url).toMatch(new RegExp(`/event-registrations/${draftId}$`));
  expect(other.expect(200, await other.get(`/changes?after=${ofOther.next()}&types=${types}`)).body.data).toEqual([]);
});

test('an incident and a contact message answer at the address of their change (CHG-5)', async () => {
  const log = await follow(administrator, 'registry.incident.*,registry.contact_message.*');
  const [incident] = await api.sql<{ id: number }>(
    `insert into incidents (kind, subject_kind, subject_id, details, at) values ('late_payment', 'invoice', '1', '{}', now()) returning id`,
  );
  const [message] = await api.sql<{ id: number }>(
    `insert into contact_messages (name, email, message, created_at) values ('x', 'x@example.kz', 'changes', now()) returning id`,
  );
  const paths = [`/admin/incidents/${incident?.id}`, `/admin/contact-messages/${message?.id}`];
  administrator.expect(200, await administrator.post(`${paths[0]}/resolve`, { reason: 'for the test' }));
  administrator.expect(200, await administrator.post(`${paths[1]}/answered`));
  await log.until('contact_message.answered');
  expect(log.seen.map(({ data }) => data.url)).toEqual(paths.map((path) => `${api.url}/api/v1${path}`));
  for (const path of paths) administrator.expect(200, await administrator.get(path));
});

test('refuses a missing scope, a malformed cursor and unknown types', async () => {
  const owner = await api.user();
  expect((await (await owner.program(['profiles:read'])).get('/changes')).body.error.code).toBe('insufficient_scope');
  for (const query of ['after=x', 'after=', 'limit=0', 'limit=101', 'types=registry.session.*', 'types=', 'types=*,x', 'page=2']) {
    const { status, body } = await owner.get(`/changes?${query}`);
    expect([query, status, body.error?.code]).toEqual([query, 422, 'validation_failed']);
  }
});

test('the OpenAPI document has every type as a webhook (CHG-5)', async () => {
  const { webhooks } = (await administrator.get('/openapi.json')).body;
  expect(Object.keys(webhooks)).toEqual([...listActions().map(typeOf), testType]);
});

// Last: it moves the clock.
test('an old cursor has expired (CHG-4)', async () => {
  const owner = await api.user();
  const { next } = owner.expect(200, await owner.get('/changes')).body.meta;
  const program = await owner.program(['changes:read']);
  await api.travelTo(new Date(Date.now() + 91 * 86_400_000).toISOString());
  const { status, body } = await program.get(`/changes?after=${next}`);
  expect([status, body.error.code]).toEqual([410, 'cursor_expired']);
  // A new start goes on.
  program.expect(200, await program.get('/changes'));
});
