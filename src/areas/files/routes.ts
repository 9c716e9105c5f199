import { z } from 'zod';
import { DomainError, fieldProblem } from '../../errors.ts';
import { access } from '../../http/access/access.ts';
import { defineRoute, type Route } from '../../http/define-route.ts';
import { created, ok, page } from '../../http/response/reply.ts';
import { sendFile } from '../../http/response/send-file.ts';
import { deleted, downloadQuery, listMeta } from '../../http/schemas.ts';
import { commit, query as runQuery } from '../../platform/commands/command.ts';
import type { Database } from '../../platform/database/database.ts';
import { deleteFile } from './delete-file.ts';
import { fileMimes, type StoredFile } from './entities.ts';
import { authorizeFileReading } from './policy.ts';
import { purgeFile } from './purge-deleted-files.ts';
import { findFile, listFiles } from './queries.ts';
import { admitUpload } from './quota.ts';
import { uploadFile } from './upload-file.ts';
import { fileListQuery, fileParams, fileResponse, presentFile, uploadFields } from './wire.ts';

const tag = 'Files';

export const fileRoutes: Route[] = [
  defineRoute({
    name: 'listFiles',
    method: 'GET',
    path: '/files',
    access: access.scope('files:read'),
    tag,
    summary: 'List own files, newest first',
    request: { query: fileListQuery },
    response: { data: z.array(fileResponse), meta: listMeta },
    async handler({ platform, principal, query }) {
      const { rows, total } = await runQuery(platform, (db) => listFiles(db, principal.user.id, query));
      return page(rows.map(presentFile), total, query);
    },
  }),
  defineRoute({
    name: 'uploadFile',
    method: 'POST',
    path: '/files',
    access: access.scope('files:write'),
    tag,
    summary: 'Upload a file',
    description:
      'JPEG, PNG, WebP or PDF of at most 20 MB; the type is detected from the content. Images have at most 40 million pixels (JPEG 120 million; over 40 million it is halved until it has at most 16 million; a progressive one has at most 66 million in 4:4:4, 100 in 4:2:2 and 50 in CMYK) and 20,000 pixels a side; they are decoded completely and stored without metadata. A PDF is stored as it was sent. It is refused if it needs a password to open (an owner password is allowed), contains scripts, embedded files or actions that open or send data without a click, or is expensive to read. `details.reason` of 422 `file_rejected` names the reason, `message` what to do, and `details.found` what the file is or has: `heic`, `progressive`, `script`, `form`, `attachment` or `action`. An image with the purpose `photo` has at least 200 x 200 pixels (`photo_too_small`). An account has a quota of files, bytes and uploads an hour: 409 `quota_exceeded` with `quota` (`files`, `bytes`, `uploads_per_hour`), `used` and `limit`. The server refuses by the announced length before it reads the body. A deleted file leaves the quota when its bytes are removed, usually before the deletion is answered.',
    bodyKind: 'upload',
    request: { body: uploadFields, example: { purpose: 'medical' } },
    response: { status: 201, location: '/files/:uuid', data: fileResponse },
    links: { getFile: { uuid: 'id' }, deleteFile: { uuid: 'id' } },
    errors: ['payload_too_large', 'unsupported_media_type', 'file_rejected', 'quota_exceeded', 'service_unavailable'],
    admit: ({ platform, principal, contentLength }) => admitUpload(platform, principal.user.id, contentLength),
    async handler({ platform, principal, caller, body, upload, signal }) {
      if (!upload) throw fieldProblem('body.file', 'required', 'is required');
      const id = await uploadFile(platform, caller, { ownerId: principal.user.id, purpose: body.purpose, file: upload, signal });
      return created(presentFile(await runQuery(platform, (db) => load(db, id))), `/files/${id}`);
    },
  }),
  defineRoute({
    name: 'getFile',
    method: 'GET',
    path: '/files/:uuid',
    access: access.scope('files:read'),
    tag,
    summary: 'Read or download a file',
    description:
      'For the owner and for administrators; their API keys need `admin:read` and `files:read`. A file that the registry generated (XLSX, ZIP) is for administrators only; their API keys need only `files:read`. Supports one `Range` (206) and `If-None-Match` (304).',
    request: { params: fileParams, query: downloadQuery },
    response: { content: fileMimes },
    errors: ['range_not_satisfiable', 'service_unavailable'],
    async handler({ platform, principal, caller, params, query, header }) {
      const file = await runQuery(platform, async (db, now) => {
        const found = await load(db, params.uuid);
        await authorizeFileReading({ principal, caller, db, now, extensions: platform.extensions }, found);
        return found;
      });
      const { storageKey: key, size, sha256, mime, name } = file;
      return sendFile({
        storage: platform.storage,
        key,
        size,
        sha256,
        mime,
        name,
        download: query.download === '1',
        header,
      });
    },
  }),
  defineRoute({
    name: 'deleteFile',
    method: 'DELETE',
    path: '/files/:uuid',
    access: access.scope('files:write'),
    tag,
    summary: 'Delete an unused file',
    description:
      'A used file answers 409 `file_in_use`; `details.used_by` names the records. Records that use a file: a profile (photo), a document of an application that is not a draft, an issued certificate, a stage or an additional document of an event, a submitted registration, an agreement (signed scan), and the signing setting. An unused document whose file is deleted moves to `changes`.',
    request: { params: fileParams },
    response: { data: deleted },
    errors: ['file_in_use'],
    async handler({ platform, principal, caller, params }) {
      await commit(platform, caller, (ctx) => deleteFile(ctx, { fileId: params.uuid, ownerId: principal.user.id }));
      await purgeFile(platform, params.uuid);
      return ok({ deleted: true as const });
    },
  }),
];

/** @throws {DomainError} not_found for a file that is absent or was deleted, alike */
async function load(db: Database, id: string): Promise<Readonly<StoredFile>> {
  const file = await findFile(db, id);
  if (!file) throw new DomainError('not_found');
  return file;
}
