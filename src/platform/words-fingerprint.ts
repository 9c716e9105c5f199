import { createHmac, createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';

/**
 * Fingerprints a command's private input: one Idempotency-Key stands for one command, and other input is another command. Private input is
 * deleted after a day, while a key lives 30 (`processed-command-lifetime.ts`). So only a keyed hash is kept: without SESSION_SECRET it
 * cannot be compared with guessed notes, and the same note has another hash in each command.
 *
 * Input is compared under the key that made the hash. After a change of SESSION_SECRET, or without a stored hash, only the arguments
 * decide. A true repeat is recognized in any case and never carried out twice; other input under a used key counts as a repeat for the rest
 * of the 30 days.
 *
 * @param commandId of the one command that the hash is for
 * @param words the private words as they came; null where the command has none
 * @param secret SESSION_SECRET
 * @returns `<key id>:<HMAC-SHA256>`, 81 characters; null without a secret
 */
export function fingerprintWords(commandId: string, words: Record<string, unknown> | null, secret: string | undefined): string | null {
  if (secret === undefined) return null;
  const { key, id } = keyOf(secret);
  const entries = words === null ? null : Object.entries(words).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `${id}:${createHmac('sha256', key)
    .update(JSON.stringify([commandId, entries]))
    .digest('hex')}`;
}

/** Whether two fingerprints of the same command are of other words; where they cannot be compared they are not. */
export function areOtherWords(before: string | null, now: string | null): boolean {
  if (before === null || now === null || before === now) return false;
  return idOf(before) === idOf(now);
}

function idOf(fingerprint: string): string {
  return fingerprint.slice(0, fingerprint.indexOf(':'));
}

const keys = new Map<string, { key: KeyObject; id: string }>();

/** A key of its own for this one use, and a name for it that says nothing about the secret; derived once a process. */
function keyOf(secret: string): { key: KeyObject; id: string } {
  const known = keys.get(secret);
  if (known) return known;
  const derive = (use: string, bytes: number) => Buffer.from(hkdfSync('sha256', secret, '', use, bytes));
  const made = {
    key: createSecretKey(derive('words of commands', 32)),
    id: derive('name of the key of words of commands', 8).toString('hex'),
  };
  keys.set(secret, made);
  return made;
}
