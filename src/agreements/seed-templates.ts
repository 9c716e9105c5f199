import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { databaseOf } from '../platform/database/database.ts';
import { defaultTemplate } from './default-template.ts';

/**
 * Adds the default template, from which agreements are made when none is named (decisions.md §7). What an administrator has made of it
 * since stays.
 * @idempotent adds it where there is no default, changes nothing that is there
 */
export async function seedContractTemplates(em: EntityManager): Promise<void> {
  await em.transactional(async (transaction) => {
    const db = databaseOf(transaction);
    const now = sql<Date>`now()`;
    const added = await db
      .insertInto('contract_templates')
      .values({ version: 1, active: true, isDefault: true, createdAt: now, updatedAt: now })
      .onConflict((conflict) => conflict.doNothing())
      .returning('id')
      .executeTakeFirst();
    if (!added) return;
    await db
      .insertInto('contract_template_versions')
      .values({ templateId: added.id, version: 1, ...defaultTemplate, createdAt: now })
      .execute();
  });
}
