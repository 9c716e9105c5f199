import type { SendMailOptions } from 'nodemailer';
import { assertMailAddress, type Mail } from './mailer.ts';

/**
 * What nodemailer is given. Header values go in as values, never as header lines; mails are plain content, so it may neither read files nor
 * fetch addresses for them.
 * @throws {MailAddressError}
 */
export function composeMail(mail: Mail, from: string): SendMailOptions {
  assertMailAddress(mail.to);
  return {
    from,
    to: { name: '', address: mail.to },
    // One line: nodemailer folds and encodes what is left.
    subject: mail.subject.replaceAll(/\p{Cc}+/gu, ' ').trim(),
    text: mail.text,
    ...(mail.html !== undefined && { html: mail.html }),
    ...(mail.messageId !== undefined && { messageId: `<${mail.messageId.replaceAll(/[^A-Za-z0-9._@-]/g, '-')}>` }),
    // Machines that answer mails by themselves leave these alone (RFC 3834).
    headers: { 'Auto-Submitted': 'auto-generated' },
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}
