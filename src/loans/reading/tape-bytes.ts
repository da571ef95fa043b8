import { createReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { createGunzip } from 'node:zlib';
import type { ReadLimits } from './raw-table.ts';
import { TapeProblem } from './read-problem.ts';

const CHUNK_BYTES = 1024 * 1024;
const SAMPLE_BYTES = 256 * 1024;
/** Expanded bytes from which an archive may be refused for how far it expands. */
const SMALL_BYTES = 16 * 1024 * 1024;

/** The bytes of a text file, which may be packed. */
export interface TapeBytes {
  /** The beginning of the bytes, enough to identify their format. */
  sample(): Promise<{ bytes: Buffer; isWhole: boolean }>;
  /** All bytes from the beginning, in chunks. */
  chunks(): AsyncGenerator<Buffer>;
}

export function fileBytes(path: string): TapeBytes {
  return {
    async sample() {
      await using file = await open(path);
      const bytes = await readSample(file);
      return { bytes, isWhole: bytes.length >= (await file.stat()).size };
    },
    async *chunks() {
      await using file = await open(path);
      yield* chunksOf(file);
    },
  };
}

/**
 * The text of a gzip file, expanded as it is read. One that is damaged, or expands beyond the limits, ends in a TapeProblem; a sample
 * looks far enough ahead to recognise an archive that expands without end.
 */
export function gzipBytes(path: string, limits: ReadLimits): TapeBytes {
  return {
    async sample() {
      const chunks: Buffer[] = [];
      let [kept, size] = [0, 0];
      for await (const chunk of expanded(path, limits)) {
        if (kept < SAMPLE_BYTES) chunks.push(chunk);
        kept = Math.min(SAMPLE_BYTES, kept + chunk.length);
        size += chunk.length;
        if (size > SMALL_BYTES + CHUNK_BYTES) break;
      }
      return { bytes: Buffer.concat(chunks).subarray(0, SAMPLE_BYTES), isWhole: size <= SAMPLE_BYTES };
    },
    chunks: () => expanded(path, limits),
  };
}

async function* expanded(path: string, { maxExpandedBytes, maxExpansion }: ReadLimits): AsyncGenerator<Buffer> {
  const source = createReadStream(path, { highWaterMark: 256 * 1024 });
  const gunzip = source.pipe(createGunzip({ chunkSize: CHUNK_BYTES }));
  source.on('error', (error) => gunzip.destroy(error));
  let size = 0;
  try {
    for await (const chunk of gunzip as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > maxExpandedBytes) throw tooFar(`more than ${maxExpandedBytes} bytes`);
      if (size > SMALL_BYTES && size > gunzip.bytesWritten * maxExpansion)
        throw tooFar(`more than ${maxExpansion} times its size`);
      yield chunk;
    }
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && String(error.code).startsWith('Z_'))) throw error;
    throw new TapeProblem(
      'UNREADABLE_FILE',
      'The gzip file cannot be expanded: it is damaged, or the upload was cut off. Pack the tape again and send it, or send it as plain CSV.',
    );
  } finally {
    source.destroy();
    gunzip.destroy();
  }
}

function tooFar(what: string): TapeProblem {
  return new TapeProblem(
    'UNREADABLE_FILE',
    `The gzip file is refused: it expands to ${what}, which is the most that is accepted. Split the tape, or send it as plain CSV.`,
  );
}

/** The first bytes of a file, enough to identify its format. */
export async function readSample(file: FileHandle): Promise<Buffer> {
  const sample = Buffer.allocUnsafe(SAMPLE_BYTES);
  const { bytesRead } = await file.read(sample, 0, SAMPLE_BYTES, 0);
  return sample.subarray(0, bytesRead);
}

async function* chunksOf(file: FileHandle): AsyncGenerator<Buffer> {
  let position = 0;
  let next = readAt(file, position);
  for (;;) {
    const chunk = await next;
    if (chunk.length === 0) return;
    position += chunk.length;
    // The next chunk is read while this one is processed.
    next = readAt(file, position);
    next.catch(() => undefined);
    yield chunk;
  }
}

async function readAt(file: FileHandle, position: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafeSlow(CHUNK_BYTES);
  const { bytesRead } = await file.read(buffer, 0, CHUNK_BYTES, position);
  return buffer.subarray(0, bytesRead);
}
