import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import type { IncomingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Busboy, type BusboyHeaders } from '@fastify/busboy';
import { formatOfName } from '../../loans/reading/file-kind.ts';
import type { TapeFormat } from '../../loans/reading/raw-table.ts';
import type { CheckReport, checkTape, TapeOnDisk } from '../../loans/tasks/check-tape.ts';
import { LOAN_TYPES, type LoanType, type MappingRequest } from '../../loans/types.ts';
import { CSV, PARQUET, XLSX } from '../../platform/files/content-types.ts';
import { createMeter } from '../../platform/files/local-store.ts';
import { TooLarge } from '../../platform/files/store.ts';
import { ApiError, invalidField } from '../../platform/http/errors.ts';
import { tapeErrorCode } from './probe-file.ts';
import { MAX_BYTES } from '../uploads/upload.ts';

const FORMATS: Record<string, TapeFormat> = { [CSV]: 'csv', [XLSX]: 'xlsx', [PARQUET]: 'parquet' };

export type CheckRequest = {
  workDir: string;
  headers: IncomingHttpHeaders;
  bytes: Readable;
  /** From the query; a multipart body may have it as a field. */
  loanType: string | undefined;
  asOf: string;
  remembered(loanType: LoanType): Promise<MappingRequest[]>;
  /** Checks the file, for example in a child process. */
  run(tape: TapeOnDisk): ReturnType<typeof checkTape>;
};

/** Runs all checks of a file within the request, as complete would run them; stores nothing. */
export async function checkFile(check: CheckRequest): Promise<CheckReport> {
  const workDir = await mkdtemp(join(check.workDir, 'check-'));
  try {
    const { path, format, ...received } = await receive(check, workDir);
    const loanType = readLoanType(received.loanType ?? check.loanType);
    const checked = await check.run({
      path,
      format,
      loanType,
      workDir,
      asOf: check.asOf,
      remembered: await check.remembered(loanType),
    });
    if (!checked.ok) throw new ApiError(tapeErrorCode(checked.problem.code), checked.problem.message);
    return checked.report;
  } finally {
    await rm(workDir, { recursive: true, force: true });
  }
}

type Received = { path: string; format: TapeFormat; loanType: string | undefined };

type Body = Pick<CheckRequest, 'headers' | 'bytes'>;

async function receive(body: Body, workDir: string): Promise<Received> {
  const type = body.headers['content-type']?.split(';')[0]?.trim().toLowerCase() ?? '';
  if (type === 'multipart/form-data') return receiveForm(body, workDir);
  const format = FORMATS[type];
  if (!format)
    throw new ApiError('UNSUPPORTED_MEDIA_TYPE', `Send the file as ${CSV}, as ${XLSX}, as ${PARQUET} or as multipart/form-data.`);
  const path = join(workDir, 'tape');
  await pipeline(body.bytes, createMeter(MAX_BYTES[type] ?? 0).stream, createWriteStream(path, { mode: 0o600 }));
  return { path, format, loanType: undefined };
}

/** The field of a form that names the loan type, as other bodies of uploads spell it. */
const LOAN_TYPE_FIELDS = ['loanType', 'loan_type'];

/** A form with one file and, in any order, the loan type. */
function receiveForm({ headers, bytes }: Body, workDir: string): Promise<Received> {
  return new Promise((resolve, reject) => {
    const form = openForm(headers);
    const types: { name: string; value: string }[] = [];
    let hasSeveral = false;
    let file: Promise<Omit<Received, 'loanType'>> | undefined;
    form.on('field', (name, value) => {
      if (LOAN_TYPE_FIELDS.includes(name)) types.push({ name, value });
    });
    form.on('filesLimit', () => {
      hasSeveral = true;
    });
    form.on('file', (_name, stream, fileName, _encoding, mimeType) => {
      const format = FORMATS[mimeType] ?? formatOfName(fileName);
      const path = join(workDir, 'tape');
      file = pipeline(stream, createWriteStream(path, { mode: 0o600 })).then(() => {
        if (stream.truncated) throw new TooLarge('the file is too large');
        return { path, format };
      });
      file.catch(() => {});
      bytes.once('error', (error) => stream.destroy(error));
    });
    form.on('finish', () => {
      const fault = formFault(file !== undefined, hasSeveral, types);
      if (!file) reject(fault);
      else file.then((received) => (fault ? reject(fault) : resolve({ ...received, loanType: types[0]?.value })), reject);
    });
    form.on('error', () => reject(new ApiError('BAD_REQUEST', 'The form cannot be read.')));
    bytes.on('error', reject);
    bytes.pipe(form);
  });
}

/** A form whose type names no boundary between its parts cannot be read. */
function openForm(headers: IncomingHttpHeaders): InstanceType<typeof Busboy> {
  try {
    return new Busboy({
      headers: headers as BusboyHeaders,
      limits: { files: 1, fields: 10, fieldSize: 1_000, fileSize: MAX_BYTES[CSV] ?? 0 },
    });
  } catch {
    throw new ApiError('BAD_REQUEST', 'The form cannot be read: its Content-Type needs the boundary between its parts.');
  }
}

/** What a form has too little or too much of: one of several files would be checked, and the others left out without a word. */
function formFault(hasFile: boolean, hasSeveral: boolean, types: readonly { name: string }[]): ApiError | undefined {
  if (!hasFile) return invalidField('file', 'REQUIRED', 'the form has no file');
  if (hasSeveral) return invalidField('file', 'INVALID', 'the form has several files: send one tape');
  if (types.length < 2) return undefined;
  const isOther = types.some(({ name }) => name !== types[0]?.name);
  return isOther
    ? invalidField('loan_type', 'INVALID', 'loan_type and loanType are the same field: send one of them')
    : invalidField(types[0]?.name ?? 'loanType', 'INVALID', 'the form has it several times: send one of them');
}

function readLoanType(text: string | undefined): LoanType {
  const found = LOAN_TYPES.find((type) => type === text);
  if (!found)
    throw invalidField('loanType', text === undefined ? 'REQUIRED' : 'INVALID', `expected one of ${LOAN_TYPES.join(', ')}`);
  return found;
}
