import { TestClient } from '../../support/client.ts';
import type { Exchange } from '../auditor/exchange.ts';
import type { Random } from '../../support/random.ts';
import { type Person, personOf, type World } from '../world.ts';
import { passwordOf, renewing, signIn } from '../sign-in.ts';
import { confirmAddress, isActive, signInElsewhere } from './accounts.ts';
import { anyone } from './athletes.ts';
import { in300Days } from './programs.ts';
import { oneOf, type Step, weighted } from './step.ts';

const mostDeputies = 2;
const wrongPassword = 'not-the-password-of-anyone';

/** Further administrators, who come and go, and what administrators do in the account of a person. */
export const deputySteps: readonly Step[] = [
  {
    name: 'a deputy becomes an administrator',
    weight: 2,
    take: async (world, random) => void (await beginAsDeputy(world, random)),
  },
  {
    name: 'a deputy is an administrator no more',
    weight: 0.8,
    async take(world, random) {
      const deputy = oneOf(random, world.administrators.filter(isDeputy));
      if (!deputy) return;
      await demote(world, deputy, await changeUser(world, random, deputy, { role: 'user' }));
    },
  },
  {
    name: 'an administrator is blocked or unblocked',
    weight: 0.6,
    async take(world, random) {
      const deputy = oneOf(random, world.administrators.filter(isDeputy));
      if (!deputy) return;
      const status = isActive(world, deputy) ? 'blocked' : 'active';
      const answer = await changeUser(world, random, deputy, { status });
      if (answer.status === 200 && status === 'active') await signIn(world, deputy);
    },
  },
  {
    name: 'an administrator changes the own account, or one that does not exist',
    weight: 0.3,
    async take(world, random) {
      const { administrator } = world;
      const id = random.next() < 0.5 ? administrator.accountId : 999_999;
      const body = { role: 'user', password: passwordOf(world, administrator) };
      await world.call(administrator, 'PATCH /admin/users/{id}', { params: { id }, body });
    },
  },
  {
    name: 'an administrator impersonates a person',
    weight: 2.5,
    async take(world, random) {
      const administrator = await atBrowser(world, random);
      const target = oneOf(random, random.next() < 0.85 ? world.people : world.administrators);
      if (!administrator || !target) return;
      const password = random.next() < 0.9 ? passwordOf(world, administrator) : wrongPassword;
      const body = { user_id: target.accountId, password };
      await renewing(administrator, world.call(administrator, 'POST /admin/impersonate', { body }));
    },
  },
  {
    name: 'an administrator acts in the account of a person',
    weight: 4,
    async take(world, random) {
      const actor = oneOf(random, impersonators(world));
      if (actor) await act(world, actor, random);
    },
  },
  {
    name: 'an account is blocked while an administrator acts in it',
    weight: 1,
    async take(world, random) {
      const deputy = world.administrators.find((one) => isDeputy(one) && isActive(world, one));
      const person = anyone(world, random);
      const actor = deputy && (await signInElsewhere(world, deputy));
      if (!actor || !person) return;
      const { accountId } = person;
      const wanted = { user_id: accountId, password: passwordOf(world, actor) };
      const began = await renewing(actor, world.call(actor, 'POST /admin/impersonate', { body: wanted }));
      if (began.status !== 200) return;
      for (const status of ['blocked', 'active']) {
        const body = { status, password: passwordOf(world, world.administrator) };
        await world.call(world.administrator, 'PATCH /admin/users/{id}', { params: { id: accountId }, body });
      }
      await signIn(world, person);
    },
  },
  {
    name: 'an administrator ends an impersonation',
    weight: 1.2,
    async take(world, random) {
      const actor = oneOf(random, random.next() < 0.85 ? impersonators(world) : world.others);
      if (!actor) return;
      await renewing(actor, world.call(actor, 'POST /auth/impersonation/stop'));
    },
  },
];

/** A deputy with a confirmed address, mostly, becomes an administrator. @returns null when it is refused */
export async function beginAsDeputy(world: World, random: Random): Promise<Person | null> {
  const deputy = oneOf(random, world.people.filter(isDeputy)) ?? (await registerDeputy(world));
  if (!deputy || !isActive(world, deputy)) return null;
  if (random.next() < 0.8) await confirmAddress(world, deputy, random);
  const answer = await changeUser(world, random, deputy, { role: 'administrator' });
  if (answer.status !== 200) return null;
  world.people.splice(world.people.indexOf(deputy), 1);
  world.administrators.push(deputy);
  await signIn(world, deputy);
  return deputy;
}

/** A deputy loses the role, or is blocked for a while. */
export async function endAsDeputy(world: World, deputy: Person, how: 'blocked' | 'user'): Promise<void> {
  const by = world.administrator;
  const change = (body: object) =>
    world.call(by, 'PATCH /admin/users/{id}', { params: { id: deputy.accountId }, body: { ...body, password: passwordOf(world, by) } });
  if (how === 'user') return demote(world, deputy, await change({ role: 'user' }));
  await change({ status: 'blocked' });
  await world.auditor.askAfterStep();
  await change({ status: 'active' });
}

