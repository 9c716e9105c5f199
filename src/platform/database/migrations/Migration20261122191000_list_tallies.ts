import { Migration } from '@mikro-orm/migrations';

/** Of each list the columns whose values make the key of a total (`CountedLists`). The rows of the ledger neither change nor go. */
const lists = [
  { list: 'users', table: 'users', columns: ['role', 'status'], isAddedToAlone: false },
  { list: 'ledger', table: 'ledger_transactions', columns: ['type'], isAddedToAlone: true },
  {
    list: 'national',
    table: 'national_certificates',
    columns: ['year', 'service_id', 'status', 'paid', 'insurance_exported', 'print_exported'],
    isAddedToAlone: false,
  },
];

const keyOf = (columns: readonly string[], row: string) => `concat_ws('.', ${columns.map((column) => `${row}.${column}`).join(', ')})`;

/** Totals of the administrators' lists, kept as those of the overview are: how many rows of each there are that are alike in what is filtered by. */
export class Migration20261122191000_list_tallies extends Migration {
  override name = 'Migration20261122191000_list_tallies';

  override up(): void {
    // The triggers first, as with the other totals: nothing falls between them and the count.
    for (const { list, table, columns, isAddedToAlone } of lists) {
      this.keep(list, table, 'made', columns);
      if (!isAddedToAlone) {
        this.keep(list, table, 'gone', columns);
        this.keepMoved(list, table, columns);
      }
      this.addSql(
        `insert into tallies (name, key, n) select 'list:${list}', ${keyOf(columns, 'r')}, count(*) from "${table}" r group by 2`,
      );
    }
  }

  private keep(list: string, table: string, what: 'made' | 'gone', columns: readonly string[]): void {
    const [sign, moment, rows] = what === 'made' ? ['', 'insert', 'new table'] : ['-', 'delete', 'old table'];
    this.addSql(`
      create function tally_list_${list}_${what}() returns trigger language plpgsql as $$
      begin
        insert into tally_changes (name, key, n) select 'list:${list}', ${keyOf(columns, 'r')}, ${sign}count(*) from counted r group by 2;
        return null;
      end $$`);
    this.addSql(`
      create trigger tally_list_${what} after ${moment} on "${table}" referencing ${rows} as counted
      for each statement execute function tally_list_${list}_${what}()`);
  }

  private keepMoved(list: string, table: string, columns: readonly string[]): void {
    this.addSql(`
      create function tally_list_${list}_moved() returns trigger language plpgsql as $$
      begin
        insert into tally_changes (name, key, n) values ('list:${list}', ${keyOf(columns, 'old')}, -1), ('list:${list}', ${keyOf(columns, 'new')}, 1);
        return null;
      end $$`);
    const rowOf = (row: string) => `(${columns.map((column) => `${row}.${column}`).join(', ')})`;
    this.addSql(`
      create trigger tally_list_moved after update on "${table}" for each row
      when (${rowOf('old')} is distinct from ${rowOf('new')}) execute function tally_list_${list}_moved()`);
  }

  override down(): void {
    for (const { list, table, isAddedToAlone } of lists)
      for (const what of isAddedToAlone ? ['made'] : ['made', 'gone', 'moved']) {
        this.addSql(`drop trigger tally_list_${what} on "${table}"`);
        this.addSql(`drop function tally_list_${list}_${what}()`);
      }
    this.addSql(`delete from tally_changes where name like 'list:%'`);
    this.addSql(`delete from tallies where name like 'list:%'`);
  }
}
