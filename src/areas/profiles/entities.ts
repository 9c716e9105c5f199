import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { literalText } from '../../platform/database/literals.ts';
import { referenceTo } from '../../platform/database/reference.ts';
import { UserEntity } from '../accounts/index.ts';
import { type ProfileKind, profileKinds } from '../catalog/index.ts';
import { StoredFileEntity } from '../files/index.ts';
import type { ProfileData } from './profile-data.ts';
import { livingStatuses, type ReviewStatus, reviewStatuses } from './states.ts';

/** `isUnderReview` in SQL, for the index and the query that uses it. */
const living = literalText(livingStatuses);
export const underReview = `(status in (${living}) or photo_status in (${living}))`;

/** An athlete or an organizer. Data and photo are reviewed separately (PRO-2). */
export const ProfileEntity = defineEntity({
  name: 'Profile',
  tableName: 'profiles',
  properties: {
    id: p.integer().primary().autoincrement(),
    ownerId: () => referenceTo(UserEntity, 'owner_id', 'profiles_owner_fk'),
    kind: p.string().length(20).$type<ProfileKind>(),
    name: p.string().length(400),
    data: p.json<ProfileData>(),
    iin: p.string().length(12).strictNullable(),
    photoId: () => referenceTo(StoredFileEntity, 'photo_id', 'profiles_photo_fk').strictNullable(),
    status: p.string().length(20).$type<ReviewStatus>().default('draft'),
    photoStatus: p.string().length(20).$type<ReviewStatus>().default('draft'),
    reviewNote: p.text().strictNullable(),
    photoReviewNote: p.text().strictNullable(),
    // Whether the owner has changed the data or replaced the photo since the last decision on it: what was returned can then be submitted.
    isCorrected: p.boolean().default(false),
    isPhotoCorrected: p.boolean().default(false),
    everApproved: p.boolean().default(false),
    duplicateIin: p.boolean().default(false),
    submittedAt: p.datetime().strictNullable(),
    // Since when data and photo have their statuses: each keeps its own place in the queue (REV-3).
    statusSince: p.datetime().defaultRaw('now()'),
    photoStatusSince: p.datetime().defaultRaw('now()'),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
  // PRO-1, also under concurrent requests.
  uniques: [{ name: 'profiles_one_athlete_per_iin', properties: ['ownerId', 'iin'], where: "kind = 'athlete' and iin is not null" }],
  indexes: [
    { name: 'profiles_owner_index', properties: ['ownerId'] },
    { name: 'profiles_iin_index', properties: ['iin'], where: 'iin is not null' },
    { name: 'profiles_queue_index', properties: ['statusSince', 'id'], where: "status = 'pending'" },
    { name: 'profiles_photo_queue_index', properties: ['photoStatusSince', 'id'], where: "photo_status = 'pending'" },
    // For the rebuild of processes: profiles that must have one, by id.
    { name: 'profiles_living_index', properties: ['id'], where: underReview },
  ],
  checks: [
    { name: 'profiles_kind_known', expression: `kind in (${literalText(profileKinds)})` },
    { name: 'profiles_status_known', expression: `status in (${literalText(reviewStatuses)})` },
    { name: 'profiles_photo_status_known', expression: `photo_status in (${literalText(reviewStatuses)})` },
  ],
});
export type Profile = InferEntity<typeof ProfileEntity>;

/** A vehicle of an old profile, imported from the earlier register; read-only (PRO-6). */
export const ArchivedVehicleEntity = defineEntity({
  name: 'ArchivedVehicle',
  tableName: 'archived_vehicles',
  properties: {
    id: p.integer().primary().autoincrement(),
    profileId: () => referenceTo(ProfileEntity, 'profile_id', 'archived_vehicles_profile_fk').deleteRule('cascade'),
    data: p.json<Record<string, unknown>>(),
    archivedAt: p.datetime(),
  },
  indexes: [{ name: 'archived_vehicles_profile_index', properties: ['profileId', 'id'] }],
});
export type ArchivedVehicle = InferEntity<typeof ArchivedVehicleEntity>;
