/** What one address sends over each of its connections: a head, then the same again and again. */
export interface CallerAttack {
  head: string;
  repeat: string;
  /** Between two repeats. */
  pauseMs: number;
  connections: number;
}

const request = (line: string, headers = '', body = '') => `${line} HTTP/1.1\r\nHost: registry\r\n${headers}\r\n${body}`;
const chunked = 'Transfer-Encoding: chunked\r\n';
const tiny = '1\r\nx\r\n'.repeat(10_000);
const multipart = `Content-Type: multipart/form-data; boundary=b\r\n${chunked}`;
const manyKeys = `{${Array.from({ length: 60_000 }, (_, index) => `"key${index}":1`).join(',')}}`;
const upload = request('POST /api/v1/contracts/verify-file', multipart, `${'1\r\nx\r\n'.repeat(60_000)}0\r\n\r\n`);

const endless = (line: string, repeat = tiny, connections = 1): CallerAttack => ({
  head: request(line, chunked),
  repeat,
  pauseMs: 0,
  connections,
});
const again = (repeat: string, pauseMs = 0, connections = 1): CallerAttack => ({ head: '', repeat, pauseMs, connections });

export const callerAttacks: Readonly<Record<string, CallerAttack>> = {
  'one-byte chunks, GET /health/live': endless('GET /health/live'),
  'one-byte chunks, POST /payment-return': endless('POST /api/v1/payment-return'),
  'one-byte chunks, an unknown path': endless('POST /nowhere'),
  'one-byte chunks, 200 connections': endless('POST /nowhere', tiny, 200),
  '64 KB chunks, an unknown path': endless('POST /nowhere', `10000\r\n${'x'.repeat(65_536)}\r\n`),
  'long chunk extensions': endless('POST /nowhere', `1;${'e'.repeat(8_000)}\r\nx\r\n`.repeat(8)),
  '60,000 one-byte chunks of multipart a second': again(upload, 1_000),
  '60,000 unknown keys': again(
    request('POST /api/v1/auth/login', `Content-Type: application/json\r\nContent-Length: ${manyKeys.length}\r\n`, manyKeys),
    100,
  ),
  'GET /openapi.json': again(request('GET /api/v1/openapi.json')),
  'GET /health/live': again(request('GET /health/live')),
  'sixteen requests at a time': again(request('GET /nowhere').repeat(16), 1),
  'requests without waiting': again(request('GET /health/live').repeat(5_000)),
};
