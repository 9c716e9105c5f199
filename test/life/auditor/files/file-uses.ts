import type { Exchange } from '../exchange.ts';
import type { Profile } from '../applications/application-records.ts';
import type { Inquiry } from '../inquiry.ts';
import type { Model } from '../model.ts';
import { forgetVersion } from '../competitions/versions.ts';
import type { StoredFile } from './file-records.ts';

interface SentFiles {
  profile_id?: number;
  file_id?: string;
  photo_id?: string | null;
  files?: Record<string, string>;
}

/** Notes which records use a file. */
export function useFiles(model: Model, exchange: Exchange): void {
  if (exchange.operation === 'DELETE /events/{id}/additional-documents/{document_id}')
    endUse(model, `additional ${exchange.params['document_id']}`);
  for (const [use, profileId, fileId] of usesOf(model, exchange)) {
    if (profileId === undefined || fileId === undefined) continue;
    endUse(model, use);
    model.copies.delete(use);
    model.files.get(fileId ?? '')?.uses.set(use, profileId);
  }
}

function endUse(model: Model, use: string): void {
  for (const file of model.files.values()) {
    const profileId = file.uses.get(use);
    if (profileId !== undefined && file.uses.delete(use)) file.formerProfileIds.add(profileId);
  }
}

/** Each use of a file that a request makes: its name, the profile of the record, and the file. */
function usesOf(model: Model, { operation, params, body, data }: Exchange): [string, number | undefined, string | null | undefined][] {
  const id = Number(params['id']);
  const { profile_id: profileId, file_id: fileId, photo_id: photoId, files = {} } = (body ?? {}) as SentFiles;
  switch (operation) {
    case 'POST /profiles':
      return [[`photo ${data.id}`, data.id, photoId]];
    case 'PATCH /profiles/{id}':
      return [[`photo ${id}`, id, photoId]];
    case 'POST /documents':
      return [[`document ${data.id}`, profileId, fileId]];
    case 'PATCH /documents/{id}':
      return [[`document ${id}`, model.documents.get(id)?.profileId, fileId]];
    case 'PATCH /events/{id}':
      return Object.entries(files).map(([stage, file]) => [`${stage} of ${id}`, model.events.get(id)?.profileId, file]);
    case 'POST /events/{id}/additional-documents':
      return [[`additional ${data.document_id}`, model.events.get(id)?.profileId, fileId]];
    default:
      return [];
  }
}

/**
 * A file that another profile of the old owner uses stays; the moved records use a copy (OWN-6). One that the profile used before is
 * forgotten.
 */
export function giveFiles(model: Model, profile: Profile, to: number): void {
  for (const [use, copy] of model.copies) if (copy.original.uses.get(use) === profile.id) copy.ownerId = to;
  for (const [id, file] of model.files) {
    const users = new Set(file.uses.values());
    if (file.formerProfileIds.has(profile.id) && !users.has(profile.id)) model.files.delete(id);
    if (!users.has(profile.id) || file.ownerId !== profile.ownerId) continue;
    const isOldOwners = (id: number) => id !== profile.id && model.profiles.get(id)?.ownerId === profile.ownerId;
    const isShared = [...users].some(isOldOwners);
    const fromId = file.ownerId;
    if (!isShared) file.ownerId = to;
    // A history of another profile may still use it.
    if (!isShared && ![...file.formerProfileIds].some(isOldOwners)) continue;
    const copy = { id: null, fromId, ownerId: to, original: { ...file, id, uses: new Map(file.uses) }, isCertain: isShared };
    for (const [use, profileId] of file.uses) {
      if (profileId !== profile.id) continue;
      model.copies.set(use, copy);
      if (!isShared) continue;
      file.uses.delete(use);
      file.formerProfileIds.add(profileId);
      // A bulletin with a copy is another one than a clerk has read (REV-5).
      forgetVersion(model, use.replace(/^additional /, 'additional_document/'));
    }
  }
}

/** The photo of a profile; after a transfer it may be a copy that no answer has shown yet. */
export function photoOf(model: Model, { id, photoId }: Profile): StoredFile | null {
  return model.files.get(photoId ?? '') ?? model.copies.get(`photo ${id}`)?.original ?? null;
}

/** A record names its file, and after a transfer its copy where one was due (FIL-5, OWN-6). @returns its file @throws {Finding} */
export function askFile({ model, same }: Inquiry, use: string, fileId: string | null, seen: string | null): string | null {
  same(`${use} names its own file, after a transfer a copy of one that stays (OWN-1, OWN-6)`, fileNamedBy(model, use, fileId, seen), seen);
  return seen;
}

/** The file that a record must name; after a transfer its copy, where one was due (OWN-6). @param seen what the record names */
function fileNamedBy(model: Model, use: string, fileId: string | null, seen: string | null): string | null {
  const copy = model.copies.get(use);
  if (!copy) return fileId;
  if (seen !== null && !model.files.has(seen)) copy.id ??= seen;
  if (copy.id === null) {
    if (copy.isCertain) return 'a copy';
    if (seen === fileId) model.copies.delete(use);
    return fileId;
  }
  model.copies.delete(use);
  const { id, fromId, ownerId, original } = copy;
  const stayed = model.files.get(original.id);
  if (stayed && !copy.isCertain) stayed.ownerId = fromId;
  const profileId = original.uses.get(use) ?? 0;
  endUse(model, use);
  if (!model.files.has(id)) model.files.set(id, { ...original, ownerId, uses: new Map(), formerProfileIds: new Set() });
  model.files.get(id)?.uses.set(use, profileId);
  model.sharedFiles.add(id).add(original.id);
  model.freshCopies.push(id, original.id);
  return id;
}
