import { z } from 'zod';
import { dateTimeResponse, dayResponse, id, idParam, line, paging, processResponse } from '../../../http/schemas.ts';
import { readinessRule } from '../../applications/index.ts';
import { eligibilityResponse, placesResponse, settingsOfRows, shownResult, startNumberResponse } from '../../competitions/index.ts';
import { raceClass, registrationResponse, registrationStatus } from '../wire.ts';

export const optionsResponse = z
  .object({
    ...settingsOfRows,
    places: z
      .array(
        placesResponse.element
          .extend({
            next: z
              .enum(['place', 'waiting_list', 'full'])
              .describe('What a submission gets now: a place, a place in the line, or the refusal `class_full`'),
          })
          .meta({ id: 'ClassChoice' }),
      )
      .describe('Places by class'),
    profiles: z
      .array(
        z.object({
          profile_id: id,
          name: z.string(),
          licences: z
            .array(z.object({ application_id: id, number: z.string().describe('Number of the licence'), eligibility: eligibilityResponse }))
            .describe('Licences that fit the event, each judged separately; two together may cover all days'),
          missing: z
            .array(
              z.object({
                application_id: id.nullable().describe('The application with this condition; null without one'),
                rule: z
                  .string()
                  .describe(
                    'Condition that is not met on some day of the event: a rule of `GET /applications/{id}/readiness`; `decision`: only the decision is missing; `naf_permission`, `foreign_naf_license`: this document of another federation is missing; `licence`: no application helps',
                  ),
                waiting_for: readinessRule.shape.waiting_for,
                fix: readinessRule.shape.fix,
                year: z.int().optional().describe('With `licence`: the year to apply for'),
                not_before: dayResponse
                  .optional()
                  .describe('What only time can mend: the day from which an application helps; `fix` is null until then'),
              }),
            )
            .describe('Empty when the athlete is eligible'),
        }),
      )
      .describe('Athletes of the account'),
  })
  .meta({ id: 'RegistrationOptions' });

export const ownListQuery = z.strictObject({ ...paging, event_id: idParam.optional(), status: registrationStatus.optional() });

/** Excludes `draft`, which the organizer cannot see (REG-8). */
export const eventListQuery = z.strictObject({
  ...paging,
  class: line(100)
    .optional()
    .meta({ description: 'A class of the settings', examples: ['N2'] }),
  status: registrationStatus.exclude(['draft']).optional(),
  q: line(100)
    .optional()
    .meta({
      examples: ['Серікбаева'],
      description:
        "Parts of the athlete's name or of licence numbers; all must occur, in any order; Kazakh letters and ё also match as the Russian letters beside them. Or a whole start number",
    }),
});

export const exportQuery = z.strictObject({
  lang: z.enum(['ru', 'kk', 'en']).optional().describe('Language of the column titles; by default from `Accept-Language`, else Russian'),
});

export const registrationDetailResponse = z
  .object({
    ...registrationResponse.shape,
    process: processResponse.optional().describe('State of the process; for administrators only'),
  })
  .meta({ id: 'EventRegistrationDetail' });

/** The profile's part in one competition, from registrations and the participant list. */
export const participationResponse = z.array(
  z.object({
    event_id: id,
    title: z.string(),
    starts_at: dateTimeResponse,
    ends_at: dateTimeResponse,
    registrations: z.array(
      z.object({
        registration_id: id,
        class: raceClass,
        status: registrationStatus,
        start_number: startNumberResponse,
      }),
    ),
    results: z.array(
      z.object({
        application_id: id,
        ...shownResult,
      }),
    ),
  }),
);
