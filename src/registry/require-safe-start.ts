import { sql } from 'kysely';
import { ConfigurationError } from './config.ts';
import { databaseOf } from '../platform/database/database.ts';
import { findRoleProblem } from '../platform/database/service-role.ts';
import { causeOf } from '../platform/logging/log.ts';
import type { Platform } from '../platform/platform.ts';
import type { UnsafeSetting } from './unsafe-settings.ts';

/**
 * Refuses to start in production with a setting that only the database can show to be unsafe. Logs what `UNSAFE_SETTINGS` accepts.
 * While the database is away it refuses nothing: the API starts and waits.
 * @throws {ConfigurationError}
 */
export async function requireSafeStart(platform: Pick<Platform, 'config' | 'orm' | 'log'>, process: 'api' | 'worker'): Promise<void> {
  const { config, log, orm } = platform;
  if (config.NODE_ENV !== 'production') return;
  const accepted = config.UNSAFE_SETTINGS;
  if (accepted.length > 0) log.warn({ settings: accepted }, 'UNSAFE_SETTINGS accepts unsafe settings');
  const problems: { setting: UnsafeSetting; words: string }[] = [];
  try {
    const role = await findRoleProblem(orm);
    if (role !== null) problems.push({ setting: 'privileged_database_role', words: role });
    if (process === 'api' && config.STORAGE === 'disk' && !config.ALLOW_SHARED_DISK && (await countOtherApis(platform)) > 0)
      problems.push({
        setting: 'shared_disk',
        words: 'STORAGE=disk: another API process uses this database; set ALLOW_SHARED_DISK=true if both see one folder',
      });
  } catch (error) {
    log.warn({ cause: causeOf(error) }, 'the database could not be asked at the start');
  }
  const refused = problems.filter(({ setting }) => !accepted.includes(setting));
  if (refused.length > 0)
    throw new ConfigurationError(refused.map(({ setting, words }) => `${words} (UNSAFE_SETTINGS=${setting} accepts it)`));
}

/** Counts API processes by the names of their connections (`applicationName`). */
async function countOtherApis({ orm }: Pick<Platform, 'orm'>): Promise<number> {
  const { rows } = await sql<{ others: number }>`
    select count(distinct application_name)::int as others from pg_stat_activity
    where datname = current_database() and application_name like 'registry api %'
      and application_name <> current_setting('application_name')`.execute(databaseOf(orm.em.fork()));
  return rows[0]?.others ?? 0;
}
