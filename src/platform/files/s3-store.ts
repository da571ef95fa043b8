import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, rename, rm, stat } from 'node:fs/promises';
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
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { createVerifier, verifyFile } from './integrity.ts';
import { createMeter, filesBefore } from './local-store.ts';
import { ObjectDamaged, type ObjectStore, type StoredObject, StoreUnavailable } from './store.ts';

export type S3Options = { bucket: string; endpoint: string | null; region: string; prefix: string };

const PART_BYTES = 8 * 1024 * 1024;
const CONNECT_TIMEOUT_MS = 3_000;
const ANSWER_TIMEOUT_MS = 30_000;
const PARTIAL = /\.partial-[0-9a-f-]{36}$/;

/**
 * Objects in any S3-compatible service; `cacheDir` holds local copies for the readers that need a file. Credentials come the AWS way.
 * A service that is silent for `answerTimeoutMs` counts as one that does not answer.
 */
export function createS3Store(
  options: S3Options,
  cacheDir: string,
  { answerTimeoutMs = ANSWER_TIMEOUT_MS }: { answerTimeoutMs?: number } = {},
): ObjectStore {
  const client = new S3Client({
    region: options.region,
    ...(options.endpoint ? { endpoint: options.endpoint, forcePathStyle: true } : {}),
    // Compatible services often know no trailing checksums.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    maxAttempts: 3,
    requestHandler: { connectionTimeout: CONNECT_TIMEOUT_MS, socketTimeout: answerTimeoutMs },
  });
  const place = (key: string) => ({ Bucket: options.bucket, Key: options.prefix ? `${options.prefix}/${key}` : key });
  const head = (key: string) => absentAsNull(() => client.send(new HeadObjectCommand(place(key))));
  const get = async (key: string) => {
    const found = await absentAsNull(() => client.send(new GetObjectCommand(place(key))));
    return found ? { stream: found.Body as Readable, size: found.ContentLength ?? 0 } : null;
  };
  async function* unfinishedUploads(folder: string): AsyncGenerator<MultipartUpload> {
    const { Bucket, Key: Prefix } = place(`${folder}/`);
    let after: { KeyMarker: string | undefined; UploadIdMarker: string | undefined } | undefined;
    do {
      const page = await client.send(new ListMultipartUploadsCommand({ Bucket, Prefix, ...after })).catch(unlisted);
      yield* page.Uploads ?? [];
      after = page.IsTruncated ? { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker } : undefined;
    } while (after);
  }
  return {
    kind: 's3',
    async put(key, bytes, maxBytes) {
      const meter = createMeter(maxBytes);
      const upload = new Upload({ client, params: { ...place(key), Body: meter.stream }, partSize: PART_BYTES, queueSize: 2 });
      const fed = pipeline(bytes, meter.stream);
      const sent = upload.done();
      try {
        await guarded(() => Promise.all([fed, sent]));
      } catch (error) {
        // The upload reads the failure from its stream and gives up the parts that it has sent.
        meter.stream.destroy(error as Error);
        await Promise.allSettled([fed, sent]);
        throw error;
      }
      return meter.result();
    },
    get,
    async stat(key) {
      const found = await head(key);
      return found ? { size: found.ContentLength ?? 0 } : null;
    },
    async localPath(key, expected) {
      const path = join(cacheDir, key);
      if (await hasCopy(key, path, expected)) return path;
      const found = await get(key);
      if (!found) return null;
      const partial = `${path}.partial-${randomUUID()}`;
      await mkdir(dirname(path), { recursive: true });
      try {
        const file = createWriteStream(partial, { mode: 0o600 });
        await guarded(() =>
          expected ? pipeline(found.stream, createVerifier(key, expected), file) : pipeline(found.stream, file),
        );
        await rename(partial, path);
      } catch (error) {
        await rm(partial, { force: true });
        throw error;
      }
      return path;
    },
    async *list(prefix) {
      const within = options.prefix ? options.prefix.length + 1 : 0;
      let after: string | undefined;
      do {
        const command = new ListObjectsV2Command({ Bucket: options.bucket, Prefix: place(prefix).Key, ContinuationToken: after });
        const page = await guarded(() => client.send(command));
        for (const { Key, Size } of page.Contents ?? []) if (Key) yield { key: Key.slice(within), size: Size ?? 0 };
        after = page.NextContinuationToken;
      } while (after);
    },
    async delete(key) {
      await rm(join(cacheDir, key), { force: true });
      await guarded(() => client.send(new DeleteObjectCommand(place(key))));
    },
    async removeUnfinished(folders, before) {
      let removed = 0;
      for await (const path of filesBefore(cacheDir, before)) {
        if (!PARTIAL.test(path)) continue;
        await rm(path, { force: true });
        removed += 1;
      }
      for (const folder of folders) {
        for await (const { Key, UploadId, Initiated } of unfinishedUploads(folder)) {
          if (!Initiated || Initiated >= before) continue;
          await guarded(() => client.send(new AbortMultipartUploadCommand({ Bucket: options.bucket, Key, UploadId })));
          removed += 1;
        }
      }
      return removed;
    },
    async *localKeys() {},
    async ready() {
      await guarded(() => client.send(new HeadBucketCommand({ Bucket: options.bucket })));
    },
  };
}

/** True when a local copy is there and sound. A damaged one is passed over: the service may still have the object whole. */
async function hasCopy(key: string, path: string, expected: StoredObject | undefined): Promise<boolean> {
  if (!(await stat(path).catch(() => null))) return false;
  try {
    if (expected) await verifyFile(key, path, expected);
    return true;
  } catch (error) {
    if (error instanceof ObjectDamaged) return false;
    throw error;
  }
}

/** Some compatible services cannot list unfinished uploads; they have to expire there by a rule of the bucket. */
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
  return isServiceFailure(error) ? new StoreUnavailable('the object store does not answer', { cause: error }) : error;
}

async function absentAsNull<Result>(run: () => Promise<Result>): Promise<Result | null> {
  try {
    return await guarded(run);
  } catch (error) {
    if ((error as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode === 404) return null;
    throw error;
  }
}

const SILENT = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ETIMEDOUT',
]);

function isServiceFailure(error: unknown): boolean {
  const { $metadata, code, name } = error as { $metadata?: { httpStatusCode?: number }; code?: string; name?: string };
  return ($metadata?.httpStatusCode ?? 0) >= 500 || SILENT.has(code ?? '') || name === 'TimeoutError';
}
