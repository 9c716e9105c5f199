import type { Variables } from '../../registry/config.ts';
import type { Tracing } from './open-telemetry.ts';

export type { SpanFacts, Tracing } from './open-telemetry.ts';

/** Null unless `OTEL_EXPORTER_OTLP_ENDPOINT` is set; then nothing of OpenTelemetry is loaded. */
export let tracing: Tracing | null = null;

/** Starts to export traces, if the configuration names a receiver. */
export async function startTracing(config: Pick<Variables, 'OTEL_EXPORTER_OTLP_ENDPOINT'>, processName: string): Promise<void> {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint } = config;
  if (endpoint === undefined || tracing !== null) return;
  const { createTracing } = await import('./open-telemetry.ts');
  tracing = createTracing(endpoint, processName);
}

/** Exports what waits, and ends the traces. */
export async function stopTracing(): Promise<void> {
  const running = tracing;
  tracing = null;
  await running?.stop();
}
