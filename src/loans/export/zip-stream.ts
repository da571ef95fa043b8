import { createDeflateRaw, crc32, deflateRawSync } from 'node:zlib';
import { dataDescriptor, directoryEnd, directoryRecord, localHeader, type ZipRecord } from './zip-records.ts';

/** Writes a zip archive forward only: streamed entries carry their sizes in a data descriptor, ZIP64 where 4 GiB are passed. */
export class ZipStream {
  #entries: ZipRecord[] = [];
  #offset = 0;

  wholeEntry(name: string, text: string): Buffer {
    const bytes = Buffer.from(text);
    const packed = deflateRawSync(bytes);
    const entry = this.#open(name, false);
    Object.assign(entry, { crc: crc32(bytes), packed: packed.length, size: bytes.length });
    return this.#count(Buffer.concat([localHeader(entry), packed]));
  }

  async *streamedEntry(name: string, chunks: AsyncIterable<string>): AsyncGenerator<Buffer> {
    const entry = this.#open(name, true);
    yield this.#count(localHeader(entry));
    for await (const packed of deflateChunks(chunks, entry)) {
      entry.packed += packed.length;
      yield this.#count(packed);
    }
    yield this.#count(dataDescriptor(entry));
  }

  directory(): Buffer {
    const start = this.#offset;
    const records = Buffer.concat(this.#entries.map(directoryRecord));
    return Buffer.concat([records, directoryEnd(this.#entries.length, records.length, start)]);
  }

  #open(name: string, streamed: boolean): ZipRecord {
    const entry: ZipRecord = { name: Buffer.from(name), crc: 0, packed: 0, size: 0, offset: this.#offset, streamed };
    this.#entries.push(entry);
    return entry;
  }

  #count(bytes: Buffer): Buffer {
    this.#offset += bytes.length;
    return bytes;
  }
}

async function* deflateChunks(chunks: AsyncIterable<string>, entry: ZipRecord): AsyncGenerator<Buffer> {
  const deflate = createDeflateRaw({ level: 1, chunkSize: 128 * 1024 });
  const feeding = feed();
  feeding.catch((error: Error) => deflate.destroy(error));
  yield* deflate as AsyncIterable<Buffer>;
  await feeding;

  async function feed(): Promise<void> {
    for await (const text of chunks) {
      const bytes = Buffer.from(text);
      entry.crc = crc32(bytes, entry.crc);
      entry.size += bytes.length;
      if (deflate.destroyed) return;
      if (!deflate.write(bytes)) await drained();
    }
    deflate.end();
  }

  function drained(): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        deflate.off('drain', done);
        deflate.off('close', done);
        resolve();
      };
      deflate.on('drain', done);
      deflate.on('close', done);
    });
  }
}
