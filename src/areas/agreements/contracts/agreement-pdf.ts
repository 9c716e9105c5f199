import type { Content, ContentText } from 'pdfmake/interfaces.js';
import { drawQr } from '../../../platform/pdf/draw-qr.ts';
import { defineDrawnDocument } from '../../../platform/pdf/drawing.ts';
import type { PlacedImage } from '../../../platform/pdf/place-images.ts';
import type { PdfDefinition } from '../../../platform/pdf/render-pdf.ts';
import { fillTemplate, type TemplatePart, type TextVariable } from '../templates/variables.ts';

/** What an agreement's pages show; all of it was fixed when it was made, so the same agreement always gives the same bytes. */
export interface AgreementPages {
  number: string;
  /** Of the template. */
  title: string;
  body: string;
  values: Record<TextVariable, string>;
  /** The organizer's own paragraphs; null without any. */
  notes: string | null;
  /** What the QR holds. */
  verificationUrl: string;
  signedAt: Date;
  /** The federation's signature and stamp, where its setting places them. */
  marks: PlacedImage[];
}

/** An agreement as the drawing thread knows it. */
export const agreementDocument = defineDrawnDocument(import.meta.url, describeAgreement);

const federation = 'Automobile Sport Federation of the Republic of Kazakhstan';
const navy = '#12355b';
const grey = '#5b6673';
/** A4 and its margins, points. */
const page = { width: 595.28, height: 841.89, margin: 62, top: 62, bottom: 100 };
const qrPlace = { x: page.margin, y: page.height - page.bottom + 14, side: 74 };
/**
 * Where the parties sign: the same place on the last page of every agreement, whatever the length of its text, so that the places of the
 * layout, which are millimetres on that page, always meet it. Points.
 */
const closing = { top: 522, height: page.height - page.bottom - 522 };
/** What the federation's marks have room for between the lines, points. */
const bandHeight = 76;
/** Letters in which the place to sign may be set, points: the largest in which it fits. What fits in none is a part of the text. */
const closingSizes = [9.5, 8.5, 7.5, 6.5];
/** More than most letters take, as parts of their size, and the height of a line. */
const [letterWidth, lineHeight] = [0.66, 1.32];
/** A run of more letters without a blank is no word; its letters may be the widest there are. */
const [longestWord, widestLetter] = [40, 1.35];

/** Signs of our own for what is drawn; no text holds them. */
const markSigns = { FEDERATION_SIGNATURE: '\uE001', FEDERATION_STAMP: '\uE002', DOCUMENT_QR: '\uE003' } as const;
const anyMark = /[\uE001-\uE003]/g;
const federationMark = /[\uE001\uE002]/;

/** For templates that leave the signing to us. */
const usualClosing = `
## Тараптардың қолдары · Подписи сторон
Федерация: {{FEDERATION_SIGNER_POSITION}} {{FEDERATION_SIGNER_NAME}}
{{FEDERATION_SIGNATURE}}
{{FEDERATION_STAMP}}
Ұйымдастырушы · Организатор: {{ORGANIZER_NAME}}, {{ORGANIZER_DIRECTOR}}
Қолы, мөрі · Подпись, печать: ______________________________`;

/** Lays an agreement out: its text, the place to sign on the last page, number and QR on each. */
export function describeAgreement(content: AgreementPages): PdfDefinition {
  const { text, signing } = partsOf(content);
  const body = [...text.map(describeLine), ...describeNotes(content.notes)];
  const closingSize = closingSizes.find((size) => heightOf(signing, size) <= closing.height);
  if (closingSize === undefined) body.push(...signing.map(describeLine));
  return {
    title: `${content.title} ${content.number}`,
    author: federation,
    subject: content.number,
    createdAt: content.signedAt,
    pageSize: 'A4',
    pageMargins: [page.margin, page.top, page.margin, page.bottom],
    background: () => ({ canvas: [drawQr(content.verificationUrl, qrPlace)] }),
    header: () => describeHeader(content),
    footer: (current: number, count: number) => describeFooter(content, current, count),
    defaultStyle: { fontSize: 9.5, lineHeight: 1.12, color: '#1b2530' },
    // What follows the room stands on the page of the room, which is the last.
    content: closingSize === undefined ? body : [...withRoomToSign(body), describeClosing(signing, closingSize)],
    onLastPage: content.marks,
  };
}

/** The lines of a filled template: those of its text, and those among which the parties sign. */
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

/** One line of a template: a heading, a paragraph, a blank one between them, or room for what the layout places. */
function describeLine(line: string): Content {
  const text = line.replace(anyMark, '').trim();
  if (text === '') return federationMark.test(line) ? room(bandHeight / 2) : room(4);
  if (text.startsWith('## ')) return { text: text.slice(3), bold: true, fontSize: 10, color: navy, margin: [0, 4, 0, 2] };
  if (text.startsWith('# '))
    return { text: text.slice(2), bold: true, fontSize: 13, color: navy, alignment: 'center', margin: [0, 4, 0, 4] };
  return { text, margin: [0, 0, 0, 2] };
}

function describeNotes(notes: string | null): Content[] {
  if (notes === null) return [];
  const paragraphs = notes.split(/\r?\n/).map((text): Content => ({ text, margin: [0, 0, 0, 3] }));
  return [describeLine('## Ескертпелер · Примечания'), ...paragraphs];
}

/** The end of the text, kept together with the room below it in which the parties sign: so nothing ever stands there but that. */
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

/** How high lines come out at the most, points: so that they fit is known before they are set. */
function heightOf(lines: string[], size: number): number {
  return lines.reduce((height, line) => {
    const text = line.replace(anyMark, '').trim();
    const width = text.split(' ').some((word) => word.length > longestWord) ? widestLetter : letterWidth;
    const perLine = Math.floor((page.width - 2 * page.margin) / (size * width));
    const letters = text.length;
    if (letters === 0) return height + (federationMark.test(line) ? bandHeight / 2 : 4);
    return height + Math.ceil(letters / perLine) * size * lineHeight + (line.startsWith('#') ? 10 : 2);
  }, 0);
}

function describeHeader({ number }: AgreementPages): Content {
  return { text: `№ ${number}`, alignment: 'right', fontSize: 8.5, color: grey, margin: [page.margin, 34, page.margin, 0] };
}

function describeFooter({ number, verificationUrl }: AgreementPages, current: number, count: number): Content {
  return {
    margin: [page.margin, 14, page.margin, 0],
    columns: [
      // The QR's place.
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

/** White room of a height, points. */
function room(height: number): Content {
  return { canvas: [{ type: 'rect', x: 0, y: 0, w: 1, h: height, color: '#ffffff', fillOpacity: 0 }] };
}
