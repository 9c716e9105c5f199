import { xlsxMime } from '../../platform/spreadsheet/stream-spreadsheet.ts';

/** What people upload. */
export const uploadMimes = ['image/jpeg', 'image/png', 'image/webp', 'application/pdf'] as const;
/** What the registry makes itself, for administrators alone. */
export const madeMimes = [xlsxMime, 'application/zip'] as const;
/** Of every file there is. */
export const fileMimes = [...uploadMimes, ...madeMimes] as const;

export type MadeMime = (typeof madeMimes)[number];
export type FileMime = (typeof fileMimes)[number];

/** Whether the registry made a file: it counts in nobody's share, and nothing may be built on it. */
export function isMade(mime: FileMime): mime is MadeMime {
  return madeMimes.some((made) => made === mime);
}
