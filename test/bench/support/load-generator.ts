import autocannon from 'autocannon';
import { reportReady } from '../../../src/platform/exit-with-parent.ts';
import type { LoadOrder, LoadReport } from './load.ts';

/** Asks a server for the same paths over and over, in a process of its own so that it shares no event loop with anybody. */
process.on('message', (order: LoadOrder) => void load(order));
process.once('disconnect', () => process.exit(0));
process.once('SIGTERM', () => process.exit(0));
reportReady();

async function load({ url, paths, connections, seconds }: LoadOrder): Promise<void> {
  // Each connection goes through a share of its own: a list of all of them for each of them takes a tenth of a second to build, and
  // all would ask for the same thing at the same time.
  const shares = Array.from({ length: connections }, (_, nth) =>
    paths.filter((_path, index) => index % connections === nth % paths.length),
  );
  const result = await autocannon({
    url,
    connections,
    duration: seconds,
    setupClient: (client) => client.setRequests(shares.pop()?.map((path) => ({ method: 'GET', path })) ?? []),
  });
  const report: LoadReport = {
    requestsPerSecond: result.requests.total / result.duration,
    p50: result.latency.p50,
    p95: result.latency.p97_5,
    p99: result.latency.p99,
    failures: result.non2xx + result.errors + result.timeouts,
  };
  process.send?.(report);
}
