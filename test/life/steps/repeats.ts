import type { Random } from '../../support/random.ts';
import { isRepeatable, keyMs, ownerOfWritten } from '../auditor/accounts/repeats.ts';
import type { Exchange } from '../auditor/exchange.ts';
import type { Person, World } from '../world.ts';
import { oneOf, type Step } from './step.ts';

/** Clients that lost an answer repeat their write with its key, also long after, and after it became the record of another. */
export const repeatSteps: readonly Step[] = [
  {
    name: 'a client repeats a write with its key',
    weight: 14,
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
      await world.call(by, operation, { params, body, headers: { 'idempotency-key': key ?? '' } });
    },
  },
];

/** An accepted write, every other time one whose record is another account's by now. */
function anyWrite({ exchanges, now, auditor: { model } }: World, random: Random): Exchange | undefined {
  const fresh = exchanges.filter((one) => isRepeatable(one) && one.repeats === undefined && now.getTime() - one.at.getTime() < keyMs);
  const lost = fresh.filter((one) => {
    const ownerId = ownerOfWritten(model, one);
    return ownerId !== null && ownerId !== one.by.accountId;
  });
  return oneOf(random, lost.length > 0 && random.next() < 0.5 ? lost : fresh);
}

/** Who may send it again: the same program, or a browser that speaks for the same account. */
function senderOf(world: World, random: Random, { by }: Exchange): Person | undefined {
  const senders = [...world.people, ...world.administrators, ...world.programs, ...world.others].filter((one) => {
    const { accountId, administratorId, scopes, credential } = world.callerOf(one);
    if (accountId !== by.accountId || administratorId !== by.administratorId) return false;
    return scopes === null ? by.scopes === null : credential === by.credential;
  });
  return oneOf(random, senders);
}
