import { pino } from 'pino';
import { SecurityRecorder } from '../../../src/areas/audit/index.ts';
import type { RecorderPlatform } from '../../../src/areas/audit/security-recorder.ts';
import { metricsRegistry } from '../../../src/platform/metrics/registry.ts';
import { systemClock } from '../../../src/platform/time/clock.ts';
import type { SecurityEvent } from '../../../src/platform/logging/security-log.ts';
import { useDatabase } from '../../support/use-database.ts';

const { orm } = await useDatabase();

const log = pino({ enabled: false });
const minuteMs = 60_000;
/** The first instant of a past minute, so that the tests do not depend on the present one. */
const start = Date.parse('2026-03-01T10:00:00Z');

/** Creates the recorder of one process with its own clock. */
function recorder(minute: number, orms: RecorderPlatform['orm'] = orm) {
  const time = { present: start + minute * minuteMs };
  return { time, log: new SecurityRecorder({ orm: orms, clock: systemClock, log }, () => time.present) };
}
const event = (changes: Partial<SecurityEvent> = {}): SecurityEvent => ({
  action: 'login.failed',
  actorId: null,
  impersonatedUserId: null,
  subject: { kind: 'route', id: 'logIn' },
  ip: '192.0.2.1',
  requestId: 'request-1',
  data: { code: 'invalid_credentials' },
  ...changes,
});
const rowsOf = (ip: string): Promise<{ action: string; count: number; request_id: string }[]> =>
  orm.em.fork().execute('select action, count, request_id from security_events where ip = ? order by id', [ip]);
async function lost(): Promise<number> {
  const metric = await metricsRegistry.getSingleMetric('registry_security_events_lost_total')?.get();
  return metric?.values[0]?.value ?? 0;
}

test('equal events of a minute are one row with their count, for all processes together (AUD-5)', async () => {
  const [one, other] = [recorder(0), recorder(0)];
  for (let time = 1; time <= 5; time += 1) one.log.record(event({ requestId: `request-${time}` }));
  await one.log.flush();
  one.log.record(event());
  one.log.record(event({ action: 'captcha.failed' }));
  other.log.record(event());
  await Promise.all([one.log.flush(), other.log.flush()]);
  expect(await rowsOf('192.0.2.1')).toEqual([
    { action: 'login.failed', count: 7, request_id: 'request-1' },
    { action: 'captcha.failed', count: 1, request_id: 'request-1' },
  ]);
  one.time.present += minuteMs;
  one.log.record(event());
  await one.log.flush();
  expect((await rowsOf('192.0.2.1')).map(({ count }) => count)).toEqual([7, 1, 1]);
});

test('an event about several records names up to twenty of them', async () => {
  const { log: searched } = recorder(5);
  const about = (id: number) => event({ action: 'record.refused', ip: '192.0.2.5', subject: { kind: 'profile', id } });
  searched.record(about(1));
  await searched.flush();
  for (const id of [1, 2, 2, 3]) searched.record(about(id));
  await searched.flush();
  for (let id = 3; id <= 50; id += 1) searched.record(about(id));
  await searched.flush();
  const [row] = await orm.em.fork().execute(`select subject_id, count, data from security_events where ip = '192.0.2.5'`);
  const others = Array.from({ length: 20 }, (_, index) => `profile/${index + 2}`);
  expect(row).toMatchObject({ subject_id: '1', count: 53, data: { code: 'invalid_credentials', others } });
});

test('a flood from many networks is 101 rows an action and minute; no event is lost (AUD-6)', async () => {
  const { log: flooded } = recorder(10);
  const before = await lost();
  for (let host = 0; host < 5000; host += 1) flooded.record(event({ ip: `10.${host >> 8}.${host & 255}.1`, requestId: 'of-the-flood' }));
  flooded.record(event({ action: 'csrf.failed', ip: '203.0.113.9' }));
  await flooded.flush();
  flooded.record(event({ ip: '203.0.113.10', subject: { kind: 'user', id: 7 } }));
  await flooded.flush();
  const rows: { ip: string | null; count: number; data: object }[] = await orm.em
    .fork()
    .execute(`select ip, count, data from security_events where request_id = 'of-the-flood' order by id`);
  expect([rows.length, (await lost()) - before]).toEqual([101, 0]);
  expect(rows.at(-1)).toMatchObject({ ip: null, count: 4901, data: { grouped: true, others: ['user/7'] } });
  expect(await rowsOf('203.0.113.9')).toHaveLength(1);
  // A proxy may pass on a long text that is no address.
  flooded.record(event({ action: 'captcha.failed', ip: 'x'.repeat(5000), subject: { kind: 'route', id: 'y'.repeat(500) } }));
  await flooded.flush();
  expect(await rowsOf('x'.repeat(64))).toHaveLength(1);
});

test('a network with many addresses has five rows and one for the rest (AUD-6)', async () => {
  const { log: flooded } = recorder(15);
  for (let host = 0; host < 200; host += 1) {
    flooded.record(event({ action: 'api_key.refused', ip: `198.51.100.${host}` }));
    flooded.record(event({ action: 'api_key.refused', ip: `2001:db8:7:${host.toString(16)}::1` }));
  }
  flooded.record(event({ action: 'api_key.refused', ip: '192.0.2.77' }));
  await flooded.flush();
  const rows: { ip: string; count: number }[] = await orm.em
    .fork()
    .execute(`select ip, count from security_events where action = 'api_key.refused' order by id`);
  expect(rows).toHaveLength(13);
  expect(rows.filter(({ count }) => count > 1)).toEqual([
    { ip: '198.51.100.0/24', count: 195 },
    { ip: '2001:db8:7::/48', count: 195 },
  ]);
  expect(await rowsOf('192.0.2.77')).toHaveLength(1);
  // Events of signed-in callers keep their own rows during a flood.
  for (let actorId = 1; actorId <= 9; actorId += 1) flooded.record(event({ action: 'api_key.refused', ip: '198.51.100.1', actorId }));
  await flooded.flush();
  expect(await rowsOf('198.51.100.1')).toHaveLength(10);
});

test('events that could not be written are counted, and the caller does not fail', async () => {
  const em = {
    fork: () => {
      throw new Error('the database is away');
    },
  };
  const { log: cut } = recorder(20, { em } as unknown as RecorderPlatform['orm']);
  const before = await lost();
  for (let time = 0; time < 3; time += 1) cut.record(event());
  await cut.flush();
  await cut.close();
  expect((await lost()) - before).toBe(3);
});
