import { sql } from 'kysely';
import { z } from 'zod';
import { assertNever, checkAll, fieldProblem } from '../../errors.ts';
import { validateParts } from '../../http/request/validate.ts';
import type { CommandContext } from '../../platform/commands/context.ts';
import { inList } from '../../platform/database/database.ts';
import { dayOf } from '../../platform/time/date-time.ts';
import type { ProfileKind } from '../catalog/index.ts';
import { athleteData, type AthleteData, type OrganizerData, type ProfileData, dataSchemas } from './profile-data.ts';

/**
 * Merges changes into a profile's data: given fields replace, null removes an optional field.
 * @throws {DomainError} validation_failed with every problem, under `body.data`
 */
export function mergeData(kind: ProfileKind, current: ProfileData, changes: Record<string, unknown>): ProfileData {
  const { shape } = dataSchemas[kind];
  // Unknown fields stay in, so that the validation reports them (API-2).
  const merged = Object.entries({ ...current, ...changes }).filter(([name, value]) => value !== null || !Object.hasOwn(shape, name));
  const schema = z.object({ data: dataSchemas[kind] });
  const { body } = validateParts([{ part: 'body', schema, value: { data: Object.fromEntries(merged) } }]);
  return (body as { data: ProfileData }).data;
}

/**
 * Merges changes and checks the date of birth; reports all problems together.
 * @throws {DomainError} validation_failed with every problem, under `body.data`
 */
export async function checkChangedData(
  kind: ProfileKind,
  current: ProfileData,
  changes: Record<string, unknown>,
  now: Date,
): Promise<ProfileData> {
  const born = athleteData.shape.birth_date.safeParse(changes['birth_date']);
  const [data] = await checkAll(
    () => mergeData(kind, current, changes),
    () => (born.success ? checkBirthDate(kind, { birth_date: born.data }, now) : null),
  );
  return data;
}

/** Checks that an athlete's date of birth is in the past (PRO-9). @throws {DomainError} validation_failed */
export function checkBirthDate(kind: ProfileKind, data: ProfileData | Pick<AthleteData, 'birth_date'>, now: Date): void {
  if (kind !== 'athlete' || (data as AthleteData).birth_date < dayOf(now)) return;
  throw fieldProblem('body.data.birth_date', 'not_past', 'must be in the past');
}

/** Identity fields: a change of one returns an approved profile to review (PRO-3). */
const identityFields = {
  athlete: ['last_name', 'first_name', 'middle_name', 'birth_date', 'gender', 'citizenship', 'iin'],
  organizer: ['organization_name', 'bin', 'director_name', 'director_position', 'legal_address'],
} as const satisfies { athlete: (keyof AthleteData)[]; organizer: (keyof OrganizerData)[] };

/** Lists the fields in which two versions of a profile's data differ. */
export function changedFields(before: ProfileData, after: ProfileData): string[] {
  const old: Record<string, unknown> = before;
  const changed: Record<string, unknown> = after;
  return [...new Set([...Object.keys(old), ...Object.keys(changed)])].filter((name) => old[name] !== changed[name]).sort();
}

export function isIdentityField(kind: ProfileKind, field: string): boolean {
  return (identityFields[kind] as readonly string[]).includes(field);
}

/** Builds the display name of a profile from its data. */
export function nameOf(kind: ProfileKind, data: ProfileData): string {
  switch (kind) {
    case 'athlete': {
      const { last_name, first_name, middle_name } = data as AthleteData;
      return [last_name, first_name, middle_name].filter((part) => part !== undefined).join(' ');
    }
    case 'organizer':
      return (data as OrganizerData).organization_name;
    default:
      return assertNever(kind);
  }
}

/** Reads the IIN of a profile; null when it has none. */
export function iinOf(kind: ProfileKind, data: ProfileData): string | null {
  return kind === 'athlete' ? ((data as AthleteData).iin ?? null) : null;
}

interface IinChange {
  /** Null before the profile is created. */
  profileId: number | null;
  /** The previous IIN; null when there was none. */
  left: string | null;
  /** The new IIN; null when it is removed. */
  taken: string | null;
}

/**
 * Updates `duplicate_iin` of all other profiles with the old or the new IIN of a profile (PRO-1): true while another profile has
 * the same IIN. Concurrent changes of the same IIN run one after the other (advisory lock).
 * @returns the new `duplicate_iin` of the profile itself
 */
export async function flagDuplicateIins(ctx: CommandContext, { profileId, left, taken }: IinChange): Promise<boolean> {
  let isDuplicate = false;
  for (const iin of [...new Set([left, taken])].filter((known) => known !== null).sort()) {
    const others = await lockHolders(ctx, iin, profileId);
    if (iin === taken) isDuplicate = others.length > 0;
    const areDuplicates = others.length > (iin === taken ? 0 : 1);
    const wrong = others.filter(({ duplicateIin }) => duplicateIin !== areDuplicates).map(({ id }) => id);
    if (wrong.length > 0) await setFlag(ctx, wrong, areDuplicates);
  }
  return isDuplicate;
}

async function setFlag(ctx: CommandContext, ids: number[], duplicateIin: boolean): Promise<void> {
  await ctx.db.updateTable('profiles').set({ duplicateIin }).where('id', '=', inList(ids)).execute();
}

/** Lists the other profiles with an IIN, after locking the IIN until the transaction ends. */
async function lockHolders(ctx: CommandContext, iin: string, profileId: number | null): Promise<{ id: number; duplicateIin: boolean }[]> {
  await sql`select pg_advisory_xact_lock(hashtextextended('profiles.iin:' || ${iin}::text, 0))`.execute(ctx.db);
  return ctx.db
    .selectFrom('profiles')
    .select(['id', 'duplicateIin'])
    .where('iin', '=', iin)
    .where('id', 'is distinct from', profileId)
    .orderBy('id')
    .execute();
}
