import { baseUrl } from '../../../registry/config.ts';
import { DomainError } from '../../../errors.ts';
import { access, mayReadOthers } from '../../../http/access/access.ts';
import { defineRoute, type Route } from '../../../http/define-route.ts';
import { ok } from '../../../http/response/reply.ts';
import { idParams } from '../../../http/schemas.ts';
import { commit, query } from '../../../platform/commands/command.ts';
import { formatVersion } from '../../../platform/time/date-time.ts';
import type { Platform } from '../../../platform/platform.ts';
import { describeProcess } from '../../../platform/workflows/describe-process.ts';
import { sendCommand } from '../../../platform/workflows/send-command.ts';
import { applicationProcess } from '../../applications/index.ts';
import { authorizeReading, type Reading } from '../../audit/index.ts';
import { correctDocumentBody, documentProcess, findDocument } from '../../documents/index.ts';
import { correctProfile, correctProfileBody, findProfile, profileProcess } from '../../profiles/index.ts';
import { findApplicationCase, findDocumentCase, findProfileCase } from './queries.ts';
import * as wire from './wire.ts';

const tag = 'Administration';
const correctionRules =
  'Send `updated_at` exactly as it was read; another value answers 409 `stale_revision`. The owner is notified of the changed fields. Issued certificates do not change. A correction without effect writes nothing.';

/** Routes by which administrators read and correct private records; every read is audited (AUD-4). */
export const recordRoutes: Route[] = [
  defineRoute({
    name: 'getApplicationRecord',
    method: 'GET',
    path: '/admin/records/application/:id',
    access: access.administrator('admin:read'),
    tag,
    summary: 'Get an application with the records that its review needs',
    request: { params: idParams },
    response: { data: wire.applicationRecordResponse },
    handler: async ({ platform, principal, caller, params }) => ok(await showApplication(platform, { principal, caller }, params.id)),
  }),
  defineRoute({
    name: 'getProfileRecord',
    method: 'GET',
    path: '/admin/records/profile/:id',
    access: access.administrator('admin:read'),
    tag,
    summary: 'Get a profile with its owner, documents, applications and decisions',
    request: { params: idParams },
    response: { data: wire.profileRecordResponse },
    handler: async ({ platform, principal, caller, params }) => ok(await showProfile(platform, { principal, caller }, params.id)),
  }),
  defineRoute({
    name: 'getDocumentRecord',
    method: 'GET',
    path: '/admin/records/document/:id',
    access: access.administrator('admin:read'),
    tag,
    summary: 'Get a document with its owner, uses and decisions',
    request: { params: idParams },
    response: { data: wire.documentRecordResponse },
    handler: async ({ platform, principal, caller, params }) => ok(await showDocument(platform, { principal, caller }, params.id)),
  }),
  defineRoute({
    name: 'correctProfileRecord',
    method: 'PATCH',
    path: '/admin/records/profile/:id',
    access: access.administrator('admin:write'),
    tag,
    summary: 'Correct the data of a profile',
    description: `Given fields of \`data\` replace the stored ones; null removes an optional field. The same checks apply as for the owner. Reviews and photo do not change. ${correctionRules}`,
    request: {
      params: idParams,
      body: correctProfileBody,
      example: { data: { first_name: 'Айгерим' }, updated_at: '2026-03-01T09:00:00.123+05:00' },
    },
    response: { data: wire.correctedProfileResponse },
    errors: ['stale_revision', 'invalid_state', 'duplicate_profile'],
    handler: async ({ platform, principal, caller, params, body }) => {
      const correction = { data: body.data, updatedAt: body.updated_at };
      await commit(platform, caller, (ctx) => correctProfile(ctx, params.id, correction));
      if (mayReadOthers(principal)) return ok(await showProfile(platform, { principal, caller }, params.id));
      const { id, status, updatedAt } = requireFound(await query(platform, (db) => findProfile(db, params.id)));
      return ok({ id, status, updated_at: formatVersion(updatedAt) });
    },
  }),
  defineRoute({
    name: 'correctDocumentRecord',
    method: 'PATCH',
    path: '/admin/records/document/:id',
    access: access.administrator('admin:write'),
    tag,
    summary: 'Correct the fields of a document',
    description:
      'Omitted fields keep their value; null clears a field. Scan and review do not change. A past `expires_at` expires the document and returns its applications at once. ' +
      `The type cannot be changed while an active application or a registration uses the document: 409 \`document_in_use\`. ${correctionRules}`,
    request: {
      params: idParams,
      body: correctDocumentBody,
      example: { number: 'N12345678', issued_at: '2024-01-10', updated_at: '2026-03-01T09:00:00.123+05:00' },
    },
    response: { data: wire.correctedDocumentResponse },
    errors: ['stale_revision', 'invalid_state', 'document_in_use', 'workflow_unavailable'],
    handler: async ({ platform, principal, caller, params, body }) => {
      requireFound(await query(platform, (db) => findDocument(db, params.id)));
      const { type, number, country, issued_at: issuedAt, expires_at: expiresAt } = body;
      await sendCommand(platform, documentProcess, params.id, 'correct', {
        caller,
        args: { updatedAt: body.updated_at.toISOString() },
        privateInput: { changes: { type, number, country, issuedAt, expiresAt } },
      });
      if (mayReadOthers(principal)) return ok(await showDocument(platform, { principal, caller }, params.id));
      const { id, status, updatedAt } = requireFound(await query(platform, (db) => findDocument(db, params.id)));
      return ok({ id, status, updated_at: formatVersion(updatedAt) });
    },
  }),
];

type Reader = Pick<Reading, 'principal' | 'caller'>;

async function showApplication(platform: Platform, reader: Reader, id: number) {
  const { found, now } = await query(platform, async (db, present) => {
    const read = requireFound(await findApplicationCase(db, id));
    await authorizeReading({ ...reader, db, now: present }, { kind: 'application', id }, read.owner.id, 'record');
    return { found: read, now: present };
  });
  const described = await describeProcess(platform, applicationProcess, found.record, now);
  return { ...wire.presentApplicationCase(found, now, baseUrl(platform.config)), process: described };
}

async function showProfile(platform: Platform, reader: Reader, id: number) {
  const { found, now } = await query(platform, async (db, present) => {
    const read = requireFound(await findProfileCase(db, id));
    await authorizeReading({ ...reader, db, now: present }, { kind: 'profile', id }, read.owner.id, 'record');
    return { found: read, now: present };
  });
  const described = await describeProcess(platform, profileProcess, found.profile, now);
  return { ...wire.presentProfileCase(found), process: described };
}

async function showDocument(platform: Platform, reader: Reader, id: number) {
  const { found, now } = await query(platform, async (db, present) => {
    const read = requireFound(await findDocumentCase(db, id));
    await authorizeReading({ ...reader, db, now: present }, { kind: 'document', id }, read.owner.id, 'record');
    return { found: read, now: present };
  });
  const described = await describeProcess(platform, documentProcess, found.document, now);
  return { ...wire.presentDocumentCase(found), process: described };
}

/** @throws {DomainError} not_found */
function requireFound<Found>(found: Found | null): Found {
  if (found === null) throw new DomainError('not_found');
  return found;
}
