import type { CanvasElement, Content, TableCell } from 'pdfmake/interfaces.js';
import type { LocalizedText } from '../../../http/language.ts';
import { drawQr } from '../../../platform/pdf/draw-qr.ts';
import { formatDay } from '../../../platform/time/date-time.ts';
import { defineDrawnDocument } from '../../../platform/pdf/drawing.ts';
import { a4, factsTable, grey, ink, line, navy } from '../../../platform/pdf/page-style.ts';
import type { Brand } from '../../../platform/brand/brand.ts';
import type { PdfDefinition } from '../../../platform/pdf/render-pdf.ts';
import type { ServiceKind } from '../../catalog/index.ts';
import type { IssuedCertificate } from '../record.ts';

/** The content of a certificate's page, fixed at issue: the same certificate gives the same bytes (APP-14). */
export interface CertificatePage {
  brand: Brand;
  kind: ServiceKind;
  certificate: Pick<IssuedCertificate, 'number' | 'validFrom' | 'validUntil' | 'snapshot' | 'issuedAt'>;
  /** JPEG or PNG, upright 3:4; null for a holder without a photo. */
  photo: { mime: 'image/jpeg' | 'image/png'; bytes: Uint8Array } | null;
  /** The printed link. */
  verificationUrl: string;
  /** The same link with the credential, for the QR. */
  qrText: string;
}

const headings: Record<ServiceKind, LocalizedText> = {
  national_certificate: { kk: 'ҰЛТТЫҚ СЕРТИФИКАТ', ru: 'НАЦИОНАЛЬНЫЙ СЕРТИФИКАТ', en: 'NATIONAL CERTIFICATE' },
  international_licence: { kk: 'ХАЛЫҚАРАЛЫҚ ЛИЦЕНЗИЯ', ru: 'МЕЖДУНАРОДНАЯ ЛИЦЕНЗИЯ', en: 'INTERNATIONAL LICENCE' },
  document: { kk: 'ФЕДЕРАЦИЯ ҚҰЖАТЫ', ru: 'ДОКУМЕНТ ФЕДЕРАЦИИ', en: 'DOCUMENT OF THE FEDERATION' },
  event_fee: { kk: 'ФЕДЕРАЦИЯ ҚҰЖАТЫ', ru: 'ДОКУМЕНТ ФЕДЕРАЦИИ', en: 'DOCUMENT OF THE FEDERATION' },
};

const gold = '#b8892b';
/** A4 and its margins, points. */
const page = { ...a4, margin: 54, top: 46, bottom: 166 };
const textWidth = page.width - 2 * page.margin;
const photoColumn = 112;
const labelColumn = 150;
/** A fixed width breaks a long word; a `*` column would grow beyond the page. The table pads each cell by 8. */
const valueColumn = textWidth - labelColumn - 16;
const qrPlace = { x: page.margin, y: page.height - page.bottom + 6, side: 114 };
const crestSide = 58;

/** The certificate as a document of the drawing thread. */
export const certificateDocument = defineDrawnDocument(import.meta.url, describeCertificate);

