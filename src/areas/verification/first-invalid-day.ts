import type { Database } from '../../platform/database/database.ts';
import { dayOf } from '../../platform/date-time.ts';
import { readPastValidity, type CertificateValidity } from './read-validity.ts';
import { stateOn, type VerificationState } from './validity.ts';

/** A day on which a certificate is not valid, `YYYY-MM-DD`, and the reason. */
export interface InvalidDay {
  day: string;
  state: Exclude<VerificationState, 'valid'>;
}

/**
 * Returns the first of these days on which a certificate is not valid; null when it is valid on all of them.
 *
 * Decides as `GET /verify/{token}?on=` does (VER-4).
 * @param days `YYYY-MM-DD`, ascending
 */
export async function firstInvalidDay(
  db: Database,
  now: Date,
  certificate: Pick<CertificateValidity, 'token' | 'validity'>,
  days: readonly string[],
): Promise<InvalidDay | null> {
  const pastDays = days.filter((day) => day < dayOf(now));
  const past = pastDays.length === 0 ? null : await readPastValidity(db, certificate.token, pastDays);
  for (const day of days) {
    const state = stateOn(past?.get(day) ?? certificate.validity, day);
    if (state !== 'valid') return { day, state };
  }
  return null;
}
