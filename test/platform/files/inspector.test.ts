import { type PDFDocument, PDFName, PDFString } from '@cantoo/pdf-lib';
import sharp from 'sharp';
import { execFileSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { access, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { getPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { InspectionUse } from '../../../src/platform/inspector/inspection-use.ts';
import type { Inspection } from '../../../src/platform/inspector/inspection.ts';
import {
  createInspector,
  InspectionBudgetError,
  type Inspector,
  InspectorUnavailableError,
  TooManyWaitingError,
} from '../../../src/platform/inspector/inspector.ts';
import { waitFor } from '../../support/wait-for.ts';
import {
  addLink,
  harmlessCatalog,
  onOpen,
  pageTree,
  pdfWith,
  pixelBomb,
  rawPdf,
  scannedPdf,
  script,
  stream,
  taggedPhoto,
} from './hostile-files.ts';

let folder: string;
let inspector: Inspector;
let files = 0;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'inspector-'));
  inspector = createInspector({ concurrency: 1 });
});
afterAll(async () => {
  await inspector.close();
  await rm(folder, { recursive: true });
});

const place = async (bytes: Buffer) => {
  const path = join(folder, `in-${(files += 1)}`);
  await writeFile(path, bytes);
  return { path, outPath: `${path}.out`, owner: 'an-account', network: null };
};
const inspect = async (bytes: Buffer): Promise<Inspection> => inspector.inspect(await place(bytes));
/** Short work for a decoder. */
const slowImage = () => pixelBomb(5000, 8000);
const exists = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  );
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

