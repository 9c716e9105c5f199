import { baseUrl } from '../config.ts';
import type { Variables } from '../config.ts';
import type { Mail } from '../platform/mail/mailer.ts';
import type { ContactMessage } from './entities.ts';
import type { RecoveryLink } from './request-password-reset.ts';

/** The letter with the link for a new password. */
export function recoveryLetter(config: Variables, { email, token }: RecoveryLink): Mail {
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

/** What an administrator is told of a message of the contact form. */
export function contactLetter(config: Variables, message: ContactMessage): Mail {
  return {
    to: config.ADMIN_EMAIL,
    subject: `Contact form: message ${message.id}`,
    text: [`From: ${message.name} <${message.email}>`, '', message.message].join('\n'),
  };
}
