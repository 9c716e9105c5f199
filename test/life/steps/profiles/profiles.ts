import type { Random } from '../../../support/random.ts';
import type { Profile } from '../../auditor/applications/application-records.ts';
import { addDays } from '../../auditor/days.ts';
import { iinOf, wordOf } from '../../marks.ts';
import { makePhoto, makeSmallImage } from '../../papers.ts';
import type { Person, World } from '../../world.ts';
import { anyone, onProfile } from '../athletes.ts';
import { oneOf, type Step } from '../step.ts';
import { maybeLater } from '../time.ts';
import { administratorAt } from '../transfers.ts';

/** Names in three alphabets; some people have one name only. */
const names: readonly [[string, string], ...[string, string | null][]] = [
  ['Серікбаева', 'Айгерім'],
  ['Әбдіқадырұлы', 'Ғалым'],
  ['Иванов', 'Пётр'],
  ['Ким', 'Виктория'],
  ['O’Connor', 'Siobhán'],
  ['Nguyễn', 'Minh'],
  ['Нұрлан', null],
  ['Smith-Jones', 'Ann'],
];

/** Profiles of athletes, with children and with one name, and of organizers: made, changed, submitted, corrected and deleted. */
export const profileSteps: readonly Step[] = [
  {
    name: 'an athlete makes a profile',
    weight: 10,
    async take(world, random) {
      const { profiles } = world.auditor.model;
      const owner = anyone(world, random);
      if (!owner || [...profiles.values()].filter(({ ownerId }) => ownerId === owner.accountId).length >= 3) return;
      const [last, first] = random.pick(names);
      const mark = world.nextMark();
      const birthDate = random.next() < 0.08 ? dayAround(world, random) : someBirthDate(random);
      const iin = someIin(world, random, owner.accountId, iinOf(birthDate, mark));
      const data = {
        last_name: `${last}-${wordOf(mark)}`,
        ...(first === null ? {} : { first_name: first }),
        birth_date: birthDate,
        ...(random.next() < 0.5 ? { iin, phone: `+7701${1_000_000 + mark}`, address: `ул. ${wordOf(mark)}, 1` } : {}),
        gender: random.next() < 0.5 ? 'male' : 'female',
        citizenship: 'KZ',
        city: 'Алматы',
      };
      const photo = random.next() < 0.8 ? { photo_id: await somePhoto(world, random, owner) } : {};
      await world.call(owner, 'POST /profiles', { body: { kind: 'athlete', data, ...photo } });
    },
  },
  onProfile('an athlete submits a profile', 6, (world, owner, { id }) =>
    world.call(owner, 'POST /profiles/{id}/submit', { params: { id } }),
  ),
  onProfile('an athlete changes contacts', 1, (world, owner, { id }, random) =>
    world.call(owner, 'PATCH /profiles/{id}', { params: { id }, body: { data: { city: `Астана ${random.between(1, 99)}` } } }),
  ),
  onProfile(
    'a person changes a field of a profile',
    3,
    async (world, owner, profile, random) => {
      await maybeLater(world, random);
      await world.call(owner, 'PATCH /profiles/{id}', { params: { id: profile.id }, body: { data: someField(world, random, profile) } });
    },
    anApproved,
  ),
  onProfile('an athlete sends another photo', 2, async (world, owner, { id, kind, photo }, random) => {
    // The note of a photo that an organizer has removed concerns no later one.
    const isRemoval = random.next() < 0.15 && (kind === 'athlete' || !photo?.note);
    const photoId = isRemoval ? null : await somePhoto(world, random, owner, 'otherPhoto');
    if (photoId !== null || isRemoval) await world.call(owner, 'PATCH /profiles/{id}', { params: { id }, body: { photo_id: photoId } });
  }),
  onProfile(
    'an athlete deletes a profile',
    2,
    (world, owner, { id }) => world.call(owner, 'DELETE /profiles/{id}', { params: { id } }),
    toDelete,
  ),
  {
    name: 'an administrator corrects a profile',
    weight: 2.5,
    async take(world, random) {
      const profile = oneOf(random, world.auditor.model.profiles.values());
      if (!profile) return;
      const { id } = profile;
      const by = administratorAt(world, random);
      const { data } = await world.call(by, 'GET /admin/records/profile/{id}', { params: { id } });
      const former = oneOf(random, world.auditor.model.shown.former(`profile/${id}`));
      const version = random.next() < 0.15 ? (former ?? data?.updated_at) : data?.updated_at;
      const body = { data: someField(world, random, profile), updated_at: version };
      await world.call(by, 'PATCH /admin/records/profile/{id}', { params: { id }, body });
    },
  },
];

