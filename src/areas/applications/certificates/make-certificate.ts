import { createHash } from 'node:crypto';
import { baseUrl } from '../../../registry/config.ts';
import { DomainError } from '../../../errors.ts';
import { commit, query } from '../../../platform/commands/command.ts';
import type { Caller } from '../../../platform/commands/context.ts';
import { errorName } from '../../../platform/logging/error-code.ts';
import type { Platform } from '../../../platform/platform.ts';
import { readObject } from '../../../platform/storage/storage.ts';
import { audit } from '../../audit/index.ts';
import { signCredential } from '../../credentials/index.ts';
import { findApplication } from '../queries.ts';
import type { ApplicationRecord, IssuedCertificate } from '../record.ts';
import { credentialUrl, verificationUrl } from '../wire.ts';
import { certificateDocument, type CertificatePage } from './certificate-pdf.ts';

/**
 * Makes the PDF of an issued certificate and stores it once (APP-14).
 *
 * Does nothing when a PDF is stored. Of two concurrent runs the first to commit wins.
 * @throws {DomainError} certificate_not_issued; cannot_be_made when the photo is lost or broken or the page cannot be drawn. A retry fails
 * until support corrects the record. Other errors are transient
 */
export async function makeCertificate(platform: Platform, caller: Caller, applicationId: number): Promise<void> {
  const record = await query(platform, (db) => findApplication(db, applicationId));
  if (!record?.certificate) throw new DomainError('certificate_not_issued');
  if (record.certificate.pdf) return;
  const { certificate, application } = record;
  const photo = await loadPhoto(platform, certificate.snapshot.photoFileId);
  const pdf = await draw(platform, {
    brand: platform.brand,
    kind: application.kind,
    certificate,
    photo,
    verificationUrl: verificationUrl(baseUrl(platform.config), certificate.token),
    qrText: await signedQrText(platform, record, certificate),
  });
  const sha256 = createHash('sha256').update(pdf).digest('hex');
  // The hash is part of the key, so concurrent runs do not overwrite each other's object.
  const key = `certificates/${applicationId}/${sha256}.pdf`;
  await platform.storage.put(key, pdf, { contentType: 'application/pdf', size: pdf.length });
  const isRecorded = await commit(platform, caller, async (ctx) => {
    const row = await ctx.db
      .updateTable('certificates')
      .set({ pdfStorageKey: key, pdfSha256: sha256, pdfSize: pdf.length, pdfMadeAt: ctx.now })
      .where('applicationId', '=', applicationId)
      .where('pdfStorageKey', 'is', null)
      .returning('applicationId')
      .executeTakeFirst();
    if (row) await audit(ctx, 'application.certificate_made', { kind: 'application', id: applicationId }, { sha256, size: pdf.length });
    return row !== undefined;
  });
  if (!isRecorded) await deleteUnused(platform, applicationId, key);
}

/**
 * Returns the content of an issued certificate's QR, the same on its PDF and in a print archive. For workers only: signs the credential
 * first if needed.
 * @throws {DomainError} certificate_not_issued
 */
export async function qrTextOf(platform: Platform, applicationId: number): Promise<string> {
  const record = await query(platform, (db) => findApplication(db, applicationId));
  if (!record?.certificate) throw new DomainError('certificate_not_issued');
  return signedQrText(platform, record, record.certificate);
}

async function signedQrText(platform: Platform, record: ApplicationRecord, certificate: IssuedCertificate): Promise<string> {
  const credential = await signCredential(platform, record.application.id, certifiedFacts(record, certificate));
  return credentialUrl(baseUrl(platform.config), certificate.token, credential);
}

/** Returns the facts that the credential of a certificate names (VER-10). */
export function certifiedFacts({ application: { kind }, discipline }: ApplicationRecord, certificate: IssuedCertificate) {
  const { number, validFrom, validUntil, snapshot } = certificate;
  return { kind, number, validFrom, validUntil, category: snapshot.serviceCategory, discipline: discipline?.code ?? null };
}

/** Deletes the object of the run that lost, unless both runs wrote the same one. */
async function deleteUnused(platform: Platform, applicationId: number, key: string): Promise<void> {
  const record = await query(platform, (db) => findApplication(db, applicationId));
  const kept = record?.certificate?.pdf?.storageKey;
  if (kept !== undefined && kept !== key) await platform.storage.delete(key);
}

/** Loads the photo scaled to 3:4 for print. The upload has already made it upright and sRGB. */
async function loadPhoto(platform: Platform, fileId: string | null): Promise<CertificatePage['photo']> {
  if (fileId === null) return null;
  const file = await query(platform, (db) =>
    db.selectFrom('files').select(['storageKey', 'mime', 'width', 'height']).where('id', '=', fileId).executeTakeFirst(),
  );
  if (!file) throw cannotBeMade(`its photo (file ${fileId}) does not exist`);
  const original = await readObject(platform.storage, file.storageKey);
  if (original === null) throw cannotBeMade(`its photo (file ${fileId}) is missing in the storage`);
  // Encoding the JPEG again would lose quality.
  if (file.mime === 'image/jpeg' && file.width === photoWidth && file.height === photoHeight)
    return { mime: 'image/jpeg', bytes: original };
  const { default: sharp } = await import('sharp');
  const bytes = await sharp(original)
    .resize(photoWidth, photoHeight, { fit: 'cover', position: 'top' })
    .flatten({ background: '#ffffff' })
    .jpeg({ quality: 88 })
    .toBuffer()
    .catch((error: unknown) => {
      throw cannotBeMade(`its photo (file ${fileId}) is not a readable image`, error);
    });
  return { mime: 'image/jpeg', bytes };
}

async function draw(platform: Platform, page: CertificatePage): Promise<Buffer> {
  try {
    return await platform.drawing.draw(certificateDocument, page);
  } catch (error) {
    if (errorName(error) === 'UndrawableError') throw cannotBeMade('its page cannot be drawn', error);
    throw error;
  }
}

/** @param problem for support; without personal data */
function cannotBeMade(problem: string, cause?: unknown): DomainError {
  return new DomainError('cannot_be_made', undefined, `The PDF of the certificate cannot be generated: ${problem}.`, { cause });
}

/** Pixels, 3:4; printed 3.7 cm wide this is 300 dpi. */
const [photoWidth, photoHeight] = [450, 600];
