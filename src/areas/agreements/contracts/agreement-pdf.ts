import type { Content, ContentText, Node, NodeQueries } from 'pdfmake/interfaces.js';
import { drawQr } from '../../../platform/pdf/draw-qr.ts';
import { defineDrawnDocument } from '../../../platform/pdf/drawing.ts';
import type { Brand } from '../../../platform/brand/brand.ts';
import { a4, grey, ink, navy } from '../../../platform/pdf/page-style.ts';
import type { PlacedImage } from '../../../platform/pdf/place-images.ts';
import type { PdfDefinition } from '../../../platform/pdf/render-pdf.ts';
import { fillTemplate, type TemplatePart, type TextVariable } from '../templates/variables.ts';

/** The content of an agreement's pages, fixed when it was made, so that the same agreement always gives the same bytes (AGR-3). */
export interface AgreementPages {
  brand: Brand;
  number: string;
  /** Title of the template. */
  title: string;
  body: string;
  values: Record<TextVariable, string>;
  /** The organizer's own paragraphs; null without any. */
  notes: string | null;
  /** Content of the QR. */
  verificationUrl: string;
  signedAt: Date;
  /** The federation's signature and stamp, where its setting places them. */
  marks: PlacedImage[];
}

/** The document kind that the drawing thread loads. */
export const agreementDocument = defineDrawnDocument(import.meta.url, describeAgreement);

/** A4 and its margins, points. */
const page = { ...a4, margin: 62, top: 62, bottom: 100 };
const qrPlace = { x: page.margin, y: page.height - page.bottom + 14, side: 74 };
/**
 * The signing block, points. It has the same place on the last page of every agreement, because the layout of the marks is given in
 * millimetres on that page.
 */
const closing = { top: 522, height: page.height - page.bottom - 522 };
/** Height of the space for the federation's marks, points. */
const bandHeight = 76;
/** Font sizes for the signing block, points; the largest that fits is used. A block that fits in none becomes part of the text. */
const closingSizes = [9.5, 8.5, 7.5, 6.5];
/** Upper estimate of a letter's width and the line height, as parts of the font size. */
const [textLetterWidth, lineHeight] = [0.66, 1.32];
/** Headings: font size in points whatever surrounds them, and upper estimate of a bold letter's width. */
const headings = { '# ': { size: 13, letterWidth: 0.8 }, '## ': { size: 10, letterWidth: 0.8 } } as const;
/** A longer run without blanks is estimated with the widest letters. */
const [longestWord, widestLetter] = [40, 1.35];

/** Private-use characters that stand for drawn marks; texts cannot contain them. */
const markSigns = { FEDERATION_SIGNATURE: '\uE001', FEDERATION_STAMP: '\uE002', DOCUMENT_QR: '\uE003' } as const;
const anyMark = /[\uE001-\uE003]/g;
const federationMark = /[\uE001\uE002]/;

/** The signing block of templates without one; the organizer's part is a line to sign by hand (AGR-11). */
const usualClosing = `
## Тараптардың қолдары · Подписи сторон
Федерация: {{FEDERATION_SIGNER_POSITION}} {{FEDERATION_SIGNER_NAME}}
{{FEDERATION_SIGNATURE}}
{{FEDERATION_STAMP}}
Ұйымдастырушы · Организатор: {{ORGANIZER_NAME}}, {{ORGANIZER_DIRECTOR}}
Қолы, мөрі · Подпись, печать: ______________________________`;

/** Lays out an agreement: its text, the signing block on the last page, number and QR on each page. */
export function describeAgreement(content: AgreementPages): PdfDefinition {
  const { text, signing } = partsOf(content);
  const body = [...text.map(describeLine), ...describeNotes(content.notes)];
  const closingSize = closingSizes.find((size) => heightOf(signing, size) <= closing.height);
  if (closingSize === undefined) body.push(...signing.map(describeLine));
  return {
    title: `${content.title} ${content.number}`,
    author: content.brand.name.en,
    subject: content.number,
    createdAt: content.signedAt,
    pageSize: 'A4',
    pageMargins: [page.margin, page.top, page.margin, page.bottom],
    background: () => ({ canvas: [drawQr(content.verificationUrl, qrPlace)] }),
    header: () => describeHeader(content),
    footer: (current: number, count: number) => describeFooter(content, current, count),
    defaultStyle: { fontSize: 9.5, lineHeight: 1.12, color: ink },
    // The signing block is placed on the page of the reserved space, which is the last.
    content: closingSize === undefined ? body : [...withRoomToSign(body), describeClosing(signing, closingSize)],
    onLastPage: content.marks,
    pageBreakBefore: isLonelyHeading,
  };
}

/** Splits a filled template into the lines of its text and of its signing block. */
function partsOf({ body, values }: AgreementPages): { text: string[]; signing: string[] } {
  const isSignedByTemplate = body.includes('{{FEDERATION_SIGNATURE}}') || body.includes('{{FEDERATION_STAMP}}');
  const lines = fillTemplate(isSignedByTemplate ? body : body.trimEnd() + usualClosing, values)
    .map(textOfPart)
    .join('')
    .split(/\r?\n/);
  const firstMark = lines.findIndex((line) => federationMark.test(line));
  const heading = lines.findLastIndex((line, index) => index <= firstMark && line.startsWith('#'));
  const start = heading === -1 ? Math.max(0, firstMark) : heading;
  return { text: withoutBlankEnds(lines.slice(0, start)), signing: withoutBlankEnds(lines.slice(start)) };
}

