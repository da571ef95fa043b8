import type { Tracing } from './tracing.ts';

const SILENT: Tracing = { record() {}, async [Symbol.asyncDispose]() {} };

/** Sends spans to the collector at `endpoint`; a process without one does not load the SDK. */
export async function openTracing(endpoint: string | null): Promise<Tracing> {
  return endpoint ? (await import('./otlp.ts')).traceTo(endpoint) : SILENT;
}
