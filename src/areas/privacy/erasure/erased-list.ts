import { sql } from 'kysely';
import { commit } from '../../../platform/commands/command.ts';
import type { UnrecordedCaller } from '../../../platform/commands/context.ts';
import type { Platform } from '../../../platform/platform.ts';
import { readObject, type Storage } from '../../../platform/storage/storage.ts';

/** An erased account. A restored database gives its number again, so the instant of the registration tells whether it is the same. */
export interface ErasedAccount {
  id: number;
  registeredAt: Date;
}

/** The first month with a list. */
const first = { year: 2026, month: 11 };

const lister: UnrecordedCaller = { actor: { kind: 'process' }, requestId: 'erased-accounts', ip: null };

/**
 * Adds an account to the list of erased accounts in the storage, which outlives a restore of the database (PRV-6). Idempotent. A list has
 * the accounts that were erased in a month, by real time; it holds no personal data.
 */
export async function listErased(platform: Platform, { id, registeredAt }: ErasedAccount): Promise<void> {
  const { storage } = platform;
  const line = `${JSON.stringify({ id, registered_at: registeredAt.toISOString() })}\n`;
  // Two writers would lose one of their accounts.
  await commit(platform, lister, async ({ db }) => {
    await sql`select pg_advisory_xact_lock(hashtextextended('erased-accounts', 0))`.execute(db);
    const now = new Date();
    const key = keyOf(now.getUTCFullYear(), now.getUTCMonth() + 1);
    const listed = (await readObject(storage, key))?.toString() ?? '';
    if (listed.includes(line)) return;
    const content = Buffer.from(listed + line);
    await storage.put(key, content, { contentType: 'application/jsonl', size: content.length });
  });
}

/** Reads the lists of all months until now. */
export async function* readErased(storage: Pick<Storage, 'get'>): AsyncGenerator<ErasedAccount> {
  const now = new Date();
  const last = now.getUTCFullYear() * 12 + now.getUTCMonth();
  for (let place = first.year * 12 + first.month - 1; place <= last; place += 1) {
    const listed = (await readObject(storage, keyOf(Math.floor(place / 12), (place % 12) + 1)))?.toString() ?? '';
    for (const line of listed.split('\n')) {
      if (line === '') continue;
      const { id, registered_at: at } = JSON.parse(line) as { id: number; registered_at: string };
      yield { id, registeredAt: new Date(at) };
    }
  }
}

function keyOf(year: number, month: number): string {
  return `erased-accounts/${year}-${String(month).padStart(2, '0')}.jsonl`;
}
