import { type AgreementDraft, describeAgreementDraft } from '../../../src/areas/competitions/agreement-drafts/draft-pdf.ts';
import { defaultBrand } from '../../../src/platform/brand/brand.ts';
import { renderPdf } from '../../../src/platform/pdf/render-pdf.ts';
import { readPdf } from '../../support/papers/read-pdf.ts';

const draft: AgreementDraft = {
  brand: defaultBrand,
  eventId: 12,
  createdAt: new Date('2026-03-01T10:00:00Z'),
  title: 'Көкшетау ралли-2026, Қазақстан кубогының 3-кезеңі',
  location: '«Бурабай» автодромы',
  discipline: { ru: 'Кольцевые гонки', kk: 'Шеңберлі жарыстар', en: 'Circuit racing' },
  firstDay: '2026-06-05',
  lastDay: '2026-06-06',
  reserveDay: '2026-06-07',
  organizer: {
    name: '«Алатау автоклубы» ҚБ',
    bin: '123456789012',
    directorName: 'Әбдіқадырұлы Ғалым Өмірбекұлы',
    directorPosition: 'Директор',
    address: 'Алматы, Абай даңғ., 1',
    phone: '+7 701 000 00 00',
    email: 'club@example.kz',
  },
};

test('draws one page with the event, its days and its organizer, in Kazakh letters', async () => {
  const pdf = await readPdf(await renderPdf(describeAgreementDraft(draft)));
  expect(pdf.pages).toBe(1);
  for (const fact of ['Көкшетау ралли-2026', '05.06.2026 – 06.06.2026', '07.06.2026', 'Шеңберлі', '123456789012', 'Өмірбекұлы'])
    expect(pdf.text).toContain(fact);
});

test('omits absent facts, and shows a single day once', async () => {
  const bare = { ...draft, lastDay: draft.firstDay, reserveDay: null, organizer: { ...draft.organizer, bin: null } };
  const { text } = await readPdf(await renderPdf(describeAgreementDraft(bare)));
  expect(text).toContain('05.06.2026');
  for (const absent of ['–06.06', '06.06.2026', 'Резервный', 'БИН']) expect(text).not.toContain(absent);
});

test('draws the same bytes for the same facts, and other bytes for another fact', async () => {
  const bytes = await renderPdf(describeAgreementDraft(draft));
  expect((await renderPdf(describeAgreementDraft({ ...draft }))).equals(bytes)).toBe(true);
  expect((await renderPdf(describeAgreementDraft({ ...draft, location: 'Алматы' }))).equals(bytes)).toBe(false);
});

test('breaks the longest words that the record allows and loses none', async () => {
  const long = (letter: string, count: number) => letter.repeat(count);
  const longest = {
    ...draft,
    title: long('W', 200),
    location: long('Щ', 300),
    organizer: { ...draft.organizer, name: long('W', 300), directorName: long('Ұ', 200), address: long('Щ', 300), email: long('w', 254) },
  };
  const pdf = await readPdf(await renderPdf(describeAgreementDraft(longest)));
  expect(pdf.pages).toBe(3);
});
