import { asksInPerson } from './auditor/accounts/in-person.ts';
import { actorOf, type Caller, type Exchange } from './auditor/exchange.ts';
import type { Model } from './auditor/model.ts';
import { patiently } from './patience.ts';
import type { Call, Person, World } from './world.ts';

/** The password of the account that signs in at a browser. */
export function passwordOf(world: World, { client }: Person): string {
  return world.auditor.model.accounts.get(client.userId)?.password ?? '';
}

/**
 * Signs a browser in, in place of the person who used it, with a code where the account has a second factor. The session goes on waiting
 * when no code is left.
 * @param password another than the right one
 */
export async function signIn(world: World, person: Person, password = passwordOf(world, person)): Promise<Exchange> {
  await patiently(() => person.client.session());
  // A session that waits for its code takes no other login (ACC-28).
  if (world.auditor.inquiry.isWaiting(person)) await renewing(person, world.call(person, 'POST /auth/logout'));
  const answer = await givePassword(world, person, password);
  return (isHalf(answer) ? await giveProof(world, person, proofOf(world.auditor.model, person.client.userId)) : null) ?? answer;
}

export function givePassword(world: World, person: Person, password: string): Promise<Exchange> {
  return renewing(person, world.call(person, 'POST /auth/login', { body: { email: person.client.email, password } }));
}

/** Whether a login waits for a code. */
export const isHalf = ({ data }: Exchange) => data?.second_factor_required === true;

/** Gives a session that waits a code or a recovery code. @returns null without one */
export async function giveProof(world: World, person: Person, proof: string | null): Promise<Exchange | null> {
  if (proof === null) return null;
  const body = /^\d{6}$/.test(proof) ? { code: proof } : { recovery_code: proof };
  return renewing(person, world.call(person, 'POST /auth/second-factor', { body }));
}

/** What an account can still prove its second factor with: the application's code, else a recovery code; null without either. */
export function proofOf({ secondFactors }: Model, accountId: number): string | null {
  return secondFactors.freshCode(accountId) ?? secondFactors.freshRecoveryCode(accountId);
}

/** Adds a code to what asks for a confirmation, as a person with a second factor does (ACC-30). A step may say otherwise with `code`. */
export function withCode(model: Model, by: Caller, operation: string, call: Call): Call {
  const { body, headers } = call;
  if (asksInPerson(operation) === 'never' || by.scopes !== null || by.name.startsWith('a thief')) return call;
  if (typeof body !== 'object' || body === null || 'code' in body || headers?.['idempotency-key'] !== undefined) return call;
  if (!('password' in body) || !model.secondFactors.isInForce(actorOf(by))) return call;
  const code = proofOf(model, actorOf(by));
  return code === null ? call : { ...call, body: { ...body, code } };
}

/** Takes over the CSRF token of an answer that renews the session (ACC-3). */
export async function renewing({ client }: Person, answered: Promise<Exchange>): Promise<Exchange> {
  const answer = await answered;
  if (typeof answer.data?.csrf_token === 'string') client.csrf = answer.data.csrf_token;
  return answer;
}
