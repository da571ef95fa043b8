import { defaultTextMapGetter, ROOT_CONTEXT, SpanKind, SpanStatusCode, type TimeInput, type Tracer } from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { defaultResource, resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import type { Tracing, Work } from './tracing.ts';

const SHUTDOWN_MS = 3_000;

/** Sends spans over OTLP/HTTP to the collector at `endpoint`; if the collector is unreachable, only spans are lost. */
export function traceTo(endpoint: string): Tracing {
  const exporter = new OTLPTraceExporter({ url: `${endpoint}/v1/traces` });
  const provider = new TracerProvider({
    resource: defaultResource().merge(resourceFromAttributes({ 'service.name': 'sluice' })),
    spanProcessors: [new BatchSpanProcessor({ exporter })],
  });
  const tracer = provider.getTracer('sluice');
  const propagator = new W3CTraceContextPropagator();
  return {
    record: (work) => recordSpan(tracer, work, propagator.extract(ROOT_CONTEXT, work.headers ?? {}, defaultTextMapGetter)),
    async [Symbol.asyncDispose]() {
      await Promise.race([provider.shutdown().catch(() => {}), after(SHUTDOWN_MS)]);
    },
  };
}

function recordSpan(tracer: Tracer, work: Work, parent: typeof ROOT_CONTEXT): void {
  const startTime = instant(work.startedAt);
  const span = tracer.startSpan(work.name, { kind: SpanKind[work.kind], startTime, attributes: work.attributes }, parent);
  if (work.failed) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end(instant(performance.now()));
}

function instant(at: number): TimeInput {
  return performance.timeOrigin + at;
}

function after(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds).unref());
}
