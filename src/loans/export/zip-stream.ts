import { createDeflateRaw, crc32, deflateRawSync } from 'node:zlib';

interface Entry {
  name: Buffer;
  crc: number;
  packed: number;
  size: number;
  offset: number;
  streamed: boolean;
}

const UINT32_MAX = 0xffffffff;
/** 1980-01-01: the same rows give the same bytes whenever they are written. */
const DOS_DATE = 0x0021;

/** Writes a zip archive forward only: streamed entries carry their sizes in a data descriptor, ZIP64 where 4 GiB are passed. */
export class ZipStream {
  #entries: Entry[] = [];
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

  #open(name: string, streamed: boolean): Entry {
    const entry: Entry = { name: Buffer.from(name), crc: 0, packed: 0, size: 0, offset: this.#offset, streamed };
    this.#entries.push(entry);
    return entry;
  }

  #count(bytes: Buffer): Buffer {
    this.#offset += bytes.length;
    return bytes;
  }
}

async function* deflateChunks(chunks: AsyncIterable<string>, entry: Entry): AsyncGenerator<Buffer> {
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

function localHeader(entry: Entry): Buffer {
  const header = Buffer.alloc(30);
  header.writeUInt32LE(0x04034b50, 0);
  header.writeUInt16LE(entry.streamed ? 45 : 20, 4);
  header.writeUInt16LE(entry.streamed ? 0x0808 : 0x0800, 6);
  header.writeUInt16LE(8, 8);
  header.writeUInt16LE(DOS_DATE, 12);
  if (!entry.streamed) {
    header.writeUInt32LE(entry.crc, 14);
    header.writeUInt32LE(entry.packed, 18);
    header.writeUInt32LE(entry.size, 22);
  }
  header.writeUInt16LE(entry.name.length, 26);
  return Buffer.concat([header, entry.name]);
}

function isLarge(entry: Entry): boolean {
  return entry.packed >= UINT32_MAX || entry.size >= UINT32_MAX;
}

function dataDescriptor(entry: Entry): Buffer {
  const large = isLarge(entry);
  const record = Buffer.alloc(large ? 24 : 16);
  record.writeUInt32LE(0x08074b50, 0);
  record.writeUInt32LE(entry.crc, 4);
  if (large) {
    record.writeBigUInt64LE(BigInt(entry.packed), 8);
    record.writeBigUInt64LE(BigInt(entry.size), 16);
  } else {
    record.writeUInt32LE(entry.packed, 8);
    record.writeUInt32LE(entry.size, 12);
  }
  return record;
}

function directoryRecord(entry: Entry): Buffer {
  const large = isLarge(entry) || entry.offset >= UINT32_MAX;
  const record = Buffer.alloc(46);
  record.writeUInt32LE(0x02014b50, 0);
  record.writeUInt16LE(45, 4);
  record.writeUInt16LE(large || entry.streamed ? 45 : 20, 6);
  record.writeUInt16LE(entry.streamed ? 0x0808 : 0x0800, 8);
  record.writeUInt16LE(8, 10);
  record.writeUInt16LE(DOS_DATE, 14);
  record.writeUInt32LE(entry.crc, 16);
  record.writeUInt32LE(large ? UINT32_MAX : entry.packed, 20);
  record.writeUInt32LE(large ? UINT32_MAX : entry.size, 24);
  record.writeUInt16LE(entry.name.length, 28);
  record.writeUInt16LE(large ? 28 : 0, 30);
  record.writeUInt32LE(large ? UINT32_MAX : entry.offset, 42);
  if (!large) return Buffer.concat([record, entry.name]);
  const extra = Buffer.alloc(28);
  extra.writeUInt16LE(1, 0);
  extra.writeUInt16LE(24, 2);
  extra.writeBigUInt64LE(BigInt(entry.size), 4);
  extra.writeBigUInt64LE(BigInt(entry.packed), 12);
  extra.writeBigUInt64LE(BigInt(entry.offset), 20);
  return Buffer.concat([record, entry.name, extra]);
}

function directoryEnd(count: number, size: number, start: number): Buffer {
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(count, 8);
  end.writeUInt16LE(count, 10);
  end.writeUInt32LE(size, 12);
  end.writeUInt32LE(Math.min(start, UINT32_MAX), 16);
  if (start < UINT32_MAX) return end;
  const large = Buffer.alloc(76);
  large.writeUInt32LE(0x06064b50, 0);
  large.writeBigUInt64LE(44n, 4);
  large.writeUInt16LE(45, 12);
  large.writeUInt16LE(45, 14);
  large.writeBigUInt64LE(BigInt(count), 24);
  large.writeBigUInt64LE(BigInt(count), 32);
  large.writeBigUInt64LE(BigInt(size), 40);
  large.writeBigUInt64LE(BigInt(start), 48);
  large.writeUInt32LE(0x07064b50, 56);
  large.writeBigUInt64LE(BigInt(start + size), 64);
  large.writeUInt32LE(1, 72);
  return Buffer.concat([large, end]);
}
