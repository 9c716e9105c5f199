import { context, propagation, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { type ExportResult, setGlobalErrorHandler, W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor, type ReadableSpan, type SpanExporter } from '@opentelemetry/sdk-trace-base';
import {
  makeWorkflowExporter,
  OpenTelemetryActivityInboundInterceptor,
  OpenTelemetryWorkflowClientInterceptor,
} from '@temporalio/interceptors-opentelemetry-v2';
import type { WorkflowClientInterceptor } from '@temporalio/client';
import type { ActivityInterceptorsFactory, InjectedSinks } from '@temporalio/worker';
import type { IncomingHttpHeaders } from 'node:http';
import { withoutTrailing } from '../text.ts';
import { releaseName, releaseVersion } from '../runtime/release.ts';

/** Facts of a span; only names of `publicAttributes` are exported. */
export type SpanFacts = Readonly<Record<string, string | number>>;

/** Traces of this process. */
export interface Tracing {
  /** Runs a request in a span that continues the trace of its `traceparent`. @param facts read at the end */
  inRequest(headers: IncomingHttpHeaders, facts: () => { name: string; facts: SpanFacts }, work: () => Promise<void>): Promise<void>;
  /** Runs work in a span below the active one; without an active one, only the work. */
  inSpan<T>(name: string, facts: SpanFacts, work: () => Promise<T>): Promise<T>;
  /** Reports spans that the receiver did not take. */
  onFailure(report: (error: unknown) => void): void;
  /** Id of the active trace; null outside of one. */
  traceId(): string | null;
  /** For the client of Temporal. */
  readonly client: WorkflowClientInterceptor;
  /** For workers; the workflow bundle has the interceptors of workflows (`worker/bundle.ts`). */
  readonly activity: ActivityInterceptorsFactory;
  // The SDK's own type of sinks with arguments of any type.
  readonly sinks: InjectedSinks<never>;
  /** Exports what waits. */
  stop(): Promise<void>;
}

/** Exports the traces of this process to an OTLP/HTTP receiver. */
export function createTracing(endpoint: string, processName: string): Tracing {
  const resource = resourceFromAttributes({ 'service.name': `${releaseName}-${processName}`, 'service.version': releaseVersion });
  const exporter = new OTLPTraceExporter({ url: `${withoutTrailing(endpoint, '/')}/v1/traces` });
  const processor = new BatchSpanProcessor(new PublicSpans(exporter));
  const provider = new BasicTracerProvider({ resource, spanProcessors: [processor] });
  const contexts = new AsyncLocalStorageContextManager().enable();
  trace.setGlobalTracerProvider(provider);
  context.setGlobalContextManager(contexts);
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  const tracer = provider.getTracer('registry');
  return {
    inRequest: (headers, describe, work) =>
      tracer.startActiveSpan('request', { kind: SpanKind.SERVER }, propagation.extract(ROOT_CONTEXT, headers), async (span) => {
        try {
          await work();
        } finally {
          const { name, facts } = describe();
          span.updateName(name).setAttributes(facts).end();
        }
      }),
    async inSpan(name, facts, work) {
      if (trace.getActiveSpan() === undefined) return work();
      return tracer.startActiveSpan(name, { kind: SpanKind.CLIENT, attributes: facts }, async (span) => {
        try {
          return await work();
        } catch (error) {
          span.setStatus({ code: SpanStatusCode.ERROR });
          throw error;
        } finally {
          span.end();
        }
      });
    },
    onFailure: (report) => setGlobalErrorHandler(report),
    traceId: () => trace.getActiveSpan()?.spanContext().traceId ?? null,
    client: new OpenTelemetryWorkflowClientInterceptor(),
    activity: (ctx) => ({ inbound: new OpenTelemetryActivityInboundInterceptor(ctx) }),
    sinks: makeSinks(),
    async stop() {
      await provider.shutdown();
      trace.disable();
      context.disable();
      propagation.disable();
    },
  };

  function makeSinks(): Tracing['sinks'] {
    return { exporter: makeWorkflowExporter(processor, resource) } as Tracing['sinks'];
  }
}

/** Attributes that name no person. Others, messages of errors and events are not exported: they may quote a record or a memo. */
const publicAttributes: ReadonlySet<string> = new Set([
  'http.request.method',
  'http.route',
  'http.response.status_code',
  'registry.request_id',
  'db.system.name',
  'db.operation.name',
  'db.collection.name',
  'run_id',
  'temporalActivityId',
  'temporalUpdateId',
  'temporalWorkflowId',
  'taskQueue',
  'workflowType',
]);

/** Removes from spans what may be personal. */
class PublicSpans implements SpanExporter {
  readonly #exporter: SpanExporter;

  constructor(exporter: SpanExporter) {
    this.#exporter = exporter;
  }

  export(spans: ReadableSpan[], done: (result: ExportResult) => void): void {
    this.#exporter.export(spans.map(publicPart), done);
  }

  shutdown(): Promise<void> {
    return this.#exporter.shutdown();
  }
}

function publicPart(span: ReadableSpan): ReadableSpan {
  const attributes = Object.fromEntries(Object.entries(span.attributes).filter(([name]) => publicAttributes.has(name)));
  // The prototype keeps the getters of the span.
  return Object.create(span, {
    attributes: { value: attributes },
    events: { value: [] },
    status: { value: { code: span.status.code } },
  }) as ReadableSpan;
}
