import { TestClient } from '../../support/client.ts';
import type { Random } from '../../support/random.ts';
import { allScopes } from '../auditor/accounts/scopes.ts';
import { passwordOf, renewing } from '../sign-in.ts';
import { confirmAddress, signInElsewhere } from '../steps/accounts.ts';
import { beginAsDeputy, endAsDeputy } from '../steps/deputies.ts';
import { writeWithoutRight } from '../steps/http/forms.ts';
import { makeProgram } from '../steps/programs.ts';
import { readOne, readsOf } from '../steps/readers.ts';
import { halfSignedIn, setUpFactor } from '../steps/second-factor.ts';
import { oneOf, type Step } from '../steps/step.ts';
import { type Person, personOf, type World } from '../world.ts';
import { aPerson, presentAt } from './cast.ts';
import { story } from './story.ts';

const ordinary = allScopes.filter((scope) => !scope.startsWith('admin:'));
/** Of a door to one kind of records. */
const usualWeight = 3;
const someLists = 8;

/** Those who hold a session or a key that is good for a part, or for nothing. */
const callers: Record<string, (world: World, random: Random) => Promise<Person | null>> = {
  'a key of an administrator without administration': (world, random) => makeProgram(world, world.administrator, ordinary, random),
  'a key of an administrator that reads': (world, random) =>
    makeProgram(world, world.administrator, ['admin:read', ...random.shuffled(ordinary).slice(0, 4)], random),
  'a key of an administrator that writes': (world, random) =>
    makeProgram(world, world.administrator, ['admin:write', 'files:read'], random),
  'a key of a person': async (world, random) => {
    const owner = await aPerson(world, random);
    return owner && makeProgram(world, owner, random.next() < 0.5 ? ordinary : random.shuffled(ordinary).slice(0, 3), random);
  },
  'a person': (world, random) => aPerson(world, random),
  'an administrator': async (world) => world.administrator,
  'a visitor': async (world) => personOf('anybody', new TestClient(world.registry.url)),
  'an administrator in the account of a person': (world, random) => anImpersonator(world, random),
  'a browser that waits for a code': async (world, random) => {
    const { secondFactors } = world.auditor.model;
    const holders = world.people.filter(({ accountId }) => secondFactors.isInForce(accountId) && secondFactors.triesOf(accountId) < 4);
    const holder = await presentAt(world, oneOf(random, holders)?.accountId);
    return holder && halfSignedIn(world, holder, `a thief with the password of ${holder.name} (${world.exchanges.length})`);
  },
};

export const callerStories: readonly Step[] = [
  ...Object.entries(callers).map(([name, cast]) =>
    story(`${name} tries all doors`, async function* (world, random) {
      const caller = await cast(world, random);
      if (!caller) return;
      yield;
      const doors = await readsOf(world);
      const single = doors.filter(([operation]) => operation.includes('{'));
      // Doors to many kinds of records more often.
      const wide = single.filter(([, weight]) => weight > usualWeight);
      const chosen = [...random.shuffled(single), ...wide, ...wide, ...random.shuffled(doors).slice(0, someLists)];
      for (const [operation] of chosen) await readOne(world, random, caller, operation);
      yield;
      await writeWithoutRight(world, random, caller, 8);
    }),
  ),
  story('a person becomes an administrator, and is one no more', async function* (world, random) {
    const deputy = await beginAsDeputy(world, random);
    if (!deputy) return;
    yield;
    const program = await makeProgram(world, deputy, allScopes, random);
    const elsewhere = await signInElsewhere(world, deputy);
    const holders = [deputy, ...(program ? [program] : []), ...(elsewhere ? [elsewhere] : [])];
    const operations = (await readsOf(world)).map(([operation]) => operation).filter((operation) => operation.includes('{'));
    const look = async () => {
      for (const holder of holders)
        for (const operation of random.shuffled(operations).slice(0, 8)) await readOne(world, random, holder, operation);
    };
    await look();
    yield;
    await endAsDeputy(world, deputy, random.pick(['blocked', 'user']));
    yield;
    await look();
    for (const holder of holders.slice(1)) await writeWithoutRight(world, random, holder, 4);
  }),
  story('a second factor is set up, used and lost', async function* (world, random) {
    const { secondFactors, accounts } = world.auditor.model;
    const person = await aPerson(world, random, ({ accountId }) => !secondFactors.isInForce(accountId));
    if (!person) return;
    if (accounts.get(person.accountId)?.isConfirmed === false) await confirmAddress(world, person, random);
    if (accounts.get(person.accountId)?.isConfirmed === false) return;
    await setUpFactor(world, person);
    yield;
    const elsewhere = await signInElsewhere(world, person);
    yield;
    const half = await halfSignedIn(world, person, `a thief with the password of ${person.name} (${world.exchanges.length})`);
    if (half) {
      await world.call(half, 'GET /account');
      await world.call(half, 'DELETE /account/sessions');
      await renewing(half, world.call(half, 'POST /auth/logout'));
    }
    yield;
    const reason = 'Recognized in the office by the passport.';
    const params = { id: person.accountId };
    await world.call(world.administrator, 'DELETE /admin/users/{id}/second-factor', {
      params,
      body: { reason, password: passwordOf(world, world.administrator) },
    });
    yield;
    if (elsewhere) await world.call(elsewhere, 'GET /account');
    await world.call(person, 'GET /account');
  }),
];

async function anImpersonator(world: World, random: Random): Promise<Person | null> {
  const target = await aPerson(world, random);
  const actor = target && (await signInElsewhere(world, world.administrator));
  if (!actor) return null;
  const body = { user_id: target.accountId, password: passwordOf(world, actor) };
  const { status } = await renewing(actor, world.call(actor, 'POST /admin/impersonate', { body }));
  return status === 200 ? actor : null;
}
