import autocannon from 'autocannon';
import { reportReady } from '../../../src/platform/runtime/exit-with-parent.ts';

export interface LoadOrder {
  url: string;
  paths: string[];
  connections: number;
  seconds: number;
  headers?: Record<string, string>;
  /** What counts as success; `2xx` by default. */
  expected?: '2xx' | '3xx';
}

/** Latencies in milliseconds; `p95` is p97.5, which autocannon reports. */
export interface LoadReport {
  requestsPerSecond: number;
  p50: number;
  p95: number;
  p99: number;
  failures: number;
}

/** Requests the same paths repeatedly, in a process and an event loop of its own. */
process.on('message', (order: LoadOrder) => void load(order));
process.once('disconnect', () => process.exit(0));
process.once('SIGTERM', () => process.exit(0));
reportReady();

async function load({ url, paths, connections, seconds, headers = {}, expected = '2xx' }: LoadOrder): Promise<void> {
  // Each connection gets a share of the paths: a full list for each takes 100 ms to build, and all would request the same path at once.
  const shares = Array.from({ length: connections }, (_, nth) =>
    paths.filter((_path, index) => index % connections === nth % paths.length),
  );
  const result = await autocannon({
    url,
    connections,
    duration: seconds,
    setupClient: (client) => client.setRequests(shares.pop()?.map((path) => ({ method: 'GET', path, headers })) ?? []),
  });
  const report: LoadReport = {
    requestsPerSecond: result.requests.total / result.duration,
    p50: result.latency.p50,
    p95: result.latency.p97_5,
    p99: result.latency.p99,
    failures: result['2xx'] + result.non2xx - result[expected] + result.errors + result.timeouts,
  };
  process.send?.(report);
}
