/** A reason why the embedded run cannot continue, with the next action, in one line; shown without a stack trace. */
export class EmbeddedError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'EmbeddedError';
  }
}

/** Returns a one-line message for any thrown value; collects the messages of an `AggregateError`. */
export function messageOf(error: unknown): string {
  if (!isErrorLike(error)) return String(error);
  if (error.message === '' && Array.isArray(error.errors)) return error.errors.map(messageOf).join('; ');
  return isErrorLike(error.cause) ? `${error.message} (${messageOf(error.cause)})` : error.message;
}

type ErrorLike = { message: string; cause?: unknown; errors?: unknown };

/** Does not use `instanceof`: under Jest, errors of Node's modules belong to another realm. */
function isErrorLike(error: unknown): error is ErrorLike {
  return typeof error === 'object' && error !== null && 'message' in error && typeof error.message === 'string';
}
