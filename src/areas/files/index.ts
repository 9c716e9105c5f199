import type { Area } from '../../http/define-area.ts';
import { fileRoutes } from './routes.ts';

/** Uploaded files and files that the registry makes. */
export const filesArea: Area = {
  processes: [],
  extensions: [],
  routes: () => fileRoutes,
};

export { deleteFile } from './delete-file.ts';
export { deleteMadeFile } from './keep-made-file.ts';
export { StoredFileEntity } from './entities.ts';
export type { StoredFile } from './entities.ts';
export { examineFile } from './examine-file.ts';
export { copyFiles, fileCopies, giveFiles, lockFiles } from './give-files.ts';
export type { FileCopy } from './give-files.ts';
export { keepMadeFile } from './keep-made-file.ts';
export { imageMimes, lockOwnFile } from './queries.ts';
export { fileMimes, uploadMimes } from './mimes.ts';
export type { FileMime, MadeMime } from './mimes.ts';
export { purgeDeletedFiles, purgeFile } from './purge-deleted-files.ts';
export { findFile } from './queries.ts';
export { admitUpload } from './quota.ts';
export { uploadFile } from './upload-file.ts';
export { fileDependents } from './uses.ts';
export type { FileDependents, FileUse } from './uses.ts';
