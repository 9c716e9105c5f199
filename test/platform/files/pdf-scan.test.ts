import { PDFDocument } from '@cantoo/pdf-lib';
import fc from 'fast-check';
import { deflateSync } from 'node:zlib';
import { scanPdf } from '../../../src/platform/inspector/pdf-scan.ts';
import { stepsFor } from '../../../src/platform/inspector/pdf-steps.ts';
import { harmlessCatalog, pageTree, pdfWith, rawPdf, scannedPdf, stream } from './hostile-files.ts';

/** Reads a PDF. @returns the work in steps, which are the same on any machine */
function read(bytes: Buffer) {
  const steps = stepsFor(bytes.length);
  const finding = scanPdf(bytes, steps);
  return { finding, steps: steps.spent };
}

const header = '%PDF-1.7\n';
const catalog = '1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj ';
const repeated =
  (unit: string, before = '', after = '') =>
  (size: number) =>
    Buffer.from(header + before + unit.repeat(Math.floor(size / unit.length)) + after, 'latin1');
const objectStream = (count: number, first: number, content: string | Buffer) =>
  Buffer.concat([
    Buffer.from('9 0 obj'),
    stream(`/Type /ObjStm /N ${count} /First ${first} /Filter /FlateDecode`, deflateSync(content)),
    Buffer.from(' endobj '),
  ]);

/** RC4 with 40 bits for an owner hash of zeros and no identifier; opens without a password. */
const encryption = `<</Filter/Standard/V 1/R 2/P 0/O<${'00'.repeat(32)}>/U<6111c794d454d715566d2a4ac2676855a3c0f7efb282d5b81222aa6ae3d2bf73>>>`;
const encrypted = (unit: string) =>
  repeated(
    unit,
    `${catalog}2 0 obj<</Kids[3 0 R]>>endobj 3 0 obj<</Type/Page>>endobj 8 0 obj${encryption}endobj `,
    'trailer<</Root 1 0 R/Encrypt 8 0 R>>',
  );

/** Files that are cheap to send and expensive to read, each for a size in bytes. */
const hostile: Record<string, (size: number) => Buffer> = {
  'strings that never end': repeated('1 0 obj('),
  'hexadecimal strings that never end': repeated('1 0 obj<'),
  'comments that never end': repeated('1 0 obj%'),
  'arrays that never end': repeated('1 0 obj['),
  'dictionaries that never end': repeated('1 0 obj<<'),
  'streams that never end': repeated('1 0 obj\n<< /A 1 >>\nstream\n'),
  'object streams that never end': repeated('1 0 obj<</Type/ObjStm/N 1/First 4>>stream\n'),
  'objects that never end': repeated('1 0 obj '),
  'headers in one word': repeated('1obj'),
  'headers behind comments': repeated('% %\nobj '),
  'headers behind one long line': repeated('% '.repeat(2000) + '\nobj'),
  'trailers that never end': repeated('trailer('),
  'openings that lead to each other': repeated('1 0 obj<</AA<</O 1 0 R>>>>'),
  'openings by a name that is looked for': repeated('1 0 obj<</OpenAction<</S 1 0 R>>>>'),
  'an opening that is an endless list': repeated('1 0 R ', '1 0 obj<</OpenAction<</Next[', ']>>>>'),
  'numbers without end': repeated('1 ', '1 0 obj<</AA['),
  'brackets within brackets': repeated('[', '1 0 obj<</AA'),
  'white space': repeated(' \n', '1 0 obj<</AA'),
  'names in escapes': repeated('/#41#41'),
  'a page that is shown again and again': repeated(
    '3 0 R ',
    `${catalog}2 0 obj<</Kids[`,
    ']>>endobj 3 0 obj<</Type/Page>>endobj trailer<</Root 1 0 R>>',
  ),
  'no catalog': repeated('1 0 obj<</Type/Page>>endobj ', '', 'trailer<</Root 1 0 R>>'),
  'encrypted strings': encrypted('4 0 obj(javascrypt:x)endobj '),
  'encrypted strings that never end': encrypted('4 0 obj('),
  'encrypted object streams that never end': encrypted('4 0 obj<</Type/ObjStm/N 1/First 4>>stream\n'),
  'encryptions to try': encrypted(`trailer<</Encrypt${encryption}>> `),
  'many small object streams': (size) =>
    Buffer.concat([Buffer.from(header), ...Array.from({ length: size / 100 }, () => objectStream(0, 0, ' '))]),
  'objects that all begin at one place': (size) => {
    const head = Array.from({ length: size / 20 }, (_, index) => `${index + 10} 0`).join(' ');
    return Buffer.concat([Buffer.from(header), objectStream(size / 20, head.length, `${head} [${'/AA '.repeat(size / 20)}]`)]);
  },
  'object streams within the empty blocks of each other': (size) => {
    const opening = Buffer.concat([
      Buffer.from('9 0 obj<</Type/ObjStm/N 0/First 0/Filter/FlateDecode>>stream\n'),
      Buffer.from('789c', 'hex'),
    ]);
    const block = Buffer.alloc(5);
    block.writeUInt16LE(opening.length, 1);
    block.writeUInt16LE(opening.length ^ 0xffff, 3);
    const nested = Array.from({ length: size / 300 }, () => [block, opening]).flat();
    const empty = Array.from({ length: size / 10 }, () => Buffer.from('000000ffff', 'hex'));
    return Buffer.concat([Buffer.from(header), opening, ...nested, ...empty]);
  },
  'object streams that unpack to a thousand times their size': (size) =>
    Buffer.concat([Buffer.from(header), objectStream(0, 0, Buffer.alloc(size * 100, ' '))]),
};

