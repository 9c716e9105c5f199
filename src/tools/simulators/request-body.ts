import type { Context } from 'koa';

const bodyLimitBytes = 64 * 1024;

async function readText(ctx: Context, type: string): Promise<string> {
  // Asking for the exact type also keeps a foreign page from posting JSON here: a browser would have to ask first.
  if (!ctx.is(type)) ctx.throw(415, `the body must be ${type}`);
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of ctx.req as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > bodyLimitBytes) ctx.throw(413, `the body is longer than ${bodyLimitBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** An HTML form's fields; the last one wins where a name comes twice. */
export async function readFormBody(ctx: Context): Promise<Record<string, string>> {
  return Object.fromEntries(new URLSearchParams(await readText(ctx, 'application/x-www-form-urlencoded')));
}

/** @throws 400 when it is not JSON, 413, 415 */
export async function readJsonBody(ctx: Context): Promise<unknown> {
  const text = await readText(ctx, 'application/json');
  try {
    return JSON.parse(text);
  } catch {
    return ctx.throw(400, 'the body is not JSON');
  }
}
