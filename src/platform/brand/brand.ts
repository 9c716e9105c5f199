import { z } from 'zod';
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { ConfigurationError } from '../../registry/config.ts';
import { errorCode } from '../logging/error-code.ts';
import { emblem } from './emblem.ts';

/** How the federation shows itself on pages and in PDFs. */
export interface Brand {
  name: Readonly<Record<'kk' | 'ru' | 'en', string>>;
  /** An SVG without scripts, styles and addresses, which a page with a strict policy may contain. */
  crest: string;
  /** Of buttons and of the line below a page's header, `#rrggbb`; white text on it is legible. */
  colour: string;
}

export const defaultBrand: Brand = {
  name: {
    kk: 'Қазақстан Республикасының автомобиль спорты федерациясы',
    ru: 'Федерация автомобильного спорта Республики Казахстан',
    en: 'Automobile Sport Federation of the Republic of Kazakhstan',
  },
  crest: emblem,
  colour: '#0b4a8f',
};

const name = z.string().trim().min(1).max(120);
const brandFile = z.strictObject({
  name: z.strictObject({ kk: name, ru: name, en: name }),
  crest: z.string().min(1).optional(),
  colour: z
    .string()
    .regex(/^#[\da-f]{6}$/i, 'must be a colour such as #0b4a8f')
    .refine((colour) => contrastWithWhite(colour) >= 4.5, 'white text on this colour is not legible (WCAG 2.2, 1.4.3)')
    .optional(),
});

/**
 * Reads the brand of BRAND_FILE: JSON `{name: {kk, ru, en}, crest?, colour?}`, where `crest` is the path of an SVG beside it.
 * @returns the default brand without a file
 * @throws {ConfigurationError} with all problems of the file
 */
export function loadBrand(path: string | undefined): Brand {
  if (path === undefined) return defaultBrand;
  const parsed = brandFile.safeParse(parseJson(readText(path)));
  if (!parsed.success)
    throw new ConfigurationError(parsed.error.issues.map((issue) => `BRAND_FILE: ${issue.path.join('.')} ${issue.message}`));
  const { crest, colour = defaultBrand.colour, ...rest } = parsed.data;
  return { ...rest, colour, crest: crest === undefined ? emblem : readCrest(resolve(dirname(path), crest)) };
}

const forbidden = /<(?:script|style|foreignObject|image|use|a)[\s/>]|\s(?:on\w+|style|href|xlink:href)\s*=|url\s*\(|<!/i;

function readCrest(path: string): string {
  const text = readText(path)
    .replace(/^\s*<\?xml[^>]*\?>/, '')
    .trim();
  if (!text.startsWith('<svg') || forbidden.test(text) || text.length > 100_000)
    throw new ConfigurationError([
      `BRAND_FILE: ${path} must be an SVG of at most 100,000 characters without scripts, styles, images and addresses; export it as "plain SVG" with presentation attributes`,
    ]);
  return text;
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new ConfigurationError([`BRAND_FILE: cannot read ${path} (${errorCode(error) ?? 'unknown error'})`]);
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ConfigurationError(['BRAND_FILE: is not JSON']);
  }
}

/** @returns the ratio of WCAG 2.2 of a colour `#rrggbb` with white, 1 to 21 */
function contrastWithWhite(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 1.05 / (0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05);
}
