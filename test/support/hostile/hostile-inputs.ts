import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';

/** What a hostile client is given by the test: who it is, and what it may name. */
export interface HostileContext {
  /** `Bearer …` of an ordinary person with all scopes of a person. */
  person: string;
  /** The same of an administrator. */
  administrator: string;
  /** A file of the person. */
  fileId: string;
  /** A small PDF that is taken, base64. */
  scan: string;
}

/** One request, and what the service may answer it with. */
export interface HostileRequest {
  method: string;
  path: string;
  headers: Record<string, string>;
  /** Pieces are sent one after the other, each as a piece of its own on the line. */
  body?: Buffer | Buffer[];
  status: number | readonly number[];
}

export type HostileInput = (context: HostileContext) => HostileRequest;

const mebibyte = 1024 * 1024;
/** The longest JSON that is read. */
const longest = 256 * 1024;
/** Just below what Node takes for all headers of a request. */
const header = 15_000;
const boundary = 'line-between';

/** A text of about so many bytes. */
const fill = (piece: string, bytes: number) => piece.repeat(Math.floor(bytes / Buffer.byteLength(piece)));

const part = (head: string, content: string) => `--${boundary}\r\n${head}\r\n\r\n${content}\r\n`;
const field = (name: string, value: string) => part(`Content-Disposition: form-data; name="${name}"`, value);
const filePart = (name: string, content: string) =>
  part(`Content-Disposition: form-data; name="file"; filename="${name}"\r\nContent-Type: application/pdf`, content);

function upload(parts: string | ((scan: string) => string), status: HostileRequest['status']): HostileInput {
  return ({ person, scan }) => ({
    method: 'POST',
    path: '/api/v1/files',
    headers: { authorization: person, 'content-type': `multipart/form-data; boundary=${boundary}` },
    body: Buffer.from(
      `${field('purpose', 'document')}${typeof parts === 'string' ? parts : parts(Buffer.from(scan, 'base64').toString('latin1'))}--${boundary}--\r\n`,
      'latin1',
    ),
    status,
  });
}

/** A file that anybody asks about; there is no such agreement. */
function compare(parts: string, status: HostileRequest['status']): HostileInput {
  return () => ({
    method: 'POST',
    path: '/api/v1/contracts/verify-file',
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
    body: Buffer.from(`${field('token', 'none')}${parts}--${boundary}--\r\n`, 'latin1'),
    status,
  });
}

/** A reading of the person's file with headers of whatever kind. */
function read(headers: Record<string, string>, status: HostileRequest['status']): HostileInput {
  return ({ person, fileId }) => ({
    method: 'GET',
    path: `/api/v1/files/${fileId}`,
    headers: { authorization: person, ...headers },
    status,
  });
}

function json(
  method: string,
  path: string,
  body: string | Buffer | Buffer[],
  status: number,
  headers: Record<string, string> = {},
): HostileInput {
  return ({ person, administrator }) => ({
    method,
    path: `/api/v1${path}`,
    headers: {
      authorization: path.startsWith('/admin') ? administrator : person,
      'content-type': 'application/json',
      'idempotency-key': 'hostile',
      ...headers,
    },
    body: typeof body === 'string' ? Buffer.from(body) : body,
    status,
  });
}

function get(path: string, status: HostileRequest['status'], headers: Record<string, string> = {}): HostileInput {
  return ({ administrator }) => ({
    method: 'GET',
    path,
    headers: path.startsWith('/api/v1/admin') ? { authorization: administrator, ...headers } : headers,
    status,
  });
}

/** A PDF of the folder `test/files`, one character a byte. */
const paper = (name: string) => readFileSync(new URL(`../../files/${name}`, import.meta.url), 'latin1');

/** A page that names an encryption. @param encrypt value of `/Encrypt` @param more further objects and trailers */
const encrypted = (encrypt: string, more = '') =>
  `%PDF-1.7\n1 0 obj << /Type /Catalog /Pages 2 0 R >> endobj\n2 0 obj << /Type /Pages /Kids [3 0 R] /Count 1 >> endobj\n` +
  `3 0 obj << /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] >> endobj\n${more}` +
  `trailer << /Size 9 /Root 1 0 R /ID [<00> <00>] /Encrypt ${encrypt} >>\nstartxref\n0\n%%EOF\n`;
const locked = (entries: string) => encrypted(`<< /Filter /Standard ${entries} >>`);
const hashes = `/O (${'o'.repeat(32)}) /U (${'u'.repeat(32)}) /P -4`;

