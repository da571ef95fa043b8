import type { Readable } from 'node:stream';

export type StoredObject = { size: number; sha256: string };

/** The object store: local files or any S3-compatible service. Objects appear completely or not at all, and never change. */
export type ObjectStore = {
  readonly kind: 'file' | 's3';
  /** Streams bytes in; over `maxBytes` it throws TooLarge and keeps nothing. */
  put(key: string, bytes: Readable, maxBytes: number): Promise<StoredObject>;
  /** Streams bytes out; null when there is no such object. */
  get(key: string): Promise<{ stream: Readable; size: number } | null>;
  stat(key: string): Promise<{ size: number } | null>;
  /**
   * Path of a local copy that stays for hours (objects never change, so a copy is never stale). With `expected`, every byte
   * is first compared: ObjectDamaged when it differs from what was stored.
   */
  localPath(key: string, expected?: StoredObject): Promise<string | null>;
  /** Objects whose key starts with `prefix`, in no particular order. */
  list(prefix: string): AsyncIterable<{ key: string; size: number }>;
  delete(key: string): Promise<void>;
  /**
   * Removes the unfinished writes of killed processes from before that moment: temporary files, parts of objects below the folders.
   * Returns their number.
   */
  removeUnfinished(folders: readonly string[], before: Date): Promise<number>;
  /** Removes the local copies of objects in a service that nobody has asked for since that moment. Returns their number. */
  removeCopies(before: Date): Promise<number>;
  /** Keys of the local objects below a folder that were last written before that moment; objects in a service are not listed. */
  localKeys(folder: string, before: Date): AsyncIterable<string>;
  ready(): Promise<void>;
};

export class TooLarge extends Error {}

/** The object store does not respond: 503, not a defect. */
export class StoreUnavailable extends Error {}

/** The object store responds and refuses: its credentials, its bucket or its limits are for the operator to mend, and the request is valid. */
export class StoreRefused extends StoreUnavailable {}

/** The object has other bytes than were stored: nothing may be read from it. */
export class ObjectDamaged extends Error {
  readonly key: string;

  constructor(key: string, expected: StoredObject, found: StoredObject) {
    const problem =
      found.size === expected.size
        ? `sha-256 ${found.sha256} instead of ${expected.sha256}`
        : `${found.size} bytes instead of ${expected.size}`;
    super(`the object ${key} is damaged: ${problem}`);
    this.name = 'ObjectDamaged';
    this.key = key;
  }
}
