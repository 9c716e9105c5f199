import { athleteData } from './profile-data.ts';
import { z } from 'zod';
import { DomainError } from '../../errors.ts';
import { recordCheck, type RecordCheck } from '../../http/record-check.ts';
import { idParams } from '../../http/schemas.ts';
import { actingUserId } from '../../platform/context.ts';
import { imageMimes, lockOwnFile } from '../files/index.ts';
import { checkBirthDate, checkChangedData } from './identity.ts';
import { lockOwnProfile, lockProfile } from './queries.ts';
import { correctProfileBody, photoId, updateProfileBody } from './wire.ts';

/** Checks that the photo is an image of the caller. */
const photoCheck = recordCheck({ body: { photo_id: photoId } }, async (ctx, { body }) => {
  const userId = actingUserId(ctx.actor);
  if (userId === null) throw new DomainError('not_found');
  await lockOwnFile(ctx, body.photo_id, userId, imageMimes, 'body.photo_id');
});

/** Checks of `createProfile` that need the clock or records. */
export const createChecks: readonly RecordCheck[] = [
  photoCheck,
  recordCheck(
    { body: { kind: z.literal('athlete'), data: z.object({ birth_date: athleteData.shape.birth_date }) } },
    async (ctx, { body }) => checkBirthDate(body.kind, body.data, ctx.now),
  ),
];

/** Checks of `updateProfile` that need the clock or records: the valid data depends on the profile's kind. */
export const updateChecks: readonly RecordCheck[] = [
  photoCheck,
  recordCheck({ params: idParams.shape, body: { data: updateProfileBody.shape.data.unwrap() } }, async (ctx, { params, body }) => {
    const { kind, data } = await lockOwnProfile(ctx, params.id);
    await checkChangedData(kind, data, body.data, ctx.now);
  }),
];

/** Checks of `correctProfile` that need the clock or records. */
export const correctionChecks: readonly RecordCheck[] = [
  recordCheck({ params: idParams.shape, body: { data: correctProfileBody.shape.data } }, async (ctx, { params, body }) => {
    const { kind, data } = await lockProfile(ctx, params.id);
    await checkChangedData(kind, data, body.data, ctx.now);
  }),
];
