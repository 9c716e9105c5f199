import { createHmac } from 'node:crypto';
import type { Secrets } from './secrets.ts';

/** The secret that the simulator of the bot platform shows in the embedded run; it follows from a secret of the data directory and is kept nowhere. */
export function botWebhookSecretOf(secrets: Pick<Secrets, 'sessionSecret'>): string {
  return createHmac('sha256', secrets.sessionSecret).update('webhook of the bot').digest('base64url');
}
