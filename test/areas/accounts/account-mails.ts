import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestApi } from '../../support/test-api.ts';
import { waitFor } from '../../support/wait-for.ts';

/** Returns the mails to an address, in the order of sending, decoded: headers, an empty line, the text. */
export function mailsTo(api: TestApi, address: string): Promise<string[]> {
  return readMails(api.surroundings.config.DATA_DIR, address);
}

/** The same, below a data directory. */
export async function readMails(dataDir: string, address: string): Promise<string[]> {
  const folder = join(dataDir, 'mail');
  const names = await readdir(folder).catch(() => []);
  const files = names.filter((name) => name.endsWith('.eml')).sort();
  const mails = await Promise.all(files.map((name) => readFile(join(folder, name), 'utf8')));
  return mails.filter((mail) => mail.includes(`To: ${address}`)).map(decodeMail);
}

/** Decodes a mail: headers, an empty line, the text. */
export function decodeMail(mail: string): string {
  const end = mail.indexOf('\r\n\r\n');
  const headers = mail.slice(0, end).replaceAll(/\r\n\s+/g, ' ');
  const body = mail.slice(end + 4);
  const encoding = /^Content-Transfer-Encoding: (.+)$/im.exec(headers)?.[1]?.trim();
  return `${decodeWords(headers)}\n\n${decodeBody(body, encoding).replaceAll('\r\n', '\n')}`;
}

/** Decodes encoded words of headers (RFC 2047); adjacent ones are one text. */
function decodeWords(headers: string): string {
  return headers
    .replaceAll(/(\?=) +(?==\?)/g, '$1')
    .replaceAll(/(?:=\?utf-8\?([qb])\?[^?]*\?=)+/gi, (words) =>
      Buffer.concat(
        [...words.matchAll(/=\?utf-8\?([qb])\?([^?]*)\?=/gi)].map(([, kind, text = '']) =>
          kind?.toLowerCase() === 'b' ? Buffer.from(text, 'base64') : quotedPrintable(text.replaceAll('_', ' ')),
        ),
      ).toString(),
    );
}

function decodeBody(body: string, encoding: string | undefined): string {
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString();
  return encoding === 'quoted-printable' ? quotedPrintable(body.replaceAll('=\r\n', '')).toString() : body;
}

function quotedPrintable(text: string): Buffer {
  return Buffer.from(
    text.replaceAll(/=([0-9A-F]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  );
}

/** Waits for mails to an address that contain these words. */
export function waitForMails(api: TestApi, address: string, words: string): Promise<string[]> {
  const find = async () => (await mailsTo(api, address)).filter((mail) => mail.includes(words));
  return waitFor(find, (mails) => mails.length > 0, `a mail "${words}"`);
}

/** Tokens of the links to a page in mails, oldest first. */
export function tokensIn(mails: readonly string[], page: 'reset' | 'confirm-email'): string[] {
  const link = new RegExp(`/${page}\\?token=([\\w-]{43})`);
  return mails.flatMap((mail) => link.exec(mail)?.[1] ?? []);
}

/** Waits for so many mailed links to a page, and returns their tokens, oldest first. */
export function waitForTokens(api: TestApi, address: string, page: 'reset' | 'confirm-email', count = 1): Promise<string[]> {
  const find = async () => tokensIn(await mailsTo(api, address), page);
  return waitFor(find, (tokens) => tokens.length >= count, `${count} links`);
}

/** Requests a recovery link with a new browser. */
export async function requestRecovery(api: TestApi, email: string): Promise<void> {
  const browser = api.browser();
  await browser.session();
  browser.expect(202, await browser.post('/auth/forgot', { email, ...(await browser.captcha('forgot')) }));
}
