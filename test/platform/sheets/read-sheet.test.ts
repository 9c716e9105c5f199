import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import {
  createInspector,
  InspectionBudgetError,
  type Inspector,
  InspectorUnavailableError,
  TooManyWaitingError,
} from '../../../src/platform/inspector/inspector.ts';
import { streamSpreadsheet } from '../../../src/platform/spreadsheet/stream-spreadsheet.ts';
import { pixelBomb } from '../files/hostile-files.ts';
import { hostileFiles } from './hostile-sheets.ts';
import { workbookOf } from './make-workbook.ts';
import { show } from './show-sheet.ts';

const [maxMs, maxMegabytes] = [2000, 200];

let folder: string;
let inspector: Inspector;
let files = 0;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sheets-'));
});
beforeEach(() => {
  inspector = createInspector({ concurrency: 1 });
});
afterEach(() => inspector.close());
afterAll(() => rm(folder, { recursive: true }));

const place = async (bytes: Buffer | string) => {
  const path = join(folder, `in-${(files += 1)}.xlsx`);
  await writeFile(path, bytes);
  return { path, owner: 'an-account', network: null };
};
const oneCell = () => workbookOf({ data: ['<row><c><v>1</v></c></row>'] });

/** The ids of the inspector's processes. */
const children = () =>
  execFileSync('ps', ['-o', 'pid=,args=', '--ppid', String(process.pid)])
    .toString()
    .split('\n')
    .filter((line) => line.includes('inspector-process'))
    .map((line) => Number.parseInt(line, 10));
/** Returns the most memory that the only process had, megabytes. */
const peakMegabytes = async () => {
  const [pid] = children();
  const [, kilobytes] = /VmHWM:\s+(\d+) kB/.exec(await readFile(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) / 1024;
};

describe('hostile files', () => {
  /** One process reads all of them: none leaves memory behind. */
  let shared: Inspector;
  beforeAll(async () => {
    shared = createInspector({ concurrency: 1 });
    // The process starts with the first file.
    await shared.readSheet(await place(''));
  });
  afterAll(() => shared.close());

  it.each(hostileFiles)('refuses $name at once and in little memory', async ({ name, code, make }) => {
    const job = { ...(await place(make())), owner: name };
    const began = performance.now();
    const reading = await shared.readSheet(job);
    const ms = performance.now() - began;
    expect(reading).toMatchObject({ ok: false, code, message: expect.stringMatching(/^.{20,}\.$/) });
    expect(await peakMegabytes()).toBeLessThan(maxMegabytes);
    expect(ms).toBeLessThan(maxMs);
  });
});

it('reads 2,000 rows of 20 columns at once and in little memory', async () => {
  const columns = Array.from({ length: 20 }, (_, index) => ({
    title: `Колонка ${index}`,
    holds: index % 5 === 0 ? ('day' as const) : ('text' as const),
    width: 15,
  }));
  const sheet = {
    name: 'Заявка',
    columns,
    async *pages() {
      yield Array.from({ length: 2000 }, (_, row) =>
        columns.map(({ holds }, index) => (holds === 'day' ? '1990-05-17' : `Қыран ${row} ${index}`)),
      );
    },
  };
  await inspector.readSheet(await place(''));
  const job = await place(await buffer(await streamSpreadsheet([sheet], new Date())));
  const began = performance.now();
  const reading = await inspector.readSheet(job);
  const ms = performance.now() - began;
  expect(reading.ok && reading.sheets[0]?.rows.length).toBe(2001);
  expect(await peakMegabytes()).toBeLessThan(maxMegabytes);
  expect(ms).toBeLessThan(maxMs);
});

describe('the processes', () => {
  it('reads and inspects in the same process, each file with its own answer', async () => {
    const sheet = await place(oneCell());
    const image = await place(pixelBomb(10, 10));
    const [reading, inspection, again] = await Promise.all([
      inspector.readSheet(sheet),
      inspector.inspect({ ...image, outPath: `${image.path}.out`, owner: 'another' }),
      inspector.inspect({ ...sheet, outPath: `${sheet.path}.out`, owner: 'a third' }),
    ]);
    expect(show(reading)).toEqual([['Sheet1', { 1: ['number 1'] }]]);
    expect(inspection).toMatchObject({ ok: true, mime: 'image/png' });
    expect(again).toMatchObject({ ok: false, code: 'unsupported_type' });
    expect(children()).toHaveLength(1);
  });

  it('stops a file that takes too long', async () => {
    const hasty = createInspector({ concurrency: 1, timeoutMs: 10 });
    const job = await place(workbookOf({ data: ['<row><c><v>1</v></c></row>'.repeat(2000)] }));
    expect(await hasty.readSheet(job)).toMatchObject({ ok: false, code: 'inspection_timeout' });
    await hasty.close();
  });

  it('stops when the client disconnects, and reads the next file', async () => {
    const gone = new AbortController();
    const reading = inspector.readSheet({ ...(await place(oneCell())), signal: gone.signal });
    gone.abort(new Error('the client is gone'));
    await expect(reading).rejects.toThrow('the client is gone');
    expect(await inspector.readSheet(await place(oneCell()))).toMatchObject({ ok: true });
  });

  it('reports a missing file as a failure of the machine', async () => {
    await expect(inspector.readSheet({ path: join(folder, 'missing'), owner: 1, network: null })).rejects.toThrow(
      InspectorUnavailableError,
    );
  });

  it('counts the time and the waiting files of an owner together with inspections', async () => {
    const strict = createInspector({ concurrency: 1, budgetMs: 1, maxWaitingOfOwner: 1 });
    const job = await place(oneCell());
    const [first, second, third] = await Promise.allSettled([
      strict.readSheet(job),
      strict.inspect({ ...job, outPath: `${job.path}.out` }),
      strict.readSheet(job),
    ]);
    expect([first.status, second.status]).toEqual(['fulfilled', 'fulfilled']);
    expect(third).toMatchObject({ reason: expect.any(TooManyWaitingError) });
    await expect(strict.readSheet(job)).rejects.toThrow(InspectionBudgetError);
    await expect(strict.inspect({ ...job, outPath: `${job.path}.out` })).rejects.toThrow(InspectionBudgetError);
    await strict.close();
    await expect(strict.readSheet(job)).rejects.toThrow(InspectorUnavailableError);
  });
});
