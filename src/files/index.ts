export { imageMimes, lockOwnFile } from './lock-own-file.ts';
export { purgeDeletedFiles } from './purge-deleted-files.ts';
export { fileRoutes } from './routes.ts';
