import { type Database, type Paging, readPage } from '../../../platform/database/database.ts';

/** A template with its newest version. */
export type Template = Awaited<ReturnType<ReturnType<typeof selectTemplates>['execute']>>[number];

/** Finds the default template, used when the client names none; the seed adds it, and it stays active (AGR-9). */
export async function findDefaultTemplate(db: Database): Promise<Template | null> {
  return (await selectTemplates(db).where('t.isDefault', '=', true).executeTakeFirst()) ?? null;
}

export async function findTemplate(db: Database, id: number): Promise<Template | null> {
  return (await selectTemplates(db).where('t.id', '=', id).executeTakeFirst()) ?? null;
}

/** Lists active templates for organizers, oldest first; unpaged, because there are only a few. */
export function listActiveTemplates(db: Database): Promise<Pick<Template, 'id' | 'title' | 'version'>[]> {
  return selectTemplates(db).clearSelect().select(['t.id', 'v.title', 't.version']).where('t.active', '=', true).orderBy('t.id').execute();
}

/** Lists a page of all templates, oldest first, with their number. */
export function listTemplates(db: Database, paging: Paging): Promise<{ rows: Template[]; total: number }> {
  return readPage(selectTemplates(db).orderBy('t.id'), paging);
}

export async function findTemplateVersion(
  db: Database,
  { templateId, version }: { templateId: number; version: number },
): Promise<{ title: string; body: string } | null> {
  const row = await db
    .selectFrom('contract_template_versions')
    .select(['title', 'body'])
    .where('templateId', '=', templateId)
    .where('version', '=', version)
    .executeTakeFirst();
  return row ?? null;
}

function selectTemplates(db: Database) {
  return db
    .selectFrom('contract_templates as t')
    .innerJoin('contract_template_versions as v', (join) => join.onRef('v.templateId', '=', 't.id').onRef('v.version', '=', 't.version'))
    .select(['t.id', 't.version', 'v.title', 'v.body', 't.active as isActive', 't.isDefault', 't.createdAt', 't.updatedAt']);
}