// FIL-1, FIL-2
describe('images', () => {
  it.each(['jpeg', 'png', 'webp'] as const)('keeps only the pixels of a %s', async (format) => {
    const original = await taggedPhoto(format);
    expect(original.includes('SecretCamera')).toBe(true);
    const request = await place(original);
    const inspection = await inspector.inspect(request);
    const stored = await readFile(request.outPath);
    expect(inspection).toEqual({
      ok: true,
      mime: `image/${format}`,
      width: 320,
      height: 200,
      size: stored.length,
      sha256: sha256(stored),
      path: request.outPath,
    });
    const facts = await sharp(stored).metadata();
    expect(facts).toMatchObject({ format, width: 320, height: 200 });
    for (const kind of ['exif', 'icc', 'iptc', 'xmp', 'orientation'] as const) expect(facts[kind]).toBeUndefined();
    expect(stored.includes('SecretCamera')).toBe(false);
    expect(await readFile(request.path)).toEqual(original);
  });

  it('rotates a photo upright', async () => {
    expect(await inspect(await taggedPhoto('jpeg', { orientation: 6 }))).toMatchObject({ ok: true, width: 200, height: 320 });
  });

  it.each(['png', 'webp'] as const)('keeps the transparency of a %s signature', async (format) => {
    const request = await place(
      await sharp({ create: { width: 20, height: 10, channels: 4, background: { r: 0, g: 0, b: 200, alpha: 0.25 } } })
        .toFormat(format)
        .toBuffer(),
    );
    expect(await inspector.inspect(request)).toMatchObject({ ok: true });
    const { data, info } = await sharp(request.outPath).raw().toBuffer({ resolveWithObject: true });
    expect(info.channels).toBe(4);
    expect(data[3]).toBe(64);
  });

  it.each(['png', 'webp'] as const)('reports on request how much of a %s is transparent', async (format) => {
    const background = { r: 0, g: 0, b: 0, alpha: 0 };
    // A quarter is faint and counts as visible.
    const faint = await sharp({ create: { width: 25, height: 40, channels: 4, background: { ...background, alpha: 0.02 } } })
      .png()
      .toBuffer();
    const image = await sharp({ create: { width: 100, height: 40, channels: 4, background } })
      .composite([{ input: faint, left: 0, top: 0 }])
      .toFormat(format)
      .toBuffer();
    const measured = { ...(await place(image)), measuresTransparency: true };
    expect(await inspector.inspect(measured)).toMatchObject({ ok: true, transparentShare: 0.75 });
    const opaque = { ...(await place(await taggedPhoto(format))), measuresTransparency: true };
    expect(await inspector.inspect(opaque)).toMatchObject({ ok: true, transparentShare: 0 });
  });

  it('converts a CMYK photo and a 16-bit scan to a common format', async () => {
    for (const bytes of [
      await sharp(await taggedPhoto('jpeg'))
        .toColourspace('cmyk')
        .jpeg()
        .toBuffer(),
      await sharp(await taggedPhoto('png'))
        .toColourspace('rgb16')
        .png()
        .toBuffer(),
    ]) {
      const request = await place(bytes);
      expect(await inspector.inspect(request)).toMatchObject({ ok: true });
      expect(await sharp(request.outPath).metadata()).toMatchObject({ space: 'srgb', depth: 'uchar' });
    }
  });

  it('keeps one frame of an animation', async () => {
    const frames = await sharp(Buffer.concat([Buffer.alloc(20 * 20 * 3, 7), Buffer.alloc(20 * 20 * 3, 200)]), {
      raw: { width: 20, height: 40, channels: 3, pageHeight: 20 },
    })
      .webp({ loop: 0, delay: [50, 50] })
      .toBuffer();
    expect((await sharp(frames).metadata()).pages).toBe(2);
    const request = await place(frames);
    expect(await inspector.inspect(request)).toMatchObject({ ok: true, width: 20, height: 20 });
    expect((await sharp(request.outPath).metadata()).pages ?? 1).toBe(1);
  });

  it('removes hidden data in or after an image', async () => {
    const script = Buffer.from('<script>alert(1)</script>');
    const request = await place(Buffer.concat([await taggedPhoto('jpeg'), await scannedPdf(), script]));
    expect(await inspector.inspect(request)).toMatchObject({ ok: true, mime: 'image/jpeg' });
    const stored = await readFile(request.outPath);
    expect(stored.includes('%PDF')).toBe(false);
    expect(stored.includes(script)).toBe(false);
  });

  it.each(['jpeg', 'png', 'webp'] as const)('refuses half a %s and leaves no file', async (format) => {
    const whole = await taggedPhoto(format);
    const request = await place(whole.subarray(0, Math.floor(whole.length * 0.6)));
    expect(await inspector.inspect(request)).toMatchObject({ ok: false, code: 'image_unreadable' });
    expect(await exists(request.outPath)).toBe(false);
  });

  it.each([
    ['image/jpeg', Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 16, 0x4a, 0x46, 0x49, 0x46, 0])],
    ['image/png', pixelBomb(8, 8).subarray(0, 45)],
    ['image/webp', Buffer.from('RIFF\x24\0\0\0WEBPVP8 ', 'latin1')],
  ])('refuses only the start of %s', async (_type, bytes) => {
    expect(await inspect(Buffer.concat([bytes, randomBytes(300)]))).toMatchObject({ ok: false, code: 'image_unreadable' });
  });

  it('accepts a JPEG without its end marker, and refuses one that lost more', async () => {
    const whole = await sharp(await taggedPhoto('jpeg'))
      .jpeg()
      .toBuffer();
    const progressive = await sharp(whole).jpeg({ progressive: true }).toBuffer();
    for (const bytes of [whole, progressive]) {
      expect(await inspect(bytes.subarray(0, -2))).toMatchObject({ ok: true, width: 320, height: 200 });
      expect(await inspect(bytes.subarray(0, -200))).toMatchObject({ ok: false, code: 'image_unreadable' });
    }
  });

  it('halves a JPEG of 40 to 120 million pixels until it has 16 million, upright', async () => {
    const flat = (width: number, height: number) =>
      sharp({ create: { width, height, channels: 3, background: '#58a' } })
        .withMetadata({ orientation: 6 })
        .jpeg({ quality: 20 })
        .toBuffer();
    expect(await inspect(await flat(8000, 6000))).toMatchObject({ ok: true, width: 3000, height: 4000 });
    expect(await inspect(await flat(12_000, 10_000))).toMatchObject({ ok: true, width: 2500, height: 3000 });
    expect(await inspect(await flat(12_001, 10_000))).toMatchObject({ ok: false, code: 'image_too_large' });
  });

  it.each([
    ['4:4:4', 8200, 8000, true],
    ['4:4:4', 8500, 8000, false],
    ['4:2:0', 12_000, 10_000, true],
  ] as const)('decodes a progressive JPEG in %s of %d x %d pixels within its memory: %s', async (chromaSubsampling, width, height, ok) => {
    const options = { progressive: true, quality: 20, chromaSubsampling };
    const image = sharp({ create: { width, height, channels: 3, background: '#58a' } });
    const inspection = await inspect(await image.jpeg(options).toBuffer());
    expect(inspection).toMatchObject(
      ok ? { ok } : { ok, code: 'image_too_large', found: 'progressive', message: expect.stringContaining('baseline JPEG') },
    );
  });

  it('refuses a pixel bomb without decoding it, and accepts images within the limit', async () => {
    expect(await inspect(pixelBomb(30_000, 30_000))).toMatchObject({ ok: false, code: 'image_too_large' });
    expect(await inspect(pixelBomb(4000, 10_001))).toMatchObject({ ok: false, code: 'image_too_large' });
    expect(await inspect(pixelBomb(4000, 10_000))).toMatchObject({ ok: true, width: 4000, height: 10_000 });
    expect(await inspect(pixelBomb(1, 10_000_000))).toMatchObject({ ok: false, code: 'image_side_too_long' });
    expect(await inspect(pixelBomb(20_001, 1))).toMatchObject({ ok: false, code: 'image_side_too_long' });
    expect(await inspect(pixelBomb(1, 20_000))).toMatchObject({ ok: true, width: 1, height: 20_000 });
  });
});

