import { PDFDocument } from '@cantoo/pdf-lib';
import { createDrawing, defineDrawnDocument, type Drawing } from '../../../src/platform/pdf/drawing.ts';
import { renderPdf } from '../../../src/platform/pdf/render-pdf.ts';
import { makePhoto } from '../../support/papers/scans.ts';
import { describeDeath, describeMistake, describeNote } from './drawing.fixture.ts';

const module = new URL('./drawing.fixture.ts', import.meta.url).href;
const note = defineDrawnDocument(module, describeNote);
const death = defineDrawnDocument(module, describeDeath);
const mistake = defineDrawnDocument(module, describeMistake);

let drawing: Drawing;
beforeEach(() => {
  drawing = createDrawing();
});
afterEach(() => drawing.close());

const titleOf = async (pdf: Buffer) => (await PDFDocument.load(pdf)).getTitle();

test('a page drawn in the thread has the same bytes as without it, and each caller gets its own page', async () => {
  const data = { text: 'Ұлттық куәлік', photo: await makePhoto() };
  expect((await drawing.draw(note, data)).equals(await renderPdf(describeNote(data)))).toBe(true);
  const titles = Array.from({ length: 8 }, (_, index) => `№ ${index}`);
  const drawn = await Promise.all(titles.map((text) => drawing.draw(note, { text })));
  expect(await Promise.all(drawn.map(titleOf))).toEqual(titles);
});

test('the thread draws a page without blocking this process', async () => {
  await drawing.draw(note, { text: 'the fonts are loaded' });
  const longPage = { text: 'a long one '.repeat(5_000) };
  const page = { isDrawn: false };
  const drawn = drawing.draw(note, longPage).finally(() => (page.isDrawn = true));
  let longestMs = 0;
  for (let last = performance.now(); !page.isDrawn;) {
    await new Promise((resolve) => setTimeout(resolve, 1));
    longestMs = Math.max(longestMs, performance.now() - last);
    last = performance.now();
  }
  const startedAt = performance.now();
  await renderPdf(describeNote(longPage));
  expect((await drawn).length).toBeGreaterThan(10_000);
  expect(longestMs).toBeLessThan((performance.now() - startedAt) / 2);
});

test('a wrong description, an invalid image and data that cannot be cloned are errors of the page', async () => {
  const undrawable = { name: 'UndrawableError' };
  await expect(drawing.draw(mistake, { text: '' })).rejects.toMatchObject({ ...undrawable, message: 'the description has a mistake' });
  await expect(drawing.draw(note, { text: '', photo: Buffer.from('no image') })).rejects.toMatchObject(undrawable);
  const data = { text: '', photo: (() => 1) as never };
  await expect(drawing.draw(note, data)).rejects.toMatchObject(undrawable);
  expect(await titleOf(await drawing.draw(note, { text: 'after them' }))).toBe('after them');
});

test('a page that crashes the thread twice fails; the next thread draws the other pages', async () => {
  const [first, deadly, last] = await Promise.allSettled([
    drawing.draw(note, { text: 'before' }),
    drawing.draw(death, { text: '' }),
    drawing.draw(note, { text: 'behind' }),
  ]);
  expect(deadly).toMatchObject({ status: 'rejected', reason: { name: 'UndrawableError' } });
  expect([first.status, last.status]).toEqual(['fulfilled', 'fulfilled']);
});

test('a missing module is no error of the page', async () => {
  const absent = defineDrawnDocument(new URL('./absent.ts', import.meta.url).href, describeNote);
  await expect(drawing.draw(absent, { text: '' })).rejects.toMatchObject({ name: 'DrawingUnavailableError' });
});

test('closing fails the waiting pages and later ones', async () => {
  const waiting = Promise.allSettled([drawing.draw(note, { text: 'one' }), drawing.draw(note, { text: 'two' })]);
  await drawing.close();
  expect((await waiting).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  await expect(drawing.draw(note, { text: 'three' })).rejects.toMatchObject({ name: 'DrawingUnavailableError' });
});
