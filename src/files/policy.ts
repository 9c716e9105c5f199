import { mayReadRecordOf } from '../http/access.ts';
import type { SignedIn } from '../http/access.ts';
import type { StoredFile } from './entities.ts';

/** A file may be opened by its owner and by administrators; what was deleted, by nobody (service.md "Files"). */
export function mayOpenFile(user: Pick<SignedIn['user'], 'id' | 'role'>, file: Pick<StoredFile, 'ownerId' | 'deletedAt'>): boolean {
  return file.deletedAt === null && mayReadRecordOf(user, file.ownerId);
}
