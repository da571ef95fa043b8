import type { Attributes, SpanKind } from '@opentelemetry/api';

/** Records the work of a process as spans; does nothing where no collector is set. */
export type Tracing = {
  /** Records a piece of work that ends now. */
  record(work: Work): void;
  /** Sends the spans that are still here, for a few seconds at most. */
  [Symbol.asyncDispose](): Promise<void>;
};

export type Work = {
  name: string;
  kind: keyof typeof SpanKind;
  /** `performance.now()` at its start. */
  startedAt: number;
  attributes: Attributes;
  failed: boolean;
  /** Headers of the request that caused it: its `traceparent` makes this work part of the caller's trace. */
  headers?: Readonly<Record<string, string | string[] | undefined>>;
};

const SILENT: Tracing = { record() {}, async [Symbol.asyncDispose]() {} };

/** Spans to the collector at `endpoint`; a process without one does not load what makes them. */
export async function openTracing(endpoint: string | null): Promise<Tracing> {
  return endpoint ? (await import('./otlp.ts')).traceTo(endpoint) : SILENT;
}
