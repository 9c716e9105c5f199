import { type components, createClient, type RegistryClient } from '../../../client/src/index.ts';
import { formatDateTime } from '../../platform/time/date-time.ts';
import { type DemoClient, DemoFailure } from './client.ts';
import { clockOf } from './gate.ts';
import type { Narrator } from './narrator.ts';

/** Makes a key of a person for a day, and the client of a program with it. */
export async function makeProgram(
  person: DemoClient,
  password: string,
  scopes: components['schemas']['NewApiKey']['scopes'],
): Promise<{ client: RegistryClient; keyId: number }> {
  const expiresAt = new Date((await clockOf(person)).getTime() + 24 * 60 * 60_000);
  const { id, key } = (
    await person.POST('/api-keys', {
      params: { header: person.header },
      body: { name: 'Demo program', scopes, expires_at: formatDateTime(expiresAt), password },
    })
  ).data;
  return { client: createClient({ baseUrl: person.baseUrl, apiKey: key }), keyId: id };
}

/** Within it a change is in the log, milliseconds. */
const changeWithinMs = 60_000;

/** Shows how a program of the person uses the package `client/`: a key, a list, a write, and the change that follows. @throws {DemoFailure} */
export async function showProgram(person: DemoClient, password: string, narrator: Narrator): Promise<void> {
  narrator.begin('The person gives a program an API key, and the program lists the applications');
  const { client } = await makeProgram(person, password, ['applications:read', 'notifications:write', 'changes:read']);
  for await (const { number, status } of client.list('/applications')) narrator.fact(`${number}: ${status}`);

  narrator.begin('... writes to the federation, and reads this in the log of changes');
  const { meta } = await client.GET('/changes');
  await client.POST('/chat/messages', { body: { message: 'Сертификат получен, спасибо!' } });
  const signal = AbortSignal.timeout(changeWithinMs);
  for await (const change of client.changes({ after: meta.next, types: ['registry.chat.*'], pauseMs: 500, signal })) {
    narrator.fact(`${change.type}: ${change.data.url}`);
    narrator.fact('client/README.md has five recipes for programs');
    return;
  }
  throw new DemoFailure('the message is not in the log of changes');
}
