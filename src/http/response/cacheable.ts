import { createHash } from 'node:crypto';
import { body, type Reply } from './reply.ts';
import { matchesEntityTag } from './send-file.ts';

/** Seconds for which a copy of a public answer may stand for it. */
const lifetimeSeconds = 60;

type ReadHeader = (name: string) => string | undefined;

/**
 * Lets a public answer be kept by browsers and proxies for a minute, and answers 304 to whoever has it already. Its tag is made of what it says
 * without the id of the request, so it is a weak one (RFC 9110 §8.8.1). Only for what everybody is answered alike.
 */
export async function cacheable<Data>(reply: Reply<Data>, header: ReadHeader): Promise<Reply<Data>> {
  const content = reply.kind === 'json' ? JSON.stringify([reply.data, reply.meta]) : reply.body;
  return typeof content === 'string' && reply.status === 200 ? unlessKept(content, header, () => reply, reply.headers['Vary']) : reply;
}

/**
 * The same for an answer that takes longer to make than what it is made of takes to read: made only for who does not have it.
 * @param source all that the answer depends on, its language included
 * @param vary by which headers of a request the answer varies: a 304 names them as the answer does (RFC 9110 §15.4.5)
 */
export async function unlessKept<Data>(
  source: string,
  header: ReadHeader,
  make: () => Reply<Data> | Promise<Reply<Data>>,
  vary?: string,
): Promise<Reply<Data>> {
  const tag = `"${createHash('sha256').update(source).digest('base64url').slice(0, 22)}"`;
  const validators = {
    ETag: `W/${tag}`,
    'Cache-Control': `public, max-age=${lifetimeSeconds}`,
    ...(vary === undefined ? {} : { Vary: vary }),
  };
  if (matchesEntityTag(header('if-none-match'), tag)) return body(null, validators, 304);
  const reply = await make();
  return { ...reply, headers: { ...reply.headers, ...validators } };
}
