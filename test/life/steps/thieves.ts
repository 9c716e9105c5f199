import { in300Days } from './programs.ts';
import { oneOf, type Step, weighted } from './step.ts';
import { keepOther } from './accounts.ts';
import { renewing } from '../sign-in.ts';
import { anyone } from './athletes.ts';

/** Thieves: each holds a copy of a session, which ends with the session alone. */
export const thiefSteps: readonly Step[] = [
  {
    name: 'a thief copies a session',
    weight: 1.5,
    async take(world, random) {
      // The auditor asks by the session of the first administrator.
      const victim = oneOf(
        random,
        [anyone(world, random), ...world.others].filter((one) => one && one.client.userId !== world.administrator.accountId),
      );
      if (!victim) return;
      const client = victim.client.copy();
      client.password = 'not-the-password-of-anyone';
      keepOther(world, { ...victim, name: `a thief of ${victim.name} (${world.exchanges.length})`, client });
    },
  },
  {
    name: 'a thief uses a session',
    weight: 3,
    async take(world, random) {
      const thief = oneOf(
        random,
        world.others.filter(({ name }) => name.startsWith('a thief')),
      );
      if (!thief) return;
      const profile = oneOf(random, world.auditor.model.profiles.values());
      const password = 'not-the-password-of-anyone';
      const attempt = weighted(random, [
        ['change', 4],
        ['password', 2],
        ['key', 2],
        ['sessions', 1],
        ['sign out', 1],
      ] as const);
      switch (attempt) {
        case 'change':
          if (profile)
            await world.call(thief, 'PATCH /profiles/{id}', {
              params: { id: profile.id },
              body: { data: { city: `Тараз ${random.between(1, 99)}` } },
            });
          return;
        case 'password':
          return void (await world.call(thief, 'POST /auth/password', {
            body: { current_password: password, password: 'a-secret-of-the-thief' },
          }));
        case 'key':
          return void (await world.call(thief, 'POST /api-keys', {
            body: { name: 'mine', scopes: ['profiles:read'], expires_at: in300Days(world), password },
          }));
        case 'sessions':
          return void (await world.call(thief, 'DELETE /account/sessions'));
        case 'sign out':
          return void (await renewing(thief, world.call(thief, 'POST /auth/logout')));
      }
    },
  },
];
