import { baseUrl, required } from '../../registry/config.ts';
import { commit, query } from '../../platform/commands/command.ts';
import type { Caller } from '../../platform/commands/context.ts';
import { type Database, inList } from '../../platform/database/database.ts';
import { definePoint } from '../../platform/extensions.ts';
import type { Platform } from '../../platform/platform.ts';
import { seconds } from './credential.ts';
import { editionSeconds, type ListedStatus, makeEdition, StatusBits, statusListUri } from './status-list.ts';
import { takeSigner } from './signing-keys.ts';

/** A place of a list with its present status. */
export interface ListedPlace {
  place: number;
  status: ListedStatus;
}

/** Judges certificates as the public verification does; the verification registers it. */
export interface StatusReader {
  /** Reads a page of a list's places after one, ascending, with their statuses at an instant. */
  readPage(db: Database, listId: number, after: number, limit: number, now: Date): Promise<ListedPlace[]>;
}

export const statusReaders = definePoint<StatusReader>('statuses of certificates in a status list');

const pageSize = 4_000;

/**
 * Makes the next edition of a status list: reads all its certificates, signs, and stores it (VER-12).
 *
 * Of two runs at the same time the first to commit wins. A fact that changes while it reads stays noted, so the next edition has it.
 * @param signal aborts when the worker stops
 */
export async function makeNextEdition(platform: Platform, caller: Caller, listId: number, signal: AbortSignal): Promise<void> {
  const { list, changes, now } = await query(platform, async (db, instant) => ({
    // Before the statuses are read: they include every change that is deleted below.
    changes: await db.selectFrom('status_list_changes').select('id').where('listId', '=', listId).execute(),
    list: await db.selectFrom('status_lists').select('edition').where('id', '=', listId).executeTakeFirst(),
    now: instant,
  }));
  if (list === undefined) return;
  const lst = await readStatuses(platform, listId, now, signal);
  const uri = statusListUri(baseUrl(platform.config), listId);
  const signer = await query(platform, (db) => takeSigner(db, required(platform.config, 'ENCRYPTION_KEY')));
  const issuedAt = seconds(now);
  const { cwt, jwt } = makeEdition(signer, uri, lst, issuedAt);
  await commit(platform, caller, async ({ db }) => {
    const made = await db
      .updateTable('status_lists')
      .set({
        edition: list.edition + 1,
        issuedAt: now,
        expiresAt: new Date((issuedAt + editionSeconds) * 1000),
        cwt,
        jwt,
      })
      .where('id', '=', listId)
      .where('edition', '=', list.edition)
      .returning('id')
      .executeTakeFirst();
    if (!made) return;
    await db
      .deleteFrom('status_list_changes')
      .where('id', '=', inList(changes.map(({ id }) => id)))
      .execute();
  });
}

async function readStatuses({ orm, clock, extensions }: Platform, listId: number, now: Date, signal: AbortSignal): Promise<Buffer> {
  const bits = new StatusBits();
  for (const { readPage } of extensions.of(statusReaders)) {
    for (let after = -1; ;) {
      signal.throwIfAborted();
      const page = await query({ orm, clock }, (db) => readPage(db, listId, after, pageSize, now));
      for (const { place, status } of page) bits.set(place, status);
      const last = page.at(-1);
      if (last === undefined || page.length < pageSize) break;
      after = last.place;
    }
  }
  return bits.compress();
}
