import { countUpTo } from '../../platform/database/bounded-queries.ts';
import { ageOf, defineStateGauges, mostCounted } from '../../platform/metrics/state-gauges.ts';
import { type ChangedRecord, nullColumn } from '../changes/index.ts';

/** The preferences of an account in the log of changes. */
export const preferenceChanges: readonly ChangedRecord[] = [
  {
    record: 'notification_preferences',
    select: (db) =>
      db.selectFrom('users as u').select(['u.id', nullColumn.status, 'u.id as ownerId', nullColumn.organizer, nullColumn.parent]),
    path: (_change, reader) => (reader === 'owner' ? '/notifications/preferences' : '/admin/users'),
  },
];

/** Messages that wait to go out. Uses notification_deliveries_waiting_index. */
export const deliveryGauges = defineStateGauges(
  {
    registry_deliveries_waiting: { help: `Messages that wait to go out, by channel, counted up to ${mostCounted}`, labels: ['channel'] },
    registry_deliveries_oldest_seconds: { help: 'Age of the oldest message that waits to go out, by channel', labels: ['channel'] },
  },
  async (_, db, now) => {
    const values = [];
    for (const channel of ['mail', 'bot'] as const) {
      const waiting = db.selectFrom('notification_deliveries').where('channel', '=', channel);
      const { total } = await countUpTo(db, waiting, mostCounted);
      const oldest = await waiting.select('createdAt').orderBy('createdAt').limit(1).executeTakeFirst();
      values.push(
        { name: 'registry_deliveries_waiting' as const, labels: { channel }, value: total },
        { name: 'registry_deliveries_oldest_seconds' as const, labels: { channel }, value: ageOf(oldest?.createdAt, now) },
      );
    }
    return values;
  },
);
