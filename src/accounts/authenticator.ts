import type { Authenticator } from '../http/access.ts';
import { authenticateApiKey } from './authenticate-api-key.ts';
import { authenticateSession } from './authenticate-session.ts';

/** Tells the HTTP layer whose credentials these are. */
export const authenticator: Authenticator = { byKey: authenticateApiKey, bySession: authenticateSession };
