import type { Random } from '../../support/random.ts';
import { isRepeatable, keyMs, mayRunAgain, ownerOfWritten } from '../auditor/accounts/repeats.ts';
import type { Exchange } from '../auditor/exchange.ts';
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
      const by = oneOf(
        random,
        world.people.filter(({ accountId }) => accountId !== sender?.accountId),
      );
      if (operation === undefined || !operation.includes('{id}') || !params || !by) return;
      // A second time it would be a repeat of their own.
      if (world.exchanges.some((one) => one.key === key && one.by.accountId === by.accountId)) return;
      await world.call(by, operation, { params, body, headers: { 'idempotency-key': key ?? '' } });
    },
  },
];

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
