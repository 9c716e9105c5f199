import { makeMark } from '../support/factories/signings.ts';
import { makeScan } from '../support/papers/scans.ts';
import type { Person, World } from './world.ts';

/** Uploads a photo of all lives. @returns its file; null when the upload is refused, as to a blocked account */
export async function makePhoto(world: World, owner: Person, which: 'photo' | 'otherPhoto' = 'photo'): Promise<string | null> {
  return upload(world, owner, { bytes: await world.papers[which], purpose: 'photo', name: 'photo.jpg' });
}

/** Uploads an image that is too small for a photo of a person, for another purpose. */
export async function makeSmallImage(world: World, owner: Person): Promise<string | null> {
  return upload(world, owner, { bytes: await world.papers.smallImage, purpose: 'other', name: 'small.jpg', isSmall: true });
}

/** Uploads a scan and makes a document of it. @param more fields instead of the usual ones @returns its id; null when it is refused */
export async function makeDocument(
  world: World,
  owner: Person,
  profileId: number,
  type: string,
  expiresAt: string | null,
  more: Record<string, unknown> = {},
): Promise<number | null> {
  const fileId = await upload(world, owner, { bytes: await world.papers.scan, purpose: 'document', name: 'scan.pdf' });
  if (fileId === null) return null;
  const day = expiresAt === null ? {} : { expires_at: expiresAt };
  const body = { profile_id: profileId, type, file_id: fileId, number: `N${1_000_000 + world.nextMark()}`, country: 'KZ', ...day, ...more };
  const made = await world.call(owner, 'POST /documents', { body });
  return made.status === 201 ? made.data.id : null;
}

/** Uploads a PDF of its own text. @returns its file; null when it is refused */
export async function makePdf(world: World, owner: Person, text: string): Promise<string | null> {
  return upload(world, owner, { bytes: await makeScan(text, 1), purpose: 'other', name: 'paper.pdf' });
}

/** Uploads the image of a mark, in an ink of its own. */
export async function makeMarkFile(world: World, owner: Person, mark: 'signature' | 'stamp', ink: string): Promise<string | null> {
  return upload(world, owner, { bytes: await makeMark(mark, { ink }), purpose: mark, name: `${mark}.png`, isInvisible: ink === '#ffffff' });
}

interface Upload {
  bytes: Buffer;
  purpose: string;
  name: string;
  isSmall?: true;
  isInvisible?: boolean;
}

async function upload(world: World, owner: Person, file: Upload): Promise<string | null> {
  const { purpose, isSmall = false, isInvisible = false, ...content } = file;
  const answer = await world.call(owner, 'POST /files', { file: { ...content, fields: { purpose } } });
  if (answer.status !== 201) return null;
  const { mime, sha256 } = answer.data;
  const { accountId: ownerId } = world.callerOf(owner);
  world.auditor.model.files.set(answer.data.id, {
    ownerId,
    mime,
    purpose,
    sha256,
    isSmall,
    isInvisible,
    uses: new Map(),
    formerProfileIds: new Set(),
  });
  return answer.data.id;
}
