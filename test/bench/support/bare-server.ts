import Koa from 'koa';
import { Pool } from 'pg';
import { factsOfCertificate } from '../../../src/areas/verification/read-certificate.ts';
import { reportReady } from '../../../src/platform/runtime/exit-with-parent.ts';

/**
 * The minimal server for the same question: bare Koa, `pg` and the verification's statement. No routes, validation, limits, headers,
 * metrics or request ids; it does not even decide about the validity.
 */
const pool = new Pool({ connectionString: process.env['DATABASE_URL'], max: Number(process.env['DATABASE_POOL']) });
const statement = { name: 'verify-certificate', text: factsOfCertificate('$1') };
const app = new Koa();
app.use(async (ctx) => {
  const token = ctx.path.slice(ctx.path.lastIndexOf('/') + 1);
  const { rows } = await pool.query<{ facts: unknown }>({ ...statement, values: [token] });
  if (rows[0]) ctx.body = { data: rows[0].facts };
});
const server = app.listen(Number(process.env['PORT']), '127.0.0.1', reportReady);
process.once('disconnect', () => process.exit(0));
process.once('SIGTERM', () => server.close(() => process.exit(0)));
