import sharp from 'sharp';
import { createHash, randomUUID } from 'node:crypto';
import type { SigningLayout } from '../../../src/areas/agreements/entities.ts';
import { databaseOf, json } from '../../../src/platform/database/database.ts';
import type { Platform } from '../../../src/platform/platform.ts';
import type { TestClient } from '../client.ts';

/** Default signer and layout of the marks. */
export const signer = { signer_name: 'Әбенова Гүлнар Өмірқызы', signer_position: 'Бас хатшы' };
export const signingLayout: SigningLayout = { signature: { x: 60, y: 190, scale: 1 }, stamp: { x: 120, y: 185, scale: 1 } };

type Mark = 'signature' | 'stamp';
const sizes: Record<Mark, { width: number; height: number }> = {
  signature: { width: 600, height: 240 },
  stamp: { width: 480, height: 480 },
};

/** Draws a transparent image with a stroke or a ring, like a signature or a stamp; each ink gives another file. */
export function makeMark(mark: Mark, { format = 'png', ink = '#1030a0' }: { format?: 'png' | 'webp'; ink?: string } = {}): Promise<Buffer> {
  const { width, height } = sizes[mark];
  const drawn =
    mark === 'signature'
      ? `<path d="M20 180 C 120 20, 200 220, 300 120 S 480 60, 580 160" fill="none" stroke="${ink}" stroke-width="10"/>`
      : `<circle cx="240" cy="240" r="220" fill="none" stroke="${ink}" stroke-width="14"/>`;
  return sharp(Buffer.from(`<svg width="${width}" height="${height}">${drawn}</svg>`))
    .toFormat(format)
    .toBuffer();
}

/** Sets the signing setting through the API. @returns the response */
export async function setSigningBy(administrator: TestClient, options: Record<string, unknown> = {}) {
  const upload = async (mark: Mark) =>
    administrator.expect(201, await administrator.upload(await makeMark(mark), mark, `${mark}.png`)).body.data.id as string;
  const body = {
    ...signer,
    signature_file_id: options['signature_file_id'] ?? (await upload('signature')),
    stamp_file_id: options['stamp_file_id'] ?? (await upload('stamp')),
    layout: signingLayout,
    ...options,
  };
  return administrator.expect(200, await administrator.put('/admin/federation-signing', body)).body.data;
}

interface SigningOptions {
  layout?: SigningLayout;
  signerName?: string;
  signerPosition?: string;
  /** Of both marks. */
  ink?: string;
}

/** Inserts signing settings as rows, with their files. */
export function signingFixtures(platform: Pick<Platform, 'orm' | 'clock' | 'storage'>) {
  const db = databaseOf(platform.orm.em.fork());

  /** Inserts a new current setting. @returns its id and the files of its marks */
  async function signing(actorId: number, options: SigningOptions = {}) {
    const createdAt = await platform.clock.now(db);
    const file = async (purpose: Mark) => {
      const bytes = await makeMark(purpose, options);
      const id = randomUUID();
      const storageKey = `fixtures/${id}`;
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      const facts = {
        purpose,
        name: `${purpose}.png`,
        mime: 'image/png' as const,
        size: bytes.length,
        sha256,
        ...sizes[purpose],
        pages: null,
      };
      await platform.storage.put(storageKey, bytes, { contentType: 'image/png', size: bytes.length });
      await db
        .insertInto('files')
        .values({ id, ownerId: actorId, storageKey, createdAt, ...facts })
        .execute();
      return { id, storageKey };
    };
    const [signature, stamp] = [await file('signature'), await file('stamp')];
    const { id } = await db
      .insertInto('federation_signings')
      .values({
        signerName: options.signerName ?? signer.signer_name,
        signerPosition: options.signerPosition ?? signer.signer_position,
        signatureFileId: signature.id,
        stampFileId: stamp.id,
        layout: json(options.layout ?? signingLayout),
        actorId,
        createdAt,
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    return { id, signature, stamp };
  }

  return { signing };
}
