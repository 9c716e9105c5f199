import { access, mayReadOthers } from '../../http/access/access.ts';
import { defineRoute, type Route } from '../../http/define-route.ts';
import { created, ok } from '../../http/response/reply.ts';
import { idParams, timelineResponse } from '../../http/schemas.ts';
import { commit, query } from '../../platform/commands/command.ts';
import type { Platform } from '../../platform/platform.ts';
import { describeProcess } from '../../platform/workflows/describe-process.ts';
import { readerCheck, type Reading } from '../audit/index.ts';
import { createDocument } from './create-document.ts';
import { applicationsAmong, listUses } from './dependents.ts';
import { documentProcess } from './process.ts';
import { type DocumentView, findDocumentView, listDocumentFacts } from './queries.ts';
import { updateDocument } from './update-document.ts';
import { createDocumentBody, documentDetailResponse, presentDocumentView, presentTimeline, updateDocumentBody } from './wire.ts';

const tag = 'Profiles and documents';

export const documentRoutes: Route[] = [
  defineRoute({
    name: 'createDocument',
    method: 'POST',
    path: '/documents',
    access: access.scope('profiles:write'),
    tag,
    summary: 'Add a document to a profile and submit it for review',
    description:
      'A profile or a file of another account answers 404 `not_found`. The number of documents of a profile is limited (`QUOTA_DOCUMENTS`, 100): 409 `quota_exceeded`; an unused document can be changed instead.',
    request: {
      body: createDocumentBody,
      example: {
        profile_id: 7,
        type: 'medical',
        file_id: '3c7e1b52-8f4d-4a6e-9b21-5d0c8e7f4a10',
        number: 'N12345678',
        country: 'KZ',
        issued_at: '2026-01-10',
        expires_at: '2027-01-09',
      },
    },
    response: { status: 201, location: '/documents/:id', data: documentDetailResponse },
    links: { getDocument: { id: 'id' }, updateDocument: { id: 'id' }, getDocumentTimeline: { id: 'id' } },
    errors: ['not_found', 'quota_exceeded'],
    handler: async ({ platform, caller, principal, body }) => {
      const { id } = await commit(platform, caller, (ctx) =>
        createDocument(ctx, body.profile_id, {
          type: body.type,
          fileId: body.file_id,
          number: body.number ?? null,
          country: body.country ?? null,
          issuedAt: body.issued_at ?? null,
          expiresAt: body.expires_at ?? null,
        }),
      );
      return created(await showDocument(platform, { principal, caller }, id), `/documents/${id}`);
    },
  }),
  defineRoute({
    name: 'getDocument',
    method: 'GET',
    path: '/documents/:id',
    access: access.scope('profiles:read'),
    tag,
    summary: 'Get a document with its decisions and uses',
    request: { params: idParams },
    response: { data: documentDetailResponse },
    handler: async ({ platform, principal, caller, params }) => ok(await showDocument(platform, { principal, caller }, params.id)),
  }),
  defineRoute({
    name: 'updateDocument',
    method: 'PATCH',
    path: '/documents/:id',
    access: access.scope('profiles:write'),
    tag,
    summary: 'Change an unused document',
    description:
      'A document cannot be changed while an application that is not a draft or a registration uses it. It then answers 409 `document_in_use` with `details.applications` and `details.registrations`; add a new document instead. A change returns the document to review and clears its note. Omitted fields keep their value; null clears a field.',
    request: { params: idParams, body: updateDocumentBody, example: { number: 'N7654321', expires_at: '2027-01-09' } },
    response: { data: documentDetailResponse },
    errors: ['document_in_use'],
    handler: async ({ platform, caller, principal, params, body }) => {
      await commit(platform, caller, (ctx) =>
        updateDocument(ctx, params.id, {
          ...(body.type === undefined ? {} : { type: body.type }),
          ...(body.file_id === undefined ? {} : { fileId: body.file_id }),
          ...(body.number === undefined ? {} : { number: body.number }),
          ...(body.country === undefined ? {} : { country: body.country }),
          ...(body.issued_at === undefined ? {} : { issuedAt: body.issued_at }),
          ...(body.expires_at === undefined ? {} : { expiresAt: body.expires_at }),
        }),
      );
      return ok(await showDocument(platform, { principal, caller }, params.id));
    },
  }),
  defineRoute({
    name: 'getDocumentTimeline',
    method: 'GET',
    path: '/documents/:id/timeline',
    access: access.scope('profiles:read'),
    tag,
    summary: 'List the events of a document, oldest first',
    request: { params: idParams },
    response: { data: timelineResponse },
    handler: async ({ platform, principal, caller, params }) =>
      query(platform, async (db, now) => {
        const view = await requireReadable({ principal, caller, db, now }, await findDocumentView(db, params.id), 'timeline');
        return ok(presentTimeline(await listDocumentFacts(db, params.id), view.document));
      }),
  }),
];

/** @throws {DomainError} not_found for a document that is absent or that the caller may not read (API-3) */
const requireReadable = readerCheck<DocumentView>('document', ({ document, ownerId }) => ({ id: document.id, ownerId }));

async function showDocument(platform: Platform, reader: Pick<Reading, 'principal' | 'caller'>, id: number) {
  const { view, usedBy, now } = await query(platform, async (db, instant) => {
    const found = await requireReadable({ ...reader, db, now: instant }, await findDocumentView(db, id));
    return { view: found, usedBy: applicationsAmong(await listUses({ db, extensions: platform.extensions }, id)), now: instant };
  });
  const shown = presentDocumentView(view, usedBy);
  if (!mayReadOthers(reader.principal)) return shown;
  return {
    ...shown,
    process: await describeProcess(platform, documentProcess, view.document, now),
  };
}
