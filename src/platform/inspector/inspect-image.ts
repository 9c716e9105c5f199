import sharp, { type Metadata, type Sharp } from 'sharp';
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { type Inspection, type InspectionRequest, type AcceptedType, refuse } from './inspection.ts';

export type ImageType = Exclude<AcceptedType, 'application/pdf'>;

/** Allows only these decoders of libvips, whatever a file claims to be. */
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({
  operation: ['VipsForeignLoadJpegFile', 'VipsForeignLoadJpegBuffer', 'VipsForeignLoadPngFile', 'VipsForeignLoadWebpFile'],
});
sharp.cache(false);
sharp.concurrency(1);

const pixelLimit = 40_000_000;
/** JPEG can be decoded at a reduced scale. */
const jpegPixelLimit = 120_000_000;
/** A JPEG over the usual limit is halved until it has no more pixels; colours for print (CMYK) are slow to convert. */
const reducedPixels = { screen: 16_000_000, print: 4_000_000 };
/** Maximum side in pixels. Each row costs time: ten million rows of one pixel take twelve seconds. */
const sideLimit = 20_000;

const formats: Record<ImageType, { name: string; pixels: number; encode: (image: Sharp) => Sharp }> = {
  'image/jpeg': { name: 'jpeg', pixels: jpegPixelLimit, encode: (image) => image.jpeg({ quality: 90 }) },
  'image/png': { name: 'png', pixels: pixelLimit, encode: (image) => image.png({ compressionLevel: 6 }) },
  // Effort 2: twice as fast as the default on forty million pixels, a few per cent larger.
  'image/webp': { name: 'webp', pixels: pixelLimit, encode: (image) => image.webp({ quality: 90, alphaQuality: 100, effort: 2 }) },
};

/**
 * Decodes an image and encodes it again to `outPath`: upright, in sRGB, one frame, with transparency. Removes all metadata and appended
 * data. Halves a large JPEG, and accepts one without its end marker.
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
    if (facts.width * facts.height > format.pixels) return refuse('image_too_large');
    if (Math.max(facts.width, facts.height) > sideLimit) return refuse('image_side_too_long');
    const encode = (input: string | Buffer, failOn: 'error' | 'warning') => {
      const image = sharp(input, { limitInputPixels: format.pixels, failOn, sequentialRead: true, pages: 1 });
      return format.encode(reduce(image.autoOrient(), facts).toColourspace('srgb')).toBuffer({ resolveWithObject: true });
    };
    encoded = await encode(path, 'error').catch(async (error: unknown) => {
      const completed = mime === 'image/jpeg' ? await completeJpeg(path) : null;
      if (completed === null) throw error;
      // A warning tells that more than the marker is missing.
      return encode(completed, 'warning');
    });
  } catch (error) {
    // The limit that the parent sets for a progressive JPEG, whose decoder holds all pixels.
    if (error instanceof Error && error.message.includes('Memory limit exceeded')) return refuse('image_too_large', 'progressive');
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
    ...(measuresTransparency ? await measureMark(outPath) : {}),
    path: outPath,
  };
}

/** Halves an image over the usual limit, which libjpeg does while it decodes. */
function reduce(image: Sharp, { width, height, channels, autoOrient }: Metadata): Sharp {
  if (width * height <= pixelLimit) return image;
  const target = channels === 4 ? reducedPixels.print : reducedPixels.screen;
  const scale = [2, 4, 8].find((each) => (width * height) / each ** 2 <= target) ?? 8;
  return image.resize({ width: Math.ceil(autoOrient.width / scale), height: Math.ceil(autoOrient.height / scale), fit: 'fill' });
}

/** Returns a JPEG with the end marker that it lacks; null when it has one. */
async function completeJpeg(path: string): Promise<Buffer | null> {
  const bytes = await readFile(path);
  const endMarker = Buffer.from([0xff, 0xd9]);
  if (bytes.subarray(-2).equals(endMarker)) return null;
  return Buffer.concat([bytes, endMarker]);
}

/** Least difference of a visible pixel from white paper, of 255, in its strongest channel. */
const visibleDifference = 26;

/**
 * Returns the shares of fully transparent pixels and of those seen on white paper, 0-1: white ink shows as little as none.
 * @param path an image that this process wrote
 */
async function measureMark(path: string): Promise<{ transparentShare: number; visibleShare: number }> {
  const { hasAlpha } = await sharp(path).metadata();
  if (!hasAlpha) return { transparentShare: 0, visibleShare: 1 };
  // The conversion to eight bits keeps only full transparency at 0.
  const pixels = await sharp(path).toColourspace('srgb').raw({ depth: 'uchar' }).toBuffer();
  let [transparent, visible] = [0, 0];
  for (let at = 0; at < pixels.length; at += 4) {
    const opacity = pixels[at + 3] ?? 0;
    const darkest = Math.min(pixels[at] ?? 255, pixels[at + 1] ?? 255, pixels[at + 2] ?? 255);
    if (opacity === 0) transparent += 1;
    else if (opacity * (255 - darkest) >= visibleDifference * 255) visible += 1;
  }
  const count = pixels.length / 4;
  return { transparentShare: transparent / count, visibleShare: visible / count };
}
