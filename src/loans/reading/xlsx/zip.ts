import { createReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { crc32, createInflateRaw } from 'node:zlib';
import type { ReadLimits } from '../raw-table.ts';
import { damagedWorkbook, TapeProblem, workbookTooLarge } from '../read-problem.ts';
import { readBytes, readDirectory, type ZipEntry } from './zip-directory.ts';

const SMALL_ENTRY_BYTES = 16 * 1024 * 1024;
const LOCAL_HEADER = 0x04034b50;

/**
 * A zip archive (APPNOTE 6.3.10) read by its directory, entry by entry, never unpacked to disk: stored and deflated entries, data
 * descriptors, ZIP64. Archives with false sizes or that expand beyond the limits are refused before or during expansion.
 */
export class ZipArchive implements AsyncDisposable {
  #path: string;
  #file: FileHandle;
  #limits: ReadLimits;
  #entries = new Map<string, ZipEntry>();
  #expanded = 0;

  constructor(path: string, file: FileHandle, limits: ReadLimits, entries: ZipEntry[]) {
    this.#path = path;
    this.#file = file;
    this.#limits = limits;
    for (const entry of entries) {
      const key = keyOf(entry.name);
      if (this.#entries.has(key)) throw damagedWorkbook(`the archive holds "${entry.name}" twice`);
      this.#entries.set(key, entry);
    }
  }

  static async open(path: string, limits: ReadLimits): Promise<ZipArchive> {
    const file = await open(path);
    try {
      return new ZipArchive(path, file, limits, await readDirectory(file));
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  get names(): string[] {
    return [...this.#entries.values()].map((entry) => entry.name);
  }

  has(name: string): boolean {
    return this.#entries.has(keyOf(name));
  }

  /** Expanded size as the directory states it. */
  sizeOf(name: string): number {
    return this.#entries.get(keyOf(name))?.size ?? 0;
  }

  /** Expanded bytes of an entry; reading stops when the caller stops. */
  async *chunks(name: string): AsyncGenerator<Buffer> {
    const entry = this.#entries.get(keyOf(name));
    if (!entry) throw damagedWorkbook(`the part "${name}" is missing`);
    this.#refuseExpansion(entry);
    const source = createReadStream(this.#path, { ...(await this.#range(entry)), highWaterMark: 256 * 1024 });
    const expanded = entry.method === 0 ? source : source.pipe(createInflateRaw({ chunkSize: 256 * 1024 }));
    source.on('error', (error) => expanded.destroy(error));
    try {
      if (entry.packed > 0) yield* this.#counted(entry, expanded);
    } finally {
      source.destroy();
      expanded.destroy();
    }
  }

  /** A whole entry as text, for the small parts; null when there is none. */
  async text(name: string, maxBytes: number): Promise<string | null> {
    if (!this.has(name)) return null;
    if (this.sizeOf(name) > maxBytes)
      throw workbookTooLarge(`the part "${name}" has ${this.sizeOf(name)} bytes, at most ${maxBytes} are read`);
    const chunks: Buffer[] = [];
    for await (const chunk of this.chunks(name)) chunks.push(chunk);
    return decodeXml(Buffer.concat(chunks));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file.close();
  }

  async *#counted(entry: ZipEntry, expanded: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    let crc = 0;
    let size = 0;
    try {
      for await (const chunk of expanded) {
        size += chunk.length;
        this.#expanded += chunk.length;
        if (size > entry.size) throw damagedWorkbook(`the part "${entry.name}" is larger than the archive states`);
        if (this.#expanded > this.#limits.maxExpandedBytes)
          throw workbookTooLarge(`its parts expand beyond ${this.#limits.maxExpandedBytes} bytes`);
        crc = crc32(chunk, crc);
        yield chunk;
      }
    } catch (error) {
      throw isInflateError(error) ? damagedWorkbook(`the part "${entry.name}" cannot be expanded`) : error;
    }
    if (size !== entry.size || crc !== entry.crc) throw damagedWorkbook(`the part "${entry.name}" does not match its checksum`);
  }

  #refuseExpansion(entry: ZipEntry): void {
    if (entry.encrypted)
      throw new TapeProblem('UNREADABLE_FILE', 'The workbook is encrypted. Save it without a password and upload it again.');
    if (entry.method !== 0 && entry.method !== 8)
      throw damagedWorkbook(`the part "${entry.name}" is packed by method ${entry.method}; stored and deflated parts are read`);
    const { maxExpandedBytes, maxExpansion } = this.#limits;
    if (entry.size > maxExpandedBytes)
      throw workbookTooLarge(`its part "${entry.name}" expands to ${entry.size} bytes, at most ${maxExpandedBytes} are read`);
    if (entry.size > SMALL_ENTRY_BYTES && entry.size > entry.packed * maxExpansion)
      throw workbookTooLarge(
        `its part "${entry.name}" expands ${Math.round(entry.size / entry.packed)} times, at most ${maxExpansion} times is accepted`,
      );
  }

  async #range(entry: ZipEntry): Promise<{ start: number; end: number }> {
    const header = await readBytes(this.#file, entry.offset, 30);
    if (header.length < 30 || header.readUInt32LE(0) !== LOCAL_HEADER)
      throw damagedWorkbook(`the part "${entry.name}" is not where the directory says`);
    const nameLength = header.readUInt16LE(26);
    const name = await readBytes(this.#file, entry.offset + 30, nameLength);
    if (name.toString('utf8') !== entry.name)
      throw damagedWorkbook(`the part "${entry.name}" has another name in its own header`);
    const start = entry.offset + 30 + nameLength + header.readUInt16LE(28);
    return { start, end: Math.max(start, start + entry.packed - 1) };
  }
}

function keyOf(name: string): string {
  return name.replaceAll('\\', '/').replace(/^\/+/, '').toLowerCase();
}

function isInflateError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('Z_');
}

/** A part of a workbook as text: UTF-8, or UTF-16 with its mark. */
function decodeXml(bytes: Buffer): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  return new TextDecoder('utf-8').decode(bytes);
}
