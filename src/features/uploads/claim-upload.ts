import { finished, type Readable } from 'node:stream';
import type { Tx } from '../../platform/db/database.ts';
import type { Deps } from '../../platform/deps.ts';
import { ApiError } from '../../platform/http/errors.ts';
import { releaseClaim, renewClaim, takeClaim, type Upload } from './queries.ts';

/** A claim lapses this long after its last renewal: a killed process keeps an address busy for no longer. */
const CLAIM_SECONDS = 3;
const RENEW_MS = 1_000;

export const uploadInProgress = (): ApiError =>
  new ApiError('UPLOAD_IN_PROGRESS', undefined, { headers: { 'retry-after': '5' } });

/** Claims a locked upload for one PUT; 409 while another PUT is sending, in this or another process. */
export async function claimUpload(tx: Tx, upload: Upload, claim: { receiver: string; object_key: string }): Promise<void> {
  const taken = await takeClaim(tx, { ...upload, receiver: claim.receiver }, claim.object_key, CLAIM_SECONDS);
  if (!taken) throw uploadInProgress();
}

type Claimed = {
  upload: Upload;
  receiver: string;
  bytes: Readable;
  /** Finds the upload again; an error that it throws ends the PUT. */
  check(tx: Tx): Promise<Upload>;
};

/**
 * Renews a claim while bytes arrive, and ends the PUT when the claim is lost or no longer permitted. The claim is released as soon as the
 * sender has disconnected, so that the next PUT does not wait while the store cleans up.
 */
export function keepClaim(deps: Deps, { upload, receiver, bytes, check }: Claimed): AsyncDisposable {
  const scope = { organization: upload.organization_id };
  const claim = { ...upload, receiver };
  const renew = (): Promise<void> =>
    deps.db.tx(scope, async (tx) => {
      if ((await check(tx)).receiver !== receiver) throw uploadInProgress();
      await renewClaim(tx, claim, CLAIM_SECONDS);
    });
  let timer: NodeJS.Timeout | undefined;
  let released: Promise<unknown> | undefined;
  const renewLater = (): void => {
    if (released) return;
    timer = setTimeout(() => {
      // A database that does not respond does not end the upload: the commit checks again that the claim still holds.
      renew().then(renewLater, (error: unknown) => (error instanceof ApiError ? bytes.destroy(error) : renewLater()));
    }, RENEW_MS);
    timer.unref();
  };
  const release = (): Promise<unknown> => {
    clearTimeout(timer);
    released ??= deps.db
      .tx(scope, (tx) => releaseClaim(tx, claim))
      // It lapses by itself.
      .catch(() => {});
    return released;
  };
  renewLater();
  finished(bytes, { writable: false }, (error) => void (error && release()));
  return { [Symbol.asyncDispose]: async () => void (await release()) };
}
