import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import { json } from 'node:stream/consumers';
import { startWorkers } from '../../worker/create-worker.ts';
import { workflowCode } from '../../worker/bundle.ts';
import { athleteData, fixturesOf } from '../support/factories.ts';
import { testFolder } from '../support/servers.ts';
import { startTestApi, type TestApi } from '../support/test-api.ts';
import { waitFor } from '../support/wait-for.ts';

interface Span {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
}
interface Traces {
  resourceSpans: { scopeSpans: { spans: Span[] }[] }[];
}

const bodies: unknown[] = [];
let receiver: Server;
let api: TestApi;

/** An OTLP/HTTP receiver, and a service that exports to it. */
beforeAll(async () => {
  receiver = createServer((request, response) => {
    void json(request).then((body) => {
      bodies.push(body);
      response.writeHead(200, { 'Content-Type': 'application/json' }).end('{}');
    });
  }).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const address = receiver.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  api = await startTestApi({ OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` });
  await api.stopWorkers();
});
afterAll(async () => {
  await api.close();
  receiver.close();
});

const spans = () =>
  (bodies as Traces[]).flatMap(({ resourceSpans }) =>
    resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)),
  );

test('one trace leads from the request through update, workflow and step to SQL, without personal values', async () => {
  const code = await workflowCode(false, await testFolder(), true);
  const workers = await startWorkers(api.surroundings.config, api.platform, code, { debugMode: true });
  const person = await api.user('Traced Person');
  const id = await fixturesOf(api).profile(person);
  const traceId = '0af7651916cd43dd8448eb211c80319c';
  const submitted = await person.post(`/profiles/${id}/submit`, undefined, {
    traceparent: `00-${traceId}-b7ad6b7169203331-01`,
  });
  const ofTrace = await waitFor(
    () => spans().filter((span) => span.traceId === traceId),
    (found) => found.some(({ name }) => name.startsWith('RunActivity')) && found.some(({ name }) => name.startsWith('POST')),
    'the spans of the request',
  );
  await workers.shutdown();
  expect(submitted.status).toBe(200);
  const byId = new Map(ofTrace.map((span) => [span.spanId, span]));
  const path = (span: Span | undefined): string[] => (span ? [...path(byId.get(span.parentSpanId ?? '')), span.name] : []);
  const update = ofTrace.find(
    ({ name, parentSpanId }) => name === 'UPDATE profiles' && path(byId.get(parentSpanId ?? '')).includes('RunActivity:profile.submit'),
  );
  expect(path(update)).toEqual([
    'POST /profiles/:id/submit',
    'UpdateWithStartWorkflow:submit',
    'HandleUpdate:submit',
    'StartActivity:profile.submit',
    'RunActivity:profile.submit',
    'UPDATE profiles',
  ]);
  const sent = JSON.stringify(bodies);
  for (const word of [athleteData.last_name, athleteData.first_name, 'Traced Person', '@example.kz', '127.0.0.1'])
    expect(sent).not.toContain(word);
});
