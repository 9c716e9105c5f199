import type { CommandContext } from '../../platform/commands/context.ts';
import type { Database } from '../../platform/database/database.ts';
import { definePoint } from '../../platform/extensions.ts';
import { processRef } from '../../platform/workflows/process-ref.ts';

/** Records of another area that use documents. */
export interface DocumentDependents {
  /** Kind of their process. */
  kind: string;
  /** Ids of the live ones, ascending: each has a process that must be woken when the document changes. */
  listLiving(db: Database, documentId: number): Promise<number[]>;
  /** Ids of the live ones that need another document in its place once it has expired, ascending; only where people attach one. */
  listNeeding?(db: Database, documentId: number, now: Date): Promise<number[]>;
  /** Ids of those that prevent a change of the document (DOC-3), ascending. */
  listUses(db: Database, documentId: number): Promise<number[]>;
}

export const documentDependents = definePoint<DocumentDependents>('dependents of a document');

/** Wakes the processes of all records that use a document. */
export async function wakeDependents(ctx: CommandContext, documentId: number): Promise<void> {
  for (const { kind, listLiving } of ctx.extensions.of(documentDependents))
    for (const id of await listLiving(ctx.db, documentId)) ctx.wake(processRef(kind, id));
}

/** Lists the applications that need another document in the place of an expired one, ascending. */
export async function listNeeding({ db, now, extensions }: CommandContext, documentId: number): Promise<number[]> {
  const needing: number[] = [];
  for (const dependents of extensions.of(documentDependents))
    needing.push(...((await dependents.listNeeding?.(db, documentId, now)) ?? []));
  return needing;
}

/** A record that uses a document; `kind` is the kind of its process. */
interface DocumentUse {
  kind: string;
  id: number;
}

/** Lists the records that prevent a change of a document (DOC-3), by kind, ascending. */
export async function listUses({ db, extensions }: Pick<CommandContext, 'db' | 'extensions'>, documentId: number): Promise<DocumentUse[]> {
  const uses: DocumentUse[] = [];
  for (const { kind, listUses: list } of extensions.of(documentDependents))
    uses.push(...(await list(db, documentId)).map((id) => ({ kind, id })));
  return uses;
}

/** Lists the records that are live or prevent a change of a document, by kind, ascending. */
export async function listLinks({ db, extensions }: Pick<CommandContext, 'db' | 'extensions'>, documentId: number): Promise<DocumentUse[]> {
  const links: DocumentUse[] = [];
  for (const { kind, listLiving, listUses: list } of extensions.of(documentDependents)) {
    const ids = new Set([...(await listLiving(db, documentId)), ...(await list(db, documentId))]);
    links.push(...[...ids].sort((left, right) => left - right).map((id) => ({ kind, id })));
  }
  return links;
}

export function applicationsAmong(uses: readonly DocumentUse[]): number[] {
  return uses.filter(({ kind }) => kind === 'application').map(({ id }) => id);
}

/** Groups uses by kind for the error details: `applications` always, other kinds such as `registrations` only when present. */
export function usesByKind(uses: readonly DocumentUse[]): Record<string, number[]> {
  const byKind: Record<string, number[]> = { applications: [] };
  for (const { kind, id } of uses) (byKind[`${kind}s`] ??= []).push(id);
  return byKind;
}