describe('other files', () => {
  it.each<[string, Buffer]>([
    ['a page', Buffer.from('<!doctype html><html><script>alert(1)</script></html>')],
    ['an SVG', Buffer.from('<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>')],
    ['a ZIP', Buffer.from('UEsFBgAAAAAAAAAAAAAAAAAAAAAAAA==', 'base64')],
    ['a GIF', Buffer.from('R0lGODlhAQABAAAAACw=', 'base64')],
    ['a TIFF', Buffer.from('49492a0008000000', 'hex')],
    ['PostScript', Buffer.from('%!PS-Adobe-3.0 EPSF-3.0\n')],
    ['text', Buffer.from('hello')],
    ['one byte', Buffer.from([0xff])],
    ['noise', randomBytes(5000)],
    ['a PDF behind 1,024 other bytes', Buffer.concat([Buffer.alloc(1024, 0x07), rawPdf({ 1: harmlessCatalog, ...pageTree })])],
    ['a page before a PDF', Buffer.concat([Buffer.from('<html><script>alert(1)</script>'), rawPdf({ 1: harmlessCatalog, ...pageTree })])],
  ])('refuses %s', async (_what, bytes) => {
    expect(await inspect(bytes)).toMatchObject({ ok: false, code: 'unsupported_type', message: expect.stringContaining('JPEG') });
  });

  it('refuses an empty file', async () => {
    expect(await inspect(Buffer.alloc(0))).toMatchObject({ ok: false, code: 'file_empty' });
  });

  it('distinguishes a failing machine from a bad file', async () => {
    await expect(
      inspector.inspect({ path: join(folder, 'nowhere'), outPath: join(folder, 'out'), owner: 1, network: null }),
    ).rejects.toThrow(InspectorUnavailableError);
    const request = await place(await taggedPhoto('jpeg'));
    await expect(inspector.inspect({ ...request, outPath: join(folder, 'no', 'such', 'folder') })).rejects.toThrow(
      InspectorUnavailableError,
    );
  });
});

const handwritten = () => rawPdf({ 1: harmlessCatalog, ...pageTree });

describe('accepted PDFs', () => {
  it.each<[string, number, () => Promise<Buffer> | Buffer]>([
    ['a scan', 2, () => scannedPdf(2)],
    ['one without object streams', 1, () => pdfWith(() => undefined, false)],
    ['one written by hand', 1, () => rawPdf({ 1: harmlessCatalog, ...pageTree })],
    [
      'one with a form to fill in and a link',
      1,
      () =>
        pdfWith((document) => {
          document.getForm().createTextField('name').addToPage(document.getPage(0));
          addLink(document, { S: 'URI', URI: PDFString.of('https://example.kz/JavaScript/Launch') });
          onOpen(document, { S: 'GoTo', D: [document.getPage(0).ref, 'Fit'], Next: { S: 'Named', N: 'FirstPage' } });
        }),
    ],
    [
      'one with a clicked link to another document',
      1,
      () => pdfWith((document) => addLink(document, { S: 'GoToR', F: PDFString.of('a.pdf'), D: [0, 'Fit'] })),
    ],
    ['one that opens without a password', 1, () => pdfWith((document) => document.encrypt({ ownerPassword: 'secret' }))],
    ['one behind a printer\u2019s commands', 1, () => Buffer.concat([Buffer.from('\x1b%-12345X@PJL SET COPIES=1\r\n'), handwritten()])],
    ['one behind 1,023 other bytes', 1, () => Buffer.concat([Buffer.alloc(1023, 0x07), handwritten()])],
    ['one without any types', 1, () => rawPdf({ 1: '<< /Pages 2 0 R >>', 2: '<< /Kids [3 0 R] /Count 1 >>', 3: '<< /Parent 2 0 R >>' })],
    [
      'one that talks about scripts',
      1,
      () =>
        pdfWith((document) => {
          document.setTitle('About /JavaScript, /JS and /Launch in PDF (obj)');
          document.getPage(0).drawText('7 0 objects of /EmbeddedFile (and /JS)');
        }, false),
    ],
    [
      'one with binary data full of the words',
      1,
      () =>
        rawPdf({
          1: harmlessCatalog,
          ...pageTree,
          4: stream('/Type /XObject', Buffer.concat([randomBytes(200), Buffer.from(' /JS /JavaScript obj /Launch '), randomBytes(200)])),
        }),
    ],
  ])('%s', async (_what, pages, make) => {
    const bytes = await make();
    const request = await place(bytes);
    expect(await inspector.inspect(request)).toEqual({
      ok: true,
      mime: 'application/pdf',
      pages,
      size: bytes.length,
      sha256: sha256(bytes),
      path: request.path,
    });
    expect(await exists(request.outPath)).toBe(false);
  });
});

