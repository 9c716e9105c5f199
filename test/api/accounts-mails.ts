import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestApi } from '../support/test-api.ts';

/** Mails to an address, in the order they were sent, with quoted-printable line breaks taken out. */
export async function mailsTo(api: TestApi, address: string): Promise<string[]> {
  const folder = join(api.surroundings.config.DATA_DIR, 'mail');
  const names = await readdir(folder).catch(() => []);
  const files = names.filter((name) => name.endsWith('.eml')).sort();
  const mails = await Promise.all(files.map((name) => readFile(join(folder, name), 'utf8')));
  return mails.filter((mail) => mail.includes(`To: ${address}`)).map((mail) => mail.replaceAll('=\r\n', '').replaceAll('=3D', '='));
}
