import type { Schemas } from './calls.ts';
import type { Connection } from './connection.ts';
import { errorOf, isPage, SluiceError, withDeal, withoutTokens } from './errors.ts';
import { pagesOf } from './pages.ts';
import { openSource, type Source, streamOf } from './source.ts';
import { TAPE_ENDINGS, tapeFormatOf } from './tape-format.ts';
import type { Opened } from './opened.ts';
import { send } from './transport.ts';
import { waitFor } from './wait.ts';

const DEAL = '/v1/api/originator/loans/{dealId}';

/** How far an upload has come: bytes that were sent (`totalBytes` null for a stream), then what the checks have done. */
export type UploadProgress =
  | { phase: 'UPLOAD'; sentBytes: number; totalBytes: number | null }
  | { phase: 'CHECKS'; checks: Schemas['ChecksProgress'] | null };

type OfNewDeal = {
  loanType: Schemas['LoanType'];
  /** Name of the deal; that of the file unless said otherwise. */
  name?: string;
};

type OfDeal = {
  /** The deal that gets a new version of its tape. */
  dealId: string;
  /** REPLACE (the default of the API): the tape is the whole deal; MERGE: its rows replace those with the same id. */
  mode?: Schemas['TapeMode'];
};

/** What is uploaded: the first tape of a new deal (`loanType`), or a further version of a deal's (`dealId`). */
export type UploadTapeOptions = (OfNewDeal | OfDeal) & {
  /** Name of the file; that of the source, or `tape.csv` where it has none. */
  fileName?: string;
  /** Format of the file; by the ending of its name unless said otherwise, see `tapeFormatOf`. */
  fileFormat?: Schemas['TapeFormat'];
  /** False: do not wait for the checks. */
  wait?: boolean;
  onProgress?: (progress: UploadProgress) => void;
  /** Told each time that the checks could not be read; see `waitFor`. */
  onLost?: (error: unknown) => void;
  /** Milliseconds to wait for the checks at most; 30 minutes unless said otherwise. */
  timeout?: number;
  signal?: AbortSignal | null;
};

type Uploaded = {
  dealId: string;
  /** The job of the checks: `GET /v1/api/originator/loans/jobs/{jobId}`. */
  jobId: string;
  /** What the checks found, row by row, read as a loop goes; each loop begins anew. */
  findings: AsyncIterable<Schemas['Finding']>;
};

/** A tape whose checks have been started. */
export type StartedTape = Uploaded & { deal: Schemas['CompletedTape'] };

/** A tape whose checks have ended: `check.state` says how (DONE, NEEDS_MAPPING, NEEDS_CONFIRMATION, FAILED), and `check.by_rule` counts the findings. */
export type CheckedTape = Uploaded & { deal: Schemas['Deal']; check: Schemas['QualityControl'] };

export async function startTape(connection: Connection, source: Source, options: UploadTapeOptions): Promise<StartedTape> {
  const { signal = null } = options;
  const opened = await openSource(source);
  const fileName = options.fileName ?? opened.name ?? 'tape.csv';
  const fileFormat = options.fileFormat ?? requireFormat(fileName);
  const file = { fileName, fileFormat, ...(opened.size === null ? {} : { fileSize: opened.size }) };
  const initiated = await initiate(connection, file, options);
  const dealId = initiated.deal_id;
  const deal = await sendAndComplete(connection, opened, initiated, options).catch(async (error: unknown) => {
    if ('dealId' in options || (await isDropped(connection, dealId))) throw error;
    throw error instanceof SluiceError ? withDeal(error, dealId) : error;
  });
  const findings = {
    [Symbol.asyncIterator]: () => pagesOf(connection, `${DEAL}/issues`, { params: { path: { dealId } }, signal }),
  };
  return { dealId, jobId: deal.job_id, deal, findings };
}

async function sendAndComplete(
  connection: Connection,
  opened: Opened,
  initiated: Schemas['InitiatedTape'],
  options: UploadTapeOptions,
): Promise<Schemas['CompletedTape']> {
  await sendBytes(connection, opened, initiated, options);
  const { deal_id: dealId, file_name: fileName } = initiated;
  const { signal = null } = options;
  const init = {
    params: { header: { 'Idempotency-Key': crypto.randomUUID() } },
    body: { dealId, fileName },
    signal,
    parseAs: 'json' as const,
  };
  const complete = async (): Promise<Schemas['CompletedTape']> => {
    const { body } = await connection.request('post', '/v1/api/originator/loans/complete', init);
    return (body as Schemas['CompletedTapeResponse']).data;
  };
  return await complete().catch(async (error: unknown) => {
    if (!isLost(error) || !(await hasLeftDraft(connection, dealId, signal))) throw error;
    // The gateway keeps the answer to a key, with the job of the checks.
    return await complete();
  });
}

