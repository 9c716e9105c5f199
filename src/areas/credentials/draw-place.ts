import { sql } from 'kysely';
import type { CommandContext } from '../../platform/commands/context.ts';
import { startProcess } from '../../platform/workflows/start-process.ts';
import { newStatusList, statusListProcess } from './process.ts';
import { placesOfList } from './status-list.ts';

/** Random places that are tried at once; when all are taken, the list is nearly full and the next one opens. */
const tries = 64;

/**
 * Draws the place of a new certificate at random among the free ones of the newest list, in its transaction (VER-11). Idempotent.
 *
 * The unique constraint decides between two draws of one place. Opens the next list, with its process, when the newest is nearly full.
 */
export async function drawPlace(ctx: CommandContext, applicationId: number): Promise<void> {
  for (;;) {
    const { rows } = await sql<{ newest: number | null; isDrawn: boolean; isFull: boolean }>`
      with newest as (select max(id) as id from status_lists),
      free as (
        select newest.id as list_id, tried.place
        from newest cross join (select floor(random() * ${sql.lit(placesOfList)})::int as place from generate_series(1, ${sql.lit(tries)})) tried
        where newest.id is not null
          and not exists (select from credentials c where c.list_id = newest.id and c.place = tried.place)
        limit 1),
      drawn as (
        insert into credentials (application_id, list_id, place)
        select ${applicationId}, list_id, place from free on conflict do nothing returning application_id)
      select newest.id as newest, not exists (select from free) as is_full,
        exists (select from drawn) or exists (select from credentials where application_id = ${applicationId}) as is_drawn
      from newest`.execute(ctx.db);
    const [result] = rows;
    if (result?.isDrawn === true) return;
    if (result === undefined || result.isFull) await openStatusList(ctx, (result?.newest ?? 0) + 1);
  }
}

/** Opens a list, unless a concurrent command has opened it. */
async function openStatusList(ctx: CommandContext, id: number): Promise<void> {
  const opened = await ctx.db
    .insertInto('status_lists')
    .values({ id, openedAt: ctx.now })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst();
  if (opened) await startProcess(ctx, statusListProcess, newStatusList(id, ctx.now));
}
