import type { TestClient } from '../client.ts';
import type { WebhookReceivers } from '../outside-servers/webhook-receiver.ts';
import type { TestApi } from '../test-api.ts';
import { waitFor } from '../wait-for.ts';

type Receiver = ReturnType<WebhookReceivers['make']>;

export interface Delivery {
  id: number;
  webhook_id: string;
  subject: string;
  type: string;
  state: string;
  tries: number;
  status: number | null;
  problem: string | null;
  answer: string | null;
}

/** Waits until the next change would wake the process of a webhook. */
export const untilAsleep = (api: TestApi, id: number) =>
  waitFor(
    () => api.sql('select from change_waiters where process = $1', [`webhook/${id}`]),
    (rows) => rows.length === 1,
    'the webhook to wait for changes',
  );

/** What a browser session confirms with; a key has no password. */
export const passwordOf = ({ key, password }: TestClient) => (key === null ? { password } : {});

export async function subscribe(api: TestApi, client: TestClient, receiver: Receiver, types: string[] = ['registry.profile.*']) {
  const { body } = client.expect(201, await client.post('/webhooks', { url: receiver.url, types, ...passwordOf(client) }));
  const { id, secret } = body.data as { id: number; secret: string };
  await untilAsleep(api, id);
  return { id, secret, receiver, path: `/webhooks/${id}` };
}

/** Types and subjects of what arrived, such as `profile.created profile/1`. */
export const linesOf = (receiver: Receiver) =>
  receiver.arrivals().map(({ change }) => `${change.type.slice('registry.'.length, -'.v1'.length)} ${change.subject}`);

export const untilLine = (receiver: Receiver, line: string) =>
  waitFor(
    () => linesOf(receiver),
    (seen) => seen.includes(line),
    line,
  );

export const deliveriesOf = async (client: TestClient, path: string, state = '') =>
  client.expect(200, await client.get(`${path}/deliveries${state && `?state=${state}`}`)).body.data as Delivery[];

export const untilDeliveries = (client: TestClient, path: string, isDone: (rows: Delivery[]) => boolean, what: string) =>
  waitFor(() => deliveriesOf(client, path), isDone, what);

export const readWebhook = async (client: TestClient, path: string) => client.expect(200, await client.get(path)).body.data;

/** Waits for a number of arrivals. */
export const untilArrivals = (receiver: Receiver, isEnough: (count: number) => boolean, what: string) =>
  waitFor(() => receiver.arrivals().length, isEnough, what);

/** Waits until a webhook is shown so. */
// oxlint-disable-next-line typescript/no-explicit-any
export const untilWebhook = (client: TestClient, path: string, isSo: (seen: any) => boolean, what: string) =>
  waitFor(() => readWebhook(client, path), isSo, what);

/** Makes a change of a profile. */
export const changeCity = async (client: TestClient, profileId: number, city: string) =>
  client.expect(200, await client.patch(`/profiles/${profileId}`, { data: { city } }));
