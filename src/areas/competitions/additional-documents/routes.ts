import { access } from '../../../http/access/access.ts';
import { defineRoute, type Route } from '../../../http/define-route.ts';
import { created, ok, page } from '../../../http/response/reply.ts';
import { deleted, idParams, listMeta, pagingQuery } from '../../../http/schemas.ts';
import { commit, query } from '../../../platform/commands/command.ts';
import { readPage } from '../../../platform/database/database.ts';
import { findEvent } from '../events/queries.ts';
import { requireEventReader } from '../policy.ts';
import { addAdditionalDocument, mostAdditionalDocuments } from './add-additional-document.ts';
import { deleteAdditionalDocument } from './delete-additional-document.ts';
import { additionalDocumentParams, additionalDocumentResponse, newAdditionalDocumentBody, presentAdditionalDocument } from './wire.ts';

const tag = 'Competitions';

/** Routes of an event's additional documents for its organizer. */
export const additionalDocumentRoutes: Route[] = [
  defineRoute({
    name: 'listAdditionalDocuments',
    method: 'GET',
    path: '/events/:id/additional-documents',
    access: access.scope('events:read'),
    tag,
    summary: 'List the additional documents of an event, oldest first',
    request: { params: idParams, query: pagingQuery },
    response: { data: additionalDocumentResponse.array(), meta: listMeta },
    handler: ({ platform, principal, caller, params, query: paging }) =>
      query(platform, async (db, now) => {
        await requireEventReader({ principal, caller, db, now }, await findEvent(db, params.id), 'additional_documents');
        // Uses additional_documents_event_index.
        const documents = db.selectFrom('additional_documents').where('eventId', '=', params.id).selectAll();
        const { rows, total } = await readPage(documents.orderBy('id'), paging);
        return page(rows.map(presentAdditionalDocument), total, paging);
      }),
  }),
  defineRoute({
    name: 'addAdditionalDocument',
    method: 'POST',
    path: '/events/:id/additional-documents',
    access: access.scope('events:write'),
    tag,
    summary: 'Add a bulletin, scheme, schedule or other document and submit it for review',
    description:
      `A completed or cancelled event answers 409 \`invalid_state\`. An event has at most ${mostAdditionalDocuments} additional documents: 409 \`quota_exceeded\`. ` +
      'An approved document is public while the event is published. To correct a returned document, delete it and add a new one.',
    request: {
      params: idParams,
      body: newAdditionalDocumentBody,
      example: { file_id: '3c7e1b52-8f4d-4a6e-9b21-5d0c8e7f4a10', title: 'Бюллетень № 1', kind: 'bulletin' },
    },
    response: { status: 201, location: '/events/:id/additional-documents', data: additionalDocumentResponse },
    links: { deleteAdditionalDocument: { id: 'event_id', document_id: 'document_id' }, listAdditionalDocuments: { id: 'event_id' } },
    errors: ['invalid_state', 'quota_exceeded'],
    handler: async ({ platform, caller, params, body: { file_id: fileId, title, kind } }) => {
      const shown = await commit(platform, caller, async (ctx) =>
        presentAdditionalDocument(await addAdditionalDocument(ctx, params.id, { fileId, title, kind })),
      );
      return created(shown, `/events/${params.id}/additional-documents`);
    },
  }),
  defineRoute({
    name: 'deleteAdditionalDocument',
    method: 'DELETE',
    path: '/events/:id/additional-documents/:document_id',
    access: access.scope('events:write'),
    tag,
    summary: 'Delete an additional document in any status',
    description: 'A completed or cancelled event answers 409 `invalid_state`. The file is not deleted.',
    request: { params: additionalDocumentParams },
    response: { data: deleted },
    errors: ['invalid_state'],
    handler: async ({ platform, caller, params }) => {
      await commit(platform, caller, (ctx) => deleteAdditionalDocument(ctx, params.id, params.document_id));
      return ok({ deleted: true as const });
    },
  }),
];
