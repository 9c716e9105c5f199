import { databaseOf } from '../../src/platform/database/database.ts';
import type { Platform } from '../../src/platform/platform.ts';
import type { Stack } from '../../src/tools/embedded/stack.ts';
import { TestClient } from '../support/client.ts';
import { eventFixtures } from '../support/factories/events.ts';
import { insertRegistrations } from '../support/factories/registrations.ts';
import { localUrl, withPlatform } from './support/bench-stack.ts';
import { insertCertificates } from './support/bulk-certificates.ts';
import { median } from './support/measure.ts';
import { peakMb, resetPeak, residentMb } from './support/process-memory.ts';
import { ratio, say, type Verdict } from './support/report.ts';

const goal = 1.1;
/** An export is over in a second; several of each size one after the other show what piles up. */
const exportsOfRound = 5;

/** Nobody is held up who measures. */
export const exportEnvironment = { RATE_LIMIT_EXPORTS_PER_HOUR: '1000000' };

const settings = {
  classes: ['Абсолют', 'Юниор'],
  vehicleFields: [{ code: 'brand', title: 'Марка', required: true }],
  columns: ['start_number', 'name', 'licence_number', 'birth_date', 'city', 'phone', 'team', 'crew', 'vehicle.brand'],
};

/**
 * The API's peak memory while an event with so many approved registrations is exported, against an event with a tenth of them. By turns,
 * after each size has had its turn once. Linux only.
 */
export async function benchExport(stack: Stack, rounds: number, registrations: number): Promise<Verdict[]> {
  const pid = stack.processes.api.pid ?? 0;
  const client = new TestClient(localUrl(stack));
  await client.login(stack.administrator.email, stack.administrator.password);
  const organizer = await client.program(['events:read']);
  await insertCertificates(stack.migrationDatabaseUrl, registrations, 0, null);
  const sizes = [Math.ceil(registrations / 10), registrations] as const;
  const [small, large] = await withPlatform(stack, async (platform) => [
    await makeEvent(platform, organizer.userId, sizes[0]),
    await makeEvent(platform, organizer.userId, sizes[1]),
  ]);
  const measure = async (eventId = 0) => {
    const canReset = resetPeak(pid);
    if (!canReset) say('  the peak counts from the start of the process');
    const startedAt = performance.now();
    let bytes = 0;
    for (let more = 0; more < exportsOfRound; more += 1)
      bytes = organizer.expect(200, await organizer.get(`/events/${eventId}/registrations/export`)).bytes.length;
    return { peak: peakMb(pid), millis: (performance.now() - startedAt) / exportsOfRound, kilobytes: bytes / 1024 };
  };
  say(`  at rest: ${residentMb(pid)} MB`);
  await measure(small);
  await measure(large);
  const measured = { small: [await measure(small)], large: [await measure(large)] };
  for (let round = 1; round < rounds; round += 1) {
    measured.small.push(await measure(small));
    measured.large.push(await measure(large));
  }
  const middle = (of: keyof typeof measured) => ({
    peak: median(measured[of].map(({ peak }) => peak)),
    millis: median(measured[of].map(({ millis }) => millis)),
    kilobytes: measured[of][0]?.kilobytes ?? 0,
  });
  const [few, many] = [middle('small'), middle('large')];
  for (const [count, { peak, millis, kilobytes }] of [
    [sizes[0], few],
    [sizes[1], many],
  ] as const)
    say(`  ${count} registrations: peak ${peak} MB, ${millis.toFixed(0)} ms, a file of ${kilobytes.toFixed(0)} KB`);
  const growth = many.peak / few.peak;
  return [
    {
      what: `API memory while ${sizes[1]} registrations are exported, against ${sizes[0]}`,
      goal: `<= ${ratio(goal)}`,
      measured: `${ratio(growth)} (${many.peak} MB against ${few.peak} MB)`,
      isMet: growth <= goal,
    },
  ];
}

/** An event with registrations of the first of those who have a certificate. */
async function makeEvent(platform: Platform, userId: number, count: number): Promise<number> {
  const db = databaseOf(platform.orm.em.fork());
  const { id: eventId } = await eventFixtures(platform).event({ userId }, { settings });
  const holders = await db.selectFrom('certificates').select('applicationId').orderBy('applicationId').limit(count).execute();
  const rows = holders.map(({ applicationId: id }, index) => ({
    eventId,
    // Of these people the account, the profile and the application have the same id.
    ownerId: id,
    profileId: id,
    applicationIds: [id],
    status: 'approved' as const,
    class: settings.classes[index % 2] ?? '',
    startNumber: String(index),
    vehicle: { brand: `Лада Гранта ${index}` },
  }));
  await insertRegistrations(db, rows, new Date());
  return eventId;
}
