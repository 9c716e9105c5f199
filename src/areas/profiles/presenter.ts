import type { z } from 'zod';
import type { processResponse } from '../../http/schemas.ts';
import { formatDateTime, formatVersion } from '../../platform/date-time.ts';
import type { ArchivedVehicle, Profile } from './entities.ts';
import type { profileResponse, vehicleResponse } from './schemas.ts';

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

/** Presents the fields that only administrators see. */
export function presentForAdministrator(profile: Readonly<Profile>, described: z.input<typeof processResponse>) {
  return { owner_id: profile.ownerId, duplicate_iin: profile.duplicateIin, process: described };
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

/** @param sections values of the other areas' sections, by field */
export function presentPortfolio(profile: Readonly<Profile>, sections: Readonly<Record<string, unknown>>) {
  return { profile: presentProfile(profile), ...sections };
}

export function presentVehicle({ id, data, archivedAt }: Readonly<ArchivedVehicle>): z.input<typeof vehicleResponse> {
  return { id, data, archived_at: formatDateTime(archivedAt) };
}