test('the encrypted shapes open', () => {
  expect(read(encrypted('%')(20)).finding).toEqual({ kind: 'clean', pages: 1 });
});

const small = 100_000;
/** The upper limit of steps: the budget for each byte, plus one more file until the reader notices. */
const mostSteps = (size: number) => 1_000_000 + 20 * size;

describe('the work of reading a PDF', () => {
  test.each(Object.entries(hostile))('grows linearly with the size: %s', (_shape, make) => {
    const [once, twice, fourTimes] = [1, 2, 4].map((factor) => {
      const bytes = make(small * factor);
      return { size: bytes.length, ...read(bytes) };
    });
    for (const { size, steps } of [once, twice, fourTimes].filter((each) => each !== undefined)) {
      // The unpacked size of object streams counts too, at most fifty times the file's size.
      expect(steps).toBeLessThan(mostSteps(size * 51 + 1024 * 1024));
      expect(size).toBeGreaterThan(0);
    }
    const growth = (later = once, earlier = once) => (later?.steps ?? 0) / (earlier?.steps ?? 1);
    expect(growth(twice, once)).toBeLessThan(2.5);
    expect(growth(fourTimes, twice)).toBeLessThan(2.5);
  });

  test('never exceeds its budget for any mix of pieces', () => {
    const pieces = [
      '1 0 obj',
      '2 0 obj',
      'endobj',
      '<<',
      '>>',
      '[',
      ']',
      '(',
      ')',
      '<',
      '>',
      '/AA',
      '/OpenAction',
      '/Next',
      '/Kids',
      '/Pages',
      '/Root',
    ];
    const words = [
      ...pieces,
      '/Type/Catalog',
      '/Type/Page',
      '/Type/ObjStm',
      '/N 1',
      '/First 4',
      'stream\n',
      'endstream',
      'trailer',
      '1 0 R',
      '2 0 R',
      '%',
      '\n',
      '\\',
      '#',
    ];
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 12 }),
        fc.integer({ min: 1, max: 4000 }),
        (unit, times) => {
          const bytes = repeated(`${unit.join(' ')} `)(times * 40);
          const { steps, finding } = read(bytes);
          expect(steps).toBeLessThan(mostSteps(2 * bytes.length));
          expect(['clean', 'active', 'encrypted', 'unreadable', 'expensive']).toContain(finding.kind);
        },
      ),
      { numRuns: 150 },
    );
  });

  test('is far below the budget for usual files', async () => {
    const scan = await scannedPdf(30);
    expect(read(scan).finding).toEqual({ kind: 'clean', pages: 30 });
    expect(read(scan).steps).toBeLessThan(400_000);
    const dense = await pdfWith((document) => {
      for (let page = 0; page < 999; page += 1) document.addPage().drawText(`Page ${page}`);
    }, false);
    expect(read(dense).finding).toEqual({ kind: 'clean', pages: 1000 });
    expect(read(dense).steps).toBeLessThan((1_000_000 + 16 * dense.length) * 0.75);
  });
});

