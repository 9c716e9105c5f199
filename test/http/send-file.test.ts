import fc from 'fast-check';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { matchesEntityTag, parseRange, safeFileName, sendFile } from '../../src/http/response/send-file.ts';

const content = Buffer.from('0123456789');
const file = {
  storage: {
    get: async (_key: string, range?: { start: number; end: number }) =>
      Readable.from([range ? content.subarray(range.start, range.end + 1) : content]),
  },
  key: 'ab/cd/x',
  size: content.length,
  sha256: 'a'.repeat(64),
  mime: 'application/pdf',
  name: 'Жеке куәлік.pdf',
  download: false,
};
const etag = `"${file.sha256}"`;

async function send(headers: Record<string, string> = {}, changes: Partial<typeof file> = {}) {
  const reply = await sendFile({ ...file, ...changes, header: (name) => headers[name] });
  if (reply.kind !== 'body') throw new Error('not a body');
  return { status: reply.status, headers: reply.headers, text: reply.body === null ? '' : String(await buffer(reply.body as Readable)) };
}

describe('the answer with a file', () => {
  test('no cache stores a personal file or a part of it', async () => {
    expect((await send({})).headers['Cache-Control']).toBe('no-store');
    expect((await send({ range: 'bytes=0-1' })).headers['Cache-Control']).toBe('no-store');
    expect((await send({ 'if-none-match': etag })).headers['Cache-Control']).toBe('no-store');
  });

  test('the whole file, with headers for validation and ranges', async () => {
    const { status, headers, text } = await send();
    expect(status).toBe(200);
    expect(text).toBe('0123456789');
    expect(headers).toMatchObject({
      ETag: etag,
      'Accept-Ranges': 'bytes',
      'Content-Length': '10',
      'Content-Type': 'application/pdf',
      'Cache-Control': 'no-store',
    });
    expect(headers['Content-Security-Policy']).toContain('sandbox');
  });

  test.each([
    ['bytes=2-4', '234', 'bytes 2-4/10'],
    ['bytes=7-', '789', 'bytes 7-9/10'],
    ['bytes=-3', '789', 'bytes 7-9/10'],
    ['bytes=-30', '0123456789', 'bytes 0-9/10'],
    ['bytes=8-300', '89', 'bytes 8-9/10'],
  ])('%s is answered in part', async (range, text, contentRange) => {
    const reply = await send({ range });
    expect(reply.status).toBe(206);
    expect(reply.text).toBe(text);
    expect(reply.headers['Content-Range']).toBe(contentRange);
    expect(reply.headers['Content-Length']).toBe(String(text.length));
  });

  test.each(['bytes=0-1,3-4', 'bytes=0-1,99-', 'bytes=4-2', 'lines=0-1', 'bytes=-', 'bytes=a-b'])(
    '%s is answered with the whole file',
    async (range) => {
      expect(await send({ range })).toMatchObject({ status: 200, text: '0123456789' });
    },
  );

  test.each(['bytes=10-', 'bytes=99-100', 'bytes=-0', 'bytes=10-,99-'])('%s is unsatisfiable', async (range) => {
    await expect(send({ range })).rejects.toMatchObject({ code: 'range_not_satisfiable', details: { size: 10 } });
  });

  test.each([etag, `W/${etag}`, `"other", ${etag}`, '*'])('If-None-Match %s: answers 304', async (tag) => {
    const reply = await send({ 'if-none-match': tag, range: 'bytes=0-1' });
    expect(reply).toMatchObject({ status: 304, text: '' });
    expect(reply.headers['ETag']).toBe(etag);
  });

  test('If-Range gets a part only of the same file', async () => {
    expect((await send({ range: 'bytes=0-1', 'if-range': etag })).status).toBe(206);
    expect((await send({ range: 'bytes=0-1', 'if-range': '"other"' })).status).toBe(200);
    expect((await send({ range: 'bytes=0-1', 'if-range': `W/${etag}` })).status).toBe(200);
    expect((await send({ range: 'bytes=0-1', 'if-range': 'Wed, 21 Oct 2026 07:28:00 GMT' })).status).toBe(200);
  });

  test('a Kazakh name is encoded for every client', async () => {
    const shown = (await send()).headers['Content-Disposition'] ?? '';
    expect(shown).toMatch(/^inline; filename="/);
    expect(shown).toContain(`filename*=UTF-8''${encodeURIComponent('Жеке куәлік.pdf')}`);
    expect((await send({}, { download: true })).headers['Content-Disposition']).toMatch(/^attachment; /);
  });

  test("an object missing in storage is not the client's fault", async () => {
    const lost = Object.assign(new Error('gone'), { name: 'StorageObjectMissingError' });
    const storage = { get: () => Promise.reject(lost) };
    await expect(send({}, { storage })).rejects.toMatchObject({ code: 'service_unavailable' });
  });
});

describe('any ranges', () => {
  test('a satisfied range lies within the file', () => {
    const header = fc.oneof(
      fc.string(),
      fc.tuple(fc.option(fc.nat(300)), fc.option(fc.nat(300))).map(([first, last]) => `bytes=${first ?? ''}-${last ?? ''}`),
    );
    fc.assert(
      fc.property(header, fc.integer({ min: 1, max: 200 }), (text, size) => {
        const range = parseRange(text, size);
        if (typeof range === 'string') return;
        expect(range.start).toBeGreaterThanOrEqual(0);
        expect(range.end).toBeGreaterThanOrEqual(range.start);
        expect(range.end).toBeLessThan(size);
      }),
    );
  });

  test('only a list with the tag matches', () => {
    const other = fc.stringMatching(/^[a-z0-9]{1,20}$/).map((text) => `"${text}"`);
    fc.assert(
      fc.property(fc.array(other), fc.array(other), (before, after) => {
        expect(matchesEntityTag([...before, etag, ...after].join(', '), etag)).toBe(true);
        expect(matchesEntityTag([...before, ...after].join(', '), etag)).toBe(false);
      }),
    );
  });
});

test('headers of any length are parsed in one pass', () => {
  const before = process.threadCpuUsage();
  for (const character of ['.', ' ', '. ', 'a.', '\u00a0']) {
    expect(safeFileName(character.repeat(1_000_000), 'application/pdf')).toMatch(/^[^/\\]{1,250}\.pdf$/);
    // Blanks before a range are permitted.
    const last = character === ' ' ? { start: 9, end: 9 } : 'whole';
    expect(parseRange(`bytes=${character.repeat(1_000_000)}-1`, 10)).toEqual(last);
    expect(parseRange(`bytes=1${character.repeat(1_000_000)}`, 10)).toBe('whole');
    expect(matchesEntityTag(`"${character.repeat(1_000_000)}`, etag)).toBe(false);
    expect(matchesEntityTag(`W/"${character}`.repeat(200_000), etag)).toBe(false);
  }
  expect(parseRange(`bytes=${'9'.repeat(1_000_000)}-`, 10)).toBe('unsatisfiable');
  // Patterns that begin anew at each character took seconds for a hundredth of it.
  expect(process.threadCpuUsage(before).user / 1_000).toBeLessThan(5_000);
});

describe('names of files', () => {
  test.each([
    ['photo.JPG', 'image/jpeg', 'photo.JPG'],
    ['photo.exe', 'image/png', 'photo.exe.png'],
    ['C:\\scans\\паспорт.pdf', 'application/pdf', 'паспорт.pdf'],
    ['../../etc/passwd', 'application/pdf', 'passwd.pdf'],
    ['', 'image/webp', 'file.webp'],
    ['.pdf', 'application/pdf', 'pdf.pdf'],
    ['a\u0000b\u202efdp.exe', 'application/pdf', 'abfdp.exe.pdf'],
  ])('%j of %s becomes %j', (name, mime, safe) => {
    expect(safeFileName(name, mime)).toBe(safe);
  });

  test('any text becomes a valid header value, and stays the same when repeated', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (name) => {
        const safe = safeFileName(name, 'application/pdf');
        expect(safe).toMatch(/^[^/\\\p{Cc}]+\.pdf$/iu);
        expect(safe.length).toBeLessThanOrEqual(410);
        expect(safe.isWellFormed()).toBe(true);
        expect(safeFileName(safe, 'application/pdf')).toBe(safe);
      }),
    );
  });
});
