import type { z } from 'zod';
import { competitionSpan, defaultSettings } from '../competitions/index.ts';
import type { EventRecord } from '../competitions/index.ts';
import { eligibilityOf } from './eligibility.ts';
import { missingFor } from './missing.ts';
import type { Candidate } from './options-queries.ts';
import { presentEligibility } from './presenter.ts';
import type { optionsResponse } from './reading-schemas.ts';

/** What may be chosen in a registration for an event, and how each athlete of the account stands for it now. */
export function presentOptions(
  { event, settings }: EventRecord,
  candidates: readonly Candidate[],
  now: Date,
): z.input<typeof optionsResponse> {
  const { classes, vehicleFields, crew } = settings ?? defaultSettings;
  const span = competitionSpan(event);
  return { classes, vehicle_fields: vehicleFields, crew, profiles: candidates.map((candidate) => presentCandidate(candidate)) };

  function presentCandidate({ profile, applications, licences, papers }: Candidate) {
    const facts = { span, disciplineId: event.disciplineId, profile };
    const isEligible = eligibilityOf({ ...facts, licences, papers }).ok;
    const missing = isEligible ? [] : missingFor(applications, papers, span, now);
    return {
      profile_id: profile.id,
      name: profile.name,
      licences: licences.map((licence) => ({
        application_id: licence.applicationId,
        number: licence.number,
        eligibility: presentEligibility(eligibilityOf({ ...facts, licences: [licence], papers: [] })),
      })),
      missing: missing.map(({ applicationId, rule, waiting_for, fix }) => ({ application_id: applicationId, rule, waiting_for, fix })),
    };
  }
}
