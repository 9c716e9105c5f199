import type { ProfileKind } from '../catalog/index.ts';
import { assertNever } from '../errors.ts';
import type { AthleteData, OrganizerData, ProfileData } from './schemas.ts';

/** Fields that say who a profile is; an approved profile whose identity changes must be reviewed again (decisions.md §3). */
const identityFields = {
  athlete: ['last_name', 'first_name', 'middle_name', 'birth_date', 'gender', 'citizenship', 'iin'],
  organizer: ['organization_name', 'bin', 'director_name', 'director_position', 'legal_address'],
} as const satisfies { athlete: (keyof AthleteData)[]; organizer: (keyof OrganizerData)[] };

/** Names of the fields in which two versions of a profile's data differ. */
export function changedFields(before: ProfileData, after: ProfileData): string[] {
  const old: Record<string, unknown> = before;
  const changed: Record<string, unknown> = after;
  return [...new Set([...Object.keys(old), ...Object.keys(changed)])].filter((name) => old[name] !== changed[name]).sort();
}

export function isIdentityField(kind: ProfileKind, field: string): boolean {
  return (identityFields[kind] as readonly string[]).includes(field);
}

/** The name a profile goes by, made of its data. */
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

/** The IIN that a profile states, if it does. */
export function iinOf(kind: ProfileKind, data: ProfileData): string | null {
  return kind === 'athlete' ? ((data as AthleteData).iin ?? null) : null;
}