/** Yesterday, today or tomorrow: a date of birth is before today (PRO-9). */
const dayAround = (world: World, random: Random) => addDays(world.auditor.inquiry.today, random.between(-1, 1));

/** Half of the children come of age in the first year of the life. */
function someBirthDate(random: Random): string {
  if (random.next() < 0.75) return `19${random.between(70, 99)}-0${random.between(1, 9)}-15`;
  return `${random.next() < 0.5 ? 2009 : `20${random.between(10, 16)}`}-0${random.between(2, 9)}-15`;
}

/** Mostly one of its own; else that of another profile, of the same account or not (PRO-1), or one with a wrong checksum (PRO-4). */
function someIin(world: World, random: Random, accountId: number, fresh: string): string {
  const kind = random.next();
  if (kind < 0.03) return fresh.slice(0, 11) + ((Number(fresh[11]) + 1) % 10);
  if (kind > 0.23) return fresh;
  const withIin = [...world.auditor.model.profiles.values()].filter(({ fields }) => fields['iin'] !== undefined);
  const taken = oneOf(
    random,
    withIin.filter(({ ownerId }) => (ownerId === accountId) === kind < 0.13),
  );
  return taken ? String(taken.fields['iin']) : fresh;
}

/** Mostly a photo of all lives, now and then an image that is too small (PRO-8). */
function somePhoto(world: World, random: Random, owner: Person, which: 'photo' | 'otherPhoto' = 'photo'): Promise<string | null> {
  return random.next() < 0.1 ? makeSmallImage(world, owner) : makePhoto(world, owner, which);
}

/** One field of a profile with another value; an optional one is taken away now and then. */
function someField(world: World, random: Random, { kind, ownerId }: Profile): Record<string, string | null> {
  const mark = world.nextMark();
  const [last, first] = random.pick(names);
  const birthDate = random.next() < 0.2 ? dayAround(world, random) : someBirthDate(random);
  const contacts: Record<string, string> = { phone: `+7703${1_000_000 + mark}`, city: `Семей ${mark}` };
  const optional: Record<string, string> =
    kind === 'athlete'
      ? {
          ...contacts,
          first_name: first ?? 'Асан',
          middle_name: `Бауыржан${'а'.repeat(random.between(0, 9))}`,
          iin: someIin(world, random, ownerId, iinOf(someBirthDate(random), mark)),
          address: `ул. ${wordOf(mark)}, 2`,
        }
      : { city: `Семей ${mark}`, bin: `1205400${10_000 + mark}` };
  const required: Record<string, string> =
    kind === 'athlete'
      ? {
          last_name: `${last}-${wordOf(mark)}`,
          birth_date: birthDate,
          gender: random.pick(['male', 'female']),
          citizenship: random.pick(['KZ', 'KG', 'UZ']),
        }
      : {
          organization_name: `Клуб ${wordOf(mark)}`,
          director_name: `Сергеев ${wordOf(mark)}`,
          director_position: random.pick(['Директор', 'Президент']),
          legal_address: `Алматы, пр. Абая, 2, оф. ${1000 + mark}`,
          phone: `+7702${1_000_000 + mark}`,
          email: `club${1000 + mark}@example.kz`,
        };
  const [field, value] = oneOf(random, Object.entries({ ...required, ...optional })) ?? ['city', 'Семей'];
  return { [field]: field in optional && random.next() < 0.15 ? null : value };
}

/** Mostly one that was approved, which a change of identity fields returns to review (PRO-3). */
function anApproved({ auditor: { model } }: World, random: Random): Profile | undefined {
  const all = [...model.profiles.values()];
  const approved = all.filter(({ data }) => data.status === 'approved');
  return oneOf(random, random.next() < 0.6 && approved.length > 0 ? approved : all);
}

/** Mostly one that may be deleted as far as reviews go, or one with one approved part. */
function toDelete({ auditor: { model } }: World, random: Random): Profile | undefined {
  const all = [...model.profiles.values()];
  const isApproved = ({ data, photo }: Profile) => [data, photo].filter((part) => part?.status === 'approved').length;
  const kind = random.next();
  if (kind < 0.6)
    return oneOf(
      random,
      all.filter(({ wasApproved }) => !wasApproved),
    );
  return oneOf(random, kind < 0.85 ? all.filter((profile) => isApproved(profile) === 1) : all);
}
