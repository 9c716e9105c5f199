import { ApplicationFailure } from '@temporalio/common';
import { mock } from 'node:test';
import { deliveries } from '../../src/platform/metrics/registry.ts';
import { waitFor } from '../support/wait-for.ts';
import { measureWork, reportWork } from '../../worker/measure-work.ts';

beforeEach(() => {
  // Other test files of this process count too.
  deliveries.reset();
  mock.timers.enable({ apis: ['setInterval'] });
});
afterEach(() => mock.timers.reset());

test('a worker logs once a minute what it did in this minute', async () => {
  const lines: unknown[] = [];
  const stop = reportWork({ info: (facts: unknown) => void lines.push(facts) } as never);
  const run = (activityType: string, isLocal: boolean, failure?: Error) =>
    measureWork([])({ info: { activityType, isLocal } } as never)
      .inbound?.execute?.({ args: [], headers: {} }, () => (failure ? Promise.reject(failure) : Promise.resolve('done')))
      .catch((error: unknown) => error);
  await run('application.submit', true);
  await run('application.submit', true, ApplicationFailure.nonRetryable('refused', 'invalid_state'));
  await run('application.reconsider', true, ApplicationFailure.retryable('the step failed', 'internal_error'));
  await run('makeCertificate', false);
  deliveries.inc({ channel: 'mail', outcome: 'sent' });
  deliveries.inc({ channel: 'mail', outcome: 'away' });
  for (const minutes of [1, 2]) {
    mock.timers.tick(60_000);
    await waitFor(
      () => lines.length,
      (count) => count === minutes,
      'the line of the minute',
    );
  }
  stop();
  expect(lines).toEqual([
    { steps: 3, activities: 1, failures: 1, deliveries: 1 },
    { steps: 0, activities: 0, failures: 0, deliveries: 0 },
  ]);
});
