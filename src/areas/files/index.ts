import type { Area } from '../../http/define-area.ts';
import { extend } from '../../platform/extensions.ts';
import { personalRecords } from '../../platform/personal-data.ts';
import { type ChangedRecord, changedRecords, nullColumn } from '../changes/index.ts';
import { filesRecords } from './personal-data.ts';
import { fileRoutes } from './routes.ts';

/** Files in the log of changes. */
const fileChanges: readonly ChangedRecord[] = [
  {
    record: 'file',
    idType: 'uuid',
    select: (db) => db.selectFrom('files as f').select(['f.id', nullColumn.status, 'f.ownerId', nullColumn.organizer, nullColumn.parent]),
    path: ({ id }) => `/files/${id}`,
  },
];

/** Uploaded files and files that the registry makes. */
export const filesArea: Area = {
  processes: [],
  extensions: [extend(changedRecords, fileChanges), extend(personalRecords, filesRecords)],
  routes: () => fileRoutes,
};

export { deleteFile } from './delete-file.ts';
export {
  accountExportPurpose,
  type FileMime,
  fileMimes,
  type MadeMime,
  type StoredFile,
  StoredFileEntity,
  uploadMimes,
} from './entities.ts';
export { copyFiles, fileCopies, type FileCopy, giveFiles, lockFiles } from './give-files.ts';
export { hideFiles } from './hide-files.ts';
export { deleteMadeFile, keepMadeFile } from './keep-made-file.ts';
export { type FileDependents, fileDependents, type FileUse, isForAdministrators } from './policy.ts';
export { purgeDeletedFiles, purgeFile } from './purge-deleted-files.ts';
export { purgeFilesOf } from './purge-files-of.ts';
export { findFile, holdFile, lockOwnFile, lockOwnPhoto } from './queries.ts';
export { admitUpload } from './quota.ts';
export { examineFile, uploadFile, waitingForInspection } from './upload-file.ts';
