// Records of a zip archive (APPNOTE 6.3.10), with the fields of ZIP64 where 4 GiB are passed.

/** One file of an archive as its records state it. */
export interface ZipRecord {
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

export function localHeader(entry: ZipRecord): Buffer {
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

function isLarge(entry: ZipRecord): boolean {
  return entry.packed >= UINT32_MAX || entry.size >= UINT32_MAX;
}

export function dataDescriptor(entry: ZipRecord): Buffer {
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

export function directoryRecord(entry: ZipRecord): Buffer {
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

export function directoryEnd(count: number, size: number, start: number): Buffer {
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
