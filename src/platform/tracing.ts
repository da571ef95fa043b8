import {
  type Attributes,
  defaultTextMapGetter,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  type TimeInput,
  type Tracer,
} from '@opentelemetry/api';

/** What a process tells about its work; tells nobody when no collector is set. */
export type Tracing = {
  /** Records a piece of work that ends now. */
  record(work: Work): void;
  /** Sends what is held, for a few seconds at most. */
  [Symbol.asyncDispose](): Promise<void>;
};

export type Work = {
  name: string;
  kind: keyof typeof SpanKind;
  /** `performance.now()` at its start. */
  startedAt: number;
  attributes: Attributes;
  failed: boolean;
  /** Headers of the request that asked for it: its `traceparent` makes this work part of the caller's trace. */
  headers?: Readonly<Record<string, string | string[] | undefined>>;
};

const SHUTDOWN_MS = 3_000;
const SILENT: Tracing = { record() {}, async [Symbol.asyncDispose]() {} };

/** Spans over OTLP/HTTP to the collector at `endpoint`; a collector that is away costs spans and nothing else. */
export async function openTracing(endpoint: string | null): Promise<Tracing> {
  if (!endpoint) return SILENT;
  const [{ BatchSpanProcessor, TracerProvider }, { OTLPTraceExporter }, { W3CTraceContextPropagator }, resources] =
    await Promise.all([
      import('@opentelemetry/sdk-trace'),
      import('@opentelemetry/exporter-trace-otlp-http'),
      import('@opentelemetry/core'),
      import('@opentelemetry/resources'),
    ]);
  const exporter = new OTLPTraceExporter({ url: `${endpoint}/v1/traces` });
  const provider = new TracerProvider({
    resource: resources.defaultResource().merge(resources.resourceFromAttributes({ 'service.name': 'sluice' })),
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
