import { PDFDocument } from '@cantoo/pdf-lib';
import { type CertificatePage, describeCertificate } from '../../../src/areas/applications/certificates/certificate-pdf.ts';
import { defaultBrand } from '../../../src/platform/brand/brand.ts';
import { renderPdf } from '../../../src/platform/pdf/render-pdf.ts';
import { readPdf } from '../../support/papers/read-pdf.ts';
import { makePhoto } from '../../support/papers/scans.ts';

const verificationUrl = 'https://registry.example.kz/v/0123456789abcdefghijklmnopqrstuvwxyzABCDEFG';
/** As long as the longest credential. */
const qrText = `${verificationUrl}#${'Az09-_'.repeat(76).slice(0, 452)}`;

async function certificate(change: Partial<CertificatePage['certificate']['snapshot']> = {}): Promise<CertificatePage> {
  return {
    brand: defaultBrand,
    kind: 'national_certificate',
    photo: { mime: 'image/jpeg', bytes: await makePhoto() },
    verificationUrl,
    qrText,
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

test('one A4 page whose QR holds the verification address', async () => {
  const pdf = await renderPdf(describeCertificate(await certificate()));
  const pages = (await PDFDocument.load(pdf)).getPages();
  expect(pages.map((page) => [Math.round(page.getWidth()), Math.round(page.getHeight())])).toEqual([[595, 842]]);
  const { qr, text } = await readPdf(pdf);
  expect(qr).toBe(qrText);
  expect(text).toContain(verificationUrl);
  // The credential is for machines: it would run over the border.
  expect(text).not.toContain('#');
});

test('APP-14: the same certificate gives the same bytes', async () => {
  const page = await certificate();
  expect((await renderPdf(describeCertificate(page))).equals(await renderPdf(describeCertificate(page)))).toBe(true);
});

test('an organizer without photo and birth date and a name of maximum length fit', async () => {
  const page = await certificate({
    holderName: 'Ұйымдастырушы '.repeat(28),
    birthDate: null,
    citizenship: null,
    team: 'Команда '.repeat(25),
  });
  const pdf = await renderPdf(describeCertificate({ ...page, kind: 'document', photo: null }));
  expect((await PDFDocument.load(pdf)).getPageCount()).toBe(1);
  expect((await readPdf(pdf)).qr).toBe(qrText);
});

test('a sport of a hundred wide letters without a blank wraps in its column, on one page', async () => {
  const pdf = await readPdf(await renderPdf(describeCertificate(await certificate({ sport: 'Щ'.repeat(100) }))));
  expect(pdf.pages).toBe(1);
  expect(pdf.text.match(/Щ/g)).toHaveLength(100);
  // The PDF has one piece for each line.
  expect(Math.max(...pdf.pieces.map((piece) => piece.length * (/^Щ+$/.test(piece) ? 1 : 0)))).toBeLessThan(60);
});

test('the tenge sign and an unknown country code are shown; a character without a glyph does not fail', async () => {
  const change = { team: 'Сыйлық 500₸', sport: '😀 → 漢 \ud800', citizenship: 'QZ' };
  const { text } = await readPdf(await renderPdf(describeCertificate(await certificate(change))));
  for (const shown of ['500₸', 'QZ']) expect(text).toContain(shown);
});
