import type { Opened } from './opened.ts';
/** The bytes of a file: a path or a `file:` URL (where the runtime has `node:fs`), bytes, a Blob or File, or a stream of bytes. */
export type Source = string | URL | Uint8Array | ArrayBuffer | Blob | ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>;

export async function openSource(source: Source): Promise<Opened> {
  if (typeof source === 'string' || source instanceof URL) return await (await import('./file.ts')).openFile(source);
  if (source instanceof Blob) return openBlob(source);
  if (source instanceof ArrayBuffer || ArrayBuffer.isView(source)) return openBlob(new Blob([bytesOf(source)]));
  const open = (): AsyncIterable<Uint8Array> => (source instanceof ReadableStream ? chunksOf(source) : source);
  return { name: null, size: null, replayable: false, open };
}

/** The view, over a buffer that a Blob takes. */
const bytesOf = (source: ArrayBuffer | Uint8Array): ArrayBuffer | Uint8Array<ArrayBuffer> =>
  source instanceof ArrayBuffer ? source : new Uint8Array(source);

const openBlob = (blob: Blob): Opened => ({
  name: 'name' in blob && typeof blob.name === 'string' ? blob.name : null,
  size: blob.size,
  replayable: true,
  open: () => chunksOf(blob.stream()),
});

/** Not every runtime can iterate over a stream. */
async function* chunksOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

export type StreamOptions = {
  /** Told how many bytes the stream has given. */
  onBytes: (bytes: number) => void;
  /** Told the error of the source: the runtime tells it as one of the network. */
  onFault: (error: unknown) => void;
  signal: AbortSignal;
};

/**
 * A stream that takes the next chunk when it is asked for one. It ends by the signal, since not every runtime cancels the body of a request
 * that was aborted.
 */
export function streamOf(
  chunks: AsyncIterable<Uint8Array>,
  { onBytes, onFault, signal }: StreamOptions,
): ReadableStream<Uint8Array> {
  const iterator = chunks[Symbol.asyncIterator]();
  let bytes = 0;
  let isOver = false;
  const next = async (): Promise<IteratorResult<Uint8Array>> => {
    try {
      return await iterator.next();
    } catch (error) {
      // What was let go of may end in an error.
      if (!isOver) onFault(error);
      throw error;
    }
  };
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const end = (): void => {
          isOver = true;
          controller.error(signal.reason);
          void iterator.return?.();
        };
        signal.addEventListener('abort', end, { once: true });
      },
      async pull(controller) {
        const { done, value } = await next();
        if (signal.aborted) return;
        if (done) return controller.close();
        bytes += value.byteLength;
        controller.enqueue(value);
        onBytes(bytes);
      },
      async cancel() {
        isOver = true;
        await iterator.return?.();
      },
    },
    { highWaterMark: 0 },
  );
}
