import { baseUrl } from '../../registry/config.ts';
import type { Brand } from '../brand/brand.ts';
import type { Platform } from '../platform.ts';

/** What a mail shows of the installation. */
export type Site = Pick<Platform, 'config' | 'brand'>;

/**
 * Returns the last lines of every mail: the federation and its first page for people (NOT-10). The mark above them lets mail programs
 * recognize a signature (RFC 3676, 4.3).
 */
export function footOf({ config, brand }: Site, language: keyof Brand['name']): string[] {
  return ['', '-- ', brand.name[language], `${baseUrl(config)}/`];
}
