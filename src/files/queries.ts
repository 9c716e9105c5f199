import type { EntityManager } from '@mikro-orm/postgresql';
import { StoredFileEntity } from './entities.ts';
import type { StoredFile } from './entities.ts';

/** A file that was not deleted, whoever owns it; null when there is none. */
export function findFile(em: EntityManager, id: string): Promise<StoredFile | null> {
  return em.findOne(StoredFileEntity, { id, deletedAt: null });
}

export interface FileListing {
  ownerId: number;
  purpose: string | undefined;
  page: number;
  limit: number;
}

/** A page of a person's files, newest first, and how many there are in all. Read by `files_owner_index`. */
export function listFiles(em: EntityManager, { ownerId, purpose, page, limit }: FileListing): Promise<[StoredFile[], number]> {
  return em.findAndCount(
    StoredFileEntity,
    { ownerId, deletedAt: null, ...(purpose === undefined ? {} : { purpose }) },
    { orderBy: { createdAt: 'desc', id: 'desc' }, limit, offset: (page - 1) * limit },
  );
}

/** Something that a file stands in. */
export interface FileUse {
  kind: 'profile_photo' | 'document' | 'certificate';
  /** Of the profile, the document or the certificate's application. */
  id: number;
}

/**
 * What keeps a file from being deleted: a profile's photo, a document that stands in an application which is not a draft, a
 * photo on an issued certificate (decisions.md §3 "Unused"). Whatever uses a file has the file's owner, so the owner's rows are
 * enough to look at.
 */
export function fileUses(em: EntityManager, fileId: string): Promise<FileUse[]> {
  return em.execute<FileUse[]>(
    `select 'profile_photo' as kind, p.id
       from files f join profiles p on p.owner_id = f.owner_id and p.photo_id = f.id
      where f.id = ?
     union all
     select 'document', d.id
       from documents d
      where d.file_id = ?
        and exists (select from application_documents ad join applications a on a.id = ad.application_id
                     where ad.document_id = d.id and a.status <> 'draft')
     union all
     select 'certificate', c.application_id
       from files f join applications a on a.owner_id = f.owner_id join certificates c on c.application_id = a.id
      where f.id = ? and c.snapshot ->> 'photoFileId' = f.id::text
      order by 1, 2`,
    [fileId, fileId, fileId],
  );
}
