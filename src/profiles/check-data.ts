import { z } from 'zod';
import type { ProfileKind } from '../catalog/index.ts';
import { checkAll, fieldProblem } from '../errors.ts';
import { validateParts } from '../http/validate.ts';
import { dayOf } from '../platform/date-time.ts';
import { athleteData, dataSchemas } from './schemas.ts';
import type { AthleteData, ProfileData } from './schemas.ts';

/**
 * What a profile's data is after a change: given fields replace, null removes an optional one.
 * @throws {DomainError} validation_failed with every problem, under `body.data`
 */
export function mergeData(kind: ProfileKind, current: ProfileData, changes: Record<string, unknown>): ProfileData {
  const { shape } = dataSchemas[kind];
  // A field that does not exist stays in, so that it is reported.
  const merged = Object.entries({ ...current, ...changes }).filter(([name, value]) => value !== null || !Object.hasOwn(shape, name));
  const schema = z.object({ data: dataSchemas[kind] });
  const { body } = validateParts([{ part: 'body', schema, value: { data: Object.fromEntries(merged) } }]);
  return (body as { data: ProfileData }).data;
}

/**
 * The same with what the clock has to say about the day of birth, told together.
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

/** What only the clock can tell. @throws {DomainError} validation_failed */
export function checkBirthDate(kind: ProfileKind, data: ProfileData | Pick<AthleteData, 'birth_date'>, now: Date): void {
  if (kind !== 'athlete' || (data as AthleteData).birth_date < dayOf(now)) return;
  throw fieldProblem('body.data.birth_date', 'not_past', 'must be in the past');
}
