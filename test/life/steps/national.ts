import type { Random } from '../../support/random.ts';
import { isFit, listOf, type NationalList } from '../auditor/national/national.ts';
import { serviceOf } from '../auditor/applications/readiness.ts';
import { approve } from '../certify.ts';
import { iinOf, wordOf } from '../marks.ts';
import { makePhoto } from '../papers.ts';
import type { World } from '../world.ts';
import { oneOf, type Step, weighted } from './step.ts';
import { administratorAt } from './transfers.ts';

const notes = ['Құжат анық емес.', 'The scan cannot be read.'] as const;

/** Clerks who keep the lists of national certificates for review, insurer and printer. */
export const nationalSteps: readonly Step[] = [
  {
    name: 'a clerk changes a list of national certificates',
    weight: 5,
    async take(world, random) {
      const list = random.pick(['insurance', 'print', 'review'] as const);
      const by = administratorAt(world, random);
      const year = Number(world.auditor.inquiry.today.slice(0, 4));
      const body = weighted<Record<string, unknown>>(random, [
        [{ operation: 'auto', year: random.next() < 0.8 ? year : year - 1 }, 4],
        [{ operation: 'add', ids: someIds(world, random, list) }, 4],
        [{ operation: 'remove', ids: someIds(world, random, list) }, 1],
        [{ operation: 'clear' }, 0.7],
      ]);
      await world.call(by, `POST /admin/national/lists/${list}`, { body });
    },
  },
  {
    name: 'a clerk exports a list of national certificates',
    weight: 4,
    async take(world, random) {
      const list = random.pick(['insurance', 'print'] as const);
      const { model } = world.auditor;
      const administrator = administratorAt(world, random);
      const own = listOf(model, administrator.accountId, list);
      // A careful clerk removes what no longer fits; another one sends what they read before.
      const unfit = own.filter((id) => !isFit(model, model.applications.get(id), list));
      const isCareful = random.next() < 0.7;
      if (isCareful && unfit.length > 0)
        await world.call(administrator, `POST /admin/national/lists/${list}`, { body: { operation: 'remove', ids: unfit } });
      const stored = listOf(model, administrator.accountId, list);
      const ids = random.next() < 0.85 ? stored : [...stored.slice(1), ...someIds(world, random, list).slice(0, 1)];
      if (ids.length > 0) await world.call(administrator, `POST /admin/national/lists/${list}/export`, { body: { ids } });
    },
  },
  {
    name: 'a clerk fills and exports a list of national certificates',
    weight: 3,
    async take(world, random) {
      const list = random.pick(['insurance', 'print'] as const);
      const administrator = administratorAt(world, random);
      const year = Number(world.auditor.inquiry.today.slice(0, 4));
      await world.call(administrator, `POST /admin/national/lists/${list}`, { body: { operation: 'clear' } });
      const filled = await world.call(administrator, `POST /admin/national/lists/${list}`, { body: { operation: 'auto', year } });
      const ids = filled.status === 200 ? (filled.data.ids as number[]) : [];
      if (random.next() < 0.4) await renewHolder(world, random, ids);
      if (ids.length > 0) await world.call(administrator, `POST /admin/national/lists/${list}/export`, { body: { ids } });
    },
  },
  {
    name: 'a clerk decides on a list of national certificates',
    weight: 1.5,
    async take(world, random) {
      const by = administratorAt(world, random);
      const own = listOf(world.auditor.model, by.accountId, 'review');
      const ids = [...new Set([...own.slice(0, 3), ...someIds(world, random, 'review')])];
      if (ids.length === 0) return;
      const decision = weighted(random, [
        ['approve', 4],
        ['changes', 2],
        ['cancel', 0.7],
      ] as const);
      const note = decision === 'approve' ? {} : random.next() < 0.9 ? { note: random.pick(notes) } : { note: 'no' };
      await world.call(by, 'POST /admin/national/lists/review/review', { body: { ids, decision, ...note } });
    },
  },
];

/** The holder of one of the certificates gets another name, IIN and photo, and has them approved (NAT-8, NAT-9, EVT-20). */
async function renewHolder(world: World, random: Random, ids: readonly number[]): Promise<void> {
  const { model, inquiry } = world.auditor;
  const application = model.applications.get(random.shuffled(ids)[0] ?? 0);
  const profile = model.profiles.get(application?.profileId ?? 0);
  const owner = profile && inquiry.personOf(profile.ownerId);
  if (!profile || !owner) return;
  const mark = world.nextMark();
  const data = { middle_name: `Ерланұлы-${wordOf(mark)}`, iin: iinOf(profile.birthDate ?? '1990-05-17', mark) };
  const photo = random.next() < 0.5 ? { photo_id: await makePhoto(world, owner, 'otherPhoto') } : {};
  await world.call(owner, 'PATCH /profiles/{id}', { params: { id: profile.id }, body: { data, ...photo } });
  if (profile.data.status === 'pending') await approve(world, 'profile', profile.id);
  if (profile.photo?.status === 'pending') await approve(world, 'photo', profile.id);
}

/** Ids as a clerk would name them: mostly national certificates, now and then another record or none. */
function someIds(world: World, random: Random, list: NationalList): number[] {
  const { model } = world.auditor;
  const all = [...model.applications.values()];
  const national = all.filter((one) => serviceOf(model, one).kind === 'national_certificate');
  const fitting = national.filter((one) => isFit(model, one, list));
  const ids = Array.from({ length: random.between(1, 3) }, () => {
    const from = weighted(random, [
      [fitting, 6],
      [national, 2],
      [all, 1],
    ]);
    return random.next() < 0.05 ? 9_999_999 : (oneOf(random, from)?.id ?? 9_999_999);
  });
  return [...new Set(ids)];
}
