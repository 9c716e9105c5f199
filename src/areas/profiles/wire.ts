import { z } from 'zod';
import { dateTimeResponse, id, processResponse, readVersion, uuid, versionResponse } from '../../http/schemas.ts';
import { formatDateTime, formatVersion } from '../../platform/time/date-time.ts';
import { profileKinds } from '../catalog/index.ts';
import type { DossierSection, ProfileCounter } from './dossier.ts';
import type { ArchivedVehicle, Profile } from './entities.ts';
import { athleteData, dataSchemas, organizerData } from './profile-data.ts';
import { reviewStatuses } from './states.ts';

const photoId = uuid.describe('Id of an own image of at least 200 x 200 pixels, uploaded with POST /files');

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
    photo_id: photoId.nullish().describe('Id of another image; null removes the photo of a profile that was never submitted'),
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

export const reviewStatus = z
  .enum(reviewStatuses)
  .describe('`draft`: not submitted; `pending`: in review; `changes`: returned to the owner; `cancelled`: refused');
const photoStatus = reviewStatus.describe('The photo is reviewed separately from the data');
const kind = z.enum(profileKinds).describe('`athlete`: a person; `organizer`: an organization');

/** A profile for its owner and administrators; lists omit the documents. */
export const profileResponse = z
  .object({
    id,
    kind,
    name: z.string(),
    data: z.union([athleteData, organizerData, z.strictObject({}).describe('Of an erased account')]),
    photo_id: uuid.nullable(),
    status: reviewStatus,
    photo_status: photoStatus,
    review_note: z.string().nullable().describe('Note of the last decision on the data; null after approval'),
    photo_review_note: z.string().nullable().describe('Note of the last decision on the photo; null after approval'),
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
      owner_id: id.optional().describe('For administrators only'),
      duplicate_iin: z.boolean().optional().describe('Another account has a profile with this IIN; for administrators only'),
      process: processResponse.optional().describe('State of the review process; for administrators only'),
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
      photo_status: photoStatus,
      counters: z.object(Object.fromEntries(counters.map(({ field }) => [field, count]))).describe('Numbers of records of the profile'),
    })
    .meta({ id: 'ProfileSummary' });
}

/** All records of one profile. */
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
    data: z.record(z.string(), z.unknown()).describe('The record of the previous registry, unchanged'),
    archived_at: dateTimeResponse,
  })
  .meta({ id: 'Vehicle' });

/** `meta` of a list without pages. */
export const wholeListMeta = z.object({ total: z.int().min(0).describe('Number of all records') });

/** Presents a profile with all its data to its owner and to administrators. */
export function presentProfile(profile: Readonly<Profile>): z.input<typeof profileResponse> {
  return {
    id: profile.id,
    kind: profile.kind,
    name: profile.name,
    data: profile.data,
    photo_id: profile.photoId,
    status: profile.status,
    photo_status: profile.photoStatus,
    review_note: profile.reviewNote,
    photo_review_note: profile.photoReviewNote,
    submitted_at: profile.submittedAt === null ? null : formatDateTime(profile.submittedAt),
    created_at: formatDateTime(profile.createdAt),
    updated_at: formatVersion(profile.updatedAt),
  };
}

/** @param counters counts by field */
export function presentSummary(athlete: Readonly<Profile>, counters: Readonly<Record<string, number>>) {
  return {
    id: athlete.id,
    name: athlete.name,
    photo_id: athlete.photoId,
    status: athlete.status,
    photo_status: athlete.photoStatus,
    counters,
  };
}

export function presentVehicle({ id, data, archivedAt }: Readonly<ArchivedVehicle>): z.input<typeof vehicleResponse> {
  return { id, data, archived_at: formatDateTime(archivedAt) };
}
