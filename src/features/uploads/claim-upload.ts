import { finished, type Readable } from 'node:stream';
import type { Tx } from '../../platform/db/database.ts';
import type { Deps } from '../../platform/deps.ts';
import { ApiError } from '../../platform/http/errors.ts';
import type { Upload } from './upload.ts';

/** A claim lapses so soon after its last renewal: that long a killed process keeps an address busy. */
const CLAIM_SECONDS = 3;
const RENEW_MS = 1_000;

export const uploadInProgress = (): ApiError =>
  new ApiError('UPLOAD_IN_PROGRESS', undefined, { headers: { 'retry-after': '5' } });

/** Takes a locked upload for one PUT: 409 while another one sends, in whatever process. */
export async function claimUpload(tx: Tx, upload: Upload, claim: { receiver: string; object_key: string }): Promise<void> {
  const claimed = await tx.exec(
    `update uploads set receiver = $3, receiver_until = now() + make_interval(secs => $4), receiving_key = $5
     where organization_id = $1 and upload_id = $2 and (receiver is null or receiver_until <= now())`,
    [upload.organization_id, upload.upload_id, claim.receiver, CLAIM_SECONDS, claim.object_key],
  );
  if (claimed === 0) throw uploadInProgress();
}

type Claimed = {
  upload: Upload;
  receiver: string;
  bytes: Readable;
  /** Finds the upload again; what it throws ends the PUT. */
  check(tx: Tx): Promise<Upload>;
};

/**
 * Renews a claim while bytes arrive and ends the PUT when it is lost or no longer permitted. It is given up as soon as the sender has
 * gone: what the store still has to clean up keeps nobody waiting.
 */
export function keepClaim(deps: Deps, { upload, receiver, bytes, check }: Claimed): AsyncDisposable {
  const scope = { organization: upload.organization_id };
  const own = [upload.organization_id, upload.upload_id, receiver];
  const renew = (): Promise<void> =>
    deps.db.tx(scope, async (tx) => {
      if ((await check(tx)).receiver !== receiver) throw uploadInProgress();
      await tx.exec(
        `update uploads set receiver_until = now() + make_interval(secs => $4) where organization_id = $1 and upload_id = $2 and receiver = $3`,
        [...own, CLAIM_SECONDS],
      );
    });
  let timer: NodeJS.Timeout | undefined;
  let released: Promise<unknown> | undefined;
  const renewLater = (): void => {
    if (released) return;
    timer = setTimeout(() => {
      // A database that does not answer ends no upload: whether the claim held is asked again when the bytes are there.
      renew().then(renewLater, (error: unknown) => (error instanceof ApiError ? bytes.destroy(error) : renewLater()));
    }, RENEW_MS);
    timer.unref();
  };
  const release = (): Promise<unknown> => {
    clearTimeout(timer);
    released ??= deps.db
      .tx(scope, (tx) =>
        tx.exec(
          `update uploads set receiver = null, receiver_until = null, receiving_key = null where organization_id = $1 and upload_id = $2 and receiver = $3`,
          own,
        ),
      )
      // It lapses by itself.
      .catch(() => {});
    return released;
  };
  renewLater();
  finished(bytes, { writable: false }, (error) => void (error && release()));
  return { [Symbol.asyncDispose]: async () => void (await release()) };
}
