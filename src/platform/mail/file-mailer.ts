import { createTransport } from 'nodemailer';
import { randomUUID } from 'node:crypto';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { composeMail, type Mailer, MailUnavailableError } from './mailer.ts';

/** Writes mails as `.eml` files, for the embedded run. Names sort by time; a file appears only when complete. */
export function createFileMailer(options: { folder: string; from: string }): Mailer {
  const folder = resolve(options.folder);
  const transport = createTransport({ streamTransport: true, buffer: true, newline: 'windows' });
  return {
    async send(mail) {
      const { message } = await transport.sendMail(composeMail(mail, options.from));
      const name = `${new Date().toISOString().replaceAll(':', '-')}-${randomUUID().slice(0, 8)}.eml`;
      const written = join(folder, `.${name}.tmp`);
      try {
        await mkdir(folder, { recursive: true, mode: 0o700 });
        try {
          await writeFile(written, message, { mode: 0o600, flush: true });
          await rename(written, join(folder, name));
        } catch (error) {
          await rm(written, { force: true });
          throw error;
        }
      } catch (error) {
        throw new MailUnavailableError({ cause: error });
      }
    },
  };
}
