import { createClient, RegistryError, type RetryOptions } from '../../../client/src/index.ts';

/** The token that each change must carry (ACC-3); a sign-in answers another one. */
const csrf = { 'X-CSRF-Token': '' };

export function setCsrfToken(token: string): void {
  csrf['X-CSRF-Token'] = token;
}

/** Parameters of the operations that only browsers may call; `registry` adds the token to all others. */
export const fromBrowser = { header: csrf };

/** The API as everybody has it, by the session of this browser. A clerk waits for an answer, or reads why there is none. */
export const registry = connect({ attempts: 3, totalMs: 20_000 });
/** For the few calls that may work for a minute. */
export const slowRegistry = connect({ attempts: 3, totalMs: 120_000 });

function connect(retry: RetryOptions) {
  return createClient({
    baseUrl: location.origin,
    retry,
    fetch: (request) => {
      if (request.method !== 'GET') request.headers.set('X-CSRF-Token', csrf['X-CSRF-Token']);
      return fetch(request);
    },
  });
}

/** Whether the session has ended, or was given another token at another tab. */
export function isSessionOver(error: unknown): boolean {
  return error instanceof RegistryError && ['unauthenticated', 'csrf_failed', 'second_factor_required'].includes(error.code);
}
