import type { Random } from '../../support/random.ts';
import type { Profile } from '../auditor/applications/application-records.ts';
import type { Exchange } from '../auditor/exchange.ts';
import type { Person, Request, World } from '../world.ts';
import { passwordOf } from '../sign-in.ts';
import { isActive } from './accounts.ts';
import { onProfile } from './athletes.ts';
import { repeatLost } from './repeats.ts';
import { oneOf, type Step, weighted } from './step.ts';

export const transfer = 'PUT /admin/profiles/{id}/owner';

/** Transfers of profiles with everything on them, right ones and wrong ones, also while their owner acts. */
export const transferSteps: readonly Step[] = [
  {
    name: 'an administrator transfers a profile',
    weight: 4,
    async take(world, random) {
      const profile = oneOf(random, world.auditor.model.profiles.values());
      const target = random.next() < 0.8 ? oneOf(random, others(world, profile)) : oneOf(random, world.auditor.model.accounts.values());
      if (!profile || !target) return;
      const { status } = await tryTransfer(world, random, profile, target.id);
      if (status === 200 && random.next() < 0.6) await repeatLost(world, random);
    },
  },
  {
    name: 'an administrator transfers a profile back',
    weight: 1,
    async take(world, random) {
      const profile = oneOf(
        random,
        [...world.auditor.model.profiles.values()].filter(({ formerOwnerIds }) => formerOwnerIds.size > 0),
      );
      const targetId = profile && oneOf(random, profile.formerOwnerIds);
      if (!profile || targetId === undefined) return;
      const by = administratorAt(world, random);
      await world.call(by, transfer, { params: { id: profile.id }, body: bodyOf(world, random, by, profile, targetId) });
    },
  },
  onProfile('a profile is transferred while its owner acts', 0.8, async (world, owner, profile, random) => {
    const target = oneOf(random, others(world, profile));
    const application = [...world.auditor.model.applications.values()].find(({ profileId }) => profileId === profile.id);
    if (!target) return;
    const by = world.administrator;
    const act = weighted<Request>(random, [
      [{ by: owner, operation: 'PATCH /profiles/{id}', call: { params: { id: profile.id }, body: { data: { city: 'Кентау' } } } }, 1],
      ...(application
        ? [[{ by: owner, operation: 'POST /applications/{id}/pay', call: { params: { id: application.id } } }, 2] as [Request, number]]
        : []),
    ]);
    const reason = 'The athlete has another coach now.';
    const body = { current_user_id: profile.ownerId, target_user_id: target.id, reason, password: passwordOf(world, by) };
    await world.race([{ by, operation: transfer, call: { params: { id: profile.id }, body } }, act]);
  }),
  {
    name: 'two administrators transfer a profile to two accounts at once',
    weight: 0.3,
    async take(world, random) {
      const profile = oneOf(random, world.auditor.model.profiles.values());
      const targets = random.shuffled(others(world, profile)).slice(0, 2);
      if (!profile || targets.length < 2) return;
      const by = world.administrator;
      const requests = targets.map(({ id }) => ({
        by,
        operation: transfer,
        call: {
          params: { id: profile.id },
          body: {
            current_user_id: profile.ownerId,
            target_user_id: id,
            reason: 'Both clubs have asked for it.',
            password: passwordOf(world, by),
          },
        },
      }));
      await world.race(requests);
    },
  },
];

/** An administrator looks at the preview and transfers the profile. */
export async function tryTransfer(world: World, random: Random, profile: Profile, targetId: number): Promise<Exchange> {
  const by = administratorAt(world, random);
  const params = { id: profile.id };
  await world.call(by, 'GET /admin/profiles/{id}/owner/preview', { params, query: `?target_user_id=${targetId}` });
  return world.call(by, transfer, { params, body: bodyOf(world, random, by, profile, targetId) });
}

/** Accounts that may take the profile. */
export function others({ auditor: { model } }: World, profile: Profile | undefined) {
  return [...model.accounts.values()].filter(({ id, role, status }) => role === 'user' && status === 'active' && id !== profile?.ownerId);
}

export function administratorAt(world: World, random: Random): Person {
  const present = world.administrators.filter((one) => isActive(world, one) && !world.auditor.inquiry.isSignedOut(one));
  return oneOf(random, present) ?? world.administrator;
}

/** Mostly right; now and then of an old read, without a reason, or without the password. */
export function bodyOf(world: World, random: Random, by: Person, { ownerId }: Profile, targetId: number) {
  const kind = weighted(random, [
    ['right', 16],
    ['old read', 2],
    ['wrong password', 1],
    ['no reason', 1],
  ] as const);
  return {
    current_user_id: kind === 'old read' ? targetId : ownerId,
    target_user_id: targetId,
    reason: kind === 'no reason' ? 'yes' : 'Спортсмен сменил тренера, заявление от 1 марта.',
    password: kind === 'wrong password' ? 'not-the-password-of-anyone' : passwordOf(world, by),
  };
}
