import { z } from 'zod';
import { submitProfileUpdate } from '../../workflows/profile-review.contract.ts';
import { describeProcess } from '../administration/describe-process.ts';
import { listDocumentsOfProfile } from '../documents/index.ts';
import { DomainError } from '../errors.ts';
import { access } from '../http/access.ts';
import type { SignedIn } from '../http/access.ts';
import { defineRoute } from '../http/define-route.ts';
import type { Route } from '../http/define-route.ts';
import { created, ok } from '../http/reply.ts';
import { deleted, idParams } from '../http/schemas.ts';
import { read, runCommand } from '../platform/command.ts';
import type { Platform } from '../platform/platform.ts';
import { processRef } from '../platform/process-ref.ts';
import { createProfile } from './create-profile.ts';
import { deleteProfile } from './delete-profile.ts';
import type { Profile } from './entities.ts';
import { isOwner, mayReadProfile } from './policy.ts';
import {
  presentForAdministrator,
  presentPortfolio,
  presentProfile,
  presentProfileDetail,
  presentSummary,
  presentVehicle,
} from './presenter.ts';
import { viewOfProfile } from './process-view.ts';
import { findProfile, listPortfolioApplications, listProfiles, listVehicles, summarizeAthletes } from './queries.ts';
import {
  createProfileBody,
  portfolioShape,
  profileDetailShape,
  profileShape,
  profileSummaryShape,
  updateProfileBody,
  vehicleShape,
  wholeListMeta,
} from './schemas.ts';
import { updateProfile } from './update-profile.ts';

const tag = 'Profiles and documents';

