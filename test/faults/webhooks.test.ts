import { randomUUID } from 'node:crypto';
import { TestClient } from '../support/client.ts';
import { startWebhookReceivers, type WebhookReceivers } from '../support/outside-servers/webhook-receiver.ts';
import { waitFor } from '../support/wait-for.ts';
import { CarefulClient, Watch } from './careful-client.ts';
import { type FaultStack, startFaultStack } from './fault-stack.ts';
import { partOf, type Victim } from './killer.ts';

let faultStack: FaultStack;
let receivers: WebhookReceivers;
beforeAll(async () => {
  [faultStack, receivers] = await Promise.all([startFaultStack(), startWebhookReceivers()]);
});
afterAll(async () => {
  await faultStack.stop();
  await receivers.close();
});

const clients = 8;
const factsOfClient = 25;
const kills: Victim[][] = [['worker'], ['postgres'], ['api', 'worker'], ['temporal'], ['worker']];
const between = 1_500;
/** A subject whose first try failed waits for itself (WHK-4). */
const retriesMs = 240_000;

test('each of 200 facts of eight clients arrives at a webhook although every part is killed (CHG-6, WHK-4)', async () => {
  const { stack, baseUrl } = faultStack;
  const owner = new TestClient(baseUrl);
  await owner.login(stack.administrator.email, stack.administrator.password);
  const [receiver, failing] = [receivers.make(), receivers.make()];
  const seenAtFirst = new Set<string>();
  failing.answers((response, { id }) => {
    // The first try of every tenth change fails. A second failure in a row would wait a minute, a third five.
    const isFailing = !seenAtFirst.has(id) && seenAtFirst.size % 10 === 0;
    seenAtFirst.add(id);
    response.statusCode = isFailing ? 503 : 204;
    response.end();
  });
  for (const { url } of [receiver, failing])
    owner.expect(201, await owner.post('/webhooks', { url, types: ['registry.chat.*'], password: owner.password }));

  const watch = new Watch();
  const people = await faultStack.people(clients);
  const work = Promise.all(
    people.map(async ({ key }) => {
      const client = new CarefulClient(baseUrl, key, watch);
      for (let nth = 0; nth < factsOfClient; nth += 1)
        await client.send('POST', '/chat/messages', { body: { message: `Құпия хабар ${nth}` }, key: randomUUID() });
    }),
  );
  for (const names of kills) {
    await new Promise((resolve) => setTimeout(resolve, between));
    const parts = names.map((name) => partOf(stack, name));
    await Promise.all(parts.map((part) => part.kill('SIGKILL')));
    await Promise.all(parts.map((part) => part.whenReady()));
  }
  await work;
  expect(watch.surprises).toEqual([]);

  const facts = await faultStack.sql<{ id: string; subject: string }>(
    `select place || '-' || id as id, subject_kind || '/' || subject_id as subject from changes where action = 'chat.message_sent' order by place, id`,
  );
  expect(facts).toHaveLength(clients * factsOfClient);
  for (const { arrivals } of [receiver, failing]) {
    const missing = () => facts.filter(({ id }) => !arrivals().some((arrival) => arrival.id === id));
    await waitFor(missing, ({ length }) => length === 0, 'all changes', retriesMs);
    // The first arrivals of one subject have its order.
    const seen = [...new Set(arrivals().map(({ id }) => id))];
    for (const subject of new Set(facts.map((fact) => fact.subject))) {
      const wanted = facts.filter((fact) => fact.subject === subject).map(({ id }) => id);
      expect(seen.filter((id) => wanted.includes(id))).toEqual(wanted);
    }
    expect(
      arrivals()
        .map(({ text }) => text)
        .join(''),
    ).not.toContain('Құпия');
  }
});
