import type { Context, Middleware } from 'koa';
import type { Logger } from 'pino';
import { DomainError, isDomainError } from '../../errors.ts';
import { toDomainError } from '../../platform/database/constraint-errors.ts';
import { causeOf } from '../../platform/logging/log.ts';
import { writeErrorPage } from './error-page.ts';
import type { Shell } from './page.ts';

/**
 * Writes every error response (API-1). Logs unknown errors and answers an opaque 500.
 * @param answersPeople whether the response is a page for a person
 */
export function errorWriter(log: Logger, shell: Shell, answersPeople: (ctx: Context) => boolean): Middleware {
  return async (ctx, next) => {
    try {
      await next();
    } catch (error) {
      writeError(ctx, error, log, answersPeople(ctx) ? shell : null);
    }
  };
}

function writeError(ctx: Context, error: unknown, log: Logger, shell: Shell | null): void {
  const refusal = isDomainError(error) ? error : (toDomainError(error) ?? requestError(error));
  if (!refusal) log.error({ err: error, request_id: ctx.state.requestId, method: ctx.method, route: ctx.state.route }, 'request failed');
  const answer = refusal ?? new DomainError('internal_error');
  if (answer.status === 503) {
    const wait = answer.details?.['retry_after_seconds'];
    ctx.set('Retry-After', typeof wait === 'number' ? String(wait) : '5');
    log.warn(
      { request_id: ctx.state.requestId, code: answer.code, cause: answer.cause === undefined ? undefined : causeOf(answer.cause) },
      'answered 503',
    );
  }
  if (answer.code === 'request_in_progress') ctx.set('Retry-After', '1');
  if (answer.code === 'rate_limited' || answer.code === 'quota_exceeded') writeLimit(ctx, answer);
  // RFC 9110 §15.5.17: the answer to an unsatisfiable range names the file's length.
  if (answer.code === 'range_not_satisfiable') ctx.set('Content-Range', `bytes */${String(answer.details?.['size'])}`);
  if (answer.status === 401) ctx.set('WWW-Authenticate', challenge(ctx, answer));
  ctx.status = answer.status;
  ctx.state.errorCode = answer.code;
  if (shell !== null) {
    writeErrorPage(ctx, answer, shell);
    return;
  }
  ctx.body = {
    error: { code: answer.code, message: answer.message, ...(answer.details === undefined ? {} : { details: answer.details }) },
    request_id: ctx.state.requestId,
  };
}

/** RFC 9110 §11.6.1 requires it with every 401; RFC 6750 §3.1 the reason, when an invalid key was sent. */
function challenge(ctx: Context, { code }: DomainError): string {
  const isKeyRefused = code === 'unauthenticated' && /^Bearer /i.test(ctx.get('authorization'));
  return isKeyRefused ? 'Bearer error="invalid_token"' : 'Bearer';
}

/** Sets headers for the limit that refused the request, not for the broad one (API-9). */
function writeLimit(ctx: Context, { details }: DomainError): void {
  const wait = details?.['retry_after_seconds'];
  if (typeof wait !== 'number') return;
  const seconds = String(wait);
  ctx.set('Retry-After', seconds);
  if (typeof details?.['limit'] === 'number')
    ctx.set({ 'RateLimit-Limit': String(details['limit']), 'RateLimit-Remaining': '0', 'RateLimit-Reset': seconds });
}

/** Converts refusals of Node and Koa: a bad escape in the path, a body that the client aborted. */
function requestError(error: unknown): DomainError | null {
  if (error instanceof URIError) return new DomainError('not_found');
  if (error instanceof Error && 'code' in error && (error.code === 'ECONNRESET' || error.code === 'ECONNABORTED'))
    return new DomainError('malformed_json', undefined, 'The request was interrupted.');
  return null;
}
