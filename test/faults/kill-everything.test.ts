import { victims } from './killer.ts';
import { runScenario } from './run-scenario.ts';

const seed = Number(process.env['FAULT_SEED'] ?? 20260101);

test('worker, API, Temporal and PostgreSQL are killed during applications and payments: every accepted command takes effect exactly once', async () => {
  const { accepted, kills, faults } = await runScenario({ seed, killForMs: 0, concurrency: 8, log: () => undefined });
  expect(faults).toEqual([]);
  expect(new Set(kills.flatMap((kill) => kill.victims))).toEqual(new Set(victims));
  expect(accepted.length).toBeGreaterThanOrEqual(8);
});
