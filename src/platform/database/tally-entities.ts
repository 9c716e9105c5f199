import { defineEntity, p } from '@mikro-orm/core';

/**
 * Totals of the overview (records by state, processes, ledger balances) and of administrators' lists (`list:…`). Later changes are in
 * `tally_changes`; only both together are exact (`tallies.ts`).
 */
export const TallyEntity = defineEntity({
  name: 'Tally',
  tableName: 'tallies',
  primaryKeys: ['name', 'key'],
  properties: {
    name: p.string().length(40).primary(),
    key: p.string().length(60).primary(),
    n: p.bigint('number'),
  },
});

/**
 * A change of a total, written by triggers with the counted rows, so that no command can omit it. Commands only insert and never wait for
 * each other; the sweeper merges the changes into the totals.
 */
export const TallyChangeEntity = defineEntity({
  name: 'TallyChange',
  tableName: 'tally_changes',
  properties: {
    id: p.bigint('number').primary().autoincrement(),
    name: p.string().length(40),
    key: p.string().length(60),
    n: p.bigint('number'),
  },
});
