import { Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';
import type { EventLoopWatch } from './event-loop.ts';

/** The API's metrics (decisions.md §1). Labels are routes and statuses, never values of people. */
export const metricsRegistry = new Registry();
collectDefaultMetrics({ register: metricsRegistry });

const requests = new Histogram({
  name: 'registry_http_request_seconds',
  help: 'Time to answer a request, by route and status',
  labelNames: ['method', 'route', 'status'] as const,
  buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
  registers: [metricsRegistry],
});

/** Finding a series by its labels costs more than counting in it, so each is found once; there are as many as routes and statuses. */
const series = new Map<string, ReturnType<typeof requests.labels>>();

export function observeRequest(method: string, route: string, status: number, seconds: number): void {
  const key = `${method} ${status} ${route}`;
  let found = series.get(key);
  if (!found) series.set(key, (found = requests.labels({ method, route, status: String(status) })));
  found.observe(seconds);
}

let eventLoop: EventLoopWatch | null = null;
metricsRegistry.registerMetric(
  new Gauge({
    name: 'registry_event_loop_worst_delay_seconds',
    help: 'Longest time that whatever was due had to wait for what ran, in the last one to two minutes; no request may cause more than 0.1',
    registers: [],
    collect() {
      this.set(eventLoop?.worstDelay() ?? 0);
    },
  }),
);

/** Shows from now on what this watch measures; null: nothing is measured any more. */
export function showEventLoop(watch: EventLoopWatch | null): void {
  eventLoop = watch;
}
