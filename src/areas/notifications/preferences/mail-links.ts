import { createHmac, timingSafeEqual } from 'node:crypto';
import { baseUrl, type Variables } from '../../../registry/config.ts';
import { DomainError } from '../../../errors.ts';
import type { Language } from '../../../http/language.ts';
import type { Database } from '../../../platform/database/database.ts';
import { keyFor } from '../../../platform/secrets/encryption.ts';
import { secretsIn } from '../../../platform/secrets/secret-list.ts';

export const mailPreferencesPath = '/mail-preferences';

/** What the link of a mail names. */
interface MailLink {
  userId: number;
  /** Of the notification. */
  type: string;
}

/** The signature holds the address, so that a new address of the account ends the links of older mails. */
function sign(secret: string, { userId, type, email }: MailLink & { email: string }): Buffer {
  return createHmac('sha256', keyFor('links of mails', secret))
    .update(JSON.stringify([userId, type, email]))
    .digest();
}

/**
 * Builds the link of a notification's mail to the account's mail preferences (NOT-8).
 * @returns null without ENCRYPTION_KEY
 */
export function mailPreferencesLink(
  config: Variables,
  { language, ...recipient }: MailLink & { email: string; language: Language },
): string | null {
  if (config.ENCRYPTION_KEY === undefined) return null;
  const signature = sign(secretsIn(config.ENCRYPTION_KEY)[0], recipient).toString('base64url');
  return `${baseUrl(config)}${mailPreferencesPath}?token=${recipient.userId}.${recipient.type}.${signature}&lang=${language}`;
}

/**
 * Opens the token of a mail's link (NOT-8). Any key of ENCRYPTION_KEY verifies it.
 * @throws {DomainError} token_invalid; also for a blocked account and one whose address has changed
 */
export async function openMailLink(db: Database, { ENCRYPTION_KEY: keys }: Variables, token: string): Promise<MailLink> {
  const [, id, type = '', signature = ''] = /^(\d{1,9})\.([a-z_]+\.[a-z_]+)\.([\w-]{43})$/.exec(token) ?? [];
  if (id === undefined || keys === undefined) throw new DomainError('token_invalid');
  const userId = Number(id);
  const user = await db.selectFrom('users').select('email').where('id', '=', userId).where('status', '=', 'active').executeTakeFirst();
  const given = Buffer.from(signature, 'base64url');
  const isSigned = secretsIn(keys).some((secret) => user && timingSafeEqual(sign(secret, { userId, type, ...user }), given));
  if (!isSigned) throw new DomainError('token_invalid');
  return { userId, type };
}
