import { xlsxMime } from '../../platform/spreadsheet/stream-spreadsheet.ts';

/** Types that an account may upload (FIL-1). */
export const uploadMimes = ['image/jpeg', 'image/png', 'image/webp', 'application/pdf'] as const;
/** Types that the registry makes, for administrators only (FIL-6). */
export const madeMimes = [xlsxMime, 'application/zip'] as const;
export const fileMimes = [...uploadMimes, ...madeMimes] as const;

export type MadeMime = (typeof madeMimes)[number];
export type FileMime = (typeof fileMimes)[number];

/** Whether the registry made a file: it counts in no quota and cannot be attached to a record. */
export function isMade(mime: FileMime): mime is MadeMime {
  return madeMimes.some((made) => made === mime);
}
