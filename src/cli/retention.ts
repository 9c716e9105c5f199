import { listOldAgreements } from '../areas/agreements/index.ts';
import { query } from '../platform/commands/command.ts';
import { databaseOf } from '../platform/database/database.ts';
import { formatDateTime } from '../platform/time/date-time.ts';
import { type Command, withDatabase } from './command.ts';

export const retention: Command = {
  usage: 'retention',
  summary: 'lists what is older than the periods for which records are kept',
  help: `Lists agreements that are older than RETENTION_AGREEMENTS_YEARS, for a person to decide; deletes nothing.
Reads DATABASE_URL and RETENTION_AGREEMENTS_YEARS.`,
  async run() {
    await withDatabase('retention', async (platform, { RETENTION_AGREEMENTS_YEARS: years }) => {
      const before = await query(platform, async (_db, now) => {
        const instant = new Date(now);
        instant.setUTCFullYear(now.getUTCFullYear() - years);
        return instant;
      });
      let count = 0;
      for await (const { id, eventId, ownerId, at } of listOldAgreements(databaseOf(platform.orm.em.fork()), before)) {
        process.stdout.write(`agreement ${id} of event ${eventId}, account ${ownerId}, from ${formatDateTime(at)}\n`);
        count += 1;
      }
      process.stdout.write(`${count} agreements are older than ${years} years\n`);
    });
  },
};