/** Lays a certificate out on one A4 page in Kazakh, Russian and English. */
export function describeCertificate(content: CertificatePage): PdfDefinition {
  const { brand, kind, certificate } = content;
  const heading = headings[kind];
  return {
    title: `${heading.en} ${certificate.number}`,
    author: brand.name.en,
    subject: certificate.snapshot.serviceTitle.en,
    createdAt: certificate.issuedAt,
    pageSize: 'A4',
    pageMargins: [page.margin, page.top, page.margin, page.bottom],
    background: (pageNumber: number) => drawBackground(pageNumber, content),
    // In the footer, so that a long name does not move the QR.
    footer: () => describeVerification(content),
    defaultStyle: { fontSize: 10, color: ink },
    content: [
      { text: brand.name.kk, fontSize: 12, bold: true, color: navy, alignment: 'center', margin: [0, crestSide + 6, 0, 0] },
      { text: brand.name.ru, fontSize: 10.5, color: navy, alignment: 'center', margin: [0, 2, 0, 0] },
      { text: brand.name.en, fontSize: 9, color: grey, alignment: 'center', margin: [0, 2, 0, 12] },
      line(heading.kk, { fontSize: 24, bold: true, color: navy, alignment: 'center', characterSpacing: 1 }),
      line(heading.ru, { fontSize: 15, color: navy, alignment: 'center', margin: [0, 3, 0, 0] }),
      line(heading.en, { fontSize: 11, color: grey, alignment: 'center', margin: [0, 3, 0, 8] }),
      line(`№ ${certificate.number}`, { fontSize: 16, bold: true, color: gold, alignment: 'center', margin: [0, 0, 0, 14] }),
      describeHolder(content),
      describeFacts(content),
    ],
  };
}

function describeHolder({ certificate: { snapshot }, photo }: CertificatePage): Content {
  const name: Content = [
    label({ kk: 'Иесі', ru: 'Владелец', en: 'Holder' }),
    { text: snapshot.holderName, fontSize: nameSize(snapshot.holderName), bold: true, color: navy, margin: [0, 2, 0, 12] },
    ...(snapshot.birthDate === null
      ? []
      : [label({ kk: 'Туған күні', ru: 'Дата рождения', en: 'Date of birth' }), value(formatDay(snapshot.birthDate))]),
    ...(snapshot.citizenship === null
      ? []
      : [label({ kk: 'Азаматтығы', ru: 'Гражданство', en: 'Citizenship' }), value(nameCountry(snapshot.citizenship))]),
  ];
  if (photo === null) return { stack: [name], margin: [0, 0, 0, 10] };
  return {
    columns: [
      { width: photoColumn, image: `data:${photo.mime};base64,${Buffer.from(photo.bytes).toString('base64')}`, fit: [105, 140] },
      { width: textWidth - photoColumn, stack: [name], margin: [10, 2, 0, 0] },
    ],
    margin: [0, 0, 0, 14],
  };
}

function nameSize(name: string): number {
  if (hasEndlessWord(name)) return 10;
  return name.length > 60 ? 14 : 19;
}

function describeFacts({ kind, certificate }: CertificatePage): Content {
  const { snapshot, validFrom, validUntil } = certificate;
  const service = snapshot.serviceTitle;
  const rows: TableCell[][] = [
    row({ kk: 'Қызмет', ru: 'Услуга', en: 'Service' }, [service.kk, service.ru, service.en]),
    ...(snapshot.serviceCategory === null ? [] : [row({ kk: 'Санаты', ru: 'Категория', en: 'Category' }, [snapshot.serviceCategory])]),
    ...(snapshot.disciplineTitle === null
      ? []
      : [row({ kk: 'Пәні', ru: 'Дисциплина', en: 'Discipline' }, [distinct(snapshot.disciplineTitle)])]),
    ...(snapshot.sport === null ? [] : [row({ kk: 'Спорт түрі', ru: 'Вид спорта', en: 'Sport' }, [snapshot.sport])]),
    ...(snapshot.team === null ? [] : [row({ kk: 'Командасы', ru: 'Команда', en: 'Team' }, [snapshot.team])]),
    ...(kind === 'national_certificate' && snapshot.insuranceCoverageMinor !== null
      ? [
          row({ kk: 'Сақтандыру', ru: 'Страхование', en: 'Insurance' }, [
            `${formatMoney(snapshot.insuranceCoverageMinor)} KZT · ${snapshot.insuranceTerritory === 'CIS' ? 'ТМД / СНГ / CIS' : 'Қазақстан / Казахстан / Kazakhstan'}`,
          ]),
        ]
      : []),
    row({ kk: 'Жарамдылық мерзімі', ru: 'Срок действия', en: 'Validity' }, [`${formatDay(validFrom)} – ${formatDay(validUntil)}`]),
  ];
  return factsTable(rows, [labelColumn, valueColumn], 4);
}

