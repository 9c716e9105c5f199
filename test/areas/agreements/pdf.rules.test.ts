import { type AgreementPages, describeAgreement } from '../../../src/areas/agreements/contracts/agreement-pdf.ts';
import { defaultTemplate } from '../../../src/areas/agreements/templates/seed-templates.ts';
import { scanPdf } from '../../../src/platform/inspector/pdf-scan.ts';
import { defaultBrand } from '../../../src/platform/brand/brand.ts';
import { renderPdf } from '../../../src/platform/pdf/render-pdf.ts';
import { makeMark } from '../../support/factories/signings.ts';
import { readPdf } from '../../support/papers/read-pdf.ts';

const verificationUrl = 'https://registry.example.kz/a/0123456789abcdefghijklmnopqrstuvwxyzABCDEFG';
const values: AgreementPages['values'] = {
  FEDERATION_SIGNER_NAME: 'Әбенова Гүлнар Өмірқызы',
  FEDERATION_SIGNER_POSITION: 'Бас хатшы',
  FEDERATION_SIGNED_AT: '22.11.2026',
  DOCUMENT_NUMBER: 'A-2026-00001',
  EVENT_TITLE: 'Ұлытау ралли кубогы',
  EVENT_DATES: '01.02.2027 – 02.02.2027',
  EVENT_LOCATION: 'Жезқазған',
  ORGANIZER_NAME: '«Жүйрік» мотоклубы',
  ORGANIZER_BIN: '123456789012',
  ORGANIZER_DIRECTOR: 'Қасымов Ұлан',
};

function pages(change: Partial<AgreementPages> = {}): AgreementPages {
  return {
    brand: defaultBrand,
    number: 'A-2026-00001',
    ...defaultTemplate,
    values,
    notes: null,
    verificationUrl,
    signedAt: new Date('2026-11-22T10:00:00Z'),
    marks: [],
    ...change,
  };
}
const draw = (change: Partial<AgreementPages> = {}) => renderPdf(describeAgreement(pages(change)));
/** Reads the text of a page without blanks, because line breaks depend on the layout. */
const textOf = async (pdf: Buffer, number: number) => (await readPdf(pdf, number)).text.replace(/\s+/g, '');
const squeezed = (text: string) => text.replace(/\s+/g, '');

test('the PDF has the text in Kazakh and Russian with its values, and number and QR on every page', async () => {
  const pdf = await draw({ marks: [{ png: await makeMark('stamp'), x: 120, y: 185, width: 40 }] });
  const { pages: count } = await readPdf(pdf);
  expect(count).toBe(2);
  expect(scanPdf(pdf)).toEqual({ kind: 'clean', pages: count });
  const first = await textOf(pdf, 0);
  for (const text of ['ЖАРЫС ӨТКІЗУ ТУРАЛЫ КЕЛІСІМ', 'Бас хатшы Әбенова Гүлнар Өмірқызы', '«Ұлытау ралли кубогы»', 'БСН 123456789012'])
    expect(first).toContain(squeezed(text));
  const last = await textOf(pdf, -1);
  for (const text of ['Тараптардың қолдары · Подписи сторон', 'Федерация: Бас хатшы Әбенова', '«Жүйрік» мотоклубы, Қасымов Ұлан', '2 / 2'])
    expect(last).toContain(squeezed(text));
  expect(first + last).not.toContain('{{');
  for (const number of [0, 1]) {
    expect(await textOf(pdf, number)).toContain('№A-2026-00001');
    expect((await readPdf(pdf, number)).qr).toBe(verificationUrl);
  }
});

test.each([0.1, 1, 3])('the marks are on the last page at the place of the layout, at scale %d (AGR-8)', async (scale) => {
  const marks = [
    { png: await makeMark('signature'), x: 31.5, y: 190, width: 50 * scale },
    { png: await makeMark('stamp'), x: 12, y: 20.25, width: 40 * scale },
  ];
  const pdf = await draw({ marks });
  expect((await readPdf(pdf, 0)).placed).toEqual([]);
  const { placed } = await readPdf(pdf, -1);
  const near = (value: number) => expect.closeTo(value, 2);
  expect(placed).toEqual([
    { x: near(31.5), y: near(190), width: near(50 * scale), height: near(20 * scale) },
    { x: near(12), y: near(20.25), width: near(40 * scale), height: near(40 * scale) },
  ]);
});