async function demote(world: World, deputy: Person, { status }: Exchange): Promise<void> {
  if (status !== 200) return;
  world.administrators.splice(world.administrators.indexOf(deputy), 1);
  world.people.push(deputy);
  if (isActive(world, deputy)) await signIn(world, deputy);
}

const isDeputy = ({ name }: Person) => name.startsWith('deputy');

async function registerDeputy(world: World): Promise<Person | null> {
  const number = [...world.people, ...world.administrators].filter(isDeputy).length + 1;
  if (number > mostDeputies) return null;
  const client = new TestClient(world.registry.url);
  const name = `Deputy ${number}`;
  await client.register(`deputy${number}@life.kz`, name);
  const deputy = personOf(`deputy ${number}`, client);
  world.people.push(deputy);
  world.auditor.knows(client, { role: 'user', isConfirmed: false, name });
  return deputy;
}

/** By an administrator who may be a deputy too, now and then with a wrong password. */
async function changeUser(world: World, random: Random, { accountId: id }: Person, change: object) {
  const others = world.administrators.filter((one) => isActive(world, one) && !world.auditor.inquiry.isSignedOut(one));
  const by = random.next() < 0.7 ? world.administrator : (oneOf(random, others) ?? world.administrator);
  const password = random.next() < 0.9 ? passwordOf(world, by) : wrongPassword;
  return world.call(by, 'PATCH /admin/users/{id}', { params: { id }, body: { ...change, password } });
}

/** A browser of an administrator's own for impersonations: one that they have, or a new one. */
async function atBrowser(world: World, random: Random): Promise<Person | null> {
  const own = world.others.filter((one) => isAdministrators(world, one) && !world.auditor.inquiry.isSignedOut(one));
  const idle = own.filter((one) => world.callerOf(one).administratorId === null);
  const administrator = oneOf(
    random,
    world.administrators.filter((one) => isActive(world, one)),
  );
  return oneOf(random, idle) ?? (administrator ? signInElsewhere(world, administrator) : null);
}

const isAdministrators = ({ auditor }: World, { client, name }: Person) =>
  !name.startsWith('a thief') && auditor.model.accounts.get(client.userId)?.role === 'administrator';

function impersonators(world: World): Person[] {
  return world.others.filter((one) => world.callerOf(one).administratorId !== null);
}

/** What the person could do, and what stays closed meanwhile (ACC-13). */
async function act(world: World, actor: Person, random: Random): Promise<void> {
  const { accountId } = world.callerOf(actor);
  const { profiles, applications } = world.auditor.model;
  const own = [...profiles.values()].filter(({ ownerId }) => ownerId === accountId);
  const profile = oneOf(random, random.next() < 0.8 ? own : profiles.values());
  const application = oneOf(
    random,
    [...applications.values()].filter(({ profileId }) => profileId === profile?.id),
  );
  const password = passwordOf(world, actor);
  const attempt = weighted(random, [
    ['change', 3],
    ['submit', 3],
    ['pay', 2],
    ['read', 3],
    ['password', 1],
    ['key', 1],
    ['administer', 1],
    ['again', 1],
    ['sessions', 1],
  ] as const);
  switch (attempt) {
    case 'change':
      if (profile)
        await world.call(actor, 'PATCH /profiles/{id}', {
          params: { id: profile.id },
          body: { data: { city: `Орал ${random.between(1, 99)}` } },
        });
      return;
    case 'submit':
      if (application) await world.call(actor, 'POST /applications/{id}/submit', { params: { id: application.id } });
      return;
    case 'pay':
      if (application) await world.call(actor, 'POST /applications/{id}/pay', { params: { id: application.id } });
      return;
    case 'read': {
      const list = await world.call(actor, 'GET /notifications');
      const rows = list.status === 200 ? (list.data as { id: number; read_at: string | null }[]) : [];
      const unread = rows.filter(({ read_at: at }) => at === null);
      const row = oneOf(random, unread.length > 0 && random.next() < 0.7 ? unread : rows);
      if (row) await world.call(actor, 'POST /notifications/{id}/read', { params: { id: row.id } });
      return;
    }
    case 'password':
      await world.call(actor, 'POST /auth/password', { body: { current_password: password, password: 'another-long-secret-of-theirs' } });
      return;
    case 'key':
      await world.call(actor, 'POST /api-keys', {
        body: { name: 'mine', scopes: ['profiles:read'], expires_at: in300Days(world), password },
      });
      return;
    case 'administer':
      await world.call(actor, 'PATCH /admin/users/{id}', { params: { id: accountId }, body: { status: 'blocked', password } });
      return;
    case 'again':
      await world.call(actor, 'POST /admin/impersonate', { body: { user_id: anyone(world, random)?.accountId ?? 0, password } });
      return;
    case 'sessions':
      await world.call(actor, 'DELETE /account/sessions');
      return;
  }
}