const webPage = { S: 'URI', URI: PDFString.of('https://example.kz/') };
const scriptAction = '<< /S /JavaScript /JS (app.alert\\(1\\)) >>';

// FIL-2
describe('PDFs with actions', () => {
  it.each<[string, () => Promise<Buffer> | Buffer]>([
    ['a script when opened, in an object stream', () => pdfWith((document) => onOpen(document, { S: 'JavaScript', JS: script }))],
    ['a script in the name tree', () => pdfWith((document) => document.addJavaScript('main', 'app.alert(1)'))],
    [
      'a script when a page is shown',
      () =>
        pdfWith((document) => document.getPage(0).node.set(PDFName.of('AA'), document.context.obj({ O: { S: 'JavaScript', JS: script } }))),
    ],
    ['a launched program', () => pdfWith((document) => onOpen(document, { S: 'Launch', F: PDFString.of('cmd.exe') }), false)],
    ['an embedded file', () => pdfWith((document) => document.attach(Buffer.from('MZ'), 'a.exe'))],
    ['a sent form', () => pdfWith((document) => onOpen(document, { S: 'SubmitForm' }))],
    ['imported data', () => pdfWith((document) => onOpen(document, { S: 'ImportData' }))],
    ['a way into an embedded file', () => pdfWith((document) => onOpen(document, { S: 'GoToE' }))],
    ['a way into another file when opened', () => pdfWith((document) => onOpen(document, { S: 'GoToR', F: PDFString.of('a.pdf') }))],
    [
      'a way into another file when a page is shown',
      () =>
        pdfWith((document) =>
          document.getPage(0).node.set(PDFName.of('AA'), document.context.obj({ O: { S: 'GoToR', F: PDFString.of('a.pdf') } } as never)),
        ),
    ],
    ['a page of the web when opened', () => pdfWith((document) => onOpen(document, webPage))],
    [
      'the same by reference, in an object stream',
      () => pdfWith((document) => onOpen(document, document.context.register(document.context.obj(webPage as never)))),
    ],
    [
      'the same at the end of a chain',
      () =>
        pdfWith((document) =>
          onOpen(document, {
            S: 'GoTo',
            D: [0],
            Next: [
              { S: 'Named', N: 'NextPage' },
              { S: 'Hide', Next: webPage },
            ],
          }),
        ),
    ],
    [
      'the same when the document is closed',
      () => pdfWith((document) => document.catalog.set(PDFName.of('AA'), document.context.obj({ WC: webPage } as never))),
    ],
    [
      'the same when a page is shown',
      () => pdfWith((document) => document.getPage(0).node.set(PDFName.of('AA'), document.context.obj({ O: webPage } as never))),
    ],
    [
      'the same when an annotation comes into view',
      () => pdfWith((document) => addLink(document, { S: 'GoTo', D: [0] }, { AA: { PV: { S: 'Trans', Next: webPage } } })),
    ],
    [
      'the same when a field is left',
      () =>
        pdfWith((document) => {
          const field = document.getForm().createTextField('name');
          field.addToPage(document.getPage(0));
          field.acroField.dict.set(PDFName.of('AA'), document.context.obj({ Bl: webPage } as never));
        }),
    ],
    [
      'the same with escaped names',
      () => rawPdf({ 1: '<< /Type /Catalog /Pages 2 0 R /Open#41ction << /#53 /U#52I /#55RI (http://x) >> >>', ...pageTree }),
    ],
    [
      'the same, the kind of action named by reference',
      () => rawPdf({ 1: '<< /Type /Catalog /Pages 2 0 R /OpenAction << /S 4 0 R >> >>', ...pageTree, 4: '/URI' }),
    ],
    [
      'the same behind a harmless action by the same key',
      () =>
        rawPdf({
          1: '<< /Type /Catalog /Pages 2 0 R /OpenAction [3 0 R /Fit] /OpenAction 4 0 R >>',
          ...pageTree,
          4: '<< /S /URI /URI (http://x) >>',
        }),
    ],
    [
      'the same, overwritten by a harmless action of the same number',
      () =>
        Buffer.concat([
          rawPdf({ 1: '<< /Type /Catalog /Pages 2 0 R /OpenAction 4 0 R >>', ...pageTree, 4: '<< /S /URI /URI (http://x) >>' }),
          Buffer.from('4 0 obj\n<< /S /GoTo >>\nendobj\n'),
        ]),
    ],
    [
      'the same in words that no grammar has',
      () => rawPdf({ 1: '<< /Type /Catalog /Pages 2 0 R /X endobj /OpenAction << /S /URI >> >>', ...pageTree }),
    ],
    ['a film when opened', () => pdfWith((document) => onOpen(document, { S: 'Movie' }))],
    [
      'a link whose address is a script in escapes',
      () => rawPdf({ 1: harmlessCatalog, ...pageTree, 4: '<< /A << /S /URI /URI (\\152ava\\nscript:alert\\(1\\)) >> >>' }),
    ],
    [
      'rich media',
      () => pdfWith((document) => document.getPage(0).node.set(PDFName.of('Annots'), document.context.obj([{ Subtype: 'RichMedia' }]))),
    ],
    ['an XFA form', () => rawPdf({ 1: '<< /Type /Catalog /Pages 2 0 R /AcroForm << /XFA 4 0 R >> >>', ...pageTree, 4: '[]' })],
    [
      'a link whose address is a script',
      () => pdfWith((document) => onOpen(document, { S: 'URI', URI: PDFString.of(' JavaScript:alert(1)') })),
    ],
    [
      'the same in hexadecimal',
      () =>
        rawPdf({
          1: `<< /Type /Catalog /Pages 2 0 R /OpenAction << /S /URI /URI <${Buffer.from('javascript:x').toString('hex')}> >> >>`,
          ...pageTree,
        }),
    ],
    [
      'an escaped name',
      () => rawPdf({ 1: '<< /Type /Catalog /Pages 2 0 R /OpenAction << /S /J#61vaScr#69pt /J#53 (x) >> >>', ...pageTree }),
    ],
    [
      'an action named by reference',
      () => rawPdf({ 1: '<< /Type /Catalog /Pages 2 0 R /OpenAction << /S 4 0 R >> >>', ...pageTree, 4: '/Launch' }),
    ],
    ['a key written twice', () => rawPdf({ 1: '<< /Type /Catalog /Pages 2 0 R /OpenAction << /S /Launch /S /GoTo >> >>', ...pageTree })],
    [
      'an object overwritten by a later one, to which the table points all the same',
      () =>
        Buffer.concat([
          rawPdf({ 1: '<< /Type /Catalog /Pages 2 0 R /OpenAction 4 0 R >>', ...pageTree, 4: scriptAction }),
          Buffer.from('4 0 obj\nnull\nendobj\n'),
        ]),
    ],
    [
      'an object within the bytes of a stream',
      () =>
        rawPdf(
          { 1: '<< /Type /Catalog /Pages 2 0 R /OpenAction 5 0 R >>', ...pageTree, 4: stream('', `5 0 obj\n${scriptAction}\nendobj`) },
          { offsets: { 5: '5 0 obj' } },
        ),
    ],
    ...['%x', '%x (%) %', '%x\n%y', '%x\n  % y', `%${'x'.repeat(9000)}`, '%x\r% 1\r%\r'].map((comment): [string, () => Buffer] => [
      `a header broken up by the comment ${JSON.stringify(comment.slice(0, 20))}`,
      () =>
        rawPdf(
          {
            1: '<< /Type /Catalog /Pages 2 0 R /OpenAction 5 0 R >>',
            ...pageTree,
            4: stream('', `5 0 ${comment}\nobj\n${scriptAction}\nendobj`),
          },
          { offsets: { 5: '5 0 %' } },
        ),
    ]),
    [
      'an object stream without its type',
      () => {
        const content = `4 0 ${scriptAction}`;
        return rawPdf({ 1: harmlessCatalog, ...pageTree, 5: stream('/N 1 /First 4 /Filter /FlateDecode', deflateSync(content)) });
      },
    ],
    [
      'words after a stray endobj',
      () => rawPdf({ 1: `<< /Type /Catalog /Pages 2 0 R /X endobj /OpenAction ${scriptAction} >>`, ...pageTree }),
    ],
    [
      'a trailer that brings its own catalog',
      () => rawPdf({ 1: harmlessCatalog, ...pageTree }, { trailer: `/Root << /Pages 2 0 R /OpenAction ${scriptAction} >>` }),
    ],
  ])('%s', async (_what, make) => {
    expect(await inspect(await make())).toMatchObject({ ok: false, code: 'pdf_active_content' });
  });
});

