import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
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
  if (reply.status !== 200) return reply;
  if (reply.kind === 'page') return unlessUnchanged(JSON.stringify(reply.page), header, () => reply, 'Accept-Language');
  const content = reply.kind === 'json' ? JSON.stringify([reply.data, reply.meta]) : reply.body;
  return typeof content === 'string' ? unlessUnchanged(content, header, () => reply, reply.headers['Vary']) : reply;
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

/** In order of preference. */
const encodings = ['br', 'gzip', 'identity'] as const;
type Encoding = (typeof encodings)[number];

const compressors: Readonly<Record<Encoding, (content: Buffer) => Promise<Buffer>>> = {
  // Higher qualities keep the first reader waiting and save two percent.
  br: (content) => promisify(brotliCompress)(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } }),
  gzip: promisify<Buffer, Buffer>(gzip),
  identity: (content) => Promise.resolve(content),
};

/** Answers a request with the content, in the encoding of its headers. */
export type CompressedContent = (header: (name: string) => string | undefined) => Promise<Reply<never>>;

/**
 * Holds immutable content and its encodings. Compresses each encoding once, at its first request, on zlib's threads. Every encoding has its
 * own entity tag, because its bytes differ (RFC 9110 §8.8.3).
 */
export function compressOnce(content: Buffer, headers: Record<string, string>): CompressedContent {
  const hash = createHash('sha256').update(content).digest('base64url').slice(0, 22);
  const made = new Map<Encoding, Promise<Buffer>>();
  return async (header) => {
    const encoding = chooseEncoding(header('accept-encoding'));
    const tag = encoding === 'identity' ? `"${hash}"` : `"${hash}-${encoding}"`;
    const validators = { ETag: tag, Vary: 'Accept-Encoding', 'Cache-Control': headers['Cache-Control'] ?? 'no-cache' };
    if (matchesEntityTag(header('if-none-match'), tag)) return body(null, validators, 304);
    let encoded = made.get(encoding);
    if (!encoded) made.set(encoding, (encoded = compressors[encoding](content)));
    const ofEncoding = encoding === 'identity' ? {} : { 'Content-Encoding': encoding };
    return body(await encoded, { ...headers, ...validators, ...ofEncoding });
  };
}

/** Chooses the best encoding that a client accepts (RFC 9110 §12.5.3); `identity` even if it is refused. */
function chooseEncoding(accepted: string | undefined): Encoding {
  const weights = new Map<string, number>();
  for (const word of (accepted ?? '').slice(0, maxHeaderLength).split(',')) {
    const [name = '', ...parameters] = word.split(';').map((part) => part.trim().toLowerCase());
    const weight = parameters.find((parameter) => parameter.startsWith('q='));
    weights.set(name === 'x-gzip' ? 'gzip' : name, weight === undefined ? 1 : Number(weight.slice(2)));
  }
  return encodings.find((encoding) => encoding === 'identity' || (weights.get(encoding) ?? weights.get('*') ?? 0) > 0) ?? 'identity';
}

/** Characters; browsers send about 30. */
const maxHeaderLength = 500;
