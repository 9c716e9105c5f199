import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import pdfmake from 'pdfmake';
import type { Content, DynamicContent, TDocumentDefinitions } from 'pdfmake/interfaces.js';
import { readFontOnce } from './parsed-fonts.ts';
import type { PlacedImage } from './place-images.ts';
import { splitByFont } from './printable-text.ts';

/** Font family for characters that the main font lacks. */
const fallbackFamily = 'Noto Sans';

/** Applies the fallback font to characters that the main font lacks, in all texts of `content`. Other documents keep their bytes. */
function withFallbackFont(content: Content): Content {
  return walk(content) as Content;
}

/** The same for a header or footer, which may be a function of the page. */
function withFallbackFontOnPages<Part extends Content | DynamicContent | undefined>(part: Part): Part | DynamicContent | Content {
  if (part === undefined) return part;
  if (typeof part !== 'function') return withFallbackFont(part);
  return (page, pages, size) => {
    const made = part(page, pages, size);
    return made && withFallbackFont(made);
  };
}

/** Properties with texts or other nodes. */
const inner = ['text', 'stack', 'columns', 'table', 'body'] as const;

function walk(node: unknown): unknown {
  if (typeof node === 'string') return inFonts(node);
  if (Array.isArray(node)) return node.map(walk);
  if (typeof node !== 'object' || node === null) return node;
  const changed: Record<string, unknown> = { ...node };
  for (const name of inner) if (name in changed) changed[name] = walk(changed[name]);
  return changed;
}

function inFonts(text: string): unknown {
  const parts = splitByFont(text);
  if (parts.length === 1) return text;
  const runs = parts.map((part, index) => (index % 2 === 1 ? { text: part, font: fallbackFamily } : part)).filter((run) => run !== '');
  return { text: runs };
}

/**
 * Content of a document (pdfmake's terms). `createdAt` replaces the current time in the file, so that equal content gives equal bytes.
 * Images are data URLs; other URLs and paths are refused.
 */
export type PdfDefinition = Omit<TDocumentDefinitions, 'info'> & {
  title: string;
  author?: string;
  subject?: string;
  createdAt: Date;
  /** Images for the last page. */
  onLastPage?: readonly PlacedImage[];
};

/** Font of all documents. It has all letters of Kazakh, Russian and English, but not the tenge sign. */
const family = 'Roboto';
const packages = createRequire(import.meta.url);
const fontFolder = join(dirname(packages.resolve('pdfmake/package.json')), 'fonts', 'Roboto');
const font = {
  normal: readFontOnce(join(fontFolder, 'Roboto-Regular.ttf')),
  bold: readFontOnce(join(fontFolder, 'Roboto-Medium.ttf')),
  italics: readFontOnce(join(fontFolder, 'Roboto-Italic.ttf')),
  bolditalics: readFontOnce(join(fontFolder, 'Roboto-MediumItalic.ttf')),
};
const fallback = (style: string) =>
  readFontOnce(join(dirname(packages.resolve('@fontsource/noto-sans/package.json')), 'files', `noto-sans-latin-ext-${style}.woff`));
const fallbackFont = {
  normal: fallback('400-normal'),
  bold: fallback('500-normal'),
  italics: fallback('400-italic'),
  bolditalics: fallback('500-italic'),
};

pdfmake.setFonts({ [family]: font, [fallbackFamily]: fallbackFont });
// Documents contain user input, which must not make this process read a file or open a connection.
pdfmake.setLocalAccessPolicy(() => false);
pdfmake.setUrlAccessPolicy(() => false);

/**
 * Renders a PDF document. The library writes its measurements into the nodes of `content`, so do not share them between fonts or sizes.
 * @throws {Error} when the definition names a file, a URL or an unreadable image
 */
export async function renderPdf(definition: PdfDefinition): Promise<Buffer> {
  const { title, author, subject, createdAt, onLastPage = [], defaultStyle, content, header, footer, ...pages } = definition;
  const document: TDocumentDefinitions = {
    pageSize: 'A4',
    version: '1.7',
    language: 'kk',
    displayTitle: true,
    ...pages,
    content: withFallbackFont(content),
    ...(header && { header: withFallbackFontOnPages(header) }),
    ...(footer && { footer: withFallbackFontOnPages(footer) }),
    defaultStyle: { font: family, fontSize: 11, ...defaultStyle },
    info: { title, creationDate: createdAt, modDate: createdAt, ...(author && { author }), ...(subject && { subject }) },
  };
  const pdf = await pdfmake.createPdf(document).getBuffer();
  if (onLastPage.length === 0) return pdf;
  // Load the library only for the few documents with images.
  const { placeOnLastPage } = await import('./place-images.ts');
  return placeOnLastPage(pdf, onLastPage);
}