test('the same agreement gives the same bytes (AGR-3)', async () => {
  const marks = [{ png: await makeMark('signature'), x: 31.5, y: 190, width: 50 }];
  const [once, again] = [await draw({ marks }), await draw({ marks: [...marks] })];
  expect(once.equals(again)).toBe(true);
});

test('a template without a signing block gets the usual one, below the notes (AGR-11)', async () => {
  const pdf = await draw({ body: 'Бір сөйлем {{EVENT_TITLE}} туралы.', notes: 'Ескерту: {{EVENT_TITLE}}\nЕкінші жол' });
  const { pages: count } = await readPdf(pdf);
  expect(count).toBe(1);
  const text = await textOf(pdf, 0);
  for (const part of ['Бір сөйлем Ұлытау ралли кубогы туралы.', 'Ескерту: {{EVENT_TITLE}}', 'Екінші жол', 'Подпись, печать: ____'])
    expect(text).toContain(squeezed(part));
});

test('the longest names leave the signing block on the last page (AGR-11)', async () => {
  const long = (words: string, length: number) => words.repeat(length).slice(0, length).trim();
  const names = {
    ORGANIZER_NAME: long('ҰЙЫМДАСТЫРУШЫ БІРЛЕСТІГІ ', 300),
    ORGANIZER_DIRECTOR: long('Қасымов Ұлан ', 200),
    FEDERATION_SIGNER_NAME: long('Әбенова Гүлнар ', 200),
    FEDERATION_SIGNER_POSITION: long('Бас хатшы ', 200),
  };
  const last = await textOf(await draw({ values: { ...values, ...names } }), -1);
  for (const text of ['Тараптардың қолдары', 'Қолы, мөрі · Подпись, печать: ____']) expect(last).toContain(squeezed(text));
});

test.each([
  [
    'a text of many pages',
    {
      body: `${'1.1. Келісімнің бір тармағы, ол бір жолдан ұзағырақ болуы керек, сондықтан қайталанады.\n'.repeat(400)}{{FEDERATION_STAMP}}`,
    },
  ],
  ['a single paragraph of many pages', { body: 'Ұзын сөйлем. '.repeat(1500) }],
  ['a place to sign that is a text of its own', { body: `# Қол қою\n{{FEDERATION_SIGNATURE}}\n${'Тармақ, ол да ұзақ.\n'.repeat(200)}` }],
  ['nothing but blanks and marks', { body: '\n\n{{DOCUMENT_QR}}\n{{FEDERATION_STAMP}}\n\n' }],
] satisfies [string, Partial<AgreementPages>][])('%s: the PDF is made with the QR on its last page', async (_name, change) => {
  const pdf = await draw(change);
  expect((await readPdf(pdf, -1)).qr).toBe(verificationUrl);
});

test('a heading is never the last text of a page (AGR-9)', async () => {
  const rest = 'Тармақтың мәтіні.\n'.repeat(30);
  // The heading meets the end of the first page at one of these lengths.
  for (let lines = 38; lines < 46; lines += 1) {
    const pdf = await draw({ body: `${'Алдыңғы тармақ.\n'.repeat(lines)}## Тақырып\n${rest}` });
    const pagesOfHeading = await Promise.all([0, 1].map(async (number) => textOf(pdf, number)));
    const heading = pagesOfHeading.find((text) => text.includes('Тақырып'));
    expect(heading).toContain('ТақырыпТармақтыңмәтіні');
  }
});

test('the heading of a signing block is measured as it is drawn: one that does not fit becomes part of the text (AGR-11)', () => {
  const heading = `# ${'ЖАРЫСТЫ ӨТКІЗУШІ ТАРАПТАРДЫҢ ҚОЛДАРЫ МЕН МӨРЛЕРІ '.repeat(11)}`;
  const isPlaced = (body: string) => JSON.stringify(describeAgreement(pages({ body })).content).includes('absolutePosition');
  expect(isPlaced('Мәтін.\n# Қолдар\n{{FEDERATION_SIGNATURE}}\n{{FEDERATION_STAMP}}')).toBe(true);
  // Eleven times 49 capitals need 13 lines of 18 points; at the size of the text they would need 8 of 13.
  expect(isPlaced(`Мәтін.\n${heading}\n{{FEDERATION_SIGNATURE}}\n{{FEDERATION_STAMP}}`)).toBe(false);
});
