import { z } from 'zod';
import { DomainError, fieldProblem } from '../../errors.ts';
import { access } from '../../http/access/access.ts';
import { defineRoute, type Route } from '../../http/define-route.ts';
import { created, ok, page } from '../../http/response/reply.ts';
import { sendFile } from '../../http/response/send-file.ts';
import { deleted, downloadQuery, listMeta } from '../../http/schemas.ts';
import { commit, query as runQuery } from '../../platform/command.ts';
import type { Database } from '../../platform/database/database.ts';
import { deleteFile } from './delete-file.ts';
import type { StoredFile } from './entities.ts';
import { fileMimes } from './mimes.ts';
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
    summary: 'Own files, newest first',
    request: { query: fileListQuery },
    response: { data: z.array(fileResponse), meta: listMeta },
    async handler({ platform, principal, query }) {
      const { files, total } = await runQuery(platform, (db) =>
        listFiles(db, { ownerId: principal.user.id, ...query, purpose: query.purpose }),
      );
      return page(files.map(presentFile), total, query);
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
      'JPG, PNG, WebP or PDF, at most 20 MB, told by the content. Images are decoded in full, at most 40 million pixels and 20,000 on a side, and stored without their metadata; a PDF that is encrypted, holds scripts, embedded files or actions that open or send something outside (a link that is clicked may stay), or is built to be expensive to read, is refused. The reason stands in `details.reason`. An account keeps so many files and bytes and sends so many files an hour: 409 `quota_exceeded` with `quota` (`files`, `bytes`, `uploads_per_hour`), `used` and `limit`, told before the body is read where its announced length says enough. A deleted file gives its place back when its bytes are gone, as a rule before the deletion is answered.',
    bodyKind: 'upload',
    request: { body: uploadFields },
    response: { status: 201, location: '/files/:uuid', data: fileResponse },
    links: { getFile: { uuid: 'id' }, deleteFile: { uuid: 'id' } },
    errors: ['payload_too_large', 'unsupported_media_type', 'file_rejected', 'quota_exceeded', 'service_unavailable'],
    admit: ({ platform, principal, contentLength }) => admitUpload(platform, principal.user.id, contentLength),
    async handler({ platform, principal, caller, body, upload, gone }) {
      if (!upload) throw fieldProblem('body.file', 'required', 'is required');
      const id = await uploadFile(platform, caller, { ownerId: principal.user.id, purpose: body.purpose, file: upload, signal: gone });
      return created(presentFile(await runQuery(platform, (db) => load(db, id))), `/files/${id}`);
    },
  }),
  defineRoute({
    name: 'getFile',
    method: 'GET',
    path: '/files/:uuid',
    access: access.scope('files:read'),
    tag,
    summary: 'Open or download a file',
    description:
      'For the owner and for administrators, whose keys need `admin:read` beside `files:read`. A file that the registry made of a national list (XLSX, ZIP) is for administrators alone, whoever made it had made, and their keys need `files:read` only. Answers `Range` with one range in part, and `If-None-Match` with 304.',
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
      'A file is used by a profile as its photo, by a document that stands in an application which is not a draft, by an issued certificate, by a stage or an additional document of an event, by a submitted registration, by an agreement as its signed scan, and by the signing setting; `details.used_by` names them. An unused document whose file is deleted goes to `changes`.',
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
