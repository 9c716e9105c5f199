import type { ServiceKind } from '../catalog/index.ts';
import type { CommandContext } from '../platform/context.ts';
import { findCertificatesOfProfile, firstInvalidDay, readValidityOf } from '../verification/index.ts';
import type { CertificateValidity, InvalidDay } from '../verification/index.ts';
import type { Event } from './entities.ts';
import { competitionDays } from './event-days.ts';

/** Certificates that somebody competes with. */
export const competingKinds = ['national_certificate', 'international_licence'] as const satisfies readonly ServiceKind[];

/**
 * The first day of a competition on which the holder of a certificate may not take part; null when every day is covered. No certificate
 * outlasts its year, so of an event across New Year the days beyond its dates may be covered by another one of the same profile
 * (decisions.md §6 "Eligibility").
 */
export async function firstUncoveredDay(
  { db, now }: Pick<CommandContext, 'db' | 'now'>,
  event: Pick<Event, 'startsAt' | 'endsAt' | 'disciplineId'>,
  certificate: Readonly<CertificateValidity>,
): Promise<InvalidDay | null> {
  const days = competitionDays(event);
  const invalid = await firstInvalidDay(db, now, certificate, days);
  const { validFrom, validUntil } = certificate.validity;
  const own = days.filter((day) => validFrom <= day && day <= validUntil);
  const others = days.filter((day) => !own.includes(day));
  const [firstDay, lastDay] = [others[0], others.at(-1)];
  const isAcrossNewYear = days[0]?.slice(0, 4) !== days.at(-1)?.slice(0, 4);
  if (invalid === null || !isAcrossNewYear || own.length === 0 || firstDay === undefined || lastDay === undefined) return invalid;
  const invalidOwn = await firstInvalidDay(db, now, certificate, own);
  if (invalidOwn !== null) return invalidOwn;
  const { profileId } = certificate;
  const wishes = { profileId, kinds: competingKinds, disciplineId: event.disciplineId, firstDay, lastDay };
  const found = await readValidityOf(db, await findCertificatesOfProfile(db, wishes));
  for (const other of found.values()) if ((await firstInvalidDay(db, now, other, others)) === null) return null;
  return invalid;
}
