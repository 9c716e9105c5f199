import { mock } from 'node:test';
import { PDFDocument } from '@cantoo/pdf-lib';
import { type PdfDefinition, renderPdf } from '../../../src/platform/pdf/render-pdf.ts';

const letters = 'Әә Ғғ Ққ Ңң Өө Ұұ Үү Һһ Іі Ёё';
const definition: PdfDefinition = {
  title: 'Ұлттық куәлік',
  createdAt: new Date('2026-03-01T00:00:00+05:00'),
  content: [
    { text: letters },
    { text: letters, bold: true },
    { text: letters, italics: true },
    { qr: 'https://registry.example.kz/v/token' },
  ],
};

describe('rendering a PDF', () => {
  it('gives the same bytes for the same content and date', async () => {
    const [first, second] = [await renderPdf(definition), await renderPdf(definition)];
    expect(second.equals(first)).toBe(true);
    const document = await PDFDocument.load(first, { updateMetadata: false });
    expect(document.getTitle()).toBe('Ұлттық куәлік');
    expect(document.getCreationDate()).toEqual(definition.createdAt);
    expect(document.getPageCount()).toBe(1);
  });

  it('renders many documents in parallel without mixing them', async () => {
    const titles = Array.from({ length: 8 }, (_, index) => `№ ${index}`);
    const rendered = await Promise.all(titles.map((title) => renderPdf({ ...definition, title, content: [{ text: title }] })));
    const read = await Promise.all(rendered.map(async (bytes) => (await PDFDocument.load(bytes)).getTitle()));
    expect(read).toEqual(titles);
  });

  it('writes nothing to the console', async () => {
    const warn = mock.method(console, 'warn', () => undefined);
    await renderPdf(definition);
    expect(warn.mock.callCount()).toBe(0);
    warn.mock.restore();
  });

  it.each(['/etc/passwd', 'http://127.0.0.1:1/image.png', './package.json', 'file:///etc/passwd'])(
    'does not fetch the image %s',
    async (image) => {
      await expect(renderPdf({ ...definition, content: [{ image }] })).rejects.toThrow(/denied by resource access policy/);
    },
  );

  it('embeds no file from the disk', async () => {
    await expect(renderPdf({ ...definition, files: { secret: { src: '/etc/passwd' } } })).rejects.toThrow(
      /denied by resource access policy/,
    );
  });
});
