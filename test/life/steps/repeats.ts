import type { Random } from '../../support/random.ts';
import { isRepeatable, keyMs, mayRunAgain, ownerOfWritten } from '../auditor/accounts/repeats.ts';
import type { Caller, Exchange } from '../auditor/exchange.ts';
import type { Person, World } from '../world.ts';
import { oneOf, type Step } from './step.ts';

/** Clients that lost an answer repeat their write with its key, also long after, and after it became the record of another. */
export const repeatSteps: readonly Step[] = [
  {
    name: 'a client repeats a write with its key',
    weight: 24,
    async take(world, random) {
      const first = anyWrite(world, random);
      const by = first && senderOf(world, random, first);
      if (first && by) await world.repeat(by, first);
    },
  },
  {
    name: 'a person sends the key of another',
    weight: 2,
    async take(world, random) {
      const { operation, params, body, key, by: sender } = anyWrite(world, random) ?? {};
      if (operation === undefined || !operation.includes('{id}') || !params || !sender) return;
      const everybody = [...world.people, ...world.administrators, ...world.others, ...world.programs];
      const isNear = random.next() < 0.5;
      const by = oneOf(
        random,
        everybody.filter((one) => {
          const caller = world.callerOf(one);
          return (caller.accountId === sender.accountId) === isNear && !sharesKeys(caller, sender);
        }),
      );
      // A second time it would be a repeat of their own.
      if (!by || world.exchanges.some((one) => one.key === key && sharesKeys(one.by, world.callerOf(by)))) return;
      await world.call(by, operation, { params, body, headers: { 'idempotency-key': key ?? '' } });
    },
  },
  {
    name: 'a client uses the key of a refused request',
    weight: 2,
    async take(world, random) {
      const refused = oneOf(random, freedKeys(world));
      const by = refused && senderOf(world, random, refused);
      if (!by) return;
      const body = { amount: `${random.between(100, 900)}.00` };
      await world.call(by, 'POST /invoices', { body, headers: { 'idempotency-key': refused?.key ?? '' } });
    },
  },
];

/** Whether two callers use the same keys: of one API key, or of the browsers that speak for one account (API-6). */
function sharesKeys(one: Caller, other: Caller): boolean {
  if (one.accountId !== other.accountId || one.administratorId !== other.administratorId) return false;
  return one.scopes === null ? other.scopes === null : one.credential === other.credential;
}

/** Requests that were refused, whose keys no other request used. */
function freedKeys({ exchanges }: World): Exchange[] {
  const isRefused = ({ status }: Exchange) => status >= 400 && status < 500;
  const taken = new Set(exchanges.filter((one) => !isRefused(one)).map(({ key }) => key));
  return exchanges.filter((one) => isRefused(one) && one.key !== null && !taken.has(one.key) && one.by.accountId !== 0);
}

/** A former owner, who does not know of the transfer yet, repeats some of their writes. */
export async function repeatLost(world: World, random: Random): Promise<void> {
  for (let left = random.between(1, 3); left > 0; left -= 1) {
    const first = oneOf(random, lostWrites(world));
    const by = first && senderOf(world, random, first);
    if (first && by) await world.repeat(by, first);
  }
}

/** Accepted writes whose keys are still good. */
export function freshWrites({ exchanges, now, auditor: { model } }: World): Exchange[] {
  const isFresh = ({ at }: Exchange) => now.getTime() - at.getTime() < keyMs;
  return exchanges.filter((one) => isRepeatable(one) && one.repeats === undefined && isFresh(one) && !mayRunAgain(model, one));
}

/** Those whose record is another account's by now. */
function lostWrites(world: World): Exchange[] {
  return freshWrites(world).filter((one) => {
    const ownerId = ownerOfWritten(world.auditor.model, one);
    return ownerId !== null && ownerId !== one.by.accountId;
  });
}

/** An accepted write, mostly of a record that another account has by now. */
function anyWrite(world: World, random: Random): Exchange | undefined {
  const lost = lostWrites(world);
  return oneOf(random, lost.length > 0 && random.next() < 0.6 ? lost : freshWrites(world));
}

/** Who may send it again: the same program, or a browser that speaks for the same account. */
export function senderOf(world: World, random: Random, { by }: Exchange): Person | undefined {
  const senders = [...world.people, ...world.administrators, ...world.programs, ...world.others].filter((one) => {
    const { accountId, administratorId, scopes, credential } = world.callerOf(one);
    if (accountId !== by.accountId || administratorId !== by.administratorId) return false;
    return scopes === null ? by.scopes === null : credential === by.credential;
  });
  return oneOf(random, senders);
}
