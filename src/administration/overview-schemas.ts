import { z } from 'zod';
import { dateTimeResponse, id, tiyn } from '../http/schemas.ts';

const count = z.int().min(0);

export const overviewResponse = z
  .object({
    queue: z.record(z.string(), count).meta({ description: 'What waits for an administrator, by the kinds of GET /admin/queue' }),
    states: z
      .record(z.string(), z.record(z.string(), count))
      .meta({ description: 'Records by kind and state; a state that no record is in is left out' }),
    oldest: z
      .object({ kind: z.string(), id, title: z.string(), waiting_since: dateTimeResponse })
      .nullable()
      .meta({ description: 'What has waited longest for an administrator' }),
    money: z.object({
      wallets_minor: tiyn.meta({ description: 'What all wallets hold, tiyn' }),
      income_minor: tiyn.meta({ description: "What the federation's services have earned, refunds taken off, tiyn" }),
      premium_minor: tiyn.meta({ description: 'Insurance premiums of national certificates, tiyn' }),
    }),
    processes: z
      .object({
        running: count,
        waiting: count,
        stuck: count.meta({ description: 'Counted up to 10,000 of a kind' }),
        failed: count.nullable().meta({ description: 'Null while the workflow engine cannot be asked' }),
      })
      .meta({ description: 'As GET /admin/processes lists them' }),
  })
  .meta({ id: 'Overview' });
