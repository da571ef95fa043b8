import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rename, rm, stat, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import {
  AbortMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  type ListMultipartUploadsCommandOutput,
  ListObjectsV2Command,
  type MultipartUpload,
  S3Client,
  type S3ClientConfig,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { createVerifier, verifyFile } from './integrity.ts';
import { dependencyReason, peerReason } from '../unavailable.ts';
import { createMeter, filesBefore } from './local-store.ts';
import { makeFolder } from './make-folder.ts';
import { ObjectDamaged, type ObjectStore, type StoredObject, StoreRefused, StoreUnavailable } from './store.ts';

export type S3Options = { bucket: string; endpoint: string | null; region: string; prefix: string };

const PART_BYTES = 8 * 1024 * 1024;
const CONNECT_TIMEOUT_MS = 3_000;
/** Short enough that a request that meets a silent service is answered within 15 seconds. */
const RESPONSE_TIMEOUT_MS = 10_000;
const MAX_ATTEMPTS = 3;
const RETRY_AFTER_MS = 100;
/** A copy in use shows so often that it is. */
const TOUCH_MS = 3_600_000;
const PARTIAL = /\.partial-[0-9a-f-]{36}$/;

/**
 * Objects in any S3-compatible service; `cacheDir` holds local copies for readers that need a file. Credentials come from the usual AWS
 * sources. A service that is silent for `responseTimeoutMs` counts as unavailable.
 */
export const createS3Store = (
  options: S3Options,
  cacheDir: string,
  { responseTimeoutMs = RESPONSE_TIMEOUT_MS }: { responseTimeoutMs?: number } = {},
): ObjectStore => new S3Store(options, cacheDir, openClient(options, responseTimeoutMs));

const openClient = ({ region, endpoint }: S3Options, responseTimeoutMs: number): S3Client =>
  new S3Client({
    region,
    ...(endpoint ? { endpoint, forcePathStyle: true } : {}),
    // Compatible services often do not support trailing checksums.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    maxAttempts: MAX_ATTEMPTS,
    retryStrategy: RETRIES,
    requestHandler: { connectionTimeout: CONNECT_TIMEOUT_MS, socketTimeout: responseTimeoutMs },
  });

/** What the service refused for the moment is tried again; what it left without a response is not, because the caller has waited already. */
const RETRIES: NonNullable<S3ClientConfig['retryStrategy']> = {
  acquireInitialRetryToken: async () => retryToken(0),
  async refreshRetryTokenForRetry(token, { error, errorType }) {
    const count = token.getRetryCount() + 1;
    const isSilent = (error as { name?: string } | undefined)?.name === 'TimeoutError';
    if (isSilent || errorType === 'CLIENT_ERROR' || count >= MAX_ATTEMPTS) throw error;
    return retryToken(count);
  },
  recordSuccess: () => {},
};

const retryToken = (count: number) => ({
  getRetryCount: () => count,
  getRetryDelay: () => count * RETRY_AFTER_MS * (1 + Math.random()),
});

class S3Store implements ObjectStore {
  readonly kind = 's3';
  readonly #bucket: string;
  readonly #prefix: string;
  readonly #cacheDir: string;
  readonly #client: S3Client;

  constructor({ bucket, prefix }: S3Options, cacheDir: string, client: S3Client) {
    this.#bucket = bucket;
    this.#prefix = prefix ? `${prefix}/` : '';
    this.#cacheDir = cacheDir;
    this.#client = client;
  }

  async put(key: string, bytes: Readable, maxBytes: number): Promise<StoredObject> {
    const meter = createMeter(maxBytes);
    const params = { ...this.#locationOf(key), Body: meter.stream };
    const upload = new Upload({ client: this.#client, params, partSize: PART_BYTES, queueSize: 2 });
    const fed = pipeline(bytes, meter.stream);
    const sent = upload.done();
    try {
      const [{ ETag }] = await guarded(() => Promise.all([sent, fed]));
      // Something else than a store, such as a proxy with a page of its own, may say 200 too.
      if (!ETag) throw new StoreUnavailable('what responds for the object store does not confirm what it was sent');
    } catch (error) {
      // The upload gets the failure from its stream and discards the parts that it has sent.
      meter.stream.destroy(error as Error);
      await Promise.allSettled([fed, sent]);
      throw error;
    }
    return meter.result();
  }

  async get(key: string): Promise<{ stream: Readable; size: number } | null> {
    const found = await absentAsNull(() => this.#client.send(new GetObjectCommand(this.#locationOf(key))));
    // Without a length an object that is cut off would look like a whole one.
    if (found && found.ContentLength === undefined) {
      (found.Body as Readable).destroy();
      throw new StoreUnavailable('what responds for the object store does not say how long an object is');
    }
    // In Node the body of an object is a Readable; the type also has the streams of browsers.
    return found && { stream: found.Body as Readable, size: found.ContentLength ?? 0 };
  }

  async stat(key: string): Promise<{ size: number } | null> {
    const found = await absentAsNull(() => this.#client.send(new HeadObjectCommand(this.#locationOf(key))));
    // The response is the same where the bucket is not there.
    if (!found) await this.ready();
    return found && { size: found.ContentLength ?? 0 };
  }

  async localPath(key: string, expected?: StoredObject): Promise<string | null> {
    const path = join(this.#cacheDir, key);
    if (await hasCopy(key, path, expected)) return path;
    const found = await this.get(key);
    if (!found) return null;
    const partial = `${path}.partial-${randomUUID()}`;
    await makeFolder(dirname(path));
    try {
      const file = createWriteStream(partial, { mode: 0o600, flush: true });
      await guarded(() =>
        expected ? pipeline(found.stream, createVerifier(key, expected), file) : pipeline(found.stream, file),
      );
      await rename(partial, path);
    } catch (error) {
      await rm(partial, { force: true });
      throw error;
    }
    return path;
  }

  async *list(prefix: string): AsyncGenerator<{ key: string; size: number }> {
    let after: string | undefined;
    do {
      const { Key: Prefix } = this.#locationOf(prefix);
      const command = new ListObjectsV2Command({ Bucket: this.#bucket, Prefix, ContinuationToken: after });
      const page = await guarded(() => this.#client.send(command));
      for (const { Key, Size } of page.Contents ?? []) if (Key) yield { key: Key.slice(this.#prefix.length), size: Size ?? 0 };
      after = page.NextContinuationToken;
    } while (after);
  }

  async delete(key: string): Promise<void> {
    await rm(join(this.#cacheDir, key), { force: true });
    await guarded(() => this.#client.send(new DeleteObjectCommand(this.#locationOf(key))));
  }

  async removeUnfinished(folders: readonly string[], before: Date): Promise<number> {
    let removed = 0;
    for await (const path of filesBefore(this.#cacheDir, before)) {
      if (!PARTIAL.test(path)) continue;
      await rm(path, { force: true });
      removed += 1;
    }
    for (const folder of folders) {
      for await (const { Key, UploadId, Initiated } of this.#unfinishedUploads(folder)) {
        if (!Initiated || Initiated >= before) continue;
        await guarded(() => this.#client.send(new AbortMultipartUploadCommand({ Bucket: this.#bucket, Key, UploadId })));
        removed += 1;
      }
    }
    return removed;
  }

  async removeCopies(before: Date): Promise<number> {
    let removed = 0;
    for await (const path of filesBefore(this.#cacheDir, before)) {
      if (PARTIAL.test(path)) continue;
      await rm(path, { force: true });
      removed += 1;
    }
    return removed;
  }

  async *#unfinishedUploads(folder: string): AsyncGenerator<MultipartUpload> {
    const { Bucket, Key: Prefix } = this.#locationOf(`${folder}/`);
    let after: { KeyMarker: string | undefined; UploadIdMarker: string | undefined } | undefined;
    do {
      const page = await this.#client.send(new ListMultipartUploadsCommand({ Bucket, Prefix, ...after })).catch(unlisted);
      yield* page.Uploads ?? [];
      after = page.IsTruncated ? { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker } : undefined;
    } while (after);
  }

  async *localKeys(): AsyncGenerator<string> {}

  async ready(): Promise<void> {
    const found = await absentAsNull(() => this.#client.send(new HeadBucketCommand({ Bucket: this.#bucket })));
    if (!found) throw new StoreRefused(`the object store has no bucket ${this.#bucket}`);
  }

  #locationOf(key: string): { Bucket: string; Key: string } {
    return { Bucket: this.#bucket, Key: `${this.#prefix}${key}` };
  }
}

/** Whether there is an undamaged local copy. A damaged one is ignored: the object in the service may be intact. */
async function hasCopy(key: string, path: string, expected: StoredObject | undefined): Promise<boolean> {
  const copy = await stat(path).catch(() => null);
  // Of a copy without bytes the service knows whether the object has none.
  if (!copy?.size) return false;
  try {
    if (Date.now() - copy.mtimeMs > TOUCH_MS) await utimes(path, new Date(), new Date());
    if (expected) await verifyFile(key, path, expected);
    return true;
  } catch (error) {
    if (error instanceof ObjectDamaged || (error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}

/** Some compatible services cannot list unfinished uploads; a rule of the bucket has to expire them there. */
function unlisted(error: unknown): ListMultipartUploadsCommandOutput {
  if ((error as { name?: string }).name === 'NotImplemented') return { $metadata: {} };
  throw asUnavailable(error);
}

async function guarded<Result>(run: () => Promise<Result>): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    throw asUnavailable(error);
  }
}

function asUnavailable(error: unknown): unknown {
  if (!isServiceFailure(error)) return error;
  const { $metadata, code, name } = error as { $metadata?: { httpStatusCode?: number }; code?: string; name?: string };
  const status = $metadata?.httpStatusCode;
  if (status === undefined) {
    return new StoreUnavailable(peerReason(code ?? '') ?? 'the object store does not respond', { cause: error });
  }
  // The log gets this message: who mends it has to know what it was.
  const Kind = status < 500 ? StoreRefused : StoreUnavailable;
  // A response without a body, as to HEAD, has no word.
  const word = name === undefined || name === 'Unknown' ? '' : ` ${name}`;
  return new Kind(`the object store responds with ${status}${word}`, { cause: error });
}

async function absentAsNull<Result>(run: () => Promise<Result>): Promise<Result | null> {
  try {
    return await guarded(run);
  } catch (error) {
    if (isAbsence(error)) return null;
    throw error;
  }
}

const NO_RESPONSE = ['TimeoutError', 'CredentialsProviderError'];

/**
 * Whatever the service refuses is a failure of the service or of how it is set up (credentials, bucket, limits): what it is asked is not the
 * customer's. The one exception is an object that it does not have.
 */
function isServiceFailure(error: unknown): boolean {
  const { $metadata, code, name } = error as { $metadata?: { httpStatusCode?: number }; code?: string; name?: string };
  if ($metadata?.httpStatusCode !== undefined) return !isAbsence(error);
  return dependencyReason(code ?? '') !== undefined || NO_RESPONSE.includes(name ?? '');
}

/** Only a request without a body of the response says `NotFound`, for an object and for the bucket. */
function isAbsence(error: unknown): boolean {
  const { $metadata, name } = error as { $metadata?: { httpStatusCode?: number }; name?: string };
  return $metadata?.httpStatusCode === 404 && (name === 'NoSuchKey' || name === 'NotFound');
}
