import { createHash } from 'node:crypto';
import { baseUrl } from '../../../registry/config.ts';
import { DomainError } from '../../../errors.ts';
import { commit, query } from '../../../platform/commands/command.ts';
import type { Caller } from '../../../platform/commands/context.ts';
import { type Database, json } from '../../../platform/database/database.ts';
import { dayOf, formatDay } from '../../../platform/time/date-time.ts';
import { errorName } from '../../../platform/logging/error-code.ts';
import { scanPdf } from '../../../platform/inspector/pdf-scan.ts';
import type { PlacedImage } from '../../../platform/pdf/place-images.ts';
import type { Platform } from '../../../platform/platform.ts';
import { readObject } from '../../../platform/storage/storage.ts';
import { audit } from '../../audit/index.ts';
import { competitionDays } from '../../competitions/index.ts';
import type { Contract, MarkPlace } from '../entities.ts';
import { findSigning, type Signing } from '../signing/find-signing.ts';
import { markWidths } from '../signing/mark-place.ts';
import { findTemplateVersion } from '../templates/find-template.ts';
import type { TextVariable } from '../templates/variables.ts';
import { agreementDocument, type AgreementPages } from './agreement-pdf.ts';
import { findContract } from './queries.ts';
import { agreementUrl } from './wire.ts';

/** Print resolution (300 dpi) and the longest side of a mark, pixels. */
const [pixelsPerMillimetre, longestSide] = [300 / 25.4, 3508];

/**
 * Generates and stores the PDF of an agreement from its snapshot (AGR-3).
 *
 * Idempotent: a stored PDF stays, and the first of two concurrent attempts wins. A PDF that the storage has lost is regenerated and
 * stored only if its bytes are the same.
 * @param caller fallback for the audit when the creator of the agreement is unknown
 * @throws {DomainError} not_found; cannot_be_made when a mark is lost or damaged, the pages cannot be rendered, or the bytes differ: support
 * must correct the record. Any other error is temporary and may be retried
 */
export async function makeAgreement(platform: Platform, caller: Caller, id: number): Promise<void> {
  const facts = await query(platform, (db) => readFacts(db, id));
  if (facts === null) throw new DomainError('not_found');
  const { contract } = facts;
  const recorded = contract.originalStorageKey;
  if (recorded !== null && (await platform.storage.stat(recorded))?.size === contract.originalSize) return;
  const verificationUrl = contract.snapshot.verificationUrl ?? agreementUrl(baseUrl(platform.config), contract.token);
  const pdf = await draw(platform, await pagesOf(platform, facts, verificationUrl));
  const sha256 = createHash('sha256').update(pdf).digest('hex');
  if (recorded !== null && sha256 !== contract.originalSha256) throw cannotBeMade('the regenerated PDF differs from the stored hash');
  // The hash is part of the key, so concurrent attempts never overwrite each other.
  const key = recorded ?? `agreements/${id}/${sha256}.pdf`;
  await platform.storage.put(key, pdf, { contentType: 'application/pdf', size: pdf.length });
  if (recorded !== null) return;
  const made = { key, sha256, size: pdf.length, pages: countPages(pdf), verificationUrl };
  if (!(await record(platform, caller, facts, made))) await deleteUnused(platform, id, key);
}

type Facts = NonNullable<Awaited<ReturnType<typeof readFacts>>>;

async function readFacts(db: Database, id: number) {
  const found = await findContract(db, id);
  if (found === null) return null;
  const { contract } = found;
  const template = await findTemplateVersion(db, { templateId: contract.templateId, version: contract.templateVersion });
  const signing = await findSigning(db, contract.signingId);
  if (template === null || signing === null) throw new Error(`agreement ${id} has no template or no signing setting`);
  return { contract, template, signing };
}

/** @returns whether this PDF was recorded; false when another attempt was first */
function record(
  platform: Platform,
  caller: Caller,
  { contract, signing }: Facts,
  { key, sha256, size, pages, verificationUrl }: { key: string; sha256: string; size: number; pages: number; verificationUrl: string },
): Promise<boolean> {
  return commit(platform, caller, async (ctx) => {
    const snapshot = json({ ...contract.snapshot, verificationUrl });
    const row = await ctx.db
      .updateTable('contracts')
      .set({ originalStorageKey: key, originalSha256: sha256, originalSize: size, pages, snapshot, updatedAt: ctx.now })
      .where('id', '=', contract.id)
      .where('originalStorageKey', 'is', null)
      .returning('id')
      .executeTakeFirst();
    if (!row) return false;
    // Audited in the name of the account that created the agreement.
    const by = { ...ctx, ...callerOf(contract) };
    const subject = { kind: 'contract', id: contract.id };
    const marks = { signature_sha256: signing.signature.sha256, stamp_sha256: signing.stamp.sha256 };
    await audit(by, 'contract.signature_applied', subject, { signing_id: signing.id, ...marks, original_sha256: sha256 });
    await audit(by, 'contract.generated', subject, { sha256, size, pages, number: contract.number });
    return true;
  });
}

