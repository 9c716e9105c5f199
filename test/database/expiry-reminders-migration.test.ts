import { reminderAfter } from '../../src/areas/documents/index.ts';
import { databaseOf } from '../../src/platform/database/database.ts';
import { openDatabase } from '../../src/platform/database/orm.ts';
import { dayMs, dayOf, endOfYear, lastDayOfYear, yearOf } from '../../src/platform/date-time.ts';
import { undelivered } from '../../src/platform/workflows/outbox.ts';
import { type DocumentWishes, fixturesIn } from '../support/factories.ts';
import { startTestPlatform } from '../support/test-platform.ts';

test('what stood before there were reminders is reminded from the migration on: what has come by then is skipped', async () => {
  const { platform: started, close, surroundings } = await startTestPlatform();
  const now = new Date();
  // Nothing runs the processes here.
  const platform = { ...started, outbox: undelivered, clock: { sandbox: false, now: async () => now } };
  const make = fixturesIn(platform);
  const db = () => databaseOf(platform.orm.em.fork());
  const owner = await make.person();
  const profileId = await make.profile(owner, { status: 'approved' });
  const inDays = (days: number) => dayOf(new Date(now.getTime() + days * dayMs));
  const wishes: DocumentWishes[] = [
    ...[100, 60, 45, 20, 7, 5, -3].map((days) => ({ status: 'approved' as const, expiresAt: inDays(days) })),
    { status: 'approved', expiresAt: null },
    { status: 'pending', expiresAt: inDays(100) },
  ];
  const documents = new Map<number, Date | null>();
  for (const wish of wishes) {
    const { status, expiresAt = null } = wish;
    const next = status === 'approved' && expiresAt !== null ? reminderAfter(expiresAt, now) : null;
    documents.set(await make.document(owner, profileId, wish), next);
  }
  const issued = await make.application(await make.person(), { status: 'approved' });
  const draft = await make.application(await make.person(), { status: 'draft' });
  const annulled = await make.application(await make.person(), { status: 'approved' });
  await db().updateTable('applications').set({ status: 'cancelled' }).where('id', '=', annulled.id).execute();
  const versions = () => db().selectFrom('documents').select(['id', 'updatedAt']).orderBy('id').execute();
  const before = await versions();

  const owning = await openDatabase(surroundings.database.ownerUrl, 2);
  try {
    const name = 'Migration20261122206000_expiry_reminders';
    await owning.migrator.down({ migrations: [name] });
    await owning.em.fork().execute(`update applications set due_at = make_date(year + 1, 1, 1)::timestamp at time zone interval '5 hours'
      where status not in ('cancelled', 'closed')`);
    await owning.migrator.up({ migrations: [name] });
  } finally {
    await owning.close(true);
  }
  const kept = await db().selectFrom('documents').select(['id', 'remindAt']).where('profileId', '=', profileId).execute();
  expect(new Map(kept.map(({ id, remindAt }) => [id, remindAt]))).toEqual(documents);
  expect(await versions()).toEqual(before);
  const applications = await db()
    .selectFrom('applications')
    .select(['id', 'remindAt', 'dueAt'])
    .where('id', 'in', [issued.id, draft.id, annulled.id])
    .orderBy('id')
    .execute();
  const year = yearOf(now);
  const next = reminderAfter(lastDayOfYear(year), now);
  expect(applications).toEqual([
    { id: issued.id, remindAt: next, dueAt: next ?? endOfYear(year) },
    { id: draft.id, remindAt: null, dueAt: endOfYear(year) },
    { id: annulled.id, remindAt: null, dueAt: expect.anything() },
  ]);
  await close();
});
