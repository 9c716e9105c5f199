import jsqr from 'jsqr';

// The package is CommonJS with types of an ES module: what Node imports as its default is the function itself.
const decode = jsqr as unknown as typeof jsqr.default;

/** Reads a QR from raw RGBA pixels; null when there is none. */
export function decodeQr(pixels: Uint8ClampedArray, width: number, height: number): { data: string } | null {
  return decode(pixels, width, height);
}
