import { defineEntity, p } from '@mikro-orm/core';

/**
 * Totals that the overview shows: how many records of a kind are in a state, how many have a process, what the accounts of the ledger hold; and
 * those of administrators' lists (`list:…`), by what these are filtered by. What has changed since they were last brought up to date stands in
 * `tally_changes`; only both together are the truth (`tallies.ts`).
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
 * A change of a total, written by the database itself with the rows that are counted (triggers of the migration), so that no command can
 * forget it. Only added to by commands, so that none of them waits for another; the sweeper moves them into the totals.
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
