import { Gauge, Histogram } from 'prom-client';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { metricsRegistry } from '../../platform/metrics/registry.ts';
import { access } from '../access/access.ts';
import { defineRoute } from '../define-route.ts';
import { body } from '../response/reply.ts';

const resolutionMs = 10;
const windowMs = 60_000;

/** Measures the event loop delay. */
export interface EventLoopWatch {
  /** Seconds; the worst of the last one to two minutes. */
  worstDelay(): number;
  stop(): void;
}

/** Measures with two overlapping histograms, reset in turn each minute: a histogram misses the delay during its own reset. */
export function watchEventLoop(): EventLoopWatch {
  const measures = [0, 1].map(() => monitorEventLoopDelay({ resolution: resolutionMs }));
  for (const measure of measures) measure.enable();
  let turn = 0;
  const timer = setInterval(() => {
    measures[turn % measures.length]?.reset();
    turn += 1;
  }, windowMs).unref();
  return {
    // The histogram holds intervals between two samples, which include the sampling interval itself.
    worstDelay: () => Math.max(0, Math.max(...measures.map(({ max }) => max)) / 1e9 - resolutionMs / 1_000),
    stop() {
      clearInterval(timer);
      for (const measure of measures) measure.disable();
    },
  };
}

const requests = new Histogram({
  name: 'registry_http_request_seconds',
  help: 'Time to answer a request, by route and status',
  labelNames: ['method', 'route', 'status'] as const,
  buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
  registers: [metricsRegistry],
});

/** Looking up a series by labels costs more than counting, so each is looked up once; there are as many as routes and statuses. */
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
    help: 'Longest delay of the event loop in the last one to two minutes; no request may cause more than 0.1',
    registers: [],
    collect() {
      this.set(eventLoop?.worstDelay() ?? 0);
    },
  }),
);

/** Publishes the values of this watch; null stops it. */
export function showEventLoop(watch: EventLoopWatch | null): void {
  eventLoop = watch;
}

/** Metrics for Prometheus; in production on a port of their own. */
export const metricsRoute = defineRoute({
  name: 'getMetrics',
  method: 'GET',
  path: '/metrics',
  access: access.public,
  atRoot: true,
  isRateLimited: false,
  tag: 'Health',
  summary: 'Metrics in the Prometheus text format',
  response: { content: [metricsRegistry.contentType] },
  handler: async () => body(await metricsRegistry.metrics(), { 'Content-Type': metricsRegistry.contentType }),
});