const unknownKeysOf = (count: number) => `{${Array.from({ length: count }, (_, index) => `"${index.toString(36)}z":1`).join(',')}}`;
const unknownKeys = unknownKeysOf(28_000);
const listOf = (element: string) => `[${fill(`${element},`, longest - 100)}${element}]`;
const listOfKeys = (objects: number, keys: number) => `[${Array.from({ length: objects }, () => unknownKeysOf(keys)).join(',')}]`;
const athlete = (fields: object) => JSON.stringify({ kind: 'athlete', data: { last_name: 'A', first_name: 'B', ...fields } });
const templateOf = (body: string) => JSON.stringify({ title: 'T', body });
/** A text of one field, as long as a body may be. */
const long = (piece: string) => fill(piece, longest - 1_000);

/**
 * Requests that cost far more than they look, by name: each stopped the API for everyone, or is of the kind of one that did. No answer but
 * a refusal or the usual answer, and no other caller may notice.
 */
export const hostileInputs: Record<string, HostileInput> = {
  // Uploads: names, heads, parts.
  'a file name of 100,000 dots': upload(filePart('.'.repeat(100_000), '%PDF-1.7'), 422),
  'a file name of 1,000 dots, of a file that is taken': upload((scan) => filePart('.'.repeat(1_000), scan), 201),
  'a file name of 100,000 blanks': upload(filePart(' '.repeat(100_000), '%PDF-1.7'), 422),
  'a file name that begins 20,000 times': upload(
    part(`Content-Disposition: form-data; name="file"; ${'filename="'.repeat(20_000)}`, 'x'),
    422,
  ),
  'a head of a part of 15 MB': upload(part(`Content-Disposition: form-data; name="a"; x=${'y'.repeat(15 * mebibyte)}`, 'x'), 422),
  'a million lines in the head of a part': upload(
    part(`Content-Disposition: form-data; name="a"\r\n${'X: y\r\n'.repeat(1_000_000)}Z: z`, 'x'),
    422,
  ),
  '100,000 parts': upload(filePart('a.pdf', 'x').repeat(100_000), 422),
  '100,000 fields': upload(field('purpose', 'x').repeat(100_000), 422),
  'a million empty parts': upload(`--${boundary}\r\n\r\n\r\n`.repeat(1_000_000), 422),
  '18 MB of line breaks': upload(filePart('a.pdf', fill('\r', 18 * mebibyte)), 422),
  '18 MB of almost the line between parts': upload(filePart('a.pdf', fill(`\r\n--${boundary.slice(0, -1)}`, 18 * mebibyte)), 422),
  'a request of 40 MB': upload(filePart('a.pdf', 'x'.repeat(40 * mebibyte)), 413),
  'a file to compare, of 18 MB of line breaks': compare(filePart('a.pdf', fill('\r', 18 * mebibyte)), 404),
  'a file to compare, of 18 MB of almost the line between parts': compare(
    filePart('a.pdf', fill(`\r\n--${boundary.slice(0, -1)}`, 18 * mebibyte)),
    404,
  ),
  'a file to compare, of 40 MB': compare(filePart('a.pdf', 'x'.repeat(40 * mebibyte)), 413),
  'a file to compare, in 60,000 chunks of one byte': () => ({
    method: 'POST',
    path: '/api/v1/contracts/verify-file',
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
    body: [
      Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="a.pdf"\r\n\r\n`),
      ...Array.from({ length: 60_000 }, () => Buffer.from('x')),
    ],
    status: 413,
  }),
  'a file to compare, in 20,000 chunks of one byte': () => ({
    method: 'POST',
    path: '/api/v1/contracts/verify-file',
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
    body: [...Buffer.from(`${field('token', 'none')}${filePart('a.pdf', 'x'.repeat(19_700))}--${boundary}--\r\n`)].map((byte) =>
      Buffer.from([byte]),
    ),
    status: 404,
  }),
  'a PDF of 200 KB of beginnings': upload(filePart('a.pdf', `%PDF-1.7\n${fill('1 0 obj(', 200_000)}`), 422),
  // Encrypted PDFs: opened without a password, or refused.
  'a PDF with a user password': upload(filePart('a.pdf', paper('user-password.pdf')), 422),
  'a PDF with an owner password, AES-256': upload(filePart('a.pdf', paper('owner-password-aes256.pdf')), 201),
  'a PDF with an owner password, RC4 of 40 bits': upload(filePart('a.pdf', paper('owner-password-rc4-40.pdf')), 201),
  'a PDF whose encryption is cut off': upload(filePart('a.pdf', encrypted('<< /Filter /Standard /V 2 /O (')), 422),
  'a PDF whose encryption is of another kind': upload(filePart('a.pdf', encrypted('[ 1 2 /Standard ]')), 422),
  'a PDF whose encryption is not there': upload(filePart('a.pdf', encrypted('7 0 R')), 422),
  'a PDF whose encryption names itself': upload(filePart('a.pdf', encrypted('7 0 R', '7 0 obj 7 0 R endobj\n')), 422),
  'a PDF with a key of two billion bits': upload(filePart('a.pdf', locked(`/V 2 /R 3 /Length 2147483647 ${hashes}`)), 422),
  'a PDF with a key of minus eight bits': upload(filePart('a.pdf', locked(`/V 2 /R 3 /Length -8 ${hashes}`)), 422),
  'a PDF with a key of 10,000 digits': upload(filePart('a.pdf', locked(`/V 2 /R 3 /Length ${'9'.repeat(10_000)} ${hashes}`)), 422),
  'a PDF with rights of 10,000 digits': upload(filePart('a.pdf', locked(`/V 1 /R 2 /O () /U () /P ${'9'.repeat(10_000)}`)), 422),
  'an encrypted PDF without hashes': upload(filePart('a.pdf', locked('/V 2 /R 3 /Length 128 /P -4')), 422),
  'an encrypted PDF of AES-256 without hashes': upload(
    filePart('a.pdf', locked('/V 5 /R 6 /Length 256 /P -4 /CF << /StdCF << /CFM /AESV3 >> >> /StmF /StdCF /StrF /StdCF')),
    422,
  ),
  'an encryption of 18 MB of brackets': upload(filePart('a.pdf', encrypted(`<< /Filter /Standard /CF ${fill('<<', 18 * mebibyte)}`)), 422),
  'a PDF of 200,000 encryptions': upload(
    filePart('a.pdf', encrypted('7 0 R', fill(`trailer << /Root 1 0 R /Encrypt << /V 5 /R 6 ${hashes} >> >>\n`, 18 * mebibyte))),
    422,
  ),
  'a PDF of 200,000 encrypted objects': upload(
    filePart('a.pdf', paper('owner-password-aes256.pdf').replace('startxref', `${fill('99 0 obj (abc) endobj\n', 4 * mebibyte)}startxref`)),
    201,
  ),
  // Headers.
  'a Range of blanks': read({ range: `bytes=${' '.repeat(header)}x` }, 200),
  'a Range of digits': read({ range: `bytes=${'9'.repeat(header)}-` }, 416),
  'a Range of many ranges': read({ range: `bytes=${fill('0-1,', header)}` }, 200),
  'an If-None-Match of quotes': read({ 'if-none-match': fill('W/"', header) }, 200),
  'an If-Range of blanks': read({ range: 'bytes=0-1', 'if-range': `"${' '.repeat(header)}"` }, 200),
  'an Accept-Language of commas': get('/v/none', 404, { 'accept-language': fill(',;q=', header) }),
  'an Accept-Language of blanks': get('/v/none', 404, { 'accept-language': `kk;q=${' '.repeat(header)}x` }),
  'cookies of blanks': get('/api/v1/session', 200, { cookie: `a=b;${' '.repeat(header)}registry_session` }),
  'cookies without end': get('/api/v1/session', 200, { cookie: fill('; =', header) }),
  'a Content-Type of blanks': json('POST', '/profiles', '{}', 422, { 'content-type': `application/json;${' '.repeat(header)}x` }),
  'a boundary of 10,000 characters': ({ person }) => ({
    method: 'POST',
    path: '/api/v1/files',
    headers: { authorization: person, 'content-type': `multipart/form-data; boundary=${'b'.repeat(10_000)}` },
    body: Buffer.from('x'),
    status: 422,
  }),
  'an Authorization of blanks': get('/api/v1/account', 401, { authorization: `Bearer${' '.repeat(header)}x` }),
  'an Idempotency-Key of 15,000': json('POST', '/profiles', '{}', 422, { 'idempotency-key': 'k'.repeat(header) }),
  'an X-Request-Id of 15,000': get('/health/live', 200, { 'x-request-id': `${'a'.repeat(header)}!` }),
  // Addresses.
  'a query of 3,000 names': get(`/api/v1/catalog?${Array.from({ length: 3_000 }, (_, index) => `${index}`).join('&')}`, 422),
  'a parameter 1,500 times': get(`/api/v1/catalog?${fill('kind=a&', header)}`, 422),
  'a parameter 7,000 times': get(`/api/v1/catalog?${fill('a&', header)}`, 422),
  'a parameter 7,000 times, of a page': get(`/v/none?${fill('a&', header)}`, 422),
  'a query of escapes': get(`/api/v1/catalog?kind=${fill('%41', header)}`, 422),
  'a search for 15,000 wildcards': get(`/api/v1/admin/queue?q=${fill('%25', header)}`, [200, 422]),
  'a search of all records for 200 signs of a number': get(`/api/v1/admin/search?q=${fill('-(', 198)}x1`, 200),
  'a search for 4,000 words in the calendar': get(`/events?q=${fill('a+', 8_000)}`, 200),
  'a search for a hundred beginnings of words': get(
    `/api/v1/events/public?q=${Array.from({ length: 50 }, (_, index) => String.fromCodePoint(97 + (index % 26))).join('+')}`,
    200,
  ),
  'a page of the calendar that is far away': get('/api/v1/events/public?page=999999&limit=100', 200),
  'a path of slashes': get(`/api/v1${'/'.repeat(header)}`, 404),
  'a path of many words': get(`/api/v1/applications/${fill('a/', header)}`, 404),
  'a path of escapes': get(`/v/${fill('%41', header)}`, 404),
  // JSON.
  '9,900 unknown keys': json('POST', '/profiles', unknownKeysOf(9_900), 422),
  '1,000 objects of nine unknown keys': json('POST', '/events/1/registrations/batch', `{"registrations":${listOfKeys(1_000, 9)}}`, 422),
  '50,000 empty keys': json('POST', '/profiles', `{${fill('"":1,', longest - 100)}"":1}`, 422),
  '28,000 unknown keys': json('POST', '/profiles', unknownKeys, 422),
  '28,000 unknown keys of one of several kinds': json('POST', '/admin/review', unknownKeys, 422),
  '28,000 unknown keys within': json('POST', '/profiles', `{"kind":"athlete","data":${unknownKeys}}`, 422),
  'lists within lists': json('POST', '/profiles', `${'['.repeat(longest / 2)}${']'.repeat(longest / 2)}`, 422),
  'objects within objects': json('POST', '/profiles', `${'{"a":'.repeat(43_000)}1${'}'.repeat(43_000)}`, 422),
  'lists that never end': json('POST', '/profiles', '['.repeat(longest), 400),
  '24,000 objects of different fields': json(
    'POST',
    '/profiles',
    `[${Array.from({ length: 24_000 }, (_, index) => `{"${index.toString(36)}":1}`).join(',')}]`,
    422,
  ),
  'a list of 87,000 wrong elements': json('POST', '/applications/quote', `{"service_id":${listOf('[]')}}`, 422),
  'scopes without end': json('POST', '/admin/review', `{"kind":"document","id":1,"decision":${listOf('0')}}`, 422),
  'JSON in 20,000 pieces': json(
    'POST',
    '/profiles',
    Array.from({ length: 20_000 }, () => Buffer.from(' ')),
    400,
  ),
  'JSON in 60,000 chunks of one byte': json(
    'POST',
    '/profiles',
    Array.from({ length: 60_000 }, () => Buffer.from(' ')),
    413,
  ),
  'a gigabyte in gzip': json('POST', '/profiles', gzipSync(Buffer.alloc(200 * mebibyte, ' ')), 415, { 'content-encoding': 'gzip' }),
  'a callback that is longer than it may be': json('POST', '/bank/callback', long('{"invoice":'), 200),
  // Texts of fields.
  'a template of 20,000 beginnings of variables': json('POST', '/admin/contract-templates', templateOf('{{'.repeat(20_000)), 422),
  'a template of 6,000 unknown variables': json(
    'POST',
    '/admin/contract-templates',
    templateOf(Array.from({ length: 6_000 }, (_, index) => `{{${index.toString(36)}}}`).join('')),
    422,
  ),
  'an e-mail of dots': json('POST', '/profiles', `{"kind":"organizer","data":{"email":"a@${long('a.')}!"}}`, 422),
  'an e-mail of hyphens': json('POST', '/profiles', `{"kind":"organizer","data":{"email":"a@${'a-'.repeat(4_900)}!"}}`, 422),
  'a telephone number of blanks': json('POST', '/profiles', athlete({ phone: `+7${long(' ')}x` }), 422),
  'a telephone number of 9,000 blanks': json('POST', '/profiles', athlete({ phone: `+7${' '.repeat(9_000)}x` }), 422),
  'a date of digits': json('POST', '/profiles', athlete({ birth_date: long('1990-') }), 422),
  'an IIN of digits': json('POST', '/profiles', athlete({ iin: long('9') }), 422),
  'a name of marks': json('POST', '/profiles', athlete({ last_name: long('e\u0301') }), 422),
  'an amount of noughts': json('POST', '/invoices', `{"amount":"${long('0')}.00"}`, 422),
  'a number of digits': json('POST', '/applications/quote', `{"service_id":${long('9')}}`, 422),
  'a number of 9,000 digits in a text': get(`/api/v1/admin/queue?page=${'1'.repeat(9_000)}`, 422),
  'a date-time of fractions': get(`/api/v1/admin/audit?from=2026-01-01T00:00:00.${'9'.repeat(9_000)}`, 422),
};
