import type { Readable } from 'node:stream';

export type StoredObject = { size: number; sha256: string };

/** Where bytes are kept: local files or any S3-compatible service. Objects appear whole or not at all, and never change. */
export type ObjectStore = {
  readonly kind: 'file' | 's3';
  /** Streams bytes in; over `maxBytes` it throws TooLarge and keeps nothing. */
  put(key: string, bytes: Readable, maxBytes: number): Promise<StoredObject>;
  /** Streams bytes out; null when there is no such object. */
  get(key: string): Promise<{ stream: Readable; size: number } | null>;
  stat(key: string): Promise<{ size: number } | null>;
  /** Path of a local copy that stays while the process lives (objects never change, so a copy is never stale). */
  localPath(key: string): Promise<string | null>;
  /** Objects whose key starts with `prefix`, in no certain order. */
  list(prefix: string): AsyncIterable<{ key: string; size: number }>;
  delete(key: string): Promise<void>;
  ready(): Promise<void>;
};

export class TooLarge extends Error {}

/** The object store does not answer: 503, not a defect. */
export class StoreUnavailable extends Error {}
