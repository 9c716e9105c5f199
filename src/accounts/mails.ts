import { baseUrl } from '../config.ts';
import type { Variables } from '../config.ts';
import type { Mail } from '../platform/mail/mailer.ts';
import { formatDateTime } from '../platform/date-time.ts';
import type { AccessChange } from './change-user.ts';
import type { ApiKey, ContactMessage } from './entities.ts';
import type { RecoveryLink } from './request-password-reset.ts';
import type { PasswordChange } from './set-password.ts';

/** The mail with the link for a new password. */
export function recoveryMail(config: Variables, { email, token }: RecoveryLink): Mail {
  return {
    to: email,
    subject: 'A new password for your account',
    text: [
      'Somebody, hopefully you, asked for a new password for your account in the registry.',
      '',
      'Set it here within 30 minutes; the link works once:',
      `${baseUrl(config)}/reset?token=${token}`,
      '',
      'If it was not you, do nothing: the password stays as it is.',
    ].join('\n'),
  };
}

/** Tells the owner of an account that its password was changed, and what that ended. @param how it was proven whose account it is */
export function passwordMail(config: Variables, { email, at, revokedKeys, keptKeys }: PasswordChange, how: 'password' | 'link'): Mail {
  return {
    to: email,
    subject: 'The password of your account was changed',
    text: [
      `The password of your account in the registry was changed at ${formatDateTime(at)}, ${how === 'link' ? 'by the link of a recovery mail' : 'by somebody who knew the former one'}.`,
      '',
      how === 'link' ? 'All sessions were ended.' : 'All sessions but the one that changed it were ended.',
      tellKeys(revokedKeys, keptKeys),
      '',
      `If it was not you, ask for a new password at once at ${baseUrl(config)} and write to the federation.`,
    ].join('\n'),
  };
}

function tellKeys(revoked: number, kept: number): string {
  if (kept > 0) return `API keys that are still good, as it was asked for: ${kept}.`;
  return revoked > 0 ? `API keys that were revoked: ${revoked}. Programs that used them need new ones.` : 'There were no API keys.';
}

/** Tells the owner of an account of a new API key; the key itself is in no mail. */
export function apiKeyMail(config: Variables, email: string, { name, scopes, createdAt, expiresAt }: Readonly<ApiKey>): Mail {
  return {
    to: email,
    subject: 'A new API key of your account',
    text: [
      `An API key was made for your account in the registry at ${formatDateTime(createdAt)}. Whoever has it acts for you.`,
      '',
      `Name: ${name}`,
      `May: ${scopes.join(', ')}`,
      `Until: ${formatDateTime(expiresAt)}`,
      '',
      `If it was not you, change your password at once at ${baseUrl(config)}: this revokes all keys.`,
    ].join('\n'),
  };
}

/** Tells the owner of an account what the federation made of it; null parts of the change stayed as they were. */
export function accessMail({ email, at, role, status }: AccessChange): Mail {
  const when = formatDateTime(at);
  return {
    to: email,
    subject:
      status === 'blocked'
        ? 'Your account was blocked'
        : status === 'active'
          ? 'Your account is open again'
          : 'The rights of your account were changed',
    text: [
      ...(status === 'blocked' ? [`The federation blocked your account in the registry at ${when}. Its API keys are refused.`] : []),
      ...(status === 'active' ? [`The federation opened your account in the registry again at ${when}. Its API keys are good again.`] : []),
      ...(role === 'administrator' ? [`The federation made you an administrator of the registry at ${when}.`] : []),
      ...(role === 'user' ? [`The federation took the rights of an administrator from your account at ${when}.`] : []),
      'All sessions were ended.',
      '',
      'If you do not know why, write to the federation.',
    ].join('\n'),
  };
}

/** What an administrator is told of a message of the contact form. */
export function contactMail(config: Variables, message: Readonly<ContactMessage>): Mail {
  return {
    to: config.ADMIN_EMAIL,
    subject: `Contact form: message ${message.id}`,
    text: [`From: ${message.name} <${message.email}>`, '', message.message].join('\n'),
  };
}
