import { randomUUID } from 'node:crypto';
import { type Answer, TestClient } from '../support/client.ts';
import { type InsertedPerson, insertPeople, openRecord, topUp } from '../support/factories.ts';
import { startTestApi, type TestApi } from '../support/test-api.ts';
import { waitFor } from '../support/wait-for.ts';

/** Thousands of changes of one application by several clients must not hold up what its owner does next (APP-3). */

let api: TestApi;
let administrator: TestClient;
let people: InsertedPerson[];

/** On a busy machine 2,400 changes take minutes. */
const changesMs = 280_000;
const clients = 6;
const changesEach = 400;

beforeAll(async () => {
  api = await startTestApi({ RATE_LIMIT_KEY_PER_MINUTE: '100000' });
  administrator = await api.administrator();
  await using record = openRecord(api.surroundings.database.ownerUrl);
  people = await insertPeople(record, 2, { administratorId: administrator.userId, dataDir: api.surroundings.config.DATA_DIR });
});
afterAll(() => api.close());

const post = (client: TestClient, path: string) => client.post(path, undefined, { 'idempotency-key': randomUUID() });

test.each(['draft', 'changes'] as const)(
  'while six clients change an application in status %s 2,400 times, its owner submits and pays',
  async (status) => {
    const person = people.shift();
    if (person === undefined) throw new Error('prepare more people');
    const owner = new TestClient(api.url, person.key);
    owner.userId = person.userId;
    await topUp(owner, api.surroundings.bank.url, '50000.00');
    const body = { profile_id: person.profileId, service_id: 1, document_ids: person.documentIds, data: {} };
    const { id } = owner.expect(201, await owner.post('/applications', body)).body.data;
    if (status === 'changes') {
      const { revision } = owner.expect(200, await post(owner, `/applications/${id}/submit`)).body.data;
      const decision = { kind: 'application', id, decision: 'changes', note: 'name another team', revision };
      administrator.expect(200, await administrator.post('/admin/review', decision));
    }
    const answers: Answer[] = [];
    const turn = { isOwners: false };
    const change = async (client: TestClient, number: number) => {
      for (let index = 0; index < changesEach && !turn.isOwners; index += 1)
        answers.push(await client.patch(`/applications/${id}`, { data: { team: `Team ${number}-${index}` } }));
      // Some more while the owner submits and pays; refused once it is submitted.
      for (let index = 0; index < 20; index += 1)
        answers.push(await client.patch(`/applications/${id}`, { data: { sport: `Sport ${number}-${index}` } }));
    };
    const changing = Promise.all(Array.from({ length: clients }, (_, number) => change(new TestClient(api.url, person.key), number)));
    await waitFor(
      () => answers.length,
      (made) => made >= clients * (changesEach - 5),
      'the changes',
      changesMs,
    );
    turn.isOwners = true;
    const submitted = await post(owner, `/applications/${id}/submit`);
    const paid = await post(owner, `/applications/${id}/pay`);
    await changing;
    const statuses = new Set(answers.map((answer) => answer.status));
    expect([submitted.status, paid.status]).toEqual([200, 200]);
    expect([...statuses].filter((one) => one !== 200 && one !== 409)).toEqual([]);
    expect(owner.expect(200, await owner.get(`/applications/${id}`)).body.data).toMatchObject({ status: 'approved', paid: true });
  },
  2 * changesMs,
);
