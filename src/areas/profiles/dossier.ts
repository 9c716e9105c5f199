import type { z } from 'zod';
import type { Database } from '../../platform/database/database.ts';
import { definePoint } from '../../platform/extensions.ts';

/** A field of `GET /profiles/{id}/portfolio`, owned by another area; with `isShownWithProfile` also of `GET /profiles/{id}`. */
export interface DossierSection {
  /** The field it fills: `documents`, `applications`, `certificates`, `participation`. */
  field: string;
  schema: z.ZodType;
  isShownWithProfile?: boolean;
  /** Reads the field's value for a profile, in its wire format. */
  read(db: Database, profileId: number): Promise<unknown>;
}

export const dossierSections = definePoint<DossierSection>('sections of a dossier');

/** A counter of `GET /profiles/summary`. */
export interface ProfileCounter {
  /** The field it fills: `documents`, `applications`, `certificates`, `competitions`. */
  field: string;
  /** Selects the count of each of these profiles; a missing profile counts 0. */
  select(db: Database, profileIds: readonly number[]): { execute(): Promise<{ profileId: number; count: number }[]> };
}

export const profileCounters = definePoint<ProfileCounter>('counters of a profile');

/** Reads the sections of a profile, by field. */
export async function readSections(db: Database, sections: readonly DossierSection[], profileId: number): Promise<Record<string, unknown>> {
  const values: Record<string, unknown> = {};
  for (const { field, read } of sections) values[field] = await read(db, profileId);
  return values;
}

/** Reads the counters of these profiles, by field; one statement for each counter. */
export async function readCounters(
  db: Database,
  counters: readonly ProfileCounter[],
  profileIds: readonly number[],
): Promise<(profileId: number) => Record<string, number>> {
  const counted: { field: string; counts: ReadonlyMap<number, number> }[] = [];
  for (const { field, select } of profileIds.length > 0 ? counters : []) {
    const rows = await select(db, profileIds).execute();
    counted.push({ field, counts: new Map(rows.map(({ profileId, count }) => [profileId, count])) });
  }
  return (profileId) => Object.fromEntries(counted.map(({ field, counts }) => [field, counts.get(profileId) ?? 0]));
}
