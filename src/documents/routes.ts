import { describeProcess } from '../administration/describe-process.ts';
import { DomainError } from '../errors.ts';
import { access, isAdministrator, mayReadRecordOf } from '../http/access.ts';
import type { SignedIn } from '../http/access.ts';
import { defineRoute } from '../http/define-route.ts';
import type { Route } from '../http/define-route.ts';
import { created, ok } from '../http/reply.ts';
import { idParams, timelineShape } from '../http/schemas.ts';
import { read, runCommand } from '../platform/command.ts';
import type { Platform } from '../platform/platform.ts';
import { processRef } from '../platform/process-ref.ts';
import { createDocument } from './create-document.ts';
import { presentDocumentView, presentTimeline } from './presenter.ts';
import { viewOfDocument } from './process-view.ts';
import { findDocumentView, listDocumentFacts } from './queries.ts';
import { createDocumentBody, documentDetailShape, updateDocumentBody } from './schemas.ts';
import { updateDocument } from './update-document.ts';

const tag = 'Profiles and documents';

/** Documents of the caller's profiles (service.md "Profiles and documents"). */
export const documentRoutes: Route[] = [
  defineRoute({
    method: 'POST',
    path: '/documents',
    access: access.scope('profiles:write'),
    tag,
    summary: 'Add a document to a profile and put it before an administrator',
    description: 'Answers 404 when the profile or the file is not yours.',
    request: { body: createDocumentBody },
    response: { status: 201, data: documentDetailShape },
    errors: ['not_found'],
    handler: async ({ platform, caller, principal, body }) => {
      const { id } = await runCommand(platform, caller, (ctx) =>
        createDocument(ctx, body.profile_id, {
          type: body.type,
          fileId: body.file_id,
          number: body.number ?? null,
          country: body.country ?? null,
          issuedAt: body.issued_at ?? null,
          expiresAt: body.expires_at ?? null,
        }),
      );
      return created(await showDocument(platform, principal, id));
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/documents/:id',
    access: access.scope('profiles:read'),
    tag,
    summary: 'A document with its decisions and uses',
    request: { params: idParams },
    response: { data: documentDetailShape },
    handler: async ({ platform, principal, params }) => ok(await showDocument(platform, principal, params.id)),
  }),
  defineRoute({
    method: 'PATCH',
    path: '/documents/:id',
    access: access.scope('profiles:write'),
    tag,
    summary: 'Change an unused document',
    description:
      'A document attached to an application that is not a draft cannot be changed: 409 `document_in_use` with `details.applications`; add a new one instead. ' +
      'A change returns the document to review and clears its note. Fields left out stay; null clears a field.',
    request: { params: idParams, body: updateDocumentBody },
    response: { data: documentDetailShape },
    errors: ['document_in_use'],
    handler: async ({ platform, caller, principal, params, body }) => {
      await runCommand(platform, caller, (ctx) =>
        updateDocument(ctx, params.id, {
          ...(body.type === undefined ? {} : { type: body.type }),
          ...(body.file_id === undefined ? {} : { fileId: body.file_id }),
          ...(body.number === undefined ? {} : { number: body.number }),
          ...(body.country === undefined ? {} : { country: body.country }),
          ...(body.issued_at === undefined ? {} : { issuedAt: body.issued_at }),
          ...(body.expires_at === undefined ? {} : { expiresAt: body.expires_at }),
        }),
      );
      return ok(await showDocument(platform, principal, params.id));
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/documents/:id/timeline',
    access: access.scope('profiles:read'),
    tag,
    summary: 'What happened to a document, oldest first',
    request: { params: idParams },
    response: { data: timelineShape },
    handler: async ({ platform, principal, params }) =>
      read(platform, async (em) => {
        const view = await findDocumentView(em, params.id);
        if (!view || !mayReadRecordOf(principal.user, view.ownerId)) throw new DomainError('not_found');
        return ok(presentTimeline(await listDocumentFacts(em, params.id), view.document));
      }),
  }),
];

async function showDocument(platform: Platform, principal: SignedIn, id: number) {
  const { view, now } = await read(platform, async (em, present) => ({ view: await findDocumentView(em, id), now: present }));
  if (!view || !mayReadRecordOf(principal.user, view.ownerId)) throw new DomainError('not_found');
  const shown = presentDocumentView(view);
  if (!isAdministrator(principal)) return shown;
  return { ...shown, process: await describeProcess(platform, processRef('document', id), viewOfDocument(view.document, now), now) };
}
