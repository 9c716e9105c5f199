import type { Database } from '../../platform/database/database.ts';
import { dayOf } from '../../platform/date-time.ts';
import { readPastValidity } from './read-past-validity.ts';
import type { CertificateValidity } from './read-validity.ts';
import { stateOn, type VerificationState } from './validity.ts';

/** A day on which a certificate is not in force, `YYYY-MM-DD`, and why. */
export interface InvalidDay {
  day: string;
  state: Exclude<VerificationState, 'valid'>;
}

/**
 * The first of these days on which a certificate is not in force; null when it is on all of them. As `GET /verify/{token}?on=` says it: past
 * days by what stood when they ended, the present one and those to come by what stands now.
 * @param days `YYYY-MM-DD`, in their order
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
