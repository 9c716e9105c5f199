import { PDFDocument, rgb } from '@cantoo/pdf-lib';
import sharp from 'sharp';
import type { components } from '../../../client/src/index.ts';
import { renderPdf } from '../../platform/pdf/render-pdf.ts';
import { type DemoClient, storeFile } from './client.ts';

/** A name as on an identity card. */
export interface PersonName {
  last: string;
  first: string;
  middle: string;
}

export const personName: PersonName = { last: 'Әбдіқадырұлы', first: 'Ғалым', middle: 'Өмірбекұлы' };

const birthDate = '1994-03-22';

const holder = ({ last, first, middle }: PersonName): [string, string] => ['Тегі, аты, әкесінің аты', `${last} ${first} ${middle}`];

/** Returns `data` of an athlete's profile. */
export function athleteDataOf(name = personName) {
  return {
    last_name: name.last,
    first_name: name.first,
    middle_name: name.middle,
    birth_date: birthDate,
    gender: 'male',
    citizenship: 'KZ',
    city: 'Өскемен',
  } as const;
}

/** Days of an athlete's documents, `YYYY-MM-DD` in UTC+5. */
export interface DocumentDays {
  identityIssued: string;
  identityUntil: string;
  /** Last day of a medical certificate that outlasts the demo. */
  nextMedicalUntil: string;
}

/** Uploads an identity card. @returns the document's id */
export function createIdentity(client: DemoClient, profileId: number, days: DocumentDays, now: Date, name = personName): Promise<number> {
  const { identityIssued, identityUntil } = days;
  const rows: [string, string][] = [
    ['Туған күні', birthDate],
    ['Туған жері', 'Өскемен қаласы'],
    ['Нөмірі', '047 512 903'],
    ['Берілген күні', identityIssued],
    ['Қолданылу мерзімі', identityUntil],
  ];
  const paper = {
    title: 'ЖЕКЕ КУӘЛІК',
    issuer: 'Қазақстан Республикасының Ішкі істер министрлігі',
    rows: [holder(name), ...rows],
    createdAt: now,
  };
  const facts = { type: 'identity', number: '047512903', issued_at: identityIssued, expires_at: identityUntil } as const;
  return createDocument(client, profileId, paper, facts);
}

/** Uploads a medical certificate that is valid through `until`. @returns the document's id */
export function createMedical(
  client: DemoClient,
  profileId: number,
  number: string,
  until: string,
  now: Date,
  name = personName,
): Promise<number> {
  const rows: [string, string][] = [
    ['Анықтама нөмірі', number],
    ['Қорытынды', 'Спортпен шұғылдануға рұқсат етіледі'],
    ['Дәрігер', 'Жүсіпова Гүлнұр Қайратқызы'],
    ['Жарамды мерзімі', until],
  ];
  const paper = { title: 'МЕДИЦИНАЛЫҚ АНЫҚТАМА', issuer: 'Өскемен қаласының № 3 емханасы', rows: [holder(name), ...rows], createdAt: now };
  return createDocument(client, profileId, paper, { type: 'medical', number, expires_at: until });
}

type DocumentFacts = Pick<components['schemas']['NewDocument'], 'type' | 'number' | 'country' | 'issued_at' | 'expires_at'>;

/** Uploads a scan of a paper as a document. @returns the document's id */
export async function createDocument(client: DemoClient, profileId: number, paper: Paper, facts: DocumentFacts): Promise<number> {
  const fileId = await storeFile(client, await printScan(paper), 'document', `${paper.title.toLowerCase()}.pdf`);
  const { data: made } = await client.POST('/documents', { body: { profile_id: profileId, file_id: fileId, country: 'KZ', ...facts } });
  return made.id;
}

const width = 900;
const height = 1200;

