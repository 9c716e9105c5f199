import { changeList, removeReviewed } from '../../src/areas/national/lists/change-list.ts';
import { commit } from '../../src/platform/command.ts';
import { databaseOf } from '../../src/platform/database/database.ts';
import { insertNational } from '../support/factories/national.ts';
import { insertUsers } from '../support/factories/rows.ts';
import type { Case, Stage } from './budgets-cases.ts';

/** Changes of the personal lists of national certificates: as many statements for one record as for a hundred. */
export function nationalCases({ platform, administrator }: Pick<Stage, 'platform' | 'administrator'>): Record<string, Case> {
  const db = databaseOf(platform.orm.em.fork());
  const insert = async (count: number) => {
    const at = await platform.clock.now(db);
    const [ownerId = 0] = await insertUsers(db, 1, at);
    const made = await insertNational(
      db,
      Array.from({ length: count }, () => ({ ownerId })),
      at,
    );
    return made.map(({ id }) => id);
  };
  const change =
    (...[list, body]: Parameters<typeof changeList> extends [unknown, ...infer Rest] ? Rest : never) =>
    () =>
      commit(platform, administrator.caller, (ctx) => changeList(ctx, list, body));
  return {
    'plain: changeList, add one': async () => change('insurance', { operation: 'add', ids: await insert(1) }),
    'plain: changeList, add a hundred': async () => change('print', { operation: 'add', ids: await insert(100) }),
    'plain: changeList, add what is there': async () => {
      const added = { operation: 'add', ids: await insert(2) } as const;
      await change('insurance', added)();
      return change('insurance', added);
    },
    'plain: changeList, auto': async () => {
      await insert(3);
      return change('insurance', { operation: 'auto', year: 2026 });
    },
    'plain: changeList, clear': async () => {
      await change('insurance', { operation: 'add', ids: await insert(3) })();
      return change('insurance', { operation: 'clear' });
    },
    'plain: removeReviewed': async () => {
      const ids = await insert(3);
      await change('review', { operation: 'add', ids })();
      return () => commit(platform, administrator.caller, (ctx) => removeReviewed(ctx, ids));
    },
  };
}
