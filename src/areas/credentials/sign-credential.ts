import { baseUrl, required } from '../../registry/config.ts';
import { query } from '../../platform/commands/command.ts';
import type { Database } from '../../platform/database/database.ts';
import type { Platform } from '../../platform/platform.ts';
import { type CertifiedFacts, makeCredential } from './credential.ts';
import { takeSigner } from './signing-keys.ts';

/** The credential of a certificate: null while no worker has signed it. */
export interface KeptCredential {
  credential: string | null;
  listId: number;
  place: number;
}

/** Reads the credential of an application's certificate; null for a certificate from before credentials. */
export async function findCredential(db: Database, applicationId: number): Promise<KeptCredential | null> {
  const row = await db
    .selectFrom('credentials')
    .select(['credential', 'listId', 'place'])
    .where('applicationId', '=', applicationId)
    .executeTakeFirst();
  return row ?? null;
}

/**
 * Signs the credential of a certificate once and stores it; for workers only (VER-10). A repeat, or a second worker, finds the first one.
 * @returns null for a certificate from before credentials
 * @throws {NoSigningKeyError}
 */
export async function signCredential(
  platform: Pick<Platform, 'orm' | 'clock' | 'config'>,
  applicationId: number,
  facts: Omit<CertifiedFacts, 'listId' | 'place'>,
): Promise<string | null> {
  return query(platform, async (db, now) => {
    const kept = await findCredential(db, applicationId);
    if (kept === null || kept.credential !== null) return kept?.credential ?? null;
    const signer = await takeSigner(db, required(platform.config, 'ENCRYPTION_KEY'));
    const credential = makeCredential(signer, baseUrl(platform.config), { ...facts, listId: kept.listId, place: kept.place }, now);
    const stored = await db
      .updateTable('credentials')
      .set({ credential, signedAt: now })
      .where('applicationId', '=', applicationId)
      .where('credential', 'is', null)
      .returning('credential')
      .executeTakeFirst();
    // A second worker was faster.
    const { credential: first } = stored ?? (await findCredential(db, applicationId)) ?? { credential: null };
    return first;
  });
}
