/**
 * Temporary failures: the request is valid, but a dependency is unreachable, full, busy or read-only. The response is 503 with
 * Retry-After. Keyed by SQLSTATE (PostgreSQL, appendix A) and by errno; the reason is for the operator's log, never for a customer.
 */
const DEPENDENCY_CODES: Record<string, string> = {
  '08000': 'the connection to the database failed',
  '08001': 'the connection to the database could not be made',
  '08003': 'the connection to the database was lost',
  '08004': 'the database refused the connection',
  '08006': 'the connection to the database broke',
  '08P01': 'a connection pooler refused the connection',
  '25006': 'the database accepts no writes: a standby, or default_transaction_read_only is on',
  '25P03': 'a transaction was idle for too long',
  '25P04': 'a transaction took too long',
  '28000': 'the database refused the login',
  '28P01': 'the database refused the password',
  '3D000': 'the database does not exist',
  '40001': 'transactions kept conflicting',
  '40P01': 'transactions kept conflicting',
  '53000': 'the database is out of a resource',
  '53100': 'the disk of the database is full',
  '53200': 'the database is out of memory',
  '53300': 'the database has no connection left',
  '53400': 'the database is at a configured limit',
  '55P03': 'a lock was not free in time',
  '57014': 'a statement took too long',
  '57P01': 'the database is being stopped',
  '57P02': 'the database crashed',
  '57P03': 'the database is starting or stopping',
  '57P04': 'the database was dropped',
  '57P05': 'the database ended an idle session',
  '58000': 'the database reported a system error',
  '58030': 'the database reported a disk error',
  EADDRNOTAVAIL: 'no local port is left for another connection',
  EAI_AGAIN: 'the name service does not respond for the host of the database or the object store',
  EAI_FAIL: 'the name service failed for the host of the database or the object store',
  ECONNABORTED: 'a connection was cut',
  ECONNREFUSED: 'a connection was refused: the database or the object store is not running',
  ECONNRESET: 'a connection to the database or the object store was cut',
  EHOSTDOWN: 'the host of the database or the object store is down',
  EHOSTUNREACH: 'the host of the database or the object store cannot be reached',
  ENETDOWN: 'the network is down',
  ENETUNREACH: 'the network cannot be reached',
  ENOTFOUND: 'the host name of the database or the object store is not known',
  EPIPE: 'a connection was cut',
  ETIMEDOUT: 'a connection timed out',
};

/** Whole families of codes: what responds is there, and cannot be spoken to. */
const PEER_CODES: readonly (readonly [RegExp, string])[] = [
  [
    /^(?:CERT|CRL|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO)_|^HOSTNAME_MISMATCH$|^ERR_TLS_/,
    'the certificate of the database or the object store is not accepted',
  ],
  [/^EPROTO$|^ERR_SSL_/, 'the database or the object store does not speak TLS as this process does'],
  [/^HPE_/, 'what responds for the object store does not speak HTTP'],
];

/** A resource of this machine is used up or fails. */
const MACHINE_CODES: Record<string, string> = {
  EACCES: 'this process may not use a file or folder of its data directory',
  EAGAIN: 'the system is out of a resource',
  EDQUOT: 'the disk quota is used up',
  EIO: 'the disk reported an error',
  EMFILE: 'this process has no file descriptor left',
  ENFILE: 'the system has no file descriptor left',
  ENOBUFS: 'the system is out of buffers',
  ENOMEM: 'the system is out of memory',
  ENOSPC: 'the disk is full',
  EROFS: 'the file system is read-only',
  ESTALE: 'the file system of the network has gone',
};

/** Driver messages that have no code. */
const MESSAGES: readonly (readonly [RegExp, string])[] = [
  [/^Query read timeout$/, 'the database stopped responding'],
  [/^timeout exceeded when trying to connect$/, 'no connection was free in time'],
  [/^timeout expired$|^Connection terminated due to connection timeout$/, 'the database did not accept a connection in time'],
  [
    /^Connection terminated|^Client has encountered a connection error|^Client was closed/,
    'the connection to the database broke',
  ],
  [/^Cannot use a pool after calling end/, 'this process is being stopped'],
];
/** Messages without a code: those of the columnar engine, of a thread that only reports its error's text, and of the store's client. */
const MACHINE_MESSAGES: readonly (readonly [RegExp, string])[] = [
  [/no space left on device/i, 'the disk is full'],
  [/disk quota exceeded/i, 'the disk quota is used up'],
  [/IO Error: .*: too many open files/i, 'this process has no file descriptor left'],
  [/IO Error: .*: read-only file system/i, 'the file system is read-only'],
  [/IO Error: .*: permission denied/i, 'this process may not use a file or folder of its data directory'],
  [/IO Error: .*: input\/output error/i, 'the disk reported an error'],
  [/ERR_WORKER_INIT_FAILED/, 'this process has no file descriptor, or no memory, left for a thread'],
  [/request socket timed out after \d+ ms of inactivity/, 'the object store stopped responding'],
];
const MOST_CAUSES = 5;

/** The error that came first, where closing what it had left open has failed too and the error of that stands before it. */
export const firstError = (thrown: unknown): unknown =>
  thrown instanceof SuppressedError ? firstError(thrown.suppressed) : thrown;

/** Why an error is a temporary failure; null for a defect and for every error with a response of its own. */
export const unavailableReason = (thrown: unknown): string | null =>
  reasonOf(
    thrown,
    ({ code, message }) =>
      dependencyReason(code) ?? MACHINE_CODES[code] ?? reasonOfMessage(message, [...MESSAGES, ...MACHINE_MESSAGES]),
  );

/** Whether the database cannot be reached or used, so that waiting helps. */
export const isDatabaseUnavailable = (thrown: unknown): boolean =>
  reasonOf(thrown, ({ code, message }) => dependencyReason(code) ?? reasonOfMessage(message, MESSAGES)) !== null;

/** Why something that is reached over the network cannot be used, by the code of the error. */
export const dependencyReason = (code: string): string | undefined => DEPENDENCY_CODES[code] ?? peerReason(code);

/** The same of what responds all the same: waiting alone will not mend it. */
export const peerReason = (code: string): string | undefined => reasonOfMessage(code, PEER_CODES);

const reasonOfMessage = (message: string, known: typeof MESSAGES): string | undefined =>
  known.find(([pattern]) => pattern.test(message))?.[1];

function reasonOf(thrown: unknown, judge: (error: { code: string; message: string }) => string | undefined): string | null {
  let error = firstError(thrown) as { code?: unknown; message?: unknown; cause?: unknown } | null | undefined;
  for (let depth = 0; error && typeof error === 'object' && depth < MOST_CAUSES; depth += 1) {
    const reason = judge({ code: String(error.code ?? ''), message: String(error.message ?? '') });
    if (reason) return reason;
    error = error.cause as typeof error;
  }
  return null;
}
