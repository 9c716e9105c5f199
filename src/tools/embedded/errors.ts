/** A reason why the embedded run cannot go on, in one line a person can act on: no stack trace is ever shown for it. */
export class EmbeddedError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'EmbeddedError';
  }
}

/** The message of anything thrown, for a line of text; an `AggregateError` of a refused connection has none of its own. */
export function messageOf(error: unknown): string {
  if (!isErrorLike(error)) return String(error);
  if (error.message === '' && Array.isArray(error.errors)) return error.errors.map(messageOf).join('; ');
  return isErrorLike(error.cause) ? `${error.message} (${messageOf(error.cause)})` : error.message;
}

/** The system's error code (`EACCES`, `ENOENT`, ...), if the error carries one. */
export function codeOf(error: unknown): string | undefined {
  return isErrorLike(error) && typeof error.code === 'string' ? error.code : undefined;
}

type ErrorLike = { message: string; cause?: unknown; code?: unknown; errors?: unknown };

/** Not `instanceof`: under Jest the errors of Node's own modules come from another realm. */
function isErrorLike(error: unknown): error is ErrorLike {
  return typeof error === 'object' && error !== null && 'message' in error && typeof error.message === 'string';
}
