import type { Random } from '../../../support/random.ts';
import { mostProfiles } from '../../auditor/applications/profile-judgement.ts';
import type { Call, Person, World } from '../../world.ts';
import { organizerData } from '../organizers/organizer-acts.ts';
import { in300Days } from '../programs.ts';
import { oneOf, type Step } from '../step.ts';
import { tryTransfer } from '../transfers.ts';
import { signedIn } from './forms.ts';

/** The rules let an account have fewer of anything that is made here. */
const mostMade = 52;

/** Accounts that go up to their limits and one further; the areas judge each request. */
export const limitSteps: readonly Step[] = [
  onAccount('an account makes as many keys as it may', 0.3, async (world, random, person) => {
    const body = {
      name: `Key ${random.between(1, 999)}`,
      scopes: ['profiles:read'],
      expires_at: in300Days(world),
      password: person.client.password,
    };
    await makeUntilRefused(world, person, 'POST /api-keys', () => ({ body }));
  }),
  onAccount('an account makes as many profiles as it may', 2, async (world, random, person) => {
    const { model, inquiry } = world.auditor;
    const operation = 'POST /profiles';
    const next = () => ({ body: { kind: 'organizer', data: organizerData(world, 'Клуб') } });
    const own = () => [...model.profiles.values()].filter(({ ownerId }) => ownerId === person.accountId);
    const made: number[] = [];
    const make = async () => {
      const { status, data } = await world.call(person, operation, next());
      if (status === 201) made.push(data.id);
      return status === 201;
    };
    while (own().length < mostProfiles - 1) if (!(await make())) return;
    if (own().length < mostProfiles) {
      const twins = await world.race([1, 2].map(() => ({ by: person, operation, call: next() })));
      made.push(...twins.flatMap(({ status, data }) => (status === 201 ? [data.id] : [])));
      inquiry.same(`${person.name} has no more profiles than an account may (PRO-10)`, mostProfiles, own().length);
    } else await make();
    const foreign = oneOf(
      random,
      [...model.profiles.values()].filter(({ ownerId }) => ownerId !== person.accountId),
    );
    if (foreign) await tryTransfer(world, random, foreign, person.accountId);
    for (const id of made) await world.call(person, 'DELETE /profiles/{id}', { params: { id } });
  }),
  onAccount('an account opens as many invoices as it may', 0.3, async (world, random, person) => {
    await makeUntilRefused(world, person, 'POST /invoices', () => ({ body: { amount: `${random.between(100, 9000)}.00` } }));
  }),
  onAccount('an account makes as many webhooks as it may', 0.3, async (world, random, person) => {
    const { password } = person.client;
    const made = await makeUntilRefused(world, person, 'POST /webhooks', () => ({
      // Few changes: each delivery is followed up.
      body: { url: world.registry.receivers.make(random.seed).url, types: ['registry.ledger.*'], password },
    }));
    for (const id of made) await world.call(person, 'DELETE /webhooks/{id}', { params: { id } });
  }),
  onAccount('a person uploads what the registry does not take', 0.8, async (world, random, person) => {
    const { inquiry } = world.auditor;
    const [name, bytes, status, code] = random.pick<[string, () => Buffer, number, string]>([
      ['photo.jpg', () => Buffer.from('This is no photo, whatever its name says.'), 422, 'file_rejected'],
      ['paper.pdf', () => Buffer.from('<!doctype html><title>A page</title><script>alert(1)</script>'), 422, 'file_rejected'],
      ['broken.png', () => Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.alloc(64)]), 422, 'file_rejected'],
      ['large.pdf', () => Buffer.concat([Buffer.from('%PDF-1.7\n'), Buffer.alloc(21 * 1024 * 1024)]), 413, 'payload_too_large'],
    ]);
    const countFiles = async () => {
      inquiry.forget();
      return (await inquiry.as(person, 'GET /files', { query: '?limit=1' })).meta.total;
    };
    const before = await countFiles();
    const file = { bytes: bytes(), fields: { purpose: 'other' }, name };
    const answer = await inquiry.as(person, 'POST /files', { file });
    const seen = { status: answer.status, code: answer.error?.code ?? null };
    inquiry.same(`${name} of ${person.name}, which is no file of the rules, is refused (FIL-1)`, { status, code }, seen);
    inquiry.same(`nothing is kept of a refused upload of ${person.name} (FIL-6)`, before, await countFiles());
  }),
];

/** Makes one after another until one is refused. @returns the ids of those that were made */
async function makeUntilRefused(world: World, person: Person, operation: string, next: () => Call): Promise<number[]> {
  const made: number[] = [];
  while (made.length < mostMade) {
    const { status, data } = await world.call(person, operation, next());
    if (status !== 201) break;
    made.push(data.id);
  }
  return made;
}

function onAccount(name: string, weight: number, take: (world: World, random: Random, person: Person) => Promise<void>): Step {
  return {
    name,
    weight,
    async take(world, random) {
      const person = signedIn(world, random);
      if (person) await take(world, random, person);
    },
  };
}
