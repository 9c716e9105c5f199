import { TestClient } from '../../support/client.ts';
import type { Random } from '../../support/random.ts';
import { type Call, type Person, personOf, type World } from '../world.ts';
import { givePassword, giveProof, isHalf, passwordOf, proofOf, renewing, signIn } from '../sign-in.ts';
import { confirmAddress, isActive, keepOther } from './accounts.ts';
import { in300Days } from './programs.ts';
import { oneOf, type Step, weighted } from './step.ts';

const path = '/account/second-factor';
const wrongPassword = 'not-the-password-of-anyone';
/** An account whose codes are refused more often would be locked out for a while (ACC-28). */
const mostTries = 5;

/** The second factor of accounts: set up, used at login and in person, replaced, removed, and lost. */
export const secondFactorSteps: readonly Step[] = [
  {
    name: 'a person sets a second factor up',
    weight: 2,
    async take(world, random) {
      const person = oneOf(random, present(world));
      if (!person) return;
      if (random.next() < 0.8) await confirmAddressOnce(world, person, random);
      if ((await requestFactor(world, person, random)) && random.next() < 0.85) await confirmFactor(world, person, random);
    },
  },
  {
    name: 'a person gives the first code',
    weight: 0.4,
    async take(world, random) {
      const person = oneOf(random, random.next() < 0.9 ? present(world).filter((one) => isRequested(world, one)) : present(world));
      if (person) await confirmFactor(world, person, random);
    },
  },
  onHolder('a person signs in with a second factor', 2.5, async (world, holder, random) => {
    const browser = await halfSignedIn(world, holder, `${holder.name} at browser ${world.exchanges.length}`);
    if (browser) await giveSome(world, browser, random);
  }),
  {
    name: 'a person gives the code that a browser waits for',
    weight: 0.8,
    async take(world, random) {
      const waiting = world.others.filter((one) => world.auditor.inquiry.isWaiting(one) && !isThief(one));
      const browser = oneOf(random, random.next() < 0.85 ? waiting : world.others.filter((one) => !isThief(one)));
      if (browser) await giveSome(world, browser, random);
    },
  },
  onHolder('a person confirms with a code, or without', 2, async (world, holder, random) => {
    const { now, auditor } = world;
    const password = passwordOf(world, holder);
    const code = { code: someCode(world, holder.accountId, random) };
    const key = oneOf(
      random,
      [...auditor.model.keys.values()].filter(({ ownerId, isRevoked }) => ownerId === holder.accountId && !isRevoked),
    );
    const [operation, call] = random.pick<[string, Call]>([
      [
        'POST /api-keys',
        { body: { name: `Of ${now.toISOString()}`, scopes: ['files:read'], expires_at: in300Days(world), password, ...code } },
      ],
      ['DELETE /api-keys/{id}', { params: { id: key?.id ?? 999_999 }, body: { password, ...code } }],
      [
        'POST /auth/password',
        { body: { current_password: password, password: `another-long-secret-${random.between(1000, 9999)}`, ...code } },
      ],
      [`POST ${path}`, { body: { password, ...code } }],
    ]);
    const answer = await renewing(holder, world.call(holder, operation, call));
    if (operation === 'POST /auth/password' && answer.status === 200) holder.client.password = passwordOf(world, holder);
  }),
  onHolder('a person replaces the second factor', 0.8, async (world, holder, random) => {
    if (await requestFactor(world, holder, random)) await confirmFactor(world, holder, random);
  }),
  onHolder('a person removes the second factor', 0.6, async (world, holder, random) => {
    const isRight = random.next() < 0.6;
    const password = random.next() < 0.85 ? passwordOf(world, holder) : wrongPassword;
    const code = isRight ? {} : { code: someCode(world, holder.accountId, random) };
    await world.call(holder, `DELETE ${path}`, { body: { password, ...code } });
  }),
  {
    name: 'an administrator removes a lost second factor',
    weight: 0.5,
    async take(world, random) {
      const { accounts, secondFactors } = world.auditor.model;
      const holders = [...accounts.keys()].filter((id) => secondFactors.isInForce(id));
      const id = random.next() < 0.8 ? oneOf(random, holders) : oneOf(random, [...accounts.keys(), 999_999]);
      const by = oneOf(
        random,
        [...world.administrators, ...world.people.slice(0, 1)].filter((one) => isPresent(world, one)),
      );
      if (id === undefined || !by) return;
      const reason = random.next() < 0.9 ? 'Recognized in the office by the passport.' : 'lost';
      const password = random.next() < 0.9 ? passwordOf(world, by) : wrongPassword;
      await world.call(by, 'DELETE /admin/users/{id}/second-factor', { params: { id }, body: { reason, password } });
      const person = world.auditor.inquiry.personOf(id);
      if (person && isActive(world, person) && world.auditor.inquiry.isSignedOut(person)) await signIn(world, person);
    },
  },
  onHolder('a thief knows the password and no code', 1.8, async (world, holder, random) => {
    const thief = await halfSignedIn(world, holder, `a thief with the password of ${holder.name} (${world.exchanges.length})`);
    if (!thief) return;
    const profile = oneOf(random, world.auditor.model.profiles.values());
    const attempts = {
      account: () => world.call(thief, 'GET /account'),
      change: () => world.call(thief, 'PATCH /profiles/{id}', { params: { id: profile?.id ?? 0 }, body: { data: { city: 'Тараз 7' } } }),
      sessions: () => world.call(thief, 'DELETE /account/sessions'),
      'second factor': () => world.call(thief, `POST ${path}`, { body: { password: passwordOf(world, thief) } }),
      'another login': () => givePassword(world, thief, passwordOf(world, thief)),
      guess: () => giveProof(world, thief, random.pick(['000000', '123456', 'AAAA-BBBB-CCCC-DDDD-EEEE-FFFF-GGGG'])),
      'used code': () => giveProof(world, thief, usedCode(world, holder.accountId) ?? '999999'),
    };
    for (const name of random.shuffled(Object.keys(attempts) as (keyof typeof attempts)[]).slice(0, 3)) await attempts[name]();
  }),
  {
    name: 'a program or an impersonator wants a second factor',
    weight: 0.3,
    async take(world, random) {
      const impersonators = world.others.filter((one) => world.callerOf(one).administratorId !== null);
      const by = oneOf(random, random.next() < 0.5 ? world.programs : impersonators);
      const password = by && passwordOf(world, by);
      const [operation, body] = random.pick<[string, object]>([
        [`POST ${path}`, { password }],
        [`POST ${path}/confirm`, { code: '123456' }],
        [`DELETE ${path}`, { password }],
      ]);
      if (by) await world.call(by, operation, { body });
    },
  },
];

