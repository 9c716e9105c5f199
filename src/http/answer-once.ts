import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { DomainError, type ErrorCode, isDomainError } from '../errors.ts';
import { toDomainError } from '../platform/database/constraint-errors.ts';
import { databaseOf } from '../platform/database/database.ts';
import type { IdempotentRequest } from '../platform/commands/idempotent-request.ts';
import { causeOf } from '../platform/logging/log.ts';
import type { Platform } from '../platform/platform.ts';
import type { Route } from './define-route.ts';
import type { SentFile } from './request/parse-body.ts';
import type { SentReply } from './response/reply.ts';

export const replayHeader = 'Idempotent-Replayed';

/** Content of a request with an `Idempotency-Key`. */
interface SentContent extends SentFile {
  method: string;
  /** With its query string. */
  url: string;
  body: unknown;
}

/** Returns whether `Idempotency-Key` applies: on every write of a signed-in caller that does not renew the session (API-6). */
export function takesIdempotencyKey({ method, access, renewsSession }: Pick<Route, 'method' | 'access' | 'renewsSession'>): boolean {
  return method !== 'GET' && access.kind !== 'public' && access.kind !== 'session' && !renewsSession;
}

/**
 * Processes a request, or repeats its first answer (API-6). A refusal frees the key. A failure on our side keeps it, so that a retry
 * continues from the committed effect.
 * @param respond validates and carries out the request
 * @throws {DomainError} request_in_progress, idempotency_key_conflict, and what `respond` throws
 */
export async function answerOnce(
  platform: Pick<Platform, 'orm' | 'log' | 'runningRequests'>,
  request: IdempotentRequest,
  content: SentContent,
  respond: () => Promise<SentReply>,
): Promise<SentReply> {
  const end = await platform.runningRequests.begin(request.id);
  if (end === null) throw new DomainError('request_in_progress');
  try {
    return await answerAlone(platform, request, content, respond);
  } finally {
    // Before the answer: its client may repeat the request at once, at another API.
    await end();
  }
}

async function answerAlone(
  { orm, log }: Pick<Platform, 'orm' | 'log'>,
  request: IdempotentRequest,
  { upload, digest, ...sent }: SentContent,
  respond: () => Promise<SentReply>,
): Promise<SentReply> {
  const fileSha256 = upload === null ? (digest?.sha256 ?? null) : await sha256Of(upload.path);
  const db = databaseOf(orm.em.fork());
  await request.find(db);
  request.identify({ ...sent, fileSha256 });
  if (request.answer !== null) return asReplay({ kind: 'json', ...request.answer });
  let reply: SentReply;
  try {
    reply = await respond();
  } catch (error) {
    if (isRefusal(error)) await request.releaseKey(db);
    throw error;
  }
  if (reply.kind === 'json') {
    const { kind: _kind, ...answer } = reply;
    try {
      await request.storeAnswer(db, answer);
    } catch (error) {
      // The effect is committed, so a repeat can compute the missing answer again.
      log.warn({ cause: causeOf(error) }, 'cannot store an answer for repeats of its request');
    }
  }
  return request.isRepeat ? asReplay(reply) : reply;
}

function asReplay(reply: SentReply): SentReply {
  return { ...reply, headers: { ...reply.headers, [replayHeader]: 'true' } };
}

/** These codes mean that another request holds the key. */
const keyConflicts: ReadonlySet<ErrorCode> = new Set(['idempotency_key_conflict', 'request_in_progress']);

function isRefusal(error: unknown): boolean {
  const refusal = isDomainError(error) ? error : toDomainError(error);
  return refusal !== null && refusal.status < 500 && !keyConflicts.has(refusal.code);
}

async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}
