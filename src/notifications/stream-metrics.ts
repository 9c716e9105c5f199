import { Counter, Gauge } from 'prom-client';
import { metricsRegistry } from '../http/metrics.ts';

export const openStreams = new Gauge({
  name: 'registry_streams_open',
  help: 'Live streams that are open',
  registers: [metricsRegistry],
});

export const sentEvents = new Counter({
  name: 'registry_stream_events_sent_total',
  help: 'Events that were sent in live streams, by kind',
  labelNames: ['kind'] as const,
  registers: [metricsRegistry],
});

export const endedStreams = new Counter({
  name: 'registry_streams_ended_total',
  help: 'Live streams that ended: the client went, its session ended, it read nothing, the API shut down',
  labelNames: ['why'] as const,
  registers: [metricsRegistry],
});
