import { createHash } from 'node:crypto';
import { body, type Reply } from './reply.ts';
import { matchesEntityTag } from './send-file.ts';

/** Seconds for which caches may reuse a public answer. */
const lifetimeSeconds = 60;

type ReadHeader = (name: string) => string | undefined;

/**
 * Lets browsers and proxies cache a public answer for a minute, and answers 304 to a matching tag. The tag ignores the request id, so it is
 * weak (RFC 9110 §8.8.1). Only for answers that are the same for all callers.
 */
export async function cacheable<Data>(reply: Reply<Data>, header: ReadHeader): Promise<Reply<Data>> {
  const content = reply.kind === 'json' ? JSON.stringify([reply.data, reply.meta]) : reply.body;
  return typeof content === 'string' && reply.status === 200 ? unlessUnchanged(content, header, () => reply, reply.headers['Vary']) : reply;
}

/**
 * Does the same for an expensive answer: computes it only without a matching tag.
 * @param source everything that the answer depends on, with its language
 * @param vary request headers that change the answer: a 304 names them too (RFC 9110 §15.4.5)
 */
export async function unlessUnchanged<Data>(
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
