import type { Attributes, SpanKind } from '@opentelemetry/api';

/** Records the work of a process as spans; does nothing without a collector. */
export type Tracing = {
  /** Records a piece of work that ends now. */
  record(work: Work): void;
  /** Sends the remaining spans, for a few seconds at most. */
  [Symbol.asyncDispose](): Promise<void>;
};

export type Work = {
  name: string;
  kind: keyof typeof SpanKind;
  /** `performance.now()` at its start. */
  startedAt: number;
  attributes: Attributes;
  failed: boolean;
  /** Headers of the request that caused this work: its `traceparent` makes the work part of the caller's trace. */
  headers?: Readonly<Record<string, string | string[] | undefined>>;
};
