import type { TestApi } from '../test-api.ts';

let poisons = 0;

/** Makes a change of a record impossible, as a row that breaks a rule would. @returns a function that repairs it */
export async function poison({ sql }: Pick<TestApi, 'sql'>, table: string, condition: string): Promise<() => Promise<void>> {
  poisons += 1;
  const name = `poison_${poisons}`;
  await sql(`create function ${name}() returns trigger language plpgsql as $$ begin raise exception 'poisoned'; end $$`);
  await sql(`create trigger ${name} before update on ${table} for each row when (${condition}) execute function ${name}()`);
  return async () => void (await sql(`drop trigger ${name} on ${table}`));
}
