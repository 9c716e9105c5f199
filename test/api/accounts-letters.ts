import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestApi } from '../support/test-api.ts';

/** Letters to an address, in the order they were sent, with quoted-printable line breaks taken out. */
export async function lettersTo(api: TestApi, address: string): Promise<string[]> {
  const folder = join(api.surroundings.config.DATA_DIR, 'mail');
  const names = await readdir(folder).catch(() => []);
  const files = names.filter((name) => name.endsWith('.eml')).sort();
  const letters = await Promise.all(files.map((name) => readFile(join(folder, name), 'utf8')));
  return letters
    .filter((letter) => letter.includes(`To: ${address}`))
    .map((letter) => letter.replaceAll('=\r\n', '').replaceAll('=3D', '='));
}
