import { fileTypeFromFile } from 'file-type';
import sharp, { type Sharp } from 'sharp';
import { createHash } from 'node:crypto';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { type AcceptedType, acceptedTypes, type Inspection, type InspectionRequest, type RefusalCode, refuse } from './inspection.ts';
import { type PdfFinding, scanPdf } from './pdf-scan.ts';

type ImageType = Exclude<AcceptedType, 'application/pdf'>;

/** Allows only these decoders of libvips, whatever a file claims to be. */
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({ operation: ['VipsForeignLoadJpegFile', 'VipsForeignLoadPngFile', 'VipsForeignLoadWebpFile'] });
sharp.cache(false);
sharp.concurrency(1);

const pixelLimit = 40_000_000;
/** Maximum side in pixels. Each row costs time: ten million rows of one pixel take twelve seconds. */
const sideLimit = 20_000;

const formats: Record<ImageType, { name: string; encode: (image: Sharp) => Sharp }> = {
  'image/jpeg': { name: 'jpeg', encode: (image) => image.jpeg({ quality: 90 }) },
  'image/png': { name: 'png', encode: (image) => image.png({ compressionLevel: 6 }) },
  // Effort 2: twice as fast as the default on forty million pixels, a few per cent larger.
  'image/webp': { name: 'webp', encode: (image) => image.webp({ quality: 90, alphaQuality: 100, effort: 2 }) },
};

/**
 * Decodes an image and encodes it again to `outPath`: upright, in sRGB, one frame, with transparency. Removes all metadata and appended
 * data.
 * @throws {Error} when `outPath` cannot be written
 */
export async function inspectImage(
  { path, outPath, measuresTransparency = false }: InspectionRequest,
  mime: ImageType,
): Promise<Inspection> {
  const format = formats[mime];
  let encoded: { data: Buffer; info: { width: number; height: number } };
  try {
    // Check the limits on the header first, to distinguish "too large" from "damaged".
    const facts = await sharp(path, { limitInputPixels: false }).metadata();
    if (facts.format !== format.name) return refuse('image_unreadable');
    if (facts.width * facts.height > pixelLimit) return refuse('image_too_large');
    if (Math.max(facts.width, facts.height) > sideLimit) return refuse('image_side_too_long');
    const image = sharp(path, { limitInputPixels: pixelLimit, failOn: 'error', sequentialRead: true, pages: 1 });
    encoded = await format.encode(image.autoOrient().toColourspace('srgb')).toBuffer({ resolveWithObject: true });
  } catch {
    // libvips has many errors for damaged images.
    return refuse('image_unreadable');
  }
  const { data, info } = encoded;
  await writeFile(outPath, data, { mode: 0o600 });
  return {
    ok: true,
    mime,
    size: data.length,
    sha256: createHash('sha256').update(data).digest('hex'),
    width: info.width,
    height: info.height,
    ...(measuresTransparency ? { transparentShare: await measureTransparency(outPath) } : {}),
    path: outPath,
  };
}

/** Returns the share of fully transparent pixels, 0-1; 0 without an alpha channel. @param path an image that this process wrote */
async function measureTransparency(path: string): Promise<number> {
  const { hasAlpha } = await sharp(path).metadata();
  if (!hasAlpha) return 0;
  // The conversion to eight bits keeps only full transparency at 0.
  const alpha = await sharp(path).extractChannel('alpha').raw({ depth: 'uchar' }).toBuffer();
  let transparent = 0;
  for (const opacity of alpha) if (opacity === 0) transparent += 1;
  return transparent / alpha.length;
}

const refusals: Record<Exclude<PdfFinding['kind'], 'clean'>, RefusalCode> = {
  encrypted: 'pdf_encrypted',
  active: 'pdf_active_content',
  unreadable: 'pdf_unreadable',
  expensive: 'pdf_too_complex',
};

/**
 * Refuses a PDF that is encrypted, has active content or actions that leave the document, has no pages, or is too expensive to read. An
 * accepted PDF is stored unchanged.
 */
export async function inspectPdf(path: string): Promise<Inspection> {
  const bytes = await readFile(path);
  const finding = scanPdf(bytes);
  if (finding.kind !== 'clean') return refuse(refusals[finding.kind]);
  const { pages } = finding;
  return { ok: true, mime: 'application/pdf', size: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex'), pages, path };
}

/**
 * Detects the type of an upload and decides whether it is accepted. Run it in a process that can be killed: the bytes may be hostile. Calls
 * `onType` before decoding.
 * @throws {Error} when the machine fails (missing file, full disk), never because of the file's content
 */
export async function inspectFile(request: InspectionRequest, onType: (type: AcceptedType) => void = () => undefined): Promise<Inspection> {
  const { size } = await stat(request.path);
  if (size === 0) return refuse('file_empty');
  const mime = await detectType(request.path);
  if (!mime) return refuse('unsupported_type');
  onType(mime);
  return mime === 'application/pdf' ? inspectPdf(request.path) : inspectImage(request, mime);
}

async function detectType(path: string): Promise<AcceptedType | undefined> {
  try {
    const detected = await fileTypeFromFile(path);
    return acceptedTypes.find((type) => type === detected?.mime);
  } catch {
    // A file that is truncated within its signature has no type.
    return undefined;
  }
}
