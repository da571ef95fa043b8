import Type, { type Static } from 'typebox';
import { fileFormat, fileName, fileSize } from '../tapes/file-fields.ts';
import { UploadFields } from '../uploads/upload.ts';
import { MappingSchema } from '../tapes/mapping-schema.ts';
import { named, namedOneOf } from '../../platform/http/named.ts';
import { date, id, nullable, timestamp } from '../../platform/http/schemas.ts';
import { POOL_TAPE_STATES, type PoolMonth, type PoolTape } from './queries.ts';

export const TAG = 'Monthly tapes';

const period = Type.Integer({ minimum: 1, maximum: 1_200, description: 'Number of the payment period; the first is 1.' });
export const OfPool = Type.Object({ poolId: id('pool') });
export const OfPeriod = Type.Object({
  poolId: id('pool'),
  period: Type.String({ pattern: '^[1-9][0-9]{0,3}$', description: 'Number of the payment period; the first is 1.' }),
});

export const NewPoolTape = named('NewPoolTape', {
  period,
  fileName,
  fileFormat,
  fileSize,
});

export const InitiatedPoolTape = named('InitiatedPoolTape', { pool_id: id('pool'), period, ...UploadFields });

const tapeFields = {
  pool_id: id('pool'),
  period,
  version: Type.Integer({ description: 'How many files were sent for the period.' }),
  version_in_force: nullable(
    Type.Integer({
      description:
        'The file that the month in force comes from: an earlier one while the newest is read, and when it could not be. Null while none is.',
    }),
  ),
  file_name: Type.String(),
  format: Type.String(),
  size: Type.Integer(),
  sha256: Type.String(),
  state: namedOneOf(
    'PoolTapeState',
    POOL_TAPE_STATES,
    'RUNNING: is read, or compared again because the tape before has changed. NEEDS_MAPPING: no column could be read as the amount. NEEDS_CONFIRMATION: more than half of the loans that owed are missing, or owe nothing any more without a reason, and the tape is not in force.',
  ),
  failure: nullable(Type.String({ description: 'Why the file could not be read.' })),
  rows: Type.Integer(),
  accepted: Type.Integer(),
  rejected: Type.Integer(),
  as_of_date: nullable(date('Latest reporting date of the tape, else the day on which it was read.')),
  compared_with: nullable(Type.Integer({ description: 'Period of the tape before it, 0 for the loans at closing.' })),
  matched: nullable(Type.Integer({ description: 'Loans of the pool that are on the tape.' })),
  strangers: nullable(Type.Integer({ description: 'Rows of the tape that are no loan of the pool, and are left out.' })),
  errors: Type.Integer({ description: 'Findings of the reading, and of the comparison with the month before.' }),
  warnings: Type.Integer(),
  by_rule: Type.Array(
    named('RuleCount', {
      rule_id: Type.String(),
      severity: namedOneOf('FindingSeverity', ['ERROR', 'WARNING']),
      count: Type.Integer(),
    }),
    { description: 'The findings counted; `…/tapes/{period}/issues` lists them.' },
  ),
  created_at: timestamp('When the first file of the period was completed.'),
  completed_at: nullable(timestamp('When the newest file was read.')),
};
export const PoolTapeSchema = named('PoolTape', tapeFields);
export const PoolTapeDetail = named('PoolTapeDetail', {
  ...tapeFields,
  mapping: MappingSchema,
  decisions: Type.Array(Type.String({ description: 'How columns were read, in words.' })),
});

export function wirePoolTape(tape: PoolTape, month: PoolMonth | null): Static<typeof PoolTapeSchema> {
  const { pool_id, version, file_name, format, size, sha256, state, failure, rows, accepted, rejected, as_of_date } = tape;
  const { errors, warnings, by_rule, created_at, completed_at } = tape;
  return {
    pool_id,
    period: tape.period,
    version,
    version_in_force: month?.version ?? null,
    file_name,
    format,
    size,
    sha256,
    state,
    failure,
    rows,
    accepted,
    rejected,
    as_of_date,
    compared_with: month?.compared_with ?? null,
    matched: month?.matched ?? null,
    strangers: month?.strangers ?? null,
    errors,
    warnings,
    by_rule: by_rule ?? [],
    created_at: created_at.toISOString(),
    completed_at: completed_at?.toISOString() ?? null,
  };
}

export const ReportingSchema = named('PoolReporting', {
  tape_due_business_day: nullable(
    Type.Integer({
      minimum: 1,
      maximum: 20,
      description:
        'Business day of the month of each payment date, by the calendar of the deal, by whose end the tape of the period is due; `tape.late` tells when none was read. Null: no tape is late.',
    }),
  ),
});
