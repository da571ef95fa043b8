import type { SluiceError } from 'sluice-sdk';
import { notice } from '../notice.ts';
import { safeText } from './output/safe-text.ts';

/** What the exit code of a client command says; the guide of the command line lists them. */
export const EXIT = {
  ok: 0,
  failure: 1,
  usage: 2,
  refused: 3,
  notFound: 4,
  conflict: 5,
  invalid: 6,
  unavailable: 7,
  findings: 10,
  needsAnswer: 11,
  interrupted: 130,
} as const;

/** A command that cannot do what it was asked, told before or after a request. */
export class CommandFailure extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode: number = EXIT.failure) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** A file of the command line that cannot be read. */
export function unreadable(file: string, error: unknown): CommandFailure {
  const reason = MENDS[(error as NodeJS.ErrnoException).code ?? ''] ?? (error instanceof Error ? error.message : String(error));
  return new CommandFailure(`${file} cannot be read: ${reason}`, EXIT.usage);
}

/** A file that cannot be written to the path of `-o`; errors of the connection stay what they are. */
export function unwritable(file: string, error: unknown): unknown {
  const { code = '', syscall } = error as NodeJS.ErrnoException;
  if (syscall === undefined) return error;
  return new CommandFailure(`${file} cannot be written: ${WRITING[code] ?? (error as Error).message}`);
}

const WRITING: Record<string, string> = {
  ENOENT: 'there is no such directory; create it first',
  ENOTDIR: 'a part of its path is no directory',
  EACCES: 'this user may not write there',
  EROFS: 'nothing can be written there',
  EISDIR: 'it is a directory; name a file in it',
  ENOSPC: 'the disk is full',
};

const MENDS: Record<string, string> = {
  ENOENT: `there is no such file; paths that do not begin with / are looked up in ${process.cwd()}`,
  EACCES: 'this user may not read it; change its permissions, or copy it',
  EISDIR: 'it is a directory; name a file in it',
};

/** Tells the error on standard error; resolves to the exit code. */
export function report(error: unknown, interrupted: boolean): number {
  if (interrupted) return EXIT.interrupted;
  if (error instanceof CommandFailure) {
    notice(`sluice: ${safeText(error.message)}`);
    return error.exitCode;
  }
  if (isSluiceError(error)) return reportRefusal(error);
  notice(`sluice: ${safeText(error instanceof Error ? error.message : String(error))}`);
  return EXIT.failure;
}

/** By its name: the package is loaded where a request is made, not where its errors are read. */
const isSluiceError = (error: unknown): error is SluiceError => error instanceof Error && error.name === 'SluiceError';

/** Whether the same request may be answered later. */
export const isUnavailable = (error: unknown): boolean => isSluiceError(error) && exitCodeOf(error.status) === EXIT.unavailable;

/** What a command says that waits until the gateway is there again. */
export const tellLost = (error: unknown): void =>
  notice(`sluice: waiting for the gateway: ${safeText(error instanceof Error ? error.message : String(error))}`);

function reportRefusal(error: SluiceError): number {
  notice(`sluice: ${safeText(error.message)}`);
  for (const { field, message } of error.fields)
    notice(`  ${field === null ? '' : `${safeText(String(field))}: `}${safeText(message)}`);
  const more = [
    `code ${error.code}`,
    ...(error.status > 0 ? [`status ${error.status}`] : []),
    ...(error.requestId ? [`request ${error.requestId}`] : []),
    ...(error.retryAfter === null ? [] : [`again in ${Math.ceil(error.retryAfter)} s`]),
  ];
  notice(`  ${safeText(more.join(', '))}`);
  if (error.docUrl) notice(`  ${safeText(error.docUrl)}`);
  if (error.status === 401) notice('  sign in with: sluice login');
  if (error.code === 'NETWORK_ERROR')
    notice('  is the gateway running there? name another with --url, or start one with: sluice dev');
  return exitCodeOf(error.status);
}

export function exitCodeOf(status: number): number {
  if (status === 401 || status === 403) return EXIT.refused;
  if (status === 404 || status === 410) return EXIT.notFound;
  if (status === 409 || status === 412) return EXIT.conflict;
  if (status === 429 || status === 0 || status >= 500) return EXIT.unavailable;
  return status >= 400 ? EXIT.invalid : EXIT.failure;
}