// FIL-2
describe('PDFs that open without a password are searched like others', () => {
  const lock = (document: PDFDocument) => document.encrypt({ ownerPassword: 'secret' });

  it.each<[string, string, () => Promise<Buffer>]>([
    [
      'a script in an encrypted object stream',
      'script',
      () =>
        pdfWith((document) => {
          onOpen(document, { S: 'JavaScript', JS: script });
          lock(document);
        }),
    ],
    [
      'a script as an encrypted address',
      'script',
      () =>
        pdfWith((document) => {
          addLink(document, { S: 'URI', URI: PDFString.of('javascript:alert(1)') });
          lock(document);
        }, false),
    ],
    [
      'an attached file',
      'attachment',
      () =>
        pdfWith(async (document) => {
          await document.attach(Buffer.from('MZ'), 'a.exe');
          lock(document);
        }),
    ],
  ])('%s', async (_what, found, make) => {
    expect(await inspect(await make())).toMatchObject({ ok: false, code: 'pdf_active_content', found });
  });

  it('refuses two encryptions, which programs would read differently', async () => {
    const locked = await pdfWith(lock, false);
    const other = await pdfWith(lock, false);
    expect(await inspect(Buffer.concat([locked, other]))).toMatchObject({ ok: false, code: 'pdf_encrypted' });
  });
});

