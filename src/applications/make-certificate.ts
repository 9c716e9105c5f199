import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import sharp from 'sharp';
import { audit } from '../administration/audit.ts';
import { baseUrl } from '../config.ts';
import { DomainError } from '../errors.ts';
import { StoredFileEntity } from '../files/entities.ts';
import { commit, read } from '../platform/command.ts';
import type { Caller } from '../platform/context.ts';
import { renderPdf } from '../platform/pdf/render-pdf.ts';
import type { Platform } from '../platform/platform.ts';
import { describeCertificate } from './certificate-pdf.ts';
import type { CertificatePage } from './certificate-pdf.ts';
import { verificationUrl } from './presenter.ts';
import { findApplication } from './queries.ts';
import { executePrepared } from '../platform/database/prepared.ts';
import { loadById } from '../platform/database/load.ts';

/**
 * Makes the PDF of an issued certificate and stores it, once and for good: where one is stored already nothing happens, and of
 * two makers at the same time the first to be recorded wins.
 * @throws {DomainError} certificate_not_issued
 */
export async function makeCertificate(platform: Platform, caller: Caller, applicationId: number): Promise<void> {
  const record = await read(platform, (em) => findApplication(em, applicationId));
  if (!record?.certificate) throw new DomainError('certificate_not_issued');
  if (record.certificate.pdf) return;
  const { certificate, kind } = record;
  const photo = await loadPhoto(platform, certificate.snapshot.photoFileId);
  const url = verificationUrl(baseUrl(platform.config), certificate.token);
  const pdf = await renderPdf(describeCertificate({ kind, certificate, photo, verificationUrl: url }));
  const sha256 = createHash('sha256').update(pdf).digest('hex');
  // The content is part of the key, so two makers never write over each other.
  const key = `certificates/${applicationId}/${sha256}.pdf`;
  await platform.storage.put(key, pdf, { contentType: 'application/pdf', size: pdf.length });
  const { result: isRecorded } = await commit(platform, caller, async (ctx) => {
    const [row] = await executePrepared<{ id: number }>(
      ctx.em,
      `update certificates set pdf_storage_key = $1, pdf_sha256 = $2, pdf_size = $3, pdf_made_at = $4
       where application_id = $5 and pdf_storage_key is null returning application_id as id`,
      [key, sha256, pdf.length, ctx.now, applicationId],
    );
    if (row) audit(ctx, 'application.certificate_made', { kind: 'application', id: applicationId }, { sha256, size: pdf.length });
    return row !== undefined;
  });
  if (!isRecorded) await deleteUnused(platform, applicationId, key);
}

/** Another maker was first; its object stays, ours goes unless it is the same. */
async function deleteUnused(platform: Platform, applicationId: number, key: string): Promise<void> {
  const record = await read(platform, (em) => findApplication(em, applicationId));
  const kept = record?.certificate?.pdf?.storageKey;
  if (kept !== undefined && kept !== key) await platform.storage.delete(key);
}

/** The holder's photo as it goes onto the page: 3:4, of a size that prints well. It is upright and sRGB since its upload. */
async function loadPhoto(platform: Platform, fileId: string | null): Promise<CertificatePage['photo']> {
  if (fileId === null) return null;
  const file = await read(platform, (em) => loadById(em, StoredFileEntity, fileId));
  if (!file) return null;
  const original = await buffer(await platform.storage.get(file.storageKey));
  // Another round of JPEG would only blur it.
  if (file.mime === 'image/jpeg' && file.width === photoWidth && file.height === photoHeight)
    return { mime: 'image/jpeg', bytes: original };
  const bytes = await sharp(original)
    .resize(photoWidth, photoHeight, { fit: 'cover', position: 'top' })
    .flatten({ background: '#ffffff' })
    .jpeg({ quality: 88 })
    .toBuffer();
  return { mime: 'image/jpeg', bytes };
}

/** Pixels, 3:4; printed 3.7 cm wide they are 300 to the inch. */
const [photoWidth, photoHeight] = [450, 600];
