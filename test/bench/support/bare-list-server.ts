import { createServer } from 'node:http';
import { reportReady } from '../../../src/platform/runtime/exit-with-parent.ts';
import { withDatabase } from './bench-stack.ts';

/** The minimal server of a status list: bare `node:http` with the bytes in memory. No database, encodings, limits or metrics. */
const [list] = await withDatabase(process.env['DATABASE_URL'] ?? '', async (database) => {
  const { rows } = await database.query<{ cwt: Buffer }>('select cwt from status_lists where id = 1');
  return rows;
});
if (!list) throw new Error('There is no status list 1.');
const headers = { ETag: '"1"', 'Cache-Control': 'public, max-age=60' };
const server = createServer((request, response) => {
  if (request.headers['if-none-match'] === headers.ETag) response.writeHead(304, headers).end();
  else response.writeHead(200, { ...headers, 'Content-Type': 'application/statuslist+cwt' }).end(list.cwt);
}).listen(Number(process.env['PORT']), '127.0.0.1', reportReady);
process.once('disconnect', () => process.exit(0));
process.once('SIGTERM', () => server.close(() => process.exit(0)));