/** Profiles of the caller (service.md "Profiles and documents"); administrators may read any. */
export const profileRoutes: Route[] = [
  defineRoute({
    method: 'GET',
    path: '/profiles',
    access: access.scope('profiles:read'),
    tag,
    summary: 'Own profiles, all of them',
    response: { data: z.array(profileShape), meta: wholeListMeta },
    async handler({ platform, principal }) {
      const profiles = await read(platform, (em) => listProfiles(em, principal.user.id));
      return ok(profiles.map(presentProfile), { total: profiles.length });
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/profiles/summary',
    access: access.scope('profiles:read'),
    tag,
    summary: 'Own athletes in short, with what belongs to them counted',
    response: { data: z.array(profileSummaryShape), meta: wholeListMeta },
    async handler({ platform, principal }) {
      const athletes = await read(platform, (em) => summarizeAthletes(em, principal.user.id));
      return ok(athletes.map(presentSummary), { total: athletes.length });
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/profiles/:id',
    access: access.scope('profiles:read'),
    tag,
    summary: 'A profile with its documents',
    request: { params: idParams },
    response: { data: profileDetailShape },
    handler: async ({ platform, principal, params }) => ok(await showProfile(platform, principal, params.id)),
  }),
  defineRoute({
    method: 'GET',
    path: '/profiles/:id/portfolio',
    access: access.scope('profiles:read'),
    tag,
    summary: 'Documents, applications, certificates and competitions of a profile; for its owner',
    request: { params: idParams },
    response: { data: portfolioShape },
    async handler({ platform, principal, params }) {
      return read(platform, async (em) => {
        const profile = required(await findProfile(em, params.id), (found) => isOwner(principal.user, found));
        const documents = await listDocumentsOfProfile(em, profile.id);
        return ok(presentPortfolio(profile, documents, await listPortfolioApplications(em, profile.id)));
      });
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/profiles',
    access: access.scope('profiles:write'),
    tag,
    summary: 'Make a draft of a profile',
    description:
      'An account may keep several athletes, but not two with the same IIN: `details.profile_id` of the refusal names the one that has it.',
    request: { body: createProfileBody },
    response: { status: 201, data: profileDetailShape },
    errors: ['duplicate_profile'],
    async handler({ platform, caller, principal, body }) {
      const { kind, data, photo_id: photoId = null } = body;
      const id = await runCommand(platform, caller, (ctx) => createProfile(ctx, { ownerId: principal.user.id, kind, data, photoId }));
      return created(await showProfile(platform, principal, id));
    },
  }),
  defineRoute({
    method: 'PATCH',
    path: '/profiles/:id',
    access: access.scope('profiles:write'),
    tag,
    summary: 'Change a profile or its photo',
    description:
      'Changing who an approved profile says he is, or its photo, returns that part to `pending`. Two athletes of one account cannot have the same IIN.',
    request: { params: idParams, body: updateProfileBody },
    response: { data: profileDetailShape },
    errors: ['invalid_state', 'duplicate_profile'],
    async handler({ platform, caller, principal, params, body }) {
      await runCommand(platform, caller, (ctx) => updateProfile(ctx, params.id, { data: body.data, photoId: body.photo_id }));
      return ok(await showProfile(platform, principal, params.id));
    },
  }),
  defineRoute({
    method: 'DELETE',
    path: '/profiles/:id',
    access: access.scope('profiles:write'),
    tag,
    summary: 'Delete a profile that was never approved, with its documents',
    description:
      'Neither its data nor its photo may ever have been approved. Applications that are cancelled or closed and were never paid or issued go with it; `details.applications` of a refusal names the others.',
    request: { params: idParams },
    response: { data: deleted },
    errors: ['profile_was_approved', 'profile_in_use'],
    async handler({ platform, caller, params }) {
      await runCommand(platform, caller, (ctx) => deleteProfile(ctx, params.id));
      return ok({ deleted: true as const });
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/profiles/:id/submit',
    access: access.scope('profiles:write'),
    tag,
    summary: 'Send a profile to review',
    description: 'Sends what needs a review: an approved photo stays approved. An athlete needs a photo.',
    request: { params: idParams },
    response: { data: profileDetailShape },
    errors: ['invalid_state', 'workflow_unavailable', 'idempotency_key_conflict'],
    async handler({ platform, caller, principal, params, idempotencyKey }) {
      required(await read(platform, (em) => findProfile(em, params.id)), (found) => isOwner(principal.user, found));
      await platform.processes.command(processRef('profile', params.id), submitProfileUpdate, {}, { caller, idempotencyKey });
      return ok(await showProfile(platform, principal, params.id));
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/profiles/:id/vehicles',
    access: access.scope('profiles:read'),
    tag,
    summary: 'Archived vehicles of an old profile; nothing can be added or changed',
    request: { params: idParams },
    response: { data: z.array(vehicleShape), meta: wholeListMeta },
    async handler({ platform, principal, params }) {
      return read(platform, async (em) => {
        const profile = required(await findProfile(em, params.id), (found) => mayReadProfile(principal.user, found));
        const vehicles = await listVehicles(em, profile.id);
        return ok(vehicles.map(presentVehicle), { total: vehicles.length });
      });
    },
  }),
];

/** The one way a profile is shown, after a change as after a question. */
async function showProfile(platform: Platform, { user }: SignedIn, id: number): Promise<z.input<typeof profileDetailShape>> {
  const { profile, documents, now } = await read(platform, async (em, instant) => {
    const found = required(await findProfile(em, id), (candidate) => mayReadProfile(user, candidate));
    return { profile: found, documents: await listDocumentsOfProfile(em, id), now: instant };
  });
  const shown = presentProfileDetail(profile, documents);
  if (user.role !== 'administrator') return shown;
  const process = await describeProcess(platform, processRef('profile', id), viewOfProfile(profile), now);
  return { ...shown, ...presentForAdministrator(profile, process) };
}

/** @throws {DomainError} not_found for a record that is absent or out of the caller's reach, alike */
function required(profile: Profile | null, isOpen: (profile: Profile) => boolean): Profile {
  if (!profile || !isOpen(profile)) throw new DomainError('not_found');
  return profile;
}
