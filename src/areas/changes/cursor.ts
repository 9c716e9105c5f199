import { z } from 'zod';
import { dayMs } from '../../platform/time/date-time.ts';

/** A position in the log (CHG-2): all changes up to (`place`, `id`) are behind it. `at`: its instant by the domain clock. */
export interface Position {
  place: number;
  id: number;
  at: Date;
}

/** Days for which a cursor is valid and changes are kept (CHG-4). */
export const keptDays = 90;

const form = /^1(?:\.(?:0|[1-9]\d{0,15})){3}$/;

/** Writes a position as an opaque text. It begins with the version of its form. */
export function writeCursor({ place, id, at }: Position): string {
  return Buffer.from(`1.${place}.${id}.${Math.floor(at.getTime() / 1000)}`).toString('base64url');
}

/** @returns null for a text that no reader got as `next` */
export function readCursor(text: string): Position | null {
  const written = Buffer.from(text, 'base64url').toString('latin1');
  if (!form.test(written)) return null;
  const [, place = 0, id = 0, seconds = 0] = written.split('.').map(Number);
  const at = new Date(seconds * 1000);
  const isPossible = Number.isSafeInteger(place) && Number.isSafeInteger(id) && !Number.isNaN(at.getTime());
  return isPossible ? { place, id, at } : null;
}

/** Returns whether changes after this position may be deleted already. */
export function isExpired({ at }: Position, now: Date): boolean {
  return at.getTime() < now.getTime() - keptDays * dayMs;
}

/** A cursor in a query. */
export const cursor = z
  .string()
  .max(200)
  .transform((text, context) => {
    const position = readCursor(text);
    if (position !== null) return position;
    context.addIssue({ code: 'custom', message: 'must be a `next` of this list' });
    return z.NEVER;
  })
  .meta({ wire: { type: 'string', maxLength: 200, description: '`next` of an earlier answer', examples: ['MS4xLjEuMQ'] } });