/** Sets one up as a careful person does. */
export async function setUpFactor(world: World, person: Person): Promise<void> {
  await world.call(person, `POST ${path}`, { body: { password: passwordOf(world, person) } });
  const code = world.auditor.model.secondFactors.firstCode(person.accountId);
  await world.call(person, `POST ${path}/confirm`, { body: { code } });
}

const isThief = ({ name }: Person) => name.startsWith('a thief');

const isPresent = (world: World, person: Person) => isActive(world, person) && !world.auditor.inquiry.isSignedOut(person);

/** Who can set one up. The first administrator does without: the auditor asks by their session, and signs in with the password alone. */
function present(world: World): Person[] {
  const all = [...world.people, ...world.administrators.filter((one) => one !== world.administrator)];
  return all.filter((one) => isPresent(world, one));
}

/** A step of a person with a second factor. */
function onHolder(name: string, weight: number, take: (world: World, holder: Person, random: Random) => Promise<unknown>): Step {
  return {
    name,
    weight,
    async take(world, random) {
      const { secondFactors } = world.auditor.model;
      const holder = oneOf(
        random,
        present(world).filter(({ accountId: id }) => secondFactors.isInForce(id) && secondFactors.triesOf(id) < mostTries),
      );
      if (holder) await take(world, holder, random);
    },
  };
}

