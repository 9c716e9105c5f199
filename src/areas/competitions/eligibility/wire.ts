import { z } from 'zod';
import { dayResponse, id } from '../../../http/schemas.ts';
import { eligibilityCodes, type EligibilityReason, type WholeEligibility } from './eligibility.ts';

const reason = z.object({
  code: z.enum(eligibilityCodes),
  day: dayResponse.describe('First day of the reason'),
  until_day: dayResponse.optional().describe('Last of the consecutive days; absent for a single day'),
  document_id: id.optional().describe('The document that is not valid on these days'),
});

export const eligibilityResponse = z
  .object({
    ok: z.boolean().describe('Whether `reasons` is empty'),
    reasons: z.array(reason).describe('For today and the days of the event still to come, by what holds now'),
    past: z
      .array(reason)
      .describe(
        'For the days of the event gone by, each by what held on that day; a later annulment or return does not change it. `ok` does not depend on it',
      ),
  })
  .meta({
    id: 'Eligibility',
    description:
      'Whether the athlete is eligible, computed at each read. Each day of the event needs a valid fitting licence, or both documents of another federation',
  });

/** Presents eligibility in registrations, in options and in the list of participants. */
export function presentEligibility({ ok, reasons, past }: WholeEligibility): z.input<typeof eligibilityResponse> {
  return { ok, reasons: presentReasons(reasons), past: presentReasons(past) };
}

/** Presents reasons, also as `details.reasons` of a refusal. */
export function presentReasons(reasons: readonly EligibilityReason[]): z.input<typeof reason>[] {
  return reasons.map(({ code, day, untilDay, documentId }) => ({
    code,
    day,
    ...(untilDay === day ? {} : { until_day: untilDay }),
    ...(documentId === null ? {} : { document_id: documentId }),
  }));
}
