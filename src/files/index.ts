export { imageMimes, lockOwnFile } from './lock-own-file.ts';
export { mayOpenFile } from './policy.ts';
export { purgeDeletedFiles } from './purge-deleted-files.ts';
export { fileUses, findFile } from './queries.ts';
export type { FileUse } from './queries.ts';
export { fileRoutes } from './routes.ts';
