import { diagnose } from '../features/webhooks/diagnose.ts';
import { CommandFailure, EXIT } from './client/failure.ts';
import { readLocal } from './client/local-file.ts';

export type VerifyOptions = { body: string; signature: string; secret?: string; secretFile?: string };

/** Prints whether a signature matches, and if not, what differs. Exit code 0 when it matches, 1 when it does not. */
export function webhooksVerify(options: VerifyOptions, out: { print(line: string): void }): number {
  // The line end of a one-line file is not part of the secret.
  const secret = options.secretFile
    ? readLocal(options.secretFile)
        .toString()
        .replace(/\r?\n$/, '')
    : options.secret;
  if (!secret) throw new CommandFailure('a secret is needed: --secret or --secret-file', EXIT.usage);
  const body = readLocal(options.body === '-' ? 0 : options.body);
  const diagnosis = diagnose(body, options.signature, secret);
  out.print(JSON.stringify(diagnosis, null, 2));
  return diagnosis.valid ? 0 : 1;
}