/** Returns the creator of an agreement as the caller of its audited steps; empty when unknown. */
function callerOf({ creator }: Readonly<Contract>): Partial<Caller> {
  if (creator === null) return {};
  const { userId, impersonatedUserId, ip, requestId } = creator;
  return { actor: { kind: 'user', userId, isAdministrator: false, impersonatedUserId }, ip, requestId };
}

/** Deletes the object of this attempt, unless it is the recorded one. */
async function deleteUnused(platform: Platform, id: number, key: string): Promise<void> {
  const kept = (await query(platform, (db) => findContract(db, id)))?.contract.originalStorageKey;
  if (kept !== undefined && kept !== null && kept !== key) await platform.storage.delete(key);
}

async function pagesOf(platform: Platform, { contract, template, signing }: Facts, verificationUrl: string): Promise<AgreementPages> {
  const { number, snapshot, signedAt } = contract;
  const marks = [
    await loadMark(platform, signing.signature, signing.layout.signature, markWidths.signature),
    await loadMark(platform, signing.stamp, signing.layout.stamp, markWidths.stamp),
  ];
  return {
    brand: platform.brand,
    number,
    ...template,
    values: valuesOf(contract),
    notes: snapshot.notes,
    verificationUrl,
    signedAt,
    marks,
  };
}

function valuesOf({ number, signedAt, snapshot }: Readonly<Contract>): Record<TextVariable, string> {
  const days = competitionDays({ startsAt: new Date(snapshot.eventStartsAt), endsAt: new Date(snapshot.eventEndsAt) });
  const [first = '', last = first] = [days.at(0), days.at(-1)];
  return {
    FEDERATION_SIGNER_NAME: snapshot.signerName,
    FEDERATION_SIGNER_POSITION: snapshot.signerPosition,
    FEDERATION_SIGNED_AT: formatDay(dayOf(signedAt)),
    DOCUMENT_NUMBER: number,
    EVENT_TITLE: snapshot.eventTitle,
    EVENT_DATES: first === last ? formatDay(first) : `${formatDay(first)} – ${formatDay(last)}`,
    EVENT_LOCATION: snapshot.eventLocation,
    ORGANIZER_NAME: snapshot.organizerName,
    ORGANIZER_BIN: snapshot.organizerBin ?? '—',
    ORGANIZER_DIRECTOR: snapshot.organizerDirector,
  };
}

/** Loads a mark as a PNG with transparency, scaled down to print resolution at its width. */
async function loadMark(
  platform: Platform,
  { id, storageKey }: Signing['stamp'],
  { x, y, scale }: MarkPlace,
  baseWidth: number,
): Promise<PlacedImage> {
  const original = await readObject(platform.storage, storageKey);
  if (original === null) throw cannotBeMade(`the image of a mark, file ${id}, is not in the storage`);
  const width = baseWidth * scale;
  const { default: sharp } = await import('sharp');
  const png = await sharp(original)
    .resize({ width: Math.ceil(width * pixelsPerMillimetre), height: longestSide, fit: 'inside', withoutEnlargement: true })
    .ensureAlpha()
    .png({ compressionLevel: 9 })
    .toBuffer()
    .catch((error: unknown) => {
      throw cannotBeMade(`the image of a mark, file ${id}, cannot be decoded`, error);
    });
  return { png, x, y, width };
}

async function draw(platform: Platform, pages: AgreementPages): Promise<Buffer> {
  try {
    return await platform.drawing.draw(agreementDocument, pages);
  } catch (error) {
    if (errorName(error) === 'UndrawableError') throw cannotBeMade('its pages cannot be rendered', error);
    throw error;
  }
}

/** Counts pages with the same function that counts those of the scan. */
function countPages(pdf: Buffer): number {
  const finding = scanPdf(pdf);
  if (finding.kind !== 'clean') throw cannotBeMade(`its pages cannot be counted: ${finding.kind}`);
  return finding.pages;
}

/** @param problem text for support; no personal data */
function cannotBeMade(problem: string, cause?: unknown): DomainError {
  return new DomainError('cannot_be_made', undefined, `The PDF of the agreement cannot be generated: ${problem}.`, { cause });
}