function describeVerification({ certificate, verificationUrl }: CertificatePage): Content {
  return {
    margin: [page.margin, 6, page.margin, 0],
    columns: [
      // Space for the QR.
      { width: qrPlace.side + 6, text: '' },
      {
        width: '*',
        margin: [12, 4, 0, 0],
        stack: [
          line('Құжаттың жарамдылығын QR-код арқылы тексеріңіз.', { bold: true, color: navy }),
          line('Действительность документа проверяется по QR-коду.', { margin: [0, 2, 0, 0] }),
          line('Scan the QR code to verify this document.', { color: grey, margin: [0, 2, 0, 8] }),
          { text: verificationUrl, link: verificationUrl, fontSize: 8, color: navy, margin: [0, 0, 0, 8] },
          line(`Берілген күні · Дата выдачи · Date of issue: ${formatDay(certificate.validFrom)}`, { fontSize: 9, color: grey }),
        ],
      },
    ],
  };
}

function row(name: LocalizedText, lines: string[]): TableCell[] {
  const [first = '', ...others] = [...new Set(lines)];
  return [
    {
      stack: [line(name.kk, { bold: true, color: navy }), line(`${name.ru} · ${name.en}`, { fontSize: 8, color: grey })],
    },
    {
      stack: [
        { text: first, bold: true, fontSize: hasEndlessWord(first) ? 8 : 11 },
        ...others.map((text) => ({ text, fontSize: hasEndlessWord(text) ? 7 : 9, color: grey })),
      ],
    },
  ];
}

/** Whether the text has a run without a blank above 40 characters. A smaller font then keeps the certificate on one page. */
function hasEndlessWord(text: string): boolean {
  return text.split(' ').some((word) => word.length > 40);
}

function label(name: LocalizedText): Content {
  return line(`${name.kk} · ${name.ru} · ${name.en}`, { fontSize: 8, color: grey });
}

function value(text: string): Content {
  return { text, fontSize: 12, bold: true, margin: [0, 1, 0, 8] };
}

/** Names a country in three languages; returns an unknown code unchanged. */
function nameCountry(code: string): string {
  const name = (language: keyof LocalizedText) => countryNames[language].of(code) ?? code;
  return distinct({ kk: name('kk'), ru: name('ru'), en: name('en') });
}

const countryNames = {
  kk: new Intl.DisplayNames(['kk'], { type: 'region' }),
  ru: new Intl.DisplayNames(['ru'], { type: 'region' }),
  en: new Intl.DisplayNames(['en'], { type: 'region' }),
};

/** Joins the three names without duplicates. */
function distinct({ kk, ru, en }: LocalizedText): string {
  return [...new Set([kk, ru, en])].join(' · ');
}

/** Formats tiyn as tenge: `2 162 500,00`. */
function formatMoney(minor: number): string {
  const [whole = '', cents = ''] = (minor / 100).toFixed(2).split('.');
  return `${whole.replace(/\B(?=(?:\d{3}){1,6}$)/g, '\u00a0')},${cents}`;
}

/** Draws border and QR of every page, and the crest of the first one. */
function drawBackground(pageNumber: number, { qrText, brand }: CertificatePage): Content {
  const border = (inset: number, lineWidth: number, lineColor: string): CanvasElement => ({
    type: 'rect',
    x: inset,
    y: inset,
    w: page.width - 2 * inset,
    h: page.height - 2 * inset,
    lineWidth,
    lineColor,
  });
  const frame = { canvas: [border(20, 2.2, navy), border(26, 0.8, gold), drawQr(qrText, qrPlace)] };
  if (pageNumber > 1) return frame;
  const place = { x: (page.width - crestSide) / 2, y: page.top };
  return [frame, { svg: brand.crest, fit: [crestSide, crestSide], absolutePosition: place }];
}