const isRequested = ({ auditor }: World, { accountId }: Person) => (auditor.model.secondFactors.of(accountId)?.pending ?? null) !== null;

async function confirmAddressOnce(world: World, person: Person, random: Random): Promise<void> {
  if (world.auditor.model.accounts.get(person.accountId)?.isConfirmed === false) await confirmAddress(world, person, random);
}

/** @returns whether a secret waits for its first code */
async function requestFactor(world: World, person: Person, random: Random): Promise<boolean> {
  const password = random.next() < 0.9 ? passwordOf(world, person) : wrongPassword;
  return (await world.call(person, `POST ${path}`, { body: { password } })).status === 200;
}

/** Gives the first code, now and then a wrong one before. */
async function confirmFactor(world: World, person: Person, random: Random): Promise<void> {
  const { secondFactors } = world.auditor.model;
  if (secondFactors.triesOf(person.accountId) >= mostTries) return;
  const confirm = (code: string) => world.call(person, `POST ${path}/confirm`, { body: { code } });
  if (random.next() < 0.2) await confirm('000000');
  await confirm(secondFactors.firstCode(person.accountId) ?? '000000');
}

/** A browser in which only the password was given. */
export async function halfSignedIn(world: World, { client, accountId }: Person, name: string): Promise<Person | null> {
  const browser = Object.assign(new TestClient(world.registry.url), { userId: client.userId, email: client.email });
  const half = { ...personOf(name, browser), accountId };
  await browser.session();
  if (!isHalf(await givePassword(world, half, passwordOf(world, half)))) return null;
  keepOther(world, half);
  return half;
}

/** Right ones, wrong ones and used ones; now and then the browser goes on waiting, or signs out. */
async function giveSome(world: World, browser: Person, random: Random): Promise<void> {
  const { secondFactors } = world.auditor.model;
  const { userId } = browser.client;
  if (secondFactors.triesOf(userId) >= mostTries) return;
  const kind = weighted(random, [
    ['right', 6],
    ['wrong first', 2],
    ['used first', 2],
    ['recovery', 4],
    ['sign out', 1],
    ['wait', 1.5],
  ] as const);
  if (kind === 'wait') return;
  if (kind === 'sign out') return void (await renewing(browser, world.call(browser, 'POST /auth/logout')));
  if (kind === 'wrong first') await giveProof(world, browser, '000000');
  if (kind === 'used first') await giveProof(world, browser, usedCode(world, userId));
  const recoveryCode = kind === 'recovery' ? writtenAnyhow(secondFactors.freshRecoveryCode(userId), random) : null;
  const proof = recoveryCode ?? proofOf(world.auditor.model, userId);
  await giveProof(world, browser, proof);
  // What was used once is refused at the next browser, and this one waits no more.
  if (random.next() < 0.2) await giveProof(world, browser, proof);
}

/** Case, spaces and hyphens do not count (ACC-29). */
function writtenAnyhow(code: string | null, random: Random): string | null {
  if (code === null) return null;
  return random.pick([code, code.toLowerCase(), code.replaceAll(/.{4}(?=.)/g, '$&-'), code.replaceAll(/.{4}(?=.)/g, '$& ')]);
}

/** A code or recovery code that was used; null without one. */
function usedCode({ auditor }: World, accountId: number): string | null {
  return auditor.model.secondFactors.of(accountId)?.used.at(-1) ?? null;
}

/** For a confirmation: none, a wrong, a used or a right one. */
function someCode(world: World, accountId: number, random: Random): string | undefined {
  const { model } = world.auditor;
  const kind = weighted(random, [
    ['code', 4],
    ['recovery', 4],
    ['used', 2],
    ['wrong', 1],
    ['none', 2],
  ] as const);
  switch (kind) {
    case 'none':
      return undefined;
    case 'wrong':
      return '000000';
    case 'used':
      return usedCode(world, accountId) ?? '000000';
    case 'recovery':
      return writtenAnyhow(model.secondFactors.freshRecoveryCode(accountId), random) ?? '000000';
    case 'code':
      return proofOf(model, accountId) ?? undefined;
  }
}
