import type { Exchange } from './auditor/exchange.ts';
import { patiently } from './patience.ts';
import type { Person, World } from './world.ts';

/** The password of the account that signs in at a browser. */
export function passwordOf(world: World, { client }: Person): string {
  return world.auditor.model.accounts.get(client.userId)?.password ?? '';
}

/** Signs a browser in, in place of the person who used it. @param password another than the right one */
export async function signIn(world: World, person: Person, password = passwordOf(world, person)): Promise<Exchange> {
  await patiently(() => person.client.session());
  return renewing(person, world.call(person, 'POST /auth/login', { body: { email: person.client.email, password } }));
}

/** Takes over the CSRF token of an answer that renews the session (ACC-3). */
export async function renewing({ client }: Person, answered: Promise<Exchange>): Promise<Exchange> {
  const answer = await answered;
  if (typeof answer.data?.csrf_token === 'string') client.csrf = answer.data.csrf_token;
  return answer;
}