describe('refusals name what to do', () => {
  const heic = Buffer.from('0000001c66747970686569630000000068656963686569786d696631', 'hex');
  it.each<[string, string, () => Promise<Buffer> | Buffer]>([
    ['a photo as HEIC', 'export the photo as JPEG', () => Buffer.concat([heic, randomBytes(500)])],
    ['a form with scripts', 'print it to PDF', () => pdfWith((document) => document.addJavaScript('main', 'app.alert(1)'))],
    ['attachments', 'send each attachment as a file of its own', () => pdfWith((document) => document.attach(Buffer.from('a'), 'a.txt'))],
    ['a program that starts', 'print it to PDF', () => pdfWith((document) => onOpen(document, { S: 'Launch' }))],
  ])('%s', async (_what, advice, make) => {
    expect(await inspect(await make())).toMatchObject({ ok: false, message: expect.stringContaining(advice) });
  });
});

describe('unreadable PDFs', () => {
  it('PDFs that need a password', async () => {
    const locked = await pdfWith((document) => document.encrypt({ userPassword: 'secret', ownerPassword: 'secret' }));
    expect(await inspect(locked)).toMatchObject({ ok: false, code: 'pdf_encrypted' });
  });

  it.each<[string, () => Promise<Buffer> | Buffer]>([
    ['noise after the header', () => Buffer.concat([Buffer.from('%PDF-1.7\n'), randomBytes(2000)])],
    ['only a header', () => Buffer.from('%PDF-1.7\n')],
    [
      'a page tree whose branches share their branches',
      () =>
        rawPdf({
          1: harmlessCatalog,
          ...Object.fromEntries(
            Array.from({ length: 60 }, (_, index) => [index + 2, `<< /Type /Pages /Kids [${index + 3} 0 R ${index + 3} 0 R] >>`]),
          ),
          62: '<< /Type /Page >>',
        }),
    ],
    ['no pages', () => rawPdf({ 1: harmlessCatalog, 2: '<< /Type /Pages /Kids [] /Count 0 >>' })],
    ['a page tree that is its own child', () => rawPdf({ 1: harmlessCatalog, 2: '<< /Type /Pages /Kids [2 0 R] /Count 1 >>' })],
    ['arrays without end', () => rawPdf({ 1: harmlessCatalog, 2: '['.repeat(500_000) })],
    ['the first half of a scan', async () => (await scannedPdf()).subarray(0, 2000)],
    [
      'an object stream packed twice',
      () =>
        rawPdf({
          1: harmlessCatalog,
          ...pageTree,
          5: stream('/Type /ObjStm /N 1 /First 4 /Filter [/FlateDecode /FlateDecode]', deflateSync(deflateSync('4 0 null'))),
        }),
    ],
    [
      'an object stream that unpacks to hundreds of megabytes',
      () =>
        rawPdf({
          1: harmlessCatalog,
          ...pageTree,
          5: stream('/Type /ObjStm /N 1 /First 4 /Filter /FlateDecode', deflateSync(Buffer.alloc(300 * 1024 * 1024, 32))),
        }),
    ],
    [
      'a damaged object stream',
      () => {
        const packed = deflateSync(`4 0 ${scriptAction}${' '.repeat(50)}`);
        return rawPdf({
          1: harmlessCatalog,
          ...pageTree,
          5: stream('/Type /ObjStm /N 1 /First 4 /Filter /FlateDecode', packed.subarray(0, -6)),
        });
      },
    ],
    [
      'an object that begins within a string',
      () => {
        const content = '4 0 5 1 (null  ) ';
        return rawPdf({
          1: harmlessCatalog,
          ...pageTree,
          6: stream('/Type /ObjStm /N 2 /First 8 /Filter /FlateDecode', deflateSync(content)),
        });
      },
    ],
  ])('%s', async (_what, make) => {
    expect(await inspect(await make())).toMatchObject({ ok: false, code: 'pdf_unreadable' });
  });
});

