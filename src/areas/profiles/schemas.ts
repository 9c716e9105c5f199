import { z } from 'zod';
import {
  dateTimeResponse,
  id,
  line,
  pastDay,
  printableText,
  processResponse,
  readVersion,
  uuid,
  versionResponse,
} from '../../http/schemas.ts';
import { countryCodes } from '../../platform/country-codes.ts';
import { type ProfileKind, profileKinds } from '../catalog/index.ts';
import type { DossierSection, ProfileCounter } from './dossier.ts';
import { isIin } from './iin.ts';
import { reviewStatuses } from './states.ts';

const phone = z
  .string()
  .trim()
  .regex(/^\+?[0-9(][0-9 ()-]{3,28}[0-9]$/, 'must be a phone number: digits, spaces, brackets, hyphens, a leading +')
  .meta({ examples: ['+7 701 123 45 67'] });
const iin = z
  .string()
  .regex(/^\d{12}$/, 'must be 12 digits')
  .refine(isIin, 'is not an individual identification number: its last digit does not fit the others')
  .meta({ description: 'Individual identification number, 12 digits; not required', examples: ['900517300128'] });
const birthDate = pastDay.meta({ description: 'In the past', format: 'date', examples: ['1990-05-17'] });

/** `data` of an athlete (PRO-4, PRO-9). */
export const athleteData = z
  .strictObject({
    last_name: printableText(100),
    first_name: printableText(100),
    middle_name: printableText(100).optional(),
    birth_date: birthDate,
    gender: z.enum(['male', 'female']),
    citizenship: z.enum(countryCodes).meta({ description: 'ISO 3166-1 alpha-2', examples: ['KZ'] }),
    iin: iin.optional(),
    phone: phone.optional(),
    city: line(100).optional(),
    address: line(300).optional(),
    blood_group: line(20).optional(),
  })
  .meta({ id: 'AthleteData' });

/** `data` of an organizer (PRO-4). */
export const organizerData = z
  .strictObject({
    organization_name: printableText(300),
    bin: z
      .string()
      .regex(/^\d{12}$/, 'must be 12 digits')
      .optional()
      .meta({ description: 'Business identification number' }),
    director_name: printableText(200),
    director_position: printableText(200),
    legal_address: printableText(300),
    phone,
    email: z.email().max(254),
    city: line(100).optional(),
  })
  .meta({ id: 'OrganizerData' });

export type AthleteData = z.output<typeof athleteData>;
export type OrganizerData = z.output<typeof organizerData>;
export type ProfileData = AthleteData | OrganizerData;

export const dataSchemas = { athlete: athleteData, organizer: organizerData } as const satisfies Record<ProfileKind, z.ZodObject>;

export const photoId = uuid.meta({ description: 'A picture of yours, uploaded with POST /files' });

export const createProfileBody = z
  .discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('athlete'), data: athleteData, photo_id: photoId.nullish() }),
    z.strictObject({ kind: z.literal('organizer'), data: organizerData, photo_id: photoId.nullish() }),
  ])
  .meta({ id: 'NewProfile' });

/** Given fields replace, null removes an optional field, others stay. Checked against the profile's kind. */
const changedData = z.record(z.string(), z.unknown()).meta({ wire: { anyOf: Object.values(dataSchemas).map(publishedPatch) } });

export const updateProfileBody = z
  .strictObject({
    data: changedData.optional(),
    photo_id: photoId.nullish().meta({ description: 'Another picture; null takes the photo out of a profile that was never submitted' }),
  })
  .meta({ id: 'ProfileChanges' });

/** An administrator's correction, with the version that they have read (PRO-7). */
export const correctProfileBody = z.strictObject({ data: changedData, updated_at: readVersion }).meta({ id: 'ProfileCorrection' });

function publishedPatch(schema: z.ZodObject): Record<string, unknown> {
  const fields = Object.entries(schema.shape).map(([name, field]) => [
    name,
    field.safeParse(undefined).success ? (field as z.ZodType).nullable() : (field as z.ZodType).optional(),
  ]);
  const { $schema: _, ...published } = z.toJSONSchema(z.strictObject(Object.fromEntries(fields)), { io: 'input' });
  return published;
}

const reviewStatus = z.enum(reviewStatuses);

/** A profile for its owner and administrators; lists omit the documents. */
export const profileResponse = z
  .object({
    id,
    kind: z.enum(profileKinds),
    name: z.string(),
    data: z.union([athleteData, organizerData]),
    photo_id: uuid.nullable(),
    status: reviewStatus,
    photo_status: reviewStatus.meta({ description: 'The photo is reviewed apart from the data' }),
    review_note: z.string().nullable().meta({ description: 'Reason of the last decision on the data; null once approved' }),
    photo_review_note: z.string().nullable().meta({ description: 'Reason of the last decision on the photo; null once approved' }),
    submitted_at: dateTimeResponse.nullable(),
    created_at: dateTimeResponse,
    updated_at: versionResponse,
  })
  .meta({ id: 'Profile' });

/** @param sections the sections shown with a profile */
export function profileDetailResponse(sections: readonly DossierSection[]) {
  return profileResponse
    .extend(schemasOf(sections))
    .extend({
      owner_id: id.optional().meta({ description: 'For administrators only' }),
      duplicate_iin: z.boolean().optional().meta({ description: 'Another account has a profile with this IIN; for administrators only' }),
      process: processResponse.optional().meta({ description: 'How the process of review stands; for administrators only' }),
    })
    .meta({ id: 'ProfileDetail' });
}

const count = z.int().min(0);

export function profileSummaryResponse(counters: readonly ProfileCounter[]) {
  return z
    .object({
      id,
      name: z.string(),
      photo_id: uuid.nullable(),
      status: reviewStatus,
      photo_status: reviewStatus,
      counters: z.object(Object.fromEntries(counters.map(({ field }) => [field, count]))),
    })
    .meta({ id: 'ProfileSummary' });
}

/** All records of one profile in one answer. */
export function portfolioResponse(sections: readonly DossierSection[]) {
  return z
    .object({
      profile: profileResponse,
      ...schemasOf(sections),
    })
    .meta({ id: 'Portfolio' });
}

function schemasOf(sections: readonly DossierSection[]): Record<string, z.ZodType> {
  return Object.fromEntries(sections.map(({ field, schema }) => [field, schema]));
}

export const vehicleResponse = z
  .object({
    id,
    data: z.record(z.string(), z.unknown()).meta({ description: 'The record as the earlier register kept it' }),
    archived_at: dateTimeResponse,
  })
  .meta({ id: 'Vehicle' });

/** `meta` of a list that is returned whole. */
export const wholeListMeta = z.object({ total: z.int().min(0) });
