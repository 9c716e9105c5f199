/** A reason why the embedded run cannot go on, in one line a person can act on: no stack trace is ever shown for it. */
export class EmbeddedError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'EmbeddedError';
  }
}

/** The message of anything thrown, for a line of text; an `AggregateError` of a refused connection has none of its own. */
export function messageOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return error.errors.map(messageOf).join('; ');
  if (error instanceof Error) {
    const cause = error.cause instanceof Error ? ` (${messageOf(error.cause)})` : '';
    return `${error.message}${cause}`;
  }
  return String(error);
}

/** The system's error code (`EACCES`, `ENOENT`, ...), if the error carries one. */
export function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
