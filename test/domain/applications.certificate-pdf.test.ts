import { inflateSync } from 'node:zlib';
import { PDFDocument } from '@cantoo/pdf-lib';
import sharp from 'sharp';
import { describeCertificate } from '../../src/applications/certificate-pdf.ts';
import type { CertificatePage } from '../../src/applications/certificate-pdf.ts';
import { renderPdf } from '../../src/platform/pdf/render-pdf.ts';
import { decodeQr } from '../support/decode-qr.ts';
import { makePhoto } from '../support/scans.ts';

const verificationUrl = 'https://registry.example.kz/v/0123456789abcdefghijklmnopqrstuvwxyzABCDEFG';

async function certificate(change: Partial<CertificatePage['certificate']['snapshot']> = {}): Promise<CertificatePage> {
  return {
    kind: 'national_certificate',
    photo: { mime: 'image/jpeg', bytes: await makePhoto() },
    verificationUrl,
    certificate: {
      number: 'KZ-N-2026-000001',
      validFrom: '2026-03-01',
      validUntil: '2026-12-31',
      issuedAt: new Date('2026-03-01T10:00:00Z'),
      snapshot: {
        holderName: 'Әбдіқадырұлы Ғалым Өмірбекұлы',
        birthDate: '1990-05-17',
        citizenship: 'KZ',
        serviceTitle: {
          kk: 'Ұлттық сертификат, B санаты (жүргізуші)',
          ru: 'Национальный сертификат, категория B (водитель)',
          en: 'National certificate, category B (driver)',
        },
        serviceCategory: 'B',
        disciplineTitle: { kk: 'Шеңберлі жарыстар', ru: 'Кольцевые гонки', en: 'Circuit racing' },
        team: 'Алатау Рейсинг',
        sport: 'Автоспорт',
        insuranceTerritory: 'CIS',
        insuranceCoverageMinor: 432_500_000,
        photoFileId: null,
        ...change,
      },
    },
  };
}

/** Reads the QR off the page: draws the black squares of the page's content the way a printer would, and decodes the picture. */
async function readQr(pdf: Buffer): Promise<string | undefined> {
  const content = streamsOf(pdf).find((stream) => stream.includes(' re\n'));
  const found = (content ?? '').matchAll(/([\d.]+) ([\d.]+) ([\d.]+) \3 re\n\/DeviceRGB cs\n0 0 0 scn/g);
  const squares = [...found].map(([, x, y, side]) => ({ x: Number(x), y: Number(y), side: Number(side) }));
  const [left, top] = [Math.min(...squares.map(({ x }) => x)) - 12, Math.min(...squares.map(({ y }) => y)) - 12];
  const drawn = squares.map(({ x, y, side }) => `<rect x="${x - left}" y="${y - top}" width="${side}" height="${side}"/>`).join('');
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 136 136" width="408" height="408" shape-rendering="crispEdges"><rect width="136" height="136" fill="#fff"/>${drawn}</svg>`;
  const { data, info } = await sharp(Buffer.from(svg)).ensureAlpha().raw().toBuffer({ resolveWithObject: true });
  return decodeQr(new Uint8ClampedArray(data), info.width, info.height)?.data;
}

function streamsOf(pdf: Buffer): string[] {
  const streams: string[] = [];
  for (let start = pdf.indexOf('stream\n'); start >= 0; start = pdf.indexOf('stream\n', start + 1)) {
    const bytes = pdf.subarray(start + 7, pdf.indexOf('endstream', start));
    // Only compressed streams are of interest; an image begins otherwise.
    if (bytes[0] === 0x78) streams.push(inflateSync(bytes).toString('latin1'));
  }
  return streams;
}

test('one A4 page whose QR holds the verification address', async () => {
  const pdf = await renderPdf(describeCertificate(await certificate()));
  const pages = (await PDFDocument.load(pdf)).getPages();
  expect(pages.map((page) => [Math.round(page.getWidth()), Math.round(page.getHeight())])).toEqual([[595, 842]]);
  expect(await readQr(pdf)).toBe(verificationUrl);
});

test('the same certificate gives the same bytes', async () => {
  const page = await certificate();
  expect((await renderPdf(describeCertificate(page))).equals(await renderPdf(describeCertificate(page)))).toBe(true);
});

test('an organizer without photo and birth date, and a name as long as the record takes, fit', async () => {
  const page = await certificate({
    holderName: 'Ұйымдастырушы '.repeat(28),
    birthDate: null,
    citizenship: null,
    team: 'Команда '.repeat(25),
  });
  const pdf = await renderPdf(describeCertificate({ ...page, kind: 'document', photo: null }));
  expect((await PDFDocument.load(pdf)).getPageCount()).toBe(1);
  expect(await readQr(pdf)).toBe(verificationUrl);
});

test('a country code that no list knows is shown as it is', async () => {
  const pdf = await renderPdf(describeCertificate(await certificate({ citizenship: 'QZ' })));
  expect(pdf.length).toBeGreaterThan(10_000);
});
