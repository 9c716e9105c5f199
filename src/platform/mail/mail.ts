import type { SendMailOptions } from 'nodemailer';
import { assertMailAddress, type Mail } from './mailer.ts';

/**
 * Composes a mail for nodemailer. Passes header values as values, never as header lines, and forbids reading files or fetching URLs.
 * @throws {MailAddressError}
 */
export function composeMail(mail: Mail, from: string): SendMailOptions {
  assertMailAddress(mail.to);
  return {
    from,
    to: { name: '', address: mail.to },
    // One line; nodemailer folds and encodes it.
    subject: mail.subject.replaceAll(/\p{Cc}+/gu, ' ').trim(),
    text: mail.text,
    ...(mail.html !== undefined && { html: mail.html }),
    ...(mail.messageId !== undefined && { messageId: `<${mail.messageId.replaceAll(/[^A-Za-z0-9._@-]/g, '-')}>` }),
    // Prevents automatic replies (RFC 3834).
    headers: { 'Auto-Submitted': 'auto-generated' },
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}