describe('an object with many references is read once', () => {
  const size = 200_000;
  const naming = (count: number, holder: string, beyond: string) => {
    const numbers = Array.from({ length: count }, (_, index) => index + 10);
    const kids = `2 0 obj<</Type/Pages/Kids[${numbers.map((number) => `${number} 0 R`).join(' ')}]>>endobj `;
    const pages = numbers.map((number) => `${number} 0 obj${holder}endobj `).join('');
    return Buffer.from(`${header}${catalog}${kids}${pages}${beyond} trailer<</Root 1 0 R>>`, 'latin1');
  };

  test.each([
    ['as their type', '<</Type 5 0 R>>', `5 0 obj(${'a'.repeat(size)})endobj`, 'unreadable'],
    ['as the list of their children', '<</Type/Pages/Kids 5 0 R>>', `5 0 obj[${'6 0 R '.repeat(size / 6)}]endobj`, 'unreadable'],
    ['as the name of an action, of many revisions', '<</Type/Page/AA<</O<</S 5 0 R>>>>>>', '5 0 obj/GoTo endobj '.repeat(2000), 'clean'],
  ])('%s', (_what, holder, beyond, kind) => {
    const bytes = naming(300, holder, beyond);
    const { finding, steps } = read(bytes);
    expect(finding.kind).toBe(kind);
    expect(steps).toBeLessThan(500_000 + 14 * bytes.length);
  });

  test('nested trees that double with each level are refused at the first repeated node', () => {
    const levels = Array.from({ length: 60 }, (_, level) => {
      const next = level === 59 ? '/Type/Page' : `/Kids ${level + 4} 0 R`;
      return `${level + 3} 0 obj[<<${next}>><<${next}>>]endobj `;
    });
    const bytes = Buffer.from(`${header}${catalog}2 0 obj<</Kids 3 0 R>>endobj ${levels.join('')}trailer<</Root 1 0 R>>`);
    const { finding, steps } = read(bytes);
    expect(finding.kind).toBe('unreadable');
    expect(steps).toBeLessThan(100_000);
  });
});

test('the budget of the largest upload is at most a few seconds of work', () => {
  // The most expensive steps take 20 to 30 nanoseconds.
  expect(() => stepsFor(20 * 1024 * 1024).spend(125_000_000)).toThrow();
  expect(() => stepsFor(20 * 1024 * 1024).spend(3 * 20 * 1024 * 1024)).not.toThrow();
});

test.each([
  [100, 'GoTo', 'clean'],
  [100, 'URI', 'active'],
  [100_000, 'GoTo', 'expensive'],
  [100_000, 'URI', 'expensive'],
])('a chain of %i actions from object to object that ends with %s', (length, last, kind) => {
  const chain = Array.from({ length }, (_, index) => `${index + 10} 0 obj<</S/GoTo/D[3 0 R/Fit]/Next ${index + 11} 0 R>>endobj\n`);
  const end = `${length + 10} 0 obj<</S/${last}>>endobj\n`;
  const first = rawPdf({ 1: '<< /Type /Catalog /Pages 2 0 R /OpenAction 10 0 R >>', ...pageTree });
  expect(read(Buffer.concat([first, Buffer.from([...chain, end].join(''))])).finding.kind).toBe(kind);
});

describe('the pages of a PDF', () => {
  test('are those of its last revision', async () => {
    const first = rawPdf({ 1: harmlessCatalog, ...pageTree });
    // Appended objects replace earlier ones.
    const later = '2 0 obj\n<< /Type /Pages /Kids [3 0 R 4 0 R] /Count 2 >>\nendobj\n4 0 obj\n<< /Type /Page >>\nendobj\n';
    const revised = Buffer.concat([first, Buffer.from(later)]);
    for (const [bytes, pages] of [
      [first, 1],
      [revised, 2],
    ] as const) {
      expect(read(bytes).finding).toEqual({ kind: 'clean', pages });
      expect((await PDFDocument.load(bytes)).getPageCount()).toBe(pages);
    }
  });

  test('are not those inside a stream or a string', () => {
    const tree = { 1: '<< /Type /Catalog /Pages 2 0 R >>', 2: '<< /Type /Pages /Kids [3 0 R] /Count 1 >>', 3: '<< /Type /Page >>' };
    const fake = '2 0 obj << /Type /Pages /Kids [3 0 R 3 0 R 3 0 R] >> endobj';
    expect(read(rawPdf({ ...tree, 4: stream('', fake), 5: `(${fake})` })).finding).toEqual({ kind: 'clean', pages: 1 });
  });
});
