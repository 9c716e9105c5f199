/**
 * Returns the `code` of a system or library error (`ENOENT`, `EADDRINUSE`, ...), if any. Checks the field, not the class: errors of another
 * realm (a worker, a test's sandbox) are not `instanceof` Error.
 */
export function errorCode(error: unknown): string | undefined {
  return typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** Returns the `name` of an error (`TimeoutError`, `NoSuchKey`, ...), if any. */
export function errorName(error: unknown): string | undefined {
  return typeof error === 'object' && error !== null && 'name' in error && typeof error.name === 'string' ? error.name : undefined;
}
