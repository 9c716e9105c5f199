import { fileTypeFromFile } from 'file-type';
import sharp, { type Sharp } from 'sharp';
import { createHash } from 'node:crypto';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { type AcceptedType, acceptedTypes, type Inspection, type InspectionRequest, type RefusalCode, refuse } from './inspection.ts';
import { type PdfFinding, scanPdf } from './pdf-scan.ts';

type ImageType = Exclude<AcceptedType, 'application/pdf'>;

/** Whatever a file claims to be, no other decoder of libvips is ever entered. */
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({ operation: ['VipsForeignLoadJpegFile', 'VipsForeignLoadPngFile', 'VipsForeignLoadWebpFile'] });
sharp.cache(false);
sharp.concurrency(1);

const pixelLimit = 40_000_000;
/** Of one side, in pixels. Every row costs by itself: ten million rows of one pixel take twelve seconds. */
const sideLimit = 20_000;

const formats: Record<ImageType, { name: string; encode: (image: Sharp) => Sharp }> = {
  'image/jpeg': { name: 'jpeg', encode: (image) => image.jpeg({ quality: 90 }) },
  'image/png': { name: 'png', encode: (image) => image.png({ compressionLevel: 6 }) },
  // Effort 2: twice as fast as the default on forty million pixels, a few per cent larger.
  'image/webp': { name: 'webp', encode: (image) => image.webp({ quality: 90, alphaQuality: 100, effort: 2 }) },
};

/**
 * Decodes an image fully and writes it anew to `outPath`: upright, in sRGB, one frame, transparency kept; nothing that was beside the
 * pixels (place, camera, comments, appended data) survives.
 * @throws {Error} when `outPath` cannot be written.
 */
export async function inspectImage(
  { path, outPath, measuresTransparency = false }: InspectionRequest,
  mime: ImageType,
): Promise<Inspection> {
  const format = formats[mime];
  let encoded: { data: Buffer; info: { width: number; height: number } };
  try {
    // The limits are tested by hand on the header first, to tell "too large" from "damaged".
    const facts = await sharp(path, { limitInputPixels: false }).metadata();
    if (facts.format !== format.name) return refuse('image_unreadable');
    if (facts.width * facts.height > pixelLimit) return refuse('image_too_large');
    if (Math.max(facts.width, facts.height) > sideLimit) return refuse('image_side_too_long');
    const image = sharp(path, { limitInputPixels: pixelLimit, failOn: 'error', sequentialRead: true, pages: 1 });
    encoded = await format.encode(image.autoOrient().toColourspace('srgb')).toBuffer({ resolveWithObject: true });
  } catch {
    // libvips says in many ways that the bytes are not a whole image.
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

/**
 * Part of the pixels that show nothing at all, 0-1; none without an alpha channel. @param path of an image that this process has written
 */
async function measureTransparency(path: string): Promise<number> {
  const { hasAlpha } = await sharp(path).metadata();
  if (!hasAlpha) return 0;
  // As it comes where a pixel has more than eight bits: only nothing becomes nothing.
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
 * Reads a PDF and refuses it when it is encrypted, does anything by itself, leads outside, has no pages, or is built to be expensive to
 * read. It is stored as it was sent.
 */
export async function inspectPdf(path: string): Promise<Inspection> {
  const bytes = await readFile(path);
  const finding = scanPdf(bytes);
  if (finding.kind !== 'clean') return refuse(refusals[finding.kind]);
  const { pages } = finding;
  return { ok: true, mime: 'application/pdf', size: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex'), pages, path };
}

/**
 * Tells what an upload is and whether it may be kept. Meant for a process that can be killed: the bytes are hostile. `onType` is told the
 * type before anything is decoded.
 * @throws {Error} when the machine fails (a file is not there, a disk is full), and never because of the file's content.
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
    // A file that breaks off within what names its type is of no type.
    return undefined;
  }
}