describe('the processes', () => {
  const childrenOf = () =>
    execFileSync('ps', ['-o', 'pid=,args=', '--ppid', String(process.pid)])
      .toString()
      .split('\n')
      .filter((line) => line.includes('inspector-process'));

  it('stops a file that takes too long, and continues with the next', async () => {
    const hasty = createInspector({ concurrency: 1, timeoutMs: 10 });
    const slow = await place(slowImage());
    const quick = await place(Buffer.alloc(0));
    const [first, second] = await Promise.all([hasty.inspect(slow), hasty.inspect(quick)]);
    expect(first).toMatchObject({ ok: false, code: 'inspection_timeout' });
    expect(second).toMatchObject({ ok: false, code: expect.stringMatching('file_empty|inspection_timeout') });
    expect(await exists(slow.outPath)).toBe(false);
    await hasty.close();
  });

  it('inspects many files in parallel, each with its own answer', async () => {
    const pair = createInspector({ concurrency: 2, maxWaitingOfOwner: 24 });
    const widths = Array.from({ length: 24 }, (_, index) => index + 1);
    const answers = await Promise.all(widths.map(async (width) => pair.inspect(await place(pixelBomb(width, 3)))));
    expect(answers.map((answer) => answer.ok && answer.width)).toEqual(widths);
    await pair.close();
  });

  it('answers a file of many broken objects by its steps, and the small image behind ten of them', async () => {
    const pair = createInspector();
    const bytes = Buffer.from(`%PDF-1.7\n${'1 0 obj('.repeat(25_000)}`);
    const hostile = await Promise.all(Array.from({ length: 10 }, async (_, owner) => ({ ...(await place(bytes)), owner })));
    const answers = hostile.map((job) => pair.inspect(job));
    expect(await pair.inspect({ ...(await place(await taggedPhoto('jpeg'))), owner: 'another' })).toMatchObject({ ok: true });
    for (const answer of await Promise.all(answers)) expect(answer).toMatchObject({ ok: false, code: 'pdf_too_complex' });
    await pair.close();
  });

  it('inspects the file of a new account after at most one inspection, while ten accounts use every process', async () => {
    const pair = createInspector({ timeoutMs: 3000, shortMs: 300 });
    const flat = { create: { width: 8000, height: 5000, channels: 4, background: { r: 1, g: 2, b: 3, alpha: 0.5 } } } as const;
    // A few bytes that take seconds to encode again.
    const bytes = await sharp(flat).webp({ lossless: true, effort: 0 }).toBuffer();
    const stop = new AbortController();
    let answered = 0;
    const attack = async (owner: number) => {
      const job = { ...(await place(bytes)), owner, network: '203.0.113.1', signal: stop.signal };
      while (!stop.signal.aborted) {
        await pair.inspect(job).catch(() => undefined);
        answered += 1;
      }
    };
    const attacks = Array.from({ length: 10 }, (_, owner) => attack(owner));
    const untilAnswered = (count: number) =>
      waitFor(
        () => answered,
        (seen) => seen >= count,
        'the attackers to use their time',
      );
    // The first comes when the attackers have used little, the others later.
    for (const owner of ['first', 'second', 'third']) {
      const before = answered;
      const network = owner === 'third' ? '203.0.113.1' : '198.51.100.1';
      const job = { ...(await place(await taggedPhoto('jpeg'))), owner, network };
      expect(await pair.inspect(job)).toMatchObject({ ok: true });
      // In a queue without turns all ten would go first. A slow machine may finish some short ones beside the file.
      expect(answered - before).toBeLessThan(10);
      await untilAnswered(answered + 2);
    }
    stop.abort();
    await Promise.all(attacks);
    await pair.close();
  });

  it('refuses only the account that has used its time', async () => {
    const strict = createInspector({ budgetMs: 1 });
    const request = { ...(await place(await taggedPhoto('jpeg'))), network: '203.0.113.1' };
    expect(await strict.inspect({ ...request, owner: 'greedy' })).toMatchObject({ ok: true });
    const refused = await strict.inspect({ ...request, owner: 'greedy' }).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(InspectionBudgetError);
    expect(await strict.inspect({ ...request, owner: 'neighbour' })).toMatchObject({ ok: true });
    await strict.close();
  });

  it('counts the time of an abandoned file too', async () => {
    const strict = createInspector({ budgetMs: 1 });
    const controller = new AbortController();
    const request = await place(slowImage());
    const dropped = strict.inspect({ ...request, signal: controller.signal });
    setTimeout(() => controller.abort(new Error('gone')), 20);
    await expect(dropped).rejects.toThrow('gone');
    await expect(strict.inspect(request)).rejects.toBeInstanceOf(InspectionBudgetError);
    await strict.close();
  });

  it('leaves some time to each account of a network that has used its time', () => {
    const use = new InspectionUse(1000);
    const [network, elsewhere] = ['203.0.113.1', '198.51.100.1'];
    for (let owner = 0; owner < 11; owner += 1) use.charge({ owner, network }, 950);
    expect(use.waitOf({ owner: 0, network })).toBeGreaterThan(0);
    expect(use.waitOf({ owner: 0, network: elsewhere })).toBe(0);
    expect(use.waitOf({ owner: 'fresh', network })).toBe(0);
    expect(use.rank({ owner: 'fresh', network })).toBeGreaterThan(use.rank({ owner: 'fresh', network: elsewhere }));
    expect(use.rank({ owner: 'fresh', network })).toBeLessThan(use.rank({ owner: 1, network }));
  });

  it('runs at a lower priority than the service', async () => {
    const low = createInspector({ concurrency: 1 });
    await low.inspect(await place(Buffer.from('text')));
    const line = childrenOf().at(-1) ?? '';
    expect(getPriority(Number.parseInt(line, 10))).toBeGreaterThan(getPriority());
    await low.close();
  });

  it('refuses no file because its process was killed', async () => {
    await inspector.close();
    const before = childrenOf();
    const victim = createInspector({ concurrency: 1 });
    const examined = victim.inspect(await place(slowImage())).catch((error: unknown) => error);
    const [line = ''] = await waitFor(
      () => childrenOf().filter((candidate) => !before.includes(candidate)),
      (started) => started.length > 0,
      'the process',
    );
    process.kill(Number.parseInt(line, 10), 'SIGKILL');
    expect(await examined).toBeInstanceOf(InspectorUnavailableError);
    expect(await victim.inspect(await place(await taggedPhoto('jpeg')))).toMatchObject({ ok: true });
    await victim.close();
    await expect(victim.inspect(await place(Buffer.from('x')))).rejects.toThrow(InspectorUnavailableError);
    expect(childrenOf()).toEqual([]);
  });

  it('refuses files over the limit of waiting ones', async () => {
    const narrow = createInspector({ concurrency: 1, maxWaiting: 1 });
    const request = await place(Buffer.from('text'));
    const all = await Promise.allSettled([1, 2, 3].map((owner) => narrow.inspect({ ...request, owner })));
    expect(all.map((one) => one.status)).toEqual(['fulfilled', 'fulfilled', 'rejected']);
    await narrow.close();
  });

  it('lets two files of an owner wait and refuses the third, while it accepts files of others', async () => {
    const pair = createInspector({ concurrency: 2 });
    const request = await place(Buffer.from('text'));
    const mine = [1, 2, 3, 4].map(() => pair.inspect({ ...request, owner: 'me' }));
    const yours = pair.inspect({ ...request, owner: 'you' });
    const settled = await Promise.allSettled([...mine, yours]);
    expect(settled.map((one) => one.status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
    await expect(mine[3]).rejects.toBeInstanceOf(TooManyWaitingError);
    await pair.close();
  });

  it('serves owners in turn, and leaves one process to the others', async () => {
    const pair = createInspector({ concurrency: 2, maxWaitingOfOwner: 10 });
    const order: string[] = [];
    const send = (owner: string, job: Awaited<ReturnType<typeof place>>) =>
      pair.inspect({ ...job, owner }).then((inspection) => {
        order.push(owner);
        return inspection;
      });
    const slow = await Promise.all([1, 2, 3].map(() => place(slowImage())));
    const quick = await place(Buffer.from('text'));
    // Both processes start before the test checks the order.
    await Promise.all(['one', 'other'].map((owner) => pair.inspect({ ...quick, owner })));
    const all = slow.map((job) => send('greedy', job));
    for (const owner of ['first', 'second', 'third']) all.push(send(owner, quick));
    await Promise.all(all);
    expect(order.filter((owner) => owner !== 'greedy')).toEqual(['first', 'second', 'third']);
    // The second process serves the others while the first one serves the files of the greedy owner.
    expect(order.indexOf('third')).toBeLessThan(order.lastIndexOf('greedy'));
    expect(order.at(-1)).toBe('greedy');
    await pair.close();
  });

  it('frees the turn of a disconnected client, waiting or running', async () => {
    await inspector.close();
    const one = createInspector({ concurrency: 1 });
    await one.inspect(await place(Buffer.from('text')));
    const [before] = childrenOf();
    const controller = new AbortController();
    const running = { ...(await place(slowImage())), signal: controller.signal };
    const waiting = { ...(await place(slowImage())), signal: controller.signal };
    const dropped = [one.inspect(running), one.inspect(waiting)];
    const next = one.inspect(await place(Buffer.from('text')));
    controller.abort(new Error('gone'));
    for (const job of await Promise.allSettled(dropped))
      expect(job).toMatchObject({ status: 'rejected', reason: controller.signal.reason });
    expect(await next).toMatchObject({ ok: false, code: 'unsupported_type' });
    expect(await exists(running.outPath)).toBe(false);
    expect(childrenOf()).toHaveLength(1);
    expect(childrenOf()).not.toEqual([before]);
    await expect(one.inspect(waiting)).rejects.toBe(controller.signal.reason);
    await one.close();
  });
});
