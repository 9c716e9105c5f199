import type { Change } from '../../../client/src/index.ts';
import { openWebhookInbox, type WebhookInbox } from '../simulators/webhook-receiver/client.ts';
import type { DemoCalendar } from './calendar.ts';
import { DemoFailure } from './client.ts';
import { beginWith, walkMainJob } from './main-job.ts';
import { Narrator } from './narrator.ts';
import { makeProgram } from './program.ts';
import type { DemoRun } from './surroundings.ts';

/** Time limit of what the receiver waits for, milliseconds; the second try comes after five to six seconds. */
const [withinMs, pauseMs] = [60_000, 200];

/** A program with a key follows a person's records: by a webhook, through a failure of its receiver, and by the request log. @throws {DemoFailure} */
export async function walkIntegration(run: DemoRun<DemoCalendar>): Promise<void> {
  const { narrator, surroundings } = run;
  const member = await beginWith(run);
  const { client: person, password } = member;

  narrator.begin('The person gives a program an API key');
  const { client, keyId } = await makeProgram(person, password, ['changes:read', 'webhooks:write', 'notifications:write']);
  narrator.fact(`key ${keyId}; the program uses the package client/`);
  const { meta: start } = await client.GET('/changes');

  narrator.begin('The program creates a webhook, and gives its secret to the receiver');
  const inbox = await openWebhookInbox(surroundings.webhookReceiverUrl, `demo-${keyId}`);
  const { data: webhook } = await client.POST('/webhooks', {
    body: { url: inbox.url, types: ['registry.application.*', 'registry.chat.*'] },
  });
  await inbox.control({ secrets: [webhook.secret] });
  narrator.open('what the receiver gets', surroundings.webhookReceiverUrl);

  narrator.begin('The person applies for a certificate and pays; each step arrives as a change');
  const { applicationId } = await walkMainJob({ ...run, narrator: new Narrator(() => undefined) }, member);
  const arrived = await until(inbox, (changes) => changes.some(({ type }) => type === 'registry.application.certificate_made.v1'));
  for (const { type, subject, data, signature } of arrived)
    narrator.fact(`${type.padEnd(46)} ${subject} ${(data.status ?? '').padEnd(10)} signature ${signature}`);
  narrator.fact(`no names and no amounts: the program reads ${arrived[0]?.data.url ?? ''} with its own rights`);
  if (arrived.some(({ subject, signature }) => subject !== `application/${applicationId}` || signature !== 'right'))
    throw new DemoFailure('the receiver got a change of another record, or a wrong signature');

  narrator.begin('The receiver answers 500 once');
  await inbox.control({ answer: { kind: '500', times: 1 } });
  await client.POST('/chat/messages', { body: { message: 'Спасибо!' } });
  const params = { path: { id: webhook.id } };
  const latest = async () =>
    (await client.GET('/webhooks/{id}/deliveries', { params })).data.find(({ type }) => type === 'registry.chat.message_sent.v1');
  const failed = await wait(latest, (delivery) => delivery?.tries === 1, 'the failure');
  narrator.fact(`${failed?.type}: ${failed?.state} after 1 try, the receiver answered ${failed?.status}`);
  const recovered = await wait(latest, (delivery) => delivery?.state === 'delivered', 'the second try');
  if (recovered?.webhook_id !== failed?.webhook_id) throw new DemoFailure('the second try has another id');
  narrator.fact(`${recovered?.state} after ${recovered?.tries} tries, with the same id ${recovered?.webhook_id}`);

  narrator.begin('The program lost its data, and lets the webhook send all again');
  const before = (await inbox.read()).deliveries.length;
  await client.POST('/webhooks/{id}/replay', { params, body: { after: start.next } });
  const expected = arrived.length + 1;
  const all = await wait(
    () => inbox.read(),
    ({ deliveries }) => deliveries.length >= before + expected,
    'the replay',
  );
  const again = all.deliveries.slice(0, all.deliveries.length - before);
  const fresh = again.find(({ is_repeat: isRepeat }) => !isRepeat);
  if (fresh) throw new DemoFailure(`the replay has a new change: ${fresh.body}`);
  narrator.fact(`again: ${again.length} changes, all with ids that came before`);

  narrator.begin('A call of the program fails; the request log of the key says why');
  const refused = await client.POST('/webhooks', { body: { url: 'https://10.0.0.1/hooks', types: ['*'] } }).then(
    () => null,
    (error: unknown) => error,
  );
  if (refused === null) throw new DemoFailure('a webhook with a private address was accepted');
  const log = async () => (await person.GET('/api-keys/{id}/requests', { params: { path: { id: keyId }, query: { status: 422 } } })).data;
  const [request] = await wait(log, (requests) => requests.length > 0, 'the request log');
  narrator.fact(`${request?.method} ${request?.route} ${request?.status} ${request?.code}`);
  narrator.open('the page for programmers', `${surroundings.baseUrl}/docs/build`);
}

/** Changes in the order of their arrival, each with the state of its signature. */
type Arrived = Change & { signature: string };

async function until(inbox: WebhookInbox, isDone: (changes: Arrived[]) => boolean): Promise<Arrived[]> {
  const changes = async () =>
    (await inbox.read()).deliveries.toReversed().map(({ body, signature }) => ({ ...(JSON.parse(body) as Change), signature }));
  return wait(changes, isDone, 'the changes');
}

async function wait<T>(look: () => Promise<T>, isDone: (seen: T) => boolean, what: string): Promise<T> {
  for (let waited = 0; waited < withinMs; waited += pauseMs) {
    const seen = await look();
    if (isDone(seen)) return seen;
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
  throw new DemoFailure(`waited in vain for ${what}`);
}