function textOfPart(part: TemplatePart): string {
  return part.kind === 'text' ? part.text.replace(anyMark, '') : markSigns[part.mark];
}

function withoutBlankEnds(lines: string[]): string[] {
  const isBlank = (line: string) => line.replace(/\uE003/g, '').trim() === '';
  const first = lines.findIndex((line) => !isBlank(line));
  return first === -1 ? [] : lines.slice(first, lines.findLastIndex((line) => !isBlank(line)) + 1);
}

/** Describes one line of a template: a heading, a paragraph, a blank line or space for marks. */
function describeLine(line: string): Content {
  const text = line.replace(anyMark, '').trim();
  if (text === '') return federationMark.test(line) ? room(bandHeight / 2) : room(4);
  if (text.startsWith('## '))
    return { text: text.slice(3), bold: true, fontSize: headings['## '].size, color: navy, margin: [0, 4, 0, 2], headlineLevel: 2 };
  if (text.startsWith('# '))
    return {
      text: text.slice(2),
      bold: true,
      fontSize: headings['# '].size,
      color: navy,
      alignment: 'center',
      margin: [0, 4, 0, 4],
      headlineLevel: 1,
    };
  return { text, margin: [0, 0, 0, 2], headlineLevel: paragraphLevel };
}

/** Marks a paragraph, as 1 and 2 mark headings: only texts of the body have a level, header and footer have none. */
const paragraphLevel = 0;

/** Returns whether a heading has no paragraph below it on its page, so that it belongs on the next one. */
function isLonelyHeading({ headlineLevel = paragraphLevel }: Node, { getFollowingNodesOnPage, getNodesOnNextPage }: NodeQueries): boolean {
  if (headlineLevel === paragraphLevel) return false;
  const isParagraph = (node: Node) => node.headlineLevel === paragraphLevel;
  return !getFollowingNodesOnPage().some(isParagraph) && getNodesOnNextPage().some(isParagraph);
}

function describeNotes(notes: string | null): Content[] {
  if (notes === null) return [];
  const paragraphs = notes.split(/\r?\n/).map((text): Content => ({ text, margin: [0, 0, 0, 3], headlineLevel: paragraphLevel }));
  return [describeLine('## Ескертпелер · Примечания'), ...paragraphs];
}

/** Reserves the space of the signing block, unbreakable with the last short paragraph, so that no text overlaps it. */
function withRoomToSign(body: Content[]): Content[] {
  const last = body.at(-1);
  const isShort =
    last !== undefined && typeof last === 'object' && 'text' in last && typeof last.text === 'string' && last.text.length < 600;
  const kept = isShort ? [last] : [];
  return [...(isShort ? body.slice(0, -1) : body), { stack: [...kept, room(closing.height)], unbreakable: true }];
}

function describeClosing(signing: string[], fontSize: number): Content {
  return { absolutePosition: { x: page.margin, y: closing.top }, fontSize, stack: signing.map(describeLine) };
}

/** Estimates the largest height of lines as `describeLine` draws them, points, to choose a font size before the layout. */
function heightOf(lines: string[], textSize: number): number {
  return lines.reduce((height, line) => {
    const written = line.replace(anyMark, '').trim();
    const mark = (['## ', '# '] as const).find((each) => written.startsWith(each));
    const text = mark ? written.slice(mark.length) : written;
    const { size, letterWidth } = mark ? headings[mark] : { size: textSize, letterWidth: textLetterWidth };
    const width = text.split(' ').some((word) => word.length > longestWord) ? widestLetter : letterWidth;
    const perLine = Math.floor((page.width - 2 * page.margin) / (size * width));
    const letters = text.length;
    if (letters === 0) return height + (federationMark.test(line) ? bandHeight / 2 : 4);
    return height + Math.ceil(letters / perLine) * size * lineHeight + (mark ? 10 : 2);
  }, 0);
}

function describeHeader({ number }: AgreementPages): Content {
  return { text: `№ ${number}`, alignment: 'right', fontSize: 8.5, color: grey, margin: [page.margin, 34, page.margin, 0] };
}

function describeFooter({ number, verificationUrl }: AgreementPages, current: number, count: number): Content {
  return {
    margin: [page.margin, 14, page.margin, 0],
    columns: [
      // Space for the QR.
      { width: qrPlace.side + 14, text: '' },
      {
        width: '*',
        stack: [
          small('Келісімнің қолданыстағы күйін QR-код арқылы тексеріңіз.', { bold: true, color: navy }),
          small('Действие соглашения проверяется по QR-коду.', { margin: [0, 1, 0, 0] }),
          small('Scan the QR code to see whether this agreement is in force.', { color: grey, margin: [0, 1, 0, 4] }),
          { text: verificationUrl, link: verificationUrl, fontSize: 7, color: navy, margin: [0, 0, 0, 4] },
          small(`№ ${number} · ${current} / ${count}`, { color: grey }),
        ],
      },
    ],
  };
}

function small(text: string, style: Partial<ContentText>): ContentText {
  return { text, fontSize: 8, noWrap: true, ...style };
}

/** Empty space of a height, points. */
function room(height: number): Content {
  return { canvas: [{ type: 'rect', x: 0, y: 0, w: 1, h: height, color: '#ffffff', fillOpacity: 0 }] };
}
