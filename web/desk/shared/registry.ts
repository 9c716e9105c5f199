import { createClient, RegistryError } from '../../../client/src/index.ts';

/** The token that each change must carry (ACC-3); a sign-in answers another one. */
const csrf = { 'X-CSRF-Token': '' };

export function setCsrfToken(token: string): void {
  csrf['X-CSRF-Token'] = token;
}

/** Parameters of the operations that only browsers may call; `registry` adds the token to all others. */
export const fromBrowser = { header: csrf };

/** The API as everybody has it, by the session of this browser. */
export const registry = createClient({
  baseUrl: location.origin,
  // A clerk waits for an answer, or reads why there is none.
  retry: { attempts: 3, totalMs: 20_000 },
  fetch: (request) => {
    if (request.method !== 'GET') request.headers.set('X-CSRF-Token', csrf['X-CSRF-Token']);
    return fetch(request);
  },
});

/** Whether the session has ended, or was given another token at another tab. */
export function isSessionOver(error: unknown): boolean {
  return error instanceof RegistryError && ['unauthenticated', 'csrf_failed', 'second_factor_required'].includes(error.code);
}
