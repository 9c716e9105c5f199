import { type RawBuilder, sql } from 'kysely';
import type { CommandContext } from '../../../platform/commands/context.ts';
import type { Database } from '../../../platform/database/database.ts';
import type { Extensions } from '../../../platform/extensions.ts';
import {
  type Account,
  columnName,
  type Erasure,
  type KeptReason,
  type PersonalRecord,
  personalRecords,
} from '../../../platform/personal-data.ts';
import type { Locked } from '../../../platform/database/lock.ts';
import { processRef, type ProcessRef } from '../../../platform/workflows/process-ref.ts';
import { closeAccount, lockUser, type User } from '../../accounts/index.ts';
import { documentProcess } from '../../documents/index.ts';
import { hideFiles } from '../../files/index.ts';
import { endExportsOf } from '../../national/index.ts';
import { lockProfile, ownedWithProfile, profileProcess } from '../../profiles/index.ts';
import { lockWallet } from '../../wallet/index.ts';
import { webhookProcess } from '../../webhooks/index.ts';
import { importProcess } from '../../imports/index.ts';
import { accountExportProcess } from '../exports/process.ts';

/**
 * Takes a person out of all records of an account in one transaction (PRV-3): rows are deleted or changed as their declarations say, and
 * files are marked as deleted. Idempotent. The account stays as a number, without a sign-in.
 */
export async function eraseRecords(ctx: CommandContext, userId: number): Promise<void> {
  const { db, extensions } = ctx;
  const user = await lockRecords(ctx, userId);
  const woken = await findProcesses(db, userId);
  // Lets a change of personal columns pass the guards of append-only tables, until the transaction ends.
  await sql`select set_config('registry.erasure', 'on', true)`.execute(db);
  await closeAccount(ctx, user);
  await endExportsOf(ctx, userId);
  const account = accountOf(extensions, userId);
  await hideFiles(ctx, userId, await keysIn(db, account, (reason) => reason === 'agreements'));
  // The areas stand above each other: rows go before what they belong to.
  for (const record of account.records.toReversed()) await eraseRows(db, record, account);
  for (const ref of woken) ctx.wake(ref);
}

/**
 * Locks the profiles of an account with their records and its wallet, in the order of its own commands, then the account against each
 * command that adds a row of it.
 */
async function lockRecords(ctx: CommandContext, userId: number): Promise<Locked<User>> {
  await lockProfiles(ctx, userId);
  await lockWallet(ctx, userId);
  const user = await lockUser(ctx, userId);
  // Records that came before the lock of the account.
  await lockProfiles(ctx, userId);
  return user;
}

/** Lists processes whose records go, or wait for a decision no more. */
async function findProcesses(db: Database, userId: number): Promise<ProcessRef[]> {
  const { rows } = await sql<{ kind: string; id: number }>`
    select ${accountExportProcess.kind} as kind, id from account_exports where user_id = ${userId}
    union all select ${importProcess.kind}, id from imports where owner_id = ${userId}
    union all select ${webhookProcess.kind}, id from webhooks where user_id = ${userId}
    union all select ${profileProcess.kind}, id from profiles where owner_id = ${userId}
    union all select ${documentProcess.kind}, d.id from documents d join profiles p on p.id = d.profile_id where p.owner_id = ${userId}`.execute(
    db,
  );
  return rows.map(({ kind, id }) => processRef(kind, id));
}

/** Lists the storage keys of an account's files that only their records name, such as PDFs; not those of agreements. */
export function listErasedKeys(db: Database, extensions: Extensions, userId: number): Promise<string[]> {
  return keysIn(db, accountOf(extensions, userId), (reason, table) => reason !== 'agreements' && table !== 'files');
}

/** Lists the storage keys in kept rows of an account. */
async function keysIn(db: Database, account: Account, isAsked: (reason: KeptReason, table: string) => boolean): Promise<string[]> {
  const selects = account.records
    .filter(({ erasure, table }) => typeof erasure === 'object' && isAsked(erasure.keptFor, table))
    .flatMap((record) => keysOf(record, account));
  if (selects.length === 0) return [];
  const { rows } = await sql<{ key: string }>`select key from (${sql.join(selects, sql` union all `)}) k where key is not null`.execute(db);
  return rows.map(({ key }) => key);
}

function accountOf(extensions: Extensions, userId: number): Account {
  return { userId, records: extensions.of(personalRecords).flat() };
}

async function lockProfiles(ctx: CommandContext, userId: number): Promise<void> {
  const profiles = await ctx.db.selectFrom('profiles').select('id').where('ownerId', '=', userId).orderBy('id').execute();
  const parts = ctx.extensions.of(ownedWithProfile).toReversed();
  const lockParts = async () => {
    for (const { lock } of parts) for (const { id } of profiles) await lock?.(ctx, id);
  };
  await lockParts();
  for (const { id } of profiles) await lockProfile(ctx, id);
  // Records that came between the first pass and the lock of their profile.
  await lockParts();
}

function keysOf({ table, columns, isOf }: PersonalRecord, account: Account): RawBuilder<{ key: string }>[] {
  const names = Object.entries(columns).filter(([, content]) => content === 'file');
  return names.flatMap(([name]) =>
    isOf.map(
      (condition) => sql<{ key: string }>`select ${sql.ref(columnName(name))} as key from ${sql.table(table)} where ${condition(account)}`,
    ),
  );
}

async function eraseRows(db: Database, { table, isOf, erasure }: PersonalRecord, account: Account): Promise<void> {
  const statement = statementOf(table, erasure);
  if (statement === null) return;
  // One statement for each condition: joined by "or" they would read the whole table.
  for (const condition of isOf) await sql`${statement} where ${condition(account)}`.execute(db);
}

/** Builds what erasure does to rows of a table, without its condition; null when it leaves them as they are. */
function statementOf(table: string, erasure: Erasure): RawBuilder<unknown> | null {
  if (erasure === 'derived') return null;
  if (erasure === 'deleted') return sql`delete from ${sql.table(table)}`;
  const changes = Object.entries(erasure.columns).flatMap(([name, replacement]) =>
    replacement === 'stays' ? [] : [sql`${sql.ref(columnName(name))} = ${valueOf(name, replacement)}`],
  );
  return changes.length === 0 ? null : sql`update ${sql.table(table)} set ${sql.join(changes)}`;
}

function valueOf(name: string, replacement: RawBuilder<unknown> | 'withheld'): RawBuilder<unknown> {
  return replacement === 'withheld' ? sql`case when ${sql.ref(columnName(name))} is not null then 'withheld' end` : replacement;
}