/** Whether a request may have been carried out although it failed. */
const isLost = (error: unknown): boolean => error instanceof SluiceError && (error.status === 0 || error.status >= 500);

/** Whether a deal was completed; false where it cannot be read. */
async function hasLeftDraft(connection: Connection, dealId: string, signal: AbortSignal | null): Promise<boolean> {
  try {
    const { envelope } = await connection.read(DEAL, { params: { path: { dealId } }, signal });
    return envelope.data.status !== 'DRAFT';
  } catch {
    return false;
  }
}

/**
 * Deletes a draft, and says whether it is gone: without its tape it would refuse the next upload of its loan type. What made the upload fail
 * is told, not what this may meet.
 */
const isDropped = (connection: Connection, dealId: string): Promise<boolean> =>
  connection.request('delete', DEAL, { params: { path: { dealId } } }).then(
    () => true,
    (error: unknown) => error instanceof SluiceError && error.status === 404,
  );

/** The deal when its checks have ended. */
export async function checkedTape(
  connection: Connection,
  started: StartedTape,
  options: UploadTapeOptions,
): Promise<CheckedTape> {
  const { onProgress, onLost, signal = null, timeout } = options;
  const { dealId, jobId, findings } = started;
  const deal = await waitFor(
    connection,
    DEAL,
    { params: { path: { dealId } }, signal },
    {
      onRead: ({ qc }) => onProgress?.({ phase: 'CHECKS', checks: qc.progress }),
      ...(onLost === undefined ? {} : { onLost }),
      ...(timeout === undefined ? {} : { timeout }),
    },
  ).catch((error: unknown) => {
    throw error instanceof SluiceError ? withDeal(error, dealId) : error;
  });
  return { dealId, jobId, deal, check: deal.qc, findings };
}

type TapeFile = { fileName: string; fileFormat: Schemas['TapeFormat']; fileSize?: number };

async function initiate(connection: Connection, file: TapeFile, options: UploadTapeOptions): Promise<Schemas['InitiatedTape']> {
  const { signal = null } = options;
  const { body } =
    'dealId' in options
      ? await connection.request('post', `${DEAL}/tapes`, {
          params: { path: { dealId: options.dealId } },
          body: { ...file, ...(options.mode === undefined ? {} : { mode: options.mode }) },
          signal,
        })
      : await connection.request('post', '/v1/api/originator/loans/initiate', {
          body: { ...file, loanType: options.loanType, ...(options.name === undefined ? {} : { name: options.name }) },
          signal,
        });
  return (body as Schemas['InitiatedTapeResponse']).data;
}

/** The address is signed: it gets the bytes and no key. */
async function sendBytes(
  { settings }: Connection,
  opened: Opened,
  { upload_url, upload_headers }: Schemas['InitiatedTape'],
  { onProgress, signal = null }: UploadTapeOptions,
): Promise<void> {
  const onBytes = (sentBytes: number): void => onProgress?.({ phase: 'UPLOAD', sentBytes, totalBytes: opened.size });
  const answered = new AbortController();
  const broken = new AbortController();
  const onFault = (error: unknown): void => broken.abort(error);
  const make = (attempt: AbortSignal): Request => {
    const body = streamOf(opened.open(), { onBytes, onFault, signal: AbortSignal.any([attempt, answered.signal]) });
    // Not every declaration of RequestInit knows `duplex`, which the sending of a stream needs.
    const init: RequestInit & { duplex: 'half' } = {
      method: 'PUT',
      headers: upload_headers,
      body,
      signal: attempt,
      duplex: 'half',
      redirect: 'manual',
    };
    return new Request(upload_url, init);
  };
  const { replayable } = opened;
  try {
    const response = await send(settings, {
      make,
      // A source that cannot be read ends the upload with its own error.
      signal: AbortSignal.any([...(signal ? [signal] : []), broken.signal]),
      replayable,
      repeatable: replayable,
      keyed: false,
      isWhole: true,
      timeoutMs: null,
    });
    const text = withoutTokens(await response.text());
    if (!response.ok || isPage(response)) throw errorOf(response, parsed(text), settings.clock.now());
  } finally {
    // A refusal may come before the end of the file.
    answered.abort();
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function requireFormat(fileName: string): Schemas['TapeFormat'] {
  const format = tapeFormatOf(fileName);
  if (format) return format;
  throw new TypeError(
    `The name ${JSON.stringify(fileName)} does not tell the format of the file: pass \`fileFormat\`, or a name that ends in ${TAPE_ENDINGS}.`,
  );
}
