import Koa from 'koa';
import { Pool } from 'pg';
import { reportReady } from '../../src/embedded/leash.ts';

/** The least that can answer the same question: bare Koa, one statement by the same index over the same table, JSON. */
const pool = new Pool({ connectionString: process.env['DATABASE_URL'], max: Number(process.env['DATABASE_POOL']) });
const app = new Koa();
app.use(async (ctx) => {
  const token = ctx.path.slice(ctx.path.lastIndexOf('/') + 1);
  const { rows } = await pool.query({
    name: 'certificate',
    text: 'select number, valid_from, valid_until from certificates where token = $1',
    values: [token],
  });
  if (rows[0]) ctx.body = { data: rows[0] };
});
const server = app.listen(Number(process.env['PORT']), '127.0.0.1', reportReady);
process.once('disconnect', () => process.exit(0));
process.once('SIGTERM', () => server.close(() => process.exit(0)));
