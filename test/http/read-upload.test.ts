import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { createServer, type IncomingMessage, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { isDomainError } from '../../src/errors.ts';
import { PartHeads, type ReceivedUpload, withUpload } from '../../src/http/request/read-upload.ts';

const mebibyte = 1024 * 1024;
const boundary = 'line-between';
/** The folder of this test's temporary files. */
const folder = mkdtempSync(join(tmpdir(), 'read-upload-'));

/** Answers with the received upload, or with the refusal. */
const server = createServer((request, response) => {
  void (async () => {
    try {
      const look = async ({ fields, file }: ReceivedUpload) => ({
        fields,
        file: file && { size: file.size, onDisk: statSync(file.path).size, name: file.originalName.slice(0, 50), path: file.path },
      });
      const received = await withUpload(request, look, folder);
      response.end(JSON.stringify({ ...received, isKept: received.file !== null && existsSync(received.file.path) }));
    } catch (error) {
      response.end(JSON.stringify(isDomainError(error) ? { code: error.code, ...error.details } : { unknown: String(error) }));
    } finally {
      request.resume();
    }
  })();
});

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((closed) => server.close(closed));
  rmSync(folder, { recursive: true });
});

async function upload(body: string | Buffer, headers: Record<string, string> = {}, isEnded = true): Promise<Record<string, unknown>> {
  const { port } = server.address() as AddressInfo;
  const sent = send({
    port,
    host: '127.0.0.1',
    method: 'POST',
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}`, ...headers },
  });
  // The server may close the connection before the rest of a refused body.
  sent.on('error', () => undefined);
  const answered = once(sent, 'response') as Promise<[IncomingMessage]>;
  if (isEnded) sent.end(body);
  else sent.write(body);
  const [response] = await answered;
  const answer = JSON.parse(await text(response)) as Record<string, unknown>;
  sent.destroy();
  return answer;
}

const part = (head: string, body: string) => `--${boundary}\r\n${head}\r\n\r\n${body}\r\n`;
const field = (name: string, value: string) => part(`Content-Disposition: form-data; name="${name}"`, value);
const file = (body: string, name = 'scan.pdf', fieldName = 'file') =>
  part(`Content-Disposition: form-data; name="${fieldName}"; filename="${name}"\r\nContent-Type: application/pdf`, body);
const last = `--${boundary}--\r\n`;

test('the file goes to a temporary file, which is deleted afterwards; other fields are text', async () => {
  const answer = await upload(
    `${field('purpose', 'паспорт')}${file('%PDF-1.7', 'куәлік.pdf')}${field('twice', '1')}${field('twice', '2')}${last}`,
  );
  expect(answer).toEqual({
    fields: { purpose: 'паспорт', twice: ['1', '2'] },
    file: { size: 8, onDisk: 8, name: 'куәлік.pdf', path: expect.stringContaining(folder) },
    isKept: false,
  });
});

test('a part named "file" is the file also without a file name', async () => {
  const answer = await upload(`${part('Content-Disposition: form-data; name="file"\r\nContent-Type: image/png', 'x')}${last}`);
  expect(answer).toMatchObject({ fields: {}, file: { size: 1, name: '' } });
});

test('exactly 20 MB are accepted, one byte more is not', async () => {
  const largest = 'x'.repeat(20 * mebibyte);
  expect(await upload(`${file(largest)}${last}`)).toMatchObject({ file: { size: 20 * mebibyte, onDisk: 20 * mebibyte } });
  expect(await upload(`${file(`${largest}x`)}${last}`)).toEqual({ code: 'payload_too_large', max_bytes: 20 * mebibyte });
});

test('an announced length above the limit is refused before the body arrives', async () => {
  const answer = await upload('', { 'content-length': String(40 * mebibyte) }, false);
  expect(answer).toEqual({ code: 'payload_too_large', max_bytes: 20 * mebibyte });
});

test('a body without a length is counted on arrival, between parts too', async () => {
  const chunked = { 'transfer-encoding': 'chunked' };
  for (const endless of ['x'.repeat(21 * mebibyte), `${file('x')}${last}${'x'.repeat(21 * mebibyte)}`])
    expect(await upload(endless, chunked, false)).toEqual({ code: 'payload_too_large', max_bytes: 20 * mebibyte });
});

const refusals: [string, string, string, string][] = [
  ['a file name of 100,000 dots', file('x', '.'.repeat(100_000)), 'body', 'too_long'],
  ['a file name of 7,000 dots', file('x', '.'.repeat(7_000)), 'body.file', 'too_long'],
  ['a file name of 1,001 characters', file('x', 'n'.repeat(1_001)), 'body.file', 'too_long'],
  ['a long name of a field', field('n'.repeat(101), 'x'), 'body', 'malformed_upload'],
  ['a part without a name', part('Content-Disposition: form-data', 'x'), 'body', 'malformed_upload'],
  ['a long value', field('purpose', 'x'.repeat(16 * 1024 + 1)), 'body.purpose', 'too_long'],
  ['two files', file('x') + file('y'), 'body.file', 'too_many'],
  ['a file in another field', file('x', 'scan.pdf', 'scan'), 'body.scan', 'unknown_field'],
  ['eleven fields', field('a', 'x').repeat(11), 'body', 'too_many'],
  ['thousands of parts', field('a', 'x').repeat(5_000), 'body', 'too_many'],
  ['thousands of empty parts', `--${boundary}\r\n\r\n\r\n`.repeat(20_000), 'body', 'too_many'],
  ['no part at all', 'x', 'body', 'malformed_upload'],
];
test.each(refusals)('%s: refused, without a leftover file', async (_what, body, path, code) => {
  const answer = await upload(body === 'x' ? body : body + last);
  expect(answer).toMatchObject({ code: 'validation_failed', fields: [{ path, code }] });
  expect(JSON.stringify(answer).length).toBeLessThan(400);
  expect(readdirSync(folder)).toEqual([]);
});

const most = 8 * 1024;
const headOf = (length: number, name = 'purpose') => {
  const begun = `\r\nContent-Disposition: form-data; name="${name}"\r\nX: `;
  return `${begun}${'y'.repeat(length - begun.length)}`.slice(2);
};

test.each<[string, (length: number) => string]>([
  ['of a field', (length) => part(headOf(length), 'x')],
  ['of a field behind the file', (length) => file('z') + part(headOf(length), 'x')],
  ['behind something before the first part', (length) => `words before\r\n${part(headOf(length), 'x')}`],
])('a head %s of more than 8 KB is refused, alone and in chunks of any size', async (_where, make) => {
  const counted = (pieces: number, length: number) => {
    const heads = new PartHeads(boundary, most);
    const bytes = Buffer.from(make(length) + last);
    return Array.from({ length: Math.ceil(bytes.length / pieces) }, (_, index) =>
      bytes.subarray(index * pieces, (index + 1) * pieces),
    ).every((piece) => heads.take(piece));
  };
  for (const pieces of [1, 2, 3, 7, 1_000, 16_384]) expect([counted(pieces, most), counted(pieces, most + 1)]).toEqual([true, false]);
  expect(await upload(make(most) + last)).toMatchObject({ fields: { purpose: 'x' } });
  expect(await upload(make(9_000) + last)).toMatchObject({ code: 'validation_failed', fields: [{ path: 'body', code: 'too_long' }] });
});

test('the limit applies only to part headers, not to contents, preamble or epilogue', async () => {
  const long = 'x'.repeat(20_000);
  for (const body of [`${file(`\r\n--${long}`)}${last}`, `${long}\r\n${file('z')}${last}`, `${file('z')}${last}${long}`])
    expect(await upload(body)).toMatchObject({ file: { name: 'scan.pdf' } });
  const heads = new PartHeads(boundary, most);
  for (const byte of Buffer.from(`${file('z')}${last}${long}`)) expect(heads.take(Buffer.of(byte))).toBe(true);
});

test('a missing or invalid boundary is an error of the body', async () => {
  for (const type of ['multipart/form-data', `multipart/form-data; boundary=${'b'.repeat(5_000)}`])
    expect(await upload(last, { 'content-type': type })).toMatchObject({ fields: [{ path: 'body', code: 'malformed_upload' }] });
});

// A parser that scans from the start at each piece would take minutes.
test('a body of partial boundaries takes linear time', async () => {
  const cost = async (body: string) => {
    const before = process.cpuUsage();
    expect(await upload(`${file(body)}${last}`)).toHaveProperty('file');
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000;
  };
  const plain = await cost('x'.repeat(18 * mebibyte));
  for (const piece of ['\r', '\n', '\r\n-', `\r\n--${boundary.slice(0, -1)}`])
    expect(await cost(piece.repeat(Math.floor((18 * mebibyte) / piece.length)))).toBeLessThan(20 * plain + 5_000);
});
