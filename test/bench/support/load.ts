import { once } from 'node:events';
import type { Child } from './child.ts';

/** What the load generator is to do. */
export interface LoadOrder {
  url: string;
  paths: string[];
  connections: number;
  seconds: number;
}

/** What it saw; latencies in milliseconds, `p95` being p97.5. */
export interface LoadReport {
  requestsPerSecond: number;
  p50: number;
  p95: number;
  p99: number;
  failures: number;
}

/** @throws when an answer was other than 2xx: a benchmark of refusals measures nothing */
export async function generateLoad(generator: Child, order: LoadOrder): Promise<LoadReport> {
  const answered = once(generator.process, 'message') as Promise<[LoadReport]>;
  generator.process.send(order);
  const [report] = await answered;
  if (report.failures > 0) throw new Error(`${report.failures} requests to ${order.url} failed`);
  return report;
}
