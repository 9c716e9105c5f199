import { randomUUID } from 'node:crypto';

/** Spread over folders, so that none grows without bound; tells nothing of the file or its owner. */
export function newStorageKey(): string {
  const name = randomUUID();
  return `${name.slice(0, 2)}/${name.slice(2, 4)}/${name}`;
}