/** Draws a portrait: a JPEG of 900 x 1200. @param hue 0-359, the colour of the jacket */
export function drawPortrait(hue: number): Promise<Buffer> {
  const drawing = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">
    <defs>
      <linearGradient id="wall" x1="0" y1="0" x2="0" y2="1"><stop offset="0" stop-color="#dfe8f1"/><stop offset="1" stop-color="#b7c6d6"/></linearGradient>
      <radialGradient id="skin" cx="0.45" cy="0.4" r="0.75"><stop offset="0" stop-color="#f6d3b3"/><stop offset="1" stop-color="#dca37c"/></radialGradient>
      <linearGradient id="jacket" x1="0" y1="0" x2="1" y2="1"><stop offset="0" stop-color="hsl(${hue} 45% 38%)"/><stop offset="1" stop-color="hsl(${hue} 50% 24%)"/></linearGradient>
    </defs>
    <rect width="${width}" height="${height}" fill="url(#wall)"/>
    <path d="M90 1200 C100 940 270 860 450 860 C630 860 800 940 810 1200 Z" fill="url(#jacket)"/>
    <path d="M340 868 L450 1040 L560 868 Z" fill="#f7f7f4"/>
    <path d="M365 720 L365 880 Q450 960 535 880 L535 720 Z" fill="#d49a74"/>
    <ellipse cx="262" cy="560" rx="34" ry="62" fill="#dca37c"/><ellipse cx="638" cy="560" rx="34" ry="62" fill="#dca37c"/>
    <ellipse cx="450" cy="545" rx="190" ry="245" fill="url(#skin)"/>
    <path d="M250 520 C230 300 340 230 460 232 C600 236 680 330 650 520 C630 430 590 390 520 380 C430 400 330 380 285 430 C265 460 258 490 250 520 Z" fill="#2a211d"/>
    <path d="M335 492 Q378 470 420 490" stroke="#2a211d" stroke-width="13" fill="none" stroke-linecap="round"/>
    <path d="M482 490 Q524 470 566 492" stroke="#2a211d" stroke-width="13" fill="none" stroke-linecap="round"/>
    <ellipse cx="378" cy="540" rx="31" ry="17" fill="#fff"/><ellipse cx="523" cy="540" rx="31" ry="17" fill="#fff"/>
    <circle cx="379" cy="540" r="15" fill="#3a2a20"/><circle cx="522" cy="540" r="15" fill="#3a2a20"/>
    <path d="M448 545 Q434 620 428 640 Q450 660 476 642" stroke="#bd8460" stroke-width="8" fill="none" stroke-linecap="round"/>
    <path d="M392 706 Q450 738 510 704" stroke="#a2584a" stroke-width="13" fill="none" stroke-linecap="round"/>
  </svg>`;
  return sharp(Buffer.from(drawing)).jpeg({ quality: 88 }).toBuffer();
}

/** Content of a paper: heading and rows. */
export interface Paper {
  title: string;
  issuer: string;
  rows: [string, string][];
  createdAt: Date;
  /** One by default; the rows and the stamp are on each page. */
  pages?: number;
}

/** Renders a paper as a PDF, with a stamp. */
export function printScan({ title, issuer, rows, createdAt, pages = 1 }: Paper): Promise<Buffer> {
  return renderPdf({
    title,
    createdAt,
    pageSize: 'A5',
    pageMargins: [36, 40, 36, 40],
    ...(pages > 1 && { footer: (page: number) => ({ text: `${page} / ${pages}`, alignment: 'center', fontSize: 9 }) }),
    content: Array.from({ length: pages }, (_, page) => [
      { text: issuer, alignment: 'center', color: '#555555', fontSize: 10, ...(page > 0 && { pageBreak: 'before' as const }) },
      { text: title, alignment: 'center', bold: true, fontSize: 16, margin: [0, 10, 0, 18] },
      {
        layout: 'lightHorizontalLines',
        table: {
          widths: ['42%', '58%'],
          body: rows.map(([name, value]) => [
            { text: name, color: '#555555' },
            { text: value, bold: true },
          ]),
        },
      },
      { svg: stamp, width: 110, alignment: 'right', margin: [0, 24, 0, 0] },
    ]),
  });
}

const stamp = `<svg xmlns="http://www.w3.org/2000/svg" width="120" height="120">
  <circle cx="60" cy="60" r="54" fill="none" stroke="#2b4fa3" stroke-width="4"/>
  <circle cx="60" cy="60" r="40" fill="none" stroke="#2b4fa3" stroke-width="1.5"/>
  <path d="M32 68 L50 50 L62 62 L88 40" fill="none" stroke="#2b4fa3" stroke-width="5"/>
</svg>`;

/** Draws a signature on a transparent background. */
export function drawSignature(): Promise<Buffer> {
  return sharp(
    Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" width="900" height="360" viewBox="0 0 900 360">
    <path d="M60 250 C140 60 220 40 210 160 C200 290 120 300 170 200 C240 70 330 90 300 210 C290 270 350 250 400 170 C430 120 470 130 450 200 C440 250 500 240 560 160 C600 110 640 150 600 220 C580 270 700 230 840 110"
      fill="none" stroke="#16308f" stroke-width="14" stroke-linecap="round"/></svg>`),
  )
    .png()
    .toBuffer();
}

/** Draws a round stamp on a transparent background. */
export function drawStamp(): Promise<Buffer> {
  return sharp(
    Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" width="600" height="600" viewBox="0 0 600 600" fill="none" stroke="#2b4fa3">
    <circle cx="300" cy="300" r="280" stroke-width="16"/><circle cx="300" cy="300" r="200" stroke-width="6"/>
    <path d="M180 330 L270 240 L330 310 L430 200" stroke-width="24" stroke-linecap="round" stroke-linejoin="round"/></svg>`),
  )
    .png()
    .toBuffer();
}

/** Adds a handwritten signature to the last page of a PDF, like a scan. */
export async function signByHand(original: Buffer): Promise<Buffer> {
  const pdf = await PDFDocument.load(original);
  const page = pdf.getPages().at(-1);
  page?.drawSvgPath(
    'M0 40 C20 0 40 0 36 24 C32 50 20 50 30 32 C44 6 60 10 56 34 C54 46 66 42 76 28 C84 18 92 22 90 34 C96 44 120 30 150 8',
    {
      x: 205,
      y: 212,
      borderColor: rgb(0.1, 0.1, 0.45),
      borderWidth: 1.6,
    },
  );
  return Buffer.from(await pdf.save());
}
