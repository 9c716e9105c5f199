import { createHash } from 'node:crypto';
import { actsAsAdministrator } from '../accounts/scopes.ts';
import type { Area } from '../area.ts';
import { isDocumentInUse } from '../applications/documents.ts';
import { Finding } from '../finding.ts';
import type { Inquiry } from '../inquiry.ts';
import { refuse } from '../judgement.ts';
import type { Person } from '../../world.ts';
import type { StoredFile } from './file-records.ts';
import type { Model } from '../model.ts';

const [reading, deleting] = ['GET /files/{id}', 'DELETE /files/{id}'];

/** Files that people upload, by `docs/rules/files.md`. */
export const filesArea: Area = {
  judge(model, { operation, params, by }) {
    if (operation !== reading && operation !== deleting) return null;
    const file = model.files.get(String(params['id']));
    if (!file) return null;
    const isOwner = file.ownerId === by.accountId;
    if (operation === reading) {
      // Marks of the federation have rules of their own (FIL-7).
      if (isMark(file.purpose)) return null;
      return isOwner || actsAsAdministrator(model, by, 'admin:read') ? 'accept' : refuse('not_found');
    }
    if (!isOwner) return refuse('not_found');
    // A setting keeps its marks (AGR-8).
    if (isInUse(model, file) || model.usedMarks.has(String(params['id']))) return refuse('file_in_use');
    if (![...file.uses.keys()].every((use) => use.startsWith('document '))) return null;
    // A record may still name it in its history, and a setting its marks.
    return [...file.formerProfileIds].some((id) => hasHistory(model, id)) || isMark(file.purpose) ? null : 'accept';
  },

  saw(model, { operation, params }) {
    if (operation === deleting) model.files.delete(String(params['id']));
    return [];
  },

  read(model, { operation, params, bytes }) {
    const id = String(params['id'] ?? params['uuid']).toLowerCase();
    const file = operation.startsWith('GET /files/{') ? model.files.get(id) : undefined;
    const sha256 = sha256Of(bytes);
    if (file && sha256 !== file.sha256) throw new Finding(`file ${id} is read as it was stored (FIL-1)`, file.sha256, sha256);
  },

  async ask(inquiry) {
    await askBytes(inquiry, inquiry.model.freshCopies.splice(0));
  },

  async askAll(inquiry) {
    await askBytes(inquiry, inquiry.model.sharedFiles);
    for (const person of inquiry.people) if (inquiry.isActive(person) && !inquiry.isSignedOut(person)) await askList(inquiry, person);
  },
};

/** A copy and its original are files of their owners, with the same bytes, whatever becomes of the other (OWN-6, FIL-5). */
async function askBytes(inquiry: Inquiry, ids: Iterable<string>): Promise<void> {
  const { model, as, same } = inquiry;
  for (const id of ids) {
    const file = model.files.get(id);
    const owner = file && inquiry.personOf(file.ownerId);
    if (!owner || !inquiry.isActive(owner) || inquiry.isSignedOut(owner)) continue;
    const { status, bytes } = await as(owner, reading, { params: { id } });
    const seen = { status, sha256: sha256Of(bytes) };
    same(`file ${id}, a copy or an original, is read by its owner (OWN-6, FIL-5)`, { status: 200, sha256: file.sha256 }, seen);
  }
}

/** Each person lists the own files, and no other's, also after transfers (FIL-4, OWN-1, OWN-6). */
async function askList(inquiry: Inquiry, person: Person): Promise<void> {
  const { files } = inquiry.model;
  const listed = new Set((await inquiry.listedTo<{ id: string }>(person, 'GET /files')).map(({ id }) => id));
  const foreign = [...listed].filter((id) => (files.get(id)?.ownerId ?? person.accountId) !== person.accountId);
  inquiry.same(`the files of ${person.name} are their own (FIL-4, OWN-6)`, [], foreign);
  // One that no record uses may have been forgotten with a copy.
  const used = [...files].filter(([, { ownerId, uses }]) => ownerId === person.accountId && uses.size > 0).map(([id]) => id);
  const missing = used.filter((id) => !listed.has(id));
  inquiry.same(`the files of the records of ${person.name} are listed (FIL-4, OWN-1)`, [], missing);
}

/** Whether a record keeps a file from deletion (FIL-5): a document only once an application or a registration uses it (DOC-3, DOC-8, REG-16). */
export function isInUse(model: Model, { uses }: StoredFile): boolean {
  return [...uses].some(([use, profileId]) => {
    const [kind, id] = use.split(' ');
    if (kind === 'document') return isDocumentInUse(model, Number(id));
    if (kind === 'additional') return model.additionalDocuments.has(Number(id));
    return model.profiles.has(profileId);
  });
}

/** Whether certificates, snapshots or stages of a profile may name files that it uses no more. */
function hasHistory({ profiles, applications, registrations }: Model, profileId: number): boolean {
  if (profiles.get(profileId)?.kind !== 'athlete') return profiles.has(profileId);
  const isKept = (one: { profileId: number; status: string }) => one.profileId === profileId && one.status !== 'draft';
  return [...applications.values(), ...registrations.values()].some(isKept);
}

const sha256Of = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
const isMark = (purpose: string) => purpose === 'signature' || purpose === 'stamp';
