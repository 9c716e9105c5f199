import { DomainError, fieldProblem } from '../errors.ts';
import { access } from '../http/access.ts';
import { defineRoute } from '../http/define-route.ts';
import type { Route } from '../http/define-route.ts';
import { created, ok, page } from '../http/reply.ts';
import { deleted, downloadQuery, listMeta } from '../http/schemas.ts';
import { sendFile } from '../http/send-file.ts';
import { read, runCommand } from '../platform/command.ts';
import type { Platform } from '../platform/platform.ts';
import { z } from 'zod';
import { deleteFile } from './delete-file.ts';
import { fileMimes } from './entities.ts';
import type { StoredFile } from './entities.ts';
import { mayOpenFile } from './policy.ts';
import { presentFile } from './presenter.ts';
import { purgeFile } from './purge-deleted-files.ts';
import { findFile, listFiles } from './queries.ts';
import { fileListQuery, fileOut, fileParams, uploadFields } from './schemas.ts';
import { uploadFile } from './upload-file.ts';

const tag = 'Files';

export const fileRoutes: Route[] = [
  defineRoute({
    method: 'GET',
    path: '/files',
    access: access.scope('files:read'),
    tag,
    summary: 'Own files, newest first',
    request: { query: fileListQuery },
    response: { data: z.array(fileOut), meta: listMeta },
    async handler({ platform, principal, query }) {
      const [files, total] = await read(platform, (em) => listFiles(em, { ownerId: principal.user.id, ...query, purpose: query.purpose }));
      return page(files.map(presentFile), total, query);
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/files',
    access: access.scope('files:write'),
    tag,
    summary: 'Upload a file',
    description:
      'JPG, PNG, WebP or PDF, at most 20 MB, told by the content. Images are decoded in full, at most 40 million pixels, and stored without their metadata; a PDF that is encrypted or holds scripts, launch actions or embedded files is refused. The reason stands in `details.reason`.',
    bodyKind: 'upload',
    request: { body: uploadFields },
    response: { status: 201, data: fileOut },
    errors: ['payload_too_large', 'unsupported_media_type', 'file_rejected', 'service_unavailable'],
    async handler({ platform, principal, caller, body, upload }) {
      if (!upload) throw fieldProblem('body.file', 'required', 'is required');
      const id = await uploadFile(platform, caller, { ownerId: principal.user.id, purpose: body.purpose, file: upload });
      return created(presentFile(await load(platform, id, () => true)));
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/files/:uuid',
    access: access.scope('files:read'),
    tag,
    summary: 'Open or download a file',
    description: 'For the owner and administrators. Answers `Range` with one range in part, and `If-None-Match` with 304.',
    request: { params: fileParams, query: downloadQuery },
    response: { content: fileMimes },
    errors: ['range_not_satisfiable', 'service_unavailable'],
    async handler({ platform, principal, params, query, header }) {
      const file = await load(platform, params.uuid, (found) => mayOpenFile(principal.user, found));
      const { storageKey: key, size, sha256, mime, name } = file;
      return sendFile({ storage: platform.storage, key, size, sha256, mime, name, download: query.download === '1', header });
    },
  }),
  defineRoute({
    method: 'DELETE',
    path: '/files/:uuid',
    access: access.scope('files:write'),
    tag,
    summary: 'Delete an unused file',
    description:
      'A file is used by a profile as its photo, by a document that stands in an application which is not a draft, and by an issued certificate; `details.used_by` names them. An unused document whose file is deleted goes to `changes`.',
    request: { params: fileParams },
    response: { data: deleted },
    errors: ['file_in_use'],
    async handler({ platform, principal, caller, params }) {
      await runCommand(platform, caller, (ctx) => deleteFile(ctx, { fileId: params.uuid, ownerId: principal.user.id }));
      await purgeFile(platform, params.uuid);
      return ok({ deleted: true as const });
    },
  }),
];

async function load(platform: Platform, id: string, mayRead: (file: StoredFile) => boolean): Promise<StoredFile> {
  const file = await read(platform, (em) => findFile(em, id));
  if (!file || !mayRead(file)) throw new DomainError('not_found');
  return file;
}
