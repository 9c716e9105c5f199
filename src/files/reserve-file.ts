import type { CommandContext } from '../platform/context.ts';
import { StoredFileEntity } from './entities.ts';
import type { StoredFile } from './entities.ts';

export type NewFile = Omit<StoredFile, 'createdAt' | 'deletedAt' | 'purgedAt' | '__config' | '__loadedType' | '__selectedType'>;

/** Names the object that is about to be stored, so that it can be found and cleared if this process dies before `publishFile`. */
export async function reserveFile(ctx: CommandContext, file: NewFile): Promise<void> {
  ctx.em.create(StoredFileEntity, { ...file, createdAt: ctx.now, deletedAt: ctx.now, purgedAt: null });
}
