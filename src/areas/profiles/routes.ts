import { z } from 'zod';
import { access, mayReadOthers } from '../../http/access/access.ts';
import { defineRoute, type Route } from '../../http/define-route.ts';
import { created, ok } from '../../http/response/reply.ts';
import { deleted, idParams } from '../../http/schemas.ts';
import { commit, query } from '../../platform/commands/command.ts';
import type { Extensions } from '../../platform/extensions.ts';
import type { Platform } from '../../platform/platform.ts';
import { describeProcess } from '../../platform/workflows/describe-process.ts';
import { sendCommand } from '../../platform/workflows/send-command.ts';
import { readerCheck, type Reading } from '../audit/index.ts';
import { createProfile } from './create-profile.ts';
import { deleteProfile } from './delete-profile.ts';
import { type DossierSection, dossierSections, profileCounters, readCounters, readSections } from './dossier.ts';
import type { Profile } from './entities.ts';
import { profileProcess } from './process.ts';
import { findProfile, listAthletes, listProfiles, listVehicles, requireProfileOwner } from './queries.ts';
import { updateProfile } from './update-profile.ts';
import * as wire from './wire.ts';

const tag = 'Profiles and documents';

/** Makes the profile routes. Other areas add the sections and counters of a profile through `extensions`. */
export function profileRoutes(extensions: Extensions): Route[] {
  const sections = extensions.of(dossierSections);
  const shownSections = sections.filter(({ isShownWithProfile = false }) => isShownWithProfile);
  const counters = extensions.of(profileCounters);
  const detailResponse = wire.profileDetailResponse(shownSections);
  const show = (platform: Platform, reader: Reader, id: number) => showProfile(platform, reader, id, shownSections);
  return [
    defineRoute({
      name: 'listProfiles',
      method: 'GET',
      path: '/profiles',
      access: access.scope('profiles:read'),
      tag,
      summary: 'List all own profiles',
      description: 'Without pages: an account has at most 300 profiles (`QUOTA_PROFILES`).',
      response: { data: z.array(wire.profileResponse), meta: wire.wholeListMeta },
      async handler({ platform, principal }) {
        const profiles = await query(platform, (db) => listProfiles(db, principal.user.id));
        return ok(profiles.map(wire.presentProfile), { total: profiles.length });
      },
    }),
    defineRoute({
      name: 'summarizeProfiles',
      method: 'GET',
      path: '/profiles/summary',
      access: access.scope('profiles:read'),
      tag,
      summary: 'List own athletes with the numbers of their records',
      response: { data: z.array(wire.profileSummaryResponse(counters)), meta: wire.wholeListMeta },
      handler: ({ platform, principal }) =>
        query(platform, async (db) => {
          const athletes = await listAthletes(db, principal.user.id);
          const ids = athletes.map(({ id }) => id);
          const countsOf = await readCounters(db, counters, ids);
          return ok(
            athletes.map((athlete) => wire.presentSummary(athlete, countsOf(athlete.id))),
            { total: athletes.length },
          );
        }),
    }),
    defineRoute({
      name: 'getProfile',
      method: 'GET',
      path: '/profiles/:id',
      access: access.scope('profiles:read'),
      tag,
      summary: 'Get a profile with its documents',
      request: { params: idParams },
      response: { data: detailResponse },
      handler: async ({ platform, principal, caller, params }) => ok(await show(platform, { principal, caller }, params.id)),
    }),
    defineRoute({
      name: 'getPortfolio',
      method: 'GET',
      path: '/profiles/:id/portfolio',
      access: access.scope('profiles:read'),
      tag,
      summary: 'Get a profile with its documents, applications, certificates and competitions; for its owner',
      description: 'The 100 newest applications; `GET /applications?profile_id=` lists all.',
      request: { params: idParams },
      response: { data: wire.portfolioResponse(sections) },
      handler: ({ platform, caller, params }) =>
        query(platform, async (db) => {
          const profile = requireProfileOwner(caller.actor, await findProfile(db, params.id));
          return ok({ profile: wire.presentProfile(profile), ...(await readSections(db, sections, profile.id)) });
        }),
    }),
    defineRoute({
      name: 'createProfile',
      method: 'POST',
      path: '/profiles',
      access: access.scope('profiles:write'),
      tag,
      summary: 'Create a draft profile',
      description:
        'An account may have several athletes, but not two with the same IIN: 409 `duplicate_profile` names the other one in `details.profile_id`. The number of profiles of an account is limited: 409 `quota_exceeded`.',
      request: {
        body: wire.createProfileBody,
        example: {
          kind: 'athlete',
          data: {
            last_name: 'Серікбаева',
            first_name: 'Айгерім',
            middle_name: 'Нұрланқызы',
            birth_date: '1998-09-03',
            gender: 'female',
            citizenship: 'KZ',
            iin: '980903400008',
            phone: '+7 701 123 45 67',
            city: 'Алматы',
          },
          photo_id: '3c7e1b52-8f4d-4a6e-9b21-5d0c8e7f4a10',
        },
      },
      response: { status: 201, location: '/profiles/:id', data: detailResponse },
      links: {
        getProfile: { id: 'id' },
        updateProfile: { id: 'id' },
        submitProfile: { id: 'id' },
        deleteProfile: { id: 'id' },
        getPortfolio: { id: 'id' },
        listVehicles: { id: 'id' },
      },
      errors: ['duplicate_profile', 'quota_exceeded'],
      async handler({ platform, caller, principal, body }) {
        const { kind, data, photo_id: photoId = null } = body;
        const { id } = await commit(platform, caller, (ctx) => createProfile(ctx, { ownerId: principal.user.id, kind, data, photoId }));
        return created(await show(platform, { principal, caller }, id), `/profiles/${id}`);
      },
    }),
    defineRoute({
      name: 'updateProfile',
      method: 'PATCH',
      path: '/profiles/:id',
      access: access.scope('profiles:write'),
      tag,
      summary: 'Change a profile or its photo',
      description:
        'A change of identity fields or of the photo returns that part of an approved profile to `pending`. Two athletes of one account cannot have the same IIN: 409 `duplicate_profile`.',
      request: { params: idParams, body: wire.updateProfileBody, example: { data: { city: 'Семей', phone: '+7 701 123 45 67' } } },
      response: { data: detailResponse },
      errors: ['invalid_state', 'duplicate_profile'],
      async handler({ platform, caller, principal, params, body }) {
        await commit(platform, caller, (ctx) => updateProfile(ctx, params.id, { data: body.data, photoId: body.photo_id }));
        return ok(await show(platform, { principal, caller }, params.id));
      },
    }),
    defineRoute({
      name: 'deleteProfile',
      method: 'DELETE',
      path: '/profiles/:id',
      access: access.scope('profiles:write'),
      tag,
      summary: 'Delete a profile that was never approved, with its documents',
      description:
        'Neither the data nor the photo may ever have been approved: 409 `profile_was_approved`. Cancelled and closed applications that were never paid or issued are deleted too. Other applications prevent the deletion: 409 `profile_in_use` with `details.applications`.',
      request: { params: idParams },
      response: { data: deleted },
      errors: ['profile_was_approved', 'profile_in_use'],
      async handler({ platform, caller, params }) {
        await commit(platform, caller, (ctx) => deleteProfile(ctx, params.id));
        return ok({ deleted: true as const });
      },
    }),
    defineRoute({
      name: 'submitProfile',
      method: 'POST',
      path: '/profiles/:id/submit',
      access: access.scope('profiles:write'),
      tag,
      summary: 'Submit a profile for review',
      description: 'Submits the parts that need a review; an approved photo stays approved. An athlete needs a photo.',
      request: { params: idParams },
      response: { data: detailResponse },
      errors: ['invalid_state', 'workflow_unavailable'],
      async handler({ platform, caller, principal, params }) {
        requireProfileOwner(caller.actor, await query(platform, (db) => findProfile(db, params.id)));
        await sendCommand(platform, profileProcess, params.id, 'submit', { caller, args: {} });
        return ok(await show(platform, { principal, caller }, params.id));
      },
    }),
    defineRoute({
      name: 'listVehicles',
      method: 'GET',
      path: '/profiles/:id/vehicles',
      access: access.scope('profiles:read'),
      tag,
      summary: 'List the archived vehicles of a profile; read-only',
      request: { params: idParams },
      response: { data: z.array(wire.vehicleResponse), meta: wire.wholeListMeta },
      handler: ({ platform, principal, caller, params }) =>
        query(platform, async (db, now) => {
          const profile = await requireReadable({ principal, caller, db, now }, await findProfile(db, params.id), 'vehicles');
          const vehicles = await listVehicles(db, profile.id);
          return ok(vehicles.map(wire.presentVehicle), { total: vehicles.length });
        }),
    }),
  ];
}

type Reader = Pick<Reading, 'principal' | 'caller'>;

/** Reads and presents a profile, for every route that answers with one. */
async function showProfile(platform: Platform, reader: Reader, id: number, sections: readonly DossierSection[]) {
  const { profile, dossier, now } = await query(platform, async (db, instant) => {
    const found = await requireReadable({ ...reader, db, now: instant }, await findProfile(db, id));
    return { profile: found, dossier: await readSections(db, sections, id), now: instant };
  });
  const shown = { ...wire.presentProfile(profile), ...dossier };
  if (!mayReadOthers(reader.principal)) return shown;
  const described = await describeProcess(platform, profileProcess, profile, now);
  return { ...shown, owner_id: profile.ownerId, duplicate_iin: profile.duplicateIin, process: described };
}

/** @throws {DomainError} not_found for a profile that is absent or that the caller may not read (API-3) */
const requireReadable = readerCheck<Readonly<Profile>>('profile', (profile) => profile);
