import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { Transform } from 'node:stream';

/** Bytes of one frame: each is encrypted and authenticated for itself, so that a reader never gets bytes that nobody has checked. */
const FRAME_BYTES = 1024 * 1024;
const TAG_BYTES = 16;
const SALT_BYTES = 32;
const MAGIC = Buffer.from('sluice-sealed-1\n');

/** The stored bytes are not those that were sealed, or the key is another. */
export class SealBroken extends Error {}

/** A data key of AES-256. */
export const newDataKey = (): Buffer => randomBytes(32);

/**
 * Encrypts a stream under a data key: a header with a salt, then frames of 1 MiB under AES-256-GCM. Each object has a key of its own,
 * derived from the data key, the salt and what the object is bound to; the nonce is the number of the frame with a mark on the last, so
 * that frames cannot be moved, left out or cut off.
 */
export function createSealer(dataKey: Buffer, boundTo: string): Transform {
  const salt = randomBytes(SALT_BYTES);
  const key = objectKey(dataKey, salt, boundTo);
  let number = 0;
  const frames = new Frames(FRAME_BYTES, (frame, last) => {
    const cipher = createCipheriv('aes-256-gcm', key, nonceOf(number, last));
    number += 1;
    return Buffer.concat([cipher.update(frame), cipher.final(), cipher.getAuthTag()]);
  });
  const stream = frames.stream();
  stream.push(Buffer.concat([MAGIC, salt]));
  return stream;
}

/** Decrypts what `createSealer` made; ends with SealBroken at the first frame that is not as it was written. */
export function createOpener(dataKey: Buffer, boundTo: string): Transform {
  let key: Buffer | null = null;
  let number = 0;
  const frames = new Frames(
    FRAME_BYTES + TAG_BYTES,
    (frame, last) => {
      if (!key || frame.length < TAG_BYTES) throw new SealBroken(`the sealed object of ${boundTo} is cut off`);
      const decipher = createDecipheriv('aes-256-gcm', key, nonceOf(number, last));
      number += 1;
      const body = frame.subarray(0, frame.length - TAG_BYTES);
      decipher.setAuthTag(frame.subarray(frame.length - TAG_BYTES));
      try {
        return Buffer.concat([decipher.update(body), decipher.final()]);
      } catch {
        throw new SealBroken(`the sealed object of ${boundTo} is damaged, or sealed with another key`);
      }
    },
    {
      bytes: MAGIC.length + SALT_BYTES,
      take: (header) => {
        if (!header.subarray(0, MAGIC.length).equals(MAGIC)) throw new SealBroken(`the object of ${boundTo} is not a sealed one`);
        key = objectKey(dataKey, header.subarray(MAGIC.length), boundTo);
      },
    },
  );
  return frames.stream();
}

function objectKey(dataKey: Buffer, salt: Buffer, boundTo: string): Buffer {
  return Buffer.from(hkdfSync('sha256', dataKey, salt, `sluice sealed object\n${boundTo}`, 32));
}

function nonceOf(number: number, last: boolean): Buffer {
  const nonce = Buffer.alloc(12);
  nonce.writeUInt8(last ? 1 : 0, 0);
  nonce.writeUIntBE(number, 6, 6);
  return nonce;
}

/** Cuts a stream into frames of one length; the last one, which may be empty, is known only when the stream ends. */
class Frames {
  readonly #size: number;
  readonly #take: (frame: Buffer, last: boolean) => Buffer;
  readonly #header: { bytes: number; take(header: Buffer): void } | null;
  #headerTaken = false;
  #chunks: Buffer[] = [];
  #length = 0;

  constructor(
    size: number,
    take: (frame: Buffer, last: boolean) => Buffer,
    header: { bytes: number; take(header: Buffer): void } | null = null,
  ) {
    this.#size = size;
    this.#take = take;
    this.#header = header;
  }

  stream(): Transform {
    const stream: Transform = new Transform({
      transform: (chunk: Buffer, _encoding, done) => {
        try {
          this.#chunks.push(chunk);
          this.#length += chunk.length;
          this.#drain((frame) => stream.push(frame));
          done();
        } catch (error) {
          done(error as Error);
        }
      },
      flush: (done) => {
        try {
          this.#drain((frame) => stream.push(frame));
          done(null, this.#take(this.#cut(this.#length), true));
        } catch (error) {
          done(error as Error);
        }
      },
    });
    return stream;
  }

  /** A frame is taken once a byte follows it: until then it may be the last. */
  #drain(push: (frame: Buffer) => void): void {
    if (this.#header && !this.#headerTaken) {
      if (this.#length < this.#header.bytes) return;
      this.#header.take(this.#cut(this.#header.bytes));
      this.#headerTaken = true;
    }
    while (this.#length > this.#size) push(this.#take(this.#cut(this.#size), false));
  }

  #cut(size: number): Buffer {
    const all = this.#chunks.length === 1 && this.#chunks[0] ? this.#chunks[0] : Buffer.concat(this.#chunks);
    const rest = all.subarray(size);
    this.#chunks = rest.length > 0 ? [rest] : [];
    this.#length -= size;
    return all.subarray(0, size);
  }
}
