import { randomInt } from 'node:crypto';

/** Letters and digits that nobody takes for one another when they are bent: no 0/O, 1/I/L, 2/Z, 5/S, 6/G, 8/B, U/V. */
export const captchaAlphabet = 'ACDEFHJKMNPRTWXY3479';
/** service.md "Limits". */
export const captchaLength = 5;

// The package's own types leave out that it is a function that draws a given text; its `create` picks the text by Math.random.
type DrawSvg = (text: string, options: { width: number; height: number; fontSize: number; noise: number }) => string;

/** Text of a new captcha, from the system's source of randomness. */
export function pickCaptchaText(): string {
  return Array.from({ length: captchaLength }, () => captchaAlphabet.charAt(randomInt(captchaAlphabet.length))).join('');
}

/** The text as a bent and crossed-out picture, PNG, 200 x 70. */
export async function drawCaptcha(text: string): Promise<Buffer> {
  // Workers know this area too and draw none: the libraries are loaded for the first captcha.
  const [{ default: sharp }, { default: svgCaptcha }] = await Promise.all([import('sharp'), import('svg-captcha')]);
  const svg = (svgCaptcha as unknown as DrawSvg)(text, { width: 200, height: 70, fontSize: 62, noise: 3 });
  return sharp(Buffer.from(svg)).flatten({ background: '#ffffff' }).png({ compressionLevel: 9 }).toBuffer();
}
