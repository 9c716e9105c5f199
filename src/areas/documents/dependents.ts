import type { CommandContext } from '../../platform/context.ts';
import type { Database } from '../../platform/database/database.ts';
import { definePoint } from '../../platform/extensions.ts';
import { processRef } from '../../platform/process-ref.ts';

/** Records of an upper area that stand on documents. */
export interface DocumentDependents {
  /** Kind of their process. */
  kind: string;
  /** Ids of those that live, ascending: each has a process that must look again when the document changes. */
  listLiving(db: Database, documentId: number): Promise<number[]>;
  /** Ids of those because of which the document may not be changed any more (decisions.md §3 "Unused"), ascending. */
  listUses(db: Database, documentId: number): Promise<number[]>;
}

export const documentDependents = definePoint<DocumentDependents>('what stands on a document');

/** Lets everything that stands on a document look at it again. @returns ids of the applications among it, ascending */
export async function wakeDependents(ctx: CommandContext, documentId: number): Promise<number[]> {
  const woken: DocumentUse[] = [];
  for (const { kind, listLiving } of ctx.extensions.of(documentDependents)) {
    const ids = await listLiving(ctx.db, documentId);
    for (const id of ids) ctx.wake(processRef(kind, id));
    woken.push(...ids.map((id) => ({ kind, id })));
  }
  return applicationsAmong(woken);
}

/** A record because of which a document may not be changed any more; `kind` is that of its process. */
export interface DocumentUse {
  kind: string;
  id: number;
}

/** What keeps a document from being changed, kind by kind, ascending. */
export async function listUses({ db, extensions }: Pick<CommandContext, 'db' | 'extensions'>, documentId: number): Promise<DocumentUse[]> {
  const uses: DocumentUse[] = [];
  for (const { kind, listUses: list } of extensions.of(documentDependents))
    uses.push(...(await list(db, documentId)).map((id) => ({ kind, id })));
  return uses;
}

/** What lives on a document or keeps it from being changed, kind by kind, ascending. */
export async function listLinks({ db, extensions }: Pick<CommandContext, 'db' | 'extensions'>, documentId: number): Promise<DocumentUse[]> {
  const links: DocumentUse[] = [];
  for (const { kind, listLiving, listUses: list } of extensions.of(documentDependents)) {
    const ids = new Set([...(await listLiving(db, documentId)), ...(await list(db, documentId))]);
    links.push(...[...ids].sort((left, right) => left - right).map((id) => ({ kind, id })));
  }
  return links;
}

/** Ids of the applications among what stands on a document. */
export function applicationsAmong(uses: readonly DocumentUse[]): number[] {
  return uses.filter(({ kind }) => kind === 'application').map(({ id }) => id);
}

/** Ids by the kinds of what stands on a document, as a refusal names them: `applications` always, others such as `registrations` where there are any. */
export function usesByKind(uses: readonly DocumentUse[]): Record<string, number[]> {
  const byKind: Record<string, number[]> = { applications: [] };
  for (const { kind, id } of uses) (byKind[`${kind}s`] ??= []).push(id);
  return byKind;
}
